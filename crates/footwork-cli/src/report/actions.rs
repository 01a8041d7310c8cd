//! Section: requests for actions, and what became of them.

use super::input::Input;
use super::page::{Section, name, note, table};
use footwork_metrics::action_log::Requested;

/// Maximum number of listed requests.
const LISTED: usize = 500;

/// Returns `None` for a run without requests.
pub fn section(input: &Input) -> Option<Section> {
    let requests = &input.run.actions.requests;
    if requests.is_empty() {
        return None;
    }
    let count = |is: fn(&Requested) -> bool| requests.iter().filter(|r| is(r)).count();
    let mut html = note(&format!(
        "{} requests: {} entered, {} rejected, {} called off. Times are seconds of the character.",
        requests.len(),
        count(|r| r.entered_s.is_some()),
        count(|r| r.refused.is_some()),
        count(|r| r.called_off_s.is_some())
    ));
    if requests.len() > LISTED {
        html.push_str(&note(&format!("The first {LISTED} of {}:", requests.len())));
    }
    let time = |s: Option<f64>| s.map_or_else(String::new, |s| format!("{s:.2}"));
    let row = |r: &Requested| {
        let touched: Vec<String> = r.touched_s.iter().map(|s| time(Some(*s))).collect();
        let told = match (&r.refused, r.called_off_s) {
            (Some(refused), _) => match &refused.nearest {
                Some(nearest) => format!("{:.2} s: {} (nearest: {nearest})", refused.time_s, refused.reason),
                None => format!("{:.2} s: {}", refused.time_s, refused.reason),
            },
            (None, Some(at_s)) => format!("{at_s:.2} s: called off"),
            (None, None) => String::new(),
        };
        vec![
            r.id.to_string(),
            name(&r.kinds.join(" or ")),
            time(r.accepted_s),
            time(r.entered_s),
            name(r.clip.as_deref().unwrap_or_default()),
            touched.join(", "),
            time(r.left_s),
            name(&told),
        ]
    };
    let rows: Vec<Vec<String>> = requests.iter().take(LISTED).map(row).collect();
    let columns =
        ["#Number", "Kind", "#Accepted, s", "#Entered, s", "Clip", "Touched, s", "#Left, s", "Rejected or called off"];
    html.push_str(&table("requests", &columns, &rows));
    Some(Section { id: "actions", title: "Actions", items: requests.len(), html })
}
