//! Journeys from models and clips to poses of a robot.

mod model;
mod retarget;

/// The humanoid of the examples.
const PERSON: &str = include_str!("../../../../examples/robot/person.xml");
