//! Requests for actions: noticed, answered and entered at control ticks.

use super::blend::Transition;
use super::legs::leads;
use super::query::{Query, write_shown_body};
use crate::actions::{Action, Place, Plan, Refusal, RefusalReason, Situation, places};
use crate::adjust::lower_body::MAX_LEGS;
use crate::input::{ActionRequest, MotionInput};
use crate::matcher::acted::{Acted, NEVER, NONE, PLAYS, STANDING, split_s};
use crate::matcher::acting::Acting;
use crate::matcher::character::Character;
use crate::matcher::output::{ActionEvent, ActionStep, Output};
use crate::matcher::playing::Playing;
use crate::matcher::scratch::Scratch;
use crate::matcher::state::MatcherState;
use crate::matcher::state_groups::CONTROL_S;
use crate::math::{Facing, flat, wrap_angle};
use glam::{Vec3, Vec3Swizzles};

/// Distance and angle from the entry of an action at which a character is there: metres, radians.
const THERE: [f32; 2] = [0.015, 0.03];

/// Shortest time at rest before an action that must begin in time, in seconds.
const EARLY_S: f64 = 0.02;

/// Answers the request of the input, and enters its action when it fits.
pub struct Act<'a> {
    /// Actions, director, settings; read.
    pub character: &'a Character,
    /// Request; read.
    pub input: &'a MotionInput<'a>,
    /// Memory of the action, playing clip, offsets that decay; written.
    pub state: &'a mut MatcherState,
    /// The shown body and its features; written.
    pub scratch: &'a mut Scratch,
    /// Steps of requests; written.
    pub output: &'a mut Output,
}

