//! Turns clips on reading whose up axis is not +Y.
//!
//! A body along another axis is not sufficient evidence, as a sleeping person also lies along one. It is clear if the rest pose
//! stands along the same axis. It is also clear if the body travels across the axis and no other clip of its skeleton stands
//! along +Y. Unclear clips are not turned, but get a note.

use crate::doctor::examined_clip::ExaminedClip;
use crate::doctor::parts::{Parts, by_skeleton};
use crate::doctor::up_axis::{axis_name, leg_length, rest_axis, stands_along, turn_world, wrong_axis};
use crate::note::{Fix, Note};
use footwork::build::BuildConfig;
use footwork::clip::RawClip;
use glam::Vec3;
use rayon::prelude::*;

/// Approximate number of sampled frames, evenly spaced over a clip.
const SAMPLES: usize = 200;
/// Minimum share of a clip in which a body stands along +Y for +Y to be up.
const MOSTLY: f32 = 0.8;
/// Minimum travel across an axis, in leg lengths, that excludes lying along it; the second value applies if the rest pose
/// stands along +Y.
const GOES: f32 = 1.0;
const GOES_AGAINST_REST: f32 = 2.0;

/// Orientation of a clip.
struct Stance {
    /// Axis other than +Y along which the body stands, and the share of the clip.
    along: Option<(Vec3, f32)>,
    stands: bool,
    /// Travel across that axis, in leg lengths.
    goes: f32,
    /// Axis along which the rest pose stands.
    rest: Option<Vec3>,
}

/// Turns clips to +Y up. Returns the turned clips as fixes, and notes about doubtful ones.
pub(crate) fn turn(clips: &mut [RawClip]) -> (Vec<Fix>, Vec<Note>) {
    let (mut fixes, mut notes) = (Vec::new(), Vec::new());
    for kind in by_skeleton(clips) {
        let alike: Vec<&RawClip> = kind.iter().map(|i| &clips[*i]).collect();
        let Ok(body) = Parts::of(&alike, &BuildConfig::default()) else { continue };
        let stances: Vec<Stance> = kind.par_iter().map(|i| stance(&clips[*i], &body)).collect();
        let any_stands = stances.iter().any(|s| s.stands);
        let clear = |s: &Stance| {
            let least = if s.rest == Some(Vec3::Y) { GOES_AGAINST_REST } else { GOES };
            s.along.is_some_and(|(up, _)| s.rest == Some(up) || !any_stands && s.goes > least)
        };
        let common = stances.iter().find(|s| clear(s)).and_then(|s| s.along).map(|(up, _)| up);
        // Assumes that one program wrote all clips, unless one stands along +Y or lies along another axis.
        let agree = !any_stands && stances.iter().all(|s| s.along.is_none_or(|(up, _)| Some(up) == common));
        for (i, s) in kind.into_iter().zip(&stances) {
            let clip = &mut clips[i];
            let own = s.along.filter(|(up, _)| clear(s) || Some(*up) == common && s.rest == common);
            let Some(up) = own.map(|(up, _)| up).or(common.filter(|_| agree)) else {
                if let Some((up, _)) = s.along {
                    let text = format!(
                        "`{}` stands along {}: if it does not lie on the ground, turn it up in its source",
                        clip.name,
                        axis_name(up)
                    );
                    notes.push(Note { about: clip.source.clone(), text });
                }
                continue;
            };
            turn_world(clip, up);
            let name = axis_name(up);
            let why = match s.along {
                Some((_, share)) => format!("the body stands along it in {:.0} % of the clip", 100.0 * share),
                None => "as in the other clips of its skeleton".to_owned(),
            };
            let (found, done) = (format!("up is {name}: {why}"), "turned to +Y".to_owned());
            fixes.push(Fix { clip: clip.name.clone(), what: "up_axis", found, done });
        }
    }
    (fixes, notes)
}

