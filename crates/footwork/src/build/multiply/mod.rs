//! Making the clips that thin data lack, out of those that are there.
//!
//! The material are [cycles](cycle) of steady locomotion and a way to [stand]. A [route] is what the simulated character does
//! at a change of the stick: start, stop, turn, strafe. [Steps](steps) are planned along it: which foot stands where, from when
//! to when. The [body] is blended from the cycles nearest to the velocity of each moment and put over these feet by its
//! legs. What is not plausible is [dropped](gates).

mod body;
mod cycle;
mod gait;
mod gates;
mod kit;
mod route;
mod scenarios;
mod stand;
mod steps;

use super::parallel;
use super::track::Track;
use crate::clip::{Annotations, ContactTrack, CostRange, TagRange, TimeRange};
use crate::math::Transform;
use crate::pose::Pose;
use crate::rig::Rig;
use crate::skeleton::Skeleton;
use gait::Gait;
use gates::Limits;
use glam::Vec3;
use kit::Kit;
use route::{LEAD_S, Scenario};
use serde::Serialize;

/// Tag of all rows that were made.
pub const MADE: &str = "made";

/// What was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Made {
    /// Clips.
    pub clips: Vec<String>,
    /// Clips that were not plausible, and why.
    pub dropped: Vec<Dropped>,
}

/// A clip that was made and left out again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dropped {
    /// Clip.
    pub clip: String,
    /// Why.
    pub reason: String,
}

/// The clips that `tracks` lack; `labels`: `[frames x contact joints]` of each.
pub fn multiply(tracks: &[Track], labels: &[Vec<u8>], skeleton: &Skeleton, rig: &Rig, cost: f32) -> (Vec<Track>, Made) {
    let mut made = Made::default();
    let Some(kit) = Kit::new(skeleton, rig) else { return (Vec::new(), made) };
    let cycles = cycle::find(&kit, tracks, labels);
    if cycles.is_empty() {
        return (Vec::new(), made);
    }
    let stand = stand::Stand::find(&kit, tracks, labels, &cycles);
    let gait = Gait { kit, cycles, stand };
    for c in &gait.cycles {
        eprintln!(
            "cycle {} {:.2} {:?} {:.2}s {:?}",
            c.source,
            c.velocity_mps.length(),
            c.velocity_mps,
            c.seconds(),
            c.feet
        );
    }
    eprintln!("stand made {} {:?}", gait.stand.made, gait.stand.feet);
    let sources: Vec<&Track> = tracks.iter().filter(|t| gait.cycles.iter().any(|c| c.source == t.name)).collect();
    let limits = Limits::of(&gait.kit, &gait.stand.pose, &sources);
    let speeds = scenarios::speeds(&gait);
    eprintln!("{speeds:?}");
    let rate_hz = tracks[0].rate_hz;
    let scenarios = scenarios::all(&gait, &speeds);
    let results = parallel::map(&scenarios, |s| {
        let route = s.route(&speeds, rate_hz);
        let steps = steps::plan(&gait, &route, s.before.is_some(), s.first, s.phase)
            .ok_or_else(|| "does not come to an end".to_owned())?;
        if std::env::var("FW_DBG").is_ok_and(|n| n == s.name) {
            for side in 0..2 {
                for st in &steps.feet[side] {
                    let rel = |t: f32| route.at(t).inverse_point(st.at);
                    eprintln!(
                        "STEP side {side} land {:.2} lift {:.2} at {:.2} {:.2} yaw {:.0} rel at land {:.2?} at lift {:.2?}",
                        st.land_s,
                        st.lift_s,
                        st.at.x,
                        st.at.z,
                        st.yaw_rad.to_degrees(),
                        rel(st.land_s.max(0.0)).to_array(),
                        rel(st.lift_s.min(route.seconds())).to_array()
                    );
                }
            }
            for (f, m) in steps.moments.iter().enumerate().step_by(6) {
                eprintln!(
                    "  t {:.2} z {:.2} v {:.2} phase {:.2} moving {:.2} mix {:?}",
                    f as f32 / rate_hz,
                    route.roots[f].translation.z,
                    route.velocities_mps[f].length(),
                    m.phase,
                    m.moving,
                    m.mix
                );
            }
        }
        let (poses, on) = body::over(&gait, &route, &steps);
        match limits.refuse(&gait.kit, &poses, &on, rate_hz) {
            Some(reason) => Err(reason),
            None => Ok(track(&gait, s, &poses, on, (rate_hz, cost))),
        }
    });
    let mut out = Vec::new();
    for (s, result) in scenarios.iter().zip(results) {
        match result {
            Ok(track) => {
                made.clips.push(track.name.clone());
                out.push(track);
            }
            Err(reason) => made.dropped.push(Dropped { clip: s.name.clone(), reason }),
        }
    }
    if gait.stand.made {
        out.push(standing(&gait, rate_hz, cost));
        made.clips.push("made_idle".to_owned());
    }
    (out, made)
}

/// A clip of poses, marked as made.
fn track(gait: &Gait, scenario: &Scenario, poses: &[Pose], on: [Vec<bool>; 2], marks: (f32, f32)) -> Track {
    named(gait, (&format!("made_{}", scenario.name), scenario.turn_radps == 0.0), poses, on, marks)
}

fn named(
    gait: &Gait,
    (name, scenario): (&str, bool),
    poses: &[Pose],
    on: [Vec<bool>; 2],
    (rate_hz, cost): (f32, f32),
) -> Track {
    let kit = &gait.kit;
    let joint = |side: usize| kit.skeleton.names()[kit.legs[side].toe.at()].clone();
    let contacts = on.into_iter().enumerate().map(|(side, on)| ContactTrack { joint: joint(side), on }).collect();
    let range = TimeRange { start_s: 0.0, end_s: f32::MAX };
    let mut rotations: Vec<_> = poses.iter().flat_map(|p| p.rotations.iter().copied()).collect();
    let joints = kit.skeleton.len();
    for i in joints..rotations.len() {
        rotations[i] = rotations[i].towards(rotations[i - joints]);
    }
    // What comes before the change and after the response is known from the captured clips, too.
    let between = |start_s: f32, end_s: f32| TimeRange { start_s, end_s };
    let closed =
        if scenario { vec![between(0.0, LEAD_S - 0.05), between(LEAD_S + RESPONSE_S, f32::MAX)] } else { Vec::new() };
    Track {
        name: name.to_owned(),
        rate_hz,
        looping: false,
        joints,
        translations: poses.iter().flat_map(|p| p.translations.iter().copied()).collect(),
        rotations,
        annotations: Annotations {
            loops: Some(false),
            contacts,
            tags: vec![TagRange { name: MADE.to_owned(), range }],
            costs: vec![CostRange { cost, range }],
            do_not_enter: closed,
            ..Annotations::default()
        },
        round: None,
        loop_delta: None,
        source_start_s: 0.0,
    }
}

/// After a change, a made clip is jumped into for this long, seconds.
const RESPONSE_S: f32 = 1.4;
/// Seconds of standing where nobody was captured standing.
const STANDING_S: f32 = 2.0;

fn standing(gait: &Gait, rate_hz: f32, cost: f32) -> Track {
    let frames = (STANDING_S * rate_hz).round() as usize;
    let mut pose = gait.stand.pose.clone();
    pose.set_world_from_root(Transform::new(Vec3::ZERO, crate::math::Quat::IDENTITY));
    let on = || vec![true; frames];
    let still = named(gait, ("made_idle", false), &vec![pose; frames], [on(), on()], (rate_hz, cost));
    Track { looping: true, loop_delta: Some(Transform::IDENTITY), ..still }
}
