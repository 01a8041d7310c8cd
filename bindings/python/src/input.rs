//! Inputs of one character.

use crate::arguments::Arguments;
use crate::error::{error, rejected};
use footwork::advanced::input::{OwnedGoal, OwnedInput};
use footwork::database::TagCost;
use footwork::input::{
    ActionContact, ActionRequest, ExternalBody, Gait, HandTarget, Later, Obstacle, Path, Stick, TrajectoryPoint,
};
use footwork::matcher::Character;
use footwork::math::{Facing, Quat};
use glam::{Vec2, Vec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The names of the arguments.
pub const NAMES: [&str; 21] = [
    "stick",
    "run",
    "look",
    "strafe",
    "camera_yaw",
    "camera_yaw_rate",
    "velocity",
    "facing",
    "path",
    "path_speed",
    "trajectory",
    "tags",
    "later",
    "tag_costs",
    "user",
    "variables",
    "look_at",
    "hands",
    "body",
    "obstacles",
    "action",
];

/// The input of one character for one step. All arguments are keywords; a step rejects NaN and infinity.
///
/// One goal at most: `stick`, `velocity`, `path` or `trajectory`. Without a goal, the clip continues as captured.
///
/// `stick`, `look`: two numbers (right, forward) as seen from the camera, or three (x, y, z) of a direction in the world; length
/// at most 1. `camera_yaw`: radians; `camera_yaw_rate`: rad/s. `velocity`: world, m/s; `facing`: its yaw, radians. `path`:
/// positions in the world, metres; `path_speed`: m/s. `trajectory`: (time from now in s, position in m, yaw in rad).
/// `tags`: a query such as `"(walk | run) & !stairs"`; `later`: a query and the time of the character from which it holds.
/// `tag_costs`: (query, cost) pairs. `user`: values of the user channels. `variables`: those of the state machine; a trigger
/// counts how often it was fired. `look_at`: world, metres. `hands`: left and right, each `None` or (position, rotation or
/// `None`), world. `body`: position, velocity (m/s), yaw, turn rate (rad/s). `obstacles`: (position, half widths, yaw, radius,
/// height). `action`: `kinds`, `contacts` ((position, yaw) pairs), `id`, `landing`, `window`, `go`.
#[pyclass(frozen, module = "footwork")]
#[derive(Default)]
pub struct Input {
    owned: OwnedInput,
    tags: String,
    later: Option<(String, f64)>,
    tag_costs: Vec<(String, f32)>,
    variables: Vec<(String, f32)>,
    action: Option<Action>,
}

/// A request for an action, with the names of its kinds.
#[derive(Clone)]
struct Action {
    kinds: Vec<String>,
    request: ActionRequest,
}

#[pymethods]
impl Input {
    #[new]
    #[pyo3(
        signature = (**inputs),
        text_signature = "(*, stick=None, run=False, look=None, strafe=False, camera_yaw=0.0, camera_yaw_rate=0.0, \
                          velocity=None, facing=None, path=None, path_speed=1.5, trajectory=None, tags='', later=None, \
                          tag_costs=None, user=(), variables=None, look_at=None, hands=None, body=None, obstacles=(), \
                          action=None)"
    )]
    fn new(inputs: Option<&Bound<PyDict>>) -> PyResult<Self> {
        let mut arguments = Arguments::new("Input()", inputs);
        let input = Self::of(&mut arguments)?;
        arguments.finish(&NAMES)?;
        Ok(input)
    }
}

impl Input {
    /// Takes the arguments of an input.
    ///
    /// # Errors
    /// Returns an error for an argument of another type. Numbers are checked in the step.
    pub fn of(a: &mut Arguments) -> PyResult<Self> {
        let look_at = a.value::<[f32; 3]>("look_at", "a position (x, y, z) in metres")?.map(Vec3::from_array);
        let owned = OwnedInput {
            goal: goal(a)?,
            user: a.value("user", "a sequence of numbers")?.unwrap_or_default(),
            look_at,
            hands: hands(a)?,
            body: body(a)?,
            obstacles: obstacles(a)?,
            ..OwnedInput::default()
        };
        let costs = a.value::<Vec<(String, f32)>>("tag_costs", "a sequence of pairs (tags, cost)")?;
        let variables = a.take("variables")?;
        let numbers = |given: Bound<PyAny>| -> PyResult<Vec<(String, f32)>> {
            let wrong = |_| error("`variables`: expected a dictionary from names to numbers");
            given.cast::<PyDict>().map_err(|e| wrong(e.into()))?.items().extract().map_err(wrong)
        };
        Ok(Self {
            owned,
            tags: a.value("tags", "a text such as `walk & !crouch`")?.unwrap_or_default(),
            later: a.value("later", "a pair (tags, time in seconds)")?,
            tag_costs: costs.unwrap_or_default(),
            variables: variables.map(numbers).transpose()?.unwrap_or_default(),
            action: action(a)?,
        })
    }

