//! A mark of a clip: a tag, a cost, a cut or an event.

use footwork_import::Take;

/// Kind of a mark in a sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Tag,
    Cost,
    Discard,
    NoEntry,
    Event,
}

impl Kind {
    /// Returns the key in the file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tag => "tags",
            Self::Cost => "costs",
            Self::Discard => "discard",
            Self::NoEntry => "do_not_enter",
            Self::Event => "events",
        }
    }

    /// Returns the displayed name of one mark.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Cost => "cost",
            Self::Discard => "discard",
            Self::NoEntry => "no entry",
            Self::Event => "event",
        }
    }

    /// Returns true for kinds of marks with names.
    pub const fn is_named(self) -> bool {
        matches!(self, Self::Tag | Self::Event)
    }
}

/// Selected mark of the shown take: its kind, and its index among those of the kind.
pub(crate) type Selected = (Kind, usize);

/// Mark of a sidecar: a part of a clip, or a time. Times are in seconds of the take.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub kind: Kind,
    /// Name, for tags and events.
    pub name: String,
    /// Cost bias, for costs.
    pub cost: f32,
    /// Start; `None`: the start of the clip.
    pub start_s: Option<f32>,
    /// End; `None`: the end of the clip. Always `None` for events.
    pub end_s: Option<f32>,
}

impl Mark {
    /// Returns start and end in a take. For an event, both are its time.
    pub fn span(&self, take: &Take) -> [f32; 2] {
        let start = self.start_s.unwrap_or(0.0);
        let end = if self.kind == Kind::Event { start } else { self.end_s.unwrap_or_else(|| end_s(take)) };
        [start, end]
    }
}

/// Returns the end of a take in seconds, including the duration of its last frame.
pub(crate) fn end_s(take: &Take) -> f32 {
    take.frames as f32 / take.rate_hz
}
