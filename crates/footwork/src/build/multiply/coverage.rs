//! Coverage of commands by the captured clips.

use super::route::{LEAD_S, Route};
use crate::build::track::Track;
use crate::math::Facing;
use glam::Vec3;

/// Times after the change at which paths are compared, in seconds.
const AT_S: [f32; 3] = [0.33, 0.67, 1.0];
/// Maximum distance between the path of a clip and the commanded path, in metres and as a share of the displacement.
const NEAR_M: f32 = 0.15;
const NEAR_SHARE: f32 = 0.15;
/// Maximum difference in facing, in radians.
const NEAR_RAD: f32 = 0.35;
/// Maximum difference in initial velocity, in m/s and as a share of the speed.
const NEAR_MPS: f32 = 0.3;
const NEAR_SPEED: f32 = 0.2;
/// Share of all these tolerances that applies to steady routes.
const STEADY: f32 = 0.3;
/// Interval between compared captured poses, in seconds.
const EVERY_S: f32 = 0.1;

/// A frame and the following path, relative to the root in that frame.
#[derive(Clone, Debug)]
struct Way {
    velocity_mps: Vec3,
    at: [Vec3; 3],
    facing: [Facing; 3],
}

/// Paths of all captured clips.
#[derive(Clone, Debug, Default)]
pub struct Captured(Vec<Way>);

impl Captured {
    pub fn of(tracks: &[&Track]) -> Self {
        let mut ways = Vec::new();
        for track in tracks {
            let frame = |s: f32| (s * track.rate_hz).round() as usize;
            for f in (0..track.starts_before(frame(1.0) + 1)).step_by(frame(EVERY_S).max(1)) {
                let here = track.root_ahead(f);
                let seen = AT_S.map(|s| here.inverse() * track.root_ahead(f + frame(s)));
                ways.push(Way {
                    velocity_mps: (here.inverse() * track.root_ahead(f + 1)).translation * track.rate_hz,
                    at: seen.map(|t| t.translation),
                    facing: seen.map(|t| Facing::from_rotation(t.rotation)),
                });
            }
        }
        Self(ways)
    }

    /// Returns true if a clip follows a route. `steady`: the route continues like this for long, so that small errors add
    /// up.
    pub fn answers(&self, route: &Route, steady: bool) -> bool {
        let share = if steady { STEADY } else { 1.0 };
        let here = route.at(LEAD_S);
        let seen = AT_S.map(|s| here.inverse() * route.at(LEAD_S + s));
        let velocity = route.velocity_in_root(LEAD_S);
        self.0.iter().any(|way| {
            (way.velocity_mps - velocity).length() < share * (NEAR_MPS + NEAR_SPEED * velocity.length())
                && seen.iter().zip(way.at.iter().zip(&way.facing)).all(|(asked, (at, facing))| {
                    (asked.translation - *at).length() < share * (NEAR_M + NEAR_SHARE * asked.translation.length())
                        && Facing::from_rotation(asked.rotation).angle_to(*facing).abs() < share * NEAR_RAD
                })
        })
    }
}
