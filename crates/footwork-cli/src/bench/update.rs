//! `footwork bench update`: measures the update of one character without search, stage by stage, and what a search adds.
//!
//! Characters with different stages enabled get the same random stick and take turns frame by frame, so that other load
//! on the machine affects all equally. Frames in which one of them searches do not count. The cost of a stage is the
//! median time of its character minus that of the character with the default stages. A search is the median of the frames
//! with one minus the median of those without.

use crate::args::{BenchUpdateArgs, Common};
use crate::progress;
use anyhow::{Result, bail};
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::stride_warp::StrideWarpConfig;
use footwork::database::Database;
use footwork::foresight::Foresight;
use footwork::input::HandTarget;
use footwork::input::{GroundPoint, MotionInput};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork::recorder::{Recorder, RecorderConfig};
use footwork_metrics::RATE_HZ;
use footwork_metrics::courses::RandomStick;
use glam::Vec3;
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// The character with the default stages that takes the best row by features. Only its searches are reported.
const ONE_CANDIDATE: &str = "one_candidate";

/// The character with the default stages that looks ahead by foresight. Only its searches are reported.
const FORESIGHT: &str = "foresight";

/// A character with some stages enabled.
struct Subject {
    name: &'static str,
    character: MotionMatcher,
    ground: bool,
    gaze: bool,
    hands: bool,
    recorder: Option<Recorder>,
    /// Times of updates without a search.
    us: Vec<f64>,
    /// Times of updates with a search.
    searched_us: Vec<f64>,
}

/// Bytes of a table of foresight, and the time that it takes to make.
#[derive(Clone, Copy, Debug, Default)]
struct Baked {
    bytes: usize,
    ms: f64,
}

impl Subject {
    fn new(name: &'static str, db: &Arc<Database>, config: MatcherConfig) -> Result<Self> {
        Ok(Self::of(name, MotionMatcher::new(Arc::clone(db), config)?))
    }

    fn of(name: &'static str, character: MotionMatcher) -> Self {
        Self {
            name,
            character,
            ground: false,
            gaze: false,
            hands: false,
            recorder: None,
            us: Vec::new(),
            searched_us: Vec::new(),
        }
    }

    fn median_us(&mut self) -> f64 {
        median(&mut self.us)
    }

    /// The same, recorded.
    fn recorded(self, name: &'static str) -> Self {
        let recorder = Recorder::new(self.character.character(), RecorderConfig::default());
        Self { name, recorder: Some(recorder), ..self }
    }

    /// What a search adds to an update.
    fn search_us(&mut self) -> f64 {
        median(&mut self.searched_us) - median(&mut self.us)
    }
}

/// The middle of the values; 0 for none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Returns all characters: playback only, the default stages, each further stage added, all stages, and recording.
fn subjects(db: &Arc<Database>, config: &MatcherConfig) -> Result<Vec<Subject>> {
    let mut plain = config.clone();
    (plain.orientation_warp.enabled, plain.stride_warp.enabled) = (false, false);
    let mut bare = plain.clone();
    (bare.play_rate.enabled, bare.feet.enabled) = (false, false);
    (bare.root.adjust, bare.root.clamp) = (false, false);
    let (mut orientation, mut stride, mut all) = (plain.clone(), plain.clone(), plain.clone());
    orientation.orientation_warp = OrientationWarpConfig { enabled: true, ..OrientationWarpConfig::default() };
    stride.stride_warp = StrideWarpConfig { enabled: true, ..StrideWarpConfig::default() };
    let mut one_candidate = plain.clone();
    one_candidate.search.candidates = 1;
    (all.orientation_warp, all.stride_warp) = (orientation.orientation_warp, stride.stride_warp);
    let with = |name, config: &MatcherConfig, [ground, gaze, hands]: [bool; 3]| {
        Ok::<_, anyhow::Error>(Subject { ground, gaze, hands, ..Subject::new(name, db, config.clone())? })
    };
    Ok(vec![
        with("bare", &bare, [false; 3])?,
        with("default", &plain, [false; 3])?,
        with("orientation_warp", &orientation, [false; 3])?,
        with("stride_warp", &stride, [false; 3])?,
        with("ground", &plain, [true, false, false])?,
        with("look_at", &plain, [false, true, false])?,
        with("hands", &plain, [false, false, true])?,
        with("all", &all, [true; 3])?,
        with("recording", &plain, [false; 3])?.recorded("recording"),
        with("ground_recording", &plain, [true, false, false])?.recorded("ground_recording"),
        with(ONE_CANDIDATE, &one_candidate, [false; 3])?,
    ])
}

/// Returns the character with the default stages and foresight.
fn foreseeing(db: &Arc<Database>, config: &MatcherConfig) -> Result<(Subject, Baked)> {
    let mut without = config.clone();
    (without.orientation_warp.enabled, without.stride_warp.enabled) = (false, false);
    without.search.foresight_cost = 0.0;
    let mut with = without.clone();
    with.search.foresight_cost = if config.search.foresight_cost > 0.0 { config.search.foresight_cost } else { 1.0 };
    let without = Character::new(Arc::clone(db), without)?;
    let started = Instant::now();
    let character = without.with_config(with)?;
    let ms = started.elapsed().as_secs_f64() * 1e3;
    let bytes = character.foresight().map_or(0, Foresight::bytes);
    Ok((Subject::of(FORESIGHT, MotionMatcher::of(Arc::new(character), Transform::IDENTITY)?), Baked { bytes, ms }))
}

