//! State machines: the same choices as without a machine, each event reported once, and equal results at every time step.

use crate::common;

use common::Random;
use footwork::blend::Seam;
use footwork::build::{BuildConfig, ClipRule, CurveSpec};
use footwork::chooser::{Chooser, ChooserRow, ChooserSpec};
use footwork::database::Database;
use footwork::input::{Gait, Goal, MotionInput, Stick};
use footwork::machine::{
    LayerSpec, Machine, MachineSpec, MontageSpec, NotifySpec, OneOrMany, PlayMontage, SectionSpec, StateSpec,
    TransitionSpec, WindowSpec,
};
use footwork::matcher::{
    Character, EndCause, EventKind, FiredEvent, MatcherConfig, MatcherState, MotionMatcher, StateChange,
};
use footwork::math::{Facing, Transform};
use footwork::recorder::{Recorder, RecorderConfig, Replay};
use footwork_gait::GaitOptions;
use std::sync::{Arc, OnceLock};

fn db() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    let options = GaitOptions { routes: false, terrain: false, crouch: true, gestures: true, ..GaitOptions::default() };
    DB.get_or_init(|| Arc::new(common::built(&footwork_gait::clips(&options), &Default::default()).0)).clone()
}

fn character() -> Arc<Character> {
    static ALL: OnceLock<Arc<Character>> = OnceLock::new();
    ALL.get_or_init(|| Arc::new(Character::new(db(), MatcherConfig::default()).unwrap())).clone()
}

fn run_by(spec: MachineSpec) -> Arc<Character> {
    let machine = Machine::new(db(), spec).unwrap_or_else(|e| panic!("{e}"));
    Arc::new(character().with_machine(Some(Arc::new(machine))).unwrap())
}

fn refused(spec: MachineSpec) -> String {
    Machine::new(db(), spec).expect_err("refused").to_string()
}

fn matching(name: &str, query: &str) -> StateSpec {
    StateSpec { name: name.into(), matching: Some(query.into()), ..StateSpec::default() }
}

fn clip(name: &str, clip: &str) -> StateSpec {
    StateSpec { name: name.into(), clip: Some(OneOrMany::One(clip.into())), ..StateSpec::default() }
}

fn transition(from: &str, to: &str, when: &str) -> TransitionSpec {
    let (from, when) = (Some(OneOrMany::One(from.into())), Some(when.into()));
    TransitionSpec { from, to: to.into(), when, ..TransitionSpec::default() }
}

fn montage(name: &str, clip: &str, start: &str) -> MontageSpec {
    MontageSpec {
        name: name.into(),
        layer: "upper".into(),
        clip: clip.into(),
        start: Some(start.into()),
        ..MontageSpec::default()
    }
}

/// Returns a machine with an upright and a crouched state, a gesture of three sections with a window across the end of its loop,
/// and a gesture that interrupts it.
fn stances() -> MachineSpec {
    let section =
        |name: &str, from_s: f32| SectionSpec { name: name.into(), from_s, to_s: None, next: None, leave: None };
    let sections = vec![
        section("up", 0.0),
        SectionSpec { next: Some("wave".into()), leave: Some("!waving".into()), ..section("wave", 0.7) },
        section("down", 2.2),
    ];
    let window = |name: &str, from_s: f32, to_s: f32| WindowSpec { name: name.into(), from_s, to_s };
    let wave = MontageSpec {
        sections,
        notifies: vec![NotifySpec { name: "first".into(), at_s: 0.0 }, NotifySpec { name: "last".into(), at_s: 2.9 }],
        windows: vec![window("hand_up", 0.5, 2.5), window("middle", 1.0, 1.2)],
        stop: Some("stop".into()),
        ..montage("wave", "wave_left", "wave")
    };
    MachineSpec {
        variables: [("crouch", 0.0), ("waving", 0.0), ("stop", 0.0)].map(|(n, v)| (n.to_owned(), v)).into(),
        triggers: [("wave", 0.3), ("reload", 0.3)].map(|(n, v)| (n.to_owned(), v)).into(),
        states: vec![matching("upright", ""), matching("crouched", "crouch")],
        transitions: vec![
            transition("upright", "crouched", "crouch"),
            transition("crouched", "upright", "!crouch & state_s > 0.5"),
        ],
        layers: vec![LayerSpec {
            name: "upper".into(),
            mask: [("upper_body".to_owned(), 1.0)].into(),
            ..LayerSpec::default()
        }],
        montages: vec![wave, MontageSpec { priority: 1, ..montage("reload", "reload", "reload") }],
        ..MachineSpec::default()
    }
}

fn stick(at: u64) -> Stick {
    let mut r = Random(at * 77 + 5);
    match r.bits() % 4 {
        0 => Stick::default(),
        n => Stick::towards(
            Facing::from_yaw(r.between(-3.0, 3.0)).direction(),
            if n == 1 { Gait::Run } else { Gait::Walk },
        ),
    }
}

/// Two minutes with every feature in use. Inputs change at multiples of 1/6 s only.
struct Run {
    matcher: MotionMatcher,
    /// Pose and state at every sixth of a second, as text.
    sixths: Vec<String>,
    fired: Vec<FiredEvent>,
    changes: Vec<StateChange>,
}

fn run(character: &Arc<Character>, sixths: u64, mut next_dt_s: impl FnMut() -> f32) -> Run {
    let machine = character.machine().unwrap();
    let mut variables = machine.variables();
    let matcher = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut run = Run { matcher, sixths: vec![], fired: vec![], changes: vec![] };
    for k in 0..sixths {
        set(&mut variables, k);
        let input = MotionInput { variables: variables.values(), ..MotionInput::stick(stick(k / 9)) };
        let end_s = (k + 1) as f64 / 6.0;
        loop {
            let left_s = end_s - run.matcher.state().header.clock.time_s;
            if left_s < 1e-6 {
                break;
            }
            let dt_s = next_dt_s();
            let dt_s = if left_s < 1.2 * f64::from(dt_s) { left_s as f32 } else { dt_s };
            run.matcher.update(&input, dt_s).unwrap();
            run.fired.extend(run.matcher.output().events.iter().copied());
            run.changes.extend(run.matcher.output().state_changes.iter().copied());
        }
        let (h, view) = (run.matcher.state().header, run.matcher.machine_view().unwrap());
        run.sixths.push(format!(
            "{} {:?} {:.4} {:?}",
            view.state, h.playback.playing.clip, h.playback.playing.time_s, h.transition.count
        ));
    }
    run
}

fn set(variables: &mut footwork::machine::Variables, k: u64) {
    let on = |b: bool| f32::from(u8::from(b));
    variables.set("crouch", on(k / 24 % 2 == 1)).unwrap();
    variables.set("waving", on(k % 40 < 22)).unwrap();
    variables.set("stop", on(k % 120 == 70)).unwrap();
    if k % 40 == 3 {
        variables.fire("wave").unwrap();
    }
    if k % 80 == 55 {
        variables.fire("reload").unwrap();
    }
}

fn names<'a>(character: &'a Character, fired: &[FiredEvent]) -> Vec<(&'a str, EventKind, f64)> {
    let layers = fired.iter().filter(|e| e.layer.is_some());
    layers.map(|e| (character.event_name(e.event).unwrap(), e.kind, e.time_s)).collect()
}

#[test]
fn motion_matching_as_a_state_moves_as_it_does_alone() {
    let with = run_by(MachineSpec { states: vec![matching("all", "")], ..MachineSpec::default() });
    let (alone, mut r) = (character(), Random(9));
    let mut both = [&alone, &with].map(|c| MotionMatcher::of(c.clone(), Transform::IDENTITY).unwrap());
    for k in 0..3600 {
        let input = MotionInput::stick(stick(k / 50));
        let dt_s = r.between(0.002, 0.04);
        let [a, b] = &mut both;
        assert_eq!(a.update(&input, dt_s).unwrap(), b.update(&input, dt_s).unwrap(), "update {k}");
        assert_eq!(a.state().header, b.state().header);
    }
    assert!(both[0].state().header.transition.count > 50);
}

