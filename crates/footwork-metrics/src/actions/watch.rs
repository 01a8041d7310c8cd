//! Measurements of one request: contacts, planted feet, events and jumps of joints, on the shown poses.

use crate::RATE_HZ;
use footwork::actions::{Action, Contact, Limb};
use footwork::database::Database;
use footwork::frames::JointIndex;
use footwork::input::{ActionContact, ActionRequest};
use footwork::matcher::{ActionStep, ActionView, EventKind, MotionMatcher};
use footwork::math::Quat;
use glam::{Vec3, Vec3Swizzles};
use serde::Serialize;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3;

/// The outcome of a request, and what was measured.
#[derive(Debug, Default)]
pub struct Seen {
    /// Times of the steps, in seconds, and the steps.
    pub steps: Vec<(f64, ActionStep)>,
    /// Reason of the refusal.
    pub refused: Option<String>,
    /// Distances of the touching joints from their requested places when they begin to touch, in metres.
    pub errors_m: Vec<f32>,
    /// The same in every frame of the contacts.
    pub hold_errors_m: Vec<f32>,
    /// Difference between the requested and the real time of the first contact, in seconds.
    pub error_s: Option<f32>,
    /// Largest displacement of each planted foot over the ground, in metres.
    pub slides_m: Vec<f32>,
    /// The largest values, by the key of the figure.
    pub worst: BTreeMap<&'static str, Worst>,
    /// Events of the clip that were not reported.
    pub lost: usize,
    /// Events that were reported too often.
    pub doubled: usize,
    /// Contacts that began, and to which no joint belongs.
    pub without_joint: usize,
}

/// The largest value of a figure, with its clip, time and joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Worst {
    /// The value, in the unit of its key.
    pub value: f32,
    /// Number of the request.
    pub request: usize,
    /// Clip of the action.
    pub clip: String,
    /// Time of the clip, in seconds.
    pub clip_s: f32,
    /// Name of the joint.
    pub joint: String,
}

impl Seen {
    /// Returns true if an action was played to its end.
    pub fn taken(&self) -> bool {
        self.steps.iter().any(|(_, step)| *step == ActionStep::Left)
    }

    /// Returns true if the request is answered to its end.
    pub fn is_over(&self) -> bool {
        self.refused.is_some() || self.taken()
    }

    /// Adds the decisions to a hash.
    pub fn hash(&self, hash: &mut Xxh3) {
        for (time_s, step) in &self.steps {
            hash.update(&((time_s * 1e4).round() as u64).to_le_bytes());
            let number = match step {
                ActionStep::Accepted => 1,
                ActionStep::Entered { action } => 0x100 + *action as u64,
                ActionStep::Touched { contact } => 2 + *contact as u64,
                ActionStep::Left => 6,
                ActionStep::Refused(_) => 7,
                _ => 8,
            };
            hash.update(&number.to_le_bytes());
        }
    }

    /// Notes a value if it is the largest of its key.
    fn note(&mut self, key: &'static str, value: f32, of: impl FnOnce() -> Worst) {
        if self.worst.get(key).is_none_or(|worst| value > worst.value) {
            self.worst.insert(key, Worst { value, ..of() });
        }
    }
}

/// An action that was seen to play.
#[derive(Clone, Copy, Debug)]
struct Played {
    /// Index of the action.
    action: usize,
    /// Times of the character in the first and the last frame, in seconds.
    time_s: [f64; 2],
    /// The same of the clip.
    clip_s: [f32; 2],
}

/// Observes a character while it answers a request.
#[derive(Debug)]
pub struct Watch<'a> {
    db: &'a Database,
    request: ActionRequest,
    /// Positions of all joints in the last two frames: world, in metres.
    last: [Vec<Vec3>; 2],
    /// The action that was entered.
    entered: Option<usize>,
    /// The action that was seen to play.
    played: Option<Played>,
    /// Times of the events that were reported, in seconds.
    events_s: Vec<f64>,
    /// Position of each planted foot when it was first seen, and its largest displacement, by the index of its contact.
    plants: BTreeMap<usize, (Vec3, f32)>,
    /// Indices of the contacts that were seen to begin.
    begun: Vec<usize>,
}

impl<'a> Watch<'a> {
    /// Begins to observe.
    pub fn new(db: &'a Database, request: ActionRequest) -> Self {
        Self {
            db,
            request,
            last: [Vec::new(), Vec::new()],
            entered: None,
            played: None,
            events_s: Vec::new(),
            plants: BTreeMap::new(),
            begun: Vec::new(),
        }
    }

    /// Notes steps and events after an update.
    pub fn update(&mut self, matcher: &MotionMatcher, seen: &mut Seen) {
        let all = matcher.character().actions().all();
        for event in matcher.output().actions.iter().filter(|event| event.id == self.request.id) {
            seen.steps.push((event.time_s, event.step));
            match event.step {
                ActionStep::Entered { action } => self.entered = Some(action),
                ActionStep::Touched { contact } => {
                    let mark = Some(contact);
                    let touches = |action: usize| all[action].contacts.iter().any(|c| c.mark == mark);
                    seen.without_joint += usize::from(!self.entered.is_some_and(touches));
                }
                _ => {}
            }
            match event.step {
                ActionStep::Touched { contact: 0 } => {
                    let off = |[from_s, to_s]: [f64; 2]| (from_s - event.time_s).max(event.time_s - to_s).max(0.0);
                    seen.error_s = self.request.window_s.map(|window_s| off(window_s) as f32);
                }
                ActionStep::Refused(refusal) => {
                    let name = |reason| {
                        let text = format!("{reason:?}");
                        text.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
                    };
                    let missed = refusal.missed.map_or(String::new(), |missed| format!(", {}", name(missed)));
                    seen.refused = Some(name(refusal.reason) + &missed);
                }
                _ => {}
            }
        }
        let moments = matcher.output().events.iter().filter(|e| e.kind == EventKind::Moment && e.layer.is_none());
        self.events_s.extend(moments.map(|e| e.time_s));
    }

