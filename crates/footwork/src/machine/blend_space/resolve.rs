//! Resolution of the clip names and patterns of a specification into placed samples.

use super::super::body::bank_deg;
use super::mesh::MeshError;
use super::spec::{BlendSpaceSpec, FromClips, Measure, Sync};
use crate::database::Database;
use crate::error::nearest;
use crate::frames::ClipIndex;
use crate::math::atan2;
use glam::Vec3;

/// Maximum number of samples. Finding the triangles takes time in the fourth power of their number.
const MOST_SAMPLES: usize = 128;

/// A clip with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub clip: ClipIndex,
    pub mirrored: bool,
    /// Parameters. The second is 0 if the space has one parameter.
    pub at: [f32; 2],
}

/// Samples, and the range of each parameter.
pub(super) struct Resolved {
    pub samples: Vec<Placed>,
    pub ranges: [[f32; 2]; 2],
}

/// Checks a specification against a database. The error is a message.
pub(super) fn resolve(db: &Database, spec: &BlendSpaceSpec) -> Result<Resolved, String> {
    let n = spec.parameters.len();
    if !(1..=2).contains(&n) {
        return Err(format!("`parameters` names {n} variables: it takes one or two"));
    }
    if !(spec.smoothing_half_life_s >= 0.0 && spec.smoothing_half_life_s.is_finite()) {
        return Err(format!("`smoothing_half_life_s` is {}: it takes seconds, 0 or more", spec.smoothing_half_life_s));
    }
    let samples = match &spec.from_clips {
        Some(_) if !spec.samples.is_empty() => {
            return Err("`samples` and `from_clips` are both given: keep one of them".into());
        }
        Some(from) => measured(db, from, n)?,
        None => listed(db, spec, n)?,
    };
    if samples.len() > MOST_SAMPLES {
        return Err(format!("{} samples, at most {MOST_SAMPLES}: name fewer clips", samples.len()));
    }
    check_loops(db, spec.sync, &samples)?;
    let ranges = ranges(spec, &samples, n)?;
    Ok(Resolved { samples, ranges })
}

/// Returns the message for an error of the mesh.
pub(super) fn mesh_error(db: &Database, spec: &BlendSpaceSpec, samples: &[Placed], error: MeshError) -> String {
    let label = |i: usize| {
        let p = samples[i];
        let mirror = if p.mirrored { " (mirrored)" } else { "" };
        format!("`{}`{mirror} at {:?}", db.clips[p.clip.at()].name, &p.at[..spec.parameters.len()])
    };
    match error {
        MeshError::TooFew => {
            let n = spec.parameters.len();
            format!("{} samples: {n} parameters take {} or more", samples.len(), n + 1)
        }
        MeshError::Same(a, b) => {
            format!("{} and {} are at one place: move one of them or leave it out", label(a), label(b))
        }
        MeshError::OnALine => {
            "all samples lie on one line of the plane: use one parameter, or add a sample beside the line".into()
        }
    }
}

fn listed(db: &Database, spec: &BlendSpaceSpec, n: usize) -> Result<Vec<Placed>, String> {
    let place = |s: &super::spec::BlendSample| {
        if s.at.len() != n || s.at.iter().any(|v| !v.is_finite()) {
            return Err(format!(
                "sample `{}`: `at` is {:?}, it takes a number for each of {n} parameters",
                s.clip, s.at
            ));
        }
        if s.mirrored && db.mirror_table.is_none() {
            return Err(format!(
                "sample `{}` is mirrored, but the database has no mirror images: build it with `mirror`",
                s.clip
            ));
        }
        let at = [s.at[0], s.at.get(1).copied().unwrap_or(0.0)];
        Ok(Placed { clip: clip(db, &s.clip)?, mirrored: s.mirrored, at })
    };
    spec.samples.iter().map(place).collect()
}

fn clip(db: &Database, name: &str) -> Result<ClipIndex, String> {
    let originals = || db.clips[..db.originals()].iter().map(|c| c.name.as_str());
    originals().position(|n| n == name).map(ClipIndex::new).ok_or_else(|| {
        let hint = nearest(name, originals()).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
        format!("no clip is named `{name}`{hint}")
    })
}

