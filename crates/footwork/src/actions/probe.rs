//! The probe: what lies ahead of a character, found by rays of the game, and requests that would pass it.
//!
//! Rays from above give the height of the ground along a line, and level rays between them find what is thinner than their distance. The
//! first step that is higher than a foot is a ledge, and the first fall an edge. A level ray finds the face of a ledge, and with it the
//! direction that contacts face. Everything is proposed, nothing is taken: the game passes a proposal on as a request.

use crate::database::Database;
use crate::input::{ActionContact, ActionRequest};
use crate::math::{Facing, flat};
use crate::obstacles::Obstacle;
use glam::{Vec2, Vec3};

/// Finds what a ray meets: origin, direction (a unit vector) and length (world, in metres). `None` if it meets nothing.
pub type RayHook<'a> = dyn Fn(Vec3, Vec3, f32) -> Option<RayHit> + 'a;

/// What a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Distance from its origin, in metres.
    pub distance_m: f32,
    /// Normal of the surface: world.
    pub normal: Vec3,
}

/// Distance between two rays from above, in metres.
const SPACING_M: f32 = 0.2;
/// Number of rays from above.
const RAYS: usize = 22;
/// Height over the feet at which they begin, and depth under them at which they end, in metres.
const FROM_M: f32 = 2.5;
const DOWN_M: f32 = 2.5;
/// Difference in height that is no step, in metres.
const LEVEL_M: f32 = 0.12;
/// Height over the ground of the level rays, in metres, and distance behind a face at which its top is measured.
const SHIN_M: f32 = 0.17;
const BEHIND_M: f32 = 0.02;
/// Difference between the feet and the ground under the root from which they stand on something else, in metres.
const BESIDE_M: f32 = 0.3;
/// Halvings of the distance between two rays, to find an edge.
const HALVINGS: usize = 5;
/// Greatest angle between the line and the direction into a ledge, as its cosine: 45 degrees.
const ALONG: f32 = 0.7;
/// Depth of a ledge up to which it is cleared or vaulted, in metres.
const THIN_M: f32 = 0.7;
/// Longest gap that is jumped, in metres, and difference in height of its sides.
const GAP_M: (f32, f32) = (3.3, 0.3);
/// Half width of proposed blocks, in metres.
const HALF_WIDTH_M: f32 = 0.5;
/// Distances of contacts from an edge, in metres: hands behind and over it, toes before and behind a gap, behind a step up and down.
const HAND_M: (f32, f32) = (0.05, 0.03);
const TOES_M: (f32, f32) = (0.09, 0.21);
const STEP_M: (f32, f32) = (0.12, 0.25);
/// The hips of a seated body: behind the front edge and over the seat, in metres.
const SEATED_M: (f32, f32) = (0.16, 0.12);

/// A request that would pass what lies ahead, without a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Proposal {
    /// Kinds, by name; the one that fits best is taken.
    pub kinds: [Option<&'static str>; 3],
    /// As [`ActionRequest::contacts`].
    pub contacts: [Option<ActionContact>; 2],
    /// As [`ActionRequest::landing_m`].
    pub landing_m: Option<f32>,
    /// As [`ActionRequest::block`].
    pub block: Option<Obstacle>,
    /// Distance to it along the line, in metres.
    pub distance_m: f32,
}

/// Results of a probe: at most [`Proposals::MOST`]; the first keeps the direction best.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Proposals {
    found: [Proposal; Self::MOST],
    count: usize,
}

impl Proposals {
    /// Maximum number of proposals.
    pub const MOST: usize = 4;

    /// Returns the proposals.
    pub fn found(&self) -> &[Proposal] {
        &self.found[..self.count]
    }

    fn add(&mut self, proposal: Proposal) {
        if let Some(room) = self.found.get_mut(self.count) {
            *room = proposal;
            self.count += 1;
        }
    }
}

impl Proposal {
    /// Returns the request with a number, of the kinds that a database has; `None` if it has none of them.
    pub fn request(&self, db: &Database, id: u16) -> Option<ActionRequest> {
        let mut kinds = [None; 4];
        let known = self.kinds.iter().flatten().filter_map(|name| db.action_kind(name).ok());
        kinds.iter_mut().zip(known).for_each(|(room, kind)| *room = Some(kind));
        let Self { contacts, landing_m, block, .. } = *self;
        let request = ActionRequest { id, kinds, contacts, landing_m, block, ..ActionRequest::default() };
        kinds[0].map(|_| request)
    }
}

