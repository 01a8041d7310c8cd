//! Errors of a retargeted clip, measured on its values by forward kinematics.

use crate::clip::RobotClip;
use crate::kinematics::Placed;
use crate::map::Retargeting;
use crate::separate::{OVER_M, Outline};
use crate::spatial::to_rotation_vector;
use crate::stand_in::Part;
use crate::targets::Targets;
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use glam::DVec3;
use serde::Serialize;

/// Tolerance of comparisons with limits, in radians and radians per second: rounding of the calculation.
const EXACT: f64 = 1e-9;

/// Errors of a clip on a robot. Positions are in the world of the robot, which is as much smaller than the source's as its legs are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RobotReport {
    /// Name of the clip.
    pub clip: String,
    /// Number of frames.
    pub frames: usize,
    /// Duration, in seconds.
    pub seconds: f64,
    /// Number of angles outside of the range of their hinge, over all frames.
    pub limit_violations: usize,
    /// Number of steps from frame to frame that are faster than the maximum speed, over all hinges.
    pub speed_violations: usize,
    /// Maximum speed of a hinge, rad/s.
    pub max_speed_rad_s: f64,
    /// Number of frames, over both feet, in which a foot is planted in this frame and in the next.
    pub planted_frames: usize,
    /// Mean horizontal speed of the front edges of planted soles, in cm/s.
    pub planted_slide_cm_s: f64,
    /// Mean horizontal speed of the source's planted toes in the same frames, scaled by the length of the legs, in cm/s.
    pub source_planted_slide_cm_s: f64,
    /// Depth of the lowest point of both feet below the ground, in cm: 99th percentile over all frames.
    pub penetration_p99_cm: f64,
    /// The same: maximum.
    pub penetration_max_cm: f64,
    /// Least horizontal gap between the soles while their heights differ by less than 5 cm, in cm; negative: they overlap.
    pub feet_apart_min_cm: Option<f64>,
    /// Mean distance of the root from its target, in cm.
    pub root_cm: f64,
    /// Maximum acceleration of the root, in m/s2, between frames.
    pub root_acceleration_max_m_s2: f64,
    /// The same of the source's root, scaled by the length of the legs.
    pub source_root_acceleration_max_m_s2: f64,
    /// Mean and maximum distance of the front edges of the soles from their targets, in cm.
    pub feet_cm: f64,
    /// Maximum of the same.
    pub feet_max_cm: f64,
    /// Mean distance of the hands from those of a body with ball joints, in cm; `None` without arms.
    pub hands_cm: Option<f64>,
    /// Mean deviation of the torso from its target, in degrees.
    pub torso_deg: f64,
    /// Mean deviation of the bones of arms and legs from their targets, in degrees.
    pub bones_deg: f64,
    /// Depths of all frames, in cm, for percentiles over many clips.
    #[serde(skip)]
    pub(crate) depths_cm: Vec<f64>,
}

/// Errors of many clips together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RobotSummary {
    /// Number of frames.
    pub frames: usize,
    /// Duration, in seconds.
    pub seconds: f64,
    /// See [`RobotReport::limit_violations`].
    pub limit_violations: usize,
    /// See [`RobotReport::speed_violations`].
    pub speed_violations: usize,
    /// See [`RobotReport::planted_slide_cm_s`].
    pub planted_slide_cm_s: f64,
    /// See [`RobotReport::source_planted_slide_cm_s`].
    pub source_planted_slide_cm_s: f64,
    /// See [`RobotReport::penetration_p99_cm`].
    pub penetration_p99_cm: f64,
    /// See [`RobotReport::feet_apart_min_cm`].
    pub feet_apart_min_cm: Option<f64>,
    /// See [`RobotReport::root_acceleration_max_m_s2`].
    pub root_acceleration_max_m_s2: f64,
    /// See [`RobotReport::source_root_acceleration_max_m_s2`].
    pub source_root_acceleration_max_m_s2: f64,
}

