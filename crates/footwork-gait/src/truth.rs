//! Ground truth of a generated clip, for tests.

use crate::action_truth::ActionTruth;
use crate::body::Side;
use crate::footsteps::FootPlan;
use crate::recipe::Recipe;
use footwork::clip::{ClipEvent, ContactTrack, RawClip, TagRange, TimeRange};
use footwork::database::Database;
use footwork::math::{Facing, Transform};
use glam::Vec3;

/// A footstep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footstep {
    /// Side of the foot.
    pub side: Side,
    /// Position of the planted toe joint on the ground: world, in metres.
    pub position: Vec3,
    /// Yaw of the foot, in radians, unwrapped like that of the root.
    pub yaw: f32,
    /// Time at which the toe lands, in seconds from the first frame; negative for a step that began before the clip.
    pub start_s: f32,
    /// Time at which the toe leaves, in seconds; at most the end of the clip.
    pub end_s: f32,
}

/// Ground truth of a clip, with one value per frame unless stated otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct GaitTruth {
    /// `[frames]` `world_from_root`: equal to joint 0 of the clip.
    pub root: Vec<Transform>,
    /// `[frames]` speed of the root over the ground, in m/s.
    pub speed_mps: Vec<f32>,
    /// `[frames]` direction of travel, world; while standing, the last direction.
    pub heading: Vec<Facing>,
    /// `[frames]` left and right toe joint planted.
    pub contacts: Vec<[bool; 2]>,
    /// `[frames]` true if any part of the left and right foot touches the ground: from heel strike to toe-off.
    pub touching: Vec<[bool; 2]>,
    /// Steps within the clip: first those of the left foot, each side in order of time.
    pub footsteps: Vec<Footstep>,
    /// `[frames]` depth of the crouch, 0 (upright) to 1.
    pub crouch: Vec<f32>,
    /// Ground truth of the action; `None` for plain locomotion.
    pub action: Option<ActionTruth>,
}

/// A clip with its ground truth.
#[derive(Clone, Debug, PartialEq)]
pub struct GaitClip {
    /// The clip, as an importer returns it.
    pub clip: RawClip,
    /// Ground truth.
    pub truth: GaitTruth,
}

/// Returns the steps of a plan within a clip.
pub(crate) fn footsteps(plan: &FootPlan, seconds: f32) -> Vec<Footstep> {
    let of = |side: Side| {
        plan.stances[side.at()].iter().filter(move |s| s.tip_s > 0.0 && s.flat_s < seconds).map(move |s| Footstep {
            side,
            position: s.toe,
            yaw: s.yaw,
            start_s: s.flat_s,
            end_s: s.tip_s.min(seconds),
        })
    };
    of(Side::Left).chain(of(Side::Right)).collect()
}

/// Returns the contacts, tags and events of a clip.
pub(crate) fn annotate(clip: &mut RawClip, truth: &GaitTruth, recipe: &Recipe) {
    let tags = &recipe.tags;
    let seconds = clip.frames() as f32 / clip.rate_hz;
    contacts(clip, truth);
    let a = &mut clip.annotations;
    let whole = TimeRange { start_s: 0.0, end_s: seconds };
    a.tags = tags.iter().map(|t| TagRange { name: (*t).to_owned(), range: whole }).collect();
    let standing: Vec<bool> = truth.speed_mps.iter().map(|v| *v < 0.02).collect();
    if !tags.contains(&"idle") && !tags.contains(&"turn") && recipe.gesture.is_none() {
        a.tags.extend(ranges(&standing, clip.rate_hz, 0.25).map(|range| TagRange { name: "idle".into(), range }));
    }
    let (low, rises) = stances(truth);
    a.tags.extend(ranges(&low, clip.rate_hz, 0.0).map(|range| TagRange { name: CROUCH.into(), range }));
    let down: Vec<bool> = low.iter().zip(&truth.crouch).map(|(low, c)| *low && *c >= CROUCHED_FROM).collect();
    a.tags.extend(ranges(&down, clip.rate_hz, 0.0).map(|range| TagRange { name: CROUCHED.into(), range }));
    a.tags.extend(ranges(&rises, clip.rate_hz, 0.0).map(|range| TagRange { name: STAND_UP.into(), range }));
    if let Some(gesture) = recipe.gesture {
        // A gesture can only be entered at its start, so that it is played completely.
        a.do_not_enter = vec![TimeRange { start_s: GESTURE_ENTRY_S, end_s: seconds }];
        a.curves = gesture.curves(seconds);
    } else if !tags.contains(&"idle") {
        a.do_not_enter = ranges(&at_rest(truth, clip.rate_hz), clip.rate_hz, 0.05).collect();
    }
    a.events = footfalls(truth);
    if let Some(gesture) = recipe.gesture {
        a.events.extend(gesture.events());
    }
    a.events.sort_by(|x, y| x.time_s.total_cmp(&y.time_s));
}

