//! Tests which files folders and patterns select, and the names of their clips.

use footwork_import::{Imported, SourceConfig, import_clips, motion_files};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation \
                   Xrotation\nEnd Site\n{\nOFFSET 0 -95 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.0333\n0 95 0 0 0 0\n0 95 \
                   4 0 90 0\n";

/// Returns a folder with these files.
fn folder(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, BVH).unwrap();
    }
    dir
}

/// Returns the files that inputs select, relative to a folder.
fn found(dir: &Path, inputs: &[&str]) -> Result<Vec<String>, String> {
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    let files = motion_files(&inputs, dir).map_err(|e| e.to_string())?;
    let shown = |p: PathBuf| p.strip_prefix(dir).unwrap().display().to_string().replace('\\', "/");
    Ok(files.into_iter().map(shown).collect())
}

fn import(dir: &Path, inputs: &[&str]) -> Result<Imported, String> {
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    import_clips(&inputs, dir, &SourceConfig::default(), None).map_err(|e| e.to_string())
}

fn names(imported: &Imported) -> Vec<&str> {
    imported.clips.iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn a_folder_is_read_with_its_sub_folders_and_without_what_is_hidden() {
    let dir = folder(&["m/walk.bvh", "m/pack/run.BVH", "m/pack/deep/er/jump.bvh", "m/.git/x.bvh", "m/pack/._run.bvh"]);
    fs::write(dir.path().join("m/pack/notes.txt"), "x").unwrap();
    let all = ["m/pack/deep/er/jump.bvh", "m/pack/run.BVH", "m/walk.bvh"];
    assert_eq!(found(dir.path(), &["m"]).unwrap(), all);
    assert_eq!(found(dir.path(), &["."]).unwrap().len(), 3);
    assert_eq!(names(&import(dir.path(), &["m"]).unwrap()), ["jump", "run", "walk"]);
    fs::create_dir_all(dir.path().join("none/at/all")).unwrap();
    assert!(found(dir.path(), &["none"]).unwrap_err().contains("in the folder or below it"));
}

#[test]
fn patterns_mean_what_they_meant() {
    let dir = folder(&[
        "walk1.bvh",
        "walk2.bvh",
        "a/walk1.bvh",
        "a/b/walk3.bvh",
        "a/b/run.bvh",
        "c[d]/walk.bvh",
        ".h/walk.bvh",
    ]);
    for (pattern, files) in [
        ("walk*", &["walk1.bvh", "walk2.bvh"][..]),
        ("walk?.bvh", &["walk1.bvh", "walk2.bvh"]),
        ("walk[2-9].bvh", &["walk2.bvh"]),
        ("*/walk*", &["a/walk1.bvh", "c[d]/walk.bvh"]),
        ("*/*/*.bvh", &["a/b/run.bvh", "a/b/walk3.bvh"]),
        ("**/walk3.bvh", &["a/b/walk3.bvh"]),
        ("a/**/walk*", &["a/b/walk3.bvh", "a/walk1.bvh"]),
        ("a/**", &["a/b/run.bvh", "a/b/walk3.bvh", "a/walk1.bvh"]),
        ("a/../walk[1].bvh", &["a/../walk1.bvh"]),
        ("*/b/run.bvh", &["a/b/run.bvh"]),
        ("c[[]d]/*.bvh", &["c[d]/walk.bvh"]),
        (".h/*.bvh", &[".h/walk.bvh"]),
    ] {
        assert_eq!(found(dir.path(), &[pattern]).unwrap(), files, "{pattern}");
    }
    for pattern in ["jump*", "walk1.bvh/*", "nowhere/**/*.bvh", "**/.h*"] {
        assert!(found(dir.path(), &[pattern]).unwrap_err().contains("matches no motion file"), "{pattern}");
    }
    assert!(found(dir.path(), &["a**/x.bvh"]).unwrap_err().contains("a**"));
    // An existing file whose name has brackets is not a pattern.
    assert_eq!(found(dir.path(), &["c[d]/walk.bvh"]).unwrap(), ["c[d]/walk.bvh"]);
    let both = found(dir.path(), &["walk1.bvh", "walk*", ".", "a"]).unwrap();
    assert_eq!(both.len(), 6, "{both:?}");
}

#[cfg(unix)]
#[test]
fn a_web_of_links_is_searched_to_its_end_and_each_file_is_found_once() {
    use std::os::unix::fs::symlink;
    // Every folder links to every other, which gives too many paths to visit them all.
    let folders: Vec<String> = (0..12).map(|k| format!("m/f{k:02}")).collect();
    let files: Vec<String> = folders.iter().map(|f| format!("{f}/clip_of_{}.bvh", &f[2..])).collect();
    let dir = folder(&files.iter().map(String::as_str).collect::<Vec<_>>());
    for a in &folders {
        for b in &folders {
            symlink(dir.path().join(b), dir.path().join(a).join(format!("to_{}", &b[2..]))).unwrap();
        }
    }
    for input in ["m", "**/*.bvh", "m/**", "m/*/clip*.bvh", "."] {
        assert_eq!(found(dir.path(), &[input]).unwrap(), files, "{input}");
    }
    assert_eq!(found(dir.path(), &["m/*/*/*/clip_of_f03.bvh"]).unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_the_file_has_the_name_of_its_own_place() {
    use std::os::unix::fs::symlink;
    let dir = folder(&["m/z/walk.bvh", "elsewhere/run.bvh", "beside.bvh"]);
    let at = |name: &str| dir.path().join(name);
    symlink("z", at("m/a")).unwrap();
    symlink("z/walk.bvh", at("m/again.bvh")).unwrap();
    symlink("../elsewhere", at("m/linked")).unwrap();
    // Folders above the searched one are not included.
    symlink("../..", at("m/z/above")).unwrap();
    symlink("nowhere.bvh", at("m/broken.bvh")).unwrap();
    assert_eq!(found(dir.path(), &["m"]).unwrap(), ["m/linked/run.bvh", "m/z/walk.bvh"]);
    // A pattern may match the name of a link.
    assert_eq!(found(dir.path(), &["m/a*/*.bvh"]).unwrap(), ["m/a/walk.bvh"]);
    assert_eq!(found(dir.path(), &["m/again*"]).unwrap(), ["m/again.bvh"]);
}

#[test]
fn clips_of_one_name_are_told_apart_by_as_many_folders_as_it_takes() {
    let dir = folder(&["m/idle.bvh", "m/a/x/walk.bvh", "m/b/x/walk.bvh", "m/a/run.bvh", "m/b/run.bvh", "m/run.bvh"]);
    let imported = import(dir.path(), &["m"]).unwrap();
    assert_eq!(names(&imported), ["a.run", "a.x.walk", "b.run", "b.x.walk", "idle", "m.run"]);
    assert_eq!(imported.notes.len(), 5, "{:?}", imported.notes);
    assert_eq!(names(&import(dir.path(), &["m/b", "m/run.bvh", "m/a", "m/idle.bvh"]).unwrap()), names(&imported));
    // In one folder, a repeated name is an error.
    let dir = folder(&["a.bvh", "a.BVH"]);
    assert!(import(dir.path(), &["."]).unwrap_err().contains("both give a clip named `a`"));
}

#[test]
fn what_is_directly_in_the_folder_keeps_its_name_where_the_folder_has_none() {
    const INSIDE: &str = "FOOTWORK_TEST_INSIDE_THE_FOLDER";
    if std::env::var_os(INSIDE).is_some() {
        let inputs = [PathBuf::from(".")];
        let imported = import_clips(&inputs, Path::new(""), &SourceConfig::default(), None).unwrap();
        assert_eq!(names(&imported), ["pack.walk", "walk"]);
        return;
    }
    // Runs in another process, as all tests of a program share the current folder.
    let dir = folder(&["walk.bvh", "pack/walk.bvh"]);
    let name = "folders::what_is_directly_in_the_folder_keeps_its_name_where_the_folder_has_none";
    let mut inside = Command::new(std::env::current_exe().unwrap());
    let out = inside.args([name, "--exact"]).current_dir(dir.path()).env(INSIDE, "1").output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn a_chain_and_a_comb_of_thousands_of_joints_are_read() {
    // Work that grows with the cube of the number of joints would take minutes.
    const JOINTS: usize = 4000;
    let chain = |text: &mut String| {
        (1..JOINTS).for_each(|j| *text += &format!("JOINT Link_{j}\n{{\nOFFSET 0 1 0\n"));
        *text += &"}\n".repeat(JOINTS);
    };
    let comb = |text: &mut String| {
        for j in 1..JOINTS / 2 {
            *text += &format!("JOINT Tooth_{j}\n{{\nOFFSET 1 0 0\n}}\nJOINT Back_{j}\n{{\nOFFSET 0 1 0\n");
        }
        *text += &"}\n".repeat(JOINTS / 2);
    };
    let dir = tempfile::tempdir().unwrap();
    let tree = |name: &str, joints: &dyn Fn(&mut String)| {
        let mut text = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n".to_owned();
        joints(&mut text);
        text += "MOTION\nFrames: 2\nFrame Time: 0.0333\n0 95 0\n0 95 4\n";
        fs::write(dir.path().join(name), text).unwrap();
        import(dir.path(), &[name]).unwrap().clips[0].skeleton.len()
    };
    assert_eq!(tree("chain.bvh", &chain), JOINTS);
    assert_eq!(tree("comb.bvh", &comb), JOINTS - 1);
}

#[cfg(unix)]
#[test]
fn files_that_are_not_regular_are_rejected_without_waiting_for_them() {
    let dir = folder(&["walk.bvh"]);
    let pipe = |name: &str| {
        let made = Command::new("mkfifo").arg(dir.path().join(name)).status().unwrap();
        assert!(made.success());
    };
    // A reader of a pipe blocks until data is written; the test must not.
    let import_within_a_minute = |name: &'static str| {
        let (tell, told) = std::sync::mpsc::channel();
        let at = dir.path().to_owned();
        std::thread::spawn(move || tell.send(import(&at, &[name]).map(|i| i.clips.len())));
        told.recv_timeout(std::time::Duration::from_secs(60)).unwrap_or_else(|_| panic!("{name} never ends"))
    };
    pipe("pipe.bvh");
    pipe("numbers.bin");
    let buffer = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"numbers.bin","byteLength":24}],
        "bufferViews":[{"buffer":0,"byteLength":24}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"},
            {"bufferView":0,"componentType":5126,"count":2,"type":"VEC3"}],
        "nodes":[{"children":[1]},{"children":[2]},{}],"skins":[{"joints":[0,1,2]}],
        "animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],
            "samplers":[{"input":0,"output":1}]}]}"#;
    fs::write(dir.path().join("beside.gltf"), buffer).unwrap();
    assert_eq!(import_within_a_minute("walk.bvh"), Ok(1));
    pipe("walk.tags.toml");
    for (input, file) in [("pipe.bvh", "pipe.bvh"), ("beside.gltf", "numbers.bin"), ("walk.bvh", "walk.tags.toml")] {
        let why = import_within_a_minute(input).unwrap_err();
        assert!(why.contains(file) && why.contains("expected a regular file, found a pipe"), "{why}");
    }
}
