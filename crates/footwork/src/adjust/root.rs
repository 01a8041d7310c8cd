//! Root adjustment: keeps the animated root and the simulated character together.
//!
//! Source: D. Holden, "Code vs Data Driven Displacement" (2021): damped adjustment, limited to a share of the character's own
//! speed so that it is hidden in the motion, then a hard clamp.

use crate::math::{Facing, Transform, spring};
use crate::trajectory::Simulation;
use crate::{choices, settings};
use glam::Vec3;

choices! {
    /// The root driver.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RootMode = Simulation {
        /// The simulated character leads, and the animation is pulled towards it. For players.
        Simulation = "simulation",
        /// The animation leads, and the simulated character is put where it is. For characters without a stick.
        Animation = "animation",
        /// The simulated character leads, and both are pulled towards each other. For companions and crowds.
        Mixed = "mixed",
        /// The game moves a body of its own, such as a physics capsule, and gives it in every update. The simulated character
        /// is that body, and the animation is pulled towards it.
        External = "external",
    }
}

settings! {
    /// The `[matcher.root]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RootConfig {
        /// Root driver; see `docs/guide/tuning.md`.
        mode: RootMode = RootMode::Simulation;
        /// `mixed`: half-life in which the simulated character is pulled towards the animation. Lower values slide less and
        /// obey later.
        pull_half_life_s: f32 = 0.15, in 1e-4 to 60.0, unit "s", formerly "give_way_half_life_s";
        /// Whether the animation is pulled towards the simulated character.
        adjust: bool = true;
        /// Half-life of the adjustment of the position. Lower values keep the path better; higher values slide less.
        position_half_life_s: f32 = 0.08, in 1e-4 to 60.0, unit "s";
        /// Half-life of the adjustment of the facing. Lower values turn sooner; higher values slide less.
        facing_half_life_s: f32 = 0.1, in 1e-4 to 60.0, unit "s";
        /// Maximum adjustment of the position, as a share of the character's own speed. Higher values keep the path better;
        /// lower values slide less.
        max_speed_ratio: f32 = 0.6, in 0.0 to 100.0;
        /// Maximum adjustment of the facing, as a share of the character's own turn rate.
        max_turn_ratio: f32 = 1.0, in 0.0 to 100.0;
        /// Where no clip turns at all: how fast the root alone is turned. Feet step where they would be twisted. Higher values
        /// turn sooner and slide more; people turn at 100 to 200.
        sparse_turn_degps: f32 = 180.0, in 0.0 to 720.0, unit "degrees/s";
        /// Whether the distance between animation and simulated character is limited to `clamp_m` and `clamp_deg`.
        clamp: bool = true;
        /// Maximum distance between them.
        clamp_m: f32 = 0.15, in 0.0 to 1e6, unit "m";
        /// Maximum angle between their facings.
        clamp_deg: f32 = 90.0, in 0.0 to 180.0, unit "degrees";
    }
}

impl RootConfig {
    /// Returns the values of Holden's reference controller.
    pub fn reference() -> Self {
        Self {
            position_half_life_s: 0.1,
            facing_half_life_s: 0.2,
            max_speed_ratio: 0.5,
            max_turn_ratio: 0.5,
            ..Self::default()
        }
    }
}

/// Input of one root adjustment.
#[derive(Clone, Copy, Debug)]
pub struct AdjustRoot<'a> {
    /// Settings.
    pub config: &'a RootConfig,
    /// The simulated character.
    pub simulation: &'a Simulation,
    /// Speed of the shown root before adjustment, m/s.
    pub speed_mps: f32,
    /// Turn rate of the shown root before adjustment, radians per second.
    pub turn_radps: f32,
    /// Minimum limit of the turn rate of the adjustment, radians per second.
    pub free_turn_radps: f32,
    /// Time since the last adjustment, seconds.
    pub dt_s: f32,
}

impl RootConfig {
    /// Pulls the simulated character towards a root shown at `shown`, over `dt_s`. Only in [`RootMode::Mixed`].
    pub fn pull_simulation(&self, simulation: &mut Simulation, shown: Transform, dt_s: f32) {
        if self.mode != RootMode::Mixed {
            return;
        }
        let share = spring::damp(self.pull_half_life_s, dt_s);
        let gap = shown.translation - simulation.position;
        simulation.position += Vec3::new(gap.x, 0.0, gap.z) * share;
        let turn = simulation.facing.angle_to(Facing::from_rotation(shown.rotation));
        simulation.facing = simulation.facing.turned(turn * share);
    }
}

