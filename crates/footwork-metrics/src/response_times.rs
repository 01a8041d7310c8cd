//! Response times of a body to the commands of a course.

use crate::courses::{Command, CommandKind, Course};
use crate::metrics::response;
use crate::quantity::Quantity;
use footwork::advanced::motion::StickSpeeds;
use footwork::input::{Gait, Stick};
use footwork::math::Facing;
use glam::Vec3;

/// Returns the response time of each command of a course, for a body with `velocities` (world, m/s) and `facings`, both
/// `[frames]`. Each entry: row, quantity, seconds.
pub fn response_times(
    course: &Course,
    speeds: &StickSpeeds,
    velocities: &[Vec3],
    facings: &[Facing],
) -> Vec<(usize, Quantity, f32)> {
    let mut times = Vec::new();
    for (k, Command { row, kind }) in course.commands.iter().copied().enumerate() {
        let [old, new] = [row - 1, row].map(|row| commanded(&course.rows[row], speeds));
        let (velocity, heading) = match kind {
            CommandKind::Turn90 => (Quantity::Turn90Velocity, Some(Quantity::Turn90Heading)),
            CommandKind::Turn180 => (Quantity::Turn180Velocity, Some(Quantity::Turn180Heading)),
            CommandKind::Start => (Quantity::Start, None),
            CommandKind::Stop => (Quantity::Stop, None),
            CommandKind::RandomStart => (Quantity::RandomStart, None),
            CommandKind::RandomStop => (Quantity::RandomStop, None),
        };
        // Motion after the next command does not count as a response to this one.
        let until = course.commands.get(k + 1).map_or(velocities.len(), |next| next.row);
        let time_s = response::velocity_t90_s(&velocities[row..until], old, new);
        times.push((row, velocity, time_s));
        if matches!(kind, CommandKind::RandomStart | CommandKind::RandomStop) {
            times.push((row, Quantity::RandomCommand, time_s));
        }
        if let (Some(heading), Some(from), Some(to)) =
            (heading, Facing::from_direction(old), Facing::from_direction(new))
        {
            times.push((row, heading, response::heading_t90_s(&facings[row..], to, from.angle_to(to))));
        }
    }
    times
}

/// Returns the velocity that a stick requests: its direction at the gait's forward speed.
fn commanded(stick: &Stick, speeds: &StickSpeeds) -> Vec3 {
    let gait = if stick.gait == Gait::Run { &speeds.run } else { &speeds.walk };
    stick.world(stick.movement, 0.0) * gait.forward_mps
}
