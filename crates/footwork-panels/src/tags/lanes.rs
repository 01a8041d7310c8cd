//! Tracks of a clip, from top to bottom.

use super::mark::Kind;
use crate::session::Session;
use egui::{Pos2, Rect, pos2};

/// Heights of tracks, in points.
pub(crate) const RULER_PX: f32 = 14.0;
const LANE_PX: f32 = 13.0;
const CONTACT_PX: f32 = 6.0;
const GAP_PX: f32 = 2.0;
/// Width of the tracks' names, in points.
pub(crate) const NAMES_PX: f32 = 84.0;
/// Maximum number of contact joints shown.
const MOST_CONTACTS: usize = 4;

/// Track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Time axis, in seconds.
    Ruler,
    /// Clips of the database from the take.
    Used,
    /// Contact of a joint.
    Contact(usize),
    /// Ranges of a tag.
    Tag(String),
    /// Empty track for new tags.
    NewTag,
    Cost,
    Discard,
    NoEntry,
    Event,
}

impl Lane {
    /// Returns the kind of mark that a drag on the track creates.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Self::Ruler | Self::Used | Self::Contact(_) => None,
            Self::Tag(_) | Self::NewTag => Some(Kind::Tag),
            Self::Cost => Some(Kind::Cost),
            Self::Discard => Some(Kind::Discard),
            Self::NoEntry => Some(Kind::NoEntry),
            Self::Event => Some(Kind::Event),
        }
    }

    /// Returns the displayed name.
    pub fn label(&self, session: &Session) -> String {
        match self {
            Self::Ruler => String::new(),
            Self::Used => "used".to_owned(),
            Self::Contact(slot) => {
                let joint = session.database.rig.contact_joints[*slot];
                session.database.skeleton.name(joint).to_owned()
            }
            Self::Tag(name) => name.clone(),
            Self::NewTag => "new tag".to_owned(),
            Self::Cost => "costs".to_owned(),
            Self::Discard => "discard".to_owned(),
            Self::NoEntry => "no entry".to_owned(),
            Self::Event => "events".to_owned(),
        }
    }

    fn height(&self) -> f32 {
        match self {
            Self::Ruler => RULER_PX,
            Self::Contact(_) => CONTACT_PX,
            _ => LANE_PX,
        }
    }
}

/// Returns the tracks of a take.
pub(crate) fn lanes(session: &Session, take: usize) -> Vec<Lane> {
    let db = &session.database;
    let contacts = db.rig.contact_joints.len().min(MOST_CONTACTS);
    let marks = session.takes.list[take].sidecar.marks();
    let mut tags: Vec<String> = marks.into_iter().filter(|(_, m)| m.kind == Kind::Tag).map(|(_, m)| m.name).collect();
    for (clip, _) in session.takes.parts(db, take) {
        tags.extend(db.clip_tags(&db.clips[clip.at()]).into_iter().map(str::to_owned));
    }
    tags.sort();
    tags.dedup();
    let fixed = [Lane::NewTag, Lane::Cost, Lane::Discard, Lane::NoEntry, Lane::Event];
    [Lane::Ruler, Lane::Used]
        .into_iter()
        .chain((0..contacts).map(Lane::Contact))
        .chain(tags.into_iter().map(Lane::Tag))
        .chain(fixed)
        .collect()
}

/// Returns the total height of tracks.
pub(crate) fn height(lanes: &[Lane]) -> f32 {
    lanes.iter().map(|l| l.height() + GAP_PX).sum()
}

/// Layout of the tracks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Area of all tracks, without the names.
    pub area: Option<Rect>,
    /// Times at the left and right ends, in seconds.
    pub span: [f32; 2],
    pub lanes: Vec<(Lane, Rect)>,
}

impl Layout {
    pub fn new(lanes: Vec<Lane>, area: Rect, span: [f32; 2]) -> Self {
        let mut top = area.top();
        let placed = lanes.into_iter().map(|lane| {
            let rect = Rect::from_min_max(pos2(area.left(), top), pos2(area.right(), top + lane.height()));
            top += lane.height() + GAP_PX;
            (lane, rect)
        });
        Self { lanes: placed.collect(), area: Some(area), span }
    }

    pub fn rect(&self) -> Rect {
        self.area.unwrap_or(Rect::ZERO)
    }

    /// Returns the horizontal position of a time.
    pub fn x(&self, time_s: f32) -> f32 {
        let [start, end] = self.span;
        let area = self.rect();
        area.left() + (time_s - start) / (end - start).max(1e-6) * area.width()
    }

    /// Returns the time at a point.
    pub fn time_s(&self, at: Pos2) -> f32 {
        let [start, end] = self.span;
        let area = self.rect();
        start + (at.x - area.left()) / area.width().max(1.0) * (end - start)
    }

    /// Returns the track at a point. The gap below a track belongs to it.
    pub fn lane(&self, at: Pos2) -> Option<&(Lane, Rect)> {
        self.lanes.iter().find(|(_, rect)| (rect.top()..rect.bottom() + GAP_PX).contains(&at.y))
    }
}
