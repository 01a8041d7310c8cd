//! Why a picture is not drawn.

/// A picture that asks for too much.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// More pixels than anybody looks at, or a size that is no number.
    #[error(
        "picture of {width_px:.0} x {height_px:.0} pixels: too large; use fewer poses, fewer views or a shorter span"
    )]
    TooLarge {
        /// Width, pixels.
        width_px: f32,
        /// Height, pixels.
        height_px: f32,
    },
    /// Too many poses in one picture.
    #[error("{poses} poses: expected at most {most} in one picture; use fewer, or further apart")]
    TooManyPoses {
        /// Poses asked for.
        poses: usize,
        /// Poses at most.
        most: usize,
    },
    /// Too many joints to draw, over all poses and views.
    #[error(
        "{poses} poses of {joints} joints in {views} view(s): too many for one picture; use fewer poses or fewer views"
    )]
    TooManyJoints {
        /// Poses asked for.
        poses: usize,
        /// Joints of a pose.
        joints: usize,
        /// Views of each pose.
        views: usize,
    },
    /// No bitmap of this size can be made.
    #[error("picture of {width_px} x {height_px} pixels: exceeds the maximum size; use a smaller width")]
    NoBitmap {
        /// Width, pixels.
        width_px: u32,
        /// Height, pixels.
        height_px: u32,
    },
    /// An animated picture could not be encoded.
    #[error("the pictures could not be encoded: {0}")]
    Encode(String),
    /// The bitmap could not be written as PNG.
    #[error("the picture could not be encoded as PNG: {0}")]
    Png(String),
}
