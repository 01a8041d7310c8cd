//! The loss of decompressed bodies: differences of numbers, of joints in root space, and of their rates over two frames.
//!
//! Weights: Holden et al., "Learned Motion Matching" (2020), without the terms of numbers that do not vary.

use crate::kinematics::{Axes, Kinematics, Placed, PlacedGradient};
use footwork::advanced::learned::{BodyLayout, STEP_S};
use footwork::database::Database;
use glam::Vec3;
use std::ops::Range;

/// Parts of the loss, each a mean of absolute differences times its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossWeights {
    /// Local rotations, components of axes.
    pub rotations: f32,
    /// Local translations, metres.
    pub translations: f32,
    /// Velocity and turn of the root, m/s and rad/s.
    pub root: f32,
    /// Contacts, 0 to 1.
    pub contacts: f32,
    /// Seconds until contacts.
    pub next_contacts: f32,
    /// Curves.
    pub curves: f32,
    /// Rates of local rotations and translations, per second: the predicted ones, and the differences of two frames.
    pub rates: f32,
    /// Joints in root space, metres.
    pub positions: f32,
    /// Axes of joints in root space.
    pub axes: f32,
    /// Velocities of joints in root space, m/s.
    pub velocities: f32,
    /// Rates of the axes of joints in root space, per second.
    pub axis_rates: f32,
    /// Velocities of contact joints in the world, m/s.
    pub feet: f32,
    /// Velocities of contact joints in the world where they touch the ground, m/s, compared with 0.
    pub planted_feet: f32,
}

impl Default for LossWeights {
    fn default() -> Self {
        Self {
            rotations: 10.0,
            translations: 75.0,
            root: 12.0,
            contacts: 2.0,
            next_contacts: 2.0,
            curves: 2.0,
            rates: 0.5,
            positions: 45.0,
            axes: 5.0,
            velocities: 2.0,
            axis_rates: 0.5,
            feet: 4.0,
            planted_feet: 4.0,
        }
    }
}

/// Names of the parts in reports.
pub const PARTS: [&str; 7] = ["numbers", "rates", "positions", "axes", "velocities", "axis rates", "feet"];
const NUMBERS: usize = 0;
const RATES: usize = 1;
const POSITIONS: usize = 2;
const AXES: usize = 3;
const VELOCITIES: usize = 4;
const AXIS_RATES: usize = 5;
const FEET: usize = 6;

/// Frames per window.
pub const WINDOW: usize = 2;
/// Weight of a joint that touches the ground, relative to others.
const CONTACT_JOINT: f32 = 3.0;

/// The loss of decompressed windows of two frames.
#[derive(Clone, Debug)]
pub struct BodyLoss {
    kinematics: Kinematics,
    weights: LossWeights,
    /// `[width]` weight of each number divided by the size of its part.
    number_weights: Vec<f32>,
    /// Range of rotations and translations.
    local: Range<usize>,
    /// `[joints]` weights; their mean is 1.
    joint_weights: Vec<f32>,
    /// Joints that touch the ground, and the indices of their contacts in a body's numbers.
    feet: Vec<(usize, usize)>,
    root_velocity: usize,
    root_turn: usize,
}

/// Working buffers for a window.
#[derive(Clone, Debug, Default)]
pub struct LossRoom {
    truth: [Placed; WINDOW],
    found: [Placed; WINDOW],
    gradient: [PlacedGradient; WINDOW],
}

