//! Tests of a character without a database: another source of motion, another chooser.

use super::character::{Character, Choose};
use super::character::{Choice, Chooser};
use super::memo::Memo;
use super::model::Model;
use super::playing::Playing;
use super::source::{MotionSource, Playhead, SourceScratch, Span};
use super::{MatcherConfig, step};
use crate::adjust::two_bone_ik::{BentLeg, Reach};
use crate::blend::TransitionConfig;
use crate::database::{TagMask, TagQuery};
use crate::frames::{ClipIndex, EventId, JointIndex};
use crate::input::{Gait, MotionInput, Stick};
use crate::math::{Quat, Transform};
use crate::pose::{Pose, PoseVelocity};
use crate::rig::{Leg, Rig};
use crate::roles::JointRoles;
use crate::schema::{FeatureSchema, Preset, SourceBuffers, TrajectorySample};
use crate::skeleton::Skeleton;
use glam::Vec3;
use std::sync::Arc;

/// Walks straight ahead at 1 m/s without an end, and counts ticks in its memory. Its memo keeps the first count.
#[derive(Debug)]
struct Ahead;

impl MotionSource for Ahead {
    fn scratch(&self) -> SourceScratch {
        SourceScratch::new(self.memo())
    }
    fn memo(&self) -> Memo {
        Memo::new(1, 1, 1)
    }
    fn exchange(&self, memo: &mut Memo, room: &mut SourceScratch) {
        std::mem::swap(room.of().unwrap(), memo);
    }
    fn memory_width(&self) -> usize {
        1
    }
    fn tick(&self, _: &Playing, memory: &mut [f32], room: &mut SourceScratch) {
        memory[0] += 1.0;
        room.of::<Memo>().unwrap().find(1, &[0.0], |first| first[0] = memory[0]);
    }
    fn has(&self, playing: &Playing) -> bool {
        playing.clip.at() < 2
    }
    fn span(&self, _: ClipIndex) -> Span {
        Span { seconds: f64::INFINITY, looping: false }
    }
    fn root_velocity(&self, _: Playhead, _: &mut SourceScratch) -> Vec3 {
        Vec3::Z
    }
    fn displacement(&self, at: Playhead, _: &mut SourceScratch, to_s: f64) -> Transform {
        Transform { translation: Vec3::Z * (to_s - at.playing.time_s) as f32, ..Transform::IDENTITY }
    }
    fn pose(&self, at: Playhead, _: &mut SourceScratch, pose: &mut Pose, velocity: &mut PoseVelocity) {
        // The memory is visible in the pose.
        pose.rotations[1] = Quat::from_rotation_y(at.memory[0] * 1e-3);
        velocity.linear[0] = Vec3::Z;
    }
    fn some_joints(
        &self,
        at: Playhead,
        room: &mut SourceScratch,
        _: &[bool],
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        self.pose(at, room, pose, velocity);
    }
    fn trajectory(&self, _: Playhead, _: &mut SourceScratch, ahead_s: f32) -> TrajectorySample {
        TrajectorySample { position: Vec3::Z * ahead_s, velocity: Vec3::Z, ..TrajectorySample::default() }
    }
    fn features(&self, _: Playhead, _: &mut SourceScratch, _: bool, _: &mut SourceBuffers) {}
    fn contacts(&self, _: Playhead, _: &mut SourceScratch, out: &mut [u8]) {
        out.fill(0);
    }
    fn next_contact_s(&self, _: Playhead, _: &mut SourceScratch, _: usize) -> (f32, f32) {
        (f32::INFINITY, 0.0)
    }
    fn curves(&self, _: Playhead, _: &mut SourceScratch, _: &mut [f32]) {}
    fn tags(&self, _: Playhead) -> TagMask {
        TagMask::default()
    }
    fn events(&self, _: Playhead, _: f64, _: &mut dyn FnMut(f64, EventId)) {}
}

/// Plays the other of two clips at every search, with a memory of its own.
#[derive(Debug)]
struct InTurns;

impl Chooser for InTurns {
    fn rest(&self, _: &Character) -> Playing {
        Playing { clip: ClipIndex(0), mirrored: false, time_s: 0.0 }
    }
    fn enter(&self, _: &mut Choose) -> Playing {
        Playing { clip: ClipIndex(1), mirrored: false, time_s: 0.0 }
    }
    fn choose(&self, at: &mut Choose, _: bool) -> Choice {
        at.scratch.memory[0] = 100.0;
        let clip = ClipIndex(1 - at.state.header.playback.playing.clip.0);
        Choice::Transition(Playing { clip, mirrored: false, time_s: 0.0 })
    }
}

