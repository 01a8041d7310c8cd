//! Boolean expressions as text, such as `(walk
//! run) & !stairs` over tags or `speed > 0.5 & grounded` over variables. They are parsed once and evaluated without allocation.
//!
//! `!` has precedence over `&`, and `&` over `
//! `; `&&` and `
//!
//! ` are the same as `&` and `
//! `. A name is a letter or `_`, followed by letters, digits, `_`, `-`, `.` or `/`; any other name must be quoted. In a
//! comparison, `<`, `<=`, `>`, `>=`, `==` or `!=` and a number follow the name.

use std::fmt;

/// Maximum nesting depth of parentheses and `!`. At each level, at most two terms are pending, and the truth of each is a bit of
/// one word.
const MAX_NESTED: usize = 30;

/// Reason why an expression is invalid, with the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`, character {at}: {what}")]
pub struct ExpressionError {
    /// The whole expression.
    pub text: String,
    /// Position of the fault in characters, from 1.
    pub at: usize,
    /// The problem and how to fix it.
    pub what: String,
}

/// Comparison of a value with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Comparison {
    /// Longer signs come first, because `<` is a prefix of `<=`.
    const SIGNS: [(&str, Self); 6] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Returns the negated comparison.
    pub fn opposite(self) -> Self {
        match self {
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::Greater,
            Self::Greater => Self::AtMost,
            Self::AtLeast => Self::Less,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
        }
    }

    /// Returns its sign in text.
    pub fn sign(self) -> &'static str {
        Self::SIGNS.iter().find(|(_, comparison)| *comparison == self).map_or("", |(sign, _)| sign)
    }

    /// Returns true if the comparison of `a` with `b` is true.
    pub fn holds(self, a: f32, b: f32) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Greater => a > b,
            Self::AtLeast => a >= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
        }
    }
}

/// A name in an expression, with an optional comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// Name.
    pub name: String,
    /// Comparison and number, if they follow the name.
    pub comparison: Option<(Comparison, f32)>,
}

/// A part of an expression, in the order of evaluation: operands before their operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op<T> {
    Term(T),
    Not,
    And,
    Or,
}

impl<T> Op<T> {
    /// Applies this part to a stack of truth values, one per bit with the top in the lowest bit. Returns the new stack.
    #[inline]
    pub fn apply(&self, truths: u64, mut is: impl FnMut(&T) -> bool) -> u64 {
        match self {
            Self::Term(term) => truths << 1 | u64::from(is(term)),
            Self::Not => truths ^ 1,
            Self::And => truths >> 1 & (truths | !1),
            Self::Or => truths >> 1 | (truths & 1),
        }
    }
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression<T> {
    ops: Vec<Op<T>>,
}

impl<T> Expression<T> {
    /// Parses an expression. `resolve` returns the meaning of a term, or why it has none.
    ///
    /// # Errors
    /// Returns [`ExpressionError`] with the position of the fault.
    pub fn parse(text: &str, resolve: impl FnMut(&Term) -> Result<T, String>) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, rest: text, resolve, ops: Vec::new(), depth: 0 };
        parser.any_of()?;
        parser.skip_space();
        if !parser.rest.is_empty() {
            return Err(parser.fault("expected `&`, `|` or the end"));
        }
        Ok(Self { ops: parser.ops })
    }

    /// Returns the operators and terms in the order of evaluation.
    pub fn ops(&self) -> &[Op<T>] {
        &self.ops
    }

    /// Returns the terms in order.
    pub fn terms(&self) -> impl Iterator<Item = &T> {
        self.ops.iter().filter_map(|op| if let Op::Term(term) = op { Some(term) } else { None })
    }

    /// Returns true if the expression is true; `is` returns the truth of a term.
    #[inline]
    pub fn holds(&self, is: impl FnMut(&T) -> bool) -> bool {
        holds(&self.ops, is)
    }
}

/// Returns true if `ops`, in the order of evaluation, are true; `is` returns the truth of a term.
#[inline]
pub(crate) fn holds<T>(ops: &[Op<T>], mut is: impl FnMut(&T) -> bool) -> bool {
    ops.iter().fold(0, |truths, op| op.apply(truths, &mut is)) & 1 == 1
}

struct Parser<'a, T, R> {
    text: &'a str,
    rest: &'a str,
    resolve: R,
    ops: Vec<Op<T>>,
    depth: usize,
}

