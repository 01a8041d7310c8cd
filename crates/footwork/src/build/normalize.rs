//! Normalisation of features.

use crate::error::quoted;
use crate::schema::{ChannelKind, FeatureSchema, MirrorColumn, Normalization};

/// `[columns]` offset and scale so that stored = (raw - offset) / scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    pub offset: Vec<f32>,
    pub scale: Vec<f32>,
    /// Columns of the path over the ground that are the same in every row, because all clips go straight.
    pub straight: Vec<usize>,
}

/// Minimum scale of paths over the ground and of joint velocities: in metres, metres per second, or lengths of a facing. If
/// clips vary less, their slight sway must not outweigh other features.
const LEAST_SPREAD: f64 = 0.1;

/// Reason why features cannot be scaled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalizeError {
    /// A column is constant.
    #[error(
        "feature `{column}` is {value} in every row: it can tell nothing apart; remove its channel, or (for heights on \
         flat ground) set `dimensions = 2`",
        column = quoted(.column)
    )]
    Constant {
        /// Column.
        column: String,
        /// Value of the column.
        value: f32,
    },
    /// Counterparts have different weights.
    #[error(
        "channels `{left}` and `{right}` are mirror images but weigh {a} and {b}: make them equal, or set `mirror = \
         \"off\"`",
        left = quoted(.left), right = quoted(.right)
    )]
    UnequalWeights {
        /// Channel.
        left: String,
        /// Counterpart.
        right: String,
        /// Weight.
        a: f32,
        /// Weight.
        b: f32,
    },
}

/// Statistics of a column.
#[derive(Clone, Copy, Debug)]
struct Stats {
    mean: f64,
    variance: f64,
    min: f64,
    max: f64,
}

/// Returns offset and scale of raw features `[rows x columns]`. With `mirror`, both sides get the same values, up to the
/// sign.
pub fn scaling(
    raw: &[f32],
    schema: &FeatureSchema,
    how: Normalization,
    mirror: Option<&[MirrorColumn]>,
) -> Result<Scaling, NormalizeError> {
    let columns = schema.columns;
    let mut stats: Vec<Stats> = (0..columns).map(|c| column_stats(raw, columns, c)).collect();
    let constant = |c: &usize| stats[*c].max - stats[*c].min < 1e-6 * stats[*c].max.abs().max(1.0);
    // A single stride has constant velocity and goes straight.
    let (mut straight, saying_nothing): (Vec<usize>, Vec<usize>) =
        (0..columns).filter(constant).partition(|c| over_ground(schema, *c) || is_velocity(schema, *c));
    straight.retain(|c| over_ground(schema, *c));
    if let Some(c) = saying_nothing.first().copied() {
        return Err(NormalizeError::Constant { column: schema.column_label(c), value: stats[c].mean as f32 });
    }
    if let Some(mirror) = mirror {
        check_weights(schema, mirror)?;
        stats = symmetrized(&stats, mirror);
    }
    let mut offset = vec![0.0f32; columns];
    let mut scale = vec![1.0f32; columns];
    for channel in &schema.channels {
        let width = channel.columns.len() as f64;
        let block: f64 = channel.columns.clone().map(|c| stats[c].variance.sqrt()).sum::<f64>() / width;
        let first = channel.columns.start;
        let least = if over_ground(schema, first) || is_velocity(schema, first) { LEAST_SPREAD } else { 0.0 };
        for c in channel.columns.clone() {
            let s = stats[c];
            let (center, spread) = match how {
                Normalization::Block => (s.mean, block.max(least)),
                Normalization::Column => (s.mean, s.variance.sqrt().max(least)),
                // The centre of the range, not its lower end, is the same for both sides of a mirror image.
                Normalization::MinMax => (0.5 * (s.min + s.max), (s.max - s.min).max(least)),
                Normalization::None => (0.0, 1.0),
            };
            offset[c] = center as f32;
            scale[c] = (spread / f64::from(channel.weight)) as f32;
        }
    }
    Ok(Scaling { offset, scale, straight })
}

/// Returns true for a column with the root's path or facing on the ground.
fn over_ground(schema: &FeatureSchema, column: usize) -> bool {
    schema.channels.iter().filter(|c| c.columns.contains(&column)).any(|c| match &c.kind {
        ChannelKind::TrajectoryFacing(_) => true,
        ChannelKind::TrajectoryPosition(t) => t.0.dimensions == 2,
        ChannelKind::TrajectoryVelocity(t) => t.0.dimensions == 2,
        _ => false,
    })
}

/// Returns true for a column of a joint's velocity.
fn is_velocity(schema: &FeatureSchema, column: usize) -> bool {
    let mut channels = schema.channels.iter().filter(|c| c.columns.contains(&column));
    channels.any(|c| matches!(c.kind, ChannelKind::JointVelocity(_)))
}

fn column_stats(raw: &[f32], columns: usize, c: usize) -> Stats {
    let values = || raw.iter().skip(c).step_by(columns).map(|v| f64::from(*v));
    let n = values().count().max(1) as f64;
    let mean = values().sum::<f64>() / n;
    let variance = values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    let min = values().fold(f64::INFINITY, f64::min);
    let max = values().fold(f64::NEG_INFINITY, f64::max);
    Stats { mean, variance, min, max }
}

