//! numpy arrays over memory that Rust owns, and slices of arrays that Python owns.
#![allow(unsafe_code)]

use crate::error::error;
use numpy::ndarray::{ArrayView, IntoDimension, IxDyn};
use numpy::{
    Element, PyArray, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::prelude::*;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Returns a read-only array over values that `owner` holds.
///
/// # Safety
/// While `owner` lives, the values must stay where they are, and no reference in Rust may promise that they do not change if
/// they do. There must be as many as `shape` says.
unsafe fn view<'py, T: Element>(
    owner: Bound<'py, PyAny>,
    values: *const T,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller vouches for the values; `borrow_from_array` keeps `owner` alive as long as the array.
    let array = unsafe {
        let values = ArrayView::from_shape_ptr(IxDyn(shape), values);
        PyArrayDyn::borrow_from_array(&values, owner)
    };
    array.call_method1("setflags", (false,))?;
    Ok(array.into_any())
}

/// Returns an array that owns its values.
///
/// # Errors
/// Returns an error if the shape does not fit the number of values.
pub fn owned<T: Element, D: IntoDimension>(
    py: Python,
    values: Vec<T>,
    shape: D,
) -> PyResult<Bound<PyArray<T, D::Dim>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}

/// Returns a read-only array over values of an object that never change. The object lives as long as the array.
///
/// # Errors
/// Returns an error if the shape does not fit the number of values.
pub fn frozen<'py, C, T>(owner: &Bound<'py, C>, values: &[T], shape: &[usize]) -> PyResult<Bound<'py, PyAny>>
where
    C: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True>,
    T: Element,
{
    if values.len() != shape.iter().product::<usize>() {
        return Err(error(format_args!("{} values do not have the shape {shape:?}", values.len())));
    }
    // SAFETY: callers pass values of the frozen class `C`, which are immutable and are dropped with it.
    unsafe { view(owner.clone().into_any(), values.as_ptr(), shape) }
}

/// Memory of arrays that Rust writes while Python holds views of them.
struct Memory {
    words: NonNull<u64>,
    count: usize,
}

// SAFETY: the memory is plain numbers that are accessed by raw pointers alone. Only `Region::write` writes to it.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `words` comes from a boxed slice of this length, and is freed once.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(self.words.as_ptr(), self.count)) });
    }
}

/// Keeps the memory alive for the arrays over it.
#[pyclass(frozen, module = "footwork._native")]
struct Block(#[allow(dead_code)] Arc<Memory>);

/// Numbers of one kind in a block.
pub struct Region<T> {
    memory: Arc<Memory>,
    /// First word.
    start: usize,
    len: usize,
    shape: Vec<usize>,
    kind: PhantomData<T>,
}

/// The shapes of the regions of a block, as they are added.
#[derive(Default)]
pub struct Layout {
    words: usize,
}

/// A region before its block exists.
pub struct Place<T> {
    start: usize,
    shape: Vec<usize>,
    kind: PhantomData<T>,
}

impl Layout {
    /// Adds a region.
    pub fn add<T: Copy>(&mut self, shape: &[usize]) -> Place<T> {
        let (start, bytes) = (self.words, shape.iter().product::<usize>() * size_of::<T>());
        // Regions begin at cache lines: threads that write to several do not disturb each other more than needed.
        self.words += bytes.div_ceil(64) * 8;
        Place { start, shape: shape.to_vec(), kind: PhantomData }
    }
}

/// One allocation with all regions of a layout, filled with zeros.
pub struct Regions(Arc<Memory>);

impl Regions {
    /// Allocates the block.
    pub fn new(layout: &Layout) -> Self {
        let words = Box::leak(vec![0u64; layout.words].into_boxed_slice());
        Self(Arc::new(Memory { words: NonNull::from(&mut *words).cast(), count: words.len() }))
    }

    /// Returns a region of the block.
    pub fn region<T: Copy>(&self, place: Place<T>) -> Region<T> {
        let len = place.shape.iter().product::<usize>();
        assert!(place.start * 8 + len * size_of::<T>() <= self.0.count * 8, "the region is in the block");
        Region { memory: Arc::clone(&self.0), start: place.start, len, shape: place.shape, kind: PhantomData }
    }
}

/// Numbers that are valid for any bits that `Region::write` leaves, and for zeros.
pub trait Plain: Element + Copy {}
impl Plain for f32 {}
impl Plain for f64 {}
impl Plain for i32 {}
impl Plain for u32 {}
impl Plain for bool {}

impl<T: Plain> Region<T> {
    fn pointer(&self) -> *mut T {
        // SAFETY: `Regions::region` checked that the region lies in the block.
        unsafe { self.memory.words.as_ptr().add(self.start).cast() }
    }

    /// Writes the values of element `i` of the first axis. Different elements may be written by different threads at the same time.
    pub fn write(&self, i: usize, values: &[T]) {
        let start = i * values.len();
        assert!(start + values.len() <= self.len, "the values are in the region");
        // SAFETY: the values fit, as just checked. Python reads the memory through raw pointers as well.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), self.pointer().add(start), values.len()) };
    }

    /// Returns a read-only array over the region; it shows what is written later. `single` leaves out the first axis.
    pub fn array(&self, py: Python, single: bool) -> PyResult<Py<PyAny>> {
        let owner = Bound::new(py, Block(Arc::clone(&self.memory)))?.into_any();
        let shape = if single { &self.shape[1..] } else { &self.shape };
        // SAFETY: the block keeps the memory alive and in place, and no reference to it exists in Rust.
        Ok(unsafe { view(owner, self.pointer().cast_const(), shape) }?.unbind())
    }
}

/// Returns a copy of the values of an array.
///
/// # Errors
/// Returns an error that names the argument, and what was expected and found, unless the array has this type and one of these
/// shapes.
pub fn values<T: Element + Copy>(name: &str, given: &Bound<PyAny>, shapes: &[&[usize]]) -> PyResult<(Vec<T>, usize)> {
    let py = given.py();
    let wanted = || {
        let shapes: Vec<String> = shapes.iter().map(|shape| tuple(shape)).collect();
        format!("expected a numpy array of {} with shape {}", dtype::<T>(py), shapes.join(" or "))
    };
    let Ok(array) = given.cast::<PyUntypedArray>() else {
        let found = given.get_type().name().map_or_else(|_| "another type".to_owned(), |name| name.to_string());
        return Err(error(format_args!("`{name}`: {}, found {found}", wanted())));
    };
    let found = array.shape().to_vec();
    let same = array.dtype().is_equiv_to(&dtype::<T>(py));
    let fits = shapes.iter().position(|shape| **shape == found[..]);
    let (true, Some(shape)) = (same, fits) else {
        return Err(error(format_args!(
            "`{name}`: {}, found {} with shape {}",
            wanted(),
            array.dtype(),
            tuple(&found)
        )));
    };
    let array: PyReadonlyArrayDyn<T> = given.extract().map_err(|e| error(format_args!("`{name}`: {e}")))?;
    Ok((array.as_array().iter().copied().collect(), shape))
}

/// Returns a shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        more => format!("({})", more.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}
