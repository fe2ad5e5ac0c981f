//! Going through a series of dumps: another one takes the place of the tree on the screen, with the cursor, marks and
//! edits where they were.

use crate::source::format::Series;
use crate::tui::input::action::Action;
use crate::tui::page::subject::NO_SERIES;
use crate::tui::state::app::App;

impl App {
    /// Opens the dump so many places later, or earlier, in the place of the one on the screen.
    pub(crate) fn scrub(&mut self, step: isize) {
        let Some(session) = self.session() else {
            return;
        };
        // A key that is held goes on from the dump that is being read.
        let aimed = self.ui.watch.aimed.as_ref().or(session.series.as_ref());
        let Some(series) = aimed else {
            return self.ui.fail(NO_SERIES);
        };
        let Some(series) = series.stepped(step) else {
            let which = if step < 0 { "oldest" } else { "newest" };
            let when = series.current().when();
            return self.ui.say(format!("this is the {which} dump, of {when}"));
        };
        let request = series.request(&session.reference.request);
        self.ui.watch.aimed = Some(series.clone());
        self.read_in_place(request, Some(series));
    }

    /// The keys that go through a series, for who does not know them.
    pub(crate) fn hint_at_series(&self, series: &Series) -> String {
        let key = |action| self.ui.hint(action);
        format!(
            "dump {} of {}: {} and {} go to the one before and after, {} shows the history of a node",
            series.place() + 1,
            series.dumps().len(),
            key(Action::PreviousDump),
            key(Action::NextDump),
            key(Action::Timeline)
        )
    }
}
