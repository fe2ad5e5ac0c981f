//! The last line: the prompt, a question before something that cannot be undone, a notice, or the keys that are suggested
//! on each screen, the most useful first.

use crate::base::number::{self, DAY};
use crate::base::shown::{Shown, cells, cut, sentence, shown, visible};
use crate::format::ProgressUnit;
use crate::model::Kind;
use crate::report::label;
use crate::tui::input::action::Action;
use crate::tui::screen::painter::{Painter, key_name, narrow, short_of, skip};
use crate::tui::state::hints::{Hint, ends, hints};
use crate::tui::state::pane::{names, users_in};
use crate::tui::state::scenarios::title;
use crate::tui::state::{App, Confirm, Front, Layer, LoadStatus, Notice, Prompt, Session};
use crate::tui::widget::{Click, wrap};
use crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Style;
use tui_input::Input;
use unicode_width::UnicodeWidthChar;

/// Draws the last line. Returns the position of the text cursor, or `None` if it is hidden.
pub(crate) fn draw(p: &mut Painter<'_>, app: &App, area: Rect) -> Option<(u16, u16)> {
    let ui = p.ui;
    let top = app.top();
    match (top, &ui.notice) {
        (Layer::Prompt(prompt), _) => return Some(draw_prompt(p, prompt, area)),
        (Layer::Confirm(asked), _) => draw_question(p, app, asked, area),
        (_, Some(Notice::Info(text))) => draw_whole(p, text, ui.theme.strong, area),
        (_, Some(Notice::Error(text))) => draw_whole(p, text, ui.theme.error, area),
        (_, None) => match (&ui.loading, app.session().and_then(Session::way_of_clock)) {
            (Some(loading), _) => draw_stoppable(p, &loading_text(loading), area),
            _ if !top.suggests_keys() => {}
            (None, Some(way)) if matches!(app.front(), Front::Screen(_)) => {
                draw_stoppable(p, &format!(" {way}"), area);
            }
            _ => draw_hints(p, app, area),
        },
    }
    None
}

/// Draws a whole notice, because what to do is at its end. A long one covers the lines above.
fn draw_whole(p: &mut Painter<'_>, text: &Shown, style: Style, area: Rect) {
    let text = p.ui.spelled(text.clone());
    let lines = wrap(&text, usize::from(area.width.saturating_sub(2)));
    let height = narrow(lines.len()).min(area.bottom());
    let y = area.bottom() - height;
    let over = Rect { y, height, ..area };
    p.clear(over);
    p.put_lines(skip(over, 1), lines.iter().map(|line| (line, style)));
}

fn loading_text(loading: &LoadStatus) -> String {
    let progress = &loading.progress;
    let mut parts = vec![format!(" opening {}", loading.title)];
    if progress.done > 0 {
        let amount = |amount: u64| match progress.unit {
            ProgressUnit::Bytes => sentence!("{}B", number::short(amount as f64)),
            ProgressUnit::Seconds => sentence!("{} d", number::grouped(amount / u64::from(DAY))),
        };
        let total = progress.total.filter(|&total| total > 0);
        let total = total.map(|total| format!(" of {}", amount(total)));
        parts.push(format!(
            "{}{}",
            amount(progress.done),
            total.unwrap_or_default()
        ));
    }
    if progress.nodes > 0 {
        parts.push(number::counted(progress.nodes, "node", "nodes").into());
    }
    parts.join("  ")
}

/// Draws what is going on, and the key that stops it, which stays in sight.
fn draw_stoppable(p: &mut Painter<'_>, text: &str, area: Rect) {
    let (key, stops) = (p.ui.hint(Action::Cancel), "stops");
    let needed = usize::from(GAP) + cells(&key) + 1 + cells(stops);
    let text = cut(text, usize::from(area.width).saturating_sub(needed));
    let rest = p.put(area, text, p.ui.theme.strong);
    let [place, _] = p.put_key(skip(rest, GAP), &key, stops, p.ui.theme.text);
    p.regions
        .targets
        .push((place, Click::Action(Action::Cancel)));
}

