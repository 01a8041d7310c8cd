//! A character and all that the panels show of it: data, settings, driver, recording, current view.

use crate::body::body;
use crate::drive::{Driver, Hands, Steering};
use crate::findings::Findings;
use crate::followed::Followed;
use crate::history::History;
use crate::machine_file::MachineFile;
use crate::mode::{ClipPlayer, Mode, Review};
use crate::tags::Takes;
use crate::tracks::Tracks;
use crate::tuning::Tuning;
use footwork::advanced::recorder::NamedGround;
use footwork::database::Database;
use footwork::frames::ClipIndex;
use footwork::input::ActionRequest;
use footwork::learned::Networks;
use footwork::machine::{Machine, Variables};
use footwork::matcher::{Character, MotionMatcher};
use footwork::math::Transform;
use footwork::pose::{Pose, PoseVelocity};
use footwork::recorder::{Recorder, RecorderConfig, Replay, Trace};
use footwork_draw::figure::Figure;
use footwork_metrics::ground::GroundKind;
use glam::Vec3;
use std::sync::Arc;
use web_time::Instant;

/// Maximum duration of a step, in seconds; limits the step after a pause of the window.
const LONGEST_STEP_S: f32 = 0.1;
/// A playing recording becomes live again within this number of updates of a game's newest.
const NEARLY_LIVE: usize = 30;

/// Data, character and recording.
#[derive(Debug)]
pub struct Session {
    /// Name of the data's source.
    pub name: String,
    pub(crate) database: Arc<Database>,
    pub(crate) networks: Option<Arc<Networks>>,
    /// State machine that can run the character.
    pub(crate) machine: Option<Arc<Machine>>,
    /// File of the machine, if its text is known.
    pub(crate) machine_file: Option<MachineFile>,
    /// Values of the machine's variables and triggers while the character is driven.
    pub variables: Variables,
    pub(crate) figure: Figure,
    /// Settings.
    pub tuning: Tuning,
    pub(crate) matcher: MotionMatcher,
    pub(crate) recorder: Recorder,
    pub(crate) tracks: Tracks,
    pub(crate) mode: Mode,
    pub(crate) followed: Option<Box<Followed>>,
    pub(crate) steering: Steering,
    pub(crate) ground: GroundKind,
    /// Message of the last error.
    pub message: Option<String>,
    /// Undo history of settings and tags.
    pub(crate) history: History,
    /// Takes of the clips, with their tags.
    pub(crate) takes: Takes,
    /// Findings of the doctor, once it has run.
    pub findings: Option<Findings>,
    /// Highlighted part of a take: index, start and end in seconds.
    pub(crate) pointed: Option<(usize, [f32; 2])>,
    /// Description of the shell's background work.
    pub busy: Option<String>,
    still: PoseVelocity,
}

impl Session {
    /// Creates a session for a database.
    ///
    /// # Errors
    /// Returns a message if the settings do not fit the database.
    pub fn new(name: impl Into<String>, database: Arc<Database>, tuning: Tuning) -> Result<Self, String> {
        let character = Character::new(database.clone(), tuning.matcher().clone()).map_err(|e| e.to_string())?;
        let recorder = Recorder::new(&character, RecorderConfig::default());
        let matcher = MotionMatcher::of(Arc::new(character), Transform::IDENTITY).map_err(|e| e.to_string())?;
        let takes = Takes::of_database(&database);
        Ok(Self {
            name: name.into(),
            figure: body(&database),
            tracks: Tracks::new(database.schema.channels.len()),
            still: PoseVelocity::zero(database.skeleton.len()),
            database,
            networks: None,
            machine: None,
            machine_file: None,
            variables: Variables::default(),
            tuning,
            matcher,
            recorder,
            mode: Mode::Live,
            followed: None,
            steering: Steering::new(Driver::Hands),
            ground: GroundKind::Level,
            message: None,
            history: History::default(),
            takes,
            findings: None,
            pointed: None,
            busy: None,
        })
    }

