//! Opening sources, and reading them again on a key or at regular intervals. Only one reading runs at a time. Edits are
//! applied again to the new tree, and a failed reading leaves the screen as it is. Another dump of a series replaces the
//! tree in the same way.
//!
//! A sleeping thread waits between two readings, so the explorer wakes only when the next one is due. The reading
//! thread does all the slow work: it applies the edits again and computes the numbers and the changed ranks.

use crate::base::number::{counted, word_for};
use crate::base::shown::{Shown, read_back, sentence, shown};
use crate::format::{Example, Progress, Request, Series, SourceKind, is_example};
use crate::open::desired::{DesiredFile, Drift};
use crate::open::opened::Opened;
use crate::open::{FileStates, example};
use crate::report::desired;
use crate::rules::policy::RuleColumn;
use crate::tui::input::action::Action;
use crate::tui::page::content::NO_SERIES;
use crate::tui::recent;
use crate::tui::state::reading::can_be_read_again;
use crate::tui::state::{
    AnswerPurpose, App, Choice, Dialog, Item, LoadStatus, Memory, Notice, Reading, Reload,
    ReloadTask, ScenarioFile, Session, Task, Ui, Work,
};
use crate::tui::update::page;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

pub(crate) fn open(ui: &mut Ui, request: Request) {
    let title = match &request.source {
        SourceKind::Live { scheduler, .. } => sentence!("live {}", scheduler.name()),
        SourceKind::Path { path, .. } => shown(path.as_os_str().as_bytes()),
        SourceKind::Series(paths) => paths
            .first()
            .map(|path| shown(path.as_os_str().as_bytes()))
            .unwrap_or_default(),
    };
    let progress = Progress {
        file: title.clone(),
        ..Progress::default()
    };
    ui.loading = Some(LoadStatus {
        title,
        progress,
        typed: None,
    });
    ui.watch.unopened = Some(request.clone());
    ui.queue(Work::Load(request));
}

pub(crate) fn open_typed(ui: &mut Ui, line: &str) {
    if !line.is_empty() {
        open(ui, Request::to_open(ui.path(line)));
        if let Some(loading) = &mut ui.loading {
            loading.typed = Some(line.to_owned());
        }
    }
}

/// Says why a source could not be opened, and asks which of its clusters is meant, once no dialog is open.
pub(crate) fn ask_for_cluster(ui: &mut Ui, reason: Shown, names: Vec<Shown>) {
    ui.clusters_of = ui.watch.unopened.take();
    forget_load(ui);
    ui.fail(reason);
    let items = names.into_iter();
    let items = items.map(|name| Item::new(Choice::Cluster, name, ""));
    let menu = Dialog::menu("Cluster to open", items, None);
    ui.questions.push_back(menu);
}

pub(crate) fn open_cluster(ui: &mut Ui, name: &Shown) {
    if let Some(request) = ui.clusters_of.take() {
        let name = read_back(name.as_bytes());
        let cluster = Some(String::from_utf8_lossy(&name).into_owned());
        open(ui, Request { cluster, ..request });
    }
}

pub(crate) fn forget_load(ui: &mut Ui) {
    ui.loading = None;
    ui.lesson = None;
    ui.watch.unopened = None;
}

/// Returns the path under which a source is kept in the state folder; `None` for a draft, and without a path.
pub(crate) fn kept_source(ui: &Ui, request: &Request) -> Option<PathBuf> {
    let SourceKind::Path { path, .. } = &request.source else {
        return None;
    };
    let is_file = !request.is_standard_input() && !is_example(path);
    let is_kept = is_file && ui.draft.as_ref() != Some(path);
    (is_kept && ui.options.recent.is_some()).then(|| recent::kept(&ui.options.folder, path))
}

fn remember(ui: &mut Ui) {
    let request = ui.watch.unopened.as_ref();
    if let Some(source) = request.and_then(|request| kept_source(ui, request)) {
        ui.queue(Memory::Remember(source));
    }
}

impl App {
    /// Shows the first built-in example. Its caption and the hints tell how to go on.
    pub(crate) fn show_example(&mut self) {
        let example = Opened::new(example(Example::Site), self.ui.options.policy);
        self.show_loaded(example);
    }