/// Stands on two feet: high in one clip, deep and further back in the other. The feet are at the same places in both.
#[derive(Debug)]
struct Stances([Pose; 2]);

/// Places of the feet of [`Stances`], in root space.
const FEET: [Vec3; 2] = [Vec3::new(0.1, 0.05, 0.0), Vec3::new(-0.1, 0.05, 0.0)];

impl Stances {
    fn of(skeleton: &Skeleton, contacts: &[JointIndex]) -> Self {
        let reach = Reach { kept_m: 0.0, soft_m: 0.0 };
        Self([Vec3::new(0.0, 0.9, 0.0), Vec3::new(0.0, 0.6, -0.2)].map(|hips| {
            let mut pose = Pose::rest(skeleton);
            pose.translations[1] = hips;
            for (leg, foot) in Leg::find(skeleton, &JointRoles::default(), contacts).into_iter().flatten().zip(FEET) {
                let mut leg = BentLeg::of(skeleton, &pose, leg);
                leg.reach(foot, reach);
                leg.write(&mut pose);
            }
            pose
        }))
    }
}

impl MotionSource for Stances {
    fn memory_width(&self) -> usize {
        1
    }
    fn tick(&self, _: &Playing, _: &mut [f32], _: &mut SourceScratch) {}
    fn has(&self, playing: &Playing) -> bool {
        playing.clip.at() < 2
    }
    fn span(&self, _: ClipIndex) -> Span {
        Span { seconds: f64::INFINITY, looping: false }
    }
    fn root_velocity(&self, _: Playhead, _: &mut SourceScratch) -> Vec3 {
        Vec3::ZERO
    }
    fn displacement(&self, _: Playhead, _: &mut SourceScratch, _: f64) -> Transform {
        Transform::IDENTITY
    }
    fn pose(&self, at: Playhead, _: &mut SourceScratch, pose: &mut Pose, velocity: &mut PoseVelocity) {
        pose.copy_from(&self.0[at.playing.clip.at()]);
        velocity.scale(0.0);
    }
    fn some_joints(
        &self,
        at: Playhead,
        room: &mut SourceScratch,
        _: &[bool],
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        self.pose(at, room, pose, velocity);
    }
    fn trajectory(&self, _: Playhead, _: &mut SourceScratch, _: f32) -> TrajectorySample {
        TrajectorySample::default()
    }
    fn features(&self, _: Playhead, _: &mut SourceScratch, _: bool, _: &mut SourceBuffers) {}
    fn contacts(&self, _: Playhead, _: &mut SourceScratch, out: &mut [u8]) {
        out.fill(1);
    }
    fn next_contact_s(&self, _: Playhead, _: &mut SourceScratch, _: usize) -> (f32, f32) {
        (0.0, 0.0)
    }
    fn curves(&self, _: Playhead, _: &mut SourceScratch, _: &mut [f32]) {}
    fn tags(&self, _: Playhead) -> TagMask {
        TagMask::default()
    }
    fn events(&self, _: Playhead, _: f64, _: &mut dyn FnMut(f64, EventId)) {}
}

#[test]
fn a_foot_that_is_at_the_same_place_in_both_clips_stays_there_during_the_blend() {
    let joint = |x: f32, y: f32| Transform { translation: Vec3::new(x, y, 0.0), ..Transform::IDENTITY };
    let mut rest = vec![joint(0.0, 0.0), joint(0.0, 0.9)];
    let mut parents = vec![None, Some(0)];
    for side in [0.1, -0.1] {
        let hip = rest.len();
        rest.extend([joint(side, -0.05), joint(0.0, -0.45), joint(0.0, -0.45)]);
        parents.extend([Some(1), Some(hip), Some(hip + 1)]);
    }
    let names = (0..rest.len()).map(|j| format!("j{j}")).collect();
    let parents = parents.into_iter().map(|p| p.map(JointIndex::new)).collect();
    let skeleton = Skeleton::new(names, parents, rest).unwrap();
    let contacts = [4, 7].map(JointIndex::new);
    let strays_m = |feet_half_life_s| {
        let mut config = MatcherConfig::default();
        config.transition.feet_half_life_s = feet_half_life_s;
        config.feet.enabled = false;
        let source = Arc::new(Stances::of(&skeleton, &contacts));
        let character = character_of(skeleton.clone(), &contacts, source, config);
        let mut states = [character.state_at(Transform::IDENTITY).unwrap()];
        let (mut scratch, mut outputs) = (character.scratch(), [character.output()]);
        let input = MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk));
        let mut strays_m = 0.0f32;
        for _ in 0..120 {
            step(&character, &[input], 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
            for (foot, joint) in FEET.iter().zip(contacts) {
                let shown = outputs[0].pose.in_root(&skeleton, joint).translation;
                strays_m = strays_m.max((shown - *foot).length());
            }
        }
        assert!(states[0].header.transition.count > 10);
        strays_m
    };
    let (points, rotations) = (strays_m(TransitionConfig::default().feet_half_life_s), strays_m(0.0));
    assert!(points < 2e-3 && rotations > 0.03, "{points} {rotations}");
}

