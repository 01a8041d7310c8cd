//! `footwork film`: pictures have the expected content, and are identical in each run.

use crate::common;

use std::path::Path;

fn png_size(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{}", path.display());
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// Checks that every element is closed and every text is escaped.
fn well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("an open tag: {piece}"));
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        assert!(!text.contains('>'), "{piece}");
        for reference in text.split('&').skip(1) {
            assert!(reference.split_once(';').is_some_and(|(name, _)| name.len() < 6), "{text}");
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

fn film(folder: &Path, args: &[&str]) -> serde_json::Value {
    common::json(folder, &[&["film"], args].concat())
}

#[test]
fn the_built_in_data_is_filmed_with_nothing_else_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let told = film(dir.path(), &["--from", "0", "--to", "3", "-o", "strip.png"]);
    common::has_keys(&told, &["output", "sources", "from_s", "to_s", "times_s", "views", "cells", "width", "height"]);
    let (width, height) = png_size(&dir.path().join("strip.png"));
    assert_eq!(
        (u64::from(width), u64::from(height)),
        (told["width"].as_f64().unwrap() as u64, told["height"].as_f64().unwrap() as u64)
    );
    assert!(width == 1600 && height > 400, "{told}");
    assert!(std::fs::metadata(dir.path().join("strip.png")).unwrap().len() > 20_000);
}

#[test]
fn contacts_are_drawn_and_told() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let told = film(dir.path(), &["mocap/walk_175.bvh", "--to", "2", "--frames", "4", "-o", "walk.svg"]);
    let contacts = told["sources"][0]["contacts"].as_array().unwrap();
    assert_eq!(contacts.len(), 2, "{told}");
    for c in contacts {
        let seconds = c["seconds"].as_f64().unwrap();
        assert!(seconds > 0.5 && seconds < 1.6, "{told}");
    }
    assert_eq!(told["times_s"].as_array().unwrap().len(), 4);
    let svg = std::fs::read_to_string(dir.path().join("walk.svg")).unwrap();
    well_formed(&svg);
    for word in ["walk_175.bvh", "left foot", "right foot", "speed", "m/s", "from above", "foot on the ground"] {
        assert!(svg.contains(word), "no `{word}`");
    }
    // Both feet, in their colours, on the timeline and under the figures.
    for colour in ["#3f7fc4", "#e0862f"] {
        assert!(svg.matches(colour).count() > 10, "{colour}");
    }
}

#[test]
fn the_same_motion_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a.png", "b.png", "a.svg", "b.svg"] {
        common::ok(dir.path(), &["film", "--clip", "walk_125", "--view", "side,three-quarter,top,front", "-o", name]);
    }
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(read("a.png") == read("b.png") && read("a.svg") == read("b.svg"));
}

#[test]
fn a_recorded_run_is_filmed_with_all_its_transitions() {
    let dir = tempfile::tempdir().unwrap();
    let run = common::json(dir.path(), &["simulate", "--seconds", "12", "--trace", "run.fwtrace"]);
    let told = film(dir.path(), &["--trace", "run.fwtrace", "--to", "99", "-o", "run.png"]);
    assert_eq!(told["sources"][0]["transitions"], run["transitions"], "{told}");
    assert!(run["transitions"].as_u64().unwrap() > 3, "{run}");
    let parts = told["sources"][0]["parts"].as_array().unwrap();
    assert!(parts.len() >= 2 && parts[0]["name"] == "stand", "{told}");
    // The extension is enough to detect a recording, and its strip contains the marks.
    film(dir.path(), &["run.fwtrace", "--from", "2", "--to", "6", "--camera", "fixed", "-o", "run.svg"]);
    let svg = std::fs::read_to_string(dir.path().join("run.svg")).unwrap();
    well_formed(&svg);
    assert!(svg.contains("transition") && svg.contains("commanded path") && svg.contains("#b5179e"));
    let again = tempfile::tempdir().unwrap();
    common::ok(again.path(), &["simulate", "--seconds", "12", "--trace", "run.fwtrace"]);
    let read = |d: &Path| std::fs::read(d.join("run.fwtrace")).unwrap();
    assert!(read(dir.path()) == read(again.path()));
}

/// Returns the ground as seen from the side: the upper edge of each area in its colour.
fn ground_edges(svg: &str) -> Vec<Vec<[f32; 2]>> {
    let areas = svg.lines().filter(|l| l.starts_with("<path d=\"M") && l.contains("Z\" fill=\"#f1f3f5\""));
    areas
        .map(|l| {
            let d = l.split('"').nth(1).unwrap().trim_start_matches('M').trim_end_matches('Z');
            let mut points: Vec<[f32; 2]> = d
                .split('L')
                .map(|p| p.split_once(' ').unwrap())
                .map(|(x, y)| [x.parse().unwrap(), y.parse().unwrap()])
                .collect();
            points.truncate(points.len() - 2);
            points
        })
        .collect()
}

