//! The plan of an action: the best of all entries of all actions of the requested kinds.
//!
//! Play rate and warp of a candidate follow from its entry and the request. Its cost is that of the heights, that of the warp and of the
//! change of velocity, then that of the pose, added column by column. The search stops adding where the sum exceeds that of the best
//! candidate: terms are never negative, so the result is exact. Of equal costs, the first counts. Candidates beyond a limit do not count.

use super::action::{AT_ONCE_S, Action, Entry, MAX_MARKS, Passes, SHORTEST_S};
use super::arrive::{FOOT_M, way};
use super::config::ActionConfig;
use super::nearest::Nearest;
use super::place::{Correction, Place};
use super::refusal::{Miss, Refusal, RefusalReason};
use super::table::Actions;
use super::warp::Warp;
use crate::database::Database;
use crate::input::ActionRequest;
use crate::math::{Quat, flat, wrap_angle};
use crate::schema::ChannelKind;
use glam::Vec3;

/// Differences of times that are rounding, in seconds.
const ROUNDING_S: f32 = 1e-4;

/// A character with a request.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Its root: world.
    pub root: Place,
    /// Velocity of the root: world, in m/s.
    pub velocity: Vec3,
    /// `[contact joints]` positions of its feet: root space, in metres.
    pub toes: &'a [Vec3],
    /// `[contact joints]` true for a foot that stands: it stays where it is.
    pub stands: &'a [bool],
    /// `[columns]` normalised features of its pose. Those of the trajectory are ignored.
    pub pose: &'a [f32],
    /// `[columns]` run-time weights.
    pub multipliers: &'a [f32],
    /// The character's time, in seconds.
    pub now_s: f64,
}

/// An action that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Index in [`Actions::all`].
    pub action: usize,
    /// Index in [`Action::entries`].
    pub entry: usize,
    /// Play rate before the first contact.
    pub rate: f32,
    /// Contacts: world; as many as the action has marks.
    pub marks: [Place; MAX_MARKS],
    /// Cost.
    pub cost: f32,
}

