//! Report of a retargeted clip.

use serde::Serialize;

/// Report of a retargeted clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RetargetReport {
    /// Clip name.
    pub clip: String,
    /// Number of frames.
    pub frames: usize,
    /// Length of the target's legs relative to the source's.
    pub scale: f32,
    /// Number of contacts of both feet.
    pub plants: usize,
    /// Mean horizontal speed of planted feet in the source, in cm/s.
    pub skate_source_cm_s: f32,
    /// The same speed in the result before feet were planted, in cm/s.
    pub skate_unplanted_cm_s: f32,
    /// The same speed in the result, in cm/s.
    pub skate_cm_s: f32,
    /// Maximum angle between the directions of a joint in the source and in the result, in degrees. The directions in the
    /// standing poses of both bodies count as equal.
    pub worst_direction_deg: f32,
    /// Name of the target's joint with this angle.
    pub worst_direction_joint: String,
    /// Index of the frame with this angle.
    pub worst_direction_frame: usize,
    /// Median angle over all joints and frames, in degrees.
    pub median_direction_deg: f32,
    /// Number of frames, over both legs, in which the leg is straight although the source's is not: it would have to reach
    /// further.
    pub knee_limit_frames: usize,
    /// Number of frames, over both legs, in which the knee bends backward by more than 3 degrees.
    pub knee_hyperextended_frames: usize,
    /// Maximum deviation of a planted foot from its target height, in cm.
    pub foot_height_error_cm: f32,
    /// Maximum depth of a toe below the height of the source's toes, in cm.
    pub toe_under_ground_cm: f32,
    /// Limitations of the result.
    pub notes: Vec<String>,
}
