//! Sections: the values of each feature, and the rows in two dimensions.

use super::input::Input;
use super::page::{Section, name, note, picture};
use footwork::database::Database;
use footwork_draw::plots::{GROUPS, HistogramPlot, ScatterPlot};
use footwork_metrics::analysis::{Histogram, Scatter, histograms};

const BINS: usize = 32;
/// Maximum number of drawn rows.
const MOST_POINTS: usize = 1500;
const OTHERS: &str = "other clips";

pub fn section(input: &Input) -> Section {
    let all = histograms(&input.db, BINS);
    let mut html = note(
        "How often each value occurs in the rows, before normalisation. A single narrow peak says that the feature hardly tells rows \
         apart; a lone bar far from the others is often an error of the data.",
    );
    html.push_str("<div class=\"channels\">\n");
    for (index, channel) in input.db.schema.channels.iter().enumerate() {
        let of_channel: Vec<&Histogram> = all.iter().filter(|h| h.channel == index).collect();
        let plots: String = of_channel.iter().map(|h| plot(h, &channel.label)).collect();
        html.push_str(&format!(
            "<figure class=\"channel\"><figcaption>{} <span>weight {}</span></figcaption><div class=\"plots\">{plots}</div></figure>\n",
            name(&channel.label),
            channel.weight
        ));
    }
    html.push_str("</div>\n");
    Section { id: "features", title: "Features", items: all.len(), html }
}

fn plot(h: &Histogram, channel: &str) -> String {
    // The channel is in the heading.
    let title = h.label.strip_prefix(channel).map_or(h.label.as_str(), str::trim);
    let drawn = HistogramPlot { title, unit: h.unit, range: h.range, counts: &h.counts }.draw(166.0, 104.0);
    picture(&drawn, "histogram")
}

/// Returns the rows on their first two principal components, coloured by tag.
pub fn scatter(input: &Input) -> Section {
    let db = &*input.db;
    let s = Scatter::of(db, MOST_POINTS);
    let names = groups(db);
    let known = names.len().saturating_sub(1);
    let group = |row: &footwork::frames::RowIndex| {
        let tags: Vec<&str> = db.tag_names(*db.row_tags(row.at())).collect();
        names[..known].iter().position(|n| tags.contains(&n.as_str())).unwrap_or(known)
    };
    let groups: Vec<usize> = s.rows.iter().map(group).collect();
    let share = |k: usize| format!("component {} ({:.0} % of the differences)", k + 1, 100.0 * s.explained[k]);
    let (x, y) = (share(0), share(1));
    let drawn = ScatterPlot {
        title: "Rows of the database by their features",
        points: &s.points,
        groups: &groups,
        names: &names,
        axes: [&x, &y],
        trail: &[],
    };
    let mut html = note(&format!(
        "{} of {} rows, projected onto the two directions in which they differ most. Near points are similar poses with similar \
         trajectories; islands without a bridge are hard to move between.",
        s.rows.len(),
        db.rows()
    ));
    html.push_str(&picture(&drawn.draw(980.0, 460.0), "scatter"));
    Section { id: "scatter", title: "Rows", items: s.rows.len(), html }
}

/// Returns the tags that distinguish rows, in order of descending duration, then all others.
fn groups(db: &Database) -> Vec<String> {
    let mut seconds: Vec<(u64, usize)> = (0..db.tags.len())
        .map(|tag| {
            let spans = db.tag_spans.iter().filter(|s| s.tag as usize == tag);
            (spans.map(|s| u64::from(s.end.0 - s.start.0)).sum(), tag)
        })
        .collect();
    // Tags of nearly all frames do not distinguish rows.
    seconds.retain(|(frames, _)| *frames > 0 && *frames < db.frames() as u64 * 9 / 10);
    seconds.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut names: Vec<String> = seconds.iter().take(GROUPS.len() - 1).map(|(_, tag)| db.tags[*tag].clone()).collect();
    // Each row gets its rarest tag: otherwise common tags would hide it.
    names.reverse();
    names.push(OTHERS.to_owned());
    names
}
