//! A table of voxels: the position of the joint that moves most selects the rows to compare. Approximate.
//!
//! Source: the method described for Unity's Kinematica, as retold in "Two Methods for Improving Nearest Neighbor
//! Searching in Motion Matching" (goodrain553.github.io). A pose B may follow a pose A if for each considered joint the
//! successor A+ and B are similar in three respects: position (closer than a * speed + b), direction of movement (within 90
//! degrees) and speed (differing by less than a' * speed + b'). Such lists for every pose would be too large, so space is
//! divided into voxels by the position of one joint, the one that varies most, and a voxel lists all poses that may follow
//! any pose in it. The constants are not published; the defaults here are ours. (Kinematica's released package searches
//! quantised codes instead.)
//!
//! Trade-off: finding the list takes no time; comparing its rows takes all of it. One joint selects weakly, so lists are long
//! (with the defaults most of a database of plain locomotion). Lists short enough to be fast omit the rows for a sudden change
//! of the goal, by design: they judge the pose alone and never the trajectory. Where the result must be the cheapest row, this
//! is the slowest of the structures here. Multipliers, absolute residuals and the trajectory do not affect the choice of the
//! list, only the cost. Takes a bit per voxel in use and run of rows.

use super::rows::{Mirrored, Passes, variances};
use crate::database::Database;
use crate::frames::RowIndex;
use crate::schema::ChannelKind;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Maximum number of voxels; where there would be more, voxels grow.
const VOXELS: usize = 1 << 16;

/// Settings of the table. Values outside their range are clamped; NaN is replaced by the default.
///
/// Lengths are in metres if the schema has joint positions. If it has none, the three columns that vary most serve as a
/// joint, and all lengths are in the units of their stored values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Edge of a voxel, metres, 0.01 to 10. Default: 0.1. There are at most 65 536 voxels; where there would be more, they grow.
    pub voxel_m: f32,
    /// Number of poses of a voxel, evenly spread, whose followers are listed, 1 to 4096. Default: 16.
    pub poses_per_voxel: usize,
    /// Allowed difference of positions per speed (a), seconds, at least 0. Default: 0.1.
    pub position_per_speed_s: f32,
    /// Allowed difference of positions at speed 0 (b), metres, at least 0. Default: 0.4.
    pub position_m: f32,
    /// Allowed relative difference of speeds (a'), at least 0. Default: 0.5.
    pub speed_share: f32,
    /// Allowed difference of speeds at speed 0 (b'), m/s, at least 0. Default: 2. Below this speed the direction is ignored.
    pub speed_mps: f32,
    /// Number of rows that are listed together, judged by the middle one, 1 to 64. Default: 8.
    pub run_rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            voxel_m: 0.1,
            poses_per_voxel: 16,
            position_per_speed_s: 0.1,
            position_m: 0.4,
            speed_share: 0.5,
            speed_mps: 2.0,
            run_rows: 8,
        }
    }
}

impl Settings {
    fn in_range(&self) -> Self {
        let d = Self::default();
        let within = |v: f32, low: f32, high: f32, default: f32| if v.is_nan() { default } else { v.clamp(low, high) };
        Self {
            voxel_m: within(self.voxel_m, 0.01, 10.0, d.voxel_m),
            poses_per_voxel: self.poses_per_voxel.clamp(1, 4096),
            position_per_speed_s: within(self.position_per_speed_s, 0.0, f32::MAX, d.position_per_speed_s),
            position_m: within(self.position_m, 0.0, f32::MAX, d.position_m),
            speed_share: within(self.speed_share, 0.0, f32::MAX, d.speed_share),
            speed_mps: within(self.speed_mps, 0.0, f32::MAX, d.speed_mps),
            run_rows: self.run_rows.clamp(1, 64),
        }
    }
}

/// Three columns with the position of a joint; fewer if the schema has fewer.
type Joint = [Option<usize>; 3];

/// The grid over the positions of one joint.
#[derive(Debug)]
struct Grid {
    joint: Joint,
    /// `[3]` factor and offset that convert a stored value to a length.
    scale: [f32; 3],
    offset: [f32; 3],
    min: [f32; 3],
    edge: f32,
    count: [usize; 3],
}

impl Grid {
    fn voxel(&self, at: [f32; 3]) -> usize {
        // `as` moves values outside the grid to its border, and NaN to 0.
        let place = |i: usize| (((at[i] - self.min[i]) / self.edge) as usize).min(self.count[i] - 1);
        (place(2) * self.count[1] + place(1)) * self.count[0] + place(0)
    }
}

