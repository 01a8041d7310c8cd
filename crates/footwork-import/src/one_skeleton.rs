//! One skeleton for clips that come from different files: exporters list joints in another order, add end sites, leave
//! fingers out, put a namespace or a prefix before names, write them with other separators.

use crate::note::Note;
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::skeleton::Skeleton;
use std::collections::{BTreeMap, BTreeSet};

/// The smallest skeleton must keep this share of its joints: below, the clips are of different characters.
const KEPT_SHARE: f32 = 2.0 / 3.0;
/// Bones shorter than this have no direction that tells anything, metres.
const BONE_M: f32 = 0.02;
/// Bones that point elsewhere, along their joint's axes, by more than this are of another rig: cosine of 30 degrees.
const SAME_DIRECTION: f32 = 0.866;
/// From this share of such bones on, rigs differ.
const OTHER_AXES_SHARE: f32 = 0.2;

/// Brings all clips onto the joints that they have in common, in the order and under the names of the first clip, if
/// what is left out are leaves (and what hangs on them) and the hierarchies agree. Where not, nothing changes, and the
/// build says which joint is in the way.
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
    let (reference, others) = clips.split_at(1);
    notes.extend(others.iter().filter(|c| has_other_axes(&reference[0], c)).map(|c| Note {
        about: c.source.clone(),
        text: format!(
            "the joints of `{}` have other axes than those of `{}`: their poses do not go together; export both from one \
             program, or retarget one",
            c.name, reference[0].name
        ),
    }));
    notes
}

/// What all skeletons have; `None` where that is too little, or where one would be torn apart.
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

/// `[order]` the joint of `own` that stands for each of `first`; `None` where the hierarchies disagree.
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

/// True when many bones of two clips point elsewhere along the axes of the joint that carries them.
fn has_other_axes(a: &RawClip, b: &RawClip) -> bool {
    if a.skeleton.len() != b.skeleton.len() || a.skeleton.names() != b.skeleton.names() {
        return false;
    }
    // Joint 0 carries the motion.
    let bones = (1..a.skeleton.len()).map(|j| (a.translations[j], b.translations[j]));
    let long: Vec<_> = bones.filter(|(u, v)| u.length() > BONE_M && v.length() > BONE_M).collect();
    let other = long.iter().filter(|(u, v)| u.dot(*v) < SAME_DIRECTION * u.length() * v.length()).count();
    other as f32 > OTHER_AXES_SHARE * long.len() as f32
}
