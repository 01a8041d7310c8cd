//! What the doctor says.

use super::check::Check;
use super::patient::Patient;
use crate::note::Fix;
use serde::{Serialize, Serializer};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Hint,
    /// A character will show it.
    Warning,
    /// Whatever is built from it is wrong, or cannot be built.
    Error,
}

impl Severity {
    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A change of a clip's sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SidecarEdit {
    /// Say whether the clip is a loop.
    Loop(bool),
    /// Discard a range: start and end, in seconds from the clip's first frame.
    Discard([f32; 2]),
}

/// One thing that is wrong, in one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Which check says so.
    #[serde(serialize_with = "by_name")]
    pub check: Check,
    /// How bad it is.
    pub severity: Severity,
    /// Clip; empty for what concerns the whole set.
    pub clip: String,
    /// Joint, where it is one.
    pub joint: Option<String>,
    /// First and last frame of the clip as it came in, where it is a part of it.
    pub frames: Option<[usize; 2]>,
    /// The same in seconds from the clip's first frame.
    pub seconds: Option<[f32; 2]>,
    /// What is wrong, with its size.
    pub what: String,
    /// What mends it: what `--fix` does, or what somebody has to do.
    pub mend: String,
    /// True where `--fix` does it.
    pub mends: bool,
    /// What mends it without a change of the motion, where a sidecar can.
    pub sidecar: Option<SidecarEdit>,
}

fn by_name<S: Serializer>(check: &Check, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(check.name())
}

impl Finding {
    /// Something about a whole clip that nobody but its owner can mend.
    pub fn new(check: Check, severity: Severity, clip: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            check,
            severity,
            clip: clip.to_owned(),
            joint: None,
            frames: None,
            seconds: None,
            what: what.into(),
            mend: mend.into(),
            mends: false,
            sidecar: None,
        }
    }

    /// A fault of a file that is mended whenever it is read: copies are written without it.
    pub fn of_fix(fix: &Fix) -> Self {
        let (check, severity) = match fix.what {
            "units" => (Check::Scale, Severity::Warning),
            _ => (Check::UpAxis, Severity::Error),
        };
        Self::new(check, severity, &fix.clip, &fix.found, format!("{}, as on every reading", fix.done)).mended()
    }

    /// The same, and `--fix` mends it.
    pub fn mended(self) -> Self {
        Self { mends: true, ..self }
    }

    /// The same, and saying in the sidecar whether the clip is a loop mends it.
    pub fn mended_by_loop(self, looping: bool) -> Self {
        Self { sidecar: Some(SidecarEdit::Loop(looping)), ..self }
    }

    /// The same, and discarding its frames mends it: follows [`Finding::over`].
    pub fn mended_by_discard(self, patient: &Patient) -> Self {
        let range = |[first, last]: [usize; 2]| [first, last + 1].map(|f| f as f32 / patient.told_rate_hz);
        Self { sidecar: self.frames.map(range).map(SidecarEdit::Discard), ..self }
    }

    /// At a joint.
    pub fn at_joint(self, joint: &str) -> Self {
        Self { joint: Some(joint.to_owned()), ..self }
    }

    /// From the first to the last of some frames of a patient.
    pub fn over(self, patient: &Patient, first: usize, last: usize) -> Self {
        let frames = [first + patient.cut_frames, last + patient.cut_frames];
        let seconds = frames.map(|f| f as f32 / patient.told_rate_hz);
        Self { frames: Some(frames), seconds: Some(seconds), ..self }
    }
}
