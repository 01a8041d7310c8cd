//! A request for an action: what kind, where it touches, when.

use crate::math::Facing;
use glam::Vec3;

/// What an action is: a tag of the database, by its index. [`Database::action_kind`](crate::database::Database::action_kind)
/// finds one by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionKind(pub u16);

/// Where an action touches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionContact {
    /// World, metres. For hands the middle between the joints that touch, for feet the ground under the toe joint, for a seat
    /// the hips.
    pub position: Vec3,
    /// Where the body is to face there, world.
    pub facing: Facing,
}

/// A request for an action: see [`MotionInput::action`](super::MotionInput::action).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionRequest {
    /// Which.
    pub kind: ActionKind,
    /// Where it touches, in the order of the action: the first contact, then the one at which it lands. A landing that is left out
    /// follows from the clip.
    pub contacts: [Option<ActionContact>; 2],
    /// Height of the ground on which it lands, world, metres, where no second contact says so. `None`: as in the clip.
    pub landing_m: Option<f32>,
    /// The first contact is to happen between these times, in the character's time
    /// ([`StateHeader::time_s`](crate::matcher::StateHeader)), seconds; equal for one instant. `None`: as soon as it fits.
    pub window_s: Option<[f64; 2]>,
}

impl ActionRequest {
    /// A number that changes when the request does; never 0.
    pub(crate) fn signature(&self) -> u64 {
        let mut bytes = [0u8; 72];
        let mut at = 0;
        let mut put = |of: &[u8]| {
            bytes[at..at + of.len()].copy_from_slice(of);
            at += of.len();
        };
        put(&self.kind.0.to_le_bytes());
        for contact in &self.contacts {
            put(&[u8::from(contact.is_some())]);
            let c = contact.unwrap_or_default();
            [c.position.x, c.position.y, c.position.z, c.facing.x, c.facing.z]
                .iter()
                .for_each(|v| put(&v.to_le_bytes()));
        }
        put(&[u8::from(self.landing_m.is_some()), u8::from(self.window_s.is_some())]);
        put(&self.landing_m.unwrap_or_default().to_le_bytes());
        // Of instants to a microsecond: what matters fits in what is left.
        self.window_s.unwrap_or_default().iter().for_each(|s| put(&(((s * 1e6) as i64) as u64).to_le_bytes()[..8]));
        xxhash_rust::xxh3::xxh3_64(&bytes[..at]) | 1
    }

    /// The first number that is not usable.
    pub(crate) fn unusable(&self) -> Option<f32> {
        let contacts = self.contacts.iter().flatten();
        let places = contacts.flat_map(|c| {
            let p = c.position;
            let length = c.facing.xz().length();
            [p.x, p.y, p.z, if length > 1e-3 { length } else { f32::NAN }]
        });
        let times = self.window_s.into_iter().flatten().map(|s| s as f32);
        places.chain(times).chain(self.landing_m).find(|v| !(v.abs() <= super::error::LARGEST))
    }
}
