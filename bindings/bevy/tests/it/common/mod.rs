//! Apps without a window, and models without a mesh.

use bevy_app::prelude::*;
use bevy_app::{TaskPoolOptions, TaskPoolPlugin, TaskPoolThreadAssignmentPolicy};
use bevy_asset::{AssetPlugin, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use bevy_footwork::{MotionKind, MotionOutput};
use bevy_math::{Quat, Vec3};
use bevy_mesh::skinning::SkinnedMesh;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::prelude::*;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::skeleton::Skeleton;
use std::fmt::Write;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// Returns the built-in clips for level ground, without the long routes.
pub fn clips() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    DB.get_or_init(|| {
        let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
        Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
    })
    .clone()
}

/// Returns an app whose frames last `1 / hz` seconds, with a number of threads (which the first app of a process determines).
pub fn app(plugin: impl Plugin, hz: f64, threads: usize) -> App {
    let none = TaskPoolThreadAssignmentPolicy {
        min_threads: threads,
        max_threads: threads,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    };
    let task_pool_options = TaskPoolOptions { compute: none, ..TaskPoolOptions::default() };
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin { task_pool_options }, AssetPlugin::default(), TimePlugin, TransformPlugin));
    app.add_plugins(plugin);
    app.finish();
    app.cleanup();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / hz)));
    app
}

pub fn at_60_hz() -> App {
    app(FootworkPlugin::default(), 60.0, 1)
}

pub fn add_clips(app: &mut App, db: Arc<Database>) -> Handle<MotionDatabase> {
    app.world_mut().resource_mut::<Assets<MotionDatabase>>().add(MotionDatabase(db))
}

/// Adds a character with the built-in clips, and runs its first frame.
pub fn spawn(app: &mut App, more: impl Bundle) -> Entity {
    let clips = add_clips(app, clips());
    let entity = app.world_mut().spawn((MotionCharacter::new(clips), more)).id();
    until_ready(app, entity);
    entity
}

