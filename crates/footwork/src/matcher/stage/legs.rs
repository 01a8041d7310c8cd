//! Pelvis and legs: warps, locked feet, uneven ground.

use super::blend::blend_out;
use super::contacts::{write_next_contacts, write_touching};
use super::predict::around;
use super::warp_goals::WarpGoals;
use crate::actions::Limb;
use crate::adjust::feet::Footing;
use crate::adjust::ground::{FitToGround, GroundStep};
use crate::adjust::lower_body::{LowerBody, MAX_LEGS};
use crate::adjust::root::RootMode;
use crate::adjust::two_bone_ik::BentLeg;
use crate::blend::inertialize::{Joints, Moving};
use crate::input::{Goal, GroundHook, GroundPoint, MotionInput};
use crate::matcher::character::Character;
use crate::matcher::director::Lead;
use crate::matcher::scratch::Scratch;
use crate::matcher::state::MatcherState;
use crate::math::spring::Spring;
use crate::math::{Facing, Quat, Transform, lerp};
use crate::pose::{Pose, velocity_in_root};
use crate::rig::Body;
use glam::Vec3;

/// Decides the legs: sets the warps, and locks and releases feet.
pub struct Legs<'a> {
    /// Body, source of motion, director, settings; read.
    pub character: &'a Character,
    /// Goal, ground; read.
    pub input: &'a MotionInput<'a>,
    /// Playing clip, simulated character; read. Feet, pelvis and warp; written.
    pub state: &'a mut MatcherState,
    /// The shown legs, contacts and velocities of toes; written.
    pub scratch: &'a mut Scratch,
}

impl<'a> Legs<'a> {
    /// Runs a control tick of `dt_s`.
    pub fn run(mut self, dt_s: f32) {
        let character = self.character;
        let config = &character.config;
        let warps = config.warps();
        let body = character.model.rig.body.as_ref();
        let Some(body) = body.filter(|_| warps || config.feet.enabled) else { return };
        write_touching(character, self.state, self.scratch);
        write_next_contacts(character, self.state, self.scratch);
        let mut lower = self.sample(body);
        keep_hips_out(character, self.input, self.state, &mut lower, &mut self.scratch.shown.pose);
        if warps {
            let at = self.state.playhead(&character.resolved.layout);
            let owns_root = character.director.owns_root(self.state.director(&character.resolved.layout));
            let clip_velocity = character.source.root_velocity(at, &mut self.scratch.source);
            let h = &mut self.state.header;
            let clip_velocity = clip_velocity * h.playback.play_rate;
            let wanted = h.shown_root(&config.transition).inverse_direction(h.root.simulation.velocity);
            let is_led = !owns_root && !matches!(self.input.goal, Goal::None);
            let job = WarpGoals { character, is_led, clip_velocity, wanted, warp: &mut h.legs.warp };
            job.run(&mut lower, &mut self.scratch.shown.pose, dt_s);
        }
        self.tick_feet(&lower, dt_s);
    }

