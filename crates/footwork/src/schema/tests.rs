//! Tests of `schema`.

use super::*;
use crate::math::{Quat, Transform};

fn skeleton() -> Skeleton {
    let names = ["Root", "Hips", "LeftFoot", "RightFoot", "LeftToe", "RightToe"];
    Skeleton::new(
        names.map(String::from).to_vec(),
        [None, Some(0), Some(1), Some(1), Some(2), Some(3)].map(|p| p.map(JointIndex)).to_vec(),
        vec![
            Transform::IDENTITY,
            Transform::new(Vec3::Y, Quat::IDENTITY),
            Transform::new(Vec3::new(0.1, -0.9, 0.0), Quat::IDENTITY),
            Transform::new(Vec3::new(-0.1, -0.9, 0.0), Quat::IDENTITY),
            Transform::new(Vec3::Z * 0.1, Quat::IDENTITY),
            Transform::new(Vec3::Z * 0.1, Quat::IDENTITY),
        ],
    )
    .unwrap()
}

fn by_name(preset: Preset) -> Vec<ChannelSpec> {
    let mut specs = preset.channels();
    for s in &mut specs {
        s.joint = s.joint.take().map(|j| match j.as_str() {
            "left_foot" => "LeftFoot".into(),
            "right_foot" => "RightFoot".into(),
            _ => "Hips".into(),
        });
    }
    specs
}

#[test]
fn presets_have_the_columns_they_promise() {
    let columns = |p| FeatureSchema::resolve(&by_name(p), &[], &skeleton(), &[]).unwrap().columns;
    assert_eq!([columns(Preset::Holden), columns(Preset::O3de), columns(Preset::Quadruped)], [27, 59, 39]);
}

#[test]
fn mistakes_are_named() {
    let s = skeleton();
    let error = |spec: ChannelSpec| FeatureSchema::resolve(&[spec], &[], &s, &[JointIndex(4)]).unwrap_err().to_string();
    let joint = |j| ChannelSpec::joint(ChannelType::JointPosition, j, 1.0);
    let times = |t: &[f32]| ChannelSpec::trajectory(ChannelType::TrajectoryPosition, t, 1.0);
    assert!(error(joint("LeftFot")).contains("nearest is `LeftFoot`"));
    assert!(error(times(&[])).contains("times_s"));
    assert!(error(times(&[0.0])).contains("never changes"));
    assert!(error(times(&[0.5, 0.5])).contains("twice"));
    assert!(error(times(&[f32::NAN])).contains("-10 to 10"));
    assert!(error(ChannelSpec { weight: 0.0, ..joint("Hips") }).contains("weight"));
    assert!(error(ChannelSpec { dimensions: 4, ..times(&[1.0]) }).contains("2 (ground)"));
    assert!(error(ChannelSpec { times_s: vec![1.0], ..joint("Hips") }).contains("`times_s` means nothing"));
    assert!(error(ChannelSpec { relative_to: Some("Hips".into()), ..joint("Hips") }).contains("itself"));
    assert!(error(ChannelSpec::joint(ChannelType::Contact, "Hips", 1.0)).contains("LeftToe"));
    assert_eq!(FeatureSchema::resolve(&[], &[], &s, &[]), Err(SchemaError::Empty));
}

#[test]
fn mirrored_columns_come_from_the_counterpart_and_back() {
    let s = skeleton();
    let schema = FeatureSchema::resolve(&by_name(Preset::Holden), &[], &s, &[]).unwrap();
    let table = MirrorTable::new(&s, &[], &[]).unwrap();
    let columns = schema.mirror_columns(&table).unwrap();
    assert_eq!(columns[0], MirrorColumn { column: 3, sign: -1.0 });
    for (c, m) in columns.iter().enumerate() {
        assert_eq!(columns[m.column].column, c);
        assert_eq!(columns[m.column].sign, m.sign);
    }
    let one_sided = [ChannelSpec::joint(ChannelType::JointPosition, "LeftFoot", 1.0)];
    let schema = FeatureSchema::resolve(&one_sided, &[], &s, &[]).unwrap();
    assert!(matches!(schema.mirror_columns(&table), Err(SchemaError::NoMirror { .. })));
}

#[test]
fn props_stand_beside_their_joint() {
    let s = skeleton();
    let prop = PropSpec { name: "tip".into(), joint: "LeftFoot".into(), offset_m: [0.0, 0.0, 2.0] };
    let spec = ChannelSpec::joint(ChannelType::JointPosition, "tip", 1.0);
    let schema = FeatureSchema::resolve(&[spec], &[prop], &s, &[]).unwrap();
    let mut motion = crate::pose::RootMotion::zero(6);
    motion.rotations[2] = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let source = FeatureSource { motion: &motion, accelerations: &[], trajectory: &[], contacts: &[], user: &[] };
    let mut out = [0.0; 3];
    schema.extract(&source, &mut out);
    assert!((Vec3::from_array(out) - Vec3::X * 2.0).length() < 1e-5);
}

#[test]
fn props_out_of_this_world_are_refused() {
    let spec = ChannelSpec::joint(ChannelType::JointPosition, "tip", 1.0);
    for far in [1e4, 1e30, f32::NAN, f32::INFINITY] {
        let prop = PropSpec { name: "tip".into(), joint: "LeftFoot".into(), offset_m: [0.0, -far, 0.0] };
        let e = FeatureSchema::resolve(std::slice::from_ref(&spec), &[prop], &skeleton(), &[]).unwrap_err();
        assert!(e.to_string().contains("prop `tip`") && e.to_string().contains("1000 m"), "{e}");
    }
}

#[test]
fn column_labels_say_joint_time_and_axis() {
    let schema = FeatureSchema::resolve(&by_name(Preset::Holden), &[], &skeleton(), &[]).unwrap();
    assert_eq!(schema.column_label(4), "RightFoot position y");
    assert_eq!(schema.column_label(20), "trajectory position +1.00 s z");
    assert_eq!(schema.column_label(21), "trajectory facing +0.33 s x");
}
