//! The unit that all BVH files of a set share.

use crate::bvh::UnitGuess;
use crate::import_error::ImportError;
use crate::input::Input;
use crate::loaded::Loaded;
use crate::units::Units;

/// Returns the unit for all BVH files of a set, which is the one that most of them suggest. Also returns the indices of files
/// whose body has a different size in it, each with its error.
pub(crate) fn common_units(files: &[(&Input, Loaded)]) -> (Units, Vec<(usize, ImportError)>) {
    const MOST_RATIO: f32 = 1.5;
    let guesses: Vec<(usize, UnitGuess)> =
        files.iter().enumerate().filter_map(|(i, (_, f))| Some((i, f.guess()?))).collect();
    let votes = |g: &UnitGuess| guesses.iter().filter(|(_, o)| o.unit == g.unit).count();
    // Without any guess, each conversion returns an error. Ties go to the first file.
    let Some((_, usual)) = guesses.iter().rev().max_by_key(|(_, g)| votes(g)) else {
        return (Units::Auto, Vec::new());
    };
    let usual_ones = guesses.iter().filter(|(_, g)| g.unit == usual.unit);
    let mut lengths: Vec<f32> = usual_ones.map(|(_, g)| g.body_length_units).collect();
    lengths.sort_by(f32::total_cmp);
    let median = lengths[(lengths.len() - 1) / 2];
    let odd = guesses.iter().filter(|(_, g)| {
        let ratio = g.body_length_units / median;
        g.unit != usual.unit && ratio.max(1.0 / ratio) > MOST_RATIO
    });
    let error = |(i, g): &(usize, UnitGuess)| {
        let told = ImportError::MixedUnits {
            path: files[*i].0.path.clone(),
            odd_unit: g.unit,
            odd_length: g.body_length_units,
            unit: usual.unit,
            usual_length: median,
        };
        (*i, told)
    };
    (Units::MetresPerUnit(usual.metres_per_unit), odd.map(error).collect())
}
