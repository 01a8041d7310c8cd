//! Which length a file's numbers are in. BVH does not say, glTF is metres, FBX says; exporters err.

use footwork::skeleton::Skeleton;

/// The unit of length of files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Units {
    /// The file's own: metres for glTF, what the header says for FBX, and for BVH what the size of the skeleton suggests
    /// ([`guess_units`](crate::bvh::guess_units)). The default. Any other value holds whatever a file says.
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

impl Units {
    /// Metres per unit; `None` for `Auto`.
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

    /// Its name, such as `centimetres`; `None` for `Auto`.
    pub fn name(self) -> Option<String> {
        let metres = self.metres_per_unit()?;
        let known = CANDIDATES.iter().find(|(m, _)| *m == metres);
        Some(known.map_or_else(|| format!("{metres} m per unit"), |(_, name)| (*name).to_owned()))
    }
}

/// What [`guess_units`](crate::bvh::guess_units) found.
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

/// Units, and whether files in them are common. The CMU units are what the usual BVH conversions of the CMU data are in: inches
/// divided by 0.45.
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
/// The people of the CMU data are grown up. A shorter body in its units is a grown one in decimetres, unless its joints have
/// the names of those conversions.
const CMU_BODY_M: f32 = 1.6;
/// With those names, only what would be a child of less than a metre there.
const CMU_CHILD_M: f32 = 1.3;
const CMU_JOINTS: [&str; 2] = ["LHipJoint", "LowerBack"];
/// Below this many feet a body is a large animal's in metres: a horse measures 4.2 m, a person of 1.25 m 5.5 feet.
const LEAST_FEET: f32 = 5.5;
/// What programs write. A file in another unit was exported by mistake, or edited.
const USUAL: [&str; 4] = ["metres", "centimetres", "millimetres", "CMU units"];

/// Body length of the usual character, metres: grown people measure 2.0 to 2.4 (leg plus spine and arm), large dogs 1.5
/// to 1.8 (foreleg and spine plus hind leg).
const USUAL_BODY_LENGTH_M: f32 = 1.9;

/// A tree of bones, as far as its size goes.
pub(crate) struct Bones {
    /// `[joints]`, parents before children.
    pub parents: Vec<Option<usize>>,
    /// `[joints]` way to the parent.
    pub lengths: Vec<f32>,
    /// `[joints]` way to an end that is no joint; 0 for none.
    pub ends: Vec<f32>,
}

impl Bones {
    /// Bones of a skeleton in its rest pose, metres.
    pub fn of(skeleton: &Skeleton) -> Self {
        Self {
            parents: skeleton.parents().iter().map(|p| p.map(|p| p.at())).collect(),
            lengths: skeleton.rest().iter().map(|r| r.translation.length()).collect(),
            ends: vec![0.0; skeleton.len()],
        }
    }

    /// Sum of the two longest chains that leave the first joint with two children or more by different children.
    pub fn body_length(&self) -> f32 {
        // Longest way down from each joint; parents come before children, so backwards all children are done.
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
        // Files list joints depth first: the first with two children is the nearest to the root.
        match children.iter().position(|c| *c >= 2) {
            Some(hips) => two_longest[hips].iter().sum(),
            None => below.first().copied().unwrap_or(0.0),
        }
    }
}

/// True where the joints are those of the usual BVH conversions of the CMU data.
pub(crate) fn is_cmu<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|n| CMU_JOINTS.contains(&n))
}

impl UnitGuess {
    /// What to tell the user about a unit that nobody would expect: what was found, and what is done.
    pub(crate) fn surprise(&self) -> Option<[String; 2]> {
        let [units, metres] = [self.body_length_units, self.body_length_m];
        let found = format!("leg, spine and arm measure {units:.1} units (people: about {USUAL_BODY_LENGTH_M} m)");
        let done = format!("read as {}: {metres:.1} m; --units or `source.units` says the unit", self.unit);
        (!USUAL.contains(&self.unit)).then_some([found, done])
    }
}

/// Of the known units the one that brings a body nearest to the usual size, on a logarithmic scale; `None` for no length.
/// `cmu`: what the joints' names say ([`is_cmu`]).
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

/// A body of a file that says its unit, yet is no size for anything that walks: what to tell the user.
pub(crate) fn size_doubt(skeleton: &Skeleton, said: &str) -> Option<String> {
    /// From a cat to an elephant.
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
