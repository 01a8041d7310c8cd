//! How much is held, and a limit to it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Limited;

/// Bytes held by all threads.
static HELD: AtomicUsize = AtomicUsize::new(0);
/// More are refused.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

// SAFETY: every call goes to the system's allocator with its arguments unchanged, or is refused with null, as the trait
// allows; counting touches nothing but two integers.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed).saturating_add(layout.size());
        // What a panic needs for its message is not what this is about.
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

/// Runs with at most `base` bytes, and ten for every byte of the file, beyond what is held already. Who wants more aborts
/// with "memory allocation of .. bytes failed", where it is asked for.
pub fn limited(file: &[u8], base: usize, run: impl FnOnce()) {
    LIMIT.store(HELD.load(Relaxed) + base + 10 * file.len(), Relaxed);
    run();
    LIMIT.store(usize::MAX, Relaxed);
}
