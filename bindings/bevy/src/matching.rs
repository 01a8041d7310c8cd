//! Systems over all characters, from inputs to poses of the clips' skeleton.

use crate::actions::MotionAction;
use crate::components::{MotionCharacter, MotionKind, MotionOutput, MotionPaused, MotionState, RootDriver};
use crate::components::{lift_m, shown_root};
use crate::convert::{from_matcher, into_matcher, into_root, into_vec};
use crate::input::{HandTargets, LookAt, MotionBody, MotionInput};
use crate::montages::MotionMontages;
use crate::plugin_state::PluginState;
use crate::probe::{GroundProbe, MotionWorld, WallProbe};
use crate::recorder::MotionRecorder;
use crate::variables::MotionVariables;
use bevy_ecs::batching::BatchingStrategy;
use bevy_ecs::entity::unique_vec::UniqueEntityVec;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{StaticSystemParam, SystemParamItem};
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use bevy_time::Time;
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_utils::Parallel;
use footwork::advanced::matcher::One;
use footwork::input as core;
use footwork::matcher::{Character, Scratch, SearchScheduler, Turn};
use std::sync::Arc;
use tracing::error;

/// Number of characters of a task, which share working memory.
const CHUNK: usize = 16;
/// Distance within which the shown root and a `Transform` count as equal, in metres.
const SAME_M: f32 = 1e-3;
/// Same for rotations, as a dot product.
const SAME_DOT: f32 = 1.0 - 1e-6;

/// Budget of searches for crowds.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Resource, Default, Clone, PartialEq)]
pub struct MotionBudget {
    /// Maximum searches per frame over all characters. Default `None`: every character searches ten times per second, and its
    /// motion does not depend on the frame rate.
    pub searches_per_frame: Option<usize>,
    /// Distance from the nearest [`MotionViewer`] up to which a character has full priority, in metres. Farther characters search
    /// less often. Default: 10.
    pub near_m: f32,
}

impl Default for MotionBudget {
    fn default() -> Self {
        Self { searches_per_frame: None, near_m: 10.0 }
    }
}

/// Marker for cameras. Within a [`MotionBudget`], characters near a viewer search more often.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionViewer;

/// Characters of one kind, and their search scheduler.
pub(crate) struct Group {
    kind: Arc<Character>,
    members: Vec<Entity>,
    scheduler: SearchScheduler,
    significance: Vec<f32>,
}

/// All moving characters, by kind.
#[derive(Resource, Default)]
pub(crate) struct Crowds {
    groups: Vec<Group>,
    /// All members of all groups.
    order: UniqueEntityVec,
    frame: u64,
}

/// Converts inputs to the input of footwork, scaled to the clips' body.
pub(crate) fn prepare_inputs(
    mut characters: Query<
        (
            Entity,
            (&MotionCharacter, &MotionKind, &MotionInput, &Transform),
            (&MotionVariables, Option<&MotionMontages>),
            (Option<&LookAt>, Option<&HandTargets>, Option<&MotionBody>, Has<GroundProbe>),
            Option<&MotionAction>,
            (&mut MotionState, &mut PluginState),
        ),
        Without<MotionPaused>,
    >,
    places: Query<&GlobalTransform>,
) {
    for (entity, asked, (variables, montages), others, action, (mut state, mut plugin_state)) in &mut characters {
        let (look, hands, body, probed) = others;
        let (character, kind, input, at) = asked;
        let (scale, shared) = (kind.scale, &kind.character);
        let filled =
            plugin_state.prepared.fill(input, scale, shared.database().map(|d| &**d), shared.schema().user_width);
        let machine = shared.machine();
        let PluginState { prepared, variables: known, unknown, .. } = &mut *plugin_state;
        let tell = |what: String| error!("motion of {entity}: {what}; it is ignored");
        known.fill(variables, machine, &mut prepared.input.variables, tell);
        let to = &mut prepared.input;
        to.montages.clear();
        to.montages.extend(montages.iter().flat_map(|m| m.calls()));
        to.action = action.and_then(|action| match action.resolve(scale, shared) {
            Ok(request) => Some(request),
            Err(what) => {
                if unknown.as_ref().is_none_or(|(id, _)| *id != action.id) {
                    tell(what.clone());
                    *unknown = Some((action.id, Some(what)));
                }
                None
            }
        });
        to.look_at = look.and_then(|l| l.0.place(&places)).map(|p| into_matcher(p, scale));
        let hands = hands.map(|h| [h.left, h.right]).unwrap_or_default();
        to.hands = hands.map(|h| h.and_then(|h| h.resolve(scale, &places)));
        to.body = (character.root == RootDriver::Body).then(|| body.copied().unwrap_or_default().resolve(at, scale));
        match &to.body {
            Some(body) if !probed => follow_height(kind, body, &mut state),
            Some(_) => {}
            None => follow(character.root, kind, at, &mut state, plugin_state.written.as_ref()),
        }
        let fault = filled.err().map(|e| e.to_string());
        if fault.is_some() || plugin_state.result.is_none() {
            plugin_state.report(entity, fault);
        }
    }
}

