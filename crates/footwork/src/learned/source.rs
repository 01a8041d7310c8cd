//! Motion from a decompressor.

use super::decompression::{CODES, DecompressionScratch, bodies};
use super::future::Future;
use super::networks::{Decompression, Networks, STEP_S};
use crate::database::{Database, TagMask};
use crate::frames::{ClipIndex, EventId, RowIndex};
use crate::matcher::Playing;
use crate::matcher::character::Character;
use crate::matcher::memo::Memo;
use crate::matcher::scratch::Scratch;
use crate::matcher::source::{Clips, MotionSource, Playhead, SourceScratch, Span};
use crate::matcher::state::MatcherState;
use crate::math::{Quat, Transform, lerp};
use crate::motion::arc;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{SourceBuffers, TrajectorySample};
use glam::Vec3;
use std::sync::Arc;

/// Source of the codes that are decompressed.
#[derive(Debug)]
pub(super) enum Codes {
    /// The stepper. A character's memory holds [`CODES`] codes and the correction of each step.
    Stepped,
    /// The rows of clips, with their latent variables `[rows x latents]`.
    Rows(Clips, Vec<f32>),
}

/// A decompressor as a source of motion. Codes are [`STEP_S`] apart; poses between them are interpolated.
#[derive(Debug)]
pub(super) struct Decompressed {
    networks: Arc<Networks>,
    codes: Codes,
    future: Future,
}

/// Number of floats in memory beside the codes: one counter, the index since the transition of the code before the playing
/// time.
const COUNT: usize = 1;
/// Maximum of this counter: floats represent all integers up to here exactly.
const MOST_STEPS: f32 = 16_777_216.0;
/// Times nearer to a code than this are the code's time, in seconds.
const SAME_S: f64 = 1e-5;

/// A time among the codes around it, as weights of their bodies.
struct Between {
    /// Indices of the bodies in the room.
    bodies: [usize; CODES],
    /// Weights of the value; their sum is 1.
    value: [f32; CODES],
    /// Weights of the change per step; their sum is 0.
    rate: [f32; CODES],
}

impl Between {
    /// Returns the interpolated value of one number of the bodies.
    fn value(&self, room: &DecompressionScratch, at: usize) -> f32 {
        self.weighed(&self.value, room, at)
    }

    fn weighed(&self, weights: &[f32; CODES], room: &DecompressionScratch, at: usize) -> f32 {
        let mut sum = 0.0;
        for (weight, body) in weights.iter().zip(self.bodies) {
            sum += *weight * room.bodies.result(body)[at];
        }
        sum
    }
}

/// Returns the weights of cubic Hermite interpolation of evenly spaced values (Catmull and Rom 1974), for the value and for
/// the change per step. `alpha` is 0 at the second value, 1 at the third. Before the second and after the third value the
/// outer differences are the slopes at the ends.
fn spline(alpha: f32) -> ([f32; CODES], [f32; CODES]) {
    /// Slopes at the four values, as weights of the values.
    const SLOPES: [[f32; CODES]; CODES] =
        [[-1.0, 1.0, 0.0, 0.0], [-0.5, 0.0, 0.5, 0.0], [0.0, -0.5, 0.0, 0.5], [0.0, 0.0, -1.0, 1.0]];
    let from = if alpha < 0.0 { 0 } else { 1 + usize::from(alpha > 1.0) };
    let t = alpha + 1.0 - from as f32;
    let (t2, t3) = (t * t, t * t * t);
    let (start, end) = (t3 - 2.0 * t2 + t, t3 - t2);
    let (start_rate, end_rate) = (3.0 * t2 - 4.0 * t + 1.0, 3.0 * t2 - 2.0 * t);
    let (mut value, mut rate) = ([0.0; CODES], [0.0; CODES]);
    for k in 0..CODES {
        value[k] = SLOPES[from][k] * start + SLOPES[from + 1][k] * end;
        rate[k] = SLOPES[from][k] * start_rate + SLOPES[from + 1][k] * end_rate;
    }
    let (rise, rise_rate) = (3.0 * t2 - 2.0 * t3, 6.0 * (t - t2));
    value[from] += 1.0 - rise;
    value[from + 1] += rise;
    rate[from] -= rise_rate;
    rate[from + 1] += rise_rate;
    (value, rate)
}

impl Decompressed {
    pub fn new(networks: Arc<Networks>, codes: Codes) -> Self {
        let future = Future::of(&networks.character().schema);
        Self { networks, codes, future }
    }

