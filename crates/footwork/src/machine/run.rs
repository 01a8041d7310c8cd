//! Control ticks of a machine.

use super::Machine;
use super::blend_space::{BlendState, feet};
use super::calls::is_new;
use super::choose::next_steps_s;
use super::layer::{OwnPlays, OwnWeight};
use super::memory::{BROKEN_OFF, COMES_IN, GOES_OUT, MOST, NOTHING, TICK_S, Trigger, Voice, Voices};
use super::montage::Montage;
use crate::frames::EventId;
use crate::input::{MontageAction, MontageCall};
use crate::matcher::director::Directed;
use crate::matcher::state_groups::CONTROL_S;
use crate::matcher::{FiredEvent, Output, StateChange};
use crate::math::spring;

impl Machine {
    /// Returns the windows of a voice that have begun and not ended, if the events of its tick are reported up to `reported_s`.
    fn open_windows(&self, voice: &Voice, reported_s: f32) -> impl Iterator<Item = EventId> {
        let montage = voice.leads().map(|m| &self.montages[m]);
        montage.into_iter().flat_map(move |m| m.open_windows(voice, reported_s).map(|w| m.windows[w].event))
    }

    /// Returns the open windows: layer, montage, event.
    pub(crate) fn all_open_windows(&self, memory: &[f32]) -> impl Iterator<Item = (usize, usize, EventId)> {
        let reported_s = self.layout.head(memory).reported_s;
        self.layout.voices(memory).iter().enumerate().flat_map(move |(layer, v)| {
            let montage = v[0].leads().unwrap_or(0);
            self.open_windows(&v[0], reported_s).map(move |event| (layer, montage, event))
        })
    }

    /// Sets the triggers. A trigger that `other` also has (by name) keeps the state that it had there. No trigger fires for
    /// earlier counts.
    pub(crate) fn take_triggers(&self, memory: &mut [f32], other: Option<(&Self, &[f32])>) {
        let triggers = self.layout.triggers_mut(memory);
        for (trigger, name) in triggers.iter_mut().zip(&self.names[self.defaults.len()..]) {
            let before = other.and_then(|(other, memory)| {
                let at = other.names[other.defaults.len()..].iter().position(|n| n == name)?;
                other.layout.triggers(memory).get(at)
            });
            *trigger = before.copied().unwrap_or(Trigger::UNCOUNTED);
        }
    }

    /// Advances the montages by a control tick.
    fn advance_voices(&self, memory: &mut [f32]) {
        for voices in self.layout.voices_mut(memory) {
            for voice in voices.iter_mut() {
                let Some(montage) = voice.montage().map(|m| &self.montages[m]) else { continue };
                *voice =
                    Voice { progress: montage.progress(voice, TICK_S), fresh: 0.0, ..montage.later(voice, TICK_S) };
                if voice.way == COMES_IN && montage.left_s(voice) <= voice.blend_out_s {
                    voice.way = GOES_OUT;
                }
            }
            let [new, old] = voices;
            if old.montage().is_some() && new.progress >= 1.0 && new.way == COMES_IN {
                *old = Voice::default();
            }
            if new.way != COMES_IN && old.montage().is_some() && old.way == COMES_IN {
                old.way = BROKEN_OFF;
            }
            for voice in voices.iter_mut() {
                // An uninterrupted montage reports its events to the end, even when it is no longer visible.
                let over = voice.leads().is_none_or(|m| self.montages[m].left_s(voice) <= 0.0);
                if voice.way != COMES_IN && voice.progress <= 0.0 && over {
                    *voice = Voice::default();
                }
            }
            if voices[0].montage().is_none() {
                voices.swap(0, 1);
            }
        }
    }
}

impl Montage {
    /// Returns the blend-in progress `elapsed_s` after a control tick, 0 to 1.
    pub(super) fn progress(&self, voice: &Voice, elapsed_s: f32) -> f32 {
        let (seconds, sign) = if voice.way == COMES_IN { (voice.blend_in_s, 1.0) } else { (voice.blend_out_s, -1.0) };
        // A montage at full weight keeps it until it blends out.
        if voice.way == COMES_IN && voice.progress >= 1.0 {
            return 1.0;
        }
        if seconds <= 0.0 {
            return if sign > 0.0 { 1.0 } else { 0.0 };
        }
        (voice.progress + sign * elapsed_s / seconds).clamp(0.0, 1.0)
    }
}

