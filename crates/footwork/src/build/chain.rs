//! Clips that are continued by others: the clip before gives a start its past, the clip after gives an end its future and
//! its continuation.
//!
//! Frames of the neighbours are added to the clip, turned and moved to match it. They are played, but are not targets of
//! transitions. At each joint, the neighbour's pose starts at the clip's pose and fades into its own.

use super::BuildError;
use super::config::BuildConfig;
use super::track::Track;
use crate::clip::{ContactTrack, TimeRange};
use crate::math::{Quat, Transform};
use glam::Vec3;

/// Additional frames beyond those that features use, in seconds, so that a search can leave the clip before its end.
const SPARE_S: f32 = 0.5;
/// Time over which the difference between poses fades, in seconds.
const FADE_S: f32 = 0.3;

/// Indices of a clip, the clip before and the clip after.
type Links = (usize, Option<usize>, Option<usize>);

/// Adds the frames of neighbours to the clips that name a neighbour.
pub fn chain(tracks: &mut [Track], config: &BuildConfig) -> Result<(), BuildError> {
    let links = links(tracks, config)?;
    let times = config.schema.all_channels().into_iter().flat_map(|c| c.times_s);
    let (back, ahead) = times.fold((0.0f32, 0.0f32), |(a, b), t| (a.min(t), b.max(t)));
    // The original clips are used: neighbours of neighbours are not added.
    let longer: Vec<(usize, Track)> = links
        .into_iter()
        .map(|(clip, before, after)| {
            let mut track = tracks[clip].clone();
            if let Some(after) = after {
                append(&mut track, &tracks[after], ahead + SPARE_S);
            }
            if let Some(before) = before {
                prepend(&mut track, &tracks[before], SPARE_S - back);
            }
            (clip, track)
        })
        .collect();
    for (clip, track) in longer {
        tracks[clip] = track;
    }
    Ok(())
}

fn links(tracks: &[Track], config: &BuildConfig) -> Result<Vec<Links>, BuildError> {
    let find = |name: &Option<String>| -> Result<Option<usize>, BuildError> {
        let Some(name) = name else { return Ok(None) };
        let found = tracks.iter().position(|t| t.name == *name);
        found.map(Some).ok_or_else(|| {
            let nearest = crate::error::nearest(name, tracks.iter().map(|t| t.name.as_str()));
            let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            let what = format!("no clip is named `{name}`{hint} (clips cut by `discard` have other names)");
            BuildError::Config { key: "clips.before, clips.after".into(), what }
        })
    };
    let mut all = Vec::new();
    for (i, track) in tracks.iter().enumerate() {
        let (mut before, mut after) = (None, None);
        for rule in config.clips.iter().filter(|r| super::config::matches_pattern(&r.name, &track.name)) {
            before = find(&rule.before)?.or(before);
            after = find(&rule.after)?.or(after);
        }
        if before.or(after).is_none() {
            continue;
        }
        if track.loop_delta.is_some() {
            let what = format!("clip `{}` goes round: nothing comes before or after a loop", track.name);
            return Err(BuildError::Config { key: "clips.before, clips.after".into(), what });
        }
        all.push((i, before, after));
    }
    Ok(all)
}

/// Returns the local transforms of a frame. In a loop, the frame may lie in another cycle, which moves the root. `None`
/// beyond an end.
fn frame_at(track: &Track, frame: i64) -> Option<Vec<Transform>> {
    let n = track.frames() as i64;
    let inside = if track.loop_delta.is_some() { frame.rem_euclid(n) } else { frame };
    if !(0..n).contains(&inside) {
        return None;
    }
    let mut locals: Vec<Transform> = (0..track.joints).map(|j| track.local(inside as usize, j)).collect();
    if let Some(round) = track.round_in_world() {
        let (rounds, step) = (frame.div_euclid(n), if frame < 0 { round.inverse() } else { round });
        for _ in 0..rounds.abs() {
            locals[0] = step * locals[0];
        }
    }
    Some(locals)
}

fn seconds_to_frames(track: &Track, seconds: f32) -> i64 {
    (seconds * track.rate_hz).ceil() as i64
}

