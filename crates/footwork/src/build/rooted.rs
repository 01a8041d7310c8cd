//! Tracks with a root: from the clips as given to tracks at one rate, whose joint 0 is the root on the ground.

use super::loops::Round;
use super::report::{BuildReport, RoleSource};
use super::root_motion::{self, RootPlan};
use super::track::Track;
use super::{BuildConfig, BuildError, BuildOptions, annotations, glitches, loops, treadmill};
use crate::clip::RawClip;
use crate::frames::JointIndex;
use crate::parallel;
use crate::roles::{Assigned, JointRoles};
use crate::skeleton::Skeleton;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tracks whose joint 0 is the root, with their skeleton, roles and contact joints.
pub struct Rooted {
    pub skeleton: Skeleton,
    pub roles: JointRoles,
    pub contact_joints: Vec<JointIndex>,
    pub tracks: Vec<Track>,
}

/// Adds the facts of the configuration, fixes glitches, closes loops, resamples all clips to one rate, gives them a root,
/// and cuts out discarded ranges. Reads the rate from the report, and adds everything found to it.
pub fn root(
    clips: Cow<[RawClip]>,
    config: &BuildConfig,
    options: &BuildOptions,
    report: &mut BuildReport,
) -> Result<Rooted, BuildError> {
    let (clips, rounds) = repaired(clips, config, report)?;
    let source = &clips[0].skeleton.clone();
    let roles = JointRoles::of_clips(&clips.iter().collect::<Vec<_>>(), &config.roles)?;
    let with_rounds: Vec<_> = clips.into_iter().zip(rounds).collect();
    let rate_hz = report.pose_rate_hz;
    let tracks = parallel::map_owned(with_rounds, |(clip, round)| Track::resample(clip, round, rate_hz));
    report.warnings.extend(roles.notes().iter().cloned());
    let (plan, warnings) = root_motion::plan(&tracks, source, &roles, &config.root)?;
    report.warnings.extend(warnings);
    report.warnings.extend(size_warning(&tracks, source));
    report.root = describe_root(&plan, source);
    let skeleton = plan.skeleton(source)?;
    let roles = if skeleton.len() > source.len() { roles.shifted() } else { roles };
    report.roles = roles.iter().map(|(r, j)| (r.to_owned(), skeleton.name(j).to_owned())).collect();
    let found = |a: Assigned| RoleSource { found_by: a.found_by, confidence: a.confidence };
    report.role_sources = roles.assigned().map(|(r, a)| (r.to_owned(), found(a))).collect();
    let contact_joints = config.contact_joints(&skeleton, &roles)?;
    let done = AtomicUsize::new(0);
    let clips = tracks.len();
    let rooted = parallel::map_owned(tracks, |track| {
        let rooted = plan.apply(track, source, &config.root);
        if let Some(progress) = options.progress {
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, clips);
        }
        rooted
    });
    let (rooted, told) = treadmill::set_off_all(rooted, &skeleton, &contact_joints, &config.root);
    report.warnings.extend(told);
    let parts = parallel::map_owned(rooted, cut);
    Ok(Rooted { skeleton, roles, contact_joints, tracks: parts.into_iter().flatten().collect() })
}

/// Returns the clips with the facts of the configuration, without glitches, and with closed loops; and, per clip, the
/// displacement of one cycle.
fn repaired(
    clips: Cow<[RawClip]>,
    config: &BuildConfig,
    report: &mut BuildReport,
) -> Result<(Vec<RawClip>, Vec<Option<Round>>), BuildError> {
    let mut clips = annotations::annotate(clips, config)?;
    let known = JointRoles::resolve(&clips[0].skeleton, &config.roles).ok();
    let found = parallel::map_owned(clips, |mut clip| (glitches::mend(&mut clip, known.as_ref(), config), clip));
    (report.glitches, clips) =
        found.into_iter().fold((Vec::new(), Vec::new()), |(mut all, mut clips), (found, clip)| {
            all.extend(found);
            clips.push(clip);
            (all, clips)
        });
    let settled = loops::settle(&mut clips, config);
    report.loops = settled.reports;
    report.warnings.extend(settled.warnings);
    Ok((clips, settled.rounds))
}

/// Plausible size of a body in metres, from lowest to highest joint. Other sizes are probably due to a wrong unit.
const BODY_M: std::ops::RangeInclusive<f32> = 0.15..=3.0;

/// Returns a warning if the tallest body has an implausible size.
fn size_warning(tracks: &[Track], skeleton: &Skeleton) -> Option<String> {
    let mut world = Vec::new();
    let mut tallest: f32 = 0.0;
    for track in tracks {
        for frame in (0..track.frames()).step_by(30) {
            track.world(skeleton, frame, &mut world);
            let heights = world.iter().skip(1).map(|t| t.translation.y);
            let (low, high) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
            tallest = tallest.max(high - low);
        }
    }
    (tallest > 0.0 && !BODY_M.contains(&tallest)).then(|| {
        format!("the body stands {tallest:.2} m tall: if that is wrong, so is the unit of length; `source.units` or --units sets it")
    })
}

/// Returns the source of the root as text for the report.
fn describe_root(plan: &RootPlan, skeleton: &Skeleton) -> String {
    match plan {
        RootPlan::Existing { yaw_rad } => {
            format!("joint `{}`, forward at {:.0} degrees of its +Z", skeleton.names()[0], yaw_rad.to_degrees())
        }
        RootPlan::Synthesize { joint, sides, above: _ } => format!(
            "made under `{}`, facing across `{}` and `{}`",
            skeleton.name(*joint),
            skeleton.name(sides.0),
            skeleton.name(sides.1)
        ),
    }
}

/// Removes discarded ranges. The remaining parts are separate clips.
fn cut(mut track: Track) -> Vec<Track> {
    let n = track.frames();
    let frame = |t: f32| ((t * track.rate_hz).round().max(0.0) as usize).min(n);
    let mut gone = vec![false; n];
    for r in &track.annotations.discard {
        gone[frame(r.start_s)..frame(r.end_s)].fill(true);
    }
    if !gone.contains(&true) {
        root_motion::close_loop(&mut track);
        return vec![track];
    }
    let mut parts = Vec::new();
    let mut f = 0;
    while f < n {
        let end = (f..n).find(|i| gone[*i]).unwrap_or(n);
        if end > f {
            let seconds = |f: usize| f as f32 / track.rate_hz;
            let name = format!("{}[{:.2}-{:.2}]", track.name, seconds(f), seconds(end));
            parts.push(track.cut(f, end, name));
        }
        f = (end..n).find(|i| !gone[*i]).unwrap_or(n);
    }
    parts
}
