//! Writes [`RawClip`] as BVH text in the layout of LAFAN1: tabs, six decimals, one line per frame.

use super::euler::{self, RotationOrder};
use footwork::clip::{ClipError, RawClip};
use footwork::frames::JointIndex;
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::io::{self, Write};

/// Settings for writing a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteOptions {
    /// Length of the file's unit, in metres. Range: above 0. Default: 0.01 (centimetres), which nearly every tool expects.
    pub metres_per_unit: f32,
    /// Order of the rotation channels. Default: [`RotationOrder::Zyx`], as in LAFAN1.
    pub rotation_order: RotationOrder,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { metres_per_unit: 0.01, rotation_order: RotationOrder::default() }
    }
}

/// Reason why a clip was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The clip is invalid.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A joint name cannot be written, as a reader would read another name.
    #[error(
        "joint name {joint:?} cannot be written: expected one line without `{{`, not empty, no spaces at its ends; rename it"
    )]
    Name {
        /// The name.
        joint: String,
    },
    /// The given unit is invalid.
    #[error(
        "{metres_per_unit} metres per unit are not usable: expected a positive number, such as 0.01 for centimetres"
    )]
    BadUnits {
        /// The value given.
        metres_per_unit: f32,
    },
    /// A length exceeds the range of the file's numbers.
    #[error(
        "a length of {metres} m is too large for units of {metres_per_unit} m: expected fewer digits; use larger units"
    )]
    TooLarge {
        /// The length.
        metres: f32,
        /// The unit.
        metres_per_unit: f32,
    },
    /// The destination `out` failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Minimum distance of a translation from the rest pose, in metres, at which a joint gets position channels.
const MOVES_M: f32 = 1e-6;
/// Decimals of angles: 1e-6 degrees.
const ANGLE_DECIMALS: usize = 6;

