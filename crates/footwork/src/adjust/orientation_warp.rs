//! Orientation warping: a clip that walks ahead, played at an angle.
//!
//! Pelvis and legs rotate towards the desired direction of travel; the spine rotates back, so that the chest keeps its facing.
//! The root does not move. Source: the node "Orientation Warping" in Unreal Engine 5.

use super::lower_body::LowerBody;
use crate::math::{Facing, Quat, Transform};
use crate::pose::Pose;
use crate::settings;
use glam::Vec3;
use std::f32::consts::PI;

settings! {
    /// The `[matcher.orientation_warp]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct OrientationWarpConfig {
        /// Whether the direction of travel is warped. Writing the table without this key switches the stage on.
        enabled: bool = false;
        /// Largest angle. Beyond it the warp eases out, so that the body does not twist when the character walks backward.
        max_deg: f32 = 90.0, in 0.0 to 180.0, unit "degrees";
        /// Share of the angle that the pelvis turns and the spine turns back. The hip joints turn the rest. Higher values twist
        /// the spine more; lower values cross the legs more.
        hips_share: f32 = 0.5, in 0.0 to 1.0;
        /// Half-life of changes of the angle. Lower values follow the direction sooner; higher values are smoother.
        half_life_s: f32 = 0.15, in 1e-4 to 10.0, unit "s";
        /// Speed at which a direction of travel counts fully. At half of it and below, it does not count.
        full_speed_mps: f32 = 0.5, in 1e-3 to 100.0, unit "m/s";
    }
}

impl OrientationWarpConfig {
    /// Returns the angle to warp by, radians about +Y, for a clip that moves with `clip` and a desired velocity `wanted` (m/s,
    /// same space). Smooth it with `Spring::to`.
    pub fn angle(&self, clip: Vec3, wanted: Vec3) -> f32 {
        let (Some(from), Some(to)) = (Facing::from_direction(clip), Facing::from_direction(wanted)) else { return 0.0 };
        let angle = from.angle_to(to);
        let max = self.max_deg.to_radians();
        let eased = if angle.abs() <= max { angle.abs() } else { max * (PI - angle.abs()) / (PI - max).max(1e-3) };
        let slowest = clip.length().min(wanted.length());
        let counts = (2.0 * slowest / self.full_speed_mps.max(1e-3) - 1.0).clamp(0.0, 1.0);
        eased * angle.signum() * counts
    }

    /// Warps a pose by `angle_rad` about +Y: spine and pelvis at once; `lower` writes the legs.
    pub fn apply(&self, angle_rad: f32, lower: &mut LowerBody, pose: &mut Pose) {
        if angle_rad.abs() < 1e-4 {
            return;
        }
        let of_pelvis = angle_rad * self.hips_share.clamp(0.0, 1.0);
        let pelvis = Transform::new(
            Quat::from_rotation_y(angle_rad) * lower.hips().translation,
            Quat::from_rotation_y(of_pelvis) * lower.hips().rotation,
        );
        lower.move_hips(pelvis, pose);
        lower.rotate_spine(pose, Quat::from_rotation_y(-of_pelvis / lower.body.spine.len().max(1) as f32));
        // Each leg rotates by the rest about its own hip, then reaches for where its toe would be had it rotated with the pelvis.
        let (rest, reach) = (Quat::from_rotation_y(angle_rad - of_pelvis), lower.reach);
        for leg in lower.legs_mut().iter_mut().flatten() {
            leg.turn(rest);
            let arm = pelvis.translation - leg.hip.translation;
            leg.reach(leg.toe.translation + arm - rest * arm, reach);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_angle_is_limited_eases_out_behind_and_needs_speed() {
        let config = OrientationWarpConfig { max_deg: 60.0, ..Default::default() };
        let at = |deg: f32, speed: f32| {
            config.angle(Vec3::Z * speed, Facing::from_yaw(deg.to_radians()).direction()).to_degrees()
        };
        assert!((at(30.0, 1.0) - 30.0).abs() < 1e-3 && (at(-30.0, 1.0) + 30.0).abs() < 1e-3);
        assert!((at(60.0, 1.0) - 60.0).abs() < 1e-3 && (at(120.0, 1.0) - 30.0).abs() < 1e-3);
        assert!(at(179.9, 1.0).abs() < 0.1 && at(-179.9, 1.0).abs() < 0.1);
        assert_eq!(at(30.0, 0.2), 0.0);
        assert_eq!(config.angle(Vec3::ZERO, Vec3::Z), 0.0);
    }
}
