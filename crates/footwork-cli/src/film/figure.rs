//! A body around a skeleton: rounded parts between joints, thick by the proportions of the skeleton, so that any rig
//! becomes a solid figure. Feet get heel, ball and tip from how the skeleton stands on the ground.

use super::shapes::{Colour, Picture, Point, hull, ring};
use super::source::{Motion, Reel, flat};
use super::view::Camera;
use anyhow::Result;
use footwork::frames::JointIndex;
use footwork::math::{Facing, Transform, powf};
use glam::Vec3;

/// Which half of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Left,
    Right,
    Middle,
}

impl Half {
    pub fn colour(self) -> Colour {
        match self {
            Self::Left => Colour::rgb(0x3f7fc4),
            Self::Right => Colour::rgb(0xe0862f),
            Self::Middle => Colour::rgb(0xa3a8b0),
        }
    }
}

/// A ball fixed to a joint.
#[derive(Clone, Copy, Debug)]
struct Ball {
    joint: usize,
    /// In the joint's space.
    at: Vec3,
    radius: f32,
    /// The tip of a foot: no joint moves it, so it lies on the ground rather than in it.
    yields: bool,
}

/// What lies between the balls of each group: one solid of them all.
#[derive(Clone, Debug)]
struct Part {
    groups: Vec<Vec<Ball>>,
    half: Half,
    /// Metres nearer to the camera than it is: decides where two parts are equally far.
    nearer_m: f32,
}

impl Part {
    fn new(balls: Vec<Ball>, half: Half) -> Self {
        Self { groups: vec![balls], half, nearer_m: 0.0 }
    }

    fn nearer(self, nearer_m: f32) -> Self {
        Self { nearer_m, ..self }
    }

    fn balls(&self) -> impl Iterator<Item = &Ball> {
        self.groups.iter().flatten()
    }
}

/// A foot's mark on the ground.
#[derive(Clone, Copy, Debug)]
pub struct Sole {
    pub joint: usize,
    pub half: Half,
    /// Half of its length, metres.
    pub half_length: f32,
    /// Height of its joint over what it stands on, metres.
    pub stand_m: f32,
}

/// The body.
#[derive(Clone, Debug)]
pub struct Figure {
    parts: Vec<Part>,
    /// `[contact joints]`.
    pub soles: Vec<Sole>,
    /// Height of the ground, metres.
    pub ground_m: f32,
    /// From the lowest point to the highest, at most, metres.
    pub height_m: f32,
}

/// Shares of the length of a leg.
const LEG_TOP: f32 = 0.092;
const LEG_END: f32 = 0.040;
/// Shares of the length of the trunk, hips to head.
const HIPS: f32 = 0.165;
const CHEST: f32 = 0.185;
const NECK: f32 = 0.085;
const SKULL: f32 = 0.135;
/// Corners of a circle, drawn.
const CORNERS: usize = 18;
const OUTLINE_PX: f32 = 1.3;

impl Figure {
    /// The body of what a reel shows.
    ///
    /// # Errors
    /// A place or a rotation that cannot be drawn.
    pub fn of(reel: &Reel) -> Result<Self> {
        let samples = reel.samples()?;
        let plan = Plan::of(reel, &samples);
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
        Ok(figure)
    }

    fn balls<'a>(&'a self, world: &'a [Transform]) -> impl Iterator<Item = (Vec3, f32)> + 'a {
        self.parts.iter().flat_map(Part::balls).map(|b| (self.place(b, world), b.radius))
    }

    fn place(&self, b: &Ball, world: &[Transform]) -> Vec3 {
        let p = world[b.joint].point(b.at);
        let floor = self.ground_m + b.radius;
        if b.yields && p.y < floor && world[b.joint].translation.y >= self.ground_m { p.with_y(floor) } else { p }
    }

    /// Left, top, right and bottom in the plane of the camera, metres from `origin`.
    pub fn bounds(&self, world: &[Transform], camera: &Camera, origin: Vec3) -> [f32; 4] {
        let start = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        self.balls(world).fold(start, |b, (p, r)| {
            let [x, y] = camera.plane(p - origin);
            [b[0].min(x - r), b[1].min(y - r), b[2].max(x + r), b[3].max(y + r)]
        })
    }

