//! What a build did, for people and pipelines.

use super::blend_space::BlendReport;
use super::glitches::Glitch;
use super::loops::LoopReport;
use super::multiply::Made;
use super::prune::Pruned;
use crate::roles::FoundBy;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a build did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BuildReport {
    /// Captured and blended clips in the database (mirror images not counted).
    pub clips: Vec<ClipReport>,
    /// Clips left out, and why.
    pub skipped: Vec<Skipped>,
    /// Where clips move as no body does, and what was done about it.
    pub glitches: Vec<Glitch>,
    /// Clips that go round, and what was done about their seams.
    pub loops: Vec<LoopReport>,
    /// Clips that were made because the captured ones lack them.
    pub made: Made,
    /// Clips that blend spaces have made.
    pub blends: Vec<BlendReport>,
    /// What other clips show as well and was left out.
    pub pruned: Vec<Pruned>,
    /// Poses.
    pub frames: usize,
    /// Rows of the feature matrix, stored mirror images included.
    pub rows: usize,
    /// Columns of the feature matrix.
    pub columns: usize,
    /// Seconds of motion.
    pub seconds: f64,
    /// Bytes of features and poses in memory.
    pub bytes: usize,
    /// Poses per second.
    pub pose_rate_hz: f32,
    /// Rows per second.
    pub search_rate_hz: f32,
    /// Joints by role.
    pub roles: BTreeMap<String, String>,
    /// How each role was found.
    pub role_sources: BTreeMap<String, RoleSource>,
    /// How the root came about.
    pub root: String,
    /// Contact joints.
    pub contact_joints: Vec<String>,
    /// Column by column.
    pub features: Vec<ColumnReport>,
    /// Things a person should look at.
    pub warnings: Vec<String>,
}

impl BuildReport {
    /// Names of the clips that were found to be loops though nobody said so.
    pub fn loops_found(&self) -> Vec<&str> {
        self.loops.iter().filter(|l| l.found).map(|l| l.clip.as_str()).collect()
    }
}

/// How a role was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoleSource {
    /// By what.
    pub found_by: FoundBy,
    /// How sure that is, 0 to 1.
    pub confidence: f32,
}

/// One clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipReport {
    /// Name.
    pub name: String,
    /// Poses.
    pub frames: usize,
    /// Rows.
    pub rows: usize,
    /// Rows whose trajectory runs beyond the clip.
    pub extrapolated_rows: usize,
    /// Seconds.
    pub seconds: f64,
    /// Whether it loops.
    pub looping: bool,
    /// Mean speed of the root, m/s.
    pub mean_speed_mps: f32,
    /// `[contact joints]` share of frames in contact.
    pub contact_share: Vec<f32>,
    /// `[contact joints]` share of frames in which any part of this foot carries, heel or toes.
    pub stance_share: Vec<f32>,
    /// `locomotion`, or what else the clip shows (`fall`, `sit`, `low`, ..): queries leave that out unless they ask for a tag
    /// of it.
    pub taken_for: String,
    /// What tells: its name, its tags, or its motion.
    pub taken_because: String,
}

/// A clip that was left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skipped {
    /// Name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// One column of the feature matrix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnReport {
    /// Name.
    pub label: String,
    /// Raw value that is stored as 0.
    pub offset: f32,
    /// Raw difference that is stored as 1.
    pub scale: f32,
}
