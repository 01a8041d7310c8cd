//! Cost of the update of one character, stage by stage.
//!
//! Characters with different stages enabled get the same random stick and are updated in turn, frame by frame, so that other load
//! on the machine affects all equally. Frames in which one of them searches are excluded. The cost of a stage is the median time
//! of its character minus that of the character with the default stages. The cost of a search is the median of the frames with
//! one minus the median of the frames without.

use crate::RATE_HZ;
use crate::courses::RandomStick;
use crate::samples::median;
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::stride_warp::StrideWarpConfig;
use footwork::database::Database;
use footwork::input::{GroundPoint, HandTarget, InputError, MotionInput};
use footwork::learned::{LearnedError, Networks};
use footwork::matcher::{Character, ConfigError, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork::recorder::{Recorder, RecorderConfig};
use glam::Vec3;
use std::hint::black_box;
use std::sync::Arc;
use web_time::Instant;

/// Stages that a measured character has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// Playback and blending alone.
    Bare,
    /// Root adjustment, play rate and foot lock.
    Default,
    /// The default stages and orientation warping.
    OrientationWarp,
    /// The default stages and stride warping.
    StrideWarp,
    /// The default stages on hills.
    Ground,
    /// The default stages and look-at.
    LookAt,
    /// The default stages and targets for both hands.
    Hands,
    /// All of the stages above.
    All,
    /// The default stages, recorded.
    Recording,
    /// The default stages on hills without a name, recorded with the sampled ground.
    GroundRecording,
    /// The default stages; the search takes the best row by features.
    OneCandidate,
    /// The default stages; the search uses foresight.
    Foresight,
    /// The default stages on networks alone.
    Learned,
}

impl Stages {
    /// The variants that change the search itself.
    pub const SEARCHES: [Self; 2] = [Self::OneCandidate, Self::Foresight];

    /// Returns a short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Default => "default",
            Self::OrientationWarp => "orientation_warp",
            Self::StrideWarp => "stride_warp",
            Self::Ground => "ground",
            Self::LookAt => "look_at",
            Self::Hands => "hands",
            Self::All => "all",
            Self::Recording => "recording",
            Self::GroundRecording => "ground_recording",
            Self::OneCandidate => "one_candidate",
            Self::Foresight => "foresight",
            Self::Learned => "learned",
        }
    }

    /// Returns a description.
    pub fn about(self) -> &'static str {
        match self {
            Self::Bare => "playback and blending only",
            Self::Default => "with root, play rate and foot lock",
            Self::All => "with all stages",
            Self::Recording => "default, recorded",
            Self::GroundRecording => "default and ground, recorded with the answers of the ground",
            Self::OneCandidate => "default, the best row by features",
            Self::Foresight => "default, looking ahead",
            Self::Learned => "default, on networks alone",
            _ => "default plus this stage",
        }
    }

    fn has_ground(self) -> bool {
        matches!(self, Self::Ground | Self::GroundRecording | Self::All)
    }

    fn has_gaze(self) -> bool {
        matches!(self, Self::LookAt | Self::All)
    }

    fn has_hands(self) -> bool {
        matches!(self, Self::Hands | Self::All)
    }

    fn is_recorded(self) -> bool {
        matches!(self, Self::Recording | Self::GroundRecording)
    }

    fn config(self, config: &MatcherConfig) -> MatcherConfig {
        let mut own = config.clone();
        own.orientation_warp.enabled = false;
        own.stride_warp.enabled = false;
        if matches!(self, Self::OrientationWarp | Self::All) {
            own.orientation_warp = OrientationWarpConfig { enabled: true, ..OrientationWarpConfig::default() };
        }
        if matches!(self, Self::StrideWarp | Self::All) {
            own.stride_warp = StrideWarpConfig { enabled: true, ..StrideWarpConfig::default() };
        }
        match self {
            Self::Bare => {
                (own.play_rate.enabled, own.feet.enabled) = (false, false);
                (own.root.adjust, own.root.clamp) = (false, false);
            }
            Self::OneCandidate => own.search.candidates = 1,
            Self::Foresight if own.search.foresight_cost <= 0.0 => own.search.foresight_cost = 1.0,
            _ => {}
        }
        own
    }
}