    /// Writes the codes around a time into the room. Returns the position between the second code (0) and the third (1).
    fn codes_at(&self, at: &Playhead, room: &mut DecompressionScratch) -> f32 {
        let width = self.networks.code_width();
        match &self.codes {
            Codes::Stepped => {
                let (count, codes) = at.memory.split_at(COUNT);
                room.codes.iter_mut().zip(codes.chunks_exact(width)).for_each(|(out, code)| out.copy_from_slice(code));
                let since_s = at.playing.time_s - f64::from(count[0]) * STEP_S;
                share(since_s)
            }
            Codes::Rows(Clips(db), latents) => {
                let step = ((at.playing.time_s + SAME_S) / STEP_S).floor();
                for (k, code) in room.codes.iter_mut().enumerate() {
                    let time_s = (step + k as f64 - 1.0) * STEP_S;
                    code_of_clip(db, latents, &Playing { time_s, ..at.playing }, code);
                }
                share(at.playing.time_s - step * STEP_S)
            }
        }
    }

    fn between(&self, at: &Playhead, room: &mut DecompressionScratch) -> Between {
        let alpha = self.codes_at(at, room);
        let (value, rate) = spline(alpha);
        let mut bodies = [0; CODES];
        for (k, place) in bodies.iter_mut().enumerate() {
            // Bodies without weight are not decompressed.
            if value[k] != 0.0 || rate[k] != 0.0 {
                *place = room.body(&self.networks, k);
            }
        }
        Between { bodies, value, rate }
    }

    /// Writes the interpolated code at the playing time into the room's `now`.
    pub fn note_code(&self, character: &Character, state: &MatcherState, scratch: &mut Scratch) {
        let at = state.playhead(character.layout());
        let Some(room) = scratch.source.of::<DecompressionScratch>() else { return };
        let alpha = self.codes_at(&at, room).clamp(0.0, 1.0);
        let (weights, _) = spline(alpha);
        room.now.fill(0.0);
        for (weight, code) in weights.iter().zip(&room.codes) {
            room.now.iter_mut().zip(code).for_each(|(o, v)| *o += *weight * *v);
        }
    }

    /// Passes numbers of the body at a time to `take`. Not for rotations.
    fn numbers(
        &self,
        at: &Playhead,
        room: &mut SourceScratch,
        range: std::ops::Range<usize>,
        mut take: impl FnMut(usize, f32),
    ) {
        let Some(room) = room.of::<DecompressionScratch>() else { return };
        let b = self.between(at, room);
        for (i, place) in range.enumerate() {
            take(i, b.value(room, place));
        }
    }

    /// Returns the velocity and the turn rate of the root at a time.
    fn root(&self, at: &Playhead, room: &mut DecompressionScratch) -> (Vec3, f32) {
        let layout = self.networks.layout();
        let b = self.between(at, room);
        let number = |at: usize| b.value(room, at);
        let first = layout.root_velocity.start;
        let velocity = Vec3::new(number(first), number(first + 1), number(first + 2));
        let turn = number(layout.root_turn.start);
        (velocity - self.slide(&b, room, (velocity, turn)), turn)
    }

    /// Returns the velocity at which planted feet would slide: their mean velocity over the ground, at most
    /// [`MOST_SLIDE_M_S`]. Small errors of a body's numbers add up in its feet, where they are visible; in the path of the
    /// root they are not.
    fn slide(&self, b: &Between, room: &DecompressionScratch, (velocity, turn): (Vec3, f32)) -> Vec3 {
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for (slot, contact) in self.networks.layout().contacts.clone().enumerate() {
            // The weight grows from 0 at the threshold of a contact.
            let weight = (2.0 * b.value(room, contact) - 1.0).clamp(0.0, 1.0);
            let (mut place, mut change) = (Vec3::ZERO, Vec3::ZERO);
            for k in 0..CODES {
                let foot = room.foot(b.bodies[k], slot);
                place += foot * b.value[k];
                change += foot * b.rate[k];
            }
            let over_ground = velocity + (Vec3::Y * turn).cross(place) + change / STEP_S as f32;
            sum += Vec3::new(over_ground.x, 0.0, over_ground.z) * weight;
            weights += weight;
        }
        let slide = sum / weights.max(1.0);
        let speed = slide.length_squared().sqrt();
        if speed > MOST_SLIDE_M_S { slide * (MOST_SLIDE_M_S / speed) } else { slide }
    }
}

/// Returns a time since a code as a share of a step, from -1 to 2: at most one step outside the two enclosing codes.
fn share(since_s: f64) -> f32 {
    let share = since_s / STEP_S;
    let nearest = share.round();
    (if (share - nearest).abs() < SAME_S / STEP_S { nearest } else { share }).clamp(-1.0, 2.0) as f32
}

