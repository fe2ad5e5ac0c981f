//! The columns beside the names: the next set of them, single ones, and those that are kept for a source.

use crate::base::shown::{Shown, sentence};
use crate::report::column_widths::room_order;
use crate::rules::policy::{ColumnId, Policy, RuleColumn};
use crate::tui::config;
use crate::tui::input::action::Action;
use crate::tui::recent::Kept;
use crate::tui::state::columns::{NARROWEST_LIST, chosen};
use crate::tui::state::pane::{available, insert, named_here};
use crate::tui::state::{Choice, Dialog, Item, Memory, Screen, Session, Ui};
use crate::tui::update::opening::kept_source;

/// The word that is kept where the columns of the policy are shown, and the user has others.
const OF_POLICY: &str = "policy";

/// Shows a column that is hidden, or hides one that is shown. The menu of columns follows.
pub(crate) fn show_or_hide(session: &mut Session, ui: &mut Ui, column: RuleColumn) {
    let mut columns = shown_columns(session, ui);
    if columns.contains(&column) {
        columns.retain(|&shown| shown != column);
    } else {
        insert(&mut columns, column);
    }
    session.columns.own.clone_from(&columns);
    session.columns.chosen = Some(columns);
    keep_columns(session, ui);
    let newer = column_items(session, ui);
    if let Some(Dialog::Menu(menu)) = &mut ui.dialog {
        menu.items = newer;
    }
}

/// Shows the columns of the policy, then those of every rule, then the user's own if there are any.
pub(crate) fn next_columns(session: &mut Session, ui: &mut Ui) {
    if session.screen == Screen::Policies {
        return say_that_columns_are_policies(ui);
    }
    let columns = &mut session.columns;
    columns.offset = 0;
    let key = ui.hint(Action::NextColumns);
    let width = ui.drawn.borrow().list.width;
    let what: Shown = if columns.chosen.is_none() {
        columns.chosen = Some(RuleColumn::EVERY_RULE.to_vec());
        if width < NARROWEST_LIST {
            sentence!(
                "every rule needs a list of {NARROWEST_LIST} columns, and this one has {width}"
            )
        } else {
            "columns of every rule".into()
        }
    } else if columns.show_every_rule() && !columns.own.is_empty() {
        columns.chosen = Some(columns.own.clone());
        "your own columns".into()
    } else {
        columns.chosen = None;
        "columns of the policy".into()
    };
    let mut told = vec![sentence!("{what}; {key} shows the next")];
    told.splice(1..1, session.blank_cells());
    ui.say(sentence!("{}", told.join("; ")));
    keep_columns(session, ui);
}

/// Keeps the columns for the source, which has them again when it is opened next.
fn keep_columns(session: &Session, ui: &mut Ui) {
    let Some(source) = kept_source(ui, session.request()) else {
        return;
    };
    let columns = &session.columns;
    let mut words: Vec<String> = Vec::new();
    if columns.show_every_rule() {
        words.push(RuleColumn::EVERY_RULE_WORD.to_owned());
    } else if columns.chosen.is_none() && !columns.own.is_empty() {
        words.push(OF_POLICY.to_owned());
    }
    for column in &columns.own {
        words.push(column.name().into());
    }
    ui.queue(Memory::KeepWords(Kept::Columns, source, words));
}

/// Shows the columns that were kept for a source, and has the user's own ready. Words that name none are left out.
pub(crate) fn recall(session: &mut Session, words: &[Vec<u8>]) {
    let first = match words {
        [first, ..] => &first[..],
        [] => &[],
    };
    let is_every_rule = first == RuleColumn::EVERY_RULE_WORD.as_bytes();
    let is_of_policy = first == OF_POLICY.as_bytes();
    let named = if is_every_rule || is_of_policy {
        &words[1..]
    } else {
        words
    };
    let mut known = Vec::new();
    for word in named {
        if let Ok(word) = std::str::from_utf8(word)
            && let Ok(columns) = config::columns(word)
        {
            known.extend(columns);
        }
    }
    let own = named_here(&known, &session.scenario);
    let columns = &mut session.columns;
    if is_every_rule {
        columns.chosen = Some(RuleColumn::EVERY_RULE.to_vec());
    } else if is_of_policy {
        columns.chosen = None;
    } else if !own.is_empty() {
        columns.chosen = Some(own.clone());
    }
    if !own.is_empty() {
        columns.own = own;
    }
}

