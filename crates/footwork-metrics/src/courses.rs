//! Scripted input for comparing characters: eleven courses, one row per 1/60 s.
//!
//! | course | seconds | what |
//! |---|---|---|
//! | a | 20 | straight ahead, walking, then running |
//! | b | 60 | turns of 90 degrees every 3 s |
//! | c | 60 | back and forth: turns of 180 degrees every 3 s |
//! | d | 60 | starts and stops every 3 s |
//! | e | 30 | strafing in circles, facing +Z |
//! | f | 600 | a random stick |
//! | g | 545 | 200 random starts and stops: any direction, walking or running, any phase of the stride |
//! | h | 560 | 40 steady commands of 12 s: eight directions, eight directions strafing, circles of 30 and 60 degrees per second |
//! | i | 24 | walking up stairs, turning back, and down |
//! | j | 24 | walking up a slope, turning back, and down |
//! | k | 180 | a stick that is partly pushed, and turns slowly |
//!
//! Stick directions are in world space; a stick is either full or zero, but on course k.

mod cues;
mod random_stick;
mod script;
mod stick;
mod table;

pub use cues::{Column, Cue, Cues};
pub use random_stick::RandomStick;
pub use script::Script;
pub use table::{CourseError, CourseTable, parse_csv};

use crate::RATE_HZ;
use crate::ground::GroundKind;
use footwork::advanced::math::Random;
use footwork::input::{Gait, Stick};
use glam::Vec2;
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use stick::{gait, towards};

/// Names of the courses.
pub const COURSES: [&str; 11] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];

/// Titles of the courses of [`COURSES`].
pub const TITLES: [&str; 11] = [
    "straight ahead",
    "turns of 90 degrees",
    "turning back",
    "starts and stops",
    "strafing in circles",
    "random stick, 10 minutes",
    "200 random starts and stops",
    "40 steady commands",
    "stairs, up and down",
    "slope, up and down",
    "a stick partly pushed and slowly turned",
];

/// Seed of courses f, g and k in the first run.
const SEED: u64 = 20_261_121;
/// Rows between the commands of courses b, c and d.
const SEGMENT: usize = 180;

/// Rows per circle in course e.
const CIRCLE: usize = 360;
/// Rows uphill in courses i and j.
const UPHILL: usize = 720;
/// Starts and stops of course g.
const RANDOM_COMMANDS: usize = 200;
/// Length of course k in rows.
const GENTLE: usize = 180 * 60;
/// Duration of a part of course k with one gait and one turn rate, in seconds.
const PART_S: [f32; 2] = [4.0, 8.0];
/// Share by which the stick of course k is pushed, and its largest turn rate in radians per second.
const PUSHED: [f32; 2] = [0.25, 1.0];
const TURNS_RADPS: f32 = PI / 9.0;

/// A course.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// One of [`COURSES`].
    pub name: &'static str,
    /// One row per 1/60 s.
    pub rows: Vec<Stick>,
    /// Commands whose response is timed, in order.
    pub commands: Vec<Command>,
    /// Rows in which a character should have settled, in order.
    pub steady: Vec<Steady>,
    /// The ground.
    pub ground: GroundKind,
}

/// Rows of a constant command, without its first 2 s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// The rows.
    pub rows: std::ops::Range<usize>,
    /// True for a stick that turns at a constant rate.
    pub circle: bool,
}

/// A change of the stick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The first row with the new stick.
    pub row: usize,
    /// Kind of the change.
    pub kind: CommandKind,
}

/// Kind of change that a command makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommandKind {
    /// The direction, by 90 degrees.
    Turn90,
    /// The direction, by 180 degrees.
    Turn180,
    /// From zero to full.
    Start,
    /// From full to zero.
    Stop,
    /// From zero to full, at a random time in a random direction.
    RandomStart,
    /// From full to zero, at a random time.
    RandomStop,
}

