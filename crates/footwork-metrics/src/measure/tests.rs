//! Tests of `measure`.

use super::*;
use crate::motion::Subject;
use crate::motion::tests::moving;
use crate::recording::{Jump, Seam};
use crate::source::{SourceClip, VelocityChanges};
use footwork::frames::ClipIndex;
use footwork::input::Stick;
use footwork::matcher::Playing;
use footwork::math::Transform;
use glam::Vec2;

const TOE: JointIndex = JointIndex(1);

/// A character with a toe whose root does not move.
fn recording(frames: usize, toe: impl Fn(f32) -> Vec3) -> Recording {
    let playing = |frame| Playing { clip: ClipIndex(0), mirrored: false, time_s: frame as f64 / 60.0 };
    Recording {
        motion: moving(frames, |_| Transform::IDENTITY, toe),
        playing: (0..frames).map(playing).collect(),
        simulated: vec![Vec3::ZERO; frames],
        simulated_facings: vec![Facing::default(); frames],
        locked_s: vec![0.0; frames],
        seams: Vec::new(),
    }
}

fn source(motion: &Motion) -> Source {
    let clip = SourceClip {
        motion: motion.clone(),
        looping: false,
        level: true,
        aside: false,
        made: false,
        rest_height_m: 0.0,
        lowest_height_m: 0.0,
    };
    let subject = Subject {
        contact_joints: vec![TOE],
        mirror_joints: vec![JointIndex(0), TOE],
        legs: Vec::new(),
        feet: Vec::new(),
        hips: JointIndex(0),
        hips_forward: Vec3::Z,
    };
    let changes = VelocityChanges { p999_mps: vec![1.0; 2], max_mps: vec![1.0; 2] };
    Source {
        subject,
        clips: vec![clip],
        changes: changes.clone(),
        world_changes: changes,
        posture: posture::Posture::default(),
    }
}

fn course(rows: Vec<Stick>) -> Course {
    Course::on_level("a", rows)
}

fn measured(recording: &Recording, rows: Vec<Stick>) -> Measurement {
    let mut measurement = Measurement::default();
    let (source, speeds) = (source(&recording.motion), StickSpeeds::default());
    measurement.add_recording(&source, recording, &course(rows), 0, &speeds);
    measurement
}

/// Returns the number of samples, and the frame of the largest.
fn seen(measurement: &Measurement, quantity: Quantity) -> (usize, Option<usize>) {
    let samples = measurement.of(quantity);
    (samples.values().len(), samples.worst().map(|(_, moment)| moment.frame))
}

/// Full sticks: never idle.
fn ahead(rows: usize) -> Vec<Stick> {
    vec![Stick { movement: Vec2::Y, ..Stick::default() }; rows]
}

/// A toe that slows down.
fn slowing(t: f32) -> Vec3 {
    Vec3::X * (9.0 * t - t * t)
}

#[test]
fn a_foot_stands_from_the_thirteenth_held_frame_on() {
    let mut recording = recording(60, slowing);
    for (frame, locked_s) in recording.locked_s.iter_mut().enumerate().skip(10).take(30) {
        *locked_s = (frame - 9) as f32 / RATE_HZ;
    }
    // Locked in frames 10 to 39; the 13th of them is 22.
    assert_eq!(seen(&measured(&recording, ahead(60)), Quantity::HeldLock), (18, Some(22)));
}

#[test]
fn a_seam_is_seen_in_its_frame_and_the_eleven_after_it() {
    // Its jerk increases.
    let mut recording = recording(60, |t| Vec3::X * (t * t * t * t));
    recording.seams = vec![Seam { frame: 20, jump: Some(Jump { pose_cm: 1.0, velocity_cm_s: 1.0 }) }];
    let measurement = measured(&recording, ahead(60));
    for quantity in [Quantity::SeamJerkRoot, Quantity::SeamJerkWorld] {
        assert_eq!(seen(&measurement, quantity), (12, Some(31)));
    }
    assert_eq!(seen(&measurement, Quantity::JerkRoot), (57, Some(59)));
    assert_eq!(measurement.of(Quantity::Transitions).values().iter().filter(|v| **v > 0.0).count(), 1);
}

