//! Characters: what matchers and crowds share.

use crate::config::Config;
use crate::database::Database;
use crate::error::{error, rejected};
use crate::indices;
use crate::json;
use crate::networks::Networks;
use crate::search::{Index, Notes, Query};
use footwork::machine::Machine;
use footwork::matcher::Character as Shared;
use footwork_import::{load_machine, parse_machine};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What characters of one kind share: motion, search index, checked settings. Immutable; share it between threads.
///
/// `config`: its table `matcher` is used. `machine`: a state machine, a path of a TOML file or "built-in".
#[pyclass(frozen, module = "footwork")]
pub struct Character {
    pub shared: Arc<Shared>,
    index: Index,
}

#[pymethods]
impl Character {
    #[new]
    #[pyo3(signature = (database, config=None, *, machine=None))]
    fn new(database: &Bound<PyAny>, config: Option<Bound<PyAny>>, machine: Option<PathBuf>) -> PyResult<Self> {
        let py = database.py();
        let settings = Config::of(config.as_ref())?.character.matcher;
        let shared = if let Ok(networks) = database.cast::<Networks>() {
            let networks = Arc::clone(&networks.get().networks);
            py.detach(|| Shared::learned(networks, None, settings)).map_err(rejected)?
        } else {
            let database =
                database.cast::<Database>().map_err(|_| error("`database`: expected a Database or Networks"))?;
            let content = Arc::clone(&database.get().content);
            py.detach(|| Shared::new(content, settings)).map_err(rejected)?
        };
        let shared = match machine {
            Some(file) => run_by(&shared, &file)?,
            None => shared,
        };
        Ok(Self { shared: Arc::new(shared), index: Index::new() })
    }

    /// Searches at a time of a clip, in seconds, and explains the result.
    ///
    /// `inputs`: those of `Input`; without a goal, the clip's own future. Returns `candidates` (the `k` best and the playing row, with
    /// `cost`, `channels`, `verdict`), the number of `rows`, and how many rows each rule `excluded`.
    #[pyo3(
        signature = (clip, time, k=8, **inputs),
        text_signature = "($self, clip, time, k=8, *, stick=None, run=False, velocity=None, facing=None, tags='')"
    )]
    fn search<'py>(
        &self,
        py: Python<'py>,
        clip: &str,
        time: f64,
        k: usize,
        inputs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Query { clip, time_s: time, k, inputs }.run(py, self, &self.index)
    }

    /// Returns the same character with notes of its searches.
    fn _noting(&self, py: Python) -> PyResult<(Self, Notes)> {
        let notes = Notes::default();
        let noting = py.detach(|| self.shared.with_index(|index| notes.of(index)));
        let shared = noting.ok_or_else(|| error("expected a character of a database"))?;
        Ok((Self { shared: Arc::new(shared), index: Index::new() }, notes))
    }

    #[getter]
    fn joints(&self) -> Vec<String> {
        self.shared.skeleton().names().to_vec()
    }

    #[getter]
    fn parents(&self) -> Vec<i64> {
        indices::parents(self.shared.skeleton())
    }

    #[getter]
    fn contact_joints(&self) -> Vec<String> {
        let (rig, skeleton) = (self.shared.rig(), self.shared.skeleton());
        rig.contact_joints.iter().map(|joint| skeleton.name(*joint).to_owned()).collect()
    }

    /// Names of the variables and triggers of its state machine.
    #[getter]
    fn variables(&self) -> Vec<String> {
        self.shared.machine().map(|machine| machine.variable_names().to_vec()).unwrap_or_default()
    }

    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, self.shared.config())
    }

    /// Speeds of a full stick, in m/s.
    #[getter]
    fn stick<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, self.shared.stick())
    }

    fn __repr__(&self) -> String {
        let plays = if self.shared.plays_clips() { "clips" } else { "networks" };
        format!("Character({} joints, plays {plays})", self.shared.skeleton().len())
    }
}

/// Returns a character with a state machine: a TOML file, or `built-in`.
fn run_by(shared: &Shared, file: &Path) -> PyResult<Shared> {
    let spec = match file.to_str() {
        Some("built-in") => parse_machine(footwork_gait::BIPED_MACHINE, Path::new("the built-in machine")),
        _ => load_machine(file),
    };
    let db = shared.database().ok_or_else(|| error("`machine`: expected a character of a database"))?;
    let machine = Machine::new(Arc::clone(db), spec.map_err(rejected)?).map_err(rejected)?;
    shared.with_machine(Some(Arc::new(machine))).map_err(rejected)
}
