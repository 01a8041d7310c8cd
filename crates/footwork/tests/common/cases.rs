//! Random databases and queries, including extreme ones, and the expected search results computed from the definition.

use super::{Random, tiny};
use footwork::advanced::database::TagCosts;
use footwork::advanced::search::{Ahead, Blocked, Candidates, Match, SearchQuery};
use footwork::database::{Database, DatabaseContent, MirrorMode, RowFlags, TagCost, TagQuery, TagSpan};
use footwork::frames::{FrameIndex, RowIndex};
use footwork::math::{Facing, Transform};
use footwork::obstacles::{Obstacle, ObstacleConfig, Obstacles};
use footwork::schema::{ChannelSpec, Residual};
use glam::{Vec2, Vec3};
use proptest::prelude::*;

/// Returns random obstacles around a character, some of them hostile.
pub fn blocked(db: &Database, r: &mut Random) -> Blocked {
    let mut point = |r: &mut Random, most: f32| Vec3::new(r.between(-most, most), 0.0, r.between(-most, most));
    let of = |r: &mut Random, point: &mut dyn FnMut(&mut Random, f32) -> Vec3| Obstacle {
        position: point(r, 3.0) * if r.unit() < 0.1 { 1e6 } else { 1.0 },
        velocity: point(r, 2.0) * if r.unit() < 0.1 { 1e5 } else { 1.0 },
        facing: Facing::from_yaw(r.between(-3.0, 3.0)),
        half_m: Vec2::new(r.between(0.0, 1.5), r.between(0.0, 1.5)) * r.pick(&[0.0, 1.0, 1.0]),
        radius_m: r.pick(&[0.0, 0.3, 1.0]),
        height_m: r.pick(&[1.0, 2.0, 1e6]),
    };
    let obstacles: Vec<Obstacle> = (0..r.below(Obstacles::MOST + 1)).map(|_| of(r, &mut point)).collect();
    let config = ObstacleConfig { cost: r.pick(&[0.0, 1e-3, 1.0, 1e6]), ..ObstacleConfig::default() };
    Blocked::new(db, &config, Obstacles::new(&obstacles), Transform::IDENTITY)
}

/// Returns all admissible matches in order, computed independently of the library.
pub fn by_definition(db: &Database, query: &SearchQuery) -> Vec<Match> {
    let mut all: Vec<Match> = query.continuing.into_iter().collect();
    let sides: &[bool] = if db.mirror == MirrorMode::Query { &[false, true] } else { &[false] };
    let tags = Wanted::of(db, query.candidates.tags.queries());
    let costs = query.tag_costs.map_or(&[][..], TagCosts::costs);
    let costly: Vec<(Wanted, f32)> = costs.iter().map(|c| (Wanted::of(db, &[c.tags]), c.cost)).collect();
    for mirrored in sides.iter().copied() {
        for row in (0..db.rows()).filter(|row| is_candidate(db, &query.candidates, &tags, *row, mirrored)) {
            let (values, row_index) = (db.features.row(RowIndex::new(row)), RowIndex::new(row));
            let mut cost = 0.0f32;
            for c in 0..values.len() {
                let x = match db.mirror_columns.get(c).filter(|_| mirrored) {
                    Some(m) => m.sign * values[m.column],
                    None => values[c],
                };
                let d = (query.features[c] - x) * query.multipliers[c];
                cost += if db.residuals[c] == Residual::Squared { d * d } else { d.abs() };
            }
            let mut of_tags = 0.0f32;
            for (tags, more) in &costly {
                of_tags += if tags.accept(db.row_frames[row]) { *more } else { 0.0 };
            }
            let mut extra = query.transition_cost + of_tags;
            extra += db.row_costs.get(row).unwrap_or(&0.0);
            if let Some(blocked) = query.blocked {
                extra += blocked.of_row(db, row, mirrored);
            }
            all.push(Match { row: row_index, mirrored, cost: cost + extra, continuing: false });
        }
    }
    // A cost that overflows is not a match.
    all.retain(|m| m.cost.is_finite() && m.cost <= query.max_cost);
    all.sort_by(|a, b| {
        let place = |m: &Match| (!m.continuing, m.mirrored, m.row);
        a.cost.partial_cmp(&b.cost).unwrap().then(place(a).cmp(&place(b)))
    });
    all
}

