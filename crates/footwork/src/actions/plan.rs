//! The search for an action: all clips of a kind, all entry rows, the warp of each.
//!
//! A candidate is an entry row of an action; the play rate to the first contact and the warp follow from it and the request. Its cost
//! is that of the warp, of the change of velocity, and of the pose, added in this order: the search stops adding where it is beyond the
//! best one so far, which changes nothing, and takes the first of equals. What is beyond a limit is no candidate.

use super::{Action, ActionConfig, Actions, Entry, MAX_MARKS, Passes, Place, Refusal, RefusalReason, Warp};
use crate::database::Database;
use crate::input::ActionRequest;
use crate::math::{Facing, Quat, wrap_angle};
use glam::Vec3;

/// A character that asks for an action.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Its root, world.
    pub root: Place,
    /// The root's velocity, world, m/s.
    pub velocity: Vec3,
    /// `[columns]` normalised features of its pose; those of the trajectory are not looked at.
    pub pose: &'a [f32],
    /// `[columns]` run-time weights.
    pub multipliers: &'a [f32],
    /// The character's time, seconds.
    pub now_s: f64,
}

/// An action that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Which, by its place in [`Actions::all`].
    pub action: usize,
    /// From which of its entries.
    pub entry: usize,
    /// How fast it plays up to the first contact.
    pub rate: f32,
    /// Where its contacts will be, world.
    pub marks: [Place; MAX_MARKS],
    /// What it costs.
    pub cost: f32,
}

/// Where a character goes to enter an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Approach {
    /// The root at the entry, world.
    pub to: Place,
    /// Its velocity there, world, m/s.
    pub velocity: Vec3,
    /// Seconds from there to the first contact.
    pub then_s: f32,
}

/// Actions shorter than this before their first contact are over before they are seen, seconds.
const SHORTEST_S: f32 = 0.12;

/// What is beyond a limit, and by what factor.
type Miss = (f32, RefusalReason);

impl Plan {
    /// The warp of this plan for a character whose root is at `root` at the entry.
    pub fn warp<'a>(&self, actions: &'a Actions, root: Place) -> Warp<'a> {
        warp(&actions.all()[self.action], self.entry, root, self.marks)
    }
}

pub(crate) fn warp(action: &Action, entry: usize, root: Place, marks: [Place; MAX_MARKS]) -> Warp<'_> {
    let Entry { time_s, root: clip_root, .. } = action.entries[entry];
    Warp { action, entry_s: time_s, clip_root, root, marks }
}

/// Where the marks of an action are to be for a request, for a body that stands at the height `level_m`. `None` where contacts are
/// missing, or more than the action has.
pub(crate) fn places(action: &Action, request: &ActionRequest, level_m: f32) -> Option<[Place; MAX_MARKS]> {
    let both = request.contacts[1].is_some();
    if (action.passes == Passes::Gap && !both) || (action.passes == Passes::Over && both) {
        return None;
    }
    let mut places = [Place::default(); MAX_MARKS];
    if request.contacts.iter().skip(action.marks.len()).any(Option::is_some) {
        return None;
    }
    for (k, mark) in action.marks.iter().enumerate() {
        places[k] = match request.contacts[k] {
            Some(c) => Place { position: c.position, yaw_rad: c.facing.normalized().yaw() },
            None if k == 0 => return None,
            None => {
                let (last, by) = (&places[k - 1], &action.marks[k - 1]);
                let turn = wrap_angle(last.yaw_rad - by.yaw_rad);
                let mut position = last.position + Quat::from_rotation_y(turn) * (mark.position - by.position);
                // What is nearer to the ground of the start than to the height of the last contact is on that ground.
                let over_ground = mark.position.y - action.ground_m[0];
                if let Some(landing_m) = request.landing_m {
                    position.y = landing_m;
                } else if over_ground.abs() < (mark.position.y - by.position.y).abs() {
                    position.y = level_m + over_ground;
                }
                Place { position, yaw_rad: wrap_angle(mark.yaw_rad + turn) }
            }
        };
    }
    Some(places)
}

/// Keeps what is furthest beyond its limit.
fn keep(worst: &mut Option<Miss>, value: f32, limit: f32, reason: RefusalReason) {
    let factor = value / limit.max(1e-6);
    if factor > 1.0 && worst.is_none_or(|(f, _)| factor > f) {
        *worst = Some((factor, reason));
    }
}

impl ActionConfig {
    fn lift_limit_m(&self, height_m: f32) -> f32 {
        (self.lift * height_m.abs()).max(self.lift_m)
    }

