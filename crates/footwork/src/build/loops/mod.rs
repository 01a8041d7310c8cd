//! Loops: tests whether a clip's end leads back into its start, measures the length and the displacement of one cycle, and
//! closes the gap between end and start.
//!
//! Poses are compared in the character's own axes, so that a loop may travel and turn. Thresholds are relative to the clip:
//! the transition from end to start must be no rougher than the motion elsewhere.

mod gap;
mod settle;
mod step;

pub use gap::{Gap, Round};
pub use settle::LoopReport;
pub(crate) use settle::settle;

use crate::clip::RawClip;
use step::{Body, Step};

/// Minimum length of clips that are searched for loops, in seconds.
const SHORTEST_S: f32 = 0.25;
/// Minimum number of frames of clips that are searched for loops.
const FEWEST_FRAMES: usize = 8;
/// Maximum roughness of the transition from end to start, relative to the 95th percentile of the clip's roughness.
const ROUGHER: f32 = 1.5;
/// Additional tolerance of that transition, in mean steps from frame to frame.
const SLACK_STEPS: f32 = 0.05;
/// Additional tolerance below what is visible, in radians over the whole body.
const UNSEEN: f32 = 2e-3;
/// Upper limit of the discontinuity, in mean steps, for clips of any roughness.
const MOST_STEPS: f32 = 1.0;
/// Minimum speed around the transition, as a share of the mean. Slower clips are one-shot motions from rest to rest.
const LIVELY: f32 = 0.25;
/// Maximum difference between a frame and its repetition, in mean steps.
const REPEATED_STEPS: f32 = 0.25;
/// Tolerances of a quarter cycle's displacement against a quarter of the total: a share of it, and metres.
const STEADY: f32 = 0.4;
const STEADY_M: f32 = 0.15;
/// Tolerance of a quarter cycle's turn, in radians.
const STEADY_RAD: f32 = 0.35;
/// One cycle of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Number of frames of one cycle.
    pub frames: usize,
    /// True if the clip's last frame repeats its first. That frame is not part of the cycle.
    pub repeats_first: bool,
    /// True if end and start fit as well as neighbouring frames do.
    pub clean: bool,
    /// Difference between end and start.
    pub gap: Gap,
    /// Displacement and turn of one cycle.
    pub round: Round,
    missing: Step,
}

impl Loop {
    /// Returns the clip's loop if end and start agree in position and velocity as well as the clip's neighbouring frames
    /// do. In doubt, it returns `None`. Annotations are ignored.
    pub fn find(clip: &RawClip) -> Option<Self> {
        if clip.frames() < FEWEST_FRAMES || clip.seconds() < SHORTEST_S {
            return None;
        }
        let body = Body::of(clip);
        let found = best(&body)?;
        (found.clean && lively(&body, found.frames) && steady(&body, &found)).then_some(found)
    }

    /// Returns the loop of a clip that is marked as one, however well it closes. `None` if the clip has fewer than four
    /// frames.
    pub fn measure(clip: &RawClip) -> Option<Self> {
        if clip.frames() < 4 { None } else { best(&Body::of(clip)) }
    }

    /// Turns the clip into the loop: removes a repeated frame and distributes a gap evenly over the cycle.
    pub fn close(&self, clip: &mut RawClip) {
        let joints = clip.skeleton.len();
        let moves = (!self.clean).then(|| Body::of(clip).spread(self.frames, self.round.joint, &self.missing));
        clip.translations.truncate(self.frames * joints);
        clip.rotations.truncate(self.frames * joints);
        for c in &mut clip.annotations.contacts {
            c.on.truncate(self.frames);
        }
        if let Some((translations, rotations)) = moves {
            clip.translations = translations;
            clip.rotations = rotations;
        }
        clip.looping = true;
    }
}

/// Tries both possible cycle lengths and returns the loop that fits better.
fn best(body: &Body) -> Option<Loop> {
    let n = body.frames();
    let open = judge(body, n, false);
    let repeated = judge(body, n - 1, true);
    Some(match (open.clean, repeated.clean) {
        (true, false) => open,
        (false, true) => repeated,
        _ if repeated.missing.body() < open.missing.body() => repeated,
        _ => open,
    })
}

