//! Selection of the loops among a build's clips, and their closing.

use super::{Gap, Loop, Round};
use crate::build::config::BuildConfig;
use crate::clip::RawClip;
use crate::parallel;
use serde::Serialize;

/// A loop of a build.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopReport {
    /// Clip.
    pub clip: String,
    /// True if the loop was detected in the motion, not marked.
    pub found: bool,
    /// Length of one cycle in seconds, at the source's rate.
    pub seconds: f64,
    /// True if the last frame repeated the first and was removed.
    pub repeated_frame: bool,
    /// Gap that was distributed over the cycle to close it; `None` if the loop closed by itself.
    pub spread: Option<Gap>,
}

/// Loops of a build.
#[derive(Default)]
pub struct Settled {
    /// `[clips]` displacement and turn of one cycle; `None` for non-looping clips.
    pub rounds: Vec<Option<Round>>,
    pub reports: Vec<LoopReport>,
    pub warnings: Vec<String>,
}

/// Finds the loops that are not marked, and closes all loops.
pub fn settle(clips: &mut [RawClip], config: &BuildConfig) -> Settled {
    let loops = parallel::map(clips, |clip| {
        let a = &clip.annotations;
        match clip.looping {
            // A clip with discarded ranges is cut into pieces, which do not loop.
            _ if !a.discard.is_empty() => None,
            true => Loop::measure(clip),
            false if a.loops == Some(false) || !config.find_loops => None,
            false => Loop::find(clip),
        }
    });
    let mut settled = Settled::default();
    for (clip, found) in clips.iter_mut().zip(loops) {
        let found = found.filter(|l| l.clean || !refuse(clip, l, &mut settled.warnings));
        let marked = clip.looping;
        if let Some(l) = &found {
            settled.reports.push(LoopReport {
                clip: clip.name.clone(),
                found: !marked,
                seconds: l.frames as f64 / f64::from(clip.rate_hz),
                repeated_frame: l.repeats_first,
                spread: (!l.clean).then(|| l.gap.clone()),
            });
            l.close(clip);
            clip.annotations.loops = clip.annotations.loops.or((!marked).then_some(true));
        } else if clip.annotations.discard.is_empty() {
            clip.looping = false;
        }
        settled.rounds.push(found.map(|l| l.round));
    }
    settled
}

fn refuse(clip: &RawClip, found: &Loop, warnings: &mut Vec<String>) -> bool {
    let Gap { joint, deg, metres } = &found.gap;
    if found.gap.absurd() {
        warnings.push(format!(
            "clip `{}` is marked as a loop, but its end is {deg:.0} degrees (joint `{joint}`) and {metres:.2} m from its \
             start: it is played as a clip that ends; cut it to whole strides, or take `loop = true` away",
            clip.name
        ));
    }
    found.gap.absurd()
}
