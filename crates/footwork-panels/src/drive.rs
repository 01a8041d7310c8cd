//! Sources of input for the character: keys, a gamepad, a course, a path, or a random stick.

use egui::{Key, Modifiers};
use footwork::advanced::trajectory::Simulation;
use footwork::input::{Gait, Goal, MotionInput, Path, Stick};
use footwork_metrics::courses::{self, RandomStick, Run};
use glam::{Vec2, Vec3};

/// Speed on the path, in m/s.
const PATH_MPS: f32 = 1.75;
/// Half the length and half the width of the path, in metres.
const PATH_M: [f32; 2] = [4.0, 2.5];

/// Dead zone of a stick, as a share of its range.
const AT_REST: f32 = 0.15;

/// Source of input for the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Keys, or a gamepad if the shell has one.
    #[default]
    Hands,
    /// Course, by its index in [`courses::COURSES`].
    Course(usize),
    /// Path in a figure of eight.
    Path,
    /// Random stick.
    Random,
    /// No input: the clip continues.
    Nobody,
}

impl Driver {
    /// Returns all drivers.
    pub fn all() -> impl Iterator<Item = Self> {
        let courses = (0..courses::COURSES.len()).map(Self::Course);
        [Self::Hands].into_iter().chain(courses).chain([Self::Path, Self::Random, Self::Nobody])
    }

    /// Returns the displayed name.
    pub fn name(self) -> String {
        match self {
            Self::Hands => "keys".to_owned(),
            Self::Course(k) => format!("course: {}", courses::TITLES.get(k).copied().unwrap_or("?")),
            Self::Path => "path".to_owned(),
            Self::Random => "random stick".to_owned(),
            Self::Nobody => "nobody".to_owned(),
        }
    }
}

/// Input from keys and a gamepad at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hands {
    /// Left stick: right and ahead. Maximum length: 1.
    pub movement: Vec2,
    /// Right stick: facing while strafing.
    pub look: Vec2,
    /// True to run.
    pub run: bool,
    /// True to face the direction of the camera.
    pub strafe: bool,
}

impl Hands {
    /// Returns the input from the keys: W A S D or arrows to move, shift to run, space to strafe.
    pub fn of_keys(ctx: &egui::Context) -> Self {
        if ctx.egui_wants_keyboard_input() {
            return Self::default();
        }
        ctx.input(|input| {
            let held = |keys: [Key; 2]| f32::from(u8::from(keys.iter().any(|k| input.key_down(*k))));
            let right = held([Key::D, Key::ArrowRight]) - held([Key::A, Key::ArrowLeft]);
            let ahead = held([Key::W, Key::ArrowUp]) - held([Key::S, Key::ArrowDown]);
            let shortcut = input.modifiers.matches_any(Modifiers::CTRL | Modifiers::COMMAND);
            Self {
                movement: if shortcut { Vec2::ZERO } else { Vec2::new(right, ahead).clamp_length_max(1.0) },
                look: Vec2::ZERO,
                run: input.modifiers.shift,
                strafe: input.key_down(Key::Space),
            }
        })
    }

    /// Returns the input from the sticks of a gamepad; ahead and right are positive. Values inside the dead zone are zero.
    pub fn of_sticks(left: Vec2, right: Vec2, run: bool, strafe: bool) -> Self {
        let beyond_rest = |stick: Vec2| {
            let length = stick.length();
            if length.is_nan() || length <= AT_REST {
                return Vec2::ZERO;
            }
            stick / length * ((length - AT_REST) / (1.0 - AT_REST)).min(1.0)
        };
        Self { movement: beyond_rest(left), look: beyond_rest(right), run, strafe }
    }

    /// Adds the input of a gamepad.
    pub fn with(self, pad: Self) -> Self {
        Self {
            movement: (self.movement + pad.movement).clamp_length_max(1.0),
            look: pad.look,
            run: self.run || pad.run,
            strafe: self.strafe || pad.strafe || pad.look.length() > 0.3,
        }
    }
}

/// State of a driver.
#[derive(Debug)]
pub(crate) struct Steering {
    driver: Driver,
    time_s: f32,
    random: RandomStick,
    course: Option<courses::Course>,
    path: Option<Path>,
}

impl Steering {
    pub fn new(driver: Driver) -> Self {
        let course = match driver {
            Driver::Course(k) => courses::COURSES.get(k).and_then(|name| courses::course(name, Run::new(0))),
            _ => None,
        };
        Self { driver, time_s: 0.0, random: RandomStick::new(1), course, path: None }
    }

    pub fn driver(&self) -> Driver {
        self.driver
    }

    /// Returns the input for the next `dt_s` seconds.
    pub fn input(&mut self, hands: &Hands, camera_yaw_rad: f32, now: &Simulation, dt_s: f32) -> MotionInput<'_> {
        let time_s = self.time_s;
        self.time_s += dt_s;
        match self.driver {
            Driver::Nobody => MotionInput { goal: Goal::None, ..MotionInput::default() },
            Driver::Random => MotionInput::stick(self.random.at(time_s)),
            Driver::Course(_) => match &self.course {
                Some(course) => {
                    // A finished course starts again.
                    let row = (time_s * footwork_metrics::RATE_HZ) as usize % course.rows.len().max(1);
                    MotionInput::stick(course.rows.get(row).copied().unwrap_or_default())
                }
                None => MotionInput::default(),
            },
            Driver::Path => {
                if self.path.is_none() {
                    self.path = figure_of_eight(now.position);
                }
                match &self.path {
                    Some(path) => {
                        MotionInput { goal: Goal::Path { path, speed_mps: PATH_MPS }, ..MotionInput::default() }
                    }
                    None => MotionInput::default(),
                }
            }
            Driver::Hands => MotionInput::stick(Stick {
                movement: hands.movement,
                look: hands.look,
                camera_yaw_rad,
                camera_yaw_rate_radps: 0.0,
                strafe: hands.strafe,
                gait: if hands.run { Gait::Run } else { Gait::Walk },
            }),
        }
    }
}

/// Returns a closed path through a point.
fn figure_of_eight(through: Vec3) -> Option<Path> {
    let points = (0..64).map(|k| {
        let (s, c) = footwork::advanced::math::sin_cos(k as f32 / 64.0 * std::f32::consts::TAU);
        through + Vec3::new(PATH_M[1] * 2.0 * s * c, 0.0, PATH_M[0] * s)
    });
    Path::new(points.collect(), true).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sticks_at_rest_say_nothing_and_pushed_all_they_can() {
        let hands = Hands::of_sticks(Vec2::new(0.1, -0.1), Vec2::new(f32::NAN, 1.0), false, false);
        assert_eq!(hands, Hands::default());
        let hands = Hands::of_sticks(Vec2::new(0.0, 1.0), Vec2::new(-0.575, 0.0), true, true);
        assert_eq!((hands.movement, hands.run, hands.strafe), (Vec2::new(0.0, 1.0), true, true));
        assert!((hands.look.x + 0.5).abs() < 1e-6, "{}", hands.look);
    }
}
