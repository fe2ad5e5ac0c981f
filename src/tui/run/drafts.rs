//! Drafts: copies of unsaved edits in the user's state folder, which survive a crash or a lost connection; and beside them
//! the list of the sources that were opened last.
//!
//! Each run has its own folder in the state folder, with a file that is locked while the run lives. Drafts in a folder
//! without a lock were left behind. A separate thread does all the work, so that a hanging file server cannot block the
//! screen.
//!
//! A draft gets its name once the disk has it, so that a power failure leaves the one before. Where the process ends or
//! stops, it gets its name at once: the system writes it to the disk later, and a slow disk costs no edit. Edits that are
//! in no draft at the end are spoken of there.

use super::events::{Event, spawn};
use super::farewell;
use super::keep;
use crate::base::save;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input;
use crate::format::native::EditSummary;
use crate::tui::recent::{self, Kept};
use crate::tui::state::{App, FoundDraft, Memory, Message, UnwrittenScenarios};
use color_eyre::eyre::{Report, Result};
use etcetera::BaseStrategy as _;
use jiff::{Timestamp, Zoned};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest wait for the last draft at the end. On a slower file server, the draft is lost.
const PATIENCE: Duration = Duration::from_secs(2);

/// The file in a run's folder that is locked while the run lives.
const LOCK: &str = "lock";

/// The time between two looks at whether the process ends, while the disk is waited for.
const GLANCE: Duration = Duration::from_millis(5);

/// One draft for each open tree. `None` means that the tree is saved.
type NewestDrafts = Arc<Mutex<Option<Vec<Option<UnwrittenScenarios>>>>>;

/// What the thread that keeps drafts is told to do.
#[derive(Debug)]
pub(crate) enum DraftCommand {
    /// Write the newest drafts, unless an earlier command did.
    Keep,
    /// Note or look up what is kept from run to run.
    Memory(Memory),
    /// Remove all drafts of this run, because the user quit.
    Forget,
}

/// The handle of the thread that keeps drafts. Dropping it waits for the write in progress.
#[derive(Debug)]
pub(crate) struct Drafts {
    orders: Option<Sender<DraftCommand>>,
    done: Receiver<()>,
    newest: NewestDrafts,
    changes: u64,
}

impl Drafts {
    /// Starts the thread. It reports drafts of earlier runs to the loop and then waits for commands.
    pub(crate) fn open(to_loop: SyncSender<Event>) -> Result<Self> {
        let (orders, inbox) = mpsc::channel();
        let (end, done) = mpsc::sync_channel(1);
        let newest = NewestDrafts::default();
        let to_keep = Arc::clone(&newest);
        spawn("drafts", move || {
            if let Some(folder) = state_folder() {
                look_after(&folder, &inbox, &to_keep, &to_loop);
            }
            drop(end);
        })?;
        Ok(Self {
            orders: Some(orders),
            done,
            newest,
            changes: 0,
        })
    }

    /// Writes the drafts if the edits changed since the last call.
    pub(crate) fn keep(&mut self, app: &App) {
        let changes = app.changes();
        if std::mem::replace(&mut self.changes, changes) != changes {
            let drafts = app.drafts();
            farewell::note_unsaved(drafts.iter().any(Option::is_some));
            *locked(&self.newest) = Some(drafts);
            self.order(DraftCommand::Keep);
        }
    }

    /// Does what the app asks for. A draft whose edits are open is removed once they are in a draft of this run.
    pub(crate) fn carry_out(&mut self, memory: Memory, app: &App) {
        if let Memory::RemoveDraft(_) = memory {
            self.keep(app);
        }
        self.order(DraftCommand::Memory(memory));
    }

    /// Tells the thread to do something. Without a thread, notes that no drafts are kept.
    pub(crate) fn order(&self, order: DraftCommand) {
        if let Some(orders) = &self.orders {
            farewell::note_ordered();
            if orders.send(order).is_err() {
                // Without a state folder there is no thread, and no drafts are kept.
                farewell::note_unkept(Some("unsaved edits were not backed up: set HOME".into()));
                farewell::note_carried_out();
            }
        }
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        self.orders = None;
        // The channel carries no messages. It closes when the thread ends.
        let _ = self.done.recv_timeout(PATIENCE);
    }
}

/// Locks a mutex, also one whose thread panicked: what it holds is replaced as a whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the folder of the explorer's state, which may not exist yet.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let state = etcetera::choose_base_strategy().ok()?.state_dir()?;
    Some(state.join("fairscope"))
}

