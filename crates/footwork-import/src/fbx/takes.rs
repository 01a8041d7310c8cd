//! Animation stacks: moving nodes, time range, and samples.

use super::transform::trs;
use crate::scene::{Sample, Take, Trs};
use std::collections::BTreeSet;
use ufbx::{AnimCurve, AnimStack, ElementType, Scene};

/// Maximum change of a curve that counts as still, in file units and degrees.
const STILL: f64 = 1e-5;
const DEFAULT_RATE_HZ: f64 = 30.0;

/// The stacks of a file that have keys.
pub(super) struct Stacks<'a> {
    file: &'a Scene,
    /// `[takes]`.
    stacks: Vec<&'a AnimStack>,
}

impl<'a> Stacks<'a> {
    pub fn new(file: &'a Scene) -> Self {
        Self { file, stacks: file.anim_stacks.into_iter().filter(|s| curves(s).next().is_some()).collect() }
    }

    pub fn takes(&self) -> Vec<Take> {
        let fps = self.file.settings.frames_per_second;
        let rate_hz = if (1.0..=1000.0).contains(&fps) { fps } else { DEFAULT_RATE_HZ };
        self.stacks.iter().map(|s| take(s, rate_hz)).collect()
    }
}

/// Returns every curve of translation, rotation or scale: its node, whether it is translation or rotation, and the curve.
fn curves(stack: &AnimStack) -> impl Iterator<Item = (usize, bool, &AnimCurve)> {
    let props = stack.layers.into_iter().flat_map(|l| l.anim_props.into_iter());
    props.filter(|p| p.element.type_ == ElementType::Node).flat_map(|p| {
        let moves = match &*p.prop_name {
            "Lcl Translation" | "Lcl Rotation" => Some(true),
            "Lcl Scaling" => Some(false),
            _ => None,
        };
        let curves = p.anim_value.curves.iter().flatten().filter(|c| c.keyframes.count > 0);
        moves.into_iter().flat_map(move |m| curves.clone().map(move |c| (p.element.typed_id as usize, m, c.as_ref())))
    })
}

fn take(stack: &AnimStack, rate_hz: f64) -> Take {
    let mut moved = BTreeSet::new();
    let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
    for (node, moves, curve) in curves(stack) {
        if moves && changes(curve) {
            moved.insert(node);
        }
        first = first.min(curve.keyframes.into_iter().next().map_or(first, |k| k.time));
        last = last.max(curve.keyframes.into_iter().last().map_or(last, |k| k.time));
    }
    // A stack may state its time range; outside the keys nothing moves.
    let (begin, end) = (stack.time_begin, stack.time_end);
    let overlap = (first.max(begin), last.min(end));
    let (start_s, end_s) = if begin < end && overlap.0 < overlap.1 { overlap } else { (first, last) };
    Take { name: stack.element.name.to_string(), rate_hz, start_s, end_s, moved, events: Vec::new() }
}

fn changes(curve: &AnimCurve) -> bool {
    let keys = curve.keyframes.as_ref();
    keys.iter().any(|k| (k.value - keys[0].value).abs() > STILL)
        || keys.iter().any(|k| k.right.dy.abs() as f64 > STILL || k.left.dy.abs() as f64 > STILL)
}

impl Sample for Stacks<'_> {
    fn local(&self, take: usize, node: usize, time_s: f64) -> Trs {
        trs(&ufbx::evaluate_transform(&self.stacks[take].anim, &self.file.nodes[node], time_s))
    }
}
