//! Performing the app's effects. Slow effects run on threads.

use crate::base::save::{self, Contents, Fingerprint, SaveError};
use crate::base::shown::{Backslash, Shown, sentence, shown_format};
use crate::format::{Progress, Request};
use crate::open::FileStates;
use crate::rules::policy::Policy;
use crate::tui::job::Job;
use crate::tui::picture::PictureForm;
use crate::tui::run::events::{Event, spawn};
use crate::tui::run::listing;
use crate::tui::run::terminal::Terminal;
use crate::tui::state::message::{Effect, LONGEST_COPY, Message, Overwrite, Task};
use crate::tui::state::reading::ReloadTask;
use crate::tui::state::tasks::opened;
use color_eyre::eyre::Result;
use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The interval between reports of progress. It is short enough to look smooth and long enough to cost little.
const PROGRESS_EVERY: Duration = Duration::from_millis(50);

/// The longest wait for a scheduler's command to stop when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);

/// The task of the loop after an effect.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing.
    Done,
    /// Send a message to the app.
    Answer(Message),
    /// Write the current drafts, then remove this draft.
    RemoveDraft(PathBuf),
    /// Note this source among those that were opened last.
    Remember(PathBuf),
    /// Draw the screen in a form, and save it in a new file.
    SaveScreen {
        /// Where.
        path: PathBuf,
        /// The form.
        form: PictureForm,
        /// The sources, whose files are never written to.
        sources: Vec<Request>,
    },
    /// Draw everything again.
    Redraw,
    /// Stop the process.
    Suspend,
    /// End the program.
    Quit,
}

/// Performs the effects of the app.
#[derive(Debug)]
pub(crate) struct Performer {
    to_loop: SyncSender<Event>,
    policy: Option<Policy>,
    load: Option<Load>,
    reload: Option<Load>,
    loads: u64,
    writing: Vec<mpsc::Receiver<()>>,
}

/// The newest load. The results of older loads are ignored.
#[derive(Debug)]
pub(crate) struct Load {
    number: u64,
    is_cancelled: Arc<AtomicBool>,
    /// Closes when a scheduler's command has ended. `None` for files, which need no wait.
    asking: Option<mpsc::Receiver<()>>,
}

