//! Inputs of a crowd, as arrays.

use crate::arguments::Arguments;
use crate::arrays::values;
use crate::error::{about, error};
use crate::input::{Input, defaults, gait, movement, tag_query, variable, yaw};
use footwork::advanced::input::{OwnedGoal, OwnedInput};
use footwork::database::{TagCost, TagQuery};
use footwork::input::Stick;
use footwork::matcher::Character;
use glam::{Vec2, Vec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The names of the arguments.
pub const NAMES: [&str; 14] = [
    "sticks",
    "run",
    "looks",
    "strafe",
    "camera_yaws",
    "camera_yaw_rates",
    "velocities",
    "facings",
    "tags",
    "tag_costs",
    "user",
    "variables",
    "look_at",
    "inputs",
];

/// Takes the arguments of a step and writes the input of each character.
///
/// # Errors
/// Returns an error for an array of another type or shape, and for unknown names. `inputs` may then be changed in part.
pub fn read(a: &mut Arguments, character: &Character, inputs: &mut [OwnedInput]) -> PyResult<()> {
    let n = inputs.len();
    if let Some(given) = a.take("inputs")? {
        return of_list(&given, character, inputs);
    }
    for input in inputs.iter_mut() {
        (input.goal, input.tags, input.later, input.look_at) = (OwnedGoal::None, TagQuery::default(), None, None);
        [&mut input.user, &mut input.variables].into_iter().for_each(Vec::clear);
        input.tag_costs.clear();
        input.obstacles.clear();
        (input.body, input.hands, input.action) = (None, [None; 2], None);
    }
    sticks(a, inputs)?;
    velocities(a, inputs)?;
    if let Some(given) = a.take("tags")? {
        tags(&given, character, inputs)?;
    }
    if let Some(pairs) = a.value::<Vec<(String, f32)>>("tag_costs", "a sequence of pairs (tags, cost)")? {
        for (text, cost) in pairs {
            let tags = tag_query(character, &text)?;
            inputs.iter_mut().for_each(|input| input.tag_costs.push(TagCost { tags, cost }));
        }
    }
    if let Some(given) = a.take("user")? {
        let width = character.schema().user_width;
        let (user, _) = values::<f32>("user", &given, &[&[n, width]])?;
        inputs.iter_mut().zip(user.chunks(width.max(1))).for_each(|(input, user)| input.user.extend_from_slice(user));
    }
    if let Some(given) = a.take("variables")? {
        variables(&given, character, inputs)?;
    }
    if let Some(given) = a.take("look_at")? {
        let (targets, _) = values::<f32>("look_at", &given, &[&[n, 3]])?;
        for (input, at) in inputs.iter_mut().zip(targets.as_chunks::<3>().0) {
            input.look_at = Some(Vec3::from_array(*at));
        }
    }
    Ok(())
}

/// Resolves a list of one [`Input`] per character.
fn of_list(given: &Bound<PyAny>, character: &Character, inputs: &mut [OwnedInput]) -> PyResult<()> {
    let list: Vec<Bound<Input>> = given.extract().map_err(|_| error("`inputs`: expected a sequence of Input"))?;
    if list.len() != inputs.len() {
        return Err(error(format_args!("`inputs`: {} given for {} characters", list.len(), inputs.len())));
    }
    for (i, (input, own)) in list.iter().zip(inputs).enumerate() {
        *own = input.get().resolve(character).map_err(|e| about(given.py(), e, format_args!("character {i}")))?;
    }
    Ok(())
}

/// Takes one number per character.
fn numbers(a: &mut Arguments, name: &str, n: usize) -> PyResult<Option<Vec<f32>>> {
    a.take(name)?.map(|given| values::<f32>(name, &given, &[&[n]]).map(|(values, _)| values)).transpose()
}

/// Takes a truth value for all characters, or one per character.
fn truths(a: &mut Arguments, name: &str, n: usize) -> PyResult<Vec<bool>> {
    let Some(given) = a.take(name)? else { return Ok(vec![false; n]) };
    match given.extract::<bool>() {
        Ok(all) if given.is_exact_instance_of::<pyo3::types::PyBool>() => Ok(vec![all; n]),
        _ => values::<bool>(name, &given, &[&[n]]).map(|(values, _)| values),
    }
}

/// Takes two or three numbers of a stick per character.
fn directions(a: &mut Arguments, name: &str, n: usize) -> PyResult<Option<Vec<Vec2>>> {
    let Some(given) = a.take(name)? else { return Ok(None) };
    let (values, shape) = values::<f32>(name, &given, &[&[n, 3], &[n, 2]])?;
    Ok(Some(values.chunks(3 - shape).map(movement).collect()))
}

fn sticks(a: &mut Arguments, inputs: &mut [OwnedInput]) -> PyResult<()> {
    let n = inputs.len();
    let (movements, looks) = (directions(a, "sticks", n)?, directions(a, "looks", n)?);
    let (yaws, rates) = (numbers(a, "camera_yaws", n)?, numbers(a, "camera_yaw_rates", n)?);
    let (runs, strafes) = (truths(a, "run", n)?, truths(a, "strafe", n)?);
    let Some(movements) = movements else { return Ok(()) };
    for (i, input) in inputs.iter_mut().enumerate() {
        input.goal = OwnedGoal::Stick(Stick {
            movement: movements[i],
            look: looks.as_ref().map_or(Vec2::ZERO, |looks| looks[i]),
            camera_yaw_rad: yaws.as_ref().map_or(0.0, |yaws| yaws[i]),
            camera_yaw_rate_radps: rates.as_ref().map_or(0.0, |rates| rates[i]),
            strafe: strafes[i],
            gait: gait(runs[i]),
        });
    }
    Ok(())
}

fn velocities(a: &mut Arguments, inputs: &mut [OwnedInput]) -> PyResult<()> {
    let n = inputs.len();
    let facings = numbers(a, "facings", n)?;
    let Some(given) = a.take("velocities")? else { return Ok(()) };
    let (velocities, _) = values::<f32>("velocities", &given, &[&[n, 3]])?;
    if inputs.iter().any(|input| input.goal != OwnedGoal::None) {
        return Err(error("`sticks` and `velocities`: expected one of them, found both"));
    }
    for (i, (input, velocity)) in inputs.iter_mut().zip(velocities.as_chunks::<3>().0).enumerate() {
        let facing = facings.as_ref().map(|facings| yaw(facings[i])).transpose()?;
        input.goal = OwnedGoal::Velocity { velocity: Vec3::from_array(*velocity), facing };
    }
    Ok(())
}

/// Sets the query of a text for all characters, or of one text per character. Neighbours mostly have the same text.
fn tags(given: &Bound<PyAny>, character: &Character, inputs: &mut [OwnedInput]) -> PyResult<()> {
    if let Ok(text) = given.extract::<String>() {
        let query = tag_query(character, &text)?;
        inputs.iter_mut().for_each(|input| input.tags = query);
        return Ok(());
    }
    let texts: Vec<String> = given.extract().map_err(|_| error("`tags`: expected a text, or one per character"))?;
    if texts.len() != inputs.len() {
        return Err(error(format_args!("`tags`: {} given for {} characters", texts.len(), inputs.len())));
    }
    let mut last: Option<(&str, TagQuery)> = None;
    for (text, input) in texts.iter().zip(inputs) {
        let known = last.filter(|(known, _)| known == text);
        let (_, query) = match known {
            Some(known) => known,
            None => (text.as_str(), tag_query(character, text)?),
        };
        (input.tags, last) = (query, Some((text.as_str(), query)));
    }
    Ok(())
}

/// Sets variables by name: a number for all characters, or an array of one per character.
fn variables(given: &Bound<PyAny>, character: &Character, inputs: &mut [OwnedInput]) -> PyResult<()> {
    let n = inputs.len();
    let given = given
        .cast::<PyDict>()
        .map_err(|_| error("`variables`: expected a dictionary from names to numbers or arrays"))?;
    let start = defaults(character);
    inputs.iter_mut().for_each(|input| input.variables.extend_from_slice(&start));
    for (name, value) in given.iter() {
        let name: String = name.extract().map_err(|_| error("`variables`: expected names"))?;
        let at = variable(character, &name)?;
        match value.extract::<f32>() {
            Ok(all) => inputs.iter_mut().for_each(|input| input.variables[at] = all),
            Err(_) => {
                let (each, _) = values::<f32>(&format!("variables[{name}]"), &value, &[&[n]])?;
                inputs.iter_mut().zip(each).for_each(|(input, value)| input.variables[at] = value);
            }
        }
    }
    Ok(())
}
