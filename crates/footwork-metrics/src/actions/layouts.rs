//! Random layouts of boxes without mark-up: walls, bars, steps, boxes and gaps in a row. Rays find what lies ahead, and the character
//! takes what passes it. An edge counts as taken if an action with a contact at it was played to its end.

use super::error::ActionsError;
use super::hips;
use crate::RATE_HZ;
use crate::samples::percentile_or_zero;
use footwork::actions::{Proposal, RayHit};
use footwork::advanced::math::Random;
use footwork::input::{ActionRequest, Goal, GroundPoint, MotionInput, Obstacle, Obstacles};
use footwork::matcher::{ActionStep, Character, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::{Vec2, Vec3, Vec3Swizzles};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Half width of all boxes, in metres.
const HALF_WIDE_M: f32 = 2.0;
/// Level ground before an obstacle, and length of platforms, in metres.
const CLEAR_M: f32 = 4.5;
/// Largest angle by which walls, bars and boxes are turned, in radians.
const TURNED_RAD: f32 = 0.3;
/// Frames between two probes.
const PROBE_FRAMES: u32 = 6;
/// Distance within which a proposal is taken, in metres.
const TAKES_M: f32 = 2.5;
/// Time for which a proposal that was rejected is not taken again, in seconds, and distance within which it is the same, in metres.
const REJECTED: (f64, f32) = (3.0, 0.5);
/// Distance along +Z between an edge and a contact at it, in metres.
const AT_EDGE_M: f32 = 1.0;
/// Height above the feet up to which a top is ground, in metres.
const GROUND_ABOVE_M: f32 = 0.6;
/// Time, in seconds, in which a character that moves by less than this distance, in metres, is stuck.
const STUCK: (u32, f32) = (5, 0.5);

/// Results of the layouts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LayoutFigures {
    /// Number of layouts.
    pub layouts: usize,
    /// Layouts whose end was reached.
    pub layouts_crossed: usize,
    /// Layouts in which the character moved by less than 0.5 m in 5 s.
    pub layouts_stuck: usize,
    /// Edges that an action passes: one each of walls and bars, two of boxes, three of gaps, four of steps.
    pub layout_edges: usize,
    /// Share of the edges at which an action was played to its end, percent.
    pub layout_taken_pct: f32,
    /// Number of edges without one, by name.
    pub layout_missed: BTreeMap<String, usize>,
    /// Numbers of the layouts with such an edge, and of those in which the character was stuck.
    pub layouts_imperfect: Vec<usize>,
    /// Depth of the hips in boxes, 99th percentile of all frames, metres.
    pub layout_hips_inside_m_p99: f32,
}

/// A run over random layouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayoutCourse {
    /// Number of layouts.
    pub layouts: usize,
    /// Seed of the layouts.
    pub seed: u64,
}

/// An edge that an action passes.
#[derive(Clone, Copy, Debug)]
struct Edge {
    name: &'static str,
    z_m: f32,
}

/// Boxes along +Z, the edges that actions pass, and the length of the course.
#[derive(Debug, Default)]
struct Layout {
    boxes: Vec<Obstacle>,
    edges: Vec<Edge>,
    length_m: f32,
}

/// Measurements of one layout.
#[derive(Debug, Default)]
struct Seen {
    /// Edges at which an action was played, and the others.
    taken: Vec<Edge>,
    missed: Vec<Edge>,
    /// True if the end was reached.
    crossed: bool,
    stuck: bool,
    /// Depth of the hips in boxes in each frame, metres.
    inside_m: Vec<f32>,
}

