//! Tables of numbers: typed, strided, normalised or sparse; validated before any allocation.

use super::document::Document;
use crate::scene::SceneProblem;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::validation::Checked;
use std::borrow::Cow;
use std::collections::btree_map::{BTreeMap, Entry};
use std::rc::Rc;

/// Maximum ratio of decoded bytes to bytes of the file. Small integers expand to floats, and each table is decoded once.
const MOST_TIMES_LARGER: usize = 8;
const ALWAYS_ALLOWED: usize = 1 << 20;

/// Tables of a file, each decoded once.
pub(super) struct Tables<'a> {
    document: &'a Document<'a>,
    buffers: BTreeMap<usize, Cow<'a, [u8]>>,
    decoded: BTreeMap<usize, Rc<Vec<f32>>>,
    decoded_bytes: usize,
}

impl<'a> Tables<'a> {
    pub fn new(document: &'a Document<'a>) -> Self {
        Self { document, buffers: BTreeMap::new(), decoded: BTreeMap::new(), decoded_bytes: 0 }
    }

    /// Returns the number of bytes of the file and of the separate buffers read so far.
    pub fn bytes(&self) -> usize {
        let others = self.buffers.values().filter(|b| matches!(b, Cow::Owned(_))).map(|b| b.len());
        self.document.bytes + others.sum::<usize>()
    }

    /// Returns the `[count x width]` numbers of an accessor, which must have `width` components.
    pub fn floats(&mut self, index: usize, width: usize) -> Result<Rc<Vec<f32>>, SceneProblem> {
        if let Some(known) = self.decoded.get(&index) {
            let known = known.clone();
            return if self.width(index)? == width { Ok(known) } else { Err(self.wrong_width(index, width)) };
        }
        let table = Rc::new(self.decode(index, width).map_err(|what| match what {
            Fault::Here(what) => SceneProblem::Accessor { index, what },
            Fault::Problem(p) => p,
        })?);
        self.decoded.insert(index, table.clone());
        Ok(table)
    }

    fn wrong_width(&self, index: usize, width: usize) -> SceneProblem {
        SceneProblem::Accessor { index, what: format!("expected {width} components each") }
    }

    fn width(&self, index: usize) -> Result<usize, SceneProblem> {
        let gone = || SceneProblem::Accessor { index, what: "there is none of that number".into() };
        let accessor = self.document.root.accessors.get(index).ok_or_else(gone)?;
        match accessor.type_ {
            Checked::Valid(Type::Scalar) => Ok(1),
            Checked::Valid(Type::Vec3) => Ok(3),
            Checked::Valid(Type::Vec4) => Ok(4),
            Checked::Valid(Type::Mat4) => Ok(16),
            _ => Err(SceneProblem::Accessor { index, what: "its type is not one that motion has".into() }),
        }
    }

    fn decode(&mut self, index: usize, width: usize) -> Result<Vec<f32>, Fault> {
        if self.width(index)? != width {
            return Err(self.wrong_width(index, width).into());
        }
        let document = self.document;
        let accessor = &document.root.accessors[index];
        let Checked::Valid(component) = accessor.component_type else {
            return Err("its component type is unknown".into());
        };
        let kind = Kind { component: component.0, normalized: accessor.normalized };
        let count = whole(accessor.count.0)?;
        let numbers = count.checked_mul(width).ok_or("its count is beyond any memory")?;
        self.allow(numbers)?;
        let mut out = match accessor.buffer_view {
            Some(view) => {
                let at = Place { view: view.value(), offset: accessor.byte_offset.map_or(0, |o| o.0), count, width };
                self.numbers(&at, kind)?
            }
            None => vec![0.0; numbers],
        };
        if let Some(sparse) = &accessor.sparse {
            let count = whole(sparse.count.0)?;
            let Checked::Valid(component) = sparse.indices.component_type else {
                return Err("the type of its sparse indices is unknown".into());
            };
            let (indices, values) = (&sparse.indices, &sparse.values);
            let at = Place { view: indices.buffer_view.value(), offset: indices.byte_offset.0, count, width: 1 };
            let places = self.integers(&at, component.0)?;
            let at = Place { view: values.buffer_view.value(), offset: values.byte_offset.0, count, width };
            let values = self.numbers(&at, kind)?;
            for (place, value) in places.iter().zip(values.chunks_exact(width)) {
                let start = (*place as usize).checked_mul(width).filter(|s| *s < out.len());
                let start = start.ok_or_else(|| format!("a sparse index of {place}, where {count} values are"))?;
                out[start..start + width].copy_from_slice(value);
            }
        }
        Ok(out)
    }

