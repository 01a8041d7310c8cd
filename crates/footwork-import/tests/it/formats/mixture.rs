//! Tests of files in several formats on one skeleton.

use super::fixtures::{Gltf, fbx_person, fbx_walker, person, walker};
use footwork_import::{Imported, SourceConfig, UnitSetting, Units, fbx, gltf, import_clips, read_clip};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 100 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation \
                   Xrotation\nJOINT Spine\n{\nOFFSET 0 50 0\nCHANNELS 3 Zrotation Yrotation Xrotation\nJOINT Head\n{\n\
                   OFFSET 0 50 0\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 20 0\n}\n}\n}\n}\n\
                   MOTION\nFrames: 2\nFrame Time: 0.033333\n0 100 0 0 0 0 0 0 0 0 0 0\n0 100 3 0 0 0 0 0 0 0 0 0\n";

fn import(dir: &Path, inputs: &[&str], source: &SourceConfig) -> Result<Imported, String> {
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    import_clips(&inputs, dir, source, None).map_err(|e| e.to_string())
}

fn names(imported: &Imported) -> Vec<&str> {
    imported.clips.iter().map(|c| c.name.as_str()).collect()
}

/// Returns a folder with walkers in BVH, FBX and glTF, a model and a T-pose. The glTF walker has a namespace, additional joints
/// and another joint order.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
    write("a.bvh", BVH.as_bytes());
    write("b.fbx", &fbx_walker().ascii());
    let mut other = walker();
    other.root["nodes"] = json!([
        {"name": "Head", "children": [4], "translation": [0.0, 0.5, 0.0]},
        {"name": "rig:Hips", "children": [2, 3], "translation": [0.0, 1.0, 0.0]},
        {"name": "rig:Tail"},
        {"name": "Spine", "children": [0], "translation": [0.0, 0.5, 0.0]},
        {"name": "HeadEnd", "translation": [0.0, 0.2, 0.0]},
    ]);
    other.root["skins"] = json!([{"joints": [0, 1, 2, 3, 4]}]);
    write("c.gltf", &other.text());
    let mut model = walker();
    model.root["animations"] = json!([]);
    write("model.gltf", &model.text());
    let still: (&[f32], &[f32]) = (&[0.0, 1.0], &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    model.animation("T-pose", &[(1, "translation", "LINEAR", still.0, still.1)]);
    write("t-pose.gltf", &model.text());
    write("notes.txt", b"no motion");
    dir
}

#[test]
fn a_folder_of_all_formats_comes_on_one_skeleton_and_says_what_it_took() {
    let dir = folder();
    let all = import(dir.path(), &["."], &SourceConfig::default()).unwrap();
    assert_eq!(names(&all), ["a", "b.nod", "b.walk", "c"]);
    for c in &all.clips {
        assert_eq!(c.skeleton.names(), ["Hips", "Spine", "Head"], "{}", c.name);
        assert!((c.translations[0].y - 1.0).abs() < 1e-5 && (c.translations[2].y - 0.5).abs() < 1e-5, "{}", c.name);
        c.validate().unwrap();
    }
    let told: Vec<String> = all.notes.iter().map(ToString::to_string).collect();
    let has = |part: &str| assert!(told.iter().any(|n| n.contains(part)), "{part}: {told:?}");
    has("model.gltf: left out: the file holds a model but no animation");
    has("t-pose.gltf: left out: none of its animations moves a joint");
    has("2 joints that not all clips have are left out (`rig:Tail`, `HeadEnd`)");
    has("1 joints take the names of the first clip's");
    // A model that is given by name is an error.
    assert!(import(dir.path(), &["model.gltf"], &SourceConfig::default()).unwrap_err().contains("no animation"));
    assert!(
        import(dir.path(), &["notes.txt"], &SourceConfig::default())
            .unwrap_err()
            .contains("no motion file by its name")
    );
}

