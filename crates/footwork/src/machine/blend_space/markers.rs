//! Footfalls of a loop, found from its contact labels.

use super::resolve::Placed;
use crate::database::Database;

/// Contacts and gaps shorter than this are removed as flicker, in seconds.
const SHORTEST_S: f32 = 0.07;
/// Markers closer than this count as simultaneous, without an order, in seconds.
const SAME_S: f64 = 1e-3;

/// Order in which the feet lift between two left plants: the half of the stride (0 or 1) in which the right foot lifts, the same
/// for the left foot, and whether the right foot lifts first.
pub(super) type Order = (u8, u8, bool);

/// Footfalls of one cycle. Times are in seconds of the clip and may exceed its length by up to one cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Footfalls {
    /// Times at which the left foot touches down, ascending. The last is the first, one cycle later. Never empty.
    pub left: Vec<f64>,
    /// Times at which the right foot touches down, once between two left ones; empty if the feet do not alternate.
    pub right: Vec<f64>,
    /// Times at which the right and the left foot lift, for each stride; empty if the order differs between strides.
    pub lifts: Vec<[f64; 2]>,
    /// Order of the lifts.
    pub order: Order,
}

/// Returns the contact joints of the left and the right foot: the hindmost of each side.
pub(in crate::machine) fn feet(db: &Database) -> Option<[usize; 2]> {
    let at = |slot: usize| db.rig.standing[db.rig.contact_joints[slot].at()].translation;
    let slots = 0..db.rig.contact_joints.len();
    let hind = |side: f32| slots.clone().filter(|s| at(*s).x * side > 0.0).min_by(|a, b| at(*a).z.total_cmp(&at(*b).z));
    Some([hind(1.0)?, hind(-1.0)?])
}

impl Footfalls {
    /// Finds the footfalls of a loop; `None` if the left foot does not step.
    pub fn find(db: &Database, sample: &Placed, [left, right]: [usize; 2]) -> Option<Self> {
        let view = db.view(sample.clip, sample.mirrored);
        let (rate_hz, seconds) = (f64::from(view.rate_hz), view.seconds());
        let mut touches = vec![0; db.rig.contact_joints.len()];
        let mut labels = |slot: usize| -> Vec<bool> {
            let label = |f: usize| {
                db.contacts_at(sample.clip, sample.mirrored, f as f64 / rate_hz, &mut touches);
                touches[slot] == 1
            };
            (0..view.frames).map(label).collect()
        };
        let shortest = (SHORTEST_S * view.rate_hz).ceil() as usize;
        let (left, right) = (steady(labels(left), shortest), steady(labels(right), shortest));
        // A label belongs to the nearest frame, so it changes half a frame before the first frame that differs.
        let time = |f: usize| (f as f64 - 0.5) / rate_hz;
        let mut plants: Vec<f64> = edges(&left, true).map(time).collect();
        plants.push(plants.first()? + seconds);
        let strides = plants.len() - 1;
        let once = |all: Vec<f64>| -> Option<Vec<f64>> {
            let within = |w: &[f64]| {
                let mut inside = all.iter().filter_map(|t| {
                    let t = w[0] + (t - w[0]).rem_euclid(seconds);
                    (t < w[1]).then_some(t)
                });
                inside.next().filter(|_| inside.next().is_none())
            };
            plants.windows(2).map(within).collect()
        };
        let rights = once(edges(&right, true).map(time).collect()).unwrap_or_default();
        let right_lifts = once(edges(&right, false).map(time).collect());
        let left_lifts = once(edges(&left, false).map(time).collect());
        let mut found = Self { left: plants, right: rights, lifts: Vec::new(), order: (0, 0, true) };
        if let (Some(r), Some(l), false) = (right_lifts, left_lifts, found.right.is_empty()) {
            let lifts: Vec<[f64; 2]> = r.into_iter().zip(l).map(|(r, l)| [r, l]).collect();
            let order = |i: usize| {
                (
                    u8::from(lifts[i][0] > found.right[i]),
                    u8::from(lifts[i][1] > found.right[i]),
                    lifts[i][0] < lifts[i][1],
                )
            };
            let apart = |i: usize| {
                let mut all = [found.left[i], found.right[i], lifts[i][0], lifts[i][1], found.left[i + 1]];
                all.sort_by(f64::total_cmp);
                all.windows(2).all(|w| w[1] - w[0] > SAME_S)
            };
            if (0..strides).all(|i| order(i) == order(0) && apart(i)) {
                (found.order, found.lifts) = (order(0), lifts);
            }
        }
        Some(found)
    }

    /// Returns the lift times of the right and the left foot as shares of the half stride in which they occur: the mean over
    /// strides.
    pub fn lift_shares(&self) -> [f64; 2] {
        let half = |i: usize, half: u8| {
            if half == 0 { (self.left[i], self.right[i]) } else { (self.right[i], self.left[i + 1]) }
        };
        let halves = [self.order.0, self.order.1];
        let n = self.lifts.len() as f64;
        [0, 1].map(|foot| {
            let share = |i: usize| {
                let (from, to) = half(i, halves[foot]);
                (self.lifts[i][foot] - from) / (to - from)
            };
            (0..self.lifts.len()).map(share).sum::<f64>() / n
        })
    }
}

/// Returns the frames of a cycle at which labels become `to`.
fn edges(labels: &[bool], to: bool) -> impl Iterator<Item = usize> + '_ {
    let n = labels.len();
    (0..n).filter(move |f| labels[*f] == to && labels[(f + n - 1) % n] != to)
}

/// Removes runs shorter than `shortest` frames, the shortest first.
fn steady(mut labels: Vec<bool>, shortest: usize) -> Vec<bool> {
    let n = labels.len();
    loop {
        let starts: Vec<usize> = edges(&labels, true).chain(edges(&labels, false)).collect();
        let run = |from: usize| (0..n).take_while(|k| labels[(from + k) % n] == labels[from]).count();
        let Some((length, from)) = starts.into_iter().map(|s| (run(s), s)).min() else { return labels };
        if length >= shortest {
            return labels;
        }
        (0..length).for_each(|k| labels[(from + k) % n] ^= true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '#').collect()
    }

    #[test]
    fn flicker_is_taken_out_across_the_seam() {
        assert_eq!(steady(labels("#....####.###.....##"), 2), labels("#....########.....##"));
        assert_eq!(steady(labels("#.......######......"), 2), labels("........######......"));
        assert_eq!(steady(labels("####################"), 2), labels("####################"));
        assert_eq!(steady(labels("#.#.#.#.#.#.#.#.#.#."), 2).iter().filter(|l| **l).count() % 20, 0);
    }

    #[test]
    fn edges_are_found_around_the_seam() {
        let l = labels("##..##...#");
        assert_eq!(edges(&l, true).collect::<Vec<_>>(), [4, 9]);
        assert_eq!(edges(&l, false).collect::<Vec<_>>(), [2, 6]);
    }
}
