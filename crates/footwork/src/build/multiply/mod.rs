//! Making of clips that sparse data lack, from the captured clips.
//!
//! The material is [cycles](cycle) of steady locomotion and an idle pose ([stand]). A [route] is the path of the simulated
//! character at a change of the stick: start, stop, turn, strafe. [Steps](steps) are planned along it: position and time
//! span of each planted foot. The [body] is blended from the cycles nearest to the velocity in each frame, and its legs are
//! bent to reach these feet. Steady clips are [closed](closed) to loops. Implausible clips are [dropped](gates).

mod body;
mod closed;
mod coverage;
mod cycle;
mod gait;
mod gates;
mod hips;
mod kit;
mod route;
mod scenarios;
mod stand;
mod steps;

use super::clip_report::ClipReport;
use super::config::{Multiply, MultiplyConfig};
use super::track::Track;
use crate::clip::{Annotations, ContactTrack, CostRange, TagRange, TimeRange};
use crate::database::Database;
use crate::math::{Transform, median};
use crate::motion::StickSpeeds;
use crate::parallel;
use crate::pose::Pose;
use crate::rig::Rig;
use crate::skeleton::Skeleton;
use coverage::Captured;
use gait::Gait;
use gates::Limits;
use kit::Kit;
use route::{LEAD_S, Route, Scenario};
use serde::Serialize;
use stand::Stand;
use steps::Steps;

/// Range in which a made clip accepts transitions: from this long before its change to the end of the response, and not this long
/// before its end, in seconds. A character that enters later must leave again soon.
const EARLY_S: f32 = 0.05;
const RESPONSE_S: f32 = 1.0;
const LATE_S: f32 = 1.0;
/// Interval between the frames that give the bending of knees, in frames.
const HINGE_STEP: usize = 7;
/// Coverage of commands below which data are sparse, as a share.
const THIN: f32 = 0.25;

/// Report of the made clips.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Made {
    /// Number of tested commands of a stick: changes of direction, speed and facing.
    pub commands: usize,
    /// Number of commands that captured clips cover.
    pub answered: usize,
    /// Clips that were made for other commands.
    pub clips: Vec<ClipReport>,
    /// Implausible clips, with the reason.
    pub dropped: Vec<Dropped>,
    /// Names of the captured source clips.
    pub sources: Vec<String>,
    /// Median over the clips of the height of their hips, as a factor on the captured height at the same speed; `None` without clips.
    /// Clips below 0.95 are dropped.
    pub hip_ratio: Option<f32>,
}

impl Made {
    /// Factor of the height of the hips below which made clips are reported as low.
    const LOW_HIPS: f32 = 0.97;

    /// Returns a warning if made clips are lower than captured ones.
    pub fn warning(&self) -> Option<String> {
        let ratio = self.hip_ratio.filter(|ratio| *ratio < Self::LOW_HIPS)?;
        Some(format!(
            "the hips of made clips are at {:.0} % of the captured height: the sources {} may be crouched or on slopes",
            100.0 * ratio,
            self.sources.join(", ")
        ))
    }
}

/// A made clip that was dropped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dropped {
    /// Clip name.
    pub clip: String,
    /// Reason.
    pub reason: String,
}

