//! Reads the files back with the `gltf` crate, which validates them.

use super::*;
use footwork::advanced::math::sin;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::pose::Pose;
use glam::Vec3;

const NAMES: [&str; 9] = ["Root", "Hips", "Spine", "Neck", "Head", "LeftUpLeg", "LeftLeg", "RightUpLeg", "RightLeg"];

fn skeleton_of(names: &[&str]) -> Skeleton {
    let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(1), Some(5), Some(1), Some(7)];
    let at = [
        [0.0, 0.0, 0.0],
        [0.0, 0.9, 0.0],
        [0.0, 0.1, 0.0],
        [0.0, 0.4, 0.0],
        [0.0, 0.1, 0.02],
        [0.1, -0.05, 0.0],
        [0.0, -0.43, 0.0],
        [-0.1, -0.05, 0.0],
        [0.0, -0.43, 0.0],
    ];
    // Some joints are rotated, so that bind matrices are not plain translations.
    let turn = |j: usize| Quat::from_rotation_vector(Vec3::new(0.1, 0.3, -0.2) * (j % 3) as f32);
    Skeleton::new(
        names.iter().map(|n| n.to_string()).collect(),
        parents.iter().map(|p| p.map(JointIndex)).collect(),
        at.iter().enumerate().map(|(j, t)| Transform::new(Vec3::from_array(*t), turn(j))).collect(),
    )
    .unwrap()
}

/// Returns 31 frames in which the root travels and the legs swing; spine and neck keep a pose that differs from the rest pose.
fn swing(skeleton: &Skeleton) -> (Vec<Vec3>, Vec<Quat>) {
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for f in 0..31 {
        let t = f as f32 / 30.0;
        for (j, rest) in skeleton.rest().iter().enumerate() {
            translations.push(rest.translation + if j == 0 { Vec3::new(0.1, 0.0, 1.4) * t } else { Vec3::ZERO });
            let q = match j {
                0 => Quat::from_rotation_y(8.0 * t),
                2 | 3 => Quat::from_rotation_x(0.2),
                5.. => Quat::from_rotation_x(0.6 * sin(6.3 * t + j as f32)),
                _ => rest.rotation,
            };
            // Signs alternate: every other key is on the opposite hemisphere.
            rotations.push(if f % 2 == 1 { -q } else { q });
        }
    }
    (translations, rotations)
}