impl RobotSummary {
    /// Combines the errors of clips: sums, means weighted by frames, maxima, percentiles over all frames.
    pub fn of(reports: &[&RobotReport]) -> Self {
        let planted: usize = reports.iter().map(|r| r.planted_frames).sum();
        let mean = |of: fn(&RobotReport) -> f64| {
            reports.iter().map(|r| of(r) * r.planted_frames as f64).sum::<f64>() / planted.max(1) as f64
        };
        let most = |of: fn(&RobotReport) -> f64| reports.iter().map(|r| of(r)).fold(0.0, f64::max);
        let apart = reports.iter().filter_map(|r| r.feet_apart_min_cm);
        let mut depths: Vec<f64> = reports.iter().flat_map(|r| r.depths_cm.iter().copied()).collect();
        Self {
            frames: reports.iter().map(|r| r.frames).sum(),
            seconds: reports.iter().map(|r| r.seconds).sum(),
            limit_violations: reports.iter().map(|r| r.limit_violations).sum(),
            speed_violations: reports.iter().map(|r| r.speed_violations).sum(),
            planted_slide_cm_s: mean(|r| r.planted_slide_cm_s),
            source_planted_slide_cm_s: mean(|r| r.source_planted_slide_cm_s),
            penetration_p99_cm: p99(&mut depths),
            feet_apart_min_cm: apart.min_by(f64::total_cmp),
            root_acceleration_max_m_s2: most(|r| r.root_acceleration_max_m_s2),
            source_root_acceleration_max_m_s2: most(|r| r.source_root_acceleration_max_m_s2),
        }
    }
}

/// Returns the 99th percentile; 0 without values.
fn p99(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((values.len() * 99) / 100).or(values.last()).copied().unwrap_or(0.0)
}

/// Measures a clip. `source`: the clip that it comes from, at the same rate.
pub fn measure(of: &Retargeting, source: &RawClip, targets: &Targets, clip: &RobotClip) -> RobotReport {
    let model = &of.model;
    let width = model.pose_len();
    let frames: Vec<&[f64]> = clip.poses.chunks_exact(width).collect();
    let mut report = RobotReport {
        clip: clip.name.clone(),
        frames: frames.len(),
        seconds: frames.len() as f64 / clip.rate_hz,
        ..Default::default()
    };
    limits(of, clip.rate_hz, &frames, &mut report);
    let mut toes = [Vec::new(), Vec::new()];
    let mut placed = Placed::default();
    let mut sums = Sums::default();
    for (f, pose) in frames.iter().enumerate() {
        model.place(pose, &mut placed);
        for (s, sole) in of.stand_in.soles.iter().enumerate() {
            toes[s].push(placed.point(sole.body, sole.toe));
        }
        feet(of, &placed, &mut report);
        sums.add(of, targets, f, &placed, &mut report);
    }
    sums.write(&mut report);
    report.penetration_max_cm = report.depths_cm.iter().copied().fold(0.0, f64::max);
    report.penetration_p99_cm = p99(&mut report.depths_cm.clone());
    slides(of, source, clip, &toes, &mut report);
    let root: Vec<DVec3> = frames.iter().map(|pose| DVec3::from_slice(pose)).collect();
    report.root_acceleration_max_m_s2 = most_acceleration(&root, clip.rate_hz);
    report.source_root_acceleration_max_m_s2 = most_acceleration(&targets.root, clip.rate_hz);
    report
}

fn limits(of: &Retargeting, rate_hz: f64, frames: &[&[f64]], report: &mut RobotReport) {
    for pose in frames {
        for (hinge, angle) in of.model.hinges.iter().zip(&pose[7..]) {
            let outside = hinge.range.is_some_and(|[low, high]| *angle < low - EXACT || *angle > high + EXACT);
            report.limit_violations += usize::from(outside);
        }
    }
    for pair in frames.windows(2) {
        for (a, b) in pair[0][7..].iter().zip(&pair[1][7..]) {
            let speed = (b - a).abs() * rate_hz;
            report.max_speed_rad_s = report.max_speed_rad_s.max(speed);
            report.speed_violations += usize::from(speed > of.max_speed_rad_s() + EXACT);
        }
    }
}

/// Adds depth and gap of the feet in a frame.
fn feet(of: &Retargeting, placed: &Placed, report: &mut RobotReport) {
    let soles = &of.stand_in.soles;
    let low = soles.each_ref().map(|sole| sole.lowest_in_m(placed));
    report.depths_cm.push(100.0 * (-low[0].min(low[1])).max(0.0));
    let outline = |s: usize| Outline {
        heel: placed.point(soles[s].body, soles[s].heel).truncate(),
        toe: placed.point(soles[s].body, soles[s].toe).truncate(),
        half_width_m: soles[s].half_width_m,
    };
    if (low[0] - low[1]).abs() < OVER_M {
        let gap = 100.0 * outline(0).gap(&outline(1)).0;
        report.feet_apart_min_cm = Some(report.feet_apart_min_cm.map_or(gap, |least| least.min(gap)));
    }
}

