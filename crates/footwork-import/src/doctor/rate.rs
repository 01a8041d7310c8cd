//! Finds motion at another speed than it was captured: 30 Hz data marked as 60 Hz, for example.
//!
//! It uses two physical measures. A body in the air falls with g. Step rate and step length have a fixed ratio for a given leg
//! (the walk ratio: step length over steps per second, 0.36 m s for a leg of 0.9 m, constant over walking speeds; by Froude
//! scaling it grows with leg length to the power 3/2). Both apply to bodies on two legs. On four legs the steps of one pair are
//! not conclusive, and a flight begins only when the other pair leaves the ground.

use super::check::Check;
use super::examined_clip::{ExaminedClip, level, median, runs};
use super::finding::{Finding, Severity};
use super::parts::Parts;
use super::support::{Stance, Support};

const G: f32 = 9.81;
/// Maximum plausible acceleration in flights, in g. Measured values are 0.9 to 1.6; at twice the speed they are four times as
/// high.
const FALL_MOST: f32 = 2.2;
/// Walk ratio of adults, m s, for a leg of 0.9 m.
const WALK_RATIO: f32 = 0.36;
/// Plausible steps per second relative to the rate expected from the step's length. Walking gives 0.8 to 1.3, running 0.5 to
/// 0.9 (longer steps at the same rate). At twice the speed, walking is above 1.6; at half, almost always below 0.7.
const STEPS: std::ops::RangeInclusive<f32> = 0.72..=1.5;
/// Minimum swing time of a leg relative to sqrt(leg / g), the time scale of the leg. Brisk walkers and runners take 1.1 to 1.8,
/// the fastest 0.92 (0.28 s with a leg of 0.9 m).
const SWING_LEAST: f32 = 0.92;
/// Swing time that a clip with too fast falls must stay below, so that both measures agree.
const SWING_QUICK: f32 = 1.1;
/// Maximum swing time, in slow walking or sprinting.
const SWING_MOST: f32 = 1.9;
/// Minimum numbers of steps and flights for a finding.
const LEAST_STEPS: usize = 3;
const LEAST_FLIGHTS: usize = 2;

/// Compares falls and steps with their expected values, and sets the rate that agrees with both.
pub fn check(p: &mut ExaminedClip, body: &Parts, out: &mut Vec<Finding>) {
    if body.feet.len() != 2 {
        return;
    }
    let Some(support) = Support::of(p, body) else { return };
    let fall = fall(p, body, &support);
    let steps = steps(p, body, &support);
    let mut says = Vec::new();
    let mut fast = false;
    if let Some(steps) = &steps {
        // A performer hurries or dawdles in some steps only; at a wrong rate, all steps are off.
        fast = steps.ratio[1] > *STEPS.end() && steps.swing[1] < SWING_LEAST;
        let slow = steps.ratio[1] < *STEPS.start() && steps.swing[0] > SWING_MOST;
        if fast || slow {
            says.push(format!(
                "steps come {:.1} times as often as their length asks for, legs swing in {:.1} of their own time",
                steps.ratio[1], steps.swing[1]
            ));
        }
    }
    let quick = steps.is_none_or(|s| s.swing[1] < SWING_QUICK);
    if let Some(fall) = fall.filter(|fall| *fall > FALL_MOST && quick) {
        fast = true;
        says.push(format!("bodies in the air fall with {fall:.1} g"));
    }
    if says.is_empty() {
        return;
    }
    let factor = if fast { 0.5 } else { 2.0 };
    let rate_hz = p.clip.rate_hz * factor;
    let how = if fast { "too fast" } else { "too slow" };
    let what = format!("plays {how} for {} Hz: {}", p.clip.rate_hz, says.join("; "));
    let mend = format!("take it as {rate_hz} Hz");
    let finding = Finding::new(Check::Rate, Severity::Error, &p.clip.name, what, mend);
    out.push(finding.mended());
    super::edit::set_rate(p, rate_hz);
}

/// Returns the acceleration in flights over g: the median over the flights.
fn fall(p: &ExaminedClip, body: &Parts, support: &Support) -> Option<f32> {
    let n = p.frames();
    let flights: Vec<[usize; 2]> =
        runs(support.low.iter().map(|l| !*l)).into_iter().filter(|[a, b]| b - a >= 5).collect();
    let falls: Vec<f32> = flights
        .iter()
        .filter(|[a, b]| *a > 0 && *b < n)
        .filter_map(|[a, b]| {
            // Fits a parabola to the height of the body's middle: least squares over the flight.
            let y: Vec<f32> = (*a..*b).map(|f| middle(p, body, f)).collect();
            curvature(&y).map(|c| -c * p.clip.rate_hz * p.clip.rate_hz / G)
        })
        .filter(|g| *g > 0.05)
        .collect();
    (falls.len() >= LEAST_FLIGHTS).then(|| median(falls))
}

