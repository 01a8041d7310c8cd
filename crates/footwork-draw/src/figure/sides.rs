//! Left and right, by the names and roles of joints.

use super::part::Half;
use footwork::frames::JointIndex;
use footwork::roles::JointRoles;
use footwork::skeleton::Skeleton;

/// Returns the side of each joint by its name, otherwise by its role. Children have the side of their parents.
pub fn halves(skeleton: &Skeleton, roles: &JointRoles) -> Vec<Half> {
    let mut halves: Vec<Half> = Vec::with_capacity(skeleton.len());
    for (j, name) in skeleton.names().iter().enumerate() {
        let above = skeleton.parents()[j].map_or(Half::Middle, |p| halves[p.at()]);
        let own = || match half_of(name) {
            Half::Middle => {
                roles.iter().find(|(_, joint)| *joint == JointIndex::new(j)).map_or(Half::Middle, |r| half_of(r.0))
            }
            half => half,
        };
        halves.push(if above == Half::Middle { own() } else { above });
    }
    halves
}

/// Returns the side in the name of a joint.
fn half_of(name: &str) -> Half {
    let name = name.rsplit(':').next().unwrap_or(name);
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let says = |word: &str, letter: &str| {
        let camel = {
            let mut c = name.chars();
            let first = c.next().is_some_and(|f| f.to_lowercase().to_string() == letter);
            first && c.next().is_some_and(char::is_uppercase)
        };
        lower.starts_with(word) || lower.ends_with(word) || words.contains(&word) || words.contains(&letter) || camel
    };
    match (says("left", "l"), says("right", "r")) {
        (true, false) => Half::Left,
        (false, true) => Half::Right,
        _ => Half::Middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read_from_the_names_of_common_rigs() {
        for left in ["LeftFoot", "mixamorig:LeftUpLeg", "thigh_l", "L_Hip", "LHipJoint", "foot.L", "hand_left"] {
            assert_eq!(half_of(left), Half::Left, "{left}");
        }
        for right in ["RightFoot", "thigh_r", "r_ankle", "RThumb"] {
            assert_eq!(half_of(right), Half::Right, "{right}");
        }
        for middle in ["Hips", "Root", "LowerBack", "Spine1", "Neck", "Bip01 Head"] {
            assert_eq!(half_of(middle), Half::Middle, "{middle}");
        }
    }
}
