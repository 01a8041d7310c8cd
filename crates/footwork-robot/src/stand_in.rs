//! A stand-in for a robot: a skeleton with ball joints at the centres of hips, knees, shoulders and so on, to which the library
//! retargets clips. The hinges then follow its bones.

use crate::error::RobotError;
use crate::kinematics::Placed;
use crate::model::RobotModel;
use crate::parts::{Limb, Parts, SIDES, centre};
use crate::sole::Sole;
use crate::spatial::to_clip;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::retarget::{Reference, RetargetError};
use footwork::roles::{Assigned, FoundBy, JointRoles};
use footwork::skeleton::Skeleton;
use glam::DVec3;

/// Length of a fore arm without a wrist, as a share of the upper arm.
const FORE_ARM: f64 = 0.9;

/// A joint of the stand-in that a body of the robot rotates like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    pub joint: usize,
    pub body: usize,
    pub part: Part,
}

/// Part of the body, for weights and errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    Root,
    Torso,
    Head,
    Leg,
    Foot,
    Arm,
    Hand,
}

/// The stand-in of a robot.
#[derive(Clone, Debug)]
pub struct StandIn {
    pub reference: Reference,
    /// Bodies that follow joints.
    pub followers: Vec<Follower>,
    /// Joints of the left and the right foot and of the toes: `[foot, toe]`.
    pub feet: [[usize; 2]; 2],
    /// Joints at the wrists, where there are arms.
    pub hands: [Option<usize>; 2],
    pub soles: [Sole; 2],
    /// Direction in which the robot faces in the pose that the file describes.
    pub ahead: DVec3,
    /// `[bodies]` the pose that the file describes.
    pub zero: Placed,
}

struct Builder {
    names: Vec<String>,
    parents: Vec<Option<JointIndex>>,
    at: Vec<DVec3>,
    roles: Vec<(String, usize)>,
    followers: Vec<Follower>,
}

impl Builder {
    fn joint(&mut self, role: &str, parent: Option<usize>, at: DVec3) -> usize {
        self.names.push(role.to_owned());
        self.parents.push(parent.map(JointIndex::new));
        self.at.push(at);
        self.roles.push((role.to_owned(), self.at.len() - 1));
        self.at.len() - 1
    }

    fn follow(&mut self, joint: usize, body: usize, part: Part) {
        if self.followers.iter().all(|f| f.body != body) {
            self.followers.push(Follower { joint, body, part });
        }
    }
}

