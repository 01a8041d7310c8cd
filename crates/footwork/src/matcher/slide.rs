//! The slide that a transition would cause: how far feet that touch the ground in the next clip, or land soon, are from their places.

use crate::database::Database;
use crate::matcher::levers::BLEND_S;
use crate::pose::{Pose, PoseVelocity, velocity_in_root};
use glam::Vec3;

/// A contact joint of the shown body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShownFoot {
    /// Position in root space, metres.
    position: Vec3,
    /// Velocity relative to the world, along the root's axes, m/s.
    velocity: Vec3,
    /// True if it touches the ground.
    touches: bool,
}

/// Writes the contact joints of a shown body to `feet`, and those of its mirror image to `mirrored`; both `[contact joints]`.
/// `touching` is 1 for those that touch the ground.
pub fn write_shown_feet(
    db: &Database,
    (pose, velocity): (&Pose, &PoseVelocity),
    touching: &[u8],
    feet: &mut [ShownFoot],
    mirrored: &mut [ShownFoot],
) {
    for ((foot, joint), touches) in feet.iter_mut().zip(&db.rig.contact_joints).zip(touching) {
        let position = pose.in_root(&db.skeleton, *joint).translation;
        let velocity = velocity_in_root(&db.skeleton, pose, velocity, *joint);
        *foot = ShownFoot { position, velocity, touches: *touches == 1 };
    }
    let Some(mirror) = &db.mirror_table else { return };
    for (foot, pair) in mirrored.iter_mut().zip(db.contact_pairs()) {
        let ShownFoot { position, velocity, touches } = feet[*pair];
        *foot = ShownFoot { position: mirror.vector(position), velocity: mirror.vector(velocity), touches };
    }
}

/// Returns the shift of the next clip that keeps feet in place, in root space: the mean of what separates feet that touch the ground
/// before and after (`sum` of `feet` distances), on the ground, at most `plant_m` long.
pub fn shift_of_planted(sum: Vec3, feet: f32, plant_m: f32) -> Vec3 {
    (Vec3::new(sum.x, 0.0, sum.z) / feet.max(1.0)).clamp_length_max(plant_m)
}

/// A contact joint in the next clip that touches the ground, or lands soon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextFoot {
    /// Position in root space, metres.
    pub position: Vec3,
    /// Share of the distance from the shown foot that is left when this one touches the ground, above 0; 1 if it does now.
    pub left: f32,
}

/// Returns the slide to the next clip, in m2, summed over its feet: the distances that are left when they touch the ground, and for
/// those that touch it now, velocities times `BLEND_S`. `next` is `[contact joints]`; `None` for a foot that stays in the air. A
/// transition moves the next clip by at most `plant_m` to keep feet in place.
pub fn slide(shown: &[ShownFoot], next: impl Iterator<Item = Option<NextFoot>>, plant_m: f32) -> f32 {
    let (mut sum, mut squares, mut shares) = (Vec3::ZERO, 0.0, 0.0);
    let (mut stood_sum, mut stood) = (Vec3::ZERO, 0.0);
    for (foot, next) in shown.iter().zip(next) {
        let Some(NextFoot { position, left }) = next else { continue };
        let apart = (foot.position - position) * left;
        (sum, shares) = (sum + apart * left, shares + left * left);
        squares += apart.length_squared();
        if left < 1.0 {
            continue;
        }
        squares += (foot.velocity * BLEND_S).length_squared();
        if foot.touches {
            (stood_sum, stood) = (stood_sum + apart, stood + 1.0);
        }
    }
    let shift = shift_of_planted(stood_sum, stood, plant_m);
    (squares - 2.0 * shift.dot(sum) + shares * shift.length_squared()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foot(x: f32, touches: bool) -> ShownFoot {
        ShownFoot { position: Vec3::X * x, velocity: Vec3::ZERO, touches }
    }

    fn slide_m2(shown: &[ShownFoot], places: &[Option<f32>], plant_m: f32) -> f32 {
        slide(shown, places.iter().map(|place| place.map(|x| NextFoot { position: Vec3::X * x, left: 1.0 })), plant_m)
    }

    #[track_caller]
    fn near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
    }

    #[test]
    fn the_next_clip_is_moved_to_a_foot_that_stands() {
        near(slide_m2(&[foot(0.2, true)], &[Some(0.28)], 0.15), 0.0);
        near(slide_m2(&[foot(0.2, true)], &[Some(0.28)], 0.05), 0.03 * 0.03);
        // Moved to the standing foot, the other is off by as much.
        near(slide_m2(&[foot(0.2, true), foot(0.0, false)], &[Some(0.28), Some(0.0)], 0.15), 0.08 * 0.08);
        // Two feet with opposite distances both slide.
        near(slide_m2(&[foot(0.1, true), foot(-0.1, true)], &[Some(0.0), Some(0.0)], 0.15), 2.0 * 0.1 * 0.1);
    }

    #[test]
    fn only_feet_on_the_ground_of_the_next_clip_slide() {
        near(slide_m2(&[foot(0.2, true)], &[None], 0.15), 0.0);
        near(slide_m2(&[foot(0.2, false)], &[Some(0.5)], 0.15), 0.3 * 0.3);
        let swings = ShownFoot { velocity: Vec3::Z * 2.0, ..foot(0.2, false) };
        near(slide_m2(&[swings], &[Some(0.2)], 0.15), (2.0 * BLEND_S) * (2.0 * BLEND_S));
    }

    /// Half of the distance is left when the foot lands; the shift that keeps the other foot in place counts by half, too.
    #[test]
    fn a_foot_that_lands_slides_by_what_is_left() {
        let lands = |x: f32| Some(NextFoot { position: Vec3::X * x, left: 0.5 });
        let swings = ShownFoot { velocity: Vec3::Z * 2.0, ..foot(0.2, false) };
        near(slide(&[swings], [lands(0.5)].into_iter(), 0.15), 0.15 * 0.15);
        let stands = Some(NextFoot { position: Vec3::ZERO, left: 1.0 });
        near(slide(&[foot(0.1, true), foot(0.2, false)], [stands, lands(0.2)].into_iter(), 0.15), 0.05 * 0.05);
    }
}
