//! Reads the motion block: its two header lines, and the rows of numbers, which are most of a file.

use super::error::{BvhProblem as P, Fault, quote};
use super::lexer::{Lexer, Piece, is_blank, is_line_end};
use super::number::{self, Reject};
use super::{Bvh, BvhJoint};

/// Header of the motion block, as written.
pub(super) struct Header {
    pub frames: u64,
    pub frame_time_s: f64,
}

/// Reads `MOTION`, `Frames:` and `Frame Time:`.
pub(super) fn header(lexer: &mut Lexer<'_>) -> Result<Header, Fault> {
    match lexer.word() {
        Some(w) if w.is("MOTION") => {}
        Some(w) if w.is("}") => return Err(Fault::new(w.at, P::StrayBrace)),
        Some(w) => return Err(Fault::new(w.at, P::NoMotion { found: quote(w.text) })),
        None => return Err(truncated(lexer, "`MOTION`")),
    }
    let frames = entry(lexer, "frames", "`Frames: <count>`")?;
    let count = std::str::from_utf8(frames.text).ok().and_then(|t| t.parse().ok());
    let count: u64 = count.ok_or_else(|| {
        let expected = "a whole number of frames after `Frames:`".to_owned();
        Fault::new(frames.at, P::Expected { expected, found: quote(frames.text) })
    })?;
    if count == 0 {
        return Err(Fault::new(frames.at, P::NoFrames));
    }
    let time = entry(lexer, "frame time", "`Frame Time: <seconds>`")?;
    let seconds: Option<f64> = std::str::from_utf8(time.text).ok().and_then(|t| t.parse().ok());
    // The rate is rounded to whole numbers, so a small tolerance treats 0.001 and 0.000999 alike.
    match seconds.filter(|s| (0.000_995..=1.005).contains(s)) {
        Some(frame_time_s) => Ok(Header { frames: count, frame_time_s }),
        None => Err(Fault::new(time.at, P::FrameTime { found: quote(time.text) })),
    }
}

/// Returns the value of a line `key: value`; the key in any case, with any blanks.
fn entry<'a>(lexer: &mut Lexer<'a>, key: &str, expected: &str) -> Result<Piece<'a>, Fault> {
    let Some(line) = lexer.line() else { return Err(truncated(lexer, expected)) };
    let colon = line.text.iter().position(|b| *b == b':');
    let matches = colon.is_some_and(|c| {
        let words = line.text[..c].split(|b| is_blank(*b)).filter(|w| !w.is_empty());
        words.map(<[u8]>::to_ascii_lowercase).eq(key.split(' ').map(|k| k.as_bytes().to_vec()))
    });
    match colon {
        Some(c) if matches => {
            let value = &line.text[c + 1..];
            Ok(Piece { at: line.at + c + 1 + (value.len() - value.trim_ascii_start().len()), text: value.trim_ascii() })
        }
        _ => Err(Fault::new(line.at, P::Expected { expected: expected.to_owned(), found: quote(line.text) })),
    }
}

fn truncated(lexer: &Lexer<'_>, expected: &str) -> Fault {
    Fault::new(lexer.bytes.trim_ascii_end().len(), P::Truncated { expected: expected.to_owned() })
}

/// Reads all rows: one line each, one value per channel. Returns `[frames x channels]`.
pub(super) fn rows(lexer: &mut Lexer<'_>, claimed: u64, joints: &[BvhJoint]) -> Result<Vec<f32>, Fault> {
    let bytes = lexer.bytes;
    let channels: usize = joints.iter().map(|j| j.channels.len()).sum();
    // A value takes at least two bytes: memory is bounded by the size of the file, not by the header.
    let most = (bytes.len() - lexer.at) / 2 + 1;
    let wanted = usize::try_from(claimed).unwrap_or(usize::MAX).saturating_mul(channels);
    let mut values = Vec::with_capacity(wanted.min(most));
    let mut rows = 0;
    loop {
        lexer.skip_space();
        if lexer.at == bytes.len() {
            break;
        }
        if rows == claimed {
            let found = rows as usize + lines(lexer.clone());
            return Err(Fault::new(lexer.at, P::TooManyRows { claimed, found }));
        }
        let start = lexer.at;
        let (found, end) = row(bytes, start, channels, &mut values).map_err(|(at, column, reject)| {
            let place = place(rows as usize, column, joints);
            let found = quote(word_at(bytes, at));
            let problem = match reject {
                Reject::NotANumber => P::NotANumber { place, found },
                Reject::NotFinite => P::NotFinite { place, found },
            };
            Fault::new(at, problem)
        })?;
        let full = bytes.get(end).is_none_or(|b| is_line_end(*b));
        if found < channels && end == bytes.len() {
            let expected = format!("{} more values of frame {rows}, which has {found} of {channels}", channels - found);
            return Err(Fault::new(end, P::Truncated { expected }));
        }
        if found < channels || !full {
            let found = words(Lexer { bytes, at: start });
            return Err(Fault::new(start, P::RowLength { frame: rows as usize, expected: channels, found }));
        }
        lexer.at = end;
        rows += 1;
    }
    if rows < claimed {
        return Err(Fault::new(bytes.trim_ascii_end().len(), P::TooFewRows { claimed, found: rows as usize }));
    }
    Ok(values)
}

/// Appends up to `channels` values of one line. Returns their number and the end; an error has byte, column and reason.
#[inline]
fn row(
    bytes: &[u8],
    at: usize,
    channels: usize,
    values: &mut Vec<f32>,
) -> Result<(usize, usize), (usize, usize, Reject)> {
    let mut at = at;
    for column in 0..channels {
        let (v, end) = number::value(bytes, at).map_err(|reject| (at, column, reject))?;
        values.push(v);
        at = end;
        while bytes.get(at).is_some_and(|b| is_blank(*b)) {
            at += 1;
        }
        if bytes.get(at).is_none_or(|b| is_line_end(*b)) {
            return Ok((column + 1, at));
        }
    }
    Ok((channels, at))
}

fn word_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at..];
    &rest[..rest.iter().position(|b| is_blank(*b) || is_line_end(*b)).unwrap_or(rest.len())]
}

/// Returns the number of words in the line at the lexer.
fn words(mut lexer: Lexer<'_>) -> usize {
    lexer.line().map_or(0, |l| l.text.split(|b| is_blank(*b)).filter(|w| !w.is_empty()).count())
}

/// Returns the number of remaining lines that are not blank.
fn lines(mut lexer: Lexer<'_>) -> usize {
    std::iter::from_fn(|| lexer.line()).count()
}

/// Returns the frame, joint and channel of a column, for messages.
fn place(frame: usize, column: usize, joints: &[BvhJoint]) -> String {
    let mut all = joints.iter().flat_map(|j| j.channels.iter().map(move |c| (j, c)));
    match all.nth(column) {
        Some((joint, channel)) => format!("frame {frame}, joint `{}`, {}", joint.name, channel.name()),
        None => format!("frame {frame}"),
    }
}

impl Bvh {
    /// Returns the frames per second: one over the frame time, rounded to a whole number within 0.5 %.
    ///
    /// Frame times in files are rounded: 0.0333, 0.033333 and 0.03333333 all mean 30 Hz, 0.016667 means 60, 0.00833 means 120.
    pub fn rate_hz(&self) -> f32 {
        let rate = 1.0 / self.frame_time_s;
        let whole = rate.round();
        if whole >= 1.0 && (rate - whole).abs() <= 0.005 * whole { whole as f32 } else { rate as f32 }
    }
}