/// Returns the statistics of each column's values together with the mirrored values of its counterpart. The result is
/// exactly symmetric: each pair is computed once and copied, with the sign.
fn symmetrized(stats: &[Stats], mirror: &[MirrorColumn]) -> Vec<Stats> {
    let mut out = stats.to_vec();
    for (c, m) in mirror.iter().enumerate().filter(|(c, m)| *c <= m.column) {
        let flip = |s: Stats| match m.sign < 0.0 {
            true => Stats { mean: -s.mean, variance: s.variance, min: -s.max, max: -s.min },
            false => s,
        };
        let (a, b) = (stats[c], flip(stats[m.column]));
        let half = 0.5 * (a.mean - b.mean);
        let both = Stats {
            mean: 0.5 * (a.mean + b.mean),
            variance: 0.5 * (a.variance + b.variance) + half * half,
            min: a.min.min(b.min),
            max: a.max.max(b.max),
        };
        out[c] = both;
        if m.column != c {
            out[m.column] = flip(both);
        }
    }
    out
}

fn check_weights(schema: &FeatureSchema, mirror: &[MirrorColumn]) -> Result<(), NormalizeError> {
    let channel_of = |column: usize| schema.channels.iter().find(|c| c.columns.contains(&column));
    for channel in &schema.channels {
        let Some(other) = channel_of(mirror[channel.columns.start].column) else { continue };
        if channel.weight != other.weight || channel.residual != other.residual {
            return Err(NormalizeError::UnequalWeights {
                left: channel.label.clone(),
                right: other.label.clone(),
                a: channel.weight,
                b: other.weight,
            });
        }
    }
    Ok(())
}

/// Returns the warning for clips that all go straight. `label`: of the first column that is the same in every row.
pub fn straight_warning(label: &str) -> String {
    format!(
        "the clips all go the same way (`{label}` is the same in every row): the character turns and strafes by sliding; \
         add clips that do, or `mirror`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::schema::{ChannelSpec, ChannelType};
    use crate::skeleton::Skeleton;

    fn schema(weight: f32) -> FeatureSchema {
        let s = Skeleton::new(vec!["Root".into()], vec![None], vec![Transform::IDENTITY]).unwrap();
        let specs = [
            ChannelSpec::trajectory(ChannelType::TrajectoryPosition, &[1.0], weight),
            ChannelSpec::user("ball", 1, 1.0),
        ];
        FeatureSchema::resolve(&specs, &[], &s, &[]).unwrap()
    }

    const RAW: [f32; 9] = [0.0, 10.0, 1.0, 2.0, 14.0, 5.0, 4.0, 18.0, 3.0];

    #[test]
    fn a_block_shares_the_mean_of_its_deviations_divided_by_the_weight() {
        let s = scaling(&RAW, &schema(2.0), Normalization::Block, None).unwrap();
        let deviation = (8.0f32 / 3.0).sqrt();
        assert_eq!(s.offset, [2.0, 14.0, 3.0]);
        assert!((s.scale[0] - (deviation + 2.0 * deviation) / 2.0 / 2.0).abs() < 1e-6);
        assert_eq!(s.scale[0], s.scale[1]);
    }

    #[test]
    fn the_other_kinds_do_what_they_say() {
        let s = scaling(&RAW, &schema(1.0), Normalization::Column, None).unwrap();
        assert!((s.scale[1] / s.scale[0] - 2.0).abs() < 1e-6);
        let s = scaling(&RAW, &schema(1.0), Normalization::MinMax, None).unwrap();
        assert_eq!((s.offset[1], s.scale[1]), (14.0, 8.0));
        let s = scaling(&RAW, &schema(4.0), Normalization::None, None).unwrap();
        assert_eq!((s.offset[0], s.scale[0]), (0.0, 0.25));
    }

    #[test]
    fn a_constant_column_is_refused_by_name() {
        let raw = [0.0, 1.0, 7.0, 2.0, 5.0, 7.0];
        let e = scaling(&raw, &schema(1.0), Normalization::Block, None).unwrap_err().to_string();
        assert!(e.contains("`ball") && e.contains("is 7 in every row"), "{e}");
    }

    #[test]
    fn clips_that_all_go_straight_are_taken_and_their_sway_outweighs_nothing() {
        let raw = [0.0, 1.0, 5.0, 0.0, 1.001, 7.0];
        for how in [Normalization::Block, Normalization::Column, Normalization::MinMax] {
            let s = scaling(&raw, &schema(2.0), how, None).unwrap();
            assert_eq!((&s.straight[..], s.scale[0], s.scale[1]), (&[0][..], 0.05, 0.05), "{how:?}");
        }
    }

    #[test]
    fn symmetric_scaling_is_exact_up_to_the_sign() {
        let mirror = [
            MirrorColumn { column: 0, sign: -1.0 },
            MirrorColumn { column: 1, sign: 1.0 },
            MirrorColumn { column: 2, sign: 1.0 },
        ];
        let s = scaling(&RAW, &schema(1.0), Normalization::Column, Some(&mirror)).unwrap();
        assert_eq!(s.offset[0], 0.0);
        assert_eq!(s.offset[1], 14.0);
        assert!((s.scale[0] - (8.0f32 / 3.0 + 4.0).sqrt()).abs() < 1e-6);
    }
}
