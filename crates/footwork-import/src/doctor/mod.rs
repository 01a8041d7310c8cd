//! Finds faults in clips, and fixes them in copies.
//!
//! ```text
//!  clips --Examination--> for each check of CHECKS, in order: find, fix the working copy --> findings, fixed clips, dance card
//! ```
//!
//! Checks run in the order of [`CHECKS`]. Each check sees the clips as fixed by the earlier ones, so a fault is reported once,
//! without its consequences. The input is not changed. Each check is one file, with its search and its fix.
//!
//! ```
//! use footwork_import::doctor::{DoctorOptions, examine};
//! let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
//! let diagnosis = examine(clips, &DoctorOptions::default())?;
//! assert!(diagnosis.findings.iter().all(|f| f.severity == footwork_import::doctor::Severity::Hint));
//! # Ok::<(), footwork::build::BuildError>(())
//! ```

mod calibration;
mod check;
mod coverage;
mod curves;
mod dance_card;
mod duplicate;
pub(crate) mod edit;
mod examination;
pub(crate) mod examined_clip;
mod finding;
mod flip;
mod forward;
mod frozen;
mod glitch;
mod ground;
mod in_place;
mod jitter;
mod loops;
pub(crate) mod parts;
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
pub(crate) mod up_axis;

pub use check::Check;
pub use dance_card::DanceCardCell;
pub use finding::{Finding, Severity, SidecarEdit};
pub use table::{CHECKS, CheckInfo};

use examination::Examination;
use footwork::build::{BuildConfig, BuildError};
use footwork::clip::RawClip;
use footwork::matcher::MatcherConfig;
use table::Run;

/// Settings of an examination, with the configuration of the character.
pub struct DoctorOptions<'a> {
    /// Roles, contacts and root as for a build.
    pub build: BuildConfig,
    /// Speeds that a stick can request, used by the coverage check.
    pub matcher: MatcherConfig,
    /// Checks to run. Default: all.
    pub checks: Vec<Check>,
    /// Called with the number of finished checks and the number of all checks.
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

/// Result of an examination.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// All findings, in the order of the checks, then of the clips.
    pub findings: Vec<Finding>,
    /// The clips, with faults fixed where possible, in the order of the input; copies of other clips are left out.
    pub clips: Vec<RawClip>,
    /// `[speeds x turns x directions]` amount of motion in the set; empty if the coverage check did not run.
    pub dance_card: Vec<DanceCardCell>,
}

impl Diagnosis {
    /// Returns the highest severity of the findings; `None` without findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }
}

/// Examines clips, and fixes faults in copies of them.
///
/// # Errors
/// Returns a [`BuildError`] if a role or contact joint of the configuration is missing, or if a clip is invalid
/// ([`RawClip::validate`]).
pub fn examine(clips: Vec<RawClip>, options: &DoctorOptions) -> Result<Diagnosis, BuildError> {
    for clip in &clips {
        clip.validate()?;
    }
    let mut examination = Examination::new(clips, &options.build, &options.matcher)?;
    let mut findings = Vec::new();
    for (done, info) in CHECKS.iter().enumerate() {
        if options.checks.contains(&info.check) {
            match info.run {
                Run::Clip(check) => findings.extend(
                    examination
                        .each_mut(|p, body| {
                            let mut found = Vec::new();
                            check(p, body, &mut found);
                            found
                        })
                        .into_iter()
                        .flatten(),
                ),
                Run::Set(check) => check(&mut examination, &mut findings),
            }
        }
        if let Some(tell) = options.progress {
            tell(done + 1, CHECKS.len());
        }
    }
    let kept = examination.clips.into_iter().filter(|p| !p.left_out);
    Ok(Diagnosis { findings, clips: kept.map(|p| p.clip).collect(), dance_card: examination.card })
}

#[cfg(test)]
mod tests {
    use super::*;
    use footwork::build::ClipRule;

    #[test]
    fn what_a_finding_says_about_sidecars_mends_it() {
        let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
        let named = |name: &str| clips.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no {name}")).clone();
        let (mut posed, mut unmarked) = (named("walk_125"), named("walk_125_loop"));
        posed.annotations = Default::default();
        unmarked.annotations = Default::default();
        unmarked.looping = false;
        let mut pose: Vec<_> = posed.skeleton.rest().iter().map(|t| (t.translation, t.rotation)).collect();
        pose[0].0 = posed.translations[0];
        for _ in 0..20 {
            posed.translations.splice(0..0, pose.iter().map(|p| p.0));
            posed.rotations.splice(0..0, pose.iter().map(|p| p.1));
        }
        let copy = RawClip { name: "walk_175_again".into(), ..named("walk_175") };
        let mut set = vec![posed, unmarked, named("walk_175"), copy];
        let found = |set: &[RawClip]| {
            let findings = examine(set.to_vec(), &DoctorOptions::default()).unwrap().findings;
            findings.into_iter().filter(|f| f.sidecar.is_some()).collect::<Vec<_>>()
        };
        let before = found(&set);
        let checks: Vec<Check> = before.iter().map(|f| f.check).collect();
        for check in [Check::Calibration, Check::UnmarkedLoop, Check::Duplicate] {
            assert!(checks.contains(&check), "{check:?} is not in {checks:?}");
        }
        for f in &before {
            let mut rule = ClipRule::default();
            match f.sidecar.unwrap() {
                SidecarEdit::Loop(on) => rule.looping = Some(on),
                SidecarEdit::Discard(range) => rule.discard.push(range),
            }
            rule.apply(set.iter_mut().find(|c| c.name == f.clip).unwrap()).unwrap();
        }
        // A build would split clips at discarded ranges; here the ranges are cut instead.
        let whole =
            |c: &RawClip| c.annotations.discard.iter().map(|r| r.end_s - r.start_s).sum::<f32>() > 0.9 * c.seconds();
        set.retain(|c| !whole(c));
        for clip in &mut set {
            if let Some(range) = clip.annotations.discard.first().copied().filter(|r| r.start_s == 0.0) {
                let mut p = examined_clip::ExaminedClip::new(clip.clone());
                edit::cut(&mut p, (range.end_s * clip.rate_hz).round() as usize..clip.frames());
                *clip = p.clip;
            }
        }
        assert_eq!(found(&set), []);
    }
}