/// Carries out commands until there are no more, with the drafts of one run. Offers the newest draft of an ended run
/// first.
fn look_after(
    folder: &Path,
    inbox: &Receiver<DraftCommand>,
    newest: &NewestDrafts,
    to_loop: &SyncSender<Event>,
) {
    // Holding the lock prevents two explorers from offering the same draft.
    let left = left_behind(folder);
    if let Some(draft) = &left {
        let found = Message::DraftFound(draft.found());
        // An ended loop cannot offer the draft, so the error does not matter.
        let _ = to_loop.try_send(Event::Message(found));
    }
    let mut own = RunDrafts::in_folder(folder);
    while let Ok(order) = inbox.recv() {
        let mut failures = Vec::new();
        match order {
            DraftCommand::Keep => {
                let drafts = locked(newest).take();
                if let Some(drafts) = drafts {
                    let texts = drafts.iter().map(|draft| Some(draft.as_ref()?.write()));
                    failures = own.keep(texts.collect());
                }
            }
            DraftCommand::Memory(memory) => {
                failures.extend(carry_out(memory, folder, own.has_failed, to_loop));
            }
            DraftCommand::Forget => own.forget(),
        }
        farewell::note_carried_out();
        for failure in failures {
            let _ = to_loop.try_send(Event::Message(failure));
        }
    }
}

/// Notes or looks up what is kept from run to run. Returns what the user is to read of a failure; `None` if there
/// is nothing to read.
fn carry_out(
    memory: Memory,
    folder: &Path,
    has_failed: bool,
    to_loop: &SyncSender<Event>,
) -> Option<Message> {
    match memory {
        Memory::RemoveDraft(draft) => {
            // A draft that cannot be removed is offered again, so no edits are lost.
            if !has_failed {
                let _ = remove(&draft);
            }
        }
        Memory::Remember(source) => {
            // A source that is missing in the list can still be opened by its path.
            let _ = create_private(folder);
            let _ = keep::remember(&folder.join(recent::FILE), &source, &flush);
        }
        Memory::KeepWords(kept, source, words) => {
            let _ = create_private(folder);
            if let Err(error) = keep::keep_words(folder, kept, &source, &words, &flush) {
                return Some(Message::SaveFailed(Shown::error(&error)));
            }
        }
        Memory::Recall(source) => {
            for kept in Kept::ALL {
                let words = recent::kept_words(folder, kept, &source);
                let told = Message::Recalled(kept, source.clone(), words);
                let _ = to_loop.try_send(Event::Message(told));
            }
        }
        Memory::Finish(lesson) => {
            let _ = create_private(folder);
            if let Err(error) = keep::finish(folder, lesson, &flush) {
                return Some(Message::FinishedUnkept(Shown::error(&error)));
            }
        }
        Memory::RecallFinished => {
            let told = Message::Finished(recent::finished(folder));
            let _ = to_loop.try_send(Event::Message(told));
        }
    }
    None
}

/// A draft of an ended run, with the lock of its folder.
struct LeftDraft {
    path: PathBuf,
    written: SystemTime,
    /// Held so that no other explorer offers the draft.
    _lock: File,
}

impl LeftDraft {
    /// Returns the newest draft in the folder of a run; `None` if the run lives, or has left none.
    fn of(run: &Path) -> Option<Self> {
        let lock = input::open(&run.join(LOCK)).ok()?;
        lock.try_lock().ok()?;
        let mut newest = None;
        for path in drafts(run) {
            let Some(found) = path.metadata().ok() else {
                continue;
            };
            if let Ok(written) = found.modified() {
                newest = newest.max(Some((written, path)));
            }
        }
        let (written, path) = newest?;
        Some(Self {
            path,
            written,
            _lock: lock,
        })
    }

    /// Returns the draft as it is offered.
    fn found(&self) -> FoundDraft {
        let mut text = String::new();
        let mut summary = None;
        if let Ok(mut file) = input::open(&self.path)
            && file.read_to_string(&mut text).is_ok()
        {
            summary = EditSummary::of(&text);
        }
        FoundDraft {
            path: self.path.clone(),
            summary,
            when: local_time(self.written),
        }
    }
}

/// Returns a time in the local zone, to the minute, with its date if that is not today.
fn local_time(time: SystemTime) -> Shown {
    let now = Zoned::now();
    let Ok(timestamp) = Timestamp::try_from(time) else {
        return "an unknown time".into();
    };
    let local = timestamp.to_zoned(now.time_zone().clone());
    let form = if local.date() == now.date() {
        "%H:%M"
    } else {
        "%Y-%m-%d %H:%M"
    };
    sentence!("{}", local.strftime(form))
}

/// Returns the newest draft of an ended run.
fn left_behind(folder: &Path) -> Option<LeftDraft> {
    let mut newest: Option<LeftDraft> = None;
    for run in fs::read_dir(folder).ok()?.flatten() {
        let Some(left) = LeftDraft::of(&run.path()) else {
            continue;
        };
        let is_newest = match &newest {
            Some(newest) => left.written >= newest.written,
            None => true,
        };
        if is_newest {
            newest = Some(left);
        }
    }
    newest
}

/// Returns the drafts in the folder of a run.
fn drafts(run: &Path) -> Vec<PathBuf> {
    let mut drafts = Vec::new();
    let Ok(entries) = fs::read_dir(run) else {
        return drafts;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.extension() == Some(OsStr::new("toml")) {
            drafts.push(path);
        }
    }
    drafts
}

