//! Size of a body among obstacles, and the cost of paths into them.

use crate::settings;

settings! {
    /// The `[matcher.obstacles]` table.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ObstacleConfig {
        /// Radius of the body. The root is kept this far from obstacles.
        radius_m: f32 = 0.3, in 0.0 to 10.0, unit "m";
        /// Distance beyond `radius_m` that is kept where there is room. Higher values keep swinging hips and shoulders out of
        /// walls, and need wider doors.
        margin_m: f32 = 0.1, in 0.0 to 10.0, unit "m";
        /// Cost of a clip whose path leads 10 cm into obstacles, as a mean over the path. Higher values prefer clips that bend or
        /// stop before them; lower values leave this to the pull towards the simulated character.
        cost: f32 = 1.0, in 0.0 to 1e6;
    }
}
