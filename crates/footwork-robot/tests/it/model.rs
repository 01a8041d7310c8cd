//! Models are read as MuJoCo reads them; mistakes are named with file and line.

use crate::PERSON;
use footwork_robot::{Parts, Placed, RobotModel, RobotSkeleton};
use glam::{DMat4, DQuat, DVec3};
use std::collections::BTreeMap;

fn parse(body: &str) -> Result<RobotModel, String> {
    let text =
        format!("<mujoco model=\"m\">\n<compiler angle=\"radian\"/>\n<worldbody>\n{body}\n</worldbody></mujoco>");
    RobotModel::parse(&text, "m.xml").map_err(|e| e.to_string())
}

fn placed(model: &RobotModel, pose: &[f64]) -> Placed {
    let mut placed = Placed::default();
    model.place(pose, &mut placed);
    placed
}

#[test]
fn a_model_has_its_bodies_hinges_and_limits_in_order() {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    assert_eq!((model.name.as_str(), model.bodies.len(), model.hinges.len()), ("person", 17, 25));
    let names: Vec<&str> = model.hinges.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(names[..4], ["waist_yaw", "waist_roll", "waist_pitch", "left_shoulder_pitch"]);
    let knee = &model.hinges[names.iter().position(|n| *n == "left_knee").unwrap()];
    let [low, high] = knee.range.unwrap();
    assert!((low + 5.0_f64.to_radians()).abs() < 1e-12 && (high - 150.0_f64.to_radians()).abs() < 1e-12);
    assert_eq!((knee.axis, knee.anchor), (DVec3::Y, DVec3::new(0.0, 0.0, 0.01)));
    let foot = model.bodies.iter().find(|b| b.name == "left_foot").unwrap();
    assert_eq!(foot.balls.len(), 8, "the corners of a box by its default class");
}

/// The chain of homogeneous matrices: another way to compute the same places.
#[test]
fn bodies_are_where_products_of_matrices_put_them() {
    let body = "<body name='a' pos='1 2 3'><freejoint/><geom size='0.1'/>
        <frame pos='0 0 0.5' euler='0 0 1.5707963267948966'>
          <body name='b' pos='0.2 0 0' quat='1 1 0 0'>
            <joint name='p' axis='0 0 2' pos='0.1 0 0'/><joint name='q' axis='1 0 0' pos='0 0.3 0' ref='0.25'/>
            <body name='c' pos='0 0 0.4' axisangle='0 1 0 0.3'/>
          </body>
        </frame></body>";
    let model = parse(body).unwrap();
    let root = DQuat::from_xyzw(0.1, -0.3, 0.2, 0.9).normalize();
    let pose = [0.3, -0.2, 1.0, root.w, root.x, root.y, root.z, 0.7, -0.4];
    let turn = |axis: DVec3, anchor: DVec3, rad: f64| {
        DMat4::from_translation(anchor) * DMat4::from_axis_angle(axis, rad) * DMat4::from_translation(-anchor)
    };
    let a = DMat4::from_rotation_translation(root, DVec3::new(0.3, -0.2, 1.0));
    let frame =
        DMat4::from_translation(DVec3::new(0.0, 0.0, 0.5)) * DMat4::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let b = a
        * frame
        * DMat4::from_translation(DVec3::new(0.2, 0.0, 0.0))
        * DMat4::from_rotation_x(std::f64::consts::FRAC_PI_2)
        * turn(DVec3::Z, DVec3::new(0.1, 0.0, 0.0), 0.7)
        * turn(DVec3::X, DVec3::new(0.0, 0.3, 0.0), -0.4 - 0.25);
    let c = b * DMat4::from_translation(DVec3::new(0.0, 0.0, 0.4)) * DMat4::from_rotation_y(0.3);
    let found = placed(&model, &pose);
    for (k, expected) in [a, b, c].iter().enumerate() {
        let point = DVec3::new(0.3, -0.1, 0.2);
        let away = (found.point(k, point) - expected.transform_point3(point)).length();
        assert!(away < 1e-12, "{}: {away} m", model.bodies[k].name);
    }
    assert!((found.axes[1] - b.transform_vector3(DVec3::X)).length() < 1e-12);
}

#[test]
fn files_are_included_and_mistakes_have_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "main.xml",
        "<mujoco>\n<include file='defaults.xml'/>\n<worldbody><include file='body.xml'/></worldbody></mujoco>",
    );
    write("defaults.xml", "<mujoco><default><joint axis='1 0 0' range='-10 20'/></default></mujoco>");
    write("body.xml", "<mujoco><body name='a'><freejoint/>\n<body name='b'><joint name='j'/></body></body></mujoco>");
    let model = RobotModel::load(&dir.path().join("main.xml")).unwrap();
    assert_eq!(model.hinges[0].axis, DVec3::X);
    assert!((model.hinges[0].range.unwrap()[1] - 20.0_f64.to_radians()).abs() < 1e-12);
    write(
        "body.xml",
        "<mujoco><body name='a'><freejoint/>\n<body name='b'><joint name='j' type='ball'/></body></body></mujoco>",
    );
    let error = RobotModel::load(&dir.path().join("main.xml")).unwrap_err().to_string();
    for part in ["body.xml, line 2", "`j`", "expected hinge", "found `ball`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    write("body.xml", "<mujoco><include file='body.xml'/></mujoco>");
    assert!(RobotModel::load(&dir.path().join("main.xml")).unwrap_err().to_string().contains("twice"));
    assert!(RobotModel::load(&dir.path().join("none.xml")).unwrap_err().to_string().contains("none.xml"));
}

