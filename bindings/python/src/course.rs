//! Scripted input: the courses of `footwork simulate`, and those of evaluations.

use crate::error::{error, lock};
use crate::input::Input;
use crate::matcher::Matcher;
use footwork::advanced::input::{OwnedGoal, OwnedInput};
use footwork::input::{Goal, Path};
use footwork_metrics::courses::{COURSES, Run, Script, course};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};

/// Longest time of a course, in seconds: a day.
const LONGEST_S: f32 = 86_400.0;

/// Scripted input: "standard", "random" or "none", or a course of evaluations, "a" to "k".
#[pyclass(frozen, module = "footwork")]
pub struct Course {
    #[pyo3(get)]
    name: String,
    script: Mutex<Scripted>,
}

struct Scripted {
    script: Script,
    /// The last path, which is shared as long as it stays the same.
    path: Option<Arc<Path>>,
    /// Time of the last input, in seconds.
    time_s: f32,
}

#[pymethods]
impl Course {
    #[new]
    #[pyo3(signature = (name="standard", seed=1))]
    fn new(name: &str, seed: u64) -> PyResult<Self> {
        let rows = || course(name, Run { seed, shift: 0 }).map(|course| Script::Rows(course.rows));
        let Some(script) = Script::by_name(name, seed).or_else(rows) else {
            let names: Vec<&str> = Script::NAMES.into_iter().chain(COURSES).collect();
            return Err(error(format_args!("no course is named `{name}`: expected {}", names.join(", "))));
        };
        let script = Mutex::new(Scripted { script, path: None, time_s: 0.0 });
        Ok(Self { name: name.to_owned(), script })
    }

    /// Returns the input at a time, in seconds. Times must not decrease.
    fn input(&self, time: f32, matcher: &Bound<Matcher>) -> PyResult<Input> {
        let mut scripted = lock(&self.script, "course")?;
        if !(scripted.time_s..=LONGEST_S).contains(&time) {
            let least = scripted.time_s;
            return Err(error(format_args!(
                "`time`: expected {least} to {LONGEST_S} seconds, since times must not decrease, found {time}"
            )));
        }
        scripted.time_s = time;
        let now = matcher.get().with(|matcher| matcher.state().header.root.simulation)?;
        let Scripted { script, path: last, .. } = &mut *scripted;
        let goal = match script.input(time, &now).goal {
            Goal::None => OwnedGoal::None,
            Goal::Stick(stick) => OwnedGoal::Stick(stick),
            Goal::Velocity { velocity, facing } => OwnedGoal::Velocity { velocity, facing },
            Goal::Trajectory(points) => OwnedGoal::Trajectory(points.to_vec()),
            Goal::Path { path, speed_mps } => {
                let same = last.take().filter(|last| last.id() == path.id());
                let path = last.insert(same.unwrap_or_else(|| Arc::new(path.clone())));
                OwnedGoal::Path { path: Arc::clone(path), speed_mps }
            }
        };
        Ok(Input::owning(OwnedInput { goal, ..OwnedInput::default() }))
    }

    /// Returns the name of the part of the course at a time, in seconds.
    fn part(&self, time: f32) -> PyResult<&'static str> {
        if !(0.0..=LONGEST_S).contains(&time) {
            return Err(error(format_args!("`time`: expected 0 to {LONGEST_S} seconds, found {time}")));
        }
        Ok(lock(&self.script, "course")?.script.part(time))
    }
}
