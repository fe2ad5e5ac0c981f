//! The last line: the prompt, a question before something that cannot be undone, a notice, or the keys that are suggested
//! on each screen, the most useful first.

use super::painter::{Button, Painter, narrow, short_of, skip};
use crate::base::number::{self, DAY};
use crate::base::shown::{Shown, cells, cut, sentence, shown, visible};
use crate::format::{Progress, ProgressUnit};
use crate::model::{Kind, NodeId};
use crate::report::label;
use crate::tui::input::action::Action;
use crate::tui::input::event::KeyCode;
use crate::tui::state::hints::{Hint, ends, hints};
use crate::tui::state::pane::{names, users_in};
use crate::tui::state::scenarios::title;
use crate::tui::state::{
    App, Click, Confirm, Front, Layer, LoadStatus, Notice, Prompt, PromptLabels, Session, Ui,
};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::style::Style;
use tui_input::Input;
use unicode_width::UnicodeWidthChar;

/// The blanks between a text and the keys that go with it.
const GAP: u16 = 3;

/// What stands between two keys beside a prompt.
const BETWEEN: &str = " · ";

/// Draws the last line. Returns the position of the text cursor, or `None` if it is hidden.
pub(crate) fn draw(p: &mut Painter, app: &App, area: Rect) -> Option<(u16, u16)> {
    match app.top() {
        Layer::Prompt(prompt) => return Some(draw_prompt(p, prompt, area)),
        Layer::Confirm(asked) => draw_question(p, app, asked, area),
        _ => match &p.ui.notice {
            Some(notice) => draw_notice(p, notice, area),
            None => draw_status(p, app, area),
        },
    }
    None
}

/// Draws what is going on, or the suggested keys.
fn draw_status(p: &mut Painter, app: &App, area: Rect) {
    if let Some(loading) = &p.ui.loading {
        return draw_stoppable(p, &loading_text(loading), area);
    }
    if !app.top().suggests_keys() {
        return;
    }
    if matches!(app.front(), Front::Screen(_))
        && let Some(session) = app.session()
        && let Some(way) = session.way_of_clock()
    {
        return draw_stoppable(p, &sentence!(" {way}"), area);
    }
    draw_hints(p, app, area);
}

/// Draws a whole notice, because what to do is at its end. A long one covers the lines above.
fn draw_notice(p: &mut Painter, notice: &Notice, area: Rect) {
    let theme = p.theme;
    let style = match notice {
        Notice::Info(_) => theme.strong,
        Notice::Error(_) => theme.error,
    };
    let (Notice::Info(text) | Notice::Error(text)) = notice;
    let spelled = p.ui.spelled(text);
    let width = area.width.saturating_sub(2);
    let lines = wrap(&spelled, width.into());
    let height = narrow(lines.len()).min(area.bottom());
    let y = area.bottom() - height;
    let over = Rect { y, height, ..area };
    p.clear(over);
    p.put_text(skip(over, 1), &lines, style);
}

/// Returns how much was read: so many bytes, or days of jobs.
fn read_amount(progress: &Progress, amount: u64) -> Shown {
    match progress.unit {
        ProgressUnit::Bytes => sentence!("{}B", number::short(amount as f64)),
        ProgressUnit::Seconds => sentence!("{} d", number::grouped(amount / u64::from(DAY))),
    }
}

/// Returns what is opened, and how far that is.
fn loading_text(loading: &LoadStatus) -> Shown {
    let progress = &loading.progress;
    let mut text = sentence!(" opening {}", loading.title);
    if progress.done > 0 {
        text += &sentence!("  {}", read_amount(progress, progress.done));
        if let Some(total @ 1..) = progress.total {
            text += &sentence!(" of {}", read_amount(progress, total));
        }
    }
    if progress.nodes > 0 {
        let nodes = number::counted(progress.nodes, "node", "nodes");
        text += &sentence!("  {nodes}");
    }
    text
}

