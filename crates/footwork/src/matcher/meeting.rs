//! Two characters who meet, such as for a handshake: one decision for both, and one end.

use super::MotionMatcher;
use super::acted::{Acted, LEAVES, NEVER, PLAYS, split_s};
use super::acting::Acting;
use super::character::Character;
use super::director::Director;
use super::stage::act::Act;
use super::stage::settle::settle;
use crate::actions::{Limb, Met, Partner, Plan, Refusal, RefusalReason, Side, meet, reaching_hand};
use crate::input::{ActionContact, ActionKind, ActionRequest, Goal, InputError, MotionInput};
use crate::math::{Facing, flat};
use glam::Vec3;
use std::f32::consts::PI;

/// Distance below which a direction between two roots is unknown, in metres.
const SAME_PLACE_M: f32 = 1e-3;

/// What became of a meeting.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeetingStep {
    /// Both are to be steered to [`Meeting::goals`].
    Waits,
    /// Both have begun now.
    Entered,
    /// Both play.
    Plays,
    /// Both have ended.
    Over,
    /// One of both was taken away, and the other was let go.
    BrokenOff,
    /// They could not meet.
    Refused(Refusal),
}

/// A meeting of two characters: both reach one place at one instant. Plain data; allocates when made.
#[derive(Clone, Debug)]
pub struct Meeting {
    id: u16,
    kinds: [ActionKind; 2],
    sides: [Side; 2],
    /// `[user values]` zeros.
    user: [Vec<f32>; 2],
    /// Last step; `None` before the first.
    step: Option<MeetingStep>,
    /// Cost at the last call.
    cost: f32,
    /// Time of the first call, in seconds of the first character.
    asked_s: f64,
    /// Times at which the hands part, in seconds of each character.
    parts_s: [f64; 2],
}

impl Meeting {
    /// Returns a meeting of two characters by actions of a kind that reaches with a hand, such as `handshake`. `id`: number of its
    /// [action events](super::Output::actions).
    ///
    /// # Errors
    /// Returns [`InputError::NoActions`] for a character without an action of the kind that reaches with one hand.
    pub fn new([a, b]: [&Character; 2], kinds: [ActionKind; 2], id: u16) -> Result<Self, InputError> {
        let side = |character: &Character, kind| {
            let db = character.database().ok_or(InputError::NoActions)?;
            let reaches = character.actions().of_kind(kind).any(|(_, action)| reaching_hand(action).is_some());
            if reaches { Ok(Side::new(character.actions(), db, kind)) } else { Err(InputError::NoActions) }
        };
        let user = [a, b].map(|character| vec![0.0; character.schema().user_width]);
        let sides = [side(a, kinds[0])?, side(b, kinds[1])?];
        Ok(Self { id, kinds, sides, user, step: None, cost: NEVER, asked_s: 0.0, parts_s: [0.0; 2] })
    }

    /// Returns goals that steer both towards each other, for characters without players. Allocates nothing.
    ///
    /// # Errors
    /// Returns [`Refusal`] if no position would help.
    pub fn goals(&self, [a, b]: [&MotionMatcher; 2]) -> Result<[Goal<'static>; 2], Refusal> {
        let [at_a, at_b] = [a, b].map(|m| m.state().world_from_root(m.config()));
        let way = flat(at_b.translation - at_a.translation);
        let ahead = Facing::from_direction(way).filter(|_| way.length() > SAME_PLACE_M);
        let ahead = ahead.unwrap_or(Facing::from_rotation(at_a.rotation));
        let middle = 0.5 * (at_a.translation + at_b.translation);
        let goal = |m: &MotionMatcher, kind: ActionKind, facing: Facing| {
            let hands_m = self.hands_m(m.character(), kind);
            let position = Vec3::new(middle.x, m.state().header.root.animated.translation.y + hands_m, middle.z);
            let request = ActionRequest::new(self.id, kind, ActionContact { position, facing });
            m.character().goal_of_approach(m.state(), &request)
        };
        Ok([goal(a, self.kinds[0], ahead)?, goal(b, self.kinds[1], ahead.turned(PI))?])
    }

    /// Returns the height at which the first action of a kind reaches, over the ground, in metres.
    fn hands_m(&self, character: &Character, kind: ActionKind) -> f32 {
        let first = character.actions().of_kind(kind).find(|(_, action)| reaching_hand(action).is_some());
        first.map_or(0.0, |(_, action)| action.marks[0].position.y - action.ground_m[0])
    }