/// Draws as many suggested keys as there is room for, and at the end the way to all actions and the way out.
fn draw_hints(p: &mut Painter<'_>, app: &App, area: Rect) {
    let ui = p.ui;
    let session = app.session();
    let has_steps = session.is_some_and(|session| !session.stepped_keys().is_empty());
    let key = |action: Action| match action {
        Action::LowerSetting => {
            let keys = [action, Action::RaiseSetting].map(|action| ui.hint(action));
            keys.join(" ")
        }
        action => ui.hint(action),
    };
    let room = |&(action, word): &Hint| cells(&key(action)) + 1 + cells(word) + 2;
    let ends = ends(app.front());
    let mut left = usize::from(area.width) + 1;
    left = left.saturating_sub(ends.iter().map(room).sum());
    let mut shown = hints(app);
    shown.retain(|(action, _)| has_steps || *action != Action::LowerSetting);
    let fitting = shown.iter().map_while(|hint| {
        left = left.checked_sub(room(hint))?;
        Some(hint)
    });
    let mut rest = skip(area, 1);
    for &(action, word) in fitting.chain(&ends) {
        let [place, behind] = p.put_key(rest, &key(action), word, ui.theme.dim);
        p.regions.targets.push((place, Click::Action(action)));
        rest = skip(behind, 2);
    }
}

const GAP: u16 = 3;

/// Draws the prompt with its text, the former value of the cell, and a hint. Returns the position of the cursor.
fn draw_prompt(p: &mut Painter<'_>, prompt: &Prompt, area: Rect) -> (u16, u16) {
    let theme = &p.ui.theme;
    let labels = &prompt.labels;
    // Names need more room than the hints behind the line.
    let label = p.ui.spelled(sentence!(" {}: ", labels.label));
    let label = cut(&label, usize::from(area.width) * 2 / 3);
    let typed = p.put(area, label, theme.strong);
    let width = usize::from(typed.width.max(1));
    let (line, cursor) = line_and_cursor(&prompt.input, width - 1);
    let rest = p.put(typed, line, theme.text);
    let last = area.right().saturating_sub(1);
    let cursor = typed.x.saturating_add(narrow(cursor)).min(last);
    let rest = skip(area, rest.x.max(cursor + 1) - area.x);
    let cursor = (cursor, area.y);
    let inside = skip(rest, GAP);
    if let Some(error) = &prompt.error {
        let error = p.ui.spelled(error.clone());
        if cells(&error) <= inside.width.into() {
            p.put(inside, error, theme.error);
        } else {
            draw_above(p, &error, area, theme.error);
        }
        return cursor;
    }
    let before = match &labels.cell {
        Some(cell) if !cell.before.is_empty() => format!("was {}", cell.before),
        _ => String::new(),
    };
    let hint = p.ui.spelled(labels.hint.clone());
    let buttons = [(KeyCode::Enter, labels.verb), (KeyCode::Esc, "cancel")];
    let cells_of = |(key, text): (KeyCode, &str)| cells(&key_name(key)) + 1 + cells(text);
    let texts = [&before[..], &hint[..]].into_iter();
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    let gap = usize::from(GAP);
    let needed: usize = texts.iter().map(|text| cells(text) + gap).sum();
    let needed = needed + buttons.map(cells_of).iter().sum::<usize>() + gap;
    let fits = needed <= inside.width.into();
    if !fits && !hint.is_empty() {
        // Cut words would help nobody.
        draw_above(p, &texts.join(" · "), area, theme.dim);
    }
    let mut rest = inside;
    if fits && !before.is_empty() {
        rest = p.put(rest, format!("{before} · "), theme.dim);
    }
    for (place, button) in buttons.into_iter().enumerate() {
        if place > 0 {
            rest = p.put(rest, " · ", theme.dim);
        }
        if cells_of(button) > rest.width.into() {
            break;
        }
        rest = p.button(rest, button.0, button.1);
    }
    if fits && !hint.is_empty() {
        p.put(rest, format!(" · {hint}"), theme.dim);
    }
    cursor
}

/// Draws a sentence that does not fit beside its prompt over the lines above it.
fn draw_above(p: &mut Painter<'_>, sentence: &str, area: Rect, style: Style) {
    let width = usize::from(area.width);
    let lines = wrap(sentence, width.saturating_sub(2));
    // The title and the tabs stay visible.
    let height = narrow(lines.len()).min(area.y.saturating_sub(2));
    let y = area.y - height;
    for (line, row) in lines.iter().zip(Rect { y, height, ..area }.rows()) {
        p.put(row, format!(" {line:<width$}"), p.ui.theme.page());
        p.buffer.set_style(row, style);
    }
}

