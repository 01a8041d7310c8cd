//! Brings clips from different files onto one skeleton. Exporters may list joints in another order, add end sites, leave
//! fingers out, put a namespace or a prefix before names, or use other separators.

use crate::note::Note;
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum share of its joints that the smallest skeleton must keep; below it, the clips are of different characters.
const KEPT_SHARE: f32 = 2.0 / 3.0;
/// Minimum length of a bone with a meaningful direction, in metres.
const BONE_M: f32 = 0.02;
/// Minimum cosine between the directions of one bone, along its joint's axes, on rigs with equal axes: 30 degrees.
const SAME_DIRECTION: f32 = 0.866;
/// Maximum share of differing bones on rigs with equal axes.
const OTHER_AXES_SHARE: f32 = 0.2;

/// Brings all clips onto their common joints, in the order and with the names of the first clip. This is only done if the
/// joints left out are leaves (with the joints below them) and the hierarchies agree. Otherwise nothing changes, and the build
/// reports the joint that differs.
pub(crate) fn bring(clips: &mut [RawClip]) -> Vec<Note> {
    let Some(first) = clips.first().map(|c| c.skeleton.clone()) else { return Vec::new() };
    let differs = |s: &Skeleton| s.names() != first.names() || s.parents() != first.parents();
    let mut notes = Vec::new();
    if clips.iter().any(|c| differs(&c.skeleton)) {
        let Some(kept) = common(clips) else { return notes };
        let keys = first.keys();
        let order: Vec<usize> = (0..first.len()).filter(|j| kept.contains(&keys[*j])).collect();
        let plans: Option<Vec<Vec<usize>>> = clips.iter().map(|c| plan(&first, &order, &c.skeleton)).collect();
        let Some(plans) = plans else { return notes };
        for (clip, plan) in clips.iter_mut().zip(plans) {
            notes.extend(apply(clip, &first, &order, &plan));
        }
    }
    let (reference, others) = clips.split_at_mut(1);
    for clip in others.iter_mut().filter(|c| has_other_axes(&reference[0], c)) {
        let name = &reference[0].name;
        let text = if turn_axes(clip, &reference[0].skeleton) {
            format!(
                "the joints of `{}` have other axes than those of `{name}`: turned onto them, poses are the same",
                clip.name
            )
        } else {
            format!(
                "the joints of `{}` have other axes than those of `{name}`, and another rest pose: their poses do not go \
                 together; export both from one program, or retarget one",
                clip.name
            )
        };
        notes.push(Note { about: clip.source.clone(), text });
    }
    notes
}

/// Turns the joints of a clip to the axes of another skeleton with the same joints. If both have the same rest pose, it shows
/// the rotation between the axes of each joint. Returns false, without changes, if the rest poses differ.
fn turn_axes(clip: &mut RawClip, like: &Skeleton) -> bool {
    let (own, theirs) = (clip.skeleton.rest_model(), like.rest_model());
    let parents = like.parents().to_vec();
    let bone = |model: &[Transform], j: usize| parents[j].map(|p| model[j].translation - model[p.at()].translation);
    // Only bones below joint 0 are compared: the bones above the body may differ.
    let bones = (1..parents.len()).filter_map(|j| Some((bone(&own, j)?, bone(&theirs, j)?)));
    let long: Vec<_> = bones.filter(|(a, b)| a.length() > BONE_M && b.length() > BONE_M).collect();
    let alike = long.iter().filter(|(a, b)| a.dot(*b) >= SAME_DIRECTION * a.length() * b.length()).count();
    if long.is_empty() || (long.len() - alike) as f32 > OTHER_AXES_SHARE * long.len() as f32 {
        return false;
    }
    let turns: Vec<Quat> =
        own.iter().zip(&theirs).map(|(a, b)| (a.rotation.inverse() * b.rotation).normalize()).collect();
    let above = |j: usize| parents[j].map_or(Quat::IDENTITY, |p| turns[p.at()]);
    let turned = |j: usize, t: Transform| {
        let above = above(j).inverse();
        Transform::new(above * t.translation, (above * t.rotation * turns[j]).normalize())
    };
    let rest = clip.skeleton.rest().iter().enumerate().map(|(j, t)| turned(j, *t)).collect();
    let Ok(skeleton) = Skeleton::new(clip.skeleton.names().to_vec(), parents.clone(), rest) else { return false };
    clip.skeleton = skeleton;
    let frames = clip.translations.iter_mut().zip(&mut clip.rotations);
    for (i, (translation, rotation)) in frames.enumerate() {
        let t = turned(i % parents.len(), Transform::new(*translation, *rotation));
        (*translation, *rotation) = (t.translation, t.rotation);
    }
    true
}

