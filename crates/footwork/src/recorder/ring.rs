//! Segments in a ring of bytes. The oldest are dropped to make room for new ones.

use std::collections::VecDeque;

/// A key frame and the updates after it.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Position of the first byte, counted over all bytes ever written.
    pub start: u64,
    pub bytes: u32,
    /// Number of its first update, counted over all recorded updates.
    pub first_update: u64,
    pub updates: u32,
    /// Time before its first update, in seconds.
    pub begin_s: f64,
    /// Number of its settings, counted over all settings of the recording.
    pub config: u64,
}

/// Bytes in a ring, and the segments in them. Allocates only when created.
#[derive(Debug)]
pub struct Ring {
    bytes: Vec<u8>,
    segments: VecDeque<Segment>,
    /// Number of bytes ever written.
    end: u64,
}

impl Ring {
    /// Creates a ring of this size, for segments of at least `least` bytes.
    pub fn new(bytes: usize, least: usize) -> Self {
        Self { bytes: vec![0; bytes], segments: VecDeque::with_capacity(bytes / least + 2), end: 0 }
    }

    pub fn clear(&mut self) {
        self.segments.clear();
    }

    pub fn room(&self) -> usize {
        self.bytes.len()
    }

    pub fn segments(&self) -> &VecDeque<Segment> {
        &self.segments
    }

    /// Begins a segment. Its position and sizes are set here.
    pub fn begin(&mut self, segment: Segment) {
        self.segments.push_back(Segment { start: self.end, bytes: 0, updates: 0, ..segment });
    }

    /// Drops the oldest segment.
    pub fn drop_oldest(&mut self) {
        self.segments.pop_front();
    }

    /// Makes room for this number of bytes by dropping the oldest segments. The last one, which is being written, is kept.
    pub fn make_room(&mut self, bytes: usize) {
        while self.segments.len() > 1 && self.used() + bytes > self.bytes.len() {
            self.drop_oldest();
        }
    }

    /// Returns the size of all segments, in bytes.
    pub fn used(&self) -> usize {
        self.segments.front().map_or(0, |s| (self.end - s.start) as usize)
    }

    /// Adds bytes to the last segment. There must be room for them.
    pub fn push(&mut self, bytes: &[u8]) {
        debug_assert!(self.used() + bytes.len() <= self.bytes.len());
        let at = (self.end % self.bytes.len() as u64) as usize;
        let (first, rest) = bytes.split_at(bytes.len().min(self.bytes.len() - at));
        self.bytes[at..at + first.len()].copy_from_slice(first);
        self.bytes[..rest.len()].copy_from_slice(rest);
        self.end += bytes.len() as u64;
        if let Some(last) = self.segments.back_mut() {
            last.bytes += bytes.len() as u32;
        }
    }

    /// Counts an update of the last segment.
    pub fn count_update(&mut self) {
        if let Some(last) = self.segments.back_mut() {
            last.updates += 1;
        }
    }

    /// Returns the number of bytes ever written, which is the position of the next one.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Appends the bytes from a position, which must be in a segment.
    pub fn copy_from(&self, start: u64, to: &mut Vec<u8>) {
        let room = self.bytes.len();
        let (at, count) = ((start % room as u64) as usize, (self.end - start) as usize);
        let first = count.min(room - at);
        to.extend_from_slice(&self.bytes[at..at + first]);
        to.extend_from_slice(&self.bytes[..count - first]);
    }

    /// Returns the bytes of all segments in order.
    pub fn to_vec(&self) -> Vec<u8> {
        let used = self.used();
        let at = ((self.end - used as u64) % self.bytes.len().max(1) as u64) as usize;
        let first = used.min(self.bytes.len() - at);
        [&self.bytes[at..at + first], &self.bytes[..used - first]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: Segment = Segment { start: 0, bytes: 0, first_update: 0, updates: 0, begin_s: 0.0, config: 0 };

    #[test]
    fn old_segments_make_room_and_what_is_left_is_whole() {
        let mut ring = Ring::new(100, 10);
        for k in 0..50u8 {
            ring.begin(SEGMENT);
            for part in 0..3 {
                ring.make_room(7);
                ring.push(&[k, part, k, part, k, part, k]);
                ring.count_update();
            }
            assert!(ring.used() <= 100 && ring.used() == 21 * ring.segments().len());
            let all = ring.to_vec();
            assert_eq!(all.len(), ring.used());
            assert_eq!(
                all[all.len() - 21..],
                [[k, 0, k, 0, k, 0, k], [k, 1, k, 1, k, 1, k], [k, 2, k, 2, k, 2, k]].concat()
            );
            assert_eq!(all[0], k + 1 - ring.segments().len() as u8);
        }
    }
}