    /// Lets two characters meet: call it before both are updated, each time. As soon as both fit, both begin, at this instant: both states
    /// are written, or none. While they play, it lets go of one if the other was taken away ([`MotionMatcher::enter`], another
    /// state). Allocates nothing.
    ///
    /// # Errors
    /// Returns [`InputError`] for characters of other kinds than those of the meeting. Nothing is changed.
    pub fn interact(&mut self, a: &mut MotionMatcher, b: &mut MotionMatcher) -> Result<MeetingStep, InputError> {
        self.check([&*a, &*b])?;
        let step = match self.step {
            None | Some(MeetingStep::Waits) => self.try_to_enter(a, b),
            Some(MeetingStep::Entered | MeetingStep::Plays) => self.attend(a, b),
            Some(ended) => ended,
        };
        self.step = Some(step);
        Ok(step)
    }

    /// Ends the meeting: hands that touch are let go. Who is not in it goes on.
    pub fn break_off(&mut self, a: &mut MotionMatcher, b: &mut MotionMatcher) {
        for m in [a, b] {
            self.let_go(m);
        }
        if !matches!(self.step, Some(MeetingStep::Over | MeetingStep::Refused(_))) {
            self.step = Some(MeetingStep::BrokenOff);
        }
    }

    /// Returns the plans by which both would meet now, and their cost together.
    ///
    /// # Errors
    /// Returns [`Refusal`] with what the nearest pair misses.
    pub fn plan(&mut self, a: &mut MotionMatcher, b: &mut MotionMatcher) -> Result<([Plan; 2], f32), Refusal> {
        self.best(a, b, true)
    }

    /// Returns the same by comparing all pairs in full: the definition of [`Meeting::plan`], for tests.
    ///
    /// # Errors
    /// As [`Meeting::plan`].
    pub fn plan_by_brute_force(
        &mut self,
        a: &mut MotionMatcher,
        b: &mut MotionMatcher,
    ) -> Result<([Plan; 2], f32), Refusal> {
        self.best(a, b, false)
    }

    fn check(&self, both: [&MotionMatcher; 2]) -> Result<(), InputError> {
        for (k, m) in both.into_iter().enumerate() {
            let db = m.character().database().ok_or(InputError::NoActions)?;
            let fits = self.sides[k].pose.len() == db.features.columns
                && self.sides[k].toes.len() == db.rig.contact_joints.len()
                && self.user[k].len() == m.character().schema().user_width
                && m.character().acting.is_some();
            if !fits {
                return Err(InputError::NoActions);
            }
            m.state().check_running(m.character(), k)?;
        }
        Ok(())
    }

    fn best(
        &mut self,
        a: &mut MotionMatcher,
        b: &mut MotionMatcher,
        prunes: bool,
    ) -> Result<([Plan; 2], f32), Refusal> {
        self.look_at(0, a, prunes);
        self.look_at(1, b, prunes);
        let [Some(of_a), Some(of_b)] = [(0, &*a), (1, &*b)].map(|(k, m)| self.partner(k, m)) else {
            return Err(Refusal {
                reason: RefusalReason::Unknown,
                nearest: None,
                candidates: 0,
                may_change: false,
                missed: None,
            });
        };
        let candidates = a.character().actions().of_kind(self.kinds[0]).count();
        match meet([of_a, of_b], prunes) {
            Ok(Met { plans, cost }) => Ok((plans, cost)),
            Err(Some((k, (_, reason)))) => {
                Err(Refusal { reason, nearest: k, candidates, may_change: true, missed: None })
            }
            Err(None) => {
                let m = flat(self.sides[1].root.position - self.sides[0].root.position).length();
                let reason = RefusalReason::Far { m, limit_m: a.config().actions.reach_m };
                Err(Refusal { reason, nearest: None, candidates, may_change: true, missed: None })
            }
        }
    }

    fn partner<'s>(&'s self, k: usize, m: &'s MotionMatcher) -> Option<Partner<'s>> {
        let Acting { actions, config, .. } = m.character().acting.as_deref()?;
        Some(Partner { actions, config, side: &self.sides[k] })
    }

    /// Describes a character now. `prunes`: see [`Side::find`].
    fn look_at(&mut self, k: usize, m: &mut MotionMatcher, prunes: bool) {
        let MotionMatcher { character, state, scratch, output, .. } = m;
        let Some(acting) = character.acting.as_deref() else { return };
        let input = MotionInput { user: &self.user[k], ..MotionInput::default() };
        let side = &mut self.sides[k];
        {
            let mut act = Act { character, input: &input, state, scratch, output };
            let situation = act.situation();
            side.root = situation.root;
            side.velocity = situation.velocity;
            side.toes.copy_from_slice(situation.toes);
            side.stands.copy_from_slice(situation.stands);
            side.pose.copy_from_slice(situation.pose);
            side.multipliers.copy_from_slice(situation.multipliers);
        }
        side.find(&acting.actions, &acting.db, &acting.config, self.kinds[k], prunes);
    }

