//! Keys on a page: scrolling, choosing, copying, saving.

use crate::base::shown::{Shown, sentence, visible};
use crate::format::Request;
use crate::scenario::write;
use crate::tui::input::action::Action;
use crate::tui::page::subject::Subject;
use crate::tui::state::message::{Effect, LONGEST_COPY};
use crate::tui::state::open_page::OpenPage;
use crate::tui::state::prompt::Purpose;
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::update::editing::apply;
use crate::tui::update::manual;
use ratatui::layout::Position;
use std::path::Path;

/// The notice about a page that is not computed yet.
pub(crate) const UNANSWERED: &str = "not ready yet; wait, or press esc to cancel";

/// Scrolls a page by a number of screens. One line of each screen stays visible.
pub(crate) fn scroll_screens(open: &mut OpenPage, by: isize) {
    let (height, _) = open.height.get();
    let page = height.saturating_sub(1).max(1).cast_signed();
    open.scroll(by * page);
}

/// Returns whether a page is about a simulated cluster.
pub(crate) fn is_contention(open: &OpenPage) -> bool {
    matches!(open.subject, Subject::Contention(..))
}

/// Returns whether a page has something to choose, to follow or to name. A page that is not computed yet may have.
pub(crate) fn has_choice(open: &OpenPage) -> bool {
    open.answer()
        .is_none_or(|page| page.choice_count() > 0 || page.lacks_cluster)
}

/// Copies the text of the page.
pub(crate) fn copy(ui: &mut Ui) {
    let Some(page) = ui.front_page().and_then(OpenPage::answer) else {
        return ui.say(UNANSWERED);
    };
    let text = page.text();
    if text.len() > LONGEST_COPY {
        let key = ui.hint(Action::Save);
        let what = page.what.clone();
        // A truncated list of commands would do something else.
        return ui.fail(sentence!(
            "{what} is too long for the clipboard of a terminal; {key} saves it to a file"
        ));
    }
    let what = page.what.clone();
    ui.say(sentence!("copied {what}"));
    ui.queue(Effect::Copy(text));
}

/// Asks where to save the page.
pub(crate) fn ask_where_to_save(ui: &mut Ui) {
    let Some(page) = ui.front_page().and_then(OpenPage::answer) else {
        return ui.say(UNANSWERED);
    };
    let line = ui.line(Path::new(&page.file));
    ui.prompt(Purpose::SavePage, line);
}

/// Saves the page in a file, together with its other files. Never writes to `sources`.
pub(crate) fn save(ui: &mut Ui, path: &Path, sources: Vec<Request>) {
    if path.as_os_str().is_empty() {
        return ui.fail("no file name given; nothing was saved");
    }
    let Some(page) = ui.front_page().and_then(OpenPage::answer) else {
        return ui.say(UNANSWERED);
    };
    let beside = page.files.iter();
    let beside = beside.map(|(name, bytes)| (path.with_file_name(name), bytes.clone()));
    let files = beside.chain([(path.to_owned(), page.text().into_bytes())]);
    ui.queue(Effect::Export {
        files: files.collect(),
        sources,
    });
}

/// Asks for a text to find on the page.
pub(crate) fn ask_for_text(ui: &mut Ui) {
    ui.prompt(Purpose::SearchPage, String::new());
}

/// Goes to the first line that contains the text.
pub(crate) fn search(ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let Some(open) = ui.front_page_mut() else {
        return Ok(());
    };
    text.clone_into(&mut open.search);
    open.matched = None;
    if text.is_empty() || open.find(true, true) {
        Ok(())
    } else {
        Err("no match on this page".into())
    }
}

/// Goes to the next match on the page, or to the previous one.
pub(crate) fn step_found(ui: &mut Ui, is_forward: bool) {
    let key = ui.hint(Action::Search);
    let Some(open) = ui.front_page_mut() else {
        return;
    };
    if open.search.is_empty() {
        ui.say(sentence!("no active search; {key} searches this page"));
    } else if !open.find(is_forward, false) {
        ui.say("no match on this page");
    }
}

/// Handles a click on a page. A click on a choice moves the cursor there. Returns whether a choice was clicked.
pub(crate) fn click(open: &mut OpenPage, at: Position) -> bool {
    let area = open.area.get();
    if !area.contains(at) || open.chosen().is_none() {
        return false;
    }
    let line = open.on_screen().start + usize::from(at.y - area.y);
    let lines = open.lines.borrow();
    let clicked = lines.as_ref().and_then(|(_, lines)| lines.get(line));
    // The lines begin one column from the left.
    let column = (at.x - area.x).saturating_sub(1);
    let choice = clicked.and_then(|line| line.choice_at(column));
    drop(lines);
    if let Some(choice) = choice {
        open.choice = choice;
    }
    choice.is_some()
}

/// Applies the choice under the cursor as an edit. A choice outside the screen is scrolled into view first.
pub(crate) fn apply_choice(session: &mut Session, ui: &mut Ui) {
    if ui.manual.is_some() {
        return manual::follow(ui);
    }
    let Some(open) = &mut ui.page else {
        return;
    };
    let Some(page) = open.answer() else {
        return ui.say(UNANSWERED);
    };
    let lacks_cluster = page.lacks_cluster;
    let Some((edit, node)) = open.chosen().map(|choice| page.choices[choice].clone()) else {
        if lacks_cluster {
            ui.prompt(Purpose::Cluster, String::new());
        }
        return;
    };
    if !open.is_choice_on_screen() {
        open.show_choice();
        let key = ui.hint(Action::Toggle);
        return ui.say(sentence!("{key} applies this one"));
    }
    ui.page = None;
    let text = write(&edit, session.scenario.tree());
    apply(session, ui, edit);
    session.select(node);
    if ui.notice.is_none() {
        let key = ui.hint(Action::Undo);
        let text = visible(&text);
        ui.say(sentence!("applied {text}; {key} undoes it"));
    }
}
