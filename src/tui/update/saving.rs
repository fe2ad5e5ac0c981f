//! Saving scenarios and noting which of their edits are saved.

use crate::base::save::Fingerprint;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{Request, Series, is_example};
use crate::tui::page::content::Subject;
use crate::tui::picture::PictureForm;
use crate::tui::state::session::versions;
use crate::tui::state::{
    AnswerPurpose, App, Confirm, Dialog, Effect, Overwrite, Session, Ui, Work,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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
        let sessions = self.sessions.iter();
        let requests = sessions.map(|session| session.request().clone());
        let sessions = self.sessions.iter();
        let series = sessions.flat_map(|session| &session.source.series);
        let dumps = series.flat_map(Series::dumps).map(|dump| &dump.path);
        let compared = match self.ui.page.as_ref().map(|open| &open.subject) {
            Some(Subject::Diff(path)) => Some(path),
            _ => None,
        };
        let others = dumps.chain(compared).map(Request::to_open);
        requests.chain(others).collect()
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
        let own = session.file.seen.filter(|_| is_own);
        let overwrite = own.map_or(Overwrite::Never, Overwrite::IfUnchanged);
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
        let is_meant = |session: &Session| match question {
            Confirm::Quit => session.has_unsaved_edits(),
            Confirm::Replace(path, _) | Confirm::Changed(path, _) => session.is_writing(path),
            _ => false,
        };
        if self.session().is_some_and(is_meant) {
            return;
        }
        if let Some(place) = self.sessions.iter().position(is_meant) {
            self.ui.close_pages();
            self.ui.current = place;
        }
    }

    pub(crate) fn ask_where_to_save_screen(&mut self) {
        let suggested = self.session().map(|session| suggested_path(session, "svg"));
        let path = suggested.unwrap_or_else(|| "screen.svg".into());
        self.ui
            .prompt(AnswerPurpose::SaveScreen, self.ui.line(&path));
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
        let said = sentence!("saved {}", shown(path.as_os_str().as_encoded_bytes()));
        let mut sessions = self.sessions.iter_mut();
        if let Some(session) = sessions.find(|session| session.is_writing(&path)) {
            session.note_saved(path, seen);
        }
        self.ui.say(said);
        let asks_to_quit = matches!(self.ui.dialog, Some(Dialog::Confirm(Confirm::Quit)));
        if asks_to_quit && self.unsaved_count() == 0 {
            // What the question was about is saved by now.
            self.ui.dialog = None;
            self.ui.queue(Effect::Quit);
        }
    }

    /// Says that the draft of a tree could not be removed, and that its edits are saved if they are.
    pub(crate) fn note_draft_left(&mut self, place: usize, draft: &Path, reason: &str) {
        let text = |path: &Path| shown(path.as_os_str().as_encoded_bytes());
        let session = self.sessions.get(place);
        let saved = session.filter(|session| session.has_edits() && !session.has_unsaved_edits());
        let left = sentence!(
            "the draft {} could not be removed: {reason}; remove it, or it is offered at the next start",
            text(draft)
        );
        self.ui.say(match saved.and_then(Session::scenario_path) {
            Some(path) => sentence!("saved {}, but {left}", text(path)),
            None => left,
        });
    }
}

/// Returns a file name with that ending, derived from the source of a tree, whose own files it spares.
fn suggested_path(session: &Session, ending: &str) -> PathBuf {
    let source = session.request().path();
    let title = match source.to_str() {
        // The part after the colon is the name.
        Some(example) if example.contains(':') && is_example(source) => {
            example.split_once(':').map_or(example, |(_, name)| name)
        }
        _ => &session.scenario.base().source.title,
    };
    // A blank would have to be quoted in a shell.
    let title = title.replace(['/', '\0'], "_").replace(' ', "-");
    let stem = Path::new(&title).file_stem();
    let stem = stem.map_or_else(|| "tree".into(), OsStr::to_string_lossy);
    let more = &session.request().source.more();
    let files = more.iter().map(PathBuf::as_path).chain([source]);
    let taken: Vec<_> = files.filter_map(Path::file_name).collect();
    let names = (1..).map(|number| match number {
        1 => format!("{stem}.{ending}"),
        _ => format!("{stem}-{number}.{ending}"),
    });
    let mut free = names.skip_while(|name| taken.contains(&OsStr::new(name)));
    let free = free.next();
    PathBuf::from(free.expect("the names are endless, and those taken are not"))
}
