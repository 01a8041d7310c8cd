//! Every frame is a pose that a body can take, and motion is continuous from frame to frame.

use crate::common;

use common::{Walked, all};
use footwork::advanced::math::atan2;
use footwork::math::Quat;
use footwork_gait::{joint, skeleton};
use glam::Vec3;

#[test]
fn rotations_are_unit_and_bones_keep_their_length() {
    let skeleton = skeleton();
    for w in all() {
        w.gait.clip.validate().unwrap();
        assert_eq!(w.gait.clip.skeleton, skeleton);
        for f in 0..w.frames() {
            for j in 0..joint::COUNT {
                assert!((w.rotation(f, j).length() - 1.0).abs() < 1e-5, "{} frame {f}", w.name());
                if j > joint::HIPS {
                    let t = w.gait.clip.translations[f * joint::COUNT + j];
                    assert_eq!(t, skeleton.rest()[j].translation, "{} frame {f} joint {j}", w.name());
                }
            }
        }
    }
}

#[test]
fn joint_zero_is_the_true_root() {
    for w in all() {
        for f in 0..w.frames() {
            let root = w.gait.truth.root[f];
            assert_eq!(w.gait.clip.translations[f * joint::COUNT], root.translation);
            assert_eq!(w.rotation(f, 0), root.rotation);
            assert!(root.translation.y == 0.0 && root.rotation.x == 0.0 && root.rotation.z == 0.0);
        }
        assert!(w.gait.truth.root[0].translation.length() < 1e-6, "{} starts at the origin", w.name());
    }
}

#[test]
fn knees_bend_backwards_only() {
    let (mut least, mut most) = (f32::MAX, 0.0f32);
    for w in all() {
        for f in 0..w.frames() {
            for knee in [joint::LEFT_LEG, joint::RIGHT_LEG] {
                let q = w.rotation(f, knee).abs();
                assert!(q.y.abs() < 1e-3 && q.z.abs() < 1e-3, "{} frame {f}: a hinge", w.name());
                let flexion = (2.0 * atan2(q.x, q.w)).to_degrees();
                (least, most) = (least.min(flexion), most.max(flexion));
                // The hinge must point forward: in the space of the foot, the knee is ahead of the line from hip to ankle.
                let bend = w.at(f, knee) * 2.0 - w.at(f, knee - 1) - w.at(f, knee + 1);
                let foot = Quat::yaw_twist(w.world[f][knee + 1].rotation) * Vec3::Z;
                assert!(bend.dot(foot) > 0.0, "{} frame {f}: knee points backwards", w.name());
            }
        }
    }
    println!("knee flexion {least:.1} to {most:.1} degrees");
    assert!(least > 1.0 && most < 140.0, "{least} {most}");
}

/// Largest change of a joint's velocity (root axes, relative to the world) from frame to frame, m/s.
fn pop(w: &Walked) -> (f32, usize, usize) {
    let mut worst = (0.0, 0, 0);
    for j in 1..joint::COUNT {
        for f in 2..w.frames() {
            let change = (w.at(f, j) - w.at(f - 1, j) * 2.0 + w.at(f - 2, j)).length() * w.rate();
            if change > worst.0 {
                worst = (change, f, j);
            }
        }
    }
    worst
}

#[test]
fn nothing_pops() {
    let mut worst = (0.0, 0, 0, "");
    for w in all() {
        let (change, f, j) = pop(w);
        if change > worst.0 {
            worst = (change, f, j, w.name());
        }
        // A foot stops when it lands: the change increases with the speed of the body.
        let fastest = w.gait.truth.speed_mps.iter().copied().fold(0.0, f32::max);
        let bound = (2.6 + 0.75 * fastest).max(3.8);
        assert!(change < bound, "{} frame {f} joint {}: {change} m/s", w.name(), skeleton().names()[j]);
    }
    println!("largest change of velocity {worst:?}");
}

#[test]
fn a_loop_continues_in_its_first_frame() {
    let mut loops = 0;
    for w in all().iter().filter(|w| w.gait.clip.looping) {
        loops += 1;
        let last = w.frames() - 1;
        for j in joint::HIPS..joint::COUNT {
            let step = |a: usize, b: usize| w.rotation(a, j).angle_between(w.rotation(b, j));
            let typical = (0..last).map(|f| step(f, f + 1)).fold(0.0, f32::max);
            let seam = step(last, 0);
            assert!(seam <= typical * 1.05 + 1e-3, "{} joint {j}: {seam} against {typical}", w.name());
            // Around the end of the loop, motion changes no more from frame to frame than elsewhere: no hitch, no duplicate
            // frame.
            let changes = (1..last).map(|f| (step(f, f + 1) - step(f - 1, f)).abs()).fold(0.0, f32::max);
            let around = (seam - step(0, 1)).abs().max((seam - step(last - 1, last)).abs());
            assert!(around <= 1.5 * changes + 1e-3, "{} joint {j}: {around} against {changes}", w.name());
        }
        let toes = |f: usize| common::TOES.map(|t| w.in_root(f, t));
        let (a, b) = (toes(last), toes(0));
        let speed = w.gait.truth.speed_mps[0].max(0.02);
        for s in 0..2 {
            // Relative to the root, a planted foot moves back at the root's speed, and a swinging one forward at about twice
            // that. The foot of a crouched body is lifted higher.
            let most = 3.0 * speed + 0.5 * w.gait.truth.crouch[0];
            assert!((a[s] - b[s]).length() * w.rate() < most, "{}", w.name());
        }
    }
    assert!(loops >= 7);
}

#[test]
fn heads_stay_level_and_bodies_upright() {
    for w in all() {
        for f in 0..w.frames() {
            let head = w.world[f][joint::HEAD];
            // Gestures pitch the head, and a crouch bends the body.
            let gesture = w.gait.clip.annotations.tags.iter().any(|t| t.name == "upper_body");
            assert!(gesture || (head.rotation * Vec3::Y).y > 0.99, "{} frame {f}", w.name());
            let trunk = (w.at(f, joint::NECK) - w.at(f, joint::HIPS)).normalize();
            let crouch = w.gait.truth.crouch[f];
            assert!(trunk.y > 0.85 - 0.1 * crouch, "{} frame {f}: trunk {trunk}", w.name());
            assert!(w.at(f, joint::HIPS).y > 0.65 - 0.05 * crouch, "{} frame {f}", w.name());
        }
    }
    assert_eq!(Quat::IDENTITY.length(), 1.0);
}
