//! The quantities that are sampled from motion.

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A sampled quantity. Its unit is that of the metric's function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Quantity {
            $($(#[$doc])* $name,)*
        }

        impl Quantity {
            /// Number of quantities.
            pub const COUNT: usize = [$(Self::$name),*].len();
        }
    };
}

quantities! {
    /// Toe speed in frames whose source frame is labelled as contact, cm/s.
    LabelSkate,
    /// Toe speed in frames in which the toe is low, cm/s.
    LowSkate,
    /// Toe speed weighted by height, cm/s.
    WeightedSkate,
    /// Toe speed of feet that have been locked for over 0.2 s, cm/s.
    HeldLock,
    /// Toe speed after 1.5 s without a command, cm/s.
    IdleToe,
    /// Displacement of a toe by foot locks and IK, cm.
    Correction,
    /// The same in the last frame before a foot is released, cm.
    UnlockJump,
    /// Depth of toes below the ground, cm.
    Penetration,
    /// Angle of the knee, degrees.
    KneeExtension,
    /// Jerk of a joint in root space, m/s3.
    JerkRoot,
    /// Jerk of a joint in world space, m/s3.
    JerkWorld,
    /// Jerk in root space within 0.2 s after a transition, m/s3.
    SeamJerkRoot,
    /// Jerk in world space within 0.2 s after a transition, m/s3.
    SeamJerkWorld,
    /// Change of velocity in root space per frame, m/s.
    VelocityChange,
    /// The same, divided by the joint's 99.9th percentile in the played frames of the source, counted as often as they were
    /// played.
    VelocityChangeOverPlayed,
    /// The same, divided by the joint's 99.9th percentile in all frames of the source, each counted once.
    VelocityChangeOverDatabase,
    /// The same, divided by the joint's maximum in the source.
    VelocityChangeOverMax,
    /// Change of velocity in world space per frame, divided by the joint's 99.9th percentile in all captured frames.
    WorldChangeOverDatabase,
    /// Jumps of a joint, per minute, one sample per frame: changes of velocity in world space of more than 4 m/s that are larger than
    /// the joint's maximum in the captured clips.
    Pops,
    /// Height of the hips below that of the captured frames of the same speed, cm; negative above it.
    HipsLow,
    /// Bend of the knee beyond that of the captured frames of the same speed and contact, degrees; negative for a straighter knee.
    KneeBent,
    /// Height of the hips on stairs below that on level ground, cm.
    StairsHipsLow,
    /// Bend of the straighter knee on stairs beyond that on level ground, degrees.
    StairsKneeBent,
    /// Height of toes in contact above stairs beyond that above level ground, cm; negative below the ground.
    StairsToeHigh,
    /// The negative of `StairsToeHigh`, cm.
    StairsToeLow,
    /// Height of the hips on a slope below that on level ground, cm.
    SlopeHipsLow,
    /// Bend of the straighter knee on a slope beyond that on level ground, degrees.
    SlopeKneeBent,
    /// Height of toes in contact above a slope beyond that above level ground, cm; negative below the ground.
    SlopeToeHigh,
    /// The negative of `SlopeToeHigh`, cm.
    SlopeToeLow,
    /// Distance between the shins, cm, negative: a larger value is a smaller distance.
    ShinsNear,
    /// Turn rate of feet in contact about the vertical axis, degrees per second.
    PlantedTwist,
    /// Change of the root's turn per frame at transitions, degrees.
    AddedYawStep,
    /// Distance between the root and the simulated character, metres.
    PathError,
    /// Angle between the root and the simulated character, degrees.
    HeadingError,
    /// Distance between the poses before and after a transition, cm.
    PoseJump,
    /// Difference between the velocities before and after a transition, cm/s.
    VelocityJump,
    /// Transitions per second, one sample per frame.
    Transitions,
    /// Transitions per second, from 2 s to 12 s after a constant command straight ahead or aside; one sample per frame.
    SteadyStraight,
    /// The same for a stick that turns at a constant rate.
    SteadyCircle,
    /// `SteadyStraight` and `SteadyCircle` together.
    Steady,
    /// Speed of the root beyond or below that of the simulated character, on course k, m/s.
    GentleSpeed,
    /// `PathError` on course k.
    GentlePath,
    /// `HeadingError` on course k.
    GentleHeading,
    /// `LabelSkate` on course k.
    GentleSkate,
    /// `Transitions` on course k.
    GentleTransitions,
    /// Frames from one transition to the next.
    FramesBetween,
    /// Response time of the hips' velocity to turns of 90 degrees, s.
    Turn90Velocity,
    /// Response time of the hips' heading to turns of 90 degrees, s.
    Turn90Heading,
    /// Response time of the hips' velocity to turns of 180 degrees, s.
    Turn180Velocity,
    /// Response time of the hips' heading to turns of 180 degrees, s.
    Turn180Heading,
    /// Response time of the hips' velocity to starts, s.
    Start,
    /// Response time of the hips' velocity to stops, s.
    Stop,
    /// Response time of the hips' velocity to starts at random times, s.
    RandomStart,
    /// Response time of the hips' velocity to stops at random times, s.
    RandomStop,
    /// `RandomStart` and `RandomStop` together, s.
    RandomCommand,
}
