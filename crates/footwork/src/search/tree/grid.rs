//! Features as integers, such that distances between codes are lower bounds of the cost.
//!
//! Values are multiplied by the weights that the tree is built for. All columns then share one unit, since they share one
//! cost, and as many bits as let the squares of all columns add up within 31 (13 bits for up to 32 columns). Columns with
//! squared cost come first, then those with absolute cost, each group by falling variance and filled up to whole pairs.
//!
//! # Why a bound never exceeds the cost
//! Boxes are rounded outwards and queries towards them, so their distance is never more than the real one. Rows and queries
//! are rounded to the nearest code: the error of each column's distance is at most one unit (one and a half after weighting),
//! so that the error of the total length is at most that times the square root of the number of columns; limits for rows are
//! raised by as much ([`Bounds::limit`]). Codes are computed in `f64`, where a weighted value is exact and the error of a
//! division is 2^-36 of a code.
//!
//! These bounds hold for the cost in real numbers. The cost formula in `f32` may be lower by at most a factor (1 - 2^-24) per
//! operation (two for the difference and its weight, squared, one for the square, one per column of the sum), and for
//! tiny numbers by some 2^-149 per column. Limits are raised by more than all of that.

use super::super::cost::{ColumnCost, ColumnOrder};
use super::super::kernels::Codes;
use super::super::query::SearchQuery;
use crate::database::Features;

/// Maximum number of columns in bounds, those of the most variance: a query's codes live on the stack. Bounds leave out the
/// cost of other columns and stay lower bounds.
const MOST_LANES: usize = 256;
const MOST_PAIRS: usize = MOST_LANES / 2;
/// Half the width of the grid, in standard deviations; values beyond it share the outermost code.
const REACH: f64 = 8.0;
/// Marks a lane without a column, and a column without a lane.
const NONE: u32 = u32::MAX;

/// A column of the grid.
#[derive(Clone, Copy, Debug)]
struct Lane {
    column: u32,
    /// The weight that the tree is built for. The following fields are of weighted values.
    weight: f64,
    /// Value of code 0.
    origin: f64,
    /// Smallest and largest value of all rows.
    range: (f64, f64),
}

/// Conversion of values to codes.
#[derive(Debug)]
pub struct Grid {
    lanes: Vec<Lane>,
    /// `[columns]`.
    lane_of: Vec<u32>,
    /// Number of lanes with a column.
    columns: usize,
    squared_pairs: usize,
    /// Width of a code.
    unit: f64,
    /// The highest code, shared by all values above it; code 0 is shared by all values below it.
    top: u16,
}

/// Statistics of a column.
#[derive(Clone, Copy, Debug)]
struct Spread {
    column: usize,
    weight: f64,
    mean: f64,
    variance: f64,
    range: (f64, f64),
}

impl Spread {
    /// Returns the statistics of all columns.
    fn of_all(features: &Features, rows: &[u32], weights: &[f64]) -> Vec<Self> {
        let new = |(column, weight): (usize, &f64)| {
            let range = (f64::MAX, f64::MIN);
            Self { column, weight: *weight, mean: 0.0, variance: 0.0, range }
        };
        let mut spreads: Vec<Self> = weights.iter().enumerate().map(new).collect();
        // Row by row, as they lie in memory.
        let for_all = |spreads: &mut [Self], each: fn(&mut Self, f64)| {
            for row in rows {
                let values = &features.values[*row as usize * features.columns..][..features.columns];
                spreads.iter_mut().zip(values).for_each(|(spread, v)| each(spread, spread.weight * f64::from(*v)));
            }
        };
        let n = rows.len().max(1) as f64;
        for_all(&mut spreads, |s, v| (s.mean, s.range) = (s.mean + v, (s.range.0.min(v), s.range.1.max(v))));
        spreads.iter_mut().for_each(|s| s.mean /= n);
        for_all(&mut spreads, |s, v| s.variance += (v - s.mean) * (v - s.mean));
        spreads.iter_mut().for_each(|s| s.variance /= n);
        spreads
    }

