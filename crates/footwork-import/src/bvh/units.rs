//! Which length a file's numbers are in: the format does not say.

use super::Bvh;
use super::error::BvhProblem;
use glam::Vec3;

/// The unit of length of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Units {
    /// Guessed from the size of the skeleton by [`guess_units`]. The default.
    #[default]
    Auto,
    /// 1 m.
    Metres,
    /// 0.01 m.
    Centimetres,
    /// 0.001 m.
    Millimetres,
    /// 0.0254 m.
    Inches,
    /// Anything else, for instance 0.056444 for the usual BVH conversions of the CMU data (which `Auto` knows too).
    MetresPerUnit(f32),
}

/// What [`guess_units`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitGuess {
    /// Length of the unit, metres.
    pub metres_per_unit: f32,
    /// Its name, such as `centimetres`.
    pub unit: &'static str,
    /// The body length that it was guessed from, file units.
    pub body_length_units: f32,
    /// The same in metres, under the guess.
    pub body_length_m: f32,
    /// True when even the best unit gives a body shorter than 1.2 m or longer than 3 m: a small or large creature, or a
    /// unit that is none of these. Worth a warning.
    pub doubtful: bool,
}

/// The last is what the usual BVH conversions of the CMU data are in: inches divided by 0.45.
const CANDIDATES: [(f32, &str); 5] =
    [(1.0, "metres"), (0.01, "centimetres"), (0.001, "millimetres"), (0.0254, "inches"), (0.0254 / 0.45, "CMU units")];

/// Body length of the usual character, metres: grown people measure 2.0 to 2.4 (leg plus spine and arm), large dogs 1.5
/// to 1.8 (foreleg and spine plus hind leg).
const USUAL_BODY_LENGTH_M: f32 = 1.9;

/// Guesses the unit from the skeleton; `None` when no bone has a length.
///
/// The body length is the sum of the two longest chains of bones that leave the first joint with two children or more
/// (the hips) by different children, End Sites included. What lies above that joint (a root bone, the place of the first
/// frame) does not count. Of metres, centimetres, millimetres, inches and the units of the CMU data the one is taken that brings it nearest to 1.9 m
/// on a logarithmic scale; people up to 2 m are told apart for certain.
pub fn guess_units(bvh: &Bvh) -> Option<UnitGuess> {
    let length = body_length(
        bvh.joints.len(),
        |j| bvh.joints[j].parent,
        |j| bvh.joints[j].offset,
        |j| bvh.joints[j].end_site.map_or(0.0, |e| e.length()),
    );
    if !(length.is_finite() && length > 0.0) {
        return None;
    }
    let off = |metres_per_unit: f32| {
        let ratio = length * metres_per_unit / USUAL_BODY_LENGTH_M;
        ratio.max(1.0 / ratio)
    };
    let (metres_per_unit, unit) = CANDIDATES.into_iter().min_by(|a, b| off(a.0).total_cmp(&off(b.0)))?;
    let body_length_m = length * metres_per_unit;
    Some(UnitGuess {
        metres_per_unit,
        unit,
        body_length_units: length,
        body_length_m,
        doubtful: !(1.2..=3.0).contains(&body_length_m),
    })
}

/// The two longest chains of bones that leave the first joint with two children or more, together, in the unit of `offset`;
/// `end` is what a joint's bone measures beyond its last child.
pub(crate) fn body_length(
    joints: usize,
    parent: impl Fn(usize) -> Option<usize>,
    offset: impl Fn(usize) -> Vec3,
    end: impl Fn(usize) -> f32,
) -> f32 {
    // Longest way down from each joint; parents come before children, so backwards all children are done.
    let mut below = vec![0.0f32; joints];
    let mut two_longest = vec![[0.0f32; 2]; joints];
    let mut children = vec![0usize; joints];
    for j in (0..joints).rev() {
        below[j] = below[j].max(end(j));
        let Some(parent) = parent(j).filter(|p| *p < j) else { continue };
        let reach = offset(j).length() + below[j];
        below[parent] = below[parent].max(reach);
        children[parent] += 1;
        let [longest, second] = &mut two_longest[parent];
        if reach > *longest {
            *second = std::mem::replace(longest, reach);
        } else {
            *second = second.max(reach);
        }
    }
    // Files list joints depth first: the first with two children is the nearest to the root.
    match children.iter().position(|c| *c >= 2) {
        Some(hips) => two_longest[hips].iter().sum(),
        None => below.first().copied().unwrap_or(0.0),
    }
}

/// Metres per unit as asked for, or as guessed.
pub(super) fn metres_per_unit(bvh: &Bvh, units: Units) -> Result<f32, BvhProblem> {
    let scale = match units {
        Units::Auto => guess_units(bvh).ok_or(BvhProblem::UnknownUnits)?.metres_per_unit,
        Units::Metres => 1.0,
        Units::Centimetres => 0.01,
        Units::Millimetres => 0.001,
        Units::Inches => 0.0254,
        Units::MetresPerUnit(m) => m,
    };
    if scale.is_finite() && scale > 0.0 { Ok(scale) } else { Err(BvhProblem::BadUnits { metres_per_unit: scale }) }
}

#[cfg(test)]
mod tests {
    use super::super::{Bvh, BvhJoint};
    use super::*;

    /// (name, parent, length of the bone to the parent).
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

    /// A person of `metres` with arms, under a root bone and a far first position.
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
            // A giant in CMU units has the numbers of a child in inches.
            for (metres_per_unit, unit) in CANDIDATES.into_iter().filter(|c| metres <= 2.0 || c.1 != "CMU units") {
                let g = guess_units(&person(metres, metres_per_unit)).unwrap();
                assert_eq!((g.unit, g.metres_per_unit), (unit, metres_per_unit), "{metres} m: {g:?}");
                assert!(!g.doubtful, "{g:?}");
                assert!((g.body_length_units * metres_per_unit - g.body_length_m).abs() < 1e-5);
            }
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
        b.joints[0].end_site = Some(Vec3::new(0.0, 20.0, 0.0));
        let g = guess_units(&b).unwrap();
        assert!(g.doubtful && (g.body_length_units - 20.0).abs() < 1e-5, "{g:?}");
    }
}
