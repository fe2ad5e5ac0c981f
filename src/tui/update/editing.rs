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

/// Why no number of the root can be edited.
const ROOT: &str = "the root has no shares or usage of its own; choose a node below it";

/// The usage from which no fraction of it matters.
const LARGE_USAGE: f64 = 100.0;

/// Asks for the shares of the marked nodes, or of the selected node. The prompt suggests those that the node has.
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

/// Asks for the usage of the marked nodes, or of the selected node. The prompt suggests the usage that the node has.
pub(crate) fn edit_usage(session: &mut Session, ui: &mut Ui) {
    if session.marked_count() > 0 {
        return ui.prompt(EditPurpose::Usage(None), String::new());
    }
    let node = session.selected();
    if node == NodeId::ROOT {
        return ui.fail(ROOT);
    }
    let tree = session.scenario.tree();
    if tree.kinds_follow_shape() && tree.kind(node) == Kind::Account {
        let why = "the usage here is the sum of the users'; change the usage of a user below it";
        return ui.fail(why);
    }
    let text = match tree.shown_usage(node) {
        // People type no fraction that does not matter.
        Some(amount) if amount.abs() >= LARGE_USAGE => amount.round().to_string(),
        Some(amount) => amount.to_string(),
        None => String::new(),
    };
    ui.prompt(EditPurpose::Usage(Some(node)), text);
}

/// Asks for an edit in the edit language. The prompt suggests one of the selected node's shares.
pub(crate) fn ask_for_edit(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    let mut text = String::new();
    if node != NodeId::ROOT {
        text = shares_line(session.scenario.tree(), node);
    }
    ui.prompt(EditPurpose::Line, ui.typeable(text));
}

