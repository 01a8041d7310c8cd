//! Tests of reading glTF.

use super::fixtures::{Gltf, person, walker};
use footwork::clip::{ClipEvent, RawClip};
use footwork::math::Quat;
use footwork_import::glb::{self, GlbClip, GlbOptions};
use footwork_import::{Units, gltf};
use glam::Vec3;
use serde_json::json;

fn read(file: &Gltf) -> Result<Vec<RawClip>, String> {
    gltf::parse(&file.text(), "file", "file.gltf", None, Units::Auto).map_err(|e| e.to_string())
}

fn one(file: &Gltf) -> RawClip {
    let clips = read(file).unwrap();
    assert_eq!(clips.len(), 1);
    clips.into_iter().next().unwrap()
}

fn refused(file: &Gltf, part: &str) {
    let message = read(file).unwrap_err();
    assert!(message.starts_with("file.gltf: ") && message.contains(part), "expected `{part}` in: {message}");
}

fn near(a: Vec3, b: [f32; 3]) {
    assert!(a.distance(Vec3::from_array(b)) < 1e-5, "{a} {b:?}");
}

/// Returns the world position of a joint.
fn place(clip: &RawClip, frame: usize, joint: &str) -> Vec3 {
    let mut at = clip.skeleton.find(joint);
    let mut p = Vec3::ZERO;
    while let Some(j) = at {
        let i = frame * clip.skeleton.len() + j.at();
        p = clip.rotations[i] * p + clip.translations[i];
        at = clip.skeleton.parents()[j.at()];
    }
    p
}

#[test]
fn what_is_written_is_read_back() {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    let mut clips: Vec<RawClip> =
        clips.into_iter().filter(|c| ["walk_125", "idle", "plant_walk_180_left"].contains(&c.name.as_str())).collect();
    clips[1].annotations.events = vec![ClipEvent { name: "step".into(), time_s: 0.25 }];
    let mut bytes = Vec::new();
    let animations: Vec<GlbClip<'_>> = clips.iter().map(GlbClip::from).collect();
    glb::write(&clips[0].skeleton, &animations, &GlbOptions::default(), &mut bytes).unwrap();
    let back = gltf::parse(&bytes, "f", "f.glb", None, Units::Auto).unwrap();
    assert_eq!(back.len(), clips.len());
    for (a, b) in clips.iter().zip(&back) {
        assert_eq!(b.name, format!("f.{}", a.name));
        assert_eq!((b.rate_hz, b.frames()), (a.rate_hz, a.frames()), "{}", a.name);
        assert_eq!((b.skeleton.names(), b.skeleton.parents()), (a.skeleton.names(), a.skeleton.parents()));
        assert!(a.translations.iter().zip(&b.translations).all(|(a, b)| a.distance(*b) < 1e-5));
        assert!(a.rotations.iter().zip(&b.rotations).all(|(a, b)| a.normalize().dot(*b).abs() > 1.0 - 1e-6));
        for (a, b) in a.skeleton.rest().iter().zip(b.skeleton.rest()).skip(1) {
            assert!(a.translation.distance(b.translation) < 1e-5 && a.rotation.angle_between(b.rotation) < 1e-3);
        }
        assert_eq!(a.annotations.events, b.annotations.events);
    }
}

#[test]
fn linear_keys_are_sampled_on_every_frame_and_joints_come_without_the_armature() {
    let clip = one(&walker());
    assert_eq!((clip.name.as_str(), clip.rate_hz, clip.frames()), ("file", 30.0, 31));
    assert_eq!(clip.skeleton.names(), ["Hips", "Spine", "Head"]);
    near(clip.translations[15 * 3], [0.0, 1.0, 0.5]);
    near(place(&clip, 30, "Head"), [0.0, 2.0, 1.0]);
}

#[test]
fn steps_hold_and_cubic_splines_bend() {
    let mut file = person();
    let quarter = Quat::from_rotation_y(1.0).to_array();
    let turn: Vec<f32> = [Quat::IDENTITY.to_array(), quarter].concat();
    // Tangents of 0 at both ends give a smooth step.
    let cubic = [0.0f32, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0];
    file.animation(
        "a",
        &[(1, "translation", "CUBICSPLINE", &[0.0, 1.0], &cubic), (2, "rotation", "STEP", &[0.0, 0.5], &turn)],
    );
    let clip = one(&file);
    near(clip.translations[15 * 3], [0.0, 1.5, 0.0]);
    let t = 6.0 / 30.0f32;
    near(clip.translations[6 * 3], [0.0, 1.0 + 3.0 * t * t - 2.0 * t * t * t, 0.0]);
    assert_eq!(clip.rotations[14 * 3 + 1], Quat::IDENTITY);
    assert!(clip.rotations[15 * 3 + 1].angle_between(Quat::from_rotation_y(1.0)) < 1e-4);
}

