//! Sizes on the page, and the finished picture.

use crate::error::DrawError;
use crate::shapes::Picture;

/// Margin around the page.
pub const MARGIN: f32 = 18.0;
/// Room beside a figure in its cell.
pub const PAD: f32 = 9.0;
/// Height of a line of words above a figure.
pub const LINE_PX: f32 = 17.0;
/// Height of a heading.
pub const HEADING_PX: f32 = 22.0;
/// Room between groups.
pub const GAP_PX: f32 = 12.0;
/// Default height of a figure.
pub const FIGURE_PX: f32 = 240.0;
/// Largest height of a figure, if there are few.
pub const LARGE_PX: f32 = 380.0;
/// Maximum number of pixels.
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

/// Rejects a picture that is too large to view.
pub fn check_size(picture: &Picture) -> Result<(), DrawError> {
    let fits = picture.width * picture.height <= MOST_PX && picture.height <= 30_000.0;
    // NaN is refused, too.
    if fits { Ok(()) } else { Err(DrawError::TooLarge { width_px: picture.width, height_px: picture.height }) }
}
