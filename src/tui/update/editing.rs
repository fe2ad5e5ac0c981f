//! Edits of nodes: typed amounts, jobs and names, keys for one share more or fewer, adding, removing and moving.

use crate::analysis::impact::Before;
use crate::base::number::{Value, cell, counted, grouped};
use crate::base::shown::{Shown, read_back, sentence, shown, visible};
use crate::model::{Kind, NodeId, Shares, Tree, escape_name, path_of};
use crate::report::label;
use crate::rules::policy::ColumnId;
use crate::rules::policy::formula::FORMULA;
use crate::scenario::{
    Amount, Edit, EditError, LanguageError, Scenario, job_usage, parse, shares_line, write,
};
use crate::tui::input::action::Action;
use crate::tui::state::pane::{names, told_apart, users_in};
use crate::tui::state::picker::shared_beginning;
use crate::tui::state::{Confirm, EditPurpose, News, Scope, Session, Ui};
use std::collections::HashMap;

const ROOT: &str = "the root has no shares or usage of its own; choose a node below it";

pub(crate) fn edit_shares(session: &mut Session, ui: &mut Ui) {
    if session.marked_count() > 0 {
        return ui.prompt(EditPurpose::Shares(None), String::new());
    }
    let node = session.selected();
    if node == NodeId::ROOT {
        return ui.fail(ROOT);
    }
    let text = session.scenario.tree().shares(node).to_string();
    ui.prompt(EditPurpose::Shares(Some(node)), text);
}

pub(crate) fn edit_usage(session: &mut Session, ui: &mut Ui) {
    if session.marked_count() > 0 {
        return ui.prompt(EditPurpose::Usage(None), String::new());
    }
    let (node, tree) = (session.selected(), session.scenario.tree());
    if node == NodeId::ROOT {
        return ui.fail(ROOT);
    }
    if tree.kinds_follow_shape() && tree.kind(node) == Kind::Account {
        return ui
            .fail("the usage here is the sum of the users'; change the usage of a user below it");
    }
    let text = tree.shown_usage(node).map(|amount| {
        // People type no fraction that does not matter.
        let is_large = amount.abs() >= 100.0;
        let amount = if is_large { amount.round() } else { amount };
        amount.to_string()
    });
    ui.prompt(EditPurpose::Usage(Some(node)), text.unwrap_or_default());
}

/// Asks for an edit in the edit language. The prompt suggests one of the selected node's shares.
pub(crate) fn ask_for_edit(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    let text = (node != NodeId::ROOT).then(|| shares_line(session.scenario.tree(), node));
    ui.prompt(EditPurpose::Line, ui.typeable(text.unwrap_or_default()));
}

/// Adds shares to the marked nodes, or to the selected node. Repeated steps for the same nodes become one edit.
pub(crate) fn nudge(session: &mut Session, ui: &mut Ui, by: i64) {
    let key = ui.hint(Action::EditShares);
    let edit = match nudged(session.scenario.tree(), &session.targets(), by, &key) {
        Ok(Some(edit)) => edit,
        Ok(None) => return,
        Err(error) => return ui.fail(error),
    };
    let mut news = news(session, ui, &edit);
    if let Some(before) = session.latest().tree_before_steps(&edit) {
        // The steps are one edit, so they are told from the first of them on.
        let told = session.told.as_ref();
        news.before = told.and_then(|told| told.news.before.clone());
        news.done = done(&before, &edit);
        if edit.gives_shares_of(&before) {
            news = no_news(&before, &edit);
        }
    }
    make(session, ui, edit, news, Scenario::nudge);
}

/// Applies an edit, and says what it did. Returns whether it was possible; otherwise says why it was not.
pub(crate) fn apply(session: &mut Session, ui: &mut Ui, edit: Edit) -> bool {
    let news = news(session, ui, &edit);
    make(session, ui, edit, news, Scenario::apply)
}

