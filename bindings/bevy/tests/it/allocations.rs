//! Characters do not allocate after their first frames.

use crate::common::*;
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use footwork::recorder::RecorderConfig;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Returns the sorted allocations of 60 frames, with a number of characters that each have a model and a recorder.
fn frames(characters: usize, budget: Option<usize>) -> Vec<usize> {
    let mut app = at_60_hz();
    app.insert_resource(MotionBudget { searches_per_frame: budget, ..MotionBudget::default() });
    let handle = add_clips(&mut app, clips());
    for _ in 0..characters {
        let path = MotionPath::new([bevy_math::Vec3::ZERO, bevy_math::Vec3::Z * 90.0], false).unwrap();
        let e = app.world_mut().spawn((MotionCharacter::new(handle.clone()), MotionInput::path(path, 1.5))).id();
        let look = Look { length: |n| if n.ends_with("Leg") { 1.2 } else { 1.0 }, ..Look::default() };
        spawn_model(&mut app, e, &clips().skeleton, &look);
        let memory = RecorderConfig { max_bytes: 1 << 20, key_every_s: 0.5, ..RecorderConfig::default() };
        app.world_mut().entity_mut(e).insert(MotionRecorder::new(memory));
    }
    let e = app.world_mut().query_filtered::<Entity, With<MotionCharacter>>().iter(app.world()).next().unwrap();
    until_ready(&mut app, e);
    for _ in 0..120 {
        app.update();
    }
    let mut counts: Vec<usize> = (0..60)
        .map(|_| {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            app.update();
            ALLOCATIONS.load(Ordering::Relaxed) - before
        })
        .collect();
    counts.sort_unstable();
    counts
}

#[test]
fn a_frame_allocates_no_more_for_forty_characters_than_for_two() {
    alone("allocations::a_frame_allocates_no_more_for_forty_characters_than_for_two", compare);
}

fn compare() {
    for budget in [None, Some(5)] {
        let (few, many) = (frames(2, budget), frames(40, budget));
        // The engine and the events of some frames allocate, so only the quietest frames are compared.
        println!("{budget:?}: least and median {:?}, {:?}", (few[0], few[30]), (many[0], many[30]));
        assert!(many[0] <= few[0] + 2, "{budget:?}: {} and {} allocations", few[0], many[0]);
    }
}
