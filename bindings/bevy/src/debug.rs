//! Data of the matcher, drawn as gizmos.

use crate::character::{MotionKind, MotionOutput, PluginState};
use crate::convert::from_matcher;
use crate::schedule::MotionSystems;
use bevy_app::prelude::*;
use bevy_color::{Alpha, Color, Hsla};
use bevy_ecs::prelude::*;
use bevy_gizmos::prelude::*;
use bevy_math::{Isometry3d, Vec3};
use bevy_reflect::prelude::*;
use footwork::advanced::schema::{DebugShape, FeatureSource, TrajectorySample};
use footwork::database::Database;
use footwork::frames::{JointIndex, RowIndex};
use footwork::matcher::{Character, Output, Scratch};
use footwork::pose::{Pose, PoseVelocity, RootMotion};
use std::collections::VecDeque;

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

/// Data to draw. Features are raw, in root space.
#[derive(Default)]
pub(crate) struct DebugData {
    candidates_wanted: usize,
    query: Vec<f32>,
    matched: Vec<f32>,
    candidates: Vec<Pose>,
    past: VecDeque<Vec3>,
}

/// Number of frames of the past path: 1.5 s at 60 frames per second.
const PAST: usize = 90;

impl DebugData {
    /// Stores the search's results from the working memory, after a step.
    pub fn look(&mut self, character: &Character, scratch: &Scratch, output: &Output) {
        let Some(db) = character.database().filter(|_| output.searches > 0) else { return };
        self.query.clear();
        self.query.extend_from_slice(scratch.last_query());
        raw(db, &mut self.query);
        self.matched.clear();
        if let Some(found) = scratch.last_search().and_then(|s| s.found).filter(|f| !f.mirrored) {
            self.matched.extend_from_slice(db.features.row(found.row));
            raw(db, &mut self.matched);
        }
        self.candidates.clear();
        if self.candidates_wanted > 0
            && let Some(explanation) = character.explain(scratch, self.candidates_wanted)
        {
            let rows = explanation.candidates.iter().take(self.candidates_wanted).filter(|c| !c.mirrored);
            self.candidates.extend(rows.map(|c| pose_at(db, c.row)));
        }
    }
}

fn raw(db: &Database, features: &mut [f32]) {
    for (column, value) in features.iter_mut().enumerate() {
        *value = db.features.denormalize(column, *value);
    }
}

fn pose_at(db: &Database, row: RowIndex) -> Pose {
    let mut pose = Pose::rest(&db.skeleton);
    let mut velocity = PoseVelocity::zero(db.skeleton.len());
    db.sample_pose(db.row_frames[row.at()], 0.0, &mut pose, &mut velocity);
    pose.set_world_from_root(footwork::math::Transform::IDENTITY);
    pose
}

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
        let mut motion = RootMotion::zero(pose.len());
        motion.from_pose(character.skeleton(), pose, &output.0.velocity);
        let trajectory = vec![TrajectorySample::default(); character.schema().times_s.len()];
        let contacts = vec![0; output.0.contacts.len()];
        let source = FeatureSource {
            motion: &motion,
            accelerations: &[],
            trajectory: &trajectory,
            contacts: &contacts,
            user: &[],
        };
        for (values, alpha) in [(&seen.matched, 0.35), (&seen.query, 1.0)] {
            if values.is_empty() {
                continue;
            }
            for (c, channel) in character.schema().channels.iter().enumerate() {
                if !(if channel.kind.is_trajectory() { wanted.trajectories } else { wanted.features }) {
                    continue;
                }
                let colour = Hsla::hsl(137.5 * c as f32 % 360.0, 0.9, 0.5).with_alpha(alpha);
                let mut last: Option<Vec3> = None;
                channel.kind.draw(&source, &values[channel.columns.clone()], &mut |shape| match shape {
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
        }
        if wanted.trajectories {
            gizmos.linestrip(seen.past.iter().map(|p| *p + Vec3::Y * 0.01), Color::BLACK.with_alpha(0.6));
        }
        if wanted.contacts {
            for contact in &output.0.contacts {
                let at = world(pose.in_root(character.skeleton(), contact.joint).translation);
                let colour = match (contact.locked_s > 0.0, contact.touching) {
                    (true, _) => Color::srgb(0.9, 0.15, 0.1),
                    (_, true) => Color::srgb(0.1, 0.8, 0.2),
                    _ => continue,
                };
                let flat = Isometry3d::new(at, bevy_math::Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
                gizmos.circle(flat, 0.09, colour);
            }
        }
        for candidate in &seen.candidates {
            draw_figure(&mut gizmos, character, candidate, &world);
        }
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
