//! From elements to a model.

use super::attributes::{Angles, Attributes, Settings};
use super::defaults::Defaults;
use super::element::{self, Element};
use super::orientation::orientation;
use super::shapes::{Shape, shape};
use crate::error::RobotError;
use crate::model::{Ball, Body, Hinge, RobotModel};
use glam::{DQuat, DVec3};
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum number of bodies, far above that of real robots.
const MOST_BODIES: usize = 4096;

impl RobotModel {
    /// Reads a model (MJCF) with the files that it includes.
    ///
    /// # Errors
    /// Returns an error with file and line if the file cannot be read, is invalid, or has joints other than hinges and one free
    /// joint at the root.
    pub fn load(path: &Path) -> Result<Self, RobotError> {
        model(&element::load(path)?)
    }

    /// Parses a model (MJCF) that includes no other files. `name` stands for the file in errors.
    ///
    /// # Errors
    /// Returns errors like [`RobotModel::load`].
    pub fn parse(text: &str, name: &str) -> Result<Self, RobotError> {
        model(&element::parse(text, name)?)
    }
}

fn model(root: &Element) -> Result<RobotModel, RobotError> {
    if root.name != "mujoco" {
        return Err(root.error(format!(
            "expected an MJCF model (`<mujoco>`), found `<{}>`; URDF can be converted with MuJoCo's `compile`",
            root.name
        )));
    }
    let settings = settings(root)?;
    let mut reader = Reader { settings: &settings, bodies: Vec::new(), hinges: Vec::new(), names: BTreeSet::new() };
    let worlds = || root.children.iter().filter(|e| e.name == "worldbody");
    let mut tops = Vec::new();
    for world in worlds() {
        reader.tops(world, Place::world(world), &mut tops)?;
    }
    let moving: Vec<&(&Element, Place)> = tops.iter().filter(|(e, _)| has_joint(e)).collect();
    let Some((body, place)) = moving.iter().find(|(e, _)| is_free(e)) else {
        return Err(root.error(
            "expected a body of `<worldbody>` with a free joint, found none; add `<freejoint/>` to the root body of the robot",
        ));
    };
    if let Some((other, _)) = moving.iter().find(|(e, _)| !std::ptr::eq(*e, *body)) {
        return Err(other.error("expected one moving body in `<worldbody>`, found a second; remove it from the model"));
    }
    reader.body(body, None, *place)?;
    let name = root.get("model").unwrap_or("robot").to_owned();
    Ok(RobotModel { name, bodies: reader.bodies, hinges: reader.hinges })
}

fn settings(root: &Element) -> Result<Settings, RobotError> {
    let mut angles = Angles { to_rad: std::f64::consts::PI / 180.0, euler: ['x', 'y', 'z'] };
    let mut auto_limits = true;
    for compiler in root.children.iter().filter(|e| e.name == "compiler") {
        match compiler.get("angle") {
            None | Some("degree") => {}
            Some("radian") => angles.to_rad = 1.0,
            Some(other) => return Err(compiler.error(format!("`angle`: expected degree or radian, found `{other}`"))),
        }
        if let Some(sequence) = compiler.get("eulerseq") {
            let axes: Vec<char> = sequence.chars().filter(|c| "xyzXYZ".contains(*c)).collect();
            angles.euler = <[char; 3]>::try_from(axes).ok().filter(|_| sequence.len() == 3).ok_or_else(|| {
                compiler.error(format!("`eulerseq`: expected three of x, y, z, X, Y, Z, found `{sequence}`"))
            })?;
        }
        if compiler.get("coordinate").is_some_and(|c| c != "local") {
            return Err(
                compiler.error("`coordinate`: expected local, found global; save the model with MuJoCo 2.2 first")
            );
        }
        auto_limits = compiler.get("autolimits") != Some("false") && auto_limits;
    }
    Ok(Settings { defaults: Defaults::new(root)?, angles, auto_limits })
}

fn is_free(body: &Element) -> bool {
    body.children.iter().any(|c| c.name == "freejoint" || c.name == "joint" && c.get("type") == Some("free"))
}

fn has_joint(body: &Element) -> bool {
    body.children.iter().any(|c| ["joint", "freejoint"].contains(&c.name.as_str()) || has_joint(c))
}

/// A frame in that of the parent body, and the default class there.
#[derive(Clone, Copy)]
struct Place<'a> {
    at: DVec3,
    turn: DQuat,
    class: Option<&'a str>,
}

impl<'a> Place<'a> {
    fn world(world: &'a Element) -> Self {
        Self { at: DVec3::ZERO, turn: DQuat::IDENTITY, class: world.get("childclass") }
    }

    /// Returns the frame of an element in this one.
    fn of(self, element: &'a Element, settings: &Settings) -> Result<Self, RobotError> {
        let of = Attributes { element, class: self.class, settings };
        let at = self.at + self.turn * of.vector("pos")?.unwrap_or(DVec3::ZERO);
        let class = element.get("childclass").or(self.class);
        Ok(Self { at, turn: (self.turn * orientation(&of)?).normalize(), class })
    }

    /// Returns the place within a new body: its own frame.
    fn inside(self) -> Self {
        Self { at: DVec3::ZERO, turn: DQuat::IDENTITY, ..self }
    }
}

