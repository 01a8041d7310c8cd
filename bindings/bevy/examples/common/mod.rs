//! Parts shared by all examples, which a game has anyway: ground with a grid of one metre, light, a camera that follows, keys.
//!
//! `--picture FILE` saves a picture after some seconds (`--after S`, default 2.5) and quits. The characters then walk without
//! input.
#![allow(dead_code)]

use bevy::image::{ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap};
use bevy::math::Affine2;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, PipelineCache, TextureDimension, TextureFormat};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy::time::TimeUpdateStrategy;
use bevy_footwork::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Asset paths of the built-in character.
pub const CLIPS: &str = "embedded://footwork/person.fwdb";
pub const MANNEQUIN: &str = "embedded://footwork/person.glb#Scene0";

/// Ground, light, camera and pictures.
pub struct Stage;

/// Marker of entities that the camera follows; it follows their mean position.
#[derive(Component)]
pub struct Followed;

/// Position of the camera behind and above, in metres. The arrow keys turn it.
#[derive(Resource)]
pub struct View {
    pub distance_m: f32,
    pub height_m: f32,
    pub yaw_rad: f32,
    /// Distance of the followed position to the left of the picture's middle, in metres.
    pub left_m: f32,
    /// Height of the point that the camera looks at, above the followed position, in metres.
    pub chest_m: f32,
}

#[derive(Resource)]
struct Picture {
    file: String,
    after_s: f32,
    seen_s: f32,
    /// Frames that were drawn since the last shader was compiled.
    drawn_frames: u32,
}

/// Frames with all shaders after which a picture is complete: a new shader may be missing a few frames after the others are there.
const STEADY_FRAMES: u32 = 5;

/// Number of shaders that are not compiled yet, for the game and the renderer.
#[derive(Resource, Clone, Default)]
struct WaitingShaders(Arc<AtomicUsize>);

impl Plugin for Stage {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(Color::srgb(0.62, 0.70, 0.78)))
            .insert_resource(GlobalAmbientLight { brightness: 500.0, ..default() })
            .insert_resource(DirectionalLightShadowMap { size: 2048 })
            .insert_resource(View { distance_m: 3.8, height_m: 0.9, yaw_rad: 0.0, left_m: 0.0, chest_m: 0.95 })
            .add_systems(Startup, (light, ground))
            .add_systems(Update, turn_camera)
            .add_systems(PostUpdate, follow.after(MotionSystems::WriteBack).before(TransformSystems::Propagate));
        if let Some(file) = argument("--picture") {
            let after_s = argument("--after").and_then(|s| s.parse().ok()).unwrap_or(2.5);
            app.insert_resource(Picture { file, after_s, seen_s: 0.0, drawn_frames: 0 });
            let waiting = WaitingShaders::default();
            if let Some(renderer) = app.get_sub_app_mut(RenderApp) {
                renderer
                    .insert_resource(waiting.clone())
                    .add_systems(Render, count_shaders.in_set(RenderSystems::Cleanup));
            }
            app.insert_resource(waiting);
            app.add_systems(Startup, |mut window: Single<&mut Window>| window.resolution.set(960.0, 540.0));
            app.add_systems(Update, take_picture);
            // Fixed time steps, so that pictures do not depend on the machine's speed.
            app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(50)));
        }
    }
}

/// Returns the argument after a flag.
pub fn argument(flag: &str) -> Option<String> {
    std::env::args().skip_while(|a| a != flag).nth(1)
}

pub fn flag(flag: &str) -> bool {
    std::env::args().any(|a| a == flag)
}

/// Returns the arguments that are neither flags nor their values.
pub fn files() -> Vec<String> {
    let mut arguments = std::env::args().skip(1);
    let mut files = Vec::new();
    while let Some(a) = arguments.next() {
        if a == "--picture" || a == "--after" {
            arguments.next();
        } else if !a.starts_with("--") {
            files.push(a);
        }
    }
    files
}

/// Returns the built-in character at a position.
pub fn person(assets: &AssetServer, at: Vec3) -> impl Bundle {
    (
        MotionCharacter::new(assets.load(CLIPS)),
        WorldAssetRoot(assets.load(MANNEQUIN)),
        Transform::from_translation(at),
        Followed,
    )
}

/// Returns the direction of WASD or of a gamepad's left stick; straight ahead in pictures.
pub fn stick(keys: &ButtonInput<KeyCode>, pads: &Query<&Gamepad>) -> Vec2 {
    if flag("--picture") {
        return Vec2::Y;
    }
    let axis = |minus, plus| f32::from(keys.pressed(plus)) - f32::from(keys.pressed(minus));
    let pushed = Vec2::new(axis(KeyCode::KeyA, KeyCode::KeyD), axis(KeyCode::KeyS, KeyCode::KeyW));
    let pads: Vec2 = pads.iter().map(|p| p.left_stick()).sum();
    (pushed + pads).clamp_length_max(1.0)
}

/// Adds a box on the ground.
pub fn block(
    commands: &mut Commands,
    meshes: &mut Assets<Mesh>,
    materials: &mut Assets<StandardMaterial>,
    size: Vec3,
    at: Transform,
) -> Entity {
    let material =
        StandardMaterial { base_color: Color::srgb(0.75, 0.72, 0.66), perceptual_roughness: 0.9, ..default() };
    commands.spawn((Mesh3d(meshes.add(Cuboid::from_size(size))), MeshMaterial3d(materials.add(material)), at)).id()
}

