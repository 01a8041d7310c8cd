//! Tests of reading FBX.

use super::fixtures::{Fbx, FbxJoint, fbx_person, fbx_walker};
use footwork::clip::RawClip;
use footwork::math::{Quat, Transform};
use footwork_import::{Units, fbx};
use glam::Vec3;
use std::f32::consts::FRAC_PI_2;

fn read(file: &Fbx) -> Vec<RawClip> {
    fbx::parse(&file.ascii(), "file", "file.fbx", Units::Auto).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(bytes: &[u8]) -> String {
    fbx::parse(bytes, "file", "file.fbx", Units::Auto).unwrap_err().to_string()
}

/// Returns the world transforms of the joints in a frame.
fn world(clip: &RawClip, frame: usize) -> Vec<Transform> {
    let n = clip.skeleton.len();
    let mut world: Vec<Transform> = Vec::new();
    for j in 0..n {
        let local = Transform::new(clip.translations[frame * n + j], clip.rotations[frame * n + j]);
        world.push(clip.skeleton.parents()[j].map_or(local, |p| world[p.at()] * local));
    }
    world
}

fn near(a: Vec3, b: [f32; 3]) {
    assert!(a.distance(Vec3::from_array(b)) < 1e-4, "{a} {b:?}");
}

#[test]
fn text_and_bytes_give_the_same_clips_in_metres() {
    let file = fbx_walker();
    let clips = read(&file);
    let from_bytes = fbx::parse(&file.binary(), "file", "file.fbx", Units::Auto).unwrap();
    assert_eq!(clips, from_bytes);
    assert_eq!(clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["file.walk", "file.nod"]);
    let [walk, nod] = &clips[..] else { panic!() };
    assert_eq!((walk.rate_hz, walk.frames(), nod.frames()), (30.0, 31, 16));
    assert_eq!(walk.skeleton.names(), ["Hips", "Spine", "Head"]);
    near(world(walk, 15)[2].translation, [0.0, 2.0, 0.5]);
    near(world(nod, 15)[2].translation, [0.0, 1.5, 0.5]);
    near(walk.skeleton.rest_model()[2].translation, [0.0, 2.0, 0.0]);
}

#[test]
fn units_and_axes_are_those_of_the_file_unless_the_user_knows_better() {
    let mut file = fbx_walker();
    file.unit_cm = 2.54;
    near(world(&read(&file)[0], 30)[0].translation, [0.0, 2.54, 2.54]);
    let said = fbx::parse(&file.ascii(), "f", "f", Units::Centimetres).unwrap();
    near(world(&said[0], 30)[2].translation, [0.0, 2.0, 1.0]);
    // A file with Z up and front -Y.
    let mut file = fbx_person();
    file.z_up = true;
    for joint in &mut file.joints {
        joint.translation = [0.0, 0.0, joint.translation[1]];
    }
    file.stacks = vec![("walk", vec![(0, "Lcl Translation", 1, vec![(0, 0.0), (30, -100.0)])])];
    near(world(&read(&file)[0], 30)[2].translation, [0.0, 2.0, 1.0]);
}

#[test]
fn pre_rotations_stand_before_the_keys() {
    let mut file = fbx_walker();
    file.joints[1].properties = vec![("PreRotation", "", [0.0, 0.0, 90.0])];
    let nod = &read(&file)[1];
    let expected = Quat::from_rotation_z(FRAC_PI_2) * Quat::from_rotation_x(FRAC_PI_2);
    assert!(nod.rotations[15 * 3 + 1].angle_between(expected) < 1e-4, "{:?}", nod.rotations[15 * 3 + 1]);
}

#[test]
fn even_scale_is_baked_inherited_or_not_and_uneven_scale_is_refused() {
    let scaled = |scale: [f64; 3], inherit_type: i64| {
        let mut file = fbx_walker();
        file.joints[0].properties = vec![("Lcl Scaling", "", scale)];
        file.joints[1].inherit_type = inherit_type;
        file
    };
    near(world(&read(&scaled([2.0; 3], 1))[0], 0)[2].translation, [0.0, 3.0, 0.0]);
    // A spine that does not inherit the scale of the hips: only its translation is scaled.
    near(world(&read(&scaled([2.0; 3], 2))[0], 0)[2].translation, [0.0, 2.5, 0.0]);
    let message = refusal(&scaled([1.0, 2.0, 1.0], 1).ascii());
    assert!(message.contains("joint `Hips` is scaled by 1.000, 2.000, 1.000"), "{message}");
}

#[test]
fn files_without_motion_or_sense_are_refused_with_a_reason() {
    assert!(refusal(&fbx_person().ascii()).contains("holds a model but no animation"));
    let mut still = fbx_person();
    still.stacks = vec![("a", vec![(0, "Lcl Translation", 2, vec![(0, 5.0), (30, 5.0)])])];
    assert!(refusal(&still.ascii()).contains("none of its animations moves a joint"));
    let mut long = fbx_person();
    long.stacks = vec![("a", vec![(0, "Lcl Translation", 2, vec![(0, 0.0), (3_000_000, 5.0)])])];
    assert!(refusal(&long.ascii()).contains("would last 100000 s"), "{}", refusal(&long.ascii()));
    assert!(refusal(b"").contains("it is empty"));
    assert!(refusal(b"HIERARCHY\nROOT Hips\n").contains("not a usable FBX file"), "{}", refusal(b"HIERARCHY\nROOT"));
    let whole = fbx_walker().binary();
    let cut = refusal(&whole[..whole.len() / 2]);
    assert!(cut.starts_with("file.fbx: this is not a usable FBX file"), "{cut}");
}

#[test]
fn two_characters_are_refused_and_targets_beside_one_are_left_out() {
    let joint =
        |name, parent| FbxJoint { name, parent, translation: [50.0, 0.0, 0.0], properties: vec![], inherit_type: 1 };
    let mut file = fbx_walker();
    file.joints.push(joint("Target", None));
    assert_eq!(read(&file)[0].skeleton.names(), ["Hips", "Spine", "Head"]);
    file.joints.push(joint("Other spine", Some(3)));
    let message = refusal(&file.ascii());
    assert!(message.contains("two skeletons, under `Hips` (3 joints) and `Target` (2 joints)"), "{message}");
}

#[test]
fn a_take_that_moves_nothing_is_left_out_of_several() {
    let mut file = fbx_walker();
    file.stacks.push(("empty", vec![(0, "Lcl Translation", 2, vec![(0, 1.0)])]));
    assert_eq!(read(&file).len(), 2);
    file.stacks.remove(1);
    assert_eq!(read(&file)[0].name, "file");
}
