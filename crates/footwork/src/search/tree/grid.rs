//! Features as whole numbers, rounded so that a distance between codes never exceeds the distance between the values.
//!
//! All columns share one unit, since they share one cost. Boxes use coarse codes, whose squares add up within 31 bits over
//! all columns; rows use fine ones, 16 bits, capped where they would not. Columns that cost their square come first, then
//! those that cost their absolute value, each group by falling variance and filled up to whole pairs.
//!
//! # Why a bound never exceeds the cost
//! Distances between codes are whole numbers of units, rounded towards zero on both sides, in `f64`: what a division there
//! rounds wrongly (2^-34 of a code) is less than the slack in [`Bounds`]. Real numbers then bound the real cost; the cost
//! that the one formula computes in `f32` lies below it by at most a factor (1 - 2^-24) per operation (two for the
//! difference and its weight, squared, one for the square, one per column of the sum) and by some 2^-149 per column where
//! numbers are that small. Limits are raised by more than that before they are compared.

use super::super::SearchQuery;
use super::super::cost::{ColumnCost, ColumnOrder};
use super::super::kernels::Codes;
use crate::database::Features;

/// Columns that take part in bounds, those of the most variance: a query's codes live on the stack. What others add to a
/// cost is left out of bounds, which stay bounds.
const MOST_LANES: usize = 256;
const MOST_PAIRS: usize = MOST_LANES / 2;
/// Half the width of the grid, in standard deviations: beyond it, codes say no more than "beyond".
const REACH: f64 = 12.0;
/// A lane without a column, and a column without a lane.
const NONE: u32 = u32::MAX;

/// A column of the grid.
#[derive(Clone, Copy, Debug)]
struct Lane {
    column: u32,
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
    squared_pairs: usize,
    /// Width of a fine code.
    unit: f64,
    /// A coarse code is this many bits shorter.
    coarser_bits: u32,
}

/// What a column holds.
#[derive(Clone, Copy, Debug)]
struct Spread {
    column: usize,
    mean: f64,
    variance: f64,
    range: (f64, f64),
}

impl Spread {
    fn of(column: usize, features: &Features, rows: &[u32]) -> Self {
        let value = |row: &u32| f64::from(features.values[*row as usize * features.columns + column]);
        let n = rows.len().max(1) as f64;
        let mean = rows.iter().map(value).sum::<f64>() / n;
        let variance = rows.iter().map(value).map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        let (min, max) = (f64::min, f64::max);
        let range = rows.iter().map(value).fold((f64::MAX, f64::MIN), |(a, b), v| (min(a, v), max(b, v)));
        Self { column, mean, variance, range }
    }

    /// The part of the range that codes tell apart.
    fn reach(&self) -> (f64, f64) {
        let reach = REACH * self.variance.sqrt();
        (self.range.0.max(self.mean - reach), self.range.1.min(self.mean + reach))
    }
}

