//! Progress bar, on a terminal only.

use crate::print::is_quiet;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Returns a bar over `length` steps. It is hidden without a terminal, with `--json` or `--quiet`, and for fast steps.
pub fn bar(what: &'static str, length: u64, json: bool) -> ProgressBar {
    let target = if json || is_quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    let style = ProgressStyle::with_template("{msg:>12} {wide_bar} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
