//! The game's own models are recognised without naming joints, for any proportions, axes and rest pose.

use crate::common::*;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use bevy_footwork::{MotionKind, MotionOutput};
use bevy_math::{Quat, Vec3};
use bevy_transform::prelude::*;
use footwork::frames::JointIndex;
use footwork::pose::{Pose, PoseVelocity};

fn mixamo(name: &str) -> String {
    let name = if name == "LeftToe" || name == "RightToe" { format!("{name}Base") } else { name.to_owned() };
    format!("mixamorig:{name}")
}

fn unreal(name: &str) -> String {
    let (side, part) = match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
        (Some(part), _) => ("_l", part),
        (_, Some(part)) => ("_r", part),
        _ => ("", name),
    };
    let part = match part {
        "Root" => "root",
        "Hips" => "pelvis",
        "UpLeg" => "thigh",
        "Leg" => "calf",
        "Foot" => "foot",
        "Toe" => "ball",
        "Spine" => "spine_01",
        "Spine1" => "spine_02",
        "Spine2" => "spine_03",
        "Neck" => "neck_01",
        "Head" => "head",
        "Shoulder" => "clavicle",
        "Arm" => "upperarm",
        "ForeArm" => "lowerarm",
        "Hand" => "hand",
        other => other,
    };
    format!("{part}{side}")
}

fn vrm(name: &str) -> String {
    let (side, part) = match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
        (Some(part), _) => ("L_", part),
        (_, Some(part)) => ("R_", part),
        _ => ("C_", name),
    };
    let part = match part {
        "UpLeg" => "UpperLeg",
        "Leg" => "LowerLeg",
        "Toe" => "ToeBase",
        "Arm" => "UpperArm",
        "ForeArm" => "LowerArm",
        "Spine1" => "Chest",
        "Spine2" => "UpperChest",
        other => other,
    };
    format!("J_Bip_{side}{part}")
}

/// Proportions with longer legs, thighs more than shins, and short arms.
fn lanky(name: &str) -> f32 {
    match name {
        n if n.ends_with("Leg") && !n.ends_with("UpLeg") => 1.3,
        n if n.ends_with("Foot") => 1.15,
        n if n.ends_with("Arm") || n.ends_with("Hand") => 0.9,
        _ => 1.0,
    }
}

/// Proportions of a small body with a big head.
fn short(name: &str) -> f32 {
    match name {
        n if n.ends_with("Leg") || n.ends_with("Foot") => 0.6,
        n if n.ends_with("Toe") => 0.8,
        _ => 0.85,
    }
}

/// Slide of planted feet, in cm/s, and maximum distance of their soles from the ground, in cm, for the clips' body and the model.
struct Feet {
    slide_cm_s: [f32; 2],
    off_ground_cm: f32,
    planted: usize,
}

fn walk_about(app: &mut App, e: Entity, joints: &[Entity]) -> Feet {
    let kind = app.world().get::<MotionKind>(e).unwrap();
    let (character, scale) = (kind.character.clone(), kind.scale);
    let skeleton = character.skeleton().clone();
    let mut rest = Vec::new();
    let mut feet = Feet { slide_cm_s: [0.0; 2], off_ground_cm: 0.0, planted: 0 };
    let mut last: Vec<Option<[Vec3; 2]>> = vec![None; 2];
    for contact in &character.rig().contact_joints {
        rest.push(skeleton.rest_model()[contact.at()].translation.y);
    }
    for frame in 0..900 {
        let wish = [(0.0, 1.6), (1.2, 1.2), (0.0, 0.0), (-3.0, 1.0), (0.0, -1.5)][frame / 180];
        *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(wish.0, wish.1);
        app.update();
        let output = &app.world().get::<MotionOutput>(e).unwrap().0;
        for (k, contact) in output.contacts.iter().enumerate() {
            let root = output.pose.world_from_root();
            let source = root.point(output.pose.in_root(&skeleton, contact.joint).translation);
            let source = Vec3::from_array(source.to_array()) * scale;
            let shown = global(app, joints[contact.joint.at()]).translation();
            if contact.touching {
                if let Some([s, m]) = last[k] {
                    let level = Vec3::new(1.0, 0.0, 1.0);
                    feet.slide_cm_s[0] += ((source - s) * level).length() * 6000.0;
                    feet.slide_cm_s[1] += ((shown - m) * level).length() * 6000.0;
                    feet.planted += 1;
                    let off = (shown.y - source.y - (model_toe(app, joints, contact.joint) - rest[k] * scale)).abs();
                    feet.off_ground_cm = feet.off_ground_cm.max(100.0 * off);
                }
                last[k] = Some([source, shown]);
            } else {
                last[k] = None;
            }
        }
    }
    feet.slide_cm_s = feet.slide_cm_s.map(|s| s / feet.planted as f32);
    feet
}