    /// Shows the loaded tree. If a dialog or a page about another tree is open, only announces it.
    pub(crate) fn show_loaded(&mut self, mut opened: Opened) {
        let ui = &mut self.ui;
        remember(ui);
        let lesson = ui.lesson.take();
        forget_load(ui);
        let desired = ui.options.desired.take();
        let desired = desired.map(|desired| apply_desired(&mut opened, &desired));
        let mut session = adopt(Session::new(opened), ui);
        if lesson.is_none() && session.columns.preferred.is_empty() && session.shows_example() {
            // An example belongs to no scheduler, so it shows what each makes of it.
            session.columns.chosen = Some(RuleColumn::EVERY_RULE.to_vec());
        }
        if lesson.is_none() {
            session.tell_blank_cells();
        }
        if let Some(source) = kept_source(ui, session.request()) {
            ui.queue(Memory::Recall(source));
        }
        if desired.is_some() {
            // No file holds these edits.
            session.file.versions = None;
        }
        let problems = session.source.problems.count();
        let series = session.source.series.clone();
        self.sessions.push(session);
        let is_busy = ui.has_dialog() || ui.front_page().is_some();
        if self.sessions.len() > 1 && is_busy {
            let key = ui.hint(Action::NextTree);
            ui.say(sentence!("it is open now: {key} shows it"));
            return self.wait_to_read();
        }
        ui.current = self.sessions.len() - 1;
        if let Some(lesson) = lesson {
            return self.stage_lesson(lesson);
        }
        if let Some(screen) = ui.options.config.screen {
            self.go_to_screen(screen);
        }
        if let Some(user) = self.ui.options.user.take() {
            self.in_tree(|session, ui| page::open_named_user(session, ui, user.as_bytes()));
            return self.wait_to_read();
        }
        let ui = &mut self.ui;
        let news = if let Some(refusal) = refusal(ui) {
            Some(Notice::Error(refusal))
        } else if let Some(desired) = desired {
            Some(match desired {
                Ok(summary) => Notice::Info(summary),
                Err(reason) => Notice::Error(reason),
            })
        } else if let Some(series) = series {
            Some(Notice::Info(hint_at_series(ui, &series)))
        } else if problems > 0 {
            let key = ui.hint(Action::Problems);
            let noun = word_for(problems, "problem", "problems");
            Some(Notice::Info(sentence!("{problems} {noun}: press {key}")))
        } else {
            None
        };
        if news.is_some() {
            ui.notice = news;
            offer_draft(ui);
        }
        self.wait_to_read();
    }

    pub(crate) fn next_tree(&mut self) {
        if self.sessions.len() > 1 {
            self.ui.current = (self.ui.current + 1) % self.sessions.len();
        } else {
            self.ui.say("only one tree is open");
        }
    }

    /// Says why a source could not be opened. The first one is tried again after the interval, if it is watched.
    pub(crate) fn fail_to_load(&mut self, reason: Shown) {
        let ui = &mut self.ui;
        let typed = ui.loading.take().and_then(|loading| loading.typed);
        ui.lesson = None;
        let is_first = self.sessions.is_empty();
        let unopened = ui.watch.unopened.as_ref().filter(|_| is_first);
        let Some(seconds) = unopened.and_then(|request| ui.pace(request)) else {
            ui.watch.unopened = None;
            let typed = typed.map(|line| (AnswerPurpose::Open, line));
            return ui.refuse_path(typed, reason);
        };
        ui.fail(sentence!("retrying every {seconds} s: {reason}"));
        self.wait_to_read();
    }

    /// Starts the wait for the next reading if a source is watched and no wait is in progress.
    pub(crate) fn wait_to_read(&mut self) {
        let ui = &self.ui;
        if ui.watch.is_waiting || ui.options.watch.is_none() {
            return;
        }
        let open = self.session().map(Session::request);
        let request = open.or(ui.watch.unopened.as_ref());
        let pace = request.and_then(|request| ui.pace(request));
        if let Some(seconds) = pace.or(ui.options.watch) {
            self.ui.watch.is_waiting = true;
            self.ui.queue(Work::Wait(seconds));
        }
    }

