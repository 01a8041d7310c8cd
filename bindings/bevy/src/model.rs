//! The game's own model: detection of its joints, its size, and the conversion of poses from the clips to it.
//!
//! It is read once, when its skin appears: from the rest pose of its nodes, else from the bind pose of its skin, else from a
//! second of its animation. Nothing has to be named: roles come from names, hierarchy and pose
//! ([`footwork::roles`]). A model with the skeleton of the clips takes poses as they are; any other is retargeted
//! ([`footwork::retarget`]).

use crate::components::{MotionCharacter, MotionKind};
use crate::convert::{into_quat, into_vec};
use crate::unknown_body::{UnknownBody, places, with_travel};
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::{Affine3A, Mat4};
use bevy_mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy_reflect::prelude::*;
use bevy_transform::components::Transform;
use footwork::database::Database;
use footwork::frames::JointIndex;
use footwork::matcher::Character;
use footwork::math;
use footwork::pose::{Pose, PoseVelocity};
use footwork::retarget::{PlantedFoot, Reference, RetargetError, RetargetMap};
use footwork::roles::{JointRoles, RoleError};
use footwork::skeleton::{Skeleton, SkeletonError};
use std::collections::BTreeMap;
use tracing::{error, info, warn};

/// Roles of a model's joints (`left_foot`, `hips`, ...), for joints that are not recognised: role to joint name.
/// Insert it before the model appears.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionRoles(pub BTreeMap<String, String>);

/// Model of a character, and its pose. Inserted once the model appears.
#[derive(Component, Debug)]
pub struct MotionModel {
    /// Joints of the model. Joint 0 is the character's entity. In metres of the world, without the model's scale.
    pub skeleton: Skeleton,
    /// `[joints]` entities.
    pub entities: Vec<Entity>,
    /// Pose of this frame: local transforms, in metres; joint 0 in world space. Systems in [`crate::MotionSystems::Adjust`] may
    /// change it.
    pub pose: Pose,
    /// Pose of the previous step, for interpolation of fixed steps.
    pub(crate) previous: Pose,
    /// True once a step has been shown.
    pub(crate) shown: bool,
    /// Roles in the clips' skeleton if the model has the same skeleton, otherwise in the model's own.
    roles: JointRoles,
    pub(crate) fit: Fit,
    pub(crate) feet: [PlantedFoot; 2],
    /// Left and right: index of the foot among the contacts of an output.
    pub(crate) contacts: [Option<usize>; 2],
    /// Last poses of a paused model.
    pub(crate) watched: Watched,
}

/// Conversion of poses between the clips' skeleton and the model.
#[derive(Debug)]
pub(crate) enum Fit {
    /// `[joints of the clips]` the model's joint of the same name and rest pose.
    Same(Vec<usize>),
    /// Maps to the model and back.
    Retargeted(Box<[RetargetMap; 2]>),
}

/// Poses of a paused model, converted to the clips' skeleton.
#[derive(Debug)]
pub(crate) struct Watched {
    pub model: Pose,
    pub before: Pose,
    pub now: Pose,
    pub velocity: PoseVelocity,
    pub frames: u32,
}

