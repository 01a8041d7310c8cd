//! Foresight: how far a character falls behind its command if it plays on from a row and makes the best of it.
//!
//! Features compare the next second. What comes after it, and how soon the character could leave for something better, they do
//! not know: a slow turn that leads nowhere looks as good as the first half of a fast one. A table of values does: it is the
//! solution of a Markov decision process over the database, found by fitted value iteration when the character is made.
//!
//! - **State**: a moment (a tenth of a second of a clip) and a goal, which is the turn to the commanded facing and the commanded
//!   speed.
//! - **Actions**: to play on for a moment, or to go to one of a few moments whose pose is near, and play that.
//! - **Loss** of a moment: the distance by which its root falls behind the command, metres; a turn that is left counts as a speed,
//!   and a jump as a distance. Later losses count less.
//!
//! Sources: Lee et al., "Motion Fields for Interactive Character Locomotion" (2010), without its blending of poses; Treuille et al.,
//! "Near-optimal Character Animation with Continuous Control" (2007).

mod grid;
mod moments;
mod values;

pub use grid::Ahead;

use crate::database::{AcceptedTags, Database};
use crate::frames::RowIndex;
use grid::{BINS, Grid};
use moments::{Graph, MomentIndex};

/// Unit of the stored values, metres: a value is off by less than that, and at most 65 m.
const UNIT_M: f32 = 1e-3;

/// What a table is made for.
#[derive(Clone, Debug, PartialEq)]
pub struct ForesightSpec {
    /// Commanded speeds at which values are found, m/s, beside 0: a walk and a run at full stick. Between them values are
    /// interpolated.
    pub speeds_mps: [f32; 2],
    /// `[columns]` weights of the features by which poses are compared: 0 for trajectories.
    pub multipliers: Vec<f32>,
    /// Moments that may be gone to.
    pub tags: AcceptedTags,
    /// Rows at the end of each non-looping clip that are not gone to.
    pub end_exclusion_rows: usize,
}

/// The table. Immutable; the same bits from the same database and spec, on every machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Foresight {
    spec: ForesightSpec,
    grid: Grid,
    index: MomentIndex,
    /// `[moments x bins]` loss above the least that any moment has for this goal, in [`UNIT_M`].
    values: Vec<u16>,
    sweeps: usize,
}

impl Foresight {
    /// A radian by which the facing is off counts as this speed, m/s.
    pub const TURN_MPS: f32 = 1.0;
    /// A jump between poses whose features are 1 apart (squared, normalised) counts as this distance, metres.
    pub const JUMP_M: f32 = 0.05;
    /// A loss that is so many seconds away counts half.
    pub const HALF_LIFE_S: f32 = 2.0;

    /// Finds the values, on one thread: 1 to 2 s for 10,000 moments (17 minutes of motion). Allocates.
    pub fn bake(db: &Database, spec: ForesightSpec) -> Self {
        let grid = Grid::new(spec.speeds_mps);
        let index = MomentIndex::new(db);
        let graph = Graph::new(db, &index, &spec);
        let (values, sweeps) = values::solve(&graph, &grid);
        let stored = stored(&values, &graph);
        Self { spec, grid, index, values: stored, sweeps }
    }

    /// How much further a character falls behind its command from this row on than it would from the best one, in metres, 0 or
    /// more. `mirrored` sees the row in a mirror. Allocates nothing.
    pub fn loss_m(&self, db: &Database, row: RowIndex, mirrored: bool, ahead: Ahead) -> f32 {
        let ahead = if mirrored { Ahead { turn_rad: -ahead.turn_rad, ..ahead } } else { ahead };
        let values = &self.values[self.index.of_row(db, row) * BINS..][..BINS];
        self.grid.at(ahead).iter().map(|(bin, share)| share * f32::from(values[*bin])).sum::<f32>() * UNIT_M
    }

    /// What the table was made for.
    pub fn spec(&self) -> &ForesightSpec {
        &self.spec
    }

    /// Number of passes over all moments that the values took.
    pub fn sweeps(&self) -> usize {
        self.sweeps
    }

    /// Number of moments.
    pub fn moments(&self) -> usize {
        self.values.len() / BINS
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(self.values.as_slice()) + self.index.bytes()
    }
}

/// Values above the least of the moments that may be gone to, per goal.
fn stored(values: &[f32], graph: &Graph) -> Vec<u16> {
    let mut least = [f32::INFINITY; BINS];
    for (moment, of_goals) in values.chunks_exact(BINS).enumerate() {
        if graph.enterable[moment] {
            least.iter_mut().zip(of_goals).for_each(|(least, v)| *least = least.min(*v));
        }
    }
    let above = |(v, least): (&f32, &f32)| ((v - least).max(0.0) / UNIT_M).round().min(f32::from(u16::MAX)) as u16;
    values.chunks_exact(BINS).flat_map(|of_goals| of_goals.iter().zip(&least).map(above)).collect()
}