/// A repetition of all courses with other random numbers and other phases between input and search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Seed of courses f, g and k.
    pub seed: u64,
    /// Rows inserted before courses a to e.
    pub shift: usize,
}

impl Run {
    /// Run number `index`, from 0.
    pub fn new(index: usize) -> Self {
        // The published runs have these seeds; offset 1 is not used.
        let seed = SEED + if index == 0 { 0 } else { index as u64 + 1 };
        Self { seed, shift: 17 * index }
    }
}

impl Course {
    /// Creates a course on level ground, without commands to be timed.
    pub fn on_level(name: &'static str, rows: Vec<Stick>) -> Self {
        Self { name, rows, commands: Vec::new(), steady: Vec::new(), ground: GroundKind::Level }
    }
}

/// Returns a course by its name; `None` for an unknown name.
pub fn course(name: &str, run: Run) -> Option<Course> {
    let name = COURSES.into_iter().find(|n| *n == name)?;
    let mut course = Course::on_level(name, Vec::new());
    match name {
        "a" => course.rows.extend((0..1200).map(|k| towards(0.0, gait(k < 600)))),
        "b" => turns(&mut course, CommandKind::Turn90),
        "c" => turns(&mut course, CommandKind::Turn180),
        "d" => starts_and_stops(&mut course),
        "e" => course.rows.extend((0..1800).map(|k| {
            let stick = towards(TAU * (k % CIRCLE) as f32 / CIRCLE as f32, gait(k < 1080));
            Stick { strafe: true, look: Vec2::Y, ..stick }
        })),
        "g" => {
            random_starts_and_stops(&mut course, run.seed);
            return Some(course);
        }
        "h" => {
            steady_commands(&mut course);
            return Some(course);
        }
        "k" => {
            gentle_stick(&mut course, run.seed);
            return Some(course);
        }
        "i" | "j" => {
            course.ground = if name == "i" { GroundKind::Stairs } else { GroundKind::Slope };
            course.rows.extend((0..2 * UPHILL).map(|k| towards(if k < UPHILL { 0.0 } else { PI }, Gait::Walk)));
            return Some(course);
        }
        _ => {
            let mut random = RandomStick::new(run.seed);
            course.rows.extend((0..36_000).map(|k| random.at_row(k)));
            return Some(course);
        }
    }
    let first = course.rows[0];
    course.rows.splice(0..0, std::iter::repeat_n(first, run.shift));
    for command in &mut course.commands {
        command.row += run.shift;
    }
    Some(course)
}

/// 20 segments; at the 11th, only the gait changes, from walking to running.
fn turns(course: &mut Course, kind: CommandKind) {
    let mut yaw_rad = 0.0;
    let mut turn = 0;
    for k in 0..20 {
        if k != 0 && k != 10 {
            yaw_rad += match kind {
                CommandKind::Turn90 => [FRAC_PI_2, FRAC_PI_2, -FRAC_PI_2, -FRAC_PI_2][turn % 4],
                _ => [PI, -PI][turn % 2],
            };
            turn += 1;
            course.commands.push(Command { row: k * SEGMENT, kind });
        }
        course.rows.extend([towards(yaw_rad, gait(k < 10)); SEGMENT]);
    }
}

fn starts_and_stops(course: &mut Course) {
    for k in 0..20 {
        let gait = gait((k / 2) % 2 == 0);
        let (stick, kind) = match k % 2 {
            0 => (Stick { gait, ..Stick::default() }, CommandKind::Stop),
            _ => (towards(0.0, gait), CommandKind::Start),
        };
        if k > 0 {
            course.commands.push(Command { row: k * SEGMENT, kind });
        }
        course.rows.extend([stick; SEGMENT]);
    }
}

