//! Body and feet on uneven ground, compared with level ground in the same recording.

use crate::ground::GroundKind;
use crate::metrics::{feet, posture};
use crate::motion::{Motion, Space, Subject};
use crate::samples::{percentile, percentile_or_zero};
use footwork::frames::JointIndex;
use glam::Vec3;

/// Distance before and behind the root up to which the ground under a body is averaged, and number of points there.
const REACH_M: f32 = 0.4;
const POINTS: usize = 9;
/// Difference in height, over these points, below which ground is level, metres.
const LEVEL_M: f32 = 1e-3;
/// Fall of the ground from ankle to toe that counts as an edge, metres.
const EDGE_M: f32 = 0.1;
/// Distance from the toe joint to the tip of the foot, metres.
const TIP_M: f32 = 0.06;
/// Range of speeds that count as walking, as shares of the speed of a full stick.
const WALKS: [f32; 2] = [0.4, 1.4];

/// Medians on level ground.
struct LevelWalk {
    /// Height of the hips above the ground, metres.
    hips_m: f32,
    /// Bend of the straighter knee, degrees.
    bend_deg: f32,
    /// Height of a toe in contact above the ground, metres.
    toe_m: f32,
}

/// A frame on uneven ground, compared with level ground.
#[derive(Clone, Debug, PartialEq)]
pub struct UnevenFrame {
    /// The frame.
    pub frame: usize,
    /// Hips below their height on level ground, cm.
    pub hips_low_cm: f32,
    /// Bend of the straighter knee beyond that on level ground, degrees.
    pub knee_bent_deg: f32,
    /// The toes in contact.
    pub toes: Vec<Toe>,
}

/// A toe in contact, compared with level ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toe {
    /// The toe.
    pub joint: JointIndex,
    /// Height above the ground on which the foot stands, cm. A foot whose tip reaches over the edge of a step stands on that step.
    pub high_cm: f32,
    /// Depth below the ground under it, cm.
    pub low_cm: f32,
}

/// Returns all frames on uneven ground of a walk over `ground`; empty without level ground to compare with. `walk_mps`: speed of a
/// full stick.
pub fn frames(motion: &Motion, subject: &Subject, ground: GroundKind, walk_mps: f32) -> Vec<UnevenFrame> {
    let walks = |frame: &usize| {
        let range = WALKS.map(|share| share * walk_mps);
        posture::speed_mps(motion, *frame).is_some_and(|mps| (range[0]..=range[1]).contains(&mps))
    };
    let (level, uneven): (Vec<usize>, Vec<usize>) =
        (0..motion.frames()).filter(walks).partition(|frame| under(motion, *frame, ground).is_level);
    let Some(level) = level_walk(motion, subject, ground, &level) else { return Vec::new() };
    let compare = |frame| {
        let toes = toes_m(motion, subject, ground, frame).map(|(joint, over)| Toe {
            joint,
            high_cm: 100.0 * (over.stands_m - level.toe_m),
            low_cm: 100.0 * (level.toe_m - over.toe_m),
        });
        UnevenFrame {
            frame,
            hips_low_cm: 100.0 * (level.hips_m - hips_m(motion, subject, ground, frame)),
            knee_bent_deg: bend_deg(motion, subject, frame) - level.bend_deg,
            toes: toes.collect(),
        }
    };
    uneven.into_iter().map(compare).collect()
}

fn level_walk(motion: &Motion, subject: &Subject, ground: GroundKind, frames: &[usize]) -> Option<LevelWalk> {
    if frames.is_empty() || subject.legs.is_empty() {
        return None;
    }
    let mut hips: Vec<f32> = frames.iter().map(|f| hips_m(motion, subject, ground, *f)).collect();
    let mut bends: Vec<f32> = frames.iter().map(|f| bend_deg(motion, subject, *f)).collect();
    let mut toes: Vec<f32> =
        frames.iter().flat_map(|f| toes_m(motion, subject, ground, *f)).map(|(_, over)| over.toe_m).collect();
    let toe_m = percentile_or_zero(&mut toes, 50.0);
    Some(LevelWalk { hips_m: percentile(&mut hips, 50.0), bend_deg: percentile(&mut bends, 50.0), toe_m })
}

/// The ground under a body.
struct Under {
    mean_m: f32,
    is_level: bool,
}

fn under(motion: &Motion, frame: usize, ground: GroundKind) -> Under {
    let root = motion.roots[frame];
    let heights = (0..POINTS).map(|k| {
        let ahead_m = REACH_M * (2.0 * k as f32 / (POINTS - 1) as f32 - 1.0);
        ground.at(root.point(Vec3::Z * ahead_m)).height_m
    });
    let (low, high) = heights.clone().fold((f32::MAX, f32::MIN), |(low, high), h| (low.min(h), high.max(h)));
    Under { mean_m: heights.sum::<f32>() / POINTS as f32, is_level: high - low < LEVEL_M }
}

