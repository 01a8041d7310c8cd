//! The recorder, which records the data that a replay needs.

use super::answers::{GroundAnswers, WallAnswers, keep_ground, keep_wall};
use super::bytes::Writer;
use super::data_id::DataId;
use super::key_frame::{key_frame_room, put_key_frame, same};
use super::piece::{Cursor, Head, Part, Piece};
use super::ring::{Ring, Segment};
use super::segment::{Done, UpdateWriter};
use super::trace::{Parts, Stored, Trace};
use crate::input::{CollisionHook, GroundHook, GroundPoint, InputError, MotionInput};
use crate::machine::{Machine, MachineSpec};
use crate::matcher::step::One;
use crate::matcher::{Character, MatcherConfig, MatcherState, MotionMatcher, Turn};
use crate::pose::Pose;
use glam::Vec3;
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum size of one update, in bytes: a path of ten thousand points.
const MOST_UPDATE_BYTES: usize = 128 << 10;
/// Maximum size of one segment, in bytes: its length has four bytes.
const MOST_SEGMENT_BYTES: usize = 1 << 30;
/// Minimum size of the ring, in key frames.
const LEAST_KEY_FRAMES: usize = 16;

/// Limits of a recorder. Values outside of their ranges are clamped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecorderConfig {
    /// Minimum time that is kept if `max_bytes` allows it, in seconds. Older updates are dropped. Range: 0 and above. Default:
    /// 600.
    pub seconds: f32,
    /// Memory for the recording, in bytes. If it is full, the oldest updates are dropped. Range: 16 key frames (about 64 kB) and
    /// above. Default: 20 MB.
    pub max_bytes: usize,
    /// Time between key frames, in seconds. Lower values make seeking faster and the recording larger. Range: 0.1 to 600. Default:
    /// 5.
    pub key_every_s: f32,
}

impl Default for RecorderConfig {
    fn default() -> Self {
        Self { seconds: 600.0, max_bytes: 20_000_000, key_every_s: 5.0 }
    }
}

/// Recorder of one character: a ring of all data needed to replay it. It allocates when it is created, when the settings of the
/// character change, and in [`Recorder::mark`], but not in [`Recorder::update`].
///
/// If a character is restored, teleported or changed in any other way between two updates, the recorder detects this from its
/// state. The recording then continues with a key frame.
#[derive(Debug)]
pub struct Recorder {
    config: RecorderConfig,
    data: DataId,
    ring: Ring,
    /// Identity that distinguishes this recording from others, and from itself before it was cleared.
    recording: Arc<()>,
    title: String,
    /// Name of the ground; empty if the results of the ground hook are recorded.
    ground: String,
    /// The state machine of the character.
    machine: Option<Arc<Machine>>,
    /// Settings of the segments; `first_config` is the number of the first.
    configs: VecDeque<Arc<MatcherConfig>>,
    first_config: u64,
    /// Names of sections, with the numbers of the updates that begin them.
    marks: VecDeque<(u64, String)>,
    next_mark: Option<String>,
    /// Number of recorded and lost updates so far, and their total time in seconds.
    kept: u64,
    lost: u64,
    time_s: f64,
    /// State before the update that began the last segment; if `compared` is true, state after the last update.
    last: MatcherState,
    compared: bool,
    /// Identity of the matcher of the last update, and its change count; `None` for characters in parts.
    matcher: Option<(Arc<()>, u64)>,
    /// True if the next update does not continue the last recorded one.
    jump: bool,
    grounds: GroundAnswers,
    walls: WallAnswers,
    writer: UpdateWriter,
    key_frame: Writer,
    update: Writer,
}

impl Recorder {
    /// Creates a recorder for one character of this kind. Allocates all memory.
    pub fn new(character: &Character, config: RecorderConfig) -> Self {
        // Call `max` first: NaN becomes the lower bound.
        let config = RecorderConfig {
            seconds: config.seconds.max(0.0),
            key_every_s: if config.key_every_s >= 0.1 { config.key_every_s.min(600.0) } else { 0.1 },
            ..config
        };
        let block = character.layout().len();
        let key_frame = key_frame_room(block);
        let bytes = config.max_bytes.max(LEAST_KEY_FRAMES * key_frame);
        let update = (bytes / 8).min(MOST_UPDATE_BYTES);
        Self {
            config,
            data: DataId::of(character),
            // No segment is smaller than the block of its state.
            ring: Ring::new(bytes, size_of::<f32>() * block.max(1)),
            recording: Arc::default(),
            title: String::new(),
            ground: String::new(),
            machine: character.shared_machine(),
            configs: VecDeque::from([Arc::clone(character.shared_config())]),
            first_config: 0,
            marks: VecDeque::new(),
            next_mark: None,
            kept: 0,
            lost: 0,
            time_s: 0.0,
            last: character.resting_state(),
            compared: false,
            matcher: None,
            jump: true,
            grounds: GroundAnswers::new(),
            walls: WallAnswers::new(),
            writer: UpdateWriter::new(update),
            key_frame: Writer::new(key_frame),
            update: Writer::new(update),
        }
    }

