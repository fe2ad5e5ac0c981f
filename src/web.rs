//! The explorer in a page: what the page was told goes in, and the cells of the screen come out as text.
//!
//! It is the explorer without a terminal, with files that the page was given. It has no clock: the page tells the time,
//! and asks when something happens by itself. Nothing leaves it but what the page takes.

mod keys;
mod memory;
mod work;

use crate::base::disk;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::example::PREFIX as BUILT_IN;
use crate::format::native::EditSummary;
use crate::format::{Format, Request, SourceKind};
use crate::rules::policy::Policy;
use crate::tui::event::{MouseButton, MouseEvent, MouseEventKind};
use crate::tui::picture::{PictureForm, Run, rows, runs};
use crate::tui::script::{Script, ScriptEvent};
use crate::tui::{
    Delivery, FoundDraft, HandedWork, Headless, Memory, Message, Now, Options, Theme,
    built_in_lesson,
};
use keys::{key_of, modifiers_of};
use memory::PageMemory;
use ratatui::layout::{Position, Size};
use serde::Deserialize;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use wasm_bindgen::prelude::wasm_bindgen;
use work::{PageWork, Told};

/// What stands between two rows, runs and facts of a frame. None of them can stand in a cell.
const BETWEEN_ROWS: char = '\n';
const BETWEEN_RUNS: char = '\u{1e}';
const BETWEEN_FACTS: char = '\u{1f}';

/// The size in bytes of the largest file that a page takes: its memory holds the file, the tree and the numbers.
const LARGEST_FILE: f64 = 512.0 * 1024.0 * 1024.0;

/// The folder of all files that a page was given.
const ROOT: &str = "/";

/// The path of a draft that is offered.
const DRAFT: &str = "drafts/kept.toml";

/// The explorer of a page.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PageExplorer {
    explorer: Headless,
    now: Now,
    /// The paths of the files that will be opened.
    given: Vec<PathBuf>,
    memory: PageMemory,
    /// What the page did not take yet.
    taken: VecDeque<Taken>,
    /// The work that the page did not begin yet.
    work: VecDeque<HandedWork>,
    told: Told,
    /// The drafts that an earlier page kept, and that are neither open nor discarded. The first one is offered.
    offered: VecDeque<String>,
    /// How many of them were opened or discarded.
    settled: u64,
    /// The local time at which they were kept.
    kept_at: Shown,
}

