//! Scripted and random input: the same for every character that is to be compared.

use anyhow::{Context, Result, bail};
use footwork::math::{Facing, cos, sin};
use footwork::trajectory::{Gait, Goal, MotionInput, Path, Simulation, Stick};
use glam::{Vec2, Vec3};
use std::f32::consts::{FRAC_PI_4, PI, TAU};

/// Rows of a CSV course per second.
const CSV_HZ: f32 = 60.0;
/// Where the standard course ends and random input begins, seconds.
const STANDARD_S: f32 = 60.0;
/// Speed on the standard course's path, m/s.
const PATH_MPS: f32 = 1.75;

/// What to ask of a character when.
#[derive(Debug)]
pub enum Course {
    /// Every kind of motion once, then random.
    Standard {
        /// What comes after.
        random: RandomStick,
        /// Made when its part begins, from where the character then is.
        path: Option<Path>,
    },
    /// A random stick.
    Random(RandomStick),
    /// Nobody steers.
    Unsteered,
    /// Rows of a file.
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

impl Course {
    /// By name or file; see `footwork simulate --help`.
    pub fn parse(name: &str, seed: u64) -> Result<Self> {
        match name {
            "standard" => Ok(Self::Standard { random: RandomStick::new(seed), path: None }),
            "random" => Ok(Self::Random(RandomStick::new(seed))),
            "none" => Ok(Self::Unsteered),
            file if file.contains('.') || file.contains('/') => {
                let text = std::fs::read_to_string(file).with_context(|| format!("cannot read the course {file}"))?;
                Ok(Self::Rows(parse_csv(&text).with_context(|| format!("course {file}"))?))
            }
            other => bail!("no course is named `{other}`: expected standard, random, none, or a CSV file"),
        }
    }

    /// The part of the course at a time.
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

    /// Input at a time for a character that is at `now`. Times must not go back.
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
                let row = ((time_s * CSV_HZ).round() as usize).min(rows.len() - 1);
                MotionInput::stick(rows[row])
            }
        }
    }
}

fn standard_stick(part: &str, since_s: f32, time_s: f32, random: &mut RandomStick) -> Stick {
    let towards = |yaw: f32, gait| Stick::towards(Facing::from_yaw(yaw).direction(), gait);
    match part {
        "walk" => towards(0.0, Gait::Walk),
        "run" => towards(0.0, Gait::Run),
        // A sixth of a turn per second, then back at half of that.
        "curve left, running" => towards(since_s * TAU / 6.0, Gait::Run),
        "curve right, walking" => towards(-since_s * TAU / 12.0, Gait::Walk),
        "strafe in a circle" => Stick { strafe: true, look: Vec2::Y, ..towards(since_s * TAU / 8.0, Gait::Walk) },
        "turn back, walking" => towards(if since_s < 2.0 { 0.0 } else { PI }, Gait::Walk),
        "turn back, running" => towards(if since_s < 2.0 { PI } else { 0.0 }, Gait::Run),
        "random stick" => random.at(time_s - STANDARD_S),
        _ => Stick::default(),
    }
}

/// A winding path that starts where the character is and faces.
fn path_from(now: &Simulation) -> Path {
    let forward = now.facing.direction();
    let left = Vec3::new(forward.z, 0.0, -forward.x);
    let point = |k: usize| {
        let s = k as f32 * 0.25;
        now.position + forward * s + left * (2.0 * sin(s * FRAC_PI_4) * (1.0 - cos(s * 0.3)) * 0.5)
    };
    // Points a quarter of a metre apart are never one point: this cannot fail.
    Path::new((0..=80).map(point).collect(), false).unwrap_or_else(|_| unreachable!("80 points apart"))
}

/// Segments of 0.5 to 2 s: a third idle, a third walk, a third run, in any direction; a fifth of them strafing.
#[derive(Debug)]
pub struct RandomStick {
    seed: u64,
    now: Stick,
    until_s: f32,
}

impl RandomStick {
    /// The same seed gives the same stick.
    pub fn new(seed: u64) -> Self {
        Self { seed, now: Stick::default(), until_s: 0.0 }
    }

