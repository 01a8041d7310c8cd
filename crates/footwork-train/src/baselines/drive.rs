//! Drives a baseline over a course, with the same input, simulated character and prediction as a matcher.

use super::walkers::Walker;
use crate::error::TrainError;
use footwork::adjust::root::{AdjustRoot, RootConfig};
use footwork::advanced::learned::{BodyLayout, Sampler};
use footwork::advanced::schema::{SourceBuffers, TrajectorySample};
use footwork::advanced::trajectory::{Desired, PathProgress, Prediction, Simulation, Steering};
use footwork::database::Database;
use footwork::input::{MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig};
use footwork::math::{Facing, Quat, Transform};
use footwork::pose::{Pose, PoseVelocity};
use footwork_metrics::RATE_HZ;
use footwork_metrics::recording::{Recorder, Recording, ShownFrame};
use footwork_metrics::source::Source;
use glam::Vec3;
use std::sync::Arc;

/// Velocities are central differences over this time before and after, seconds.
const DIFFERENCE_S: f32 = 1.0 / 120.0;

/// Everything that all driven characters share.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The database.
    pub db: Arc<Database>,
    /// The exact search, with default settings.
    pub character: Arc<Character>,
    layout: BodyLayout,
    /// Body and features of an idle character.
    rest: (Vec<f32>, Vec<f32>),
}

impl Stage {
    /// Creates a stage for a database.
    ///
    /// # Errors
    /// Returns [`TrainError::NoGait`] for features that a baseline cannot use as inputs, and [`TrainError::Drive`] for a database
    /// that does not fit the default settings.
    pub fn new(db: &Arc<Database>) -> Result<Self, TrainError> {
        let schema = &db.schema;
        if schema.user_width > 0 || schema.needs_accelerations || schema.times_s.iter().any(|t| *t <= 0.0) {
            return Err(TrainError::NoGait);
        }
        let drive = |error: footwork::matcher::ConfigError| TrainError::Drive(error.into());
        let character = Arc::new(Character::new(db.clone(), MatcherConfig::default()).map_err(drive)?);
        let at = character.state_at(Transform::IDENTITY).map_err(drive)?.header.playback.playing;
        let mut sampler = Sampler::new(db);
        let layout = sampler.layout().clone();
        let (mut body, mut features) = (vec![0.0; layout.width()], vec![0.0; db.features.columns]);
        sampler.sample(at.clip, at.mirrored, at.time_s, &mut features, &mut body);
        Ok(Self { db: db.clone(), character, layout, rest: (body, features) })
    }

    /// Drives a walker over rows of 1/60 s on level ground. It starts idle at the origin, facing +Z. With `pulled`, its root is
    /// kept near the simulated character in the same way as a matcher's.
    pub fn drive(&self, walker: &mut dyn Walker, pulled: bool, rows: &[Stick], show: &mut dyn FnMut(&ShownFrame)) {
        let mut run = Run::new(self);
        walker.begin(&self.rest.0, &self.rest.1);
        walker.body(0.0, &mut run.now);
        let mut before: Option<&Stick> = None;
        for stick in rows {
            let input = MotionInput::stick(*stick);
            run.look_ahead(self, &input);
            run.find_features(self, walker);
            walker.advance(&run.features, before.is_some_and(|b| b != stick), 1.0 / RATE_HZ);
            before = Some(stick);
            run.move_root(self, walker, pulled);
            run.show(self, show);
        }
    }

    /// Records the frames of [`Stage::drive`].
    pub fn record(&self, walker: &mut dyn Walker, pulled: bool, rows: &[Stick], source: &Source) -> Recording {
        let mut recorder = Recorder::new(&self.db, source);
        self.drive(walker, pulled, rows, &mut |frame| recorder.push(frame));
        recorder.finish()
    }
}

/// A run over a course.
struct Run {
    root: Transform,
    simulation: Simulation,
    desired: Desired,
    path: PathProgress,
    buffers: SourceBuffers,
    features: Vec<f32>,
    /// The displayed body.
    now: Vec<f32>,
    /// A body shortly before or after it, or that of the previous frame.
    other: Vec<f32>,
    pose: Pose,
    /// Poses shortly before and after.
    around: [Pose; 2],
    velocity: PoseVelocity,
    contacts: Vec<u8>,
}

impl Run {
    fn new(stage: &Stage) -> Self {
        let db = &stage.db;
        let contacts = db.rig.contact_joints.len();
        Self {
            root: Transform::IDENTITY,
            simulation: Simulation::default(),
            desired: Desired::default(),
            path: PathProgress::default(),
            buffers: SourceBuffers::new(&db.schema, &db.skeleton, contacts),
            features: vec![0.0; db.features.columns],
            now: vec![0.0; stage.layout.width()],
            other: vec![0.0; stage.layout.width()],
            pose: Pose::rest(&db.skeleton),
            around: [(); 2].map(|()| Pose::rest(&db.skeleton)),
            velocity: PoseVelocity::zero(db.skeleton.len()),
            contacts: vec![0; contacts],
        }
    }

