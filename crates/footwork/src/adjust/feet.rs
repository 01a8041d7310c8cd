//! Foot locking: feet in contact keep their position on the ground.
//!
//! While a clip marks a foot as in contact, its toe is held at a point of the world, and the leg bends so that the toe stays
//! there while root and body move on. Locking and unlocking are continuous in velocity. Decisions (lock, unlock, position)
//! are made at control ticks; between ticks the toe's position is evaluated in closed form.
//!
//! `reference` is the foot lock of D. Holden's motion matching demo (2020), for comparison.

mod config;
mod heading;
mod leash;

pub use self::config::{FeetConfig, FootLock};
use self::heading::FootHeading;
use self::leash::{LEASH_SLACK, TIGHT, soft_leash, soft_leash_change};
use crate::math::spring::{self, Spring};
use crate::math::{Facing, exp, flat, smoothstep};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Number of floats of one foot in a state's block.
pub(crate) const FOOT_WIDTH: usize = size_of::<Foot>() / size_of::<f32>();

/// State of a foot between ticks; world space, metres. All zeros is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Foot {
    /// Point at which the toe is held.
    pub point: Vec3,
    /// Offset between shown and target position at the last change.
    pub offset: Vec3,
    /// Velocity of the offset, m/s.
    pub offset_velocity: Vec3,
    /// Acceleration of the offset while the foot lands, m/s2.
    pub offset_acceleration: Vec3,
    /// Animated position of the toe at the last tick.
    pub animated: Vec3,
    /// Velocity of the animated position between the last two ticks, m/s.
    pub animated_velocity: Vec3,
    /// Seconds from the last change to the last tick.
    pub since_s: f32,
    /// Time for which the foot has been held, seconds; 0 is free.
    pub held_s: f32,
    /// 1 if the clip marked the foot as in contact at the last tick.
    pub touched: f32,
    /// 1 while the foot is about to land.
    pub landing: f32,
    /// Planted share, 0 to 1: rises while the foot is held, falls while it is free.
    pub stands: f32,
    /// Share of the stretch by a correction that the leg follows, 0 to 1: rises while the foot is held or about to touch, falls in its
    /// swing.
    pub follows: f32,
    /// Change of that share per second.
    pub follows_per_s: f32,
    /// Distance by which the foot swings further out than in the clip, metres, and its goal.
    pub aside: Spring,
    pub aside_goal_m: f32,
    /// 1 after the first tick.
    pub seen: f32,
    /// Velocity of the ground under the foot, m/s; a held foot moves with it.
    pub carried: Vec3,
    /// Heading of the foot.
    pub heading: FootHeading,
}

/// Input of a control tick for one foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Footing {
    /// Position of the toe in the blended clip pose, world.
    pub animated: Vec3,
    /// Heading of the foot in the blended clip pose, world, radians about +Y.
    pub heading_rad: f32,
    /// Velocity of the toe in the clip, without root adjustment and blending, world, m/s.
    pub clip_velocity: Vec3,
    /// Velocity over the ground that root adjustment and simulation add for longer, world, m/s.
    pub slip: Vec3,
    /// Whether the clip marks the foot as in contact.
    pub touches: bool,
    /// Seconds until the clip marks it as in contact; infinite if that is further than [`FeetConfig::landing_s`].
    pub lands_in_s: f32,
    /// Duration of that contact, seconds.
    pub stands_s: f32,
    /// Velocity of the ground under the foot, world, m/s; zero for ground at rest.
    pub carried: Vec3,
    /// Planned position of the toe in the contact that comes next or lasts, world; the animated position arrives there. `None`: the
    /// toe stands where it comes to rest.
    pub place: Option<Vec3>,
    /// Distance by which the foot is nearer to its opposite than in the clip, metres across the body; 0 where it is not.
    pub nearer_m: f32,
}

impl Foot {
    /// Returns whether the toe is held.
    pub fn held(&self) -> bool {
        self.held_s > 0.0
    }

    /// Returns where the toe stood at the last tick: world, in metres. `None` if it is free, or glides to where it is held.
    pub fn stands_at(&self, config: &FeetConfig) -> Option<Vec3> {
        let at = self.shown(config, self.animated, 0.0);
        (self.held() && flat(at - self.point).length() < STANDS_M).then_some(at)
    }

    /// Returns true if the toe rests away from where it is held, since it was dragged along.
    pub fn was_dragged(&self, config: &FeetConfig) -> bool {
        let (at, velocity) = self.now(config);
        self.held() && flat(at - self.point).length() >= STANDS_M && flat(velocity).length() < RESTS_MPS
    }

