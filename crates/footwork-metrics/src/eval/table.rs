//! The table of all metrics.

use crate::measure::Quantity;
use crate::samples::Statistic;

/// A metric: the sampled quantity, and the statistic of its samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Key in JSON and in thresholds; it contains the unit.
    pub key: &'static str,
    /// Sampled quantity.
    pub quantity: Quantity,
    /// Statistic of the samples.
    pub statistic: Statistic,
    /// True: measured with foot locks and IK. False: measured without them.
    pub feet: bool,
    /// Samples that the statistic covers.
    pub pooling: Pooling,
    /// True if the metric applies to captured motion, too.
    pub captured: bool,
}

/// Combination of the samples of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// One value per run, then mean and standard deviation: for quantities with many samples per run.
    PerRun,
    /// One value over the samples of all runs: for commands, of which each run has few.
    AllRuns,
}

/// Rows of captured motion: the whole database, and the frames of it that were played.
pub const CAPTURED_ROWS: [&str; 2] = ["mocap", "mocap_played"];

/// Mean of the medians of all six responses. It is computed from other metrics, not from samples.
pub const T90_MEAN: &str = "t90_mean_s";

/// Share of the source's frames that course f played at least once. It is not computed from samples.
pub const COVERAGE: &str = "coverage_pct";

/// The courses that are used for one kind of metric alone: for response times, for steady commands, for uneven ground, and for gentle
/// sticks. All other metrics come from courses a to f.
pub const ONE_KIND: [&str; 5] = ["g", "h", "i", "j", "k"];

/// Returns the keys of all metrics, in the order of the report.
pub fn keys() -> impl Iterator<Item = &'static str> {
    METRICS.iter().map(|m| m.key).chain([T90_MEAN, COVERAGE])
}