    pub(crate) fn tick(&mut self) {
        let ui = &mut self.ui;
        ui.watch.is_waiting = false;
        if self.sessions.is_empty() && ui.loading.is_none() {
            if let Some(request) = ui.watch.unopened.clone() {
                open(ui, request);
            }
            return;
        }
        let is_busy =
            ui.loading.is_some() || ui.watch.asked.about().is_some() || ui.watch.arrived.is_some();
        if !is_busy
            && let Some((session, ui)) = self.open_tree()
            && ui.pace(session.request()).is_some()
        {
            let last = session.source.file_states.clone();
            return read_again(session, ui, None, last);
        }
        self.wait_to_read();
    }

    pub(crate) fn stop_reading(&mut self) {
        let ui = &mut self.ui;
        if ui.watch.asked.forget().is_none() {
            return;
        }
        ui.watch.is_explicit = false;
        ui.watch.target = None;
        ui.say("reloading was cancelled");
        self.wait_to_read();
    }

    /// Takes what came of reading a source again. A tree is kept until no dialog is open.
    pub(crate) fn take_reading(&mut self, number: u64, read: Result<Reload, Shown>) {
        let ui = &mut self.ui;
        let Some(place) = ui.watch.asked.end(number) else {
            return;
        };
        let session = &mut self.sessions[place];
        match read {
            Ok(Reload::Read(reading)) => ui.watch.arrived = Some((place, reading)),
            Ok(Reload::Unchanged(read_at)) => {
                session.source.read_at = Some(read_at);
                session.is_stale = false;
            }
            Err(reason) => {
                ui.watch.is_explicit = false;
                let is_other = ui.watch.target.take().is_some();
                session.is_stale |= !is_other;
                ui.fail(sentence!("not reloaded: {reason}"));
            }
        }
        self.wait_to_read();
    }

    /// Shows the tree that was read again, unless a dialog is open.
    pub(crate) fn show_reading(&mut self) {
        if self.top().is_dialog() {
            return;
        }
        let ui = &mut self.ui;
        let Some((place, reading)) = ui.watch.arrived.take() else {
            return;
        };
        let is_explicit = std::mem::take(&mut ui.watch.is_explicit);
        let session = &mut self.sessions[place];
        let before = session.scenario.tree().clone();
        let since = session.source.read_at.clone();
        let moved = reading.moves.users;
        let way = stepped(session, &reading);
        ui.watch.target = None;
        let lost = session.adopt(*reading);
        let since = since.map_or_else(String::new, |time| format!(" since {time}"));
        let users = counted(moved, "user", "users");
        if lost > 0 {
            let key = ui.hint(Action::Problems);
            let (one, several) = ("edit no longer fits and is", "edits no longer fit and are");
            let edits = counted(lost, one, several);
            ui.fail(sentence!(
                "{edits} not applied, but kept: {key} lists the reasons"
            ));
        } else if let Some([from, to]) = way {
            ui.say(match moved {
                0 => sentence!("no ranks differ between {from} and {to}"),
                _ => sentence!("{users} moved from {from} to {to}"),
            });
        } else if moved > 0 {
            ui.say(sentence!("{users} moved{since}"));
        } else if is_explicit {
            ui.say(sentence!("nobody moved{since}"));
        }
        if place == ui.current {
            page::ask_again(session, ui, &before);
        }
    }
}

pub(crate) fn reload(session: &mut Session, ui: &mut Ui) {
    if let Err(reason) = can_be_read_again(session.request()) {
        return ui.fail(reason);
    }
    if ui.watch.asked.about().is_some() {
        return ui.say("it is already being reloaded");
    }
    if ui.loading.is_some() {
        return ui.say("another source is being opened");
    }
    ui.watch.is_explicit = true;
    read_again(session, ui, None, None);
}

/// Reads the source of the tree on the screen again, or another dump of its series, unless its files still have the
/// given states. A reading in progress is stopped.
fn read_again(session: &Session, ui: &mut Ui, dump: Option<&Series>, last: Option<FileStates>) {
    let request = session.request();
    let ticket = ui.start(Task::Reload(ReloadTask {
        request: dump.map_or_else(|| request.clone(), |dump| dump.request(request)),
        series: dump.or(session.source.series.as_ref()).cloned(),
        before: Box::new(session.latest().clone()),
        other_scenarios: session.other_scenarios.clone(),
        changes: session.changes,
        file_states: last,
    }));
    ui.watch.asked.begin(ticket, ui.current);
}

