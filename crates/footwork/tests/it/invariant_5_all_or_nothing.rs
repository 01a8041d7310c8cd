//! Invariant 5: a build returns a database or an error that names the cause; a file is written completely or not at all; a
//! damaged file is an error that describes the fault, never a panic and never different content.

use crate::common;

use common::tiny;
use footwork::build::{BuildConfig, BuildOptions, ClipRule, CurveSpec, SchemaConfig, build};
use footwork::clip::ContactTrack;
use footwork::database::{Database, DatabaseContent, DatabaseEvent, FileError, FileFault, MirrorMode, TagSpan};
use footwork::frames::EventId;
use footwork::frames::{ClipIndex, FrameIndex};
use footwork::pose::{Pose, PoseVelocity};
use footwork::rig::Rig;
use footwork::roles::{Assigned, FoundBy, JointRoles};
use footwork::schema::{ChannelSpec, ChannelType, Residual};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Returns a small database with content in every tensor.
fn content() -> DatabaseContent {
    let channels = tiny::channels(2, Residual::Squared);
    let mut c =
        tiny::content(&[(20, false), (33, true)], &channels, MirrorMode::Query, |r, c| (r * 7 + c) as f32 * 0.25);
    c.tag_spans.push(TagSpan { tag: 1, start: FrameIndex(3), end: FrameIndex(30) });
    c.row_costs = (0..53).map(|i| i as f32 * 0.5).collect();
    c.event_names = vec!["step".into()];
    c.events = vec![DatabaseEvent { name: EventId(0), clip: ClipIndex(1), time_s: 0.5 }];
    c.curve_names = vec!["height".into()];
    c.curves = (0..53).map(|i| i as f32).collect();
    let foot = c.skeleton.find("LeftFoot").unwrap();
    let assigned = Assigned { joint: foot, found_by: FoundBy::Given, confidence: 1.0 };
    let roles = JointRoles::from_assigned([("left_foot".to_owned(), assigned)]);
    c.rig = Rig::find(&c.skeleton, roles, &[foot]);
    c.contacts = (0..53).map(|i| u8::from(i % 3 == 0)).collect();
    c
}

fn bytes() -> Vec<u8> {
    Database::new(content()).unwrap().to_bytes().unwrap()
}

fn load(bytes: &[u8]) -> Result<Database, FileError> {
    Database::from_bytes(bytes, Path::new("test.fwdb"))
}

/// A file, parsed with the safetensors crate only, to be changed and reassembled.
struct Parts {
    json: Value,
    tensors: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Self {
        let (_, header) = SafeTensors::read_metadata(bytes).unwrap();
        let metadata = header.metadata().clone().unwrap();
        assert_eq!(metadata.keys().collect::<Vec<_>>(), ["footwork"], "exactly one key");
        let file = SafeTensors::deserialize(bytes).unwrap();
        let tensors = file.tensors().into_iter();
        Self {
            json: serde_json::from_str(&metadata["footwork"]).unwrap(),
            tensors: tensors.map(|(n, t)| (n, (t.dtype(), t.shape().to_vec(), t.data().to_vec()))).collect(),
        }
    }

    /// Computes the hash as documented: metadata with an empty hash, then name, shape and bytes of the tensors in order of name.
    fn with_hash(mut self) -> Self {
        self.json["content_hash"] = json!("");
        let mut hash = Xxh3::new();
        hash.update(self.json.to_string().as_bytes());
        for (name, (_, shape, data)) in &self.tensors {
            hash.update(name.as_bytes());
            shape.iter().for_each(|n| hash.update(&(*n as u64).to_le_bytes()));
            hash.update(data);
        }
        self.json["content_hash"] = json!(format!("{:032x}", hash.digest128()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let view = |(n, (d, s, b)): (&String, &(Dtype, Vec<usize>, Vec<u8>))| {
            (n.clone(), TensorView::new(*d, s.clone(), b).unwrap().data().to_vec())
        };
        let owned: Vec<(String, Vec<u8>)> = self.tensors.iter().map(view).collect();
        let views = owned.iter().map(|(n, b)| {
            let (dtype, shape, _) = &self.tensors[n];
            (n.clone(), TensorView::new(*dtype, shape.clone(), b).unwrap())
        });
        safetensors::serialize(views, Some(HashMap::from([("footwork".to_owned(), self.json.to_string())]))).unwrap()
    }

    fn floats(&mut self, name: &str) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.tensors.get_mut(name).unwrap().2)
    }
}