    /// Draws it, the far parts first. `place` maps metres in the plane of the camera to the page.
    pub fn draw(
        &self,
        picture: &mut Picture,
        world: &[Transform],
        camera: &Camera,
        origin: Vec3,
        px_per_m: f32,
        place: &dyn Fn([f32; 2]) -> Point,
    ) {
        let mut order: Vec<(f32, &Part)> = self.parts.iter().map(|p| (self.depth(p, world, camera), p)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The half of the body that is turned away lies in the shade.
        let left = world[0].direction(Vec3::X).dot(camera.toward);
        let away = |half: Half| match half {
            Half::Left => left < -0.3,
            Half::Right => left > 0.3,
            Half::Middle => false,
        };
        for (_, part) in order {
            let shade = if camera.toward.y < 0.9 && away(part.half) { 0.26 } else { 0.0 };
            let colour = part.half.colour().towards(Colour::rgb(0x20242c), shade);
            let project = |b: &Ball| {
                let at = place(camera.plane(self.place(b, world) - origin));
                (at, b.radius * px_per_m)
            };
            part.draw(picture, colour, &project);
        }
    }

    fn depth(&self, part: &Part, world: &[Transform], camera: &Camera) -> f32 {
        let (sum, n) = part.balls().fold((0.0, 0.0), |(s, n), b| (s + camera.depth(self.place(b, world)), n + 1.0));
        sum / n + part.nearer_m
    }
}

impl Part {
    /// Three tones, the lighter ones nearer to the light at the upper left. Groups become one outline.
    fn draw(&self, picture: &mut Picture, colour: Colour, project: &dyn Fn(&Ball) -> (Point, f32)) {
        let (white, black) = (Colour::rgb(0xffffff), Colour::rgb(0x14181f));
        let around = |balls: &[Ball], size: f32, shift: f32| {
            let mut points = Vec::with_capacity(balls.len() * CORNERS);
            for ([x, y], r) in balls.iter().map(project) {
                points.extend(ring(CORNERS).map(|[c, s]| [x + r * (c * size - shift), y + r * (s * size - shift)]));
            }
            hull(points)
        };
        let dark = colour.towards(black, 0.22);
        // Of the outlines of several groups the inner half is covered again.
        let width = if self.groups.len() > 1 { 2.0 * OUTLINE_PX } else { OUTLINE_PX };
        for g in &self.groups {
            picture.outlined(around(g, 1.0, 0.0), dark, colour.towards(black, 0.72), width);
        }
        // Again, over the outlines that lie within.
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

/// A skeleton seen as a body.
struct Plan<'a> {
    reel: &'a Reel,
    samples: &'a Motion,
    halves: Vec<Half>,
    /// `[joints]` distance to the parent, metres.
    bones: Vec<f32>,
    children: Vec<Vec<usize>>,
    /// `[contact joints]`.
    feet: Vec<usize>,
    /// `[joints]` the part of a leg: share of the way from its top to its foot.
    leg: Vec<Option<f32>>,
    head: Option<usize>,
    /// Joints from the hips to the head.
    spine: Vec<usize>,
    /// `[joints]` whether each is one of them.
    in_spine: Vec<bool>,
    leg_m: f32,
    trunk_m: f32,
    ground_m: f32,
}

impl<'a> Plan<'a> {
    fn of(reel: &'a Reel, samples: &'a Motion) -> Self {
        let skeleton = &reel.skeleton;
        let n = skeleton.len();
        let halves = halves(reel);
        let children: Vec<Vec<usize>> =
            (0..n).map(|j| skeleton.children(JointIndex::new(j)).map(JointIndex::at).collect()).collect();
        let world = samples.world(0);
        let parent = |j: usize| skeleton.parents()[j].map(JointIndex::at);
        let bones: Vec<f32> =
            (0..n).map(|j| parent(j).map_or(0.0, |p| (world[j].translation - world[p].translation).length())).collect();
        let mut plan = Self {
            reel,
            samples,
            halves,
            bones,
            children,
            feet: reel.contact_joints.iter().map(|j| j.at()).collect(),
            leg: vec![None; n],
            head: None,
            spine: Vec::new(),
            in_spine: vec![false; n],
            leg_m: 0.0,
            trunk_m: 0.0,
            ground_m: 0.0,
        };
        plan.find_head(world);
        plan.find_legs();
        plan.find_ground();
        plan
    }

    fn parent(&self, j: usize) -> Option<usize> {
        self.reel.skeleton.parents()[j].map(JointIndex::at)
    }

    /// From a joint up to the root, itself included.
    fn upward(&self, j: usize) -> Vec<usize> {
        std::iter::successors(Some(j), |j| self.parent(*j)).collect()
    }

