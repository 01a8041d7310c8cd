//! `footwork report`: a page with the contents of the database, without network access, with an animated figure.

use crate::common;

use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::input::{ActionContact, ActionRequest, Goal, MotionInput};
use footwork::matcher::{ActionStep, Character, MotionMatcher};
use footwork::math::{Facing, Transform};
use footwork::recorder::{Recorder, RecorderConfig};
use glam::Vec3;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Writes `mocap.fwdb`, a run with it as `run.fwtrace`, and the page of both; returns the page and the output of `--json`.
fn page(folder: &Path, more: &[&str]) -> (String, Value) {
    if !folder.join("mocap.fwdb").exists() {
        common::mocap_database(folder, "mocap.fwdb");
        let run = ["simulate", "--db", "mocap.fwdb", "--seconds", "12", "--trace", "run.fwtrace"];
        common::ok(folder, &run);
    }
    let args = ["report", "--db", "mocap.fwdb", "--trace", "run.fwtrace", "-o", "report.html"];
    let told = common::json(folder, &[&args, more].concat());
    (std::fs::read_to_string(folder.join("report.html")).unwrap(), told)
}

/// Returns the markup of a section.
fn section<'a>(html: &'a str, id: &str) -> &'a str {
    let start = html.find(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("no section {id}"));
    &html[start..start + html[start..].find("</section>").unwrap()]
}

/// Returns the number of rows of the first table of a class.
fn rows(html: &str, class: &str) -> usize {
    let table = html.split(&format!("<table class=\"{class}")).nth(1).unwrap_or_else(|| panic!("no table {class}"));
    let body = table.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    body.matches("<tr>").count()
}

/// Returns the motion data of the figure.
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
    // One mark per row, one per group of the legend, and no other closed shapes.
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
    assert_eq!(data["frames"], 360);
    assert!((data["rate"].as_f64().unwrap() - 30.0).abs() < 1e-3, "{}", data["rate"]);
    // One frame may represent two updates, each with a transition.
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
    assert_eq!(ids, ["figure", "database", "run", "coverage", "clips", "features", "scatter"]);
}

#[test]
fn a_name_cannot_leave_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let evil = "</script><img src=x onerror=alert(1)>";
    let mut clip = common::clips().into_iter().find(|c| c.name == "walk_175").unwrap();
    clip.name = evil.to_owned();
    let mut config = BuildConfig::default();
    // Only this clip.
    config.multiply.mode = Multiply::Off;
    let (db, _) = build(&[clip], &config, &BuildOptions::default()).unwrap();
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
        (&["--trace", "run.fwtrace", "-o", "x.html"][..], &["run.fwtrace", "the trace is of other data", "--db"][..]),
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