/// A line over the ground.
struct Way<'a> {
    feet: Vec3,
    along: Vec3,
    ray: &'a RayHook<'a>,
}

impl Way<'_> {
    fn at(&self, way_m: f32) -> Vec3 {
        self.feet + self.along * way_m
    }

    /// Returns the height of the ground, world; `None` if there is none.
    fn ground_m(&self, way_m: f32) -> Option<f32> {
        let from = self.at(way_m) + Vec3::Y * FROM_M;
        let hit = (self.ray)(from, Vec3::NEG_Y, FROM_M + DOWN_M)?;
        hit.distance_m.is_finite().then_some(from.y - hit.distance_m)
    }

    /// Returns the last distance before `to_m` at which the ground is at the height `level_m` as at `from_m`.
    fn edge_m(&self, from_m: f32, to_m: f32, level_m: f32) -> f32 {
        let (mut same_m, mut other_m) = (from_m, to_m);
        for _ in 0..HALVINGS {
            let middle_m = 0.5 * (same_m + other_m);
            let same = self.ground_m(middle_m).is_some_and(|h| (h - level_m).abs() <= LEVEL_M);
            *(if same { &mut same_m } else { &mut other_m }) = middle_m;
        }
        0.5 * (same_m + other_m)
    }

    /// Returns the distance and the height of the first thing on level ground between two distances.
    fn thin_m(&self, [from_m, to_m]: [f32; 2], level_m: f32) -> Option<(f32, f32)> {
        let start = self.at(from_m).with_y(level_m + SHIN_M);
        let hit = (self.ray)(start, self.along, to_m - from_m)?;
        let edge_m = from_m + hit.distance_m;
        let top_m = self.ground_m(edge_m + BEHIND_M)?;
        (top_m > level_m + LEVEL_M).then_some((edge_m, top_m))
    }

    /// Returns the direction into a face that a level ray meets; that of the line if it meets none, `None` for one at an angle.
    fn facing_of_face(&self, from: Vec3, direction: Vec3, length_m: f32) -> Option<Facing> {
        let Some(hit) = (self.ray)(from, direction, length_m) else { return Facing::from_direction(self.along) };
        let into = flat(hit.normal) * -direction.dot(self.along).signum();
        let into = Facing::from_direction(into)?;
        (into.direction().dot(self.along) > ALONG).then_some(into)
    }
}

/// Returns what lies ahead of feet at `feet` (world, in metres) in the direction `along`. Allocates nothing.
pub(crate) fn probe(feet: Vec3, along: Facing, ray: &RayHook) -> Proposals {
    let way = Way { feet, along: along.direction(), ray };
    // At an edge, the feet stand beside what is under the root.
    let under_m = way.ground_m(0.0).filter(|m| (m - feet.y).abs() < BESIDE_M);
    let (mut out, mut level_m) = (Proposals::default(), under_m.unwrap_or(feet.y));
    for k in 1..=RAYS {
        let (from_m, to_m) = ((k - 1) as f32 * SPACING_M, k as f32 * SPACING_M);
        match way.ground_m(to_m) {
            Some(height_m) if (height_m - level_m).abs() <= LEVEL_M => {
                if let Some((edge_m, top_m)) = way.thin_m([from_m, to_m], level_m) {
                    ledge(&way, edge_m, [level_m, top_m], &mut out);
                    break;
                }
                level_m = height_m;
            }
            Some(height_m) if height_m > level_m => {
                let edge_m = way.edge_m(from_m, to_m, level_m);
                ledge(&way, edge_m, [level_m, height_m], &mut out);
                break;
            }
            below => {
                let edge_m = way.edge_m(from_m, to_m, level_m);
                fall(&way, edge_m, level_m, below, &mut out);
                break;
            }
        }
    }
    out
}