impl LayoutCourse {
    /// Runs all layouts on all cores. The character must go to its actions by itself
    /// ([`ActionConfig::arrives`](footwork::actions::ActionConfig)).
    ///
    /// # Errors
    /// Returns [`ActionsError`] for a character without clips, and if the input of a frame is rejected.
    pub fn run(&self, character: &Arc<Character>) -> Result<LayoutFigures, ActionsError> {
        let run = |k: usize| one(character, Random::sub_seed(self.seed, k as u64));
        let all: Vec<Seen> = (0..self.layouts).into_par_iter().map(run).collect::<Result<_, _>>()?;
        let mut out = LayoutFigures { layouts: all.len(), ..LayoutFigures::default() };
        let (mut taken, mut inside_m) = (0, Vec::new());
        for (k, seen) in all.into_iter().enumerate() {
            out.layouts_crossed += usize::from(seen.crossed);
            out.layouts_stuck += usize::from(seen.stuck);
            if seen.stuck || !seen.missed.is_empty() {
                out.layouts_imperfect.push(k);
            }
            taken += seen.taken.len();
            out.layout_edges += seen.taken.len() + seen.missed.len();
            for edge in seen.missed {
                *out.layout_missed.entry(edge.name.to_owned()).or_default() += 1;
            }
            inside_m.extend(seen.inside_m);
        }
        out.layout_taken_pct = 100.0 * taken as f32 / out.layout_edges.max(1) as f32;
        out.layout_hips_inside_m_p99 = percentile_or_zero(&mut inside_m, 99.0);
        Ok(out)
    }
}

/// Crosses one layout.
fn one(character: &Arc<Character>, seed: u64) -> Result<Seen, ActionsError> {
    let mut random = Random(seed);
    let layout = Layout::draw(&mut random);
    let speed_mps = if random.unit() < 0.5 { random.between(1.4, 2.0) } else { random.between(3.0, 4.0) };
    let mut matcher = MotionMatcher::of(Arc::clone(character), Transform::IDENTITY)?;
    let ground = |at: Vec3| GroundPoint { height_m: layout.ground_m(at), ..GroundPoint::default() };
    let (mut seen, mut taking, mut roots) = (Seen::default(), Taking::default(), Vec::new());
    let most_frames = ((20.0 + 3.0 * layout.length_m / speed_mps) * RATE_HZ) as u32;
    for frame in 0..most_frames {
        let at = matcher.pose().world_from_root().translation;
        roots.push(at);
        if at.z > layout.length_m {
            seen.crossed = true;
            break;
        }
        if frame.is_multiple_of(PROBE_FRAMES) {
            taking.probe(&matcher, &layout)?;
        }
        let velocity = Vec3::new(-0.5 * at.x, 0.0, speed_mps);
        let input = MotionInput {
            goal: Goal::Velocity { velocity, facing: None },
            action: taking.request,
            ground: Some(&ground),
            obstacles: Obstacles::new(&layout.boxes),
            ..MotionInput::default()
        };
        matcher.update(&input, 1.0 / RATE_HZ)?;
        taking.note(&matcher);
        seen.inside_m.push(layout.depth_m(hips(&matcher)));
    }
    let window = STUCK.0 as usize * RATE_HZ as usize;
    seen.stuck = roots.iter().zip(roots.iter().skip(window)).any(|(a, b)| a.distance(*b) < STUCK.1);
    let is_taken = |edge: &Edge| taking.played_m.iter().any(|z_m| (z_m - edge.z_m).abs() < AT_EDGE_M);
    (seen.taken, seen.missed) = layout.edges.iter().partition(|edge| is_taken(edge));
    Ok(seen)
}

/// A game that takes the first proposal of each probe.
#[derive(Debug, Default)]
struct Taking {
    /// The request, and its proposal.
    request: Option<ActionRequest>,
    of: Proposal,
    id: u16,
    /// Rejected proposals, and when they were, in seconds.
    rejected: Vec<(Proposal, f64)>,
    /// Places along +Z of the first contacts of the actions that were played to their end, in metres.
    played_m: Vec<f32>,
}

impl Taking {
    /// Probes, and takes a proposal, if there is no request.
    fn probe(&mut self, matcher: &MotionMatcher, layout: &Layout) -> Result<(), ActionsError> {
        if self.request.is_some() || matcher.output().owns_root {
            return Ok(());
        }
        let (character, state) = (matcher.character(), matcher.state());
        let db = character.database().ok_or(ActionsError::NoDatabase)?;
        let now_s = state.header.clock.time_s;
        self.rejected.retain(|(_, at_s)| now_s - at_s < REJECTED.0);
        let found = character.probe(state, &|from, along, most_m| layout.cast(from, along, most_m));
        let is_new = |p: &&Proposal| !self.rejected.iter().any(|(rejected, _)| is_same(rejected, p));
        let passes = |p: &&Proposal| p.distance_m < TAKES_M && p.kinds[0] != Some("sit");
        let Some(taken) = found.found().iter().filter(passes).find(is_new) else { return Ok(()) };
        (self.of, self.id) = (*taken, self.id.wrapping_add(1));
        self.request = taken.request(db, self.id).map(|request| ActionRequest { go: true, ..request });
        Ok(())
    }

