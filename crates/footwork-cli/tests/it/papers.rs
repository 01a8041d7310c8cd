//! The documents are correct: paths, links and commands.

use crate::common;

use common::repository;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Returns the files under version control.
fn tracked() -> Vec<PathBuf> {
    let list = std::process::Command::new("git").current_dir(repository()).args(["ls-files", "-z"]).output();
    let Some(list) = list.ok().filter(|l| l.status.success()) else {
        common::skipped("papers", "this is no git checkout");
        return Vec::new();
    };
    let names = String::from_utf8(list.stdout).unwrap();
    names.split('\0').filter(|n| !n.is_empty()).map(PathBuf::from).collect()
}

/// Returns the text between single backquotes, without fenced blocks.
fn quoted(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the targets of links, without web addresses.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|t| !t.contains("://") && !t.starts_with('#')).collect()
}

#[test]
fn every_path_that_a_document_names_exists() {
    let root = repository();
    let mut named = 0;
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for path in quoted(&read(page)) {
            let is_path = ["crates/", "docs/", "eval/", "examples/", ".ci/"].iter().any(|p| path.starts_with(p));
            // Exceptions: files that the instructions for a new channel and a new stage create.
            if is_path && !path.ends_with("joint_height.rs") && !path.ends_with("lean.rs") {
                assert!(root.join(&path).exists(), "{page} names {path}, which does not exist");
                named += 1;
            }
        }
    }
    assert!(named > 30, "only {named} paths were found");
}

#[test]
fn every_link_leads_somewhere() {
    let pages = tracked().into_iter().filter(|p| p.extension().is_some_and(|e| e == "md"));
    for page in pages.filter(|p| repository().join(p).exists()) {
        let folder = repository().join(&page).parent().map(Path::to_owned).unwrap_or_default();
        for link in links(&read(page.to_str().unwrap())) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(folder.join(file).exists(), "{} links to {link}", page.display());
        }
    }
}

#[test]
fn the_architecture_names_every_crate() {
    let text = read("ARCHITECTURE.md");
    for name in common::names(&repository().join("crates")) {
        assert!(text.contains(&format!("`crates/{name}/`")), "{name}");
    }
}

#[test]
fn the_gate_runs_the_commands_of_the_readme() {
    let (readme, gate) = (read("README.md"), read(".ci/run"));
    for command in ["cargo test", "cargo run --release"] {
        assert!(readme.contains(&format!("```sh\n{command}\n```")), "{command}");
    }
    assert!(gate.lines().any(|l| l.trim() == "cargo test"));
    // Replaces `cargo run --release`: the demo of the tests' build, in a separate folder.
    assert!(gate.contains("(cd \"$folder\" && footwork)"));
}

#[test]
fn every_crate_can_be_published_as_far_as_its_manifest_goes() {
    for name in common::names(&repository().join("crates")) {
        let manifest: toml::Table = toml::from_str(&read(&format!("crates/{name}/Cargo.toml"))).unwrap();
        let package = manifest["package"].as_table().unwrap();
        assert_eq!(package["name"].as_str(), Some(name.as_str()));
        assert!(package["description"].as_str().is_some_and(|d| d.len() > 20), "{name}");
        for key in ["license", "repository", "rust-version"] {
            assert!(package.contains_key(key), "{name} has no `{key}`");
        }
    }
    let root: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    assert_eq!(root["workspace"]["package"]["license"].as_str(), Some("MIT OR Apache-2.0"));
    assert!(read("LICENSE-MIT").starts_with("MIT License") && read("LICENSE-APACHE").contains("Version 2.0"));
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    // Composed here, so that this file does not contain them.
    let absolute = ["work", "home", "root", "Users"].map(|folder| format!("/{folder}/"));
    let shared = format!("{}/data", "../shared");
    for file in tracked() {
        let Ok(text) = std::fs::read_to_string(repository().join(&file)) else { continue };
        for path in &absolute {
            assert!(!text.contains(path.as_str()), "{} holds the path {path}", file.display());
        }
        let allowed = file == Path::new(".ci/run");
        assert!(allowed || !text.contains(&shared), "{} names {shared}", file.display());
    }
}

/// Messages that the plugin for Bevy logs: of each `error!` and `warn!` the first piece outside of braces that has three words, else
/// the longest.
#[test]
fn the_guide_of_bevy_lists_every_message_of_its_log() {
    let folder = repository().join("bindings/bevy/src");
    let guide = read("docs/guide/bevy.md");
    let mut found = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for call in text.split("error!(").chain(text.split("warn!(")) {
            let Some(literal) = call.trim_start().strip_prefix('"').and_then(|c| c.split('"').next()) else { continue };
            let outside = literal.split('{').enumerate().map(|(i, part)| match (i, part.split_once('}')) {
                (0, _) | (_, None) => part,
                (_, Some((_, after))) => after,
            });
            let words =
                |part: &str| part.trim_matches([':', ';', ' ']).split([':', ';']).next().unwrap_or("").to_owned();
            let pieces: Vec<String> = outside.map(words).collect();
            let telling = pieces.iter().find(|p| p.split_whitespace().count() >= 3);
            let piece = telling.or(pieces.iter().max_by_key(|p| p.len())).unwrap();
            assert!(guide.contains(piece), "{}: docs/guide/bevy.md does not list `{piece}`", file.display());
            found += 1;
        }
    }
    assert!(found >= 10, "{found} messages");
}
