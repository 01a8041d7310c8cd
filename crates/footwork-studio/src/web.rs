//! Services of the web page: dropped or selected files, downloads, gamepads. All data stays in the page.

use crate::open::{Chosen, Files, KINDS};
use footwork_panels::{Hands, Session};
use glam::Vec2;
use js_sys::{Array, Uint8Array};
use std::path::Path;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

#[wasm_bindgen(module = "/src/page.js")]
extern "C" {
    /// Reads files that are dropped onto the canvas.
    pub(crate) fn listen(canvas: &HtmlCanvasElement);
    /// Opens the file dialog of the browser.
    #[wasm_bindgen(js_name = choose)]
    fn choose_files(kinds: &str);
    /// Returns the next dropped or selected files once they are read: `[[name, bytes], ..]`, or an error message.
    #[wasm_bindgen(js_name = received)]
    fn received_files() -> JsValue;
    /// Returns for each gamepad: left stick, right stick, right trigger, left trigger.
    fn gamepads() -> Vec<f32>;
    fn download(name: &str, bytes: &[u8]);
}

/// Offers a file as a download. Returns its location for the user.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<String, String> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    download(&name, bytes);
    Ok(format!("{name}, among your downloads"))
}

/// Does nothing, as a download replaces no file.
pub(crate) fn check_unchanged(_: &Path, _: Option<&str>, _: &str) -> Result<(), String> {
    Ok(())
}

/// File dialog of the browser.
#[derive(Debug, Default)]
pub(crate) struct Chooser;

impl Chooser {
    /// True if folders can be selected.
    pub const FOLDERS: bool = false;

    /// Opens the dialog.
    pub fn choose(&mut self, _: Chosen) {
        // The FBX reader needs C, which the page does not have.
        let kinds = KINDS.iter().filter(|kind| **kind != "fbx");
        choose_files(&kinds.map(|kind| format!(".{kind}")).collect::<Vec<_>>().join(","));
    }

    /// Returns the files dropped or selected since the last call.
    pub fn received(&mut self) -> Option<Result<Files, String>> {
        let value = received_files();
        if let Some(why) = value.as_string() {
            return Some(Err(why));
        }
        let files = value.dyn_into::<Array>().ok()?;
        let pair = |file: JsValue| {
            let file = Array::from(&file);
            (file.get(0).as_string().unwrap_or_default(), Uint8Array::new(&file.get(1)).to_vec())
        };
        Some(Ok(Files::Memory(files.iter().map(pair).collect())))
    }
}

/// Gamepads of the browser.
#[derive(Debug, Default)]
pub(crate) struct Gamepads;

impl Gamepads {
    /// Returns the combined input of all gamepads.
    pub fn hands(&mut self) -> Hands {
        let said = gamepads();
        said.chunks_exact(6).fold(Hands::default(), |hands, pad| {
            // In a browser, down is positive.
            let stick = |k: usize| Vec2::new(pad[k], -pad[k + 1]);
            hands.with(Hands::of_sticks(stick(0), stick(2), pad[4] > 0.5, pad[5] > 0.5))
        })
    }
}

/// Connected games: none, because a web page cannot listen.
#[derive(Debug)]
pub(crate) enum Live {}

impl Live {
    /// Never called.
    pub fn poll(&mut self, _: &mut Session) -> Option<String> {
        match *self {}
    }

    /// Never called.
    pub fn ui(&mut self, _: &mut egui::Ui, _: &mut Session) {
        match *self {}
    }
}