/// Draws what is going on, and the key that stops it, which stays in sight.
fn draw_stoppable(p: &mut Painter, text: &str, area: Rect) {
    let theme = p.theme;
    let key = p.ui.hint(Action::Cancel);
    let stops = "stops";
    let needed = usize::from(GAP) + cells(&key) + 1 + cells(stops);
    let room = usize::from(area.width).saturating_sub(needed);
    let rest = p.put(area, cut(text, room), theme.strong);
    let behind = skip(rest, GAP);
    let on_screen = p.put_key(behind, &key, stops, theme.text);
    p.note_target(on_screen.area, Click::Action(Action::Cancel));
}

/// Returns the keys of a hint.
fn keys_of(ui: &Ui, action: Action) -> String {
    let key = ui.hint(action);
    match action {
        Action::LowerSetting => format!("{key} {}", ui.hint(Action::RaiseSetting)),
        _ => key,
    }
}

/// Returns the cells of a hint, with the blanks behind it.
fn hint_cells(ui: &Ui, &(action, word): &Hint) -> usize {
    let keys = keys_of(ui, action);
    cells(&keys) + 1 + cells(word) + 2
}

/// Draws as many suggested keys as there is room for, and at the end the way to all actions and the way out.
fn draw_hints(p: &mut Painter, app: &App, area: Rect) {
    let ui = p.ui;
    let ends = ends(app.front());
    let mut left = usize::from(area.width) + 1;
    for hint in &ends {
        left = left.saturating_sub(hint_cells(ui, hint));
    }
    let has_steps = match app.session() {
        Some(session) => !session.stepped_keys().is_empty(),
        None => false,
    };
    let mut fitting = Vec::new();
    for hint in hints(app) {
        if hint.0 == Action::LowerSetting && !has_steps {
            continue;
        }
        let needed = hint_cells(ui, &hint);
        if needed > left {
            break;
        }
        left -= needed;
        fitting.push(hint);
    }
    fitting.extend(ends);
    let mut rest = skip(area, 1);
    for (action, word) in fitting {
        let keys = keys_of(ui, action);
        let hint = p.put_key(rest, &keys, word, ui.theme.dim);
        p.note_target(hint.area, Click::Action(action));
        rest = skip(hint.behind, 2);
    }
}

/// Draws the prompt with its text, and what stands beside it. Returns the position of the cursor.
fn draw_prompt(p: &mut Painter, prompt: &Prompt, area: Rect) -> (u16, u16) {
    let theme = p.theme;
    let labels = &prompt.labels;
    let label = p.ui.spelled(sentence!(" {}: ", labels.label));
    // Names need more room than the hints behind the line.
    let room = usize::from(area.width) * 2 / 3;
    let typed = p.put(area, cut(&label, room), theme.strong);
    let width = usize::from(typed.width.max(1));
    let line = TypedLine::of(&prompt.input, width - 1);
    let rest = p.put(typed, line.text, theme.text);
    let last = area.right().saturating_sub(1);
    let column = typed.x.saturating_add(narrow(line.cursor));
    let cursor = column.min(last);
    let end = rest.x.max(cursor + 1);
    let behind = skip(area, end - area.x);
    let around = AroundPrompt {
        line: area,
        beside: skip(behind, GAP),
    };
    match &prompt.error {
        Some(error) => around.draw_error(p, error),
        None => around.draw_help(p, labels),
    }
    (cursor, area.y)
}

/// Where the texts about a prompt are drawn.
struct AroundPrompt {
    /// The line of the prompt, above which there is room for a sentence.
    line: Rect,
    /// The rest of that line behind what is typed.
    beside: Rect,
}

impl AroundPrompt {
    /// Draws what is wrong with what is typed beside it, or above it if there is no room.
    fn draw_error(&self, p: &mut Painter, error: &Shown) {
        let spelled = p.ui.spelled(error.clone());
        let style = p.theme.error;
        if cells(&spelled) <= self.beside.width.into() {
            p.put(self.beside, spelled, style);
        } else {
            draw_above(p, &spelled, self.line, style);
        }
    }