/// Zero and full sticks alternate, each for 2.2 to 3.2 s, long enough for the response.
fn random_starts_and_stops(course: &mut Course, seed: u64) {
    let mut random = Random(seed);
    for k in 0..=RANDOM_COMMANDS {
        let [length, direction, speed] = std::array::from_fn(|_| random.unit_f64());
        let gait = gait(speed < 0.5);
        let (stick, kind) = match k % 2 {
            0 => (Stick { gait, ..Stick::default() }, CommandKind::RandomStop),
            _ => (towards((direction * std::f64::consts::TAU) as f32, gait), CommandKind::RandomStart),
        };
        if k > 0 {
            course.commands.push(Command { row: course.rows.len(), kind });
        }
        let rows = ((2.2 + length) * f64::from(RATE_HZ)).round() as usize;
        course.rows.extend(std::iter::repeat_n(stick, rows));
    }
}

/// Each command follows 2 s straight ahead, and lasts for 12 s.
fn steady_commands(course: &mut Course) {
    let seconds = |s: usize| s * RATE_HZ as usize;
    let mut add = |gait: Gait, circle: bool, stick: &dyn Fn(f32) -> Stick| {
        course.rows.extend(std::iter::repeat_n(towards(0.0, gait), seconds(2)));
        let first = course.rows.len();
        course.rows.extend((0..seconds(12)).map(|k| stick(k as f32 / RATE_HZ)));
        course.steady.push(Steady { rows: first + seconds(2)..course.rows.len(), circle });
    };
    for gait in [Gait::Walk, Gait::Run] {
        for eighth in 0..8 {
            let ahead = towards(eighth as f32 * TAU / 8.0, gait);
            add(gait, false, &|_| ahead);
            add(gait, false, &|_| Stick { strafe: true, look: Vec2::Y, ..ahead });
        }
        for turn_radps in [-PI / 3.0, -PI / 6.0, PI / 6.0, PI / 3.0] {
            add(gait, true, &|time_s| towards(turn_radps * time_s, gait));
        }
    }
}

