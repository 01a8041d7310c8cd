//! Calibration of networks after training, and the code of an idle character.

use crate::dataset::Dataset;
use crate::phase::Phase;
use crate::projector::Oracle;
use crate::random::Random;
use footwork::advanced::learned::{Calibration, Network, NetworkScratch};
use footwork::advanced::schema::ChannelKind;
use footwork::database::{Database, MirrorMode};
use footwork::frames::RowIndex;

/// Number of measured queries.
const SAMPLES: usize = 2000;
/// Range of the distance above which a result of the projector counts as a transition.
const TRANSITION_DISTANCES: std::ops::RangeInclusive<f32> = 0.5..=1.5;
/// Seconds after which the result of the projector is used in any case.
const LONGEST_STEP_S: f32 = 10.0;
/// Factor from the largest measured distance to the trusted distance.
const TRUST: f32 = 1.5;

/// Measures a projector: the distance from frames of the data, and from queries like a game's, to the features that it finds.
pub fn calibration(data: &Dataset, oracle: &Oracle, projector: &Network, seed: u64) -> Calibration {
    let mut room = NetworkScratch::default();
    let columns = data.columns;
    let mut code = vec![0.0; projector.outputs()];
    let mut distance = |query: &[f32]| {
        projector.run(query, &mut code, &mut room);
        query.iter().zip(&code[..columns]).map(|(q, x)| (q - x) * (q - x)).sum::<f32>().sqrt()
    };
    let frames: Vec<usize> = data.usable().collect();
    let stride = (frames.len() / SAMPLES).max(1);
    let own: Vec<f32> = frames.iter().step_by(stride).map(|frame| distance(data.features(*frame))).collect();
    let mut random = Random::new(seed, Phase::ALL.len() as u64, 0);
    let asked: Vec<f32> = (0..SAMPLES).map(|_| distance(&oracle.mixed_query(data, &mut random).1)).collect();
    let (least, most) = TRANSITION_DISTANCES.into_inner();
    Calibration {
        transition_distance: quantile(own, 0.9).clamp(least, most),
        longest_step_s: LONGEST_STEP_S,
        trusted_distance: quantile(asked, 0.999) * TRUST,
    }
}

/// Returns the value below which a share of the values lies; 0 without values.
pub fn quantile(mut values: Vec<f32>, share: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    let at = (share * values.len().saturating_sub(1) as f32).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

/// Returns the code of the row with the shortest trajectory, in which the character is idle.
pub fn resting_code(db: &Database, data: &Dataset, codes: &[f32]) -> Vec<f32> {
    let width = codes.len() / data.frames();
    let positions: Vec<usize> = db
        .schema
        .channels
        .iter()
        .filter(|c| matches!(c.kind, ChannelKind::TrajectoryPosition(_)))
        .flat_map(|c| c.columns.clone())
        .collect();
    let accepted = crate::dataset::accepted(db);
    let far = |row: usize| {
        let values = db.features.row(RowIndex::new(row));
        positions.iter().map(|c| db.features.denormalize(*c, values[*c])).map(|v| v * v).sum::<f32>()
    };
    let rows = (0..db.rows()).filter(|row| db.accepts(&accepted, *row) && !db.row_flags[*row].extrapolated());
    let mut nearest: Option<(f32, usize)> = None;
    for row in rows {
        let distance = far(row);
        if nearest.is_none_or(|(least, _)| distance < least) {
            let time_s = db.row_time_s(RowIndex::new(row));
            if let Some(frame) = data.frame_at(db.row_clips[row], false, time_s) {
                nearest = Some((distance, frame));
            }
        }
    }
    debug_assert!(db.mirror == MirrorMode::Query || nearest.is_some());
    let frame = nearest.map_or(data.sequences[0].frames.start, |(_, frame)| frame);
    codes[frame * width..][..width].to_vec()
}