/// One window: bodies of the data, predicted bodies, and the derivative.
#[derive(Debug)]
pub struct WindowBodies<'a> {
    /// `[2][width]` bodies of the data.
    pub truth: [&'a [f32]; WINDOW],
    /// `[2][width]` decompressed bodies.
    pub found: [&'a [f32]; WINDOW],
    /// `[2][width]` derivative with respect to the decompressed bodies; zero before the call.
    pub by_found: [&'a mut [f32]; WINDOW],
}

impl BodyLoss {
    /// Creates the loss for the bodies of a database.
    pub fn of(db: &Database, layout: &BodyLayout, weights: LossWeights) -> Self {
        let contact_joints: Vec<usize> = db.rig.contact_joints.iter().map(|joint| joint.at()).collect();
        Self::new(Kinematics::new(&db.skeleton, layout), layout, &contact_joints, weights)
    }

    /// Creates the loss for the bodies of a skeleton. `contact_joints` have larger weights than others.
    pub fn new(kinematics: Kinematics, layout: &BodyLayout, contact_joints: &[usize], weights: LossWeights) -> Self {
        let mut number_weights = vec![0.0; layout.width()];
        let root = layout.root_velocity.start..layout.root_turn.end;
        for (range, weight) in [
            (layout.rotations.clone(), weights.rotations),
            (layout.translations.clone(), weights.translations),
            (root, weights.root),
            (layout.contacts.clone(), weights.contacts),
            (layout.next_contacts.clone(), weights.next_contacts),
            (layout.curves.clone(), weights.curves),
        ] {
            let each = weight / range.len().max(1) as f32;
            number_weights[range].fill(each);
        }
        let joints = kinematics.joints();
        let mut joint_weights = vec![1.0; joints];
        joint_weights[0] = 0.0;
        contact_joints.iter().for_each(|j| joint_weights[*j] = CONTACT_JOINT);
        let total: f32 = joint_weights.iter().sum();
        joint_weights.iter_mut().for_each(|w| *w *= joints as f32 / total);
        let local = layout.rotations.start..layout.translations.end;
        Self {
            kinematics,
            weights,
            number_weights,
            local,
            joint_weights,
            feet: contact_joints.iter().copied().zip(layout.contacts.clone()).collect(),
            root_velocity: layout.root_velocity.start,
            root_turn: layout.root_turn.start,
        }
    }

    /// Returns the range of rotations and translations: the numbers whose rates are predicted, too.
    pub fn local(&self) -> Range<usize> {
        self.local.clone()
    }

    /// Returns the weight of one predicted rate among `count` of a frame.
    pub fn rate_weight(&self, count: usize) -> f32 {
        self.weights.rates / count.max(1) as f32
    }

    /// Returns the loss of a window by parts, and adds its derivative times `scale` to `by_found`. The parts are not scaled.
    pub fn window(&self, window: &mut WindowBodies, scale: f32, room: &mut LossRoom) -> [f32; PARTS.len()] {
        let mut parts = [0.0; PARTS.len()];
        let joints = self.kinematics.joints();
        for frame in 0..WINDOW {
            let (truth, found) = (window.truth[frame], window.found[frame]);
            let by_found = &mut *window.by_found[frame];
            for (at, weight) in self.number_weights.iter().enumerate() {
                let (loss, slope) = absolute(found[at] - truth[at], weight / WINDOW as f32);
                parts[NUMBERS] += loss;
                by_found[at] += slope * scale;
            }
            self.kinematics.place(truth, &mut room.truth[frame]);
            self.kinematics.place(found, &mut room.found[frame]);
            room.gradient[frame].reset(joints);
        }
        self.local_rates(window, scale, &mut parts);
        self.joints(scale, room, &mut parts);
        self.feet(window, scale, room, &mut parts);
        for frame in 0..WINDOW {
            let (found, by_found) = (window.found[frame], &mut *window.by_found[frame]);
            self.kinematics.differentiate(found, &room.found[frame], &mut room.gradient[frame], by_found);
        }
        parts
    }

    fn local_rates(&self, window: &mut WindowBodies, scale: f32, parts: &mut [f32; PARTS.len()]) {
        let weight = self.weights.rates / self.local.len().max(1) as f32 / STEP_S as f32;
        let [first, second] = &mut window.by_found;
        for at in self.local.clone() {
            let error = (window.found[1][at] - window.found[0][at]) - (window.truth[1][at] - window.truth[0][at]);
            let (loss, slope) = absolute(error, weight);
            parts[RATES] += loss;
            second[at] += slope * scale;
            first[at] -= slope * scale;
        }
    }

    fn joints(&self, scale: f32, room: &mut LossRoom, parts: &mut [f32; PARTS.len()]) {
        let joints = self.kinematics.joints();
        let LossRoom { truth, found, gradient } = room;
        let [first, second] = gradient;
        // Means over joints and coordinates, and over both frames where both count.
        let share = 1.0 / (joints * 3) as f32;
        let step = STEP_S as f32;
        for j in 1..joints {
            let weight = share * self.joint_weights[j];
            let errors = [0, 1].map(|frame| found[frame].positions[j] - truth[frame].positions[j]);
            for (error, gradient) in errors.iter().zip([&mut *first, &mut *second]) {
                let slope = absolutes(*error, weight * self.weights.positions / 2.0, &mut parts[POSITIONS]);
                gradient.positions[j] += slope * scale;
            }
            let slope =
                absolutes(errors[1] - errors[0], weight * self.weights.velocities / step, &mut parts[VELOCITIES]);
            second.positions[j] += slope * scale;
            first.positions[j] -= slope * scale;
            for k in 0..3 {
                let axis = |all: &[Axes]| all[j][k];
                let errors = [0, 1].map(|frame| axis(&found[frame].rotations) - axis(&truth[frame].rotations));
                let weight = weight / 3.0;
                for (error, gradient) in errors.iter().zip([&mut *first, &mut *second]) {
                    let slope = absolutes(*error, weight * self.weights.axes / 2.0, &mut parts[AXES]);
                    gradient.rotations[j][k] += slope * scale;
                }
                let weight = weight * self.weights.axis_rates / step;
                let slope = absolutes(errors[1] - errors[0], weight, &mut parts[AXIS_RATES]);
                second.rotations[j][k] += slope * scale;
                first.rotations[j][k] -= slope * scale;
            }
        }
    }
}

impl BodyLoss {
    /// Velocities of the contact joints in the world: velocity in root space plus motion of the root. Where a joint touches the
    /// ground, the velocity is also compared with 0. The derivative of that term goes to the pose only, since the root motion
    /// follows the data.
    fn feet(&self, window: &mut WindowBodies, scale: f32, room: &mut LossRoom, parts: &mut [f32; PARTS.len()]) {
        let share = 1.0 / (3 * self.feet.len()).max(1) as f32;
        for (joint, contact) in &self.feet {
            let truth = self.foot_velocity(window.truth, &room.truth, *joint);
            let found = self.foot_velocity(window.found, &room.found, *joint);
            let by_all = absolutes(found - truth, share * self.weights.feet, &mut parts[FEET]) * scale;
            let planted = window.truth.iter().all(|body| body[*contact] > 0.5);
            let weight = if planted { share * self.weights.planted_feet } else { 0.0 };
            let by_pose = by_all + absolutes(found, weight, &mut parts[FEET]) * scale;
            for frame in 0..WINDOW {
                let sign = if frame == 0 { -1.0 } else { 1.0 };
                let turn = Vec3::Y * window.found[frame][self.root_turn];
                let place = room.found[frame].positions[*joint];
                room.gradient[frame].positions[*joint] += by_pose * (sign / STEP_S as f32) + 0.5 * by_pose.cross(turn);
                let by_found = &mut *window.by_found[frame];
                let by_velocity = &mut by_found[self.root_velocity..][..3];
                by_velocity.iter_mut().zip((0.5 * by_all).to_array()).for_each(|(by, g)| *by += g);
                by_found[self.root_turn] += 0.5 * place.cross(by_all).y;
            }
        }
    }

    /// Returns the velocity of a joint in the world along the axes of the root, between the two frames of a window.
    fn foot_velocity(&self, bodies: [&[f32]; WINDOW], placed: &[Placed; WINDOW], joint: usize) -> Vec3 {
        let [first, second] = [0, 1].map(|frame| placed[frame].positions[joint]);
        let carried = [0, 1].map(|frame: usize| {
            let body = bodies[frame];
            let turn = Vec3::Y * body[self.root_turn];
            Vec3::from_slice(&body[self.root_velocity..][..3]) + turn.cross(placed[frame].positions[joint])
        });
        (second - first) / STEP_S as f32 + 0.5 * (carried[0] + carried[1])
    }
}

/// Returns a weighted absolute difference and its derivative.
pub fn absolute(error: f32, weight: f32) -> (f32, f32) {
    (error.abs() * weight, if error == 0.0 { 0.0 } else { weight * error.signum() })
}

fn absolutes(error: Vec3, weight: f32, sum: &mut f32) -> Vec3 {
    let of = |e: f32| absolute(e, weight).1;
    *sum += weight * (error.x.abs() + error.y.abs() + error.z.abs());
    Vec3::new(of(error.x), of(error.y), of(error.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use footwork::frames::JointIndex;
    use footwork::skeleton::Skeleton;

    /// A loss of three joints; the last one touches the ground.
    fn loss(weights: LossWeights) -> (BodyLoss, BodyLayout) {
        let skeleton: Skeleton = crate::kinematics::test_skeleton();
        let layout = BodyLayout::new(skeleton.len(), vec![JointIndex::new(1)], 1, 0);
        (BodyLoss::new(Kinematics::new(&skeleton, &layout), &layout, &[skeleton.len() - 1], weights), layout)
    }

    fn value(loss: &BodyLoss, truth: &[Vec<f32>; 2], found: &[Vec<f32>; 2]) -> (f32, [Vec<f32>; 2]) {
        let mut by_found = found.clone().map(|f| vec![0.0; f.len()]);
        let [first, second] = &mut by_found;
        let mut window =
            WindowBodies { truth: [&truth[0], &truth[1]], found: [&found[0], &found[1]], by_found: [first, second] };
        let parts = loss.window(&mut window, 1.0, &mut LossRoom::default());
        (parts.iter().sum(), by_found)
    }

    #[test]
    fn the_derivative_is_that_of_differences() {
        let weights = LossWeights { planted_feet: 0.0, ..LossWeights::default() };
        let (loss, layout) = loss(weights);
        let mut random = Random::new(4, 0, 0);
        let mut bodies = || [(); 2].map(|()| (0..layout.width()).map(|_| random.normal()).collect::<Vec<f32>>());
        let (truth, mut found) = (bodies(), bodies());
        let (_, by_found) = value(&loss, &truth, &found);
        for frame in 0..2 {
            for at in 0..layout.width() {
                let (middle, step) = (found[frame][at], 1e-3);
                found[frame][at] = middle + step;
                let above = value(&loss, &truth, &found).0;
                found[frame][at] = middle - step;
                let slope = (above - value(&loss, &truth, &found).0) / (2.0 * step);
                found[frame][at] = middle;
                let expected = by_found[frame][at];
                // The slope is undefined where a difference changes its sign within the step.
                assert!((slope - expected).abs() < 0.1 * (1.0 + expected.abs()), "{frame} {at}: {slope} {expected}");
            }
        }
    }

    #[test]
    fn a_foot_that_stays_while_the_root_moves_costs_nothing() {
        let (loss, layout) = loss(LossWeights::default());
        let mut body = vec![0.0; layout.width()];
        for axes in body[layout.rotations.clone()].chunks_exact_mut(6) {
            (axes[0], axes[4]) = (1.0, 1.0);
        }
        body[layout.contacts.start] = 1.0;
        body[layout.root_velocity.start] = 1.2;
        let mut later = body.clone();
        later[layout.translations.start] -= 1.2 * STEP_S as f32;
        let bodies = [body, later];
        let (planted, _) = value(&loss, &bodies, &bodies);
        assert!(planted < 1e-4, "{planted}");
        let mut sliding = bodies.clone();
        sliding[1][layout.translations.start] += 0.01;
        assert!(value(&loss, &bodies, &sliding).0 > 1.0);
    }
}
