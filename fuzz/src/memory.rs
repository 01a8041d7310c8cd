//! Counts and limits allocated memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Limited;

/// Bytes allocated by all threads.
static HELD: AtomicUsize = AtomicUsize::new(0);
/// Maximum of allocated bytes.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

// SAFETY: every call goes to the system's allocator with its arguments unchanged, or returns null, as the trait allows; counting
// affects nothing but two integers.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed).saturating_add(layout.size());
        // Memory for the message of a panic is not limited.
        if held > LIMIT.load(Relaxed) && !std::thread::panicking() {
            HELD.fetch_sub(layout.size(), Relaxed);
            // Only once: the message about it needs memory, too.
            LIMIT.store(usize::MAX, Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Runs with at most `base` bytes plus ten per byte of the file, in addition to the memory allocated before. A larger allocation
/// aborts with "memory allocation of .. bytes failed" at its call.
pub fn limited(file: &[u8], base: usize, run: impl FnOnce()) {
    LIMIT.store(HELD.load(Relaxed) + base + 10 * file.len(), Relaxed);
    run();
    LIMIT.store(usize::MAX, Relaxed);
}