/// Moves the character to its entity if the game has moved the entity.
fn follow(root: RootDriver, kind: &MotionKind, at: &Transform, state: &mut MotionState, written: Option<&Transform>) {
    if root == RootDriver::Transform && written.is_some_and(|w| same_place(w, at)) {
        return;
    }
    if !same_place(&shown_root(kind, state), at) {
        put(kind, at, state);
    }
}

/// Follows a body that moves up or down, with level ground. With a ground probe, the feet find the ground themselves.
fn follow_height(kind: &MotionKind, body: &core::ExternalBody, state: &mut MotionState) {
    let mut root = state.0.world_from_root(kind.character.config());
    if (root.translation.y - body.position.y).abs() > SAME_M {
        root.translation.y = body.position.y;
        // The update reports a body with NaN.
        let _ = kind.character.teleport(root, &mut state.0);
    }
}

/// Moves a character to its entity.
fn put(kind: &MotionKind, at: &Transform, state: &mut MotionState) {
    let level = Transform { translation: at.translation - Vec3::Y * lift_m(kind, state), ..*at };
    // With NaN in the `Transform`, the character does not move; the next write corrects the `Transform`.
    let _ = kind.character.teleport(into_root(&level, kind.scale), &mut state.0);
}

fn same_place(a: &Transform, b: &Transform) -> bool {
    (a.translation - b.translation).abs().max_element() < SAME_M && a.rotation.dot(b.rotation).abs() > SAME_DOT
}

/// Sorts the characters by kind, and plans their searches.
pub(crate) fn plan_searches(
    mut crowds: ResMut<Crowds>,
    budget: Res<MotionBudget>,
    mut characters: Query<(Entity, &MotionKind, &MotionState, &mut PluginState, &Transform), Without<MotionPaused>>,
    viewers: Query<&GlobalTransform, With<MotionViewer>>,
) {
    let Crowds { groups, order, frame } = &mut *crowds;
    *frame += 1;
    let mut changed = false;
    for group in groups.iter_mut() {
        for i in (0..group.members.len()).rev() {
            match characters.get_mut(group.members[i]) {
                Ok((_, kind, _, mut plugin_state, _)) if Arc::ptr_eq(&kind.character, &group.kind) => {
                    plugin_state.counted = *frame;
                    plugin_state.turn = Turn::Regular;
                }
                _ => {
                    group.members.swap_remove(i);
                    group.scheduler.swap_remove(i);
                    changed = true;
                }
            }
        }
    }
    for (entity, kind, _, mut plugin_state, _) in &mut characters {
        if plugin_state.counted == *frame {
            continue;
        }
        plugin_state.turn = Turn::Regular;
        let found = groups.iter().position(|g| Arc::ptr_eq(&g.kind, &kind.character));
        let g = found.unwrap_or_else(|| {
            let kind = kind.character.clone();
            let scheduler = SearchScheduler::new(0, usize::MAX);
            // Replaces an empty group.
            let group = Group { kind, members: Vec::new(), scheduler, significance: Vec::new() };
            match groups.iter().position(|g| g.members.is_empty()) {
                Some(free) => {
                    groups[free] = group;
                    free
                }
                None => {
                    groups.push(group);
                    groups.len() - 1
                }
            }
        });
        groups[g].members.push(entity);
        let characters = groups[g].members.len();
        groups[g].scheduler.resize(characters);
        changed = true;
    }
    if changed {
        *order = groups.iter().flat_map(|g| g.members.iter().copied()).collect();
    }
    let Some(searches) = budget.searches_per_frame else { return };
    let all = order.len();
    for group in groups.iter_mut().filter(|g| !g.members.is_empty()) {
        let Group { kind, members, scheduler, significance } = group;
        scheduler.searches_per_frame = (searches * members.len()).div_ceil(all).max(1);
        significance.clear();
        significance.extend(members.iter().map(|m| {
            let at = characters.get(*m).map_or(Vec3::ZERO, |(_, _, _, _, t)| t.translation);
            let nearest = viewers.iter().map(|v| v.translation().distance(at)).reduce(f32::min);
            nearest.map_or(1.0, |d| (budget.near_m / d.max(1e-3)).clamp(0.0, 1.0))
        }));
        let readers = characters.as_readonly();
        let header = |m: &Entity| &readers.get(*m).expect("members were looked up above").2.0.header;
        let Ok(turns) = scheduler.plan(kind.config(), members.iter().map(header), significance) else { continue };
        for (member, turn) in members.iter().zip(turns) {
            if let Ok((_, _, _, mut plugin_state, _)) = characters.get_mut(*member) {
                plugin_state.turn = *turn;
            }
        }
    }
}