#[cfg(unix)]
#[test]
fn in_a_browser_the_figure_moves_and_nothing_is_logged_or_loaded() {
    const TEST: &str = "in_a_browser_the_figure_moves_and_nothing_is_logged_or_loaded";
    let dir = tempfile::tempdir().unwrap();
    let (html, _) = page(dir.path(), &[]);
    let Some(mut b) = browser::Browser::start(TEST) else { return };
    b.open(&dir.path().join("report.html"));
    let number = |b: &mut browser::Browser, script: &str| b.evaluate(script).as_f64().unwrap();
    let time = "Number(document.getElementById('stage').dataset.time)";
    let pixels = "document.getElementById('stage').toDataURL()";

    // The figure plays automatically, and its picture changes.
    let (before, drawn) = (number(&mut b, time), b.evaluate(pixels));
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let after = number(&mut b, time);
    assert!(after > before + 0.5, "{before} {after}");
    assert_ne!(b.evaluate(pixels), drawn);

    // The slider selects a frame and stops the motion; keys and buttons rotate the view.
    b.evaluate("const s = document.getElementById('scrub'); s.value = 100; s.dispatchEvent(new Event('input'))");
    b.settle();
    assert_eq!(b.evaluate("document.getElementById('play').textContent"), "Play");
    assert_eq!(number(&mut b, "Number(document.getElementById('stage').dataset.frame)"), 100.0);
    let mut seen = vec![b.evaluate(pixels)];
    for action in [
        "document.getElementById('stage').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }))",
        "document.getElementById('stage').dispatchEvent(new KeyboardEvent('keydown', { key: '+' }))",
        "document.querySelector('[data-view=top]').click()",
        "document.querySelector('[data-view=side]').click()",
    ] {
        b.evaluate(action);
        b.settle();
        let picture = b.evaluate(pixels);
        assert!(!seen.contains(&picture), "{action}");
        seen.push(picture);
    }
    assert_eq!(number(&mut b, "Number(document.getElementById('stage').dataset.frame)"), 100.0);
    b.evaluate("document.getElementById('play').click()");
    assert_eq!(b.evaluate("document.getElementById('play').textContent"), "Pause");

    // The rendered page matches the file; the table can be filtered and sorted.
    let clips = rows(section(&html, "clips"), "clips") as f64;
    assert_eq!(number(&mut b, "document.querySelectorAll('table.clips tbody tr').length"), clips);
    b.evaluate(
        "const f = document.getElementById('filter'); f.value = 'curve_175'; f.dispatchEvent(new Event('input'))",
    );
    let shown =
        number(&mut b, "[...document.querySelectorAll('table.clips tbody tr')].filter((r) => !r.hidden).length");
    assert!(shown >= 2.0 && shown < clips, "{shown} of {clips}");
    b.evaluate("document.querySelectorAll('table.clips th button')[3].click()");
    let sorted = "[...document.querySelectorAll('table.clips tbody tr')].map((r) => Number(r.cells[3].textContent))";
    let sorted: Vec<f64> = b.evaluate(sorted).as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(sorted.is_sorted() && sorted.len() as f64 == clips);

    // Text is readable in both colour schemes, and nothing is wider than the window, including on a telephone.
    let contrast = "(() => {
        const light = (css) => {
            const [r, g, b] = css.match(/[0-9.]+/g).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const back = light(getComputedStyle(document.body).backgroundColor);
        const all = [...document.querySelectorAll('h1, .note, td, a, dd, dt, summary, svg text')];
        const ratio = (e) => {
            const style = getComputedStyle(e), own = light(e.closest('svg') ? style.fill : style.color);
            return (Math.max(own, back) + 0.05) / (Math.min(own, back) + 0.05);
        };
        return Math.min(...all.filter((e) => e.getClientRects().length && getComputedStyle(e).stroke === 'none').map(ratio));
    })()";
    let scheme = |b: &mut browser::Browser, value: &str| {
        b.call(
            "Emulation.setEmulatedMedia",
            serde_json::json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] }),
        );
        b.settle();
        let background = b.evaluate("getComputedStyle(document.body).backgroundColor");
        let least = number(b, contrast);
        assert!(least > 3.9, "{value}: a contrast of {least}");
        background
    };
    assert_ne!(scheme(&mut b, "light"), scheme(&mut b, "dark"));
    for width in [1280, 390] {
        let size = serde_json::json!({ "width": width, "height": 720, "deviceScaleFactor": 1, "mobile": width < 600 });
        b.call("Emulation.setDeviceMetricsOverride", size);
        b.settle();
        let beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(number(&mut b, beyond), 0.0, "at {width} pixels");
    }
    let paper = b.call("Page.printToPDF", serde_json::json!({}));
    assert!(paper["data"].as_str().unwrap().len() > 50_000);

    // With reduced motion, the figure does not play, but is drawn.
    b.call(
        "Emulation.setEmulatedMedia",
        serde_json::json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] }),
    );
    b.open(&dir.path().join("report.html"));
    b.settle();
    let (calm, label) = (number(&mut b, time), b.evaluate("document.getElementById('play').textContent"));
    b.settle();
    assert_eq!((number(&mut b, time), label), (calm, "Play".into()));

    assert_eq!(b.complaints(), Vec::<String>::new());
    let loaded = b.loaded();
    assert!(loaded.len() == 2 && loaded.iter().all(|url| url.ends_with("/report.html")), "{loaded:?}");
}

/// A headless browser, driven over the pipe of its DevTools protocol: JSON messages that end with a zero byte.
#[cfg(unix)]
mod browser {
    use super::common;
    use serde_json::{Value, json};
    use std::fs::File;
    use std::io::{BufRead, BufReader, Write};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    pub struct Browser {
        child: Child,
        to: File,
        from: BufReader<File>,
        session: Option<String>,
        next: u64,
        events: Vec<Value>,
        _folder: tempfile::TempDir,
    }

