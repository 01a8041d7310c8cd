//! Cost of rows whose path leads into obstacles.

use crate::database::{Database, MirrorMode};
use crate::math::{Facing, Transform, flat};
use crate::obstacles::{Around, Obstacle, ObstacleConfig, Obstacles};
use crate::schema::ChannelKind;
use crate::schema::channel::TrajectoryPosition;
use glam::Vec3;

/// Depth whose square costs [`ObstacleConfig::cost`], in metres.
const SCALE_M: f32 = 0.1;
/// Maximum depth that counts, in metres: deeper rows cost the same, and every cost is finite.
const DEEPEST_M: f32 = 0.5;
/// Maximum number of times of a path.
const MOST_TIMES: usize = 6;

/// A time of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ahead {
    time_s: f32,
    /// Columns of x and z.
    columns: [usize; 2],
}

/// Obstacles near a character, and the columns of the features that hold the path of a row. All in root space.
#[derive(Clone, Debug)]
pub struct Blocked {
    near: [Obstacle; Obstacles::MOST],
    /// Squared distance from its middle within which each has a cost, in m2.
    reach_m2: [f32; Obstacles::MOST],
    obstacles: usize,
    ahead: [Ahead; MOST_TIMES],
    times: usize,
    config: ObstacleConfig,
}

impl Default for Blocked {
    fn default() -> Self {
        let config = ObstacleConfig::default();
        let near = [Obstacle::default(); Obstacles::MOST];
        Self {
            near,
            reach_m2: [0.0; Obstacles::MOST],
            obstacles: 0,
            ahead: [Ahead::default(); MOST_TIMES],
            times: 0,
            config,
        }
    }
}

impl Blocked {
    /// Returns the costs of a character that stands at `root`. For tests and tools; a character keeps one.
    pub fn new(db: &Database, config: &ObstacleConfig, obstacles: Obstacles, root: Transform) -> Self {
        let mut blocked = Self::default();
        blocked.set(db, obstacles.around(config, 0.0, root.translation.y), root);
        blocked
    }

    /// Sets the obstacles of a character whose root is at `root`. Allocates nothing.
    pub(crate) fn set(&mut self, db: &Database, around: Option<Around>, root: Transform) {
        self.obstacles = 0;
        let Some(around) = around.filter(|around| around.config().cost > 0.0) else { return };
        self.config = *around.config();
        self.times = 0;
        for (time_s, columns) in path_columns(db).take(MOST_TIMES) {
            self.ahead[self.times] = Ahead { time_s, columns };
            self.times += 1;
        }
        for obstacle in around.now().take(if self.times > 0 { Obstacles::MOST } else { 0 }) {
            let direction = root.inverse_direction(obstacle.facing.direction());
            self.near[self.obstacles] = Obstacle {
                position: root.inverse_point(obstacle.position),
                velocity: root.inverse_direction(obstacle.velocity),
                facing: Facing::from_direction(direction).unwrap_or_default(),
                ..obstacle
            };
            let reach_m = obstacle.half_m.length() + obstacle.radius_m + self.config.radius_m + self.config.margin_m;
            self.reach_m2[self.obstacles] = reach_m * reach_m;
            self.obstacles += 1;
        }
    }

    /// Returns true if no row has a cost.
    pub fn is_empty(&self) -> bool {
        self.obstacles == 0
    }

    /// Returns the cost of a row, 0 and above.
    pub fn of_row(&self, db: &Database, row: usize, mirrored: bool) -> f32 {
        let values = &db.features.values[row * db.features.columns..][..db.features.columns];
        if mirrored && db.mirror == MirrorMode::Query {
            let mirror = |c: usize| db.mirror_columns[c].sign * values[db.mirror_columns[c].column];
            return self.of(db, mirror);
        }
        self.of(db, |c| values[c])
    }

    /// Returns the cost of `[columns]` normalised features, 0 and above.
    pub fn of_features(&self, db: &Database, values: &[f32]) -> f32 {
        self.of(db, |c| values[c])
    }

    fn of(&self, db: &Database, value: impl Fn(usize) -> f32) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let (mut sum, mut before, mut before_s) = (0.0, Vec3::ZERO, 0.0);
        for Ahead { time_s, columns } in &self.ahead[..self.times] {
            let [x, z] = columns.map(|c| db.features.denormalize(c, value(c)));
            let here = Vec3::new(x, 0.0, z);
            // Runners cross a wall between two times of the path.
            for (at, at_s) in [(0.5 * (before + here), 0.5 * (before_s + time_s)), (here, *time_s)] {
                let depth_m = self.depth_m(at, at_s) / SCALE_M;
                sum += depth_m * depth_m;
            }
            (before, before_s) = (here, *time_s);
        }
        self.config.cost * sum / (2 * self.times) as f32
    }

    /// Returns how deep a body at a point is in obstacles or their margin, in metres.
    fn depth_m(&self, at: Vec3, time_s: f32) -> f32 {
        let keep_m = self.config.radius_m + self.config.margin_m;
        let mut deepest_m: f32 = 0.0;
        for (o, reach_m2) in self.near[..self.obstacles].iter().zip(&self.reach_m2) {
            let at = at - o.velocity * time_s;
            // False for NaN: hostile numbers cost nothing.
            if flat(at - o.position).length_squared() < *reach_m2 {
                deepest_m = deepest_m.max(keep_m - o.side(at).0);
            }
        }
        deepest_m.min(DEEPEST_M)
    }
}

/// Returns the future times of the path in a database's features, ascending, with their columns of x and z.
fn path_columns(db: &Database) -> impl Iterator<Item = (f32, [usize; 2])> + '_ {
    let of_channel = db.schema.channels.iter().find_map(|channel| match &channel.kind {
        ChannelKind::TrajectoryPosition(TrajectoryPosition(t)) => Some((t, channel.columns.start)),
        _ => None,
    });
    of_channel.into_iter().flat_map(move |(t, start)| {
        let at = move |(k, slot): (usize, &usize)| {
            let first = start + k * t.dimensions;
            (db.schema.times_s[*slot], [first, first + t.dimensions - 1])
        };
        t.slots.iter().enumerate().map(at).filter(|(time_s, _)| *time_s > 0.0)
    })
}
