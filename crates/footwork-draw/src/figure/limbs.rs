//! Arms, legs and fingers of a figure.

use super::part::{Ball, Half, Part};
use super::plan::{LEG_END, LEG_TOP, Plan};
use footwork::advanced::math::powf;

impl Plan<'_> {
    /// Returns arms, legs down to the ankle, and fingers.
    pub(super) fn limbs(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for j in 1..self.halves.len() {
            let Some(p) = self.parent(j) else { continue };
            let half = self.halves[j];
            // Joints that belong to the trunk.
            let inner = self.spine.contains(&p) || p < self.first() || half == Half::Middle && self.leg[j].is_none();
            let collar = self.has_collar(p) && self.parent(p).is_some_and(|above| self.spine.contains(&above));
            if inner || collar {
                continue;
            }
            let toe = self.feet.contains(&j) && self.is_toe(j);
            if toe || self.feet.contains(&p) {
                continue;
            }
            let bone = vec![self.ball(p, self.limb_radius(p)), self.ball(j, self.limb_radius(j))];
            parts.push(Part::new(bone, half));
            let is_hand = self.children[j].is_empty() && self.leg[j].is_none() && self.fingers(j) == 0;
            if is_hand {
                let along = self.along(j) * self.leg_m;
                let ball = |way: f32, radius: f32| {
                    let radius = radius * self.leg_m;
                    Ball { joint: j, at: along * way, radius, yields: false }
                };
                parts.push(Part::new(vec![ball(0.02, 0.03), ball(0.075, 0.036), ball(0.14, 0.020)], half));
            }
        }
        parts
    }

    fn limb_radius(&self, j: usize) -> f32 {
        let l = self.leg_m;
        if let Some(share) = self.leg[j] {
            return l * (LEG_TOP + (LEG_END - LEG_TOP) * powf(share, 0.7));
        }
        if self.fingers(j) > 0 {
            return l * 0.011;
        }
        let up = self.upward(j);
        let limb = up.iter().take_while(|j| !self.in_spine[**j] && **j != 0);
        let from_trunk: f32 = limb.map(|j| self.bones[*j]).sum();
        l * (0.062 - 0.045 * from_trunk / l).clamp(0.024, 0.056)
    }
}