    /// What no entry can change: heights, and the way between the contacts. The cost of that, or what is missed.
    fn fixed(&self, action: &Action, request: &ActionRequest, marks: &[Place], level_m: f32) -> Result<f32, Miss> {
        let (mut worst, mut cost) = (None, 0.0);
        let first = &action.marks[0];
        let height_m = first.position.y - action.ground_m[0];
        let off_m = marks[0].position.y - level_m - height_m;
        let limit_m = self.lift_limit_m(height_m);
        keep(&mut worst, off_m.abs(), limit_m, RefusalReason::Height { contact: 0, off_m, limit_m });
        cost += square(off_m / limit_m.max(1e-6));
        if let Some(second) = action.marks.get(1) {
            let way = second.position - first.position;
            let asked = marks[1].position - marks[0].position;
            if request.contacts[1].is_some() || request.landing_m.is_some() {
                let (off_m, limit_m) = (asked.y - way.y, self.lift_limit_m(way.y));
                keep(&mut worst, off_m.abs(), limit_m, RefusalReason::Height { contact: 1, off_m, limit_m });
                cost += square(off_m / limit_m.max(1e-6));
            }
            let turn = wrap_angle(marks[0].yaw_rad - first.yaw_rad);
            let off_m = flat(asked - Quat::from_rotation_y(turn) * way).length();
            let limit_m = (self.stretch * flat(way).length()).max(self.lift_m);
            keep(&mut worst, off_m, limit_m, RefusalReason::Stretch { off_m, limit_m });
            cost += square(off_m / limit_m.max(1e-6));
        }
        worst.map_or(Ok(self.warp_cost * cost), Err)
    }

    /// What the way from an entry to the first contact asks for, and what it costs: play rate and cost, or what is missed.
    fn way(&self, of: &Warp, velocity: Vec3, entry: &Entry, window: Option<[f32; 2]>) -> Result<(f32, f32), Miss> {
        let first = &of.action.marks[0];
        let natural_s = first.start_s - entry.time_s;
        if natural_s < SHORTEST_S {
            let reason = RefusalReason::TooSoon { needs_s: SHORTEST_S, given_s: natural_s };
            return Err((SHORTEST_S / natural_s.max(1e-3), reason));
        }
        let rate = match window {
            Some([from_s, to_s]) => 1.0f32.clamp(natural_s / to_s.max(1e-3), natural_s / from_s.max(1e-3).min(to_s)),
            None => 1.0,
        };
        let mut worst = None;
        keep(&mut worst, rate, self.fastest, RefusalReason::Rate { rate, limit: self.fastest });
        keep(&mut worst, self.slowest, rate, RefusalReason::Rate { rate, limit: self.slowest });
        let seconds = natural_s / rate;
        let [slide_m, turn_rad, _] = of.needs(0, first.root);
        let (mps, deg) = (slide_m / seconds, turn_rad.to_degrees());
        let limit_deg = self.turn_deg.min(self.turn_degps * seconds);
        keep(&mut worst, mps, self.slide_mps, RefusalReason::Slide { mps, limit_mps: self.slide_mps });
        keep(&mut worst, deg, limit_deg, RefusalReason::Turn { deg, limit_deg });
        if let Some(miss) = worst {
            return Err(miss);
        }
        let range = if rate > 1.0 { self.fastest - 1.0 } else { 1.0 - self.slowest };
        let warped = square(mps / self.slide_mps.max(1e-6))
            + square(deg / limit_deg.max(1e-6))
            + square((rate - 1.0) / range.max(1e-6));
        let turned = Quat::from_rotation_y(of.root.yaw_rad - of.clip_root.yaw_rad) * entry.velocity;
        let faster = turned * rate - velocity;
        Ok((rate, self.warp_cost * warped + self.velocity_cost * faster.length_squared()))
    }
}

fn square(x: f32) -> f32 {
    x * x
}

/// The columns of a pose.
fn pose_columns(db: &Database) -> impl Iterator<Item = usize> {
    let channels = db.schema.channels.iter().filter(|c| !c.kind.is_trajectory());
    channels.filter(|c| !matches!(c.kind, crate::schema::ChannelKind::User(_))).flat_map(|c| c.columns.clone())
}

/// `start` and what the pose of an entry costs, added column by column; more than `most` as soon as it is.
fn with_pose(db: &Database, situation: &Situation, (action, entry): (&Action, &Entry), start: f32, most: f32) -> f32 {
    let row = db.features.row(entry.row);
    // A row of its own is already what it looks like in the mirror.
    let flips = action.mirrored && !db.clips[action.clip.at()].mirrored;
    let mut sum = start;
    for c in pose_columns(db) {
        let value = if flips {
            let from = db.mirror_columns[c];
            let raw = from.sign * db.features.denormalize(from.column, row[from.column]);
            (raw - db.features.offset[c]) / db.features.scale[c]
        } else {
            row[c]
        };
        let d = (situation.pose[c] - value) * situation.multipliers[c];
        sum += d * d;
        if sum > most {
            break;
        }
    }
    sum
}