    /// Returns the database.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Continues as another character from the pose shown, and starts a new recording.
    pub(crate) fn become_a(&mut self, character: Character) -> Result<(), String> {
        self.matcher.switch_to(Arc::new(character)).map_err(|e| e.to_string())?;
        self.begin_recording();
        Ok(())
    }

    /// Returns the source of input.
    pub fn driver(&self) -> Driver {
        self.steering.driver()
    }

    /// Sets the source of input.
    pub fn set_driver(&mut self, driver: Driver) {
        self.steering = Steering::new(driver);
    }

    /// Returns the ground of the live character.
    pub fn ground(&self) -> GroundKind {
        self.ground
    }

    /// Sets the ground and restarts the character.
    pub fn set_ground(&mut self, ground: GroundKind) {
        self.ground = ground;
        self.restart();
    }

    /// Restarts the character at the origin. Discards the recording.
    pub fn restart(&mut self) {
        self.begin_at(Transform::IDENTITY);
        self.set_driver(self.driver());
    }

    /// Restarts the character at a position. Discards the recording.
    pub(crate) fn begin_at(&mut self, world_from_root: Transform) {
        if let Ok(matcher) = MotionMatcher::of(self.matcher.character().clone(), world_from_root) {
            self.matcher = matcher;
        }
        self.reset_variables();
        self.begin_recording();
    }

    fn begin_recording(&mut self) {
        self.recorder = Recorder::new(self.matcher.character(), RecorderConfig::default());
        self.recorder.set_ground(self.ground.name());
        self.tracks = Tracks::new(self.database.schema.channels.len());
        self.mode = Mode::Live;
        self.followed = None;
    }

    /// Advances the time: the live character moves, or the recording or clip continues.
    pub fn advance(&mut self, dt_s: f32, hands: &Hands, camera_yaw_rad: f32) {
        let dt_s = dt_s.clamp(0.0, LONGEST_STEP_S);
        let caught_up = self.followed.as_mut().map_or(Ok(()), |followed| followed.catch_up(&mut self.tracks));
        if let Err(what) = caught_up {
            self.message = Some(what);
        }
        let result = match &mut self.mode {
            Mode::Live if self.followed.is_some() => Ok(()),
            Mode::Live => self.drive(dt_s, hands, camera_yaw_rad),
            Mode::Review(review) => {
                let played = review.playing;
                let result = review.advance(dt_s);
                let (update, at_end) = (review.update, played && !review.playing && result.is_ok());
                if at_end {
                    self.play_on(update);
                }
                result
            }
            Mode::Clip(player) => {
                player.advance(&self.database, dt_s);
                Ok(())
            }
        };
        if let Err(what) = result {
            self.message = Some(what);
        }
    }

    /// Continues at the end of a recording that has grown since.
    fn play_on(&mut self, update: usize) {
        if self.followed.as_ref().is_none_or(|_| self.tracks.len() <= update + 1) {
            return;
        }
        if self.tracks.len() - update < NEARLY_LIVE {
            self.mode = Mode::Live;
        } else {
            self.review_anew(update, true);
        }
    }

    /// Shows an update of the recording in its current length.
    pub(crate) fn review_anew(&mut self, update: usize, playing: bool) {
        self.mode = Mode::Live;
        self.scrub(update);
        if let Mode::Review(review) = &mut self.mode {
            review.playing = playing;
        }
    }

