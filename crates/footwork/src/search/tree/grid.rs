//! Features as whole numbers, such that distances between codes bound the cost from below.
//!
//! Values are multiplied by the weights that the tree is made for. All columns then share one unit, since they share one cost,
//! and as many bits as let the squares of all columns add up within 31 (13 bits for up to 32 columns). Columns that cost their
//! square come first, then those that cost their absolute value, each group by falling variance and filled up to whole pairs.
//!
//! # Why a bound never exceeds the cost
//! Boxes are rounded outwards and queries towards them, so their distance is never more than the real one. Rows and queries
//! are rounded to the nearest code: each column's distance is wrong by a unit at most (and by half a unit more after
//! weighting), so that the length of them all is wrong by at most that times the root of their number; limits for rows are
//! raised by as much ([`Bounds::limit`]). Codes are computed in `f64`, where a weighted value is exact and a division is wrong by
//! 2^-36 of a code.
//!
//! Real numbers then bound the real cost. The cost that the one formula computes in `f32` lies below it by at most a factor
//! (1 - 2^-24) per operation (two for the difference and its weight, squared, one for the square, one per column of the sum)
//! and by some 2^-149 per column where numbers are that small. Limits are raised by more than all of that.

use super::super::SearchQuery;
use super::super::cost::{ColumnCost, ColumnOrder};
use super::super::kernels::Codes;
use crate::database::Features;

/// Columns that take part in bounds, those of the most variance: a query's codes live on the stack. What others add to a
/// cost is left out of bounds, which stay bounds.
const MOST_LANES: usize = 256;
const MOST_PAIRS: usize = MOST_LANES / 2;
/// Half the width of the grid, in standard deviations: beyond it, codes say no more than "beyond".
const REACH: f64 = 8.0;
/// A lane without a column, and a column without a lane.
const NONE: u32 = u32::MAX;

/// A column of the grid.
#[derive(Clone, Copy, Debug)]
struct Lane {
    column: u32,
    /// The weight that the tree was made for. What follows is of weighted values.
    weight: f64,
    /// The value of code 0.
    origin: f64,
    /// Smallest and largest value of all rows.
    range: (f64, f64),
}

/// How values become codes.
#[derive(Debug)]
pub struct Grid {
    lanes: Vec<Lane>,
    /// `[columns]`.
    lane_of: Vec<u32>,
    /// Lanes with a column.
    columns: usize,
    squared_pairs: usize,
    /// Width of a code.
    unit: f64,
    /// The highest code, which also stands for all beyond, as 0 does for all below.
    top: u16,
}

/// What a column holds.
#[derive(Clone, Copy, Debug)]
struct Spread {
    column: usize,
    weight: f64,
    mean: f64,
    variance: f64,
    range: (f64, f64),
}

impl Spread {
    fn of(column: usize, weight: f64, features: &Features, rows: &[u32]) -> Self {
        let value = |row: &u32| weight * f64::from(features.values[*row as usize * features.columns + column]);
        let n = rows.len().max(1) as f64;
        let mean = rows.iter().map(value).sum::<f64>() / n;
        let variance = rows.iter().map(value).map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        let (min, max) = (f64::min, f64::max);
        let range = rows.iter().map(value).fold((f64::MAX, f64::MIN), |(a, b), v| (min(a, v), max(b, v)));
        Self { column, weight, mean, variance, range }
    }

    /// The part of the range that codes tell apart.
    fn reach(&self) -> (f64, f64) {
        let reach = REACH * self.variance.sqrt();
        (self.range.0.max(self.mean - reach), self.range.1.min(self.mean + reach))
    }
}

impl Grid {
    /// A grid over these rows for queries with these `[columns]` weights; `is_absolute` tells how columns cost.
    pub fn new(features: &Features, rows: &[u32], weights: &[f64], is_absolute: impl Fn(usize) -> bool) -> Self {
        let spread = |(column, weight): (usize, &f64)| Spread::of(column, *weight, features, rows);
        let mut spreads: Vec<Spread> = weights.iter().enumerate().map(spread).collect();
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

    /// Pairs of columns.
    pub fn pairs(&self) -> usize {
        self.lanes.len() / 2
    }

    /// Pairs that boxes are made of: the four fifths of most variance, unless some cost their absolute value. The others
    /// tell boxes apart less than the time to look at them is worth.
    pub fn box_pairs(&self) -> std::ops::Range<usize> {
        let pairs = self.pairs();
        0..if self.squared_pairs == pairs { (pairs * 4).div_ceil(5) } else { pairs }
    }

    /// Pairs whose columns cost their square; the others follow.
    pub fn squared_pairs(&self) -> usize {
        self.squared_pairs
    }

    /// The code of a row's value in a lane: the nearest, the one below and the one above.
    pub fn encode(&self, row: &[f32], lane: usize) -> [u16; 3] {
        let lane = &self.lanes[lane];
        if lane.column == NONE {
            return [0; 3];
        }
        let place = self.place(lane, lane.weight * f64::from(row[lane.column as usize]));
        [nearest(place), below(place), above(place)]
    }

    /// In codes, which are not whole yet.
    fn place(&self, lane: &Lane, value: f64) -> f64 {
        ((value - lane.origin) / self.unit).clamp(0.0, f64::from(self.top))
    }
}

/// The highest code of which as many squares as there are lanes add up to less than 2^31; distances must fit 15 bits.
fn top(lanes: usize) -> u16 {
    let fits = |top: u16| lanes as u64 * u64::from(top) * u64::from(top) <= i32::MAX as u64;
    (1..16).map(|bits| u16::MAX >> bits).find(|top| fits(*top)).unwrap_or(0)
}

// Truncation, one instruction on every machine, is what rounds down.

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
    /// In 32768ths.
    weights: [u32; MOST_PAIRS],
    weighted: bool,
    /// From costs to codes.
    pub bounds: Bounds,
}

