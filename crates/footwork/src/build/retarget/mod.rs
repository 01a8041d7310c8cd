//! Retargeting of clips with planted feet: [`crate::retarget::RetargetMap`] is applied frame by frame, IK keeps the
//! contacts, and the remaining errors are measured.

mod feet;
mod measure;
mod report;

pub use report::RetargetReport;

use super::config::{ContactConfig, RootMotionConfig};
use super::contacts;
use super::root_motion::{loop_delta, smooth};
use super::track::Track;
use crate::clip::{Annotations, ContactTrack, RawClip};
use crate::frames::JointIndex;
use crate::math::Transform;
use crate::pose::Pose;
use crate::retarget::reference::toe;
use crate::retarget::{Reference, RetargetError, RetargetMap};
use crate::roles::{JointRoles, Side};
use crate::settings;

settings! {
    /// Settings for retargeting clips.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RetargetOptions {
        /// Whether planted feet stand still: their joint keeps its position as long as the source's touches. Without it, feet
        /// follow from the directions of the joints alone.
        plant_feet: bool = true;
        /// Time in which a foot reaches its planted position and leaves it. Higher values are smoother.
        ease_s: f32 = 0.2, in 0.0 to 10.0, unit "s";
        /// Contacts of the source's feet, in clips without contacts.
        contacts: ContactConfig;
        /// Root motion for a target with a root bone and a source without one.
        root: RootMotionConfig;
    }
}

impl Reference {
    /// Returns the roles and the reference of a body. Roles come from `given`, from names and from the middle of the first
    /// clip; the reference comes from the rest pose, or from some thousand frames of the clips.
    ///
    /// # Errors
    /// Returns an error for missing or non-existent roles, and for a body without a standing pose.
    pub fn of_clips(
        clips: &[RawClip],
        given: &std::collections::BTreeMap<String, String>,
    ) -> Result<Self, super::BuildError> {
        const FRAMES: usize = 3000;
        let first = clips.first().ok_or(super::BuildError::NoClips)?;
        super::usable::check(clips)?;
        let pose = |clip: &RawClip, f: usize| {
            let n = clip.skeleton.len();
            Pose {
                translations: clip.translations[f * n..][..n].to_vec(),
                rotations: clip.rotations[f * n..][..n].to_vec(),
            }
        };
        let roles = JointRoles::of_clips(&clips.iter().collect::<Vec<_>>(), given)?;
        // Pairs of neighbouring frames show the speed of the body.
        let all: usize = clips.iter().map(RawClip::frames).sum();
        let every = all.div_ceil(FRAMES / 2).max(2);
        let mut poses = Vec::new();
        for clip in clips {
            for f in (0..clip.frames()).filter(|f| f % every < 2) {
                poses.push(pose(clip, f));
            }
        }
        Ok(Self::find(&first.skeleton, &roles, &poses)?)
    }
}

impl RetargetMap {
    /// Returns a clip on the target's skeleton, and a report.
    ///
    /// # Errors
    /// Returns an error if the clip is invalid or has another skeleton than the source of this map.
    pub fn retarget_clip(
        &self,
        clip: &RawClip,
        options: &RetargetOptions,
    ) -> Result<(RawClip, RetargetReport), RetargetError> {
        clip.validate()?;
        if let Some(difference) = self.source.skeleton.difference(&clip.skeleton) {
            return Err(RetargetError::Skeleton { clip: clip.name.clone(), difference });
        }
        let source = frames_of(clip);
        let contacts = contacts_of(clip, self, &options.contacts);
        let mut poses: Vec<Pose> = source
            .iter()
            .map(|pose| {
                let mut target = Pose::rest(&self.target.skeleton);
                self.apply(pose, &mut target);
                target
            })
            .collect();
        let roots = |of: &Reference| of.roles.get("hips").is_some_and(|h| h.at() > 0);
        if roots(&self.target) && !roots(&self.source) {
            smooth_root(&mut poses, self, clip, options);
        }
        let stage = feet::Stage { map: self, source: &source, contacts: &contacts, rate_hz: clip.rate_hz };
        let unplanted = poses.clone();
        if options.plant_feet {
            stage.plant(&mut poses, options.ease_s);
        }
        let mut report = measure::report(&stage, &unplanted, &poses);
        report.clip.clone_from(&clip.name);
        Ok((to_clip(clip, self, &poses, &contacts), report))
    }