impl AdjustRoot<'_> {
    /// Returns the adjustment of a root shown at `shown`: a translation in world space and a rotation in radians about +Y.
    pub fn run(&self, shown: Transform) -> (Vec3, f32) {
        let c = self.config;
        let facing = Facing::from_rotation(shown.rotation);
        let mut shift = self.simulation.position - shown.translation;
        shift.y = 0.0;
        let mut turn = facing.angle_to(self.simulation.facing);
        let (whole_shift, whole_turn) = (shift, turn);
        if c.adjust {
            shift *= spring::damp(c.position_half_life_s, self.dt_s);
            turn *= spring::damp(c.facing_half_life_s, self.dt_s);
            shift = shift.clamp_length_max(c.max_speed_ratio * self.speed_mps * self.dt_s);
            let most = (c.max_turn_ratio * self.turn_radps).max(self.free_turn_radps) * self.dt_s;
            turn = turn.clamp(-most, most);
        } else {
            (shift, turn) = (Vec3::ZERO, 0.0);
        }
        if c.clamp {
            let left = whole_shift - shift;
            let over = left.length() - c.clamp_m;
            if over > 0.0 {
                shift += left * (over / left.length());
            }
            let left = whole_turn - turn;
            let over = left.abs() - c.clamp_deg.to_radians();
            if over > 0.0 {
                turn += over * left.signum();
            }
        }
        (shift, turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn adjusted(config: &RootConfig, speed_mps: f32, distance_m: f32) -> (Vec3, f32) {
        let simulation =
            Simulation { position: Vec3::X * distance_m, facing: Facing::from_yaw(2.0), ..Default::default() };
        let job = AdjustRoot {
            config,
            simulation: &simulation,
            speed_mps,
            turn_radps: 1.0,
            free_turn_radps: 0.0,
            dt_s: 1.0 / 60.0,
        };
        job.run(Transform::new(Vec3::ZERO, Quat::IDENTITY))
    }

    #[test]
    fn a_root_turns_with_its_own_turns_and_freely_where_clips_have_none() {
        let simulation = Simulation { facing: Facing::from_yaw(2.0), ..Default::default() };
        let config = RootConfig::default();
        let turned = |turn_radps: f32, free_turn_radps: f32| {
            let job = AdjustRoot {
                config: &config,
                simulation: &simulation,
                speed_mps: 0.0,
                turn_radps,
                free_turn_radps,
                dt_s: 0.01,
            };
            job.run(Transform::new(Vec3::ZERO, Quat::from_rotation_y(1.5))).1
        };
        assert_eq!([turned(0.0, 0.0), turned(1.0, 0.0), turned(1.0, 3.0)], [0.0, 0.01, 0.03]);
    }

    #[test]
    fn who_stands_is_not_dragged_but_within_the_clamp() {
        assert_eq!(adjusted(&RootConfig::default(), 0.0, 0.1).0, Vec3::ZERO);
        let (shift, turn) = adjusted(&RootConfig::default(), 0.0, 0.5);
        assert!((shift.x - 0.35).abs() < 1e-5);
        assert!((turn - (2.0 - std::f32::consts::FRAC_PI_2)).abs() < 1e-4);
    }

    #[test]
    fn the_adjustment_is_limited_to_a_share_of_the_own_speed() {
        let (shift, _) = adjusted(&RootConfig::default(), 1.0, 0.1499);
        assert!((shift.x - RootConfig::default().max_speed_ratio / 60.0).abs() < 1e-6);
        let (shift, _) = adjusted(&RootConfig::default(), 100.0, 0.1);
        assert!((shift.x - 0.1 * spring::damp(RootConfig::default().position_half_life_s, 1.0 / 60.0)).abs() < 1e-6);
    }

    #[test]
    fn everything_can_be_switched_off() {
        let off = RootConfig { adjust: false, clamp: false, ..Default::default() };
        assert_eq!(adjusted(&off, 1.0, 9.0), (Vec3::ZERO, 0.0));
    }

    #[test]
    fn only_a_mixed_root_gives_way_and_halfway_in_its_half_life() {
        let shown = Transform::new(Vec3::new(0.4, 1.0, 0.0), Quat::from_rotation_y(0.6));
        let after = |mode, steps: u32| {
            let mut s = Simulation::default();
            let config = RootConfig { mode, pull_half_life_s: 0.2, ..Default::default() };
            for _ in 0..steps {
                config.pull_simulation(&mut s, shown, 0.2 / steps as f32);
            }
            (s.position, s.facing.yaw())
        };
        assert_eq!(after(RootMode::Simulation, 1).0, Vec3::ZERO);
        for steps in [1, 12] {
            let (position, yaw) = after(RootMode::Mixed, steps);
            assert!((position - Vec3::X * 0.2).length() < 1e-5 && (yaw - 0.3).abs() < 1e-4, "{position} {yaw}");
        }
    }
}