/// Replaces the dump on the screen with a later one of its series, or an earlier one if `step` is negative.
pub(crate) fn step_series(session: &mut Session, ui: &mut Ui, step: isize) {
    // A repeated key continues from the dump that is being read.
    let aimed = ui.watch.target.as_ref().or(session.source.series.as_ref());
    let Some(series) = aimed else {
        return ui.fail(NO_SERIES);
    };
    let Some(next) = series.stepped(step) else {
        let which = if step < 0 { "oldest" } else { "newest" };
        let when = series.current().when();
        return ui.say(sentence!("this is the {which} dump, from {when}"));
    };
    read_again(session, ui, Some(&next), None);
    ui.watch.target = Some(next);
}

/// Returns the names of the old and the new dump, or `None` if the reading shows the same dump.
fn stepped(session: &Session, reading: &Reading) -> Option<[Shown; 2]> {
    let was = session.source.series.as_ref()?.current();
    let is = reading.opened.source.series.as_ref()?.current();
    (was != is).then(|| [was, is].map(|dump| sentence!("{}", dump.when())))
}

/// Says that a draft was found. The prompt for opening then suggests its path.
pub(crate) fn offer(ui: &mut Ui, draft: PathBuf) {
    ui.draft = Some(draft);
    offer_draft(ui);
}

/// Offers the draft that was found, if it is not open yet, beside what else is said.
fn offer_draft(ui: &mut Ui) {
    if ui.draft.is_none() {
        return;
    }
    let key = ui.hint(Action::Open);
    let briefly = sentence!("unsaved edits were recovered: {key} opens them");
    ui.notice = Some(match ui.notice.take() {
        None => Notice::Info(sentence!(
            "unsaved edits were recovered from an interrupted session; {key} opens them"
        )),
        Some(Notice::Info(other)) => Notice::Info(sentence!("{briefly} · {other}")),
        Some(Notice::Error(other)) => Notice::Error(sentence!("{briefly} · {other}")),
    });
}

/// Returns the message about refused lines of the user's settings, or `None` if there are none or it was shown before.
fn refusal(ui: &mut Ui) -> Option<Shown> {
    let refused = std::mem::take(&mut ui.options.config.refused);
    let (first, others) = refused.split_first()?;
    Some(match others.len() {
        0 => sentence!("{first}; the default is used"),
        count => {
            let lines = word_for(count, "line was", "lines were");
            sentence!("{first}; the default is used; {count} more {lines} refused, see the shell")
        }
    })
}

/// Makes the edits that give a tree the shares of a file. Returns how much of the file it meets.
fn apply_desired(opened: &mut Opened, file: &DesiredFile) -> Result<Shown, Shown> {
    let drift = Drift::between(&opened.scenario, file);
    let drift = drift.map_err(|error| sentence!("--add-below: {error}"))?;
    opened.scenario.clone_from(&drift.edited);
    opened.source.problems.append(drift.notes.clone());
    opened.source.problems.append(drift.problems.clone());
    Ok(desired::summary(&drift))
}

/// Prepares a newly opened tree. The tree of a draft has no scenario file, and its edits are unsaved.
fn adopt(mut session: Session, ui: &mut Ui) -> Session {
    if session.scenario_path().is_some() && session.scenario_path() == ui.draft.as_deref() {
        if let Some(draft) = ui.draft.take() {
            ui.queue(Memory::RemoveDraft(draft));
        }
        // No file that the user knows of holds the edits.
        session.file = ScenarioFile::default();
        session.changes += 1;
    }
    let preferred = &ui.options.config.columns;
    session.columns.preferred.clone_from(preferred);
    session.columns.fit(&session.scenario);
    session
}

fn hint_at_series(ui: &Ui, series: &Series) -> Shown {
    let (place, count) = (series.place() + 1, series.dumps().len());
    let [previous, next] = [Action::PreviousDump, Action::NextDump].map(|action| ui.hint(action));
    let history = ui.hint(Action::Timeline);
    sentence!(
        "dump {place} of {count}: {previous} and {next} show the previous and the next, {history} the history of a node"
    )
}
