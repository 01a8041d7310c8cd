//! Detection of contacts: a foot is planted when it is slow and low relative to this clip, this foot, and the size of the
//! body.

mod foot;
mod limits;
mod plausible;

pub use foot::{half_stretch, lowest, slope};
pub use limits::runs;
pub use plausible::{ContactMotion, joints_warning, warning};

use super::config::ContactConfig;
use super::track::Track;
use crate::frames::JointIndex;
use crate::rig::Leg;
use crate::roles::JointRoles;
use crate::skeleton::Skeleton;
use foot::{Foot, Steps};
use glam::Vec3;
use limits::Limits;

/// Half of the interval over which the speed of travel is measured, in seconds.
const TRAVEL_S: f32 = 0.25;

/// Contacts of a clip's feet.
pub struct Feet {
    /// `[frames x joints]` 1 if the contact joint is planted: from the clip's annotations, else detected.
    pub labels: Vec<u8>,
    /// `[joints]` share of frames in which heel or toes are planted.
    pub stance_share: Vec<f32>,
}

/// Returns the labels, `[frames x joints]`.
pub fn label(track: &Track, skeleton: &Skeleton, joints: &[JointIndex], config: &ContactConfig) -> Vec<u8> {
    feet(track, skeleton, joints, config).labels
}

/// Returns the labels, and the stance share of each foot.
pub fn feet(track: &Track, skeleton: &Skeleton, joints: &[JointIndex], config: &ContactConfig) -> Feet {
    let n = track.frames();
    let mut feet = Feet { labels: vec![0u8; n * joints.len()], stance_share: Vec::with_capacity(joints.len()) };
    let leg_m = leg_length_m(track, skeleton, joints);
    let limits = Limits::new(config, leg_m);
    let body = path(track, skeleton, JointIndex(0));
    let half = ((TRAVEL_S * track.rate_hz).round() as usize).max(1);
    let travel = |f: usize| (slope(&body, f, half) * Vec3::new(1.0, 0.0, 1.0)).length() * track.rate_hz;
    let travel_mps: Vec<f32> = (0..body.len()).map(travel).collect();
    for ((slot, joint), leg) in joints.iter().enumerate().zip(Leg::find(skeleton, &JointRoles::default(), joints)) {
        let toe = path(track, skeleton, *joint);
        let heel = leg.filter(|l| l.ankle != *joint).map(|l| path(track, skeleton, l.ankle));
        let (heel, rate_hz) = (heel.as_deref(), track.rate_hz);
        let foot = Foot { toe: &toe, heel, travel_mps: &travel_mps, rate_hz, leg_m };
        let Steps { planted, carries } = foot.steps(&limits);
        // Of a loop that was repeated three times, the middle one is used.
        let first = if planted.len() > n { n } else { 0 };
        let known = track.annotations.contacts.iter().find(|c| c.joint == skeleton.name(*joint));
        let planted = known.map_or(&planted[first..first + n], |c| &c.on);
        let carries = planted.iter().zip(&carries[first..]).filter(|(p, c)| **p || **c).count();
        feet.stance_share.push(carries as f32 / n as f32);
        for (f, on) in planted.iter().enumerate() {
            feet.labels[f * joints.len() + slot] = u8::from(*on);
        }
    }
    feet
}

/// Returns a joint's path in world space. A loop is repeated three times, one cycle after the other.
fn path(track: &Track, skeleton: &Skeleton, joint: JointIndex) -> Vec<Vec3> {
    let n = track.frames();
    let once: Vec<Vec3> = (0..n).map(|f| track.joint_world(skeleton, f, joint.at()).translation).collect();
    let Some(round) = track.round_in_world() else { return once };
    let back = round.inverse();
    let before = once.iter().map(|p| back.point(*p));
    let after = once.iter().map(|p| round.point(*p));
    before.chain(once.iter().copied()).chain(after).collect()
}

/// Returns the length of the legs, from hip to ankle along the bones, in metres; half of the body's height if no leg is
/// known.
pub fn leg_length_m(track: &Track, skeleton: &Skeleton, joints: &[JointIndex]) -> f32 {
    const LEAST_M: f32 = 1e-3;
    let bone = |j: JointIndex| track.local(0, j.at()).translation.length();
    let length = |leg: Leg| bone(leg.knee) + bone(leg.ankle);
    let longest =
        Leg::find(skeleton, &JointRoles::default(), joints).into_iter().flatten().map(length).fold(0.0, f32::max);
    if longest > LEAST_M {
        return longest;
    }
    let mut world = Vec::new();
    track.world(skeleton, track.frames() / 2, &mut world);
    let heights = world.iter().skip(1).map(|t| t.translation.y);
    let (low, high) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    (0.5 * (high - low)).max(LEAST_M)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::track::tests::raw;
    use crate::clip::ContactTrack;

    #[test]
    fn flicker_is_removed_and_long_contacts_stay() {
        let mut on: Vec<bool> = "0010000111111011110000".chars().map(|c| c == '1').collect();
        let limits = Limits { window_s: 0.07, ..Limits::new(&ContactConfig::default(), 0.9) };
        limits.tidy(&mut on, 30.0);
        let tidied: String = on.iter().map(|b| if *b { '1' } else { '0' }).collect();
        assert_eq!(tidied, "0000000111111111110000");
    }

    #[test]
    fn slow_and_low_touches_fast_or_high_does_not() {
        let mut clip = raw(90, 30.0);
        for f in 0..90 {
            // The foot is planted, then rises, then is still in the air.
            let y = if f < 30 { 0.0 } else { ((f - 30) as f32 * 0.05).min(1.0) };
            clip.translations[f * 2] = Vec3::new(0.0, y, 0.0);
        }
        let track = Track::resample(clip.clone(), None, 30.0);
        let on = label(&track, &clip.skeleton, &[JointIndex(0)], &ContactConfig::default());
        assert!(on[..28].iter().all(|v| *v == 1));
        assert!(on[33..].iter().all(|v| *v == 0));
    }

    #[test]
    fn known_contacts_are_taken_as_they_are() {
        let mut clip = raw(10, 30.0);
        clip.annotations.contacts.push(ContactTrack { joint: "Hips".into(), on: vec![true; 10] });
        let track = Track::resample(clip.clone(), None, 30.0);
        let feet = feet(&track, &clip.skeleton, &[JointIndex(1)], &ContactConfig::default());
        assert_eq!((feet.labels, feet.stance_share), (vec![1; 10], vec![1.0]));
    }
}