/// Returns the error of loading a file in which one thing was changed and the hash recomputed.
fn changed(change: impl FnOnce(&mut Parts)) -> FileError {
    let mut parts = Parts::of(&bytes());
    change(&mut parts);
    load(&parts.with_hash().bytes()).expect_err("changed content was accepted")
}

#[test]
fn any_safetensors_reader_sees_the_tensors_under_their_documented_names() {
    let parts = Parts::of(&bytes());
    let shapes: Vec<(&str, Dtype, &[usize])> =
        parts.tensors.iter().map(|(n, (d, s, _))| (n.as_str(), *d, s.as_slice())).collect();
    let expected: Vec<(&str, Dtype, &[usize])> = vec![
        ("contacts", Dtype::U8, &[53, 1]),
        ("curves", Dtype::F32, &[53, 1]),
        ("event_name_and_clip", Dtype::U32, &[1, 2]),
        ("event_time_s", Dtype::F32, &[1]),
        ("feature_offset", Dtype::F32, &[12]),
        ("feature_scale", Dtype::F32, &[12]),
        ("features", Dtype::F32, &[53, 12]),
        ("joint_rotations", Dtype::F32, &[53, 4, 4]),
        ("joint_translated", Dtype::U32, &[1]),
        ("joint_translations", Dtype::F32, &[53, 1, 3]),
        ("leg_hinges", Dtype::F32, &[1, 3]),
        ("leg_joints", Dtype::U32, &[1, 4]),
        ("rest_rotations", Dtype::F32, &[4, 4]),
        ("rest_translations", Dtype::F32, &[4, 3]),
        ("row_costs", Dtype::F32, &[53]),
        ("row_flags", Dtype::U8, &[53]),
        ("row_frames", Dtype::U32, &[53]),
        ("soles", Dtype::F32, &[1, 7]),
        ("standing_rotations", Dtype::F32, &[4, 4]),
        ("standing_translations", Dtype::F32, &[4, 3]),
        ("tag_spans", Dtype::U32, &[1, 3]),
    ];
    assert_eq!(shapes, expected);
    assert_eq!(parts.json["format_version"], 3);
    assert_eq!(parts.json["joint_names"][1], "Hips");
    let keys: Vec<&String> = parts.json.as_object().unwrap().keys().collect();
    assert!(keys.is_sorted(), "{keys:?}");
}

#[test]
fn what_was_saved_is_what_is_loaded_and_two_saves_give_equal_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a.fwdb"), dir.path().join("b.fwdb"));
    for db in [Database::new(content()).unwrap(), common::built(common::clips(), &BuildConfig::default()).0] {
        db.save(&a).unwrap();
        let loaded = Database::load(&a).unwrap();
        assert_eq!(loaded.content_hash(), db.content_hash());
        loaded.save(&b).unwrap();
        assert!(std::fs::read(&a).unwrap() == std::fs::read(&b).unwrap());
        assert_eq!(loaded.features, db.features);
        assert_eq!(loaded.poses, db.poses);
        assert_eq!(loaded.clips, db.clips);
        assert_eq!(loaded.events, db.events);
        assert_eq!(loaded.row_costs, db.row_costs);
        assert_eq!((&loaded.rig, &loaded.row_clips), (&db.rig, &db.row_clips));
        assert!((0..db.rows()).all(|row| loaded.row_tags(row) == db.row_tags(row)));
        // Parsed and written by another program, it is still equal.
        let parts = Parts::of(&std::fs::read(&a).unwrap()).with_hash();
        assert_eq!(load(&parts.bytes()).unwrap().content_hash(), db.content_hash());
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "no other file is left behind");
}

