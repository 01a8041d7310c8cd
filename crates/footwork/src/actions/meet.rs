//! The plan of two actions that meet: both hands at one place, at one instant.
//!
//! Candidates are the pairs of entries of both characters that reach with the same hand. Where a pair meets follows by least squares: it
//! is the place to which both are shifted least, as shares of their limits, and both are turned by half of what is missing. Time to the
//! contact is the mean of both. The cost of a pair is the sum of both costs. Entries at which the feet do not fit are left out: no
//! partner changes that. The others are compared in order of the cost of pose and velocity, until it exceeds, together with that of the
//! partner, the best pair: terms are never negative, so the result is exact. Of equal costs, the first pair counts: by action and entry
//! of the first character, then of the second.

use super::action::{Action, Limb, SHORTEST_S};
use super::config::ActionConfig;
use super::nearest::keep_nearest;
use super::place::{Correction, Place};
use super::plan::{Plan, Situation, warp, with_pose};
use super::refusal::Miss;
use super::table::Actions;
use crate::database::Database;
use crate::input::{ActionKind, ActionRequest};
use crate::math::{flat, wrap_angle};
use glam::Vec3;
use std::f32::consts::PI;

/// One of two characters that are to meet, at one instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    pub root: Place,
    /// Velocity of the root: world, in m/s.
    pub velocity: Vec3,
    /// `[contact joints]` positions of the feet: root space, in metres.
    pub toes: Vec<Vec3>,
    pub stands: Vec<bool>,
    /// `[columns]` normalised features of the pose.
    pub pose: Vec<f32>,
    /// `[columns]` run-time weights.
    pub multipliers: Vec<f32>,
    candidates: Vec<Candidate>,
    /// Action and miss of the nearest entry that is left out.
    nearest: Option<(usize, Miss)>,
}

/// A miss, and the action of the first character, if it is one of its own.
pub(crate) type MissOfPair = (Option<usize>, Miss);

/// An entry of an action that reaches.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    action: usize,
    entry: usize,
    /// The hand: 0 is the left one.
    hand: usize,
    /// Cost of the pose.
    own: f32,
    /// Lower bound of the cost of pose and velocity.
    least: f32,
    /// Where the hand touches, and the heading of the body there, if nothing is warped: world.
    reaches: Place,
    /// Limit of the shift of that place, in metres.
    limit_m: f32,
    /// Time to the contact, in seconds.
    natural_s: f32,
}

/// What two characters meet by.
#[derive(Clone, Copy)]
pub(crate) struct Partner<'a> {
    pub actions: &'a Actions,
    pub config: &'a ActionConfig,
    pub side: &'a Side,
}

/// Two plans that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Met {
    pub plans: [Plan; 2],
    /// Cost of both.
    pub cost: f32,
}

/// Returns the hand of an action that reaches with one hand and touches nothing else.
pub(crate) fn reaching_hand(action: &Action) -> Option<usize> {
    let mut hands = action.contacts.iter().filter(|c| c.mark == Some(0)).map(|c| match c.limb {
        Limb::Hand(hand) => Some(hand),
        _ => None,
    });
    let first = hands.next().flatten()?;
    (action.marks.len() == 1 && hands.all(|hand| hand == Some(first))).then_some(first)
}

impl Side {
    /// Returns room for a character of these actions. Allocates all that a meeting needs.
    pub fn new(actions: &Actions, db: &Database, kind: ActionKind) -> Self {
        let most = actions.of_kind(kind).map(|(_, action)| action.entries.len()).sum();
        let columns = db.features.columns;
        Self {
            toes: vec![Vec3::ZERO; db.rig.contact_joints.len()],
            stands: vec![false; db.rig.contact_joints.len()],
            pose: vec![0.0; columns],
            multipliers: vec![1.0; columns],
            candidates: Vec::with_capacity(most),
            ..Self::default()
        }
    }

