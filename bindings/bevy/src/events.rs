//! Events of a character, triggered on its entity. Observe them:
//!
//! ```
//! # use bevy_app::App;
//! # use bevy_ecs::prelude::*;
//! # use bevy_footwork::MotionFootstep;
//! # let mut app = App::new();
//! app.add_observer(|step: On<MotionFootstep>| println!("{} at {:.1} m/s", step.foot, step.speed_mps));
//! ```

use crate::action_probe::ActionProbe;
use crate::actions::MotionAction;
use crate::components::{MotionKind, MotionOutput, MotionPaused, MotionState};
use crate::convert::from_matcher;
use crate::plugin_state::PluginState;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use footwork::database::TagMask;
use footwork::frames::ClipIndex;
use footwork::matcher::{ActionEvent, ActionStep, Character, EventKind};

/// A foot has touched down.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionFootstep {
    /// Entity of the character.
    pub entity: Entity,
    /// Name of the contact joint in the clips' skeleton.
    pub foot: String,
    /// Position in world space, in metres.
    pub position: Vec3,
    /// Speed of the character, in m/s.
    pub speed_mps: f32,
}

/// A transition was made to another clip, or to another time of the same clip.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionTransition {
    /// Entity of the character.
    pub entity: Entity,
    /// Name of the playing clip; empty for motion without clips.
    pub clip: String,
    /// Time in the clip, in seconds from its first frame.
    pub time_s: f64,
}

/// The playing clip has a tag that the previous one did not have.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionTagEntered {
    /// Entity of the character.
    pub entity: Entity,
    /// Name of the tag.
    pub tag: String,
}

/// The playing clip no longer has a tag.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionTagLeft {
    /// Entity of the character.
    pub entity: Entity,
    /// Name of the tag.
    pub tag: String,
}

/// Playback has passed an event of a clip, or a layer of the state machine has passed one of a montage.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionClipEvent {
    /// Entity of the character.
    pub entity: Entity,
    /// Name of the event.
    pub event: String,
    /// Kind: a single event, or the start or end of a window.
    pub kind: EventKind,
    /// Layer of the state machine; `None` for clips of the body.
    pub layer: Option<String>,
    /// Time, in seconds of the character's own time.
    pub time_s: f64,
}

/// The state machine has entered another state. Not triggered for a new character, or for a change of machine.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionStateChanged {
    /// Entity of the character.
    pub entity: Entity,
    /// Name of the previous state.
    pub from: String,
    /// Name of the new state.
    pub to: String,
    /// Time, in seconds of the character's own time.
    pub time_s: f64,
}

/// The tags exclude all clips. The character comes to rest.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionNoCandidate {
    /// Entity of the character.
    pub entity: Entity,
}

/// A step in the life of a request for an action ([`MotionAction`]).
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct MotionActionEvent {
    /// Entity of the character.
    pub entity: Entity,
    /// Number of the request ([`MotionAction::id`]).
    pub id: u16,
    /// Time, in seconds of the character's own time.
    pub time_s: f64,
    /// The step.
    pub step: MotionActionStep,
}

/// Step in the life of a request. A request ends with `Left`, `Refused` or `CalledOff`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MotionActionStep {
    /// The request can be met, and waits for a place and a pose from which the action can begin.
    Accepted,
    /// The action begins, and moves the root from now on.
    Entered {
        /// Name of its clip.
        clip: String,
    },
    /// A requested contact begins.
    Touched {
        /// Index of the contact; 0 is the first.
        contact: usize,
    },
    /// The action is over.
    Left,
    /// The request was rejected. The motion is the same as without it.
    Refused {
        /// Reason, such as ``contact 1 is 0.34 m too high for the best of 3 `climb` ``.
        reason: String,
        /// Clip of the candidate that misses least; `None` if there is none.
        nearest: Option<String>,
    },
    /// The request was dropped or replaced before the action began.
    CalledOff,
}

/// Last reported values.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct Reported {
    tags: TagMask,
    stranded: bool,
}

