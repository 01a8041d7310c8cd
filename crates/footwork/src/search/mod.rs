//! Search: finds the row that best matches a query.
//!
//! Every search takes the same [`SearchQuery`] and considers the same candidates ([`Candidates`]). `brute` is the definition.
//! The exact structures ([`Backend::EXACT`]) return the same [`Match`] sooner: the same row and the same bits of its cost. The
//! approximate ones ([`Backend::APPROXIMATE`]) may return another row.
//!
//! Order of candidates: cost, then the playing row, then unmirrored, then the lowest row.

mod backend;
mod best;
mod blocked;
pub(crate) mod brute;
mod candidates;
#[cfg(feature = "classics")]
pub mod classics;
mod cost;
pub mod explain;
mod index;
pub(crate) mod kernels;
mod matched;
pub(crate) mod moments;
mod owned_query;
mod query;
mod shown;
mod tree;
mod visit;

pub use backend::Backend;
pub use blocked::Blocked;
pub use candidates::{Ahead, Candidates, Exclusion};
pub(crate) use cost::{PerColumn, PlainColumns, row_cost};
pub use explain::{CandidateReport, Explanation, Verdict};
pub use index::SearchIndex;
pub use kernels::Kernel;
pub use matched::Match;
pub use owned_query::OwnedQuery;
pub use query::{QueryError, SearchQuery};
pub use shown::ShownRows;
