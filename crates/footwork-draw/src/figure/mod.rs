//! A body around a skeleton: rounded parts between joints, with thicknesses from the skeleton's proportions, for any rig. The
//! planted pose of the skeleton determines heel, ball and tip of the feet.

mod foot;
mod limbs;
mod part;
mod plan;
mod sides;
mod trunk;

pub use foot::Sole;
pub use part::{Ball, Half, Part};

use crate::motion::Motion;
use crate::shapes::{Colour, Picture, Point, hull, ring};
use crate::view::Camera;
use footwork::math::Transform;
use footwork::rig::Rig;
use footwork::skeleton::Skeleton;
use glam::Vec3;
use plan::Plan;

/// Number of corners of a ball's shadow.
const SHADOW_CORNERS: usize = 10;

/// View and colour of a drawn body.
pub struct Look<'a> {
    /// Axes of the picture. Far parts are drawn first.
    pub camera: &'a Camera,
    /// Scale of the body on the page.
    pub px_per_m: f32,
    /// Projection of a world point to the page.
    pub point: &'a dyn Fn(Vec3) -> Point,
    /// Colour mixed over the whole body, and its share, 0 to 1.
    pub tint: Option<(Colour, f32)>,
}

/// Body drawn around a skeleton.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Parts, not ordered by depth.
    pub parts: Vec<Part>,
    /// `[contact joints]` soles.
    pub soles: Vec<Sole>,
    /// Height of the ground relative to the root, in metres.
    pub ground_m: f32,
    /// Maximum height of a pose, in metres.
    pub height_m: f32,
}

impl Figure {
    /// Builds the body of a skeleton from sampled frames of its motion.
    pub fn of(skeleton: &Skeleton, rig: &Rig, samples: &Motion) -> Self {
        let plan = Plan::of(skeleton, rig, samples);
        let mut parts = plan.trunk();
        parts.extend(plan.head());
        parts.extend(plan.limbs());
        let mut soles = Vec::new();
        for slot in 0..plan.feet.len() {
            let (foot, sole) = plan.foot(slot);
            parts.extend(foot);
            soles.push(sole);
        }
        let mut figure = Self { parts, soles, ground_m: plan.ground_m, height_m: 0.1 };
        for f in 0..samples.frames() {
            let balls = figure.balls(samples.world(f));
            let (low, high) = balls.fold((f32::MAX, f32::MIN), |(l, h), (p, r)| (l.min(p.y - r), h.max(p.y + r)));
            figure.height_m = figure.height_m.max(high - low);
        }
        figure
    }

    fn balls<'a>(&'a self, world: &'a [Transform]) -> impl Iterator<Item = (Vec3, f32)> + 'a {
        self.parts.iter().flat_map(Part::balls).map(|b| (self.place(b, world), b.radius))
    }

    fn place(&self, b: &Ball, world: &[Transform]) -> Vec3 {
        let p = world[b.joint].point(b.at);
        let floor = self.ground_m + b.radius;
        if b.yields && p.y < floor && world[b.joint].translation.y >= self.ground_m { p.with_y(floor) } else { p }
    }

    /// Returns the bounds in the plane of the camera, relative to `origin`, in metres: left, bottom, right, top.
    pub fn bounds(&self, world: &[Transform], camera: &Camera, origin: Vec3) -> [f32; 4] {
        let start = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        self.balls(world).fold(start, |b, (p, r)| {
            let [x, y] = camera.plane(p - origin);
            [b[0].min(x - r), b[1].min(y - r), b[2].max(x + r), b[3].max(y + r)]
        })
    }

    /// Draws the body, far parts first.
    pub fn draw(&self, picture: &mut Picture, world: &[Transform], look: &Look) {
        let camera = look.camera;
        let mut order: Vec<(f32, &Part)> = self.parts.iter().map(|p| (self.depth(p, world, camera), p)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The side that faces away is darker.
        let left = world[0].direction(Vec3::X).dot(camera.toward);
        let away = |half: Half| match half {
            Half::Left => left < -0.3,
            Half::Right => left > 0.3,
            Half::Middle => false,
        };
        for (_, part) in order {
            let shade = if camera.toward.y < 0.9 && away(part.half) { 0.26 } else { 0.0 };
            let colour = part.half.colour().towards(Colour::rgb(0x20242c), shade);
            let colour = look.tint.map_or(colour, |(tint, share)| colour.towards(tint, share));
            let project = |b: &Ball| ((look.point)(self.place(b, world)), b.radius * look.px_per_m);
            part.draw(picture, colour, &project);
        }
    }

    /// Draws the shadow of the body in one colour. `down` returns the shadow of a point.
    pub fn shadow(&self, picture: &mut Picture, world: &[Transform], look: &Look, down: &dyn Fn(Vec3) -> Vec3) {
        let Some((colour, _)) = look.tint else { return };
        for group in self.parts.iter().flat_map(|p| &p.groups) {
            let round = group.iter().flat_map(|b| {
                let (at, r) = (self.place(b, world), b.radius);
                ring(SHADOW_CORNERS).map(move |[x, z]| at + Vec3::new(r * x, 0.0, r * z))
            });
            picture.area(hull(round.map(|p| (look.point)(down(p))).collect()), colour);
        }
    }

    fn depth(&self, part: &Part, world: &[Transform], camera: &Camera) -> f32 {
        let (sum, n) = part.balls().fold((0.0, 0.0), |(s, n), b| (s + camera.depth(self.place(b, world)), n + 1.0));
        sum / n + part.nearer_m
    }
}
