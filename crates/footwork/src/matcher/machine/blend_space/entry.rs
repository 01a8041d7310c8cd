//! The phase at which a blend space is entered, so that the feet go on.

use super::space::BlendSpace;
use crate::database::Database;

/// Moments that are looked at: over a stride, and as long after it as contacts are compared.
const MOMENTS: usize = 192;

/// When two feet touch.
struct Steps {
    /// Seconds between moments.
    step_s: f64,
    /// Of each moment.
    phases: [f64; MOMENTS],
    /// Of each foot, at each moment.
    touches: [[bool; MOMENTS]; 2],
}

impl Steps {
    /// In how many seconds a foot touches, as seen from a moment, and for how many; as [`Database::next_contact_s`] has it.
    fn next_contact_s(&self, foot: usize, from: usize) -> (f32, f32) {
        let horizon = (Database::CONTACT_HORIZON_S / self.step_s) as usize;
        let until = |from: usize, to: bool| (from..=from + horizon).find(|m| self.touches[foot].get(*m) == Some(&to));
        let Some(down) = until(from, true) else { return (f32::INFINITY, 0.0) };
        let up = until(down, false).unwrap_or(down + horizon);
        (((down - from) as f64 * self.step_s) as f32, ((up - down) as f64 * self.step_s) as f32)
    }
}

impl BlendSpace {
    /// The phase, from 0 to 1, at which the feet touch most nearly as asked: for the left and the right foot, in how many seconds it
    /// touches and for how many, as [`Database::next_contact_s`] has it. Found to some milliseconds. 0 without feet, and where
    /// clips end or play by their own time.
    pub fn phase_for_contacts(&self, db: &Database, parameters: [f32; 2], wanted: [(f32, f32); 2]) -> f64 {
        let Some(feet) = self.feet().filter(|_| self.strides().is_finite()) else { return 0.0 };
        let steps = self.steps(db, parameters, feet);
        let horizon_s = Database::CONTACT_HORIZON_S as f32;
        let off = |moment: usize| {
            let mut sum = 0.0;
            for (foot, (starts_s, lasts_s)) in wanted.into_iter().enumerate() {
                let (own_starts_s, own_lasts_s) = steps.next_contact_s(foot, moment);
                let starts_off_s = starts_s.min(horizon_s) - own_starts_s.min(horizon_s);
                // How long what lies beyond the horizon lasts is not known.
                let known = starts_s.is_finite() && own_starts_s.is_finite();
                let ends_off_s = starts_off_s + if known { lasts_s - own_lasts_s } else { 0.0 };
                sum += starts_off_s * starts_off_s + ends_off_s * ends_off_s;
            }
            sum
        };
        let mut best = (f32::INFINITY, 0.0);
        for moment in (0..MOMENTS).take_while(|m| steps.phases[*m] < 1.0) {
            let cost = off(moment);
            if cost < best.0 {
                best = (cost, steps.phases[moment]);
            }
        }
        best.1
    }

    fn steps(&self, db: &Database, parameters: [f32; 2], feet: [usize; 2]) -> Steps {
        let start = self.at(db, &self.enter(parameters, 0.0), 0.0);
        let step_s = (self.cycle_s(parameters) + 2.0 * Database::CONTACT_HORIZON_S) / MOMENTS as f64;
        let mut steps = Steps { step_s, phases: [0.0; MOMENTS], touches: [[false; MOMENTS]; 2] };
        let mut phase = start.phase();
        for moment in 0..MOMENTS {
            steps.phases[moment] = phase;
            for (foot, slot) in feet.into_iter().enumerate() {
                steps.touches[foot][moment] = start.touches(slot, phase);
            }
            phase = start.phase_after(phase, step_s);
        }
        steps
    }
}
