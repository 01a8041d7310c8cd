//! The mannequin: rounded solids along the bones of the rest pose, each vertex skinned to one joint.
//!
//! The rest pose need not look like a body: in LAFAN1's, legs and spine lie on one line. A solid only has to be correct
//! relative to the joint that carries it, so each is built along its bone in the rest pose.

use super::GlbOptions;
use super::solid::{Part, Solid};
use footwork::advanced::motion::{is_left, other_side};
use footwork::frames::JointIndex;
use footwork::math::Transform;
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Longest path from the hips to a leaf in the skeleton that the lengths in metres are chosen for (LAFAN1).
const ADULT_REACH_M: f32 = 1.25;
/// Minimum length of a bone that has a direction, in metres.
const MIN_BONE_M: f32 = 1e-4;

/// Left, right and centre parts.
pub(super) type Mannequin = [Part; 3];

/// The rest pose, with properties derived from its names and lengths.
struct RestBones<'a> {
    skeleton: &'a Skeleton,
    rest: Vec<Transform>,
    children: Vec<Vec<usize>>,
    /// Direction of the left side; `None` if the joint names have no sides.
    left: Option<Vec3>,
    scale: f32,
    options: &'a GlbOptions,
}

/// Builds the mannequin of a skeleton's rest pose.
pub(super) fn build(skeleton: &Skeleton, options: &GlbOptions) -> Mannequin {
    let body = RestBones::new(skeleton, options);
    let mut parts = Mannequin::default();
    for j in 0..skeleton.len() {
        let name = skeleton.name(JointIndex::new(j));
        let part = &mut parts[if is_left(name) {
            0
        } else if other_side(name).is_some() {
            1
        } else {
            2
        }];
        for solid in body.solids(j) {
            part.add(&solid, j as u16, options.corners);
        }
    }
    parts
}

impl<'a> RestBones<'a> {
    fn new(skeleton: &'a Skeleton, options: &'a GlbOptions) -> Self {
        let rest = skeleton.rest_model();
        let mut children = vec![Vec::new(); skeleton.len()];
        let mut reach = vec![0.0f32; skeleton.len()];
        for j in (1..skeleton.len()).rev() {
            let p = skeleton.parents()[j].map_or(0, JointIndex::at);
            children[p].insert(0, j);
            reach[p] = reach[p].max(reach[j] + skeleton.rest()[j].translation.length());
        }
        let hips = if children[0].len() == 1 { children[0][0] } else { 0 };
        let scale = if reach[hips] > MIN_BONE_M { reach[hips] / ADULT_REACH_M } else { 1.0 };
        let left = left_direction(skeleton, &rest);
        Self { skeleton, rest, children, left, scale, options }
    }

    fn name(&self, joint: usize) -> String {
        self.skeleton.names()[joint].to_lowercase()
    }

    /// Returns all solids that move with a joint.
    fn solids(&self, joint: usize) -> Vec<Solid> {
        let name = self.name(joint);
        let parent = self.skeleton.parents()[joint].map(JointIndex::at);
        let is_head = name.contains("head") && parent.is_none_or(|p| !self.name(p).contains("head"));
        if is_head && let Some(up) = self.direction_into(joint) {
            return self.head(joint, up);
        }
        // The bone from a ground root up to the hips is not a body part.
        if joint == 0 && self.children[0].len() == 1 && self.skeleton.len() > 2 {
            return Vec::new();
        }
        let bones: Vec<Solid> = self.children[joint].iter().filter_map(|c| self.bone(joint, *c)).collect();
        if bones.is_empty() { self.end(joint, &name).into_iter().collect() } else { bones }
    }

    /// Returns the solid from a joint to its child; `None` if the two coincide.
    fn bone(&self, joint: usize, child: usize) -> Option<Solid> {
        let from = self.rest[joint].translation;
        let along = self.rest[child].translation - from;
        let length = along.length();
        if length < MIN_BONE_M {
            return None;
        }
        let (name, child_name) = (self.name(joint), self.name(child));
        let on_trunk = is_trunk(&name) && (is_trunk(&child_name) || child_name.contains("neck"));
        if let Some(left) = self.left.filter(|_| on_trunk) {
            return Some(self.trunk(joint, child, left));
        }
        let [a, b] = ratios(&name).unwrap_or([1.0, 0.8].map(|taper| taper * self.options.radius_per_length));
        let radii = [self.radius(a * length), self.radius(b * length)];
        Some(Solid::round(from, along / length, length, radii))
    }

    /// Returns a stretch of the trunk: wide at the hips, narrow at the waist, wide at the shoulders.
    fn trunk(&self, joint: usize, child: usize, left: Vec3) -> Solid {
        // Position up the trunk (0 to 1), half width and half depth of an adult, metres.
        const PROFILE: [[f32; 3]; 5] =
            [[0.0, 0.145, 0.100], [0.3, 0.120, 0.085], [0.7, 0.160, 0.105], [0.85, 0.145, 0.095], [1.0, 0.050, 0.050]];
        let (below, above) = (self.trunk_below(joint), self.trunk_above(child));
        let from = self.rest[joint].translation;
        let along = self.rest[child].translation - from;
        let (length, whole) = (along.length(), below + along.length() + above);
        let at = |s: f32, column: usize| {
            let k = PROFILE.iter().position(|p| s <= p[0]).unwrap_or(PROFILE.len() - 1).max(1);
            let (a, b) = (PROFILE[k - 1], PROFILE[k]);
            let t = ((s - a[0]) / (b[0] - a[0])).clamp(0.0, 1.0);
            (a[column] + (b[column] - a[column]) * t) * self.scale
        };
        let ends = [below / whole, (below + length) / whole];
        let (axis, across, depth) = (along / length, ends.map(|s| at(s, 1)), ends.map(|s| at(s, 2)));
        let side = Solid::side_towards(left, axis);
        Solid { from, axis, length, side, across, depth, caps: depth.map(|d| d * 0.6) }
    }