/// Returns the largest difference of height along an edge, pixels.
fn rise(edge: &[[f32; 2]]) -> f32 {
    let y = || edge.iter().map(|p| p[1]);
    y().fold(f32::MIN, f32::max) - y().fold(f32::MAX, f32::min)
}

#[test]
fn slopes_and_steps_are_drawn_under_the_feet() {
    let dir = tempfile::tempdir().unwrap();
    let edges = |clip: &str, from: &str, to: &str| {
        film(dir.path(), &["--clip", clip, "--from", from, "--to", to, "--frames", "5", "-o", "clip.svg"]);
        let svg = std::fs::read_to_string(dir.path().join("clip.svg")).unwrap();
        well_formed(&svg);
        ground_edges(&svg)
    };
    // Level ground is a rectangle (lanes of the timeline have its colour, too).
    assert!(edges("walk_125", "0", "3").iter().all(|e| rise(e) < 0.1));
    let slope = edges("slope_up_10", "2.5", "4.5");
    let slopes = slope.iter().filter(|e| rise(e) > 5.0).count();
    assert_eq!(slopes, 5, "a slope in every cell: {slope:?}");
    for edge in slope.iter().filter(|e| rise(e) > 5.0) {
        let (a, b) = (edge[0], edge[edge.len() - 1]);
        let grade = (a[1] - b[1]) / (b[0] - a[0]);
        assert!((grade - footwork::advanced::math::tan(10f32.to_radians())).abs() < 0.06, "{grade}: {edge:?}");
    }
    let stairs = edges("stairs_up", "4", "7");
    // A riser is nearly vertical, and higher than noise.
    let risers = |e: &[[f32; 2]]| e.windows(2).filter(|w| w[0][1] - w[1][1] > 15.0 && w[1][0] - w[0][0] < 3.0).count();
    assert!(stairs.iter().filter(|e| risers(e) >= 1).count() >= 4, "{stairs:?}");
}

#[test]
fn a_recorded_run_shows_the_ground_that_it_was_made_on() {
    let dir = tempfile::tempdir().unwrap();
    let grounds = ["level", "stairs", "rubble"].map(|ground| {
        let trace = format!("{ground}.fwtrace");
        common::ok(dir.path(), &["simulate", "--seconds", "8", "--ground", ground, "--trace", &trace]);
        let args = [&trace, "--from", "6", "--to", "8", "--view", "side,front,top,three-quarter", "-o", "run.svg"];
        film(dir.path(), &args);
        let svg = std::fs::read_to_string(dir.path().join("run.svg")).unwrap();
        well_formed(&svg);
        ground_edges(&svg).iter().map(|e| rise(e)).fold(0.0, f32::max)
    });
    let [level, stairs, rubble] = grounds;
    assert!(level < 0.1 && stairs > 20.0 && rubble > 3.0, "{grounds:?}");
}

#[test]
fn two_sources_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "mocap.fwdb");
    let told =
        film(dir.path(), &["--compare", "mocap/walk_175.bvh", "mocap.fwdb#walk_175", "--to", "1.5", "-o", "both.svg"]);
    let sources = told["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 2);
    assert_eq!(sources[0]["contacts"], sources[1]["contacts"], "the same rule finds the same contacts");
    let svg = std::fs::read_to_string(dir.path().join("both.svg")).unwrap();
    well_formed(&svg);
    assert!(svg.contains("A  walk_175.bvh") && svg.contains("B  mocap.fwdb: walk_175"));
}

#[test]
fn a_contact_sheet_has_a_row_for_every_clip_and_pages() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let told = film(dir.path(), &["mocap", "--sheet", "-o", "all.png"]);
    assert_eq!((told["sources"].as_array().unwrap().len(), &told["pages"]), (10, &1.into()));
    let curves = film(dir.path(), &["mocap", "--sheet", "--clip", "curve*left", "--frames", "5", "-o", "curves.png"]);
    assert_eq!((curves["sources"].as_array().unwrap().len(), &curves["cells"]), (2, &10.into()));
    let built_in = film(dir.path(), &["--sheet", "--page", "2", "-o", "two.png"]);
    assert!(built_in["pages"].as_u64().unwrap() > 2);
    common::fails(dir.path(), &["film", "mocap", "--sheet", "--page", "3", "-o", "x.png"], &["--page 3", "1 page"]);
    common::fails(dir.path(), &["film", "mocap", "--sheet", "--clip", "curv_", "-o", "x.png"], &["curv_", "nearest"]);
}

