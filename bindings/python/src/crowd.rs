//! Many characters of one kind, stepped together.

use crate::arguments::Arguments;
use crate::arrays::values;
use crate::body::{Bodies, Room};
use crate::character::Character;
use crate::commands;
use crate::error::{about, error, lock, rejected};
use crate::input::yaw;
use crate::state;
use footwork::advanced::input::OwnedInput;
use footwork::input::InputError;
use footwork::matcher::{Character as Shared, MatcherConfig, MatcherState, Output, Scratch, step};
use footwork::math::Transform;
use footwork::skeleton::Skeleton;
use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::resume_unwind;
use std::slice::{from_mut, from_ref};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// Maximum number of characters of a crowd: far above what a machine steps in real time.
const MOST: usize = 100_000;
/// Maximum number of threads.
const MOST_THREADS: usize = 256;

/// Many characters of one kind. Its arrays are read-only views of one block that show each new step; `.copy()` keeps values.
///
/// A step has the bits of `Matcher` and of Rust, with any number of threads. It runs without the interpreter's lock. A crowd that
/// another thread is stepping raises `Error`. Views that are read during a step in another thread may mix two steps.
///
/// `n`: 1 to 100000. `threads`: 1 to 256. `positions` (n, 3): world, metres. `yaws` (n,): radians.
#[pyclass(frozen, module = "footwork")]
pub struct Crowd {
    shared: Arc<Shared>,
    parts: Mutex<Parts>,
    bodies: Bodies,
    #[pyo3(get)]
    character: Py<Character>,
    /// (n, joints, 3): relative to the parent, in metres; joint 0 in the world.
    #[pyo3(get)]
    local_positions: Py<PyAny>,
    /// (n, joints, 4): relative to the parent; joint 0 in the world.
    #[pyo3(get)]
    local_rotations: Py<PyAny>,
    /// (n, joints, 3): world, metres.
    #[pyo3(get)]
    world_positions: Py<PyAny>,
    /// (n, joints, 4): world.
    #[pyo3(get)]
    world_rotations: Py<PyAny>,
    /// (n, 3): world, m/s.
    #[pyo3(get)]
    root_velocities: Py<PyAny>,
    /// (n,): radians per second about +Y.
    #[pyo3(get)]
    root_yaw_rates: Py<PyAny>,
    /// (n, contact joints): true if the joint touches the ground.
    #[pyo3(get)]
    contacts: Py<PyAny>,
    /// (n,): the playing clips, indices into `Database.clips`.
    #[pyo3(get)]
    clips: Py<PyAny>,
    /// (n,): times in the clips, in seconds.
    #[pyo3(get)]
    clip_times: Py<PyAny>,
    /// (n,): true if the clip is mirrored.
    #[pyo3(get)]
    mirrored: Py<PyAny>,
    /// (n,): seconds since the start.
    #[pyo3(get)]
    times: Py<PyAny>,
    /// (n,): searches of the last step.
    #[pyo3(get)]
    searches: Py<PyAny>,
    /// (n,): transitions of the last step.
    #[pyo3(get)]
    transitions: Py<PyAny>,
    /// (n,): true while nothing can be played.
    #[pyo3(get)]
    stranded: Py<PyAny>,
}

/// What a step changes.
struct Parts {
    inputs: Vec<OwnedInput>,
    states: Vec<MatcherState>,
    outputs: Vec<Output>,
    workers: Vec<Worker>,
}

/// Working space of one thread.
struct Worker {
    scratch: Scratch,
    room: Room,
}

/// The characters of one thread.
struct Part<'a> {
    first: usize,
    inputs: &'a [OwnedInput],
    states: &'a mut [MatcherState],
    outputs: &'a mut [Output],
    worker: &'a mut Worker,
}

