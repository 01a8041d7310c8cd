//! Soles of the feet.

use crate::kinematics::Placed;
use crate::model::{Ball, RobotModel};
use glam::{DQuat, DVec3};

/// Height above the lowest point up to which a ball belongs to the sole, metres.
const LEVEL_M: f64 = 0.01;
/// Share of the sole's length, at its front and at its back, whose balls give the toe and the heel.
const ENDS: f64 = 0.25;
/// Length, width and height below the ankle of an assumed sole, as shares of the leg.
const ASSUMED: [f64; 3] = [0.25, 0.09, 0.07];
/// Share of an assumed sole behind the ankle.
const BEHIND: f64 = 0.3;

/// The sole of a foot, in the frame of its body, in metres. Level: in the pose that the file describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sole {
    /// Body of the foot.
    pub body: usize,
    /// Balls of the foot and of the bodies fixed to it.
    pub balls: Vec<Ball>,
    /// Middle of the front edge, on the ground.
    pub toe: DVec3,
    /// Middle of the back edge, on the ground.
    pub heel: DVec3,
    /// Half of its width.
    pub half_width_m: f64,
    /// Whether the foot has shapes; if not, the sole is assumed from the length of the leg.
    pub known: bool,
}

impl Sole {
    /// Measures the sole of a foot. `placed`: the pose that the file describes; `ahead`: direction in which the robot faces there.
    pub fn new(model: &RobotModel, placed: &Placed, foot: usize, ankle: DVec3, leg_m: f64, ahead: DVec3) -> Self {
        let aside = DVec3::Z.cross(ahead);
        let fixed = |b: &usize| {
            let to_foot: Vec<usize> = model.up_from(*b).take_while(|up| *up != foot).collect();
            model.up_from(*b).any(|up| up == foot) && to_foot.iter().all(|b| is_fixed(model, *b))
        };
        let mut world: Vec<Ball> = (foot..model.bodies.len())
            .filter(fixed)
            .flat_map(|b| model.bodies[b].balls.iter().map(move |ball| Ball { at: placed.point(b, ball.at), ..*ball }))
            .collect();
        let known = !world.is_empty();
        if !known {
            let [length, width, height] = ASSUMED.map(|share| share * leg_m);
            for (x, y) in [(-BEHIND, -0.5), (-BEHIND, 0.5), (1.0 - BEHIND, -0.5), (1.0 - BEHIND, 0.5)] {
                let at = ankle + ahead * (x * length) + aside * (y * width) - DVec3::Z * height;
                world.push(Ball { at, radius_m: 0.0 });
            }
        }
        let lowest = world.iter().map(|b| b.at.z - b.radius_m).fold(f64::INFINITY, f64::min);
        let low: Vec<&Ball> = world.iter().filter(|b| b.at.z - b.radius_m < lowest + LEVEL_M).collect();
        let span = |axis: DVec3| {
            let along = |sign: f64| {
                low.iter().map(|b| axis.dot(b.at) * sign + b.radius_m).fold(f64::NEG_INFINITY, f64::max) * sign
            };
            (along(-1.0), along(1.0))
        };
        let ((back, front), (right, left)) = (span(ahead), span(aside));
        let middle = 0.5 * (right + left);
        let at = |x: f64| ahead * x + aside * middle + DVec3::Z * lowest;
        // The foot rolls over the centres of round ends, not over their foremost points.
        let inside = |sign: f64, end: f64| {
            let near = low.iter().filter(|b| (ahead.dot(b.at) - end).abs() < ENDS * (front - back) + b.radius_m);
            near.map(|b| ahead.dot(b.at) * sign).fold(f64::NEG_INFINITY, f64::max) * sign
        };
        let local = |p: DVec3| placed.rotations[foot].inverse() * (p - placed.positions[foot]);
        Self {
            body: foot,
            toe: local(at(inside(1.0, front))),
            heel: local(at(inside(-1.0, back))),
            half_width_m: 0.5 * (left - right),
            known,
            balls: world.iter().map(|b| Ball { at: local(b.at), ..*b }).collect(),
        }
    }

    /// Returns the height of the lowest point of the foot in a placed robot, in metres.
    pub fn lowest_in_m(&self, placed: &Placed) -> f64 {
        self.lowest_m(placed.positions[self.body], placed.rotations[self.body])
    }

    /// Returns the height of the lowest point of the foot, in metres.
    pub fn lowest_m(&self, position: DVec3, rotation: DQuat) -> f64 {
        let height = |b: &Ball| (position + rotation * b.at).z - b.radius_m;
        self.balls.iter().map(height).fold(f64::INFINITY, f64::min)
    }
}

/// Returns whether a body below the foot moves with it: it has no hinges.
fn is_fixed(model: &RobotModel, body: usize) -> bool {
    model.bodies[body].hinges.is_empty()
}