impl Actions {
    /// The action that fits a request best if it is entered now. Allocates nothing.
    ///
    /// # Errors
    /// Returns [`Refusal`] with what the nearest candidate misses.
    pub fn plan(
        &self,
        db: &Database,
        config: &ActionConfig,
        request: &ActionRequest,
        situation: &Situation,
    ) -> Result<Plan, Refusal> {
        self.search(db, config, request, situation, true)
    }

    /// The same by comparing all candidates in full: the definition of [`Actions::plan`], for tests.
    ///
    /// # Errors
    /// As [`Actions::plan`].
    pub fn plan_by_brute_force(
        &self,
        db: &Database,
        config: &ActionConfig,
        request: &ActionRequest,
        situation: &Situation,
    ) -> Result<Plan, Refusal> {
        self.search(db, config, request, situation, false)
    }

    fn search(
        &self,
        db: &Database,
        config: &ActionConfig,
        request: &ActionRequest,
        situation: &Situation,
        prunes: bool,
    ) -> Result<Plan, Refusal> {
        let window = self.check(request, situation.now_s)?;
        let level_m = situation.root.position.y;
        let mut best: Option<Plan> = None;
        let mut nearest: Option<(usize, Miss)> = None;
        let mut miss = |k: usize, miss: Miss| {
            if nearest.is_none_or(|(_, (f, _))| miss.0 < f) {
                nearest = Some((k, miss));
            }
        };
        for (k, action) in self.of_kind(request.kind) {
            let Some(marks) = places(action, request, level_m) else { continue };
            let fixed = match config.fixed(action, request, &marks, level_m) {
                Ok(cost) => cost,
                Err(missed) => {
                    miss(k, missed);
                    continue;
                }
            };
            for (e, entry) in action.entries.iter().enumerate() {
                let of = warp(action, e, situation.root, marks);
                let (rate, way) = match config.way(&of, situation.velocity, entry, window) {
                    Ok(way) => way,
                    Err(missed) => {
                        miss(k, missed);
                        continue;
                    }
                };
                let most = if prunes { best.map_or(f32::INFINITY, |b| b.cost) } else { f32::INFINITY };
                let cost = with_pose(db, situation, (action, entry), fixed + way, most);
                if best.is_none_or(|b| cost < b.cost) {
                    best = Some(Plan { action: k, entry: e, rate, marks, cost });
                }
            }
        }
        best.ok_or_else(|| self.refusal(request, nearest))
    }

    fn refusal(&self, request: &ActionRequest, nearest: Option<(usize, Miss)>) -> Refusal {
        let candidates = self.of_kind(request.kind).count();
        let most = self.of_kind(request.kind).map(|(_, a)| a.marks.len()).max().unwrap_or(0);
        let reason = nearest.map_or(RefusalReason::Contacts { most }, |(_, (_, reason))| reason);
        Refusal { kind: request.kind, reason, nearest: nearest.map(|(k, _)| k), candidates }
    }

    /// The window in seconds from now.
    fn check(&self, request: &ActionRequest, now_s: f64) -> Result<Option<[f32; 2]>, Refusal> {
        let refuse = |reason| Err(Refusal { reason, ..self.refusal(request, None) });
        if self.of_kind(request.kind).next().is_none() {
            return refuse(RefusalReason::Unknown);
        }
        if let Some(value) = request.unusable() {
            return refuse(RefusalReason::NotUsable { value });
        }
        let Some([from_s, to_s]) = request.window_s else { return Ok(None) };
        let window = [(from_s.min(to_s) - now_s) as f32, (to_s - now_s) as f32];
        if window[1] <= 0.0 {
            return refuse(RefusalReason::Past { late_s: -window[1] });
        }
        Ok(Some(window))
    }

