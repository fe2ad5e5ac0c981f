//! The list above the prompt for a source: it follows the line, and its rows are chosen with keys or the mouse.

use crate::base::shown::shown;
use crate::format::is_example;
use crate::open::folder::Content;
use crate::tui::recent;
use crate::tui::state::picker::{shared_beginning, split};
use crate::tui::state::{App, Catalog, Dialog, Picker, Target, Task, Ui};
use crate::tui::update::PAGE;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use tui_input::Input;

/// A row of the list, by the line that names it.
struct Row {
    line: String,
    is_directory: bool,
    is_source: bool,
}

impl App {
    /// Lets the list follow the line of a prompt for a source, and stops its threads once no such prompt is open.
    pub(crate) fn follow_line(&mut self) {
        let before = self.ui.picker.take();
        let line = match &self.ui.dialog {
            Some(Dialog::Prompt(prompt)) if prompt.purpose.is_source() => prompt.input.value(),
            _ => return,
        };
        let line = line.to_owned();
        let path = folder_of(&self.ui, &line);
        let list = |ui: &mut Ui| Catalog::new(ui.start(Task::Folder(path.clone())));
        let mut picker = match before {
            Some(picker) => picker,
            None => Picker {
                line: line.clone(),
                here: list(&mut self.ui),
                path: path.clone(),
                recent: self.list_recent(),
                chosen: None,
            },
        };
        if picker.path != path {
            picker.here = list(&mut self.ui);
            picker.path = path;
        }
        if picker.line != line {
            picker.line = line;
            picker.chosen = None;
        }
        self.ui.picker = Some(picker);
    }

    fn list_recent(&mut self) -> Option<Catalog> {
        let file = self.ui.options.recent.clone()?;
        let folder = &self.ui.options.folder;
        let paths = self
            .sessions
            .iter()
            .map(|session| match session.scenario_path() {
                Some(scenario) => scenario,
                None => session.request().path(),
            });
        let open = paths.map(|path| recent::kept(folder, path)).collect();
        Some(Catalog::new(self.ui.start(Task::Recent(file, open))))
    }

    /// Handles a key of the list. Returns whether it was one.
    pub(crate) fn press_in_picker(&mut self, event: KeyEvent) -> bool {
        let is_control = event.modifiers.contains(KeyModifiers::CONTROL);
        match (event.code, is_control) {
            (KeyCode::Up, _) | (KeyCode::Char('p'), true) => self.move_in_picker(-1),
            (KeyCode::Down, _) | (KeyCode::Char('n'), true) => self.move_in_picker(1),
            (KeyCode::PageUp, _) => self.move_in_picker(-PAGE.cast_signed()),
            (KeyCode::PageDown, _) => self.move_in_picker(PAGE.cast_signed()),
            (KeyCode::Tab, _) => self.complete_source(),
            (KeyCode::Right, _) => return self.is_at_end() && self.enter_directory(),
            (KeyCode::Char('/'), false) => {
                let chosen = self.ui.picker.as_ref().and_then(|picker| picker.chosen);
                return chosen.is_some() && self.enter_directory();
            }
            (KeyCode::Enter, _) => return self.open_row(),
            _ => return false,
        }
        true
    }

    /// Chooses another row. Headings are passed over.
    pub(crate) fn move_in_picker(&mut self, by: isize) {
        let Some(picker) = &mut self.ui.picker else {
            return;
        };
        let mut rows = picker.rows();
        rows.retain(|row| !matches!(row, Target::Heading(_)));
        let last = rows.len().saturating_sub(1);
        let place = picker.cursor(&rows);
        let place = place.map_or(0, |place| place.saturating_add_signed(by).min(last));
        picker.chosen = rows.get(place).copied();
    }

    pub(crate) fn click_in_picker(&mut self, at: Position) {
        let Some(picker) = &mut self.ui.picker else {
            return;
        };
        let rows = picker.rows();
        let cursor = picker.cursor(&rows).unwrap_or(0);
        let Some(place) = self.ui.regions.borrow().row_of_list(cursor, at) else {
            return;
        };
        let row = rows.get(place).copied();
        let row = row.filter(|row| !matches!(row, Target::Heading(_)));
        if row.is_some() {
            picker.chosen = row;
            self.open_row();
        }
    }

    /// Opens the row under the cursor, or lists a directory that is no source. Returns whether there is a row.
    fn open_row(&mut self) -> bool {
        let Some(row) = self.row_under_cursor() else {
            return false;
        };
        if row.is_source || !row.is_directory {
            self.type_line(row.line);
            self.accept();
        } else {
            self.type_line(in_directory(row.line));
        }
        true
    }

