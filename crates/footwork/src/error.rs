//! Common functions for error messages. Each stage has its own error enum beside its code.

use std::borrow::Cow;

/// Maximum length of text from a file that a message quotes, in characters.
const MOST_QUOTED: usize = 200;
/// Marks text that is truncated.
const CUT: &str = "...";

/// Maximum length of a line of a message of another library, in characters.
const MOST_LINE: usize = 4 * MOST_QUOTED;

/// Returns a name or value from a file for quotation in a message: in full up to 200 characters, truncated beyond.
pub fn quoted(text: &str) -> Cow<'_, str> {
    cut(text, MOST_QUOTED)
}

fn cut(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        Some((end, _)) => Cow::Owned(format!("{}{CUT}", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns a message of another library with long quotations from a file truncated ([`quoted`]): texts between two equal
/// quotation marks, and long lines.
pub fn cut_quotes(message: &str) -> String {
    let lines = message.lines().map(|line| {
        if line.len() <= MOST_QUOTED {
            return line.to_owned();
        }
        let (mut out, mut rest) = (String::new(), line);
        while let Some(start) = rest.find(['`', '"']) {
            let (before, quote) = rest.split_at(start + 1);
            let mark = &before[start..];
            let Some(end) = quote.find(mark) else { break };
            out.push_str(&quoted(&before[..start]));
            out.push_str(mark);
            out.push_str(&quoted(&quote[..end]));
            out.push_str(mark);
            rest = &quote[end + 1..];
        }
        out.push_str(&quoted(rest));
        cut(&out, MOST_LINE).into_owned()
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// Returns the candidate most similar to `wanted`, if any is similar enough.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // Truncate, because the cost of the comparison is the product of both lengths.
    let lower = |text: &str| quoted(text).to_lowercase();
    let wanted = lower(wanted);
    candidates
        .into_iter()
        .map(|c| (strsim::jaro_winkler(&wanted, &lower(c)), c))
        .filter(|(score, _)| *score > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, c)| quoted(c).into_owned())
}

/// Returns a message for an unknown name, with the nearest known one.
pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let hint = nearest(name, known).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
    format!("there is no {kind} `{}`{hint}", quoted(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_ignores_case_and_gives_up_on_strangers() {
        assert_eq!(nearest("lefttoe", ["Hips", "LeftToe", "RightToe"]), Some("LeftToe".into()));
        assert_eq!(nearest("qqq", ["Hips", "Spine"]), None);
    }

    #[test]
    fn quotations_are_cut_and_the_words_around_them_stay() {
        let long = "ä".repeat(MOST_QUOTED + 1);
        let (whole, cut) = (&long[2..], format!("{}...", &long[2..]));
        assert_eq!(quoted(whole), whole);
        assert_eq!(quoted(&long), cut);
        assert_eq!(cut_quotes("unknown field `a`, expected `b`"), "unknown field `a`, expected `b`");
        let message = |text: &str| format!("line 3\n3 | {text} = 1\nunknown field `{text}`, expected `b` or \"c\"");
        let found = cut_quotes(&message(&long));
        assert!(found.starts_with("line 3\n3 | ") && found.ends_with(&format!("field `{cut}`, expected `b` or \"c\"")));
        let many = cut_quotes(&"\"a\", ".repeat(100_000));
        assert!(many.chars().count() <= MOST_LINE + 3, "{}", many.len());
        // The comparison of long names terminates.
        let long = "x".repeat(1_000_000);
        assert_eq!(nearest(&long, [long.as_str()]), Some(quoted(&long).into_owned()));
    }
}
