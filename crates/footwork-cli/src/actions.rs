//! `footwork simulate --course actions`: requests for actions, within and out of reach.

use crate::args::{BuiltIn, Common, SimulateArgs};
use crate::cast::Cast;
use crate::course;
use crate::interrupt::guarded;
use crate::progress;
use anyhow::{Result, bail};
use footwork_gait::{GaitOptions, generate, skeleton};
use footwork_metrics::actions::{
    ActionFigures, ActionsCourse, KnownContact, LayoutCourse, LayoutFigures, MeetingCourse, MeetingFigures,
    ObstacleCourse, ObstacleFigures, RecordedRequest, read,
};
use std::sync::Arc;

/// Number of requests.
const REQUESTS: usize = 2000;
/// Number of requests for each layout of boxes: 50 layouts for all requests.
const PER_LAYOUT: usize = 40;

/// Runs the course and prints its figures.
pub fn actions(args: &SimulateArgs, common: &Common) -> Result<()> {
    match (course::file_flag(args), args.request) {
        (Some("--trace"), None) => {
            bail!("--trace: expected with --request N: the course `actions` records one request")
        }
        (Some("--trace"), Some(_)) | (None, _) => {}
        (Some(flag), _) => bail!("{flag}: the course `actions` writes no such file; use --trace, or another course"),
    }
    let other = [
        ("--seconds", args.seconds.is_some()),
        ("--tags", args.tags.is_some()),
        ("--chooser", args.chooser.is_some()),
        ("--learned", args.learned.is_some()),
        ("--explain", args.explain.is_some()),
        ("--set and --fire", !args.cues.cues.is_empty()),
    ];
    if let Some((flag, _)) = other.iter().find(|(_, is_set)| *is_set) {
        bail!("{flag}: the course `actions` does not use it; remove it, or use another course");
    }
    // Without a database, the built-in actions.
    let common = &Common { data: BuiltIn::Actions, ..common.clone() };
    let cast = Cast::open(common)?.run_by(args.machine.as_deref())?;
    let requests = args.requests.unwrap_or(REQUESTS);
    let course = ActionsCourse { requests, seed: common.seed, dt_s: args.dt, jitter: args.jitter };
    let mut config = cast.character.config().clone();
    config.actions.arrives = true;
    let character = Arc::new(cast.character.with_config(config)?);
    if let (Some(path), Some(request)) = (&args.trace, args.request) {
        let recorded = course.record(&character, request)?;
        guarded(path, || recorded.trace.save(path))?;
        return print_request(&recorded, args, common);
    }
    let bar = progress::bar("requesting", requests as u64, common.json);
    let mut found = course.run(&character, || bar.inc(1))?;
    let obstacles = ObstacleCourse { runs: 12, seconds: 40, seed: common.seed }.run(&cast.character)?;
    let meetings = MeetingCourse { starts: 200, seed: common.seed }.run(&cast.character)?;
    let layouts = LayoutCourse { layouts: requests.div_ceil(PER_LAYOUT), seed: common.seed }.run(&character)?;
    bar.finish_and_clear();
    // Contacts of other clips are not known.
    found.read = common.db.is_none().then(|| read(&cast.character, &known()));
    if common.json {
        let mut summary = course::summary(&found, args, common)?;
        for also in [serde_json::to_value(obstacles)?, serde_json::to_value(meetings)?, serde_json::to_value(layouts)?]
        {
            let also = also.as_object().cloned().unwrap_or_default();
            summary.as_object_mut().into_iter().for_each(|all| all.extend(also.clone()));
        }
        out!("{summary}");
    } else {
        print_text(&found);
        print_obstacles(&obstacles);
        print_meetings(&meetings);
        print_layouts(&layouts);
    }
    Ok(())
}

/// Returns the contacts of the built-in actions.
fn known() -> Vec<KnownContact> {
    let options = GaitOptions { routes: false, actions: true, ..GaitOptions::default() };
    let clips = generate(&options).into_iter().filter_map(|take| Some((take.clip.name, take.truth.action?)));
    let contacts = clips.flat_map(|(clip, truth)| {
        truth.contacts.into_iter().map(move |c| KnownContact {
            clip: clip.clone(),
            joint: skeleton().names()[c.joint].clone(),
            time_s: [c.begin_s, c.end_s],
            position: c.position,
        })
    });
    contacts.collect()
}