    /// A bone under a lone root is no part of the body.
    fn first(&self) -> usize {
        if self.children[0].len() == 1 { self.children[0][0] } else { 0 }
    }

    fn find_head(&mut self, world: &[Transform]) {
        let named = self.reel.roles.get("head").map(JointIndex::at);
        let middle_ends =
            (1..self.halves.len()).filter(|j| self.halves[*j] == Half::Middle && self.children[*j].is_empty());
        let highest = middle_ends.max_by(|a, b| world[*a].translation.y.total_cmp(&world[*b].translation.y));
        self.head = named.or(highest);
        let first = self.first();
        let mut up = self.head.map(|h| self.upward(h)).unwrap_or_default();
        up.retain(|j| *j >= first);
        up.reverse();
        self.trunk_m = up.iter().skip(1).map(|j| self.bones[*j]).sum();
        up.iter().for_each(|j| self.in_spine[*j] = true);
        self.spine = up;
        if self.trunk_m <= 0.0 {
            self.trunk_m = 0.5 * self.bones.iter().copied().fold(0.05, f32::max) * 3.0;
        }
    }

    fn find_legs(&mut self) {
        let mut total = 0.0;
        for foot in self.feet.clone() {
            let mut chain = self.upward(foot);
            // Up to where the leg leaves the trunk.
            let top = chain.iter().position(|j| self.in_spine[*j] || *j == 0).unwrap_or(chain.len());
            chain.truncate(top.max(1));
            // From its topmost joint down: the bone above that lies within the trunk.
            let length: f32 = chain[..chain.len() - 1].iter().map(|j| self.bones[*j]).sum::<f32>().max(0.05);
            let mut from_foot = 0.0;
            for j in &chain {
                self.leg[*j] = Some((1.0 - from_foot / length).clamp(0.0, 1.0));
                from_foot += self.bones[*j];
            }
            total += length;
        }
        self.leg_m = if self.feet.is_empty() { self.trunk_m * 1.5 } else { total / self.feet.len() as f32 };
    }

    /// Height of a joint over the root, which goes up slopes and stairs with the body.
    fn over_root(&self, frame: usize, joint: usize) -> f32 {
        self.samples.world(frame)[joint].translation.y - self.samples.root(frame).translation.y
    }

    /// Zero, unless the feet stand elsewhere.
    fn find_ground(&mut self) {
        let lowest = |j: usize| {
            let mut y: Vec<f32> = (0..self.samples.frames()).map(|f| self.over_root(f, j)).collect();
            y.sort_by(f32::total_cmp);
            y[y.len() / 20]
        };
        let all: Vec<usize> = if self.feet.is_empty() { (1..self.halves.len()).collect() } else { self.feet.clone() };
        let low = all.into_iter().map(lowest).fold(f32::MAX, f32::min);
        let sole = 0.02 * self.leg_m;
        if low.is_finite() && low.abs() > 0.25 * self.leg_m {
            self.ground_m = low - sole;
        } else if low.is_finite() && low < sole {
            // Joints that lie on the ground themselves: the sole below them has to lie somewhere.
            self.ground_m = (low - sole).max(-0.04 * self.leg_m);
        }
    }

    fn ball(&self, joint: usize, radius: f32) -> Ball {
        Ball { joint, at: Vec3::ZERO, radius, yields: false }
    }

