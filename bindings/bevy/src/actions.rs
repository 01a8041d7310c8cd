//! Requests for actions, such as a jump, a vault or a seat.

use crate::convert::{into_matcher, into_vec};
use crate::obstacles::MotionObstacle;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use bevy_transform::components::Transform;
use footwork::input::{ActionContact, ActionKind, ActionRequest, InputError};
use footwork::matcher::Character;
use footwork::math::Facing;

/// Request for an action out of the character's locomotion and back into it. [`MotionActionEvent`](crate::MotionActionEvent) reports what
/// becomes of it.
///
/// Insert it to request an action, and remove it to drop the request: before the action begins, it is called off; a seat is held until
/// then. If the request is rejected or its action is over, the plugin removes it. A change in place moves the contacts within the limits
/// of the settings, also while the action plays.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
#[component(on_insert = number)]
pub struct MotionAction {
    /// Number of the request; another number is another request. 0: the plugin writes a number when the component is inserted.
    pub id: u16,
    /// Kinds by name, the tags of their clips, such as `vault`: 1 to 4. The one that fits best is taken.
    pub kinds: Vec<String>,
    /// Contacts, in order of time: the first touch, then the landing. A landing of `None` follows from the clip.
    pub contacts: [Option<MotionContact>; 2],
    /// Height of the ground of the landing in world space, in metres, if there is no second contact. `None`: as in the clip.
    pub landing_m: Option<f32>,
    /// Earliest and latest time of the first contact, in seconds of the character's own time
    /// ([`MotionState::time_s`](crate::MotionState::time_s)). Equal values request one instant. `None`: as soon as it fits.
    pub window_s: Option<[f64; 2]>,
    /// True if the character goes to the entry of the action by itself; the goal of its input counts again from the end of the action on.
    /// Without effect with [`RootDriver::Body`](crate::RootDriver): lead that body there.
    pub go: bool,
    /// The wall, ledge or chair that the action is about. Candidates that go through it are not taken.
    pub block: Option<MotionBlock>,
}

/// Requested contact, in world space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionContact {
    /// Position, in metres. For hands, the middle between the wrists; for feet, the ground under the toes; for a seat, the hips.
    pub position: Vec3,
    /// Facing of the body there; its length is ignored.
    pub facing: Vec3,
}

/// An obstacle at a place: the wall, ledge or chair of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionBlock {
    /// Place in world space.
    pub at: Transform,
    /// Shape.
    pub shape: MotionObstacle,
}

impl MotionAction {
    /// Name that stands for an arrival among the kinds: [`MotionAction::arrive`].
    pub const ARRIVE: &'static str = "arrive";

    /// Returns a request with one kind and a first contact, in world space.
    pub fn new(kind: impl Into<String>, position: Vec3, facing: Vec3) -> Self {
        let contacts = [Some(MotionContact { position, facing }), None];
        Self { kinds: vec![kind.into()], contacts, ..Self::default() }
    }

    /// Returns a request to come to rest at a place of the ground, with a facing. It needs `arrives = true` in `[matcher.actions]` of the
    /// settings.
    pub fn arrive(position: Vec3, facing: Vec3) -> Self {
        Self { go: true, ..Self::new(Self::ARRIVE, position, facing) }
    }

    /// Returns the request in the form of an update.
    ///
    /// # Errors
    /// Returns the reason, in words, if there is no action of a kind.
    pub(crate) fn resolve(&self, scale: f32, character: &Character) -> Result<ActionRequest, String> {
        let mut kinds = [None; 4];
        if self.kinds.is_empty() || self.kinds.len() > kinds.len() {
            return Err(format!("`MotionAction::kinds`: expected 1 to 4 kinds, found {}", self.kinds.len()));
        }
        for (kind, name) in kinds.iter_mut().zip(&self.kinds) {
            *kind = Some(kind_of(name, character)?);
        }
        if character.actions().is_empty() {
            return Err(InputError::NoActions.to_string());
        }
        let contact = |c: MotionContact| ActionContact {
            position: into_matcher(c.position, scale),
            facing: Facing::from_direction(into_vec(c.facing)).unwrap_or(Facing::FORWARD),
        };
        Ok(ActionRequest {
            id: self.id,
            kinds,
            contacts: self.contacts.map(|c| c.map(contact)),
            landing_m: self.landing_m.map(|m| m / scale),
            window_s: self.window_s,
            go: self.go,
            block: self.block.map(|b| b.shape.resolve(b.at.translation, b.at.rotation, scale)),
        })
    }
}

fn kind_of(name: &str, character: &Character) -> Result<ActionKind, String> {
    if name == MotionAction::ARRIVE {
        return Ok(ActionKind::ARRIVAL);
    }
    let db = character.database().ok_or_else(|| InputError::NoActions.to_string())?;
    db.action_kind(name).map_err(|e| e.to_string())
}

/// Number of the last request.
#[derive(Resource, Default)]
pub(crate) struct LastRequest(u16);

/// Numbers an inserted request.
fn number(mut world: DeferredWorld, context: HookContext) {
    let Some(mut last) = world.get_resource_mut::<LastRequest>() else { return };
    last.0 = last.0.wrapping_add(1).max(1);
    let next = last.0;
    if let Some(mut action) = world.get_mut::<MotionAction>(context.entity)
        && action.id == 0
    {
        action.id = next;
    }
}
