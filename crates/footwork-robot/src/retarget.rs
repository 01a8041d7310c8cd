//! Retargeting of clips to a robot.
//!
//! The library transfers a clip to the stand-in of the robot, plants its feet and lowers its pelvis where legs are too short. Then
//! the hinges follow frame by frame: feet first, then the pelvis, then the rotations of all bones, within ranges and speeds.

use crate::clip::RobotClip;
use crate::error::RobotError;
use crate::kinematics::Placed;
use crate::map::Retargeting;
use crate::measure::{RobotReport, measure};
use crate::sole::Sole;
use crate::solver::{Bounds, Solver};
use crate::targets::Targets;
use footwork::build::retarget::RetargetOptions;
use footwork::clip::{Annotations, RawClip};
use rayon::prelude::*;

/// Steps of the solver for the first frame, and for each other.
const STEPS: [usize; 2] = [100, 4];
/// Tolerated change of an angle from one frame to the next, in radians per second.
const CALM_RAD_S: f64 = 20.0;
/// Number of turns from the standing pose to that of the first frame.
const APPROACH: u32 = 20;
/// Time over which the root rises and sinks again, seconds.
const RISE_S: f64 = 0.15;
/// Decimals of the values of poses.
const DECIMALS: f64 = 1e6;

impl Retargeting {
    /// Returns a clip on the robot, at the clip's rate, and its errors.
    ///
    /// # Errors
    /// Returns an error if the clip is invalid or has another skeleton than the source of this map.
    pub fn clip(&self, clip: &RawClip) -> Result<(RobotClip, RobotReport), RobotError> {
        let (body, _) = self.map.retarget_clip(clip, &RetargetOptions::default())?;
        let targets = Targets::new(self, &body);
        let poses = self.follow(&targets);
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
            }
            solver.solve(&mut pose, &tasks, &bounds, STEPS[usize::from(!first)]);
            poses.extend(pose.iter().map(|v| (v * DECIMALS).round() / DECIMALS));
        }
        self.rise(&mut poses, targets.rate_hz);
        poses
    }

    /// Raises the root where a limit keeps a foot below the ground, smoothly around these frames.
    fn rise(&self, poses: &mut [f64], rate_hz: f64) {
        let width = self.model.pose_len();
        let mut placed = Placed::default();
        let mut depths = Vec::with_capacity(poses.len() / width);
        for pose in poses.chunks_exact(width) {
            self.model.place(pose, &mut placed);
            let low = |s: &Sole| s.lowest_m(placed.positions[s.body], placed.rotations[s.body]);
            depths.push(-self.stand_in.soles.iter().map(low).fold(f64::INFINITY, f64::min).min(0.0));
        }
        let reach = (RISE_S * rate_hz).ceil() as usize;
        for (f, pose) in poses.chunks_exact_mut(width).enumerate() {
            let from = f.saturating_sub(reach);
            let near = depths[from..(f + reach + 1).min(depths.len())].iter().enumerate();
            let faded = near.map(|(k, depth)| {
                let away = (from + k).abs_diff(f) as f64 / (reach as f64 + 1.0);
                depth * (1.0 - away * away * (3.0 - 2.0 * away))
            });
            pose[2] = ((pose[2] + faded.fold(0.0, f64::max)) * DECIMALS).round() / DECIMALS;
        }
    }
}
