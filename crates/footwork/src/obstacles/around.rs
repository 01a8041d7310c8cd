//! A body among obstacles at one instant: velocities that slide along them, positions outside of them.

use super::config::ObstacleConfig;
use super::obstacle::Obstacle;
use crate::math::flat;
use glam::Vec3;

/// Height up to which obstacles are stepped on, in metres.
const STEP_M: f32 = 0.3;
/// Height of a body, in metres. What is higher is passed under.
const BODY_M: f32 = 1.8;
/// Rounds over all obstacles: in a corner, one wall leads into the other.
const ROUNDS: usize = 3;
/// Time for which a velocity is followed to an obstacle, in half-lives of the velocity: nearly three times the stopping distance.
const AHEAD: f32 = 4.0;
/// Steps towards an obstacle, each as long as the distance from it.
const STEPS: usize = 8;
/// Distance at which an obstacle counts as met, in metres.
const MET_M: f32 = 0.01;
/// Speed per metre with which a body leaves the margin of an obstacle, per second.
const LEAVES_PER_S: f32 = 4.0;
/// Maximum speed at which an obstacle pushes a body, in m/s: one that appears in it does not throw it away.
const PUSH_MPS: f32 = 6.0;
/// Time before several obstacles shut a body in at which it begins to leave, in seconds.
const SOON_S: f32 = 0.2;
/// Maximum number of rounds over all obstacles in which a body is pushed out. One that is squeezed between two slips out slowly.
const PUSHES: usize = 32;
/// Depth in an obstacle that is left, in metres.
const TOUCHES_M: f32 = 1e-4;
/// Number and width, in metres, of the rings around a body that is shut in by obstacles in which a free position is looked for.
const RINGS: u32 = 12;
const RING_M: f32 = 0.1;
/// Directions in which one is looked for: `[x, z]`, unit vectors.
const AROUND: [[f32; 2]; 8] = {
    const D: f32 = std::f32::consts::FRAC_1_SQRT_2;
    [[0.0, 1.0], [D, D], [1.0, 0.0], [D, -D], [0.0, -1.0], [-D, -D], [-1.0, 0.0], [-D, D]]
};
/// Maximum distance by which hips are moved out of obstacles, in metres.
const HIPS_M: f32 = 0.1;

/// A body among obstacles at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    pub(super) all: &'a [Obstacle],
    /// Time since the obstacles were at their positions, in seconds; negative: before.
    pub(super) after_s: f32,
    /// Height of the ground under the body: world, in metres.
    pub(super) feet_m: f32,
    pub(super) config: &'a ObstacleConfig,
}

/// A body that moves by a velocity spring: world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mover {
    /// Position, in metres.
    pub position: Vec3,
    /// Velocity, in m/s.
    pub velocity: Vec3,
    /// Acceleration, in m/s2.
    pub acceleration: Vec3,
    /// Half-life of the spring, in seconds.
    pub half_life_s: f32,
}

impl<'a> Around<'a> {
    /// Returns the same body `by_s` seconds later.
    pub fn later(self, by_s: f32) -> Self {
        Self { after_s: self.after_s + by_s, ..self }
    }

