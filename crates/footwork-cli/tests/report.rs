//! `footwork report`: a page that holds what the database holds, needs no network, and plays.

mod common;

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// `mocap.fwdb`, a run of it as `run.fwtrace`, and the page of both with what `--json` told.
fn page(folder: &Path, more: &[&str]) -> (String, Value) {
    if !folder.join("mocap.fwdb").exists() {
        common::mocap(folder);
        common::ok(folder, &["build", "mocap", "-o", "mocap.fwdb"]);
        let run = ["simulate", "--db", "mocap.fwdb", "--seconds", "12", "--trace", "run.fwtrace"];
        common::ok(folder, &run);
    }
    let args = ["report", "--db", "mocap.fwdb", "--trace", "run.fwtrace", "-o", "report.html"];
    let told = common::json(folder, &[&args, more].concat());
    (std::fs::read_to_string(folder.join("report.html")).unwrap(), told)
}

/// The markup of a section.
fn section<'a>(html: &'a str, id: &str) -> &'a str {
    let start = html.find(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("no section {id}"));
    &html[start..start + html[start..].find("</section>").unwrap()]
}

/// Rows of the body of the first table of a class.
fn rows(html: &str, class: &str) -> usize {
    let table = html.split(&format!("<table class=\"{class}")).nth(1).unwrap_or_else(|| panic!("no table {class}"));
    let body = table.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    body.matches("<tr>").count()
}

/// What the figure plays.
fn motion(html: &str) -> Value {
    let json = html.split("id=\"motion\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(json).unwrap()
}

fn items(told: &Value, id: &str) -> u64 {
    let sections = told["sections"].as_array().unwrap();
    sections.iter().find(|s| s["id"] == id).unwrap()["items"].as_u64().unwrap()
}

#[test]
fn every_section_holds_what_the_database_and_the_run_hold() {
    let dir = tempfile::tempdir().unwrap();
    let (html, told) = page(dir.path(), &[]);
    common::has_keys(&told, &["output", "bytes", "database", "run", "sections"]);
    let db = common::json(dir.path(), &["inspect", "--db", "mocap.fwdb"]);
    let clips = db["clip_list"].as_array().unwrap();
    let (columns, rows_of_db) = (db["columns"].as_u64().unwrap() as usize, db["rows"].as_u64().unwrap());
    assert_eq!(told["bytes"].as_u64().unwrap() as usize, html.len());

    assert_eq!(rows(section(&html, "database"), "channels"), db["channels"].as_array().unwrap().len());
    for fact in [db["rows"].to_string(), columns.to_string(), db["content_hash"].as_str().unwrap().to_owned()] {
        assert!(section(&html, "database").contains(&fact), "{fact}");
    }
    assert_eq!(rows(section(&html, "clips"), "clips"), clips.len());
    for clip in clips {
        assert!(section(&html, "clips").contains(&format!("<td>{}</td>", clip["name"].as_str().unwrap())), "{clip}");
    }
    assert_eq!(section(&html, "features").matches("class=\"histogram\"").count(), columns);
    assert_eq!(section(&html, "coverage").matches("class=\"heat\"").count(), 4);
    let scatter = section(&html, "scatter");
    assert_eq!(items(&told, "scatter"), rows_of_db.min(1500));
    // A mark for each row, one for each group of the legend, and the closed shapes of nothing else.
    let marks = scatter.matches("Z\"").count() as u64;
    assert!((items(&told, "scatter")..items(&told, "scatter") + 9).contains(&marks), "{marks}");
    assert_eq!(rows(section(&html, "search"), "search"), 5);
    assert_eq!(section(&html, "search").matches("<td>yes</td>").count(), 5, "an exact structure found another row");
    let quality = section(&html, "quality");
    assert_eq!(rows(quality, "quality") as u64, items(&told, "quality"));
    let verdicts = quality.matches(">within<").count() + quality.matches("class=\"past\"").count();
    assert_eq!(verdicts, rows(quality, "quality"));
    assert!(rows(quality, "metrics") > rows(quality, "quality"));

    let run = section(&html, "run");
    assert!(run.contains("class=\"top\"") && run.contains("run.fwtrace") && rows(run, "played") > 1);
    assert_eq!(told["run"]["transitions"], items(&told, "run"));
    let data = motion(&html);
    assert_eq!((&data["frames"], &data["rate"]), (&360.into(), &30.0.into()));
    // One frame may stand for two updates, each with a transition.
    let shown = data["transitions"].as_array().unwrap().len() as u64;
    assert_eq!(shown, items(&told, "run"));
    assert_eq!(data["soles"].as_array().unwrap().len(), db["contact_joints"].as_array().unwrap().len());
    let bytes = |key: &str| data[key].as_str().unwrap().trim_end_matches('=').len() * 3 / 4;
    let joints = data["joints"].as_u64().unwrap() as usize;
    assert_eq!([bytes("places"), bytes("turns"), bytes("roots")], [360 * joints * 6, 360 * joints * 4, 360 * 16]);
    assert_eq!([bytes("wanted"), bytes("contacts")], [360 * 8, 360 * 2]);
    assert!(section(&html, "figure").contains("class=\"strip\""), "a still picture for paper");
}

#[test]
fn nothing_is_loaded_and_both_schemes_and_paper_have_a_style() {
    let dir = tempfile::tempdir().unwrap();
    let (html, _) = page(dir.path(), &[]);
    assert!(html.len() > 100_000);
    for foreign in ["src=", "href=\"http", "@import", "fetch(", "XMLHttpRequest", "url(", "<link", "<iframe", "import("]
    {
        assert!(!html.contains(foreign), "{foreign}");
    }
    // The only addresses are names of SVG's namespace.
    assert_eq!(html.matches("://").count(), html.matches("http://www.w3.org/2000/svg").count());
    for needed in
        ["default-src 'none'", "prefers-color-scheme:dark", "@media print", "prefers-reduced-motion", "lang=\"en\""]
    {
        assert!(html.contains(needed), "{needed}");
    }
    for link in html.split("href=\"#").skip(1).map(|l| l.split('"').next().unwrap()) {
        assert!(html.contains(&format!("id=\"{link}\"")), "{link}");
    }
}

#[test]
fn the_same_database_and_run_give_the_same_page_but_for_the_times() {
    let dir = tempfile::tempdir().unwrap();
    let (first, _) = page(dir.path(), &[]);
    let (again, _) = page(dir.path(), &[]);
    let timeless = |html: &str| html.replace(section(html, "search"), "");
    assert!(timeless(&first) == timeless(&again));
    let (quick, told) = page(dir.path(), &["--quick"]);
    assert!(quick == page(dir.path(), &["--quick"]).0);
    let ids: Vec<&str> = told["sections"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["database", "figure", "run", "coverage", "clips", "features", "scatter"]);
}

#[test]
fn a_name_cannot_leave_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let evil = "</script><img src=x onerror=alert(1)>";
    let mut clip = common::clips().into_iter().find(|c| c.name == "walk_175").unwrap();
    clip.name = evil.to_owned();
    let (db, _) =
        footwork::build::build(&[clip], &Default::default(), &footwork::build::BuildOptions::default()).unwrap();
    db.save(&dir.path().join("evil.fwdb")).unwrap();
    common::ok(dir.path(), &["report", "--db", "evil.fwdb", "--quick", "--title", evil, "-o", "evil.html"]);
    let html = std::fs::read_to_string(dir.path().join("evil.html")).unwrap();
    assert!(!html.contains("<img") && html.matches("</script>").count() == 2);
    assert!(section(&html, "clips").contains("&lt;/script&gt;&lt;img"));
    assert!(motion(&html)["names"].as_array().unwrap().iter().any(|n| n.as_str().unwrap().starts_with(evil)));
}

