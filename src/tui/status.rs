//! The lines around the table: what is open, which screen, what can be done here.

use super::app::{App, Notice};
use super::dialog::{Confirm, Dialog, Purpose};
use super::session::Session;
use super::theme::Theme;
use super::{Action, viewport::Regions};
use crate::model::{NodeId, Settings};
use crate::number;
use crate::outline::{Filter, View};
use crate::policy::{ColumnId, Value};
use crate::shown::{cells, cut, shown};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Draws parts from the left as long as they fit whole; the first is cut if it must be.
fn draw_parts(buffer: &mut Buffer, area: Rect, parts: &[(String, Style)]) {
    let mut x = area.x;
    for (place, (text, style)) in parts.iter().enumerate() {
        let room = usize::from(area.right().saturating_sub(x));
        if place > 0 && cells(text) > room {
            return;
        }
        (x, _) = buffer.set_stringn(x, area.y, cut(text, room), room, *style);
    }
}

/// The first line: the program, the source, the policy, totals, edits.
pub(super) fn draw_title(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = &app.theme;
    buffer.set_style(area, theme.bar);
    let on_bar = |style: Style| theme.bar.patch(style);
    let Some(session) = app.session() else {
        draw_parts(
            buffer,
            area,
            &[(" fairscope".to_owned(), on_bar(theme.title))],
        );
        return;
    };
    let scenario = &session.scenario;
    let source = &scenario.base().source;
    let title = app.spelled(shown(source.title.as_bytes()));
    let mut parts = vec![
        (" fairscope  ".to_owned(), theme.bar),
        (title, on_bar(theme.title)),
        (
            format!("  {} · {}", source.format, scenario.policy().title()),
            theme.bar,
        ),
    ];
    let edits = scenario.history().done().len();
    if edits > 0 {
        let unsaved = if session.has_unsaved_edits() {
            " ●"
        } else {
            ""
        };
        let text = format!("  {}{unsaved}", number::counted(edits, "edit", "edits"));
        parts.push((text, on_bar(theme.edited)));
    }
    if app.sessions.len() > 1 {
        parts.push((
            format!("  tree {} of {}", app.current + 1, app.sessions.len()),
            theme.bar,
        ));
    }
    let problems = session.problems.count();
    if problems > 0 {
        let text = format!("  {}", number::counted(problems, "problem", "problems"));
        parts.push((text, on_bar(theme.warning)));
    }
    let usage = number::cell(
        scenario.value(ColumnId::Usage, NodeId::ROOT),
        ColumnId::Usage.unit(),
    );
    let unit = if source.usage_unit.is_empty() {
        String::new()
    } else {
        format!(" {}", shown(source.usage_unit.as_bytes()))
    };
    parts.push((format!("  usage {usage}{unit}"), theme.bar));
    let users = number::counted(scenario.tree().user_count(), "user", "users");
    let nodes = number::counted(scenario.tree().node_count(), "node", "nodes");
    parts.push((format!("  {users} in {nodes}"), theme.bar));
    draw_parts(buffer, area, &parts);
}

