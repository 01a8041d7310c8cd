//! Animations: keys of translation, rotation and scale, sampled at any time.

use super::accessor::Tables;
use super::document::Document;
use super::markers;
use super::rate::{RATES_HZ, rate_hz};
use crate::scene::{Node, Sample, SceneProblem, Take, Trs};
use footwork::math::Quat;
use glam::Vec3;
use gltf::json::animation::{Animation, Interpolation, Property, Sampler};
use gltf::json::validation::Checked;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum difference between keys that count as still: micrometres, and microradians of half an angle.
const STILL: f32 = 1e-6;

/// All keys of a file.
pub(super) struct Tracks {
    rest: Vec<Trs>,
    /// `[takes]` channels by node.
    takes: Vec<Channels>,
}

/// Translation, rotation and scale of the nodes that have keys.
type Channels = BTreeMap<usize, [Option<Track>; 3]>;

/// Keys of one property of a node.
struct Track {
    times_s: Rc<Vec<f32>>,
    /// `[keys x width]`; for a cubic spline `[keys x (in-tangent, value, out-tangent) x width]`.
    values: Rc<Vec<f32>>,
    width: usize,
    interpolation: Interpolation,
}

/// Reads the takes and their keys.
pub(super) fn read(
    document: &Document<'_>,
    nodes: &[Node],
    tables: &mut Tables<'_>,
) -> Result<(Vec<Take>, Tracks), SceneProblem> {
    let mut takes = Vec::new();
    let mut tracks = Tracks { rest: nodes.iter().map(|n| n.local).collect(), takes: Vec::new() };
    for (i, animation) in document.root.animations.iter().enumerate() {
        let name = animation.name.clone().filter(|n| !n.trim().is_empty()).unwrap_or_else(|| format!("take{i}"));
        let own = read_one(animation, &name, nodes, tables)?;
        let times = || own.values().flatten().flatten().map(|t| t.times_s.as_slice()).filter(|t| !t.is_empty());
        let start_s = times().map(|t| f64::from(t[0])).fold(f64::INFINITY, f64::min);
        let end_s = times().map(|t| f64::from(t[t.len() - 1])).fold(f64::NEG_INFINITY, f64::max);
        if end_s < start_s {
            // The animation only has weights of morph targets, or channels of extensions.
            continue;
        }
        takes.push(Take {
            rate_hz: rate_hz(times()).unwrap_or(RATES_HZ[0]),
            start_s,
            end_s,
            moved: own
                .iter()
                .filter(|(_, [t, r, _])| [t, r].into_iter().flatten().any(Track::moves))
                .map(|(n, _)| *n)
                .collect(),
            events: markers::read(animation, start_s),
            name,
        });
        tracks.takes.push(own);
    }
    Ok((takes, tracks))
}

fn read_one(
    animation: &Animation,
    take: &str,
    nodes: &[Node],
    tables: &mut Tables<'_>,
) -> Result<Channels, SceneProblem> {
    let mut own = Channels::new();
    for channel in &animation.channels {
        let node = channel.target.node.value();
        let (slot, width) = match channel.target.path {
            Checked::Valid(Property::Translation) => (0, 3),
            Checked::Valid(Property::Rotation) => (1, 4),
            Checked::Valid(Property::Scale) => (2, 3),
            _ => continue,
        };
        let Some(n) = nodes.get(node) else { continue };
        let refuse = |what: String| SceneProblem::Keys { take: take.to_owned(), node: n.name.clone(), what };
        let sampler = animation.samplers.get(channel.sampler.value());
        let sampler = sampler.ok_or_else(|| refuse("a channel without a sampler".into()))?;
        own.entry(node).or_default()[slot] = Some(track(sampler, width, tables, refuse)?);
    }
    Ok(own)
}