    /// Returns the toe's position `after_s` seconds after the last tick, where the clip has it at `animated` (world).
    pub fn shown(&self, config: &FeetConfig, animated: Vec3, after_s: f32) -> Vec3 {
        let goal = if self.held() { self.held_at(config, animated, after_s) } else { animated };
        goal + self.left(config, self.since_s + after_s).0
    }

    /// Returns the turn of the foot about +Y, `after_s` seconds after the last tick, where the clip has it at the heading
    /// `animated_rad` (world), in radians.
    pub fn turn(&self, config: &FeetConfig, animated_rad: f32, after_s: f32) -> f32 {
        if config.lock == FootLock::Reference {
            return 0.0;
        }
        self.heading.turn(config, self.held(), animated_rad, after_s)
    }

    /// Returns the planted share `after_s` seconds after the last tick: the share of a stretch that the heel may take.
    pub fn standing(&self, after_s: f32) -> f32 {
        let way = after_s / STAND_S;
        smoothstep((self.stands + if self.held() { way } else { -way }).clamp(0.0, 1.0))
    }

    /// Returns the share of a stretch that the leg follows `after_s` seconds after the last tick, 0 to 1.
    pub fn following(&self, config: &FeetConfig, after_s: f32) -> f32 {
        if config.lock == FootLock::Reference {
            return 1.0;
        }
        smoothstep((self.follows + self.follows_per_s * after_s).clamp(0.0, 1.0))
    }

    /// Returns the distance by which the foot swings further out than in the clip, `after_s` seconds after the last tick, metres. Where
    /// its opposite is held nearer to it than in the clip, it would pass through that leg.
    pub fn aside_m(&self, after_s: f32) -> f32 {
        let mut aside = self.aside;
        aside.to(self.aside_goal_m, ASIDE_HALF_LIFE_S, after_s);
        aside.value
    }

    /// Returns the remaining offset and its velocity.
    fn left(&self, config: &FeetConfig, since_s: f32) -> (Vec3, Vec3) {
        if self.landing > 0.0 {
            let (v, a) = (self.offset_velocity, self.offset_acceleration);
            return (self.offset + v * since_s + a * (0.5 * since_s * since_s), v + a * since_s);
        }
        let half_life = if self.held() { config.hold_half_life_s } else { config.release_half_life_s };
        spring::decay(self.offset, self.offset_velocity, half_life, since_s)
    }

    /// Returns the held point, limited to the lock radius; the height is the clip's, so that the foot rolls.
    fn held_at(&self, config: &FeetConfig, animated: Vec3, after_s: f32) -> Vec3 {
        let point = self.point + self.carried * after_s;
        match config.lock {
            FootLock::Reference => point,
            _ => {
                let point = Vec3::new(point.x, animated.y, point.z);
                animated + soft_leash(point - animated, config.lock_radius_m)
            }
        }
    }