    /// Hips, back, chest with shoulders, neck; and tails and whatever else hangs in the middle.
    fn trunk(&self) -> Vec<Part> {
        let t = self.trunk_m;
        let mut parts = Vec::new();
        let mut groups: Vec<Vec<Ball>> = Vec::new();
        let spine = &self.spine;
        let neck = spine.len().saturating_sub(2);
        let radius = |i: usize| {
            let share = i as f32 / neck.max(1) as f32;
            t * (HIPS + (CHEST - HIPS) * share)
        };
        for i in 1..neck {
            groups.push(vec![self.ball(spine[i - 1], radius(i - 1) * 0.95), self.ball(spine[i], radius(i))]);
        }
        if let [.., chest, neck, head] = spine[..] {
            groups.push(vec![self.ball(chest, t * 0.12), self.ball(neck, t * NECK * 1.1)]);
            let balls = vec![self.ball(neck, t * NECK * 1.1), self.ball(head, t * NECK)];
            parts.push(Part::new(balls, Half::Middle).nearer(-0.01 * t));
        }
        if let [hips, head] = spine[..] {
            groups.push(vec![self.ball(hips, t * HIPS), self.ball(head, t * NECK)]);
        }
        // What branches off to both sides makes the trunk broad there.
        for (i, joint) in spine.iter().enumerate() {
            let sides: Vec<usize> =
                self.children[*joint].iter().copied().filter(|c| self.halves[*c] != Half::Middle).collect();
            if sides.is_empty() {
                continue;
            }
            let mut balls = vec![self.ball(*joint, radius(i.min(neck)))];
            for side in sides {
                balls.extend(self.side_ball(side, t));
            }
            groups.push(balls);
        }
        if !groups.is_empty() {
            parts.push(Part { groups, half: Half::Middle, nearer_m: 0.0 });
        }
        for j in self.first() + 1..self.halves.len() {
            let hangs = self.halves[j] == Half::Middle && !spine.contains(&j) && self.leg[j].is_none();
            if let Some(p) = self.parent(j).filter(|p| hangs && *p >= self.first() && Some(*p) != self.head) {
                let tail = vec![self.ball(p, t * 0.05), self.ball(j, t * 0.035)];
                parts.push(Part::new(tail, Half::Middle).nearer(-0.1 * t));
            }
        }
        parts
    }

    /// Where a limb leaves the trunk: a hip joint, or the end of a collar bone.
    fn side_ball(&self, side: usize, t: f32) -> Option<Ball> {
        if self.leg[side].is_some() && !self.has_collar(side) {
            return Some(self.ball(side, (self.leg_m * LEG_TOP).min(t * HIPS)));
        }
        let arm = if self.has_collar(side) { self.children[side][0] } else { side };
        Some(self.ball(arm, t * 0.105))
    }

    /// A short first bone inside the body.
    fn has_collar(&self, side: usize) -> bool {
        let [child] = self.children[side][..] else { return false };
        !self.children[child].is_empty()
            && self.bones[child] < 0.75 * self.bones[*self.children[child].first().unwrap_or(&child)]
    }

    /// Skull and nose: the nose points where the body faces.
    fn head(&self) -> Vec<Part> {
        let Some(head) = self.head else { return Vec::new() };
        let t = self.trunk_m;
        let up = self.along(head);
        let facing = self.mean_local(head, |world| Facing::from_rotation(world[0].rotation).direction()).unwrap_or(up);
        // A neck that points ahead carries a muzzle, not a chin; one that rises, a head that is mostly held upright.
        let muzzle = facing.dot(up) > 0.6;
        let up = if muzzle { up } else { self.mean_local(head, |_| Vec3::Y).unwrap_or(up) };
        let face = (facing - up * facing.dot(up)).normalize_or(Vec3::ZERO);
        let ball = |at: Vec3, radius: f32| Ball { joint: head, at: at * t, radius: radius * t, yields: false };
        if muzzle {
            let skull = vec![ball(up * 0.06, SKULL), ball(up * 0.30 - face * 0.02, SKULL * 0.5)];
            return vec![Part::new(skull, Half::Middle).nearer(0.02 * t)];
        }
        let skull = vec![
            ball(up * 0.20 - face * 0.02, SKULL * 1.06),
            ball(up * 0.10 + face * 0.05, SKULL * 0.84),
            ball(up * 0.06 + face * 0.07, SKULL * 0.62),
        ];
        let nose = vec![ball(up * 0.15 + face * 0.15, 0.022), ball(up * 0.105 + face * 0.16, 0.030)];
        vec![Part::new(skull, Half::Middle).nearer(0.02 * t), Part::new(nose, Half::Middle)]
    }

    /// A direction in a joint's space that continues the bone above it.
    fn along(&self, j: usize) -> Vec3 {
        let Some(p) = self.parent(j) else { return Vec3::Y };
        let rest = self.reel.skeleton.rest_model();
        let bone = rest[j].translation - rest[p].translation;
        rest[j].inverse_direction(bone).normalize_or(Vec3::Y)
    }

    /// A direction of the world, averaged in a joint's space.
    /// Only the frames count in which the joint is highest: there the body stands upright.
    fn mean_local(&self, j: usize, direction: impl Fn(&[Transform]) -> Vec3) -> Option<Vec3> {
        let height = |f: &usize| self.samples.world(*f)[j].translation.y;
        let mut frames: Vec<usize> = (0..self.samples.frames()).collect();
        frames.sort_by(|a, b| height(b).total_cmp(&height(a)).then(a.cmp(b)));
        frames.truncate(frames.len().div_ceil(4));
        let sum: Vec3 = frames
            .into_iter()
            .map(|f| self.samples.world(f))
            .map(|world| world[j].inverse_direction(direction(world)))
            .sum();
        sum.try_normalize()
    }

