//! `footwork inspect`: prints the contents of a database.

use crate::action_list;
use crate::args::{Common, InspectArgs};
use crate::course::stick_line;
use anyhow::Result;
use footwork::advanced::search::SearchIndex;
use footwork::database::{Clip, Database, DatabaseEvent};
use footwork::matcher::Backend;
use footwork::roles::Assigned;
use serde_json::{Value, json};

/// Runs the command.
pub fn inspect(args: &InspectArgs, common: &Common) -> Result<()> {
    let (db, _) = common.open()?;
    if common.json {
        out!("{}", to_json(&db));
    } else if args.actions {
        action_list::print(&db);
    } else {
        print(&db, args.clips);
    }
    Ok(())
}

fn seconds(db: &Database, clip: &Clip) -> f64 {
    f64::from(clip.frames) / f64::from(db.pose_rate_hz)
}

fn to_json(db: &Database) -> Value {
    let names =
        |joints: &[footwork::frames::JointIndex]| joints.iter().map(|j| db.skeleton.name(*j)).collect::<Vec<_>>();
    let parents: Vec<Option<u32>> = db.skeleton.parents().iter().map(|p| p.map(|p| p.0)).collect();
    let clips: Vec<Value> = db.clips.iter().map(|c| clip_json(db, c)).collect();
    let channels: Vec<Value> = db.schema.channels.iter().map(|c| channel_json(db, c)).collect();
    let tag_seconds = |tag: usize| {
        let spans = db.tag_spans.iter().filter(|s| s.tag as usize == tag);
        spans.map(|s| f64::from(s.end.0 - s.start.0)).sum::<f64>() / f64::from(db.pose_rate_hz)
    };
    let tags: Vec<Value> =
        db.tags.iter().enumerate().map(|(i, t)| json!({ "name": t, "seconds": tag_seconds(i) })).collect();
    let count = |name: usize| db.events.iter().filter(|e: &&DatabaseEvent| e.name.at() == name).count();
    let events: Vec<Value> =
        db.event_names.iter().enumerate().map(|(i, e)| json!({ "name": e, "count": count(i) })).collect();
    let indices: Vec<Value> = Backend::EXACT
        .iter()
        .map(|b| json!({ "search": b.name(), "bytes": SearchIndex::build(db, *b).bytes() }))
        .collect();
    let made = made(db);
    json!({
        "clips": db.originals() - made,
        "made": made,
        "frames": db.frames(),
        "rows": db.rows(),
        "columns": db.features.columns,
        "seconds": db.seconds(),
        "bytes": db.bytes(),
        "poses": poses_json(db),
        "pose_rate_hz": db.pose_rate_hz,
        "search_rate_hz": db.search_rate_hz,
        "mirror": db.mirror,
        "stick": db.stick,
        "normalization": db.normalization,
        "content_hash": format!("{:032x}", db.content_hash()),
        "schema_hash": format!("{:016x}", db.schema.hash()),
        "joints": db.skeleton.names(),
        "joint_parents": parents,
        "contact_joints": names(&db.rig.contact_joints),
        "translated_joints": names(&db.poses.translated),
        "roles": roles_json(db),
        "curves": db.curve_names,
        "tags": tags,
        "events": events,
        "channels": channels,
        "clip_list": clips,
        "actions": action_list::to_json(db),
        "search_structures": indices,
    })
}

/// Returns the form of the poses in a file.
fn poses_json(db: &Database) -> Value {
    let (encoding, bytes, bits) = poses_in_file(db);
    json!({ "encoding": encoding, "bytes": bytes, "bits_per_bone_sample": bits })
}

/// Returns name and size of the poses in a file, and their bits per joint and frame.
fn poses_in_file(db: &Database) -> (&'static str, usize, f64) {
    let encoded = db.encoded_poses().map(|encoded| ("segments", encoded.size()));
    let (encoding, bytes) = encoded.unwrap_or(("raw", db.poses.bytes()));
    (encoding, bytes, bytes as f64 * 8.0 / (db.frames() * db.skeleton.len()) as f64)
}

/// Returns the joints by role, from names and shape.
fn roles_json(db: &Database) -> Value {
    let roles = &db.rig.roles;
    let json =
        |a: Assigned| json!({ "joint": db.skeleton.name(a.joint), "found_by": a.found_by, "confidence": a.confidence });
    roles.assigned().map(|(role, a)| (role.to_owned(), json(a))).collect()
}

fn clip_json(db: &Database, c: &Clip) -> Value {
    json!({
        "name": c.name,
        "seconds": seconds(db, c),
        "frames": c.frames,
        "rows": c.rows,
        "looping": c.looping(),
        "mirrored": c.mirrored,
        "made": db.is_made(c),
        "source_start_s": c.source_start_s,
        "taken_for": taken_for(db, c),
        "tags": db.clip_tags(c),
    })
}

fn taken_for(db: &Database, clip: &Clip) -> &'static str {
    if db.clip_tags(clip).contains(&Database::NO_LOCOMOTION) { Database::NO_LOCOMOTION } else { "locomotion" }
}

fn channel_json(db: &Database, c: &footwork::schema::Channel) -> Value {
    json!({
        "label": c.label,
        "columns": [c.columns.start, c.columns.end],
        "weight": c.weight,
        "residual": c.residual,
        "offset": db.features.offset[c.columns.clone()],
        "scale": db.features.scale[c.columns.clone()],
    })
}

/// Returns the number of made clips.
fn made(db: &Database) -> usize {
    db.clips[..db.originals()].iter().filter(|c| db.is_made(c)).count()
}

/// Returns the number of clips, as text.
pub fn clips_line(captured: usize, made: usize) -> String {
    if made > 0 { format!("{captured} clips and {made} made of them") } else { format!("{captured} clips") }
}

fn print(db: &Database, clips: usize) {
    let made = made(db);
    out!(
        "{}, {:.1} min; {} joints; mirror {:?}",
        clips_line(db.originals() - made, made),
        db.seconds() / 60.0,
        db.skeleton.len(),
        db.mirror
    );
    out!(
        "{} poses at {} Hz, {} rows at {} Hz, {:.1} MB",
        db.frames(),
        db.pose_rate_hz,
        db.rows(),
        db.search_rate_hz,
        db.bytes() as f64 / 1e6
    );
    let (encoding, bytes, bits) = poses_in_file(db);
    out!("poses in a file: {encoding}, {:.1} MB, {bits:.1} bits per joint and frame", bytes as f64 / 1e6);
    out!("{}", stick_line(&db.stick));
    out!("content {:032x}\n", db.content_hash());
    out!("{} columns:", db.features.columns);
    for c in &db.schema.channels {
        out!("  {:>2}..{:<2} {:<28} weight {}", c.columns.start, c.columns.end, c.label, c.weight);
    }
    if !db.tags.is_empty() {
        out!("\ntags: {}", db.tags.join(", "));
    }
    if !db.event_names.is_empty() {
        out!("events: {}", db.event_names.join(", "));
    }
    out!("\nclips:");
    for c in db.clips.iter().take(clips) {
        let kind = if c.looping() { "loop " } else { "" };
        let made = if db.is_made(c) { "made " } else { "" };
        let aside = if taken_for(db, c) == "locomotion" { "" } else { "no locomotion" };
        let line = format!("  {:<44} {:>7.2} s {:>6} rows {kind}{made}{aside}", c.name, seconds(db, c), c.rows);
        out!("{}", line.trim_end());
    }
    if db.clips.len() > clips {
        out!("  ... {} more (--clips {})", db.clips.len() - clips, db.clips.len());
    }
}
