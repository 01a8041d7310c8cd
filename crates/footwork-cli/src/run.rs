//! Simulates a character over a course, or replays a recording, and keeps the displayed motion.

use crate::cast::Cast;
use crate::choose::{Choosing, Chosen};
use crate::progress;
use anyhow::{Result, bail};
use footwork::advanced::recorder::NamedGround;
use footwork::advanced::search::Explanation;
use footwork::clip::{Annotations, RawClip};
use footwork::database::{Database, TagQuery};
use footwork::input::ActionRequest;
use footwork::machine::{Exit, Variables};
use footwork::matcher::{Character, MotionMatcher, Playing};
use footwork::math::{Facing, Quat, Transform};
use footwork::recorder::{Recorder, RecorderConfig, Replay, Trace};
use footwork_draw::path_plot::PathSample;
use footwork_metrics::PoseHash;
use footwork_metrics::action_log::ActionLog;
use footwork_metrics::courses::{Cues, Script};
use footwork_metrics::ground::GroundKind;
use footwork_metrics::machine_log::MachineLog;
use glam::Vec3;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// A run to simulate.
#[derive(Debug)]
pub struct Drive {
    /// Input over time.
    pub course: Script,
    /// Variables and triggers over time.
    pub cues: Option<Cues>,
    /// Chooses the character at each update.
    pub chooser: Option<Choosing>,
    /// Ground of the run.
    pub ground: GroundKind,
    /// Query for the admissible rows.
    pub tags: TagQuery,
    /// Length of the run, in seconds.
    pub seconds: f32,
    /// Time step, in seconds.
    pub dt_s: f32,
    /// Time from which the first search is explained, in seconds.
    pub explain_s: Option<f32>,
    /// Title of a recording; `None`: the run is not recorded.
    pub record: Option<String>,
    /// Hides the progress bar.
    pub json: bool,
}

/// A recording to replay.
#[derive(Debug)]
pub struct Rerun {
    pub trace: Arc<Trace>,
    /// A change of the character: time in seconds, and the new character.
    pub fork: Option<(f64, Arc<Character>)>,
    /// Hides the progress bar.
    pub json: bool,
}

/// Measurements of a run; units are in the names.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub seconds: f32,
    pub dt_s: f32,
    pub search: &'static str,
    pub updates: usize,
    pub searches: u64,
    pub transitions: u64,
    pub searches_per_s: f32,
    pub transitions_per_s: f32,
    /// Mean horizontal distance between the simulated character and the displayed root.
    pub path_error_m: f32,
    pub path_error_max_m: f32,
    /// Mean angle between the two facings.
    pub heading_error_deg: f32,
    pub update_us_median: f32,
    pub update_us_p99: f32,
    /// Largest vertical distance between the displayed root and the ground under it.
    pub root_height_max_m: f32,
    /// Number of distinct clips played.
    pub clips_played: usize,
    /// Hash of all poses: equal hashes mean identical motion.
    pub pose_hash: String,
}

/// The state of a state machine at a time, and its exits.
#[derive(Clone, Debug, Serialize)]
pub struct StayTold {
    /// Time of the run.
    pub time_s: f64,
    /// Full name of the state.
    pub state: String,
    /// Time in the state, in seconds.
    pub state_s: f32,
    /// Exits, in the order in which they are tested.
    pub exits: Vec<Exit>,
}

impl StayTold {
    /// Returns `None` without a state machine.
    fn of(character: &MotionMatcher, variables: &[f32]) -> Option<Self> {
        let view = character.machine_view()?;
        let time_s = character.state().header.clock.time_s;
        let exits = character.machine_exits(variables);
        Some(Self { time_s, state: view.state.to_owned(), state_s: view.state_s, exits })
    }
}

