//! How long a character could stand in a clip that it enters at a row.

use super::DatabaseContent;
use crate::math::Facing;
use std::ops::Range;

/// A clip stands where its root goes no further than this within [`LOOK_S`], metres.
const STANDS_M: f32 = 0.05;
/// And turns no further, radians.
const STANDS_RAD: f32 = 0.17;
/// Time over which that is looked at, and within which a row may come to stand, seconds.
const LOOK_S: f32 = 0.5;
/// Of rows that do not come to stand.
const MOVES: f32 = 2.0;

/// `[rows]` transitions per second that a character at rest needs if it enters a clip at the row: 0 where the clip stands for
/// ever, 1 / seconds where it stands for that long (at most 1), and 2 where it does not come to stand.
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

/// `[frames]` begin and end of the standing that each frame is in, or that comes next; `usize::MAX` for none.
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
