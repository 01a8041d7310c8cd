//! A complete, checked recording.

use super::bytes::{Damage, Reader};
use super::data_id::DataId;
use super::key_frame::KeyFrame;
use super::piece::Piece;
use super::segment::UpdateReader;
use crate::machine::MachineSpec;
use crate::matcher::{MatcherConfig, Playing};
use std::ops::Range;

/// A recorded transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Index of the update of the transition.
    pub update: usize,
    /// Playing clip at the end of that update.
    pub playing: Playing,
}

/// A segment as stored in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    pub bytes: u32,
    pub updates: u32,
    /// Index into the settings.
    pub config: u32,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub data: DataId,
    /// Number of floats in the block of a state.
    pub block: usize,
    pub title: String,
    pub ground: String,
    /// The state machine. It is not part of the data identity.
    pub machine: Option<MachineSpec>,
    pub configs: Vec<MatcherConfig>,
    pub marks: Vec<(usize, String)>,
    pub segments: Vec<Stored>,
    /// The bytes of all segments.
    pub stream: Vec<u8>,
}

/// The end of a trace, for undoing an append.
struct End {
    lengths: [usize; 7],
    last: Option<(Stored, Place)>,
    asks: (bool, bool),
    end_s: f64,
}

/// Position of a segment, with values that are found by reading it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// Position of its first byte.
    pub byte: usize,
    pub first_update: usize,
    /// Time before its first update, in seconds.
    pub begin_s: f64,
    /// Index of its first update with a search.
    pub first_search: Option<usize>,
    /// Index into the settings.
    pub config: usize,
}

/// A checked recording. [`super::Recorder::trace`] creates one, [`Trace::load`] reads one, a [`super::Replay`] extends it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub(super) parts: Parts,
    pub(super) places: Vec<Place>,
    /// `[updates]` time steps, in seconds.
    dts: Vec<f32>,
    decisions: Vec<Decision>,
    asks: (bool, bool),
    end_s: f64,
}

/// State of the reader after the last update, so that more updates can be appended.
#[derive(Debug, Default)]
pub(super) struct Tail {
    reader: UpdateReader,
    key: Option<KeyFrame>,
    /// True if the last update read is the last one of the trace.
    known: bool,
}

impl Trace {
    /// Reads and checks all parts.
    pub(super) fn new(parts: Parts) -> Result<Self, String> {
        let bytes: u64 = parts.segments.iter().map(|s| u64::from(s.bytes)).sum();
        let updates: u64 = parts.segments.iter().map(|s| u64::from(s.updates)).sum();
        // An update has at least one byte.
        if bytes != parts.stream.len() as u64 || updates > bytes {
            return Err(format!("segments of {bytes} bytes and {updates} updates: found {} bytes", parts.stream.len()));
        }
        let mut trace = Self {
            parts,
            places: Vec::new(),
            dts: Vec::with_capacity(updates as usize),
            decisions: Vec::new(),
            asks: (false, false),
            end_s: 0.0,
        };
        let (mut tail, mut byte) = (Tail::default(), 0);
        for k in 0..trace.parts.segments.len() {
            let Stored { bytes, updates, config } = trace.parts.segments[k];
            let range = byte..byte + bytes as usize;
            byte = range.end;
            trace.read(range, updates as usize, Some(config), &mut tail)?;
        }
        let marks = &trace.parts.marks;
        if !marks.is_sorted_by(|a, b| a.0 < b.0) || marks.last().is_some_and(|m| m.0 >= trace.dts.len()) {
            return Err(format!("marks: expected them in order within {} updates", trace.dts.len()));
        }
        Ok(trace)
    }

    /// Reads bytes of updates: those of a new segment with the settings `begins`, or the continuation of the last segment.
    fn read(
        &mut self,
        bytes: Range<usize>,
        updates: usize,
        begins: Option<u32>,
        tail: &mut Tail,
    ) -> Result<(), String> {
        self.try_read(bytes, updates, begins, tail).map_err(|Damage(what)| {
            format!("update {}: expected a recorded update, found a damaged one ({what})", self.dts.len())
        })
    }

