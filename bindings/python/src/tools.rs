//! Tools over clips and databases: doctor, retargeting, evaluation.

use crate::clip::RawClip;
use crate::config::Config;
use crate::database::{Database, clips_of};
use crate::error::{about, error, rejected};
use crate::json;
use crate::networks::Networks;
use footwork::build::retarget::RetargetOptions;
use footwork::retarget::{Reference, RetargetMap};
use footwork::roles::JointRoles;
use footwork_import::doctor::{CHECKS, Check, DoctorOptions, Finding, examine};
use footwork_metrics::courses::COURSES;
use footwork_metrics::eval::{Mover, Row, Variant};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json as value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Largest number of a first run. Runs begin later the higher their number is.
const LAST_RUN: usize = 100;

/// Finds faults in clips.
///
/// Returns the report (`findings`, `dance_card`, `notes`, number of `clips`, `seconds`), and copies of the clips with faults fixed
/// where possible. `checks`: names of checks; default: all. The clips themselves are unchanged.
#[pyfunction]
#[pyo3(signature = (clips=None, config=None, *, checks=None))]
pub fn doctor<'py>(
    py: Python<'py>,
    clips: Option<Bound<'py, PyAny>>,
    config: Option<Bound<'py, PyAny>>,
    checks: Option<Vec<String>>,
) -> PyResult<(Bound<'py, PyAny>, Vec<RawClip>)> {
    let config = Config::of(config.as_ref())?;
    let imported = clips_of(py, clips.as_ref(), &config)?;
    let checks = checks.map(chosen).transpose()?.unwrap_or_else(|| CHECKS.iter().map(|c| c.check).collect());
    let (seconds, count) = (imported.clips.iter().map(|clip| clip.seconds()).sum::<f32>(), imported.clips.len());
    let (build, matcher) = (config.character.build, config.character.matcher);
    let (findings, card, fixed) = py.detach(|| {
        let options = DoctorOptions { build, matcher, checks, progress: None };
        let mut diagnosis = examine(imported.clips, &options).map_err(rejected)?;
        let fixes = imported.fixes.iter().map(Finding::of_fix).filter(|f| options.checks.contains(&f.check));
        diagnosis.findings.splice(0..0, fixes);
        PyResult::Ok((diagnosis.findings, diagnosis.dance_card, diagnosis.clips))
    })?;
    let notes: Vec<String> = imported.notes.iter().map(ToString::to_string).collect();
    let told = value!({ "clips": count, "seconds": seconds, "findings": findings, "dance_card": card, "notes": notes });
    Ok((json::object(py, &told)?, fixed.into_iter().map(|content| RawClip { content }).collect()))
}

/// Returns checks by their names.
fn chosen(names: Vec<String>) -> PyResult<Vec<Check>> {
    let known = |name: &String| {
        let unknown = || error(format_args!("`checks`: no check is named `{name}`"));
        CHECKS.iter().map(|c| c.check).find(|check| check.name() == name).ok_or_else(unknown)
    };
    names.iter().map(known).collect()
}

/// Transfers clips to another skeleton, that of the clips `onto`. Default: the built-in one.
///
/// Returns the clips, and a report: `scale`, `source_leg_m`, `target_leg_m`, and in `clips` the measured errors of each.
/// `roles`, `onto_roles`: joints by role, such as `{"hips": "Pelvis"}`, for skeletons whose roles are not found.
#[pyfunction]
#[pyo3(signature = (clips, onto=None, *, roles=None, onto_roles=None, plant_feet=true))]
pub fn retarget<'py>(
    py: Python<'py>,
    clips: &Bound<'py, PyAny>,
    onto: Option<Bound<'py, PyAny>>,
    roles: Option<BTreeMap<String, String>>,
    onto_roles: Option<BTreeMap<String, String>>,
    plant_feet: bool,
) -> PyResult<(Vec<RawClip>, Bound<'py, PyAny>)> {
    let clips = clips_of(py, Some(clips), &Config::default())?.clips;
    let onto_roles = onto_roles.unwrap_or_default();
    let rig = onto.map(|onto| clips_of(py, Some(&onto), &Config::default())).transpose()?;
    let (done, map) = py.detach(|| {
        let source = Reference::of_clips(&clips, &roles.unwrap_or_default()).map_err(rejected)?;
        let target = match rig {
            Some(rig) => Reference::of_clips(&rig.clips, &onto_roles).map_err(rejected)?,
            None => {
                let skeleton = footwork_gait::skeleton();
                let roles = JointRoles::resolve(&skeleton, &onto_roles).map_err(rejected)?;
                Reference::from_rest(&skeleton, &roles).map_err(rejected)?
            }
        };
        let map = RetargetMap::new(source, target).map_err(rejected)?;
        let options = RetargetOptions { plant_feet, ..Default::default() };
        let done = map.retarget_clips(&clips, &options, None).map_err(rejected)?;
        PyResult::Ok((done, map))
    })?;
    let (clips, reports): (Vec<_>, Vec<_>) =
        done.into_iter().map(|(content, told)| (RawClip { content }, told)).unzip();
    let told = value!({
        "scale": map.scale, "source_leg_m": map.source.leg_m, "target_leg_m": map.target.leg_m, "clips": reports,
    });
    Ok((clips, json::object(py, &told)?))
}

