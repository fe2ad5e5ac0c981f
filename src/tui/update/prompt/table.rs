//! The table of prompts: for each purpose what is asked for, how the line is read, and what becomes of it.

use crate::base::number::{Value, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, Scheduler, Settings, resolve};
use crate::report::outline::Search;
use crate::report::question::{ChangedShares, GoalQuestion, Question};
use crate::rules::policy::ColumnId;
use crate::scenario::{Edit, Scenario, example_job, is_worked_out, parse};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Keymap;
use crate::tui::page::advice::site_goals;
use crate::tui::page::content::Subject;
use crate::tui::state::pane::names;
use crate::tui::state::{App, PromptLabels, Purpose, Scope, Session, Ui};
use crate::tui::update::editing::{
    addition, amount, charge_or_amount, renaming, setting, shares, show_added, usage,
};
use crate::tui::update::settings::announce;
use crate::tui::update::{opening, page, scenarios, time};

const SCENARIO_NAMES: &str = "such as: more for physics";

/// The edit that a line describes, `None` if it changes nothing, or the reason why the line is not an edit.
pub(super) type ParsedEdit = Result<Option<Edit>, Shown>;

/// Returns the texts around a prompt. Without an open tree, they name no nodes.
#[expect(clippy::too_many_lines, reason = "a table, one arm a purpose")]
pub(super) fn labels(
    purpose: &Purpose,
    session: Option<&Session>,
    keymap: &Keymap,
) -> PromptLabels {
    let tree = session.map(|session| session.scenario.tree());
    let name = |node| tree.map_or_else(Shown::default, |tree| shown(tree.name(node)));
    let targets = |node: Option<NodeId>| match (node, session, tree) {
        (None, Some(session), Some(tree)) => {
            sentence!("{} (marked)", names(tree, &session.marks.nodes(tree)))
        }
        (node, ..) => node.map_or_else(Shown::default, name),
    };
    let text = |label: &'static str, verb, hint: &'static str| (label.into(), verb, hint.into());
    let (label, verb, hint): (Shown, _, Shown) = match *purpose {
        Purpose::Shares(node) => {
            let scheduler = session.and_then(|session| session.scenario.settings().scheduler);
            let hint = match scheduler {
                _ if node.is_none() => "20 sets all; +10 *2 change each; 10% of each level",
                Some(Scheduler::Pbs | Scheduler::Flux) => "20 +10 *2 50%",
                _ => "20 +10 *2 50% parent",
            };
            let label = sentence!("shares of {}", targets(node));
            (label, "apply", hint.into())
        }
        Purpose::Usage(node) => {
            let settings = session.map(|session| session.scenario.settings());
            let job = settings.map(example_job).unwrap_or_default();
            let job = match shown(job.as_bytes()) {
                none if none.is_empty() => none,
                job => sentence!(" {job}"),
            };
            let hint = match node {
                Some(_) => sentence!("3600 +3600 *0.5{job}"),
                None => sentence!("3600 sets all; +3600 *0.5{job} change each"),
            };
            let label = sentence!("usage of {}", targets(node));
            (label, "apply", hint)
        }
        Purpose::Add(account) => {
            let label = sentence!("add below {}", name(account));
            (label, "add", "NAME shares=5 kind=account".into())
        }
        Purpose::Rename(node) => {
            let label = sentence!("rename {} to", name(node));
            (label, "apply", "another name".into())
        }
        Purpose::MoveTo(node) => {
            let hint = "a path or name, tab completes, / is the root";
            (sentence!("move {} to", name(node)), "move", hint.into())
        }
        Purpose::Family(edit) => {
            let label = tree.map_or_else(Shown::default, |tree| edit.label(tree));
            (label, "apply", "100 +10 *2".into())
        }
        Purpose::Edit => {
            let hint = "shares usage add remove move rename set charge scale split trade wait rate campaign pace";
            text("edit", "apply", hint)
        }
        Purpose::Setting(key, _) => {
            let hint = session.map_or_else(Shown::default, |session| {
                let base = session.scenario.base();
                let policy = session.scenario.policy();
                let value = policy.setting(&base.tree, &base.settings, key);
                let expected = Settings::expected(key).unwrap_or_default();
                sentence!("was {} · {expected}", shown(value.as_bytes()))
            });
            (key.into(), "apply", hint)
        }
        Purpose::Search => ("find".into(), "select", next_found(keymap)),
        Purpose::SearchPage => ("find".into(), "go there", next_found(keymap)),
        Purpose::Save => text("save scenario as", "save", "a .toml file"),
        Purpose::SavePage => text("save this as", "save", "a new file"),
        Purpose::SaveScreen => {
            let hint = "a new .svg, .txt or .html file";
            text("save the screen as", "save", hint)
        }
        Purpose::Open => text("open", "open", "tab completes"),
        Purpose::DiffWith => {
            let hint = "an older file or directory";
            text("compare with", "compare", hint)
        }
        Purpose::NewScenario => text("a copy called", "create", SCENARIO_NAMES),
        Purpose::RenameScenario => text("call it", "rename", SCENARIO_NAMES),
        Purpose::Reason => text("note", "save", "saved with the last edit"),
        Purpose::Goal(node) => {
            let hint = "on-target rank<=3 share>=5% ahead-of PATH, or share(A)>=5%; keep(others)";
            (sentence!("goal of {}", name(node)), "solve", hint.into())
        }
        Purpose::TimeGoal => {
            let hint = "on-target rank<=3 factor>=0.5 ahead-of PATH";
            text("goal of the estimate", "apply", hint)
        }
        Purpose::OtherHalfLife => {
            let hint = "14d, 12h, or nothing";
            text("also with a half-life of", "draw", hint)
        }
        Purpose::Jump => text("go to", "go", "7d, 36h or a date: 2026-12-02"),
        Purpose::Machine => text("cores", "simulate", "job 1h against POLICY"),
        Purpose::Cluster => text("name of the cluster", "set", "as sacctmgr has it"),
    };
    let cell = match *purpose {
        Purpose::Shares(Some(node)) => Some((node, ColumnId::Shares)),
        Purpose::Usage(Some(node)) => Some((node, ColumnId::Usage)),
        _ => None,
    };
    let before = session
        .zip(cell)
        .map(|(session, cell)| before(session, cell));
    PromptLabels {
        label,
        before: before.unwrap_or_default(),
        verb,
        hint,
        cell,
    }
}

