//! Writes clips onto a character of the user: keeps mesh, skin and materials of a `.glb` file and replaces its animations.

use super::write::{Binary, Moving, animation, container};
use super::{GlbClip, GlbError};
use crate::gltf::Placed;
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use serde_json::{Value, json};
use std::io::Write;

/// Minimum share of the clip's joints that the file must have.
const FOUND_SHARE: f32 = 0.5;

/// Writes clips as animations of a character: the contents of the `.glb` file `rig`, with its animations replaced by these.
///
/// Joints are matched by name, without namespace, prefix and separators ([`Skeleton::keys`]). Joints of the file that the clip
/// lacks keep their rest pose. Joints of the clip that the file lacks are left out, but their effect on the joints below is
/// kept. Distances are those of the clip: for another body or other joint axes, retarget first.
///
/// # Errors
/// Returns a [`GlbError`] if the file is not a valid `.glb` file, has no skeleton, or has other joint names, or if a clip is
/// invalid as in [`write()`](super::write()). All errors but those of `out` are found before anything is written.
pub fn write_onto(rig: &[u8], source: &str, clips: &[RawClip], out: &mut impl Write) -> Result<(), GlbError> {
    let refuse = |what: String| GlbError::Rig { file: source.to_owned(), what };
    if !rig.starts_with(b"glTF") {
        return Err(refuse("expected a .glb file, which holds its mesh and pictures itself: export it as such".into()));
    }
    let placed = Placed::read(rig, source)?;
    let file = gltf::binary::Glb::from_slice(rig).map_err(|e| refuse(e.to_string()))?;
    let mut root: Value = serde_json::from_slice(&file.json).map_err(|e| refuse(e.to_string()))?;
    let mut binary = Binary::onto(take_list(&mut root, "bufferViews"), take_list(&mut root, "accessors"), file.bin);
    let mut animations = Vec::new();
    for clip in clips {
        let source = GlbClip::from(clip);
        source.validate(&clip.skeleton)?;
        let names = Names::of(&placed.skeleton, clip, &refuse)?;
        let (translations, rotations) = names.carry(&placed, clip);
        let own = GlbClip { translations: &translations, rotations: &rotations, ..source };
        own.validate(&placed.skeleton)?;
        animations.push((clip, translations, rotations));
    }
    let own: Vec<GlbClip<'_>> = animations
        .iter()
        .map(|(c, translations, rotations)| GlbClip { translations, rotations, ..GlbClip::from(*c) })
        .collect();
    let standing: Vec<Transform> = placed.local.iter().map(|l| Transform::new(l.translation, l.rotation)).collect();
    let moving = Moving::from_rest(&standing, &own);
    let node = |j: usize| placed.nodes[j];
    let animations: Vec<Value> =
        own.iter().map(|c| animation(&mut binary, c, placed.nodes.len(), &moving, &node)).collect();
    root["animations"] = json!(animations);
    for (n, local) in placed.nodes.iter().zip(&placed.local) {
        let node = &mut root["nodes"][*n];
        // An animated node must not have a matrix.
        if node.as_object_mut().is_some_and(|o| o.remove("matrix").is_some()) {
            node["translation"] = json!(local.translation.to_array());
            node["rotation"] = json!(local.rotation.to_array());
            node["scale"] = json!(local.scale.to_array());
        }
    }
    root["accessors"] = json!(binary.accessors);
    root["bufferViews"] = json!(binary.views);
    root["buffers"][0]["byteLength"] = json!(binary.bytes.len());
    container(root.to_string().as_bytes(), &binary.bytes, out)
}

fn take_list(root: &mut Value, key: &str) -> Vec<Value> {
    match root.get_mut(key).map(Value::take) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

/// Joint of a clip for each joint of the file.
struct Names {
    /// `[joints of the file]`.
    own: Vec<Option<usize>>,
}

impl Names {
    fn of(rig: &Skeleton, clip: &RawClip, refuse: &impl Fn(String) -> GlbError) -> Result<Self, GlbError> {
        let keys = clip.skeleton.keys();
        let own: Vec<Option<usize>> = rig.keys().iter().map(|n| keys.iter().position(|k| k == n)).collect();
        let found = own.iter().flatten().count();
        if (found as f32) < FOUND_SHARE * clip.skeleton.len() as f32 {
            let some = |s: &Skeleton| s.names().iter().take(4).cloned().collect::<Vec<_>>().join("`, `");
            return Err(refuse(format!(
                "only {found} of the {} joints of clip `{}` have their names in it (it has `{}`, .., the clip `{}`, ..): \
                 expected the same rig; retarget the clip, or rename",
                clip.skeleton.len(),
                clip.name,
                some(rig),
                some(&clip.skeleton)
            )));
        }
        Ok(Self { own })
    }

    /// Returns `[frames x joints of the file]` local transforms, in the file's units and relative to its nodes.
    fn carry(&self, placed: &Placed, clip: &RawClip) -> (Vec<Vec3>, Vec<Quat>) {
        let rig = &placed.skeleton;
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        let mut ours = Vec::new();
        for f in 0..clip.frames() {
            clip.world(f, &mut ours);
            let mut theirs: Vec<Transform> = Vec::with_capacity(rig.len());
            for j in 0..rig.len() {
                let parent = rig.parents()[j].map_or(Transform::IDENTITY, |p: JointIndex| theirs[p.at()]);
                let world = self.own[j].map_or_else(|| parent * rig.rest()[j], |own| ours[own]);
                theirs.push(world);
                let above = if rig.parents()[j].is_none() { placed.above } else { parent };
                let local = above.inverse() * world;
                translations.push(local.translation / placed.scales[j]);
                rotations.push(local.rotation.normalize());
            }
        }
        (translations, rotations)
    }
}