    fn drive(&mut self, dt_s: f32, hands: &Hands, camera_yaw_rad: f32) -> Result<(), String> {
        if dt_s <= 0.0 {
            return Ok(());
        }
        let kind = self.ground;
        let ground = move |at: Vec3| kind.at(at);
        let now = self.matcher.state().header.root.simulation;
        let mut input = self.steering.input(hands, camera_yaw_rad, &now, dt_s);
        if self.matcher.character().machine().is_some() {
            input.variables = self.variables.values();
        }
        if !kind.is_level() {
            input.ground = Some(&ground);
        }
        // If the events of an update reach their limit, the next update consumes the remaining time.
        let mut left_s = dt_s;
        while left_s > 0.0 {
            let start = Instant::now();
            self.recorder.update(&mut self.matcher, &input, left_s).map_err(|e| e.to_string())?;
            let update_us = start.elapsed().as_nanos() as f32 / 1e3;
            let consumed_s = self.matcher.output().consumed_s;
            self.tracks.push(&self.matcher, input.action.as_ref(), consumed_s, update_us);
            left_s = if consumed_s > 0.0 { left_s - consumed_s } else { 0.0 };
        }
        Ok(())
    }

    /// Returns true while the live character is shown.
    pub fn is_live(&self) -> bool {
        matches!(self.mode, Mode::Live)
    }

    /// Continues the live character.
    pub fn go_live(&mut self) {
        self.mode = Mode::Live;
    }

    /// Continues the live character from the update shown, with the current settings. Discards later updates.
    pub fn go_on_from_here(&mut self) {
        let Mode::Review(review) = &self.mode else { return };
        let state = review.replay.matcher().state().clone();
        let (machine, variables) = (review.trace.machine().cloned(), review.replay.input().variables.clone());
        let done = self.follow_machine(machine.as_ref()).and_then(|()| {
            self.matcher.restore(&state).map_err(|e| e.to_string())?;
            self.put_variables(&variables);
            self.begin_recording();
            Ok(())
        });
        if let Err(what) = done {
            self.message = Some(what);
        }
    }

    /// Pauses at the last recorded update.
    pub fn pause(&mut self) {
        if self.is_live() && !self.tracks.is_empty() {
            self.scrub(self.tracks.len() - 1);
        }
    }

    /// Shows a recorded update.
    pub fn scrub(&mut self, update: usize) {
        // A growing recording may be longer than the reviewed copy.
        let newest = self.tracks.len().saturating_sub(1);
        let behind = |review: &Review| self.followed.is_some() && review.trace.updates() <= update.min(newest);
        if !matches!(&self.mode, Mode::Review(review) if !behind(review)) {
            match self.review() {
                Ok(review) => self.mode = Mode::Review(Box::new(review)),
                Err(what) => {
                    self.message = Some(what);
                    return;
                }
            }
        }
        if let Mode::Review(review) = &mut self.mode
            && let Err(what) = review.show(update)
        {
            self.message = Some(what);
        }
    }

    fn review(&mut self) -> Result<Review, String> {
        if let Some(followed) = &self.followed {
            return self.replay(Arc::clone(followed.replay.trace()), false);
        }
        let trace = Arc::new(self.recorder.trace());
        // The recorder drops its oldest updates in pieces.
        self.tracks.keep(trace.updates());
        self.replay(trace, false)
    }

    fn replay(&self, trace: Arc<Trace>, opened: bool) -> Result<Review, String> {
        let ground = Self::named_ground(trace.ground());
        let replay = Replay::new(trace.clone(), self.matcher.character().clone(), ground).map_err(|e| e.to_string())?;
        Ok(Review { trace, replay, update: 0, playing: false, looped: None, ahead_s: 0.0, opened })
    }

    /// Returns the ground of a name, or `None` for level ground and unknown names.
    pub(crate) fn named_ground(name: &str) -> Option<NamedGround> {
        let kind = GroundKind::by_name(name).filter(|kind| !kind.is_level())?;
        Some(Arc::new(move |at| kind.at(at)))
    }

    /// Returns the ground of the character shown; level if it is unknown.
    pub(crate) fn shown_ground(&self) -> GroundKind {
        let trace = match (&self.mode, &self.followed) {
            (Mode::Clip(_), _) => return GroundKind::Level,
            (Mode::Review(review), _) => &review.trace,
            (Mode::Live, Some(followed)) => followed.replay.trace(),
            (Mode::Live, None) => return self.ground,
        };
        GroundKind::by_name(trace.ground()).unwrap_or(GroundKind::Level)
    }

