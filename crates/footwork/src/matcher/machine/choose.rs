//! Choice of the motion of a machine's state, without a search.

use super::blend_space::BlendSpace;
use super::body::Steer;
use super::memory::MOST_CALLS;
use super::source::begin_blend;
use super::{Machine, Plays, State};
use crate::database::{AcceptedTags, Database, TagMask, TagQuery};
use crate::frames::ClipIndex;
use crate::input::{GroundPoint, InputError, MontageAction, MontageCall};
use crate::matcher::Playing;
use crate::matcher::character::{Choice, Update};
use crate::matcher::source::{MotionSource, nearest_row};
use crate::matcher::state::{CONTROL_S, StateHeader};
use glam::Vec3;
use std::sync::Arc;

/// Ground with at most this difference in height counts as level, in metres.
const LEVEL_M: f32 = 0.03;
/// Distance ahead and behind at which the ground height is tested, in metres.
const LEVEL_REACH_M: f32 = 0.4;
/// Time within which a walking body touches down again, in seconds.
const LONGEST_STRIDE_S: f64 = 3.0;
/// A foot has lifted this long after the end of its stance, in seconds.
const PAST_S: f64 = 1e-3;

impl Machine {
    /// Rejects a wrong number of values for variables and triggers, too many calls of montages, and unknown montages or sections.
    pub(crate) fn check(&self, variables: &[f32], calls: &[MontageCall]) -> Result<(), InputError> {
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
    pub(crate) fn resting(&self) -> Option<Playing> {
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

    /// Returns the value of a variable or body term; without a header, the value for a body at rest.
    pub(super) fn steered(&self, steer: Steer, variables: &[f32], header: Option<&StateHeader>) -> f32 {
        match steer {
            Steer::Variable(v) => self.variable(variables, v),
            Steer::Body(term) => header.map_or(0.0, |header| term.value(header)),
        }
    }

    /// Returns the current parameters of a blend space.
    pub(super) fn place(&self, parameters: &[Steer], variables: &[f32], header: Option<&StateHeader>) -> [f32; 2] {
        [0, 1].map(|k| parameters.get(k).map_or(0.0, |steer| self.steered(*steer, variables, header)))
    }

    /// Returns a source for the machine's states, based on the source of the database's clips.
    pub(crate) fn source(self: Arc<Self>, base: Arc<dyn MotionSource>) -> Arc<dyn MotionSource> {
        Arc::new(super::source::MachineSource::new(self, base))
    }
}

impl Update<'_> {
    /// Returns the machine and its current state; `None` for a character without a machine.
    pub(crate) fn machine_state(&self) -> Option<(&Machine, &State)> {
        let machine = self.character.machine()?;
        let state = machine.state(self.state.machine(self.character.layout()));
        Some((machine, &machine.states()[state]))
    }

    /// Returns the rows that may be played: those that both the input and the state accept. On level ground, clips that move up
    /// or down by themselves are excluded.
    pub(crate) fn accepted(&self, db: &Database) -> AcceptedTags {
        let open = TagQuery::default();
        let of_state = match self.machine_state() {
            Some((_, State { plays: Plays::Matching { tags, .. }, .. })) => tags,
            _ => &open,
        };
        let own_ground = self.character.resolved_own_ground();
        let without = if own_ground.is_empty() || !self.is_on_level_ground() { TagMask::default() } else { own_ground };
        db.accepted_by_both(&self.input.tags, of_state, without)
    }

    /// Returns true if the ground around the character and ahead of it is level or unknown.
    fn is_on_level_ground(&self) -> bool {
        let Some(ground) = self.input.ground else { return true };
        let h = &self.state.header;
        let root = h.shown_root(&self.character.config().transition);
        let height_m = |by: Vec3| GroundPoint::under(ground, root.translation + by).height_m;
        let (here_m, ahead) = (height_m(Vec3::ZERO), root.rotation * Vec3::Z * LEVEL_REACH_M);
        let around = [ahead, -ahead, h.desired.velocity * 0.5, h.desired.velocity];
        around.into_iter().all(|by| (height_m(by) - here_m).abs() <= LEVEL_M)
    }

    /// Returns true while the simulated character follows the animation of a state or montage.
    pub(crate) fn has_root_motion(&self) -> bool {
        self.machine_state().is_some_and(|(_, state)| state.root_motion) || self.montage_leads_root()
    }

    /// Returns the clip and time at which the machine's state begins, and writes its memory to `scratch.memory`; `None` if motion
    /// matching chooses them.
    pub(crate) fn begin_state(&mut self) -> Option<Playing> {
        let character = self.character;
        let machine = character.machine()?;
        let state = &machine.states()[machine.state(self.state.machine(character.layout()))];
        let playing = machine.first_moment(state)?;
        character.source().init_memory(&mut self.scratch.memory);
        if let Plays::Blend(b) = state.plays {
            let (space, parameters) = &machine.blend_spaces[b];
            let at = machine.place(parameters, self.input.variables, Some(&self.state.header));
            begin_blend(space.enter(at, 0.0), &mut self.scratch.memory);
        }
        Some(playing)
    }

    /// Returns the play rate of the state; `None` for motion matching.
    pub(crate) fn rate_of_state(&self) -> Option<f32> {
        let (_, state) = self.machine_state()?;
        match state.plays {
            Plays::Matching { .. } => None,
            // At the end of a non-looping clip, the last pose is held.
            Plays::Clips(_) if self.character.is_over(&self.state.header.playing, 0.0) => Some(0.0),
            _ => Some(state.rate),
        }
    }

    /// Returns the next motion of the state; `None` if motion matching chooses it.
    pub(crate) fn choice_of_state(&mut self) -> Option<Choice> {
        let character = self.character;
        let machine = character.machine()?;
        let memory = &mut self.state.block[character.layout().machine.clone()];
        let state = &machine.states()[machine.state(memory)];
        let is_new = machine.layout.head(memory).ticks == 0.0;
        let choice = match &state.plays {
            Plays::Matching { once: false, .. } => return None,
            Plays::Matching { .. } => {
                let playing = self.state.header.playing;
                let db = machine.database();
                let row = nearest_row(db, &playing).filter(|_| !character.is_over(&playing, CONTROL_S));
                if !row.is_some_and(|row| db.accepts(&self.accepted(db), row.at())) {
                    return None;
                }
                Choice::Continue
            }
            _ if !is_new => Choice::Continue,
            Plays::Clips(clips) => Choice::Transition(machine.picked(clips, memory)),
            Plays::Blend(b) => {
                let (space, parameters) = &machine.blend_spaces[*b];
                let at = machine.place(parameters, self.input.variables, Some(&self.state.header));
                // The feet continue their steps.
                let phase = match space.feet() {
                    Some(feet) => space.phase_for_contacts(&machine.db, at, feet.map(|slot| self.next_contact_s(slot))),
                    None => 0.0,
                };
                begin_blend(space.enter(at, phase), &mut self.scratch.memory);
                Choice::Transition(machine.blended(*b))
            }
        };
        self.state.header.stranded = false;
        Some(choice)
    }

    /// Returns the time until a contact joint touches and the duration of that contact, in seconds, if the playing clip
    /// continues.
    fn next_contact_s(&mut self, slot: usize) -> (f32, f32) {
        let at = self.state.playhead(self.character.layout());
        self.character.source().next_contact_s(at, &mut self.scratch.source, slot)
    }

    /// Returns the time until the left and the right foot touch down next, in seconds; `None` if unknown for either.
    pub(super) fn next_steps_s(&mut self, feet: [usize; 2]) -> Option<[f32; 2]> {
        let next = feet.map(|slot| self.next_plant_s(slot));
        Some([next[0]?, next[1]?])
    }

    /// Returns the time until a foot touches down next, in seconds; a foot that touches now must lift first. The look-ahead is
    /// repeated, because a source covers at most [`Database::CONTACT_HORIZON_S`], which is shorter than a slow stance or swing.
    fn next_plant_s(&mut self, slot: usize) -> Option<f32> {
        let now = self.state.playhead(self.character.layout());
        let mut ahead_s = 0.0f64;
        while ahead_s < LONGEST_STRIDE_S {
            let at = now.later(ahead_s);
            let (in_s, for_s) = self.character.source().next_contact_s(at, &mut self.scratch.source, slot);
            ahead_s += match in_s {
                0.0 => f64::from(for_s) + PAST_S,
                _ if in_s.is_finite() => return Some((ahead_s + f64::from(in_s)) as f32),
                _ => Database::CONTACT_HORIZON_S,
            };
        }
        None
    }
}
