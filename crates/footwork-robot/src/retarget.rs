//! Retargeting of clips to a robot.
//!
//! The library transfers a clip to the stand-in of the robot, plants its feet and lowers its pelvis where legs are too short. Then
//! the hinges follow frame by frame: feet first, then the pelvis, then the rotations of all bones, within ranges and speeds.

use crate::clip::RobotClip;
use crate::error::RobotError;
use crate::feet::smooth;
use crate::kinematics::Placed;
use crate::map::Retargeting;
use crate::measure::{RobotReport, measure};
use crate::solver::{Bounds, Solver};
use crate::targets::Targets;
use footwork::build::retarget::RetargetOptions;
use footwork::clip::{Annotations, RawClip};
use rayon::prelude::*;

/// Steps of the solver for the first frame, and for each other.
const STEPS: [usize; 2] = [100, 4];
/// Tolerated change of an angle from one frame to the next, in radians per second.
const CALM_RAD_S: f64 = 10.0;
/// Number of turns from the standing pose to that of the first frame.
const APPROACH: u32 = 20;
/// Time over which a foot or the root rises and sinks again, seconds.
const RISE_S: f64 = 0.15;
/// Number of times that feet are lifted out of the ground, and the depth that is left to the root, metres.
const LIFTS: usize = 3;
const DEEP_M: f64 = 5e-4;
/// Decimals of the values of poses.
const DECIMALS: f64 = 1e6;

impl Retargeting {
    /// Returns a clip on the robot, at the clip's rate, and its errors.
    ///
    /// # Errors
    /// Returns an error if the clip is invalid or has another skeleton than the source of this map.
    pub fn clip(&self, clip: &RawClip) -> Result<(RobotClip, RobotReport), RobotError> {
        let (body, _) = self.map.retarget_clip(clip, &RetargetOptions::default())?;
        let mut targets = Targets::new(self, &body);
        let mut poses = self.follow(&targets);
        // Where a limit of the ankle keeps a sole from lying flat, the foot stands on the edge of it.
        for _ in 0..LIFTS {
            let depths = self.depths(&poses);
            if depths.iter().flatten().all(|depth| *depth < DEEP_M) {
                break;
            }
            for (foot, depths) in targets.feet.iter_mut().zip(&depths) {
                foot.toe.iter_mut().zip(smoothed(depths, targets.rate_hz)).for_each(|(toe, by)| toe.z += by);
            }
            // A foot may have passed over the lifted one.
            targets.separate(self);
            poses = self.follow(&targets);
        }
        self.rise(&mut poses, targets.rate_hz);
        let contacts = targets.feet.each_ref().map(|foot| foot.planted.clone());
        let annotations = Annotations { contacts: Vec::new(), ..clip.annotations.clone() };
        let done = RobotClip {
            name: clip.name.clone(),
            rate_hz: f64::from(clip.rate_hz),
            poses,
            contacts,
            annotations,
            looping: clip.looping,
        };
        let report = measure(self, clip, &targets, &done);
        Ok((done, report))
    }

    /// Returns clips on the robot and their errors, computed on all available threads. `on_done` is called once per clip, from
    /// any thread.
    ///
    /// # Errors
    /// Returns the error of [`Self::clip`] for the first clip that has one.
    pub fn clips(
        &self,
        clips: &[RawClip],
        on_done: Option<&(dyn Fn() + Sync)>,
    ) -> Result<Vec<(RobotClip, RobotReport)>, RobotError> {
        let one = |clip: &RawClip| {
            let done = self.clip(clip);
            if let Some(tell) = on_done {
                tell();
            }
            done
        };
        let done: Vec<_> = clips.par_iter().map(one).collect();
        done.into_iter().collect()
    }

    /// Solves for the poses of all frames.
    fn follow(&self, targets: &Targets) -> Vec<f64> {
        let hinges = &self.model.hinges;
        // Rounding must not leave the range.
        let inside = 1.0 / DECIMALS;
        let range = |h: usize| {
            hinges[h].range.map_or([f64::NEG_INFINITY, f64::INFINITY], |[low, high]| [low + inside, high - inside])
        };
        let step = self.max_speed_rad_s() / targets.rate_hz - 2.0 * inside;
        let mut bounds = Bounds { low: vec![0.0; hinges.len()], high: vec![0.0; hinges.len()], ..Bounds::default() };
        let mut solver = Solver::new(&self.model);
        let mut pose = self.model.zero_pose();
        let mut tasks = Vec::new();
        let mut poses = Vec::with_capacity(targets.frames() * pose.len());
        for f in 0..targets.frames() {
            let first = f == 0;
            targets.tasks(self, f, &mut tasks);
            for h in 0..hinges.len() {
                let [low, high] = range(h);
                let now = pose[7 + h];
                let (least, most) = if first { (low, high) } else { (low.max(now - step), high.min(now + step)) };
                (bounds.low[h], bounds.high[h]) = (least.min(high), most.max(low));
            }
            if first {
                targets.start(&mut pose);
            }
            bounds.rest = pose[7..].to_vec();
            bounds.pull = if first { 0.0 } else { (targets.rate_hz / CALM_RAD_S) * (targets.rate_hz / CALM_RAD_S) };
            if first {
                // From the standing pose the bones lead, in small turns: from afar a leg may fold the wrong way.
                for k in 1..=APPROACH {
                    targets.approach(self, f64::from(k) / f64::from(APPROACH), &mut tasks);
                    solver.solve(&mut pose, &tasks, &bounds, STEPS[1]);
                }
                targets.tasks(self, f, &mut tasks);
            } else {
                tasks.push(targets.moves_on(f, &pose));
            }
            solver.solve(&mut pose, &tasks, &bounds, STEPS[usize::from(!first)]);
            poses.extend(pose.iter().map(|v| (v * DECIMALS).round() / DECIMALS));
        }
        poses
    }

    /// Returns the depths of both feet below the ground in all poses, metres.
    fn depths(&self, poses: &[f64]) -> [Vec<f64>; 2] {
        let mut placed = Placed::default();
        let mut depths = [Vec::new(), Vec::new()];
        for pose in poses.chunks_exact(self.model.pose_len()) {
            self.model.place(pose, &mut placed);
            for (depths, sole) in depths.iter_mut().zip(&self.stand_in.soles) {
                depths.push((-sole.lowest_in_m(&placed)).max(0.0));
            }
        }
        depths
    }

    /// Raises the root where a foot is still below the ground, smoothly around these frames.
    fn rise(&self, poses: &mut [f64], rate_hz: f64) {
        let [left, right] = self.depths(poses);
        let deeper: Vec<f64> = left.iter().zip(&right).map(|(l, r)| l.max(*r)).collect();
        let raised = smoothed(&deeper, rate_hz);
        for (pose, by) in poses.chunks_exact_mut(self.model.pose_len()).zip(raised) {
            pose[2] = ((pose[2] + by) * DECIMALS).round() / DECIMALS;
        }
    }
}

/// Returns at least these heights, faded in and out over [`RISE_S`].
fn smoothed(heights: &[f64], rate_hz: f64) -> Vec<f64> {
    let reach = (RISE_S * rate_hz).ceil() as usize;
    let around = |f: usize| {
        let from = f.saturating_sub(reach);
        let near = heights[from..(f + reach + 1).min(heights.len())].iter().enumerate();
        let faded =
            near.map(|(k, height)| height * (1.0 - smooth((from + k).abs_diff(f) as f64 / (reach as f64 + 1.0))));
        faded.fold(0.0, f64::max)
    };
    (0..heights.len()).map(around).collect()
}
