//! Samples all metrics from recorded or captured motion.

use crate::RATE_HZ;
use crate::courses::Course;
use crate::ground::GroundKind;
use crate::metrics::{feet, jerk, posture, response, root, skate, uneven};
use crate::motion::{Motion, Space};
use crate::recording::Recording;
use crate::samples::{Occurrence, Samples};
use crate::source::Source;
use footwork::advanced::motion::StickSpeeds;
use footwork::frames::JointIndex;
use footwork::math::Facing;
use glam::Vec3;

pub use crate::quantity::Quantity;
pub use crate::response_times::response_times;

/// Changes of velocity below this are invisible, m/s.
const LEAST_CHANGE_MPS: f32 = 0.01;
/// Changes of velocity above this are visible as jumps of a joint, m/s.
const POP_MPS: f32 = 4.0;
/// Minimum lock time of a foot that counts as planted: 0.2 s, and half a frame for rounding.
const HELD_S: f32 = 12.5 / RATE_HZ;
/// Frames without a command after which a character should be idle: 1.5 s.
const IDLE_FRAMES: usize = 90;

/// Name of the course of captured motion.
const MOCAP: &str = "mocap";

/// Returns the ratio of a change of velocity to a captured one. A joint that does not move in the clips counts as moved by
/// [`LEAST_CHANGE_MPS`].
fn over(change_mps: f32, captured_mps: f32) -> f32 {
    change_mps / captured_mps.max(LEAST_CHANGE_MPS)
}

/// All samples of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    samples: Vec<Samples>,
}

impl Default for Measurement {
    fn default() -> Self {
        Self { samples: vec![Samples::default(); Quantity::COUNT] }
    }
}

/// Course and run of a measurement, for the [`Occurrence`] of its samples.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Name of the course.
    pub course: &'static str,
    /// Run, from 0.
    pub run: usize,
}

impl Measurement {
    /// The samples of a quantity.
    pub fn of(&self, quantity: Quantity) -> &Samples {
        &self.samples[quantity as usize]
    }

    /// Adds all samples of another measurement.
    pub fn append(&mut self, other: &Self) {
        for (ours, theirs) in self.samples.iter_mut().zip(&other.samples) {
            ours.append(theirs);
        }
    }

    /// Adds all of the source's captured clips on level ground, every frame once.
    pub fn add_source(&mut self, source: &Source) {
        let place = Place { course: MOCAP, run: 0 };
        for clip in source.clips.iter().filter(|c| c.level && !c.made) {
            for frame in 0..clip.motion.frames() {
                self.add_frame(source, &clip.motion, frame, true, place);
            }
        }
        // In this measurement, every frame was played once.
        let [played, database] = [Quantity::VelocityChangeOverPlayed, Quantity::VelocityChangeOverDatabase];
        self.samples[played as usize] = self.of(database).clone();
    }

    /// Adds the captured frames that a recording played, as often as it played them.
    pub fn add_played(&mut self, source: &Source, recording: &Recording, run: usize) {
        for playing in &recording.motion.playing {
            let clip = &source.clips[playing.clip.at()];
            if clip.made {
                continue;
            }
            let motion = &clip.motion;
            self.add_frame(source, motion, playing.frame, true, Place { course: MOCAP, run });
        }
    }

    /// Adds a recording; `speeds` are the speeds of the course's full sticks.
    pub fn add_recording(
        &mut self,
        source: &Source,
        recording: &Recording,
        course: &Course,
        run: usize,
        speeds: &StickSpeeds,
    ) {
        let (motion, place) = (&recording.motion, Place { course: course.name, run });
        let mut since_seam = usize::MAX;
        let mut seams = recording.seams.iter().map(|s| s.frame).peekable();
        for frame in 0..motion.frames() {
            since_seam = if seams.next_if_eq(&frame).is_some() { 0 } else { since_seam.saturating_add(1) };
            self.add_frame(source, motion, frame, since_seam < jerk::SEAM_FRAMES, place);
            let whole = || place.moment(motion, frame, JointIndex(0));
            let root = motion.roots[frame];
            self.push(Quantity::PathError, root::path_error_m(root, recording.simulated[frame]), whole);
            self.add_posture(source, motion, frame, place);
            let heading = root::heading_error_deg(root, recording.simulated_facings[frame]);
            self.push(Quantity::HeadingError, heading, whole);
            self.push(Quantity::Transitions, if since_seam == 0 { RATE_HZ } else { 0.0 }, whole);
        }
        self.add_seams(recording, place);
        self.add_standing(source, recording, course, place);
        self.add_responses(source, motion, course, speeds, place);
    }

