//! Opening sources, and reading them again on a key or at regular intervals. Only one reading runs at a time. Edits are
//! applied again to the new tree, and a failed reading leaves the screen as it is. Another dump of a series replaces the
//! tree in the same way.
//!
//! A sleeping thread waits between two readings, so the explorer wakes only when the next one is due. The reading
//! thread does all the slow work: it applies the edits again and computes the numbers and the changed ranks.

use super::page;
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
    AnswerPurpose, App, Choice, Dialog, FoundDraft, Item, LoadStatus, Memory, Notice, Reading,
    Reload, ReloadTask, ScenarioFile, Session, Task, Ui, Work,
};
use std::path::PathBuf;

/// Opens a source on a thread. What is open stays until it is read.
pub(crate) fn open(ui: &mut Ui, request: Request) {
    let title = match &request.source {
        SourceKind::Live { scheduler, .. } => sentence!("live {}", scheduler.name()),
        SourceKind::Path { path, .. } => shown(path.as_os_str().as_encoded_bytes()),
        SourceKind::Series(paths) => match paths.first() {
            Some(first) => shown(first.as_os_str().as_encoded_bytes()),
            None => Shown::default(),
        },
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

/// Opens the source of a typed line. An empty line opens nothing.
pub(crate) fn open_typed(ui: &mut Ui, line: &str) {
    if line.is_empty() {
        return;
    }
    open(ui, Request::to_open(ui.path(line)));
    if let Some(loading) = &mut ui.loading {
        loading.typed = Some(line.to_owned());
    }
}

/// Says why a source could not be opened, and asks which of its clusters is meant, once no dialog is open.
pub(crate) fn ask_for_cluster(ui: &mut Ui, reason: Shown, names: Vec<Shown>) {
    ui.clusters_of = ui.watch.unopened.take();
    forget_load(ui);
    ui.fail(reason);
    let mut items = Vec::new();
    for name in names {
        items.push(Item::new(Choice::Cluster, name, ""));
    }
    let menu = Dialog::menu("Cluster to open", items, None);
    ui.questions.push_back(menu);
}

/// Opens the cluster of that name in the source that has several.
pub(crate) fn open_cluster(ui: &mut Ui, name: &Shown) {
    let Some(mut request) = ui.clusters_of.take() else {
        return;
    };
    let cluster = read_back(name.as_bytes());
    request.cluster = Some(String::from_utf8_lossy(&cluster).into_owned());
    open(ui, request);
}

/// Forgets what is being opened, and what was to be done with it.
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
    if request.is_standard_input() || is_example(path) {
        return None;
    }
    if ui.is_draft(path) || ui.options.recent.is_none() {
        return None;
    }
    Some(recent::kept(&ui.options.folder, path))
}

/// Remembers the source that was opened, for the list of recent ones.
fn remember(ui: &mut Ui) {
    if let Some(request) = &ui.watch.unopened
        && let Some(source) = kept_source(ui, request)
    {
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
        let mut desired = None;
        if let Some(file) = ui.options.desired.take() {
            desired = Some(apply_desired(&mut opened, &file));
        }
        let mut session = adopt(Session::new(opened), ui);
        if lesson.is_none() {
            show_its_columns(&mut session);
        }
        if let Some(source) = kept_source(ui, session.request()) {
            ui.queue(Memory::Recall(source));
        }
        if desired.is_some() {
            // No file holds these edits.
            session.file.versions = None;
        }
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
            self.in_tree(|session, ui| page::open_named_user(session, ui, user.as_encoded_bytes()));
        } else if let Some(news) = self.news_of_loaded(desired) {
            self.ui.notice = Some(news);
            offer_draft(&mut self.ui);
        }
        self.wait_to_read();
    }

    /// Returns what to say of a tree that was just opened, the most important alone; `None` if there is nothing.
    fn news_of_loaded(&mut self, desired: Option<Result<Shown, Shown>>) -> Option<Notice> {
        if let Some(refusal) = refusal(&mut self.ui) {
            return Some(Notice::Error(refusal));
        }
        match desired {
            Some(Ok(summary)) => return Some(Notice::Info(summary)),
            Some(Err(reason)) => return Some(Notice::Error(reason)),
            None => {}
        }
        let source = &self.session()?.source;
        if let Some(series) = &source.series {
            return Some(Notice::Info(hint_at_series(&self.ui, series)));
        }
        let problems = source.problems.count();
        if problems == 0 {
            return None;
        }
        let key = self.ui.hint(Action::Problems);
        let noun = word_for(problems, "problem", "problems");
        Some(Notice::Info(sentence!("{problems} {noun}: press {key}")))
    }

    /// Shows the open tree of a built-in example, or opens it if it is not open.
    pub(crate) fn open_example(&mut self, example: Example) {
        let request = Request::to_open(example.source());
        for (place, session) in self.sessions.iter().enumerate() {
            if session.request().path() == request.path() {
                self.ui.current = place;
                self.ui.close_pages();
                return self.ui.say("it is open already");
            }
        }
        open(&mut self.ui, request);
    }

    /// Shows the next open tree. The first follows the last.
    pub(crate) fn next_tree(&mut self) {
        if self.sessions.len() > 1 {
            self.ui.current = (self.ui.current + 1) % self.sessions.len();
        } else {
            self.ui.say("only one tree is open");
        }
    }

    /// Says why a source could not be opened. The first one is tried again after the interval, if it is watched.
    pub(crate) fn fail_to_load(&mut self, reason: Shown) {
        let is_first = self.sessions.is_empty();
        let ui = &mut self.ui;
        ui.lesson = None;
        let mut typed = None;
        if let Some(loading) = ui.loading.take() {
            typed = loading.typed;
        }
        if is_first
            && let Some(request) = &ui.watch.unopened
            && let Some(seconds) = ui.pace(request)
        {
            ui.fail(sentence!("retrying every {seconds} s: {reason}"));
            return self.wait_to_read();
        }
        ui.watch.unopened = None;
        let asked = typed.map(|line| (AnswerPurpose::Open, line));
        ui.refuse_path(asked, reason);
    }

    /// Starts the wait for the next reading if a source is watched and no wait is in progress.
    fn wait_to_read(&mut self) {
        let ui = &self.ui;
        let Some(usual) = ui.options.watch else {
            return;
        };
        if ui.watch.is_waiting {
            return;
        }
        let request = match self.session() {
            Some(session) => Some(session.request()),
            None => ui.watch.unopened.as_ref(),
        };
        let pace = request.and_then(|request| ui.pace(request));
        self.ui.watch.is_waiting = true;
        self.ui.queue(Work::Wait(pace.unwrap_or(usual)));
    }

    /// Reads the source again at the end of a wait, unless a reading is under way, or waits on.
    pub(crate) fn tick(&mut self) {
        let ui = &mut self.ui;
        ui.watch.is_waiting = false;
        if self.sessions.is_empty() && ui.loading.is_none() {
            if let Some(request) = ui.watch.unopened.clone() {
                open(ui, request);
            }
            return;
        }
        let is_reading = ui.watch.asked.about().is_some() || ui.watch.arrived.is_some();
        let is_busy = is_reading || ui.loading.is_some();
        if !is_busy
            && let Some((session, ui)) = self.open_tree()
            && ui.pace(session.request()).is_some()
        {
            let last = session.source.file_states.clone();
            return read_again(session, ui, None, last);
        }
        self.wait_to_read();
    }

    /// Stops the reading in progress, if there is one.
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
        ui.watch.target = None;
        let session = &mut self.sessions[place];
        let before = session.tree().clone();
        let mut since = String::new();
        if let Some(time) = &session.source.read_at {
            since = format!(" since {time}");
        }
        let moved = reading.moves.users;
        let users = counted(moved, "user", "users");
        let step = DumpStep::of(session, &reading);
        let lost = session.adopt(*reading);
        if lost > 0 {
            ui.fail(lost_edits(ui, lost));
        } else if let Some(DumpStep { from, to }) = step {
            ui.say(match moved {
                0 => sentence!("no ranks differ between {from} and {to}"),
                _ => sentence!("{users} changed rank from {from} to {to}"),
            });
        } else if moved > 0 {
            ui.say(sentence!("{users} changed rank{since}"));
        } else if is_explicit {
            ui.say(sentence!("no rank changed{since}"));
        }
        if place == ui.current {
            page::ask_again(session, ui, &before);
        }
    }
}