/// Runs the command.
pub fn bench(args: &BenchUpdateArgs, common: &Common) -> Result<()> {
    let (db, config) = common.open()?;
    let db = Arc::new(db);
    if db.rows() == 0 {
        bail!("the database has no rows: expected at least one; add longer clips");
    }
    let mut subjects = subjects(&db, &config)?;
    let (foreseeing, baked) = foreseeing(&db, &config)?;
    subjects.push(foreseeing);
    let hills = |at: Vec3| {
        let (x, z) = (0.7 * at.x, 0.9 * at.z);
        let (sx, cx) = footwork::math::sin_cos(x);
        let (sz, cz) = footwork::math::sin_cos(z);
        let normal = Vec3::new(-0.07 * cx * cz, 1.0, 0.09 * sx * sz).normalize();
        GroundPoint { height_m: 0.1 * sx * cz, normal, velocity: Vec3::ZERO }
    };
    let mut stick = RandomStick::new(common.seed);
    let bar = progress::bar("measuring", u64::from(args.frames), common.json);
    for frame in 0..args.frames {
        bar.inc(1);
        let goal = MotionInput::stick(stick.at(frame as f32 / RATE_HZ)).goal;
        let mut us = Vec::with_capacity(subjects.len());
        let mut searched = false;
        for s in &mut subjects {
            let root = s.character.pose().world_from_root();
            let hand =
                |x: f32| HandTarget { position: root.point(Vec3::new(x, 1.1, 0.3)), rotation: Some(root.rotation) };
            let input = MotionInput {
                goal,
                ground: if s.ground { Some(&hills) } else { None },
                look_at: s.gaze.then(|| root.point(Vec3::new(1.0, 1.7, 2.0))),
                hands: if s.hands { [Some(hand(0.3)), Some(hand(-0.3))] } else { [None; 2] },
                ..MotionInput::default()
            };
            let started = Instant::now();
            let (input, dt_s) = (black_box(&input), 1.0 / RATE_HZ);
            black_box(match &mut s.recorder {
                Some(recorder) => recorder.update(&mut s.character, input, dt_s)?,
                None => s.character.update(input, dt_s)?,
            });
            us.push(started.elapsed().as_nanos() as f64 / 1e3);
            searched |= s.character.output().searches > 0;
        }
        for (s, us) in subjects.iter_mut().zip(us) {
            let with_search = s.character.output().searches > 0;
            if with_search {
                s.searched_us.push(us);
            } else if !searched {
                s.us.push(us);
            }
        }
    }
    bar.finish_and_clear();
    if subjects[0].us.is_empty() {
        bail!("every frame had a search: expected frames without one; use a larger --frames");
    }
    print(&db, &mut subjects, baked, common.json);
    Ok(())
}

fn print(db: &Database, subjects: &mut [Subject], baked: Baked, as_json: bool) {
    let frames = subjects[0].us.len();
    let searches = subjects[0].searched_us.len();
    let of = |subjects: &mut [Subject], name: &str, figure: fn(&mut Subject) -> f64| {
        subjects.iter_mut().find(|s| s.name == name).map_or(0.0, figure)
    };
    let default = of(subjects, "default", Subject::median_us);
    let search = of(subjects, "default", Subject::search_us);
    let plain = of(subjects, ONE_CANDIDATE, Subject::search_us);
    let foreseeing = of(subjects, FORESIGHT, Subject::search_us);
    let stages = subjects.iter_mut().filter(|s| s.name != ONE_CANDIDATE && s.name != FORESIGHT);
    let medians: Vec<(&str, f64)> = stages.map(|s| (s.name, s.median_us())).collect();
    let round = |v: f64| (v * 1000.0).round() / 1000.0;
    if as_json {
        let rows: Vec<Value> = medians
            .iter()
            .map(
                |(name, us)| json!({ "stages": name, "median_us": round(*us), "over_default_us": round(us - default) }),
            )
            .collect();
        let search = json!({ "searches": searches, "median_us": round(search), "one_candidate_us": round(plain) });
        let foresight = json!({ "median_us": round(foreseeing), "bake_ms": round(baked.ms), "bytes": baked.bytes });
        let joints = db.skeleton.len();
        out!(
            "{}",
            json!({ "joints": joints, "frames": frames, "rows": rows, "search": search, "foresight": foresight })
        );
        return;
    }
    out!("{} joints, {frames} frames without a search, us per update of one character", db.skeleton.len());
    for (name, us) in medians {
        let what = match name {
            "bare" => "playback and blending only",
            "default" => "with root, play rate and foot lock",
            "all" => "with all stages",
            "recording" => "default, recorded",
            "ground_recording" => "default and ground, recorded with the answers of the ground",
            _ => "default plus this stage",
        };
        out!("  {name:<18} {us:>7.2} {:>+7.2}  {what}", us - default);
    }
    out!("a search adds {search:.2} us; with `candidates = 1` {plain:.2} us (medians of {searches} frames)");
    out!(
        "with `foresight_cost` {foreseeing:.2} us; its table has {:.2} MB and takes {:.0} ms to make",
        baked.bytes as f64 / 1e6,
        baked.ms
    );
}
