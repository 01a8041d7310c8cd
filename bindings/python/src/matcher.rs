//! One character.

use crate::arguments::Arguments;
use crate::body::{Bodies, Room};
use crate::character::Character;
use crate::crowd::place;
use crate::error::{error, lock, rejected};
use crate::input::{self, Input};
use crate::json;
use crate::state;
use footwork::matcher::{EventKind, MotionMatcher};
use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, MutexGuard};

/// One character. Its arrays are read-only views that show each new step; `.copy()` keeps values.
///
/// `position`: world, metres. `yaw`: radians.
#[pyclass(frozen, module = "footwork")]
pub struct Matcher {
    parts: Mutex<Parts>,
    bodies: Bodies,
    #[pyo3(get)]
    character: Py<Character>,
    /// (joints, 3): relative to the parent, in metres; joint 0 in the world.
    #[pyo3(get)]
    local_positions: Py<PyAny>,
    /// (joints, 4): relative to the parent; joint 0 in the world.
    #[pyo3(get)]
    local_rotations: Py<PyAny>,
    /// (joints, 3): world, metres.
    #[pyo3(get)]
    world_positions: Py<PyAny>,
    /// (joints, 4): world.
    #[pyo3(get)]
    world_rotations: Py<PyAny>,
    /// (3,): world, m/s.
    #[pyo3(get)]
    root_velocity: Py<PyAny>,
    /// (contact joints,): true if the joint touches the ground.
    #[pyo3(get)]
    contacts: Py<PyAny>,
}

/// What a step changes.
struct Parts {
    matcher: MotionMatcher,
    room: Room,
}

#[pymethods]
impl Matcher {
    #[new]
    #[pyo3(signature = (character, *, position=[0.0; 3], yaw=0.0))]
    fn new(character: Bound<Character>, position: [f32; 3], yaw: f32) -> PyResult<Self> {
        let (py, shared) = (character.py(), Arc::clone(&character.get().shared));
        let bodies = Bodies::new(&shared, 1);
        let matcher = MotionMatcher::of(shared, place(Vec3::from_array(position), yaw)?).map_err(rejected)?;
        let matcher = Self {
            local_positions: bodies.local_positions.array(py, true)?,
            local_rotations: bodies.local_rotations.array(py, true)?,
            world_positions: bodies.world_positions.array(py, true)?,
            world_rotations: bodies.world_rotations.array(py, true)?,
            root_velocity: bodies.root_velocities.array(py, true)?,
            contacts: bodies.contacts.array(py, true)?,
            character: character.clone().unbind(),
            parts: Mutex::new(Parts { matcher, room: Room::default() }),
            bodies,
        };
        matcher.show(&mut *matcher.parts()?);
        Ok(matcher)
    }

