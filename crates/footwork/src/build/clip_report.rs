//! Report of a build on single clips and columns.

use serde::Serialize;

/// One clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipReport {
    /// Name.
    pub name: String,
    /// Number of poses.
    pub frames: usize,
    /// Number of rows.
    pub rows: usize,
    /// Number of rows whose trajectory extends beyond the clip.
    pub extrapolated_rows: usize,
    /// Duration, in seconds.
    pub seconds: f64,
    /// True if the clip loops.
    pub looping: bool,
    /// Mean speed of the root, m/s.
    pub mean_speed_mps: f32,
    /// `[contact joints]` share of frames in contact.
    pub contact_share: Vec<f32>,
    /// `[contact joints]` share of frames in which any part of this foot is planted, heel or toes.
    pub stance_share: Vec<f32>,
    /// `locomotion`, or another class (`fall`, `sit`, `low`, ..). Queries exclude other classes unless they request one of
    /// the clip's tags.
    pub taken_for: String,
    /// Reason for the classification: name, tags or motion.
    pub taken_because: String,
}

/// A clip that was left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skipped {
    /// Name.
    pub name: String,
    /// Reason.
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
