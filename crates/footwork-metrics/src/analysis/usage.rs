//! Motion of a database that a run plays, and duplicate motion.

use footwork::advanced::build::{Pruned, find_repeats};
use footwork::build::PruneConfig;
use footwork::database::Database;
use footwork::frames::{ClipIndex, RowIndex};
use footwork::matcher::Playing;

/// Motion of a database that a run plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// `[clips]` seconds played. A mirror image counts for its original where the database does not store it.
    pub clip_s: Vec<f32>,
    /// `[rows]` updates in which this row was the nearest one to the playback position.
    pub row_updates: Vec<u32>,
    /// Length of the run, in seconds.
    pub seconds: f32,
}

impl Usage {
    /// Counts the playing clip of each update of `dt_s` seconds. Clips that the database does not have are excluded.
    pub fn of(db: &Database, playing: impl IntoIterator<Item = Playing>, dt_s: f32) -> Self {
        let mut usage = Self::none(db);
        for now in playing {
            usage.add(db, now, dt_s);
        }
        usage
    }

    /// No updates counted.
    pub fn none(db: &Database) -> Self {
        Self { clip_s: vec![0.0; db.clips.len()], row_updates: vec![0; db.rows()], seconds: 0.0 }
    }

    /// Counts the playing clip of an update of `dt_s` seconds. A clip that the database does not have adds to `seconds` only.
    pub fn add(&mut self, db: &Database, now: Playing, dt_s: f32) {
        self.seconds += dt_s;
        if let Some(played_s) = self.clip_s.get_mut(now.clip.at()) {
            *played_s += dt_s;
        }
        if let Some(row) = row_at(db, now.clip, now.time_s) {
            self.row_updates[row.at()] += 1;
        }
    }

    /// Returns the clips that were never played.
    pub fn unused_clips(&self) -> Vec<ClipIndex> {
        (0..self.clip_s.len()).filter(|c| self.clip_s[*c] == 0.0).map(ClipIndex::new).collect()
    }

    /// Returns the rows that were never played.
    pub fn unused_rows(&self) -> usize {
        self.row_updates.iter().filter(|n| **n == 0).count()
    }

    /// Returns the clips that were played, the longest first.
    pub fn most_played(&self) -> Vec<ClipIndex> {
        let mut clips: Vec<usize> = (0..self.clip_s.len()).filter(|c| self.clip_s[*c] > 0.0).collect();
        clips.sort_by(|a, b| self.clip_s[*b].total_cmp(&self.clip_s[*a]).then(a.cmp(b)));
        clips.into_iter().map(ClipIndex::new).collect()
    }
}

/// Returns the row nearest to a time of a clip; `None` for a clip without rows, or one that the database does not have.
pub fn row_at(db: &Database, clip: ClipIndex, time_s: f64) -> Option<RowIndex> {
    let clip = db.clips.get(clip.at())?;
    let rows = clip.row_range();
    if rows.is_empty() || !time_s.is_finite() {
        return None;
    }
    let frame = time_s * f64::from(db.pose_rate_hz);
    let frame = if clip.looping() { frame.rem_euclid(f64::from(clip.frames)) } else { frame };
    let frame = f64::from(clip.first_frame) + frame;
    let of = |row: usize| f64::from(db.row_frames[row].0);
    let after = rows.start + db.row_frames[rows.clone()].partition_point(|f| f64::from(f.0) < frame);
    let before = after.saturating_sub(1).max(rows.start);
    let after = after.min(rows.end - 1);
    let row = if (of(after) - frame).abs() < (frame - of(before)).abs() { after } else { before };
    Some(RowIndex::new(row))
}

/// Returns the motion of clips that repeats an earlier clip, in order: the motion that `[build.prune]` with this distance (in
/// units of the normalised features) would exclude.
pub fn repeats(db: &Database, distance: f32) -> Vec<Pruned> {
    find_repeats(db, &PruneConfig { distance, ..PruneConfig::default() })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built_in, twice};
    use super::*;

    fn playing(clip: usize, time_s: f64) -> Playing {
        Playing { clip: ClipIndex::new(clip), mirrored: false, time_s }
    }

    #[test]
    fn played_clips_and_rows_are_counted_and_the_others_are_unused() {
        let db = built_in();
        let long = (0..db.clips.len()).find(|c| db.clips[*c].rows > 10).unwrap();
        let run: Vec<Playing> = (0..30).map(|k| playing(long, f64::from(k) / 60.0)).collect();
        let usage = Usage::of(db, run, 1.0 / 60.0);
        assert!((usage.clip_s[long] - 0.5).abs() < 1e-4 && (usage.seconds - 0.5).abs() < 1e-4);
        assert_eq!(usage.unused_clips().len(), db.clips.len() - 1);
        assert_eq!(usage.most_played(), [ClipIndex::new(long)]);
        assert_eq!(usage.row_updates.iter().sum::<u32>(), 30);
        assert!(
            usage.unused_rows() < db.rows() && usage.row_updates[db.clips[long].row_range()].iter().sum::<u32>() == 30
        );
        let nothing = Usage::of(db, [], 1.0 / 60.0);
        assert_eq!(nothing.unused_rows(), db.rows());
    }

    #[test]
    fn the_nearest_row_is_found_at_both_ends_and_around_loops() {
        let db = built_in();
        for (i, clip) in db.clips.iter().enumerate().filter(|(_, c)| c.rows > 2).step_by(17) {
            let index = ClipIndex::new(i);
            for row in clip.row_range() {
                assert_eq!(row_at(db, index, db.row_time_s(RowIndex::new(row))), Some(RowIndex::new(row)));
            }
            let [first, last] = [clip.row_range().start, clip.row_range().end - 1].map(RowIndex::new);
            if clip.looping() {
                let round = f64::from(clip.frames) / f64::from(db.pose_rate_hz);
                assert_eq!(row_at(db, index, db.row_time_s(last) + round), Some(last));
            } else {
                assert_eq!((row_at(db, index, -5.0), row_at(db, index, 1e9)), (Some(first), Some(last)));
            }
            assert_eq!(row_at(db, index, f64::NAN), None);
        }
        assert_eq!(row_at(db, ClipIndex::new(db.clips.len()), 0.0), None);
        let foreign = Usage::of(db, [playing(db.clips.len(), 0.0)], 1.0 / 60.0);
        assert_eq!(foreign.unused_rows(), db.rows());
    }

    #[test]
    fn a_clip_that_is_there_twice_is_found() {
        let db = twice();
        let found = repeats(&db, 0.05);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].whole && found[0].clip == "again" && found[0].same_as == "walk_175", "{found:?}");
    }
}