/// Applies an edit as [`apply`] does, and says with these words what was done.
pub(crate) fn apply_told(session: &mut Session, ui: &mut Ui, edit: Edit, done: &Shown) -> bool {
    let done = done.clone();
    let news = News {
        done,
        ..news(session, ui, &edit)
    };
    make(session, ui, edit, news, Scenario::apply)
}

/// Applies an edit as [`apply`] does, and records the reason.
pub(crate) fn apply_because(
    session: &mut Session,
    ui: &mut Ui,
    edit: Edit,
    reason: String,
) -> bool {
    let news = news(session, ui, &edit);
    make(session, ui, edit, news, |scenario, edit| {
        scenario.apply_because(edit, reason)
    })
}

/// Makes an edit, and tells it. Returns whether it was possible; otherwise says why it was not.
fn make(
    session: &mut Session,
    ui: &mut Ui,
    edit: Edit,
    news: News,
    change: impl FnOnce(&mut Scenario, Edit) -> Result<(), EditError>,
) -> bool {
    let scope = Scope::by(&edit);
    if let Err(error) = session.change(scope, |scenario| change(scenario, edit)) {
        ui.fail(Shown::error(&error));
        return false;
    }
    session.tell(news);
    true
}

/// Returns what there is to tell of an edit that is about to be made.
fn news(session: &Session, ui: &Ui, edit: &Edit) -> News {
    let parts = edit.parts();
    // No rank changes before time passes, and then ranks may change.
    let is_of_later = parts.iter().all(|part| matches!(part, Edit::Pace(_)));
    // A rank may be the answer to a lesson's question, and while numbers are computed there are none.
    let tells_ranks = !is_of_later && session.veil().is_none() && !session.is_behind();
    let is_formula = |part: &&Edit| matches!(part, Edit::SetSetting { key, .. } if key == FORMULA);
    News {
        done: done(session.scenario.tree(), edit),
        before: tells_ranks.then(|| Before::of(&session.scenario, edit)),
        sets_formula: parts.iter().any(is_formula),
        undo: Some(ui.hint(Action::Undo)),
    }
}

/// Returns what there is to tell of steps of shares that end where they began.
fn no_news(tree: &Tree, edit: &Edit) -> News {
    let done = if let [Edit::SetShares { node, shares }] = edit.parts()[..] {
        let (name, shares) = (shown(tree.name(*node)), count_of(*shares));
        sentence!("{name} has {shares} shares again, so nothing has changed")
    } else {
        let nodes = names_of(tree, edit);
        sentence!("{nodes} have the same shares as before, so nothing has changed")
    };
    News::plain(done)
}

/// Returns what an edit does, in a few words.
fn done(tree: &Tree, edit: &Edit) -> Shown {
    let name = |node: NodeId| shown(tree.name(node));
    let parts = edit.parts();
    if let Some(given) = given(tree, &parts) {
        return given;
    }
    match parts[..] {
        [Edit::Add { name, .. }] => sentence!("added {}", shown(name)),
        [Edit::Remove { node }] => sentence!("removed {}", name(*node)),
        [Edit::Rename { node, name: new }] => {
            sentence!("renamed {} to {}", name(*node), shown(new))
        }
        [Edit::Move { node, to }] => sentence!("moved {} below {}", name(*node), label(tree, *to)),
        [single] => visible(&write(single, tree)),
        // Settings and rates name no nodes of the tree.
        _ if parts.iter().all(|part| part.named() == [None, None]) => {
            let written = parts.iter().map(|part| visible(&write(part, tree)));
            Shown::joined(written, ", ")
        }
        _ => sentence!("changed {}", names_of(tree, edit)),
    }
}

fn names_of(tree: &Tree, edit: &Edit) -> Shown {
    let parts = edit.parts();
    let nodes = parts.iter().flat_map(|part| part.named()).flatten();
    names(tree, &nodes.collect::<Vec<_>>())
}