    /// Adds what the courses of [`crate::eval::ONE_KIND`] are for: response times, transitions after steady commands, the body on uneven
    /// ground, and how a gentle stick is followed.
    pub fn add_one_kind(
        &mut self,
        source: &Source,
        recording: &Recording,
        course: &Course,
        run: usize,
        speeds: &StickSpeeds,
    ) {
        let place = Place { course: course.name, run };
        self.add_responses(source, &recording.motion, course, speeds, place);
        self.add_steadiness(recording, course, place);
        self.add_uneven(source, recording, course, speeds, place);
        if course.name == "k" {
            self.add_gentle(source, recording, place);
        }
    }

    /// Adds the effects of foot locks and IK: the difference between runs with and without them.
    pub fn add_corrections(&mut self, source: &Source, with: &Recording, without: &Recording, place: Place) {
        let toes = &source.subject.contact_joints;
        let held = |frame: usize, slot: usize| with.locked_s[frame * toes.len() + slot];
        for frame in 0..with.motion.frames() {
            for (slot, toe) in toes.iter().enumerate() {
                let moment = || place.moment(&with.motion, frame, *toe);
                let correction = feet::correction_cm(&with.motion, &without.motion, frame, *toe);
                self.push(Quantity::Correction, correction, moment);
                let last = frame + 1 < with.motion.frames() && held(frame + 1, slot) < held(frame, slot);
                if last {
                    self.push(Quantity::UnlockJump, correction, moment);
                }
            }
        }
    }

    /// Adds the velocity changes of a recording divided by `limits_mps`, `[joints]`, and adds to `played` those of the source
    /// frames that it played.
    pub fn add_over_played(
        &mut self,
        played: &mut Self,
        source: &Source,
        recording: &Recording,
        place: Place,
        limits_mps: &[f32],
    ) {
        let motion = &recording.motion;
        for (frame, playing) in motion.playing.iter().enumerate() {
            for (joint, limit_mps) in limits_mps.iter().enumerate().skip(1) {
                let joint = JointIndex::new(joint);
                let add = |to: &mut Self, change_mps: Option<f32>, course| {
                    let Some(change_mps) = change_mps else { return };
                    let moment = || Place { course, ..place }.moment(motion, frame, joint);
                    to.push(Quantity::VelocityChangeOverPlayed, over(change_mps, *limit_mps), moment);
                };
                add(self, jerk::velocity_change_mps(motion, Space::Root, frame, joint), place.course);
                add(played, source.velocity_change_mps(*playing, joint), MOCAP);
            }
        }
    }

    /// Adds the quantities that apply to captured and played frames. `seam`: the frame counts as after a transition.
    fn add_frame(&mut self, source: &Source, motion: &Motion, frame: usize, seam: bool, place: Place) {
        let clip = &source.clips[motion.playing[frame].clip.at()];
        let toes = &source.subject.contact_joints;
        for (slot, toe) in toes.iter().enumerate() {
            let moment = || place.moment(motion, frame, *toe);
            self.push(Quantity::Penetration, feet::penetration_cm(motion, frame, *toe), moment);
            let Some(speed) = skate::toe_speed_cm_s(motion, frame, *toe) else { continue };
            let height = motion.position(Space::World, frame, *toe).y;
            if motion.touches(frame, slot) {
                self.push(Quantity::LabelSkate, speed, moment);
            }
            if height < clip.rest_height_m + skate::LOW_M {
                self.push(Quantity::LowSkate, speed, moment);
            }
            let weight = skate::height_weight(height - clip.lowest_height_m);
            self.push(Quantity::WeightedSkate, speed * weight, moment);
        }
        self.add_legs(source, motion, frame, place);
        self.add_pops(source, motion, frame, place);
        for joint in (1..motion.joints).map(JointIndex::new) {
            let moment = || place.moment(motion, frame, joint);
            for (space, always, at_seam) in [
                (Space::Root, Quantity::JerkRoot, Quantity::SeamJerkRoot),
                (Space::World, Quantity::JerkWorld, Quantity::SeamJerkWorld),
            ] {
                let Some(jerk) = jerk::jerk_mps3(motion, space, frame, joint) else { continue };
                self.push(always, jerk, moment);
                if seam {
                    self.push(at_seam, jerk, moment);
                }
            }
            let Some(change) = jerk::velocity_change_mps(motion, Space::Root, frame, joint) else { continue };
            self.push(Quantity::VelocityChange, change, moment);
            let captured = &source.changes;
            let [p999, max] = [&captured.p999_mps, &captured.max_mps].map(|of| over(change, of[joint.at()]));
            self.push(Quantity::VelocityChangeOverDatabase, p999, moment);
            self.push(Quantity::VelocityChangeOverMax, max, moment);
        }
    }

