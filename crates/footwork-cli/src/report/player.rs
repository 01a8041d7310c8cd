//! Motion of the figure on the page, as JSON: the parts of its body, and compact poses.
//!
//! Arrays are base64 of little-endian numbers. A joint has three 16-bit numbers (metres from the root, times [`PER_M`]) and four
//! 8-bit numbers (its quaternion, times 127): half a millimetre, and a quarter of a degree, are finer than the lines of the figure.

use super::input::Run;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use footwork::math::Facing;
use footwork_draw::cell::Subject;
use footwork_draw::figure::{Ball, Half, Part, Sole};
use footwork_draw::ground::Ground;
use footwork_draw::motion::Motion;
use glam::Vec3;
use serde_json::{Value, json};

/// Steps per metre.
const PER_M: f32 = 2000.0;
/// Maximum size of all poses, in bytes, before base64.
const MOST_BYTES: usize = 6_000_000;
/// Maximum frames per second, and the value for long runs.
const RATES_HZ: [f32; 2] = [30.0, 15.0];

/// Returns the data, and the end of the figure's motion in seconds, if it does not play the whole run.
pub fn data(run: &Run) -> (Value, Option<f64>) {
    let subject = &run.subject;
    let (m, figure) = (&subject.motion, &subject.figure);
    let joints = used(subject);
    let bytes = 10 * joints.len() + 24 + m.slots;
    let frames_of = |rate: f32| m.frames().div_ceil(step(m.rate_hz, rate));
    let rate = RATES_HZ.into_iter().find(|r| frames_of(*r) * bytes <= MOST_BYTES).unwrap_or(RATES_HZ[1]);
    let step = step(m.rate_hz, rate);
    let kept: Vec<usize> = (0..m.frames()).step_by(step).take((MOST_BYTES / bytes).max(1)).collect();
    let shown_s = kept.len() as f64 * step as f64 / f64::from(m.rate_hz);
    let is_cut = shown_s + 1.0 < run.whole_s;
    let within = |frame: usize| Some(frame / step).filter(|f| *f < kept.len());
    let transitions: Vec<usize> = m.transitions.iter().filter_map(|t| within(t.0)).collect();
    let parts: Vec<Value> = m.parts.iter().filter_map(|p| Some(json!([within(p.start)?, p.name]))).collect();
    let (names, playing) = playing(m, &kept);
    let sole = |s: &Sole| json!({ "joint": place(&joints, s.joint), "half": half(s.half), "length": s.half_length, "stand": s.stand_m });
    let mut data = json!({
        "rate": m.rate_hz / step as f32,
        "frames": kept.len(),
        "joints": joints.len(),
        "slots": m.slots,
        "per_m": PER_M,
        "level": run.level,
        "heights": heights(run),
        "ground": figure.ground_m,
        "height": figure.height_m,
        "parts_of_body": figure.parts.iter().map(|p| part(p, &joints)).collect::<Vec<_>>(),
        "soles": figure.soles.iter().map(sole).collect::<Vec<_>>(),
        "names": names,
        "playing": playing,
        "transitions": transitions,
        "parts": parts,
    });
    for (name, bytes) in arrays(run, &joints, &kept) {
        data[name] = json!(BASE64_STANDARD.encode(&bytes));
    }
    (data, is_cut.then_some(shown_s))
}

