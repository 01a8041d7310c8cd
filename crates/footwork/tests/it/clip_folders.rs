//! Relations between the clips of a folder: chained clips, blend spaces, duplicates.

use crate::common;

use common::strides::stride;
use common::{built, clip, clips};
use footwork::build::{BlendPoint, BlendSpace, BuildConfig, BuildOptions, ClipRule, PruneConfig, build};
use footwork::clip::{Annotations, RawClip};
use footwork::database::{Database, TagQuery};
use footwork::frames::ClipIndex;
use footwork::input::{MotionInput, Stick};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::schema::ChannelSpec;
use footwork::schema::ChannelType::TrajectoryPosition;
use std::sync::Arc;

fn row_of(db: &Database, clip: usize, time_s: f64) -> usize {
    let rows = db.clips[clip].row_range();
    rows.clone().find(|r| db.row_time_s(footwork::frames::RowIndex::new(*r)) >= time_s - 1e-6).unwrap_or(rows.end - 1)
}

/// Returns a start from standing, cut off at full speed.
fn start() -> RawClip {
    let mut start = clip("start_walk_left_foot");
    let joints = start.skeleton.len();
    start.translations.truncate(96 * joints);
    start.rotations.truncate(96 * joints);
    start.annotations = Annotations::default();
    start
}

fn chained() -> BuildConfig {
    let rule = ClipRule {
        name: "start*".into(),
        before: Some("idle".into()),
        after: Some("walk_175_loop".into()),
        ..Default::default()
    };
    let mut config = BuildConfig { clips: vec![rule], ..Default::default() };
    // The schema includes a past time, too.
    config.schema.preset = Some(Default::default());
    config.schema.channels.push(ChannelSpec::trajectory(TrajectoryPosition, &[-0.5], 1.0));
    config
}

#[test]
fn a_clip_that_is_continued_has_a_past_a_future_and_no_false_stop() {
    let clips = [clip("idle"), start(), clip("walk_175_loop"), clip("walk_125"), clip("turn_90_left")];
    let (alone, _) = built(&clips, &BuildConfig { clips: Vec::new(), ..chained() });
    let (db, _) = built(&clips, &chained());
    let (was, is) = (alone.clips[1].clone(), db.clips[1].clone());
    let before_s = 0.0 - f64::from(is.source_start_s);
    assert!((0.99..1.02).contains(&before_s), "half a second that is looked at, half a second to spare: {before_s}");
    assert!(is.frames as f64 >= was.frames as f64 + (1.0 + 1.4) * 60.0);
    for row in is.row_range() {
        let time_s = db.row_time_s(footwork::frames::RowIndex::new(row)) - before_s;
        let own = (-1e-3..f64::from(was.frames - 1) / 60.0 + 1e-3).contains(&time_s);
        assert_eq!(db.row_flags[row].no_entry(), !own, "{time_s}");
        assert!(!own || !db.row_flags[row].extrapolated(), "{time_s}");
    }
    // The trajectory one second after the last frame has the speed of a walk, and no joint jumps before that.
    let view = db.view(ClipIndex(1), false);
    let end_s = before_s + f64::from(was.frames - 1) / 60.0;
    let (way, ..) = view.trajectory(end_s, 1.0);
    assert!((way.z - 1.75).abs() < 0.15 && way.x.abs() < 0.1, "{way}");
    let (n, joints) = (is.frames as usize, db.poses.joints);
    let q = |f: usize, j: usize| db.poses.rotations[(is.first_frame as usize + f) * joints + j];
    let leap = (1..n).flat_map(|f| (1..joints).map(move |j| q(f, j).angle_between(q(f - 1, j)))).fold(0.0, f32::max);
    let usual = (1..was.frames as usize)
        .flat_map(|f| (1..joints).map(move |j| (f, j)))
        .map(|(f, j)| {
            let q = |f: usize| alone.poses.rotations[(was.first_frame as usize + f) * joints + j];
            q(f).angle_between(q(f - 1))
        })
        .fold(0.0, f32::max);
    assert!(leap < 1.5 * usual, "{leap} rad from a frame to the next, {usual} within the clip");
    // Before its first frame the character stood.
    let (back, ..) = view.trajectory(before_s, -0.5);
    assert!(back.length() < 0.05, "{back}");
    let row = row_of(&db, 1, before_s);
    assert!(db.features.row(footwork::frames::RowIndex::new(row)).iter().all(|v| v.is_finite()));
}