    /// Draws the former value of the cell, the keys of the prompt and a hint. A hint without room beside the prompt is
    /// drawn above.
    fn draw_help(&self, p: &mut Painter, labels: &PromptLabels) {
        let help = PromptHelp::of(p, labels);
        if help.cells() > self.beside.width.into() {
            if !help.hint.is_empty() {
                // Cut words would help nobody.
                let texts = help.texts().join(BETWEEN);
                draw_above(p, &texts, self.line, p.theme.dim);
            }
            help.draw_buttons(p, self.beside);
            return;
        }
        let mut rest = self.beside;
        if !help.before.is_empty() {
            let text = sentence!("{}{BETWEEN}", help.before);
            rest = p.put(rest, text, p.theme.dim);
        }
        let behind = help.draw_buttons(p, rest);
        if !help.hint.is_empty() {
            let text = sentence!("{BETWEEN}{}", help.hint);
            p.put(behind, text, p.theme.dim);
        }
    }
}

/// What goes with a prompt.
struct PromptHelp {
    /// The former value of the cell; empty if there is none.
    before: Shown,
    /// What can be typed; empty if there is nothing to say.
    hint: Shown,
    buttons: Vec<Button>,
}

impl PromptHelp {
    /// Returns what goes with a prompt of these labels.
    fn of(p: &Painter, labels: &PromptLabels) -> Self {
        let mut before = Shown::default();
        if let Some(cell) = &labels.cell
            && !cell.before.is_empty()
        {
            before = sentence!("was {}", cell.before);
        }
        Self {
            before,
            hint: p.ui.spelled(labels.hint.clone()),
            buttons: vec![
                Button::new(KeyCode::Enter, labels.verb),
                Button::new(KeyCode::Esc, "cancel"),
            ],
        }
    }

    /// Returns the texts that say something.
    fn texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        for text in [&self.before, &self.hint] {
            if !text.is_empty() {
                texts.push(text.as_ref());
            }
        }
        texts
    }

    /// Returns the cells of the texts and the buttons, with what stands between them.
    fn cells(&self) -> usize {
        let gap = usize::from(GAP);
        let mut needed = gap;
        for text in self.texts() {
            needed += cells(text) + gap;
        }
        for button in &self.buttons {
            needed += button.cells();
        }
        needed
    }

    /// Draws as many buttons as there is room for. Returns the area behind them.
    fn draw_buttons(&self, p: &mut Painter, area: Rect) -> Rect {
        let mut rest = area;
        for (place, button) in self.buttons.iter().enumerate() {
            if place > 0 {
                rest = p.put(rest, BETWEEN, p.theme.dim);
            }
            if button.cells() > rest.width.into() {
                break;
            }
            rest = p.button(rest, button);
        }
        rest
    }
}

/// Draws a sentence that does not fit beside its prompt over the lines above it.
fn draw_above(p: &mut Painter, sentence: &str, area: Rect, style: Style) {
    let width = usize::from(area.width);
    let lines = wrap(sentence, width.saturating_sub(2));
    // The title and the tabs stay visible.
    let height = narrow(lines.len()).min(area.y.saturating_sub(2));
    let over = Rect {
        y: area.y - height,
        height,
        ..area
    };
    let page = p.theme.page();
    for (row, line) in over.rows().zip(lines) {
        p.put(row, format!(" {line:<width$}"), page);
        p.buffer.set_style(row, style);
    }
}

/// The part of a typed line that is on the screen.
struct TypedLine {
    text: String,
    /// The cell of the cursor in it.
    cursor: usize,
}

impl TypedLine {
    /// Returns the part that fits before the cursor and all that follows it. What would not be drawn as itself is written
    /// out, as in names, but a backslash stays as it was typed.
    fn of(input: &Input, width: usize) -> Self {
        let typed = input.value();
        let before: String = typed.chars().take(input.cursor()).collect();
        let cursor = cells(&visible(&before));
        let surplus = cursor.saturating_sub(width);
        let line = visible(typed);
        let mut skipped = 0;
        let mut chars = line.chars();
        while skipped < surplus {
            let next = chars.next().and_then(UnicodeWidthChar::width);
            skipped += next.unwrap_or(0);
        }
        Self {
            text: chars.collect(),
            cursor: cursor - skipped,
        }
    }
}

/// Draws a question with its keys, of which a click presses one.
fn draw_question(p: &mut Painter, app: &App, question: &Confirm, area: Rect) {
    let choices = choices(question);
    // A blank is before them, and two are between them.
    let mut keys = 2 * choices.len() - 1;
    for choice in &choices {
        keys += choice.cells();
    }
    // The keys stay visible, even with long names.
    let room = short_of(area, narrow(keys));
    let text = question_text(app, question);
    let behind = p.put_cut(room, &text, app.ui.theme.warning);
    let mut rest = skip(area, behind.x - area.x + 1);
    for choice in &choices {
        let end = p.button(rest, choice);
        rest = skip(end, 2);
    }
}

