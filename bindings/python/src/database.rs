//! Databases: building, files, and views of their arrays.

use crate::arrays::frozen;
use crate::clip::{RawClip, contents};
use crate::config::Config;
use crate::error::{error, rejected};
use crate::indices;
use crate::json;
use crate::search::{Found, Index, Nearest};
use footwork::build::{BuildOptions, BuildReport, build as build_database};
use footwork::database::Database as Content;
use footwork::frames::JointIndex;
use footwork_gait::GaitOptions;
use footwork_import::{Imported, Shards, check_rules, import_clips};
use footwork_metrics::eval::{Evaluation, Row};
use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A motion database. Immutable; can be pickled. Its arrays are read-only views without copies that keep it alive.
#[pyclass(frozen, module = "footwork")]
pub struct Database {
    pub content: Arc<Content>,
    report: Option<Report>,
    index: Index,
    /// What all evaluations share, made by the first: see [`Database::evaluation`].
    evaluation: OnceLock<(Evaluation, Row)>,
}

/// What the build reports.
struct Report {
    build: BuildReport,
    fixes: serde_json::Value,
}

/// A clip of a database.
#[pyclass(frozen, get_all, module = "footwork")]
pub struct Clip {
    name: String,
    /// Its first frame in `Database.rotations`.
    first_frame: usize,
    frames: usize,
    /// Its first row in `Database.features`.
    first_row: usize,
    rows: usize,
    seconds: f64,
    looping: bool,
    mirrored: bool,
    tags: Vec<String>,
}

#[pymethods]
impl Clip {
    fn __repr__(&self) -> String {
        format!("Clip({:?}, frames={}, seconds={:.2})", self.name, self.frames, self.seconds)
    }
}

/// Builds a database.
///
/// `paths`: motion files (.bvh, .glb, .gltf, .fbx), folders, patterns with `*`, or clips. Default: those of the configuration,
/// else the built-in clips. `config`: a path of a TOML file, or its tables as a dictionary, such as
/// `{"build": {"search_rate_hz": 60}}`.
///
/// Raises `Error` if a file cannot be read, and for an unknown setting.
#[pyfunction]
#[pyo3(signature = (paths=None, config=None))]
pub fn build(py: Python, paths: Option<Bound<PyAny>>, config: Option<Bound<PyAny>>) -> PyResult<Database> {
    let config = Config::of(config.as_ref())?;
    let imported = clips_of(py, paths.as_ref(), &config)?;
    let built_in = paths.is_none() && config.character.source.clips.is_empty();
    py.detach(|| Database::from_clips(imported, &config, !built_in))
}

/// Builds the database of the built-in character. `actions` adds jumps, vaults, climbs, seats and reaches.
#[pyfunction]
#[pyo3(signature = (data="locomotion", config=None))]
pub fn built_in(py: Python, data: &str, config: Option<Bound<PyAny>>) -> PyResult<Database> {
    let options = match data {
        "locomotion" => &GaitOptions::BUILT_IN,
        "actions" => &GaitOptions::ACTIONS,
        _ => return Err(error(format_args!("`data`: expected `locomotion` or `actions`, found `{data}`"))),
    };
    let config = Config::of(config.as_ref())?;
    py.detach(|| {
        let clips = footwork_gait::clips(options);
        Database::from_clips(Imported { clips, ..Imported::default() }, &config, false)
    })
}

/// Returns a list of paths from a path or a sequence of paths.
pub fn paths_of(given: &Bound<PyAny>) -> PyResult<Vec<PathBuf>> {
    let one = given.extract::<PathBuf>().map(|path| vec![path]);
    one.or_else(|_| given.extract()).map_err(|_| error("`paths`: expected paths of motion files, folders or patterns"))
}

