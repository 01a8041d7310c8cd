//! Viewport: the figure on its ground, paths, features, candidates.

use crate::camera::Orbit;
use crate::mode::Mode;
use crate::scene::{Layers, Scenery, Subject};
use crate::session::Session;
use crate::style::Scene;
use egui::{Align2, FontId, Key, PointerButton, Sense};
use footwork::frames::ClipIndex;
use footwork::math::Transform;
use footwork::pose::{Pose, PoseVelocity};
use footwork_draw::paint;
use footwork_draw::shapes::Picture;

/// Height of the point that the camera turns around, as a share of the body's height.
const EYE_SHARE: f32 = 0.52;
/// Hint shown until the user drives the character.
const HINT: &str = "W A S D or arrows: walk   shift: run   space: face ahead   drag: camera   wheel: zoom   P: pause";

/// Pose of a candidate, drawn beside the character's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ghost {
    pub clip: ClipIndex,
    pub time_s: f64,
    pub mirrored: bool,
}

/// Viewport panel.
#[derive(Debug, Default)]
pub struct Viewport {
    /// Camera.
    pub orbit: Orbit,
    /// Drawn layers.
    pub layers: Layers,
    world: Vec<Transform>,
    driven: bool,
}

impl Viewport {
    /// Draws the character shown, and handles the mouse.
    pub(crate) fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session, ghosts: &[Ghost], dt_s: f32) {
        let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
        let view = response.rect;
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "viewport"));
        if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Secondary) {
            self.orbit.drag(response.drag_delta());
        }
        if response.clicked() {
            // Gives the keys back to driving.
            ui.memory_mut(|memory| {
                if let Some(id) = memory.focused() {
                    memory.surrender_focus(id)
                }
            });
        }
        if response.hovered() {
            let (wheel, pinch) = ui.input(|i| (i.smooth_scroll_delta.y, i.zoom_delta()));
            self.orbit.zoom(pinch * (1.0 + 0.002 * wheel).clamp(0.5, 2.0));
        }
        let keys = [Key::W, Key::A, Key::S, Key::D, Key::ArrowUp, Key::ArrowDown, Key::ArrowLeft, Key::ArrowRight];
        self.driven |= ui.input(|i| keys.iter().any(|k| i.key_down(*k)));

        session.world(&mut self.world);
        let Some(root) = self.world.first().copied() else { return };
        let kind = session.shown_ground();
        let level_m = session.level_m();
        let height_m = match kind.is_level() {
            true => level_m.unwrap_or(root.translation.y),
            false => kind.at(root.translation).height_m,
        };
        let eye_m = EYE_SHARE * session.figure.height_m;
        self.orbit.follow(root.translation.with_y(height_m + eye_m), dt_s);

        let colours = Scene::of(ui.visuals().dark_mode);
        let lens = self.orbit.lens(view);
        let mut picture = Picture { width: view.width(), height: view.height(), ..Picture::default() };
        let scenery = Scenery {
            lens: &lens,
            colours,
            size: [view.width(), view.height()],
            ground: kind,
            level_m: level_m.unwrap_or(0.0),
        };
        scenery.ground(&mut picture, root.translation);
        let subject = Subject { session, world: &self.world, root };
        scenery.shadow(&mut picture, &subject);
        scenery.paths(&mut picture, &subject, &self.layers);
        let poses: Vec<Vec<Transform>> = ghosts.iter().map(|g| ghost_pose(session, g, root)).collect();
        for pose in &poses {
            scenery.ghost(&mut picture, session, pose);
        }
        scenery.figure(&mut picture, &subject);
        scenery.contacts(&mut picture, &subject, &self.layers);
        scenery.features(&mut picture, &subject, &self.layers);
        let painter = painter.with_clip_rect(view);
        painter.rect_filled(view, 0.0, paint::colour(colours.sky));
        paint::paint(&painter, view.min, &picture);
        self.words(&painter, view, session, colours);
    }

    fn words(&self, painter: &egui::Painter, view: egui::Rect, session: &Session, colours: Scene) {
        let colour = paint::colour(colours.words);
        let font = FontId::proportional(13.0);
        let said = match &session.mode {
            Mode::Live => {
                let (clip, header) =
                    (session.shown().clip_name().unwrap_or("networks"), &session.shown().state().header);
                let (time_s, speed) = (header.playback.playing.time_s, header.root.simulation.velocity.length());
                let whose = session.following().map_or(String::new(), |following| format!("{}    ", following.name));
                format!("{whose}{clip}  {time_s:.2} s    {speed:.1} m/s")
            }
            Mode::Review(review) => {
                let matcher = review.replay.matcher();
                let (clip, playing) =
                    (matcher.clip_name().unwrap_or("networks"), matcher.state().header.playback.playing);
                format!("recorded, {:.2} s    {clip}  {:.2} s", review.trace.time_s(review.update), playing.time_s)
            }
            Mode::Clip(player) => {
                let clip = &session.database.clips[player.clip.at()];
                format!("clip {}  {:.2} s", clip.name, player.time_s)
            }
        };
        painter.text(view.left_top() + egui::vec2(10.0, 8.0), Align2::LEFT_TOP, said, font.clone(), colour);
        if !self.driven && session.is_live() && session.following().is_none() {
            let at = view.center_bottom() - egui::vec2(0.0, 12.0);
            painter.text(at, Align2::CENTER_BOTTOM, HINT, font, colour);
        }
    }
}

/// Returns a candidate's pose at the character's position.
fn ghost_pose(session: &Session, ghost: &Ghost, root: Transform) -> Vec<Transform> {
    let db = &session.database;
    let mut pose = Pose::rest(&db.skeleton);
    let view = db.view(ghost.clip, ghost.mirrored && !db.clips[ghost.clip.at()].mirrored);
    view.sample(ghost.time_s, &mut pose, &mut PoseVelocity::zero(db.skeleton.len()));
    pose.set_world_from_root(root);
    let mut world = Vec::new();
    pose.world(&db.skeleton, &mut world);
    world
}
