//! Blend spaces that are ready to play.

use super::super::error::MachineError;
use super::clock;
use super::markers::feet;
use super::mesh::{Mesh, Weights};
use super::moment::{BlendMoment, Sampled};
use super::resolve::{Placed, mesh_error, resolve};
use super::spec::{BlendSpaceSpec, Sync};
use super::state::BlendState;
use super::sync::{SampleSync, timelines};
use super::timeline::Timeline;
use crate::database::Database;
use crate::math::to_goal;

/// A blend space over the clips of a database. Immutable; characters share it.
#[derive(Clone, Debug)]
pub struct BlendSpace {
    name: String,
    parameters: Vec<String>,
    samples: Vec<Placed>,
    timelines: Vec<Timeline>,
    /// `[samples]` duration of a stride, or of the whole clip, in seconds.
    cycles_s: Vec<f64>,
    mesh: Mesh,
    half_life_s: f32,
    strides: f64,
    feet: Option<[usize; 2]>,
    syncs: Vec<SampleSync>,
    notes: Vec<String>,
}

impl BlendSpace {
    /// Builds a blend space from a specification.
    ///
    /// # Errors
    /// Returns [`MachineError`] for names that the database does not have, samples that span no mesh, non-looping clips where
    /// loops are required, and values out of range.
    pub fn new(db: &Database, spec: &BlendSpaceSpec) -> Result<Self, MachineError> {
        let refuse = |what: String| MachineError::new(format!("blend_spaces.`{}`", spec.name), what);
        let resolved = resolve(db, spec).map_err(refuse)?;
        let (samples, ranges) = (resolved.samples, resolved.ranges);
        let at: Vec<[f32; 2]> = samples.iter().map(|s| s.at).collect();
        let mesh = Mesh::new(&at, ranges, spec.parameters.len());
        let mesh = mesh.map_err(|e| refuse(mesh_error(db, spec, &samples, e)))?;
        let feet = feet(db);
        let (timelines, syncs, notes) = timelines(db, spec.sync, &samples, feet);
        let endless = spec.sync == Sync::None || !db.clips[samples[0].clip.at()].looping();
        let strides =
            if endless { f64::INFINITY } else { timelines.iter().fold(1.0, |p, t| common_multiple(p, t.strides())) };
        let cycle_s = |(s, t): (&Placed, &Timeline)| {
            db.view(s.clip, s.mirrored).seconds() / if spec.sync == Sync::None { 1.0 } else { t.strides() }
        };
        let cycles_s = samples.iter().zip(&timelines).map(cycle_s).collect();
        let half_life_s = spec.smoothing_half_life_s;
        let (name, parameters) = (spec.name.clone(), spec.parameters.clone());
        Ok(Self { name, parameters, samples, timelines, cycles_s, mesh, half_life_s, strides, feet, syncs, notes })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the variables, one or two.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// Returns `[samples]`, the synchronisation of each sample.
    pub fn syncs(&self) -> &[SampleSync] {
        &self.syncs
    }

    /// Returns warnings about samples whose synchronisation differs from the request, with the reason.
    pub fn warnings(&self) -> &[String] {
        &self.notes
    }

    /// Returns the number of phases after which all samples repeat; infinite if they never do, and for non-looping clips.
    pub fn strides(&self) -> f64 {
        self.strides
    }

    /// Returns the contact joints (indices into the rig's list) of the left and the right foot that define the phase.
    pub fn feet(&self) -> Option<[usize; 2]> {
        self.feet
    }

    /// Returns the weights at a parameter position. Outside of the samples, these are the weights of the nearest point of their
    /// border.
    pub fn weights(&self, parameters: [f32; 2]) -> Weights {
        self.mesh.weights(self.mesh.clamp(parameters), [0.0; 2])
    }

    /// Returns the duration of one stride (with other `sync`, of the whole clip) at a parameter position, in seconds.
    pub fn cycle_s(&self, parameters: [f32; 2]) -> f64 {
        self.weights(parameters).iter().map(|(k, w)| f64::from(w) * self.cycles_s[k]).sum()
    }

    /// Returns the initial state at a parameter position, with parameters at rest.
    pub fn enter(&self, parameters: [f32; 2], phase: f64) -> BlendState {
        let parameters = self.mesh.clamp(parameters);
        BlendState { phase: self.wrapped(clock::stored(phase)), parameters, velocity: [0.0; 2], target: parameters }
    }

    /// Runs a control tick, `dt_s` seconds after the last one. From now on, the parameters approach `target`.
    pub fn tick(&self, state: &mut BlendState, dt_s: f64, target: [f32; 2]) {
        let phase = self.phase_after(state, dt_s);
        let moved = self.parameters_after(state, dt_s);
        let target = self.mesh.clamp(target);
        *state = BlendState { phase: self.wrapped(phase), parameters: moved[0], velocity: moved[1], target };
    }

    /// Returns false for a state that no tick can produce.
    pub fn is_state(&self, state: &BlendState) -> bool {
        let all = [state.parameters, state.velocity, state.target];
        all.iter().flatten().all(|v| v.is_finite()) && (0.0..self.strides).contains(&state.phase)
    }

    /// Returns the motion `elapsed_s` after the tick of a state. `db` must be the database from which the space was built.
    pub fn at<'a>(&'a self, db: &'a Database, state: &BlendState, elapsed_s: f64) -> BlendMoment<'a> {
        let [parameters, velocity] = self.parameters_after(state, elapsed_s.max(0.0));
        let steady = self.mesh.weights(state.parameters, [0.0; 2]);
        let shown = self.mesh.weights(parameters, velocity);
        let clips = Sampled { db, samples: &self.samples, timelines: &self.timelines };
        BlendMoment::new(clips, (state.phase, elapsed_s), [steady, shown])
    }

    fn phase_after(&self, state: &BlendState, seconds: f64) -> f64 {
        let weights = self.mesh.weights(state.parameters, [0.0; 2]);
        clock::stored(clock::advance(&self.timelines, &weights, state.phase, seconds))
    }

    /// Parameters and their velocity.
    fn parameters_after(&self, state: &BlendState, seconds: f64) -> [[f32; 2]; 2] {
        let spring = |i: usize| {
            to_goal(state.parameters[i], state.velocity[i], state.target[i], self.half_life_s, seconds as f32)
        };
        let [(x, vx), (y, vy)] = [spring(0), spring(1)];
        [[x, y], [vx, vy]]
    }

    fn wrapped(&self, phase: f64) -> f64 {
        if self.strides.is_finite() { phase.rem_euclid(self.strides) } else { phase.max(0.0) }
    }
}

fn common_multiple(a: f64, b: f64) -> f64 {
    let (mut x, mut y) = (a, b);
    while y > 0.0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