fn judge(body: &Body, frames: usize, repeats_first: bool) -> Loop {
    let last = frames - 1;
    let (before, after) = (body.step(last - 1, last), body.step(0, 1));
    let usual = before.mean(&after);
    // Difference at the transition. If a frame is repeated, it should be zero; else it is relative to the pose that the
    // motion leads to.
    let (missing, onward) = if repeats_first {
        (body.step(frames, 0), body.step(last, frames))
    } else {
        (body.step(last, 0).minus(&usual), usual.clone())
    };
    let seam = body.step(last, 0).minus(&usual).body().max(missing.body());
    let jerk = after.minus(&before).whole();
    let mut clean = seam <= MOST_STEPS * before.body().max(after.body()).max(onward.body()) + UNSEEN;
    if clean {
        let Roughness { seam: usual_seam, jerk: usual_jerk, mean } = Roughness::of(body, frames);
        let repeats = !repeats_first || missing.body() <= REPEATED_STEPS * mean + UNSEEN;
        clean = mean > 1e-6
            && repeats
            && seam <= (ROUGHER * usual_seam + SLACK_STEPS * mean).min(MOST_STEPS * mean) + UNSEEN
            && jerk <= ROUGHER * usual_jerk + 2.0 * SLACK_STEPS * mean + UNSEEN;
    }
    let round = body.round(last, &onward, repeats_first);
    Loop { frames, repeats_first, clean, gap: body.gap(&missing), round, missing }
}

/// Roughness of a clip's motion away from the transition of the loop.
struct Roughness {
    /// Distance of a frame from the mean of its neighbours' motion, 95th percentile.
    seam: f32,
    /// Change of the step from frame to frame over two frames, 95th percentile.
    jerk: f32,
    /// Mean step from frame to frame.
    mean: f32,
}

impl Roughness {
    fn of(body: &Body, frames: usize) -> Self {
        let steps: Vec<Step> = (1..frames).map(|f| body.step(f - 1, f)).collect();
        let mean = steps.iter().map(Step::whole).sum::<f32>() / steps.len() as f32;
        let (mut seams, mut jerks) = (Vec::new(), Vec::new());
        for w in steps.windows(3) {
            seams.push(w[1].minus(&w[0].mean(&w[2])).body());
            jerks.push(w[2].minus(&w[0]).whole());
        }
        Self { seam: percentile(seams, 0.95), jerk: percentile(jerks, 0.95), mean }
    }
}

fn percentile(mut values: Vec<f32>, share: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    let at = (values.len() as f32 * share) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// Returns true if the clip moves around the transition at a speed similar to elsewhere.
fn lively(body: &Body, frames: usize) -> bool {
    let speed = |f: usize| body.step(f - 1, f).whole();
    let reach = (frames / 20).max(3).min(frames - 1);
    let mean = (1..frames).map(speed).sum::<f32>() / (frames - 1) as f32;
    let around = (1..=reach).chain(frames - reach..frames).map(speed).sum::<f32>() / (2 * reach) as f32;
    around >= LIVELY * mean
}

/// Returns true if the character travels and turns in every quarter of the cycle about as much as on average. A clip that
/// starts, stops or turns around is not a loop, even if it ends in its first pose.
fn steady(body: &Body, found: &Loop) -> bool {
    let quarter = |k: usize| k * found.frames / 4;
    let parts: Vec<Step> = (0..4).map(|k| body.step(quarter(k), quarter(k + 1).min(body.frames() - 1))).collect();
    let mean = parts[0].mean(&parts[1]).mean(&parts[2].mean(&parts[3]));
    parts.iter().all(|p| {
        let off = p.minus(&mean);
        off.way.length() <= STEADY * mean.way.length() + STEADY_M && off.yaw.abs() <= STEADY_RAD
    })
}