/// Lists of rows by voxel.
#[derive(Debug)]
pub(crate) struct Voxels {
    grid: Grid,
    mirrored: Mirrored,
    /// `[voxels]` index of the list.
    list_of: Vec<u32>,
    /// Number of words of a list.
    words: usize,
    /// `[lists x words]` one bit per run.
    lists: Vec<u64>,
    /// First row and one after the last.
    runs: Vec<(u32, u32)>,
}

/// State of a joint at a row.
#[derive(Clone, Copy, Debug, Default)]
struct Moving {
    position: Vec3,
    successor: Vec3,
    velocity: Vec3,
    speed: f32,
}

impl Voxels {
    /// Builds the table.
    pub fn build(db: &Database, settings: &Settings) -> Self {
        let s = settings.in_range();
        let (joints, chosen) = joints(db);
        let moving: Vec<Vec<Moving>> = joints.iter().map(|j| movement(db, *j)).collect();
        let grid = grid(db, joints[chosen], &moving[chosen], s.voxel_m);
        let runs: Vec<(u32, u32)> = db
            .clips
            .iter()
            .flat_map(|c| {
                let rows = c.row_range();
                rows.clone().step_by(s.run_rows).map(move |r| (r as u32, (r + s.run_rows).min(rows.end) as u32))
            })
            .collect();
        let voxel_of = |row: usize| grid.voxel(moving[chosen][row].position.to_array());
        let mut poses: Vec<Vec<u32>> = vec![Vec::new(); grid.count.iter().product()];
        (0..db.rows()).for_each(|row| poses[voxel_of(row)].push(row as u32));
        let words = runs.len().div_ceil(64);
        let (mut lists, mut list_of) = (Vec::new(), vec![u32::MAX; poses.len()]);
        for (voxel, rows) in poses.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            list_of[voxel] = (lists.len() / words) as u32;
            let step = rows.len().div_ceil(s.poses_per_voxel);
            let sample: Vec<u32> = rows.iter().step_by(step).copied().collect();
            let start = lists.len();
            lists.resize(start + words, 0u64);
            let list = &mut lists[start..];
            for (r, (first, end)) in runs.iter().enumerate() {
                let b = ((first + end) / 2) as usize;
                let after = |a: &u32| moving.iter().all(|m| may_follow(&m[*a as usize], &m[b], &s));
                if sample.iter().any(after) {
                    list[r / 64] |= 1 << (r % 64);
                }
            }
            // The poses in the voxel itself are always listed.
            for row in rows {
                let r = runs.partition_point(|run| run.1 <= *row);
                list[r / 64] |= 1 << (r % 64);
            }
        }
        fill_gaps(&mut list_of, grid.count);
        Self { grid, mirrored: Mirrored::new(db), list_of, words, lists, runs }
    }

    /// Returns the memory of the table, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.list_of.as_slice())
            + size_of_val(self.lists.as_slice())
            + size_of_val(self.runs.as_slice())
            + self.mirrored.bytes()
    }

    fn list(&self, visit: &Visit<impl ColumnOrder, impl ColumnCost>) -> &[u64] {
        let mut at = self.grid.min;
        for (i, column) in self.grid.joint.iter().enumerate() {
            if let Some(met) = column.and_then(|c| self.mirrored.met(visit.mirrored, c)) {
                at[i] = met.value(visit.query) * self.grid.scale[i] + self.grid.offset[i];
            }
        }
        &self.lists[self.list_of[self.grid.voxel(at)] as usize * self.words..][..self.words]
    }
}

impl Passes for Voxels {
    fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let mut someone = false;
        for (w, word) in self.list(visit).iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let (first, end) = self.runs[w * 64 + left.trailing_zeros() as usize];
                left &= left - 1;
                visit.try_range(first as usize..end as usize);
                someone = someone || (first..end).any(|row| visit.allows(row as usize));
            }
        }
        if !someone {
            visit.try_all();
        }
    }
}

