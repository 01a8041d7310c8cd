//! A recording that is complete and checked.

use super::bytes::{Damage, Reader};
use super::key_frame::KeyFrame;
use super::segment::UpdateReader;
use crate::matcher::{Character, MatcherConfig, Playing};

/// The data that a character moves with: what a recording can be replayed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataId {
    /// Tells the motion apart: the lower half of the hash of its database, or a hash of its networks.
    pub model: u64,
    /// Content hash of the database that is searched; `None` for networks alone.
    pub database: Option<u128>,
}

impl DataId {
    /// The data of a character.
    pub fn of(character: &Character) -> Self {
        Self { model: character.model().hash, database: character.database().map(|db| db.content_hash()) }
    }

    /// True for characters of networks.
    pub fn has_networks(&self) -> bool {
        self.database.is_none_or(|hash| hash as u64 != self.model)
    }
}

impl std::fmt::Display for DataId {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match (self.database, self.has_networks()) {
            (Some(database), false) => write!(f, "database {database:032x}"),
            (Some(database), true) => write!(f, "networks {:016x} with database {database:032x}", self.model),
            (None, _) => write!(f, "networks {:016x}", self.model),
        }
    }
}

/// A transition that was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Update in which it was made.
    pub update: usize,
    /// What played at the end of that update.
    pub playing: Playing,
}

/// A segment as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    pub bytes: u32,
    pub updates: u32,
    /// Index into the settings.
    pub config: u32,
}

/// All that a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub data: DataId,
    /// Floats in the block of a state.
    pub block: usize,
    pub title: String,
    pub ground: String,
    pub configs: Vec<MatcherConfig>,
    pub marks: Vec<(usize, String)>,
    pub segments: Vec<Stored>,
    /// The bytes of all segments.
    pub stream: Vec<u8>,
}

/// Where a segment is, and what is found only by reading it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// First byte.
    pub byte: usize,
    pub first_update: usize,
    /// Time before its first update, seconds.
    pub begin_s: f64,
    /// The first update of it that searched.
    pub first_search: Option<usize>,
    /// Index into the settings.
    pub config: usize,
}

/// A recording: immutable and checked. [`super::Recorder::trace`] makes one, [`Trace::load`] reads one.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub(super) parts: Parts,
    pub(super) places: Vec<Place>,
    /// `[updates]` time steps, seconds.
    dts: Vec<f32>,
    decisions: Vec<Decision>,
    asks: (bool, bool),
}

impl Trace {
    /// Reads all of the parts once.
    pub(super) fn new(parts: Parts) -> Result<Self, String> {
        let bytes: u64 = parts.segments.iter().map(|s| u64::from(s.bytes)).sum();
        let updates: u64 = parts.segments.iter().map(|s| u64::from(s.updates)).sum();
        // An update takes a byte at least.
        if bytes != parts.stream.len() as u64 || updates > bytes {
            return Err(format!("segments of {bytes} bytes and {updates} updates: found {} bytes", parts.stream.len()));
        }
        let mut trace =
            Self { parts, places: Vec::new(), dts: Vec::new(), decisions: Vec::new(), asks: (false, false) };
        trace.dts.reserve_exact(updates as usize);
        let (mut reader, mut key, mut byte, mut begin_s) = (UpdateReader::default(), None, 0, 0.0);
        for k in 0..trace.parts.segments.len() {
            trace.read_segment(k, &mut byte, &mut begin_s, (&mut reader, &mut key)).map_err(|Damage(what)| {
                format!("update {}: expected a recorded update, found a damaged one ({what})", trace.dts.len())
            })?;
        }
        let marks = &trace.parts.marks;
        if !marks.is_sorted_by(|a, b| a.0 < b.0) || marks.last().is_some_and(|m| m.0 >= trace.dts.len()) {
            return Err(format!("marks: expected them in order within {} updates", trace.dts.len()));
        }
        Ok(trace)
    }

