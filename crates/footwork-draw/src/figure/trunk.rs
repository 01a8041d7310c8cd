//! Trunk and head of a figure.

use super::part::{Ball, Half, Part};
use super::plan::{LEG_TOP, Plan};
use footwork::math::Facing;
use glam::Vec3;

/// Shares of the trunk's length, from hips to head.
const HIPS: f32 = 0.165;
const CHEST: f32 = 0.185;
const NECK: f32 = 0.085;
const SKULL: f32 = 0.135;

impl Plan<'_> {
    /// Returns hips, back, chest with shoulders, and neck; also tails and other limbs in the middle.
    pub(super) fn trunk(&self) -> Vec<Part> {
        let t = self.trunk_m;
        let mut parts = Vec::new();
        let mut groups: Vec<Vec<Ball>> = Vec::new();
        let spine = &self.spine;
        let neck = spine.len().saturating_sub(2);
        let radius = |i: usize| {
            let share = i as f32 / neck.max(1) as f32;
            t * (HIPS + (CHEST - HIPS) * share)
        };
        for i in 1..neck {
            groups.push(vec![self.ball(spine[i - 1], radius(i - 1) * 0.95), self.ball(spine[i], radius(i))]);
        }
        if let [.., chest, neck, head] = spine[..] {
            groups.push(vec![self.ball(chest, t * 0.12), self.ball(neck, t * NECK * 1.1)]);
            let balls = vec![self.ball(neck, t * NECK * 1.1), self.ball(head, t * NECK)];
            parts.push(Part::new(balls, Half::Middle).nearer(-0.01 * t));
        }
        if let [hips, head] = spine[..] {
            groups.push(vec![self.ball(hips, t * HIPS), self.ball(head, t * NECK)]);
        }
        // Branches to both sides widen the trunk.
        for (i, joint) in spine.iter().enumerate() {
            let sides: Vec<usize> =
                self.children[*joint].iter().copied().filter(|c| self.halves[*c] != Half::Middle).collect();
            if sides.is_empty() {
                continue;
            }
            let mut balls = vec![self.ball(*joint, radius(i.min(neck)))];
            for side in sides {
                balls.extend(self.side_ball(side, t));
            }
            groups.push(balls);
        }
        if !groups.is_empty() {
            parts.push(Part { groups, half: Half::Middle, nearer_m: 0.0 });
        }
        for j in self.first() + 1..self.halves.len() {
            let hangs = self.halves[j] == Half::Middle && !spine.contains(&j) && self.leg[j].is_none();
            if let Some(p) = self.parent(j).filter(|p| hangs && *p >= self.first() && Some(*p) != self.head) {
                let tail = vec![self.ball(p, t * 0.05), self.ball(j, t * 0.035)];
                parts.push(Part::new(tail, Half::Middle).nearer(-0.1 * t));
            }
        }
        parts
    }

    /// Returns the start of a limb at the trunk: a hip joint, or the end of a collar bone.
    fn side_ball(&self, side: usize, t: f32) -> Option<Ball> {
        if self.leg[side].is_some() && !self.has_collar(side) {
            return Some(self.ball(side, (self.leg_m * LEG_TOP).min(t * HIPS)));
        }
        let arm = if self.has_collar(side) { self.children[side][0] } else { side };
        Some(self.ball(arm, t * 0.105))
    }

    /// Returns skull and nose. The nose points along the facing.
    pub(super) fn head(&self) -> Vec<Part> {
        let Some(head) = self.head else { return Vec::new() };
        let t = self.trunk_m;
        let up = self.along(head);
        let facing = self.mean_local(head, |world| Facing::from_rotation(world[0].rotation).direction()).unwrap_or(up);
        // A neck that points forward carries a muzzle; a neck that rises carries an upright head.
        let muzzle = facing.dot(up) > 0.6;
        let up = if muzzle { up } else { self.mean_local(head, |_| Vec3::Y).unwrap_or(up) };
        let face = (facing - up * facing.dot(up)).normalize_or(Vec3::ZERO);
        let ball = |at: Vec3, radius: f32| Ball { joint: head, at: at * t, radius: radius * t, yields: false };
        if muzzle {
            let skull = vec![ball(up * 0.06, SKULL), ball(up * 0.30 - face * 0.02, SKULL * 0.5)];
            return vec![Part::new(skull, Half::Middle).nearer(0.02 * t)];
        }
        let skull = vec![
            ball(up * 0.20 - face * 0.02, SKULL * 1.06),
            ball(up * 0.10 + face * 0.05, SKULL * 0.84),
            ball(up * 0.06 + face * 0.07, SKULL * 0.62),
        ];
        let nose = vec![ball(up * 0.15 + face * 0.15, 0.022), ball(up * 0.105 + face * 0.16, 0.030)];
        vec![Part::new(skull, Half::Middle).nearer(0.02 * t), Part::new(nose, Half::Middle)]
    }
}