/// Adds shares to the marked nodes, or to the selected node. Repeated steps for the same nodes become one edit.
pub(crate) fn nudge(session: &mut Session, ui: &mut Ui, by: i64) {
    let key = ui.hint(Action::EditShares);
    let targets = session.targets();
    let edit = match nudged(session.scenario.tree(), &targets, by, &key) {
        Ok(Some(edit)) => edit,
        Ok(None) => return,
        Err(error) => return ui.fail(error),
    };
    let mut news = news(session, ui, &edit);
    if let Some(before) = session.latest().tree_before_steps(&edit) {
        // The steps are one edit, so they are told from the first of them on.
        news.done = done(&before, &edit);
        news.before = match &session.told {
            Some(told) => told.news.before.clone(),
            None => None,
        };
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
    let mut news = news(session, ui, &edit);
    news.done = done.clone();
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
    let mut is_of_later = true;
    let mut sets_formula = false;
    for part in edit.parts() {
        // No rank changes before time passes, and then ranks may change.
        is_of_later &= matches!(part, Edit::Pace(_));
        sets_formula |= matches!(part, Edit::SetSetting { key, .. } if key == FORMULA);
    }
    // A rank may be the answer to a lesson's question, and while numbers are computed there are none.
    let are_ranks_secret = session.veil().is_some() || session.is_behind();
    let mut before = None;
    if !is_of_later && !are_ranks_secret {
        before = Some(Before::of(&session.scenario, edit));
    }
    News {
        done: done(session.scenario.tree(), edit),
        before,
        sets_formula,
        undo: Some(ui.hint(Action::Undo)),
    }
}

/// Returns what there is to tell of steps of shares that end where they began.
fn no_news(tree: &Tree, edit: &Edit) -> News {
    if let [Edit::SetShares { node, shares }] = edit.parts()[..] {
        let name = shown(tree.name(*node));
        let shares = count_of(*shares);
        return News::plain(sentence!(
            "{name} has {shares} shares again, so nothing has changed"
        ));
    }
    let nodes = names_of(tree, edit);
    News::plain(sentence!(
        "{nodes} have the same shares as before, so nothing has changed"
    ))
}

/// Returns what an edit does, in a few words.
fn done(tree: &Tree, edit: &Edit) -> Shown {
    let parts = edit.parts();
    if let Some(given) = given(tree, &parts) {
        return given;
    }
    match parts[..] {
        [Edit::Add { name, .. }] => {
            let added = shown(name);
            sentence!("added {added}")
        }
        [Edit::Remove { node }] => {
            let removed = shown(tree.name(*node));
            sentence!("removed {removed}")
        }
        [Edit::Rename { node, name }] => {
            let before = shown(tree.name(*node));
            let after = shown(name);
            sentence!("renamed {before} to {after}")
        }
        [Edit::Move { node, to }] => {
            let moved = shown(tree.name(*node));
            let account = label(tree, *to);
            sentence!("moved {moved} below {account}")
        }
        [single] => visible(&write(single, tree)),
        // Settings and rates name no nodes of the tree.
        _ if parts.iter().all(|part| part.named() == [None, None]) => {
            let mut written = Vec::new();
            for part in &parts {
                let line = write(part, tree);
                written.push(visible(&line));
            }
            Shown::joined(written, ", ")
        }
        _ => {
            let nodes = names_of(tree, edit);
            sentence!("changed {nodes}")
        }
    }
}

/// Returns the names of the nodes that an edit names.
fn names_of(tree: &Tree, edit: &Edit) -> Shown {
    let mut nodes = Vec::new();
    for part in edit.parts() {
        nodes.extend(part.named().into_iter().flatten());
    }
    names(tree, &nodes)
}

/// A number of a node before and after an edit.
struct Given {
    node: NodeId,
    before: Shown,
    after: Shown,
    unit: &'static str,
}

impl Given {
    /// Returns the number that an edit gives; `None` for edits of anything but shares and usage.
    fn by(tree: &Tree, edit: &Edit) -> Option<Self> {
        match edit {
            Edit::SetShares { node, shares } => Some(Self {
                node: *node,
                before: count_of(tree.shares(*node)),
                after: count_of(*shares),
                unit: "shares",
            }),
            Edit::SetUsage { node, usage } => Some(Self {
                node: *node,
                before: used(tree.shown_usage(*node)),
                after: used(usage.amount()),
                unit: "usage",
            }),
            _ => None,
        }
    }
}

/// Returns the numbers that one or two nodes had and are given: `alice 1 → 2, bob 1 → 2 shares`. `None` for other edits.
fn given(tree: &Tree, parts: &[&Edit]) -> Option<Shown> {
    if parts.len() > 2 {
        return None;
    }
    let mut nodes = Vec::new();
    let mut numbers = Vec::new();
    for part in parts {
        let given = Given::by(tree, part)?;
        nodes.push(given.node);
        numbers.push(given);
    }
    let unit = numbers.first()?.unit;
    if numbers.last()?.unit != unit {
        return None;
    }
    let mut changes = Vec::new();
    for (name, given) in told_apart(tree, &nodes).iter().zip(&numbers) {
        let Given { before, after, .. } = given;
        changes.push(sentence!("{name} {before} → {after}"));
    }
    Some(sentence!("{} {unit}", Shown::joined(changes, ", ")))
}

/// Returns a number of shares, or the word for shares without a number.
fn count_of(shares: Shares) -> Shown {
    match shares.count() {
        Some(count) => grouped(count),
        None => "parent".into(),
    }
}

/// Returns an amount of usage, or the word for none.
fn used(amount: Option<f64>) -> Shown {
    match amount {
        Some(amount) => cell(Value::Double(amount), ColumnId::Usage.unit()),
        None => "none".into(),
    }
}

/// Reads a typed amount, such as `20`, `+10`, `*2` or `50%`.
pub(crate) fn amount(text: &str) -> Result<Amount, Shown> {
    Amount::parse(text).map_err(|error| Shown::error(&error))
}

/// Returns the typed amount of usage, or the cost of a typed job such as `+nodes=4 time=2:00:00`.
pub(crate) fn charge_or_amount(scenario: &Scenario, text: &str) -> Result<Amount, Shown> {
    if !text.contains('=') {
        return amount(text);
    }
    let job = text.trim_start_matches('+');
    match job_usage(job, scenario.settings()) {
        Ok(cost) => Ok(Amount::More(cost)),
        Err(error) => Err(Shown::error(&error)),
    }
}

/// Returns the edit that gives a setting a value, or `None` if the setting has that value already.
pub(crate) fn setting(scenario: &Scenario, key: &str, text: &str) -> Result<Option<Edit>, Shown> {
    let mut settings = scenario.settings().clone();
    if let Err(error) = settings.set(key, text) {
        return Err(Shown::error(&error));
    }
    if settings == *scenario.settings() {
        return Ok(None);
    }
    Ok(Some(Edit::SetSetting {
        key: key.to_owned(),
        value: text.to_owned(),
    }))
}

/// Returns edits as one, or `None` if there are none.
pub(crate) fn as_one(mut edits: Vec<Edit>) -> Option<Edit> {
    if edits.len() > 1 {
        Some(Edit::Batch(edits))
    } else {
        edits.pop()
    }
}

/// Returns the edit of the shares of nodes, or `None` if they have these already. A percentage is the resulting portion of
/// the level.
pub(crate) fn shares(tree: &Tree, nodes: &[NodeId], amount: Amount) -> Result<Option<Edit>, Shown> {
    let portions = match amount {
        Amount::PercentOfLevel(percent) if nodes.len() > 1 => Some(portions(tree, nodes, percent)?),
        _ => None,
    };
    let mut edits = Vec::new();
    for &node in nodes {
        let given = match &portions {
            Some(portions) => match portion_of(tree, node, portions) {
                Some(count) => Amount::Exactly(count),
                // Without unmarked siblings that have shares, the shares stay as they are.
                None => continue,
            },
            None => amount,
        };
        let shares = match given.shares(tree, node) {
            Ok(shares) => shares,
            Err(error) => return Err(Shown::error(&error)),
        };
        if shares != tree.shares(node) {
            edits.push(Edit::SetShares { node, shares });
        }
    }
    Ok(as_one(edits))
}

/// Returns the shares that its account has for a node; `None` if there are none for it.
fn portion_of(tree: &Tree, node: NodeId, portions: &HashMap<NodeId, f64>) -> Option<f64> {
    let account = tree.parent(node)?;
    portions.get(&account).copied()
}

/// The marked children of one account.
#[derive(Default)]
struct MarkedChildren {
    count: f64,
    /// The sum of their shares.
    shares: f64,
}

/// Returns, for each account, the shares that give each of its children among `nodes` this percentage of the level.
fn portions(tree: &Tree, nodes: &[NodeId], percent: f64) -> Result<HashMap<NodeId, f64>, Shown> {
    let mut families: HashMap<NodeId, MarkedChildren> = HashMap::new();
    for &node in nodes {
        let Some(account) = tree.parent(node) else {
            continue;
        };
        let marked = families.entry(account).or_default();
        marked.count += 1.0;
        marked.shares += tree.shares(node).count().unwrap_or(0) as f64;
    }
    let portion = percent / 100.0;
    let mut portions = HashMap::new();
    for (account, MarkedChildren { count, shares }) in families {
        let mut sum = 0;
        for child in tree.children(account) {
            sum += tree.shares(child).count().unwrap_or(0);
        }
        let others = sum as f64 - shares;
        let together = percent * count / 100.0;
        let leaves_room = if others > 0.0 {
            together < 1.0
        } else {
            together <= 1.0
        };
        if portion < 0.0 || !leaves_room {
            let most = 100.0 / count;
            return Err(sentence!(
                "{count} marked nodes of one level cannot have {percent}% each; expected a number from 0 to \
                 below {most:.4}"
            ));
        }
        if others > 0.0 {
            portions.insert(account, others * portion / (1.0 - together));
        }
    }
    Ok(portions)
}

/// Returns the edit of the usage of nodes, or `None` if they have that usage already.
pub(crate) fn usage(tree: &Tree, nodes: &[NodeId], amount: Amount) -> Result<Option<Edit>, Shown> {
    let mut edits = Vec::new();
    // Descendants come first. They change the usage of an account, which is then set to its own amount.
    for &node in nodes.iter().rev() {
        let usage = match amount.usage_of(tree, node) {
            Ok(usage) => usage,
            Err(error) => return Err(Shown::error(&error)),
        };
        if usage.amount() != tree.shown_usage(node) {
            edits.push(Edit::SetUsage { node, usage });
        }
    }
    Ok(as_one(edits))
}

/// Returns the edit that adds `by` shares to each node. Fails if a node has no number of shares or would fall below 0.
/// `key` is the one for typed shares.
fn nudged(tree: &Tree, nodes: &[NodeId], by: i64, key: &str) -> Result<Option<Edit>, Shown> {
    let mut edits = Vec::new();
    for &node in nodes {
        let Some(before) = tree.shares(node).count() else {
            return Err(sentence!(
                "parent is not a number of shares; {key} gives this node its own"
            ));
        };
        let after = before + by;
        if node != NodeId::ROOT && after < 0 {
            return Err("shares cannot be negative".into());
        }
        let shares = Shares::new(after);
        edits.push(Edit::SetShares { node, shares });
    }
    Ok(as_one(edits))
}

/// Reads `NAME shares=5 kind=account` below `account`, or with a path from the root.
pub(crate) fn addition(scenario: &Scenario, account: NodeId, text: &str) -> Result<Edit, Shown> {
    let line = format!("add {text}");
    let mut edit = match parse(line.as_bytes(), scenario.tree(), scenario.settings()) {
        Ok(edit) => edit,
        Err(LanguageError::Form { .. }) => {
            return Err("expected NAME, optionally shares=5, usage=N or kind=account".into());
        }
        Err(error) => return Err(Shown::error(&error)),
    };
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
    if name == tree.name(node) {
        return None;
    }
    Some(Edit::Rename { node, name })
}

/// Asks for a node to add to the selected account, which is unfolded to show the new node.
pub(crate) fn ask_for_node(session: &mut Session, ui: &mut Ui) {
    let account = session.selected_account();
    session.set_unfolded(account, true);
    ui.prompt(EditPurpose::Add(account), String::new());
}

/// Asks for another name of the selected node. The prompt suggests its name.
pub(crate) fn ask_for_new_name(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    if node == NodeId::ROOT {
        return ui.fail("the root cannot be renamed; choose a node below it");
    }
    let name = escape_name(session.scenario.tree().name(node));
    ui.prompt(EditPurpose::Rename(node), ui.typeable(name));
}

/// Removes the selected node, or asks before the marked nodes are removed.
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
    let mut left = Vec::new();
    let mut edits = Vec::new();
    let mut users = 0;
    for &node in nodes {
        // The source may have been read again while the question was open.
        if tree.contains(node) {
            left.push(node);
            edits.push(Edit::Remove { node });
            users += users_in(tree, node);
        }
    }
    let users = counted(users, "user", "users");
    let removed = match left[..] {
        [node] if tree.kind(node) == Kind::User => shown(tree.name(node)),
        [node] => sentence!("{} with {users}", shown(tree.name(node))),
        _ => sentence!("{} with {users}", names(tree, &left)),
    };
    if let Some(edit) = as_one(edits) {
        apply_told(session, ui, edit, &sentence!("removed {removed}"));
    }
}

