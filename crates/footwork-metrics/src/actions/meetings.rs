//! Handshakes: two characters that stand apart, turned away from each other, are steered together. The distance of their shown hands is
//! measured while both touch.

use super::ask::{LONGEST_FRAMES, STEER_FRAMES};
use super::error::ActionsError;
use crate::RATE_HZ;
use crate::samples::percentile_or_zero;
use footwork::actions::Limb;
use footwork::advanced::math::Random;
use footwork::input::{Goal, MotionInput};
use footwork::matcher::{ActionView, Character, Meeting, MeetingStep, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;
use std::f32::consts::{PI, TAU};
use std::sync::Arc;

/// Distance of the starts, in metres.
const APART_M: [f32; 2] = [0.5, 3.0];
/// Angle by which each is turned away from the other, in degrees.
const TURNED_DEG: f32 = 60.0;
/// Frames for which both stand before they are to meet: 0.5 s.
const STAND_FRAMES: u32 = 30;

/// Results of the handshakes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct MeetingFigures {
    /// Number of starts.
    pub handshakes: usize,
    /// Share of the starts after which both hands touched and both actions were played to their ends, percent.
    pub handshake_taken_pct: f32,
    /// Distance of both shown hands while both touch, 99th percentile, metres.
    pub handshake_hand_m_p99: f32,
    /// Time from the start to the touch, median, seconds.
    pub handshake_s_p50: f32,
}

/// A course of handshakes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeetingCourse {
    /// Number of starts.
    pub starts: usize,
    /// Seed of the starts.
    pub seed: u64,
}

/// Measurements of one start.
#[derive(Debug, Default)]
struct Seen {
    taken: bool,
    hands_m: Vec<f32>,
    touched_s: Option<f32>,
}

impl MeetingCourse {
    /// Runs the course on all cores.
    ///
    /// # Errors
    /// Returns [`ActionsError`] for a character without handshakes.
    pub fn run(&self, character: &Arc<Character>) -> Result<MeetingFigures, ActionsError> {
        let seen: Vec<Seen> =
            (0..self.starts).into_par_iter().map(|k| self.one(character, k)).collect::<Result<_, _>>()?;
        let mut hands_m: Vec<f32> = seen.iter().flat_map(|seen| seen.hands_m.iter().copied()).collect();
        let mut touched_s: Vec<f32> = seen.iter().filter_map(|seen| seen.touched_s).collect();
        let taken = seen.iter().filter(|seen| seen.taken).count();
        Ok(MeetingFigures {
            handshakes: seen.len(),
            handshake_taken_pct: 100.0 * taken as f32 / seen.len().max(1) as f32,
            handshake_hand_m_p99: percentile_or_zero(&mut hands_m, 99.0),
            handshake_s_p50: percentile_or_zero(&mut touched_s, 50.0),
        })
    }

    fn one(&self, character: &Arc<Character>, k: usize) -> Result<Seen, ActionsError> {
        let mut r = Random(Random::sub_seed(self.seed, k as u64));
        let (apart_m, way) = (r.between(APART_M[0], APART_M[1]), Facing::from_yaw(r.between(0.0, TAU)));
        let mut turned = || r.between(-TURNED_DEG, TURNED_DEG).to_radians();
        let starts = [
            Transform::new(Vec3::ZERO, way.turned(turned()).rotation()),
            Transform::new(way.direction() * apart_m, way.turned(PI + turned()).rotation()),
        ];
        let of = |k: usize| MotionMatcher::of(Arc::clone(character), starts[k]);
        let (mut a, mut b) = (of(0)?, of(1)?);
        let db = character.database().ok_or(ActionsError::NoDatabase)?;
        let kind = db.action_kind("handshake").map_err(|_| ActionsError::NoKind("handshake"))?;
        let mut meeting = Meeting::new([character, character], [kind; 2], 1)?;
        let mut goals = starts.map(|start| stands(Facing::from_rotation(start.rotation)));
        let (mut seen, mut step) = (Seen::default(), MeetingStep::Waits);
        for frame in 0..LONGEST_FRAMES {
            if frame >= STAND_FRAMES {
                if frame % STEER_FRAMES == 0 && step == MeetingStep::Waits {
                    goals = meeting.goals([&a, &b]).unwrap_or(goals);
                }
                step = meeting.interact(&mut a, &mut b)?;
            }
            for (m, goal) in [&mut a, &mut b].into_iter().zip(goals) {
                m.update(&MotionInput { goal, ..MotionInput::default() }, 1.0 / RATE_HZ)?;
            }
            if let [Some(of_a), Some(of_b)] = [touching_hand(&a), touching_hand(&b)] {
                seen.hands_m.push(of_a.distance(of_b));
                seen.touched_s.get_or_insert((frame - STAND_FRAMES) as f32 / RATE_HZ);
            }
            if !matches!(step, MeetingStep::Waits | MeetingStep::Entered | MeetingStep::Plays) {
                break;
            }
        }
        seen.taken = step == MeetingStep::Over && !seen.hands_m.is_empty();
        Ok(seen)
    }
}

/// Returns the goal of standing.
fn stands(facing: Facing) -> Goal<'static> {
    Goal::Velocity { velocity: Vec3::ZERO, facing: Some(facing) }
}

/// Returns the shown place of the hand that touches now: world, in metres.
fn touching_hand(m: &MotionMatcher) -> Option<Vec3> {
    let Some(ActionView::Plays { action, clip_s, .. }) = m.action_view() else { return None };
    let action = &m.character().actions().all()[action];
    let contact = action.contacts.iter().find(|c| c.mark == Some(0) && matches!(c.limb, Limb::Hand(_)))?;
    let touches = (contact.start_s..=contact.end_s).contains(&clip_s);
    let hand = m.pose().in_root(m.character().skeleton(), contact.joint).translation;
    touches.then(|| m.pose().world_from_root().point(hand))
}
