//! How reading again stands, and how often a source is read.

use crate::source::format::{Request, Series, is_example};
use crate::tui::state::reading::Reading;

/// How reading again stands.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The reading under way: its number and the place of its tree among the open ones.
    pub(crate) asked: Option<(u64, usize)>,
    /// Whether the user asked for it, and wants to hear of it in any case.
    pub(crate) is_explicit: bool,
    /// Whether the clock runs.
    pub(crate) is_waiting: bool,
    /// What came while a dialog was open, which must not lose its node.
    pub(crate) arrived: Option<(usize, Box<Reading>)>,
    /// The dump of the series that is being read, where it is another one than that on the screen.
    pub(crate) target: Option<Series>,
    /// What is to be the first tree and could not be opened yet.
    pub(crate) unopened: Option<Request>,
}

/// Whether there is something to read a second time.
pub(crate) fn can_be_read_again(request: &Request) -> Result<(), &'static str> {
    if request.live.is_some() {
        Ok(())
    } else if is_example(&request.path) {
        Err("a built-in tree is always the same; open a file or a scheduler to read it again")
    } else if request.path.as_os_str() == "-" {
        Err("standard input can be read once only; open a file to read it again")
    } else {
        Ok(())
    }
}
