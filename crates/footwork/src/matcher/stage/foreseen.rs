//! Costs beside the features of a query: of the root a short time ahead, and with foresight of the time after that.

use super::predict::predicted;
use crate::database::Database;
use crate::foresight::{Ahead, Foresight, ForesightSpec};
use crate::input::{Goal, MotionInput};
use crate::matcher::character::Character;
use crate::matcher::config::MatcherConfig;
use crate::matcher::model::Model;
use crate::matcher::state::MatcherState;
use crate::matcher::weights::{SCALE_RAD, multipliers, tagged};
use crate::math::{Facing, Transform};
use crate::schema::TrajectorySample;
use crate::search::Match;
use crate::trajectory::Desired;
use glam::Vec3;

/// Speed below which a velocity has no direction, in m/s.
const STANDS_MPS: f32 = 0.05;
/// Distance from the predicted simulated character from which a clip does not lead to it, in metres.
const MISSED_M: f32 = 0.2;
/// Difference in height from which a clip does not follow the ground, in metres.
const UNEVEN_M: f32 = 0.05;

/// Future with which the future of a row is compared.
pub struct Wanted<'a> {
    /// Predicted simulated character, in root space.
    pub root: TrajectorySample,
    /// Command for foresight; `None` if foresight is switched off or does not cover the command.
    pub foresight: Option<Foreseen<'a>>,
    /// Cost of a transition per second under a steady command that a row leads to; less if the command changes or the playing clip
    /// does not lead to the predicted simulated character.
    pub steady_cost: f32,
}

/// Foresight for one command.
pub struct Foreseen<'a> {
    table: &'a Foresight,
    ahead: Ahead,
    cost_per_m: f32,
}

impl Foreseen<'_> {
    /// Returns the cost of the future after a row.
    pub fn cost(&self, db: &Database, row: &Match) -> f32 {
        self.cost_per_m * self.table.loss_m(db, row.row, row.mirrored, self.ahead)
    }
}

/// Returns the desired future of a character.
pub fn wanted<'a>(
    character: &Character,
    input: &MotionInput,
    state: &MatcherState,
    table: Option<&'a Foresight>,
) -> Wanted<'a> {
    let root = predicted(character, input, state, character.config.search.path_ahead_s);
    let (desired, shown) = (&state.header.goal.desired, state.header.shown_root(&character.config.transition));
    let foresight = table.and_then(|table| foreseen(character, input, (desired, shown), table));
    let steady = state.header.commanded().is_steady(&character.config) * leads_to(character, state, &root);
    Wanted { root, foresight, steady_cost: character.config.search.steady_cost * steady }
}

/// Returns how well the playing clip takes the root to `ahead`, 0 to 1; 1 for blend spaces, which follow the command. Heights count
/// where they are matched.
fn leads_to(character: &Character, state: &MatcherState, ahead: &TrajectorySample) -> f32 {
    let playing = state.header.playback.playing;
    let Some(db) = character.database().filter(|db| playing.clip.at() < db.clips.len()) else { return 1.0 };
    let clip = db.view(playing.clip, playing.mirrored);
    let place = clip.place_ahead(playing.time_s, character.config.search.path_ahead_s);
    let above_m = if character.model.schema.matches_heights() { ahead.position.y - place.0.y } else { 0.0 };
    (1.0 - miss(place, ahead, MISSED_M).sqrt()).max(0.0) * (1.0 - above_m.abs() / UNEVEN_M).max(0.0)
}

/// Returns the square of the distance on the ground from a place of the root to `wanted`, in units of `scale_m` metres, and that of
/// the angle between the facings, in units of [`SCALE_RAD`], as a sum.
pub fn miss((position, facing): (Vec3, Facing), wanted: &TrajectorySample, scale_m: f32) -> f32 {
    let apart = Vec3::new(position.x - wanted.position.x, 0.0, position.z - wanted.position.z);
    let turn = facing.angle_to(wanted.facing) / SCALE_RAD;
    apart.length_squared() / (scale_m * scale_m) + turn * turn
}

/// Returns the command for foresight, for a desired motion and the shown root. The table covers commands to move in the direction of the commanded facing. Other directions
/// count less, by the cosine of the angle between both; from 90 degrees on, the result is `None`.
fn foreseen<'a>(
    character: &Character,
    input: &MotionInput,
    (desired, shown): (&Desired, Transform),
    table: &'a Foresight,
) -> Option<Foreseen<'a>> {
    let config = &character.config;
    let cost_per_m = config.responsiveness * config.search.foresight_cost;
    if cost_per_m == 0.0 || matches!(input.goal, Goal::None) {
        return None;
    }
    let velocity = Vec3::new(desired.velocity.x, 0.0, desired.velocity.z);
    let speed_mps = velocity.length();
    let along = if speed_mps > STANDS_MPS { velocity.dot(desired.facing.direction()) / speed_mps } else { 1.0 };
    let root = Facing::from_rotation(shown.rotation);
    let ahead = Ahead { turn_rad: root.angle_to(desired.facing), speed_mps };
    (along > 0.0).then_some(Foreseen { table, ahead, cost_per_m: cost_per_m * along })
}

/// Returns the specification of a character's foresight table.
pub fn spec(db: &Database, model: &Model, config: &MatcherConfig) -> ForesightSpec {
    let stick = config.speeds.over(&model.stick);
    let forbidden = tagged(model, &config.ground.own_ground_tags);
    let mut multipliers = multipliers(model, config);
    for channel in model.schema.channels.iter().filter(|c| c.kind.is_trajectory()) {
        multipliers[channel.columns.clone()].fill(0.0);
    }
    ForesightSpec {
        speeds_mps: [stick.walk.forward_mps, stick.run.forward_mps],
        multipliers,
        tags: db.accepted_without(forbidden),
        end_exclusion_rows: (config.search.end_exclusion_s * db.search_rate_hz).round() as usize,
    }
}
