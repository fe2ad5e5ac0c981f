//! What is saved and what is not: the text of a scenario file, and what of it is on the disk already.

use super::App;
use super::dialog::{Confirm, Dialog, Purpose};
use super::message::{Effect, Over};
use super::page::Open;
use super::session::Session;
use crate::base::save::Fingerprint;
use crate::base::shown::shown;
use crate::scenario::Scenario;
use crate::source::format::native::{not_read, write_scenarios};
use crate::source::format::{Problems, Request, SavedScenario, is_example};
use crate::source::opened::saved;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What one state of all scenarios is told from others by: the name of each and the number of its edits.
type Marks = Vec<(String, u64)>;

/// What is on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The file that the scenarios were saved to or opened from.
    path: Option<PathBuf>,
    /// That file as it was then.
    seen: Option<Fingerprint>,
    /// What it holds; nothing where no file the user knows of holds anything.
    marks: Option<Marks>,
    /// What of the file is not read and so would not be written again, as it may be shown; empty where there is nothing.
    unread: String,
    /// What is being written, and where to.
    under_way: Option<(PathBuf, Marks)>,
    /// The number of the snapshot's tree, once it was asked for.
    tree_state: OnceCell<u64>,
}

impl Kept {
    /// What was just opened from a file, or from none.
    pub(super) fn opened<'a>(
        path: Option<PathBuf>,
        seen: Option<Fingerprint>,
        scenarios: impl Iterator<Item = &'a Scenario>,
        problems: &Problems,
    ) -> Self {
        Self {
            unread: path
                .as_deref()
                .map_or_else(String::new, |path| unread(path, problems)),
            path,
            seen,
            marks: Some(marks(scenarios)),
            ..Self::default()
        }
    }

    /// Notes that the snapshot is another one.
    pub(super) fn forget_tree(&mut self) {
        self.tree_state.take();
    }
}

fn marks<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> Marks {
    scenarios
        .map(|scenario| (scenario.name().to_owned(), scenario.history().mark()))
        .collect()
}

impl Session {
    /// Where the scenarios were saved or opened from.
    #[must_use]
    pub fn scenario_path(&self) -> Option<&Path> {
        self.kept.path.as_deref()
    }

    /// Whether closing would lose edits.
    #[must_use]
    pub fn has_unsaved_edits(&self) -> bool {
        self.has_edits() && self.kept.marks.as_ref() != Some(&marks(self.scenarios()))
    }

    /// How many edits the scenarios have in all, those included that are kept though they do not fit.
    pub(super) fn edit_count(&self) -> usize {
        let scenarios = self.scenarios();
        scenarios
            .map(|scenario| scenario.history().done().len() + scenario.unfit().len())
            .sum()
    }

    /// Whether any scenario has edits.
    pub(super) fn has_edits(&self) -> bool {
        self.scenarios()
            .any(|scenario| !scenario.history().is_untouched() || !scenario.unfit().is_empty())
    }

    /// The scenarios as a file that would stand at `path`; relative paths are seen from `folder`.
    #[must_use]
    pub fn scenario_text(&self, path: &Path, folder: &Path) -> String {
        let from_folder = |path: &Path| {
            if is_example(path) {
                path.to_owned()
            } else {
                folder.join(path)
            }
        };
        let mut reference = self.reference.clone();
        let request = &mut reference.request;
        request.path = from_folder(&request.path);
        request.more = request.more.iter().map(|path| from_folder(path)).collect();
        request.config = request.config.as_deref().map(from_folder);
        request.usage = request.usage.as_deref().map(from_folder);
        request.sched_config = request.sched_config.as_deref().map(from_folder);
        request.jobs = request.jobs.as_deref().map(from_folder);
        // A live tree is another one each time.
        let tree_state = request.live.is_none().then(|| {
            let tree = &self.scenario.base().tree;
            *self.kept.tree_state.get_or_init(|| tree.state_hash())
        });
        let scenarios: Vec<SavedScenario> = self.scenarios().map(saved).collect();
        write_scenarios(
            &from_folder(path),
            &reference,
            tree_state,
            &scenarios,
            self.shelf.place(),
        )
    }

    /// The scenarios as a file that may stand anywhere.
    pub(super) fn draft_text(&self, folder: &Path) -> String {
        // From a folder reached by climbing no way leads back, so paths are written from the root.
        self.scenario_text(Path::new("../draft"), folder)
    }

    /// Notes that the edits are in no file that the user knows of.
    pub(super) fn note_unsaved(&mut self) {
        self.kept = Kept::default();
        self.changes += 1;
    }

    /// Notes that the file now holds what was to be written.
    fn note_saved(&mut self, path: PathBuf, seen: Option<Fingerprint>) {
        self.changes += 1;
        let written = self.kept.under_way.take();
        self.kept.marks = written.map(|(_, marks)| marks);
        self.kept.path = Some(path);
        self.kept.seen = seen;
    }
}

