//! Records a character driven over a course, frame by frame at 60 Hz.

use crate::RATE_HZ;
use crate::courses::Course;
use crate::metrics::seam;
use crate::motion::Motion;
use crate::source::Source;
use footwork::advanced::search::{Candidates, SearchIndex, SearchQuery};
use footwork::advanced::trajectory::Simulation;
use footwork::database::Database;
use footwork::frames::RowIndex;
use footwork::input::{GroundHook, InputError, MotionInput};
use footwork::learned::LearnedError;
use footwork::machine::MachineError;
use footwork::matcher::Backend;
use footwork::matcher::{Character, ConfigError, MotionMatcher, Playing};
use footwork::math::{Facing, Transform};
use footwork::pose::{Pose, PoseVelocity, RootMotion};
use glam::Vec3;
use std::sync::Arc;

/// A run over a course. Frame `k` is the result of the input in row `k`.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The displayed motion.
    pub motion: Motion,
    /// `[frames]` exact playback position; `motion.playing` has its frames in clips.
    pub playing: Vec<Playing>,
    /// `[frames]` position of the simulated character, world.
    pub simulated: Vec<Vec3>,
    /// `[frames]` facing of the simulated character, world.
    pub simulated_facings: Vec<Facing>,
    /// `[frames x contact joints]` seconds for which each foot has been locked; 0 for a free foot.
    pub locked_s: Vec<f32>,
    /// Transitions, in order.
    pub seams: Vec<Seam>,
}

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// First frame of the new clip.
    pub frame: usize,
    /// Difference between the captured poses before and after; `None` for motion without clips, and to or from a blended clip.
    pub jump: Option<Jump>,
}

/// Size of the discontinuity at a transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// Mean distance between the joints of the two poses, cm.
    pub pose_cm: f32,
    /// Mean difference between the velocities of their joints, cm/s.
    pub velocity_cm_s: f32,
}

/// A course could not be recorded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The configuration does not fit the database.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database needs input that a course does not have.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The state machine belongs to another database.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The networks do not fit the database.
    #[error(transparent)]
    Learned(#[from] LearnedError),
    /// Foot locks and IK changed the playing clip, so that the runs with and without them cannot be compared.
    #[error(
        "course {course}, run {run}, {time_s:.2} s: something else plays with foot locks than without, so what they do \
         cannot be measured"
    )]
    FeetDecide {
        /// Name of the course.
        course: &'static str,
        /// Run, from 0.
        run: usize,
        /// Time of the first frame that differs.
        time_s: f32,
    },
}

/// A frame of motion that does not come from a matcher.
#[derive(Clone, Copy, Debug)]
pub struct ShownFrame<'a> {
    /// The pose; its root is in world space.
    pub pose: &'a Pose,
    /// `[contact joints]` 1 if the foot is in contact.
    pub contacts: &'a [u8],
    /// `[columns]` normalised features of the frame, for finding the nearest frame of the clips.
    pub features: &'a [f32],
    /// State of the simulated character.
    pub simulation: &'a Simulation,
}

/// Records motion that does not come from a matcher, frame by frame at 60 Hz.
pub struct Recorder<'a> {
    db: &'a Database,
    source: &'a Source,
    like: Like,
    world: Vec<Transform>,
    recording: Recording,
}

impl<'a> Recorder<'a> {
    /// Creates a recorder without frames.
    pub fn new(db: &'a Database, source: &'a Source) -> Self {
        Self { db, source, like: Like::new(db), world: Vec::new(), recording: Recording::new(db) }
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &ShownFrame) {
        let playing = self.like.playing(self.db, frame.features);
        frame.pose.world(&self.db.skeleton, &mut self.world);
        let recording = &mut self.recording;
        recording.motion.push(&self.source.subject, &self.world, frame.contacts, self.source.frame(&playing));
        recording.playing.push(playing);
        recording.simulated.push(frame.simulation.position);
        recording.simulated_facings.push(frame.simulation.facing);
        recording.locked_s.extend(frame.contacts.iter().map(|_| 0.0));
    }

    /// Returns the recording of all frames.
    pub fn finish(self) -> Recording {
        self.recording
    }
}

impl Recording {
    fn new(db: &Database) -> Self {
        Self {
            motion: Motion::new(db.skeleton.len()),
            playing: Vec::new(),
            simulated: Vec::new(),
            simulated_facings: Vec::new(),
            locked_s: Vec::new(),
            seams: Vec::new(),
        }
    }

    /// Returns the first frame whose playback position differs from another recording of the same course.
    pub fn first_other_decision(&self, other: &Self) -> Option<usize> {
        self.playing.iter().zip(&other.playing).position(|(ours, theirs)| ours != theirs)
    }
}