impl Machine {
    /// Runs a control tick. Returns true if another state was entered.
    pub(super) fn run_tick(&self, at: &mut Directed) -> bool {
        self.tick_blend(at);
        self.tick_triggers(at);
        self.gather_facts(at);
        let entered = self.take_transition(at);
        self.tick_layers(at);
        let head = self.layout.head_mut(at.memory);
        (head.events, head.reported_s) = (0.0, NOTHING);
        entered
    }

    fn tick_triggers(&self, at: &mut Directed) {
        let given = at.input.variables;
        let first = self.defaults.len();
        let memory = &mut *at.memory;
        for (k, (trigger, waits_s)) in self.layout.triggers_mut(memory).iter_mut().zip(&self.waits_s).enumerate() {
            trigger.waits_s = (trigger.waits_s - TICK_S).max(0.0);
            let Some(count) = given.get(first + k) else { continue };
            if trigger.count_up_to(*count) {
                trigger.waits_s = waits_s + 0.5 * TICK_S;
            }
        }
        let head = self.layout.head_mut(memory);
        head.ticks = (head.ticks + 1.0).min(MOST);
    }

    fn take_transition(&self, at: &mut Directed) -> bool {
        let facts = self.facts(at);
        let now = self.state(facts.memory);
        let head = self.layout.head(facts.memory);
        let is_held = head.ticks * TICK_S < head.held_s;
        let mut open = self.transitions_from(now).enumerate().filter(|(_, t)| t.interrupts || !is_held);
        let Some((transition, taken)) = open.find(|(_, t)| t.when.as_ref().is_none_or(|when| facts.hold(when))) else {
            return false;
        };
        let (from, to, transition) = (now as u16, taken.to as u16, transition as u16);
        let change = StateChange { from, to, transition, time_s: at.clock.time_s };
        at.output.state_changes.push(change);
        let memory = &mut *at.memory;
        if let Some(when) = &taken.when {
            when.use_triggers(&self.layout, memory);
        }
        let head = self.layout.head_mut(memory);
        (head.state, head.ticks, head.held_s) = (taken.to as f32, 0.0, taken.hold_s);
        head.blend_s = taken.blend_s;
        head.entries = (head.entries + 1.0) % MOST;
        true
    }

    fn tick_layers(&self, at: &mut Directed) {
        self.advance_voices(at.memory);
        for layer in 0..self.layers.len() {
            self.tick_montage(at, layer);
        }
        self.obey_calls(at);
        self.start_montages(at);
        self.tick_own(at);
    }

    /// Decides whether the montage of a layer is interrupted and whether it leaves its section.
    fn tick_montage(&self, at: &mut Directed, layer: usize) {
        let facts = self.facts(at);
        let voice = self.layout.voices(facts.memory)[layer][0];
        let Some(montage) = voice.leads().map(|m| &self.montages[m]) else { return };
        let stops = montage.stop.as_ref().is_some_and(|stop| facts.hold(stop));
        let leave = montage.sections[voice.section as usize].leave.as_ref();
        let leaves = leave.is_some_and(|(condition, _)| facts.hold(condition));
        if stops {
            self.break_off(at, layer);
            return;
        }
        let voice = &mut self.layout.voices_mut(at.memory)[layer][0];
        // A montage that blends out plays to its end: its section no longer changes.
        if voice.way == COMES_IN {
            voice.leaves = f32::from(u8::from(leaves));
        }
    }

    /// Interrupts the montage of a layer and ends its windows.
    fn break_off(&self, at: &mut Directed, layer: usize) {
        let voice = &mut self.layout.voices_mut(at.memory)[layer][0];
        let was = *voice;
        voice.way = BROKEN_OFF;
        Self::end_windows(at, layer, self.open_windows(&was, NOTHING));
    }

    /// Ends windows of a layer whose montage is interrupted.
    fn end_windows(at: &mut Directed, layer: usize, windows: impl Iterator<Item = EventId>) {
        let time_s = at.clock.time_s;
        for event in windows {
            at.output.fire(FiredEvent::broken_off(event, time_s, layer as u16));
        }
    }

