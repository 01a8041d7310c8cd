//! Duration for which a clip continues the motion of a row.

use super::content::{Clip, DatabaseContent};
use crate::math::Facing;

/// Time over which velocity and turn rate are measured, in seconds.
const LOOK_S: f32 = 0.3;
/// Difference in velocity up to which motion continues: metres per second, and a share of the speed.
const SAME_MPS: f32 = 0.15;
const SAME_SHARE: f32 = 0.15;
/// Difference in turn rate up to which motion continues, in radians per second.
const SAME_RADPS: f32 = 0.5;
/// Shortest duration that is distinguished, in seconds.
const SHORTEST_S: f32 = 0.5;
/// Time from which motion that continues counts as continuing forever, in seconds.
pub const MOTION_LASTS_S: f32 = 4.0;

/// Velocity and turn rate of the root, along its own axes.
#[derive(Clone, Copy)]
struct Going {
    mps: [f32; 2],
    radps: f32,
}

impl Going {
    fn continues(self, other: Self) -> bool {
        let [x, z] = [0, 1].map(|k| self.mps[k] - other.mps[k]);
        let speed = (self.mps[0] * self.mps[0] + self.mps[1] * self.mps[1]).sqrt();
        (x * x + z * z).sqrt() <= SAME_MPS + SAME_SHARE * speed && (self.radps - other.radps).abs() <= SAME_RADPS
    }
}

/// Returns `[rows]`, the transitions per second that a character under a steady command needs after entering a clip at the row, less
/// those of 1 per 4 s: 0 where the motion continues for at least 4 s, as in a loop of steady motion; else 1 / seconds until it changes
/// or the clip ends, at most 1.75.
pub fn unsteadiness(c: &DatabaseContent) -> Vec<f32> {
    let longest = (MOTION_LASTS_S * c.pose_rate_hz) as usize;
    let mut out = vec![0.0; c.row_frames.len()];
    for clip in &c.clips {
        let going = going(c, clip);
        for row in clip.row_range() {
            let at = c.row_frames[row].at() - clip.frame_range().start;
            let later = |k: &usize| going.get(if clip.looping() { (at + k) % going.len() } else { at + k });
            let changes = (1..=longest).find(|k| later(k).is_none_or(|later| !going[at].continues(*later)));
            let seconds = changes.unwrap_or(longest) as f32 / c.pose_rate_hz;
            out[row] = 1.0 / seconds.clamp(SHORTEST_S, MOTION_LASTS_S) - 1.0 / MOTION_LASTS_S;
        }
    }
    out
}

/// Returns `[frames]`; at the end of a clip that does not loop, the last known motion.
fn going(c: &DatabaseContent, clip: &Clip) -> Vec<Going> {
    let view = clip.view(&c.skeleton, &c.poses, c.pose_rate_hz);
    let look = ((LOOK_S * c.pose_rate_hz).round() as usize).max(1);
    let seconds = look as f32 / c.pose_rate_hz;
    let mut last = Going { mps: [0.0; 2], radps: 0.0 };
    let of = |k: usize| {
        if let Some(then) = view.root_ahead(k, look) {
            let step = c.poses.root(view.start + k).inverse() * then;
            let turn = Facing::FORWARD.angle_to(Facing::from_rotation(step.rotation));
            last = Going { mps: [step.translation.x / seconds, step.translation.z / seconds], radps: turn / seconds };
        }
        last
    };
    (0..view.frames).map(of).collect()
}
