//! Tags, events and curves: from the configuration to clips, and from clips to the database.

use super::BuildError;
use super::config::{self, BuildConfig, ClipRule, ContactSpec, CostSpec, CurveSpec, EventSpec, TagSpec};
use super::pool::PooledClip;
use crate::clip::{ClipError, ClipEvent, CostRange, Curve, RawClip, TagRange, TimeRange};
use crate::database::{Database, DatabaseEvent, TagSpan};
use crate::frames::{ClipIndex, EventId, FrameIndex};
use crate::parallel;
use std::borrow::Cow;

/// Adds the facts of the configuration's rules to each clip. Clips are copied only if they are borrowed.
pub fn annotate(clips: Cow<[RawClip]>, config: &BuildConfig) -> Result<Vec<RawClip>, BuildError> {
    for rule in &config.clips {
        if !clips.iter().any(|c| config::matches_pattern(&rule.name, &c.name)) {
            let nearest = crate::error::nearest(&rule.name, clips.iter().map(|c| c.name.as_str()));
            let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            let what = format!("no clip is named `{}`{hint}", rule.name);
            return Err(BuildError::Config { key: "clips.name".into(), what });
        }
    }
    let annotate = |mut clip: RawClip| {
        let name = clip.name.clone();
        for rule in config.clips.iter().filter(|r| config::matches_pattern(&r.name, &name)) {
            rule.apply(&mut clip)?;
        }
        clip.validate_annotations()?;
        check_contacts(&clip)?;
        Ok(clip)
    };
    parallel::map_owned(clips.into_owned(), annotate).into_iter().collect()
}

impl ClipRule {
    /// Returns the rule with all facts about a clip but its contacts: the inverse of [`ClipRule::apply`].
    pub fn of(clip: &RawClip) -> Self {
        let a = &clip.annotations;
        let range = |r: &TimeRange| [r.start_s, r.end_s];
        let ends = |r: &TimeRange| (Some(r.start_s), Some(r.end_s));
        let tag = |t: &TagRange| {
            let (start_s, end_s) = ends(&t.range);
            TagSpec { name: t.name.clone(), start_s, end_s }
        };
        let cost = |c: &CostRange| {
            let (start_s, end_s) = ends(&c.range);
            CostSpec { cost: c.cost, start_s, end_s }
        };
        let curve = |c: &Curve| CurveSpec {
            name: c.name.clone(),
            keys: c.times_s.iter().zip(c.values.chunks(c.width.max(1))).map(|(t, v)| [&[*t], v].concat()).collect(),
        };
        Self {
            // A mark as a loop is dropped if the clip no longer loops.
            looping: if clip.looping { Some(true) } else { a.loops.filter(|looping| !looping) },
            tags: a.tags.iter().map(tag).collect(),
            discard: a.discard.iter().map(range).collect(),
            do_not_enter: a.do_not_enter.iter().map(range).collect(),
            costs: a.costs.iter().map(cost).collect(),
            events: a.events.iter().map(|e| EventSpec { name: e.name.clone(), time_s: e.time_s }).collect(),
            curves: a.curves.iter().map(curve).collect(),
            ..Self::default()
        }
    }

    /// Adds the rule's facts to a clip.
    ///
    /// # Errors
    /// Returns an error for a curve whose keys have different numbers of values.
    pub fn apply(&self, clip: &mut RawClip) -> Result<(), ClipError> {
        let end = clip.seconds() + 1.0 / clip.rate_hz;
        if let Some(looping) = self.looping {
            clip.looping = looping;
            clip.annotations.loops = Some(looping);
        }
        let range = |[start_s, end_s]: [f32; 2]| TimeRange { start_s, end_s };
        let part = |start_s: Option<f32>, end_s: Option<f32>| range([start_s.unwrap_or(0.0), end_s.unwrap_or(end)]);
        let a = &mut clip.annotations;
        a.tags.extend(self.tags.iter().map(|t| TagRange { name: t.name.clone(), range: part(t.start_s, t.end_s) }));
        a.costs.extend(self.costs.iter().map(|c| CostRange { cost: c.cost, range: part(c.start_s, c.end_s) }));
        a.discard.extend(self.discard.iter().copied().map(range));
        a.do_not_enter.extend(self.do_not_enter.iter().copied().map(range));
        a.events.extend(self.events.iter().map(|e| ClipEvent { name: e.name.clone(), time_s: e.time_s }));
        for c in &self.curves {
            let width = c.keys.first().map_or(0, |k| k.len().saturating_sub(1));
            if width == 0 || c.keys.iter().any(|k| k.len() != width + 1) {
                let what =
                    format!("curve `{}`: each key must be [time, value, ..] with as many values as the first", c.name);
                return Err(ClipError::Annotation { clip: clip.name.clone(), what });
            }
            a.curves.push(Curve {
                name: c.name.clone(),
                width,
                times_s: c.keys.iter().map(|k| k[0]).collect(),
                values: c.keys.iter().flat_map(|k| k[1..].iter().copied()).collect(),
            });
        }
        self.contacts.iter().try_for_each(|contact| add_contact(contact, clip))
    }
}

/// Time within which the curve of a contact rises and falls, in seconds.
const EDGE_S: f32 = 1e-3;

