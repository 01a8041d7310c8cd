//! A sidecar as a TOML text with its comments.

use super::edit;
use super::mark::{Kind, Mark};
use crate::toml::put;
use footwork::build::ClipRule;
use footwork_import::{Take, parse_sidecar};
use toml_edit::DocumentMut;

/// Added or removed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub added: bool,
    pub line: String,
}

/// Sidecar of a take.
#[derive(Clone, Debug)]
pub(crate) struct Sidecar {
    document: DocumentMut,
    rule: ClipRule,
    /// Text of the file; `None` if there is no file.
    saved: Option<String>,
}

impl Sidecar {
    /// Parses the text of a sidecar's file.
    pub fn read(text: Option<String>, take: &Take) -> Result<Self, String> {
        let (document, rule) = parse(text.as_deref().unwrap_or_default(), take)?;
        Ok(Self { document, rule, saved: text })
    }

    /// Returns an empty sidecar without a file.
    pub fn empty() -> Self {
        Self { document: DocumentMut::new(), rule: ClipRule::default(), saved: None }
    }

    /// Returns the text to save.
    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// Returns the text of the file, or `None` if there is no file.
    pub fn saved(&self) -> Option<&str> {
        self.saved.as_deref()
    }

    /// Returns true if the text differs from the file.
    pub fn is_changed(&self) -> bool {
        self.text() != self.saved.as_deref().unwrap_or_default()
    }

    /// Sets the text of the file after it was saved.
    pub fn mark_saved(&mut self, text: Option<String>) {
        self.saved = text;
    }

    /// Returns the loop setting.
    pub fn looping(&self) -> Option<bool> {
        self.rule.looping
    }

    /// Returns the marks, with their indices for [`Sidecar::set`] and [`Sidecar::remove`].
    pub fn marks(&self) -> Vec<(usize, Mark)> {
        let mark = |kind, name: &str, cost, start_s, end_s| Mark { kind, name: name.to_owned(), cost, start_s, end_s };
        let r = &self.rule;
        let tags = r.tags.iter().map(|t| mark(Kind::Tag, &t.name, 0.0, t.start_s, t.end_s)).enumerate();
        let costs = r.costs.iter().map(|c| mark(Kind::Cost, "", c.cost, c.start_s, c.end_s)).enumerate();
        let range = |kind| move |[start, end]: &[f32; 2]| mark(kind, "", 0.0, Some(*start), Some(*end));
        let discard = r.discard.iter().map(range(Kind::Discard)).enumerate();
        let barred = r.do_not_enter.iter().map(range(Kind::NoEntry)).enumerate();
        let events = r.events.iter().map(|e| mark(Kind::Event, &e.name, 0.0, Some(e.time_s), None)).enumerate();
        tags.chain(costs).chain(discard).chain(barred).chain(events).collect()
    }

    /// Returns one mark.
    pub fn mark(&self, kind: Kind, index: usize) -> Option<Mark> {
        self.marks().into_iter().find(|(k, m)| m.kind == kind && *k == index).map(|(_, m)| m)
    }

    /// Adds a mark. Returns its index.
    pub fn add(&mut self, mark: &Mark, take: &Take) -> Result<usize, String> {
        let count = self.marks().iter().filter(|(_, m)| m.kind == mark.kind).count();
        self.change(take, |document| edit::add(document, mark))?;
        Ok(count)
    }

    /// Replaces a mark.
    pub fn set(&mut self, index: usize, mark: &Mark, take: &Take) -> Result<(), String> {
        self.change(take, |document| edit::set(document, index, mark))
    }

    /// Removes a mark.
    pub fn remove(&mut self, kind: Kind, index: usize, take: &Take) -> Result<(), String> {
        self.change(take, |document| edit::remove(document, kind, index))
    }

