//! Working space: nothing in it must survive a frame.

use super::config::MAX_CANDIDATES;
use super::seam::Levers;
use super::state::BlockLayout;
use crate::blend::inertialize::Moving;
use crate::database::Database;
use crate::frames::RowIndex;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{SourceBuffers, TrajectorySample};
use crate::search::{Candidates, Explanation, Match, SearchQuery, explain};
use glam::Vec3;

/// A search and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastSearch {
    /// The best candidate, if there was any.
    pub found: Option<Match>,
    /// What letting the clip play on would have cost, if it could.
    pub continuing_cost: Option<f32>,
    /// Whether playback jumped to what was found.
    pub jumped: bool,
    /// What was asked of candidates, and the cost of a jump.
    pub(crate) candidates: Candidates,
    pub(crate) continuing: Option<Match>,
    pub(crate) transition_cost: f32,
}

/// Working space, shared by all characters of a step; nothing in it needs saving.
#[derive(Debug)]
pub struct Scratch {
    pub(super) layout: BlockLayout,
    pub(super) buffers: SourceBuffers,
    pub(super) clip_trajectory: Vec<TrajectorySample>,
    pub(super) query: Vec<f32>,
    pub(super) continuing: Vec<f32>,
    pub(super) multipliers: Vec<f32>,
    pub(super) shown: Moving,
    pub(super) shown_mirrored: Moving,
    pub(super) next: Moving,
    pub(super) beside: (Pose, PoseVelocity),
    /// `[contact joints]`.
    pub(super) touching: Vec<u8>,
    /// `[contact joints]` the clip's own, world.
    pub(super) toe_velocities: Vec<Vec3>,
    pub(super) levers: Levers,
    /// Room for the best rows.
    pub(super) best: Vec<Match>,
    /// Their costs by features and for the jump.
    pub(super) whole_costs: Vec<f32>,
    pub(super) last: Option<LastSearch>,
}

impl Scratch {
    /// Space for a database's characters.
    pub fn new(db: &Database) -> Self {
        let columns = db.features.columns;
        let still = || PoseVelocity::zero(db.skeleton.len());
        let body = || Moving { pose: Pose::rest(&db.skeleton), velocity: still(), acceleration: still() };
        Self {
            layout: BlockLayout::new(db),
            buffers: SourceBuffers::new(&db.schema, &db.skeleton, db.contact_joints.len()),
            clip_trajectory: vec![TrajectorySample::default(); db.schema.times_s.len()],
            query: vec![0.0; columns],
            continuing: vec![0.0; columns],
            multipliers: vec![1.0; columns],
            shown: body(),
            shown_mirrored: body(),
            next: body(),
            beside: (Pose::rest(&db.skeleton), still()),
            toe_velocities: vec![Vec3::ZERO; db.contact_joints.len()],
            touching: vec![0; db.contact_joints.len()],
            best: vec![Match { row: RowIndex(0), mirrored: false, cost: 0.0, continuing: false }; MAX_CANDIDATES],
            levers: Levers::new(&db.skeleton),
            whole_costs: vec![0.0; MAX_CANDIDATES],
            last: None,
        }
    }

    pub(super) fn layout(&self) -> &BlockLayout {
        &self.layout
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

    /// The last search as it was asked.
    pub fn last_ask(&self) -> Option<SearchQuery<'_>> {
        let last = self.last?;
        Some(SearchQuery {
            continuing: last.continuing,
            transition_cost: last.transition_cost,
            candidates: last.candidates,
            ..SearchQuery::new(&self.query, &self.multipliers)
        })
    }

    /// Takes the last search apart; slow.
    pub fn explain(&self, db: &Database, k: usize) -> Option<Explanation> {
        let (last, ask) = (self.last?, self.last_ask()?);
        Some(explain::explain(db, &ask, &self.continuing, last.found, last.jumped, k))
    }
}