/// Adds a contact of an action to the curve of its joint, which is 1 during contacts.
fn add_contact(contact: &ContactSpec, clip: &mut RawClip) -> Result<(), ClipError> {
    let ContactSpec { joint, start_s, end_s } = contact;
    if !(start_s.is_finite() && end_s.is_finite() && start_s < end_s) {
        let what = format!("contact of `{joint}`: expected an end after the start, found {start_s} s to {end_s} s");
        return Err(ClipError::Annotation { clip: clip.name.clone(), what });
    }
    let (name, curves) = (Database::contact_curve(joint), &mut clip.annotations.curves);
    let at = curves.iter().position(|c| c.name == name).unwrap_or_else(|| {
        curves.push(Curve { name, width: 1, times_s: Vec::new(), values: Vec::new() });
        curves.len() - 1
    });
    let curve = &mut curves[at];
    let mut keys: Vec<(f32, f32)> = curve.times_s.iter().copied().zip(curve.values.iter().copied()).collect();
    keys.extend([(start_s - EDGE_S, 0.0), (*start_s, 1.0), (*end_s, 1.0), (end_s + EDGE_S, 0.0)]);
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    (curve.times_s, curve.values) = keys.into_iter().unzip();
    Ok(())
}

/// Checks that the contacts of an action name joints of the clip.
fn check_contacts(clip: &RawClip) -> Result<(), ClipError> {
    for joint in clip.annotations.curves.iter().filter_map(|c| Database::joint_of_contact_curve(&c.name)) {
        if clip.skeleton.find(joint).is_none() {
            let nearest = crate::error::nearest(joint, clip.skeleton.names().iter().map(String::as_str));
            let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            let what = format!("contacts name a joint `{joint}` that the skeleton lacks{hint}");
            return Err(ClipError::Annotation { clip: clip.name.clone(), what });
        }
    }
    Ok(())
}

/// Returns the float curves of all clips: names, and values `[frames x curves]`.
pub fn curves(clips: &[PooledClip], rate_hz: f32) -> (Vec<String>, Vec<f32>) {
    let mut names: Vec<String> = Vec::new();
    for c in clips.iter().flat_map(|c| &c.annotations.curves).filter(|c| c.width == 1) {
        if !names.contains(&c.name) {
            names.push(c.name.clone());
        }
    }
    names.sort();
    let mut values = Vec::new();
    for clip in clips {
        for f in 0..clip.frames() {
            for name in &names {
                let mut v = [0.0];
                if let Some(c) = clip.annotations.curves.iter().find(|c| c.name == *name && c.width == 1) {
                    c.sample(f as f32 / rate_hz, &mut v);
                }
                values.push(v[0]);
            }
        }
    }
    (names, values)
}

/// Returns the tags of all clips: names and ranges.
pub fn tags(clips: &[PooledClip]) -> Result<(Vec<String>, Vec<TagSpan>), BuildError> {
    let mut names: Vec<String> = clips.iter().flat_map(|c| &c.annotations.tags).map(|t| t.name.clone()).collect();
    names.sort();
    names.dedup();
    if names.len() > Database::MAX_TAGS {
        let what = format!("{} different tags; at most {} are supported", names.len(), Database::MAX_TAGS);
        return Err(BuildError::Config { key: "tags".into(), what });
    }
    let mut spans = Vec::new();
    for clip in clips {
        let frame = |s: f32| ((s * clip.rate_hz - 1e-3).ceil().max(0.0) as usize).min(clip.frames());
        for tag in &clip.annotations.tags {
            let (start, end) = (frame(tag.range.start_s), frame(tag.range.end_s));
            if start < end {
                let index = names.binary_search(&tag.name).unwrap_or_default() as u32;
                let at = |f: usize| FrameIndex::new(clip.range.start + f);
                spans.push(TagSpan { tag: index, start: at(start), end: at(end) });
            }
        }
    }
    Ok((names, spans))
}

/// Returns the events of all clips: names and times.
pub fn events(clips: &[PooledClip]) -> (Vec<String>, Vec<DatabaseEvent>) {
    let mut names: Vec<String> = clips.iter().flat_map(|c| &c.annotations.events).map(|e| e.name.clone()).collect();
    names.sort();
    names.dedup();
    let mut events = Vec::new();
    for (i, clip) in clips.iter().enumerate() {
        let end_s = clip.frames() as f32 / clip.rate_hz;
        let inside = clip.annotations.events.iter().filter(|e| (0.0..end_s).contains(&e.time_s));
        let mut of_clip: Vec<DatabaseEvent> = inside
            .map(|e| DatabaseEvent {
                name: EventId::new(names.binary_search(&e.name).unwrap_or_default()),
                clip: ClipIndex::new(i),
                time_s: e.time_s,
            })
            .collect();
        of_clip.sort_by(|a, b| a.time_s.total_cmp(&b.time_s).then(a.name.cmp(&b.name)));
        events.extend(of_clip);
    }
    (names, events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::track::tests::raw;

    #[test]
    fn a_rule_of_a_clip_gives_its_facts_to_another() {
        let mut clip = raw(60, 30.0);
        let part = TimeRange { start_s: 0.5, end_s: 1.0 };
        clip.looping = true;
        clip.annotations.loops = Some(true);
        clip.annotations.tags.push(TagRange { name: "t".into(), range: part });
        clip.annotations.costs.push(CostRange { cost: 0.5, range: part });
        clip.annotations.discard.push(part);
        clip.annotations.do_not_enter.push(part);
        clip.annotations.events.push(ClipEvent { name: "e".into(), time_s: 0.75 });
        let (times_s, values) = (vec![0.0, 1.0], vec![1.0, 2.0, 3.0, 4.0]);
        clip.annotations.curves.push(Curve { name: "c".into(), width: 2, times_s, values });
        let mut bare = raw(60, 30.0);
        ClipRule::of(&clip).apply(&mut bare).unwrap();
        assert_eq!(bare, clip);
        assert_eq!(ClipRule::of(&raw(60, 30.0)), ClipRule::default());
        clip.looping = false;
        assert_eq!(ClipRule::of(&clip).looping, None, "its mark was taken away");
    }
}
