//! The guide is true: its commands run, its settings parse, its Python works, its reference leaves no key out.
//!
//! Each page runs in a folder of its own. The folder holds `hero.bvh`, another skeleton, and `mixamo/`, clips on that
//! skeleton as glTF, if the page mentions it. Pages write `mocap/` by `footwork gait -o mocap`, so that a reader without
//! clips can run every command; for the others, it holds a few clips. Blocks are taken in order. A TOML block whose
//! first line is a comment with a file name is written to that file. Lines of shell blocks that start with `footwork` are
//! run. Python blocks are run where a Python with safetensors exists. (Rust blocks are documentation tests of
//! footwork-import.)

mod common;

use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::stride_warp::StrideWarpConfig;
use footwork::build::{BlendPoint, BlendSpace, ClipRule, CurveSpec, EventSpec, PruneConfig, RootConfig, TagSpec};
use footwork::schema::{ChannelSpec, ChannelType, Preset, PropSpec};
use footwork_import::doctor::CHECKS;
use footwork_import::{CharacterConfig, RangeSpec};
use footwork_metrics::eval::keys as metrics;
use footwork_metrics::gate::Gate;
use std::collections::BTreeSet;
use std::path::Path;

/// Fenced blocks of a page: language and content.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let fenced = text.split("\n```").skip(1).step_by(2);
    fenced.map(|b| b.split_once('\n').unwrap_or((b, ""))).collect()
}

/// Words of a command line; single quotes hold words together.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts.flat_map(|(i, p)| if i % 2 == 1 { vec![p] } else { p.split_whitespace().collect() }).collect()
}

/// The file that a TOML block says it is.
fn file_name(block: &str) -> Option<&str> {
    let first = block.lines().next()?.strip_prefix("# ")?;
    first.ends_with(".toml").then_some(first)
}

fn toml_parses(page: &str, block: &str) {
    let refused = if file_name(block).is_some_and(|f| f.ends_with(".tags.toml")) {
        toml::from_str::<ClipRule>(block).err().map(|e| e.to_string())
    } else if file_name(block) == Some("gate.toml") {
        Gate::parse(block, &["default", "reference"]).err().map(|e| e.to_string())
    } else {
        toml::from_str::<CharacterConfig>(block).err().map(|e| e.to_string())
    };
    assert!(refused.is_none(), "{page}: {}\n{block}", refused.unwrap());
}

