//! What names in settings mean for a model: tags, and run-time weights of columns, as configured, and those by which the moments
//! are found that are compared once more.

use super::config::MatcherConfig;
use super::model::Model;
use crate::database::TagMask;
use crate::schema::channel::{TrajectoryFacing, TrajectoryPosition};
use crate::schema::{ChannelKind, Residual};

/// Costs are per square of this, metres.
pub(super) const SCALE_M: f32 = 0.1;
/// A turn that drags feet about as far as a way of [`SCALE_M`], radians.
pub(super) const SCALE_RAD: f32 = 0.35;

/// The set of the tags with these names; names that no tag has are left out.
pub(super) fn tagged(model: &Model, names: &[String]) -> TagMask {
    let of = |(i, name): (usize, &String)| names.contains(name).then(|| TagMask::of(i));
    model.tags.iter().enumerate().filter_map(of).fold(TagMask::default(), |a, b| a | b)
}

/// `[columns]` the factor on a column's difference that scales its channel's cost as asked; 1 leaves it exactly as stored.
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

/// `[columns]` the same with about what the way costs added: of where the root will be, features hold the time that is nearest
/// to `search.way_ahead_s`; by then it has gone as much further as the time is later. With one candidate nothing is compared
/// once more, and the weights stay as they are.
pub(crate) fn shortlist_multipliers(model: &Model, config: &MatcherConfig) -> Vec<f32> {
    let search = &config.search;
    let mut multipliers = multipliers(model, config);
    if search.candidates == 1 {
        return multipliers;
    }
    let schema = &model.schema;
    let later = |slot: &usize| schema.times_s[*slot] / search.way_ahead_s.max(1e-3);
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
        let per_unit = config.responsiveness * search.way_cost / (scale * scale);
        let start = channel.columns.start + at * dimensions;
        for column in start..start + dimensions {
            let unit = model.feature_scale[column];
            multipliers[column] = (multipliers[column] * multipliers[column] + per_unit * unit * unit).sqrt();
        }
    }
    multipliers
}