    /// Counts numbers before they are allocated; returns an error if they exceed the limit.
    fn allow(&mut self, numbers: usize) -> Result<(), Fault> {
        self.decoded_bytes = self.decoded_bytes.saturating_add(numbers.saturating_mul(4));
        if self.decoded_bytes > ALWAYS_ALLOWED && self.decoded_bytes / MOST_TIMES_LARGER > self.bytes() {
            return Err(format!("it claims {numbers} numbers, far more than the file holds").into());
        }
        Ok(())
    }

    fn numbers(&mut self, at: &Place, kind: Kind) -> Result<Vec<f32>, Fault> {
        let size = kind.size();
        let rows = self.rows(at, size)?;
        Ok(rows.flat_map(|row| row.chunks_exact(size).map(move |b| kind.number(b))).collect())
    }

    fn integers(&mut self, at: &Place, component: ComponentType) -> Result<Vec<u32>, Fault> {
        let kind = Kind { component, normalized: false };
        let size = kind.size();
        let rows = self.rows(at, size)?;
        Ok(rows.map(|b| b.iter().rev().fold(0, |sum, b| sum << 8 | u32::from(*b))).collect())
    }

    /// Returns `[count]` rows of `width` components of `size` bytes.
    fn rows(&mut self, at: &Place, size: usize) -> Result<impl Iterator<Item = &[u8]>, Fault> {
        let document = self.document;
        let view = document.root.buffer_views.get(at.view).ok_or("it lies in a buffer view that is not there")?;
        let (start, length) = (whole(view.byte_offset.map_or(0, |o| o.0))?, whole(view.byte_length.0)?);
        let row = size * at.width;
        let stride = view.byte_stride.map_or(row, |s| s.0).max(1);
        let offset = whole(at.offset)?;
        let needed = match at.count {
            0 => Some(offset),
            n => (n - 1).checked_mul(stride).and_then(|v| v.checked_add(row)).and_then(|v| v.checked_add(offset)),
        };
        if needed.is_none_or(|n| n > length) {
            return Err(format!("{} values do not fit into its buffer view of {length} bytes", at.count).into());
        }
        let buffer = view.buffer.value();
        let bytes: &Cow<'_, [u8]> = match self.buffers.entry(buffer) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(document.buffer(buffer)?),
        };
        let end = start.checked_add(length).filter(|e| *e <= bytes.len());
        let end = end.ok_or_else(|| format!("its buffer view ends beyond the buffer's {} bytes", bytes.len()))?;
        let view = &bytes[start..end];
        Ok((0..at.count).map(move |i| &view[offset + i * stride..][..row]))
    }
}

/// Location of numbers in the file.
struct Place {
    view: usize,
    offset: u64,
    count: usize,
    width: usize,
}

#[derive(Clone, Copy)]
struct Kind {
    component: ComponentType,
    normalized: bool,
}

impl Kind {
    fn size(self) -> usize {
        match self.component {
            ComponentType::I8 | ComponentType::U8 => 1,
            ComponentType::I16 | ComponentType::U16 => 2,
            ComponentType::U32 | ComponentType::F32 => 4,
        }
    }

    fn number(self, b: &[u8]) -> f32 {
        let scaled = |value: f32, most: f32| if self.normalized { (value / most).max(-1.0) } else { value };
        match (self.component, b) {
            (ComponentType::I8, [a]) => scaled(f32::from(*a as i8), 127.0),
            (ComponentType::U8, [a]) => scaled(f32::from(*a), 255.0),
            (ComponentType::I16, [a, b]) => scaled(f32::from(i16::from_le_bytes([*a, *b])), 32767.0),
            (ComponentType::U16, [a, b]) => scaled(f32::from(u16::from_le_bytes([*a, *b])), 65535.0),
            (ComponentType::U32, [a, b, c, d]) => u32::from_le_bytes([*a, *b, *c, *d]) as f32,
            (ComponentType::F32, [a, b, c, d]) => f32::from_le_bytes([*a, *b, *c, *d]),
            _ => f32::NAN,
        }
    }
}

/// A fault of this accessor, or of the file around it.
enum Fault {
    Here(String),
    Problem(SceneProblem),
}

impl From<SceneProblem> for Fault {
    fn from(problem: SceneProblem) -> Self {
        Self::Problem(problem)
    }
}

impl From<String> for Fault {
    fn from(what: String) -> Self {
        Self::Here(what)
    }
}

impl From<&str> for Fault {
    fn from(what: &str) -> Self {
        Self::Here(what.to_owned())
    }
}

fn whole(value: u64) -> Result<usize, Fault> {
    usize::try_from(value).map_err(|_| "a number of bytes is beyond this machine".into())
}
