//! Actions: they are read from clips, planned exactly, and rejected with a reason.

use crate::common;

use common::actions::{Case, NOW_S, cases, character, compared_plan, database, mirroring, vaulting};
use footwork::actions::Place;
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::input::{ActionRequest, MotionInput};
use footwork::matcher::{ActionStep, MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Transform};
use footwork_gait::GaitOptions;
use glam::Vec3;
use std::sync::Arc;

/// Returns a random request, and the situation of a character in a random pose of locomotion.
fn random_request(db: &Database, random: &mut common::Random) -> (ActionRequest, Transform, Vec3, usize) {
    let case = random.pick(&cases());
    let case = Case {
        size_m: case.size_m * random.between(0.6, 1.5),
        distance_m: random.between(0.0, 7.0),
        angle_deg: random.between(-60.0, 60.0),
        ..case
    };
    let root = Transform::new(
        Vec3::new(random.between(-9.0, 9.0), 0.0, 3.0),
        Facing::from_yaw(random.between(-3.0, 3.0)).rotation(),
    );
    let mut request = case.request(db, root);
    if random.unit() < 0.4 {
        request.kinds[1] = Some(db.action_kind("vault").unwrap());
        request.kinds[2] = Some(db.action_kind("hurdle").unwrap());
    }
    if random.unit() < 0.5 {
        let from_s = NOW_S + f64::from(random.between(-0.2, 3.0));
        request.window_s = Some([from_s, from_s + f64::from(random.between(0.0, 1.0))]);
    }
    let velocity = root.rotation * Vec3::Z * random.between(0.0, 4.0);
    (request, root, velocity, random.below(db.rows()))
}

#[test]
fn plans_are_those_of_a_full_comparison_to_the_bit() {
    let (mut random, mut plans) = (common::Random(3), 0);
    let all = [character(), mirroring()];
    for k in 0..1500 {
        let (who, db) = (&all[k % 2], all[k % 2].database().unwrap());
        let (request, root, velocity, row) = random_request(db, &mut random);
        plans += usize::from(compared_plan(who, &request, (Place::of(root), velocity), row, &mut random).is_ok());
    }
    assert!((300..1400).contains(&plans), "{plans} of 1500 were met: the test shows little");
}

#[test]
fn impossible_requests_are_refused_and_the_character_goes_on() {
    let (db, who) = (database(), character());
    let walk = common::walk(Vec3::Z);
    let case = |kind, size_m, distance_m| Case { kind, speed_mps: 1.0, size_m, distance_m, angle_deg: 0.0 };
    let impossible =
        [case("jump", 10.0, 3.0), case("climb", 5.0, 3.0), case("step_up", 0.9, 2.0), case("vault", 0.9, 30.0)];
    let mut requests: Vec<_> = impossible.iter().map(|c| c.request(&db, Transform::IDENTITY)).collect();
    requests.push(ActionRequest {
        window_s: Some([0.1, 0.2]),
        ..case("vault", 0.9, 3.0).request(&db, Transform::IDENTITY)
    });
    requests.push(ActionRequest { kinds: [None; 4], ..requests[0] });
    requests.push(ActionRequest { kinds: [Some(footwork::input::ActionKind(400)), None, None, None], ..requests[0] });
    requests.push(ActionRequest { contacts: [None; 2], ..requests[0] });
    for request in requests {
        let [mut with, mut without] = [0, 1].map(|_| MotionMatcher::of(who.clone(), Transform::IDENTITY).unwrap());
        let mut steps = Vec::new();
        for k in 0..120 {
            let action = (k >= 60).then_some(request);
            with.update(&MotionInput { action, ..walk }, 1.0 / 60.0).unwrap();
            without.update(&walk, 1.0 / 60.0).unwrap();
            steps.extend(with.output().actions.iter().map(|e| e.step));
            assert_eq!(format!("{:?}", with.state().header), format!("{:?}", without.state().header), "{request:?}");
        }
        assert!(matches!(steps[..], [ActionStep::Refused(_)]), "{request:?}: {steps:?}");
        let ActionStep::Refused(refusal) = steps[0] else { continue };
        assert!(!refusal.text("vault").is_empty() && !refusal.may_change);
    }
}

#[test]
fn unusable_requests_and_characters_without_actions_are_errors() {
    let (db, who) = (database(), character());
    let request = cases()[3].request(&db, Transform::IDENTITY);
    let mut m = MotionMatcher::of(who, Transform::IDENTITY).unwrap();
    let before = common::bits(m.state());
    let nan = ActionRequest { landing_m: Some(f32::NAN), ..request };
    let input = |action| MotionInput { action: Some(action), ..common::walk(Vec3::Z) };
    assert!(m.update(&input(nan), 1.0 / 60.0).unwrap_err().to_string().contains("action.landing_m"));
    assert_eq!(common::bits(m.state()), before);
    let mut plain = MotionMatcher::new(common::gait_full(), MatcherConfig::default()).unwrap();
    assert!(plain.update(&input(request), 1.0 / 60.0).unwrap_err().to_string().contains("no actions"));
}

