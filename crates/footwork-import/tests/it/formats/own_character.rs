//! Tests of writing clips onto a character of the user.

use super::fixtures::{Gltf, fbx_walker, person, walker};
use footwork::clip::RawClip;
use footwork::math::Quat;
use footwork_import::glb::{self, write_onto};
use footwork_import::{Units, fbx, gltf};
use serde_json::{Value, json};

/// Returns the file as `.glb`.
fn binary(file: &Gltf) -> Vec<u8> {
    let mut root = file.root.clone();
    root["buffers"][0]["byteLength"] = json!(file.bytes.len());
    let mut json = root.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() + 8 + file.bytes.len();
    let mut out = b"glTF".to_vec();
    for v in [2, total as u32, json.len() as u32] {
        out.extend(v.to_le_bytes());
    }
    out.extend(b"JSON");
    out.extend(json);
    out.extend((file.bytes.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(&file.bytes);
    out
}

fn walk() -> RawClip {
    gltf::parse(&walker().text(), "walk", "walk.gltf", None, Units::Auto).unwrap().remove(0)
}

fn written(rig: &Gltf, clips: &[RawClip]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    write_onto(&binary(rig), "rig.glb", clips, &mut out).map_err(|e| e.to_string())?;
    Ok(out)
}

#[test]
fn a_rig_in_centimetres_under_a_lying_armature_moves_as_the_clip_does() {
    let mut rig = person();
    let lying = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2).to_array();
    rig.root["nodes"] = json!([
        {"name": "Armature", "children": [1], "scale": [0.01, 0.01, 0.01], "rotation": lying},
        {"name": "mixamorig:Hips", "children": [2, 4], "matrix":
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 100.0, 1.0]},
        {"name": "mixamorig:Spine", "children": [3], "translation": [0.0, 0.0, 50.0]},
        {"name": "mixamorig:Head", "translation": [0.0, 0.0, 50.0]},
        {"name": "Tail", "translation": [0.0, -10.0, 0.0]},
    ]);
    rig.root["skins"] = json!([{"joints": [1, 2, 3, 4]}]);
    rig.root["materials"] = json!([{"name": "skin colour"}]);
    let skin_bytes = rig.view(&[7; 12]);
    let clip = walk();
    let out = written(&rig, &[clip.clone(), clip.clone()]).unwrap();
    let file = ::gltf::Gltf::from_slice_without_validation(&out).unwrap();
    let root: Value = serde_json::to_value(file.document.as_json()).unwrap();
    assert_eq!(root["materials"][0]["name"], "skin colour");
    assert_eq!(root["animations"].as_array().unwrap().len(), 2);
    assert_eq!(file.blob.unwrap()[..12], [7; 12]);
    assert_eq!(root["bufferViews"][skin_bytes]["byteLength"], 12);
    assert!(root["nodes"][1]["matrix"].is_null());
    let back = gltf::parse(&out, "b", "b.glb", None, Units::Auto).unwrap().remove(0);
    assert_eq!(back.skeleton.names(), ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Head", "Tail"]);
    assert_eq!((back.frames(), back.rate_hz), (clip.frames(), clip.rate_hz));
    for f in 0..clip.frames() {
        for j in 0..3 {
            let (a, b) = (clip.translations[3 * f + j], back.translations[4 * f + j]);
            assert!(a.distance(b) < 1e-5, "frame {f}, joint {j}: {a} {b}");
            assert!(clip.rotations[3 * f + j].angle_between(back.rotations[4 * f + j]) < 1e-3);
        }
    }
}

#[test]
fn a_clip_from_fbx_moves_a_mannequin_written_as_a_character() {
    let clips = fbx::parse(&fbx_walker().binary(), "f", "f.fbx", Units::Auto).unwrap();
    let mut mannequin = Vec::new();
    glb::write_clip(&clips[0], &Default::default(), &mut mannequin).unwrap();
    let mut out = Vec::new();
    write_onto(&mannequin, "m.glb", &clips, &mut out).unwrap();
    // The library validates that every index is within its list.
    assert_eq!(::gltf::Gltf::from_slice(&out).unwrap().meshes().len(), 1);
    let back = gltf::parse(&out, "f", "m.glb", None, Units::Auto).unwrap();
    for (a, b) in clips.iter().zip(&back) {
        assert_eq!((&a.name, a.frames()), (&b.name, b.frames()), "a name is not put before itself");
        assert!(a.translations.iter().zip(&b.translations).all(|(a, b)| a.distance(*b) < 1e-5));
    }
}

#[test]
fn another_rig_is_refused_and_nothing_is_written() {
    let mut rig = person();
    for (n, name) in [(1, "Pelvis"), (2, "Chest"), (3, "Skull")] {
        rig.root["nodes"][n]["name"] = json!(name);
    }
    let message = written(&rig, &[walk()]).unwrap_err();
    assert!(message.contains("rig.glb: only 0 of the 3 joints of clip `walk`"), "{message}");
    let mut out = Vec::new();
    assert!(write_onto(&person().text(), "rig.gltf", &[walk()], &mut out).unwrap_err().to_string().contains(".glb"));
    assert!(out.is_empty());
}
