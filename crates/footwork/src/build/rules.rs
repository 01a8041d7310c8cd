//! Tags by rules: ranges of clips in which measured values of the motion fulfil a condition.

use super::BuildError;
use super::config::TagRule;
use super::pool::PooledClip;
use crate::clip::{TagRange, TimeRange};
use crate::expression::{Comparison, Expression, ExpressionError, Term};
use crate::frames::JointIndex;
use crate::math::Facing;
use crate::motion::{ClipView, PosePool};
use crate::parallel;
use crate::skeleton::Skeleton;
use glam::Vec3;
use std::ops::Range;

/// Interval around a frame over which velocities are averaged, in seconds: steps make the root sway.
const MEAN_S: f32 = 0.2;

/// Names of the measured values.
const NAMES: [&str; 7] = ["speed_mps", "forward_mps", "side_mps", "turn_degps", "hips_m", "hips_share", "foot_contact"];

/// Values of a frame, in the order of [`NAMES`].
type Values = [f32; NAMES.len()];

/// A condition on measured values: index in [`NAMES`], comparison and number.
type Condition = Expression<(usize, Comparison, f32)>;

fn condition(key: &str, text: &str) -> Result<Condition, BuildError> {
    let compared = |term: &Term| {
        let Some(place) = NAMES.iter().position(|name| *name == term.name) else {
            let nearest = crate::error::nearest(&term.name, NAMES);
            let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            return Err(format!("nothing measured is named `{}`{hint}; there are {}", term.name, NAMES.join(", ")));
        };
        let Some((comparison, number)) = term.comparison else {
            return Err(format!("expected a comparison with a number, such as `{} > 0.5`", term.name));
        };
        Ok((place, comparison, number))
    };
    let refused = |e: ExpressionError| BuildError::Config { key: key.to_owned(), what: e.to_string() };
    Expression::parse(text, compared).map_err(refused)
}

fn holds(condition: &Condition, values: &Values) -> bool {
    condition.holds(|(place, comparison, number)| comparison.holds(values[*place], *number))
}

/// Body whose motion is measured.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    pub skeleton: &'a Skeleton,
    pub poses: &'a PosePool,
    /// Hips joint; `None` if unknown. Its height is then unknown, too.
    pub hips: Option<JointIndex>,
    /// Height of the hips of a standing body, in metres.
    pub standing_m: f32,
}

/// Parsed rules.
#[derive(Debug)]
pub struct Rules<'a>(Vec<(&'a TagRule, Condition, Option<Condition>)>);

impl<'a> Rules<'a> {
    /// Parses the conditions.
    ///
    /// # Errors
    /// Returns an error for a tag without a name, and for an invalid condition, with the position of the error.
    pub fn read(rules: &'a [TagRule]) -> Result<Self, BuildError> {
        let read = |(i, rule): (usize, &'a TagRule)| {
            let key = |name: &str| format!("rules[{i}].{name}");
            if rule.tag.trim().is_empty() {
                return Err(BuildError::Config { key: key("tag"), what: "expected the name of a tag".to_owned() });
            }
            let until = rule.until.as_ref().map(|until| condition(&key("until"), until)).transpose()?;
            Ok((rule, condition(&key("when"), &rule.when)?, until))
        };
        rules.iter().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Tags all clips. Returns messages about rules that tag nothing. `labels`: `[clips]` of `[frames x contact joints]`.
    pub fn tag(&self, clips: &mut [PooledClip], labels: &[Vec<u8>], body: Body) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let numbers: Vec<usize> = (0..clips.len()).collect();
        // `[clips x rules]`.
        let found: Vec<Vec<Vec<TagRange>>> = parallel::map(&numbers, |i| {
            let clip = clips[*i].view(body.skeleton, body.poses);
            let measured = Measured { clip, labels: &labels[*i], body };
            let values: Vec<Values> = (0..clip.frames).map(|frame| measured.values(frame)).collect();
            self.0.iter().map(|(rule, when, until)| ranges(&clip, &values, rule, (when, until))).collect()
        });
        let idle = (0..self.0.len()).filter(|rule| found.iter().all(|tags| tags[*rule].is_empty()));
        let told = idle.map(|i| {
            let TagRule { tag, when, shortest_s, .. } = self.0[i].0;
            format!("`rules[{i}]` tags nothing as `{tag}`: no clip has `{when}` for {shortest_s} s")
        });
        let told = told.collect();
        for (clip, tags) in clips.iter_mut().zip(found) {
            clip.annotations.tags.extend(tags.into_iter().flatten());
        }
        told
    }
}

