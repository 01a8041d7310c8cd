//! Orientation of each joint's axes in the body, measured in poses.
//!
//! Every joint has a *body frame*: axes with the same meaning on every rig. For trunk, head, collar bones, feet and toes they
//! are the body's own (X left, Y up, Z ahead) in the standing pose; for limbs they lie along the bone and the axis about which
//! knee or elbow bends. `joint_from_body` is constant, as both belong to the same bone.

use super::RetargetError;
use super::looks::{Look, flat_feet, heights, looks, mean, role, standing, stands};
use crate::frames::{JointIndex, UP};
use crate::math::{Facing, Quat, Transform};
use crate::motion::MirrorTable;
use crate::pose::Pose;
use crate::rig::Leg;
use crate::roles::{JointRoles, Side};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Roles that retargeting requires.
const NEEDED: [&str; 8] =
    ["hips", "left_up_leg", "right_up_leg", "left_leg", "right_leg", "left_foot", "right_foot", "chest"];
/// Bend (sine) of a knee or elbow below which its hinge axis is unknown.
const BENT: f32 = 0.1;

/// Cosine between a root bone's up axis and the world's above which the bone rotates only about the vertical.
const LEVEL: f32 = 0.99;
/// Angle within which a root bone's facing snaps to one of its axes, radians.
const SNAP_RAD: f32 = 0.35;

/// Proportions of a body and the orientation of its joints' axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Skeleton of the body.
    pub skeleton: Skeleton,
    /// Roles of the joints.
    pub roles: JointRoles,
    /// `[joints]` rotation from body axes to those of the joint.
    pub joint_from_body: Vec<Quat>,
    /// Leg length, hip to knee to ankle, mean of both sides, metres.
    pub leg_m: f32,
    /// Height of the ankle above the toe joint of a flat foot, metres; 0 without toes.
    pub ankle_over_toe_m: f32,
    /// Height of the toe joint (the foot without toes) in the standing pose, metres; `None` if the poses have no ground.
    pub toe_height_m: Option<f32>,
}

impl Reference {
    /// Measures a body in its rest pose.
    ///
    /// # Errors
    /// Returns [`RetargetError`] if roles are missing or the body does not stand in the rest pose.
    pub fn from_rest(skeleton: &Skeleton, roles: &JointRoles) -> Result<Self, RetargetError> {
        Self::from_poses(skeleton, roles, &[Pose::rest(skeleton)], true)
    }

    /// Measures a body in a sequence of poses: a clip, or frames of several. The body stands or walks in them; joint 0 is in
    /// world space, +Y up, the ground at 0. More poses give better results.
    ///
    /// # Errors
    /// Returns errors like [`Reference::from_rest`].
    pub fn from_motion(skeleton: &Skeleton, roles: &JointRoles, poses: &[Pose]) -> Result<Self, RetargetError> {
        Self::from_poses(skeleton, roles, poses, false)
    }

    /// Measures a body in its rest pose if it stands there, else in motion; the height of the ground comes from motion if
    /// there is any.
    ///
    /// # Errors
    /// Returns errors like [`Reference::from_rest`].
    pub fn find(skeleton: &Skeleton, roles: &JointRoles, poses: &[Pose]) -> Result<Self, RetargetError> {
        match Self::from_rest(skeleton, roles) {
            Err(RetargetError::RestPose) if !poses.is_empty() => Self::from_motion(skeleton, roles, poses),
            Ok(rest) if !poses.is_empty() && rest.toe_height_m.is_none() => {
                let moving = Self::from_motion(skeleton, roles, poses)?;
                Ok(Self { toe_height_m: moving.toe_height_m, ..rest })
            }
            found => found,
        }
    }

    fn from_poses(skeleton: &Skeleton, roles: &JointRoles, poses: &[Pose], rest: bool) -> Result<Self, RetargetError> {
        check_roles(skeleton, roles)?;
        let looks = looks(skeleton, roles, poses);
        if rest && !looks.iter().all(|l| stands(roles, &l.world)) || looks.is_empty() {
            return Err(RetargetError::RestPose);
        }
        let mut frames = Frames { skeleton, roles, known: vec![None; skeleton.len()] };
        frames.limbs(&looks);
        let leg_m = leg_length(skeleton, roles);
        if leg_m < 1e-3 {
            return Err(RetargetError::NoLegs);
        }
        let flat = flat_feet(roles, &looks, leg_m, rest);
        frames.feet(&flat);
        frames.trunk(&standing(&looks));
        frames.root(&looks);
        let joint_from_body = frames.finish();

        let (ankle, toe) = heights(roles, &flat, leg_m, rest);
        Ok(Self {
            skeleton: skeleton.clone(),
            roles: roles.clone(),
            joint_from_body,
            leg_m,
            ankle_over_toe_m: ankle,
            toe_height_m: toe,
        })
    }

