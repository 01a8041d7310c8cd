//! The JSON and the binary half of the file, and the container around them.

use super::solid::Part;
use super::{GlbClip, GlbError, GlbOptions, mannequin};
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::Write;

/// Maximum change of a value that counts as still: micrometres, and microradians of half an angle.
const STILL: f32 = 1e-6;

const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// The binary chunk, with its views and accessors.
#[derive(Default)]
pub(super) struct Binary {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Binary {
    /// Starts from the contents of an existing file.
    pub fn onto(views: Vec<Value>, accessors: Vec<Value>, bytes: Option<Cow<'_, [u8]>>) -> Self {
        let mut bytes = bytes.unwrap_or_default().into_owned();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        Self { bytes, views, accessors }
    }

    /// Appends values as a view and an accessor of their own; returns the accessor.
    fn push<T: bytemuck::NoUninit>(&mut self, values: &[T], kind: &str, component: u32, target: Option<u32>) -> usize {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let mut view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.accessors.push(json!({
            "bufferView": self.views.len(), "componentType": component, "count": values.len(), "type": kind,
        }));
        self.views.push(view);
        self.bytes.extend_from_slice(bytes);
        // Every accessor starts at a multiple of its component's size, and the chunk ends at one of 4.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.accessors.len() - 1
    }