#[test]
fn what_is_decided_and_reported_is_the_same_at_every_frame_rate() {
    let character = run_by(stances());
    let mut r = Random(3);
    let at = |dt_s: f32| run(&character, 360, || dt_s);
    let reference = at(1.0 / 60.0);
    let others = [at(1.0 / 30.0), at(1.0 / 144.0), at(1.0), run(&character, 360, || r.between(0.001, 0.05))];
    assert!(reference.matcher.state().header.transition.count > 60);
    let expected = names(&character, &reference.fired);
    assert!(expected.len() > 60, "{}", expected.len());
    let changes = &reference.changes;
    assert!(changes.len() == 14 && changes.iter().enumerate().all(|(k, c)| usize::from(c.to) == (k + 1) % 2));
    assert!(changes.windows(2).all(|c| c[0].to == c[1].from && c[0].time_s < c[1].time_s), "{changes:?}");
    for other in &others {
        assert_eq!(reference.sixths, other.sixths);
        assert_eq!(changes.len(), other.changes.len());
        for (a, b) in changes.iter().zip(&other.changes) {
            assert!((a.from, a.to) == (b.from, b.to) && (a.time_s - b.time_s).abs() < 1e-5, "{a:?} {b:?}");
        }
        let found = names(&character, &other.fired);
        assert_eq!(expected.len(), found.len());
        for (a, b) in expected.iter().zip(&found) {
            assert!(a.0 == b.0 && a.1 == b.1 && (a.2 - b.2).abs() < 1e-5, "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_montage_reports_every_moment_of_every_section_once_and_ends_what_it_began() {
    let character = run_by(stances());
    let mut variables = character.machine().unwrap().variables();
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut fired = Vec::new();
    let mut r = Random(1);
    let mut go = |m: &mut MotionMatcher, variables: &footwork::machine::Variables, until_s: f64| {
        while m.state().header.clock.time_s < until_s - 1e-6 {
            let left_s = until_s - m.state().header.clock.time_s;
            let input = MotionInput { variables: variables.values(), ..MotionInput::default() };
            m.update(&input, (r.between(0.001, 0.3) as f64).min(left_s) as f32).unwrap();
            fired.extend(m.output().events.iter().copied());
        }
    };
    variables.set("waving", 1.0).unwrap();
    go(&mut m, &variables, 0.5);
    variables.fire("wave").unwrap();
    // The loop begins at 1.2 s; its end is passed at 2.7, 4.2 and 5.7 s.
    go(&mut m, &variables, 4.5);
    variables.set("waving", 0.0).unwrap();
    go(&mut m, &variables, 8.0);
    const END: EventKind = EventKind::End(EndCause::Passed);
    use EventKind::{Begin, Moment};
    let mut expected = vec![("first", Moment, 0.5), ("hand_up", Begin, 1.0), ("wave_begin", Moment, 1.2)];
    for round in 0..3 {
        let at_s = 1.2 + 1.5 * f64::from(round);
        expected.extend([("middle", Begin, at_s + 0.3), ("middle", END, at_s + 0.5), ("wave_end", Moment, at_s + 1.5)]);
        if round < 2 {
            expected.push(("wave_begin", Moment, at_s + 1.5));
        }
    }
    // 5.7 s corresponds to 2.2 s of the clip.
    expected.extend([("hand_up", END, 6.0), ("last", Moment, 6.4)]);
    let found = names(&character, &fired);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (a, b) in found.iter().zip(&expected) {
        assert!(a.0 == b.0 && a.1 == b.1 && (a.2 - b.2).abs() < 1e-4, "{a:?} where {b:?} was due");
    }
    assert!(m.machine_view().unwrap().layers[0].montages.is_empty(), "it has gone out");
}

#[test]
fn what_breaks_a_montage_off_ends_its_windows_and_silences_it() {
    let character = run_by(stances());
    let mut variables = character.machine().unwrap().variables();
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut fired = Vec::new();
    variables.fire("wave").unwrap();
    for k in 0..240 {
        if k == 48 {
            variables.fire("reload").unwrap();
        }
        m.update(&MotionInput { variables: variables.values(), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
        fired.extend(m.output().events.iter().copied());
        if k == 50 {
            let view = m.machine_view().unwrap();
            let playing: Vec<_> = view.layers[0].montages.iter().map(|m| (m.name, m.broken_off)).collect();
            assert_eq!(playing, [("reload", false), ("wave", true)]);
        }
    }
    let found = names(&character, &fired);
    let of: Vec<&str> = found.iter().map(|e| e.0).collect();
    let at = of.iter().position(|n| n.starts_with("reload")).unwrap();
    assert_eq!(of[..at], ["first", "hand_up", "wave_begin", "hand_up"], "{found:?}");
    assert!((found[3].2 - 0.8).abs() < 1e-5 && found[3].1 == EventKind::End(EndCause::BrokenOff));
    assert!(of[at..].iter().all(|n| n.starts_with("reload")) && of.len() == at + 3, "{found:?}");
}

#[test]
fn a_layer_bends_only_the_joints_of_its_mask_and_comes_and_goes_without_a_jump() {
    let character = run_by(stances());
    let mut variables = character.machine().unwrap().variables();
    let mut both = [(); 2].map(|_| MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap());
    let still = variables.clone();
    variables.fire("wave").unwrap();
    let skeleton = &db().skeleton;
    let hand = skeleton.require("LeftHand").unwrap();
    let mut apart = Vec::new();
    for _ in 0..300 {
        let [a, b] = &mut both;
        let walk = MotionInput::stick(stick(2));
        a.update(&MotionInput { variables: variables.values(), ..walk }, 1.0 / 60.0).unwrap();
        b.update(&MotionInput { variables: still.values(), ..walk }, 1.0 / 60.0).unwrap();
        for j in (0..skeleton.len()).filter(|j| {
            let name = &skeleton.names()[*j];
            name.contains("Leg") || name.contains("Foot") || name.contains("Toe") || name == "Hips" || *j == 0
        }) {
            assert_eq!(a.pose().rotations[j], b.pose().rotations[j], "{}", skeleton.names()[j]);
        }
        apart.push(
            (a.pose().in_root(skeleton, hand).translation - b.pose().in_root(skeleton, hand).translation).length(),
        );
    }
    let most = apart.iter().copied().fold(0.0, f32::max);
    assert!(most > 0.5, "the hand is up: {most}");
    assert!(apart[0] < 0.05 && apart[299] == 0.0, "{} {}", apart[0], apart[299]);
    assert!(apart.windows(2).all(|w| (w[1] - w[0]).abs() < 0.09), "no jump");
}

/// Returns a character with a four-second walk as a montage over the whole body.
fn walks_over_all(root_motion: bool) -> Arc<Character> {
    let layer = LayerSpec { name: "upper".into(), ..LayerSpec::default() };
    let walk = MontageSpec { root_motion, ..montage("walk", "walk_125", "go") };
    run_by(MachineSpec {
        triggers: [("go".to_owned(), 0.5)].into(),
        states: vec![matching("all", "")],
        layers: vec![layer],
        montages: vec![walk],
        ..MachineSpec::default()
    })
}

#[test]
fn a_montage_with_root_motion_carries_the_root_and_its_own_feet_are_held() {
    let character = walks_over_all(true);
    let db = db();
    let walk = db.clips.iter().position(|c| c.name == "walk_125").map(footwork::frames::ClipIndex::new).unwrap();
    let root = |time_s: f64| db.view(walk, false).root(time_s).0;
    // Distance by which the clip's own feet slide, and time, over the frames labelled as contact.
    let (mut own_m, mut own_s, mut before) = (0.0f32, 0.0f32, vec![None::<glam::Vec3>; db.rig.contact_joints.len()]);
    let (mut pose, mut velocity) =
        (footwork::pose::Pose::rest(&db.skeleton), footwork::pose::PoseVelocity::zero(db.skeleton.len()));
    for k in 30..210 {
        db.view(walk, false).sample(f64::from(k) / 60.0, &mut pose, &mut velocity);
        for (slot, before) in before.iter_mut().enumerate() {
            let toe = pose.in_root(&db.skeleton, db.rig.contact_joints[slot]).translation;
            let toe = root(f64::from(k) / 60.0).point(toe);
            let touches = db.touches_at(walk, false, slot, f64::from(k) / 60.0);
            if let (Some(before), true) = (*before, touches) {
                own_m += (toe - before).with_y(0.0).length();
                own_s += 1.0 / 60.0;
            }
            *before = touches.then_some(toe);
        }
    }
    let own_mps = own_m / own_s;
    let mut ends = Vec::new();
    for dt_s in [1.0 / 60.0f32, 1.0 / 30.0, 1.0 / 144.0] {
        let mut variables = character.machine().unwrap().variables();
        let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
        variables.fire("go").unwrap();
        let (mut roots, mut slid_m, mut held_s, mut touched) = (vec![], 0.0f32, 0.0f32, vec![None::<glam::Vec3>; 8]);
        for k in 1..=(5.0 / dt_s).round() as u64 {
            // The input requests a run to the side: the goal has no effect until the montage ends.
            let aside = MotionInput::stick(Stick::towards(glam::Vec3::X, Gait::Run));
            let goal = if m.state().header.clock.time_s < 3.5 { aside } else { MotionInput::stick(Stick::default()) };
            m.update(&MotionInput { variables: variables.values(), ..goal }, dt_s).unwrap();
            let time_s = m.state().header.clock.time_s;
            for (contact, before) in m.output().contacts.iter().zip(&mut touched) {
                let toe = m.pose().in_root(&db.skeleton, contact.joint).translation;
                let toe = m.pose().world_from_root().point(toe);
                if let (Some(before), true, 0.5..3.5) = (*before, contact.touching, time_s) {
                    slid_m += (toe - before).with_y(0.0).length();
                    held_s += dt_s;
                }
                *before = contact.touching.then_some(toe);
            }
            if (k as f32 * dt_s * 2.0).fract() < 1e-3 || (k as f32 * dt_s * 2.0).fract() > 1.0 - 1e-3 {
                roots.push((time_s, m.pose().world_from_root()));
            }
        }
        assert!(slid_m / held_s < own_mps + 0.01 && held_s > 2.0, "{} m/s of {held_s} s, {own_mps}", slid_m / held_s);
        // Between 1 and 3.5 s only the montage moves the root.
        let at = |s: f64| roots.iter().find(|(t, _)| (t - s).abs() < 1e-3).unwrap().1;
        let way = at(1.0).inverse() * at(3.0);
        let of_clip = root(1.0).inverse() * root(3.0);
        assert!((way.translation - of_clip.translation).length() < 1e-3, "{way:?} {of_clip:?}");
        // The character stands again: the montage no longer moves the root.
        assert!((at(5.0).translation - at(4.5).translation).length() < 0.3);
        ends.push(format!("{:?}", at(3.0).translation));
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    // Without root motion of the montage, the goal moves the root.
    let character = walks_over_all(false);
    let mut variables = character.machine().unwrap().variables();
    variables.fire("go").unwrap();
    let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    for _ in 0..120 {
        m.update(&MotionInput { variables: variables.values(), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
    }
    assert!(m.pose().world_from_root().translation.length() < 0.05);
}

#[test]
fn a_saved_state_continues_bit_for_bit_in_mid_transition_and_mid_montage() {
    let character = run_by(stances());
    let mut variables = character.machine().unwrap().variables();
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut other = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    for k in 0..1500u64 {
        set(&mut variables, k / 10);
        let input = MotionInput { variables: variables.values(), ..MotionInput::stick(stick(k / 90)) };
        if k % 7 == 0 {
            other.restore(&m.state().clone()).unwrap();
        }
        let dt_s = 0.013;
        let pose = m.update(&input, dt_s).unwrap().clone();
        assert_eq!(&pose, other.update(&input, dt_s).unwrap(), "update {k}");
        assert_eq!(m.output().events, other.output().events);
        assert_eq!(m.state(), other.state());
    }
}

#[test]
fn a_recording_replays_a_machine_that_nobody_gave_it() {
    let character = run_by(stances());
    let mut variables = character.machine().unwrap().variables();
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut recorder = Recorder::new(&character, RecorderConfig::default());
    let mut poses = Vec::new();
    for k in 0..900u64 {
        set(&mut variables, k / 10);
        let input = MotionInput { variables: variables.values(), ..MotionInput::stick(stick(k / 90)) };
        poses.push(recorder.update(&mut m, &input, 1.0 / 60.0).unwrap().clone());
    }
    let bytes = recorder.trace().to_bytes().unwrap();
    let trace = Arc::new(footwork::recorder::Trace::from_bytes(&bytes, "a.fwtrace".as_ref()).unwrap());
    assert_eq!(trace.machine(), Some(&stances()));
    let mut replay = Replay::new(trace, self::character(), None).unwrap();
    for k in [899, 100, 433] {
        replay.seek(k).unwrap();
        assert_eq!(replay.matcher().pose(), &poses[k]);
    }
    // The machine continues with other settings.
    let config = MatcherConfig { responsiveness: 2.0, ..MatcherConfig::default() };
    replay.seek(100).unwrap();
    replay.fork(Arc::new(self::character().with_config(config).unwrap())).unwrap();
    (0..500).for_each(|_| _ = replay.step().unwrap());
    assert_ne!(replay.matcher().pose(), &poses[600]);
    assert!(replay.matcher().machine_view().is_some());
}

#[test]
fn an_update_without_room_for_all_events_says_how_far_it_came_and_loses_none() {
    let many = |n: usize| (0..n).map(|k| NotifySpec { name: format!("n{k}"), at_s: 0.5 + k as f32 * 1e-3 });
    let mut spec = stances();
    spec.montages = vec![MontageSpec { notifies: many(300).collect(), ..montage("reload", "reload", "reload") }];
    spec.layers[0].name = "upper".into();
    spec.triggers = [("reload".to_owned(), 0.0)].into();
    let character = run_by(spec);
    let go = |dt_s: f32| {
        let mut variables = character.machine().unwrap().variables();
        variables.fire("reload").unwrap();
        let input = MotionInput { variables: variables.values(), ..MotionInput::stick(stick(1)) };
        let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
        let (mut fired, mut short) = (Vec::new(), 0);
        while m.state().header.clock.time_s < 4.0 - 1e-6 {
            let left_s = ((4.0 - m.state().header.clock.time_s) as f32).min(dt_s);
            let before_s = m.state().header.clock.time_s;
            m.update(&input, left_s).unwrap();
            let consumed_s = m.output().consumed_s;
            assert!(consumed_s > 0.0 && consumed_s <= left_s);
            assert!((m.state().header.clock.time_s - before_s - f64::from(consumed_s)).abs() < 1e-5);
            short += usize::from(consumed_s < left_s);
            fired.extend(m.output().events.iter().filter(|e| e.layer.is_some()).map(|e| e.event));
        }
        (fired, short, m.pose().clone(), m.state().header.transition.count)
    };
    let (small, large) = (go(1.0 / 240.0), go(4.0));
    assert_eq!((small.0.len(), small.1), (303, 0));
    assert_eq!(small.0, large.0, "the same events in the same order");
    assert!(large.1 > 5, "{} updates were cut", large.1);
    assert_eq!(small.3, large.3);
    let apart = (small.2.translations[0] - large.2.translations[0]).length();
    assert!(apart < 1e-3, "{apart}");
}

#[test]
fn clips_play_to_their_end_and_hold_and_several_are_picked_in_turns() {
    let mut fidget = clip("fidget", "look_around");
    fidget.clip = Some(OneOrMany::Many(["look_around", "wave_left", "wave_right"].map(str::to_owned).to_vec()));
    let mut rest = matching("rest", "idle");
    rest.stay_s = Some([0.5, 1.5]);
    let spec = MachineSpec {
        states: vec![rest, fidget],
        transitions: vec![transition("rest", "fidget", "stayed"), transition("fidget", "rest", "ended")],
        ..MachineSpec::default()
    };
    let character = run_by(spec);
    let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let (mut played, mut stays, mut since) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..12_000 {
        m.update(&MotionInput::default(), 1.0 / 60.0).unwrap();
        let view = m.machine_view().unwrap();
        let (state, now_s) = (view.state.to_owned(), m.state().header.clock.time_s);
        let name = m.clip_name().unwrap().to_owned();
        if played.last().is_none_or(|(s, _): &(String, String)| *s != state) {
            if state == "fidget" {
                stays.push(now_s - since);
            }
            since = now_s;
            played.push((state, name));
        }
    }
    let fidgets: Vec<&String> = played.iter().filter(|p| p.0 == "fidget").map(|p| &p.1).collect();
    assert!(fidgets.len() > 30, "{}", fidgets.len());
    assert!(fidgets.windows(2).all(|w| w[0] != w[1]), "never the same twice in a row");
    assert!(["look_around", "wave_left", "wave_right"].iter().all(|n| fidgets.iter().any(|f| *f == n)));
    assert!(stays.iter().all(|s| (0.5..1.6).contains(s)), "{stays:?}");
    assert!(stays.iter().fold(0.0f64, |a, b| a.max(*b)) - stays.iter().fold(9.0f64, |a, b| a.min(*b)) > 0.5);

    // No state follows: the last pose is held.
    let end = run_by(MachineSpec { states: vec![clip("only", "wave_left")], ..MachineSpec::default() });
    let mut m = MotionMatcher::of(end, Transform::IDENTITY).unwrap();
    (0..400).for_each(|_| _ = m.update(&MotionInput::default(), 1.0 / 60.0).unwrap());
    let held = m.pose().clone();
    (0..60).for_each(|_| _ = m.update(&MotionInput::default(), 1.0 / 60.0).unwrap());
    assert_eq!(&held, m.pose());
}

#[test]
fn machines_inside_states_begin_anew_and_outer_transitions_leave_them_from_anywhere() {
    let mut low = StateSpec { name: "low".into(), ..StateSpec::default() };
    low.machine = Some(footwork::machine::PartSpec {
        start: Some("rest".into()),
        states: vec![matching("move", "crouch"), matching("rest", "crouch & idle")],
        transitions: vec![transition("rest", "move", "go"), transition("move", "rest", "!go")],
    });
    let spec = MachineSpec {
        variables: [("crouch", 0.0), ("go", 0.0)].map(|(n, v)| (n.to_owned(), v)).into(),
        states: vec![matching("up", ""), low],
        transitions: vec![transition("up", "low", "crouch"), transition("low", "up", "!crouch")],
        ..MachineSpec::default()
    };
    let character = run_by(spec);
    let machine = character.machine().unwrap();
    assert_eq!(machine.state_names().collect::<Vec<_>>(), ["up", "low/move", "low/rest"]);
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut after = |crouch: f32, go: f32| {
        for _ in 0..30 {
            m.update(&MotionInput { variables: &[crouch, go], ..MotionInput::default() }, 1.0 / 60.0).unwrap();
        }
        m.machine_view().unwrap().state.to_owned()
    };
    let seen = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0)].map(|(c, g)| after(c, g));
    assert_eq!(seen, ["up", "low/rest", "low/move", "up", "low/rest"]);
}

#[test]
fn what_cannot_be_is_refused_with_its_place_and_the_nearest_name() {
    let one = |state: StateSpec| MachineSpec { states: vec![state], ..MachineSpec::default() };
    let all = |what: &str, spec: MachineSpec, parts: &[&str]| {
        let e = refused(spec);
        assert!(parts.iter().all(|p| e.contains(p)), "{what}: {e}");
    };
    all("no state", MachineSpec::default(), &["at least one state"]);
    all("a clip", one(clip("a", "wave_lefft")), &["states.`a`.clip", "`wave_lefft`", "nearest is `wave_left`"]);
    all("a tag", one(matching("a", "walk & crouhc")), &["states.`a`.match", "character 8", "`crouch`"]);
    all("an expression", one(matching("a", "walk & (crouch")), &["character 15", "`)`"]);
    all("nothing", one(StateSpec { name: "a".into(), ..StateSpec::default() }), &["exactly one of"]);
    let mut spec = stances();
    spec.transitions.push(transition("upright", "crouched", "crouch > x"));
    all("a number", spec, &["transitions[2].when", "character 10", "a number"]);
    let mut spec = stances();
    spec.transitions.push(transition("upright", "crouched", "crowch"));
    all("a variable", spec, &["`crowch`", "nearest is `crouch`"]);
    let mut spec = stances();
    spec.transitions.push(transition("upright", "crouchd", "crouch"));
    all("a state", spec, &["transitions[2].to", "`crouchd`", "nearest is `crouched`"]);
    let mut spec = stances();
    spec.variables.insert("state_s".into(), 0.0);
    all("a reserved name", spec, &["`state_s`", "another name"]);
    let mut spec = stances();
    spec.montages[0].sections[1].next = Some("waves".into());
    all("a section", spec, &["montages.`wave`.sections.`wave`.next", "nearest is `wave`"]);
    let mut spec = stances();
    spec.montages[0].windows[0].to_s = 9.0;
    all("a window", spec, &["windows.to_s", "expected"]);
    let mut spec = stances();
    spec.layers[0].mask = [("Spine9".to_owned(), 1.0)].into();
    all("a joint", spec, &["layers.`upper`.mask", "`Spine9`", "nearest is"]);

    let character = run_by(stances());
    let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let e = m.update(&MotionInput { variables: &[1.0], ..MotionInput::default() }, 0.01).unwrap_err().to_string();
    assert!(e.contains("1 values") && e.contains('5'), "{e}");
    let e = m.update(&MotionInput { variables: &[f32::NAN; 5], ..MotionInput::default() }, 0.01).unwrap_err();
    assert!(e.to_string().contains("variables"), "{e}");
}

/// Returns how often a montage begins in one second, counted frame by frame.
fn begins(m: &mut MotionMatcher, name: &str, variables: &[f32]) -> usize {
    let of = |m: &MotionMatcher| m.machine_view().unwrap().layers[0].montages.iter().any(|v| v.name == name);
    let mut count = 0;
    for _ in 0..60 {
        let before = of(m);
        m.update(&MotionInput { variables, ..MotionInput::default() }, 1.0 / 60.0).unwrap();
        count += usize::from(!before && of(m));
    }
    count
}

#[test]
fn a_trigger_that_was_used_fires_again_by_a_higher_count_alone() {
    let character = run_by(stances());
    let machine = character.machine().unwrap();
    let mut variables = machine.variables();
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    (0..3).for_each(|_| variables.fire("reload").unwrap());
    assert_eq!(begins(&mut m, "reload", variables.values()), 1);
    let saved = m.state().clone();
    // Beyond the end of the montage.
    (0..4).for_each(|_| assert_eq!(begins(&mut m, "reload", variables.values()), 0));
    // An update without variables, then the same variables again.
    assert_eq!(begins(&mut m, "reload", &[]), 0);
    assert_eq!(begins(&mut m, "reload", variables.values()), 0);
    // A restore, with newly created variables.
    m.restore(&saved).unwrap();
    (0..4).for_each(|_| _ = begins(&mut m, "reload", machine.variables().values()));
    assert_eq!(begins(&mut m, "reload", machine.variables().values()), 0);
    // Triggers count from there.
    let mut anew = machine.variables();
    anew.fire("reload").unwrap();
    assert_eq!(begins(&mut m, "reload", anew.values()), 1);
}

#[test]
fn a_switch_ends_open_windows_and_fires_no_used_trigger() {
    let character = run_by(stances());
    let mut variables = character.machine().unwrap().variables();
    // The same gestures and events under other names.
    let renamed = |m: MontageSpec| MontageSpec { name: format!("other_{}", m.name), ..m };
    let montages = stances().montages.into_iter().map(renamed).collect();
    let other = run_by(MachineSpec { states: vec![matching("all", "")], transitions: vec![], montages, ..stances() });
    for to_pose in [false, true] {
        let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
        variables.fire("wave").unwrap();
        let mut fired = Vec::new();
        for _ in 0..48 {
            let input = MotionInput { variables: variables.values(), ..MotionInput::default() };
            m.update(&input, 1.0 / 60.0).unwrap();
            fired.extend(m.output().events.iter().copied());
        }
        let open = |fired: &[FiredEvent]| {
            let of = |kind: fn(&EventKind) -> bool| fired.iter().filter(|e| e.layer.is_some() && kind(&e.kind)).count();
            of(|k| *k == EventKind::Begin) - of(|k| matches!(k, EventKind::End(_)))
        };
        assert_eq!(open(&fired), 1, "{fired:?}");
        if to_pose {
            let (pose, velocity) = (m.pose().clone(), m.output().velocity.clone());
            m.enter(&pose, &velocity).unwrap();
        } else {
            m.switch_to(other.clone()).unwrap();
        }
        fired.extend(m.output().events.iter().copied());
        assert_eq!(open(&fired), 0, "{fired:?}");
        let last = fired.iter().rfind(|e| e.layer.is_some()).unwrap();
        assert_eq!(last.kind, EventKind::End(EndCause::BrokenOff));
        let name = if to_pose { "wave" } else { "other_wave" };
        assert_eq!(begins(&mut m, name, variables.values()), 0, "the trigger was used");
        variables.fire("wave").unwrap();
        assert_eq!(begins(&mut m, name, variables.values()), 1);
    }
}

#[test]
fn a_machine_that_takes_over_from_none_fires_no_trigger_of_before() {
    let with = run_by(stances());
    let mut variables = with.machine().unwrap().variables();
    (0..3).for_each(|_| variables.fire("reload").unwrap());
    let mut m = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
    m.update(&MotionInput::default(), 0.1).unwrap();
    m.switch_to(with).unwrap();
    assert_eq!(begins(&mut m, "reload", variables.values()), 0);
    variables.fire("reload").unwrap();
    assert_eq!(begins(&mut m, "reload", variables.values()), 1);
}

#[test]
fn a_machine_goes_on_by_names_when_the_character_becomes_another_one() {
    let mut spec = stances();
    spec.montages[1].windows.push(WindowSpec { name: "busy".into(), from_s: 0.3, to_s: 2.0 });
    let first = run_by(spec.clone());
    // The states in another order, with one more variable before the others.
    spec.start = Some("upright".into());
    spec.states.reverse();
    spec.variables.insert("a_first".into(), 0.0);
    let second = run_by(spec);
    let mut variables = first.machine().unwrap().variables();
    let mut m = MotionMatcher::of(first.clone(), Transform::IDENTITY).unwrap();
    variables.set("crouch", 1.0).unwrap();
    variables.fire("reload").unwrap();
    for _ in 0..70 {
        m.update(&MotionInput { variables: variables.values(), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
    }
    let before = m.machine_view().unwrap();
    let (state, state_s) = (before.state.to_owned(), before.state_s);
    let montage = |m: &MotionMatcher| {
        let layers = m.machine_view().unwrap().layers;
        layers.iter().flat_map(|l| &l.montages).find(|m| m.name == "reload").map(|m| (m.time_s, m.weight))
    };
    let (time_s, weight) = montage(&m).unwrap();
    assert!(state != "upright" && weight == 1.0, "{state}");
    m.switch_to(second.clone()).unwrap();
    assert!(m.output().events.iter().all(|e| e.layer.is_none()), "no window ends: {:?}", m.output().events);
    let after = m.machine_view().unwrap();
    assert_eq!((after.state, after.state_s), (&*state, state_s));
    assert_eq!(montage(&m), Some((time_s, weight)));
    // Values are matched by name, too, and the used trigger does not fire again.
    let mut values = second.machine().unwrap().variables();
    values.take_over(&variables);
    let mut ends = 0;
    for _ in 0..200 {
        m.update(&MotionInput { variables: values.values(), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
        assert!(m.machine_view().unwrap().state != "upright");
        let of_layers = m.output().events.iter().filter(|e| e.layer.is_some());
        for event in of_layers {
            assert_ne!(event.kind, EventKind::Begin, "the montage began before");
            ends += usize::from(matches!(event.kind, EventKind::End(_)));
        }
    }
    assert_eq!((ends, montage(&m)), (1, None));
}

#[test]
fn what_can_do_nothing_is_warned_of_with_its_place() {
    let warnings = |spec: MachineSpec| {
        let machine = Machine::new(db(), spec).unwrap();
        machine.warnings().iter().map(|w| format!("{}: {}", w.at, w.what)).collect::<Vec<_>>()
    };
    let two = |there: &str, back: &str| MachineSpec {
        variables: [("v".to_owned(), 0.0), ("w".to_owned(), 0.0)].into(),
        triggers: [("go".to_owned(), 0.5)].into(),
        states: vec![matching("a", ""), matching("b", "")],
        transitions: vec![transition("a", "b", there), transition("b", "a", back)],
        ..MachineSpec::default()
    };
    assert_eq!(warnings(stances()), [""; 0]);
    for (there, back, told) in [
        ("v > 1", "v < 1", None),
        ("v > 1", "v <= 1", None),
        ("v > 1", "v < 2", Some("a -> b -> a: each is left at once")),
        ("v > 1 & w", "v < 2 & !w", None),
        ("v > 1", "v < 2 & state_s > 0.2", None),
        ("v > 1", "v < 2 & state_s < 0.2", Some("each is left at once")),
        ("go", "go", None),
        ("go", "!go & v > 3", None),
        ("speed_mps > 1", "turn_deg > 5", Some("each is left at once")),
        ("v > 2 & v < 1", "v", Some("can never hold")),
        ("speed_mps < 0", "v", Some("`speed_mps < 0` can never hold")),
        ("turn_deg > 181", "v", Some("can never hold")),
        ("ended", "v", Some("`ended` can never hold")),
        ("!(v > 1 | v <= 1)", "v", Some("can never hold")),
        ("v == 1", "v != 1", None),
        ("go > 0.5 & go < 1", "v", Some("can never hold")),
    ] {
        let found = warnings(two(there, back));
        let loops = found.iter().filter(|w| w.contains("left at once") || w.contains("can never hold"));
        assert_eq!(loops.clone().count(), usize::from(told.is_some()), "{there} / {back}: {found:?}");
        assert!(told.is_none_or(|told| loops.clone().all(|w| w.contains(told))), "{there} / {back}: {found:?}");
    }
    // A state without a transition into it, whose query accepts no row.
    let mut spec = two("v > 1", "v < 1");
    spec.states.push(matching("island", "crouched & !crouched"));
    let found = warnings(spec);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("states.`island`.match: no row") && found[1].starts_with("states.`island`: no transition")
    );
    // A cycle of three states.
    let mut spec = two("v > 1", "v > 2");
    spec.states.push(matching("c", ""));
    spec.transitions[1].to = "c".into();
    spec.transitions.push(transition("c", "a", "v > 3"));
    assert_eq!(warnings(spec).iter().filter(|w| w.contains("a -> b -> c -> a")).count(), 1);
}

#[test]
fn the_ways_out_of_a_state_have_the_values_of_their_terms() {
    let character = run_by(MachineSpec {
        variables: [("v".to_owned(), 0.0)].into(),
        states: vec![matching("a", ""), matching("b", ""), matching("c", "")],
        transitions: vec![transition("a", "b", "v > 2 | state_s >= 5"), transition("a", "c", "!(v < 1)")],
        ..MachineSpec::default()
    });
    let mut variables = character.machine().unwrap().variables();
    let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    variables.set("v", 0.5).unwrap();
    for _ in 0..30 {
        m.update(&MotionInput { variables: variables.values(), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
    }
    let exits = m.machine_exits(variables.values());
    let told = |k: usize| (&*exits[k].to, exits[k].when.as_deref(), exits[k].holds);
    assert_eq!(
        (exits.len(), told(0), told(1)),
        (2, ("b", Some("v > 2 | state_s >= 5"), false), ("c", Some("!(v < 1)"), false))
    );
    let terms: Vec<_> = exits[0].terms.iter().map(|t| (&*t.term, t.holds)).collect();
    assert_eq!(terms, [("v > 2", false), ("state_s >= 5", false)]);
    assert!((exits[0].terms[1].value - 0.5).abs() < 0.02 && exits[0].terms[0].value == 0.5);
    assert!(exits[1].terms[0].holds && m.machine_exits(&[1.5])[1].holds);
}

#[test]
fn a_transition_holds_for_its_time_but_for_those_that_interrupt() {
    let states = ["a", "b", "c", "d"].map(|name| matching(name, "")).to_vec();
    let holds = TransitionSpec { hold_s: Some(0.5), ..transition("a", "b", "v > 1") };
    let interrupts = TransitionSpec { interrupts: true, ..transition("b", "d", "v > 5") };
    let character = run_by(MachineSpec {
        variables: [("v".to_owned(), 0.0)].into(),
        states,
        transitions: vec![holds, transition("b", "c", "v > 2"), interrupts],
        ..MachineSpec::default()
    });
    for (v, to, after_s) in [(3.0, "c", 0.5), (6.0, "d", 0.0)] {
        let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
        let mut changes = Vec::new();
        for _ in 0..90 {
            m.update(&MotionInput { variables: &[v], ..MotionInput::default() }, 1.0 / 60.0).unwrap();
            changes.extend(m.output().state_changes.iter().copied());
        }
        assert_eq!((changes.len(), m.machine_view().unwrap().state), (2, to));
        let held_s = changes[1].time_s - changes[0].time_s;
        assert!((held_s - after_s).abs() < 0.02, "{to}: {held_s}");
    }
}

#[test]
fn a_transition_is_blended_out_within_the_time_it_asks_for() {
    // Largest rotation over all joints between the displayed pose and the playing clip, in degrees, `after_s` after the
    // transition.
    let off_deg = |config: &MatcherConfig, blend_s: Option<f32>, after_s: f32| {
        let character = Character::new(db(), config.clone()).unwrap();
        let blends = TransitionSpec { blend_s, ..transition("walk", "wave", "v > 1") };
        let spec = MachineSpec {
            variables: [("v".to_owned(), 0.0)].into(),
            states: vec![clip("walk", "walk_100_loop"), clip("wave", "wave_left")],
            transitions: vec![blends],
            ..MachineSpec::default()
        };
        let machine = Machine::new(db(), spec).unwrap();
        let character = Arc::new(character.with_machine(Some(Arc::new(machine))).unwrap());
        let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
        let mut go = |v: f32, seconds: f32| {
            let input = MotionInput { variables: &[v], ..MotionInput::default() };
            (0..(seconds * 60.0).round() as usize).for_each(|_| _ = m.update(&input, 1.0 / 60.0).unwrap());
        };
        go(0.0, 0.5);
        // The transition is taken at the next control tick.
        go(2.0, after_s + 1.0 / 60.0);
        let playing = m.state().header.playback.playing;
        let (mut pose, mut velocity) = (m.pose().clone(), footwork::pose::PoseVelocity::zero(m.pose().len()));
        db().view(playing.clip, playing.mirrored).sample(playing.time_s, &mut pose, &mut velocity);
        let angles = pose.rotations.iter().zip(&m.pose().rotations).skip(1).map(|(a, b)| a.angle_between(*b));
        angles.fold(0.0, f32::max).to_degrees()
    };
    // Foot locking is off, since it bends the displayed pose in addition to the blend.
    let mut config = MatcherConfig::default();
    config.feet.enabled = false;
    for seam in [Seam::Spring, Seam::Quintic, Seam::DeadBlend] {
        (config.transition.seam, config.transition.upper_seam) = (seam, seam);
        let [at_once, default, slow] = [Some(0.05), None, Some(2.5)].map(|blend_s| off_deg(&config, blend_s, 0.1));
        assert!(at_once < 0.5 && default > 5.0 && slow > 1.2 * default, "{seam:?}: {at_once} {default} {slow}");
        // In a dead blend, `blend_s` also changes the half-life of the velocity.
        if seam != Seam::DeadBlend {
            let of_settings_s = if seam == Seam::Spring { 0.72 } else { 0.3 };
            assert_eq!(default, off_deg(&config, Some(of_settings_s), 0.1), "{seam:?}");
        }
        let (half, over) = (off_deg(&config, Some(1.0), 0.5), off_deg(&config, Some(1.0), 1.05));
        assert!(over < 0.05 * slow && half > 2.0 * over, "{seam:?}: {half} {over}");
    }
    let none = TransitionSpec { blend_s: Some(0.0), ..transition("a", "a", "state_s > 1") };
    let error = refused(MachineSpec { states: vec![matching("a", "")], transitions: vec![none], ..Default::default() });
    assert!(error.contains("`blend_s` is 0: expected 0.001 to 5"), "{error}");
}

#[test]
fn a_called_montage_begins_jumps_and_stops_once_and_is_replayed() {
    let character = run_by(stances());
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    let mut calls = m.montage_calls();
    let mut recorder = Recorder::new(&character, RecorderConfig::default());
    let mut fired: Vec<FiredEvent> = Vec::new();
    let mut go = |m: &mut MotionMatcher, calls: &footwork::machine::MontageCalls, frames: usize| {
        for _ in 0..frames {
            let input = MotionInput { montages: calls.calls(), ..MotionInput::default() };
            // Half of the updates contain no control tick.
            recorder.update(m, &input, 1.0 / 120.0).unwrap();
            fired.extend(m.output().events.iter().filter(|e| e.layer.is_some()));
        }
        let layers = m.machine_view().unwrap().layers;
        layers[0]
            .montages
            .iter()
            .map(|m| (m.name.to_owned(), m.section.to_owned(), m.time_s, m.handle, m.broken_off))
            .collect::<Vec<_>>()
    };
    let how = PlayMontage { section: Some("wave"), start_s: Some(0.9), rate: Some(0.5), blend_in_s: Some(0.1) };
    let wave = calls.play("wave", how).unwrap();
    let seen = go(&mut m, &calls, 60);
    let (name, section, time_s, handle, _) = &seen[0];
    assert_eq!((&**name, &**section, *handle), ("wave", "wave", Some(wave)));
    assert!((time_s - (0.9 + 0.5 * 0.5)).abs() < 0.02, "half as fast: {time_s}");
    // A restored state executes no call twice, and continues with the same result.
    let saved = m.state().clone();
    let mut other = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    other.restore(&saved).unwrap();
    other.update(&MotionInput { montages: calls.calls(), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
    assert_eq!(other.machine_view().unwrap().layers[0].montages.len(), 1);
    assert_eq!(other.montage_calls().play("wave", PlayMontage::default()).unwrap().0, wave.0 + 1);
    calls.jump(wave, "down").unwrap();
    let seen = go(&mut m, &calls, 20);
    assert_eq!((&*seen[0].1, seen[0].3), ("down", Some(wave)));
    let reload = calls.play("reload", PlayMontage::default()).unwrap();
    let seen = go(&mut m, &calls, 20);
    assert_eq!((seen.len(), &*seen[0].0, seen[1].4), (2, "reload", true), "a higher priority breaks it off");
    // A montage of lower priority has no effect; stopping a finished montage has none either.
    calls.play("wave", PlayMontage::default()).unwrap();
    calls.stop(wave, None);
    let seen = go(&mut m, &calls, 60);
    assert_eq!((seen.len(), seen[0].3), (1, Some(reload)));
    calls.stop(reload, Some(0.5));
    let seen = go(&mut m, &calls, 30);
    assert!(seen[0].4, "it goes out for half a second");
    assert!(go(&mut m, &calls, 60).is_empty());
    let (begins, ends) = fired.iter().fold((0, 0), |(b, e), event| match event.kind {
        EventKind::Begin => (b + 1, e),
        EventKind::End(_) => (b, e + 1),
        EventKind::Moment => (b, e),
    });
    assert!(begins > 0 && begins == ends, "{begins} {ends}");
    // Replayed with the same montages.
    let trace = Arc::new(recorder.trace());
    let mut replay = Replay::new(trace, character.clone(), None).unwrap();
    while replay.step().unwrap() {}
    assert_eq!(replay.matcher().state(), m.state());

    let refused = |name: &str, how: PlayMontage| calls.clone().play(name, how).unwrap_err().to_string();
    assert!(refused("weve", PlayMontage::default()).contains("the nearest is `wave`"));
    assert!(
        refused("wave", PlayMontage { section: Some("wav"), ..Default::default() }).contains("the nearest is `wave`")
    );
    let mut fast = calls.clone();
    fast.play("wave", PlayMontage { rate: Some(1e9), ..PlayMontage::default() }).unwrap();
    let e = m.update(&MotionInput { montages: fast.calls(), ..MotionInput::default() }, 0.01).unwrap_err();
    assert!(e.to_string().contains("montages.rate"), "{e}");
    let plain = run_by(MachineSpec { states: vec![matching("all", "")], ..MachineSpec::default() });
    let mut alone = MotionMatcher::of(plain, Transform::IDENTITY).unwrap();
    let e = alone.update(&MotionInput { montages: calls.calls(), ..MotionInput::default() }, 0.01).unwrap_err();
    assert!(e.to_string().contains("does not have"), "{e}");
}

#[test]
fn curves_of_montages_reach_the_output_by_their_weight() {
    let constant = |name: &str, value: f32| CurveSpec { name: name.into(), keys: vec![vec![0.0, value]] };
    let rule = |name: &str, curves: Vec<CurveSpec>| ClipRule { name: name.into(), curves, ..ClipRule::default() };
    let config = BuildConfig {
        clips: vec![
            rule("idle", vec![constant("body", 1.0), constant("both", 0.75)]),
            rule("reload", vec![constant("hand", 0.5), constant("both", 0.25)]),
        ],
        ..BuildConfig::default()
    };
    let gestures = footwork_gait::clips(&GaitOptions { routes: false, gestures: true, ..GaitOptions::default() });
    let clips: Vec<_> = gestures.into_iter().filter(|c| c.name == "idle" || c.name == "reload").collect();
    let db = Arc::new(common::built(&clips, &config).0);
    let spec = MachineSpec {
        states: vec![clip("stand", "idle"), matching("hand_is_up", "")],
        transitions: vec![transition("stand", "hand_is_up", "curve.hand > 0.4")],
        montages: vec![montage("reload", "reload", "reload")],
        ..stances()
    };
    let machine = Machine::new(db.clone(), spec).unwrap();
    let mut variables = machine.variables();
    let plain = Character::new(db.clone(), MatcherConfig::default()).unwrap();
    let character = Arc::new(plain.with_machine(Some(Arc::new(machine))).unwrap());
    let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let place = |name: &str| db.curve_names.iter().position(|n| n == name).unwrap();
    let [body, both, hand] = ["body", "both", "hand"].map(place);
    let (mut most, mut seen) = (0.0f32, 0);
    for k in 0..240 {
        if k == 20 {
            variables.fire("reload").unwrap();
        }
        m.update(&MotionInput { variables: variables.values(), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
        let curves = &m.output().curves;
        let weight = curves[hand] / 0.5;
        for (place, expected) in [(body, 1.0), (both, 0.75 + (0.25 - 0.75) * weight)] {
            assert!((curves[place] - expected).abs() < 1e-4, "{k}: {} {expected}", curves[place]);
        }
        // The view describes the last control tick.
        let view = m.machine_view().unwrap();
        let of_view = view.layers[0].montages.first().map_or(0.0, |m| m.weight);
        assert!((weight - of_view).abs() < 0.15, "{k}: {weight} {of_view}");
        (most, seen) = (most.max(weight), seen + usize::from(weight > 0.0));
    }
    assert!(most == 1.0 && seen > 100, "{most} {seen}");
    assert_eq!(m.machine_view().unwrap().state, "hand_is_up", "conditions see them");
}

#[test]
fn a_desire_above_the_maximum_speed_of_a_state_can_leave_it() {
    let slow = StateSpec { max_speed_mps: Some(1.5), ..matching("slow", "") };
    let character = run_by(MachineSpec {
        states: vec![slow, matching("fast", "")],
        transitions: vec![transition("slow", "fast", "desired_speed_mps > 2")],
        ..MachineSpec::default()
    });
    let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let mut go = |gait| {
        for _ in 0..60 {
            m.update(&MotionInput::stick(Stick::towards(glam::Vec3::Z, gait)), 1.0 / 60.0).unwrap();
        }
        (m.machine_view().unwrap().state.to_owned(), m.state().header.goal.desired.velocity.length())
    };
    let (state, speed_mps) = go(Gait::Walk);
    assert!(state == "slow" && speed_mps <= 1.5, "{state} {speed_mps}");
    let (state, speed_mps) = go(Gait::Run);
    assert!(state == "fast" && speed_mps > 2.0, "{state} {speed_mps}");
}

#[test]
fn states_that_move_alike_are_equal_bytes_after_a_restore() {
    // Into and out of a blend space.
    let walks = toml::from_str(
        "name = 'walks'\nparameters = ['speed_mps']\nsync = 'time'\n\
         samples = [{ clip = 'walk_125', at = [1.25] }, { clip = 'walk_175', at = [1.75] }]",
    )
    .unwrap();
    let goes = StateSpec { name: "goes".into(), blend_space: Some("walks".into()), ..StateSpec::default() };
    let character = run_by(MachineSpec {
        states: vec![clip("stands", "idle"), goes, matching("all", "")],
        transitions: vec![
            transition("stands", "goes", "desired_speed_mps > 0.1 & state_s > 0.3"),
            transition("goes", "all", "desired_speed_mps < 0.1 | state_s > 2"),
            transition("all", "stands", "state_s > 0.7"),
        ],
        blend_spaces: vec![walks],
        ..MachineSpec::default()
    });
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    // A copy that is restored from the state from time to time, with its own working memory.
    let mut copy = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let mut r = Random(5);
    for k in 0..6000u64 {
        if r.bits().is_multiple_of(40) {
            copy.restore(m.state()).unwrap();
        }
        let input = MotionInput::stick(stick(k / 50));
        let dt_s = r.between(0.002, 0.04);
        m.update(&input, dt_s).unwrap();
        copy.update(&input, dt_s).unwrap();
        assert_eq!(m.state(), copy.state(), "update {k}");
    }
    assert!(m.state().header.transition.count > 100);
}

#[test]
fn a_layer_in_step_follows_the_feet_when_walking_and_when_running() {
    let swing = LayerSpec {
        name: "swing".into(),
        mask: [("upper_body".to_owned(), 1.0)].into(),
        clip: Some("walk_125".into()),
        in_step: true,
        ..LayerSpec::default()
    };
    let character =
        run_by(MachineSpec { states: vec![matching("all", "")], layers: vec![swing], ..MachineSpec::default() });
    let db = db();
    let left = db.rig.contact_joints.iter().position(|j| db.skeleton.names()[j.at()].starts_with("Left")).unwrap();
    let left = db.rig.contact_joints[left];
    for speed_mps in [0.9, 1.75, 3.0, 4.0] {
        let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
        let goal = Goal::Velocity { velocity: glam::Vec3::Z * speed_mps, facing: None };
        let mut phases = Vec::new();
        for k in 0..1800 {
            m.update(&MotionInput { goal, ..MotionInput::default() }, 1.0 / 60.0).unwrap();
            if k > 300 && m.output().footsteps.iter().any(|f| f.joint == left) {
                phases.push(m.machine_view().unwrap().layers[0].own_phase.unwrap());
            }
        }
        // Length of the shortest arc of phases that contains nine out of ten footfalls.
        phases.sort_by(f32::total_cmp);
        let n = phases.len();
        let most = n * 9 / 10;
        let arc = (0..n).map(|i| (phases[(i + most) % n] - phases[i]).rem_euclid(1.0)).fold(1.0, f32::min);
        println!("{speed_mps} m/s: {n} footfalls within {arc:.3} of a stride");
        assert!(n >= 15 && arc <= 0.1, "{speed_mps} m/s: {n} footfalls, {arc}: {phases:?}");
    }
}

/// Returns the machine of the built-in character.
fn built_in() -> Arc<Character> {
    run_by(toml::from_str(footwork_gait::BIPED_MACHINE).unwrap())
}

#[test]
fn an_aim_stays_level_in_a_crouch_and_while_walking() {
    let character = built_in();
    let db = db();
    let hand = db.skeleton.require("LeftHand").unwrap();
    let mut off_deg = Vec::new();
    for (crouch, input) in [
        (0.0, MotionInput::stick(Stick::default())),
        (1.0, MotionInput::stick(Stick::default())),
        (0.0, MotionInput::stick(Stick::towards(glam::Vec3::Z, Gait::Walk))),
        (1.0, MotionInput::stick(Stick::towards(glam::Vec3::Z, Gait::Walk))),
    ] {
        let mut variables = character.machine().unwrap().variables();
        variables.set("aim", 1.0).unwrap();
        variables.set("crouch", crouch).unwrap();
        let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
        let (mut lowest, mut highest) = (90.0f32, -90.0f32);
        for k in 0..480 {
            m.update(&MotionInput { variables: variables.values(), ..input }, 1.0 / 60.0).unwrap();
            // The weapon points along the X axis of the left hand.
            let way = m.pose().in_root(&db.skeleton, hand).rotation * glam::Vec3::X;
            let pitch_deg = footwork::advanced::math::atan2(way.y, way.with_y(0.0).length()).to_degrees();
            if k >= 180 {
                (lowest, highest) = (lowest.min(pitch_deg), highest.max(pitch_deg));
            }
        }
        off_deg.push((lowest, highest));
    }
    let level_deg = 0.5 * (off_deg[0].0 + off_deg[0].1);
    println!("pitch in degrees, standing, crouched, walking, walking crouched: {off_deg:?}");
    for (lowest, highest) in off_deg {
        assert!((lowest - level_deg).abs() <= 2.0 && (highest - level_deg).abs() <= 2.0, "{lowest} to {highest}");
    }
}

#[test]
fn a_wave_leaves_the_other_arm_as_it_was() {
    let character = built_in();
    let mut variables = character.machine().unwrap().variables();
    let mut both = [(); 2].map(|_| MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap());
    let still = variables.clone();
    variables.fire("wave").unwrap();
    let db = db();
    let mut raised_m = 0.0f32;
    for _ in 0..180 {
        let [a, b] = &mut both;
        let walk = MotionInput::stick(Stick::towards(glam::Vec3::Z, Gait::Walk));
        a.update(&MotionInput { variables: variables.values(), ..walk }, 1.0 / 60.0).unwrap();
        b.update(&MotionInput { variables: still.values(), ..walk }, 1.0 / 60.0).unwrap();
        for j in (0..db.skeleton.len()).filter(|j| db.skeleton.names()[*j].starts_with("Right")) {
            assert_eq!(a.pose().rotations[j], b.pose().rotations[j], "{}", db.skeleton.names()[j]);
        }
        let hand =
            |m: &MotionMatcher| m.pose().in_root(&db.skeleton, db.skeleton.require("LeftHand").unwrap()).translation.y;
        raised_m = raised_m.max(hand(a) - hand(b));
    }
    assert!(raised_m > 0.4, "{raised_m}");
}

#[test]
fn a_damaged_memory_is_refused_or_harmless() {
    let character = run_by(stances());
    let good = run(&character, 30, || 0.02).matcher.state().clone();
    let plain = MotionMatcher::of(self::character(), Transform::IDENTITY).unwrap();
    let first = plain.state().block.len();
    let mut m = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    assert!(m.restore(plain.state()).is_err(), "a state without a machine");
    let mut refused = 0;
    for at in first..good.block.len() {
        for value in [f32::NAN, f32::INFINITY, -1.0, 0.5, 3.0, 1e6, 1e30] {
            let mut bad: MatcherState = good.clone();
            bad.block[at] = value;
            match m.restore(&bad) {
                Err(_) => refused += 1,
                Ok(()) => (0..20).for_each(|_| _ = m.update(&MotionInput::default(), 0.1).unwrap()),
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_chooser_plays_the_first_row_that_holds_and_goes_on_from_the_pose() {
    let characters = [("upright".to_owned(), character())].into();
    let row = |when: Option<&str>, query: &str| ChooserRow {
        when: when.map(str::to_owned),
        character: "upright".into(),
        matching: (!query.is_empty()).then(|| query.to_owned()),
        ..ChooserRow::default()
    };
    let spec = |rows: Vec<ChooserRow>| ChooserSpec {
        variables: [("hidden".to_owned(), 0.0)].into(),
        rows,
        ..ChooserSpec::default()
    };
    let refused = |rows| Chooser::new(&spec(rows), &characters).unwrap_err().to_string();
    let e = refused(vec![row(Some("hiden > 0.5"), "")]);
    assert!(e.contains("rows[0].when") && e.contains("the nearest is `hidden`"), "{e}");
    let e = refused(vec![row(None, ""), ChooserRow { character: "uprite".into(), ..row(None, "") }]);
    assert!(e.contains("rows[1].character") && e.contains("the nearest is `upright`"), "{e}");
    assert!(refused(vec![row(None, "crouched &")]).contains("rows[0]"));

    let chooser = Chooser::new(&spec(vec![row(Some("hidden"), "crouched"), row(None, "")]), &characters).unwrap();
    let mut variables = chooser.variables();
    let mut m = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
    assert!(!chooser.apply(&mut m, &variables).unwrap(), "it is the one that plays");
    let crouched = db().tag_mask("crouched").unwrap();
    let (db, mut hips_m) = (db(), Vec::new());
    let hips = db.skeleton.require("Hips").unwrap();
    for k in 0..240 {
        variables.set("hidden", f32::from(u8::from((60..150).contains(&k)))).unwrap();
        let changed = chooser.apply(&mut m, &variables).unwrap();
        assert_eq!(changed, k == 60 || k == 150, "{k}");
        m.update(&MotionInput::stick(Stick::default()), 1.0 / 60.0).unwrap();
        hips_m.push(m.pose().in_root(&db.skeleton, hips).translation.y);
        let playing = m.output().playing;
        let row = db.clips[playing.clip.at()].row_range().start;
        assert_eq!(db.row_tags(row).contains(&crouched), (60..150).contains(&k), "{k}");
    }
    assert!(hips_m[140] < hips_m[50] - 0.1 && (hips_m[239] - hips_m[50]).abs() < 0.03, "{hips_m:?}");
    assert!(hips_m.windows(2).all(|w| (w[1] - w[0]).abs() < 0.02), "it goes on from the pose: {hips_m:?}");
}
