//! The studio in a window; as WebAssembly in a web page, which calls `start`.

#[cfg(not(target_arch = "wasm32"))]
mod command;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    command::run()
}

#[cfg(target_arch = "wasm32")]
use footwork_studio as _;

#[cfg(target_arch = "wasm32")]
fn main() {}