/// Updates until an entity has moved for the first time.
pub fn until_ready(app: &mut App, entity: Entity) {
    for _ in 0..10_000 {
        // Every frame has exactly one fixed step, including the last one.
        app.world_mut().resource_mut::<Time<Fixed>>().discard_overstep(Duration::MAX);
        app.update();
        if app.world().get::<MotionOutput>(entity).is_some() {
            app.world_mut().resource_mut::<Time<Fixed>>().discard_overstep(Duration::MAX);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the character was not made");
}

/// Updates until a condition holds.
pub fn until(app: &mut App, mut done: impl FnMut(&App) -> bool) {
    for _ in 0..10_000 {
        if done(app) {
            return;
        }
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("waited in vain");
}

pub fn walk(x: f32, z: f32) -> MotionInput {
    MotionInput::velocity(Vec3::new(x, 0.0, z))
}

pub fn output(app: &App, entity: Entity) -> &footwork::matcher::Output {
    &app.world().get::<MotionOutput>(entity).unwrap().0
}

pub fn character(app: &App, entity: Entity) -> Arc<footwork::matcher::Character> {
    app.world().get::<MotionKind>(entity).unwrap().character.clone()
}

pub fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).unwrap().translation
}

/// Differences of a model from the skeleton of the clips.
pub struct Look {
    /// Name for a joint of the built-in character.
    pub name: fn(&str) -> String,
    /// Factor of the length of the bone that ends in a joint.
    pub length: fn(&str) -> f32,
    /// Rotation of all joints' axes, in the joint's own space.
    pub axes: Quat,
    /// Angle of the arms below the clips' rest pose, in radians.
    pub arms_rad: f32,
    /// Units per metre below an armature, which is rotated as in Blender.
    pub armature: Option<f32>,
}

impl Default for Look {
    fn default() -> Self {
        Self { name: str::to_owned, length: |_| 1.0, axes: Quat::IDENTITY, arms_rad: 0.0, armature: None }
    }
}

/// Spawns the joints of a model below an entity, as a scene does. Returns them by the joints of the clips' skeleton.
pub fn spawn_model(app: &mut App, below: Entity, skeleton: &Skeleton, look: &Look) -> Vec<Entity> {
    let world = app.world_mut();
    // Rest pose of the model, in the model's space.
    let mut model: Vec<Transform> = Vec::new();
    for (j, name) in skeleton.names().iter().enumerate() {
        let rest = skeleton.rest()[j];
        let translation = Vec3::from_array(rest.translation.to_array()) * (look.length)(name);
        let mut rotation = Quat::from_array(rest.rotation.to_array());
        let above = skeleton.parents()[j].map_or(Transform::IDENTITY, |p| model[p.at()]);
        let lower = name.contains("Arm") && !name.contains("Fore");
        if lower {
            let side = if name.starts_with("Left") { -1.0 } else { 1.0 };
            let here = above.rotation * rotation;
            rotation = above.rotation.inverse() * Quat::from_rotation_z(side * look.arms_rad) * here;
        }
        model.push(above * Transform::from_translation(translation).with_rotation(rotation));
    }
    // The feet remain on the ground for any length of the legs.
    let toe = skeleton.names().iter().position(|n| n.contains("Toe")).unwrap();
    let was = skeleton.rest_model()[toe].translation.y;
    let rise = Vec3::Y * (was - model[toe].translation.y);
    let top = look.armature.map(|units| {
        Transform::from_rotation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2))
            .with_scale(Vec3::splat(units.recip()))
    });
    let root = top.map_or(below, |t| world.spawn((Name::new("Armature"), t, ChildOf(below))).id());
    let top = top.unwrap_or_default();
    let mut joints = Vec::new();
    let global = |j: usize| {
        let at = model[j];
        let lifted = if j == 0 { at.translation } else { at.translation + rise };
        let turned = if j == 0 { at.rotation } else { at.rotation * look.axes };
        Transform::from_translation(lifted).with_rotation(turned)
    };
    for j in 0..skeleton.len() {
        let parent = skeleton.parents()[j].map(|p| p.at());
        let above = parent.map_or(top, |p| {
            let g = global(p);
            g.with_scale(top.scale)
        });
        let local = GlobalTransform::from(global(j).with_scale(top.scale)).reparented_to(&GlobalTransform::from(above));
        let name = Name::new((look.name)(&skeleton.names()[j]));
        let above = parent.map_or(root, |p| joints[p]);
        joints.push(world.spawn((name, local, ChildOf(above))).id());
    }
    let skin = SkinnedMesh { joints: joints.clone(), ..SkinnedMesh::default() };
    world.spawn((skin, Transform::default(), ChildOf(below)));
    joints
}

/// Returns the position of an entity, from its chain of local transforms.
pub fn global(app: &App, entity: Entity) -> GlobalTransform {
    let mut at = GlobalTransform::IDENTITY;
    let mut next = Some(entity);
    while let Some(e) = next {
        at = GlobalTransform::from(*app.world().get::<Transform>(e).unwrap()) * at;
        next = app.world().get::<ChildOf>(e).map(ChildOf::parent);
    }
    at
}

pub fn run(app: &mut App, frames: usize) {
    (0..frames).for_each(|_| app.update());
}

/// Runs the body of a test in its own process, because the number of threads and the allocations are per process.
pub fn alone(test: &str, body: impl FnOnce()) {
    const INSIDE: &str = "FOOTWORK_TEST_ALONE";
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let ran = command.args(["--exact", test, "--nocapture"]).env(INSIDE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    println!("{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && said.contains("1 passed"), "{test} failed in its own process");
}

/// Logger that stores warnings and errors.
pub struct Log(pub &'static Mutex<Vec<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _span: &tracing::span::Id, _values: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _span: &tracing::span::Id, _follows: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Words(String);
        impl tracing::field::Visit for Words {
            fn record_debug(&mut self, _field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                let _ = write!(self.0, "{value:?} ");
            }
        }
        let mut words = Words(String::new());
        event.record(&mut words);
        self.0.lock().unwrap().push(words.0);
    }

    fn enter(&self, _span: &tracing::span::Id) {}

    fn exit(&self, _span: &tracing::span::Id) {}
}
