//! Measurements of a clip from its poses: joint angles, centre of mass, soles, jerk.

use crate::body::{ANKLE_M, FOOT_M, HEEL_M, Side, TOE_HEIGHT_M, TOE_M, joint};
use crate::truth::GaitClip;
use footwork::advanced::math::{asin, atan2};
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::pose::Pose;
use glam::Vec3;

/// Joints of one leg: hip, knee, ankle, toe.
const LEGS: [[usize; 4]; 2] = [
    [joint::LEFT_UP_LEG, joint::LEFT_LEG, joint::LEFT_FOOT, joint::LEFT_TOE],
    [joint::RIGHT_UP_LEG, joint::RIGHT_LEG, joint::RIGHT_FOOT, joint::RIGHT_TOE],
];

/// A clip with the world transforms of its joints.
pub(crate) struct Measured<'a> {
    pub gait: &'a GaitClip,
    /// `[frames][joints]` world.
    pub world: Vec<Vec<Transform>>,
}

/// Sagittal angles of one leg, in degrees; flexion and dorsiflexion are positive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LegAngles {
    /// Angle of the thigh against the vertical.
    pub thigh: f32,
    pub knee: f32,
    pub ankle: f32,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(gait: &'a GaitClip) -> Self {
        Self { gait, world: world(&gait.clip) }
    }

    pub(crate) fn frames(&self) -> usize {
        self.world.len()
    }

    pub(crate) fn at(&self, frame: usize, joint: usize) -> Vec3 {
        self.world[frame][joint].translation
    }

    fn local(&self, frame: usize, joint: usize) -> Quat {
        self.gait.clip.rotations[frame * joint::COUNT + joint]
    }

    /// Returns the angles in the vertical plane along the root's facing.
    pub(crate) fn leg(&self, frame: usize, side: Side) -> LegAngles {
        let [hip, knee, ankle, _] = LEGS[side.at()];
        let root = self.gait.truth.root[frame].rotation.inverse();
        let down = root * (self.at(frame, knee) - self.at(frame, hip));
        LegAngles {
            thigh: atan2(down.z, -down.y).to_degrees(),
            knee: turn_about_x(self.local(frame, knee)),
            ankle: -turn_about_x(self.local(frame, ankle)),
        }
    }

    /// Visits the angles of all joints that have a limit, degrees: (name, value, low, high).
    pub(crate) fn limited(&self, frame: usize, mut visit: impl FnMut(&'static str, f32, f32, f32)) {
        for side in Side::BOTH {
            let [hip, knee, ankle, toe] = LEGS[side.at()];
            let s = side.sign();
            // Relative to the pelvis, whose rest pose has no tilt in this skeleton.
            let thigh = self.local(frame, hip);
            let down = thigh * Vec3::NEG_Y;
            visit("hip flexion", atan2(down.z, -down.y).to_degrees(), -30.0, 125.0);
            visit("hip abduction", asin((down.x * s).clamp(-1.0, 1.0)).to_degrees(), -30.0, 45.0);
            let swing = Quat::from_rotation_arc(Vec3::NEG_Y, down);
            let twist = (swing.inverse() * thigh).to_rotation_vector().y * s;
            visit("hip rotation outwards", twist.to_degrees(), -45.0, 60.0);
            visit("knee flexion", turn_about_x(self.local(frame, knee)), 0.0, 140.0);
            let ankle = -turn_about_x(self.local(frame, ankle));
            visit("ankle dorsiflexion", ankle, -45.0, 38.0);
            visit("toe extension", -turn_about_x(self.local(frame, toe)), -40.0, 70.0);
        }
        for elbow in [joint::LEFT_FORE_ARM, joint::RIGHT_FORE_ARM] {
            visit("elbow flexion", self.local(frame, elbow).to_rotation_vector().length().to_degrees(), 0.0, 145.0);
        }
        let neck = (self.local(frame, joint::NECK) * self.local(frame, joint::HEAD)).to_rotation_vector();
        visit("neck rotation", neck.y.to_degrees(), -70.0, 70.0);
        visit("neck flexion", neck.x.to_degrees(), -55.0, 70.0);
        let spine =
            self.local(frame, joint::SPINE) * self.local(frame, joint::SPINE1) * self.local(frame, joint::SPINE2);
        let spine = spine.to_rotation_vector();
        visit("trunk flexion", spine.x.to_degrees(), -30.0, 75.0);
        visit("trunk side bend", spine.z.to_degrees(), -35.0, 35.0);
    }

    /// Returns heel, ball and tip of a sole, world.
    pub(crate) fn sole(&self, frame: usize, side: Side) -> [Vec3; 3] {
        let [_, _, ankle, toe] = LEGS[side.at()];
        let (foot, toes) = (self.world[frame][ankle], self.world[frame][toe]);
        [
            foot.point(Vec3::new(0.0, -ANKLE_M, -HEEL_M)),
            toes.point(Vec3::new(0.0, -TOE_HEIGHT_M, 0.0)),
            toes.point(Vec3::new(0.0, -TOE_HEIGHT_M, TOE_M)),
        ]
    }

    /// Returns the centre of mass, world; segments as tabled by Winter after Dempster (BMClab/BMC, `BSP_DempsterWinter.txt`).
    pub(crate) fn centre_of_mass(&self, frame: usize) -> Vec3 {
        use joint::*;
        let at = |j: usize| self.at(frame, j);
        let between = |a: Vec3, b: Vec3, share: f32| a + (b - a) * share;
        let hips = (at(LEFT_UP_LEG) + at(RIGHT_UP_LEG)) * 0.5;
        let shoulders = (at(LEFT_ARM) + at(RIGHT_ARM)) * 0.5;
        // The head joint is at the base of the skull, approximately at the centre of mass of head and neck.
        let mut sum = at(HEAD) * 0.081 + between(hips, shoulders, 0.5) * 0.497;
        for (side, [hip, knee, ankle, toe]) in Side::BOTH.into_iter().zip(LEGS) {
            let (arm, fore_arm, hand) = match side {
                Side::Left => (LEFT_ARM, LEFT_FORE_ARM, LEFT_HAND),
                Side::Right => (RIGHT_ARM, RIGHT_FORE_ARM, RIGHT_HAND),
            };
            sum += between(at(arm), at(fore_arm), 0.436) * 0.028 + between(at(fore_arm), at(hand), 0.682) * 0.022;
            sum += between(at(hip), at(knee), 0.433) * 0.100 + between(at(knee), at(ankle), 0.433) * 0.0465;
            sum += between(at(ankle), at(toe), 0.5) * 0.0145;
        }
        sum
    }

    /// Returns the distance of the centre of mass from the outline of the feet, in metres; positive inside.
    pub(crate) fn balance(&self, frame: usize) -> f32 {
        const HALF_FOOT_M: f32 = 0.045;
        let mut corners = Vec::with_capacity(8);
        for (side, [_, _, ankle, _]) in Side::BOTH.into_iter().zip(LEGS) {
            let foot = self.world[frame][ankle];
            for z in [-HEEL_M, FOOT_M + TOE_M] {
                for x in [-HALF_FOOT_M, HALF_FOOT_M] {
                    if self.gait.truth.touching[frame][side.at()] {
                        corners.push(foot.point(Vec3::new(x, -ANKLE_M, z)));
                    }
                }
            }
        }
        let centre = self.centre_of_mass(frame);
        // In every direction, a convex outline extends further than any point inside.
        (0..72)
            .map(|k| Quat::from_rotation_y(k as f32 * std::f32::consts::TAU / 72.0) * Vec3::Z)
            .map(|d| corners.iter().map(|c| (*c - centre).dot(d)).fold(f32::MIN, f32::max))
            .fold(f32::MAX, f32::min)
    }

    /// Returns the distance of a knee to the left of the line of its foot, from ankle to toes, in metres.
    pub(crate) fn knee_beside_toes(&self, frame: usize, side: Side) -> f32 {
        let [_, knee, ankle, toe] = LEGS[side.at()];
        let (to, line) = (self.at(frame, knee) - self.at(frame, ankle), self.at(frame, toe) - self.at(frame, ankle));
        (to.x * line.z - to.z * line.x) / (line.x * line.x + line.z * line.z).sqrt()
    }

    /// Returns the frames at which a foot first touches, without fractions of a frame.
    pub(crate) fn strikes(&self, side: Side) -> Vec<usize> {
        let on = |f: usize| self.gait.truth.touching[f][side.at()];
        let before = |f: usize| f.checked_sub(1).or(self.gait.clip.looping.then(|| self.frames() - 1));
        (0..self.frames()).filter(|f| on(*f) && before(*f).is_some_and(|b| !on(b))).collect()
    }

    /// Returns the `[101]` mean of a value over the strides of one leg, at every percent of the stride from heel strike; NaN
    /// without strides.
    pub(crate) fn mean_stride(&self, side: Side, value: impl Fn(usize) -> f32) -> Vec<f32> {
        let strikes = self.strikes(side);
        let strides = strikes.len().saturating_sub(1);
        let mut mean = vec![if strides > 0 { 0.0 } else { f32::NAN }; 101];
        for pair in strikes.windows(2) {
            for (percent, mean) in mean.iter_mut().enumerate() {
                let at = pair[0] as f32 + (pair[1] - pair[0]) as f32 * percent as f32 / 100.0;
                let (f, u) = (at as usize, at.fract());
                let next = (f + 1).min(self.frames() - 1);
                *mean += (value(f) * (1.0 - u) + value(next) * u) / strides as f32;
            }
        }
        mean
    }
}