/// Writes features and latent variables at a time of a clip. Between its rows, both are interpolated.
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

impl MotionSource for Decompressed {
    fn scratch(&self) -> SourceScratch {
        SourceScratch::new(DecompressionScratch::new(&self.networks))
    }

    fn owns_scratch(&self, room: &SourceScratch) -> bool {
        room.get::<DecompressionScratch>().is_some_and(|r| r.fits(&self.networks))
    }

    fn memo(&self) -> Memo {
        bodies(&self.networks)
    }

    fn exchange(&self, memo: &mut Memo, room: &mut SourceScratch) {
        if let Some(room) = room.of::<DecompressionScratch>().filter(|room| room.bodies.sizes() == memo.sizes()) {
            std::mem::swap(&mut room.bodies, memo);
        }
    }

    fn memory_width(&self) -> usize {
        if let Codes::Stepped = self.codes { COUNT + (CODES + 1) * self.networks.code_width() } else { 0 }
    }

    fn init_memory(&self, memory: &mut [f32]) {
        if let Codes::Stepped = self.codes {
            begin(&self.networks, &self.networks.resting, memory, &mut Decompression::new(&self.networks));
        }
    }

    fn tick(&self, playing: &Playing, memory: &mut [f32], room: &mut SourceScratch) {
        let (Codes::Stepped, Some(room)) = (&self.codes, room.of::<DecompressionScratch>()) else { return };
        let (count, codes) = memory.split_at_mut(COUNT);
        let width = self.networks.code_width();
        // The bound allows play rates up to about 20.
        for _ in 0..MOST_STEPS_PER_TICK {
            if playing.time_s + SAME_S < f64::from(count[0] + 1.0) * STEP_S || count[0] >= MOST_STEPS {
                break;
            }
            let last = (CODES - 1) * width;
            codes.copy_within(width..CODES * width, 0);
            let (next, correction) = codes[last..].split_at_mut(width);
            self.networks.advance(next, &mut room.networks);
            next.iter_mut().zip(correction).for_each(|(v, by)| *v += *by);
            count[0] += 1.0;
        }
    }

    fn is_memory(&self, _playing: &Playing, memory: &[f32]) -> bool {
        memory.is_empty() || (memory[0] >= 0.0 && memory[0] <= MOST_STEPS && memory[0].fract() == 0.0)
    }