/// Returns the part of a line that fits before the cursor and all that follows it, and the cell of the cursor in it.
/// What would not be drawn as itself is written out, as in names, but a backslash stays as it was typed.
fn line_and_cursor(input: &Input, width: usize) -> (String, usize) {
    let before: String = input.value().chars().take(input.cursor()).collect();
    let cursor = cells(&visible(&before));
    let line = visible(input.value());
    let mut skipped = 0;
    let mut chars = line.chars();
    while skipped < cursor.saturating_sub(width) {
        skipped += chars.next().and_then(UnicodeWidthChar::width).unwrap_or(0);
    }
    (chars.collect(), cursor - skipped)
}

fn draw_question(p: &mut Painter<'_>, app: &App, question: &Confirm, area: Rect) {
    let choices = choices(question);
    let widths = choices.iter();
    let widths = widths.map(|(key, text)| cells(&key_name(*key)) + 1 + cells(text));
    // A blank is before them, and two are between them.
    let keys = widths.sum::<usize>() + 2 * choices.len() - 1;
    // The keys stay visible, even with long names.
    let room = short_of(area, narrow(keys));
    let text = question_text(app, question);
    let end = p.put_cut(room, text.trim_end(), app.ui.theme.warning).x;
    let mut rest = skip(area, end - area.x + 1);
    for (key, text) in choices {
        rest = skip(p.button(rest, key, text), 2);
    }
}

fn question_text(app: &App, question: &Confirm) -> String {
    match question {
        Confirm::Quit => {
            let mut sessions = app.sessions.iter();
            let unsaved = sessions.find(|session| session.has_unsaved_edits());
            let unsaved = unsaved.or_else(|| app.session());
            let scenarios = unsaved.into_iter().flat_map(Session::scenarios);
            // The rejected ones are kept with the others.
            let edits = scenarios.map(|it| it.history().edits().len() + it.rejected().len());
            let edits = edits.sum::<usize>().max(1);
            let edits = number::counted(edits, "edit is", "edits are");
            match app.unsaved_count() {
                1 => format!(" {edits} not saved. "),
                trees => format!(" {trees} trees have edits that are not saved. "),
            }
        }
        Confirm::Replace(path, _) => {
            let path = shown(path.as_os_str().as_encoded_bytes());
            format!(" {path} is already there. ")
        }
        Confirm::Changed(path, _) => {
            // With the folder, the sentence would exceed 80 columns.
            let name = path.file_name().unwrap_or(path.as_os_str());
            let name = shown(name.as_encoded_bytes());
            format!(" {name} was changed on the disk. ")
        }
        Confirm::Unread(_, unread) => format!(" saving drops {unread} (not understood). "),
        Confirm::RemoveNodes(nodes) => app.session().map_or_else(String::new, |session| {
            let tree = session.scenario.tree();
            let there = nodes.iter().copied().filter(|&node| tree.contains(node));
            let there: Vec<_> = there.collect();
            let users: usize = there.iter().map(|&node| users_in(tree, node)).sum();
            let has_accounts = there.iter().any(|&node| tree.kind(node) != Kind::User);
            let users = number::counted(users, "user", "users");
            let users = has_accounts.then(|| sentence!(" ({users})"));
            let cursor = session.selected();
            let mut gone = there.iter();
            let is_gone = gone.any(|&node| tree.order().is_within(cursor, node));
            let stays = (!is_gone).then(|| sentence!(", not {}", label(tree, cursor)));
            let [users, stays] = [users, stays].map(Option::unwrap_or_default);
            let named = names(tree, &there);
            let question = sentence!(" delete marked nodes{users}: {named}{stays}? ");
            app.ui.spelled(question).into()
        }),
        Confirm::RemoveScenario => {
            let session = app.session();
            let name = session.map(|session| title(&session.scenario));
            format!(" {} goes with its edits. ", name.unwrap_or_default())
        }
    }
}

fn choices(question: &Confirm) -> Vec<(KeyCode, &'static str)> {
    let (yes, save, no) = match question {
        Confirm::Quit => ("quit without saving", Some("save first"), "stay"),
        Confirm::Replace(..) | Confirm::Changed(..) => {
            ("replace it", Some("another name"), "leave it")
        }
        Confirm::Unread(..) => ("save", Some("another name"), "leave it"),
        Confirm::RemoveNodes(_) => ("delete", None, "keep"),
        Confirm::RemoveScenario => ("remove it", None, "keep it"),
    };
    let save = save.map(|text| (KeyCode::Char('w'), text));
    let first = std::iter::once((KeyCode::Char('y'), yes));
    first.chain(save).chain([(KeyCode::Esc, no)]).collect()
}