fn next_found(keymap: &Keymap) -> Shown {
    let [next, previous] =
        [Action::NextFound, Action::PreviousFound].map(|action| keymap.hint(action));
    sentence!("then {next} next, {previous} previous")
}

/// Returns what a cell held in the snapshot; empty for a new node.
fn before(session: &Session, (node, column): (NodeId, ColumnId)) -> Shown {
    let base = &session.scenario.base().tree;
    if session.scenario.is_new(node) {
        return Shown::default();
    }
    match (column, base.shown_usage(node)) {
        (ColumnId::Shares, _) => sentence!("{}", base.shares(node)),
        (_, Some(amount)) => cell(Value::Double(amount), column.unit()),
        (_, None) => "none".into(),
    }
}

/// Returns whether a first character goes on with the suggested text; otherwise it replaces it.
pub(super) fn goes_on(purpose: &Purpose, char: char) -> bool {
    match purpose {
        // A number, a sign and `parent` complete `shares PATH=`. Any other character starts another edit.
        Purpose::Edit => char.is_ascii_digit() || "+-*.p".contains(char),
        // A blank keeps the number of cores and continues the line.
        Purpose::Machine => char == ' ',
        _ => false,
    }
}

/// Returns the edit of a line, or `None` for an answer. Blanks around it are ignored; an empty line changes nothing.
pub(super) fn edit(purpose: &Purpose, session: &Session, text: &str) -> Option<ParsedEdit> {
    let (scenario, text) = (&session.scenario, text.trim());
    let tree = scenario.tree();
    let nodes = |node: Option<NodeId>| node.map_or_else(|| session.targets(), |node| vec![node]);
    let edit = match *purpose {
        Purpose::Shares(node) => amount(text).and_then(|amount| shares(tree, &nodes(node), amount)),
        Purpose::Usage(node) => {
            let amount = charge_or_amount(scenario, text);
            amount.and_then(|amount| usage(tree, &nodes(node), amount))
        }
        Purpose::Add(account) => addition(scenario, account, text).map(Some),
        Purpose::Rename(node) => Ok(renaming(tree, node, text)),
        Purpose::MoveTo(node) => {
            // The root has no name to type.
            let path = if text == "/" { "" } else { text };
            let to = resolve(tree, path.as_bytes()).map_err(|error| Shown::error(&error));
            to.map(|to| (tree.parent(node) != Some(to)).then_some(Edit::Move { node, to }))
        }
        Purpose::Family(edit) => amount(text).and_then(|amount| edit.typed(session, amount)),
        Purpose::Edit => {
            let edit = parse(text.as_bytes(), tree, scenario.settings());
            // A level may have the shares already that are asked for.
            edit.map(|edit| (!edit.parts().is_empty()).then_some(edit))
                .map_err(|error| Shown::error(&error))
        }
        Purpose::Setting(key, _) => setting(scenario, key, text),
        _ => return None,
    };
    Some(if text.is_empty() { Ok(None) } else { edit })
}

