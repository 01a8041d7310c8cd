//! A rig like those of purchased characters: 65 joints, no root bone, proportions that differ from the built-in character.

use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Variations of the rig.
#[derive(Clone, Copy)]
pub struct Hero {
    /// Number of joints of the spine.
    pub spine: usize,
    /// Angle by which the arms are lowered from a T-pose, degrees.
    pub arms_down_deg: f32,
    /// True: the axes of every joint differ. False: all axes are aligned with the world.
    pub odd_axes: bool,
    /// True: a root bone on the ground is the parent of the hips.
    pub root: bool,
}

impl Default for Hero {
    fn default() -> Self {
        Self { spine: 3, arms_down_deg: 0.0, odd_axes: true, root: false }
    }
}

const LEG_M: [f32; 2] = [0.47, 0.45];
const ANKLE_M: f32 = 0.09;

/// Returns the rig, standing on the ground, facing +Z.
pub fn hero(of: Hero) -> Skeleton {
    let mut joints: Vec<(String, Option<usize>, Vec3)> = Vec::new();
    let mut put = |name: &str, parent: Option<usize>, offset: Vec3| {
        let at = parent.map_or(Vec3::ZERO, |p| joints[p].2) + offset;
        joints.push((format!("mixamorig:{name}"), parent, at));
        joints.len() - 1
    };
    let v = Vec3::new;
    let root = of.root.then(|| put("Root", None, Vec3::ZERO));
    let hips = put("Hips", root, v(0.0, LEG_M[0] + LEG_M[1] + ANKLE_M + 0.06, 0.0));
    let mut spine = hips;
    for k in 0..of.spine {
        let name = if k == 0 { "Spine".to_owned() } else { format!("Spine{k}") };
        spine = put(&name, Some(spine), v(0.0, 0.4 / of.spine as f32, 0.01 * k as f32));
    }
    let neck = put("Neck", Some(spine), v(0.0, 0.17, -0.02));
    let head = put("Head", Some(neck), v(0.0, 0.08, 0.02));
    put("HeadTop_End", Some(head), v(0.0, 0.2, 0.0));
    for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
        let down = of.arms_down_deg.to_radians();
        let along = v(x * footwork::advanced::math::cos(down), -footwork::advanced::math::sin(down), 0.0);
        let shoulder = put(&format!("{side}Shoulder"), Some(spine), v(0.05 * x, 0.1, 0.0));
        let arm = put(&format!("{side}Arm"), Some(shoulder), v(0.11 * x, 0.0, -0.01));
        let fore = put(&format!("{side}ForeArm"), Some(arm), along * 0.28);
        let hand = put(&format!("{side}Hand"), Some(fore), along * 0.27);
        for (f, finger) in ["Thumb", "Index", "Middle", "Ring", "Pinky"].iter().enumerate() {
            let mut last = hand;
            for k in 1..=4 {
                let aside = if k == 1 { v(0.0, 0.0, 0.04 - 0.02 * f as f32) } else { Vec3::ZERO };
                last = put(
                    &format!("{side}Hand{finger}{k}"),
                    Some(last),
                    along * if k == 1 { 0.09 } else { 0.03 } + aside,
                );
            }
        }
        let thigh = put(&format!("{side}UpLeg"), Some(hips), v(0.11 * x, -0.06, 0.0));
        let shin = put(&format!("{side}Leg"), Some(thigh), v(0.0, -LEG_M[0], 0.0));
        let foot = put(&format!("{side}Foot"), Some(shin), v(0.0, -LEG_M[1], -0.01));
        let toe = put(&format!("{side}ToeBase"), Some(foot), v(0.0, 0.025 - ANKLE_M, 0.13));
        put(&format!("{side}Toe_End"), Some(toe), v(0.0, 0.0, 0.07));
    }
    let turn = |j: usize| {
        let k = j as f32;
        let odd = Quat::from_rotation_vector(v(0.7 * k, 1.3 - 0.4 * k, 0.2 * k - 0.9));
        if of.odd_axes && !(of.root && j == 0) { odd } else { Quat::IDENTITY }
    };
    let world: Vec<Transform> = joints.iter().enumerate().map(|(j, joint)| Transform::new(joint.2, turn(j))).collect();
    let local = |(j, joint): (usize, &(String, Option<usize>, Vec3))| {
        joint.1.map_or(world[j], |p| world[p].inverse() * world[j])
    };
    let rest = joints.iter().enumerate().map(local).collect();
    let parents = joints.iter().map(|j| j.1.map(JointIndex::new)).collect();
    Skeleton::new(joints.iter().map(|j| j.0.clone()).collect(), parents, rest).unwrap()
}
