//! Appearance of the mannequin.

use super::error::GlbError;

/// Appearance of the mannequin. Lengths apply to an adult; they scale with the size of the skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbOptions {
    /// Radius over length of a bone whose name does not identify a body part. Range: above 0. Default: 0.18, which suits limbs.
    pub radius_per_length: f32,
    /// Smallest radius, in metres. Range: above 0. Default: 0.02, which keeps fingers visible.
    pub min_radius_m: f32,
    /// Largest radius, in metres. Range: at least `min_radius_m`. Default: 0.09, which keeps long bones slim.
    pub max_radius_m: f32,
    /// Corners of a capsule's cross-section. Range: 3 to 64. Default: 14, which looks round at arm's length with under 5000
    /// vertices in all.
    pub corners: usize,
    /// Linear RGB colour of the left side. Range: 0 to 1. Default: a warm colour, so that a mirrored character is easy to see.
    pub left_rgb: [f32; 3],
    /// Linear RGB colour of the right side. Range: 0 to 1. Default: a cool colour.
    pub right_rgb: [f32; 3],
    /// Linear RGB colour of the rest. Range: 0 to 1. Default: grey.
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
