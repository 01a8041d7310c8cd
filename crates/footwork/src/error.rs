//! What error messages share. Each stage has its own error enum beside its code.

/// The candidate most similar to `wanted`, if any is similar at all.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let lower = wanted.to_lowercase();
    candidates
        .into_iter()
        .map(|c| (strsim::jaro_winkler(&lower, &c.to_lowercase()), c))
        .filter(|(score, _)| *score > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, c)| c.to_owned())
}

/// That there is nothing of a name, and the nearest that there is.
pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let hint = nearest(name, known).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
    format!("there is no {kind} `{name}`{hint}")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_ignores_case_and_gives_up_on_strangers() {
        assert_eq!(nearest("lefttoe", ["Hips", "LeftToe", "RightToe"]), Some("LeftToe".into()));
        assert_eq!(nearest("qqq", ["Hips", "Spine"]), None);
    }
}
