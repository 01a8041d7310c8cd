//! Build of a database from clips. For offline use: it allocates, and may use several threads. The result has the same
//! bytes with any number of threads.

mod annotations;
pub(crate) mod blend_space;
mod chain;
pub(crate) mod config;
mod contacts;
mod error;
pub(crate) mod glitches;
mod kinds;
pub(crate) mod loops;
pub(crate) mod multiply;
pub(crate) mod normalize;
mod parallel;
pub(crate) mod prune;
pub(crate) mod report;
pub mod retarget;
pub(crate) mod root_motion;
mod rows;
mod rules;
mod sink;
mod speeds;
mod standing;
mod track;
mod treadmill;

pub use crate::roles::{Assigned, JointRoles, RoleError};
pub use config::{
    BlendPoint, BlendSpace, BuildConfig, ClipRule, ContactConfig, CostSpec, CurveSpec, EventSpec, GlitchConfig,
    Multiply, MultiplyConfig, PruneConfig, RootMotion, RootMotionConfig, SchemaConfig, TagRule, TagSpec,
};
pub use error::BuildError;
pub use glitches::GlitchMend;
pub(crate) use normalize::NormalizeError;
pub use report::BuildReport;
pub(crate) use report::{ClipReport, ColumnReport, RoleSource, Skipped};
pub(crate) use root_motion::RootError;

use crate::clip::{Annotations, ContactTrack, RawClip};
use crate::database::{Clip, Database, DatabaseContent, MirrorMode, mirror_table_of};
use crate::frames::JointIndex;
use crate::motion::{PosePool, StickSpeeds};
use crate::rig::{Leg, Rig};
use crate::schema::{ChannelSpec, FeatureSchema, MirrorColumn, Preset, PropSpec};
use crate::settings;
use crate::skeleton::Skeleton;
use root_motion::RootPlan;
use rules::Rules;
use std::sync::atomic::{AtomicUsize, Ordering};
use track::Track;

/// See [`BuildConfig::MIN_CLIP_S`].
pub(crate) const MIN_CLIP_S: f32 = BuildConfig::MIN_CLIP_S;

/// Function that writes the values of a user channel at a time of a clip: clip name, seconds, `[width]` output.
pub(crate) type UserValues<'a> = dyn Fn(&str, f64, &mut [f32]) + Sync + 'a;

/// Inputs of a build beside clips and configuration.
#[derive(Default)]
pub struct BuildOptions<'a> {
    /// Values of user channels by name. A channel without an entry takes the clip's curve of the same name.
    pub user: Vec<(String, &'a UserValues<'a>)>,
    /// Called from any thread with the number of finished clips and of all clips.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// Builds a database.
///
/// # Errors
/// Returns [`BuildError`] with the name of the invalid clip, joint, frame, channel or key.
pub fn build(
    clips: &[RawClip],
    config: &BuildConfig,
    options: &BuildOptions,
) -> Result<(Database, BuildReport), BuildError> {
    if !config.prune.enabled {
        return build_all(clips, config, options);
    }
    let (all, report) = build_all(clips, config, options)?;
    let mut found = prune::find(&all, &config.prune);
    // Pruning skips parts of clips cut before, and clips that others build upon.
    found.retain(|p| clips.iter().any(|c| c.name == p.clip) && !config.builds_upon(&p.clip));
    if found.is_empty() {
        return Ok((all, report));
    }
    drop(all);
    let left = prune::without(clips, &found);
    let mut config = config.clone();
    config.clips.retain(|r| left.iter().any(|c| config::matches_pattern(&r.name, &c.name)));
    let (db, report) = build_all(&left, &config, options)?;
    Ok((db, BuildReport { pruned: found, ..report }))
}

