//! The TOML of a state machine and of a chooser: a specification is rejected, or moves a character with any variables.
#![no_main]

use footwork::chooser::{Chooser, ChooserSpec};
use footwork::input::{Gait, MotionInput, Stick};
use footwork::machine::{Machine, MachineSpec, StateSpec};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork_fuzz::finite;
use footwork_fuzz::memory::limited;
use footwork_import::parse_machine;
use glam::Vec3;
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Memory that any file may use, in bytes: a character with its scratch, and the meshes of blend spaces.
const BASE: usize = 16 << 20;

/// A character that plays the clips without a machine.
static PLAIN: LazyLock<Arc<Character>> =
    LazyLock::new(|| Arc::new(Character::new(footwork_fuzz::clip_database(), MatcherConfig::default()).unwrap()));

/// Characters for choosers: the plain one, and one with a machine.
static CHARACTERS: LazyLock<BTreeMap<String, Arc<Character>>> = LazyLock::new(|| {
    let state = StateSpec { name: "a".into(), matching: Some(String::new()), ..StateSpec::default() };
    let machine = character(MachineSpec { states: vec![state], ..MachineSpec::default() }).unwrap();
    [("plain".to_owned(), PLAIN.clone()), ("machine".to_owned(), machine)].into()
});

/// The plain character with a machine; `None` if the specification is rejected.
fn character(spec: MachineSpec) -> Option<Arc<Character>> {
    let machine = Machine::new(PLAIN.database().unwrap().clone(), spec).ok()?;
    Some(Arc::new(PLAIN.with_machine(Some(Arc::new(machine))).ok()?))
}

// Generating clips takes longer than the time limit of a file.
fuzz_target!(init: { LazyLock::force(&CHARACTERS); }, |data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    limited(data, BASE, || {
        if let Ok(spec) = parse_machine(text, Path::new("t")) {
            machine(spec);
        }
        if let Ok(spec) = toml::from_str::<ChooserSpec>(text) {
            chooser(&spec);
        }
    });
});

fn machine(spec: MachineSpec) {
    let text = toml::to_string(&spec).unwrap();
    assert_eq!(parse_machine(&text, Path::new("t")).map(|s| format!("{s:?}")).unwrap(), format!("{spec:?}"));
    let Some(character) = character(spec) else { return };
    let mut variables = character.machine().unwrap().variables();
    let mut matcher = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let values = [0.0, 1.0, -40.0, 0.5, 9e5];
    for k in 0..12u8 {
        let value = values[usize::from(k) % values.len()];
        for (i, v) in variables.values_mut().iter_mut().enumerate() {
            *v = if i % 2 == 0 { value } else { value + 1.0 };
        }
        let stick = match k / 3 {
            0 => Stick::default(),
            1 => Stick::towards(Vec3::Z, Gait::Walk),
            2 => Stick::towards(-Vec3::X, Gait::Run),
            _ => Stick::towards(-Vec3::Z, Gait::Walk),
        };
        let input = MotionInput { variables: variables.values(), ..MotionInput::stick(stick) };
        let dt_s = if k % 4 == 3 { 0.7 } else { 0.05 };
        finite(matcher.update(&input, dt_s).unwrap());
    }
    assert!(character.machine_state(matcher.state()).is_some());
}

fn chooser(spec: &ChooserSpec) {
    let Ok(chooser) = Chooser::new(spec, &CHARACTERS) else { return };
    let mut variables = chooser.variables();
    let mut matcher = MotionMatcher::of(PLAIN.clone(), Transform::IDENTITY).unwrap();
    for value in [None, Some(0.0), Some(1.0), Some(-1e6)] {
        if let Some(value) = value {
            variables.values_mut().fill(value);
        }
        chooser.apply(&mut matcher, &variables).unwrap();
        assert!(!chooser.apply(&mut matcher, &variables).unwrap());
        finite(matcher.update(&MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk)), 0.3).unwrap());
    }
}