#[test]
fn a_mistake_is_one_clear_message_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    page(dir.path(), &["--quick"]);
    std::fs::remove_file(dir.path().join("report.html")).unwrap();
    std::fs::write(dir.path().join("cut.fwtrace"), b"\x10\0\0\0\0\0\0\0{}").unwrap();
    for (args, parts) in [
        (
            &["--trace", "run.fwtrace", "-o", "x.html"][..],
            &["run.fwtrace", "expected a run of the database", "--db"][..],
        ),
        (&["--db", "mocap.fwdb", "--trace", "cut.fwtrace", "-o", "x.html"], &["cut.fwtrace", "truncated"]),
        (&["--db", "mocap.fwdb", "-o", "x.pdf"], &["--output x.pdf", "ends in .html"]),
        (&["--db", "none.fwdb", "-o", "x.html"], &["none.fwdb"]),
        (&["--db", "mocap.fwdb", "--quick", "-o", "no/such/folder/x.html"], &["no/such/folder/x.html"]),
    ] {
        common::fails(dir.path(), &[&["report"], args].concat(), parts);
    }
    assert!(!dir.path().join("x.html").exists());
}

#[test]
fn a_long_run_is_cut_and_the_page_says_so() {
    let dir = tempfile::tempdir().unwrap();
    page(dir.path(), &["--quick"]);
    common::ok(
        dir.path(),
        &["simulate", "--db", "mocap.fwdb", "--seconds", "1800", "--dt", "0.03", "--trace", "run.fwtrace"],
    );
    let (html, told) = page(dir.path(), &["--quick"]);
    assert!(html.len() < 15_000_000, "{} bytes", html.len());
    let shown = told["run"]["shown_s"].as_f64().unwrap();
    assert!(shown > 300.0 && shown <= 1200.0, "{told}");
    assert!(section(&html, "figure").contains(&format!("plays the first {shown:.0} of 1800 s")));
}

