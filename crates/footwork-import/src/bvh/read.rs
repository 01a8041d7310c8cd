//! Bytes to [`Bvh`].

use super::error::{BvhError, BvhProblem as P, Fault};
use super::lexer::{Lexer, line_of};
use super::{Bvh, hierarchy, motion};

/// Parses the bytes of a BVH file. `source`, usually a path, is for messages.
///
/// # Errors
/// Anything that is not a whole, finite, unambiguous motion: see [`BvhProblem`](super::BvhProblem). Never panics, and
/// allocates in proportion to `bytes`, not to what a header claims.
pub fn parse(bytes: &[u8], source: &str) -> Result<Bvh, BvhError> {
    check_encoding(bytes).and_then(|start| document(bytes, start)).map_err(|fault| locate(fault, bytes, source))
}

/// Where the text starts: behind a byte order mark.
fn check_encoding(bytes: &[u8]) -> Result<usize, Fault> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Fault::new(0, P::Utf16));
    }
    Ok(if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 })
}

fn document(bytes: &[u8], start: usize) -> Result<Bvh, Fault> {
    let mut lexer = Lexer { bytes, at: start };
    let joints = hierarchy::read(&mut lexer)?;
    let tree_end = lexer.at;
    if let Some(word) = lexer.peek().filter(|w| w.is("ROOT")) {
        lexer.word();
        let (first, second) = (joints[0].name.clone(), super::error::quote(lexer.name().text));
        return Err(Fault::new(word.at, P::TwoRoots { first, second }));
    }
    let header = motion::header(&mut lexer)?;
    if joints.iter().all(|j| j.channels.is_empty()) {
        return Err(Fault::new(tree_end, P::NoChannels));
    }
    let values = motion::rows(&mut lexer, header.frames, &joints)?;
    let channels: usize = joints.iter().map(|j| j.channels.len()).sum();
    // A name with a NUL parses, but no tool means it.
    if let Some(joint) = joints.iter().find(|j| j.name.contains('\0')) {
        let at = bytes.iter().position(|b| *b == 0).unwrap_or(0);
        debug_assert!(joint.name.contains('\0'));
        return Err(Fault::new(at, P::Binary));
    }
    Ok(Bvh { frames: values.len() / channels, joints, frame_time_s: header.frame_time_s, values })
}

/// Byte to line. A problem in a file with NUL bytes is that it is no text, whatever else was noticed first.
fn locate(fault: Fault, bytes: &[u8], source: &str) -> BvhError {
    let fault = match bytes.iter().position(|b| *b == 0) {
        Some(at) if !matches!(fault.problem, P::Utf16) => Fault::new(at, P::Binary),
        _ => fault,
    };
    BvhError { file: source.to_owned(), line: Some(line_of(bytes, fault.at)), problem: fault.problem }
}