/// Parts of 4 to 8 s. Over each, the share by which the stick is pushed changes evenly to another one, and its direction turns at a
/// constant rate. The gait changes between parts.
fn gentle_stick(course: &mut Course, seed: u64) {
    let mut random = Random(seed);
    let (mut yaw_rad, mut pushed) = (0.0, PUSHED[1]);
    while course.rows.len() < GENTLE {
        let rows = (random.between(PART_S[0], PART_S[1]) * RATE_HZ).round() as usize;
        let (goal, turn_radps) = (random.between(PUSHED[0], PUSHED[1]), random.between(-TURNS_RADPS, TURNS_RADPS));
        let gait = gait(random.unit() < 0.5);
        let from = pushed;
        for row in 1..=rows.min(GENTLE - course.rows.len()) {
            pushed = from + (goal - from) * (row as f32 / rows as f32);
            yaw_rad += turn_radps / RATE_HZ;
            let full = towards(yaw_rad, gait);
            course.rows.push(Stick { movement: full.movement * pushed, ..full });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_where_the_stick_changes() {
        let count = |c: &Course, kind| c.commands.iter().filter(|c| c.kind == kind).count();
        for index in 0..4 {
            let of = |name| course(name, Run::new(index)).unwrap();
            let (b, c, d) = (of("b"), of("c"), of("d"));
            assert_eq!(count(&b, CommandKind::Turn90), 18);
            assert_eq!(count(&c, CommandKind::Turn180), 18);
            assert_eq!((count(&d, CommandKind::Start), count(&d, CommandKind::Stop)), (10, 9));
            for course in [b, c, d] {
                assert_eq!(course.rows.len(), 3600 + 17 * index);
                for command in &course.commands {
                    let [old, new] = [command.row - 1, command.row].map(|row| course.rows[row].movement);
                    let cosine = match command.kind {
                        CommandKind::Turn180 => -1.0,
                        _ => 0.0,
                    };
                    assert!((old.dot(new) - cosine).abs() < 1e-5 && old != new, "{command:?}");
                }
            }
        }
        assert_eq!(course("l", Run::new(0)), None);
    }

    #[test]
    fn random_starts_and_stops_alternate_go_everywhere_and_leave_time_to_answer() {
        for index in 0..4 {
            let g = course("g", Run::new(index)).unwrap();
            assert_eq!(g.commands.len(), 200);
            let mut quarters = [0; 4];
            let mut lengths = std::collections::BTreeSet::new();
            for pair in g.commands.windows(2) {
                let rows = pair[1].row - pair[0].row;
                lengths.insert(rows);
                assert!((132..=192).contains(&rows) && pair[0].kind != pair[1].kind, "{pair:?}");
            }
            for command in &g.commands {
                let [old, new] = [command.row - 1, command.row].map(|row| g.rows[row].movement);
                let (still, moving) = if command.kind == CommandKind::RandomStart { (old, new) } else { (new, old) };
                assert!(still == Vec2::ZERO && (moving.length() - 1.0).abs() < 1e-5, "{command:?}");
                quarters[usize::from(moving.x > 0.0) * 2 + usize::from(moving.y > 0.0)] += 1;
            }
            assert!(quarters.iter().all(|n| *n > 30) && lengths.len() > 40, "{quarters:?} {}", lengths.len());
        }
    }

    #[test]
    fn steady_commands_last_ten_seconds_after_two() {
        let h = course("h", Run::new(0)).unwrap();
        assert_eq!((h.rows.len(), h.steady.len()), (40 * 14 * 60, 40));
        assert_eq!(h.steady.iter().filter(|s| s.circle).count(), 8);
        for steady in &h.steady {
            assert_eq!(steady.rows.len(), 600);
            let sticks = &h.rows[steady.rows.start - 120..steady.rows.end];
            let turns = |pair: &[Stick]| pair[0].movement.distance(pair[1].movement) > 1e-3;
            assert!(sticks.windows(2).all(|pair| turns(pair) == steady.circle));
        }
    }

    #[test]
    fn a_gentle_stick_is_pushed_in_part_and_turns_slowly() {
        let k = course("k", Run::new(0)).unwrap();
        assert_eq!(k.rows.len(), 180 * 60);
        let mut quarters = [0; 4];
        for pair in k.rows.windows(2) {
            let [old, new] = [pair[0].movement, pair[1].movement];
            let pushed = new.length();
            assert!((0.25 - 1e-5..=1.0 + 1e-5).contains(&pushed) && (pushed - old.length()).abs() < 0.0032);
            // The sine of a small angle.
            let turned_rad = old.normalize().perp_dot(new.normalize()).abs();
            assert!(turned_rad <= PI / 9.0 / 60.0 + 1e-4, "{old} {new}");
            quarters[((pushed - 0.25) / 0.1875).min(3.0) as usize] += 1;
        }
        assert!(quarters.iter().all(|rows| *rows > 1000), "{quarters:?}");
        assert_ne!(k.rows, course("k", Run::new(1)).unwrap().rows);
    }

    #[test]
    fn courses_on_uneven_ground_return_to_their_start() {
        for (name, ground) in [("i", GroundKind::Stairs), ("j", GroundKind::Slope)] {
            let course = course(name, Run::new(0)).unwrap();
            assert_eq!((course.ground, course.rows.len()), (ground, 24 * 60));
            let sum = course.rows.iter().fold(Vec2::ZERO, |sum, stick| sum + stick.movement);
            assert!(sum.length() < 1e-2, "{sum}");
        }
    }

    #[test]
    fn other_runs_have_another_random_stick() {
        let f = |index| course("f", Run::new(index)).unwrap().rows;
        assert_eq!(Run::new(3), Run { seed: 20_261_125, shift: 51 });
        assert!(f(0) != f(1) && f(0).len() == 36_000 && f(1).len() == 36_000);
    }
}