    /// Arms, legs down to the ankle, fingers.
    fn limbs(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for j in 1..self.halves.len() {
            let Some(p) = self.parent(j) else { continue };
            let half = self.halves[j];
            // Of these the trunk takes care.
            let inner = self.spine.contains(&p) || p < self.first() || half == Half::Middle && self.leg[j].is_none();
            let collar = self.has_collar(p) && self.parent(p).is_some_and(|above| self.spine.contains(&above));
            if inner || collar {
                continue;
            }
            let toe = self.feet.contains(&j) && self.is_toe(j);
            if toe || self.feet.contains(&p) {
                continue;
            }
            let bone = vec![self.ball(p, self.limb_radius(p)), self.ball(j, self.limb_radius(j))];
            parts.push(Part::new(bone, half));
            let is_hand = self.children[j].is_empty() && self.leg[j].is_none() && self.fingers(j) == 0;
            if is_hand {
                let along = self.along(j) * self.leg_m;
                let ball = |way: f32, radius: f32| {
                    let radius = radius * self.leg_m;
                    Ball { joint: j, at: along * way, radius, yields: false }
                };
                parts.push(Part::new(vec![ball(0.02, 0.03), ball(0.075, 0.036), ball(0.14, 0.020)], half));
            }
        }
        parts
    }

    /// Branchings above a joint of a limb: 1 for joints of fingers.
    fn fingers(&self, j: usize) -> usize {
        let up = self.upward(j);
        let limb = up.iter().skip(1).take_while(|j| !self.in_spine[**j] && **j != 0);
        limb.filter(|j| self.children[**j].len() > 1).count()
    }

    fn limb_radius(&self, j: usize) -> f32 {
        let l = self.leg_m;
        if let Some(share) = self.leg[j] {
            return l * (LEG_TOP + (LEG_END - LEG_TOP) * powf(share, 0.7));
        }
        if self.fingers(j) > 0 {
            return l * 0.011;
        }
        let up = self.upward(j);
        let limb = up.iter().take_while(|j| !self.in_spine[**j] && **j != 0);
        let from_trunk: f32 = limb.map(|j| self.bones[*j]).sum();
        l * (0.062 - 0.045 * from_trunk / l).clamp(0.024, 0.056)
    }

    /// A toe stands low and close to an ankle; a paw or an ankle does not.
    fn is_toe(&self, j: usize) -> bool {
        self.bones[j] < 0.3 * self.leg_m && self.parent(j).is_some_and(|p| self.leg[p].is_some())
    }

    fn planted(&self, slot: usize) -> Vec<usize> {
        let all = 0..self.samples.frames();
        let planted: Vec<usize> = all.clone().filter(|f| self.samples.planted(*f, slot)).collect();
        if planted.is_empty() { all.collect() } else { planted }
    }

