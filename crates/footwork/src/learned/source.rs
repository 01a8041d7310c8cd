//! Motion out of a decompressor.

use super::networks::{Decompression, Networks, STEP_S};
use crate::database::{Database, DatabaseEvent, TagMask};
use crate::frames::{ClipIndex, RowIndex};
use crate::matcher::Playing;
use crate::matcher::character::Update;
use crate::matcher::source::{Clips, Moment, MotionSource, Room, Span};
use crate::math::{Facing, Quat, Transform, lerp};
use crate::motion::arc;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::channel::{TrajectoryFacing, TrajectoryPosition};
use crate::schema::{ChannelKind, FeatureSchema, SourceBuffers, TrajectorySample};
use glam::Vec3;
use std::sync::Arc;

/// Where the codes come from that are decompressed.
#[derive(Debug)]
pub(super) enum Codes {
    /// From the stepper. The state of a character remembers two, those before and after what plays, and by how much each step is
    /// corrected.
    Stepped,
    /// From the rows of clips, with `[rows x latents]` their latent variables.
    Rows(Clips, Vec<f32>),
}

/// A decompressor as a source of motion. Codes are apart by [`STEP_S`]; what is between them is interpolated.
#[derive(Debug)]
pub(super) struct Decompressed {
    networks: Arc<Networks>,
    codes: Codes,
    /// Of the schema's trajectory, by time: seconds, columns of position and of facing.
    future: Vec<FuturePoint>,
}

/// A point of the trajectory that features hold.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FuturePoint {
    time_s: f32,
    /// First column, and number of columns (2 on the ground, 3 in space).
    position: (usize, usize),
    facing: Option<usize>,
}

/// Floats that are remembered beside the two codes: the number of the first of them since the transition.
const COUNT: usize = 1;
/// Codes are counted as floats up to here, without a gap.
const MOST_STEPS: f32 = 16_777_216.0;
/// A time nearer to a code than this is the code's own.
const SAME_S: f64 = 1e-5;

/// A moment between two codes.
struct Between {
    /// Place of the earlier code's body in the room, and of the later one's.
    bodies: [usize; 2],
    /// Share of the way to the later one; beyond 0..1 within a step of them.
    alpha: f32,
}

impl Decompressed {
    pub fn new(networks: Arc<Networks>, codes: Codes) -> Self {
        let future = future_points(&networks.character().schema);
        Self { networks, codes, future }
    }

    /// Puts two codes into the room, and returns the share of the way between them at which a moment is.
    fn codes_at(&self, at: &Moment, room: &mut DecompressionRoom) -> f32 {
        let width = self.networks.code_width();
        match &self.codes {
            Codes::Stepped => {
                let (count, codes) = at.memory.split_at(COUNT);
                room.codes[0].copy_from_slice(&codes[..width]);
                room.codes[1].copy_from_slice(&codes[width..2 * width]);
                let since_s = at.playing.time_s - f64::from(count[0]) * STEP_S;
                share(since_s)
            }
            Codes::Rows(Clips(db), latents) => {
                let step = ((at.playing.time_s + SAME_S) / STEP_S).floor();
                for (k, code) in room.codes.iter_mut().enumerate() {
                    let time_s = (step + k as f64) * STEP_S;
                    code_of_clip(db, latents, &Playing { time_s, ..at.playing }, code);
                }
                share(at.playing.time_s - step * STEP_S)
            }
        }
    }

    fn between(&self, at: &Moment, room: &mut DecompressionRoom) -> Between {
        let alpha = self.codes_at(at, room);
        let bodies = [0, 1].map(|k| room.body(&self.networks, k));
        Between { bodies, alpha }
    }

