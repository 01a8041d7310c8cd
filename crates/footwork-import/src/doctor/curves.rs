//! Interpolation of rotations and values between frames.

use footwork::math::Quat;

/// Returns the weighted mean of rotations near each other, by components on the hemisphere of `reference`.
pub fn weighted(q: [Quat; 4], weights: [f32; 4], reference: Quat) -> Quat {
    let mut sum = [0.0f32; 4];
    for (q, w) in q.iter().zip(weights) {
        for (s, c) in sum.iter_mut().zip(q.towards(reference).to_array()) {
            *s += c * w;
        }
    }
    Quat::from_array(sum).normalize()
}

/// Returns the weights, at `x`, of the cubic through values at four positions.
pub fn lagrange(at: [f32; 4], x: f32) -> [f32; 4] {
    [0, 1, 2, 3].map(|i| (0..4).filter(|j| *j != i).map(|j| (x - at[j]) / (at[i] - at[j])).product())
}

/// Returns the weights of four evenly spaced values on the Catmull-Rom curve between the middle two.
pub fn catmull_rom(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [0.5 * (2.0 * t2 - t3 - t), 0.5 * (3.0 * t3 - 5.0 * t2 + 2.0), 0.5 * (4.0 * t2 - 3.0 * t3 + t), 0.5 * (t3 - t2)]
}
