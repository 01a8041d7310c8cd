//! Resamples a clip at another rate.

use footwork::advanced::math::lerp;
use footwork::clip::{ClipError, RawClip};
use glam::Vec3;

/// Tolerance for a frame beyond the last, as a share of a frame, to allow for rounding.
const SAME_FRAME: f64 = 1e-3;

/// Returns the clip with another number of frames per second. Translations are interpolated linearly, rotations along the
/// shortest arc. The first frame stays; the last one is the last within the clip's duration.
///
/// # Errors
/// Returns [`ClipError::Rate`] if the rate is not 1 to 1000 frames per second.
pub fn resample(clip: &RawClip, rate_hz: f32) -> Result<RawClip, ClipError> {
    if !(1.0..=1000.0).contains(&rate_hz) {
        return Err(ClipError::Rate { clip: clip.name.clone(), rate_hz });
    }
    if rate_hz == clip.rate_hz {
        return Ok(clip.clone());
    }
    let (joints, last) = (clip.skeleton.len(), clip.frames() - 1);
    let step = f64::from(clip.rate_hz) / f64::from(rate_hz);
    let frames = (last as f64 / step + SAME_FRAME).floor() as usize + 1;
    let at = |f: usize| {
        let place = (f as f64 * step).min(last as f64);
        let a = (place as usize).min(last);
        (a, (a + 1).min(last), (place - a as f64) as f32)
    };
    let mut out = RawClip { rate_hz, translations: Vec::new(), rotations: Vec::new(), ..clip.clone() };
    for f in 0..frames {
        let (a, b, t) = at(f);
        for j in 0..joints {
            let (i, k) = (a * joints + j, b * joints + j);
            let (p, q) = (clip.translations[i], clip.translations[k]);
            out.translations.push(Vec3::new(lerp(p.x, q.x, t), lerp(p.y, q.y, t), lerp(p.z, q.z, t)));
            out.rotations.push(clip.rotations[i].slerp(clip.rotations[k], t).normalize());
        }
    }
    for track in &mut out.annotations.contacts {
        track.on = (0..frames).map(at).map(|(a, b, t)| track.on[if t < 0.5 { a } else { b }]).collect();
    }
    out.validate()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk() -> RawClip {
        let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
        clips.into_iter().find(|c| c.name == "walk_125").unwrap()
    }

    #[test]
    fn twice_the_frames_go_through_the_old_ones() {
        let clip = walk();
        let joints = clip.skeleton.len();
        let fine = resample(&clip, 2.0 * clip.rate_hz).unwrap();
        assert_eq!(fine.frames(), 2 * clip.frames() - 1);
        assert!((fine.seconds() - clip.seconds()).abs() < 1e-5);
        let back = resample(&fine, clip.rate_hz).unwrap();
        assert_eq!(back.frames(), clip.frames());
        for (a, b) in clip.translations.iter().zip(&back.translations) {
            assert!(a.distance(*b) < 1e-6);
        }
        let between = fine.translations[joints].distance(clip.translations[0].midpoint(clip.translations[joints]));
        assert!(between < 1e-6);
    }

    #[test]
    fn rates_that_are_none_are_refused() {
        for bad in [0.0, -30.0, f32::NAN, 1e9] {
            assert!(resample(&walk(), bad).is_err());
        }
    }
}
