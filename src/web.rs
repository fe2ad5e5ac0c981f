//! The explorer in a page: what the page was told goes in, and the cells of the screen come out as text.
//!
//! It is the explorer without a terminal, with files that the page was given. It has no clock: the page tells the time,
//! and asks when something happens by itself. Nothing leaves it but what the page takes.

use crate::base::disk;
use crate::base::shown::Shown;
use crate::format::example::Example;
use crate::format::{Request, SourceKind};
use crate::tui::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use crate::tui::picture::{PictureForm, Run, rows, runs};
use crate::tui::script::{Script, ScriptEvent};
use crate::tui::{Delivery, Headless, Message, Now, Options};
use ratatui::layout::{Position, Size};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wasm_bindgen::prelude::wasm_bindgen;

/// What stands between two rows, runs and facts of a frame. None of them can stand in a cell.
const BETWEEN_ROWS: char = '\n';
const BETWEEN_RUNS: char = '\u{1e}';
const BETWEEN_FACTS: char = '\u{1f}';

/// The explorer of a page.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PageExplorer {
    explorer: Headless,
    /// The paths of the files that will be opened.
    given: Vec<PathBuf>,
    deliveries: Vec<Delivery>,
}

/// What a page takes from the explorer.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Taken {
    /// The name of the file; `None` for text that is copied.
    name: Option<String>,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Taken {
    /// Returns the name of the file; nothing for text that is copied.
    pub fn name(&self) -> Option<String> {
        self.name.clone()
    }

    /// Returns the bytes of the file or the text.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }
}

#[wasm_bindgen]
impl PageExplorer {
    /// Returns an explorer on a screen of so many cells, in the theme of that name, with nothing open.
    #[wasm_bindgen(constructor)]
    pub fn new(width: u16, height: u16, theme: Option<String>) -> Self {
        let options = Options {
            theme,
            ..Options::default()
        };
        Self {
            explorer: Headless::new(options, Size::new(width, height)).delivering(),
            given: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    /// Tells the time: the milliseconds since the start, the time of day as it is shown, and the time in Unix seconds.
    pub fn tell_time(&mut self, since_start: f64, time_of_day: String, unix_seconds: f64) {
        self.explorer.set_time_of_day(Now {
            time_of_day,
            unix_seconds: Some(whole_seconds(unix_seconds)),
        });
        self.explorer.pass(time(since_start));
    }

    /// Returns how many milliseconds after the start something happens by itself; nothing if nothing will.
    pub fn next_change(&self) -> Option<f64> {
        let moment = self.explorer.next_change()?;
        Some(moment.as_secs_f64() * 1000.0)
    }

    /// Takes a file, to be opened together with the others. The time is in Unix seconds.
    pub fn give(&mut self, name: &str, bytes: Vec<u8>, modified: f64) {
        let path = PathBuf::from(name);
        disk::keep(&path, bytes, whole_seconds(modified));
        self.given.push(path);
    }

    /// Opens the files that were given, as one tree; a folder if that is the one they share. Returns why it cannot.
    pub fn open(&mut self) -> Option<String> {
        let mut given = std::mem::take(&mut self.given);
        let source = match shared_folder(&given) {
            Some(folder) => SourceKind::path(folder),
            None if given.is_empty() => SourceKind::default(),
            None => {
                let path = given.remove(0);
                SourceKind::Path { path, more: given }
            }
        };
        self.begin(Request {
            source,
            ..Request::default()
        })
    }

    /// Opens the built-in tree of that name; the first one if there is no such name. Returns why it cannot.
    pub fn open_example(&mut self, name: &str) -> Option<String> {
        match Example::named(name) {
            Some(example) => self.begin(Request::to_open(example.source())),
            None => reason(self.explorer.open(None)),
        }
    }

    /// Presses a key, by the name that a browser gives it, with modifiers: 1 is shift, 2 control, 4 alt. Returns whether
    /// the explorer knows such a key.
    pub fn key(&mut self, name: &str, modifiers: u8) -> bool {
        let Some(code) = code_of(name) else {
            return false;
        };
        let held = modifiers_of(modifiers);
        let key = match code {
            // A character is typed with its shift.
            KeyCode::Char(_) => KeyEvent::new(code, held - KeyModifiers::SHIFT),
            KeyCode::Tab if held.contains(KeyModifiers::SHIFT) => {
                KeyEvent::new(KeyCode::BackTab, held)
            }
            _ => KeyEvent::new(code, held),
        };
        self.explorer.apply(&ScriptEvent::Key(key));
        true
    }

    /// Uses the mouse at a cell: `down`, `drag`, `up`, `wheel-up`, `wheel-down` or `double`. Returns whether there is
    /// such a use.
    pub fn mouse(&mut self, kind: &str, column: u16, row: u16, modifiers: u8) -> bool {
        let kind = match kind {
            "down" => MouseEventKind::Down(MouseButton::Left),
            "drag" => MouseEventKind::Drag(MouseButton::Left),
            "up" => MouseEventKind::Up(MouseButton::Left),
            "wheel-up" => MouseEventKind::ScrollUp,
            "wheel-down" => MouseEventKind::ScrollDown,
            "double" => {
                let at = Position::new(column, row);
                self.explorer.apply(&ScriptEvent::DoubleClick(at));
                return true;
            }
            _ => return false,
        };
        self.explorer.apply(&ScriptEvent::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: modifiers_of(modifiers),
        }));
        true
    }