    /// The parts of a foot, and its mark.
    fn foot(&self, slot: usize) -> (Vec<Part>, Sole) {
        let (l, joint) = (self.leg_m, self.feet[slot]);
        let half = self.halves[joint];
        let frames = self.planted(slot);
        let height = |f: usize, j: usize| self.over_root(f, j) - self.ground_m;
        // Where the foot passes under the body, the ground is as high as the root, on slopes too.
        let away =
            |f: usize| flat(self.samples.world(f)[joint].translation - self.samples.root(f).translation).length();
        let mut near: Vec<(f32, f32)> = frames.iter().map(|f| (away(*f), height(*f, joint))).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        near.truncate(frames.len().div_ceil(4));
        let mut heights: Vec<f32> = near.into_iter().map(|n| n.1).collect();
        heights.sort_by(f32::total_cmp);
        // Lowest but for outliers: there may be stairs as well.
        let stand = heights[heights.len() / 10];
        let sole_mark = |share: f32| Sole { joint, half, half_length: share * l, stand_m: stand };
        let ahead = |world: &[Transform]| {
            let body = Facing::from_rotation(world[0].rotation).direction();
            let bone = self.parent(joint).map_or(body, |p| flat(world[joint].translation - world[p].translation));
            if self.is_toe(joint) { bone.normalize_or(body) } else { body }
        };
        // A point of the world, averaged in a joint's space.
        let local = |j: usize, frames: &[usize], point: &dyn Fn(&[Transform]) -> Vec3| {
            let points = frames.iter().map(|f| self.samples.world(*f)).map(|w| w[j].inverse_point(point(w)));
            points.sum::<Vec3>() / frames.len().max(1) as f32
        };
        let ball = |joint: usize, at: Vec3, radius: f32| Ball { joint, at, radius, yields: false };
        if self.is_toe(joint) {
            let ankle = self.parent(joint).unwrap_or(joint);
            let r = stand.clamp(0.014 * l, 0.040 * l);
            let mut flat_frames = frames.clone();
            let raised = |f: usize| height(f, ankle) - height(f, joint);
            flat_frames.sort_by(|a, b| raised(*a).total_cmp(&raised(*b)).then(a.cmp(b)));
            flat_frames.truncate(frames.len().div_ceil(3));
            let heel = local(ankle, &flat_frames, &|w| {
                let p = w[ankle].translation - ahead(w) * 0.055 * l;
                p.with_y(w[joint].translation.y - stand + r * 1.1)
            });
            let tip = local(joint, &flat_frames, &|w| {
                let p = w[joint].translation + ahead(w) * 0.065 * l;
                p.with_y(w[joint].translation.y - stand + r * 0.8)
            });
            let sole = ball(joint, Vec3::ZERO, r);
            let foot = vec![ball(ankle, Vec3::ZERO, l * LEG_END * 1.05), ball(ankle, heel, r * 1.1), sole];
            let toes = vec![sole, Ball { yields: true, ..ball(joint, tip, r * 0.8) }];
            return (vec![Part::new(foot, half), Part::new(toes, half)], sole_mark(0.07));
        }
        // A paw, or an ankle without toes: down to the ground and a little ahead.
        let r = (stand * 0.5).clamp(0.02 * l, 0.05 * l);
        let under = |way: f32, r: f32| {
            local(joint, &frames, &|w: &[Transform]| {
                let p = w[joint].translation + ahead(w) * way * l;
                p.with_y((p.y - stand + r).min(p.y))
            })
        };
        let reach = if stand > 0.06 * l && self.feet.len() < 3 { 0.2 } else { 0.12 };
        let balls = vec![
            ball(joint, Vec3::ZERO, l * LEG_END),
            ball(joint, under(-0.02, r), r),
            Ball { yields: true, ..ball(joint, under(reach, r * 0.8), r * 0.8) },
        ];
        (vec![Part::new(balls, half)], sole_mark(0.5 * reach))
    }
}

/// Left or right by name; children are where their parents are.
fn halves(reel: &Reel) -> Vec<Half> {
    let skeleton = &reel.skeleton;
    let mut halves: Vec<Half> = Vec::with_capacity(skeleton.len());
    for (j, name) in skeleton.names().iter().enumerate() {
        let above = skeleton.parents()[j].map_or(Half::Middle, |p| halves[p.at()]);
        halves.push(if above == Half::Middle { half_of(name) } else { above });
    }
    halves
}

/// The half that a joint's name tells.
fn half_of(name: &str) -> Half {
    let name = name.rsplit(':').next().unwrap_or(name);
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let says = |word: &str, letter: &str| {
        let camel = {
            let mut c = name.chars();
            let first = c.next().is_some_and(|f| f.to_lowercase().to_string() == letter);
            first && c.next().is_some_and(char::is_uppercase)
        };
        lower.starts_with(word) || lower.ends_with(word) || words.contains(&word) || words.contains(&letter) || camel
    };
    match (says("left", "l"), says("right", "r")) {
        (true, false) => Half::Left,
        (false, true) => Half::Right,
        _ => Half::Middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read_from_the_names_of_common_rigs() {
        for left in ["LeftFoot", "mixamorig:LeftUpLeg", "thigh_l", "L_Hip", "LHipJoint", "foot.L", "hand_left"] {
            assert_eq!(half_of(left), Half::Left, "{left}");
        }
        for right in ["RightFoot", "thigh_r", "r_ankle", "RThumb"] {
            assert_eq!(half_of(right), Half::Right, "{right}");
        }
        for middle in ["Hips", "Root", "LowerBack", "Spine1", "Neck", "Bip01 Head"] {
            assert_eq!(half_of(middle), Half::Middle, "{middle}");
        }
    }
}
