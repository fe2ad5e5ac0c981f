//! The list above the prompt for a source: it follows the line, and its rows are chosen with keys or the mouse.

use crate::tui::input::event::{KeyCode, KeyEvent};
use crate::tui::recent;
use crate::tui::state::picker::split;
use crate::tui::state::{App, Catalog, Completion, Dialog, PAGE, Picker, Task, Ui};
use crate::tui::update::layers::is_control;
use ratatui::layout::Position;
use std::path::{Path, PathBuf};
use tui_input::Input;

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
        let picker = match before {
            Some(mut picker) => {
                if picker.path != path {
                    picker.here = list(&mut self.ui, &path);
                }
                if picker.line != line {
                    picker.chosen = None;
                }
                Picker {
                    line,
                    path,
                    ..picker
                }
            }
            None => Picker {
                here: list(&mut self.ui, &path),
                line,
                path,
                recent: self.list_recent(),
                chosen: None,
            },
        };
        self.ui.picker = Some(picker);
    }

    /// Lets a thread list the sources that were opened last, but those that are open. `None` if no file keeps them.
    fn list_recent(&mut self) -> Option<Catalog> {
        let file = self.ui.options.recent.clone()?;
        let folder = &self.ui.options.folder;
        let mut open = Vec::new();
        for session in &self.sessions {
            let path = match session.scenario_path() {
                Some(scenario) => scenario,
                None => session.request().path(),
            };
            open.push(recent::kept(folder, path));
        }
        Some(Catalog::new(self.ui.start(Task::Recent(file, open))))
    }

    /// Handles a key of the list. Returns whether it was one.
    pub(crate) fn press_in_picker(&mut self, event: KeyEvent) -> bool {
        let page = PAGE.cast_signed();
        match event.code {
            KeyCode::Up => self.move_in_picker(-1),
            KeyCode::Down => self.move_in_picker(1),
            KeyCode::PageUp => self.move_in_picker(-page),
            KeyCode::PageDown => self.move_in_picker(page),
            KeyCode::Tab => self.complete_source(),
            KeyCode::Right => return self.is_at_end() && self.enter_directory(),
            KeyCode::Enter => return self.open_row(),
            KeyCode::Char('p') if is_control(event, 'p') => self.move_in_picker(-1),
            KeyCode::Char('n') if is_control(event, 'n') => self.move_in_picker(1),
            KeyCode::Char('/') if !is_control(event, '/') => {
                return self.has_chosen() && self.enter_directory();
            }
            _ => return false,
        }
        true
    }

    /// Chooses another row. Headings are passed over.
    pub(crate) fn move_in_picker(&mut self, by: isize) {
        let Some(picker) = &self.ui.picker else {
            return;
        };
        let mut rows = picker.rows(&self.ui);
        rows.retain(|row| !row.is_heading());
        let last = rows.len().saturating_sub(1);
        let place = match picker.cursor(&rows) {
            Some(place) => place.saturating_add_signed(by).min(last),
            None => 0,
        };
        let chosen = rows.get(place).map(|row| row.line.clone());
        self.choose_completion(chosen);
    }

    /// Opens the row at a position. A heading cannot be opened.
    pub(crate) fn click_in_picker(&mut self, at: Position) {
        let Some(picker) = &self.ui.picker else {
            return;
        };
        let rows = picker.rows(&self.ui);
        let cursor = picker.cursor(&rows).unwrap_or(0);
        let clicked = self.ui.drawn.borrow().row_of_list(cursor, at);
        if let Some(row) = clicked.and_then(|place| rows.get(place))
            && !row.is_heading()
        {
            self.choose_completion(Some(row.line.clone()));
            self.open_row();
        }
    }

    /// Returns whether a row was chosen, so that the line may mean something else.
    fn has_chosen(&self) -> bool {
        match &self.ui.picker {
            Some(picker) => picker.chosen.is_some(),
            None => false,
        }
    }

    /// Puts the cursor on the row of that line; `None` leaves it to what is typed.
    fn choose_completion(&mut self, chosen: Option<String>) {
        if let Some(picker) = &mut self.ui.picker {
            picker.chosen = chosen;
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
        match self.row_under_cursor() {
            Some(row) if row.is_directory => {
                self.type_line(in_directory(row.line));
                true
            }
            _ => false,
        }
    }

    /// Completes the line: up to the point where the names differ, or else by the row under the cursor.
    fn complete_source(&mut self) {
        let Some(picker) = &self.ui.picker else {
            return;
        };
        if picker.chosen.is_none()
            && let Some(line) = picker.common_line(&self.ui)
        {
            self.type_line(line);
        } else if !self.enter_directory()
            && let Some(row) = self.row_under_cursor()
        {
            self.type_line(row.line);
        }
    }

    /// Returns the row under the cursor; `None` in an empty list.
    fn row_under_cursor(&self) -> Option<Completion> {
        let picker = self.ui.picker.as_ref()?;
        let mut rows = picker.rows(&self.ui);
        let place = picker.cursor(&rows)?;
        Some(rows.swap_remove(place))
    }

    /// Returns whether the text cursor is behind the line, where its key can mean something else.
    fn is_at_end(&self) -> bool {
        let Some(Dialog::Prompt(prompt)) = &self.ui.dialog else {
            return false;
        };
        let length = prompt.input.value().chars().count();
        prompt.input.cursor() == length
    }

    /// Replaces the line of the prompt.
    fn type_line(&mut self, line: String) {
        if let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog {
            prompt.input = Input::new(line);
            prompt.error = None;
            prompt.is_fresh = false;
        }
    }
}

/// Lets a thread list a directory.
fn list(ui: &mut Ui, path: &Path) -> Catalog {
    Catalog::new(ui.start(Task::Folder(path.to_owned())))
}

/// Returns the directory that a line leads into.
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