    /// Returns the joint in a role.
    pub(super) fn joint(&self, role: &str) -> Option<usize> {
        self.roles.get(role).map(JointIndex::at)
    }

    /// Returns the centre between both hip joints, in the axes of the hips.
    pub(super) fn hip_centre(&self) -> Vec3 {
        let Some(hips) = self.joint("hips") else { return Vec3::ZERO };
        let sides = Side::BOTH.map(|s| self.joint(&format!("{}_up_leg", s.name())));
        let at = |j: Option<usize>| j.map_or(Vec3::ZERO, |j| below(&self.skeleton, hips, j).translation);
        (at(sides[0]) + at(sides[1])) * 0.5
    }
}

/// Returns a joint's transform in the axes of one above it, at rest.
pub(super) fn below(skeleton: &Skeleton, above: usize, joint: usize) -> Transform {
    let mut t = Transform::IDENTITY;
    let mut next = Some(joint);
    while let Some(j) = next.filter(|j| *j != above) {
        t = skeleton.rest()[j] * t;
        next = skeleton.parents()[j].map(JointIndex::at);
    }
    t
}

fn check_roles(skeleton: &Skeleton, roles: &JointRoles) -> Result<(), RetargetError> {
    let missing: Vec<String> = NEEDED.iter().filter(|r| roles.get(r).is_none()).map(|r| (*r).to_owned()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let joints = skeleton.names().iter().take(30).cloned().collect();
    Err(RetargetError::Roles { roles: missing, joints })
}

fn leg_length(skeleton: &Skeleton, roles: &JointRoles) -> f32 {
    let of = |side: Side| {
        let [Some(hip), Some(knee), Some(foot)] = ["up_leg", "leg", "foot"].map(|p| role(roles, side, p)) else {
            return 0.0;
        };
        below(skeleton, hip, knee).translation.length() + below(skeleton, knee, foot).translation.length()
    };
    Side::BOTH.map(of).iter().sum::<f32>() * 0.5
}

/// Body frames during construction.
struct Frames<'a> {
    skeleton: &'a Skeleton,
    roles: &'a JointRoles,
    known: Vec<Option<Quat>>,
}

