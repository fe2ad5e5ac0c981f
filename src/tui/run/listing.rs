//! Listing what can be opened. A thread that looks at a dead file server may never end, and nothing waits for it.

use crate::tui::job::Job;
use crate::tui::run::events::{Event, spawn};
use crate::tui::state::message::Message;
use crate::tui::state::picker::ListTask;
use std::sync::mpsc::SyncSender;

/// Starts the job on its own thread. Returns the answer if no thread can be started.
pub(crate) fn start(job: Job<ListTask>, to_loop: SyncSender<Event>) -> Option<Message> {
    let number = job.number();
    let started = spawn("listing", move || {
        job.perform(&mut |message| {
            // A loop that is gone wants no list.
            let _ = to_loop.send(Event::Message(message));
        });
    });
    started.err().map(|_| Message::Listed {
        number,
        listed: Err("no thread can be started; end other programs and open it again".into()),
    })
}