#[pymethods]
impl Crowd {
    #[new]
    #[pyo3(signature = (character, n, *, threads=1, positions=None, yaws=None))]
    fn new(
        character: Bound<Character>,
        n: usize,
        threads: usize,
        positions: Option<Bound<PyAny>>,
        yaws: Option<Bound<PyAny>>,
    ) -> PyResult<Self> {
        let (py, shared) = (character.py(), Arc::clone(&character.get().shared));
        for (name, value, most) in [("n", n, MOST), ("threads", threads, MOST_THREADS)] {
            if !(1..=most).contains(&value) {
                return Err(error(format_args!("`{name}`: expected 1 to {most}, found {value}")));
            }
        }
        let states = places(n, positions, yaws)?.into_iter().map(|place| shared.state_at(place));
        let states: Vec<MatcherState> = states.collect::<Result<_, _>>().map_err(rejected)?;
        let parts = Parts {
            inputs: vec![OwnedInput::default(); n],
            outputs: (0..n).map(|_| shared.output()).collect(),
            states,
            workers: (0..threads.min(n)).map(|_| Worker { scratch: shared.scratch(), room: Room::default() }).collect(),
        };
        let bodies = Bodies::new(&shared, n);
        let crowd = Self {
            local_positions: bodies.local_positions.array(py, false)?,
            local_rotations: bodies.local_rotations.array(py, false)?,
            world_positions: bodies.world_positions.array(py, false)?,
            world_rotations: bodies.world_rotations.array(py, false)?,
            root_velocities: bodies.root_velocities.array(py, false)?,
            root_yaw_rates: bodies.root_yaw_rates.array(py, false)?,
            contacts: bodies.contacts.array(py, false)?,
            clips: bodies.clips.array(py, false)?,
            clip_times: bodies.clip_times.array(py, false)?,
            mirrored: bodies.mirrored.array(py, false)?,
            times: bodies.times.array(py, false)?,
            searches: bodies.searches.array(py, false)?,
            transitions: bodies.transitions.array(py, false)?,
            stranded: bodies.stranded.array(py, false)?,
            character: character.clone().unbind(),
            parts: Mutex::new(parts),
            shared,
            bodies,
        };
        crowd.show(&mut *crowd.parts()?).map_err(rejected)?;
        Ok(crowd)
    }

    /// Advances all characters by `dt` seconds (0 to 10; default: 1/60), or none.
    ///
    /// `sticks`, `looks` (n, 3): directions in the world; or (n, 2): right and forward as seen from the camera; length at most 1.
    /// `run`, `strafe`: for all, or (n,). `camera_yaws` (n,): radians; `camera_yaw_rates` (n,): rad/s. `velocities` (n, 3): world,
    /// m/s, instead of sticks; `facings` (n,): their yaws, radians. `tags`: a query for all, or one per character. `tag_costs`:
    /// (query, cost) pairs for all. `user` (n, user values). `variables`: by name, a number for all or (n,). `look_at` (n, 3):
    /// world, metres. `inputs`: one `Input` per character, instead of everything else. Arrays are float32 or bool.
    ///
    /// Raises `Error` for another dtype or shape, NaN, infinity, an unknown name or a time step out of range. A note of the
    /// exception names the character. Then no character has moved. Raises `TypeError` for an unknown keyword.
    #[pyo3(
        signature = (sticks=None, dt=1.0 / 60.0, **inputs),
        text_signature = "($self, sticks=None, dt=1/60, *, run=False, looks=None, strafe=False, camera_yaws=None, \
                          camera_yaw_rates=None, velocities=None, facings=None, tags='', tag_costs=(), user=None, \
                          variables=None, look_at=None, inputs=None)"
    )]
    fn step(&self, py: Python, sticks: Option<Bound<PyAny>>, dt: f32, inputs: Option<&Bound<PyDict>>) -> PyResult<()> {
        let mut parts = self.parts()?;
        let given = inputs.map_or_else(|| Ok(PyDict::new(py)), |inputs| inputs.copy())?;
        if let Some(sticks) = sticks {
            given.set_item("sticks", sticks)?;
        }
        let mut arguments = Arguments::new("Crowd.step()", Some(&given));
        commands::read(&mut arguments, &self.shared, &mut parts.inputs)?;
        arguments.finish(&commands::NAMES)?;
        let parts = &mut *parts;
        py.detach(|| self.advance(parts, dt)).map_err(|e| of_character(py, e))
    }

    fn teleport(&self, i: usize, position: [f32; 3], yaw: f32) -> PyResult<()> {
        let mut parts = self.parts()?;
        let Parts { states, outputs, workers, .. } = &mut *parts;
        let n = states.len();
        let state = states.get_mut(i).ok_or_else(|| error(format_args!("`i`: expected 0 to {}, found {i}", n - 1)))?;
        let place = place(Vec3::from_array(position), yaw)?;
        self.shared.teleport(place, state).map_err(rejected)?;
        let Worker { scratch, room } = &mut workers[0];
        self.shared.show(state, scratch, &mut outputs[i]).map_err(rejected)?;
        self.bodies.show(i, &self.shared, state, &outputs[i], room);
        Ok(())
    }

    /// Returns the states: `headers`, a list of n texts, and `blocks`, float32 (n, floats). Both can be pickled.
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        state::save(py, &self.parts()?.states)
    }

    /// Continues from saved states, bit for bit.
    ///
    /// Raises `Error` for states of another character or number, and for damaged ones. Then nothing has changed.
    #[pyo3(text_signature = "($self, state)")]
    fn load_state_dict(&self, given: &Bound<PyDict>) -> PyResult<()> {
        let mut parts = self.parts()?;
        let states = state::load(given, parts.states.len())?;
        // All states are checked before one is taken over.
        for (i, state) in states.iter().enumerate() {
            let shown = self.shared.show(&mut state.clone(), &mut parts.workers[0].scratch, &mut self.shared.output());
            shown.map_err(|e| about(given.py(), rejected(e), format_args!("character {i}")))?;
        }
        parts.states = states;
        self.show(&mut parts).map_err(rejected)
    }

    #[getter]
    pub fn n(&self) -> PyResult<usize> {
        Ok(self.parts()?.states.len())
    }

    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.parts()?.workers.len())
    }

    fn __len__(&self) -> PyResult<usize> {
        self.n()
    }
}

