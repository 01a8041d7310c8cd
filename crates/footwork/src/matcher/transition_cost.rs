//! How well a row can be jumped to, in metres: what the seam would have to hide of the body, and how far the root would
//! be dragged to stay with the simulated character. The best rows by features are compared once more by it.

use super::choose::playing_at;
use super::scratch::Scratch;
use super::state::Playing;
use super::update::Update;
use crate::blend::inertialize::Moving;
use crate::database::Database;
use crate::frames::JointIndex;
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A difference of velocity is blended away over about this long, seconds.
const BLEND_S: f32 = 0.1;
/// Costs are per square of this, metres.
const SCALE_M: f32 = 0.1;
/// A turn that drags feet about as far as a way of [`SCALE_M`], radians.
const SCALE_RAD: f32 = 0.35;

/// How far a joint's motion moves the body below it.
#[derive(Clone, Debug)]
pub struct Levers {
    /// Joints by [`Levers::turn`], the longest lever first.
    order: Vec<JointIndex>,
    /// `[joints]` mean square over the body of the distances to the joints below, m2.
    turn: Vec<f32>,
    /// `[joints]` share of the body that moves along.
    shift: Vec<f32>,
}

impl Levers {
    pub fn new(skeleton: &Skeleton) -> Self {
        let n = skeleton.len();
        let mut at = Vec::new();
        Pose::rest(skeleton).world(skeleton, &mut at);
        let (mut turn, mut shift) = (vec![0.0; n], vec![0.0; n]);
        for k in 1..n {
            let mut above = Some(JointIndex::new(k));
            while let Some(j) = above.filter(|j| j.at() > 0) {
                turn[j.at()] += (at[k].translation - at[j.at()].translation).length_squared() / n as f32;
                shift[j.at()] += 1.0 / n as f32;
                above = skeleton.parents()[j.at()];
            }
        }
        let mut order: Vec<JointIndex> = (1..n).map(JointIndex::new).filter(|j| turn[j.at()] > 0.0).collect();
        order.sort_by(|a, b| turn[b.at()].total_cmp(&turn[a.at()]).then(a.cmp(b)));
        Self { order, turn, shift }
    }

    /// Mean square over the body, m2, of what a seam from `shown` to a frame of the pool has to hide: the way, and what the
    /// difference of velocity makes of it. Gives up beyond `limit`.
    fn seam(
        &self,
        db: &Database,
        (pose, velocity): (&Pose, &PoseVelocity),
        (frame, after): (usize, usize),
        limit: f32,
    ) -> f32 {
        let (joints, width, rate_hz) = (db.poses.joints, db.poses.translated.len(), db.pose_rate_hz);
        let (now, then) = (&db.poses.rotations[frame * joints..], &db.poses.rotations[after * joints..]);
        let (root, root_then) = (db.poses.root(frame), db.poses.root(after));
        // Around the seam of a loop the root starts anew: there its velocity is not compared.
        let root_velocity = root.inverse_direction(root_then.translation - root.translation) * rate_hz;
        let faster = (velocity.linear[0] - root_velocity) * BLEND_S;
        let mut sum = if after > frame { faster.length_squared() } else { 0.0 };
        for (k, joint) in db.poses.translated.iter().enumerate().skip(1) {
            let (a, b) = (db.poses.translations[frame * width + k], db.poses.translations[after * width + k]);
            let way = pose.translations[joint.at()] - a;
            let faster = (velocity.linear[joint.at()] - (b - a) * rate_hz) * BLEND_S;
            sum += self.shift[joint.at()] * (way.length_squared() + faster.length_squared());
        }
        for joint in &self.order {
            let j = joint.at();
            let (q, r) = (now[j], then[j].towards(now[j]));
            // The chord of the half angle stands for it: 8 (1 - cos(a / 2)) is a^2 but for small terms.
            let way = 8.0 * (1.0 - pose.rotations[j].dot(q).abs());
            let step = r * q.inverse();
            let spin = Vec3::new(step.x, step.y, step.z) * (2.0 * rate_hz);
            let faster = (velocity.angular[j] - spin) * BLEND_S;
            sum += self.turn[j] * (way + faster.length_squared());
            if sum > limit {
                break;
            }
        }
        sum
    }
}

