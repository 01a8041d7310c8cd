//! Finds joints that never move although comparable joints do.

use super::check::Check;
use super::examination::Examination;
use super::examined_clip::{ExaminedClip, median};
use super::finding::{Finding, Severity};

/// Maximum rotation of a still joint over a clip, in radians (0.06 degrees): captured joints always tremble more.
const NEVER_RAD: f32 = 1e-3;
/// Minimum rotation of the comparable joint, in radians (6 degrees).
const LIKE_RAD: f32 = 0.1;

/// Compares with the same joint on the other side, and in the other clips.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    let ranges: Vec<Vec<f32>> = examination.each(|p, _| (0..p.joints()).map(|j| range(p, j)).collect());
    for (i, p) in examination.clips.iter().enumerate() {
        let body = &examination.bodies[examination.kind_of[i]];
        let others: Vec<usize> =
            (0..ranges.len()).filter(|o| *o != i && examination.kind_of[*o] == examination.kind_of[i]).collect();
        for j in 1..p.joints() {
            if ranges[i][j] >= NEVER_RAD {
                continue;
            }
            let twin = body.twins[j].filter(|t| ranges[i][*t] > LIKE_RAD);
            // A joint that is still in most clips is so by design; in a clip that hardly moves, all joints are still.
            let elsewhere = others.iter().filter(|o| ranges[**o][j] > LIKE_RAD).count();
            let parent = p.clip.skeleton.parents()[j].map_or(0.0, |k| ranges[i][k.at()]);
            let moves = median(ranges[i].clone()) > LIKE_RAD && parent > LIKE_RAD;
            let like = match twin {
                Some(t) => format!("`{}` turns by {:.0} degrees", p.name(t), ranges[i][t].to_degrees()),
                None if moves && others.len() >= 3 && 10 * elsewhere >= 9 * others.len() => {
                    format!("in {elsewhere} other clips it does")
                }
                None => continue,
            };
            let what = format!("never moves, though {like}");
            let mend = "look at its markers or its channel in the source";
            out.push(Finding::new(Check::StillJoint, Severity::Warning, &p.clip.name, what, mend).at_joint(p.name(j)));
        }
    }
}

/// Returns the rotation of a joint from its rotation in the clip's middle frame, in radians: the 80th percentile over the
/// frames, as single outliers are not motion. If that is below [`NEVER_RAD`], returns the maximum, at most [`LIKE_RAD`].
fn range(p: &ExaminedClip, j: usize) -> f32 {
    let middle = p.local(p.frames() / 2, j).rotation;
    let mut turns: Vec<f32> = (0..p.frames()).map(|f| p.local(f, j).rotation.angle_between(middle)).collect();
    turns.sort_by(f32::total_cmp);
    let usual = turns[turns.len() * 4 / 5];
    if usual < NEVER_RAD { turns[turns.len() - 1].min(LIKE_RAD) } else { usual }
}