/// The time of one character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// Its stages.
    pub stages: Stages,
    /// Median of an update without a search, microseconds.
    pub update_us: f64,
    /// Additional time of an update with a search, microseconds.
    pub search_us: f64,
}

/// Size of a table of foresight, and the time to compute it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Baked {
    /// Bytes.
    pub bytes: usize,
    /// Milliseconds.
    pub ms: f64,
}

/// Results of the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateTimes {
    /// Joints of the skeleton.
    pub joints: usize,
    /// Updates in which no character searches, over which medians are computed.
    pub frames: usize,
    /// Searches of the character with the default stages.
    pub searches: usize,
    /// One entry per character.
    pub times: Vec<StageTime>,
    /// The table of foresight.
    pub baked: Baked,
}

impl UpdateTimes {
    /// Returns the time of the character with these stages.
    pub fn of(&self, stages: Stages) -> Option<&StageTime> {
        self.times.iter().find(|t| t.stages == stages)
    }
}

/// The times could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimingError {
    /// The database has no rows to search.
    #[error("the database has no rows: expected at least one; add longer clips")]
    NoRows,
    /// Every measured update had a search.
    #[error("every frame had a search: expected frames without one; measure more frames")]
    OnlySearches,
    /// The settings do not fit the database.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The networks do not fit the database.
    #[error(transparent)]
    Learned(#[from] LearnedError),
    /// An update failed.
    #[error(transparent)]
    Update(#[from] InputError),
}

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Database.
    pub database: Arc<Database>,
    /// Configuration; its enabled stages are ignored.
    pub config: MatcherConfig,
    /// Networks to measure as well.
    pub networks: Option<Arc<Networks>>,
    /// Updates of 1/60 s.
    pub frames: u32,
    /// Seed of the random stick.
    pub seed: u64,
}

/// One measured character.
struct Subject {
    stages: Stages,
    character: MotionMatcher,
    recorder: Option<Recorder>,
    /// Times of updates without a search.
    us: Vec<f64>,
    /// Times of updates with a search.
    searched_us: Vec<f64>,
}

impl Subject {
    fn of(stages: Stages, character: Character) -> Result<Self, TimingError> {
        let recorder = stages.is_recorded().then(|| Recorder::new(&character, RecorderConfig::default()));
        let character = MotionMatcher::of(Arc::new(character), Transform::IDENTITY)?;
        Ok(Self { stages, character, recorder, us: Vec::new(), searched_us: Vec::new() })
    }

    /// Advances by a frame, and returns its time in microseconds.
    fn update(&mut self, goal: &MotionInput, dt_s: f32) -> Result<f64, InputError> {
        let root = self.character.pose().world_from_root();
        let hand = |x: f32| HandTarget { position: root.point(Vec3::new(x, 1.1, 0.3)), rotation: Some(root.rotation) };
        let input = MotionInput {
            goal: goal.goal,
            ground: if self.stages.has_ground() { Some(&hills) } else { None },
            look_at: self.stages.has_gaze().then(|| root.point(Vec3::new(1.0, 1.7, 2.0))),
            hands: if self.stages.has_hands() { [Some(hand(0.3)), Some(hand(-0.3))] } else { [None; 2] },
            ..MotionInput::default()
        };
        let started = Instant::now();
        let input = black_box(&input);
        black_box(match &mut self.recorder {
            Some(recorder) => recorder.update(&mut self.character, input, dt_s)?,
            None => self.character.update(input, dt_s)?,
        });
        Ok(started.elapsed().as_nanos() as f64 / 1e3)
    }

    fn searched(&self) -> bool {
        self.character.output().searches > 0
    }

    fn time(&mut self) -> StageTime {
        let update_us = median(&mut self.us);
        StageTime { stages: self.stages, update_us, search_us: median(&mut self.searched_us) - update_us }
    }
}

