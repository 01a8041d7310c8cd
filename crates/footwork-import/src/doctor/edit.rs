//! Changes to a whole clip: cutting, rate, rest pose.

use super::examined_clip::ExaminedClip;
use footwork::clip::RawClip;
use footwork::math::Transform;
use footwork::skeleton::Skeleton;
use std::ops::Range;

/// Keeps a range of frames, with their annotations.
pub fn cut(p: &mut ExaminedClip, frames: Range<usize>) {
    let joints = p.joints();
    let rate_hz = p.clip.rate_hz;
    p.cut_frames += frames.start;
    let clip = p.edit();
    let values = frames.start * joints..frames.end * joints;
    clip.translations = clip.translations[values.clone()].to_vec();
    clip.rotations = clip.rotations[values].to_vec();
    let discard = std::mem::take(&mut clip.annotations.discard);
    clip.annotations.cut(frames.clone(), rate_hz);
    let shift = frames.start as f32 / rate_hz;
    let moved = discard.into_iter().map(|mut r| {
        (r.start_s, r.end_s) = ((r.start_s - shift).max(0.0), r.end_s - shift);
        r
    });
    clip.annotations.discard = moved.filter(|r| r.start_s < r.end_s).collect();
}

/// Sets the rate of the same frames, and scales the times of annotations.
pub fn set_rate(p: &mut ExaminedClip, rate_hz: f32) {
    let clip = p.edit();
    let k = clip.rate_hz / rate_hz;
    clip.rate_hz = rate_hz;
    let a = &mut clip.annotations;
    let named = a.tags.iter_mut().map(|t| &mut t.range).chain(a.costs.iter_mut().map(|c| &mut c.range));
    for r in named.chain(&mut a.do_not_enter).chain(&mut a.discard) {
        (r.start_s, r.end_s) = (r.start_s * k, r.end_s * k);
    }
    a.events.iter_mut().for_each(|e| e.time_s *= k);
    a.curves.iter_mut().flat_map(|c| &mut c.times_s).for_each(|t| *t *= k);
}

/// Changes the rest pose, joint by joint.
pub fn set_rest(clip: &mut RawClip, change: impl Fn(usize, Transform) -> Transform) {
    let s = &clip.skeleton;
    let rest = s.rest().iter().enumerate().map(|(j, t)| change(j, *t)).collect();
    // Names and hierarchy are unchanged, so only values that are not finite can be rejected; then nothing changes.
    if let Ok(new) = Skeleton::new(s.names().to_vec(), s.parents().to_vec(), rest) {
        clip.skeleton = new;
    }
}
