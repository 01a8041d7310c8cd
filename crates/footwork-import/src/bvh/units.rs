//! Which length a file's numbers are in: the format does not say.

use super::Bvh;
use super::error::BvhProblem;

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
    /// Anything else, for instance 0.056444 for the usual BVH conversion of the CMU data.
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
    /// unit that is none of the four. Worth a warning.
    pub doubtful: bool,
}

const CANDIDATES: [(f32, &str); 4] =
    [(1.0, "metres"), (0.01, "centimetres"), (0.001, "millimetres"), (0.0254, "inches")];

/// Body length of the usual character, metres: grown people measure 2.0 to 2.4 (leg plus spine and arm), large dogs 1.5
/// to 1.8 (foreleg and spine plus hind leg).
const USUAL_BODY_LENGTH_M: f32 = 1.9;

/// Guesses the unit from the skeleton; `None` when no bone has a length.
///
/// The body length is the sum of the two longest chains of bones that leave the first joint with two children or more
/// (the hips) by different children, End Sites included. What lies above that joint (a root bone, the place of the first
/// frame) does not count. Of metres, centimetres, millimetres and inches the one is taken that brings it nearest to 1.9 m
/// on a logarithmic scale; bodies of 1.2 m to 3 m are told apart for certain.
pub fn guess_units(bvh: &Bvh) -> Option<UnitGuess> {
    let length = body_length(bvh);
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

fn body_length(bvh: &Bvh) -> f32 {
    let joints = &bvh.joints;
    // Longest way down from each joint; parents come before children, so backwards all children are done.
    let mut below = vec![0.0f32; joints.len()];
    let mut two_longest = vec![[0.0f32; 2]; joints.len()];
    let mut children = vec![0usize; joints.len()];
    for j in (0..joints.len()).rev() {
        below[j] = below[j].max(joints[j].end_site.map_or(0.0, |e| e.length()));
        let Some(parent) = joints[j].parent.filter(|p| *p < j) else { continue };
        let reach = joints[j].offset.length() + below[j];
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