    /// Appends key times; their accessor must hold the range.
    fn push_times(&mut self, times_s: &[f32]) -> usize {
        let accessor = self.push(times_s, "SCALAR", FLOAT, None);
        self.accessors[accessor]["min"] = json!([times_s[0]]);
        self.accessors[accessor]["max"] = json!([times_s[times_s.len() - 1]]);
        accessor
    }
}

/// The whole document: JSON and binary chunk.
pub(super) fn document(skeleton: &Skeleton, clips: &[GlbClip<'_>], options: &GlbOptions) -> (Vec<u8>, Vec<u8>) {
    let joints = skeleton.len();
    let mut binary = Binary::default();
    let moving = Moving::of(skeleton, clips);
    let mut nodes = joint_nodes(skeleton, &moving);
    nodes.push(json!({"name": "mannequin", "mesh": 0, "skin": 0}));
    let (mesh, materials) = mesh(&mut binary, skeleton, options);
    let skin = json!({
        "inverseBindMatrices": inverse_bind_matrices(&mut binary, skeleton),
        "joints": (0..joints).collect::<Vec<_>>(),
        "skeleton": 0,
    });
    let animations: Vec<Value> = clips.iter().map(|c| animation(&mut binary, c, joints, &moving, &|j| j)).collect();
    let mut root = json!({
        "asset": {"version": "2.0", "generator": "footwork"},
        "scene": 0,
        "scenes": [{"name": "footwork", "nodes": [0, joints]}],
        "nodes": nodes,
        "meshes": [mesh],
        "materials": materials,
        "skins": [skin],
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{"byteLength": binary.bytes.len()}],
    });
    if !animations.is_empty() {
        root["animations"] = json!(animations);
    }
    (root.to_string().into_bytes(), binary.bytes)
}

/// Header, JSON chunk, binary chunk; spec section 4.
pub(super) fn container(json: &[u8], binary: &[u8], out: &mut impl Write) -> Result<(), GlbError> {
    let padding = json.len().next_multiple_of(4) - json.len();
    let bytes = 12 + 8 + json.len() + padding + 8 + binary.len();
    let total = u32::try_from(bytes).map_err(|_| GlbError::TooLarge { bytes })?;
    out.write_all(b"glTF")?;
    out.write_all(&2u32.to_le_bytes())?;
    out.write_all(&total.to_le_bytes())?;
    out.write_all(&((json.len() + padding) as u32).to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(json)?;
    out.write_all(&b"   "[..padding])?;
    out.write_all(&(binary.len() as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    out.write_all(binary)?;
    Ok(out.flush()?)
}

/// Values that change in any clip. Only these get keys, and every clip has keys for all of them: when a viewer changes clips, a
/// joint without keys would keep its transform from the previous clip.
pub(super) struct Moving {
    translations: Vec<bool>,
    rotations: Vec<bool>,
    /// `[joints]` transforms of the first frame; of the rest pose if there are no clips.
    first: Vec<Transform>,
}

impl Moving {
    fn of(skeleton: &Skeleton, clips: &[GlbClip<'_>]) -> Self {
        let joints = skeleton.len();
        let first: Vec<Transform> = match clips.first() {
            Some(c) => (0..joints).map(|j| Transform::new(c.translations[j], c.rotations[j])).collect(),
            None => skeleton.rest().to_vec(),
        };
        Self::from_rest(&first, clips)
    }

    /// Compares the clips with the `[joints]` transforms of the nodes.
    pub fn from_rest(first: &[Transform], clips: &[GlbClip<'_>]) -> Self {
        let (joints, first) = (first.len(), first.to_vec());
        let (mut translations, mut rotations) = (vec![false; joints], vec![false; joints]);
        for clip in clips {
            for (i, (t, r)) in clip.translations.iter().zip(clip.rotations).enumerate() {
                let j = i % joints;
                translations[j] |= (*t - first[j].translation).abs().max_element() > STILL;
                rotations[j] |= differ(r.normalize(), first[j].rotation.normalize());
            }
        }
        // An animation without channels is invalid, so the root always has one.
        translations[0] |= !clips.is_empty();
        Self { translations, rotations, first }
    }
}

fn differ(a: Quat, b: Quat) -> bool {
    let b = b.towards(a);
    a.to_array().iter().zip(b.to_array()).any(|(a, b)| (a - b).abs() > STILL)
}

fn joint_nodes(skeleton: &Skeleton, moving: &Moving) -> Vec<Value> {
    let mut nodes: Vec<Value> = (0..skeleton.len())
        .map(|j| {
            let (rest, still) = (skeleton.rest()[j], moving.first[j]);
            let t = if moving.translations[j] { rest.translation } else { still.translation };
            let r = if moving.rotations[j] { rest.rotation } else { still.rotation };
            json!({
                "name": skeleton.names()[j],
                "translation": t.to_array(),
                "rotation": r.normalize().to_array(),
            })
        })
        .collect();
    for (j, node) in nodes.iter_mut().enumerate() {
        let children: Vec<u32> = skeleton.children(JointIndex::new(j)).map(|c| c.0).collect();
        // The glTF schema forbids an empty list.
        if !children.is_empty() {
            node["children"] = json!(children);
        }
    }
    nodes
}

fn mesh(binary: &mut Binary, skeleton: &Skeleton, options: &GlbOptions) -> (Value, Vec<Value>) {
    let parts = mannequin::build(skeleton, options);
    let looks = [("left", options.left_rgb), ("right", options.right_rgb), ("centre", options.centre_rgb)];
    let (mut primitives, mut materials) = (Vec::new(), Vec::new());
    for (part, (name, rgb)) in parts.iter().zip(looks).filter(|(part, _)| !part.indices.is_empty()) {
        primitives.push(primitive(binary, part, materials.len()));
        materials.push(json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [rgb[0], rgb[1], rgb[2], 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7,
            },
        }));
    }
    (json!({"name": "mannequin", "primitives": primitives}), materials)
}

fn primitive(binary: &mut Binary, part: &Part, material: usize) -> Value {
    let position = binary.push(&part.positions, "VEC3", FLOAT, Some(ARRAY_BUFFER));
    let fold = |f: fn(Vec3, Vec3) -> Vec3| part.positions.iter().copied().reduce(f).unwrap_or_default().to_array();
    binary.accessors[position]["min"] = json!(fold(Vec3::min));
    binary.accessors[position]["max"] = json!(fold(Vec3::max));
    let joints: Vec<[u16; 4]> = part.joints.iter().map(|j| [*j, 0, 0, 0]).collect();
    let weights = vec![[1.0f32, 0.0, 0.0, 0.0]; joints.len()];
    json!({
        "attributes": {
            "POSITION": position,
            "NORMAL": binary.push(&part.normals, "VEC3", FLOAT, Some(ARRAY_BUFFER)),
            "JOINTS_0": binary.push(&joints, "VEC4", UNSIGNED_SHORT, Some(ARRAY_BUFFER)),
            "WEIGHTS_0": binary.push(&weights, "VEC4", FLOAT, Some(ARRAY_BUFFER)),
        },
        "indices": binary.push(&part.indices, "SCALAR", UNSIGNED_INT, Some(ELEMENT_ARRAY_BUFFER)),
        "material": material,
    })
}

fn inverse_bind_matrices(binary: &mut Binary, skeleton: &Skeleton) -> usize {
    let column = |v: Vec3, w: f32| [v.x, v.y, v.z, w];
    let matrices: Vec<[[f32; 4]; 4]> = skeleton
        .rest_model()
        .into_iter()
        .map(|t| {
            let (t, r) = (t.inverse().translation, t.rotation.inverse());
            [column(r * Vec3::X, 0.0), column(r * Vec3::Y, 0.0), column(r * Vec3::Z, 0.0), column(t, 1.0)]
        })
        .collect();
    binary.push(&matrices, "MAT4", FLOAT, None)
}

pub(super) fn animation(
    binary: &mut Binary,
    clip: &GlbClip<'_>,
    joints: usize,
    moving: &Moving,
    node: &impl Fn(usize) -> usize,
) -> Value {
    let frames = clip.rotations.len() / joints;
    let times: Vec<f32> = (0..frames).map(|i| (i as f64 / f64::from(clip.rate_hz)) as f32).collect();
    let every_frame = binary.push_times(&times);
    // A value that changes in another clip but not in this one gets two keys, which keep the clip's duration.
    let mut ends = None;
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for j in 0..joints {
        if moving.translations[j] {
            let mut keys: Vec<[f32; 3]> = (0..frames).map(|f| clip.translations[f * joints + j].to_array()).collect();
            let input = input(binary, &mut keys, &times, every_frame, &mut ends);
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node(j), "path": "translation"}}));
            samplers.push(sampler(input, binary.push(&keys, "VEC3", FLOAT, None)));
        }
        if moving.rotations[j] {
            let mut keys = continuous((0..frames).map(|f| clip.rotations[f * joints + j]));
            let input = input(binary, &mut keys, &times, every_frame, &mut ends);
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node(j), "path": "rotation"}}));
            samplers.push(sampler(input, binary.push(&keys, "VEC4", FLOAT, None)));
        }
    }
    let mut animation = json!({"name": clip.name, "channels": channels, "samplers": samplers});
    if !clip.events.is_empty() {
        let markers: Vec<Value> = clip.events.iter().map(|e| json!({"name": e.name, "time": e.time_s})).collect();
        animation["extras"] = json!({ "markers": markers });
    }
    animation
}

fn sampler(input: usize, output: usize) -> Value {
    json!({"input": input, "output": output, "interpolation": "LINEAR"})
}

/// Returns the accessor of the key times. Keys that are all equal are reduced to the first and the last.
fn input<const N: usize>(
    binary: &mut Binary,
    keys: &mut Vec<[f32; N]>,
    times: &[f32],
    every_frame: usize,
    ends: &mut Option<usize>,
) -> usize {
    if keys.len() <= 2 || keys.iter().any(|k| *k != keys[0]) {
        return every_frame;
    }
    keys.truncate(2);
    *ends.get_or_insert_with(|| binary.push_times(&[times[0], times[times.len() - 1]]))
}

/// Returns unit quaternions, each on the hemisphere of the previous one. Viewers differ in whether they interpolate along the
/// shorter arc; these keys leave only one arc.
fn continuous(rotations: impl Iterator<Item = Quat>) -> Vec<[f32; 4]> {
    let mut last = Quat::IDENTITY;
    rotations
        .map(|r| {
            last = r.normalize().towards(last);
            last.to_array()
        })
        .collect()
}