    /// Measures a frame; frames are 1/60 s apart.
    pub fn frame(&mut self, matcher: &MotionMatcher, seen: &mut Seen) {
        let mut world = Vec::new();
        matcher.pose().world(&self.db.skeleton, &mut world);
        let joints: Vec<Vec3> = world.iter().map(|joint| joint.translation).collect();
        if let Some(ActionView::Plays { id, action, clip_s, .. }) = matcher.action_view()
            && id == self.request.id
        {
            self.play(matcher, action, clip_s, &joints, seen);
        }
        // The frames after an action show how it is left.
        if let Some(played) = &self.played
            && self.last[1].len() == joints.len()
        {
            let action = &matcher.character().actions().all()[played.action];
            // Joint 0 is the root, which is not visible.
            for k in 1..joints.len() {
                let change_mps = change_mps(k, &joints, &self.last);
                seen.note("pop_mps", change_mps, || self.worst(action, JointIndex::new(k), played.clip_s[1]));
            }
        }
        self.last.swap(0, 1);
        self.last[0] = joints;
    }

    /// Measures a frame in which the action plays.
    fn play(&mut self, matcher: &MotionMatcher, index: usize, clip_s: f32, joints: &[Vec3], seen: &mut Seen) {
        let now_s = matcher.state().header.clock.time_s;
        let played = self.played.get_or_insert(Played { action: index, time_s: [now_s; 2], clip_s: [clip_s; 2] });
        *played = Played { action: index, time_s: [played.time_s[0], now_s], clip_s: [played.clip_s[0], clip_s] };
        let entered_s = played.clip_s[0];
        let action = &matcher.character().actions().all()[index];
        for (k, contact) in action.contacts.iter().enumerate() {
            if !(contact.start_s..=contact.end_s).contains(&clip_s) {
                continue;
            }
            let joint = joints[contact.joint.at()];
            if matches!(contact.limb, Limb::Foot(_)) {
                let (first, most_m) = self.plants.entry(k).or_insert((joint, 0.0));
                *most_m = most_m.max((joint - *first).xz().length());
                let slide_m = *most_m;
                seen.note("plant_slide_m", slide_m, || self.worst(action, contact.joint, clip_s));
            }
            // A contact that had begun before the action was entered is not requested.
            let entered_in_it = contact.start_s <= entered_s;
            if let Some(place) = self.requested(action, contact)
                && !entered_in_it
            {
                let off = joint - place;
                let off_m = if matches!(contact.limb, Limb::Foot(_)) { off.xz().length() } else { off.length() };
                if !self.begun.contains(&k) {
                    self.begun.push(k);
                    seen.errors_m.push(off_m);
                }
                seen.hold_errors_m.push(off_m);
                seen.note("contact_hold_error_m", off_m, || self.worst(action, contact.joint, clip_s));
            }
        }
    }

    /// Returns a place in an action, for [`Seen::worst`].
    fn worst(&self, action: &Action, joint: JointIndex, clip_s: f32) -> Worst {
        let clip = self.db.clips[action.clip.at()].name.clone();
        Worst { clip, clip_s, joint: self.db.skeleton.name(joint).to_owned(), ..Worst::default() }
    }

    /// Returns the place of a joint in a requested contact: world, in metres. It keeps its distance from the middle of the joints that
    /// touch with it. `None` for other contacts.
    fn requested(&self, action: &Action, contact: &Contact) -> Option<Vec3> {
        let k = contact.mark?;
        let ActionContact { position, facing } = (*self.request.contacts.get(k)?)?;
        let mark = &action.marks[k];
        let turn = Quat::from_rotation_y(facing.yaw() - mark.yaw_rad);
        Some(position + turn * (contact.position - mark.position))
    }

    /// Ends the observation.
    pub fn finish(self, matcher: &MotionMatcher, seen: &mut Seen) {
        seen.slides_m = self.plants.values().map(|(_, most_m)| *most_m).collect();
        let Some(Played { action, time_s, clip_s }) = self.played else { return };
        // Mirror images share the events of their original.
        let clip = matcher.character().actions().all()[action].clip.at() % self.db.originals();
        let expected = |margin_s: f32| {
            let [from_s, to_s] = [clip_s[0] + margin_s, clip_s[1] - margin_s];
            let of_clip = self.db.events.iter().filter(|e| e.clip.at() == clip);
            of_clip.filter(|e| from_s < e.time_s && e.time_s <= to_s).count()
        };
        let reported = |margin_s: f32| {
            let [from_s, to_s] = [time_s[0] + f64::from(margin_s), time_s[1] - f64::from(margin_s)];
            self.events_s.iter().filter(|s| from_s < **s && **s <= to_s).count()
        };
        seen.lost = expected(SAME_S).saturating_sub(reported(-SAME_S));
        seen.doubled = reported(SAME_S).saturating_sub(expected(-SAME_S));
    }
}

/// Tolerance of times of events, in seconds.
const SAME_S: f32 = 2e-3;

/// Returns the change of the velocity of joint `k`, in m/s, from its positions in this frame and the last two.
fn change_mps(k: usize, now: &[Vec3], last: &[Vec<Vec3>; 2]) -> f32 {
    ((now[k] - last[0][k]) - (last[0][k] - last[1][k])).length() * RATE_HZ
}