/// Returns the numbers that one or two nodes had and are given: `alice 1 → 2, bob 1 → 2 shares`. `None` for other edits.
fn given(tree: &Tree, parts: &[&Edit]) -> Option<Shown> {
    if parts.len() > 2 {
        return None;
    }
    let (mut nodes, mut numbers, mut units) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        let (node, before, after, unit) = match part {
            Edit::SetShares { node, shares } => {
                let before = tree.shares(*node);
                (*node, count_of(before), count_of(*shares), "shares")
            }
            Edit::SetUsage { node, usage } => {
                let before = tree.shown_usage(*node);
                (*node, used(before), used(usage.amount()), "usage")
            }
            _ => return None,
        };
        nodes.push(node);
        numbers.push(sentence!("{before} → {after}"));
        units.push(unit);
    }
    units.dedup();
    let [unit] = units[..] else { return None };
    let mut changes = Vec::new();
    for (name, numbers) in told_apart(tree, &nodes).into_iter().zip(numbers) {
        changes.push(sentence!("{name} {numbers}"));
    }
    Some(sentence!("{} {unit}", Shown::joined(changes, ", ")))
}

fn count_of(shares: Shares) -> Shown {
    match shares.count() {
        Some(count) => grouped(count),
        None => "parent".into(),
    }
}

fn used(amount: Option<f64>) -> Shown {
    match amount {
        Some(amount) => cell(Value::Double(amount), ColumnId::Usage.unit()),
        None => "none".into(),
    }
}

pub(crate) fn amount(text: &str) -> Result<Amount, Shown> {
    Amount::parse(text).map_err(|error| Shown::error(&error))
}

/// Returns the typed amount of usage, or the cost of a typed job such as `+nodes=4 time=2:00:00`.
pub(crate) fn charge_or_amount(scenario: &Scenario, text: &str) -> Result<Amount, Shown> {
    if text.contains('=') {
        let cost = job_usage(text.trim_start_matches('+'), scenario.settings());
        return cost.map(Amount::More).map_err(|error| Shown::error(&error));
    }
    amount(text)
}

/// Returns the edit that gives a setting a value, or `None` if the setting has that value already.
pub(crate) fn setting(scenario: &Scenario, key: &str, text: &str) -> Result<Option<Edit>, Shown> {
    let mut settings = scenario.settings().clone();
    let set = settings.set(key, text);
    set.map_err(|error| Shown::error(&error))?;
    let (key, value) = (key.to_owned(), text.to_owned());
    Ok((settings != *scenario.settings()).then_some(Edit::SetSetting { key, value }))
}

pub(crate) fn as_one(mut edits: Vec<Edit>) -> Option<Edit> {
    if edits.len() > 1 {
        Some(Edit::Batch(edits))
    } else {
        edits.pop()
    }
}

/// A percentage of the level is what each node has of it afterwards.
pub(crate) fn shares(tree: &Tree, nodes: &[NodeId], amount: Amount) -> Result<Option<Edit>, Shown> {
    let portions = match amount {
        Amount::PercentOfLevel(percent) if nodes.len() > 1 => Some(portions(tree, nodes, percent)?),
        _ => None,
    };
    let mut edits = Vec::new();
    for &node in nodes {
        let portion = portions.as_ref().zip(tree.parent(node));
        let shares = match portion.and_then(|(portions, account)| portions.get(&account)) {
            Some(count) => Amount::Exactly(*count).shares(tree, node),
            // Without unmarked siblings that have shares, the shares stay as they are.
            None if portions.is_some() => Ok(tree.shares(node)),
            None => amount.shares(tree, node),
        };
        let shares = shares.map_err(|error| Shown::error(&error))?;
        if shares != tree.shares(node) {
            edits.push(Edit::SetShares { node, shares });
        }
    }
    Ok(as_one(edits))
}

