//! The prompts for answers: for each purpose what is asked for, how the line is read, and what becomes of it.

use crate::analysis::advise::SiteGoal;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::NodeId;
use crate::report::outline::Search;
use crate::report::question::{AdviceQuestion, ChangedShares, GoalQuestion, Question};
use crate::scenario::Scenario;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Keymap;
use crate::tui::page::content::Subject;
use crate::tui::state::{AnswerPurpose, App, PromptLabels, Session, Ui};
use crate::tui::update::{opening, page, scenarios, time};

/// What a name of a scenario may be.
const SCENARIO_NAMES: &str = "such as: more for physics";

/// Returns the texts around a prompt for an answer. Without an open tree, they name no nodes.
pub(super) fn labels(
    purpose: &AnswerPurpose,
    session: Option<&Session>,
    keymap: &Keymap,
) -> PromptLabels {
    match *purpose {
        AnswerPurpose::Search => found_labels("select", keymap),
        AnswerPurpose::SearchPage => found_labels("go there", keymap),
        AnswerPurpose::Save => text("save scenario as", "save", "a .toml file"),
        AnswerPurpose::SavePage => text("save this as", "save", "a new file"),
        AnswerPurpose::SaveScreen => {
            let hint = "a new .svg, .txt or .html file";
            text("save the screen as", "save", hint)
        }
        AnswerPurpose::Open => text("open", "open", "tab completes"),
        AnswerPurpose::DiffWith => {
            let hint = "an older file or directory";
            text("compare with", "compare", hint)
        }
        AnswerPurpose::NewScenario => text("a copy called", "create", SCENARIO_NAMES),
        AnswerPurpose::RenameScenario => text("call it", "rename", SCENARIO_NAMES),
        AnswerPurpose::Reason => text("note", "save", "saved with the last edit"),
        AnswerPurpose::Goal(node) => {
            let name = match session {
                Some(session) => shown(session.scenario.tree().name(node)),
                None => Shown::default(),
            };
            let hint = "on-target rank<=3 share>=5% ahead-of PATH, or share(A)>=5%; keep(others)";
            text(sentence!("goal of {name}"), "solve", hint)
        }
        AnswerPurpose::TimeGoal => {
            let hint = "on-target rank<=3 factor>=0.5 ahead-of PATH";
            text("goal of the estimate", "apply", hint)
        }
        AnswerPurpose::OtherHalfLife => {
            let hint = "14d, 12h, or nothing";
            text("also with a half-life of", "draw", hint)
        }
        AnswerPurpose::Jump => text("go to", "go", "7d, 36h or a date: 2026-12-02"),
        AnswerPurpose::Machine => text("cores", "simulate", "job 1h against POLICY"),
        AnswerPurpose::Cluster => text("name of the cluster", "set", "as sacctmgr has it"),
    }
}

/// Returns labels of a prompt whose text belongs to no cell.
fn text(label: impl Into<Shown>, verb: &'static str, hint: impl Into<Shown>) -> PromptLabels {
    PromptLabels {
        label: label.into(),
        verb,
        hint: hint.into(),
        cell: None,
    }
}

/// Returns the labels of a search, with the keys that go to further matches.
fn found_labels(verb: &'static str, keymap: &Keymap) -> PromptLabels {
    let next = keymap.hint(Action::NextFound);
    let previous = keymap.hint(Action::PreviousFound);
    text(
        "find",
        verb,
        sentence!("then {next} next, {previous} previous"),
    )
}

/// Returns whether a first character goes on with the suggested text; otherwise it replaces it.
pub(super) fn goes_on(purpose: &AnswerPurpose, char: char) -> bool {
    // A blank keeps the number of cores and continues the line.
    *purpose == AnswerPurpose::Machine && char == ' '
}

/// Previews an answer, or returns why it is invalid.
pub(super) fn check(
    purpose: &AnswerPurpose,
    session: &mut Session,
    text: &str,
) -> Result<(), Shown> {
    match purpose {
        AnswerPurpose::Search => search(session, text),
        AnswerPurpose::NewScenario => session.new_name(text).map(drop),
        AnswerPurpose::RenameScenario => session.other_name(text).map(drop),
        _ => Ok(()),
    }
}

/// Selects the first node that a text finds. What an earlier text unfolded is folded again.
fn search(session: &mut Session, text: &str) -> Result<(), Shown> {
    if text.is_empty() {
        session.search = None;
        session.restart_search();
        return Ok(());
    }
    let search = Search::new(session.scenario.tree(), text);
    let first = search.found.first().copied();
    session.search = Some(search);
    session.restart_search();
    match first {
        Some(first) => {
            session.select(first);
            Ok(())
        }
        None => Err("no match".into()),
    }
}

