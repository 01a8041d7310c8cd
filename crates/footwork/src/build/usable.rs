//! Clips that a build can use: checks of the clips as given, and the exclusion of clips that are too short.

use super::clip_report::Skipped;
use super::report::BuildReport;
use super::track::Track;
use super::{BuildConfig, BuildError};
use crate::clip::RawClip;
use crate::parallel;
use crate::settings;

/// Checks every clip by itself, and that names differ and all clips have one skeleton.
pub fn check(clips: &[RawClip]) -> Result<(), BuildError> {
    let first = clips.first().ok_or(BuildError::NoClips)?;
    let valid = parallel::map(clips, RawClip::validate);
    for ((i, clip), valid) in clips.iter().enumerate().zip(valid) {
        valid?;
        if let Some(other) = clips[..i].iter().find(|c| c.name == clip.name) {
            let (a, b) = (other.source.clone(), clip.source.clone());
            return Err(BuildError::RepeatedClip { name: clip.name.clone(), a, b });
        }
        if let Some(difference) = first.skeleton.difference(&clip.skeleton) {
            return Err(BuildError::Skeletons { clip: clip.name.clone(), first: first.name.clone(), difference });
        }
    }
    Ok(())
}

/// Returns the rates of poses and of rows, in hertz, and checks the configuration.
pub fn rates(clips: &[RawClip], config: &BuildConfig) -> Result<(f32, f32), BuildError> {
    let fastest = clips.iter().map(|c| c.rate_hz).fold(0.0, f32::max);
    let pose = config.pose_rate_hz.unwrap_or(fastest.min(60.0));
    let search = config.search_rate_hz.min(pose);
    settings::check(&BuildConfig { pose_rate_hz: Some(pose), ..config.clone() })?;
    Ok((pose, search))
}

/// Removes and reports clips that are too short for transitions.
pub fn long_enough(tracks: Vec<Track>, report: &mut BuildReport) -> Result<Vec<Track>, BuildError> {
    let mut usable = Vec::with_capacity(tracks.len());
    for track in tracks {
        match track.too_short() {
            Some(reason) => {
                report.warnings.push(format!("clip `{}` left out: it {reason}", track.name));
                report.skipped.push(Skipped { name: track.name, reason });
            }
            None => usable.push(track),
        }
    }
    if usable.is_empty() {
        let reasons = report.skipped.iter().map(|s| format!("`{}` {}", s.name, s.reason)).collect();
        return Err(BuildError::NoUsableClip { reasons });
    }
    Ok(usable)
}
