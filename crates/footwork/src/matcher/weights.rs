//! Names of the settings, resolved for a model: tags, weights of columns as configured, and weights of columns for the first pass
//! of a search.

use super::config::MatcherConfig;
use super::model::Model;
use crate::database::TagMask;
use crate::schema::channel::{TrajectoryFacing, TrajectoryPosition};
use crate::schema::{ChannelKind, Residual};

/// Unit of distances in costs, in metres: costs are per square of it.
pub(super) const SCALE_M: f32 = 0.1;
/// Rotation that drags feet about as far as a displacement of [`SCALE_M`], in radians.
pub(super) const SCALE_RAD: f32 = 0.35;

/// Returns the set of the tags with these names. Unknown names are ignored.
pub(super) fn tagged(model: &Model, names: &[String]) -> TagMask {
    let of = |(i, name): (usize, &String)| names.contains(name).then(|| TagMask::of(i));
    model.tags.iter().enumerate().filter_map(of).fold(TagMask::default(), |a, b| a | b)
}

/// Returns `[columns]` factors on differences that scale the cost of each channel as configured; 1 leaves it exactly as stored.
pub(super) fn multipliers(model: &Model, config: &MatcherConfig) -> Vec<f32> {
    let mut out = vec![1.0; model.schema.columns];
    for channel in &model.schema.channels {
        let mut cost = config.channel_cost.get(&channel.label).copied().unwrap_or(1.0);
        if channel.kind.is_trajectory() {
            cost *= config.responsiveness;
        }
        let factor = match channel.residual {
            Residual::Squared => cost.sqrt(),
            Residual::Absolute => cost,
        };
        out[channel.columns.clone()].fill(factor);
    }
    out
}

/// Returns the same `[columns]` factors with an approximation of `search.path_cost` added. It uses the columns of the future time
/// nearest to `search.path_ahead_s`, with distances divided by the ratio of both times. With one candidate there is no second
/// pass, and the factors stay as they are.
pub(crate) fn shortlist_multipliers(model: &Model, config: &MatcherConfig) -> Vec<f32> {
    let search = &config.search;
    let mut multipliers = multipliers(model, config);
    if search.candidates == 1 {
        return multipliers;
    }
    let schema = &model.schema;
    let later = |slot: &usize| schema.times_s[*slot] / search.path_ahead_s.max(1e-3);
    for channel in schema.channels.iter().filter(|c| c.residual == Residual::Squared) {
        let (slots, dimensions, scale) = match &channel.kind {
            ChannelKind::TrajectoryPosition(TrajectoryPosition(t)) => (&t.slots, t.dimensions, SCALE_M),
            ChannelKind::TrajectoryFacing(TrajectoryFacing { slots }) => (slots, 2, SCALE_RAD),
            _ => continue,
        };
        let nearness = |slot: &usize| (later(slot) - 1.0).abs();
        let ahead = slots.iter().enumerate().filter(|(_, slot)| later(slot) > 0.0);
        let Some((at, slot)) = ahead.min_by(|a, b| nearness(a.1).total_cmp(&nearness(b.1))) else { continue };
        let scale = scale * later(slot);
        let per_unit = config.responsiveness * search.path_cost / (scale * scale);
        let start = channel.columns.start + at * dimensions;
        for column in start..start + dimensions {
            let unit = model.feature_scale[column];
            multipliers[column] = (multipliers[column] * multipliers[column] + per_unit * unit * unit).sqrt();
        }
    }
    multipliers
}