    /// Returns an input that was made in Rust.
    pub fn owning(owned: OwnedInput) -> Self {
        Self { owned, ..Self::default() }
    }

    /// Returns the input with its names resolved for a character.
    ///
    /// # Errors
    /// Returns an error for an unknown tag, variable or kind of action.
    pub fn resolve(&self, character: &Character) -> PyResult<OwnedInput> {
        let mut input = self.owned.clone();
        if !self.tags.is_empty() {
            input.tags = tag_query(character, &self.tags)?;
        }
        if let Some((tags, at_s)) = &self.later {
            input.later = Some(Later { tags: tag_query(character, tags)?, at_s: *at_s });
        }
        for (tags, cost) in &self.tag_costs {
            input.tag_costs.push(TagCost { tags: tag_query(character, tags)?, cost: *cost });
        }
        if !self.variables.is_empty() {
            input.variables = defaults(character);
            for (name, value) in &self.variables {
                input.variables[variable(character, name)?] = *value;
            }
        }
        if let Some(Action { kinds, request }) = &self.action {
            let db = character.database().ok_or_else(|| error("`action`: expected a character of a database"))?;
            let mut request = *request;
            for (kind, name) in request.kinds.iter_mut().zip(kinds) {
                *kind = Some(db.action_kind(name).map_err(rejected)?);
            }
            input.action = Some(request);
        }
        Ok(input)
    }
}

/// Returns the query of a text for a character's database.
pub fn tag_query(character: &Character, text: &str) -> PyResult<footwork::database::TagQuery> {
    let db = character.database().ok_or_else(|| error("`tags`: expected a character of a database"))?;
    db.tag_query(text).map_err(|e| error(format_args!("`tags`: {e}")))
}

/// Returns the values of the variables and triggers of a character's state machine at the start.
pub fn defaults(character: &Character) -> Vec<f32> {
    character.machine().map(|machine| machine.variables().values().to_vec()).unwrap_or_default()
}

/// Returns the index of a variable or trigger.
pub fn variable(character: &Character, name: &str) -> PyResult<usize> {
    let Some(machine) = character.machine() else {
        return Err(error("`variables`: expected a character with a state machine"));
    };
    let variables = machine.variables();
    variables.trigger(name).or_else(|_| variables.variable(name)).map_err(rejected)
}

/// Returns a stick for (x, z) of a screen, or for a direction in the world.
pub fn movement(stick: &[f32]) -> Vec2 {
    match stick {
        [x, y] => Vec2::new(*x, *y),
        [x, _, z] => Vec2::new(-x, *z),
        _ => Vec2::ZERO,
    }
}

fn stick(a: &mut Arguments, name: &str) -> PyResult<Option<Vec2>> {
    const EXPECTED: &str = "two numbers (right, forward) of a stick, or three (x, y, z) of a direction in the world";
    match a.value::<Vec<f32>>(name, EXPECTED)? {
        Some(given) if !matches!(given.len(), 2 | 3) => {
            Err(error(format_args!("`{name}`: expected {EXPECTED}, found {} numbers", given.len())))
        }
        given => Ok(given.map(|given| movement(&given))),
    }
}

fn goal(a: &mut Arguments) -> PyResult<OwnedGoal> {
    let mut goals = Vec::new();
    let angle = "an angle in radians";
    let moved = stick(a, "stick")?;
    let rest = Stick {
        movement: moved.unwrap_or_default(),
        look: stick(a, "look")?.unwrap_or_default(),
        camera_yaw_rad: a.value("camera_yaw", angle)?.unwrap_or_default(),
        camera_yaw_rate_radps: a.value("camera_yaw_rate", "radians per second")?.unwrap_or_default(),
        strafe: a.value("strafe", "True or False")?.unwrap_or_default(),
        gait: gait(a.value("run", "True or False")?.unwrap_or_default()),
    };
    goals.extend(moved.map(|_| OwnedGoal::Stick(rest)));
    let facing = a.value("facing", angle)?.map(yaw).transpose()?;
    if let Some(velocity) = a.value::<[f32; 3]>("velocity", "a velocity (x, y, z) in m/s")? {
        goals.push(OwnedGoal::Velocity { velocity: Vec3::from_array(velocity), facing });
    }
    let speed_mps = a.value("path_speed", "m/s")?.unwrap_or(1.5);
    if let Some(points) = a.value::<Vec<[f32; 3]>>("path", "a sequence of positions (x, y, z) in metres")? {
        let path = Path::new(points.into_iter().map(Vec3::from_array).collect(), false).map_err(rejected)?;
        goals.push(OwnedGoal::Path { path: Arc::new(path), speed_mps });
    }
    let points = a.value::<Vec<(f32, [f32; 3], f32)>>("trajectory", "a sequence of (time, (x, y, z), yaw)")?;
    if let Some(points) = points {
        let point = |(time_s, position, rad): (f32, [f32; 3], f32)| {
            Ok(TrajectoryPoint { time_s, position: Vec3::from_array(position), facing: yaw(rad)? })
        };
        goals.push(OwnedGoal::Trajectory(points.into_iter().map(point).collect::<PyResult<_>>()?));
    }
    if goals.len() > 1 {
        return Err(error("`stick`, `velocity`, `path` and `trajectory`: expected one of them, found several"));
    }
    Ok(goals.pop().unwrap_or_default())
}

