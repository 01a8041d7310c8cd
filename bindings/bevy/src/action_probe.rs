//! Search for requests in a level without mark-up, by rays of the plugin's world.

use crate::actions::{MotionAction, MotionBlock, MotionContact};
use crate::components::{MotionKind, MotionOutput, MotionPaused, MotionState};
use crate::convert::{from_matcher, from_vec, into_vec};
use crate::obstacles::MotionObstacle;
use crate::probe::MotionWorld;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{StaticSystemParam, SystemParamItem};
use bevy_math::{Quat, Vec2, Vec3};
use bevy_transform::components::Transform;
use footwork::actions::{Proposal, Proposals, RayHit};
use footwork::input::{ActionContact, Obstacle};

/// Time between two probes, in seconds of the character's own time.
const EVERY_S: f64 = 0.1;
/// Speed of the goal from which the character counts as moving, in m/s.
const MOVING_MPS: f32 = 0.2;
/// Distance within which a contact counts as the one that was rejected, in metres, and time for which that is remembered, in seconds.
const SAME_M: f32 = 0.5;
const REMEMBERED_S: f64 = 3.0;
/// Number of rejected requests that are remembered.
const REMEMBERED: usize = 8;

/// Looks for ledges, edges, gaps and seats ahead of a character, ten times per second, by the rays of the plugin's [`MotionWorld`].
///
/// The game reads [`ActionProbe::found`] and inserts a [`MotionAction`], or the plugin does, within `takes_within_m`. A rejected
/// request is followed by the next proposal. Requests that the plugin takes let the character go to their entry by itself.
#[derive(Component, Clone, Debug)]
pub struct ActionProbe {
    /// Distance within which requests are taken without the game, in metres. Default: 0, none is taken.
    pub takes_within_m: f32,
    /// Kinds that are taken without the game. Default: all that pass what is ahead; not `sit`.
    pub kinds: Vec<String>,
    found: Proposals,
    scale: f32,
    next_s: f64,
    rejected: Vec<Rejected>,
}

/// A request that was rejected.
#[derive(Clone, Copy, Debug)]
struct Rejected {
    kind: &'static str,
    position: Vec3,
    at_s: f64,
}

impl Default for ActionProbe {
    fn default() -> Self {
        let kinds = ["jump", "hurdle", "vault", "mantle", "climb", "drop", "step_up", "step_down"];
        Self {
            takes_within_m: 0.0,
            kinds: kinds.map(str::to_owned).into(),
            found: Proposals::default(),
            scale: 1.0,
            next_s: f64::NEG_INFINITY,
            rejected: Vec::with_capacity(REMEMBERED),
        }
    }
}

impl ActionProbe {
    /// Returns a probe that passes what is ahead within a distance, in metres, without the game.
    pub fn taking(within_m: f32) -> Self {
        Self { takes_within_m: within_m, ..Self::default() }
    }

    /// Returns the results of the last probe: distance in metres, and request. The first keeps the direction best. Allocates.
    pub fn found(&self) -> impl Iterator<Item = (f32, MotionAction)> + '_ {
        self.found.found().iter().map(|p| (p.distance_m * self.scale, request(p, self.scale)))
    }

    /// Remembers a rejected request.
    pub(crate) fn reject(&mut self, action: &MotionAction, at_s: f64) {
        let Some(position) = action.contacts[0].map(|c| c.position) else { return };
        let named = |p: &&Proposal| p.kinds.iter().flatten().any(|k| action.kinds.iter().any(|name| name == k));
        let Some(kind) = self.found.found().iter().find(named).and_then(|p| p.kinds[0]) else { return };
        if self.rejected.len() == REMEMBERED {
            self.rejected.remove(0);
        }
        self.rejected.push(Rejected { kind, position, at_s });
    }

    /// Returns the proposal that is taken at a time of the character.
    fn taken(&mut self, now_s: f64) -> Option<&Proposal> {
        // A restored state may be earlier.
        self.rejected.retain(|r| (0.0..REMEMBERED_S).contains(&(now_s - r.at_s)));
        let Self { takes_within_m, kinds, found, scale, rejected, .. } = self;
        found.found().iter().find(|p| {
            let is_wanted = p.kinds.iter().flatten().all(|kind| kinds.iter().any(|k| k == kind));
            let first = p.contacts[0].map_or(Vec3::ZERO, |c| from_matcher(c.position, *scale));
            let again = |r: &Rejected| p.kinds[0] == Some(r.kind) && r.position.distance(first) < SAME_M * *scale;
            is_wanted && p.distance_m * *scale < *takes_within_m && !rejected.iter().any(again)
        })
    }
}

/// Returns a proposal as a request.
fn request(found: &Proposal, scale: f32) -> MotionAction {
    let facing = |f: footwork::math::Facing| from_vec(f.direction());
    let contact =
        |c: ActionContact| MotionContact { position: from_matcher(c.position, scale), facing: facing(c.facing) };
    let block = |o: Obstacle| MotionBlock {
        at: Transform {
            translation: from_matcher(o.position, scale),
            rotation: Quat::from_rotation_arc(Vec3::Z, facing(o.facing)),
            ..Transform::default()
        },
        shape: MotionObstacle {
            half_m: Vec2::from_array(o.half_m.to_array()) * scale,
            radius_m: o.radius_m * scale,
            height_m: o.height_m * scale,
            ..MotionObstacle::circle(0.0, 0.0)
        },
    };
    MotionAction {
        kinds: found.kinds.iter().flatten().map(|kind| (*kind).to_owned()).collect(),
        contacts: found.contacts.map(|c| c.map(contact)),
        landing_m: found.landing_m.map(|m| m * scale),
        block: found.block.map(block),
        ..MotionAction::default()
    }
}

/// Characters with a probe.
type Probing<'a> = (Entity, &'a MotionKind, &'a MotionState, &'a MotionOutput, &'a mut ActionProbe, Has<MotionAction>);

/// Probes, and takes requests.
pub(crate) fn probe_ahead<W: MotionWorld>(
    mut commands: Commands,
    mut characters: Query<Probing, Without<MotionPaused>>,
    world: StaticSystemParam<W::Param>,
) {
    let world: &SystemParamItem<W::Param> = &world;
    for (entity, kind, state, output, mut probe, is_requested) in &mut characters {
        let now_s = state.time_s();
        let waits = now_s < probe.next_s && probe.next_s - now_s <= EVERY_S;
        if waits || is_requested || output.0.owns_root {
            continue;
        }
        let scale = kind.scale;
        let ray = |from: glam::Vec3, along: glam::Vec3, length_m: f32| {
            let (from, along) = (from_matcher(from, scale), from_vec(along));
            let hit = W::ray(world, entity, from, along, length_m * scale)?;
            Some(RayHit { distance_m: hit.distance_m / scale, normal: into_vec(hit.normal) })
        };
        (probe.found, probe.scale) = (kind.character.probe(&state.0, &ray), scale);
        probe.next_s = now_s + EVERY_S;
        let moves = state.0.header.goal.desired.velocity.length() > MOVING_MPS;
        if !moves || probe.takes_within_m <= 0.0 {
            continue;
        }
        if let Some(taken) = probe.taken(now_s) {
            commands.entity(entity).insert(MotionAction { go: true, ..request(taken, scale) });
        }
    }
}