    /// Advances by `dt` seconds (0 to 10; default: 1/60). The input is an `Input`, or its keywords.
    #[pyo3(
        signature = (input=None, dt=1.0 / 60.0, **inputs),
        text_signature = "($self, input=None, dt=1/60, *, stick=None, run=False, look=None, strafe=False, \
                          camera_yaw=0.0, camera_yaw_rate=0.0, velocity=None, facing=None, path=None, path_speed=1.5, \
                          trajectory=None, tags='', later=None, tag_costs=None, user=(), variables=None, look_at=None, \
                          hands=None, body=None, obstacles=(), action=None)"
    )]
    fn step(&self, py: Python, input: Option<&Bound<PyAny>>, dt: f32, inputs: Option<&Bound<PyDict>>) -> PyResult<()> {
        let mut parts = self.parts()?;
        let character = parts.matcher.character();
        let owned = match (input, inputs) {
            (Some(_), Some(_)) => return Err(error("`input` and keywords: expected one of them, found both")),
            (Some(input), None) => {
                let input = input.cast::<Input>().map_err(|_| error("`input`: expected an Input"))?;
                input.get().resolve(character)?
            }
            (None, given) => {
                let mut arguments = Arguments::new("Matcher.step()", given);
                let input = Input::of(&mut arguments)?;
                arguments.finish(&input::NAMES)?;
                input.resolve(character)?
            }
        };
        let parts = &mut *parts;
        py.detach(|| {
            parts.matcher.update(&owned.borrow(), dt)?;
            self.show(parts);
            Ok(())
        })
        .map_err(|e: footwork::input::InputError| rejected(e))
    }

    fn teleport(&self, position: [f32; 3], yaw: f32) -> PyResult<()> {
        let mut parts = self.parts()?;
        parts.matcher.teleport(place(Vec3::from_array(position), yaw)?).map_err(rejected)?;
        self.show(&mut parts);
        Ok(())
    }

    /// Returns the state, as `Crowd.state_dict`.
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        state::save(py, std::slice::from_ref(self.parts()?.matcher.state()))
    }

    #[pyo3(text_signature = "($self, state)")]
    fn load_state_dict(&self, given: &Bound<PyDict>) -> PyResult<()> {
        let mut parts = self.parts()?;
        for state in state::load(given, 1)? {
            parts.matcher.restore(&state).map_err(rejected)?;
        }
        self.show(&mut parts);
        Ok(())
    }

    /// Explains the last search, as `Character.search` does; `None` before the first.
    #[pyo3(signature = (k=8))]
    fn explain<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let parts = self.parts()?;
        let told = py.detach(|| parts.matcher.explain(k));
        told.map(|told| json::explanation(py, &told)).transpose()
    }

    /// Seconds since the start.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.with(|matcher| matcher.state().header.clock.time_s)
    }

    /// The playing clip, an index into `Database.clips`.
    #[getter]
    fn clip(&self) -> PyResult<u32> {
        self.with(|matcher| matcher.output().playing.clip.0)
    }

    #[getter]
    fn clip_name(&self) -> PyResult<Option<String>> {
        self.with(|matcher| matcher.clip_name().map(str::to_owned))
    }

    /// Time in the clip, in seconds.
    #[getter]
    fn clip_time(&self) -> PyResult<f64> {
        self.with(|matcher| matcher.output().playing.time_s)
    }

    #[getter]
    fn mirrored(&self) -> PyResult<bool> {
        self.with(|matcher| matcher.output().playing.mirrored)
    }

    /// Searches of the last step.
    #[getter]
    fn searches(&self) -> PyResult<u32> {
        self.with(|matcher| matcher.output().searches)
    }

    /// Transitions of the last step.
    #[getter]
    fn transitions(&self) -> PyResult<u32> {
        self.with(|matcher| matcher.output().transitions)
    }

    /// Radians per second about +Y.
    #[getter]
    fn root_yaw_rate(&self) -> PyResult<f32> {
        self.with(|matcher| matcher.output().velocity.angular[0].y)
    }

    /// (name, time in s, kind) of the last step. The kinds of a range are "begin" and "end".
    #[getter]
    fn events(&self) -> PyResult<Vec<(String, f64, &'static str)>> {
        self.with(|matcher| {
            let name = |event| matcher.character().event_name(event).unwrap_or_default().to_owned();
            let kind = |kind| match kind {
                EventKind::Moment => "moment",
                EventKind::Begin => "begin",
                EventKind::End(_) => "end",
            };
            matcher.output().events.iter().map(|e| (name(e.event), e.time_s, kind(e.kind))).collect()
        })
    }

    /// (joint, time in s, position in the world in m) of the last step.
    #[getter]
    fn footsteps(&self) -> PyResult<Vec<(String, f64, [f32; 3])>> {
        self.with(|matcher| {
            let name = |joint| matcher.character().skeleton().name(joint).to_owned();
            matcher.output().footsteps.iter().map(|f| (name(f.joint), f.time_s, f.position.to_array())).collect()
        })
    }

    /// (id of the request, time in s, step) of the last step.
    #[getter]
    fn actions(&self) -> PyResult<Vec<(u16, f64, String)>> {
        self.with(|matcher| {
            matcher.output().actions.iter().map(|a| (a.id, a.time_s, format!("{:?}", a.step))).collect()
        })
    }
}

impl Matcher {
    fn parts(&self) -> PyResult<MutexGuard<'_, Parts>> {
        lock(&self.parts, "matcher")
    }

    /// Calls a function with the character.
    pub fn with<T>(&self, see: impl FnOnce(&MotionMatcher) -> T) -> PyResult<T> {
        Ok(see(&self.parts()?.matcher))
    }

    fn show(&self, Parts { matcher, room }: &mut Parts) {
        self.bodies.show(0, matcher.character(), matcher.state(), matcher.output(), room);
    }
}
