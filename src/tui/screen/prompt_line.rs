//! The line in which something is typed.

use crate::base::number;
use crate::base::number::Value;
use crate::base::shown::{cells, cut, shown};
use crate::model::{NodeId, Settings};
use crate::rules::policy::ColumnId;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::family::FamilyEdit;
use crate::tui::state::node_set::names;
use crate::tui::state::prompt::Purpose;
use crate::tui::widget::theme::Theme;
use crate::tui::widget::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The prompt with its line, what the cell held before, and what can be typed. Gives the cursor's place.
pub(crate) fn draw(app: &App, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let Some(Dialog::Prompt(prompt)) = &app.ui.dialog else {
        return None;
    };
    let theme = &app.ui.theme;
    let (label, before, verb, hint) = words(app, &prompt.purpose);
    let right = area.right();
    let room = |x: u16| usize::from(right.saturating_sub(x));
    // Names need more room than the hints behind the line.
    let label = cut(&label, usize::from(area.width) * 2 / 3).into_owned();
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
        app.ui.spelled(rest.unwrap_or(error).to_owned())
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

/// What stands around the line: what it is for, what the cell held before, what enter does, what can be typed.
fn words(app: &App, purpose: &Purpose) -> (String, String, &'static str, String) {
    let name = |node| {
        app.session().map_or_else(String::new, |session| {
            app.ui.spelled(shown(session.scenario.tree().name(node)))
        })
    };
    let (label, before, verb, hint) = match *purpose {
        Purpose::Shares(node) => (
            format!(" shares of {}: ", name(node)),
            held(app, ColumnId::Shares, node),
            "keeps",
            "20 +10 *2 50% parent",
        ),
        Purpose::Usage(node) => (
            format!(" usage of {}: ", name(node)),
            held(app, ColumnId::Usage, node),
            "keeps",
            "3600 +3600 *0.5 nodes=4 time=2h",
        ),
        Purpose::MarkedShares => (
            format!(" shares of {}: ", marked(app)),
            String::new(),
            "keeps",
            "20 sets all, +10 *2 each its own, 10% each of its level",
        ),
        Purpose::MarkedUsage => (
            format!(" usage of {}: ", marked(app)),
            String::new(),
            "keeps",
            "3600 sets all, +3600 *0.5 nodes=4 time=2h each its own",
        ),
        Purpose::Add(account) => (
            format!(" add below {}: ", name(account)),
            String::new(),
            "adds",
            "NAME shares=5 kind=account",
        ),
        Purpose::Rename(node) => (
            format!(" rename {} to: ", name(node)),
            String::new(),
            "keeps",
            "another name",
        ),
        Purpose::MoveTo(node) => (
            format!(" move {} to: ", name(node)),
            String::new(),
            "moves",
            "a path or name, tab completes, / is the root",
        ),
        Purpose::Family(edit) => (
            format!(" {}: ", of_family(app, edit)),
            String::new(),
            "keeps",
            "100 +10 *2",
        ),
        Purpose::Setting { key, .. } => (format!(" {key}: "), String::new(), "keeps", ""),
        Purpose::Goal(node) => (
            format!(" goal of {}: ", name(node)),
            String::new(),
            "solves",
            "on-target rank<=3 factor>=0.5 share>=5% ahead-of PATH",
        ),
        ref other => {
            let (label, verb, hint) = plain(other);
            (label.to_owned(), String::new(), verb, hint)
        }
    };
    let hint = match *purpose {
        Purpose::Setting { key, .. } => set_to(app, key),
        _ => hint.to_owned(),
    };
    (label, before, verb, hint)
}

/// The prompt of a line that is about no node, what enter does with it, and what can be typed.
const fn plain(purpose: &Purpose) -> (&'static str, &'static str, &'static str) {
    match purpose {
        Purpose::Edit => (
            " edit: ",
            "keeps",
            "shares usage add remove move rename set charge scale split trade wait rate campaign pace",
        ),
        Purpose::Search(_) => (" find: ", "stays", "then n next, N previous"),
        Purpose::Save => (" save scenario as: ", "saves", "a .toml file"),
        Purpose::SavePage => (" save this as: ", "saves", "a new file"),
        Purpose::Cluster => (" name of the cluster: ", "names it", "as sacctmgr has it"),
        Purpose::NewScenario => (" a copy called: ", "makes it", "as in more for physics"),
        Purpose::RenameScenario => (" call it: ", "renames", "as in more for physics"),
        Purpose::Reason => (" why: ", "keeps", "saved with the last edit"),
        Purpose::Jump => (" go to: ", "waits", "7d on, 36h, or a date: 2026-12-02"),
        Purpose::TimeGoal => (
            " goal of the estimate: ",
            "keeps",
            "on-target rank<=3 factor>=0.5 ahead-of PATH",
        ),
        Purpose::OtherHalfLife => (
            " also with a half-life of: ",
            "draws it",
            "14d, 12h, or nothing",
        ),
        Purpose::DiffWith => (
            " what changed since: ",
            "compares",
            "an older file or directory",
        ),
        Purpose::Machine => (" cores: ", "hands them out", "job 1h against POLICY"),
        Purpose::Open => (" open: ", "opens", "sched_priv, .csv, .toml"),
        _ => ("", "keeps", ""),
    }
}

/// Draws a sentence that does not fit beside its prompt over the lines above it.
fn draw_above(sentence: &str, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let width = usize::from(area.width);
    let lines = wrap(sentence, width.saturating_sub(2));
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

/// The marked nodes, by name.
fn marked(app: &App) -> String {
    let named = app.session().map_or_else(String::new, |session| {
        let tree = session.scenario.tree();
        names(tree, &session.marks.nodes(tree))
    });
    format!("{} (marked)", app.ui.spelled(named))
}

/// What an edit of a family asks for.
fn of_family(app: &App, edit: FamilyEdit) -> String {
    app.session().map_or_else(String::new, |session| {
        app.ui.spelled(edit.label(session.scenario.tree()))
    })
}

/// What a setting was in the snapshot, and what fits it.
fn set_to(app: &App, key: &str) -> String {
    app.session().map_or_else(String::new, |session| {
        let base = session.scenario.base();
        let policy = session.scenario.policy();
        let value = policy.setting(&base.tree, &base.settings, key);
        let expected = Settings::expected(key).unwrap_or_default();
        format!(
            "was {} · {expected}",
            app.ui.spelled(shown(value.as_bytes()))
        )
    })
}