#[test]
fn playback_goes_on_into_the_clip_that_comes_after() {
    let clips = [start(), clip("walk_175_loop"), clip("idle"), clip("turn_90_left")];
    let rule = ClipRule { name: "start*".into(), after: Some("walk_175_loop".into()), ..Default::default() };
    let (db, _) = built(&clips, &BuildConfig { clips: vec![rule], ..Default::default() });
    let mut matcher = MotionMatcher::new(Arc::new(db), MatcherConfig::default()).unwrap();
    let mut state = matcher.state().clone();
    state.header.playback.playing.clip = ClipIndex(0);
    state.header.playback.playing.time_s = 1.2;
    matcher.restore(&state).unwrap();
    let mut played = Vec::new();
    for _ in 0..300 {
        matcher.update(&MotionInput::default(), 1.0 / 60.0).unwrap();
        played.push(matcher.state().header.playback.playing.clip.at());
        let speed = matcher.output().velocity.linear[0].length();
        assert!(speed > 1.0, "{speed} m/s after {} updates", played.len());
    }
    assert_eq!((played[0], played[299]), (0, 1));
}

#[test]
fn a_neighbour_that_is_not_there_is_named() {
    let rule = ClipRule { name: "start*".into(), after: Some("wolk_175_loop".into()), ..Default::default() };
    let config = BuildConfig { clips: vec![rule], ..Default::default() };
    let clips = [start(), clip("walk_175_loop")];
    let e = build(&clips, &config, &BuildOptions::default()).unwrap_err().to_string();
    assert!(e.contains("no clip is named `wolk_175_loop`; the nearest is `walk_175_loop`"), "{e}");
}

fn point(clip: &str, at: f32) -> BlendPoint {
    BlendPoint { clip: clip.into(), at }
}

#[test]
fn between_a_walk_and_a_run_lie_as_many_clips_as_wanted_in_phase_and_on_the_ground() {
    let space = |clips: Vec<BlendPoint>, steps| BuildConfig {
        blend_spaces: vec![BlendSpace { name: "go".into(), axis: "speed".into(), clips, steps }],
        ..Default::default()
    };
    let slow = stride(&clip("walk_125_loop"), 4.0, 0.3, true);
    let fast = stride(&clip("walk_175_loop"), 5.0, 0.8, false);
    let some = [clip("idle"), slow, fast, clip("turn_90_left"), clip("walk_175")];
    let walks = space(vec![point("walk_175_loop", 1.75), point("walk_125_loop", 1.25)], 3);
    let (db, report) = built(&some, &walks);
    assert_eq!((db.clips.len(), report.blends.len()), (8, 3));
    for (k, b) in report.blends.iter().enumerate() {
        let at = 1.25 + 0.5 * (k + 1) as f32 / 4.0;
        assert_eq!(b.clip, format!("go_{at:.2}"));
        assert!((b.speed_mps - at).abs() < 0.08, "{b:?}");
        // In a blend of walks of two speeds, planted feet do not slide either.
        assert!(b.skate_mps < 0.15, "{b:?}");
        assert!(db.clips[5 + k].looping());
    }
    // If the clips were out of phase, planted feet would be blended with lifted ones.
    let shares = |c: usize| report.clips[c].contact_share.clone();
    assert!(shares(5)[0] > 0.4 && shares(5)[0] < 0.75, "{:?} of {:?}", shares(5), shares(1));
    let e = |config| build(&some, &config, &BuildOptions::default()).unwrap_err().to_string();
    let open = e(space(vec![point("walk_125_loop", 1.0), point("walk_175", 2.0)], 1));
    assert!(open.contains("clip `walk_175` is no loop"), "{open}");
    let one = e(space(vec![point("walk_125_loop", 1.0)], 1));
    assert!(one.contains("needs two clips or more"), "{one}");
}

