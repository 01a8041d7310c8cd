//! Cost of a frame of a crowd.
//!
//! Three crowds get the same random sticks and are moved in turn, frame by frame, so that other load on the machine affects all
//! equally: one in slices ([`step_in_turns`]), one character by character, and one that never searches. Each character searches at
//! a fixed rate, and the searches of a crowd are spread evenly over the frames.

use crate::RATE_HZ;
use crate::courses::RandomStick;
use crate::samples::median;
use footwork::advanced::matcher::One;
use footwork::input::{InputError, MotionInput};
use footwork::matcher::{Character, ConfigError, Crowd, MatcherState, Output, Scratch, Turn, step_in_turns};
use footwork::math::Transform;
use std::sync::Arc;
use web_time::Instant;

/// Frames before the first measured one.
const WARM_UP: u32 = 60;
/// Frames between two comparisons of the crowds.
const COMPARED: u32 = 30;
const DT_S: f32 = 1.0 / RATE_HZ;

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct CrowdTiming {
    /// The kind of all characters, of clips or of networks.
    pub character: Arc<Character>,
    /// Number of characters.
    pub characters: usize,
    /// Searches per character, in Hz; 0 to [`RATE_HZ`].
    pub rate_hz: f32,
    /// Threads that move a crowd.
    pub threads: usize,
    /// Measured frames of 1/60 s.
    pub frames: u32,
    /// Seed of the random sticks.
    pub seed: u64,
}

/// Results of the measurement. Times are medians over the frames, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdTimes {
    /// A crowd moved in slices.
    pub ms_per_frame: f64,
    /// The same characters moved one after the other, on one thread.
    pub one_at_a_time_ms_per_frame: f64,
    /// The same sticks, without searches unless a clip is over.
    pub never_searching_ms_per_frame: f64,
    /// Searches per frame of the first crowd.
    pub searches_per_frame: f64,
    /// Whether the first two crowds had the same states and poses, to the bit.
    pub same_bits: bool,
}

/// A crowd could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrowdTimingError {
    /// The database has no rows to search.
    #[error("the database has no rows: expected at least one; add longer clips")]
    NoRows,
    /// A character could not begin.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An update failed.
    #[error(transparent)]
    Update(#[from] InputError),
}

impl CrowdTiming {
    /// Runs the measurement; `advanced` is called once per frame.
    ///
    /// # Errors
    /// Returns [`CrowdTimingError`] for a database without rows.
    pub fn run(&self, advanced: &dyn Fn()) -> Result<CrowdTimes, CrowdTimingError> {
        let character = &*self.character;
        if character.database().is_some_and(|db| db.rows() == 0) {
            return Err(CrowdTimingError::NoRows);
        }
        let mut crowds = Vec::new();
        for _ in 0..3 {
            crowds.push(Subject::new(character, self.characters, self.threads)?);
        }
        let mut sticks: Vec<RandomStick> =
            (0..self.characters).map(|i| RandomStick::new(self.seed.wrapping_add(i as u64))).collect();
        let never = vec![Turn::Later; self.characters];
        let (mut turns, mut inputs) = (never.clone(), vec![MotionInput::default(); self.characters]);
        let (mut same_bits, mut searches) = (true, 0);
        for frame in 0..WARM_UP + self.frames {
            advanced();
            for (i, (input, stick)) in inputs.iter_mut().zip(&mut sticks).enumerate() {
                *input = MotionInput::stick(stick.at_row(frame as usize));
                turns[i] = self.turn(i, frame);
            }
            let [sliced, single, resting] = &mut crowds[..] else { unreachable!("three crowds were made") };
            let ms = [
                sliced.step(character, &inputs, &turns)?,
                single.step_one_at_a_time(character, &inputs, &turns)?,
                resting.step(character, &inputs, &never)?,
            ];
            if frame >= WARM_UP {
                crowds.iter_mut().zip(ms).for_each(|(crowd, ms)| crowd.ms.push(ms));
                searches += crowds[0].outputs.iter().map(|output| output.searches as usize).sum::<usize>();
            }
            if frame % COMPARED == 0 || frame + 1 == WARM_UP + self.frames {
                same_bits &= crowds[0].is_same(&crowds[1]);
            }
        }
        Ok(CrowdTimes {
            ms_per_frame: median(&mut crowds[0].ms),
            one_at_a_time_ms_per_frame: median(&mut crowds[1].ms),
            never_searching_ms_per_frame: median(&mut crowds[2].ms),
            searches_per_frame: searches as f64 / f64::from(self.frames.max(1)),
            same_bits,
        })
    }

    /// Returns whether a character searches in a frame.
    fn turn(&self, character: usize, frame: u32) -> Turn {
        let phase = character as f64 / self.characters as f64;
        let searches = |frame: u32| (f64::from(frame) * f64::from(self.rate_hz / RATE_HZ) + phase).floor();
        if frame > 0 && searches(frame) > searches(frame - 1) { Turn::Now } else { Turn::Later }
    }
}

