//! Replay of a recording: the same updates again, bit for bit, or with a change from some point on.

use super::bytes::{Damage, Reader};
use super::data_id::DataId;
use super::key_frame::{KeyFrame, same};
use super::piece::Piece;
use super::replay_error::ReplayError;
use super::segment::{Done, UpdateReader};
use super::trace::{Tail, Trace};
use crate::input::{CollisionHook, GroundHook, GroundPoint, InputError, MotionInput, OwnedInput};
use crate::machine::{Machine, MachineError};
use crate::matcher::step::One;
use crate::matcher::{Character, MotionMatcher};
use crate::math::Transform;
use glam::Vec3;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// A ground that is identified by name ([`super::Recorder::set_ground`]): height, normal and velocity at a point, world.
pub type NamedGround = Arc<dyn Fn(Vec3) -> GroundPoint + Send + Sync>;

/// Returns the character with the state machine of a trace, or without one.
fn with_machine(trace: &Trace, character: Arc<Character>) -> Result<Arc<Character>, MachineError> {
    if character.machine().map(Machine::spec) == trace.machine() {
        return Ok(character);
    }
    let Some(spec) = trace.machine() else { return character.with_machine(None).map(Arc::new) };
    let db = character.database().cloned().ok_or_else(|| MachineError::new("machine", "the character has no clips"))?;
    character.with_machine(Some(Arc::new(Machine::new(db, spec.clone())?))).map(Arc::new)
}

/// A trace and a replay position. It shows the character right after an update.
pub struct Replay {
    trace: Arc<Trace>,
    /// The character with each of the settings of the recording; created on demand.
    characters: Vec<Option<Arc<Character>>>,
    given: Arc<Character>,
    ground: Option<NamedGround>,
    matcher: MotionMatcher,
    reader: UpdateReader,
    key: KeyFrame,
    /// The current segment, and the position of the next update in bytes.
    segment: usize,
    byte: usize,
    /// Number of executed updates.
    done: usize,
    forked: bool,
    assumed: AtomicBool,
    /// Position at which new pieces are appended.
    tail: Tail,
    /// Error in the middle of an update. Only restoring a key frame clears it.
    failed: Option<ReplayError>,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Replay")
            .field("done", &self.done)
            .field("updates", &self.trace.updates())
            .field("forked", &self.forked)
            .finish_non_exhaustive()
    }
}

impl Replay {
    /// Creates a replay that shows the first update. It uses the settings of the trace instead of those of `character`. `ground`
    /// is the ground named by [`Trace::ground`]; it is ignored if that name is empty.
    ///
    /// # Errors
    /// Returns [`ReplayError`] for a character with other data, a missing ground, and an invalid trace.
    pub fn new(trace: Arc<Trace>, character: Arc<Character>, ground: Option<NamedGround>) -> Result<Self, ReplayError> {
        let (recorded, found) = (trace.data(), DataId::of(&character));
        if recorded != found {
            return Err(ReplayError::OtherData { recorded, found });
        }
        let character = with_machine(&trace, character)?;
        if ground.is_none() && trace.asks_for_ground() && !trace.ground().is_empty() {
            return Err(ReplayError::NoGround { name: trace.ground().to_owned() });
        }
        // Recorded results take precedence over a given ground.
        let ground = ground.filter(|_| !trace.ground().is_empty());
        let first = trace.parts.segments.first().ok_or(ReplayError::Empty)?;
        let mut from = Reader::new(&trace.parts.stream[..first.bytes as usize]);
        // The key frame was already read when the trace was checked.
        let key = KeyFrame::first(trace.parts.block, &mut from).map_err(|_| ReplayError::Empty)?;
        let mut replay = Self {
            characters: vec![None; trace.parts.configs.len()],
            matcher: MotionMatcher::of(Arc::clone(&character), Transform::IDENTITY)?,
            given: character,
            ground,
            reader: UpdateReader::default(),
            key,
            segment: 0,
            byte: 0,
            done: 0,
            forked: false,
            assumed: AtomicBool::new(false),
            tail: Tail::default(),
            failed: None,
            trace,
        };
        replay.seek(0)?;
        Ok(replay)
    }

