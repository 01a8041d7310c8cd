//! Clips before a build: read from files, made from arrays, written as BVH.

use crate::arrays::{frozen, values};
use crate::config::Config;
use crate::database::paths_of;
use crate::error::{error, rejected};
use crate::indices;
use footwork::clip::{Annotations, RawClip as Content};
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use footwork_import::bvh::WriteOptions;
use footwork_import::{import_clips, write_clip};
use glam::Vec3;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// A clip before a build: local transforms per frame, in metres, +Y up.
///
/// `parents`: index of each joint's parent; -1 for joint 0. `translations` (frames, joints, 3): relative to the parent, in
/// metres. `rotations` (frames, joints, 4): unit quaternions relative to the parent. The first frame is the rest pose.
#[pyclass(frozen, module = "footwork")]
pub struct RawClip {
    pub content: Content,
}

/// Reads the clips of motion files, folders and patterns, with the table `source` of a configuration.
#[pyfunction]
#[pyo3(signature = (paths, config=None))]
pub fn read_clips(py: Python, paths: &Bound<PyAny>, config: Option<Bound<PyAny>>) -> PyResult<Vec<RawClip>> {
    let (paths, config) = (paths_of(paths)?, Config::of(config.as_ref())?);
    let imported =
        py.detach(|| import_clips(&paths, Path::new(""), &config.character.source, None)).map_err(rejected)?;
    Ok(imported.clips.into_iter().map(|content| RawClip { content }).collect())
}

/// Returns the clips of the built-in character.
#[pyfunction]
pub fn built_in_clips(py: Python) -> Vec<RawClip> {
    let clips = py.detach(|| footwork_gait::clips(&footwork_gait::GaitOptions::BUILT_IN));
    clips.into_iter().map(|content| RawClip { content }).collect()
}

/// Returns the clips of a sequence of `RawClip`; `None` if it is something else.
pub fn contents(given: &Bound<PyAny>) -> Option<Vec<Content>> {
    let clips: Vec<Bound<RawClip>> = given.extract().ok()?;
    Some(clips.iter().map(|clip| clip.get().content.clone()).collect())
}

#[pymethods]
impl RawClip {
    #[new]
    #[pyo3(signature = (name, rate_hz, joints, parents, translations, rotations, *, looping=false))]
    #[allow(clippy::too_many_arguments, reason = "arguments of Python")]
    fn new(
        name: String,
        rate_hz: f32,
        joints: Vec<String>,
        parents: Vec<i64>,
        translations: &Bound<PyAny>,
        rotations: &Bound<PyAny>,
        looping: bool,
    ) -> PyResult<Self> {
        let frames: usize = translations.len().map_err(|_| error("`translations`: expected a numpy array"))?;
        let (positions, _) = values::<f32>("translations", translations, &[&[frames, joints.len(), 3]])?;
        let (turns, _) = values::<f32>("rotations", rotations, &[&[frames, joints.len(), 4]])?;
        if frames == 0 {
            return Err(error("`translations`: expected at least one frame, found none"));
        }
        let translations: Vec<Vec3> = positions.as_chunks::<3>().0.iter().copied().map(Vec3::from_array).collect();
        let rotations: Vec<Quat> = turns.as_chunks::<4>().0.iter().copied().map(Quat::from_array).collect();
        let parent = |parent: &i64| u32::try_from(*parent).ok().map(JointIndex);
        let rest = translations.iter().zip(&rotations).take(joints.len()).map(|(t, r)| Transform::new(*t, *r));
        let skeleton = Skeleton::new(joints, parents.iter().map(parent).collect(), rest.collect()).map_err(rejected)?;
        let (source, annotations) = ("python".to_owned(), Annotations::default());
        let content = Content { name, source, skeleton, rate_hz, looping, translations, rotations, annotations };
        content.validate().map_err(rejected)?;
        Ok(Self { content })
    }

    /// Writes the clip as BVH.
    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_clip(&path, &self.content, &WriteOptions::default()).map_err(rejected))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.content.name
    }

    #[getter]
    fn rate_hz(&self) -> f32 {
        self.content.rate_hz
    }

    #[getter]
    fn looping(&self) -> bool {
        self.content.looping
    }

    #[getter]
    fn joints(&self) -> Vec<String> {
        self.content.skeleton.names().to_vec()
    }

    #[getter]
    fn parents(&self) -> Vec<i64> {
        indices::parents(&self.content.skeleton)
    }

    /// (frames, joints, 3), relative to the parent, in metres: a view without a copy.
    #[getter]
    fn translations<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let clip = &this.get().content;
        let shape = [clip.frames(), clip.skeleton.len(), 3];
        frozen::<_, f32>(this, bytemuck::cast_slice(&clip.translations), &shape)
    }

    /// (frames, joints, 4), relative to the parent: a view without a copy.
    #[getter]
    fn rotations<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let clip = &this.get().content;
        let shape = [clip.frames(), clip.skeleton.len(), 4];
        frozen::<_, f32>(this, bytemuck::cast_slice(&clip.rotations), &shape)
    }

    fn __repr__(&self) -> String {
        let clip = &self.content;
        format!("RawClip({:?}, frames={}, rate_hz={})", clip.name, clip.frames(), clip.rate_hz)
    }
}
