//! Response times: t90 is the time until 90 % of the requested change is done.

use crate::RATE_HZ;
use footwork::math::Facing;
use glam::Vec3;

/// Measured time after a command, seconds. Longer response times count as this.
pub const WINDOW_S: f32 = 3.0;
/// Share of the change at which a command counts as done.
const DONE: f32 = 0.9;
/// Width of the centred box filter that removes the steps from the motion of the hips, frames.
const BOX_FRAMES: usize = 13;

/// Returns the time until the velocity has changed by 90 % from `old` towards `new` (world, m/s), measured along that change.
/// `velocities`: `[frames]`, starting at the command.
pub fn velocity_t90_s(velocities: &[Vec3], old: Vec3, new: Vec3) -> f32 {
    let change = new - old;
    let whole = change.length_squared().max(f32::MIN_POSITIVE);
    first(velocities.iter().map(|v| (*v - old).dot(change) / whole >= DONE))
}

/// Returns the time until the facing is within 10 % of the requested turn of `new`. `facings`: `[frames]`, starting at the
/// command.
pub fn heading_t90_s(facings: &[Facing], new: Facing, turn_rad: f32) -> f32 {
    first(facings.iter().map(|f| f.angle_to(new).abs() <= (1.0 - DONE) * turn_rad.abs()))
}

/// Returns the time of the first frame that is true. Frame `k` after the command shows the result of `k + 1` frames.
fn first(done: impl Iterator<Item = bool>) -> f32 {
    let frames = (WINDOW_S * RATE_HZ) as usize;
    done.take(frames).position(|d| d).map_or(WINDOW_S, |k| (k + 1) as f32 / RATE_HZ)
}

/// Returns the velocities over ground, m/s, of `[frames]` positions, metres. The first one is zero.
pub fn ground_velocities(positions: &[Vec3]) -> Vec<Vec3> {
    let step = |frame: usize| positions[frame] - positions[frame.saturating_sub(1)];
    (0..positions.len()).map(|frame| step(frame) * Vec3::new(1.0, 0.0, 1.0) * RATE_HZ).collect()
}

/// Returns the mean over a centred box of 13 frames, fewer at the ends.
pub fn smoothed(values: &[Vec3]) -> Vec<Vec3> {
    let half = BOX_FRAMES / 2;
    let around = |i: usize| &values[i.saturating_sub(half)..(i + half + 1).min(values.len())];
    (0..values.len()).map(|i| around(i).iter().sum::<Vec3>() / around(i).len() as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_velocity_that_changes_evenly_is_there_after_nine_tenths() {
        // From +Z to +X within a second; frame k shows the result of k + 1 frames.
        let at = |frame: usize| Vec3::Z.lerp(Vec3::X, ((frame + 1) as f32 / 60.0).min(1.0)) * 2.0;
        let velocities: Vec<Vec3> = (0..180).map(at).collect();
        let t90 = velocity_t90_s(&velocities, Vec3::Z * 2.0, Vec3::X * 2.0);
        assert!((t90 - 0.9).abs() < 0.5 / 60.0, "{t90}");
        // A velocity that stays a fifth short of the change never counts as done.
        let slow: Vec<Vec3> = velocities.iter().map(|v| v.lerp(Vec3::Z * 2.0, 0.2)).collect();
        assert_eq!(velocity_t90_s(&slow, Vec3::Z * 2.0, Vec3::X * 2.0), WINDOW_S);
    }

    #[test]
    fn a_turn_is_obeyed_when_a_tenth_is_left_either_way() {
        let facings: Vec<Facing> = (0..180).map(|k| Facing::from_yaw((k + 1) as f32 / 60.0)).collect();
        let t90 = heading_t90_s(&facings, Facing::from_yaw(1.0), 1.0);
        assert!((t90 - 0.9).abs() < 1.5 / 60.0, "{t90}");
        let turned_over = [Facing::from_yaw(1.05)];
        assert_eq!(heading_t90_s(&turned_over, Facing::from_yaw(1.0), -1.0), 1.0 / 60.0);
    }

    #[test]
    fn the_box_keeps_lines_and_spreads_a_spike() {
        let line: Vec<Vec3> = (0..40).map(|k| Vec3::X * k as f32).collect();
        assert!((smoothed(&line)[20] - line[20]).length() < 1e-4);
        let mut spike = vec![Vec3::ZERO; 40];
        spike[20] = Vec3::Y * 13.0;
        let found = smoothed(&spike);
        assert!((found[14].y, found[26].y, found[13].y, found[27].y) == (1.0, 1.0, 0.0, 0.0));
    }
}
