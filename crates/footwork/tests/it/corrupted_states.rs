//! States with damaged bits or numbers: they are rejected, or the character continues with a finite pose. No panic, no hang.

use crate::common;

use footwork::database::MirrorMode;
use footwork::input::{GroundPoint, InputError, MotionInput};
use footwork::matcher::{Character, MatcherState, MotionMatcher, step};
use footwork::math::Transform;
use glam::Vec3;
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

const DT_S: f32 = 1.0 / 60.0;

fn character() -> Arc<Character> {
    static ONE: OnceLock<Arc<Character>> = OnceLock::new();
    ONE.get_or_init(|| {
        let character = Character::new(common::gait(MirrorMode::Query), common::stages::all_on());
        Arc::new(character.unwrap())
    })
    .clone()
}

fn hill(at: Vec3) -> GroundPoint {
    common::stages::hill(at)
}

/// Returns a state in which many features are active.
fn busy() -> MatcherState {
    static ONE: OnceLock<MatcherState> = OnceLock::new();
    let make = || {
        let mut m = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
        for k in 0..200u32 {
            m.update(&common::stages::everything(f64::from(k) / 60.0, &hill), DT_S).unwrap();
        }
        m.state().clone()
    };
    ONE.get_or_init(make).clone()
}

/// Invalid and extreme values for a field.
const BAD: [f64; 14] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e38, -1e38, 1e9, -1e9, 1e7, -1e7, -1.0, 0.0, 1e-300];

/// Damages one number of the header.
fn damage_header(state: &mut MatcherState, field: usize, value: f64) {
    let h = &mut state.header;
    let v = value as f32;
    match field {
        0 => h.clock.time_s = value,
        1 => h.playback.playing.time_s = value,
        2 => h.playback.events_s = value,
        3 => h.transition.since_s = v,
        4 => h.playback.play_rate = v,
        5 => h.root.animated.translation.x = v,
        6 => h.root.animated.rotation.w = v,
        7 => h.transition.root_offset.velocity.y = v,
        8 => h.transition.root_turn.value.y = v,
        9 => h.root.slip.z = v,
        10 => h.legs.pelvis.value = v,
        11 => h.legs.pelvis_needed_m = v,
        12 => h.legs.warp.turn.velocity = v,
        13 => h.legs.warp.stride.longer.value = v,
        14 => h.corrections.body.height.value = v,
        15 => h.corrections.gaze.yaw.spring.value = v,
        16 => h.corrections.hands[1].weight.value = v,
        17 => h.root.simulation.velocity.x = v,
        18 => h.root.simulation.facing.x = v,
        19 => h.root.simulation.gait = v,
        20 => h.anchor.time_s = value,
        21 => h.anchor.playing_s = value,
        22 => h.anchor.simulation.position.z = v,
        23 => h.goal.desired.velocity.x = v,
        24 => h.choice.searched_velocity.y = v,
        25 => h.goal.path.distance_m = v,
        26 => h.clock.history_count = value.to_bits(),
        27 => h.clock.next_search = value.to_bits(),
        28 => h.clock.next_control = value.to_bits(),
        29 => h.playback.playing.clip.0 = value.to_bits() as u32,
        _ => h.playback.playing.mirrored = !h.playback.playing.mirrored,
    }
}