/// Shows every rule of an example, and says which users have blank cells in the columns.
fn show_its_columns(session: &mut Session) {
    if session.columns.preferred.is_empty() && session.shows_example() {
        // An example belongs to no scheduler, so it shows what each makes of it.
        session.columns.chosen = Some(RuleColumn::EVERY_RULE.to_vec());
    }
    session.tell_blank_cells();
}

/// Returns that so many edits do not fit the tree that was read again.
fn lost_edits(ui: &Ui, count: usize) -> Shown {
    let key = ui.hint(Action::Problems);
    let edits = counted(
        count,
        "edit no longer fits and is",
        "edits no longer fit and are",
    );
    sentence!("{edits} not applied, but kept: {key} lists the reasons")
}

/// Reads the source of the tree on the screen again, or says why it cannot be read now.
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
    let mut request = session.request().clone();
    let mut series = session.source.series.clone();
    if let Some(dump) = dump {
        request = dump.request(&request);
        series = Some(dump.clone());
    }
    let ticket = ui.start(Task::Reload(ReloadTask {
        request,
        series,
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
    let aimed = match &ui.watch.target {
        Some(target) => Some(target),
        None => session.source.series.as_ref(),
    };
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

/// The moments of the dump that was on the screen and of the one that takes its place.
struct DumpStep {
    from: Shown,
    to: Shown,
}

impl DumpStep {
    /// Returns the step that a reading makes, or `None` if it shows the same dump.
    fn of(session: &Session, reading: &Reading) -> Option<Self> {
        let before = session.source.series.as_ref()?.current();
        let after = reading.opened.source.series.as_ref()?.current();
        if before == after {
            return None;
        }
        Some(Self {
            from: sentence!("{}", before.when()),
            to: sentence!("{}", after.when()),
        })
    }
}

/// Says that a draft was found. The key that opens a source then asks what becomes of it.
pub(crate) fn offer(ui: &mut Ui, draft: FoundDraft) {
    ui.draft = Some(draft);
    offer_draft(ui);
}

/// Offers the draft that was found, if it is not open yet, beside what else is said.
fn offer_draft(ui: &mut Ui) {
    let Some(draft) = ui.offered_draft() else {
        return;
    };
    let key = ui.hint(Action::Open);
    let edits = match &ui.notice {
        None => draft.told(),
        Some(_) => draft.edits(),
    };
    let were = draft.were();
    let offered = sentence!("{edits} {were} not saved: {key} opens them");
    ui.notice = Some(match ui.notice.take() {
        None => Notice::Info(offered),
        Some(Notice::Info(other)) => Notice::Info(sentence!("{offered} · {other}")),
        Some(Notice::Error(other)) => Notice::Error(sentence!("{offered} · {other}")),
    });
}

/// Asks what becomes of the draft that was found, or else for a source to open.
pub(crate) fn ask_what_to_open(ui: &mut Ui) {
    let Some(draft) = ui.offered_draft() else {
        return ui.prompt(AnswerPurpose::Open, String::new());
    };
    let key = ui.hint(Action::Open);
    let items = [
        Item::new(Choice::OpenDraft, "open", draft.told()),
        Item::new(
            Choice::DiscardDraft,
            "discard",
            "Delete these edits for good",
        ),
        Item::new(
            Choice::PutOffDraft,
            "later",
            sentence!("Keep them for the next start; {key} opens another tree"),
        ),
    ];
    ui.show(Dialog::menu("Edits that were not saved", items, None));
}

/// Opens the draft that was found.
pub(crate) fn open_draft(ui: &mut Ui) {
    if let Some(draft) = &ui.draft {
        let request = Request::to_open(draft.path.clone());
        open(ui, request);
    }
}

/// Deletes the draft that was found.
pub(crate) fn discard_draft(ui: &mut Ui) {
    if let Some(draft) = ui.draft.take() {
        ui.say(sentence!("{} are discarded", draft.told()));
        ui.queue(Memory::RemoveDraft(draft.path));
    }
}

/// Leaves the draft that was found for the next start.
pub(crate) fn put_off_draft(ui: &mut Ui) {
    ui.is_draft_put_off = true;
    ui.say("they are offered again at the next start");
}

/// Returns the message about refused lines of the user's settings, or `None` if there are none or it was shown before.
fn refusal(ui: &mut Ui) -> Option<Shown> {
    let refused = std::mem::take(&mut ui.options.config.refused);
    let (first, others) = refused.split_first()?;
    let default = sentence!("{first}; the default is used");
    let count = others.len();
    if count == 0 {
        return Some(default);
    }
    let lines = word_for(count, "line was", "lines were");
    Some(sentence!(
        "{default}; {count} more {lines} refused, see the shell"
    ))
}

/// Makes the edits that give a tree the shares of a file. Returns how much of the file it meets.
fn apply_desired(opened: &mut Opened, file: &DesiredFile) -> Result<Shown, Shown> {
    let drift = match Drift::between(&opened.scenario, file) {
        Ok(drift) => drift,
        Err(error) => return Err(sentence!("--add-below: {error}")),
    };
    opened.scenario.clone_from(&drift.edited);
    let problems = &mut opened.source.problems;
    problems.append(drift.notes.clone());
    problems.append(drift.problems.clone());
    Ok(desired::summary(&drift))
}

/// Prepares a newly opened tree. The tree of a draft has no scenario file, and its edits are unsaved.
fn adopt(mut session: Session, ui: &mut Ui) -> Session {
    if let Some(path) = session.scenario_path()
        && ui.is_draft(path)
    {
        if let Some(draft) = ui.draft.take() {
            ui.queue(Memory::RemoveDraft(draft.path));
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

/// Returns which dump of a series is shown, and the keys for the others.
fn hint_at_series(ui: &Ui, series: &Series) -> Shown {
    let place = series.place() + 1;
    let count = series.dumps().len();
    let previous = ui.hint(Action::PreviousDump);
    let next = ui.hint(Action::NextDump);
    let history = ui.hint(Action::Timeline);
    sentence!(
        "dump {place} of {count}: {previous} and {next} show the previous and the next, {history} the history of a node"
    )
}
