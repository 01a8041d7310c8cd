//! Rows that were shown recently.

/// A range of rows that were shown in sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShownRows {
    /// First row.
    pub start: u32,
    /// One after the last.
    pub end: u32,
    /// Whether the rows are mirrored (`mirror = query`).
    pub mirrored: bool,
    /// Time since the last of them was shown, seconds.
    pub ago_s: f32,
    /// Time from row to row, seconds.
    pub row_s: f32,
}

impl ShownRows {
    /// Returns the rate at which a row repeats if it is shown again now: once per time since it was shown, at most once per
    /// second. 0 for other rows.
    #[inline]
    pub fn again_hz(&self, row: usize, mirrored: bool) -> f32 {
        if self.mirrored != mirrored || !(self.start as usize..self.end as usize).contains(&row) {
            return 0.0;
        }
        1.0 / (self.ago_s + (self.end as usize - 1 - row) as f32 * self.row_s).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_repeated_as_often_as_it_was_shown_long_ago() {
        let shown = ShownRows { start: 100, end: 160, mirrored: false, ago_s: 2.0, row_s: 1.0 / 60.0 };
        assert_eq!(shown.again_hz(159, false), 0.5);
        assert!((shown.again_hz(100, false) - 1.0 / (2.0 + 59.0 / 60.0)).abs() < 1e-6);
        assert_eq!((shown.again_hz(160, false), shown.again_hz(99, false), shown.again_hz(130, true)), (0.0, 0.0, 0.0));
        assert_eq!(ShownRows { ago_s: 0.0, ..shown }.again_hz(159, false), 1.0);
    }
}
