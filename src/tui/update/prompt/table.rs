//! The table of prompts: for each purpose what is asked for, how the line is read, and what becomes of it.

use crate::base::number::{Value, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::Request;
use crate::model::{NodeId, Scheduler, Settings, resolve};
use crate::report::outline::Search;
use crate::rules::policy::ColumnId;
use crate::scenario::{Edit, EditError, NameError, Scenario, is_worked_out, parse};
use crate::tui::page::subject::Subject;
use crate::tui::state::node_set::names;
use crate::tui::state::prompt::PromptLabels;
use crate::tui::state::{App, Purpose, Scope, Session, Ui};
use crate::tui::update::editing::{
    account_path, addition, amount, charge, charge_or_amount, renaming, setting, shares, usage,
};
use crate::tui::update::settings::announce;
use crate::tui::update::structure::{completed, show_added};
use crate::tui::update::{clock, opening, page, scenarios, time};

const NEXT_FOUND: &str = "then n next, N previous";

const SCENARIO_NAMES: &str = "such as: more for physics";

/// The edit that a line describes, `None` if it changes nothing, or the reason why the line is not an edit.
pub(super) type ParsedEdit = Result<Option<Edit>, Shown>;

/// Reads a line as an edit.
type ParseEdit = Box<dyn Fn(&Session, &str) -> ParsedEdit>;

/// Previews a line, or returns the reason why it is invalid.
type CheckLine = Box<dyn Fn(&mut Session, &str) -> Result<(), Shown>>;

/// Takes an answer, or returns the reason why it is refused.
type TakeAnswer = Box<dyn Fn(&mut App, &str) -> Result<(), Shown>>;

/// Returns the reason of the edit that a line describes, empty if it needs none.
type DescribeEdit = Box<dyn Fn(&Session, &str) -> String>;

/// Something to do after a line was accepted.
type AfterEdit = Box<dyn Fn(&mut Session, &mut Ui)>;

/// The labels and the behaviour of a prompt.
pub(super) struct PromptRow {
    pub(super) labels: PromptLabels,
    /// Whether a first character goes on with the suggested text; otherwise it replaces it.
    pub(super) goes_on: fn(char) -> bool,
    pub(super) kind: PromptKind,
    /// Only used for answers: an edit is previewed in the tree.
    pub(super) check: CheckLine,
    /// Returns the completed line, or `None` if it cannot be completed.
    pub(super) complete: fn(&Session, &str) -> Option<String>,
    /// Reverts the preview of a cancelled prompt, except that of an edit.
    pub(super) leave: Box<dyn Fn(&mut Session)>,
    pub(super) reason: DescribeEdit,
    /// Returns the message for an edit that the tree refuses.
    pub(super) refusal: fn(&EditError) -> Shown,
    pub(super) applied: AfterEdit,
    /// What is done after a line that changes nothing.
    pub(super) unchanged: AfterEdit,
}

/// What becomes of a line.
pub(super) enum PromptKind {
    /// An edit, which is previewed while it is typed.
    Edit(ParseEdit),
    Answer(TakeAnswer),
}

impl PromptRow {
    /// Returns a prompt for an edit. Surrounding blanks are ignored, and an empty line changes nothing.
    fn edit(
        label: impl Into<Shown>,
        verb: &'static str,
        hint: impl Into<Shown>,
        meaning: impl Fn(&Session, &str) -> ParsedEdit + 'static,
    ) -> Self {
        let meaning = move |session: &Session, text: &str| match text.trim() {
            "" => Ok(None),
            text => meaning(session, text),
        };
        Self::of(label, verb, hint, PromptKind::Edit(Box::new(meaning)))
    }

    /// Returns a prompt for an answer about the open tree.
    fn answer(
        label: impl Into<Shown>,
        verb: &'static str,
        hint: impl Into<Shown>,
        take: impl Fn(&mut Session, &mut Ui, &str) -> Result<(), Shown> + 'static,
    ) -> Self {
        let of_tree = move |app: &mut App, text: &str| match app.open_tree() {
            Some((session, ui)) => take(session, ui, text),
            None => Ok(()),
        };
        Self::answer_of_all(label, verb, hint, of_tree)
    }

    /// Returns a prompt for an answer about the open tree. A blank line only closes it.
    fn answer_unless_blank(
        label: impl Into<Shown>,
        verb: &'static str,
        hint: impl Into<Shown>,
        take: impl Fn(&mut Session, &mut Ui, &str) -> Result<(), Shown> + 'static,
    ) -> Self {
        Self::answer(label, verb, hint, move |session, ui, text| {
            if text.trim().is_empty() {
                Ok(())
            } else {
                take(session, ui, text)
            }
        })
    }

    fn answer_of_all(
        label: impl Into<Shown>,
        verb: &'static str,
        hint: impl Into<Shown>,
        take: impl Fn(&mut App, &str) -> Result<(), Shown> + 'static,
    ) -> Self {
        Self::of(label, verb, hint, PromptKind::Answer(Box::new(take)))
    }

    fn of(
        label: impl Into<Shown>,
        verb: &'static str,
        hint: impl Into<Shown>,
        kind: PromptKind,
    ) -> Self {
        Self {
            labels: PromptLabels {
                label: label.into(),
                verb,
                hint: hint.into(),
                ..PromptLabels::default()
            },
            goes_on: |_| false,
            kind,
            check: Box::new(|_, _| Ok(())),
            complete: |_, _| None,
            leave: Box::new(|_| ()),
            reason: Box::new(|_, _| String::new()),
            refusal: |error| Shown::error(error),
            applied: Box::new(|_, _| ()),
            unchanged: Box::new(|_, _| ()),
        }
    }

    /// Shows the line in a cell of the table too, and beside it what the cell held in the snapshot: nothing for a new
    /// node.
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
    match *purpose {
        Purpose::Shares(node) => {
            let knows_parent = |session: &Session| {
                let scheduler = session.scenario.settings().scheduler;
                !matches!(scheduler, Some(Scheduler::Pbs | Scheduler::Flux))
            };
            let hint = if session.is_some_and(knows_parent) {
                "20 +10 *2 50% parent"
            } else {
                "20 +10 *2 50%"
            };
            let label = sentence!("shares of {}", name(session, node));
            let row = PromptRow::edit(label, "apply", hint, move |session, text| {
                shares(session.scenario.tree(), &[node], amount(text)?)
            });
            row.in_cell(session, node, ColumnId::Shares)
        }
        Purpose::Usage(node) => {
            let label = sentence!("usage of {}", name(session, node));
            let hint = "3600 +3600 *0.5 nodes=4 time=2h";
            let row = PromptRow::edit(label, "apply", hint, move |session, text| {
                let amount = charge_or_amount(&session.scenario, text)?;
                usage(session.scenario.tree(), &[node], amount)
            });
            PromptRow {
                reason: Box::new(|_, text| charge(text)),
                ..row.in_cell(session, node, ColumnId::Usage)
            }
        }
        Purpose::MarkedShares => {
            let label = sentence!("shares of {} (marked)", marked(session));
            let hint = "20 sets all; +10 *2 change each; 10% of each level";
            PromptRow::edit(label, "apply", hint, |session, text| {
                shares(session.scenario.tree(), &session.targets(), amount(text)?)
            })
        }
        Purpose::MarkedUsage => {
            let label = sentence!("usage of {} (marked)", marked(session));
            let hint = "3600 sets all; +3600 *0.5 nodes=4 time=2h change each";
            PromptRow {
                reason: Box::new(|_, text| charge(text)),
                ..PromptRow::edit(label, "apply", hint, |session, text| {
                    let amount = charge_or_amount(&session.scenario, text)?;
                    usage(session.scenario.tree(), &session.targets(), amount)
                })
            }
        }
        Purpose::Add(account) => {
            let label = sentence!("add below {}", name(session, account));
            let hint = "NAME shares=5 kind=account";
            PromptRow {
                applied: Box::new(|session, ui| show_added(session, ui)),
                ..PromptRow::edit(label, "add", hint, move |session, text| {
                    addition(&session.scenario, account, text).map(Some)
                })
            }
        }
        Purpose::Rename(node) => {
            let label = sentence!("rename {} to", name(session, node));
            PromptRow::edit(label, "apply", "another name", move |session, text| {
                Ok(renaming(session.scenario.tree(), node, text))
            })
        }
        Purpose::MoveTo(node) => {
            let label = sentence!("move {} to", name(session, node));
            let hint = "a path or name, tab completes, / is the root";
            PromptRow {
                complete: |session, text| completed(session.scenario.tree(), text.trim()),
                ..PromptRow::edit(label, "move", hint, move |session, text| {
                    let tree = session.scenario.tree();
                    let to = resolve(tree, account_path(text).as_bytes());
                    let to = to.map_err(|error| Shown::error(&error))?;
                    Ok((tree.parent(node) != Some(to)).then_some(Edit::Move { node, to }))
                })
            }
        }
        Purpose::Family(edit) => {
            let label = move |session: &Session| edit.label(session.scenario.tree());
            let labelled = session.map_or_else(Shown::default, label);
            PromptRow {
                reason: Box::new(move |session, text| format!("{} {text}", label(session))),
                ..PromptRow::edit(labelled, "apply", "100 +10 *2", move |session, text| {
                    edit.typed(session, amount(text)?)
                })
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
                ..PromptRow::edit("edit", "apply", hint, |session, text| {
                    let (tree, settings) = (session.scenario.tree(), session.scenario.settings());
                    let edit = parse(text.as_bytes(), tree, settings);
                    edit.map(Some).map_err(|error| Shown::error(&error))
                })
            }
        }
        Purpose::Setting { key, before } => {
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
                applied: Box::new(move |session, ui| announce(session, ui, key, before.is_some())),
                unchanged: Box::new(move |session, ui| {
                    if before.is_some() {
                        announce(session, ui, key, true);
                    }
                }),
                ..PromptRow::edit(key, "apply", hint, move |session, text| {
                    setting(&session.scenario, key, text)
                })
            }
        }
        Purpose::Search => {
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
                ..PromptRow::answer("find", "select", NEXT_FOUND, |session, _, _| {
                    session.lists.before_search = None;
                    Ok(())
                })
            }
        }
        Purpose::SearchPage => {
            PromptRow::answer_of_all("find", "go there", NEXT_FOUND, |app, text| {
                page::search(&mut app.ui, text)
            })
        }
        Purpose::Save => {
            let (label, hint) = ("save scenario as", "a .toml file");
            PromptRow::answer_of_all(label, "save", hint, |app, text| {
                app.save(app.ui.path(text));
                Ok(())
            })
        }
        Purpose::SavePage => {
            let (label, hint) = ("save this as", "a new file");
            PromptRow::answer_of_all(label, "save", hint, |app, text| {
                let (path, sources) = (app.ui.path(text), app.sources());
                page::save(&mut app.ui, &path, sources);
                Ok(())
            })
        }
        Purpose::SaveScreen => {
            let (label, hint) = ("save the screen as", "a new .svg, .txt or .html file");
            PromptRow::answer_of_all(label, "save", hint, |app, text| {
                app.save_screen(app.ui.path(text))
            })
        }
        Purpose::Open => PromptRow::answer_of_all("open", "open", "tab completes", |app, text| {
            if !text.is_empty() {
                let request = Request {
                    path: app.ui.path(text),
                    ..Request::default()
                };
                app.ui.typed_path = Some((Purpose::Open, text.to_owned()));
                opening::open(&mut app.ui, request);
            }
            Ok(())
        }),
        Purpose::DiffWith => {
            let hint = "an older file or directory";
            PromptRow::answer_unless_blank("compare with", "compare", hint, |session, ui, text| {
                let path = ui.options.folder.join(ui.path(text));
                ui.typed_path = Some((Purpose::DiffWith, text.to_owned()));
                page::open(session, ui, Subject::Diff(path));
                Ok(())
            })
        }
        Purpose::NewScenario => PromptRow {
            check: Box::new(|session, text| checked(session.new_name(text))),
            ..PromptRow::answer(
                "a copy called",
                "create",
                SCENARIO_NAMES,
                |session, ui, text| checked(scenarios::add_copy(session, ui, text)),
            )
        },
        Purpose::RenameScenario => PromptRow {
            check: Box::new(|session, text| checked(session.other_name(text))),
            ..PromptRow::answer("call it", "rename", SCENARIO_NAMES, |session, ui, text| {
                checked(scenarios::rename(session, ui, text))
            })
        },
        Purpose::Reason => {
            let hint = "saved with the last edit";
            PromptRow::answer("note", "save", hint, |session, ui, text| {
                scenarios::give_reason(session, ui, text);
                Ok(())
            })
        }
        Purpose::Goal(node) => {
            let label = sentence!("goal of {}", name(session, node));
            let hint = "on-target rank<=3 factor>=0.5 share>=5% ahead-of PATH";
            PromptRow::answer_unless_blank(label, "solve", hint, move |session, ui, text| {
                page::take_goal(session, ui, node, text)
            })
        }
        Purpose::TimeGoal => {
            let hint = "on-target rank<=3 factor>=0.5 ahead-of PATH";
            PromptRow::answer("goal of the estimate", "apply", hint, |session, _, text| {
                time::take_goal(session, text)
            })
        }
        Purpose::OtherHalfLife => {
            let (label, hint) = ("also with a half-life of", "14d, 12h, or nothing");
            PromptRow::answer(label, "draw", hint, time::take_half_life)
        }
        Purpose::Jump => {
            let hint = "7d, 36h or a date: 2026-12-02";
            PromptRow::answer_unless_blank("go to", "go", hint, clock::take_jump)
        }
        Purpose::Machine => {
            let hint = "job 1h against POLICY";
            PromptRow {
                // A blank keeps the number of cores and continues the line.
                goes_on: |char| char == ' ',
                ..PromptRow::answer_unless_blank("cores", "simulate", hint, page::take_machine)
            }
        }
        Purpose::Cluster => {
            let (label, hint) = ("name of the cluster", "as sacctmgr has it");
            PromptRow::answer_unless_blank(label, "set", hint, |session, ui, text| {
                page::take_cluster(session, ui, text.trim())
            })
        }
    }
}

fn checked<T>(name: Result<T, NameError>) -> Result<(), Shown> {
    name.map(|_| ()).map_err(|error| Shown::error(&error))
}

/// Returns the name of a node; empty without an open tree.
fn name(session: Option<&Session>, node: NodeId) -> Shown {
    session.map_or_else(Shown::default, |session| {
        shown(session.scenario.tree().name(node))
    })
}

/// Returns the names of the marked nodes; empty without an open tree.
fn marked(session: Option<&Session>) -> Shown {
    session.map_or_else(Shown::default, |session| {
        let tree = session.scenario.tree();
        names(tree, &session.marks.nodes(tree))
    })
}