fn is_candidate(db: &Database, c: &Candidates, tags: &Wanted, row: usize, mirrored: bool) -> bool {
    let clip = &db.clips[db.row_clips[row].at()];
    let near = c.near.iter().any(|(a, b)| (*a..*b).contains(&row)) && mirrored == c.near_mirrored;
    let too_late = clip.loop_delta.is_none() && clip.row_range().end - row <= c.end_exclusion_rows;
    let leads = c.ahead.is_none_or(|ahead| {
        let wanted = Wanted::of(db, ahead.tags.queries());
        // Frame of the row `rows` later, if it lies in the same clip.
        let later = |rows: usize| clip.row_range().contains(&(row + rows)).then(|| db.row_frames[row + rows]);
        let then = later(ahead.then_rows).is_some_and(|frame| wanted.accept(frame));
        then && later(ahead.not_yet_rows).is_some_and(|frame| !wanted.accept(frame))
    });
    let enters = db.row_flags[row].0 & RowFlags::NO_ENTRY == 0;
    !near && !too_late && enters && tags.accept(db.row_frames[row]) && leads
}

/// The parts of a query in postfix order (terms before their operators); each term holds the spans of its tag.
struct Wanted(Vec<Result<Vec<TagSpan>, &'static str>>);

impl Wanted {
    fn of(db: &Database, queries: &[TagQuery]) -> Self {
        let asked: Vec<Vec<u16>> = queries.iter().filter(|q| !q.is_open()).map(|q| (*q).into()).collect();
        let all = vec![513; asked.len().saturating_sub(1)];
        let codes = asked.into_iter().flatten().chain(all);
        let part = |code: u16| match code {
            512 => Err("not"),
            513 => Err("and"),
            514 => Err("or"),
            tag => Ok(spans(db, &db.tags[usize::from(tag)])),
        };
        Self(codes.map(part).collect())
    }

    fn accept(&self, frame: FrameIndex) -> bool {
        let mut waiting: Vec<bool> = Vec::new();
        for part in &self.0 {
            let new = match part {
                Ok(spans) => spans.iter().any(|s| (s.start..s.end).contains(&frame)),
                Err("not") => !waiting.pop().unwrap(),
                Err(operator) => {
                    let (b, a) = (waiting.pop().unwrap(), waiting.pop().unwrap());
                    if *operator == "and" { a && b } else { a || b }
                }
            };
            waiting.push(new);
        }
        waiting.pop().unwrap_or(true)
    }
}

/// Returns a query as text, with at most eight tags.
pub fn tag_text(db: &Database, r: &mut Random, depth: usize) -> String {
    match r.below(if depth == 0 { 1 } else { 4 }) {
        0 => db.tags[r.below(db.tags.len())].clone(),
        1 => format!("!({})", tag_text(db, r, depth - 1)),
        operator => {
            let [a, b] = [tag_text(db, r, depth - 1), tag_text(db, r, depth - 1)];
            format!("({a}) {} ({b})", if operator == 2 { "&" } else { "|" })
        }
    }
}

/// Returns a random query.
pub fn tag_query(db: &Database, r: &mut Random) -> TagQuery {
    db.tag_query(&tag_text(db, r, 3)).unwrap()
}

fn spans(db: &Database, tag: &str) -> Vec<TagSpan> {
    db.tag_spans.iter().filter(|s| db.tags[s.tag as usize] == tag).copied().collect()
}

/// Row, mirrored, bits of the cost, continuing.
pub type Bits = (u32, bool, u32, bool);

/// Returns the values in which equal matches must agree.
pub fn bits(m: Match) -> Bits {
    // -0 and 0 are the same cost.
    (m.row.0, m.mirrored, (m.cost + 0.0).to_bits(), m.continuing)
}

/// Returns [`bits`] of each match.
pub fn all_bits(found: impl IntoIterator<Item = Match>) -> Vec<Bits> {
    found.into_iter().map(bits).collect()
}

/// Distribution of feature values.
#[derive(Clone, Copy, Debug)]
pub enum Data {
    /// Clips whose values drift over time, as in real motion.
    Wandering,
    Random,
    /// A few distinct rows, each repeated many times.
    Duplicated,
    /// Identical rows.
    Constant,
    /// Magnitudes from 1e-38 to 1e18: squares reach both ends of f32.
    Wild,
    /// Values near the limits of f32: costs overflow.
    Overflowing,
    /// Whole numbers: sums are exact, ties are frequent, and values lie on the borders of codes.
    Grid,
    /// One row far from all others: the codes of the other rows are nearly equal.
    Outlier,
    /// Rows that differ by one step of f32: their codes are equal, and their costs differ in the last bits.
    Hairs,
    /// Values half-way between two codes: each column has the largest rounding error, with the opposite sign in the query.
    Halves,
}

impl Data {
    pub const ALL: [Self; 10] = [
        Self::Wandering,
        Self::Random,
        Self::Duplicated,
        Self::Constant,
        Self::Wild,
        Self::Overflowing,
        Self::Grid,
        Self::Outlier,
        Self::Hairs,
        Self::Halves,
    ];

    /// True if costs may overflow.
    pub fn overflows(self) -> bool {
        matches!(self, Self::Wild | Self::Overflowing)
    }

    fn values(self, rows: usize, columns: usize, r: &mut Random) -> Vec<f32> {
        let middle: Vec<f32> = (0..columns).map(|_| r.between(-2.0, 2.0)).collect();
        let few: Vec<f32> = (0..4 * columns).map(|_| r.between(-2.0, 2.0)).collect();
        let far = r.below(rows);
        let mut at = middle.clone();
        let mut all = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            let copied = r.below(4) * columns;
            for c in 0..columns {
                all.push(match self {
                    Self::Wandering => {
                        at[c] += r.between(-0.1, 0.1) - 0.02 * at[c];
                        at[c]
                    }
                    Self::Random => r.between(-2.0, 2.0),
                    Self::Duplicated => few[copied + c],
                    Self::Constant => middle[c],
                    Self::Wild => wild(r),
                    Self::Overflowing => r.pick(&[f32::MAX, f32::MIN, 1e30, -1e30, 1.0, 0.0]),
                    Self::Grid => r.below(3) as f32 - 1.0,
                    Self::Outlier if row == far => 1e12,
                    Self::Outlier => r.between(-1.0, 1.0),
                    // 13 bits of codes, one unit wide, for 10 to 14 columns.
                    Self::Halves if row < 2 => row as f32 * 8191.0,
                    Self::Halves => r.below(8191) as f32 + 0.5,
                    Self::Hairs => f32::from_bits(middle[c].to_bits() + r.below(3) as u32),
                });
            }
        }
        all
    }
}

