//! Data of the timeline, one entry per recorded update.

use footwork::frames::{ClipIndex, EventId};
use footwork::input::ActionRequest;
use footwork::matcher::{EventKind, FiredEvent, MotionMatcher};
use footwork_metrics::action_log::{ActionLog, Requested};
use glam::Vec3;
use std::collections::VecDeque;
use std::ops::Range;

/// Maximum number of updates: 1.2 hours at 60 per second.
const MOST: usize = 1 << 18;
/// Maximum number of requests for actions.
const MOST_REQUESTS: usize = 1000;

/// One update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Duration, in seconds.
    pub dt_s: f32,
    /// Playing clip after it; `None` while networks play. Blend spaces of a state machine are numbered after the clips.
    pub clip: Option<ClipIndex>,
    /// True if the clip plays mirrored.
    pub mirrored: bool,
    /// Time in the playing clip after the update, in seconds.
    pub time_s: f64,
    /// Number of transitions.
    pub transitions: u8,
    /// Number of searches.
    pub searches: u8,
    /// Number of events, without those of layers.
    pub events: u8,
    /// Index of the current state of the state machine; `None` without one.
    pub state: Option<u16>,
    /// One bit per foot in contact.
    pub touching: u16,
    /// One bit per locked foot.
    pub held: u16,
    /// Position of the displayed root, in world space, in metres.
    pub position: Vec3,
    /// Position of the simulated character, in world space, in metres.
    pub commanded: Vec3,
    /// Time that the update took to compute, in microseconds; 0 if it was not timed.
    pub update_us: f32,
    /// Total cost of the row chosen by the last search.
    pub cost: f32,
}

/// Event of a layer of the state machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerEvent {
    /// Index of the update that reported it.
    pub update: usize,
    /// Index of the layer.
    pub layer: u16,
    /// Identifier of the event.
    pub event: EventId,
    /// Kind: a single event, or the start or end of a window.
    pub kind: EventKind,
}

/// Kept updates, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    samples: VecDeque<Sample>,
    /// `[samples x channels]` cost of the row chosen by the last search, per channel.
    costs: VecDeque<f32>,
    layer_events: VecDeque<LayerEvent>,
    actions: ActionLog,
    channels: usize,
    now: Vec<f32>,
    total: f32,
}

impl Tracks {
    /// Returns empty tracks for searches with this number of channels.
    pub fn new(channels: usize) -> Self {
        Self { channels, now: vec![0.0; channels], ..Self::default() }
    }

    /// Adds an update, from the state of the matcher after it and the request of its input.
    pub fn push(&mut self, matcher: &MotionMatcher, request: Option<&ActionRequest>, dt_s: f32, update_us: f32) {
        let output = matcher.output();
        self.actions.push(matcher, request);
        let surplus = self.actions.requests.len().saturating_sub(MOST_REQUESTS);
        self.actions.requests.drain(..surplus);
        if output.searches > 0 {
            self.total = matcher.chosen_costs(&mut self.now).unwrap_or(0.0);
        }
        let bit = |on: bool, k: usize| u16::from(on) << k.min(15);
        let feet = || output.contacts.iter().enumerate();
        let few = |n: u32| n.min(255) as u8;
        let update = self.samples.len();
        let of_layer = |e: &FiredEvent| e.layer.map(|layer| LayerEvent { update, layer, event: e.event, kind: e.kind });
        self.layer_events.extend(output.events.iter().filter_map(of_layer));
        self.samples.push_back(Sample {
            dt_s,
            clip: matcher.character().plays_clips().then_some(output.playing.clip),
            mirrored: output.playing.mirrored,
            time_s: output.playing.time_s,
            transitions: few(output.transitions),
            searches: few(output.searches),
            events: few(output.events.iter().filter(|e| e.layer.is_none()).count() as u32),
            state: matcher.machine_view().map(|view| view.state_index as u16),
            touching: feet().fold(0, |bits, (k, foot)| bits | bit(foot.touching, k)),
            held: feet().fold(0, |bits, (k, foot)| bits | bit(foot.locked_s > 0.0, k)),
            position: output.pose.world_from_root().translation,
            commanded: matcher.state().header.root.simulation.position,
            update_us,
            cost: self.total,
        });
        self.costs.extend(self.now.iter());
        self.keep(MOST);
    }

    /// Returns the requests for actions, and what became of them, oldest first.
    pub fn requests(&self) -> &[Requested] {
        &self.actions.requests
    }

    /// Drops the oldest updates, so that at most `most` remain.
    pub fn keep(&mut self, most: usize) {
        let surplus = self.samples.len().saturating_sub(most);
        self.samples.drain(..surplus);
        self.costs.drain(..surplus * self.channels);
        if surplus > 0 {
            self.layer_events.retain_mut(|e| {
                let kept = e.update >= surplus;
                e.update = e.update.saturating_sub(surplus);
                kept
            });
        }
    }

    /// Drops all updates after the first `count`.
    pub fn cut(&mut self, count: usize) {
        self.samples.truncate(count);
        self.costs.truncate(count * self.channels);
        self.layer_events.retain(|e| e.update < count);
    }

    /// Returns the number of updates.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Returns true if there are no updates.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Returns an update by its index.
    pub fn get(&self, update: usize) -> Option<&Sample> {
        self.samples.get(update)
    }

    /// Returns all updates, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Sample> + ExactSizeIterator {
        self.samples.iter()
    }

    /// Returns the events of layers, oldest first.
    pub fn layer_events(&self) -> impl Iterator<Item = &LayerEvent> {
        self.layer_events.iter()
    }

    /// Returns the cost of a channel at an update.
    pub fn cost(&self, update: usize, channel: usize) -> f32 {
        self.costs.get(update * self.channels + channel).copied().unwrap_or(0.0)
    }

    /// Returns the last update with a search, at or before `update`.
    pub fn search_at(&self, update: usize) -> Option<usize> {
        let upto = (update + 1).min(self.len());
        (0..upto).rev().find(|k| self.samples[*k].searches > 0)
    }
}

/// Returns the windows of a layer with their updates; single events have empty ranges. A window without an end lasts until `end`.
/// Omits windows whose start is no longer kept.
pub(crate) fn windows<'a>(events: impl Iterator<Item = &'a LayerEvent>, end: usize) -> Vec<(EventId, Range<usize>)> {
    let mut all: Vec<(EventId, Range<usize>)> = Vec::new();
    // Indices of windows that have not ended.
    let mut open: Vec<usize> = Vec::new();
    for e in events {
        match e.kind {
            EventKind::Moment => all.push((e.event, e.update..e.update)),
            EventKind::Begin => {
                open.push(all.len());
                all.push((e.event, e.update..end));
            }
            EventKind::End(_) => {
                if let Some(k) = open.iter().position(|k| all[*k].0 == e.event) {
                    let window = &mut all[open.remove(k)].1;
                    window.end = e.update.max(window.start + 1);
                }
            }
        }
    }
    all
}
