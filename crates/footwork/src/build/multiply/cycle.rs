//! Cycles: one stride of steady locomotion, from one touch-down of the left foot to the next, straight ahead.
//!
//! They are found in clips with steady locomotion, looping or not. All made clips are built from them.

use super::kit::{Kit, angle_rad, close_gap, mix_in};
use crate::build::contacts::runs;
use crate::build::track::Track;
use crate::clip::TimeRange;
use crate::frames::JointIndex;
use crate::math::{Facing, Quat, Transform, smoothstep};
use crate::motion::{ClipView, PosePool};
use crate::parallel;
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// Duration of human strides, in seconds.
const STRIDE_S: std::ops::RangeInclusive<f32> = 0.4..=2.0;
/// Minimum speed of locomotion, in m/s.
const SLOWEST_MPS: f32 = 0.3;
/// Maximum deviation of a quarter stride's velocity from the mean: a share of the mean, and m/s.
const UNEVEN: f32 = 0.25;
const UNEVEN_MPS: f32 = 0.15;
/// Maximum turn of a stride, in radians.
const TURN_RAD: f32 = 0.2;
/// Maximum difference between the poses at both ends of a stride, at any joint, in radians.
const GAP_RAD: f32 = 0.5;
/// Minimum duration of stances and swings, in seconds. Shorter ones are flicker.
const FLICKER_S: f32 = 0.06;
/// Length of a swing below which its progress follows time, in metres.
const NOWHERE_M: f32 = 0.1;
/// Cycles are the same if their directions differ by less than this, in radians, and their speeds by less than this ratio.
const SAME_RAD: f32 = 0.3;
const SAME_RATIO: f32 = 1.15;
/// Minimum height of the hips, as a share of that of tall cycles of a similar speed, and the ratio of similar speeds.
const UPRIGHT: f32 = 0.94;
const SIMILAR_RATIO: f32 = 1.6;
/// Share of a stride over which its ends are faded into each other.
const FADE: f32 = 0.25;
/// Number of poses that give the height of a cycle.
const HEIGHTS: u32 = 8;

/// A foot during a cycle. Shares are of the cycle, from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootCycle {
    /// Touch-down.
    pub land: f32,
    /// Duration of the stance.
    pub stance: f32,
    /// Position of the contact joint in the middle of the stance, in root space.
    pub middle: Vec3,
    /// Yaw of the flat foot relative to the root, in radians.
    pub yaw_rad: f32,
    /// Positions of lift-off and the next touch-down, on a ground past which the root moves with the cycle's velocity.
    from: Vec3,
    to: Vec3,
}

/// A foot at a time, relative to its stances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootSample {
    /// Share of the path from one stance to the next, from about 0 to about 1.
    pub progress: f32,
    /// Offset from that path: in root axes, height above the ground, in metres.
    pub aside: Vec3,
    /// Rotation of the ankle in root axes, with the flat foot turned to +Z.
    pub ankle: Quat,
    /// Rotation of the toes in the ankle's space.
    pub toe: Quat,
}

/// One stride. Its root moves straight ahead with constant velocity.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// Source clip.
    pub source: String,
    /// Velocity in root space, in m/s.
    pub velocity_mps: Vec3,
    /// Feet: left, right.
    pub feet: [FootCycle; 2],
    /// Tags of all of its frames.
    pub tags: Vec<String>,
    /// Mean height of the hips above the root, in metres.
    hips_m: f32,
    frames: usize,
    rate_hz: f32,
    pool: PosePool,
    round: Transform,
    /// Difference between its ends plus unevenness of its speed; lower is better.
    roughness: f32,
}

impl Cycle {
    /// Returns the duration of a stride, in seconds.
    pub fn seconds(&self) -> f32 {
        self.frames as f32 / self.rate_hz
    }

    /// Writes the pose at a share of the cycle, of any number of cycles, with joint 0 at the origin.
    pub fn sample(&self, kit: &Kit, share: f64, out: &mut Shown) {
        let view = ClipView {
            skeleton: kit.skeleton,
            poses: &self.pool,
            start: 0,
            frames: self.frames,
            rate_hz: self.rate_hz,
            loop_delta: Some(self.round),
            mirror: None,
        };
        view.sample(share * view.seconds(), &mut out.0, &mut out.1);
        out.0.set_world_from_root(Transform::IDENTITY);
    }

