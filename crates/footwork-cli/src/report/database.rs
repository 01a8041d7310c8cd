//! Section: contents of the database, in figures.

use super::input::Input;
use super::page::{Section, facts, name, note, table};
use crate::course::stick_line;
use footwork::database::Database;

pub fn section(input: &Input) -> Section {
    let db = &*input.db;
    let originals = &db.clips[..db.originals()];
    let made = originals.iter().filter(|c| db.clip_tags(c).contains(&Database::MADE)).count();
    let mirrored = db.clips.len() - originals.len();
    let clips = match (made, mirrored) {
        (0, 0) => format!("{}", originals.len()),
        (made, 0) => format!("{} captured, {made} made", originals.len() - made),
        (made, mirrored) => format!("{} captured, {made} made, {mirrored} mirrored", originals.len() - made),
    };
    let list = [
        ("Clips", clips),
        ("Motion", format!("{:.1} min", db.seconds() / 60.0)),
        ("Poses", format!("{} at {} Hz", db.frames(), db.pose_rate_hz)),
        ("Rows to search", format!("{} at {} Hz", db.rows(), db.search_rate_hz)),
        ("Features of a row", db.features.columns.to_string()),
        ("Joints", db.skeleton.len().to_string()),
        ("In memory", format!("{:.1} MB", db.bytes() as f64 / 1e6)),
        ("Mirror images", format!("{:?}", db.mirror).to_lowercase()),
    ];
    let mut html = facts(&list);
    let stick = input.config.speeds.over(&db.stick);
    let hash = format!("Content hash: {:032x}", db.content_hash());
    html.push_str(&note(&format!("A {}. {hash}.", name(&stick_line(&stick)))));
    html.push_str("<details><summary>Channels of the features, tags and events</summary>\n");
    let channel = |c: &footwork::schema::Channel| {
        let columns = if c.columns.len() == 1 {
            c.columns.start.to_string()
        } else {
            format!("{} to {}", c.columns.start, c.columns.end - 1)
        };
        vec![name(&c.label), columns, format!("{}", c.weight), name(c.kind.unit())]
    };
    let channels: Vec<Vec<String>> = db.schema.channels.iter().map(channel).collect();
    html.push_str(&table("channels", &["Channel", "#Columns", "#Weight", "Unit"], &channels));
    let listed = |names: &[String]| match names.is_empty() {
        true => "none".to_owned(),
        false => names.iter().map(|n| name(n)).collect::<Vec<_>>().join(", "),
    };
    html.push_str(&note(&format!("Tags: {}. Events: {}.", listed(&db.tags), listed(&db.event_names))));
    html.push_str("</details>\n");
    Section { id: "database", title: "Database", items: db.schema.channels.len(), html }
}
