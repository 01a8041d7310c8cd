//! Legs over time: each foot is in contact or in swing.

use crate::body::Side;
use crate::feet::FootState;
use crate::footsteps::FootPlan;
use crate::leg::{Leg, Track};
use crate::path::RootPath;
use crate::stride::LegPlan;
use crate::swing::Swing;

/// One leg over time.
pub(crate) struct LegMotion<'a> {
    leg: Leg<'a>,
    place: usize,
    swing: Option<Swing>,
}

impl<'a> LegMotion<'a> {
    pub(crate) fn new(feet: &'a FootPlan, plan: &'a LegPlan, path: &'a RootPath, track: &'a Track, side: Side) -> Self {
        Self { leg: Leg::new(feet, plan, path, track, side), place: 0, swing: None }
    }

    /// Returns the foot at a time; times must increase between calls.
    pub(crate) fn at(&mut self, t: f32) -> FootState {
        let leg = &self.leg;
        while self.place + 1 < leg.stances.len() && leg.stances[self.place + 1].heel_s <= t {
            self.place += 1;
        }
        let i = self.place;
        let s = &leg.stances[i];
        if t > s.end_s && i + 1 < leg.stances.len() {
            if self.swing.as_ref().is_none_or(|w| w.from != i) {
                self.swing = Some(leg.plan_swing(i));
            }
            return leg.in_swing(self.swing.as_ref().expect("planned above"), t);
        }
        let contact = leg.in_contact(s, t);
        // Under a raised heel the toes are flat on the ground, except for their own roll; before the sole is down they are in
        // line with it.
        let bend = if contact.pitch > s.slope { s.slope + leg.plan.tip.at(t) } else { contact.pitch };
        FootState {
            ankle: contact.ankle,
            yaw: s.yaw,
            pitch: contact.pitch,
            toe_pitch: bend,
            planted: s.flat_s <= t && t <= s.tip_s,
            loaded: true,
        }
    }
}
