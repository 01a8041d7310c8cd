//! Full sticks.

use footwork::input::{Gait, Stick};
use footwork::math::Facing;

pub fn towards(yaw_rad: f32, gait: Gait) -> Stick {
    Stick::towards(Facing::from_yaw(yaw_rad).direction(), gait)
}

pub fn gait(walk: bool) -> Gait {
    if walk { Gait::Walk } else { Gait::Run }
}
