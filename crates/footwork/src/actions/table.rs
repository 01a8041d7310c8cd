//! The actions of a database.

use super::action::Action;
use super::read;
use crate::database::{Database, MirrorMode, NameError, TagMask};
use crate::frames::ClipIndex;
use crate::input::{ActionKind, ActionRequest};

/// Longest clip that is read, in seconds. An action is over much sooner.
const LONGEST_S: f64 = 20.0;

/// The actions of a database, read from the motion of its clips. Immutable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actions {
    all: Vec<Action>,
}

impl Database {
    /// Returns the kind of action that a tag names.
    ///
    /// # Errors
    /// Returns [`NameError`] with the nearest name if the database has no such tag.
    pub fn action_kind(&self, tag: &str) -> Result<ActionKind, NameError> {
        let tag = self.tag_mask(tag)?.iter().next().unwrap_or(0);
        Ok(ActionKind(tag as u16))
    }
}

impl Actions {
    /// No actions.
    pub(crate) const NONE: Self = Self { all: Vec::new() };

    /// Reads all clips with the tag [`Database::NO_LOCOMOTION`] that do not loop and are at most 20 s long. Allocates.
    pub fn of(db: &Database) -> Self {
        let Ok(apart) = db.tag_mask(Database::NO_LOCOMOTION) else { return Self::default() };
        let mut all = Vec::new();
        for (c, clip) in db.clips.iter().enumerate() {
            let rows = clip.row_range();
            let kinds = rows.clone().fold(TagMask::default(), |all, row| all | *db.row_tags(row));
            let index = ClipIndex::new(c);
            if rows.is_empty()
                || clip.looping()
                || !kinds.contains(&apart)
                || db.view(index, false).seconds() > LONGEST_S
            {
                continue;
            }
            all.extend(read::actions(db, index, clip.mirrored, kinds));
            if db.mirror == MirrorMode::Query {
                all.extend(read::actions(db, index, true, kinds));
            }
        }
        Self { all }
    }

    /// Returns all of them, in the order of their clips.
    pub fn all(&self) -> &[Action] {
        &self.all
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns those of a kind, with their indices in [`Actions::all`].
    pub fn of_kind(&self, kind: ActionKind) -> impl Iterator<Item = (usize, &Action)> {
        self.all.iter().enumerate().filter(move |(_, a)| is_of(a, kind))
    }

    /// Returns those of the kinds of a request, with their indices in [`Actions::all`].
    pub(crate) fn of_request<'a>(
        &'a self,
        request: &ActionRequest,
    ) -> impl Iterator<Item = (usize, &'a Action)> + use<'a> {
        let kinds = request.kinds;
        let is_one = move |a: &Action| kinds.iter().flatten().any(|kind| is_of(a, *kind));
        self.all.iter().enumerate().filter(move |(_, a)| is_one(a))
    }
}

fn is_of(action: &Action, kind: ActionKind) -> bool {
    let tag = usize::from(kind.0);
    tag < TagMask::CAPACITY && action.kinds.has(tag)
}