    /// Pastes a text.
    pub fn paste(&mut self, text: String) {
        self.explorer.apply(&ScriptEvent::Paste(text));
    }

    /// Gives the screen another size.
    pub fn resize(&mut self, width: u16, height: u16) {
        let size = Size::new(width, height);
        self.explorer.apply(&ScriptEvent::Resize(size));
    }

    /// Plays a script as `fairscope screenshot --keys` does. Returns why it cannot.
    pub fn play(&mut self, script: &str) -> Option<String> {
        match Script::parse(script) {
            Ok(script) => {
                self.explorer.play(&script);
                None
            }
            Err(reason) => Some(reason.into()),
        }
    }

    /// Returns the screen: rows of runs, each with its number of cells, the colours of its characters and behind them, its
    /// modifiers, and its characters. A missing colour is that of the paper.
    pub fn frame(&self) -> String {
        let paper = self.explorer.paper();
        let mut frame = String::new();
        for (row, cells) in rows(self.explorer.screen()).enumerate() {
            if row > 0 {
                frame.push(BETWEEN_ROWS);
            }
            for (place, run) in runs(cells, &paper).iter().enumerate() {
                if place > 0 {
                    frame.push(BETWEEN_RUNS);
                }
                write_run(&mut frame, run, &paper.ink);
            }
        }
        frame
    }

    /// Returns the characters of the screen, as `fairscope screenshot -o text` prints them.
    pub fn text(&self) -> String {
        self.explorer.picture(PictureForm::Text)
    }

    /// Returns the colour of plain text.
    pub fn ink(&self) -> String {
        self.explorer.paper().ink
    }

    /// Returns the colour of the background.
    pub fn ground(&self) -> String {
        self.explorer.paper().ground
    }

    /// Returns the column and the row of the text cursor; nothing if it is hidden.
    pub fn cursor(&self) -> Option<Vec<u16>> {
        let (column, row) = self.explorer.cursor()?;
        Some(vec![column, row])
    }

    /// Takes the next text to be copied, or the next file to be kept; nothing if there is none.
    pub fn take(&mut self) -> Option<Taken> {
        self.deliveries.extend(self.explorer.take_deliveries());
        if self.deliveries.is_empty() {
            return None;
        }
        Some(match self.deliveries.remove(0) {
            Delivery::Copied(text) => Taken {
                name: None,
                bytes: text.into_bytes(),
            },
            Delivery::File(path, bytes) => Taken {
                name: Some(download_name(&path)),
                bytes,
            },
        })
    }

    /// Returns whether the explorer was left.
    pub fn has_quit(&self) -> bool {
        self.explorer.has_quit()
    }
}

impl PageExplorer {
    /// Opens a source. Returns why it cannot.
    fn begin(&mut self, request: Request) -> Option<String> {
        reason(self.explorer.begin(Message::Open(Box::new(request))))
    }
}

/// Returns why something failed; `None` if it did not.
fn reason(done: Result<(), Shown>) -> Option<String> {
    match done {
        Ok(()) => None,
        Err(reason) => Some(reason.into()),
    }
}

/// Returns the folder of several files that all stand in it or below, or `None` if they share none.
fn shared_folder(paths: &[PathBuf]) -> Option<PathBuf> {
    let (first, others) = paths.split_first()?;
    let mut steps = first.components();
    let folder = PathBuf::from(steps.next()?.as_os_str());
    steps.next()?;
    for path in others {
        if !path.starts_with(&folder) {
            return None;
        }
    }
    Some(folder)
}

/// Returns the name under which a page keeps a file.
fn download_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => "fairscope".to_owned(),
    }
}

/// Writes the facts of a run.
fn write_run(frame: &mut String, run: &Run, ink: &str) {
    let written = if run.look.ink == ink {
        ""
    } else {
        &run.look.ink
    };
    let ground = run.look.ground.as_deref().unwrap_or_default();
    let modifier = run.look.modifier.bits();
    let Run { length, text, .. } = run;
    write!(
        frame,
        "{length}{BETWEEN_FACTS}{written}{BETWEEN_FACTS}{ground}{BETWEEN_FACTS}{modifier}{BETWEEN_FACTS}{text}"
    )
    .expect("a text takes what is written");
}

/// Returns the time since the start.
fn time(milliseconds: f64) -> Duration {
    Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default()
}

/// Returns seconds without their fraction.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what does not fit becomes the last moment that does"
)]
const fn whole_seconds(seconds: f64) -> i64 {
    seconds as i64
}

/// Returns modifiers by their bits.
fn modifiers_of(bits: u8) -> KeyModifiers {
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::CONTROL),
        (4, KeyModifiers::ALT),
    ] {
        if bits & bit != 0 {
            modifiers.insert(modifier);
        }
    }
    modifiers
}

/// Returns the key of the name that a browser gives it: a character, or a word such as `ArrowUp`.
fn code_of(name: &str) -> Option<KeyCode> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return Some(KeyCode::Char(character));
    }
    Some(match name {
        "ArrowUp" => KeyCode::Up,
        "ArrowDown" => KeyCode::Down,
        "ArrowLeft" => KeyCode::Left,
        "ArrowRight" => KeyCode::Right,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Insert" => KeyCode::Insert,
        "Delete" => KeyCode::Delete,
        "Backspace" => KeyCode::Backspace,
        "Enter" => KeyCode::Enter,
        "Tab" => KeyCode::Tab,
        "Escape" => KeyCode::Esc,
        _ => KeyCode::F(name.strip_prefix('F')?.parse().ok()?),
    })
}