/// Returns the rotation about X, in degrees, of a joint that rotates about little else.
fn turn_about_x(q: Quat) -> f32 {
    let q = q.towards(Quat::IDENTITY);
    (2.0 * atan2(q.x, q.w)).to_degrees()
}

fn world(clip: &RawClip) -> Vec<Vec<Transform>> {
    let joints = clip.skeleton.len();
    (0..clip.frames())
        .map(|f| {
            let range = f * joints..(f + 1) * joints;
            let pose = Pose {
                translations: clip.translations[range.clone()].to_vec(),
                rotations: clip.rotations[range].to_vec(),
            };
            let mut world = Vec::new();
            pose.world(&clip.skeleton, &mut world);
            world
        })
        .collect()
}

/// Returns the mean magnitude of the third derivative of joint positions, in m/s^3, and the number of frames: over the frames in
/// which the first of the named joints moves at walking speed, 0.8 to 1.8 m/s.
///
/// Works for any skeleton and rate: the motion is sampled about 30 times per second, so that the noise of a recording
/// has little effect. Missing joints are ignored.
pub fn walking_jerk_mps3(clip: &RawClip, joints: &[&str]) -> (f32, usize) {
    let world = world(clip);
    let indices: Vec<usize> = joints.iter().filter_map(|n| clip.skeleton.find(n)).map(JointIndex::at).collect();
    let step = (clip.rate_hz / 30.0 + 0.5).max(1.0) as usize;
    let dt = step as f32 / clip.rate_hz;
    let (mut sum, mut frames) = (0.0f64, 0usize);
    for f in 3 * step..world.len() {
        let at = |j: usize, back: usize| world[f - back * step][j].translation;
        let Some(first) = indices.first() else { break };
        let way = at(*first, 0) - at(*first, 3);
        let speed = (way.x * way.x + way.z * way.z).sqrt() / (3.0 * dt);
        if !(0.8..1.8).contains(&speed) {
            continue;
        }
        frames += 1;
        for j in &indices {
            let third = at(*j, 0) - at(*j, 1) * 3.0 + at(*j, 2) * 3.0 - at(*j, 3);
            sum += f64::from(third.length() / (dt * dt * dt));
        }
    }
    ((sum / (frames * indices.len()).max(1) as f64) as f32, frames)
}