    fn situation(&self) -> Situation<'_> {
        let Self { root, velocity, toes, stands, pose, multipliers, .. } = self;
        Situation { root: *root, velocity: *velocity, toes, stands, pose, multipliers, now_s: 0.0 }
    }

    /// Finds the candidates of the pose as it is. `prunes`: leaves out those whose feet do not fit; the result is the same. Allocates
    /// nothing.
    pub fn find(&mut self, actions: &Actions, db: &Database, config: &ActionConfig, kind: ActionKind, prunes: bool) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let mut nearest = None;
        for (k, action) in actions.of_kind(kind) {
            let Some(hand) = reaching_hand(action) else { continue };
            let mark = &action.marks[0];
            for (e, entry) in action.entries.iter().enumerate() {
                let natural_s = mark.start_s - entry.time_s;
                if natural_s < SHORTEST_S || candidates.len() == candidates.capacity() {
                    continue;
                }
                let mut misses = None;
                config.keep_feet(&mut misses, &self.situation(), entry);
                if let Some(miss) = misses.filter(|_| prunes) {
                    keep_nearest(&mut nearest, k, miss);
                    continue;
                }
                let base = Correction::between(entry.root, self.root);
                let own = with_pose(db, &self.situation(), (action, entry), 0.0, f32::INFINITY);
                let yaw_rad = wrap_angle(mark.yaw_rad + base.turn_rad);
                candidates.push(Candidate {
                    action: k,
                    entry: e,
                    hand,
                    own,
                    least: (own + config.least_velocity_cost(&self.situation(), entry, base)) / SLACK,
                    reaches: Place { position: base.point(mark.position), yaw_rad },
                    limit_m: config.slide_limit_m(action, entry.time_s, 0),
                    natural_s,
                });
            }
        }
        // Without allocation, and the same for any order before.
        candidates
            .sort_unstable_by(|a, b| a.least.total_cmp(&b.least).then((a.action, a.entry).cmp(&(b.action, b.entry))));
        (self.candidates, self.nearest) = (candidates, nearest);
    }
}

/// Returns where a pair meets, as each of both faces it, and the time to the contact, in seconds.
fn place(a: &Candidate, b: &Candidate) -> ([Place; 2], f32) {
    let [weight_a, weight_b] = [a, b].map(|c| 1.0 / (c.limit_m * c.limit_m).max(1e-6));
    let (at_a, at_b) = (a.reaches.position, b.reaches.position);
    let share = weight_b / (weight_a + weight_b);
    let over = flat(at_b - at_a) * share;
    let position = Vec3::new(at_a.x + over.x, 0.5 * (at_a.y + at_b.y), at_a.z + over.z);
    let half_rad = 0.5 * wrap_angle(b.reaches.yaw_rad - PI - a.reaches.yaw_rad);
    let places = [
        Place { position, yaw_rad: wrap_angle(a.reaches.yaw_rad + half_rad) },
        Place { position, yaw_rad: wrap_angle(b.reaches.yaw_rad - half_rad) },
    ];
    (places, 0.5 * (a.natural_s + b.natural_s))
}

impl Partner<'_> {
    /// Returns the plan of an entry whose hand touches at a place after a time, in seconds.
    fn plan(&self, c: &Candidate, at: Place, after_s: f32) -> Result<Plan, Miss> {
        let action = &self.actions.all()[c.action];
        let marks = [at, Place::default()];
        let of = warp(action, c.entry, self.side.root, marks);
        let fixed = self.config.fixed(&of, &ActionRequest::default())?;
        let window = Some([after_s; 2]);
        let (rate, way) = self.config.way(&of, &self.side.situation(), &action.entries[c.entry], window)?;
        Ok(Plan { action: c.action, entry: c.entry, rate, marks, cost: fixed + way + c.own })
    }
}

/// A circle around the places that candidates reach, with their limits: over the ground, in metres.
struct Around {
    middle: Vec3,
    radius_m: f32,
}