/// Returns poses, roots, commands and contacts of the kept frames, by name.
fn arrays(run: &Run, joints: &[usize], kept: &[usize]) -> [(&'static str, Vec<u8>); 5] {
    let m = &run.subject.motion;
    let (mut places, mut turns, mut roots, mut wanted, mut contacts) = (vec![], vec![], vec![], vec![], vec![]);
    for f in kept {
        let (world, root) = (m.world(*f), m.root(*f));
        let base = root.translation.with_y(base_y(run, *f));
        for j in joints {
            let at = (world[*j].translation - base) * PER_M;
            // Limbs are within 16 m of their root; larger values saturate.
            places.extend(at.to_array().iter().flat_map(|v| (v.round() as i16).to_le_bytes()));
            let q = world[*j].rotation.to_array();
            turns.extend(q.map(|v| (v * 127.0).round() as i8 as u8));
        }
        let yaw = Facing::from_rotation(root.rotation).yaw();
        roots.extend([base.x, base.y, base.z, yaw].iter().flat_map(|v| v.to_le_bytes()));
        let command = m.commanded.get(*f).copied().unwrap_or(base);
        wanted.extend([command.x, command.z].iter().flat_map(|v| v.to_le_bytes()));
        contacts.extend_from_slice(&m.contacts[f * m.slots..][..m.slots]);
    }
    [("places", places), ("turns", turns), ("roots", roots), ("wanted", wanted), ("contacts", contacts)]
}

/// Returns the names of the playing clips, and the begin of each: index of the frame, index of the name.
fn playing<'a>(m: &'a Motion, kept: &[usize]) -> (Vec<&'a str>, Vec<[usize; 2]>) {
    let mut names: Vec<&str> = Vec::new();
    let mut playing: Vec<[usize; 2]> = Vec::new();
    for (i, f) in kept.iter().enumerate() {
        let Some(clip) = m.playing.get(*f) else { continue };
        let known = names.iter().position(|n| n == clip).unwrap_or_else(|| {
            names.push(clip);
            names.len() - 1
        });
        if playing.last().is_none_or(|p| p[1] != known) {
            playing.push([i, known]);
        }
    }
    (names, playing)
}

/// Returns the reference height of stored poses and of the camera: that of the root, or on uneven ground that of the ground under
/// it, smoothed so that stairs cause no jolt.
fn base_y(run: &Run, frame: usize) -> f32 {
    const SMOOTH_S: f32 = 0.4;
    let m = &run.subject.motion;
    let Ground::Known(height) = &run.subject.ground else { return m.root(frame).translation.y };
    let half = (SMOOTH_S * m.rate_hz) as usize;
    let around = frame.saturating_sub(half)..(frame + half + 1).min(m.frames());
    let n = around.len() as f32;
    around.map(|f| height(m.root(f).translation)).sum::<f32>() / n - run.subject.figure.ground_m
}

/// Returns heights of the ground around the path of a run; nothing on level ground.
fn heights(run: &Run) -> Value {
    /// Margin around the path, in metres.
    const AROUND_M: f32 = 4.0;
    /// Smallest distance between two heights, in metres: finer than the tread of a step.
    const STEP_M: f32 = 0.1;
    const MOST: usize = 150_000;
    const PER_M: f32 = 200.0;
    let Ground::Known(height) = &run.subject.ground else { return Value::Null };
    let mut bounds = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
    for Vec3 { x, z, .. } in run.walked.iter().map(|s| s.position) {
        bounds = [bounds[0].min(x), bounds[1].min(z), bounds[2].max(x), bounds[3].max(z)];
    }
    let [x0, z0] = [bounds[0] - AROUND_M, bounds[1] - AROUND_M];
    let [wide, deep] = [bounds[2] + AROUND_M - x0, bounds[3] + AROUND_M - z0];
    let step = STEP_M.max((wide * deep / MOST as f32).sqrt());
    let [columns, rows] = [wide, deep].map(|m| ((m / step).ceil() as usize + 1).min(MOST));
    let mut values = Vec::with_capacity(2 * columns * rows);
    for r in 0..rows {
        for c in 0..columns {
            let y = height(Vec3::new(x0 + c as f32 * step, 0.0, z0 + r as f32 * step));
            values.extend(((y * PER_M).round() as i16).to_le_bytes());
        }
    }
    json!({ "x": x0, "z": z0, "step": step, "columns": columns, "per_m": PER_M, "values": BASE64_STANDARD.encode(&values) })
}

/// Returns the number of frames of the motion per kept frame.
fn step(rate_hz: f32, most_hz: f32) -> usize {
    (rate_hz / most_hz).ceil().max(1.0) as usize
}