impl Act<'_> {
    /// Runs a control tick. Returns true if an action begins.
    pub fn run(mut self) -> bool {
        let Some(acting) = self.character.acting.as_deref() else { return false };
        let Some(request) = self.input.action else {
            self.call_off();
            return false;
        };
        let is_new = !self.acted().answers(request.id);
        if is_new && !self.notice(acting, &request) {
            return false;
        }
        self.move_marks(acting, &request);
        let waits = is_new || self.acted().waits > 0.0;
        waits && (self.try_to_enter(acting, &request, is_new) || self.try_to_arrive(acting, &request))
    }

    fn acted(&mut self) -> &mut Acted {
        Acted::of_mut(self.state.director_mut(&self.character.resolved.layout))
    }

    fn tell(&mut self, id: u16, step: ActionStep) {
        let time_s = self.state.header.clock.time_s;
        self.output.act(ActionEvent { id, time_s, step });
    }

    /// Calls off the request that waits.
    fn call_off(&mut self) {
        let acted = self.acted();
        if std::mem::take(&mut acted.waits) > 0.0 {
            let id = (acted.request - 1.0) as u16;
            self.tell(id, ActionStep::CalledOff);
        }
    }

    /// Notes a new request. Returns false if it is rejected since another action plays. An action that ends in a seat does not reject it.
    fn notice(&mut self, acting: &Acting, request: &ActionRequest) -> bool {
        self.call_off();
        let now_s = self.state.header.clock.time_s;
        let acted = self.acted();
        (acted.request, acted.asked_s, acted.cost) = (f32::from(request.id) + 1.0, split_s(now_s), NEVER);
        let busy = acted.acts() && acting.played(acted).is_some_and(|action| !action.holds);
        if busy {
            let (candidates, reason) = (acting.actions.of_request(request).count(), RefusalReason::Busy);
            let refusal = Refusal { reason, nearest: None, candidates, missed: None, may_change: true };
            self.tell(request.id, ActionStep::Refused(refusal));
        }
        !busy
    }

    /// Moves the contacts of the action that plays to those of its request, as far as the limits allow.
    fn move_marks(&mut self, acting: &Acting, request: &ActionRequest) {
        let now_s = self.state.header.clock.time_s;
        let acted = *self.acted();
        let answers = acted.stage == PLAYS && acted.acts() && acted.id == f32::from(request.id);
        let Some(action) = acting.played(&acted).filter(|_| answers) else { return };
        let Some(marks) = places(action, request, acted.level_m) else { return };
        if let Some(moved) = acted.with_marks(&acting.db, (action, marks), now_s, &self.character.config.actions) {
            *self.acted() = moved;
        }
    }

    /// Enters the action of a request if it fits well enough. Returns true if it did.
    fn try_to_enter(&mut self, acting: &Acting, request: &ActionRequest, is_new: bool) -> bool {
        let planned = self.plan(acting, request);
        let config = &self.character.config.actions;
        let now_s = self.state.header.clock.time_s;
        let is_free = self.is_free(acting);
        let after_s = (now_s - self.acted().asked_s()) as f32;
        let refused = match planned {
            Err(refusal) if is_new && !refusal.may_change => Some(refusal),
            Err(refusal) if !refusal.may_change || after_s > config.patience_s => {
                // Beside the time, which is over.
                let untimed = self.plan(acting, &ActionRequest { window_s: None, ..*request }).err();
                let missed = Some(untimed.map_or(refusal.reason, |refusal| refusal.reason));
                Some(Refusal { reason: RefusalReason::GivenUp { after_s }, missed, ..refusal })
            }
            _ => None,
        };
        let acted = self.acted();
        acted.waits = f32::from(u8::from(refused.is_none()));
        let (last_cost, last) = (acted.cost, acted.fits);
        (acted.cost, acted.fits) = match planned {
            Ok(plan) if is_free => (plan.cost.min(NEVER), plan.action as f32),
            _ => (NEVER, 0.0),
        };
        if let Some(refusal) = refused {
            self.tell(request.id, ActionStep::Refused(refusal));
            return false;
        }
        if is_new {
            self.tell(request.id, ActionStep::Accepted);
        }
        let Ok(plan) = planned else { return false };
        // Good enough, or as good as it gets: another action may only just begin to fit.
        let was_better = last == plan.action as f32 && plan.cost >= last_cost;
        let enters =
            is_free && (plan.cost <= config.enter_cost || was_better || self.is_last_chance(acting, request, &plan));
        if enters {
            self.enter(acting, request.id, &plan, false);
        }
        enters
    }

    /// Begins an arrival at the entry of the action, if the character goes there by itself, and the action begins at rest. Returns true
    /// if it did.
    fn try_to_arrive(&mut self, acting: &Acting, request: &ActionRequest) -> bool {
        let acted = *self.acted();
        if !request.go || request.arrives() || acted.waits == 0.0 || acted.plays() || !self.is_free(acting) {
            return false;
        }
        let Ok(approach) = self.character.approach(self.state, request) else { return false };
        let (root, to) = (self.state.world_from_root(&self.character.config), approach.to);
        let off_m = flat(to.position - root.translation).length();
        let off_rad = wrap_angle(to.yaw_rad - Place::of(root).yaw_rad).abs();
        if !approach.stands() || (off_m < THERE[0] && off_rad < THERE[1]) {
            return false;
        }
        let now_s = self.state.header.clock.time_s;
        // Rather early: it waits where it stands.
        let window_s = request.window_s.map(|[_, to_s]| [now_s, to_s - f64::from(approach.then_s) - EARLY_S]);
        let arrive = ActionRequest::arrive(request.id, to.position, Facing::from_yaw(to.yaw_rad));
        let planned = self.plan(acting, &ActionRequest { window_s, ..arrive });
        let plan = planned.ok().filter(|plan| plan.cost <= self.character.config.actions.enter_cost);
        if let Some(plan) = plan {
            self.enter(acting, request.id, &plan, true);
        }
        plan.is_some()
    }

    /// Returns true unless the body sits down, or the state machine plays a clip or moves the root by a montage.
    pub fn is_free(&self, acting: &Acting) -> bool {
        let (acted, memory) = Acted::split(self.state.director(&self.character.resolved.layout));
        let now_s = self.state.header.clock.time_s;
        // An arrival at an entry is over when the body rests.
        let free_s = |action: &Action| if acted.acts() { action.phases.recovery_s } else { action.marks[0].start_s };
        if acting.played(acted).is_some_and(|action| acted.clip_s(action, now_s) < free_s(action).into()) {
            return false;
        }
        let playing = &self.state.header.playback.playing;
        acting.inner.play_rate(memory, playing, false).is_none() && !acting.inner.has_root_motion(memory)
    }

    /// Returns the plan of a request that is entered now.
    fn plan(&mut self, acting: &Acting, request: &ActionRequest) -> Result<Plan, Refusal> {
        let actions = &self.character.config.actions;
        acting.actions.plan(&acting.db, actions, request, &self.situation())
    }

    /// Returns true if the action of a plan does not fit at the next control tick, and no better one does.
    fn is_last_chance(&mut self, acting: &Acting, request: &ActionRequest, plan: &Plan) -> bool {
        let actions = &self.character.config.actions;
        let now = self.situation();
        let root = Place { position: now.root.position + now.velocity * CONTROL_S as f32, ..now.root };
        let later = Situation { root, now_s: now.now_s + CONTROL_S, ..now };
        let next = acting.actions.plan(&acting.db, actions, request, &later);
        !next.is_ok_and(|next| next.action == plan.action || next.cost <= plan.cost)
    }

    /// Returns the character as a planner sees it.
    pub fn situation(&mut self) -> Situation<'_> {
        let (character, input) = (self.character, self.input);
        write_shown_body(character, self.state, self.scratch);
        Query { character, input, state: self.state, scratch: self.scratch }.pose();
        let (rig, pose) = (&character.model.rig, &self.scratch.shown.pose);
        let (world, feet) = (pose.world_from_root(), self.state.feet(&character.resolved.layout));
        let toes = self.scratch.action_toes.iter_mut().zip(&mut self.scratch.action_stands);
        for (((toe, stands), joint), foot) in toes.zip(&rig.contact_joints).zip(feet) {
            let at = foot.stands_at(&character.config.feet);
            let shown = || pose.in_root(&character.model.skeleton, *joint).translation;
            (*toe, *stands) = (at.map_or_else(shown, |at| world.inverse_point(at)), at.is_some());
        }
        let (state, scratch) = (&*self.state, &*self.scratch);
        let root = scratch.shown.pose.world_from_root();
        Situation {
            root: Place::of(root),
            velocity: root.direction(scratch.shown.velocity.linear[0]),
            toes: &scratch.action_toes,
            stands: &scratch.action_stands,
            pose: &scratch.action_pose,
            multipliers: &character.weights(character.weights_of(state)).multipliers,
            now_s: state.header.clock.time_s,
        }
    }

    /// Begins an action, or with `on_way` an arrival at its entry.
    pub fn enter(&mut self, acting: &Acting, id: u16, plan: &Plan, on_way: bool) {
        let acted = *self.acted();
        if acted.acts() {
            self.tell(acted.id as u16, ActionStep::Left);
        }
        let raw = self.toes();
        let led = self.led(raw);
        self.acted().stage = NONE;
        let (character, action) = (self.character, &acting.actions.all()[plan.action]);
        let world = self.scratch.shown.pose.world_from_root();
        let (mut toes, mut stood) = ([[0.0; 2]; STANDING], [0.0; STANDING]);
        let feet = self.scratch.action_toes.iter().zip(&self.scratch.action_stands);
        for ((at, stood), (toe, stands)) in toes.iter_mut().zip(&mut stood).zip(feet) {
            (*at, *stood) = (world.point(*toe).xz().to_array(), f32::from(u8::from(*stands)));
        }
        let time_s = acting.db.row_time_s(action.entries[plan.entry].row);
        character.source.init_memory(&mut self.scratch.memory);
        let next = Playing { clip: action.clip, mirrored: action.mirrored, time_s };
        Transition { character, state: self.state, scratch: self.scratch, rate: plan.rate }.run(next);
        self.output.transitions += 1;
        let h = &mut self.state.header;
        h.choice.stranded = false;
        let (root, base_at_s) = (Place::of(h.root.animated), split_s(h.clock.time_s));
        *self.acted() = Acted {
            stage: PLAYS,
            action: plan.action as f32,
            id: f32::from(id),
            rate: plan.rate,
            reported: 0.0,
            base_at_s,
            base_s: time_s as f32,
            held_s: 0.0,
            entry_s: time_s as f32,
            toes,
            stood,
            root,
            marks: plan.marks,
            level_m: root.position.y,
            over: 0.0,
            waits: f32::from(u8::from(on_way)),
            on_way: f32::from(u8::from(on_way)),
            ..acted
        };
        // A foot that was led elsewhere until now does not jump.
        let leads = self.led(raw);
        let feet = self.state.feet_mut(&character.resolved.layout).iter_mut();
        for (foot, (before, now)) in feet.zip(led.into_iter().zip(leads)) {
            foot.animate_elsewhere(&character.config.feet, now - before);
        }
        if !on_way {
            self.tell(id, ActionStep::Entered { action: plan.action });
        }
    }

    /// Returns the toes of the shown body, before they are led: world, metres, `[contact joints]`.
    fn toes(&self) -> [Vec3; MAX_LEGS] {
        let (model, pose) = (&self.character.model, &self.scratch.shown.pose);
        let (world, mut toes) = (pose.world_from_root(), [Vec3::ZERO; MAX_LEGS]);
        for (toe, joint) in toes.iter_mut().zip(&model.rig.contact_joints) {
            *toe = world.point(pose.in_root(&model.skeleton, *joint).translation);
        }
        toes
    }

    /// Returns where the director leads toes.
    fn led(&self, mut toes: [Vec3; MAX_LEGS]) -> [Vec3; MAX_LEGS] {
        for (toe, lead) in toes.iter_mut().zip(leads(self.character, self.state)) {
            *toe = lead.map_or(*toe, |lead| lead.toe(*toe));
        }
        toes
    }
}
