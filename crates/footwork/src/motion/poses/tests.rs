//! Tests of `poses`, and clips for other tests.

use super::*;

/// A root that walks and turns, one joint that swings; `frames` at 30 Hz.
pub fn pool(frames: usize) -> (Skeleton, PosePool) {
    let skeleton = Skeleton::new(
        vec!["Root".into(), "Hips".into()],
        vec![None, Some(JointIndex(0))],
        vec![Transform::IDENTITY, Transform::new(Vec3::Y, Quat::IDENTITY)],
    )
    .unwrap();
    let mut poses = PosePool { joints: 2, translated: vec![JointIndex(0)], ..Default::default() };
    for f in 0..frames {
        let t = f as f32 / 30.0;
        poses.translations.push(Vec3::new(0.3 * t * t, 0.0, 1.5 * t));
        poses.rotations.push(Quat::from_rotation_y(0.8 * t));
        let swing = Quat::from_rotation_x(crate::math::sin(t * 4.0));
        poses.rotations.push(if f % 3 == 0 { -swing } else { swing });
    }
    (skeleton, poses)
}

fn view<'a>(s: &'a Skeleton, p: &'a PosePool, loop_delta: Option<Transform>) -> ClipView<'a> {
    ClipView { skeleton: s, poses: p, start: 0, frames: p.frames(), rate_hz: 30.0, loop_delta, mirror: None }
}

fn sampled(v: &ClipView, t: f64) -> (Pose, PoseVelocity) {
    let mut out = (Pose::rest(v.skeleton), PoseVelocity::zero(2));
    v.sample(t, &mut out.0, &mut out.1);
    out
}

#[test]
fn a_frame_is_returned_bit_for_bit_even_when_time_is_a_sum() {
    let (s, p) = pool(40);
    let v = view(&s, &p, None);
    let t: f64 = (0..14).map(|_| f64::from(1.0f32 / 60.0)).sum();
    let (pose, _) = sampled(&v, t);
    assert_eq!(pose.rotations[1], p.rotations[7 * 2 + 1]);
    assert_eq!(pose.translations[0], p.translations[7]);
}

#[test]
fn between_frames_the_short_way_is_taken_whatever_the_signs() {
    let (s, p) = pool(40);
    let v = view(&s, &p, None);
    for k in 0..300 {
        let t = 0.1 + f64::from(k) * 0.003;
        let (pose, velocity) = sampled(&v, t);
        let angle = crate::math::sin(t as f32 * 4.0);
        assert!(pose.rotations[1].angle_between(Quat::from_rotation_x(angle)) < 2e-3, "{t}");
        let rate = 4.0 * crate::math::cos(t as f32 * 4.0);
        assert!((velocity.angular[1].x - rate).abs() < 0.06, "{t}: {} {rate}", velocity.angular[1].x);
    }
}

#[test]
fn velocity_is_the_derivative_and_lies_in_root_axes() {
    let (s, p) = pool(40);
    let v = view(&s, &p, None);
    let (t, h) = (0.61, 1e-3);
    let (a, ..) = v.root(t - h);
    let (b, ..) = v.root(t + h);
    let (now, linear, angular) = v.root(t);
    let world = (b.translation - a.translation) / (2.0 * h as f32);
    assert!((now.rotation * linear - world).length() < 1e-2);
    assert!((angular.y - 0.8).abs() < 1e-2);
}

#[test]
fn velocities_at_the_borders_use_frames_of_the_clip_alone() {
    let (s, mut p) = pool(40);
    // Interpolation across the border would make the distant neighbouring clip visible in the velocities.
    p.translations[20].z += 500.0;
    let v = ClipView { frames: 20, ..view(&s, &p, None) };
    let (_, linear, _) = v.root(19.0 / 30.0);
    assert!(linear.length() < 3.0);
    let v = ClipView { start: 21, frames: 19, ..v };
    assert!(v.root(0.0).1.length() < 3.0);
}

#[test]
fn beyond_the_end_the_root_goes_on_round_its_curve() {
    let (s, p) = pool(40);
    let v = view(&s, &p, None);
    let end = v.seconds();
    let (last, linear, angular) = v.root(end);
    let (later, ..) = v.root(end + 0.5);
    let t = last.inverse() * later;
    assert!((t.rotation.to_rotation_vector().y - angular.y * 0.5).abs() < 1e-4);
    let chord = t.translation.length();
    let arc_length = linear.length() * 0.5;
    assert!(chord < arc_length && chord > 0.98 * arc_length, "{chord} {arc_length}");
    let (pose, velocity) = sampled(&v, end + 0.5);
    assert_eq!(pose.rotations[1], p.rotations[39 * 2 + 1]);
    assert_eq!(velocity.angular[1], Vec3::ZERO);
}

#[test]
fn a_loop_wraps_any_number_of_times_in_both_directions() {
    let (s, p) = pool(30);
    let delta = Transform::new(Vec3::new(0.0, 0.0, 2.0), Quat::from_rotation_y(0.5));
    let v = view(&s, &p, Some(delta));
    let (a, ..) = v.root(0.2);
    let (b, ..) = v.root(0.2 + v.seconds() * 3.0);
    let first = p.root(0);
    let round = first * delta * first.inverse();
    let expected = round * (round * (round * a));
    assert!((b.translation - expected.translation).length() < 1e-4);
    let (c, ..) = v.root(0.2 - v.seconds());
    assert!(((round * c).translation - a.translation).length() < 1e-4);
    assert_eq!(sampled(&v, 0.2).0.rotations[1], sampled(&v, 0.2 + v.seconds() * 2.0).0.rotations[1]);
}

#[test]
fn one_frame_is_enough() {
    let (s, p) = pool(1);
    let v = view(&s, &p, None);
    assert_eq!(sampled(&v, 0.0).1, PoseVelocity::zero(2));
    assert!(sampled(&v, 9.0).0.translations[0].is_finite());
}
