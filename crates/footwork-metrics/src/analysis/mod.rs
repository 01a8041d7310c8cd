//! Contents and use of a database as plain data: for reports, panels and your own programs.
//!
//! [`histograms`] returns the values of each feature, [`Scatter`] projects the rows to two dimensions, [`Coverage`] compares the
//! motion that a stick requests with the motion of the database, [`Usage`] counts the motion that a run plays, and [`repeats`]
//! finds duplicate motion. [`Verdict`] sums up the abilities of a character in one line.

mod coverage;
mod histogram;
mod scatter;
#[cfg(test)]
pub(crate) mod testing;
mod usage;
mod verdict;

pub use coverage::{Coverage, CoverageCell, LEAST_S};
pub use histogram::{Histogram, histograms};
pub use scatter::Scatter;
pub use usage::{Usage, repeats, row_at};
pub use verdict::{Origin, Verdict};
