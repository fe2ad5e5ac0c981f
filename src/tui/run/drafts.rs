//! Drafts: unsaved edits kept in a folder of the user's own, so that no crash and no lost line loses them.
//!
//! Each run has a folder of its own below the state folder, with a locked file as long as it lives: what stands
//! in a folder without a holder of the lock was left behind. One thread does all of it, for a home on a file server
//! that hangs must not hold up the screen.

use crate::base::shown::shown;
use crate::tui::run::events::{Event, spawn};
use crate::tui::state::message::Message;
use color_eyre::eyre::Result;
use etcetera::BaseStrategy as _;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long the end waits for the last draft; a file server that takes longer has lost it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The file in a run's folder that is locked as long as it runs.
const LOCK: &str = "lock";

/// What the thread is to do.
#[derive(Debug)]
enum DraftCommand {
    /// Keep these texts, one for each open tree; nothing for a tree that is saved.
    Keep(Vec<Option<String>>),
    /// Remove a draft that was left behind and is now one of ours.
    Remove(PathBuf),
    /// Remove all of ours: the user ended this and knows.
    Forget,
}

/// The way to the thread that keeps drafts. Dropping it waits for what is under way.
#[derive(Debug)]
pub(crate) struct Drafts {
    orders: Option<Sender<DraftCommand>>,
    done: Receiver<()>,
    changes: u64,
}

impl Drafts {
    /// Looks for drafts that were left behind, of which the loop hears, and waits for drafts to keep.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn open(to_loop: SyncSender<Event>) -> Result<Self> {
        let (orders, inbox) = mpsc::channel();
        let (end, done) = mpsc::sync_channel(1);
        spawn("drafts", move || {
            if let Some(state) = state_folder() {
                look_after(&state.join("fairscope"), &inbox, &to_loop);
            }
            drop(end);
        })?;
        Ok(Self {
            orders: Some(orders),
            done,
            changes: 0,
        })
    }

    /// Keeps the edits if there were changes since; `texts` is only asked for then.
    pub(crate) fn keep(&mut self, changes: u64, texts: impl FnOnce() -> Vec<Option<String>>) {
        if std::mem::replace(&mut self.changes, changes) != changes {
            self.order(DraftCommand::Keep(texts()));
        }
    }

    /// Removes a draft that was left behind, once its edits are kept with ours.
    pub(crate) fn remove(&self, draft: PathBuf) {
        self.order(DraftCommand::Remove(draft));
    }

    /// Removes all of ours.
    pub(crate) fn forget(&self) {
        self.order(DraftCommand::Forget);
    }

    fn order(&self, order: DraftCommand) {
        if let Some(orders) = &self.orders {
            // Without a home there is no thread, and nowhere to keep anything.
            let _ = orders.send(order);
        }
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        self.orders = None;
        // Its end closes the channel; there is never anything in it.
        let _ = self.done.recv_timeout(PATIENCE);
    }
}

fn state_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok()?.state_dir()
}

fn look_after(folder: &Path, inbox: &Receiver<DraftCommand>, to_loop: &SyncSender<Event>) {
    // The lock is held on to, so that two explorers do not offer the same.
    let left = left_behind(folder);
    if let Some((draft, _)) = &left {
        // A loop that is gone offers nothing.
        let _ = to_loop.try_send(Event::Message(Message::DraftFound(draft.clone())));
    }
    let mut own = RunDrafts::in_folder(folder);
    let mut has_failed = false;
    while let Ok(order) = inbox.recv() {
        let done = match order {
            DraftCommand::Keep(texts) => own.keep(texts),
            DraftCommand::Remove(draft) if !has_failed => {
                // What cannot be removed is offered again, which loses nothing.
                let _ = remove(&draft);
                Ok(())
            }
            DraftCommand::Remove(_) => Ok(()),
            DraftCommand::Forget => own.forget(),
        };
        if let Err(error) = done
            && !std::mem::replace(&mut has_failed, true)
        {
            let reason = format!(
                "unsaved edits are not kept safe in {}: {error}; save often",
                shown(folder.as_os_str().as_encoded_bytes())
            );
            let _ = to_loop.try_send(Event::Message(Message::SaveFailed(reason)));
        }
    }
}

/// Returns the newest draft that nobody holds any more, with its lock.
fn left_behind(folder: &Path) -> Option<(PathBuf, File)> {
    let runs = fs::read_dir(folder).ok()?.filter_map(io::Result::ok);
    let abandoned = runs.filter_map(|run| {
        let lock = File::open(run.path().join(LOCK)).ok()?;
        lock.try_lock().ok()?;
        let draft = newest(drafts(&run.path()))?;
        Some((draft, lock))
    });
    abandoned
        .max_by_key(|((time, _), _)| *time)
        .map(|((_, draft), lock)| (draft, lock))
}

fn drafts(run: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(run).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    })
}

fn newest(drafts: impl Iterator<Item = PathBuf>) -> Option<(SystemTime, PathBuf)> {
    drafts
        .filter_map(|draft| Some((draft.metadata().ok()?.modified().ok()?, draft)))
        .max()
}

/// Removes a draft, and the folder of its run with the last one.
fn remove(draft: &Path) -> io::Result<()> {
    fs::remove_file(draft)?;
    match draft.parent() {
        Some(run) if drafts(run).next().is_none() => remove_run(run),
        _ => Ok(()),
    }
}

fn remove_run(run: &Path) -> io::Result<()> {
    fs::remove_file(run.join(LOCK))?;
    fs::remove_dir(run)
}

/// The drafts of this run.
struct RunDrafts {
    run: PathBuf,
    /// Held while there are drafts.
    lock: Option<File>,
    kept: Vec<Option<String>>,
}

impl RunDrafts {
    fn in_folder(folder: &Path) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_nanos();
        Self {
            run: folder.join(format!("{}-{now}", std::process::id())),
            lock: None,
            kept: Vec::new(),
        }
    }

    /// Makes the drafts these, writing only what differs.
    fn keep(&mut self, texts: Vec<Option<String>>) -> io::Result<()> {
        self.kept.resize(texts.len(), None);
        for (place, text) in texts.into_iter().enumerate() {
            if self.kept[place] == text {
                continue;
            }
            match &text {
                Some(text) => self.write(place, text)?,
                None => fs::remove_file(self.draft(place))?,
            }
            self.kept[place] = text;
        }
        Ok(())
    }

    fn draft(&self, place: usize) -> PathBuf {
        self.run.join(format!("{}.toml", place + 1))
    }

    /// Writes a draft whole or not at all, for nobody else to read.
    fn write(&mut self, place: usize, text: &str) -> io::Result<()> {
        if self.lock.is_none() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&self.run)?;
            let lock = File::create(self.run.join(LOCK))?;
            lock.lock()?;
            self.lock = Some(lock);
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.run)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(self.draft(place))?;
        Ok(())
    }

    fn forget(&mut self) -> io::Result<()> {
        self.keep(vec![None; self.kept.len()])?;
        self.lock
            .take()
            .map_or(Ok(()), |_held| remove_run(&self.run))
    }
}
