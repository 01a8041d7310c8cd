//! Finds data stretched to a faster rate: every second frame is repeated, or halfway between its neighbours.

use super::check::Check;
use super::examined_clip::ExaminedClip;
use super::finding::{Finding, Severity};
use super::parts::Parts;
use glam::Vec3;

/// Minimum ratio of the change in real frames to that in made-up ones; noise of capture alone keeps real data within a factor
/// of 3.
const RATIO: f32 = 12.0;
/// Minimum share of the made-up frames that must satisfy it.
const MOSTLY: f32 = 0.9;
/// Minimum number of real frames.
const LEAST: usize = 8;

/// Finds a period of 2 to 4, and replaces the made-up frames with a smooth curve through the real ones.
pub fn check(p: &mut ExaminedClip, _: &Parts, out: &mut Vec<Finding>) {
    let n = p.frames();
    // The longest period comes first: data with period 4 can also look like period 2.
    for period in (2..=4).rev() {
        if n < LEAST * period {
            continue;
        }
        let Some((real, repeated)) = made_up(p, period) else { continue };
        let true_hz = p.clip.rate_hz / period as f32;
        let how = if repeated { "repeat it" } else { "lie on the line to the next" };
        let what = format!(
            "{true_hz:.0} Hz data at {:.0} Hz: one frame in {period} is real, the others {how}: motion goes in steps",
            p.clip.rate_hz
        );
        let finding = Finding::new(
            Check::Repeated,
            Severity::Warning,
            &p.clip.name,
            what,
            "smooth curve through the real frames",
        );
        out.push(finding.mended().over(p, 0, n - 1));
        smooth(p, real, period);
        return;
    }
}

/// Returns the first real frame, and whether the others repeat it; `None` if all frames are real.
fn made_up(p: &ExaminedClip, period: usize) -> Option<(usize, bool)> {
    let n = p.frames();
    let step: Vec<f32> = (1..n).map(|f| p.pose_distance(f - 1, f) + (p.at(f, 0) - p.at(f - 1, 0)).length()).collect();
    let bend: Vec<f32> = (1..n - 1).map(|f| bend(p, f)).collect();
    let moving = step.iter().sum::<f32>() / step.len() as f32;
    if moving < 1e-5 {
        return None;
    }
    for real in 0..period {
        // Frame f is real if f % period == real. A repeated frame follows its original.
        let is_real = |f: usize| f % period == real;
        let repeats = share((1..n).map(|f| (step[f - 1], is_real(f))), moving);
        if repeats {
            return Some((real, true));
        }
        let lies = share((1..n - 1).map(|f| (bend[f - 1], is_real(f))), 1e-5);
        if lies {
            return Some((real, false));
        }
    }
    None
}

/// Returns true if the values of made-up frames are negligible beside those of real ones.
fn share(values: impl Iterator<Item = (f32, bool)>, least: f32) -> bool {
    let (mut real, mut others) = (Vec::new(), Vec::new());
    values.for_each(|(v, is_real)| if is_real { real.push(v) } else { others.push(v) });
    if real.len() < LEAST || others.is_empty() {
        return false;
    }
    let usual = super::examined_clip::median(real);
    let near = others.iter().filter(|v| **v * RATIO < usual).count();
    usual > 0.5 * least && near as f32 > MOSTLY * others.len() as f32
}

/// Returns the distance of a frame from halfway between its neighbours: mean over the joints, in radians and metres.
fn bend(p: &ExaminedClip, f: usize) -> f32 {
    let sum: f32 = (0..p.joints())
        .map(|j| {
            let [a, b, c] = [f - 1, f, f + 1].map(|f| p.local(f, j));
            let middle = (a.translation + c.translation) * 0.5;
            a.rotation.nlerp(c.rotation, 0.5).angle_between(b.rotation) + (b.translation - middle).length()
        })
        .sum();
    sum / p.joints() as f32
}

/// Interpolates with Catmull-Rom curves between the real frames; frames before the first and after the last stay.
fn smooth(p: &mut ExaminedClip, real: usize, period: usize) {
    let (n, joints) = (p.frames(), p.joints());
    let old = p.clip.clone();
    let last = real + (n - 1 - real) / period * period;
    let get = |k: isize, j: usize| {
        let k = k.clamp(real as isize, last as isize) as usize * joints + j;
        (old.translations[k], old.rotations[k])
    };
    let clip = p.edit();
    for f in real..last {
        let (k, part) = ((f - real) % period, period as isize);
        let base = (f - k) as isize;
        if k == 0 {
            continue;
        }
        let w = super::curves::catmull_rom(k as f32 / period as f32);
        for j in 0..joints {
            let around = [get(base - part, j), get(base, j), get(base + part, j), get(base + 2 * part, j)];
            clip.translations[f * joints + j] = around.iter().zip(w).fold(Vec3::ZERO, |s, ((t, _), w)| s + *t * w);
            clip.rotations[f * joints + j] = super::curves::weighted(around.map(|(_, q)| q), w, around[1].1);
        }
    }
}