/// Proposes ways over or onto a ledge from one height to another.
fn ledge(way: &Way, edge_m: f32, [from_m, to_m]: [f32; 2], out: &mut Proposals) {
    let rise_m = to_m - from_m;
    let before = way.at(edge_m - SPACING_M);
    let from = Vec3::new(before.x, from_m + 0.5 * rise_m, before.z);
    let Some(facing) = way.facing_of_face(from, way.along, 2.0 * SPACING_M) else { return };
    let into = facing.direction();
    // Its depth, as far as the rays see.
    let mut behind_m = edge_m + 0.5 * SPACING_M;
    let is_top = |at_m: f32| way.ground_m(at_m).is_some_and(|h| (h - to_m).abs() <= LEVEL_M);
    while is_top(behind_m) && behind_m < edge_m + 2.0 {
        behind_m += 0.5 * SPACING_M;
    }
    let back_m = if is_top(behind_m) { behind_m } else { way.edge_m(behind_m - 0.5 * SPACING_M, behind_m, to_m) };
    let deep_m = (back_m - edge_m).max(0.02);
    let edge = way.at(edge_m);
    let edge = Vec3::new(edge.x, to_m, edge.z);
    let base = edge + into * (0.5 * deep_m) - Vec3::Y * rise_m;
    let block = Some(Obstacle::cuboid(base, Vec2::new(HALF_WIDTH_M, 0.5 * deep_m), facing, rise_m));
    let of = |kinds: [Option<&'static str>; 3], position: Vec3, facing: Facing| Proposal {
        kinds,
        contacts: [Some(ActionContact { position, facing }), None],
        landing_m: None,
        block,
        distance_m: edge_m,
    };
    let hands = edge + into * HAND_M.0 + Vec3::Y * HAND_M.1;
    if deep_m < THIN_M {
        if rise_m < 0.95 {
            out.add(of([Some("hurdle"), None, None], edge + into * (0.5 * deep_m), facing));
        }
        out.add(of([Some("vault"), None, None], hands, facing));
    } else {
        if rise_m < 0.55 {
            out.add(of([Some("step_up"), None, None], edge + into * STEP_M.0, facing));
        }
        out.add(of([Some("mantle"), Some("climb"), None], hands, facing));
    }
    if (0.3..0.65).contains(&rise_m) {
        let hips = edge + into * SEATED_M.0 + Vec3::Y * SEATED_M.1;
        out.add(of([Some("sit"), None, None], hips, facing.turned(std::f32::consts::PI)));
    }
}