/// Sums of deviations from the targets.
#[derive(Default)]
struct Sums {
    root: f64,
    feet: f64,
    hands: (f64, usize),
    torso: f64,
    bones: (f64, usize),
    frames: usize,
}

impl Sums {
    fn add(&mut self, of: &Retargeting, targets: &Targets, f: usize, placed: &Placed, report: &mut RobotReport) {
        let stand_in = &of.stand_in;
        self.frames += 1;
        self.root += (placed.positions[0] - targets.root[f]).length();
        for (track, sole) in targets.feet.iter().zip(&stand_in.soles) {
            let away = (placed.point(sole.body, sole.toe) - track.toe[f]).length();
            self.feet += 0.5 * away;
            report.feet_max_cm = report.feet_max_cm.max(100.0 * away);
        }
        for (s, hands) in targets.hands.iter().enumerate() {
            let Some((arm, hand)) = of.parts.arms[s].as_ref().zip(hands.get(f)) else { continue };
            // The wrist, as it lies in the last body of the arm.
            let wrist = if arm.lower.is_empty() { continue } else { crate::parts::centre(&arm.lower, placed) };
            self.hands.0 += (wrist - *hand).length();
            self.hands.1 += 1;
        }
        for (k, follower) in stand_in.followers.iter().enumerate() {
            let to = targets.rotations[f * stand_in.followers.len() + k] * stand_in.zero.rotations[follower.body];
            let deg = to_rotation_vector(to * placed.rotations[follower.body].inverse()).length().to_degrees();
            match follower.part {
                Part::Torso => self.torso += deg,
                Part::Leg | Part::Arm => {
                    self.bones.0 += deg;
                    self.bones.1 += 1;
                }
                _ => {}
            }
        }
    }

    fn write(&self, report: &mut RobotReport) {
        let frames = self.frames.max(1) as f64;
        report.root_cm = 100.0 * self.root / frames;
        report.feet_cm = 100.0 * self.feet / frames;
        report.hands_cm = (self.hands.1 > 0).then(|| 100.0 * self.hands.0 / self.hands.1 as f64);
        report.torso_deg = self.torso / frames;
        report.bones_deg = self.bones.0 / self.bones.1.max(1) as f64;
    }
}

/// Returns the maximum acceleration along a path, in m/s2.
fn most_acceleration(path: &[DVec3], rate_hz: f64) -> f64 {
    let changes = path.windows(3).map(|p| (p[2] - 2.0 * p[1] + p[0]).length());
    changes.fold(0.0, f64::max) * rate_hz * rate_hz
}

/// Measures the speeds of planted feet, here and in the source.
fn slides(of: &Retargeting, source: &RawClip, clip: &RobotClip, toes: &[Vec<DVec3>; 2], report: &mut RobotReport) {
    let roles = &of.map.source.roles;
    let joint = |side: &str| {
        let role = |part: &str| roles.get(&format!("{side}_{part}")).map(JointIndex::at);
        role("toe").or(role("foot"))
    };
    let joints = crate::parts::SIDES.map(joint);
    let mut paths = [Vec::new(), Vec::new()];
    let mut world = Vec::new();
    for f in 0..source.frames() {
        source.world(f, &mut world);
        for (path, joint) in paths.iter_mut().zip(joints) {
            path.extend(joint.map(|j| world[j].translation));
        }
    }
    let (mut robot, mut person) = (0.0, 0.0);
    for s in [0, 1] {
        for f in 1..toes[s].len().min(paths[s].len()) {
            if clip.contacts[s][f - 1] && clip.contacts[s][f] {
                report.planted_frames += 1;
                robot += (toes[s][f] - toes[s][f - 1]).truncate().length();
                let step = paths[s][f] - paths[s][f - 1];
                person += f64::from(step.with_y(0.0).length() * of.map.scale);
            }
        }
    }
    let per_second = 100.0 * clip.rate_hz / report.planted_frames.max(1) as f64;
    report.planted_slide_cm_s = robot * per_second;
    report.source_planted_slide_cm_s = person * per_second;
}
