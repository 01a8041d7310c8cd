//! Display list of the viewport's scene.

use crate::camera::Lens;
use crate::mode::Mode;
use crate::session::Session;
use crate::style::{self, COMMANDED, HELD, MATCHED, PAST, Scene, TOUCHES};
use footwork::advanced::schema::{DebugShape, FeatureSource, TrajectorySample};
use footwork::matcher::{ActionView, MotionMatcher};
use footwork::math::Transform;
use footwork::pose::RootMotion;
use footwork_draw::figure::Look;
use footwork_draw::shapes::{Colour, Frame, Picture, Point, ring};
use footwork_metrics::ground::GroundKind;
use glam::Vec3;

/// Radius around the character within which the ground is drawn, in metres.
const REACH_M: f32 = 14.0;
/// Distance between grid lines on level ground, in metres.
const GRID_M: f32 = 1.0;
/// Size of the patches of slopes and steps, in metres, and their number from the character in each direction.
const PATCH_M: f32 = 0.2;
const PATCHES: i32 = 32;
/// Duration of the drawn past path, in seconds.
const PAST_S: f32 = 4.0;
/// Duration of movement that velocity arrows show, in seconds.
const ARROW_S: f32 = 0.2;
/// Radius of the mark under a foot, in metres.
const MARK_M: f32 = 0.07;
/// Radius of the mark at a requested contact, in metres.
const REQUESTED_M: f32 = 0.14;
/// Height of lines above the ground, in metres.
const OVER_M: f32 = 0.01;

/// Layers drawn beside the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// Past path, requested trajectory and matched trajectory.
    pub paths: bool,
    /// Body features, by channel.
    pub features: bool,
    /// Feet in contact, and locked feet.
    pub feet: bool,
    /// Contacts of the playing action, and of the request that waits.
    pub contacts: bool,
}

impl Default for Layers {
    fn default() -> Self {
        Self { paths: true, features: false, feet: true, contacts: true }
    }
}

/// Drawn session and pose.
pub(crate) struct Subject<'a> {
    pub session: &'a Session,
    pub world: &'a [Transform],
    pub root: Transform,
}

/// View and surroundings.
pub(crate) struct Scenery<'a> {
    pub lens: &'a Lens,
    pub colours: Scene,
    /// Size of the picture, in pixels.
    pub size: [f32; 2],
    pub ground: GroundKind,
    /// Height of level ground, in metres.
    pub level_m: f32,
}