#[test]
fn memories_that_no_update_can_produce_are_rejected() {
    let (mut m, input, _) = vaulting();
    while !m.output().owns_root {
        m.update(&input, 1.0 / 60.0).unwrap();
    }
    let good = m.state().clone();
    // The memory of the action is the last part of the block.
    let action = good.block.len() - 48;
    let mut rejected = 0;
    for at in action..good.block.len() {
        for value in [f32::NAN, -3.0, 1e9, 0.5] {
            let mut bad = good.clone();
            bad.block[at] = value;
            let mut other = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
            if other.restore(&bad).is_err() {
                rejected += 1;
                continue;
            }
            for _ in 0..200 {
                other.update(&input, 1.0 / 60.0).unwrap();
            }
        }
    }
    assert!(rejected > 50, "{rejected}");
}

/// Joints of a truth and of a reading, and how well the reading finds its contacts.
#[derive(Debug, Default)]
struct Reading {
    contacts: usize,
    missed: Vec<String>,
    off_s: Vec<f32>,
    off_m: Vec<f32>,
}

#[test]
fn actions_are_read_from_their_motion() {
    let (db, who) = (database(), character());
    let clips = footwork_gait::generate(&GaitOptions { routes: false, actions: true, ..Default::default() });
    let mut reading = Reading::default();
    let mut kinds: std::collections::BTreeMap<String, [usize; 4]> = Default::default();
    for gait in clips.iter().filter(|c| c.truth.action.is_some()) {
        let truth = gait.truth.action.as_ref().unwrap();
        let index = db.clips.iter().position(|c| c.name == gait.clip.name);
        let found: Vec<_> = who.actions().all().iter().filter(|a| Some(a.clip.at()) == index && !a.mirrored).collect();
        let kind = kinds.entry(truth.kind.tag().to_owned()).or_default();
        kind[0] += 1;
        kind[1] += usize::from(!found.is_empty());
        let Some(action) = found.first() else { continue };
        kind[2] += usize::from(action.holds);
        kind[3] += usize::from(action.flight_s.is_some() == truth.take_off_s.is_some());
        for contact in &truth.contacts {
            reading.contacts += 1;
            let near = action.contacts.iter().filter(|c| c.joint.at() == contact.joint);
            let best = near.min_by(|a, b| {
                (a.position - contact.position).length().total_cmp(&(b.position - contact.position).length())
            });
            match best {
                Some(c) if (c.position - contact.position).length() < 0.1 => {
                    reading.off_s.push((c.start_s - contact.begin_s).abs());
                    reading.off_m.push((c.position - contact.position).length());
                }
                _ => {
                    reading.missed.push(format!("{} joint {} at {:.2}", gait.clip.name, contact.joint, contact.begin_s))
                }
            }
        }
    }
    let p99 = |values: &mut Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values[(values.len() * 99 / 100).min(values.len() - 1)]
    };
    assert_eq!(kinds.len(), 13);
    for (kind, [takes, read, holds, _]) in kinds {
        assert_eq!((read, holds), (takes, if kind == "sit" { takes } else { 0 }), "{kind}");
    }
    assert!(reading.contacts > 250 && reading.missed.is_empty(), "{:?}", reading.missed);
    let (off_s, off_m) = (p99(&mut reading.off_s), p99(&mut reading.off_m));
    assert!(off_s < 0.11 && off_m < 0.001, "{off_s} s, {off_m} m");
}

/// Returns a take that is played twice, the second time from where the first ends.
fn twice(take: &RawClip) -> RawClip {
    let (mut long, joints) = (take.clone(), take.skeleton.len());
    let last = take.translations.len() - joints;
    let start = Transform::new(take.translations[0], take.rotations[0]);
    let end = Transform::new(take.translations[last], take.rotations[last]);
    for frame in 0..take.frames() {
        let (mut at, mut turned) = (
            take.translations[frame * joints..][..joints].to_vec(),
            take.rotations[frame * joints..][..joints].to_vec(),
        );
        let root = end * start.inverse() * Transform::new(at[0], turned[0]);
        (at[0], turned[0]) = (root.translation, root.rotation);
        long.translations.append(&mut at);
        long.rotations.append(&mut turned);
    }
    let later_s = take.frames() as f32 / take.rate_hz;
    for contact in &mut long.annotations.contacts {
        contact.on.extend_from_within(..);
    }
    for mut tag in take.annotations.tags.clone() {
        (tag.range.start_s, tag.range.end_s) = (tag.range.start_s + later_s, tag.range.end_s + later_s);
        long.annotations.tags.push(tag);
    }
    long.annotations.curves.clear();
    long.annotations.events.clear();
    long.name += "_twice";
    long
}