    /// Returns the settings.
    pub fn config(&self) -> &'a ObstacleConfig {
        self.config
    }

    /// Returns the obstacles at this instant that are neither stepped on nor passed under.
    pub fn now(self) -> impl Iterator<Item = Obstacle> + use<'a> {
        let Self { all, after_s, feet_m, .. } = self;
        let here = all.iter().map(move |o| Obstacle { position: o.position + o.velocity * after_s, ..*o });
        here.filter(move |o| o.position.y + o.height_m > feet_m + STEP_M && o.position.y < feet_m + BODY_M)
    }

    /// Returns the part of a wanted velocity that does not lead into obstacles: slower the nearer they are, and along them. Round
    /// obstacles are walked round without loss of speed.
    pub fn slide(self, now: &Mover, wanted: Vec3) -> Vec3 {
        let mut velocity = wanted;
        for round in 0..ROUNDS {
            let mut is_free = true;
            for obstacle in self.now() {
                let Some((into, lost_mps)) = self.blocked(&obstacle, now, velocity) else { continue };
                is_free = false;
                velocity -= into * lost_mps;
                if obstacle.is_round() && round == 0 {
                    velocity = around(velocity, into, lost_mps, flat(wanted).length());
                }
            }
            if is_free {
                break;
            }
        }
        velocity
    }

    /// Returns the direction into an obstacle, and by how much a velocity in it is too fast, in m/s.
    fn blocked(&self, obstacle: &Obstacle, now: &Mover, velocity: Vec3) -> Option<(Vec3, f32)> {
        let keep_m = self.config.radius_m + self.config.margin_m;
        let closing = flat(velocity - obstacle.velocity);
        let ahead_m = closing.length() * AHEAD * now.half_life_s;
        let (mut left_m, mut away) = obstacle.side(now.position);
        left_m -= keep_m;
        if left_m > ahead_m {
            return None;
        }
        let most_mps = if left_m < 0.0 {
            LEAVES_PER_S * left_m
        } else {
            let (met, met_away) = meet(obstacle, now.position, closing.normalize_or_zero(), ahead_m, keep_m)?;
            away = met_away;
            left_m = (met - now.position).dot(-away).max(0.0);
            now.arriving_mps(-away, left_m, obstacle.velocity)
        };
        let lost_mps = closing.dot(-away) - most_mps;
        (lost_mps > 0.0).then_some((-away, lost_mps))
    }

    /// Returns a near position that is outside of all obstacles, no further than they push within `dt_s` seconds. Where several that
    /// move are about to shut the body in, it begins to leave before, and may be twice as fast.
    pub fn push_out(self, position: Vec3, dt_s: f32) -> Vec3 {
        let out = position + self.way_out(position).clamp_length_max(PUSH_MPS * dt_s);
        let soon = self.later(SOON_S);
        let comes = |o: &Obstacle| o.velocity != Vec3::ZERO && o.side(out).0 < self.config.radius_m;
        if soon.now().filter(comes).count() < 2 {
            return out;
        }
        let left = out + soon.way_out(out).clamp_length_max(PUSH_MPS * SOON_S) * (dt_s / SOON_S).min(1.0);
        if self.is_free(left) { left } else { out }
    }

    /// Returns true for a position outside of all obstacles.
    fn is_free(self, position: Vec3) -> bool {
        self.now().all(|o| o.side(position).0 >= self.config.radius_m)
    }

    /// Returns the displacement that moves hips out of obstacles, in metres. `root`: position of the body. The deeper the root is in an
    /// obstacle, the less the hips are moved: one that appears in the body does not move them at once.
    pub fn push_hips(self, root: Vec3, hips: Vec3) -> Vec3 {
        let by = self.way_out(hips);
        if by == Vec3::ZERO {
            return by;
        }
        by.clamp_length_max((HIPS_M - self.way_out(root).length()).max(0.0))
    }

    /// Returns the displacement to a near position outside of all obstacles. Where the body is shut in, it leads through them.
    fn way_out(self, position: Vec3) -> Vec3 {
        let mut to = position;
        for _ in 0..PUSHES {
            let mut is_free = true;
            for obstacle in self.now() {
                let (distance_m, away) = obstacle.side(to);
                let depth_m = self.config.radius_m - distance_m;
                if depth_m > 0.0 {
                    to += away * depth_m;
                    is_free &= depth_m < TOUCHES_M;
                }
            }
            if is_free {
                return to - position;
            }
        }
        let mut rings = (1..=RINGS).flat_map(|ring| AROUND.map(|[x, z]| Vec3::new(x, 0.0, z) * (ring as f32 * RING_M)));
        rings.find(|way| self.is_free(position + *way)).unwrap_or(to - position)
    }
}

