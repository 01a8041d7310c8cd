//! Roles by the words of joint names, corrected by the hierarchy.
//!
//! One table of words per part of the body; sides come from [`super::words`]. Sources: the joint lists of LAFAN1, Mixamo, CMU,
//! Daz, Rokoko, Xsens, the Unreal mannequin, Unity, VRM, SMPL, Rigify, Character Creator, 3ds Max' biped.

use super::tree;
use super::words::{Side, Words, common, split, without_serials};
use crate::skeleton::Skeleton;
use std::collections::BTreeMap;

/// Limbs, in the order of assignment: a joint has one role, so that `Foot` is a toe if there is an `Ankle`, and `Shoulder` an
/// upper arm if there is a `Collar`. More specific words come first.
const LIMBS: &[(&str, &[&str])] = &[
    ("leg", &["lowerleg", "lowleg", "calf", "shin", "shank", "knee", "tibia", "leg"]),
    ("up_leg", &["upleg", "upperleg", "thigh", "femur", "hip", "leg"]),
    ("foot", &["ankle", "foot"]),
    ("toe", &["toe", "toes", "ball", "football", "footthumb", "forefoot", "foot", "footend", "ankleend", "pawend"]),
    ("fore_arm", &["forearm", "lowerarm", "lowarm", "elbow", "ulna"]),
    ("shoulder", &["clavicle", "clav", "collar", "collarbone", "shoulder", "scapula"]),
    ("up_arm", &["uparm", "upperarm", "arm", "shldr", "humerus", "shoulder"]),
    ("hand", &["wrist", "hand", "palm"]),
];
const HIPS: &[&str] = &["pelvis", "hips", "hip"];
const SPINE: &[&str] = &[
    "spine",
    "chest",
    "upperchest",
    "lowerchest",
    "chestlower",
    "chestupper",
    "lowerback",
    "back",
    "abdomen",
    "abdomenlower",
    "abdomenupper",
    "waist",
    "torso",
    "ribcage",
    "thorax",
    "upperspine",
    "lowerspine",
    "l",
    "t",
];
const NECK: &[&str] = &["neck", "necklower", "lowerneck", "necktwist", "neckupper"];
const HEAD: &[&str] = &["head", "skull"];

/// Confidence in a word with a single meaning.
const SURE: f32 = 0.95;
/// Confidence in a word that means another joint on other rigs.
const USUAL: f32 = 0.85;
/// Confidence in a joint found by its position between joints with known names.
const BETWEEN: f32 = 0.8;
/// Confidence in a joint whose position in the hierarchy contradicts its role.
const BROKEN: f32 = 0.3;

/// Joints by role with their confidence, and notes on contradictions with the hierarchy.
#[derive(Debug, Default)]
pub struct Named {
    pub joints: BTreeMap<String, (usize, f32)>,
    pub notes: Vec<String>,
}

fn known(word: &str) -> bool {
    let limbs = LIMBS.iter().flat_map(|l| l.1.iter());
    limbs.chain(HIPS).chain(SPINE).chain(NECK).chain(HEAD).any(|w| *w == word)
}

/// Splits all names of a skeleton.
pub fn words(skeleton: &Skeleton) -> Vec<Words> {
    let names = without_serials(skeleton.names());
    let shared = common(&names);
    names.iter().map(|n| split(n, &shared, known)).collect()
}

/// Finds roles by names.
pub fn find(skeleton: &Skeleton) -> Named {
    let words = words(skeleton);
    let mut named = Named::default();
    for side in Side::BOTH {
        limbs(skeleton, &words, side, &mut named);
    }
    trunk(skeleton, &words, &mut named);
    named
}

/// Returns the joint with one of these words, the first word that occurs; of several the one without number, or with the lowest.
fn pick(words: &[Words], side: Option<Side>, list: &[&str], free: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
    list.iter().enumerate().find_map(|(rank, word)| {
        let fits = |j: &usize| words[*j].part == *word && words[*j].side == side && free(*j);
        Some((rank, (0..words.len()).filter(fits).min_by_key(|j| (words[*j].number, *j))?))
    })
}

fn limbs(skeleton: &Skeleton, words: &[Words], side: Side, named: &mut Named) {
    let mut found: BTreeMap<&str, (usize, f32)> = BTreeMap::new();
    for (part, list) in LIMBS {
        let free = |j: usize| found.values().all(|f| f.0 != j);
        if let Some((rank, joint)) = pick(words, Some(side), list, free) {
            // The last word of a list is also in another.
            let shared =
                LIMBS.iter().filter(|l| l.1.contains(&list[rank])).count() > 1 && *part != "foot" && *part != "leg";
            found.insert(part, (joint, if shared { USUAL } else { SURE }));
        }
    }
    // In a rig without collar bones, the shoulder is the upper arm.
    if !found.contains_key("up_arm")
        && let Some(shoulder) = found.remove("shoulder")
    {
        found.insert("up_arm", shoulder);
    }
    for chain in [&["up_leg", "leg", "foot", "toe"][..], &["shoulder", "up_arm", "fore_arm", "hand"]] {
        in_order(skeleton, words, chain, &mut found);
        between(skeleton, chain, &mut found);
        for pair in chain.windows(2) {
            let (Some(upper), Some(lower)) = (found.get(pair[0]).copied(), found.get_mut(pair[1])) else { continue };
            if !tree::is_above(skeleton, upper.0, lower.0) {
                lower.1 = BROKEN;
                let (lower, upper) = (&skeleton.names()[lower.0], &skeleton.names()[upper.0]);
                named.notes.push(format!(
                    "`{lower}` is named like a joint below `{upper}` but does not hang there: check `roles.{}_{}`",
                    side.name(),
                    pair[1]
                ));
            }
        }
    }
    named.joints.extend(found.into_iter().map(|(part, f)| (format!("{}_{part}", side.name()), f)));
}

