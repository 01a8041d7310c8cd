//! Control ticks of a machine.

use super::Machine;
use super::blend_space::{BlendState, feet};
use super::calls::is_new;
use super::layer::{OwnPlays, OwnWeight};
use super::memory::{BROKEN_OFF, COMES_IN, GOES_OUT, MOST, NOTHING, TICK_S, Trigger, Voice, Voices};
use super::montage::Montage;
use crate::frames::EventId;
use crate::input::{MontageAction, MontageCall};
use crate::matcher::character::Update;
use crate::matcher::state::CONTROL_S;
use crate::matcher::{FiredEvent, StateChange};
use crate::math::spring;
use glam::Vec3;

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

impl Update<'_> {
    /// Runs a control tick of the machine. Returns true if another state was entered.
    pub(crate) fn tick_machine(&mut self) -> bool {
        let Some(machine) = self.character.machine() else { return false };
        self.tick_blend(machine);
        self.tick_triggers(machine);
        self.gather_facts(machine);
        let entered = self.take_transition(machine);
        self.tick_layers(machine);
        let head = machine.layout.head_mut(self.machine_memory());
        (head.events, head.reported_s) = (0.0, NOTHING);
        entered
    }

    pub(super) fn machine_memory(&mut self) -> &mut [f32] {
        let machine = self.character.layout().machine.clone();
        &mut self.state.block[machine]
    }

    /// Returns the time in which the previous motion is blended out when the machine's state begins, in seconds; 0: the time of
    /// the settings.
    pub(crate) fn blend_of_state_s(&self) -> f32 {
        let Some(machine) = self.character.machine() else { return 0.0 };
        let head = machine.layout.head(self.state.machine(self.character.layout()));
        if head.ticks == 0.0 { head.blend_s } else { 0.0 }
    }

    fn tick_triggers(&mut self, machine: &Machine) {
        let given = self.input.variables;
        let first = machine.defaults.len();
        let memory = self.machine_memory();
        for (k, (trigger, waits_s)) in machine.layout.triggers_mut(memory).iter_mut().zip(&machine.waits_s).enumerate()
        {
            trigger.waits_s = (trigger.waits_s - TICK_S).max(0.0);
            let Some(count) = given.get(first + k) else { continue };
            if trigger.count_up_to(*count) {
                trigger.waits_s = waits_s + 0.5 * TICK_S;
            }
        }
        let head = machine.layout.head_mut(memory);
        head.ticks = (head.ticks + 1.0).min(MOST);
    }

    /// Stores the velocity that the goal requests, for conditions.
    pub(crate) fn request_velocity(&mut self, velocity: Vec3) {
        let Some(machine) = self.character.machine() else { return };
        machine.layout.head_mut(self.machine_memory()).requested = [velocity.x, velocity.z];
    }

    fn take_transition(&mut self, machine: &Machine) -> bool {
        let facts = self.facts(machine);
        let now = machine.state(facts.memory);
        let head = machine.layout.head(facts.memory);
        let is_held = head.ticks * TICK_S < head.held_s;
        let mut open = machine.transitions_from(now).enumerate().filter(|(_, t)| t.interrupts || !is_held);
        let Some((transition, taken)) = open.find(|(_, t)| t.when.as_ref().is_none_or(|when| facts.hold(when))) else {
            return false;
        };
        let (from, to, transition) = (now as u16, taken.to as u16, transition as u16);
        let change = StateChange { from, to, transition, time_s: self.state.header.time_s };
        self.output.state_changes.push(change);
        let memory = self.machine_memory();
        if let Some(when) = &taken.when {
            when.use_triggers(&machine.layout, memory);
        }
        let head = machine.layout.head_mut(memory);
        (head.state, head.ticks, head.held_s) = (taken.to as f32, 0.0, taken.hold_s);
        head.blend_s = taken.blend_s;
        head.entries = (head.entries + 1.0) % MOST;
        true
    }

    fn tick_layers(&mut self, machine: &Machine) {
        machine.advance_voices(self.machine_memory());
        for layer in 0..machine.layers.len() {
            self.tick_montage(machine, layer);
        }
        self.obey_calls(machine);
        self.start_montages(machine);
        self.tick_own(machine);
    }

    /// Decides whether the montage of a layer is interrupted and whether it leaves its section.
    fn tick_montage(&mut self, machine: &Machine, layer: usize) {
        let facts = self.facts(machine);
        let voice = machine.layout.voices(facts.memory)[layer][0];
        let Some(montage) = voice.leads().map(|m| &machine.montages[m]) else { return };
        let stops = montage.stop.as_ref().is_some_and(|stop| facts.hold(stop));
        let leave = montage.sections[voice.section as usize].leave.as_ref();
        let leaves = leave.is_some_and(|(condition, _)| facts.hold(condition));
        if stops {
            self.break_off(machine, layer);
            return;
        }
        let voice = &mut machine.layout.voices_mut(self.machine_memory())[layer][0];
        // A montage that blends out plays to its end: its section no longer changes.
        if voice.way == COMES_IN {
            voice.leaves = f32::from(u8::from(leaves));
        }
    }

    /// Interrupts the montage of a layer and ends its windows.
    fn break_off(&mut self, machine: &Machine, layer: usize) {
        let voice = &mut machine.layout.voices_mut(self.machine_memory())[layer][0];
        let was = *voice;
        voice.way = BROKEN_OFF;
        self.end_windows(layer, machine.open_windows(&was, NOTHING));
    }

    /// Ends windows of a layer whose montage is interrupted.
    fn end_windows(&mut self, layer: usize, windows: impl Iterator<Item = EventId>) {
        let time_s = self.state.header.time_s;
        for event in windows {
            self.output.fire(FiredEvent::broken_off(event, time_s, layer as u16));
        }
    }

    /// Restarts the character at rest in the machine's first state. Triggers keep their state, so that none fires twice. Open
    /// windows end.
    pub(crate) fn restart_machine(&mut self) {
        let Some(machine) = self.character.machine() else { return };
        let memory = &mut self.state.block[self.character.layout().machine.clone()];
        let time_s = self.state.header.time_s;
        for (layer, _, event) in machine.all_open_windows(memory) {
            self.output.fire(FiredEvent::broken_off(event, time_s, layer as u16));
        }
        machine.restart(memory);
    }

    /// Starts the montages whose conditions became true: one per layer, the others wait.
    fn start_montages(&mut self, machine: &Machine) {
        for (m, montage) in machine.montages.iter().enumerate() {
            let facts = self.facts(machine);
            let Some(start) = &montage.start else { continue };
            let holds = facts.hold(start);
            let started = machine.layout.started(facts.memory)[m] == 1.0;
            if !holds {
                machine.layout.started_mut(self.machine_memory())[m] = 0.0;
            }
            if !holds || started || self.may_begin(machine, montage) != Begin::Now {
                continue;
            }
            let memory = self.machine_memory();
            machine.layout.started_mut(memory)[m] = 1.0;
            start.use_triggers(&machine.layout, memory);
            self.begin_montage(machine, montage, montage.voice(m, 0));
        }
    }

    /// Returns whether a montage may begin on its layer.
    fn may_begin(&mut self, machine: &Machine, montage: &Montage) -> Begin {
        let [new, old] = machine.layout.voices(self.machine_memory())[montage.layer];
        let playing = new.leads().map(|m| machine.montages[m].priority);
        if playing.is_some_and(|priority| priority > montage.priority) {
            return Begin::Never;
        }
        // At most two montages are visible on a layer: a third waits until one of them has ended.
        if old.montage().is_none() && new.fresh != 1.0 { Begin::Now } else { Begin::Later }
    }

    /// Starts a montage on its layer and interrupts the one that plays there.
    fn begin_montage(&mut self, machine: &Machine, montage: &Montage, voice: Voice) {
        if machine.layout.voices(self.machine_memory())[montage.layer][0].leads().is_some() {
            self.break_off(machine, montage.layer);
        }
        let voices = &mut machine.layout.voices_mut(self.machine_memory())[montage.layer];
        voices[1] = voices[0];
        voices[0] = voice;
    }

    /// Executes the new calls of montages in order, up to the first that must wait.
    fn obey_calls(&mut self, machine: &Machine) {
        let calls = self.input.montages;
        let obeyed = |update: &mut Self| machine.layout.head(update.machine_memory()).obeyed;
        let obey_up_to = |update: &mut Self, call: &MontageCall| {
            machine.layout.head_mut(update.machine_memory()).obeyed = f32::from(call.number);
        };
        if let Some(last) = calls.last().filter(|last| f32::from(last.number) != obeyed(self)) {
            // If the game restarted its count, the calls are marked as executed.
            if !is_new(last, obeyed(self)) {
                obey_up_to(self, last);
            }
        }
        for call in calls {
            if is_new(call, obeyed(self)) {
                if !self.obey(machine, call) {
                    return;
                }
                obey_up_to(self, call);
            }
        }
    }

    /// Executes a call. Returns false if the call must wait.
    fn obey(&mut self, machine: &Machine, call: &MontageCall) -> bool {
        let handle = f32::from(call.handle.0);
        let playing = |voices: &Voices| voices[0].handle == handle && voices[0].leads().is_some();
        let layer = machine.layout.voices(self.machine_memory()).iter().position(playing);
        match call.action {
            MontageAction::Play { montage: m, section, start_s, rate, blend_in_s } => {
                let montage = &machine.montages[usize::from(m)];
                match self.may_begin(machine, montage) {
                    Begin::Later => return false,
                    Begin::Never => return true,
                    Begin::Now => {}
                }
                let voice = montage.voice(m.into(), section.into());
                let range = &montage.sections[usize::from(section)];
                let time_s = start_s.unwrap_or(range.from_s).clamp(range.from_s, range.to_s);
                let (rate, blend_in_s) = (rate.unwrap_or(voice.rate), blend_in_s.unwrap_or(voice.blend_in_s));
                self.begin_montage(machine, montage, Voice { time_s, rate, blend_in_s, handle, ..voice });
            }
            MontageAction::Jump { section } => {
                let Some(layer) = layer else { return true };
                self.jump(machine, layer, section.into());
            }
            MontageAction::Stop { blend_out_s } => {
                let Some(layer) = layer else { return true };
                if let Some(seconds) = blend_out_s {
                    machine.layout.voices_mut(self.machine_memory())[layer][0].blend_out_s = seconds;
                }
                self.break_off(machine, layer);
            }
        }
        true
    }

    /// Continues the montage of a layer at the start of a section, if the section exists.
    fn jump(&mut self, machine: &Machine, layer: usize, section: usize) {
        let voice = machine.layout.voices(self.machine_memory())[layer][0];
        let Some(montage) = voice.leads().map(|m| &machine.montages[m]) else { return };
        let Some(to_s) = montage.sections.get(section).map(|s| s.from_s) else { return };
        let (time_s, output) = (self.state.header.time_s, &mut *self.output);
        montage.enter(Some(voice.time_s), to_s, 0.0, &mut |_, passed| {
            let (event, kind) = montage.event(passed);
            output.fire(FiredEvent { event, time_s, kind, layer: Some(layer as u16) });
        });
        let voice = &mut machine.layout.voices_mut(self.machine_memory())[layer][0];
        (voice.section, voice.time_s, voice.leaves) = (section as f32, to_s, 0.0);
        if voice.way == GOES_OUT {
            voice.way = COMES_IN;
        }
    }

    /// Advances the motion that layers play while no montage plays.
    fn tick_own(&mut self, machine: &Machine) {
        let (variables, time) = (self.input.variables, TICK_S);
        let step = self.step_phase(machine);
        let header = Some(&self.state.header);
        let memory = &mut self.state.block[self.character.layout().machine.clone()];
        for (layer, spec) in machine.layers.iter().enumerate() {
            let (Some(own), Some((weight, rest))) = (&spec.own, machine.layout.own_mut(memory, layer)) else {
                continue;
            };
            let wanted = match own.weight {
                OwnWeight::Number(n) => n,
                OwnWeight::Steered(steer) => machine.steered(steer, variables, header).clamp(0.0, 1.0),
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
                    let (space, parameters) = &machine.blend_spaces[*b];
                    let mut state = BlendState::read(rest);
                    space.tick(&mut state, CONTROL_S, machine.place(parameters, variables, header));
                    state.write(rest);
                }
            }
        }
    }

    /// Returns the phase of the stride (left touches down at 0, right at 0.5) and the strides per second; `None` for a body that
    /// does not step, or if no layer is in step.
    fn step_phase(&mut self, machine: &Machine) -> Option<(f32, f32)> {
        machine.layers.iter().find(|l| l.own.as_ref().is_some_and(|own| own.in_step))?;
        let [left, right] = self.next_steps_s(feet(&machine.db)?)?;
        let stride_s = 2.0 * (left - right).abs();
        if !(0.3..3.0).contains(&stride_s) {
            return None;
        }
        let phase = if left < right { 1.0 - left / stride_s } else { 0.5 - right / stride_s };
        Some((phase.rem_euclid(1.0), self.state.header.play_rate / stride_s))
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