    /// Puts the code of what plays into the room's `now`, interpolated.
    pub fn note_code(&self, update: &mut Update) {
        let at = update.state.moment(update.character.layout());
        let Some(room) = update.scratch.room.of::<DecompressionRoom>() else { return };
        let alpha = self.codes_at(&at, room).clamp(0.0, 1.0);
        let codes = room.codes[0].iter().zip(&room.codes[1]);
        room.now.iter_mut().zip(codes).for_each(|(o, (a, b))| *o = lerp(*a, *b, alpha));
    }

    /// Numbers of the body that are no rotations, at a moment.
    fn numbers(&self, at: &Moment, room: &mut Room, range: std::ops::Range<usize>, mut take: impl FnMut(usize, f32)) {
        let Some(room) = room.of::<DecompressionRoom>() else { return };
        let b = self.between(at, room);
        let [a, z] = b.bodies.map(|k| &room.decoded[k].body[range.clone()]);
        for (i, (a, z)) in a.iter().zip(z).enumerate() {
            take(i, lerp(*a, *z, b.alpha));
        }
    }

    /// Velocity and turn of the root at a moment.
    fn root(&self, at: &Moment, room: &mut DecompressionRoom) -> (Vec3, f32) {
        let layout = self.networks.layout();
        let b = self.between(at, room);
        let [(v0, w0), (v1, w1)] = b.bodies.map(|k| {
            let body = &room.decoded[k].body;
            (Vec3::from_slice(&body[layout.root_velocity.clone()]), body[layout.root_turn.start])
        });
        (v0.lerp(v1, b.alpha), lerp(w0, w1, b.alpha))
    }
}

/// The share of a step; what is within a step of the two codes is extrapolated, and no more.
fn share(since_s: f64) -> f32 {
    let share = since_s / STEP_S;
    let nearest = share.round();
    (if (share - nearest).abs() < SAME_S / STEP_S { nearest } else { share }).clamp(-1.0, 2.0) as f32
}

/// Features and latent variables of a time of a clip: between its rows, both are interpolated.
fn code_of_clip(db: &Database, latents: &[f32], p: &Playing, code: &mut [f32]) {
    let clip = &db.clips[p.clip.at()];
    let (rows, columns) = (clip.row_range(), db.features.columns);
    let width = code.len() - columns;
    if rows.is_empty() {
        return;
    }
    let x = p.time_s * f64::from(db.search_rate_hz);
    let n = rows.len() as i64;
    let row = |i: i64| rows.start + if clip.looping() { i.rem_euclid(n) } else { i.clamp(0, n - 1) } as usize;
    let (a, b, t) = (row(x.floor() as i64), row(x.floor() as i64 + 1), (x - x.floor()) as f32);
    let features = db.features.row(RowIndex::new(a)).iter().zip(db.features.row(RowIndex::new(b)));
    let latents = latents[a * width..][..width].iter().zip(&latents[b * width..][..width]);
    for (o, (a, b)) in code.iter_mut().zip(features.chain(latents)) {
        *o = lerp(*a, *b, t);
    }
}

fn future_points(schema: &FeatureSchema) -> Vec<FuturePoint> {
    let mut points = Vec::new();
    for channel in &schema.channels {
        let ChannelKind::TrajectoryPosition(TrajectoryPosition(t)) = &channel.kind else { continue };
        for (k, slot) in t.slots.iter().enumerate() {
            let position = (channel.columns.start + k * t.dimensions, t.dimensions);
            points.push(FuturePoint { time_s: schema.times_s[*slot], position, facing: None });
        }
    }
    for channel in &schema.channels {
        let ChannelKind::TrajectoryFacing(TrajectoryFacing { slots }) = &channel.kind else { continue };
        for (k, slot) in slots.iter().enumerate() {
            let time_s = schema.times_s[*slot];
            if let Some(point) = points.iter_mut().find(|p: &&mut FuturePoint| p.time_s == time_s) {
                point.facing = Some(channel.columns.start + 2 * k);
            }
        }
    }
    points.retain(|p| p.time_s > 0.0);
    points.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    points
}