/// Returns the height of the body's middle. The mean of all joints is near the centre of mass, as legs and arms count too.
fn middle(p: &ExaminedClip, body: &Parts, f: usize) -> f32 {
    let joints = p.joints();
    let first = body.hips.max(usize::from(body.hips > 0));
    (first..joints).map(|j| p.at(f, j).y).sum::<f32>() / (joints - first) as f32
}

/// Returns the second derivative, per sample squared, of the parabola through samples.
fn curvature(y: &[f32]) -> Option<f32> {
    let n = y.len();
    if n < 5 {
        return None;
    }
    let m = (n as f32 - 1.0) * 0.5;
    let x2 = |i: usize| (i as f32 - m) * (i as f32 - m);
    let mean = (0..n).map(x2).sum::<f32>() / n as f32;
    let (num, den) =
        (0..n).fold((0.0, 0.0), |(a, b), i| (a + (x2(i) - mean) * y[i], b + (x2(i) - mean) * (x2(i) - mean)));
    Some(2.0 * num / den)
}

/// The 10th, 50th and 90th percentile over the steps.
struct Steps {
    /// Steps per second over the rate expected from their length.
    ratio: [f32; 3],
    /// Swing time over the time scale of the leg.
    swing: [f32; 3],
}

fn steps(p: &ExaminedClip, body: &Parts, support: &Support) -> Option<Steps> {
    let leg = leg_length(p, body)?;
    let clock = (leg / G).sqrt();
    let asked = WALK_RATIO * footwork::advanced::math::powf(leg / 0.9, 1.5);
    let middle = |s: &Stance| (s.frames[0] + s.frames[1]) / 2;
    // Length of the path, which may bend.
    let way = |a: usize, b: usize| -> f32 {
        let every = p.frames_in(0.1);
        (a..b).step_by(every).map(|f| level(p.at((f + every).min(b), body.hips) - p.at(f, body.hips)).length()).sum()
    };
    let (mut ratios, mut swings) = (Vec::new(), Vec::new());
    for w in support.stances.windows(3) {
        let [a, b, c] = [&w[0], &w[1], &w[2]];
        if a.foot != c.foot || a.foot == b.foot {
            continue;
        }
        let stride = way(middle(a), middle(c));
        let period = (middle(c) - middle(a)) as f32 / p.clip.rate_hz;
        // Steps in place and pauses are not conclusive.
        if stride < 0.7 * leg || period > 4.0 {
            continue;
        }
        let (step, rate) = (0.5 * stride, 2.0 / period);
        ratios.push(rate * asked / step);
        swings.push(airborne(p, body, a, c) / clock);
    }
    (ratios.len() >= LEAST_STEPS).then(|| Steps { ratio: spread(ratios), swing: spread(swings) })
}

/// Returns the 10th, 50th and 90th percentile of the values, which must not be empty.
fn spread(mut values: Vec<f32>) -> [f32; 3] {
    values.sort_by(f32::total_cmp);
    [1, 5, 9].map(|k| values[(values.len() - 1) * k / 10])
}

/// Returns the time, in seconds, between two stances of one foot in which it moves faster than 0.15 of its top speed. This is
/// the swing, whatever the rate.
fn airborne(p: &ExaminedClip, body: &Parts, a: &Stance, c: &Stance) -> f32 {
    let toe = body.feet[a.foot].toe;
    let frames = (a.frames[0] + a.frames[1]) / 2..(c.frames[0] + c.frames[1]) / 2;
    let speed: Vec<f32> = frames.map(|f| p.velocity(f, toe).length()).collect();
    let most = speed.iter().copied().fold(0.0, f32::max);
    speed.iter().filter(|v| **v > 0.15 * most).count() as f32 / p.clip.rate_hz
}

/// Returns the length from hip to ankle along the bones, in metres.
fn leg_length(p: &ExaminedClip, body: &Parts) -> Option<f32> {
    let leg = body.feet[0].leg?;
    Some(p.local(0, leg.knee.at()).translation.length() + p.local(0, leg.ankle.at()).translation.length())
}