pub(crate) fn report_events(
    mut commands: Commands,
    mut characters: Query<
        (Entity, &MotionKind, &MotionState, &MotionOutput, Option<&mut Reported>, Acting),
        Without<MotionPaused>,
    >,
) {
    for (entity, kind, state, output, reported, acting) in &mut characters {
        report_action(&mut commands, entity, (kind, state, output), acting);
        let Some(mut reported) = reported else {
            commands.entity(entity).insert(Reported::default());
            continue;
        };
        let (shown, character) = (&output.0, &kind.character);
        let speed_mps = from_matcher(shown.velocity.linear[0], kind.scale).length();
        for step in &shown.footsteps {
            let foot = character.skeleton().name(step.joint).to_owned();
            let position = from_matcher(step.position, kind.scale);
            commands.trigger(MotionFootstep { entity, foot, position, speed_mps });
        }
        let db = character.database();
        let machine = character.machine();
        let state_name =
            |place: u16| machine.and_then(|m| m.state_names().nth(place.into())).unwrap_or_default().to_owned();
        for change in &shown.state_changes {
            let (from, to) = (state_name(change.from), state_name(change.to));
            commands.trigger(MotionStateChanged { entity, from, to, time_s: change.time_s });
        }
        let layer = |place: u16| machine.and_then(|m| m.layer_names().nth(place.into())).map(str::to_owned);
        for fired in &shown.events {
            let Some(event) = character.event_name(fired.event).map(str::to_owned) else { continue };
            let layer = fired.layer.and_then(layer);
            commands.trigger(MotionClipEvent { entity, event, kind: fired.kind, layer, time_s: fired.time_s });
        }
        if shown.transitions > 0 {
            let clip = name(kind, shown.playing.clip);
            commands.trigger(MotionTransition { entity, clip, time_s: shown.playing.time_s });
        }
        let tags = character.tags(&state.0);
        if let Some(db) = db.filter(|_| tags != reported.tags) {
            for tag in db.tag_names(reported.tags).filter(|t| !db.tag_names(tags).any(|n| n == *t)) {
                commands.trigger(MotionTagLeft { entity, tag: tag.to_owned() });
            }
            for tag in db.tag_names(tags).filter(|t| !db.tag_names(reported.tags).any(|n| n == *t)) {
                commands.trigger(MotionTagEntered { entity, tag: tag.to_owned() });
            }
            reported.tags = tags;
        }
        if shown.stranded && !reported.stranded {
            commands.trigger(MotionNoCandidate { entity });
        }
        reported.stranded = shown.stranded;
    }
}

/// Components of actions.
type Acting<'a> = (Option<&'a MotionAction>, Option<&'a mut ActionProbe>, &'a mut PluginState);

/// Reports the steps of requests. Removes a request that is over.
fn report_action(
    commands: &mut Commands,
    entity: Entity,
    (kind, state, output): (&MotionKind, &MotionState, &MotionOutput),
    (action, mut probe, mut plugin_state): (Option<&MotionAction>, Option<Mut<ActionProbe>>, Mut<PluginState>),
) {
    let unknown = plugin_state.unknown.as_mut().and_then(|(id, reason)| Some((*id, reason.take()?)));
    let unknown = unknown.map(|(id, reason)| (id, state.time_s(), MotionActionStep::Refused { reason, nearest: None }));
    let kinds = || action.map_or_else(|| "action".to_owned(), |a| a.kinds.join("` or `"));
    let step = |e: &ActionEvent| Some((e.id, e.time_s, step_of(&kind.character, &e.step, &kinds)?));
    let steps = output.0.actions.iter().filter_map(step);
    for (id, time_s, step) in steps.chain(unknown) {
        let of = action.filter(|action| action.id == id);
        // Before the event, so that its observer may insert the next request.
        if of.is_some() && matches!(step, MotionActionStep::Left | MotionActionStep::Refused { .. }) {
            commands.entity(entity).remove::<MotionAction>();
        }
        if let (MotionActionStep::Refused { .. }, Some(probe), Some(action)) = (&step, &mut probe, of) {
            probe.reject(action, time_s);
        }
        commands.trigger(MotionActionEvent { entity, id, time_s, step });
    }
}

/// Returns a step in words.
fn step_of(character: &Character, step: &ActionStep, kinds: &dyn Fn() -> String) -> Option<MotionActionStep> {
    let clip = |action: usize| {
        let clip = character.actions().all().get(action).and_then(|a| character.clip_name(a.clip));
        clip.unwrap_or_default().to_owned()
    };
    Some(match step {
        ActionStep::Accepted => MotionActionStep::Accepted,
        ActionStep::Entered { action } => MotionActionStep::Entered { clip: clip(*action) },
        ActionStep::Touched { contact } => MotionActionStep::Touched { contact: *contact },
        ActionStep::Left => MotionActionStep::Left,
        ActionStep::Refused(refusal) => {
            MotionActionStep::Refused { reason: refusal.text(&kinds()), nearest: refusal.nearest.map(clip) }
        }
        ActionStep::CalledOff => MotionActionStep::CalledOff,
        _ => return None,
    })
}

fn name(kind: &MotionKind, clip: ClipIndex) -> String {
    kind.character.clip_name(clip).unwrap_or_default().to_owned()
}
