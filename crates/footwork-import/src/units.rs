//! Units of length of motion files. BVH has no field for it, glTF uses metres, FBX has one; exporters make mistakes.

use footwork::skeleton::Skeleton;

/// Unit of length of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Units {
    /// The file's own unit: metres for glTF, the header's unit for FBX, and for BVH the unit that the size of the skeleton
    /// suggests ([`guess_units`](crate::bvh::guess_units)). The default. Any other value overrides the file.
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
    /// Any other unit, such as 0.056444 for the usual BVH conversions of the CMU data (which `Auto` also recognises).
    MetresPerUnit(f32),
}

impl Units {
    /// Returns metres per unit; `None` for `Auto`.
    pub fn metres_per_unit(self) -> Option<f32> {
        match self {
            Self::Auto => None,
            Self::Metres => Some(1.0),
            Self::Centimetres => Some(0.01),
            Self::Millimetres => Some(0.001),
            Self::Inches => Some(0.0254),
            Self::MetresPerUnit(m) => Some(m),
        }
    }

    /// Returns the name, such as `centimetres`; `None` for `Auto`.
    pub fn name(self) -> Option<String> {
        let metres = self.metres_per_unit()?;
        let known = CANDIDATES.iter().find(|(m, _)| *m == metres);
        Some(known.map_or_else(|| format!("{metres} m per unit"), |(_, name)| (*name).to_owned()))
    }
}

/// Result of [`guess_units`](crate::bvh::guess_units).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitGuess {
    /// Length of the unit, in metres.
    pub metres_per_unit: f32,
    /// Name of the unit, such as `centimetres`.
    pub unit: &'static str,
    /// Body length that the unit was guessed from, in file units.
    pub body_length_units: f32,
    /// The same length in metres, with the guessed unit.
    pub body_length_m: f32,
    /// True if even the best unit gives a body shorter than 1.2 m or longer than 3 m: a small or large creature, or a unit that
    /// is none of these. Warn the user in this case.
    pub doubtful: bool,
}

/// Units that a guess considers, and their names. The usual BVH conversions of the CMU data are in CMU units: inches divided by
/// 0.45.
pub(crate) const CANDIDATES: [(f32, &str); 7] = [
    (1.0, "metres"),
    (0.01, "centimetres"),
    (0.001, "millimetres"),
    (0.0254, "inches"),
    (CMU_M, "CMU units"),
    (0.3048, "feet"),
    (0.1, "decimetres"),
];
const CMU_M: f32 = 0.0254 / 0.45;
/// Minimum body length for CMU units, in metres: the people of the CMU data are adults. A shorter body is an adult in
/// decimetres, unless its joints have the names of those conversions.
const CMU_BODY_M: f32 = 1.6;
/// With those names, decimetres are considered only below this length, in metres: the body would be a child of less than a
/// metre.
const CMU_CHILD_M: f32 = 1.3;
const CMU_JOINTS: [&str; 2] = ["LHipJoint", "LowerBack"];
/// Minimum length of a body in feet. Shorter bodies are large animals in metres: a horse measures 4.2 m, a person of 1.25 m 5.5
/// feet.
const LEAST_FEET: f32 = 5.5;
/// Units that programs write. A file in another unit was exported by mistake, or edited.
const USUAL: [&str; 4] = ["metres", "centimetres", "millimetres", "CMU units"];

/// Body length of the usual character, in metres: adults measure 2.0 to 2.4 (leg plus spine and arm), large dogs 1.5 to 1.8
/// (foreleg and spine plus hind leg).
const USUAL_BODY_LENGTH_M: f32 = 1.9;

/// Bone lengths of a skeleton.
pub(crate) struct Bones {
    /// `[joints]`, parents before children.
    pub parents: Vec<Option<usize>>,
    /// `[joints]` distance to the parent.
    pub lengths: Vec<f32>,
    /// `[joints]` distance to an end that is not a joint; 0 without one.
    pub ends: Vec<f32>,
}

