//! Projection of the world to the plane of a picture: parallel, without perspective, so that lengths are comparable.

use footwork::advanced::math::sin_cos;
use footwork::math::Facing;
use glam::Vec3;

/// Position of the camera relative to the direction of movement, or to the facing of an idle character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// From the right: the character moves to the right of the picture.
    Side,
    /// From the front: the character moves towards the camera.
    Front,
    /// From above: the character moves to the right, its left side is up.
    Top,
    /// From the front right, slightly above.
    ThreeQuarter,
}

impl View {
    /// Returns the name of the view.
    pub fn name(self) -> &'static str {
        match self {
            Self::Side => "side",
            Self::Front => "front",
            Self::Top => "top",
            Self::ThreeQuarter => "three-quarter",
        }
    }

    /// Returns true if the ground is seen edge-on.
    pub fn level(self) -> bool {
        matches!(self, Self::Side | Self::Front)
    }

    /// Returns the camera for a direction of movement.
    pub fn camera(self, ahead: Facing) -> Camera {
        let ahead = ahead.direction();
        let left = Vec3::Y.cross(ahead);
        match self {
            Self::Side => Camera { right: ahead, up: Vec3::Y, toward: -left },
            Self::Front => Camera { right: left, up: Vec3::Y, toward: ahead },
            Self::Top => Camera { right: ahead, up: left, toward: Vec3::Y },
            Self::ThreeQuarter => {
                let (s, c) = sin_cos(40f32.to_radians());
                let level = ahead * s - left * c;
                let right = ahead * c + left * s;
                let (s, c) = sin_cos(18f32.to_radians());
                Camera { right, up: Vec3::Y * c - level * s, toward: level * c + Vec3::Y * s }
            }
        }
    }
}

/// Axes of a picture: unit vectors in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Direction to the right of the picture.
    pub right: Vec3,
    /// Direction up the picture.
    pub up: Vec3,
    /// Direction from the picture to the eye.
    pub toward: Vec3,
}

impl Camera {
    /// Returns the camera that looks in a direction on the ground, and down by an angle.
    pub fn looking(ahead: Facing, down_rad: f32) -> Self {
        let ahead = ahead.direction();
        let (s, c) = sin_cos(down_rad);
        Self { right: ahead.cross(Vec3::Y), up: Vec3::Y * c + ahead * s, toward: Vec3::Y * s - ahead * c }
    }

    /// Returns the position in the picture, in metres: right, up.
    pub fn plane(&self, p: Vec3) -> [f32; 2] {
        [self.right.dot(p), self.up.dot(p)]
    }

    /// Returns the distance towards the camera, in metres.
    pub fn depth(&self, p: Vec3) -> f32 {
        self.toward.dot(p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cameras_are_right_handed_and_keep_lengths() {
        for view in [View::Side, View::Front, View::Top, View::ThreeQuarter] {
            let c = view.camera(Facing::from_yaw(0.7));
            assert!((c.right.cross(c.up) - c.toward).length() < 1e-5, "{view:?}");
            assert!((c.right.length() - 1.0).abs() < 1e-5 && (c.up.length() - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn a_camera_that_looks_ahead_is_right_handed() {
        let c = Camera::looking(Facing::from_yaw(2.0), 0.4);
        assert!((c.right.cross(c.up) - c.toward).length() < 1e-5);
        assert!(Camera::looking(Facing::FORWARD, 0.0).toward.z < -0.99);
    }

    #[test]
    fn a_character_travels_to_the_right_and_its_left_side_is_far() {
        let c = View::Side.camera(Facing::FORWARD);
        assert!(c.plane(Vec3::Z)[0] > 0.9 && c.depth(Vec3::X) < -0.9);
        assert!(View::Top.camera(Facing::FORWARD).plane(Vec3::X)[1] > 0.9);
        assert!(View::ThreeQuarter.camera(Facing::FORWARD).plane(Vec3::Z)[0] > 0.5);
    }
}