fn append(track: &mut Track, after: &Track, seconds: f32) {
    let n = track.frames() as i64;
    let frames: Vec<_> = (0..seconds_to_frames(track, seconds)).map_while(|k| frame_at(after, k)).collect();
    let Some(first) = frames.first() else { return };
    // The neighbour's first frame follows one step after the clip's last.
    let (last, previous) = (frame_at(track, n - 1), frame_at(track, n - 2));
    let (Some(last), Some(previous)) = (last, previous) else { return };
    let step = previous[0].inverse() * last[0];
    let moved = last[0] * step * first[0].inverse();
    let fade = Fade::new(&last, first, track.rate_hz);
    for (k, mut locals) in frames.into_iter().enumerate() {
        locals[0] = moved * locals[0];
        fade.apply(&mut locals, k + 1);
        push(&mut track.translations, &mut track.rotations, &locals);
    }
    closed(track, n as f32, track.frames() as f32);
    let known = known_contacts(track, after, 0..track.frames() as i64 - n);
    for (c, mut on) in track.annotations.contacts.iter_mut().zip(known) {
        c.on.append(&mut on);
    }
}

fn prepend(track: &mut Track, before: &Track, seconds: f32) {
    let end = before.frames() as i64;
    let wanted = seconds_to_frames(track, seconds);
    let frames: Vec<_> = (1..=wanted).map_while(|k| frame_at(before, end - k)).collect();
    let (Some(last), Some(first), Some(second)) = (frames.first(), frame_at(track, 0), frame_at(track, 1)) else {
        return;
    };
    let step = first[0].inverse() * second[0];
    let moved = first[0] * step.inverse() * last[0].inverse();
    let fade = Fade::new(&first, last, track.rate_hz);
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for (k, locals) in frames.iter().enumerate().rev() {
        let mut locals = locals.clone();
        locals[0] = moved * locals[0];
        fade.apply(&mut locals, k + 1);
        push(&mut translations, &mut rotations, &locals);
    }
    let added = frames.len();
    translations.append(&mut track.translations);
    rotations.append(&mut track.rotations);
    (track.translations, track.rotations) = (translations, rotations);
    let by_s = added as f32 / track.rate_hz;
    track.annotations.shift(by_s);
    track.source_start_s -= by_s;
    closed(track, 0.0, added as f32);
    let known = known_contacts(track, before, end - added as i64..end);
    for (c, mut on) in track.annotations.contacts.iter_mut().zip(known) {
        on.append(&mut c.on);
        c.on = on;
    }
}

/// Blocks transitions to a range of frames.
fn closed(track: &mut Track, from: f32, to: f32) {
    // The range starts half a frame early, because rows lie on frames.
    let at = |f: f32| (f - 0.5) / track.rate_hz;
    track.annotations.do_not_enter.push(TimeRange { start_s: at(from), end_s: at(to) });
}

/// Returns the continuation of known contacts by the neighbour's, for `frames` of the neighbour. Joints without known
/// contacts there are not in contact.
fn known_contacts(track: &Track, neighbor: &Track, frames: impl Iterator<Item = i64> + Clone) -> Vec<Vec<bool>> {
    let n = neighbor.frames() as i64;
    let of = |c: &ContactTrack| {
        let known = neighbor.annotations.contacts.iter().find(|k| k.joint == c.joint);
        let at = |f: i64| known.is_some_and(|k| k.on[f.rem_euclid(n) as usize]);
        frames.clone().map(at).collect()
    };
    track.annotations.contacts.iter().map(of).collect()
}

fn push(translations: &mut Vec<Vec3>, rotations: &mut Vec<Quat>, locals: &[Transform]) {
    let joints = locals.len();
    for t in locals {
        translations.push(t.translation);
        let before = rotations.len().checked_sub(joints).map(|i| rotations[i]);
        rotations.push(before.map_or(t.rotation, |q| t.rotation.towards(q)));
    }
}

/// Difference between two clips at their connection, fading over time.
struct Fade {
    turns: Vec<Vec3>,
    ways: Vec<Vec3>,
    frames: f32,
}

impl Fade {
    fn new(wanted: &[Transform], own: &[Transform], rate_hz: f32) -> Self {
        let pairs = || wanted.iter().zip(own);
        let turn = |(w, o): (&Transform, &Transform)| {
            (w.rotation.towards(o.rotation) * o.rotation.inverse()).to_rotation_vector()
        };
        Self {
            turns: pairs().map(turn).collect(),
            ways: pairs().map(|(w, o)| w.translation - o.translation).collect(),
            frames: FADE_S * rate_hz,
        }
    }

    /// Applies the fading difference. `distance`: frames from the connection. The root stays unchanged: it was moved to
    /// fit.
    fn apply(&self, locals: &mut [Transform], distance: usize) {
        let x = (distance as f32 / self.frames).min(1.0);
        let left = 1.0 - x * x * (3.0 - 2.0 * x);
        for (j, t) in locals.iter_mut().enumerate().skip(1) {
            t.rotation = (Quat::from_rotation_vector(self.turns[j] * left) * t.rotation).normalize();
            t.translation += self.ways[j] * left;
        }
    }
}
