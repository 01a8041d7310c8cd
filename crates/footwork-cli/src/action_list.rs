//! The actions that are read from the clips of a database, as a list.

use footwork::actions::{Action, Actions, Contact, Limb, Passes};
use footwork::database::Database;
use serde_json::{Value, json};

/// Returns the name of an action: its clip, and the time of its first contact or take-off.
pub fn name(db: &Database, action: &Action) -> String {
    format!("{} {:.1} s", db.clips[action.clip.at()].name, action.phases.action_s)
}

/// Returns what the body does, in words.
pub fn shape(action: &Action) -> &'static str {
    let rise_m = action.ground_m[1] - action.ground_m[0];
    let first = action.contacts.iter().find(|c| c.mark == Some(0)).map(|c| c.limb);
    let level = rise_m.abs() < LEVEL_M;
    match (first, action.passes) {
        (_, Passes::Rests) => "arrival",
        (_, Passes::Over) => "flight over something",
        (_, Passes::Gap) => "flight over a gap",
        (Some(Limb::Hips), _) if action.holds => "seat",
        (Some(Limb::Hips), _) => "from a seat",
        (Some(Limb::Hand(_)), _) if action.marks.len() == 1 => "hands",
        (Some(Limb::Hand(_)), _) if level => "hands, then feet",
        (Some(Limb::Hand(_)), _) if rise_m > 0.0 => "hands, then feet, up",
        (Some(Limb::Hand(_)), _) => "hands, then feet, down",
        _ if action.flight_s.is_some() && rise_m > 0.0 => "flight up",
        _ if action.flight_s.is_some() => "flight down",
        _ if level => "step onto something",
        _ if rise_m > 0.0 => "step up",
        _ => "step down",
    }
}

/// Difference in height of two grounds, in metres.
const LEVEL_M: f32 = 0.1;

/// Returns the actions of a database.
pub fn to_json(db: &Database) -> Vec<Value> {
    Actions::of(db).all().iter().map(|action| action_json(db, action)).collect()
}

fn action_json(db: &Database, action: &Action) -> Value {
    let contact = |c: &Contact| json!({ "joint": db.skeleton.name(c.joint), "start_s": c.start_s, "end_s": c.end_s, "mark": c.mark });
    let phases = &action.phases;
    json!({
        "name": name(db, action),
        "clip": db.clips[action.clip.at()].name,
        "mirrored": action.mirrored,
        "shape": shape(action),
        "first_s": action.entries.first().map(|entry| entry.time_s),
        "wind_up_s": phases.wind_up_s,
        "action_s": phases.action_s,
        "follow_through_s": phases.follow_through_s,
        "recovery_s": phases.recovery_s,
        "end_s": action.end_s,
        "rise_m": action.ground_m[1] - action.ground_m[0],
        "contacts": action.contacts.iter().map(contact).collect::<Vec<_>>(),
    })
}

/// Prints the actions of a database, without mirror images.
pub fn print(db: &Database) {
    let actions = Actions::of(db);
    out!("{} actions, times in seconds of the clip; mirror images are not listed\n", actions.all().len());
    out!("  {:<52} {:<28} wind-up  action   ends  rise m", "clip and action", "shape");
    for action in actions.all().iter().filter(|a| !a.mirrored) {
        let (phases, rise_m) = (&action.phases, action.ground_m[1] - action.ground_m[0]);
        out!(
            "  {:<52} {:<28} {:>7.2} {:>7.2} {:>6.2} {:>7.2}",
            name(db, action),
            shape(action),
            phases.wind_up_s,
            phases.action_s,
            phases.recovery_s,
            rise_m
        );
    }
}
