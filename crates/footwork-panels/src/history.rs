//! Undo history of settings and tags, in one order.

use toml_edit::DocumentMut;

/// Maximum number of undo steps.
const MOST_STEPS: usize = 200;

/// A document before a step.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Settings.
    Settings(DocumentMut),
    /// Sidecar of a take.
    Tags {
        /// Name of the take.
        take: String,
        /// Document of the sidecar.
        document: DocumentMut,
    },
}

impl Step {
    fn is_of_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Settings(_), Self::Settings(_)) => true,
            (Self::Tags { take, .. }, Self::Tags { take: other, .. }) => take == other,
            _ => false,
        }
    }
}

/// Steps to undo, and steps to redo.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// True if the last change was part of a drag that has not ended.
    moving: bool,
}

impl History {
    /// Stores the document before a change. All changes of one drag are one step: set `moving` while the drag continues.
    pub fn keep(&mut self, before: Step, moving: bool) {
        let continues = self.moving && self.done.last().is_some_and(|last| last.is_of_same(&before));
        if !continues {
            self.done.push(before);
            let surplus = self.done.len().saturating_sub(MOST_STEPS);
            self.done.drain(..surplus);
        }
        self.undone.clear();
        self.moving = moving;
    }

    /// Ends a drag: the next change is a new step.
    pub fn rest(&mut self) {
        self.moving = false;
    }

    /// Returns true if there is a step to undo.
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// Returns true if there is a step to redo.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Undoes the last step. `swap` applies a document and returns the one that it replaces.
    pub fn undo(&mut self, swap: impl FnOnce(Step) -> Step) {
        self.moving = false;
        if let Some(before) = self.done.pop() {
            self.undone.push(swap(before));
        }
    }

    /// Redoes the last undone step.
    pub fn redo(&mut self, swap: impl FnOnce(Step) -> Step) {
        self.moving = false;
        if let Some(after) = self.undone.pop() {
            self.done.push(swap(after));
        }
    }
}
