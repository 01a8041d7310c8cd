//! The slide that a transition would cause: how far feet that touch the ground in the next clip are from their places there.

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

/// Returns the slide to the next clip, in m2, summed over the feet that touch the ground there: distances to their places, and
/// velocities times `BLEND_S`. `places` are `[contact joints]` positions in the next clip, in root space, in metres; `None` for a foot
/// in the air. A transition moves the next clip by at most `plant_m` to keep feet in place.
pub fn slide(shown: &[ShownFoot], places: impl Iterator<Item = Option<Vec3>>, plant_m: f32) -> f32 {
    let (mut sum, mut squares, mut feet) = (Vec3::ZERO, 0.0, 0.0);
    let (mut stood_sum, mut stood) = (Vec3::ZERO, 0.0);
    for (foot, place) in shown.iter().zip(places) {
        let Some(place) = place else { continue };
        let apart = foot.position - place;
        (sum, feet) = (sum + apart, feet + 1.0);
        squares += apart.length_squared() + (foot.velocity * BLEND_S).length_squared();
        if foot.touches {
            (stood_sum, stood) = (stood_sum + apart, stood + 1.0);
        }
    }
    let shift = shift_of_planted(stood_sum, stood, plant_m);
    (squares - 2.0 * shift.dot(sum) + feet * shift.length_squared()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foot(x: f32, touches: bool) -> ShownFoot {
        ShownFoot { position: Vec3::X * x, velocity: Vec3::ZERO, touches }
    }

    fn slide_m2(shown: &[ShownFoot], places: &[Option<f32>], plant_m: f32) -> f32 {
        slide(shown, places.iter().map(|place| place.map(|x| Vec3::X * x)), plant_m)
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
}