/// Returns the joints whose positions the schema has, and the index of the one that varies most.
fn joints(db: &Database) -> (Vec<Joint>, usize) {
    let variance = variances(db);
    let of_channels = db.schema.channels.iter().filter(|c| matches!(c.kind, ChannelKind::JointPosition(_)));
    let joints: Vec<Joint> = of_channels.map(|c| [0, 1, 2].map(|i| Some(c.columns.start + i))).collect();
    if joints.is_empty() {
        let mut order: Vec<usize> = (0..db.features.columns).collect();
        order.sort_by(|a, b| variance[*b].total_cmp(&variance[*a]));
        return (vec![[0, 1, 2].map(|i| order.get(i).copied())], 0);
    }
    let raw = |c: usize| variance[c] * f64::from(db.features.scale[c]) * f64::from(db.features.scale[c]);
    let of_joint = |j: &Joint| j.iter().flatten().map(|c| raw(*c)).sum::<f64>();
    let most = joints.iter().enumerate().rev().max_by(|a, b| of_joint(a.1).total_cmp(&of_joint(b.1)));
    let chosen = most.map_or(0, |m| m.0);
    (joints, chosen)
}

/// Returns factor and offset that convert a stored value to a length; for columns that are not a joint, the identity.
fn lengths(db: &Database, joint: Joint) -> ([f32; 3], [f32; 3]) {
    let is_joint = db.schema.channels.iter().any(|c| matches!(c.kind, ChannelKind::JointPosition(_)));
    let column = |c: Option<usize>| c.filter(|_| is_joint);
    (
        joint.map(|c| column(c).map_or(1.0, |c| db.features.scale[c])),
        joint.map(|c| column(c).map_or(0.0, |c| db.features.offset[c])),
    )
}

/// Returns a joint's position at every row, its position one row later, and its velocity.
fn movement(db: &Database, joint: Joint) -> Vec<Moving> {
    let (scale, offset) = lengths(db, joint);
    let position = |row: usize| {
        let values = db.features.row(RowIndex::new(row));
        let at = |i: usize| joint[i].map_or(0.0, |c| (values[c] * scale[i] + offset[i]).clamp(-1e9, 1e9));
        Vec3::new(at(0), at(1), at(2))
    };
    let mut all = vec![Moving::default(); db.rows()];
    for clip in &db.clips {
        let rows = clip.row_range();
        for row in rows.clone() {
            // The last row continues with the velocity of the row before it.
            let (from, to) = if row + 1 < rows.end { (row, row + 1) } else { (row.max(rows.start + 1) - 1, row) };
            let step = position(to) - position(from);
            let velocity = step * db.search_rate_hz;
            let position = position(row);
            all[row] = Moving { position, successor: position + step, velocity, speed: velocity.length() };
        }
    }
    all
}

/// Returns whether pose `b` may follow pose `a` by the three tests.
fn may_follow(a: &Moving, b: &Moving, s: &Settings) -> bool {
    let far = a.speed * s.position_per_speed_s + s.position_m;
    let slow = a.speed.min(b.speed) < s.speed_mps;
    a.successor.distance_squared(b.position) <= far * far
        && (slow || a.velocity.dot(b.velocity) >= 0.0)
        && (a.speed - b.speed).abs() <= a.speed * s.speed_share + s.speed_mps
}

fn grid(db: &Database, joint: Joint, moving: &[Moving], edge: f32) -> Grid {
    let (scale, offset) = lengths(db, joint);
    let (mut min, mut max) = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
    for m in moving {
        (min, max) = (min.min(m.position), max.max(m.position));
    }
    let size = (max - min).to_array();
    let mut edge = edge;
    let places = |edge: f32| size.map(|s| (s / edge) as usize + 1);
    while places(edge).iter().fold(1usize, |n, p| n.saturating_mul(*p)) > VOXELS {
        edge *= 1.25;
    }
    Grid { joint, scale, offset, min: min.to_array(), edge, count: places(edge) }
}

/// Gives voxels without poses the list of the nearest voxel that has some, step by step through faces.
fn fill_gaps(list_of: &mut [u32], count: [usize; 3]) {
    let mut border: Vec<usize> = (0..list_of.len()).filter(|v| list_of[*v] != u32::MAX).collect();
    let strides = [1, count[0], count[0] * count[1]];
    while !border.is_empty() {
        let mut next = Vec::new();
        for v in border {
            for axis in 0..3 {
                let place = v / strides[axis] % count[axis];
                let lower = (place > 0).then(|| v - strides[axis]);
                let upper = (place + 1 < count[axis]).then(|| v + strides[axis]);
                for n in [lower, upper].into_iter().flatten() {
                    if list_of[n] == u32::MAX {
                        list_of[n] = list_of[v];
                        next.push(n);
                    }
                }
            }
        }
        border = next;
    }
}
