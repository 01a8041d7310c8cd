//! What a clip does, read from its motion: what rests against the world is a contact, what leaves the ground flies.

use super::track::{Track, Way, runs};
use super::{Action, Contact, Entry, Limb, MAX_MARKS, Mark, Passes, Phases, Place};
use crate::database::{Database, TagMask};
use crate::frames::{ClipIndex, RowIndex};
use glam::Vec3;

/// A hand below this speed rests, m/s.
const HAND_MPS: f32 = 0.1;
/// A hand rests against something where it is so far from where it hangs at a standing body, metres.
const HAND_AWAY_M: f32 = 0.22;
/// A foot below this speed is planted, m/s.
const FOOT_MPS: f32 = 0.35;
/// A planted foot is this near to where it stands, metres.
const PLANT_M: f32 = 0.012;
/// The ends of a stretch by speed are off by no more, seconds.
const BLUR_S: f32 = 0.05;
/// Shortest contact, seconds.
const CONTACT_S: f32 = 0.07;
/// Hips below this share of their height at a standing body that rest are on a seat ...
const SEAT: f32 = 0.75;
/// ... below this speed, m/s ...
const SEAT_MPS: f32 = 0.06;
/// ... for so long, seconds.
const SEAT_S: f32 = 0.3;
/// Flights that are shorter are those of a run, seconds.
const FLIGHT_S: f32 = 0.22;
/// A ground that is so much higher or lower is another one, metres.
const LEVEL_M: f32 = 0.1;
/// Hands that touch within this time touch together, seconds.
const TOGETHER_S: f32 = 0.2;
/// Feet that are set down, or leave, within this time do so together, seconds.
const STEP_S: f32 = 0.1;
/// A foot clears what is this near to its joint, along the way, metres.
const NEAR_M: f32 = 0.12;
/// A joint of a foot that clears something is this high over it, metres.
const CLEAR_M: f32 = 0.08;
/// Longest time before a contact in which a body on the ground is lifted to it, seconds.
const RISE_S: f32 = 0.4;
/// The body has come out of an action so long after its last contact, seconds.
const OUT_S: f32 = 0.1;
/// Hips that leave the heights of the first moments by this much begin to do something else, metres.
const WIND_UP_M: f32 = 0.02;
/// The first moments, seconds.
const FIRST_S: f32 = 0.35;

/// A foot on the ground.
#[derive(Clone, Copy, Debug)]
struct Plant {
    foot: usize,
    from: usize,
    /// First frame after.
    to: usize,
    at: Vec3,
}

/// What is read of a clip: nothing where nothing is touched or jumped, two readings of a flight over level ground.
pub(super) fn actions(db: &Database, clip: ClipIndex, mirrored: bool, kinds: TagMask) -> Vec<Action> {
    let track = Track::of(db, clip, mirrored);
    if track.frames() < track.frames_of(0.5) || track.feet.is_empty() {
        return Vec::new();
    }
    let plants = plants(&track);
    let ground_m = [track.root[0].translation.y, track.root[track.frames() - 1].translation.y];
    let hands = hands(&track);
    let seat = seat(&track);
    let flight = flight(&track, &plants, &hands);
    let reading = Reading { track: &track, plants: &plants, hands: &hands, seat, flight, ground_m };
    let flight_s = flight.map(|(from, to)| [track.time_s(from), track.time_s(to)]);
    let end_s = track.time_s(track.frames() - 1);
    let readings = [reading.marks(), reading.clears().map(|marks| (Passes::Over, marks))];
    let action = |(passes, marks): (Passes, Vec<(Mark, Made)>)| {
        let entries = entries(db, clip, mirrored, marks.first()?.0.start_s);
        let contacts = reading.contacts(&marks);
        let marks: Vec<Mark> = marks.into_iter().map(|(mark, _)| mark).collect();
        let phases = reading.phases(&marks);
        let holds = marks[marks.len() - 1].end_s >= end_s - OUT_S;
        let found = Action {
            clip,
            mirrored,
            kinds,
            entries,
            phases,
            passes,
            marks,
            contacts,
            flight_s,
            ground_m,
            holds,
            end_s,
        };
        (!found.entries.is_empty()).then_some(found)
    };
    readings.into_iter().flatten().filter_map(action).collect()
}

fn entries(db: &Database, clip: ClipIndex, mirrored: bool, until_s: f32) -> Vec<Entry> {
    let view = db.view(clip, mirrored);
    let entry = |row: usize| {
        let row = RowIndex::new(row);
        let time_s = db.row_time_s(row);
        let (root, along, _) = view.root(time_s);
        Entry { row, time_s: time_s as f32, root: Place::of(root), velocity: root.rotation * along }
    };
    db.clips[clip.at()].row_range().map(entry).filter(|e| e.time_s < until_s).collect()
}

