//! What the timeline shows, one entry per recorded update.

use footwork::frames::{ClipIndex, EventId};
use footwork::matcher::{EventKind, FiredEvent, MotionMatcher};
use glam::Vec3;
use std::collections::VecDeque;
use std::ops::Range;

/// Updates that are kept: an hour and a half at 60 per second.
const MOST: usize = 1 << 18;

/// One update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds that it took.
    pub dt_s: f32,
    /// Clip that plays at its end; `None` for motion of networks. The blend spaces of a state machine follow the clips.
    pub clip: Option<ClipIndex>,
    /// Seen in a mirror.
    pub mirrored: bool,
    /// Seconds from the start of the clip at its end.
    pub time_s: f64,
    /// Transitions made.
    pub transitions: u8,
    /// Searches made.
    pub searches: u8,
    /// Events reported, those of layers not among them.
    pub events: u8,
    /// State of the state machine at its end, by its place; `None` without one.
    pub state: Option<u16>,
    /// One bit per foot that touches.
    pub touching: u16,
    /// One bit per foot that is held.
    pub held: u16,
    /// Where the root is shown, world, metres.
    pub position: Vec3,
    /// Where the simulated character is, world, metres.
    pub commanded: Vec3,
    /// Microseconds of the update; 0 where it was not timed.
    pub update_us: f32,
    /// Cost of what plays after the last search, by channels and beside them.
    pub cost: f32,
}

/// An event of a layer of the state machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerEvent {
    /// The update that reported it.
    pub update: usize,
    /// The layer, by its place.
    pub layer: u16,
    /// Which event.
    pub event: EventId,
    /// A moment, or the begin or end of a window.
    pub kind: EventKind,
}

/// All updates that are kept, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    samples: VecDeque<Sample>,
    /// `[samples x channels]` cost of what plays, per channel, as of the last search.
    costs: VecDeque<f32>,
    layer_events: VecDeque<LayerEvent>,
    channels: usize,
    now: Vec<f32>,
    total: f32,
}

impl Tracks {
    /// None yet, for searches with this number of channels.
    pub fn new(channels: usize) -> Self {
        Self { channels, now: vec![0.0; channels], ..Self::default() }
    }

    /// Adds what an update did.
    pub fn push(&mut self, matcher: &MotionMatcher, dt_s: f32, update_us: f32) {
        let output = matcher.output();
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
            commanded: matcher.state().header.simulation.position,
            update_us,
            cost: self.total,
        });
        self.costs.extend(self.now.iter());
        self.keep(MOST);
    }

    /// Keeps the newest ones only.
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

    /// Forgets what came after the first `count`.
    pub fn cut(&mut self, count: usize) {
        self.samples.truncate(count);
        self.costs.truncate(count * self.channels);
        self.layer_events.retain(|e| e.update < count);
    }

    /// Number of updates.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// True for none.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// One of them.
    pub fn get(&self, update: usize) -> Option<&Sample> {
        self.samples.get(update)
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Sample> + ExactSizeIterator {
        self.samples.iter()
    }

    /// Events of layers, oldest first.
    pub fn layer_events(&self) -> impl Iterator<Item = &LayerEvent> {
        self.layer_events.iter()
    }

    /// Cost of a channel at an update.
    pub fn cost(&self, update: usize, channel: usize) -> f32 {
        self.costs.get(update * self.channels + channel).copied().unwrap_or(0.0)
    }

    /// The last update at or before one in which a search was made.
    pub fn search_at(&self, update: usize) -> Option<usize> {
        let upto = (update + 1).min(self.len());
        (0..upto).rev().find(|k| self.samples[*k].searches > 0)
    }
}

/// Windows of a layer and the updates that they last, moments as empty ranges. A window without end lasts until `end`; one whose
/// begin is no longer kept is left out.
pub(crate) fn windows<'a>(events: impl Iterator<Item = &'a LayerEvent>, end: usize) -> Vec<(EventId, Range<usize>)> {
    let mut all: Vec<(EventId, Range<usize>)> = Vec::new();
    // Places of windows that have not ended.
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