    fn read_segment(
        &mut self,
        k: usize,
        byte: &mut usize,
        begin_s: &mut f64,
        (reader, key): (&mut UpdateReader, &mut Option<KeyFrame>),
    ) -> Result<(), Damage> {
        let Stored { bytes, updates, config } = self.parts.segments[k];
        if updates == 0 || config as usize >= self.parts.configs.len() {
            return Err(Damage("a segment"));
        }
        let mut from = Reader::new(&self.parts.stream[*byte..*byte + bytes as usize]);
        match key {
            Some(key) => key.read(&mut from)?,
            None => *key = Some(KeyFrame::first(self.parts.block, &mut from)?),
        }
        reader.begin();
        let first_update = self.dts.len();
        let mut place =
            Place { byte: *byte, first_update, begin_s: *begin_s, first_search: None, config: config as usize };
        for update in first_update..first_update + updates as usize {
            let done = reader.read(&mut from)?;
            self.dts.push(done.dt_s);
            *begin_s += f64::from(done.dt_s);
            if done.searched {
                place.first_search.get_or_insert(update);
            }
            self.decisions.extend(done.decided.map(|playing| Decision { update, playing }));
            self.asks.0 |= reader.input.hooks.ground;
            self.asks.1 |= reader.input.hooks.walls;
        }
        if from.left() > 0 {
            return Err(Damage("a segment that does not end"));
        }
        *byte += bytes as usize;
        self.places.push(place);
        Ok(())
    }

    /// Number of updates.
    pub fn updates(&self) -> usize {
        self.dts.len()
    }

    /// Length, in seconds.
    pub fn seconds(&self) -> f64 {
        self.updates().checked_sub(1).map_or(0.0, |last| self.time_s(last))
    }

    /// Time at the end of an update, in seconds from the beginning of the trace; of the last one for numbers beyond it.
    pub fn time_s(&self, update: usize) -> f64 {
        let Some(place) = self.places.get(self.segment_of(update)) else { return 0.0 };
        let dts = &self.dts[place.first_update..(update + 1).min(self.dts.len()).max(place.first_update)];
        dts.iter().fold(place.begin_s, |sum, dt_s| sum + f64::from(*dt_s))
    }

    /// The update that a time belongs to, in seconds from the beginning of the trace: the first one that ends at this time or
    /// later, else the last one. 0 for an empty trace.
    pub fn update_at(&self, time_s: f64) -> usize {
        let segment = self.places.partition_point(|p| p.begin_s < time_s).saturating_sub(1);
        let Some(place) = self.places.get(segment) else { return 0 };
        let (mut update, mut end_s) = (place.first_update, place.begin_s);
        while update < self.dts.len() {
            end_s += f64::from(self.dts[update]);
            if end_s >= time_s {
                return update;
            }
            update += 1;
        }
        self.dts.len() - 1
    }

    /// Time step of an update, in seconds; 0 beyond the last one.
    pub fn dt_s(&self, update: usize) -> f32 {
        self.dts.get(update).copied().unwrap_or(0.0)
    }

    /// The settings at the beginning.
    pub fn config(&self) -> &MatcherConfig {
        self.config_at(0)
    }

    /// The settings during an update.
    pub fn config_at(&self, update: usize) -> &MatcherConfig {
        let index = self.places.get(self.segment_of(update)).map_or(0, |p| p.config);
        &self.parts.configs[index]
    }

    /// The data that it was recorded with.
    pub fn data(&self) -> DataId {
        self.parts.data
    }

    /// Content hash of the database that was searched; `None` for a character of networks alone.
    pub fn database_hash(&self) -> Option<u128> {
        self.parts.data.database
    }

    /// Title for headings; may be empty.
    pub fn title(&self) -> &str {
        &self.parts.title
    }

    /// Name of the ground that a replay must be given; empty where the answers of the ground are recorded.
    pub fn ground(&self) -> &str {
        &self.parts.ground
    }

    /// True where an update had a hook for the ground.
    pub fn asks_for_ground(&self) -> bool {
        self.asks.0
    }

    /// True where an update had a hook for walls.
    pub fn asks_for_walls(&self) -> bool {
        self.asks.1
    }

    /// First update and name of each part, in order.
    pub fn marks(&self) -> &[(usize, String)] {
        &self.parts.marks
    }

    /// Transitions, in order; one per update that made any.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The segment of an update; the last one for numbers beyond it.
    pub(super) fn segment_of(&self, update: usize) -> usize {
        self.places.partition_point(|p| p.first_update <= update).saturating_sub(1)
    }
}