/// When feet are planted, by time.
fn plants(track: &Track) -> Vec<Plant> {
    let (least, blur) = (track.frames_of(CONTACT_S), track.frames_of(BLUR_S));
    let of = |(foot, way): (usize, &Way)| {
        let runs = runs(track.frames(), least, |f| way.speed_mps[f] < FOOT_MPS);
        let plant = move |(from, to)| {
            let at = rest(way, from, to);
            // The window over which a speed is measured blurs the ends: the place tells them.
            let near = |f: &usize| (way.raw[*f] - at).length() < PLANT_M;
            let from = (from.saturating_sub(blur)..to).find(|f| (*f..to.min(*f + 3)).all(|f| near(&f))).unwrap_or(from);
            let to = (from..(to + blur).min(way.raw.len())).rev().find(near).map_or(to, |f| f + 1);
            Plant { foot, from, to, at }
        };
        runs.into_iter().map(plant).collect::<Vec<_>>()
    };
    let mut all: Vec<Plant> = track.feet.iter().enumerate().flat_map(of).collect();
    all.sort_by_key(|p| (p.from, p.foot));
    all
}

/// Where a joint rests: the mean of the middle of its stretch.
fn rest(way: &Way, from: usize, to: usize) -> Vec3 {
    let quarter = (to - from) / 4;
    let middle = &way.at[from + quarter..(to - quarter).max(from + quarter + 1)];
    middle.iter().sum::<Vec3>() / middle.len() as f32
}

/// A hand that touches.
#[derive(Clone, Copy, Debug)]
struct Touch {
    hand: usize,
    from: usize,
    to: usize,
    at: Vec3,
}

fn hands(track: &Track) -> Vec<Touch> {
    let mut all = Vec::new();
    for (hand, way) in track.hands.iter().enumerate() {
        let Some(way) = way else { continue };
        let away = |f: usize| (track.root[f].inverse_point(way.at[f]) - track.hanging[hand]).length() > HAND_AWAY_M;
        let rests = |f: usize| way.speed_mps[f] < HAND_MPS && away(f);
        for (from, to) in runs(track.frames(), track.frames_of(CONTACT_S), rests) {
            all.push(Touch { hand, from, to, at: rest(way, from, to) });
        }
    }
    all.sort_by_key(|t| (t.from, t.hand));
    all
}

fn seat(track: &Track) -> Option<(usize, usize, Vec3)> {
    let way = track.hips.as_ref()?;
    let low = |f: usize| way.at[f].y - track.root[f].translation.y < SEAT * track.standing_m;
    let runs = runs(track.frames(), track.frames_of(SEAT_S), |f| low(f) && way.speed_mps[f] < SEAT_MPS);
    let (from, to) = runs.into_iter().next()?;
    Some((from, to, rest(way, from, to)))
}

/// The longest stretch in which nothing touches the ground.
fn flight(track: &Track, plants: &[Plant], hands: &[Touch]) -> Option<(usize, usize)> {
    let stands = |f: usize| {
        plants.iter().any(|p| (p.from..p.to).contains(&f)) || hands.iter().any(|t| (t.from..t.to).contains(&f))
    };
    let runs = runs(track.frames(), track.frames_of(FLIGHT_S), |f| !stands(f));
    runs.into_iter().filter(|(from, to)| *from > 0 && *to < track.frames()).max_by_key(|(from, to)| to - from)
}

/// A contact ends before the next one begins; at most [`MAX_MARKS`] are kept.
fn apart(marks: &mut Vec<(Mark, Made)>) {
    marks.truncate(MAX_MARKS);
    for k in 1..marks.len() {
        let next_s = marks[k].0.rises_s.max(marks[k - 1].0.start_s);
        marks[k - 1].0.end_s = marks[k - 1].0.end_s.min(next_s);
    }
}

/// What was found in a clip.
struct Reading<'a> {
    track: &'a Track,
    plants: &'a [Plant],
    hands: &'a [Touch],
    seat: Option<(usize, usize, Vec3)>,
    flight: Option<(usize, usize)>,
    ground_m: [f32; 2],
}

/// The joints that make a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    Hands {
        from: usize,
        until: usize,
    },
    Hips,
    /// Feet that are set down, or that leave, between these frames.
    Feet {
        from: usize,
        until: usize,
        leave: bool,
    },
    /// Something that is passed over.
    Nothing,
}

