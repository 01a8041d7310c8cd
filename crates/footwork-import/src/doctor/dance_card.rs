//! Coverage of clips: how much motion there is, by speed, turn and direction of travel.

use footwork::advanced::motion::StickSpeeds;
use footwork::advanced::trajectory::travel_seconds;
use footwork::clip::RawClip;
use footwork::math::Transform;

pub use footwork::advanced::trajectory::{DIRECTIONS, DanceCardCell, SPEEDS_MPS};

/// Returns the table: cells by speed, turn and direction.
pub fn dance_card(clips: &[RawClip], stick: &StickSpeeds) -> Vec<DanceCardCell> {
    let way = |clip: &RawClip| {
        let root = |f: usize| {
            let at = f * clip.skeleton.len();
            Transform::new(clip.translations[at], clip.rotations[at])
        };
        (clip.rate_hz, (0..clip.frames()).map(root).collect())
    };
    footwork::advanced::trajectory::dance_card(&travel_seconds(clips.iter().map(way)), stick)
}