#[derive(Component)]
struct RestHeight(f32);

fn model_toe(app: &App, joints: &[Entity], toe: JointIndex) -> f32 {
    app.world().get::<RestHeight>(joints[toe.at()]).unwrap().0
}

fn with_model(look: &Look) -> (App, Entity, Vec<Entity>) {
    let mut app = at_60_hz();
    let db = clips();
    let e = app.world_mut().spawn(Transform::default()).id();
    let joints = spawn_model(&mut app, e, &db.skeleton, look);
    for joint in &joints {
        let height = global(&app, *joint).translation().y;
        app.world_mut().entity_mut(*joint).insert(RestHeight(height));
    }
    let handle = add_clips(&mut app, db);
    app.world_mut().entity_mut(e).insert(MotionCharacter::new(handle));
    until_ready(&mut app, e);
    assert!(app.world().get::<MotionModel>(e).is_some(), "the model was not recognised");
    (app, e, joints)
}

#[test]
fn a_model_with_the_clips_skeleton_shows_their_poses_as_they_are() {
    let (mut app, e, joints) = with_model(&Look::default());
    *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(0.5, 1.5);
    for _ in 0..200 {
        app.update();
    }
    let output = output(&app, e);
    for (j, joint) in joints.iter().enumerate().skip(1) {
        let shown = app.world().get::<Transform>(*joint).unwrap();
        let (t, r) = (output.pose.translations[j], output.pose.rotations[j]);
        assert!((shown.translation - Vec3::from_array(t.to_array())).length() < 1e-5, "joint {j}");
        assert!(shown.rotation.dot(Quat::from_array(r.to_array())).abs() > 1.0 - 1e-5, "joint {j}");
    }
}

#[test]
fn feet_of_any_model_stand_on_the_ground_and_slide_no_more_than_the_clips() {
    let quarter = std::f32::consts::FRAC_PI_2;
    let looks = [
        ("Mixamo, A-pose, centimetres", Look { name: mixamo, arms_rad: 0.8, armature: Some(100.0), ..Look::default() }),
        (
            "Unreal, lanky, other axes",
            Look { name: unreal, length: lanky, axes: Quat::from_rotation_z(quarter), ..Look::default() },
        ),
        (
            "VRM, short",
            Look { name: vrm, length: short, axes: Quat::from_rotation_x(-quarter), arms_rad: 0.5, ..Look::default() },
        ),
    ];
    for (name, look) in looks {
        let (mut app, e, joints) = with_model(&look);
        let feet = walk_about(&mut app, e, &joints);
        println!(
            "{name}: {} planted frames, slide {:.2} cm/s (clips {:.2}), at most {:.2} cm off the ground",
            feet.planted, feet.slide_cm_s[1], feet.slide_cm_s[0], feet.off_ground_cm
        );
        assert!(feet.planted > 500, "{name}: {}", feet.planted);
        assert!(feet.off_ground_cm < 1.0, "{name}: {} cm off the ground", feet.off_ground_cm);
        assert!(feet.slide_cm_s[1] < feet.slide_cm_s[0] + 1.0, "{name}: {:?} cm/s", feet.slide_cm_s);
    }
}