    /// Samples pelvis and legs of motion and blend, before any warp. Writes the pose to `scratch.shown`, and the velocities of
    /// landing toes by the clip alone to `scratch.toe_velocities`.
    fn sample(&mut self, body: &'a Body) -> LowerBody<'a> {
        let character = self.character;
        let (model, layout) = (&character.model, &character.resolved.layout);
        let h = &self.state.header;
        let Moving { pose, velocity, .. } = &mut self.scratch.shown;
        let carries_foot = &model.rig.carries_foot;
        // Only the joints that carry a foot are needed.
        let at = self.state.playhead(layout);
        character.source.some_joints(at, &mut self.scratch.source, carries_foot, pose, velocity);
        for j in (0..carries_foot.len()).filter(|j| carries_foot[*j]) {
            velocity.linear[j] *= h.playback.play_rate;
            velocity.angular[j] *= h.playback.play_rate;
        }
        for (slot, joint) in model.rig.contact_joints.iter().enumerate() {
            // Only the plan of a landing needs them.
            let lands_in_s = self.scratch.next_contacts[slot].0 / h.playback.play_rate;
            if self.scratch.touching[slot] != 1 && lands_in_s < character.config.feet.landing_s {
                let own = velocity_in_root(&model.skeleton, pose, velocity, *joint);
                self.scratch.toe_velocities[slot] = h.root.animated.rotation * h.legs.warp.displacement(own);
            }
        }
        let feet_alone = Joints { feet_alone: true, ..character.joints(&self.state.header.transition) };
        blend_out(character, self.state, &feet_alone, (&mut *pose, velocity));
        self.bend_by_director();
        LowerBody::of(&model.skeleton, body, character.config.feet.reach(), &self.scratch.shown.pose)
    }

    /// Applies to `scratch.shown` what the director plays over the legs, and updates the velocities of their toes.
    fn bend_by_director(&mut self) {
        let Self { character, state, scratch, .. } = self;
        let (director, at) = (&*character.director, state.after_tick(&character.resolved.layout));
        let turned = state.header.root.animated.rotation;
        let (room, shown) = scratch.layer_scratch();
        director.bend_pose(at, true, room, (&mut shown.pose, &mut shown.velocity));
        let (model, shown) = (&character.model, &scratch.shown);
        for (slot, joint) in model.rig.contact_joints.iter().enumerate() {
            if director.leads_leg(at, slot).is_some() {
                let own = velocity_in_root(&model.skeleton, &shown.pose, &shown.velocity, *joint);
                scratch.toe_velocities[slot] = turned * own;
            }
        }
    }

    /// Locks and releases the feet.
    fn tick_feet(&mut self, lower: &LowerBody, dt_s: f32) {
        let (character, input, scratch) = (self.character, self.input, &*self.scratch);
        let (config, layout) = (&character.config, &character.resolved.layout);
        let root = scratch.shown.pose.world_from_root();
        let (rate, slip) = (self.state.header.playback.play_rate, self.state.header.root.slip);
        let leads = leads(character, self.state);
        let nearer_m = nearer_m(character, self.state, lower, root, dt_s);
        let mut needed = 0.0f32;
        let feet = self.state.feet_mut(layout).iter_mut();
        for (slot, (foot, leg)) in feet.zip(lower.legs()).enumerate() {
            let Some(leg) = leg else { continue };
            let (lands_in_s, stands_s) = scratch.next_contacts[slot];
            let animated = root.point(leg.toe.translation + lower.out(slot) * foot.aside_m(dt_s));
            let animated = leads[slot].map_or(animated, |lead| lead.toe(animated));
            let footing = Footing {
                animated,
                heading_rad: heading_rad(character, root, leg),
                carried: input.ground.map_or(Vec3::ZERO, |g| GroundPoint::under(g, animated).horizontal_velocity()),
                clip_velocity: scratch.toe_velocities[slot],
                slip,
                touches: scratch.touching[slot] == 1,
                lands_in_s: lands_in_s / rate,
                stands_s: stands_s / rate,
                place: leads[slot].filter(|lead| lead.holds).map(|lead| lead.to),
                nearer_m: nearer_m[slot],
            };
            foot.tick(&config.feet, &footing, dt_s);
            let toe = root.inverse_point(foot.shown(&config.feet, footing.animated, 0.0));
            needed = needed.max(leg.sink_needed(toe, config.feet.reach()));
        }
        let legs = &mut self.state.header.legs;
        config.feet.pelvis.sink(&mut legs.pelvis, legs.pelvis_needed_m, dt_s);
        legs.pelvis_needed_m = needed;
    }
}

/// Returns where the director leads the feet, `[contact joints]`.
pub fn leads(character: &Character, state: &MatcherState) -> [Option<Lead>; MAX_LEGS] {
    let (memory, now_s) = (state.director(&character.resolved.layout), state.header.clock.time_s);
    let mut leads = [None; MAX_LEGS];
    if character.director.owns_root(memory) {
        for (slot, lead) in leads.iter_mut().enumerate() {
            *lead = character.director.lead(memory, now_s, Limb::Foot(slot));
        }
    }
    leads
}

/// Bends pelvis and legs of the pose to be shown.
pub struct BendLegs<'a> {
    /// Body, settings; read.
    pub character: &'a Character,
    /// Ground; read.
    pub input: &'a MotionInput<'a>,
    /// Feet, pelvis and warp; read. Fit to the ground; written.
    pub state: &'a mut MatcherState,
    /// `[contact joints]` 1 for a joint that touches the ground, else 0; read.
    pub touching: &'a [u8],
    /// The pose; written.
    pub pose: &'a mut Pose,
}

