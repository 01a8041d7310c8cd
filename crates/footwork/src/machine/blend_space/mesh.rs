//! Samples and weights at a parameter position.

/// Samples closer than this share of the ranges have the same position.
const SAME: f32 = 1e-4;
/// Minimum height of a triangle, as a share of its longest side. In a flatter one, the corners lie on a line within measurement
/// error; blending along its long side would skip the middle sample.
const FLAT: f64 = 0.01;
/// Weights below this count as zero.
const NO_WEIGHT: f32 = 1e-6;
/// Tolerance of the weights at the edge of a triangle, so that no position falls between two triangles.
const EDGE: f32 = 1e-5;

/// Weights of up to three samples: positive, sum 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    samples: [u32; 3],
    weights: [f32; 3],
    /// Change of each weight per second.
    rates: [f32; 3],
    count: usize,
}

impl Weights {
    /// Returns samples and their weights.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f32)> + Clone + '_ {
        (0..self.count).map(|i| (self.samples[i] as usize, self.weights[i]))
    }

    /// Returns the change of each weight per second, in the same order. The sum is 0.
    pub(super) fn rates(&self) -> [f32; 3] {
        self.rates
    }

    /// Returns the sample with the greatest weight; on a tie, the first in the space.
    pub fn heaviest(&self) -> usize {
        let mut best = (0, 0.0);
        for (sample, weight) in self.iter() {
            if weight > best.1 || (weight == best.1 && sample < best.0) {
                best = (sample, weight);
            }
        }
        best.0
    }

    /// Builds weights from values that sum to 1 within rounding. Weights that count as zero are omitted.
    fn new(corners: &[u32], weights: &[f32], rates: &[f32]) -> Self {
        let mut out = Self::default();
        for (i, sample) in corners.iter().enumerate() {
            if weights[i] > NO_WEIGHT {
                out.samples[out.count] = *sample;
                out.weights[out.count] = weights[i];
                out.rates[out.count] = rates[i];
                out.count += 1;
            }
        }
        // The greatest weight receives the remainder.
        let n = out.count;
        let greatest = (0..n).fold(0, |best, i| if out.weights[i] > out.weights[best] { i } else { best });
        let others = |of: &[f32; 3]| (0..n).filter(|i| *i != greatest).fold(0.0, |sum, i| sum + of[i]);
        (out.weights[greatest], out.rates[greatest]) = (1.0 - others(&out.weights), -others(&out.rates));
        out
    }
}

/// Reason why samples span no mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeshError {
    /// Fewer than two (on a line) or three (in a plane).
    TooFew,
    /// These two have the same position.
    Same(usize, usize),
    /// All lie on one line of the plane.
    OnALine,
}

/// Positions of samples, and the triangles (in a plane) or segments (on a line) between them.
#[derive(Clone, Debug)]
pub(super) struct Mesh {
    /// `[dimensions]` minimum and maximum.
    ranges: [[f32; 2]; 2],
    /// `[samples]` as shares of the ranges.
    places: Vec<[f32; 2]>,
    /// Empty on a line.
    triangles: Vec<[u32; 3]>,
    /// All segments on a line; the border segments in a plane.
    edges: Vec<[u32; 2]>,
}

