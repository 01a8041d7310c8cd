//! A built-in walk over level ground, adapted to slopes, stairs, rubble and platforms.

use crate::common;

use common::Random;
use common::walk::{REACH, Walk};
use footwork::adjust::ground::{FitToGround, GroundConfig, GroundStep, GroundedBody, GroundedFoot};
use footwork::advanced::adjust::BentLeg;
use footwork::advanced::math::{cos, sin, tan};
use footwork::database::MirrorMode;
use footwork::input::{Gait, Goal, GroundPoint, MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork::pose::Pose;
use footwork::rig::Sole;
use footwork_gait::GaitOptions;
use glam::Vec3;
use std::sync::Arc;

/// Measurements of a run over some ground.
#[derive(Debug, Default)]
struct Observed {
    /// Largest distance between the sole of a planted foot and the ground, metres.
    gap_m: f32,
    /// Largest depth of a toe or heel below the ground, metres.
    under_m: f32,
    /// Smallest remaining reach of a leg (length minus distance from hip to ankle), minus that of the clip up to the limit,
    /// metres.
    straightest_m: f32,
    /// Mean jerk of the pelvis in the world.
    jerk_mps3: f32,
    /// Mean jerk of the pelvis in the clip.
    flat_jerk_mps3: f32,
    /// Largest speed of a foot in any direction.
    fastest_mps: f32,
    /// Largest lowering of the pelvis, metres.
    sunk_m: f32,
    /// Largest distance between a planted sole and the ground without ground adaptation, metres.
    without_m: f32,
    /// Largest speed of a planted toe over the ground.
    slide_mps: f32,
}

/// Runs the walk; `ground` and `carried` (displacement of the character by its platform) depend on the time.
fn run(walk: &Walk, ground: impl Fn(Vec3, f32) -> GroundPoint + Sync, carried: impl Fn(f32) -> Vec3) -> Observed {
    let config = GroundConfig::default();
    let standing = Pose::rest(&walk.skeleton);
    let soles: Vec<Sole> = walk.body.legs.iter().map(|l| Sole::new(&walk.skeleton, &standing, l.unwrap())).collect();
    let job = FitToGround { config: &config, soles: &soles };
    let mut feet = [GroundedFoot::default(); 2];
    let mut body = GroundedBody::default();
    let mut seen = Observed { straightest_m: f32::MAX, ..Observed::default() };
    let (mut pelvis, mut flat) = (Vec::new(), Vec::new());
    let mut before: Option<[Vec3; 2]> = None;
    for frame in 0..walk.frames() {
        let time_s = frame as f32 * walk.dt_s();
        let mut pose = walk.pose(frame);
        flat.push(walk.at(&pose, walk.body.hips).translation);
        pose.translations[0] += carried(time_s);
        let hook = |at: Vec3| ground(at, time_s);
        let touches = walk.contacts(frame).map(u8::from);
        let level = pose.clone();
        walk.bend(&mut pose, |lower, pose| {
            let world_from_root = pose.world_from_root();
            let step = GroundStep { ground: &hook, touches: &touches, world_from_root, dt_s: walk.dt_s() };
            job.update(&step, lower, &mut feet, &mut body);
            job.apply(&feet, &body, lower, pose);
        });
        pelvis.push(walk.at(&pose, walk.body.hips).translation - carried(time_s) * Vec3::new(1.0, 0.0, 1.0));
        seen.sunk_m = seen.sunk_m.max(body.sunk.value);
        let root = pose.world_from_root();
        let mut toes = [Vec3::ZERO; 2];
        for side in 0..2 {
            let leg = walk.body.legs[side].unwrap();
            let gap = |pose: &Pose| {
                let toe = root * pose.in_root(&walk.skeleton, leg.toe);
                let tip = toe.point(soles[side].tip);
                let heel = root * pose.in_root(&walk.skeleton, leg.ankle);
                let heel = heel.point(soles[side].heel);
                let toe = toe.translation - Vec3::Y * soles[side].toe_height_m;
                [toe, heel, tip].map(|p| p.y - hook(p).height_m)
            };
            let [toe, heel, tip] = gap(&pose);
            if touches[side] == 1 {
                seen.gap_m = seen.gap_m.max(toe.min(heel).min(tip).abs());
                let [toe, heel, tip] = gap(&level);
                seen.without_m = seen.without_m.max(toe.min(heel).min(tip).abs());
            }
            seen.under_m = seen.under_m.max(-toe.min(heel).min(tip));
            let left = |pose: &Pose| {
                let b = BentLeg::of(&walk.skeleton, pose, leg);
                let (upper, lower) = (b.knee.translation - b.hip.translation, b.ankle.translation - b.knee.translation);
                upper.length() + lower.length() - (b.ankle.translation - b.hip.translation).length()
            };
            // A leg may exceed the limit only where it does so in the clip.
            seen.straightest_m = seen.straightest_m.min(left(&pose) - left(&level).min(REACH.kept_m));
            toes[side] = walk.at(&pose, leg.toe).translation - carried(time_s) * Vec3::new(1.0, 0.0, 1.0);
        }
        if let Some(before) = before.replace(toes) {
            for side in 0..2 {
                let speed = (toes[side] - before[side]).length() / walk.dt_s();
                seen.fastest_mps = seen.fastest_mps.max(speed);
                if touches[side] == 1 && walk.contacts(frame - 1)[side] {
                    let moved = (toes[side] - before[side]) * Vec3::new(1.0, 0.0, 1.0);
                    seen.slide_mps = seen.slide_mps.max(moved.length() / walk.dt_s());
                }
            }
        }
    }
    let jerk = |p: &[Vec3]| {
        let all: Vec<f32> = p.windows(4).map(|w| (w[3] - w[2] * 3.0 + w[1] * 3.0 - w[0]).length()).collect();
        all.iter().sum::<f32>() / all.len() as f32 / (walk.dt_s() * walk.dt_s() * walk.dt_s())
    };
    (seen.jerk_mps3, seen.flat_jerk_mps3) = (jerk(&pelvis), jerk(&flat));
    seen
}

fn check(name: &str, seen: &Observed) {
    println!(
        "{name}: gap {:.2} of {:.0} cm, under {:.2} cm, pelvis jerk x {:.2}, sinks {:.1} cm, foot at most {:.1} m/s, slides at most {:.1} cm/s",
        seen.gap_m * 100.0,
        seen.without_m * 100.0,
        seen.under_m * 100.0,
        seen.jerk_mps3 / seen.flat_jerk_mps3,
        seen.sunk_m * 100.0,
        seen.fastest_mps,
        seen.slide_mps * 100.0,
    );
    assert!(seen.gap_m < 0.01, "{name}: standing feet are {} m off the ground", seen.gap_m);
    assert!(seen.under_m < 0.01, "{name}: a foot is {} m under the ground", seen.under_m);
    assert!(seen.straightest_m > -1e-4, "{name}: a leg is {} m straighter than allowed", -seen.straightest_m);
    assert!(seen.jerk_mps3 < 2.0 * seen.flat_jerk_mps3, "{name}: {} of {}", seen.jerk_mps3, seen.flat_jerk_mps3);
    assert!(seen.fastest_mps < 7.0, "{name}: a foot moves at {} m/s", seen.fastest_mps);
    assert!(seen.slide_mps < 0.25, "{name}: a standing toe slides at {} m/s", seen.slide_mps);
}

fn resting(_: f32) -> Vec3 {
    Vec3::ZERO
}

/// Returns level ground, then a ramp up along Z for 3 m (`grade` metres per metre), then level ground.
fn ramp(at: Vec3, grade: f32) -> GroundPoint {
    let z = (at.z - 0.8).clamp(0.0, 3.0);
    let normal = if z > 0.0 && z < 3.0 { Vec3::new(0.0, 1.0, -grade).normalize() } else { Vec3::Y };
    GroundPoint { height_m: z * grade, normal, ..Default::default() }
}

#[test]
fn slopes_of_20_degrees() {
    for name in ["walk_100_loop", "walk_125_loop"] {
        for deg in [20.0f32, -20.0] {
            let grade = tan(deg.to_radians());
            let seen = run(&Walk::new(name), |at, _| ramp(at, grade), resting);
            assert!(seen.without_m > 0.5);
            check(&format!("{name}, {deg} degrees"), &seen);
        }
    }
}

#[test]
fn stairs_of_18_cm() {
    for tread in [0.3, 0.6] {
        for rise in [0.18, -0.18] {
            let stairs = |at: Vec3, _: f32| {
                let step = ((at.z - 0.8) / tread).ceil().clamp(0.0, 6.0);
                GroundPoint { height_m: step * rise, ..Default::default() }
            };
            for name in ["walk_50_loop", "walk_80_loop", "walk_100_loop"] {
                let seen = run(&Walk::new(name), stairs, resting);
                assert!(seen.without_m > 0.5);
                check(&format!("{name}, treads of {tread} m, {rise} m each"), &seen);
            }
        }
    }
}

/// Returns smooth bumps: a grid of random heights with cubic interpolation.
fn bumps(seed: u64, cell_m: f32, high_m: f32) -> impl Fn(Vec3) -> GroundPoint {
    let at = move |x: i32, z: i32| {
        let mut r = Random(seed ^ ((x as u64) << 32) ^ (z as u32 as u64));
        r.bits();
        r.between(-high_m, high_m)
    };
    let height = move |x: f32, z: f32| {
        let (x, z) = (x / cell_m, z / cell_m);
        let (i, k) = (x.floor(), z.floor());
        let (u, v) = (footwork::advanced::math::smoothstep(x - i), footwork::advanced::math::smoothstep(z - k));
        let (i, k) = (i as i32, k as i32);
        let lerp = footwork::advanced::math::lerp;
        lerp(lerp(at(i, k), at(i + 1, k), u), lerp(at(i, k + 1), at(i + 1, k + 1), u), v)
    };
    move |p: Vec3| {
        let e = 1e-3;
        let dx = (height(p.x + e, p.z) - height(p.x - e, p.z)) / (2.0 * e);
        let dz = (height(p.x, p.z + e) - height(p.x, p.z - e)) / (2.0 * e);
        GroundPoint { height_m: height(p.x, p.z), normal: Vec3::new(-dx, 1.0, -dz).normalize(), ..Default::default() }
    }
}

#[test]
fn rubble_of_16_cm() {
    for seed in 1..9 {
        let ground = bumps(seed, 0.6, 0.08);
        let seen = run(&Walk::new("walk_125_loop"), |at, _| ground(at), resting);
        assert!(seen.without_m > 0.04);
        check(&format!("rubble {seed}"), &seen);
    }
}

#[test]
fn a_platform_that_rises_and_swings() {
    let lift = |t: f32| Vec3::new(0.3 * sin(2.0 * t), 0.25 * sin(3.0 * t), 0.0);
    let speed = |t: f32| Vec3::new(0.6 * cos(2.0 * t), 0.75 * cos(3.0 * t), 0.0);
    let ground = |_: Vec3, t: f32| GroundPoint { height_m: lift(t).y, velocity: speed(t), ..Default::default() };
    let seen = run(&Walk::new("walk_125_loop"), ground, |t| Vec3::new(lift(t).x, 0.0, 0.0));
    assert!(seen.without_m > 0.2);
    check("platform", &seen);
}

#[test]
fn a_root_that_jumps_up_a_stair_moves_no_joint() {
    // The game sets the position of the root: capsules step onto a tread at once.
    let stairs = |at: Vec3, _: f32| GroundPoint {
        height_m: ((at.z - 0.8) / 0.3).ceil().clamp(0.0, 6.0) * 0.18,
        ..Default::default()
    };
    let walk = Walk::new("walk_80_loop");
    let root = |frame: usize| walk.pose(frame).translations[0];
    let jumps = |t: f32| {
        let frame = ((t / walk.dt_s()).round() as usize).min(walk.frames() - 1);
        Vec3::Y * stairs(root(frame), 0.0).height_m
    };
    let (rests, jumps) = (run(&walk, stairs, resting), run(&walk, stairs, jumps));
    check("a root that jumps", &jumps);
    assert!((rests.jerk_mps3 - jumps.jerk_mps3).abs() < 0.05 * rests.jerk_mps3, "{rests:?} {jumps:?}");
}

#[test]
fn level_ground_is_no_change_and_no_ground_no_harm() {
    let walk = Walk::new("walk_125_loop");
    let seen = run(&walk, |_, _| GroundPoint::default(), resting);
    // The tolerance covers legs that are straighter than an adjusted leg may be.
    assert!(seen.gap_m < 2e-3 && seen.sunk_m < 1e-5 && (seen.jerk_mps3 / seen.flat_jerk_mps3 - 1.0).abs() < 1e-3);
    let nowhere = GroundPoint { height_m: f32::NAN, ..Default::default() };
    let seen = run(&walk, |_, _| nowhere, resting);
    assert!(seen.jerk_mps3.is_finite() && seen.fastest_mps < 7.0);
}

/// Returns the largest and the smallest height of the root in an hour of a random stick over level ground.
fn root_heights(hook: bool) -> [f32; 2] {
    let options = GaitOptions { terrain: true, routes: false, ..GaitOptions::default() };
    let db = Arc::new(common::built(&footwork_gait::clips(&options), &Default::default()).0);
    assert!(db.tags.iter().any(|t| t == "stairs"), "the data have terrain");
    let mut m = MotionMatcher::of(Arc::new(Character::new(db, MatcherConfig::default()).unwrap()), Transform::IDENTITY)
        .unwrap();
    let level = |_: Vec3| GroundPoint::default();
    let mut heights = [0.0f32; 2];
    for k in 0..3600 * 30u64 {
        let input = MotionInput { ground: hook.then_some(&level as _), ..common::random_stick(3, k as f64 / 30.0) };
        m.update(&input, 1.0 / 30.0).unwrap();
        let y = m.pose().world_from_root().translation.y;
        heights = [heights[0].min(y), heights[1].max(y)];
    }
    heights
}

#[test]
fn the_root_stays_on_level_ground_for_an_hour_where_the_data_have_stairs() {
    for hook in [false, true] {
        let [lowest, highest] = root_heights(hook);
        assert!(lowest > -0.01 && highest < 0.01, "hook {hook}: {lowest} to {highest} m");
    }
}

/// Returns the mean horizontal speed of the root in the last 4 of 10 seconds of a goal ahead, over ground that rises by `grade`.
fn speed_uphill(goal: Goal, grade: f32, max_slope_deg: f32) -> f32 {
    let mut config = MatcherConfig::default();
    config.ground.max_slope_deg = max_slope_deg;
    let mut m = MotionMatcher::new(common::gait(MirrorMode::Off), config).unwrap();
    let ground = |at: Vec3| GroundPoint {
        height_m: grade * at.z,
        normal: Vec3::new(0.0, 1.0, -grade).normalize(),
        ..GroundPoint::default()
    };
    let mut walked_to_m = |frames: usize| {
        for _ in 0..frames {
            m.update(&MotionInput { goal, ground: Some(&ground), ..MotionInput::default() }, 1.0 / 60.0).unwrap();
        }
        m.pose().world_from_root().translation.z
    };
    let start_m = walked_to_m(360);
    (walked_to_m(240) - start_m) / 4.0
}

#[test]
fn a_stick_walks_slower_uphill_and_downhill_and_a_velocity_is_kept() {
    let stick = Goal::Stick(Stick::towards(Vec3::Z, Gait::Walk));
    let level = speed_uphill(stick, 0.0, 35.0);
    for grade in [0.25, -0.25] {
        // `slowing` is 1: the rise per metre.
        let share = speed_uphill(stick, grade, 35.0) / level;
        assert!((share - 0.75).abs() < 0.04, "grade {grade}: {share} of {level} m/s");
    }
    // A cliff is no slope.
    let share = speed_uphill(stick, 1.0, 35.0) / level;
    assert!((share - 1.0).abs() < 0.04, "cliff: {share} of {level} m/s");
    // A stick still climbs the steepest slope.
    let share = speed_uphill(stick, 1.0, 60.0) / level;
    assert!((share - 0.2).abs() < 0.08, "45 degrees: {share} of {level} m/s");
    let velocity = Goal::Velocity { velocity: Vec3::Z * 1.3, facing: None };
    let kept = speed_uphill(velocity, 0.25, 35.0);
    assert!((kept - 1.3).abs() < 0.07, "{kept} m/s");
}
