//! The command `baselines`: trains them, evaluates them and the exact search, and prints the table.

use crate::args::BaselineFlags;
use crate::bar::bar;
use anyhow::Context;
use footwork::clip::{Annotations, RawClip};
use footwork::database::Database;
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::MotionMatcher;
use footwork::math::{Facing, Transform};
use footwork::pose::Pose;
use footwork_import::bvh::WriteOptions;
use footwork_import::write_clip;
use footwork_metrics::RATE_HZ;
use footwork_metrics::courses::COURSES;
use footwork_metrics::eval::keys;
use footwork_train::baselines::drive::Stage;
use footwork_train::baselines::gait::{FROZEN_MPS, FROZEN_S, WALK_S};
use footwork_train::baselines::training::TrainingRecord;
use footwork_train::baselines::{BaselineRow, Baselines};
use footwork_train::train::DeviceKind;
use serde_json::{Map, Value, json};
use std::f32::consts::{FRAC_PI_2, PI};
use std::path::Path;
use std::sync::Arc;

/// Metrics of the printed table; `--json` prints all.
const SHOWN: [&str; 12] = [
    "label_skate_cm_s",
    "label_skate_ik_off_cm_s",
    "low_toe_skate_cm_s",
    "height_weighted_skate_cm_s",
    "penetration_p99_cm",
    "jerk_root_ik_off",
    "jerk_world_ik_off",
    "path_error_m",
    "heading_error_deg",
    "t90_mean_s",
    "t90_g_s",
    "idle_toe_ik_off_cm_s",
];

/// Runs the command.
pub fn baselines(flags: &BaselineFlags) -> anyhow::Result<()> {
    let db = Arc::new(Database::load(&flags.db)?);
    let stage = Stage::new(&db)?;
    let bar = bar(flags.json);
    let mut observer = |name: &str, progress: f32, loss: f32| {
        bar.set_message(format!("{name:<7} loss {loss:.3}"));
        bar.set_position((progress * 1000.0) as u64);
    };
    let trained = Baselines::train(&db, &flags.settings(), &DeviceKind::Cpu.open()?, &mut observer)?;
    bar.finish_and_clear();
    if !flags.json {
        trained.records.iter().for_each(print_record);
    }
    if let Some(folder) = &flags.motion {
        write_motion(&stage, &trained, folder)?;
    }
    let rows = trained.compare(&stage, &COURSES, WALK_S)?;
    if flags.json {
        let rows: Vec<Value> = rows.iter().map(as_json).collect();
        println!("{:#}", json!({ "training": trained.records, "rows": rows }));
    } else {
        print_table(&rows);
    }
    Ok(())
}

fn print_record(r: &TrainingRecord) {
    println!(
        "{:<7} {} weights, {} steps in {:.0} s, loss {:.3}",
        r.name,
        r.parameters,
        r.steps,
        r.seconds,
        r.last_loss()
    );
}

fn as_json(r: &BaselineRow) -> Value {
    let mut object = Map::new();
    object.insert("variant".into(), json!(r.row.variant));
    object.extend(keys().map(|key| (key.to_owned(), json!(r.row.values.get(key).map(|v| v.mean)))));
    object.insert("steady_walk".into(), json!(r.walk));
    Value::Object(object)
}

fn print_table(rows: &[BaselineRow]) {
    let line = |name: &str, cell: &dyn Fn(&BaselineRow) -> String| {
        let cells: Vec<String> = rows.iter().map(|r| format!("{:>15}", cell(r))).collect();
        println!("{name:<30}{}", cells.concat());
    };
    line("", &|r| r.row.variant.clone());
    for key in SHOWN {
        line(key, &|r| r.row.values.get(key).map_or_else(|| "-".into(), |v| figures(v.mean)));
    }
    line("toe lift of a steady walk, cm", &|r| figures(r.walk.lift_cm));
    line("foot swing of it, cm", &|r| figures(r.walk.swing_cm));
    line("freezes after, s", &|r| r.walk.freezes_s.map_or_else(|| format!("not in {WALK_S}"), figures));
    println!("frozen: for {FROZEN_S} s, the root or the feet seen from it are slower than {FROZEN_MPS} m/s");
}

fn figures(value: f32) -> String {
    let digits =
        if value.abs() >= 100.0 { 0 } else { 2 - i32::from(value.abs() >= 10.0) + i32::from(value.abs() < 1.0) };
    format!("{value:.*}", digits as usize)
}

/// Course for the BVH files: idle, walk, turn to the left, turn back, run, stop.
fn tour() -> Vec<Stick> {
    let towards = |yaw: f32, gait| Stick::towards(Facing::from_yaw(yaw).direction(), gait);
    let rest = Stick { gait: Gait::Walk, ..Stick::default() };
    let parts = [
        (1.0, rest),
        (4.0, towards(0.0, Gait::Walk)),
        (3.0, towards(FRAC_PI_2, Gait::Walk)),
        (3.0, towards(FRAC_PI_2 - PI, Gait::Walk)),
        (3.0, towards(FRAC_PI_2 - PI, Gait::Run)),
        (2.0, rest),
    ];
    let rows = parts.iter().flat_map(|(seconds, stick)| std::iter::repeat_n(*stick, (seconds * RATE_HZ) as usize));
    rows.collect()
}

fn write_motion(stage: &Stage, trained: &Baselines, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot create", folder.display()))?;
    let rows = tour();
    let mut exact = Vec::new();
    let mut matcher = MotionMatcher::of(stage.character.clone(), Transform::IDENTITY)?;
    for stick in &rows {
        matcher.update(&MotionInput::stick(*stick), 1.0 / RATE_HZ)?;
        exact.push(matcher.output().pose.clone());
    }
    let mut all = vec![("exact", exact)];
    for (name, make) in trained.walkers() {
        let mut poses = Vec::new();
        stage.drive(&mut *make(), true, &rows, &mut |frame| poses.push(frame.pose.clone()));
        all.push((name, poses));
    }
    for (name, poses) in all {
        write_clip(&folder.join(format!("{name}.bvh")), &clip(&stage.db, name, &poses), &WriteOptions::default())?;
    }
    Ok(())
}

fn clip(db: &Database, name: &str, poses: &[Pose]) -> RawClip {
    RawClip {
        name: name.to_owned(),
        source: "footwork-train".to_owned(),
        skeleton: db.skeleton.clone(),
        rate_hz: RATE_HZ,
        looping: false,
        translations: poses.iter().flat_map(|pose| pose.translations.iter().copied()).collect(),
        rotations: poses.iter().flat_map(|pose| pose.rotations.iter().copied()).collect(),
        annotations: Annotations::default(),
    }
}
