//! [`RawClip`] to BVH text, laid out as LAFAN1 is: tabs, six decimals, one line per frame.

use super::euler::{self, RotationOrder};
use footwork::clip::{ClipError, RawClip};
use footwork::frames::JointIndex;
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::io::{self, Write};

/// How a clip is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteOptions {
    /// Length of the file's unit, metres, above 0. Default 0.01: centimetres, as nearly every tool expects.
    pub metres_per_unit: f32,
    /// Order of the rotation channels. Default [`RotationOrder::Zyx`], LAFAN1's.
    pub rotation_order: RotationOrder,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { metres_per_unit: 0.01, rotation_order: RotationOrder::default() }
    }
}

/// Why a clip was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The clip itself is not sound.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Nothing to write.
    #[error("clip `{clip}` has no frames: expected at least 1")]
    NoFrames {
        /// Clip.
        clip: String,
    },
    /// A name that a reader would read otherwise.
    #[error(
        "joint name {joint:?} cannot be written: expected one line without `{{`, not empty, no spaces at its ends; rename it"
    )]
    Name {
        /// The name.
        joint: String,
    },
    /// A unit that is none.
    #[error("{metres_per_unit} metres per unit are not usable: expected a positive number, such as 0.01 for centimetres")]
    BadUnits {
        /// What was given.
        metres_per_unit: f32,
    },
    /// A length beyond what the file's numbers hold.
    #[error("a length of {metres} m is too large for units of {metres_per_unit} m: expected fewer digits; use larger units")]
    TooLarge {
        /// The length.
        metres: f32,
        /// The unit.
        metres_per_unit: f32,
    },
    /// The disk, or whatever stands behind `out`.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A translation farther than this from its rest, metres, gives its joint position channels.
const MOVES_M: f32 = 1e-6;
/// 1e-6 degrees.
const ANGLE_DECIMALS: usize = 6;

/// Writes a clip: six channels for joint 0 and for joints that move against their parent, three for the others.
///
/// Reading it back gives the same motion within 1e-3 cm and 1e-3 degrees (0.5e-6 units and degrees, plus the rounding of
/// `f32`). Joints come out depth first, as the format wants them. Not kept, because BVH has no place for it: rotations of
/// the rest pose, looping, annotations, and rates that are not whole within 0.5 %.
///
/// # Errors
/// A clip that is not sound or has no frames, a name that BVH cannot hold, unusable units, and what `out` reports.
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
    if clip.frames() == 0 {
        return Err(WriteError::NoFrames { clip: clip.name.clone() });
    }
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

/// What is where in the file.
struct Layout {
    /// `[joints]` depth first: joint and depth.
    order: Vec<(JointIndex, usize)>,
    /// `[joints]` by joint: has position channels.
    moves: Vec<bool>,
    /// `[joints]` by joint: has no children.
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
        let metres_per_unit = f64::from(options.metres_per_unit);
        // The last digit stands for at most 1e-7 m, whatever the unit.
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
        // Values are written with a space before each.
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

/// `-12.345678`: rounded, never `-0.000000`, never an exponent.
fn decimal(v: f64, decimals: usize, text: &mut Vec<u8>) -> io::Result<()> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
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
