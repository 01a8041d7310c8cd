//! Hashes of poses, to compare runs.

use crate::crowd::Crowd;
use crate::error::{error, lock};
use crate::matcher::Matcher;
use pyo3::prelude::*;
use std::sync::Mutex;

/// Hash of every bit of poses, in order. Equal hashes mean identical motion.
#[pyclass(frozen, module = "footwork")]
pub struct PoseHash(Mutex<footwork_metrics::PoseHash>);

#[pymethods]
impl PoseHash {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Adds the local transforms of a character, or of all characters of a crowd in order.
    fn update(&self, of: &Bound<PyAny>) -> PyResult<()> {
        let mut hash = lock(&self.0, "hash")?;
        if let Ok(crowd) = of.cast::<Crowd>() {
            return crowd.get().each_output(|output| hash.push(&output.pose));
        }
        let matcher = of.cast::<Matcher>().map_err(|_| error("`of`: expected a Matcher or a Crowd"))?;
        matcher.get().with(|matcher| hash.push(matcher.pose()))
    }

    /// Returns the `pose_hash` of `footwork simulate --json`.
    fn hexdigest(&self) -> PyResult<String> {
        Ok(lock(&self.0, "hash")?.to_string())
    }

    fn __str__(&self) -> PyResult<String> {
        self.hexdigest()
    }
}
