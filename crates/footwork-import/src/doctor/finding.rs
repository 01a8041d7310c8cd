//! Findings of the checks.

use super::check::Check;
use super::examined_clip::ExaminedClip;
use crate::note::Fix;
use serde::{Serialize, Serializer};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Information only; nothing is wrong.
    Hint,
    /// The fault is visible on a character.
    Warning,
    /// A database built from the clip is wrong, or the build fails.
    Error,
}

impl Severity {
    /// Returns the name in printed reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A change to a clip's sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SidecarEdit {
    /// Marks whether the clip is a loop.
    Loop(bool),
    /// Discards a range: start and end, in seconds from the clip's first frame.
    Discard([f32; 2]),
}

/// One fault in one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Check that reports it.
    #[serde(serialize_with = "by_name")]
    pub check: Check,
    /// Severity of the fault.
    pub severity: Severity,
    /// Clip name; empty for a finding about the whole set.
    pub clip: String,
    /// Joint name, if the finding is about one joint.
    pub joint: Option<String>,
    /// First and last frame in the original clip, if the finding is about a part of it.
    pub frames: Option<[usize; 2]>,
    /// The same range, in seconds from the clip's first frame.
    pub seconds: Option<[f32; 2]>,
    /// The fault, with its size.
    pub what: String,
    /// The fix: the action of `--fix`, or the task of the user.
    pub mend: String,
    /// True if `--fix` fixes it.
    pub mends: bool,
    /// Change of the sidecar that fixes it without a change of the motion, if there is one.
    pub sidecar: Option<SidecarEdit>,
}

fn by_name<S: Serializer>(check: &Check, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(check.name())
}

impl Finding {
    /// Returns a finding about a whole clip that `--fix` does not fix.
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

    /// Returns the finding for a fault that every import fixes: copies are written without it.
    pub fn of_fix(fix: &Fix) -> Self {
        let (check, severity) = match fix.what {
            "units" => (Check::Scale, Severity::Warning),
            _ => (Check::UpAxis, Severity::Error),
        };
        Self::new(check, severity, &fix.clip, &fix.found, format!("{}, as on every reading", fix.done)).mended()
    }

    /// Marks the finding as fixed by `--fix`.
    pub fn mended(self) -> Self {
        Self { mends: true, ..self }
    }

    /// Adds the sidecar edit that marks whether the clip is a loop.
    pub fn mended_by_loop(self, looping: bool) -> Self {
        Self { sidecar: Some(SidecarEdit::Loop(looping)), ..self }
    }

    /// Adds the sidecar edit that discards the finding's frames; call it after [`Finding::over`].
    pub fn mended_by_discard(self, clip: &ExaminedClip) -> Self {
        let range = |[first, last]: [usize; 2]| [first, last + 1].map(|f| f as f32 / clip.told_rate_hz);
        Self { sidecar: self.frames.map(range).map(SidecarEdit::Discard), ..self }
    }

    /// Sets the joint.
    pub fn at_joint(self, joint: &str) -> Self {
        Self { joint: Some(joint.to_owned()), ..self }
    }

    /// Sets the first and last frame, as frames of a clip.
    pub fn over(self, clip: &ExaminedClip, first: usize, last: usize) -> Self {
        let frames = [first + clip.cut_frames, last + clip.cut_frames];
        let seconds = frames.map(|f| f as f32 / clip.told_rate_hz);
        Self { frames: Some(frames), seconds: Some(seconds), ..self }
    }
}