fn bytes(skeleton: &Skeleton, clips: &[GlbClip<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    write(skeleton, clips, &GlbOptions::default(), &mut out).unwrap();
    out
}

fn swing_bytes(skeleton: &Skeleton) -> Vec<u8> {
    let (translations, rotations) = swing(skeleton);
    bytes(
        skeleton,
        &[GlbClip { name: "swing", rate_hz: 30.0, translations: &translations, rotations: &rotations, events: &[] }],
    )
}

fn refusal(rate_hz: f32, change: impl Fn(&mut Vec<Vec3>, &mut Vec<Quat>)) -> String {
    let skeleton = skeleton_of(&NAMES);
    let (mut translations, mut rotations) = swing(&skeleton);
    change(&mut translations, &mut rotations);
    let clip = GlbClip { name: "c", rate_hz, translations: &translations, rotations: &rotations, events: &[] };
    let mut out = Vec::new();
    let error = write(&skeleton, &[clip], &GlbOptions::default(), &mut out).unwrap_err();
    assert!(out.is_empty());
    error.to_string()
}

/// Returns the world positions of the joints at a key, as a viewer computes them.
fn joints_at_key(file: &gltf::Gltf, animation: usize, key: usize) -> Vec<Vec3> {
    let blob = file.blob.as_deref();
    let mut local: Vec<Transform> = file
        .nodes()
        .map(|n| {
            let (t, r, _) = n.transform().decomposed();
            Transform::new(Vec3::from_array(t), Quat::from_array(r))
        })
        .collect();
    for channel in file.animations().nth(animation).unwrap().channels() {
        let node = &mut local[channel.target().node().index()];
        match channel.reader(|_| blob).read_outputs().unwrap() {
            gltf::animation::util::ReadOutputs::Translations(mut t) => {
                node.translation = Vec3::from_array(t.nth(key).unwrap());
            }
            gltf::animation::util::ReadOutputs::Rotations(r) => {
                node.rotation = Quat::from_array(r.into_f32().nth(key).unwrap());
            }
            _ => panic!("only translations and rotations are animated"),
        }
    }
    let mut world = vec![Transform::IDENTITY; local.len()];
    for node in file.nodes() {
        world[node.index()] = world[node.index()] * local[node.index()];
        for child in node.children() {
            assert!(child.index() > node.index());
            world[child.index()] = world[node.index()];
        }
    }
    world.iter().map(|t| t.translation).collect()
}

#[test]
fn a_file_holds_one_node_per_joint_and_a_skinned_mannequin() {
    let skeleton = skeleton_of(&NAMES);
    let file = gltf::Gltf::from_slice(&swing_bytes(&skeleton)).unwrap();
    assert_eq!(file.nodes().len(), 10);
    assert_eq!(file.nodes().map(|n| n.name().unwrap().to_owned()).take(9).collect::<Vec<_>>(), NAMES);
    assert_eq!(file.default_scene().unwrap().nodes().map(|n| n.index()).collect::<Vec<_>>(), [0, 9]);
    assert_eq!(file.document.as_json().asset.generator.as_deref(), Some("footwork"));
    let skin = file.skins().next().unwrap();
    assert_eq!(skin.joints().map(|j| j.index()).collect::<Vec<_>>(), (0..9).collect::<Vec<_>>());
    assert_eq!(skin.reader(|_| file.blob.as_deref()).read_inverse_bind_matrices().unwrap().len(), 9);
    // Accessors: 5 each for left, right and centre; inverse bind matrices; times, root translation, 5 moving rotations.
    assert_eq!(file.meshes().next().unwrap().primitives().len(), 3);
    assert_eq!(file.accessors().len(), 3 * 5 + 1 + 2 + 5);
    assert!(file.views().all(|v| v.offset() % 4 == 0));
}

#[test]
fn joints_of_the_file_stand_where_ours_stand_at_every_key() {
    let skeleton = skeleton_of(&NAMES);
    let (translations, rotations) = swing(&skeleton);
    let file = gltf::Gltf::from_slice(&swing_bytes(&skeleton)).unwrap();
    let times: Vec<f32> = {
        let channel = file.animations().next().unwrap().channels().next().unwrap();
        channel.reader(|_| file.blob.as_deref()).read_inputs().unwrap().collect()
    };
    assert_eq!((times.len(), times[30]), (31, 1.0));
    for f in [0, 1, 14, 15, 30] {
        let range = f * 9..(f + 1) * 9;
        let pose = Pose { translations: translations[range.clone()].to_vec(), rotations: rotations[range].to_vec() };
        let mut world = Vec::new();
        pose.world(&skeleton, &mut world);
        for (ours, theirs) in world.iter().zip(joints_at_key(&file, 0, f)) {
            assert!(ours.translation.distance(theirs) < 1e-5, "{f}: {} {theirs}", ours.translation);
        }
    }
}

#[test]
fn rotation_keys_never_change_the_side_of_the_hypersphere() {
    let file = gltf::Gltf::from_slice(&swing_bytes(&skeleton_of(&NAMES))).unwrap();
    for channel in file.animations().next().unwrap().channels() {
        if let gltf::animation::util::ReadOutputs::Rotations(r) =
            channel.reader(|_| file.blob.as_deref()).read_outputs().unwrap()
        {
            let keys: Vec<Quat> = r.into_f32().map(Quat::from_array).collect();
            assert!(keys.windows(2).all(|w| w[0].dot(w[1]) > 0.0));
            assert!(keys.iter().all(|k| (k.length() - 1.0).abs() < 1e-5));
        }
    }
}

#[test]
fn a_joint_that_only_one_clip_moves_has_keys_in_both_and_idle_clips_keep_their_duration() {
    let skeleton = skeleton_of(&NAMES);
    let (translations, rotations) = swing(&skeleton);
    let still = Pose::rest(&skeleton);
    let (still_t, still_r) = (still.translations.repeat(61), still.rotations.repeat(61));
    let file = bytes(
        &skeleton,
        &[
            GlbClip { name: "swing", rate_hz: 30.0, translations: &translations, rotations: &rotations, events: &[] },
            GlbClip { name: "idle", rate_hz: 30.0, translations: &still_t, rotations: &still_r, events: &[] },
        ],
    );
    let file = gltf::Gltf::from_slice(&file).unwrap();
    let targets = |a: gltf::Animation<'_>| -> Vec<(usize, String)> {
        a.channels().map(|c| (c.target().node().index(), format!("{:?}", c.target().property()))).collect()
    };
    let [swing, idle] = [0, 1].map(|i| file.animations().nth(i).unwrap());
    assert_eq!(targets(swing), targets(idle.clone()));
    for channel in idle.channels() {
        let times: Vec<f32> = channel.reader(|_| file.blob.as_deref()).read_inputs().unwrap().collect();
        assert_eq!(times, [0.0, 2.0]);
    }
    let mut rest = Vec::new();
    still.world(&skeleton, &mut rest);
    for (a, b) in rest.iter().zip(joints_at_key(&file, 1, 1)) {
        assert!(a.translation.distance(b) < 1e-5);
    }
}