/// Does what a page says; gives the number of commands that were run.
fn follow(page: &str) -> usize {
    let text = std::fs::read_to_string(common::repository().join("docs/guide").join(page)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    if !text.contains("\nfootwork gait -o mocap\n") {
        common::mocap(dir.path());
    }
    common::hero(dir.path());
    if text.contains("mixamo/") {
        common::mixamo(dir.path());
    }
    let mut commands = 0;
    for (language, block) in blocks(&text) {
        match language {
            "toml" => {
                toml_parses(page, block);
                if let Some(file) = file_name(block) {
                    std::fs::write(dir.path().join(file), block).unwrap();
                }
            }
            "sh" => {
                for line in block.lines().filter(|l| l.split_whitespace().next() == Some("footwork")) {
                    let run = common::run(dir.path(), &words(line)[1..]);
                    assert_eq!(run.code, Some(0), "{page}: {line}\n{run:?}");
                    commands += 1;
                }
            }
            "python" => python(page, dir.path(), block),
            "text" | "rust" => {}
            other => panic!("{page}: a block of language `{other}`: nobody checks it"),
        }
    }
    commands
}

fn python(page: &str, folder: &Path, block: &str) {
    let Some(python) = common::python(&format!("python of {page}")) else { return };
    let run = common::finish(std::process::Command::new(python).current_dir(folder).args(["-c", block]));
    assert_eq!(run.code, Some(0), "{page}: {run:?}");
}

#[test]
fn corrections_can_be_followed() {
    assert!(follow("corrections.md") >= 4);
}

#[test]
fn start_can_be_followed() {
    assert!(follow("start.md") >= 3);
}

#[test]
fn your_clips_can_be_followed() {
    assert!(follow("your-clips.md") >= 5);
}

#[test]
fn retargeting_can_be_followed() {
    assert!(follow("retargeting.md") >= 6);
}

#[test]
fn mixamo_can_be_followed() {
    assert!(follow("mixamo.md") >= 9);
}

#[test]
fn formats_can_be_followed() {
    assert!(follow("formats.md") >= 8);
}

#[test]
fn schema_can_be_followed() {
    assert!(follow("schema.md") >= 2);
}

#[test]
fn tuning_can_be_followed() {
    assert!(follow("tuning.md") >= 3);
}

#[test]
fn doctor_can_be_followed() {
    assert!(follow("doctor.md") >= 6);
}

#[test]
fn doctor_lists_every_check_as_it_is() {
    let page = std::fs::read_to_string(common::repository().join("docs/guide/doctor.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|l| l.starts_with("| `") && l.split(" | ").count() == 4).collect();
    assert_eq!(rows.len(), CHECKS.len());
    for (row, check) in rows.iter().zip(CHECKS) {
        let mends = if check.mends { "yes" } else { "no" };
        let wanted = format!("| `{}` | {} | {mends} | ", check.name, check.severity.name());
        assert!(row.starts_with(&wanted), "docs/guide/doctor.md: {row}\nexpected {wanted}..");
    }
}

#[test]
fn film_can_be_followed() {
    assert!(follow("film.md") >= 8);
}

#[test]
fn quality_can_be_followed() {
    assert!(follow("quality.md") >= 4);
}

#[test]
fn quality_explains_every_metric() {
    let page = std::fs::read_to_string(common::repository().join("docs/guide/quality.md")).unwrap();
    let explained: Vec<&str> = page.lines().filter(|l| l.starts_with("| `") && l.split(" | ").count() == 3).collect();
    for key in metrics() {
        assert!(explained.iter().any(|l| l.contains(&format!("`{key}`"))), "docs/guide/quality.md: {key}");
    }
}

#[test]
fn person_can_be_followed() {
    assert!(follow("person.md") >= 5);
}

#[test]
fn search_can_be_followed() {
    assert!(follow("search.md") >= 6);
}

#[test]
fn in_your_game_can_be_followed() {
    follow("in-your-game.md");
}

#[test]
fn database_file_can_be_followed() {
    assert!(follow("database-file.md") >= 1);
}

#[test]
fn configuration_can_be_followed() {
    follow("configuration.md");
}

#[test]
fn every_page_has_its_test_and_its_place_in_the_readme() {
    let this = include_str!("guide.rs");
    let readme = std::fs::read_to_string(common::repository().join("README.md")).unwrap();
    for page in common::names(&common::repository().join("docs/guide")) {
        assert!(this.contains(&format!("follow(\"{page}\")")), "{page} is not followed by a test");
        assert!(readme.contains(&format!("docs/guide/{page}")), "README.md does not lead to {page}");
    }
}

#[test]
fn tuning_knows_every_verdict_of_an_explanation() {
    use footwork::search::{Exclusion, Verdict};
    let page = std::fs::read_to_string(common::repository().join("docs/guide/tuning.md")).unwrap();
    let verdicts = [Verdict::Chosen, Verdict::Continued, Verdict::TooLittleBetter, Verdict::CostlierBy(1.0)];
    let reasons = [Exclusion::EndOfClip, Exclusion::NearCurrent, Exclusion::DoNotEnter, Exclusion::Tags];
    let told = verdicts.iter().map(Verdict::to_string).chain(reasons.iter().map(Exclusion::to_string));
    for words in told.map(|w| w.trim_end_matches(" 1.000").to_owned()) {
        assert!(page.contains(&format!("*{words}*")), "docs/guide/tuning.md does not explain `{words}`");
    }
}

/// A configuration in which every key that can be there is there.
fn every_key() -> CharacterConfig {
    let text = || Some("x".to_owned());
    let mut config = CharacterConfig::default();
    config.matcher.orientation_warp = Some(OrientationWarpConfig::default());
    config.matcher.stride_warp = Some(StrideWarpConfig::default());
    config.source.pattern = text();
    config.source.ranges =
        vec![RangeSpec { clip: "x".into(), name: "x".into(), start_s: Some(0.0), end_s: Some(1.0), looping: true }];
    config.build.pose_rate_hz = Some(60.0);
    config.build.root =
        RootConfig { joint: text(), forward_deg: Some(0.0), speed_from_feet: Some(true), ..RootConfig::default() };
    config.build.prune = Some(PruneConfig::default());
    let clips = vec![BlendPoint { clip: "x".into(), at: 0.0 }];
    config.build.blend_spaces = vec![BlendSpace { name: "x".into(), axis: "x".into(), clips, steps: 1 }];
    config.build.schema.preset = Some(Preset::Holden);
    config.build.schema.props = vec![PropSpec { name: "x".into(), joint: "x".into(), offset_m: [0.0; 3] }];
    config.build.schema.channels = vec![ChannelSpec {
        joint: text(),
        relative_to: text(),
        axis: Some([0.0, 0.0, 1.0]),
        times_s: vec![1.0],
        dimensions: 3,
        name: text(),
        width: 2,
        ..ChannelSpec::joint(ChannelType::User, "x", 1.0)
    }];
    config.build.clips = vec![ClipRule {
        looping: Some(true),
        before: text(),
        after: text(),
        tags: vec![TagSpec { name: "x".into(), start_s: Some(0.0), end_s: Some(1.0) }],
        events: vec![EventSpec { name: "x".into(), time_s: 0.0 }],
        curves: vec![CurveSpec { name: "x".into(), keys: vec![vec![0.0, 1.0]] }],
        ..ClipRule::default()
    }];
    config
}

/// Paths of all keys; `[]` for the entries of a list of tables.
fn keys(value: &toml::Value, path: &str, out: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, v) in table {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                out.insert(path.clone());
                keys(v, &path, out);
            }
        }
        toml::Value::Array(list) => list.iter().for_each(|v| keys(v, path, out)),
        _ => {}
    }
}