impl Mover {
    /// Returns the maximum speed in the direction `ahead` (a unit vector) at which the body stops within `distance_m` without
    /// overshooting. From a command to stop, a velocity spring still travels 2 v / y + a / y2 (y = 2 ln 2 / half-life). A speed of y
    /// times the distance left beyond that makes that distance shrink exponentially. `base`: velocity of what is arrived at.
    pub fn arriving_mps(&self, ahead: Vec3, distance_m: f32, base: Vec3) -> f32 {
        let y = 2.0 * std::f32::consts::LN_2 / self.half_life_s.max(1e-3);
        let stopping = 2.0 * (self.velocity - base).dot(ahead) / y + self.acceleration.dot(ahead) / (y * y);
        (distance_m - stopping).max(0.0) * y
    }
}

/// Returns where a straight way from `from` comes within `keep_m` of an obstacle, and the direction away from it there. `None` if it does
/// not within `ahead_m`.
fn meet(obstacle: &Obstacle, from: Vec3, along: Vec3, ahead_m: f32, keep_m: f32) -> Option<(Vec3, Vec3)> {
    let mut way_m = 0.0;
    for _ in 0..STEPS {
        let at = from + along * way_m;
        let (distance_m, away) = obstacle.side(at);
        let left_m = distance_m - keep_m;
        if left_m < MET_M {
            return (along.dot(away) < 0.0).then_some((at, away));
        }
        way_m += left_m;
        if way_m > ahead_m {
            return None;
        }
    }
    // Neither met nor passed: the path runs along its side.
    None
}

