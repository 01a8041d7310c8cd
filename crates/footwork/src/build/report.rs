//! Report of a build, for people and pipelines.

use super::blend_space::BlendReport;
use super::clip_report::{ClipReport, ColumnReport, Skipped};
use super::glitches::Glitch;
use super::loops::LoopReport;
use super::multiply::Made;
use super::prune::Pruned;
use crate::roles::FoundBy;
use serde::Serialize;
use std::collections::BTreeMap;

/// Report of a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BuildReport {
    /// Captured and blended clips in the database (mirror images not counted).
    pub clips: Vec<ClipReport>,
    /// Clips left out, with the reason.
    pub skipped: Vec<Skipped>,
    /// Implausible motion in clips, and its treatment.
    pub glitches: Vec<Glitch>,
    /// Looping clips, and how each was closed.
    pub loops: Vec<LoopReport>,
    /// Clips that were made because the captured clips lack them.
    pub made: Made,
    /// Clips that blend spaces made.
    pub blends: Vec<BlendReport>,
    /// Motion that was left out because other clips contain it.
    pub pruned: Vec<Pruned>,
    /// Number of poses.
    pub frames: usize,
    /// Number of rows of the feature matrix, including stored mirror images.
    pub rows: usize,
    /// Number of columns of the feature matrix.
    pub columns: usize,
    /// Duration of the motion, in seconds.
    pub seconds: f64,
    /// Memory for features and poses, in bytes.
    pub bytes: usize,
    /// Poses per second.
    pub pose_rate_hz: f32,
    /// Rows per second.
    pub search_rate_hz: f32,
    /// Joint names by role.
    pub roles: BTreeMap<String, String>,
    /// Source of each role.
    pub role_sources: BTreeMap<String, RoleSource>,
    /// Source of the root motion.
    pub root: String,
    /// Contact joints.
    pub contact_joints: Vec<String>,
    /// Columns of the feature matrix.
    pub features: Vec<ColumnReport>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl BuildReport {
    /// Returns the names of the clips that were detected to be loops without a mark.
    pub fn loops_found(&self) -> Vec<&str> {
        self.loops.iter().filter(|l| l.found).map(|l| l.clip.as_str()).collect()
    }
}

/// Source of a role.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoleSource {
    /// Kind of evidence.
    pub found_by: FoundBy,
    /// Confidence, 0 to 1.
    pub confidence: f32,
}
