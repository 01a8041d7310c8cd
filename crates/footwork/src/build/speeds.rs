//! Speeds and directions of a full stick, from the steady motion of the clips.

use super::track::Track;
use crate::math::{Facing, GRAVITY_MPS2};
use crate::motion::{PaceSpeeds, StickSpeeds};
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Length of the examined stretches and interval between them, in seconds. The halves of a stretch, a step of a walk each,
/// are compared.
const STRETCH_S: f32 = 1.2;
const EVERY_S: f32 = 0.1;
/// Maximum difference between the halves of a steady stretch: a share of the speed, and m/s.
const UNEVEN: f32 = 0.15;
const UNEVEN_MPS: f32 = 0.1;
/// Maximum turn of a steady stretch, in radians.
const STRAIGHT_RAD: f32 = 0.35;
/// Minimum speed of motion, as a share of the fastest walk.
const SLOWEST: f32 = 0.15;
/// Maximum angle between a clip and a quarter (ahead, aside, back) whose speed it gives, and an eighth that it covers, in
/// radians.
const QUARTER_RAD: f32 = FRAC_PI_4;
const GOES_RAD: f32 = 0.4;
/// Share of the slowest and of the fastest stretches that are ignored.
const RARE: f32 = 0.02;
/// Maximum ratio between the stick's and the clips' speeds: the pose adjustments of the root hide a tenth.
const HIDDEN: f32 = 1.1;
/// Minimum number of stretches for a speed or direction.
const FEW: usize = 3;

/// Returns speeds and directions of clips. `leg_m`: length of a leg in metres. `two_legs`: true keeps a person's usual
/// speeds as far as the clips reach them; false uses the median speeds of the clips.
pub fn find(tracks: &[&Track], leg_m: f32, two_legs: bool, mirrored: bool) -> StickSpeeds {
    let fastest_walk_mps = (0.5 * GRAVITY_MPS2 * leg_m).sqrt();
    let mut all: Vec<Vec3> = tracks.iter().flat_map(|t| steady(t)).collect();
    all.retain(|v| v.length() > SLOWEST * fastest_walk_mps);
    if mirrored {
        all.extend_from_within(..);
        let half = all.len() / 2;
        all[half..].iter_mut().for_each(|v| v.x = -v.x);
    }
    let speeds = |run: bool, directions_rad: &[f32]| {
        let within = |v: &Vec3| directions_rad.iter().any(|yaw_rad| off_rad(*v, *yaw_rad) < QUARTER_RAD);
        let mut all: Vec<f32> = all.iter().filter(|v| within(v)).map(|v| v.length()).collect();
        all.sort_by(f32::total_cmp);
        // Humans and dogs begin to run at half of what gravity and a leg's length give (a Froude number of 0.5).
        let first_run = all.partition_point(|v| *v <= fastest_walk_mps);
        let paced = if run { &all[first_run..] } else { &all[..first_run] };
        // Without a run in a direction, the walk's speed is used, and vice versa.
        let paced = if paced.len() < FEW { &all } else { paced };
        if paced.len() < FEW { Vec::new() } else { paced.to_vec() }
    };
    let near = |usual_mps: f32, run: bool, directions_rad: &[f32]| {
        let speeds = speeds(run, directions_rad);
        let at = |share: f32| speeds.get(((speeds.len() as f32 - 1.0).max(0.0) * share).round() as usize).copied();
        let kept = if two_legs { usual_mps } else { at(0.5)? };
        Some(to_cm(kept.clamp(at(RARE)? / HIDDEN, at(1.0 - RARE)? * HIDDEN)))
    };
    let pace = |usual: PaceSpeeds, run: bool| {
        let forward_mps = near(usual.forward_mps, run, &[0.0]).unwrap_or(usual.forward_mps);
        let aside = |usual_mps: f32, directions_rad: &[f32]| {
            near(usual_mps, run, directions_rad).unwrap_or(usual_mps.min(forward_mps))
        };
        PaceSpeeds {
            forward_mps,
            side_mps: aside(usual.side_mps, &[FRAC_PI_2, -FRAC_PI_2]),
            back_mps: aside(usual.back_mps, &[PI]),
        }
    };
    let usual = StickSpeeds::default();
    let eighth = |k: usize| all.iter().filter(|v| off_rad(**v, k as f32 * FRAC_PI_4) < GOES_RAD).count() >= FEW;
    let goes = std::array::from_fn(|k| k == 0 || eighth(k));
    StickSpeeds { walk: pace(usual.walk, false), run: pace(usual.run, true), goes, ..usual }
}

/// Returns true if the clip turns by more than an eighth of a full turn within a second anywhere.
pub fn turns(track: &Track) -> bool {
    let second = track.rate_hz.round().max(1.0) as usize;
    let facing = |f: usize| Facing::from_rotation(track.root_ahead(f).rotation);
    let last = track.starts_before(second + 1);
    // A shorter clip is examined as a whole.
    let (last, ahead) = if last == 0 { (1, track.frames() - 1) } else { (last, second) };
    (0..last).any(|f| facing(f).angle_to(facing(f + ahead)).abs() > FRAC_PI_4)
}