impl Grid {
    /// A grid over these rows; `is_absolute` tells how columns cost.
    pub fn new(features: &Features, rows: &[u32], is_absolute: impl Fn(usize) -> bool) -> Self {
        let mut spreads: Vec<Spread> = (0..features.columns).map(|c| Spread::of(c, features, rows)).collect();
        spreads.sort_by(|a, b| b.variance.total_cmp(&a.variance).then(a.column.cmp(&b.column)));
        // One less for each group: both are filled up to whole pairs.
        spreads.truncate(MOST_LANES - 2);
        let lanes_of = |absolute: bool| -> Vec<Lane> {
            let group = spreads.iter().filter(|s| is_absolute(s.column) == absolute);
            let mut lanes: Vec<Lane> =
                group.map(|s| Lane { column: s.column as u32, origin: s.reach().0, range: s.range }).collect();
            if lanes.len() % 2 == 1 {
                lanes.push(Lane { column: NONE, origin: 0.0, range: (0.0, 0.0) });
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
        let unit = if width > 0.0 { width / f64::from(u16::MAX) } else { 1.0 };
        Self { coarser_bits: coarser_bits(lanes.len()), lanes, lane_of, squared_pairs, unit }
    }

    /// Pairs of columns.
    pub fn pairs(&self) -> usize {
        self.lanes.len() / 2
    }

    /// Pairs whose columns cost their square; the others follow.
    pub fn squared_pairs(&self) -> usize {
        self.squared_pairs
    }

    /// The fine codes of a row, `[2 x pairs]` into `out`: each value lies between its code and the next.
    pub fn encode(&self, row: &[f32], out: &mut [u16]) {
        for (code, lane) in out.iter_mut().zip(&self.lanes) {
            *code = match lane.column {
                NONE => 0,
                column => floor(self.place(lane, f64::from(row[column as usize]))),
            };
        }
    }

    /// The coarse code below and the coarse code above everything from one fine code to another (both included).
    pub fn coarse(&self, from: u16, to: u16) -> (u16, u16) {
        // The highest code also stands for all beyond the grid, and so does the highest coarse one.
        (from >> self.coarser_bits, ceil_shift(u32::from(to) + 1, self.coarser_bits).min(self.top()))
    }

    /// The highest coarse code.
    fn top(&self) -> u16 {
        u16::MAX >> self.coarser_bits
    }

    fn place(&self, lane: &Lane, value: f64) -> f64 {
        (value - lane.origin) / self.unit
    }
}

/// So that the squares of the highest codes add up to less than 2^31 over all lanes.
fn coarser_bits(lanes: usize) -> u32 {
    let fits = |bits: u32| {
        let top = u64::from(u16::MAX >> bits);
        lanes as u64 * top * top <= i32::MAX as u64
    };
    // A distance must also fit 15 bits.
    (1..16).find(|bits| fits(*bits)).unwrap_or(16)
}

/// Truncation is what rounds down here, and is one instruction on every machine.
fn floor(place: f64) -> u16 {
    place.clamp(0.0, f64::from(u16::MAX)) as u16
}

fn ceil_shift(code: u32, bits: u32) -> u16 {
    (code.div_ceil(1 << bits)) as u16
}

/// A query on the grid.
#[derive(Debug)]
pub struct Question {
    pairs: usize,
    squared_pairs: usize,
    fine_up: [u32; MOST_PAIRS],
    fine_down: [u32; MOST_PAIRS],
    up: [u32; MOST_PAIRS],
    down: [u32; MOST_PAIRS],
    weights: [u32; MOST_PAIRS],
    weighted: bool,
    cap: u16,
    /// From costs to codes.
    pub bounds: Bounds,
}

impl Question {
    /// A query, met by rows in this order and at these costs.
    pub fn new(grid: &Grid, query: &SearchQuery, order: &impl ColumnOrder, costs: &impl ColumnCost) -> Self {
        let heaviest = query.multipliers.iter().fold(0.0f32, |a, m| a.max(m.abs()));
        let weight_scale = if heaviest > 0.0 { 65536.0 * (1.0 - 1e-15) / f64::from(heaviest) } else { 0.0 };
        let mut out = Self {
            pairs: grid.pairs(),
            squared_pairs: grid.squared_pairs,
            fine_up: [u32::MAX; MOST_PAIRS],
            fine_down: [0; MOST_PAIRS],
            up: [u32::MAX; MOST_PAIRS],
            down: [0; MOST_PAIRS],
            weights: [0; MOST_PAIRS],
            weighted: query.multipliers.iter().any(|m| m.abs() != heaviest),
            cap: grid.top(),
            bounds: Bounds::new(grid, f64::from(heaviest), query.features.len()),
        };
        let per_unit = 1.0 / grid.unit;
        for c in 0..query.features.len() {
            let (column, sign) = order.source(c);
            let at = grid.lane_of[column];
            // A column that costs otherwise in a mirror than as stored is left out: the bound stays one.
            if at == NONE || (at as usize >= 2 * grid.squared_pairs) != costs.is_absolute(c) {
                continue;
            }
            let lane = &grid.lanes[at as usize];
            let (wanted, m) = (f64::from(sign * query.features[c]), f64::from(query.multipliers[c].abs()));
            let inside = wanted.max(lane.range.0).min(lane.range.1);
            // From here to the nearest row, and on within the grid: the squares of parts are less than the square of all.
            let outside = (wanted - inside).abs() * m;
            out.bounds.least += if costs.is_absolute(c) { outside } else { outside * outside };
            let place = ((inside - lane.origin) * per_unit).clamp(0.0, f64::from(u16::MAX));
            let down = place as u32;
            let up = down + u32::from(place > f64::from(down));
            let (pair, shift) = (at as usize / 2, 16 * (at % 2));
            // A row's code stands for values up to the next: the distance from below is one less.
            set(&mut out.fine_down[pair], shift, down.saturating_sub(1));
            set(&mut out.fine_up[pair], shift, up);
            set(&mut out.down[pair], shift, down >> grid.coarser_bits);
            set(&mut out.up[pair], shift, u32::from(ceil_shift(up, grid.coarser_bits)));
            set(&mut out.weights[pair], shift, ((m * weight_scale) as u32).min(65535));
        }
        out
    }

    /// For boxes: the pairs that cost their square, or the others.
    pub fn coarse(&self, squared: bool) -> Codes<'_> {
        self.codes(&self.up, &self.down, squared)
    }

    /// For rows.
    pub fn fine(&self, squared: bool) -> Codes<'_> {
        self.codes(&self.fine_up, &self.fine_down, squared)
    }

