//! Implausible contacts: a travelling body with hardly any contact, with feet that never lift, or with a limp.

use crate::build::report::ClipReport;
use crate::math::GRAVITY_MPS2;
use std::fmt::Write;

/// Minimum speed of a travelling body, in units of the speed of a pendulum as long as its leg: 0.45 m/s for a person.
const TRAVELS: f32 = 0.15;
/// Plausible stance shares: feet have more than the minimum even in the fastest sprints and gallops, and less
/// than the maximum even in the slowest walks.
const STANCE: std::ops::RangeInclusive<f32> = 0.1..=0.95;
/// Maximum difference between the stance shares of left and right in a loop.
const LIMP: f32 = 0.2;
/// Maximum number of clips in the warning.
const NAMED: usize = 6;

/// Returns a warning about the clips with implausible contacts.
pub fn warning(clips: &[ClipReport], leg_m: f32) -> Option<String> {
    let doubtful: Vec<(&ClipReport, &str)> = clips.iter().filter_map(|c| doubt(c, leg_m).map(|why| (c, why))).collect();
    let mut told = match doubtful.len() {
        0 => return None,
        1 => "the contacts of a clip are doubtful:".to_owned(),
        n => format!("the contacts of {n} clips are doubtful:"),
    };
    for (clip, why) in doubtful.iter().take(NAMED) {
        let shares: Vec<String> = clip.stance_share.iter().map(|s| format!("{:.0} %", 100.0 * s)).collect();
        let (name, speed) = (&clip.name, clip.mean_speed_mps);
        let _ = write!(told, " `{name}` {why} ({speed:.2} m/s; feet carry {} of the time),", shares.join(", "));
    }
    if doubtful.len() > NAMED {
        let _ = write!(told, " and {} more,", doubtful.len() - NAMED);
    }
    told.pop();
    told.push_str("; look at them with `footwork film`, and at `contacts` of the configuration");
    Some(told)
}

fn doubt(clip: &ClipReport, leg_m: f32) -> Option<&'static str> {
    if clip.stance_share.is_empty() || clip.mean_speed_mps < TRAVELS * (GRAVITY_MPS2 * leg_m).sqrt() {
        return None;
    }
    let limps = clip.stance_share.chunks_exact(2).any(|pair| (pair[0] - pair[1]).abs() > LIMP);
    match () {
        () if clip.stance_share.iter().any(|s| s < STANCE.start()) => Some("hardly stands"),
        () if clip.stance_share.iter().all(|s| s > STANCE.end()) => Some("slides"),
        () if clip.looping && limps => Some("limps"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(name: &str, speed: f32, looping: bool, stance: [f32; 2]) -> ClipReport {
        ClipReport {
            name: name.into(),
            frames: 60,
            rows: 30,
            extrapolated_rows: 0,
            seconds: 1.0,
            looping,
            mean_speed_mps: speed,
            contact_share: stance.to_vec(),
            stance_share: stance.to_vec(),
            taken_for: String::new(),
            taken_because: String::new(),
        }
    }

    #[test]
    fn a_gait_without_stance_or_with_a_limp_is_named_and_nothing_else() {
        let clips = [
            clip("walk", 1.2, true, [0.6, 0.62]),
            clip("idle", 0.0, true, [1.0, 1.0]),
            clip("kick", 0.1, false, [0.02, 1.0]),
            clip("step", 0.6, false, [0.4, 0.9]),
            clip("flies", 4.0, true, [0.02, 0.3]),
            clip("skates", 4.0, false, [1.0, 0.97]),
            clip("limps", 1.0, true, [0.4, 0.7]),
        ];
        assert_eq!(warning(&clips[..4], 0.9), None);
        let told = warning(&clips, 0.9).unwrap();
        let expected = "3 clips are doubtful: `flies` hardly stands (4.00 m/s; feet carry 2 %, 30 % of the time), `skates` \
                        slides (4.00 m/s; feet carry 100 %, 97 % of the time), `limps` limps";
        assert!(told.contains(expected), "{told}");
    }
}
