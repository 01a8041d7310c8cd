//! What the state of a machine plays, in the place of a search.

use super::blend_space::BlendSpace;
use super::body::Steer;
use super::source::begin_blend;
use super::{Machine, Plays, State};
use crate::database::{AcceptedTags, Database};
use crate::frames::ClipIndex;
use crate::input::InputError;
use crate::matcher::Playing;
use crate::matcher::character::{Choice, Update};
use crate::matcher::source::{MotionSource, nearest_row};
use crate::matcher::state::{CONTROL_S, StateHeader};
use std::sync::Arc;

impl Machine {
    /// Refuses values that are not as many as the machine has variables and triggers.
    pub(crate) fn check(&self, variables: &[f32]) -> Result<(), InputError> {
        let (expected, found) = (self.names.len(), variables.len());
        if found == 0 || found == expected { Ok(()) } else { Err(InputError::Variables { expected, found }) }
    }

    /// The moment at which a character starts; `None` where motion matching chooses it.
    pub(crate) fn resting(&self) -> Option<Playing> {
        match &self.states[self.start].plays {
            Plays::Matching { .. } => None,
            Plays::Clips(clips) => Some(clips[0]),
            Plays::Blend(b) => Some(self.blended(*b)),
        }
    }

    /// A blend space as a moment of the machine's source: its clips follow those of the database.
    pub(super) fn blended(&self, blend: usize) -> Playing {
        Playing { clip: ClipIndex::new(self.db.clips.len() + blend), mirrored: false, time_s: 0.0 }
    }

    /// The blend space in which a character starts, with what its parameters follow.
    pub(super) fn blend_at_start(&self) -> Option<&(BlendSpace, Vec<Steer>)> {
        match self.states[self.start].plays {
            Plays::Blend(b) => Some(&self.blend_spaces[b]),
            _ => None,
        }
    }

    /// The value that something follows; without a header that of a body at rest.
    pub(super) fn steered(&self, steer: Steer, variables: &[f32], header: Option<&StateHeader>) -> f32 {
        match steer {
            Steer::Variable(v) => self.variable(variables, v),
            Steer::Body(term) => header.map_or(0.0, |header| term.value(header)),
        }
    }

    /// Where in a blend space its parameters are.
    pub(super) fn place(&self, parameters: &[Steer], variables: &[f32], header: Option<&StateHeader>) -> [f32; 2] {
        [0, 1].map(|k| parameters.get(k).map_or(0.0, |steer| self.steered(*steer, variables, header)))
    }

    /// A source for the machine's states over the one of the database's clips.
    pub(crate) fn source(self: Arc<Self>, base: Arc<dyn MotionSource>) -> Arc<dyn MotionSource> {
        Arc::new(super::source::MachineSource::new(self, base))
    }
}

impl Update<'_> {
    /// The state of the machine; `None` for a character without one.
    pub(crate) fn machine_state(&self) -> Option<(&Machine, &State)> {
        let machine = self.character.machine()?;
        let state = machine.state(self.state.machine(self.character.layout()));
        Some((machine, &machine.states()[state]))
    }

    /// Which rows may be played: those of the input, of which the state takes some.
    pub(crate) fn accepted(&self, db: &Database) -> AcceptedTags {
        match self.machine_state() {
            Some((_, State { plays: Plays::Matching { tags, .. }, .. })) => db.accepted_by_both(&self.input.tags, tags),
            _ => db.accepted(&self.input.tags),
        }
    }

    /// True while the simulated character goes where the animation of a state or montage goes.
    pub(crate) fn has_root_motion(&self) -> bool {
        self.machine_state().is_some_and(|(_, state)| state.root_motion) || self.montage_leads_root()
    }

    /// How fast the state plays; `None` for motion matching.
    pub(crate) fn rate_of_state(&self) -> Option<f32> {
        let (_, state) = self.machine_state()?;
        match state.plays {
            Plays::Matching { .. } => None,
            // The last pose of a clip is held.
            Plays::Clips(_) if self.character.is_over(&self.state.header.playing, 0.0) => Some(0.0),
            _ => Some(state.rate),
        }
    }

    /// What the state plays next; `None` where motion matching chooses.
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
                // The feet go on where they are.
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

    /// In how many seconds a contact joint touches, and for how many, as what plays goes on.
    fn next_contact_s(&mut self, slot: usize) -> (f32, f32) {
        let at = self.state.moment(self.character.layout());
        self.character.source().next_contact_s(at, &mut self.scratch.room, slot)
    }

    /// In how many seconds the left and the right foot touch down next; `None` where that is not known for both.
    pub(super) fn next_steps_s(&mut self, feet: [usize; 2]) -> Option<[f32; 2]> {
        let next = feet.map(|slot| {
            let (in_s, for_s) = self.next_contact_s(slot);
            if in_s > 0.0 { Some(in_s) } else { self.next_plant_s(slot, for_s) }
        });
        Some([next[0]?, next[1]?])
    }

    /// When a foot that lifts in `lifts_s` touches down again.
    fn next_plant_s(&mut self, slot: usize, lifts_s: f32) -> Option<f32> {
        let at = self.state.moment(self.character.layout()).later(f64::from(lifts_s) + 1e-3);
        let (in_s, _) = self.character.source().next_contact_s(at, &mut self.scratch.room, slot);
        (in_s.is_finite() && in_s > 0.0).then_some(lifts_s + in_s)
    }
}
