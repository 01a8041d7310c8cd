//! Section: duration of a search on this machine. It is the only section with times: all others are identical in each run.

use super::input::Input;
use super::page::{Section, name, note, picture, table};
use crate::bench;
use anyhow::Result;
use footwork_draw::plots::BarPlot;

/// Number of measured queries of a game.
const QUERIES: usize = 200;

pub fn section(input: &Input) -> Result<Section> {
    let measured = bench::exact_structures(&input.db, QUERIES, input.seed)?;
    let bars: Vec<(String, f32, String)> =
        measured.iter().map(|m| (m.name.clone(), m.median_us as f32, format!("{:.1} us", m.median_us))).collect();
    let mut html = note(&format!(
        "Median time of a search, in microseconds, over {QUERIES} queries of a character under a random stick, on the machine that \
         made this report. All of these structures are exact: each returns the same row as a comparison of every row. A game \
         searches about ten times per second and character."
    ));
    html.push_str(&picture(&BarPlot { title: "median time of a search", bars: &bars }.draw(720.0), "bars"));
    let rows: Vec<Vec<String>> = measured
        .iter()
        .map(|m| {
            vec![
                name(&m.name),
                format!("{:.1}", m.median_us),
                format!("{:.1}", m.p99_us),
                format!("{:.1}", m.build_ms),
                format!("{:.0}", m.bytes as f64 / 1e3),
                if m.equal { "yes".to_owned() } else { "<strong>no: please report this</strong>".to_owned() },
            ]
        })
        .collect();
    let head = ["Structure", "#Median us", "#99 % us", "#Build ms", "#KB", "Same row as every row compared"];
    html.push_str(&table("search", &head, &rows));
    Ok(Section { id: "search", title: "Search", items: measured.len(), html })
}
