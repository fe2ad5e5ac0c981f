//! Questions before something that cannot be undone, with the keys that answer them.

use crate::base::number;
use crate::base::shown::{cells, cut, sentence, shown};
use crate::report::label;
use crate::tui::screen::button::{self, key_name};
use crate::tui::state::app::App;
use crate::tui::state::dialog::Confirm;
use crate::tui::state::node_set::{names, users_in};
use crate::tui::state::scenarios::title;
use crate::tui::state::session::Session;
use crate::tui::widget::viewport::Regions;
use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws a question and the keys that answer it, which can be clicked.
pub(crate) fn draw(
    app: &App,
    question: &Confirm,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    let theme = &app.ui.theme;
    let choices = choices(question);
    // The keys stay visible, even with long names.
    let widths = choices
        .iter()
        .map(|(key, text)| cells(&key_name(*key)) + 1 + cells(text));
    // A blank is before them, and two are between them.
    let keys = widths.sum::<usize>() + 2 * choices.len() - 1;
    let text = text(app, question);
    let room = usize::from(area.width);
    let text = cut(text.trim_end(), room.saturating_sub(keys)).into_owned();
    let (x, _) = buffer.set_stringn(area.x, area.y, text, room, theme.warning);
    let mut x = x.saturating_add(1);
    for &(key, text) in choices {
        x = button::draw(
            theme,
            (key, text),
            Rect {
                x,
                width: area.right().saturating_sub(x),
                ..area
            },
            buffer,
            regions,
        );
        x = x.saturating_add(2);
    }
}

/// Returns the question.
fn text(app: &App, question: &Confirm) -> String {
    match question {
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
            format!(" saving drops {unread} (not understood). ")
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

/// Returns the keys that answer a question, and what each does.
fn choices(question: &Confirm) -> &'static [(KeyCode, &'static str)] {
    use KeyCode::{Char, Esc};
    match question {
        Confirm::Quit => &[
            (Char('y'), "quit without saving"),
            (Char('w'), "save first"),
            (Esc, "stay"),
        ],
        Confirm::Replace { .. } | Confirm::Changed { .. } => &[
            (Char('y'), "replace it"),
            (Char('w'), "another name"),
            (Esc, "leave it"),
        ],
        Confirm::Unread { .. } => &[
            (Char('y'), "save"),
            (Char('w'), "another name"),
            (Esc, "leave it"),
        ],
        Confirm::RemoveNodes(_) => &[(Char('y'), "delete"), (Esc, "keep")],
        Confirm::RemoveScenario => &[(Char('y'), "remove it"), (Esc, "keep it")],
    }
}
