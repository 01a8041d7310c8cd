//! Humanoid robots: their models, clips on their hinges, and poses of crowds as `qpos`.

use crate::arrays::{frozen, owned, values};
use crate::clip::RawClip;
use crate::config::Config;
use crate::crowd::Crowd;
use crate::database::clips_of;
use crate::error::{error, rejected};
use crate::json;
use footwork::frames::JointIndex;
use footwork::matcher::Output;
use footwork::math::{Quat, Transform};
use footwork::pose::Pose;
use footwork::retarget::Reference;
use footwork_import::bvh::WriteOptions;
use footwork_import::{resample, write_clip};
use footwork_robot::{
    Footing, MAX_SPEED_RAD_S, Parts, Placed, Retargeting, RobotClip as Content, RobotModel, RobotOptions,
    RobotSkeleton, RobotSummary, to_csv, to_npz,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json as value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A humanoid robot: bodies and hinges in the order of MuJoCo, metres, radians and seconds, +Z up. Immutable.
///
/// `qpos` has 7 + hinges values: position and rotation (w, x, y, z) of the root, then angles. `qvel` has 6 + hinges values: velocity of
/// the root in the world, angular velocity of the root about the axes of its body, then those of the hinges.
///
/// Reads a model (MJCF) with the files that it includes. Meshes are not read.
#[pyclass(frozen, module = "footwork")]
pub struct Robot {
    model: Arc<RobotModel>,
    skeleton: Arc<RobotSkeleton>,
    /// `[hinges x 2]`.
    ranges: Vec<f64>,
    /// The feet, if they were found.
    footing: Option<Footing>,
}

impl Robot {
    /// Returns the values of `n` poses.
    fn poses(&self, name: &str, given: &Bound<PyAny>, n: usize) -> PyResult<Vec<f64>> {
        let width = self.model.pose_len();
        let (poses, _) = values::<f64>(name, given, &[&[n, width]])?;
        let valid = |pose: &[f64]| pose.iter().all(|v| v.is_finite()) && pose[3..7].iter().any(|v| *v != 0.0);
        match poses.chunks_exact(width).position(|pose| !valid(pose)) {
            Some(row) => {
                Err(error(format_args!("`{name}`: row {row}: expected finite numbers and a rotation that is not zero")))
            }
            None => Ok(poses),
        }
    }
}

/// Maximum number of frames and rate of a plan: far above what a tracker follows.
const MOST_FRAMES: usize = 1000;
const MOST_HZ: f64 = 1000.0;

/// The joints of a character that are those of a robot.
struct Binding {
    /// From the top of the character down to the robot's root.
    root: Vec<usize>,
    /// `[hinges]`.
    hinges: Vec<usize>,
}

impl Binding {
    /// Finds the joints by their names.
    fn new(robot: &Robot, crowd: &Crowd) -> PyResult<Self> {
        let (own, character) = (&robot.skeleton, crowd.skeleton());
        let joint = |j: usize| {
            let name = own.skeleton.name(JointIndex::new(j));
            let missing = || {
                let found = character.names().iter().take(5).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
                error(format_args!(
                    "`crowd`: expected a character with the joints of robot `{}`, found no joint `{name}` ({found}, ...); build its \
                     database from `RobotClip.to_clip()`",
                    robot.model.name
                ))
            };
            character.find(name).map(JointIndex::at).ok_or_else(missing)
        };
        let up = |j: &usize| character.parents()[*j].map(JointIndex::at);
        let mut root: Vec<usize> = std::iter::successors(Some(joint(0)?), up).collect();
        root.reverse();
        let hinges = own.joint_of_hinge.iter().map(|j| joint(*j)).collect::<PyResult<_>>()?;
        if crowd.config().feet.enabled || crowd.config().transition.feet_half_life_s > 0.0 {
            return Err(error(
                "`crowd`: expected a character whose legs are not bent to places of feet, since its joints then turn about any \
                 axis; create it with the configuration {\"matcher\": {\"feet\": {\"enabled\": False}, \
                 \"transition\": {\"feet_half_life_s\": 0}}}",
            ));
        }
        Ok(Self { root, hinges })
    }

    /// Writes a character's pose as that of the robot.
    fn write(&self, robot: &Robot, pose: &Pose, row: &mut [f64]) {
        let local = |j: &usize| Transform::new(pose.translations[*j], pose.rotations[*j]);
        let world = self.root.iter().fold(Transform::IDENTITY, |above, j| above * local(j));
        let turns: Vec<Quat> = self.hinges.iter().map(|j| pose.rotations[*j]).collect();
        robot.skeleton.pose(&robot.model, world, &turns, row);
        if let Some(footing) = &robot.footing {
            footing.lift(&robot.model, row);
        }
    }
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
        let footing = Parts::find(&model, &BTreeMap::new()).and_then(|parts| Footing::new(&model, &parts)).ok();
        Ok(Self { footing, ranges: model.hinges.iter().flat_map(range).collect(), skeleton, model: Arc::new(model) })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    /// Names of the hinges, in the order of `qpos[7:]`.
    #[getter]
    fn hinges(&self) -> Vec<String> {
        self.model.hinges.iter().map(|h| h.name.clone()).collect()
    }

    /// Names of the bodies; the first is the root.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.model.bodies.iter().map(|b| b.name.clone()).collect()
    }

    /// (hinges, 2): least and greatest angles, radians; infinite without a range.
    #[getter]
    fn ranges<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let robot = this.get();
        frozen::<_, f64>(this, &robot.ranges, &[robot.model.hinges.len(), 2])
    }

    /// Returns where bodies are in the world: positions (n, bodies, 3), and rotations (n, bodies, 4) as (w, x, y, z).
    ///
    /// `qpos`: (n, 7 + hinges), float64.
    fn place<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let n: usize = qpos.len().map_err(|_| error("`qpos`: expected a numpy array"))?;
        let width = self.model.pose_len();
        let poses = self.poses("qpos", qpos, n)?;
        let (mut positions, mut rotations) = (Vec::new(), Vec::new());
        let mut placed = Placed::default();
        for pose in poses.chunks_exact(width) {
            self.model.place(pose, &mut placed);
            positions.extend(placed.positions.iter().flat_map(|p| p.to_array()));
            rotations.extend(placed.rotations.iter().flat_map(|q| [q.w, q.x, q.y, q.z]));
        }
        let bodies = self.model.bodies.len();
        Ok((owned(py, positions, [n, bodies, 3])?.into_any(), owned(py, rotations, [n, bodies, 4])?.into_any()))
    }

    /// Returns the poses (n, 7 + hinges) of a crowd whose database was built from clips of this robot (`RobotClip.to_clip`).
    ///
    /// Angles are within the ranges. Rotations of joints about other axes than that of their hinge are left out.
    ///
    /// Raises `Error` for a character of other joints, and for one whose legs are bent to places of feet: its joints turn about any
    /// axis. Create it with `{"matcher": {"feet": {"enabled": False}, "transition": {"feet_half_life_s": 0}}}`.
    fn qpos<'py>(&self, crowd: &Bound<'py, Crowd>) -> PyResult<Bound<'py, PyAny>> {
        let (py, crowd, width) = (crowd.py(), crowd.get(), self.model.pose_len());
        let binding = Binding::new(self, crowd)?;
        let mut poses = vec![0.0; crowd.n()? * width];
        let mut rows = poses.chunks_exact_mut(width);
        crowd.each_output(|output| {
            if let Some(row) = rows.next() {
                binding.write(self, &output.pose, row);
            }
        })?;
        let n = poses.len() / width;
        Ok(owned(py, poses, [n, width])?.into_any())
    }

    /// Returns the next poses of a crowd if its input stays as it is: a reference for a tracking controller. The crowd does not move.
    ///
    /// Returns `qpos` (n, frames, 7 + hinges), whose first frame is the present pose, and `qvel` (n, frames, 6 + hinges), the velocities
    /// from each frame to the next. `frames`: 1 to 1000. `rate_hz`: 1 to 1000. `start` (n, 7 + hinges): present pose of the robot, such
    /// as that frame of the last plan which it has reached; default: that of the crowd. `max_speed`: of every hinge, rad/s, also from
    /// `start` on; a hinge that is too slow for the motion catches up with it later. The others are those of `Crowd.step`.
    ///
    /// Raises `Error` as `qpos` and `Crowd.step` do.
    #[pyo3(
        signature = (crowd, sticks=None, frames=25, rate_hz=50.0, *, start=None, max_speed=MAX_SPEED_RAD_S, **inputs),
        text_signature = "($self, crowd, sticks=None, frames=25, rate_hz=50.0, *, start=None, max_speed=20.0, run=False, looks=None, strafe=False, \
                          camera_yaws=None, camera_yaw_rates=None, velocities=None, facings=None, tags='', tag_costs=(), \
                          user=None, variables=None, look_at=None, inputs=None)"
    )]
    #[allow(clippy::too_many_arguments, reason = "arguments of Python")]
    fn plan<'py>(
        &self,
        crowd: &Bound<'py, Crowd>,
        sticks: Option<Bound<'py, PyAny>>,
        frames: usize,
        rate_hz: f64,
        start: Option<Bound<'py, PyAny>>,
        max_speed: f64,
        inputs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, crowd, width) = (crowd.py(), crowd.get(), self.model.pose_len());
        if !(1..=MOST_FRAMES).contains(&frames) {
            return Err(error(format_args!("`frames`: expected 1 to {MOST_FRAMES}, found {frames}")));
        }
        if !(1.0..=MOST_HZ).contains(&rate_hz) {
            return Err(error(format_args!("`rate_hz`: expected 1 to {MOST_HZ}, found {rate_hz}")));
        }
        if max_speed.is_nan() || max_speed <= 0.0 {
            return Err(error(format_args!("`max_speed`: expected more than 0 rad/s, found {max_speed}")));
        }
        let n = crowd.n()?;
        let start = start.map(|start| self.poses("start", &start, n)).transpose()?;
        let given = inputs.map_or_else(|| Ok(PyDict::new(py)), |inputs| inputs.copy())?;
        if let Some(sticks) = sticks {
            given.set_item("sticks", sticks)?;
        }
        let binding = Binding::new(self, crowd)?;
        let write = |output: &Output, row: &mut [f64]| binding.write(self, &output.pose, row);
        let mut all = crowd.look_ahead(py, Some(&given), (frames, (1.0 / rate_hz) as f32), width, write)?;
        if let Some(start) = start {
            all.chunks_exact_mut(width * (frames + 1)).zip(start.chunks_exact(width)).for_each(|(one, start)| {
                one[..width].copy_from_slice(start);
            });
        }
        let (mut poses, mut speeds) = (Vec::with_capacity(n * frames * width), vec![0.0; n * frames * (width - 1)]);
        let mut rows = speeds.chunks_exact_mut(width - 1);
        for one in all.chunks_exact_mut(width * (frames + 1)) {
            for at in (width..one.len()).step_by(width) {
                // Hinges that are slower than the plan catch up with it later. The root gives way to the ground meanwhile.
                let mut waits = false;
                for k in at + 7..at + width {
                    let (before, planned, most) = (one[k - width], one[k], max_speed / rate_hz);
                    one[k] = planned.clamp(before - most, before + most);
                    waits |= one[k] != planned;
                }
                if let Some(footing) = self.footing.as_ref().filter(|_| waits) {
                    footing.raise(&self.model, &mut one[at..at + width]);
                }
            }
            poses.extend_from_slice(&one[..width * frames]);
            let pairs = one.chunks_exact(width).zip(one.chunks_exact(width).skip(1));
            for ((before, after), row) in pairs.zip(&mut rows) {
                self.model.velocity(before, after, 1.0 / rate_hz, row);
            }
        }
        Ok((owned(py, poses, [n, frames, width])?.into_any(), owned(py, speeds, [n, frames, width - 1])?.into_any()))
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

    /// (frames, 7 + hinges): see `Robot`; a view without a copy.
    #[getter]
    fn qpos<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let clip = this.get();
        let width = clip.model.pose_len();
        frozen::<_, f64>(this, &clip.content.poses, &[clip.content.poses.len() / width, width])
    }

    /// (frames, 6 + hinges): velocities from each frame to the next; that of the last frame is the one before it.
    #[getter]
    fn qvel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (width, dt_s) = (self.model.pose_len(), 1.0 / self.content.rate_hz);
        let poses: Vec<&[f64]> = self.content.poses.chunks_exact(width).collect();
        let mut speeds = vec![0.0; poses.len() * (width - 1)];
        for (f, row) in speeds.chunks_exact_mut(width - 1).enumerate() {
            // The last frame has the velocity with which it is reached.
            let from = f.min(poses.len().saturating_sub(2));
            self.model.velocity(poses[from], poses[(from + 1).min(poses.len() - 1)], dt_s, row);
        }
        Ok(owned(py, speeds, [poses.len(), width - 1])?.into_any())
    }

    /// (frames, 2): whether the left and the right foot are planted; a view without a copy.
    #[getter]
    fn contacts<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let clip = this.get();
        frozen::<_, bool>(this, &clip.contacts, &[clip.contacts.len() / 2, 2])
    }

    /// Returns the clip on a skeleton with one joint per hinge, for `build`.
    fn to_clip(&self) -> RawClip {
        RawClip { content: self.skeleton.to_clip(&self.model, &self.content) }
    }

    /// Writes the clip: .csv (Unitree's order), .npz (BeyondMimic's arrays) or .bvh.
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

/// Transfers clips to the hinges of a humanoid robot: feet planted, ranges and speeds held.
///
/// `clips`: motion files, clips, or a database. `rate_hz`: frames per second of the result. `max_speed`: maximum speed of every hinge,
/// rad/s. `roles`: joints of the clips by role. `parts`: bodies and hinges of the robot by part, such as `{"left_knee": "joint_4"}`,
/// where they are not found. Returns the clips, and a report: the errors of all clips together, and in `clips` those of each (keys as
/// in `footwork robot --json`).
///
/// Raises `Error` for a robot whose limbs are not found, for an unknown part, body or hinge, and for clips that do not fit together.
#[pyfunction]
#[pyo3(signature = (clips, robot, *, rate_hz=50.0, max_speed=MAX_SPEED_RAD_S, roles=None, parts=None))]
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
