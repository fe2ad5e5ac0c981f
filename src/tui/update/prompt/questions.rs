//! Prompts for answers: a name, a file, what a page is to work out.

use super::row::{First, Row};
use super::words::name;
use crate::model::NodeId;
use crate::report::outline::Search;
use crate::scenario::NameError;
use crate::source::format::Request;
use crate::tui::page::subject::Subject;
use crate::tui::state::prompt::{Purpose, Words};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::update::{clock, opening, page, page_keys, scenarios, time};
use std::path::PathBuf;

/// A name to find; `origin` is where the cursor was before.
pub(super) fn search(origin: NodeId) -> Row {
    let words = Words::new("find", "stays", "then n next, N previous");
    Row {
        check: Box::new(move |session, text| {
            let search = Search::new(session.scenario.tree(), text);
            let first = search.from(session.scenario.tree(), origin);
            session.search = (!text.is_empty()).then_some(search);
            session.select(first.unwrap_or(origin));
            if first.is_some() || text.is_empty() {
                Ok(())
            } else {
                Err("no name holds this".to_owned())
            }
        }),
        leave: Box::new(move |session| {
            session.search = None;
            session.select(origin);
        }),
        ..Row::answer(words, |_, _, _| Ok(()))
    }
}

/// The file in which the scenario is saved.
pub(super) fn file() -> Row {
    let words = Words::new("save scenario as", "saves", "a .toml file");
    Row::answer_of_all(words, |app, text| {
        app.save(path_of(&app.ui, text));
        Ok(())
    })
}

/// The file in which a page is saved.
pub(super) fn page_file() -> Row {
    let words = Words::new("save this as", "saves", "a new file");
    Row::answer_of_all(words, |app, text| {
        let (path, sources) = (path_of(&app.ui, text), app.sources());
        page_keys::save(&mut app.ui, &path, sources);
        Ok(())
    })
}

/// A source to open.
pub(super) fn source() -> Row {
    let words = Words::new("open", "opens", "sched_priv, .csv, .toml");
    Row::answer_of_all(words, |app, text| {
        if !text.is_empty() {
            let request = Request {
                path: path_of(&app.ui, text),
                ..Request::default()
            };
            app.ui.typed_path = Some((Purpose::Open, text.to_owned()));
            opening::open(&mut app.ui, request);
        }
        Ok(())
    })
}

/// The file that is compared with the open tree.
pub(super) fn other_source() -> Row {
    let words = Words::new(
        "what changed since",
        "compares",
        "an older file or directory",
    );
    Row::answer(
        words,
        unless_blank(|session, ui, text| {
            let path = ui.options.folder.join(path_of(ui, text));
            ui.typed_path = Some((Purpose::DiffWith, text.to_owned()));
            page::open(session, ui, Subject::Diff(path));
            Ok(())
        }),
    )
}

/// The name of a copy of the scenario.
pub(super) fn new_scenario() -> Row {
    let words = Words::new("a copy called", "makes it", "as in more for physics");
    Row {
        first: First::Replaces,
        check: Box::new(|session, text| checked(session.new_name(text))),
        ..Row::answer(words, |session, ui, text| {
            checked(scenarios::add_copy(session, ui, text))
        })
    }
}

/// Another name for the scenario.
pub(super) fn scenario_name() -> Row {
    let words = Words::new("call it", "renames", "as in more for physics");
    Row {
        check: Box::new(|session, text| checked(session.other_name(text))),
        ..Row::answer(words, |session, ui, text| {
            checked(scenarios::rename(session, ui, text))
        })
    }
}

/// Says why a scenario cannot have a name.
fn checked<T>(name: Result<T, NameError>) -> Result<(), String> {
    name.map(|_| ()).map_err(|error| error.to_string())
}

/// Why the last edit was made.
pub(super) fn reason() -> Row {
    let words = Words::new("why", "keeps", "saved with the last edit");
    Row::answer(words, |session, ui, text| {
        scenarios::give_reason(session, ui, text);
        Ok(())
    })
}

/// The goal that a node is to reach.
pub(super) fn goal(session: Option<&Session>, node: NodeId) -> Row {
    let words = Words::new(
        format!("goal of {}", name(session, node)),
        "solves",
        "on-target rank<=3 factor>=0.5 share>=5% ahead-of PATH",
    );
    Row {
        first: First::Replaces,
        ..Row::answer(
            words,
            unless_blank(move |session, ui, text| page::take_goal(session, ui, node, text)),
        )
    }
}

/// The goal of the estimate on the Time screen; nothing is being on target.
pub(super) fn time_goal() -> Row {
    let words = Words::new(
        "goal of the estimate",
        "keeps",
        "on-target rank<=3 factor>=0.5 ahead-of PATH",
    );
    Row {
        first: First::Replaces,
        ..Row::answer(words, |session, _, text| time::take_goal(session, text))
    }
}

/// The half-life under which lines are drawn once more; nothing is none.
pub(super) fn other_half_life() -> Row {
    let words = Words::new(
        "also with a half-life of",
        "draws it",
        "14d, 12h, or nothing",
    );
    Row {
        first: First::Replaces,
        ..Row::answer(words, time::take_half_life)
    }
}

/// How long to wait, or until when.
pub(super) fn jump() -> Row {
    let words = Words::new("go to", "waits", "7d on, 36h, or a date: 2026-12-02");
    Row::answer(words, unless_blank(clock::take_jump))
}

/// A machine that hands out cores.
pub(super) fn machine() -> Row {
    let words = Words::new("cores", "hands them out", "job 1h against POLICY");
    Row {
        // A blank goes on to the words behind the cores.
        first: First::ReplacesUnless(|char| char == ' '),
        ..Row::answer(words, unless_blank(page::take_machine))
    }
}

/// The name of the cluster that the commands of a plan are for.
pub(super) fn cluster() -> Row {
    let words = Words::new("name of the cluster", "names it", "as sacctmgr has it");
    Row::answer(
        words,
        unless_blank(|session, ui, text| page::take_cluster(session, ui, text.trim())),
    )
}

/// Takes a line, unless it is blank: then the prompt closes, and nothing happens.
fn unless_blank(
    take: impl Fn(&mut Session, &mut Ui, &str) -> Result<(), String>,
) -> impl Fn(&mut Session, &mut Ui, &str) -> Result<(), String> {
    move |session, ui, text| {
        if text.trim().is_empty() {
            Ok(())
        } else {
            take(session, ui, text)
        }
    }
}

/// Returns the path that a line means: `~/` is the home directory, as in a shell.
fn path_of(ui: &Ui, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), &ui.options.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}