    /// Where to go to enter an action later, at most `most_mps` fast. Allocates nothing.
    ///
    /// # Errors
    /// Returns [`Refusal`] where going there changes nothing: no clip fits, or none in time, or it is too far away.
    pub(crate) fn approach(
        &self,
        config: &ActionConfig,
        request: &ActionRequest,
        situation: &Situation,
        most_mps: f32,
    ) -> Result<Approach, Refusal> {
        let window = self.check(request, situation.now_s)?;
        let root = situation.root;
        let mut best: Option<(f32, Approach)> = None;
        let mut nearest: Option<(usize, Miss)> = None;
        let mut miss = |k: usize, miss: Miss| {
            if nearest.is_none_or(|(_, (f, _))| miss.0 < f) {
                nearest = Some((k, miss));
            }
        };
        for (k, action) in self.of_kind(request.kind) {
            let Some(marks) = places(action, request, root.position.y) else { continue };
            let fixed = match config.fixed(action, request, &marks, root.position.y) {
                Ok(cost) => cost,
                Err(missed) => {
                    miss(k, missed);
                    continue;
                }
            };
            let Some(approach) = Approach::to(action, &marks) else { continue };
            let way_m = flat(approach.to.position - root.position).length();
            if way_m > config.reach_m {
                let reason = RefusalReason::Far { m: way_m, limit_m: config.reach_m };
                miss(k, (way_m / config.reach_m.max(1e-3), reason));
                continue;
            }
            let speed_mps = flat(situation.velocity).length();
            let wanted_mps = match window {
                Some([_, to_s]) => {
                    let least_s = way_m / most_mps.max(speed_mps).max(0.1);
                    let needs_s = (least_s + approach.then_s / config.fastest).min(SHORTEST_S.max(least_s));
                    if needs_s > to_s {
                        miss(k, (needs_s / to_s, RefusalReason::TooSoon { needs_s, given_s: to_s }));
                        continue;
                    }
                    way_m / (to_s - approach.then_s).max(0.1)
                }
                None if way_m > STEPS_M => speed_mps.max(WALK_MPS),
                None => speed_mps,
            };
            let faster = flat(approach.velocity).length() - wanted_mps.min(most_mps);
            let cost = fixed + config.velocity_cost * faster * faster;
            if best.is_none_or(|(c, _)| cost < c) {
                best = Some((cost, approach));
            }
        }
        best.map(|(_, approach)| approach).ok_or_else(|| self.refusal(request, nearest))
    }
}

/// A way that is gone in a few steps, metres.
const STEPS_M: f32 = 1.5;
/// How fast a longer one is gone at least, m/s.
const WALK_MPS: f32 = 1.4;

fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

impl Approach {
    /// To the entry at which an action begins to differ from locomotion, put down where its first contact fits.
    fn to(action: &Action, marks: &[Place]) -> Option<Self> {
        let wind_up_s = action.phases.wind_up_s;
        let last = action.entries.len().checked_sub(1)?;
        let entry = &action.entries[action.entries.partition_point(|e| e.time_s < wind_up_s).min(last)];
        let (first, place) = (&action.marks[0], &marks[0]);
        let turn_rad = wrap_angle(place.yaw_rad - first.yaw_rad);
        let turn = Quat::from_rotation_y(turn_rad);
        let position = place.position + turn * (entry.root.position - first.position);
        Some(Self {
            to: Place { position, yaw_rad: wrap_angle(entry.root.yaw_rad + turn_rad) },
            velocity: turn * entry.velocity,
            then_s: first.start_s - entry.time_s,
        })
    }

    /// The velocity and the facing to be steered at, world, `left_s` seconds before the first contact is to happen where a time is
    /// given; `stops_mps` is the fastest speed from which one comes to rest at the end of a way.
    pub(crate) fn steer(
        &self,
        root: Place,
        speed_mps: f32,
        left_s: Option<f32>,
        stops_mps: impl Fn(Vec3) -> f32,
    ) -> (Vec3, Facing) {
        let way = flat(self.to.position - root.position);
        let way_m = way.length();
        let there_mps = flat(self.velocity).length();
        let cruise_mps = match left_s {
            Some(left_s) => way_m / (left_s - self.then_s).max(0.1),
            None if way_m > STEPS_M => speed_mps.max(WALK_MPS),
            None => WALK_MPS,
        };
        let facing = Facing::from_yaw(self.to.yaw_rad);
        if there_mps < STANDING_MPS {
            let velocity = way.normalize_or_zero() * cruise_mps.min(stops_mps(way));
            let towards = Facing::from_direction(way).filter(|_| way_m > STEPS_M).unwrap_or(facing);
            return (velocity, towards);
        }
        // On its way through the entry, and on where it leads.
        let towards = if way.dot(self.velocity) > 0.0 && way_m > 0.2 { way / way_m } else { self.velocity / there_mps };
        let mps = cruise_mps.max(0.5 * there_mps);
        (towards * mps, Facing::from_direction(towards).unwrap_or(facing))
    }
}

/// Who enters slower than this stands, m/s.
const STANDING_MPS: f32 = 0.3;
