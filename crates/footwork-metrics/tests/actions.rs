//! The course of actions over the built-in data.

use footwork::actions::Actions;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::matcher::{Character, MatcherConfig};
use footwork_gait::{ActionKind, GaitClip, GaitOptions};
use footwork_metrics::actions::ActionsCourse;
use std::sync::{Arc, OnceLock};

fn clips() -> &'static [GaitClip] {
    static CLIPS: OnceLock<Vec<GaitClip>> = OnceLock::new();
    CLIPS.get_or_init(|| {
        footwork_gait::generate(&GaitOptions { routes: false, actions: true, ..GaitOptions::default() })
    })
}

fn database() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    DB.get_or_init(|| {
        let raw: Vec<_> = clips().iter().map(|c| c.clip.clone()).collect();
        let built = build(&raw, &BuildConfig::default(), &BuildOptions::default());
        Arc::new(built.unwrap_or_else(|e| panic!("{e}")).0)
    })
    .clone()
}

#[test]
fn what_a_clip_does_is_read_from_its_motion() {
    let db = database();
    let actions = Actions::of(&db);
    for kind in ActionKind::ALL {
        let Ok(id) = db.action_kind(kind.tag()) else { continue };
        for (_, a) in actions.of_kind(id) {
            let name = &db.clips[a.clip.at()].name;
            let Some(truth) = clips().iter().find(|c| c.clip.name == *name).and_then(|c| c.truth.action.as_ref())
            else {
                continue;
            };
            println!(
                "{name} {:?} marks {:?}",
                a.passes,
                a.marks
                    .iter()
                    .map(|m| (m.start_s, m.end_s, m.rises_s, m.position.to_array(), m.yaw_rad))
                    .collect::<Vec<_>>()
            );
            println!("   flight {:?} phases {:?} holds {}", a.flight_s, a.phases, a.holds);
            println!(
                "   truth flight {:?} {:?} phases {:?} obstacle {:?}",
                truth.take_off_s, truth.landing_s, truth.phases, truth.obstacle
            );
            for c in &truth.contacts {
                let best = a
                    .contacts
                    .iter()
                    .filter(|x| x.joint.at() == c.joint)
                    .min_by(|x, y| (x.start_s - c.begin_s).abs().total_cmp(&(y.start_s - c.begin_s).abs()));
                println!(
                    "   contact joint {} {:.3}..{:.3} {:?} read {:?}",
                    c.joint,
                    c.begin_s,
                    c.end_s,
                    c.position.to_array(),
                    best.map(|b| (b.start_s, b.end_s, (b.position - c.position).length(), b.mark))
                );
            }
        }
    }
}

#[test]
fn the_course() {
    let n = std::env::var("ACTIONS").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    let character = Arc::new(Character::new(database(), MatcherConfig::default()).unwrap());
    let begin = std::time::Instant::now();
    let figures =
        ActionsCourse { requests: n, seed: 1, dt_s: 1.0 / 60.0, jitter: false }.run(&character, || ()).unwrap();
    println!("{figures:#?} {:?}", begin.elapsed());
}
