//! State machines: motion matching as one state among clips and blend spaces, and layers with montages over all of them.
//!
//! A [`Machine`] is made from a [`MachineSpec`] (a TOML file or code) for one database, and a character of that database runs it
//! ([`crate::matcher::Character::with_machine`]). Everything is decided at control ticks (1/60 s), so that no decision depends on
//! the frame rate; what moves between two ticks is computed from the last one. Of several transitions that may be taken the first
//! in the list is, one per tick. All seams are those of motion matching: a state is entered as any other moment is.
//!
//! The game steers by variables and triggers ([`crate::input::MotionInput::variables`]).

pub mod blend_space;
mod body;
mod calls;
mod character;
mod choose;
mod clips;
mod compile;
pub mod condition;
mod error;
mod exits;
mod facts;
mod layer;
mod legs;
mod memory;
mod montage;
mod names;
mod remembered;
mod run;
mod show;
mod source;
mod spec;
mod view;
mod warnings;

pub use calls::{MontageCalls, PlayMontage};
pub use error::MachineError;
pub use exits::{Exit, ExitTerm};
pub use names::Variables;
pub use spec::{
    LayerSpec, MachineSpec, MontageSpec, NotifySpec, OneOrMany, PartSpec, SectionSpec, Space, StateSpec,
    TransitionSpec, Weight, WindowSpec,
};
pub use view::{LayerView, MachineView, MontageView};

use crate::database::{Database, TagQuery};
use crate::frames::{EventId, RowIndex};
use crate::matcher::Playing;
use blend_space::BlendSpace;
use body::Steer;
use condition::Condition;
use layer::Layer;
use memory::MemoryLayout;
use montage::Montage;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A state machine, resolved for a database. Immutable; shared by any number of characters.
#[derive(Debug)]
pub struct Machine {
    spec: MachineSpec,
    db: Arc<Database>,
    /// Names of variables, then of triggers: the order of the values that the game gives.
    names: Vec<String>,
    /// `[variables]`.
    defaults: Vec<f32>,
    /// `[triggers]` seconds for which each waits.
    waits_s: Vec<f32>,
    states: Vec<State>,
    start: usize,
    transitions: Vec<Transition>,
    blend_spaces: Vec<(BlendSpace, Vec<Steer>)>,
    layers: Vec<Layer>,
    montages: Vec<Montage>,
    /// Names of events: the database's, then the machine's own.
    events: Vec<String>,
    /// The events that conditions ask for, at most 24.
    watched: Vec<EventId>,
    /// Some condition asks for a curve.
    asks_for_curves: bool,
    layout: MemoryLayout,
}

/// A state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Full name.
    pub name: String,
    pub plays: Plays,
    pub rate: f32,
    pub root_motion: bool,
    pub max_speed_mps: f32,
    pub stay_s: [f32; 2],
}

/// What a state plays.
#[derive(Clone, Debug)]
pub(crate) enum Plays {
    /// Motion matching over these rows, with these factors on the cost of channels.
    Matching { tags: TagQuery, once: bool, channel_cost: BTreeMap<String, f32> },
    /// One of these, from that time on.
    Clips(Vec<Playing>),
    /// A blend space.
    Blend(usize),
}

/// A transition.
#[derive(Clone, Debug)]
struct Transition {
    /// Ranges of states that it leaves.
    from: Vec<Range<usize>>,
    to: usize,
    when: Option<Condition>,
    /// For how long after it only transitions that interrupt are taken, seconds.
    hold_s: f32,
    interrupts: bool,
    /// Seconds in which what was shown is blended out; 0: the time of the settings.
    blend_s: f32,
    /// The condition as it was written.
    text: Option<String>,
}

impl Machine {
    /// What it was made from.
    pub fn spec(&self) -> &MachineSpec {
        &self.spec
    }

    /// Names of what the game sets, in the order of [`crate::input::MotionInput::variables`]: variables, then triggers.
    pub fn variable_names(&self) -> &[String] {
        &self.names
    }

    /// Values of the variables with which it starts, triggers not fired; to be changed and passed as
    /// [`crate::input::MotionInput::variables`].
    pub fn variables(&self) -> Variables {
        Variables::new(&self.names, &self.defaults)
    }

    /// Full names of the states.
    pub fn state_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.states.iter().map(|s| s.name.as_str())
    }

    /// Names of the events that can be reported: the database's, then those of montages, by [`EventId`].
    pub fn event_names(&self) -> &[String] {
        &self.events
    }

    /// Names of the layers, the lowest first.
    pub fn layer_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.layers.iter().map(|l| l.name.as_str())
    }

    /// Names of the montages.
    pub fn montage_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.montages.iter().map(|m| m.name.as_str())
    }

    /// The database that it was made for.
    pub fn database(&self) -> &Arc<Database> {
        &self.db
    }

    /// The rows that a state with motion matching may play, by its full name; none for other states.
    pub fn rows_of(&self, state: &str) -> impl Iterator<Item = RowIndex> {
        let tags = self.states.iter().find(|s| s.name == state).and_then(|s| match &s.plays {
            Plays::Matching { tags, .. } => Some(self.db.accepted(tags)),
            _ => None,
        });
        let accepts = move |row: &RowIndex| tags.as_ref().is_some_and(|tags| self.db.accepts(tags, row.at()));
        (0..self.db.rows()).map(RowIndex::new).filter(accepts)
    }

    /// All states, in order.
    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }

    /// Numbers that its specification gives, thresholds of conditions not among them.
    pub fn numbers(&self) -> usize {
        view::numbers(&self.spec)
    }

    /// Floats that it remembers of a character.
    pub(crate) fn memory_width(&self) -> usize {
        self.layout.len()
    }

    /// Events that can be reported at one instant, at most.
    pub(crate) fn most_events_at_once(&self) -> usize {
        let of_layer = |layer: usize| {
            let montages = self.montages.iter().filter(|m| m.layer == layer);
            // The one that plays ends its windows, another begins.
            2 * montages.map(Montage::most_at_once).max().unwrap_or(0)
        };
        (0..self.layers.len()).map(of_layer).sum()
    }
}