impl Bones {
    /// Returns the bones of a skeleton in its rest pose, in metres.
    pub fn of(skeleton: &Skeleton) -> Self {
        Self {
            parents: skeleton.parents().iter().map(|p| p.map(|p| p.at())).collect(),
            lengths: skeleton.rest().iter().map(|r| r.translation.length()).collect(),
            ends: vec![0.0; skeleton.len()],
        }
    }

    /// Returns the sum of the two longest chains below different children of the first joint with two or more children.
    pub fn body_length(&self) -> f32 {
        // Longest chain below each joint. Parents come before children, so a backward pass sees all children first.
        let mut below = self.ends.clone();
        let mut two_longest = vec![[0.0f32; 2]; below.len()];
        let mut children = vec![0usize; below.len()];
        for j in (0..below.len()).rev() {
            let Some(parent) = self.parents[j].filter(|p| *p < j) else { continue };
            let reach = self.lengths[j] + below[j];
            below[parent] = below[parent].max(reach);
            children[parent] += 1;
            let [longest, second] = &mut two_longest[parent];
            if reach > *longest {
                *second = std::mem::replace(longest, reach);
            } else {
                *second = second.max(reach);
            }
        }
        // Files list joints depth first, so the first joint with two children is the nearest to the root.
        match children.iter().position(|c| *c >= 2) {
            Some(hips) => two_longest[hips].iter().sum(),
            None => below.first().copied().unwrap_or(0.0),
        }
    }
}

/// Returns true if the joints are those of the usual BVH conversions of the CMU data.
pub(crate) fn is_cmu<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|n| CMU_JOINTS.contains(&n))
}

impl UnitGuess {
    /// Returns a message about an unusual unit: what was found, and what is done.
    pub(crate) fn surprise(&self) -> Option<[String; 2]> {
        let [units, metres] = [self.body_length_units, self.body_length_m];
        let found = format!("leg, spine and arm measure {units:.1} units (people: about {USUAL_BODY_LENGTH_M} m)");
        let done = format!("read as {}: {metres:.1} m; --units or `source.units` says the unit", self.unit);
        (!USUAL.contains(&self.unit)).then_some([found, done])
    }
}

/// Returns the known unit that brings a body nearest to the usual size, on a logarithmic scale; `None` without a length. `cmu`:
/// whether the joint names are those of the CMU data ([`is_cmu`]).
pub(crate) fn guess(body_length_units: f32, cmu: bool) -> Option<UnitGuess> {
    let length = body_length_units;
    if !(length.is_finite() && length > 0.0) {
        return None;
    }
    let off = |metres_per_unit: f32| {
        let ratio = length * metres_per_unit / USUAL_BODY_LENGTH_M;
        ratio.max(1.0 / ratio)
    };
    let fits = |(_, unit): &(f32, &str)| match *unit {
        "CMU units" => cmu || length * CMU_M >= CMU_BODY_M,
        "decimetres" => !cmu || length * CMU_M < CMU_CHILD_M,
        "feet" => length >= LEAST_FEET,
        _ => true,
    };
    let (metres_per_unit, unit) = CANDIDATES.into_iter().filter(fits).min_by(|a, b| off(a.0).total_cmp(&off(b.0)))?;
    let body_length_m = length * metres_per_unit;
    Some(UnitGuess {
        metres_per_unit,
        unit,
        body_length_units: length,
        body_length_m,
        doubtful: !(1.2..=3.0).contains(&body_length_m),
    })
}

/// Returns a message about a body of implausible size in a file that states its unit.
pub(crate) fn size_doubt(skeleton: &Skeleton, said: &str) -> Option<String> {
    /// Plausible body lengths, in metres: from a cat to an elephant.
    const BODY_M: std::ops::RangeInclusive<f32> = 0.2..=12.0;
    let length = Bones::of(skeleton).body_length();
    if length == 0.0 || BODY_M.contains(&length) {
        return None;
    }
    let better = guess(length, false).filter(|g| !g.doubtful && g.metres_per_unit != 1.0);
    let advice = better.map(|g| format!("; in {} it would be {:.1} m", g.unit, g.body_length_m)).unwrap_or_default();
    Some(format!(
        "the body would be {length:.3} m long, {said}{advice}: if the exporter erred, say the unit (--units, source.units)"
    ))
}