/// Does the same as [`build`], for all given clips.
fn build_all(
    clips: &[RawClip],
    config: &BuildConfig,
    options: &BuildOptions,
) -> Result<(Database, BuildReport), BuildError> {
    check_clips(clips)?;
    let rules = Rules::read(&config.rules)?;
    let (pose_rate_hz, search_rate_hz) = rates(clips, config)?;
    let mut report = BuildReport { pose_rate_hz, search_rate_hz, ..Default::default() };

    let Rooted { skeleton, roles, tracks } = root(clips, config, options, &mut report)?;
    let mut tracks = usable(tracks, &mut report)?;
    chain::chain(&mut tracks, config)?;
    let contact_joints = contact_joints(&skeleton, &roles, config)?;
    report.blends = blend_space::sample(&mut tracks, &skeleton, &contact_joints, config)?;
    let feet = |t: &Track| contacts::feet(t, &skeleton, &contact_joints, &config.contacts);
    let (mut labels, mut stances): (Vec<_>, Vec<_>) =
        parallel::map(&tracks, feet).into_iter().map(|f| (f.labels, f.stance_share)).unzip();
    let mut rig = Rig::find(&skeleton, roles.clone(), &contact_joints);
    let legs = Leg::find(&skeleton, &rig.roles, &contact_joints);
    let mut taken = kinds::take(&mut tracks, &kinds::Evidence { skeleton: &skeleton, labels: &labels, legs: &legs });
    let known: Vec<_> =
        tracks.iter().zip(&labels).zip(&taken).filter(|(_, t)| t.is_locomotion()).map(|(t, _)| t).collect();
    let locomotion: Vec<&Track> = known.iter().map(|k| k.0).collect();
    let leg_m = contacts::leg_length_m(&tracks[0], &skeleton, &contact_joints);
    let two_legs = contact_joints.len() == 2;
    let stick = speeds::find(&locomotion, leg_m, two_legs, config.mirror != MirrorMode::Off);
    let (made, told) = multiply::multiply(&known, &skeleton, &rig, &stick, &config.multiply);
    report.made = told;
    let captured = tracks.len();
    for (feet, track) in parallel::map(&made, feet).into_iter().zip(made) {
        labels.push(feet.labels);
        stances.push(feet.stance_share);
        taken.push(kinds::Classification::made());
        tracks.push(track);
    }
    let turns = tracks.iter().zip(&taken).any(|(t, taken)| taken.is_locomotion() && speeds::turns(t));
    let stick = StickSpeeds { turns, ..stick };
    let poses = pool(&tracks, &skeleton);

    let (specs, props) = named(&skeleton, &roles, config);
    let usual = usual_frames(&tracks, &taken);
    let specs = rows::with_heading_axes(specs, &skeleton, &poses, &usual);
    let schema = FeatureSchema::resolve(&specs, &props, &skeleton, &contact_joints)?;
    let stage = rows::Stage { tracks: &tracks, skeleton: &skeleton, poses: &poses, schema: &schema, config, options };
    let extracted = stage.extract(&labels, contact_joints.len(), search_rate_hz)?;
    let side = |name: &String| roles.name_of(&skeleton, name);
    let mirror_pairs: Vec<[String; 2]> = config.mirror_pairs.iter().map(|pair| pair.each_ref().map(side)).collect();
    let config = &BuildConfig { mirror_pairs, ..config.clone() };
    let mirror = mirror_columns(&skeleton, &schema, &poses, config)?;
    let symmetric = mirror.as_deref().filter(|_| config.symmetric_normalization);
    let compared = &extracted.compared(schema.columns);
    let scaling = normalize::scaling(compared, &schema, config.schema.normalization, symmetric)?;
    let captured_tracks = &tracks[..captured];
    if captured_tracks.iter().all(|t| treadmill::stays(t, leg_m)) {
        report.warnings.push(stays_warning());
    } else if let Some(column) = scaling.straight.first() {
        report.warnings.push(straight_warning(&schema.column_label(*column)));
    }
    report.warnings.extend(kinds::warning(captured_tracks, &taken));
    let stored = mirror.as_deref().filter(|_| config.mirror == MirrorMode::Stored);
    let mut assembled = rows::assemble(extracted, &tracks, &schema, scaling, stored);
    prune::thin_loops(&mut assembled, &tracks);

    let (curve_names, curves) = annotations::curves(&tracks, pose_rate_hz);
    let (event_names, events) = annotations::events(&tracks);
    for (i, ((t, stance_share), taken)) in tracks.iter().zip(stances).zip(taken).enumerate() {
        let report_of = clip_report(t, &labels[i], stance_share, &assembled, i);
        let report_of = ClipReport { taken_for: taken.what, taken_because: taken.because, ..report_of };
        if i < captured { report.clips.push(report_of) } else { report.made.clips.push(report_of) }
    }
    report.warnings.extend(contacts::warning(&report.clips, leg_m));
    report.warnings.extend(contacts::joints_warning(&contacts::ContactMotion {
        tracks: captured_tracks,
        labels: &labels,
        skeleton: &skeleton,
        joints: &contact_joints,
        leg_m,
    }));
    let contacts = labels.concat();
    let motion = standing::Motion {
        skeleton: &skeleton,
        poses: &poses,
        clips: &assembled.clips,
        contacts: &contacts,
        pose_rate_hz,
        usual: &usual,
    };
    standing::complete(&mut rig, &motion);
    let hips = rig.body.as_ref().map(|body| body.hips);
    let standing_m = hips.map_or(f32::NAN, |hips| rig.standing[hips.at()].translation.y);
    let body = rules::Body { skeleton: &skeleton, hips, standing_m };
    report.warnings.extend(rules.tag(&mut tracks, &labels, body));
    let (tags, tag_spans) = annotations::tags(&tracks)?;
    let content = DatabaseContent {
        skeleton,
        rig,
        schema,
        normalization: config.schema.normalization,
        clips: assembled.clips,
        poses,
        pose_rate_hz,
        search_rate_hz,
        contacts,
        curve_names,
        curves,
        features: assembled.features,
        row_frames: assembled.row_frames,
        row_flags: assembled.row_flags,
        row_costs: assembled.row_costs,
        tags,
        tag_spans,
        event_names,
        events,
        stick,
        mirror: config.mirror,
        mirror_pairs: config.mirror_pairs.clone(),
    };
    let database = Database::new(content)?;
    finish_report(&mut report, &database);
    Ok((database, report))
}