fn stance(clip: &RawClip, body: &Parts) -> Stance {
    let joints = clip.skeleton.len();
    let every = (clip.frames() / SAMPLES).max(1);
    let frames = (0..clip.frames()).step_by(every);
    let rows = |values: usize| values * joints..(values + 1) * joints;
    let thin = RawClip {
        translations: frames.clone().flat_map(|f| clip.translations[rows(f)].iter().copied()).collect(),
        rotations: frames.flat_map(|f| clip.rotations[rows(f)].iter().copied()).collect(),
        annotations: Default::default(),
        ..RawClip { translations: Vec::new(), rotations: Vec::new(), ..shell(clip) }
    };
    let p = ExaminedClip::new(thin);
    let along = wrong_axis(&p, body);
    let across = |v: Vec3, up: Vec3| v - up * v.dot(up);
    let goes = along.map_or(0.0, |(up, _)| {
        let way = |f: usize| across(p.at(f, body.hips) - p.at(f - 1, body.hips), up).length();
        (1..p.frames()).map(way).sum::<f32>() / leg_length(&p, body).max(1e-3)
    });
    let stands = stands_along(&p, body, Vec3::Y).is_some_and(|share| share > MOSTLY);
    Stance { along, stands, goes, rest: rest_axis(&clip.skeleton, body) }
}

/// Returns a clip without its frames.
fn shell(clip: &RawClip) -> RawClip {
    RawClip {
        name: clip.name.clone(),
        source: clip.source.clone(),
        skeleton: clip.skeleton.clone(),
        rate_hz: clip.rate_hz,
        looping: false,
        translations: Vec::new(),
        rotations: Vec::new(),
        annotations: Default::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use footwork::math::{Quat, Transform};
    use footwork_gait::{GaitOptions, clips};

    fn some() -> Vec<RawClip> {
        let wanted = ["idle", "walk_125", "run_250", "curve_175_radius_300_left"];
        let all = clips(&GaitOptions { routes: false, ..Default::default() });
        all.into_iter().filter(|c| wanted.contains(&c.name.as_str())).collect()
    }

    /// Returns the clip as a program with another up axis writes it; `rest`: the rest pose as well.
    fn tilted(clip: &RawClip, turn: Quat, rest: bool) -> RawClip {
        let (mut out, joints) = (clip.clone(), clip.skeleton.len());
        for i in (0..out.rotations.len()).step_by(joints) {
            out.translations[i] = turn * out.translations[i];
            out.rotations[i] = turn * out.rotations[i];
        }
        if rest {
            crate::doctor::edit::set_rest(&mut out, |j, t| match j {
                0 => Transform::new(turn * t.translation, turn * t.rotation),
                _ => t,
            });
        }
        out
    }

    fn off(a: &RawClip, b: &RawClip) -> f32 {
        let places = a.translations.iter().zip(&b.translations).map(|(a, b)| (*a - *b).length());
        let turns = a.rotations.iter().zip(&b.rotations).map(|(a, b)| a.angle_between(*b));
        places.chain(turns).fold(0.0, f32::max)
    }

    #[test]
    fn upright_clips_stay_and_tilted_ones_are_turned_back_all_of_them() {
        let good = some();
        let mut clips = good.clone();
        assert_eq!(turn(&mut clips), (Vec::new(), Vec::new()));
        assert!(clips == good);
        let half = std::f32::consts::FRAC_PI_2;
        for (q, name) in [
            (Quat::from_rotation_x(half), "+Z"),
            (Quat::from_rotation_x(-half), "-Z"),
            (Quat::from_rotation_z(half), "-X"),
            (Quat::from_rotation_z(-half), "+X"),
        ] {
            for rest in [false, true] {
                let mut clips: Vec<RawClip> = good.iter().map(|c| tilted(c, q, rest)).collect();
                let (fixes, notes) = turn(&mut clips);
                assert_eq!((fixes.len(), notes.len()), (good.len(), 0), "{name} {rest}: {fixes:?} {notes:?}");
                assert!(fixes.iter().all(|f| f.what == "up_axis" && f.found.contains(name)), "{fixes:?}");
                assert!(clips.iter().zip(&good).all(|(a, b)| off(a, b) < 1e-3));
            }
        }
    }

    #[test]
    fn who_lies_is_left_lying_and_that_is_said() {
        let lies = |c: &RawClip| RawClip {
            name: "sleep".into(),
            ..tilted(c, Quat::from_rotation_x(std::f32::consts::FRAC_PI_2), false)
        };
        let good = some();
        let idle = good.iter().find(|c| c.name == "idle").unwrap();
        // Test the clip alone, and beside clips that stand.
        for company in [Vec::new(), good.clone()] {
            let mut clips = [vec![lies(idle)], company].concat();
            let before = clips.clone();
            let (fixes, notes) = turn(&mut clips);
            assert_eq!(fixes, []);
            assert!(clips == before);
            assert_eq!(notes.len(), 1);
            assert!(notes[0].text.contains("`sleep` stands along +Z"), "{notes:?}");
        }
    }
}