fn wild(r: &mut Random) -> f32 {
    r.between(-1.0, 1.0) * r.pick(&[1e-38, 1e-30, 1e-20, 1e-8, 1.0, 1e4, 1e9, 1e18])
}

#[derive(Clone, Copy, Debug)]
enum Residuals {
    Squared,
    Absolute,
    /// Feet squared, the trajectory absolute.
    Mixed,
    /// One foot squared, the other absolute: a mirror maps one onto the other.
    Crossed,
}

/// Description of a random database.
#[derive(Clone, Debug)]
pub struct Case {
    clips: Vec<(usize, bool)>,
    user_width: usize,
    residuals: Residuals,
    pub mirror: bool,
    pub data: Data,
    pub seed: u64,
}

/// Cases with clips of these numbers of rows, and user channels of these widths beside the ten other columns.
pub fn cases(sizes: &'static [usize], user_widths: &'static [usize]) -> impl Strategy<Value = Case> {
    let clips = prop::collection::vec((prop::sample::select(sizes), any::<bool>()), 1..6);
    let residuals = [Residuals::Squared, Residuals::Squared, Residuals::Absolute, Residuals::Mixed, Residuals::Crossed];
    let residuals = prop::sample::select(residuals.to_vec());
    let (width, data) = (prop::sample::select(user_widths), prop::sample::select(Data::ALL.to_vec()));
    (clips, width, residuals, any::<bool>(), data, any::<u64>()).prop_map(
        |(clips, user_width, residuals, mirror, data, seed)| Case { clips, user_width, residuals, mirror, data, seed },
    )
}