    /// Creates a replay of a recording in progress from its first piece; see [`Replay::new`]. [`Replay::append`] extends the
    /// recording.
    ///
    /// # Errors
    /// Returns the errors of [`Replay::new`], and [`ReplayError::Damaged`].
    pub fn begin(piece: &Piece, character: Arc<Character>, ground: Option<NamedGround>) -> Result<Self, ReplayError> {
        let mut tail = Tail::default();
        let trace = Trace::begin(piece, &mut tail).map_err(|detail| ReplayError::Damaged { detail })?;
        Ok(Self { tail, ..Self::new(Arc::new(trace), character, ground)? })
    }

    /// Appends the next piece to the recording. The shown update stays, and [`Replay::step`] continues. The trace is copied if it
    /// is shared.
    ///
    /// # Errors
    /// Returns [`ReplayError::Damaged`] for a piece that is damaged or does not follow. The recording is then unchanged, and can
    /// continue with a piece that begins with a key frame. Returns [`ReplayError::NoGround`] if the appended updates use a named
    /// ground that the replay does not have.
    pub fn append(&mut self, piece: &Piece) -> Result<(), ReplayError> {
        if piece.begins() {
            let detail = "expected a later piece of it, found the first one of a recording".to_owned();
            return Err(ReplayError::Damaged { detail });
        }
        let trace = Arc::make_mut(&mut self.trace);
        trace.append(piece, &mut self.tail).map_err(|detail| ReplayError::Damaged { detail })?;
        self.characters.resize(trace.parts.configs.len(), None);
        if self.ground.is_none() && trace.asks_for_ground() && !trace.ground().is_empty() {
            return Err(ReplayError::NoGround { name: trace.ground().to_owned() });
        }
        Ok(())
    }

    /// Drops the oldest updates if the recording has more than `updates`, up to a key frame that does not follow the shown
    /// update. Returns the number of dropped updates; the indices of all others decrease by it.
    pub fn keep(&mut self, updates: usize) -> usize {
        let surplus = self.trace.updates().saturating_sub(updates);
        let places = &self.trace.places;
        let whole = places.partition_point(|p| p.first_update <= surplus).saturating_sub(1).min(self.segment);
        if whole == 0 {
            return 0;
        }
        let (updates, bytes, configs) = Arc::make_mut(&mut self.trace).drop_oldest(whole);
        self.characters.drain(..configs);
        (self.segment, self.done, self.byte) = (self.segment - whole, self.done - updates, self.byte - bytes);
        updates
    }

    /// Shows the character right after an update: restores the key frame before it, and replays from there. The last search
    /// before that point can then be explained ([`MotionMatcher::explain`]). Ends a fork.
    ///
    /// # Errors
    /// Returns [`ReplayError::NoUpdate`] beyond the last update, and the errors of [`Replay::step`].
    pub fn seek(&mut self, update: usize) -> Result<(), ReplayError> {
        let updates = self.trace.updates();
        if update >= updates {
            return Err(ReplayError::NoUpdate { update, updates });
        }
        let target = self.trace.segment_of(update);
        let ahead = !self.forked && self.failed.is_none() && (1..=update + 1).contains(&self.done);
        if !ahead || self.segment < target {
            let searches = |k: &usize| self.trace.places[*k].first_search.is_some_and(|first| first <= update);
            // The last search before the update may precede its key frame.
            let start = (0..=target).rev().find(searches).unwrap_or(target);
            // If the replay is already in that segment, it only steps forward.
            if !ahead || self.segment < start {
                self.restart(start)?;
            }
        }
        while self.done <= update {
            self.step()?;
        }
        Ok(())
    }

    /// Shows the character before the first update, which [`Replay::step`] executes next. Ends a fork.
    ///
    /// # Errors
    /// Returns the errors of [`Replay::step`].
    pub fn rewind(&mut self) -> Result<(), ReplayError> {
        self.restart(0)
    }

