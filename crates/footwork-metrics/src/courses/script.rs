//! Scripted and random input, by name: the courses of `footwork simulate` and of the demo.

use super::RandomStick;
use crate::RATE_HZ;
use footwork::advanced::math::{cos, sin};
use footwork::advanced::trajectory::Simulation;
use footwork::input::{Gait, Goal, MotionInput, Path, Stick};
use footwork::math::Facing;
use glam::{Vec2, Vec3};
use std::f32::consts::{FRAC_PI_4, PI, TAU};

/// Time at which the standard course ends and random input begins, in seconds.
const STANDARD_S: f32 = 60.0;
/// Speed on the path of the standard course, in m/s.
const PATH_MPS: f32 = 1.75;

/// Input over time.
#[derive(Clone, Debug)]
pub enum Script {
    /// All kinds of motion once, then random input.
    Standard {
        /// Input after the script.
        random: RandomStick,
        /// Path, created when its part begins, from the position of the character.
        path: Option<Path>,
    },
    /// A random stick.
    Random(RandomStick),
    /// No input.
    Unsteered,
    /// One row per 1/60 s.
    Rows(Vec<Stick>),
}

/// The parts of the standard course: start in seconds, name.
const PARTS: [(f32, &str); 12] = [
    (0.0, "stand"),
    (3.0, "walk"),
    (9.0, "run"),
    (14.0, "curve left, running"),
    (20.0, "curve right, walking"),
    (26.0, "strafe in a circle"),
    (34.0, "turn back, walking"),
    (38.0, "turn back, running"),
    (42.0, "follow a path"),
    (56.0, "stop"),
    (STANDARD_S, "random stick"),
    (f32::INFINITY, ""),
];

impl Script {
    /// Names of the scripts.
    pub const NAMES: [&str; 3] = ["standard", "random", "none"];

    /// Returns the script of a name ([`Script::NAMES`]), from its beginning; `None` for other names. The same seed gives the same
    /// input.
    pub fn by_name(name: &str, seed: u64) -> Option<Self> {
        match name {
            "standard" => Some(Self::Standard { random: RandomStick::new(seed), path: None }),
            "random" => Some(Self::Random(RandomStick::new(seed))),
            "none" => Some(Self::Unsteered),
            _ => None,
        }
    }

    /// Returns the part of the course at a time, in seconds.
    pub fn part(&self, time_s: f32) -> &'static str {
        match self {
            Self::Standard { .. } => {
                let after = PARTS.partition_point(|(start, _)| *start <= time_s + 1e-4);
                PARTS[after - 1].1
            }
            Self::Random(_) => "random stick",
            Self::Unsteered => "unsteered",
            Self::Rows(_) => "course",
        }
    }

    /// Returns the input at a time, in seconds, for a character at `now`. Times must not decrease.
    pub fn input(&mut self, time_s: f32, now: &Simulation) -> MotionInput<'_> {
        let part = self.part(time_s);
        match self {
            Self::Standard { random, path } => {
                let since = time_s - PARTS.iter().find(|p| p.1 == part).map_or(0.0, |p| p.0);
                if part == "follow a path" {
                    let path = path.get_or_insert_with(|| path_from(now));
                    return MotionInput { goal: Goal::Path { path, speed_mps: PATH_MPS }, ..Default::default() };
                }
                MotionInput::stick(standard_stick(part, since, time_s, random))
            }
            Self::Random(random) => MotionInput::stick(random.at(time_s)),
            Self::Unsteered => MotionInput::default(),
            Self::Rows(rows) => {
                let row = ((time_s * RATE_HZ).round() as usize).min(rows.len().saturating_sub(1));
                MotionInput::stick(rows.get(row).copied().unwrap_or_default())
            }
        }
    }
}

fn standard_stick(part: &str, since_s: f32, time_s: f32, random: &mut RandomStick) -> Stick {
    let towards = |yaw: f32, gait| Stick::towards(Facing::from_yaw(yaw).direction(), gait);
    match part {
        "walk" => towards(0.0, Gait::Walk),
        "run" => towards(0.0, Gait::Run),
        // A sixth of a turn per second to the left, then half that rate to the right.
        "curve left, running" => towards(since_s * TAU / 6.0, Gait::Run),
        "curve right, walking" => towards(-since_s * TAU / 12.0, Gait::Walk),
        "strafe in a circle" => Stick { strafe: true, look: Vec2::Y, ..towards(since_s * TAU / 8.0, Gait::Walk) },
        "turn back, walking" => towards(if since_s < 2.0 { 0.0 } else { PI }, Gait::Walk),
        "turn back, running" => towards(if since_s < 2.0 { PI } else { 0.0 }, Gait::Run),
        "random stick" => random.at(time_s - STANDARD_S),
        _ => Stick::default(),
    }
}

/// Returns a winding path that starts at the position and facing of the character.
fn path_from(now: &Simulation) -> Path {
    let forward = now.facing.direction();
    let left = Vec3::new(forward.z, 0.0, -forward.x);
    let point = |k: usize| {
        let s = k as f32 * 0.25;
        now.position + forward * s + left * (2.0 * sin(s * FRAC_PI_4) * (1.0 - cos(s * 0.3)) * 0.5)
    };
    // The points are a quarter of a metre apart and therefore distinct: this cannot fail.
    Path::new((0..=80).map(point).collect(), false).unwrap_or_else(|_| unreachable!("80 points apart"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_course_names_its_parts() {
        let c = Script::by_name("standard", 1).unwrap();
        assert_eq!(
            [c.part(0.0), c.part(9.0), c.part(41.99), c.part(999.0)],
            ["stand", "run", "turn back, running", "random stick"]
        );
    }

    #[test]
    fn scripts_are_known_by_their_names() {
        assert!(Script::NAMES.iter().all(|name| Script::by_name(name, 1).is_some()));
        assert!(Script::by_name("walk", 1).is_none());
    }
}