#[test]
fn a_dog_has_a_page_too() {
    let Some(data) = common::data("a_dog_has_a_page_too", "dog") else { return };
    let dir = tempfile::tempdir().unwrap();
    let config = common::repository().join("examples/dog.toml");
    let (data, config) = (data.to_str().unwrap(), config.to_str().unwrap());
    common::ok(dir.path(), &["build", data, "--config", config, "-o", "dog.fwdb"]);
    let told =
        common::json(dir.path(), &["report", "--db", "dog.fwdb", "--config", config, "--quick", "-o", "dog.html"]);
    let html = std::fs::read_to_string(dir.path().join("dog.html")).unwrap();
    assert_eq!(motion(&html)["soles"].as_array().unwrap().len(), 4);
    assert_eq!(
        section(&html, "features").matches("class=\"histogram\"").count() as u64,
        told["database"]["columns"].as_u64().unwrap()
    );
}

/// Chromium without a window, where there is one; `arguments` come before the page.
fn browser(test: &str, arguments: &[&str], file: &Path) -> Option<(String, String)> {
    let name = std::env::var_os("FOOTWORK_BROWSER").unwrap_or_else(|| "chromium".into());
    let profile = tempfile::tempdir().unwrap();
    let mut command = Command::new(name);
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]);
    command.args(["--window-size=1280,720", "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND"]);
    command.arg(format!("--user-data-dir={}", profile.path().display())).args(arguments);
    match command.arg(format!("file://{}", file.display())).output() {
        Ok(out) if out.status.success() => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Some((text(&out.stdout), text(&out.stderr)))
        }
        Ok(out) => panic!("{test}: {}", String::from_utf8_lossy(&out.stderr)),
        Err(error) => {
            common::skipped(test, &format!("no browser (set FOOTWORK_BROWSER): {error}"));
            None
        }
    }
}

/// The value of an attribute of the figure.
fn attribute<'a>(dom: &'a str, name: &str) -> &'a str {
    let canvas = dom.split("id=\"stage\"").nth(1).unwrap().split('>').next().unwrap();
    canvas
        .split(&format!("{name}=\""))
        .nth(1)
        .unwrap_or_else(|| panic!("no {name}: {canvas}"))
        .split('"')
        .next()
        .unwrap()
}

#[test]
fn in_a_browser_the_figure_moves_and_no_error_is_logged() {
    const TEST: &str = "in_a_browser_the_figure_moves_and_no_error_is_logged";
    let dir = tempfile::tempdir().unwrap();
    page(dir.path(), &[]);
    let file = dir.path().join("report.html");
    let mut times = Vec::new();
    for budget in ["--virtual-time-budget=1000", "--virtual-time-budget=4000"] {
        let Some((dom, log)) = browser(TEST, &[budget, "--dump-dom"], &file) else { return };
        assert!(!log.contains("CONSOLE"), "{log}");
        assert!(dom.contains(">Pause</button>"), "it plays by itself");
        assert!(dom.contains("id=\"shown\"") && dom.contains("aria-valuetext"), "the scripts ran to their ends");
        times.push(attribute(&dom, "data-time").parse::<f64>().unwrap());
    }
    assert!(times[1] > times[0] + 0.5, "{times:?}");
    // Who prefers no motion gets none, and a drawn figure.
    let calm = ["--force-prefers-reduced-motion", "--virtual-time-budget=2000", "--dump-dom"];
    let Some((dom, log)) = browser(TEST, &calm, &file) else { return };
    assert!(dom.contains(">Play</button>") && !log.contains("CONSOLE"), "{log}");
    let at: f64 = attribute(&dom, "data-time").parse().unwrap();
    assert!(at < times[0] + 1e-9, "{at} {times:?}");
    // Two pictures of it, light and dark, and both times something is drawn.
    let mut pictures = Vec::new();
    for (name, scheme) in [("light.png", ""), ("dark.png", "--blink-settings=preferredColorScheme=0")] {
        let shot = format!("--screenshot={}", dir.path().join(name).display());
        let arguments: Vec<&str> =
            [shot.as_str(), "--virtual-time-budget=2000", scheme].into_iter().filter(|a| !a.is_empty()).collect();
        if browser(TEST, &arguments, &file).is_none() {
            return;
        }
        let picture = std::fs::read(dir.path().join(name)).unwrap();
        assert!(picture.starts_with(b"\x89PNG") && picture.len() > 40_000, "{name}: {} bytes", picture.len());
        pictures.push(picture);
    }
    assert!(pictures[0] != pictures[1]);
}