/// A simulated or replayed run.
#[derive(Debug)]
pub struct Driven {
    pub summary: Summary,
    /// Ground of the run; `None` if it is unknown.
    pub ground: Option<GroundKind>,
    pub explanation: Option<Explanation>,
    /// The state of the state machine at the time to explain.
    pub stay: Option<StayTold>,
    /// Log of the state machine; empty without one.
    pub machine: MachineLog,
    /// Log of requests for actions; empty without requests.
    pub actions: ActionLog,
    /// The characters that a chooser chose; empty without one.
    pub chosen: Vec<Chosen>,
    /// `[updates x joints]` translations.
    pub translations: Vec<Vec3>,
    /// `[updates x joints]` rotations.
    pub rotations: Vec<Quat>,
    pub commanded: Vec<PathSample>,
    pub walked: Vec<PathSample>,
    /// Updates with a transition.
    pub transitions: Vec<usize>,
    /// `[updates]` number of transitions.
    pub transition_counts: Vec<u32>,
    /// `[updates x contact joints]` contacts of the playing frame.
    pub contacts: Vec<u8>,
    /// `[updates]` playing clip.
    pub playing: Vec<Playing>,
    /// First update and name of each part of the course.
    pub parts: Vec<(usize, String)>,
    /// The recording, if requested.
    pub trace: Option<Trace>,
    /// True if a fork assumes level ground, since the ground of the recording is unknown.
    pub assumes_level_ground: bool,
}