impl Mesh {
    /// Builds a mesh in `dimensions` (1 or 2) dimensions. On a line, the second coordinate of positions is 0. The ranges must not
    /// be empty.
    pub fn new(at: &[[f32; 2]], ranges: [[f32; 2]; 2], dimensions: usize) -> Result<Self, MeshError> {
        let mut mesh = Self { ranges, places: Vec::new(), triangles: Vec::new(), edges: Vec::new() };
        mesh.places = at.iter().map(|p| mesh.share(*p)).collect();
        let n = at.len();
        if n <= dimensions {
            return Err(MeshError::TooFew);
        }
        for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
            let [x, y] = minus(mesh.places[a], mesh.places[b]);
            if x.abs() < SAME && y.abs() < SAME {
                return Err(MeshError::Same(a, b));
            }
        }
        if dimensions == 1 {
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by(|a, b| mesh.places[*a as usize][0].total_cmp(&mesh.places[*b as usize][0]));
            mesh.edges = order.windows(2).map(|w| [w[0], w[1]]).collect();
            return Ok(mesh);
        }
        mesh.triangles = delaunay(&mesh.places);
        let edges = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let all: Vec<[u32; 2]> = mesh.triangles.iter().flat_map(edges).collect();
        // An inner edge occurs once in each direction.
        mesh.edges = all.iter().filter(|[a, b]| !all.contains(&[*b, *a])).copied().collect();
        if mesh.triangles.is_empty() { Err(MeshError::OnALine) } else { Ok(mesh) }
    }

    /// Returns the position clamped to the ranges.
    pub fn clamp(&self, p: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|i| p[i].clamp(self.ranges[i][0], self.ranges[i][1]))
    }

    fn share(&self, p: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|i| (p[i] - self.ranges[i][0]) / (self.ranges[i][1] - self.ranges[i][0]))
    }

    /// Returns the weights at a position that moves at `velocity` (per second). Outside of the mesh, these are the weights of the
    /// nearest point of its border.
    pub fn weights(&self, p: [f32; 2], velocity: [f32; 2]) -> Weights {
        let p = self.share(p);
        let v = [0, 1].map(|i| velocity[i] / (self.ranges[i][1] - self.ranges[i][0]));
        let place = |i: u32| self.places[i as usize];
        for t in &self.triangles {
            let (a, b, c) = (place(t[0]), minus(place(t[1]), place(t[0])), minus(place(t[2]), place(t[0])));
            let area = cross(b, c);
            let of = |d: [f32; 2]| (cross(d, c) / area, cross(b, d) / area);
            let (u, w) = of(minus(p, a));
            if u >= -EDGE && w >= -EDGE && u + w <= 1.0 + EDGE {
                let (du, dw) = of(v);
                return Weights::new(t, &[1.0 - u - w, u, w], &[-du - dw, du, dw]);
            }
        }
        let mut best = (f32::INFINITY, [0, 0], 0.0, 0.0);
        for e in &self.edges {
            let (a, d) = (place(e[0]), minus(place(e[1]), place(e[0])));
            let length2 = dot(d, d);
            let along = dot(minus(p, a), d) / length2;
            let t = along.clamp(0.0, 1.0);
            let off = minus(p, [a[0] + d[0] * t, a[1] + d[1] * t]);
            if dot(off, off) < best.0 {
                // If the nearest point is the end of an edge, the weights do not change.
                let rate = if t == along { dot(v, d) / length2 } else { 0.0 };
                best = (dot(off, off), *e, t, rate);
            }
        }
        let (_, e, t, rate) = best;
        Weights::new(&e, &[1.0 - t, t], &[-rate, rate])
    }
}

fn minus(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[1] - a[1] * b[0]
}

