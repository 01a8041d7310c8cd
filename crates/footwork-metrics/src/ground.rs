//! Grounds with names. A recording stores the name of such a ground instead of the sampled ground.

use footwork::advanced::math::{cos, sin, tan};
use footwork::input::GroundPoint;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;

/// Start of slope and stairs, in metres along +Z.
const START_M: f32 = 3.0;
/// Slope: angle in radians, and length in metres.
const SLOPE_RAD: f32 = PI / 12.0;
const SLOPE_M: f32 = 10.0;
/// Stairs: number of steps, and height and depth of a step in metres.
const STEPS: f32 = 20.0;
const RISE_M: f32 = 0.17;
const TREAD_M: f32 = 0.4;
/// Rubble: half of its height in metres, and radians per metre along x and z.
const HALF_M: f32 = 0.08;
const WAVES: [f32; 2] = [1.7, 2.3];

/// Grounds that are identified by their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroundKind {
    /// Level plane.
    #[default]
    Level,
    /// Ramp of 15 degrees, 10 m long, that begins 3 m ahead along +Z.
    Slope,
    /// Twenty steps, 17 cm high and 40 cm deep, that begin 3 m ahead along +Z.
    Stairs,
    /// Bumps of up to 16 cm.
    Rubble,
}

impl GroundKind {
    /// All grounds.
    pub const ALL: [Self; 4] = [Self::Level, Self::Slope, Self::Stairs, Self::Rubble];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Level => "level",
            Self::Slope => "slope",
            Self::Stairs => "stairs",
            Self::Rubble => "rubble",
        }
    }

    /// Returns the ground with a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// True for the level plane.
    pub fn is_level(&self) -> bool {
        *self == Self::Level
    }

    /// Returns the ground at a point (world, metres).
    pub fn at(self, at: Vec3) -> GroundPoint {
        let z = at.z - START_M;
        match self {
            Self::Level => GroundPoint::default(),
            Self::Slope => {
                let grade = tan(SLOPE_RAD);
                let on = (0.0..SLOPE_M).contains(&z);
                let normal = if on { Vec3::new(0.0, 1.0, -grade).normalize() } else { Vec3::Y };
                GroundPoint { height_m: z.clamp(0.0, SLOPE_M) * grade, normal, ..GroundPoint::default() }
            }
            Self::Stairs => {
                let height_m = (z / TREAD_M).ceil().clamp(0.0, STEPS) * RISE_M;
                GroundPoint { height_m, ..GroundPoint::default() }
            }
            Self::Rubble => {
                let [x, z] = [at.x * WAVES[0], at.z * WAVES[1]];
                let (along_x, along_z) = (cos(x) * cos(z) * WAVES[0], -sin(x) * sin(z) * WAVES[1]);
                let normal = Vec3::new(-HALF_M * along_x, 1.0, -HALF_M * along_z).normalize();
                GroundPoint { height_m: HALF_M * sin(x) * cos(z), normal, ..GroundPoint::default() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ground_is_found_by_its_name() {
        for kind in GroundKind::ALL {
            assert_eq!(GroundKind::by_name(kind.name()), Some(kind));
            assert_eq!(toml::Value::try_from(kind).unwrap().as_str(), Some(kind.name()));
        }
        assert_eq!(GroundKind::by_name("lava"), None);
    }

    #[test]
    fn normals_stand_on_their_ground() {
        for kind in [GroundKind::Slope, GroundKind::Rubble] {
            for at in [Vec3::new(0.3, 0.0, 4.2), Vec3::new(-1.1, 0.0, 7.7)] {
                let height = |x: f32, z: f32| kind.at(at + Vec3::new(x, 0.0, z)).height_m;
                let e = 1e-2;
                let rise =
                    Vec3::new(height(e, 0.0) - height(-e, 0.0), 0.0, height(0.0, e) - height(0.0, -e)) / (2.0 * e);
                let n = kind.at(at).normal;
                assert!((n - Vec3::new(-rise.x, 1.0, -rise.z).normalize()).length() < 1e-3, "{kind:?} {n} {rise}");
            }
        }
    }
}