    /// Sets whether the clip is a loop. `None` restores the default: the source's value, or the build's detection.
    pub fn set_looping(&mut self, looping: Option<bool>, take: &Take) -> Result<(), String> {
        self.change(take, |document| {
            match looping {
                Some(on) => put(document.as_table_mut(), "loop", on.into()),
                None => drop(document.remove("loop")),
            }
            Ok(())
        })
    }

    fn change(&mut self, take: &Take, edit: impl FnOnce(&mut DocumentMut) -> Result<(), String>) -> Result<(), String> {
        let mut next = self.document.clone();
        edit(&mut next)?;
        self.swap(next, take).map(drop)
    }

    /// Replaces the text. Returns the old document.
    pub fn swap(&mut self, next: DocumentMut, take: &Take) -> Result<DocumentMut, String> {
        let (next, rule) = parse(&next.to_string(), take)?;
        self.rule = rule;
        Ok(std::mem::replace(&mut self.document, next))
    }

    /// Returns the document, for the undo history.
    pub fn document(&self) -> &DocumentMut {
        &self.document
    }

    /// Returns the lines that differ from the file: removed lines, then added ones, in the order of the texts.
    pub fn differences(&self) -> Vec<Difference> {
        let (before, after) = (self.saved.clone().unwrap_or_default(), self.text());
        let without = |lines: &str, others: &str, added: bool| {
            let mut others: Vec<String> = others.lines().map(str::to_owned).collect();
            let mut left = Vec::new();
            for line in lines.lines().filter(|l| !l.trim().is_empty()) {
                match others.iter().position(|o| o == line) {
                    Some(k) => drop(others.remove(k)),
                    None => left.push(Difference { added, line: line.to_owned() }),
                }
            }
            left
        };
        [without(&before, &after, false), without(&after, &before, true)].concat()
    }
}

