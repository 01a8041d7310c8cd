//! The abilities of a character with a database, in one line.

use super::coverage::{Coverage, CoverageCell, LEAST_S, locomotion, roots};
use footwork::advanced::motion::StickSpeeds;
use footwork::database::{Database, MirrorMode};
use footwork::math::{Facing, Transform};
use serde::Serialize;
use std::fmt;

/// Upper limits of an idle body: speed in m/s, and turn rate in degrees/s.
const STANDS_MPS: f32 = 0.1;
const STANDS_DEG_S: f32 = 20.0;
/// Turning in place: lower limit of the turn rate in degrees/s, and upper limit of the speed in m/s.
const TURNS_DEG_S: f32 = 40.0;
const IN_PLACE_MPS: f32 = 0.3;
/// Time over which speed and turn are measured, in seconds.
const OVER_S: f32 = 0.3;

/// Origin of an ability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Captured clips, and mirror images of them.
    Captured,
    /// Clips that the build generated from captured ones.
    Made,
    /// No such clips.
    Missing,
}

/// The abilities of a character, judged by its clips. Its `Display` is one line, such as `stands, walks, runs; turns only by
/// sliding; no strafe, no walking backward`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Idle.
    pub stands: Origin,
    /// Straight ahead at 0.3 to 2 m/s.
    pub walks: Origin,
    /// Straight ahead at 2 m/s and more.
    pub runs: Origin,
    /// Along curves of at least 30 degrees/s, to the left and to the right.
    pub turns: [Origin; 2],
    /// In place, to the left and to the right.
    pub turns_in_place: [Origin; 2],
    /// Sideways, to the left and to the right.
    pub strafes: [Origin; 2],
    /// Backward.
    pub walks_backward: Origin,
}

impl Verdict {
    /// Judges the locomotion of a database. `stick`: the speeds of a full stick.
    pub fn of(db: &Database, stick: &StickSpeeds) -> Self {
        let coverage = Coverage::of(db, stick);
        let seconds = |speeds: &[usize], turns: &[usize], direction: usize| {
            let cells = speeds.iter().flat_map(|s| turns.iter().map(|t| coverage.cell(*s, *t, direction)));
            cells.fold([0.0, 0.0], |[captured, made], c: &CoverageCell| {
                [captured + c.card.have_s + c.mirrored_s, made + c.made_s]
            })
        };
        let [stands, left, right] = still(db);
        let turn_in_place = match db.mirror {
            MirrorMode::Off => [left, right],
            MirrorMode::Stored | MirrorMode::Query => [[left[0] + right[0], left[1] + right[1]]; 2],
        };
        Self {
            stands: origin(stands),
            walks: origin(seconds(&[0, 1], &[2], 0)),
            runs: origin(seconds(&[2, 3], &[2], 0)),
            turns: [&[3, 4], &[0, 1]].map(|turns| origin(seconds(&[0, 1, 2, 3], turns, 0))),
            turns_in_place: turn_in_place.map(origin),
            strafes: [1, 3].map(|d| origin(seconds(&[0, 1, 2, 3], &[1, 2, 3], d))),
            walks_backward: origin(seconds(&[0, 1, 2, 3], &[1, 2, 3], 2)),
        }
    }
}

fn origin([captured, made]: [f32; 2]) -> Origin {
    match () {
        () if captured >= LEAST_S => Origin::Captured,
        () if captured + made >= LEAST_S => Origin::Made,
        () => Origin::Missing,
    }
}

/// Seconds of idle motion, and of turning in place to the left and to the right: captured and generated.
fn still(db: &Database) -> [[f32; 2]; 3] {
    let mut seconds = [[0.0; 2]; 3];
    let frame_s = 1.0 / db.pose_rate_hz;
    let over = ((OVER_S * db.pose_rate_hz) as usize).max(1);
    for (source, made) in [false, true].into_iter().enumerate() {
        for clip in locomotion(db, made) {
            let roots = roots(db, clip);
            for pair in roots.windows(over + 1) {
                if let Some(kind) = kind_of_still(&pair[0], &pair[over], over as f32 * frame_s) {
                    seconds[kind][source] += frame_s;
                }
            }
        }
    }
    seconds
}

/// Returns 0 for idle motion between two roots, 1 and 2 for turning in place to the left and to the right.
fn kind_of_still(from: &Transform, to: &Transform, passed_s: f32) -> Option<usize> {
    let way = to.translation - from.translation;
    let speed_mps = way.with_y(0.0).length() / passed_s;
    let turned = Facing::from_rotation(from.rotation).angle_to(Facing::from_rotation(to.rotation));
    let turn_deg_s = turned.to_degrees() / passed_s;
    match () {
        () if speed_mps < STANDS_MPS && turn_deg_s.abs() < STANDS_DEG_S => Some(0),
        () if speed_mps > IN_PLACE_MPS => None,
        () if turn_deg_s > TURNS_DEG_S => Some(1),
        () if turn_deg_s < -TURNS_DEG_S => Some(2),
        () => None,
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let both = |[left, right]: [Origin; 2], can: &'static str, lacks: &'static str| {
            use Origin::{Captured, Made, Missing};
            match (left, right) {
                (Missing, Missing) => (Missing, can.to_owned(), lacks.to_owned()),
                (Missing, one) => (one, format!("{can} only to the right"), String::new()),
                (one, Missing) => (one, format!("{can} only to the left"), String::new()),
                (Captured, Captured) => (Captured, can.to_owned(), String::new()),
                _ => (Made, can.to_owned(), String::new()),
            }
        };
        let one = |origin, can: &str, lacks: &str| (origin, can.to_owned(), lacks.to_owned());
        let abilities = [
            one(self.stands, "stands", "no standing"),
            one(self.walks, "walks", "no walking"),
            one(self.runs, "runs", "no running"),
            both(self.turns, "turns", "turns only by sliding"),
            both(self.turns_in_place, "turns in place", "turns in place only by sliding"),
            both(self.strafes, "strafes", "no strafe"),
            one(self.walks_backward, "walks backward", "no walking backward"),
        ];
        let of = |origin| {
            let these = abilities.iter().filter(move |a| a.0 == origin);
            these.map(|a| if origin == Origin::Missing { a.2.as_str() } else { a.1.as_str() }).collect::<Vec<_>>()
        };
        let made = of(Origin::Made);
        let made = if made.is_empty() { String::new() } else { format!("by made clips {}", made.join(", ")) };
        let parts = [of(Origin::Captured).join(", "), made, of(Origin::Missing).join(", ")];
        f.write_str(&parts.iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built_in, walking};
    use super::*;

    #[test]
    fn the_built_in_person_can_do_everything() {
        let db = built_in();
        let told = Verdict::of(db, &db.stick).to_string();
        assert_eq!(told, "stands, walks, runs, turns, turns in place, strafes, walks backward");
    }

    #[test]
    fn a_straight_walk_alone_lacks_all_else() {
        let db = walking(1.4, 6.0);
        let told = Verdict::of(&db, &db.stick).to_string();
        assert_eq!(
            told,
            "walks; no standing, no running, turns only by sliding, turns in place only by sliding, no strafe, no walking backward"
        );
    }
}
