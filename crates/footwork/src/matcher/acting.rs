//! Actions at work: asked for, approached, entered, played, left.
//!
//! All is decided at control ticks and where a request comes; in between, the root follows in closed form from the time since the
//! entry. What an action remembers is a part of the state's block.

use super::acted::{APPROACHES, Acting, LEAVES, NEVER, NONE, PLAYS};
use super::character::{Character, Update};
use super::output::{ActionEvent, ActionStep};
use super::playing::Playing;
use super::state::MatcherState;
use crate::actions::{Action, Limb, MAX_MARKS, Place, Plan, Refusal, RefusalReason, Situation};
use crate::adjust::root::RootMode;
use crate::input::{ActionRequest, Goal};
use crate::math::{Facing, Quat, Transform, smoothstep};
use crate::motion::StickSpeeds;
use crate::trajectory::stopping_mps;
use glam::Vec3;

/// The end of a window may be missed by this much before an approach is given up, seconds.
const LATE_S: f64 = 0.05;

/// What a character does about an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActionView {
    /// It goes there.
    Approaches {
        /// How it is steered, world, m/s.
        velocity: Vec3,
    },
    /// It plays one.
    Plays {
        /// Which, by its place among [`Character::actions`].
        action: usize,
        /// Time of the clip, seconds.
        clip_s: f32,
        /// Play rate up to the first contact.
        rate: f32,
        /// Where its contacts are, world; as many as the action has marks.
        marks: [Place; MAX_MARKS],
    },
}

/// Where a joint is to be, and how far it is led there: 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Led {
    pub limb: Limb,
    /// World, metres.
    pub to: Vec3,
    pub weight: f32,
}

impl Character {
    /// What a state remembers of an action; `None` for a character without actions.
    pub(super) fn acting<'s>(&self, state: &'s MatcherState) -> Option<&'s Acting> {
        let memory = &state.block[self.resolved.layout.action.clone()];
        (!memory.is_empty()).then(|| bytemuck::from_bytes(bytemuck::cast_slice(memory)))
    }

    /// False where no tick leaves such a memory of an action.
    pub(super) fn is_action_memory(&self, state: &MatcherState) -> bool {
        let h = &state.header;
        self.acting(state).is_none_or(|acting| acting.is_usable(self.actions(), &h.playing, h.time_s))
    }

    /// The action that plays.
    pub(super) fn played_action<'s>(&'s self, state: &'s MatcherState) -> Option<(&'s Acting, &'s Action)> {
        let acting = self.acting(state).filter(|a| a.plays())?;
        Some((acting, &self.actions().all()[acting.action as usize]))
    }

    /// The place among [`Character::actions`] of the action that a character plays.
    pub fn playing_action(&self, state: &MatcherState) -> Option<usize> {
        self.acting(state).filter(|a| a.plays()).map(|a| a.action as usize)
    }

    /// What a character does about an action; `None` while it does nothing. Allocates nothing.
    pub fn action_view(&self, state: &MatcherState) -> Option<ActionView> {
        let acting = self.acting(state)?;
        if acting.stage == APPROACHES {
            return Some(ActionView::Approaches { velocity: acting.velocity });
        }
        let (acting, action) = self.played_action(state)?;
        let clip_s = acting.clip_s(action, state.header.time_s) as f32;
        Some(ActionView::Plays { action: acting.action as usize, clip_s, rate: acting.rate, marks: acting.marks })
    }

    /// Joints that the action leads to their contacts now.
    pub(super) fn led<'s>(&'s self, state: &'s MatcherState) -> impl Iterator<Item = Led> + 's {
        let played = self.played_action(state);
        let (now_s, ease_s) = (state.header.time_s, self.config.actions.ease_s);
        let contacts =
            played.into_iter().flat_map(|(acting, action)| action.contacts.iter().map(move |c| (acting, action, c)));
        contacts.filter_map(move |(acting, action, contact)| {
            let clip_s = acting.clip_s(action, now_s) as f32;
            let let_go =
                if acting.stage == LEAVES { ((now_s - acting.since_s()) as f32 / ease_s).clamp(0.0, 1.0) } else { 0.0 };
            let before = ((contact.start_s - clip_s) / ease_s).clamp(0.0, 1.0);
            let after = ((clip_s - contact.end_s) / ease_s).clamp(0.0, 1.0);
            let weight = (1.0 - smoothstep(before)) * (1.0 - smoothstep(after)) * (1.0 - smoothstep(let_go));
            let to = acting.warp(action).touched(contact.mark?, contact.position);
            (weight > 0.0).then_some(Led { limb: contact.limb, to, weight })
        })
    }
}

