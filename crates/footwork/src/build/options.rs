//! Inputs of a build beside clips and configuration.

/// Function that writes the values of a user channel at a time of a clip: clip name, seconds, `[width]` output.
pub(crate) type UserValues<'a> = dyn Fn(&str, f64, &mut [f32]) + Sync + 'a;

/// Inputs of a build beside clips and configuration.
#[derive(Default)]
pub struct BuildOptions<'a> {
    /// Values of user channels by name. A channel without an entry takes the clip's curve of the same name.
    pub user: Vec<(String, &'a UserValues<'a>)>,
    /// Called from any thread with the number of finished clips and of all clips.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}