/// Returns the clips that the captured ones lack, and the report without `clips`. `captured`: tracks with their contacts,
/// `[frames x contact joints]`.
pub fn multiply(
    captured: &[(&Track, &Vec<u8>)],
    skeleton: &Skeleton,
    rig: &Rig,
    speeds: &StickSpeeds,
    config: &MultiplyConfig,
) -> (Vec<Track>, Made) {
    let mut told = Made::default();
    let nothing = |told| (Vec::new(), told);
    if config.mode == Multiply::Off {
        return nothing(told);
    }
    let mut rig = rig.clone();
    let joints = skeleton.len();
    let poses = captured.iter().flat_map(|(t, _)| t.rotations.chunks_exact(joints).step_by(HINGE_STEP));
    rig.set_hinges(skeleton, poses);
    let Some(kit) = Kit::new(skeleton, &rig) else { return nothing(told) };
    let cycles = cycle::find(&kit, captured);
    if cycles.is_empty() {
        return nothing(told);
    }
    let stand = Stand::find(&kit, captured, &cycles);
    let gait = Gait { kit, cycles, stand };
    let rate_hz = captured[0].0.rate_hz;
    let tracks: Vec<&Track> = captured.iter().map(|c| c.0).collect();
    let known = Captured::of(&tracks);
    let loops: Vec<&Track> = tracks.iter().copied().filter(|track| track.loop_delta.is_some()).collect();
    let known_loops = Captured::of(&loops);
    let scenarios = scenarios::all(&gait, speeds);
    let asked = parallel::map(&scenarios, |s| {
        let route = s.route(speeds, rate_hz);
        // A steady command needs a loop: without one, each clip that plays ends in a transition.
        let answered = if s.is_steady() { &known_loops } else { &known }.answers(&route, s.after.is_empty());
        (route, answered)
    });
    let single = || scenarios.iter().zip(&asked).filter(|(s, _)| s.is_one_change());
    told.commands = single().count();
    told.answered = single().filter(|(_, (_, answered))| *answered).count();
    let thin = (told.answered as f32) < THIN * told.commands as f32;
    let loops_only = config.mode == Multiply::Auto && !thin;
    told.sources = gait.cycles.iter().map(|c| c.source.clone()).collect();
    told.sources.sort();
    told.sources.dedup();
    let sources: Vec<&Track> = tracks.iter().copied().filter(|t| told.sources.contains(&t.name)).collect();
    let limits = Limits::of(&gait.kit, &gait.stand.pose, &sources);
    let needed = |s: &Scenario, answered: bool| !answered && (s.is_steady() || !loops_only);
    let holes: Vec<(&Scenario, Route)> = scenarios
        .iter()
        .zip(asked)
        .filter(|(s, (_, answered))| needed(s, *answered))
        .map(|(s, (route, _))| (s, route))
        .collect();
    let made = parallel::map(&holes, |(scenario, route)| make(&gait, &limits, scenario, route, config.cost));
    let (mut tracks, mut hip_ratios) = (Vec::new(), Vec::new());
    for (made, (scenario, _)) in made.into_iter().zip(&holes) {
        match made {
            Ok((track, hip_ratio)) => {
                tracks.push(track);
                hip_ratios.extend(hip_ratio);
            }
            Err(reason) => told.dropped.push(Dropped { clip: name_of(scenario), reason }),
        }
    }
    told.hip_ratio = (!hip_ratios.is_empty()).then(|| median(hip_ratios));
    if gait.stand.made {
        tracks.push(standing(&gait, rate_hz, config.cost));
    }
    (tracks, told)
}

fn name_of(scenario: &Scenario) -> String {
    format!("{}_{}", Database::MADE, scenario.name)
}

/// A made clip, and the height of its hips as a factor on the captured one.
type MadeClip = (Track, Option<f32>);

