//! Camera of the viewport: the mouse turns and zooms it, and it follows the character.

use footwork::advanced::math::wrap_angle;
use footwork::math::Facing;
use footwork_draw::view::Camera;
use glam::Vec3;

/// Rotation per point of a drag, in radians.
const TURN: f32 = 0.006;
const NEAREST_M: f32 = 0.8;
const FARTHEST_M: f32 = 40.0;
/// Maximum and minimum angle of the view below the horizon.
const STEEPEST_RAD: f32 = 1.5;
const FLATTEST_RAD: f32 = 0.02;
/// Half-life of following, in seconds.
const FOLLOW_S: f32 = 0.08;
/// Extent of the view at a distance of 1 m, in metres: about 45 degrees.
const FIELD: f32 = 0.85;
/// Distance of the near plane, in metres.
pub(crate) const NEAR_M: f32 = 0.05;

/// Camera that turns around a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Heading of the view, in radians; 0 is +Z.
    pub yaw_rad: f32,
    /// Angle of the view below the horizon, in radians.
    pub down_rad: f32,
    /// Distance from `target`, in metres.
    pub distance_m: f32,
    /// Point that the camera turns around, in world space.
    pub target: Vec3,
}

impl Default for Orbit {
    fn default() -> Self {
        Self { yaw_rad: -0.5, down_rad: 0.28, distance_m: 4.2, target: Vec3::Y * 0.9 }
    }
}

impl Orbit {
    /// Turns the camera by a drag, in points.
    pub fn drag(&mut self, by: egui::Vec2) {
        self.yaw_rad = wrap_angle(self.yaw_rad - by.x * TURN);
        self.down_rad = (self.down_rad + by.y * TURN).clamp(FLATTEST_RAD, STEEPEST_RAD);
    }

    /// Moves the camera nearer (factor above 1) or farther.
    pub fn zoom(&mut self, factor: f32) {
        self.distance_m = (self.distance_m / factor.max(1e-3)).clamp(NEAREST_M, FARTHEST_M);
    }

    /// Follows a point for `dt_s` seconds. A point more than 3 m away is reached at once.
    pub fn follow(&mut self, point: Vec3, dt_s: f32) {
        let way = point - self.target;
        let left = if way.length() > 3.0 { 0.0 } else { footwork::advanced::math::powf(0.5, dt_s / FOLLOW_S) };
        self.target = point - way * left;
    }

    /// Returns the projection to a picture of this size.
    pub fn lens(&self, view: egui::Rect) -> Lens {
        let camera = Camera::looking(Facing::from_yaw(self.yaw_rad), self.down_rad);
        let eye = self.target + camera.toward * self.distance_m;
        let focal_px = view.height().max(0.6 * view.width()) / FIELD;
        Lens { camera, eye, focal_px, centre: view.size() * 0.5 }
    }
}

/// Projection of a camera to a picture.
#[derive(Clone, Copy, Debug)]
pub struct Lens {
    /// Axes of the camera.
    pub camera: Camera,
    eye: Vec3,
    focal_px: f32,
    centre: egui::Vec2,
}

impl Lens {
    /// Returns the distance of a point in front of the eye, in metres.
    pub fn ahead_m(&self, p: Vec3) -> f32 {
        -self.camera.toward.dot(p - self.eye)
    }

    /// Returns the pixels per metre at a point.
    pub fn px_per_m(&self, p: Vec3) -> f32 {
        self.focal_px / self.ahead_m(p).max(NEAR_M)
    }

    /// Projects a point to pixels from the picture's upper left corner. A point behind the eye lands far outside the picture.
    pub fn point(&self, p: Vec3) -> [f32; 2] {
        let rel = p - self.eye;
        let scale = self.focal_px / self.ahead_m(p).max(NEAR_M);
        [self.centre.x + self.camera.right.dot(rel) * scale, self.centre.y - self.camera.up.dot(rel) * scale]
    }

    /// Projects the part of a line that is in front of the eye.
    pub fn line(&self, a: Vec3, b: Vec3) -> Option<[[f32; 2]; 2]> {
        let (da, db) = (self.ahead_m(a) - 2.0 * NEAR_M, self.ahead_m(b) - 2.0 * NEAR_M);
        if da < 0.0 && db < 0.0 {
            return None;
        }
        let cut =
            |from: Vec3, to: Vec3, d: f32, e: f32| if d < 0.0 { from + (to - from) * (d / (d - e)) } else { from };
        Some([self.point(cut(a, b, da, db)), self.point(cut(b, a, db, da))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> egui::Rect {
        egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 600.0))
    }

    #[test]
    fn the_target_is_in_the_middle_and_far_things_are_small() {
        let orbit = Orbit::default();
        let lens = orbit.lens(view());
        let [x, y] = lens.point(orbit.target);
        assert!((x - 400.0).abs() < 1e-2 && (y - 300.0).abs() < 1e-2);
        let behind = orbit.target - lens.camera.toward * 10.0;
        assert!(lens.px_per_m(behind) < 0.4 * lens.px_per_m(orbit.target));
        assert!(lens.point(orbit.target + lens.camera.right)[0] > 450.0);
        assert!(lens.point(orbit.target + Vec3::Y)[1] < 250.0);
    }

    #[test]
    fn lines_behind_the_eye_are_cut() {
        let lens = Orbit::default().lens(view());
        let eye = lens.eye;
        let back = eye + lens.camera.toward;
        assert_eq!(lens.line(back, back + Vec3::X), None);
        let [_, end] = lens.line(eye - lens.camera.toward * 3.0, back).unwrap();
        assert!(end[0].is_finite() && end[1].is_finite());
    }

    #[test]
    fn it_follows_and_jumps_after_teleports() {
        let mut orbit = Orbit::default();
        orbit.follow(orbit.target + Vec3::X, FOLLOW_S);
        assert!((orbit.target.x - 0.5).abs() < 1e-4);
        orbit.follow(Vec3::X * 100.0, FOLLOW_S);
        assert_eq!(orbit.target, Vec3::X * 100.0);
    }
}