    /// Returns the part of the range in which codes differ.
    fn reach(&self) -> (f64, f64) {
        let reach = REACH * self.variance.sqrt();
        (self.range.0.max(self.mean - reach), self.range.1.min(self.mean + reach))
    }
}

impl Grid {
    /// Creates a grid over these rows for queries with these `[columns]` weights; `is_absolute` returns whether a column has
    /// absolute cost.
    pub fn new(features: &Features, rows: &[u32], weights: &[f64], is_absolute: impl Fn(usize) -> bool) -> Self {
        let mut spreads = Spread::of_all(features, rows, weights);
        spreads.sort_by(|a, b| b.variance.total_cmp(&a.variance).then(a.column.cmp(&b.column)));
        // One less for each group: both are filled up to whole pairs.
        spreads.truncate(MOST_LANES - 2);
        let lanes_of = |absolute: bool| -> Vec<Lane> {
            let group = spreads.iter().filter(|s| is_absolute(s.column) == absolute);
            let mut lanes: Vec<Lane> = group
                .map(|s| Lane { column: s.column as u32, weight: s.weight, origin: s.reach().0, range: s.range })
                .collect();
            if lanes.len() % 2 == 1 {
                lanes.push(Lane { column: NONE, weight: 1.0, origin: 0.0, range: (0.0, 0.0) });
            }
            lanes
        };
        let (mut lanes, absolute) = (lanes_of(false), lanes_of(true));
        let squared_pairs = lanes.len() / 2;
        lanes.extend(absolute);
        let mut lane_of = vec![NONE; features.columns];
        for (i, lane) in lanes.iter().enumerate().filter(|(_, l)| l.column != NONE) {
            lane_of[lane.column as usize] = i as u32;
        }
        let width = spreads.iter().map(|s| s.reach().1 - s.reach().0).fold(0.0, f64::max);
        let top = top(lanes.len());
        let unit = if width > 0.0 { width / f64::from(top) } else { 1.0 };
        Self { lanes, lane_of, columns: spreads.len(), squared_pairs, unit, top }
    }

    /// Returns the number of pairs of columns.
    pub fn pairs(&self) -> usize {
        self.lanes.len() / 2
    }

    /// Returns the pairs that boxes contain: the four fifths of most variance, or all if some columns have absolute cost. The
    /// others separate boxes too little to be worth the time.
    pub fn box_pairs(&self) -> std::ops::Range<usize> {
        let pairs = self.pairs();
        0..if self.squared_pairs == pairs { (pairs * 4).div_ceil(5) } else { pairs }
    }

    /// Returns the number of pairs with squared cost; those with absolute cost follow.
    pub fn squared_pairs(&self) -> usize {
        self.squared_pairs
    }

    /// Returns the code of a row's value in a lane: the nearest, the one below and the one above.
    pub fn encode(&self, row: &[f32], lane: usize) -> [u16; 3] {
        let lane = &self.lanes[lane];
        if lane.column == NONE {
            return [0; 3];
        }
        let place = self.place(lane, lane.weight * f64::from(row[lane.column as usize]));
        [nearest(place), below(place), above(place)]
    }

    /// Returns the position of a value on the grid, in codes, before rounding.
    fn place(&self, lane: &Lane, value: f64) -> f64 {
        ((value - lane.origin) / self.unit).clamp(0.0, f64::from(self.top))
    }
}

/// Returns the highest code for which the squares of all lanes add up to less than 2^31; distances must fit 15 bits.
fn top(lanes: usize) -> u16 {
    let fits = |top: u16| lanes as u64 * u64::from(top) * u64::from(top) <= i32::MAX as u64;
    (1..16).map(|bits| u16::MAX >> bits).find(|top| fits(*top)).unwrap_or(0)
}

// Truncation rounds down with one instruction on every machine.

fn below(place: f64) -> u16 {
    place as u16
}

fn above(place: f64) -> u16 {
    let below = below(place);
    below + u16::from(place > f64::from(below))
}

fn nearest(place: f64) -> u16 {
    (place + 0.5) as u16
}

