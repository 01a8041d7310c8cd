//! Full sticks.

use footwork::input::{Gait, Stick};
use footwork::math::Facing;

/// Returns a full stick in a direction of the world.
pub fn towards(yaw_rad: f32, gait: Gait) -> Stick {
    Stick::towards(Facing::from_yaw(yaw_rad).direction(), gait)
}

/// Returns the gait of a stick that walks or runs.
pub fn gait(walk: bool) -> Gait {
    if walk { Gait::Walk } else { Gait::Run }
}