/// Continues from the state unless it is rejected; all displayed values must be finite.
fn continue_from(state: &MatcherState) -> Result<bool, TestCaseError> {
    let character = character();
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let started = Instant::now();
    let restored = m.restore(state);
    let mut states = [state.clone()];
    let (mut scratch, mut outputs) = (character.scratch(), [character.output()]);
    let input = common::stages::everything(3.5, &hill);
    let stepped = step(&character, &[input], DT_S, &mut states, &mut scratch, &mut outputs);
    prop_assert!(stepped.is_ok() || restored.is_err(), "a state that is restored is stepped");
    if restored.is_ok() {
        for k in 0..20u32 {
            let input = common::stages::everything(f64::from(k) / 60.0, &hill);
            let pose = match m.update(&input, if k == 7 { 0.5 } else { DT_S }) {
                Ok(pose) => pose,
                Err(e) => return Err(TestCaseError::fail(format!("refused in update {k}: {e}"))),
            };
            prop_assert!(pose.translations.iter().all(|t| t.is_finite()), "update {}: {:?}", k, state.header);
            prop_assert!(pose.rotations.iter().all(|q| q.to_array().iter().all(|v| v.is_finite())), "update {}", k);
        }
    }
    prop_assert!(started.elapsed().as_secs() < 5, "bounded work");
    Ok(restored.is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_header_is_refused_or_harmless(field in 0usize..31, value in prop::sample::select(&BAD[..])) {
        let mut state = busy();
        damage_header(&mut state, field, value);
        continue_from(&state)?;
    }

    #[test]
    fn a_damaged_block_is_refused_or_harmless(
        place in 0usize..10_000, bit in 0u32..32, value in prop::option::of(prop::sample::select(&BAD[..])),
    ) {
        let mut state = busy();
        let at = place % state.block.len();
        state.block[at] = match value {
            Some(v) => v as f32,
            None => f32::from_bits(state.block[at].to_bits() ^ 1 << bit),
        };
        continue_from(&state)?;
    }
}

#[test]
fn what_no_update_can_leave_behind_is_refused_by_name() {
    let (one, good) = (character(), busy());
    let mut m = MotionMatcher::of(one, Transform::IDENTITY).unwrap();
    assert!(continue_from(&good).unwrap(), "an untouched state is taken");
    let refused = |m: &mut MotionMatcher, change: &dyn Fn(&mut MatcherState)| {
        let mut state = good.clone();
        change(&mut state);
        m.restore(&state).unwrap_err().to_string()
    };
    for (field, name) in [
        (0, "clock.time_s"),
        (1, "playback.playing.time_s"),
        (17, "root.simulation"),
        (21, "anchor"),
        (6, "root.animated"),
    ] {
        let e = refused(&mut m, &|s| damage_header(s, field, f64::NAN));
        assert!(e.contains(&format!("`{name}`")), "{e}");
    }
    let e = refused(&mut m, &|s| s.block[3] = f32::NAN);
    assert!(e.contains("`block`"), "{e}");
    // A loop is played cycle by cycle: a time of many cycles would take proportionally long.
    let e = refused(&mut m, &|s| {
        let db = character().database().unwrap().clone();
        s.header.playback.playing.clip.0 = db.clips.iter().position(|c| c.looping()).unwrap() as u32;
        (s.header.playback.playing.time_s, s.header.anchor.playing_s, s.header.playback.events_s) = (0.1, 0.1, 0.1);
        s.header.playback.playing.time_s = 1e7;
    });
    assert!(e.contains("playback.playing.time_s"), "{e}");
    let mut short = good.clone();
    short.block.pop();
    assert_eq!(m.restore(&short), Err(InputError::ForeignState { character: 0 }));
}

#[test]
fn outputs_and_scratch_of_another_character_are_refused() {
    let (own, other) = (character(), {
        let content = common::tiny::content(
            &[(40, false)],
            &common::tiny::channels(0, footwork::schema::Residual::Squared),
            MirrorMode::Off,
            |row, column| (row * 3 + column) as f32,
        );
        let db = Arc::new(footwork::database::Database::new(content).unwrap());
        Character::new(db, Default::default()).unwrap()
    });
    let mut states = [own.state_at(Transform::IDENTITY).unwrap()];
    let before = common::bits(&states[0]);
    let input = [MotionInput { ..common::walk(Vec3::Z) }];
    let e = step(&own, &input, DT_S, &mut states, &mut own.scratch(), &mut [other.output()]).unwrap_err();
    assert_eq!(e, InputError::Foreign { what: "output", character: 0 });
    let e = step(&own, &input, DT_S, &mut states, &mut other.scratch(), &mut [own.output()]).unwrap_err();
    assert_eq!(e, InputError::Foreign { what: "scratch", character: 0 });
    assert_eq!(common::bits(&states[0]), before);
}
