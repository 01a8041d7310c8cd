//! Check of left and right against a pose in which the body stands.

use crate::skeleton::Skeleton;
use glam::Vec3;

/// Cosine between legs and toes above which a pose does not count as standing.
const STRAIGHT: f32 = 0.85;

/// Joints of the check, per side (left first): hip joint, ankle, toe.
pub struct Legs(pub [[usize; 3]; 2]);

/// Returns a description if the pose contradicts the sides of the legs; `None` if it agrees, or does not determine them.
pub fn contradiction(skeleton: &Skeleton, positions: &[Vec3], legs: &Legs) -> Option<String> {
    let [left, right] = &legs.0;
    let along = |a: usize, b: usize| positions[b] - positions[a];
    let down = (along(left[0], left[1]) + along(right[0], right[1])).try_normalize()?;
    let toes = (along(left[1], left[2]) + along(right[1], right[2])).try_normalize()?;
    if down.dot(toes) > STRAIGHT {
        return None;
    }
    // A body that stands on its head still has its toes in front.
    let forward = (toes - down * toes.dot(down)).try_normalize()?;
    let aside = along(right[0], left[0]);
    let leftward = (-down).cross(forward).dot(aside);
    (leftward < -0.5 * aside.length()).then(|| {
        format!(
            "`{}` is named left but lies on the right of `{}`, as the toes point: left and right are swapped in the names, or \
             the toes point backward",
            skeleton.names()[left[0]],
            skeleton.names()[right[0]]
        )
    })
}
