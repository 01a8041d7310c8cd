//! Findings of the doctor, in the files of the clips or in the database.

use footwork::clip::{Annotations, RawClip};
use footwork::database::Database;
use footwork::frames::ClipIndex;
use footwork::pose::{Pose, PoseVelocity};
use footwork_import::doctor::{CHECKS, Check, DoctorOptions, Finding, Severity, examine};
use footwork_import::{CharacterConfig, Fix};

/// Checks that work on a database. The others concern files (axes, units, rates, repeated frames), or what a build has fixed or
/// assumed.
const OF_DATABASE: [Check; 7] =
    [Check::Frozen, Check::Spike, Check::Flip, Check::Sliding, Check::StillJoint, Check::Duplicate, Check::Coverage];

/// Source of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examined {
    /// The files of the clips, with all checks.
    Files,
    /// The clips of the database, with the checks that work on a database.
    Database,
}

/// Findings of the doctor.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Findings, in the order of checks.
    pub list: Vec<Finding>,
    /// Source of the findings.
    pub examined: Examined,
}

impl Findings {
    /// Examines imported clips. Adds a finding for each fix that the importer made.
    ///
    /// # Errors
    /// Returns a message if the clips lack roles or contact joints of the configuration.
    pub fn of_clips(clips: Vec<RawClip>, fixes: &[Fix], config: &CharacterConfig) -> Result<Self, String> {
        let mut list: Vec<Finding> = fixes.iter().map(Finding::of_fix).collect();
        list.extend(found(clips, config, CHECKS.iter().map(|c| c.check).collect())?);
        Ok(Self { list, examined: Examined::Files })
    }

    /// Examines the clips of a database, except those that the build made.
    ///
    /// # Errors
    /// Same as [`Findings::of_clips`].
    pub fn of_database(db: &Database, config: &CharacterConfig) -> Result<Self, String> {
        let list = found(clips(db), config, OF_DATABASE.to_vec())?;
        Ok(Self { list, examined: Examined::Database })
    }

    /// Returns the number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|f| f.severity == severity).count()
    }

    /// Returns the names of the checks that work on a database.
    pub(crate) fn of_database_names() -> String {
        OF_DATABASE.map(Check::name).join(", ")
    }
}

fn found(clips: Vec<RawClip>, config: &CharacterConfig, checks: Vec<Check>) -> Result<Vec<Finding>, String> {
    let (build, matcher) = (config.build.clone(), config.matcher.clone());
    let options = DoctorOptions { build, matcher, checks, progress: None };
    Ok(examine(clips, &options).map_err(|e| e.to_string())?.findings)
}

/// Returns the clips of a database, sampled at its frame rate.
fn clips(db: &Database) -> Vec<RawClip> {
    let skeleton = &db.skeleton;
    let (mut pose, mut velocity) = (Pose::rest(skeleton), PoseVelocity::zero(skeleton.len()));
    let mut clips = Vec::new();
    for (k, clip) in db.clips[..db.originals()].iter().enumerate() {
        if db.clip_tags(clip).contains(&Database::MADE) {
            continue;
        }
        let view = db.view(ClipIndex::new(k), false);
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for frame in 0..clip.frames {
            view.sample(f64::from(frame) / f64::from(db.pose_rate_hz), &mut pose, &mut velocity);
            translations.extend_from_slice(&pose.translations);
            rotations.extend_from_slice(&pose.rotations);
        }
        clips.push(RawClip {
            name: clip.name.clone(),
            source: "the database".to_owned(),
            skeleton: skeleton.clone(),
            rate_hz: db.pose_rate_hz,
            looping: clip.looping(),
            translations,
            rotations,
            annotations: Annotations { loops: Some(clip.looping()), ..Annotations::default() },
        });
    }
    clips
}
