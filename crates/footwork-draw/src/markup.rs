//! Numbers and text for SVG.

/// Formats a number with at most one decimal, without trailing zeros or minus zero; 0 if it is not finite.
pub fn number(v: f64) -> String {
    if !v.is_finite() {
        return "0".to_owned();
    }
    // A tenth of a pixel is enough for a page.
    let text = format!("{v:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Escapes text for XML: at most `chars` characters, without characters that XML forbids.
pub fn escape(text: &str, chars: usize) -> String {
    let allowed = |c: &char| !c.is_control() && !('\u{fffe}'..='\u{ffff}').contains(c);
    let text: Vec<char> = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(allowed).collect();
    let cut = text.len() > chars;
    let mut out = String::new();
    for c in text.into_iter().take(if cut { chars - 1 } else { chars }).chain(cut.then_some('…')) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