    /// Predicts the requested motion and the trajectory towards it, in root space.
    fn look_ahead(&mut self, stage: &Stage, input: &MotionInput) {
        let (config, speeds) = (stage.character.config(), stage.character.stick());
        let steering = Steering {
            input,
            now: &self.simulation,
            before: &self.desired,
            speeds,
            pace: 1.0,
            max_speed_mps: f32::INFINITY,
            velocity_half_life_s: config.simulation.velocity_half_life_s,
            around: None,
        };
        self.desired = steering.desired(&mut self.path, 0.0);
        let prediction = Prediction {
            input,
            simulation: self.simulation,
            desired: self.desired,
            turn_radps: [0.0; 2],
            progress: self.path,
            speeds,
            pace: 1.0,
            max_speed_mps: f32::INFINITY,
            config: &config.simulation,
            prediction: &config.prediction,
            world_from_root: self.root,
            around: None,
        };
        self.buffers.trajectory.fill(TrajectorySample::default());
        prediction.run(&stage.db.schema.times_s, &mut self.buffers.trajectory);
    }

    /// Computes the normalised features of the displayed body and of the trajectory.
    fn find_features(&mut self, stage: &Stage, walker: &mut dyn Walker) {
        let (layout, db) = (&stage.layout, &stage.db);
        for (pose, after_s) in self.around.iter_mut().zip([-DIFFERENCE_S, DIFFERENCE_S]) {
            walker.body(after_s, &mut self.other);
            layout.decode(&self.other, pose);
        }
        let [before, after] = &self.around;
        let per_s = 0.5 / DIFFERENCE_S;
        for joint in 1..before.len() {
            let turn = after.rotations[joint] * before.rotations[joint].inverse();
            self.velocity.angular[joint] = turn.abs().to_rotation_vector() * per_s;
            self.velocity.linear[joint] = (after.translations[joint] - before.translations[joint]) * per_s;
        }
        let body = &self.now;
        layout.decode(body, &mut self.pose);
        self.velocity.linear[0] = Vec3::from_slice(&body[layout.root_velocity.clone()]);
        self.velocity.angular[0] = Vec3::Y * body[layout.root_turn.start];
        for (out, touches) in self.buffers.contacts.iter_mut().zip(&body[layout.contacts.clone()]) {
            *out = u8::from(*touches > 0.5);
        }
        self.pose.set_world_from_root(Transform::IDENTITY);
        self.buffers.gather_pose(&db.skeleton, &self.pose, &self.velocity);
        db.schema.extract(&self.buffers.source(), &mut self.features);
        db.features.normalize(&mut self.features);
    }

    /// Moves the root by the root motion of the body, and pulls it towards the simulated character.
    fn move_root(&mut self, stage: &Stage, walker: &mut dyn Walker, pulled: bool) {
        let (layout, config, dt_s) = (&stage.layout, stage.character.config(), 1.0 / RATE_HZ);
        self.other.copy_from_slice(&self.now);
        walker.body(0.0, &mut self.now);
        let mean = |at: usize| 0.5 * (self.other[at] + self.now[at]);
        let [x, y, z] = std::array::from_fn(|k| mean(layout.root_velocity.start + k));
        let turn = mean(layout.root_turn.start);
        // In the direction at the middle of the turn.
        let way = Quat::from_rotation_y(0.5 * turn * dt_s) * (Vec3::new(x, y, z) * dt_s);
        let from = self.root;
        self.root = from * Transform::new(way, Quat::from_rotation_y(turn * dt_s));
        self.root.translation.y = 0.0;
        self.simulation.advance(&self.desired, &config.simulation, dt_s);
        let free = RootConfig { adjust: false, clamp: false, ..config.root };
        let adjust = AdjustRoot {
            config: if pulled { &config.root } else { &free },
            simulation: &self.simulation,
            speed_mps: (self.root.translation - from.translation).length() / dt_s,
            turn_radps: turn.abs(),
            free_turn_radps: if stage.character.stick().turns {
                0.0
            } else {
                config.root.sparse_turn_degps.to_radians()
            },
            dt_s,
        };
        let (shift, turn) = adjust.run(self.root);
        self.root.translation += shift;
        let facing = Facing::from_rotation(self.root.rotation).turned(turn);
        self.root.rotation = facing.rotation();
    }

    fn show(&mut self, stage: &Stage, show: &mut dyn FnMut(&ShownFrame)) {
        stage.layout.decode(&self.now, &mut self.pose);
        self.pose.set_world_from_root(self.root);
        let touches = &self.now[stage.layout.contacts.clone()];
        self.contacts.iter_mut().zip(touches).for_each(|(out, touches)| *out = u8::from(*touches > 0.5));
        show(&ShownFrame {
            pose: &self.pose,
            contacts: &self.contacts,
            features: &self.features,
            simulation: &self.simulation,
        });
    }
}