/// Drives characters over courses and measures their motion.
///
/// `variants`: a configuration or networks by name; default: the default settings. `courses`: names from "a" to "k"; default: all.
/// `runs`: 1 to 64 repetitions with other seeds; `first_run`: number of the first, 0 to 100. Returns
/// `{variant: {metric: {"mean", "sd"}}}`, and `mocap`, the captured motion by itself. Units are in the names of the metrics.
#[pyfunction]
#[pyo3(signature = (database, variants=None, *, courses=None, runs=1, first_run=0))]
pub fn evaluate<'py>(
    database: &Bound<'py, Database>,
    variants: Option<&Bound<'py, PyDict>>,
    courses: Option<Vec<String>>,
    runs: usize,
    first_run: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, db) = (database.py(), database.get());
    let courses = courses.unwrap_or_else(|| COURSES.map(str::to_owned).to_vec());
    let names: Vec<&str> = courses.iter().map(String::as_str).collect();
    if let Some(unknown) = names.iter().find(|name| !COURSES.contains(name)) {
        return Err(error(format_args!("`courses`: expected some of {}, found `{unknown}`", COURSES.join(", "))));
    }
    if !(1..=64).contains(&runs) {
        return Err(error(format_args!("`runs`: expected 1 to 64, found {runs}")));
    }
    if first_run > LAST_RUN {
        return Err(error(format_args!("`first_run`: expected 0 to {LAST_RUN}, found {first_run}")));
    }
    let variants = match variants {
        Some(given) => given.iter().map(|(name, of)| variant(&name, &of)).collect::<PyResult<Vec<_>>>()?,
        None => vec![Variant { name: "default".to_owned(), config: Default::default(), mover: Mover::Exact }],
    };
    let mut told = Map::new();
    let rows = py.detach(|| {
        let (shared, mocap) = db.evaluation();
        let evaluation = shared.over(&names, first_run..first_run + runs);
        let mut rows = vec![Ok(mocap.clone())];
        rows.extend(variants.iter().map(|v| evaluation.run(v, &|| ()).map(|e| e.row).map_err(|e| (v.name.clone(), e))));
        rows
    });
    for row in rows {
        let row = row.map_err(|(name, e)| about(py, rejected(e), format_args!("variant {name}")))?;
        told.insert(row.variant.clone(), figures(&row));
    }
    json::object(py, &Value::Object(told))
}

/// Returns a variant: a configuration, or networks.
fn variant(name: &Bound<PyAny>, of: &Bound<PyAny>) -> PyResult<Variant> {
    let name: String = name.extract().map_err(|_| error("`variants`: expected a dictionary from names"))?;
    if let Ok(networks) = of.cast::<Networks>() {
        let mover = Mover::Learned(Arc::clone(&networks.get().networks));
        return Ok(Variant { name, config: Default::default(), mover });
    }
    let config = Config::of((!of.is_none()).then_some(of))?.character.matcher;
    Ok(Variant { name, config, mover: Mover::Exact })
}

/// Returns the values of a row by key.
fn figures(row: &Row) -> Value {
    row.values.iter().map(|(key, value)| ((*key).to_owned(), value!({ "mean": value.mean, "sd": value.sd }))).collect()
}
