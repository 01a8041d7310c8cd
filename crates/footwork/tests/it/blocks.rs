//! Blocks of requests: what is vaulted, climbed or sat on is not gone through.

use crate::common;

use common::actions::{Case, cases, character, compared_plan, database, run_asking};
use footwork::actions::{Place, RefusalReason};
use footwork::input::{ActionRequest, InputError, MotionInput, Obstacle};
use footwork::matcher::{ActionStep, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::{Vec2, Vec3};

const DT_S: (f32, bool) = (1.0 / 60.0, false);

/// Returns the block of a request of a case: the built-in obstacle, `higher_m` higher.
fn block(case: &Case, request: &ActionRequest, higher_m: f32) -> Option<Obstacle> {
    let contact = request.contacts[0]?;
    // Distance of the contact behind the front edge, depth of the block.
    let (behind_m, deep_m) = match case.kind {
        "vault" => (0.05, 0.1),
        "hurdle" => (0.05, 0.1),
        "mantle" | "climb" => (0.05, 2.0),
        "step_up" => (0.12, 1.0),
        _ => return None,
    };
    let middle = contact.position + contact.facing.direction() * (0.5 * deep_m - behind_m);
    let half_m = Vec2::new(0.5, 0.5 * deep_m);
    let base = Vec3::new(middle.x, 0.0, middle.z);
    Some(Obstacle::cuboid(base, half_m, contact.facing, case.size_m + higher_m))
}

fn refused(seen: &common::actions::Seen) -> Option<RefusalReason> {
    seen.steps.iter().find_map(|(_, step)| match step {
        ActionStep::Refused(refusal) => Some(refusal.reason),
        _ => None,
    })
}

#[test]
fn the_own_wall_of_an_action_is_passed_and_a_higher_one_is_not() {
    let (mut taken, mut asked, mut blocked) = (0, 0, 0);
    for case in cases() {
        let ask = |higher_m: f32| move |r: ActionRequest| ActionRequest { block: block(&case, &r, higher_m), ..r };
        let free = run_asking(&character(), &case, DT_S, |r| r, |_| ());
        if block(&case, &case.request(&database(), Transform::IDENTITY), 0.0).is_none() || !free.left() {
            continue;
        }
        asked += 1;
        taken += usize::from(run_asking(&character(), &case, DT_S, ask(0.0), |_| ()).left());
        let seen = run_asking(&character(), &case, DT_S, ask(0.5), |_| ());
        assert!(!seen.left(), "{case:?}");
        // It is rejected at once or later. A take of another height may be nearer to the request than those that are blocked.
        assert!(refused(&seen).is_some(), "{case:?}");
        blocked += usize::from(matches!(refused(&seen), Some(RefusalReason::Blocked { .. })));
    }
    assert!(asked > 8 && taken * 10 >= asked * 9 && blocked > 0, "{taken} of {asked}, {blocked}");
}

#[test]
fn a_refusal_names_the_depth_and_changes_nothing() {
    let case = Case { kind: "vault", speed_mps: 1.5, size_m: 0.95, distance_m: 3.0, angle_deg: 0.0 };
    let request = case.request(&database(), Transform::IDENTITY);
    let action = ActionRequest { block: block(&case, &request, 0.6), ..request };
    let walk = common::walk(Vec3::Z);
    let [mut m, mut free] = [(); 2].map(|()| MotionMatcher::of(character(), Transform::IDENTITY).unwrap());
    m.update(&MotionInput { action: Some(action), ..walk }, DT_S.0).unwrap();
    free.update(&walk, DT_S.0).unwrap();
    let step = m.output().actions[0].step;
    let ActionStep::Refused(refusal) = step else { panic!("{step:?}") };
    assert!(refusal.text("vault").contains("into the block (limit 0.06 m)"), "{}", refusal.text("vault"));
    assert_eq!(m.pose(), free.pose());
    let bad = Obstacle { radius_m: -1.0, ..Obstacle::default() };
    let bad = MotionInput { action: Some(ActionRequest { block: Some(bad), ..request }), ..walk };
    assert_eq!(m.update(&bad, DT_S.0), Err(InputError::NotUsable { field: "action.block", value: -1.0 }));
}

#[test]
fn plans_around_blocks_are_those_of_a_full_comparison_to_the_bit() {
    let (mut random, mut met, mut blocked) = (common::Random(9), 0, 0);
    let (who, db) = (character(), database());
    for _ in 0..600 {
        let case = random.pick(&cases());
        let case = Case { distance_m: random.between(0.2, 2.0), angle_deg: random.between(-30.0, 30.0), ..case };
        let root = Transform::new(Vec3::X, Facing::from_yaw(random.between(-3.0, 3.0)).rotation());
        let request = case.request(&db, root);
        let request = ActionRequest { block: block(&case, &request, random.between(-0.2, 0.2)), ..request };
        let (row, velocity) = (random.below(db.rows()), root.rotation * Vec3::Z * random.between(0.0, 4.0));
        let found = compared_plan(&who, &request, (Place::of(root), velocity), row, &mut random);
        met += usize::from(found.is_ok());
        blocked += usize::from(found.is_err_and(|e| matches!(e.reason, RefusalReason::Blocked { .. })));
    }
    assert!(met > 50 && blocked > 20, "{met} {blocked}");
}