fn measured(db: &Database, from: &FromClips, n: usize) -> Result<Vec<Placed>, String> {
    if from.measure.len() != n {
        return Err(format!("`measure` has {} entries for {n} parameters: one for each", from.measure.len()));
    }
    if from.both_sides && db.mirror_table.is_none() {
        return Err("`both_sides` needs mirror images, and the database has none: build it with `mirror`".into());
    }
    let mut clips: Vec<ClipIndex> = Vec::new();
    for pattern in &from.clips {
        if !pattern.contains('*') {
            clips.push(clip(db, pattern)?);
            continue;
        }
        let before = clips.len();
        let names = db.clips[..db.originals()].iter().map(|c| c.name.as_str()).enumerate();
        clips.extend(names.filter(|(_, name)| matches(pattern, name)).map(|(i, _)| ClipIndex::new(i)));
        if clips.len() == before {
            return Err(format!("no clip matches `{pattern}`"));
        }
    }
    // Removes duplicates: two patterns can match the same clip.
    let mut seen = vec![false; db.clips.len()];
    clips.retain(|c| !std::mem::replace(&mut seen[c.at()], true));
    let sides: &[bool] = if from.both_sides { &[false, true] } else { &[false] };
    let place =
        |mirrored: bool, clip: ClipIndex| Placed { clip, mirrored, at: place(db, clip, mirrored, &from.measure) };
    let mut all: Vec<Placed> = sides.iter().flat_map(|side| clips.iter().map(|c| place(*side, *c))).collect();
    // Removes mirror images with the same parameters as their original, within 1 % of the extent.
    let originals = all[..clips.len()].to_vec();
    let extent = |i: usize| all.iter().fold(0.0f32, |most, p| most.max(p.at[i].abs()));
    let near = [0, 1].map(|i| 0.01 * extent(i));
    all.retain(|p| {
        let own = originals.iter().find(|o| o.clip == p.clip);
        !p.mirrored || own.is_none_or(|o| (0..2).any(|i| (o.at[i] - p.at[i]).abs() > near[i]))
    });
    Ok(all)
}

/// Returns true if the name matches the pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Returns the mean of each measure over a clip.
fn place(db: &Database, clip: ClipIndex, mirrored: bool, measures: &[Measure]) -> [f32; 2] {
    let view = db.view(clip, mirrored);
    let frames = view.frames - usize::from(view.loop_delta.is_none());
    let (mut linear, mut turn_radps, mut speed_mps) = (Vec3::ZERO, 0.0, 0.0);
    let share = 1.0 / frames.max(1) as f32;
    for f in 0..frames.max(1) {
        let (_, v, w) = view.root(f as f64 / f64::from(view.rate_hz));
        linear += v * share;
        turn_radps += w.y * share;
        speed_mps += (v.x * v.x + v.z * v.z).sqrt() * share;
    }
    let of = |measure: &Measure| match measure {
        Measure::SpeedMps => speed_mps,
        Measure::ForwardMps => linear.z,
        Measure::SideMps => linear.x,
        Measure::TurnDegps => turn_radps.to_degrees(),
        Measure::BankDeg => bank_deg(speed_mps, turn_radps),
        Measure::SlopeDeg => atan2(linear.y, speed_mps).to_degrees(),
    };
    [of(&measures[0]), measures.get(1).map_or(0.0, of)]
}

fn check_loops(db: &Database, sync: Sync, samples: &[Placed]) -> Result<(), String> {
    let looping = |p: &Placed| db.clips[p.clip.at()].looping();
    let name = |p: &Placed| &db.clips[p.clip.at()].name;
    let Some(open) = samples.iter().find(|p| !looping(p)) else { return Ok(()) };
    match sync {
        Sync::Phase => Err(format!(
            "clip `{}` is no loop, and `sync = \"phase\"` takes loops: use another clip, or `sync = \"time\"` for clips that end",
            name(open)
        )),
        Sync::Time => match samples.iter().find(|p| looping(p)) {
            Some(round) => Err(format!(
                "clip `{}` is a loop, `{}` ends: `sync = \"time\"` takes either loops or clips that end",
                name(round),
                name(open)
            )),
            None => Ok(()),
        },
        Sync::None => Ok(()),
    }
}

fn ranges(spec: &BlendSpaceSpec, samples: &[Placed], n: usize) -> Result<[[f32; 2]; 2], String> {
    if let Some(given) = spec.ranges.as_ref().filter(|given| given.len() != n) {
        return Err(format!("`ranges` has {} entries for {n} parameters: one for each", given.len()));
    }
    let mut ranges = [[0.0, 1.0]; 2];
    for i in 0..n {
        let least = samples.iter().fold(f32::INFINITY, |m, p| m.min(p.at[i]));
        let most = samples.iter().fold(f32::NEG_INFINITY, |m, p| m.max(p.at[i]));
        ranges[i] = spec.ranges.as_ref().map_or([least, most], |given| given[i]);
        let [least, most] = ranges[i];
        if spec.ranges.is_some() && !(least < most && (most - least).is_finite()) {
            return Err(format!(
                "the range of `{}` is {:?}: it takes a lower and a higher number",
                spec.parameters[i], ranges[i]
            ));
        }
        // If all samples have the same value, the mesh returns the error.
        if least >= most {
            ranges[i] = [least.min(0.0), least.min(0.0) + 1.0];
        }
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_stand_for_any_text() {
        for (pattern, name, is) in [
            ("walk_*", "walk_80", true),
            ("walk_*", "crouch_walk_80", false),
            ("walk_*_loop", "walk_80_loop", true),
            ("walk_*_loop", "walk_80_loop_2", false),
            ("*80*", "walk_80_loop", true),
            ("*", "anything", true),
            ("a*a", "a", false),
            ("a**b*c", "axxbyc", true),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} {name}");
        }
    }
}
