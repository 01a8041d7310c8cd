//! Implausible contacts: a body that travels and hardly stands, never lifts a foot, or limps; and implausible contact joints, which
//! never touch, always touch, or are above other joints while they touch.

use crate::build::clip_report::ClipReport;
use crate::build::track::Track;
use crate::frames::JointIndex;
use crate::math::{GRAVITY_MPS2, Transform};
use crate::skeleton::Skeleton;
use std::fmt::Write;

/// Minimum speed of a travelling body, in units of the speed of a pendulum as long as its leg: 0.45 m/s for a person.
const TRAVELS: f32 = 0.15;
/// Plausible stance shares: feet have more than the minimum even in the fastest sprints and gallops, and less
/// than the maximum even in the slowest walks.
const STANCE: std::ops::RangeInclusive<f32> = 0.1..=0.95;
/// Maximum difference between the stance shares of left and right in a loop.
const LIMP: f32 = 0.2;
/// Maximum number of clips in the warning.
const NAMED: usize = 6;
/// Shortest motion by which a contact joint is judged, seconds.
const TELLS_S: f32 = 2.0;
/// Least share of the time in which each foot of a travelling body touches the ground, and in which it does not.
const EVER: f32 = 0.02;
/// Largest height of a planted foot above the lowest other joint, in leg lengths: 0.14 m for a person.
const LOWER: f32 = 0.15;
/// The height is exceeded if it is in this share of the frames in which the foot is planted.
const MOSTLY: f32 = 0.75;
/// Interval between the poses that are compared, seconds.
const EVERY_S: f32 = 0.1;

/// Returns a warning about the clips with implausible contacts.
pub fn warning(clips: &[ClipReport], leg_m: f32) -> Option<String> {
    let doubtful: Vec<(&ClipReport, &str)> = clips.iter().filter_map(|c| doubt(c, leg_m).map(|why| (c, why))).collect();
    let mut told = match doubtful.len() {
        0 => return None,
        1 => "the contacts of a clip are doubtful:".to_owned(),
        n => format!("the contacts of {n} clips are doubtful:"),
    };
    for (clip, why) in doubtful.iter().take(NAMED) {
        let shares: Vec<String> = clip.stance_share.iter().map(|s| format!("{:.0} %", 100.0 * s)).collect();
        let (name, speed) = (&clip.name, clip.mean_speed_mps);
        let _ = write!(told, " `{name}` {why} ({speed:.2} m/s; feet carry {} of the time),", shares.join(", "));
    }
    if doubtful.len() > NAMED {
        let _ = write!(told, " and {} more,", doubtful.len() - NAMED);
    }
    told.pop();
    told.push_str("; look at them with `footwork film`, and at `contacts` of the configuration");
    Some(told)
}

/// The motion of the contact joints in all clips.
pub struct ContactMotion<'a> {
    /// Captured clips.
    pub tracks: &'a [Track],
    /// `[tracks]` `[frames x joints]`, 1 where a joint touches.
    pub labels: &'a [Vec<u8>],
    pub skeleton: &'a Skeleton,
    /// The contact joints.
    pub joints: &'a [JointIndex],
    pub leg_m: f32,
}

/// Returns a warning that names implausible contact joints and the setting that changes them.
pub fn joints_warning(feet: &ContactMotion) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for (slot, joint) in feet.joints.iter().enumerate() {
        let name = feet.skeleton.name(*joint);
        if let Some(how) = feet.never_or_always(slot) {
            told.push(format!("`{name}` {how}"));
        } else if let Some((lower, by_m)) = feet.lower(slot) {
            told.push(format!("`{lower}` is {:.0} cm below `{name}` while that stands", 100.0 * by_m));
        }
    }
    (!told.is_empty()).then(|| {
        format!(
            "the contact joints may be wrong: {}; `contacts.joints` in the configuration sets others, and `footwork film` shows \
             what they do",
            told.join(", ")
        )
    })
}