impl Crowd {
    fn parts(&self) -> PyResult<MutexGuard<'_, Parts>> {
        lock(&self.parts, "crowd")
    }

    /// Calls a function with the output of each character.
    pub fn each_output(&self, see: impl FnMut(&Output)) -> PyResult<()> {
        self.parts()?.outputs.iter().for_each(see);
        Ok(())
    }

    pub fn skeleton(&self) -> &Skeleton {
        self.shared.skeleton()
    }

    pub fn config(&self) -> &MatcherConfig {
        self.shared.config()
    }

    /// Steps copies of the characters with one input, and returns `width` numbers of each pose: `[n x (1 + steps) x width]`, the
    /// present poses first. The characters themselves do not move. `given`: the arguments of a step.
    pub fn look_ahead(
        &self,
        py: Python,
        given: Option<&Bound<PyDict>>,
        (steps, dt_s): (usize, f32),
        width: usize,
        write: impl Fn(&Output, &mut [f64]) + Sync,
    ) -> PyResult<Vec<f64>> {
        let mut parts = self.parts()?;
        let mut arguments = Arguments::new("Robot.plan()", given);
        commands::read(&mut arguments, &self.shared, &mut parts.inputs)?;
        arguments.finish(&commands::NAMES)?;
        let parts = &mut *parts;
        let each = (1 + steps) * width;
        let mut poses = vec![0.0; parts.states.len() * each];
        let run = |part: Part, mut rows: &mut [f64]| {
            let mut output = self.shared.output();
            for ((input, now), state) in part.inputs.iter().zip(part.outputs).zip(part.states) {
                let (input, mut state) = (input.borrow(), state.clone());
                let mut next = |output: &Output| write(output, rows.split_off_mut(..width).unwrap_or_default());
                next(now);
                for _ in 0..steps {
                    let (scratch, state) = (&mut part.worker.scratch, from_mut(&mut state));
                    step(&self.shared, from_ref(&input), dt_s, state, scratch, from_mut(&mut output))
                        .map_err(|e| (None, e))?;
                    next(&output);
                }
            }
            Ok(())
        };
        let ahead = py.detach(|| {
            self.check(&parts.inputs)?;
            let (run, mut left) = (&run, poses.as_mut_slice());
            thread::scope(|scope| {
                let mut running = Vec::new();
                for part in split(parts) {
                    let rows = left.split_off_mut(..part.states.len() * each).unwrap_or_default();
                    running.push(scope.spawn(move || run(part, rows)));
                }
                let joined = running.into_iter().map(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic)));
                joined.collect::<Result<(), _>>()
            })
        });
        ahead.map_err(|e| of_character(py, e))?;
        Ok(poses)
    }

    /// Checks the inputs of all characters. Returns the error of the first that is rejected, with its index.
    fn check(&self, inputs: &[OwnedInput]) -> Result<(), (Option<usize>, InputError)> {
        let check =
            |(i, input): (usize, &OwnedInput)| self.shared.check_input(&input.borrow()).map_err(|e| (Some(i), e));
        inputs.iter().enumerate().try_for_each(check)
    }

    /// Steps all characters, or none: inputs are checked before one moves. Returns the error of the first input that is rejected,
    /// with the index of its character.
    fn advance(&self, parts: &mut Parts, dt_s: f32) -> Result<(), (Option<usize>, InputError)> {
        self.check(&parts.inputs)?;
        let mut of_threads = split(parts);
        let Some(own) = of_threads.pop() else { return Ok(()) };
        thread::scope(|scope| {
            let others: Vec<_> =
                of_threads.into_iter().map(|part| scope.spawn(|| self.advance_part(part, dt_s))).collect();
            let own = self.advance_part(own, dt_s);
            let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            joined.collect::<Result<(), _>>().and(own)
        })
    }

    /// Steps the characters of one thread.
    fn advance_part(&self, part: Part, dt_s: f32) -> Result<(), (Option<usize>, InputError)> {
        let Part { first, inputs, states, outputs, worker: Worker { scratch, room } } = part;
        for (i, ((input, state), output)) in inputs.iter().zip(states).zip(outputs).enumerate() {
            let input = input.borrow();
            // Only a time step is rejected here, and that for all characters.
            step(&self.shared, from_ref(&input), dt_s, from_mut(state), scratch, from_mut(output))
                .map_err(|e| (None, e))?;
            self.bodies.show(first + i, &self.shared, state, output, room);
        }
        Ok(())
    }

    /// Shows the states, as after a restore.
    fn show(&self, parts: &mut Parts) -> Result<(), InputError> {
        let Parts { states, outputs, workers, .. } = parts;
        let Worker { scratch, room } = &mut workers[0];
        for (i, (state, output)) in states.iter_mut().zip(outputs).enumerate() {
            self.shared.show(state, scratch, output)?;
            self.bodies.show(i, &self.shared, state, output, room);
        }
        Ok(())
    }
}

