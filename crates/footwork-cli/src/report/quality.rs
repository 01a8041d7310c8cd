//! Section: quality of the motion, compared with limits.

use super::input::Input;
use super::page::{Section, name, note, table};
use crate::eval::figures;
use crate::progress;
use anyhow::{Context, Result};
use footwork_metrics::eval::{Evaluation, Mover, Row, Variant, keys};
use footwork_metrics::gate::{Gate, Limit};

const LIMITS: &str = include_str!("limits.toml");
const VARIANT: &str = "default";
/// Short courses: straight ahead, turns, turning back, starts and stops, strafing.
const COURSES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Meanings of the metrics with a limit.
const MEANINGS: [(&str, &str); 19] = [
    ("label_skate_cm_s", "Sliding of planted feet, cm/s"),
    ("skating_pct", "Planted frames that slide faster than 15 cm/s, %"),
    ("height_weighted_skate_cm_s", "Sliding of low feet, by height, cm/s"),
    ("penetration_p99_cm", "Depth of feet in the ground, 99th percentile, cm"),
    ("unlock_jump_p99_cm", "Way of a foot back to its clip when released, 99th percentile, cm"),
    ("ik_correction_p99_cm", "Correction of a toe by foot lock, 99th percentile, cm"),
    ("knee_extension_p99_deg", "Extension of the knees, 99th percentile, degrees"),
    ("path_error_m", "Distance from the simulated character, mean, m"),
    ("path_error_max_m", "Distance from the simulated character, largest, m"),
    ("heading_error_deg", "Angle from the simulated character's facing, mean, degrees"),
    ("t90_mean_s", "Time to follow a command by 90 %, mean, s"),
    ("t90_start_s", "Time to start, s"),
    ("t90_stop_s", "Time to stop, s"),
    ("t90_180_vel_s", "Time to turn back, s"),
    ("pose_jump_cm", "Change of pose at a transition, before blending, cm"),
    ("velocity_jump_cm_s", "Change of velocity at a transition, before blending, cm/s"),
    ("transitions_per_s", "Transitions per second"),
    ("jerk_world", "Jerk of the joints, mean, m/s3"),
    ("dv_p999", "Change of velocity from frame to frame, 99.9th percentile, m/s"),
];

pub fn section(input: &Input) -> Result<Section> {
    let variant = Variant { name: VARIANT.to_owned(), config: input.config.clone(), mover: Mover::Exact };
    let evaluation = Evaluation::new(input.db.clone(), &COURSES, 0..1);
    let bar = progress::bar("evaluating", evaluation.steps() as u64, input.json);
    let evaluated = evaluation.run(&variant, &|| bar.inc(1));
    bar.finish_and_clear();
    let evaluated = evaluated.context("the quality could not be measured")?;
    let rows = [evaluated.row, evaluation.mocap(), evaluated.played];
    let gate = Gate::parse(LIMITS, &[VARIANT]).context("the limits of the report")?;
    let broken = gate.broken(&rows);
    let value = |row: &Row, key: &str| row.values.get(key).map(|v| v.mean);
    let words = |v: Option<f32>| v.map_or_else(|| "-".to_owned(), figures);
    let mut past = 0;
    let mut body = Vec::new();
    for (key, meaning) in MEANINGS {
        let Some(bound) = gate.bounds.iter().find(|b| b.key == key) else { continue };
        let limit = match &bound.limit {
            Limit::Value(v) => Some(*v),
            Limit::Times(factor, other) => {
                rows.iter().find(|r| r.variant == *other).and_then(|r| value(r, key)).map(|v| v * factor)
            }
        };
        let of =
            if let Limit::Times(factor, _) = &bound.limit { format!(" ({factor} x played)") } else { String::new() };
        let found = value(&rows[0], key);
        let verdict = match (found, limit) {
            (None, _) => "not measured".to_owned(),
            (Some(v), Some(limit)) if broken.iter().any(|b| b.bound == bound) => {
                past += 1;
                let times = if limit > 0.0 { format!(", {:.1} times", v / limit) } else { String::new() };
                format!("<strong class=\"past\">past the limit{times}</strong>")
            }
            _ => "within".to_owned(),
        };
        let limit = format!("{}{of}", words(limit));
        let captured = words(value(&rows[1], key));
        body.push(vec![name(meaning), words(found), limit, captured, verdict]);
    }
    let told = match past {
        0 => "All metrics are within their limits.".to_owned(),
        1 => "<strong>One metric is past its limit.</strong>".to_owned(),
        n => format!("<strong>{n} metrics are past their limits.</strong>"),
    };
    let mut html = note(&format!(
        "{told} Measured over scripted courses of 230 s: straight ahead, turns, turning back, starts and stops, strafing. \
         <em>Captured</em> is the same figure for the clips themselves. <code>footwork eval</code> measures more, and holds a \
         database to bounds of your own."
    ));
    let head = ["Metric", "#Value", "#Limit", "#Captured", "Verdict"];
    html.push_str(&table("quality", &head, &body));
    html.push_str("<details><summary>All metrics, as <code>footwork eval</code> names them</summary>\n");
    let all: Vec<Vec<String>> = keys()
        .filter(|key| value(&rows[0], key).is_some())
        .map(|key| {
            vec![name(key), words(value(&rows[0], key)), words(value(&rows[1], key)), words(value(&rows[2], key))]
        })
        .collect();
    html.push_str(&table("metrics", &["Metric", "#Value", "#Captured", "#Captured, as played"], &all));
    html.push_str("</details>\n");
    Ok(Section { id: "quality", title: "Quality", items: body.len(), html })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_meaning_and_every_meaning_a_limit() {
        let gate = Gate::parse(LIMITS, &[VARIANT]).unwrap();
        let mut limited: Vec<&str> = gate.bounds.iter().map(|b| b.key).collect();
        let mut explained: Vec<&str> = MEANINGS.iter().map(|m| m.0).collect();
        limited.sort_unstable();
        explained.sort_unstable();
        assert_eq!(limited, explained);
    }
}
