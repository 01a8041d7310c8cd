//! Entry phase of a blend space at which the feet continue their steps.

use super::space::BlendSpace;
use crate::database::Database;

/// Number of sampled times: they cover a stride and the time over which contacts are compared after it.
const MOMENTS: usize = 192;

/// Sampled contacts of two feet.
struct Steps {
    /// Time between samples, in seconds.
    step_s: f64,
    /// Phase of each sample.
    phases: [f64; MOMENTS],
    /// Contact of each foot at each sample.
    touches: [[bool; MOMENTS]; 2],
}

impl Steps {
    /// Returns the time until a foot touches, seen from a sample, and the duration of the contact, in seconds; see
    /// [`Database::next_contact_s`].
    fn next_contact_s(&self, foot: usize, from: usize) -> (f32, f32) {
        let horizon = (Database::CONTACT_HORIZON_S / self.step_s) as usize;
        let until = |from: usize, to: bool| (from..=from + horizon).find(|m| self.touches[foot].get(*m) == Some(&to));
        let Some(down) = until(from, true) else { return (f32::INFINITY, 0.0) };
        let up = until(down, false).unwrap_or(down + horizon);
        (((down - from) as f64 * self.step_s) as f32, ((up - down) as f64 * self.step_s) as f32)
    }
}

impl BlendSpace {
    /// Returns the phase, from 0 to 1, at which the contacts of the feet best match `wanted`: for the left and the right foot,
    /// the time until it touches and the duration of the contact, as in [`Database::next_contact_s`]. The precision is a few
    /// milliseconds. Returns 0 without feet, for non-looping clips and with `sync = "none"`.
    pub fn phase_for_contacts(&self, db: &Database, parameters: [f32; 2], wanted: [(f32, f32); 2]) -> f64 {
        let Some(feet) = self.feet().filter(|_| self.strides().is_finite()) else { return 0.0 };
        let steps = self.steps(db, parameters, feet);
        let horizon_s = Database::CONTACT_HORIZON_S as f32;
        let off = |moment: usize| {
            let mut sum = 0.0;
            for (foot, (starts_s, lasts_s)) in wanted.into_iter().enumerate() {
                let (own_starts_s, own_lasts_s) = steps.next_contact_s(foot, moment);
                let starts_off_s = starts_s.min(horizon_s) - own_starts_s.min(horizon_s);
                // The duration of a contact beyond the horizon is unknown.
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