    /// Returns clips on the target's skeleton and reports, computed on all available threads. `on_done` is called once per
    /// clip, from any thread.
    ///
    /// # Errors
    /// Returns the error of [`Self::retarget_clip`] for the first clip that has one.
    pub fn retarget_clips(
        &self,
        clips: &[RawClip],
        options: &RetargetOptions,
        on_done: Option<&(dyn Fn() + Sync)>,
    ) -> Result<Vec<(RawClip, RetargetReport)>, RetargetError> {
        let done = crate::parallel::map(clips, |clip| {
            let done = self.retarget_clip(clip, options);
            if let Some(tell) = on_done {
                tell();
            }
            done
        });
        done.into_iter().collect()
    }
}

fn frames_of(clip: &RawClip) -> Vec<Pose> {
    let n = clip.skeleton.len();
    let frames = clip.translations.chunks_exact(n).zip(clip.rotations.chunks_exact(n));
    frames.map(|(t, r)| Pose { translations: t.to_vec(), rotations: r.to_vec() }).collect()
}

/// Returns the contacts of each foot, `[frames]`.
fn contacts_of(clip: &RawClip, map: &RetargetMap, config: &ContactConfig) -> [Vec<bool>; 2] {
    let track = Track::resample(clip.clone(), None, clip.rate_hz);
    Side::BOTH.map(|side| match toe(&map.source, side) {
        Some(toe) => {
            let labels = contacts::label(&track, &clip.skeleton, &[JointIndex::new(toe)], config);
            labels.into_iter().map(|l| l == 1).collect()
        }
        None => vec![false; clip.frames()],
    })
}

/// Smooths the path of the root under the hips. The hips keep their world transforms.
fn smooth_root(poses: &mut [Pose], map: &RetargetMap, clip: &RawClip, options: &RetargetOptions) {
    let skeleton = &map.target.skeleton;
    let under: Vec<JointIndex> = skeleton.children(JointIndex(0)).collect();
    let raw: Vec<Transform> = poses.iter().map(Pose::world_from_root).collect();
    let round = clip.looping.then(|| raw[0] * loop_delta(&raw) * raw[0].inverse());
    for (pose, root) in poses.iter_mut().zip(smooth(&raw, clip.rate_hz, round, &options.root)) {
        let carry = root.inverse() * pose.world_from_root();
        for child in &under {
            let local = carry * pose.local(*child);
            (pose.translations[child.at()], pose.rotations[child.at()]) = (local.translation, local.rotation);
        }
        pose.set_world_from_root(root);
    }
}

fn to_clip(clip: &RawClip, map: &RetargetMap, poses: &[Pose], contacts: &[Vec<bool>; 2]) -> RawClip {
    let skeleton = &map.target.skeleton;
    let tracks = Side::BOTH.iter().filter_map(|side| {
        let joint = skeleton.names()[toe(&map.target, *side)?].clone();
        Some(ContactTrack { joint, on: contacts[*side as usize].clone() })
    });
    RawClip {
        name: clip.name.clone(),
        source: clip.source.clone(),
        skeleton: skeleton.clone(),
        rate_hz: clip.rate_hz,
        looping: clip.looping,
        translations: poses.iter().flat_map(|p| p.translations.iter().copied()).collect(),
        rotations: poses.iter().flat_map(|p| p.rotations.iter().copied()).collect(),
        annotations: Annotations { contacts: tracks.collect(), ..clip.annotations.clone() },
    }
}