#[test]
fn files_that_cannot_be_read_are_left_out_unless_named_or_strict() {
    let dir = folder();
    let whole = fs::read_to_string(dir.path().join("a.bvh")).unwrap();
    let torn = &whole[..whole.trim_end().rfind('\n').unwrap()];
    fs::write(dir.path().join("torn.bvh"), torn).unwrap();
    let twice = whole.replacen(
        "MOTION",
        &format!("{}MOTION", whole.split("MOTION").next().unwrap().replacen("HIERARCHY", "", 1)),
        1,
    );
    fs::write(dir.path().join("twice.bvh"), twice).unwrap();
    fs::write(dir.path().join("noise.gltf"), b"\x00\x01 no JSON").unwrap();
    let all = import(dir.path(), &["."], &SourceConfig::default()).unwrap();
    assert_eq!(names(&all), ["a", "b.nod", "b.walk", "c"]);
    let told: Vec<String> = all.notes.iter().map(ToString::to_string).collect();
    println!("{told:#?}");
    for (file, why) in [("torn.bvh", "truncated"), ("twice.bvh", "second ROOT"), ("noise.gltf", "")] {
        let about = |n: &&String| n.contains(file);
        let note = told.iter().find(about).unwrap_or_else(|| panic!("{file}: {told:?}"));
        assert!(note.contains("left out: ") && note.contains(why) && note.matches(file).count() == 1, "{note}");
    }
    // With `strict` or a file given by name, an unreadable file is an error.
    for (inputs, strict) in [(["."], true), (["torn.bvh"], false)] {
        let source = SourceConfig { strict, ..SourceConfig::default() };
        assert!(import(dir.path(), &inputs, &source).is_err(), "{inputs:?}");
    }
    let alone = tempfile::tempdir().unwrap();
    fs::write(alone.path().join("torn.bvh"), torn).unwrap();
    assert!(import(alone.path(), &["."], &SourceConfig::default()).unwrap_err().contains("truncated"));
}

#[test]
fn skeletons_that_do_not_fit_are_left_for_the_build_to_name() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.gltf"), walker().text()).unwrap();
    let mut torn = walker();
    torn.root["nodes"][2]["name"] = json!("Belly");
    fs::write(dir.path().join("b.gltf"), torn.text()).unwrap();
    let all = import(dir.path(), &["."], &SourceConfig::default()).unwrap();
    assert_eq!(
        (all.clips[0].skeleton.names()[1].as_str(), all.clips[1].skeleton.names()[1].as_str()),
        ("Spine", "Belly")
    );
}

#[test]
fn joints_with_other_axes_are_told() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.gltf"), walker().text()).unwrap();
    let mut other = walker();
    for n in [2, 3] {
        other.root["nodes"][n]["translation"] = json!([0.5, 0.0, 0.0]);
    }
    fs::write(dir.path().join("b.gltf"), other.text()).unwrap();
    let all = import(dir.path(), &["."], &SourceConfig::default()).unwrap();
    assert!(all.notes.iter().any(|n| n.text.contains("have other axes")), "{:?}", all.notes);
}

#[test]
fn sidecars_patterns_and_ranges_know_clips_of_files_with_several() {
    let dir = folder();
    fs::write(dir.path().join("b.walk.tags.toml"), "tags = [{ name = \"calm\" }]").unwrap();
    let source: SourceConfig = toml::from_str(
        "pattern = \"{file}.{take}\"\nranges = [{ clip = \"b.walk\", name = \"half\", start_s = 0.5, loop = true }]",
    )
    .unwrap();
    let all = import(dir.path(), &["b.fbx", "a.bvh"], &source).unwrap();
    assert_eq!(names(&all), ["a", "b.nod", "half"]);
    let half = &all.clips[2];
    let tags: Vec<&str> = half.annotations.tags.iter().map(|t| t.name.as_str()).collect();
    assert_eq!((tags, half.looping), (vec!["file=b", "take=walk", "calm"], true));
    assert!((half.seconds() - 0.5).abs() < 1e-5);
    assert!(all.notes.iter().any(|n| n.text.contains("`a` does not fit `{file}.{take}`")), "{:?}", all.notes);
    let bad = SourceConfig { pattern: Some("{".into()), ..SourceConfig::default() };
    assert!(import(dir.path(), &["a.bvh"], &bad).unwrap_err().contains("source.pattern"));
}