/// The tree of a site, which was put into the page together with its files.
#[derive(Deserialize)]
struct SiteTree {
    /// The paths to open, in order.
    open: Vec<PathBuf>,
    policy: Option<String>,
    format: Option<String>,
    cluster: Option<String>,
    #[serde(default)]
    settings: Vec<(String, String)>,
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
            folder: ROOT.into(),
            recent: Some(Path::new(ROOT).join("recent")),
            ..Options::default()
        };
        let now = Now {
            time_of_day: String::new(),
            unix_seconds: None,
        };
        Self {
            explorer: Headless::new(options, Size::new(width, height)).delivering(),
            now,
            given: Vec::new(),
            memory: PageMemory::default(),
            taken: VecDeque::new(),
            work: VecDeque::new(),
            told: Told::default(),
            offered: VecDeque::new(),
            settled: 0,
            kept_at: Shown::default(),
        }
    }

    /// Tells the time: the milliseconds since the start, the time of day as it is shown, and the time in Unix seconds.
    pub fn tell_time(&mut self, since_start: f64, time_of_day: String, unix_seconds: f64) {
        self.now = Now {
            time_of_day,
            unix_seconds: Some(whole_seconds(unix_seconds)),
        };
        self.explorer.set_time_of_day(self.now.clone());
        self.explorer.pass(time(since_start));
        self.settle();
    }

    /// Returns how many milliseconds after the start something happens by itself; nothing if nothing will.
    pub fn next_change(&self) -> Option<f64> {
        let moment = self.explorer.next_change()?;
        Some(moment.as_secs_f64() * 1000.0)
    }

    /// Opens trees under the policy of that name from now on. Returns why it cannot.
    pub fn set_policy(&mut self, name: &str) -> Option<String> {
        match Policy::parse(name) {
            Ok(policy) => {
                self.explorer.set_policy(policy);
                None
            }
            Err(reason) => Some(reason.into()),
        }
    }

    /// Returns why a file of that name and size is not taken; nothing if it is.
    pub fn refusal(name: &str, size: f64) -> Option<String> {
        if size <= LARGEST_FILE {
            return None;
        }
        let name = shown(name.as_bytes());
        let refusal = sentence!(
            "{name} is larger than 512 MiB, too large for a page; open it in the terminal with fairscope"
        );
        Some(refusal.into())
    }

    /// Takes a file, to be opened together with the others. The time is in Unix seconds.
    pub fn give(&mut self, path: &str, bytes: Vec<u8>, modified: f64) {
        self.hold(path, bytes, modified);
        self.given.push(PathBuf::from(path));
    }

    /// Takes a file that other files may name. The time is in Unix seconds.
    pub fn hold(&self, path: &str, bytes: Vec<u8>, modified: f64) {
        disk::keep(Path::new(path), bytes, whole_seconds(modified));
    }

    /// Opens the files that were given, as one tree: a file, or the folder of several.
    pub fn open(&mut self) {
        let given = std::mem::take(&mut self.given);
        let path = match &given[..] {
            [] => return,
            [file] => file.clone(),
            [first, ..] => match shared_folder(&given) {
                Some(folder) => folder,
                None => first.clone(),
            },
        };
        self.send(Message::Open(Box::new(Request::to_open(path))));
    }

    /// Opens the tree that a site put into the page, whose files are held. Returns why it cannot.
    pub fn open_site(&mut self, facts: &str) -> Option<String> {
        let site: SiteTree = match serde_json::from_str(facts) {
            Ok(site) => site,
            Err(error) => return Some(sentence!("the tree of this page: {error}").into()),
        };
        if let Some(policy) = &site.policy
            && let Some(reason) = self.set_policy(policy)
        {
            return Some(reason);
        }
        let mut paths = site.open.into_iter();
        let path = paths.next().unwrap_or_default();
        let more = paths.collect();
        self.begin(Message::Open(Box::new(Request {
            source: SourceKind::Path { path, more },
            format: site.format.as_deref().and_then(Format::named),
            cluster: site.cluster,
            settings: site.settings,
            ..Request::default()
        })))
    }

    /// Opens the built-in tree of that name. Returns why it cannot.
    pub fn open_example(&mut self, name: &str) -> Option<String> {
        let path = format!("{BUILT_IN}{name}");
        self.begin(Message::Open(Box::new(Request::to_open(path))))
    }

    /// Opens the first built-in tree. Returns why it cannot.
    pub fn open_first(&mut self) -> Option<String> {
        self.begin(Message::Example)
    }

    /// Returns whether a tree is open.
    pub fn is_open(&self) -> bool {
        self.explorer.is_open()
    }

    /// Begins the built-in lesson of that name. Returns why it cannot.
    pub fn open_lesson(&mut self, name: &str) -> Option<String> {
        match built_in_lesson(name) {
            Ok(lesson) => self.begin(Message::Lesson(Arc::new(lesson))),
            Err(reason) => Some(reason.into()),
        }
    }

    /// Takes the next work that the explorer waits for; nothing if there is none.
    pub fn take_work(&mut self) -> Option<PageWork> {
        let work = self.work.pop_front()?;
        Some(PageWork::new(work, self.now.clone(), &self.told))
    }

    /// Tells the explorer what its work told.
    pub fn hear(&mut self) {
        let told = std::mem::take(&mut *self.told.borrow_mut());
        for message in told {
            self.send(message);
        }
    }

    /// Presses a key, by the name that a browser gives it, with modifiers: 1 is shift, 2 control, 4 alt. Returns whether
    /// the explorer knows such a key.
    pub fn key(&mut self, name: &str, modifiers: u8) -> bool {
        let Some(key) = key_of(name, modifiers) else {
            return false;
        };
        self.apply(&ScriptEvent::Key(key));
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
                self.apply(&ScriptEvent::DoubleClick(at));
                return true;
            }
            _ => return false,
        };
        self.apply(&ScriptEvent::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: modifiers_of(modifiers),
        }));
        true
    }

    /// Pastes a text where text is being typed.
    pub fn paste(&mut self, text: String) {
        self.apply(&ScriptEvent::Paste(text));
    }

    /// Returns whether text is being typed.
    pub fn is_typing(&self) -> bool {
        self.explorer.is_typing()
    }

    /// Gives the screen another size.
    pub fn resize(&mut self, width: u16, height: u16) {
        let size = Size::new(width, height);
        self.apply(&ScriptEvent::Resize(size));
    }

    /// Plays a script as `fairscope screenshot --keys` does. Returns why it cannot.
    pub fn play(&mut self, script: &str) -> Option<String> {
        let script = match Script::parse(script) {
            Ok(script) => script,
            Err(reason) => return Some(reason.into()),
        };
        let begin = self.explorer.now();
        for step in &script.steps {
            self.pass(begin + step.at);
            self.apply(&step.event);
            self.finish_work();
        }
        self.pass(begin + script.length);
        None
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

    /// Returns what a screen reader says: of a list the selected row and why, of anything else its lines.
    pub fn spoken(&self) -> String {
        self.explorer.spoken()
    }

    /// Changes to the theme of that name, if there is one.
    pub fn set_theme(&mut self, name: &str) {
        self.send(Message::Theme(Theme::name_of(Some(name))));
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
        self.taken.pop_front()
    }

    /// Returns whether an open tree has unsaved edits.
    pub fn is_unsaved(&self) -> bool {
        self.explorer.has_unsaved_edits()
    }

    /// Returns a number that is another one when [`Self::drafts`] are others.
    pub fn changes(&self) -> f64 {
        (self.explorer.changes() + self.settled) as f64
    }

    /// Returns the unsaved edits of each open tree and those still offered, as files of scenarios.
    pub fn drafts(&self) -> Vec<String> {
        let mut drafts = Vec::new();
        // Who left the explorer discarded them.
        if !self.explorer.has_quit() {
            drafts = self.explorer.drafts();
        }
        drafts.extend(self.offered.iter().cloned());
        drafts
    }

    /// Takes unsaved edits that the page kept at that local time, and offers them one after another.
    pub fn offer_drafts(&mut self, drafts: Vec<String>, when: &str) {
        self.offered = drafts.into();
        self.kept_at = shown(when.as_bytes());
        self.offer_next_draft();
    }

    /// Returns marks, columns and finished lessons as text, to be kept by the page.
    pub fn memory(&self) -> String {
        serde_json::to_string(&self.memory).expect("its keys are text")
    }

    /// Takes what [`Self::memory`] returned, in an earlier page. What is no such text is forgotten.
    pub fn remember(&mut self, memory: &str) {
        self.memory = serde_json::from_str(memory).unwrap_or_default();
    }

    /// Returns whether the explorer was left.
    pub fn has_quit(&self) -> bool {
        self.explorer.has_quit()
    }
}

