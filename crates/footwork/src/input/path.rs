//! Paths to follow: straight segments between points, open or closed.

use glam::Vec3;

/// Points on the ground, with the distances along them.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    points: Vec<Vec3>,
    /// `[points]` distance along the path from the first point. The last entry of a closed path is its length.
    distances_m: Vec<f32>,
    closed: bool,
    id: u64,
}

/// Reason why points do not form a path.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// There are fewer than two different points.
    #[error("a path needs at least two points that are apart")]
    TooShort,
    /// A coordinate is NaN or infinite.
    #[error("path point {index} is not finite")]
    NotFinite {
        /// Index of the point.
        index: usize,
    },
}

impl Path {
    /// Creates a path through `points` (world, metres). If `closed`, it leads back to the first.
    ///
    /// # Errors
    /// Returns [`PathError`] for fewer than two different points, or for non-finite numbers.
    pub fn new(mut points: Vec<Vec3>, closed: bool) -> Result<Self, PathError> {
        if let Some(index) = points.iter().position(|p| !p.is_finite()) {
            return Err(PathError::NotFinite { index });
        }
        points.dedup_by(|a, b| (*a - *b).length() < 1e-4);
        if closed && points.len() > 1 && (points[0] - points[points.len() - 1]).length() < 1e-4 {
            points.pop();
        }
        if points.len() < 2 {
            return Err(PathError::TooShort);
        }
        if closed {
            points.push(points[0]);
        }
        Ok(Self::through(points, closed))
    }

    /// Creates a path from exactly these points ([`Path::points`]), as they were stored.
    pub(crate) fn stored(points: Vec<Vec3>, closed: bool) -> Result<Self, PathError> {
        if let Some(index) = points.iter().position(|p| !p.is_finite()) {
            return Err(PathError::NotFinite { index });
        }
        if points.len() < if closed { 3 } else { 2 } {
            return Err(PathError::TooShort);
        }
        Ok(Self::through(points, closed))
    }

    fn through(points: Vec<Vec3>, closed: bool) -> Self {
        let mut distances_m = vec![0.0];
        for w in points.windows(2) {
            distances_m.push(distances_m[distances_m.len() - 1] + (w[1] - w[0]).length());
        }
        let mut id = xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(&points));
        id ^= u64::from(closed);
        Self { points, distances_m, closed, id }
    }

    /// Returns its points, world, metres. Those of a closed path end with the first point again.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns its length, in metres.
    pub fn length_m(&self) -> f32 {
        self.distances_m[self.distances_m.len() - 1]
    }

    /// Returns true if it leads back to its start.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Returns an identifier that distinguishes paths.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the point at a distance along the path. The distance is clamped on an open path and wrapped on a closed one.
    pub fn point(&self, distance_m: f32) -> Vec3 {
        let length = self.length_m();
        let d = if self.closed { distance_m.rem_euclid(length) } else { distance_m.clamp(0.0, length) };
        let i = self.distances_m.partition_point(|x| *x <= d).clamp(1, self.points.len() - 1);
        let (a, b) = (self.distances_m[i - 1], self.distances_m[i]);
        let t = if b > a { (d - a) / (b - a) } else { 0.0 };
        self.points[i - 1] + (self.points[i] - self.points[i - 1]) * t
    }

    /// Returns the distance along the path of the point nearest to `position`. The search covers only 0.5 m behind to 1.5 m ahead
    /// of `near_m`, so that a path that crosses itself is followed without a shortcut.
    pub fn project(&self, position: Vec3, near_m: f32) -> f32 {
        const BEHIND_M: f32 = 0.5;
        const AHEAD_M: f32 = 1.5;
        const STEP_M: f32 = 0.05;
        let steps = ((BEHIND_M + AHEAD_M) / STEP_M) as usize;
        let distance = |d: f32| {
            let v = self.point(d) - position;
            v.x * v.x + v.z * v.z
        };
        let mut best = near_m;
        for k in 0..=steps {
            let d = near_m - BEHIND_M + k as f32 * STEP_M;
            let d = if self.closed { d } else { d.clamp(0.0, self.length_m()) };
            if distance(d) < distance(best) {
                best = d;
            }
        }
        best
    }

    /// Returns the remaining distance from `distance_m` to the end, in metres; infinite if closed.
    pub fn remaining_m(&self, distance_m: f32) -> f32 {
        if self.closed { f32::INFINITY } else { (self.length_m() - distance_m).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(closed: bool) -> Path {
        Path::new(vec![Vec3::ZERO, Vec3::Z * 2.0, Vec3::new(2.0, 0.0, 2.0), Vec3::X * 2.0], closed).unwrap()
    }

    #[test]
    fn points_lie_along_the_way() {
        assert_eq!(square(false).length_m(), 6.0);
        assert_eq!(square(true).length_m(), 8.0);
        assert_eq!(square(false).point(3.0), Vec3::new(1.0, 0.0, 2.0));
        assert_eq!(square(false).point(99.0), Vec3::X * 2.0);
        assert_eq!(square(true).point(15.0), Vec3::X);
        assert_eq!(square(true).remaining_m(3.0), f32::INFINITY);
    }

    #[test]
    fn projection_stays_near_where_it_was() {
        let p = square(true);
        assert!((p.project(Vec3::new(0.1, 0.0, 1.0), 0.8) - 1.0).abs() < 0.03);
        // The far side is nearer, but it is a lap away.
        assert!((p.project(Vec3::new(1.9, 0.0, 1.0), 1.0) - 1.0).abs() < 1.6);
    }

    #[test]
    fn no_path_without_two_points() {
        assert_eq!(Path::new(vec![Vec3::ONE, Vec3::ONE], false), Err(PathError::TooShort));
        assert_eq!(Path::new(vec![Vec3::ONE, Vec3::NAN], false), Err(PathError::NotFinite { index: 1 }));
        assert_eq!(Path::new(vec![], true), Err(PathError::TooShort));
    }
}