/// Rounds to whole centimetres per second.
fn to_cm(speed_mps: f32) -> f32 {
    (100.0 * speed_mps).round() / 100.0
}

/// Returns the angle between a velocity and a direction, in radians.
fn off_rad(velocity: Vec3, yaw_rad: f32) -> f32 {
    let to = Facing::from_direction(velocity).unwrap_or_default();
    Facing::from_yaw(yaw_rad).angle_to(to).abs()
}

/// Returns the velocities of the steady stretches of a clip in root space, in m/s.
fn steady(track: &Track) -> Vec<Vec3> {
    let frames = |s: f32| (s * track.rate_hz).round().max(1.0) as usize;
    let half = frames(0.5 * STRETCH_S);
    (0..track.starts_before(2 * half))
        .step_by(frames(EVERY_S))
        .filter_map(|f| {
            let at = [0, half, 2 * half].map(|ahead| track.root_ahead(f + ahead));
            let turn_rad = Facing::from_rotation(at[0].rotation).angle_to(Facing::from_rotation(at[2].rotation));
            let seen = |k: usize| (at[k + 1].translation - at[k].translation) * (track.rate_hz / half as f32);
            let (mean, apart) = (0.5 * (seen(0) + seen(1)), (seen(0) - seen(1)).length());
            let even = apart < UNEVEN * mean.length() + UNEVEN_MPS && turn_rad.abs() < STRAIGHT_RAD;
            even.then(|| at[1].inverse_direction(mean))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::Annotations;
    use crate::math::{Quat, Transform};

    const RATE_HZ: f32 = 30.0;

    /// Returns a track whose root has the given velocity in each frame.
    fn track(velocities_mps: &[Vec3], looping: bool) -> Track {
        let mut at = Vec3::ZERO;
        let mut translations = vec![];
        for v in velocities_mps {
            translations.push(at);
            at += *v / RATE_HZ;
        }
        Track {
            name: "going".into(),
            rate_hz: RATE_HZ,
            looping,
            joints: 1,
            rotations: vec![Quat::IDENTITY; translations.len()],
            translations,
            annotations: Annotations::default(),
            round: None,
            loop_delta: looping.then(|| Transform::new(at, Quat::IDENTITY)),
            source_start_s: 0.0,
        }
    }

    fn found(tracks: &[Track], two_legs: bool, mirrored: bool) -> StickSpeeds {
        find(&tracks.iter().collect::<Vec<_>>(), 0.9, two_legs, mirrored)
    }

    #[test]
    fn nobody_is_told_to_walk_faster_or_run_slower_than_the_clips() {
        let [walk, run] = [1.2, 5.5].map(|v| track(&[Vec3::Z * v; 20], true));
        let stick = found(&[walk, run], true, false);
        assert_eq!((stick.walk.forward_mps, stick.run.forward_mps), (1.32, 5.0));
        // No clip moves sideways or backward: those speeds do not exceed the forward speed.
        assert_eq!((stick.walk.side_mps, stick.run.back_mps), (1.32, 2.5));
        assert_eq!(stick.goes, [true, false, false, false, false, false, false, false]);
        // Without running clips, the run has the walk's speed.
        let stick = found(&[track(&[Vec3::Z * 1.2; 20], true)], true, false);
        assert_eq!(stick.run.forward_mps, stick.walk.forward_mps);
    }

    #[test]
    fn usual_speeds_stay_where_clips_reach_them_and_animals_go_as_they_do_most() {
        let slow_to_fast = [0.8, 1.5, 2.4, 4.5].map(|v| track(&[Vec3::Z * v; 40], true));
        let stick = found(&slow_to_fast, true, false);
        assert_eq!((stick.walk.forward_mps, stick.run.forward_mps), (1.65, 4.0));
        let animal = [0.8, 0.9, 1.0, 2.4, 3.0, 6.0].map(|v| track(&[Vec3::Z * v; 40], true));
        let stick = found(&animal, false, false);
        assert_eq!((stick.walk.forward_mps, stick.run.forward_mps), (0.9, 3.0));
    }

    #[test]
    fn starts_and_curves_are_no_steady_speed_and_mirror_images_go_the_other_way() {
        let start: Vec<Vec3> = (0..60).map(|f| Vec3::Z * (0.05 * f as f32)).collect();
        let aside = track(&[Vec3::X * 1.3; 40], true);
        let stick = found(&[track(&start, false), aside.clone()], true, false);
        assert_eq!(stick.walk.forward_mps, StickSpeeds::default().walk.forward_mps, "nothing is known");
        assert_eq!((stick.walk.side_mps, stick.goes[2], stick.goes[6]), (1.43, true, false));
        assert!(found(&[aside], true, true).goes[6]);
    }
}