/// See [`BuildConfig::prepare`].
pub(crate) fn prepare(clips: &[RawClip], config: &BuildConfig) -> Result<Vec<RawClip>, BuildError> {
    check_clips(clips)?;
    let (pose_rate_hz, _) = rates(clips, config)?;
    let mut report = BuildReport { pose_rate_hz, ..Default::default() };
    let Rooted { skeleton, roles, tracks } = root(clips, config, &BuildOptions::default(), &mut report)?;
    let joints = contact_joints(&skeleton, &roles, config)?;
    Ok(parallel::map(&tracks, |t| {
        let labels = contacts::label(t, &skeleton, &joints, &config.contacts);
        let on = |slot: usize| labels.iter().skip(slot).step_by(joints.len()).map(|l| *l == 1).collect();
        let known = joints.iter().enumerate();
        let contacts = known.map(|(slot, j)| ContactTrack { joint: skeleton.name(*j).to_owned(), on: on(slot) });
        RawClip {
            name: t.name.clone(),
            source: "footwork".to_owned(),
            skeleton: skeleton.clone(),
            rate_hz: t.rate_hz,
            looping: t.looping,
            translations: t.translations.clone(),
            rotations: t.rotations.clone(),
            annotations: Annotations { contacts: contacts.collect(), ..t.annotations.clone() },
        }
    }))
}

/// Tracks whose joint 0 is the root, with their skeleton and roles.
struct Rooted {
    skeleton: Skeleton,
    roles: JointRoles,
    tracks: Vec<Track>,
}

/// Adds the facts of the configuration, fixes glitches, closes loops, resamples all clips to one rate, gives them a root,
/// and cuts out discarded ranges.
fn root(
    clips: &[RawClip],
    config: &BuildConfig,
    options: &BuildOptions,
    report: &mut BuildReport,
) -> Result<Rooted, BuildError> {
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
    let source = &clips[0].skeleton.clone();
    let roles = JointRoles::of_clips(&clips.iter().collect::<Vec<_>>(), &config.roles)?;
    let with_rounds: Vec<_> = clips.into_iter().zip(settled.rounds).collect();
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
    let feet = contact_joints(&skeleton, &roles, config)?;
    let done = AtomicUsize::new(0);
    let clips = tracks.len();
    let rooted = parallel::map_owned(tracks, |track| {
        let rooted = plan.apply(track, source, &config.root);
        if let Some(progress) = options.progress {
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, clips);
        }
        rooted
    });
    let (rooted, told) = treadmill::set_off_all(rooted, &skeleton, &feet, &config.root);
    report.warnings.extend(told);
    let parts = parallel::map_owned(rooted, cut);
    Ok(Rooted { skeleton, roles, tracks: parts.into_iter().flatten().collect() })
}

/// Removes and reports clips that are too short for transitions.
fn usable(tracks: Vec<Track>, report: &mut BuildReport) -> Result<Vec<Track>, BuildError> {
    let mut usable = Vec::with_capacity(tracks.len());
    for track in tracks {
        match too_short(&track) {
            Some(reason) => {
                report.warnings.push(format!("clip `{}` left out: it {reason}", track.name));
                report.skipped.push(Skipped { name: track.name, reason });
            }
            None => usable.push(track),
        }
    }
    if usable.is_empty() {
        let reasons = report.skipped.iter().map(|s| format!("`{}` {}", s.name, s.reason)).collect();
        return Err(BuildError::NoUsableClip { reasons });
    }
    Ok(usable)
}

