//! Module boundaries inside the crate: a game that only loads finished databases is built without the builder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The order of the modules: each may import those before it. `build` is not in the list; it is for offline use.
const ORDER: [&str; 31] = [
    "memory",
    "parallel",
    "error",
    "expression",
    "files",
    "container",
    "settings",
    "math",
    "frames",
    "obstacles",
    "skeleton",
    "pose",
    "clip",
    "roles",
    "rig",
    "motion",
    "schema",
    "database",
    "search",
    "foresight",
    "input",
    "trajectory",
    "adjust",
    "blend",
    "retarget",
    "actions",
    "matcher",
    "machine",
    "chooser",
    "recorder",
    "learned",
];

/// Files that work on all processors (`parallel`), to load a database and to build its index. Updates do neither.
const ON_ALL_PROCESSORS: [&str; 4] =
    ["motion/codec/mod.rs", "search/tree/build.rs", "search/tree/mod.rs", "search/tree/nodes.rs"];

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

/// Returns the code without comments and without the unit tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().filter(|l| !l.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect()
}

fn runtime_sources() -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    sources(&src, &mut all);
    // These only list what modules have, or expand in others.
    let lists = ["lib.rs", "advanced.rs", "prelude.rs", "macros.rs"].map(|name| src.join(name));
    all.retain(|p| !p.ends_with("tests.rs") && !p.starts_with(src.join("build")) && !lists.contains(p));
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
fn the_runtime_starts_no_threads_but_to_load_prints_nothing_and_knows_no_clock() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in runtime_sources().iter().filter(|path| **path != src.join("parallel.rs")) {
        let code = code(path);
        let loads = ON_ALL_PROCESSORS.iter().any(|file| *path == src.join(file));
        assert_eq!(code.contains("parallel::"), loads, "{}", path.display());
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
    assert_eq!(manifest.matches("\n[target.").count(), 1, "the dependencies of Linux");
}

/// Returns the words that follow `crate::` in code, including those in braces.
fn imports(code: &str) -> BTreeSet<String> {
    let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut all = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            all.insert(word(rest));
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (i, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    all.insert(word(list[start..i].trim_start()));
                    break;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    all.insert(word(list[start..i].trim_start()));
                    start = i + 1;
                }
                _ => {}
            }
        }
    }
    all
}

/// Returns the names that `lib.rs` re-exports from a module: `crate::Name` imports that module, too.
fn reexports(src: &Path) -> BTreeMap<String, String> {
    let lib = code(&src.join("lib.rs"));
    let mut names = BTreeMap::new();
    for item in lib.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let item = item.trim_start_matches("crate::").trim_start_matches("self::");
        let Some((module, what)) = item.split_once("::") else { continue };
        for name in what.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|n| !n.is_empty()) {
            names.insert(name.to_owned(), module.to_owned());
        }
    }
    names
}

/// Returns the module of `src` that a file belongs to.
fn module(src: &Path, path: &Path) -> String {
    let first = path.strip_prefix(src).unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

#[test]
fn modules_import_only_those_before_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place = |name: &str| ORDER.iter().position(|m| *m == name);
    let reexported = reexports(&src);
    let mut seen = BTreeSet::new();
    for path in runtime_sources().iter().filter(|p| !p.ends_with("tests.rs")) {
        let from = module(&src, path);
        let at = place(&from).unwrap_or_else(|| panic!("`{from}` has no place in the order of modules"));
        for name in imports(&code(path)) {
            let target = reexported.get(&name).unwrap_or(&name);
            if let Some(to) = place(target) {
                assert!(to <= at, "{} imports `{target}`, which comes after `{from}`", path.display());
                seen.insert((at, to));
            }
        }
    }
    assert!(seen.len() > 80, "only {} pairs of modules import each other: the test reads too little", seen.len());
}

/// Returns the sibling modules that a file of `matcher` imports.
fn siblings(path: &Path) -> BTreeSet<String> {
    // A module of the crate may have the name of a sibling.
    let names = imports(&code(path).replace("crate::", "elsewhere::").replace("super::", "crate::"));
    let name = path.file_stem().unwrap().to_str().unwrap();
    names.into_iter().filter(|n| n != name && path.with_file_name(format!("{n}.rs")).is_file()).collect()
}

#[test]
fn files_of_the_matcher_import_each_other_without_a_cycle() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matcher"), &mut files);
    files.retain(|p| !p.ends_with("mod.rs"));
    let mut left: BTreeMap<String, BTreeSet<String>> =
        files.iter().map(|p| (p.file_stem().unwrap().to_str().unwrap().to_owned(), siblings(p))).collect();
    assert!(left.len() > 20 && left.values().map(BTreeSet::len).sum::<usize>() > 60, "the test reads too little");
    while !left.is_empty() {
        let done: Vec<String> = left.iter().filter(|(_, to)| to.is_empty()).map(|(name, _)| name.clone()).collect();
        assert!(!done.is_empty(), "these files import each other: {left:?}");
        left.retain(|name, _| !done.contains(name));
        left.values_mut().for_each(|to| to.retain(|name| !done.contains(name)));
    }
}
