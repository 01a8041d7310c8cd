//! Duration for which a character stands in a clip that it enters at a row.

use super::content::DatabaseContent;
use crate::math::Facing;
use std::ops::Range;

/// A clip stands if its root moves no further than this within [`LOOK_S`], in metres.
const STANDS_M: f32 = 0.05;
/// A clip stands if its root turns no further than this within [`LOOK_S`], in radians.
const STANDS_RAD: f32 = 0.17;
/// Time over which movement is measured, and within which a row may come to stand, in seconds.
const LOOK_S: f32 = 0.5;
/// Value for rows that do not come to stand.
const MOVES: f32 = 2.0;

/// Returns `[rows]`, the transitions per second that an idle character needs after entering a clip at the row: 0 if the clip
/// stands indefinitely, 1 / seconds if it stands for a limited time (at most 1), and 2 if it does not come to stand.
pub fn unrest(c: &DatabaseContent) -> Vec<f32> {
    let mut unrest = vec![MOVES; c.row_frames.len()];
    let look = (LOOK_S * c.pose_rate_hz).round().max(1.0) as usize;
    for clip in &c.clips {
        let frames = clip.frame_range();
        let standing = standing(c, frames.clone(), look);
        let forever = clip.looping() && standing[0] == (0, frames.len());
        for row in clip.row_range() {
            let at = c.row_frames[row].at() - frames.start;
            let (begins, ends) = standing[at];
            if forever {
                unrest[row] = 0.0;
            } else if begins != usize::MAX && begins - at <= look {
                unrest[row] = (c.pose_rate_hz / (ends - at) as f32).min(1.0);
            }
        }
    }
    unrest
}

/// Returns `[frames]`: begin and end of the current or next range of standing at each frame; `usize::MAX` as the begin for none.
fn standing(c: &DatabaseContent, frames: Range<usize>, look: usize) -> Vec<(usize, usize)> {
    let feet = c.rig.contact_joints.len();
    let stands = |frame: usize| {
        let (a, b) = (c.poses.root(frame), c.poses.root((frame + look).min(frames.end - 1)));
        let way = b.translation - a.translation;
        let turn = Facing::from_rotation(a.rotation).angle_to(Facing::from_rotation(b.rotation)).abs();
        let touches = c.contacts[frame * feet..][..feet].iter().all(|t| *t == 1);
        touches && way.x * way.x + way.z * way.z <= STANDS_M * STANDS_M && turn <= STANDS_RAD
    };
    let mut next = (usize::MAX, 0);
    let mut before = false;
    let mut out: Vec<(usize, usize)> = frames
        .clone()
        .rev()
        .map(|frame| {
            let at = frame - frames.start;
            let now = stands(frame);
            if now {
                next = (at, if before { next.1 } else { at + 1 });
            }
            before = now;
            next
        })
        .collect();
    out.reverse();
    out
}