#[test]
fn sub_folders_are_searched_by_two_stars_and_tell_their_clips_apart() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["walk [old]", "run/deep"] {
        fs::create_dir_all(dir.path().join(folder)).unwrap();
        fs::write(dir.path().join(folder).join("01.gltf"), walker().text()).unwrap();
    }
    fs::write(dir.path().join("top.gltf"), walker().text()).unwrap();
    let all = import(dir.path(), &["**/*.gltf"], &SourceConfig::default()).unwrap();
    assert_eq!(names(&all), ["deep.01", "top", "walk [old].01"]);
    // Brackets in a parent folder's name are not a pattern.
    assert_eq!(names(&import(&dir.path().join("walk [old]"), &["*"], &SourceConfig::default()).unwrap()), ["01"]);
    assert!(
        import(dir.path(), &["**/*.fbx"], &SourceConfig::default()).unwrap_err().contains("matches no motion file")
    );
}

#[test]
fn one_clip_is_read_from_a_file_that_has_one() {
    let dir = folder();
    assert_eq!(read_clip(&dir.path().join("c.gltf"), Units::Auto).unwrap().name, "c");
    let several = read_clip(&dir.path().join("b.fbx"), Units::Auto).unwrap_err().to_string();
    assert!(several.contains("holds 2 clips (b.walk, b.nod): expected one"), "{several}");
}

#[test]
fn a_hundredfold_person_is_told_and_not_shrunk() {
    let dir = tempfile::tempdir().unwrap();
    let mut giant: Gltf = walker();
    for n in 1..4 {
        giant.root["nodes"][n]["translation"] = json!([0.0, 95.0, 0.0]);
    }
    fs::write(dir.path().join("giant.gltf"), giant.text()).unwrap();
    let all = import(dir.path(), &["."], &SourceConfig::default()).unwrap();
    let told = all.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(told.contains("190.000 m long, as glTF is in metres; in centimetres it would be 1.9 m"), "{told}");
    assert!((all.clips[0].skeleton.rest()[1].translation.y - 95.0).abs() < 1e-4);
}

#[test]
fn positions_beyond_the_bound_are_rejected_in_every_format() {
    let bvh = "HIERARCHY\nROOT Hips {\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site {\nOFFSET 0 95 0\n}\n}\n\
               MOTION\nFrames: 2\nFrame Time: 0.1\n0 95 0\n0 FAR 0\n";
    let bvh = |far: &str| {
        let file = footwork_import::bvh::parse(bvh.replace("FAR", far).as_bytes(), "a.bvh").unwrap();
        file.to_clip("a", "a.bvh", Units::Metres).map_err(|e| e.to_string())
    };
    let gltf = |far: f32| {
        let mut file = person();
        file.animation("walk", &[(1, "translation", "STEP", &[0.0, 0.5], &[0.0, 1.0, 0.0, 0.0, far, 0.0])]);
        gltf::parse(&file.text(), "a", "a.gltf", None, Units::Auto).map_err(|e| e.to_string())
    };
    let fbx = |far: f32| {
        let mut file = fbx_person();
        file.stacks = vec![("a", vec![(0, "Lcl Translation", 1, vec![(0, 0.0), (15, far)])])];
        fbx::parse(&file.binary(), "a", "a.fbx", Units::Auto).map_err(|e| e.to_string())
    };
    let rejections = [bvh("1e28").unwrap_err(), gltf(1e28).unwrap_err(), fbx(1e30).unwrap_err()];
    for why in rejections {
        let named = why.contains("clip `a`, frame ") && why.contains("joint `Hips`: position: expected less than");
        assert!(named, "{why}");
    }
    // The largest position within the limit, and the smallest beyond it.
    assert!(bvh("1073741760").is_ok() && gltf(1_073_741_760.0).is_ok());
    assert!(bvh("1073741824").is_err() && gltf(1_073_741_824.0).is_err());
    let mut file = walker();
    file.root["nodes"][3]["translation"] = json!([0.0, 1e28, 0.0]);
    let why = gltf::parse(&file.text(), "a", "a.gltf", None, Units::Auto).unwrap_err().to_string();
    assert!(why.contains("joint `Head`, rest pose: position: expected less than"), "{why}");
}

