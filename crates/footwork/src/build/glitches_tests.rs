use super::*;
use crate::build::{BuildOptions, build};
use crate::math::{cos, sin};
use crate::skeleton::Skeleton;

const JOINTS: usize = 8;

/// Returns a walking body: hips, spine, and two legs of thigh, shin and foot.
fn walk(frames: usize, rate_hz: f32) -> RawClip {
    let names = ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "Spine", "RightUpLeg", "RightLeg", "RightFoot"];
    let parents = [None, Some(0), Some(1), Some(2), Some(0), Some(0), Some(5), Some(6)];
    let (aside, down, up) = (Vec3::X * 0.1, Vec3::NEG_Y * 0.45, Vec3::Y * 0.3);
    let rest = [Vec3::Y, aside, down, down, up, -aside, down, down].map(|t| Transform::new(t, Quat::IDENTITY)).to_vec();
    let parents = parents.map(|p: Option<usize>| p.map(JointIndex::new)).to_vec();
    let (mut translations, mut rotations) = (Vec::new(), Vec::<Quat>::new());
    for f in 0..frames {
        let t = f as f32 / rate_hz;
        let (swing, bend) = (0.5 * sin(6.0 * t), 0.4 * cos(6.0 * t));
        translations.extend(rest.iter().map(|r| r.translation));
        translations[f * JOINTS] = Vec3::new(0.02 * sin(6.0 * t), 0.9 + 0.02 * cos(12.0 * t), 1.4 * t);
        rotations.extend([0.0, swing, 0.4 + bend, 0.0, 0.0, -swing, 0.4 - bend, 0.0].map(Quat::from_rotation_x));
        for thigh in [1, 5] {
            let q = &mut rotations[f * JOINTS + thigh];
            *q = Quat::from_rotation_z(0.05 * cos(5.0 * t)) * *q;
        }
    }
    RawClip {
        name: "walk".into(),
        source: "test".into(),
        skeleton: Skeleton::new(names.map(str::to_owned).to_vec(), parents, rest).unwrap(),
        rate_hz,
        looping: false,
        translations,
        rotations,
        annotations: Default::default(),
    }
}

fn found(clip: &mut RawClip) -> Vec<Glitch> {
    mend_glitches(clip, &BuildConfig::default())
}

/// Disables making clips: the data are too sparse.
fn captured_alone() -> BuildConfig {
    let mut config = BuildConfig::default();
    config.multiply.mode = crate::build::Multiply::Off;
    config
}

fn off(a: &RawClip, b: &RawClip) -> f32 {
    let t = a.translations.iter().zip(&b.translations).map(|(a, b)| (*a - *b).length());
    let r = a.rotations.iter().zip(&b.rotations).map(|(a, b)| a.angle_between(*b));
    t.chain(r).fold(0.0, f32::max)
}

#[test]
fn motion_that_bodies_make_is_left_as_it_is() {
    for rate_hz in [24.0, 30.0, 60.0, 120.0, 240.0] {
        let good = walk((4.0 * rate_hz) as usize, rate_hz);
        let mut clip = good.clone();
        assert_eq!(found(&mut clip), []);
        assert_eq!(clip, good);
    }
}

#[test]
fn a_frame_ten_kilometres_away_is_bridged_at_any_rate_and_place() {
    for rate_hz in [24.0, 30.0, 60.0, 120.0] {
        let n = (4.0 * rate_hz) as usize;
        for at in [1, 2, n / 2, n - 3, n - 2] {
            let good = walk(n, rate_hz);
            let mut clip = good.clone();
            clip.translations[at * JOINTS] += Vec3::X * 1e4;
            let glitches = found(&mut clip);
            assert_eq!(glitches.len(), 1, "{rate_hz} Hz, frame {at}: {glitches:?}");
            let g = &glitches[0];
            assert_eq!((g.joint.as_str(), g.done), ("Hips", GlitchMend::Bridged), "{rate_hz} Hz, frame {at}: {g:?}");
            assert!(g.what.starts_with("jumps by "), "{}", g.what);
            let time = at as f32 / rate_hz;
            assert!(g.seconds[0] - 1e-4 <= time && time < g.seconds[1], "{g:?} {time}");
            assert!(off(&clip, &good) < 0.02, "{rate_hz} Hz, frame {at}: {}", off(&clip, &good));
            assert_eq!(found(&mut clip), []);
        }
    }
}

