//! Limits of the warp of an action, and its costs.

use crate::settings;

settings! {
    /// The `[matcher.actions]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ActionConfig {
        /// Whether the ways to a rest are read from the clips of locomotion, for requests to arrive at a place. They take memory and
        /// time when a character is made.
        arrives: bool = false;
        /// Slowest play rate before the first contact. Lower values meet later times.
        slowest: f32 = 0.8, in 0.1 to 1.0;
        /// Fastest play rate before the first contact. Higher values meet earlier times and look hectic.
        fastest: f32 = 1.2, in 1.0 to 4.0;
        /// Shift of a contact, as a share of the distance that the clip covers before it. Higher values take more requests and
        /// stretch steps more.
        slide: f32 = 0.25, in 0.0 to 2.0;
        /// Shift of a contact that is allowed in addition. Feet that stand already are shifted by this at most.
        slide_m: f32 = 0.025, in 0.0 to 1.0, unit "m";
        /// Distance of a foot that stands at the entry from where its clip has it: the leg makes up for it. Lower values bend less and
        /// wait longer for a step that fits.
        step_m: f32 = 0.15, in 0.0 to 10.0, unit "m";
        /// Speed by which a foot that lands soon after the entry may have to be faster or slower than in its clip. Lower values wait
        /// longer for a step that fits; higher values make legs snap.
        foot_mps: f32 = 2.0, in 0.0 to 100.0, unit "m/s";
        /// Turn rate by which the body may be turned before a contact.
        turn_degps: f32 = 90.0, in 0.0 to 720.0, unit "degrees/s";
        /// Angle by which the body may be turned before a contact.
        turn_deg: f32 = 45.0, in 0.0 to 180.0, unit "degrees";
        /// Change of a contact's height, as a share of its height over the ground of the start.
        lift: f32 = 0.15, in 0.0 to 2.0;
        /// The same for a contact that lies lower than the one before it.
        drop: f32 = 0.3, in 0.0 to 2.0;
        /// Change of a contact's height that is always allowed.
        lift_m: f32 = 0.05, in 0.0 to 2.0, unit "m";
        /// The same for hands of a body whose feet stay on the ground: arms and knees make up for it.
        hand_lift_m: f32 = 0.15, in 0.0 to 2.0, unit "m";
        /// Cost of a warp at its limits. Higher values prefer clips that need less of it; lower values prefer clips whose pose
        /// fits.
        warp_cost: f32 = 8.0, in 0.0 to 1e6;
        /// Cost of 1 m/s by which the root changes its velocity at the entry.
        velocity_cost: f32 = 2.0, in 0.0 to 1e6;
        /// Cost at which an action is entered at once. Higher values enter sooner; lower values wait for a better pose.
        enter_cost: f32 = 6.0, in 0.0 to 1e6;
        /// Time after which a request that could not be entered is rejected.
        patience_s: f32 = 12.0, in 0.0 to 1e3, unit "s";
        /// Distance of the first contact beyond which a request is rejected at once.
        reach_m: f32 = 8.0, in 0.0 to 1e3, unit "m";
        /// Time over which hands, hips and feet are led to a contact and away from it. Higher values are softer.
        ease_s: f32 = 0.15, in 1e-3 to 2.0, unit "s";
    }
}
