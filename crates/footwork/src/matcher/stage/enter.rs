//! Entering from a pose of any origin: a ragdoll, a cut-scene, another animation, another character.

use super::blended_feet::Feet;
use crate::blend::Offset;
use crate::blend::inertialize::Moving;
use crate::input::InputError;
use crate::matcher::character::Character;
use crate::matcher::character::Choose;
use crate::matcher::scratch::Scratch;
use crate::matcher::state::MatcherState;
use crate::math::{Facing, Transform};
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Rejects a pose with another number of joints than the character's skeleton, and one that is not finite.
pub fn check(character: &Character, pose: &Pose, velocity: &PoseVelocity) -> Result<(), InputError> {
    let joints = character.model.skeleton.len();
    let lengths = [pose.translations.len(), pose.rotations.len(), velocity.linear.len(), velocity.angular.len()];
    if let Some(found) = lengths.into_iter().find(|n| *n != joints) {
        return Err(InputError::Joints { expected: joints, found });
    }
    let vectors = [("pose.translations", &pose.translations), ("velocity.linear", &velocity.linear)];
    for (field, values) in vectors.into_iter().chain([("velocity.angular", &velocity.angular)]) {
        if let Some(v) = values.iter().flat_map(|v| v.to_array()).find(|v| v.is_nan() || v.abs() > LARGEST) {
            return Err(InputError::NotUsable { field, value: v });
        }
    }
    match pose.rotations.iter().find(|q| q.length().is_nan() || (q.length() - 1.0).abs() > UNIT_ERROR) {
        Some(q) => Err(InputError::NotUsable { field: "pose.rotations", value: q.length() }),
        None => Ok(()),
    }
}

/// Maximum magnitude of a value, in metres, m/s or radians per second.
const LARGEST: f32 = 1e6;
/// Maximum error of the length of a rotation.
const UNIT_ERROR: f32 = 1e-2;

/// Restarts a character from the pose in `scratch.shown`, whose joint 0 is in world space: plays the best match, and blends from the
/// pose. The director restarts, too, unless `director_goes_on`.
pub fn enter(at: &mut Choose, director_goes_on: bool) {
    let character = at.character;
    let (model, layout) = (&character.model, &character.resolved.layout);
    let root = upright(&model.skeleton, &mut at.scratch.shown);
    at.output.begin();
    if !director_goes_on {
        let time_s = at.state.header.clock.time_s;
        character.director.restart(at.state.director_mut(layout), time_s, at.output);
    }
    let playing = at.state.header.playback.playing;
    let block = std::mem::take(&mut at.state.block);
    let directors = block[layout.director.clone()].to_vec();
    *at.state = MatcherState::new_in(block, model, layout, root, playing);
    character.begin(at.state);
    at.state.director_mut(layout).copy_from_slice(&directors);
    let (shown, h) = (&at.scratch.shown, &mut at.state.header);
    let simulation = &mut h.root.simulation;
    simulation.velocity = root.direction(shown.velocity.linear[0]) * Vec3::new(1.0, 0.0, 1.0);
    simulation.yaw_rate_radps = shown.velocity.angular[0].y;
    h.goal.desired.velocity = simulation.velocity;
    let playing = character.director.enter(&mut at.directed()).unwrap_or_else(|| character.chooser.enter(at));
    at.state.header.playback.enter(playing);
    character.source.clear_unused(&playing, &mut at.scratch.memory);
    at.state.block[layout.memory.clone()].copy_from_slice(&at.scratch.memory);
    blend_from_shown(character, at.state, at.scratch, root);
}

/// Starts the blend from the pose in `scratch.shown` to the playing clip, with the root at `root`.
fn blend_from_shown(character: &Character, state: &mut MatcherState, scratch: &mut Scratch, root: Transform) {
    let layout = &character.resolved.layout;
    let Moving { pose, velocity, acceleration } = &mut scratch.next;
    character.source.pose(state.playhead(layout), &mut scratch.source, pose, velocity);
    acceleration.linear.fill(Vec3::ZERO);
    acceleration.angular.fill(Vec3::ZERO);
    let (shown, next) = (&scratch.shown, &scratch.next);
    let h = &mut state.header;
    let faster = root.direction(shown.velocity.linear[0] - next.velocity.linear[0]);
    h.transition.root_offset = Offset { velocity: faster, ..Offset::default() };
    let turns = shown.velocity.angular[0].y - next.velocity.angular[0].y;
    h.transition.root_turn = Offset { velocity: Vec3::Y * turns, ..Offset::default() };
    h.transition.blend_s = 0.0;
    h.drop_anchor();
    let joints = character.joints(&state.header.transition);
    state.offsets_mut(layout).start(&joints, shown, next);
    let [shown, next] = [shown, next].map(|body| Feet::of(&character.model, body, root, 1.0));
    shown.start(&next, Vec3::ZERO, state.points_mut(layout));
}

/// Replaces the root of a body by an upright one in the same position, rotated about +Y only. The joints below it stay in place
/// in the world. Returns the new root.
fn upright(skeleton: &Skeleton, body: &mut Moving) -> Transform {
    let old = body.pose.world_from_root();
    let facing = Facing::from_rotation(old.rotation);
    let root = Transform::new(old.translation, facing.rotation());
    let by = root.rotation.inverse() * old.rotation;
    for j in (1..skeleton.len()).filter(|j| skeleton.parents()[*j].is_some_and(|p| p.at() == 0)) {
        body.pose.translations[j] = by * body.pose.translations[j];
        body.pose.rotations[j] = (by * body.pose.rotations[j]).renormalize();
        body.velocity.linear[j] = by * body.velocity.linear[j];
        body.velocity.angular[j] = by * body.velocity.angular[j];
    }
    body.velocity.linear[0] = by * body.velocity.linear[0];
    // The root rotates about +Y only. The rest of its rotation goes to the joints below it.
    let turns = by * body.velocity.angular[0];
    let tips = Vec3::new(turns.x, 0.0, turns.z);
    body.velocity.angular[0] = Vec3::Y * turns.y;
    for j in (1..skeleton.len()).filter(|j| skeleton.parents()[*j].is_some_and(|p| p.at() == 0)) {
        body.velocity.linear[j] += tips.cross(body.pose.translations[j]);
        body.velocity.angular[j] += tips;
    }
    body.pose.set_world_from_root(root);
    root
}