/// Says which keys scroll the policies, where their columns cannot be chosen.
fn say_that_columns_are_policies(ui: &mut Ui) {
    let left = ui.hint(Action::ColumnsLeft);
    let right = ui.hint(Action::ColumnsRight);
    ui.say(sentence!(
        "the columns here are the policies; {left} {right} scroll them"
    ));
}

/// Opens the menu of columns.
pub(crate) fn choose_columns(session: &mut Session, ui: &mut Ui) {
    if session.screen == Screen::Policies {
        return say_that_columns_are_policies(ui);
    }
    let items = column_items(session, ui);
    ui.show(Dialog::menu("Columns to show", items, None));
}

/// Returns the columns that fit beside the names on the screen.
fn shown_columns(session: &Session, ui: &Ui) -> Vec<RuleColumn> {
    chosen(session, ui.layout(), ui.drawn.borrow().list.width)
}

/// Returns the columns of the policy, those of the other rules, and what else is shown.
fn column_items(session: &Session, ui: &Ui) -> Vec<Item> {
    let shown = shown_columns(session, ui);
    let policy = session.scenario.policy();
    let mut columns: Vec<RuleColumn> = Vec::new();
    for column in available(&session.scenario) {
        columns.push(column.into());
    }
    for &rule in Policy::ALL {
        if rule != policy {
            columns.append(&mut of_another_rule(rule));
        }
    }
    for &column in &shown {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let mut items = Vec::new();
    for column in columns {
        let mark = if shown.contains(&column) { "x" } else { " " };
        let name = sentence!("[{mark}] {}", name_of(column));
        items.push(item(Choice::Column(column), column, policy, name));
    }
    items
}

/// Returns the numbers of a rule that no other one has, first those that get room first, then what each rule has.
fn of_another_rule(rule: Policy) -> Vec<RuleColumn> {
    let usual = rule.usual_columns();
    let mut ids = rule.columns().to_vec();
    ids.retain(|&column| match column {
        ColumnId::FairshareFactor => usual.contains(&column),
        column => Policy::computing(column).contains(&rule),
    });
    ids.sort_by_key(|&column| room_order(column));
    if usual.contains(&ColumnId::Factor) {
        ids.push(ColumnId::Factor);
    }
    ids.extend([ColumnId::Served, ColumnId::Rank]);
    let mut columns = Vec::new();
    for id in ids {
        columns.push(RuleColumn::under(rule, id));
    }
    columns
}

/// Returns the line of a menu for a column. It is found by its heading and by its name with the rule, too.
pub(crate) fn item(choice: Choice, column: RuleColumn, policy: Policy, name: Shown) -> Item {
    let rule = column.rule.unwrap_or(policy);
    let full = RuleColumn::under(rule, column.column).name();
    let words = sentence!("{full} {}", column.column.heading());
    Item {
        words,
        ..Item::new(choice, name, rule.column_help(column.column))
    }
}

/// Recorded columns often have the headings of computed ones, and those of another rule the headings of the policy's own,
/// so menus tell them apart.
pub(crate) fn name_of(column: RuleColumn) -> Shown {
    let heading = column.heading();
    match (column.column, column.rule) {
        (ColumnId::Recorded(fact), _) => sentence!("{}, recorded", fact.name()),
        (_, Some(rule)) if !heading.ends_with(rule.name()) => {
            sentence!("{heading} {}", rule.name())
        }
        _ => sentence!("{heading}"),
    }
}
