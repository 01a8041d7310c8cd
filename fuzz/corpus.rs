//! Regenerates `corpus/`: small files for each target to start from.
//!
//! ```sh
//! cargo run --manifest-path fuzz/Cargo.toml --example corpus
//! ```

#[path = "../crates/footwork-import/tests/it/formats/fixtures.rs"]
mod fixtures;

use fixtures::{Gltf, fbx_person, fbx_walker, person, walker};
use footwork::advanced::learned::{
    Calibration, Layer, Network, NetworkParts, Precision, ROTATION_WIDTH, Sampler, Weights,
};
use footwork::advanced::math::Random;
use footwork::build::{BuildConfig, BuildOptions, ClipRule, build};
use footwork::clip::{Annotations, ContactTrack, RawClip};
use footwork::database::MirrorMode;
use footwork::frames::ClipIndex;
use footwork::input::{Gait, Goal, GroundPoint, HandTarget, MotionInput, Stick, TrajectoryPoint};
use footwork::learned::Networks;
use footwork::machine::Machine;
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::math::Facing;
use footwork::recorder::{Recorder, RecorderConfig};
use footwork_gait::GaitOptions;
use footwork_import::glb::{GlbOptions, write_clip};
use footwork_import::{CharacterConfig, Units, bvh, gltf};
use glam::Vec3;
use serde_json::{Value, json};
use std::path::Path;

const BVH: &str = "HIERARCHY
ROOT Hips
{
\tOFFSET 0 0 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\tJOINT LeftLeg
\t{
\t\tOFFSET 10 0 0
\t\tCHANNELS 3 Zrotation Yrotation Xrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -90 0
\t\t}
\t}
\tJOINT Still
\t{
\t\tOFFSET 0 50 0
\t\tCHANNELS 0
\t}
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 95 0 0 0 0 1 2 3
1.5e-1 -95.25 4 0 90 0 30 +20 10
";

