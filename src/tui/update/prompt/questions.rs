//! Prompts for answers: a name, a file, or the input of a page.

use super::row::PromptRow;
use super::words::name;
use crate::base::shown::{Shown, sentence};
use crate::format::Request;
use crate::model::NodeId;
use crate::report::outline::Search;
use crate::scenario::NameError;
use crate::tui::page::subject::Subject;
use crate::tui::state::prompt::{PromptLabels, Purpose};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::update::{clock, opening, page, page_keys, scenarios, time};

/// Returns the prompt for a name to find.
pub(super) fn search() -> PromptRow {
    let labels = PromptLabels::new("find", "select", "then n next, N previous");
    PromptRow {
        check: Box::new(move |session, text| {
            let search = Search::new(session.scenario.tree(), text);
            let first = search.found().first().copied();
            session.search = (!text.is_empty()).then_some(search);
            // What an earlier text unfolded is folded again.
            session.restart_search();
            if let Some(first) = first {
                session.select(first);
            }
            if first.is_some() || text.is_empty() {
                Ok(())
            } else {
                Err("no match".into())
            }
        }),
        leave: Box::new(move |session| {
            session.search = None;
            session.restart_search();
            session.lists.before_search = None;
        }),
        ..PromptRow::answer(labels, |session, _, _| {
            session.lists.before_search = None;
            Ok(())
        })
    }
}

/// Returns the prompt for a text to find on the page in front.
pub(super) fn page_search() -> PromptRow {
    let labels = PromptLabels::new("find", "go there", "then n next, N previous");
    PromptRow::answer_of_all(labels, |app, text| page_keys::search(&mut app.ui, text))
}

/// Returns the prompt for the file in which to save the scenario.
pub(super) fn file() -> PromptRow {
    let labels = PromptLabels::new("save scenario as", "save", "a .toml file");
    PromptRow::answer_of_all(labels, |app, text| {
        app.save(app.ui.path(text));
        Ok(())
    })
}

/// Returns the prompt for the file in which to save a page.
pub(super) fn page_file() -> PromptRow {
    let labels = PromptLabels::new("save this as", "save", "a new file");
    PromptRow::answer_of_all(labels, |app, text| {
        let (path, sources) = (app.ui.path(text), app.sources());
        page_keys::save(&mut app.ui, &path, sources);
        Ok(())
    })
}

/// Returns the prompt for the file in which to save the screen.
pub(super) fn screen_file() -> PromptRow {
    let labels = PromptLabels::new(
        "save the screen as",
        "save",
        "a new .svg, .txt or .html file",
    );
    PromptRow::answer_of_all(labels, |app, text| app.save_screen(app.ui.path(text)))
}

/// Returns the prompt for a source to open.
pub(super) fn source() -> PromptRow {
    let labels = PromptLabels::new("open", "open", "tab completes");
    PromptRow::answer_of_all(labels, |app, text| {
        if !text.is_empty() {
            let request = Request {
                path: app.ui.path(text),
                ..Request::default()
            };
            app.ui.typed_path = Some((Purpose::Open, text.to_owned()));
            opening::open(&mut app.ui, request);
        }
        Ok(())
    })
}

/// Returns the prompt for the file to compare with the open tree.
pub(super) fn other_source() -> PromptRow {
    let labels = PromptLabels::new("compare with", "compare", "an older file or directory");
    PromptRow::answer(
        labels,
        unless_blank(|session, ui, text| {
            let path = ui.options.folder.join(ui.path(text));
            ui.typed_path = Some((Purpose::DiffWith, text.to_owned()));
            page::open(session, ui, Subject::Diff(path));
            Ok(())
        }),
    )
}

/// Returns the prompt for the name of a copy of the scenario.
pub(super) fn new_scenario() -> PromptRow {
    let labels = PromptLabels::new("a copy called", "create", "such as: more for physics");
    PromptRow {
        check: Box::new(|session, text| checked(session.new_name(text))),
        ..PromptRow::answer(labels, |session, ui, text| {
            checked(scenarios::add_copy(session, ui, text))
        })
    }
}

/// Returns the prompt for a new name of the scenario.
pub(super) fn scenario_name() -> PromptRow {
    let labels = PromptLabels::new("call it", "rename", "such as: more for physics");
    PromptRow {
        check: Box::new(|session, text| checked(session.other_name(text))),
        ..PromptRow::answer(labels, |session, ui, text| {
            checked(scenarios::rename(session, ui, text))
        })
    }
}

/// Returns the reason why a scenario cannot have a name.
fn checked<T>(name: Result<T, NameError>) -> Result<(), Shown> {
    name.map(|_| ()).map_err(|error| Shown::error(&error))
}

/// Returns the prompt for the reason of the last edit.
pub(super) fn reason() -> PromptRow {
    let labels = PromptLabels::new("note", "save", "saved with the last edit");
    PromptRow::answer(labels, |session, ui, text| {
        scenarios::give_reason(session, ui, text);
        Ok(())
    })
}

/// Returns the prompt for the goal of a node.
pub(super) fn goal(session: Option<&Session>, node: NodeId) -> PromptRow {
    let labels = PromptLabels::new(
        sentence!("goal of {}", name(session, node)),
        "solve",
        "on-target rank<=3 factor>=0.5 share>=5% ahead-of PATH",
    );
    PromptRow::answer(
        labels,
        unless_blank(move |session, ui, text| page::take_goal(session, ui, node, text)),
    )
}

/// Returns the prompt for the goal of the estimate on the Time screen. An empty line means being on target.
pub(super) fn time_goal() -> PromptRow {
    let labels = PromptLabels::new(
        "goal of the estimate",
        "apply",
        "on-target rank<=3 factor>=0.5 ahead-of PATH",
    );
    PromptRow::answer(labels, |session, _, text| time::take_goal(session, text))
}

/// Returns the prompt for the half-life of the additional lines. An empty line removes them.
pub(super) fn other_half_life() -> PromptRow {
    let labels = PromptLabels::new("also with a half-life of", "draw", "14d, 12h, or nothing");
    PromptRow::answer(labels, time::take_half_life)
}

/// Returns the prompt for a duration or a moment to move the clock to.
pub(super) fn jump() -> PromptRow {
    let labels = PromptLabels::new("go to", "go", "7d, 36h or a date: 2026-12-02");
    PromptRow::answer(labels, unless_blank(clock::take_jump))
}

/// Returns the prompt for a simulated cluster.
pub(super) fn machine() -> PromptRow {
    let labels = PromptLabels::new("cores", "simulate", "job 1h against POLICY");
    PromptRow {
        // A blank keeps the number of cores and continues the line.
        goes_on: |char| char == ' ',
        ..PromptRow::answer(labels, unless_blank(page::take_machine))
    }
}

/// Returns the prompt for the cluster that the commands of a plan are for.
pub(super) fn cluster() -> PromptRow {
    let labels = PromptLabels::new("name of the cluster", "set", "as sacctmgr has it");
    PromptRow::answer(
        labels,
        unless_blank(|session, ui, text| page::take_cluster(session, ui, text.trim())),
    )
}

/// Wraps a handler so that a blank line only closes the prompt.
fn unless_blank(
    take: impl Fn(&mut Session, &mut Ui, &str) -> Result<(), Shown>,
) -> impl Fn(&mut Session, &mut Ui, &str) -> Result<(), Shown> {
    move |session, ui, text| {
        if text.trim().is_empty() {
            Ok(())
        } else {
            take(session, ui, text)
        }
    }
}
