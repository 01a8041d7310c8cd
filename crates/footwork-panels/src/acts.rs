//! Actions panel: the action that plays, its contacts and its warp; what became of the last requests.

use crate::session::Session;
use egui::{Grid, ProgressBar, RichText, ScrollArea};
use footwork::actions::{Action, Warp};
use footwork::matcher::{ActionView, MotionMatcher};
use footwork_metrics::action_log::Requested;

/// Number of listed requests.
const LISTED: usize = 30;

/// Draws the panel.
pub(crate) fn acts(ui: &mut egui::Ui, session: &Session) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let matcher = session.shown();
        if matcher.character().actions().is_empty() {
            ui.label("This data has no actions: clips with the tag `no_locomotion` that jump or touch.");
            return;
        }
        match matcher.action_view() {
            None => _ = ui.label("No action plays, and no request waits."),
            Some(ActionView::Waits { id, since_s, cost }) => waits(ui, matcher, id, (since_s, cost)),
            Some(ActionView::Plays { id, clip_s, rate, .. }) => {
                if let Some(warp) = matcher.character().action_warp(matcher.state()) {
                    plays(ui, matcher, &warp, (id, clip_s, rate));
                }
            }
        }
        ui.separator();
        let now_s = matcher.state().header.clock.time_s;
        requests(ui, session.tracks.requests().iter().rev().filter(|r| r.asked_s <= now_s + 1e-6));
    });
}

/// Draws a request that waits.
fn waits(ui: &mut egui::Ui, matcher: &MotionMatcher, id: u16, (since_s, cost): (f32, Option<f32>)) {
    ui.label(RichText::new(format!("Request {id} waits for {since_s:.2} s")).strong());
    let most = matcher.character().config().actions.enter_cost;
    ui.label(match cost {
        Some(cost) => {
            format!("Entering now costs {cost:.2}; below {most:.2} it is entered at once, else when the cost rises.")
        }
        None => "It cannot be entered from here.".to_owned(),
    });
}

/// Draws the action that plays: number of its request, time of its clip, play rate.
fn plays(ui: &mut egui::Ui, matcher: &MotionMatcher, warp: &Warp, (id, clip_s, rate): (u16, f32, f32)) {
    let (character, action) = (matcher.character(), warp.action);
    let clip = character.clip_name(action.clip).unwrap_or_default();
    let side = if action.mirrored { ", mirrored" } else { "" };
    ui.label(RichText::new(format!("{clip}{side}")).strong());
    ui.label(format!("Request {id}: {}, {clip_s:.2} of {:.2} s, rate {rate:.2}", phase(action, clip_s), action.end_s));
    for (k, mark) in action.marks.iter().enumerate() {
        ui.add_space(4.0);
        let at = warp.marks[k].position.to_array().map(unsigned_zero);
        let when = match clip_s {
            s if s < mark.start_s => format!("in {:.2} s", mark.start_s - clip_s),
            s if s <= mark.end_s => "touches".to_owned(),
            _ => "over".to_owned(),
        };
        ui.label(format!("Contact {}: {:.2}, {:.2}, {:.2} m; {when}", k + 1, at[0], at[1], at[2]));
        let changes = character.config().actions.changes(warp, rate, k);
        for ((what, unit), [by, limit]) in [("shift", "m"), ("lift", "m"), ("turn", "degrees")].into_iter().zip(changes)
        {
            let (by, share) = (unsigned_zero(by), by.abs() / limit.max(1e-6));
            let places = if unit == "m" { 2 } else { 0 };
            let words = format!("{what} {by:.places$} of {limit:.places$} {unit}");
            ui.add(ProgressBar::new(share.min(1.0)).text(RichText::new(words).small()));
        }
    }
    ui.add_space(4.0);
    let skeleton = character.skeleton();
    Grid::new("contacts of the action").num_columns(3).striped(true).show(ui, |ui| {
        for contact in action.contacts.iter().filter(|c| clip_s <= c.end_s) {
            ui.label(skeleton.name(contact.joint));
            let touches = clip_s >= contact.start_s;
            ui.label(if touches { "touches".to_owned() } else { format!("in {:.2} s", contact.start_s - clip_s) });
            let at = warp.touched(contact);
            ui.monospace(at.map_or_else(String::new, |at| format!("{:.2} {:.2} {:.2}", at.x, at.y, at.z)));
            ui.end_row();
        }
    });
}

/// Returns a value that is not printed as `-0.00`.
fn unsigned_zero(value: f32) -> f32 {
    if value.abs() < 0.005 { 0.0 } else { value }
}

/// Returns the name of the phase of an action at a time of its clip, in seconds.
fn phase(action: &Action, clip_s: f32) -> &'static str {
    let phases = &action.phases;
    match clip_s {
        s if s >= phases.recovery_s => "recovery",
        s if s >= phases.follow_through_s => "follow-through",
        s if s >= phases.action_s => "action",
        s if s >= phases.wind_up_s => "wind-up",
        _ => "approach",
    }
}

/// Draws requests, the last one first.
fn requests<'a>(ui: &mut egui::Ui, all: impl Iterator<Item = &'a Requested>) {
    ui.label(RichText::new("Requests").strong());
    let mut any = false;
    for request in all.take(LISTED) {
        any = true;
        match &request.refused {
            Some(refused) => {
                ui.colored_label(ui.visuals().warn_fg_color, request.to_string());
                if let Some(nearest) = &refused.nearest {
                    ui.weak(format!("nearest: {nearest}"));
                }
            }
            None => _ = ui.label(request.to_string()),
        }
    }
    if !any {
        ui.weak("none");
    }
}