impl Case {
    fn channels(&self) -> Vec<ChannelSpec> {
        let mut channels = tiny::channels(self.user_width, Residual::Squared);
        let absolute: &[usize] = match self.residuals {
            Residuals::Squared => &[],
            Residuals::Absolute => &[0, 1, 2, 3],
            Residuals::Mixed => &[2],
            Residuals::Crossed => &[1],
        };
        for (_, channel) in channels.iter_mut().enumerate().filter(|(i, _)| absolute.contains(i)) {
            channel.residual = Residual::Absolute;
        }
        channels
    }

    /// Returns the database content, with tags, row costs, and rows with blocked transitions.
    pub fn content(&self, r: &mut Random) -> DatabaseContent {
        let (columns, rows) = (10 + self.user_width, self.clips.iter().map(|c| c.0).sum::<usize>());
        let all = self.data.values(rows, columns, r);
        let mirror = if self.mirror { MirrorMode::Query } else { MirrorMode::Off };
        let mut content = tiny::content(&self.clips, &self.channels(), mirror, |row, c| all[row * columns + c]);
        let shut = r.pick(&[0.0, 0.1, 0.1, 1.0]);
        for flags in &mut content.row_flags {
            flags.0 = if r.unit() < shut { RowFlags::NO_ENTRY } else { 0 };
        }
        content.row_costs = match r.below(4) {
            0 => (0..rows).map(|_| r.between(0.0, 2.0)).collect(),
            1 => (0..rows).map(|row| if row < rows / 2 { 0.5 } else { 0.0 }).collect(),
            2 => (0..rows).map(|_| r.pick(&[0.0, 0.0, 1e-9, 1.0, 1e9, f32::MAX])).collect(),
            _ => vec![],
        };
        for _ in 0..r.below(8) {
            let (a, b) = (r.below(rows + 1), r.below(rows + 1));
            let (start, end) = (FrameIndex::new(a.min(b)), FrameIndex::new(a.max(b)));
            content.tag_spans.push(TagSpan { tag: r.below(3) as u32, start, end });
        }
        content
    }
}

/// Owned numbers of a query; [`SearchQuery`] borrows them.
#[derive(Clone, Debug)]
pub struct Question {
    pub features: Vec<f32>,
    pub multipliers: Vec<f32>,
    pub tag_costs: TagCosts,
    pub transition_cost: f32,
    pub max_cost: f32,
    pub candidates: Candidates,
    pub continuing: Option<Match>,
    pub blocked: Option<Blocked>,
}

impl Question {
    /// Returns a query with these features and default options.
    pub fn new(features: Vec<f32>, multipliers: Vec<f32>) -> Self {
        let SearchQuery { transition_cost, max_cost, candidates, continuing, .. } = SearchQuery::new(&[], &[]);
        Self {
            features,
            multipliers,
            tag_costs: TagCosts::default(),
            transition_cost,
            max_cost,
            candidates,
            continuing,
            blocked: None,
        }
    }