    /// Adds jumps of joints in world space. Of adjacent frames that jump, the first one counts.
    fn add_pops(&mut self, source: &Source, motion: &Motion, frame: usize, place: Place) {
        let captured = &source.world_changes;
        let pop_of = |frame: usize| {
            (1..motion.joints).map(JointIndex::new).find(|joint| {
                jerk::velocity_change_mps(motion, Space::World, frame, *joint)
                    .is_some_and(|change| change > POP_MPS.max(captured.max_mps[joint.at()]))
            })
        };
        let pop = pop_of(frame).filter(|_| frame == 0 || pop_of(frame - 1).is_none());
        let per_min = if pop.is_some() { 60.0 * RATE_HZ } else { 0.0 };
        self.push(Quantity::Pops, per_min, || place.moment(motion, frame, pop.unwrap_or(JointIndex(0))));
        for joint in (1..motion.joints).map(JointIndex::new) {
            let Some(change) = jerk::velocity_change_mps(motion, Space::World, frame, joint) else { continue };
            let ratio = over(change, captured.p999_mps[joint.at()]);
            self.push(Quantity::WorldChangeOverDatabase, ratio, || place.moment(motion, frame, joint));
        }
    }

    /// Adds height of the hips and bend of the knees, compared with the captured ones of the same speed.
    fn add_posture(&mut self, source: &Source, motion: &Motion, frame: usize, place: Place) {
        let typical = posture::speed_mps(motion, frame).and_then(|speed_mps| source.posture.at(speed_mps));
        let Some(typical) = typical else { return };
        let subject = &source.subject;
        let hips_m = motion.position(Space::World, frame, subject.hips).y;
        let low_cm = 100.0 * (typical.hips_m - hips_m);
        self.push(Quantity::HipsLow, low_cm, || place.moment(motion, frame, subject.hips));
        for (leg, (slot, _)) in subject.legs.iter().zip(&subject.feet) {
            let touches = motion.touches(frame, *slot);
            let bent_deg = typical.knee_deg[usize::from(touches)] - feet::knee_extension_deg(motion, frame, *leg);
            if !bent_deg.is_nan() {
                self.push(Quantity::KneeBent, bent_deg, || place.moment(motion, frame, leg[1]));
            }
        }
    }

    /// Adds the distance between the shins, and the twist of planted feet.
    fn add_legs(&mut self, source: &Source, motion: &Motion, frame: usize, place: Place) {
        let subject = &source.subject;
        for (i, leg) in subject.legs.iter().enumerate() {
            let extension = feet::knee_extension_deg(motion, frame, *leg);
            self.push(Quantity::KneeExtension, extension, || place.moment(motion, frame, leg[1]));
            for other in &subject.legs[..i] {
                let near_cm = -feet::shin_gap_cm(motion, frame, [*other, *leg]);
                self.push(Quantity::ShinsNear, near_cm, || place.moment(motion, frame, leg[1]));
            }
        }
        for (slot, foot) in &subject.feet {
            if motion.touches(frame, *slot)
                && let Some(twist_degps) = feet::twist_degps(motion, frame, *foot)
            {
                self.push(Quantity::PlantedTwist, twist_degps, || place.moment(motion, frame, foot[1]));
            }
        }
    }

    /// Adds the transitions that follow steady commands.
    fn add_steadiness(&mut self, recording: &Recording, course: &Course, place: Place) {
        for steady in &course.steady {
            let kind = if steady.circle { Quantity::SteadyCircle } else { Quantity::SteadyStraight };
            for frame in steady.rows.clone() {
                let per_s = transitions_per_s(recording, frame);
                let whole = || place.moment(&recording.motion, frame, JointIndex(0));
                self.push(kind, per_s, whole);
                self.push(Quantity::Steady, per_s, whole);
            }
        }
    }

    /// Adds hips, knees and toes on stairs and slopes.
    fn add_uneven(
        &mut self,
        source: &Source,
        recording: &Recording,
        course: &Course,
        speeds: &StickSpeeds,
        place: Place,
    ) {
        use Quantity as Q;
        let [low, bent, toe_high, toe_low] = match course.ground {
            GroundKind::Stairs => [Q::StairsHipsLow, Q::StairsKneeBent, Q::StairsToeHigh, Q::StairsToeLow],
            GroundKind::Slope => [Q::SlopeHipsLow, Q::SlopeKneeBent, Q::SlopeToeHigh, Q::SlopeToeLow],
            GroundKind::Level | GroundKind::Rubble => return,
        };
        let (motion, subject) = (&recording.motion, &source.subject);
        for at in uneven::frames(motion, subject, course.ground, speeds.walk.forward_mps) {
            self.push(low, at.hips_low_cm, || place.moment(motion, at.frame, subject.hips));
            self.push(bent, at.knee_bent_deg, || place.moment(motion, at.frame, subject.hips));
            for toe in &at.toes {
                self.push(toe_high, toe.high_cm, || place.moment(motion, at.frame, toe.joint));
                self.push(toe_low, toe.low_cm, || place.moment(motion, at.frame, toe.joint));
            }
        }
    }