    /// Returns a foot at `share` (0 to 1) of its swing or its stance.
    pub fn foot(&self, kit: &Kit, side: usize, (swings, share): (bool, f32), out: &mut Shown) -> FootSample {
        let foot = self.feet[side];
        let since = if swings { foot.stance + share * (1.0 - foot.stance) } else { share * foot.stance };
        self.sample(kit, f64::from(foot.land + since), out);
        let (at, ankle, toe) = kit.foot(&out.0, side);
        let way = foot.to - foot.from;
        let here = at + self.velocity_mps * ((since - foot.stance) * self.seconds());
        let (progress, aside) = if !swings {
            (0.0, Vec3::ZERO)
        } else if way.length() < NOWHERE_M {
            (smoothstep(share), Vec3::ZERO)
        } else {
            let progress = (here - foot.from).dot(way) / way.length_squared();
            (progress, here - foot.from - way * progress)
        };
        let ankle = Quat::from_rotation_y(-foot.yaw_rad) * ankle;
        FootSample { progress, aside: Vec3::new(aside.x, at.y, aside.z), ankle, toe }
    }
}

/// A pose and its velocity, as output of sampling.
#[derive(Clone, Debug)]
pub struct Shown(pub Pose, pub PoseVelocity);

impl Shown {
    pub fn new(kit: &Kit) -> Self {
        Self(Pose::rest(kit.skeleton), PoseVelocity::zero(kit.skeleton.len()))
    }
}

/// Values by which cycles are compared. Only chosen cycles get poses: there is a candidate per stride.
struct Candidate {
    /// Index of the track, and the first frame of the stride in it.
    track: usize,
    start: usize,
    velocity_mps: Vec3,
    hips_m: f32,
    roughness: f32,
}

/// Returns the smoothest cycles of all tracks, one per speed and direction. `captured`: tracks with their contacts,
/// `[frames x contact joints]`.
pub fn find(kit: &Kit, captured: &[(&Track, &Vec<u8>)]) -> Vec<Cycle> {
    let numbers: Vec<usize> = (0..captured.len()).collect();
    let of_track = |i: &usize| -> Vec<Candidate> {
        let candidate = |(start, cycle): (usize, Cycle)| Candidate {
            track: *i,
            start,
            velocity_mps: cycle.velocity_mps,
            hips_m: cycle.hips_m,
            roughness: cycle.roughness,
        };
        Strides::of(kit, captured[*i]).cycles().map(candidate).collect()
    };
    let mut all: Vec<Candidate> = parallel::map(&numbers, of_track).into_iter().flatten().collect();
    let low: Vec<bool> = parallel::map(&all, |cycle| is_low(cycle, &all));
    let mut low = low.into_iter();
    all.retain(|_| low.next() == Some(false));
    all.sort_by(|a, b| a.roughness.total_cmp(&b.roughness));
    let mut chosen: Vec<Candidate> = Vec::new();
    for cycle in all {
        if !chosen.iter().any(|c| alike(c.velocity_mps, cycle.velocity_mps)) {
            chosen.push(cycle);
        }
    }
    chosen.sort_by(|a, b| a.velocity_mps.length().total_cmp(&b.velocity_mps.length()));
    chosen.iter().filter_map(|c| Strides::of(kit, captured[c.track]).cycle_from(c.start)).collect()
}

/// Returns true if a cycle is crouched, compared with the tallest tenth of those of a similar speed. Upright and crouched cycles
/// must not be blended: the body would sink and rise with the direction.
fn is_low(cycle: &Candidate, all: &[Candidate]) -> bool {
    let similar = |other: &&Candidate| {
        let ratio = other.velocity_mps.length() / cycle.velocity_mps.length();
        (1.0 / SIMILAR_RATIO..=SIMILAR_RATIO).contains(&ratio)
    };
    let mut heights_m: Vec<f32> = all.iter().filter(similar).map(|other| other.hips_m).collect();
    let tenth = heights_m.len() / 10;
    let (_, tall_m, _) = heights_m.select_nth_unstable_by(tenth, |a, b| b.total_cmp(a));
    cycle.hips_m < UPRIGHT * *tall_m
}

fn alike(a: Vec3, b: Vec3) -> bool {
    let ratio = a.length() / b.length();
    (1.0 / SAME_RATIO..=SAME_RATIO).contains(&ratio) && angle_rad(a, b) < SAME_RAD
}

/// The strides of a track: contacts of the left and right foot, and touch-downs of the left one.
struct Strides<'a> {
    kit: &'a Kit<'a>,
    track: &'a Track,
    feet: [Vec<bool>; 2],
    landings: Vec<usize>,
}