#[test]
fn a_folder_copied_into_itself_builds_to_the_same_size_and_the_copies_are_named() {
    let some: Vec<RawClip> =
        clips().iter().filter(|c| c.name.starts_with("walk_") || c.name.contains("turn_90")).cloned().collect();
    let pruning = BuildConfig { prune: PruneConfig { enabled: true, ..PruneConfig::default() }, ..Default::default() };
    let (alone, report) = built(&some, &pruning);
    let already: Vec<_> = report.pruned.iter().map(|p| (p.clip.clone(), p.same_as.clone())).collect();
    let mut twice = some.clone();
    // A copy of each clip, and one copy that starts 0.4 s later.
    for c in &some {
        twice.push(RawClip { name: format!("{} copy", c.name), ..c.clone() });
    }
    let joints = some[0].skeleton.len();
    let mut late = RawClip { name: "zlate".into(), ..clip("turn_90_left") };
    late.translations.drain(..24 * joints);
    late.rotations.drain(..24 * joints);
    late.annotations.contacts.iter_mut().for_each(|c| drop(c.on.drain(..24)));
    twice.push(late);
    let (db, report) = built(&twice, &pruning);
    assert_eq!((db.frames(), db.rows()), (alone.frames(), alone.rows()), "{already:?}");
    let copies = report.pruned.iter().filter(|p| p.clip.ends_with(" copy"));
    assert!(copies.clone().all(|p| p.whole), "{:?}", report.pruned);
    let late = report.pruned.iter().find(|p| p.clip == "zlate").unwrap();
    assert!(late.same_as == "turn_90_left" && (late.later_s - 0.4).abs() < 1e-3, "{late:?}");
    let (all, _) = built(&twice, &BuildConfig::default());
    assert!(all.rows() > 2 * alone.rows() - 1, "off by default");
}

#[test]
fn what_is_no_locomotion_is_played_by_those_who_ask_for_it_alone() {
    let named = |from: &str, name: &str| {
        let clip = clip(from);
        let annotations = Annotations { tags: Vec::new(), ..clip.annotations.clone() };
        RawClip { name: name.to_owned(), annotations, ..clip }
    };
    // A fall whose motion equals that of the idle, and which comes first.
    let clips = [named("idle", "falling_idle"), named("idle", "idle"), named("walk_175_loop", "walk")];
    let (db, report) = built(&clips, &BuildConfig::default());
    let taken: Vec<&str> = report.clips.iter().map(|c| c.taken_for.as_str()).collect();
    assert_eq!(taken, ["fall", "locomotion", "locomotion"]);
    let db = Arc::new(db);
    let mut matcher = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    let fall = db.tag_query("fall").unwrap();
    // Half a second is allowed for the change.
    for (tags, wanted, from) in [(TagQuery::default(), false, 0), (fall, true, 30), (TagQuery::default(), false, 30)] {
        for frame in 0..240 {
            let input = MotionInput { tags, ..MotionInput::stick(Stick::default()) };
            matcher.update(&input, 1.0 / 60.0).unwrap();
            let falls = matcher.state().header.playback.playing.clip == ClipIndex(0);
            assert!(falls == wanted || frame < from, "frame {frame}, {tags:?}");
        }
    }
    let (db, _) = built(&clips[..1], &BuildConfig::default());
    assert!(db.tag_mask(Database::NO_LOCOMOTION).is_err(), "a fall is all there is");
}
