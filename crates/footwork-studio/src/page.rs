//! Web page: the studio in a canvas.

use crate::app::{App, Start};
use crate::minute::{Poses, minute};
use crate::web::listen;
use eframe::{Frame, Storage, WebOptions, WebRunner};
use js_sys::{Array, Object, Reflect};
use std::time::Duration;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

/// Shows the studio in a canvas.
///
/// # Errors
/// Returns an error if the browser has no WebGL.
#[wasm_bindgen]
pub async fn start(canvas: HtmlCanvasElement) -> Result<(), JsValue> {
    listen(&canvas);
    let page = |context: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> {
        let app = App::new(&Start::default(), context.storage);
        Ok(Box::new(Page { app, was_loading: false, loads: 0 }))
    };
    WebRunner::new().start(canvas, WebOptions::default(), Box::new(page)).await
}

/// Returns the hash of [`minute`], computed in the page.
///
/// # Errors
/// Same as [`minute`].
#[wasm_bindgen]
pub fn footwork_minute() -> Result<String, String> {
    minute()
}

/// Application with a state that scripts outside the page can read: `window.footwork`.
struct Page {
    app: App,
    was_loading: bool,
    /// Number of times that files were opened.
    loads: u32,
}

impl Page {
    fn tell(&mut self) {
        let loading = self.app.is_loading();
        self.loads += u32::from(loading && !self.was_loading);
        self.was_loading = loading;
        let told = Object::new();
        let set = |key: &str, value: JsValue| {
            // Setting a key of a new object cannot fail.
            let _ = Reflect::set(&told, &key.into(), &value);
        };
        set("loading", loading.into());
        set("loads", self.loads.into());
        set("message", self.app.message().map_or(JsValue::NULL, JsValue::from_str));
        if let Some(studio) = self.app.studio() {
            let session = &studio.session;
            let header = &session.shown().state().header;
            let place = header.root.simulation.position;
            let mut poses = Poses::default();
            poses.add(session.shown().pose());
            set("data", session.name.as_str().into());
            set("live", session.is_live().into());
            set("update", session.shown_update().map_or(JsValue::NULL, |update| (update as f64).into()));
            set("seconds", header.clock.time_s.into());
            set("position", Array::of3(&place.x.into(), &place.y.into(), &place.z.into()).into());
            set("pose", poses.hash().into());
        }
        let _ = Reflect::set(&js_sys::global(), &"footwork".into(), &told);
    }
}

impl eframe::App for Page {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut Frame) {
        self.app.show(ui);
        self.tell();
    }

    fn save(&mut self, storage: &mut dyn Storage) {
        eframe::App::save(&mut self.app, storage);
    }

    fn auto_save_interval(&self) -> Duration {
        eframe::App::auto_save_interval(&self.app)
    }
}
