//! Walls inside the crate: a game that only loads finished databases ships without the builder.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Code without comments and without the unit tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().filter(|l| !l.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect()
}

fn runtime_sources() -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    sources(&src, &mut all);
    all.retain(|p| !p.starts_with(src.join("build")) && *p != src.join("lib.rs"));
    assert!(all.len() > 40, "only {} files found", all.len());
    all
}

#[test]
fn runtime_modules_never_import_the_builder() {
    for path in runtime_sources() {
        for (i, line) in code(&path).lines().enumerate() {
            let words = line.replace("super::build", "crate::build");
            let builder = words.contains("crate::build") || words.contains("use crate::{build");
            assert!(!builder, "{}, code line {}: {line}", path.display(), i + 1);
        }
    }
}

#[test]
fn the_runtime_starts_no_threads_prints_nothing_and_knows_no_clock() {
    for path in runtime_sources() {
        let code = code(&path);
        for forbidden in
            ["rayon", "thread::", "println!", "eprintln!", "Instant::", "SystemTime", "static mut", "Mutex"]
        {
            assert!(!code.contains(forbidden), "{} has `{forbidden}`", path.display());
        }
    }
}

#[test]
fn the_core_depends_on_no_engine_no_interchange_format_and_no_network() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let own = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names: Vec<&str> = own
        .lines()
        .filter(|l| !l.trim_start().starts_with('#') && !l.trim().is_empty())
        .map(|l| l.split(['.', ' ', '=']).next().unwrap())
        .collect();
    let allowed = [
        "bytemuck",
        "glam",
        "libm",
        "rayon",
        "safetensors",
        "serde",
        "serde_json",
        "strsim",
        "thiserror",
        "xxhash-rust",
    ];
    assert_eq!(names, allowed, "each dependency of the core is a decision: see ARCHITECTURE.md");
    assert!(own.contains("rayon = { workspace = true, optional = true }"));
}
