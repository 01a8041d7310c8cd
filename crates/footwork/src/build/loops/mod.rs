//! Loops: does a clip's end lead back into its start, how long is one round, where does it take the character, and how is
//! what is left open between end and start closed?
//!
//! Poses are compared in the character's own axes, so that a loop may travel and turn. What counts as small is measured on
//! the clip itself: a seam must be no rougher than the motion elsewhere.

mod settle;
mod step;

pub use settle::LoopReport;
pub(crate) use settle::settle;

use crate::clip::RawClip;
use crate::math::Transform;
use serde::Serialize;
use step::{Body, Step};

/// Shorter clips are not searched for loops, seconds.
const SHORTEST_S: f32 = 0.25;
/// Nor those of fewer frames.
const FEWEST_FRAMES: usize = 8;
/// A seam may be rougher than 95 % of the clip by this factor.
const ROUGHER: f32 = 1.5;
/// What may be missing at a seam beside that, in mean steps from frame to frame.
const SLACK_STEPS: f32 = 0.05;
/// And this, which nobody sees: radians over the whole body.
const UNSEEN: f32 = 2e-3;
/// No seam may miss by more than this, in mean steps, however rough the clip is.
const MOST_STEPS: f32 = 1.0;
/// Slower around its seam than this share of the mean, a clip is something done once, from rest to rest.
const LIVELY: f32 = 0.25;
/// A frame that is shown again is nearer to itself than this, in mean steps.
const REPEATED_STEPS: f32 = 0.25;
/// How far the way of a quarter of a round may be off a quarter of the way: a share of it, and metres.
const STEADY: f32 = 0.4;
const STEADY_M: f32 = 0.15;
/// And the turn, radians.
const STEADY_RAD: f32 = 0.35;
/// Wider gaps are not closed: degrees of a joint, metres.
const WIDEST_DEG: f32 = 40.0;
const WIDEST_M: f32 = 0.2;

/// One round of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Frames of one round.
    pub frames: usize,
    /// True when the clip's last frame shows its first again: it is not part of the round.
    pub repeats_first: bool,
    /// True when end and start fit as well as neighbouring frames do.
    pub clean: bool,
    /// What is left open.
    pub gap: Gap,
    /// Where a round leads.
    pub round: Round,
    missing: Step,
}

impl Loop {
    /// The loop that a clip is, if it is one: end and start agree in position and velocity as well as the clip's own frames do
    /// with their neighbours. Rather misses a loop than invents one. Annotations are not looked at.
    pub fn find(clip: &RawClip) -> Option<Self> {
        if clip.frames() < FEWEST_FRAMES || clip.seconds() < SHORTEST_S {
            return None;
        }
        let body = Body::of(clip);
        let found = best(&body)?;
        (found.clean && lively(&body, found.frames) && steady(&body, &found)).then_some(found)
    }

    /// The loop that a clip is said to be, however well it closes; `None` where there are too few frames for any.
    pub fn measure(clip: &RawClip) -> Option<Self> {
        if clip.frames() < 4 { None } else { best(&Body::of(clip)) }
    }

    /// Makes the clip what it is as a loop: a repeated frame goes, a gap is spread evenly over the round.
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

/// What is left open between the end of a round and its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gap {
    /// The joint that turns most.
    pub joint: String,
    /// By how much, degrees.
    pub deg: f32,
    /// The longest way of a joint against its parent, or of the body up or down, metres.
    pub metres: f32,
}

impl Gap {
    /// True for gaps that no loop has.
    pub fn absurd(&self) -> bool {
        self.deg > WIDEST_DEG || self.metres > WIDEST_M
    }
}

/// Where one round takes the character: a way over the ground and a turn about the vertical.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// The joint that carries the body through the world: joint 0, unless that never moves.
    pub joint: usize,
    /// World: frame `k + frames` is this times frame `k`.
    pub world: Transform,
    /// The same for the joint's local transforms.
    pub in_parent: Transform,
    /// True when nothing of it is guessed: the clip shows the first frame again.
    pub exact: bool,
}

/// Of the two lengths that a round can have the one that fits better.
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
    // What is missing at the seam: nothing, where a frame is shown twice; else the pose that the motion leads to.
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

/// How rough a clip's motion is where it has no seam.
struct Roughness {
    /// How far a frame lies from where its neighbours' motion leads, 95th percentile.
    seam: f32,
    /// How much the step from frame to frame changes over two of them, 95th percentile.
    jerk: f32,
    /// Mean step.
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

/// True when the clip moves around its seam about as it does elsewhere.
fn lively(body: &Body, frames: usize) -> bool {
    let speed = |f: usize| body.step(f - 1, f).whole();
    let reach = (frames / 20).max(3).min(frames - 1);
    let mean = (1..frames).map(speed).sum::<f32>() / (frames - 1) as f32;
    let around = (1..=reach).chain(frames - reach..frames).map(speed).sum::<f32>() / (2 * reach) as f32;
    around >= LIVELY * mean
}

/// True when the character travels and turns in every quarter of the round as it does in all: what starts, stops or turns
/// about is no loop, even if it ends as it began.
fn steady(body: &Body, found: &Loop) -> bool {
    let quarter = |k: usize| k * found.frames / 4;
    let parts: Vec<Step> = (0..4).map(|k| body.step(quarter(k), quarter(k + 1).min(body.frames() - 1))).collect();
    let mean = parts[0].mean(&parts[1]).mean(&parts[2].mean(&parts[3]));
    parts.iter().all(|p| {
        let off = p.minus(&mean);
        off.way.length() <= STEADY * mean.way.length() + STEADY_M && off.yaw.abs() <= STEADY_RAD
    })
}