    /// Ends the open windows in a memory, and restarts in it: the character is at rest in the first state. Triggers keep their state,
    /// so that none fires twice.
    pub(super) fn end_and_restart(&self, memory: &mut [f32], time_s: f64, output: &mut Output) {
        for (layer, _, event) in self.all_open_windows(memory) {
            output.fire(FiredEvent::broken_off(event, time_s, layer as u16));
        }
        self.restart(memory);
    }

    /// Starts the montages whose conditions became true: one per layer, the others wait.
    fn start_montages(&self, at: &mut Directed) {
        for (m, montage) in self.montages.iter().enumerate() {
            let facts = self.facts(at);
            let Some(start) = &montage.start else { continue };
            let holds = facts.hold(start);
            let started = self.layout.started(facts.memory)[m] == 1.0;
            if !holds {
                self.layout.started_mut(at.memory)[m] = 0.0;
            }
            if !holds || started || self.may_begin(at, montage) != Begin::Now {
                continue;
            }
            let memory = &mut *at.memory;
            self.layout.started_mut(memory)[m] = 1.0;
            start.use_triggers(&self.layout, memory);
            self.begin_montage(at, montage, montage.voice(m, 0));
        }
    }

    /// Returns whether a montage may begin on its layer.
    fn may_begin(&self, at: &mut Directed, montage: &Montage) -> Begin {
        let [new, old] = self.layout.voices(at.memory)[montage.layer];
        let playing = new.leads().map(|m| self.montages[m].priority);
        if playing.is_some_and(|priority| priority > montage.priority) {
            return Begin::Never;
        }
        if at.root_is_owned && montage.root_motion {
            return Begin::Later;
        }
        // At most two montages are visible on a layer: a third waits until one of them has ended.
        if old.montage().is_none() && new.fresh != 1.0 { Begin::Now } else { Begin::Later }
    }

    /// Starts a montage on its layer and interrupts the one that plays there.
    fn begin_montage(&self, at: &mut Directed, montage: &Montage, voice: Voice) {
        if self.layout.voices(at.memory)[montage.layer][0].leads().is_some() {
            self.break_off(at, montage.layer);
        }
        let voices = &mut self.layout.voices_mut(at.memory)[montage.layer];
        voices[1] = voices[0];
        voices[0] = voice;
    }

    /// Executes the new calls of montages in order, up to the first that must wait.
    fn obey_calls(&self, at: &mut Directed) {
        let obeyed = |memory: &[f32]| self.layout.head(memory).obeyed;
        let obey_up_to =
            |memory: &mut [f32], call: &MontageCall| self.layout.head_mut(memory).obeyed = f32::from(call.number);
        let calls = at.input.montages;
        if let Some(last) = calls.last().filter(|last| f32::from(last.number) != obeyed(at.memory)) {
            // If the game restarted its count, the calls are marked as executed.
            if !is_new(last, obeyed(at.memory)) {
                obey_up_to(at.memory, last);
            }
        }
        for call in calls {
            if is_new(call, obeyed(at.memory)) {
                if !self.obey(at, call) {
                    return;
                }
                obey_up_to(at.memory, call);
            }
        }
    }

    /// Executes a call. Returns false if the call must wait.
    fn obey(&self, at: &mut Directed, call: &MontageCall) -> bool {
        let handle = f32::from(call.handle.0);
        let playing = |voices: &Voices| voices[0].handle == handle && voices[0].leads().is_some();
        let layer = self.layout.voices(at.memory).iter().position(playing);
        match call.action {
            MontageAction::Play { montage: m, section, start_s, rate, blend_in_s } => {
                let montage = &self.montages[usize::from(m)];
                match self.may_begin(at, montage) {
                    Begin::Later => return false,
                    Begin::Never => return true,
                    Begin::Now => {}
                }
                let voice = montage.voice(m.into(), section.into());
                let range = &montage.sections[usize::from(section)];
                let time_s = start_s.unwrap_or(range.from_s).clamp(range.from_s, range.to_s);
                let (rate, blend_in_s) = (rate.unwrap_or(voice.rate), blend_in_s.unwrap_or(voice.blend_in_s));
                self.begin_montage(at, montage, Voice { time_s, rate, blend_in_s, handle, ..voice });
            }
            MontageAction::Jump { section } => {
                let Some(layer) = layer else { return true };
                self.jump(at, layer, section.into());
            }
            MontageAction::Stop { blend_out_s } => {
                let Some(layer) = layer else { return true };
                if let Some(seconds) = blend_out_s {
                    self.layout.voices_mut(at.memory)[layer][0].blend_out_s = seconds;
                }
                self.break_off(at, layer);
            }
        }
        true
    }