impl ContactMotion<'_> {
    fn touches(&self, track: usize, frame: usize, slot: usize) -> bool {
        self.labels[track][frame * self.joints.len() + slot] == 1
    }

    /// Returns a description of a foot that never touches the ground, or always does. Only frames in which the body travels count, if
    /// there are enough of them.
    fn never_or_always(&self, slot: usize) -> Option<&'static str> {
        let least_mps = travels_mps(self.leg_m);
        // Seconds in all and in contact, of all frames and of travelling ones.
        let [mut all, mut travel] = [[0.0f32; 2]; 2];
        for (i, track) in self.tracks.iter().enumerate() {
            let frame_s = 1.0 / track.rate_hz;
            for f in 0..track.frames().saturating_sub(1) {
                let step = track.local(f + 1, 0).translation - track.local(f, 0).translation;
                let on = if self.touches(i, f, slot) { frame_s } else { 0.0 };
                let travels = step.length() > least_mps * frame_s;
                all = [all[0] + frame_s, all[1] + on];
                if travels {
                    travel = [travel[0] + frame_s, travel[1] + on];
                }
            }
        }
        let share = |[seconds, on]: [f32; 2]| (seconds >= TELLS_S).then(|| on / seconds);
        match share(travel) {
            Some(share) if share < EVER => Some("never touches the ground while the body travels"),
            Some(share) if share > 1.0 - EVER => Some("never leaves the ground while the body travels"),
            None if share(all).is_some_and(|share| share < EVER) => Some("never touches the ground"),
            _ => None,
        }
    }

    /// Returns the joint that is lower than a foot in most frames in which the foot is planted, and by how much, in metres. The parents
    /// of feet, and other feet with their children, do not count.
    fn lower(&self, slot: usize) -> Option<(&str, f32)> {
        let is_above = |above: JointIndex, below: JointIndex| self.skeleton.chain(below).any(|j| j == above);
        let foot = self.joints[slot];
        let others = || self.joints.iter().copied().filter(|j| *j != foot);
        let looked_at: Vec<JointIndex> = (0..self.skeleton.len())
            .map(JointIndex::new)
            .filter(|j| !is_above(*j, foot) && !others().any(|other| is_above(other, *j) || is_above(*j, other)))
            .collect();
        // The height above the lowest joint, and that joint, for each frame in contact.
        let mut found: Vec<(f32, JointIndex)> = Vec::new();
        let mut world: Vec<Transform> = Vec::new();
        for (i, track) in self.tracks.iter().enumerate() {
            let every = ((EVERY_S * track.rate_hz) as usize).max(1);
            for f in (0..track.frames()).step_by(every).filter(|f| self.touches(i, *f, slot)) {
                track.world(self.skeleton, f, &mut world);
                let height = |j: JointIndex| world[j.at()].translation.y;
                let lowest = looked_at.iter().copied().min_by(|a, b| height(*a).total_cmp(&height(*b)))?;
                found.push((height(foot) - height(lowest), lowest));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (by_m, joint) = *found.get(((1.0 - MOSTLY) * found.len() as f32) as usize)?;
        (by_m > LOWER * self.leg_m).then(|| (self.skeleton.name(joint), by_m))
    }
}

/// Returns the minimum speed of a travelling body, m/s.
fn travels_mps(leg_m: f32) -> f32 {
    TRAVELS * (GRAVITY_MPS2 * leg_m).sqrt()
}

fn doubt(clip: &ClipReport, leg_m: f32) -> Option<&'static str> {
    if clip.stance_share.is_empty() || clip.mean_speed_mps < travels_mps(leg_m) {
        return None;
    }
    let limps = clip.stance_share.chunks_exact(2).any(|pair| (pair[0] - pair[1]).abs() > LIMP);
    match () {
        () if clip.stance_share.iter().any(|s| s < STANCE.start()) => Some("hardly stands"),
        () if clip.stance_share.iter().all(|s| s > STANCE.end()) => Some("slides"),
        () if clip.looping && limps => Some("limps"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use glam::Vec3;

    fn clip(name: &str, speed: f32, looping: bool, stance: [f32; 2]) -> ClipReport {
        ClipReport {
            name: name.into(),
            frames: 60,
            rows: 30,
            extrapolated_rows: 0,
            seconds: 1.0,
            looping,
            mean_speed_mps: speed,
            contact_share: stance.to_vec(),
            stance_share: stance.to_vec(),
            taken_for: String::new(),
            taken_because: String::new(),
        }
    }

    #[test]
    fn a_gait_without_stance_or_with_a_limp_is_named_and_nothing_else() {
        let clips = [
            clip("walk", 1.2, true, [0.6, 0.62]),
            clip("idle", 0.0, true, [1.0, 1.0]),
            clip("kick", 0.1, false, [0.02, 1.0]),
            clip("step", 0.6, false, [0.4, 0.9]),
            clip("flies", 4.0, true, [0.02, 0.3]),
            clip("skates", 4.0, false, [1.0, 0.97]),
            clip("limps", 1.0, true, [0.4, 0.7]),
        ];
        assert_eq!(warning(&clips[..4], 0.9), None);
        let told = warning(&clips, 0.9).unwrap();
        let expected = "3 clips are doubtful: `flies` hardly stands (4.00 m/s; feet carry 2 %, 30 % of the time), `skates` \
                        slides (4.00 m/s; feet carry 100 %, 97 % of the time), `limps` limps";
        assert!(told.contains(expected), "{told}");
    }

    /// A body that goes 60 m in 40 s over two feet, of which each is down half of the time, with a paw below one of them.
    #[test]
    fn contact_joints_that_cannot_be_feet_are_named() {
        let rest = [Vec3::ZERO, Vec3::Y, Vec3::NEG_Y * 0.9, Vec3::NEG_Y * 0.9, Vec3::new(0.0, -0.2, 0.1)];
        let parents = [None, Some(0), Some(1), Some(1), Some(3)].map(|p| p.map(JointIndex));
        let names = ["Root", "Hips", "LeftFoot", "RightHock", "RightPaw"].map(String::from);
        let transforms: Vec<Transform> = rest.iter().map(|t| Transform::new(*t, Quat::IDENTITY)).collect();
        let skeleton = Skeleton::new(names.to_vec(), parents.to_vec(), transforms).unwrap();
        let (frames, rate_hz) = (1200, 30.0);
        let mut clip = crate::build::track::tests::raw(frames, rate_hz);
        clip.skeleton = skeleton.clone();
        clip.rotations = vec![Quat::IDENTITY; frames * rest.len()];
        clip.translations = (0..frames)
            .flat_map(|f| {
                rest.iter().enumerate().map(move |(j, t)| if j == 0 { Vec3::Z * (f as f32 * 0.05) } else { *t })
            })
            .collect();
        let tracks = [Track::resample(clip, None, rate_hz)];
        let told = |feet: [usize; 2], on: [fn(usize) -> bool; 2]| {
            let labels = [(0..frames).flat_map(|f| on.map(|on| u8::from(on(f)))).collect::<Vec<u8>>()];
            let joints = feet.map(JointIndex::new);
            let (tracks, labels) = (&tracks[..], &labels[..]);
            joints_warning(&ContactMotion { tracks, labels, skeleton: &skeleton, joints: &joints, leg_m: 0.9 })
        };
        let (left, right): (fn(usize) -> bool, fn(usize) -> bool) = (|f| f % 30 < 16, |f| (f + 15) % 30 < 16);
        assert_eq!(told([2, 4], [left, right]), None);
        let expect = |told: Option<String>, part: &str| {
            let told = told.unwrap_or_default();
            assert!(told.contains(part) && told.contains("`contacts.joints`"), "{told}");
        };
        expect(told([2, 3], [left, right]), "wrong: `RightPaw` is 20 cm below `RightHock` while that stands;");
        expect(told([2, 4], [|_| false, right]), "`LeftFoot` never touches the ground while the body travels;");
        expect(told([2, 4], [left, |_| true]), "`RightPaw` never leaves the ground while the body travels;");
    }
}
