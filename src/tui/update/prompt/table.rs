//! The table of prompts: for each purpose what is asked for, how the line is read, and what becomes of it.

use crate::base::number::{Value, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, Scheduler, Settings, resolve};
use crate::report::outline::Search;
use crate::rules::policy::ColumnId;
use crate::scenario::{Edit, EditError, Scenario, is_worked_out, parse};
use crate::tui::page::content::{Subject, typed_goal};
use crate::tui::state::pane::names;
use crate::tui::state::prompt::PromptLabels;
use crate::tui::state::{App, Purpose, Scope, Session, Ui};
use crate::tui::update::editing::{
    addition, amount, charge, charge_or_amount, completed, renaming, setting, shares, show_added,
    usage,
};
use crate::tui::update::settings::announce;
use crate::tui::update::{opening, page, scenarios, time};

const NEXT_FOUND: &str = "then n next, N previous";

const SCENARIO_NAMES: &str = "such as: more for physics";

/// The edit that a line describes, `None` if it changes nothing, or the reason why the line is not an edit.
pub(super) type ParsedEdit = Result<Option<Edit>, Shown>;

type ParseEdit = Box<dyn Fn(&Session, &str) -> ParsedEdit>;
type TakeAnswer = Box<dyn Fn(&mut App, &str) -> Result<(), Shown>>;
type DescribeEdit = Box<dyn Fn(&Session, &str) -> String>;
type AfterLine = Box<dyn Fn(&mut Session, &mut Ui, bool)>;

pub(super) struct PromptRow {
    pub(super) labels: PromptLabels,
    /// Whether a first character goes on with the suggested text; otherwise it replaces it.
    pub(super) goes_on: fn(char) -> bool,
    pub(super) kind: PromptKind,
    /// Previews an answer, or returns why it is invalid. An edit is previewed in the tree.
    pub(super) check: fn(&mut Session, &str) -> Result<(), Shown>,
    pub(super) complete: fn(&Session, &str) -> Option<String>,
    /// Reverts the preview of a cancelled prompt, except that of an edit.
    pub(super) leave: Box<dyn Fn(&mut Session)>,
    /// Returns the reason of the edit that a line describes, empty if it needs none.
    pub(super) reason: DescribeEdit,
    pub(super) refusal: fn(&EditError) -> Shown,
    /// What is done after a line was accepted that changes something, or nothing.
    pub(super) accepted: AfterLine,
}

pub(super) enum PromptKind {
    Edit(ParseEdit),
    Answer(TakeAnswer),
}

fn labels(label: impl Into<Shown>, verb: &'static str, hint: impl Into<Shown>) -> PromptLabels {
    PromptLabels {
        label: label.into(),
        verb,
        hint: hint.into(),
        ..PromptLabels::default()
    }
}

impl PromptRow {
    /// Returns a prompt for an edit. Surrounding blanks are ignored, and an empty line changes nothing.
    fn edit(
        labels: PromptLabels,
        meaning: impl Fn(&Session, &str) -> ParsedEdit + 'static,
    ) -> Self {
        let meaning = move |session: &Session, text: &str| match text.trim() {
            "" => Ok(None),
            text => meaning(session, text),
        };
        Self::of(labels, PromptKind::Edit(Box::new(meaning)))
    }

    /// Returns a prompt for an answer about the open tree.
    fn answer(
        labels: PromptLabels,
        take: impl Fn(&mut Session, &mut Ui, &str) -> Result<(), Shown> + 'static,
    ) -> Self {
        Self::answer_of_all(labels, move |app, text| match app.open_tree() {
            Some((session, ui)) => take(session, ui, text),
            None => Ok(()),
        })
    }

    fn answer_of_all(
        labels: PromptLabels,
        take: impl Fn(&mut App, &str) -> Result<(), Shown> + 'static,
    ) -> Self {
        Self::of(labels, PromptKind::Answer(Box::new(take)))
    }

    fn of(labels: PromptLabels, kind: PromptKind) -> Self {
        Self {
            labels,
            goes_on: |_| false,
            kind,
            check: |_, _| Ok(()),
            complete: |_, _| None,
            leave: Box::new(|_| ()),
            reason: Box::new(|_, _| String::new()),
            refusal: |error| Shown::error(error),
            accepted: Box::new(|_, _, _| ()),
        }
    }

    /// Shows the line in a cell of the table too, and beside it what that held in the snapshot.
    fn in_cell(mut self, session: Option<&Session>, node: NodeId, column: ColumnId) -> Self {
        self.labels.cell = Some((node, column));
        if let Some(session) = session.filter(|session| !session.scenario.is_new(node)) {
            let base = &session.scenario.base().tree;
            self.labels.before = match (column, base.usage(node).amount()) {
                (ColumnId::Shares, _) => sentence!("{}", base.shares(node)),
                (_, Some(amount)) => cell(Value::Double(amount), column.unit()),
                (_, None) => "none".into(),
            };
        }
        self
    }
}

