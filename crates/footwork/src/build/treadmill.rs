//! Clips that were made in place, loops or not: the feet tread, the root stays. Their speed is that of the ground under planted
//! feet.
//!
//! Evidence, per clip: the body stays; its feet come down to where those of the other clips stand; every foot carries for a while
//! and in this time slides one way, evenly; and all feet agree. Feet that merely move (a fall, a seat, a swim) do not.

use super::config::RootMotionConfig;
use super::contacts::{half_stretch, leg_length_m, lowest, slope};
use super::{parallel, track::Track};
use crate::frames::JointIndex;
use crate::math::{GRAVITY_MPS2, median};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A body that gets no further stays, in leg lengths: it sways.
const STAYS: f32 = 0.35;
/// Without being asked: feet that slide back faster than this, and evenly, tread. In units of the speed of a pendulum as long
/// as the leg; 0.4 m/s for a person.
const TREADS: f32 = 0.135;
/// The least for those that are asked: 0.1 m/s.
const TREADS_ASKED: f32 = 0.034;
/// The speeds of standing feet, and of feet among each other, differ by less than this share.
const EVEN: f32 = 0.3;
/// Feet this low stand, in leg lengths over the lowest.
const STANDS: f32 = 0.035;
/// Of the low frames of a foot, so many at least go the way of the ground: a leg that swings in the air goes to and fro.
const ONE_WAY: f32 = 0.75;
/// The ground slides at least this far under a foot that carries, in leg lengths.
const CARRIES: f32 = 0.2;
/// Feet of a clip that treads stand where those of the other clips do, in leg lengths.
const LEVEL: f32 = 0.12;

/// How a clip treads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Treading {
    /// Of the root, in its own space, m/s.
    speed_mps: Vec3,
    /// By how much standing feet differ from it, m/s.
    spread_mps: f32,
    /// How often a foot is down.
    low_share: f32,
    /// Height of its lowest feet, metres.
    level_m: f32,
}

/// Sends off the clips that tread. Also returns what to tell: which do, and which seem to and do not.
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

/// How a clip treads; `None` for one that travels, stands, or is not asked about; why not, for one whose feet move.
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
    // The fastest foot tells that feet move at all.
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
    // The feet of a clip that is no loop may move in any way: a reason is given only where they tread.
    let says_why = asked || track.looping;
    match () {
        () if !says_why && (!agree || !one_way || ground.length() < least || carried_m < CARRIES * leg_m) => Ok(None),
        () if ground.length() < least || !agree => Err("one slides another way than the other".to_owned()),
        () if !one_way => Err("low as they are they go to and fro".to_owned()),
        () if !asked && spread_mps > even => Err(format!(
            "they slide unevenly, by {spread_mps:.2} m/s (`footwork doctor --fix` gives the body the way of its feet)"
        )),
        () if carried_m < CARRIES * leg_m => Err(format!("they are down for {carried_m:.2} m at a time")),
        () => {
            let low_share = low.iter().map(|l| l.share).sum::<f32>() / low.len() as f32;
            Ok(Some(Treading { speed_mps: -ground, spread_mps, low_share, level_m: level_m(track, skeleton, feet) }))
        }
    }
}

/// Returns true if the body stays near its start: it stands, sways, or treads in place.
pub fn stays(track: &Track, leg_m: f32) -> bool {
    reach_m(track) <= STAYS * leg_m
}

/// How far the root gets from where it starts, metres: also on the far side of a circle.
fn reach_m(track: &Track) -> f32 {
    let first = track.local(0, 0).translation;
    (0..track.frames()).map(|f| (track.local(f, 0).translation - first).length()).fold(0.0, f32::max)
}

/// A foot while it is down.
struct Low {
    /// Root space on the ground, m/s.
    velocities: Vec<Vec3>,
    /// Of the frames.
    share: f32,
    /// The longest time, seconds.
    longest_s: f32,
}

impl Low {
    fn new(track: &Track, skeleton: &Skeleton, foot: JointIndex, leg_m: f32) -> Self {
        let n = track.frames();
        let in_root = |f: usize| track.local(f, 0).inverse_point(track.joint_world(skeleton, f, foot.at()).translation);
        // Around a loop once more on both sides.
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

/// Height of the lower foot where it usually is lowest, in the world.
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

/// Sends the root off at a speed of its own axes; the body goes with it.
fn set_off(track: &mut Track, speed_mps: Vec3) {
    let mut way = Vec3::ZERO;
    for f in 0..track.frames() {
        let root = track.local(f, 0);
        track.translations[f * track.joints] += way;
        way += root.rotation * speed_mps / track.rate_hz;
    }
    // Where a round leads shows from the new root.
    track.round = None;
}
