//! Folders that make a poor character: the build says why.

use crate::common;

use common::{built, clip};
use footwork::build::BuildConfig;
use footwork::clip::RawClip;
use glam::Vec3;

/// The warnings of a build from the clips of these names, each changed.
fn warnings(names: &[&str], change: impl Fn(&mut RawClip)) -> String {
    let clips: Vec<RawClip> = names
        .iter()
        .map(|name| {
            let mut clip = clip(name);
            change(&mut clip);
            clip
        })
        .collect();
    built(&clips, &BuildConfig::default()).1.warnings.join("\n")
}

fn on_the_spot(clip: &mut RawClip) {
    let joints = clip.skeleton.len();
    clip.translations.iter_mut().step_by(joints).for_each(|root| *root = Vec3::ZERO);
}

#[test]
fn a_folder_of_idles_stands_and_cannot_walk() {
    let told = warnings(&["idle", "idle_shifting", "idle_staggered_left"], |_| ());
    assert!(told.contains("no clip travels: the character can only stand") && told.lines().count() == 1, "{told}");
}

#[test]
fn a_folder_of_dances_goes_by_dances() {
    let rename = |clip: &mut RawClip| {
        clip.name = format!("dance_{}", clip.name);
        clip.annotations.tags.clear();
    };
    let told = warnings(&["change_175_80", "change_80_175"], rename);
    assert!(told.contains("goes only by clips that are named as something else (`dance_change"), "{told}");
}

#[test]
fn one_walk_backward_may_be_a_mistake() {
    let told = warnings(&["backward_walk"], |_| ());
    assert!(told.contains("180 degrees away from where its hips face") && told.contains("walk backward"), "{told}");
}

#[test]
fn clips_on_the_spot_go_by_their_feet_also_where_they_have_two_ends() {
    let unmarked = |clip: &mut RawClip| {
        on_the_spot(clip);
        // Begins and ends in different poses.
        let joints = clip.skeleton.len();
        let frames = clip.frames() * 5 / 8;
        clip.translations.truncate(frames * joints);
        clip.rotations.truncate(frames * joints);
        clip.looping = false;
        clip.annotations = Default::default();
    };
    let told = warnings(&["walk_125_loop", "idle"], unmarked);
    assert!(told.contains("clip `walk_125_loop` treads on the spot: its root goes at 1.2"), "{told}");
    assert!(!told.contains("`idle`") && !told.contains("no clip travels"), "{told}");
}
