//! Data of the matcher, drawn as gizmos.

use crate::components::{MotionKind, MotionOutput};
use crate::convert::from_matcher;
use crate::debug_data::DebugData;
use crate::plugin_state::PluginState;
use crate::sets::MotionSystems;
use bevy_app::prelude::*;
use bevy_color::{Alpha, Color, Hsla};
use bevy_ecs::prelude::*;
use bevy_gizmos::prelude::*;
use bevy_math::{Isometry3d, Vec3};
use bevy_reflect::prelude::*;
use footwork::advanced::schema::{DebugShape, FeatureSource, TrajectorySample};
use footwork::frames::JointIndex;
use footwork::matcher::Character;
use footwork::pose::{Pose, RootMotion};
use footwork::schema::Channel;

/// Plugin that draws characters with [`MotionGizmos`]. Needs Bevy's gizmos (`GizmoPlugin`, of `DefaultPlugins`).
#[derive(Clone, Copy, Debug, Default)]
pub struct FootworkDebugPlugin;

impl Plugin for FootworkDebugPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<MotionGizmos>()
            .add_systems(PostUpdate, watch.before(MotionSystems::Predict))
            .add_systems(PostUpdate, (follow, draw).chain().after(MotionSystems::WriteBack));
    }
}

/// Gizmos of a character.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionGizmos {
    /// Past, desired (bright) and matched (pale) trajectory. Default: true.
    pub trajectories: bool,
    /// All features of the last query, one colour per channel, with those of the matched row paler. Default: true.
    pub features: bool,
    /// Feet: green in contact, red while locked. Default: true.
    pub contacts: bool,
    /// Number of best candidates of the last search, drawn as line figures. Slow, because the search is repeated. Default: 0.
    pub candidates: usize,
}

impl Default for MotionGizmos {
    fn default() -> Self {
        Self { trajectories: true, features: true, contacts: true, candidates: 0 }
    }
}

/// Number of frames of the past path: 1.5 s at 60 frames per second.
const PAST: usize = 90;

/// Adds or removes the data for drawing, as a character has gizmos or not.
fn watch(mut characters: Query<(Option<&MotionGizmos>, &mut PluginState)>) {
    for (gizmos, mut plugin_state) in &mut characters {
        match gizmos {
            Some(gizmos) => {
                let seen = plugin_state.debug.get_or_insert_default();
                seen.candidates_wanted = gizmos.candidates;
            }
            None => plugin_state.debug = None,
        }
    }
}

fn follow(mut characters: Query<(&MotionKind, &MotionOutput, &mut PluginState)>) {
    for (kind, output, mut plugin_state) in &mut characters {
        let Some(seen) = &mut plugin_state.debug else { continue };
        seen.past.truncate(PAST - 1);
        seen.past.push_front(from_matcher(output.0.pose.world_from_root().translation, kind.scale));
    }
}

fn draw(mut gizmos: Gizmos, characters: Query<(&MotionGizmos, &MotionKind, &MotionOutput, &PluginState)>) {
    for (wanted, kind, output, plugin_state) in &characters {
        let Some(seen) = &plugin_state.debug else { continue };
        let (character, scale, pose) = (&kind.character, kind.scale, &output.0.pose);
        let root = pose.world_from_root();
        let world = |p: glam::Vec3| from_matcher(root.point(p), scale);
        draw_features(&mut gizmos, wanted, seen, (character, output), &world);
        if wanted.trajectories {
            gizmos.linestrip(seen.past.iter().map(|p| *p + Vec3::Y * 0.01), Color::BLACK.with_alpha(0.6));
        }
        if wanted.contacts {
            draw_contacts(&mut gizmos, character, output, &world);
        }
        for candidate in &seen.candidates {
            draw_figure(&mut gizmos, character, candidate, &world);
        }
    }
}

/// Draws the features of the last query, and those of the matched row paler.
fn draw_features(
    gizmos: &mut Gizmos,
    wanted: &MotionGizmos,
    seen: &DebugData,
    (character, output): (&Character, &MotionOutput),
    world: &impl Fn(glam::Vec3) -> Vec3,
) {
    let mut motion = RootMotion::zero(output.0.pose.len());
    motion.from_pose(character.skeleton(), &output.0.pose, &output.0.velocity);
    let trajectory = vec![TrajectorySample::default(); character.schema().times_s.len()];
    let contacts = vec![0; output.0.contacts.len()];
    let source =
        FeatureSource { motion: &motion, accelerations: &[], trajectory: &trajectory, contacts: &contacts, user: &[] };
    for (values, alpha) in [(&seen.matched, 0.35), (&seen.query, 1.0)] {
        if values.is_empty() {
            continue;
        }
        for (c, channel) in character.schema().channels.iter().enumerate() {
            if !(if channel.kind.is_trajectory() { wanted.trajectories } else { wanted.features }) {
                continue;
            }
            let colour = Hsla::hsl(137.5 * c as f32 % 360.0, 0.9, 0.5).with_alpha(alpha);
            draw_channel(gizmos, channel, (&source, values), colour, world);
        }
    }
}

/// Draws the values of one channel.
fn draw_channel(
    gizmos: &mut Gizmos,
    channel: &Channel,
    (source, values): (&FeatureSource, &[f32]),
    colour: Hsla,
    world: &impl Fn(glam::Vec3) -> Vec3,
) {
    let mut last: Option<Vec3> = None;
    channel.kind.draw(source, &values[channel.columns.clone()], &mut |shape| match shape {
        DebugShape::Point(p) => {
            gizmos.sphere(Isometry3d::from_translation(world(p)), 0.03, colour);
            if let Some(before) = last.filter(|_| channel.kind.is_trajectory()) {
                gizmos.line(before, world(p), colour);
            }
            last = Some(world(p));
        }
        DebugShape::Arrow { from, vector } => {
            gizmos.arrow(world(from), world(from + vector * 0.25), colour);
        }
    });
}

/// Draws feet in contact and locked feet.
fn draw_contacts(
    gizmos: &mut Gizmos,
    character: &Character,
    output: &MotionOutput,
    world: &impl Fn(glam::Vec3) -> Vec3,
) {
    for contact in &output.0.contacts {
        let at = world(output.0.pose.in_root(character.skeleton(), contact.joint).translation);
        let colour = match (contact.locked_s > 0.0, contact.touching) {
            (true, _) => Color::srgb(0.9, 0.15, 0.1),
            (_, true) => Color::srgb(0.1, 0.8, 0.2),
            _ => continue,
        };
        let flat = Isometry3d::new(at, bevy_math::Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
        gizmos.circle(flat, 0.09, colour);
    }
}

fn draw_figure(gizmos: &mut Gizmos, character: &Character, pose: &Pose, world: &impl Fn(glam::Vec3) -> Vec3) {
    let skeleton = character.skeleton();
    for j in 2..skeleton.len() {
        let Some(parent) = skeleton.parents()[j] else { continue };
        let [from, to] = [parent, JointIndex::new(j)].map(|j| world(pose.in_root(skeleton, j).translation));
        gizmos.line(from, to, Color::WHITE.with_alpha(0.25));
    }
}
