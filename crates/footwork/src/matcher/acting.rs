//! Actions as a director: from entry to exit, an action owns the root, and no other motion is chosen.
//!
//! It wraps the character's own director (plain matching, or a state machine), which goes on meanwhile: its state changes, and its
//! layers play. Motion of the whole body waits until the exit.

use super::acted::{ACTED_WIDTH, Acted, LEAVES, split_s};
use super::director::{Directed, Directive, Director, Lead, OwnedRoot, ReportTimes};
use super::output::{ActionEvent, ActionStep, FiredEvent, Output};
use super::playing::Playing;
use super::scratch::LayerScratch;
use super::source::{MotionSource, SourceScratch};
use super::state::AfterTick;
use crate::actions::{AT_ONCE_S, Action, ActionConfig, Actions, Contact, Limb, Warp};
use crate::blend::Offset;
use crate::database::{Database, TagQuery};
use crate::input::{InputError, MotionInput};
use crate::math::{Quat, Transform, smoothstep};
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Time in which the transition into an action displaces feet, in seconds.
const BLENDS_S: f32 = 0.5;
/// Time before a contact from which on a foot is led to its place, in seconds.
const LANDS_S: f32 = 0.3;

/// The director of characters with actions.
#[derive(Debug)]
pub(crate) struct Acting {
    /// The character's own director.
    pub inner: Arc<dyn Director>,
    pub actions: Arc<Actions>,
    pub db: Arc<Database>,
    pub config: ActionConfig,
}

impl Acting {
    /// Returns the action of a memory; `None` if none plays.
    pub fn played(&self, acted: &Acted) -> Option<&Action> {
        acted.plays().then(|| &self.actions.all()[acted.action as usize])
    }

    /// Returns the action of a memory, its warp and the time of its clip at a time of the character, in seconds.
    fn at<'a>(&'a self, memory: &'a [f32], time_s: f64) -> Option<(&'a Acted, Warp<'a>, f64)> {
        let acted = Acted::split(memory).0;
        let action = self.played(acted)?;
        Some((acted, acted.warp(&self.db, action), acted.clip_s(action, time_s)))
    }

    /// Runs a control tick of the action. Returns true if it is over.
    fn tick_action(&self, at: &mut Directed) -> bool {
        let (now_s, wanted) = (at.clock.time_s, at.input.action);
        let acted = Acted::of_mut(at.memory);
        let Some(action) = self.played(acted) else { return false };
        let clip_s = acted.clip_s(action, now_s) as f32;
        for (contact, mark) in action.marks.iter().enumerate().skip(acted.reported as usize) {
            if mark.start_s > clip_s {
                break;
            }
            acted.reported = (contact + 1) as f32;
            let time_s = acted.time_s(action, mark.start_s).min(now_s);
            if acted.acts() {
                at.output.act(ActionEvent { id: acted.id as u16, time_s, step: ActionStep::Touched { contact } });
            }
        }
        // A request that waits keeps the held action until it is entered.
        let dropped = wanted.is_none_or(|r| r.id != acted.id as u16 && acted.answers(r.id) && acted.waits == 0.0);
        let over = match acted.stage {
            LEAVES => now_s - acted.base_at_s() >= f64::from(self.config.ease_s),
            _ if action.holds => {
                if clip_s >= action.phases.recovery_s && dropped {
                    (acted.held_s, acted.base_at_s, acted.stage) = (clip_s, split_s(now_s), LEAVES);
                }
                false
            }
            _ => clip_s >= action.phases.recovery_s,
        };
        if over {
            if acted.acts() {
                at.output.act(ActionEvent { id: acted.id as u16, time_s: now_s, step: ActionStep::Left });
            }
            // At rest, the clip of an arrival may continue.
            acted.over = f32::from(u8::from(!action.arrives()));
            let own = self.db.view(action.clip, action.mirrored).root(clip_s.into()).0;
            acted.ends_at(acted.warp(&self.db, action).root_at(clip_s, own));
            acted.on_way = 0.0;
            self.inner.resume(&mut at.memory[ACTED_WIDTH..]);
        }
        over
    }
}

/// Returns how far a contact leads its joint (`stays`: from the entry on) at a time of the clip, 0 to 1, with `ease_s` before and behind it.
fn weight(warp: &Warp, contact: &Contact, stays: bool, clip_s: f32, ease_s: f32) -> f32 {
    // A foot that the clip has on the ground at the base, or at once, is led there from elsewhere. Hands and hips were led there before.
    let is_late = matches!(contact.limb, Limb::Foot(_)) && contact.start_s <= warp.base_s + AT_ONCE_S;
    let before = match stays {
        true => 0.0,
        false if is_late => 1.0 - (clip_s - warp.base_s) / ease_s,
        false => (contact.start_s - clip_s) / ease_s.min(contact.start_s - warp.base_s).max(1e-3),
    };
    let share = |x: f32| 1.0 - smoothstep(x.clamp(0.0, 1.0));
    share(before) * share((clip_s - contact.end_s) / ease_s)
}

