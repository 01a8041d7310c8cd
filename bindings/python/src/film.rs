//! Pictures of motion: strips as PNG, animated pictures as WebP.

use crate::arrays::values;
use crate::character::Character;
use crate::database::Database;
use crate::error::{error, rejected};
use footwork::math::{Quat, Transform};
use footwork::pose::{Pose, PoseVelocity};
use footwork::rig::Rig;
use footwork::skeleton::Skeleton;
use footwork_draw::animation::Animation;
use footwork_draw::cell::Subject;
use footwork_draw::error::DrawError;
use footwork_draw::figure::Figure;
use footwork_draw::ground::Ground;
use footwork_draw::motion::Motion;
use footwork_draw::raster;
use footwork_draw::strip::{CameraMode, Moments, Strip};
use footwork_draw::view::View;
use footwork_draw::webp::WebpWriter;
use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::Write;
use std::path::PathBuf;

/// Largest distance from the origin, in metres, that is drawn.
const FAR_M: f32 = 1e6;
/// Maximum number of frames of a film.
const MOST_FRAMES: usize = 200_000;

/// A picture in memory. Notebooks show it.
#[pyclass(frozen, module = "footwork")]
pub struct Picture {
    bytes: Vec<u8>,
    #[pyo3(get)]
    format: &'static str,
}

#[pymethods]
impl Picture {
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        footwork::advanced::files::write_atomically(&path, |out| out.write_all(&self.bytes))
            .map_err(|e| error(format_args!("cannot write {}: {e}", path.display())))
    }

    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<Bound<'py, PyAny>>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = (include, exclude);
        let bundle = pyo3::types::PyDict::new(py);
        bundle.set_item(format!("image/{}", self.format), self.data(py))?;
        Ok(bundle.into_any())
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        (self.format == "png").then(|| self.data(py))
    }

    fn __repr__(&self) -> String {
        format!("Picture({}, {} bytes)", self.format, self.bytes.len())
    }
}

/// A body, and the name of what is shown.
struct Body<'a> {
    skeleton: &'a Skeleton,
    rig: &'a Rig,
    title: String,
}

/// Draws motion: a strip of poses as PNG, or an animated picture as WebP.
///
/// Either `clip`: name of a clip of a database. Or `positions` (frames, joints, 3) in metres and `rotations` (frames, joints, 4),
/// both in the world, as `world_positions` and `world_rotations` show them, with `contacts` (frames, contact joints) if known.
/// `width`: pixels, 480 to 6000 for PNG (default: 1600), 160 to 1920 for WebP (default: 480). `every`: seconds between poses.
#[pyfunction]
#[pyo3(signature = (of, positions=None, rotations=None, contacts=None, *, clip=None, rate_hz=60.0, title=None,
    view="three_quarter", format="png", width=None, every=None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn film(
    of: &Bound<PyAny>,
    positions: Option<Bound<PyAny>>,
    rotations: Option<Bound<PyAny>>,
    contacts: Option<Bound<PyAny>>,
    clip: Option<String>,
    rate_hz: f32,
    title: Option<String>,
    view: &str,
    format: &str,
    width: Option<u32>,
    every: Option<f64>,
) -> PyResult<Picture> {
    let py = of.py();
    let (database, character) = (of.cast::<Database>().ok(), of.cast::<Character>().ok());
    let (skeleton, rig) = match (database, character) {
        (Some(database), _) => (&database.get().content.skeleton, &database.get().content.rig),
        (_, Some(character)) => (character.get().shared.skeleton(), character.get().shared.rig()),
        _ => return Err(error("`of`: expected a Database or a Character")),
    };
    let motion = match (&clip, positions, rotations) {
        (Some(clip), None, None) => {
            of_clip(&database.map_or_else(|| Err(error("`clip`: expected a Database")), Ok)?.get().content, clip)?
        }
        (None, Some(positions), Some(rotations)) => {
            if !(rate_hz > 0.0 && rate_hz <= 1000.0) {
                return Err(error(format_args!("`rate_hz`: expected more than 0 and at most 1000, found {rate_hz}")));
            }
            of_arrays(skeleton, rig, rate_hz, (&positions, &rotations, contacts.as_ref()))?
        }
        _ => return Err(error("`clip` or `positions` and `rotations`: expected one of both")),
    };
    let body = Body { skeleton, rig, title: title.or(clip).unwrap_or_default() };
    let view = view_named(view)?;
    py.detach(|| match format {
        "png" => strip(&body, motion, view, width.unwrap_or(1600), every),
        "webp" => animated(&body, motion, view, width.unwrap_or(480), every.unwrap_or(0.04)),
        _ => Err(error(format_args!("`format`: expected `png` or `webp`, found `{format}`"))),
    })
}

fn view_named(name: &str) -> PyResult<View> {
    match name {
        "side" => Ok(View::Side),
        "front" => Ok(View::Front),
        "top" => Ok(View::Top),
        "three_quarter" => Ok(View::ThreeQuarter),
        _ => Err(error(format_args!("`view`: expected side, front, top or three_quarter, found `{name}`"))),
    }
}

