//! Loops as in animation packs: one stride each, not marked as loops.

use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::clip::{Annotations, RawClip};
use footwork::frames::ClipIndex;
use footwork::pose::{Pose, PoseVelocity};

/// Returns the clip without its loop flag and annotations.
pub fn unmarked(clip: &RawClip) -> RawClip {
    RawClip { looping: false, annotations: Annotations::default(), ..clip.clone() }
}

/// Returns one stride of a built-in loop as in an animation pack: unmarked, closed by a fade into the stride before, starting at
/// `phase` of the stride, with the first frame repeated at the end if `repeat` is true.
pub fn stride(source: &RawClip, strides: f64, phase: f64, repeat: bool) -> RawClip {
    let one = std::slice::from_ref(source);
    let mut config = BuildConfig::default();
    config.multiply.mode = Multiply::Off;
    let (db, _) = build(one, &config, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let view = db.view(ClipIndex(0), false);
    let period_s = view.seconds() / strides;
    let frames = (period_s * 60.0).round() as usize;
    let round = view.root(period_s).0.translation - view.root(0.0).0.translation;
    let joints = source.skeleton.len();
    let mut out = RawClip { translations: Vec::new(), rotations: Vec::new(), ..unmarked(source) };
    let mut one = (Pose::rest(&source.skeleton), PoseVelocity::zero(joints));
    let mut before = one.clone();
    for f in 0..frames + usize::from(repeat) {
        // Phases of the result continue from `phase`; the faded stride starts with the same frame.
        let x = phase + f as f64 / frames as f64;
        let share = x.fract() as f32;
        view.sample(period_s * (1.0 + x.fract()), &mut one.0, &mut one.1);
        view.sample(period_s * x.fract(), &mut before.0, &mut before.1);
        let way = one.0.translations[0].lerp(before.0.translations[0] + round, share);
        out.translations.push(way + round * x.floor() as f32);
        out.rotations.push(one.0.rotations[0]);
        for j in 1..joints {
            out.translations.push(one.0.translations[j].lerp(before.0.translations[j], share));
            out.rotations.push(one.0.rotations[j].nlerp(before.0.rotations[j], share));
        }
    }
    out
}
