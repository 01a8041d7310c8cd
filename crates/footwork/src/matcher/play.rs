//! Playing: moving along the clip, jumping to another, showing the result.

use super::config::MatcherConfig;
use super::output::{FiredEvent, Output};
use super::scratch::Scratch;
use super::state::{BlockLayout, MatcherState, Playing, StateHeader};
use crate::adjust::root::{AdjustRoot, RootMode};
use crate::database::Database;
use crate::math::{Facing, Quat, Transform};
use crate::trajectory::{Goal, MotionInput};
use glam::Vec3;

/// Moves simulation, clip and root from the anchor to `to_s`; nothing is decided in between.
pub fn advance(
    db: &Database,
    config: &MatcherConfig,
    input: &MotionInput,
    state: &mut MatcherState,
    output: &mut Output,
    to_s: f64,
) {
    let h = &mut state.header;
    let from = h.anchor;
    let dt_s = (to_s - from.time_s).max(0.0);
    let dt = dt_s as f32;
    let half_life = config.inertialization_half_life_s;
    (h.simulation, h.animated_root, h.since_transition_s) =
        (from.simulation, from.animated_root, from.since_transition_s);
    let (before, ..) = h.shown_root(half_life);
    let unsteered = matches!(input.goal, Goal::None);
    if !unsteered {
        let desired = h.desired;
        h.simulation.advance_in_world(&desired, &config.simulation, dt, input.collide);
    }
    let view = db.view(h.playing.clip, h.playing.mirrored);
    let step = view.root(from.playing_s).0.inverse() * view.root(from.playing_s + dt_s).0;
    h.animated_root = h.animated_root * step;
    h.playing.time_s = from.playing_s + dt_s;
    h.since_transition_s += dt;
    h.time_s = from.time_s + dt_s;
    let (moved, ..) = h.shown_root(half_life);
    if unsteered || config.root.mode == RootMode::Animation {
        follow(state, before, moved, dt);
    } else {
        adjust(config, state, before, moved, dt);
    }
    fire_events(db, &mut state.header, output);
}

/// Makes the moment that is seen, `at_s`, one that matters: it is remembered, and what follows is computed from it.
pub fn settle(db: &Database, config: &MatcherConfig, state: &mut MatcherState, layout: &BlockLayout, at_s: f64) {
    let half_life = config.inertialization_half_life_s;
    let h = &mut state.header;
    let from = h.anchor;
    let then = StateHeader { animated_root: from.animated_root, since_transition_s: from.since_transition_s, ..*h };
    let (before, ..) = then.shown_root(half_life);
    let (after, ..) = h.shown_root(half_life);
    h.time_s = at_s;
    let round_s = db.view(h.playing.clip, false).seconds();
    if db.clips[h.playing.clip.at()].looping() && h.playing.time_s >= round_s {
        // Rounds are not counted: an hour in a loop must cost no more than a second.
        let rounds_s = (h.playing.time_s / round_s).floor() * round_s;
        h.playing.time_s -= rounds_s;
        h.events_s -= rounds_s;
    }
    h.drop_anchor();
    state.history(layout).record(before, after, from.time_s, at_s);
}

/// The simulated character goes where the animation goes.
fn follow(state: &mut MatcherState, before: Transform, after: Transform, dt_s: f32) {
    // A difference over less time is noise.
    const SHORTEST_S: f32 = 1e-4;
    let s = &mut state.header.simulation;
    if dt_s > SHORTEST_S {
        let (a, b) = (Facing::from_rotation(before.rotation), Facing::from_rotation(after.rotation));
        s.velocity = (after.translation - before.translation) / dt_s;
        s.yaw_rate_radps = a.angle_to(b) / dt_s;
        s.acceleration = Vec3::ZERO;
    }
    s.position = after.translation;
    s.facing = Facing::from_rotation(after.rotation);
}

/// The animation is drawn to the simulated character.
fn adjust(config: &MatcherConfig, state: &mut MatcherState, before: Transform, after: Transform, dt_s: f32) {
    if dt_s <= 0.0 {
        return;
    }
    let (a, b) = (Facing::from_rotation(before.rotation), Facing::from_rotation(after.rotation));
    let job = AdjustRoot {
        config: &config.root,
        simulation: &state.header.simulation,
        speed_mps: (after.translation - before.translation).length() / dt_s,
        turn_radps: a.angle_to(b).abs() / dt_s,
        dt_s,
    };
    let (shift, turn) = job.run(after);
    let root = &mut state.header.animated_root;
    root.translation += shift;
    root.rotation = (Quat::from_rotation_y(turn) * root.rotation).normalize();
}