struct Reader<'a> {
    settings: &'a Settings,
    bodies: Vec<Body>,
    hinges: Vec<Hinge>,
    names: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    /// Collects the bodies in the world.
    fn tops(
        &self,
        within: &'a Element,
        place: Place<'a>,
        tops: &mut Vec<(&'a Element, Place<'a>)>,
    ) -> Result<(), RobotError> {
        for child in &within.children {
            match child.name.as_str() {
                "body" => tops.push((child, place)),
                "frame" => self.tops(child, place.of(child, self.settings)?, tops)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn body(&mut self, element: &'a Element, parent: Option<usize>, place: Place<'a>) -> Result<(), RobotError> {
        if self.bodies.len() == MOST_BODIES {
            return Err(element.error(format!("expected at most {MOST_BODIES} bodies")));
        }
        let place = place.of(element, self.settings)?;
        let index = self.bodies.len();
        let name = self.name(element, "body", index)?;
        let (position, rotation) = (place.at, place.turn);
        let first = self.hinges.len();
        self.bodies.push(Body { name, parent, position, rotation, hinges: first..first, balls: Vec::new() });
        let mut parts = Parts::default();
        self.parts(element, place.inside(), &mut parts)?;
        for (joint, place) in &parts.joints {
            self.joint(joint, *place, index)?;
        }
        let touching = parts.shapes.iter().any(|s| s.touches);
        let shapes = parts.shapes.iter().filter(|s| s.touches == touching);
        let body = &mut self.bodies[index];
        body.balls = shapes.flat_map(|s| s.balls.iter().copied()).collect();
        body.hinges.end = self.hinges.len();
        for (child, place) in parts.bodies {
            self.body(child, Some(index), place)?;
        }
        Ok(())
    }

    /// Collects the parts of a body, also those in frames.
    fn parts(&self, within: &'a Element, place: Place<'a>, parts: &mut Parts<'a>) -> Result<(), RobotError> {
        for child in &within.children {
            match child.name.as_str() {
                "joint" => parts.joints.push((child, place)),
                "body" => parts.bodies.push((child, place)),
                "geom" => {
                    let of = Attributes { element: child, class: place.class, settings: self.settings };
                    parts.shapes.extend(shape(&of)?.map(|s| place.shape(s)));
                }
                "frame" => self.parts(child, place.of(child, self.settings)?, parts)?,
                "replicate" | "attach" | "composite" | "flexcomp" => {
                    return Err(child.error(format!(
                        "`{}` is not supported; save the compiled model with MuJoCo (mj_saveLastXML) and use that",
                        child.name
                    )));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn joint(&mut self, element: &'a Element, place: Place<'a>, body: usize) -> Result<(), RobotError> {
        let of = Attributes { element, class: place.class, settings: self.settings };
        match of.text("type")?.unwrap_or("hinge") {
            "hinge" => {}
            "free" if self.bodies[body].parent.is_none() => return Ok(()),
            other => {
                return Err(of.error("type", "hinge (or free, at the root)", other));
            }
        }
        let to_rad = self.settings.angles.to_rad;
        let axis = of.vector("axis")?.unwrap_or(DVec3::Z);
        let axis = axis.try_normalize().ok_or_else(|| of.error("axis", "a length above 0", &format!("{axis}")))?;
        let range = of.numbers("range", 2, 2)?.map(|r| [r[0] * to_rad, r[1] * to_rad]);
        let limited = match of.text("limited")?.unwrap_or("auto") {
            "true" => true,
            "false" => false,
            _ => self.settings.auto_limits && range.is_some(),
        };
        let range = range.filter(|_| limited);
        if let Some([low, high]) = range.filter(|[low, high]| low >= high) {
            return Err(of.error("range", "a lower and a higher angle", &format!("{low} {high}")));
        }
        let index = self.hinges.len();
        let name = self.name(element, "joint", index)?;
        self.hinges.push(Hinge {
            name,
            body,
            anchor: place.at + place.turn * of.vector("pos")?.unwrap_or(DVec3::ZERO),
            axis: (place.turn * axis).normalize(),
            range,
            reference: of.number("ref")?.unwrap_or(0.0) * to_rad,
        });
        Ok(())
    }

    /// Returns the name of a body or joint.
    fn name(&mut self, element: &Element, kind: &str, index: usize) -> Result<String, RobotError> {
        let name = element.get("name").map_or_else(|| format!("{kind}_{index}"), str::to_owned);
        if !self.names.insert(format!("{kind} {name}")) {
            return Err(element.error(format!("{kind} `{name}`: the name is used twice; rename one of the two")));
        }
        Ok(name)
    }
}

impl Place<'_> {
    fn shape(self, shape: Shape) -> Shape {
        let moved = |b: Ball| Ball { at: self.at + self.turn * b.at, ..b };
        Shape { balls: shape.balls.into_iter().map(moved).collect(), ..shape }
    }
}

/// Parts of a body, with the frames they are in.
#[derive(Default)]
struct Parts<'a> {
    joints: Vec<(&'a Element, Place<'a>)>,
    bodies: Vec<(&'a Element, Place<'a>)>,
    shapes: Vec<Shape>,
}