/// Bodies that were decompressed lately: a frame asks for the same few again and again.
#[derive(Debug)]
pub(super) struct DecompressionRoom {
    pub networks: Decompression,
    codes: [Vec<f32>; 2],
    decoded: Vec<Decoded>,
    clock: u64,
    /// The code of what plays, and the one that a chooser found.
    pub now: Vec<f32>,
    pub found: Vec<f32>,
}

/// A body that was decompressed.
#[derive(Debug)]
struct Decoded {
    code: Vec<f32>,
    body: Vec<f32>,
    pose: Pose,
    used: u64,
}

/// What plays has two bodies, and what is to play; each has a neighbour more where accelerations are asked for.
const DECODED: usize = 6;

impl DecompressionRoom {
    fn new(networks: &Networks) -> Self {
        let code = vec![0.0; networks.code_width()];
        let decoded = || Decoded {
            // Nothing has this code.
            code: vec![f32::NAN; networks.code_width()],
            body: vec![0.0; networks.layout().width()],
            pose: Pose::rest(&networks.character().skeleton),
            used: 0,
        };
        Self {
            networks: Decompression::new(networks),
            now: code.clone(),
            found: code.clone(),
            codes: [code.clone(), code],
            decoded: (0..DECODED).map(|_| decoded()).collect(),
            clock: 0,
        }
    }

    fn fits(&self, networks: &Networks) -> bool {
        self.codes[0].len() == networks.code_width()
            && self.decoded[0].body.len() == networks.layout().width()
            && self.decoded[0].pose.len() == networks.layout().joints
    }

    /// The place of the body of `codes[k]`.
    fn body(&mut self, networks: &Networks, k: usize) -> usize {
        self.clock += 1;
        let code = &self.codes[k];
        let known = self.decoded.iter().position(|d| d.code == *code);
        let place = known.unwrap_or_else(|| {
            let oldest = (0..DECODED).min_by_key(|i| self.decoded[*i].used).unwrap_or(0);
            let d = &mut self.decoded[oldest];
            d.code.copy_from_slice(code);
            networks.decompress(code, &mut d.body, &mut self.networks);
            networks.layout().decode(&d.body, &mut d.pose);
            oldest
        });
        self.decoded[place].used = self.clock;
        place
    }
}

impl MotionSource for Decompressed {
    fn room(&self) -> Room {
        Room::new(DecompressionRoom::new(&self.networks))
    }

    fn is_room(&self, room: &Room) -> bool {
        room.get::<DecompressionRoom>().is_some_and(|r| r.fits(&self.networks))
    }

    fn memory_width(&self) -> usize {
        if let Codes::Stepped = self.codes { COUNT + 3 * self.networks.code_width() } else { 0 }
    }

    fn begin(&self, memory: &mut [f32]) {
        if let Codes::Stepped = self.codes {
            begin(&self.networks, &self.networks.resting, memory, &mut Decompression::new(&self.networks));
        }
    }

    fn tick(&self, playing: &Playing, memory: &mut [f32], room: &mut Room) {
        let (Codes::Stepped, Some(room)) = (&self.codes, room.of::<DecompressionRoom>()) else { return };
        let (count, codes) = memory.split_at_mut(COUNT);
        let width = self.networks.code_width();
        // Nothing is played faster than twenty times.
        for _ in 0..MOST_STEPS_PER_TICK {
            if playing.time_s + SAME_S < f64::from(count[0] + 1.0) * STEP_S || count[0] >= MOST_STEPS {
                break;
            }
            codes.copy_within(width..2 * width, 0);
            let (next, correction) = codes[width..].split_at_mut(width);
            self.networks.advance(next, &mut room.networks);
            next.iter_mut().zip(correction).for_each(|(v, by)| *v += *by);
            count[0] += 1.0;
        }
    }

    fn is_memory(&self, memory: &[f32]) -> bool {
        memory.is_empty() || (memory[0] >= 0.0 && memory[0] <= MOST_STEPS && memory[0].fract() == 0.0)
    }

