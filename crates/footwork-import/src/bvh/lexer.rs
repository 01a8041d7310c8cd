//! Words and lines of the text part of a file, without any grammar.

/// A piece of the file, with its byte offset.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub at: usize,
    pub text: &'a [u8],
}

impl Piece<'_> {
    /// Returns true if the piece is this keyword, in any case.
    pub fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }
}

/// A position in the bytes of a file.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

/// Returns true for blanks within a line.
pub(super) const fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | 0x0b | 0x0c)
}

/// Returns true for the end of a line: `\n`, `\r\n`, or the lone `\r` of old computers.
pub(super) const fn is_line_end(b: u8) -> bool {
    matches!(b, b'\n' | b'\r')
}

const fn is_space(b: u8) -> bool {
    is_blank(b) || is_line_end(b)
}

const fn is_brace(b: u8) -> bool {
    matches!(b, b'{' | b'}')
}

impl<'a> Lexer<'a> {
    /// Skips blanks and line ends.
    pub fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|b| is_space(*b)) {
            self.at += 1;
        }
    }

    /// Reads the next word; a brace is a word of its own.
    pub fn word(&mut self) -> Option<Piece<'a>> {
        self.skip_space();
        let at = self.at;
        let first = *self.bytes.get(at)?;
        self.at += 1;
        if !is_brace(first) {
            while self.bytes.get(self.at).is_some_and(|b| !is_space(*b) && !is_brace(*b)) {
                self.at += 1;
            }
        }
        Some(Piece { at, text: &self.bytes[at..self.at] })
    }

    /// Returns the next word without consuming it.
    pub fn peek(&self) -> Option<Piece<'a>> {
        self.clone().word()
    }

    /// Reads the rest of the line up to a `{`, trimmed: a joint name, which may contain spaces and colons.
    pub fn name(&mut self) -> Piece<'a> {
        let at = self.at;
        while self.bytes.get(self.at).is_some_and(|b| !is_line_end(*b) && *b != b'{') {
            self.at += 1;
        }
        Piece { at, text: self.bytes[at..self.at].trim_ascii() }
    }

    /// Reads the next line that is not blank, trimmed.
    pub fn line(&mut self) -> Option<Piece<'a>> {
        self.skip_space();
        let at = self.at;
        while self.bytes.get(self.at).is_some_and(|b| !is_line_end(*b)) {
            self.at += 1;
        }
        (self.at > at).then(|| Piece { at, text: self.bytes[at..self.at].trim_ascii() })
    }
}

/// Returns the line, counted from 1, that contains byte `at`.
pub(super) fn line_of(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    let lone_cr = before.iter().enumerate().filter(|(i, b)| **b == b'\r' && bytes.get(i + 1) != Some(&b'\n')).count();
    1 + before.iter().filter(|b| **b == b'\n').count() + lone_cr
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_alike_whatever_ends_them() {
        for text in ["a\nb\nc", "a\r\nb\r\nc", "a\rb\rc"] {
            assert_eq!(line_of(text.as_bytes(), text.len() - 1), 3, "{text:?}");
            assert_eq!(line_of(text.as_bytes(), 0), 1);
        }
    }

    #[test]
    fn braces_need_no_spaces_and_names_keep_theirs() {
        let mut l = Lexer { bytes: b"JOINT  left: arm \t{OFFSET 1 2 3}", at: 0 };
        assert!(l.word().unwrap().is("joint"));
        assert_eq!(l.name().text, b"left: arm");
        let words: Vec<_> = std::iter::from_fn(|| l.word()).map(|p| p.text).collect();
        assert_eq!(words, [&b"{"[..], b"OFFSET", b"1", b"2", b"3", b"}"]);
    }
}