/// Returns the contacts of an action for a request, for a body that stands at the height `level_m`. `None` if contacts are missing, or if
/// there are more than the action has.
pub(crate) fn places(action: &Action, request: &ActionRequest, level_m: f32) -> Option<[Place; MAX_MARKS]> {
    let both = request.contacts[1].is_some();
    let misfit = (action.passes == Passes::Gap && !both) || (action.passes == Passes::Over && both);
    if misfit || request.contacts.iter().skip(action.marks.len()).any(Option::is_some) {
        return None;
    }
    let mut places = [Place::default(); MAX_MARKS];
    for (k, mark) in action.marks.iter().enumerate() {
        places[k] = match request.contacts[k] {
            Some(c) => Place { position: c.position, yaw_rad: c.facing.normalized().yaw() },
            None if k == 0 => return None,
            None => {
                let (last, by) = (&places[k - 1], &action.marks[k - 1]);
                let turn = wrap_angle(last.yaw_rad - by.yaw_rad);
                let mut position = last.position + Quat::from_rotation_y(turn) * (mark.position - by.position);
                // A landing that is closer to the ground of the start than to the last contact is on that ground.
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

/// Returns the warp of an action from one of its entries.
pub(crate) fn warp(action: &Action, entry: usize, root: Place, marks: [Place; MAX_MARKS]) -> Warp<'_> {
    let Entry { time_s, root: clip_root, .. } = &action.entries[entry];
    Warp { action, base_s: *time_s, clip_root: *clip_root, root, marks }
}

/// Keeps the reason whose limit is exceeded most.
fn keep(worst: &mut Option<Miss>, value: f32, limit: f32, reason: RefusalReason) {
    let factor = value / limit.max(1e-6);
    if factor > 1.0 && worst.is_none_or(|(f, _)| factor > f) {
        *worst = Some((factor, reason));
    }
}

/// Returns what an entry misses that is too close to the first contact.
fn too_soon(action: &Action, entry: &Entry) -> Option<Miss> {
    let (given_s, needs_s) = (action.marks[0].start_s - entry.time_s, action.shortest_s());
    let miss = (needs_s / given_s.max(1e-3), RefusalReason::TooSoon { needs_s, given_s });
    (given_s < needs_s - ROUNDING_S).then_some(miss)
}

fn square(x: f32) -> f32 {
    x * x
}

impl ActionConfig {
    /// Returns the limit of the change of a contact's height, in metres. `height_m`: over the contact before.
    fn lift_limit_m(&self, height_m: f32) -> f32 {
        let share = if height_m < 0.0 { self.drop } else { self.lift };
        (share * height_m.abs()).max(self.lift_m)
    }

    /// Returns the limit of the change of the height of mark `k`, in metres.
    fn lift_limit_of_m(&self, action: &Action, k: usize) -> f32 {
        let from_m = if k == 0 { action.ground_m[0] } else { action.marks[k - 1].position.y };
        let least_m = if action.is_reach() { self.hand_lift_m } else { 0.0 };
        self.lift_limit_m(action.marks[k].position.y - from_m).max(least_m)
    }

    /// Returns the limit of a turn in so many seconds, in degrees.
    fn turn_limit_deg(&self, seconds: f32) -> f32 {
        self.turn_deg.min(self.turn_degps * seconds)
    }

    /// Returns the cost of the parts that are the same for every entry: heights, and the distance between the contacts.
    ///
    /// # Errors
    /// Returns what is missed.
    pub(super) fn fixed(&self, warp: &Warp, request: &ActionRequest) -> Result<f32, Miss> {
        let (mut worst, mut cost) = (None, 0.0);
        let (action, marks, level_m) = (warp.action, &warp.marks, warp.root.position.y);
        let first = &action.marks[0];
        let height_m = first.position.y - action.ground_m[0];
        let (off_m, limit_m) = (marks[0].position.y - level_m - height_m, self.lift_limit_of_m(action, 0));
        keep(&mut worst, off_m.abs(), limit_m, RefusalReason::Height { contact: 0, off_m, limit_m });
        cost += square(off_m / limit_m.max(1e-6));
        let m = flat(marks[0].position - warp.root.position).length();
        if !action.arrives() {
            keep(&mut worst, m, self.reach_m, RefusalReason::Far { m, limit_m: self.reach_m });
        }
        if let Some(second) = action.marks.get(1) {
            let (way, asked) = (second.position - first.position, marks[1].position - marks[0].position);
            if request.contacts[1].is_some() || request.landing_m.is_some() {
                let (off_m, limit_m) = (asked.y - way.y, self.lift_limit_m(way.y));
                keep(&mut worst, off_m.abs(), limit_m, RefusalReason::Height { contact: 1, off_m, limit_m });
                cost += square(off_m / limit_m.max(1e-6));
            }
            let [off_m, turn_rad] = warp.needs(warp.at_mark(0), 1);
            let limit_m = self.slide * flat(way).length() + self.slide_m;
            keep(&mut worst, off_m, limit_m, RefusalReason::Stretch { off_m, limit_m });
            let (deg, limit_deg) = (turn_rad.to_degrees(), self.turn_limit_deg(second.start_s - first.start_s));
            keep(&mut worst, deg, limit_deg, RefusalReason::Turn { deg, limit_deg });
            cost += square(off_m / limit_m.max(1e-6)) + square(deg / limit_deg.max(1e-6));
        }
        worst.map_or(Ok(self.warp_cost * cost), Err)
    }

    /// Returns the limit of the shift over the ground from a time of the clip to a mark, in metres.
    pub(super) fn slide_limit_m(&self, action: &Action, from_s: f32, mark: usize) -> f32 {
        if mark == 0 && action.first_mark_touches(from_s) {
            return self.slide_m;
        }
        let way_m = action.travelled_m(action.marks[mark].start_s) - action.travelled_m(from_s);
        self.slide * way_m.max(0.0) + self.slide_m
    }

    /// Returns play rate and cost of the path from an entry to the first contact. `window`: seconds from now.
    ///
    /// # Errors
    /// Returns what is missed.
    pub(super) fn way(
        &self,
        of: &Warp,
        situation: &Situation,
        entry: &Entry,
        window: Option<[f32; 2]>,
    ) -> Result<(f32, f32), Miss> {
        if let Some(miss) = too_soon(of.action, entry) {
            return Err(miss);
        }
        let natural_s = of.action.marks[0].start_s - entry.time_s;
        let rate = match window {
            Some([from_s, to_s]) => 1.0f32.clamp(natural_s / to_s, natural_s / from_s.max(1e-3).min(to_s)),
            None => 1.0,
        };
        let mut worst = None;
        keep(&mut worst, rate, self.fastest, RefusalReason::Rate { rate, limit: self.fastest });
        keep(&mut worst, self.slowest, rate, RefusalReason::Rate { rate, limit: self.slowest });
        let [off_m, turn_rad] = of.needs(of.base(), 0);
        let limit_m = self.slide_limit_m(of.action, entry.time_s, 0);
        let mut limit_deg = self.turn_limit_deg(natural_s / rate);
        if of.action.arrives() {
            // A turn of the body is one of its feet, too.
            limit_deg = limit_deg.min((limit_m / FOOT_M).to_degrees());
        }
        let deg = turn_rad.to_degrees();
        keep(&mut worst, off_m, limit_m, RefusalReason::Slide { off_m, limit_m });
        keep(&mut worst, deg, limit_deg, RefusalReason::Turn { deg, limit_deg });
        self.keep_feet(&mut worst, situation, entry);
        if let Some(miss) = worst {
            return Err(miss);
        }
        let range = if rate > 1.0 { self.fastest - 1.0 } else { 1.0 - self.slowest };
        let warped = square(off_m / limit_m.max(1e-6))
            + square(deg / limit_deg.max(1e-6))
            + square((rate - 1.0) / range.max(1e-6));
        let turned = Quat::from_rotation_y(of.base().turn_rad) * entry.velocity;
        let faster = turned * rate - situation.velocity;
        Ok((rate, self.warp_cost * warped + self.velocity_cost * faster.length_squared()))
    }

    /// Keeps what the feet miss at an entry, if that is worse.
    pub(super) fn keep_feet(&self, worst: &mut Option<Miss>, situation: &Situation, entry: &Entry) {
        for foot in &entry.stands {
            let (to, limit_m) = match situation.stands.get(foot.slot) {
                // It would have to hurry to its place.
                _ if foot.lands_in_s > AT_ONCE_S => (foot.toe, self.foot_mps * foot.lands_in_s),
                // It stays, and the leg makes up for it.
                Some(true) if !foot.is_marked => (foot.place, self.step_m),
                Some(true) => (foot.place, self.slide_m),
                // It would slide to its place, the more so the sooner it lands.
                _ => (foot.toe, self.slide_m * foot.lands_in_s / AT_ONCE_S),
            };
            let off_m = situation.toes.get(foot.slot).map_or(0.0, |toe| flat(to - *toe).length());
            keep(worst, off_m, limit_m, RefusalReason::Foot { off_m, limit_m });
        }
    }

    /// Returns the factor by which the feet exceed a limit at an entry, without the rest of [`ActionConfig::way`].
    fn feet_miss(&self, action: &Action, situation: &Situation, entry: &Entry) -> Option<f32> {
        let mut worst = None;
        self.keep_feet(&mut worst, situation, entry);
        worst.filter(|_| too_soon(action, entry).is_none()).map(|(factor, _)| factor)
    }

    /// Returns the lowest cost of the velocity at an entry whose clip is turned by `base`, over all play rates.
    pub(super) fn least_velocity_cost(&self, situation: &Situation, entry: &Entry, base: Correction) -> f32 {
        let turned = Quat::from_rotation_y(base.turn_rad) * entry.velocity;
        let best = turned.dot(situation.velocity) / turned.length_squared().max(1e-6);
        let rate = best.clamp(self.slowest.min(1.0), self.fastest.max(1.0));
        self.velocity_cost * (turned * rate - situation.velocity).length_squared()
    }

    /// Returns how far a warp with a play rate changes the clip on its way to mark `k`, each beside its limit: shift over the ground and
    /// lift, in metres; turn, in degrees. The first shift includes what the transition into the action displaces. Allocates nothing.
    pub fn changes(&self, warp: &Warp, rate: f32, k: usize) -> [[f32; 2]; 3] {
        let mark = &warp.action.marks[k];
        // A later mark is reached from the one before, unless the warp begins behind that.
        let last = k.checked_sub(1).map(|k| (k, &warp.action.marks[k])).filter(|(_, last)| last.start_s > warp.base_s);
        let (before, from_s, rate) = match last {
            Some((k, last)) => (warp.at_mark(k), last.start_s, 1.0),
            None => (warp.base(), warp.base_s, rate),
        };
        let [shift_m, turn_rad] = warp.needs(before, k);
        let limit_m = match last {
            Some((_, last)) => self.slide * flat(mark.position - last.position).length() + self.slide_m,
            None => self.slide_limit_m(warp.action, from_s, k),
        };
        let lift_m = warp.at_mark(k).to.y - before.point(mark.position).y;
        [
            [shift_m, limit_m],
            [lift_m, self.lift_limit_of_m(warp.action, k)],
            [turn_rad.to_degrees(), self.turn_limit_deg((mark.start_s - from_s).max(0.0) / rate)],
        ]
    }

    /// Returns true if a warp that begins in the middle of an action keeps the limits on its way to mark `k`.
    pub(crate) fn may_move(&self, warp: &Warp, k: usize, seconds: f32) -> bool {
        let [off_m, turn_rad] = warp.needs(warp.base(), k);
        let mark = &warp.action.marks[k];
        let lift_m = warp.at_mark(k).to.y - warp.base().point(mark.position).y;
        off_m <= self.slide_limit_m(warp.action, warp.base_s, k)
            && turn_rad.to_degrees() <= self.turn_limit_deg(seconds)
            && lift_m.abs() <= self.lift_limit_of_m(warp.action, k)
    }
}

/// Returns the columns that describe a pose.
fn pose_columns(db: &Database) -> impl Iterator<Item = usize> {
    let channels = db.schema.channels.iter().filter(|c| !c.kind.is_trajectory());
    channels.filter(|c| !matches!(c.kind, ChannelKind::User(_))).flat_map(|c| c.columns.clone())
}

/// Adds the cost of the pose of an entry to `start`, column by column, until the sum exceeds `most`.
pub(super) fn with_pose(
    db: &Database,
    situation: &Situation,
    (action, entry): (&Action, &Entry),
    start: f32,
    most: f32,
) -> f32 {
    let row = db.features.row(entry.row);
    // The rows of a stored mirror image are mirrored already.
    let flips = action.mirrored && !db.clips[action.clip.at()].mirrored;
    let mut sum = start;
    for c in pose_columns(db) {
        if sum > most {
            break;
        }
        let value = if flips {
            let from = db.mirror_columns[c];
            let raw = from.sign * db.features.denormalize(from.column, row[from.column]);
            (raw - db.features.offset[c]) / db.features.scale[c]
        } else {
            row[c]
        };
        let d = (situation.pose[c] - value) * situation.multipliers[c];
        sum += d * d;
    }
    sum
}

impl Actions {
    /// Returns the action that fits a request best if it is entered now. Allocates nothing.
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
        self.best(db, config, request, situation, true)
    }

    /// Returns the same by comparing all candidates in full: the definition of [`Actions::plan`], for tests.
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
        self.best(db, config, request, situation, false)
    }

    fn best(
        &self,
        db: &Database,
        config: &ActionConfig,
        request: &ActionRequest,
        situation: &Situation,
        prunes: bool,
    ) -> Result<Plan, Refusal> {
        let window = self.window(request, situation.root, situation.now_s)?;
        let (mut best, mut nearest): (Option<Plan>, _) = (None, Nearest::default());
        for (k, action) in self.of_request(request) {
            let Some(marks) = places(action, request, situation.root.position.y) else { continue };
            let first = warp(action, 0, situation.root, marks);
            let fixed = match self.fixed(config, k, &first, request) {
                Ok(cost) => cost,
                Err(miss) => {
                    // The way to an arrival may lead up or down.
                    nearest.note(k, miss, action.arrives());
                    continue;
                }
            };
            let bounds = (prunes && action.arrives()).then(|| (self.ways(k), way(situation.root, marks[0].position)));
            if bounds.is_some_and(|(ways, to)| nearest.is_no_match(ways.misses(to, config), best.is_some())) {
                continue;
            }
            for (e, entry) in action.entries.iter().enumerate() {
                let of_way = bounds.map_or(0.0, |(ways, to)| ways.entry_misses(e, to, config));
                let of_feet = prunes.then(|| config.feet_miss(action, situation, entry)).flatten().unwrap_or(0.0);
                if nearest.is_no_match(of_way.max(of_feet), best.is_some()) {
                    continue;
                }
                let of = warp(action, e, situation.root, marks);
                let (rate, way) = match config.way(&of, situation, entry, window) {
                    Ok(way) => way,
                    Err(miss) => {
                        nearest.note(k, miss, true);
                        continue;
                    }
                };
                let most = if prunes { best.map_or(f32::INFINITY, |b| b.cost) } else { f32::INFINITY };
                let cost = with_pose(db, situation, (action, entry), fixed + way, most);
                if best.is_none_or(|b| cost < b.cost) {
                    if let Err(miss) = self.clears(k, &of, request) {
                        nearest.note(k, miss, true);
                        continue;
                    }
                    best = Some(Plan { action: k, entry: e, rate, marks, cost });
                }
            }
        }
        best.ok_or_else(|| self.refusal(request, &nearest))
    }

    /// Returns the refusal of a request that no candidate meets.
    pub(super) fn refusal(&self, request: &ActionRequest, nearest: &Nearest) -> Refusal {
        let most = self.of_request(request).map(|(_, a)| a.marks.len()).max().unwrap_or(0);
        let reason = nearest.found.map_or(RefusalReason::Contacts { most }, |(_, (_, reason))| reason);
        let candidates = self.of_request(request).count();
        let (nearest, may_change) = (nearest.found.map(|(k, _)| k), nearest.may_change);
        Refusal { reason, nearest, candidates, missed: None, may_change }
    }

    /// Returns the window in seconds from now.
    ///
    /// # Errors
    /// Returns [`Refusal`] if there is no action of the kinds, if the window is over or as good as over, and if the way to an arrival is too
    /// long for it.
    pub(super) fn window(&self, request: &ActionRequest, root: Place, now_s: f64) -> Result<Option<[f32; 2]>, Refusal> {
        let refuse = |reason| Err(Refusal { reason, ..self.refusal(request, &Nearest::default()) });
        if self.of_request(request).next().is_none() {
            return refuse(RefusalReason::Unknown);
        }
        let Some([from_s, to_s]) = request.window_s else { return Ok(None) };
        let window = [(from_s - now_s) as f32, (to_s - now_s) as f32];
        if window[1] <= 0.0 {
            return refuse(RefusalReason::Past { late_s: -window[1] });
        }
        let contact = request.contacts[0].filter(|_| request.arrives());
        let way_m = contact.map_or(0.0, |to| flat(to.position - root.position).length());
        let needs_s = SHORTEST_S.max(way_m / self.fastest_mps.max(1e-3));
        if window[1] < needs_s {
            return refuse(RefusalReason::TooSoon { needs_s, given_s: window[1] });
        }
        Ok(Some(window))
    }
}
