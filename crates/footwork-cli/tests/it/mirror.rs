//! Mirror images, compared with an independent construction: positions reflected, sides swapped by name.

use crate::common;

use common::{clips, data};
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::MirrorMode;
use footwork::frames::{ClipIndex, JointIndex};
use footwork::pose::{Pose, PoseVelocity};
use footwork_import::bvh::Units;
use footwork_import::read_clips;
use glam::Vec3;
use std::path::Path;

/// Reflects positions in root space, and reads each from the joint of the other side.
#[test]
fn mirror_images_are_reflections_across_the_roots_own_plane() {
    let mut sets = vec![("built-in", clips())];
    if let Some(folder) = data("mirror_images_are_reflections_across_the_roots_own_plane", "lafan1") {
        let files = [folder.join("*walk*.bvh")];
        sets.push(("LAFAN1", read_clips(&files, Path::new(""), Units::Auto, None).unwrap()));
    }
    for (set, clips) in sets {
        let config = BuildConfig { mirror: MirrorMode::Query, ..Default::default() };
        let (db, _) = build(&clips, &config, &BuildOptions::default()).unwrap();
        let other: Vec<usize> = db
            .skeleton
            .names()
            .iter()
            .map(|n| {
                let swapped = match (n.contains("Left"), n.contains("Right")) {
                    (true, _) => n.replace("Left", "Right"),
                    (_, true) => n.replace("Right", "Left"),
                    _ => n.clone(),
                };
                db.skeleton.require(&swapped).unwrap().at()
            })
            .collect();
        let n = db.skeleton.len();
        let (mut pose, mut image) = (Pose::rest(&db.skeleton), Pose::rest(&db.skeleton));
        let mut velocity = PoseVelocity::zero(n);
        let mut worst = 0.0f32;
        for clip in 0..db.clips.len() {
            let [plain, mirrored] = [false, true].map(|m| db.view(ClipIndex::new(clip), m));
            let mut time_s = 0.0;
            while time_s < plain.seconds() {
                plain.sample(time_s, &mut pose, &mut velocity);
                mirrored.sample(time_s, &mut image, &mut velocity);
                for j in 1..n {
                    let at = |p: &Pose, j: usize| p.in_root(&db.skeleton, JointIndex::new(j)).translation;
                    let reflected = at(&pose, other[j]) * Vec3::new(-1.0, 1.0, 1.0);
                    worst = worst.max((at(&image, j) - reflected).length());
                }
                time_s += 0.1;
            }
        }
        assert!(worst < 1e-4, "{set}: mirror images are off by {worst} m");
    }
}