/// Returns the Delaunay triangulation: the lower side of the convex hull of the points lifted onto a paraboloid. Triangles are
/// oriented from the first axis to the second. A small offset of the lift resolves ties between points on one circle (grids).
fn delaunay(places: &[[f32; 2]]) -> Vec<[u32; 3]> {
    let golden = 0.618_033_988_749_895;
    let lifted: Vec<[f64; 3]> = (places.iter().enumerate())
        .map(|(i, p)| {
            let [x, y] = p.map(f64::from);
            let little = (i as f64 * golden).fract() * 1e-10;
            [x, y, x * x + y * y + little]
        })
        .collect();
    let from = |a: [f64; 3], b: [f64; 3]| [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let n = lifted.len();
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let (u, v) = (from(lifted[i], lifted[j]), from(lifted[i], lifted[k]));
                let area = u[0] * v[1] - u[1] * v[0];
                let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], area];
                let above = |p: &[f64; 3]| {
                    let d = from(lifted[i], *p);
                    (normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2]) * area.signum() >= 0.0
                };
                let length2 = |v: [f64; 3]| v[0] * v[0] + v[1] * v[1];
                let longest2 = length2(u).max(length2(v)).max(length2(from(lifted[j], lifted[k])));
                let others = (0..n).filter(|m| ![i, j, k].contains(m));
                if area.abs() > FLAT * longest2 && others.into_iter().all(|m| above(&lifted[m])) {
                    let [i, j, k] = [i as u32, j as u32, k as u32];
                    triangles.push(if area > 0.0 { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    const UNIT: [[f32; 2]; 2] = [[0.0, 1.0], [0.0, 1.0]];

    fn random(n: usize, seed: u64) -> Vec<[f32; 2]> {
        let mut random = Random(seed);
        (0..n).map(|_| [random.unit(), random.unit()]).collect()
    }

    fn grid() -> Vec<[f32; 2]> {
        (0..12).map(|i| [(i % 4) as f32 * 0.1, (i / 4) as f32 * 0.3]).collect()
    }

    fn area(places: &[[f32; 2]], t: &[u32; 3]) -> f32 {
        let [a, b, c] = t.map(|i| places[i as usize]);
        0.5 * cross(minus(b, a), minus(c, a))
    }

    #[test]
    fn weights_are_a_partition_of_unity_and_give_the_place_back() {
        for places in [grid(), random(9, 1), random(30, 2)] {
            let mesh = Mesh::new(&places, UNIT, 2).unwrap();
            for p in random(500, 3) {
                let w = mesh.weights(p, [0.0; 2]);
                assert!(w.iter().all(|(_, w)| w > 0.0) && w.count >= 1);
                assert!((w.iter().map(|(_, w)| w).sum::<f32>() - 1.0).abs() <= f32::EPSILON, "{w:?}");
                if w.count == 3 {
                    let sum = |i: usize| w.iter().map(|(s, w)| w * places[s][i]).sum::<f32>();
                    assert!((sum(0) - p[0]).abs() < 1e-5 && (sum(1) - p[1]).abs() < 1e-5, "{p:?} {w:?}");
                }
            }
            for (i, p) in places.iter().enumerate() {
                assert_eq!(mesh.weights(*p, [0.0; 2]).iter().collect::<Vec<_>>(), [(i, 1.0)]);
            }
        }
    }

    #[test]
    fn triangles_cover_the_hull_once() {
        // The hull of the grid is a rectangle.
        let mesh = Mesh::new(&grid(), UNIT, 2).unwrap();
        let sum: f32 = mesh.triangles.iter().map(|t| area(&mesh.places, t)).sum();
        assert!((sum - 0.18).abs() < 1e-6 && mesh.triangles.len() == 12, "{sum} {}", mesh.triangles.len());
        // Points in the unit square, including its corners.
        let mut places = random(25, 4);
        places.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
        let mesh = Mesh::new(&places, UNIT, 2).unwrap();
        let sum: f32 = mesh.triangles.iter().map(|t| area(&mesh.places, t)).sum();
        // Flat triangles at the border are omitted.
        assert!((0.99..1.00001).contains(&sum), "{sum}");
    }

    #[test]
    fn weights_are_continuous_inside_and_outside_and_rates_are_their_change() {
        let places = random(12, 5);
        let mesh = Mesh::new(&places, UNIT, 2).unwrap();
        let all = |p: [f32; 2]| {
            let mut all = [0.0f32; 12];
            mesh.weights(p, [0.0; 2]).iter().for_each(|(s, w)| all[s] = w);
            all
        };
        let mut inner = 0;
        for from in random(60, 6) {
            let (from, to) = ([from[0] * 2.0 - 0.5, from[1] * 2.0 - 0.5], [0.4, 0.6]);
            let at = |t: f32| [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
            for k in 0..20_000 {
                let (a, b) = (all(at(k as f32 / 20_000.0)), all(at((k + 1) as f32 / 20_000.0)));
                let step = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(step < 0.01, "{step} on the way from {from:?}");
            }
            let (p, v) = (at(0.5), minus(to, from));
            let (now, then) = (mesh.weights(p, v), mesh.weights(at(0.5001), v));
            if now.samples == then.samples && now.count == then.count {
                inner += 1;
                for i in 0..now.count {
                    let rate = (then.weights[i] - now.weights[i]) / 1e-4;
                    assert!((rate - now.rates[i]).abs() < 0.02 * (1.0 + rate.abs()), "{rate} {now:?}");
                }
            }
        }
        assert!(inner > 40, "{inner}");
    }

    #[test]
    fn outside_the_nearest_place_of_the_border_counts() {
        let mesh = Mesh::new(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], UNIT, 2).unwrap();
        assert_eq!(mesh.weights([0.25, -3.0], [0.0; 2]).iter().collect::<Vec<_>>(), [(0, 0.75), (1, 0.25)]);
        assert_eq!(mesh.weights([-2.0, -3.0], [0.0; 2]).iter().collect::<Vec<_>>(), [(0, 1.0)]);
        let line = Mesh::new(&[[2.0, 0.0], [1.0, 0.0], [4.0, 0.0]], [[1.0, 4.0], [0.0, 1.0]], 1).unwrap();
        let at = |x: f32| line.weights([x, 0.0], [0.0; 2]).iter().collect::<Vec<_>>();
        assert_eq!([at(0.0), at(2.0), at(9.0)], [[(1, 1.0)], [(0, 1.0)], [(2, 1.0)]]);
        assert!((at(3.0)[0].1 - 0.5).abs() < 1e-6 && at(3.0)[1].0 == 2);
    }

    #[test]
    fn a_sample_of_the_border_is_not_skipped_because_it_was_measured_inexactly() {
        let mesh = Mesh::new(&[[0.0, 0.0], [1e-4, 0.5], [0.0, 1.0], [1.0, 0.4]], UNIT, 2).unwrap();
        assert!(mesh.weights([-1.0, 0.5], [0.0; 2]).iter().any(|(s, w)| s == 1 && w > 0.999));
        assert_eq!(mesh.triangles.len(), 2);
    }

    #[test]
    fn samples_that_span_nothing_are_refused() {
        let refused = |places: &[[f32; 2]], dimensions| Mesh::new(places, UNIT, dimensions).unwrap_err();
        assert_eq!(refused(&[[0.1, 0.0]], 1), MeshError::TooFew);
        assert_eq!(refused(&[[0.1, 0.0], [0.5, 0.2]], 2), MeshError::TooFew);
        assert_eq!(refused(&[[0.1, 0.0], [0.3, 0.0], [0.1, 0.0]], 1), MeshError::Same(0, 2));
        assert_eq!(refused(&[[0.1, 0.1], [0.3, 0.3], [0.7, 0.7]], 2), MeshError::OnALine);
    }
}