/// Returns, for each account, the shares that give each of its children among `nodes` this percentage of the level.
fn portions(tree: &Tree, nodes: &[NodeId], percent: f64) -> Result<HashMap<NodeId, f64>, Shown> {
    let mut families: HashMap<NodeId, (f64, f64)> = HashMap::new();
    for &node in nodes {
        let Some(account) = tree.parent(node) else {
            continue;
        };
        let (count, own) = families.entry(account).or_default();
        *count += 1.0;
        *own += tree.shares(node).count().unwrap_or(0) as f64;
    }
    let mut portions = HashMap::new();
    for (account, (count, own)) in families {
        let family = tree.children(account);
        let sum: i64 = family.filter_map(|child| tree.shares(child).count()).sum();
        let others = sum as f64 - own;
        let (portion, all) = (percent / 100.0, percent * count / 100.0);
        let is_reachable = portion >= 0.0 && if others > 0.0 { all < 1.0 } else { all <= 1.0 };
        if !is_reachable {
            let most = 100.0 / count;
            return Err(sentence!(
                "{count} marked nodes of one level cannot have {percent}% each; expected a number from 0 to \
                 below {most:.4}"
            ));
        }
        if others > 0.0 {
            portions.insert(account, others * portion / (1.0 - all));
        }
    }
    Ok(portions)
}

pub(crate) fn usage(tree: &Tree, nodes: &[NodeId], amount: Amount) -> Result<Option<Edit>, Shown> {
    let mut edits = Vec::new();
    // Descendants come first. They change the usage of an account, which is then set to its own amount.
    for &node in nodes.iter().rev() {
        let usage = amount.usage_of(tree, node);
        let usage = usage.map_err(|error| Shown::error(&error))?;
        if usage.amount() != tree.shown_usage(node) {
            edits.push(Edit::SetUsage { node, usage });
        }
    }
    Ok(as_one(edits))
}

/// Returns the edit that adds `by` shares to each node. Fails if a node has no number of shares or would fall below 0.
/// `key` is the one for typed shares.
fn nudged(tree: &Tree, nodes: &[NodeId], by: i64, key: &str) -> Result<Option<Edit>, Shown> {
    let edits = nodes.iter().map(|&node| {
        let count = tree.shares(node).count();
        let count = count.ok_or_else(|| {
            sentence!("parent is not a number of shares; {key} gives this node its own")
        })?;
        if node != NodeId::ROOT && count + by < 0 {
            return Err("shares cannot be negative".into());
        }
        let shares = Shares::new(count + by);
        Ok(Edit::SetShares { node, shares })
    });
    Ok(as_one(edits.collect::<Result<_, Shown>>()?))
}

/// Reads `NAME shares=5 kind=account` below `account`, or with a path from the root.
pub(crate) fn addition(scenario: &Scenario, account: NodeId, text: &str) -> Result<Edit, Shown> {
    let line = format!("add {text}");
    let read = parse(line.as_bytes(), scenario.tree(), scenario.settings());
    let mut edit = read.map_err(|error| match error {
        LanguageError::Form { .. } => {
            "expected NAME, optionally shares=5, usage=N or kind=account".into()
        }
        error => Shown::error(&error),
    })?;
    if let Edit::Add { parent, .. } = &mut edit
        && !text.contains('/')
    {
        *parent = account;
    }
    Ok(edit)
}

/// Returns the edit that renames a node, or `None` if it has the name already. The name is escaped as in paths.
pub(crate) fn renaming(tree: &Tree, node: NodeId, text: &str) -> Option<Edit> {
    let name = read_back(text.as_bytes());
    (name != tree.name(node)).then_some(Edit::Rename { node, name })
}

/// Asks for a node to add to the selected account, which is unfolded to show the new node.
pub(crate) fn ask_for_node(session: &mut Session, ui: &mut Ui) {
    let account = session.selected_account();
    session.set_unfolded(account, true);
    ui.prompt(EditPurpose::Add(account), String::new());
}

pub(crate) fn ask_for_new_name(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    if node == NodeId::ROOT {
        return ui.fail("the root cannot be renamed; choose a node below it");
    }
    let name = escape_name(session.scenario.tree().name(node));
    ui.prompt(EditPurpose::Rename(node), ui.typeable(name));
}