/// One measured crowd.
struct Subject {
    states: Vec<MatcherState>,
    outputs: Vec<Output>,
    /// One per thread.
    scratches: Vec<Scratch>,
    /// `[measured frames]` milliseconds.
    ms: Vec<f64>,
}

impl Subject {
    fn new(character: &Character, characters: usize, threads: usize) -> Result<Self, ConfigError> {
        let state = character.state_at(Transform::IDENTITY)?;
        Ok(Self {
            states: vec![state; characters],
            outputs: (0..characters).map(|_| character.output()).collect(),
            scratches: (0..threads.max(1)).map(|_| character.scratch()).collect(),
            ms: Vec::new(),
        })
    }

    /// Advances the crowd by a frame, and returns the time that this took, in milliseconds.
    fn step(&mut self, character: &Character, inputs: &[MotionInput], turns: &[Turn]) -> Result<f64, InputError> {
        let Self { states, outputs, scratches, .. } = self;
        let started = Instant::now();
        let part = states.len().div_ceil(scratches.len()).max(1);
        let parts = states.chunks_mut(part).zip(outputs.chunks_mut(part)).zip(scratches);
        let mut jobs = parts.zip(inputs.chunks(part).zip(turns.chunks(part))).map(|(parts, (inputs, turns))| {
            let ((states, outputs), scratch) = parts;
            move || step_in_turns(character, inputs, turns, DT_S, Crowd { states, scratch, outputs })
        });
        let own = jobs.next();
        std::thread::scope(|scope| {
            let others: Vec<_> = jobs.map(|job| scope.spawn(job)).collect();
            let own = own.map_or(Ok(()), |mut job| job());
            others.into_iter().fold(own, |all, other| all.and(other.join().expect("updates do not panic")))
        })?;
        Ok(started.elapsed().as_secs_f64() * 1e3)
    }

    /// As [`Subject::step`], with a call per character.
    fn step_one_at_a_time(
        &mut self,
        character: &Character,
        inputs: &[MotionInput],
        turns: &[Turn],
    ) -> Result<f64, InputError> {
        let scratch = &mut self.scratches[0];
        let started = Instant::now();
        for (((state, output), input), turn) in self.states.iter_mut().zip(&mut self.outputs).zip(inputs).zip(turns) {
            One { state, scratch, output }.step(character, input, *turn, DT_S)?;
        }
        Ok(started.elapsed().as_secs_f64() * 1e3)
    }

    /// Returns whether both crowds have the same states and poses, to the bit.
    fn is_same(&self, other: &Self) -> bool {
        let bits = |floats: &[f32]| floats.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let pose = |output: &Output| {
            let translations = output.pose.translations.iter().flat_map(|v| v.to_array());
            let rotations = output.pose.rotations.iter().flat_map(|q| [q.x, q.y, q.z, q.w]);
            bits(&translations.chain(rotations).collect::<Vec<_>>())
        };
        let states = self.states.iter().zip(&other.states);
        let mut outputs = self.outputs.iter().zip(&other.outputs);
        states.into_iter().all(|(a, b)| a.header == b.header && bits(&a.block) == bits(&b.block))
            && outputs.all(|(a, b)| pose(a) == pose(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use footwork::matcher::MatcherConfig;

    fn timing(threads: usize, rate_hz: f32) -> CrowdTiming {
        let database = Arc::new(crate::analysis::testing::walking(1.3, 4.0));
        let character = Arc::new(Character::new(database, MatcherConfig::default()).unwrap());
        CrowdTiming { character, characters: 7, rate_hz, threads, frames: 60, seed: 1 }
    }

    #[test]
    fn a_crowd_searches_at_its_rate_and_has_the_bits_of_its_characters_on_any_number_of_threads() {
        for threads in [1, 3, 9] {
            let times = timing(threads, 10.0).run(&|| ()).unwrap();
            assert!(times.same_bits);
            assert!(times.ms_per_frame > 0.0 && times.one_at_a_time_ms_per_frame > 0.0);
            assert!(times.never_searching_ms_per_frame > 0.0);
        }
        let at = |rate_hz| timing(1, rate_hz).run(&|| ()).unwrap().searches_per_frame;
        // Clips that are over add a few.
        let (never, tenth, always) = (at(0.0), at(10.0), at(60.0));
        assert!((tenth - never - 7.0 / 6.0).abs() < 0.2 && (6.9..=7.5).contains(&always), "{never} {tenth} {always}");
    }

    /// A difference in one bit of one character is noticed.
    #[test]
    fn other_bits_are_noticed() {
        let character = timing(1, 10.0).character;
        let [mut a, b] = [(); 2].map(|()| Subject::new(&character, 3, 1).unwrap());
        assert!(a.is_same(&b));
        let value = a.states[1].block[5];
        a.states[1].block[5] = -value;
        assert!(!a.is_same(&b));
        a.states[1].block[5] = value;
        a.outputs[2].pose.rotations[3].w = 0.5;
        assert!(!a.is_same(&b));
    }
}
