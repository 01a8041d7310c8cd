//! Shapes of bodies as balls: a shape is the hull of its balls.

use super::attributes::Attributes;
use super::orientation::{from_z, orientation};
use crate::error::RobotError;
use crate::model::Ball;
use crate::spatial::about;
use glam::{DQuat, DVec3};

/// Number of points on the rim of a cylinder.
const RIM: usize = 8;

/// A shape in the frame of its body.
pub struct Shape {
    pub balls: Vec<Ball>,
    /// Whether it can touch other shapes.
    pub touches: bool,
}

/// Returns the shape of a `geom`; `None` for meshes, planes and other shapes without a hull of balls.
pub fn shape(of: &Attributes) -> Result<Option<Shape>, RobotError> {
    // Meshes without a type have type mesh only by their default class.
    let kind = of.text("type")?.unwrap_or("sphere");
    if !["sphere", "capsule", "box", "cylinder", "ellipsoid"].contains(&kind) || of.text("mesh")?.is_some() {
        return Ok(None);
    }
    let (mut at, mut turn) = (of.vector("pos")?.unwrap_or(DVec3::ZERO), orientation(of)?);
    let Some(size) = of.numbers("size", 1, 3)? else {
        return Err(of.error("size", "1 to 3 lengths", ""));
    };
    let side = |k: usize| size.get(k).copied().unwrap_or(size[0]);
    let mut half = DVec3::new(side(0), side(1), side(2));
    let long = kind == "capsule" || kind == "cylinder";
    if let Some(n) = of.numbers("fromto", 6, 6)?.filter(|_| kind != "sphere") {
        let (a, b) = (DVec3::new(n[0], n[1], n[2]), DVec3::new(n[3], n[4], n[5]));
        let length = (b - a).length();
        (at, turn) = ((a + b) * 0.5, (b - a).try_normalize().map_or(DQuat::IDENTITY, from_z));
        half = if long { DVec3::new(size[0], 0.5 * length, 0.0) } else { DVec3::new(side(0), side(1), 0.5 * length) };
    }
    let ball = |local: DVec3, radius_m: f64| Ball { at: at + turn * local, radius_m };
    let both = [-1.0, 1.0];
    let balls = match kind {
        "sphere" => vec![ball(DVec3::ZERO, half.x)],
        "capsule" => both.map(|s| ball(DVec3::Z * (s * half.y), half.x)).to_vec(),
        "cylinder" => {
            let rim = |k: usize| about(DVec3::Z, std::f64::consts::TAU * k as f64 / RIM as f64) * (DVec3::X * half.x);
            both.iter().flat_map(|s| (0..RIM).map(move |k| ball(rim(k) + DVec3::Z * (s * half.y), 0.0))).collect()
        }
        "box" => {
            let corner = |x: f64, y: f64, z: f64| ball(half * DVec3::new(x, y, z), 0.0);
            let xs = both.iter().flat_map(|x| both.map(|y| (*x, y)));
            xs.flat_map(|(x, y)| both.map(|z| corner(x, y, z))).collect()
        }
        // The ends of its axes.
        _ => [DVec3::X, DVec3::Y, DVec3::Z].iter().flat_map(|a| both.map(|s| ball(*a * half * s, 0.0))).collect(),
    };
    let collides = |key| Ok::<bool, RobotError>(of.number(key)?.unwrap_or(1.0) != 0.0);
    Ok(Some(Shape { balls, touches: collides("contype")? || collides("conaffinity")? }))
}