impl StandIn {
    pub fn new(model: &RobotModel, parts: &Parts) -> Result<Self, RobotError> {
        let mut zero = Placed::default();
        model.place(&model.zero_pose(), &mut zero);
        let hips = [0, 1].map(|s: usize| centre(&parts.legs[s].upper, &zero));
        let across = (hips[0] - hips[1]).with_z(0.0);
        let ahead = across.cross(DVec3::Z).try_normalize().ok_or_else(|| RobotError::Parts {
            model: model.name.clone(),
            what: "the hips of both legs are in one place; correct the model, or name the feet as parts".to_owned(),
        })?;
        let centres = |limb: &Limb| [&limb.upper[..], &[limb.middle], &limb.lower[..]].map(|h| centre(h, &zero));
        let soles = [0, 1].map(|s: usize| {
            let [hip, knee, ankle] = centres(&parts.legs[s]);
            let leg_m = (knee - hip).length() + (ankle - knee).length();
            Sole::new(model, &zero, parts.legs[s].bodies[2], ankle, leg_m, ahead)
        });
        let ground = soles.iter().map(|s| zero.point(s.body, s.toe).z).fold(f64::INFINITY, f64::min);

        let mut build = Builder { names: vec![], parents: vec![], at: vec![], roles: vec![], followers: vec![] };
        let root = build.joint("hips", None, zero.positions[0]);
        build.follow(root, 0, Part::Root);
        let top = if parts.waist.is_empty() { zero.positions[0] } else { centre(&parts.waist, &zero) };
        // The trunk stands upright: its joint is above the hips, wherever the frame of the torso is.
        let middle = (hips[0] + hips[1]) * 0.5;
        let chest = build.joint("chest", Some(root), DVec3::new(middle.x, middle.y, top.z.max(middle.z + 0.01)));
        build.roles.push(("spine".to_owned(), chest));
        build.follow(chest, parts.torso, Part::Torso);
        if let Some(head) = parts.head {
            let joint = build.joint("head", Some(chest), zero.positions[head]);
            build.follow(joint, head, Part::Head);
        }
        let mut feet = [[0; 2]; 2];
        let mut hands = [None; 2];
        for (s, side) in SIDES.iter().enumerate() {
            let leg = &parts.legs[s];
            let [hip, knee, ankle] = centres(leg);
            let hip = build.joint(&format!("{side}_up_leg"), Some(root), hip);
            let knee = build.joint(&format!("{side}_leg"), Some(hip), knee);
            let foot = build.joint(&format!("{side}_foot"), Some(knee), ankle);
            let toe = zero.point(soles[s].body, soles[s].toe);
            let toe = build.joint(&format!("{side}_toe"), Some(foot), toe);
            feet[s] = [foot, toe];
            for (joint, body, part) in
                [(hip, leg.bodies[0], Part::Leg), (knee, leg.bodies[1], Part::Leg), (foot, leg.bodies[2], Part::Foot)]
            {
                build.follow(joint, body, part);
            }
            let Some(arm) = &parts.arms[s] else { continue };
            let [shoulder, elbow, wrist] = centres(arm);
            let wrist = if arm.lower.is_empty() { hand_of(model, &zero, arm, shoulder, elbow) } else { wrist };
            let shoulder = build.joint(&format!("{side}_up_arm"), Some(chest), shoulder);
            let elbow = build.joint(&format!("{side}_fore_arm"), Some(shoulder), elbow);
            let hand = build.joint(&format!("{side}_hand"), Some(elbow), wrist);
            hands[s] = Some(hand);
            for (joint, body, part) in [
                (shoulder, arm.bodies[0], Part::Arm),
                (elbow, arm.bodies[1], Part::Arm),
                (hand, arm.bodies[2], Part::Hand),
            ] {
                build.follow(joint, body, part);
            }
        }
        let reference = reference(&build, ground).map_err(|error| RobotError::Parts {
            model: model.name.clone(),
            what: format!("the pose of its file: {error}"),
        })?;
        Ok(Self { reference, followers: build.followers, feet, hands, soles, ahead, zero })
    }
}

/// Returns the end of an arm without a wrist: the farthest body or shape of the fore arm.
fn hand_of(model: &RobotModel, zero: &Placed, arm: &Limb, shoulder: DVec3, elbow: DVec3) -> DVec3 {
    let fore_arm = arm.bodies[1];
    let below = (fore_arm..model.bodies.len()).filter(|b| model.up_from(*b).any(|up| up == fore_arm));
    let points = below.flat_map(|b| {
        let balls = model.bodies[b].balls.iter().map(move |ball| zero.point(b, ball.at));
        balls.chain(std::iter::once(zero.positions[b]))
    });
    let farthest = points.max_by(|a, b| (*a - elbow).length().total_cmp(&(*b - elbow).length()));
    let least = 0.3 * (elbow - shoulder).length();
    farthest.filter(|p| (*p - elbow).length() > least).unwrap_or(elbow + (elbow - shoulder) * FORE_ARM)
}

fn reference(build: &Builder, ground: f64) -> Result<Reference, RetargetError> {
    let up = DVec3::Z * ground;
    let rest = build.at.iter().zip(&build.parents).map(|(at, parent)| {
        let from = parent.map_or(up, |p| build.at[p.at()]);
        Transform::new(to_clip(*at - from), Quat::IDENTITY)
    });
    let skeleton = Skeleton::new(build.names.clone(), build.parents.clone(), rest.collect());
    let skeleton = skeleton.expect("names are unique, parents come before children, and numbers are finite");
    let roles = JointRoles::from_assigned(build.roles.iter().map(|(role, joint)| {
        let assigned = Assigned { joint: JointIndex::new(*joint), found_by: FoundBy::Topology, confidence: 1.0 };
        (role.clone(), assigned)
    }));
    Reference::from_rest(&skeleton, &roles)
}
