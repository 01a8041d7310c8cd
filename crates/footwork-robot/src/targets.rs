//! Desired places of the robot over a clip, from its stand-in.

use crate::feet::FootTrack;
use crate::map::Retargeting;
use crate::separate::separate;
use crate::solver::Task;
use crate::spatial::{about, from_rotation_vector, rotation_to_robot, to_robot, to_rotation_vector, twist};
use crate::stand_in::Part;
use footwork::clip::RawClip;
use glam::{DQuat, DVec3};

/// Tolerated deviations: of a foot and of the pelvis in metres, of rotations in radians.
pub const FOOT_M: f64 = 0.0005;
const FOOT_RAD: f64 = 0.05;
pub const ROOT_M: f64 = 0.02;
/// Tolerated difference between the speeds of the pelvis and of its target, m/s. Where the feet pull the pelvis away, it goes there
/// and back without a jerk.
const ROOT_MPS: f64 = 0.05;
const ROOT_RAD: f64 = 0.1;
const TORSO_RAD: f64 = 0.1;
const BONE_RAD: f64 = 0.15;
const HAND_RAD: f64 = 0.3;

/// Desired places over a clip.
pub struct Targets {
    pub rate_hz: f64,
    /// `[frames]` positions of the root.
    pub root: Vec<DVec3>,
    /// `[frames x followers]` rotations relative to the pose that the file describes.
    pub rotations: Vec<DQuat>,
    /// `[frames]` positions of the hands, where there are arms.
    pub hands: [Vec<DVec3>; 2],
    pub feet: [FootTrack; 2],
}

impl Targets {
    /// Reads the targets from a clip of the stand-in.
    pub fn new(of: &Retargeting, body: &RawClip) -> Self {
        let stand_in = &of.stand_in;
        let rate_hz = f64::from(body.rate_hz);
        let mut root = Vec::new();
        let mut rotations = Vec::new();
        let mut hands = [Vec::new(), Vec::new()];
        let mut toes = [Vec::new(), Vec::new()];
        let mut foot_rotations = [Vec::new(), Vec::new()];
        let mut world = Vec::new();
        for f in 0..body.frames() {
            body.world(f, &mut world);
            root.push(to_robot(world[0].translation));
            rotations.extend(stand_in.followers.iter().map(|p| rotation_to_robot(world[p.joint].rotation)));
            for s in [0, 1] {
                let [foot, toe] = stand_in.feet[s];
                toes[s].push(to_robot(world[toe].translation));
                foot_rotations[s].push(rotation_to_robot(world[foot].rotation));
                hands[s].extend(stand_in.hands[s].map(|j| to_robot(world[j].translation)));
            }
        }
        let planted = |s: usize| {
            let name = &body.skeleton.names()[stand_in.feet[s][1]];
            let track = body.annotations.contacts.iter().find(|c| c.joint == *name);
            track.map_or_else(|| vec![false; body.frames()], |c| c.on.clone())
        };
        let mut feet = [0, 1].map(|s| {
            let toe = std::mem::take(&mut toes[s]);
            FootTrack::new(toe, &foot_rotations[s], planted(s), stand_in.ahead)
        });
        for foot in &mut feet {
            foot.plant(rate_hz);
        }
        for (foot, sole) in feet.iter_mut().zip(&stand_in.soles) {
            foot.lift(sole, &stand_in.zero);
        }
        let mut targets = Self { rate_hz, root, rotations, hands, feet };
        targets.separate(of);
        targets
    }

    /// Moves the soles apart where they would overlap.
    pub fn separate(&mut self, of: &Retargeting) {
        separate(&mut self.feet, &of.stand_in.soles, &of.stand_in.zero, self.rate_hz);
    }

    pub fn frames(&self) -> usize {
        self.root.len()
    }

    /// Moves a pose's root to the first frame.
    pub fn start(&self, pose: &mut [f64]) {
        let at = self.root[0];
        pose[..3].copy_from_slice(&at.to_array());
        let q =
            about(DVec3::Z, twist(self.rotations[0], DVec3::Z)) * DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3]);
        pose[3..7].copy_from_slice(&[q.w, q.x, q.y, q.z]);
    }

    /// Writes the tasks of a frame.
    pub fn tasks(&self, of: &Retargeting, frame: usize, tasks: &mut Vec<Task>) {
        let stand_in = &of.stand_in;
        tasks.clear();
        let first = frame * stand_in.followers.len();
        self.bones(of, frame, |k| self.rotations[first + k], tasks);
        for (foot, sole) in self.feet.iter().zip(&stand_in.soles) {
            let (body, local) = (sole.body, sole.toe);
            tasks.push(Task::Point { body, local, at: foot.toe[frame], weight: weight(FOOT_M) });
            let to = foot.rotation(frame) * stand_in.zero.rotations[body];
            tasks.push(Task::Turn { body, to, weight: weight(FOOT_RAD) });
        }
    }

    /// Returns the task that the root moves as its target does. `pose`: the pose of the last frame.
    pub fn moves_on(&self, frame: usize, pose: &[f64]) -> Task {
        let at = DVec3::from_slice(pose) + self.root[frame] - self.root[frame - 1];
        Task::Point { body: 0, local: DVec3::ZERO, at, weight: weight(ROOT_MPS / self.rate_hz) }
    }

    /// Writes the tasks on the way to the first frame: rotations from the standing pose (`share` 0) to the desired ones (1), without
    /// feet.
    pub fn approach(&self, of: &Retargeting, share: f64, tasks: &mut Vec<Task>) {
        tasks.clear();
        // The root's heading; all bodies have it in the standing pose.
        let heading = about(DVec3::Z, twist(self.rotations[0], DVec3::Z));
        let part = |to: DQuat| heading * from_rotation_vector(to_rotation_vector(heading.inverse() * to) * share);
        self.bones(of, 0, |k| part(self.rotations[k]), tasks);
    }

    /// Adds the tasks of the root and of the bones. `rotation`: that of a follower relative to the pose that the file describes.
    fn bones(&self, of: &Retargeting, frame: usize, rotation: impl Fn(usize) -> DQuat, tasks: &mut Vec<Task>) {
        let stand_in = &of.stand_in;
        tasks.push(Task::Point { body: 0, local: DVec3::ZERO, at: self.root[frame], weight: weight(ROOT_M) });
        for (k, follower) in stand_in.followers.iter().enumerate() {
            if follower.part == Part::Foot {
                continue;
            }
            let to = rotation(k) * stand_in.zero.rotations[follower.body];
            tasks.push(Task::Turn { body: follower.body, to, weight: weight(tolerated_rad(follower.part)) });
        }
    }
}

/// Returns the tolerated deviation of a body's rotation, radians.
pub fn tolerated_rad(part: Part) -> f64 {
    match part {
        Part::Root => ROOT_RAD,
        Part::Torso => TORSO_RAD,
        Part::Leg | Part::Arm => BONE_RAD,
        Part::Head | Part::Hand => HAND_RAD,
        Part::Foot => FOOT_RAD,
    }
}

/// Returns the weight of a task, by the deviation that it tolerates.
pub fn weight(tolerated: f64) -> f64 {
    1.0 / (tolerated * tolerated)
}
