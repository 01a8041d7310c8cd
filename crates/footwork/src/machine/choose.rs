//! Choice of the motion of a machine's state, without a search.

use super::blend_space::BlendSpace;
use super::body::Steer;
use super::memory::MOST_CALLS;
use super::source::begin_blend;
use super::{Machine, Plays, State};
use crate::database::Database;
use crate::frames::ClipIndex;
use crate::input::{InputError, MontageAction, MontageCall};
use crate::matcher::Playing;
use crate::matcher::director::{Directed, Directive};
use crate::matcher::source::Playhead;
use crate::matcher::state::Commanded;

/// Time within which a walking body touches down again, in seconds.
const LONGEST_STRIDE_S: f64 = 3.0;
/// A foot has lifted this long after the end of its stance, in seconds.
const PAST_S: f64 = 1e-3;

impl Machine {
    /// Rejects a wrong number of values for variables and triggers, too many calls of montages, and unknown montages or sections.
    pub(super) fn check_input(&self, variables: &[f32], calls: &[MontageCall]) -> Result<(), InputError> {
        let (expected, found) = (self.names.len(), variables.len());
        if found != 0 && found != expected {
            return Err(InputError::Variables { expected, found });
        }
        let known = |call: &MontageCall| match call.action {
            MontageAction::Play { montage, section, .. } => {
                self.montages.get(usize::from(montage)).is_some_and(|m| usize::from(section) < m.sections.len())
            }
            _ => true,
        };
        match (calls.len() <= MOST_CALLS, calls.iter().all(known)) {
            (true, true) => Ok(()),
            (false, _) => Err(InputError::Montages { what: "more than 16 calls" }),
            _ => Err(InputError::Montages { what: "a montage or section that the state machine does not have" }),
        }
    }

    /// Returns the clip and time at which a character starts; `None` if motion matching chooses them.
    pub(super) fn first_playing(&self) -> Option<Playing> {
        self.first_moment(&self.states[self.start])
    }

    /// Returns the clip and time at which a state begins; `None` if motion matching chooses them.
    fn first_moment(&self, state: &State) -> Option<Playing> {
        match &state.plays {
            Plays::Matching { .. } => None,
            Plays::Clips(clips) => Some(clips[0]),
            Plays::Blend(b) => Some(self.blended(*b)),
        }
    }

    /// Returns a blend space as a clip of the machine's source: blend spaces follow the clips of the database.
    pub(super) fn blended(&self, blend: usize) -> Playing {
        Playing { clip: ClipIndex::new(self.db.clips.len() + blend), mirrored: false, time_s: 0.0 }
    }

    /// Returns the blend space of the start state, with the sources of its parameters.
    pub(super) fn blend_at_start(&self) -> Option<&(BlendSpace, Vec<Steer>)> {
        match self.states[self.start].plays {
            Plays::Blend(b) => Some(&self.blend_spaces[b]),
            _ => None,
        }
    }

    /// Returns the value of a variable or body term; without a body, the value for one at rest.
    pub(super) fn steered(&self, steer: Steer, variables: &[f32], body: Option<Commanded>) -> f32 {
        match steer {
            Steer::Variable(v) => self.variable(variables, v),
            Steer::Body(term) => body.map_or(0.0, |body| term.value(body)),
        }
    }

    /// Returns the current parameters of a blend space.
    pub(super) fn place(&self, parameters: &[Steer], variables: &[f32], body: Option<Commanded>) -> [f32; 2] {
        [0, 1].map(|k| parameters.get(k).map_or(0.0, |steer| self.steered(*steer, variables, body)))
    }
}

impl Machine {
    /// Returns the current state.
    pub(super) fn state_in(&self, memory: &[f32]) -> &State {
        &self.states[self.state(memory)]
    }

    /// Returns the clip and time at which the current state begins, and writes its memory; `None` if motion matching chooses them.
    pub(super) fn begin_state(&self, at: &mut Directed) -> Option<Playing> {
        let state = self.state_in(at.memory);
        let playing = self.first_moment(state)?;
        at.source.init_memory(at.next_memory);
        if let Plays::Blend(b) = state.plays {
            let (space, parameters) = &self.blend_spaces[b];
            let place = self.place(parameters, at.input.variables, Some(at.body));
            begin_blend(space.enter(place, 0.0), at.next_memory);
        }
        Some(playing)
    }

    /// Returns what the current state plays next.
    pub(super) fn next_of_state(&self, at: &mut Directed) -> Directive {
        let is_new = self.layout.head(at.memory).ticks == 0.0;
        match &self.state_in(at.memory).plays {
            Plays::Matching { once: false, .. } => Directive::Match,
            Plays::Matching { .. } => Directive::MatchOnce,
            _ if !is_new => Directive::Continue,
            Plays::Clips(clips) => Directive::Play(self.picked(clips, at.memory)),
            Plays::Blend(b) => {
                let (space, parameters) = &self.blend_spaces[*b];
                let place = self.place(parameters, at.input.variables, Some(at.body));
                // The feet continue their steps.
                let phase = match space.feet() {
                    Some(feet) => space.phase_for_contacts(&self.db, place, feet.map(|slot| next_contact_s(at, slot))),
                    None => 0.0,
                };
                begin_blend(space.enter(place, phase), at.next_memory);
                Directive::Play(self.blended(*b))
            }
        }
    }
}

/// Returns the time until a contact joint touches and the duration of that contact, in seconds, if the playing clip continues.
fn next_contact_s(at: &mut Directed, slot: usize) -> (f32, f32) {
    let now = Playhead { playing: at.playback.playing, memory: at.source_memory };
    at.source.next_contact_s(now, at.scratch, slot)
}

/// Returns the time until the left and the right foot touch down next, in seconds; `None` if unknown for either.
pub(super) fn next_steps_s(at: &mut Directed, feet: [usize; 2]) -> Option<[f32; 2]> {
    let next = feet.map(|slot| next_plant_s(at, slot));
    Some([next[0]?, next[1]?])
}

/// Returns the time until a foot touches down next, in seconds; a foot that touches now must lift first. The look-ahead is repeated,
/// because a source covers at most [`Database::CONTACT_HORIZON_S`], which is shorter than a slow stance or swing.
fn next_plant_s(at: &mut Directed, slot: usize) -> Option<f32> {
    let now = Playhead { playing: at.playback.playing, memory: at.source_memory };
    let mut ahead_s = 0.0f64;
    while ahead_s < LONGEST_STRIDE_S {
        let (in_s, for_s) = at.source.next_contact_s(now.later(ahead_s), at.scratch, slot);
        ahead_s += match in_s {
            0.0 => f64::from(for_s) + PAST_S,
            _ if in_s.is_finite() => return Some((ahead_s + f64::from(in_s)) as f32),
            _ => Database::CONTACT_HORIZON_S,
        };
    }
    None
}