#[test]
fn a_truncated_file_is_an_error_wherever_it_ends() {
    let whole = bytes();
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for end in (0..header).chain((header..whole.len()).step_by(64)).chain([whole.len() - 1]) {
        let e = load(&whole[..end]).expect_err("a truncated file was accepted");
        assert!(matches!(e.fault, FileFault::Container(_)), "{end}: {e}");
        assert!(e.to_string().contains("truncated") && e.to_string().contains("test.fwdb"), "{e}");
    }
    let mut longer = whole;
    longer.push(0);
    assert!(load(&longer).is_err(), "one byte more");
}

#[test]
fn a_flipped_bit_is_an_error_wherever_it_is() {
    let whole = bytes();
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let every_bit_of_the_header = (0..header).flat_map(|i| (0..8).map(move |bit| (i, bit)));
    let one_bit_here_and_there = (header..whole.len()).step_by(97).map(|i| (i, i % 8));
    for (i, bit) in every_bit_of_the_header.chain(one_bit_here_and_there) {
        let mut damaged = whole.clone();
        damaged[i] ^= 1 << bit;
        assert!(load(&damaged).is_err(), "bit {bit} of byte {i} was flipped, and nobody noticed");
    }
}

#[test]
fn a_header_that_claims_the_moon_gets_an_error_and_no_memory() {
    let mut huge = bytes();
    huge[..8].copy_from_slice(&(u64::MAX / 2).to_le_bytes());
    assert!(matches!(load(&huge).unwrap_err().fault, FileFault::Container(_)));
    let header = br#"{"features":{"dtype":"F32","shape":[4000000000,1000000],"data_offsets":[0,16]}}"#;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header);
    file.extend_from_slice(&[0; 16]);
    assert!(matches!(load(&file).unwrap_err().fault, FileFault::Container(_)));
    for junk in [&b""[..], b"\0", b"HIERARCHY\nROOT Hips", &[0xff; 100]] {
        assert!(matches!(load(junk).unwrap_err().fault, FileFault::Container(_)));
    }
}

#[test]
fn a_newer_version_and_an_unknown_encoding_are_refused_by_name() {
    let e = changed(|p| p.json["format_version"] = json!(1));
    assert!(matches!(e.fault, FileFault::Older(1)) && e.to_string().contains("build it again"), "{e}");
    let e = changed(|p| p.json["format_version"] = json!(4));
    assert!(matches!(e.fault, FileFault::Newer(4)), "{e}");
    assert!(e.to_string().contains("found 4") && e.to_string().contains("update footwork"), "{e}");
    // The version number decides, whatever else a newer version contains.
    let e = changed(|p| {
        p.json["format_version"] = json!(7);
        p.json["neural"] = json!(true);
        p.tensors.remove("row_flags");
    });
    assert!(matches!(e.fault, FileFault::Newer(7)), "{e}");
    let e = changed(|p| p.json["pose_encoding"] = json!("wavelet"));
    assert!(matches!(e.fault, FileFault::Encoding(_)) && e.to_string().contains("`wavelet`"), "{e}");
}