    fn trunk_below(&self, joint: usize) -> f32 {
        let mut sum = 0.0;
        let mut at = joint;
        while let Some(p) = self.skeleton.parents()[at].map(JointIndex::at).filter(|p| is_trunk(&self.name(*p))) {
            sum += self.rest[at].translation.distance(self.rest[p].translation);
            at = p;
        }
        sum
    }

    fn trunk_above(&self, joint: usize) -> f32 {
        let mut sum = 0.0;
        let mut at = joint;
        while is_trunk(&self.name(at)) {
            let up = |c: &&usize| is_trunk(&self.name(**c)) || self.name(**c).contains("neck");
            let Some(next) = self.children[at].iter().find(up) else { break };
            sum += self.rest[*next].translation.distance(self.rest[at].translation);
            at = *next;
        }
        sum
    }

    /// Returns an ellipsoid on the neck, and a nose if the front is known.
    fn head(&self, joint: usize, up: Vec3) -> Vec<Solid> {
        let at = self.rest[joint].translation;
        let half = 0.125 * self.scale;
        let centre = at + up * (0.75 * half);
        let Some(left) = self.left else {
            return vec![Solid { caps: [half; 2], ..Solid::round(centre, up, 0.0, [0.095 * self.scale; 2]) }];
        };
        let [across, depth] = [0.080, 0.100].map(|r| [r * self.scale; 2]);
        let side = Solid::side_towards(left, up);
        let egg = Solid { from: centre, axis: up, length: 0.0, side, across, depth, caps: [half; 2] };
        let front = side.cross(up);
        let nose = centre + front * (0.092 * self.scale) - up * (0.1 * half);
        let nose = Solid { caps: [0.03 * self.scale; 2], ..Solid::round(nose, front, 0.0, [0.017 * self.scale; 2]) };
        vec![egg, nose]
    }

    /// Returns the solid of a leaf joint: hands, feet and toes continue their bone, a lone joint is a ball.
    fn end(&self, joint: usize, name: &str) -> Option<Solid> {
        let from = self.rest[joint].translation;
        let Some(axis) = self.direction_into(joint) else {
            return Some(Solid::round(from, Vec3::Y, 0.0, [self.radius(self.options.max_radius_m); 2]));
        };
        let parent = self.skeleton.parents()[joint].map_or(0, JointIndex::at);
        let bone = from.distance(self.rest[parent].translation);
        let (share, ratios) = match () {
            () if name.contains("toe") || name.contains("ball") => (0.22, [0.15, 0.12]),
            () if name.contains("hand") || name.contains("wrist") => (0.38, [0.14, 0.13]),
            () if name.contains("foot") || name.contains("ankle") => (0.40, [0.10, 0.08]),
            // The bone that leads to this joint has a rounded end already.
            () => return None,
        };
        let radii = ratios.map(|r| self.radius(r * bone));
        Some(Solid::round(from, axis, share * bone, radii))
    }

    /// Returns the direction of the last bone above minimum length on the path to a joint; `None` at the root.
    fn direction_into(&self, joint: usize) -> Option<Vec3> {
        let mut at = joint;
        while let Some(p) = self.skeleton.parents()[at].map(JointIndex::at) {
            let v = self.rest[joint].translation - self.rest[p].translation;
            if v.length() > MIN_BONE_M {
                return Some(v.normalize());
            }
            at = p;
        }
        None
    }

    fn radius(&self, r: f32) -> f32 {
        r.clamp(self.options.min_radius_m * self.scale, self.options.max_radius_m * self.scale)
    }
}

/// Returns the direction from a right joint to its left counterpart, for the first pair with one parent.
fn left_direction(skeleton: &Skeleton, rest: &[Transform]) -> Option<Vec3> {
    (0..skeleton.len()).filter(|j| is_left(skeleton.name(JointIndex::new(*j)))).find_map(|l| {
        let r = skeleton.find(&other_side(&skeleton.names()[l])?)?.at();
        let v = rest[l].translation - rest[r].translation;
        (skeleton.parents()[l] == skeleton.parents()[r] && v.length() > MIN_BONE_M).then(|| v.normalize())
    })
}

fn is_trunk(name: &str) -> bool {
    ["hips", "pelvis", "spine", "chest", "torso"].iter().any(|w| name.contains(w))
}

/// Returns radius over length at both ends of a bone, by the lower-case name of the joint that carries it. The first match is
/// used.
fn ratios(name: &str) -> Option<[f32; 2]> {
    const TABLE: [(&[&str], [f32; 2]); 8] = [
        (&["upleg", "upperleg", "thigh"], [0.190, 0.140]),
        (&["leg", "calf", "shin", "knee"], [0.140, 0.090]),
        (&["foot", "ankle"], [0.250, 0.190]),
        (&["toe"], [0.190, 0.140]),
        (&["shoulder", "clavicle", "collar"], [0.420, 0.480]),
        (&["forearm", "lowerarm", "elbow"], [0.165, 0.110]),
        (&["arm"], [0.165, 0.125]),
        (&["neck"], [0.480, 0.450]),
    ];
    TABLE.iter().find(|(words, _)| words.iter().any(|w| name.contains(w))).map(|(_, r)| *r)
}
