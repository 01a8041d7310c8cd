//! Synchronisation of samples by the phases of their footfalls.

use super::markers::{Footfalls, Order};
use super::resolve::Placed;
use super::spec::Sync;
use super::timeline::Timeline;
use crate::database::Database;
use crate::frames::ClipIndex;

/// Markers that synchronise a sample with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synced {
    /// Touch-downs and lifts of both feet.
    PlantsAndLifts,
    /// Touch-downs of both feet.
    Plants,
    /// Touch-downs of the left foot.
    LeftPlants,
    /// No markers: the whole clip advances at a constant pace.
    Evenly,
    /// Not synchronised: the sample plays by its own time.
    OwnTime,
}

/// Synchronisation of a sample with the others.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleSync {
    /// Clip.
    pub clip: ClipIndex,
    /// True for the mirror image of the clip.
    pub mirrored: bool,
    /// Parameters of the sample. The second is 0 if the space has one parameter.
    pub at: [f32; 2],
    /// Markers that synchronise it.
    pub by: Synced,
    /// Strides (phases) of one cycle of its loop, or of its length.
    pub strides: f64,
    /// Group of samples that lift their feet at common phases. Between samples of different groups, planted feet may slide.
    pub group: Option<usize>,
}

/// Returns the timelines of all samples, their synchronisation, and warnings. Timelines use markers where samples have them.
pub(super) fn timelines(
    db: &Database,
    sync: Sync,
    samples: &[Placed],
    feet: Option<[usize; 2]>,
) -> (Vec<Timeline>, Vec<SampleSync>, Vec<String>) {
    let mut notes = Vec::new();
    let view = |s: &Placed| db.view(s.clip, s.mirrored);
    let name = |s: &Placed| &db.clips[s.clip.at()].name;
    let found: Vec<Option<Footfalls>> = match (sync, feet) {
        (Sync::Phase, Some(feet)) => samples.iter().map(|s| Footfalls::find(db, s, feet)).collect(),
        _ => vec![None; samples.len()],
    };
    // Mean stride duration of samples that step, in seconds.
    let strides_s =
        samples.iter().zip(&found).filter_map(|(s, f)| Some(view(s).seconds() / (f.as_ref()?.left.len() - 1) as f64));
    let (sum_s, stepping) = strides_s.fold((0.0, 0.0), |(sum, n), s| (sum + s, n + 1.0));
    if sync == Sync::Phase && stepping == 0.0 {
        notes.push("no sample steps: all are joined by the share of their length, as with `sync = \"time\"`".into());
    }
    let groups = groups(&found);
    if groups.len() > 1 {
        let note = format!(
            "feet lift in {} different orders: between these, only touch-downs are joined, and feet may slide",
            groups.len()
        );
        notes.push(note);
    }
    let (mut timelines, mut syncs) = (Vec::new(), Vec::new());
    for (sample, found) in samples.iter().zip(&found) {
        let (seconds, looping) = (view(sample).seconds(), view(sample).loop_delta.is_some());
        let group =
            found.as_ref().filter(|f| !f.lifts.is_empty()).and_then(|f| groups.iter().position(|g| g.0 == f.order));
        let (knots, by) = match (sync, found) {
            (Sync::None, _) => (vec![(0.0, 0.0), (1.0, 1.0)], Synced::OwnTime),
            (_, Some(found)) => footfall_knots(found, group.map(|g| groups[g].1)),
            (_, None) => {
                let strides = if stepping > 0.0 { (seconds * stepping / sum_s).round().max(1.0) } else { 1.0 };
                // The duration of a single frame is arbitrary.
                (vec![(0.0, 0.0), (strides, seconds.max(1e-3))], Synced::Evenly)
            }
        };
        if sync == Sync::Phase && stepping > 0.0 && by != Synced::PlantsAndLifts {
            let why = match by {
                Synced::Plants => {
                    "its feet do not lift in one order from stride to stride: only touch-downs are joined"
                }
                Synced::LeftPlants => "its feet do not take turns: only touch-downs of the left foot are joined",
                _ => "its left foot does not step: it goes along at an even pace",
            };
            notes.push(format!("`{}`: {why}", name(sample)));
        }
        let timeline = Timeline::new(&knots, looping && sync != Sync::None);
        let strides = timeline.strides();
        syncs.push(SampleSync { clip: sample.clip, mirrored: sample.mirrored, at: sample.at, by, strides, group });
        timelines.push(timeline);
    }
    (timelines, syncs, notes)
}

/// Returns the lift orders, each with the phases at which the right and the left foot lift: the means over the samples of that
/// order.
fn groups(found: &[Option<Footfalls>]) -> Vec<(Order, [f64; 2])> {
    let mut groups: Vec<(Order, [f64; 2], f64)> = Vec::new();
    for f in found.iter().flatten().filter(|f| !f.lifts.is_empty()) {
        let shares = f.lift_shares();
        match groups.iter_mut().find(|g| g.0 == f.order) {
            Some(g) => (g.1, g.2) = ([g.1[0] + shares[0], g.1[1] + shares[1]], g.2 + 1.0),
            None => groups.push((f.order, shares, 1.0)),
        }
    }
    let phases = |(order, shares, n): (Order, [f64; 2], f64)| {
        (order, [(f64::from(order.0) + shares[0] / n) * 0.5, (f64::from(order.1) + shares[1] / n) * 0.5])
    };
    groups.into_iter().map(phases).collect()
}

/// Returns pairs of phase and time: left plants at whole phases, right plants at halves, lifts at the phases of their group.
fn footfall_knots(found: &Footfalls, lifts: Option<[f64; 2]>) -> (Vec<(f64, f64)>, Synced) {
    let whole = |k: usize| k as f64;
    let mut knots: Vec<(f64, f64)> = found.left.iter().enumerate().map(|(k, t)| (whole(k), *t)).collect();
    knots.extend(found.right.iter().enumerate().map(|(k, t)| (whole(k) + 0.5, *t)));
    if let Some(phases) = lifts {
        for foot in 0..2 {
            knots.extend(found.lifts.iter().enumerate().map(|(k, t)| (whole(k) + phases[foot], t[foot])));
        }
    }
    knots.sort_by(|a, b| a.0.total_cmp(&b.0));
    let by = match (lifts.is_some(), found.right.is_empty()) {
        (true, _) => Synced::PlantsAndLifts,
        (false, false) => Synced::Plants,
        (false, true) => Synced::LeftPlants,
    };
    (knots, by)
}
