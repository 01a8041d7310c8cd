//! Clips that were made in place, loops or not: the feet tread, the root stays. Their speed is that of the ground under planted
//! feet.
//!
//! Evidence, per clip: the body stays in place; its feet come down to the level at which those of the other clips are
//! planted; every foot is planted for a while and slides evenly in one direction during this time; and all feet agree. Feet
//! that only move (a fall, sitting, swimming) do not meet these conditions.

use super::config::RootMotionConfig;
use super::contacts::{half_stretch, leg_length_m, lowest, slope};
use super::track::Track;
use crate::frames::JointIndex;
use crate::math::{GRAVITY_MPS2, median};
use crate::parallel;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Maximum displacement of a body in place, in leg lengths: it sways.
const STAYS: f32 = 0.35;
/// Minimum speed of sliding feet by default, in units of the speed of a pendulum as long as the leg; 0.4 m/s for a person.
const TREADS: f32 = 0.135;
/// The same minimum if `speed_from_feet` is true: 0.1 m/s for a person.
const TREADS_ASKED: f32 = 0.034;
/// Maximum relative difference between the speeds of planted feet, and between feet.
const EVEN: f32 = 0.3;
/// Maximum height of planted feet above the lowest, in leg lengths.
const STANDS: f32 = 0.035;
/// Minimum share of a foot's low frames that move with the ground: a leg that swings in the air moves back and forth.
const ONE_WAY: f32 = 0.75;
/// Minimum slide of the ground under a planted foot, in leg lengths.
const CARRIES: f32 = 0.2;
/// Maximum difference between the level of a clip's feet and that of the other clips, in leg lengths.
const LEVEL: f32 = 0.12;

/// Speed and feet of a clip made in place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Treading {
    /// Velocity of the root in its own space, in m/s.
    speed_mps: Vec3,
    /// Deviation of planted feet from it, in m/s.
    spread_mps: f32,
    /// Share of frames in which a foot is low.
    low_share: f32,
    /// Height of the lowest feet, in metres.
    level_m: f32,
}

/// Moves the roots of clips made in place. Also returns messages: the moved clips, and clips with moving feet that were not
/// moved.
pub fn set_off_all(
    tracks: Vec<Track>,
    skeleton: &Skeleton,
    feet: &[JointIndex],
    config: &RootMotionConfig,
) -> (Vec<Track>, Vec<String>) {
    if config.speed_from_feet == Some(false) || feet.is_empty() {
        return (tracks, Vec::new());
    }
    let judged = parallel::map(&tracks, |t| judge(t, skeleton, feet, config));
    let mut levels: Vec<f32> = Vec::new();
    if judged.iter().any(|j| !matches!(j, Ok(None))) {
        levels = parallel::map(&tracks, |t| level_m(t, skeleton, feet));
        levels.sort_by(f32::total_cmp);
    }
    let usual = levels.get(levels.len() / 2).copied().unwrap_or(0.0);
    let mut told = Vec::new();
    let asked = config.speed_from_feet.is_some();
    let sent = tracks.into_iter().zip(judged).map(|(mut track, judged)| {
        let level = |t: Treading| (t.level_m - usual) / leg_length_m(&track, skeleton, feet);
        match judged {
            Ok(None) => {}
            Ok(Some(t)) if level(t).abs() > LEVEL => told.push(in_place(
                &track,
                &format!("they are {:.2} m off the ground of the other clips", (t.level_m - usual).abs()),
            )),
            Ok(Some(t)) => {
                set_off(&mut track, t.speed_mps);
                if !asked {
                    told.push(treads(&track, &t));
                }
            }
            Err(why) => told.push(in_place(&track, &why)),
        }
        track
    });
    (sent.collect::<Vec<_>>(), told)
}

fn treads(track: &Track, t: &Treading) -> String {
    format!(
        "clip `{}` treads on the spot: its root goes at {:.2} m/s, as its standing feet say (each is down {:.0} % of the time \
         and slides evenly, to {:.2} m/s); `root.speed_from_feet = false` leaves it where it is, `true` says that this is meant",
        track.name,
        t.speed_mps.length(),
        100.0 * t.low_share,
        t.spread_mps
    )
}

fn in_place(track: &Track, why: &str) -> String {
    format!(
        "clip `{}` stays where it is though its feet move: they do not stand on moving ground, for {why}",
        track.name
    )
}