/// Writes a clip: six channels for joint 0 and for joints that move relative to their parent, three for the others.
///
/// Reading the file back gives the same motion within 1e-3 cm and 1e-3 degrees (0.5e-6 units and degrees, plus the rounding of
/// `f32`). Joints are written depth first, as the format requires. BVH cannot store rotations of the rest pose, looping,
/// annotations, or rates that are not whole within 0.5 %.
///
/// # Errors
/// Returns a [`WriteError`] if the clip is invalid, a name cannot be written, the unit is invalid, a length is too large, or
/// `out` fails.
pub fn write(clip: &RawClip, out: &mut impl Write, options: &WriteOptions) -> Result<(), WriteError> {
    validate(clip, options)?;
    let layout = Layout::new(clip, options);
    let mut text = Vec::new();
    layout.hierarchy(&clip.skeleton, &mut text)?;
    writeln!(text, "MOTION\nFrames: {}\nFrame Time: {:.9}", clip.frames(), 1.0 / f64::from(clip.rate_hz))?;
    for frame in 0..clip.frames() {
        layout.row(clip, frame, &mut text)?;
        if text.len() > 1 << 16 {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)?;
    out.flush()?;
    Ok(())
}

fn validate(clip: &RawClip, options: &WriteOptions) -> Result<(), WriteError> {
    clip.validate()?;
    let metres_per_unit = options.metres_per_unit;
    if !(metres_per_unit.is_finite() && metres_per_unit > 0.0) {
        return Err(WriteError::BadUnits { metres_per_unit });
    }
    for name in clip.skeleton.names() {
        let trimmed = name.as_bytes().trim_ascii();
        if trimmed.len() != name.len() || name.is_empty() || name.contains(['\n', '\r', '{', '\0']) {
            return Err(WriteError::Name { joint: name.clone() });
        }
    }
    let lengths = clip.skeleton.rest().iter().map(|t| t.translation).chain(clip.translations.iter().copied());
    let most = lengths.map(Vec3::abs).fold(0.0, |m: f32, v| m.max(v.max_element()));
    if f64::from(most) / f64::from(metres_per_unit) > f64::from(f32::MAX) {
        return Err(WriteError::TooLarge { metres: most, metres_per_unit });
    }
    Ok(())
}

/// Layout of the file.
struct Layout {
    /// `[joints]` joint and depth, depth first.
    order: Vec<(JointIndex, usize)>,
    /// `[joints]` whether a joint has position channels.
    moves: Vec<bool>,
    /// `[joints]` whether a joint has no children.
    leaf: Vec<bool>,
    rotation_order: RotationOrder,
    metres_per_unit: f64,
    length_decimals: usize,
}

impl Layout {
    fn new(clip: &RawClip, options: &WriteOptions) -> Self {
        let skeleton = &clip.skeleton;
        let joints = skeleton.len();
        let mut children = vec![Vec::new(); joints];
        for (j, parent) in skeleton.parents().iter().enumerate() {
            if let Some(p) = parent {
                children[p.at()].push(JointIndex::new(j));
            }
        }
        let mut order = Vec::with_capacity(joints);
        let mut stack = vec![(JointIndex(0), 0)];
        while let Some((joint, depth)) = stack.pop() {
            order.push((joint, depth));
            stack.extend(children[joint.at()].iter().rev().map(|c| (*c, depth + 1)));
        }
        let mut moves = vec![false; joints];
        moves[0] = true;
        for frame in clip.translations.chunks_exact(joints) {
            for (j, t) in frame.iter().enumerate() {
                moves[j] |= (*t - skeleton.rest()[j].translation).length() > MOVES_M;
            }
        }
        // The text of the value means 0.01, not the nearest f32: 1 m is then 100.000000 cm in the file, not 100.000002.
        let metres_per_unit = options.metres_per_unit.to_string().parse().unwrap_or(options.metres_per_unit.into());
        // The last digit is worth at most 1e-7 m, whatever the unit.
        let mut length_decimals = 6;
        let mut last_digit_m = metres_per_unit * 1e-6;
        while last_digit_m > 1e-7 && length_decimals < 15 {
            last_digit_m *= 0.1;
            length_decimals += 1;
        }
        let leaf = children.iter().map(Vec::is_empty).collect();
        Self { order, moves, leaf, rotation_order: options.rotation_order, metres_per_unit, length_decimals }
    }

    fn hierarchy(&self, skeleton: &Skeleton, text: &mut Vec<u8>) -> io::Result<()> {
        writeln!(text, "HIERARCHY")?;
        let tabs = |n: usize| "\t".repeat(n);
        let mut open = 0;
        for &(joint, depth) in &self.order {
            while open > depth {
                open -= 1;
                writeln!(text, "{}}}", tabs(open))?;
            }
            open = depth + 1;
            let keyword = if depth == 0 { "ROOT" } else { "JOINT" };
            write!(text, "{0}{keyword} {1}\n{0}{{\n{0}\tOFFSET", tabs(depth), skeleton.name(joint))?;
            self.vector(skeleton.rest()[joint.at()].translation, text)?;
            let rotations = self.rotation_order.axes().map(|a| super::Channel::Rotation(a).name()).join(" ");
            if self.moves[joint.at()] {
                writeln!(text, "\n{}\tCHANNELS 6 Xposition Yposition Zposition {rotations}", tabs(depth))?;
            } else {
                writeln!(text, "\n{}\tCHANNELS 3 {rotations}", tabs(depth))?;
            }
            if self.leaf[joint.at()] {
                write!(text, "{0}\tEnd Site\n{0}\t{{\n{0}\t\tOFFSET", tabs(depth))?;
                self.vector(Vec3::ZERO, text)?;
                writeln!(text, "\n{}\t}}", tabs(depth))?;
            }
        }
        for depth in (0..open).rev() {
            writeln!(text, "{}}}", tabs(depth))?;
        }
        Ok(())
    }

    fn row(&self, clip: &RawClip, frame: usize, text: &mut Vec<u8>) -> io::Result<()> {
        let first = text.len();
        for &(joint, _) in &self.order {
            let at = frame * clip.skeleton.len() + joint.at();
            if self.moves[joint.at()] {
                self.vector(clip.translations[at], text)?;
            }
            for angle in euler::degrees(clip.rotations[at], self.rotation_order) {
                text.push(b' ');
                decimal(angle, ANGLE_DECIMALS, text)?;
            }
        }
        // Every value is preceded by a space; remove the first.
        text.remove(first);
        text.push(b'\n');
        Ok(())
    }

    fn vector(&self, metres: Vec3, text: &mut Vec<u8>) -> io::Result<()> {
        for component in metres.to_array() {
            text.push(b' ');
            decimal(f64::from(component) / self.metres_per_unit, self.length_decimals, text)?;
        }
        Ok(())
    }
}

/// Writes a decimal such as `-12.345678`: rounded, without an exponent, and without the sign of `-0.000000`.
fn decimal(v: f64, decimals: usize, text: &mut Vec<u8>) -> io::Result<()> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let scaled = (v * POWERS[decimals]).round();
    // Beyond 2^53 the product is no longer exact.
    if scaled.abs() >= 9e15 {
        return write!(text, "{v:.decimals$}");
    }
    if scaled < 0.0 {
        text.push(b'-');
    }
    let mut rest = scaled.abs() as u64;
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while rest > 0 || digits.len() - at <= decimals {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let point = digits.len() - decimals;
    text.extend_from_slice(&digits[at..point]);
    text.push(b'.');
    text.extend_from_slice(&digits[point..]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Units, parse};
    use super::*;
    use footwork::clip::Annotations;
    use footwork::math::{Quat, Transform};
    use proptest::prelude::*;

    /// Returns a clip with joints in breadth-first order, as in some formats: root, two children, a grandchild of the first.
    fn clip(frames: usize, rotations: Vec<Quat>, hips: Vec<Vec3>) -> RawClip {
        let rest = [Vec3::ZERO, Vec3::new(0.1, -0.4, 0.0), Vec3::new(-0.1, -0.4, 0.0), Vec3::new(0.0, -0.45, 0.017)];
        let parents = [None, Some(0), Some(0), Some(1)].map(|p| p.map(JointIndex));
        let names = ["Hips", "Left Leg", "ns:RightLeg", "LeftFoot"].map(String::from);
        let rest_transforms = rest.map(|t| Transform::new(t, Quat::IDENTITY));
        let skeleton = Skeleton::new(names.to_vec(), parents.to_vec(), rest_transforms.to_vec()).unwrap();
        let translations = hips.iter().flat_map(|h| [*h, rest[1], rest[2] + Vec3::X * h.y * 0.01, rest[3]]).collect();
        RawClip {
            name: "c".into(),
            source: "t".into(),
            skeleton,
            rate_hz: 60.0,
            looping: false,
            translations,
            rotations: rotations.into_iter().take(frames * 4).collect(),
            annotations: Annotations::default(),
        }
    }

    fn still() -> RawClip {
        clip(1, vec![Quat::IDENTITY; 4], vec![Vec3::Y])
    }

    fn text(clip: &RawClip, options: &WriteOptions) -> String {
        let mut out = Vec::new();
        write(clip, &mut out, options).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Returns the largest differences: (cm, degrees), joints matched by name.
    fn off(a: &RawClip, b: &RawClip) -> (f32, f32) {
        assert_eq!((a.frames(), a.rate_hz, a.skeleton.len()), (b.frames(), b.rate_hz, b.skeleton.len()));
        let (mut cm, mut degrees) = (0.0f32, 0.0f32);
        let joints = a.skeleton.len();
        for (j, name) in a.skeleton.names().iter().enumerate() {
            let k = b.skeleton.require(name).unwrap().at();
            let parent = |c: &RawClip, j: usize| c.skeleton.parents()[j].map(|p| c.skeleton.name(p).to_owned());
            assert_eq!(parent(a, j), parent(b, k));
            let rest = |c: &RawClip, j: usize| c.skeleton.rest()[j].translation;
            cm = cm.max((rest(a, j) - rest(b, k)).length() * 100.0);
            for f in 0..a.frames() {
                let (p, q) = (f * joints + j, f * joints + k);
                cm = cm.max((a.translations[p] - b.translations[q]).length() * 100.0);
                degrees = degrees.max(a.rotations[p].angle_between(b.rotations[q]).to_degrees());
            }
        }
        (cm, degrees)
    }

    #[test]
    fn the_text_looks_like_lafan1() {
        let mut c = still();
        c.rotations[0] = Quat::from_rotation_z(0.5);
        let expected = "HIERARCHY
ROOT Hips
{
\tOFFSET 0.000000 0.000000 0.000000
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\tJOINT Left Leg
\t{
\t\tOFFSET 10.000000 -40.000001 0.000000
\t\tCHANNELS 3 Zrotation Yrotation Xrotation
\t\tJOINT LeftFoot
\t\t{
\t\t\tOFFSET 0.000000 -44.999999 1.700000
\t\t\tCHANNELS 3 Zrotation Yrotation Xrotation
\t\t\tEnd Site
\t\t\t{
\t\t\t\tOFFSET 0.000000 0.000000 0.000000
\t\t\t}
\t\t}
\t}
\tJOINT ns:RightLeg
\t{
\t\tOFFSET -10.000000 -40.000001 0.000000
\t\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0.000000 0.000000 0.000000
\t\t}
\t}
}
MOTION
Frames: 1
Frame Time: 0.016666667
0.000000 100.000000 0.000000 28.647890 0.000000";
        let found = text(&c, &WriteOptions::default());
        assert!(found.starts_with(expected), "{found}");
        assert!(!found.contains("-0.000000") && found.ends_with('\n'));
    }

    #[test]
    fn decimals_are_rounded_as_the_standard_library_rounds_them() {
        for v in [0.0, -0.0, 1e-7, -4e-7, 0.5e-6, 123.456_789_1, -179.999_999_9, 99_999.999_999_7, 1e12, -3.4e38] {
            let mut out = Vec::new();
            decimal(v, 6, &mut out).unwrap();
            let expected = format!("{v:.6}");
            let expected = if expected == "-0.000000" { "0.000000" } else { &expected };
            let found = String::from_utf8(out).unwrap();
            let (a, b): (f64, f64) = (found.parse().unwrap(), expected.parse().unwrap());
            assert!((a - b).abs() <= 1.000_001e-6, "{found} {expected}");
            assert_eq!(found.len(), expected.len());
        }
    }

    #[test]
    fn what_bvh_cannot_hold_is_refused() {
        let fails = |change: &dyn Fn(&mut RawClip, &mut WriteOptions)| {
            let (mut c, mut o) = (still(), WriteOptions::default());
            change(&mut c, &mut o);
            let mut out = Vec::new();
            let e = write(&c, &mut out, &o).unwrap_err().to_string();
            assert!(out.is_empty(), "half a file");
            e
        };
        for name in ["a\nb", "", " a", "a\t", "a {b", "a\rb"] {
            let e = fails(&|c, _| {
                c.skeleton = Skeleton::new(vec![name.into()], vec![None], vec![Transform::IDENTITY]).unwrap();
            });
            assert!(e.contains(&format!("joint name {name:?} cannot be written: expected")), "{e}");
        }
        assert!(fails(&|c, _| c.rotations[2].x = f32::NAN).contains("not a finite number"));
        let none = fails(&|c, _| {
            c.rotations.clear();
            c.translations.clear();
        });
        assert_eq!(none, "clip `c` has no frames");
        for bad in [0.0, -1.0, f32::NAN] {
            assert!(fails(&|_, o| o.metres_per_unit = bad).contains("metres per unit are not usable"));
        }
        assert!(fails(&|_, o| o.metres_per_unit = 1e-40).contains("use larger units"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn a_written_clip_reads_back_within_a_thousandth(
            turns in proptest::collection::vec((-4.0f32..4.0, -4.0f32..4.0, -4.0f32..4.0), 12),
            hips in proptest::collection::vec((-30.0f32..30.0, -2.0f32..2.0, -30.0f32..30.0), 3),
            order in 0usize..6,
            unit in 0usize..5,
        ) {
            let rotations = turns.into_iter().map(|t| Quat::from_rotation_vector(t.into())).collect();
            let hips: Vec<Vec3> = hips.into_iter().map(Vec3::from).collect();
            let original = clip(3, rotations, hips);
            let metres_per_unit = [0.01, 1.0, 0.001, 0.0254, 10.0][unit];
            let options = WriteOptions { metres_per_unit, rotation_order: RotationOrder::ALL[order] };
            let text = text(&original, &options);
            let back = parse(text.as_bytes(), "t").unwrap();
            let back = back.to_clip("c", "t", Units::MetresPerUnit(metres_per_unit)).unwrap();
            let (cm, degrees) = off(&original, &back);
            prop_assert!(cm < 1e-3 && degrees < 1e-3, "{cm} cm, {degrees} degrees");
        }
    }
}