#[test]
fn a_character_is_idle_after_a_second_and_a_half_without_a_command() {
    let rows = [ahead(10), vec![Stick::default(); 120]].concat();
    // Rows 10 to 99 last 1.5 s; the rows after them are idle.
    assert_eq!(seen(&measured(&recording(130, slowing), rows), Quantity::IdleToe), (30, Some(100)));
}

#[test]
fn a_foot_is_let_go_from_its_last_held_frame() {
    let without = recording(20, |_| Vec3::ZERO);
    let mut with = recording(20, |t| Vec3::Y * (t * 0.6));
    // Locked in frames 5 to 9, in 12 to 14, and at another position from 15 to the end.
    for (first, last) in [(5, 9), (12, 14), (15, 19)] {
        for frame in first..=last {
            with.locked_s[frame] = (frame - first + 1) as f32 / RATE_HZ;
        }
    }
    let mut measurement = Measurement::default();
    let place = Place { course: course(ahead(20)).name, run: 0 };
    measurement.add_corrections(&source(&with.motion), &with, &without, place);
    // The toe moves 1 cm per frame.
    let jumps: Vec<f32> = measurement.of(Quantity::UnlockJump).values().iter().map(|v| v.round()).collect();
    assert_eq!(jumps, [9.0, 14.0]);
    assert_eq!(seen(&measurement, Quantity::Correction), (20, Some(19)));
}

#[test]
fn other_decisions_are_found_to_the_bit() {
    let [ours, mut theirs] = [recording(20, slowing), recording(20, slowing)];
    assert_eq!(ours.first_other_decision(&theirs), None);
    theirs.playing[7].time_s += 1e-9;
    assert_eq!(ours.first_other_decision(&theirs), Some(7));
}

#[test]
fn changes_are_held_against_the_frames_that_were_played_of_the_joint_that_was_seen() {
    // The toe jumps in frame 10 of the clip; of the clip, frames 20 to 29 were played.
    let clip = moving(40, |_| Transform::IDENTITY, |t| Vec3::X * if t > 0.16 { 1.0 + t * t } else { 0.0 });
    let source = source(&clip);
    let played: Vec<_> = clip.playing[20..30].to_vec();
    let limits_mps = source.velocity_change_p999_of_mps(&played);
    assert!((limits_mps[1] - 2.0 / RATE_HZ).abs() < 1e-3 && limits_mps[0] == 0.0, "{limits_mps:?}");
    assert!(source.velocity_change_p999_of_mps(&clip.playing)[1] > 10.0);
    let mirrored: Vec<_> = played.iter().map(|p| crate::motion::SourceFrame { mirrored: true, ..*p }).collect();
    let mut crossed = source.clone();
    crossed.subject.mirror_joints.swap(0, 1);
    assert_eq!(crossed.velocity_change_p999_of_mps(&mirrored), [limits_mps[1], limits_mps[0]]);

    let mut recording = recording(30, |t| Vec3::X * (2.0 * t * t));
    recording.motion.playing = [played.clone(), played.clone(), played].concat();
    let [mut shown, mut captured] = [Measurement::default(), Measurement::default()];
    let place = Place { course: course(ahead(30)).name, run: 0 };
    shown.add_over_played(&mut captured, &source, &recording, place, &limits_mps);
    let of = |m: &Measurement| m.of(Quantity::VelocityChangeOverPlayed).values().to_vec();
    assert!(of(&shown).iter().all(|v| (v - 2.0).abs() < 0.02) && of(&shown).len() == 28, "{:?}", of(&shown));
    assert!(of(&captured).iter().all(|v| (v - 1.0).abs() < 0.02) && of(&captured).len() == 30);
}
