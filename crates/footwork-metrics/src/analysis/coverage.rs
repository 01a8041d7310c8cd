//! Motion of a database by kind, compared with the motion that a stick requests.

use footwork::advanced::motion::StickSpeeds;
use footwork::advanced::trajectory::{DanceCardCell, TravelSeconds, dance_card, travel_seconds};
use footwork::database::{Database, MirrorMode};
use footwork::frames::ClipIndex;
use footwork::math::Transform;

/// Minimum motion of one kind that counts as covered, in seconds: the length of a step.
pub const LEAST_S: f32 = 0.5;

/// Motion of one kind: a speed, a turn rate, and a direction of travel relative to the facing.
#[derive(Clone, Debug, PartialEq)]
pub struct CoverageCell {
    /// The kind, the captured seconds (`have_s`), and the seconds that a stick requests.
    pub card: DanceCardCell,
    /// Seconds of clips that the build generated from captured motion.
    pub made_s: f32,
    /// Seconds that mirror images add; 0 where the database is not mirrored.
    pub mirrored_s: f32,
}

impl CoverageCell {
    /// Returns the sum of captured, generated and mirrored motion, in seconds.
    pub fn seconds(&self) -> f32 {
        self.card.have_s + self.made_s + self.mirrored_s
    }

    /// True if a stick requests this motion and the database lacks it.
    pub fn is_missing(&self) -> bool {
        self.card.asked && self.seconds() < LEAST_S
    }
}

/// Motion by speed, turn rate and direction of travel relative to the facing. Clips that are not locomotion are excluded, since a
/// stick does not request them.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// By speed, then turn, then direction: see [`footwork::advanced::trajectory::dance_card`].
    pub cells: Vec<CoverageCell>,
}

impl Coverage {
    /// Counts the motion of a database. `stick`: the speeds of a full stick, `MatcherConfig::speeds` over those of the database.
    pub fn of(db: &Database, stick: &StickSpeeds) -> Self {
        let travel = |made: bool| travel_seconds(locomotion(db, made).map(|c| (db.pose_rate_hz, roots(db, c))));
        let (captured, made) = (travel(false), travel(true));
        let mut cells = Vec::new();
        for (i, card) in dance_card(&captured, stick).into_iter().enumerate() {
            let [s, t, d] = [i / 20, i / 4 % 5, i % 4];
            let mirrored_s = match db.mirror {
                MirrorMode::Off => 0.0,
                MirrorMode::Stored | MirrorMode::Query => image(&captured, s, t, d) + image(&made, s, t, d),
            };
            cells.push(CoverageCell { card, made_s: made[s][t][d], mirrored_s });
        }
        Self { cells }
    }

    /// Returns the cell of a speed, a turn and a direction, by their indices in the bounds of the dance card.
    pub fn cell(&self, speed: usize, turn: usize, direction: usize) -> &CoverageCell {
        &self.cells[(speed * 5 + turn) * 4 + direction]
    }

    /// Returns the covered share of the motion within the card that a random stick requests, from 0 to 1.
    pub fn covered(&self) -> f32 {
        let asked = |cells: &mut dyn Iterator<Item = &CoverageCell>| cells.map(|c| c.card.asked_s_per_min).sum::<f32>();
        let all = asked(&mut self.cells.iter());
        let lacking = asked(&mut self.cells.iter().filter(|c| c.seconds() < LEAST_S));
        if all > 0.0 { 1.0 - lacking / all } else { 1.0 }
    }

    /// Returns the cells that a stick requests and the database lacks, the most requested first.
    pub fn missing(&self) -> Vec<&CoverageCell> {
        let mut cells: Vec<&CoverageCell> = self.cells.iter().filter(|c| c.is_missing()).collect();
        cells.sort_by(|a, b| b.card.asked_s_per_min.total_cmp(&a.card.asked_s_per_min));
        cells
    }
}

