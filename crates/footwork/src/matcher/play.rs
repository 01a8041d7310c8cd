//! Playing: moving along the clip, jumping to another, showing the result.

use super::config::MatcherConfig;
use super::corrections::{self, Now};
use super::output::{FiredEvent, Output};
use super::scratch::Scratch;
use super::state::{BlockLayout, MatcherState, Playing, StateHeader};
use crate::adjust::body::{Body, LowerBody};
use crate::adjust::feet::{Foot, Footing};
use crate::adjust::root::{AdjustRoot, RootMode};
use crate::blend::Offset;
use crate::blend::inertialize::{Joints, Moving};
use crate::database::Database;
use crate::math::{Facing, Quat, Transform, spring};
use crate::pose::{Pose, PoseVelocity, velocity_in_root};
use crate::skeleton::Skeleton;
use crate::trajectory::{Goal, GroundHook, GroundPoint, MotionInput};
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
    (h.simulation, h.animated_root, h.since_transition_s, h.root_slip) =
        (from.simulation, from.animated_root, from.since_transition_s, from.root_slip);
    // What stands on a platform goes with it.
    let carried = input.ground.map_or(Vec3::ZERO, |g| ground_velocity(g, from.simulation.position) * dt);
    h.animated_root.translation += carried;
    h.simulation.position += carried;
    let before = h.shown_root(&config.transition);
    let unsteered = matches!(input.goal, Goal::None);
    if !unsteered {
        let desired = h.desired;
        h.simulation.advance_in_world(&desired, &config.simulation, dt, input.collide);
    }
    let view = db.view(h.playing.clip, h.playing.mirrored);
    let to_playing_s = from.playing_s + dt_s * f64::from(h.play_rate);
    let mut step = view.root(from.playing_s).0.inverse() * view.root(to_playing_s).0;
    step.translation = h.warp.way(step.translation);
    h.animated_root = h.animated_root * step;
    h.playing.time_s = to_playing_s;
    h.since_transition_s += dt;
    h.time_s = from.time_s + dt_s;
    let moved = h.shown_root(&config.transition);
    if unsteered || config.root.mode == RootMode::Animation {
        follow(state, before, moved, dt);
    } else {
        adjust(config, state, before, moved, dt);
    }
    fire_events(db, &mut state.header, output);
}