impl App {
    pub(super) fn ask_where_to_save(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        if !session.has_edits() && session.scenario_path().is_none() {
            return self.say("nothing to save: there are no edits");
        }
        let path = session.scenario_path().map(Path::to_owned);
        let path = path.unwrap_or_else(|| suggested_path(session));
        self.prompt(Purpose::Save, path.to_string_lossy().into_owned())
    }

    pub(super) fn save(&mut self, path: PathBuf) -> Vec<Effect> {
        let folder = self.options.folder.clone();
        if path.as_os_str().is_empty() {
            return self.fail("no file was named; nothing was saved");
        }
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        let unread = &session.kept.unread;
        if !unread.is_empty() && session.scenario_path() == Some(&path) {
            let unread = unread.clone();
            self.dialog = Some(Dialog::Confirm(Confirm::Unread { path, unread }));
            return Vec::new();
        }
        // What is saved is an edit of its own.
        session.nudged = None;
        let contents = session.scenario_text(&path, &folder);
        let own = session
            .kept
            .seen
            .filter(|_| session.scenario_path() == Some(&path));
        let over = own.map_or(Over::Nothing, Over::Seen);
        self.write(path, contents, over)
    }

    /// Notes that what of the file is not read may go.
    pub(super) fn forget_unread(&mut self) {
        if let Some(session) = self.session_mut() {
            session.kept.unread.clear();
        }
    }

    /// Has a file written that holds the scenarios on the screen as they are now.
    fn write(&mut self, path: PathBuf, contents: String, over: Over) -> Vec<Effect> {
        if let Some(session) = self.session_mut() {
            let marks = marks(session.scenarios());
            session.kept.under_way = Some((path.clone(), marks));
        }
        vec![Effect::Save {
            path,
            contents,
            over,
            sources: self.sources(),
        }]
    }

    /// Everything that is open and was not made here: none of its files is ever written to.
    pub(super) fn sources(&self) -> Vec<Request> {
        let sessions = self.sessions.iter();
        let requests = sessions.map(|session| session.reference.request.clone());
        let series = self.sessions.iter().filter_map(|session| {
            let series = session.series.as_ref()?;
            let requests = series.dumps().iter().map(|dump| Request {
                path: dump.path.clone(),
                ..Request::default()
            });
            Some(requests.collect::<Vec<_>>())
        });
        let compared = self.page.as_ref().and_then(Open::other_file);
        let compared = compared.map(|path| Request {
            path: path.to_owned(),
            ..Request::default()
        });
        requests.chain(series.flatten()).chain(compared).collect()
    }

    /// Notes what was saved, wherever the user is by now.
    pub(super) fn take_saved(&mut self, path: PathBuf, seen: Option<Fingerprint>) -> Vec<Effect> {
        let said = format!("saved {}", shown(path.as_os_str().as_encoded_bytes()));
        let is_writer = |session: &&mut Session| {
            let under_way = session.kept.under_way.as_ref();
            under_way.is_some_and(|(under_way, _)| *under_way == path)
        };
        if let Some(session) = self.sessions.iter_mut().find(is_writer) {
            session.note_saved(path, seen);
        }
        self.say(said)
    }

    /// Asks whether a file may be replaced that turned out to be there, or to be another than it was.
    pub(super) fn ask_to_replace(&mut self, question: Confirm) -> Vec<Effect> {
        self.dialog = Some(Dialog::Confirm(question));
        Vec::new()
    }
}

/// What of a scenario file is not read: keys by their names, all else by its line.
fn unread(path: &Path, problems: &Problems) -> String {
    let file = shown(path.as_os_str().as_encoded_bytes());
    let of_file = problems.list().iter();
    let of_file = of_file.filter(|problem| problem.file == file);
    let parts: Vec<String> = of_file.filter_map(not_read).collect();
    match &parts[..] {
        [parts @ .., last] if !parts.is_empty() => format!("{} and {last}", parts.join(", ")),
        parts => parts.concat(),
    }
}

/// A name for a scenario that has none, after its source.
fn suggested_path(session: &Session) -> PathBuf {
    let source = &session.reference.request.path;
    let title = match source.to_str() {
        // The name after the colon.
        Some(example) if example.contains(':') && is_example(source) => {
            example.split_once(':').map_or(example, |(_, name)| name)
        }
        _ => &session.scenario.base().source.title,
    };
    // A blank would have to be quoted in a shell.
    let title = title.replace(['/', '\0'], "_").replace(' ', "-");
    let stem = Path::new(&title)
        .file_stem()
        .map_or_else(|| "tree".into(), |stem| stem.to_string_lossy());
    let files = [&session.reference.request.path]
        .into_iter()
        .chain(&session.reference.request.more);
    let taken: Vec<_> = files.filter_map(|path| path.file_name()).collect();
    let names = (1..).map(|number| match number {
        1 => format!("{stem}.scenario.toml"),
        _ => format!("{stem}-{number}.scenario.toml"),
    });
    let mut free = names.skip_while(|name| taken.contains(&OsStr::new(name)));
    let name = free
        .next()
        .expect("the names are endless, and those taken are not");
    PathBuf::from(name)
}
