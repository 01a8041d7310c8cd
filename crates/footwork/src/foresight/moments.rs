//! The graph of segments: successors, root motion, and transitions to segments with a similar pose.

use super::spec::ForesightSpec;
use crate::database::Database;
use crate::frames::{ClipIndex, RowIndex};
use crate::math::Facing;
use crate::search::moments::Moments;
use crate::search::{Backend, Candidates, Match, SearchIndex, SearchQuery};
use glam::Vec3;

/// Number of segments that a segment may change to, beside the next of its clip.
const NEIGHBOURS: usize = 10;
/// Segments within this time of a segment are not among them, seconds: they have the same future.
const NEAR_S: f32 = 0.3;

/// Numbers the segments of a database.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MomentIndex {
    /// `[clips]` number of the first segment of each clip.
    first: Vec<u32>,
    /// Rows of a segment.
    rows: usize,
    /// Number of segments.
    moments: usize,
}

impl MomentIndex {
    /// Numbers the segments of a database.
    pub fn new(db: &Database) -> Self {
        let rows = Moments::new(db).rows_of_each();
        let (mut first, mut moments) = (Vec::with_capacity(db.clips.len()), 0);
        for clip in &db.clips {
            first.push(moments as u32);
            moments += clip.row_range().len().div_ceil(rows);
        }
        Self { first, rows, moments }
    }

    /// Returns the segment of a row.
    #[inline]
    pub fn of_row(&self, db: &Database, row: RowIndex) -> usize {
        let clip = db.row_clips[row.at()].at();
        self.first[clip] as usize + (row.at() - db.clips[clip].first_row as usize) / self.rows
    }

    /// Returns the memory of the index, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.first.as_slice())
    }
}

/// A segment that playback may change to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Neighbour {
    pub moment: u32,
    /// Whether it is mirrored (`mirror = query`).
    pub mirrored: bool,
    /// Distance of the poses by features.
    pub cost: f32,
}

/// Root motion of a segment, in the axes of the root at its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// Duration, seconds.
    pub seconds: f32,
    /// Mean velocity, m/s.
    pub velocity: Vec3,
    /// Rotation about +Y, radians.
    pub turn_rad: f32,
}

/// All segments, `[segments]` each.
#[derive(Debug)]
pub(super) struct Graph {
    pub steps: Vec<Step>,
    /// The next segment; `None` at the end of a clip.
    pub next: Vec<Option<u32>>,
    /// Whether the segment may be entered.
    pub enterable: Vec<bool>,
    /// Range of each segment in `neighbours`.
    pub starts: Vec<u32>,
    pub neighbours: Vec<Neighbour>,
}

impl Graph {
    pub fn new(db: &Database, index: &MomentIndex, spec: &ForesightSpec) -> Self {
        let n = index.moments;
        let mut graph = Self {
            steps: Vec::with_capacity(n),
            next: Vec::with_capacity(n),
            enterable: Vec::with_capacity(n),
            starts: vec![0],
            neighbours: Vec::with_capacity(n * NEIGHBOURS),
        };
        let search = SearchIndex::build_for(db, Backend::default(), &spec.multipliers);
        let near_rows = (NEAR_S * db.search_rate_hz).round() as usize;
        let open = Candidates { end_exclusion_rows: spec.end_exclusion_rows, tags: spec.tags, ..Candidates::default() };
        for (i, clip) in db.clips.iter().enumerate() {
            let rows = clip.row_range();
            for start in rows.clone().step_by(index.rows) {
                let row = RowIndex::new(start);
                let end = (start + index.rows).min(rows.end);
                let last = end == rows.end;
                graph.steps.push(step(db, ClipIndex::new(i), row, end - start));
                let first = clip.looping().then_some(index.first[i]);
                graph.next.push(if last { first } else { Some(graph.next.len() as u32 + 1) });
                let allowed = open.clip_rows(db, i).contains(&start) && open.allow(db, start, false);
                graph.enterable.push(allowed);
                let near = (start.saturating_sub(near_rows).max(rows.start), (end + near_rows).min(rows.end));
                let query = SearchQuery {
                    candidates: Candidates { near: [near, (0, 0)], ..open },
                    ..SearchQuery::new(db.features.row(row), &spec.multipliers)
                };
                let mut found = [Match::default(); NEIGHBOURS];
                let kept = search.search_moments(db, &query, &mut found);
                graph.neighbours.extend(found[..kept].iter().map(|m| Neighbour {
                    moment: index.of_row(db, m.row) as u32,
                    mirrored: m.mirrored,
                    cost: m.cost,
                }));
                graph.starts.push(graph.neighbours.len() as u32);
            }
        }
        graph
    }

    /// Returns the segments that a segment may change to.
    pub fn neighbours(&self, moment: usize) -> &[Neighbour] {
        &self.neighbours[self.starts[moment] as usize..self.starts[moment + 1] as usize]
    }
}

/// Returns the root motion over `rows` rows of a clip from a row on.
fn step(db: &Database, clip: ClipIndex, row: RowIndex, rows: usize) -> Step {
    let seconds = rows as f32 / db.search_rate_hz;
    let view = db.view(clip, db.clips[clip.at()].mirrored);
    let (way, facing, _) = view.trajectory(db.row_time_s(row), seconds);
    Step { seconds, velocity: way / seconds, turn_rad: Facing::FORWARD.angle_to(facing) }
}
