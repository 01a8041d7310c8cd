//! Actions with contacts: jumps, vaults, climbs, steps, seats, and hands that touch objects.
//!
//! ```text
//!  Script: keys of the pelvis, steps, holds, turns --Stage--> pelvis: splines, parabolas in flight
//!    ^                                               |        feet:   planted, or in swing around the hips
//!    | leap, onto, level, seat, reach                |        hands:  free, or held by inverse kinematics
//!    |                                               v
//!  Base: locomotion before and after ---blended--> poses --perform--> GaitClip with ActionTruth
//! ```

mod base;
mod curve;
mod jump;
mod leap;
mod level;
mod onto;
mod over;
mod perform;
mod reach;
mod script;
mod seat;
mod stage;
mod steps;

use crate::mirror::mirrored;
use crate::options::GaitOptions;
use crate::truth::GaitClip;

/// Returns the clips of all actions; those with a side as two mirror images.
pub(crate) fn clips(options: &GaitOptions) -> Vec<GaitClip> {
    let mut out: Vec<GaitClip> = Vec::new();
    let makers: [fn(&GaitOptions) -> Vec<script::Script>; 12] = [
        jump::jumps,
        jump::hurdles,
        over::vaults,
        onto::mantles,
        onto::climbs,
        level::drops,
        level::steps,
        seat::sits,
        seat::rises,
        reach::picks,
        reach::pushes,
        reach::handshakes,
    ];
    for script in makers.iter().flat_map(|make| make(options)) {
        let mut clip = perform::perform(&script, options);
        if script.sided {
            let other = mirrored(&clip, &format!("{}_right", script.name));
            clip.clip.name += "_left";
            out.extend([clip, other]);
        } else {
            out.push(clip);
        }
    }
    out
}
