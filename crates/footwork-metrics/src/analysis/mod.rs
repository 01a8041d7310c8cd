//! What a database holds and what is played of it, as plain data: for reports, panels and your own programs.
//!
//! [`histograms`] shows the values of each feature, [`Scatter`] the rows in two dimensions, [`Coverage`] which motion a stick
//! asks for and which there is, [`Usage`] what a run plays, [`repeats`] motion that is there twice.
//! [`Verdict`] is one line about the abilities of a character.

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