#[test]
fn seconds_run_over_all_clips_and_borders_are_told() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let all = film(dir.path(), &["mocap", "--from", "0", "--to", "20", "-o", "all.svg"]);
    let parts = all["sources"][0]["parts"].as_array().unwrap();
    assert!(parts.len() > 2, "{all}");
    assert!(std::fs::read_to_string(dir.path().join("all.svg")).unwrap().contains("next clip or part"));
}

#[test]
fn a_mistake_is_one_clear_message_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    std::fs::write(dir.path().join("cut.fwtrace"), b"\x10\0\0\0\0\0\0\0{}").unwrap();
    std::fs::write(dir.path().join("motion.txt"), "x").unwrap();
    let cases: [(&[&str], &[&str]); 19] = [
        (&["--clip", "walk_15", "-o", "x.png"], &["walk_15", "the nearest is `walk_1"]),
        (&["--from", "3", "--to", "3", "-o", "x.png"], &["--from 3 --to 3", "later"]),
        (&["mocap/idle.bvh", "--from", "900", "-o", "x.png"], &["900", "ends at"]),
        (&["-o", "x.jpg"], &["x.jpg", ".png, .svg, .gif or .webp"]),
        (&["motion.txt", "-o", "x.png"], &["motion.txt", ".bvh", ".fwdb"]),
        (&["nothing.bvh", "-o", "x.png"], &["cannot read nothing.bvh"]),
        (&["--trace", "cut.fwtrace", "-o", "x.png"], &["cut.fwtrace", "truncated", "record it again"]),
        (&["mocap", "--every", "0.001", "-o", "x.png"], &["poses", "--every"]),
        (&["mocap", "--frames", "0", "-o", "x.png"], &["--frames 0"]),
        (&["--width", "7", "-o", "x.png"], &["--width 7", "pixels"]),
        (&["mocap/idle.bvh", "--trace", "cut.fwtrace", "-o", "x.png"], &["expected one source"]),
        (&["mocap", "-o", "no/such/folder/x.png"], &["no/such/folder/x.png"]),
        (&["--to", "200", "-o", "x.gif"], &["5001 pictures", "at most 3000", "--every"]),
        (&["--view", "side,top", "-o", "x.gif"], &["--view", "one view"]),
        (&["--frames", "5", "-o", "x.webp"], &["--frames", "--every"]),
        (&["--sheet", "-o", "x.webp"], &["--sheet"]),
        (&["--every", "0.001", "-o", "x.gif"], &["--every 0.001", "0.02"]),
        (&["--width", "4000", "-o", "x.gif"], &["--width 4000", "160 to 1920"]),
        (&["--compare", "mocap/idle.bvh", "built-in", "-o", "x.gif"], &["--compare", "animated"]),
    ];
    for (args, parts) in cases {
        common::fails(dir.path(), &[&["film"], args].concat(), parts);
    }
    assert!(["x.png", "x.gif", "x.webp"].iter().all(|name| !dir.path().join(name).exists()));
}

#[test]
fn a_database_is_no_trace_and_a_trace_no_database() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "a.fwdb");
    std::fs::copy(dir.path().join("a.fwdb"), dir.path().join("a.fwtrace")).unwrap();
    common::fails(dir.path(), &["film", "a.fwtrace", "-o", "x.png"], &["a.fwtrace", "expected a trace"]);
}

#[test]
fn odd_spans_sizes_and_cameras_give_pictures() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    for (i, args) in [
        &["mocap/idle.bvh", "--frames", "1"][..],
        &["mocap/idle.bvh", "--camera", "fixed", "--view", "top,front"],
        &["mocap/run_400.bvh", "--width", "480", "--view", "three-quarter"],
        &["mocap/run_400.bvh", "--from", "0.5", "--to", "0.51"],
        &["mocap/plant_walk_180_left.bvh", "--camera", "fixed", "--view", "three-quarter"],
        &["mocap", "--camera", "fixed", "--to", "12"],
        &["built-in#walk_175_loop", "--to", "9"],
        &["--clip", "0"],
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("{i}.png");
        let told = film(dir.path(), &[args, &["-o", &name]].concat());
        assert!(told["cells"].as_u64().unwrap() > 0, "{args:?}");
        let (w, h) = png_size(&dir.path().join(&name));
        assert!(w >= 480 && h >= 200, "{args:?}: {w} x {h}");
    }
}