impl Reading<'_> {
    fn mark(&self, (from, to): (usize, usize), position: Vec3, rises: usize) -> Mark {
        let t = self.track;
        Mark {
            start_s: t.time_s(from),
            end_s: t.time_s(to.max(from)),
            rises_s: t.time_s(rises),
            position,
            yaw_rad: t.yaw_rad[from],
            root: t.root[from].translation,
        }
    }

    /// The last frame before `from` in which a foot is on the ground; at most [`RISE_S`] before.
    fn rises(&self, from: usize) -> usize {
        let last = self.plants.iter().filter(|p| p.from < from).map(|p| p.to.min(from)).max().unwrap_or(0);
        let still = self.plants.iter().any(|p| (p.from..p.to).contains(&from));
        if still { from.saturating_sub(self.track.frames_of(RISE_S)) } else { last }
    }

    /// The point of the ground under a foot.
    fn ground(&self, plant: &Plant) -> Vec3 {
        plant.at - Vec3::Y * self.track.foot_m[plant.foot]
    }

    /// The first foot that is set down after a frame.
    fn landing(&self, after: usize) -> Option<(Mark, Made)> {
        let first = self.plants.iter().find(|p| p.from >= after)?;
        Some(self.down(first, self.track.frames_of(CONTACT_S)))
    }

    /// The feet that are set down with one, held for so many frames.
    fn down(&self, first: &Plant, held: usize) -> (Mark, Made) {
        let until = first.from + self.track.frames_of(STEP_S);
        let with = self.plants.iter().filter(|p| p.from >= first.from && p.from < until);
        let mark = self.mark((first.from, first.to.min(first.from + held)), self.middle(with), self.rises(first.from));
        (mark, Made::Feet { from: first.from, until, leave: false })
    }

    /// The middle of the ground under feet.
    fn middle<'p>(&self, of: impl Iterator<Item = &'p Plant> + Clone) -> Vec3 {
        of.clone().map(|p| self.ground(p)).sum::<Vec3>() / of.count().max(1) as f32
    }

    /// True where no foot is on the ground for a while from a frame on.
    fn leaves_ground(&self, from: usize) -> bool {
        let t = self.track;
        let stands = |f: usize| self.plants.iter().any(|p| (p.from..p.to).contains(&f));
        let first = from.saturating_sub(t.frames_of(STEP_S));
        !runs(t.frames() - first, t.frames_of(TOGETHER_S), |f| !stands(first + f)).is_empty()
    }

    /// The contacts that a request places.
    fn marks(&self) -> Option<(Passes, Vec<(Mark, Made)>)> {
        let t = self.track;
        let mut marks = Vec::new();
        let mut passes = Passes::Touched;
        let rises = (self.ground_m[1] - self.ground_m[0]).abs() > LEVEL_M;
        if let Some((from, to, at)) = self.seat {
            marks.push((self.mark((from, to), at, from.saturating_sub(t.frames_of(RISE_S))), Made::Hips));
        } else if let Some(first) = self.hands.first() {
            let together = t.frames_of(TOGETHER_S);
            let with: Vec<&Touch> = self.hands.iter().filter(|h| h.from <= first.from + together).collect();
            let at = with.iter().map(|h| h.at).sum::<Vec3>() / with.len() as f32;
            let until = with.iter().map(|h| h.to).max().unwrap_or(first.to);
            let mark = self.mark((first.from, until), at, self.rises(first.from));
            marks.push((mark, Made::Hands { from: first.from, until }));
            marks.extend(self.landing(first.from + 1).filter(|_| self.leaves_ground(first.from)));
        } else if let Some((from, to)) = self.flight {
            let last = self.plants.iter().filter(|p| p.from < from).max_by_key(|p| (p.to, p.foot))?;
            let begin = last.from.max(last.to.saturating_sub(t.frames_of(RISE_S)));
            let (leave, until) = (last.to.saturating_sub(t.frames_of(STEP_S)), last.to + 1);
            let with = self.plants.iter().filter(|p| p.to >= leave && p.to < until);
            let mark = self.mark((begin, last.to), self.middle(with), begin);
            marks.push((mark, Made::Feet { from: leave, until, leave: true }));
            marks.extend(self.landing(to.saturating_sub(1)));
            passes = if rises { Passes::Touched } else { Passes::Gap };
        } else if rises {
            let gone = |p: &&Plant| (self.ground(p).y - self.ground_m[0]) / (self.ground_m[1] - self.ground_m[0]) > 0.5;
            marks.push(self.down(self.plants.iter().find(gone)?, t.frames_of(RISE_S)));
        }
        apart(&mut marks);
        (!marks.is_empty()).then_some((passes, marks))
    }

    /// Of a flight over level ground without hands: the top of what it clears, where both feet pass highest, and the landing.
    fn clears(&self) -> Option<Vec<(Mark, Made)>> {
        let t = self.track;
        let (from, to) = self.flight.filter(|_| self.hands.is_empty() && self.seat.is_none())?;
        if (self.ground_m[1] - self.ground_m[0]).abs() > LEVEL_M {
            return None;
        }
        let begin = t.root[from].translation;
        let ahead = (t.root[to].translation - begin).normalize_or_zero();
        // The lowest that any foot is within a hand's breadth of a point of the way.
        let height = |at_m: f32| {
            let near = |p: &&Vec3| ((**p - begin).dot(ahead) - at_m).abs() < NEAR_M;
            let low = t.feet.iter().flat_map(|way| way.at[from..to].iter().filter(near)).map(|p| p.y);
            low.fold(f32::MAX, f32::min)
        };
        let length_m = (t.root[to].translation - begin).length();
        let share =
            (2..=8).max_by(|a, b| height(length_m * *a as f32 * 0.1).total_cmp(&height(length_m * *b as f32 * 0.1)))?;
        let at_m = length_m * share as f32 * 0.1;
        let high_m = height(at_m) - self.ground_m[0] - CLEAR_M;
        if !(high_m > LEVEL_M && high_m < 10.0) {
            return None;
        }
        let top = from + ((to - from) * share) / 10;
        let over = begin + ahead * at_m;
        let position = Vec3::new(over.x, self.ground_m[0] + high_m, over.z);
        let mut marks = vec![(self.mark((top, top), position, from), Made::Nothing)];
        marks.push(self.landing(to.saturating_sub(1))?);
        apart(&mut marks);
        Some(marks)
    }

    fn contacts(&self, marks: &[(Mark, Made)]) -> Vec<Contact> {
        let t = self.track;
        let made = |of: &dyn Fn(Made) -> bool| marks.iter().position(|(_, made)| of(*made));
        let mut all = Vec::new();
        for touch in self.hands {
            let Some(way) = &t.hands[touch.hand] else { continue };
            all.push(Contact {
                joint: way.joint,
                limb: Limb::Hand(touch.hand),
                start_s: t.time_s(touch.from),
                end_s: t.time_s(touch.to),
                position: touch.at,
                mark: made(&|m| matches!(m, Made::Hands { from, until } if (from..until).contains(&touch.from))),
            });
        }
        if let (Some((from, to, position)), Some(way)) = (self.seat, &t.hips) {
            let (start_s, end_s) = (t.time_s(from), t.time_s(to));
            let mark = made(&|m| m == Made::Hips);
            all.push(Contact { joint: way.joint, limb: Limb::Hips, start_s, end_s, position, mark });
        }
        for plant in self.plants {
            all.push(Contact {
                joint: t.feet[plant.foot].joint,
                limb: Limb::Foot(plant.foot),
                start_s: t.time_s(plant.from),
                end_s: t.time_s(plant.to),
                position: plant.at,
                mark: made(&|m| match m {
                    Made::Feet { from, until, leave } => {
                        (from..until).contains(if leave { &plant.to } else { &plant.from })
                    }
                    _ => false,
                }),
            });
        }
        all.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        all
    }

    fn phases(&self, marks: &[Mark]) -> Phases {
        let t = self.track;
        let last_s = t.time_s(t.frames() - 1);
        let (first, last) = (&marks[0], &marks[marks.len() - 1]);
        let take_off_s =
            self.flight.map(|(from, _)| t.time_s(from)).filter(|s| *s < first.start_s || self.hands.is_empty());
        let action_s = take_off_s.unwrap_or(first.start_s).min(last_s);
        let held_s = self.hands.iter().map(|h| t.time_s(h.to)).filter(|s| *s < last_s - OUT_S).fold(0.0, f32::max);
        let follow_through_s = last.start_s.max(action_s);
        let recovery_s = (last.end_s.max(held_s) + OUT_S).min(last_s);
        Phases { wind_up_s: self.wind_up_s(action_s), action_s, follow_through_s, recovery_s }
    }

    /// When the hips leave the heights that they have in the first moments for good.
    fn wind_up_s(&self, action_s: f32) -> f32 {
        let t = self.track;
        let Some(hips) = &t.hips else { return action_s };
        let over = |f: usize| hips.at[f].y - t.root[f].translation.y;
        let first = 0..t.frames_of(FIRST_S.min(0.5 * action_s)).max(1);
        let (low, high) = first.map(over).fold((f32::MAX, f32::MIN), |(l, h), y| (l.min(y), h.max(y)));
        let usual = |f: usize| (low - WIND_UP_M..=high + WIND_UP_M).contains(&over(f));
        let action = t.frames_of(action_s).min(t.frames() - 1);
        (0..action).rev().find(|f| usual(*f)).map_or(0.0, |f| t.time_s(f + 1)).min(action_s)
    }
}