/// Proposes ways over or down an edge behind which the ground is lower, or unknown.
fn fall(way: &Way, edge_m: f32, level_m: f32, below_m: Option<f32>, out: &mut Proposals) {
    let beyond = way.at(edge_m + SPACING_M);
    let back = Vec3::new(beyond.x, level_m - 0.5 * LEVEL_M, beyond.z);
    let Some(facing) = way.facing_of_face(back, -way.along, 2.0 * SPACING_M) else { return };
    let along = facing.direction();
    let edge = way.at(edge_m);
    let edge = Vec3::new(edge.x, level_m, edge.z);
    let contact = |position: Vec3| Some(ActionContact { position, facing });
    let take_off = contact(edge - along * TOES_M.0);
    // The other side of a gap.
    let mut far_m = edge_m + SPACING_M;
    let is_side = |at_m: f32| way.ground_m(at_m).filter(|h| (h - level_m).abs() <= GAP_M.1);
    while far_m < edge_m + GAP_M.0 {
        if let Some(height_m) = is_side(far_m) {
            let far_m = way.edge_m(far_m, far_m - SPACING_M, height_m);
            let far = way.at(far_m);
            let landing = contact(Vec3::new(far.x, height_m, far.z) + along * TOES_M.1);
            let kinds = [Some("jump"), None, None];
            let contacts = [take_off, landing];
            out.add(Proposal { kinds, contacts, distance_m: edge_m, ..Proposal::default() });
            break;
        }
        far_m += SPACING_M;
    }
    let Some(below_m) = below_m else { return };
    let down_m = level_m - below_m;
    if down_m < 0.55 {
        let contacts = [contact(edge - Vec3::Y * down_m + along * STEP_M.1), None];
        out.add(Proposal {
            kinds: [Some("step_down"), None, None],
            contacts,
            distance_m: edge_m,
            ..Proposal::default()
        });
    }
    if down_m > 0.35 {
        let (kinds, contacts) = ([Some("drop"), None, None], [take_off, None]);
        let landing_m = Some(below_m);
        out.add(Proposal { kinds, contacts, landing_m, distance_m: edge_m, ..Proposal::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first hit of a ray among boxes (low and high corner), and a floor at height 0 for x below 20 m.
    fn cast(boxes: &[[Vec3; 2]], from: Vec3, along: Vec3, most_m: f32) -> Option<RayHit> {
        let floor = [[Vec3::new(-50.0, -9.0, -50.0), Vec3::new(50.0, 0.0, 50.0)]];
        let hit = |[low, high]: &[Vec3; 2]| {
            let (mut enter_m, mut leave_m, mut normal) = (f32::NEG_INFINITY, f32::INFINITY, Vec3::ZERO);
            for k in 0..3 {
                if along[k] == 0.0 {
                    if from[k] < low[k] || from[k] > high[k] {
                        return None;
                    }
                    continue;
                }
                let (a, b) = ((low[k] - from[k]) / along[k], (high[k] - from[k]) / along[k]);
                if a.min(b) > enter_m {
                    (enter_m, normal) = (a.min(b), Vec3::ZERO);
                    normal[k] = -along[k].signum();
                }
                leave_m = leave_m.min(a.max(b));
            }
            let met = enter_m <= leave_m && enter_m >= 0.0 && enter_m <= most_m;
            met.then_some(RayHit { distance_m: enter_m, normal })
        };
        boxes.iter().chain(&floor).filter_map(hit).min_by(|a, b| a.distance_m.total_cmp(&b.distance_m))
    }

    fn look(boxes: &[[Vec3; 2]], feet: Vec3) -> Proposals {
        probe(feet, Facing::FORWARD, &|from, along, most_m| cast(boxes, from, along, most_m))
    }

    fn across(z: f32, deep_m: f32, height_m: f32) -> [Vec3; 2] {
        [Vec3::new(-3.0, 0.0, z), Vec3::new(3.0, height_m, z + deep_m)]
    }

    fn names(found: &Proposals) -> Vec<&'static str> {
        found.found().iter().flat_map(|p| p.kinds).flatten().collect()
    }

    #[test]
    fn ledges_are_proposed_by_height_and_depth_with_their_edges() {
        assert!(look(&[], Vec3::ZERO).found().is_empty());
        assert_eq!(names(&look(&[across(2.0, 0.2, 0.6)], Vec3::ZERO)), ["hurdle", "vault", "sit"]);
        assert_eq!(names(&look(&[across(2.0, 3.0, 1.4)], Vec3::ZERO)), ["mantle", "climb"]);
        assert_eq!(names(&look(&[across(2.0, 3.0, 0.2)], Vec3::ZERO)), ["step_up", "mantle", "climb"]);
        // Thin bars are found wherever they stand between the rays from above.
        for k in 0..20 {
            let bar = look(&[across(1.5 + 0.03 * k as f32, 0.05, 0.5)], Vec3::ZERO);
            let distance_m = bar.found().first().map_or(0.0, |p| p.distance_m);
            assert!((distance_m - 1.5 - 0.03 * k as f32).abs() < 0.05, "{bar:?}");
        }
        let wall = look(&[across(2.03, 0.2, 1.0)], Vec3::ZERO);
        let (hands, block) = (wall.found()[0].contacts[0].unwrap(), wall.found()[0].block.unwrap());
        assert!((hands.position - Vec3::new(0.0, 1.03, 2.08)).length() < 0.02, "{hands:?}");
        assert_eq!(hands.facing, Facing::FORWARD);
        assert!((block.half_m.y - 0.1).abs() < 0.02 && (block.height_m - 1.0).abs() < 1e-5, "{block:?}");
    }

    #[test]
    fn edges_are_proposed_with_what_lies_behind_them() {
        let platform = [across(-4.0, 6.0, 1.2)];
        // Above the near edge.
        assert_eq!(names(&look(&platform, Vec3::new(0.0, 1.2, -4.02))), [""; 0]);
        let down = look(&platform, Vec3::Y * 1.2);
        assert_eq!((names(&down), down.found()[0].landing_m), (vec!["drop"], Some(0.0)));
        let both = [across(-4.0, 6.0, 1.2), across(3.5, 2.0, 1.3)];
        let gap = look(&both, Vec3::Y * 1.2);
        assert_eq!(names(&gap), ["jump", "drop"]);
        let [Some(from), Some(to)] = gap.found()[0].contacts else { panic!() };
        assert!((from.position - Vec3::new(0.0, 1.2, 1.91)).length() < 0.02, "{from:?}");
        assert!((to.position - Vec3::new(0.0, 1.3, 3.71)).length() < 0.02, "{to:?}");
    }

    #[test]
    fn hostile_rays_give_no_proposal_that_is_not_finite() {
        for distance_m in [f32::NAN, f32::INFINITY, -1e30, 0.0] {
            let found = probe(Vec3::ZERO, Facing::FORWARD, &|_, _, _| Some(RayHit { distance_m, normal: Vec3::NAN }));
            for contact in found.found().iter().flat_map(|p| p.contacts).flatten() {
                assert!(contact.position.is_finite() && contact.facing.x.is_finite(), "{contact:?}");
            }
        }
    }
}