impl BendLegs<'_> {
    /// Bends the legs. With `dt_s`, the fit to the ground advances first.
    pub fn run(mut self, dt_s: Option<f32>) {
        let character = self.character;
        let (model, config) = (&character.model, &character.config);
        let Some(body) = &model.rig.body else { return };
        let h = &self.state.header;
        let warps = config.warps();
        let locks = config.feet.enabled;
        let seen = h.corrections.body.seen > 0.0;
        let grounds = config.ground.enabled && (seen || (dt_s.is_some() && self.input.ground.is_some()));
        if !(warps || locks || grounds || !self.input.obstacles.all().is_empty()) {
            return;
        }
        let mut lower = LowerBody::of(&model.skeleton, body, character.config.feet.reach(), self.pose);
        let (memory, now_s) = (self.state.director(&character.resolved.layout), h.clock.time_s);
        if let Some(lead) = character.director.lead(memory, now_s, Limb::Hips) {
            let (root, hips) = (self.pose.world_from_root(), lower.hips().translation);
            lower.shift_hips(root.inverse_point(lead.point(root.point(hips))) - hips, self.pose);
        }
        keep_hips_out(character, self.input, self.state, &mut lower, self.pose);
        if warps {
            h.legs.warp.apply(config, h.clock.since_control_s() as f32, &mut lower, self.pose);
        }
        if locks {
            place_feet(character, self.state, &mut lower, self.pose);
        }
        if grounds {
            self.fit_to_ground(dt_s, &mut lower);
        }
        lower.write(self.pose);
    }

    /// Fits pelvis and legs to the ground.
    fn fit_to_ground(&mut self, dt_s: Option<f32>, lower: &mut LowerBody) {
        let (character, input) = (self.character, self.input);
        let (model, c) = (&character.model, &character.config.ground);
        let fit = FitToGround { config: c, soles: &model.rig.soles };
        let layout = &character.resolved.layout;
        let owns_root = character.director.owns_root(self.state.director(layout));
        let brings_ground = owns_root
            || !character.resolved.own_ground.is_empty()
                && character.source.tags(self.state.playhead(layout)).intersects(&character.resolved.own_ground);
        let acted = character.memory_of_actions(self.state).filter(|_| !owns_root).copied();
        let pose = &mut *self.pose;
        let (corrections, feet) = self.state.grounded_mut(layout);
        let (own, grounded) = (&mut corrections.own_ground, &mut corrections.body);
        if let Some(dt_s) = dt_s
            && (input.ground.is_some() || grounded.seen > 0.0)
        {
            let world_from_root = pose.world_from_root();
            let root = world_from_root.translation;
            // Without a ground hook, the ground is level at the root's height.
            let level = |_: Vec3| GroundPoint { height_m: root.y, ..GroundPoint::default() };
            let ground: &GroundHook = input.ground.unwrap_or(&level);
            let goal = f32::from(u8::from(brings_ground));
            if grounded.seen == 0.0 {
                *own = Spring::at(goal);
            }
            own.to(goal, c.body_half_life_s, dt_s);
            let under = |at: Vec3| GroundPoint::under(ground, at);
            let (mut under_root, share) = (under(root), 1.0 - own.value);
            under_root = acted.map_or(under_root, |acted| acted.at_edge(root, under_root, under_root));
            let mut rising_mps = None;
            if owns_root {
                // Over a wall or up a ledge, the ground of an action rises with the root, whatever is under it.
                let is_measured = grounded.seen > 0.0 && dt_s > 0.0;
                rising_mps = Some(if is_measured { (root.y - grounded.root.y) / dt_s } else { 0.0 });
                under_root.height_m = root.y;
            }
            let fitted = |at: Vec3| {
                let p = acted.map_or(under(at), |acted| acted.at_edge(root, under_root, under(at)));
                GroundPoint {
                    height_m: lerp(under_root.height_m, p.height_m, share),
                    normal: Vec3::Y.lerp(p.normal, share).normalize_or(Vec3::Y),
                    velocity: rising_mps.map_or(p.velocity, |y| p.velocity.with_y(y)),
                }
            };
            let step = GroundStep { ground: &fitted, touches: self.touching, world_from_root, dt_s };
            fit.update(&step, lower, feet, grounded);
        }
        fit.apply(feet, grounded, lower, pose);
    }
}

/// Moves the hips out of obstacles, unless the game or an action moves the body.
fn keep_hips_out(
    character: &Character,
    input: &MotionInput,
    state: &MatcherState,
    lower: &mut LowerBody,
    pose: &mut Pose,
) {
    let Some(around) = around(character, input, state) else { return };
    let is_led = character.director.owns_root(state.director(&character.resolved.layout));
    if is_led || character.config.root.mode == RootMode::External {
        return;
    }
    let root = pose.world_from_root();
    let by = around.push_hips(root.translation, root.point(lower.hips().translation));
    if by != Vec3::ZERO {
        lower.shift_hips(root.inverse_direction(by), pose);
    }
}

/// Limits of the height of the hips, as shares of their height in the rest pose. Below the first, the pelvis is lowered less for
/// locked feet; below the second, not at all. Legs that are bent so far reach, and the clip itself goes down.
const LOW_HIPS: [f32; 2] = [0.85, 0.75];

