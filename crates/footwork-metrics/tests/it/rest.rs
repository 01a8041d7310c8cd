//! Long idle periods, and response times.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::matcher::{Character, MatcherConfig};
use footwork_gait::GaitOptions;
use footwork_metrics::eval::{Evaluation, Variant};
use footwork_metrics::rest::{PHASES, RATES_HZ, rest};
use std::sync::{Arc, OnceLock};

fn gait() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    let clips = || footwork_gait::clips(&GaitOptions::default());
    let built = || build(clips(), &BuildConfig::default(), &BuildOptions::default());
    DB.get_or_init(|| Arc::new(built().unwrap_or_else(|e| panic!("{e}")).0)).clone()
}

#[test]
fn the_built_in_person_stands_still_for_a_minute_in_whatever_phase_the_stick_is_let_go() {
    let character = Arc::new(Character::new(gait(), MatcherConfig::default()).unwrap());
    for (k, rate_hz) in RATES_HZ.into_iter().enumerate() {
        // Two phases per rate, so that each of the six phases occurs once.
        for phase in (k..PHASES).step_by(RATES_HZ.len()) {
            let found = rest(&character, phase, rate_hz).unwrap();
            let per_s = found.transitions_per_s();
            assert!(per_s <= 0.1, "{per_s} transitions per second at {rate_hz} Hz, phase {phase}");
        }
    }
}

#[test]
fn a_higher_responsiveness_never_answers_later() {
    let evaluation = Evaluation::new(gait(), &["g"], 0..1);
    let t90_s = [0.3, 1.0, 2.0, 3.0].map(|responsiveness| {
        let config = MatcherConfig { responsiveness, ..MatcherConfig::default() };
        let variant = Variant { name: responsiveness.to_string(), config, mover: Default::default() };
        evaluation.run(&variant, &|| ()).unwrap().row.values["t90_g_s"].mean
    });
    assert!(t90_s.is_sorted_by(|a, b| *b <= a + 0.01), "{t90_s:?}");
    assert!(t90_s[3] <= t90_s[0] - 0.05, "{t90_s:?}");
}
