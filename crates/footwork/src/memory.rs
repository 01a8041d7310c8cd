//! Requests to the system about memory, which change speed and size alone. On systems other than Linux they do nothing.

#![allow(unsafe_code)]

/// Returns an empty array with room for `capacity` values, in [`large_pages`].
pub fn large_array<T>(capacity: usize) -> Vec<T> {
    let mut array = Vec::with_capacity(capacity);
    large_pages(&mut array);
    array
}

/// Requests pages of 2 MB instead of 4 KB for an array that has its capacity, and nothing written to it yet. Searches and the playback
/// of many characters read large arrays in any order; with fewer pages, the processor finds their addresses sooner.
pub fn large_pages<T>(array: &mut Vec<T>) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        /// Size of an array from which it gets large pages, in bytes.
        const LARGE: usize = 4 << 20;
        /// Size of a large page, in bytes.
        const PAGE: usize = 2 << 20;
        let bytes = array.capacity() * size_of::<T>();
        let start = array.as_mut_ptr().addr();
        let (first, end) = (start.next_multiple_of(PAGE), (start + bytes) / PAGE * PAGE);
        if bytes >= LARGE && first < end {
            let page = array.as_mut_ptr().cast::<libc::c_void>().wrapping_byte_add(first - start);
            // SAFETY: the pages lie within the memory of `array`, and the advice does not change their content.
            unsafe { libc::madvise(page, end - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = array;
}

/// Returns freed memory to the system, which the allocator of glibc otherwise keeps.
#[cfg(feature = "build")]
pub fn return_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: the function has no conditions, and does not touch memory in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_any_size_keep_their_values() {
        for n in [0, 1, 5_000_000] {
            let mut array = large_array(n);
            array.extend((0..n).map(|i| i as u32));
            large_pages(&mut array);
            #[cfg(feature = "build")]
            return_freed();
            assert!(array.iter().copied().eq(0..n as u32), "{n}");
        }
        large_pages(&mut Vec::<()>::new());
    }
}