#[test]
fn sparse_and_integer_accessors_are_numbers_too() {
    let mut file = person();
    let times = file.floats(&[0.0, 0.5, 1.0], 1);
    let (places, values) = (file.view(&[2u8]), file.view(&1.5f32.to_le_bytes().repeat(3)));
    let sparse = file.accessor(json!({
        "componentType": 5126, "count": 3, "type": "VEC3",
        "sparse": {
            "count": 1, "indices": {"bufferView": places, "componentType": 5121}, "values": {"bufferView": values},
        },
    }));
    let half = (0.5f32.sqrt() * 32767.0) as i16;
    let shorts: Vec<u8> = [[0, 0, 0, 32767], [0, half, 0, half], [0, half, 0, half]]
        .concat()
        .iter()
        .flat_map(|v: &i16| v.to_le_bytes())
        .collect();
    let view = file.view(&shorts);
    let turns = file
        .accessor(json!({"bufferView": view, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC4"}));
    file.root["animations"] = json!([{
        "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "translation"}},
            {"sampler": 1, "target": {"node": 2, "path": "rotation"}},
        ],
        "samplers": [{"input": times, "output": sparse}, {"input": times, "output": turns}],
    }]);
    let clip = one(&file);
    near(clip.translations[0], [0.0; 3]);
    near(clip.translations[30 * 3], [1.5; 3]);
    assert!(clip.rotations[30 * 3 + 1].angle_between(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2)) < 1e-3);
}

#[test]
fn an_armature_of_a_hundredth_lying_on_its_back_is_folded_in() {
    let mut file = walker();
    let lying = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2).to_array();
    file.root["nodes"] = json!([
        {"name": "Armature", "children": [1], "scale": [0.01, 0.01, 0.01], "rotation": lying},
        {"name": "Hips", "children": [2], "translation": [0.0, 0.0, 100.0]},
        {"name": "Spine", "children": [3], "translation": [0.0, 0.0, 50.0]},
        {"name": "Head", "translation": [0.0, 0.0, 50.0]},
    ]);
    file.root["animations"] = json!([]);
    file.animation("walk", &[(1, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 100.0, 0.0, -100.0, 100.0])]);
    let clip = one(&file);
    assert_eq!(clip.skeleton.names()[0], "Hips");
    near(place(&clip, 0, "Head"), [0.0, 2.0, 0.0]);
    near(place(&clip, 30, "Head"), [0.0, 2.0, 1.0]);
    near(clip.skeleton.rest_model()[2].translation, [0.0, 2.0, 0.0]);
    // The same file, with the armature's transform as a matrix.
    let x = [0.01, 0.0, 0.0, 0.0, 0.0, 0.0, -0.01, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    file.root["nodes"][0] = json!({"name": "Armature", "children": [1], "matrix": x});
    near(place(&one(&file), 30, "Head"), [0.0, 2.0, 1.0]);
    // An armature that moves is a joint, and moves everything below it.
    file.animation("go", &[(0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 3.0, 0.0, 0.0])]);
    let clips = read(&file).unwrap();
    assert_eq!(clips[1].skeleton.names(), ["Armature", "Hips", "Spine", "Head"]);
    near(place(&clips[1], 30, "Head"), [3.0, 2.0, 0.0]);
    near(place(&clips[0], 30, "Head"), [0.0, 2.0, 1.0]);
}