    /// Executes the next update. Returns false at the end.
    ///
    /// # Errors
    /// Returns [`ReplayError::Diverged`] if the character behaves differently from the recording, and [`ReplayError::Input`] if
    /// the trace does not fit the character. The same error is then returned until [`Replay::seek`] restores another position.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if self.done == self.trace.updates() {
            return Ok(false);
        }
        let done = self.do_next();
        self.failed = done.clone().err();
        done.map(|()| true)
    }

    fn do_next(&mut self) -> Result<(), ReplayError> {
        let places = &self.trace.places;
        if places.get(self.segment + 1).is_some_and(|next| next.first_update == self.done) {
            self.enter(self.segment + 1, false)?;
        }
        let trace = Arc::clone(&self.trace);
        let mut from = Reader::new(&trace.parts.stream[self.byte..]);
        let before = from.left();
        let done = self.reader.read(&mut from).map_err(|damage| self.damaged(damage))?;
        self.byte += before - from.left();
        self.update(&done)?;
        self.done += 1;
        Ok(())
    }

    /// Returns the index of the shown update; also 0 before the first one.
    pub fn position(&self) -> usize {
        self.done.saturating_sub(1)
    }

    /// Returns the number of executed updates since the start of the trace: [`Replay::position`] + 1, or 0 before the first.
    pub fn updates_done(&self) -> usize {
        self.done
    }

    /// Returns the shown character.
    pub fn matcher(&self) -> &MotionMatcher {
        &self.matcher
    }

    /// Returns the trace.
    pub fn trace(&self) -> &Arc<Trace> {
        &self.trace
    }

    /// Returns the input of the shown update, without its hooks.
    pub fn input(&self) -> &OwnedInput {
        &self.reader.input.input
    }

    /// Continues with another character: other settings, networks, or another database with the same skeleton. It receives the
    /// recorded inputs; where the recorded character was teleported, it is teleported, too. Hooks use the named ground, or else
    /// level ground at height 0 without walls ([`Replay::assumes_level_ground`]).
    ///
    /// # Errors
    /// Returns [`ReplayError::Input`] for a character with another skeleton; the replay is then unchanged. Returns the error of a
    /// replay that has failed. A character with the same data keeps the state machine of the recording.
    pub fn fork(&mut self, character: Arc<Character>) -> Result<(), ReplayError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let same_data = DataId::of(&character) == DataId::of(self.matcher.character());
        // The machine is part of the recording; other data may lack its clips.
        let character = if same_data { with_machine(&self.trace, character)? } else { character };
        let forked = match same_data {
            true => self.matcher.become_like(&character),
            false => self.matcher.switch_to(character),
        };
        forked.map_err(|error| self.refused(error))?;
        self.forked = true;
        self.assumed.store(false, Relaxed);
        Ok(())
    }

    /// Returns true after a fork.
    pub fn is_forked(&self) -> bool {
        self.forked
    }

    /// Returns true if a fork has called hooks without known results. They returned level ground without walls.
    pub fn assumes_level_ground(&self) -> bool {
        self.assumed.load(Relaxed)
    }

    /// Restores the key frame of a segment.
    fn restart(&mut self, segment: usize) -> Result<(), ReplayError> {
        self.forked = false;
        self.assumed.store(false, Relaxed);
        self.done = self.trace.places[segment].first_update;
        let entered = self.enter(segment, true);
        self.failed = entered.clone().err();
        self.matcher.forget_search();
        entered
    }

    /// Continues with a segment. Its key frame is restored if `restore` is true or the character was changed there; otherwise the
    /// key frame must equal the current state.
    fn enter(&mut self, segment: usize, restore: bool) -> Result<(), ReplayError> {
        let trace = Arc::clone(&self.trace);
        let place = trace.places[segment];
        let mut from = Reader::new(&trace.parts.stream[place.byte..]);
        let before = from.left();
        self.key.read(&mut from).map_err(|damage| self.damaged(damage))?;
        self.reader.begin();
        (self.segment, self.byte) = (segment, place.byte + before - from.left());
        if self.forked {
            return self.follow_jump();
        }
        let character = self.character(place.config)?;
        if !Arc::ptr_eq(self.matcher.character(), &character) {
            let other = DataId::of(self.matcher.character()) != trace.data();
            if other {
                // A fork with other data ends here.
                self.matcher = MotionMatcher::of(Arc::clone(&character), Transform::IDENTITY)?;
            }
            // The recorded state may be one that this character never had.
            self.matcher.become_like(&character).map_err(|error| self.refused(error))?;
        }
        if restore || self.key.jump {
            self.matcher.restore(&self.key.state).map_err(|error| self.refused(error))?;
        } else if !same(&self.key.state, self.matcher.state()) {
            return Err(self.diverged("the state"));
        }
        Ok(())
    }

    /// Teleports a fork to the position at which the recorded character was placed.
    fn follow_jump(&mut self) -> Result<(), ReplayError> {
        if !self.key.jump {
            return Ok(());
        }
        let world_from_root = self.key.state.world_from_root(self.matcher.config());
        self.matcher.teleport(world_from_root).map_err(|error| self.refused(error))
    }

    /// Returns the character with settings of the trace.
    fn character(&mut self, config: usize) -> Result<Arc<Character>, ReplayError> {
        let wanted = &self.trace.parts.configs[config];
        if let Some(made) = &self.characters[config] {
            return Ok(Arc::clone(made));
        }
        let made = match self.given.config() == wanted {
            true => Arc::clone(&self.given),
            false => Arc::new(self.given.with_config(wanted.clone())?),
        };
        self.characters[config] = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Executes an update that was read.
    fn update(&mut self, done: &Done) -> Result<(), ReplayError> {
        let Self { reader, ground, matcher, forked, assumed, .. } = self;
        let (hooks, named) = (reader.input.hooks, ground.as_ref());
        let (asked_ground, asked_walls) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let answer_ground = |at: Vec3| match named {
            Some(ground) => ground(at),
            None if *forked => {
                assumed.store(true, Relaxed);
                GroundPoint::default()
            }
            None => reader.ground.get(asked_ground.fetch_add(1, Relaxed)).copied().unwrap_or_default(),
        };
        let answer_walls = |_: Vec3, to: Vec3| {
            if *forked {
                assumed.store(true, Relaxed);
                return to;
            }
            reader.walls.get(asked_walls.fetch_add(1, Relaxed)).copied().flatten().unwrap_or(to)
        };
        let (ground, collide): (&GroundHook, &CollisionHook) = (&answer_ground, &answer_walls);
        let input = MotionInput {
            ground: hooks.ground.then_some(ground),
            collide: hooks.walls.then_some(collide),
            ..reader.input.input.borrow()
        };
        let (character, state, scratch, output) = matcher.parts_mut();
        let stepped = One { state, scratch, output }.step(character, &input, done.turn, done.dt_s);
        let asked = (asked_ground.load(Relaxed), asked_walls.load(Relaxed));
        matcher.count_change();
        stepped.map_err(|error| self.refused(error))?;
        if self.forked {
            return Ok(());
        }
        self.compare(done, asked)
    }

    /// Compares the executed update with the recording.
    fn compare(&self, done: &Done, asked: (usize, usize)) -> Result<(), ReplayError> {
        let output = self.matcher.output();
        let decided = (output.transitions > 0).then_some(output.playing);
        let answers = (self.reader.ground.len(), self.reader.walls.len());
        match () {
            () if decided != done.decided => Err(self.diverged("the playing clip")),
            () if (output.searches > 0) != done.searched => Err(self.diverged("a search")),
            () if self.ground.is_none() && asked.0 != answers.0 => Err(self.diverged("questions for the ground")),
            () if asked.1 != answers.1 => Err(self.diverged("questions for walls")),
            () => Ok(()),
        }
    }

    fn refused(&self, error: InputError) -> ReplayError {
        ReplayError::Input { update: self.done, time_s: self.trace.time_s(self.done), error }
    }

    fn diverged(&self, what: &'static str) -> ReplayError {
        ReplayError::Diverged { update: self.done, time_s: self.trace.time_s(self.done), what }
    }

    /// A trace is checked in full before replay, so this error is not expected.
    fn damaged(&self, Damage(what): Damage) -> ReplayError {
        self.diverged(what)
    }
}
