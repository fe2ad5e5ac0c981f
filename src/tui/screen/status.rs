//! The lines around the table: the tabs, and the bottom line with hints or notices.

use crate::base::number;
use crate::base::shown::{cells, cut, sentence, shown};
use crate::report::label;
use crate::report::outline::Filter;
use crate::tui::input::action::Action;
use crate::tui::screen::hints::hints;
use crate::tui::screen::prompt_line;
use crate::tui::state::app::App;
use crate::tui::state::dialog::{Confirm, Dialog};
use crate::tui::state::node_set::{names, users_in};
use crate::tui::state::other_scenarios::title;
use crate::tui::state::screen::{Front, Screen, TABS};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Notice;
use crate::tui::state::ui::Ui;
use crate::tui::widget::theme::Theme;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget as _};

/// Draws the second line: the screens, the sort order and the filter.
pub(crate) fn draw_tabs(
    ui: &Ui,
    session: &Session,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    regions.tabs.clear();
    let theme = &ui.theme;
    let mut x = area.x + 1;
    let front = ui.front(session);
    for (screen, name) in TABS {
        let is_open = front.open_tab() == Some(screen);
        let style = if is_open { theme.tab_open } else { theme.tab };
        let key = ui.hint(screen);
        let start = x;
        let room = |x: u16| usize::from(area.right().saturating_sub(x));
        (x, _) = buffer.set_stringn(x, area.y, key, room(x), theme.key);
        (x, _) = buffer.set_stringn(x + 1, area.y, name, room(x + 1), style);
        regions.tabs.push(Rect {
            x: start,
            width: x - start,
            ..area
        });
        x += 2;
    }
    // The sort order and the search do not apply to a page.
    let Front::Screen(screen) = front else { return };
    let outline = &session.pane().outline;
    let mut parts = Vec::new();
    if let Some(search) = &session.search {
        let found = search.found().len();
        let place = search.place(session.selected());
        let place = place.map_or_else(
            || number::grouped(found),
            |place| sentence!("{place}/{found}"),
        );
        parts.push((
            format!("/{} {place}", shown(search.text.as_bytes())),
            theme.found,
        ));
    }
    let marked = session.marked_count();
    if marked > 0 {
        let count = number::grouped(marked);
        parts.push((format!("● {count} marked"), theme.key));
    }
    if outline.filter() != Filter::All {
        parts.push((format!("only {}", outline.filter().name()), theme.edited));
    }
    if session.is_behind() {
        parts.push(("computing…".to_owned(), theme.warning));
    } else if screen == Screen::Policies && !session.is_compared() {
        parts.push(("comparing…".to_owned(), theme.warning));
    }
    let usual = match screen {
        Screen::Tree | Screen::Time => "tree order",
        Screen::Ranking => "by rank",
        Screen::Policies => "by spread",
    };
    parts.push((
        outline
            .sort()
            .map_or_else(|| usual.to_owned(), |sort| format!("by {}", sort.title())),
        theme.dim,
    ));
    let width: usize = parts.iter().map(|(text, _)| cells(text) + 2).sum();
    let room = usize::from(area.right().saturating_sub(x));
    let indent = u16::try_from(room.saturating_sub(width)).unwrap_or(0);
    let mut x = x + indent;
    for (text, style) in parts {
        let room = usize::from(area.right().saturating_sub(x));
        (x, _) = buffer.set_stringn(x, area.y, cut(&text, room), room, style);
        x += 2;
    }
}

/// Draws the last line: a prompt, a question, a notice or the hints. Returns the position of the text cursor, or `None`
/// if it is hidden.
pub(crate) fn draw_bottom(app: &App, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let theme = &app.ui.theme;
    let draw = |buffer: &mut Buffer, line: &Line| buffer.set_line(area.x, area.y, line, area.width);
    match (&app.ui.dialog, &app.ui.notice) {
        (Some(Dialog::Prompt(_)), _) => return prompt_line::draw(app, area, buffer),
        (Some(Dialog::Confirm(question)), _) => {
            draw(
                buffer,
                &question_line(app, question, usize::from(area.width)),
            );
        }
        (_, Some(Notice::Info(text))) => {
            let text = app.ui.spelled(text.clone());
            let text = cut(&text, usize::from(area.width.saturating_sub(1))).into_owned();
            draw(
                buffer,
                &Line::from(vec![Span::raw(" "), Span::styled(text, theme.strong)]),
            );
        }
        (_, Some(Notice::Error(text))) => {
            draw_failure(app, &app.ui.spelled(text.clone()), area, buffer);
        }
        _ if app.ui.loading.is_some() => {
            draw(buffer, &loading_line(app));
        }
        // A dialog describes its own keys.
        (Some(_), _) => {}
        _ => match app.session().and_then(Session::way_of_clock) {
            Some(way) if app.ui.front_page().is_none() => {
                draw(buffer, &stoppable(theme, format!(" {way}")));
            }
            _ => draw_hints(app, area, buffer),
        },
    }
    None
}

/// Draws a full error message, because the remedy is at its end. A long message covers the lines above.
fn draw_failure(app: &App, text: &str, area: Rect, buffer: &mut Buffer) {
    let lines = wrap(text, usize::from(area.width.saturating_sub(2)));
    let above = u16::try_from(lines.len() - 1).unwrap_or(u16::MAX);
    let top = area.y - above.min(area.y);
    let over = Rect {
        y: top,
        height: area.y - top + 1,
        ..area
    };
    Clear.render(over, buffer);
    buffer.set_style(over, app.ui.theme.page());
    for (line, y) in lines.iter().zip(over.y..over.bottom()) {
        let line = Line::from(vec![Span::raw(" "), Span::styled(line, app.ui.theme.error)]);
        buffer.set_line(area.x, y, &line, area.width);
    }
}