fn track(
    sampler: &Sampler,
    width: usize,
    tables: &mut Tables<'_>,
    refuse: impl Fn(String) -> SceneProblem,
) -> Result<Track, SceneProblem> {
    let times_s = tables.floats(sampler.input.value(), 1)?;
    let values = tables.floats(sampler.output.value(), width)?;
    let Checked::Valid(interpolation) = sampler.interpolation else {
        return Err(refuse("an unknown interpolation".into()));
    };
    if times_s.is_empty() {
        return Err(refuse("a channel without keys".into()));
    }
    if !times_s.iter().all(|t| t.is_finite()) || !times_s.is_sorted() {
        return Err(refuse("its key times are not rising".into()));
    }
    let each = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    if values.len() != times_s.len() * width * each {
        let found = values.len() / width;
        return Err(refuse(format!("{} key times and {found} values, expected {each} each", times_s.len())));
    }
    if let Some(v) = values.iter().find(|v| !v.is_finite()) {
        return Err(refuse(format!("a key of {v}, expected finite numbers")));
    }
    Ok(Track { times_s, values, width, interpolation })
}

impl Track {
    fn moves(&self) -> bool {
        let keys = || self.values.chunks_exact(self.width * if self.is_cubic() { 3 } else { 1 });
        let own = |key: &'_ [f32]| -> [f32; 4] {
            let start = if self.is_cubic() { self.width } else { 0 };
            std::array::from_fn(|i| if i < self.width { key[start + i] } else { 0.0 })
        };
        let Some(first) = keys().next().map(own) else { return false };
        // A rotation and its negative are equal.
        let sign = |k: &[f32; 4]| {
            let dot: f32 = k.iter().zip(first).map(|(a, b)| a * b).sum();
            if self.width == 4 && dot < 0.0 { -1.0 } else { 1.0 }
        };
        let differs = |k: [f32; 4]| k.iter().zip(first).any(|(a, b)| (a * sign(&k) - b).abs() > STILL);
        let bends = || {
            self.is_cubic()
                && self
                    .values
                    .chunks_exact(self.width)
                    .enumerate()
                    .any(|(i, v)| i % 3 != 1 && v.iter().any(|v| v.abs() > STILL))
        };
        keys().map(own).any(differs) || bends()
    }

    fn is_cubic(&self) -> bool {
        self.interpolation == Interpolation::CubicSpline
    }

    /// Returns the value of a key (`part` 1), or its tangent (0 in, 2 out).
    fn key(&self, key: usize, part: usize) -> [f32; 4] {
        let at = if self.is_cubic() { 3 * key + part } else { key };
        std::array::from_fn(|i| if i < self.width { self.values[at * self.width + i] } else { 0.0 })
    }

    /// Returns the value at a time. Before the first key and after the last, it is the value of that key.
    fn at(&self, time_s: f64) -> [f32; 4] {
        let after = self.times_s.partition_point(|t| f64::from(*t) <= time_s);
        if after == 0 || after == self.times_s.len() {
            return self.key(after.max(1) - 1, 1);
        }
        let (a, b) = (after - 1, after);
        let span_s = f64::from(self.times_s[b]) - f64::from(self.times_s[a]);
        let t = ((time_s - f64::from(self.times_s[a])) / span_s) as f32;
        let (v, w) = (self.key(a, 1), self.key(b, 1));
        match self.interpolation {
            Interpolation::Step => v,
            Interpolation::Linear if self.width == 4 => {
                Quat::from_array(v).normalize().slerp(Quat::from_array(w).normalize(), t).to_array()
            }
            Interpolation::Linear => std::array::from_fn(|i| v[i] + (w[i] - v[i]) * t),
            Interpolation::CubicSpline => {
                let (leaving, arriving, s) = (self.key(a, 2), self.key(b, 0), span_s as f32);
                let (t2, t3) = (t * t, t * t * t);
                std::array::from_fn(|i| {
                    (2.0 * t3 - 3.0 * t2 + 1.0) * v[i]
                        + s * (t3 - 2.0 * t2 + t) * leaving[i]
                        + (3.0 * t2 - 2.0 * t3) * w[i]
                        + s * (t3 - t2) * arriving[i]
                })
            }
        }
    }
}

impl Sample for Tracks {
    fn local(&self, take: usize, node: usize, time_s: f64) -> Trs {
        let mut local = self.rest[node];
        let Some([translation, rotation, scale]) = self.takes[take].get(&node) else { return local };
        let vector = |v: [f32; 4]| Vec3::new(v[0], v[1], v[2]);
        if let Some(track) = translation {
            local.translation = vector(track.at(time_s));
        }
        if let Some(track) = rotation {
            local.rotation = Quat::from_array(track.at(time_s));
        }
        if let Some(track) = scale {
            local.scale = vector(track.at(time_s));
        }
        local
    }
}
