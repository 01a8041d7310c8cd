//! The page: sections in one self-contained file.

use footwork_draw::markup::escape;
use footwork_draw::shapes::Picture;
use footwork_draw::svg;
use serde_json::Value;

const STYLE: &str = include_str!("style.css");
const PLAYER: &str = include_str!("player.js");
const TABLES: &str = include_str!("tables.js");
/// Number of rows above which a table scrolls separately.
const MOST_ROWS: usize = 40;
/// Maximum number of characters of a name.
const CHARS: usize = 120;

/// A part of the page.
#[derive(Debug)]
pub struct Section {
    /// Anchor.
    pub id: &'static str,
    pub title: &'static str,
    /// Number of items, such as clips or histograms, for `--json`.
    pub items: usize,
    /// Markup below the heading.
    pub html: String,
}

/// Escapes a name for markup.
pub fn name(text: &str) -> String {
    escape(text, CHARS)
}

/// Returns the whole file. `data`: motion of the figure.
pub fn page(title: &str, about: &str, sections: &[Section], data: &Value) -> String {
    let links: String = sections.iter().map(|s| format!("<a href=\"#{}\">{}</a>", s.id, s.title)).collect();
    let body: String = sections
        .iter()
        .map(|s| {
            format!(
                "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
                s.id, s.title, s.html
            )
        })
        .collect();
    let (title, about, data) = (name(title), name(about), json(data));
    let version = env!("CARGO_PKG_VERSION");
    // The policy forbids loading anything from other addresses, even if a name were not escaped.
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"footwork {version}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1><p>{about}</p></header>\n<nav aria-label=\"Sections\">{links}</nav>\n<main>\n{body}</main>\n\
         <footer>Made by footwork {version}. This file needs no network and no other file.</footer>\n\
         <script type=\"application/json\" id=\"motion\">{data}</script>\n<script>\n{PLAYER}{TABLES}</script>\n</body>\n</html>\n"
    )
}

/// Returns JSON for a script element: no character in it can end the element.
fn json(data: &Value) -> String {
    let mut out = String::new();
    for c in data.to_string().chars() {
        match c {
            // Within JSON, these occur in strings only.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Returns a picture as markup for a page: its colours follow the style.
pub fn picture(picture: &Picture, class: &str) -> String {
    inline(&svg::write(picture), class)
}

/// Returns an SVG file as markup for a page.
pub fn inline(file: &str, class: &str) -> String {
    file.replacen("<svg ", &format!("<svg class=\"{class}\" role=\"img\" "), 1)
}

/// Returns a table; cells are markup. Columns whose name starts with `#` hold numbers.
pub fn table(class: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    let numbers: Vec<bool> = head.iter().map(|h| h.starts_with('#')).collect();
    let class_of = |column: usize| if numbers.get(column) == Some(&true) { " class=\"n\"" } else { "" };
    let names = head.iter().enumerate();
    let heads: String =
        names.map(|(i, h)| format!("<th scope=\"col\"{}>{}</th>", class_of(i), h.trim_start_matches('#'))).collect();
    let mut body = String::new();
    for row in rows {
        let cells: String = row.iter().enumerate().map(|(i, c)| format!("<td{}>{c}</td>", class_of(i))).collect();
        body.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    format!(
        "<div class=\"scroll{}\" tabindex=\"0\"><table class=\"{class}\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n",
        if rows.len() > MOST_ROWS { " long" } else { "" }
    )
}

/// Returns a list of facts: names and values, which are markup.
pub fn facts(list: &[(&str, String)]) -> String {
    let items: String = list.iter().map(|(k, v)| format!("<div><dt>{k}</dt><dd>{v}</dd></div>\n")).collect();
    format!("<dl class=\"facts\">\n{items}</dl>\n")
}

/// Returns a paragraph of help; markup.
pub fn note(text: &str) -> String {
    format!("<p class=\"note\">{text}</p>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_cannot_leave_their_place() {
        let evil = "</script><img src=x onerror=alert(1)>&\u{2028}";
        let sections = [Section { id: "a", title: "A", items: 1, html: table("t", &["x"], &[vec![name(evil)]]) }];
        let html = page(evil, evil, &sections, &json!({ "names": [evil] }));
        assert!(!html.contains("<img") && !html.contains("</script><"), "{html}");
        assert_eq!(html.matches("</script>").count(), 2);
        let data = html.split("id=\"motion\">").nth(1).unwrap().split("</script>").next().unwrap();
        let back: Value = serde_json::from_str(data).unwrap();
        assert_eq!(back["names"][0], evil);
    }
}