pub(crate) fn character() -> Character {
    let rest = vec![Transform::IDENTITY, Transform { translation: Vec3::Y, ..Transform::IDENTITY }];
    let names = ["root", "hips"].map(str::to_owned).to_vec();
    let skeleton = Skeleton::new(names, vec![None, Some(JointIndex(0))], rest).unwrap();
    character_of(skeleton, &[], Arc::new(Ahead), MatcherConfig::default())
}

fn character_of(
    skeleton: Skeleton,
    contacts: &[JointIndex],
    source: Arc<dyn MotionSource>,
    config: MatcherConfig,
) -> Character {
    let specs: Vec<_> = Preset::Holden.channels().into_iter().filter(|c| c.joint.is_none()).collect();
    let schema = FeatureSchema::resolve(&specs, &[], &skeleton, &[]).unwrap();
    let model = Model {
        rig: Rig::find(&skeleton, JointRoles::default(), contacts),
        translated: (0..skeleton.len().min(2)).map(JointIndex::new).collect(),
        feature_offset: vec![0.0; schema.columns],
        feature_scale: vec![1.0; schema.columns],
        tags: vec![],
        tags_in_use: TagMask::default(),
        events: vec![],
        curves: 0,
        pose_rate_hz: 60.0,
        stick: Default::default(),
        hash: 7,
        skeleton,
        schema,
    };
    Character::from_parts(Arc::new(model), source, Arc::new(InTurns), config).unwrap()
}

#[test]
fn a_character_without_a_database_plays_any_source_that_any_chooser_chooses() {
    let character = character();
    let mut states = [character.state_at(Transform::IDENTITY).unwrap()];
    let (mut scratch, mut outputs) = (character.scratch(), [character.output()]);
    let mut walk = |input: MotionInput| {
        for _ in 0..60 {
            step(&character, &[input], 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
        }
        (outputs[0].pose.world_from_root().translation, states[0].clone())
    };
    let (root, state) = walk(MotionInput::default());
    assert!((root.z - 1.0).abs() < 0.02 && root.x == 0.0, "{root}");
    assert_eq!(state.header.transition.count, 0, "nobody steers");
    let (further, state) = walk(MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk)));
    assert!(further.z > 1.8 && further.x == 0.0, "{further}");
    assert!((9..=11).contains(&state.header.transition.count), "{}", state.header.transition.count);
    // A few ticks have passed since the last transition.
    let memory = state.block[character.resolved.layout.memory.clone()][0];
    assert!((100.0..108.0).contains(&memory), "{memory}");
    assert!(character.database().is_none() && character.explain(&scratch, 3).is_none());
    assert_eq!(state.check(&character, 0), Ok(()));
}

#[test]
fn a_tag_that_no_motion_has_is_told_by_name() {
    let tags = ["walk", "crouch"].map(str::to_owned).to_vec();
    let model = Model { tags, tags_in_use: TagMask::of(0), ..character().model.as_ref().clone() };
    let missing = |tags| model.missing_tag(&TagQuery::all_of(tags).unwrap());
    assert_eq!(missing(TagMask::of(0)), None);
    assert_eq!(missing(TagMask::of(0) | TagMask::of(1)).as_deref(), Some("crouch"));
    assert_eq!(missing(TagMask::of(70)).as_deref(), Some("70"));
}

#[test]
fn the_memo_of_each_character_of_a_crowd_stays_in_its_output() {
    let character = character();
    let mut states = [(); 2].map(|()| character.state_at(Transform::IDENTITY).unwrap());
    // The second one has ticked before.
    states[1].block[character.resolved.layout.memory.clone()][0] = 50.0;
    let (mut scratch, mut outputs) = (character.scratch(), [character.output(), character.output()]);
    for _ in 0..10 {
        step(&character, &[MotionInput::default(); 2], 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
    }
    let first = outputs.map(|mut output| {
        let at = output.memo.find(1, &[0.0], |_| panic!("it is empty"));
        output.memo.result(at)[0]
    });
    assert_eq!(first, [1.0, 51.0]);
}
