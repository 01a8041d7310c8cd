//! Splitting of a joint's name into side, part of the body, and number. `mixamorig:LeftUpLeg`, `thigh_l` and `L_Hip` differ only
//! in words.

use std::collections::{BTreeMap, BTreeSet};

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// At +X of a character that faces +Z.
    Left,
    /// At -X.
    Right,
}

impl Side {
    /// Both, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Returns the prefix of roles: `left` or `right`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// A split name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// Side, if the name contains one.
    pub side: Option<Side>,
    /// The rest, lower case, in one word: `upleg`.
    pub part: String,
    /// Number after it: 2 of `Spine2`.
    pub number: Option<u32>,
}

/// Words that do not describe the part: prefixes and suffixes of exporters and studios.
const NOISE: &[&str] = &[
    "mixamorig",
    "cc",
    "base",
    "bip",
    "biped",
    "valve",
    "def",
    "org",
    "j",
    "c",
    "m",
    "jnt",
    "joint",
    "bn",
    "bone",
    "bind",
    "skin",
    "sk",
    "b",
    "bend",
    "char",
    "character",
    "rig",
    "armature",
];
/// Share of all names at which a word counts as a common prefix.
const COMMON: f32 = 0.8;

/// Returns the words that nearly all names of a rig share, such as its own prefix.
pub fn common(names: &[String]) -> BTreeSet<String> {
    const FEWEST: usize = 6;
    if names.len() < FEWEST {
        return BTreeSet::new();
    }
    let mut names_with: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        for word in tokens(name).into_iter().collect::<BTreeSet<String>>() {
            *names_with.entry(word).or_default() += 1;
        }
    }
    let least = COMMON * names.len() as f32;
    names_with.into_iter().filter(|(_, count)| *count as f32 >= least).map(|(word, _)| word).collect()
}

/// Returns the names without an exporter's serial number at the end, which counts nodes: `b_LeftLeg02_016`.
pub fn without_serials(names: &[String]) -> Vec<String> {
    let bare = |name: &str| {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (bare.len() < name.len()).then(|| (bare.to_owned(), name[bare.len()..].to_owned()))
    };
    let counted: Vec<(String, String)> = names.iter().filter_map(|n| bare(n)).collect();
    let different: BTreeSet<u64> = counted.iter().filter_map(|(_, n)| n.parse().ok()).collect();
    let is_serial = counted.len() as f32 >= COMMON * names.len() as f32 && different.len() == counted.len();
    let strip = |name: &String| match bare(name) {
        // A joint whose name is only a number keeps it.
        Some((bare, _)) if is_serial && bare.contains(char::is_alphabetic) => bare,
        _ => name.clone(),
    };
    names.iter().map(strip).collect()
}

/// Splits a name. `known` returns whether a word is a part of the body: `lfoot` is a left foot because `foot` is one, and `ball`
/// is not a right `bal`.
pub fn split(name: &str, common: &BTreeSet<String>, known: impl Fn(&str) -> bool) -> Words {
    let mut words = tokens(name);
    if let [vertebra, number] = &words[..]
        && matches!(vertebra.as_str(), "l" | "t")
        && let Ok(number) = number.parse()
    {
        // Xsens counts vertebrae: L5, T12.
        return Words { side: None, part: vertebra.clone(), number: Some(number) };
    }
    if words.iter().any(|w| !common.contains(w) && !is_number(w)) {
        words.retain(|w| !common.contains(w));
    }
    let side_at = words.iter().position(|w| side_word(w).is_some());
    let mut side = side_at.and_then(|i| side_word(&words[i]));
    if let Some(i) = side_at {
        words.remove(i);
    }
    let telling = |w: &String| !is_number(w) && !NOISE.contains(&w.as_str());
    if words.iter().any(telling) {
        words.retain(|w| is_number(w) || !NOISE.contains(&w.as_str()));
    }
    let first = words.iter().position(|w| !is_number(w)).unwrap_or(words.len());
    let number = words[first..].iter().rev().find_map(|w| w.parse().ok());
    let mut part: String = words[first..].iter().filter(|w| !is_number(w)).map(String::as_str).collect();
    if side.is_none()
        && !known(&part)
        && let Some((found, rest)) = glued(&part, &known)
    {
        (side, part) = (Some(found), rest);
    }
    Words { side, part, number }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}