impl Load {
    /// Returns a new load, and the sender that its thread drops at the end.
    fn begin(number: u64, request: &Request) -> (Self, mpsc::SyncSender<()>) {
        let (done, asking) = mpsc::sync_channel(1);
        let load = Self {
            number,
            is_cancelled: Arc::default(),
            asking: request.live.is_some().then_some(asking),
        };
        (load, done)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl Performer {
    /// Returns a performer without work in progress. Results go to the loop. Sources are opened under `policy`, if one
    /// is given.
    pub(crate) const fn new(to_loop: SyncSender<Event>, policy: Option<Policy>) -> Self {
        Self {
            to_loop,
            policy,
            load: None,
            reload: None,
            loads: 0,
            writing: Vec::new(),
        }
    }

    /// Performs an effect, or starts it on a thread.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(crate) fn perform(&mut self, effect: Effect, terminal: &Terminal) -> Result<Outcome> {
        match effect {
            Effect::Load(request) => {
                if let Err(error) = self.load(request) {
                    let why = sentence!("{error:#}; end other programs and open it again");
                    return Ok(Outcome::Answer(Message::LoadFailed(why)));
                }
            }
            Effect::CancelLoad => {
                // A load that hangs in a read would never report that it stopped.
                if self.load.take().is_some() {
                    return Ok(Outcome::Answer(Message::LoadCancelled));
                }
            }
            Effect::Reload(reloading) => {
                let number = reloading.number();
                if let Err(error) = self.reload(*reloading) {
                    let reason = sentence!("{error:#}; end other programs and read it again");
                    return Ok(Outcome::Answer(Message::ReloadFailed { number, reason }));
                }
            }
            Effect::CancelReload => self.reload = None,
            Effect::Wait(seconds) => {
                let to_loop = self.to_loop.clone();
                // If no thread can be started, the key for reading again still works.
                let _ = spawn("watching", move || {
                    std::thread::sleep(Duration::from_secs(seconds.into()));
                    let _ = to_loop.send(Event::Message(Message::Tick));
                });
            }
            Effect::Save {
                path,
                contents,
                overwrite,
                sources,
            } => {
                if let Err(error) = self.save(path, contents, overwrite, sources) {
                    let why = sentence!("{error:#}; end other programs and save again");
                    return Ok(Outcome::Answer(Message::SaveFailed(why)));
                }
            }
            Effect::RemoveDraft(draft) => return Ok(Outcome::RemoveDraft(draft)),
            Effect::Export { files, sources } => {
                if let Err(error) = self.export(files, sources) {
                    let why = sentence!("{error:#}; end other programs and save again");
                    return Ok(Outcome::Answer(Message::SaveFailed(why)));
                }
            }
            Effect::SaveScreen {
                path,
                form,
                sources,
            } => {
                return Ok(Outcome::SaveScreen {
                    path,
                    form,
                    sources,
                });
            }
            Effect::Run(job) => return Ok(self.run(*job)),
            Effect::Beat {
                number,
                milliseconds,
            } => {
                let to_loop = self.to_loop.clone();
                // If no thread can be started, the key for a single step still works.
                let _ = spawn("beat", move || {
                    std::thread::sleep(Duration::from_millis(milliseconds.into()));
                    let _ = to_loop.send(Event::Message(Message::Beat(number)));
                });
            }
            Effect::List(job) => {
                let answer = listing::start(job, self.to_loop.clone());
                return Ok(answer.map_or(Outcome::Done, Outcome::Answer));
            }
            Effect::Remember(source) => return Ok(Outcome::Remember(source)),
            Effect::Copy(text) => copy(&text, terminal)?,
            Effect::Pasting(on) => terminal.mark_pastes(on)?,
            Effect::Redraw => return Ok(Outcome::Redraw),
            Effect::Suspend => return Ok(Outcome::Suspend),
            Effect::Quit => return Ok(Outcome::Quit),
        }
        Ok(Outcome::Done)
    }

    /// Returns whether this is the number of the newest load.
    pub(crate) fn is_current(&self, load: u64) -> bool {
        self.load
            .as_ref()
            .is_some_and(|newest| newest.number == load)
    }

    /// Waits for the files being written, so that quitting does not lose a save.
    pub(crate) fn finish_writing(&mut self) {
        for written in self.writing.drain(..) {
            // The thread drops the sender when it ends, so this never waits forever.
            let _ = written.recv();
        }
    }

    /// Ends the running commands of schedulers, so that none outlives the explorer.
    pub(crate) fn finish_asking(&mut self) {
        for mut load in self.load.take().into_iter().chain(self.reload.take()) {
            let asking = load.asking.take();
            drop(load);
            if let Some(asking) = asking {
                // The thread notices the cancellation soon. A thread that hangs in a system call cannot end its
                // command.
                let _ = asking.recv_timeout(SHUTDOWN_TIMEOUT);
            }
        }
    }

    fn load(&mut self, request: Request) -> Result<()> {
        self.loads += 1;
        let number = self.loads;
        let (load, done) = Load::begin(number, &request);
        let is_cancelled = Arc::clone(&load.is_cancelled);
        // Dropping the previous load, if any, cancels it.
        self.load = Some(load);
        let (to_loop, policy) = (self.to_loop.clone(), self.policy);
        spawn("loading", move || {
            let mut told = Instant::now();
            let mut report = |progress: &Progress| {
                if is_cancelled.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                if told.elapsed() >= PROGRESS_EVERY {
                    told = Instant::now();
                    // A loop too busy to listen will hear of the next one.
                    let message = Message::Progress(progress.clone());
                    let _ = to_loop.try_send(Event::Load(number, message));
                }
                ControlFlow::Continue(())
            };
            let file_states = FileStates::of(&request, unix_seconds());
            let message = opened(&request, policy, time_of_day(), file_states, &mut report);
            drop(done);
            let message = match message {
                Ok(message) => message,
                Err(missing) => {
                    let _ = to_loop.send(Event::Missing(number, missing));
                    return;
                }
            };
            // An ended loop needs no tree, so the error does not matter.
            let _ = to_loop.send(Event::Load(number, message));
        })
    }

    /// Reads a source again and cancels the previous reading.
    fn reload(&mut self, mut reloading: Job<ReloadTask>) -> Result<()> {
        let number = reloading.number();
        let (load, done) = Load::begin(number, reloading.request());
        let is_cancelled = Arc::clone(&load.is_cancelled);
        self.reload = Some(load);
        let to_loop = self.to_loop.clone();
        spawn("reading", move || {
            let mut report = |_: &Progress| {
                if is_cancelled.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let file_states = FileStates::of(reloading.request(), unix_seconds());
            if reloading.is_unchanged(file_states) {
                let message = reloading.skip(time_of_day());
                let _ = to_loop.send(Event::Message(message));
                return;
            }
            let loaded = crate::open::live::load(reloading.request(), &mut report);
            drop(done);
            let message = match loaded {
                Ok(loaded) => reloading.perform(loaded, time_of_day()),
                Err(error) => Message::ReloadFailed {
                    number,
                    reason: error.line(),
                },
            };
            // A loop that ended or cancelled the reading needs no tree.
            let _ = to_loop.send(Event::Message(message));
        })
    }

    /// Runs a job on its own thread, which reports its progress.
    fn run(&self, job: Job<Task>) -> Outcome {
        let (to_loop, aside) = (self.to_loop.clone(), job.clone());
        let started = spawn("computing", move || {
            let mut told = Instant::now();
            let answer = aside.perform(&mut |progress| {
                if told.elapsed() >= PROGRESS_EVERY {
                    told = Instant::now();
                    // A loop too busy to listen will hear of the next one.
                    let _ = to_loop.try_send(Event::Message(progress));
                }
            });
            // A loop that is gone wants no answer.
            let _ = to_loop.send(Event::Message(answer));
        });
        match started {
            Ok(()) => Outcome::Done,
            // Without a thread left the screen waits.
            Err(_) => Outcome::Answer(job.perform(&mut |_| {})),
        }
    }

    /// Writes new files on its own thread: all of them, or none.
    fn export(&mut self, files: Vec<(PathBuf, Vec<u8>)>, sources: Vec<Request>) -> Result<()> {
        let (done, written) = mpsc::sync_channel(1);
        self.writing.push(written);
        let to_loop = self.to_loop.clone();
        spawn("exporting", move || {
            let sources = files_of(&sources);
            let are_apart = files
                .iter()
                .try_for_each(|(path, _)| save::spare(path, &sources));
            let paths = files.iter().map(|(path, _)| path.clone());
            let contents = files.iter().map(|(_, bytes)| Contents::Bytes(bytes));
            let pairs: Vec<_> = paths.zip(contents).collect();
            let written = are_apart.and_then(|()| save::save_several(&pairs));
            let message = match written {
                Ok(()) => Message::Exported(files.into_iter().map(|(path, _)| path).collect()),
                Err(error) => Message::SaveFailed(Shown::error(&error)),
            };
            drop(done);
            let _ = to_loop.send(Event::Message(message));
        })
    }

    fn save(
        &mut self,
        path: PathBuf,
        contents: String,
        overwrite: Overwrite,
        sources: Vec<Request>,
    ) -> Result<()> {
        self.writing
            .retain(|written| written.try_recv() == Err(mpsc::TryRecvError::Empty));
        let (done, written) = mpsc::sync_channel(1);
        self.writing.push(written);
        let to_loop = self.to_loop.clone();
        spawn("saving", move || {
            let bytes = contents.as_bytes();
            let is_apart = save::spare(&path, &files_of(&sources));
            let saved = is_apart.and_then(|()| match overwrite {
                Overwrite::Never => save::save(&path, bytes, false),
                Overwrite::IfUnchanged(seen) => save::save_unchanged(&path, bytes, seen),
                Overwrite::Always => save::save(&path, bytes, true),
            });
            let message = match saved {
                Ok(()) => {
                    let seen = Fingerprint::of(&path).ok();
                    Message::Saved { path, seen }
                }
                Err(SaveError::Exists { .. }) => Message::FileExists { path, contents },
                Err(SaveError::Changed(_)) => Message::FileChanged { path, contents },
                Err(error) => Message::SaveFailed(Shown::error(&error)),
            };
            // The channel closes before the message is sent, because an ending loop waits only for the channel.
            drop(done);
            let _ = to_loop.send(Event::Message(message));
        })
    }
}

/// Returns all files of these sources.
fn files_of(sources: &[Request]) -> Vec<PathBuf> {
    sources.iter().flat_map(Request::files).collect()
}

/// Returns the local time of day, to the second.
fn time_of_day() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}

/// Returns the time in Unix seconds; 0 on a machine whose clock is before 1970.
fn unix_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}

/// Puts text on the clipboard through the terminal, which also works over ssh. What
/// would act as keys or hide when pasted into a shell is written out.
fn copy(text: &str, terminal: &Terminal) -> Result<()> {
    let mut ends = (0..=text.len().min(LONGEST_COPY)).rev();
    let end = ends.find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let clean = shown_format(&text.as_bytes()[..end], Backslash::Kept);
    let mut sequence = String::new();
    CopyToClipboard::to_clipboard_from(clean).write_ansi(&mut sequence)?;
    terminal.send(sequence.as_bytes())?;
    Ok(())
}
