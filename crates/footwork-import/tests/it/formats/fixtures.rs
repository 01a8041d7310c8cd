//! Small generated files: glTF as JSON, FBX as text and as bytes from one tree.

#![allow(dead_code, reason = "each test crate uses a part of it")]

use base64::Engine;
use serde_json::{Value, json};

/// Builder of a glTF file.
pub struct Gltf {
    pub root: Value,
    pub bytes: Vec<u8>,
}

impl Gltf {
    /// Returns a file with these nodes.
    pub fn new(nodes: Value) -> Self {
        let root = json!({
            "asset": {"version": "2.0"}, "nodes": nodes,
            "accessors": [], "bufferViews": [], "buffers": [{}], "animations": [],
        });
        Self { root, bytes: Vec::new() }
    }

    /// Appends bytes; returns their buffer view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        let views = self.root["bufferViews"].as_array_mut().unwrap();
        views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        views.len() - 1
    }

    /// Appends an accessor; returns its index.
    pub fn accessor(&mut self, accessor: Value) -> usize {
        let list = self.root["accessors"].as_array_mut().unwrap();
        list.push(accessor);
        list.len() - 1
    }

    /// Appends floats as an accessor of rows of `width`; returns its index.
    pub fn floats(&mut self, values: &[f32], width: usize) -> usize {
        let view = self.view(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
        let kind = match width {
            1 => "SCALAR",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        self.accessor(json!({
            "bufferView": view, "componentType": 5126, "count": values.len() / width, "type": kind,
        }))
    }

    /// Appends an animation of (node, path, interpolation, times, values).
    pub fn animation(&mut self, name: &str, tracks: &[(usize, &str, &str, &[f32], &[f32])]) {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for (node, path, interpolation, times, values) in tracks {
            let width = if *path == "rotation" { 4 } else { 3 };
            let (input, output) = (self.floats(times, 1), self.floats(values, width));
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": input, "output": output, "interpolation": interpolation}));
        }
        let list = self.root["animations"].as_array_mut().unwrap();
        list.push(json!({"name": name, "channels": channels, "samplers": samplers}));
    }

    /// Returns the file, with its buffer embedded.
    pub fn text(&self) -> Vec<u8> {
        let mut root = self.root.clone();
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        root["buffers"][0]["byteLength"] = json!(self.bytes.len());
        root["buffers"][0]["uri"] = json!(format!("data:application/octet-stream;base64,{data}"));
        root.to_string().into_bytes()
    }
}

/// Returns hips with a spine of two joints, 0.5 m each, all in a skin; node 0 is an `Armature` above them.
pub fn person() -> Gltf {
    let mut file = Gltf::new(json!([
        {"name": "Armature", "children": [1]},
        {"name": "Hips", "children": [2], "translation": [0.0, 1.0, 0.0]},
        {"name": "Spine", "children": [3], "translation": [0.0, 0.5, 0.0]},
        {"name": "Head", "translation": [0.0, 0.5, 0.0]},
    ]));
    file.root["skins"] = json!([{"joints": [1, 2, 3]}]);
    file
}

/// Returns a person who walks 1 m in 1 s.
pub fn walker() -> Gltf {
    let mut file = person();
    file.animation("walk", &[(1, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0])]);
    file
}

/// Ticks of FBX time in a second.
const KTIME: i64 = 46_186_158_000;

/// A joint of an FBX file.
pub struct FbxJoint {
    pub name: &'static str,
    pub parent: Option<usize>,
    pub translation: [f64; 3],
    pub properties: Vec<(&'static str, &'static str, [f64; 3])>,
    pub inherit_type: i64,
}

