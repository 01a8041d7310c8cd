//! Named quantities of the simulated character: terms of conditions, parameters of blend spaces, weights of layers.

use crate::matcher::state::Commanded;
use crate::math::{Facing, GRAVITY_MPS2, atan2};
use crate::trajectory::{Desired, Simulation};
use glam::Vec3;

/// A term of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BodyTerm {
    SpeedMps,
    ForwardMps,
    SideMps,
    TurnDegps,
    BankDeg,
    DesiredSpeedMps,
    DesiredForwardMps,
    DesiredSideMps,
    TurnDeg,
    DesiredTurnDeg,
}

impl BodyTerm {
    /// All terms with their names. The axes are those of [`super::blend_space::Measure`].
    pub const ALL: [(&str, Self); 10] = [
        ("speed_mps", Self::SpeedMps),
        ("forward_mps", Self::ForwardMps),
        ("side_mps", Self::SideMps),
        ("turn_degps", Self::TurnDegps),
        ("bank_deg", Self::BankDeg),
        ("desired_speed_mps", Self::DesiredSpeedMps),
        ("desired_forward_mps", Self::DesiredForwardMps),
        ("desired_side_mps", Self::DesiredSideMps),
        ("turn_deg", Self::TurnDeg),
        ("desired_turn_deg", Self::DesiredTurnDeg),
    ];

    /// Returns its value. All are 0 at rest. The desired velocity is limited to the maximum speed of the state.
    pub fn value(self, body: Commanded) -> f32 {
        self.of(body.simulation, body.desired)
    }

    /// Returns its value for a simulated character and its desired motion.
    pub fn of(self, simulation: &Simulation, desired: &Desired) -> f32 {
        let (velocity, facing) = (simulation.velocity, simulation.facing);
        let ahead = |v: Vec3, f: Facing| v.x * f.x + v.z * f.z;
        let aside = |v: Vec3, f: Facing| v.x * f.z - v.z * f.x;
        let turn_deg = || facing.angle_to(desired.facing).to_degrees();
        match self {
            Self::SpeedMps => velocity.length(),
            Self::ForwardMps => ahead(velocity, facing),
            Self::SideMps => aside(velocity, facing),
            Self::TurnDegps => simulation.yaw_rate_radps.to_degrees(),
            Self::BankDeg => bank_deg(velocity.length(), simulation.yaw_rate_radps),
            Self::DesiredSpeedMps => desired.velocity.length(),
            Self::DesiredForwardMps => ahead(desired.velocity, desired.facing),
            Self::DesiredSideMps => aside(desired.velocity, desired.facing),
            Self::TurnDeg => turn_deg().abs(),
            Self::DesiredTurnDeg => turn_deg(),
        }
    }
}

/// Returns the lean into a turn that balances the centrifugal force, in degrees, left positive.
pub(super) fn bank_deg(speed_mps: f32, turn_radps: f32) -> f32 {
    atan2(speed_mps * turn_radps, GRAVITY_MPS2).to_degrees()
}

/// Source of a number that the game or the body changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Steer {
    /// Index of a variable.
    Variable(usize),
    Body(BodyTerm),
}