/// Returns the treading of a clip. `None` if it travels, stands or is not to be examined. Returns the reason as the error
/// if the feet move without treading.
fn judge(
    track: &Track,
    skeleton: &Skeleton,
    feet: &[JointIndex],
    config: &RootMotionConfig,
) -> Result<Option<Treading>, String> {
    let n = track.frames();
    let asked = config.speed_from_feet.unwrap_or(false);
    let leg_m = leg_length_m(track, skeleton, feet);
    if n < 3 || !stays(track, leg_m) {
        return Ok(None);
    }
    let least = if asked { TREADS_ASKED } else { TREADS } * (GRAVITY_MPS2 * leg_m).sqrt();
    let low: Vec<Low> = feet.iter().map(|foot| Low::new(track, skeleton, *foot, leg_m)).collect();
    let all: Vec<Vec3> = low.iter().flat_map(|l| l.velocities.iter().copied()).collect();
    let Some(ground) = middle(&all) else { return Ok(None) };
    // The fastest foot shows whether the feet move at all.
    let fastest = low.iter().filter_map(|l| middle(&l.velocities)).map(Vec3::length).fold(0.0, f32::max);
    if fastest < least {
        return Ok(None);
    }
    let spread_mps = median(all.iter().map(|v| (*v - ground).length()).collect());
    let (one, even) = (ground.normalize_or_zero(), EVEN * ground.length());
    let back = |v: &&Vec3| v.dot(one) > 0.5 * ground.length();
    let one_way =
        low.iter().all(|l| l.velocities.iter().filter(back).count() as f32 >= ONE_WAY * l.velocities.len() as f32);
    let agree = low.iter().filter_map(|l| middle(&l.velocities)).all(|v| (v - ground).length() < even);
    let carried_m = low.iter().map(|l| l.longest_s).fold(f32::INFINITY, f32::min) * ground.length();
    let agree = agree && ground.length() >= least;
    let carry = carried_m >= CARRIES * leg_m;
    // The feet of a clip that is no loop may move in any way: a reason is given only where they tread.
    if !(asked || track.looping || agree && one_way && carry) {
        return Ok(None);
    }
    match () {
        () if !agree => Err("one slides another way than the other".to_owned()),
        () if !one_way => Err("low as they are they go to and fro".to_owned()),
        () if !asked && spread_mps > even => Err(format!(
            "they slide unevenly, by {spread_mps:.2} m/s (`footwork doctor --fix` gives the body the way of its feet)"
        )),
        () if !carry => Err(format!("they are down for {carried_m:.2} m at a time")),
        () => {
            let low_share = low.iter().map(|l| l.share).sum::<f32>() / low.len() as f32;
            Ok(Some(Treading { speed_mps: -ground, spread_mps, low_share, level_m: level_m(track, skeleton, feet) }))
        }
    }
}

/// Returns the warning for clips of which none travels.
pub fn stays_warning() -> String {
    "no clip travels: the character can only stand, and slides where it is sent; add clips that walk, or, for clips that walk in \
     place, set `root.speed_from_feet = true`"
        .to_owned()
}

/// Returns true if the body stays near its start: it stands, sways, or treads in place.
pub fn stays(track: &Track, leg_m: f32) -> bool {
    reach_m(track) <= STAYS * leg_m
}

/// Returns the maximum distance of the root from its start, in metres, so that a circle counts as travel.
fn reach_m(track: &Track) -> f32 {
    let first = track.local(0, 0).translation;
    (0..track.frames()).map(|f| (track.local(f, 0).translation - first).length()).fold(0.0, f32::max)
}

/// A foot while it is low.
struct Low {
    /// Velocities on the ground in root space, in m/s.
    velocities: Vec<Vec3>,
    /// Share of the frames.
    share: f32,
    /// Longest continuous time, in seconds.
    longest_s: f32,
}

impl Low {
    fn new(track: &Track, skeleton: &Skeleton, foot: JointIndex, leg_m: f32) -> Self {
        let n = track.frames();
        let in_root = |f: usize| track.local(f, 0).inverse_point(track.joint_world(skeleton, f, foot.at()).translation);
        // A loop is extended by one cycle on both sides.
        let whole = if track.looping { 3 * n } else { n };
        let path: Vec<Vec3> = (0..n).map(in_root).cycle().take(whole).collect();
        let ground = lowest(&path.iter().map(|p| p.y).collect::<Vec<_>>());
        let frames = if track.looping { n..2 * n } else { 1..n - 1 };
        let is_low = |f: usize| path[f].y < ground + STANDS * leg_m;
        let half = half_stretch(track.rate_hz);
        let velocity = |f: usize| slope(&path, f, half) * track.rate_hz * Vec3::new(1.0, 0.0, 1.0);
        let velocities: Vec<Vec3> = frames.clone().filter(|f| is_low(*f)).map(velocity).collect();
        let (mut longest, mut run) = (0, 0);
        for f in 0..path.len() {
            run = if is_low(f) { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        let share = velocities.len() as f32 / frames.len() as f32;
        Self { velocities, share, longest_s: longest.min(n) as f32 / track.rate_hz }
    }
}

/// Returns the lowest height of the feet (5th percentile) in world space.
fn level_m(track: &Track, skeleton: &Skeleton, feet: &[JointIndex]) -> f32 {
    let heights = |foot: &JointIndex| {
        let at = |f: usize| track.joint_world(skeleton, f, foot.at()).translation.y;
        lowest(&(0..track.frames()).map(at).collect::<Vec<_>>())
    };
    feet.iter().map(heights).fold(f32::INFINITY, f32::min)
}

fn middle(velocities: &[Vec3]) -> Option<Vec3> {
    let of = |axis: fn(&Vec3) -> f32| median(velocities.iter().map(axis).collect());
    (!velocities.is_empty()).then(|| Vec3::new(of(|v| v.x), 0.0, of(|v| v.z)))
}

/// Moves the root at a velocity in its own axes. The body moves with it.
fn set_off(track: &mut Track, speed_mps: Vec3) {
    let mut way = Vec3::ZERO;
    for f in 0..track.frames() {
        let root = track.local(f, 0);
        track.translations[f * track.joints] += way;
        way += root.rotation * speed_mps / track.rate_hz;
    }
    // The displacement of a cycle is recomputed from the new root.
    track.round = None;
}