    impl Browser {
        /// Starts it with an empty page; `None` if no browser is installed.
        pub fn start(test: &str) -> Option<Self> {
            let name = std::env::var_os("FOOTWORK_BROWSER").unwrap_or_else(|| "chromium".into());
            if let Err(error) = Command::new(&name).arg("--version").output() {
                common::skipped(test, &format!("no browser (set FOOTWORK_BROWSER): {error}"));
                return None;
            }
            let folder = tempfile::tempdir().unwrap();
            let (to, from) = (folder.path().join("to"), folder.path().join("from"));
            assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
            let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
            // The protocol reads from descriptor 3 and writes to 4.
            let child = Command::new("sh")
                .args(["-c", r#"exec "$@" 3<"$TO" 4>"$FROM""#, "sh"])
                .arg(name)
                .args([
                    "--headless=new",
                    "--remote-debugging-pipe",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                ])
                .args(["--window-size=1280,720", "--host-resolver-rules=MAP * ~NOTFOUND", &profile, "about:blank"])
                .envs([("TO", &to), ("FROM", &from)])
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let to = File::options().write(true).open(to).unwrap();
            let from = BufReader::new(File::open(from).unwrap());
            let mut b = Self { child, to, from, session: None, next: 0, events: Vec::new(), _folder: folder };
            let target = b.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
            let attached = b.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
            b.session = attached["sessionId"].as_str().map(str::to_owned);
            for domain in ["Page", "Runtime", "Log", "Network"] {
                b.call(&format!("{domain}.enable"), json!({}));
            }
            Some(b)
        }

        /// Sends a command and returns its result.
        pub fn call(&mut self, method: &str, params: Value) -> Value {
            self.next += 1;
            let mut message = json!({ "id": self.next, "method": method, "params": params });
            if let Some(session) = &self.session {
                message["sessionId"] = json!(session);
            }
            self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
            loop {
                let mut bytes = Vec::new();
                self.from.read_until(0, &mut bytes).unwrap();
                assert_eq!(bytes.pop(), Some(0), "the browser has ended");
                let answer: Value = serde_json::from_slice(&bytes).unwrap();
                if answer["id"] == self.next {
                    assert!(answer.get("error").is_none(), "{method}: {answer}");
                    return answer["result"].clone();
                }
                self.events.push(answer);
            }
        }

        /// Returns the value of a script.
        pub fn evaluate(&mut self, script: &str) -> Value {
            let script = if script.starts_with("const ") { format!("{{ {script} }}") } else { script.to_owned() };
            let result = self.call("Runtime.evaluate", json!({ "expression": script, "returnByValue": true }));
            assert!(result.get("exceptionDetails").is_none(), "{script}: {result}");
            result["result"]["value"].clone()
        }

        /// Opens a file, and waits until it is loaded.
        pub fn open(&mut self, file: &Path) {
            self.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
            for _ in 0..200 {
                let ready = "document.readyState === 'complete' && !!document.querySelector('[data-time]')";
                if self.evaluate(ready) == true {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            panic!("{} did not open: {:?}", file.display(), self.complaints());
        }

        /// Waits until the next pictures are drawn.
        pub fn settle(&mut self) {
            std::thread::sleep(Duration::from_millis(250));
        }

        /// Returns the reported errors, warnings and exceptions.
        pub fn complaints(&self) -> Vec<String> {
            let told = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
            let events = self.events.iter().filter(|e| told.iter().any(|method| e["method"] == *method));
            events.map(Value::to_string).collect()
        }

        /// Returns the requested addresses.
        pub fn loaded(&self) -> Vec<String> {
            let asked = self.events.iter().filter(|e| e["method"] == "Network.requestWillBeSent");
            asked.map(|e| e["params"]["request"]["url"].as_str().unwrap().to_owned()).collect()
        }
    }

    impl Drop for Browser {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A run with a request that is too high, one that is called off, and a vault.
#[test]
fn requests_for_actions_are_told_with_their_times_and_reasons() {
    let dir = tempfile::tempdir().unwrap();
    let options = footwork_gait::GaitOptions { routes: false, actions: true, ..Default::default() };
    let mut config = BuildConfig::default();
    config.multiply.mode = Multiply::Off;
    let db = build(footwork_gait::clips(&options), &config, &BuildOptions::default()).unwrap().0;
    db.save(&dir.path().join("mocap.fwdb")).unwrap();
    let vault = db.action_kind("vault").unwrap();
    let character = Arc::new(Character::new(Arc::new(db), Default::default()).unwrap());
    let mut recorder = Recorder::new(&character, RecorderConfig::default());
    let mut matcher = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    let wall = |id: u16, height_m: f32, z: f32| {
        let hands = ActionContact { position: Vec3::new(0.0, height_m + 0.03, z), facing: Facing::FORWARD };
        Some(ActionRequest { go: id == 5, ..ActionRequest::new(id, vault, hands) })
    };
    let goal = Goal::Velocity { velocity: Vec3::Z * 1.5, facing: None };
    let mut told: Vec<(u16, f64, ActionStep)> = Vec::new();
    for k in 0..480 {
        let action = match k {
            0..60 => None,
            60..66 => wall(3, 2.5, 5.0),
            66..72 => wall(4, 1.0, 8.5),
            72..90 => None,
            _ => wall(5, 1.0, 6.0),
        };
        recorder.update(&mut matcher, &MotionInput { goal, action, ..MotionInput::default() }, 1.0 / 60.0).unwrap();
        told.extend(matcher.output().actions.iter().map(|e| (e.id, e.time_s, e.step)));
    }
    recorder.trace().save(&dir.path().join("run.fwtrace")).unwrap();
    let time = |id: u16, is: fn(&ActionStep) -> bool| {
        let mut times = told.iter().filter(|t| t.0 == id && is(&t.2)).map(|t| t.1);
        (times.next().unwrap(), times.next())
    };
    let (rejected_s, _) = time(3, |s| matches!(s, ActionStep::Refused(_)));
    let (dropped_s, _) = time(4, |s| matches!(s, ActionStep::CalledOff));
    let (entered_s, _) = time(5, |s| matches!(s, ActionStep::Entered { .. }));
    let (hands_s, landing_s) = time(5, |s| matches!(s, ActionStep::Touched { .. }));
    let (left_s, _) = time(5, |s| matches!(s, ActionStep::Left));

    let data = ["--db", "mocap.fwdb"];
    let json = common::json(dir.path(), &[&["replay", "run.fwtrace"], &data[..]].concat());
    let requests = json["actions"]["requests"].as_array().unwrap();
    assert_eq!(requests.iter().map(|r| r["id"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 4, 5]);
    assert!(requests.iter().all(|r| r["kinds"] == serde_json::json!(["vault"])), "{requests:?}");
    assert!(requests[0]["refused"]["reason"].as_str().unwrap().contains("too high for the best of"));
    assert!(requests[0]["refused"]["nearest"].as_str().unwrap().starts_with("vault"));
    assert_eq!((&requests[0]["accepted_s"], &requests[1]["called_off_s"]), (&Value::Null, &dropped_s.into()));
    assert_eq!(requests[2]["touched_s"], serde_json::json!([hands_s, landing_s.unwrap()]));
    assert_eq!((&requests[2]["entered_s"], &requests[2]["left_s"]), (&entered_s.into(), &left_s.into()));
    let text = common::ok(dir.path(), &[&["replay", "run.fwtrace"], &data[..]].concat());
    assert!(text.contains(&format!("request 3, vault: rejected {rejected_s:.2} s: contact 1 is ")), "{text}");
    assert!(
        text.contains(&format!("touched {hands_s:.2} s")) && text.contains(&format!("left {left_s:.2} s")),
        "{text}"
    );

    let (html, told) = page(dir.path(), &["--quick"]);
    let of_actions = section(&html, "actions");
    assert_eq!((rows(of_actions, "requests"), items(&told, "actions")), (3, 3));
    for words in [format!("{entered_s:.2}"), format!("{left_s:.2}"), "too high".into(), "called off".into()] {
        assert!(of_actions.contains(&words), "{words}: {of_actions}");
    }
    assert!(of_actions.contains("3 requests: 1 entered, 1 rejected, 1 called off"), "{of_actions}");
}

#[test]
fn runs_without_requests_have_no_section_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let (html, _) = page(dir.path(), &["--quick"]);
    assert!(!html.contains("<section id=\"actions\""));
    let json = common::json(dir.path(), &["replay", "run.fwtrace", "--db", "mocap.fwdb"]);
    assert!(json.get("actions").is_none());
}