/// Records a character over a course. It starts idle at the origin, facing +Z.
///
/// # Errors
/// Returns [`RecordError`] if the configuration does not fit the database, or the database needs input that a stick cannot give.
pub fn record(
    character: &Arc<Character>,
    db: &Arc<Database>,
    source: &Source,
    course: &Course,
) -> Result<Recording, RecordError> {
    let like = if character.plays_clips() { None } else { Some(Like::new(db)) };
    let mut character = MotionMatcher::of(Arc::clone(character), Transform::IDENTITY)?;
    let mut contacts = vec![0; db.rig.contact_joints.len()];
    let mut jumps = Jumps::new(db);
    let mut world = Vec::new();
    let mut recording = Recording::new(db);
    let dt_s = 1.0 / RATE_HZ;
    let heights = |at: Vec3| course.ground.at(at);
    let ground: Option<&GroundHook> = if course.ground.is_level() { None } else { Some(&heights) };
    for (frame, stick) in course.rows.iter().enumerate() {
        let before = character.state().header.playback.playing;
        character.update(&MotionInput { ground, ..MotionInput::stick(*stick) }, dt_s)?;
        let (header, output) = (&character.state().header, character.output());
        let playing = source.frame(&match &like {
            Some(like) => like.playing(db, character.code().unwrap_or_default()),
            None => character.captured(),
        });
        contacts.iter_mut().zip(&output.contacts).for_each(|(c, foot)| *c = u8::from(foot.touching));
        output.pose.world(&db.skeleton, &mut world);
        recording.motion.push(&source.subject, &world, &contacts, playing);
        recording.playing.push(header.playback.playing);
        recording.simulated.push(header.root.simulation.position);
        recording.simulated_facings.push(header.root.simulation.facing);
        recording.locked_s.extend(output.contacts.iter().map(|foot| foot.locked_s));
        let blends = [before, header.playback.playing].iter().any(|p| p.clip.at() >= db.clips.len());
        if output.transitions > 0 && (like.is_some() || blends) {
            recording.seams.push(Seam { frame, jump: None });
        } else if output.transitions > 0 {
            // Both clips at the time of the transition.
            let since_s = f64::from(header.transition.since_s);
            let from = Playing { time_s: before.time_s + f64::from(dt_s) - since_s, ..before };
            let to = Playing { time_s: header.playback.playing.time_s - since_s, ..header.playback.playing };
            recording.seams.push(Seam { frame, jump: Some(jumps.between(db, from, to)) });
        }
    }
    Ok(recording)
}

/// Finds the captured frame nearest to the pose of a character without clips.
struct Like {
    index: SearchIndex,
    multipliers: Vec<f32>,
    candidates: Candidates,
}

impl Like {
    fn new(db: &Database) -> Self {
        let candidates = Candidates { tags: db.accepted(&crate::level_tags(db)), ..Candidates::default() };
        let multipliers = vec![1.0; db.features.columns];
        Self { index: SearchIndex::build(db, Backend::Tree), multipliers, candidates }
    }

    /// Returns the nearest captured frame to a code, which begins with its features.
    fn playing(&self, db: &Database, code: &[f32]) -> Playing {
        let features = &code[..db.features.columns.min(code.len())];
        let ask = SearchQuery { candidates: self.candidates, ..SearchQuery::new(features, &self.multipliers) };
        let row = self.index.search(db, &ask).map_or(RowIndex(0), |m| m.row);
        let clip = db.row_clips[row.at()];
        Playing { clip, mirrored: db.clips[clip.at()].mirrored, time_s: db.row_time_s(row) }
    }
}

/// Working buffers for the discontinuities at transitions.
struct Jumps {
    pose: Pose,
    velocity: PoseVelocity,
    motions: [RootMotion; 2],
}

impl Jumps {
    fn new(db: &Database) -> Self {
        let joints = db.skeleton.len();
        Self {
            pose: Pose::rest(&db.skeleton),
            velocity: PoseVelocity::zero(joints),
            motions: [RootMotion::zero(joints), RootMotion::zero(joints)],
        }
    }

    /// Returns the differences of pose (cm) and velocity (cm/s) in root space.
    fn between(&mut self, db: &Database, from: Playing, to: Playing) -> Jump {
        for (playing, motion) in [from, to].into_iter().zip(&mut self.motions) {
            let view = db.view(playing.clip, playing.mirrored);
            view.sample(playing.time_s, &mut self.pose, &mut self.velocity);
            // The root's velocity is zero, so that the velocities are relative to the root.
            (self.velocity.linear[0], self.velocity.angular[0]) = (Vec3::ZERO, Vec3::ZERO);
            motion.from_pose(&db.skeleton, &self.pose, &self.velocity);
        }
        let [from, to] = &self.motions;
        Jump { pose_cm: seam::pose_jump_cm(from, to), velocity_cm_s: seam::velocity_jump_cm_s(from, to) }
    }
}
