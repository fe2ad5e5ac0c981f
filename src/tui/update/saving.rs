//! Saving scenarios and noting which of their edits are saved.

use crate::base::fingerprint::Fingerprint;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{Request, is_example};
use crate::tui::page::content::Subject;
use crate::tui::picture::PictureForm;
use crate::tui::state::session::versions;
use crate::tui::state::{
    AnswerPurpose, App, Confirm, Dialog, Effect, Overwrite, Session, Ui, Work,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Asks for the file that the scenarios are saved to. The prompt suggests that of the last time, or one named like the
/// tree.
pub(crate) fn ask_where_to_save(session: &mut Session, ui: &mut Ui) {
    if !session.has_edits() && session.scenario_path().is_none() {
        return ui.say("nothing to save: there are no edits");
    }
    let line = match session.scenario_path() {
        Some(path) => ui.line(path),
        None => ui.line(&suggested_path(session, "scenario.toml")),
    };
    ui.prompt(AnswerPurpose::Save, line);
}

impl App {
    /// Returns all open sources. Their files are never written to.
    pub(crate) fn sources(&self) -> Vec<Request> {
        let mut sources = Vec::new();
        for session in &self.sessions {
            sources.push(session.request().clone());
            if let Some(series) = &session.source.series {
                for dump in series.dumps() {
                    sources.push(Request::to_open(&dump.path));
                }
            }
        }
        if let Some(open) = &self.ui.page
            && let Subject::Diff(path) = &open.subject
        {
            sources.push(Request::to_open(path));
        }
        sources
    }

    pub(crate) fn save(&mut self, path: PathBuf) {
        let sources = self.sources();
        let Some((session, ui)) = self.open_tree() else {
            return;
        };
        if path.as_os_str().is_empty() {
            return ui.fail("no file name given; nothing was saved");
        }
        let is_own = session.scenario_path() == Some(&path);
        if is_own && !session.file.unread.is_empty() {
            let unread = session.file.unread.clone();
            return ui.ask(Confirm::Unread(path, unread));
        }
        // A nudge after saving is a new edit.
        session.scenario.end_nudges();
        let contents = session.scenario_text(&path, &ui.options.folder);
        let overwrite = match session.file.seen {
            Some(seen) if is_own => Overwrite::IfUnchanged(seen),
            _ => Overwrite::Never,
        };
        session.file.under_way = Some((path.clone(), versions(session.scenarios())));
        ui.queue(Work::Save {
            path,
            contents,
            overwrite,
            sources,
        });
    }

    /// Shows the tree whose edits a question is about, unless it is on the screen.
    pub(crate) fn show_tree_of(&mut self, question: &Confirm) {
        if let Some(session) = self.session()
            && is_about(question, session)
        {
            return;
        }
        for (place, session) in self.sessions.iter().enumerate() {
            if is_about(question, session) {
                self.ui.close_pages();
                self.ui.current = place;
                return;
            }
        }
    }

    /// Asks for the file that a picture of the screen is saved to.
    pub(crate) fn ask_where_to_save_screen(&mut self) {
        let path = match self.session() {
            Some(session) => suggested_path(session, "svg"),
            None => "screen.svg".into(),
        };
        let line = self.ui.line(&path);
        self.ui.prompt(AnswerPurpose::SaveScreen, line);
    }

    /// Saves the screen, as it is without the prompt, in a new file of the form that its ending asks for.
    pub(crate) fn save_screen(&mut self, path: PathBuf) -> Result<(), Shown> {
        let form = PictureForm::of_file(&path)?;
        let sources = self.sources();
        self.ui.queue(Effect::SaveScreen(path, form, sources));
        Ok(())
    }

    /// Notes that a file was saved, even if another tree is on the screen now.
    pub(crate) fn note_saved(&mut self, path: PathBuf, seen: Option<Fingerprint>) {
        self.ui.say(sentence!("saved {}", shown_of(&path)));
        for session in &mut self.sessions {
            if session.is_writing(&path) {
                session.note_saved(path, seen);
                break;
            }
        }
        let asks_to_quit = matches!(self.ui.dialog, Some(Dialog::Confirm(Confirm::Quit)));
        if asks_to_quit && self.unsaved_count() == 0 {
            // What the question was about is saved by now.
            self.ui.dialog = None;
            self.ui.queue(Effect::Quit);
        }
    }

    /// Says that the draft of a tree could not be removed, and that its edits are saved if they are.
    pub(crate) fn note_draft_left(&mut self, place: usize, draft: &Path, reason: &str) {
        let mut said = sentence!(
            "the draft {} could not be removed: {reason}; remove it, or it is offered at the next start",
            shown_of(draft)
        );
        if let Some(session) = self.sessions.get(place)
            && let Some(path) = session.scenario_path()
            && session.has_edits()
            && !session.has_unsaved_edits()
        {
            said = sentence!("saved {}, but {said}", shown_of(path));
        }
        self.ui.say(said);
    }
}

/// Returns a path as sentences name it.
fn shown_of(path: &Path) -> Shown {
    shown(path.as_os_str().as_encoded_bytes())
}

/// Returns whether a question is about the edits of a tree.
fn is_about(question: &Confirm, session: &Session) -> bool {
    match question {
        Confirm::Quit => session.has_unsaved_edits(),
        Confirm::Replace(path, _) | Confirm::Changed(path, _) => session.is_writing(path),
        Confirm::Unread(..) | Confirm::RemoveScenario | Confirm::RemoveNodes(_) => false,
    }
}

/// Returns a file name with that ending, derived from the source of a tree, whose own files it spares.
fn suggested_path(session: &Session, ending: &str) -> PathBuf {
    let name = name_of_file(session);
    let stem = match Path::new(&name).file_stem() {
        Some(stem) => stem.to_string_lossy(),
        None => "tree".into(),
    };
    let mut free = format!("{stem}.{ending}");
    let mut number = 1;
    while is_file_of(session, &free) {
        number += 1;
        free = format!("{stem}-{number}.{ending}");
    }
    free.into()
}

/// Returns the title of a source, or the name of an example, as a shell takes it without quotes.
fn name_of_file(session: &Session) -> String {
    let mut title = &*session.scenario.base().source.title;
    let source = session.request().path();
    if let Some(example) = source.to_str()
        && is_example(source)
        && let Some((_, name)) = example.split_once(':')
    {
        // The part after the colon is the name.
        title = name;
    }
    title.replace(['/', '\0'], "_").replace(' ', "-")
}

/// Returns whether a file of the source of a tree has this name.
fn is_file_of(session: &Session, name: &str) -> bool {
    let request = session.request();
    let name = Some(OsStr::new(name));
    if request.path().file_name() == name {
        return true;
    }
    for path in request.source.more() {
        if path.file_name() == name {
            return true;
        }
    }
    false
}
