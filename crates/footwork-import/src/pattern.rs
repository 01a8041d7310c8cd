//! Tags from clip names: `{action}{take}_{subject}` reads `walk1_subject1` as `action=walk`, `take=1`, `subject=subject1`.

use footwork::build::TagSpec;
use std::fmt;
use std::str::FromStr;

/// A pattern for clip names.
///
/// Text outside braces matches itself. `{part}` matches one character or more, up to the next text of the pattern, and gives
/// the tag `part=value`; `{}` matches the same without a tag. Adjacent parts are separated where letters and digits meet:
/// `{action}{take}` reads `walk12` as `walk` and `12`, and does not match `walk`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// Groups of adjacent parts, each followed by a text.
    groups: Vec<(Vec<String>, String)>,
    /// Text before the first part.
    start: String,
    written: String,
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl FromStr for NamePattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (start, mut rest) = text.split_at(text.find('{').unwrap_or(text.len()));
        let mut groups: Vec<(Vec<String>, String)> = Vec::new();
        while let Some(open) = rest.strip_prefix('{') {
            let (part, after) = open.split_once('}').ok_or("a `{` is not closed by `}`")?;
            if part.contains(['{', '=']) {
                return Err(format!("`{{{part}}}`: expected a name without `{{` and `=`"));
            }
            let (literal, next) = after.split_at(after.find('{').unwrap_or(after.len()));
            match groups.last_mut().filter(|(_, text)| text.is_empty()) {
                Some((parts, text)) => {
                    parts.push(part.to_owned());
                    literal.clone_into(text);
                }
                None => groups.push((vec![part.to_owned()], literal.to_owned())),
            }
            rest = next;
        }
        if groups.is_empty() || text.replace(['{', '}'], "").len() + 2 * text.matches('{').count() != text.len() {
            return Err("expected parts in braces, such as `{action}{take}_{subject}`".to_owned());
        }
        Ok(Self { groups, start: start.to_owned(), written: text.to_owned() })
    }
}

impl NamePattern {
    /// Returns name and value of each named part; `None` if the name does not match.
    pub fn read<'n>(&self, name: &'n str) -> Option<Vec<(&str, &'n str)>> {
        let mut rest = name.strip_prefix(self.start.as_str())?;
        let mut found = Vec::new();
        for (i, (parts, text)) in self.groups.iter().enumerate() {
            let end = if i + 1 == self.groups.len() {
                rest.strip_suffix(text.as_str())?.len()
            } else {
                // A part has at least one character.
                let first = rest.chars().next()?.len_utf8();
                first + rest[first..].find(text.as_str())?
            };
            let values = divide(&rest[..end], parts.len())?;
            found.extend(parts.iter().map(String::as_str).zip(values).filter(|(part, _)| !part.is_empty()));
            rest = &rest[end + text.len()..];
        }
        Some(found)
    }

    /// Returns the tags of a clip with that name, each over the whole clip; `None` if the name does not match.
    pub fn tags(&self, name: &str) -> Option<Vec<TagSpec>> {
        let tag = |(part, value): (&str, &str)| TagSpec { name: format!("{part}={value}"), start_s: None, end_s: None };
        Some(self.read(name)?.into_iter().map(tag).collect())
    }
}

/// Divides a text where letters and digits meet; returns `None` unless this gives `pieces` parts.
fn divide(text: &str, pieces: usize) -> Option<Vec<&str>> {
    if pieces == 1 {
        return (!text.is_empty()).then(|| vec![text]);
    }
    let mut out = Vec::new();
    let mut start = 0;
    let mut digit = None;
    for (at, c) in text.char_indices() {
        if digit.is_some_and(|d| d != c.is_ascii_digit()) {
            out.push(&text[start..at]);
            start = at;
        }
        digit = Some(c.is_ascii_digit());
    }
    out.push(&text[start..]);
    (out.len() == pieces).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str, name: &str) -> Option<String> {
        let pattern: NamePattern = pattern.parse().unwrap();
        let told = pattern.tags(name)?;
        Some(told.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn parts_end_at_the_next_text_and_where_letters_meet_digits() {
        let lafan1 = "{action}{take}_{subject}";
        assert_eq!(read(lafan1, "walk1_subject5").unwrap(), "action=walk take=1 subject=subject5");
        assert_eq!(read(lafan1, "push_and_fall12_s").as_deref(), None);
        assert_eq!(read(lafan1, "walk_subject5"), None);
        assert_eq!(read("{who}_{what}_{}", "ann_run_003").unwrap(), "who=ann what=run");
        assert_eq!(read("take{n}", "take07").unwrap(), "n=07");
        assert_eq!(read("take{n}", "mistake07"), None);
        assert_eq!(read("{action}.{take}", "loco.walk").unwrap(), "action=loco take=walk");
        assert_eq!(read("{a}-{b}.x", "gehen-über.x").unwrap(), "a=gehen b=über");
        assert_eq!(read("{a}_{b}", "_x"), None);
        assert_eq!(read("{a}_{b}", "x_"), None);
    }

    #[test]
    fn patterns_that_mean_nothing_are_refused() {
        for bad in ["", "walk", "{a", "a}", "{a{b}}", "{a=b}", "{a}}"] {
            assert!(bad.parse::<NamePattern>().is_err(), "{bad}");
        }
    }
}