impl Around {
    fn of(candidates: &[Candidate]) -> Self {
        let sum = candidates.iter().fold(Vec3::ZERO, |sum, c| sum + flat(c.reaches.position));
        let middle = sum / candidates.len().max(1) as f32;
        let reach = |c: &Candidate| flat(c.reaches.position - middle).length() + c.limit_m;
        Self { middle, radius_m: candidates.iter().map(reach).fold(0.0, f32::max) }
    }
}

/// Returns true for a pair that cannot meet: their places are further apart than both may be shifted, or so are their times.
fn is_apart(a: &Candidate, b: &Candidate, rates: [f32; 2]) -> bool {
    let limit_m = (a.limit_m + b.limit_m) * SLACK;
    let mean_s = 0.5 * (a.natural_s + b.natural_s);
    let [slowest_s, fastest_s] = [rates[0] * mean_s / SLACK, rates[1] * mean_s * SLACK];
    let fits = |c: &Candidate| (slowest_s..=fastest_s).contains(&c.natural_s);
    flat(a.reaches.position - b.reaches.position).length_squared() > limit_m * limit_m || !fits(a) || !fits(b)
}

/// Room for rounding where pairs are skipped by distance and time.
const SLACK: f32 = 1.001;

/// Returns the pair of entries that meets at the lowest cost. `prunes`: skips pairs that cannot; the result is the same. Allocates
/// nothing.
///
/// # Errors
/// Returns what the nearest pair misses; `None` if no pair comes near.
pub(crate) fn meet(partners: [Partner; 2], prunes: bool) -> Result<Met, Option<MissOfPair>> {
    let [a, b] = partners;
    let mut best: Option<Best> = None;
    let of_a_alone = a.side.nearest.map(|(k, miss)| (Some(k), miss));
    let mut nearest = of_a_alone.or(b.side.nearest.map(|(_, miss)| (None, miss)));
    let (of_a, of_b) = (&a.side.candidates, &b.side.candidates);
    let (least_of_b, around_b) = (of_b.first().map_or(0.0, |c| c.least), Around::of(of_b));
    let rates = [a.config.slowest.max(b.config.slowest), a.config.fastest.min(b.config.fastest)];
    // Candidates are in order of their least cost.
    for x in of_a {
        let most = if prunes { best.map_or(f32::INFINITY, |best| best.met.cost) } else { f32::INFINITY };
        if x.least + least_of_b > most {
            break;
        }
        let far_m = (around_b.radius_m + x.limit_m) * SLACK;
        if prunes && flat(x.reaches.position - around_b.middle).length() > far_m {
            continue;
        }
        for y in of_b {
            let most = if prunes { best.map_or(f32::INFINITY, |best| best.met.cost) } else { f32::INFINITY };
            if x.least + y.least > most {
                break;
            }
            if x.hand != y.hand || (prunes && is_apart(x, y, rates)) {
                continue;
            }
            let (at, after_s) = place(x, y);
            match a.plan(x, at[0], after_s).and_then(|of_x| Ok([of_x, b.plan(y, at[1], after_s)?])) {
                Ok(plans) => {
                    let met = Met { plans, cost: plans[0].cost + plans[1].cost };
                    let new = Best { met, ids: [x.action, x.entry, y.action, y.entry] };
                    if best.is_none_or(|best| new.precedes(&best)) {
                        best = Some(new);
                    }
                }
                Err(miss) => keep_nearest(&mut nearest, Some(x.action), miss),
            }
        }
    }
    best.map(|best| best.met).ok_or(nearest)
}

/// The best pair so far.
#[derive(Clone, Copy)]
struct Best {
    met: Met,
    /// Action and entry of both.
    ids: [usize; 4],
}

impl Best {
    fn precedes(&self, other: &Self) -> bool {
        (self.met.cost, self.ids) < (other.met.cost, other.ids)
    }
}