impl Timing {
    /// Runs the measurement; `advanced` is called once per frame.
    ///
    /// # Errors
    /// Returns [`TimingError`] for a database without rows, invalid settings, and too few frames.
    pub fn run(&self, advanced: &dyn Fn()) -> Result<UpdateTimes, TimingError> {
        if self.database.rows() == 0 {
            return Err(TimingError::NoRows);
        }
        let (mut subjects, baked) = self.subjects()?;
        let (mut stick, dt_s) = (RandomStick::new(self.seed), 1.0 / RATE_HZ);
        let mut us = vec![0.0; subjects.len()];
        for frame in 0..self.frames {
            advanced();
            let goal = MotionInput::stick(stick.at(frame as f32 * dt_s));
            for (s, us) in subjects.iter_mut().zip(&mut us) {
                *us = s.update(&goal, dt_s)?;
            }
            let anybody = subjects.iter().any(Subject::searched);
            for (s, us) in subjects.iter_mut().zip(&us) {
                if s.searched() {
                    s.searched_us.push(*us);
                } else if !anybody {
                    s.us.push(*us);
                }
            }
        }
        let frames = subjects[0].us.len();
        if frames == 0 {
            return Err(TimingError::OnlySearches);
        }
        let searches = subjects.iter().find(|s| s.stages == Stages::Default).map_or(0, |s| s.searched_us.len());
        let times = subjects.iter_mut().map(Subject::time).collect();
        Ok(UpdateTimes { joints: self.database.skeleton.len(), frames, searches, times, baked })
    }

    fn subjects(&self) -> Result<(Vec<Subject>, Baked), TimingError> {
        use Stages::*;
        let of = |stages: Stages| {
            let character = Character::new(self.database.clone(), stages.config(&self.config))?;
            Subject::of(stages, character)
        };
        let all = [
            Bare,
            Default,
            OrientationWarp,
            StrideWarp,
            Ground,
            LookAt,
            Hands,
            All,
            Recording,
            GroundRecording,
            OneCandidate,
        ];
        let mut subjects = all.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
        let mut without = Default.config(&self.config);
        without.search.foresight_cost = 0.0;
        let without = Character::new(self.database.clone(), without)?;
        let started = Instant::now();
        let with = without.with_config(Foresight.config(&self.config))?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let baked = Baked { bytes: with.foresight().map_or(0, footwork::advanced::foresight::Foresight::bytes), ms };
        subjects.push(Subject::of(Foresight, with)?);
        if let Some(networks) = &self.networks {
            let learned = Character::learned(networks.clone(), None, Learned.config(&self.config))?;
            subjects.push(Subject::of(Learned, learned)?);
        }
        Ok((subjects, baked))
    }
}

/// Gentle hills.
fn hills(at: Vec3) -> GroundPoint {
    let (x, z) = (0.7 * at.x, 0.9 * at.z);
    let (sx, cx) = footwork::advanced::math::sin_cos(x);
    let (sz, cz) = footwork::advanced::math::sin_cos(z);
    let normal = Vec3::new(-0.07 * cx * cz, 1.0, 0.09 * sx * sz).normalize();
    GroundPoint { height_m: 0.1 * sx * cz, normal, velocity: Vec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every character appears once and has a time above 0, and the table of foresight is not empty.
    #[test]
    fn each_character_is_timed() {
        let database = Arc::new(crate::analysis::testing::walking(1.3, 4.0));
        let timing = Timing { database, config: MatcherConfig::default(), networks: None, frames: 240, seed: 1 };
        let counted = std::cell::Cell::new(0);
        let times = timing.run(&|| counted.set(counted.get() + 1)).unwrap();
        assert_eq!((counted.get(), times.times.len()), (240, 12));
        assert!(times.frames > 100 && times.searches > 10, "{} {}", times.frames, times.searches);
        assert!(times.times.iter().all(|t| t.update_us > 0.0), "{times:?}");
        assert!(times.baked.bytes > 0);
        let none = Timing { frames: 0, ..timing };
        assert!(matches!(none.run(&|| ()), Err(TimingError::OnlySearches)));
    }
}