/// Returns the frames of the body's usual motion: those of locomotion, or all if there is none.
fn usual_frames(tracks: &[Track], taken: &[kinds::Classification]) -> Vec<usize> {
    let any = taken.iter().any(kinds::Classification::is_locomotion);
    let mut first = 0;
    let mut frames = Vec::new();
    for (track, taken) in tracks.iter().zip(taken) {
        if taken.is_locomotion() || !any {
            frames.extend(first..first + track.frames());
        }
        first += track.frames();
    }
    frames
}

/// Returns the source of each column in a mirror image; `None` if `mirror` is off.
fn mirror_columns(
    skeleton: &Skeleton,
    schema: &FeatureSchema,
    poses: &PosePool,
    config: &BuildConfig,
) -> Result<Option<Vec<MirrorColumn>>, BuildError> {
    if config.mirror == MirrorMode::Off {
        return Ok(None);
    }
    if config.mirror == MirrorMode::Query && !config.symmetric_normalization {
        let what = "`mirror = \"query\"` needs it: both sides must be measured alike".to_owned();
        return Err(BuildError::Config { key: "symmetric_normalization".into(), what });
    }
    let table = mirror_table_of(skeleton, &config.mirror_pairs, &poses.translated)?;
    Ok(Some(schema.mirror_columns(&table)?))
}

fn check_clips(clips: &[RawClip]) -> Result<(), BuildError> {
    let first = clips.first().ok_or(BuildError::NoClips)?;
    let valid = parallel::map(clips, RawClip::validate);
    for ((i, clip), valid) in clips.iter().enumerate().zip(valid) {
        valid?;
        if let Some(other) = clips[..i].iter().find(|c| c.name == clip.name) {
            let (a, b) = (other.source.clone(), clip.source.clone());
            return Err(BuildError::RepeatedClip { name: clip.name.clone(), a, b });
        }
        if let Some(difference) = first.skeleton.difference(&clip.skeleton) {
            return Err(BuildError::Skeletons { clip: clip.name.clone(), first: first.name.clone(), difference });
        }
    }
    Ok(())
}

fn rates(clips: &[RawClip], config: &BuildConfig) -> Result<(f32, f32), BuildError> {
    let fastest = clips.iter().map(|c| c.rate_hz).fold(0.0, f32::max);
    let pose = config.pose_rate_hz.unwrap_or(fastest.min(60.0));
    let search = config.search_rate_hz.min(pose);
    settings::check(&BuildConfig { pose_rate_hz: Some(pose), ..config.clone() })?;
    Ok((pose, search))
}

/// Plausible size of a body in metres, from lowest to highest joint. Other sizes are probably due to a wrong unit.
const BODY_M: std::ops::RangeInclusive<f32> = 0.15..=3.0;

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

fn straight_warning(label: &str) -> String {
    format!(
        "the clips all go the same way (`{label}` is the same in every row): the character turns and strafes by sliding; \
         add clips that do, or `mirror`"
    )
}

fn stays_warning() -> String {
    "no clip travels: the character can only stand, and slides where it is sent; add clips that walk, or, for clips that walk in \
     place, set `root.speed_from_feet = true`"
        .to_owned()
}

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

fn too_short(track: &Track) -> Option<String> {
    let seconds = (track.frames().saturating_sub(1)) as f32 / track.rate_hz;
    if track.frames() < 2 {
        return Some(format!("has {} frame(s)", track.frames()));
    }
    (track.loop_delta.is_none() && seconds < MIN_CLIP_S)
        .then(|| format!("lasts {seconds:.2} s; without a loop at least {MIN_CLIP_S} s are needed"))
}

/// See [`BuildConfig::contact_joints`].
pub(crate) fn contact_joints(
    skeleton: &Skeleton,
    roles: &JointRoles,
    config: &BuildConfig,
) -> Result<Vec<JointIndex>, BuildError> {
    let mut joints = Vec::new();
    for name in &config.contacts.joints {
        joints.push(skeleton.require(&roles.name_of(skeleton, name))?);
    }
    if joints.is_empty() {
        let groups = [
            &["left_toe", "right_toe"][..],
            &["left_foot", "right_foot"],
            &["left_fore_foot", "right_fore_foot", "left_hind_foot", "right_hind_foot"],
        ];
        let complete = |g: &&[&str]| g.iter().all(|r| roles.get(r).is_some());
        let quadruped = groups[2..].iter().copied().find(complete);
        let group = quadruped.or_else(|| groups.iter().copied().find(complete));
        let below = |paw: JointIndex| {
            let mut toes = ["left_toe", "right_toe"].into_iter().filter_map(|r| roles.get(r));
            toes.find(|toe| skeleton.parents()[toe.at()] == Some(paw)).unwrap_or(paw)
        };
        joints.extend(group.unwrap_or_default().iter().filter_map(|r| roles.get(r)).map(below));
    }
    Ok(joints)
}

