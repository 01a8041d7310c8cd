//! Rows of the feature matrix in two dimensions.

use footwork::advanced::search::classics::pca::Components;
use footwork::database::Database;
use footwork::frames::RowIndex;

/// Rows of a database on the plane of largest variance: the first two principal components of the normalised, weighted features.
/// Points that are close together are rows that a search hardly distinguishes, as far as two components can show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The projected rows, in ascending order. Clip and tags: [`Database::row_clips`], [`Database::row_tags`].
    pub rows: Vec<RowIndex>,
    /// `[rows]` position of each.
    pub points: Vec<[f32; 2]>,
    /// Share of the total variance along each of the two axes, from 0 to 1.
    pub explained: [f32; 2],
    /// The axes, computed from all rows.
    pub axes: Components,
}

impl Scatter {
    /// Projects at most `most` rows, evenly distributed over all of them. Equal databases give equal bits.
    pub fn of(db: &Database, most: usize) -> Self {
        let axes = Components::of(&db.features.values, db.features.columns, 2);
        let share = |k: usize| axes.explained.get(k).copied().unwrap_or(0.0);
        let explained = [share(0), share(1)];
        let shown = most.min(db.rows());
        let rows: Vec<RowIndex> = (0..shown).map(|k| RowIndex::new(k * db.rows() / shown)).collect();
        let mut scatter = Self { rows, points: Vec::new(), explained, axes };
        scatter.points = scatter.rows.iter().map(|row| scatter.project(db.features.row(*row))).collect();
        scatter
    }

    /// Returns the position of a row or a query of `[columns]` normalised features among the points.
    pub fn project(&self, features: &[f32]) -> [f32; 2] {
        let mut at = [0.0; 2];
        let known = self.axes.explained.len().min(2);
        if features.len() == self.axes.mean.len() {
            self.axes.project(features, &mut at[..known]);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built_in, changed};
    use super::*;

    #[test]
    fn the_first_axis_shows_most_and_points_are_those_of_their_rows() {
        let db = built_in();
        let s = Scatter::of(db, 500);
        assert_eq!((s.rows.len(), s.points.len()), (500, 500));
        assert!(s.rows.is_sorted() && s.rows[499].at() < db.rows());
        assert!(s.explained[0] >= s.explained[1] && s.explained[1] > 0.02, "{:?}", s.explained);
        assert!(s.explained[0] + s.explained[1] <= 1.0);
        for (row, at) in s.rows.iter().zip(&s.points) {
            assert_eq!(s.project(db.features.row(*row)), *at);
        }
        // The variance along the axes has the ratio that `explained` gives.
        let all = Scatter::of(db, usize::MAX);
        assert_eq!(all.rows.len(), db.rows());
        let variance =
            |k: usize| all.points.iter().map(|p| f64::from(p[k]) * f64::from(p[k])).sum::<f64>() / db.rows() as f64;
        let ratio = variance(1) / variance(0);
        assert!((ratio - f64::from(s.explained[1] / s.explained[0])).abs() < 1e-3, "{ratio}");
        assert_eq!(Scatter::of(db, 500), s);
    }

    #[test]
    fn equal_rows_no_rows_and_foreign_queries_give_the_middle() {
        let same = changed(|c| c.features.values.fill(1.0));
        let s = Scatter::of(&same, 10);
        assert_eq!(s.explained, [0.0, 0.0]);
        assert!(s.points.iter().all(|p| *p == [0.0, 0.0]));
        assert!(Scatter::of(&same, 0).points.is_empty());
        assert_eq!(s.project(&[]), [0.0, 0.0]);
        let nan = vec![f32::NAN; same.features.columns];
        assert_eq!(s.project(&nan), [0.0, 0.0]);
    }
}
