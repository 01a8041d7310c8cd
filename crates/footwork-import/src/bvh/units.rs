//! Guesses the unit of length of a file, as the format does not state it.

use super::Bvh;
use super::error::BvhProblem;
use crate::units::{Bones, guess, is_cmu};
pub use crate::units::{UnitGuess, Units};

/// Guesses the unit from the skeleton; returns `None` if no bone has a length.
///
/// The body length is the sum of the two longest chains of bones below different children of the first joint with two children
/// or more (the hips), End Sites included. Bones above that joint (a root bone, the position of the first frame) do not count.
/// Candidates are metres, decimetres, centimetres, millimetres, feet, inches and the units of the CMU data. The result is the
/// one that brings the length nearest to 1.9 m on a logarithmic scale; it is reliable for people up to 2 m. The CMU data holds
/// adults: for a body of less than 1.6 m its units are only a candidate if the joints have its names (`LHipJoint`,
/// `LowerBack`).
pub fn guess_units(bvh: &Bvh) -> Option<UnitGuess> {
    let bones = Bones {
        parents: bvh.joints.iter().map(|j| j.parent).collect(),
        lengths: bvh.joints.iter().map(|j| j.offset.length()).collect(),
        ends: bvh.joints.iter().map(|j| j.end_site.map_or(0.0, |e| e.length())).collect(),
    };
    guess(bones.body_length(), is_cmu(bvh.joints.iter().map(|j| j.name.as_str())))
}

/// Returns metres per unit, as requested or as guessed.
pub(super) fn metres_per_unit(bvh: &Bvh, units: Units) -> Result<f32, BvhProblem> {
    let scale = match units.metres_per_unit() {
        Some(scale) => scale,
        None => guess_units(bvh).ok_or(BvhProblem::UnknownUnits)?.metres_per_unit,
    };
    if scale.is_finite() && scale > 0.0 { Ok(scale) } else { Err(BvhProblem::BadUnits { metres_per_unit: scale }) }
}

#[cfg(test)]
mod tests {
    use super::super::BvhJoint;
    use super::*;
    use crate::units::CANDIDATES;
    use glam::Vec3;

    /// Returns a skeleton from (name, parent, length of the bone to the parent).
    fn skeleton(bones: &[(&str, Option<usize>, f32)], metres_per_unit: f32) -> Bvh {
        let joints = bones.iter().map(|(name, parent, m)| BvhJoint {
            name: (*name).into(),
            parent: *parent,
            offset: Vec3::new(0.0, *m / metres_per_unit, 0.0),
            channels: Vec::new(),
            end_site: None,
        });
        Bvh { joints: joints.collect(), frames: 0, frame_time_s: 0.1, values: Vec::new() }
    }

    /// Returns a person of `metres` with arms, under a root bone and a distant first position.
    fn person(metres: f32, metres_per_unit: f32) -> Bvh {
        let k = metres / 1.70;
        let bones = [
            ("Root", None, 50.0),
            ("Hips", Some(0), 0.95 * k),
            ("LeftUpLeg", Some(1), 0.1 * k),
            ("LeftLeg", Some(2), 0.43 * k),
            ("LeftFoot", Some(3), 0.42 * k),
            ("LeftToe", Some(4), 0.17 * k),
            ("RightUpLeg", Some(1), 0.1 * k),
            ("RightLeg", Some(6), 0.43 * k),
            ("RightFoot", Some(7), 0.42 * k),
            ("Spine", Some(1), 0.3 * k),
            ("Neck", Some(9), 0.25 * k),
            ("Head", Some(10), 0.12 * k),
            ("LeftArm", Some(9), 0.3 * k),
            ("LeftForeArm", Some(12), 0.3 * k),
            ("LeftHand", Some(13), 0.25 * k),
        ];
        skeleton(&bones, metres_per_unit)
    }

    #[test]
    fn people_of_any_height_are_told_apart_in_all_units() {
        for metres in [1.0, 1.3, 67.0 * 0.0254, 2.0, 2.2] {
            // A very tall person in CMU units has the numbers of a child in inches.
            let told_apart = |c: &(f32, &str)| match c.1 {
                "CMU units" | "decimetres" => metres <= 2.0,
                "feet" => metres >= 1.3,
                _ => true,
            };
            for (metres_per_unit, unit) in CANDIDATES.into_iter().filter(told_apart) {
                let mut bvh = person(metres, metres_per_unit);
                if unit == "CMU units" {
                    bvh.joints[9].name = "LowerBack".into();
                }
                let g = guess_units(&bvh).unwrap();
                assert_eq!((g.unit, g.metres_per_unit), (unit, metres_per_unit), "{metres} m: {g:?}");
                assert!(!g.doubtful, "{g:?}");
                assert!((g.body_length_units * metres_per_unit - g.body_length_m).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn without_the_names_of_the_cmu_data_its_units_are_for_grown_people_alone() {
        let cmu = CANDIDATES[4].0;
        assert_eq!(guess_units(&person(1.7, cmu)).unwrap().unit, "CMU units");
        // A child of one metre in CMU units has the numbers of a tall adult in decimetres.
        assert_eq!(guess_units(&person(1.0, cmu)).unwrap().unit, "decimetres");
        let told = |g: UnitGuess| g.surprise().is_some();
        for (metres_per_unit, unit) in CANDIDATES {
            let odd = ["feet", "decimetres", "inches"].contains(&unit);
            assert_eq!(told(guess_units(&person(1.7, metres_per_unit)).unwrap()), odd, "{unit}");
        }
    }

    #[test]
    fn a_dog_and_a_tail_of_bones_are_guessed_too() {
        let dog = [("Hips", None, 0.0), ("Spine", Some(0), 0.4), ("Arm", Some(1), 0.7), ("Leg", Some(0), 0.55)];
        assert_eq!(guess_units(&skeleton(&dog, 1.0)).unwrap().unit, "metres");
        assert_eq!(guess_units(&skeleton(&dog, 0.01)).unwrap().unit, "centimetres");
        let chain = [("A", None, 9.0), ("B", Some(0), 0.9), ("C", Some(1), 0.9)];
        let g = guess_units(&skeleton(&chain, 0.01)).unwrap();
        assert!((g.body_length_m - 1.8).abs() < 1e-5);
    }

    #[test]
    fn end_sites_count_and_strange_sizes_are_marked() {
        let mut b = skeleton(&[("Hips", None, 5.0)], 1.0);
        assert_eq!(guess_units(&b), None);
        b.joints[0].end_site = Some(Vec3::new(0.0, 4.0, 0.0));
        let g = guess_units(&b).unwrap();
        assert!(g.doubtful && (g.body_length_units - 4.0).abs() < 1e-5, "{g:?}");
    }
}
