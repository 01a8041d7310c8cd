//! Joints, channels and joint pairs of a configuration that are named by roles.

use super::config::BuildConfig;
use super::error::BuildError;
use crate::frames::JointIndex;
use crate::roles::JointRoles;
use crate::schema::{ChannelSpec, Preset, PropSpec};
use crate::skeleton::Skeleton;

impl BuildConfig {
    /// Returns the contact joints in a fixed order: those of the configuration, else all four paws, toes, or feet by their
    /// roles. Empty without these roles. A paw with a toe below it touches the ground with the toe.
    ///
    /// # Errors
    /// Returns an error if a joint of the configuration does not exist.
    pub fn contact_joints(&self, skeleton: &Skeleton, roles: &JointRoles) -> Result<Vec<JointIndex>, BuildError> {
        let mut joints = Vec::new();
        for name in &self.contacts.joints {
            joints.push(skeleton.require(&roles.name_of(skeleton, name))?);
        }
        if joints.is_empty() {
            let groups = [
                &["left_toe", "right_toe"][..],
                &["left_foot", "right_foot"],
                &["left_fore_foot", "right_fore_foot", "left_hind_foot", "right_hind_foot"],
            ];
            let complete = |g: &&[&str]| g.iter().all(|r| roles.get(r).is_some());
            let quadruped = groups[2..].iter().copied().find(complete);
            let group = quadruped.or_else(|| groups.iter().copied().find(complete));
            let below = |paw: JointIndex| {
                let mut toes = ["left_toe", "right_toe"].into_iter().filter_map(|r| roles.get(r));
                toes.find(|toe| skeleton.parents()[toe.at()] == Some(paw)).unwrap_or(paw)
            };
            joints.extend(group.unwrap_or_default().iter().filter_map(|r| roles.get(r)).map(below));
        }
        Ok(joints)
    }
}

/// Returns channels and props with roles replaced by joint names.
pub fn channels(skeleton: &Skeleton, roles: &JointRoles, config: &BuildConfig) -> (Vec<ChannelSpec>, Vec<PropSpec>) {
    let mut props = config.schema.props.clone();
    for p in &mut props {
        p.joint = roles.name_of(skeleton, &p.joint);
    }
    let mut schema = config.schema.clone();
    if roles.is_quadruped() && schema.channels.is_empty() {
        schema.preset = schema.preset.or(Some(Preset::Quadruped));
    }
    let mut specs = schema.all_channels();
    for s in &mut specs {
        let is_prop = s.joint.as_ref().is_some_and(|j| props.iter().any(|p| p.name == *j));
        if !is_prop {
            s.joint = s.joint.take().map(|j| roles.name_of(skeleton, &j));
        }
        s.relative_to = s.relative_to.take().map(|j| roles.name_of(skeleton, &j));
    }
    (specs, props)
}

/// Returns the joint pairs of the configuration with roles replaced by joint names.
pub fn mirror_pairs(skeleton: &Skeleton, roles: &JointRoles, config: &BuildConfig) -> Vec<[String; 2]> {
    let side = |name: &String| roles.name_of(skeleton, name);
    config.mirror_pairs.iter().map(|pair| pair.each_ref().map(side)).collect()
}