    /// Notes what became of the request.
    fn note(&mut self, matcher: &MotionMatcher) {
        for event in matcher.output().actions.iter().filter(|event| event.id == self.id) {
            match event.step {
                ActionStep::Left => self.played_m.extend(self.of.contacts[0].map(|contact| contact.position.z)),
                ActionStep::Refused(_) => self.rejected.push((self.of, event.time_s)),
                _ => continue,
            }
            self.request = None;
        }
    }
}

/// Returns true for a proposal of the same kind at the same place.
fn is_same(a: &Proposal, b: &Proposal) -> bool {
    let place = |p: &Proposal| p.contacts[0].map_or(Vec3::ZERO, |c| c.position);
    a.kinds[0] == b.kinds[0] && place(a).distance(place(b)) < REJECTED.1
}

impl Layout {
    /// Draws the obstacles: one of each kind and a second wall, in a random order.
    fn draw(random: &mut Random) -> Self {
        let mut order = [0, 1, 2, 3, 4, 5];
        for k in (1..order.len()).rev() {
            order.swap(k, random.below(k + 1));
        }
        let mut out = Self::default();
        for kind in order {
            out.length_m += CLEAR_M;
            let yaw_rad = random.between(-TURNED_RAD, TURNED_RAD);
            match kind {
                0 | 1 => {
                    out.edges.push(Edge { name: "wall", z_m: out.length_m });
                    out.add(random.between(0.2, 0.3), random.between(0.85, 1.1), yaw_rad);
                }
                2 => {
                    out.edges.push(Edge { name: "bar", z_m: out.length_m });
                    out.add(0.12, random.between(0.4, 0.6), yaw_rad);
                }
                3 => {
                    out.edges.push(Edge { name: "climb", z_m: out.length_m });
                    out.add(CLEAR_M, random.between(1.1, 1.4), yaw_rad);
                    out.edges.push(Edge { name: "drop", z_m: out.length_m });
                }
                4 => {
                    let rise_m = random.between(0.32, 0.4);
                    for (name, deep_m, high_m) in
                        [("step up", 2.5, rise_m), ("step up", CLEAR_M, 2.0 * rise_m), ("step down", 2.5, rise_m)]
                    {
                        out.edges.push(Edge { name, z_m: out.length_m });
                        out.add(deep_m, high_m, 0.0);
                    }
                    out.edges.push(Edge { name: "step down", z_m: out.length_m });
                }
                _ => {
                    let high_m = random.between(1.1, 1.3);
                    out.edges.push(Edge { name: "climb", z_m: out.length_m });
                    out.add(CLEAR_M, high_m, 0.0);
                    out.edges.push(Edge { name: "jump", z_m: out.length_m });
                    out.length_m += random.between(1.2, 2.0);
                    out.add(CLEAR_M, high_m, 0.0);
                    out.edges.push(Edge { name: "drop", z_m: out.length_m });
                }
            }
        }
        out.length_m += CLEAR_M;
        out
    }

    /// Adds a box at the end of the course.
    fn add(&mut self, deep_m: f32, high_m: f32, yaw_rad: f32) {
        let middle = Vec3::Z * (self.length_m + 0.5 * deep_m);
        let half_m = Vec2::new(HALF_WIDE_M, 0.5 * deep_m);
        self.boxes.push(Obstacle::cuboid(middle, half_m, Facing::from_yaw(yaw_rad), high_m));
        self.length_m += deep_m;
    }

    /// Returns the height of the highest top under a point, or at most [`GROUND_ABOVE_M`] over it; 0 beside all boxes.
    fn ground_m(&self, at: Vec3) -> f32 {
        let holds = |o: &&Obstacle| over(o, at).max_element() < 0.0 && o.height_m < at.y + GROUND_ABOVE_M;
        self.boxes.iter().filter(holds).map(|o| o.height_m).fold(0.0, f32::max)
    }

    /// Returns how deep a point is in a box, in metres; 0 outside.
    fn depth_m(&self, at: Vec3) -> f32 {
        let depth_m = |o: &Obstacle| (-over(o, at).max_element()).min(o.height_m - at.y);
        self.boxes.iter().map(depth_m).fold(0.0, f32::max)
    }