#[test]
fn scale_is_baked_where_it_is_exact_and_refused_by_name_where_not() {
    let mut file = walker();
    file.root["nodes"][1]["scale"] = json!([2.0, 2.0, 2.0]);
    near(place(&one(&file), 0, "Head"), [0.0, 3.0, 0.0]);
    // Uneven scale of a joint whose only child is a leaf is only a distance.
    file.root["nodes"][1]["scale"] = json!([1.0, 1.0, 1.0]);
    file.root["nodes"][2]["scale"] = json!([1.0, 3.0, 1.0]);
    near(place(&one(&file), 0, "Head"), [0.0, 3.0, 0.0]);
    file.root["nodes"][1]["scale"] = json!([1.0, 2.0, 1.0]);
    refused(&file, "joint `Hips` is scaled by 1.000, 2.000, 1.000");
    file.root["nodes"][1]["scale"] = json!([-1.0, 1.0, 1.0]);
    refused(&file, "joint `Hips` is mirrored");
    // The same with scale keys: growing to twice the size within a second.
    let mut file = walker();
    file.root["animations"] = json!([]);
    let moving = (1, "translation", "LINEAR", &[0.0f32, 1.0][..], &[0.0f32, 1.0, 0.0, 0.0, 1.0, 1.0][..]);
    file.animation("a", &[moving, (1, "scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0])]);
    near(place(&one(&file), 15, "Head"), [0.0, 2.5, 0.5]);
    file.root["animations"] = json!([]);
    file.animation("a", &[moving, (1, "scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, 2.0, 1.0, 1.0])]);
    refused(&file, "joint `Hips` is scaled by");
}

#[test]
fn several_animations_are_several_clips_with_names_of_their_own() {
    let mut file = walker();
    let keys: (&[f32], &[f32]) = (&[0.0, 1.0], &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    for name in ["Armature|run fast", "Armature|run fast|BaseLayer", "walk"] {
        file.animation(name, &[(1, "translation", "LINEAR", keys.0, keys.1)]);
    }
    file.animation("blink", &[(1, "scale", "LINEAR", &[0.0, 1.0], &[1.0; 6])]);
    let names: Vec<String> = read(&file).unwrap().into_iter().map(|c| c.name).collect();
    assert_eq!(names, ["file.walk", "file.run_fast", "file.run_fast_2", "file.walk_2"]);
}

#[test]
fn markers_become_events_and_foreign_extras_are_left_alone() {
    let mut file = walker();
    file.root["animations"][0]["extras"] =
        json!({"markers": [{"name": "b", "time": 0.75}, {"name": "a", "time_s": 0.25}], "color": [1, 2]});
    let clip = one(&file);
    let told: Vec<_> = clip.annotations.events.iter().map(|e| (e.name.as_str(), e.time_s)).collect();
    assert_eq!(told, [("a", 0.25), ("b", 0.75)]);
    file.root["animations"][0]["extras"] = json!({"markers": "none"});
    assert!(one(&file).annotations.events.is_empty());
}

#[test]
fn the_bind_pose_is_the_rest_pose() {
    let mut file = walker();
    // The bind pose is straight, but the nodes are bent.
    let bound = [[0.0, -1.0, 0.0], [0.0, -1.5, 0.0], [0.0, -2.0, 0.0]];
    let matrices: Vec<f32> = bound
        .iter()
        .flat_map(|t| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, t[0], t[1], t[2], 1.0])
        .collect();
    file.root["nodes"][2]["rotation"] = json!(Quat::from_rotation_x(1.0).to_array());
    let bent = one(&file);
    assert!(bent.skeleton.rest()[1].rotation.angle_between(Quat::from_rotation_x(1.0)) < 1e-4);
    let matrices = file.floats(&matrices, 16);
    file.root["skins"][0]["inverseBindMatrices"] = json!(matrices);
    let straight = one(&file);
    assert!(straight.skeleton.rest()[1].rotation.angle_between(Quat::IDENTITY) < 1e-4);
    near(straight.skeleton.rest_model()[2].translation, [0.0, 2.0, 0.0]);
    assert_eq!(straight.rotations, bent.rotations);
}

#[test]
fn without_a_skin_a_tree_of_moving_nodes_is_a_skeleton_and_single_objects_are_not() {
    let mut file = walker();
    file.root["skins"] = json!([]);
    refused(&file, "moves single objects (`Hips`), no skeleton");
    let turn: Vec<f32> = [Quat::IDENTITY.to_array(), Quat::from_rotation_x(0.5).to_array()].concat();
    let turning = |node| (node, "rotation", "LINEAR", &[0.0f32, 1.0][..], &turn[..]);
    file.animation("wave", &[turning(1), turning(2), turning(3)]);
    assert_eq!(read(&file).unwrap()[0].skeleton.names(), ["Hips", "Spine", "Head"]);
    file.root["nodes"].as_array_mut().unwrap().push(json!({"name": "Cam", "camera": 0}));
    file.root["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}]);
    assert_eq!(read(&file).unwrap()[0].skeleton.len(), 3);
}

#[test]
fn two_characters_are_refused_and_targets_beside_one_are_left_out() {
    let mut file = walker();
    let nodes = file.root["nodes"].as_array_mut().unwrap();
    nodes.push(json!({"name": "Foot target"}));
    nodes[0]["children"] = json!([1, 4]);
    file.root["skins"] = json!([{"joints": [1, 2, 3, 4]}]);
    assert_eq!(one(&file).skeleton.names(), ["Hips", "Spine", "Head"]);
    // A branch of half the size of the rest is not a helper: the armature joins them.
    let nodes = file.root["nodes"].as_array_mut().unwrap();
    nodes[4]["children"] = json!([5]);
    nodes.push(json!({"name": "Foot pole"}));
    file.root["skins"] = json!([{"joints": [1, 2, 3, 4, 5]}]);
    assert_eq!(one(&file).skeleton.names(), ["Armature", "Hips", "Spine", "Head", "Foot target", "Foot pole"]);
    let mut twins = walker();
    let nodes = twins.root["nodes"].as_array_mut().unwrap();
    nodes.push(json!({"name": "Other", "children": [5]}));
    nodes.push(json!({"name": "Other spine"}));
    twins.root["skins"] = json!([{"joints": [1, 2, 3]}, {"joints": [4, 5]}]);
    refused(&twins, "holds two skeletons, under `Armature` (3 joints) and `Other` (2 joints)");
    twins.root["skins"] = json!([{"joints": [1, 2, 3]}]);
    assert_eq!(one(&twins).skeleton.len(), 3);
}

#[test]
fn units_other_than_the_standards_must_be_said() {
    let mut file = walker();
    let said = |units| gltf::parse(&file.text(), "f", "f", None, units).unwrap().remove(0).translations[0].y;
    assert_eq!((said(Units::Auto), said(Units::Metres)), (1.0, 1.0));
    assert!((said(Units::Centimetres) - 0.01).abs() < 1e-7);
    file.root["asset"]["version"] = json!("1.0");
    refused(&file, "glTF version 1.0");
}

#[test]
fn files_that_lie_are_refused_with_a_reason() {
    let broken = |change: &dyn Fn(&mut Gltf), part: &str| {
        let mut file = walker();
        change(&mut file);
        refused(&file, part);
    };
    broken(&|f| f.root["animations"] = json!([]), "holds a model but no animation");
    broken(&|f| f.root["accessors"][1]["count"] = json!(4_000_000_000u32), "far more than the file holds");
    broken(&|f| f.root["accessors"][1]["count"] = json!(3), "3 values do not fit into its buffer view");
    broken(&|f| f.root["accessors"][1]["byteOffset"] = json!(u64::MAX), "do not fit");
    broken(&|f| f.root["accessors"][1]["bufferView"] = json!(99), "buffer view that is not there");
    broken(&|f| f.root["accessors"][0]["type"] = json!("VEC4"), "expected 1 components each");
    broken(&|f| f.root["bufferViews"][1]["byteLength"] = json!(1u64 << 40), "ends beyond the buffer");
    broken(&|f| f.root["bufferViews"][1]["byteStride"] = json!(-4), "not a usable glTF file");
    broken(&|f| f.root["nodes"][3]["children"] = json!([1]), "is its own ancestor, or has two parents");
    broken(&|f| f.root["nodes"][1]["rotation"] = json!([0.0, 0.0, 0.0, 0.0]), "rotation of length 1");
    broken(&|f| f.root["extensionsRequired"] = json!(["EXT_meshopt_compression"]), "export without compression");
    let mut alone = walker();
    alone.root["nodes"][0]["children"] = json!([]);
    alone.root["nodes"][3]["children"] = json!([1]);
    refused(&alone, "is its own ancestor");
    let keyed = |times: &[f32], values: &[f32], part: &str| {
        let mut file = person();
        file.animation("a", &[(1, "translation", "LINEAR", times, values)]);
        refused(&file, part);
    };
    let ways: &[f32] = &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0];
    keyed(&[1.0, 0.0], ways, "animation `a`, node `Hips`: its key times are not rising");
    keyed(&[0.0, f32::NAN], ways, "key times are not rising");
    keyed(&[0.0, 1.0], &[0.0, 1.0, 0.0, f32::NAN, 1.0, 1.0], "a key of NaN");
    keyed(&[0.0, 1.0, 2.0], ways, "3 key times and 2 values");
    keyed(&[0.0, 1e30], ways, "clip `file` would last");
    keyed(&[0.0, 80_000.0], ways, "are the times of its keys right?");
    keyed(&[], &[], "a channel without keys");
}

#[test]
fn many_takes_together_are_no_way_around_the_limit() {
    let mut file = person();
    let ways: &[f32] = &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0];
    for _ in 0..40 {
        file.animation("a", &[(1, "translation", "LINEAR", &[0.0, 1000.0], ways)]);
    }
    refused(&file, "times the file");
}

#[test]
fn buffers_beside_the_file_are_found_there_and_nowhere_else() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = walker();
    std::fs::write(dir.path().join("a b.bin"), &file.bytes).unwrap();
    file.root["buffers"][0]["byteLength"] = json!(file.bytes.len());
    let read = |uri: &str, file: &mut Gltf| {
        file.root["buffers"][0]["uri"] = json!(uri);
        let text = file.root.to_string();
        gltf::parse(text.as_bytes(), "f", "f.gltf", Some(dir.path()), Units::Auto).map_err(|e| e.to_string())
    };
    assert_eq!(read("a%20b.bin", &mut file).unwrap().len(), 1);
    for (uri, part) in [
        ("gone.bin", "`gone.bin` cannot be read"),
        ("../a.bin", "expected a file beside this one"),
        ("/dev/zero", "expected a file beside this one"),
        ("http://a/b.bin", "expected a file beside this one"),
        ("data:,x", "expected `data:..;base64,..`"),
    ] {
        let message = read(uri, &mut file).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
}