/// Returns the joints that carry a drawn part.
fn used(subject: &Subject) -> Vec<usize> {
    let balls = subject.figure.parts.iter().flat_map(Part::balls).map(|b| b.joint);
    let mut joints: Vec<usize> = balls.chain(subject.figure.soles.iter().map(|s| s.joint)).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

fn place(joints: &[usize], joint: usize) -> usize {
    joints.binary_search(&joint).unwrap_or(0)
}

fn half(half: Half) -> usize {
    match half {
        Half::Left => 0,
        Half::Right => 1,
        Half::Middle => 2,
    }
}

fn part(p: &Part, joints: &[usize]) -> Value {
    let rounded = |v: f32| f64::from((v * 1e4).round()) / 1e4;
    let ball = |b: &Ball| {
        let [x, y, z] = b.at.to_array().map(rounded);
        json!([place(joints, b.joint), x, y, z, rounded(b.radius), u8::from(b.yields)])
    };
    let groups: Vec<Vec<Value>> = p.groups.iter().map(|g| g.iter().map(ball).collect()).collect();
    json!({ "half": half(p.half), "nearer": rounded(p.nearer_m), "groups": groups })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::Cast;
    use crate::course;
    use crate::run::Drive;
    use footwork::build::{BuildConfig, BuildOptions, build};
    use footwork::database::TagQuery;
    use footwork_gait::GaitOptions;
    use footwork_metrics::ground::GroundKind;
    use std::sync::Arc;

    fn run(ground: GroundKind, seconds: f32) -> Run {
        let mut clips = footwork_gait::clips(&GaitOptions { routes: false, ..GaitOptions::default() });
        clips.retain(|c| c.name.starts_with("walk_1") || c.name == "idle");
        let db = Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0);
        let course = course::parse("standard", 1).unwrap().0;
        let tags = TagQuery::default();
        let drive = Drive {
            course,
            cues: None,
            chooser: None,
            ground,
            tags,
            seconds,
            dt_s: 1.0 / 60.0,
            explain_s: None,
            record: None,
            json: true,
        };
        let driven = drive.run(&Cast::of_database(&db, Default::default()).unwrap()).unwrap();
        Run::of(&db, Arc::new(driven), "test".to_owned()).unwrap()
    }

    fn bytes(data: &Value, key: &str) -> Vec<u8> {
        BASE64_STANDARD.decode(data[key].as_str().unwrap()).unwrap()
    }

    #[test]
    fn poses_come_back_to_a_millimetre_and_half_a_degree() {
        let run = run(GroundKind::Level, 6.0);
        let (data, cut) = data(&run);
        assert!(cut.is_none() && data["heights"].is_null() && data["frames"] == 180);
        let (m, joints) = (&run.subject.motion, used(&run.subject));
        let [places, turns, roots] = ["places", "turns", "roots"].map(|key| bytes(&data, key));
        let real = |k: usize| f32::from_le_bytes(roots[4 * k..4 * k + 4].try_into().unwrap());
        for frame in [0, 77, 179] {
            let root = Vec3::new(real(4 * frame), real(4 * frame + 1), real(4 * frame + 2));
            assert_eq!(root, m.root(2 * frame).translation);
            for (i, joint) in joints.iter().enumerate() {
                let world = m.world(2 * frame)[*joint];
                let k = frame * joints.len() + i;
                let short = |n: usize| f32::from(i16::from_le_bytes([places[2 * n], places[2 * n + 1]])) / PER_M;
                let at = root + Vec3::new(short(3 * k), short(3 * k + 1), short(3 * k + 2));
                assert!((at - world.translation).length() < 1e-3, "{at} {}", world.translation);
                let q: Vec<f32> = turns[4 * k..4 * k + 4].iter().map(|v| f32::from(*v as i8)).collect();
                let length = q.iter().map(|v| v * v).sum::<f32>().sqrt();
                let dot: f32 = q.iter().zip(world.rotation.to_array()).map(|(a, b)| a / length * b).sum();
                // The cosine of half the angle between them.
                assert!(dot.abs() > 0.999_98, "{dot}");
            }
        }
    }

    #[test]
    fn ground_that_is_not_level_comes_with_the_figure() {
        let run = run(GroundKind::Slope, 8.0);
        let (data, _) = data(&run);
        let h = &data["heights"];
        let values = BASE64_STANDARD.decode(h["values"].as_str().unwrap()).unwrap();
        let columns = h["columns"].as_u64().unwrap() as usize;
        assert_eq!(values.len() % (2 * columns), 0);
        let heights: Vec<f32> =
            values.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 200.0).collect();
        let most = heights.iter().copied().fold(f32::MIN, f32::max);
        assert!(most > 0.5 && heights.iter().any(|y| y.abs() < 0.1), "{most}");
    }
}
