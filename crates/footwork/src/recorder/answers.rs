//! Results of the hooks of an update, in the order of the calls.
//!
//! Hook types must be shareable between threads, and so must be the recording of their results. It uses atomic numbers, which
//! neither lock nor allocate. An update calls hooks from one thread.

use super::bytes::{Coded, Damage, Reader, Writer};
use crate::input::GroundPoint;
use bytemuck::bytes_of;
use glam::Vec3;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Maximum number of recorded results per update. Steps of several seconds may call hooks more often.
pub const MOST_ANSWERS: usize = 4096;

/// Results of `WIDTH` numbers each.
#[derive(Debug)]
pub struct Answers<const WIDTH: usize> {
    numbers: Vec<[AtomicU32; WIDTH]>,
    count: AtomicUsize,
}

impl<const WIDTH: usize> Answers<WIDTH> {
    pub fn new() -> Self {
        let blank = || std::array::from_fn(|_| AtomicU32::new(0));
        Self { numbers: (0..MOST_ANSWERS).map(|_| blank()).collect(), count: AtomicUsize::new(0) }
    }

    pub fn clear(&mut self) {
        *self.count.get_mut() = 0;
    }

    #[inline]
    pub fn keep(&self, answer: [f32; WIDTH]) {
        // Only one thread counts, so an atomic addition is not needed; it would double the cost.
        let count = self.count.load(Relaxed);
        self.count.store(count + 1, Relaxed);
        // Results beyond the capacity are only counted.
        if let Some(room) = self.numbers.get(count) {
            room.iter().zip(answer).for_each(|(n, v)| n.store(v.to_bits(), Relaxed));
        }
    }

    /// Returns the number of results; `None` if they exceed the capacity.
    pub fn count(&self) -> Option<usize> {
        Some(self.count.load(Relaxed)).filter(|n| *n <= MOST_ANSWERS)
    }

    fn get(&self, index: usize) -> [u32; WIDTH] {
        std::array::from_fn(|k| self.numbers[index][k].load(Relaxed))
    }
}

/// Height, normal and velocity of the ground.
pub type GroundAnswers = Answers<7>;
/// End of a step, and 1 if it equals the requested end, as it does at most points; else 0.
pub type WallAnswers = Answers<4>;

pub fn keep_ground(answers: &GroundAnswers, p: GroundPoint) -> GroundPoint {
    let (n, v) = (p.normal, p.velocity);
    answers.keep([p.height_m, n.x, n.y, n.z, v.x, v.y, v.z]);
    p
}

pub fn keep_wall(answers: &WallAnswers, asked: Vec3, end: Vec3) -> Vec3 {
    let free = asked.to_array().map(f32::to_bits) == end.to_array().map(f32::to_bits);
    answers.keep([end.x, end.y, end.z, f32::from(u8::from(free))]);
    end
}

/// Flags: parts of a ground result that equal those of the previous one.
const SAME_HEIGHT: u8 = 1;
const SAME_NORMAL: u8 = 2;
const SAME_VELOCITY: u8 = 4;

/// Writes the ground results of an update, each as the difference to the previous one. Most ground is level and static.
pub fn put_ground(answers: &GroundAnswers, count: usize, to: &mut Writer) {
    to.put_count(count);
    let mut before = ([0; 1], [0; 3], [0; 3]);
    for k in 0..count {
        let [h, nx, ny, nz, vx, vy, vz] = answers.get(k);
        let now = ([h], [nx, ny, nz], [vx, vy, vz]);
        let same = [now.0 == before.0, now.1 == before.1, now.2 == before.2];
        let bits = same.map(u8::from);
        ((bits[0] * SAME_HEIGHT) | (bits[1] * SAME_NORMAL) | (bits[2] * SAME_VELOCITY)).put(to);
        if !same[0] {
            to.put_bytes(bytes_of(&now.0));
        }
        if !same[1] {
            to.put_bytes(bytes_of(&now.1));
        }
        if !same[2] {
            to.put_bytes(bytes_of(&now.2));
        }
        before = now;
    }
}

pub fn take_ground(from: &mut Reader, into: &mut Vec<GroundPoint>) -> Result<(), Damage> {
    let count = from.take_count(1)?;
    into.clear();
    if count > MOST_ANSWERS {
        return Err(Damage("a count"));
    }
    let mut point = GroundPoint { height_m: 0.0, normal: Vec3::ZERO, velocity: Vec3::ZERO };
    for _ in 0..count {
        let same = u8::take(from)?;
        if same & SAME_HEIGHT == 0 {
            point.height_m = Coded::take(from)?;
        }
        if same & SAME_NORMAL == 0 {
            point.normal = Coded::take(from)?;
        }
        if same & SAME_VELOCITY == 0 {
            point.velocity = Coded::take(from)?;
        }
        into.push(point);
    }
    Ok(())
}

/// Writes the ends of steps that differ from the requested ends.
pub fn put_walls(answers: &WallAnswers, count: usize, to: &mut Writer) {
    to.put_count(count);
    for k in 0..count {
        let [x, y, z, free] = answers.get(k);
        let free = f32::from_bits(free) != 0.0;
        (!free).put(to);
        if !free {
            [x, y, z].put(to);
        }
    }
}

/// Reads ends of steps; `None` if a step ends at its requested end.
pub fn take_walls(from: &mut Reader, into: &mut Vec<Option<Vec3>>) -> Result<(), Damage> {
    let count = from.take_count(1)?;
    into.clear();
    if count > MOST_ANSWERS {
        return Err(Damage("a count"));
    }
    for _ in 0..count {
        into.push(Coded::take(from)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back_to_the_bit_and_repeated_ones_take_a_byte() {
        let level = GroundPoint { height_m: 0.5, ..GroundPoint::default() };
        let odd = GroundPoint { height_m: f32::NAN, normal: Vec3::X, velocity: Vec3::new(-0.0, 1.0, 2.0) };
        let answers = GroundAnswers::new();
        for point in [level, level, odd, level] {
            keep_ground(&answers, point);
        }
        let mut w = Writer::new(1000);
        put_ground(&answers, answers.count().unwrap(), &mut w);
        assert_eq!(w.bytes().len(), 1 + (1 + 16) + 1 + (1 + 28) + (1 + 28));
        let mut back = Vec::new();
        take_ground(&mut Reader::new(w.bytes()), &mut back).unwrap();
        assert_eq!(format!("{back:?}"), format!("{:?}", [level, level, odd, level]));
    }

    #[test]
    fn steps_that_end_where_they_lead_to_take_a_byte() {
        let answers = WallAnswers::new();
        keep_wall(&answers, Vec3::X, Vec3::X);
        keep_wall(&answers, Vec3::X, Vec3::Z);
        let mut w = Writer::new(1000);
        put_walls(&answers, 2, &mut w);
        assert_eq!(w.bytes().len(), 1 + 1 + 13);
        let mut back = Vec::new();
        take_walls(&mut Reader::new(w.bytes()), &mut back).unwrap();
        assert_eq!(back, [None, Some(Vec3::Z)]);
    }

    #[test]
    fn more_answers_than_there_is_room_for_are_told() {
        let answers = WallAnswers::new();
        for _ in 0..=MOST_ANSWERS {
            keep_wall(&answers, Vec3::X, Vec3::X);
        }
        assert_eq!(answers.count(), None);
    }
}