#[test]
fn long_names_are_cut_in_every_error() {
    const MOST: usize = 1200;
    let long = "x".repeat(100_000);
    let bvh = |joints: &str, rows: &str| {
        let text = format!(
            "HIERARCHY\nROOT {long}{{\nOFFSET 0 1 0\nCHANNELS 1 Xposition\n{joints}\n}}\nMOTION\nFrames: 1\nFrame Time: 0.1\n{rows}\n"
        );
        let file = footwork_import::bvh::parse(text.as_bytes(), "a.bvh").map_err(|e| e.to_string())?;
        file.to_clip("a", "a.bvh", Units::Metres).map_err(|e| e.to_string())
    };
    let gltf = |change: &dyn Fn(&mut Gltf)| {
        let mut file = walker();
        for node in 1..4 {
            file.root["nodes"][node]["name"] = json!(format!("{long}{node}"));
        }
        change(&mut file);
        gltf::parse(&file.text(), "a", "a.gltf", None, Units::Auto).map_err(|e| e.to_string())
    };
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("a.bvh"),
        "HIERARCHY\nROOT A{OFFSET 0 1 0\nCHANNELS 1 Xposition\n}MOTION\nFrames: 1\nFrame Time: 0.1\n1\n",
    )
    .unwrap();
    let source = SourceConfig { units: UnitSetting::Name("metres".to_owned()), ..SourceConfig::default() };
    let sidecar = |text: &str| {
        std::fs::write(dir.path().join("a.tags.toml"), text).unwrap();
        import(dir.path(), &["a.bvh"], &source)
    };
    let errors = [
        bvh("", "nan").unwrap_err(),
        bvh("", "1e30").unwrap_err(),
        bvh("JOINT L\n{\n}", "1").unwrap_err(),
        bvh("CHANNELS 1 Xposition", "1").unwrap_err(),
        bvh(&format!("JOINT {long}\n{{\n}}"), "1").unwrap_err(),
        bvh("JOINT {", "1").unwrap_err(),
        bvh("CHANNELS 9 Xposition\n", "1").unwrap_err(),
        gltf(&|f| f.root["nodes"][1]["scale"] = json!([1.0, 2.0, 3.0])).unwrap_err(),
        gltf(&|f| f.root["nodes"][2]["rotation"] = json!([0.0, 0.0, 0.0, 0.0])).unwrap_err(),
        gltf(&|f| f.root["nodes"][3]["children"] = json!([1])).unwrap_err(),
        gltf(&|f| f.root["nodes"][3]["translation"] = json!([0.0, 1e28, 0.0])).unwrap_err(),
        gltf(&|f| f.root["buffers"][0] = json!({"uri": long, "byteLength": 24})).err().unwrap_or_default(),
        gltf(&|f| f.root["asset"]["version"] = json!(long)).unwrap_err(),
        gltf(&|f| f.root["accessors"][0]["type"] = json!(long)).unwrap_err(),
        sidecar(&format!("{long} = 1")).unwrap_err(),
        sidecar(&format!("curves = \"{long}\"")).unwrap_err(),
        sidecar(&format!("contacts = {{ {long} = [] }}")).unwrap_err(),
        sidecar(&format!("[[tags]]\nname = \"{long}\"\nstart_s = 3.0\nend_s = 4.0")).unwrap_err(),
    ];
    for why in errors {
        assert!(why.len() < MOST, "{} bytes: {}..", why.len(), why.chars().take(300).collect::<String>());
    }
}