/// Returns the joints that all skeletons have; `None` if they are too few, or if leaving joints out would split a hierarchy.
fn common(clips: &[RawClip]) -> Option<BTreeSet<String>> {
    let mut kept: BTreeSet<String> = clips[0].skeleton.keys().into_iter().collect();
    for c in clips {
        let own: BTreeSet<String> = c.skeleton.keys().into_iter().collect();
        if own.len() < c.skeleton.len() {
            return None;
        }
        kept.retain(|k| own.contains(k));
    }
    let fewest = clips.iter().map(|c| c.skeleton.len()).min().unwrap_or(0);
    let whole = |s: &Skeleton| {
        let kept: Vec<bool> = s.keys().iter().map(|k| kept.contains(k)).collect();
        (0..s.len()).all(|j| !kept[j] || s.parents()[j].is_none_or(|p| kept[p.at()]))
    };
    (kept.len() as f32 >= KEPT_SHARE * fewest as f32 && clips.iter().all(|c| whole(&c.skeleton))).then_some(kept)
}

/// Returns `[order]` the joint of `own` for each joint of `first`; `None` if the hierarchies differ.
fn plan(first: &Skeleton, order: &[usize], own: &Skeleton) -> Option<Vec<usize>> {
    let (first_keys, own_keys) = (first.keys(), own.keys());
    let by_key: BTreeMap<&str, usize> = own_keys.iter().enumerate().map(|(j, n)| (n.as_str(), j)).collect();
    let plan: Option<Vec<usize>> = order.iter().map(|j| by_key.get(first_keys[*j].as_str()).copied()).collect();
    let plan = plan?;
    let parent = |s: &Skeleton, keys: &[String], j: usize| s.parents()[j].map(|p| keys[p.at()].clone());
    let agree = |(a, b): (&usize, &usize)| parent(first, &first_keys, *a) == parent(own, &own_keys, *b);
    order.iter().zip(&plan).all(agree).then_some(plan)
}

fn apply(clip: &mut RawClip, first: &Skeleton, order: &[usize], plan: &[usize]) -> Option<Note> {
    let own = clip.skeleton.clone();
    let at: BTreeMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let names: Vec<String> = order.iter().map(|j| first.names()[*j].clone()).collect();
    let parents = order.iter().map(|j| first.parents()[*j].map(|p| JointIndex::new(at[&p.at()]))).collect();
    let rest = plan.iter().map(|j| own.rest()[*j]).collect();
    let dropped: Vec<&str> = (0..own.len()).filter(|j| !plan.contains(j)).map(|j| own.names()[j].as_str()).collect();
    let renamed = plan.iter().zip(&names).filter(|(j, n)| own.names()[**j] != **n).count();
    let moved = !plan.is_sorted();
    clip.skeleton = Skeleton::new(names.clone(), parents, rest).ok()?;
    let joints = own.len();
    let frame = |f: usize| plan.iter().map(move |j| f * joints + j);
    let frames = clip.rotations.len() / joints;
    clip.translations = (0..frames).flat_map(frame).map(|i| clip.translations[i]).collect();
    clip.rotations = (0..frames).flat_map(frame).map(|i| clip.rotations[i]).collect();
    clip.annotations.contacts.retain_mut(|c| {
        let new = plan.iter().position(|j| own.names()[*j] == c.joint);
        c.joint = new.map_or_else(String::new, |j| names[j].clone());
        new.is_some()
    });
    let mut done = Vec::new();
    if !dropped.is_empty() {
        const MOST: usize = 4;
        let more = if dropped.len() > MOST { ", .." } else { "" };
        let some = dropped[..dropped.len().min(MOST)].join("`, `");
        done.push(format!("{} joints that not all clips have are left out (`{some}`{more})", dropped.len()));
    }
    if renamed > 0 {
        done.push(format!("{renamed} joints take the names of the first clip's"));
    }
    if moved {
        done.push("joints are put into the order of the first clip's".to_owned());
    }
    (!done.is_empty()).then(|| Note { about: clip.source.clone(), text: done.join("; ") })
}

