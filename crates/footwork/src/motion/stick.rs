//! Speeds and directions that the motion offers to a stick.

use crate::math::{Facing, lerp};
use crate::settings;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::f32::consts::FRAC_PI_4;

settings! {
    /// Speeds of a pace at full stick, by direction relative to the facing.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PaceConfig {
        /// Speed forward. Default: what the clips do.
        forward_mps: Option<f32>, in 0.0 to 100.0, unit "m/s";
        /// Speed sideways. Default: what the clips do.
        side_mps: Option<f32>, in 0.0 to 100.0, unit "m/s";
        /// Speed backward. Default: what the clips do.
        back_mps: Option<f32>, in 0.0 to 100.0, unit "m/s";
    }

    /// The `[matcher.speeds]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SpeedConfig {
        /// Speeds of a walk at full stick.
        walk: PaceConfig;
        /// Speeds of a run at full stick.
        run: PaceConfig;
    }
}

/// Speeds of a pace at full stick, m/s, by direction relative to the facing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaceSpeeds {
    /// Forward.
    pub forward_mps: f32,
    /// Sideways.
    pub side_mps: f32,
    /// Backward.
    pub back_mps: f32,
}

/// Meaning of a full stick: speeds, and the directions in which a body can move without facing them.
///
/// A build measures them in its clips. Values that the clips do not determine keep the default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StickSpeeds {
    /// Walking.
    pub walk: PaceSpeeds,
    /// Running.
    pub run: PaceSpeeds,
    /// Eighths of a turn, the first straight ahead, then to the left: true if clips move in about that direction. In other
    /// directions a strafing character turns to its direction of travel.
    pub goes: [bool; 8],
    /// Whether clips turn. If none does, only the root is turned.
    pub turns: bool,
}

impl Default for StickSpeeds {
    /// Returns speeds of an adult, in all directions.
    fn default() -> Self {
        Self {
            walk: PaceSpeeds { forward_mps: 1.75, side_mps: 1.5, back_mps: 1.25 },
            run: PaceSpeeds { forward_mps: 4.0, side_mps: 3.0, back_mps: 2.5 },
            goes: [true; 8],
            turns: true,
        }
    }
}

impl SpeedConfig {
    /// Returns the values set here, else those of `found`. A speed set sideways or backward implies that clips of it exist.
    pub fn over(&self, found: &StickSpeeds) -> StickSpeeds {
        let pace = |set: &PaceConfig, found: &PaceSpeeds| PaceSpeeds {
            forward_mps: set.forward_mps.unwrap_or(found.forward_mps),
            side_mps: set.side_mps.unwrap_or(found.side_mps),
            back_mps: set.back_mps.unwrap_or(found.back_mps),
        };
        let set = |p: &PaceConfig| p.side_mps.or(p.back_mps).is_some();
        let goes = if set(&self.walk) || set(&self.run) { [true; 8] } else { found.goes };
        StickSpeeds { walk: pace(&self.walk, &found.walk), run: pace(&self.run, &found.run), goes, ..*found }
    }
}

impl StickSpeeds {
    /// Returns the world velocity of a full or partial stick: `direction` (world, length up to 1) scaled by the speeds of its
    /// direction relative to `facing`, between walk (`gait` 0) and run (1).
    pub fn velocity(&self, direction: Vec3, facing: Facing, gait: f32) -> Vec3 {
        let length = direction.length();
        let direction = if length > 1.0 { direction / length } else { direction };
        let forward = facing.direction();
        let left = Vec3::new(forward.z, 0.0, -forward.x);
        let (z, x) = (direction.dot(forward), direction.dot(left));
        let blend = |f: fn(&PaceSpeeds) -> f32| lerp(f(&self.walk), f(&self.run), gait);
        let along = if z > 0.0 { blend(|s| s.forward_mps) } else { blend(|s| s.back_mps) };
        forward * (z * along) + left * (x * blend(|s| s.side_mps))
    }

    /// Returns whether a body that faces `facing` can move in a direction.
    pub fn goes(&self, facing: Facing, direction: Facing) -> bool {
        let eighth = facing.angle_to(direction) / FRAC_PI_4;
        self.goes[(eighth.round() as i32).rem_euclid(8) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_depend_on_the_direction_relative_to_the_facing() {
        let facing = Facing::from_yaw(0.4);
        let speed = |deg: f32, gait| {
            StickSpeeds::default().velocity(facing.turned(deg.to_radians()).direction(), facing, gait).length()
        };
        for (deg, walk, run) in [(0.0, 1.75, 4.0), (90.0, 1.5, 3.0), (-90.0, 1.5, 3.0), (180.0, 1.25, 2.5)] {
            assert!((speed(deg, 0.0) - walk).abs() < 1e-4 && (speed(deg, 1.0) - run).abs() < 1e-4);
        }
    }

    #[test]
    fn who_sets_a_speed_sideways_has_clips_of_it() {
        let found = StickSpeeds { goes: std::array::from_fn(|k| k == 0), turns: false, ..StickSpeeds::default() };
        assert_eq!(SpeedConfig::default().over(&found), found);
        let set = SpeedConfig { walk: PaceConfig { side_mps: Some(1.0), ..Default::default() }, ..Default::default() };
        let over = set.over(&found);
        assert_eq!((over.goes, over.walk.side_mps, over.walk.back_mps), ([true; 8], 1.0, 1.25));
        assert!(!over.turns);
    }
}
