//! Layout of updates in a recording: segments with a key frame and the updates after it. Each segment can be read on its own.
//!
//! ```text
//! segment: jump, state; then updates: flags, [groups of the input], [dt], [ground results], [ends of steps], [playing clip]
//! ```

use super::answers::{GroundAnswers, WallAnswers, put_ground, put_walls, take_ground, take_walls};
use super::bytes::{Coded, Damage, Reader, Writer};
use super::input_groups::{ALL_GROUPS, Groups, InputReader};
use crate::input::{GroundPoint, MotionInput};
use crate::matcher::step::LONGEST_STEP_S;
use crate::matcher::{Playing, Turn};
use glam::Vec3;

/// Minimum size of a segment, in bytes: the header of its state.
pub(super) const LEAST_SEGMENT: usize = 512;

const INPUT: u8 = 1;
const DT: u8 = 2;
const NOW: u8 = 4;
const LATER: u8 = 8;
const GROUND: u8 = 16;
const WALLS: u8 = 32;
const SEARCHED: u8 = 64;
const DECIDED: u8 = 128;

/// Record of an update in addition to its input and hook results.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub dt_s: f32,
    pub turn: Turn,
    /// True if the update searched.
    pub searched: bool,
    /// Playing clip after a transition.
    pub decided: Option<Playing>,
}

/// Writes consecutive updates.
#[derive(Debug)]
pub struct UpdateWriter {
    now: Groups,
    before: Groups,
    dt_s: f32,
    /// Path that was written since the last key frame.
    path: Option<u64>,
}

/// Hook results of an update, with their numbers.
pub type Asked<'a> = ((&'a GroundAnswers, usize), (&'a WallAnswers, usize));

impl UpdateWriter {
    pub fn new(room: usize) -> Self {
        Self { now: Groups::new(room), before: Groups::new(room), dt_s: 0.0, path: None }
    }

    /// Writes an update. The first one after a key frame (`first`) includes the whole input. The written data is valid unless
    /// `to` is full or false is returned.
    pub fn put(&mut self, first: bool, input: &MotionInput, done: &Done, asked: Asked, to: &mut Writer) -> bool {
        if !self.now.set(input) {
            return false;
        }
        if first {
            self.path = None;
        }
        let changed = if first { ALL_GROUPS } else { self.now.changed(&self.before) };
        let ((ground, grounds), (walls, ends)) = asked;
        let other_dt = first || done.dt_s.to_bits() != self.dt_s.to_bits();
        let flags = [
            (INPUT, changed != 0),
            (DT, other_dt),
            (NOW, done.turn == Turn::Now),
            (LATER, done.turn == Turn::Later),
            (GROUND, grounds > 0),
            (WALLS, ends > 0),
            (SEARCHED, done.searched),
            (DECIDED, done.decided.is_some()),
        ];
        flags.iter().fold(0u8, |all, (bit, set)| if *set { all | bit } else { all }).put(to);
        if changed != 0 {
            self.now.put(changed, &input.goal, &mut self.path, to);
        }
        if other_dt {
            done.dt_s.put(to);
        }
        if grounds > 0 {
            put_ground(ground, grounds, to);
        }
        if ends > 0 {
            put_walls(walls, ends, to);
        }
        if let Some(playing) = done.decided {
            playing.put(to);
        }
        self.dt_s = done.dt_s;
        std::mem::swap(&mut self.now, &mut self.before);
        !to.is_full()
    }
}

/// Reads consecutive updates.
#[derive(Debug, Default)]
pub struct UpdateReader {
    pub input: InputReader,
    /// Results of the ground hook, in the order of the calls.
    pub ground: Vec<GroundPoint>,
    /// Ends of steps, in the order of the calls; `None` if a step ends at its requested end.
    pub walls: Vec<Option<Vec3>>,
    dt_s: Option<f32>,
}

impl UpdateReader {
    /// Prepares for the first update after a key frame.
    pub fn begin(&mut self) {
        self.input.begin();
        self.dt_s = None;
    }

    pub fn read(&mut self, from: &mut Reader) -> Result<Done, Damage> {
        let first = self.dt_s.is_none();
        let flags = u8::take(from)?;
        let is = |bit: u8| flags & bit != 0;
        if first && !is(INPUT) {
            return Err(Damage("a key frame without input"));
        }
        if is(INPUT) {
            self.input.read(from, first)?;
        }
        if is(DT) {
            self.dt_s = Some(Coded::take(from)?);
        }
        let dt_s = self.dt_s.filter(|dt| (0.0..=LONGEST_STEP_S).contains(dt)).ok_or(Damage("a time step"))?;
        self.ground.clear();
        self.walls.clear();
        if is(GROUND) {
            take_ground(from, &mut self.ground)?;
        }
        if is(WALLS) {
            take_walls(from, &mut self.walls)?;
        }
        let decided = if is(DECIDED) { Some(Playing::take(from)?) } else { None };
        let turn = match (is(NOW), is(LATER)) {
            (false, false) => Turn::Regular,
            (true, false) => Turn::Now,
            (false, true) => Turn::Later,
            (true, true) => return Err(Damage("a turn")),
        };
        Ok(Done { dt_s, turn, searched: is(SEARCHED), decided })
    }
}