/// `Lcl Translation`, `Lcl Rotation` or `Lcl Scaling` of a joint, one axis, keys of (frame at 30 Hz, value).
pub type FbxCurve = (usize, &'static str, usize, Vec<(i64, f32)>);

/// Builder of an FBX file.
pub struct Fbx {
    pub unit_cm: f64,
    pub z_up: bool,
    pub joints: Vec<FbxJoint>,
    pub stacks: Vec<(&'static str, Vec<FbxCurve>)>,
}

/// Returns a chain of three joints in centimetres, as [`person`], without stacks.
pub fn fbx_person() -> Fbx {
    let joint = |name, parent, translation| FbxJoint { name, parent, translation, properties: vec![], inherit_type: 1 };
    Fbx {
        unit_cm: 1.0,
        z_up: false,
        joints: vec![
            joint("Hips", None, [0.0, 100.0, 0.0]),
            joint("Spine", Some(0), [0.0, 50.0, 0.0]),
            joint("Head", Some(1), [0.0, 50.0, 0.0]),
        ],
        stacks: vec![],
    }
}

/// Returns a file with two stacks: a person who walks 1 m in 1 s, and one who nods.
pub fn fbx_walker() -> Fbx {
    let mut file = fbx_person();
    file.stacks = vec![
        ("Armature|walk", vec![(0, "Lcl Translation", 2, vec![(0, 0.0), (30, 100.0)])]),
        ("Armature|nod", vec![(1, "Lcl Rotation", 0, vec![(0, 0.0), (15, 90.0)])]),
    ];
    file
}

enum Value7 {
    Long(i64),
    Int(i32),
    Double(f64),
    Text(String),
    /// `Class::name`, whose order and separator depend on the encoding.
    Name(&'static str, String),
    Longs(Vec<i64>),
    Ints(Vec<i32>),
    Floats(Vec<f32>),
}

struct Element(&'static str, Vec<Value7>, Vec<Element>);

impl Fbx {
    fn tree(&self) -> Vec<Element> {
        use Value7::{Double, Floats, Int, Ints, Long, Longs, Name, Text};
        let text = |s: &str| Text(s.to_owned());
        let p = |name: &str, kind: &str, values: Vec<Value7>| {
            Element("P", [text(name), text(kind), text(""), text("A")].into_iter().chain(values).collect(), vec![])
        };
        let int = |name: &str, v: i32| p(name, "int", vec![Int(v)]);
        let vector = |name: &str, v: [f64; 3]| p(name, name, v.into_iter().map(Double).collect());
        let (up, front, sign) = if self.z_up { (2, 1, -1) } else { (1, 2, 1) };
        let settings = vec![
            int("UpAxis", up),
            int("UpAxisSign", 1),
            int("FrontAxis", front),
            int("FrontAxisSign", sign),
            int("CoordAxis", 0),
            int("CoordAxisSign", 1),
            p("UnitScaleFactor", "double", vec![Double(self.unit_cm)]),
            p("TimeMode", "enum", vec![Int(6)]),
        ];
        let named = |kind: &'static str, class: &'static str, id: i64, name: &str, sub: &str, inside: Vec<Element>| {
            Element(kind, vec![Long(id), Name(class, name.to_owned()), text(sub)], inside)
        };
        let properties = |list: Vec<Element>| Element("Properties70", vec![], list);
        let (mut objects, mut connections) = (Vec::new(), Vec::new());
        let connect = |from: i64, to: i64| Element("C", vec![text("OO"), Long(from), Long(to)], vec![]);
        let plug =
            |from: i64, to: i64, prop: &str| Element("C", vec![text("OP"), Long(from), Long(to), text(prop)], vec![]);
        let model = |j: usize| 1000 + j as i64;
        for (j, joint) in self.joints.iter().enumerate() {
            let mut list = vec![vector("Lcl Translation", joint.translation)];
            list.push(p("InheritType", "enum", vec![Int(joint.inherit_type as i32)]));
            list.extend(joint.properties.iter().map(|(n, _, v)| vector(n, *v)));
            if joint.properties.iter().any(|(n, ..)| *n == "PreRotation") {
                list.push(p("RotationActive", "bool", vec![Int(1)]));
            }
            objects.push(named("Model", "Model", model(j), joint.name, "LimbNode", vec![properties(list)]));
            objects.push(named("NodeAttribute", "NodeAttribute", 2000 + j as i64, joint.name, "LimbNode", vec![]));
            connections.push(connect(model(j), joint.parent.map_or(0, model)));
            connections.push(connect(2000 + j as i64, model(j)));
        }
        for (s, (name, curves)) in self.stacks.iter().enumerate() {
            let (stack, layer) = (10_000 * (s as i64 + 1), 10_000 * (s as i64 + 1) + 1);
            objects.push(named("AnimationStack", "AnimStack", stack, name, "", vec![]));
            objects.push(named("AnimationLayer", "AnimLayer", layer, "Base", "", vec![]));
            connections.push(connect(layer, stack));
            for (c, (joint, property, axis, keys)) in curves.iter().enumerate() {
                let (node, curve) = (stack + 100 + 2 * c as i64, stack + 101 + 2 * c as i64);
                let own = self.joints[*joint].properties.iter().find(|(n, ..)| n == property).map(|(.., v)| *v);
                let rest = match *property {
                    "Lcl Translation" => self.joints[*joint].translation,
                    "Lcl Scaling" => own.unwrap_or([1.0; 3]),
                    _ => own.unwrap_or([0.0; 3]),
                };
                let d = ["d|X", "d|Y", "d|Z"];
                let defaults = d.iter().zip(rest).map(|(n, v)| p(n, "Number", vec![Double(v)])).collect();
                objects.push(named("AnimationCurveNode", "AnimCurveNode", node, "T", "", vec![properties(defaults)]));
                let table = vec![
                    Element("Default", vec![Double(0.0)], vec![]),
                    Element("KeyVer", vec![Int(4008)], vec![]),
                    Element("KeyTime", vec![Longs(keys.iter().map(|k| k.0 * KTIME / 30).collect())], vec![]),
                    Element("KeyValueFloat", vec![Floats(keys.iter().map(|k| k.1).collect())], vec![]),
                    // Linear interpolation for all keys.
                    Element("KeyAttrFlags", vec![Ints(vec![4])], vec![]),
                    Element("KeyAttrDataFloat", vec![Floats(vec![0.0; 4])], vec![]),
                    Element("KeyAttrRefCount", vec![Ints(vec![keys.len() as i32])], vec![]),
                ];
                objects.push(named("AnimationCurve", "AnimCurve", curve, "", "", table));
                connections.push(connect(node, layer));
                connections.push(plug(node, model(*joint), property));
                connections.push(plug(curve, node, d[*axis]));
            }
        }
        vec![
            Element("FBXHeaderExtension", vec![], vec![Element("FBXVersion", vec![Int(7400)], vec![])]),
            Element("GlobalSettings", vec![], vec![properties(settings)]),
            Element("Objects", vec![], objects),
            Element("Connections", vec![], connections),
        ]
    }

    /// Returns the file as text.
    pub fn ascii(&self) -> Vec<u8> {
        let mut out = String::from("; FBX 7.4.0 project file\n");
        self.tree().iter().for_each(|e| e.ascii(0, &mut out));
        out.into_bytes()
    }

    /// Returns the file as bytes.
    pub fn binary(&self) -> Vec<u8> {
        let mut out = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
        out.extend(7400u32.to_le_bytes());
        self.tree().iter().for_each(|e| e.binary(&mut out));
        out.extend([0; 13]);
        out
    }
}

impl Element {
    fn ascii(&self, depth: usize, out: &mut String) {
        let list = |v: &[String]| v.join(",");
        let words: Vec<String> = self
            .1
            .iter()
            .map(|v| match v {
                Value7::Long(v) => v.to_string(),
                Value7::Int(v) => v.to_string(),
                Value7::Double(v) => format!("{v:?}"),
                Value7::Text(v) => format!("\"{v}\""),
                Value7::Name(class, v) => format!("\"{class}::{v}\""),
                Value7::Longs(v) => {
                    format!("*{} {{ a: {} }}", v.len(), list(&v.iter().map(ToString::to_string).collect::<Vec<_>>()))
                }
                Value7::Ints(v) => {
                    format!("*{} {{ a: {} }}", v.len(), list(&v.iter().map(ToString::to_string).collect::<Vec<_>>()))
                }
                Value7::Floats(v) => {
                    format!("*{} {{ a: {} }}", v.len(), list(&v.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>()))
                }
            })
            .collect();
        let indent = "\t".repeat(depth);
        *out += &format!("{indent}{}: {}", self.0, words.join(", "));
        let is_leaf = self.2.is_empty() && !self.1.is_empty() && !matches!(self.1[0], Value7::Long(_));
        if !is_leaf {
            *out += " {\n";
            self.2.iter().for_each(|e| e.ascii(depth + 1, out));
            *out += &format!("{indent}}}");
        }
        *out += "\n";
    }

    fn binary(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 12]);
        out.push(self.0.len() as u8);
        out.extend(self.0.as_bytes());
        let properties = out.len();
        self.1.iter().for_each(|v| v.binary(out));
        let length = out.len() - properties;
        if !self.2.is_empty() {
            self.2.iter().for_each(|e| e.binary(out));
            out.extend([0; 13]);
        }
        for (i, v) in [out.len(), self.1.len(), length].into_iter().enumerate() {
            out[start + 4 * i..][..4].copy_from_slice(&(v as u32).to_le_bytes());
        }
    }
}

impl Value7 {
    fn binary(&self, out: &mut Vec<u8>) {
        let text = |v: &str, out: &mut Vec<u8>| {
            out.push(b'S');
            out.extend((v.len() as u32).to_le_bytes());
            out.extend(v.as_bytes());
        };
        let mut array = |kind: u8, count: usize, bytes: Vec<u8>| {
            out.push(kind);
            [count, 0, bytes.len()].into_iter().for_each(|v| out.extend((v as u32).to_le_bytes()));
            out.extend(bytes);
        };
        match self {
            Self::Longs(v) => array(b'l', v.len(), v.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Ints(v) => array(b'i', v.len(), v.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Floats(v) => array(b'f', v.len(), v.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Long(v) => {
                out.push(b'L');
                out.extend(v.to_le_bytes());
            }
            Self::Int(v) => {
                out.push(b'I');
                out.extend(v.to_le_bytes());
            }
            Self::Double(v) => {
                out.push(b'D');
                out.extend(v.to_le_bytes());
            }
            Self::Text(v) => text(v, out),
            Self::Name(class, v) => text(&format!("{v}\0\x01{class}"), out),
        }
    }
}