    /// Sets the title of the recording, for headings.
    pub fn set_title(&mut self, title: &str) {
        title.clone_into(&mut self.title);
    }

    /// Sets the name of the ground. A replay then requires the ground of that name, so its results need not be recorded. With an
    /// empty name, the default, they are recorded. Setting another name drops the previous recording.
    pub fn set_ground(&mut self, name: &str) {
        if self.ground != name {
            name.clone_into(&mut self.ground);
            self.clear();
        }
    }

    /// Begins a named section of the recording with the next update, such as a part of a course. Allocates the name.
    pub fn mark(&mut self, name: &str) {
        self.next_mark = Some(name.to_owned());
        // The update that stores the mark must not allocate.
        self.marks.reserve(1);
    }

    /// Updates a character ([`MotionMatcher::update`]) and records the update. Allocates nothing.
    ///
    /// # Errors
    /// Returns the errors of [`MotionMatcher::update`]; then nothing is recorded.
    pub fn update<'m>(
        &mut self,
        matcher: &'m mut MotionMatcher,
        input: &MotionInput,
        dt_s: f32,
    ) -> Result<&'m Pose, InputError> {
        let (identity, changes) = matcher.changes();
        let unchanged = self.matcher.as_ref().is_some_and(|(who, then)| Arc::ptr_eq(who, identity) && *then == changes);
        let (character, state, scratch, output) = matcher.parts_mut();
        let one = One { state, scratch, output };
        self.record(character, (input, Turn::Regular), dt_s, one, unchanged)?;
        matcher.count_change();
        let (identity, changes) = matcher.changes();
        match &mut self.matcher {
            Some((who, then)) if Arc::ptr_eq(who, identity) => *then = changes,
            other => *other = Some((Arc::clone(identity), changes)),
        }
        self.compared = false;
        Ok(matcher.pose())
    }

    /// Steps one character ([`One::step`]) and records the step, for crowds and hosts that manage the parts of a character
    /// themselves. Allocates nothing.
    ///
    /// # Errors
    /// Returns the errors of [`One::step`]; then nothing is recorded.
    pub fn step(
        &mut self,
        character: &Character,
        input: &MotionInput,
        turn: Turn,
        dt_s: f32,
        one: One,
    ) -> Result<(), InputError> {
        let unchanged = self.compared && same(&self.last, one.state);
        let One { state, scratch, output } = one;
        let one = One { state: &mut *state, scratch, output };
        self.record(character, (input, turn), dt_s, one, unchanged)?;
        self.last.clone_from(state);
        (self.compared, self.matcher) = (true, None);
        Ok(())
    }

    /// Steps a character. `unchanged` means that its state is the one that its last update left.
    fn record(
        &mut self,
        character: &Character,
        (input, turn): (&MotionInput, Turn),
        dt_s: f32,
        one: One,
        unchanged: bool,
    ) -> Result<(), InputError> {
        self.follow(character);
        self.jump |= !unchanged;
        let begins = self.jump || self.is_key_frame_due();
        if begins {
            self.last.clone_from(one.state);
        }
        self.grounds.clear();
        self.walls.clear();
        let (grounds, walls, known_ground) = (&self.grounds, &self.walls, !self.ground.is_empty());
        let heard_ground =
            |at: Vec3| keep_ground(grounds, input.ground.map_or(GroundPoint::default(), |hook| hook(at)));
        let heard_walls = |from: Vec3, to: Vec3| keep_wall(walls, to, input.collide.map_or(to, |hook| hook(from, to)));
        let (listener, collide): (&GroundHook, &CollisionHook) = (&heard_ground, &heard_walls);
        let ground = input.ground.map(|hook| if known_ground { hook } else { listener });
        let heard = MotionInput { ground, collide: input.collide.map(|_| collide), ..*input };
        let One { state, scratch, output } = one;
        One { state, scratch, output: &mut *output }.step(character, &heard, turn, dt_s)?;
        let decided = (output.transitions > 0).then_some(output.playing);
        let done = Done { dt_s, turn, searched: output.searches > 0, decided };
        self.jump = !self.keep(begins, input, &done);
        self.time_s += f64::from(dt_s);
        Ok(())
    }

    /// Detects new settings. If the data or the machine changed, the previous recording is dropped, because both cannot be in one
    /// recording.
    fn follow(&mut self, character: &Character) {
        let same = |a: &Arc<Machine>, b: &Arc<Machine>| Arc::ptr_eq(a, b) || a.spec() == b.spec();
        let same_machine = match (&self.machine, &character.shared_machine()) {
            (Some(ours), Some(theirs)) => same(ours, theirs),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        if self.data != DataId::of(character) || !same_machine {
            let (title, ground) = (std::mem::take(&mut self.title), std::mem::take(&mut self.ground));
            *self = Self { title, ground, next_mark: self.next_mark.take(), ..Self::new(character, self.config) };
        }
        let config = character.shared_config();
        if let Some(now) = self.configs.back_mut().filter(|now| !Arc::ptr_eq(now, config)) {
            if **now == **config {
                now.clone_from(config);
            } else {
                self.configs.push_back(Arc::clone(config));
            }
        }
    }

    fn machine_spec(&self) -> Option<MachineSpec> {
        self.machine.as_ref().map(|machine| machine.spec().clone())
    }

    /// Returns the number of the current settings.
    fn config_number(&self) -> u64 {
        self.first_config + self.configs.len() as u64 - 1
    }

    fn is_key_frame_due(&self) -> bool {
        let quarter = (self.ring.room() / 4).min(MOST_SEGMENT_BYTES);
        let config = self.config_number();
        let continues = |last: &Segment| {
            let lasts_s = self.time_s - last.begin_s + 1e-3;
            last.config == config && (last.bytes as usize) < quarter && lasts_s < f64::from(self.config.key_every_s)
        };
        !self.ring.segments().back().is_some_and(continues)
    }

    /// Stores an update. Returns false if it does not fit.
    fn keep(&mut self, begins: bool, input: &MotionInput, done: &Done) -> bool {
        self.update.clear();
        self.key_frame.clear();
        let asked = self.grounds.count().zip(self.walls.count());
        let fits = asked.is_some_and(|(grounds, walls)| {
            let asked = ((&self.grounds, grounds), (&self.walls, walls));
            self.writer.put(begins, input, done, asked, &mut self.update)
        });
        if begins {
            put_key_frame(self.jump, &self.last, &mut self.key_frame);
        }
        if !fits || self.key_frame.is_full() {
            self.lost += 1;
            return false;
        }
        self.ring.make_room(self.key_frame.bytes().len() + self.update.bytes().len());
        if begins {
            let (begin_s, first_update, config) = (self.time_s, self.kept, self.config_number());
            self.ring.begin(Segment { start: 0, bytes: 0, first_update, updates: 0, begin_s, config });
            self.ring.push(self.key_frame.bytes());
        }
        self.ring.push(self.update.bytes());
        self.ring.count_update();
        if let Some(name) = self.next_mark.take() {
            self.marks.push_back((self.kept, name));
        }
        self.kept += 1;
        self.forget_old();
        true
    }

    /// Drops segments that exceed the requested time, and the settings and names that belong to dropped ones.
    fn forget_old(&mut self) {
        let old = |second: &Segment| self.time_s - second.begin_s >= f64::from(self.config.seconds);
        while self.ring.segments().get(1).is_some_and(old) {
            self.ring.drop_oldest();
        }
        let Some(first) = self.ring.segments().front() else { return };
        while self.first_config < first.config {
            self.configs.pop_front();
            self.first_config += 1;
        }
        // Keep the mark of the section in which the recording now begins.
        while self.marks.get(1).is_some_and(|(update, _)| *update <= first.first_update) {
            self.marks.pop_front();
        }
    }

    /// Returns the number of recorded updates.
    pub fn updates(&self) -> usize {
        self.ring.segments().iter().map(|s| s.updates as usize).sum()
    }

    /// Returns the size of the recording in bytes, without the names.
    pub fn bytes(&self) -> usize {
        self.ring.used()
    }

    /// Returns the number of updates that could not be recorded: updates larger than an eighth of the memory, or steps of several
    /// seconds that called a hook more than 4096 times. After each, the recording continues with a key frame.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns a copy of the recording. Allocates; takes milliseconds for ten minutes.
    pub fn trace(&self) -> Trace {
        let segments = self.ring.segments();
        let first =
            segments.front().map_or((self.kept, 0), |s| (s.first_update, (s.config - self.first_config) as usize));
        let stored = |s: &Segment| Stored {
            bytes: s.bytes,
            updates: s.updates,
            config: (s.config - self.first_config) as u32 - first.1 as u32,
        };
        let marks = self.marks.iter().map(|(update, name)| (update.saturating_sub(first.0) as usize, name.clone()));
        let parts = Parts {
            data: self.data,
            block: self.last.block.len(),
            title: self.title.clone(),
            ground: self.ground.clone(),
            machine: self.machine_spec(),
            configs: self.configs.iter().skip(first.1).map(|c| (**c).clone()).collect(),
            marks: if segments.is_empty() { Vec::new() } else { marks.collect() },
            segments: segments.iter().map(stored).collect(),
            stream: self.ring.to_vec(),
        };
        Trace::new(parts).unwrap_or_else(|damage| unreachable!("a recording of our own: {damage}"))
    }

    /// Copies the updates since `cursor` into `piece` and advances the cursor. Returns false if there are none. If more than
    /// `room` bytes are new, or some are no longer kept, the piece begins with the oldest key frame from which all later updates
    /// fit, and contains the number of omitted updates ([`Piece::lost`]). If there is no such key frame, nothing is copied until
    /// there is one. A cursor of another recording, or of this one before it was cleared, starts again.
    ///
    /// Allocates if the piece has too little capacity, and for names at the start of a recording or a section.
    pub fn read(&self, cursor: &mut Cursor, room: usize, piece: &mut Piece) -> bool {
        piece.clear();
        let goes_on = cursor.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, &self.recording));
        let (byte, update) = if goes_on { (cursor.byte, cursor.update) } else { (0, 0) };
        let segments = self.ring.segments();
        let fits = |start: u64| self.ring.end() - start <= room as u64;
        let unread = segments.partition_point(|s| s.start + u64::from(s.bytes) <= byte);
        let mut left = segments.iter().skip(unread);
        let Some((first, start)) = left
            .clone()
            .next()
            .map(|s| (s, s.start.max(byte)))
            .filter(|(_, start)| fits(*start))
            .or_else(|| left.find(|s| s.start >= byte && fits(s.start)).map(|s| (s, s.start)))
        else {
            return false;
        };
        let first_update = if start == first.start { first.first_update } else { update };
        if goes_on {
            piece.lost = first_update - update;
        } else {
            let (data, block) = (self.data, self.last.block.len());
            let (title, ground, machine) = (self.title.clone(), self.ground.clone(), self.machine_spec());
            piece.head = Some(Head { data, block, title, ground, machine });
        }
        let mut config = None;
        for s in segments.iter().skip_while(|s| s.first_update < first.first_update) {
            let begins = s.start >= start;
            if begins && config != Some(s.config) {
                config = Some(s.config);
                piece.configs.push(Arc::clone(&self.configs[(s.config - self.first_config) as usize]));
            }
            piece.parts.push(Part {
                begins: begins.then(|| piece.configs.len() as u32 - 1),
                bytes: (s.start + u64::from(s.bytes) - s.start.max(start)) as u32,
                updates: (s.first_update + u64::from(s.updates) - s.first_update.max(first_update)) as u32,
            });
        }
        // Of the names before the piece, the last one applies to its start.
        let before = |m: &&(u64, String)| m.0 < first_update && !(goes_on && m.0 < update);
        let within = || self.marks.iter().filter(|m| m.0 >= first_update);
        let skipped = self.marks.iter().rfind(before).filter(|_| within().all(|m| m.0 > first_update));
        let marks = skipped.into_iter().chain(within());
        piece.marks.extend(marks.map(|(at, name)| (at.saturating_sub(first_update) as u32, name.clone())));
        self.ring.copy_from(start, &mut piece.stream);
        *cursor = Cursor { of: Some(Arc::clone(&self.recording)), byte: self.ring.end(), update: self.kept };
        true
    }

    /// Returns the identity of the recorded data.
    pub fn data(&self) -> DataId {
        self.data
    }

    /// Drops all updates; title and ground are kept.
    pub fn clear(&mut self) {
        self.recording = Arc::default();
        self.ring.clear();
        self.marks.clear();
        self.jump = true;
    }
}