/// Clips of locomotion: captured ones, or those that the build generated.
pub(super) fn locomotion(db: &Database, made: bool) -> impl Iterator<Item = ClipIndex> {
    (0..db.originals()).map(ClipIndex::new).filter(move |c| {
        let tags = db.clip_tags(&db.clips[c.at()]);
        !tags.contains(&Database::NO_LOCOMOTION) && tags.contains(&Database::MADE) == made
    })
}

/// Roots of a clip. A loop is extended on both sides, so that its first and last frames are counted too.
pub(super) fn roots(db: &Database, index: ClipIndex) -> Vec<Transform> {
    /// Half of the time over which speed and turn are measured.
    const AROUND_S: f64 = 0.15;
    let clip = &db.clips[index.at()];
    let rate = f64::from(db.pose_rate_hz);
    let around = (AROUND_S * rate) as u32;
    if !clip.looping() || around >= clip.frames {
        return clip.frame_range().map(|f| db.poses.root(f)).collect();
    }
    let view = db.view(index, false);
    // The frames before the first one are the last frames of the previous cycle.
    (0..clip.frames + 2 * around).map(|f| view.root((f64::from(f) - f64::from(around)) / rate).0).collect()
}

/// Seconds of a cell in the mirror image of the motion: turns and sides are swapped.
fn image(of: &TravelSeconds, s: usize, t: usize, d: usize) -> f32 {
    of[s][4 - t][[0, 3, 2, 1][d]]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built_in, changed, walking};
    use super::*;

    #[test]
    fn the_built_in_data_covers_what_a_stick_asks_for() {
        let db = built_in();
        let coverage = Coverage::of(db, &db.stick);
        assert_eq!(coverage.cells.len(), 80);
        assert!(coverage.covered() > 0.9, "{}", coverage.covered());
        let have: f32 = coverage.cells.iter().map(CoverageCell::seconds).sum();
        assert!(have > 60.0 && f64::from(have) < 2.0 * db.seconds(), "{have} of {}", db.seconds());
        assert!(
            coverage.missing().len() < 20
                && coverage.missing().is_sorted_by(|a, b| a.card.asked_s_per_min >= b.card.asked_s_per_min)
        );
    }

    #[test]
    fn a_straight_walk_has_one_cell_and_everything_else_is_missing() {
        // 1.5 m/s straight ahead for 6 seconds.
        let db = walking(1.5, 6.0);
        let coverage = Coverage::of(&db, &StickSpeeds::default());
        let walk = coverage.cell(1, 2, 0);
        assert!((5.0..=6.1).contains(&walk.card.have_s) && walk.made_s == 0.0, "{walk:?}");
        assert!(coverage.cells.iter().filter(|c| c.seconds() > 0.0).count() == 1);
        assert!(coverage.covered() < 0.5 && coverage.missing().len() > 20);
    }

    #[test]
    fn made_motion_mirror_images_and_falls_are_told_apart() {
        let plain = walking(1.5, 6.0);
        let tag = |name: &str| {
            let mut content = (*plain).clone();
            content.tags = vec![name.to_owned()];
            content.tag_spans = vec![footwork::database::TagSpan {
                tag: 0,
                start: footwork::frames::FrameIndex(0),
                end: footwork::frames::FrameIndex(content.poses.frames() as u32),
            }];
            Coverage::of(&Database::new(content).unwrap(), &StickSpeeds::default())
        };
        let made = tag(Database::MADE);
        assert!(made.cell(1, 2, 0).card.have_s == 0.0 && made.cell(1, 2, 0).made_s > 5.0);
        let fall = tag(Database::NO_LOCOMOTION);
        assert!(fall.cells.iter().all(|c| c.seconds() == 0.0) && fall.covered() < 0.5);
        let mirrored = changed(|c| c.mirror = MirrorMode::Query);
        let coverage = Coverage::of(&mirrored, &mirrored.stick);
        let [left, right] = [coverage.cell(1, 3, 0), coverage.cell(1, 1, 0)];
        assert!((left.mirrored_s - right.card.have_s - right.made_s).abs() < 1e-3 && left.mirrored_s > 0.0);
    }
}
