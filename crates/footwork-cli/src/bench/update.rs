//! `footwork bench update`: measures the update of one character without search, stage by stage.
//!
//! Characters with different stages enabled get the same random stick and take turns frame by frame, so that other load
//! on the machine affects all equally. Frames in which one of them searches do not count. The cost of a stage is the
//! median time of its character minus that of the character with the default stages.

use crate::args::{BenchUpdateArgs, Common};
use crate::progress;
use anyhow::{Result, bail};
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::stride_warp::StrideWarpConfig;
use footwork::database::Database;
use footwork::input::HandTarget;
use footwork::input::{GroundPoint, MotionInput};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork_metrics::RATE_HZ;
use footwork_metrics::courses::RandomStick;
use glam::Vec3;
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// A character with some stages enabled.
struct Subject {
    name: &'static str,
    character: MotionMatcher,
    ground: bool,
    gaze: bool,
    hands: bool,
    us: Vec<f64>,
}

impl Subject {
    fn new(name: &'static str, db: &Arc<Database>, config: MatcherConfig) -> Result<Self> {
        let character = MotionMatcher::new(Arc::clone(db), config)?;
        Ok(Self { name, character, ground: false, gaze: false, hands: false, us: Vec::new() })
    }

    fn median_us(&mut self) -> f64 {
        self.us.sort_by(f64::total_cmp);
        self.us[self.us.len() / 2]
    }
}

/// Returns all characters: playback only, the default stages, each further stage added, and all stages.
fn subjects(db: &Arc<Database>, config: &MatcherConfig) -> Result<Vec<Subject>> {
    let mut plain = config.clone();
    (plain.orientation_warp.enabled, plain.stride_warp.enabled) = (false, false);
    let mut bare = plain.clone();
    (bare.play_rate.enabled, bare.feet.enabled) = (false, false);
    (bare.root.adjust, bare.root.clamp) = (false, false);
    let (mut orientation, mut stride, mut all) = (plain.clone(), plain.clone(), plain.clone());
    orientation.orientation_warp = OrientationWarpConfig { enabled: true, ..OrientationWarpConfig::default() };
    stride.stride_warp = StrideWarpConfig { enabled: true, ..StrideWarpConfig::default() };
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
    ])
}

/// Runs the command.
pub fn bench(args: &BenchUpdateArgs, common: &Common) -> Result<()> {
    let (db, config) = common.open()?;
    let db = Arc::new(db);
    if db.rows() == 0 {
        bail!("the database has no rows: expected at least one; add longer clips");
    }
    let mut subjects = subjects(&db, &config)?;
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
            black_box(s.character.update(black_box(&input), 1.0 / RATE_HZ)?);
            us.push(started.elapsed().as_nanos() as f64 / 1e3);
            searched |= s.character.output().searches > 0;
        }
        if !searched {
            subjects.iter_mut().zip(us).for_each(|(s, us)| s.us.push(us));
        }
    }
    bar.finish_and_clear();
    if subjects[0].us.is_empty() {
        bail!("every frame had a search: expected frames without one; use a larger --frames");
    }
    print(&db, &mut subjects, common.json);
    Ok(())
}

fn print(db: &Database, subjects: &mut [Subject], as_json: bool) {
    let frames = subjects[0].us.len();
    let medians: Vec<(&str, f64)> = subjects.iter_mut().map(|s| (s.name, s.median_us())).collect();
    let default = medians.iter().find(|m| m.0 == "default").map_or(0.0, |m| m.1);
    let round = |v: f64| (v * 1000.0).round() / 1000.0;
    if as_json {
        let rows: Vec<Value> = medians
            .iter()
            .map(
                |(name, us)| json!({ "stages": name, "median_us": round(*us), "over_default_us": round(us - default) }),
            )
            .collect();
        out!("{}", json!({ "joints": db.skeleton.len(), "frames": frames, "rows": rows }));
        return;
    }
    out!("{} joints, {frames} frames without a search, us per update of one character", db.skeleton.len());
    for (name, us) in medians {
        let what = match name {
            "bare" => "playback and blending only",
            "default" => "with root, play rate and foot lock",
            "all" => "with all stages",
            _ => "default plus this stage",
        };
        out!("  {name:<18} {us:>7.2} {:>+7.2}  {what}", us - default);
    }
}