/// A query on the grid.
#[derive(Debug)]
pub struct Question {
    pairs: usize,
    squared_pairs: usize,
    nearest: [u32; MOST_PAIRS],
    above: [u32; MOST_PAIRS],
    below: [u32; MOST_PAIRS],
    /// Weights in 32768ths.
    weights: [u32; MOST_PAIRS],
    weighted: bool,
    /// Conversion from costs to codes.
    pub bounds: Bounds,
}

impl Question {
    /// Creates a query for rows in this order and with these costs.
    pub fn new(grid: &Grid, query: &SearchQuery, order: &impl ColumnOrder, costs: &impl ColumnCost) -> Self {
        // Relative to the weights that the tree is built for.
        let multiplier = |c: usize| match grid.lane_of[order.source(c).0] {
            NONE => 0.0,
            at => f64::from(query.multipliers[c].abs()) / grid.lanes[at as usize].weight,
        };
        let columns = 0..query.features.len();
        let heaviest = columns.clone().map(multiplier).fold(0.0, f64::max);
        let weight_scale = if heaviest > 0.0 { 32768.0 / heaviest } else { 0.0 };
        let mut out = Self {
            pairs: grid.pairs(),
            squared_pairs: grid.squared_pairs,
            nearest: [0; MOST_PAIRS],
            // These codes are at no distance from any box, for lanes that the query does not use.
            above: [u32::MAX; MOST_PAIRS],
            below: [0; MOST_PAIRS],
            weights: [0; MOST_PAIRS],
            weighted: false,
            bounds: Bounds { heaviest, ..Bounds::new(grid) },
        };
        let mut met = 0;
        for c in columns {
            let (column, sign) = order.source(c);
            let at = grid.lane_of[column];
            if at == NONE {
                continue;
            }
            // A column whose kind of cost differs in the mirror image, or that was matched before, is left out: the rest is a
            // lower bound.
            let (pair, shift) = (at as usize / 2, 16 * (at % 2));
            if (pair >= grid.squared_pairs) != costs.is_absolute(c) || out.above[pair] >> shift & 0xffff != 0xffff {
                continue;
            }
            met += 1;
            let lane = &grid.lanes[at as usize];
            let (wanted, m) = (lane.weight * f64::from(sign * query.features[c]), multiplier(c));
            out.weighted |= m != heaviest;
            let inside = wanted.max(lane.range.0).min(lane.range.1);
            // The distance to the nearest row, then within the grid: the squares of both parts add up to less than that of the
            // sum.
            let outside = (wanted - inside).abs() * m;
            out.bounds.least += if costs.is_absolute(c) { outside } else { outside * outside };
            let place = grid.place(lane, inside);
            set(&mut out.nearest[pair], shift, nearest(place));
            set(&mut out.below[pair], shift, below(place));
            set(&mut out.above[pair], shift, above(place));
            set(&mut out.weights[pair], shift, ((m * weight_scale) as u16).min(32767));
        }
        // For rows, only a weight of 0 leaves out an unused column.
        out.weighted |= met < grid.columns;
        out.bounds.raise_for_rows(grid, out.weighted);
        out
    }

    /// Returns the codes to compare with boxes: the pairs with squared cost, or the others.
    pub fn boxes(&self, squared: bool) -> Codes<'_> {
        self.codes(&self.above, &self.below, squared)
    }

    /// Returns the codes to compare with rows.
    pub fn rows(&self, squared: bool) -> Codes<'_> {
        self.codes(&self.nearest, &self.nearest, squared)
    }

    fn codes<'a>(&'a self, above: &'a [u32], below: &'a [u32], squared: bool) -> Codes<'a> {
        let pairs = if squared { 0..self.squared_pairs } else { self.squared_pairs..self.pairs };
        let weights = if self.weighted { &self.weights[pairs.clone()] } else { &[] };
        Codes { above: &above[pairs.clone()], below: &below[pairs], weights }
    }
}

fn set(word: &mut u32, shift: u32, half: u16) {
    *word = *word & !(0xffff << shift) | u32::from(half) << shift;
}