/// Bits of encoded poses that were changed under a right hash are an error that names the tensor or the array, or other poses, all
/// finite.
#[test]
fn damaged_bits_of_poses_are_an_error_or_finite_poses() {
    let clips: Vec<_> = crate::codec::some_clips().into_iter().take(3).collect();
    let whole = crate::codec::encoded(&clips, 0.1).to_bytes().unwrap();
    assert_eq!(Parts::of(&whole).json["pose_encoding"], "segments");
    let mut random = common::Random(11);
    let (mut loaded, mut refused) = (0, 0);
    for k in 0..600 {
        let mut parts = Parts::of(&whole);
        let name = ["pose_bits", "pose_bits", "pose_bits", "pose_runs", "pose_segments"][k % 5];
        let (_, shape, data) = parts.tensors.get_mut(name).unwrap();
        match (k / 5) % 4 {
            0 => {
                let at = random.below(data.len());
                data[at] ^= 1 << random.below(8);
            }
            1 => {
                for _ in 0..20 {
                    let at = random.below(data.len());
                    data[at] = random.bits() as u8;
                }
            }
            2 => {
                let item = data.len() / shape[0];
                let left = random.below(shape[0]);
                data.truncate(left * item);
                shape[0] = left;
            }
            _ => {
                let at = random.below(data.len());
                let fill = if k % 2 == 0 { 0xff } else { 0 };
                data[at..].iter_mut().take(64).for_each(|b| *b = fill);
            }
        }
        match load(&parts.with_hash().bytes()) {
            Ok(db) => {
                loaded += 1;
                let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::default());
                velocity.linear.resize(pose.len(), glam::Vec3::ZERO);
                velocity.angular.resize(pose.len(), glam::Vec3::ZERO);
                for f in 0..db.frames() {
                    db.sample_pose(FrameIndex::new(f), 0.5, &mut pose, &mut velocity);
                    assert!(pose.rotations.iter().all(|q| q.is_finite()));
                    assert!(pose.translations.iter().all(|t| t.is_finite()));
                    assert!(velocity.linear.iter().chain(&velocity.angular).all(|v| v.is_finite()));
                }
            }
            Err(error) => {
                refused += 1;
                let text = error.to_string();
                let named = ["pose_bits", "rotations", "translations", "frames", "contacts", "pose"];
                assert!(named.iter().any(|name| text.contains(name)) && !text.contains('\n'), "{text}");
            }
        }
    }
    assert!(loaded > 20 && refused > 100, "{loaded} loaded, {refused} refused");
}

#[test]
fn a_safetensors_file_of_something_else_is_called_that() {
    let weights = [0u8; 16];
    let view = TensorView::new(Dtype::F32, vec![4], &weights).unwrap();
    for metadata in [None, Some(HashMap::from([("format".to_owned(), "pt".to_owned())]))] {
        let file = safetensors::serialize([("lm_head.weight", &view)], metadata).unwrap();
        let e = load(&file).unwrap_err();
        assert!(matches!(e.fault, FileFault::NotOurs) && e.to_string().contains("not of footwork"), "{e}");
    }
}

#[test]
fn content_that_changed_under_its_hash_is_damaged() {
    let mut parts = Parts::of(&bytes());
    parts.floats("features")[0] += 1.0;
    assert!(matches!(load(&parts.bytes()).unwrap_err().fault, FileFault::Damaged { .. }));
    let mut parts = Parts::of(&bytes());
    parts.json["tags"][0] = json!("d");
    assert!(matches!(load(&parts.bytes()).unwrap_err().fault, FileFault::Damaged { .. }));
}