    fn code<'a>(&self, at: Moment<'a>) -> Option<&'a [f32]> {
        at.memory.get(COUNT..COUNT + self.networks.code_width())
    }

    fn clip_name(&self, clip: ClipIndex) -> Option<&str> {
        match &self.codes {
            Codes::Stepped => None,
            Codes::Rows(clips, _) => clips.clip_name(clip),
        }
    }

    fn has(&self, playing: &Playing) -> bool {
        match &self.codes {
            Codes::Stepped => playing.clip.at() == 0 && !playing.mirrored,
            Codes::Rows(clips, _) => clips.has(playing),
        }
    }

    fn span(&self, clip: ClipIndex) -> Span {
        match &self.codes {
            Codes::Stepped => Span { seconds: f64::INFINITY, looping: false },
            Codes::Rows(clips, _) => clips.span(clip),
        }
    }

    fn root_velocity(&self, at: Moment, room: &mut Room) -> Vec3 {
        room.of::<DecompressionRoom>().map_or(Vec3::ZERO, |room| self.root(&at, room).0)
    }

    fn way(&self, at: Moment, room: &mut Room, to_s: f64) -> Transform {
        let Some(room) = room.of::<DecompressionRoom>() else { return Transform::IDENTITY };
        let ((v0, w0), (v1, w1)) = (self.root(&at, room), self.root(&at.at(to_s), room));
        // Velocity and turn change steadily from the one moment to the other.
        arc((v0 + v1) * 0.5, Vec3::Y * ((w0 + w1) * 0.5), (to_s - at.playing.time_s) as f32)
    }

    fn pose(&self, at: Moment, room: &mut Room, pose: &mut Pose, velocity: &mut PoseVelocity) {
        let Some(room) = room.of::<DecompressionRoom>() else { return };
        let (root_velocity, turn) = self.root(&at, room);
        let b = self.between(&at, room);
        let [from, to] = b.bodies.map(|k| &room.decoded[k].pose);
        let per_s = 1.0 / STEP_S as f32;
        for j in 1..pose.len() {
            let (now, then) = (from.rotations[j], to.rotations[j]);
            pose.rotations[j] = if b.alpha == 0.0 { now } else { now.nlerp(then, b.alpha) };
            velocity.angular[j] = small_rotation_vector(then * now.inverse()) * per_s;
            pose.translations[j] = from.translations[j].lerp(to.translations[j], b.alpha);
            velocity.linear[j] = (to.translations[j] - from.translations[j]) * per_s;
        }
        velocity.linear[0] = root_velocity;
        velocity.angular[0] = Vec3::Y * turn;
    }

    fn some_joints(&self, at: Moment, room: &mut Room, _wanted: &[bool], pose: &mut Pose, velocity: &mut PoseVelocity) {
        self.pose(at, room, pose, velocity);
    }

    fn trajectory(&self, at: Moment, room: &mut Room, ahead_s: f32) -> TrajectorySample {
        let Some(room) = room.of::<DecompressionRoom>() else { return TrajectorySample::default() };
        let (velocity, turn) = self.root(&at, room);
        let features = &self.networks.character().features;
        let value = |column: usize| features.denormalize(column, room.codes[0][column]);
        // Beyond what features hold the root goes on as it last did; behind it, as it does now.
        let mut before = (0.0, Vec3::ZERO, Facing::default());
        let mut after = None;
        if ahead_s > 0.0 {
            for p in &self.future {
                let (first, dimensions) = p.position;
                let (x, z) = (value(first), value(first + dimensions - 1));
                let facing = p.facing.and_then(|c| Facing::from_direction(Vec3::new(value(c), 0.0, value(c + 1))));
                let point = (p.time_s, Vec3::new(x, 0.0, z), facing.unwrap_or_default());
                if p.time_s >= ahead_s {
                    after = Some(point);
                    break;
                }
                before = point;
            }
        }
        let Some((to_s, to, facing)) = after else {
            let on = arc(velocity, Vec3::Y * turn, ahead_s - before.0);
            let position = before.2.rotation() * on.translation + before.1;
            let facing = before.2.turned(turn * (ahead_s - before.0));
            return TrajectorySample { position, facing, velocity: facing.rotation() * velocity };
        };
        let t = (ahead_s - before.0) / (to_s - before.0);
        TrajectorySample {
            position: before.1.lerp(to, t),
            facing: before.2.turned(before.2.angle_to(facing) * t),
            velocity: (to - before.1) / (to_s - before.0),
        }
    }

    fn features(&self, at: Moment, room: &mut Room, _accelerations: bool, buffers: &mut SourceBuffers) {
        let SourceBuffers { pose, velocity, motion, .. } = buffers;
        self.pose(at, room, pose, velocity);
        motion.from_pose(&self.networks.character().skeleton, pose, velocity);
    }

    fn contacts(&self, at: Moment, room: &mut Room, out: &mut [u8]) {
        let range = self.networks.layout().contacts.clone();
        self.numbers(&at, room, range, |slot, touches| out[slot] = u8::from(touches > 0.5));
    }

    fn next_contact_s(&self, at: Moment, room: &mut Room, slot: usize) -> (f32, f32) {
        let layout = self.networks.layout();
        let (mut touches, mut next) = (0.0, [0.0f32; 2]);
        self.numbers(&at, room, layout.contacts.start + slot..layout.contacts.start + slot + 1, |_, v| touches = v);
        let first = layout.next_contacts.start + 2 * slot;
        self.numbers(&at, room, first..first + 2, |i, v| next[i] = v.max(0.0));
        if touches > 0.5 {
            return (0.0, next[1]);
        }
        let horizon_s = Database::CONTACT_HORIZON_S as f32;
        // The last frame before the horizon is as good as beyond it.
        if next[0] > horizon_s - STEP_S as f32 { (f32::INFINITY, 0.0) } else { (next[0], next[1]) }
    }

    fn curves(&self, at: Moment, room: &mut Room, out: &mut [f32]) {
        self.numbers(&at, room, self.networks.layout().curves.clone(), |i, v| out[i] = v);
    }

    fn tags(&self, at: Moment) -> TagMask {
        match &self.codes {
            Codes::Stepped => TagMask::default(),
            Codes::Rows(clips, _) => clips.tags(at),
        }
    }

    fn events(&self, clip: ClipIndex) -> &[DatabaseEvent] {
        match &self.codes {
            Codes::Stepped => &[],
            Codes::Rows(clips, _) => clips.events(clip),
        }
    }
}