    /// Runs a control tick, `dt_s` after the last.
    pub fn tick(&mut self, config: &FeetConfig, now: &Footing, dt_s: f32) {
        let known = self.seen > 0.0 && dt_s > 1e-4;
        let animated = now.animated;
        // All positions move with the ground.
        let way = self.carried * dt_s;
        (self.point, self.animated, self.carried) = (self.point + way, self.animated + way, now.carried);
        let velocity = if known { (animated - self.animated) / dt_s } else { Vec3::ZERO };
        self.since_s += dt_s;
        self.heading.tick(config, self.held(), now.heading_rad, if known { dt_s } else { 0.0 });
        self.aside.to(self.aside_goal_m, ASIDE_HALF_LIFE_S, dt_s);
        let swings = config.lock == FootLock::Leash && !self.held() && !now.touches && now.lands_in_s > BACK_S;
        let aside_m = (ASIDE_SHARE * now.nearer_m).min(config.lock_radius_m);
        self.aside_goal_m = if swings { aside_m } else { 0.0 };
        self.stands = (self.stands + if self.held() { dt_s } else { -dt_s } / STAND_S).clamp(0.0, 1.0);
        let follows = self.held() || now.touches || now.lands_in_s < FOLLOW_S;
        self.follows = (self.follows + self.follows_per_s * dt_s).clamp(0.0, 1.0);
        self.follows_per_s = if follows { 1.0 } else { -1.0 } / FOLLOW_S;
        if self.held() {
            self.held_s += dt_s;
            if config.lock == FootLock::Leash {
                let left_behind = flat(self.point - animated);
                if left_behind.length() > LEASH_SLACK * config.lock_radius_m {
                    // A toe that is dragged along does not count as held.
                    self.held_s = f32::MIN_POSITIVE;
                }
                // Beyond this distance the limited position hardly changes.
                self.point = animated + left_behind.clamp_length_max(TIGHT * config.lock_radius_m);
            }
        }
        (self.animated, self.animated_velocity) = (animated, velocity);
        let began = now.touches && (self.touched == 0.0 || self.seen == 0.0);
        self.touched = f32::from(u8::from(now.touches));
        self.seen = 1.0;
        let lands = !now.touches && now.lands_in_s < config.landing_s;
        if !config.enabled {
            let heading = FootHeading { animated_rad: now.heading_rad, ..FootHeading::default() };
            *self = Self { animated, animated_velocity: velocity, seen: 1.0, heading, ..Self::default() };
            return;
        }
        match config.lock {
            FootLock::Leash if now.touches && !self.held() && self.is_near(config) => self.hold(config, now.place),
            FootLock::Leash if now.touches && self.held() && self.is_off(now.place) => self.hold(config, now.place),
            FootLock::Leash if lands && !self.held() => self.land(config, now),
            FootLock::Leash if (!now.touches && self.held()) || self.landing > 0.0 => self.release(config),
            FootLock::Reference if began => self.hold(config, None),
            FootLock::Reference if self.held() => {
                let left_behind = (self.point - animated).length() > config.lock_radius_m;
                if !now.touches || left_behind {
                    self.release(config);
                }
            }
            _ => {}
        }
    }

    /// Returns the position shown at the last tick and its velocity.
    fn now(&self, config: &FeetConfig) -> (Vec3, Vec3) {
        let own = match config.lock {
            _ if !self.held() => self.animated_velocity,
            FootLock::Reference => Vec3::ZERO,
            FootLock::Leash => {
                let v = self.animated_velocity;
                v - soft_leash_change(flat(self.point - self.animated), flat(v), config.lock_radius_m)
            }
        };
        (self.shown(config, self.animated, 0.0), own + self.left(config, self.since_s).1)
    }

    /// Starts to lead the toe to its landing position, on a cubic. It ends ahead of the clip's position by half of the distance
    /// that the root will slip during the contact, at the clip's own velocity.
    fn land(&mut self, config: &FeetConfig, now: &Footing) {
        let (shown, velocity) = self.now(config);
        let (offset, relative) = (shown - self.animated, velocity - self.animated_velocity);
        // The velocity that the transition's offset adds to the toe will have decayed by then.
        let passing = self.animated_velocity - now.clip_velocity - now.slip;
        let left = exp(-now.lands_in_s / SEAM_S);
        let goal = flat(now.slip * (0.5 * now.stands_s.min(config.landing_s)));
        let goal = goal.clamp_length_max(MOST_LEAD * config.lock_radius_m);
        let goal_velocity = flat(-now.slip - passing * left);
        // The animated position arrives at a planned place, and rests there.
        let (goal, goal_velocity) = if now.place.is_some() { (Vec3::ZERO, Vec3::ZERO) } else { (goal, goal_velocity) };
        let t = now.lands_in_s.max(SHORTEST_S);
        // Close to touch-down only the speed can still be corrected; the position follows from it.
        let coasting = offset + (relative + goal_velocity) * (0.5 * t);
        let goal = coasting + (goal - coasting) * smoothstep((t - LATE_S) / LATE_S);
        self.offset = offset;
        self.offset_velocity = relative;
        let acceleration = (goal - offset) * (6.0 / (t * t)) - (relative * 4.0 + goal_velocity * 2.0) / t;
        self.offset_acceleration = acceleration.clamp_length_max(MOST_ACCELERATION_MPS2);
        (self.since_s, self.landing) = (0.0, 1.0);
    }

    /// Returns true if the toe can be held where it comes to rest: within the lock radius around its animated position.
    fn is_near(&self, config: &FeetConfig) -> bool {
        let (shown, velocity) = self.now(config);
        let way = shown + spring::way_to_rest(velocity, config.hold_half_life_s) - self.animated;
        flat(way).length() <= LEASH_SLACK * config.lock_radius_m
    }

    /// Returns true if the toe is held elsewhere than at its planned position.
    fn is_off(&self, place: Option<Vec3>) -> bool {
        place.is_some_and(|place| flat(place - self.point).length() > OFF_M)
    }

