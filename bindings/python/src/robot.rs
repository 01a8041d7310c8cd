//! Humanoid robots: their models, clips on their hinges, and poses of crowds as `qpos`.

use crate::arrays::{frozen, values};
use crate::clip::RawClip;
use crate::config::Config;
use crate::database::clips_of;
use crate::error::{error, rejected};
use crate::json;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::retarget::Reference;
use footwork::skeleton::Skeleton;
use footwork_import::bvh::WriteOptions;
use footwork_import::{resample, write_clip};
use footwork_robot::{
    Placed, Retargeting, RobotClip as Content, RobotModel, RobotOptions, RobotSkeleton, RobotSummary, to_csv, to_npz,
};
use glam::Vec3;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::{Value, json as value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A humanoid robot.
#[pyclass(frozen, module = "footwork")]
pub struct Robot {
    model: Arc<RobotModel>,
    skeleton: Arc<RobotSkeleton>,
    /// `[hinges x 2]`.
    ranges: Vec<f64>,
}

/// A clip of a robot.
#[pyclass(frozen, module = "footwork")]
pub struct RobotClip {
    model: Arc<RobotModel>,
    skeleton: Arc<RobotSkeleton>,
    content: Content,
    /// `[frames x 2]`.
    contacts: Vec<bool>,
}

#[pymethods]
impl Robot {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let model = RobotModel::load(&path).map_err(rejected)?;
        let skeleton = Arc::new(RobotSkeleton::new(&model).map_err(rejected)?);
        let range = |h: &footwork_robot::Hinge| h.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        Ok(Self { ranges: model.hinges.iter().flat_map(range).collect(), skeleton, model: Arc::new(model) })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    #[getter]
    fn hinges(&self) -> Vec<String> {
        self.model.hinges.iter().map(|h| h.name.clone()).collect()
    }

    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.model.bodies.iter().map(|b| b.name.clone()).collect()
    }

    #[getter]
    fn ranges<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let robot = this.get();
        frozen::<_, f64>(this, &robot.ranges, &[robot.model.hinges.len(), 2])
    }

    /// Returns positions and rotations (w, x, y, z) of all bodies for poses.
    fn place<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let n: usize = qpos.len().map_err(|_| error("`qpos`: expected a numpy array"))?;
        let width = self.model.pose_len();
        let (poses, _) = values::<f64>("qpos", qpos, &[&[n, width]])?;
        let (mut positions, mut rotations) = (Vec::new(), Vec::new());
        let mut placed = Placed::default();
        for pose in poses.chunks_exact(width) {
            self.model.place(pose, &mut placed);
            positions.extend(placed.positions.iter().flat_map(|p| p.to_array()));
            rotations.extend(placed.rotations.iter().flat_map(|q| [q.w, q.x, q.y, q.z]));
        }
        let bodies = self.model.bodies.len();
        Ok((shaped(py, positions, &[n, bodies, 3])?, shaped(py, rotations, &[n, bodies, 4])?))
    }

    /// Returns the poses of the robot for characters whose database was built from its clips.
    fn qpos<'py>(
        &self,
        py: Python<'py>,
        joints: Vec<String>,
        parents: Vec<i64>,
        positions: &Bound<'py, PyAny>,
        rotations: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let n: usize = positions.len().map_err(|_| error("`positions`: expected a numpy array"))?;
        let (positions, _) = values::<f32>("positions", positions, &[&[n, joints.len(), 3]])?;
        let (rotations, _) = values::<f32>("rotations", rotations, &[&[n, joints.len(), 4]])?;
        let parents: Vec<Option<JointIndex>> = parents.iter().map(|p| u32::try_from(*p).ok().map(JointIndex)).collect();
        let rest = vec![Transform::IDENTITY; joints.len()];
        let given = Skeleton::new(joints, parents, rest).map_err(rejected)?;
        let own = &self.skeleton;
        let joint =
            |j: usize| given.require(own.skeleton.name(JointIndex::new(j))).map(JointIndex::at).map_err(rejected);
        let root = joint(0)?;
        let hinges: Vec<usize> = own.joint_of_hinge.iter().map(|j| joint(*j)).collect::<PyResult<_>>()?;
        let width = self.model.pose_len();
        let mut poses = vec![0.0; n * width];
        let mut turns = vec![Quat::IDENTITY; hinges.len()];
        for (k, pose) in poses.chunks_exact_mut(width).enumerate() {
            let at = |j: usize| Vec3::from_slice(&positions[(k * given.len() + j) * 3..][..3]);
            let turn = |j: usize| {
                let q = &rotations[(k * given.len() + j) * 4..][..4];
                Quat::from_xyzw(q[0], q[1], q[2], q[3])
            };
            let up = std::iter::successors(Some(root), |j| given.parents()[*j].map(JointIndex::at));
            let world = up.fold(Transform::IDENTITY, |below, j| Transform::new(at(j), turn(j)) * below);
            turns.iter_mut().zip(&hinges).for_each(|(q, j)| *q = turn(*j));
            own.pose(&self.model, world, &turns, pose);
        }
        shaped(py, poses, &[n, width])
    }

    fn __repr__(&self) -> String {
        format!("Robot({:?}, hinges={}, bodies={})", self.model.name, self.model.hinges.len(), self.model.bodies.len())
    }
}

