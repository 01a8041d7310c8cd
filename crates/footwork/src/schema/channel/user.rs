//! Values that the user supplies: a ball, a weapon, the height of a ledge.

use crate::schema::source::FeatureSource;

/// A named group of values: from a closure or a curve of that name at build, from `MotionInput::user` at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct User {
    /// Name.
    pub name: String,
    /// Number of values.
    pub width: usize,
    /// Index of the first value among all user values.
    pub start: usize,
}

impl User {
    /// Writes the values of a database frame or a live input.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        out.copy_from_slice(&source.user[self.start..self.start + self.width]);
    }
}