/// Returns the given clips (paths of motion files, `RawClip`s, or a database), else those of the configuration, else the built-in ones.
pub fn clips_of(py: Python, given: Option<&Bound<PyAny>>, config: &Config) -> PyResult<Imported> {
    let source = &config.character.source;
    if let Some(database) = given.and_then(|given| given.cast::<Database>().ok()) {
        let clips = database.get().raw_clips().into_iter().map(|clip| clip.content).collect();
        return Ok(Imported { clips, ..Imported::default() });
    }
    let (paths, base) = match given {
        Some(given) => match contents(given) {
            Some(clips) => return Ok(Imported { clips, ..Imported::default() }),
            None => (paths_of(given)?, Path::new("")),
        },
        None if source.clips.is_empty() => {
            let clips = py.detach(|| footwork_gait::clips(&GaitOptions::BUILT_IN));
            return Ok(Imported { clips, ..Imported::default() });
        }
        None => {
            let base = config.file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            (source.clips.iter().map(PathBuf::from).collect(), base)
        }
    };
    py.detach(|| import_clips(&paths, base, source, None)).map_err(rejected)
}

impl Database {
    pub fn of(content: Content) -> Self {
        Self { content: Arc::new(content), report: None, index: Index::new(), evaluation: OnceLock::new() }
    }

    /// Returns an evaluation without courses, and the row of the captured motion.
    pub fn evaluation(&self) -> &(Evaluation, Row) {
        self.evaluation.get_or_init(|| {
            let evaluation = Evaluation::new(Arc::clone(&self.content), &[], 0..0);
            let mocap = evaluation.mocap();
            (evaluation, mocap)
        })
    }

    /// Writes the file.
    pub fn save_to(&self, path: &Path) -> PyResult<()> {
        self.content.save(path).map_err(rejected)
    }

    /// Builds from imported clips. With `encode_poses`, poses are encoded as by `footwork build`; those of the built-in clips are not.
    pub fn from_clips(mut imported: Imported, config: &Config, encode_poses: bool) -> PyResult<Self> {
        let (clips, settings) = (std::mem::take(&mut imported.clips), &config.character.build);
        if let Some(file) = &config.file {
            check_rules(&settings.clips, &clips, file).map_err(rejected)?;
        }
        let options = BuildOptions { encode_poses, ..BuildOptions::default() };
        let (content, mut build) = build_database(clips, settings, &options).map_err(rejected)?;
        config.character.matcher.validate(&content).map_err(rejected)?;
        build.warnings.splice(0..0, imported.notes.iter().map(ToString::to_string));
        let fixes = serde_json::to_value(&imported.fixes).unwrap_or_default();
        Ok(Self { report: Some(Report { build, fixes }), ..Self::of(content) })
    }

    fn names(&self, joints: &[JointIndex]) -> Vec<String> {
        joints.iter().map(|joint| self.content.skeleton.name(*joint).to_owned()).collect()
    }
}