fn parse(text: &str, take: &Take) -> Result<(DocumentMut, ClipRule), String> {
    let rule = parse_sidecar(text, take).map_err(|e| e.to_string())?;
    let document = text.parse().map_err(|e: toml_edit::TomlError| format!("{}: {e}", take.sidecar.display()))?;
    Ok((document, rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Mine.\nloop = true # it is\ntags = [\n  # slow\n  { name = \"calm\" }, # all of it\n  { name = \"turn\", \
                        start_s = 0.5, end_s = 1.0 },\n]\ndiscard = [[0.0, 0.1]] # T-pose\n\n[[events]]\nname = \"step\" # left\n\
                        time_s = 0.25\n";

    fn take() -> Take {
        Take { name: "walk".into(), sidecar: "walk.tags.toml".into(), text: None, rate_hz: 60.0, frames: 121 }
    }

    fn mark(kind: Kind, name: &str, start_s: f32, end_s: f32) -> Mark {
        let end_s = (kind != Kind::Event).then_some(end_s);
        Mark { kind, name: name.into(), cost: 0.0, start_s: Some(start_s), end_s }
    }

    #[test]
    fn marks_change_and_comments_stay() {
        let mut s = Sidecar::read(Some(TEXT.to_owned()), &take()).unwrap();
        assert!(!s.is_changed() && s.marks().len() == 4 && s.looping() == Some(true));
        assert_eq!(s.add(&mark(Kind::Tag, "run", 1.0 / 60.0, 0.75), &take()).unwrap(), 2);
        s.set(1, &mark(Kind::Tag, "turn", 0.6, 1.0), &take()).unwrap();
        s.set(0, &Mark { end_s: None, ..mark(Kind::Tag, "calm", 0.2, 0.0) }, &take()).unwrap();
        s.set(0, &mark(Kind::Discard, "", 0.0, 0.15), &take()).unwrap();
        s.set(0, &mark(Kind::Event, "stamp", 0.3, 0.0), &take()).unwrap();
        s.add(&mark(Kind::Event, "land", 0.4, 0.0), &take()).unwrap();
        s.add(&Mark { cost: 0.3, ..mark(Kind::Cost, "", 0.0, 0.5) }, &take()).unwrap();
        s.set_looping(Some(false), &take()).unwrap();
        let text = s.text();
        for part in [
            "# Mine.\n",
            "loop = false # it is\n",
            "\n  # slow\n  { name = \"calm\", start_s = 0.2 }, # all of it\n",
            "{ name = \"turn\", start_s = 0.6, end_s = 1.0 }",
            "\n  { name = \"run\", start_s = 0.016667, end_s = 0.75 }",
            "discard = [[0.0, 0.15]] # T-pose\n",
            "name = \"stamp\" # left\ntime_s = 0.3\n",
            "[[events]]\nname = \"land\"\ntime_s = 0.4\n",
            "costs = [{ cost = 0.3, start_s = 0.0, end_s = 0.5 }]\n",
        ] {
            assert!(text.contains(part), "{part:?} in\n{text}");
        }
        let again = Sidecar::read(Some(text), &take()).unwrap();
        assert_eq!(again.marks(), s.marks());
    }

    #[test]
    fn a_comment_beside_the_last_mark_stays_beside_it() {
        for comma in [",", ""] {
            let text = format!("tags = [\n  {{ name = \"calm\" }}{comma} # slow\n]\n");
            let mut s = Sidecar::read(Some(text), &take()).unwrap();
            s.add(&mark(Kind::Tag, "run", 0.5, 0.75), &take()).unwrap();
            let text = s.text();
            let line = |word: &str| text.lines().find(|l| l.contains(word)).unwrap_or_else(|| panic!("{text}"));
            assert!(line("calm").ends_with("# slow") && !line("run").contains('#'), "{text}");
            assert!(text.ends_with("\n]\n"), "{text}");
        }
    }

    #[test]
    fn an_empty_list_goes_with_its_last_mark_unless_it_has_a_comment() {
        let mut s = Sidecar::empty();
        s.add(&mark(Kind::NoEntry, "", 0.1, 0.2), &take()).unwrap();
        assert_eq!(s.text(), "do_not_enter = [[0.1, 0.2]]\n");
        s.remove(Kind::NoEntry, 0, &take()).unwrap();
        assert_eq!(s.text(), "");
        assert!(!s.is_changed());
        let mut s = Sidecar::read(Some(TEXT.to_owned()), &take()).unwrap();
        s.remove(Kind::Discard, 0, &take()).unwrap();
        s.remove(Kind::Tag, 0, &take()).unwrap();
        assert!(
            s.text().contains("# T-pose") && s.text().contains("turn") && !s.text().contains("calm"),
            "{}",
            s.text()
        );
        assert!(s.remove(Kind::Tag, 1, &take()).is_err());
    }

    #[test]
    fn what_cannot_be_is_told_with_the_file_and_changes_nothing() {
        for (text, word) in [
            ("tags = [{ name = \"a\", start_s = 5.0 }]\n", "from 0 s to 2.000 s"),
            ("tgas = []\n", "did you mean `tags`?"),
            ("discard = [[0.5, 0.5]]\n", "the end must be later"),
            ("loop = ", "line 1"),
        ] {
            let e = Sidecar::read(Some(text.to_owned()), &take()).unwrap_err();
            assert!(e.contains("walk.tags.toml") && e.contains(word), "{e}");
        }
        let mut s = Sidecar::read(Some(TEXT.to_owned()), &take()).unwrap();
        assert!(s.set(1, &mark(Kind::Tag, "turn", 0.6, 0.6), &take()).is_err());
        assert!(s.add(&mark(Kind::Tag, "turn", 0.6, 9.0), &take()).is_err());
        assert_eq!(s.text(), TEXT);
    }

    #[test]
    fn differences_are_told_by_line() {
        let mut s = Sidecar::read(Some(TEXT.to_owned()), &take()).unwrap();
        s.set_looping(Some(false), &take()).unwrap();
        let line = |added, line: &str| Difference { added, line: line.to_owned() };
        assert_eq!(s.differences(), [line(false, "loop = true # it is"), line(true, "loop = false # it is")]);
    }
}
