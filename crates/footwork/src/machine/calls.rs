//! Montages that are started by call instead of by a condition.

use super::error::MachineError;
use super::memory::{MOST_CALLS, TRIGGER_COUNTS};
use super::{MachineSpec, MontageSpec};
use crate::input::{MontageAction, MontageCall, MontageHandle};
use crate::matcher::{Character, MatcherState, MotionMatcher};

/// Options of a montage call. The default uses the values of its specification.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayMontage<'a> {
    /// Name of the initial section. Default: the first.
    pub section: Option<&'a str>,
    /// Start time in the clip, in seconds; clamped to the section.
    pub start_s: Option<f32>,
    /// Play rate.
    pub rate: Option<f32>,
    /// Blend-in time, in seconds.
    pub blend_in_s: Option<f32>,
}

/// Montage calls, to be passed as [`crate::input::MotionInput::montages`] in every update. The last few calls are kept, because
/// an update may have no control tick. No call is executed twice, not even by a restored state.
///
/// At most 16 calls can be made between two control ticks (1/60 s). If there are more, the oldest are lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MontageCalls {
    /// Names of the montages and of their sections.
    montages: Vec<(String, Vec<String>)>,
    last: u16,
    calls: Vec<MontageCall>,
    /// Montages of the latest handles.
    played: Vec<(MontageHandle, usize)>,
}

/// Maximum number of handles that are kept for jumps by section name.
const MOST_PLAYED: usize = 64;

impl MontageCalls {
    fn new(spec: &MachineSpec, last: u16) -> Self {
        let names = |m: &MontageSpec| (m.name.clone(), m.sections.iter().map(|s| s.name.clone()).collect());
        Self { montages: spec.montages.iter().map(names).collect(), last, ..Self::default() }
    }

    /// Plays a montage. The returned handle identifies it until it ends.
    ///
    /// # Errors
    /// Returns [`MachineError`] for an unknown montage or section, with the nearest known name.
    pub fn play(&mut self, montage: &str, how: PlayMontage) -> Result<MontageHandle, MachineError> {
        let place = self.montages.iter().position(|(name, _)| name == montage).ok_or_else(|| {
            let known = self.montages.iter().map(|(name, _)| name.as_str());
            MachineError::unknown("montages".to_owned(), "montage", montage, known)
        })?;
        let section = how.section.map_or(Ok(0), |section| self.section(place, section))?;
        let handle = MontageHandle(self.next());
        if self.played.len() == MOST_PLAYED {
            self.played.remove(0);
        }
        self.played.push((handle, place));
        let PlayMontage { start_s, rate, blend_in_s, .. } = how;
        let montage = place as u16;
        self.push(handle, MontageAction::Play { montage, section, start_s, rate, blend_in_s });
        Ok(handle)
    }

    /// Continues a montage at the start of a section.
    ///
    /// # Errors
    /// Returns [`MachineError`] for an unknown section, and for a handle that is no longer kept.
    pub fn jump(&mut self, handle: MontageHandle, section: &str) -> Result<(), MachineError> {
        let place =
            self.place(handle).ok_or_else(|| MachineError::new("montages", "it was played long ago: play it again"))?;
        let section = self.section(place, section)?;
        self.next();
        self.push(handle, MontageAction::Jump { section });
        Ok(())
    }

    /// Interrupts a montage. `None` uses the blend-out time of its specification. Has no effect if the montage has ended.
    pub fn stop(&mut self, handle: MontageHandle, blend_out_s: Option<f32>) {
        self.next();
        self.push(handle, MontageAction::Stop { blend_out_s });
    }

    /// Takes over the calls and handles of another machine, for montages and sections with the same names. Others are dropped.
    pub fn take_over(&mut self, other: &Self) {
        self.last = other.last;
        let montage = |place: usize| {
            let (name, sections) = other.montages.get(place)?;
            let here = self.montages.iter().position(|(n, _)| n == name)?;
            Some((here, &self.montages[here].1, sections))
        };
        let section = |place: usize, section: u16| {
            let (_, sections, before) = montage(place)?;
            let name = before.get(usize::from(section))?;
            sections.iter().position(|s| s == name).map(|s| s as u16)
        };
        self.played = other.played.iter().filter_map(|(h, place)| Some((*h, montage(*place)?.0))).collect();
        let action = |call: &MontageCall| match call.action {
            MontageAction::Play { montage: place, section: s, start_s, rate, blend_in_s } => {
                let here = montage(usize::from(place))?.0 as u16;
                let section = section(usize::from(place), s)?;
                Some(MontageAction::Play { montage: here, section, start_s, rate, blend_in_s })
            }
            MontageAction::Jump { section: s } => {
                Some(MontageAction::Jump { section: section(other.place(call.handle)?, s)? })
            }
            MontageAction::Stop { .. } => Some(call.action),
        };
        self.calls = other.calls.iter().filter_map(|c| Some(MontageCall { action: action(c)?, ..*c })).collect();
    }

    /// Returns the latest calls for [`crate::input::MotionInput::montages`].
    pub fn calls(&self) -> &[MontageCall] {
        &self.calls
    }

    /// Returns the index of the montage of a handle; `None` if the handle is no longer kept.
    fn place(&self, handle: MontageHandle) -> Option<usize> {
        self.played.iter().rev().find(|(h, _)| *h == handle).map(|(_, place)| *place)
    }

    fn section(&self, montage: usize, section: &str) -> Result<u16, MachineError> {
        let (name, sections) = &self.montages[montage];
        let place = sections.iter().position(|s| s == section);
        place.map(|place| place as u16).ok_or_else(|| {
            let at = format!("montages.`{name}`.sections");
            MachineError::unknown(at, "section", section, sections.iter().map(String::as_str))
        })
    }

    fn next(&mut self) -> u16 {
        self.last = self.last.wrapping_add(1);
        self.last
    }

    fn push(&mut self, handle: MontageHandle, action: MontageAction) {
        if self.calls.len() == MOST_CALLS {
            self.calls.remove(0);
        }
        self.calls.push(MontageCall { number: self.last, handle, action });
    }
}

/// Returns true if a character that has executed the calls up to `obeyed` has not executed this one.
pub(super) fn is_new(call: &MontageCall, obeyed: f32) -> bool {
    let more = (f32::from(call.number) - obeyed).rem_euclid(TRIGGER_COUNTS);
    more > 0.0 && more < 0.5 * TRIGGER_COUNTS
}

impl Character {
    /// Returns the calls of montages for a character in this state, counted from the last executed one. Without a state machine,
    /// there are no montages to call.
    pub fn montage_calls(&self, state: &MatcherState) -> MontageCalls {
        let obeyed = self.obeyed_calls(state);
        self.machine().map_or_else(MontageCalls::default, |machine| MontageCalls::new(machine.spec(), obeyed))
    }
}

impl MotionMatcher {
    /// Returns [`Character::montage_calls`] of this character.
    pub fn montage_calls(&self) -> MontageCalls {
        self.character().montage_calls(self.state())
    }
}
