//! A clip of a robot.

use footwork::clip::Annotations;

/// A clip of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotClip {
    /// Name of the source clip.
    pub name: String,
    /// Frames per second.
    pub rate_hz: f64,
    /// `[frames x (7 + hinges)]` poses in MuJoCo's order (`qpos`): position (metres, +Z up) and rotation (w, x, y, z) of the
    /// root, then the hinges in radians. Rounded to six decimals.
    pub poses: Vec<f64>,
    /// `[frames]` contacts of the left and of the right foot.
    pub contacts: [Vec<bool>; 2],
    /// Annotations of the source, without contacts.
    pub annotations: Annotations,
    /// Whether the source is a loop.
    pub looping: bool,
}
