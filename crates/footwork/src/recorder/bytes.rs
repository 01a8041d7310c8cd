//! Little-endian encoding of values. Writers have a fixed capacity; readers check every length.

use bytemuck::Pod;
use glam::Vec3;

/// Bytes in a buffer of fixed capacity.
#[derive(Debug)]
pub struct Writer {
    room: Box<[u8]>,
    length: usize,
    /// True after something did not fit; the written bytes are then invalid.
    full: bool,
}

impl Writer {
    /// Creates a writer with this capacity. Only this function allocates.
    pub fn new(room: usize) -> Self {
        Self { room: vec![0; room].into_boxed_slice(), length: 0, full: false }
    }

    pub fn clear(&mut self) {
        (self.length, self.full) = (0, false);
    }

    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.length]
    }

    pub fn is_full(&self) -> bool {
        self.full
    }

    // An update writes about fifty numbers. With inlining, each is a single move.
    #[inline(always)]
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        match self.room.get_mut(self.length..self.length + bytes.len()) {
            Some(to) => {
                to.copy_from_slice(bytes);
                self.length += bytes.len();
            }
            None => self.full = true,
        }
    }

    /// Writes seven bits per byte, the lowest first; the eighth bit is set in all but the last byte.
    #[inline]
    pub fn put_count(&mut self, mut count: usize) {
        while count >= 0x80 {
            self.put_bytes(&[count as u8 | 0x80]);
            count >>= 7;
        }
        self.put_bytes(&[count as u8]);
    }
}

/// Reason why bytes are not a valid recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damage(pub &'static str);

/// Reads the output of a [`Writer`].
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    /// Returns the number of unread bytes.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    pub fn take_bytes(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (taken, left) = self.left.split_at_checked(count).ok_or(Damage("it ends too early"))?;
        self.left = left;
        Ok(taken)
    }

    /// Reads a number of elements, each of at least `width` bytes. The number is limited by the unread bytes, which limits
    /// allocations.
    pub fn take_count(&mut self, width: usize) -> Result<usize, Damage> {
        let mut count = 0usize;
        for shift in (0..28).step_by(7) {
            let byte = u8::take(self)?;
            count |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return if count.saturating_mul(width) <= self.left() { Ok(count) } else { Err(Damage("a count")) };
            }
        }
        Err(Damage("a count"))
    }
}

/// A value with an encoding as bytes.
pub trait Coded: Sized {
    fn put(&self, to: &mut Writer);
    fn take(from: &mut Reader) -> Result<Self, Damage>;
}

/// Types whose encoding is their memory representation.
macro_rules! plain {
    ($($type:ty),*) => {$(
        impl Coded for $type {
            #[inline(always)]
            fn put(&self, to: &mut Writer) {
                to.put_bytes(bytemuck::bytes_of(self));
            }
            fn take(from: &mut Reader) -> Result<Self, Damage> {
                take_plain(from)
            }
        }
    )*};
}

pub(super) use plain;

pub fn take_plain<T: Pod>(from: &mut Reader) -> Result<T, Damage> {
    Ok(bytemuck::pod_read_unaligned(from.take_bytes(size_of::<T>())?))
}

plain!(u8, u16, u32, u64, f32, f64, Vec3);

impl Coded for bool {
    #[inline(always)]
    fn put(&self, to: &mut Writer) {
        u8::from(*self).put(to);
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        match u8::take(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damage("a yes or no")),
        }
    }
}

impl<T: Coded + Copy + Default, const N: usize> Coded for [T; N] {
    fn put(&self, to: &mut Writer) {
        self.iter().for_each(|v| v.put(to));
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        let mut all = [T::default(); N];
        for v in &mut all {
            *v = T::take(from)?;
        }
        Ok(all)
    }
}

impl<T: Coded> Coded for Option<T> {
    fn put(&self, to: &mut Writer) {
        self.is_some().put(to);
        if let Some(v) = self {
            v.put(to);
        }
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        if bool::take(from)? { T::take(from).map(Some) } else { Ok(None) }
    }
}

/// Structs that are encoded field by field. A struct with a new field does not compile until the field is in the list.
macro_rules! fields {
    ($($type:ident { $($field:ident),* $(,)? })*) => {$(
        impl Coded for $type {
            fn put(&self, to: &mut Writer) {
                let Self { $($field),* } = self;
                $($field.put(to);)*
            }
            fn take(from: &mut Reader) -> Result<Self, Damage> {
                Ok(Self { $($field: Coded::take(from)?),* })
            }
        }
    )*};
}

pub(super) use fields;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_is_damaged() {
        let mut w = Writer::new(100);
        7u8.put(&mut w);
        Some([1u32, 2]).put(&mut w);
        w.put_count(300);
        w.put_bytes(&[0; 50]);
        let read = |bytes: &[u8]| {
            let mut r = Reader::new(bytes);
            let all = (u8::take(&mut r)?, <Option<[u32; 2]> as Coded>::take(&mut r)?, r.take_count(0)?);
            r.take_bytes(50).map(|_| all)
        };
        assert_eq!(read(w.bytes()), Ok((7, Some([1, 2]), 300)));
        for n in 0..w.bytes().len() {
            assert!(read(&w.bytes()[..n]).is_err(), "{n}");
        }
    }

    #[test]
    fn a_count_that_cannot_be_is_refused() {
        let mut w = Writer::new(10);
        w.put_count(1000);
        assert_eq!(Reader::new(w.bytes()).take_count(1), Err(Damage("a count")));
        assert_eq!(Reader::new(&[0xff; 9]).take_count(0), Err(Damage("a count")));
    }

    #[test]
    fn full_room_does_not_grow() {
        let mut w = Writer::new(5);
        4u32.put(&mut w);
        assert!(!w.is_full());
        4u32.put(&mut w);
        1u8.put(&mut w);
        assert!(w.is_full() && w.bytes().len() <= 5);
        w.clear();
        assert!(!w.is_full() && w.bytes().is_empty());
    }
}
