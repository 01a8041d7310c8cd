//! Motion unlike any that was captured stays within the bounds, too.

use super::plan::Plan;
use super::{Captured, Encoder, Trial, decode_into, decoded};
use crate::frames::JointIndex;
use crate::math::{Quat, Random, Transform};
use crate::motion::PosePool;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Returns a chain of four joints.
fn chain() -> Skeleton {
    let names = ["root", "hips", "arm", "hand"].map(str::to_owned).to_vec();
    let parents = vec![None, Some(JointIndex(0)), Some(JointIndex(1)), Some(JointIndex(2))];
    Skeleton::new(names, parents, vec![Transform::new(Vec3::new(0.0, 0.4, 0.1), Quat::IDENTITY); 4]).unwrap()
}

/// Returns a point 3 cm off a joint, in `f64`, relative to `from`.
fn point(skeleton: &Skeleton, poses: &PosePool, frame: usize, joint: usize, from: Vec3) -> [f64; 3] {
    let mut at = [0.0, 0.03, 0.0];
    let mut next = Some(joint);
    while let Some(j) = next {
        let [x, y, z, w] = poses.rotations[frame * 4 + j].to_array().map(f64::from);
        let rows = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let moved = match j {
            0 => poses.translations[frame * 2].to_array().map(f64::from),
            1 => poses.translations[frame * 2 + 1].to_array().map(f64::from),
            _ => skeleton.rest()[j].translation.to_array().map(f64::from),
        };
        let less = if j == 0 { from.to_array().map(f64::from) } else { [0.0; 3] };
        at = [0, 1, 2].map(|i| rows[i][0] * at[0] + rows[i][1] * at[1] + rows[i][2] * at[2] + moved[i] - less[i]);
        next = skeleton.parents()[j].map(|p| p.at());
    }
    at
}

#[test]
fn any_motion_of_any_length_is_within_the_bounds() {
    let skeleton = chain();
    let contact_joints = [JointIndex(3)];
    let mut random = Random(17);
    let mut poses = PosePool { joints: 4, translated: vec![JointIndex(0), JointIndex(1)], ..Default::default() };
    let (mut frames, mut labels) = (Vec::new(), Vec::new());
    for (k, n) in [1, 2, 3, 5, 31, 32, 33, 34, 40, 63, 64, 65, 70, 96, 97, 100, 7, 50].into_iter().enumerate() {
        let far = [0.0, 100.0, 1e5, 1e8][k % 4];
        let axis = Vec3::new(random.normal(), random.normal(), random.normal());
        for f in 0..n {
            let t = f as f32 / 60.0;
            for j in 0..4 {
                let q = match k % 6 {
                    0 => Quat::IDENTITY,
                    1 => Quat::from_rotation_vector(axis * (t * 3.0 + j as f32)),
                    2 => Quat::from_rotation_vector(Vec3::new(random.normal(), random.normal(), random.normal()) * 2.0),
                    // Almost a half turn per frame.
                    3 => Quat::from_rotation_vector(axis.normalize() * (f as f32 * 3.1)),
                    4 => Quat::from_rotation_vector(axis * if f < n / 2 { 0.0 } else { 1.0 }),
                    _ => Quat::from_rotation_vector(axis * 1e-4 * (t * 20.0 + j as f32)),
                };
                // The same rotation, now with one sign, now with the other.
                poses.rotations.push(if k % 5 == 0 && f % 3 == 0 { -q } else { q });
            }
            poses.translations.push(Vec3::new(far + t, -far, t * t));
            poses.translations.push(Vec3::new(0.0, 0.9, if k % 2 == 0 { 0.0 } else { random.normal() * 0.01 }));
            labels.push(u8::from(f % 7 < 3));
        }
        frames.push(n);
    }
    let mut first = 0;
    let labels: Vec<Vec<u8>> = frames
        .iter()
        .map(|n| {
            first += n;
            labels[first - n..first].to_vec()
        })
        .collect();
    let captured = Captured { skeleton: &skeleton, poses: &poses, contact_joints: &contact_joints };
    let encoder = Encoder { captured, error_m: 1e-4 };
    let mut decoded = poses.clone();
    let encoded = decode_into(&mut decoded, encoder.encode(&frames, &labels));
    assert_eq!(encoded.decode(4, &poses.translated).unwrap(), decoded);
    assert_eq!(
        (decoded.rotations.len(), decoded.translations.len()),
        (poses.rotations.len(), poses.translations.len())
    );
    let mut first = 0;
    for (run, n) in frames.iter().enumerate() {
        let mut errors = Vec::new();
        for f in first..first + n {
            let from = poses.root(f).translation;
            for j in 0..4 {
                let (a, b) = (point(&skeleton, &poses, f, j, from), point(&skeleton, &decoded, f, j, from));
                errors.push((0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt());
                assert!((decoded.rotations[f * 4 + j].length() - 1.0).abs() < 1e-5, "run {run}, frame {f}");
            }
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let most = errors.iter().copied().fold(0.0, f64::max);
        assert!(mean <= 1.02e-4 && most <= 1.51e-3, "run {run} of {n} frames: mean {mean}, largest {most}");
        first += n;
    }
}

/// Segments whose steps change are decoded alone; the poses are those of a clip that is decoded from its first frame on.
#[test]
fn changed_segments_are_decoded_as_in_the_whole_clip() {
    let skeleton = chain();
    let mut random = Random(5);
    for frames in [1, 31, 33, 64, 65, 97, 200] {
        let mut poses = PosePool { joints: 4, translated: vec![JointIndex(0), JointIndex(1)], ..Default::default() };
        for f in 0..frames {
            let t = f as f32 / 60.0;
            for j in 0..4 {
                let shaken = if (f / 40) % 2 == 1 { random.normal() * 0.05 } else { 0.0 };
                poses.rotations.push(Quat::from_rotation_vector(Vec3::new(t, j as f32 * t * t, shaken)));
            }
            poses.translations.extend([Vec3::new(t, 0.0, t * t), Vec3::Y * 0.9]);
        }
        let captured = Captured { skeleton: &skeleton, poses: &poses, contact_joints: &[] };
        let mut plan = Plan::new(&captured, 1e-4, 0..frames, &[]);
        let mut trial = Trial::new(&plan, &poses);
        for _ in 0..20 {
            trial.follow(&plan);
            let whole = decoded(&trial.encoded(&plan), &poses);
            assert_eq!(trial.decoded.rotations, whole.rotations, "{frames} frames");
            assert_eq!(trial.decoded.translations, whole.translations, "{frames} frames");
            let segment = random.below(plan.segments.len());
            plan.segments[segment].factor *= [0.1, 10.0][random.below(2)];
        }
    }
}