#[test]
fn invalid_models_are_rejected() {
    for (body, expected) in [
        ("<body name='a'><joint/></body>", "free joint"),
        ("<body><freejoint/><body name='b'><joint axis='0 0 0'/></body></body>", "`axis`"),
        ("<body><freejoint/><body name='b'><joint range='1 x'/></body></body>", "`range`: expected 2 finite numbers"),
        ("<body><freejoint/><body name='b'><joint range='1 0'/></body></body>", "a lower and a higher angle"),
        ("<body><freejoint/><body class='c'><joint class='c'/></body></body>", "default class"),
        ("<body name='a'><freejoint/><body name='a'/></body>", "used twice"),
        ("<body><freejoint/></body><body><joint/></body>", "a second"),
        ("<body quat='0 0 0 0'><freejoint/></body>", "`quat`"),
        ("<body><freejoint/><replicate/></body>", "not supported"),
    ] {
        let error = parse(body).unwrap_err();
        assert!(error.starts_with("m.xml, line ") && error.contains(expected), "{body}: {error}");
    }
    assert!(RobotModel::parse("<robot/>", "r.urdf").unwrap_err().to_string().contains("MJCF"));
    assert!(RobotModel::parse("<mujoco", "x.xml").unwrap_err().to_string().contains("x.xml, line 1"));
}

#[test]
fn limbs_are_found_by_names_else_by_shape_and_can_be_given() {
    let find = |text: &str, given: &[(&str, &str)]| {
        let model = RobotModel::parse(text, "p.xml").unwrap();
        let given: BTreeMap<String, String> = given.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        Parts::find(&model, &given).map_err(|e| e.to_string())
    };
    let parts = find(PERSON, &[]).unwrap();
    assert_eq!((parts.legs[0].upper.len(), parts.legs[0].lower.len()), (3, 2));
    assert_eq!((parts.waist.len(), parts.arms[1].as_ref().unwrap().upper.len()), (3, 3));
    // Names that say nothing: letters instead of words.
    let mut nameless = PERSON.to_owned();
    for (k, word) in ["left_", "right_", "knee", "elbow"].iter().enumerate() {
        nameless = nameless.replace(word, ["k", "q", "x", "z"][k]);
    }
    assert_eq!(find(&nameless, &[]).unwrap(), parts);
    let given = find(PERSON, &[("left_hand", "left_fore_arm")]).unwrap();
    assert_ne!(given.arms[0], parts.arms[0]);
    assert!(find(PERSON, &[("tail", "head")]).unwrap_err().contains("part `tail`"));
    assert!(find(PERSON, &[("left_foot", "nobody")]).unwrap_err().contains("`nobody`"));
}

#[test]
fn a_pose_of_the_skeleton_gives_the_angles_back() {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    let skeleton = RobotSkeleton::new(&model).unwrap();
    let mut pose = model.zero_pose();
    for (h, hinge) in model.hinges.iter().enumerate() {
        let [low, high] = hinge.range.unwrap();
        pose[7 + h] = low + (high - low) * (0.1 + 0.8 * ((h * 7 % 10) as f64 / 10.0));
    }
    let clip = footwork_robot::RobotClip {
        name: "pose".into(),
        rate_hz: 50.0,
        poses: pose.clone(),
        contacts: [vec![false], vec![false]],
        annotations: Default::default(),
        looping: false,
    };
    let raw = skeleton.to_clip(&model, &clip);
    let mut world = Vec::new();
    raw.world(0, &mut world);
    let found = placed(&model, &pose);
    for (b, body) in model.bodies.iter().enumerate() {
        let joint = skeleton.skeleton.find(&body.name).unwrap();
        // The joint is on the axis of the last hinge, where the body may have its origin elsewhere.
        let anchor = body.hinges.clone().last().map_or(DVec3::ZERO, |h| model.hinges[h].anchor);
        let at = world[joint.at()].translation;
        let away = found.point(b, anchor) - DVec3::new(at.z.into(), at.x.into(), at.y.into());
        assert!(away.length() < 1e-6, "{}: {away}", body.name);
    }
    let rotations: Vec<_> = skeleton.joint_of_hinge.iter().map(|j| raw.rotations[*j]).collect();
    let mut back = vec![0.0; pose.len()];
    skeleton.pose(&model, world[0], &rotations, &mut back);
    for (k, (a, b)) in pose.iter().zip(&back).enumerate() {
        assert!((a - b).abs() < 1e-6, "value {k}: {a} and {b}");
    }
}
