//! The guide is correct: its commands run, its settings parse, its Python works, its reference lists every key.
//!
//! Each page runs in a separate folder. The folder contains `hero.bvh`, another skeleton, the robot `person.xml` and `mixamo/`, clips on that skeleton
//! as glTF, if the page mentions it. Pages write `mocap/` by `footwork gait -o mocap`, so that a reader without clips can run
//! every command; for the other pages, it contains a few clips. Blocks are processed in order. A TOML block whose first line is a
//! comment with a file name is written to that file; for a sidecar, it is appended. Lines of shell blocks that start with
//! `footwork` are run. A text block after a paragraph that ends in `prints:` contains lines that the commands of the last shell
//! block have printed; `...` stands for any text. Python blocks are run if a Python with safetensors is installed. (Rust blocks
//! are documentation tests of footwork-import.)

use crate::common;

use footwork::advanced::build::matches_pattern;
use footwork::build::ClipRule;
use footwork::chooser::ChooserSpec;
use footwork_import::doctor::CHECKS;
use footwork_import::{CharacterConfig, parse_machine, reference};
use footwork_metrics::eval::keys as metrics;
use footwork_metrics::gate::Gate;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Returns the fenced blocks of a page: language, content, and the line before.
fn blocks(text: &str) -> Vec<(&str, &str, &str)> {
    let parts: Vec<&str> = text.split("\n```").collect();
    let fenced = parts.chunks_exact(2).map(|pair| {
        let (language, content) = pair[1].split_once('\n').unwrap_or((pair[1], ""));
        (language, content, pair[0].trim_end().lines().last().unwrap_or_default())
    });
    fenced.collect()
}

/// Checks that lines were printed, in their order. `...` stands for any text.
fn printed(page: &str, told: &str, stdout: &str) {
    let mut lines = stdout.lines();
    for told in told.lines().filter(|l| !l.trim().is_empty()) {
        let pattern = told.trim().replace("...", "*");
        let fits = |line: &str| matches_pattern(&pattern, line.trim());
        assert!(lines.any(fits), "docs/guide/{page}: the commands do not print `{told}`, but:\n{stdout}");
    }
}

/// Splits a command line into words; single quotes keep words together.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts.flat_map(|(i, p)| if i % 2 == 1 { vec![p] } else { p.split_whitespace().collect() }).collect()
}

/// Returns the file name in the first line of a TOML block.
fn file_name(block: &str) -> Option<&str> {
    let first = block.lines().next()?.strip_prefix("# ")?;
    first.ends_with(".toml").then_some(first)
}

fn toml_parses(page: &str, block: &str) {
    let refused = if file_name(block).is_some_and(|f| f.ends_with(".tags.toml")) {
        toml::from_str::<ClipRule>(block).err().map(|e| e.to_string())
    } else if file_name(block) == Some("gate.toml") {
        Gate::parse(block, &["default", "reference"]).err().map(|e| e.to_string())
    } else if file_name(block) == Some("parts.toml") {
        toml::from_str::<BTreeMap<String, String>>(block).err().map(|e| e.to_string())
    } else if let Some(file) = file_name(block).filter(|f| f.ends_with(".machine.toml")) {
        parse_machine(block, Path::new(file)).err().map(|e| e.to_string())
    } else if file_name(block).is_some_and(|f| f.ends_with(".chooser.toml")) {
        toml::from_str::<ChooserSpec>(block).err().map(|e| e.to_string())
    } else {
        toml::from_str::<CharacterConfig>(block).err().map(|e| e.to_string())
    };
    assert!(refused.is_none(), "{page}: {}\n{block}", refused.unwrap());
}

/// First commands of most pages. They are run once; each page continues with a copy of the result.
const FIRST: [&str; 2] = ["footwork gait -o mocap", "footwork build mocap -o mocap.fwdb"];

/// Returns the folder after this number of first commands (at least one), and the output of the last of them.
fn after_first(commands: usize) -> &'static (TempDir, String) {
    static FOLDERS: [OnceLock<(TempDir, String)>; FIRST.len()] = [const { OnceLock::new() }; FIRST.len()];
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        if commands > 1 {
            link(after_first(commands - 1).0.path(), folder.path());
        }
        let stdout = run_line(FIRST[commands - 1], folder.path(), "the first commands");
        (folder, stdout)
    };
    FOLDERS[commands - 1].get_or_init(make)
}