/// A model that lies on its back in its rest pose, as some files have it, until the game's animation makes it walk.
#[test]
fn a_body_that_lies_in_its_rest_pose_is_known_by_its_motion() {
    let mut app = at_60_hz();
    let db = clips();
    let e = app.world_mut().spawn(Transform::default()).id();
    let joints = spawn_model(&mut app, e, &db.skeleton, &Look { name: mixamo, ..Look::default() });
    let hips = db.skeleton.find("Hips").unwrap().at();
    let lying = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    app.world_mut().get_mut::<Transform>(joints[hips]).unwrap().rotation = lying;
    let handle = add_clips(&mut app, db.clone());
    app.world_mut().entity_mut(e).insert(MotionCharacter::new(handle));
    until_ready(&mut app, e);
    let knows = |app: &App| app.world().get::<MotionModel>(e).is_some();
    for _ in 0..200 {
        app.update();
        assert!(!knows(&app), "what lies still is not known");
    }
    let walk_125 = db.clips.iter().find(|c| c.name == "walk_125").unwrap();
    let first = walk_125.frame_range().start;
    let mut frames = 0;
    while !knows(&app) {
        assert!(frames < walk_125.frames as usize, "not known after {frames} frames");
        let frame = footwork::frames::FrameIndex::new(first + frames);
        let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        db.sample_pose(frame, 0.0, &mut pose, &mut velocity);
        for j in 1..db.skeleton.len() {
            let mut at = app.world_mut().get_mut::<Transform>(joints[j]).unwrap();
            at.translation = Vec3::from_array(pose.translations[j].to_array());
            at.rotation = Quat::from_array(pose.rotations[j].to_array());
        }
        app.update();
        frames += 1;
    }
    assert!(frames > 30, "known too early, after {frames} frames");
    let scale = app.world().get::<MotionKind>(e).unwrap().scale;
    assert!((scale - 1.0).abs() < 0.01, "{scale}");
    *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(0.0, 1.5);
    let parts = [("LeftToe", 0.01), ("RightToe", 0.01), ("Head", 0.05), ("LeftHand", 0.05)];
    let mut furthest_m = [0.0f32; 4];
    for _ in 0..300 {
        app.update();
        let shown = output(&app, e).pose.clone();
        for ((name, _), furthest_m) in parts.iter().zip(&mut furthest_m) {
            let joint = db.skeleton.find(name).unwrap();
            let source = shown.world_from_root().point(shown.in_root(&db.skeleton, joint).translation);
            let source = Vec3::from_array(source.to_array());
            *furthest_m = furthest_m.max((global(&app, joints[joint.at()]).translation() - source).length());
        }
    }
    println!("a body known by a second of walking: {parts:?} are off by at most {furthest_m:?} m");
    // The axes of joints are estimated from one walk.
    assert!(parts.iter().zip(furthest_m).all(|((_, most_m), off_m)| off_m < *most_m), "{furthest_m:?}");
}

#[test]
fn a_mask_leaves_joints_to_bevy_and_a_weight_blends() {
    let (mut app, e, joints) = with_model(&Look::default());
    let db = clips();
    let at = |name: &str| joints[db.skeleton.find(name).unwrap().at()];
    let wave = Quat::from_rotation_z(1.0);
    let arm = at("LeftArm");
    // Bevy's animation writes before motion matching in every frame.
    app.add_systems(
        PostUpdate,
        (move |mut joints: Query<&mut Transform>| joints.get_mut(arm).unwrap().rotation = wave)
            .in_set(bevy_app::AnimationSystems),
    );
    *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(0.0, 1.5);
    app.update();
    assert!(app.world().get::<Transform>(arm).unwrap().rotation.dot(wave).abs() < 0.99, "motion has the arm");
    app.world_mut().entity_mut(e).insert(MotionMask::without(["left_up_arm"]));
    for _ in 0..60 {
        app.update();
        assert_eq!(app.world().get::<Transform>(arm).unwrap().rotation, wave);
    }
    let knee = app.world().get::<Transform>(at("LeftLeg")).unwrap().rotation;
    assert!(knee.angle_between(Quat::IDENTITY) > 0.01, "the legs walk");
    app.world_mut().entity_mut(e).insert(MotionMask { joints: vec![("left_up_arm".into(), 0.5)], weight: 1.0 });
    app.update();
    let clip = output(&app, e).pose.rotations[db.skeleton.find("LeftArm").unwrap().at()];
    let shown = app.world().get::<Transform>(arm).unwrap().rotation;
    let (to_wave, to_clip) = (shown.angle_between(wave), shown.angle_between(Quat::from_array(clip.to_array())));
    assert!((to_wave - to_clip).abs() < 0.01 && to_wave > 0.05, "{to_wave} and {to_clip}");
    app.world_mut().entity_mut(e).remove::<MotionMask>();
    app.update();
    assert!(app.world().get::<Transform>(arm).unwrap().rotation.dot(wave).abs() < 0.99, "motion has the arm again");
}