    /// Starts to hold the toe: at its planned position, or where it comes to rest.
    fn hold(&mut self, config: &FeetConfig, place: Option<Vec3>) {
        let (shown, velocity) = self.now(config);
        if config.lock == FootLock::Reference {
            // The current position, at the toe height of the reference's data.
            self.point = Vec3::new(shown.x, REFERENCE_TOE_HEIGHT_M, shown.z);
            (self.offset, self.offset_velocity) = (shown - self.point, velocity);
        } else {
            // The point where the toe comes to rest: a critically damped spring that starts at this distance does not overshoot.
            let glide = spring::way_to_rest(velocity, config.hold_half_life_s);
            self.point = place.unwrap_or(shown + glide);
            let way = if place.is_some() { self.point - shown } else { glide };
            self.offset = Vec3::new(-way.x, shown.y - self.animated.y, -way.z);
            self.offset_velocity = Vec3::new(velocity.x, velocity.y - self.animated_velocity.y, velocity.z);
        }
        self.heading.hold(config, self.held());
        (self.since_s, self.held_s, self.landing) = (0.0, self.held_s.max(f32::MIN_POSITIVE), 0.0);
    }

    /// Releases the toe to its animated position.
    fn release(&mut self, config: &FeetConfig) {
        let (shown, velocity) = self.now(config);
        self.offset = shown - self.animated;
        self.offset_velocity = velocity - self.animated_velocity;
        self.heading.release(config, self.held());
        (self.since_s, self.held_s, self.landing) = (0.0, 0.0, 0.0);
    }

    /// Moves the animated position of the last tick by `by`, world, metres. What is shown does not change: a free foot keeps the
    /// difference as an offset that decays.
    pub fn animate_elsewhere(&mut self, config: &FeetConfig, by: Vec3) {
        if by == Vec3::ZERO {
            return;
        }
        let (shown, velocity) = self.now(config);
        self.animated += by;
        if !self.held() {
            (self.offset, self.offset_velocity) = (shown - self.animated, velocity - self.animated_velocity);
            (self.since_s, self.landing) = (0.0, 0.0);
        }
    }

    /// Returns the state after the character was moved by `by`.
    pub fn moved(&self, by: crate::math::Transform) -> Self {
        Self {
            point: by.point(self.point),
            carried: by.direction(self.carried),
            offset: by.direction(self.offset),
            offset_velocity: by.direction(self.offset_velocity),
            offset_acceleration: by.direction(self.offset_acceleration),
            animated: by.point(self.animated),
            animated_velocity: by.direction(self.animated_velocity),
            heading: self.heading.moved(Facing::from_rotation(by.rotation).yaw()),
            ..*self
        }
    }
}

/// Distance from the point at which it is held within which a toe stands, metres.
const STANDS_M: f32 = 0.02;
/// Speed over the ground below which a toe rests, m/s.
const RESTS_MPS: f32 = 0.02;
/// Time until a held foot counts as fully planted, seconds.
const STAND_S: f32 = 0.15;
/// Time before touch-down at which a leg begins to follow a stretch, and time in which it begins and ends to, seconds.
const FOLLOW_S: f32 = 0.1;
/// Half-life in which a swinging foot moves aside, and back, seconds.
const ASIDE_HALF_LIFE_S: f32 = 0.065;
/// Distance by which it moves aside, as a share of the distance by which it is too near to its opposite. It is more than 1, since a swing
/// is too short to arrive.
const ASIDE_SHARE: f32 = 2.0;
/// Time before touch-down at which it begins to move back, seconds.
const BACK_S: f32 = 0.15;
/// Time constant of a transition's offset, seconds.
const SEAM_S: f32 = 0.1;
/// Shortest time to touch-down for which a landing is planned, seconds.
const SHORTEST_S: f32 = 0.02;
/// Below twice this time to touch-down the landing position counts less; below this time it does not count, seconds.
const LATE_S: f32 = 0.06;
/// Maximum distance by which a toe lands ahead of the clip, as a share of the lock radius.
const MOST_LEAD: f32 = 0.9;
/// Maximum acceleration of a landing toe, m/s2.
const MOST_ACCELERATION_MPS2: f32 = 25.0;
/// Distance from its planned position up to which a held toe stays where it is, metres.
const OFF_M: f32 = 1e-3;
/// Height at which the reference holds toes, metres.
const REFERENCE_TOE_HEIGHT_M: f32 = 0.02;

#[cfg(test)]
mod tests;