impl<'a> Strides<'a> {
    fn of(kit: &'a Kit<'a>, (track, labels): (&'a Track, &Vec<u8>)) -> Self {
        let (n, slots) = (track.frames(), kit.contact_joints);
        let rounds = if track.loop_delta.is_some() { 2 } else { 1 };
        let flicker = (FLICKER_S * track.rate_hz).round().max(1.0) as usize;
        let feet = [0, 1].map(|side| {
            let on: Vec<bool> = (0..n * rounds).map(|f| labels[f % n * slots + kit.slots[side]] == 1).collect();
            steady(on, flicker)
        });
        let landings = changes(&feet[0], true);
        Self { kit, track, feet, landings }
    }

    /// Returns the steady strides with their first frames.
    fn cycles(&self) -> impl Iterator<Item = (usize, Cycle)> {
        self.landings.iter().filter_map(|start| Some((*start, self.cycle_from(*start)?)))
    }

    /// Returns the stride that begins with a touch-down, if it is steady.
    fn cycle_from(&self, start: usize) -> Option<Cycle> {
        let end = *self.landings.iter().find(|f| **f > start)?;
        let [left, right] = &self.feet;
        Cut { kit: self.kit, track: self.track, start, end }.cycle([left, right])
    }
}

/// Returns `on` without runs shorter than `flicker`, first of `false`, then of `true`.
fn steady(mut on: Vec<bool>, flicker: usize) -> Vec<bool> {
    for value in [false, true] {
        for (start, end) in runs(&on, value).collect::<Vec<_>>() {
            if end - start < flicker && start > 0 && end < on.len() {
                on[start..end].fill(!value);
            }
        }
    }
    on
}

/// Returns the first frames of runs of `to`.
fn changes(on: &[bool], to: bool) -> Vec<usize> {
    (1..on.len()).filter(|f| on[*f] == to && on[f - 1] != to).collect()
}

/// A stride within a track. Frames past the end of a loop belong to the next cycle.
struct Cut<'a> {
    kit: &'a Kit<'a>,
    track: &'a Track,
    start: usize,
    end: usize,
}

impl Cut<'_> {
    fn cycle(&self, [left, right]: [&[bool]; 2]) -> Option<Cycle> {
        let n = self.end - self.start;
        let rate_hz = self.track.rate_hz;
        let inside = |on: &[bool], to: bool| -> Option<usize> {
            let mut found = changes(on, to).into_iter().filter(|f| (self.start..self.end).contains(f));
            found.next().filter(|_| found.next().is_none())
        };
        if !STRIDE_S.contains(&(n as f32 / rate_hz)) {
            return None;
        }
        let stands = [(self.start, inside(left, false)?), (inside(right, true)?, inside(right, false)?)];
        let (first, last) = (self.root(self.start), self.root(self.end));
        let turn_rad = Facing::from_rotation(first.rotation).angle_to(Facing::from_rotation(last.rotation));
        let middle = Facing::from_rotation(first.rotation).turned(0.5 * turn_rad).rotation();
        let seconds = n as f32 / rate_hz;
        let velocity_mps = middle.inverse() * (last.translation - first.translation) / seconds;
        let uneven = self.unevenness(velocity_mps.length())?;
        if velocity_mps.length() < SLOWEST_MPS || turn_rad.abs() > TURN_RAD {
            return None;
        }
        // The root of the cycle moves evenly; the body keeps its position.
        let pose = |k: isize| {
            let share = k as f32 / n as f32;
            let facing = Facing::from_rotation(first.rotation).turned(share * turn_rad);
            let even = first.translation + (last.translation - first.translation) * share;
            self.pose(self.start.saturating_add_signed(k), Transform::new(even, facing.rotation()))
        };
        let poses: Vec<Pose> = (0..=n as isize).map(pose).collect();
        let gap_rad = poses[0].rotations.iter().zip(&poses[n].rotations).map(|(a, b)| a.angle_between(*b));
        let gap_rad = gap_rad.fold(0.0, f32::max);
        if gap_rad > GAP_RAD {
            return None;
        }
        let joints = self.track.joints;
        let pool = PosePool {
            joints,
            translated: (0..joints).map(JointIndex::new).collect(),
            ..closed(self.faded(poses, pose), velocity_mps * seconds)
        };
        let cycle = Cycle {
            source: self.track.name.clone(),
            velocity_mps,
            feet: [FootCycle {
                land: 0.0,
                stance: 0.0,
                middle: Vec3::ZERO,
                yaw_rad: 0.0,
                from: Vec3::ZERO,
                to: Vec3::ZERO,
            }; 2],
            tags: self.tags(),
            hips_m: 0.0,
            frames: n,
            rate_hz,
            pool,
            round: Transform::new(velocity_mps * seconds, Quat::IDENTITY),
            roughness: gap_rad + uneven,
        };
        Some(cycle.with_feet(
            self.kit,
            stands.map(|(land, lift)| {
                let share = |f: usize| (f - self.start) as f32 / n as f32;
                (share(land), (share(lift) - share(land)).rem_euclid(1.0))
            }),
        ))
    }

    /// Returns the poses of a stride with their end faded into the frames before the start, or their start into the frames after the
    /// end, so that neither poses nor velocities jump from one stride to the next. Where the track has neither, they stay as they are.
    fn faded(&self, mut poses: Vec<Pose>, pose: impl Fn(isize) -> Pose) -> Vec<Pose> {
        let n = poses.len() - 1;
        let fade = ((n as f32 * FADE) as usize).max(1);
        let frames = self.track.frames() * if self.track.loop_delta.is_some() { 2 } else { 1 };
        let (before, after) = (self.start >= fade, self.end + fade < frames);
        for k in 0..=fade {
            let t = smoothstep(k as f32 / fade as f32);
            if before {
                mix_in(&mut poses[n - fade + k], &pose(k as isize - fade as isize), t);
            } else if after {
                mix_in(&mut poses[k], &pose((n + k) as isize), 1.0 - t);
            }
        }
        poses
    }

    /// Returns the names of the tags that the whole stride has.
    fn tags(&self) -> Vec<String> {
        let seconds = |frame: usize| (frame.min(self.track.frames() - 1)) as f32 / self.track.rate_hz;
        let covers = |range: &TimeRange| range.start_s <= seconds(self.start) && seconds(self.end) <= range.end_s;
        let covering = self.track.annotations.tags.iter().filter(|tag| covers(&tag.range));
        covering.map(|tag| tag.name.clone()).collect()
    }

    fn root(&self, frame: usize) -> Transform {
        let n = self.track.frames();
        let root = self.track.local(frame % n, 0);
        match self.track.round_in_world().filter(|_| frame >= n) {
            Some(round) => round * root,
            None => root,
        }
    }

    /// Returns the largest deviation of a quarter's velocity from the mean, as a share. Returns `None` if it is too large.
    fn unevenness(&self, speed_mps: f32) -> Option<f32> {
        let n = self.end - self.start;
        let at = |quarter: usize| self.start + n * quarter / 4;
        let velocity = |a: usize, b: usize| {
            (self.root(b).translation - self.root(a).translation) * (self.track.rate_hz / (b - a) as f32)
        };
        let mean = velocity(self.start, self.end);
        let off = (0..4).map(|q| (velocity(at(q), at(q + 1)) - mean).length()).fold(0.0, f32::max);
        (off < UNEVEN * speed_mps + UNEVEN_MPS).then_some(off / speed_mps.max(SLOWEST_MPS))
    }

    /// Returns the pose of a frame with another root under the same body.
    fn pose(&self, frame: usize, root: Transform) -> Pose {
        let mut pose = self.track.pose(frame % self.track.frames());
        let moved = root.inverse() * self.root(frame);
        for j in self.kit.skeleton.children(JointIndex(0)) {
            let local = moved * pose.local(j);
            (pose.translations[j.at()], pose.rotations[j.at()]) = (local.translation, local.rotation);
        }
        pose
    }
}

