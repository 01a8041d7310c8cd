//! What is wrong with clips, and mending it.
//!
//! ```text
//!  clips --Ward--> for each check of CHECKS, in order: find, mend the working copy --> findings, mended clips, dance card
//! ```
//!
//! Checks run in the order of [`CHECKS`]; each sees what the ones before have mended, so that a fault is told once and not by
//! all of its consequences. Nothing that came in is changed. A check is one file: finding and mending stand together.
//!
//! ```
//! use footwork_import::doctor::{DoctorOptions, examine};
//! let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
//! let diagnosis = examine(clips, &DoctorOptions::default())?;
//! assert!(diagnosis.findings.iter().all(|f| f.severity == footwork_import::doctor::Severity::Hint));
//! # Ok::<(), footwork::build::BuildError>(())
//! ```

mod body;
mod calibration;
mod coverage;
mod duplicate;
mod finding;
mod flip;
mod forward;
mod frozen;
mod ground;
mod in_place;
mod jitter;
mod loops;
mod patient;
mod rate;
mod repeated;
mod roles;
mod root_drift;
mod scale;
mod sides;
mod skeleton;
mod sliding;
mod spike;
mod still_joint;
mod support;
mod table;
mod too_short;
mod up_axis;
mod ward;

pub use coverage::DanceCardCell;
pub use finding::{Finding, Severity};
pub use table::{CHECKS, Check, CheckInfo};

use body::Body;
use footwork::build::{BuildConfig, BuildError};
use footwork::clip::RawClip;
use footwork::matcher::MatcherConfig;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use patient::Patient;
use std::ops::Range;
use table::Run;
use ward::Ward;

/// What is examined, and what is known about the character.
pub struct DoctorOptions<'a> {
    /// Roles, contacts and root as a build would take them.
    pub build: BuildConfig,
    /// What a stick may ask for: the dance card's speeds.
    pub matcher: MatcherConfig,
    /// Checks that are made. Default: all.
    pub checks: Vec<Check>,
    /// Called with checks done and checks in all.
    pub progress: Option<&'a dyn Fn(usize, usize)>,
}

impl Default for DoctorOptions<'_> {
    fn default() -> Self {
        Self {
            build: BuildConfig::default(),
            matcher: MatcherConfig::default(),
            checks: CHECKS.iter().map(|c| c.check).collect(),
            progress: None,
        }
    }
}

/// What came of an examination.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// All findings, in the order of checks, then of clips.
    pub findings: Vec<Finding>,
    /// The clips, mended where that is possible, in the order in which they came; copies of others are left out.
    pub clips: Vec<RawClip>,
    /// `[speeds x turns x directions]` how much of which motion there is; empty where it was not asked for.
    pub dance_card: Vec<DanceCardCell>,
}

impl Diagnosis {
    /// The worst there is.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }
}

/// Examines clips, and mends copies of them.
///
/// # Errors
/// A role or contact joint of the configuration that is not there; clips that are not sound ([`RawClip::validate`]).
pub fn examine(clips: Vec<RawClip>, options: &DoctorOptions) -> Result<Diagnosis, BuildError> {
    for clip in &clips {
        clip.validate()?;
    }
    let mut ward = Ward::new(clips, options)?;
    let mut findings = Vec::new();
    for (done, info) in CHECKS.iter().enumerate() {
        if options.checks.contains(&info.check) {
            match info.run {
                Run::Clip(check) => findings.extend(
                    ward.each_mut(|p, body| {
                        let mut found = Vec::new();
                        check(p, body, &mut found);
                        found
                    })
                    .into_iter()
                    .flatten(),
                ),
                Run::Set(check) => check(&mut ward, &mut findings),
            }
        }
        if let Some(tell) = options.progress {
            tell(done + 1, CHECKS.len());
        }
    }
    let kept = ward.patients.into_iter().filter(|p| !p.left_out);
    Ok(Diagnosis { findings, clips: kept.map(|p| p.clip).collect(), dance_card: ward.card })
}

/// Keeps some frames, with what is known about them.
fn cut(p: &mut Patient, frames: Range<usize>) {
    let joints = p.joints();
    let rate_hz = p.clip.rate_hz;
    p.cut_frames += frames.start;
    let clip = p.edit();
    let values = frames.start * joints..frames.end * joints;
    clip.translations = clip.translations[values.clone()].to_vec();
    clip.rotations = clip.rotations[values].to_vec();
    let discard = std::mem::take(&mut clip.annotations.discard);
    clip.annotations.cut(frames.clone(), rate_hz);
    let shift = frames.start as f32 / rate_hz;
    let moved = discard.into_iter().map(|mut r| {
        (r.start_s, r.end_s) = ((r.start_s - shift).max(0.0), r.end_s - shift);
        r
    });
    clip.annotations.discard = moved.filter(|r| r.start_s < r.end_s).collect();
}

/// Takes the same frames as of another rate; what is told in seconds goes along.
fn set_rate(p: &mut Patient, rate_hz: f32) {
    let clip = p.edit();
    let k = clip.rate_hz / rate_hz;
    clip.rate_hz = rate_hz;
    let a = &mut clip.annotations;
    let named = a.tags.iter_mut().map(|t| &mut t.range).chain(a.costs.iter_mut().map(|c| &mut c.range));
    for r in named.chain(&mut a.do_not_enter).chain(&mut a.discard) {
        (r.start_s, r.end_s) = (r.start_s * k, r.end_s * k);
    }
    a.events.iter_mut().for_each(|e| e.time_s *= k);
    a.curves.iter_mut().flat_map(|c| &mut c.times_s).for_each(|t| *t *= k);
}

/// Changes the rest pose, joint by joint.
fn set_rest(clip: &mut RawClip, change: impl Fn(usize, Transform) -> Transform) {
    let s = &clip.skeleton;
    let rest = s.rest().iter().enumerate().map(|(j, t)| change(j, *t)).collect();
    // Names and tree are as they were: only numbers that are not finite could be refused, and then nothing changes.
    if let Ok(new) = Skeleton::new(s.names().to_vec(), s.parents().to_vec(), rest) {
        clip.skeleton = new;
    }
}

/// Weighted mean of rotations near each other, by components on the side of `reference`.
fn weighted(q: [Quat; 4], weights: [f32; 4], reference: Quat) -> Quat {
    let mut sum = [0.0f32; 4];
    for (q, w) in q.iter().zip(weights) {
        for (s, c) in sum.iter_mut().zip(q.towards(reference).to_array()) {
            *s += c * w;
        }
    }
    Quat::from_array(sum).normalize()
}

/// Weights of the cubic through values at four places, at `x`.
fn lagrange(at: [f32; 4], x: f32) -> [f32; 4] {
    [0, 1, 2, 3].map(|i| (0..4).filter(|j| *j != i).map(|j| (x - at[j]) / (at[i] - at[j])).product())
}

/// Weights of four even places on the Catmull-Rom curve between the middle two.
fn catmull_rom(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [0.5 * (2.0 * t2 - t3 - t), 0.5 * (3.0 * t3 - 5.0 * t2 + 2.0), 0.5 * (4.0 * t2 - 3.0 * t3 + t), 0.5 * (t3 - t2)]
}
