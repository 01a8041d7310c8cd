//! State machines: motion matching as one state among clips and blend spaces, and layers with montages over all of them.
//!
//! A [`Machine`] is built from a [`MachineSpec`] (a TOML file or code) for one database, and a character of that database runs it
//! ([`crate::matcher::Character::with_machine`]). All decisions are made at control ticks (1/60 s), so they do not depend on the
//! frame rate; motion between two ticks is computed from the last one. At most one transition is taken per tick: the first
//! possible one of the list. Every state is entered with the transition of motion matching, which blends out the discontinuity.
//!
//! The game controls the machine with variables and triggers ([`crate::input::MotionInput::variables`]).

pub mod blend_space;
mod body;
mod calls;
mod character;
mod choose;
mod clips;
mod compile;
pub mod condition;
mod director;
mod error;
pub(crate) mod exits;
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
pub(crate) mod view;
mod warnings;

pub use calls::{MontageCalls, PlayMontage};
pub use error::MachineError;
pub use exits::Exit;
pub use names::Variables;
pub use spec::{
    LayerSpec, MachineSpec, MontageSpec, NotifySpec, OneOrMany, PartSpec, SectionSpec, Space, StateSpec,
    TransitionSpec, Weight, WindowSpec,
};
pub(crate) use view::MachineView;
pub use view::MontageView;

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

/// A state machine, resolved for a database. Immutable; any number of characters share it.
#[derive(Debug)]
pub struct Machine {
    spec: MachineSpec,
    db: Arc<Database>,
    /// Names of variables, then of triggers, in the order of the values in the input.
    names: Vec<String>,
    /// `[variables]`.
    defaults: Vec<f32>,
    /// `[triggers]` time for which a fired trigger stays pending, in seconds.
    waits_s: Vec<f32>,
    states: Vec<State>,
    start: usize,
    transitions: Vec<Transition>,
    blend_spaces: Vec<(BlendSpace, Vec<Steer>)>,
    layers: Vec<Layer>,
    montages: Vec<Montage>,
    /// Names of events: the database's, then the machine's own.
    events: Vec<String>,
    /// The events that conditions read, at most 24.
    watched: Vec<EventId>,
    /// True if a condition reads a curve.
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

/// The motion of a state.
#[derive(Clone, Debug)]
pub(crate) enum Plays {
    /// Motion matching over the rows of `tags`, with these factors on the channel costs.
    Matching { tags: TagQuery, once: bool, channel_cost: BTreeMap<String, f32> },
    /// One of these clips, from the given time.
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
    /// Time after the transition during which only transitions that interrupt are taken, in seconds.
    hold_s: f32,
    interrupts: bool,
    /// Time in which the previous motion is blended out, in seconds; 0: the time of the settings.
    blend_s: f32,
    /// Source text of the condition.
    text: Option<String>,
}

impl Machine {
    /// Returns the specification that it was built from.
    pub fn spec(&self) -> &MachineSpec {
        &self.spec
    }

    /// Returns the names of the input values, in the order of [`crate::input::MotionInput::variables`]: variables, then triggers.
    pub fn variable_names(&self) -> &[String] {
        &self.names
    }

    /// Returns the default values of the variables, with no trigger fired. Change them and pass them as
    /// [`crate::input::MotionInput::variables`].
    pub fn variables(&self) -> Variables {
        Variables::new(&self.names, &self.defaults)
    }

    /// Returns the full names of the states.
    pub fn state_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.states.iter().map(|s| s.name.as_str())
    }

    /// Returns the names of the events that can be reported, by [`EventId`]: the database's, then those of montages.
    pub fn event_names(&self) -> &[String] {
        &self.events
    }

    /// Returns the names of the layers, the lowest first.
    pub fn layer_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.layers.iter().map(|l| l.name.as_str())
    }

    /// Returns the names of the montages.
    pub fn montage_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.montages.iter().map(|m| m.name.as_str())
    }

    /// Returns the database that it was built for.
    pub fn database(&self) -> &Arc<Database> {
        &self.db
    }

    /// Returns the rows that a motion matching state may play, by the state's full name; empty for other states.
    pub fn rows_of(&self, state: &str) -> impl Iterator<Item = RowIndex> {
        let tags = self.states.iter().find(|s| s.name == state).and_then(|s| match &s.plays {
            Plays::Matching { tags, .. } => Some(self.db.accepted(tags)),
            _ => None,
        });
        let accepts = move |row: &RowIndex| tags.as_ref().is_some_and(|tags| self.db.accepts(tags, row.at()));
        (0..self.db.rows()).map(RowIndex::new).filter(accepts)
    }

    /// Returns the number of numeric values in its specification, without the thresholds of conditions.
    pub fn numbers(&self) -> usize {
        self.spec.numbers()
    }

    /// Returns the maximum number of events that can be reported at one instant.
    fn most_events_of_layers(&self) -> usize {
        let of_layer = |layer: usize| {
            let montages = self.montages.iter().filter(|m| m.layer == layer);
            // The playing montage ends its windows, and another begins.
            2 * montages.map(Montage::most_at_once).max().unwrap_or(0)
        };
        (0..self.layers.len()).map(of_layer).sum()
    }
}
