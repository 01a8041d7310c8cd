//! Ground of a clip: a plane, a ramp, or stairs that rise along +Z.

use crate::body::{FOOT_M, HEEL_M, TOE_M};
use footwork::advanced::math::atan2;

/// Ground as a function of the distance along +Z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Ground {
    /// y = 0 everywhere.
    #[default]
    Flat,
    /// Flat, then with a slope of `grade` metres per metre from `start_m` for `length_m`, then flat.
    Ramp { start_m: f32, length_m: f32, grade: f32 },
    /// Flat, then `steps` treads of `tread_m`, each `rise_m` above the one before (negative: below), then flat.
    Stairs { start_m: f32, steps: u32, rise_m: f32, tread_m: f32 },
}

impl Ground {
    /// Returns the height of the surface, in metres.
    pub(crate) fn height(&self, z: f32) -> f32 {
        match *self {
            Self::Flat => 0.0,
            Self::Ramp { start_m, length_m, grade } => (z - start_m).clamp(0.0, length_m) * grade,
            Self::Stairs { start_m, steps, rise_m, tread_m } => {
                // Downward, the first tread is a step below the landing that ends at `start_m`.
                ((z - start_m) / tread_m + 1.0).floor().clamp(0.0, steps as f32) * rise_m
            }
        }
    }

    /// Returns the height that the body follows: the surface with smoothed corners.
    pub(crate) fn smooth_height(&self, z: f32) -> f32 {
        // The mean over a window of the length of a stride; piecewise exact for a line through the treads.
        const HALF_M: f32 = 0.35;
        let line = |z: f32| match *self {
            Self::Flat => 0.0,
            Self::Ramp { start_m, length_m, grade } => (z - start_m).clamp(0.0, length_m) * grade,
            Self::Stairs { start_m, steps, rise_m, tread_m } => {
                ((z - start_m) / tread_m + 0.5).clamp(0.0, steps as f32) * rise_m
            }
        };
        if *self == Self::Flat {
            return 0.0;
        }
        let n = 14;
        let weight = |k: i32| (n + 1 - k.abs()) as f32;
        let sum: f32 = (-n..=n).map(|k| line(z + k as f32 / n as f32 * HALF_M) * weight(k)).sum();
        sum / (-n..=n).map(weight).sum::<f32>()
    }

    /// Returns the pitch of a flat foot with its toe joint at `z`, radians; negative is toe up.
    pub(crate) fn pitch(&self, z: f32) -> f32 {
        match *self {
            Self::Ramp { start_m, length_m, grade } if z > start_m && z < start_m + length_m => -atan2(grade, 1.0),
            _ => 0.0,
        }
    }

    /// Returns the landing position of a toe joint aimed at `z`: fully on one tread, or on one side of a ramp's corner.
    pub(crate) fn landing(&self, z: f32) -> f32 {
        let (behind, ahead) = (FOOT_M + HEEL_M, TOE_M);
        match *self {
            Self::Flat => z,
            Self::Ramp { start_m, length_m, .. } => {
                let clear = |z: f32, corner: f32| {
                    let (low, high) = (corner - ahead, corner + behind);
                    if z <= low || z >= high {
                        z
                    } else if z - low < high - z {
                        low
                    } else {
                        high
                    }
                };
                clear(clear(z, start_m), start_m + length_m)
            }
            Self::Stairs { start_m, steps, tread_m, rise_m } => {
                // The foot is nearly as long as a tread. Upward, the ball is on the middle of the tread; downward, the toes reach
                // its edge.
                let place = if rise_m > 0.0 { 0.55 * tread_m } else { tread_m - 0.5 * TOE_M };
                let k = ((z - start_m - place) / tread_m + 0.5).floor();
                if k < -1.0 {
                    z.min(start_m - ahead)
                } else if k < 0.0 {
                    z.clamp(start_m - ahead - 0.25, start_m - ahead - 0.01)
                } else if k + 1.0 > steps as f32 {
                    z.max(start_m + (steps as f32 - 1.0) * tread_m + behind)
                } else {
                    start_m + k * tread_m + place
                }
            }
        }
    }

    /// Returns the steps per second that put one foot on each tread, if there are treads.
    pub(crate) fn cadence_hz(&self, z: f32, speed_mps: f32) -> Option<f32> {
        match *self {
            Self::Stairs { start_m, steps, tread_m, .. }
                if z > start_m - 0.3 && z < start_m + steps as f32 * tread_m =>
            {
                Some(speed_mps / tread_m)
            }
            _ => None,
        }
    }

    /// Returns the weight of stairs at a position: -1 (down) to +1 (up).
    pub(crate) fn stair_weight(&self, z: f32) -> f32 {
        match *self {
            Self::Stairs { start_m, steps, tread_m, rise_m }
                if z > start_m - 0.35 && z < start_m + steps as f32 * tread_m =>
            {
                rise_m.signum()
            }
            _ => 0.0,
        }
    }
}
