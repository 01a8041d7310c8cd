//! Working space: nothing in it must survive a frame.

use super::config::MAX_CANDIDATES;
use super::model::Model;
use super::played::REMEMBERED;
use super::source::Room;
use crate::blend::inertialize::Moving;
use crate::database::TagCosts;
use crate::math::Quat;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{SourceBuffers, TrajectorySample};
use crate::search::{Candidates, Match, ShownRows};
use glam::Vec3;

/// A search and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastSearch {
    /// The best candidate, if there was any.
    pub found: Option<Match>,
    /// The row that plays and what letting it play on cost, if it could.
    pub continuing: Option<Match>,
    /// Whether playback jumped to what was found.
    pub jumped: bool,
    /// Which rows were looked at, and [`SearchQuery::rest_cost`](crate::search::SearchQuery).
    pub(crate) candidates: Candidates,
    pub(crate) rest_cost: f32,
    /// Which of the character's weights it was made with.
    pub(crate) weights: usize,
}

impl LastSearch {
    /// What plays since: what was jumped to, or what played on. `None` where nothing could.
    pub fn chosen(&self) -> Option<Match> {
        if self.jumped { self.found } else { self.continuing }
    }
}

/// What layers work in.
pub(super) struct LayerRoom<'a> {
    /// The source's.
    pub source: &'a mut Room,
    /// What a layer plays.
    pub plays: &'a mut (Pose, PoseVelocity),
    /// What additive ones are measured from.
    pub reference: &'a mut (Pose, PoseVelocity),
    /// For layers in root space.
    pub rotations: &'a mut RootRotations,
}

/// Rotations of joints in root space, `[joints]` each.
#[derive(Debug)]
pub(super) struct RootRotations {
    /// Of the pose before it is bent.
    pub before: Vec<Quat>,
    /// Of the pose as it is bent.
    pub after: Vec<Quat>,
    /// Of what the layer plays.
    pub plays: Vec<Quat>,
    /// Of the reference.
    pub reference: Vec<Quat>,
}

impl RootRotations {
    fn new(joints: usize) -> Self {
        let none = || vec![Quat::IDENTITY; joints];
        Self { before: none(), after: none(), plays: none(), reference: none() }
    }
}

/// Working space, shared by all characters of a step; nothing in it needs saving. One per thread.
#[derive(Debug)]
pub struct Scratch {
    pub(super) buffers: SourceBuffers,
    pub(super) clip_trajectory: Vec<TrajectorySample>,
    pub(crate) query: Vec<f32>,
    pub(crate) continuing: Vec<f32>,
    pub(super) shown: Moving,
    pub(super) shown_mirrored: Moving,
    pub(super) next: Moving,
    pub(super) beside: (Pose, PoseVelocity),
    /// What the source is to remember after the next transition.
    pub(crate) memory: Vec<f32>,
    /// `[contact joints]`.
    pub(super) touching: Vec<u8>,
    /// `[contact joints]` in how many seconds each touches, and for how many.
    pub(super) next_contacts: Vec<(f32, f32)>,
    /// `[contact joints]` the clip's own, world.
    pub(super) toe_velocities: Vec<Vec3>,
    /// Room for the best rows.
    pub(super) best: Vec<Match>,
    /// Rows that were shown before the last search; never more than there is room for.
    pub(super) shown_rows: Vec<ShownRows>,
    /// Of the last search.
    pub(crate) tag_costs: TagCosts,
    pub(crate) last: Option<LastSearch>,
    /// The source's.
    pub(crate) room: Room,
    /// What additive layers are measured from.
    reference: (Pose, PoseVelocity),
    /// What layers in root space work with.
    rotations: RootRotations,
}

impl Scratch {
    pub(super) fn new(model: &Model, memory: usize, room: Room) -> Self {
        let (columns, joints, contacts) = (model.schema.columns, model.skeleton.len(), model.contacts());
        let still = || PoseVelocity::zero(joints);
        let body = || Moving { pose: Pose::rest(&model.skeleton), velocity: still(), acceleration: still() };
        Self {
            buffers: SourceBuffers::new(&model.schema, &model.skeleton, contacts),
            clip_trajectory: vec![TrajectorySample::default(); model.schema.times_s.len()],
            query: vec![0.0; columns],
            continuing: vec![0.0; columns],
            shown: body(),
            shown_mirrored: body(),
            next: body(),
            beside: (Pose::rest(&model.skeleton), still()),
            memory: vec![0.0; memory],
            touching: vec![0; contacts],
            next_contacts: vec![(0.0, 0.0); contacts],
            toe_velocities: vec![Vec3::ZERO; contacts],
            best: vec![Match::default(); MAX_CANDIDATES],
            shown_rows: Vec::with_capacity(2 * (REMEMBERED + 1)),
            tag_costs: TagCosts::default(),
            last: None,
            room,
            reference: (Pose::rest(&model.skeleton), still()),
            rotations: RootRotations::new(joints),
        }
    }

    /// True when this has the room that a character needs.
    pub(super) fn fits(&self, model: &Model, memory: usize) -> bool {
        self.query.len() == model.schema.columns
            && self.shown.pose.rotations.len() == model.skeleton.len()
            && self.touching.len() == model.contacts()
            && self.clip_trajectory.len() == model.schema.times_s.len()
            && self.buffers.user.len() == model.schema.user_width
            && self.memory.len() == memory
    }

    /// Room for layers, and the body that is shown.
    pub(super) fn layer_room(&mut self) -> (LayerRoom<'_>, &mut Moving) {
        let room = LayerRoom {
            source: &mut self.room,
            plays: &mut self.beside,
            reference: &mut self.reference,
            rotations: &mut self.rotations,
        };
        (room, &mut self.shown)
    }

    /// The last search of the last character that was to search; `None` where it played on without one
    /// (`keep_playing_within`).
    pub fn last_search(&self) -> Option<&LastSearch> {
        self.last.as_ref()
    }

    /// `[columns]` normalised features of the last search.
    pub fn last_query(&self) -> &[f32] {
        &self.query
    }
}