/// Returns channels and props with roles replaced by joint names.
fn named(skeleton: &Skeleton, roles: &JointRoles, config: &BuildConfig) -> (Vec<ChannelSpec>, Vec<PropSpec>) {
    let mut props = config.schema.props.clone();
    for p in &mut props {
        p.joint = roles.name_of(skeleton, &p.joint);
    }
    let mut schema = config.schema.clone();
    if roles.is_quadruped() && schema.channels.is_empty() {
        schema.preset = schema.preset.or(Some(Preset::Quadruped));
    }
    let mut specs = schema.all_channels();
    for s in &mut specs {
        let is_prop = s.joint.as_ref().is_some_and(|j| props.iter().any(|p| p.name == *j));
        if !is_prop {
            s.joint = s.joint.take().map(|j| roles.name_of(skeleton, &j));
        }
        s.relative_to = s.relative_to.take().map(|j| roles.name_of(skeleton, &j));
    }
    (specs, props)
}

/// Returns all tracks in one pool. Joints whose translation always equals that of the rest pose store none.
fn pool(tracks: &[Track], skeleton: &Skeleton) -> PosePool {
    const STILL_M: f32 = 1e-4;
    let joints = skeleton.len();
    let moves = |j: usize| {
        let rest = skeleton.rest()[j].translation;
        let moved = |t: &Track| {
            t.translations.iter().skip(j).step_by(joints).any(|p| (*p - rest).abs().max_element() > STILL_M)
        };
        j == 0 || tracks.iter().any(moved)
    };
    let translated: Vec<usize> = (0..joints).filter(|j| moves(*j)).collect();
    let mut pool = PosePool {
        joints,
        translated: translated.iter().map(|j| JointIndex::new(*j)).collect(),
        ..PosePool::default()
    };
    for t in tracks {
        pool.rotations.extend_from_slice(&t.rotations);
        for frame in t.translations.chunks_exact(joints) {
            pool.translations.extend(translated.iter().map(|j| frame[*j]));
        }
    }
    pool
}

fn clip_report(
    track: &Track,
    labels: &[u8],
    stance_share: Vec<f32>,
    rows: &rows::Assembled,
    index: usize,
) -> ClipReport {
    let (n, contacts) = (track.frames(), stance_share.len());
    let clip: &Clip = &rows.clips[index];
    let way: f32 = (1..n).map(|f| (track.local(f, 0).translation - track.local(f - 1, 0).translation).length()).sum();
    let share = |slot: usize| labels.iter().skip(slot).step_by(contacts).filter(|l| **l == 1).count() as f32 / n as f32;
    ClipReport {
        name: track.name.clone(),
        frames: n,
        rows: clip.rows as usize,
        extrapolated_rows: rows.row_flags[clip.row_range()].iter().filter(|f| f.extrapolated()).count(),
        seconds: n as f64 / f64::from(track.rate_hz),
        looping: clip.looping(),
        mean_speed_mps: way * track.rate_hz / (n - 1) as f32,
        contact_share: (0..contacts).map(share).collect(),
        stance_share,
        taken_for: String::new(),
        taken_because: String::new(),
    }
}

fn finish_report(report: &mut BuildReport, db: &Database) {
    report.frames = db.frames();
    report.rows = db.rows();
    report.columns = db.schema.columns;
    report.seconds = db.seconds();
    report.bytes = db.bytes();
    report.contact_joints = db.rig.contact_joints.iter().map(|j| db.skeleton.name(*j).to_owned()).collect();
    if db.rig.contact_joints.is_empty() {
        report
            .warnings
            .push("no feet found: no contacts are labelled; name them in `contacts.joints` or `roles`".into());
    }
    report.features = (0..db.schema.columns)
        .map(|c| ColumnReport {
            label: db.schema.column_label(c),
            offset: db.features.offset[c],
            scale: db.features.scale[c],
        })
        .collect();
}
