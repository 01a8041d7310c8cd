//! Two characters who meet: one decision for both, exact, and one end.

use crate::common;

use common::Random;
use common::actions::{character, database};
use footwork::actions::Limb;
use footwork::input::{Goal, InputError, MotionInput};
use footwork::matcher::{ActionStep, ActionView, Meeting, MeetingStep, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use std::f32::consts::PI;

const DT_S: f32 = 1.0 / 60.0;

/// Returns two characters so far apart, each turned away from the other by an angle, in degrees.
fn pair(apart_m: f32, turned_deg: [f32; 2]) -> [MotionMatcher; 2] {
    let at = |z: f32, yaw: f32| Transform::new(Vec3::Z * z, Facing::from_yaw(yaw).rotation());
    let [a, b] = turned_deg.map(f32::to_radians);
    [at(0.0, a), at(apart_m, PI + b)].map(|root| MotionMatcher::of(character(), root).unwrap())
}

fn handshake(both: &[MotionMatcher; 2]) -> Meeting {
    let kind = database().action_kind("handshake").unwrap();
    Meeting::new([both[0].character(), both[1].character()], [kind; 2], 4).unwrap()
}

/// Returns the place of the hand that touches now.
fn touching_hand(m: &MotionMatcher) -> Option<Vec3> {
    let Some(ActionView::Plays { action, clip_s, .. }) = m.action_view() else { return None };
    let action = &m.character().actions().all()[action];
    let hands = |c: &&footwork::actions::Contact| c.mark == Some(0) && matches!(c.limb, Limb::Hand(_));
    let contact = action.contacts.iter().find(hands)?;
    let pose = m.pose();
    let hand = pose.world_from_root().point(pose.in_root(m.character().skeleton(), contact.joint).translation);
    (contact.start_s..=contact.end_s).contains(&clip_s).then_some(hand)
}

/// Lets both meet for up to `frames`; `see` may end it.
fn run(
    both: &mut [MotionMatcher; 2],
    meeting: &mut Meeting,
    frames: u32,
    mut see: impl FnMut(MeetingStep, &mut [MotionMatcher; 2]) -> bool,
) {
    let mut goals = [Goal::None; 2];
    for frame in 0..frames {
        if frame % 10 == 0 {
            goals = meeting.goals([&both[0], &both[1]]).unwrap_or(goals);
        }
        let [a, b] = both;
        let step = meeting.interact(a, b).unwrap();
        for (m, goal) in both.iter_mut().zip(goals) {
            m.update(&MotionInput { goal, ..MotionInput::default() }, DT_S).unwrap();
        }
        if !see(step, both) {
            return;
        }
    }
}

#[test]
fn hands_meet_and_part() {
    for (apart_m, turned_deg) in [(1.0, [0.0, 0.0]), (2.4, [50.0, -30.0]), (0.6, [-20.0, 10.0])] {
        let mut both = pair(apart_m, turned_deg);
        let mut meeting = handshake(&both);
        let (mut apart, mut touched, mut left, mut last) = (0.0f32, 0, [0; 2], MeetingStep::Waits);
        run(&mut both, &mut meeting, 900, |step, both| {
            if let [Some(a), Some(b)] = [touching_hand(&both[0]), touching_hand(&both[1])] {
                (apart, touched) = (apart.max((a - b).length()), touched + 1);
            }
            for (k, m) in both.iter().enumerate() {
                left[k] += m.output().actions.iter().filter(|e| e.id == 4 && e.step == ActionStep::Left).count();
            }
            last = step;
            step != MeetingStep::Over
        });
        assert_eq!((last, left), (MeetingStep::Over, [1; 2]), "{apart_m} m");
        assert!(touched > 20 && apart < 0.02, "{apart_m} m: {touched} frames, {apart} m apart");
    }
}

#[test]
fn the_best_pair_is_that_of_brute_force_to_the_bit() {
    let mut random = Random(11);
    let (mut met, mut refused) = (0, 0);
    for _ in 0..90 {
        let turned = [(); 2].map(|()| random.between(-50.0, 50.0));
        let mut both = pair(random.between(0.5, 2.6), turned);
        let mut meeting = handshake(&both);
        let mut goals = [Goal::None; 2];
        for frame in 0..random.below(200) {
            if frame % 20 == 0 {
                goals = meeting.goals([&both[0], &both[1]]).unwrap();
            }
            for (m, goal) in both.iter_mut().zip(goals) {
                m.update(&MotionInput { goal, ..MotionInput::default() }, DT_S).unwrap();
            }
        }
        let [a, b] = &mut both;
        let before = [common::bits(a.state()), common::bits(b.state())];
        let (found, defined) = (meeting.plan(a, b), meeting.plan_by_brute_force(a, b));
        match (&found, &defined) {
            (Ok((plans, cost)), Ok((of_all, least))) => {
                assert_eq!((plans, cost.to_bits()), (of_all, least.to_bits()));
                assert_eq!((plans[0].cost + plans[1].cost).to_bits(), cost.to_bits());
                assert_eq!(plans[0].marks[0].position, plans[1].marks[0].position, "one place");
                met += 1;
            }
            (Err(_), Err(_)) => refused += 1,
            _ => panic!("{found:?} {defined:?}"),
        }
        assert_eq!([common::bits(a.state()), common::bits(b.state())], before, "a plan changes nothing");
    }
    assert!(met > 10 && refused > 2, "{met} {refused}");
}

#[test]
fn until_both_can_begin_neither_is_written() {
    let mut both = pair(2.5, [0.0, 0.0]);
    let mut meeting = handshake(&both);
    let [a, b] = &mut both;
    let before = [common::bits(a.state()), common::bits(b.state())];
    assert_eq!(meeting.interact(a, b).unwrap(), MeetingStep::Waits);
    assert_eq!([common::bits(a.state()), common::bits(b.state())], before);
    let mut entered = false;
    run(&mut both, &mut meeting, 900, |step, both| {
        let plays = [&both[0], &both[1]].map(|m| m.character().playing_action(m.state()).is_some());
        assert_eq!(plays[0], plays[1], "both or none");
        entered |= step == MeetingStep::Entered;
        !entered
    });
    assert!(entered);
}

#[test]
fn either_of_both_breaks_off_and_both_go_on() {
    for gone in 0..2 {
        for frames in [5, 60] {
            let mut both = pair(1.2, [0.0, 0.0]);
            let mut meeting = handshake(&both);
            run(&mut both, &mut meeting, 900, |step, _| step != MeetingStep::Entered);
            run(&mut both, &mut meeting, frames, |_, _| true);
            // A hit: one of both is taken over by a ragdoll.
            let (pose, velocity) = (both[gone].pose().clone(), both[gone].output().velocity.clone());
            both[gone].enter(&pose, &velocity).unwrap();
            let mut steps = Vec::new();
            let mut last = [Vec3::ZERO; 2];
            let mut fastest_m: f32 = 0.0;
            run(&mut both, &mut meeting, 60, |step, both| {
                for (last, m) in last.iter_mut().zip(both.iter()) {
                    let at = m.pose().world_from_root().translation;
                    fastest_m = fastest_m.max(if steps.is_empty() { 0.0 } else { (at - *last).length() });
                    *last = at;
                }
                steps.push(step);
                true
            });
            assert_eq!(steps[0], MeetingStep::BrokenOff);
            assert!(fastest_m < 0.1, "no root is thrown: {fastest_m}");
            assert!(both.iter().all(|m| m.character().playing_action(m.state()).is_none()), "{gone} {frames}");
        }
    }
    let mut both = pair(1.2, [0.0, 0.0]);
    let mut meeting = handshake(&both);
    run(&mut both, &mut meeting, 900, |step, _| step != MeetingStep::Entered);
    let [a, b] = &mut both;
    meeting.break_off(a, b);
    assert_eq!(meeting.interact(a, b).unwrap(), MeetingStep::BrokenOff);
    run(&mut both, &mut meeting, 30, |_, _| true);
    assert!(both.iter().all(|m| m.character().playing_action(m.state()).is_none()));
}

#[test]
fn characters_without_such_an_action_are_an_error() {
    let both = pair(1.0, [0.0; 2]);
    let jump = database().action_kind("jump").unwrap();
    let error = Meeting::new([both[0].character(), both[1].character()], [jump; 2], 1).unwrap_err();
    assert_eq!(error, InputError::NoActions);
}
