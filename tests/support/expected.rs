//! What a text is expected to hold. A failure shows the whole text.

/// Expectations of a text.
pub(crate) trait Expected {
    /// Checks that it holds a text.
    fn must_contain(&self, part: &str);

    /// Checks that it does not hold a text.
    fn must_lack(&self, part: &str);

    /// Checks that it begins with a text.
    fn must_begin(&self, start: &str);

    /// Checks that it ends with a text.
    fn must_end(&self, end: &str);
}

impl Expected for str {
    #[track_caller]
    fn must_contain(&self, part: &str) {
        assert!(self.contains(part), "no {part:?} in\n{self}");
    }

    #[track_caller]
    fn must_lack(&self, part: &str) {
        assert!(!self.contains(part), "{part:?} in\n{self}");
    }

    #[track_caller]
    fn must_begin(&self, start: &str) {
        assert!(self.starts_with(start), "no {start:?} begins\n{self}");
    }

    #[track_caller]
    fn must_end(&self, end: &str) {
        assert!(self.ends_with(end), "no {end:?} ends\n{self}");
    }
}