    fn codes<'a>(&'a self, up: &'a [u32], down: &'a [u32], squared: bool) -> Codes<'a> {
        let pairs = if squared { 0..self.squared_pairs } else { self.squared_pairs..self.pairs };
        let weights = if self.weighted { &self.weights[pairs.clone()] } else { &[] };
        Codes { up: &up[pairs.clone()], down: &down[pairs], weights, cap: self.cap }
    }
}

fn set(word: &mut u32, shift: u32, half: u32) {
    *word = *word & !(0xffff << shift) | half << shift;
}

/// From costs to sums of codes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Cost of one squared unit, and of one unit, at the heaviest multiplier: fine, coarse.
    squared: [f64; 2],
    absolute: [f64; 2],
    only_absolute: bool,
    /// What every row costs because the query lies outside of them all.
    least: f64,
    /// By how much limits are raised.
    slack: f64,
}

/// Which codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Of rows.
    Fine = 0,
    /// Of boxes.
    Coarse = 1,
}

impl Bounds {
    fn new(grid: &Grid, heaviest: f64, columns: usize) -> Self {
        let fine = grid.unit * heaviest;
        let coarse = fine * f64::from(1u32 << grid.coarser_bits);
        Self {
            squared: [fine * fine, coarse * coarse],
            absolute: [fine, coarse],
            only_absolute: grid.squared_pairs == 0,
            least: 0.0,
            // At least four times what rounding can do: half of it is left for costs of tags.
            slack: 4.0 * (columns as f64 + 8.0) * f64::from(f32::EPSILON),
        }
    }

    fn unit(&self, precision: Precision) -> f64 {
        if self.only_absolute { self.absolute[precision as usize] } else { self.squared[precision as usize] }
    }

    /// A sum of codes above this belongs to a row that costs more than `limit` though it pays only `extra` beside.
    pub fn limit(&self, precision: Precision, limit: f32, extra: f32) -> i32 {
        // The sum rounds to the limit at most when it is less than the number after it.
        let sum = f64::from(limit.next_up()) - f64::from(extra);
        ((sum * (1.0 + self.slack) + 1e-30 - self.least) / self.unit(precision)) as i32
    }

    /// The two sums of a box or row as one, in the unit of [`Bounds::limit`].
    pub fn combined(&self, precision: Precision, squared: i32, absolute: i32) -> i32 {
        let i = precision as usize;
        let more = f64::from(absolute) * (self.absolute[i] / self.unit(precision)) * (1.0 - 1e-12);
        squared.saturating_add(more as i32)
    }

    /// What costs of tags add to the bound of a box.
    pub fn more_by_tags(&self, least: f32, of_box: f32) -> i32 {
        let more = (f64::from(of_box) - f64::from(least)) * (1.0 - 1e-6);
        (more.max(0.0) / self.unit(Precision::Coarse)) as i32
    }
}
