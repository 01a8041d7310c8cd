//! Rounded solids between joints, and their drawing.

use crate::shapes::{Colour, Picture, Point, hull, ring};
use glam::Vec3;

/// Number of corners of a drawn circle.
const CORNERS: usize = 18;
const OUTLINE_PX: f32 = 1.3;

/// Side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Left side.
    Left,
    /// Right side.
    Right,
    /// Trunk and head.
    Middle,
}

impl Half {
    /// Returns the colour of the side's parts.
    pub fn colour(self) -> Colour {
        match self {
            Self::Left => Colour::rgb(0x3f7fc4),
            Self::Right => Colour::rgb(0xe0862f),
            Self::Middle => Colour::rgb(0xa3a8b0),
        }
    }
}

/// Ball fixed to a joint.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Joint that carries the ball.
    pub joint: usize,
    /// Centre in the joint's space, in metres.
    pub at: Vec3,
    /// Radius, in metres.
    pub radius: f32,
    /// True for the tip of a foot, which no joint moves, so it is raised to the ground.
    pub yields: bool,
}

/// Solid around the balls of each group.
#[derive(Clone, Debug)]
pub struct Part {
    /// Each group is drawn as the hull of its balls; groups of a part share one outline.
    pub groups: Vec<Vec<Ball>>,
    /// Side of the body.
    pub half: Half,
    /// Offset towards the camera, in metres. Determines the order of parts at equal depth.
    pub nearer_m: f32,
}

impl Part {
    /// Returns a part of one group.
    pub fn new(balls: Vec<Ball>, half: Half) -> Self {
        Self { groups: vec![balls], half, nearer_m: 0.0 }
    }

    /// Returns the part with another offset towards the camera.
    pub fn nearer(self, nearer_m: f32) -> Self {
        Self { nearer_m, ..self }
    }

    /// Returns all balls of the part.
    pub fn balls(&self) -> impl Iterator<Item = &Ball> {
        self.groups.iter().flatten()
    }
}

impl Part {
    /// Draws three tones, lighter towards the upper left. Groups share one outline.
    pub fn draw(&self, picture: &mut Picture, colour: Colour, project: &dyn Fn(&Ball) -> (Point, f32)) {
        let (white, black) = (Colour::rgb(0xffffff), Colour::rgb(0x14181f));
        let around = |balls: &[Ball], size: f32, shift: f32| {
            let mut points = Vec::with_capacity(balls.len() * CORNERS);
            for ([x, y], r) in balls.iter().map(project) {
                points.extend(ring(CORNERS).map(|[c, s]| [x + r * (c * size - shift), y + r * (s * size - shift)]));
            }
            hull(points)
        };
        let dark = colour.towards(black, 0.22);
        // With several groups, the inner half of the outlines is covered below.
        let width = if self.groups.len() > 1 { 2.0 * OUTLINE_PX } else { OUTLINE_PX };
        for g in &self.groups {
            picture.outlined(around(g, 1.0, 0.0), dark, colour.towards(black, 0.72), width);
        }
        // Covers the inner outlines.
        for g in self.groups.iter().filter(|_| self.groups.len() > 1) {
            picture.area(around(g, 1.0, 0.0), dark);
        }
        for g in &self.groups {
            picture.area(around(g, 0.80, 0.10), colour);
        }
        for g in &self.groups {
            picture.area(around(g, 0.40, 0.28), colour.towards(white, 0.32));
        }
    }
}