    /// Adds how a character follows a stick that is partly pushed and turns slowly.
    fn add_gentle(&mut self, source: &Source, recording: &Recording, place: Place) {
        use Quantity as Q;
        let motion = &recording.motion;
        for frame in 0..motion.frames() {
            let (root, simulated) = (motion.roots[frame], recording.simulated[frame]);
            let whole = || place.moment(motion, frame, JointIndex(0));
            self.push(Q::GentlePath, root::path_error_m(root, simulated), whole);
            self.push(Q::GentleHeading, root::heading_error_deg(root, recording.simulated_facings[frame]), whole);
            self.push(Q::GentleTransitions, transitions_per_s(recording, frame), whole);
            let wanted = posture::speed_of_mps(|frame| recording.simulated[frame], frame);
            if let Some((shown, wanted)) = posture::speed_mps(motion, frame).zip(wanted) {
                self.push(Q::GentleSpeed, (shown - wanted).abs(), whole);
            }
            for (slot, toe) in source.subject.contact_joints.iter().enumerate() {
                if motion.touches(frame, slot)
                    && let Some(speed_cm_s) = skate::toe_speed_cm_s(motion, frame, *toe)
                {
                    self.push(Q::GentleSkate, speed_cm_s, || place.moment(motion, frame, *toe));
                }
            }
        }
    }

    fn add_seams(&mut self, recording: &Recording, place: Place) {
        let motion = &recording.motion;
        for seam in &recording.seams {
            let moment = || place.moment(motion, seam.frame, JointIndex(0));
            if let Some(jump) = seam.jump {
                self.push(Quantity::PoseJump, jump.pose_cm, moment);
                self.push(Quantity::VelocityJump, jump.velocity_cm_s, moment);
            }
            if let Some(step) = root::added_yaw_step_deg(&motion.roots, seam.frame) {
                self.push(Quantity::AddedYawStep, step, moment);
            }
        }
        for pair in recording.seams.windows(2) {
            let frames = (pair[1].frame - pair[0].frame) as f32;
            self.push(Quantity::FramesBetween, frames, || place.moment(motion, pair[1].frame, JointIndex(0)));
        }
    }

    /// Adds the toe speeds of locked feet, and of the feet of an idle character.
    fn add_standing(&mut self, source: &Source, recording: &Recording, course: &Course, place: Place) {
        let (motion, toes) = (&recording.motion, &source.subject.contact_joints);
        let mut idle_frames = 0;
        for (frame, stick) in course.rows.iter().enumerate() {
            idle_frames = if stick.movement == glam::Vec2::ZERO { idle_frames + 1 } else { 0 };
            for (slot, toe) in toes.iter().enumerate() {
                let moment = || place.moment(motion, frame, *toe);
                let Some(speed) = skate::toe_speed_cm_s(motion, frame, *toe) else { continue };
                if recording.locked_s[frame * toes.len() + slot] > HELD_S {
                    self.push(Quantity::HeldLock, speed, moment);
                }
                if idle_frames > IDLE_FRAMES {
                    self.push(Quantity::IdleToe, speed, moment);
                }
            }
        }
    }

    fn add_responses(&mut self, source: &Source, motion: &Motion, course: &Course, speeds: &StickSpeeds, place: Place) {
        let hips: Vec<Vec3> =
            (0..motion.frames()).map(|f| motion.position(Space::World, f, source.subject.hips)).collect();
        let velocities = response::smoothed(&response::ground_velocities(&hips));
        let directions: Vec<Vec3> = motion.hips_facings.iter().map(|f| f.direction()).collect();
        let directions = response::smoothed(&directions).into_iter();
        let facings: Vec<Facing> = directions.map(|d| Facing::from_direction(d).unwrap_or_default()).collect();
        for (row, quantity, time_s) in response_times(course, speeds, &velocities, &facings) {
            self.push(quantity, time_s, || place.moment(motion, row, source.subject.hips));
        }
    }

    fn push(&mut self, quantity: Quantity, value: f32, moment: impl FnOnce() -> Occurrence) {
        self.samples[quantity as usize].push(value, moment);
    }
}

impl Place {
    fn moment(self, motion: &Motion, frame: usize, joint: JointIndex) -> Occurrence {
        let playing = motion.playing[frame];
        let Self { course, run } = self;
        Occurrence { course, run, frame, joint, clip: playing.clip, clip_frame: playing.frame }
    }
}

/// Returns the transitions in a frame of a recording, per second.
fn transitions_per_s(recording: &Recording, frame: usize) -> f32 {
    recording.seams.iter().filter(|seam| seam.frame == frame).count() as f32 * RATE_HZ
}

#[cfg(test)]
mod tests;
