//! Limbs of a robot: which hinges are hips, knees, ankles, shoulders and elbows, by names and by the shape of the tree.
//!
//! A limb is a branch with hinges that leaves the trunk; the trunk are the bodies that carry limbs of both sides. The two limbs
//! that reach lowest are the legs. Of a limb, the hinge named knee or elbow (else the one in the middle of its length) parts the
//! upper from the lower bone.

use crate::error::RobotError;
use crate::kinematics::Placed;
use crate::model::RobotModel;
use glam::DVec3;
use std::collections::BTreeMap;

/// Keys of given parts, and what they name.
const GIVEN: [(&str, Named); 10] = [
    ("torso", Named::Body),
    ("head", Named::Body),
    ("left_foot", Named::Body),
    ("right_foot", Named::Body),
    ("left_hand", Named::Body),
    ("right_hand", Named::Body),
    ("left_knee", Named::Hinge),
    ("right_knee", Named::Hinge),
    ("left_elbow", Named::Hinge),
    ("right_elbow", Named::Hinge),
];
/// Names of the sides, left first.
pub const SIDES: [&str; 2] = ["left", "right"];
/// Distance from the middle of the body within which a limb has no side, as a share of the height of the body.
const MIDDLE: f64 = 0.02;

#[derive(Clone, Copy, PartialEq)]
enum Named {
    Body,
    Hinge,
}

/// A leg or an arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Hinges of hip or shoulder.
    pub upper: Vec<usize>,
    /// Knee or elbow.
    pub middle: usize,
    /// Hinges of ankle or wrist; empty for an arm that ends in its fore arm.
    pub lower: Vec<usize>,
    /// Bodies of the upper bone, of the lower bone, and of foot or hand.
    pub bodies: [usize; 3],
}

/// Parts of a humanoid.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// Body that carries the arms; the root if there is no waist.
    pub torso: usize,
    /// Hinges from the root to the torso.
    pub waist: Vec<usize>,
    /// The last body of a neck with hinges.
    pub head: Option<usize>,
    /// Left and right.
    pub legs: [Limb; 2],
    /// Left and right; `None` for a robot without arms.
    pub arms: [Option<Limb>; 2],
}

/// A branch of the tree that leaves the trunk.
struct Branch {
    /// Bodies with hinges, from the trunk outwards, up to where it branches again.
    bodies: Vec<usize>,
    /// Left (0) or right (1); `None`: in the middle.
    side: Option<usize>,
    lowest_m: f64,
}

impl Parts {
    /// Finds the parts. `given`: names of bodies (`torso`, `head`, `left_foot`, `right_foot`, `left_hand`, `right_hand`) and of
    /// hinges (`left_knee`, `right_knee`, `left_elbow`, `right_elbow`) that take precedence.
    ///
    /// # Errors
    /// Returns an error for unknown keys and names, and for a model without two legs.
    pub fn find(model: &RobotModel, given: &BTreeMap<String, String>) -> Result<Self, RobotError> {
        let mut finder = Finder { model, given: BTreeMap::new(), placed: Placed::default() };
        model.place(&model.zero_pose(), &mut finder.placed);
        for (key, name) in given {
            finder.take(key, name)?;
        }
        finder.find()
    }
}

struct Finder<'a> {
    model: &'a RobotModel,
    /// Given bodies and hinges, by key.
    given: BTreeMap<&'static str, usize>,
    /// The pose that the file describes.
    placed: Placed,
}