/// Reverts the preview of a cancelled prompt.
pub(super) fn leave(purpose: &AnswerPurpose, session: &mut Session) {
    if *purpose == AnswerPurpose::Search {
        session.search = None;
        session.restart_search();
        session.lists.before_search = None;
    }
}

/// Takes an answer, or returns why it does not do. A blank line that asks for nothing only closes the prompt.
pub(super) fn answer(purpose: &AnswerPurpose, app: &mut App, text: &str) -> Result<(), Shown> {
    if is_optional(purpose) && text.trim().is_empty() {
        return Ok(());
    }
    match purpose {
        AnswerPurpose::Save => {
            let path = app.ui.path(text);
            app.save(path);
        }
        AnswerPurpose::SavePage => {
            let path = app.ui.path(text);
            let sources = app.sources();
            page::save(&mut app.ui, &path, sources);
        }
        AnswerPurpose::SaveScreen => {
            let path = app.ui.path(text);
            return app.save_screen(path);
        }
        AnswerPurpose::SearchPage => return page::search(&mut app.ui, text),
        AnswerPurpose::Open => opening::open_typed(&mut app.ui, text),
        _ => {
            if let Some((session, ui)) = app.open_tree() {
                return answer_in_tree(purpose, session, ui, text);
            }
        }
    }
    Ok(())
}

/// Takes an answer about the tree in front, or returns why it does not do.
fn answer_in_tree(
    purpose: &AnswerPurpose,
    session: &mut Session,
    ui: &mut Ui,
    text: &str,
) -> Result<(), Shown> {
    match *purpose {
        AnswerPurpose::Search => session.lists.before_search = None,
        AnswerPurpose::Reason => scenarios::give_reason(session, ui, text),
        AnswerPurpose::DiffWith => compare_with(session, ui, text),
        AnswerPurpose::Goal(node) => return solve(session, ui, node, text),
        AnswerPurpose::NewScenario => return scenarios::add_copy(session, ui, text),
        AnswerPurpose::RenameScenario => return scenarios::rename(session, ui, text),
        AnswerPurpose::TimeGoal => return time::take_goal(session, text),
        AnswerPurpose::OtherHalfLife => return time::take_half_life(session, ui, text),
        AnswerPurpose::Jump => return time::take_jump(session, ui, text),
        AnswerPurpose::Machine => return page::take_machine(session, ui, text),
        AnswerPurpose::Cluster => return page::take_cluster(session, ui, text),
        // These need no tree.
        AnswerPurpose::Save
        | AnswerPurpose::SavePage
        | AnswerPurpose::SaveScreen
        | AnswerPurpose::SearchPage
        | AnswerPurpose::Open => {}
    }
    Ok(())
}

/// Returns whether a blank line asks for nothing.
const fn is_optional(purpose: &AnswerPurpose) -> bool {
    matches!(
        purpose,
        AnswerPurpose::DiffWith
            | AnswerPurpose::Goal(_)
            | AnswerPurpose::Jump
            | AnswerPurpose::Machine
            | AnswerPurpose::Cluster
    )
}

/// Opens the comparison with a typed file, which is asked for again if it cannot be opened.
fn compare_with(session: &mut Session, ui: &mut Ui, text: &str) {
    let path = ui.options.folder.join(ui.path(text));
    page::open(session, ui, Subject::Diff(path));
    if let Some(open) = &mut ui.page {
        open.typed = Some(text.to_owned());
    }
}

/// Opens the page that says what reaches a typed goal. Goals of a site have another page.
fn solve(session: &mut Session, ui: &mut Ui, node: NodeId, text: &str) -> Result<(), Shown> {
    let scenario = &session.scenario;
    // Only goals of a site are calls, or lists.
    let is_of_site = !text.starts_with("ahead-of") && text.contains(['(', ';']);
    let question = if is_of_site {
        Question::Advice(AdviceQuestion::of(site_goals(scenario, text)?))
    } else {
        Question::Goal(GoalQuestion {
            node,
            goal: time::goal(text, scenario.tree())?,
            change: ChangedShares::OfAnyLevel,
        })
    };
    page::ask(session, ui, question);
    Ok(())
}

/// Reads the goals of a site, separated by semicolons.
fn site_goals(scenario: &Scenario, text: &str) -> Result<Vec<SiteGoal>, Shown> {
    let mut goals = Vec::new();
    for goal in text.split(';') {
        if goal.trim().is_empty() {
            continue;
        }
        let read = SiteGoal::parse(goal.as_bytes(), scenario);
        goals.push(read.map_err(|error| Shown::error(&error))?);
    }
    Ok(goals)
}