    /// splitmix64 as a number of 0 to 1.
    fn unit(&mut self) -> f32 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }

    /// The stick at a time; times must not go back.
    pub fn at(&mut self, time_s: f32) -> Stick {
        while time_s + 1e-4 >= self.until_s {
            let [length, gait, direction, strafe, look] = std::array::from_fn(|_| self.unit());
            self.until_s += ((0.5 + 1.5 * length) * CSV_HZ).round() / CSV_HZ;
            let movement = Facing::from_yaw(direction * TAU).direction();
            let look = Facing::from_yaw(look * TAU);
            let gait = (gait * 3.0) as u32;
            self.now = Stick {
                strafe: strafe < 0.2,
                look: Vec2::new(-look.x, look.z),
                ..Stick::towards(
                    if gait == 0 { Vec3::ZERO } else { movement },
                    if gait == 2 { Gait::Run } else { Gait::Walk },
                )
            };
        }
        self.now
    }
}

/// Rows `lx,lz,rx,rz,strafe,walk` under a header of these names: sticks as world directions.
fn parse_csv(text: &str) -> Result<Vec<Stick>> {
    const HEADER: &str = "lx,lz,rx,rz,strafe,walk";
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, l)| l.trim());
    if header != HEADER {
        bail!("line 1: expected the header `{HEADER}`, found `{header}`");
    }
    let mut rows = Vec::new();
    for (i, line) in lines.filter(|(_, l)| !l.trim().is_empty()) {
        let values: Result<Vec<f32>, _> = line.split(',').map(|v| v.trim().parse::<f32>()).collect();
        let values = values.ok().filter(|v| v.len() == 6 && v.iter().all(|x| x.is_finite()));
        let Some(v) = values else { bail!("line {}: expected 6 numbers, found `{line}`", i + 1) };
        let gait = if v[5] > 0.5 { Gait::Walk } else { Gait::Run };
        rows.push(Stick {
            look: Vec2::new(-v[2], v[3]),
            strafe: v[4] > 0.5,
            ..Stick::towards(Vec3::new(v[0], 0.0, v[1]), gait)
        });
    }
    if rows.is_empty() {
        bail!("no rows under the header");
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stick_at_any_frame_rate() {
        let at = |hz: usize| {
            let mut s = RandomStick::new(7);
            (0..20 * hz)
                .map(|i| (i, s.at(i as f32 / hz as f32)))
                .filter(|(i, _)| i % (hz / 30) == 0)
                .map(|(_, s)| s)
                .collect::<Vec<_>>()
        };
        assert_eq!(at(30), at(60));
        assert_ne!(RandomStick::new(8).at(0.0), RandomStick::new(7).at(0.0));
    }

    #[test]
    fn the_standard_course_names_its_parts() {
        let c = Course::parse("standard", 1).unwrap();
        assert_eq!(
            [c.part(0.0), c.part(9.0), c.part(41.99), c.part(999.0)],
            ["stand", "run", "turn back, running", "random stick"]
        );
    }

    #[test]
    fn csv_courses_say_where_they_are_wrong() {
        let ok = parse_csv("lx,lz,rx,rz,strafe,walk\n0,1,0,0,0,1\n1,0,0,1,1,0\n").unwrap();
        assert_eq!(ok[0], Stick::towards(Vec3::Z, Gait::Walk));
        assert!(ok[1].strafe && ok[1].gait == Gait::Run && ok[1].look == Vec2::Y);
        for (text, what) in [
            ("", "header"),
            ("lx,lz\n0,1", "header"),
            ("lx,lz,rx,rz,strafe,walk\n", "no rows"),
            ("lx,lz,rx,rz,strafe,walk\n0,1,0,0,0\n", "line 2"),
            ("lx,lz,rx,rz,strafe,walk\n0,1,0,0,0,1\n0,NaN,0,0,0,1\n", "line 3"),
        ] {
            assert!(parse_csv(text).unwrap_err().to_string().contains(what), "{text}");
        }
        assert!(Course::parse("walk", 1).unwrap_err().to_string().contains("standard, random"));
    }
}
