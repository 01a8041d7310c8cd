//! Slope and stair clips of the built-in data play where the ground has slopes and stairs.

use crate::common;

use footwork::build::{BuildConfig, SchemaConfig};
use footwork::input::{Goal, GroundHook, GroundPoint, MotionInput};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::schema::{ChannelType, Preset};
use footwork_gait::GaitOptions;
use glam::Vec3;
use std::sync::Arc;

#[test]
fn with_a_trajectory_in_space_the_clip_is_chosen_that_goes_up_as_the_ground_does() {
    let clips = footwork_gait::clips(&GaitOptions { routes: false, terrain: true, ..Default::default() });
    let mut channels = Preset::Holden.channels();
    for c in channels.iter_mut().filter(|c| c.kind == ChannelType::TrajectoryPosition) {
        c.dimensions = 3;
    }
    let config = BuildConfig { schema: SchemaConfig { channels, ..Default::default() }, ..Default::default() };
    let db = Arc::new(common::built(&clips, &config).0);
    // Returns the share of the last three of five seconds in which a clip with this prefix plays; the speed is 1 m/s, and the
    // slope begins at 0.9 m.
    let share = |ground: Option<&GroundHook>, name: &str| {
        let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
        let mut playing = 0;
        for k in 0..60 * 5 {
            let input =
                MotionInput { ground, goal: Goal::Velocity { velocity: Vec3::Z, facing: None }, ..Default::default() };
            m.update(&input, 1.0 / 60.0).unwrap();
            let clip = &db.clips[m.state().header.playback.playing.clip.at()];
            playing += usize::from(k >= 120 && clip.name.starts_with(name));
        }
        playing as f32 / 180.0
    };
    for (grade, name) in [(0.364, "slope_up_20"), (-0.364, "slope_down_20")] {
        let slope = |at: Vec3| GroundPoint { height_m: (at.z - 0.9).max(0.0) * grade, ..Default::default() };
        let (with, without) = (share(Some(&slope), name), share(None, name));
        println!("{name}: {with:.2} of the time, {without:.2} without the hook");
        assert!(with > 0.5 && without < 0.2, "{name}: {with} {without}");
    }
}