/// Returns the ranges in which a clip gets the tag of a rule.
fn ranges(
    clip: &ClipView,
    values: &[Values],
    rule: &TagRule,
    (when, until): (&Condition, &Option<Condition>),
) -> Vec<TagRange> {
    let looping = clip.loop_delta.is_some();
    let (mut inside, mut on) = (false, Vec::with_capacity(values.len()));
    // Loops are scanned twice: only their end shows whether a range continues at their start.
    for _ in 0..if looping { 2 } else { 1 } {
        on.clear();
        for values in values {
            let goes_on = || until.as_ref().map_or_else(|| holds(when, values), |until| !holds(until, values));
            inside = if inside { goes_on() } else { holds(when, values) };
            on.push(inside);
        }
    }
    let shortest = (rule.shortest_s * clip.rate_hz - 1e-3).ceil().max(0.0) as usize;
    for value in [true, false] {
        drop_short(&mut on, value, shortest, looping);
    }
    let at_s = |frame: usize| frame as f32 / clip.rate_hz;
    runs(&on)
        .filter(|run| on[run.start])
        .map(|run| TimeRange { start_s: at_s(run.start), end_s: at_s(run.end) })
        .map(|range| TagRange { name: rule.tag.clone(), range })
        .collect()
}

/// Inverts runs of a value that are shorter than `shortest`. In a loop, the run at its end continues at its start; gaps at
/// the ends of other clips are kept.
fn drop_short(on: &mut [bool], value: bool, shortest: usize, looping: bool) {
    let n = on.len();
    let turn = (0..n).find(|i| on[*i] != on[(i + n - 1) % n]).filter(|_| looping).unwrap_or(0);
    on.rotate_left(turn);
    let found: Vec<Range<usize>> = runs(on).collect();
    for run in found {
        let is_whole = value || looping || (run.start > 0 && run.end < n);
        if on[run.start] == value && run.len() < shortest && is_whole && run.len() < n {
            on[run].fill(!value);
        }
    }
    on.rotate_right(turn);
}

/// Returns the maximal ranges of one value.
fn runs(on: &[bool]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = (start..on.len()).find(|i| on[*i] != on[start]).unwrap_or(on.len());
        (start < at).then_some(start..at)
    })
}

/// A clip with the data for measuring it.
struct Measured<'a> {
    clip: ClipView<'a>,
    labels: &'a [u8],
    body: Body<'a>,
}

impl Measured<'_> {
    fn values(&self, frame: usize) -> Values {
        let (clip, n) = (&self.clip, self.clip.frames);
        let half = ((0.5 * MEAN_S * clip.rate_hz).round() as usize).max(1);
        // In a loop, a later cycle is used, so that there are frames before the first.
        let [from, at, to] = if clip.loop_delta.is_some() {
            let at = frame + n * half.div_ceil(n);
            [at - half, at, at + half]
        } else {
            [frame.saturating_sub(half), frame, (frame + half).min(n - 1)]
        };
        let last = || clip.poses.root(clip.start + n - 1);
        let [before, now, after] = [from, at, to].map(|frame| clip.root_ahead(0, frame).unwrap_or_else(last));
        let per_s = clip.rate_hz / (to - from).max(1) as f32;
        let velocity = now.rotation.inverse() * (after.translation - before.translation) * per_s;
        let [was, is] = [before, after].map(|root| Facing::from_rotation(root.rotation));
        let hips_m = |hips| clip.poses.in_root(clip.skeleton, clip.start + frame, hips).y;
        let hips_m = self.body.hips.map_or(f32::NAN, hips_m);
        let feet = self.labels.len() / n;
        let touching = self.labels[frame * feet..][..feet].iter().filter(|label| **label == 1).count();
        [
            Vec3::new(velocity.x, 0.0, velocity.z).length(),
            velocity.z,
            velocity.x,
            (was.angle_to(is) * per_s).abs().to_degrees(),
            hips_m,
            hips_m / self.body.standing_m,
            touching as f32,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == 'x').collect()
    }

    #[test]
    fn short_ranges_are_dropped_before_short_gaps_are_closed() {
        for (before, looping, after) in [
            ("..xxx.xxx.....x..", false, "..xxxxxxx........"),
            ("xx.xx.xx", false, "........"),
            (".xxxx..x", false, ".xxxx..."),
            ("x..xxxx.", false, "...xxxx."),
            ("x...xxxx.", false, "....xxxx."),
            ("xx....x", true, "xx....x"),
            ("xx....x", false, "......."),
            (".xxxx.", true, "xxxxxx"),
            ("xxxx", true, "xxxx"),
            ("..", true, ".."),
        ] {
            let mut there = on(before);
            for value in [true, false] {
                drop_short(&mut there, value, 3, looping);
            }
            assert_eq!(there, on(after), "{before} {looping}");
        }
    }

    #[test]
    fn conditions_are_refused_with_the_place_of_the_fault() {
        for (text, what) in [
            ("speed_mps >", "character 12: expected a number"),
            ("speed > 2", "character 1: nothing measured is named `speed`; the nearest is `speed_mps`"),
            ("hips_m < 1 & foot_contact", "character 14: expected a comparison"),
        ] {
            let e = condition("rules[0].when", text).unwrap_err().to_string();
            assert!(e.contains("rules[0].when") && e.contains(what), "{e}");
        }
    }
}