#[pymethods]
impl RobotClip {
    #[getter]
    fn name(&self) -> &str {
        &self.content.name
    }

    #[getter]
    fn rate_hz(&self) -> f64 {
        self.content.rate_hz
    }

    #[getter]
    fn qpos<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let clip = this.get();
        let width = clip.model.pose_len();
        frozen::<_, f64>(this, &clip.content.poses, &[clip.content.poses.len() / width, width])
    }

    #[getter]
    fn contacts<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let clip = this.get();
        frozen::<_, bool>(this, &clip.contacts, &[clip.contacts.len() / 2, 2])
    }

    /// Returns the clip on the skeleton of the hinges.
    fn to_clip(&self) -> RawClip {
        RawClip { content: self.skeleton.to_clip(&self.model, &self.content) }
    }

    /// Writes the clip as .csv, .npz or .bvh.
    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let bytes = match extension.as_str() {
            "csv" => to_csv(&self.model, &self.content).into_bytes(),
            "npz" => to_npz(&self.model, &self.content),
            "bvh" => {
                let clip = self.skeleton.to_clip(&self.model, &self.content);
                return py.detach(|| write_clip(&path, &clip, &WriteOptions::default()).map_err(rejected));
            }
            _ => {
                return Err(error(format_args!("{}: expected a name that ends in .csv, .npz or .bvh", path.display())));
            }
        };
        let write = |file: &mut std::io::BufWriter<std::fs::File>| std::io::Write::write_all(file, &bytes);
        py.detach(|| footwork::advanced::files::write_atomically(&path, write)).map_err(rejected)
    }

    fn __repr__(&self) -> String {
        let frames = self.contacts.len() / 2;
        format!("RobotClip({:?}, frames={frames}, rate_hz={})", self.content.name, self.content.rate_hz)
    }
}

/// Transfers clips to a robot.
#[pyfunction]
#[pyo3(signature = (clips, robot, *, rate_hz=50.0, max_speed=20.0, roles=None, parts=None))]
pub fn retarget_robot<'py>(
    clips: &Bound<'py, PyAny>,
    robot: &Bound<'py, Robot>,
    rate_hz: f32,
    max_speed: f64,
    roles: Option<BTreeMap<String, String>>,
    parts: Option<BTreeMap<String, String>>,
) -> PyResult<(Vec<RobotClip>, Bound<'py, PyAny>)> {
    let (py, robot) = (robot.py(), robot.get());
    let clips = clips_of(py, Some(clips), &Config::default())?.clips;
    let options = RobotOptions { max_speed_rad_s: max_speed, parts: parts.unwrap_or_default() };
    let (done, told) = py.detach(|| {
        let source = Reference::of_clips(&clips, &roles.unwrap_or_default()).map_err(rejected)?;
        let retargeting = Retargeting::new((*robot.model).clone(), source, options).map_err(rejected)?;
        let clips: Vec<_> = clips.iter().map(|c| resample(c, rate_hz).map_err(rejected)).collect::<PyResult<_>>()?;
        let done = retargeting.clips(&clips, None).map_err(rejected)?;
        let reports: Vec<_> = done.iter().map(|(_, report)| report).collect();
        let mut told = value!({
            "scale": retargeting.scale(), "parts": retargeting.part_names(), "notes": retargeting.notes(), "clips": reports,
        });
        if let (Value::Object(told), Ok(Value::Object(all))) = (&mut told, serde_json::to_value(RobotSummary::of(&reports))) {
            told.extend(all);
        }
        PyResult::Ok((done, told))
    })?;
    let clip = |content: Content| {
        let [left, right] = &content.contacts;
        let contacts = left.iter().zip(right).flat_map(|(l, r)| [*l, *r]).collect();
        RobotClip { model: Arc::clone(&robot.model), skeleton: Arc::clone(&robot.skeleton), contacts, content }
    };
    Ok((done.into_iter().map(|(content, _)| clip(content)).collect(), json::object(py, &told)?))
}

/// Returns an array of numpy that owns its values.
fn shaped<'py>(py: Python<'py>, values: Vec<f64>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape)?.into_any())
}