/// Returns all poses but the last as a pool, closed. `way`: displacement of the root over all of them, in metres.
fn closed(mut poses: Vec<Pose>, way: Vec3) -> PosePool {
    let n = poses.len() - 1;
    let after = poses.pop().unwrap_or_default();
    close_gap(&mut poses, &after);
    let mut pool = PosePool::default();
    for (k, pose) in poses.iter().enumerate() {
        pool.translations.push(way * (k as f32 / n as f32));
        pool.rotations.push(Quat::IDENTITY);
        pool.translations.extend_from_slice(&pose.translations[1..]);
        pool.rotations.extend_from_slice(&pose.rotations[1..]);
    }
    for i in after.len()..pool.rotations.len() {
        pool.rotations[i] = pool.rotations[i].towards(pool.rotations[i - after.len()]);
    }
    pool
}

impl Cycle {
    /// Returns the cycle with its height and its feet, from touch-downs and durations of stances.
    fn with_feet(mut self, kit: &Kit, stands: [(f32, f32); 2]) -> Self {
        let mut shown = Shown::new(kit);
        for k in 0..HEIGHTS {
            self.sample(kit, f64::from(k) / f64::from(HEIGHTS), &mut shown);
            self.hips_m += shown.0.in_root(kit.skeleton, kit.hips).translation.y / HEIGHTS as f32;
        }
        for (side, (land, stance)) in stands.into_iter().enumerate() {
            self.sample(kit, f64::from(land + 0.5 * stance), &mut shown);
            let middle = kit.foot(&shown.0, side).0;
            let yaw_rad = kit.foot_yaw_rad(&shown.0, side);
            // The stance, on a ground at the root's position at lift-off.
            self.sample(kit, f64::from(land + stance), &mut shown);
            let from = kit.foot(&shown.0, side).0;
            self.sample(kit, f64::from(land + 1.0), &mut shown);
            let to = kit.foot(&shown.0, side).0 + self.velocity_mps * ((1.0 - stance) * self.seconds());
            let flat = Vec3::new(1.0, 0.0, 1.0);
            self.feet[side] = FootCycle { land, stance, middle, yaw_rad, from: from * flat, to: to * flat };
        }
        self
    }
}
