//! The studio in a window. As WebAssembly, a web page that calls `start`.

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
