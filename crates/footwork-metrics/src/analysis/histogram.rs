//! Distribution of the values of each feature.

use footwork::database::Database;

/// Distribution of one column of the feature matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Column of the feature matrix.
    pub column: usize,
    /// Index of its channel in the schema.
    pub channel: usize,
    /// Readable name of the column: `LeftFoot position y`.
    pub label: String,
    /// Unit of the raw values; empty for dimensionless values.
    pub unit: &'static str,
    /// Smallest and largest raw value; zeros without rows.
    pub range: [f32; 2],
    /// `[bins]` rows whose value lies in each equal part of the range. A column of one value has all its rows in the first bin.
    pub counts: Vec<u32>,
}

/// Returns one histogram per column, of the raw values of all rows in `bins` bins (at least 1). Values that are not finite are
/// left out.
pub fn histograms(db: &Database, bins: usize) -> Vec<Histogram> {
    let bins = bins.max(1);
    let channels = db.schema.channels.iter().enumerate();
    let columns = channels.flat_map(|(index, c)| c.columns.clone().map(move |column| (index, column)));
    columns.map(|(channel, column)| histogram(db, channel, column, bins)).collect()
}

fn histogram(db: &Database, channel: usize, column: usize, bins: usize) -> Histogram {
    let raw = || {
        let values = db.features.values.iter().skip(column).step_by(db.features.columns.max(1));
        values.map(|v| db.features.denormalize(column, *v)).filter(|v| v.is_finite())
    };
    let [low, high] = raw().fold([f32::MAX, f32::MIN], |[a, b], v| [a.min(v), b.max(v)]);
    let range = if low <= high { [low, high] } else { [0.0, 0.0] };
    let mut counts = vec![0u32; bins];
    // The difference of two values of f32 can exceed f32::MAX.
    let width = f64::from(range[1]) - f64::from(range[0]);
    for v in raw() {
        let share = if width > 0.0 { (f64::from(v) - f64::from(range[0])) / width } else { 0.0 };
        counts[((share * bins as f64) as usize).min(bins - 1)] += 1;
    }
    let unit = db.schema.channels[channel].kind.unit();
    Histogram { column, channel, label: db.schema.column_label(column), unit, range, counts }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built_in, changed};
    use super::*;

    #[test]
    fn every_column_has_all_rows_within_its_range() {
        let db = built_in();
        let all = histograms(db, 24);
        assert_eq!(all.len(), db.features.columns);
        for (column, h) in all.iter().enumerate() {
            assert_eq!((h.column, h.counts.len()), (column, 24));
            assert_eq!(h.counts.iter().sum::<u32>() as usize, db.rows(), "{}", h.label);
            assert!(h.range[0] < h.range[1] && h.counts[0] > 0 && h.counts[23] > 0, "{h:?}");
        }
        let named =
            |part: &str, end: &str| all.iter().find(|h| h.label.contains(part) && h.label.ends_with(end)).unwrap();
        let (height, speed) = (named("position", " y"), named("Hips velocity", " z"));
        assert!(height.unit == "m" && height.range[1] < 2.0, "{height:?}");
        assert!(speed.unit == "m/s" && speed.range[1] > 3.0, "{speed:?}");
    }

    #[test]
    fn one_value_and_values_at_the_end_of_the_numbers_are_counted() {
        let one = changed(|c| c.features.values.fill(0.25));
        for h in histograms(&one, 8) {
            assert!(h.range[0] == h.range[1] && h.counts[0] as usize == one.rows(), "{h:?}");
        }
        let columns = one.features.columns;
        let far = changed(|c| {
            c.features.values[..columns].fill(1e30);
            c.features.values[columns..2 * columns].fill(-1e30);
        });
        for h in histograms(&far, 0) {
            assert_eq!(h.counts, [far.rows() as u32]);
        }
    }
}