    fn try_to_enter(&mut self, a: &mut MotionMatcher, b: &mut MotionMatcher) -> MeetingStep {
        let now_s = a.state().header.clock.time_s;
        if self.step.is_none() {
            self.asked_s = now_s;
        }
        let planned = self.best(a, b, true);
        let config = [a.config().actions, b.config().actions];
        let after_s = (now_s - self.asked_s) as f32;
        let last_cost = std::mem::replace(&mut self.cost, planned.map_or(NEVER, |(_, cost)| cost.min(NEVER)));
        let (plans, cost) = match planned {
            Ok(planned) => planned,
            Err(refusal) if !refusal.may_change => return MeetingStep::Refused(refusal),
            Err(refusal) if after_s > config[0].patience_s.min(config[1].patience_s) => {
                let reason = RefusalReason::GivenUp { after_s };
                return MeetingStep::Refused(Refusal { reason, ..refusal });
            }
            Err(_) => return MeetingStep::Waits,
        };
        // Good enough, or as good as it gets.
        let enough = cost <= config[0].enter_cost + config[1].enter_cost || cost > last_cost;
        if !enough || !self.is_free(0, a) || !self.is_free(1, b) {
            return MeetingStep::Waits;
        }
        self.enter(0, a, &plans[0]);
        self.enter(1, b, &plans[1]);
        MeetingStep::Entered
    }

    fn is_free(&self, k: usize, m: &mut MotionMatcher) -> bool {
        let MotionMatcher { character, state, scratch, output, .. } = m;
        let Some(acting) = character.acting.as_deref() else { return false };
        let input = MotionInput { user: &self.user[k], ..MotionInput::default() };
        Act { character, input: &input, state, scratch, output }.is_free(acting)
    }

    /// Begins the action of one of both.
    fn enter(&mut self, k: usize, m: &mut MotionMatcher, plan: &Plan) {
        let MotionMatcher { character, state, scratch, output, revision, .. } = m;
        let Some(acting) = character.acting.as_deref() else { return };
        let now_s = state.header.clock.time_s;
        settle(character, state, now_s);
        let input = MotionInput { user: &self.user[k], ..MotionInput::default() };
        Act { character, input: &input, state, scratch, output }.enter(acting, self.id, plan, false);
        *revision += 1;
        let action = &acting.actions.all()[plan.action];
        let hands = action.contacts.iter().filter(|c| matches!(c.limb, Limb::Hand(_)) && c.mark == Some(0));
        let part_s = hands.map(|c| c.end_s).fold(0.0, f32::max);
        let acted = Acted::split(state.director(&character.resolved.layout)).0;
        self.parts_s[k] = acted.time_s(action, part_s);
    }

    /// Looks after both while they play.
    fn attend(&mut self, a: &mut MotionMatcher, b: &mut MotionMatcher) -> MeetingStep {
        let in_it = [&*a, &*b].map(|m| acted(m).is_some_and(|acted| self.plays(acted)));
        match in_it {
            [true, true] => MeetingStep::Plays,
            [false, false] => MeetingStep::Over,
            [in_a, _] => {
                let gone = if in_a { &*b } else { &*a };
                let parted = gone.state().header.clock.time_s >= self.parts_s[usize::from(in_a)];
                if parted {
                    return MeetingStep::Plays;
                }
                self.let_go(if in_a { a } else { b });
                MeetingStep::BrokenOff
            }
        }
    }

    /// Returns true for the memory of a character that plays its part.
    fn plays(&self, acted: &Acted) -> bool {
        acted.stage == PLAYS && acted.id == f32::from(self.id)
    }

    /// Lets a character go that plays its part. A hand that touches, or nearly does, is let go in `ease_s`.
    fn let_go(&self, m: &mut MotionMatcher) {
        let MotionMatcher { character, state, revision, .. } = m;
        let Some(acting) = character.acting.as_deref() else { return };
        let (layout, now_s) = (&character.resolved.layout, state.header.clock.time_s);
        let memory = state.director(layout);
        let leads = [0, 1].map(|hand| acting.lead(memory, now_s, Limb::Hand(hand)).is_some());
        let acted = Acted::of_mut(state.director_mut(layout));
        let Some(action) = acting.played(acted).filter(|_| self.plays(acted)) else { return };
        let ease_s = if leads.into_iter().any(|led| led) { 0.0 } else { f64::from(acting.config.ease_s) };
        acted.held_s = acted.clip_s(action, now_s) as f32;
        (acted.base_at_s, acted.stage) = (split_s((now_s - ease_s).max(0.0)), LEAVES);
        *revision += 1;
    }
}

fn acted(m: &MotionMatcher) -> Option<&Acted> {
    m.character().acting.as_ref()?;
    Some(Acted::split(m.state().director(&m.character().resolved.layout)).0)
}