/// Makes the moment that is seen, `at_s`, one that matters: it is remembered, and what follows is computed from it.
pub fn settle(db: &Database, config: &MatcherConfig, state: &mut MatcherState, layout: &BlockLayout, at_s: f64) {
    let h = &mut state.header;
    let from = h.anchor;
    let then = StateHeader { animated_root: from.animated_root, since_transition_s: from.since_transition_s, ..*h };
    let before = then.shown_root(&config.transition);
    let after = h.shown_root(&config.transition);
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

/// A control tick of the play rate.
pub fn tick_rate(db: &Database, config: &MatcherConfig, state: &mut MatcherState, dt_s: f32) {
    let h = &mut state.header;
    if !config.play_rate.enabled {
        h.play_rate = 1.0;
        return;
    }
    let shown = h.shown_root(&config.transition);
    let (_, clip, _) = db.view(h.playing.clip, h.playing.mirrored).root(h.playing.time_s);
    let ahead = h.simulation.position - shown.translation;
    let clip = h.animated_root.rotation * clip;
    h.play_rate =
        config.play_rate.next(h.play_rate, clip, h.simulation.velocity, Vec3::new(ahead.x, 0.0, ahead.z), dt_s);
}

/// How the ground at a point moves to the sides, world, m/s.
fn ground_velocity(ground: &GroundHook, at: Vec3) -> Vec3 {
    GroundPoint::under(ground, at).velocity * Vec3::new(1.0, 0.0, 1.0)
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

/// How soon a change of the root's adjustment is taken for one that lasts, seconds.
const SLIP_HALF_LIFE_S: f32 = 0.1;

/// The animation is drawn to the simulated character.
fn adjust(config: &MatcherConfig, state: &mut MatcherState, before: Transform, after: Transform, dt_s: f32) {
    if dt_s <= 0.0 {
        return;
    }
    config.root.give_way(&mut state.header.simulation, after, dt_s);
    let (a, b) = (Facing::from_rotation(before.rotation), Facing::from_rotation(after.rotation));
    let job = AdjustRoot {
        config: &config.root,
        simulation: &state.header.simulation,
        speed_mps: (after.translation - before.translation).length() / dt_s,
        turn_radps: a.angle_to(b).abs() / dt_s,
        dt_s,
    };
    let (shift, turn) = job.run(after);
    let h = &mut state.header;
    h.root_slip += (shift / dt_s - h.root_slip) * spring::damp(SLIP_HALF_LIFE_S, dt_s);
    let root = &mut h.animated_root;
    root.translation += shift;
    root.rotation = (Quat::from_rotation_y(turn) * root.rotation).renormalize();
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
            output
                .fire(FiredEvent { name: e.name, time_s: h.time_s - (h.playing.time_s - at) / f64::from(h.play_rate) });
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
    let since = state.header.since_transition_s;
    let rate = state.header.play_rate;
    let shown_root = state.header.shown_root(&config.transition);
    let accelerations = config.transition.needs_accelerations();
    sample_moving(db, state.header.playing, rate, accelerations, &mut scratch.shown, &mut scratch.beside);
    sample_moving(db, next, rate, accelerations, &mut scratch.next, &mut scratch.beside);
    let Moving { pose, velocity, acceleration } = &mut scratch.shown;
    let offsets = state.offsets(&scratch.layout);
    offsets.apply(&seams(db, config), since, (pose, velocity), Some(acceleration));
    let shift = shown_root.rotation * planted(db, config, state, scratch, next);

    // Velocities of joint 0 are along root axes; both clips stand at the shown root.
    let h = &mut state.header;
    let (lost, lost_turn) = h.root_residual(&config.transition);
    let (old, new) = (h.animated_root.rotation, shown_root.rotation);
    for moving in [&mut scratch.shown, &mut scratch.next] {
        for way in [&mut moving.velocity.linear[0], &mut moving.acceleration.linear[0]] {
            *way = h.warp.way(*way);
        }
    }
    let (shown, next_root) = (&scratch.shown, &scratch.next);
    let up = |v: &PoseVelocity| Vec3::Y * v.angular[0].y;
    h.root_offset = Offset {
        value: -shift,
        velocity: old * shown.velocity.linear[0] + lost.velocity - new * next_root.velocity.linear[0],
        acceleration: old * shown.acceleration.linear[0] + lost.acceleration - new * next_root.acceleration.linear[0],
    };
    h.root_turn = Offset {
        value: Vec3::ZERO,
        velocity: up(&shown.velocity) + lost_turn.velocity - up(&next_root.velocity),
        acceleration: up(&shown.acceleration) + lost_turn.acceleration - up(&next_root.acceleration),
    };
    if config.transition.reference_defects {
        h.root_offset.velocity += lost.velocity;
        h.root_turn.value = lost_turn.value;
        h.root_turn.velocity += lost_turn.velocity;
    }
    h.animated_root = Transform::new(shown_root.translation + shift, shown_root.rotation);
    h.since_transition_s = 0.0;
    h.playing = next;
    h.events_s = next.time_s;
    h.transitions += 1;
    h.drop_anchor();
    state.offsets_mut(&scratch.layout).start(&seams(db, config), &scratch.shown, &scratch.next);
}

fn seams<'a>(db: &'a Database, config: &'a MatcherConfig) -> Joints<'a> {
    Joints {
        config: &config.transition,
        translated: &db.poses.translated,
        carries_foot: &db.carries_foot,
        feet_alone: false,
    }
}

/// By how much the next clip must be put down beside the root, root space on the ground, so that feet which touch in both
/// stay where they are. The poses are in `scratch`.
fn planted(db: &Database, config: &MatcherConfig, state: &MatcherState, scratch: &mut Scratch, next: Playing) -> Vec3 {
    if config.transition.plant_m <= 0.0 {
        return Vec3::ZERO;
    }
    let playing = state.header.playing;
    let (before, after) = (&mut scratch.touching, &mut scratch.buffers.contacts);
    db.contacts_at(playing.clip, playing.mirrored, playing.time_s, before);
    db.contacts_at(next.clip, next.mirrored, next.time_s, after);
    let (mut shift, mut feet) = (Vec3::ZERO, 0.0f32);
    for ((joint, before), after) in db.contact_joints.iter().zip(before).zip(after) {
        if *before == 1 && *after == 1 {
            let at = |pose: &Pose| pose.in_root(&db.skeleton, *joint).translation;
            shift += at(&scratch.shown.pose) - at(&scratch.next.pose);
            feet += 1.0;
        }
    }
    shift.y = 0.0;
    (shift / feet.max(1.0)).clamp_length_max(config.transition.plant_m)
}

/// What a clip shows at a moment, with the velocities that it has at a play rate.
pub fn sample(db: &Database, playing: Playing, rate: f32, (pose, velocity): (&mut Pose, &mut PoseVelocity)) {
    db.view(playing.clip, playing.mirrored).sample(playing.time_s, pose, velocity);
    if rate != 1.0 {
        velocity.scale(rate);
    }
}

/// As [`sample`], with accelerations, where wanted (else zero): differences of the velocities one frame to either side.
fn sample_moving(
    db: &Database,
    playing: Playing,
    rate: f32,
    accelerations: bool,
    moving: &mut Moving,
    beside: &mut (Pose, PoseVelocity),
) {
    let step_s = 1.0 / f64::from(db.pose_rate_hz);
    let at = |by_s: f64| Playing { time_s: playing.time_s + by_s, ..playing };
    let root = |by_s: f64| db.view(playing.clip, playing.mirrored).root(playing.time_s + by_s).0.rotation;
    let Moving { pose, velocity, acceleration } = moving;
    if !accelerations {
        acceleration.linear.fill(Vec3::ZERO);
        acceleration.angular.fill(Vec3::ZERO);
        return sample(db, playing, rate, (pose, velocity));
    }
    sample(db, at(step_s), rate, (pose, acceleration));
    sample(db, at(-step_s), rate, (&mut beside.0, &mut beside.1));
    // Velocities of joint 0 are along the root's axes of their own moment: bring them to this one's.
    let here = root(0.0).inverse();
    acceleration.linear[0] = here * root(step_s) * acceleration.linear[0];
    beside.1.linear[0] = here * root(-step_s) * beside.1.linear[0];
    acceleration.difference(&beside.1, 0.5 * db.pose_rate_hz * rate);
    sample(db, playing, rate, (pose, velocity));
}

/// The playing clip with its seam hidden, where the root is shown: what the clips alone give.
fn animate(
    db: &Database,
    config: &MatcherConfig,
    state: &MatcherState,
    layout: &BlockLayout,
    (pose, velocity): (&mut Pose, &mut PoseVelocity),
) {
    let h = &state.header;
    sample(db, h.playing, h.play_rate, (&mut *pose, &mut *velocity));
    hide_seam(config, state, layout, &seams(db, config), (pose, velocity));
}

/// Adds what is left of the last transition's offsets to the playing clip's pose, and puts it where the root is shown.
fn hide_seam(
    config: &MatcherConfig,
    state: &MatcherState,
    layout: &BlockLayout,
    seams: &Joints,
    (pose, velocity): (&mut Pose, &mut PoseVelocity),
) {
    let h = &state.header;
    let since = h.since_transition_s;
    let body = (&mut *pose, &mut *velocity);
    state.offsets(layout).apply(seams, since, body, None);
    let residual = h.root_residual(&config.transition);
    let root = h.shifted_root(&residual);
    let (shift, turn) = residual;
    let animated = h.animated_root.rotation * h.warp.way(velocity.linear[0]);
    pose.set_world_from_root(root);
    velocity.linear[0] = root.inverse_direction(animated + shift.velocity);
    velocity.angular[0].y += turn.velocity.y;
}

/// What is shown now, without corrections of the feet, into `scratch.shown`.
pub fn shown_body(db: &Database, config: &MatcherConfig, state: &MatcherState, scratch: &mut Scratch) {
    let Moving { pose, velocity, .. } = &mut scratch.shown;
    animate(db, config, state, &scratch.layout, (pose, velocity));
}

/// A control tick of what bends the body: how it is warped, which feet are held, which let go.
pub fn tick_body(
    db: &Database,
    config: &MatcherConfig,
    input: &MotionInput,
    state: &mut MatcherState,
    scratch: &mut Scratch,
    dt_s: f32,
) {
    let warps = config.warps();
    let Some(body) = db.body.as_ref().filter(|_| warps || config.feet.enabled) else { return };
    let p = state.header.playing;
    let clip_root = state.header.animated_root.rotation;
    let Moving { pose, velocity, .. } = &mut scratch.shown;
    // Nothing but the feet is looked at.
    db.view(p.clip, p.mirrored).sample_some(p.time_s, |j| db.carries_foot[j], pose, velocity);
    for j in (0..db.carries_foot.len()).filter(|j| db.carries_foot[*j]) {
        velocity.linear[j] *= state.header.play_rate;
        velocity.angular[j] *= state.header.play_rate;
    }
    for (clip_velocity, joint) in scratch.toe_velocities.iter_mut().zip(&db.contact_joints) {
        let own = velocity_in_root(&db.skeleton, pose, velocity, *joint);
        *clip_velocity = clip_root * state.header.warp.way(own);
    }
    let feet_alone = Joints { feet_alone: true, ..seams(db, config) };
    hide_seam(config, state, &scratch.layout, &feet_alone, (&mut *pose, velocity));
    let mut lower = LowerBody::of(&db.skeleton, body, pose);
    if warps {
        let mut warp = state.header.warp;
        warp.tick(db, config, input, &state.header, &lower, dt_s);
        warp.apply(&db.skeleton, body, config, 0.0, &mut lower, pose);
        state.header.warp = warp;
    }
    db.contacts_at(p.clip, p.mirrored, p.time_s, &mut scratch.touching);
    let root = pose.world_from_root();
    let (rate, slip) = (state.header.play_rate, state.header.root_slip);
    let mut needed = 0.0f32;
    let feet = state.feet_mut(&scratch.layout).iter_mut();
    for (slot, (foot, leg)) in feet.zip(lower.legs()).enumerate() {
        let Some(leg) = leg else { continue };
        let touches = scratch.touching[slot] == 1;
        let (lands_in_s, stands_s) = db.next_contact_s(p.clip, p.mirrored, slot, p.time_s);
        let animated = root.point(leg.toe.translation);
        let footing = Footing {
            animated,
            carried: input.ground.map_or(Vec3::ZERO, |g| ground_velocity(g, animated)),
            clip_velocity: scratch.toe_velocities[slot],
            slip,
            touches,
            lands_in_s: lands_in_s / rate,
            stands_s: stands_s / rate,
        };
        foot.tick(&config.feet, &footing, dt_s);
        let toe = root.inverse_point(foot.shown(&config.feet, footing.animated, 0.0));
        needed = needed.max(leg.sink_needed(toe, config.feet.reach()));
    }
    let h = &mut state.header;
    config.feet.pelvis.sink(&mut h.pelvis, h.pelvis_needed_m, dt_s);
    h.pelvis_needed_m = needed;
}

/// Bends the legs so that the feet are where they are to be.
fn correct_feet(
    skeleton: &Skeleton,
    body: &Body,
    config: &MatcherConfig,
    h: &StateHeader,
    feet: &[Foot],
    lower: &mut LowerBody,
    pose: &mut Pose,
) {
    let after_s = h.since_control_s() as f32;
    let root = pose.world_from_root();
    let mut sunk = h.pelvis;
    config.feet.pelvis.sink(&mut sunk, h.pelvis_needed_m, after_s);
    lower.shift_hips(skeleton, body, Vec3::Y * -sunk.value, pose);
    for (foot, leg) in feet.iter().zip(lower.legs_mut()) {
        let Some(leg) = leg else { continue };
        // Before the pelvis sank.
        let animated = root.point(leg.toe.translation + Vec3::Y * sunk.value);
        let mut target = foot.shown(&config.feet, animated, after_s);
        // Uneven ground has its own way of keeping feet out of it.
        if h.corrections.body.seen == 0.0 {
            target.y = config.feet.above_ground(target.y);
        }
        let target = root.inverse_point(target);
        if (target - leg.toe.translation).length_squared() > 1e-10 {
            leg.stand(target, foot.standing(after_s), config.feet.reach());
        }
    }
}

/// Fills the output with what is to be seen now. With `now` (input and time step) all that bends what is shown moves on.
pub fn show(
    db: &Database,
    config: &MatcherConfig,
    state: &mut MatcherState,
    layout: &BlockLayout,
    output: &mut Output,
    now: Option<Now>,
) {
    let h = &state.header;
    animate(db, config, state, layout, (&mut output.pose, &mut output.velocity));
    for (out, foot) in output.locked_s.iter_mut().zip(state.feet(layout)) {
        *out = foot.held_s;
    }
    db.contacts_at(h.playing.clip, h.playing.mirrored, h.playing.time_s, &mut output.contacts);
    db.curves_at(h.playing.clip, h.playing.time_s, &mut output.curves);
    if let Some(body) = &db.body {
        bend_legs(db, body, config, state, layout, output, now);
    }
    corrections::correct(db, config, state, now, &mut output.pose);
}

/// What moves pelvis and legs: warps, feet that are held, uneven ground.
fn bend_legs(
    db: &Database,
    body: &Body,
    config: &MatcherConfig,
    state: &mut MatcherState,
    layout: &BlockLayout,
    output: &mut Output,
    now: Option<Now>,
) {
    let h = &state.header;
    let warps = config.warps();
    let locks = config.feet.enabled;
    let grounds = config.ground.enabled && (h.corrections.body.seen > 0.0 || now.is_some_and(|n| n.0.ground.is_some()));
    if !(warps || locks || grounds) {
        return;
    }
    let pose = &mut output.pose;
    let mut lower = LowerBody::of(&db.skeleton, body, pose);
    if warps {
        h.warp.apply(&db.skeleton, body, config, h.since_control_s() as f32, &mut lower, pose);
    }
    if locks {
        correct_feet(&db.skeleton, body, config, h, state.feet(layout), &mut lower, pose);
    }
    if grounds {
        corrections::fit_to_ground(db, body, config, state, layout, now, &output.contacts, &mut lower, pose);
    }
    lower.write(pose);
}

/// Puts a character elsewhere: root, simulation and memory move together.
pub fn teleport(config: &MatcherConfig, state: &mut MatcherState, layout: &BlockLayout, world_from_root: Transform) {
    let shown = state.header.shown_root(&config.transition);
    let facing = Facing::from_rotation(world_from_root.rotation);
    let target = Transform::new(world_from_root.translation, facing.rotation());
    let by = target * shown.inverse();
    let turned = |f: Facing| Facing::from_direction(by.direction(f.direction())).unwrap_or(f);
    let h = &mut state.header;
    h.animated_root = by * h.animated_root;
    h.root_offset = h.root_offset.turned(by.rotation);
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
    h.corrections.body = h.corrections.body.moved(by);
    for foot in state.feet_mut(layout) {
        *foot = foot.moved(by);
    }
    for foot in state.grounded_mut(layout).1 {
        *foot = foot.moved(by);
    }
    for sample in state.block[layout.history.clone()].chunks_exact_mut(crate::trajectory::history::WIDTH) {
        let p = by.point(Vec3::from_slice(sample));
        let f = turned(Facing { x: sample[3], z: sample[4] });
        sample.copy_from_slice(&[p.x, p.y, p.z, f.x, f.z]);
    }
}