#[test]
fn the_mannequin_encloses_all_joints_and_its_triangles_face_outwards() {
    // Rest translations need not look like a body: here they all lie along +X, as in LAFAN1.
    let folded = {
        let s = skeleton_of(&NAMES);
        let rest = |j: usize| Transform::new(Vec3::X * s.rest()[j].translation.length(), Quat::IDENTITY);
        Skeleton::new(s.names().to_vec(), s.parents().to_vec(), (0..s.len()).map(rest).collect()).unwrap()
    };
    for skeleton in [skeleton_of(&NAMES), folded] {
        let (mut low, mut high) = (Vec3::MAX, Vec3::MIN);
        for part in mannequin::build(&skeleton, &GlbOptions::default()) {
            for p in &part.positions {
                (low, high) = (low.min(*p), high.max(*p));
            }
            for t in part.indices.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|i| part.positions[t[i] as usize]);
                let outwards: Vec3 = t.iter().map(|i| part.normals[*i as usize]).sum();
                assert!((b - a).cross(c - a).dot(outwards) > 0.0);
            }
            assert!(part.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4));
        }
        // Joint 0 marks the ground and is not enclosed.
        for t in &skeleton.rest_model()[1..] {
            assert!(t.translation.cmpgt(low).all() && t.translation.cmplt(high).all(), "{}", t.translation);
        }
    }
}

#[test]
fn bind_matrices_take_each_joint_of_the_rest_pose_to_the_origin() {
    let skeleton = skeleton_of(&NAMES);
    let file = gltf::Gltf::from_slice(&swing_bytes(&skeleton)).unwrap();
    let skin = file.skins().next().unwrap();
    let matrices = skin.reader(|_| file.blob.as_deref()).read_inverse_bind_matrices().unwrap();
    for (m, t) in matrices.zip(skeleton.rest_model()) {
        let apply = |p: Vec3| {
            let column = |c: usize| Vec3::new(m[c][0], m[c][1], m[c][2]);
            column(0) * p.x + column(1) * p.y + column(2) * p.z + column(3)
        };
        assert!(apply(t.translation).length() < 1e-6);
        let p = Vec3::new(0.3, -0.2, 0.5);
        assert!(apply(t.point(p)).distance(p) < 1e-6);
    }
}

#[test]
fn equal_input_gives_equal_bytes() {
    let skeleton = skeleton_of(&NAMES);
    assert_eq!(swing_bytes(&skeleton), swing_bytes(&skeleton));
}

#[test]
fn names_that_tell_nothing_still_give_a_whole_mannequin() {
    let odd = ["", "\"q\"", "骨", "a\\b", "<c>", "\u{7f}", "7", " ", "\n"];
    let file = gltf::Gltf::from_slice(&swing_bytes(&skeleton_of(&odd))).unwrap();
    assert_eq!(file.nodes().map(|n| n.name().unwrap().to_owned()).take(9).collect::<Vec<_>>(), odd);
    assert_eq!(file.meshes().next().unwrap().primitives().len(), 1);
}

#[test]
fn a_lone_joint_and_no_clips_make_a_file() {
    let lone = Skeleton::new(vec!["Only".into()], vec![None], vec![Transform::IDENTITY]).unwrap();
    let file = gltf::Gltf::from_slice(&bytes(&lone, &[])).unwrap();
    assert_eq!((file.nodes().len(), file.animations().len()), (2, 0));
    let one =
        GlbClip { name: "", rate_hz: 60.0, translations: &[Vec3::ZERO], rotations: &[Quat::IDENTITY], events: &[] };
    assert_eq!(gltf::Gltf::from_slice(&bytes(&lone, &[one])).unwrap().animations().len(), 1);
}

#[test]
fn unusable_clips_and_options_are_refused_before_a_byte_is_written() {
    assert!(refusal(30.0, |t, _| t.truncate(10)).contains("10 translations and 279 rotations"));
    assert!(refusal(30.0, |t, r| (t.truncate(10), r.truncate(10)).0).contains("whole frames of 9 joints"));
    assert!(refusal(30.0, |t, r| (t.clear(), r.clear()).0).contains("has no frames"));
    assert!(refusal(f32::NAN, |_, _| ()).contains("NaN frames per second"));
    assert!(refusal(30.0, |t, _| t[9 * 3 + 4].y = f32::INFINITY).contains("frame 3, joint `Head`"));
    assert!(refusal(30.0, |_, r| r[9 * 2 + 1].w = f32::NAN).contains("frame 2, joint `Hips`"));
    assert!(refusal(30.0, |_, r| r[0] = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)).contains("frame 0, joint `Root`"));
    let options = GlbOptions { corners: 2, ..GlbOptions::default() };
    let error = write(&skeleton_of(&NAMES), &[], &options, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "option `corners` is 2: expected 3 to 64");
}