/// Orders joints with the same word by the hierarchy: the upper of `Leg01` and `Leg02` is the thigh.
fn in_order(skeleton: &Skeleton, words: &[Words], chain: &[&'static str], found: &mut BTreeMap<&str, (usize, f32)>) {
    for pair in chain.windows(2) {
        let (Some(upper), Some(lower)) = (found.get(pair[0]).copied(), found.get(pair[1]).copied()) else { continue };
        if words[upper.0].part == words[lower.0].part && tree::is_above(skeleton, lower.0, upper.0) {
            found.insert(pair[0], (lower.0, USUAL));
            found.insert(pair[1], (upper.0, USUAL));
        }
    }
}

/// Fills a gap of one role where exactly one joint lies between its neighbours.
fn between(skeleton: &Skeleton, chain: &[&'static str], found: &mut BTreeMap<&str, (usize, f32)>) {
    for part in chain.windows(3) {
        if let (Some(upper), None, Some(lower)) = (found.get(part[0]), found.get(part[1]), found.get(part[2])) {
            let path = tree::path(skeleton, upper.0, lower.0);
            if let Some([_, middle, _]) = path.as_deref() {
                found.insert(part[1], (*middle, BETWEEN));
            }
        }
    }
}

fn trunk(skeleton: &Skeleton, words: &[Words], named: &mut Named) {
    let found = |named: &Named, role: &str| named.joints.get(role).map(|f| f.0);
    let both = |named: &Named, part: &str| {
        let [left, right] = Side::BOTH.map(|s| found(named, &format!("{}_{part}", s.name())));
        Some(tree::meet(skeleton, left?, right?))
    };
    let middle = |list: &[&str], j: usize| words[j].side.is_none() && list.contains(&words[j].part.as_str());
    let all = 0..skeleton.len();
    if let Some((_, head)) = pick(words, None, HEAD, |_| true) {
        named.joints.insert("head".to_owned(), (head, SURE));
    }
    let head = found(named, "head");
    let (legs, arms) = (both(named, "up_leg"), both(named, "shoulder").or(both(named, "up_arm")));

    // The hips are above all other joints: a pelvis beside the spine does not qualify.
    let carries = |j: usize| [legs, arms, head].iter().flatten().all(|b| j == *b || tree::is_above(skeleton, j, *b));
    let depth = |j: &usize| tree::depth(skeleton, *j);
    let by_name = all.clone().filter(|j| middle(HIPS, *j) && carries(*j)).max_by_key(depth);
    let by_legs = || Some((tree::meet(skeleton, legs?, arms.or(head).unwrap_or(legs?)), BETWEEN));
    if let Some(hips) = by_name.map(|j| (j, SURE)).or_else(by_legs) {
        named.joints.insert("hips".to_owned(), hips);
    }
    let hips = found(named, "hips");

    // The arms branch off from the chest; collar bones may be children of the neck.
    let spine: Vec<usize> = match (hips, arms) {
        (Some(hips), Some(arms)) => {
            let way = tree::path(skeleton, hips, arms).unwrap_or_default();
            way.into_iter().skip(1).take_while(|j| !middle(NECK, *j) && !middle(HEAD, *j)).collect()
        }
        _ => {
            let mut named: Vec<usize> = all.clone().filter(|j| middle(SPINE, *j) && Some(*j) != hips).collect();
            named.sort_by_key(depth);
            named
        }
    };
    let sure = |j: usize| if middle(SPINE, j) { SURE } else { BETWEEN };
    if let [first, .., last] | [first @ last] = spine[..] {
        named.joints.insert("spine".to_owned(), (first, sure(first)));
        named.joints.insert("chest".to_owned(), (last, sure(last)));
    }
    let neck = all.filter(|j| middle(NECK, *j)).min_by_key(depth).map(|j| (j, SURE));
    let under_head = || {
        let way = tree::path(skeleton, found(named, "chest")?, head?)?;
        (way.len() > 2).then(|| (way[1], BETWEEN))
    };
    if let Some(neck) = neck.or_else(under_head) {
        named.joints.insert("neck".to_owned(), neck);
    }
}