/// Links all files of a folder into another one. This is safe, since commands replace files instead of writing into them.
fn link(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            link(&entry.path(), &to);
        } else if !to.exists() {
            std::fs::hard_link(entry.path(), &to).unwrap();
        }
    }
}

/// Runs a command, and returns its output.
fn run_line(line: &str, folder: &Path, page: &str) -> String {
    let run = common::run(folder, &words(line)[1..]);
    assert_eq!(run.code, Some(0), "{page}: {line}\n{run:?}");
    run.stdout
}

/// Executes the blocks of a page; returns the number of commands that were run.
fn follow(page: &str) -> usize {
    let text = std::fs::read_to_string(common::repository().join("docs/guide").join(page)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    if !text.contains("\nfootwork gait -o mocap\n") {
        common::mocap(dir.path());
    }
    common::hero(dir.path());
    if text.contains("person.xml") {
        std::fs::copy(common::repository().join("examples/robot/person.xml"), dir.path().join("person.xml")).unwrap();
    }
    if text.contains("mixamo/") {
        common::mixamo(dir.path());
    }
    // True while only the first commands were run.
    let (mut commands, mut is_plain) = (0, true);
    let mut stdout = String::new();
    for (language, block, before) in blocks(&text) {
        match language {
            "toml" => {
                toml_parses(page, block);
                if let Some(file) = file_name(block) {
                    let path = dir.path().join(file);
                    // The existing lines of a sidecar are kept.
                    let before =
                        file.ends_with(".tags.toml").then(|| std::fs::read_to_string(&path).unwrap_or_default());
                    std::fs::remove_file(&path).ok();
                    std::fs::write(&path, before.unwrap_or_default() + block).unwrap();
                    is_plain = false;
                }
            }
            "sh" => {
                stdout.clear();
                for line in block.lines().filter(|l| l.split_whitespace().next() == Some("footwork")) {
                    if is_plain && FIRST.get(commands) == Some(&&*line.replace("mocap/ ", "mocap ")) {
                        let (folder, told) = after_first(commands + 1);
                        link(folder.path(), dir.path());
                        stdout += told;
                    } else {
                        stdout += &run_line(line, dir.path(), page);
                        is_plain = false;
                    }
                    commands += 1;
                }
            }
            // `bindings/python/tests` runs the code of these pages.
            "python" if ["python.md", "corpora.md", "fit.md"].contains(&page) => {}
            "python" => python(page, dir.path(), block),
            "text" if before.ends_with("prints:") => printed(page, block, &stdout),
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
fn robots_can_be_followed() {
    assert!(follow("robots.md") >= 4);
}

#[test]
fn mixamo_can_be_followed() {
    assert!(follow("mixamo.md") >= 9);
}

#[test]
fn few_clips_can_be_followed() {
    assert!(follow("few-clips.md") >= 5);
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
fn fit_can_be_followed() {
    assert!(follow("fit.md") >= 1);
}

#[test]
fn learned_can_be_followed() {
    assert!(follow("learned.md") >= 4);
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
    assert!(follow("film.md") >= 11);
}

#[test]
fn report_can_be_followed() {
    assert!(follow("report.md") >= 5);
}

#[test]
fn record_and_replay_can_be_followed() {
    assert!(follow("record-and-replay.md") >= 6);
}

#[test]
fn why_can_be_followed() {
    assert!(follow("why.md") >= 5);
}

#[test]
fn studio_can_be_followed() {
    follow("studio.md");
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
    assert!(follow("search.md") >= 9);
}

#[test]
fn bevy_can_be_followed() {
    follow("bevy.md");
}

#[test]
fn the_listings_for_bevy_are_the_game_that_the_command_writes() {
    let text = |path: &str| std::fs::read_to_string(common::repository().join(path)).unwrap();
    let game = text("crates/footwork-cli/templates/bevy/main.rs");
    for path in ["docs/guide/bevy.md", "bindings/bevy/README.md"] {
        assert!(text(path).contains(&game), "{path} does not show crates/footwork-cli/templates/bevy/main.rs");
    }
}

#[test]
fn in_your_game_can_be_followed() {
    follow("in-your-game.md");
}

#[test]
fn python_can_be_followed() {
    follow("python.md");
}

#[test]
fn database_file_can_be_followed() {
    assert!(follow("database-file.md") >= 1);
}

/// Returns the first column of a table's rows, without backticks, and the second.
fn table<'a>(page: &'a str, head: &str) -> Vec<(&'a str, &'a str)> {
    let (_, rows) = page.split_once(head).unwrap_or_else(|| panic!("no table `{head}`"));
    let rows = rows.lines().skip(2).take_while(|l| l.starts_with('|'));
    let cells = rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>());
    cells.map(|cells| (cells[0], cells[1])).collect()
}

#[test]
fn database_file_lists_every_tensor_and_every_key_of_the_metadata() {
    use footwork::build::{BuildConfig, BuildOptions, build};
    let page = std::fs::read_to_string(common::repository().join("docs/guide/database-file.md")).unwrap();
    let mut clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    // The optional tensor is present, too.
    let range = footwork::clip::TimeRange { start_s: 0.0, end_s: 1.0 };
    clips[0].annotations.costs.push(footwork::clip::CostRange { cost: 0.5, range });
    let (db, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap();
    let bytes = db.to_bytes().unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let listed = table(&page, "| tensor | type and shape | content |");
    let mut names: Vec<&str> = listed.iter().map(|(name, _)| name.trim_matches('`')).collect();
    for (name, (_, told)) in names.iter().zip(&listed) {
        let tensor = file.tensor(name).unwrap_or_else(|e| panic!("docs/guide/database-file.md: `{name}`: {e}"));
        let (dtype, shape) = told.split_once(' ').unwrap();
        assert_eq!(dtype, format!("{:?}", tensor.dtype()).to_lowercase(), "{name}");
        let sizes: Vec<&str> = shape.trim_matches(['[', ']']).split(", ").collect();
        assert_eq!(sizes.len(), tensor.shape().len(), "{name}");
        for (told, size) in sizes.iter().zip(tensor.shape()) {
            assert!(told.parse::<usize>().map_or(true, |n| n == *size), "{name}: {told}, {size}");
        }
    }
    names.sort_unstable();
    let mut there: Vec<&str> = file.names();
    there.sort_unstable();
    assert_eq!(names, there, "docs/guide/database-file.md");

    let options = BuildOptions { encode_poses: true, ..Default::default() };
    let encoded = build(&clips, &BuildConfig::default(), &options).unwrap().0.to_bytes().unwrap();
    let encoded = safetensors::SafeTensors::deserialize(&encoded).unwrap();
    let bits = table(&page, "| tensor of encoded poses | type and shape | content |");
    for (name, told) in &bits {
        let tensor = encoded.tensor(name.trim_matches('`')).unwrap();
        let (dtype, shape) = told.split_once(' ').unwrap();
        assert_eq!(dtype, format!("{:?}", tensor.dtype()).to_lowercase(), "{name}");
        assert_eq!(shape.split(", ").count(), tensor.shape().len(), "{name}");
    }
    names.retain(|name| !["joint_rotations", "joint_translations"].contains(name));
    names.extend(bits.iter().map(|(name, _)| name.trim_matches('`')));
    names.sort_unstable();
    let mut there: Vec<&str> = encoded.names();
    there.sort_unstable();
    assert_eq!(names, there, "docs/guide/database-file.md");

    let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    let about: serde_json::Value = serde_json::from_str(&header.metadata().as_ref().unwrap()["footwork"]).unwrap();
    let listed = table(&page, "| key | content |");
    let mut keys: Vec<&str> =
        listed.iter().flat_map(|(names, _)| names.split(", ")).map(|k| k.trim_matches('`')).collect();
    keys.sort_unstable();
    let mut there: Vec<&str> = about.as_object().unwrap().keys().map(String::as_str).collect();
    there.sort_unstable();
    assert_eq!(keys, there, "docs/guide/database-file.md");
}

#[test]
fn state_machines_can_be_followed() {
    assert!(follow("state-machines.md") >= 5);
}

#[test]
fn actions_can_be_followed() {
    assert!(follow("actions.md") >= 3);
}

#[test]
fn obstacles_can_be_followed() {
    assert!(follow("obstacles.md") >= 1);
}

#[test]
fn montages_can_be_followed() {
    assert!(follow("montages.md") >= 2);
}

#[test]
fn choose_can_be_followed() {
    assert!(follow("choose.md") >= 2);
}

#[test]
fn comparison_can_be_followed() {
    assert!(follow("comparison.md") >= 2);
}

#[test]
fn configuration_can_be_followed() {
    follow("configuration.md");
}

#[test]
fn index_can_be_followed() {
    follow("index.md");
}

#[test]
fn every_page_has_its_test_and_its_place_in_the_index() {
    let this = include_str!("guide.rs");
    let guide = common::repository().join("docs/guide");
    let index = std::fs::read_to_string(guide.join("index.md")).unwrap();
    for page in common::names(&guide) {
        assert!(this.contains(&format!("follow(\"{page}\")")), "{page} is not followed by a test");
        let places = index.matches(&format!("({page})")).count();
        assert_eq!(places, usize::from(page != "index.md"), "docs/guide/index.md: links to {page}");
    }
    let readme = std::fs::read_to_string(common::repository().join("README.md")).unwrap();
    assert!(readme.contains("(docs/guide/index.md)"), "README.md does not lead to docs/guide/index.md");
}

#[test]
fn tuning_knows_every_verdict_of_an_explanation() {
    use footwork::advanced::search::{Exclusion, Verdict};
    let page = std::fs::read_to_string(common::repository().join("docs/guide/tuning.md")).unwrap();
    let verdicts = [Verdict::Chosen, Verdict::Continued, Verdict::TooLittleBetter, Verdict::CostlierBy(1.0)];
    let reasons =
        [Exclusion::EndOfClip, Exclusion::NearCurrent, Exclusion::DoNotEnter, Exclusion::Tags, Exclusion::Cost];
    let told = verdicts.iter().map(Verdict::to_string).chain(reasons.iter().map(Exclusion::to_string));
    for words in told.map(|w| w.trim_end_matches(" 1.000").to_owned()) {
        assert!(page.contains(&format!("*{words}*")), "docs/guide/tuning.md does not explain `{words}`");
    }
}

/// Compares a file with its generated content; `UPDATE_GOLDEN=1` rewrites the file.
fn generated(path: &str, wanted: &str) {
    let file = common::repository().join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, wanted).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap();
    let line = there.lines().zip(wanted.lines()).find(|(a, b)| a != b);
    assert!(
        there == wanted,
        "{path} is out of date at {line:?}: UPDATE_GOLDEN=1 cargo test -p footwork-cli --test it guide"
    );
}

const BEGIN: &str =
    "<!-- Generated from the settings of the code: UPDATE_GOLDEN=1 cargo test -p footwork-cli --test it guide -->\n";
const END: &str = "<!-- End of what is generated. -->\n";

#[test]
fn the_reference_is_that_of_the_settings() {
    let path = "docs/guide/configuration.md";
    let page = std::fs::read_to_string(common::repository().join(path)).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page lacks the first marker");
    let (_, after) = rest.split_once(END).expect("the page lacks the last marker");
    generated(path, &format!("{before}{BEGIN}\n{}\n{END}{after}", reference::markdown()));
}

#[test]
fn the_example_of_a_biped_spells_out_the_defaults() {
    let dir = tempfile::tempdir().unwrap();
    let printed = common::run(dir.path(), &["config"]).stdout;
    let head = "# A person, with every setting at its default: a file to copy from. `footwork config` prints it.\n#\n\
                #   footwork build mocap/ --config examples/biped.toml -o biped.fwdb\n\n";
    generated("examples/biped.toml", &format!("{head}{printed}"));
    let parse = |text: &str| CharacterConfig::parse(text, Path::new("biped.toml")).unwrap();
    assert_eq!(parse(&printed), CharacterConfig::default());
    // Lines that are commented out are valid, too.
    let commented = |l: &str| l.starts_with('#') && !l.starts_with("# ");
    let all: Vec<&str> = printed.lines().map(|l| if commented(l) { &l[1..] } else { l }).collect();
    let all = parse(&all.join("\n"));
    assert!(all.build.pose_rate_hz.is_some() && all.build.clips[0].tags[0].start_s.is_some());
    assert!(all.source.ranges.len() == 1 && all.build.schema.channels[0].axis.is_some());
}

#[test]
fn the_examples_are_configurations() {
    let names = common::names(&common::repository().join("examples"));
    let configurations: Vec<_> = names.iter().filter(|name| name.ends_with(".toml")).collect();
    assert!(!configurations.is_empty());
    for name in configurations {
        let file = common::repository().join("examples").join(name);
        match name.ends_with(".machine.toml") {
            true => _ = footwork_import::load_machine(&file).unwrap(),
            false => _ = CharacterConfig::load(&file).unwrap(),
        }
    }
}

#[test]
fn corpora_can_be_followed() {
    assert!(follow("corpora.md") >= 6);
}
