//! What bends the pose that is shown, last of all, and decides nothing: feet on the ground, gaze, hands.
//!
//! These move on with every update, from what was shown last to what is shown now.

use super::config::MatcherConfig;
use super::query::nearest_row;
use super::state::{BlockLayout, MatcherState, Playing};
use crate::adjust::body::{Body, LowerBody};
use crate::adjust::ground::{FitToGround, GroundedBody};
use crate::adjust::hands::Hand;
use crate::adjust::leg::Leg;
use crate::adjust::look_at::{Gaze, LookAt, LookJoint, MAX_LOOK_JOINTS};
use crate::database::Database;
use crate::frames::JointIndex;
use crate::math::lerp;
use crate::math::spring::Spring;
use crate::pose::Pose;
use crate::trajectory::{GroundHook, GroundPoint, MotionInput};
use glam::Vec3;

/// What they must remember; all zeros has never corrected anything. The feet's part is in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Corrections {
    /// 1 where what plays brings its own ground along.
    pub own_ground: Spring,
    /// On which ground the body is.
    pub body: GroundedBody,
    /// What is looked at.
    pub gaze: LookAt,
    /// What left and right hand reach for.
    pub hands: [Hand; 2],
}

/// The input of an update, and its time step.
pub type Now<'a> = (&'a MotionInput<'a>, f32);

/// Bends the upper body of the pose that is to be shown. With `now` the state moves on first; without, it is shown as it
/// was last.
pub fn correct(db: &Database, config: &MatcherConfig, state: &mut MatcherState, now: Option<Now>, pose: &mut Pose) {
    look(db, config, &mut state.header.corrections.gaze, now, pose);
    reach(db, config, &mut state.header.corrections.hands, now, pose);
}

/// Puts pelvis and legs on the ground. `contacts`, `[contact joints]`: which feet touch.
pub fn fit_to_ground(
    db: &Database,
    body: &Body,
    config: &MatcherConfig,
    state: &mut MatcherState,
    layout: &BlockLayout,
    now: Option<Now>,
    contacts: &[u8],
    lower: &mut LowerBody,
    pose: &mut Pose,
) {
    let c = &config.ground;
    let fit = FitToGround { config: c, skeleton: &db.skeleton, body, soles: &db.rig.soles, reach: config.feet.reach() };
    let playing = state.header.playing;
    let (header, feet) = state.grounded_mut(layout);
    let (own, grounded) = (&mut header.corrections.own_ground, &mut header.corrections.body);
    if let Some((input, dt_s)) = now
        && (input.ground.is_some() || grounded.seen > 0.0)
    {
        let world_from_root = pose.world_from_root();
        let root = world_from_root.translation;
        // Who has left the ground that was given is back on level ground.
        let level = |_: Vec3| GroundPoint { height_m: root.y, ..GroundPoint::default() };
        let ground: &GroundHook = input.ground.unwrap_or(&level);
        let goal = f32::from(u8::from(brings_ground(db, c.own_ground_tags.as_slice(), &playing)));
        if grounded.seen == 0.0 {
            *own = Spring::at(goal);
        }
        own.to(goal, c.body_half_life_s, dt_s);
        let (under_root, share) = (GroundPoint::under(ground, root), 1.0 - own.value);
        let fitted = |at: Vec3| {
            let p = GroundPoint::under(ground, at);
            GroundPoint {
                height_m: lerp(under_root.height_m, p.height_m, share),
                normal: Vec3::Y.lerp(p.normal, share).normalize_or(Vec3::Y),
                velocity: p.velocity,
            }
        };
        fit.update(&fitted, contacts, lower, world_from_root, dt_s, feet, grounded);
    }
    fit.apply(feet, grounded, lower, pose);
}

/// Does what plays go up and down by itself?
fn brings_ground(db: &Database, tags: &[String], playing: &Playing) -> bool {
    let of = |(bit, tag): (usize, &String)| if tags.contains(tag) { 1u64 << bit } else { 0 };
    let mask = db.tags.iter().enumerate().map(of).fold(0, |a, b| a | b);
    mask != 0 && nearest_row(db, playing).is_some_and(|row| db.row_tags[row.at()] & mask != 0)
}

fn look(db: &Database, config: &MatcherConfig, state: &mut LookAt, now: Option<Now>, pose: &mut Pose) {
    let target = now.and_then(|(input, _)| input.look_at).filter(|_| config.look_at.enabled);
    if target.is_none() && *state == LookAt::default() {
        return;
    }
    let c = &config.look_at;
    let mut room = [LookJoint { joint: JointIndex(0), yaw_deg: 0.0, pitch_deg: 0.0 }; MAX_LOOK_JOINTS];
    let mut count = 0;
    for j in c.joints.iter().take(MAX_LOOK_JOINTS) {
        let Some(joint) = db.rig.joint(&db.skeleton, &j.joint) else { continue };
        room[count] = LookJoint { joint, yaw_deg: j.yaw_deg, pitch_deg: j.pitch_deg };
        count += 1;
    }
    let Some(head) = room[..count].last() else { return };
    let standing = db.rig.standing[head.joint.at()].rotation;
    let gaze = Gaze::new(&room[..count], standing, Vec3::new(0.0, c.eyes_up_m, c.eyes_ahead_m));
    if let Some((_, dt_s)) = now {
        state.update(c, &gaze, &db.skeleton, target, pose, dt_s);
    }
    state.apply(&gaze, &db.skeleton, pose);
}

fn reach(db: &Database, config: &MatcherConfig, hands: &mut [Hand; 2], now: Option<Now>, pose: &mut Pose) {
    for (side, hand) in hands.iter_mut().enumerate() {
        let target = now.and_then(|(input, _)| input.hands[side]).filter(|_| config.hands.enabled);
        if target.is_none() && *hand == Hand::default() {
            continue;
        }
        let c = &config.hands;
        let joint = db.rig.joint(&db.skeleton, &c.joints[side]);
        let Some(arm) = joint.and_then(|hand| Leg::above(&db.skeleton, hand)) else { continue };
        if let Some((_, dt_s)) = now {
            hand.update(c, target, pose.world_from_root(), dt_s);
        }
        hand.apply(c, &db.skeleton, arm, pose);
    }
}