impl Scenery<'_> {
    fn frame(&self) -> Frame {
        // A margin hides the ends of lines outside the picture.
        Frame { left: -50.0, top: -50.0, width: self.size[0] + 100.0, height: self.size[1] + 100.0 }
    }

    /// Projects a point vertically onto the ground.
    pub fn height(&self, p: Vec3) -> Vec3 {
        if self.ground.is_level() { p.with_y(self.level_m) } else { p.with_y(self.ground.at(p).height_m) }
    }

    /// Draws the ground around a point.
    pub fn ground(&self, picture: &mut Picture, around: Vec3) {
        if self.ground.is_level() { self.grid(picture, around) } else { self.patches(picture, around) }
    }

    fn grid(&self, picture: &mut Picture, around: Vec3) {
        self.horizon(picture);
        let [x0, z0] = [around.x, around.z].map(|v| (v / GRID_M).round() * GRID_M);
        let n = (REACH_M / GRID_M) as i32;
        for k in -n..=n {
            for along_x in [true, false] {
                let at = |i: i32| {
                    let (a, b) = (i as f32 * GRID_M, k as f32 * GRID_M);
                    let (x, z) = if along_x { (a, b) } else { (b, a) };
                    Vec3::new(x0 + x, self.level_m, z0 + z)
                };
                self.fading_line(picture, around, (-n..n).map(|piece| [at(piece), at(piece + 1)]));
            }
        }
    }

    /// Draws a line of the grid in segments, so that it fades with the distance.
    fn fading_line(&self, picture: &mut Picture, around: Vec3, segments: impl Iterator<Item = [Vec3; 2]>) {
        let frame = self.frame();
        for [from, to] in segments {
            let far = ((from - around.with_y(self.level_m)).length() / REACH_M).clamp(0.0, 1.0);
            if far >= 1.0 {
                continue;
            }
            let colour = self.colours.line.towards(self.colours.ground, far);
            if let Some(line) = self.lens.line(from, to) {
                picture.line_within(&line, &frame, colour, 1.0);
            }
        }
    }

    /// Draws ground up to the horizon, across the picture.
    fn horizon(&self, picture: &mut Picture) {
        let camera = &self.lens.camera;
        let ahead = (-camera.toward).with_y(0.0).normalize_or(Vec3::Z);
        let [_, y] = self.lens.point(ahead * 1e4);
        let top = y.clamp(0.0, self.size[1]);
        let ground = Frame { left: 0.0, top, width: self.size[0], height: self.size[1] - top };
        picture.rectangle(&ground, self.colours.ground);
    }

    fn patches(&self, picture: &mut Picture, around: Vec3) {
        self.horizon(picture);
        let [i0, k0] = [around.x, around.z].map(|v| (v / PATCH_M).round() as i32);
        let at = |i: i32, k: i32| self.height(Vec3::new(i as f32 * PATCH_M, 0.0, k as f32 * PATCH_M));
        let mut all: Vec<(f32, [Point; 4], Colour)> = Vec::new();
        for i in i0 - PATCHES..i0 + PATCHES {
            for k in k0 - PATCHES..k0 + PATCHES {
                let corners = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
                if corners.iter().any(|c| self.lens.ahead_m(*c) < 0.2) {
                    continue;
                }
                let middle = (corners[0] + corners[2]) * 0.5;
                let far = ((middle - around).with_y(0.0).length() / (PATCHES as f32 * PATCH_M)).clamp(0.0, 1.0);
                if far >= 1.0 {
                    continue;
                }
                let normal = (corners[3] - corners[0]).cross(corners[1] - corners[0]).normalize_or(Vec3::Y);
                let tile = if (i + k).rem_euclid(2) == 0 { 0.10 } else { 0.22 };
                let lit = self.colours.ground.towards(self.colours.line, tile);
                let tone = lit.towards(self.colours.shadow, 1.0 - normal.y.abs());
                let colour = tone.towards(self.colours.ground, far * far);
                all.push((self.lens.ahead_m(middle), corners.map(|c| self.lens.point(c)), colour));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, corners, colour) in all {
            picture.area(corners.to_vec(), colour);
        }
    }

    /// Draws the figure's shadow.
    pub fn shadow(&self, picture: &mut Picture, subject: &Subject) {
        let floor = subject.session.figure.ground_m;
        let down = |p: Vec3| {
            let below = self.height(p);
            let over = (p.y - floor - below.y).max(0.0);
            // The light comes from the upper left behind the camera's initial position.
            self.height(p + Vec3::new(0.25, 0.0, 0.35) * over) + Vec3::Y * 0.002
        };
        let point = |p: Vec3| self.lens.point(p);
        let px_per_m = self.lens.px_per_m(subject.root.translation);
        let tint = Some((self.colours.shadow, 1.0));
        let look = Look { camera: &self.lens.camera, px_per_m, point: &point, tint };
        subject.session.figure.shadow(picture, subject.world, &look, &down);
    }

    fn body(&self, picture: &mut Picture, session: &Session, world: &[Transform], tint: Option<(Colour, f32)>) {
        let Some(root) = world.first() else { return };
        let at = root.translation + Vec3::Y * 0.5 * session.figure.height_m;
        if self.lens.ahead_m(at) < 0.3 {
            return;
        }
        let point = |p: Vec3| self.lens.point(p);
        let look = Look { camera: &self.lens.camera, px_per_m: self.lens.px_per_m(at), point: &point, tint };
        session.figure.draw(picture, world, &look);
    }

    /// Draws the figure.
    pub fn figure(&self, picture: &mut Picture, subject: &Subject) {
        self.body(picture, subject.session, subject.world, None);
    }

    /// Draws a candidate's pose in a pale colour.
    pub fn ghost(&self, picture: &mut Picture, session: &Session, world: &[Transform]) {
        self.body(picture, session, world, Some((self.colours.ground.towards(MATCHED, 0.35), 0.75)));
    }

    fn strip(&self, picture: &mut Picture, points: &[Vec3], colour: Colour, width: f32) {
        let frame = self.frame();
        for pair in points.windows(2) {
            if let Some(line) = self.lens.line(pair[0], pair[1]) {
                picture.line_within(&line, &frame, colour, width);
            }
        }
    }

    /// Draws a level ring.
    fn mark(&self, picture: &mut Picture, at: Vec3, radius_m: f32, colour: Colour) {
        if self.lens.ahead_m(at) < 0.3 {
            return;
        }
        let points = ring(20).map(|[x, z]| self.lens.point(at + Vec3::new(x, 0.0, z) * radius_m)).collect();
        picture.outlined(points, colour.alpha(70), colour, 1.5);
    }

    /// Draws the past path, the requested and matched trajectories, and marks under feet.
    pub fn paths(&self, picture: &mut Picture, subject: &Subject, layers: &Layers) {
        let session = subject.session;
        if matches!(session.mode, Mode::Clip(_)) {
            return;
        }
        let over = |p: Vec3| p + Vec3::Y * OVER_M;
        if layers.paths {
            let last = session.shown_update().map_or(0, |u| u + 1);
            let mut left_s = PAST_S;
            let past = (0..last).rev().filter_map(|k| session.tracks.get(k)).take_while(|s| {
                left_s -= s.dt_s;
                left_s > 0.0
            });
            let past: Vec<Vec3> = past.map(|s| over(self.height(s.position))).collect();
            self.strip(picture, &past, PAST, 2.0);
            self.trajectories(picture, subject);
        }
        if layers.feet {
            let output = session.shown().output();
            for foot in &output.contacts {
                let colour = match (foot.locked_s > 0.0, foot.touching) {
                    (true, _) => HELD,
                    (_, true) => TOUCHES,
                    _ => continue,
                };
                let Some(joint) = subject.world.get(foot.joint.at()) else { continue };
                let floor = self.height(joint.translation);
                self.mark(picture, over(floor), MARK_M, colour);
            }
        }
    }

    /// Draws where limbs touch while an action plays, and where a request is to be met.
    pub fn contacts(&self, picture: &mut Picture, subject: &Subject, layers: &Layers) {
        let session = subject.session;
        if !layers.contacts || matches!(session.mode, Mode::Clip(_)) {
            return;
        }
        let matcher = session.shown();
        match matcher.action_view() {
            Some(ActionView::Plays { clip_s, marks, .. }) => {
                let Some(warp) = matcher.character().action_warp(matcher.state()) else { return };
                for (mark, place) in warp.action.marks.iter().zip(marks) {
                    if clip_s <= mark.end_s {
                        self.mark(picture, place.position, REQUESTED_M, COMMANDED);
                    }
                }
                for contact in warp.action.contacts.iter().filter(|c| clip_s <= c.end_s) {
                    let Some(at) = warp.touched(contact) else { continue };
                    let colour = if clip_s < contact.start_s { COMMANDED } else { HELD };
                    self.mark(picture, at, MARK_M, colour);
                }
            }
            _ => {
                let contacts = session.shown_request().map(|r| r.contacts).into_iter().flatten().flatten();
                contacts.for_each(|c| self.mark(picture, c.position, REQUESTED_M, COMMANDED));
            }
        }
    }

    fn trajectories(&self, picture: &mut Picture, subject: &Subject) {
        let matcher = subject.session.shown();
        for (values, colour, width) in [(found(matcher), MATCHED, 2.0), (asked(matcher), COMMANDED, 3.0)] {
            let Some(values) = values else { continue };
            let mut path: Vec<Vec3> = Vec::new();
            draw_channels(matcher, &values, &mut |_, trajectory, shape| {
                if let (true, DebugShape::Point(p)) = (trajectory, shape) {
                    path.push(self.height(subject.root.point(p)) + Vec3::Y * OVER_M);
                }
            });
            self.strip(picture, &path, colour, width);
            for p in path {
                self.mark(picture, p, 0.6 * MARK_M, colour);
            }
        }
    }

    /// Draws the body features of the query, one colour per channel.
    pub fn features(&self, picture: &mut Picture, subject: &Subject, layers: &Layers) {
        let matcher = subject.session.shown();
        if !layers.features || matches!(subject.session.mode, Mode::Clip(_)) {
            return;
        }
        let Some(values) = asked(matcher) else { return };
        let world = |p: Vec3| subject.root.point(p);
        // Features refer to level clips, so they are raised with the ground.
        let lift = Vec3::Y * (self.height(subject.root.translation).y - subject.root.translation.y);
        let frame = self.frame();
        draw_channels(matcher, &values, &mut |channel, trajectory, shape| {
            if trajectory {
                return;
            }
            let colour = style::shape(style::channel(channel));
            match shape {
                DebugShape::Point(p) => picture.disc(self.lens.point(world(p) + lift), [4.0; 2], colour, None),
                DebugShape::Arrow { from, vector } => {
                    if let Some(line) = self.lens.line(world(from), world(from + vector * ARROW_S)) {
                        picture.line_within(&line, &frame, colour, 2.5);
                        picture.disc(line[1], [3.0; 2], colour, None);
                    }
                }
            }
        });
    }
}

