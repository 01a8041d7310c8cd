//! What a web page gives the application: files that were dropped or chosen, downloads, gamepads. Everything stays in the page.

use crate::open::{Chosen, Files, KINDS, OpenError, Opened, Work};
use footwork_panels::{Hands, Session, Tuning};
use glam::Vec2;
use js_sys::{Array, Uint8Array};
use std::path::Path;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

#[wasm_bindgen(module = "/src/page.js")]
extern "C" {
    /// Takes what is dropped onto the canvas.
    pub(crate) fn listen(canvas: &HtmlCanvasElement);
    /// Lets somebody choose files.
    #[wasm_bindgen(js_name = choose)]
    fn choose_files(kinds: &str);
    /// What was dropped or chosen, once it is read: `[[name, bytes], ..]`, or why it was not.
    #[wasm_bindgen(js_name = received)]
    fn received_files() -> JsValue;
    /// Of each gamepad: left stick, right stick, right trigger, left trigger.
    fn gamepads() -> Vec<f32>;
    fn download(name: &str, bytes: &[u8]);
}

/// What is done between two pictures: a page has no threads.
#[derive(Debug)]
pub(crate) struct Job {
    work: Work,
    tuning: Tuning,
    polls: u32,
}

impl Job {
    pub fn start(work: Work, tuning: Tuning) -> Self {
        Self { work, tuning, polls: 0 }
    }

    /// The result: not before the words that say so have been drawn and shown.
    pub fn poll(&mut self) -> Option<Result<Opened, OpenError>> {
        self.polls += 1;
        (self.polls > 3).then(|| self.work.run(&self.tuning))
    }
}

/// Offers a file as a download. Returns where it is, in words.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<String, String> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    download(&name, bytes);
    Ok(format!("{name}, among your downloads"))
}

/// A download replaces nothing.
pub(crate) fn check_unchanged(_: &Path, _: Option<&str>, _: &str) -> Result<(), String> {
    Ok(())
}

/// Lets somebody choose files.
#[derive(Debug, Default)]
pub(crate) struct Chooser;

impl Chooser {
    /// True where folders can be chosen.
    pub const FOLDERS: bool = false;

    /// Opens the window of the browser.
    pub fn choose(&mut self, _: Chosen) {
        // Reading FBX takes C.
        let kinds = KINDS.iter().filter(|kind| **kind != "fbx");
        choose_files(&kinds.map(|kind| format!(".{kind}")).collect::<Vec<_>>().join(","));
    }

    /// Files that were dropped or chosen since.
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

/// The gamepads that the browser shows.
#[derive(Debug, Default)]
pub(crate) struct Gamepads;

impl Gamepads {
    /// What all of them say together.
    pub fn hands(&mut self) -> Hands {
        let said = gamepads();
        said.chunks_exact(6).fold(Hands::default(), |hands, pad| {
            // Down is positive in a browser.
            let stick = |k: usize| Vec2::new(pad[k], -pad[k + 1]);
            hands.with(Hands::of_sticks(stick(0), stick(2), pad[4] > 0.5, pad[5] > 0.5))
        })
    }
}

/// Games that are connected: none, since a page cannot listen.
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
