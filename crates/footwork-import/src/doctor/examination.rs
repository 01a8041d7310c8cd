//! All clips under examination, with their common data.

use super::dance_card::DanceCardCell;
use super::examined_clip::ExaminedClip;
use super::parts::{Parts, by_skeleton};
use super::root_drift;
use footwork::advanced::motion::StickSpeeds;
use footwork::build::{BuildConfig, BuildError, GlitchConfig};
use footwork::clip::RawClip;
use footwork::matcher::MatcherConfig;
use rayon::prelude::*;

/// Clips, grouped by skeleton.
pub struct Examination {
    /// Clips in the order of the input.
    pub clips: Vec<ExaminedClip>,
    /// Parts of each kind of skeleton.
    pub bodies: Vec<Parts>,
    /// `[clips]` index into `bodies`.
    pub kind_of: Vec<usize>,
    /// Speeds that a full stick requests.
    pub stick: StickSpeeds,
    /// Result of the coverage check.
    pub card: Vec<DanceCardCell>,
    /// Settings of the build, without rules about clips.
    pub build: BuildConfig,
}

impl Examination {
    /// Starts an examination of clips.
    ///
    /// # Errors
    /// Returns a [`BuildError`] if most clips' skeleton lacks a role or contact joint of the configuration.
    pub fn new(clips: Vec<RawClip>, build: &BuildConfig, matcher: &MatcherConfig) -> Result<Self, BuildError> {
        let kinds = by_skeleton(&clips);
        let mut kind_of = vec![0; clips.len()];
        for (kind, own) in kinds.iter().enumerate() {
            own.iter().for_each(|i| kind_of[*i] = kind);
        }
        let mut examination = Self {
            clips: Vec::new(),
            bodies: Vec::new(),
            kind_of,
            stick: matcher.speeds.over(&StickSpeeds::default()),
            card: Vec::new(),
            // Rules about clips do not apply in the checks.
            build: BuildConfig { clips: Vec::new(), ..build.clone() },
        };
        let usual = examination.usual_kind();
        for (kind, own) in kinds.iter().enumerate() {
            let own: Vec<&RawClip> = own.iter().map(|i| &clips[*i]).collect();
            let body = Parts::of(&own, &examination.build);
            // The configuration describes most clips. Clips with another skeleton use the default and are reported, not
            // rejected.
            examination.bodies.push(match body {
                Err(_) if kind != usual => Parts::of(&own, &BuildConfig::default())?,
                body => body?,
            });
        }
        examination.clips = clips.into_iter().map(ExaminedClip::new).collect();
        // Only done if a root bone is far from its body, as preparing the clips takes a while.
        if examination.each(root_drift::is_beside).contains(&true)
            && let Some((ids, prepared)) = examination.prepared()
        {
            // A root made by the build adds one joint.
            let joints = ids.first().map(|id| examination.clips[*id].joints());
            examination.bodies[usual].root_is_made = prepared.first().map(|clip| clip.skeleton.len()) > joints;
        }
        Ok(examination)
    }

    /// Returns the kind of skeleton that most clips have; on a tie, the first.
    pub fn usual_kind(&self) -> usize {
        let kinds = self.kind_of.iter().max().map_or(0, |k| k + 1);
        (0..kinds).rev().max_by_key(|k| self.kind_of.iter().filter(|o| *o == k).count()).unwrap_or(0)
    }

    /// Calls `ask` for every clip, in parallel; returns the results in order.
    pub fn each<T: Send>(&self, ask: impl Fn(&ExaminedClip, &Parts) -> T + Sync) -> Vec<T> {
        let pairs: Vec<_> = self.clips.iter().zip(&self.kind_of).collect();
        pairs.into_par_iter().map(|(p, k)| ask(p, &self.bodies[*k])).collect()
    }

    /// Calls `treat` for every clip, in parallel; returns the results in order.
    pub fn each_mut<T: Send>(&mut self, treat: impl Fn(&mut ExaminedClip, &Parts) -> T + Sync) -> Vec<T> {
        let bodies = &self.bodies;
        let pairs: Vec<_> = self.clips.iter_mut().zip(&self.kind_of).collect();
        pairs.into_par_iter().map(|(p, k)| treat(p, &bodies[*k])).collect()
    }

    /// Returns the clips of the usual skeleton as a build prepares them, at one rate and uncut, with their indices. Returns
    /// `None` if the build would reject them; other checks report why.
    pub fn prepared(&self) -> Option<(Vec<usize>, Vec<RawClip>)> {
        let usual = self.usual_kind();
        let ids: Vec<usize> = (0..self.clips.len())
            .filter(|i| self.kind_of[*i] == usual && self.clips[*i].frames() > 1 && !self.clips[*i].left_out)
            .collect();
        let whole = |i: &usize| {
            let mut clip = self.clips[*i].clip.clone();
            clip.annotations = Default::default();
            clip
        };
        let clips: Vec<RawClip> = ids.iter().map(whole).collect();
        // Without cuts at glitches: a cut would return more clips than were given.
        let glitches = GlitchConfig { enabled: false, ..self.build.glitches.clone() };
        let prepared = BuildConfig { glitches, ..self.build.clone() }.prepare(&clips).ok()?;
        Some((ids, prepared))
    }
}
