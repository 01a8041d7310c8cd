//! A rounded solid and its triangles.

use footwork::advanced::math::sin_cos;
use glam::Vec3;

/// Rings between a solid's equator and its pole.
const CAP_RINGS: usize = 4;

/// Triangles of one material.
#[derive(Default)]
pub(super) struct Part {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// Joint that moves each vertex.
    pub joints: Vec<u16>,
    pub indices: Vec<u32>,
}

/// Two half ellipsoids and the tapered tube between them.
pub(super) struct Solid {
    pub from: Vec3,
    pub axis: Vec3,
    pub length: f32,
    /// Direction of the `across` radii, orthonormal to the axis.
    pub side: Vec3,
    /// Radii along `side` at either end, metres.
    pub across: [f32; 2],
    /// Radii along the third direction at either end, metres.
    pub depth: [f32; 2],
    /// Lengths of the caps at either end, metres.
    pub caps: [f32; 2],
}

impl Solid {
    /// Returns a tapered capsule.
    pub fn round(from: Vec3, axis: Vec3, length: f32, radii: [f32; 2]) -> Self {
        let side = axis.any_orthonormal_vector();
        Self { from, axis, length, side, across: radii, depth: radii, caps: radii }
    }

    /// Returns the direction nearest to `wanted` that is orthonormal to an axis; any such direction if `wanted` is along the
    /// axis.
    pub fn side_towards(wanted: Vec3, axis: Vec3) -> Vec3 {
        let level = wanted - axis * wanted.dot(axis);
        if level.length() > 1e-3 { level.normalize() } else { axis.any_orthonormal_vector() }
    }
}

impl Part {
    /// Adds rings of vertices from pole to pole and the triangles between them, counter-clockwise seen from outside.
    pub fn add(&mut self, s: &Solid, joint: u16, corners: usize) {
        let front = s.axis.cross(s.side);
        let mut vertex = |latitude: f32, longitude: f32, end: usize| {
            let ((up, out), (sin, cos)) = (sin_cos(latitude), sin_cos(longitude));
            let (x, z) = (cos * out, sin * out);
            let middle = s.from + s.axis * (s.length * end as f32 + up * s.caps[end]);
            self.positions.push(middle + s.side * (x * s.across[end]) + front * (z * s.depth[end]));
            let normal = s.side * (x / s.across[end]) + front * (z / s.depth[end]) + s.axis * (up / s.caps[end]);
            self.normals.push(normal.normalize());
            self.joints.push(joint);
            self.positions.len() as u32 - 1
        };
        let quarter = std::f32::consts::FRAC_PI_2;
        let bottom = vertex(-quarter, 0.0, 0);
        // A ball has one equator, a capsule has one at either end.
        let lower = if s.length > 0.0 { CAP_RINGS } else { CAP_RINGS - 1 };
        let rings = lower + CAP_RINGS;
        for ring in 0..rings {
            let (step, end) = if ring < lower { (ring + 1, 0) } else { (ring - lower + CAP_RINGS, 1) };
            let latitude = (step as f32 / CAP_RINGS as f32 - 1.0) * quarter;
            for corner in 0..corners {
                vertex(latitude, 4.0 * quarter * corner as f32 / corners as f32, end);
            }
        }
        let top = vertex(quarter, 0.0, 1);
        let at = |ring: usize, corner: usize| bottom + 1 + (ring * corners + corner % corners) as u32;
        for c in 0..corners {
            self.indices.extend([bottom, at(0, c + 1), at(0, c)]);
            for ring in 0..rings - 1 {
                let [a, b, d, e] = [at(ring, c), at(ring, c + 1), at(ring + 1, c), at(ring + 1, c + 1)];
                self.indices.extend([a, b, e, a, e, d]);
            }
            self.indices.extend([at(rings - 1, c), at(rings - 1, c + 1), top]);
        }
    }
}