/// The rotation vector of a rotation by little: two thirds of a turn of a hand in a step are off by a hundredth.
fn small_rotation_vector(q: Quat) -> Vec3 {
    let q = q.abs();
    let sine = Vec3::new(q.x, q.y, q.z);
    let s = sine.length_squared();
    // The arc sine's series.
    sine * (2.0 + s * (1.0 / 3.0 + s * (3.0 / 20.0 + s * (5.0 / 56.0))))
}

/// More steps than the fastest play rate asks for in a control tick.
const MOST_STEPS_PER_TICK: usize = 24;

/// By how much each step is corrected, in what is remembered.
pub(super) fn correction(memory: &mut [f32], width: usize) -> &mut [f32] {
    &mut memory[COUNT + 2 * width..]
}

/// What is remembered at a code: it, the one that follows, and that nothing is corrected.
pub(super) fn begin(networks: &Networks, code: &[f32], memory: &mut [f32], room: &mut Decompression) {
    let (count, codes) = memory.split_at_mut(COUNT);
    let (now, next) = codes.split_at_mut(code.len());
    let (next, correction) = next.split_at_mut(code.len());
    count[0] = 0.0;
    now.copy_from_slice(code);
    next.copy_from_slice(code);
    correction.fill(0.0);
    networks.advance(next, room);
}