/// Returns the contacts, tags and events of an action.
pub(crate) fn annotate_action(clip: &mut RawClip, truth: &GaitTruth, tag: &str) {
    contacts(clip, truth);
    let whole = TimeRange { start_s: 0.0, end_s: clip.frames() as f32 / clip.rate_hz };
    let tags = [tag, Database::NO_LOCOMOTION];
    clip.annotations.tags = tags.map(|name| TagRange { name: name.to_owned(), range: whole }).to_vec();
    clip.annotations.events = footfalls(truth);
    clip.annotations.events.sort_by(|x, y| x.time_s.total_cmp(&y.time_s));
}

fn contacts(clip: &mut RawClip, truth: &GaitTruth) {
    for side in Side::BOTH {
        let joint = ["LeftToe", "RightToe"][side.at()].to_owned();
        let on = truth.contacts.iter().map(|c| c[side.at()]).collect();
        clip.annotations.contacts.push(ContactTrack { joint, on });
    }
}

/// Returns an event for each footstep within the clip.
fn footfalls(truth: &GaitTruth) -> Vec<ClipEvent> {
    let steps = truth.footsteps.iter().filter(|s| s.start_s >= 0.0);
    let name = |side: Side| ["left_footstep", "right_footstep"][side.at()].to_owned();
    steps.map(|s| ClipEvent { name: name(s.side), time_s: s.start_s }).collect()
}

/// Tag of a body that is crouched or moving down into a crouch.
pub(crate) const CROUCH: &str = "crouch";
/// Depth of the crouch above which a body counts as crouched: its hips are within 3 cm of their final height.
const CROUCHED_FROM: f32 = 0.92;
/// Tag of a crouched body only.
pub(crate) const CROUCHED: &str = "crouched";
/// Tag of a body that gets up from a crouch, until the end of the clip.
pub(crate) const STAND_UP: &str = "stand_up";
/// Gestures are entered within this time from their start, in seconds.
const GESTURE_ENTRY_S: f32 = 0.15;

/// Returns the frames in which the body is crouched or moving down, and those in which it gets up or is up again.
fn stances(truth: &GaitTruth) -> (Vec<bool>, Vec<bool>) {
    let c = &truth.crouch;
    let next = |f: usize| c[(f + 1).min(c.len() - 1)];
    let low: Vec<bool> = (0..c.len()).map(|f| next(f) > c[f] || (c[f] == 1.0 && next(f) == 1.0)).collect();
    let first_low = low.iter().position(|l| *l).unwrap_or(c.len());
    let rises = (0..c.len()).map(|f| f > first_low && !low[f]).collect();
    (low, rises)
}

/// Returns the frames in the middle of standing. Transitions into them are blocked, so that an idle character plays an idle clip.
fn at_rest(truth: &GaitTruth, rate_hz: f32) -> Vec<bool> {
    let n = truth.root.len();
    let still = |f: usize| {
        let turned = truth.root[f].rotation.angle_between(truth.root[f.saturating_sub(1)].rotation) * rate_hz;
        let sinks = truth.crouch[f] != truth.crouch[f.saturating_sub(1)];
        truth.speed_mps[f] < 0.02 && turned < 0.05 && !sinks && truth.contacts[f] == [true, true]
    };
    let still: Vec<bool> = (0..n).map(still).collect();
    let (before, after) = ((REST_S[0] * rate_hz) as usize, (REST_S[1] * rate_hz) as usize);
    (0..n).map(|f| still[f.saturating_sub(before)..(f + after).min(n)].iter().all(|s| *s)).collect()
}

/// Minimum duration of standing before and after a frame that counts as rest, in seconds.
const REST_S: [f32; 2] = [0.25, 0.2];

/// Returns the periods of `true` of at least `least_s` seconds.
fn ranges(on: &[bool], rate_hz: f32, least_s: f32) -> impl Iterator<Item = TimeRange> {
    let mut found = Vec::new();
    let mut start = None;
    for (i, now) in on.iter().copied().chain([false]).enumerate() {
        match (start, now) {
            (None, true) => start = Some(i),
            (Some(s), false) => {
                if (i - s) as f32 / rate_hz >= least_s {
                    found.push(TimeRange { start_s: s as f32 / rate_hz, end_s: i as f32 / rate_hz });
                }
                start = None;
            }
            _ => {}
        }
    }
    found.into_iter()
}
