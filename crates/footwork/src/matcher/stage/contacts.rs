//! Contacts of the shown body: from the playing clip, or from what leads a leg.

use crate::matcher::character::Character;
use crate::matcher::scratch::Scratch;
use crate::matcher::state::MatcherState;

/// Writes the contact joints that touch the ground to `scratch.touching`.
pub fn write_touching(character: &Character, state: &MatcherState, scratch: &mut Scratch) {
    let layout = &character.resolved.layout;
    character.source.contacts(state.playhead(layout), &mut scratch.source, &mut scratch.touching);
    let Some(db) = &character.database else { return };
    let at = state.after_tick(layout);
    for (slot, touches) in scratch.touching.iter_mut().enumerate() {
        if let Some(p) = character.director.leads_leg(at, slot) {
            *touches = u8::from(db.touches_at(p.clip, p.mirrored, slot, p.time_s));
        }
    }
}

/// Writes the time until each contact joint touches the ground and the duration of that contact to `scratch.next_contacts`, in
/// seconds; zeros for those that touch it now (`scratch.touching`).
pub fn write_next_contacts(character: &Character, state: &MatcherState, scratch: &mut Scratch) {
    let layout = &character.resolved.layout;
    let (now, at) = (state.playhead(layout), state.after_tick(layout));
    for (slot, next) in scratch.next_contacts.iter_mut().enumerate() {
        if scratch.touching[slot] == 1 {
            *next = (0.0, 0.0);
            continue;
        }
        let led = character.database.as_ref().zip(character.director.leads_leg(at, slot));
        *next = match led {
            Some((db, p)) => db.next_contact_s(p.clip, p.mirrored, slot, p.time_s),
            None => character.source.next_contact_s(now, &mut scratch.source, slot),
        };
    }
}