#[test]
fn a_frame_astray_at_an_end_is_cut_off() {
    for (at, kept) in [(0, 1..240), (239, 0..239)] {
        let mut clip = walk(240, 60.0);
        clip.translations[at * JOINTS] += Vec3::X * 1e4;
        let glitches = found(&mut clip);
        assert_eq!(glitches.len(), 1, "{glitches:?}");
        assert_eq!(glitches[0].done, GlitchMend::LeftOut);
        let left: Vec<usize> = (0..240)
            .filter(|f| !clip.annotations.discard.iter().any(|r| r.contains(*f as f32 / 60.0 + 1e-4)))
            .collect();
        assert_eq!(left, kept.collect::<Vec<_>>());
    }
}

#[test]
fn two_takes_in_one_are_split_where_they_meet() {
    let mut clip = walk(240, 60.0);
    (120..240).for_each(|f| clip.translations[f * JOINTS].x += 3.0);
    let glitches = found(&mut clip);
    assert_eq!(glitches.len(), 1, "{glitches:?}");
    let [start, end] = glitches[0].seconds;
    assert!((start - 2.0).abs() < 0.02 && (end - start - 1.0 / 60.0).abs() < 1e-3, "{glitches:?}");
    assert_eq!(found(&mut clip), [], "what is cut out is not looked at again");
    let (db, report) = build(&[clip], &captured_alone(), &BuildOptions::default()).unwrap();
    assert_eq!((db.clips.len(), report.glitches.len()), (2, 0));
}

#[test]
fn a_leg_that_leaves_its_body_for_a_while_is_cut_out_with_what_is_beside() {
    let mut clip = walk(240, 60.0);
    for f in 100..115 {
        clip.rotations[f * JOINTS + 1] = Quat::from_rotation_x(if f % 3 == 0 { 1.9 } else { -0.9 });
    }
    let (db, report) = build(&[clip.clone()], &captured_alone(), &BuildOptions::default()).unwrap();
    let g = &report.glitches[..];
    assert_eq!(g.len(), 1, "{g:?}");
    assert_eq!((g[0].done, g[0].clip.as_str()), (GlitchMend::LeftOut, "walk"));
    assert!(["LeftUpLeg", "LeftLeg", "LeftFoot"].contains(&g[0].joint.as_str()), "{g:?}");
    let [start, end] = g[0].seconds;
    assert!((1.5..1.6).contains(&start) && (1.98..2.05).contains(&end), "{g:?}");
    assert_eq!(db.clips.len(), 2);
    // The frames stay if other clips build upon the clip.
    let rule = crate::build::ClipRule { before: Some("walk".into()), name: "next".into(), ..Default::default() };
    let next = RawClip { name: "next".into(), ..walk(240, 60.0) };
    let config = BuildConfig { clips: vec![rule], ..captured_alone() };
    let (_, report) = build(&[clip, next], &config, &BuildOptions::default()).unwrap();
    assert_eq!(report.glitches[0].done, GlitchMend::Kept);
}

#[test]
fn flips_of_what_carries_nothing_are_seen_by_their_turn() {
    let mut clip = walk(240, 60.0);
    (90..240).for_each(|f| clip.rotations[f * JOINTS + 3] = Quat::from_rotation_y(3.0));
    let glitches = found(&mut clip);
    assert_eq!(glitches.len(), 1, "{glitches:?}");
    assert_eq!(glitches[0].joint, "LeftFoot");
    assert!(glitches[0].what.starts_with("turns by 172 degrees"), "{glitches:?}");
    // Joints outside the body may rotate fast.
    let mut clip = walk(240, 60.0);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"].map(str::to_owned).to_vec();
    clip.skeleton = Skeleton::new(names, clip.skeleton.parents().to_vec(), clip.skeleton.rest().to_vec()).unwrap();
    (90..240).for_each(|f| clip.rotations[f * JOINTS + 3] = Quat::from_rotation_y(3.0));
    assert_eq!(found(&mut clip), []);
}

#[test]
fn limits_and_switch_hold() {
    let mut clip = walk(240, 60.0);
    clip.translations[100 * JOINTS].x += 0.2;
    let glitchy = clip.clone();
    let mut config = BuildConfig::default();
    config.glitches.hips_mps2 = 1e6;
    config.glitches.joint_mps2 = 1e6;
    assert_eq!(mend_glitches(&mut clip, &config), []);
    config.glitches = crate::build::GlitchConfig { enabled: false, ..Default::default() };
    assert_eq!(mend_glitches(&mut clip, &config), []);
    assert_eq!(clip, glitchy);
    assert_eq!(found(&mut clip).len(), 1);
}

#[test]
fn what_was_read_in_a_wrong_unit_is_no_glitch() {
    let mut clip = walk(240, 60.0);
    clip.translations.iter_mut().for_each(|t| *t *= 100.0);
    assert_eq!(found(&mut clip), []);
}