#[test]
fn a_take_that_is_played_twice_holds_its_actions_twice() {
    let clips = footwork_gait::clips(&GaitOptions { routes: false, actions: true, ..Default::default() });
    let names = [
        "hurdle_stand_60",
        "vault_walk_100_left",
        "mantle_stand_130_left",
        "push_stand_115_left",
        "step_up_stand_26_left",
    ];
    let mut takes: Vec<RawClip> = clips.iter().filter(|c| names.contains(&c.name.as_str())).cloned().collect();
    assert!(takes.len() >= 4, "{}", takes.len());
    takes.extend(takes.clone().iter().map(twice));
    let walks = clips.iter().filter(|c| c.name.starts_with("walk_100") || c.name == "idle");
    let all: Vec<RawClip> = walks.chain(&takes).cloned().collect();
    let db = common::built(&all, &Default::default()).0;
    let actions = footwork::actions::Actions::of(&db);
    let of = |name: &str| -> Vec<_> {
        let named = |a: &&footwork::actions::Action| db.clips[a.clip.at()].name == name && !a.mirrored;
        actions.all().iter().filter(named).collect()
    };
    for take in &takes[..takes.len() / 2] {
        let (once, both) = (of(&take.name), of(&format!("{}_twice", take.name)));
        assert!(!once.is_empty() && both.len() == 2 * once.len(), "{}: {} and {}", take.name, once.len(), both.len());
        let later_s = take.frames() as f32 / take.rate_hz;
        for (k, found) in both.iter().enumerate() {
            let (one, by_s) = (once[k % once.len()], later_s * (k / once.len()) as f32);
            assert_eq!((one.passes, one.marks.len()), (found.passes, found.marks.len()), "{}", take.name);
            for (a, b) in one.marks.iter().zip(&found.marks) {
                let off_s = (b.start_s - a.start_s - by_s).abs();
                assert!(off_s < 0.05, "{}, part {k}: a contact is read {off_s} s off", take.name);
            }
            // The part before ends where the next one begins.
            assert!(found.entries.iter().all(|e| e.time_s < found.marks[0].start_s), "{}", take.name);
            assert!(k < once.len() || found.entries[0].time_s > once[0].marks[0].start_s, "{}", take.name);
        }
    }
}

#[test]
fn a_crouch_is_no_seat() {
    let clips = footwork_gait::clips(&GaitOptions { routes: false, crouch: true, ..Default::default() });
    let actions = footwork::actions::Actions::of(&common::built(&clips, &Default::default()).0);
    let seats = actions.all().iter().filter(|a| a.contacts.iter().any(|c| c.limb == footwork::actions::Limb::Hips));
    assert_eq!(seats.count(), 0, "of {} actions", actions.all().len());
}

/// Returns what becomes of some requests, with the pose of the last update, for each setting of actions.
fn outcomes(actions: footwork::actions::ActionConfig) -> String {
    let who = character().with_config(MatcherConfig { actions, ..MatcherConfig::default() }).unwrap();
    let (db, who) = (database(), Arc::new(who));
    let all = [
        ("vault", 0.95, 1.6, 8.0),
        ("mantle", 1.2, 2.5, 3.0),
        ("step_up", 0.24, 2.0, 0.0),
        ("drop", 1.02, 2.4, -12.0),
        ("jump", 1.6, 3.4, 20.0),
        ("pick_up", 0.5, 1.4, 5.0),
    ];
    let run = |(kind, size_m, distance_m, angle_deg): (&'static str, f32, f32, f32)| {
        let case = Case { kind, speed_mps: 1.5, size_m, distance_m, angle_deg };
        let start =
            Transform { translation: Vec3::Y * if kind == "drop" { size_m } else { 0.0 }, ..Transform::IDENTITY };
        let mut m = MotionMatcher::of(who.clone(), start).unwrap();
        let walk = common::walk(Vec3::Z);
        (0..60).for_each(|_| drop(m.update(&walk, 1.0 / 60.0)));
        let request = case.request(&db, m.pose().world_from_root());
        let window_s = (kind != "jump").then(|| [1.0, 1.0].map(|s| s + f64::from(distance_m) / 1.15));
        let input = MotionInput { action: Some(ActionRequest { window_s, ..request }), ..walk };
        let mut told = String::new();
        for _ in 0..240 {
            m.update(&input, 1.0 / 60.0).unwrap();
            told += &m.output().actions.iter().map(|e| format!("{e:?}")).collect::<String>();
            told += &format!("{:?}", m.pose().translations[1]);
        }
        told
    };
    all.into_iter().map(run).collect()
}

#[test]
fn every_setting_of_actions_changes_the_motion() {
    use footwork::actions::ActionConfig;
    use footwork::advanced::settings::Settings;
    let default = ActionConfig::default();
    let usual = outcomes(default);
    let mut dead = Vec::new();
    for field in ActionConfig::FIELDS {
        // A switch has no range; `arrives` has a test of its own.
        let Some((low, high)) = field.range else { continue };
        let changes = |value: f64| {
            let mut json = serde_json::to_value(default).unwrap();
            json[field.key] = value.into();
            outcomes(serde_json::from_value(json).unwrap()) != usual
        };
        if !changes(low) && !changes(high) {
            dead.push(field.key);
        }
    }
    assert!(dead.is_empty(), "settings without effect: {dead:?}");
}