#[test]
fn wrong_metadata_and_tensors_are_named_even_under_a_right_hash() {
    let metadata = |e: FileError, says: &str| {
        assert!(matches!(e.fault, FileFault::Metadata(_)), "{e}");
        assert!(e.to_string().contains(says), "{e}");
    };
    metadata(changed(|p| p.json["colour"] = json!("red")), "colour");
    metadata(changed(|p| p.json["mirror"] = json!("sideways")), "sideways");
    metadata(changed(|p| p.json["joint_parents"][2] = json!(3)), "LeftFoot");
    metadata(changed(|p| p.json["joint_names"][2] = json!("Hips")), "Hips");
    metadata(changed(|p| p.json["schema"] = json!([])), "no channels");
    metadata(changed(|p| p.json["schema"][0]["joint"] = json!("LeftHand")), "LeftHand");
    metadata(changed(|p| p.json["contact_joints"][0] = json!("Toe")), "Toe");
    metadata(changed(|p| drop(p.json.as_object_mut().unwrap().remove("tags"))), "tags");

    let tensor = |e: FileError, name: &str| {
        assert!(matches!(e.fault, FileFault::Tensor { .. }), "{e}");
        assert!(e.to_string().contains(&format!("tensor `{name}`")), "{e}");
    };
    for name in Parts::of(&bytes()).tensors.keys() {
        if name != "row_costs" {
            tensor(changed(|p| drop(p.tensors.remove(name))), name);
        }
        // The same bytes with another data type.
        tensor(changed(|p| p.tensors.get_mut(name).unwrap().0 = other(Parts::of(&bytes()).tensors[name].0)), name);
    }
    tensor(changed(|p| p.tensors.get_mut("row_costs").unwrap().1 = vec![53, 1]), "row_costs");
    tensor(changed(|p| p.tensors.get_mut("features").unwrap().1 = vec![12, 53]), "features");
    tensor(changed(|p| p.tensors.get_mut("joint_rotations").unwrap().1 = vec![53, 2, 8]), "joint_rotations");
}

#[test]
fn a_file_without_costs_of_rows_has_none() {
    let mut parts = Parts::of(&bytes());
    parts.tensors.remove("row_costs");
    let without = load(&parts.with_hash().bytes()).unwrap();
    assert!(without.row_costs.is_empty());
    let never = Database::new(DatabaseContent { row_costs: vec![], ..content() }).unwrap();
    assert_eq!(without.content_hash(), never.content_hash());
    assert!(!Parts::of(&never.to_bytes().unwrap()).tensors.contains_key("row_costs"));
    let short = DatabaseContent { row_costs: vec![0.0; 52], ..content() };
    assert!(Database::new(short).unwrap_err().to_string().contains("`row_costs` has 52 values, expected 53"));
}

fn other(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::U8 => Dtype::I8,
        Dtype::U32 => Dtype::I32,
        _ => Dtype::U32,
    }
}