/// Conversion from costs to sums of codes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The greatest multiplier relative to the weights of the grid.
    heaviest: f64,
    /// Width of a code.
    unit: f64,
    only_absolute: bool,
    /// Cost that every row has because the query lies outside the range of all rows.
    least: f64,
    /// Relative amount by which limits are raised for rounding.
    slack: f64,
    /// Maximum error of a row's distance: the length over squared columns, the sum over absolute ones.
    row_errors: [f64; 2],
}

/// Subject of a sum of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A box: the sum is a lower bound.
    Box,
    /// A row: the sum approximates its distance.
    Row,
}

impl Bounds {
    fn new(grid: &Grid) -> Self {
        Self {
            heaviest: 0.0,
            unit: grid.unit,
            only_absolute: grid.squared_pairs == 0,
            least: 0.0,
            // At least four times the rounding error: half of it is left for costs of tags.
            slack: 4.0 * (grid.lane_of.len() as f64 + 8.0) * f64::from(f32::EPSILON),
            row_errors: [0.0; 2],
        }
    }

    fn raise_for_rows(&mut self, grid: &Grid, weighted: bool) {
        // Slightly more than the proof needs: it includes the rounding of `f64`.
        let of_one = if weighted { 1.5 } else { 1.0 } + 1e-3;
        let (squared, absolute) = (2 * grid.squared_pairs, 2 * (grid.pairs() - grid.squared_pairs));
        self.row_errors = [(squared as f64).sqrt() * of_one, absolute as f64 * of_one];
    }

    /// Returns the cost of a distance of one code at the greatest multiplier, where absolute.
    fn absolute_unit(&self) -> f64 {
        self.unit * self.heaviest
    }

    fn squared_unit(&self) -> f64 {
        self.absolute_unit() * self.absolute_unit()
    }

    /// Returns the cost of 1 in a sum that [`Bounds::limit`] is compared with.
    fn sum_unit(&self) -> f64 {
        if self.only_absolute { self.absolute_unit() } else { self.squared_unit() }
    }

    /// Returns the highest sum of codes of a box or row whose cost may be within `limit` if its extra cost is `extra`.
    pub fn limit(&self, of: Of, limit: f32, extra: f32) -> i32 {
        // The sum rounds to at most the limit if it is less than the next number.
        let sum = f64::from(limit.next_up()) - f64::from(extra);
        let codes = (sum * (1.0 + self.slack) + 1e-30 - self.least) / self.sum_unit();
        let [length, total] = self.row_errors;
        match of {
            Of::Box => codes as i32,
            // Nothing to raise: not even a distance of 0 is within the limit.
            Of::Row if codes < 0.0 => codes.floor() as i32,
            Of::Row if self.only_absolute => (codes + total) as i32,
            Of::Row if total == 0.0 => ((codes.sqrt() + length) * (codes.sqrt() + length) * (1.0 + 1e-12)) as i32,
            // With both kinds of columns, `combined` subtracts the errors from the sums.
            Of::Row => codes as i32,
        }
    }

    /// Combines the two sums of a box or row, for a schema with both, into one comparable with [`Bounds::limit`].
    pub fn combined(&self, of: Of, squared: i32, absolute: i32) -> i32 {
        if self.only_absolute {
            return absolute;
        }
        let (mut squared, mut absolute) = (f64::from(squared), f64::from(absolute));
        if of == Of::Row {
            let length = (squared.sqrt() - self.row_errors[0]).max(0.0);
            (squared, absolute) = (length * length, (absolute - self.row_errors[1]).max(0.0));
        }
        let absolute = absolute * (self.absolute_unit() / self.squared_unit());
        ((squared + absolute) * (1.0 - 1e-12)) as i32
    }

    /// Returns the amount by which costs of tags raise the bound of a box.
    pub fn more_by_tags(&self, least: f32, of_box: f32) -> i32 {
        let more = (f64::from(of_box) - f64::from(least)) * (1.0 - 1e-6);
        (more.max(0.0) / self.sum_unit()) as i32
    }
}