fn side_word(word: &str) -> Option<Side> {
    match word {
        "left" | "l" | "lft" | "lt" => Some(Side::Left),
        "right" | "r" | "rgt" | "rt" => Some(Side::Right),
        _ => None,
    }
}

/// Splits off a side without separator: `lefthand`, `lfoot`, `footl`.
fn glued(part: &str, known: &impl Fn(&str) -> bool) -> Option<(Side, String)> {
    [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)].into_iter().find_map(
        |(w, side)| {
            let rest = [part.strip_prefix(w), part.strip_suffix(w)].into_iter().flatten().find(|rest| known(rest))?;
            Some((side, rest.to_owned()))
        },
    )
}

/// Returns the lower-case words of a name without its namespace; digits are separate words.
pub(crate) fn tokens(name: &str) -> Vec<String> {
    let name: Vec<char> = name.rsplit([':', '|']).next().unwrap_or(name).chars().collect();
    let mut words = vec![String::new()];
    for (i, c) in name.iter().enumerate() {
        let before = i.checked_sub(1).map(|k| name[k]);
        let starts = before.is_some_and(|b| {
            b.is_ascii_digit() != c.is_ascii_digit()
                || b.is_lowercase() && c.is_uppercase()
                // The last of consecutive capitals begins the next word: `LHip` is `L Hip`.
                || b.is_uppercase() && c.is_uppercase() && name.get(i + 1).is_some_and(|n| n.is_lowercase())
        });
        if starts || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_part_and_number_are_told_apart_in_all_spellings() {
        let known = |w: &str| ["upleg", "thigh", "hip", "hand", "foot", "ball", "calf"].contains(&w);
        for (name, side, part, number) in [
            ("mixamorig:LeftUpLeg", Some(Side::Left), "upleg", None),
            ("mixamorig1:LeftUpLeg", Some(Side::Left), "upleg", None),
            ("thigh_l", Some(Side::Left), "thigh", None),
            ("L_Hip", Some(Side::Left), "hip", None),
            ("lThigh", Some(Side::Left), "thigh", None),
            ("RHipJoint", Some(Side::Right), "hip", None),
            ("Bip01 R Thigh", Some(Side::Right), "thigh", None),
            ("CC_Base_L_Thigh", Some(Side::Left), "thigh", None),
            ("DEF-thigh.R.001", Some(Side::Right), "thigh", Some(1)),
            ("J_Bip_L_UpperLeg", Some(Side::Left), "upperleg", None),
            ("Lefthand", Some(Side::Left), "hand", None),
            ("rfoot", Some(Side::Right), "foot", None),
            ("ball", None, "ball", None),
            ("spine_02", None, "spine", Some(2)),
            ("L5", None, "l", Some(5)),
            ("Root", None, "root", None),
        ] {
            let words = split(name, &BTreeSet::new(), known);
            assert_eq!(words, Words { side, part: part.into(), number }, "{name}");
        }
    }

    #[test]
    fn a_rigs_own_prefix_is_no_part_of_its_names() {
        let names: Vec<String> =
            ["Hips", "Spine", "Head", "LeftLeg", "RightLeg", "Neck"].map(|n| format!("Hero{n}")).into();
        assert_eq!(common(&names), BTreeSet::from(["hero".to_owned()]));
        assert_eq!(split("HeroLeftLeg", &common(&names), |_| false).part, "leg");
        assert!(common(&names[..3]).is_empty());
    }
}