impl Finder<'_> {
    fn error(&self, what: impl Into<String>) -> RobotError {
        RobotError::Parts { model: self.model.name.clone(), what: what.into() }
    }

    fn take(&mut self, key: &str, name: &str) -> Result<(), RobotError> {
        let Some((key, kind)) = GIVEN.iter().find(|(k, _)| *k == key) else {
            let known = GIVEN.map(|(k, _)| k).join(", ");
            return Err(self.error(format!("part `{key}`: expected one of {known}; correct the key")));
        };
        let (what, names): (_, Vec<&str>) = match kind {
            Named::Body => ("body", self.model.bodies.iter().map(|b| b.name.as_str()).collect()),
            Named::Hinge => ("hinge", self.model.hinges.iter().map(|h| h.name.as_str()).collect()),
        };
        let Some(index) = names.iter().position(|n| *n == name) else {
            let known = names.join(", ");
            return Err(self.error(format!("part `{key}`: expected a {what} of the model ({known}), found `{name}`")));
        };
        self.given.insert(key, index);
        Ok(())
    }

    fn find(&self) -> Result<Parts, RobotError> {
        let branches = self.branches();
        let (legs, rest) = self.legs(branches)?;
        let legs = [self.limb(&legs[0], 0, true)?, self.limb(&legs[1], 1, true)?];
        let mut arms = [None, None];
        for side in [0, 1] {
            // The longest branch of a side is its arm.
            let of_side = rest.iter().filter(|b| b.side == Some(side));
            let arm = of_side.max_by_key(|b| (self.hinges(b).len(), std::cmp::Reverse(b.bodies[0])));
            if let Some(arm) = arm.filter(|b| self.hinges(b).len() >= 2) {
                arms[side] = Some(self.limb(arm, side, false)?);
            }
        }
        let carries = |arm: &Limb| self.model.bodies[self.model.hinges[arm.upper[0]].body].parent.unwrap_or(0);
        let torso = self.given.get("torso").copied().or(arms.iter().flatten().map(carries).next()).unwrap_or(0);
        let mut waist: Vec<usize> =
            self.model.up_from(torso).flat_map(|b| self.model.bodies[b].hinges.clone().rev()).collect();
        waist.reverse();
        let neck = rest.iter().find(|b| b.side.is_none()).and_then(|b| b.bodies.last().copied());
        Ok(Parts { torso, waist, head: self.given.get("head").copied().or(neck), legs, arms })
    }

    /// Returns whether a body has hinges.
    fn moves(&self, body: usize) -> bool {
        !self.model.bodies[body].hinges.is_empty()
    }

    fn children(&self, body: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.model.bodies.len()).filter(move |b| self.model.bodies[*b].parent == Some(body))
    }

    /// Returns all bodies below one, with it.
    fn below(&self, body: usize) -> Vec<usize> {
        (body..self.model.bodies.len()).filter(|b| self.model.up_from(*b).any(|up| up == body)).collect()
    }

    /// Returns the side of a body: by its name and those of its hinges, else by its position.
    fn side(&self, body: usize) -> Option<usize> {
        let of = &self.model.bodies[body];
        let names = std::iter::once(&of.name).chain(self.model.hinges[of.hinges.clone()].iter().map(|h| &h.name));
        for name in names {
            if let Some(side) = side_of(name) {
                return Some(side);
            }
        }
        let heights = self.placed.positions.iter().map(|p| p.z);
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        let aside = self.placed.positions[body].y - self.placed.positions[0].y;
        (aside.abs() > MIDDLE * (high - low)).then(|| usize::from(aside < 0.0))
    }

    /// Returns whether a body is part of the trunk: the root, and bodies that carry limbs of both sides.
    fn is_trunk(&self, body: usize) -> bool {
        let mut sides = [false; 2];
        for b in self.below(body).into_iter().filter(|b| self.moves(*b) && *b != body) {
            if let Some(side) = self.side(b) {
                sides[side] = true;
            }
        }
        self.model.bodies[body].parent.is_none() || sides == [true, true]
    }

    fn branches(&self) -> Vec<Branch> {
        let is_trunk: Vec<bool> = (0..self.model.bodies.len()).map(|b| self.is_trunk(b)).collect();
        let leaves_trunk = |b: &usize| !is_trunk[*b] && self.model.bodies[*b].parent.is_some_and(|p| is_trunk[p]);
        let branch = |body: usize| {
            let below = self.below(body);
            let mut bodies = Vec::new();
            let mut next = Some(body);
            while let Some(b) = next {
                if self.moves(b) {
                    bodies.push(b);
                }
                let moving: Vec<usize> =
                    self.children(b).filter(|c| self.below(*c).iter().any(|d| self.moves(*d))).collect();
                next = if let [only] = moving[..] { Some(only) } else { None };
            }
            let lowest_m = below.iter().map(|b| self.placed.positions[*b].z).fold(f64::INFINITY, f64::min);
            let side = bodies.last().and_then(|b| self.side(*b));
            Branch { bodies, side, lowest_m }
        };
        (0..self.model.bodies.len()).filter(leaves_trunk).map(branch).filter(|b| !b.bodies.is_empty()).collect()
    }

    /// Returns the branches of the left and the right leg, and all others.
    fn legs(&self, mut branches: Vec<Branch>) -> Result<([Branch; 2], Vec<Branch>), RobotError> {
        let mut leg = |side: usize| {
            let key = GIVEN.iter().find(|(k, _)| *k == format!("{}_foot", SIDES[side])).map_or("", |(k, _)| k);
            let holds = |b: &Branch, foot: usize| self.model.up_from(foot).any(|up| up == b.bodies[0]);
            let found = match self.given.get(key) {
                Some(foot) => branches.iter().position(|b| holds(b, *foot)),
                None => {
                    let of_side = branches.iter().enumerate().filter(|(_, b)| b.side == Some(side));
                    of_side.min_by(|a, b| a.1.lowest_m.total_cmp(&b.1.lowest_m)).map(|(i, _)| i)
                }
            };
            found.map(|i| branches.remove(i)).ok_or_else(|| {
                self.error(format!(
                    "expected a {0} leg (a branch with hinges below the root), found none; name its foot as part `{0}_foot`",
                    SIDES[side]
                ))
            })
        };
        let legs = [leg(0)?, leg(1)?];
        Ok((legs, branches))
    }

    /// Returns the hinges of a branch, without those of toes.
    fn hinges(&self, branch: &Branch) -> Vec<usize> {
        let all = branch.bodies.iter().flat_map(|b| self.model.bodies[*b].hinges.clone());
        all.filter(|h| !self.is_named(*h, "toe")).collect()
    }

    /// Returns whether the name of a hinge or of its body contains a word.
    fn is_named(&self, hinge: usize, word: &str) -> bool {
        let hinge = &self.model.hinges[hinge];
        let holds = |name: &str| name.to_ascii_lowercase().contains(word);
        holds(&hinge.name) || holds(&self.model.bodies[hinge.body].name)
    }

    fn limb(&self, branch: &Branch, side: usize, is_leg: bool) -> Result<Limb, RobotError> {
        let hinges = self.hinges(branch);
        let (word, end) = if is_leg { ("knee", "foot") } else { ("elbow", "hand") };
        let given = |part: &str| {
            let key = format!("{}_{part}", SIDES[side]);
            self.given.iter().find(|(k, _)| **k == key).map(|(_, index)| *index)
        };
        let by_name = || hinges.iter().copied().rfind(|h| self.is_named(*h, word));
        let middle = given(word).or_else(by_name).or_else(|| self.halfway(&hinges));
        let place = middle.and_then(|m| hinges.iter().position(|h| *h == m)).filter(|p| *p > 0);
        let Some(place) = place else {
            return Err(self.error(format!(
                "expected a {} {word} with hinges above it, found {} hinges in this limb; name it as part `{}_{word}`",
                SIDES[side],
                hinges.len(),
                SIDES[side]
            )));
        };
        let (upper, lower) = (hinges[..place].to_vec(), hinges[place + 1..].to_vec());
        if is_leg && lower.is_empty() {
            return Err(self.error(format!(
                "expected a {0} ankle below the knee `{1}`, found none; if the knee is another hinge, name it as part `{0}_knee`",
                SIDES[side], self.model.hinges[hinges[place]].name
            )));
        }
        let body = |h: usize| self.model.hinges[h].body;
        let bodies = [body(hinges[place - 1]), body(hinges[place]), body(*lower.last().unwrap_or(&hinges[place]))];
        let bodies = [bodies[0], bodies[1], given(end).unwrap_or(bodies[2])];
        Ok(Limb { upper, middle: hinges[place], lower, bodies })
    }

    /// Returns the hinge nearest to the middle of a chain's length.
    fn halfway(&self, hinges: &[usize]) -> Option<usize> {
        let mut along: Vec<f64> = vec![0.0];
        for pair in hinges.windows(2) {
            let step = self.placed.anchors[pair[1]] - self.placed.anchors[pair[0]];
            along.push(along[along.len() - 1] + step.length());
        }
        let half = 0.5 * along[along.len() - 1];
        (1..hinges.len())
            .min_by(|a, b| (along[*a] - half).abs().total_cmp(&(along[*b] - half).abs()))
            .map(|i| hinges[i])
    }
}

/// Returns the side that a name states: left (0) or right (1).
fn side_of(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    let holds = |side: &str, letter: &str| {
        name.contains(side) || name.split(|c: char| !c.is_alphanumeric()).any(|word| word == letter)
    };
    match (holds("left", "l"), holds("right", "r")) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    }
}

/// Returns the point nearest to the axes of some hinges: the centre of a joint that several hinges form.
pub fn centre(hinges: &[usize], placed: &Placed) -> DVec3 {
    let middle = hinges.iter().map(|h| placed.anchors[*h]).sum::<DVec3>() / hinges.len().max(1) as f64;
    // Along axes that leave it open, the point stays at the middle of the anchors: a pull of a thousandth.
    const PULL: f64 = 1e-3;
    let mut normal = glam::DMat3::from_diagonal(DVec3::splat(PULL));
    let mut right = middle * PULL;
    for h in hinges {
        let (axis, anchor) = (placed.axes[*h], placed.anchors[*h]);
        let across = glam::DMat3::IDENTITY - glam::DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        normal += across;
        right += across * anchor;
    }
    normal.inverse() * right
}