fn light(mut commands: Commands) {
    let sun = DirectionalLight { illuminance: 9_000.0, shadow_maps_enabled: true, ..default() };
    let cascades = CascadeShadowConfigBuilder { maximum_distance: 30.0, first_cascade_far_bound: 8.0, ..default() };
    let at = Transform::from_xyz(-3.0, 6.0, -4.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((sun, cascades.build(), at));
    let sky = DistanceFog {
        color: Color::srgb(0.62, 0.70, 0.78),
        falloff: FogFalloff::Linear { start: 25.0, end: 70.0 },
        ..default()
    };
    commands.spawn((Camera3d::default(), MotionViewer, sky, Transform::from_xyz(0.0, 2.0, -5.0)));
}

/// Adds a ground of squares of one metre, with every fifth line darker.
fn ground(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
) {
    const SIZE_M: f32 = 200.0;
    const PERIOD: u32 = 5;
    const TEXELS: u32 = 32;
    let side = PERIOD * TEXELS;
    let mut texels = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let line = |v: u32| v.is_multiple_of(TEXELS);
            let heavy = x < 2 || y < 2;
            let shade = match (heavy, line(x) || line(y), (x / TEXELS + y / TEXELS) % 2) {
                (true, ..) => 60,
                (_, true, _) => 92,
                (.., 0) => 124,
                _ => 134,
            };
            texels.extend([shade, shade, shade + 6, 255]);
        }
    }
    let size = Extent3d { width: side, height: side, depth_or_array_layers: 1 };
    let mut image = Image::new(size, TextureDimension::D2, texels, TextureFormat::Rgba8UnormSrgb, default());
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::Repeat,
        address_mode_v: ImageAddressMode::Repeat,
        anisotropy_clamp: 8,
        ..ImageSamplerDescriptor::linear()
    });
    let material = StandardMaterial {
        base_color_texture: Some(images.add(image)),
        uv_transform: Affine2::from_scale(Vec2::splat(SIZE_M / PERIOD as f32)),
        perceptual_roughness: 1.0,
        reflectance: 0.1,
        ..default()
    };
    let plane = meshes.add(Plane3d::default().mesh().size(SIZE_M, SIZE_M));
    commands.spawn((Mesh3d(plane), MeshMaterial3d(materials.add(material))));
}

fn turn_camera(keys: Res<ButtonInput<KeyCode>>, pads: Query<&Gamepad>, time: Res<Time>, mut view: ResMut<View>) {
    let axis = |minus, plus| f32::from(keys.pressed(plus)) - f32::from(keys.pressed(minus));
    let pad: f32 = pads.iter().map(|p| p.right_stick().x).sum();
    view.yaw_rad -= (axis(KeyCode::ArrowLeft, KeyCode::ArrowRight) + pad) * 2.0 * time.delta_secs();
}

/// Moves the camera behind the followed position, looking at the chest.
fn follow(
    followed: Query<&Transform, (With<Followed>, Without<Camera3d>)>,
    mut camera: Single<&mut Transform, With<Camera3d>>,
    view: Res<View>,
) {
    let count = followed.iter().count().max(1) as f32;
    let middle = followed.iter().map(|t| t.translation).sum::<Vec3>() / count;
    let turned = Quat::from_rotation_y(view.yaw_rad);
    let middle = middle + turned * Vec3::new(-view.left_m, view.chest_m, 0.0);
    let away = turned * Vec3::new(0.0, view.height_m, -view.distance_m);
    **camera = Transform::from_translation(middle + away).looking_at(middle, Vec3::Y);
}

/// Runs for some time without drawing, then pauses until all shaders are compiled, which is slow on a processor, and takes the
/// picture.
fn take_picture(
    mut commands: Commands,
    mut picture: ResMut<Picture>,
    characters: Query<(), With<MotionModel>>,
    mut cameras: Query<&mut Camera>,
    waiting: Res<WaitingShaders>,
    time: Res<Time>,
) {
    // The time counts from the first visible character.
    if !characters.is_empty() {
        picture.seen_s += time.delta_secs();
    }
    let is_drawn = picture.seen_s > picture.after_s;
    cameras.iter_mut().for_each(|mut camera| camera.is_active = is_drawn);
    if !is_drawn || picture.drawn_frames > STEADY_FRAMES {
        return;
    }
    commands.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    picture.drawn_frames = if waiting.0.load(Ordering::Relaxed) == 0 { picture.drawn_frames + 1 } else { 0 };
    if picture.drawn_frames > STEADY_FRAMES {
        let mut save = save_to_disk(picture.file.clone());
        let save_and_quit = move |captured: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
            save(captured);
            exit.write(AppExit::Success);
        };
        commands.spawn(Screenshot::primary_window()).observe(save_and_quit);
    }
}

/// Counts the shaders that are not compiled yet.
fn count_shaders(pipelines: Res<PipelineCache>, waiting: Res<WaitingShaders>) {
    waiting.0.store(pipelines.waiting_pipelines().count(), Ordering::Relaxed);
}