/// Returns true if many bones of two clips have other directions along the axes of the joint that carries them.
fn has_other_axes(a: &RawClip, b: &RawClip) -> bool {
    if a.skeleton.len() != b.skeleton.len() || a.skeleton.names() != b.skeleton.names() {
        return false;
    }
    // Translations of joint 0 hold the root's motion.
    let bones = (1..a.skeleton.len()).map(|j| (a.translations[j], b.translations[j]));
    let long: Vec<_> = bones.filter(|(u, v)| u.length() > BONE_M && v.length() > BONE_M).collect();
    let other = long.iter().filter(|(u, v)| u.dot(*v) < SAME_DIRECTION * u.length() * v.length()).count();
    other as f32 > OTHER_AXES_SHARE * long.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// Returns a clip of a chain with a limb; `turn` of each joint's index is the rotation of its axes.
    fn clip(name: &str, turn: impl Fn(usize) -> Quat) -> RawClip {
        let parents = [None, Some(0), Some(1), Some(2), Some(1), Some(4)];
        let rest = [Vec3::Y, Vec3::ZERO, Vec3::Y * 0.3, Vec3::Y * 0.2, Vec3::X * 0.2, Vec3::NEG_Y * 0.4];
        let own = |j: usize, t: Transform| {
            let above = parents[j].map_or(Quat::IDENTITY, &turn).inverse();
            Transform::new(above * t.translation, above * t.rotation * turn(j))
        };
        let bent =
            |f: usize, j: usize| Quat::from_rotation_x(0.1 * (f * j) as f32) * Quat::from_rotation_z(0.05 * j as f32);
        let frames = (0..5).flat_map(|f| (0..6).map(move |j| (f, j)));
        let (translations, rotations) = frames
            .map(|(f, j)| own(j, Transform::new(rest[j], bent(f, j))))
            .map(|t| (t.translation, t.rotation))
            .unzip();
        let rest = (0..6).map(|j| own(j, Transform::new(rest[j], Quat::IDENTITY))).collect();
        let names = (0..6).map(|j| format!("j{j}")).collect();
        let parents = parents.iter().map(|p| p.map(JointIndex::new)).collect();
        RawClip {
            name: name.to_owned(),
            source: name.to_owned(),
            skeleton: Skeleton::new(names, parents, rest).unwrap(),
            rate_hz: 30.0,
            looping: false,
            translations,
            rotations,
            annotations: Default::default(),
        }
    }

    #[test]
    fn other_axes_are_turned_onto_the_first_clips_and_no_joint_moves() {
        let first = clip("a", |_| Quat::IDENTITY);
        let turned = clip("b", |j| Quat::from_rotation_y(0.7 * j as f32 + 1.0) * Quat::from_rotation_z(1.9));
        assert!(has_other_axes(&first, &turned));
        let mut clips = [first.clone(), turned];
        let notes = bring(&mut clips);
        assert!(notes.len() == 1 && notes[0].text.contains("turned onto them"), "{notes:?}");
        for (a, b) in first.translations.iter().zip(&clips[1].translations) {
            assert!((*a - *b).length() < 1e-5);
        }
        for (a, b) in first.rotations.iter().zip(&clips[1].rotations) {
            assert!(a.angle_between(*b) < 1e-3);
        }
    }

    #[test]
    fn prefixes_and_separators_do_not_tear_one_rig_apart() {
        // Spellings with a namespace, and with separators within a name.
        let spellings = [("Model:", "_"), ("Armature|", "-"), ("mixamorig:", "")];
        let bones =
            [["Hips", ""], ["Lower", "Spine"], ["Upper", "Spine"], ["Head", ""], ["Left", "Arm"], ["Left", "Hand"]];
        let mut clips = spellings.map(|(namespace, separator)| {
            let mut c = clip(namespace, |_| Quat::IDENTITY);
            let names = bones.iter().map(|[a, b]| match b.is_empty() {
                true => format!("{namespace}{a}"),
                false => format!("{namespace}{a}{separator}{b}"),
            });
            let names = names.collect();
            c.skeleton = Skeleton::new(names, c.skeleton.parents().to_vec(), c.skeleton.rest().to_vec()).unwrap();
            c
        });
        bring(&mut clips);
        assert!(clips.iter().all(|c| c.skeleton.names() == clips[0].skeleton.names()));
    }
}
