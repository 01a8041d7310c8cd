//! Errors of drawing.

/// Reason why a picture was not drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The picture has too many pixels to be viewed, or its size is not a number.
    #[error(
        "picture of {width_px:.0} x {height_px:.0} pixels: too large; use fewer poses, fewer views or a shorter span"
    )]
    TooLarge {
        /// Width, in pixels.
        width_px: f32,
        /// Height, in pixels.
        height_px: f32,
    },
    /// There are too many poses for one picture.
    #[error("{poses} poses: expected at most {most} in one picture; use fewer, or further apart")]
    TooManyPoses {
        /// Number of requested poses.
        poses: usize,
        /// Maximum number of poses.
        most: usize,
    },
    /// There are too many joints to draw, over all poses and views.
    #[error(
        "{poses} poses of {joints} joints in {views} view(s): too many for one picture; use fewer poses or fewer views"
    )]
    TooManyJoints {
        /// Number of requested poses.
        poses: usize,
        /// Number of joints of a pose.
        joints: usize,
        /// Number of views of each pose.
        views: usize,
    },
    /// A bitmap cannot have this size.
    #[error("picture of {width_px} x {height_px} pixels: exceeds the maximum size; use a smaller width")]
    NoBitmap {
        /// Width, in pixels.
        width_px: u32,
        /// Height, in pixels.
        height_px: u32,
    },
    /// An animated picture could not be encoded.
    #[error("the pictures could not be encoded: {0}")]
    Encode(String),
    /// The bitmap could not be written as PNG.
    #[error("the picture could not be encoded as PNG: {0}")]
    Png(String),
}
