//! Contacts detected from motion alone agree with the true ones, at any rate and with the noise of motion capture.
//!
//! Prints the table of `docs/guide/quality.md`: `cargo test --release -p footwork-import --test it detected_contacts --
//! --nocapture`

use footwork::build::BuildConfig;
use footwork::clip::RawClip;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use footwork_gait::{GaitClip, GaitOptions, generate};
use glam::Vec3;

/// Noise of every joint in every frame: standard deviation per axis.
const NOISE_M: f32 = 0.001;
const NOISE_DEG: f32 = 0.2;

/// Rate, and the minimum F1 of walks and of runs.
const RATES: [(f32, [f32; 2]); 4] = [(24.0, [0.9, 0.8]), (30.0, [0.9, 0.8]), (60.0, [0.95, 0.9]), (120.0, [0.95, 0.9])];
const GAITS: [&str; 3] = ["walk", "run", "other"];

struct Random(u64);

impl Random {
    /// Returns the sum of twelve uniform numbers, which is close to a normal distribution with deviation 1.
    fn normal(&mut self) -> f32 {
        let mut sum = -6.0;
        for _ in 0..12 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (self.0 >> 40) as f32 / (1u64 << 24) as f32;
        }
        sum
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.normal(), self.normal(), self.normal())
    }
}

/// Returns the clip as if captured: with noise, and without its contacts.
fn captured(clip: &RawClip, random: &mut Random) -> RawClip {
    let mut clip = clip.clone();
    clip.annotations.contacts.clear();
    for p in &mut clip.translations {
        *p += random.vector() * NOISE_M;
    }
    for q in &mut clip.rotations {
        let v = random.vector() * NOISE_DEG.to_radians();
        let shake = Quat::from_rotation_x(v.x) * Quat::from_rotation_y(v.y) * Quat::from_rotation_z(v.z);
        *q = (shake * *q).normalize();
    }
    clip
}

fn gait(name: &str) -> usize {
    let has = |part: &&str| name.contains(*part);
    match () {
        () if ["run", "change", "_250_radius", "_320_radius", "_400_radius"].iter().any(&has) => 1,
        () if ["walk", "curve", "arc"].iter().any(&has) => 0,
        () => 2,
    }
}

/// Counts of frames of a gait: found and true, found and false, missed.
#[derive(Clone, Copy, Default)]
struct Count([f32; 3]);

impl Count {
    fn f1(self) -> f32 {
        let [right, wrong, missed] = self.0;
        2.0 * right / (2.0 * right + wrong + missed)
    }
}

fn count(truth: &[GaitClip], found: &[RawClip]) -> [Count; 3] {
    let mut counts = [Count::default(); 3];
    for (g, clip) in truth.iter().zip(found) {
        assert_eq!(clip.annotations.contacts.len(), 2);
        for (side, track) in clip.annotations.contacts.iter().enumerate() {
            for (on, truth) in track.on.iter().zip(&g.truth.contacts) {
                let count = &mut counts[gait(&g.clip.name)];
                match (*on, truth[side]) {
                    (true, true) => count.0[0] += 1.0,
                    (true, false) => count.0[1] += 1.0,
                    (false, true) => count.0[2] += 1.0,
                    (false, false) => {}
                }
            }
        }
    }
    counts
}

#[test]
fn contacts_found_in_noise_at_any_rate_are_the_true_ones() {
    println!("| rate | {} | {} | {} |\n|---|---|---|---|", GAITS[0], GAITS[1], GAITS[2]);
    let mut low = Vec::new();
    for (rate_hz, least) in RATES {
        let options = GaitOptions { rate_hz, routes: false, ..Default::default() };
        let mut truth = generate(&options);
        truth.retain(|g| !g.clip.name.contains("idle"));
        let mut random = Random(1);
        let clips: Vec<RawClip> = truth.iter().map(|g| captured(&g.clip, &mut random)).collect();
        let config = BuildConfig { pose_rate_hz: Some(rate_hz), find_loops: false, ..Default::default() };
        let f1 = count(&truth, &config.prepare(&clips).unwrap()).map(Count::f1);
        println!("| {rate_hz} Hz | {:.3} | {:.3} | {:.3} |", f1[0], f1[1], f1[2]);
        for (gait, (f1, least)) in f1.iter().zip(least).enumerate().filter(|(_, (f1, least))| **f1 < *least) {
            low.push(format!("{} at {rate_hz} Hz: {f1:.3}, at least {least}", GAITS[gait]));
        }
    }
    assert!(low.is_empty(), "{low:?}");
}

/// Returns the same gait of a smaller creature: lengths scaled by `size`, times by its square root, as for pendulums.
fn smaller(clip: &RawClip, size: f32) -> RawClip {
    let mut clip = RawClip { rate_hz: clip.rate_hz / size.sqrt(), ..clip.clone() };
    clip.translations.iter_mut().for_each(|p| *p *= size);
    let rest = clip.skeleton.rest().iter().map(|t| Transform::new(t.translation * size, t.rotation)).collect();
    clip.skeleton = Skeleton::new(clip.skeleton.names().to_vec(), clip.skeleton.parents().to_vec(), rest).unwrap();
    clip
}

#[test]
fn a_small_creature_stands_as_long_as_a_large_one() {
    let mut truth = generate(&GaitOptions { routes: false, ..Default::default() });
    truth
        .retain(|g| ["walk_125_loop", "walk_175_loop", "run_320_loop", "strafe_walk_90_left"].contains(&&*g.clip.name));
    let [large, small] = [1.0, 0.4].map(|size| {
        let mut clips: Vec<RawClip> = truth.iter().map(|g| smaller(&g.clip, size)).collect();
        clips.iter_mut().for_each(|c| c.annotations.contacts.clear());
        let config = BuildConfig { pose_rate_hz: Some(clips[0].rate_hz), find_loops: false, ..Default::default() };
        count(&truth, &config.prepare(&clips).unwrap()).map(Count::f1)
    });
    assert!(small[0] > large[0] - 0.03 && small[1] > large[1] - 0.03, "{small:?} {large:?}");
}
