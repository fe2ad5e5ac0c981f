//! Performing the app's effects. Slow effects run on threads.

use super::events::{Event, spawn};
use crate::base::save::{self, Contents, SaveError};
use crate::base::shown::{Shown, sentence};
use crate::format::{Progress, Request};
use crate::rules::policy::Policy;
use crate::tui::job::{Now, Running, Ticket};
use crate::tui::state::message::opened;
use crate::tui::state::{Answer, BEAT, Confirm, Job, Message, Overwrite, Task, Work};
use color_eyre::eyre::{Report, Result};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The interval between reports of progress. It is short enough to look smooth and long enough to cost little.
const PROGRESS_EVERY: Duration = Duration::from_millis(50);

/// The longest wait for a scheduler's command to stop when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);

/// What performs effects on threads, and knows those that run.
#[derive(Debug)]
pub(crate) struct Performer {
    to_loop: SyncSender<Event>,
    policy: Option<Policy>,
    /// The newest load. The results of older loads, which are cancelled, are ignored.
    load: Running<()>,
    loads: u64,
    /// The threads that write files. Each channel closes when its thread has written.
    writing: Vec<Receiver<()>>,
    /// The threads that ask a scheduler. Each channel closes when the scheduler's command has ended.
    asking: Vec<(Ticket, Receiver<()>)>,
}

impl Performer {
    /// Sources are opened under `policy`, if one is given.
    pub(crate) fn new(to_loop: SyncSender<Event>, policy: Option<Policy>) -> Self {
        Self {
            to_loop,
            policy,
            load: Running::default(),
            loads: 0,
            writing: Vec::new(),
            asking: Vec::new(),
        }
    }

    /// Does work, or starts it on a thread. Returns the messages that the app gets at once.
    pub(crate) fn perform(&mut self, work: Work) -> Vec<Message> {
        let mut told = Vec::new();
        match work {
            Work::Run(job) => told = self.run(*job),
            Work::Load(request) => {
                if let Err(error) = self.load(request) {
                    let why = sentence!("{error:#}; end other programs and open it again");
                    told.push(Message::LoadFailed(why));
                }
            }
            Work::CancelLoad => {
                // A load that hangs in a read would never report that it stopped.
                if self.load.forget().is_some() {
                    told.push(Message::LoadCancelled);
                }
            }
            Work::Wait(seconds) => {
                // If no thread can be started, the key for reading again still works.
                self.send_after(Duration::from_secs(seconds.into()), Message::Tick);
            }
            Work::Beat(number) => {
                // If no thread can be started, the key for a single step still works.
                self.send_after(BEAT, Message::Beat(number));
            }
            Work::Save {
                path,
                contents,
                overwrite,
                sources,
            } => {
                let failure = self.write(move || saved(path, contents, overwrite, &sources));
                told.extend(failure);
            }
            Work::Export(files, sources) => {
                let failure = self.write(move || exported(files, &sources));
                told.extend(failure);
            }
        }
        told
    }