/// Returns the exception for a rejected input, with the index of its character.
fn of_character(py: Python, (i, e): (Option<usize>, InputError)) -> PyErr {
    match i {
        Some(i) => about(py, rejected(e), format_args!("character {i}")),
        None => rejected(e),
    }
}

/// Splits the characters evenly between the workers.
fn split(parts: &mut Parts) -> Vec<Part<'_>> {
    let Parts { inputs, states, outputs, workers } = parts;
    let each = states.len().div_ceil(workers.len());
    let chunks =
        inputs.chunks(each).zip(states.chunks_mut(each)).zip(outputs.chunks_mut(each)).zip(workers).enumerate();
    let part = |(k, (((inputs, states), outputs), worker))| Part { first: k * each, inputs, states, outputs, worker };
    chunks.map(part).collect()
}

/// Returns where the characters stand at first.
fn places(n: usize, positions: Option<Bound<PyAny>>, yaws: Option<Bound<PyAny>>) -> PyResult<Vec<Transform>> {
    let mut places = vec![(Vec3::ZERO, 0.0); n];
    if let Some(given) = positions {
        let (positions, _) = values::<f32>("positions", &given, &[&[n, 3]])?;
        places.iter_mut().zip(positions.as_chunks::<3>().0).for_each(|(place, p)| place.0 = Vec3::from_array(*p));
    }
    if let Some(given) = yaws {
        let (yaws, _) = values::<f32>("yaws", &given, &[&[n]])?;
        places.iter_mut().zip(yaws).for_each(|(place, yaw)| place.1 = yaw);
    }
    places.into_iter().map(|(position, yaw)| place(position, yaw)).collect()
}

/// Returns the root of a position and a yaw in radians.
pub fn place(position: Vec3, rad: f32) -> PyResult<Transform> {
    Ok(Transform::new(position, yaw(rad)?.rotation()))
}