/// All metrics but [`T90_MEAN`] and [`COVERAGE`].
pub const METRICS: &[Metric] = {
    use Quantity as Q;
    use Statistic::{Max, Mean, PctOver, Percentile};
    const MEDIAN: Statistic = Percentile(50.0);
    const P90: Statistic = Percentile(90.0);
    const P95: Statistic = Percentile(95.0);
    const P99: Statistic = Percentile(99.0);
    const P999: Statistic = Percentile(99.9);
    &[
        captured("label_skate_cm_s", Q::LabelSkate, Mean),
        captured("label_skate_median_cm_s", Q::LabelSkate, MEDIAN),
        captured("skating_pct", Q::LabelSkate, PctOver(15.0)),
        feet_off("label_skate_ik_off_cm_s", Q::LabelSkate, Mean),
        feet_off("label_skate_ik_off_median_cm_s", Q::LabelSkate, MEDIAN),
        feet_off("skating_ik_off_pct", Q::LabelSkate, PctOver(15.0)),
        captured("low_toe_skate_cm_s", Q::LowSkate, Mean),
        captured("low_toe_skate_median_cm_s", Q::LowSkate, MEDIAN),
        captured("low_toe_skating_pct", Q::LowSkate, PctOver(15.0)),
        captured("height_weighted_skate_cm_s", Q::WeightedSkate, Mean),
        played("held_lock_cm_s", Q::HeldLock, Mean),
        played("idle_toe_cm_s", Q::IdleToe, Mean),
        feet_off("idle_toe_ik_off_cm_s", Q::IdleToe, Mean),
        played("ik_correction_p99_cm", Q::Correction, P99),
        played("unlock_jump_p99_cm", Q::UnlockJump, P99),
        captured("penetration_p99_cm", Q::Penetration, P99),
        captured("knee_extension_p99_deg", Q::KneeExtension, P99),
        captured("jerk_root", Q::JerkRoot, Mean),
        feet_off("jerk_root_ik_off", Q::JerkRoot, Mean),
        captured("jerk_world", Q::JerkWorld, Mean),
        feet_off("jerk_world_ik_off", Q::JerkWorld, Mean),
        captured("transition_jerk_p99_root", Q::SeamJerkRoot, P99),
        feet_off("transition_jerk_p99_root_ik_off", Q::SeamJerkRoot, P99),
        captured("transition_jerk_p99_world", Q::SeamJerkWorld, P99),
        feet_off("transition_jerk_p99_world_ik_off", Q::SeamJerkWorld, P99),
        captured("dv_p999", Q::VelocityChange, P999),
        feet_off("dv_p999_ik_off", Q::VelocityChange, P999),
        captured("dv_max", Q::VelocityChange, Max),
        captured("dv_over_source_pct", Q::VelocityChangeOverPlayed, PctOver(1.0)),
        captured("dv_over_database_pct", Q::VelocityChangeOverDatabase, PctOver(1.0)),
        captured("dv_max_over_source", Q::VelocityChangeOverMax, Max),
        captured("pops_per_min", Q::Pops, Mean),
        feet_off("pops_ik_off_per_min", Q::Pops, Mean),
        captured("pop_worst_ratio", Q::WorldChangeOverDatabase, Max),
        played("hips_low_median_cm", Q::HipsLow, MEDIAN),
        played("hips_low_p95_cm", Q::HipsLow, P95),
        played("knee_bent_median_deg", Q::KneeBent, MEDIAN),
        played("knee_bent_p95_deg", Q::KneeBent, P95),
        played("stairs_hips_low_median_cm", Q::StairsHipsLow, MEDIAN),
        played("stairs_hips_low_p95_cm", Q::StairsHipsLow, P95),
        played("stairs_knee_bent_median_deg", Q::StairsKneeBent, MEDIAN),
        played("stairs_toe_high_p95_cm", Q::StairsToeHigh, P95),
        played("stairs_toe_low_p95_cm", Q::StairsToeLow, P95),
        played("slope_hips_low_median_cm", Q::SlopeHipsLow, MEDIAN),
        played("slope_hips_low_p95_cm", Q::SlopeHipsLow, P95),
        played("slope_knee_bent_median_deg", Q::SlopeKneeBent, MEDIAN),
        played("slope_toe_high_p95_cm", Q::SlopeToeHigh, P95),
        played("slope_toe_low_p95_cm", Q::SlopeToeLow, P95),
        captured("shin_gap_lt_8cm_pct", Q::ShinsNear, PctOver(-8.0)),
        feet_off("shin_gap_lt_8cm_ik_off_pct", Q::ShinsNear, PctOver(-8.0)),
        captured("planted_twist_degps", Q::PlantedTwist, Mean),
        feet_off("planted_twist_ik_off_degps", Q::PlantedTwist, Mean),
        played("root_yaw_step_deg", Q::AddedYawStep, Mean),
        played("root_yaw_step_p95_deg", Q::AddedYawStep, P95),
        played("path_error_m", Q::PathError, Mean),
        played("path_error_max_m", Q::PathError, Max),
        played("heading_error_deg", Q::HeadingError, Mean),
        played("heading_error_p95_deg", Q::HeadingError, P95),
        played("pose_jump_cm", Q::PoseJump, Mean),
        played("pose_jump_p95_cm", Q::PoseJump, P95),
        played("pose_jump_max_cm", Q::PoseJump, Max),
        played("velocity_jump_cm_s", Q::VelocityJump, Mean),
        played("velocity_jump_p95_cm_s", Q::VelocityJump, P95),
        played("transitions_per_s", Q::Transitions, Mean),
        played("steady_transitions_per_s", Q::Steady, Mean),
        played("steady_straight_transitions_per_s", Q::SteadyStraight, Mean),
        played("steady_circle_transitions_per_s", Q::SteadyCircle, Mean),
        played("gentle_speed_error_mps", Q::GentleSpeed, Mean),
        played("gentle_path_error_m", Q::GentlePath, Mean),
        played("gentle_heading_error_deg", Q::GentleHeading, Mean),
        played("gentle_label_skate_cm_s", Q::GentleSkate, Mean),
        played("gentle_transitions_per_s", Q::GentleTransitions, Mean),
        played("frames_between_median", Q::FramesBetween, MEDIAN),
        command("t90_90_vel_s", Q::Turn90Velocity, MEDIAN),
        command("t90_90_head_s", Q::Turn90Heading, MEDIAN),
        command("t90_180_vel_s", Q::Turn180Velocity, MEDIAN),
        command("t90_180_head_s", Q::Turn180Heading, MEDIAN),
        command("t90_start_s", Q::Start, MEDIAN),
        command("t90_stop_s", Q::Stop, MEDIAN),
        command("t90_90_vel_p90_s", Q::Turn90Velocity, P90),
        command("t90_90_head_p90_s", Q::Turn90Heading, P90),
        command("t90_180_vel_p90_s", Q::Turn180Velocity, P90),
        command("t90_180_head_p90_s", Q::Turn180Heading, P90),
        command("t90_start_p90_s", Q::Start, P90),
        command("t90_stop_p90_s", Q::Stop, P90),
        command("t90_g_start_s", Q::RandomStart, Mean),
        command("t90_g_stop_s", Q::RandomStop, Mean),
        command("t90_g_s", Q::RandomCommand, Mean),
    ]
};

const fn played(key: &'static str, quantity: Quantity, statistic: Statistic) -> Metric {
    Metric { key, quantity, statistic, feet: true, pooling: Pooling::PerRun, captured: false }
}

const fn captured(key: &'static str, quantity: Quantity, statistic: Statistic) -> Metric {
    Metric { captured: true, ..played(key, quantity, statistic) }
}

const fn feet_off(key: &'static str, quantity: Quantity, statistic: Statistic) -> Metric {
    Metric { feet: false, ..played(key, quantity, statistic) }
}

const fn command(key: &'static str, quantity: Quantity, statistic: Statistic) -> Metric {
    Metric { pooling: Pooling::AllRuns, ..played(key, quantity, statistic) }
}