    /// Returns a random query.
    pub fn draw(db: &Database, data: Data, r: &mut Random) -> Self {
        let columns = db.features.columns;
        let row = |r: &mut Random| db.features.row(RowIndex::new(r.below(db.rows()))).to_vec();
        let features = match r.below(5) {
            // Exactly a row: its cost is 0, equal to the cost of all its copies.
            0 => row(r),
            1 => row(r).iter().map(|v| v + r.between(-0.1, 0.1)).collect(),
            2 if data.overflows() => (0..columns).map(|_| wild(r)).collect(),
            2 if matches!(data, Data::Halves) => row(r).iter().map(|v| v - 0.002).collect(),
            // Outside the range of all rows.
            3 => (0..columns).map(|_| r.between(-20.0, 20.0)).collect(),
            _ => (0..columns).map(|_| r.between(-2.0, 2.0)).collect(),
        };
        let multipliers = match r.below(6) {
            0 => vec![0.0; columns],
            1 | 2 => vec![1.0; columns],
            3 => vec![-3.5; columns],
            4 if matches!(data, Data::Wild) => (0..columns).map(|_| wild(r)).collect(),
            _ => (0..columns).map(|_| if r.unit() < 0.2 { 0.0 } else { r.between(-2.0, 3.0) }).collect(),
        };
        let costs: Vec<f32> = match r.below(4) {
            0 => (0..r.below(4)).map(|_| r.between(-1.0, 1.0)).collect(),
            1 => (0..3).map(|_| r.pick(&[0.0, 0.5, -0.5, 1e9, -1e9, 1e-9])).collect(),
            _ => vec![],
        };
        let costs: Vec<TagCost> = costs.into_iter().map(|cost| TagCost { tags: tag_query(db, r), cost }).collect();
        let range = |r: &mut Random| {
            let (a, b) = (r.below(db.rows() + 1), r.below(db.rows() + 1));
            if r.unit() < 0.5 { (a.min(b), a.max(b)) } else { (0, 0) }
        };
        Self {
            tag_costs: TagCosts::of(db, &costs),
            transition_cost: r.pick(&[0.0, 0.02, 3.0, -1.0]),
            max_cost: r.pick(&[f32::INFINITY, f32::INFINITY, 1.0, 0.0, -0.5]),
            candidates: Candidates {
                end_exclusion_rows: r.pick(&[0, 0, 1, 10, 16, 70]),
                near: [range(r), range(r)],
                near_mirrored: db.mirror == MirrorMode::Query && r.unit() < 0.5,
                tags: if r.unit() < 0.4 { Default::default() } else { db.accepted(&tag_query(db, r)) },
                ahead: (r.unit() < 0.2).then(|| Ahead {
                    tags: db.accepted(&tag_query(db, r)),
                    not_yet_rows: r.below(4),
                    then_rows: 4 + r.below(4),
                }),
            },
            blocked: (r.unit() < 0.4).then(|| blocked(db, r)),
            ..Self::new(features, multipliers)
        }
    }

    /// Returns the same query with a playing row of this cost; `None` if the cost is not finite.
    pub fn while_playing(&self, db: &Database, cost: f32, r: &mut Random) -> Option<Self> {
        let row = RowIndex::new(r.below(db.rows()));
        let mirrored = db.mirror == MirrorMode::Query && r.unit() < 0.5;
        let continuing = Some(Match { row, mirrored, cost, continuing: true });
        cost.is_finite().then(|| Self { continuing, ..self.clone() })
    }

    pub fn ask(&self) -> SearchQuery<'_> {
        SearchQuery {
            continuing: self.continuing,
            blocked: self.blocked.as_ref(),
            transition_cost: self.transition_cost,
            tag_costs: Some(&self.tag_costs),
            max_cost: self.max_cost,
            candidates: self.candidates,
            ..SearchQuery::new(&self.features, &self.multipliers)
        }
    }
}