#[test]
fn numbers_and_ranges_that_cannot_be_are_named_even_under_a_right_hash() {
    let content = |e: FileError, says: &str| {
        assert!(matches!(e.fault, FileFault::Content(_)), "{e}");
        assert!(e.to_string().contains(says), "`{says}` is not in: {e}");
    };
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        content(changed(|p| p.floats("features")[29] = bad), "`features`, value 29");
        content(changed(|p| p.floats("feature_offset")[1] = bad), "`feature_offset`, value 1");
        content(changed(|p| p.floats("feature_scale")[2] = bad), "`feature_scale`, value 2");
        content(changed(|p| p.floats("joint_rotations")[5] = bad), "`rotations`, value 5");
        content(changed(|p| p.floats("joint_translations")[6] = bad), "`translations`, value 6");
        content(changed(|p| p.floats("curves")[7] = bad), "`curves`, value 7");
        content(changed(|p| p.floats("row_costs")[8] = bad), "`row_costs`, value 8");
        content(changed(|p| p.floats("event_time_s")[0] = bad), "an event");
    }
    content(changed(|p| p.floats("row_costs")[9] = -0.5), "`row_costs`, value 9");
    // Features divided by it would be infinite; metres squared by it would overflow.
    for bad in [0.0, 8e-45, 1e20] {
        content(changed(|p| p.floats("feature_scale")[2] = bad), "`feature_scale`, value 2");
    }
    for bad in [1e10, -1e30] {
        content(changed(|p| p.floats("feature_offset")[1] = bad), "`feature_offset`, value 1");
        content(changed(|p| p.floats("joint_translations")[6] = bad), "`translations`, value 6");
        content(changed(|p| p.floats("rest_translations")[4] = bad), "`rest_translations`, value 4");
        content(changed(|p| p.floats("curves")[7] = bad), "`curves`, value 7");
    }
    content(changed(|p| p.floats("joint_rotations")[3] = 2.0), "`rotations`");
    content(changed(|p| p.floats("rest_rotations")[7] = 2.0), "`rest_rotations`, value 4");
    content(changed(|p| p.json["clips"][0]["frames"] = json!(4_000_000_000u32)), "clip `clip 0`");
    content(changed(|p| p.json["clips"][1]["first_frame"] = json!(4_294_967_295u32)), "clip `clip 1`");
    content(changed(|p| p.json["clips"][1]["rows"] = json!(34)), "clip `clip 1`");
    content(changed(|p| p.json["clips"][1]["rows"] = json!(32)), "row_frames");
    content(changed(|p| p.json["clips"][1]["mirrored"] = json!(true)), "clip `clip 1`");
    content(changed(|p| p.json["clips"][1]["loop_delta"]["translation"][2] = json!(1e10)), "clip `clip 1`");
    content(changed(|p| p.json["clips"][1]["loop_delta"]["rotation"]["z"] = json!(2.0)), "clip `clip 1`");
    content(changed(|p| p.json["clips"] = json!([])), "no clips");
    content(changed(|p| p.json["pose_rate_hz"] = json!(0.0)), "pose_rate_hz");
    content(changed(|p| p.json["search_rate_hz"] = json!(-30.0)), "search_rate_hz");
    content(changed(|p| p.json["stick"]["run"]["side_mps"] = json!(1e6)), "`stick`, value 4");
    let words = |p: &mut Parts, name: &str, at: usize, value: u32| {
        bytemuck::cast_slice_mut::<u8, u32>(&mut p.tensors.get_mut(name).unwrap().2)[at] = value;
    };
    content(changed(|p| words(p, "row_frames", 2, 9999)), "clip `clip 0`");
    content(changed(|p| words(p, "row_frames", 2, 1)), "clip `clip 0`");
    content(changed(|p| words(p, "tag_spans", 0, 3)), "a tag");
    content(changed(|p| words(p, "tag_spans", 2, 54)), "a tag");
    content(changed(|p| words(p, "event_name_and_clip", 0, 1)), "an event");
    content(changed(|p| words(p, "event_name_and_clip", 1, 2)), "an event");
    content(changed(|p| words(p, "joint_translated", 0, 4)), "a joint index");
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_old_one_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let db = Database::new(content()).unwrap();
    let e = db.save(&dir.path().join("no/such/folder/a.fwdb")).unwrap_err();
    assert!(
        matches!(e.fault, FileFault::Io { action: "write", .. }) && e.to_string().contains("no/such/folder"),
        "{e}"
    );
    assert!(db.save(dir.path()).is_err(), "a folder is no file");
    assert!(db.save(Path::new("/")).is_err());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_grow_leaves_the_old_one_as_it_was() {
    // The second run of this test is a process whose files cannot grow beyond one block.
    if let Some(path) = std::env::var_os("FOOTWORK_NO_ROOM") {
        let e = Database::new(content()).unwrap().save(Path::new(&path)).unwrap_err();
        let FileFault::Io { error, action: "write" } = &e.fault else { panic!("{e}") };
        assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge, "{e}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.fwdb");
    Database::new(content()).unwrap().save(&path).unwrap();
    let old = std::fs::read(&path).unwrap();
    let run = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "invariant_5_all_or_nothing::a_file_that_cannot_grow_leaves_the_old_one_as_it_was"])
        .env("FOOTWORK_NO_ROOM", &path)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && told.contains("1 passed"), "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), old);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "the temporary file is removed");
}

#[test]
fn a_file_that_is_not_there_is_an_error_with_its_name() {
    let e = Database::load(Path::new("/no/such/file.fwdb")).unwrap_err();
    assert!(
        matches!(e.fault, FileFault::Io { action: "read", .. }) && e.to_string().contains("/no/such/file.fwdb"),
        "{e}"
    );
}