/// Returns a velocity that has lost speed into a circle with the loss turned along its side, up to `most_mps`. Two
/// characters that walk straight at each other both go to their left, and pass.
fn around(velocity: Vec3, into: Vec3, lost_mps: f32, most_mps: f32) -> Vec3 {
    let left = Vec3::new(into.z, 0.0, -into.x);
    let side = if velocity.dot(left) < 0.0 { -left } else { left };
    let room_mps = (most_mps - flat(velocity).length()).max(0.0);
    velocity + side * lost_mps.min(room_mps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Facing;
    use glam::Vec2;

    const CONFIG: ObstacleConfig = ObstacleConfig { radius_m: 0.3, margin_m: 0.1, cost: 1.0 };

    fn around(all: &[Obstacle]) -> Around<'_> {
        Around { all, after_s: 0.0, feet_m: 0.0, config: &CONFIG }
    }

    fn walker(z: f32, velocity: Vec3) -> Mover {
        Mover { position: Vec3::Z * z, velocity, half_life_s: 0.24, ..Mover::default() }
    }

    #[test]
    fn a_wall_takes_only_the_speed_that_leads_into_it() {
        let wall = [Obstacle::cuboid(Vec3::Z * 3.0, Vec2::new(5.0, 0.1), Facing::FORWARD, 2.0)];
        let wanted = Vec3::new(1.0, 0.0, 1.5);
        let slid = around(&wall).slide(&walker(2.45, Vec3::X), wanted);
        assert!((slid.x - 1.0).abs() < 1e-4 && (0.0..0.5).contains(&slid.z), "{slid}");
        assert_eq!(around(&wall).slide(&walker(0.0, Vec3::X), -wanted), -wanted);
        // Within the margin, it leaves.
        assert!(around(&wall).slide(&walker(2.55, Vec3::ZERO), wanted).z < 0.0);
    }

    #[test]
    fn what_is_low_is_stepped_on_and_what_hangs_is_passed_under() {
        let at = |y: f32, height_m: f32| {
            [Obstacle { position: Vec3::new(0.0, y, 1.0), ..Obstacle::circle(Vec3::ZERO, 0.5, height_m) }]
        };
        let is_free = |of: &[Obstacle]| around(of).slide(&walker(0.0, Vec3::Z), Vec3::Z) == Vec3::Z;
        assert_eq!([at(0.0, 0.2), at(2.0, 1.0), at(0.0, 1.0)].map(|o| is_free(&o)), [true, true, false]);
    }

    #[test]
    fn who_stands_steps_back_before_one_who_walks_into_him() {
        let other = [Obstacle::circle(Vec3::Z * 0.8, 0.3, 1.8).moving(Vec3::NEG_Z * 1.5)];
        let slid = around(&other).slide(&walker(0.0, Vec3::ZERO), Vec3::ZERO);
        assert!(slid.z < -0.3, "{slid}");
        let out = around(&other).later(0.2).push_out(Vec3::ZERO, 1.0);
        assert!((out - Vec3::Z * -0.1).length() < 1e-5, "{out}");
    }

    #[test]
    fn a_body_that_is_squeezed_slips_out_and_one_that_is_shut_in_goes_through() {
        let wall = Obstacle::cuboid(Vec3::X * -0.4, Vec2::new(0.1, 5.0), Facing::FORWARD, 2.0);
        let person = Obstacle::circle(Vec3::new(0.5, 0.0, -0.1), 0.3, 1.8);
        let is_free = |all: &[Obstacle], at: Vec3| all.iter().all(|o| o.side(at).0 > CONFIG.radius_m - 1e-3);
        let squeezed = [wall, person];
        let out = around(&squeezed).push_out(Vec3::ZERO, 1.0);
        assert!(is_free(&squeezed, out) && out.length() < 0.5, "{out}");
        let on_the_left = Obstacle::cuboid(Vec3::Z * 0.45, Vec2::new(0.5, 0.1), Facing::FORWARD, 2.0);
        let shut_in = [wall, person, on_the_left, Obstacle { position: Vec3::Z * -0.45, ..on_the_left }];
        let out = around(&shut_in).push_out(Vec3::ZERO, 1.0);
        assert!(is_free(&shut_in, out) && out.length() < 1.3, "{out}");
        // Never faster than obstacles push.
        let step_m = around(&shut_in).push_out(Vec3::ZERO, 0.01).length();
        assert!((step_m - 0.01 * PUSH_MPS).abs() < 1e-5, "{step_m}");
    }

    #[test]
    fn a_body_leaves_before_two_people_shut_it_in() {
        let person = |x: f32| Obstacle::circle(Vec3::X * x, 0.3, 1.8).moving(Vec3::X * (-1.3 * x.signum()));
        let (both, first) = ([person(0.75), person(-0.75)], [person(0.75)]);
        let out = around(&both).push_out(Vec3::ZERO, 1.0 / 60.0);
        assert!(out.x.abs() < 1e-3 && (0.005..0.1).contains(&out.z.abs()), "{out}");
        // It steps back before one, by its velocity.
        assert_eq!(around(&first).push_out(Vec3::ZERO, 1.0 / 60.0), Vec3::ZERO);
    }

    #[test]
    fn hips_are_moved_out_of_a_wall_but_not_with_a_body_inside_it() {
        let wall = [Obstacle::cuboid(Vec3::Z * 0.4, Vec2::new(5.0, 0.1), Facing::FORWARD, 2.0)];
        let hips = Vec3::new(0.0, 0.9, 0.04);
        let by = around(&wall).push_hips(Vec3::ZERO, hips);
        assert!((by - Vec3::Z * -0.04).length() < 1e-5, "{by}");
        assert_eq!(around(&wall).push_hips(Vec3::Z * 0.15, hips + Vec3::Z * 0.15), Vec3::ZERO);
    }

    #[test]
    fn a_pillar_is_walked_round_at_full_speed() {
        let pillar = [Obstacle::circle(Vec3::Z * 1.2, 0.4, 2.0)];
        let slid = around(&pillar).slide(&walker(0.2, Vec3::Z * 1.5), Vec3::Z * 1.5);
        assert!(slid.x.abs() > 1.0 && slid.length() <= 1.5 + 1e-5, "{slid}");
    }
}
