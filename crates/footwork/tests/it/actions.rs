//! Actions: requests are met exactly, at every frame rate, and beside everything else that a character does.

use crate::common;

use common::actions::{
    Case, Seen, cases, character, database, mirroring, restored_alike, run, run_by, run_seeing, vaulting, watch,
};
use footwork::actions::Place;
use footwork::frames::JointIndex;
use footwork::input::{ActionContact, ActionRequest, GroundPoint, MotionInput};
use footwork::matcher::{ActionStep, ActionView, MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use std::sync::Arc;

#[test]
fn requests_are_met_to_a_centimetre() {
    let mut taken = 0;
    for case in cases() {
        let seen = run(&case, (1.0 / 60.0, false));
        assert!(seen.error_m < 0.01, "{case:?}: {} m at {:?}, {:?}", seen.error_m, seen.worst, seen.steps);
        taken += usize::from(seen.left());
    }
    assert!(taken >= 26, "{taken} of {}", cases().len());
}

#[test]
fn mirrored_actions_are_met_as_well() {
    let who = mirroring();
    let (mut taken, mut mirrored) = (0, 0);
    for case in cases() {
        let seen = run_by(&who, &case, (1.0 / 60.0, false), |m| {
            let begins = m.output().actions.iter().any(|e| matches!(e.step, ActionStep::Entered { .. }));
            mirrored += usize::from(begins && m.output().playing.mirrored);
        });
        taken += usize::from(seen.left());
        assert!(seen.error_m < 0.01, "{case:?}: {} m at {:?}", seen.error_m, seen.worst);
    }
    assert!(taken >= 25 && mirrored >= 5, "{taken} taken, {mirrored} of them mirrored");
}

#[test]
fn no_other_clip_begins_while_an_entry_is_near() {
    let mut waits = 0;
    for case in cases() {
        let (mut before, mut last) = (None, None);
        run_seeing(&case, (1.0 / 60.0, false), |m| {
            let (count, now) = (m.state().header.transition.count, m.action_view());
            let is_near = matches!(now, Some(ActionView::Waits { cost: Some(_), .. }));
            if is_near && before.is_some() {
                assert_eq!(before, Some(count), "{case:?}: {last:?}, {now:?}");
                waits += 1;
            }
            (before, last) = (Some(count), now);
        });
    }
    assert!(waits >= 20, "{waits} updates");
}

#[test]
fn decisions_do_not_depend_on_the_frame_rate() {
    for case in cases().into_iter().step_by(2) {
        let steps = |frames| run(&case, frames).steps;
        let reference = steps((1.0 / 60.0, false));
        for frames in [(1.0 / 144.0, false), (1.0 / 30.0, false), (1.0 / 60.0, true)] {
            let found = steps(frames);
            assert_eq!(found.len(), reference.len(), "{case:?} {frames:?}: {found:?} {reference:?}");
            for ((a_s, a), (b_s, b)) in found.iter().zip(&reference) {
                assert!((a_s - b_s).abs() < 1e-4 && a == b, "{case:?} {frames:?}: {a_s} {a:?}, {b_s} {b:?}");
            }
        }
    }
}

#[test]
fn a_character_is_saved_and_restored_in_every_phase() {
    let (mut m, input, updates) = vaulting();
    let mut played = 0;
    restored_alike(&mut m, &input, [updates, 7], |m| played += usize::from(m.output().owns_root));
    assert!(played > 60 && !m.output().owns_root, "{played} updates of an action");
}

#[test]
fn a_recording_with_an_action_is_replayed() {
    use footwork::recorder::{Recorder, RecorderConfig, Replay, Trace};
    let (mut m, input, updates) = vaulting();
    let who = character();
    let mut recorder = Recorder::new(&who, RecorderConfig::default());
    let mut entered = 0;
    for k in 0..updates {
        let input = if k < 5 { MotionInput { action: None, ..input } } else { input };
        recorder.update(&mut m, &input, 1.0 / 60.0).unwrap();
        entered += m.output().actions.iter().filter(|e| matches!(e.step, ActionStep::Entered { .. })).count();
    }
    assert_eq!(entered, 1);
    let bytes = recorder.trace().to_bytes().unwrap();
    let trace = Trace::from_bytes(&bytes, "memory".as_ref()).unwrap();
    let mut replay = Replay::new(Arc::new(trace), who, None).unwrap();
    while replay.step().unwrap() {}
    assert_eq!(common::bits(replay.matcher().state()), common::bits(m.state()));
}

#[test]
fn a_seat_is_held_until_it_is_left_by_another_action() {
    let (db, who) = (database(), character());
    let case = Case { kind: "sit", speed_mps: 0.0, size_m: 0.45, distance_m: 1.0, angle_deg: 0.0 };
    let mut m = MotionMatcher::of(who.clone(), Transform::IDENTITY).unwrap();
    let stand = MotionInput::stick(footwork::input::Stick::default());
    let mut request = case.request(&db, Transform::IDENTITY);
    let mut steps = Vec::new();
    let mut seated = Vec3::ZERO;
    let hips = db.rig.body.as_ref().unwrap().hips;
    for k in 0..1200 {
        let goal = who.goal_of_approach(m.state(), &request).unwrap_or(stand.goal);
        if k == 700 {
            seated = m.pose().world_from_root().point(m.pose().in_root(who.skeleton(), hips).translation);
            let contact = ActionContact { position: seated, ..request.contacts[0].unwrap() };
            request = ActionRequest::new(8, db.action_kind("get_up").unwrap(), contact);
        }
        m.update(&MotionInput { goal, action: Some(request), ..stand }, 1.0 / 60.0).unwrap();
        steps.extend(m.output().actions.iter().map(|e| (e.id, e.step)));
    }
    let order: Vec<_> = steps.iter().map(|(id, step)| (*id, std::mem::discriminant(step))).collect();
    let kind = std::mem::discriminant::<ActionStep>;
    let (accepted, left) = (kind(&ActionStep::Accepted), kind(&ActionStep::Left));
    let (entered, touched) = (kind(&ActionStep::Entered { action: 0 }), kind(&ActionStep::Touched { contact: 0 }));
    let expected =
        [(7, accepted), (7, entered), (7, touched), (8, accepted), (7, left), (8, entered), (8, touched), (8, left)];
    assert_eq!(order, expected, "{steps:?}");
    assert!(
        (seated - case.request(&db, Transform::IDENTITY).contacts[0].unwrap().position).length() < 0.01,
        "{seated}"
    );
}

#[test]
fn contacts_that_move_are_met_within_the_limits() {
    for (speed_mps, far) in [(0.0, false), (0.1, false), (0.0, true)] {
        let (mut m, mut input, updates) = vaulting();
        let (first, side) =
            (input.action.unwrap(), Facing::from_rotation(m.pose().world_from_root().rotation).rotation() * Vec3::X);
        let (mut seen, mut moved_m, mut last) = (Seen::default(), 0.0, m.pose().clone());
        let mut fastest_mps: f32 = 0.0;
        for k in 0..updates {
            if m.output().owns_root && moved_m < 0.08 {
                moved_m += speed_mps / 60.0;
            }
            let shift = side * if far && m.output().owns_root { 2.0 } else { moved_m };
            let mut request = first;
            request.contacts[0].as_mut().unwrap().position += shift;
            input.action = Some(request);
            m.update(&input, 1.0 / 60.0).unwrap();
            watch(&m, &mut seen);
            let way = m.pose().world_from_root().translation - last.world_from_root().translation;
            fastest_mps = fastest_mps.max(way.length() * 60.0);
            last.copy_from(m.pose());
            if let Some(ActionView::Plays { marks, clip_s, .. }) = m.action_view() {
                let near = (marks[0].position - (first.contacts[0].unwrap().position + side * moved_m)).length();
                let action = &m.character().actions().all()[m.character().playing_action(m.state()).unwrap()];
                assert!(clip_s < action.marks[0].start_s - 0.5 || near < 0.03, "{k}: {near} m behind");
            }
        }
        assert!(seen.left() && seen.contacts > 10 && seen.error_m < 0.01, "{speed_mps} {far}: {seen:?}");
        assert!(fastest_mps < 5.0 && (speed_mps == 0.0 || moved_m > 0.07), "{fastest_mps} m/s, moved by {moved_m} m");
    }
}

#[test]
fn a_state_machine_goes_on_behind_an_action_and_its_new_clip_plays_afterwards() {
    use footwork::machine::{Machine, MachineSpec};
    let spec = r#"
        variables = { wave = 0 }
        states = [{ name = "free", match = "" }, { name = "wave", clip = "wave_left" }]
        transitions = [{ from = "free", to = "wave", when = "wave" }]
    "#;
    let spec: MachineSpec = toml::from_str(spec).unwrap();
    let machine = Arc::new(Machine::new(database(), spec).unwrap());
    let mut variables = machine.variables();
    let who = Arc::new(character().with_machine(Some(machine)).unwrap());
    let (other, input, updates) = vaulting();
    let mut m = MotionMatcher::of(who.clone(), Transform::IDENTITY).unwrap();
    // A machine with one state of matching moves as none.
    for _ in 0..150 {
        m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
    }
    assert_eq!(m.pose().translations, other.pose().translations);
    let (mut steps, mut state_s) = (Vec::new(), None);
    for k in 0..updates {
        variables.set("wave", f32::from(u8::from(k > 60))).unwrap();
        m.update(&MotionInput { variables: variables.values(), ..input }, 1.0 / 60.0).unwrap();
        steps.extend(m.output().actions.iter().map(|e| e.step));
        state_s = state_s.or(m.output().state_changes.first().map(|_| m.output().owns_root));
        let wave = who.clip_name(m.output().playing.clip) == Some("wave_left");
        assert_eq!(wave, steps.contains(&ActionStep::Left), "update {k}");
    }
    assert_eq!((who.machine_state(m.state()), state_s, steps.len()), (Some(1), Some(true), 5), "{steps:?}");
}

#[test]
fn a_body_of_the_game_follows_the_action_that_owns_the_root() {
    use footwork::adjust::root::{RootConfig, RootMode};
    use footwork::input::ExternalBody;
    let root = RootConfig { mode: RootMode::External, ..RootConfig::default() };
    let who = Arc::new(character().with_config(MatcherConfig { root, ..MatcherConfig::default() }).unwrap());
    let mut m = MotionMatcher::of(who, Transform::IDENTITY).unwrap();
    let case = Case { kind: "mantle", speed_mps: 1.4, size_m: 1.3, distance_m: 2.4, angle_deg: 5.0 };
    let (mut body, mut seen, mut input) = (ExternalBody::default(), Seen::default(), common::walk(Vec3::Z));
    let mut apart_m: f32 = 0.0;
    body.facing = Facing::FORWARD;
    for k in 0..500 {
        if k == 120 {
            input.action = Some(case.request(&database(), m.pose().world_from_root()));
        }
        if m.output().owns_root {
            let root = m.pose().world_from_root();
            (body.position, body.facing) = (root.translation, Facing::from_rotation(root.rotation));
        } else {
            body.velocity = Vec3::Z * 1.4;
            body.position += body.velocity / 60.0;
        }
        m.update(&MotionInput { body: Some(body), ..input }, 1.0 / 60.0).unwrap();
        watch(&m, &mut seen);
        apart_m = apart_m.max((m.pose().world_from_root().translation - body.position).length());
    }
    assert!(seen.left() && seen.error_m < 0.01 && seen.contacts > 50, "{seen:?}");
    assert!(m.pose().world_from_root().translation.y > 1.2 && apart_m < 0.2, "{apart_m} m apart");
}

/// Boxes of a hook under a vault, a hurdle and two climbs, at whose end the root is above the edge. A second later, the character has gone on.
#[test]
fn hands_and_feet_reach_their_places_over_any_ground_of_a_hook() {
    let dt_s = 1.0 / 60.0;
    let cases = [("vault", 1.0, 2.5), ("hurdle", 0.5, 3.0), ("mantle", 1.3, 1.4), ("climb", 1.8, 1.2)];
    for (kind, size_m, speed_mps) in cases {
        let case = Case { kind, speed_mps, size_m, distance_m: 2.6, angle_deg: 0.0 };
        let runs = [false, true].map(|hooked| {
            let mut m = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
            let (walk, mut seen, mut hips_m) = (common::walk(Vec3::Z * speed_mps), Seen::default(), Vec::new());
            (0..150).for_each(|_| _ = m.update(&walk, dt_s).unwrap());
            let root = m.pose().world_from_root();
            let action = ActionRequest { go: true, ..case.request(&database(), root) };
            // Thin for what is passed, deep for what is climbed.
            let deep_m = if matches!(kind, "vault" | "hurdle") { 0.2 } else { 9.0 };
            let begin_m = root.translation.z + case.distance_m;
            let ground = move |at: Vec3| {
                let is_on = (0.0..deep_m).contains(&(at.z - begin_m));
                GroundPoint { height_m: if is_on { size_m } else { 0.0 }, ..GroundPoint::default() }
            };
            let ground: &footwork::input::GroundHook = &ground;
            let mut input = MotionInput { ground: hooked.then_some(ground), action: Some(action), ..walk };
            let (hips, mut left) = (m.character().skeleton().find("Hips").unwrap(), 60);
            while left > 0 && hips_m.len() < 900 {
                m.update(&input, dt_s).unwrap();
                watch(&m, &mut seen);
                hips_m.push(
                    m.pose().world_from_root().point(m.pose().in_root(m.character().skeleton(), hips).translation).y,
                );
                if seen.left() {
                    (input.action, left) = (None, left - 1);
                }
            }
            (seen, m.pose().world_from_root().translation, hips_m)
        });
        let [(plain, plain_at, plain_hips_m), (hooked, at, hips_m)] = &runs;
        assert!(plain.left() && hooked.left() && hooked.contacts > 5, "{kind}: {hooked:?}");
        let most_m = plain.error_m + 0.005;
        assert!(
            hooked.error_m < most_m,
            "{kind}: {} m from its place, {} m without a hook",
            hooked.error_m,
            plain.error_m
        );
        assert!((*at - *plain_at).length() < 0.1, "{kind}: at {at}, {plain_at} without a hook");
        let apart_m = hips_m.iter().zip(plain_hips_m).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        println!("{kind} {apart_m}");
        assert!(apart_m < 0.08, "{kind}: the hips are {apart_m} m from where they are without a hook");
    }
}

#[test]
fn the_shown_changes_of_an_action_are_those_of_its_roots_and_within_the_limits() {
    let (mut shown, mut most_m): (usize, f32) = (0, 0.0);
    for case in cases() {
        run_seeing(&case, (1.0 / 60.0, false), |m| {
            let Some(ActionView::Plays { rate, .. }) = m.action_view() else { return };
            let (config, warp) = (m.character().config().actions, m.character().action_warp(m.state()).unwrap());
            for (k, mark) in warp.action.marks.iter().enumerate() {
                let changes = config.changes(&warp, rate, k);
                // The transition into the action displaces the root, too.
                for ([by, limit], more) in changes.into_iter().zip([0.1, 1e-3, 1.0]) {
                    assert!(by.abs() <= limit + more, "{case:?}, contact {k}: {changes:?}");
                }
                // The root at the contact, without the warp and with it.
                if k > 0 {
                    continue;
                }
                let before = warp.root.transform() * warp.clip_root.transform().inverse();
                let of_mark = Place { position: mark.position, yaw_rad: mark.yaw_rad }.transform();
                let with = warp.marks[k].transform() * of_mark.inverse();
                let moved = (with.point(mark.root) - before.point(mark.root)) * Vec3::new(1.0, 0.0, 1.0);
                assert!((moved.length() - changes[0][0]).abs() < 1e-3, "{case:?}: {moved} m, {changes:?}");
                (shown, most_m) = (shown + 1, most_m.max(moved.length()));
            }
        });
    }
    assert!(shown > 1000 && most_m > 0.05, "{shown} shown, at most {most_m} m");
}

#[test]
fn joints_move_without_steps() {
    let joints = character().skeleton().len() as u32;
    for case in cases() {
        let (mut frames, mut owned, mut most): (Vec<Vec<Vec3>>, usize, f32) = (Vec::new(), 0, 0.0);
        run_seeing(&case, (1.0 / 60.0, false), |m| {
            let root = m.pose().world_from_root();
            let at = |j| root.point(m.pose().in_root(m.character().skeleton(), JointIndex(j)).translation);
            frames.push((0..joints).map(at).collect());
            // From the entry to a third of a second after the exit.
            owned = if m.output().owns_root { 20 } else { owned.saturating_sub(1) };
            if let [.., a, b, c] = &frames[..]
                && owned > 0
            {
                let change = |j: usize| (c[j] - 2.0 * b[j] + a[j]).length() * 60.0;
                most = (0..joints as usize).map(change).fold(most, f32::max);
            }
        });
        // In the clips themselves, a joint changes its velocity by up to 7.5 m/s from frame to frame.
        assert!(most < 5.5, "{case:?}: a joint changes its velocity by {most} m/s in a frame");
    }
}

#[test]
fn planted_feet_do_not_slide() {
    let mut slides_m: Vec<f32> = Vec::new();
    for case in cases() {
        // Per foot: where it was planted, and its largest distance from there.
        let mut plants: Vec<Option<(Vec3, f32)>> = vec![None; 2];
        run_seeing(&case, (1.0 / 60.0, false), |m| {
            for (plant, contact) in plants.iter_mut().zip(&m.output().contacts) {
                let (root, skeleton) = (m.pose().world_from_root(), m.character().skeleton());
                let at = root.point(m.pose().in_root(skeleton, contact.joint).translation) * Vec3::new(1.0, 0.0, 1.0);
                *plant = match *plant {
                    _ if !m.output().owns_root => None,
                    Some((from, most)) if contact.touching => Some((from, most.max((at - from).length()))),
                    None if contact.touching => Some((at, 0.0)),
                    over => {
                        slides_m.extend(over.map(|(_, most)| most));
                        None
                    }
                };
            }
        });
    }
    slides_m.sort_by(f32::total_cmp);
    let p90 = slides_m[slides_m.len() * 9 / 10];
    assert!(slides_m.len() > 80 && p90 < 0.03, "{} plants, 90 % slide less than {p90} m", slides_m.len());
}
