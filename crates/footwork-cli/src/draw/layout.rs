//! Sizes on the page, and the finished picture.

use super::shapes::Picture;
use anyhow::{Result, bail};

/// Around everything.
pub const MARGIN: f32 = 18.0;
/// Room beside a figure in its cell.
pub const PAD: f32 = 9.0;
/// Words above the figures of a row: the time; a second line where there is something to tell.
pub const LINE_PX: f32 = 17.0;
pub const HEADING_PX: f32 = 22.0;
pub const GAP_PX: f32 = 12.0;
/// Figures are so tall where the rest allows it.
pub const FIGURE_PX: f32 = 240.0;
/// Few figures are drawn larger, up to this.
pub const LARGE_PX: f32 = 380.0;
/// Pixels at most.
const MOST_PX: f32 = 80e6;

/// A picture, and what is in it.
pub struct Drawn {
    pub picture: Picture,
    /// Times of the moments.
    pub times_s: Vec<f64>,
    pub cells: usize,
}

/// A picture that can still be looked at.
pub fn check_size(picture: &Picture) -> Result<()> {
    let fits = picture.width * picture.height <= MOST_PX && picture.height <= 30_000.0;
    // Nor does what is not a number.
    if !fits {
        bail!(
            "the picture would be {:.0} x {:.0} pixels: ask for fewer --frames, fewer views, a larger --every or a \
             shorter span",
            picture.width,
            picture.height
        );
    }
    Ok(())
}