const LOOP: &str = "name = \"walk*\"
before = \"idle\"
after = \"walk_130_loop\"
tags = [{ name = \"all\" }, { name = \"all\", start_s = 0.2 }]
costs = [{ cost = 1.5 }]
curves = [{ name = \"one\", keys = [[0.25, -1.0]] }]
";

const BARE: &str = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Yrotation End Site { OFFSET 0 1 0 } } MOTION Frames: 1 \
                    Frame Time: 1\r\n5";

const CHARACTER: &str = "[source]
clips = [\"mocap\", \"extra/**/jump*.fbx\"]
units = \"cm\"
pattern = \"{action}{take}_{subject}\"
ranges = [{ clip = \"take\", name = \"walk\", start_s = 2.0, end_s = 6.5, loop = true }]

[build]
pose_rate_hz = 30
search_rate_hz = 15
mirror = \"query\"
root = { mode = \"synthesize\", position_window_s = 0.3, facing_window_s = 0.5 }
contacts = { speed_mps = 0.2, height_m = 0.1, window_s = 0.2 }
schema = { preset = \"o3de\", normalization = \"block\" }

[build.roles]
hips = \"Hips\"

[[build.clips]]
name = \"walk*\"
loop = true
tags = [{ name = \"slow\", start_s = 0.1, end_s = 0.5 }]

[matcher]
responsiveness = 1.5
channel_cost = { \"hip velocity\" = 2.0 }
search = { interval_s = 0.2, backend = \"kdtree\" }
orientation_warp = { max_deg = 45.0 }
stride_warp = { min = 0.8, max = 1.2 }
";

const SIDECAR: &str = "loop = false
tags = [{ name = \"fast\" }, { name = \"turn\", start_s = 0.2, end_s = 0.9 }]
discard = [[0.0, 0.1]]
do_not_enter = [[1.0, 1.2]]
costs = [{ cost = 0.5, start_s = 0.3, end_s = 0.4 }]
events = [{ name = \"step\", time_s = 0.5 }]
curves = [{ name = \"height\", keys = [[0.0, 1.0], [0.5, 2.0]] }]
";

/// All kinds of states, layers and transitions, over the clips of [`footwork_fuzz::clips`].
const MACHINE: &str = "start = \"free\"
[variables]
crouch = 0.0
speed = 1.5
waving = 1.0
[triggers]
wave = 0.3

[[states]]
name = \"free\"
match = \"!upper_body | walk\"
channel_cost = { \"Hips velocity\" = 2.0 }
max_speed_mps = 3.0
stay_s = [0.1, 0.4]
[[states]]
name = \"once\"
match = \"\"
once = true
[[states]]
name = \"stand\"
clip = [\"idle\", \"aim_level_yaw_0\"]
from_s = 0.1
rate = 1.5
[[states]]
name = \"go\"
blend_space = \"speed\"
root_motion = false
[[states]]
name = \"inner\"
[[states.machine.states]]
name = \"a\"
clip = \"walk_130_loop\"
mirrored = true
[[states.machine.states]]
name = \"b\"
blend_space = \"found\"
[[states.machine.transitions]]
from = \"a\"
to = \"b\"
when = \"event.left_footstep | clip_s > 0.2\"

[[transitions]]
from = \"free\"
to = \"stand\"
when = \"stayed & speed_mps < 0.5\"
[[transitions]]
from = [\"stand\", \"once\"]
to = \"inner\"
when = \"ended | crouch > 0.5 & !(tag.walk)\"
[[transitions]]
from = \"inner\"
to = \"go\"
when = \"state_s >= 0.3\"
[[transitions]]
to = \"free\"
when = \"desired_turn_deg > 90 & left_s < 0.2 | stranded\"

[[blend_spaces]]
name = \"speed\"
parameters = [\"speed_mps\", \"speed\"]
samples = [
    { clip = \"walk_130_loop\", at = [1.3, 0.0] },
    { clip = \"run_320_loop\", at = [3.2, 0.0] },
    { clip = \"walk_130_loop\", at = [1.3, 2.0], mirrored = true },
]
[[blend_spaces]]
name = \"found\"
parameters = [\"desired_speed_mps\"]
from_clips = { clips = [\"*_loop\"], measure = [\"speed_mps\"], both_sides = true }
sync = \"time\"
ranges = [[0.5, 3.0]]
smoothing_half_life_s = 0.2

[[layers]]
name = \"aim\"
mask = { upper_body = 1.0, Head = 0.5 }
additive = true
reference = \"idle\"
clip = \"aim_level_yaw_0\"
weight = \"crouch\"
[[layers]]
name = \"gestures\"
clip = \"walk_130_loop\"
in_step = true
weight = 0.5
half_life_s = 0.0

[[montages]]
name = \"wave\"
layer = \"gestures\"
clip = \"wave_left\"
start = \"wave\"
stop = \"crouch\"
priority = 1
root_motion = true
blend_in_s = 0.1
sections = [{ name = \"up\", from_s = 0.0 }, { name = \"wave\", from_s = 0.7, to_s = 1.5, next = \"wave\", leave = \"!waving\" }]
notifies = [{ name = \"first\", at_s = 0.1 }]
windows = [{ name = \"busy\", from_s = 0.2, to_s = 1.0 }]
";

const CHOOSER: &str = "[variables]
injured = 0.0
speed = 1.0
[[rows]]
when = \"injured & speed > 2\"
character = \"machine\"
[[rows]]
when = \"!injured\"
character = \"plain\"
match = \"walk | idle\"
channel_cost = { \"Hips velocity\" = 0.5 }
[[rows]]
character = \"plain\"
";

fn main() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let write = |target: &str, name: &str, bytes: &[u8]| {
        std::fs::create_dir_all(corpus.join(target)).unwrap();
        std::fs::write(corpus.join(target).join(name), bytes).unwrap();
        println!("{target}/{name}: {} bytes", bytes.len());
    };

    write("bvh", "two_joints.bvh", BVH.as_bytes());
    write("bvh", "one_line.bvh", BARE.as_bytes());
    let mut text = Vec::new();
    bvh::write(&person_walking(2), &mut text, &bvh::WriteOptions::default()).unwrap();
    write("bvh", "person.bvh", &text);

    for (name, file) in [("walker", walker()), ("every_path", every_path()), ("sparse", sparse()), ("matrix", matrix())]
    {
        write("gltf", &format!("{name}.gltf"), &file.text());
        let mut root = file.root.clone();
        root["buffers"][0]["byteLength"] = json!(file.bytes.len());
        write("glb", &format!("{name}.glb"), &footwork_fuzz::glb::join(root.to_string().as_bytes(), &file.bytes));
    }
    let clip = gltf::parse(&walker().text(), "t", "t", None, Units::Auto).unwrap().remove(0);
    let mut bytes = Vec::new();
    write_clip(&clip, &GlbOptions { corners: 3, ..GlbOptions::default() }, &mut bytes).unwrap();
    write("glb", "mannequin.glb", &bytes);

    write("fbx", "walker.fbx", &fbx_walker().binary());
    write("fbx", "walker_text.fbx", &fbx_walker().ascii());
    let mut turned = fbx_walker();
    turned.z_up = true;
    turned.unit_cm = 2.54;
    turned.joints[1].properties =
        vec![("PreRotation", "Vector3D", [0.0, 90.0, 0.0]), ("Lcl Scaling", "Lcl Scaling", [2.0, 2.0, 2.0])];
    turned.joints[2].inherit_type = 2;
    write("fbx", "turned.fbx", &turned.binary());
    write("fbx", "turned_text.fbx", &turned.ascii());
    write("fbx", "still.fbx", &fbx_person().binary());

    CharacterConfig::parse(CHARACTER, Path::new("character.toml")).unwrap();
    write("toml", "character.toml", CHARACTER.as_bytes());
    write("toml", "sidecar.toml", SIDECAR.as_bytes());
    write("toml", "defaults.toml", toml::to_string(&CharacterConfig::default()).unwrap().as_bytes());
    write("toml", "dog.toml", include_bytes!("../examples/dog.toml"));

    for (name, mirror) in [("person", MirrorMode::Off), ("stored", MirrorMode::Stored), ("query", MirrorMode::Query)] {
        write("fwdb", &format!("{name}.fwdb"), &database(mirror));
    }
    write("fwtrace", "person.fwtrace", &recording());
    for (name, precision) in [("f32", Precision::F32), ("f16", Precision::F16), ("i8", Precision::I8)] {
        write("fwnet", &format!("{name}.fwnet"), &networks(precision));
    }

    let machine = footwork_import::parse_machine(MACHINE, Path::new("machine.toml")).unwrap();
    Machine::new(footwork_fuzz::clip_database(), machine).unwrap();
    write("machine", "machine.toml", MACHINE.as_bytes());
    write("machine", "chooser.toml", CHOOSER.as_bytes());
    write("machine", "biped.toml", include_bytes!("../crates/footwork-gait/assets/biped.machine.toml"));
    write("sidecar", "sidecar.toml", SIDECAR.as_bytes());
    write("sidecar", "loop.toml", LOOP.as_bytes());
    let rule = ClipRule { looping: Some(true), ..toml::from_str(LOOP).unwrap() };
    write("sidecar", "written.toml", toml::to_string(&rule).unwrap().as_bytes());
}

/// Returns some frames of the built-in character along a curve, ten per second.
fn person_walking(frames: usize) -> RawClip {
    let options = GaitOptions { rate_hz: 10.0, routes: false, ..GaitOptions::default() };
    let mut clip = footwork_gait::clips(&options).into_iter().find(|c| c.name.starts_with("curve_")).unwrap();
    let transforms = frames * clip.skeleton.len();
    clip.translations.truncate(transforms);
    clip.rotations.truncate(transforms);
    let contacts = clip.annotations.contacts.into_iter();
    let contacts = contacts.map(|c| ContactTrack { on: c.on[..frames].to_vec(), ..c }).collect();
    clip.annotations = Annotations { contacts, ..Annotations::default() };
    clip.looping = false;
    clip
}

fn database(mirror: MirrorMode) -> Vec<u8> {
    let mut config = BuildConfig { mirror, search_rate_hz: 5.0, ..BuildConfig::default() };
    config.clips = vec![toml::from_str(SIDECAR).unwrap()];
    config.clips[0].discard.clear();
    build(&[person_walking(14)], &config, &BuildOptions::default()).unwrap().0.to_bytes().unwrap()
}

/// Returns small networks with arbitrary weights, whose bodies stay near a body of the built-in character.
fn networks(precision: Precision) -> Vec<u8> {
    const LATENTS: usize = 2;
    let (db, _) = build(&[person_walking(14)], &BuildConfig::default(), &BuildOptions::default()).unwrap();
    let mut sampler = Sampler::new(&db);
    let layout = sampler.layout().clone();
    let (mut features, mut constants) = (vec![0.0; db.schema.columns], vec![0.0; layout.width()]);
    sampler.sample(ClipIndex::new(0), false, 0.5, &mut features, &mut constants);
    // Motion of the root, contacts, and the rotations of some joints.
    let outputs: Vec<usize> =
        (0..4 * ROTATION_WIDTH).chain(layout.root_velocity.start..layout.next_contacts.end).collect();
    let body: Vec<f32> = outputs.iter().map(|at| constants[*at]).collect();
    let resting: Vec<f32> = features.iter().copied().chain([0.0; LATENTS]).collect();

    let (columns, code, bodies) = (features.len(), resting.len(), outputs.len());
    let mut random = Random(7);
    let compressor = network(&[columns + 2 * bodies, 4, LATENTS], &[0.0; LATENTS], 1.0, &mut random);
    let parts = NetworkParts {
        decompressor: network(&[code, 8, bodies], &body, 0.05, &mut random).with_precision(precision),
        outputs: outputs.iter().map(|at| *at as u32).collect(),
        constants,
        stepper: network(&[code, 8, code], &vec![0.0; code], 0.5, &mut random).with_precision(precision),
        projector: network(&[columns, 8, code], &resting, 1.0, &mut random).with_precision(precision),
        compressor: (precision == Precision::I8).then(|| compressor.with_precision(precision)),
        resting,
        calibration: Calibration { transition_distance: 0.5, longest_step_s: 2.0, trusted_distance: 1.0 },
    };
    Networks::new(&db, parts).unwrap().to_bytes().unwrap()
}

/// Returns a network with layers of these widths and outputs around `mean`.
fn network(widths: &[usize], mean: &[f32], spread: f32, random: &mut Random) -> Network {
    let mut numbers = |n: usize| (0..n).map(|_| (random.below(2001) as f32 - 1000.0) / 4000.0).collect::<Vec<f32>>();
    let layers =
        widths.windows(2).map(|w| Layer { weights: Weights::F32(numbers(w[0] * w[1])), bias: numbers(w[1]) }).collect();
    Network {
        input_mean: vec![0.0; widths[0]],
        input_std: vec![1.0; widths[0]],
        layers,
        output_std: vec![spread; mean.len()],
        output_mean: mean.to_vec(),
    }
}

/// Returns a recording of some seconds of a character with goals of all kinds, and hooks.
fn recording() -> Vec<u8> {
    let mut matcher = MotionMatcher::new(footwork_fuzz::database(), MatcherConfig::default()).unwrap();
    let mut recorder = Recorder::new(matcher.character(), RecorderConfig { key_every_s: 1.5, ..Default::default() });
    let path = footwork::input::Path::new(vec![Vec3::ZERO, Vec3::Z * 3.0, Vec3::X], true).unwrap();
    let points = [0.5, 1.0].map(|time_s| TrajectoryPoint { time_s, position: Vec3::Z, facing: Facing::FORWARD });
    let ground = |at: Vec3| GroundPoint { height_m: 0.1 * at.z, ..GroundPoint::default() };
    let wall = |_: Vec3, to: Vec3| to.min(Vec3::ONE);
    recorder.mark("a part");
    for k in 0..60 {
        let goal = match k / 10 {
            0 => Goal::None,
            1 => Goal::Velocity { velocity: Vec3::X, facing: Some(Facing::FORWARD) },
            2 => Goal::Path { path: &path, speed_mps: 1.0 },
            3 => Goal::Trajectory(&points),
            _ => Goal::Stick(Stick::towards(Vec3::Z, Gait::Run)),
        };
        let hand = HandTarget { position: Vec3::ONE, rotation: None };
        let input = MotionInput {
            goal,
            ground: if k % 7 < 3 { Some(&ground) } else { None },
            collide: if k % 5 < 2 { Some(&wall) } else { None },
            look_at: (k > 30).then_some(Vec3::Y),
            hands: [(k > 40).then_some(hand), None],
            ..MotionInput::default()
        };
        recorder.update(&mut matcher, &input, 0.05).unwrap();
    }
    recorder.trace().to_bytes().unwrap()
}

/// All paths, all interpolations, scale, markers, two takes.
fn every_path() -> Gltf {
    let mut file = person();
    let times: &[f32] = &[0.0, 0.5, 1.0];
    let spline: Vec<f32> = (0..36).map(|i| if i % 4 == 3 { 1.0 } else { 0.01 * i as f32 }).collect();
    let turns: Vec<f32> = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8], [1.0, 0.0, 0.0, 0.0]].concat();
    let scales: &[f32] = &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0];
    let ways: &[f32] = &[0.0, 1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 1.0];
    file.animation("walk", &[(1, "translation", "STEP", times, ways), (2, "rotation", "LINEAR", times, &turns)]);
    file.animation("bend", &[(3, "rotation", "CUBICSPLINE", times, &spline), (2, "scale", "LINEAR", times, scales)]);
    file.root["animations"][0]["extras"] = json!({"markers": [{"name": "step", "time": 0.5}]});
    file
}

/// Half of the values as changes of others, and times as normalised integers.
fn sparse() -> Gltf {
    let mut file = walker();
    let (index, value) = (file.view(&1u16.to_le_bytes()), file.view(bytes_of(&[0.0, 1.0, 2.0]).as_slice()));
    file.root["accessors"][1]["sparse"] = json!({
        "count": 1, "indices": {"bufferView": index, "componentType": 5123}, "values": {"bufferView": value},
    });
    let turns = file.view(&[0, 0, 0, 127, 0, 127, 0, 0]);
    let output = file
        .accessor(json!({"bufferView": turns, "componentType": 5120, "normalized": true, "count": 2, "type": "VEC4"}));
    let samplers = file.root["animations"][0]["samplers"].as_array_mut().unwrap();
    samplers.push(json!({"input": 0, "output": output}));
    let channels = file.root["animations"][0]["channels"].as_array_mut().unwrap();
    channels.push(json!({"sampler": 1, "target": {"node": 2, "path": "rotation"}}));
    file
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A node with a matrix, and bind poses.
fn matrix() -> Gltf {
    let mut file = walker();
    let unit = |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
    file.root["nodes"][2] = json!({"name": "Spine", "children": [3], "matrix": unit(0.5)});
    let binds = file.floats(&[unit(-1.0), unit(-1.5), unit(-2.0)].concat(), 16);
    file.root["skins"][0]["inverseBindMatrices"] = Value::from(binds);
    file
}