/// Returns the `[columns]` raw features of the last query.
fn asked(matcher: &MotionMatcher) -> Option<Vec<f32>> {
    let db = matcher.character().database()?;
    let query = matcher.last_query()?;
    Some(query.features.iter().enumerate().map(|(c, v)| db.features.denormalize(c, *v)).collect())
}

/// Returns the `[columns]` raw features of the row chosen by the last search.
fn found(matcher: &MotionMatcher) -> Option<Vec<f32>> {
    let db = matcher.character().database()?;
    let chosen = matcher.last_search()?.chosen()?;
    // A mirrored row needs mirrored features.
    let values = db.features.row(chosen.row);
    let by_query = chosen.mirrored && !db.mirror_columns.is_empty();
    let value =
        |c: usize| if by_query { db.mirror_columns[c].sign * values[db.mirror_columns[c].column] } else { values[c] };
    Some((0..values.len()).map(|c| db.features.denormalize(c, value(c))).collect())
}

/// Passes the shapes of raw features to `out`, with the channel's index and whether it is a trajectory channel.
fn draw_channels(matcher: &MotionMatcher, values: &[f32], out: &mut dyn FnMut(usize, bool, DebugShape)) {
    let character = matcher.character();
    let output = matcher.output();
    let mut motion = RootMotion::zero(output.pose.len());
    motion.from_pose(character.skeleton(), &output.pose, &output.velocity);
    let trajectory = vec![TrajectorySample::default(); character.schema().times_s.len()];
    let contacts = vec![0; output.contacts.len()];
    let source =
        FeatureSource { motion: &motion, accelerations: &[], trajectory: &trajectory, contacts: &contacts, user: &[] };
    for (k, channel) in character.schema().channels.iter().enumerate() {
        let of_trajectory = channel.kind.is_trajectory();
        let mut tell = |shape| out(k, of_trajectory, shape);
        channel.kind.draw(&source, &values[channel.columns.clone()], &mut tell);
    }
}