impl Update<'_> {
    fn acting_mut(&mut self) -> &mut Acting {
        let memory = self.character.resolved.layout.action.clone();
        bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(&mut self.state.block[memory]))
    }

    /// True while an action plays.
    pub(super) fn acts(&self) -> bool {
        self.character.acting(self.state).is_some_and(Acting::plays)
    }

    /// The time of the clip and the root, at a time of the character, of the action that plays; what is left of the transition's
    /// offset is taken off by and by until the first contact.
    pub(super) fn acted_to(&self, to_s: f64) -> Option<(f64, Transform)> {
        let (acting, action) = self.character.played_action(self.state)?;
        let clip_s = acting.clip_s(action, to_s);
        let root = self.character.database.as_ref()?.view(action.clip, action.mirrored).root(clip_s).0;
        let warped = acting.warp(action).root_at(clip_s as f32, root);
        let h = &self.state.header;
        let (shift, turn) = h.root_residual(&self.character.config.transition);
        let entry_s = action.entries[acting.entry as usize].time_s;
        let there = (clip_s as f32 - entry_s) / (action.marks[0].start_s - entry_s).max(1e-3);
        let off = smoothstep(there.clamp(0.0, 1.0));
        let turned = Quat::from_rotation_y(-turn.value.y * off) * warped.rotation;
        Some((clip_s, Transform::new(warped.translation - shift.value * off, turned.renormalize())))
    }

    /// How fast the action plays now; `None` where none does.
    pub(super) fn rate_of_action(&self) -> Option<f32> {
        let (acting, action) = self.character.played_action(self.state)?;
        let clip_s = acting.clip_s(action, self.state.header.time_s);
        let held = acting.stage == LEAVES || clip_s >= f64::from(action.end_s);
        Some(if held {
            0.0
        } else if clip_s < f64::from(action.marks[0].start_s) {
            acting.rate
        } else {
            1.0
        })
    }

    /// True when another action is asked for than before, or none any more.
    pub(super) fn notice_request(&mut self) -> bool {
        let Some(acting) = self.character.acting(self.state) else {
            // Without actions all that is asked for is unknown.
            let Some(request) = self.input.action else { return false };
            let refusal = Refusal { kind: request.kind, reason: RefusalReason::Unknown, nearest: None, candidates: 0 };
            self.tell(ActionStep::Refused(refusal));
            return false;
        };
        let request = parts(self.input.action.map_or(0, |r| r.signature()));
        if request == acting.request {
            return false;
        }
        self.acting_mut().request = request;
        let stage = self.acting_mut().stage;
        if stage == APPROACHES {
            self.acting_mut().begin(NONE, 0.0);
            self.tell(ActionStep::CalledOff);
        }
        if let Some(request) = self.input.action {
            self.answer(&request);
        }
        true
    }

    /// A request that is new: it is refused, or approached.
    fn answer(&mut self, request: &ActionRequest) {
        let character = self.character;
        let refuse = |reason| Refusal { kind: request.kind, reason, nearest: None, candidates: 0 };
        if self.acts() {
            return self.tell(ActionStep::Refused(refuse(RefusalReason::Busy)));
        }
        let external = character.config.root.mode == RootMode::External;
        if external || self.rate_of_state().is_some() || self.has_root_motion() {
            return self.tell(ActionStep::Refused(refuse(RefusalReason::NotFree)));
        }
        let now_s = self.state.header.time_s;
        match self.steer_to(request) {
            Ok(()) => {
                let acting = self.acting_mut();
                acting.begin(APPROACHES, now_s);
                (acting.cost, acting.reported) = (NEVER, 0.0);
                self.tell(ActionStep::Accepted);
            }
            Err(refusal) => self.tell(ActionStep::Refused(refusal)),
        }
    }

    fn tell(&mut self, step: ActionStep) {
        self.output.act(ActionEvent { time_s: self.state.header.time_s, step });
    }

    /// Sets how a request is approached.
    fn steer_to(&mut self, request: &ActionRequest) -> Result<(), Refusal> {
        let character = self.character;
        let h = &self.state.header;
        let situation = Situation {
            root: Place::of(h.shown_root(&character.config.transition)),
            velocity: h.simulation.velocity,
            pose: &[],
            multipliers: &[],
            now_s: h.time_s,
        };
        let most_mps = fastest_mps(&character.resolved.stick);
        let approach = character.actions().approach(&character.config.actions, request, &situation, most_mps)?;
        let left_s = request.window_s.map(|[_, to_s]| (to_s - h.time_s) as f32);
        let half_life_s = character.resolved.springs.velocity_half_life_s;
        let simulation = h.simulation;
        let speed_mps = simulation.velocity.length();
        let stops = |way: Vec3| stopping_mps(&simulation, way, half_life_s);
        let (velocity, facing) = approach.steer(situation.root, speed_mps, left_s, stops);
        let acting = self.acting_mut();
        acting.velocity = velocity.clamp_length_max(most_mps);
        acting.facing = [facing.x, facing.z];
        self.follow_approach();
        Ok(())
    }

    /// Puts the approach in the place of the input's goal while there is one.
    pub(super) fn follow_approach(&mut self) {
        if let Some(acting) = self.character.acting(self.state).filter(|a| a.stage == APPROACHES) {
            let facing = Facing { x: acting.facing[0], z: acting.facing[1] };
            self.input.goal = Goal::Velocity { velocity: acting.velocity, facing: Some(facing) };
        }
    }

    /// A control tick of actions; true where motion matching is to take over.
    pub(super) fn tick_action(&mut self) -> bool {
        let Some(acting) = self.character.acting(self.state).copied() else { return false };
        match acting.stage {
            NONE => false,
            APPROACHES => {
                self.tick_approach(&acting);
                false
            }
            _ => self.tick_played(&acting),
        }
    }

    fn tick_approach(&mut self, acting: &Acting) {
        let Some(request) = self.input.action else { return };
        let now_s = self.state.header.time_s;
        let config = &self.character.config.actions;
        self.pose_features();
        let (character, scratch) = (self.character, &*self.scratch);
        let Some(db) = character.database() else { return };
        let shown = &scratch.shown;
        let root = shown.pose.world_from_root();
        let situation = Situation {
            root: Place::of(root),
            velocity: root.direction(shown.velocity.linear[0]),
            pose: &scratch.action_pose,
            multipliers: &character.weights(character.weights_of(self.state)).multipliers,
            now_s,
        };
        let planned = character.actions().plan(db, config, &request, &situation);
        let waited_s = now_s - acting.since_s();
        match planned {
            // Good enough, or as good as it gets.
            Ok(plan) if plan.cost <= config.enter_cost || plan.cost > acting.cost => return self.enter_action(&plan),
            Ok(plan) => self.acting_mut().cost = plan.cost,
            Err(refusal) => {
                let over = request.window_s.is_some_and(|w| now_s > w[1] + LATE_S);
                if over || waited_s > f64::from(config.patience_s) {
                    let after_s = waited_s as f32;
                    return self.give_up(Refusal { reason: RefusalReason::GivenUp { after_s }, ..refusal });
                }
                self.acting_mut().cost = NEVER;
            }
        }
        // A way that is no more may open again: only time ends an approach.
        _ = self.steer_to(&request);
    }

    fn give_up(&mut self, refusal: Refusal) {
        self.acting_mut().begin(NONE, 0.0);
        self.input.goal = self.goal;
        self.tell(ActionStep::Refused(refusal));
    }

    fn enter_action(&mut self, plan: &Plan) {
        let character = self.character;
        let Some(db) = character.database() else { return };
        let action = &character.actions().all()[plan.action];
        let entry = &action.entries[plan.entry];
        let time_s = db.row_time_s(entry.row);
        let rate = self.state.header.play_rate;
        self.transition(Playing { clip: action.clip, mirrored: action.mirrored, time_s });
        let along = db.view(action.clip, action.mirrored).root(time_s).1;
        let h = &mut self.state.header;
        // The transition was made at the old rate.
        h.root_offset.velocity += h.animated_root.rotation * along * (rate - plan.rate);
        h.play_rate = plan.rate;
        h.stranded = false;
        let (root, now_s) = (Place::of(h.animated_root), h.time_s);
        let acting = self.acting_mut();
        acting.begin(PLAYS, now_s);
        (acting.action, acting.entry, acting.rate) = (plan.action as f32, plan.entry as f32, plan.rate);
        (acting.root, acting.marks, acting.reported, acting.held_s) = (root, plan.marks, 0.0, 0.0);
        self.output.transitions += 1;
        self.input.goal = self.goal;
        self.tell(ActionStep::Entered { action: plan.action });
    }

    fn tick_played(&mut self, acting: &Acting) -> bool {
        let action = &self.character.actions().all()[acting.action as usize];
        let now_s = self.state.header.time_s;
        let clip_s = acting.clip_s(action, now_s) as f32;
        for (contact, mark) in action.marks.iter().enumerate().skip(acting.reported as usize) {
            if mark.start_s > clip_s {
                break;
            }
            self.acting_mut().reported = (contact + 1) as f32;
            let time_s = acting.time_s(action, mark.start_s);
            self.output.act(ActionEvent { time_s, step: ActionStep::Touched { contact } });
        }
        let ease_s = self.character.config.actions.ease_s;
        let over = match acting.stage {
            LEAVES => now_s - acting.since_s() >= f64::from(ease_s),
            _ if action.holds => {
                if clip_s >= action.phases.recovery_s && self.input.action.is_none() {
                    let acting = self.acting_mut();
                    acting.held_s = clip_s;
                    acting.begin(LEAVES, now_s);
                }
                false
            }
            _ => clip_s >= action.phases.recovery_s,
        };
        if over {
            self.acting_mut().begin(NONE, 0.0);
            self.tell(ActionStep::Left);
        }
        over
    }
}

/// The speed of a full stick.
fn fastest_mps(stick: &StickSpeeds) -> f32 {
    stick.run.forward_mps.max(stick.walk.forward_mps)
}

/// A number in four floats.
fn parts(signature: u64) -> [f32; 4] {
    [0, 16, 32, 48].map(|shift| f32::from((signature >> shift) as u16))
}