/// Turns of a foot below this angle are not shown, in radians.
const LEAST_TURN_RAD: f32 = 1e-5;

/// Returns the share of a lowering of the pelvis that is shown, 0 to 1, if the clip has its hips at `hips_m`.
fn share_of_sinking(hips_m: f32, hips_rest_m: f32) -> f32 {
    let [high, low] = LOW_HIPS;
    if hips_rest_m > 0.0 { ((hips_m / hips_rest_m - low) / (high - low)).clamp(0.0, 1.0) } else { 1.0 }
}

/// Returns the heading of a foot in the world, radians about +Y: its turn since the standing pose, where feet point ahead.
fn heading_rad(character: &Character, root: Transform, leg: &BentLeg) -> f32 {
    let standing = character.model.rig.standing[leg.leg.toe.at()].rotation;
    let turn = (root.rotation * leg.toe.rotation * standing.inverse()).yaw_twist();
    Facing::from_rotation(turn).yaw()
}

/// Speed of a body from which its swinging feet make way in full, in m/s.
const WALKS_MPS: f32 = 0.5;

/// Returns by how much nearer than in the clip each foot is to its opposite, `[contact joints]`, in metres across the body, since locks hold
/// or lead one of them elsewhere. 0 where there is no opposite, for a body at rest (its feet pass nothing), and while an action plays.
/// `dt_s`: time since the last tick.
fn nearer_m(
    character: &Character,
    state: &MatcherState,
    lower: &LowerBody,
    root: Transform,
    dt_s: f32,
) -> [f32; MAX_LEGS] {
    let layout = &character.resolved.layout;
    if character.director.owns_root(state.director(layout)) {
        return [0.0; MAX_LEGS];
    }
    let share = (state.header.root.simulation.velocity.length() / WALKS_MPS).min(1.0);
    let mut moved = [Vec3::ZERO; MAX_LEGS];
    for ((moved, foot), leg) in moved.iter_mut().zip(state.feet(layout)).zip(lower.legs()) {
        let Some(leg) = leg else { continue };
        let animated = root.point(leg.toe.translation);
        *moved = root.inverse_direction(foot.shown(&character.config.feet, animated, dt_s) - animated);
    }
    std::array::from_fn(|slot| {
        let nearer = lower.opposite(slot).and_then(|other| Some(*moved.get(other)? - moved[slot]));
        nearer.map_or(0.0, |by| by.dot(lower.out(slot)).max(0.0) * share)
    })
}

/// Bends the legs so that the feet reach their targets.
fn place_feet(character: &Character, state: &MatcherState, lower: &mut LowerBody, pose: &mut Pose) {
    let (config, h) = (&character.config.feet, &state.header);
    let after_s = h.clock.since_control_s() as f32;
    let root = pose.world_from_root();
    let mut sunk = h.legs.pelvis;
    config.pelvis.sink(&mut sunk, h.legs.pelvis_needed_m, after_s);
    let sunk_m = sunk.value * share_of_sinking(lower.hips().translation.y, character.resolved.hips_rest_m);
    lower.shift_hips(Vec3::Y * -sunk_m, pose);
    let layout = &character.resolved.layout;
    let (leads, owns_root) = (leads(character, state), character.director.owns_root(state.director(layout)));
    for (slot, foot) in state.feet(layout).iter().enumerate() {
        let out = lower.out(slot);
        let Some(Some(leg)) = lower.legs_mut().get_mut(slot) else { continue };
        // Position before the pelvis was lowered.
        let animated = root.point(leg.toe.translation + Vec3::Y * sunk_m + out * foot.aside_m(after_s));
        let animated = leads[slot].map_or(animated, |lead| lead.toe(animated));
        let mut target = foot.shown(config, animated, after_s);
        // On uneven ground, the fit to the ground keeps feet above it. An action brings its own ground.
        if h.corrections.body.seen == 0.0 && !owns_root {
            let level_m = h.root.simulation.position.y;
            target.y = level_m + config.above_ground(target.y - level_m);
        }
        let turn_rad = foot.turn(config, heading_rad(character, root, leg), after_s);
        let turns = turn_rad.abs() > LEAST_TURN_RAD;
        if turns {
            leg.turn_foot(Quat::from_rotation_y(turn_rad));
        }
        let target = leg.less_stretched(root.inverse_point(target), foot.following(config, after_s), config.reach());
        if turns || (target - leg.toe.translation).length_squared() > 1e-10 {
            leg.stand(target, foot.standing(after_s), config.reach());
        }
    }
}
