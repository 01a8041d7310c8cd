//! Section: log of the state machine.

use super::input::Input;
use super::page::{Section, name, note, picture, table};
use crate::film::tracks;
use footwork_draw::tracks as draw_tracks;

/// Maximum number of listed transitions.
const LISTED: usize = 200;
/// Width of the tracks, pixels.
const WIDTH: f32 = 1100.0;

/// Returns `None` for a run without a state machine.
pub fn section(input: &Input) -> Option<Section> {
    let (run, log) = (&input.run, &input.run.machine);
    if log.states.is_empty() {
        return None;
    }
    let stays = log.by_state();
    let mut html = note(&format!(
        "{} states, {} transitions, {} montages. The lanes show the state and the montages of each layer.",
        stays.len(),
        log.transitions.len(),
        log.montages.len()
    ));
    let drawn = draw_tracks("States and montages over time", &tracks(log), [0.0, run.seconds()], WIDTH);
    html.push_str(&picture(&drawn, "tracks"));
    let rows: Vec<Vec<String>> =
        stays.iter().map(|s| vec![name(s.state), format!("{:.1}", s.seconds), s.stays.to_string()]).collect();
    html.push_str(&table("states", &["State", "#Seconds", "#Times entered"], &rows));
    html.push_str("<h3>Transitions</h3>\n");
    if log.transitions.len() > LISTED {
        html.push_str(&note(&format!("The first {LISTED} of {}:", log.transitions.len())));
    }
    let rows: Vec<Vec<String>> = log
        .transitions
        .iter()
        .take(LISTED)
        .map(|t| {
            let when = t.when.as_deref().unwrap_or("at once");
            vec![format!("{:.2}", t.time_s), name(&t.from), name(&t.to), name(when)]
        })
        .collect();
    html.push_str(&table("state-transitions", &["#Time, s", "From", "To", "Condition"], &rows));
    Some(Section { id: "machine", title: "State machine", items: log.transitions.len(), html })
}