impl PageExplorer {
    /// Begins with a source or a lesson, at once. Returns why it cannot.
    fn begin(&mut self, first: Message) -> Option<String> {
        self.send(first);
        self.finish_work();
        let reason = self.explorer.refusal()?;
        Some(reason.into())
    }

    fn send(&mut self, message: Message) {
        self.explorer.send(message);
        self.settle();
    }

    fn apply(&mut self, event: &ScriptEvent) {
        self.explorer.apply(event);
        self.settle();
    }

    /// Sorts what the explorer hands over, until it hands over nothing more.
    fn settle(&mut self) {
        loop {
            let deliveries = self.explorer.take_deliveries();
            if deliveries.is_empty() {
                return;
            }
            for delivery in deliveries {
                self.sort(delivery);
            }
        }
    }

    fn sort(&mut self, delivery: Delivery) {
        match delivery {
            Delivery::Copied(text) => self.taken.push_back(Taken {
                name: None,
                bytes: text.into_bytes(),
            }),
            Delivery::File(path, bytes) => {
                // What was saved can be opened again.
                disk::keep(
                    &path,
                    bytes.clone(),
                    self.now.unix_seconds.unwrap_or_default(),
                );
                self.taken.push_back(Taken {
                    name: Some(download_name(&path)),
                    bytes,
                });
            }
            Delivery::Memory(Memory::RemoveDraft(_)) => {
                self.offered.pop_front();
                self.settled += 1;
                self.offer_next_draft();
            }
            Delivery::Memory(memory) => {
                for message in self.memory.carry_out(memory) {
                    self.explorer.send(message);
                }
            }
            Delivery::Work(work) => self.work.push_back(work),
        }
    }

    /// Offers the first of the drafts that are left.
    fn offer_next_draft(&mut self) {
        let Some(text) = self.offered.front() else {
            return;
        };
        disk::keep(Path::new(DRAFT), text.clone().into_bytes(), 0);
        self.explorer.send(Message::DraftFound(FoundDraft {
            path: DRAFT.into(),
            summary: EditSummary::of(text),
            when: self.kept_at.clone(),
        }));
    }

    /// Does all work at once, also what follows from it.
    fn finish_work(&mut self) {
        while let Some(work) = self.work.pop_front() {
            let mut told = Vec::new();
            work.perform(&self.now, &mut |message| told.push(message));
            for message in told {
                self.send(message);
            }
        }
    }

    /// Lets time pass up to a moment since the start. What happens by itself is done in its order.
    fn pass(&mut self, until: Duration) {
        while let Some(moment) = self.explorer.next_change()
            && moment <= until
        {
            self.explorer.pass(moment);
            self.settle();
            self.finish_work();
        }
        self.explorer.pass(until);
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
