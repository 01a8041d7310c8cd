//! What was edited, so that it can be taken back: settings and tags in one order.

use toml_edit::DocumentMut;

/// Steps that can be taken back.
const MOST_STEPS: usize = 200;

/// A document as it was before a step.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// The settings.
    Settings(DocumentMut),
    /// The sidecar of a take.
    Tags {
        /// Name of the take.
        take: String,
        /// Its sidecar.
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

/// Steps that can be taken back, and those that were.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// The last change was part of a movement that has not ended.
    moving: bool,
}

impl History {
    /// Remembers what was before a change. `moving`: more of the same movement is to come, and all of it is one step.
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

    /// A movement ended: the next change is another step.
    pub fn rest(&mut self) {
        self.moving = false;
    }

    /// True where there is a step to take back.
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// True where there is a step to take again.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Takes the last step back: `swap` puts a document in force and returns the one that it replaces.
    pub fn undo(&mut self, swap: impl FnOnce(Step) -> Step) {
        self.moving = false;
        if let Some(before) = self.done.pop() {
            self.undone.push(swap(before));
        }
    }

    /// Takes the step again that was taken back last.
    pub fn redo(&mut self, swap: impl FnOnce(Step) -> Step) {
        self.moving = false;
        if let Some(after) = self.undone.pop() {
            self.done.push(swap(after));
        }
    }
}
