use footwork::database::Database;
use footwork::database::TagFilter;
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork_metrics::courses::{Run, course};
use footwork_metrics::eval::{Evaluation, Variant};
use footwork_metrics::measure::{Measurement, Quantity};
use footwork_metrics::recording::record;
use footwork_metrics::rest::rest;
use footwork_metrics::samples::Statistic;
use footwork_metrics::source::Source;
use glam::Vec3;
use std::sync::Arc;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let db = Arc::new(Database::load(std::path::Path::new(&args[1])).unwrap());
    let mode = args[2].as_str();
    let text = args.get(3).cloned().unwrap_or_default();
    let config: MatcherConfig = toml::from_str(&text).unwrap();
    let character = Arc::new(Character::new(db.clone(), config.clone()).unwrap());
    match mode {
        "rest" => {
            for hz in [30, 60, 144] {
                let mut line = String::new();
                for phase in 0..6 {
                    let r = rest(&character, phase, hz).unwrap();
                    line += &format!(" {:.2}({:.2})", r.transitions_per_s(), r.slowdown());
                }
                println!("{hz}:{line}");
            }
        }
        "rest60" => {
            let mut line = String::new();
            for phase in 0..6 {
                let r = rest(&character, phase, 60).unwrap();
                line += &format!(" {:.2}({:.2})", r.transitions_per_s(), r.slowdown());
            }
            println!("60:{line}");
        }
        "g" => {
            let source = Source::new(&db);
            for resp in [0.3f32, 1.0, 2.0, 3.0] {
                let c = MatcherConfig { responsiveness: resp, ..config.clone() };
                let mut m = Measurement::default();
                let runs: usize = std::env::var("RUNS").map_or(1, |r| r.parse().unwrap());
                let mut tr = 0;
                for run in 0..runs {
                    let course = course("g", Run::new(run)).unwrap();
                    let r = record(&Arc::new(character.with_config(c.clone()).unwrap()), &source, &course).unwrap();
                    tr += r.seams.len();
                    m.add_answers(&source, &r, &course, run, &c.speeds);
                }
                let of = |q| m.of(q).statistic(Statistic::Mean).unwrap();
                println!(
                    "resp {resp}: start {:.3} stop {:.3} mean {:.4}  transitions {tr}",
                    of(Quantity::RandomStart),
                    of(Quantity::RandomStop),
                    of(Quantity::RandomCommand)
                );
            }
        }
        "eval" => {
            let runs: usize = std::env::var("RUNS").map_or(1, |r| r.parse().unwrap());
            let courses: Vec<&str> = args.get(4).map_or(vec!["a", "b", "c", "d", "e", "f"], |c| c.split(',').collect());
            let e = Evaluation::new(db, &courses, runs);
            let row = e.run(&Variant { name: "x".into(), config }, &|| ()).unwrap().row;
            let keys = [
                "label_skate_cm_s",
                "skating_pct",
                "label_skate_ik_off_cm_s",
                "low_toe_skating_pct",
                "held_lock_cm_s",
                "idle_toe_cm_s",
                "ik_correction_p99_cm",
                "unlock_jump_p99_cm",
                "knee_extension_p99_deg",
                "jerk_root",
                "jerk_root_ik_off",
                "transition_jerk_p99_world",
                "transition_jerk_p99_world_ik_off",
                "dv_p999",
                "dv_over_source_pct",
                "root_yaw_step_p95_deg",
                "pose_jump_cm",
                "velocity_jump_cm_s",
                "transitions_per_s",
                "path_error_m",
                "heading_error_deg",
                "t90_90_vel_s",
                "t90_90_head_s",
                "t90_180_vel_s",
                "t90_180_head_s",
                "t90_start_s",
                "t90_stop_s",
                "t90_mean_s",
                "t90_g_start_s",
                "t90_g_stop_s",
                "t90_g_s",
            ];
            for k in keys {
                if let Some(v) = row.values.get(k) {
                    print!("{k} {:.4}; ", v.mean);
                }
            }
            println!();
        }
        _ => {
            let mut ch = MotionMatcher::new(db.clone(), config).unwrap();
            let tags = TagFilter::forbidden(footwork_metrics::uneven_tags(&db));
            let phase: usize = args.get(4).map_or(0, |p| p.parse().unwrap());
            let secs: usize = args.get(5).map_or(15, |p| p.parse().unwrap());
            for frame in 0..secs * 60 {
                let stick = if frame < 300 + phase * 10 {
                    Stick::towards(Vec3::Z, Gait::Walk)
                } else {
                    Stick { gait: Gait::Walk, ..Stick::default() }
                };
                let input = if mode == "none" {
                    MotionInput { tags, ..MotionInput::default() }
                } else {
                    MotionInput { tags, ..MotionInput::stick(stick) }
                };
                let before = ch.state().header.playing;
                ch.update(&input, 1.0 / 60.0).unwrap();
                if ch.output().transitions > 0 {
                    let h = &ch.state().header;
                    let l = ch.last_search();
                    let root = h.animated_root.translation;
                    println!(
                        "{:.2}: {} {:.2}{} -> {} {:.2}{}  cont {:?} found {:?}  gap {:.3}",
                        frame as f32 / 60.0,
                        db.clips[before.clip.at()].name,
                        before.time_s,
                        if before.mirrored { "m" } else { "" },
                        db.clips[h.playing.clip.at()].name,
                        h.playing.time_s,
                        if h.playing.mirrored { "m" } else { "" },
                        l.and_then(|l| l.continuing_cost),
                        l.and_then(|l| l.found).map(|f| f.cost),
                        (root - h.simulation.position).length()
                    );
                }
            }
        }
    }
}