    /// Returns the first hit of a ray with a box or the ground.
    fn cast(&self, from: Vec3, along: Vec3, most_m: f32) -> Option<RayHit> {
        let boxes = self.boxes.iter().filter_map(|o| meet(o, from, along));
        let ground = (along.y < 0.0).then(|| RayHit { distance_m: -from.y / along.y, normal: Vec3::Y });
        let hits = boxes.chain(ground).filter(|hit| (0.0..=most_m).contains(&hit.distance_m));
        hits.min_by(|a, b| a.distance_m.total_cmp(&b.distance_m))
    }
}

/// Returns a direction in the own space of a box.
fn to_own(of: &Obstacle, v: Vec3) -> Vec3 {
    let (ahead, flat) = (of.facing.xz(), v.xz());
    Vec3::new(flat.dot(Vec2::new(ahead.y, -ahead.x)), v.y, flat.dot(ahead))
}

/// Returns how far a point is beyond the sides of a box along its own axes, in metres; negative inside.
fn over(of: &Obstacle, at: Vec3) -> Vec2 {
    to_own(of, at - of.position).xz().abs() - of.half_m
}

/// Returns where a line enters a box.
fn meet(of: &Obstacle, from: Vec3, along: Vec3) -> Option<RayHit> {
    let (half_m, middle) = (Vec3::new(of.half_m.x, 0.5 * of.height_m, of.half_m.y), Vec3::Y * (0.5 * of.height_m));
    let (start, direction) = (to_own(of, from - of.position) - middle, to_own(of, along));
    let (mut enter_m, mut leave_m, mut normal) = (f32::NEG_INFINITY, f32::INFINITY, Vec3::ZERO);
    for k in 0..3 {
        if direction[k] == 0.0 {
            if start[k].abs() > half_m[k] {
                return None;
            }
            continue;
        }
        let (a, b) = ((-half_m[k] - start[k]) / direction[k], (half_m[k] - start[k]) / direction[k]);
        if a.min(b) > enter_m {
            (enter_m, normal) = (a.min(b), Vec3::ZERO);
            normal[k] = -direction[k].signum();
        }
        leave_m = leave_m.min(a.max(b));
    }
    let ahead = of.facing.direction();
    let normal = Vec3::new(ahead.z, 0.0, -ahead.x) * normal.x + Vec3::Y * normal.y + ahead * normal.z;
    (enter_m <= leave_m).then_some(RayHit { distance_m: enter_m, normal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_meet_turned_boxes_at_their_sides() {
        let of = Obstacle::cuboid(Vec3::Z * 5.0, Vec2::new(2.0, 0.5), Facing { x: 1.0, z: 0.0 }, 1.0);
        let layout = Layout { boxes: vec![of], ..Layout::default() };
        let hit = layout.cast(Vec3::new(0.0, 0.5, 0.0), Vec3::Z, 9.0).unwrap();
        assert!((hit.distance_m - 3.0).abs() < 1e-6 && (hit.normal + Vec3::Z).length() < 1e-6, "{hit:?}");
        let hit = layout.cast(Vec3::new(9.0, 0.5, 5.0), Vec3::NEG_X, 9.0).unwrap();
        assert!((hit.distance_m - 8.5).abs() < 1e-6 && (hit.normal - Vec3::X).length() < 1e-6, "{hit:?}");
        let down = |x: f32, z: f32| layout.cast(Vec3::new(x, 3.0, z), Vec3::NEG_Y, 9.0).unwrap().distance_m;
        assert_eq!([down(0.0, 6.9), down(0.0, 7.1), down(0.6, 5.0)], [2.0, 3.0, 3.0]);
        assert_eq!(layout.cast(Vec3::new(0.0, 0.5, 0.0), Vec3::Z, 2.9), None);
        assert_eq!((layout.ground_m(Vec3::Z * 5.0), layout.ground_m(Vec3::new(0.0, 0.5, 5.0))), (0.0, 1.0));
        assert!((layout.depth_m(Vec3::new(0.4, 0.5, 5.0)) - 0.1).abs() < 1e-6);
        assert_eq!(layout.depth_m(Vec3::new(0.0, 1.1, 5.0)), 0.0);
    }
}
