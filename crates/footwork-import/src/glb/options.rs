//! How the mannequin looks.

use super::error::GlbError;

/// How the mannequin looks. Lengths hold for an adult; the mannequin of a smaller or larger skeleton scales them.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbOptions {
    /// Radius over length of a bone whose name tells no body part, above 0. Default 0.18: limbs look like limbs.
    pub radius_per_length: f32,
    /// Smallest radius in metres, above 0. Default 0.02: fingers stay visible.
    pub min_radius_m: f32,
    /// Largest radius in metres, at least the smallest. Default 0.09: long bones stay slim.
    pub max_radius_m: f32,
    /// Corners of a capsule's cross-section, 3 to 64. Default 14: round at arm's length, under 5000 vertices in all.
    pub corners: usize,
    /// Linear RGB of the left side, 0 to 1. Default warm, so that a flipped character is seen at once.
    pub left_rgb: [f32; 3],
    /// Linear RGB of the right side, 0 to 1. Default cool.
    pub right_rgb: [f32; 3],
    /// Linear RGB of the rest, 0 to 1. Default grey.
    pub centre_rgb: [f32; 3],
}

impl Default for GlbOptions {
    fn default() -> Self {
        Self {
            radius_per_length: 0.18,
            min_radius_m: 0.02,
            max_radius_m: 0.09,
            corners: 14,
            left_rgb: [0.80, 0.28, 0.08],
            right_rgb: [0.07, 0.30, 0.70],
            centre_rgb: [0.42, 0.42, 0.44],
        }
    }
}

impl GlbOptions {
    pub(super) fn validate(&self) -> Result<(), GlbError> {
        let refuse = |option, got, expected| Err(GlbError::Option { option, got, expected });
        for (option, v) in [
            ("radius_per_length", self.radius_per_length),
            ("min_radius_m", self.min_radius_m),
            ("max_radius_m", self.max_radius_m),
        ] {
            if !(v.is_finite() && v > 0.0) {
                return refuse(option, v, "a number above 0");
            }
        }
        if self.max_radius_m < self.min_radius_m {
            return refuse("max_radius_m", self.max_radius_m, "at least `min_radius_m`");
        }
        if !(3..=64).contains(&self.corners) {
            return refuse("corners", self.corners as f32, "3 to 64");
        }
        for (option, rgb) in
            [("left_rgb", self.left_rgb), ("right_rgb", self.right_rgb), ("centre_rgb", self.centre_rgb)]
        {
            if let Some(v) = rgb.into_iter().find(|v| !(0.0..=1.0).contains(v)) {
                return refuse(option, v, "0 to 1");
            }
        }
        Ok(())
    }
}