    fn code<'a>(&self, at: Playhead<'a>) -> Option<&'a [f32]> {
        let width = self.networks.code_width();
        at.memory.get(COUNT + width..COUNT + 2 * width)
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

    fn root_velocity(&self, at: Playhead, room: &mut SourceScratch) -> Vec3 {
        room.of::<DecompressionScratch>().map_or(Vec3::ZERO, |room| self.root(&at, room).0)
    }

    fn displacement(&self, at: Playhead, room: &mut SourceScratch, to_s: f64) -> Transform {
        let Some(room) = room.of::<DecompressionScratch>() else { return Transform::IDENTITY };
        let ((v0, w0), (v1, w1)) = (self.root(&at, room), self.root(&at.at(to_s), room));
        // Velocity and turn rate change linearly between the two times.
        arc((v0 + v1) * 0.5, Vec3::Y * ((w0 + w1) * 0.5), (to_s - at.playing.time_s) as f32)
    }

    fn pose(&self, at: Playhead, room: &mut SourceScratch, pose: &mut Pose, velocity: &mut PoseVelocity) {
        let Some(room) = room.of::<DecompressionScratch>() else { return };
        let (root_velocity, turn) = self.root(&at, room);
        let b = self.between(&at, room);
        let layout = self.networks.layout();
        let local = layout.rotations.start..layout.translations.end;
        for (k, later) in [0.0, LATER].into_iter().enumerate() {
            let mut weights = b.value;
            weights.iter_mut().zip(b.rate).for_each(|(weight, rate)| *weight += later * rate);
            for at in local.clone() {
                room.mixed[at] = b.weighed(&weights, room, at);
            }
            layout.decode(&room.mixed, &mut room.poses[k]);
        }
        let [now, later] = &room.poses;
        let per_s = 1.0 / (LATER * STEP_S as f32);
        for j in 1..pose.len() {
            pose.rotations[j] = now.rotations[j];
            pose.translations[j] = now.translations[j];
            velocity.angular[j] = small_rotation_vector(later.rotations[j] * now.rotations[j].inverse()) * per_s;
            velocity.linear[j] = (later.translations[j] - now.translations[j]) * per_s;
        }
        velocity.linear[0] = root_velocity;
        velocity.angular[0] = Vec3::Y * turn;
    }

    fn some_joints(
        &self,
        at: Playhead,
        room: &mut SourceScratch,
        _wanted: &[bool],
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        self.pose(at, room, pose, velocity);
    }

    fn trajectory(&self, at: Playhead, room: &mut SourceScratch, ahead_s: f32) -> TrajectorySample {
        let Some(room) = room.of::<DecompressionScratch>() else { return TrajectorySample::default() };
        let (velocity, turn) = self.root(&at, room);
        let features = &self.networks.character().features;
        self.future.sample(ahead_s, velocity, turn, |column| features.denormalize(column, room.codes[1][column]))
    }

    fn features(&self, at: Playhead, room: &mut SourceScratch, _accelerations: bool, buffers: &mut SourceBuffers) {
        let SourceBuffers { pose, velocity, motion, .. } = buffers;
        self.pose(at, room, pose, velocity);
        motion.from_pose(&self.networks.character().skeleton, pose, velocity);
    }

    fn contacts(&self, at: Playhead, room: &mut SourceScratch, out: &mut [u8]) {
        let range = self.networks.layout().contacts.clone();
        self.numbers(&at, room, range, |slot, touches| out[slot] = u8::from(touches > 0.5));
    }

    fn next_contact_s(&self, at: Playhead, room: &mut SourceScratch, slot: usize) -> (f32, f32) {
        let layout = self.networks.layout();
        let (mut touches, mut next) = (0.0, [0.0f32; 2]);
        self.numbers(&at, room, layout.contacts.start + slot..layout.contacts.start + slot + 1, |_, v| touches = v);
        let first = layout.next_contacts.start + 2 * slot;
        self.numbers(&at, room, first..first + 2, |i, v| next[i] = v.max(0.0));
        if touches > 0.5 {
            return (0.0, next[1]);
        }
        let horizon_s = Database::CONTACT_HORIZON_S as f32;
        // The last frame before the horizon counts as beyond it.
        if next[0] > horizon_s - STEP_S as f32 { (f32::INFINITY, 0.0) } else { (next[0], next[1]) }
    }

    fn curves(&self, at: Playhead, room: &mut SourceScratch, out: &mut [f32]) {
        self.numbers(&at, room, self.networks.layout().curves.clone(), |i, v| out[i] = v);
    }

    fn tags(&self, at: Playhead) -> TagMask {
        match &self.codes {
            Codes::Stepped => TagMask::default(),
            Codes::Rows(clips, _) => clips.tags(at),
        }
    }

    fn events(&self, at: Playhead, from_s: f64, report: &mut dyn FnMut(f64, EventId)) {
        if let Codes::Rows(clips, _) = &self.codes {
            clips.events(at, from_s, report);
        }
    }
}

/// Returns the rotation vector of a small rotation. The error is below 0.01 radians up to 95 degrees.
fn small_rotation_vector(q: Quat) -> Vec3 {
    let q = q.abs();
    let sine = Vec3::new(q.x, q.y, q.z);
    let s = sine.length_squared();
    // Series of the arc sine.
    sine * (2.0 + s * (1.0 / 3.0 + s * (3.0 / 20.0 + s * (5.0 / 56.0))))
}

/// Maximum correction of the root's velocity that keeps planted feet from sliding, in m/s.
const MOST_SLIDE_M_S: f32 = 0.25;
/// Interval over which velocities are measured, along the tangent of the motion, as a share of a step.
const LATER: f32 = 0.25;
/// Maximum number of steps per control tick, above that of the fastest play rate.
const MOST_STEPS_PER_TICK: usize = 24;

/// Returns the correction of each step in a character's memory.
pub(super) fn correction(memory: &mut [f32], width: usize) -> &mut [f32] {
    &mut memory[COUNT + CODES * width..]
}

/// Writes the memory for the start at a code: the code, the codes that follow, an extrapolated code before it, and no
/// correction.
pub(super) fn begin(networks: &Networks, code: &[f32], memory: &mut [f32], room: &mut Decompression) {
    let width = code.len();
    let (count, codes) = memory.split_at_mut(COUNT);
    count[0] = 0.0;
    codes[width..2 * width].copy_from_slice(code);
    for k in 2..CODES {
        codes.copy_within((k - 1) * width..k * width, k * width);
        networks.advance(&mut codes[k * width..][..width], room);
    }
    for at in 0..width {
        codes[at] = 2.0 * codes[width + at] - codes[2 * width + at];
    }
    codes[CODES * width..].fill(0.0);
}

#[cfg(test)]
mod tests;
