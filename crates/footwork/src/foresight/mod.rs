//! Foresight: the distance by which a character falls behind its command if it continues from a row and acts optimally.
//!
//! Features compare only the next second. They do not cover what follows, nor how soon the character could change to a better
//! clip: a slow turn that leads nowhere looks as good as the first half of a fast one. A table of values covers both. It is the
//! solution of a Markov decision process over the database, found by fitted value iteration when the character is built.
//!
//! - **State**: a segment (a tenth of a second of a clip) and a goal, which is the angle to the commanded facing and the
//!   commanded speed.
//! - **Actions**: to continue with the next segment, or to change to one of a few segments with a similar pose and play that.
//! - **Loss** of a segment: the distance by which its root falls behind the command, metres. A remaining angle counts as a
//!   speed, and a transition as a distance. Later losses count less.
//!
//! Sources: Lee et al., "Motion Fields for Interactive Character Locomotion" (2010), without its blending of poses; Treuille
//! et al., "Near-optimal Character Animation with Continuous Control" (2007).

mod grid;
mod moments;
mod spec;
mod values;

pub use grid::Ahead;
pub use spec::ForesightSpec;

use crate::database::Database;
use crate::frames::RowIndex;
use grid::{BINS, Grid};
use moments::{Graph, MomentIndex};

/// Unit of the stored values, metres. The error of a value is smaller; the maximum is 65 m.
const UNIT_M: f32 = 1e-3;

/// Table of values. Immutable; the same database and spec give the same bits on every machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Foresight {
    spec: ForesightSpec,
    grid: Grid,
    index: MomentIndex,
    /// `[segments x bins]` loss above the least of all segments that may be entered, for the same goal, in [`UNIT_M`].
    values: Vec<u16>,
    sweeps: usize,
}

impl Foresight {
    /// Computes the values, on one thread: 1 to 2 s for 10,000 segments (17 minutes of motion). Allocates.
    pub fn bake(db: &Database, spec: ForesightSpec) -> Self {
        let grid = Grid::new(spec.speeds_mps);
        let index = MomentIndex::new(db);
        let graph = Graph::new(db, &index, &spec);
        let (values, sweeps) = values::solve(&graph, &grid);
        let stored = stored(&values, &graph);
        Self { spec, grid, index, values: stored, sweeps }
    }

    /// Returns the additional distance by which a character falls behind its command from this row on, compared with the best
    /// row, in metres, 0 or more. `mirrored` selects the row's mirror image. Allocates nothing.
    pub fn loss_m(&self, db: &Database, row: RowIndex, mirrored: bool, ahead: Ahead) -> f32 {
        let ahead = if mirrored { Ahead { turn_rad: -ahead.turn_rad, ..ahead } } else { ahead };
        let values = &self.values[self.index.of_row(db, row) * BINS..][..BINS];
        self.grid.at(ahead).iter().map(|(bin, share)| share * f32::from(values[*bin])).sum::<f32>() * UNIT_M
    }

    /// Returns the input that the table was built for.
    pub fn spec(&self) -> &ForesightSpec {
        &self.spec
    }

    /// Returns the number of sweeps over all segments that the values took.
    pub fn sweeps(&self) -> usize {
        self.sweeps
    }

    /// Returns the number of segments.
    pub fn moments(&self) -> usize {
        self.values.len() / BINS
    }

    /// Returns the memory of the table, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.values.as_slice()) + self.index.bytes()
    }
}

/// Returns the values above the least of all segments that may be entered, per goal.
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
