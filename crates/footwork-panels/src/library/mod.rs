//! Database panel: clips, features, coverage, tags, findings, repeats, and unused motion.

mod clips;
mod coverage;
mod features;
mod findings;
mod repeats;
mod scatter;
mod tags;
mod unused;

use crate::request::Request;
use crate::session::Session;
use clips::Clips;
use coverage::Covered;
use features::Features;
use findings::FindingsPage;
use footwork::database::Database;
pub(crate) use repeats::Repeats;
use scatter::Plane;
use std::sync::Arc;
use unused::Unused;

/// Page of the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Clips,
    Features,
    Scatter,
    Coverage,
    Tags,
    Findings,
    Unused,
    Repeats,
}

/// Database panel.
#[derive(Debug, Default)]
pub struct Library {
    page: Page,
    clips: Clips,
    findings: FindingsPage,
    /// Database for which the pages were computed.
    database: Option<Arc<Database>>,
    features: Features,
    plane: Plane,
    covered: Covered,
    unused: Unused,
    pub(crate) repeats: Repeats,
}

impl Library {
    /// Draws the panel. Returns the user's request to the shell.
    pub(crate) fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) -> Option<Request> {
        if self.database.as_ref().is_none_or(|db| !Arc::ptr_eq(db, &session.database)) {
            let (clips, findings) = (std::mem::take(&mut self.clips), std::mem::take(&mut self.findings));
            *self =
                Self { database: Some(session.database.clone()), page: self.page, clips, findings, ..Self::default() };
        }
        let db = session.database.clone();
        let made = db.clips[..db.originals()].iter().filter(|c| db.clip_tags(c).contains(&Database::MADE)).count();
        ui.label(format!(
            "{}: {} clips and {made} made of them, {:.1} minutes, {} rows of {} features, {:.1} MB",
            session.name,
            db.originals() - made,
            db.seconds() / 60.0,
            db.rows(),
            db.features.columns,
            db.bytes() as f64 / 1e6,
        ));
        ui.horizontal_wrapped(|ui| {
            for (page, words) in [
                (Page::Clips, "Clips"),
                (Page::Features, "Features"),
                (Page::Scatter, "Scatter"),
                (Page::Coverage, "Coverage"),
                (Page::Tags, "Tags"),
                (Page::Findings, "Findings"),
                (Page::Unused, "Unused"),
                (Page::Repeats, "Repeats"),
            ] {
                ui.selectable_value(&mut self.page, page, words);
            }
        });
        ui.separator();
        match self.page {
            Page::Clips => self.clips.ui(ui, session),
            Page::Features => self.features.ui(ui, session),
            Page::Scatter => self.plane.ui(ui, session),
            Page::Coverage => self.covered.ui(ui, session),
            Page::Tags => return tags::ui(ui, session),
            Page::Findings => return self.findings.ui(ui, session),
            Page::Unused => self.unused.ui(ui, session),
            Page::Repeats => self.repeats.ui(ui, session),
        }
        None
    }
}
