//! Networks that replace clips and search.

use crate::error::rejected;
use footwork::learned::Networks as Content;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Networks that replace clips and search (`.fwnet`).
#[pyclass(frozen, module = "footwork")]
pub struct Networks {
    pub networks: Arc<Content>,
}

#[pymethods]
impl Networks {
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self { networks: Arc::new(Content::load(&path).map_err(rejected)?) })
    }

    #[staticmethod]
    fn built_in() -> PyResult<Self> {
        let networks = Content::from_bytes(footwork_gait::BIPED_NETWORKS, Path::new("built-in"));
        Ok(Self { networks: Arc::new(networks.map_err(rejected)?) })
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.networks.bytes()
    }

    #[getter]
    fn columns(&self) -> usize {
        self.networks.columns()
    }

    #[getter]
    fn latents(&self) -> usize {
        self.networks.latents()
    }

    fn __repr__(&self) -> String {
        format!("Networks({} features, {} latents, {} bytes)", self.columns(), self.latents(), self.nbytes())
    }
}