    /// Continues the montage of a layer at the start of a section, if the section exists.
    fn jump(&self, at: &mut Directed, layer: usize, section: usize) {
        let voice = self.layout.voices(at.memory)[layer][0];
        let Some(montage) = voice.leads().map(|m| &self.montages[m]) else { return };
        let Some(to_s) = montage.sections.get(section).map(|s| s.from_s) else { return };
        let (time_s, output) = (at.clock.time_s, &mut *at.output);
        montage.enter(Some(voice.time_s), to_s, 0.0, &mut |_, passed| {
            let (event, kind) = montage.event(passed);
            output.fire(FiredEvent { event, time_s, kind, layer: Some(layer as u16) });
        });
        let voice = &mut self.layout.voices_mut(at.memory)[layer][0];
        (voice.section, voice.time_s, voice.leaves) = (section as f32, to_s, 0.0);
        if voice.way == GOES_OUT {
            voice.way = COMES_IN;
        }
    }

    /// Advances the motion that layers play while no montage plays.
    fn tick_own(&self, at: &mut Directed) {
        let (variables, time) = (at.input.variables, TICK_S);
        let step = self.step_phase(at);
        let body = Some(at.body);
        let memory = &mut *at.memory;
        for (layer, spec) in self.layers.iter().enumerate() {
            let (Some(own), Some((weight, rest))) = (&spec.own, self.layout.own_mut(memory, layer)) else {
                continue;
            };
            let wanted = match own.weight {
                OwnWeight::Number(n) => n,
                OwnWeight::Steered(steer) => self.steered(steer, variables, body).clamp(0.0, 1.0),
            };
            *weight += (wanted - *weight) * spring::damp(own.half_life_s, time);
            match &own.plays {
                OwnPlays::Clip(_, seconds) => {
                    let own_rate = time / seconds;
                    // Advances the share of the loop; in step, it is pulled towards the phase of the feet.
                    let drawn = step.filter(|_| own.in_step).map_or(own_rate, |(phase, rate)| {
                        let off = phase - rest[0];
                        rate * time + (off - off.round()) * DRAW
                    });
                    rest[0] = (rest[0] + drawn).rem_euclid(1.0);
                }
                OwnPlays::Blend(b) => {
                    let (space, parameters) = &self.blend_spaces[*b];
                    let mut state = BlendState::read(rest);
                    space.tick(&mut state, CONTROL_S, self.place(parameters, variables, body));
                    state.write(rest);
                }
            }
        }
    }

    /// Returns the phase of the stride (left touches down at 0, right at 0.5) and the strides per second; `None` for a body that
    /// does not step, or if no layer is in step.
    fn step_phase(&self, at: &mut Directed) -> Option<(f32, f32)> {
        self.layers.iter().find(|l| l.own.as_ref().is_some_and(|own| own.in_step))?;
        let [left, right] = next_steps_s(at, feet(&self.db)?)?;
        let stride_s = 2.0 * (left - right).abs();
        if !(0.3..3.0).contains(&stride_s) {
            return None;
        }
        let phase = if left < right { 1.0 - left / stride_s } else { 0.5 - right / stride_s };
        Some((phase.rem_euclid(1.0), at.playback.play_rate / stride_s))
    }
}

/// Whether a montage may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    Now,
    /// It must wait until one of the two visible montages has ended.
    Later,
    /// Rejected: a montage with a higher priority plays.
    Never,
}

/// Share of the phase difference to the feet that a layer in step corrects at each tick.
const DRAW: f32 = 0.05;
