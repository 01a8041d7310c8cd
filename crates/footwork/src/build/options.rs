//! Inputs of a build beside clips and configuration.

/// Function that writes the values of a user channel at a time of a clip: clip name, seconds, `[width]` output.
pub(crate) type UserValues<'a> = dyn Fn(&str, f64, &mut [f32]) + Sync + 'a;

/// Inputs of a build beside clips and configuration.
#[derive(Default)]
pub struct BuildOptions<'a> {
    /// Values of user channels by name. A channel without an entry takes the clip's curve of the same name.
    pub user: Vec<(String, &'a UserValues<'a>)>,
    /// Whether poses are encoded as `[build.codec]` says, for a database that is saved. Features are then those of the encoded poses, and
    /// the database has the same bits before it is saved and after it is loaded. Default: false.
    pub encode_poses: bool,
    /// Called from any thread with the number of finished clips and of all clips.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}