    /// Shows a recording from a file.
    ///
    /// # Errors
    /// Returns a message if the recording is of other data or damaged.
    pub fn open_trace(&mut self, trace: Trace) -> Result<(), String> {
        if self.networks.is_some() && trace.data().has_networks() != self.plays_networks() {
            self.play_networks(trace.data().has_networks())?;
        }
        let mut review = self.replay(Arc::new(trace), true)?;
        let mut tracks = Tracks::new(self.database.schema.channels.len());
        for update in 0..review.trace.updates() {
            review.show(update)?;
            let request = review.replay.input().action.as_ref();
            tracks.push(review.replay.matcher(), request, review.trace.dt_s(update), 0.0);
        }
        review.show(0)?;
        self.tracks = tracks;
        self.mode = Mode::Review(Box::new(review));
        self.followed = None;
        Ok(())
    }

    /// Returns the recording.
    pub fn trace(&self) -> Trace {
        match (&self.mode, &self.followed) {
            (_, Some(followed)) => (**followed.replay.trace()).clone(),
            (Mode::Review(review), None) => (*review.trace).clone(),
            _ => self.recorder.trace(),
        }
    }

    /// Plays a clip of the database from its start.
    pub fn play_clip(&mut self, clip: ClipIndex) {
        self.show_clip(ClipPlayer { clip, time_s: 0.0, playing: true });
    }

    /// Shows a clip at a time, paused.
    pub fn show_moment(&mut self, clip: ClipIndex, time_s: f64) {
        self.show_clip(ClipPlayer { clip, time_s, playing: false });
    }

    fn show_clip(&mut self, player: ClipPlayer) {
        if player.clip.at() < self.database.clips.len() {
            self.mode = Mode::Clip(player);
        }
    }

    /// Returns the request of the update shown. A character that is driven here has none.
    pub(crate) fn shown_request(&self) -> Option<ActionRequest> {
        match (&self.mode, &self.followed) {
            (Mode::Review(review), _) => review.replay.input().action,
            (Mode::Live, Some(followed)) => followed.replay.input().action,
            _ => None,
        }
    }

    /// Returns the index of the update shown; the last one while the character is live.
    pub fn shown_update(&self) -> Option<usize> {
        match &self.mode {
            Mode::Live => self.tracks.len().checked_sub(1),
            Mode::Review(review) => Some(review.update),
            Mode::Clip(_) => None,
        }
    }

    /// Returns the height of level ground below a recorded character, in metres, or `None` for one that is driven here, which
    /// starts at 0. A recorded ground without a name is known only below the character, and is shown as level at that height.
    pub(crate) fn level_m(&self) -> Option<f32> {
        let recorded = matches!(self.mode, Mode::Review(_)) || self.is_live() && self.followed.is_some();
        let header = &self.shown().state().header;
        if !recorded {
            return None;
        }
        let ground = &header.corrections.body;
        Some(if ground.seen > 0.0 { ground.height.value } else { header.root.animated.translation.y })
    }

    /// Returns the matcher of the character shown: the live one, or that of the recording.
    pub fn shown(&self) -> &MotionMatcher {
        match &self.mode {
            Mode::Review(review) => review.replay.matcher(),
            _ => self.followed.as_ref().map_or(&self.matcher, |followed| followed.replay.matcher()),
        }
    }

    /// Writes the `[joints]` pose shown, in world space.
    pub fn world(&mut self, world: &mut Vec<Transform>) {
        let skeleton = &self.database.skeleton;
        match &self.mode {
            Mode::Clip(player) => {
                let mut pose = Pose::rest(skeleton);
                self.database.view(player.clip, false).sample(player.time_s, &mut pose, &mut self.still);
                pose.world(skeleton, world);
            }
            _ => self.shown().pose().world(skeleton, world),
        }
    }
}