/// Returns the row of a prompt. Without an open tree, its labels name no nodes.
#[expect(clippy::too_many_lines, reason = "a table, one row a purpose")]
pub(super) fn row(purpose: &Purpose, session: Option<&Session>) -> PromptRow {
    let tree = session.map(|session| session.scenario.tree());
    let name = |node| tree.map_or_else(Shown::default, |tree| shown(tree.name(node)));
    let marked = || {
        let nodes = session.map(|session| session.marks.nodes(session.scenario.tree()));
        let names = tree.zip(nodes).map(|(tree, nodes)| names(tree, &nodes));
        sentence!("{} (marked)", names.unwrap_or_default())
    };
    match *purpose {
        Purpose::Shares(node) => {
            let scheduler = session.and_then(|session| session.scenario.settings().scheduler);
            let parent = match scheduler {
                Some(Scheduler::Pbs | Scheduler::Flux) => "",
                _ => " parent",
            };
            let hint = sentence!("20 +10 *2 50%{parent}");
            let labels = labels(sentence!("shares of {}", name(node)), "apply", hint);
            let row = PromptRow::edit(labels, move |session, text| {
                shares(session.scenario.tree(), &[node], amount(text)?)
            });
            row.in_cell(session, node, ColumnId::Shares)
        }
        Purpose::Usage(node) => {
            let hint = "3600 +3600 *0.5 nodes=4 time=2h";
            let labels = labels(sentence!("usage of {}", name(node)), "apply", hint);
            let row = PromptRow::edit(labels, move |session, text| {
                let amount = charge_or_amount(&session.scenario, text)?;
                usage(session.scenario.tree(), &[node], amount)
            });
            PromptRow {
                reason: Box::new(|_, text| charge(text)),
                ..row.in_cell(session, node, ColumnId::Usage)
            }
        }
        Purpose::MarkedShares => {
            let hint = "20 sets all; +10 *2 change each; 10% of each level";
            let labels = labels(sentence!("shares of {}", marked()), "apply", hint);
            PromptRow::edit(labels, |session, text| {
                shares(session.scenario.tree(), &session.targets(), amount(text)?)
            })
        }
        Purpose::MarkedUsage => {
            let hint = "3600 sets all; +3600 *0.5 nodes=4 time=2h change each";
            let labels = labels(sentence!("usage of {}", marked()), "apply", hint);
            PromptRow {
                reason: Box::new(|_, text| charge(text)),
                ..PromptRow::edit(labels, |session, text| {
                    let amount = charge_or_amount(&session.scenario, text)?;
                    usage(session.scenario.tree(), &session.targets(), amount)
                })
            }
        }
        Purpose::Add(account) => {
            let label = sentence!("add below {}", name(account));
            PromptRow {
                accepted: Box::new(|session, ui, is_changed| {
                    if is_changed {
                        show_added(session, ui);
                    }
                }),
                ..PromptRow::edit(
                    labels(label, "add", "NAME shares=5 kind=account"),
                    move |session, text| addition(&session.scenario, account, text).map(Some),
                )
            }
        }
        Purpose::Rename(node) => {
            let label = sentence!("rename {} to", name(node));
            PromptRow::edit(
                labels(label, "apply", "another name"),
                move |session, text| Ok(renaming(session.scenario.tree(), node, text)),
            )
        }
        Purpose::MoveTo(node) => {
            let hint = "a path or name, tab completes, / is the root";
            let labels = labels(sentence!("move {} to", name(node)), "move", hint);
            PromptRow {
                complete: |session, text| completed(session.scenario.tree(), text.trim()),
                ..PromptRow::edit(labels, move |session, text| {
                    let tree = session.scenario.tree();
                    // The root has no name to type.
                    let path = if text == "/" { "" } else { text };
                    let to = resolve(tree, path.as_bytes());
                    let to = to.map_err(|error| Shown::error(&error))?;
                    Ok((tree.parent(node) != Some(to)).then_some(Edit::Move { node, to }))
                })
            }
        }
        Purpose::Family(edit) => {
            let label = tree.map_or_else(Shown::default, |tree| edit.label(tree));
            PromptRow {
                reason: Box::new(move |session, text| {
                    format!("{} {text}", edit.label(session.scenario.tree()))
                }),
                ..PromptRow::edit(
                    labels(label, "apply", "100 +10 *2"),
                    move |session, text| edit.typed(session, amount(text)?),
                )
            }
        }
        Purpose::Edit => {
            let hint = "shares usage add remove move rename set charge scale split trade wait rate campaign pace";
            PromptRow {
                // A number, a sign and `parent` complete `shares PATH=`. Any other character starts another edit.
                goes_on: |char| char.is_ascii_digit() || "+-*.p".contains(char),
                reason: Box::new(|_, text| {
                    if is_worked_out(text.as_bytes()) {
                        text.to_owned()
                    } else {
                        String::new()
                    }
                }),
                ..PromptRow::edit(labels("edit", "apply", hint), |session, text| {
                    let (tree, settings) = (session.scenario.tree(), session.scenario.settings());
                    let edit = parse(text.as_bytes(), tree, settings);
                    edit.map(Some).map_err(|error| Shown::error(&error))
                })
            }
        }
        Purpose::Setting(key, before) => {
            let hint = session.map_or_else(Shown::default, |session| {
                let base = session.scenario.base();
                let policy = session.scenario.policy();
                let value = policy.setting(&base.tree, &base.settings, key);
                let expected = Settings::expected(key).unwrap_or_default();
                sentence!("was {} · {expected}", shown(value.as_bytes()))
            });
            PromptRow {
                // The label names the setting, so the error need not.
                refusal: EditError::reason,
                leave: Box::new(move |session| {
                    if before.is_some_and(|before| before != session.latest().policy()) {
                        session.change(Scope::Policy, Scenario::undo_policy);
                    }
                }),
                accepted: Box::new(move |session, ui, is_changed| {
                    if is_changed || before.is_some() {
                        announce(session, ui, key, before.is_some());
                    }
                }),
                ..PromptRow::edit(labels(key, "apply", hint), move |session, text| {
                    setting(&session.scenario, key, text)
                })
            }
        }
        Purpose::Search => PromptRow {
            check: |session, text| {
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
            },
            leave: Box::new(|session| {
                session.search = None;
                session.restart_search();
                session.lists.before_search = None;
            }),
            ..PromptRow::answer(labels("find", "select", NEXT_FOUND), |session, _, _| {
                session.lists.before_search = None;
                Ok(())
            })
        },
        Purpose::SearchPage => {
            PromptRow::answer_of_all(labels("find", "go there", NEXT_FOUND), |app, text| {
                page::search(&mut app.ui, text)
            })
        }
        Purpose::Save => {
            let labels = labels("save scenario as", "save", "a .toml file");
            PromptRow::answer_of_all(labels, |app, text| {
                app.save(app.ui.path(text));
                Ok(())
            })
        }
        Purpose::SavePage => {
            let labels = labels("save this as", "save", "a new file");
            PromptRow::answer_of_all(labels, |app, text| {
                let (path, sources) = (app.ui.path(text), app.sources());
                page::save(&mut app.ui, &path, sources);
                Ok(())
            })
        }
        Purpose::SaveScreen => {
            let hint = "a new .svg, .txt or .html file";
            PromptRow::answer_of_all(labels("save the screen as", "save", hint), |app, text| {
                app.save_screen(app.ui.path(text))
            })
        }
        Purpose::Open => {
            PromptRow::answer_of_all(labels("open", "open", "tab completes"), |app, text| {
                opening::open_typed(&mut app.ui, text);
                Ok(())
            })
        }
        Purpose::DiffWith => {
            let labels = labels("compare with", "compare", "an older file or directory");
            PromptRow::answer(labels, |session, ui, text| {
                let path = ui.options.folder.join(ui.path(text));
                ui.typed_path = Some((Purpose::DiffWith, text.to_owned()));
                page::open(session, ui, Subject::Diff(path));
                Ok(())
            })
        }
        Purpose::NewScenario => {
            let labels = labels("a copy called", "create", SCENARIO_NAMES);
            PromptRow {
                check: |session, text| session.new_name(text).map(drop),
                ..PromptRow::answer(labels, scenarios::add_copy)
            }
        }
        Purpose::RenameScenario => PromptRow {
            check: |session, text| session.other_name(text).map(drop),
            ..PromptRow::answer(
                labels("call it", "rename", SCENARIO_NAMES),
                scenarios::rename,
            )
        },
        Purpose::Reason => {
            let labels = labels("note", "save", "saved with the last edit");
            PromptRow::answer(labels, |session, ui, text| {
                scenarios::give_reason(session, ui, text);
                Ok(())
            })
        }
        Purpose::Goal(node) => {
            let hint = "on-target rank<=3 factor>=0.5 share>=5% ahead-of PATH";
            let labels = labels(sentence!("goal of {}", name(node)), "solve", hint);
            PromptRow::answer(labels, move |session, ui, text| {
                let goal = typed_goal(text, session.scenario.tree())?;
                page::open(session, ui, Subject::Goal(node, goal));
                Ok(())
            })
        }
        Purpose::TimeGoal => {
            let hint = "on-target rank<=3 factor>=0.5 ahead-of PATH";
            PromptRow::answer(
                labels("goal of the estimate", "apply", hint),
                time::take_goal,
            )
        }
        Purpose::OtherHalfLife => {
            let labels = labels("also with a half-life of", "draw", "14d, 12h, or nothing");
            PromptRow::answer(labels, time::take_half_life)
        }
        Purpose::Jump => {
            let labels = labels("go to", "go", "7d, 36h or a date: 2026-12-02");
            PromptRow::answer(labels, time::take_jump)
        }
        Purpose::Machine => PromptRow {
            // A blank keeps the number of cores and continues the line.
            goes_on: |char| char == ' ',
            ..PromptRow::answer(
                labels("cores", "simulate", "job 1h against POLICY"),
                page::take_machine,
            )
        },
        Purpose::Cluster => {
            let labels = labels("name of the cluster", "set", "as sacctmgr has it");
            PromptRow::answer(labels, page::take_cluster)
        }
    }
}
