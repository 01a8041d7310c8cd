//! The reading of clips whose contacts are known: missed contacts, errors of time and place.

use super::watch::Worst;
use crate::samples::percentile_or_zero;
use footwork::actions::Contact;
use footwork::matcher::Character;
use glam::Vec3;
use serde::Serialize;

/// A contact that a clip is known to have.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownContact {
    /// Name of the clip.
    pub clip: String,
    /// Name of the joint.
    pub joint: String,
    /// Start and end, in seconds of the clip.
    pub time_s: [f32; 2],
    /// Position of the joint: clip space, in metres.
    pub position: Vec3,
}

/// Differences between the contacts that are read and those that are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReadFigures {
    /// Number of known contacts.
    pub known: usize,
    /// Known contacts that were not read.
    pub read_missed: usize,
    /// Difference in time of the start or end of a contact, 99th percentile, seconds.
    pub read_contact_s_p99: f32,
    /// Distance of the joint from its known place, 99th percentile, metres.
    pub read_contact_m_p99: f32,
    /// The missed contacts, and the one with the largest difference in time.
    pub read_worst: Vec<Worst>,
}

/// Compares the contacts that a character has read with the known ones.
pub fn read(character: &Character, known: &[KnownContact]) -> ReadFigures {
    let mut out = ReadFigures { known: known.len(), ..Default::default() };
    let (mut times_s, mut places_m) = (Vec::new(), Vec::new());
    let mut worst: Option<Worst> = None;
    for contact in known {
        let at = |value: f32| {
            let (clip, joint) = (contact.clip.clone(), contact.joint.clone());
            Worst { value, clip, clip_s: contact.time_s[0], joint, ..Worst::default() }
        };
        let Some(read) = nearest(character, contact) else {
            out.read_missed += 1;
            out.read_worst.push(at(0.0));
            continue;
        };
        let off_s = [read.start_s - contact.time_s[0], read.end_s - contact.time_s[1]].map(f32::abs);
        times_s.extend(off_s);
        places_m.push((read.position - contact.position).length());
        let most_s = off_s[0].max(off_s[1]);
        if worst.as_ref().is_none_or(|w| most_s > w.value) {
            worst = Some(at(most_s));
        }
    }
    out.read_worst.extend(worst);
    (out.read_contact_s_p99, out.read_contact_m_p99) =
        [&mut times_s, &mut places_m].map(|values| percentile_or_zero(values, 99.0)).into();
    out
}

/// Returns the contact of the same joint that overlaps a known one most.
fn nearest(character: &Character, known: &KnownContact) -> Option<Contact> {
    let db = character.database()?;
    let of_clip = |clip: usize| clip < db.originals() && db.clips[clip].name == known.clip;
    let actions = character.actions().all().iter().filter(|a| !a.mirrored && of_clip(a.clip.at()));
    let contacts = actions.flat_map(|a| &a.contacts).filter(|c| db.skeleton.name(c.joint) == known.joint);
    let overlap_s = |c: &Contact| c.end_s.min(known.time_s[1]) - c.start_s.max(known.time_s[0]);
    contacts.filter(|c| overlap_s(c) > 0.0).max_by(|a, b| overlap_s(a).total_cmp(&overlap_s(b))).copied()
}
