//! Section: coverage of the commands of a stick, and moves to capture next.

use super::input::Input;
use super::page::{Section, name, note, picture, table};
use footwork::advanced::trajectory::{DIRECTIONS, SPEEDS_MPS, TURNS_DEG_S};
use footwork_draw::plots::{HeatCell, HeatMap};
use footwork_metrics::analysis::{Coverage, CoverageCell, LEAST_S};

/// Seconds of motion at which a cell has its full colour.
const FULL_S: f32 = 60.0;
const TURNS: [&str; 5] = ["sharp right", "right", "straight", "left", "sharp left"];

pub fn section(input: &Input) -> Section {
    let coverage = Coverage::of(&input.db, &input.config.speeds.over(&input.db.stick));
    let missing = coverage.missing();
    let mut html = note(&format!(
        "Seconds of motion by speed (rows), turn rate (columns) and direction of travel, captured and made. A red border with \
         <em>none</em> or <em>only</em> marks what a stick can ask for and the clips lack: there is less than {LEAST_S} s of it. The database has {:.0}&nbsp;% of what a random stick asks for.",
        100.0 * coverage.covered()
    ));
    html.push_str("<div class=\"plots\">\n");
    for (d, direction) in DIRECTIONS.iter().enumerate() {
        html.push_str(&heat_map(&coverage, d, direction));
    }
    html.push_str("</div>\n<h3>Dance card: what to capture next</h3>\n");
    if missing.is_empty() {
        html.push_str(&note("Nothing: every motion that a stick can ask for is there."));
    } else {
        html.push_str(&note("What is missing, with what a random stick asks for most first."));
        let rows: Vec<Vec<String>> = missing.iter().map(|c| wanted(c)).collect();
        let head = ["Going", "#Speed, m/s", "Turning, degrees/s", "#Asked, s per minute", "#There, s"];
        html.push_str(&table("dance-card", &head, &rows));
    }
    Section { id: "coverage", title: "Coverage", items: coverage.cells.len(), html }
}

fn heat_map(coverage: &Coverage, direction: usize, words: &str) -> String {
    let turns = TURNS_DEG_S.len() - 1;
    let speeds = SPEEDS_MPS.len() - 1;
    let columns: Vec<String> = TURNS.iter().map(|t| (*t).to_owned()).collect();
    // The highest speed at the top.
    let order: Vec<usize> = (0..speeds).rev().collect();
    let rows: Vec<String> = order.iter().map(|s| format!("{}-{} m/s", SPEEDS_MPS[*s], SPEEDS_MPS[s + 1])).collect();
    let places = order.iter().flat_map(|s| (0..turns).map(move |t| (*s, t)));
    let cells: Vec<HeatCell> = places.map(|(s, t)| cell(coverage.cell(s, t, direction))).collect();
    let title = format!("going {words}");
    let map = HeatMap { title: &title, columns: &columns, rows: &rows, cells: &cells };
    picture(&map.draw(560.0), "heat")
}

fn cell(c: &CoverageCell) -> HeatCell {
    let seconds = c.seconds();
    let text = match seconds {
        s if c.is_missing() && s < 0.05 => "none".to_owned(),
        s if c.is_missing() => format!("only {s:.1} s"),
        s if s <= 0.0 => String::new(),
        s if s < 10.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    };
    // The square root makes small amounts visible.
    let share = (seconds / FULL_S).sqrt();
    HeatCell { share, text, alert: c.is_missing() }
}

/// Returns a turn rate in words; the bounds are positive to the left.
fn turning([from, to]: [f32; 2]) -> String {
    match (from < 0.0, to > 0.0) {
        (true, true) => "straight on".to_owned(),
        (true, false) => format!("right, {} to {}", -to, -from),
        _ => format!("left, {from} to {to}"),
    }
}

fn wanted(c: &CoverageCell) -> Vec<String> {
    let card = &c.card;
    vec![
        name(card.travel),
        format!("{} to {}", card.speed_mps[0], card.speed_mps[1]),
        turning(card.turn_deg_s),
        format!("{:.2}", card.asked_s_per_min),
        format!("{:.1}", c.seconds()),
    ]
}