/// Returns the gait of the argument `run`.
pub fn gait(run: bool) -> Gait {
    if run { Gait::Run } else { Gait::Walk }
}

/// Returns the facing of a yaw in radians.
pub fn yaw(rad: f32) -> PyResult<Facing> {
    if rad.is_finite() {
        Ok(Facing::from_yaw(rad))
    } else {
        Err(error(format_args!("`facing` is {rad}: expected a finite angle")))
    }
}

fn hands(a: &mut Arguments) -> PyResult<[Option<HandTarget>; 2]> {
    type Target = Option<([f32; 3], Option<[f32; 4]>)>;
    let pair: Option<(Target, Target)> =
        a.value("hands", "two targets, left and right: None or ((x, y, z), None or (x, y, z, w))")?;
    let target = |target: Target| {
        let (position, rotation) = target?;
        Some(HandTarget { position: Vec3::from_array(position), rotation: rotation.map(Quat::from_array) })
    };
    Ok(pair.map(|(left, right)| [target(left), target(right)]).unwrap_or_default())
}

fn body(a: &mut Arguments) -> PyResult<Option<ExternalBody>> {
    let given: Option<([f32; 3], [f32; 3], f32, f32)> =
        a.value("body", "((x, y, z) in metres, (x, y, z) in m/s, yaw in radians, turn rate in rad/s)")?;
    let body = |(position, velocity, facing, yaw_rate_radps)| {
        let (position, velocity) = (Vec3::from_array(position), Vec3::from_array(velocity));
        Ok(ExternalBody { position, velocity, facing: yaw(facing)?, yaw_rate_radps })
    };
    given.map(body).transpose()
}

fn obstacles(a: &mut Arguments) -> PyResult<Vec<Obstacle>> {
    let given: Option<Vec<([f32; 3], [f32; 2], f32, f32, f32)>> =
        a.value("obstacles", "a sequence of ((x, y, z), (half x, half z), yaw, radius, height)")?;
    let obstacle = |(position, half, facing, radius_m, height_m)| {
        let (position, half_m) = (Vec3::from_array(position), Vec2::from_array(half));
        Ok(Obstacle { position, half_m, facing: yaw(facing)?, radius_m, height_m, ..Obstacle::default() })
    };
    given.unwrap_or_default().into_iter().map(obstacle).collect()
}

fn action(a: &mut Arguments) -> PyResult<Option<Action>> {
    let Some(given) = a.take("action")? else { return Ok(None) };
    let given = given.cast_into::<PyDict>().map_err(|_| error("`action`: expected a dictionary"))?;
    let mut a = Arguments::new("action", Some(&given));
    let kinds: Vec<String> = a.value("kinds", "names of one to four kinds of action")?.unwrap_or_default();
    let contacts: Vec<([f32; 3], f32)> =
        a.value("contacts", "one or two contacts ((x, y, z), yaw)")?.unwrap_or_default();
    let mut request = ActionRequest {
        id: a.value("id", "a number from 0 to 65535")?.unwrap_or_default(),
        landing_m: a.value("landing", "a height in metres")?,
        window_s: a.value("window", "two times in seconds")?,
        go: a.value("go", "True or False")?.unwrap_or_default(),
        ..ActionRequest::default()
    };
    a.finish(&["kinds", "contacts", "id", "landing", "window", "go"])?;
    if !(1..=request.kinds.len()).contains(&kinds.len()) || contacts.len() > request.contacts.len() {
        return Err(error("`action`: expected one to four kinds, and at most two contacts"));
    }
    for (contact, (position, facing)) in request.contacts.iter_mut().zip(contacts) {
        *contact = Some(ActionContact { position: Vec3::from_array(position), facing: yaw(facing)? });
    }
    Ok(Some(Action { kinds, request }))
}
