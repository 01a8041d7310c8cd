//! `examples/locomotion.machine.toml`: blend spaces walk the courses, lose no footstep, and give the same bits in each run.

use crate::common;

use footwork::build::{BuildOptions, build};
use footwork::database::Database;
use footwork::input::MotionInput;
use footwork::machine::Machine;
use footwork::matcher::Backend;
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork_gait::GaitOptions;
use footwork_import::load_machine;
use footwork_metrics::courses::Script;
use footwork_metrics::eval::{Evaluation, Mover, Variant};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::Xxh3;

const DT_S: f32 = 1.0 / 60.0;
const FRAMES: u32 = 3600;

fn db() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    let make = || {
        let clips = footwork_gait::clips(&GaitOptions { cycles: true, ..GaitOptions::default() });
        Arc::new(build(&clips, &Default::default(), &BuildOptions::default()).unwrap().0)
    };
    DB.get_or_init(make).clone()
}

fn machine() -> Arc<Machine> {
    let spec = load_machine(&common::repository().join("examples/locomotion.machine.toml")).unwrap();
    Arc::new(Machine::new(db(), spec).unwrap())
}

fn character(backend: Backend) -> Arc<Character> {
    let mut config = MatcherConfig::default();
    config.search.backend = backend;
    let plain = Character::new(db(), config).unwrap();
    Arc::new(plain.with_machine(Some(machine())).unwrap())
}

/// Drives a course; `each` may read and change the character after every frame.
fn drive(character: &Arc<Character>, course: &str, mut each: impl FnMut(u32, &mut MotionMatcher)) -> u64 {
    let mut person = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut script = Script::by_name(course, 1).unwrap();
    let mut hash = Xxh3::new();
    for frame in 0..FRAMES {
        let now = person.state().header.root.simulation;
        let input = script.input(frame as f32 * DT_S, &now);
        let pose = person.update(&input, DT_S).unwrap();
        let floats = pose.translations.iter().flat_map(|t| t.to_array());
        let floats = floats.chain(pose.rotations.iter().flat_map(|q| q.to_array()));
        floats.for_each(|v| hash.update(&v.to_bits().to_le_bytes()));
        each(frame, &mut person);
    }
    hash.digest()
}

#[test]
fn the_machine_walks_the_standard_course_through_most_of_its_states() {
    let character = character(Backend::Tree);
    let (mut seen, mut far_m) = (BTreeSet::new(), 0.0f32);
    drive(&character, "standard", |_, person| {
        seen.insert(person.machine_view().unwrap().state.to_owned());
        let root = person.output().pose.translations[0];
        let simulated = person.state().header.root.simulation.position;
        far_m = far_m.max((root - simulated).length());
    });
    drive(&character, "random", |_, person| {
        seen.insert(person.machine_view().unwrap().state.to_owned());
    });
    assert!(character.machine().unwrap().size().0 >= 8);
    assert!(seen.len() >= 8, "{seen:?}");
    for state in ["move", "strafe", "standing/idle"] {
        assert!(seen.contains(state), "{state}: {seen:?}");
    }
    assert!(far_m < 0.5, "{far_m} m off");
}

#[test]
fn no_footstep_is_lost_but_where_a_transition_puts_the_foot_down() {
    let character = character(Backend::Tree);
    let (mut steps, mut events, mut transitions) = (Vec::new(), Vec::new(), Vec::new());
    drive(&character, "standard", |_, person| {
        let output = person.output();
        steps.extend(output.footsteps.iter().map(|s| s.time_s));
        let name = |e: &footwork::matcher::FiredEvent| character.event_name(e.event).map(str::to_owned);
        let of_feet = output.events.iter().filter(|e| name(e).is_some_and(|n| n.ends_with("_footstep")));
        events.extend(of_feet.map(|e| e.time_s));
        let header = &person.state().header;
        transitions.extend((output.transitions > 0).then_some(header.clock.time_s));
    });
    assert!(steps.len() > 60, "{}", steps.len());
    let lost: Vec<f64> = steps.iter().copied().filter(|s| !events.iter().any(|e: &f64| (e - s).abs() < 0.15)).collect();
    // A clip that is entered after its own footstep does not fire that event again; `Output::footsteps` contains it.
    let at_a_transition = |s: &f64| transitions.iter().any(|t: &f64| (-0.05..0.35).contains(&(s - t)));
    println!(
        "{} of {} footsteps without their event: {lost:.2?}; transitions {transitions:.2?}",
        lost.len(),
        steps.len()
    );
    assert!(lost.iter().all(at_a_transition), "{lost:.2?}, transitions {transitions:.2?}");
    assert!(lost.len() <= 3, "{} of {}: {lost:.2?}", lost.len(), steps.len());
}

#[test]
fn whatever_searches_and_however_often_it_is_restored_the_poses_are_the_same() {
    let expected = drive(&character(Backend::Tree), "standard", |_, _| {});
    let threads: Vec<_> = [Backend::Brute, Backend::Boxes, Backend::Tree]
        .map(|backend| std::thread::spawn(move || drive(&character(backend), "standard", |_, _| {})))
        .into_iter()
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), expected);
    }
    let own = character(Backend::Tree);
    let mut restored = 0;
    let again = drive(&own, "standard", |frame, person| {
        // During a transition.
        if person.state().header.transition.since_s < 0.1 && frame % 3 == 0 {
            let here = person.state().clone();
            *person = MotionMatcher::of(own.clone(), Transform::IDENTITY).unwrap();
            for _ in 0..10 {
                person.update(&MotionInput::default(), 0.017).unwrap();
            }
            person.restore(&here).unwrap();
            restored += 1;
        }
    });
    assert!(restored > 20, "{restored}");
    assert_eq!(again, expected);
}

#[test]
fn its_transitions_jerk_little_more_than_those_of_motion_matching() {
    let evaluation = Evaluation::new(db(), &["a", "b", "c", "d", "e", "f"], 0..1);
    let run = |mover: Mover| {
        let variant = Variant { name: "x".into(), config: MatcherConfig::default(), mover };
        evaluation.run(&variant, &|| {}).unwrap().row.values["transition_jerk_p99_root"].mean
    };
    let (matching, blending) = (run(Mover::Exact), run(Mover::Machine(machine())));
    // 10 % above what motion matching had before its feet were blended as points.
    assert!(blending < 4790.0, "{blending} against {matching}");
}
