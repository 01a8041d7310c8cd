//! The root: keeps animated root and simulated character together.

use crate::adjust::root::{AdjustRoot, RootMode};
use crate::blend::TransitionConfig;
use crate::matcher::character::Character;
use crate::matcher::state::{BlockLayout, MatcherState};
use crate::matcher::state_groups::RootState;
use crate::math::{Facing, Quat, Transform, spring};
use crate::obstacles::Around;
use crate::trajectory::{Simulation, history};
use glam::Vec3;

/// Half-life of the smoothed velocity of the root's adjustment, in seconds.
const SLIP_HALF_LIFE_S: f32 = 0.1;
/// Half-life in which the root reaches the height of the ground (without a ground, of the simulated character), in seconds.
const HEIGHT_HALF_LIFE_S: f32 = 0.1;
/// Shortest time step from which a velocity is computed, in seconds.
const SHORTEST_S: f32 = 1e-4;
/// Limit of the adjustment while a director plays its own motion, in m/s and radians per second: in effect, none.
const CARRIED: f32 = 1e6;

/// Keeps the root, which its own motion has moved, and the simulated character together.
pub struct Root<'a> {
    /// Settings; read.
    pub character: &'a Character,
    /// Height of the ground under `after`, world, in metres; read.
    pub ground_m: Option<f32>,
    /// Obstacles; read.
    pub around: Option<Around<'a>>,
    /// True while a director plays its own motion: no search corrects what a limited adjustment leaves.
    pub is_carried: bool,
    /// Animated root and simulated character; written.
    pub root: &'a mut RootState,
}

impl Root<'_> {
    /// Adjusts a root that moved from `before` to `after` within `dt_s`. The simulated character follows an unsteered one.
    pub fn run(self, before: Transform, after: Transform, unsteered: bool, dt_s: f32) {
        if unsteered || self.character.config.root.mode == RootMode::Animation {
            follow(&mut self.root.simulation, before, after, dt_s);
        } else if dt_s > 0.0 {
            self.adjust(before, after, dt_s);
        }
    }

    /// Pulls the animation towards the simulated character.
    fn adjust(self, before: Transform, after: Transform, dt_s: f32) {
        let Self { character, ground_m, around, is_carried, root: state } = self;
        let config = &character.config.root;
        config.pull_simulation(&mut state.simulation, after, dt_s);
        let (a, b) = (Facing::from_rotation(before.rotation), Facing::from_rotation(after.rotation));
        let job = AdjustRoot {
            config,
            simulation: &state.simulation,
            speed_mps: if is_carried { CARRIED } else { (after.translation - before.translation).length() / dt_s },
            turn_radps: a.angle_to(b).abs() / dt_s,
            free_turn_radps: if is_carried { CARRIED } else { character.resolved.free_turn_radps },
            dt_s,
        };
        let (mut shift, turn) = job.run(after);
        if let Some(around) = around {
            let shown = after.translation + shift;
            shift += around.push_out(shown, dt_s) - shown;
        }
        state.slip += (shift / dt_s - state.slip) * spring::damp(SLIP_HALF_LIFE_S, dt_s);
        let root = &mut state.animated;
        root.translation += shift;
        // Clips of slopes and stairs go up and down. Their height must not remain.
        let level_m = ground_m.unwrap_or(state.simulation.position.y);
        root.translation.y += (level_m - after.translation.y) * spring::damp(HEIGHT_HALF_LIFE_S, dt_s);
        root.rotation = (Quat::from_rotation_y(turn) * root.rotation).renormalize();
    }
}

/// Moves the simulated character to the animation.
fn follow(s: &mut Simulation, before: Transform, after: Transform, dt_s: f32) {
    if dt_s > SHORTEST_S {
        let (a, b) = (Facing::from_rotation(before.rotation), Facing::from_rotation(after.rotation));
        s.velocity = (after.translation - before.translation) / dt_s;
        s.yaw_rate_radps = a.angle_to(b) / dt_s;
        s.acceleration = Vec3::ZERO;
    }
    s.position = after.translation;
    s.facing = Facing::from_rotation(after.rotation);
}

/// Moves a character elsewhere: root, simulation, history and feet move together. Returns the displacement.
pub fn teleport(
    config: &TransitionConfig,
    state: &mut MatcherState,
    layout: &BlockLayout,
    world_from_root: Transform,
) -> Transform {
    let shown = state.header.shown_root(config);
    let facing = Facing::from_rotation(world_from_root.rotation);
    let target = Transform::new(world_from_root.translation, facing.rotation());
    let by = target * shown.inverse();
    let turned = |f: Facing| Facing::from_direction(by.direction(f.direction())).unwrap_or(f);
    let h = &mut state.header;
    h.root.animated = by * h.root.animated;
    h.transition.root_offset = h.transition.root_offset.turned(by.rotation);
    h.anchor.animated_root = by * h.anchor.animated_root;
    for s in [&mut h.root.simulation, &mut h.anchor.simulation] {
        s.position = by.point(s.position);
        s.velocity = by.direction(s.velocity);
        s.acceleration = by.direction(s.acceleration);
        s.facing = turned(s.facing);
    }
    h.goal.desired.velocity = by.direction(h.goal.desired.velocity);
    h.goal.desired.facing = turned(h.goal.desired.facing);
    h.goal.ticked = h.goal.ticked.map(turned);
    h.goal.path = Default::default();
    h.choice.searched_velocity = by.direction(h.choice.searched_velocity);
    h.choice.searched_facing = turned(h.choice.searched_facing);
    h.corrections.body = h.corrections.body.moved(by);
    for offset in state.points_mut(layout) {
        *offset = offset.turned(by.rotation);
    }
    for foot in state.feet_mut(layout) {
        *foot = foot.moved(by);
    }
    for foot in state.grounded_mut(layout).1 {
        *foot = foot.moved(by);
    }
    for sample in state.block[layout.history.clone()].chunks_exact_mut(history::WIDTH) {
        let p = by.point(Vec3::from_slice(sample));
        let f = turned(Facing { x: sample[3], z: sample[4] });
        sample.copy_from_slice(&[p.x, p.y, p.z, f.x, f.z]);
    }
    by
}