#[pymethods]
impl Database {
    /// Reads a `.fwdb` file.
    #[staticmethod]
    fn load(py: Python, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Content::load(&path).map(Self::of).map_err(rejected))
    }

    /// Writes a `.fwdb` file, whole or not at all. Equal content gives equal bytes.
    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.save_to(&path))
    }

    /// Writes the database in shards, each a `.fwdb` file of about the same duration, and a manifest that lists them. Returns the path
    /// of the manifest.
    ///
    /// `folder` is created. Files of other names that are in it stay. `shards`: 1 up to the number of clips with rows.
    /// `footwork.ray.ShardedCharacter` searches the shards as one database.
    fn save_shards(&self, py: Python, folder: PathBuf, shards: usize) -> PyResult<PathBuf> {
        let written = py.detach(|| Shards::write(&self.content, shards, &folder));
        Ok(written.map_err(rejected)?.path().to_owned())
    }

    /// Returns the `k` (1 to 4096) rows nearest to each query: `(rows, costs, mirrored)`, each (n, k), the nearest first.
    ///
    /// `queries`: (n, columns) float32, normalised as `features`. `weights`: (columns,) float32; the cost of a row is the sum over
    /// columns of ((query - row) * weight) squared, or absolute where the schema defines it so. Default: 1. `tags`: a condition
    /// such as "walk & !stairs". Rows with flag 1 are excluded, and those of motion that is not locomotion unless `tags`
    /// requests it. Ties go to the lowest row. `mirrored`: true for the mirror image of a row (`build.mirror = "query"`).
    /// If there are fewer than `k` rows, the others are -1, with infinite costs.
    #[pyo3(signature = (queries, k=1, *, tags="", weights=None))]
    fn search<'py>(
        &self,
        queries: &Bound<'py, PyAny>,
        k: usize,
        tags: &str,
        weights: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Found<'py>> {
        Nearest { queries, k, tags, weights }.run(&self.content, &self.index)
    }

    #[staticmethod]
    fn from_bytes(py: Python, data: &[u8]) -> PyResult<Self> {
        py.detach(|| Content::from_bytes(data, Path::new("bytes")).map(Self::of).map_err(rejected))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.content.to_bytes()).map_err(error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = this.py();
        Ok((this.get_type().getattr("from_bytes")?, (this.get().to_bytes(py)?,)))
    }

    /// (rows, columns): normalised features. The raw value is `features * feature_scale + feature_offset`.
    #[getter]
    fn features<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let features = &this.get().content.features;
        frozen(this, &features.values, &[features.rows(), features.columns])
    }

    /// (columns,): means of the raw features.
    #[getter]
    fn feature_offset<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let features = &this.get().content.features;
        frozen(this, &features.offset, &[features.columns])
    }

    /// (columns,): standard deviations divided by weights; positive.
    #[getter]
    fn feature_scale<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let features = &this.get().content.features;
        frozen(this, &features.scale, &[features.columns])
    }

    /// Labels of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        (0..self.content.features.columns).map(|column| self.content.schema.column_label(column)).collect()
    }

    /// (label, first column, first column after it) of each channel.
    #[getter]
    fn channels(&self) -> Vec<(String, usize, usize)> {
        let channels = self.content.schema.channels.iter();
        channels.map(|channel| (channel.label.clone(), channel.columns.start, channel.columns.end)).collect()
    }

    /// (frames, joints, 4): rotations relative to the parent. Joint 0 is the root, in the world of the capture.
    #[getter]
    fn rotations<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let poses = &this.get().content.poses;
        frozen::<_, f32>(this, bytemuck::cast_slice(&poses.rotations), &[poses.frames(), poses.joints, 4])
    }

    /// (frames, translated joints, 3): translations relative to the parent, in metres; joint 0 in the world of the capture.
    #[getter]
    fn translations<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let poses = &this.get().content.poses;
        let shape = [poses.frames(), poses.translated.len(), 3];
        frozen::<_, f32>(this, bytemuck::cast_slice(&poses.translations), &shape)
    }

    /// The joints of `translations`. The others keep the translation of their rest pose.
    #[getter]
    fn translated_joints(&self) -> Vec<String> {
        self.names(&self.content.poses.translated)
    }

    /// (rows,): frame of each row.
    #[getter]
    fn row_frames<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let frames = &this.get().content.row_frames;
        frozen(this, crate::indices::numbers(frames), &[frames.len()])
    }

    /// (rows,): clip of each row, an index into `clips`.
    #[getter]
    fn row_clips<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let clips = &this.get().content.row_clips;
        frozen(this, crate::indices::numbers(clips), &[clips.len()])
    }

    /// (rows,): 1: transitions to the row are blocked; 2: its trajectory was extrapolated.
    #[getter]
    fn row_flags<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let flags = &this.get().content.row_flags;
        frozen(this, crate::indices::bytes(flags), &[flags.len()])
    }

    /// (frames, contact joints): 1 if the joint touches the ground, else 0.
    #[getter]
    fn contacts<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let content = &this.get().content;
        frozen(this, &content.contacts, &[content.frames(), content.rig.contact_joints.len()])
    }

    #[getter]
    fn contact_joints(&self) -> Vec<String> {
        self.names(&self.content.rig.contact_joints)
    }

    #[getter]
    fn joints(&self) -> Vec<String> {
        self.content.skeleton.names().to_vec()
    }

    /// Index of each joint's parent; -1 for the root.
    #[getter]
    fn parents(&self) -> Vec<i64> {
        indices::parents(&self.content.skeleton)
    }

    /// The clips; stored mirror images share the frames of their originals.
    #[getter]
    fn clips(&self) -> Vec<Clip> {
        let content = &self.content;
        let clip = |clip: &footwork::database::Clip| Clip {
            name: clip.name.clone(),
            first_frame: clip.first_frame as usize,
            frames: clip.frames as usize,
            first_row: clip.first_row as usize,
            rows: clip.rows as usize,
            seconds: f64::from(clip.frames) / f64::from(content.pose_rate_hz),
            looping: clip.looping(),
            mirrored: clip.mirrored,
            tags: content.clip_tags(clip).into_iter().map(str::to_owned).collect(),
        };
        content.clips.iter().map(clip).collect()
    }

    /// Returns its clips, without mirror images and without those that the build made from others.
    pub fn raw_clips(&self) -> Vec<RawClip> {
        let content = &self.content;
        let (skeleton, poses) = (&content.skeleton, &content.poses);
        let raw = |clip: &footwork::database::Clip| {
            let mut translations: Vec<Vec3> = Vec::with_capacity(clip.frames as usize * skeleton.len());
            for f in clip.frame_range() {
                let start = translations.len();
                translations.extend(skeleton.rest().iter().map(|rest| rest.translation));
                let moved = &poses.translations[f * poses.translated.len()..][..poses.translated.len()];
                poses.translated.iter().zip(moved).for_each(|(joint, at)| translations[start + joint.at()] = *at);
            }
            let frames = clip.frame_range();
            let content = footwork::clip::RawClip {
                name: clip.name.clone(),
                source: "a database".to_owned(),
                skeleton: skeleton.clone(),
                rate_hz: content.pose_rate_hz,
                looping: clip.looping(),
                translations,
                rotations: poses.rotations[frames.start * poses.joints..frames.end * poses.joints].to_vec(),
                annotations: footwork::clip::Annotations::default(),
            };
            RawClip { content }
        };
        content.clips.iter().filter(|clip| !clip.mirrored && !content.is_made(clip)).map(raw).collect()
    }

    #[getter]
    fn tags(&self) -> Vec<String> {
        self.content.tags.clone()
    }

    /// (tag, first frame, first frame after it).
    #[getter]
    fn tag_spans(&self) -> Vec<(String, u32, u32)> {
        let spans = self.content.tag_spans.iter();
        spans.map(|span| (self.content.tags[span.tag as usize].clone(), span.start.0, span.end.0)).collect()
    }

    #[getter]
    fn pose_rate_hz(&self) -> f32 {
        self.content.pose_rate_hz
    }

    #[getter]
    fn search_rate_hz(&self) -> f32 {
        self.content.search_rate_hz
    }

    /// Duration of the motion without mirror images, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.content.seconds()
    }

    /// Hash of all content, 32 hexadecimal digits.
    #[getter]
    fn content_hash(&self) -> String {
        format!("{:032x}", self.content.content_hash())
    }

    /// The report of the build; `None` for a database from a file.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(Report { build, fixes }) = &self.report else { return Ok(None) };
        let mut told = serde_json::to_value(build).map_err(rejected)?;
        told["fixes"] = fixes.clone();
        json::object(py, &told).map(Some)
    }

    fn __repr__(&self) -> String {
        let content = &self.content;
        let minutes = content.seconds() / 60.0;
        format!("Database({} clips, {minutes:.1} min, {} rows)", content.originals(), content.rows())
    }
}
