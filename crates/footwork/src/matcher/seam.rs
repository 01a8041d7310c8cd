//! How well a row can be jumped to: what the seam would do to the feet.

use super::config::MatcherConfig;
use super::play;
use super::query::playing_at;
use super::scratch::Scratch;
use super::state::MatcherState;
use crate::database::Database;
use crate::schema::TrajectorySample;
use crate::trajectory::MotionInput;
use crate::trajectory::predict::Prediction;
use crate::pose::velocity_in_root;
use glam::Vec3;

/// A difference of velocity is blended away over about this long, seconds.
const BLEND_S: f32 = 0.1;
/// A way over the ground that costs [`super::SearchConfig::seam_cost`], metres.
const SCALE_M: f32 = 0.1;

/// Adds to the costs of the best rows what their seams would cost: a foot that touches after the jump has to come from
/// where it is to where the row has it.
pub fn add_seam_costs(db: &Database, config: &MatcherConfig, input: &MotionInput, state: &MatcherState, scratch: &mut Scratch, kept: usize) {
    play::shown_body(db, config, state, scratch);
    let p = state.header.playing;
    db.contacts_at(p.clip, p.mirrored, p.time_s, &mut scratch.touching);
    for slot in 0..db.contact_joints.len() {
        let joint = db.contact_joints[slot];
        let m = &scratch.shown;
        let at = m.pose.in_root(&db.skeleton, joint).translation;
        scratch.toes[slot] = (at, velocity_in_root(&db.skeleton, &m.pose, &m.velocity, joint));
    }
    let mut ahead = [TrajectorySample::default()];
    let world_from_root = state.header.shown_root(&config.transition);
    Prediction {
        input,
        simulation: state.header.simulation,
        desired: state.header.desired,
        progress: state.header.path,
        speeds: &config.speeds,
        config: &config.simulation,
        prediction: &config.prediction,
        world_from_root,
    }
    .run(&[config.search.slip_ahead_s], &mut ahead);
    scratch.body.from_pose(&db.skeleton, &scratch.shown.pose, &scratch.shown.velocity);
    for k in 0..kept {
        let candidate = scratch.best[k];
        let mut next = playing_at(db, candidate.row, candidate.mirrored);
        if candidate.continuing {
            next = state.header.playing;
        }
        let view = db.view(next.clip, next.mirrored);
        let (there, facing, _) = view.trajectory(next.time_s, config.search.slip_ahead_s);
        let mut way = ahead[0].position - there;
        way.y = 0.0;
        let turn = facing.angle_to(ahead[0].facing);
        let slip = way.length_squared() / (SCALE_M * SCALE_M);
        scratch.best[k].cost += config.search.slip_cost * (slip + (turn / 0.35) * (turn / 0.35));
        if candidate.continuing {
            continue;
        }
        let m = &mut scratch.next;
        play::sample(db, next, state.header.play_rate, (&mut m.pose, &mut m.velocity));
        db.contacts_at(next.clip, next.mirrored, next.time_s, &mut scratch.buffers.contacts);
        let (mut shift, mut both) = (Vec3::ZERO, 0.0f32);
        for slot in 0..db.contact_joints.len() {
            if scratch.touching[slot] == 1 && scratch.buffers.contacts[slot] == 1 {
                shift += scratch.toes[slot].0 - m.pose.in_root(&db.skeleton, db.contact_joints[slot]).translation;
                both += 1.0;
            }
        }
        let shift = (shift / both.max(1.0)).clamp_length_max(config.transition.plant_m);
        let mut cost = 0.0;
        for slot in 0..db.contact_joints.len() {
            if scratch.buffers.contacts[slot] == 0 {
                continue;
            }
            let joint = db.contact_joints[slot];
            let at = m.pose.in_root(&db.skeleton, joint).translation;
            let v = velocity_in_root(&db.skeleton, &m.pose, &m.velocity, joint);
            let mut way = scratch.toes[slot].0 - at - shift;
            let mut faster = scratch.toes[slot].1 - v;
            (way.y, faster.y) = (0.0, 0.0);
            let slide = (way.length() + faster.length() * BLEND_S) / SCALE_M;
            cost += slide * slide;
        }
        scratch.best[k].cost += config.search.seam_cost * cost;
        if config.search.body_cost > 0.0 {
            scratch.other.from_pose(&db.skeleton, &m.pose, &m.velocity);
            let mut sum = 0.0;
            for j in 1..db.skeleton.len() {
                let way = (scratch.body.positions[j] - scratch.other.positions[j]).length();
                let faster = (scratch.body.velocities[j] - scratch.other.velocities[j]).length() * BLEND_S;
                sum += (way + faster) * (way + faster);
            }
            scratch.best[k].cost += config.search.body_cost * sum / (SCALE_M * SCALE_M * db.skeleton.len() as f32);
        }
    }
}
