//! The course of stances: stances are reached in time, no event is lost, and the decisions are equal at every frame rate.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::machine::{Machine, MachineSpec};
use footwork::matcher::{Character, MatcherConfig};
use footwork_gait::GaitOptions;
use footwork_metrics::stances::{Stances, StancesCourse};
use std::sync::{Arc, OnceLock};

fn character() -> Arc<Character> {
    static ONE: OnceLock<Arc<Character>> = OnceLock::new();
    ONE.get_or_init(|| {
        let options = GaitOptions { terrain: false, crouch: true, gestures: true, ..GaitOptions::default() };
        let built = build(footwork_gait::clips(&options), &BuildConfig::default(), &BuildOptions::default());
        let db = Arc::new(built.unwrap_or_else(|e| panic!("{e}")).0);
        let spec: MachineSpec = toml::from_str(footwork_gait::BIPED_MACHINE).unwrap();
        let machine = Arc::new(Machine::new(db.clone(), spec).unwrap_or_else(|e| panic!("{e}")));
        Arc::new(Character::new(db, MatcherConfig::default()).unwrap().with_machine(Some(machine)).unwrap())
    })
    .clone()
}

fn run(seconds: f64, dt_s: f32, jitter: bool) -> Stances {
    StancesCourse { seconds, seed: 7, dt_s, jitter }.run(&character(), || ()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn stances_are_reached_in_time_and_notifies_are_told_once_at_every_frame_rate() {
    let all = [(1.0 / 60.0, false), (1.0 / 30.0, false), (1.0 / 144.0, false), (1.0 / 50.0, true)];
    let all = all.map(|(dt_s, jitter)| run(180.0, dt_s, jitter));
    println!("{:#?}", all[0]);
    for s in &all {
        assert_eq!(s.decision_hash, all[0].decision_hash, "at {} s", s.dt_s);
        assert!(s.requests > 40 && s.announced >= 5 && s.gestures > 20 && s.body_events > 200);
        assert_eq!((s.notifies_lost, s.notifies_doubled), (0, 0));
        assert!(s.notifies_fired > 60);
        assert!(s.stance_delay_s_p90 < 0.8, "{}", s.stance_delay_s_p90);
        // When a running character crouches, the pelvis lowers over locked feet: such a crouch may be reached late.
        assert!(s.stance_missed * 40 <= s.requests, "missed at {:?}", s.missed);
    }
}