#[test]
fn a_build_that_fails_names_clip_joint_and_frame() {
    let walk = || common::clip("walk_125");
    let fails = |clips: &[footwork::clip::RawClip], config: &BuildConfig, says: &[&str]| {
        let e = build(clips, config, &BuildOptions::default()).expect_err("a broken build succeeded").to_string();
        assert!(says.iter().all(|s| e.contains(s)), "{says:?} are not all in: {e}");
    };
    let standard = BuildConfig::default();
    fails(&[], &standard, &["no clips"]);

    let mut nan = walk();
    let joints = nan.skeleton.len();
    nan.translations[31 * joints + 5].x = f32::NAN;
    let joint = nan.skeleton.names()[5].clone();
    fails(&[common::clip("idle"), nan], &standard, &["walk_125", "frame 31", &joint]);

    let mut short = walk();
    short.translations.pop();
    fails(&[short], &standard, &["walk_125", "whole frames"]);
    let mut slow = walk();
    slow.rate_hz = 0.0;
    fails(&[slow], &standard, &["walk_125", "0 frames per second"]);
    fails(&[walk(), walk()], &standard, &["two clips", "walk_125"]);

    let mut stranger = walk();
    stranger.annotations.contacts.push(ContactTrack { joint: "Tentacle".into(), on: vec![] });
    fails(&[stranger], &standard, &["walk_125", "Tentacle"]);

    let role = BuildConfig { roles: [("left_foot".to_owned(), "LeftFot".to_owned())].into(), ..Default::default() };
    fails(&[walk()], &role, &["roles.left_foot", "LeftFot", "LeftFoot"]);
    let role = BuildConfig { roles: [("lft_foot".to_owned(), "LeftFoot".to_owned())].into(), ..Default::default() };
    fails(&[walk()], &role, &["roles.lft_foot", "left_foot"]);

    let rule = ClipRule { name: "wlak_125".into(), ..Default::default() };
    fails(&[walk()], &BuildConfig { clips: vec![rule], ..Default::default() }, &["wlak_125", "walk_125"]);
    let curve = CurveSpec { name: "h".into(), keys: vec![vec![0.0, 1.0], vec![1.0]] };
    let rule = ClipRule { curves: vec![curve], ..Default::default() };
    fails(&[walk()], &BuildConfig { clips: vec![rule], ..Default::default() }, &["walk_125", "curve `h`"]);
    let rule = ClipRule { discard: vec![[2.0, 1.0]], ..Default::default() };
    fails(&[walk()], &BuildConfig { clips: vec![rule], ..Default::default() }, &["walk_125", "2 s to 1 s"]);

    let rate = BuildConfig { pose_rate_hz: Some(1e6), ..Default::default() };
    fails(&[walk()], &rate, &["pose_rate_hz", "1 to 240"]);

    let of_joint = |joint: &str| SchemaConfig {
        channels: vec![ChannelSpec::joint(ChannelType::JointPosition, joint, 1.0)],
        ..Default::default()
    };
    let schema = BuildConfig { schema: of_joint("LeftFot"), ..Default::default() };
    fails(&[walk()], &schema, &["channel 0", "LeftFot", "the nearest is `LeftFoot`"]);
}

#[test]
fn a_user_curve_of_the_wrong_width_is_named_with_the_clip_that_has_it() {
    let curve =
        |width: usize| CurveSpec { name: "ball".into(), keys: vec![vec![0.0; 1 + width], vec![1.0; 1 + width]] };
    let rule = |name: &str, width| ClipRule { name: name.into(), curves: vec![curve(width)], ..Default::default() };
    let config = BuildConfig {
        schema: SchemaConfig { channels: vec![ChannelSpec::user("ball", 2, 1.0)], ..Default::default() },
        clips: vec![rule("walk_125", 2), rule("walk_80", 3)],
        ..Default::default()
    };
    let clips = [common::clip("walk_125"), common::clip("walk_80")];
    let e = build(&clips, &config, &BuildOptions::default()).unwrap_err().to_string();
    assert!(e.contains("`ball`") && e.contains("2 wide") && e.contains("walk_80") && e.contains("3 value"), "{e}");
}
