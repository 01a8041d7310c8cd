//! What the timeline shows, one entry per recorded update.

use footwork::frames::ClipIndex;
use footwork::matcher::MotionMatcher;
use glam::Vec3;
use std::collections::VecDeque;

/// Updates that are kept: an hour and a half at 60 per second.
const MOST: usize = 1 << 18;

/// One update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds that it took.
    pub dt_s: f32,
    /// Clip that plays at its end; `None` for motion of networks.
    pub clip: Option<ClipIndex>,
    /// Seen in a mirror.
    pub mirrored: bool,
    /// Seconds from the start of the clip at its end.
    pub time_s: f64,
    /// Transitions made.
    pub transitions: u8,
    /// Searches made.
    pub searches: u8,
    /// Events reported.
    pub events: u8,
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

/// All updates that are kept, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    samples: VecDeque<Sample>,
    /// `[samples x channels]` cost of what plays, per channel, as of the last search.
    costs: VecDeque<f32>,
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
        self.samples.push_back(Sample {
            dt_s,
            clip: matcher.character().plays_clips().then_some(output.playing.clip),
            mirrored: output.playing.mirrored,
            time_s: output.playing.time_s,
            transitions: few(output.transitions),
            searches: few(output.searches),
            events: few(output.events.len() as u32),
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
    }

    /// Forgets what came after the first `count`.
    pub fn cut(&mut self, count: usize) {
        self.samples.truncate(count);
        self.costs.truncate(count * self.channels);
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