impl Question {
    /// A query, met by rows in this order and at these costs.
    pub fn new(grid: &Grid, query: &SearchQuery, order: &impl ColumnOrder, costs: &impl ColumnCost) -> Self {
        // Beside the weights that the tree was made for.
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
            // No box lies above or below where nothing is asked.
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
            // A column that costs otherwise in a mirror than as stored, and one that was met before, is left out: what
            // remains is a bound.
            let (pair, shift) = (at as usize / 2, 16 * (at % 2));
            if (pair >= grid.squared_pairs) != costs.is_absolute(c) || out.above[pair] >> shift & 0xffff != 0xffff {
                continue;
            }
            met += 1;
            let lane = &grid.lanes[at as usize];
            let (wanted, m) = (lane.weight * f64::from(sign * query.features[c]), multiplier(c));
            out.weighted |= m != heaviest;
            let inside = wanted.max(lane.range.0).min(lane.range.1);
            // From here to the nearest row, and on within the grid: the squares of parts are less than the square of all.
            let outside = (wanted - inside).abs() * m;
            out.bounds.least += if costs.is_absolute(c) { outside } else { outside * outside };
            let place = grid.place(lane, inside);
            set(&mut out.nearest[pair], shift, nearest(place));
            set(&mut out.below[pair], shift, below(place));
            set(&mut out.above[pair], shift, above(place));
            set(&mut out.weights[pair], shift, ((m * weight_scale) as u16).min(32767));
        }
        // Codes of rows know no "nothing is asked" but a weight of 0.
        out.weighted |= met < grid.columns;
        out.bounds.raise_for_rows(grid, out.weighted);
        out
    }

    /// For boxes: the pairs that cost their square, or the others.
    pub fn boxes(&self, squared: bool) -> Codes<'_> {
        self.codes(&self.above, &self.below, squared)
    }

    /// For rows.
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

/// From costs to sums of codes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The greatest multiplier beside the weights of the grid.
    heaviest: f64,
    /// Width of a code.
    unit: f64,
    only_absolute: bool,
    /// What every row costs because the query lies outside of them all.
    least: f64,
    /// By how much limits are raised for rounding.
    slack: f64,
    /// By how much the distance of a row may be wrong: the length of those that cost their square, the sum of the others.
    row_errors: [f64; 2],
}

/// What a sum of codes is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A box: the sum is a bound.
    Box,
    /// A row: the sum is near its distance.
    Row,
}

impl Bounds {
    fn new(grid: &Grid) -> Self {
        Self {
            heaviest: 0.0,
            unit: grid.unit,
            only_absolute: grid.squared_pairs == 0,
            least: 0.0,
            // At least four times what rounding can do: half of it is left for costs of tags.
            slack: 4.0 * (grid.lane_of.len() as f64 + 8.0) * f64::from(f32::EPSILON),
            row_errors: [0.0; 2],
        }
    }

    fn raise_for_rows(&mut self, grid: &Grid, weighted: bool) {
        // A hair more than the proof asks for: what `f64` rounds is in it too.
        let of_one = if weighted { 1.5 } else { 1.0 } + 1e-3;
        let (squared, absolute) = (2 * grid.squared_pairs, 2 * (grid.pairs() - grid.squared_pairs));
        self.row_errors = [(squared as f64).sqrt() * of_one, absolute as f64 * of_one];
    }

    /// Cost of a distance of one code at the greatest multiplier, where absolute and squared.
    fn absolute_unit(&self) -> f64 {
        self.unit * self.heaviest
    }

    fn squared_unit(&self) -> f64 {
        self.absolute_unit() * self.absolute_unit()
    }

    /// Cost of 1 in a sum that [`Bounds::limit`] is compared with.
    fn sum_unit(&self) -> f64 {
        if self.only_absolute { self.absolute_unit() } else { self.squared_unit() }
    }

    /// A sum of codes above this belongs to what costs more than `limit` though it pays only `extra` beside.
    pub fn limit(&self, of: Of, limit: f32, extra: f32) -> i32 {
        // The sum rounds to the limit at most when it is less than the number after it.
        let sum = f64::from(limit.next_up()) - f64::from(extra);
        let codes = (sum * (1.0 + self.slack) + 1e-30 - self.least) / self.sum_unit();
        let [length, total] = self.row_errors;
        match of {
            Of::Box => codes as i32,
            // Nothing to raise: not even a distance of 0 is near enough.
            Of::Row if codes < 0.0 => codes.floor() as i32,
            Of::Row if self.only_absolute => (codes + total) as i32,
            Of::Row if total == 0.0 => ((codes.sqrt() + length) * (codes.sqrt() + length) * (1.0 + 1e-12)) as i32,
            // The two kinds of errors are taken off the sums instead.
            Of::Row => codes as i32,
        }
    }

    /// The two sums of a box or row, where a schema has both, as one that can be compared with [`Bounds::limit`].
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

    /// What costs of tags add to the bound of a box.
    pub fn more_by_tags(&self, least: f32, of_box: f32) -> i32 {
        let more = (f64::from(of_box) - f64::from(least)) * (1.0 - 1e-6);
        (more.max(0.0) / self.sum_unit()) as i32
    }
}
