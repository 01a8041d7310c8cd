//! Requests for actions: kinds, contacts, time.

use super::error::{InputError, LARGEST};
use crate::math::Facing;
use crate::obstacles::Obstacle;
use glam::Vec3;

/// A kind of action: the index of a tag of the database.
/// [`Database::action_kind`](crate::database::Database::action_kind) finds one by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionKind(pub u16);

impl ActionKind {
    /// The root comes to rest; see [`ActionRequest::arrive`].
    pub const ARRIVAL: Self = Self(u16::MAX);
}

/// A requested contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionContact {
    /// Position: world, in metres. For hands, the middle between the joints that touch. For feet, the ground under the toe joints. For a
    /// seat, the hips.
    pub position: Vec3,
    /// Facing of the body there: world.
    pub facing: Facing,
}

/// A request for an action; see [`MotionInput::action`](super::MotionInput::action).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionRequest {
    /// Number of the request. Another number is another request. The same number with other contacts moves the contacts.
    pub id: u16,
    /// Kinds of action, at least one. The one that fits best is taken.
    pub kinds: [Option<ActionKind>; 4],
    /// Contacts, in order of time: the first touch, then the landing. A landing of `None` follows from the clip.
    pub contacts: [Option<ActionContact>; 2],
    /// Height of the ground of the landing if there is no second contact: world, in metres. `None`: as in the clip.
    pub landing_m: Option<f32>,
    /// Earliest and latest time of the first contact, in the character's time (`header.clock.time_s` of its
    /// [state](crate::matcher::MatcherState)), in seconds. Equal values request one instant. `None`: as soon as it fits.
    pub window_s: Option<[f64; 2]>,
    /// True if the character goes to the entry of the action by itself. The goal of the input then counts from the end of the action on.
    /// Without effect on a body that the game moves ([`RootMode::External`](crate::adjust::root::RootMode)).
    pub go: bool,
    /// The wall, ledge or chair that the action is about: hips, knees and feet must not go through it. `None`: not checked. Its velocity
    /// is ignored.
    pub block: Option<Obstacle>,
}

impl ActionRequest {
    /// Returns a request with one kind and a first contact.
    pub fn new(id: u16, kind: ActionKind, contact: ActionContact) -> Self {
        Self { id, kinds: [Some(kind), None, None, None], contacts: [Some(contact), None], ..Self::default() }
    }

    /// Returns a request to come to rest with the root at a place of the ground (world, in metres), with a facing. A character has
    /// arrivals if [`ActionConfig::arrives`](crate::actions::ActionConfig) is set.
    pub fn arrive(id: u16, position: Vec3, facing: Facing) -> Self {
        Self::new(id, ActionKind::ARRIVAL, ActionContact { position, facing })
    }

    /// Returns true for an arrival.
    pub(crate) fn arrives(&self) -> bool {
        self.kinds[0] == Some(ActionKind::ARRIVAL)
    }

    /// Checks all numbers. The window may be in the past: then the request is answered with a refusal.
    ///
    /// # Errors
    /// Returns [`InputError`] for the first number that is not finite or too large, a facing without length, and a window that ends
    /// before it begins.
    pub(super) fn validate(&self) -> Result<(), InputError> {
        let finite = |field, value: f32| {
            if value.abs() <= LARGEST { Ok(()) } else { Err(InputError::NotUsable { field, value }) }
        };
        for contact in self.contacts.iter().flatten() {
            contact.position.to_array().into_iter().try_for_each(|v| finite("action.contacts.position", v))?;
            let Facing { x, z } = contact.facing;
            [x, z].into_iter().try_for_each(|v| finite("action.contacts.facing", v))?;
            if x.abs().max(z.abs()) < 1e-3 {
                return Err(InputError::NoDirection { field: "action.contacts.facing" });
            }
        }
        self.landing_m.map_or(Ok(()), |v| finite("action.landing_m", v))?;
        if let Some(value) = self.block.and_then(|block| block.unusable(LARGEST)) {
            return Err(InputError::NotUsable { field: "action.block", value });
        }
        let Some([from_s, to_s]) = self.window_s else { return Ok(()) };
        let usable = from_s.abs() <= LONGEST_S && to_s.abs() <= LONGEST_S && from_s <= to_s;
        if usable {
            Ok(())
        } else {
            Err(InputError::NotUsable { field: "action.window_s", value: (to_s - from_s) as f32 })
        }
    }
}

/// Maximum time of a window, in seconds: about thirty years.
const LONGEST_S: f64 = 1e9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_requests_are_rejected_by_name() {
        let contact = ActionContact { position: Vec3::ONE, facing: Facing::FORWARD };
        let good = ActionRequest::new(1, ActionKind(3), contact);
        assert_eq!(good.validate(), Ok(()));
        let mut bad = [good; 5];
        bad[0].contacts[0] = Some(ActionContact { position: Vec3::new(0.0, f32::NAN, 0.0), ..contact });
        bad[1].contacts[0] = Some(ActionContact { facing: Facing { x: 0.0, z: 0.0 }, ..contact });
        bad[2].landing_m = Some(f32::INFINITY);
        bad[3].window_s = Some([2.0, 1.0]);
        bad[4].window_s = Some([f64::NAN, 1.0]);
        for request in bad {
            assert!(request.validate().unwrap_err().to_string().contains("action."), "{request:?}");
        }
        assert_eq!(ActionRequest { window_s: Some([-1.0, -1.0]), ..good }.validate(), Ok(()));
    }
}