impl Drive {
    /// Runs the simulation. Neither measuring time nor recording affects the motion.
    pub fn run(mut self, cast: &Cast) -> Result<Driven> {
        let updates = (self.seconds / self.dt_s).round().max(1.0) as usize;
        let mut character = MotionMatcher::of(Arc::clone(&cast.character), Transform::IDENTITY)?;
        let mut recorder = self.record.as_deref().map(|title| self.recorder(&cast.character, title, updates));
        let mut driven = Driven { ground: Some(self.ground), ..Driven::empty() };
        let mut watch = Watch::default();
        let kind = self.ground;
        let ground = move |at: Vec3| kind.at(at);
        let mut variables = cast.character.machine().map(|machine| machine.variables()).unwrap_or_default();
        let bar = progress::bar("driving", updates as u64, self.json);
        for k in 0..updates {
            let time_s = (k as f64 * f64::from(self.dt_s)) as f32;
            let part = self.course.part(time_s);
            if driven.parts.last().is_none_or(|p| p.1 != part) {
                driven.parts.push((k, part.to_owned()));
                recorder.iter_mut().for_each(|r| r.mark(part));
            }
            if let Some(cues) = &mut self.cues {
                let chooser = self.chooser.as_mut().map(|chooser| &mut chooser.variables);
                let mut all: Vec<&mut Variables> = chooser.into_iter().chain([&mut variables]).collect();
                cues.apply(time_s, &mut all);
            }
            if let Some(chooser) = &mut self.chooser {
                chooser.apply(&mut character, &mut variables, f64::from(time_s))?;
            }
            let now = character.state().header.root.simulation;
            let mut input = self.course.input(time_s, &now);
            input.tags = self.tags;
            input.variables = variables.values();
            input.ground = if kind.is_level() { None } else { Some(&ground) };
            let start = Instant::now();
            match &mut recorder {
                Some(recorder) => recorder.update(&mut character, &input, self.dt_s)?,
                None => character.update(&input, self.dt_s)?,
            };
            watch.update_us.push(start.elapsed().as_nanos() as f32 / 1e3);
            driven.record(k, &character, input.action.as_ref(), &mut watch);
            let wanted = self.explain_s.is_some_and(|t| time_s >= t);
            if wanted && driven.explanation.is_none() && character.output().searches > 0 {
                driven.explanation = character.explain(8);
            }
            if wanted && driven.stay.is_none() {
                driven.stay = StayTold::of(&character, input.variables);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        driven.summary = watch.summary(updates as f32 * self.dt_s, self.dt_s, cast.search);
        driven.trace = recorder.map(|r| r.trace());
        driven.chosen = self.chooser.map(|chooser| chooser.chosen).unwrap_or_default();
        if driven.trace.as_ref().is_some_and(|t| t.updates() < updates) {
            bail!("the run is too long for a trace; reduce --seconds");
        }
        Ok(driven)
    }

    /// Returns a recorder that keeps the whole run.
    fn recorder(&self, character: &Character, title: &str, updates: usize) -> Recorder {
        /// Key frames and changes of the input, per second; flags, per update.
        const BYTES: [usize; 2] = [8192, 32];
        let defaults = RecorderConfig::default();
        let max_bytes = defaults.max_bytes + self.seconds as usize * BYTES[0] + updates * BYTES[1];
        let mut recorder =
            Recorder::new(character, RecorderConfig { seconds: self.seconds + 1.0, max_bytes, ..defaults });
        recorder.set_title(title);
        recorder.set_ground(self.ground.name());
        recorder
    }
}

impl Rerun {
    /// Replays the recording with the data with which it was made.
    ///
    /// # Errors
    /// Returns an error if the data differ, or if the name of the ground is unknown.
    pub fn run(self, cast: &Cast) -> Result<Driven> {
        let Self { trace, fork, json } = self;
        let level = (!trace.asks_for_ground()).then_some(GroundKind::Level);
        let kind = GroundKind::by_name(trace.ground()).or(level);
        let ground = kind.map(|kind| -> NamedGround { Arc::new(move |at| kind.at(at)) });
        let mut replay = Replay::new(Arc::clone(&trace), Arc::clone(&cast.character), ground)?;
        let mut driven = Driven { ground: kind, parts: trace.marks().to_vec(), ..Driven::empty() };
        let mut watch = Watch::default();
        // Number of recorded updates before the fork; 0 at a time of 0.
        let fork_update = fork.as_ref().map(|(at_s, _)| if *at_s > 0.0 { trace.update_at(*at_s) + 1 } else { 0 });
        let mut search = cast.search_with(trace.config());
        let bar = progress::bar("replaying", trace.updates() as u64, json);
        replay.rewind()?;
        for k in 0..trace.updates() {
            if let Some((_, character)) = fork.as_ref().filter(|_| fork_update == Some(k)) {
                replay.fork(Arc::clone(character))?;
                search = cast.search_with(character.config());
            }
            let start = Instant::now();
            replay.step()?;
            watch.update_us.push(start.elapsed().as_nanos() as f32 / 1e3);
            driven.record(k, replay.matcher(), replay.input().action.as_ref(), &mut watch);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let (updates, dt_s) = (trace.updates(), trace.dt_s(0));
        let steady = (0..updates).all(|k| trace.dt_s(k) == dt_s);
        let dt_s = if steady { dt_s } else { (trace.seconds() / updates as f64) as f32 };
        driven.assumes_level_ground = replay.assumes_level_ground();
        driven.summary = watch.summary(updates as f32 * dt_s, dt_s, search);
        if steady { Ok(driven) } else { Ok(driven.at_steps(&trace, dt_s)) }
    }
}

impl Driven {
    fn empty() -> Self {
        Self {
            summary: Watch::default().empty_summary(),
            ground: None,
            explanation: None,
            stay: None,
            machine: MachineLog::default(),
            actions: ActionLog::default(),
            chosen: Vec::new(),
            translations: Vec::new(),
            rotations: Vec::new(),
            commanded: Vec::new(),
            walked: Vec::new(),
            transitions: Vec::new(),
            transition_counts: Vec::new(),
            contacts: Vec::new(),
            playing: Vec::new(),
            parts: Vec::new(),
            trace: None,
            assumes_level_ground: false,
        }
    }

    fn record(&mut self, update: usize, character: &MotionMatcher, request: Option<&ActionRequest>, watch: &mut Watch) {
        let pose = character.pose();
        watch.hash.push(pose);
        self.translations.extend_from_slice(&pose.translations);
        self.rotations.extend_from_slice(&pose.rotations);
        let header = &character.state().header;
        let simulation = &header.root.simulation;
        let root = pose.world_from_root();
        let facing = Facing::from_rotation(root.rotation);
        self.commanded.push(PathSample { position: simulation.position, facing: simulation.facing });
        self.walked.push(PathSample { position: root.translation, facing });
        self.machine.push(character);
        self.actions.push(character, request);
        let output = character.output();
        watch.searches += u64::from(output.searches);
        watch.transitions += u64::from(output.transitions);
        if output.transitions > 0 {
            self.transitions.push(update);
        }
        self.transition_counts.push(output.transitions);
        self.contacts.extend(output.contacts.iter().map(|foot| u8::from(foot.touching)));
        self.playing.push(header.playback.playing);
        let apart = simulation.position - root.translation;
        watch.path_error_m.push((apart.x * apart.x + apart.z * apart.z).sqrt());
        watch.heading_error_rad.push(facing.angle_to(simulation.facing).abs());
        let ground_m = self.ground.map_or(0.0, |kind| kind.at(root.translation).height_m);
        watch.root_height_max_m = watch.root_height_max_m.max((root.translation.y - ground_m).abs());
        let clip = header.playback.playing.clip.at();
        watch.played.resize(watch.played.len().max(clip + 1), false);
        watch.played[clip] = true;
    }

    /// Returns the run at equal time steps, as required by pictures and clips: each step shows the update at its time.
    fn at_steps(self, trace: &Trace, dt_s: f32) -> Self {
        let count = self.playing.len();
        let (joints, slots) = (self.rotations.len() / count.max(1), self.contacts.len() / count.max(1));
        let (mut steps, mut shown) = (Self { parts: self.parts.clone(), ..Self::empty() }, 0);
        for k in 0..count {
            let update = trace.update_at((k + 1) as f64 * f64::from(dt_s));
            steps.translations.extend_from_slice(&self.translations[update * joints..][..joints]);
            steps.rotations.extend_from_slice(&self.rotations[update * joints..][..joints]);
            steps.contacts.extend_from_slice(&self.contacts[update * slots..][..slots]);
            steps.commanded.push(self.commanded[update]);
            steps.walked.push(self.walked[update]);
            steps.playing.push(self.playing[update]);
            let since = shown..(update + 1).max(shown);
            steps.parts.iter_mut().zip(&self.parts).filter(|(_, p)| since.contains(&p.0)).for_each(|(p, _)| p.0 = k);
            let transitions = self.transition_counts[since].iter().sum();
            steps.transition_counts.push(transitions);
            if transitions > 0 {
                steps.transitions.push(k);
            }
            shown = shown.max(update + 1);
        }
        // Parts that begin between two steps begin together: the last of them is kept.
        let begins: Vec<usize> = steps.parts.iter().map(|p| p.0).collect();
        let mut k = 0;
        steps.parts.retain(|_| {
            k += 1;
            begins.get(k) != Some(&begins[k - 1])
        });
        let Self { summary, ground, explanation, stay, machine, actions, chosen, trace, assumes_level_ground, .. } =
            self;
        Self { summary, ground, explanation, stay, machine, actions, chosen, trace, assumes_level_ground, ..steps }
    }

    /// Returns the motion as a clip.
    pub fn clip(&self, db: &Database, name: &str) -> RawClip {
        RawClip {
            name: name.to_owned(),
            source: "footwork".to_owned(),
            skeleton: db.skeleton.clone(),
            rate_hz: 1.0 / self.summary.dt_s,
            looping: false,
            translations: self.translations.clone(),
            rotations: self.rotations.clone(),
            annotations: Annotations::default(),
        }
    }
}

/// Measurements collected during a run.
#[derive(Default)]
struct Watch {
    hash: PoseHash,
    update_us: Vec<f32>,
    path_error_m: Vec<f32>,
    heading_error_rad: Vec<f32>,
    root_height_max_m: f32,
    played: Vec<bool>,
    searches: u64,
    transitions: u64,
}

impl Watch {
    fn empty_summary(&self) -> Summary {
        Summary {
            seconds: 0.0,
            dt_s: 0.0,
            search: "",
            updates: 0,
            searches: 0,
            transitions: 0,
            searches_per_s: 0.0,
            transitions_per_s: 0.0,
            path_error_m: mean(&self.path_error_m),
            path_error_max_m: self.path_error_m.iter().copied().fold(0.0, f32::max),
            heading_error_deg: mean(&self.heading_error_rad).to_degrees(),
            update_us_median: 0.0,
            update_us_p99: 0.0,
            root_height_max_m: self.root_height_max_m,
            clips_played: self.played.iter().filter(|p| **p).count(),
            pose_hash: self.hash.to_string(),
        }
    }

    fn summary(mut self, seconds: f32, dt_s: f32, search: &'static str) -> Summary {
        let updates = self.update_us.len();
        self.update_us.sort_by(f32::total_cmp);
        Summary {
            seconds,
            dt_s,
            search,
            updates,
            searches: self.searches,
            transitions: self.transitions,
            searches_per_s: self.searches as f32 / seconds,
            transitions_per_s: self.transitions as f32 / seconds,
            update_us_median: self.update_us[updates / 2],
            update_us_p99: self.update_us[(updates * 99 / 100).min(updates - 1)],
            ..self.empty_summary()
        }
    }
}

/// Returns the mean, summed in double precision.
fn mean(values: &[f32]) -> f32 {
    (values.iter().map(|v| f64::from(*v)).sum::<f64>() / values.len().max(1) as f64) as f32
}
