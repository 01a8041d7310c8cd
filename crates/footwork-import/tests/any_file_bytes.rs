//! For any bytes, the readers of glTF and FBX return valid clips or an error. They do not panic or hang, and their memory is
//! bounded by the size of the file.

// The allocator trait requires unsafe code.
#![allow(unsafe_code)]

#[path = "it/formats/fixtures.rs"]
mod fixtures;

use fixtures::{fbx_walker, person, walker};
use footwork::clip::RawClip;
use footwork_import::glb::{self, GlbOptions};
use footwork_import::{SceneError, Units, fbx, gltf};
use proptest::prelude::*;
use serde_json::json;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Measuring;

thread_local! {
    // Const: created without allocating, so that the allocator may access it.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn held(by: isize) {
    HELD.set(HELD.get() + by);
    MOST.set(MOST.get().max(HELD.get()));
}

// SAFETY: every call is passed to the system's allocator with its arguments unchanged; measuring only changes two thread-local
// integers, which need no allocation and no destructor.
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        held(layout.size() as isize);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        held(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Measuring = Measuring;

/// Memory allowed for any file, in bytes; ten times the file's size is added.
const ALWAYS_ALLOWED: isize = 40 << 20;

/// Reads a file and checks the memory used. The C library has its own limits, in proportion to the file. Returns true for valid
/// clips.
fn check(bytes: &[u8], read: impl Fn(&[u8]) -> Result<Vec<RawClip>, SceneError>) -> bool {
    let before = HELD.get();
    MOST.set(before);
    let result = read(bytes);
    let most = MOST.get() - before;
    assert!(most < ALWAYS_ALLOWED + 10 * bytes.len() as isize, "{most} bytes for a file of {}", bytes.len());
    match result {
        Ok(clips) => {
            assert!(!clips.is_empty());
            clips.iter().for_each(|c| c.validate().unwrap());
            true
        }
        Err(e) => {
            assert!(e.to_string().starts_with("t: "), "{e}");
            false
        }
    }
}

fn check_gltf(bytes: &[u8]) -> bool {
    check(bytes, |b| gltf::parse(b, "t", "t", None, Units::Auto))
}

fn check_fbx(bytes: &[u8]) -> bool {
    check(bytes, |b| fbx::parse(b, "t", "t", Units::Auto))
}

/// Returns a small file of the library's own writer.
fn small_glb() -> Vec<u8> {
    let clip = gltf::parse(&walker().text(), "t", "t", None, Units::Auto).unwrap().remove(0);
    let mut out = Vec::new();
    let options = GlbOptions { corners: 3, ..GlbOptions::default() };
    glb::write_clip(&clip, &options, &mut out).unwrap();
    out
}

/// Checks truncated and damaged versions of a file, at one byte in `every`.
fn sweep(bytes: &[u8], check: fn(&[u8]) -> bool, every: usize) {
    assert!(check(bytes));
    for end in (0..bytes.len()).step_by(every) {
        check(&bytes[..end]);
    }
    for at in (0..bytes.len()).step_by(every) {
        for flip in [0x01, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= flip;
            check(&damaged);
        }
    }
}

#[test]
fn binary_gltf_cut_and_damaged_anywhere_is_survived() {
    let bytes = small_glb();
    sweep(&bytes, check_gltf, 3);
    // A file that is truncated within its last chunk is an error.
    assert!(!check_gltf(&bytes[..bytes.len() - 1]));
}

#[test]
fn gltf_text_cut_and_damaged_anywhere_is_survived() {
    let bytes = walker().text();
    sweep(&bytes, check_gltf, 1);
    assert!((0..bytes.len()).all(|end| !check_gltf(&bytes[..end])));
}

#[test]
fn fbx_text_cut_and_damaged_anywhere_is_survived() {
    sweep(&fbx_walker().ascii(), check_fbx, 3);
}

#[test]
fn fbx_bytes_cut_and_damaged_anywhere_is_survived() {
    sweep(&fbx_walker().binary(), check_fbx, 2);
}

#[test]
fn numbers_that_claim_the_moon_are_survived() {
    for key in ["count", "byteOffset", "bufferView", "componentType"] {
        for value in [0u64, 1, 5121, u64::from(u32::MAX), 1 << 53, u64::MAX] {
            for accessor in 0..2 {
                let mut file = walker();
                file.root["accessors"][accessor][key] = json!(value);
                check_gltf(&file.text());
                file.root["accessors"][accessor]["sparse"] = json!({
                    "count": value, "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 1},
                });
                check_gltf(&file.text());
                // A sparse accessor without a buffer view has only a count and a few values; all others would be zeros.
                file.root["accessors"][accessor].as_object_mut().unwrap().remove("bufferView");
                check_gltf(&file.text());
            }
        }
    }
    for key in ["byteLength", "byteOffset", "byteStride", "buffer"] {
        for value in [0u64, 1, u64::from(u32::MAX), u64::MAX] {
            let mut file = walker();
            file.root["bufferViews"][1][key] = json!(value);
            check_gltf(&file.text());
        }
    }
}

#[test]
fn times_far_apart_are_survived() {
    let ways: &[f32] = &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0];
    for end in [1e3, 1e4, 8e4, 1e6, 1e30, f32::MAX, f32::INFINITY, -1.0] {
        let mut file = person();
        file.animation("a", &[(1, "translation", "LINEAR", &[0.0, end], ways)]);
        check_gltf(&file.text());
        file.animation("b", &[(1, "translation", "LINEAR", &[end.min(-end), 0.0, 1e-3], &[0.5; 9])]);
        check_gltf(&file.text());
    }
}

#[test]
fn very_many_empty_objects_are_no_bomb() {
    let mut file = walker();
    let nodes = file.root["nodes"].as_array_mut().unwrap();
    nodes.extend(std::iter::repeat_n(json!({}), 200_000));
    check_gltf(&file.text());
    // A chain of nodes as deep as the file allows.
    let mut file = walker();
    let nodes = file.root["nodes"].as_array_mut().unwrap();
    for n in 4..20_000 {
        nodes.push(json!({"children": [n + 1]}));
    }
    nodes.push(json!({}));
    file.root["skins"][0]["joints"] = json!([1, 2, 3, 20_000]);
    check_gltf(&file.text());
    file.root["nodes"][3]["children"] = json!([4]);
    assert!(!check_gltf(&file.text()));
    // Very many takes with very many nodes.
    let mut file = walker();
    let take = file.root["animations"][0].clone();
    file.root["animations"] = json!(vec![take; 3000]);
    check_gltf(&file.text());
}

proptest! {
    #[test]
    fn random_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check_gltf(&bytes);
        check_gltf(&[b"glTF\x02\0\0\0", &bytes[..]].concat());
        check_fbx(&bytes);
        check_fbx(&[b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", &bytes[..]].concat());
    }

    #[test]
    fn random_splices_are_survived(a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for (bytes, check) in [
            (walker().text(), check_gltf as fn(&[u8]) -> bool),
            (fbx_walker().ascii(), check_fbx),
            (fbx_walker().binary(), check_fbx),
        ] {
            let (a, b) = (a.index(bytes.len()), b.index(bytes.len()));
            check(&[&bytes[..a], &[byte; 3], &bytes[b..]].concat());
        }
    }
}