/// Returns what is asked, or what would happen.
fn question_text(app: &App, question: &Confirm) -> Shown {
    match question {
        Confirm::Quit => unsaved_text(app),
        Confirm::Replace(path, _) => {
            let path = shown(path.as_os_str().as_encoded_bytes());
            sentence!(" {path} is already there.")
        }
        Confirm::Changed(path, _) => {
            // With the folder, the sentence would exceed 80 columns.
            let name = path.file_name().unwrap_or(path.as_os_str());
            let name = shown(name.as_encoded_bytes());
            sentence!(" {name} was changed on the disk.")
        }
        Confirm::Unread(_, unread) => sentence!(" saving drops {unread} (not understood)."),
        Confirm::RemoveNodes(nodes) => match app.session() {
            Some(session) => app.ui.spelled(removal_text(session, nodes)),
            None => Shown::default(),
        },
        Confirm::RemoveScenario => {
            let name = match app.session() {
                Some(session) => title(&session.scenario),
                None => Shown::default(),
            };
            sentence!(" {name} goes with its edits.")
        }
    }
}

/// Returns what is lost by leaving: the edits of the one tree that has unsaved ones, or how many trees there are.
fn unsaved_text(app: &App) -> Shown {
    let trees = app.unsaved_count();
    if trees != 1 {
        return sentence!(" {trees} trees have edits that are not saved.");
    }
    let mut edits = 0;
    for session in &app.sessions {
        if session.has_unsaved_edits() {
            for scenario in session.scenarios() {
                // The rejected ones are kept with the others.
                edits += scenario.history().edits().len() + scenario.rejected().len();
            }
        }
    }
    let edits = number::counted(edits.max(1), "edit is", "edits are");
    sentence!(" {edits} not saved.")
}

/// Returns the question before marked nodes are deleted. It says so if the selected one is not among them.
fn removal_text(session: &Session, nodes: &[NodeId]) -> Shown {
    let tree = session.tree();
    let selected = session.selected();
    let mut there = Vec::new();
    let mut users = 0;
    let mut has_accounts = false;
    let mut is_selected_gone = false;
    for &node in nodes {
        if tree.contains(node) {
            there.push(node);
            users += users_in(tree, node);
            has_accounts |= tree.kind(node) != Kind::User;
            is_selected_gone |= tree.order().is_within(selected, node);
        }
    }
    let mut question = Shown::from(" delete marked nodes");
    if has_accounts {
        question += &sentence!(" ({})", number::counted(users, "user", "users"));
    }
    question += &sentence!(": {}", names(tree, &there));
    if !is_selected_gone {
        question += &sentence!(", not {}", label(tree, selected));
    }
    question + &"?".into()
}

/// Returns the keys that answer a question, the one that does it first.
fn choices(question: &Confirm) -> Vec<Button> {
    match question {
        Confirm::Quit => with_other("quit without saving", "save first", "stay"),
        Confirm::Replace(..) | Confirm::Changed(..) => {
            with_other("replace it", "another name", "leave it")
        }
        Confirm::Unread(..) => with_other("save", "another name", "leave it"),
        Confirm::RemoveNodes(_) => yes_or_no("delete", "keep"),
        Confirm::RemoveScenario => yes_or_no("remove it", "keep it"),
    }
}

/// Returns the keys that do what is asked about and leave it, in these words.
fn yes_or_no(yes: &'static str, no: &'static str) -> Vec<Button> {
    vec![
        Button::new(KeyCode::Char('y'), yes),
        Button::new(KeyCode::Esc, no),
    ]
}

/// Returns the same keys, and between them one that saves or names another file.
fn with_other(yes: &'static str, other: &'static str, no: &'static str) -> Vec<Button> {
    let mut buttons = yes_or_no(yes, no);
    let between = Button::new(KeyCode::Char('w'), other);
    buttons.insert(1, between);
    buttons
}