/// Returns the motion of a clip of a database.
fn of_clip(db: &footwork::database::Database, name: &str) -> PyResult<Motion> {
    let clip = db.clip_named(name).map_err(rejected)?;
    let (frames, mirrored) = (db.clips[clip.at()].frames as usize, db.clips[clip.at()].mirrored);
    let (joints, slots) = (db.skeleton.len(), db.rig.contact_joints.len());
    let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(joints));
    let (mut world, mut contacts, mut placed) = (Vec::new(), vec![0; frames * slots], Vec::new());
    for frame in 0..frames {
        let time_s = frame as f64 / f64::from(db.pose_rate_hz);
        db.view(clip, mirrored).sample(time_s, &mut pose, &mut velocity);
        pose.world(&db.skeleton, &mut placed);
        world.extend_from_slice(&placed);
        db.contacts_at(clip, mirrored, time_s, &mut contacts[frame * slots..][..slots]);
    }
    Ok(Motion { rate_hz: db.pose_rate_hz, ..Motion::samples(joints, world, contacts) })
}

/// Returns the motion of arrays in the world.
fn of_arrays(
    skeleton: &Skeleton,
    rig: &Rig,
    rate_hz: f32,
    (positions, rotations, contacts): (&Bound<PyAny>, &Bound<PyAny>, Option<&Bound<PyAny>>),
) -> PyResult<Motion> {
    let (joints, slots) = (skeleton.len(), rig.contact_joints.len());
    let frames = positions.len().map_err(|_| error("`positions`: expected a numpy array"))?;
    if !(1..=MOST_FRAMES).contains(&frames) {
        return Err(error(format_args!("`positions`: expected 1 to {MOST_FRAMES} frames, found {frames}")));
    }
    let (positions, _) = values::<f32>("positions", positions, &[&[frames, joints, 3]])?;
    let (rotations, _) = values::<f32>("rotations", rotations, &[&[frames, joints, 4]])?;
    if let Some(far) = positions.iter().chain(&rotations).find(|v| !(0.0..=FAR_M).contains(&v.abs())) {
        return Err(error(format_args!("`positions` and `rotations`: expected at most {FAR_M} m, found {far}")));
    }
    let contacts = match contacts {
        Some(given) => values::<bool>("contacts", given, &[&[frames, slots]])?.0.into_iter().map(u8::from).collect(),
        None => vec![0; frames * slots],
    };
    let placed = positions.as_chunks::<3>().0.iter().zip(rotations.as_chunks::<4>().0);
    let world = placed.map(|(p, r)| Transform::new(Vec3::from_array(*p), Quat::from_array(*r))).collect();
    Ok(Motion { rate_hz, ..Motion::samples(joints, world, contacts) })
}

fn subject(body: &Body, motion: Motion) -> Subject {
    let figure = Figure::of(body.skeleton, body.rig, &motion);
    let names = body.rig.contact_joints.iter().map(|joint| body.skeleton.name(*joint).to_owned());
    Subject {
        label: body.title.clone(),
        contact_names: names.collect(),
        span: 0..motion.frames(),
        ground: Ground::under(&motion, &figure),
        motion,
        figure,
    }
}

fn strip(body: &Body, motion: Motion, view: View, width: u32, every: Option<f64>) -> PyResult<Picture> {
    if !(480..=6000).contains(&width) {
        return Err(error(format_args!("`width`: expected 480 to 6000 pixels, found {width}")));
    }
    if let Some(every) = every.filter(|every| !(every.is_finite() && *every >= 0.001)) {
        return Err(error(format_args!("`every`: expected at least 0.001 seconds, found {every}")));
    }
    let last_s = motion.time_s(motion.frames() - 1);
    let drawn = Strip {
        title: body.title.clone(),
        subjects: &[subject(body, motion)],
        span_s: [0.0, last_s],
        moments: every.map_or(Moments::Auto, Moments::Every),
        views: &[view],
        camera: CameraMode::Follow,
        width: width as f32,
    };
    let drawn = drawn.draw().map_err(rejected)?;
    Ok(Picture { bytes: raster::write(&drawn.picture).map_err(rejected)?, format: "png" })
}

fn animated(body: &Body, motion: Motion, view: View, width: u32, every_s: f64) -> PyResult<Picture> {
    if !(160..=1920).contains(&width) || !(0.02..=10.0).contains(&every_s) {
        let expected = "expected a `width` of 160 to 1920 pixels, and a picture `every` 0.02 to 10 seconds";
        return Err(error(format_args!("{expected}, found {width} and {every_s}")));
    }
    let last_s = motion.time_s(motion.frames() - 1);
    let subject = subject(body, motion);
    let (title, camera) = (body.title.clone(), CameraMode::Follow);
    let animation =
        Animation { title, subject: &subject, span_s: [0.0, last_s], every_s, view, camera, width: width as f32 };
    let scene = animation.scene().map_err(rejected)?;
    let mut writer =
        WebpWriter::new(width, scene.height as u32, (every_s * 1000.0).round() as u32).map_err(rejected)?;
    let draw = |index| raster::bitmap(&scene.draw(index));
    (0..scene.times_s.len()).try_for_each(|index| writer.push(draw(index)?)).map_err(|e: DrawError| rejected(e))?;
    Ok(Picture { bytes: writer.finish().map_err(rejected)?, format: "webp" })
}