/// Reports the events that playback passed since it was last asked.
fn fire_events(db: &Database, h: &mut StateHeader, output: &mut Output) {
    // Mirror images share their original's events.
    let clip = h.playing.clip.at() % db.originals().max(1);
    let events = &db.events;
    let first = events.partition_point(|e| e.clip.at() < clip);
    let of_clip = &events[first..][..events[first..].partition_point(|e| e.clip.at() == clip)];
    let length = db.view(h.playing.clip, false).seconds();
    for e in of_clip {
        let mut at = f64::from(e.time_s);
        if db.clips[h.playing.clip.at()].looping() {
            at += ((h.events_s - at) / length).floor() * length + length;
        }
        if h.events_s < at && at <= h.playing.time_s {
            output.fire(FiredEvent { name: e.name, time_s: h.time_s - (h.playing.time_s - at) });
        }
    }
    h.events_s = h.events_s.max(h.playing.time_s);
}

/// Jumps to `next`; what was shown goes on and fades into it.
pub fn transition(
    db: &Database,
    config: &MatcherConfig,
    state: &mut MatcherState,
    scratch: &mut Scratch,
    next: Playing,
) {
    let half_life = config.inertialization_half_life_s;
    let since = state.header.since_transition_s;
    let (shown_root, lost, lost_turn) = state.header.shown_root(half_life);
    let from = db.view(state.header.playing.clip, state.header.playing.mirrored);
    let to = db.view(next.clip, next.mirrored);
    from.sample(state.header.playing.time_s, &mut scratch.shown.0, &mut scratch.shown.1);
    to.sample(next.time_s, &mut scratch.next.0, &mut scratch.next.1);
    let (pose, velocity) = (&mut scratch.shown.0, &mut scratch.shown.1);
    state.offsets(&scratch.layout).apply(&db.poses.translated, half_life, since, pose, Some(velocity));

    // Velocities of joint 0 are along root axes; both clips stand at the shown root.
    let old = state.header.animated_root.rotation * scratch.shown.1.linear[0] + lost;
    let new = shown_root.rotation * scratch.next.1.linear[0];
    let h = &mut state.header;
    h.root_lost_velocity = old - new;
    h.root_lost_turn_radps = scratch.shown.1.angular[0].y + lost_turn - scratch.next.1.angular[0].y;
    h.animated_root = shown_root;
    h.since_transition_s = 0.0;
    h.playing = next;
    h.events_s = next.time_s;
    h.transitions += 1;
    h.drop_anchor();
    let (shown, next) = (&scratch.shown, &scratch.next);
    state.offsets_mut(&scratch.layout).start(&db.poses.translated, (&shown.0, &shown.1), (&next.0, &next.1));
}

/// Fills the output with what is to be seen now.
pub fn show(db: &Database, config: &MatcherConfig, state: &MatcherState, layout: &BlockLayout, output: &mut Output) {
    let h = &state.header;
    let view = db.view(h.playing.clip, h.playing.mirrored);
    let half_life = config.inertialization_half_life_s;
    view.sample(h.playing.time_s, &mut output.pose, &mut output.velocity);
    let (pose, velocity) = (&mut output.pose, &mut output.velocity);
    state.offsets(layout).apply(&db.poses.translated, half_life, h.since_transition_s, pose, Some(velocity));
    let (root, lost, lost_turn) = h.shown_root(half_life);
    let animated = h.animated_root.rotation * output.velocity.linear[0];
    output.pose.set_world_from_root(root);
    output.velocity.linear[0] = root.inverse_direction(animated + lost);
    output.velocity.angular[0].y += lost_turn;
    db.contacts_at(h.playing.clip, h.playing.mirrored, h.playing.time_s, &mut output.contacts);
    db.curves_at(h.playing.clip, h.playing.time_s, &mut output.curves);
}

/// Puts a character elsewhere: root, simulation and memory move together.
pub fn teleport(config: &MatcherConfig, state: &mut MatcherState, layout: &BlockLayout, world_from_root: Transform) {
    let (shown, ..) = state.header.shown_root(config.inertialization_half_life_s);
    let facing = Facing::from_rotation(world_from_root.rotation);
    let target = Transform::new(world_from_root.translation, facing.rotation());
    let by = target * shown.inverse();
    let turned = |f: Facing| Facing::from_direction(by.direction(f.direction())).unwrap_or(f);
    let h = &mut state.header;
    h.animated_root = by * h.animated_root;
    h.root_lost_velocity = by.direction(h.root_lost_velocity);
    h.anchor.animated_root = by * h.anchor.animated_root;
    for s in [&mut h.simulation, &mut h.anchor.simulation] {
        s.position = by.point(s.position);
        s.velocity = by.direction(s.velocity);
        s.acceleration = by.direction(s.acceleration);
        s.facing = turned(s.facing);
    }
    h.desired.velocity = by.direction(h.desired.velocity);
    h.desired.facing = turned(h.desired.facing);
    h.searched_velocity = by.direction(h.searched_velocity);
    h.searched_facing = turned(h.searched_facing);
    h.path = Default::default();
    for sample in state.block[layout.history.clone()].chunks_exact_mut(crate::trajectory::history::WIDTH) {
        let p = by.point(Vec3::from_slice(sample));
        let f = turned(Facing { x: sample[3], z: sample[4] });
        sample.copy_from_slice(&[p.x, p.y, p.z, f.x, f.z]);
    }
}