/// Returns the reason of the edit that a line describes, empty if it needs none.
pub(super) fn reason(purpose: &Purpose, session: &Session, text: &str) -> String {
    match purpose {
        // The job that is charged, if the line describes one.
        Purpose::Usage(_) if text.contains('=') => {
            format!("charge {}", text.trim_start_matches('+'))
        }
        Purpose::Family(edit) => format!("{} {text}", edit.label(session.scenario.tree())),
        Purpose::Edit if is_worked_out(text.as_bytes()) => text.to_owned(),
        _ => String::new(),
    }
}

/// Does what follows an accepted line that changed something, or nothing.
pub(super) fn end(purpose: &Purpose, session: &mut Session, ui: &mut Ui, is_changed: bool) {
    match *purpose {
        Purpose::Add(_) if is_changed => show_added(session),
        Purpose::Setting(key, before) if is_changed || before.is_some() => {
            announce(session, ui, key, before.is_some());
        }
        _ => {}
    }
}

/// Previews an answer, or returns why it is invalid. An edit is previewed in the tree.
pub(super) fn check(purpose: &Purpose, session: &mut Session, text: &str) -> Result<(), Shown> {
    match purpose {
        Purpose::Search => {
            let search = Search::new(session.scenario.tree(), text);
            let first = search.found.first().copied();
            session.search = (!text.is_empty()).then_some(search);
            // What an earlier text unfolded is folded again.
            session.restart_search();
            match first {
                Some(first) => session.select(first),
                None if text.is_empty() => {}
                None => return Err("no match".into()),
            }
            Ok(())
        }
        Purpose::NewScenario => session.new_name(text).map(drop),
        Purpose::RenameScenario => session.other_name(text).map(drop),
        _ => Ok(()),
    }
}

/// Reverts the preview of a cancelled prompt, except that of an edit.
pub(super) fn leave(purpose: &Purpose, session: &mut Session) {
    match purpose {
        Purpose::Search => {
            session.search = None;
            session.restart_search();
            session.lists.before_search = None;
        }
        Purpose::Setting(_, Some(before)) if *before != session.latest().policy() => {
            session.change(Scope::Policy, Scenario::drop_policy_choice);
        }
        _ => {}
    }
}

/// Takes an answer, or returns why it does not do.
pub(super) fn answer(purpose: &Purpose, app: &mut App, text: &str) -> Result<(), Shown> {
    match purpose {
        Purpose::Save => app.save(app.ui.path(text)),
        Purpose::SavePage => {
            let (path, sources) = (app.ui.path(text), app.sources());
            page::save(&mut app.ui, &path, sources);
        }
        Purpose::SaveScreen => return app.save_screen(app.ui.path(text)),
        Purpose::SearchPage => return page::search(&mut app.ui, text),
        Purpose::Open => opening::open_typed(&mut app.ui, text),
        _ => {}
    }
    let Some((session, ui)) = app.open_tree() else {
        return Ok(());
    };
    match *purpose {
        Purpose::Search => session.lists.before_search = None,
        Purpose::Reason => scenarios::give_reason(session, ui, text),
        Purpose::DiffWith => {
            let path = ui.options.folder.join(ui.path(text));
            page::open(session, ui, Subject::Diff(path));
            if let Some(open) = &mut ui.page {
                open.typed = Some(text.to_owned());
            }
        }
        Purpose::Goal(node) => {
            // Only goals of a site are calls, or lists.
            let is_of_site = !text.starts_with("ahead-of") && text.contains(['(', ';']);
            let subject = if is_of_site {
                site_goals(&session.scenario, text)?;
                Subject::Advice(text.to_owned())
            } else {
                let goal = time::goal(text, session.scenario.tree())?;
                Subject::Question(Question::Goal(GoalQuestion {
                    node,
                    goal,
                    change: ChangedShares::OfAnyLevel,
                }))
            };
            page::open(session, ui, subject);
        }
        Purpose::NewScenario => return scenarios::add_copy(session, ui, text),
        Purpose::RenameScenario => return scenarios::rename(session, ui, text),
        Purpose::TimeGoal => return time::take_goal(session, text),
        Purpose::OtherHalfLife => return time::take_half_life(session, ui, text),
        Purpose::Jump => return time::take_jump(session, ui, text),
        Purpose::Machine => return page::take_machine(session, ui, text),
        Purpose::Cluster => return page::take_cluster(session, ui, text),
        // These are edits, or were answered above.
        _ => {}
    }
    Ok(())
}