impl Frames<'_> {
    /// Sets the frames of arms and legs: along the bone, and about the hinge axis.
    fn limbs(&mut self, looks: &[Look]) {
        for side in Side::BOTH {
            for parts in [["up_leg", "leg", "foot"], ["up_arm", "fore_arm", "hand"]] {
                let [Some(upper), Some(middle), Some(end)] = parts.map(|p| role(self.roles, side, p)) else { continue };
                let bone = |a: usize, b: usize| below(self.skeleton, a, b).translation.normalize_or_zero();
                let bones = [(upper, bone(upper, middle)), (middle, bone(middle, end))];
                let is_leg = parts[0] == "up_leg";
                for (joint, along) in bones {
                    let (mut bent, mut straight, mut sine) = (Vec3::ZERO, Vec3::ZERO, 0.0);
                    for look in looks {
                        let at = |j: usize| look.world[j].translation;
                        let (a, b) = (at(middle) - at(upper), at(end) - at(middle));
                        let cross = a.normalize_or_zero().cross(b.normalize_or_zero());
                        let local = look.world[joint].rotation.inverse();
                        let default = if is_leg { look.body * Vec3::X } else { (a + b).cross(look.body * Vec3::Z) };
                        bent += local * cross;
                        straight += local * default.normalize_or_zero();
                        sine += 1.0;
                    }
                    let hinge = if bent.length() > BENT * sine { bent } else { straight };
                    self.known[joint] = frame(hinge, -along);
                }
            }
        }
    }

    /// Sets the frames of feet and toes: in a flat foot their soles are level and they point ahead.
    fn feet(&mut self, flat: &[Vec<&Look>; 2]) {
        for side in Side::BOTH {
            let Some(foot) = role(self.roles, side, "foot") else { continue };
            let toe = role(self.roles, side, "toe");
            for joint in [Some(foot), toe].into_iter().flatten() {
                let (mut up, mut ahead) = (Vec3::ZERO, Vec3::ZERO);
                for look in &flat[side as usize] {
                    let local = look.world[joint].rotation.inverse();
                    let along = toe.map(|toe| look.world[toe].translation - look.world[foot].translation);
                    up += local * UP;
                    ahead += local * along.unwrap_or(look.body * Vec3::Z);
                }
                self.known[joint] = frame(up.cross(ahead), up);
            }
        }
    }

    /// Sets the frames of the trunk: upright and facing ahead in the standing pose.
    fn trunk(&mut self, looks: &[&Look]) {
        let of = |role: &str| self.roles.get(role).map(JointIndex::at);
        let up = |joint: Option<usize>| {
            std::iter::successors(joint, |j| self.skeleton.parents()[*j].map(JointIndex::at)).collect::<Vec<_>>()
        };
        let lateral = self.lateral();
        // All joints from the hips to the head, and collar bones.
        let hips = of("hips").unwrap_or(0);
        let mut joints: Vec<usize> = [of("chest"), of("head")].into_iter().flat_map(up).filter(|j| *j > hips).collect();
        joints.push(hips);
        joints.extend(["left_shoulder", "right_shoulder"].iter().filter_map(|r| of(r)));
        for joint in joints {
            self.known[joint] = mean(looks.iter().copied(), joint).map(|q| upright(q, lateral[joint]));
        }
    }

    /// Sets the frame of a root bone, which on average faces with the body; its facing snaps to a near axis of the bone.
    fn root(&mut self, looks: &[Look]) {
        if self.roles.get("hips").is_none_or(|hips| hips.at() == 0) {
            return;
        }
        let Some(from_body) = mean(looks.iter(), 0) else { return };
        let quarter = std::f32::consts::FRAC_PI_2;
        let yaw = Facing::from_rotation(from_body).yaw();
        let snapped = (yaw / quarter).round() * quarter;
        let level = (from_body * UP).y > LEVEL;
        self.known[0] = Some(match (level, (yaw - snapped).abs() < SNAP_RAD) {
            (true, true) => Quat::from_rotation_y(snapped),
            (true, false) => from_body.yaw_twist(),
            (false, _) => from_body,
        });
    }

    /// Returns `[joints]` the axis across the body, with either sign, for joints on the centre line of a symmetric rest pose.
    fn lateral(&self) -> Vec<Option<Vec3>> {
        let pairs: Vec<(JointIndex, JointIndex)> = self
            .roles
            .iter()
            .filter_map(|(role, left)| Some((left, self.roles.get(&format!("right_{}", role.strip_prefix("left_")?))?)))
            .collect();
        let Ok(table) = MirrorTable::new(self.skeleton, &pairs, &[]) else { return vec![None; self.skeleton.len()] };
        let rest = self.skeleton.rest_model();
        let middle = |j: usize| table.pairs[j].at() == j;
        (0..rest.len()).map(|j| middle(j).then(|| rest[j].inverse_direction(table.rest_normal))).collect()
    }

    /// Completes the frames: joints without one of their own count as straight at rest.
    fn finish(self) -> Vec<Quat> {
        let mut all: Vec<Quat> = Vec::with_capacity(self.known.len());
        for (j, known) in self.known.iter().enumerate() {
            let above = self.skeleton.parents()[j].map_or(Quat::IDENTITY, |p| all[p.at()]);
            all.push(known.unwrap_or_else(|| (self.skeleton.rest()[j].rotation.inverse() * above).normalize()));
        }
        all
    }
}

/// Returns the frame nearest to a mean over motion whose `x` lies exactly across the body: a head held to one side during the
/// whole motion must not tilt the frame.
fn upright(mean: Quat, lateral: Option<Vec3>) -> Quat {
    let x = mean * Vec3::X;
    let Some(across) = lateral.map(|l| l * l.dot(x).signum()).filter(|l| l.dot(x) > 0.7) else { return mean };
    let Some(z) = across.cross(mean * Vec3::Y).try_normalize() else { return mean };
    Quat::from_axes(across, z.cross(across), z)
}

/// Returns the axes of a joint (`x` along the hinge or to the left, `y` up) as a rotation from body axes to the joint's.
fn frame(x: Vec3, y: Vec3) -> Option<Quat> {
    let y = y.try_normalize()?;
    let x = (x - y * x.dot(y)).try_normalize()?;
    Some(Quat::from_axes(x, y, x.cross(y)))
}

/// Returns the contact joint of a foot: the toe, else the foot.
pub(crate) fn toe(of: &Reference, side: Side) -> Option<usize> {
    let role = |part: &str| of.roles.get(&format!("{}_{part}", side.name()));
    role("toe").or(role("foot")).map(JointIndex::at)
}

/// Returns a leg of two directly connected bones; `None` for a leg with more joints between.
pub(crate) fn leg(of: &Reference, side: Side) -> Option<Leg> {
    let role = |part: &str| of.roles.get(&format!("{}_{part}", side.name()));
    let (hip, knee, ankle) = (role("up_leg")?, role("leg")?, role("foot")?);
    let toe = role("toe").unwrap_or(ankle);
    let parent = |j: JointIndex| of.skeleton.parents()[j.at()];
    let direct =
        parent(knee) == Some(hip) && parent(ankle) == Some(knee) && (toe == ankle || parent(toe) == Some(ankle));
    let hinge = of.joint_from_body[hip.at()] * Vec3::X;
    direct.then_some(Leg { hip, knee, ankle, toe, hinge })
}