#[test]
fn a_dog_is_filmed_by_its_configuration() {
    let Some(data) = common::data("a_dog_is_filmed", "dog") else { return };
    let dir = tempfile::tempdir().unwrap();
    let take = data.join("D1_009_KAN01_001.bvh");
    let config = common::repository().join("examples/dog.toml");
    let (take, config) = (take.to_str().unwrap(), config.to_str().unwrap());
    let told = film(dir.path(), &[take, "--config", config, "--from", "2", "-o", "dog.png"]);
    assert_eq!(told["sources"][0]["contacts"].as_array().unwrap().len(), 4);
}

/// Returns the pictures of an animated file as red, green, blue, with the milliseconds of each.
fn played(path: &Path) -> Vec<(Vec<[u8; 3]>, u32)> {
    let bytes = std::fs::read(path).unwrap();
    let mut pictures = Vec::new();
    if path.extension().unwrap() == "webp" {
        let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(&bytes)).unwrap();
        assert_eq!(decoder.loop_count(), image_webp::LoopCount::Forever);
        for _ in 0..decoder.num_frames() {
            let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
            let ms = decoder.read_frame(&mut pixels).unwrap();
            let width = if decoder.has_alpha() { 4 } else { 3 };
            pictures.push((pixels.chunks_exact(width).map(|p| [p[0], p[1], p[2]]).collect(), ms));
        }
        return pictures;
    }
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes.as_slice()).unwrap();
    let width = usize::from(decoder.width());
    let mut page = vec![[0u8; 3]; width * usize::from(decoder.height())];
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (k, p) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
            page[(y + usize::from(frame.top)) * width + x + usize::from(frame.left)] = [p[0], p[1], p[2]];
        }
        pictures.push((page.clone(), u32::from(frame.delay) * 10));
    }
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    pictures
}

#[test]
fn animated_pictures_have_every_frame_for_its_time_and_move() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let mut all = Vec::new();
    for name in ["run.gif", "run.webp"] {
        let args = ["mocap/run_400.bvh", "--from", "0.2", "--to", "1.2", "--view", "three-quarter", "-o", name];
        let told = film(dir.path(), &args);
        common::has_keys(
            &told,
            &["output", "sources", "times_s", "every_s", "views", "cells", "width", "height", "bytes"],
        );
        assert_eq!((&told["cells"], &told["width"]), (&26.into(), &480.into()));
        let path = dir.path().join(name);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), told["bytes"].as_u64().unwrap());
        assert!(told["bytes"].as_u64().unwrap() < 4_000_000, "{told}");
        let pictures = played(&path);
        assert_eq!(pictures.len(), 26);
        let size = 480 * told["height"].as_f64().unwrap() as usize;
        assert!(pictures.iter().all(|(p, ms)| p.len() == size && *ms == 40), "{:?}", pictures[0].1);
        for pair in pictures.windows(2) {
            let changed = pair[0].0.iter().zip(&pair[1].0).filter(|(a, b)| a != b).count();
            assert!(changed > size / 100, "{changed} of {size} pixels move");
        }
        all.push(pictures);
        // The result is identical in a second run.
        let bytes = std::fs::read(&path).unwrap();
        film(dir.path(), &args);
        assert!(std::fs::read(&path).unwrap() == bytes);
    }
    // WebP keeps every pixel; GIF is an approximation.
    for ((gif, _), (webp, _)) in all[0].iter().zip(&all[1]) {
        let off = |(a, b): (&[u8; 3], &[u8; 3])| (0..3).map(|k| u64::from(a[k].abs_diff(b[k]))).sum::<u64>();
        let mean = gif.iter().zip(webp).map(off).sum::<u64>() as f64 / gif.len() as f64;
        assert!(mean < 4.0, "{mean}");
        assert!(webp.contains(&[255, 255, 255]) && gif.iter().filter(|p| p[0] > 250).count() > gif.len() / 4);
    }
}

#[test]
fn a_standing_camera_a_still_figure_and_a_run_play_too() {
    let dir = tempfile::tempdir().unwrap();
    common::ok(dir.path(), &["simulate", "--seconds", "6", "--trace", "run.fwtrace"]);
    for (name, args) in [
        ("a.gif", &["run.fwtrace", "--from", "3", "--to", "5", "--camera", "fixed", "--every", "0.2"][..]),
        ("b.webp", &["run.fwtrace", "--from", "3", "--to", "4", "--view", "top", "--every", "0.25", "--width", "160"]),
        ("c.gif", &["--clip", "idle", "--from", "1", "--to", "1.01"]),
        ("d.webp", &["--clip", "stairs_up", "--to", "1", "--every", "0.5", "--title", "up"]),
    ] {
        let told = film(dir.path(), &[args, &["-o", name]].concat());
        assert_eq!(played(&dir.path().join(name)).len() as u64, told["cells"].as_u64().unwrap(), "{name}");
    }
}
