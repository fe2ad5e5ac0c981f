//! Several changes of the shape as one.

use super::Tree;

/// When to recompute what is derived from the shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UpdateMode {
    /// After every change.
    #[default]
    AtOnce,
    /// After several changes, none of which has changed the shape so far.
    Later,
    /// After several changes, one of which has changed the shape.
    Due,
}

impl UpdateMode {
    /// Returns whether the update is deferred, and notes that it is due.
    pub(super) fn is_put_off(&mut self) -> bool {
        if *self == Self::Later {
            *self = Self::Due;
        }
        *self == Self::Due
    }
}

impl Tree {
    /// Makes several changes, and then drops once what is derived from the shape. Until then order, spans, depths,
    /// kinds and ordinals are outdated; parents, children and siblings are up to date.
    pub fn together<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        if self.update_mode != UpdateMode::AtOnce {
            return change(self);
        }
        self.update_mode = UpdateMode::Later;
        let made = change(self);
        if std::mem::take(&mut self.update_mode) == UpdateMode::Due {
            self.settle();
        }
        made
    }
}
