//! Elementary functions with the same bits on every machine.

/// Returns the sine of an angle in radians.
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Returns the cosine of an angle in radians.
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Returns sine and cosine of an angle in radians.
pub fn sin_cos(x: f32) -> (f32, f32) {
    (libm::sinf(x), libm::cosf(x))
}

/// Returns the tangent of an angle in radians.
pub fn tan(x: f32) -> f32 {
    libm::tanf(x)
}

/// Returns the arc sine in radians; the argument is clamped to -1..=1, so rounding never yields NaN.
pub fn asin(x: f32) -> f32 {
    libm::asinf(x.clamp(-1.0, 1.0))
}

/// Returns the arc cosine in radians; the argument is clamped to -1..=1, so rounding never yields NaN.
pub fn acos(x: f32) -> f32 {
    libm::acosf(x.clamp(-1.0, 1.0))
}

/// Returns the four-quadrant arc tangent of `y / x` in radians, -pi..=pi.
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

/// Returns e to the power of `x`.
pub(crate) fn exp(x: f32) -> f32 {
    // Springs often move on by no time at all.
    if x == 0.0 { 1.0 } else { libm::expf(x) }
}

/// Returns the natural logarithm.
pub fn ln(x: f32) -> f32 {
    libm::logf(x)
}

/// Returns `x` to the power of `y`.
pub fn powf(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}

/// Returns a smooth 0..1 ramp with zero slope at both ends; `t` is clamped to 0..=1.
pub fn smoothstep(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Returns `a + (b - a) * t`.
pub fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}