/// Returns the height of the hips above the ground under the body, metres.
fn hips_m(motion: &Motion, subject: &Subject, ground: GroundKind, frame: usize) -> f32 {
    motion.position(Space::World, frame, subject.hips).y - under(motion, frame, ground).mean_m
}

/// Returns the bend of the straighter knee, degrees.
fn bend_deg(motion: &Motion, subject: &Subject, frame: usize) -> f32 {
    let bends = subject.legs.iter().map(|leg| 180.0 - feet::knee_extension_deg(motion, frame, *leg));
    bends.fold(f32::INFINITY, f32::min)
}

/// Heights of a toe, metres.
struct Over {
    /// Above the ground under the toe.
    toe_m: f32,
    /// Above the ground under the toe or under the tip of the foot, whichever is higher.
    stands_m: f32,
}

/// Returns the toes in contact with their heights above the ground. For a toe beyond the edge of a step, that is the ground under its
/// ankle.
fn toes_m<'a>(
    motion: &'a Motion,
    subject: &'a Subject,
    ground: GroundKind,
    frame: usize,
) -> impl Iterator<Item = (JointIndex, Over)> + 'a {
    let toes = subject.feet.iter().filter(move |(slot, _)| motion.touches(frame, *slot));
    toes.map(move |(_, [ankle, toe])| {
        let [ankle_at, toe_at] = [ankle, toe].map(|joint| motion.position(Space::World, frame, *joint));
        let tip_at = toe_at + (toe_at - ankle_at).with_y(0.0).normalize_or_zero() * TIP_M;
        let [under_ankle_m, under_toe_m, under_tip_m] = [ankle_at, toe_at, tip_at].map(|at| ground.at(at).height_m);
        let edge_m = under_toe_m + EDGE_M;
        let ground_m = if under_ankle_m > edge_m { under_ankle_m } else { under_toe_m };
        let stands_m = if under_tip_m > edge_m { ground_m.max(under_tip_m) } else { ground_m };
        (*toe, Over { toe_m: toe_at.y - ground_m, stands_m: toe_at.y - stands_m })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RATE_HZ;
    use crate::motion::SourceFrame;
    use footwork::frames::ClipIndex;
    use footwork::math::{Facing, Quat, Transform};

    /// Walks ahead at 1 m/s from z = 0. The hips are 1 m above the ground under the root, and on the slope lower by `low_m`; the toe is
    /// `gap_m` above the ground there.
    fn walk(ground: GroundKind, frames: usize, low_m: f32, gap_m: f32) -> Motion {
        let mut motion = Motion::new(4);
        for frame in 0..frames {
            let at = Vec3::Z * (frame as f32 / RATE_HZ);
            let (root, height_m) = (Transform::new(at, Quat::IDENTITY), ground.at(at).height_m);
            let on = height_m > 0.0;
            let hips_m = height_m + 1.0 - if on { low_m } else { 0.0 };
            let toe_m = height_m + if on { gap_m } else { 0.0 };
            let knee_z = if on { 0.2 } else { 0.0 };
            let joints = [[0.0, hips_m], [knee_z, 0.5 * (hips_m + toe_m)], [0.0, toe_m], [0.0, toe_m]];
            let joints = joints.map(|[z, y]| Vec3::new(0.0, y, at.z + z));
            motion.roots.push(root);
            motion.world.extend(joints);
            motion.root_space.extend(joints.map(|p| root.inverse_point(p)));
            motion.hips_facings.push(Facing::default());
            motion.contacts.push(1);
            motion.playing.push(SourceFrame { clip: ClipIndex(0), frame, mirrored: false });
        }
        motion
    }

    #[test]
    fn a_body_that_squats_on_a_slope_is_lower_and_bent_and_its_toes_are_found_off_the_ground() {
        let subject = Subject {
            contact_joints: vec![JointIndex(3)],
            mirror_joints: Vec::new(),
            legs: vec![[0, 1, 2].map(JointIndex)],
            feet: vec![(0, [2, 3].map(JointIndex))],
            hips: JointIndex(0),
            hips_forward: Vec3::Z,
        };
        let ground = GroundKind::Slope;
        let all = frames(&walk(ground, 600, 0.1, 0.02), &subject, ground, 1.0);
        // From 40 cm before the slope, which begins at 3 m, to the end.
        assert_eq!((all[0].frame, all[all.len() - 1].frame), (157, 599));
        let on = all.iter().find(|f| f.frame == 400).unwrap();
        assert!((on.hips_low_cm - 10.0).abs() < 0.01, "{on:?}");
        assert!(on.knee_bent_deg > 40.0 && on.toes.len() == 1, "{on:?}");
        assert!((on.toes[0].high_cm - 2.0).abs() < 0.01 && (on.toes[0].low_cm + 2.0).abs() < 0.01, "{on:?}");
        // Without level ground there is nothing to compare with; nor is there for a walk of another speed.
        assert!(frames(&walk(GroundKind::Rubble, 600, 0.0, 0.0), &subject, GroundKind::Rubble, 1.0).is_empty());
        assert!(frames(&walk(ground, 600, 0.1, 0.02), &subject, ground, 3.0).is_empty());
    }
}