/// Moves the marked nodes to the selected account. Without marks, asks for the new account of the selected node.
pub(crate) fn move_nodes(session: &mut Session, ui: &mut Ui) {
    if session.marked_count() == 0 {
        let node = session.selected();
        if node == NodeId::ROOT {
            return ui.fail("the root cannot be moved; choose a node below it");
        }
        return ui.prompt(EditPurpose::MoveTo(node), String::new());
    }
    let tree = session.scenario.tree();
    let to = session.selected_account();
    let account = label(tree, to);
    let mut nodes = tops(tree, &session.targets());
    nodes.retain(|&node| tree.parent(node) != Some(to));
    let moved = names(tree, &nodes);
    let edits = nodes.iter().map(|&node| Edit::Move { node, to }).collect();
    let Some(edit) = as_one(edits) else {
        return ui.say(sentence!("the marked nodes are already below {account}"));
    };
    let done = sentence!("moved {moved} below {account}");
    if apply_told(session, ui, edit, &done) {
        session.select(nodes[0]);
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
    let mut common: Option<String> = None;
    for &node in &tree.nodes()[1..] {
        if tree.kind(node) != Kind::Account {
            continue;
        }
        // Writing a path is slow, so names that cannot match are skipped first.
        if by_name && !escape_name(tree.name(node)).starts_with(typed) {
            continue;
        }
        let Some(path) = path_of(tree, node) else {
            continue;
        };
        if !by_name && !path.starts_with(typed) {
            continue;
        }
        match &mut common {
            Some(common) => {
                let shared = shared_beginning(common.as_bytes(), path.as_bytes());
                common.truncate(shared);
            }
            None => common = Some(path),
        }
    }
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