impl Update<'_> {
    /// Adds to the costs of the best `kept` rows of a database what a transition there costs in metres.
    pub(super) fn add_transition_costs(&mut self, db: &Database, kept: usize) {
        self.shown_body();
        if let Some(mirror) = &db.mirror_table {
            let Moving { pose, velocity, .. } = &mut self.scratch.shown_mirrored;
            pose.copy_from(&self.scratch.shown.pose);
            velocity.copy_from(&self.scratch.shown.velocity);
            mirror.joints(pose, velocity);
            velocity.linear[0] = mirror.vector(velocity.linear[0]);
        }
        let (character, playing) = (self.character, self.state.header.playing);
        let search = &character.config.search;
        let wanted = self.predicted(search.way_ahead_s);
        let scale = 1.0 / (SCALE_M * SCALE_M);
        let mut least = f32::INFINITY;
        for k in 0..kept {
            let candidate = self.scratch.best[k];
            let next = if candidate.continuing { playing } else { playing_at(db, candidate.row, candidate.mirrored) };
            let (there, facing, _) = db.view(next.clip, next.mirrored).trajectory(next.time_s, search.way_ahead_s);
            let way = Vec3::new(there.x - wanted.position.x, 0.0, there.z - wanted.position.z);
            let turn = facing.angle_to(wanted.facing) / SCALE_RAD;
            let mut cost = candidate.cost + search.way_cost * (way.length_squared() * scale + turn * turn);
            if !candidate.continuing && cost < least {
                let limit = (least - cost) / (search.seam_cost * scale);
                let levers = &character.resolved.levers;
                cost += search.seam_cost * scale * seam_at(db, levers, self.scratch, next, candidate.row.at(), limit);
            }
            least = least.min(cost);
            self.scratch.whole_costs[k] = cost;
        }
    }
}

/// What the seam to a row has to hide, m2; a mirrored row is compared with the mirror image of what is shown.
fn seam_at(db: &Database, levers: &Levers, scratch: &Scratch, next: Playing, row: usize, limit: f32) -> f32 {
    let clip = &db.clips[next.clip.at()];
    let frame = db.row_frames[row].at();
    let range = clip.frame_range();
    let after = match frame + 1 {
        inside if inside < range.end => inside,
        _ if clip.looping() => range.start,
        _ => frame,
    };
    let shown = if next.mirrored { &scratch.shown_mirrored } else { &scratch.shown };
    levers.seam(db, (&shown.pose, &shown.velocity), (frame, after), limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    /// Root, hips, and a chain of two below.
    fn skeleton() -> Skeleton {
        let at = |y: f32| Transform { translation: Vec3::Y * y, ..Transform::IDENTITY };
        Skeleton::new(
            ["root", "hips", "upper", "lower"].map(str::to_owned).to_vec(),
            vec![None, Some(JointIndex(0)), Some(JointIndex(1)), Some(JointIndex(2))],
            vec![Transform::IDENTITY, at(1.0), at(-0.4), at(-0.5)],
        )
        .unwrap()
    }

    #[test]
    fn a_joint_weighs_what_hangs_from_it() {
        let levers = Levers::new(&skeleton());
        // Hips move both others, by 0.4 and 0.9 m per radian; the last joint nothing.
        assert!((levers.turn[1] - (0.16 + 0.81) / 4.0).abs() < 1e-6, "{:?}", levers.turn);
        assert!((levers.turn[2] - 0.25 / 4.0).abs() < 1e-6);
        assert_eq!((levers.turn[3], levers.shift[1]), (0.0, 0.75));
        assert_eq!(levers.order, [JointIndex(1), JointIndex(2)]);
    }
}
