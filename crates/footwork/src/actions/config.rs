//! How far an action may be warped, and what that costs.

use crate::settings;

settings! {
    /// The `[matcher.actions]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ActionConfig {
        /// Slowest play rate of the way to the first contact. Lower values meet later times.
        slowest: f32 = 0.8, in 0.1 to 1.0;
        /// Fastest play rate of the way to the first contact. Higher values meet earlier times, and are seen.
        fastest: f32 = 1.2, in 1.0 to 4.0;
        /// Mean speed by which the root may slide on its way to a contact. Higher values take more requests, and are seen.
        slide_mps: f32 = 1.5, in 0.0 to 10.0, unit "m/s";
        /// Mean rate by which the body may be turned on its way to a contact.
        turn_degps: f32 = 90.0, in 0.0 to 720.0, unit "degrees/s";
        /// Angle by which the body may be turned on its way to a contact.
        turn_deg: f32 = 45.0, in 0.0 to 180.0, unit "degrees";
        /// Share of a contact's height by which it may be higher or lower than in its clip.
        lift: f32 = 0.3, in 0.0 to 2.0;
        /// Height by which any contact may be higher or lower than in its clip.
        lift_m: f32 = 0.1, in 0.0 to 2.0, unit "m";
        /// Share of the way between two contacts by which it may be longer or shorter than in its clip.
        stretch: f32 = 0.25, in 0.0 to 2.0;
        /// Cost of a warp at its limits. Higher values prefer clips that need less of it; lower values clips whose pose fits.
        warp_cost: f32 = 8.0, in 0.0 to 1e6;
        /// Cost of 1 m/s by which the root changes its velocity at the entry.
        velocity_cost: f32 = 2.0, in 0.0 to 1e6;
        /// Cost at which an action is entered at once. Higher values enter sooner; lower values wait for a better pose.
        enter_cost: f32 = 6.0, in 0.0 to 1e6;
        /// Time for which a character goes towards an action before it gives up.
        patience_s: f32 = 12.0, in 0.0 to 1e3, unit "s";
        /// Distance from which a character goes towards an action. Requests that are further away are refused.
        reach_m: f32 = 8.0, in 0.0 to 1e3, unit "m";
        /// Time over which hands and feet are led to a contact, and away from it. Higher values are softer.
        ease_s: f32 = 0.15, in 1e-3 to 2.0, unit "s";
    }
}
