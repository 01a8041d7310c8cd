//! Cuts long takes into clips.

use crate::take::Origin;
use footwork::advanced::error::nearest;
use footwork::clip::{Annotations, RawClip, TimeRange};
use footwork::settings;

settings! {
    /// An entry of `[[source.ranges]]`: a piece of a take, as a clip of its own.
    #[derive(Clone, Debug, PartialEq)]
    pub entry RangeSpec {
        /// Clip that the range is cut from.
        clip: String;
        /// Name of the new clip.
        name: String;
        /// Time of the first frame, rounded to the nearest. Default: the start of the take.
        start_s: Option<f32> = None, unit "s";
        /// Time of the last frame, rounded to the nearest. Default: the end of the take.
        end_s: Option<f32> = None, unit "s";
        /// Whether the last frame leads back to the first.
        looping: bool = false, key "loop";
    }
}

/// Replaces the takes that ranges are cut from by these ranges. Returns the origin of each clip; takes have their index in the
/// original `clips`.
///
/// # Errors
/// Returns a message about the first invalid range, with its name.
pub fn cut(clips: &mut Vec<RawClip>, ranges: &[RangeSpec]) -> Result<Vec<Origin>, String> {
    let pieces: Result<Vec<(RawClip, Origin)>, String> = ranges.iter().map(|r| piece(clips, r)).collect();
    let pieces = pieces?;
    let stays = |clip: &RawClip| !ranges.iter().any(|r| r.clip == clip.name);
    let whole = (0..clips.len()).filter(|take| stays(&clips[*take])).map(|take| Origin { take, start_s: 0.0 });
    let mut origins: Vec<Origin> = whole.collect();
    clips.retain(stays);
    for (clip, origin) in pieces {
        clips.push(clip);
        origins.push(origin);
    }
    Ok(origins)
}

fn piece(clips: &[RawClip], range: &RangeSpec) -> Result<(RawClip, Origin), String> {
    let Some(take) = clips.iter().position(|c| c.name == range.clip) else {
        let hint = nearest(&range.clip, clips.iter().map(|c| c.name.as_str()));
        let hint = hint.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
        return Err(format!("range `{}`: no clip is named `{}`{hint}", range.name, range.clip));
    };
    let clip = &clips[take];
    let (start, end) = (range.start_s.unwrap_or(0.0), range.end_s.unwrap_or_else(|| clip.seconds()));
    // Allows for a rounded end time.
    let most = clip.seconds() + 1.0 / clip.rate_hz;
    if !(0.0 <= start && start < end && end <= most) {
        return Err(format!(
            "range `{}` from {start} s to {end} s: expected a later end, within `{}`, which lasts {:.3} s",
            range.name,
            clip.name,
            clip.seconds()
        ));
    }
    let frame = |s: f32| ((s * clip.rate_hz).round() as usize).min(clip.frames() - 1);
    let (first, last) = (frame(start), frame(end));
    let joints = clip.skeleton.len();
    let rows = first * joints..(last + 1) * joints;
    let cut = RawClip {
        name: range.name.clone(),
        source: clip.source.clone(),
        skeleton: clip.skeleton.clone(),
        rate_hz: clip.rate_hz,
        looping: range.looping,
        translations: clip.translations[rows.clone()].to_vec(),
        rotations: clip.rotations[rows].to_vec(),
        annotations: annotations(clip, first, last),
    };
    Ok((cut, Origin { take, start_s: first as f32 / clip.rate_hz }))
}

/// Returns the annotations of some frames, with times relative to the first of them.
fn annotations(clip: &RawClip, first: usize, last: usize) -> Annotations {
    let mut a = clip.annotations.clone();
    let (start_s, end_s) = (first as f32 / clip.rate_hz, (last + 1) as f32 / clip.rate_hz);
    let within = |r: &mut TimeRange| {
        *r = TimeRange { start_s: r.start_s.max(start_s) - start_s, end_s: r.end_s.min(end_s) - start_s };
        r.start_s < r.end_s
    };
    a.contacts.iter_mut().for_each(|c| c.on = c.on[first..=last].to_vec());
    a.tags.retain_mut(|t| within(&mut t.range));
    a.costs.retain_mut(|c| within(&mut c.range));
    a.discard.retain_mut(within);
    a.do_not_enter.retain_mut(within);
    a.events.retain(|e| (start_s..end_s).contains(&e.time_s));
    a.events.iter_mut().for_each(|e| e.time_s -= start_s);
    a.curves.iter_mut().flat_map(|c| &mut c.times_s).for_each(|t| *t -= start_s);
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use footwork::clip::{ClipEvent, ContactTrack, TagRange};

    fn take() -> RawClip {
        let mut clip = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() })
            .into_iter()
            .find(|c| c.name == "walk_125")
            .unwrap();
        clip.name = "take".into();
        clip.annotations = Annotations::default();
        clip
    }

    fn range(name: &str, start_s: f32, end_s: f32) -> RangeSpec {
        RangeSpec { clip: "take".into(), name: name.into(), start_s: Some(start_s), end_s: Some(end_s), looping: true }
    }

    #[test]
    fn a_take_is_replaced_by_its_ranges() {
        let whole = take();
        let joints = whole.skeleton.len();
        let mut clips = vec![whole.clone()];
        let origins = cut(&mut clips, &[range("a", 0.5, 1.0), range("b", 1.0, 1.5)]).unwrap();
        assert_eq!(origins, [Origin { take: 0, start_s: 0.5 }, Origin { take: 0, start_s: 1.0 }]);
        assert_eq!(clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let first = (0.5 * whole.rate_hz) as usize;
        assert_eq!(clips[0].rotations[..joints], whole.rotations[first * joints..][..joints]);
        assert_eq!(clips[0].seconds(), 0.5);
        assert!(clips[0].looping);
        clips.iter().for_each(|c| c.validate().unwrap());
    }

    #[test]
    fn what_is_known_comes_along_in_its_own_time() {
        let mut whole = take();
        let tag = TagRange { name: "t".into(), range: TimeRange { start_s: 0.0, end_s: 0.75 } };
        whole.annotations.tags = vec![tag.clone(), TagRange { range: TimeRange { start_s: 1.5, end_s: 1.6 }, ..tag }];
        whole.annotations.events = vec![ClipEvent { name: "e".into(), time_s: 0.6 }];
        whole.annotations.contacts =
            vec![ContactTrack { joint: whole.skeleton.names()[0].clone(), on: vec![true; whole.frames()] }];
        let mut clips = vec![whole];
        cut(&mut clips, &[range("a", 0.5, 1.0)]).unwrap();
        let a = &clips[0].annotations;
        assert_eq!((a.tags.len(), a.tags[0].range), (1, TimeRange { start_s: 0.0, end_s: 0.25 }));
        assert!((a.events[0].time_s - 0.1).abs() < 1e-6);
        clips[0].validate().unwrap();
    }

    #[test]
    fn ranges_that_cannot_be_are_refused_by_name() {
        let refusal = |r: RangeSpec| cut(&mut vec![take()], &[r]).unwrap_err();
        assert!(refusal(range("a", 1.0, 1.0)).contains("range `a` from 1 s to 1 s: expected a later end"));
        assert!(refusal(range("a", 0.0, 1e30)).contains("which lasts"));
        assert!(refusal(range("a", f32::NAN, 1.0)).contains("expected a later end"));
        assert!(refusal(RangeSpec { clip: "taek".into(), ..range("a", 0.0, 1.0) }).contains("the nearest is `take`"));
    }
}
