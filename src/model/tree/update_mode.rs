//! Several changes of the shape that are one.

use super::Tree;

/// When is derived what follows from the shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UpdateMode {
    /// After every change.
    #[default]
    AtOnce,
    /// After several changes, none of which was of the shape so far.
    Later,
    /// After several changes, one of which was of the shape.
    Due,
}

impl UpdateMode {
    /// Whether it must wait; it will be made up for then.
    pub(super) fn is_put_off(&mut self) -> bool {
        if *self == Self::Later {
            *self = Self::Due;
        }
        *self == Self::Due
    }
}

impl Tree {
    /// Makes several changes, after which what follows from the shape is derived once. Until then order, spans, depths,
    /// kinds and ordinals are those from before; parents, children and siblings are up to date.
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
