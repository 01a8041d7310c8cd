//! One pass of a search over the rows of a database.

use super::best::Best;
use super::cost::{ColumnCost, ColumnOrder};
use super::query::SearchQuery;
use crate::database::Database;

/// One pass of a search: over rows as stored, or over their mirror images.
pub(super) struct Visit<'a, 'b, O, C> {
    pub db: &'a Database,
    pub query: &'a SearchQuery<'a>,
    pub order: &'a O,
    pub costs: &'a C,
    pub mirrored: bool,
    pub best: &'a mut Best<'b>,
    /// Lower bound of the extra cost of all rows.
    #[cfg(feature = "classics")]
    pub least_extra: f32,
}

impl<'a, 'b, O: ColumnOrder, C: ColumnCost> Visit<'a, 'b, O, C> {
    pub fn new(
        db: &'a Database,
        query: &'a SearchQuery<'a>,
        order: &'a O,
        costs: &'a C,
        mirrored: bool,
        best: &'a mut Best<'b>,
    ) -> Self {
        Self {
            db,
            query,
            order,
            costs,
            mirrored,
            best,
            #[cfg(feature = "classics")]
            least_extra: query.least_extra_cost(),
        }
    }
}