/// Returns the part of a memory that belongs to the character's own director.
fn rest(at: AfterTick<'_>) -> AfterTick<'_> {
    AfterTick { memory: &at.memory[ACTED_WIDTH..], ..at }
}

impl Director for Acting {
    fn memory_width(&self) -> usize {
        ACTED_WIDTH + self.inner.memory_width()
    }

    fn init_memory(&self, memory: &mut [f32]) {
        let (own, rest) = memory.split_at_mut(ACTED_WIDTH);
        own.fill(0.0);
        self.inner.init_memory(rest);
    }

    fn is_memory(&self, memory: &[f32], playing: &Playing, now_s: f64) -> bool {
        let (acted, rest) = Acted::split(memory);
        acted.is_usable(&self.actions, playing, now_s) && self.inner.is_memory(rest, playing, now_s)
    }

    fn most_events_at_once(&self) -> usize {
        self.inner.most_events_at_once()
    }

    fn event_names(&self) -> Option<&[String]> {
        self.inner.event_names()
    }

    fn source(self: Arc<Self>, base: Arc<dyn MotionSource>) -> Arc<dyn MotionSource> {
        self.inner.clone().source(base)
    }

    fn resting(&self) -> Option<Playing> {
        self.inner.resting()
    }

    fn channel_costs(&self) -> Vec<Option<&BTreeMap<String, f32>>> {
        self.inner.channel_costs()
    }

    fn mode(&self, memory: &[f32]) -> Option<usize> {
        self.inner.mode(&memory[ACTED_WIDTH..])
    }

    fn check(&self, input: &MotionInput) -> Result<(), InputError> {
        self.inner.check(input)
    }

    fn max_speed_mps(&self, memory: &[f32]) -> f32 {
        self.inner.max_speed_mps(&memory[ACTED_WIDTH..])
    }

    fn tick(&self, at: &mut Directed, requested: Vec3) -> bool {
        let acts = Acted::split(at.memory).0.plays();
        let entered = self.inner.tick(&mut at.inner(ACTED_WIDTH, acts), requested);
        if acts { self.tick_action(at) } else { entered }
    }

    fn next(&self, at: &mut Directed) -> Directive {
        let acted = Acted::of_mut(at.memory);
        if acted.plays() {
            return Directive::Continue;
        }
        let over = std::mem::take(&mut acted.over) > 0.0;
        match self.inner.next(&mut at.inner(ACTED_WIDTH, false)) {
            Directive::Match | Directive::MatchOnce | Directive::Continue if over => Directive::MatchAnew,
            directive => directive,
        }
    }

    fn enter(&self, at: &mut Directed) -> Option<Playing> {
        self.inner.enter(&mut at.inner(ACTED_WIDTH, false))
    }

    fn tags(&self, memory: &[f32]) -> Option<&TagQuery> {
        self.inner.tags(&memory[ACTED_WIDTH..])
    }

    fn play_rate(&self, memory: &[f32], playing: &Playing, is_over: bool) -> Option<f32> {
        let (acted, rest) = Acted::split(memory);
        match self.played(acted) {
            Some(action) => Some(acted.rate_at(action, playing.time_s)),
            None => self.inner.play_rate(rest, playing, is_over),
        }
    }

    fn blend_s(&self, memory: &[f32]) -> f32 {
        let (acted, rest) = Acted::split(memory);
        if acted.plays() { 0.0 } else { self.inner.blend_s(rest) }
    }

    fn has_root_motion(&self, memory: &[f32]) -> bool {
        let (acted, rest) = Acted::split(memory);
        acted.plays() || self.inner.has_root_motion(rest)
    }

    fn owned_root(&self, memory: &[f32], time_s: f64, (shift, turn): &(Offset, Offset)) -> Option<OwnedRoot> {
        let (_, warp, clip_s) = self.at(memory, time_s)?;
        let action = warp.action;
        let own = self.db.view(action.clip, action.mirrored).root(clip_s).0;
        let root = warp.root_at(clip_s as f32, own);
        // The offset that the transition into the action has left is removed until the next contact, which is met exactly.
        let next = action.marks.iter().find(|mark| mark.start_s > warp.base_s);
        let left = next.map_or(1.0, |next| (clip_s as f32 - warp.base_s) / (next.start_s - warp.base_s).max(1e-3));
        let off = smoothstep(left.clamp(0.0, 1.0));
        let rotation = (Quat::from_rotation_y(-turn.value.y * off) * root.rotation).renormalize();
        Some(OwnedRoot { clip_s, root: Transform::new(root.translation - shift.value * off, rotation) })
    }

    fn owns_root(&self, memory: &[f32]) -> bool {
        Acted::split(memory).0.plays()
    }

    fn lead(&self, memory: &[f32], time_s: f64, limb: Limb) -> Option<Lead> {
        let (acted, warp, clip_s) = self.at(memory, time_s)?;
        let (clip_s, is_foot) = (clip_s as f32, matches!(limb, Limb::Foot(_)));
        let gone_s = if acted.stage == LEAVES { (time_s - acted.base_at_s()) as f32 } else { 0.0 };
        let ease_s = self.config.ease_s;
        let released = 1.0 - smoothstep((gone_s / ease_s).clamp(0.0, 1.0));
        let (mut lead, mut follows) = (Lead::default(), 0.0);
        for contact in warp.action.contacts.iter().filter(|c| c.limb == limb && (is_foot || c.mark.is_some())) {
            let stays = acted.stands(contact);
            let share = weight(&warp, contact, stays.is_some(), clip_s, ease_s);
            let own = warp.correction(clip_s).point(contact.position);
            let stays = stays.map(|toe| Vec3::new(toe.x, own.y, toe.y));
            let Some(to) = stays.or_else(|| warp.touched(contact)).filter(|_| share > 0.0) else { continue };
            lead.shift += (to - own) * share;
            follows += share;
            let is_later = stays.is_none() && contact.start_s > warp.base_s + BLENDS_S;
            let touches = match limb {
                // Foot locking holds a foot where it lands, unless a request names the place. The transition into the action must not
                // displace it.
                Limb::Foot(_) if is_later && contact.mark.is_none() => 0.0,
                // A foot that is released goes on from where its clip has it.
                Limb::Foot(_) => {
                    let left = smoothstep(((contact.end_s - clip_s) / ease_s).clamp(0.0, 1.0));
                    share * left * released
                }
                _ => share * released,
            };
            let lands = (contact.start_s - LANDS_S..contact.end_s).contains(&clip_s);
            if touches > lead.weight || (lands && !lead.holds) {
                (lead.to, lead.weight, lead.holds) = (to, touches, lands);
            }
        }
        lead.shift *= released / f32::max(follows, 1.0);
        (follows > 0.0).then_some(lead)
    }

    fn displacement(&self, memory: &[f32], between_s: [f32; 2], own: Transform) -> Transform {
        self.inner.displacement(&memory[ACTED_WIDTH..], between_s, own)
    }

    fn own_share_of_root(&self, at: AfterTick) -> f32 {
        if Acted::split(at.memory).0.plays() { 1.0 } else { self.inner.own_share_of_root(rest(at)) }
    }

    fn report(&self, memory: &[f32], times: ReportTimes, output: &mut Output) -> f64 {
        self.inner.report(&memory[ACTED_WIDTH..], times, output)
    }

    fn reported(&self, memory: &mut [f32], due_s: f32, events: &[FiredEvent]) {
        self.inner.reported(&mut memory[ACTED_WIDTH..], due_s, events);
    }

    fn bend_curves(&self, at: AfterTick, scratch: &mut SourceScratch, curves: &mut [f32]) {
        self.inner.bend_curves(rest(at), scratch, curves);
    }

    fn bend_pose(&self, at: AfterTick, legs_alone: bool, scratch: LayerScratch, body: (&mut Pose, &mut PoseVelocity)) {
        self.inner.bend_pose(rest(at), legs_alone, scratch, body);
    }

    fn leads_leg(&self, at: AfterTick, slot: usize) -> Option<Playing> {
        self.inner.leads_leg(rest(at), slot)
    }

    fn moved(&self, memory: &mut [f32], by: Transform) {
        let acted = Acted::of_mut(memory);
        if acted.plays() {
            *acted = acted.moved(by);
        }
        self.inner.moved(&mut memory[ACTED_WIDTH..], by);
    }

    fn restart(&self, memory: &mut [f32], time_s: f64, output: &mut Output) {
        let acted = Acted::of_mut(memory);
        if acted.acts() {
            output.act(ActionEvent { id: acted.id as u16, time_s, step: ActionStep::Left });
        }
        *acted = Acted::default();
        self.inner.restart(&mut memory[ACTED_WIDTH..], time_s, output);
    }

    fn go_on(&self, memory: &mut [f32], before: (&dyn Director, &[f32]), since_tick_s: f32) {
        self.inner.go_on(&mut memory[ACTED_WIDTH..], before, since_tick_s);
    }

    fn end_of(&self, memory: &[f32], before: (&dyn Director, &[f32]), output: &mut Output) {
        self.inner.end_of(&memory[ACTED_WIDTH..], before, output);
    }
}