    /// Lists the directory under the cursor. Returns whether there is one.
    fn enter_directory(&mut self) -> bool {
        let row = self.row_under_cursor();
        let Some(row) = row.filter(|row| row.is_directory) else {
            return false;
        };
        self.type_line(in_directory(row.line));
        true
    }

    /// Completes the line: up to the point where the names differ, or else by the row under the cursor.
    fn complete_source(&mut self) {
        let Some(picker) = &self.ui.picker else {
            return;
        };
        let common = common_line(&self.ui, picker);
        if let Some(line) = common.filter(|_| picker.chosen.is_none()) {
            self.type_line(line);
        } else if !self.enter_directory()
            && let Some(row) = self.row_under_cursor()
        {
            self.type_line(row.line);
        }
    }

    fn row_under_cursor(&self) -> Option<Row> {
        let picker = self.ui.picker.as_ref()?;
        let rows = picker.rows();
        let row = *rows.get(picker.cursor(&rows)?)?;
        let line = line_of(&self.ui, picker, row);
        // What was typed to its end is opened before somebody has looked at it, too: the same keys must not lead elsewhere
        // where the disk is slow.
        let is_typed = line == picker.line;
        let content = picker.content(row);
        Some(Row {
            line,
            is_directory: picker.is_directory(row),
            is_source: row == Target::Itself || content.map_or(is_typed, Content::is_source),
        })
    }

    /// Returns whether the text cursor is behind the line, where its key can mean something else.
    fn is_at_end(&self) -> bool {
        matches!(&self.ui.dialog, Some(Dialog::Prompt(prompt))
            if prompt.input.cursor() == prompt.input.value().chars().count())
    }

    fn type_line(&mut self, line: String) {
        if let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog {
            prompt.input = Input::new(line);
            prompt.error = None;
            prompt.is_fresh = false;
        }
    }
}

fn folder_of(ui: &Ui, line: &str) -> PathBuf {
    let folder = recent::kept(&ui.options.folder, &ui.path(split(line).0));
    let is_here = folder.as_os_str().is_empty();
    if is_here { ".".into() } else { folder }
}

/// Returns a line that leads into the directory that it names.
fn in_directory(mut line: String) -> String {
    if !line.is_empty() && !line.ends_with('/') {
        line.push('/');
    }
    line
}

fn line_of(ui: &Ui, picker: &Picker, row: Target) -> String {
    let (folder, _) = split(&picker.line);
    match row {
        Target::Heading(_) => picker.line.clone(),
        Target::Example(example) => example.source(),
        Target::Parent => parent_of(ui, folder),
        Target::Itself => match folder.trim_end_matches('/') {
            "" if folder.is_empty() => ".".to_owned(),
            "" | "~" => folder.to_owned(),
            path => path.to_owned(),
        },
        Target::Recent(_) | Target::Entry(_) => match (picker.entry(row), row) {
            (None, _) => String::new(),
            (Some(entry), Target::Recent(_)) => ui.line(Path::new(&entry.name)),
            (Some(entry), _) => joined(ui, folder, entry.name.as_bytes()),
        },
    }
}

/// Returns the line of an entry. A name that means something else where it stands alone begins with `./`.
fn joined(ui: &Ui, folder: &str, name: &[u8]) -> String {
    let path = Path::new(std::ffi::OsStr::from_bytes(name));
    let has_other_meaning = path.as_os_str() == "-" || is_example(path);
    let is_ambiguous = folder.is_empty() && has_other_meaning;
    let start = if is_ambiguous { "./" } else { folder };
    let name = ui.typeable(shown(name).into());
    format!("{start}{name}")
}

fn parent_of(ui: &Ui, folder: &str) -> String {
    let path = folder.trim_end_matches('/');
    let (above, last) = split(path);
    match last {
        "~" if above.is_empty() => {
            let above = ui.options.home.as_deref().and_then(Path::parent);
            ui.line(above.unwrap_or_else(|| Path::new("/")))
        }
        "" | "." => format!("{above}../"),
        ".." => format!("{path}/../"),
        _ => above.to_owned(),
    }
}

/// Returns the line up to the point where the possible names differ. `None` if that is no more than was typed.
fn common_line(ui: &Ui, picker: &Picker) -> Option<String> {
    if picker.is_of_examples() {
        return None;
    }
    let (folder, typed) = split(&picker.line);
    let names = picker.candidates();
    // A single name is completed as its row, with a slash behind that of a directory.
    if typed.is_empty() || names.len() < 2 {
        return None;
    }
    let shared = |common, name| &common[..shared_beginning(common, name)];
    let common = names.into_iter().reduce(shared)?;
    let line = joined(ui, folder, common);
    (line.len() > picker.line.len()).then_some(line)
}
