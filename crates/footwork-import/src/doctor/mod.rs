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

mod calibration;
mod check;
mod coverage;
mod curves;
mod dance_card;
mod duplicate;
pub(crate) mod edit;
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
pub(crate) mod patient;
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
mod ward;

pub use check::Check;
pub use dance_card::DanceCardCell;
pub use finding::{Finding, Severity};
pub use table::{CHECKS, CheckInfo};

use footwork::build::{BuildConfig, BuildError};
use footwork::clip::RawClip;
use footwork::matcher::MatcherConfig;
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
    let mut ward = Ward::new(clips, &options.build, &options.matcher)?;
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