/// Prints the outcome of one request.
fn print_request(recorded: &RecordedRequest, args: &SimulateArgs, common: &Common) -> Result<()> {
    if common.json {
        let mut summary = course::summary(recorded, args, common)?;
        summary["request"] = args.request.into();
        out!("{summary}");
        return Ok(());
    }
    let reach = if recorded.reachable { "within reach" } else { "out of reach" };
    out!("  request {}: {}, {reach}", args.request.unwrap_or_default(), recorded.kind);
    for (time_s, step) in &recorded.steps {
        out!("    {time_s:>7.3} s  {step}");
    }
    for (key, worst) in &recorded.worst {
        out!("  largest {key}: {:.3} ({} at {:.2} s, {})", worst.value, worst.clip, worst.clip_s, worst.joint);
    }
    Ok(())
}

fn print_text(found: &ActionFigures) {
    out!(
        "  {} requests: {:.1} % of the reachable taken, {:.1} % of the others refused",
        found.requests,
        found.taken_pct_of_reachable,
        found.refused_pct_of_unreachable
    );
    for (kind, pct) in &found.taken_by_kind_pct {
        out!("    {kind:<10} {pct:>5.1} %");
    }
    out!(
        "  {} contacts: {:.1} mm off (median), {:.1} mm (99 %), {:.1} mm in all frames (99 %)",
        found.contacts,
        1e3 * found.contact_error_m_p50,
        1e3 * found.contact_error_m_p99,
        1e3 * found.contact_hold_error_m_p99
    );
    out!("  {} at a requested time: {:.3} s off (99 %)", found.timed, found.contact_error_s_p99);
    out!(
        "  planted feet slide {:.1} mm (median), {:.1} mm (90 %), {:.1} mm (99 %)",
        1e3 * found.plant_slide_m_p50,
        1e3 * found.plant_slide_m_p90,
        1e3 * found.plant_slide_m_p99
    );
    out!("  {} notifies lost, {} doubled", found.notifies_lost, found.notifies_doubled);
    out!("  {} requested contacts without a joint", found.contacts_without_joint);
    if let Some(read) = &found.read {
        out!(
            "  {} contacts of clips: {} not read, {:.3} s and {:.1} mm off (99 %)",
            read.known,
            read.read_missed,
            read.read_contact_s_p99,
            1e3 * read.read_contact_m_p99
        );
    }
    out!("  largest jump of a joint: {:.2} times that of locomotion", found.pop_mps);
    let arrivals = &found.arrivals;
    out!(
        "  {} arrivals: {:.1} % refused; {:.1} mm, {:.2} degrees and {:.3} s off (99 %)",
        arrivals.arrivals,
        arrivals.arrival_refused_pct,
        1e3 * arrivals.arrival_m_p99,
        arrivals.arrival_deg_p99,
        arrivals.arrival_s_p99
    );
    for (reason, count) in &arrivals.arrival_reasons {
        out!("    not arrived: {reason} ({count})");
    }
    for (reason, count) in &found.reasons {
        out!("    not taken: {reason} ({count})");
    }
    out!("  decision hash {}", found.decision_hash);
}

fn print_obstacles(found: &ObstacleFigures) {
    out!(
        "  among obstacles: {:.1} mm inside (95 %), {:.1} % of the time without, {:.1} % of the way without",
        1e3 * found.inside_m_p95,
        1e2 * found.inside_time_ratio,
        1e2 * found.distance_ratio
    );
}

fn print_meetings(found: &MeetingFigures) {
    out!(
        "  {} handshakes: {:.1} % taken, {:.1} mm between the hands (99 %), {:.1} s to the touch (median)",
        found.handshakes,
        found.handshake_taken_pct,
        1e3 * found.handshake_hand_m_p99,
        found.handshake_s_p50
    );
}

fn print_layouts(found: &LayoutFigures) {
    out!(
        "  {} of {} layouts crossed, stuck in {}; {:.1} % of {} edges taken",
        found.layouts_crossed,
        found.layouts,
        found.layouts_stuck,
        found.layout_taken_pct,
        found.layout_edges
    );
    for (name, count) in &found.layout_missed {
        out!("    not taken: {name} ({count})");
    }
}