impl<T, R: FnMut(&Term) -> Result<T, String>> Parser<'_, T, R> {
    fn fault(&self, what: impl fmt::Display) -> ExpressionError {
        self.fault_at(self.rest, what)
    }

    fn fault_at(&self, rest: &str, what: impl fmt::Display) -> ExpressionError {
        let at = self.text[..self.text.len() - rest.len()].chars().count() + 1;
        ExpressionError { text: self.text.to_owned(), at, what: what.to_string() }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Consumes an operator of one sign, written once or twice.
    fn take(&mut self, sign: char) -> bool {
        self.skip_space();
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        self.rest = if sign == '&' || sign == '|' { rest.strip_prefix(sign).unwrap_or(rest) } else { rest };
        true
    }

    fn any_of(&mut self) -> Result<(), ExpressionError> {
        self.all_of()?;
        while self.take('|') {
            self.all_of()?;
            self.ops.push(Op::Or);
        }
        Ok(())
    }

    fn all_of(&mut self) -> Result<(), ExpressionError> {
        self.one()?;
        while self.take('&') {
            self.one()?;
            self.ops.push(Op::And);
        }
        Ok(())
    }

    fn one(&mut self) -> Result<(), ExpressionError> {
        self.skip_space();
        self.depth += 1;
        if self.depth > MAX_NESTED {
            return Err(self.fault(format!("more than {MAX_NESTED} parentheses and `!` within each other")));
        }
        let begin = self.rest;
        if self.take('!') {
            self.one()?;
            self.ops.push(Op::Not);
        } else if self.take('(') {
            self.any_of()?;
            if !self.take(')') {
                return Err(self.fault("expected `)`"));
            }
        } else {
            let term = Term { name: self.name()?, comparison: self.comparison()? };
            let resolved = (self.resolve)(&term).map_err(|what| self.fault_at(begin, what))?;
            self.ops.push(Op::Term(resolved));
        }
        self.depth -= 1;
        Ok(())
    }

    fn name(&mut self) -> Result<String, ExpressionError> {
        if let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            let inside = &self.rest[1..];
            let Some(end) = inside.find(quote).filter(|end| *end > 0) else {
                return Err(self.fault(format!("expected a name and a closing {quote}")));
            };
            self.rest = &inside[end + 1..];
            return Ok(inside[..end].to_owned());
        }
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let end = self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err(self.fault("expected a name, `!` or `(`"));
        }
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn comparison(&mut self) -> Result<Option<(Comparison, f32)>, ExpressionError> {
        self.skip_space();
        let Some((sign, comparison)) = Comparison::SIGNS.iter().find(|(sign, _)| self.rest.starts_with(sign)) else {
            return Ok(None);
        };
        self.rest = self.rest[sign.len()..].trim_start();
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let (number, rest) = self.rest.split_at(self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len()));
        match number.parse::<f32>() {
            Ok(value) if value.is_finite() => {
                self.rest = rest;
                Ok(Some((*comparison, value)))
            }
            _ => Err(self.fault(format!("expected a number after `{sign}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates a text. Its terms are the letters `a` to `h`: the bits of a number, or comparisons of it.
    fn truth(text: &str, bits: u32) -> Result<bool, ExpressionError> {
        let resolve = |term: &Term| match term.name.as_bytes() {
            [c @ b'a'..=b'h'] => Ok((*c - b'a', term.comparison)),
            _ => Err(format!("no `{}`", term.name)),
        };
        Ok(Expression::parse(text, resolve)?.holds(|(bit, comparison)| match comparison {
            Some((c, number)) => c.holds(bits as f32, *number),
            None => bits >> bit & 1 == 1,
        }))
    }

    #[test]
    fn an_expression_is_what_it_would_be_in_code() {
        for n in 0..256u32 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|bit| n >> bit & 1 == 1);
            for (text, expected) in [
                ("a", a),
                ("!a", !a),
                ("!!a & b", a && b),
                ("a | b & c", a || b && c),
                ("(a | b) & c", (a || b) && c),
                ("!(a & !b) | 'c' & \"d\"", !a || b || c && d),
                ("a && b || c&&!d", a && b || c && !d),
                ("a | b | c | d", a || b || c || d),
                ("!a & !b & !c & !d", !a && !b && !c && !d),
                ("a > 100 & b <= 2e2", n > 100 && n <= 200),
                ("a==7|a!=8&!b", n == 7 || n != 8 && !b),
            ] {
                assert_eq!(truth(text, n), Ok(expected), "{text} of {n}");
            }
        }
        let wide = vec!["a"; 1000].join(" & ");
        assert_eq!((truth(&wide, 1), truth(&wide, 2)), (Ok(true), Ok(false)));
    }

    #[test]
    fn a_fault_is_told_with_its_place() {
        for (text, at, what) in [
            ("", 1, "expected a name"),
            ("a &", 4, "expected a name"),
            ("a b", 3, "expected `&`"),
            ("(a | b", 7, "expected `)`"),
            ("a & (b))", 8, "expected `&`"),
            ("ä & a", 1, "no `ä`"),
            ("a & zz & b", 5, "no `zz`"),
            ("'a", 1, "closing"),
            ("a > b", 5, "a number"),
            ("a > 1e99", 5, "a number"),
            ("& a", 1, "expected a name"),
            (&"(".repeat(40), 31, "more than 30"),
        ] {
            let e = truth(text, 0).unwrap_err();
            assert!(e.at == at && e.what.contains(what), "{text}: {e}");
        }
    }
}