pub(crate) fn remove_nodes(session: &mut Session, ui: &mut Ui) {
    let nodes = tops(session.scenario.tree(), &session.targets());
    if nodes == [session.selected()] {
        return remove(session, ui, &nodes);
    }
    ui.ask(Confirm::RemoveNodes(nodes));
}

/// Removes nodes with their subtrees, as one edit. No node may be an ancestor of another.
pub(crate) fn remove(session: &mut Session, ui: &mut Ui, nodes: &[NodeId]) {
    let tree = session.scenario.tree();
    // The source may have been read again while the question was open.
    let is_there = |node: &NodeId| tree.contains(*node);
    let nodes: Vec<NodeId> = nodes.iter().copied().filter(is_there).collect();
    let users: usize = nodes.iter().map(|&node| users_in(tree, node)).sum();
    let users = counted(users, "user", "users");
    let what = match nodes[..] {
        [node] if tree.kind(node) == Kind::User => shown(tree.name(node)),
        [node] => sentence!("{} with {users}", shown(tree.name(node))),
        _ => sentence!("{} with {users}", names(tree, &nodes)),
    };
    let edits = nodes.iter().map(|&node| Edit::Remove { node }).collect();
    if let Some(edit) = as_one(edits) {
        apply_told(session, ui, edit, &sentence!("removed {what}"));
    }
}

/// Moves the marked nodes to the selected account. Without marks, asks for the new account of the selected node.
pub(crate) fn move_nodes(session: &mut Session, ui: &mut Ui) {
    let tree = session.scenario.tree();
    if session.marked_count() == 0 {
        let node = session.selected();
        if node == NodeId::ROOT {
            return ui.fail("the root cannot be moved; choose a node below it");
        }
        return ui.prompt(EditPurpose::MoveTo(node), String::new());
    }
    let to = session.selected_account();
    let mut nodes = tops(tree, &session.targets());
    nodes.retain(|&node| tree.parent(node) != Some(to));
    if nodes.is_empty() {
        let account = label(tree, to);
        return ui.say(sentence!("the marked nodes are already below {account}"));
    }
    let (moved, account) = (names(tree, &nodes), label(tree, to));
    let edits = nodes.iter().map(|&node| Edit::Move { node, to }).collect();
    let Some(edit) = as_one(edits) else { return };
    if apply_told(
        session,
        ui,
        edit,
        &sentence!("moved {moved} below {account}"),
    ) {
        session.set_unfolded(to, true);
    }
}

/// Puts the cursor on the node that was just added.
pub(crate) fn show_added(session: &mut Session) {
    let newest = session.scenario.tree().id_count() - 1;
    session.select(NodeId::from_index(newest));
}

/// Returns the longest beginning of all account paths that match, by path or name, if longer than what is typed.
pub(crate) fn completed(tree: &Tree, typed: &str) -> Option<String> {
    let by_name = !typed.contains('/');
    let accounts = tree.nodes()[1..].iter().copied();
    let accounts = accounts.filter(|&node| tree.kind(node) == Kind::Account);
    // Writing a path is slow, so names that cannot match are skipped first.
    let named =
        accounts.filter(|&node| !by_name || escape_name(tree.name(node)).starts_with(typed));
    let paths = named.filter_map(|node| path_of(tree, node));
    let paths = paths.filter(|path| by_name || path.starts_with(typed));
    let common = paths.reduce(|mut common, path| {
        common.truncate(shared_beginning(common.as_bytes(), path.as_bytes()));
        common
    });
    // Matching names in different accounts may have no longer path in common.
    common.filter(|common| common.len() > typed.len())
}

/// Returns the nodes that are not below another one of them. `nodes` must be in tree order.
fn tops(tree: &Tree, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut end = 0;
    let mut tops = Vec::new();
    for &node in nodes {
        let span = tree.order().span(node);
        if span.start >= end {
            end = span.end;
            tops.push(node);
        }
    }
    tops
}
