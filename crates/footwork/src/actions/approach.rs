//! The way to an action: where a character has to go, and how fast, so that a request can be entered.

use super::action::{Action, Entry};
use super::config::ActionConfig;
use super::nearest::Nearest;
use super::place::Place;
use super::plan::{places, warp};
use super::refusal::Refusal;
use super::table::Actions;
use crate::input::ActionRequest;
use crate::math::{Facing, Quat, flat, wrap_angle};
use glam::Vec3;

/// A distance that takes a few steps, in metres.
const STEPS_M: f32 = 1.5;
/// Least speed over a longer distance, in m/s.
const WALK_MPS: f32 = 1.4;
/// Entries slower than this stand, in m/s.
const STANDING_MPS: f32 = 0.3;
/// A body that is slower rests, in m/s.
const AT_REST_MPS: f32 = 0.05;
/// Time that an entry leaves in addition to the shortest one before a contact, in seconds.
const LEAD_S: f32 = 0.1;
/// Time before a timed entry from which a character goes at the speed of the entry, in seconds.
const RUN_UP_S: f32 = 0.8;
/// Distance from an entry at rest within which a character is as good as there, in metres.
const WARPED_M: f32 = 0.2;
/// Speed per metre of distance from which a character comes to rest, per second.
const STOPS_PER_S: f32 = 2.0;

/// The root of a character at the entry of an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Index of the action in [`Actions::all`].
    pub action: usize,
    /// The root at the entry: world.
    pub to: Place,
    /// Its velocity there: world, in m/s.
    pub velocity: Vec3,
    /// Time from there to the first contact, in seconds.
    pub then_s: f32,
}

impl Actions {
    /// Returns where to go to enter an action that meets a request; see [`crate::matcher::Character::approach`]. `velocity`: of the
    /// character, world, in m/s. Allocates nothing.
    ///
    /// # Errors
    /// Returns [`Refusal`] if no other position would help.
    pub(crate) fn approach(
        &self,
        config: &ActionConfig,
        request: &ActionRequest,
        (root, velocity): (Place, Vec3),
        now_s: f64,
    ) -> Result<Approach, Refusal> {
        let window = self.window(request, root, now_s)?;
        let (mut best, mut nearest): (Option<(f32, Approach)>, _) = (None, Nearest::default());
        for (k, action) in self.of_request(request) {
            let Some(marks) = places(action, request, root.position.y) else { continue };
            if action.arrives() {
                return Ok(Approach { action: k, to: marks[0], velocity: Vec3::ZERO, then_s: 0.0 });
            }
            let first = warp(action, 0, root, marks);
            let fixed = match self.fixed(config, k, &first, request) {
                Ok(cost) => cost,
                Err(miss) => {
                    nearest.note(k, miss, false);
                    continue;
                }
            };
            let approach = Approach::of(k, action, &marks[0]);
            let (way_m, speed_mps) = (flat(approach.to.position - root.position).length(), flat(velocity).length());
            // A warp makes up for the last part.
            let way_m = if approach.stands() { (way_m - WARPED_M).max(0.0) } else { way_m };
            let wanted_mps = match window {
                Some([_, to_s]) => way_m / (to_s - approach.then_s).max(0.1),
                None if way_m > STEPS_M => speed_mps.max(WALK_MPS),
                None => speed_mps,
            };
            let faster = flat(approach.velocity).length() - wanted_mps;
            let cost = fixed + config.velocity_cost * faster * faster;
            if best.is_none_or(|(c, _)| cost < c) {
                best = Some((cost, approach));
            }
        }
        best.map(|(_, approach)| approach).ok_or_else(|| self.refusal(request, &nearest))
    }
}

impl Approach {
    /// Returns the last entry at which an action does not differ from locomotion yet and is in time, for a first contact at `place`. An
    /// action that begins at rest is entered at rest.
    fn of(k: usize, action: &Action, place: &Place) -> Self {
        let last_s = action.phases.wind_up_s.min(action.marks[0].start_s - action.shortest_s() - LEAD_S);
        let in_time = action.entries.partition_point(|e| e.time_s <= last_s).max(1);
        let rests = |e: &Entry| flat(e.velocity).length() < AT_REST_MPS;
        let goes = |e: &Entry| flat(e.velocity).length() >= STANDING_MPS;
        let begins_at_rest = rests(&action.entries[0]);
        let is_way_in = |e: &&Entry| if begins_at_rest { rests(e) } else { goes(e) };
        let entry = action.entries[..in_time].iter().rev().find(is_way_in).unwrap_or(&action.entries[in_time - 1]);
        let first = &action.marks[0];
        let turn_rad = wrap_angle(place.yaw_rad - first.yaw_rad);
        let turn = Quat::from_rotation_y(turn_rad);
        let position = place.position + turn * (entry.root.position - first.position);
        let to = Place { position, yaw_rad: wrap_angle(entry.root.yaw_rad + turn_rad) };
        Self { action: k, to, velocity: turn * entry.velocity, then_s: first.start_s - entry.time_s }
    }

    /// Returns true if the character rests there.
    pub(crate) fn stands(&self) -> bool {
        flat(self.velocity).length() < STANDING_MPS
    }

    /// Returns the velocity (world, in m/s) and the facing to steer at. `left_s`: time to the first contact, if one is requested.
    pub(crate) fn steer(&self, root: Place, speed_mps: f32, left_s: Option<f32>) -> (Vec3, Facing) {
        let way = flat(self.to.position - root.position);
        let (way_m, there_mps) = (way.length(), flat(self.velocity).length());
        let left_s = left_s.map(|left_s| left_s - self.then_s);
        // Without a requested time.
        let own_mps = if way_m > STEPS_M { speed_mps.max(WALK_MPS) } else { WALK_MPS };
        let facing = Facing::from_yaw(self.to.yaw_rad);
        if self.stands() {
            // Before an action rather early, since it waits where it stands; an arrival is in time itself.
            let least_mps = if self.then_s > 0.0 { WALK_MPS } else { 0.0 };
            let cruise_mps = left_s.map_or(own_mps, |left_s| (way_m / left_s.max(0.1)).max(least_mps));
            let towards = Facing::from_direction(way).filter(|_| way_m > STEPS_M).unwrap_or(facing);
            return (way.normalize_or_zero() * cruise_mps.min(STOPS_PER_S * way_m), towards);
        }
        let cruise_mps = match left_s {
            // Slower at first, then at the speed of the entry.
            Some(left_s) if left_s > RUN_UP_S && way_m < there_mps * left_s => {
                (way_m - there_mps * RUN_UP_S).max(0.0) / (left_s - RUN_UP_S).max(0.1)
            }
            Some(left_s) => (way_m / left_s.max(0.1)).max(0.5 * there_mps),
            None => own_mps.max(0.5 * there_mps),
        };
        let towards = if way.dot(self.velocity) > 0.0 && way_m > 0.2 { way / way_m } else { self.velocity / there_mps };
        (towards * cruise_mps, Facing::from_direction(towards).unwrap_or(facing))
    }
}
