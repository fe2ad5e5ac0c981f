//! Opening sources, and offering unsaved edits of an earlier run.

use crate::base::number::word_for;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{Example, Progress, Request, Series, is_example};
use crate::open::example;
use crate::open::opened::Opened;
use crate::tui::input::action::Action;
use crate::tui::recent;
use crate::tui::state::{App, Effect, LoadStatus, Session, Ui};
use std::path::PathBuf;

pub(crate) fn open(ui: &mut Ui, request: Request) {
    let title = request.live.map_or_else(
        || {
            let path = request.series.first().unwrap_or(&request.path);
            shown(path.as_os_str().as_encoded_bytes())
        },
        |scheduler| sentence!("live {}", scheduler.name()),
    );
    let progress = Progress {
        file: title.clone(),
        ..Progress::default()
    };
    ui.loading = Some(LoadStatus { title, progress });
    ui.watch.unopened = Some(request.clone());
    ui.queue(Effect::Load(request));
}

pub(crate) fn forget_load(ui: &mut Ui) {
    ui.typed_path = None;
    ui.loading = None;
    ui.watch.unopened = None;
}

/// Notes what was opened among the sources that were opened last, unless it is a draft or has no path.
fn remember(ui: &mut Ui) {
    let Some(Request {
        path, live: None, ..
    }) = &ui.watch.unopened
    else {
        return;
    };
    let is_kept = path.as_os_str() != "-" && !is_example(path) && ui.draft.as_ref() != Some(path);
    if is_kept && ui.options.recent.is_some() {
        let source = recent::kept(&ui.options.folder, path);
        ui.queue(Effect::Remember(source));
    }
}

impl App {
    /// Shows the first built-in example. Its caption and the hints tell how to go on.
    pub(crate) fn show_example(&mut self) {
        let example = Opened::new(example(Example::Site), self.ui.options.policy);
        self.show_loaded(example);
    }

    /// Shows the loaded tree. If a dialog or a page about another tree is open, only announces it.
    pub(crate) fn show_loaded(&mut self, opened: Opened) {
        let ui = &mut self.ui;
        remember(ui);
        forget_load(ui);
        let session = adopt(Session::new(opened), ui);
        let problems = session.source.problems.count();
        let series = session.source.series.clone();
        self.sessions.push(session);
        let is_busy = ui.dialog.is_some() || ui.front_page().is_some();
        if self.sessions.len() > 1 && is_busy {
            let key = ui.hint(Action::NextTree);
            ui.say(sentence!("it is open now: {key} shows it"));
            return self.wait_to_read();
        }
        ui.current = self.sessions.len() - 1;
        if ui.lesson.is_some() {
            return self.stage_lesson();
        }
        if let Some(screen) = ui.options.screen {
            self.go_to_screen(screen);
        }
        let ui = &mut self.ui;
        if let Some(refusal) = refusal(ui) {
            ui.fail(refusal);
        } else if let Some(series) = series {
            ui.say(hint_at_series(ui, &series));
        } else if problems > 0 {
            let key = ui.hint(Action::Problems);
            let noun = word_for(problems, "problem", "problems");
            ui.say(sentence!("{problems} {noun}: press {key}"));
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
}

/// Says that a draft was found. The prompt for opening then suggests its path.
pub(crate) fn offer(ui: &mut Ui, draft: PathBuf) {
    ui.draft = Some(draft);
    let key = ui.hint(Action::Open);
    ui.say(sentence!(
        "unsaved edits were recovered from an interrupted session; {key} opens them"
    ));
}

/// Returns the message about refused lines of the user's settings, or `None` if there are none or it was shown before.
fn refusal(ui: &mut Ui) -> Option<Shown> {
    let refused = std::mem::take(&mut ui.options.refused);
    let (first, others) = refused.split_first()?;
    Some(match others.len() {
        0 => sentence!("{first}; the default is used"),
        count => {
            let lines = word_for(count, "line was", "lines were");
            sentence!("{first}; the default is used; {count} more {lines} refused, see the shell")
        }
    })
}

/// Prepares a newly opened tree. The tree of a draft has no scenario file, and its edits are unsaved.
fn adopt(mut session: Session, ui: &mut Ui) -> Session {
    if session.scenario_path().is_some() && session.scenario_path() == ui.draft.as_deref() {
        if let Some(draft) = ui.draft.take() {
            ui.queue(Effect::RemoveDraft(draft));
        }
        session.note_unsaved();
    }
    session.columns.preferred.clone_from(&ui.options.columns);
    session.columns.fit(&session.scenario);
    session
}

fn hint_at_series(ui: &Ui, series: &Series) -> Shown {
    let key = |action| ui.hint(action);
    sentence!(
        "dump {} of {}: {} and {} show the previous and the next, {} the history of a node",
        series.place() + 1,
        series.dumps().len(),
        key(Action::PreviousDump),
        key(Action::NextDump),
        key(Action::Timeline)
    )
}