/// Removes a draft, and the folder of its run if it was the last one.
fn remove(draft: &Path) -> io::Result<()> {
    remove_file(draft)?;
    match draft.parent() {
        Some(run) if drafts(run).is_empty() => remove_run(run),
        _ => Ok(()),
    }
}

/// Removes a file. One that is not there is no error.
fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a folder that only the user can read, and those above it.
fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Removes the folder of a run, which has no more drafts.
fn remove_run(run: &Path) -> io::Result<()> {
    save::remove_leftovers(run);
    fs::remove_file(run.join(LOCK))?;
    fs::remove_dir(run)
}

/// Waits until the disk has a file or a directory, but no longer than the process has time.
fn flush(file: &File) -> io::Result<()> {
    let (end, flushed) = mpsc::sync_channel(1);
    let own = file.try_clone()?;
    let started = spawn("flushing", move || {
        #[cfg(debug_assertions)]
        rehearse_flush();
        // One that is waited for no more tells nobody.
        let _ = end.send(own.sync_all());
    });
    if started.is_err() {
        return file.sync_all();
    }
    loop {
        match flushed.recv_timeout(GLANCE) {
            Ok(flushed) => return flushed,
            Err(RecvTimeoutError::Timeout) if !farewell::is_hurried() => {}
            Err(_) => return Ok(()),
        }
    }
}

/// Never comes back if `FAIRSCOPE_REHEARSE` asks for a disk that never answers. Only in debug builds.
#[cfg(debug_assertions)]
fn rehearse_flush() {
    if std::env::var("FAIRSCOPE_REHEARSE").as_deref() == Ok("no answer of the disk") {
        loop {
            std::thread::park();
        }
    }
}

/// The drafts of this run.
struct RunDrafts {
    run: PathBuf,
    /// The lock of the folder, held while it contains drafts.
    lock: Option<File>,
    kept: Vec<Option<String>>,
    /// The drafts that could not be removed. Each is reported once.
    stuck: BTreeSet<usize>,
    /// Whether the newest edits are in no draft. That is reported once.
    has_failed: bool,
}

impl RunDrafts {
    /// Returns the drafts of this run, of which none is written yet. The folder gets a name that no other run has.
    fn in_folder(folder: &Path) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanoseconds = now.unwrap_or_default().as_nanos();
        let process = std::process::id();
        Self {
            run: folder.join(format!("{process}-{nanoseconds}")),
            lock: None,
            kept: Vec::new(),
            stuck: BTreeSet::new(),
            has_failed: false,
        }
    }

    /// Replaces the drafts by these texts. Writes the changed ones, each whether or not another fails.
    fn keep(&mut self, texts: Vec<Option<String>>) -> Vec<Message> {
        let mut failures = Vec::new();
        let mut unkept = None;
        self.kept.resize(texts.len(), None);
        for (place, text) in texts.into_iter().enumerate() {
            if self.kept[place] == text {
                continue;
            }
            let draft = self.draft(place);
            let done = match &text {
                Some(text) => self.write(&draft, text),
                None => remove_file(&draft).map_err(Report::from),
            };
            match done {
                Ok(()) => {
                    self.stuck.remove(&place);
                    self.kept[place] = text;
                }
                Err(error) if text.is_none() && self.stuck.insert(place) => {
                    let reason = Shown::error(error.as_ref());
                    failures.push(Message::DraftLeft(place, draft, reason));
                }
                Err(error) if text.is_some() => {
                    let folder = self.run.parent().unwrap_or(&self.run);
                    let why = sentence!(
                        "unsaved edits cannot be backed up in {}: {error}",
                        shown(folder.as_os_str().as_encoded_bytes())
                    );
                    if !std::mem::replace(&mut self.has_failed, true) {
                        failures.push(Message::SaveFailed(sentence!("{why}; save often")));
                    }
                    unkept = Some(why);
                }
                Err(_) => {}
            }
        }
        farewell::note_unkept(unkept);
        failures
    }

    /// Returns the file of the draft of a tree, by its place among the open ones.
    fn draft(&self, place: usize) -> PathBuf {
        self.run.join(format!("{}.toml", place + 1))
    }

    /// Writes a draft, whole or not at all, readable only for the user.
    fn write(&mut self, draft: &Path, text: &str) -> Result<()> {
        if self.lock.is_none() {
            create_private(&self.run)?;
            let lock = File::create(self.run.join(LOCK))?;
            lock.lock()?;
            self.lock = Some(lock);
        }
        Ok(save::save_private_with(draft, text.as_bytes(), &flush)?)
    }

    /// Removes all drafts and their folder. What cannot be removed is offered at the next start.
    fn forget(&mut self) {
        self.keep(vec![None; self.kept.len()]);
        if self.stuck.is_empty() && self.lock.take().is_some() {
            let _ = remove_run(&self.run);
        }
    }
}
