//! The native part of the Python package `footwork`: classes over the crates of the library. `python/footwork/__init__.pyi` describes
//! them for Python.

mod arguments;
mod arrays;
mod body;
mod character;
mod clip;
mod commands;
mod config;
mod corpus;
mod course;
mod crowd;
mod database;
mod error;
mod film;
mod hash;
mod indices;
mod input;
mod json;
mod matcher;
mod networks;
mod robot;
mod search;
mod state;
mod tools;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<database::Database>()?;
    module.add_class::<database::Clip>()?;
    module.add_class::<networks::Networks>()?;
    module.add_class::<character::Character>()?;
    module.add_class::<input::Input>()?;
    module.add_class::<matcher::Matcher>()?;
    module.add_class::<crowd::Crowd>()?;
    module.add_class::<course::Course>()?;
    module.add_class::<hash::PoseHash>()?;
    module.add_function(wrap_pyfunction!(database::build, module)?)?;
    module.add_function(wrap_pyfunction!(database::built_in, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::corpus_survey, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::corpus_extract, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::corpus_merge, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::shards_open, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::shard_load, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::database_part, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::database_join, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::database_within, module)?)?;
    module.add_class::<clip::RawClip>()?;
    module.add_class::<film::Picture>()?;
    module.add_function(wrap_pyfunction!(clip::read_clips, module)?)?;
    module.add_function(wrap_pyfunction!(clip::built_in_clips, module)?)?;
    module.add_function(wrap_pyfunction!(tools::doctor, module)?)?;
    module.add_function(wrap_pyfunction!(tools::retarget, module)?)?;
    module.add_class::<robot::Robot>()?;
    module.add_class::<robot::RobotClip>()?;
    module.add_function(wrap_pyfunction!(robot::retarget_robot, module)?)?;
    module.add_function(wrap_pyfunction!(tools::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(film::film, module)?)?;
    Ok(())
}