    fn try_read(
        &mut self,
        bytes: Range<usize>,
        updates: usize,
        begins: Option<u32>,
        Tail { reader, key, .. }: &mut Tail,
    ) -> Result<(), Damage> {
        if updates == 0 || begins.is_some_and(|config| config as usize >= self.parts.configs.len()) {
            return Err(Damage("a segment"));
        }
        let mut from = Reader::new(&self.parts.stream[bytes.clone()]);
        let first_update = self.dts.len();
        if let Some(config) = begins {
            match key {
                Some(key) => key.read(&mut from)?,
                None => *key = Some(KeyFrame::first(self.parts.block, &mut from)?),
            }
            reader.begin();
            let (begin_s, config) = (self.end_s, config as usize);
            self.places.push(Place { byte: bytes.start, first_update, begin_s, first_search: None, config });
        }
        let place = self.places.last_mut().ok_or(Damage("no key frame before it"))?;
        for update in first_update..first_update + updates {
            let done = reader.read(&mut from)?;
            self.dts.push(done.dt_s);
            self.end_s += f64::from(done.dt_s);
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
        Ok(())
    }

    /// Creates a recording from its first piece.
    pub(super) fn begin(piece: &Piece, tail: &mut Tail) -> Result<Self, String> {
        let head = piece.head.clone().ok_or("expected the first piece of a recording, found a later one")?;
        let parts = Parts {
            data: head.data,
            block: head.block,
            title: head.title,
            ground: head.ground,
            machine: head.machine,
            configs: Vec::new(),
            marks: Vec::new(),
            segments: Vec::new(),
            stream: Vec::new(),
        };
        let mut trace = Self::new(parts)?;
        *tail = Tail::default();
        trace.append(piece, tail)?;
        Ok(trace)
    }

    /// Appends the next piece. If it is damaged, nothing is appended.
    pub(super) fn append(&mut self, piece: &Piece, tail: &mut Tail) -> Result<(), String> {
        let before = self.end();
        let appended = self.try_append(piece, tail);
        tail.known = appended.is_ok();
        appended.inspect_err(|_| self.cut(&before))
    }

    fn try_append(&mut self, piece: &Piece, tail: &mut Tail) -> Result<(), String> {
        let begins = piece.parts.first().is_none_or(|part| part.begins.is_some());
        if !begins && (piece.lost > 0 || !tail.known) {
            return Err("updates that were lost: expected a key frame after them, found an update".to_owned());
        }
        let (first_update, first_byte) = (self.dts.len(), self.parts.stream.len());
        let mut config_of = Vec::with_capacity(piece.configs.len());
        for config in &piece.configs {
            if self.parts.configs.last() != Some(&**config) {
                self.parts.configs.push((**config).clone());
            }
            config_of.push(self.parts.configs.len() as u32 - 1);
        }
        self.parts.stream.extend_from_slice(&piece.stream);
        if let Some(jump) = self.parts.stream.get_mut(first_byte).filter(|_| begins && piece.lost > 0) {
            // The first byte of a key frame marks that the update does not continue the previous one.
            *jump = 1;
        }
        let mut byte = first_byte;
        for part in &piece.parts {
            let end = byte.saturating_add(part.bytes as usize);
            if end > self.parts.stream.len() {
                return Err("a piece of a recording that ends too early".to_owned());
            }
            let config = part.begins.map(|k| config_of.get(k as usize).copied().unwrap_or(u32::MAX));
            self.read(byte..end, part.updates as usize, config, tail)?;
            match (config, self.parts.segments.last_mut()) {
                (None, Some(last)) => {
                    let size = (last.bytes.checked_add(part.bytes), last.updates.checked_add(part.updates));
                    let (Some(bytes), Some(updates)) = size else {
                        return Err("a segment that is too long".to_owned());
                    };
                    (last.bytes, last.updates) = (bytes, updates);
                }
                (config, _) => self.parts.segments.push(Stored {
                    bytes: part.bytes,
                    updates: part.updates,
                    config: config.unwrap_or(0),
                }),
            }
            byte = end;
        }
        if byte < self.parts.stream.len() {
            return Err("a piece of a recording that is too long".to_owned());
        }
        for (update, name) in &piece.marks {
            let update = first_update + *update as usize;
            if update >= self.dts.len() || self.parts.marks.last().is_some_and(|last| last.0 >= update) {
                return Err(format!("marks: expected them in order within {} updates", self.dts.len()));
            }
            self.parts.marks.push((update, name.clone()));
        }
        Ok(())
    }

    /// Returns the current end.
    fn end(&self) -> End {
        let p = &self.parts;
        End {
            lengths: [
                self.dts.len(),
                self.decisions.len(),
                self.places.len(),
                p.segments.len(),
                p.stream.len(),
                p.marks.len(),
                p.configs.len(),
            ],
            last: p.segments.last().copied().zip(self.places.last().copied()),
            asks: self.asks,
            end_s: self.end_s,
        }
    }

    /// Removes everything that was appended after `end`.
    fn cut(&mut self, end: &End) {
        let [dts, decisions, places, segments, stream, marks, configs] = end.lengths;
        self.dts.truncate(dts);
        self.decisions.truncate(decisions);
        self.places.truncate(places);
        self.parts.segments.truncate(segments);
        self.parts.stream.truncate(stream);
        self.parts.marks.truncate(marks);
        self.parts.configs.truncate(configs);
        if let (Some(segment), Some(place), Some(before)) =
            (self.parts.segments.last_mut(), self.places.last_mut(), end.last)
        {
            (*segment, *place) = before;
        }
        (self.asks, self.end_s) = (end.asks, end.end_s);
    }

    /// Drops the oldest segments. Returns the numbers of their updates, bytes and settings.
    pub(super) fn drop_oldest(&mut self, segments: usize) -> (usize, usize, usize) {
        let Some(first) = self.places.get(segments).copied().filter(|_| segments > 0) else { return (0, 0, 0) };
        let (updates, bytes) = (first.first_update, first.byte);
        let p = &mut self.parts;
        p.stream.drain(..bytes);
        p.segments.drain(..segments);
        self.places.drain(..segments);
        self.dts.drain(..updates);
        self.decisions.retain(|d| d.update >= updates);
        self.decisions.iter_mut().for_each(|d| d.update -= updates);
        // Keep the mark of the section in which the recording now begins.
        let parts_over = p.marks.partition_point(|m| m.0 <= updates).saturating_sub(1);
        p.marks.drain(..parts_over);
        p.marks.iter_mut().for_each(|m| m.0 = m.0.saturating_sub(updates));
        let unused = self.places.iter().map(|place| place.config).min().unwrap_or(0);
        p.configs.drain(..unused);
        p.segments.iter_mut().for_each(|s| s.config -= unused as u32);
        let mut end_s = 0.0;
        for k in 0..self.places.len() {
            let next = self.places.get(k + 1).map_or(updates + self.dts.len(), |next| next.first_update);
            let place = &mut self.places[k];
            place.config -= unused;
            place.byte -= bytes;
            place.first_search = place.first_search.map(|update| update - updates);
            place.first_update -= updates;
            place.begin_s = end_s;
            let dts = &self.dts[place.first_update..next - updates];
            end_s = dts.iter().fold(end_s, |sum, dt_s| sum + f64::from(*dt_s));
        }
        self.end_s = end_s;
        (updates, bytes, unused)
    }

    /// Returns the size of the updates and key frames, in bytes.
    pub fn bytes(&self) -> usize {
        self.parts.stream.len()
    }

    /// Returns the number of updates.
    pub fn updates(&self) -> usize {
        self.dts.len()
    }

    /// Returns the length, in seconds.
    pub fn seconds(&self) -> f64 {
        self.updates().checked_sub(1).map_or(0.0, |last| self.time_s(last))
    }

    /// Returns the time at the end of an update, in seconds from the start of the trace. Beyond the last update, it is the end of
    /// the last one.
    pub fn time_s(&self, update: usize) -> f64 {
        let Some(place) = self.places.get(self.segment_of(update)) else { return 0.0 };
        let dts = &self.dts[place.first_update..(update + 1).min(self.dts.len()).max(place.first_update)];
        dts.iter().fold(place.begin_s, |sum, dt_s| sum + f64::from(*dt_s))
    }

    /// Returns the index of the update at a time, in seconds from the start of the trace: the first update that ends at this time
    /// or later, else the last one. 0 for an empty trace.
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

    /// Returns the time step of an update, in seconds; 0 beyond the last one.
    pub fn dt_s(&self, update: usize) -> f32 {
        self.dts.get(update).copied().unwrap_or(0.0)
    }

    /// Returns the settings at the start.
    pub fn config(&self) -> &MatcherConfig {
        self.config_at(0)
    }

    /// Returns the settings during an update.
    pub fn config_at(&self, update: usize) -> &MatcherConfig {
        let index = self.places.get(self.segment_of(update)).map_or(0, |p| p.config);
        &self.parts.configs[index]
    }

    /// Returns the identity of the recorded data.
    pub fn data(&self) -> DataId {
        self.parts.data
    }

    /// Returns the state machine of the character.
    pub fn machine(&self) -> Option<&MachineSpec> {
        self.parts.machine.as_ref()
    }

    /// Returns the content hash of the database that was searched; `None` for a character with networks only.
    pub fn database_hash(&self) -> Option<u128> {
        self.parts.data.database
    }

    /// Returns the title for headings; may be empty.
    pub fn title(&self) -> &str {
        &self.parts.title
    }

    /// Returns the name of the ground that a replay requires; empty if the results of the ground hook are recorded.
    pub fn ground(&self) -> &str {
        &self.parts.ground
    }

    /// Returns true if an update had a ground hook.
    pub fn asks_for_ground(&self) -> bool {
        self.asks.0
    }

    /// Returns true if an update had a collision hook.
    pub fn asks_for_walls(&self) -> bool {
        self.asks.1
    }

    /// Returns the first update and the name of each section, in order.
    pub fn marks(&self) -> &[(usize, String)] {
        &self.parts.marks
    }

    /// Returns the transitions in order, one per update with any transition.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// Returns the segment of an update; the last one beyond the last update.
    pub(super) fn segment_of(&self, update: usize) -> usize {
        self.places.partition_point(|p| p.first_update <= update).saturating_sub(1)
    }
}