fn question_line(app: &App, question: &Confirm, width: usize) -> Line<'static> {
    let theme = &app.ui.theme;
    let text = match question {
        Confirm::Quit => {
            let unsaved = app
                .sessions
                .iter()
                .find(|session| session.has_unsaved_edits())
                .or_else(|| app.session());
            let edits = unsaved.map_or(0, Session::edit_count);
            match app.unsaved_count() {
                1 => format!(
                    " {} not saved. ",
                    number::counted(edits.max(1), "edit is", "edits are")
                ),
                trees => format!(" {trees} trees have edits that are not saved. "),
            }
        }
        Confirm::Replace { path, .. } => {
            format!(
                " {} is already there. ",
                shown(path.as_os_str().as_encoded_bytes())
            )
        }
        Confirm::Changed { path, .. } => {
            // With the folder, the sentence would exceed 80 columns.
            let name = path.file_name().unwrap_or(path.as_os_str());
            format!(
                " {} was changed on the disk. ",
                shown(name.as_encoded_bytes())
            )
        }
        Confirm::Unread { unread, .. } => {
            format!(" fairscope does not read {unread}; saving drops it. ")
        }
        Confirm::RemoveNodes(nodes) => app.session().map_or_else(String::new, |session| {
            let tree = session.scenario.tree();
            let there = nodes.iter().copied().filter(|&node| tree.contains(node));
            let there: Vec<_> = there.collect();
            let users: usize = there.iter().map(|&node| users_in(tree, node)).sum();
            let only_users = there
                .iter()
                .all(|&node| tree.kind(node) == crate::model::Kind::User);
            let users = if only_users {
                String::new()
            } else {
                format!(" ({})", number::counted(users, "user", "users"))
            };
            let cursor = session.selected();
            let stays = if there
                .iter()
                .any(|&node| tree.order().is_within(cursor, node))
            {
                String::new()
            } else {
                format!(", not {}", label(tree, cursor))
            };
            let named = names(tree, &there);
            let question = sentence!(" delete what is marked{users}: {named}{stays}? ");
            app.ui.spelled(question).into()
        }),
        Confirm::RemoveScenario => {
            let session = app.session();
            let name = session.map(|session| title(&session.scenario));
            format!(" {} goes with its edits. ", name.unwrap_or_default())
        }
    };
    let choices: &[(&str, &str)] = match question {
        Confirm::Quit => &[
            ("y", " quit without saving  "),
            ("w", " save first  "),
            ("esc", " stay"),
        ],
        Confirm::Replace { .. } | Confirm::Changed { .. } => &[
            ("y", " replace it  "),
            ("w", " another name  "),
            ("esc", " leave it"),
        ],
        Confirm::Unread { .. } => &[
            ("y", " save  "),
            ("w", " another name  "),
            ("esc", " leave it"),
        ],
        Confirm::RemoveNodes(_) => &[("y", " delete  "), ("esc", " keep")],
        Confirm::RemoveScenario => &[("y", " remove it  "), ("esc", " keep it")],
    };
    // The keys stay visible, even with long names.
    let keys: usize = choices
        .iter()
        .map(|(key, text)| cells(key) + cells(text))
        .sum();
    let text = cut(&text, width.saturating_sub(keys)).into_owned();
    let mut spans = vec![Span::styled(text, theme.warning)];
    for &(key, text) in choices {
        spans.push(Span::styled(key, theme.key));
        spans.push(Span::styled(text, theme.text));
    }
    Line::from(spans)
}

fn loading_line(app: &App) -> Line<'static> {
    let theme = &app.ui.theme;
    let Some(loading) = &app.ui.loading else {
        return Line::default();
    };
    let progress = &loading.progress;
    let mut parts = vec![format!(" opening {}", loading.title)];
    if progress.bytes > 0 {
        let total = progress.total.filter(|&total| total > 0);
        let total = total.map_or_else(String::new, |total| {
            format!(" of {}B", number::short(total as f64))
        });
        parts.push(format!("{}B{total}", number::short(progress.bytes as f64)));
    }
    if progress.nodes > 0 {
        parts.push(number::counted(progress.nodes, "node", "nodes").into());
    }
    stoppable(theme, parts.join("  "))
}

/// Returns a line about work in progress that names the key to stop it.
fn stoppable(theme: &Theme, text: String) -> Line<'static> {
    Line::from(vec![
        Span::styled(text, theme.strong),
        Span::raw("   "),
        Span::styled("esc", theme.key),
        Span::styled(" stops", theme.dim),
    ])
}

fn draw_hints(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = &app.ui.theme;
    let has_settings = app
        .session()
        .is_some_and(|session| !session.setting_keys().is_empty());
    let mut x = area.x + 1;
    let is_example = app.session().and_then(Session::caption).is_some();
    for (action, word) in hints(app.front(), is_example) {
        let is_of_settings = matches!(action, Action::Settings | Action::LowerSetting);
        if is_of_settings && !has_settings {
            continue;
        }
        let mut hint = app.ui.hint(action);
        if action == Action::LowerSetting {
            hint.push(' ');
            hint.push_str(&app.ui.hint(Action::RaiseSetting));
        }
        let width = u16::try_from(cells(&hint) + 1 + cells(word)).unwrap_or(u16::MAX);
        if x.saturating_add(width) > area.right() {
            return;
        }
        (x, _) = buffer.set_stringn(x, area.y, hint, usize::from(area.width), theme.key);
        (x, _) = buffer.set_stringn(x + 1, area.y, word, usize::from(area.width), theme.dim);
        x += 2;
    }
}