/// The second line: the screens, and how the rows are sorted and filtered.
pub(super) fn draw_tabs(
    session: &Session,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    regions.tabs.clear();
    let mut x = area.x + 1;
    let screens = [
        ("1", "Tree", View::Tree),
        ("2", "Ranking", View::Ranking),
        ("3", "Policies", View::Users),
    ];
    for (key, name, view) in screens {
        let style = if session.view == view {
            theme.tab_open
        } else {
            theme.tab
        };
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
    let outline = &session.pane().outline;
    let mut parts = Vec::new();
    if let Some(search) = &session.search {
        let found = search.found().len();
        let place = search.place(session.selected());
        let place = place.map_or_else(
            || number::grouped(i64::try_from(found).unwrap_or(i64::MAX)),
            |place| format!("{place}/{found}"),
        );
        parts.push((
            format!("/{} {place}", shown(search.text.as_bytes())),
            theme.found,
        ));
    }
    if outline.filter() != Filter::All {
        parts.push((format!("only {}", outline.filter().name()), theme.edited));
    }
    if session.is_behind() {
        parts.push(("computing…".to_owned(), theme.warning));
    } else if session.view == View::Users && !session.is_compared() {
        parts.push(("comparing…".to_owned(), theme.warning));
    }
    let usual = match session.view {
        View::Tree => "tree order",
        View::Ranking => "first to run on top",
        View::Users => "farthest apart on top",
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

/// The last line: a prompt, a question, a notice, or the keys that do something here.
pub(super) fn draw_bottom(app: &App, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let theme = &app.theme;
    let draw = |buffer: &mut Buffer, line: &Line| buffer.set_line(area.x, area.y, line, area.width);
    match (&app.dialog, &app.notice) {
        (Some(Dialog::Prompt(_)), _) => return draw_prompt(app, area, buffer),
        (Some(Dialog::Confirm(question)), _) => {
            draw(buffer, &question_line(app, question));
        }
        (_, Some(Notice::Said(text))) => {
            let text = app.spelled(text.clone());
            let text = cut(&text, usize::from(area.width.saturating_sub(1))).into_owned();
            draw(
                buffer,
                &Line::from(vec![Span::raw(" "), Span::styled(text, theme.strong)]),
            );
        }
        (_, Some(Notice::Failed(text))) => {
            let text = app.spelled(text.clone());
            let text = cut(&text, usize::from(area.width.saturating_sub(1))).into_owned();
            draw(
                buffer,
                &Line::from(vec![Span::raw(" "), Span::styled(text, theme.error)]),
            );
        }
        _ if app.loading.is_some() => {
            draw(buffer, &loading_line(app));
        }
        _ => draw_hints(app, area, buffer),
    }
    None
}

fn question_line(app: &App, question: &Confirm) -> Line<'static> {
    let theme = &app.theme;
    let text = match question {
        Confirm::Quit => {
            let unsaved = app
                .sessions
                .iter()
                .find(|session| session.has_unsaved_edits())
                .or_else(|| app.session());
            let edits = unsaved.map_or(0, |session| session.scenario.history().done().len());
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
    };
    let choices: &[(&str, &str)] = match question {
        Confirm::Quit => &[
            ("y", " quit without saving  "),
            ("w", " save first  "),
            ("esc", " stay"),
        ],
        Confirm::Replace { .. } => &[("y", " replace it  "), ("esc", " leave it")],
    };
    let mut spans = vec![Span::styled(text, theme.warning)];
    for &(key, text) in choices {
        spans.push(Span::styled(key, theme.key));
        spans.push(Span::styled(text, theme.text));
    }
    Line::from(spans)
}

fn loading_line(app: &App) -> Line<'static> {
    let theme = &app.theme;
    let Some(loading) = &app.loading else {
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
        parts.push(number::counted(progress.nodes, "node", "nodes"));
    }
    let text = parts.join("  ");
    Line::from(vec![
        Span::styled(text, theme.strong),
        Span::raw("   "),
        Span::styled("esc", theme.key),
        Span::styled(" stops", theme.dim),
    ])
}

/// The prompt with its line, what the cell held before, and what can be typed. Gives the cursor's place.
fn draw_prompt(app: &App, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let Some(Dialog::Prompt(prompt)) = &app.dialog else {
        return None;
    };
    let theme = &app.theme;
    let name = |node| {
        app.session().map_or_else(String::new, |session| {
            app.spelled(shown(session.scenario.tree().name(node)))
        })
    };
    let of_setting = match prompt.purpose {
        Purpose::Setting { key, .. } => set_to(app, key),
        _ => String::new(),
    };
    let (label, before, verb, hint) = match prompt.purpose {
        Purpose::Shares(node) => (
            format!(" shares of {}: ", name(node)),
            held(app, ColumnId::Shares, node),
            "keeps",
            "20 +10 *2 50%",
        ),
        Purpose::Usage(node) => (
            format!(" usage of {}: ", name(node)),
            held(app, ColumnId::Usage, node),
            "keeps",
            "3600 +3600 *0.5",
        ),
        Purpose::Setting { key, .. } => (
            format!(" {key}: "),
            String::new(),
            "keeps",
            of_setting.as_str(),
        ),
        Purpose::Search(_) => (
            " find: ".to_owned(),
            String::new(),
            "stays",
            "then n next, N previous",
        ),
        Purpose::Save => (
            " save scenario as: ".to_owned(),
            String::new(),
            "saves",
            "a .toml file",
        ),
        Purpose::Open => (
            " open: ".to_owned(),
            String::new(),
            "opens",
            "sched_priv, .csv, .toml",
        ),
    };
    let right = area.right();
    let room = |x: u16| usize::from(right.saturating_sub(x));
    let label = cut(&label, usize::from(area.width / 2)).into_owned();
    let (x, y) = buffer.set_stringn(area.x, area.y, label, room(area.x), theme.strong);
    let width = usize::from(right.saturating_sub(x).max(1));
    let scroll = prompt.input.visual_scroll(width.saturating_sub(1));
    let visible = skip_cells(prompt.input.value(), scroll);
    let (end, _) = buffer.set_stringn(x, y, &visible, width, theme.text);
    let cursor = u16::try_from(prompt.input.visual_cursor().saturating_sub(scroll)).unwrap_or(0);
    let cursor = (x.saturating_add(cursor).min(right.saturating_sub(1)), y);
    let start = end.max(cursor.0 + 1);
    let error = prompt.error.as_ref().map(|error| {
        // The prompt names the setting already.
        let named = match prompt.purpose {
            Purpose::Setting { key, .. } => error.strip_prefix(key),
            _ => None,
        };
        let rest = named.and_then(|rest| rest.strip_prefix(": "));
        app.spelled(rest.unwrap_or(error).to_owned())
    });
    if let Some(error) = error
        .as_ref()
        .filter(|error| cells(error) + 3 > room(start))
    {
        draw_above(error, area, buffer, theme);
        return Some(cursor);
    }
    let after = match error {
        Some(error) => (format!("   {error}"), theme.error),
        None => (
            format!("   {before}enter {verb} · esc leaves · {hint}"),
            theme.dim,
        ),
    };
    buffer.set_stringn(start, y, cut(&after.0, room(start)), room(start), after.1);
    Some(cursor)
}

/// Draws a sentence that does not fit beside its prompt over the lines above it.
fn draw_above(sentence: &str, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let width = usize::from(area.width);
    let lines = super::overlay::wrap(sentence, width.saturating_sub(2));
    // The title and the tabs stay.
    let height = lines.len().min(usize::from(area.y.saturating_sub(2)));
    let top = area.y - u16::try_from(height).unwrap_or(0);
    for (line, y) in lines[..height].iter().zip(top..area.y) {
        let text = format!(" {line:<width$}");
        buffer.set_stringn(area.x, y, text, width, theme.text);
        buffer.set_style(
            Rect {
                y,
                height: 1,
                ..area
            },
            theme.error,
        );
    }
}

/// A text without its first cells.
fn skip_cells(text: &str, skipped: usize) -> String {
    let mut used = 0;
    text.chars()
        .skip_while(|char| {
            let skip = used < skipped;
            used += unicode_width::UnicodeWidthChar::width(*char).unwrap_or(0);
            skip
        })
        .collect()
}

/// What a cell held in the snapshot.
fn held(app: &App, column: ColumnId, node: NodeId) -> String {
    let Some(session) = app.session() else {
        return String::new();
    };
    let base = &session.scenario.base().tree;
    if session.scenario.is_new(node) {
        return String::new();
    }
    let text = match column {
        ColumnId::Shares => base.shares(node).to_string(),
        _ => base.usage(node).amount().map_or_else(
            || "none".to_owned(),
            |amount| number::cell(Value::Double(amount), column.unit()),
        ),
    };
    format!("was {text} · ")
}

/// What a setting was in the snapshot, and what fits it.
fn set_to(app: &App, key: &str) -> String {
    app.session().map_or_else(String::new, |session| {
        let base = session.scenario.base();
        let policy = session.scenario.policy();
        let value = policy.setting(&base.tree, &base.settings, key);
        let expected = Settings::expected(key).unwrap_or_default();
        format!("was {} · {expected}", app.spelled(shown(value.as_bytes())))
    })
}

fn draw_hints(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = &app.theme;
    let has_settings = app
        .session()
        .is_some_and(|session| !session.scenario.policy().setting_keys().is_empty());
    let actions = hints(app.session().map(|session| session.view));
    let mut x = area.x + 1;
    for &(action, word) in actions {
        let is_of_settings = matches!(action, Action::Settings | Action::LowerSetting);
        if is_of_settings && !has_settings {
            continue;
        }
        let mut hint = app.keymap.hint(action);
        if action == Action::LowerSetting {
            hint.push(' ');
            hint.push_str(&app.keymap.hint(Action::RaiseSetting));
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

/// What can be done on a screen, the most wanted first.
const fn hints(view: Option<View>) -> &'static [(Action, &'static str)] {
    match view {
        None => &[
            (Action::Open, "open"),
            (Action::Help, "help"),
            (Action::Quit, "quit"),
        ],
        Some(View::Tree) => &[
            (Action::EditShares, "shares"),
            (Action::EditUsage, "usage"),
            (Action::Toggle, "fold"),
            (Action::Search, "find"),
            (Action::NextPolicy, "policy"),
            (Action::Undo, "undo"),
            (Action::Save, "save"),
            (Action::Help, "help"),
            (Action::Quit, "quit"),
            (Action::Settings, "settings"),
            (Action::SortRows, "sort"),
            (Action::FilterRows, "filter"),
            (Action::LowerSetting, "less, more"),
            (Action::Columns, "columns"),
            (Action::Why, "why"),
            (Action::Curves, "curves"),
            (Action::Open, "open"),
            (Action::Palette, "all actions"),
        ],
        Some(View::Ranking) => &[
            (Action::EditShares, "shares"),
            (Action::EditUsage, "usage"),
            (Action::Toggle, "in tree"),
            (Action::Search, "find"),
            (Action::NextPolicy, "policy"),
            (Action::Undo, "undo"),
            (Action::Save, "save"),
            (Action::Help, "help"),
            (Action::Quit, "quit"),
            (Action::Settings, "settings"),
            (Action::SortRows, "sort"),
            (Action::FilterRows, "filter"),
            (Action::Why, "why"),
            (Action::Palette, "all actions"),
        ],
        Some(View::Users) => &[
            (Action::NextPolicy, "policy"),
            (Action::Toggle, "in tree"),
            (Action::Search, "find"),
            (Action::EditShares, "shares"),
            (Action::Undo, "undo"),
            (Action::Help, "help"),
            (Action::Quit, "quit"),
            (Action::Settings, "settings"),
            (Action::SortRows, "sort"),
            (Action::FilterRows, "filter"),
            (Action::Why, "agreement, why"),
            (Action::Palette, "all actions"),
        ],
    }
}
