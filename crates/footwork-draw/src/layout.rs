//! Sizes on the page, and the finished picture.

use crate::error::DrawError;
use crate::shapes::Picture;

/// Margin around the page, in pixels.
pub const MARGIN: f32 = 18.0;
/// Space beside a figure in its cell, in pixels.
pub const PAD: f32 = 9.0;
/// Height of a line of text above a figure.
pub const LINE_PX: f32 = 17.0;
/// Height of a heading.
pub const HEADING_PX: f32 = 22.0;
/// Space between groups.
pub const GAP_PX: f32 = 12.0;
/// Default height of a figure.
pub const FIGURE_PX: f32 = 240.0;
/// Maximum height of a figure, if there are few.
pub const LARGE_PX: f32 = 380.0;
/// Maximum number of pixels of a picture.
const MOST_PX: f32 = 80e6;

/// A picture and its contents.
pub struct Drawn {
    /// The display list.
    pub picture: Picture,
    /// Times of the poses, in seconds.
    pub times_s: Vec<f64>,
    /// Number of figures.
    pub cells: usize,
}

/// Returns an error for a picture that is too large to view.
pub fn check_size(picture: &Picture) -> Result<(), DrawError> {
    let fits = picture.width * picture.height <= MOST_PX && picture.height <= 30_000.0;
    // NaN is rejected, too.
    if fits { Ok(()) } else { Err(DrawError::TooLarge { width_px: picture.width, height_px: picture.height }) }
}
