//! Sidecars: files beside motion files with annotations of their clips.

use crate::config_error::ConfigFileError;
use crate::take::Take;
use footwork::advanced::build::matches_pattern;
use footwork::build::ClipRule;
use footwork::clip::{Annotations, ClipError, RawClip};
use footwork::math::Transform;
use footwork::skeleton::Skeleton;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Reads the text of a take's sidecar.
///
/// # Errors
/// Returns a [`ConfigFileError`] if the text is not TOML, or has an unknown key, a time outside the take, an empty range or a
/// curve without values.
pub fn parse_sidecar(text: &str, take: &Take) -> Result<ClipRule, ConfigFileError> {
    let rule = parse_within(text, take)?;
    let mut bare = bare(take).map_err(|error| ConfigFileError::Sidecar { path: take.sidecar.clone(), error })?;
    apply(&rule, &mut bare, &take.sidecar)?;
    Ok(rule)
}

/// As [`parse_sidecar`], without the checks of [`apply`].
pub(crate) fn parse_within(text: &str, take: &Take) -> Result<ClipRule, ConfigFileError> {
    let rule: ClipRule = parse_toml(text, &take.sidecar)?;
    match outside(&rule, take) {
        Some(message) => Err(ConfigFileError::Parse { path: take.sidecar.clone(), message }),
        None => Ok(rule),
    }
}

/// Adds the annotations of a sidecar to a clip.
pub(crate) fn apply(rule: &ClipRule, clip: &mut RawClip, path: &Path) -> Result<(), ConfigFileError> {
    rule.apply(clip)
        .and_then(|()| clip.validate())
        .map_err(|error| ConfigFileError::Sidecar { path: path.to_owned(), error })
}

pub(crate) fn parse_toml<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T, ConfigFileError> {
    toml::from_str(text)
        .map_err(|e| ConfigFileError::Parse { path: path.to_owned(), message: e.to_string().trim_end().to_owned() })
}

/// Returns a clip with the frames of a take, one joint and no annotations.
fn bare(take: &Take) -> Result<RawClip, ClipError> {
    let skeleton = Skeleton::new(vec!["Root".to_owned()], vec![None], vec![Transform::IDENTITY]);
    let skeleton = skeleton.map_err(|e| ClipError::Annotation { clip: take.name.clone(), what: e.to_string() })?;
    Ok(RawClip {
        name: take.name.clone(),
        source: String::new(),
        skeleton,
        rate_hz: take.rate_hz,
        looping: false,
        translations: vec![glam::Vec3::ZERO; take.frames],
        rotations: vec![footwork::math::Quat::IDENTITY; take.frames],
        annotations: Annotations::default(),
    })
}

/// Checks that the times of rules are within their clips. `file` is the file that contains the rules.
///
/// # Errors
/// Returns [`ConfigFileError::Parse`] for the first tag, event, cost or range outside its clip.
pub fn check_rules(rules: &[ClipRule], clips: &[RawClip], file: &Path) -> Result<(), ConfigFileError> {
    for rule in rules {
        let about = |c: &&RawClip| matches_pattern(&rule.name, &c.name);
        if let Some(what) = clips.iter().filter(about).find_map(|c| outside(rule, &Take::of(c))) {
            let message = format!("`build.clips`: {what}");
            return Err(ConfigFileError::Parse { path: file.to_owned(), message });
        }
    }
    Ok(())
}

/// Returns a message about the first time of a rule that is outside the clip.
fn outside(rule: &ClipRule, clip: &Take) -> Option<String> {
    // The last frame has a duration like any other; half a frame more allows for rounded times.
    let end = clip.seconds() + 1.5 / clip.rate_hz;
    let within = |s: f32| (-0.5 / clip.rate_hz..=end).contains(&s);
    let told = |what: String, times: String| {
        let (name, last) = (&clip.name, clip.seconds());
        Some(format!(
            "clip `{name}`, {what}: expected times from 0 s to {last:.3} s, the length of the clip, found {times}"
        ))
    };
    if let Some(e) = rule.events.iter().find(|e| !within(e.time_s)) {
        return told(format!("event `{}`", e.name), format!("{} s", e.time_s));
    }
    let span = |start_s: Option<f32>, end_s: Option<f32>| (start_s.unwrap_or(0.0), end_s.unwrap_or(end));
    let tags = rule.tags.iter().map(|t| (format!("tag `{}`", t.name), span(t.start_s, t.end_s)));
    let costs = rule.costs.iter().map(|c| (format!("cost {}", c.cost), span(c.start_s, c.end_s)));
    if let Some((what, (a, b))) = tags.chain(costs).find(|(_, (a, b))| !within(*a) || !within(*b)) {
        return told(what, format!("{a} s to {b} s"));
    }
    // For these ranges, a late end means "to the end", so only the start is checked.
    let ranges = rule.discard.iter().map(|r| ("discard", r));
    let ranges = ranges.chain(rule.do_not_enter.iter().map(|r| ("do_not_enter", r)));
    let (what, [a, b]) = ranges.into_iter().find(|(_, [a, _])| !within(*a))?;
    told(format!("`{what}`"), format!("{a} s to {b} s"))
}