/// Makes the clip of a scenario, or returns the reason for dropping it.
fn make(gait: &Gait, limits: &Limits, scenario: &Scenario, route: &Route, cost: f32) -> Result<MadeClip, String> {
    let moves = scenario.before.is_some();
    let steps = steps::plan(gait, route, moves, scenario.first, scenario.phase)
        .ok_or_else(|| "its steps do not come to an end".to_owned())?;
    let (poses, on) = body::over(gait, limits, route, &steps);
    let (mut track, hip_ratio) = if scenario.is_steady() {
        looping(gait, limits, scenario, &steps, (&poses, &on), route.rate_hz)?
    } else {
        let hip_ratio = limits.check(&gait.kit, (&poses, &on), route.rate_hz, gates::JUMP)?;
        let mut track = marked(&gait.kit, &name_of(scenario), &poses, on, route.rate_hz);
        track.annotations.costs.push(CostRange { cost, range: WHOLE });
        // Motion before one change and after its response is in the loops, too.
        let closed = match scenario.is_one_change() {
            true => vec![[0.0, LEAD_S - EARLY_S], [LEAD_S + RESPONSE_S, f32::MAX]],
            false => vec![[route.seconds() - LATE_S, f32::MAX]],
        };
        track.annotations.do_not_enter =
            closed.into_iter().map(|[start_s, end_s]| TimeRange { start_s, end_s }).collect();
        (track, hip_ratio)
    };
    for name in gait.common_tags(steps.moments.iter().map(|moment| &moment.mix)) {
        track.annotations.tags.push(TagRange { name, range: WHOLE });
    }
    Ok((track, hip_ratio))
}

/// Makes the loop of a steady scenario, or returns the reason for dropping it. It has no cost: nothing captured does the same without
/// an end.
fn looping(
    gait: &Gait,
    limits: &Limits,
    scenario: &Scenario,
    steps: &Steps,
    (poses, on): (&[Pose], &[Vec<bool>; 2]),
    rate_hz: f32,
) -> Result<MadeClip, String> {
    let strides = closed::closed(poses, on, steps, rate_hz).ok_or("it is shorter than a stride")?;
    let checked = limits.check(&gait.kit, (&strides.poses, &strides.on), rate_hz, gates::JUMP_OF_LOOPS);
    let hip_ratio = checked.map_err(|reason| format!("as a loop, {reason}"))?;
    let mut track = marked(&gait.kit, &name_of(scenario), &strides.poses, strides.on, rate_hz);
    track.annotations.loops = Some(true);
    Ok((Track { looping: true, loop_delta: Some(strides.delta), ..track }, hip_ratio))
}

/// The whole of a clip.
const WHOLE: TimeRange = TimeRange { start_s: 0.0, end_s: f32::MAX };

/// Returns a clip of poses, marked as made. `on`: contacts of each foot.
fn marked(kit: &Kit, name: &str, poses: &[Pose], on: [Vec<bool>; 2], rate_hz: f32) -> Track {
    let joint = |side: usize| kit.skeleton.names()[kit.legs[side].toe.at()].clone();
    let contacts = on.into_iter().enumerate().map(|(side, on)| ContactTrack { joint: joint(side), on }).collect();
    let mut rotations: Vec<_> = poses.iter().flat_map(|p| p.rotations.iter().copied()).collect();
    let joints = kit.skeleton.len();
    for i in joints..rotations.len() {
        rotations[i] = rotations[i].towards(rotations[i - joints]);
    }
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
            tags: vec![TagRange { name: Database::MADE.to_owned(), range: WHOLE }],
            ..Annotations::default()
        },
        round: None,
        loop_delta: None,
        source_start_s: 0.0,
    }
}

/// Duration of the idle clip that is made if none was captured, in seconds.
const STANDING_S: f32 = 2.0;

fn standing(gait: &Gait, rate_hz: f32, cost: f32) -> Track {
    let frames = (STANDING_S * rate_hz).round() as usize;
    let mut pose = gait.stand.pose.clone();
    pose.set_world_from_root(Transform::IDENTITY);
    let on = || vec![true; frames];
    let mut still = marked(&gait.kit, "made_idle", &vec![pose; frames], [on(), on()], rate_hz);
    still.annotations.costs.push(CostRange { cost, range: WHOLE });
    Track { looping: true, loop_delta: Some(Transform::IDENTITY), ..still }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_hips_are_reported() {
        let of = |hip_ratio| Made { hip_ratio, sources: vec!["walk".to_owned()], ..Made::default() }.warning();
        assert_eq!((of(None), of(Some(0.975))), (None, None));
        assert!(of(Some(0.96)).is_some_and(|text| text.contains("96 %") && text.contains("walk")));
    }
}