#[test]
fn the_reference_lists_every_key() {
    let mut all = BTreeSet::new();
    keys(&toml::Value::try_from(every_key()).unwrap(), "", &mut all);
    assert!(all.len() > 80, "{all:?}");
    let page = std::fs::read_to_string(common::repository().join("docs/guide/configuration.md")).unwrap();
    // A section per table (its path in the heading), a row per key.
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    let mut missing = Vec::new();
    for key in &all {
        let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
        let named = |s: &&&str| s.lines().next().is_some_and(|h| h.contains(&format!("`{table}`")));
        let has_row = |s: &&str| s.contains(&format!("\n| `{name}` |"));
        let is_table = sections.iter().any(|s| s.lines().next().is_some_and(|h| h.contains(&format!("`{key}`"))));
        if !is_table && !sections.iter().filter(named).any(has_row) {
            missing.push(key);
        }
    }
    assert!(missing.is_empty(), "docs/guide/configuration.md has no row for {missing:?}");
}

/// A default as the reference writes it.
fn written(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::Table(_) => None,
        // Shortest digits that are the same 32-bit number.
        toml::Value::Float(v) => Some(format!("{:?}", *v as f32)),
        other => Some(other.to_string()),
    }
}

#[test]
fn the_reference_gives_the_true_defaults() {
    let page = std::fs::read_to_string(common::repository().join("docs/guide/configuration.md")).unwrap();
    let mut all = Vec::new();
    let mut on = CharacterConfig::default();
    on.matcher.orientation_warp = Some(OrientationWarpConfig::default());
    on.matcher.stride_warp = Some(StrideWarpConfig::default());
    let defaults = [("", toml::Value::try_from(on).unwrap())];
    let mut open: Vec<(String, toml::Value)> = defaults.map(|(p, v)| (p.to_owned(), v)).to_vec();
    while let Some((path, value)) = open.pop() {
        for (key, v) in value.as_table().into_iter().flatten() {
            let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match written(v) {
                Some(default) => all.push((path.clone(), key.clone(), default)),
                None => open.push((inner, v.clone())),
            }
        }
    }
    let mut compared = 0;
    for (table, key, default) in all {
        let mut sections = page.split("\n## ").filter(|s| s.lines().next().unwrap().contains(&format!("`{table}`")));
        let row = sections.find_map(|s| s.lines().find(|l| l.starts_with(&format!("| `{key}` |"))));
        // `channels` and `props` are tables of their own there.
        let Some(row) = row else { continue };
        let column = row.split(" | ").nth(1).unwrap();
        assert!(column.contains(&format!("`{default}`")), "`{table}.{key}` is {default} by default, not {column}");
        compared += 1;
    }
    assert!(compared > 45, "only {compared} defaults were compared");
}

#[test]
fn the_example_of_a_biped_spells_out_the_defaults() {
    let text = std::fs::read_to_string(common::repository().join("examples/biped.toml")).unwrap();
    let example: CharacterConfig = toml::from_str(&text).unwrap();
    assert_eq!(example, CharacterConfig::default());
    let mut all = BTreeSet::new();
    keys(&toml::Value::try_from(CharacterConfig::default()).unwrap(), "", &mut all);
    for key in all {
        let name = key.rsplit('.').next().unwrap();
        let there = text.lines().any(|l| {
            let l = l.trim_start_matches("# ");
            l.starts_with(&format!("{name} =")) || l.starts_with('[') && l.contains(name)
        });
        assert!(there, "examples/biped.toml does not show `{key}`");
    }
}

#[test]
fn the_examples_are_configurations() {
    for name in common::names(&common::repository().join("examples")) {
        CharacterConfig::load(&common::repository().join("examples").join(name)).unwrap();
    }
}
