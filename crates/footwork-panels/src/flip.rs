//! Finds the smallest change of one weight with which a search would have chosen another candidate.
//!
//! Each trial repeats the update with another weight, from the same state, so the shortlist, the transition costs and the
//! exclusions apply as in a game.

use footwork::advanced::input::OwnedInput;
use footwork::advanced::math::powf;
use footwork::advanced::search::{CandidateReport, Verdict};
use footwork::database::Database;
use footwork::input::GroundHook;
use footwork::matcher::{Character, MatcherConfig, MatcherState, MotionMatcher};
use footwork::math::Transform;
use std::sync::Arc;

/// Weights are tried from 1/64 to 64 times their value, in steps of half an octave; the best step is then bisected.
const STEPS: i32 = 12;
const HALVINGS: usize = 7;
/// Rows of the same clip within this time count as the same candidate.
const SAME_MOMENT_S: f64 = 0.05;

/// An update with a search, to repeat.
pub(crate) struct Choice<'a> {
    pub character: &'a Arc<Character>,
    pub before: &'a MatcherState,
    pub input: &'a OwnedInput,
    pub ground: Option<&'a GroundHook<'a>>,
    pub dt_s: f32,
}

/// A weight of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// `matcher.channel_cost` of a channel.
    Channel(String),
    /// `matcher.responsiveness`.
    Responsiveness,
    /// `matcher.search.discontinuity_cost`.
    Seam,
    /// `matcher.search.slide_cost`.
    Slide,
    /// `matcher.search.path_cost`.
    Path,
    /// `matcher.search.steady_cost`.
    Steady,
    /// `matcher.search.rest_cost`.
    Rest,
}

/// The smallest change that makes a candidate win.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// Changed weight.
    pub weight: Weight,
    /// Current value.
    pub from: f32,
    /// Value with which the candidate wins.
    pub to: f32,
}

impl std::fmt::Display for Flip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let moves = if self.to < self.from { "falls" } else { "rises" };
        write!(f, "wins if the weight of {} {moves} from {:.2} to {:.2}", self.weight, self.from, self.to)
    }
}

impl std::fmt::Display for Weight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Channel(label) => write!(f, "{label}"),
            Self::Responsiveness => f.write_str("the trajectory (responsiveness)"),
            Self::Seam => f.write_str("the discontinuity (discontinuity_cost)"),
            Self::Slide => f.write_str("the slide of feet (slide_cost)"),
            Self::Path => f.write_str("the path (path_cost)"),
            Self::Steady => f.write_str("transitions under a steady command (steady_cost)"),
            Self::Rest => f.write_str("transitions at rest (rest_cost)"),
        }
    }
}

impl Weight {
    /// Returns all weights for a database.
    fn all(db: &Database) -> Vec<Self> {
        let channels = db.schema.channels.iter().map(|c| Self::Channel(c.label.clone()));
        channels.chain([Self::Responsiveness, Self::Seam, Self::Slide, Self::Path, Self::Steady, Self::Rest]).collect()
    }

    /// Returns the weight's value in `config`.
    pub fn of(&self, config: &MatcherConfig) -> f32 {
        match self {
            Self::Channel(label) => config.channel_cost.get(label).copied().unwrap_or(1.0),
            Self::Responsiveness => config.responsiveness,
            Self::Seam => config.search.discontinuity_cost,
            Self::Slide => config.search.slide_cost,
            Self::Path => config.search.path_cost,
            Self::Steady => config.search.steady_cost,
            Self::Rest => config.search.rest_cost,
        }
    }

    /// Returns a copy of `config` with another value of the weight.
    pub fn set(&self, config: &MatcherConfig, value: f32) -> MatcherConfig {
        let mut config = config.clone();
        match self {
            Self::Channel(label) => {
                config.channel_cost.insert(label.clone(), value);
            }
            Self::Responsiveness => config.responsiveness = value,
            Self::Seam => config.search.discontinuity_cost = value,
            Self::Slide => config.search.slide_cost = value,
            Self::Path => config.search.path_cost = value,
            Self::Steady => config.search.steady_cost = value,
            Self::Rest => config.search.rest_cost = value,
        }
        config
    }
}

impl Choice<'_> {
    /// Repeats the update with other settings. Returns the matcher after it.
    pub fn repeat(&self, config: MatcherConfig) -> Option<MotionMatcher> {
        let character = Arc::new(self.character.with_config(config).ok()?);
        let mut matcher = MotionMatcher::of(character, Transform::IDENTITY).ok()?;
        matcher.restore(self.before).ok()?;
        let mut input = self.input.borrow();
        input.ground = self.ground;
        matcher.update(&input, self.dt_s).ok()?;
        Some(matcher)
    }

    /// Returns true if the candidate plays after the update with these settings.
    fn plays(&self, wanted: &CandidateReport, config: MatcherConfig) -> bool {
        let Some(matcher) = self.repeat(config) else { return false };
        let Some(last) = matcher.last_search() else { return false };
        let Some(db) = matcher.character().database() else { return false };
        last.chosen().is_some_and(|m| {
            let clip = &db.clips[db.row_clips[m.row.at()].at()];
            let side = m.mirrored || clip.mirrored;
            let apart = (db.row_time_s(m.row) - wanted.time_s).abs();
            clip.name == wanted.clip && side == wanted.mirrored && apart <= SAME_MOMENT_S
        })
    }

    /// Returns the smallest change of a single weight with which the candidate plays, or `None` if no single weight is enough.
    pub fn flip(&self, wanted: &CandidateReport) -> Option<Flip> {
        let db = self.character.database()?;
        let config = self.character.config();
        // Excluded candidates never win, and the playing one has won already.
        if matches!(wanted.verdict, Verdict::Excluded(_)) || self.plays(wanted, config.clone()) {
            return None;
        }
        let mut best: Option<(f32, Flip)> = None;
        for weight in Weight::all(db) {
            let from = weight.of(config);
            if from <= 0.0 {
                continue;
            }
            for direction in [-1, 1] {
                // In half octaves from the current value.
                let value = |octaves: f32| from * powf(2.0, octaves);
                let wins = |octaves: f32| self.plays(wanted, weight.set(config, value(octaves)));
                let most = best.as_ref().map_or(f32::INFINITY, |b| b.0);
                let steps = (1..=STEPS).map(|k| 0.5 * (k * direction) as f32);
                let Some(mut far) = steps.take_while(|o| o.abs() < most + 0.5).find(|o| wins(*o)) else { continue };
                let mut near = far - 0.5 * direction as f32;
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (near + far);
                    if wins(middle) { far = middle } else { near = middle }
                }
                if far.abs() < most {
                    best = Some((far.abs(), Flip { weight: weight.clone(), from, to: value(far) }));
                }
            }
        }
        best.map(|b| b.1)
    }
}
