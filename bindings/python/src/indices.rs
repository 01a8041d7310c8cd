//! Indices and flags as numbers.
#![allow(unsafe_code)]

use footwork::database::RowFlags;
use footwork::frames::{ClipIndex, FrameIndex};
use footwork::skeleton::Skeleton;
use std::slice;

/// Types that are one `u32`.
///
/// # Safety
/// The type must be `repr(transparent)` over `u32`.
pub unsafe trait Index {}
// SAFETY: indices are `repr(transparent)`.
unsafe impl Index for ClipIndex {}
// SAFETY: as above.
unsafe impl Index for FrameIndex {}

/// Returns indices as numbers.
pub fn numbers<T: Index>(indices: &[T]) -> &[u32] {
    // SAFETY: `Index` promises the layout of `u32`.
    unsafe { slice::from_raw_parts(indices.as_ptr().cast(), indices.len()) }
}

/// Returns the parent of each joint; -1 without one.
pub fn parents(skeleton: &Skeleton) -> Vec<i64> {
    skeleton.parents().iter().map(|parent| parent.map_or(-1, |joint| i64::from(joint.0))).collect()
}

/// Returns flags as numbers.
pub fn bytes(flags: &[RowFlags]) -> &[u8] {
    // SAFETY: `RowFlags` is `repr(transparent)` over `u8`.
    unsafe { slice::from_raw_parts(flags.as_ptr().cast(), flags.len()) }
}