#[test]
fn motion_goes_on_from_the_pose_that_others_have_left() {
    let (mut app, e, joints) = with_model(&Look { name: unreal, length: lanky, ..Look::default() });
    for _ in 0..30 {
        app.update();
    }
    app.world_mut().entity_mut(e).insert(MotionPaused);
    let db = clips();
    let knee = joints[db.skeleton.find("LeftLeg").unwrap().at()];
    let bent = Quat::from_rotation_x(1.2);
    for _ in 0..30 {
        app.world_mut().get_mut::<Transform>(knee).unwrap().rotation = bent;
        app.world_mut().get_mut::<Transform>(e).unwrap().translation = Vec3::new(5.0, 0.0, 5.0);
        app.update();
        assert_eq!(app.world().get::<Transform>(knee).unwrap().rotation, bent, "others have the model");
    }
    app.world_mut().entity_mut(e).remove::<MotionPaused>();
    app.update();
    let first = app.world().get::<Transform>(knee).unwrap().rotation.angle_between(bent);
    assert!(first < 0.35, "the knee jumped by {first} rad");
    assert!((place(&app, e) - Vec3::new(5.0, 0.0, 5.0)).length() < 0.1, "{}", place(&app, e));
    for _ in 0..90 {
        app.update();
    }
    let settled = app.world().get::<Transform>(knee).unwrap().rotation.angle_between(bent);
    assert!(settled > 0.8, "the pose was blended out: {settled}");
}

#[test]
fn another_model_in_the_place_of_the_first_is_fitted_anew() {
    let (mut app, e, joints) = with_model(&Look::default());
    app.world_mut().entity_mut(joints[0]).despawn();
    let look = Look { name: mixamo, length: short, ..Look::default() };
    let joints = spawn_model(&mut app, e, &clips().skeleton, &look);
    *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(0.0, 1.5);
    for _ in 0..60 {
        app.update();
    }
    let kind = app.world().get::<MotionKind>(e).unwrap();
    assert!((0.5..0.75).contains(&kind.scale), "{}", kind.scale);
    let knee = app.world().get::<Transform>(joints[3]).unwrap().rotation;
    assert!(knee.angle_between(Quat::IDENTITY) > 0.005);
}

#[cfg(feature = "camera")]
#[test]
fn a_character_that_no_camera_sees_is_told_once_with_its_place() {
    use bevy_camera::Camera;
    use bevy_camera::visibility::VisibleEntities;
    use std::any::TypeId;
    use std::sync::Mutex;
    alone("models::a_character_that_no_camera_sees_is_told_once_with_its_place", || {
        static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
        tracing::subscriber::set_global_default(Log(&LOG)).unwrap();
        let told =
            || LOG.lock().unwrap().iter().filter(|m| m.contains("no camera sees it")).cloned().collect::<Vec<_>>();
        // An app without window and camera has nothing to see with.
        let (mut app, _, _) = with_model(&Look::default());
        run(&mut app, 300);
        assert_eq!(told(), Vec::<String>::new());

        let camera = |app: &mut App, seen: Vec<Entity>, active: bool| {
            let visible = VisibleEntities { entities: [(TypeId::of::<()>(), seen)].into_iter().collect() };
            let behind = Transform::from_xyz(0.0, 1.0, 5.0).looking_to(Vec3::Z, Vec3::Y);
            app.world_mut().spawn((Camera { is_active: active, ..Camera::default() }, visible, behind)).id()
        };
        let (mut app, _, joints) = with_model(&Look::default());
        camera(&mut app, vec![joints[0]], true);
        run(&mut app, 300);
        assert_eq!(told(), Vec::<String>::new(), "a camera sees it");

        let (mut app, e, _) = with_model(&Look::default());
        camera(&mut app, vec![], true);
        run(&mut app, 60);
        assert_eq!(told(), Vec::<String>::new(), "2 s have not passed");
        run(&mut app, 600);
        let [line] = &told()[..] else { panic!("{:?}", told()) };
        let place = app.world().get::<GlobalTransform>(e).unwrap().translation();
        assert!(line.contains(&format!("it is at {place}")) && line.contains("looks along"), "{line}");

        let (mut app, _, _) = with_model(&Look::default());
        camera(&mut app, vec![], false);
        run(&mut app, 300);
        assert!(told().len() == 2 && told()[1].contains("there is no active camera"), "{:?}", told());
    });
}
