//! The state of reading sources again.

use crate::format::{Request, Series, is_example};
use crate::tui::state::reading::Reload;

/// The state of reading sources again.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The job that reads: its number and the place of its tree among the open ones.
    pub(crate) asked: Option<(u64, usize)>,
    /// Whether the user asked for it, so that its result is announced in any case.
    pub(crate) is_explicit: bool,
    /// Whether a wait for the next reading runs.
    pub(crate) is_waiting: bool,
    /// A reading that came while a dialog was open, and the place of its tree. The dialog must not lose its node.
    pub(crate) arrived: Option<(usize, Box<Reload>)>,
    /// The dump of the series that is being read, if it is not the one on the screen.
    pub(crate) target: Option<Series>,
    /// The first source, as long as it could not be opened.
    pub(crate) unopened: Option<Request>,
}

/// Checks that a source can be read a second time; the error says why not.
pub(crate) fn can_be_read_again(request: &Request) -> Result<(), &'static str> {
    if request.live.is_some() {
        Ok(())
    } else if is_example(&request.path) {
        Err("a built-in tree is always the same; open a file or a scheduler to read it again")
    } else if request.path.as_os_str() == "-" {
        Err("standard input can be read only once; open a file to read it again")
    } else {
        Ok(())
    }
}