/// Working memory of a thread, one for each kind.
#[derive(Default)]
pub(crate) struct Rooms(Vec<(Arc<Character>, Scratch)>);

impl Rooms {
    fn of(&mut self, character: &Arc<Character>) -> &mut Scratch {
        let at = self.0.iter().position(|(c, _)| Arc::ptr_eq(c, character)).unwrap_or_else(|| {
            // Drops the memory of kinds that are no longer used.
            self.0.retain(|(c, _)| Arc::strong_count(c) > 1);
            self.0.push((character.clone(), character.scratch()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

/// Updates all characters, in parallel. The result of a character depends neither on the threads nor on other characters.
pub(crate) fn match_motion<W: MotionWorld>(
    crowds: Res<Crowds>,
    mut characters: Query<(
        Entity,
        &MotionKind,
        &mut MotionState,
        &mut MotionOutput,
        &mut PluginState,
        (Option<&GroundProbe>, Option<&WallProbe>, Option<&mut MotionRecorder>),
    )>,
    world: StaticSystemParam<W::Param>,
    time: Res<Time>,
    rooms: Local<Parallel<Rooms>>,
) where
    for<'w, 's> SystemParamItem<'w, 's, W::Param>: Sync,
{
    let dt_s = time.delta_secs().min(LONGEST_FRAME_S);
    let world: &SystemParamItem<W::Param> = &world;
    let crowd = characters.par_iter_many_unique_mut(&crowds.order);
    let chunks = BatchingStrategy::fixed(CHUNK);
    crowd.batching_strategy(chunks).for_each(|(entity, kind, mut state, mut output, mut plugin_state, others)| {
        let (ground_probe, wall_probe, recorder) = others;
        let mut rooms = rooms.borrow_local_mut();
        let scratch = rooms.of(&kind.character);
        let scale = kind.scale;
        let ground = |at: glam::Vec3| -> core::GroundPoint {
            let at = from_matcher(at, scale);
            let p = match ground_probe {
                Some(GroundProbe::Function(f)) => f(at),
                _ => W::ground(world, entity, at),
            };
            core::GroundPoint {
                height_m: p.height_m / scale,
                normal: into_vec(p.normal),
                velocity: into_matcher(p.velocity, scale),
            }
        };
        let wall = |from: glam::Vec3, to: glam::Vec3| -> glam::Vec3 {
            let (from, to) = (from_matcher(from, scale), from_matcher(to, scale));
            let end = match wall_probe {
                Some(WallProbe::Function(f)) => f(from, to),
                _ => W::wall(world, entity, from, to),
            };
            into_matcher(end, scale)
        };
        let plugin_state = &mut *plugin_state;
        let input = core::MotionInput {
            ground: ground_probe.is_some().then_some(&ground),
            collide: wall_probe.is_some().then_some(&wall),
            ..plugin_state.prepared.input.borrow()
        };
        let one = One { state: &mut state.0, scratch, output: &mut output.0 };
        let (character, turn) = (&*kind.character, plugin_state.turn);
        let mut recorder = recorder;
        let done = plugin_state.reports.step_whole((turn, dt_s), one, |turn, dt_s, one| match &mut recorder {
            Some(recorder) => recorder.step(character, &input, turn, dt_s, one),
            None => one.step(character, &input, turn, dt_s),
        });
        plugin_state.result = done.err();
        #[cfg(feature = "debug")]
        if let Some(seen) = &mut plugin_state.debug {
            seen.look(&kind.character, rooms.of(&kind.character), &output.0);
        }
    });
}

/// Maximum duration of a frame, in seconds. Longer frames are hitches, whose motion is not caught up.
const LONGEST_FRAME_S: f32 = 0.25;

/// Reports searches to the schedulers, and errors to the log.
pub(crate) fn record_searches(
    mut crowds: ResMut<Crowds>,
    budget: Res<MotionBudget>,
    mut characters: Query<(Entity, &MotionOutput, &mut PluginState)>,
    time: Res<Time>,
) {
    if budget.searches_per_frame.is_some() {
        for group in &mut crowds.groups {
            let searches = |m: &Entity| characters.get(*m).map_or(0, |(_, o, _)| o.0.searches);
            let Group { members, scheduler, .. } = group;
            scheduler.record(time.delta_secs(), members.iter().map(searches));
        }
    }
    for (entity, _, mut plugin_state) in &mut characters {
        if let Some(fault) = plugin_state.result.as_ref().map(ToString::to_string) {
            plugin_state.report(entity, Some(fault));
        }
    }
}