/// Joint of a model that the plugin writes.
#[derive(Component, Clone, Copy, Debug)]
pub struct MotionJoint {
    /// Entity of the character.
    pub character: Entity,
    /// Index in [`MotionModel::skeleton`].
    pub joint: usize,
    /// Weight of the pose, 0 to 1; the rest remains as Bevy's animation wrote it. See [`crate::MotionMask`].
    pub weight: f32,
    /// Units of the parent's space per metre.
    pub(crate) per_metre: f32,
    /// Transform from the character's entity to the joint's parent, for joints without a driven joint above them. Their position
    /// is relative to the motion's root, which may differ from the entity.
    pub(crate) top: Option<math::Transform>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    #[error(transparent)]
    Roles(#[from] RoleError),
    #[error(transparent)]
    Retarget(#[from] RetargetError),
}

/// Queries for the entities of models.
#[derive(SystemParam)]
pub(crate) struct Nodes<'w, 's> {
    nodes: Query<
        'w,
        's,
        (&'static Transform, Option<&'static Name>, Option<&'static Children>, Option<&'static SkinnedMesh>),
    >,
    parents: Query<'w, 's, &'static ChildOf>,
    bindposes: Option<Res<'w, Assets<SkinnedMeshInverseBindposes>>>,
}

/// Node that may become a joint.
pub(crate) struct Node {
    entity: Entity,
    parent: usize,
    name: String,
    /// Transform from the node to the model, including all scales.
    model: Affine3A,
    /// Same, in the bind pose of the skin, for joints of a skin.
    bound: Option<Affine3A>,
}

impl Nodes<'_, '_> {
    /// Returns the character above an entity.
    fn character_of(&self, entity: Entity, characters: &Query<&MotionCharacter>) -> Option<Entity> {
        self.parents.iter_ancestors(entity).find(|e| characters.contains(*e))
    }

    /// Returns the joints of all skins below an entity, and the nodes above them; parents first, starting with the entity itself.
    pub fn read(&self, character: Entity) -> Option<Vec<Node>> {
        let below: Vec<Entity> = self.below(character);
        let mut skins: BTreeMap<Entity, Option<Mat4>> = BTreeMap::new();
        for skin in below.iter().filter_map(|e| self.nodes.get(*e).ok()?.3) {
            let poses = self.bindposes.as_ref().and_then(|all| all.get(&skin.inverse_bindposes));
            for (i, joint) in skin.joints.iter().enumerate() {
                skins.insert(*joint, poses.and_then(|p| p.get(i)).map(Mat4::inverse));
            }
        }
        // A node with a joint below it belongs to the skeleton.
        let mut kept = std::collections::BTreeSet::new();
        for joint in skins.keys() {
            kept.insert(*joint);
            kept.extend(self.parents.iter_ancestors(*joint).take_while(|e| *e != character));
        }
        if kept.is_empty() {
            return None;
        }
        let scale = self.nodes.get(character).map_or(bevy_math::Vec3::ONE, |n| n.0.scale);
        let top = Affine3A::from_scale(scale);
        let mut nodes = vec![Node { entity: character, parent: 0, name: "character".into(), model: top, bound: None }];
        let mut names = std::collections::BTreeSet::from(["character".to_owned()]);
        for entity in below.into_iter().filter(|e| kept.contains(e)) {
            let Ok((transform, name, ..)) = self.nodes.get(entity) else { continue };
            let Ok(parent) = self.parents.get(entity).map(ChildOf::parent) else { continue };
            let Some(parent) = nodes.iter().position(|n| n.entity == parent) else { continue };
            let mut name = name.map_or_else(|| format!("node {entity}"), |n| n.as_str().to_owned());
            while !names.insert(name.clone()) {
                name.push('\'');
            }
            let model = nodes[parent].model * transform.compute_affine();
            let bound = skins.get(&entity).copied().flatten().map(|m| top * Affine3A::from_mat4(m));
            nodes.push(Node { entity, parent, name, model, bound });
        }
        Some(nodes)
    }

    /// Returns all entities below one, parents first.
    fn below(&self, entity: Entity) -> Vec<Entity> {
        let mut all = vec![entity];
        let mut next = 0;
        while next < all.len() {
            if let Ok((_, _, Some(children), _)) = self.nodes.get(all[next]) {
                all.extend(children.iter());
            }
            next += 1;
        }
        all.remove(0);
        all
    }
}

/// Returns position and rotation of a node, in metres, and its mean scale.
fn rigid(model: Affine3A) -> (math::Transform, f32) {
    let (scale, rotation, translation) = model.to_scale_rotation_translation();
    let size = (scale.x.abs() * scale.y.abs() * scale.z.abs()).cbrt();
    (math::Transform::new(into_vec(translation), into_quat(rotation)), if size > 0.0 { size } else { 1.0 })
}

/// Fits models to characters when a skin appears below a character, or a character above a skin.
pub(crate) fn fit_models(
    mut commands: Commands,
    skins: Query<Entity, Added<SkinnedMesh>>,
    characters: Query<&MotionCharacter>,
    mut kinds: Query<(Entity, &mut MotionKind, Option<&MotionRoles>)>,
    unknown: Query<(), With<UnknownBody>>,
    nodes: Nodes,
) {
    let mut found: Vec<Entity> = skins.iter().filter_map(|s| nodes.character_of(s, &characters)).collect();
    found.extend(kinds.iter_mut().filter(|(_, kind, _)| kind.is_added()).map(|(e, ..)| e));
    found.sort_unstable();
    found.dedup();
    for entity in found {
        let Ok((_, mut kind, roles)) = kinds.get_mut(entity) else { continue };
        let Some(nodes) = nodes.read(entity) else { continue };
        let given = roles.map(|r| r.0.clone()).unwrap_or_default();
        match fit(&kind.character, &nodes, &given, &[]) {
            Ok(fitted) => show_on(&mut commands, entity, &mut kind, &nodes, fitted),
            Err(ModelError::Retarget(RetargetError::RestPose)) if unknown.contains(entity) => {}
            Err(ModelError::Retarget(RetargetError::RestPose)) => {
                warn!(
                    "{entity}: its model does not stand in its rest pose: it is shown once it has moved for a second; play an \
                     animation in which it stands or walks (feature `animation` plays the first one of its file)"
                );
                commands.entity(entity).insert(UnknownBody::default());
            }
            Err(e) => error!("{entity}: its model stays as it is: {e}"),
        }
    }
}

/// Shows a character on a model.
pub(crate) fn show_on(
    commands: &mut Commands,
    entity: Entity,
    kind: &mut MotionKind,
    nodes: &[Node],
    (model, scale): (MotionModel, f32),
) {
    info!("{entity}: a model of {} joints, {}", nodes.len() - 1, model.fit.in_words(scale));
    kind.scale = scale;
    attach(commands, entity, nodes, &model);
    commands.entity(entity).insert(model);
}

/// Marks the joints that the plugin writes.
fn attach(commands: &mut Commands, character: Entity, nodes: &[Node], model: &MotionModel) {
    let from_entity = |node: usize| rigid(nodes[0].model).0.inverse() * rigid(nodes[node].model).0;
    let mut below_driven = vec![false];
    for (joint, node) in nodes.iter().enumerate().skip(1) {
        let driven = match &model.fit {
            Fit::Same(joints) => joints[1..].contains(&joint),
            Fit::Retargeted(maps) => {
                let hips = model.roles.get("hips").map(JointIndex::at);
                hips == Some(joint) || maps[0].follows(JointIndex::new(joint))
            }
        };
        if driven {
            let per_metre = rigid(nodes[node.parent].model).1.recip();
            let top = (!below_driven[node.parent]).then(|| from_entity(node.parent));
            commands.entity(node.entity).insert(MotionJoint { character, joint, weight: 1.0, per_metre, top });
        }
        below_driven.push(driven || below_driven[node.parent]);
    }
}

impl MotionModel {
    /// Returns the joint with a role or a name.
    pub fn joint(&self, name: &str) -> Option<JointIndex> {
        let role = self.roles.get(name).map(|joint| match &self.fit {
            Fit::Same(joints) => JointIndex::new(joints[joint.at()]),
            Fit::Retargeted(_) => joint,
        });
        role.or_else(|| self.skeleton.find(name))
    }
}

/// The joints where their nodes are, or where the skin was bound.
pub(crate) fn skeleton_of(nodes: &[Node], bound: bool) -> Result<Skeleton, SkeletonError> {
    let places: Vec<math::Transform> =
        nodes.iter().map(|n| rigid(n.bound.filter(|_| bound).unwrap_or(n.model)).0).collect();
    let local = |j: usize| if j == 0 { places[0] } else { places[nodes[j].parent].inverse() * places[j] };
    let parents = nodes.iter().enumerate().map(|(j, n)| (j > 0).then(|| JointIndex::new(n.parent))).collect();
    let names = nodes.iter().map(|n| n.name.clone()).collect();
    Skeleton::new(names, parents, (0..nodes.len()).map(local).collect())
}

/// Fits a character to a model; returns the model and its size relative to the clips' body. `poses` are observed poses of the model; if
/// there are none, the rest pose or the bind pose must show how the body is built.
pub(crate) fn fit(
    character: &Character,
    nodes: &[Node],
    given: &BTreeMap<String, String>,
    poses: &[Pose],
) -> Result<(MotionModel, f32), ModelError> {
    let skeleton = skeleton_of(nodes, false)?;
    let source = character.skeleton();
    let (skeleton, roles, fit, scale) = match same(source, &skeleton) {
        Some(joints) => (skeleton, character.rig().roles.clone(), Fit::Same(joints), 1.0),
        None => {
            let (skeleton, target) = reference_of_model(nodes, skeleton, given, poses)?;
            let clips = reference(character)?;
            let there = RetargetMap::new(clips.clone(), target.clone())?;
            let (scale, roles) = (there.scale, target.roles.clone());
            (skeleton, roles, Fit::Retargeted(Box::new([there, RetargetMap::new(target, clips)?])), scale)
        }
    };
    let pose = Pose::rest(&skeleton);
    let body = || Pose::rest(source);
    let model = MotionModel {
        entities: nodes.iter().map(|n| n.entity).collect(),
        previous: pose.clone(),
        shown: false,
        watched: Watched {
            model: pose.clone(),
            before: body(),
            now: body(),
            velocity: PoseVelocity::zero(source.len()),
            frames: 0,
        },
        pose,
        roles,
        fit,
        feet: Default::default(),
        contacts: contacts(character),
        skeleton,
    };
    Ok((model, scale))
}

/// Returns the skeleton of a model, and the pose that shows how its body is built.
fn reference_of_model(
    nodes: &[Node],
    skeleton: Skeleton,
    given: &BTreeMap<String, String>,
    poses: &[Pose],
) -> Result<(Skeleton, Reference), ModelError> {
    if !poses.is_empty() {
        let roles = JointRoles::resolve_with_poses(&skeleton, given, &places(&skeleton, poses))?;
        let target = Reference::from_motion(&skeleton, &roles, &with_travel(&skeleton, &roles, poses))?;
        return Ok((skeleton, target));
    }
    let roles = JointRoles::resolve(&skeleton, given)?;
    match Reference::from_rest(&skeleton, &roles) {
        // An animation may have moved the nodes already; the skin keeps its bind pose.
        Err(RetargetError::RestPose) => {
            let bound = skeleton_of(nodes, true)?;
            let target = Reference::from_rest(&bound, &roles)?;
            Ok((bound, target))
        }
        other => Ok((skeleton, other?)),
    }
}

/// Returns the `[joints of the clips]` joints of the same names if all have the same rest pose, otherwise `None`.
fn same(clips: &Skeleton, model: &Skeleton) -> Option<Vec<usize>> {
    const SAME_M: f32 = 1e-4;
    let mut joints = vec![0];
    for j in 1..clips.len() {
        let at = model.find(&clips.names()[j])?.at();
        let parent = clips.parents()[j]?.at();
        // The parents must match. Below the root, nodes that do not move the joint are permitted.
        let hangs = model.parents()[at]?.at() == joints[parent]
            || parent == 0 && model.rest_model()[model.parents()[at]?.at()] == math::Transform::IDENTITY;
        let (a, b) = (clips.rest()[j], model.rest()[at]);
        let apart = (a.translation - b.translation).length();
        if !hangs || apart > SAME_M || a.rotation.angle_between(b.rotation) > 1e-3 {
            return None;
        }
        joints.push(at);
    }
    Some(joints)
}

/// Returns the clips' body: from its rest pose, otherwise from poses of the clips.
fn reference(character: &Character) -> Result<Reference, ModelError> {
    let (skeleton, roles) = (character.skeleton(), &character.rig().roles);
    let poses = character.database().map(|db| sampled(db)).unwrap_or_default();
    Ok(Reference::find(skeleton, roles, &poses)?)
}

/// Returns poses of all clips, in pairs of neighbouring frames.
fn sampled(db: &Database) -> Vec<Pose> {
    const PAIRS: usize = 500;
    let every = (db.frames() / PAIRS).max(2);
    let mut velocity = PoseVelocity::zero(db.skeleton.len());
    (0..db.frames().saturating_sub(1))
        .filter(|f| f % every < 2)
        .map(|f| {
            let mut pose = Pose::rest(&db.skeleton);
            db.sample_pose(footwork::frames::FrameIndex::new(f), 0.0, &mut pose, &mut velocity);
            pose
        })
        .collect()
}

/// Returns the contact indices of the left and right foot.
fn contacts(character: &Character) -> [Option<usize>; 2] {
    let rig = character.rig();
    ["left", "right"].map(|side| {
        let foot = ["toe", "foot"].map(|part| rig.roles.get(&format!("{side}_{part}")));
        rig.contact_joints.iter().position(|c| foot.contains(&Some(*c)))
    })
}

impl Fit {
    fn in_words(&self, scale: f32) -> String {
        match self {
            Self::Same(_) => "with the skeleton of the clips".to_owned(),
            Self::Retargeted(_) => format!("retargeted by its roles, {scale:.2} times the size of the clips' body"),
        }
    }

    /// Converts a pose of the clips' skeleton to the model.
    pub fn show(&self, clips: &Pose, touching: [bool; 2], dt_s: f32, feet: &mut [PlantedFoot; 2], model: &mut Pose) {
        match self {
            Self::Same(joints) => {
                for (j, at) in joints.iter().enumerate() {
                    (model.translations[*at], model.rotations[*at]) = (clips.translations[j], clips.rotations[j]);
                }
            }
            Self::Retargeted(maps) => maps[0].apply_planted(clips, touching, dt_s, feet, model),
        }
    }

    /// Converts a pose of the model to the clips' skeleton.
    pub fn read(&self, model: &Pose, clips: &mut Pose) {
        match self {
            Self::Same(joints) => {
                for (j, at) in joints.iter().enumerate() {
                    (clips.translations[j], clips.rotations[j]) = (model.translations[*at], model.rotations[*at]);
                }
            }
            Self::Retargeted(maps) => maps[1].apply(model, clips),
        }
    }
}
