//! Working space: nothing in it is kept from frame to frame.

use super::config::MAX_CANDIDATES;
use super::model::Model;
use super::played::REMEMBERED;
use super::slide::ShownFoot;
use super::source::SourceScratch;
use crate::blend::inertialize::Moving;
use crate::database::TagCosts;
use crate::math::Quat;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{SourceBuffers, TrajectorySample};
use crate::search::{Blocked, Candidates, Match, ShownRows};
use glam::Vec3;

/// The last search and its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastSearch {
    /// Best candidate; `None` if there was none.
    pub found: Option<Match>,
    /// Playing row and the cost of continuing; `None` if continuing was impossible.
    pub continuing: Option<Match>,
    /// True if playback made a transition to `found`.
    pub jumped: bool,
    /// Candidates that were searched, and [`SearchQuery::rest_cost`](crate::search::SearchQuery).
    pub(crate) candidates: Candidates,
    pub(crate) rest_cost: f32,
    /// Index of the character's weights that were used.
    pub(crate) weights: usize,
}

impl LastSearch {
    /// Returns the row that was chosen: the target of the transition, or the continued row. `None` if there was neither.
    pub fn chosen(&self) -> Option<Match> {
        if self.jumped { self.found } else { self.continuing }
    }
}

/// Working space of layers.
pub(crate) struct LayerScratch<'a> {
    /// Working space of the motion source.
    pub source: &'a mut SourceScratch,
    /// Motion that a layer plays.
    pub plays: &'a mut (Pose, PoseVelocity),
    /// Reference of additive layers.
    pub reference: &'a mut (Pose, PoseVelocity),
    /// Rotations for layers in root space.
    pub rotations: &'a mut RootRotations,
}

/// Rotations of joints in root space, `[joints]` each.
#[derive(Debug)]
pub(crate) struct RootRotations {
    /// Rotations of the pose before a layer bends it.
    pub before: Vec<Quat>,
    /// Rotations of the pose after a layer has bent it.
    pub after: Vec<Quat>,
    /// Rotations of the layer's motion.
    pub plays: Vec<Quat>,
    /// Rotations of the reference.
    pub reference: Vec<Quat>,
}

impl RootRotations {
    fn new(joints: usize) -> Self {
        let none = || vec![Quat::IDENTITY; joints];
        Self { before: none(), after: none(), plays: none(), reference: none() }
    }
}

/// Working space, shared by all characters of a step. Nothing in it needs saving. Use one per thread.
#[derive(Debug)]
pub struct Scratch {
    pub(super) buffers: SourceBuffers,
    pub(super) clip_trajectory: Vec<TrajectorySample>,
    pub(crate) query: Vec<f32>,
    pub(crate) continuing: Vec<f32>,
    /// `[columns]` features of a character that requests an action.
    pub(super) action_pose: Vec<f32>,
    /// `[contact joints]` positions of the feet of the shown body, root space, in metres: for entries of actions.
    pub(super) action_toes: Vec<Vec3>,
    /// `[contact joints]` true for those that stand.
    pub(super) action_stands: Vec<bool>,
    pub(super) shown: Moving,
    pub(super) shown_mirrored: Moving,
    /// `[contact joints]` of the shown body before a search.
    pub(super) shown_feet: Vec<ShownFoot>,
    /// `[contact joints]` of its mirror image.
    pub(super) shown_feet_mirrored: Vec<ShownFoot>,
    pub(super) next: Moving,
    pub(super) beside: (Pose, PoseVelocity),
    /// Memory of the source after the next transition.
    pub(crate) memory: Vec<f32>,
    /// `[contact joints]` 1 for a joint that touches the ground, else 0.
    pub(super) touching: Vec<u8>,
    /// `[contact joints]` seconds until each touches the ground, and the duration of that contact, in seconds.
    pub(super) next_contacts: Vec<(f32, f32)>,
    /// `[contact joints]` velocities by the clip alone, in world space, in m/s.
    pub(super) toe_velocities: Vec<Vec3>,
    /// Best rows of the last search.
    pub(super) best: Vec<Match>,
    /// Rows that were shown before the last search. Their number stays within the capacity.
    pub(super) shown_rows: Vec<ShownRows>,
    /// Costs of tags in the last search.
    pub(crate) tag_costs: TagCosts,
    /// Obstacles in the last search.
    pub(super) blocked: Blocked,
    pub(crate) last: Option<LastSearch>,
    /// Working space of the source.
    pub(crate) source: SourceScratch,
    /// Reference of additive layers.
    reference: (Pose, PoseVelocity),
    /// Rotations for layers in root space.
    rotations: RootRotations,
}

impl Scratch {
    pub(super) fn new(model: &Model, memory: usize, source: SourceScratch) -> Self {
        let (columns, joints, contacts) = (model.schema.columns, model.skeleton.len(), model.contacts());
        let still = || PoseVelocity::zero(joints);
        let body = || Moving { pose: Pose::rest(&model.skeleton), velocity: still(), acceleration: still() };
        Self {
            buffers: SourceBuffers::new(&model.schema, &model.skeleton, contacts),
            clip_trajectory: vec![TrajectorySample::default(); model.schema.times_s.len()],
            query: vec![0.0; columns],
            continuing: vec![0.0; columns],
            action_pose: vec![0.0; columns],
            action_toes: vec![Vec3::ZERO; contacts],
            action_stands: vec![false; contacts],
            shown: body(),
            shown_mirrored: body(),
            shown_feet: vec![ShownFoot::default(); contacts],
            shown_feet_mirrored: vec![ShownFoot::default(); contacts],
            next: body(),
            beside: (Pose::rest(&model.skeleton), still()),
            memory: vec![0.0; memory],
            touching: vec![0; contacts],
            next_contacts: vec![(0.0, 0.0); contacts],
            toe_velocities: vec![Vec3::ZERO; contacts],
            best: vec![Match::default(); MAX_CANDIDATES],
            shown_rows: Vec::with_capacity(2 * (REMEMBERED + 1)),
            tag_costs: TagCosts::default(),
            blocked: Blocked::default(),
            last: None,
            source,
            reference: (Pose::rest(&model.skeleton), still()),
            rotations: RootRotations::new(joints),
        }
    }

    /// Returns the obstacles of the last search; `None` if there are none.
    pub(super) fn blocked(&self) -> Option<&Blocked> {
        Some(&self.blocked).filter(|blocked| !blocked.is_empty())
    }

    /// Returns true if this fits a character with `memory` floats for its source.
    pub(super) fn fits(&self, model: &Model, memory: usize) -> bool {
        self.query.len() == model.schema.columns
            && self.shown.pose.rotations.len() == model.skeleton.len()
            && self.touching.len() == model.contacts()
            && self.clip_trajectory.len() == model.schema.times_s.len()
            && self.buffers.user.len() == model.schema.user_width
            && self.memory.len() == memory
    }

    /// Returns the working space of layers, and the shown body.
    pub(super) fn layer_scratch(&mut self) -> (LayerScratch<'_>, &mut Moving) {
        let room = LayerScratch {
            source: &mut self.source,
            plays: &mut self.beside,
            reference: &mut self.reference,
            rotations: &mut self.rotations,
        };
        (room, &mut self.shown)
    }

    /// Returns the last search, made for the last character that was due to search. `None` if that character continued without a
    /// search (`keep_playing_within`).
    pub fn last_search(&self) -> Option<&LastSearch> {
        self.last.as_ref()
    }

    /// Returns the `[columns]` normalised features of the last search.
    pub fn last_query(&self) -> &[f32] {
        &self.query
    }
}
