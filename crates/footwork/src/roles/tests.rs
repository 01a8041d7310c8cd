//! Roles of common rigs.

use super::*;
use crate::math::{Quat, Transform};

/// Creates a skeleton from lines with a joint's name each, indented by one space per level; only names and hierarchy are set.
fn rig(lines: &str) -> Skeleton {
    let mut names = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    let mut parents = Vec::new();
    for line in lines.lines().filter(|l| !l.trim().is_empty()) {
        let level = line.len() - line.trim_start().len();
        let parent = levels.iter().rposition(|l| *l < level).map(JointIndex::new);
        levels.push(level);
        parents.push(parent);
        names.push(line.trim().to_owned());
    }
    let joints = names.len();
    Skeleton::new(names, parents, vec![Transform::IDENTITY; joints]).unwrap()
}

/// Returns the lines of a limb: joints one level deeper each.
fn limb(level: usize, joints: &[&str]) -> String {
    joints.iter().enumerate().map(|(i, j)| format!("{}{j}\n", " ".repeat(level + i))).collect()
}

/// A rig with its main roles in this order: hips, spine, chest, neck, head, then shoulder, up_arm, fore_arm, hand, up_leg, leg,
/// foot and toe of the left; `-` for a role that the rig lacks. The right side is expected accordingly.
struct Expected {
    rig: &'static str,
    above: &'static [&'static str],
    trunk: &'static [&'static str],
    neck: &'static [&'static str],
    /// Names with `<` for the side.
    arm: &'static [&'static str],
    leg: &'static [&'static str],
    sides: [&'static str; 2],
    /// hips, spine, chest, neck, head.
    centre: [&'static str; 5],
    /// shoulder, up_arm, fore_arm, hand, up_leg, leg, foot, toe.
    left: [&'static str; 8],
}

const RIGS: &[Expected] = &[
    Expected {
        rig: "LAFAN1",
        above: &["SimulationBone"],
        trunk: &["Hips", "Spine", "Spine1", "Spine2"],
        neck: &["Neck", "Head"],
        arm: &["<Shoulder", "<Arm", "<ForeArm", "<Hand"],
        leg: &["<UpLeg", "<Leg", "<Foot", "<Toe"],
        sides: ["Left", "Right"],
        centre: ["Hips", "Spine", "Spine2", "Neck", "Head"],
        left: ["<Shoulder", "<Arm", "<ForeArm", "<Hand", "<UpLeg", "<Leg", "<Foot", "<Toe"],
    },
    Expected {
        rig: "Mixamo",
        above: &[],
        trunk: &["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"],
        neck: &["mixamorig:Neck", "mixamorig:Head", "mixamorig:HeadTop_End"],
        arm: &[
            "mixamorig:<Shoulder",
            "mixamorig:<Arm",
            "mixamorig:<ForeArm",
            "mixamorig:<Hand",
            "mixamorig:<HandThumb1",
        ],
        leg: &["mixamorig:<UpLeg", "mixamorig:<Leg", "mixamorig:<Foot", "mixamorig:<ToeBase", "mixamorig:<Toe_End"],
        sides: ["Left", "Right"],
        centre: ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine2", "mixamorig:Neck", "mixamorig:Head"],
        left: [
            "mixamorig:<Shoulder",
            "mixamorig:<Arm",
            "mixamorig:<ForeArm",
            "mixamorig:<Hand",
            "mixamorig:<UpLeg",
            "mixamorig:<Leg",
            "mixamorig:<Foot",
            "mixamorig:<ToeBase",
        ],
    },
    Expected {
        rig: "Mixamo, imported again",
        above: &[],
        trunk: &["mixamorig1:Hips", "mixamorig1:Spine", "mixamorig1:Spine1"],
        neck: &["mixamorig1:Neck", "mixamorig1:Head"],
        arm: &["mixamorig1:<Shoulder", "mixamorig1:<Arm", "mixamorig1:<ForeArm", "mixamorig1:<Hand"],
        leg: &["mixamorig1:<UpLeg", "mixamorig1:<Leg", "mixamorig1:<Foot"],
        sides: ["Left", "Right"],
        centre: ["mixamorig1:Hips", "mixamorig1:Spine", "mixamorig1:Spine1", "mixamorig1:Neck", "mixamorig1:Head"],
        left: [
            "mixamorig1:<Shoulder",
            "mixamorig1:<Arm",
            "mixamorig1:<ForeArm",
            "mixamorig1:<Hand",
            "mixamorig1:<UpLeg",
            "mixamorig1:<Leg",
            "mixamorig1:<Foot",
            "-",
        ],
    },
    Expected {
        rig: "Daz, Poser",
        above: &[],
        trunk: &["hip", "abdomen", "chest"],
        neck: &["neck", "head", "leftEye"],
        arm: &["<Collar", "<Shldr", "<ForeArm", "<Hand", "<Thumb1"],
        leg: &["<Thigh", "<Shin", "<Foot", "<Toe"],
        sides: ["l", "r"],
        centre: ["hip", "abdomen", "chest", "neck", "head"],
        left: ["<Collar", "<Shldr", "<ForeArm", "<Hand", "<Thigh", "<Shin", "<Foot", "<Toe"],
    },
    Expected {
        rig: "CMU, converted to BVH",
        above: &[],
        trunk: &["Hips", "LowerBack", "Spine", "Spine1"],
        neck: &["Neck", "Neck1", "Head"],
        arm: &["<Shoulder", "<Arm", "<ForeArm", "<Hand", "<FingerBase", "<HandIndex1"],
        leg: &["?HipJoint", "<UpLeg", "<Leg", "<Foot", "<ToeBase"],
        sides: ["Left", "Right"],
        centre: ["Hips", "LowerBack", "Spine1", "Neck", "Head"],
        left: ["<Shoulder", "<Arm", "<ForeArm", "<Hand", "<UpLeg", "<Leg", "<Foot", "<ToeBase"],
    },
    Expected {
        rig: "Rokoko",
        above: &["Root"],
        trunk: &["Hips", "Spine1", "Spine2", "Spine3", "Spine4"],
        neck: &["Neck", "Head"],
        arm: &["<Shoulder", "<Arm", "<ForeArm", "<Hand"],
        leg: &["<Thigh", "<Shin", "<Foot", "<Toe"],
        sides: ["Left", "Right"],
        centre: ["Hips", "Spine1", "Spine4", "Neck", "Head"],
        left: ["<Shoulder", "<Arm", "<ForeArm", "<Hand", "<Thigh", "<Shin", "<Foot", "<Toe"],
    },
    Expected {
        rig: "Xsens",
        above: &[],
        trunk: &["Pelvis", "L5", "L3", "T12", "T8"],
        neck: &["Neck", "Head"],
        arm: &["<Shoulder", "<UpperArm", "<ForeArm", "<Hand"],
        leg: &["<UpperLeg", "<LowerLeg", "<Foot", "<Toe"],
        sides: ["Left", "Right"],
        centre: ["Pelvis", "L5", "T8", "Neck", "Head"],
        left: ["<Shoulder", "<UpperArm", "<ForeArm", "<Hand", "<UpperLeg", "<LowerLeg", "<Foot", "<Toe"],
    },
    Expected {
        rig: "Unreal mannequin 4",
        above: &["root"],
        trunk: &["pelvis", "spine_01", "spine_02", "spine_03"],
        neck: &["neck_01", "head"],
        arm: &["clavicle_<", "upperarm_<", "lowerarm_<", "hand_<", "index_01_<"],
        leg: &["thigh_<", "calf_<", "foot_<", "ball_<"],
        sides: ["l", "r"],
        centre: ["pelvis", "spine_01", "spine_03", "neck_01", "head"],
        left: ["clavicle_<", "upperarm_<", "lowerarm_<", "hand_<", "thigh_<", "calf_<", "foot_<", "ball_<"],
    },
    Expected {
        rig: "Unreal mannequin 5",
        above: &["root"],
        trunk: &["pelvis", "spine_01", "spine_02", "spine_03", "spine_04", "spine_05"],
        neck: &["neck_01", "neck_02", "head"],
        arm: &["clavicle_<", "upperarm_<", "lowerarm_<", "hand_<"],
        leg: &["thigh_<", "calf_<", "foot_<", "ball_<"],
        sides: ["l", "r"],
        centre: ["pelvis", "spine_01", "spine_05", "neck_01", "head"],
        left: ["clavicle_<", "upperarm_<", "lowerarm_<", "hand_<", "thigh_<", "calf_<", "foot_<", "ball_<"],
    },
    Expected {
        rig: "Unity humanoid",
        above: &["Armature"],
        trunk: &["Hips", "Spine", "Chest", "UpperChest"],
        neck: &["Neck", "Head"],
        arm: &["<Shoulder", "<UpperArm", "<LowerArm", "<Hand"],
        leg: &["<UpperLeg", "<LowerLeg", "<Foot", "<Toes"],
        sides: ["Left", "Right"],
        centre: ["Hips", "Spine", "UpperChest", "Neck", "Head"],
        left: ["<Shoulder", "<UpperArm", "<LowerArm", "<Hand", "<UpperLeg", "<LowerLeg", "<Foot", "<Toes"],
    },
    Expected {
        rig: "SMPL",
        above: &[],
        trunk: &["Pelvis", "Spine1", "Spine2", "Spine3"],
        neck: &["Neck", "Head"],
        arm: &["<_Collar", "<_Shoulder", "<_Elbow", "<_Wrist", "<_Hand"],
        leg: &["<_Hip", "<_Knee", "<_Ankle", "<_Foot"],
        sides: ["L", "R"],
        centre: ["Pelvis", "Spine1", "Spine3", "Neck", "Head"],
        left: ["<_Collar", "<_Shoulder", "<_Elbow", "<_Wrist", "<_Hip", "<_Knee", "<_Ankle", "<_Foot"],
    },
    Expected {
        rig: "ProAnimationBank",
        above: &["Hips"],
        trunk: &["Pelvis", "Spine", "Spine1", "Spine2", "Spine3"],
        neck: &["Neck", "Head", "Bip01HeadNub"],
        arm: &["<Shoulder", "<Arm", "<ForeArm", "<hand", "<HandThumb1"],
        leg: &["<UpLeg", "<Leg", "<Foot", "<FootThumb1", "Bip01?Toe0Nub"],
        sides: ["Left", "Right"],
        centre: ["Pelvis", "Spine", "Spine3", "Neck", "Head"],
        left: ["<Shoulder", "<Arm", "<ForeArm", "<hand", "<UpLeg", "<Leg", "<Foot", "<FootThumb1"],
    },
    Expected {
        rig: "Blender Rigify",
        above: &["root"],
        trunk: &["DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.003"],
        neck: &["DEF-neck", "DEF-head"],
        arm: &["DEF-shoulder.<", "DEF-upper_arm.<", "DEF-forearm.<", "DEF-hand.<"],
        leg: &["DEF-thigh.<", "DEF-shin.<", "DEF-foot.<", "DEF-toe.<"],
        sides: ["L", "R"],
        centre: ["DEF-spine", "DEF-spine.001", "DEF-spine.003", "DEF-neck", "DEF-head"],
        left: [
            "DEF-shoulder.<",
            "DEF-upper_arm.<",
            "DEF-forearm.<",
            "DEF-hand.<",
            "DEF-thigh.<",
            "DEF-shin.<",
            "DEF-foot.<",
            "DEF-toe.<",
        ],
    },
    Expected {
        rig: "Character Creator",
        above: &["CC_Base_BoneRoot"],
        trunk: &["CC_Base_Hip", "CC_Base_Waist", "CC_Base_Spine01", "CC_Base_Spine02"],
        neck: &["CC_Base_NeckTwist01", "CC_Base_NeckTwist02", "CC_Base_Head"],
        arm: &["CC_Base_<_Clavicle", "CC_Base_<_Upperarm", "CC_Base_<_Forearm", "CC_Base_<_Hand"],
        leg: &["CC_Base_<_Thigh", "CC_Base_<_Calf", "CC_Base_<_Foot", "CC_Base_<_ToeBase"],
        sides: ["L", "R"],
        centre: ["CC_Base_Hip", "CC_Base_Waist", "CC_Base_Spine02", "CC_Base_NeckTwist01", "CC_Base_Head"],
        left: [
            "CC_Base_<_Clavicle",
            "CC_Base_<_Upperarm",
            "CC_Base_<_Forearm",
            "CC_Base_<_Hand",
            "CC_Base_<_Thigh",
            "CC_Base_<_Calf",
            "CC_Base_<_Foot",
            "CC_Base_<_ToeBase",
        ],
    },
    Expected {
        rig: "3ds Max biped",
        above: &["Bip01"],
        trunk: &["Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2"],
        neck: &["Bip01 Neck", "Bip01 Head", "Bip01 HeadNub"],
        arm: &["Bip01 < Clavicle", "Bip01 < UpperArm", "Bip01 < Forearm", "Bip01 < Hand", "Bip01 < Finger0"],
        leg: &["Bip01 < Thigh", "Bip01 < Calf", "Bip01 < Foot", "Bip01 < Toe0", "Bip01 < Toe0Nub"],
        sides: ["L", "R"],
        centre: ["Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine2", "Bip01 Neck", "Bip01 Head"],
        left: [
            "Bip01 < Clavicle",
            "Bip01 < UpperArm",
            "Bip01 < Forearm",
            "Bip01 < Hand",
            "Bip01 < Thigh",
            "Bip01 < Calf",
            "Bip01 < Foot",
            "Bip01 < Toe0",
        ],
    },
    Expected {
        rig: "VRM",
        above: &["Root"],
        trunk: &["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"],
        neck: &["J_Bip_C_Neck", "J_Bip_C_Head"],
        arm: &["J_Bip_<_Shoulder", "J_Bip_<_UpperArm", "J_Bip_<_LowerArm", "J_Bip_<_Hand"],
        leg: &["J_Bip_<_UpperLeg", "J_Bip_<_LowerLeg", "J_Bip_<_Foot", "J_Bip_<_ToeBase"],
        sides: ["L", "R"],
        centre: ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_UpperChest", "J_Bip_C_Neck", "J_Bip_C_Head"],
        left: [
            "J_Bip_<_Shoulder",
            "J_Bip_<_UpperArm",
            "J_Bip_<_LowerArm",
            "J_Bip_<_Hand",
            "J_Bip_<_UpperLeg",
            "J_Bip_<_LowerLeg",
            "J_Bip_<_Foot",
            "J_Bip_<_ToeBase",
        ],
    },
];

const PARTS: [&str; 8] = ["shoulder", "up_arm", "fore_arm", "hand", "up_leg", "leg", "foot", "toe"];

/// Builds the usual hierarchy: legs under the first joint of the trunk, arms and neck under its last.
fn build(e: &Expected) -> Skeleton {
    let sided = |names: &[&str], side: &str| -> Vec<String> {
        names.iter().map(|n| n.replace('<', side).replace('?', &side[..1])).collect()
    };
    let mut lines = limb(0, e.above) + &limb(e.above.len(), e.trunk);
    let (hips, chest) = (e.above.len() + 1, e.above.len() + e.trunk.len());
    for side in e.sides {
        let arm = sided(e.arm, side);
        lines += &limb(chest, &arm.iter().map(String::as_str).collect::<Vec<_>>());
    }
    lines += &limb(chest, e.neck);
    for side in e.sides {
        let leg = sided(e.leg, side);
        lines += &limb(hips, &leg.iter().map(String::as_str).collect::<Vec<_>>());
    }
    rig(&lines)
}

fn check(e: &Expected, s: &Skeleton, roles: &JointRoles) {
    let name = |role: &str| roles.get(role).map_or("-", |j| s.name(j));
    for (role, joint) in ["hips", "spine", "chest", "neck", "head"].iter().zip(e.centre) {
        assert_eq!(name(role), joint, "{}: {role}", e.rig);
    }
    for (side, word) in Side::BOTH.iter().zip(e.sides) {
        for (part, joint) in PARTS.iter().zip(e.left) {
            let role = format!("{}_{part}", side.name());
            assert_eq!(name(&role), joint.replace('<', word), "{}: {role}", e.rig);
        }
    }
}

#[test]
fn common_rigs_are_known_by_their_names() {
    for e in RIGS {
        let s = build(e);
        let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
        check(e, &s, &roles);
        for (role, a) in roles.assigned() {
            assert!(a.found_by == FoundBy::Name && a.confidence >= 0.8, "{}: {role} {a:?}", e.rig);
        }
        assert!(roles.notes().is_empty() && !roles.is_quadruped(), "{}: {:?}", e.rig, roles.notes());
    }
}

#[test]
fn helpers_twists_and_handles_do_not_mislead() {
    let unreal = RIGS.iter().find(|e| e.rig == "Unreal mannequin 4").unwrap();
    let s = build(unreal);
    let names = s.names().iter().map(String::as_str);
    let parent = |j: &str| s.find(j).unwrap();
    let extra = [
        ("ik_foot_root", "root"),
        ("ik_foot_l", "root"),
        ("ik_hand_root", "root"),
        ("ik_hand_gun", "root"),
        ("thigh_twist_01_l", "thigh_l"),
        ("calf_twist_01_l", "calf_l"),
        ("upperarm_twist_01_l", "upperarm_l"),
        ("VB foot_l", "root"),
    ];
    let mut all: Vec<String> = names.map(str::to_owned).collect();
    let mut parents = s.parents().to_vec();
    for (name, under) in extra {
        all.push(name.to_owned());
        parents.push(Some(parent(under)));
    }
    let joints = all.len();
    let s = Skeleton::new(all, parents, vec![Transform::IDENTITY; joints]).unwrap();
    check(unreal, &s, &JointRoles::resolve(&s, &BTreeMap::new()).unwrap());
}

#[test]
fn legs_beside_the_spine_do_not_hide_the_hips() {
    // Character Creator puts the legs under a pelvis beside the spine; biped puts collar bones under the neck.
    let s = rig(
        "Base_BoneRoot\n CC_Base_Hip\n  CC_Base_Pelvis\n   CC_Base_L_Thigh\n    CC_Base_L_Calf\n   CC_Base_R_Thigh\n    \
         CC_Base_R_Calf\n  CC_Base_Spine01\n   CC_Base_Spine02\n    CC_Base_Head\n",
    );
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    assert_eq!(roles.get("hips").map(|j| s.name(j)), Some("CC_Base_Hip"));
    let s = rig(
        "Bip01\n Bip01 Pelvis\n  Bip01 Spine\n   Bip01 L Thigh\n   Bip01 R Thigh\n   Bip01 Spine1\n    Bip01 Neck\n     Bip01 \
         Head\n     Bip01 L Clavicle\n     Bip01 R Clavicle\n",
    );
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    let name = |role: &str| roles.get(role).map(|j| s.name(j));
    assert_eq!(name("hips"), Some("Bip01 Pelvis"));
    assert_eq!(name("chest"), Some("Bip01 Spine1"));
}

#[test]
fn a_name_in_the_wrong_place_is_reported_and_not_sure() {
    let s = rig("Hips\n LeftUpLeg\n  LeftLeg\n LeftFoot\n RightUpLeg\n  RightLeg\n   RightFoot\n");
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    let of = |role: &str| roles.assigned().find(|(r, _)| *r == role).unwrap().1.confidence;
    assert!(of("left_foot") < 0.5 && of("right_foot") > 0.8);
    assert!(roles.notes()[0].contains("`LeftFoot`") && roles.notes()[0].contains("roles.left_foot"));
}

fn renamed(s: &Skeleton) -> Skeleton {
    let names = (0..s.len()).map(|j| format!("j{j}")).collect();
    Skeleton::new(names, s.parents().to_vec(), s.rest().to_vec()).unwrap()
}

/// Returns the same skeleton with its joints in another order, each still after its parent.
fn shuffled(s: &Skeleton, seed: usize) -> (Skeleton, Vec<usize>) {
    let mut order: Vec<usize> = vec![0];
    while order.len() < s.len() {
        let open = |j: &usize| !order.contains(j) && s.parents()[*j].is_some_and(|p| order.contains(&p.at()));
        let open: Vec<usize> = (1..s.len()).filter(open).collect();
        order.push(open[(seed * 7919 + order.len() * 104_729) % open.len()]);
    }
    let place = |j: usize| JointIndex::new(order.iter().position(|o| *o == j).unwrap());
    let names = (0..s.len()).map(|k| format!("j{k}")).collect();
    let parents = order.iter().map(|j| s.parents()[*j].map(|p| place(p.at()))).collect();
    let rest = order.iter().map(|j| s.rest()[*j]).collect();
    (Skeleton::new(names, parents, rest).unwrap(), order)
}

#[test]
fn without_names_the_shape_of_a_t_pose_tells_every_main_role() {
    let named = footwork_gait_skeleton();
    let expected = JointRoles::resolve(&named, &BTreeMap::new()).unwrap();
    for seed in 0..12 {
        let (s, order) = shuffled(&named, seed);
        let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
        for (role, joint) in expected.iter() {
            let found = roles.get(role).map(|j| order[j.at()]);
            assert_eq!(found, Some(joint.at()), "seed {seed}: {role} is `{}`", named.name(joint));
        }
        assert!(roles.assigned().all(|(_, a)| a.found_by == FoundBy::Topology && a.confidence < 0.8));
        assert!(!roles.is_quadruped());
    }
}

#[test]
fn sides_are_not_guessed_where_the_pose_lays_all_bones_along_one_axis() {
    let mut s = renamed(&footwork_gait_skeleton());
    let standing: Vec<Vec3> = s.rest_model().iter().map(|t| t.translation).collect();
    let along = |t: &Transform| Transform::new(Vec3::X * t.translation.length(), Quat::IDENTITY);
    let rest = s.rest().iter().map(along).collect();
    s = Skeleton::new(s.names().to_vec(), s.parents().to_vec(), rest).unwrap();
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    assert_eq!(roles.get("hips"), Some(JointIndex(1)));
    assert!(roles.get("left_foot").is_none() && roles.notes()[0].contains("left from right"), "{:?}", roles.notes());
    let roles = JointRoles::resolve_with_poses(&s, &BTreeMap::new(), &[standing]).unwrap();
    assert_eq!(roles.get("left_foot"), Some(JointIndex(4)));
    assert_eq!(roles.get("right_hand"), Some(JointIndex(22)));
}

#[test]
fn swapped_sides_are_reported_and_not_sure() {
    let s = footwork_gait_skeleton();
    let swapped = s.names().iter().map(|n| crate::motion::other_side(n).unwrap_or(n.clone())).collect();
    let s = Skeleton::new(swapped, s.parents().to_vec(), s.rest().to_vec()).unwrap();
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    assert!(roles.notes()[0].contains("swapped"), "{:?}", roles.notes());
    for (role, a) in roles.assigned() {
        assert_eq!(a.confidence < 0.5, role.starts_with("left") || role.starts_with("right"), "{role}");
    }
}

/// Returns a dog that stands, head towards +Z, without names.
fn dog() -> Skeleton {
    let mut names = vec!["j0".to_owned()];
    let mut parents = vec![None];
    let mut rest = vec![Transform::new(Vec3::Y * 0.5, Quat::IDENTITY)];
    let mut put = |parent: usize, x: f32, y: f32, z: f32| {
        names.push(format!("j{}", names.len()));
        parents.push(Some(JointIndex::new(parent)));
        rest.push(Transform::new(Vec3::new(x, y, z), Quat::IDENTITY));
        names.len() - 1
    };
    let tail = put(0, 0.0, 0.0, -0.1);
    put(tail, 0.0, 0.0, -0.12);
    let spine = put(0, 0.0, 0.0, 0.2);
    let chest = put(spine, 0.0, 0.0, 0.22);
    for (at, x) in [(0, -0.05), (0, 0.05), (chest, -0.045), (chest, 0.045)] {
        let hip = put(at, x, -0.1, 0.0);
        let knee = put(hip, 0.0, -0.16, 0.03);
        let foot = put(knee, 0.0, -0.18, -0.03);
        put(foot, 0.0, -0.03, 0.05);
    }
    let neck = put(chest, 0.0, 0.1, 0.15);
    put(neck, 0.0, 0.1, 0.1);
    Skeleton::new(names, parents, rest).unwrap()
}

#[test]
fn four_legs_are_told_from_two_and_fore_from_hind() {
    let s = dog();
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    assert!(roles.is_quadruped());
    let at = |role: &str| s.rest_model()[roles.get(role).unwrap().at()].translation;
    assert!(at("left_fore_foot").x > 0.0 && at("left_fore_foot").z > 0.3);
    assert!(at("right_fore_foot").x < 0.0 && at("right_fore_foot").z > 0.3);
    assert!(at("left_hind_foot").x > 0.0 && at("left_hind_foot").z < 0.2);
    assert!(at("head").z > 0.6);
}

/// A rig whose feet hang from the root, where a handle moves them: the longest mirrored limbs of three joints are arms and
/// fingers.
#[test]
fn fingers_are_no_feet_where_the_feet_hang_from_the_root() {
    let side = |s: &str| {
        let leg = limb(2, &["UpperLeg", "LowerLeg"]);
        let arm = limb(3, &["Shoulder", "UpperArm", "LowerArm", "Palm"]);
        let fingers = limb(7, &["Index1", "Index2", "Index3"]) + &limb(7, &["Ring1", "Ring2", "Ring3"]);
        [leg, arm + &fingers].map(|lines| lines.replace('\n', &format!("{s}\n")))
    };
    let ([left_leg, left_arm], [right_leg, right_arm]) = (side("L"), side("R"));
    let body = limb(1, &["Hips"]) + &left_leg + &right_leg + &limb(2, &["Torso"]) + &left_arm + &right_arm;
    let names = rig(&format!("Bone\n{body}{} FootL\n FootR\n", limb(3, &["Neck", "Head"])));
    let bone = |name: &String| {
        let x = if name.ends_with('L') { 1.0 } else { -1.0 };
        let at = match name.trim_end_matches(['L', 'R']) {
            "Hips" => Vec3::Y * 0.9,
            "Torso" | "Neck" | "Head" => Vec3::Y * 0.3,
            "UpperLeg" => Vec3::new(0.1 * x, -0.05, 0.0),
            "LowerLeg" => Vec3::new(0.0, -0.42, 0.02),
            "Foot" => Vec3::new(0.1 * x, 0.05, 0.0),
            "Shoulder" | "UpperArm" => Vec3::new(0.1 * x, 0.0, 0.0),
            "LowerArm" | "Palm" => Vec3::new(0.0, -0.3, 0.02),
            "Index1" => Vec3::new(0.0, -0.12, 0.03),
            "Ring1" => Vec3::new(0.0, -0.12, -0.03),
            _ => Vec3::NEG_Y * 0.12,
        };
        Transform::new(if name == "Bone" { Vec3::ZERO } else { at }, Quat::IDENTITY)
    };
    let rest = names.names().iter().map(bone).collect();
    let s = Skeleton::new(names.names().to_vec(), names.parents().to_vec(), rest).unwrap();
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    let name = |role: &str| roles.get(role).map(|j| s.name(j));
    for (role, joint) in [("left_foot", "FootL"), ("right_foot", "FootR"), ("left_leg", "LowerLegL"), ("hips", "Hips")]
    {
        assert_eq!(name(role), Some(joint), "{role}");
    }
    assert_eq!(name("left_toe"), None);
    assert!(!roles.is_quadruped());
}

#[test]
fn given_roles_win_and_mistakes_name_the_nearest() {
    let s = rig("Hips\n Paw\n");
    let given = |r: &str, j: &str| BTreeMap::from([(r.to_owned(), j.to_owned())]);
    let roles = JointRoles::resolve(&s, &given("left_fore_foot", "Paw")).unwrap();
    assert_eq!(roles.get("left_fore_foot"), Some(JointIndex(1)));
    assert_eq!(roles.name_of(&s, "left_fore_foot"), "Paw");
    let e = JointRoles::resolve(&s, &given("left_fot", "Paw")).unwrap_err();
    assert!(e.to_string().contains("nearest `left_foot`"), "{e}");
    let e = JointRoles::resolve(&s, &given("left_foot", "Pow")).unwrap_err();
    assert!(e.to_string().contains("nearest is `Paw`"), "{e}");
    assert_eq!(roles.shifted().get("left_fore_foot"), Some(JointIndex(2)));
}

/// Rebuilds the skeleton of the built-in character: its crate depends on another build of this one.
fn footwork_gait_skeleton() -> Skeleton {
    let s = footwork_gait::skeleton();
    let parents = s.parents().iter().map(|p| p.map(|p| JointIndex(p.0))).collect();
    let rest =
        s.rest().iter().map(|t| Transform::new(t.translation, Quat::from_array(t.rotation.to_array()))).collect();
    Skeleton::new(s.names().to_vec(), parents, rest).unwrap()
}

/// Returns the fox of glTF's sample models: serial numbers of the exporter after each name, one word for thigh and shin.
fn fox() -> Skeleton {
    let dog = dog();
    let names = "Hip Tail01 Tail02 Spine01 Spine02 RightLeg01 RightLeg02 RightFoot01 RightFoot02 LeftLeg01 LeftLeg02 \
                 LeftFoot01 LeftFoot02 RightUpperArm RightForeArm RightHand RightPaw LeftUpperArm LeftForeArm LeftHand \
                 LeftPaw Neck Head";
    // As in that file, the order of the serial numbers differs from that of the legs.
    let count = |j: usize| if (5..13).contains(&j) { 40 - j } else { j + 1 };
    let names = names.split_whitespace().enumerate().map(|(j, n)| format!("b_{n}_{:02}", count(j))).collect();
    Skeleton::new(names, dog.parents().to_vec(), dog.rest().to_vec()).unwrap()
}

#[test]
fn thigh_and_shin_of_one_word_and_numbered_names_are_told_by_the_hierarchy() {
    let s = fox();
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    let name = |role: &str| roles.get(role).map_or("-", |j| s.name(j).rsplit_once('_').unwrap().0);
    assert_eq!(["left_up_leg", "left_leg", "left_foot"].map(name), ["b_LeftLeg01", "b_LeftLeg02", "b_LeftFoot01"]);
    assert_eq!(["right_up_arm", "right_fore_arm"].map(name), ["b_RightUpperArm", "b_RightForeArm"]);
    assert_eq!(["left_hind_foot", "right_fore_foot"].map(name), ["b_LeftFoot02", "b_RightPaw"]);
    assert!(roles.notes().is_empty() && roles.is_quadruped(), "{:?}", roles.notes());
}

#[test]
fn four_legs_are_told_by_most_poses() {
    let s = fox();
    let stands: Vec<Vec3> = s.rest_model().iter().map(|t| t.translation).collect();
    let rears: Vec<Vec3> = stands.iter().map(|p| Vec3::new(p.x, p.z, -p.y)).collect();
    let of = |poses: &[&Vec<Vec3>]| {
        let poses: Vec<Vec<Vec3>> = poses.iter().map(|p| (*p).clone()).collect();
        JointRoles::resolve_with_poses(&s, &BTreeMap::new(), &poses).unwrap()
    };
    assert!(of(&[&rears, &stands, &stands]).is_quadruped());
    assert!(!of(&[&rears, &stands, &rears]).is_quadruped());
}

#[test]
fn legs_of_four_feet_begin_below_the_shoulder_blades() {
    let s = rig(
        "Hips\n LeftUpLeg\n  LeftLeg\n   LeftFoot\n RightUpLeg\n  RightLeg\n   RightFoot\n Spine\n  LeftShoulder\n   LeftArm\n    \
         LeftForeArm\n     LeftHand\n  RightShoulder\n   RightArm\n    RightForeArm\n     RightHand\n  Head\n",
    );
    let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
    let at = |name: &str| s.find(name).unwrap();
    let contacts = ["LeftHand", "RightHand", "LeftFoot", "RightFoot"].map(at);
    let legs = crate::rig::Leg::find(&s, &roles, &contacts);
    let of = |k: usize| legs[k].map(|l| [l.hip, l.knee, l.ankle, l.toe].map(|j| s.name(j)));
    assert_eq!(of(0), Some(["LeftArm", "LeftForeArm", "LeftHand", "LeftHand"]));
    assert_eq!(of(3), Some(["RightUpLeg", "RightLeg", "RightFoot", "RightFoot"]));
}