    /// Waits for the files being written, so that quitting does not lose a save, and ends the running commands of
    /// schedulers, so that none outlives the explorer.
    pub(crate) fn finish(&mut self) {
        for written in self.writing.drain(..) {
            // The thread drops the sender when it ends, so this never waits forever.
            let _ = written.recv();
        }
        for (ticket, _) in &self.asking {
            ticket.cancel();
        }
        // The threads notice the cancellation soon. One that hangs in a system call cannot end its command.
        let until = Instant::now() + SHUTDOWN_TIMEOUT;
        for (_, asking) in self.asking.drain(..) {
            let _ = asking.recv_timeout(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Notes that a thread may ask a scheduler, until it drops the sender.
    fn note_asking(&mut self, ticket: &Ticket, request: &Request) -> SyncSender<()> {
        let (done, asking) = mpsc::sync_channel(1);
        self.asking.retain(|(_, asking)| is_open(asking));
        if request.live().is_some() {
            self.asking.push((ticket.clone(), asking));
        }
        done
    }

    /// Reads a source on a thread, which reports its progress. Fails if no thread can be started.
    fn load(&mut self, request: Request) -> Result<()> {
        self.loads += 1;
        let ticket = Ticket::new(self.loads);
        let done = self.note_asking(&ticket, &request);
        self.load.begin(ticket.clone(), ());
        let to_loop = self.to_loop.clone();
        let policy = self.policy;
        spawn("loading", move || {
            let mut told = Instant::now();
            let mut report = |progress: &Progress| {
                ticket.go_on()?;
                if told.elapsed() >= PROGRESS_EVERY {
                    told = Instant::now();
                    let message = Message::Progress(progress.clone());
                    // A loop too busy to listen will hear of the next one.
                    let _ = to_loop.try_send(Event::Load(ticket.clone(), Ok(message)));
                }
                ticket.go_on()
            };
            let opened = opened(&request, policy, now(), &mut report);
            drop(done);
            // An ended loop needs no tree, so the error does not matter.
            let _ = to_loop.send(Event::Load(ticket, opened));
        })
    }

    /// Runs a job on its own thread. Nothing waits for one that looks at a dead file server, which may never end.
    fn run(&mut self, job: Job) -> Vec<Message> {
        let mut done = None;
        let name = match &job.task {
            Task::Reload(task) => {
                done = Some(self.note_asking(&job.ticket, &task.request));
                "reading"
            }
            Task::Folder(_) | Task::Recent { .. } => "listing",
            _ => "computing",
        };
        let to_loop = self.to_loop.clone();
        let aside = job.clone();
        let started = spawn(name, move || {
            send_answers(aside, &to_loop);
            drop(done);
        });
        match started {
            Ok(()) => Vec::new(),
            Err(error) => run_here(job, &error),
        }
    }

    /// Sends a message after a time, unless no thread can be started.
    fn send_after(&self, time: Duration, message: Message) {
        let to_loop = self.to_loop.clone();
        let _ = spawn("waiting", move || {
            std::thread::sleep(time);
            tell(&to_loop, message);
        });
    }

    /// Writes files on a thread of its own, for which quitting waits.
    fn write(&mut self, write: impl FnOnce() -> Message + Send + 'static) -> Option<Message> {
        let (done, written) = mpsc::sync_channel(1);
        self.writing.retain(is_open);
        self.writing.push(written);
        let to_loop = self.to_loop.clone();
        let started = spawn("saving", move || {
            let message = write();
            // The channel closes before the message is sent, because an ending loop waits only for the channel.
            drop(done);
            tell(&to_loop, message);
        });
        let error = started.err()?;
        let why = sentence!("{error:#}; end other programs and save again");
        Some(Message::SaveFailed(why))
    }
}

/// Sends a message to the loop. One that is gone wants none.
fn tell(to_loop: &SyncSender<Event>, message: Message) {
    let _ = to_loop.send(Event::Message(message));
}

/// Returns whether a message tells only how far a job is.
fn is_progress(message: &Message) -> bool {
    matches!(message, Message::Answer(_, Answer::ClockProgress(_)))
}

/// Does a job and sends what it tells. Progress is sent now and then.
fn send_answers(job: Job, to_loop: &SyncSender<Event>) {
    let mut last = Instant::now();
    job.perform(&now, &mut |message| {
        if !is_progress(&message) {
            tell(to_loop, message);
        } else if last.elapsed() >= PROGRESS_EVERY {
            last = Instant::now();
            // A loop too busy to listen will hear of the next one.
            let _ = to_loop.try_send(Event::Message(message));
        }
    });
}

/// Answers a job for which no thread could be started: those that may hang fail, and the screen waits for the others.
fn run_here(job: Job, error: &Report) -> Vec<Message> {
    let number = job.ticket.number;
    let answer = match job.task {
        Task::Folder(_) | Task::Recent { .. } => {
            let why = "no thread can be started; end other programs and open it again";
            Answer::List(Err(why.into()))
        }
        Task::Reload(_) => {
            let why = sentence!("{error:#}; end other programs and read it again");
            Answer::Reload(Err(why))
        }
        _ => {
            let mut told = Vec::new();
            job.perform(&now, &mut |message| told.push(message));
            told.retain(|message| !is_progress(message));
            return told;
        }
    };
    vec![Message::Answer(number, answer)]
}

/// Returns whether the thread at the other end has not dropped its sender.
fn is_open(done: &Receiver<()>) -> bool {
    done.try_recv() == Err(TryRecvError::Empty)
}

/// Writes new files: all of them, or none.
fn exported(files: Vec<(PathBuf, Vec<u8>)>, sources: &[Request]) -> Message {
    let protected = files_of(sources);
    let mut contents = Vec::new();
    for (path, bytes) in &files {
        if let Err(error) = save::spare(path, &protected) {
            return Message::SaveFailed(Shown::error(&error));
        }
        contents.push((path.clone(), Contents::Bytes(bytes)));
    }
    match save::save_several(&contents) {
        Ok(()) => Message::Exported(files.into_iter().map(|(path, _)| path).collect()),
        Err(error) => Message::SaveFailed(Shown::error(&error)),
    }
}

/// Writes a file, but none of the sources. One that exists, or that another program changed, is asked about.
fn saved(path: PathBuf, contents: String, overwrite: Overwrite, sources: &[Request]) -> Message {
    let bytes = contents.as_bytes();
    if let Err(error) = save::spare(&path, &files_of(sources)) {
        return unsaved(error, path, contents);
    }
    let saved = match overwrite {
        Overwrite::Never => save::save(&path, bytes, false),
        Overwrite::IfUnchanged(seen) => save::save_unchanged(&path, bytes, seen),
        Overwrite::Always => save::save(&path, bytes, true),
    };
    match saved {
        Ok(seen) => Message::Saved(path, Some(seen)),
        Err(error) => unsaved(error, path, contents),
    }
}

/// Returns what follows from an error of writing a file: a question, or that it failed.
fn unsaved(error: SaveError, path: PathBuf, contents: String) -> Message {
    match error {
        SaveError::Exists { .. } => Message::Ask(Confirm::Replace(path, contents)),
        SaveError::Changed(_) => Message::Ask(Confirm::Changed(path, contents)),
        error => Message::SaveFailed(Shown::error(&error)),
    }
}

/// Returns the files of sources, which nothing may be written to.
fn files_of(sources: &[Request]) -> Vec<PathBuf> {
    sources.iter().flat_map(Request::files).collect()
}

/// Returns the local time of day, to the second, and the time in Unix seconds; 0 on a machine whose clock is before 1970.
fn now() -> Now {
    let mut seconds = 0;
    if let Ok(since) = SystemTime::now().duration_since(UNIX_EPOCH) {
        seconds = i64::try_from(since.as_secs()).unwrap_or(0);
    }
    Now {
        time_of_day: jiff::Zoned::now().strftime("%H:%M:%S").to_string(),
        unix_seconds: Some(seconds),
    }
}
