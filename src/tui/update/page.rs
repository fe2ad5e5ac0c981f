//! Pages: requesting, showing and updating them.

use crate::analysis::plan::slurm::name_fault;
use crate::analysis::solve::ON_TARGET;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::report::words;
use crate::tui::input::action::Action;
use crate::tui::page::content::Page;
use crate::tui::page::contention;
use crate::tui::page::subject::{NO_SERIES, Subject, typed_goal};
use crate::tui::page::task::PageTask;
use crate::tui::state::message::Task;
use crate::tui::state::open_page::OpenPage;
use crate::tui::state::prompt::Purpose;
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;

/// Opens a page and queues the effect that computes it.
pub(crate) fn open(session: &mut Session, ui: &mut Ui, subject: Subject) {
    session.catch_up();
    let ticket = ui.start(Task::Page(PageTask {
        subject: subject.clone(),
        scenario: Box::new(session.scenario.clone()),
        reference: session.source.reference.clone(),
        series: session.source.series.clone(),
    }));
    ui.page = Some(OpenPage::new(ticket, subject));
}

/// Computes the page again after another tree replaced the one on the screen. The old lines stay until the new ones
/// arrive, but cannot be used.
pub(crate) fn ask_again(session: &mut Session, ui: &mut Ui, before: &Tree) {
    let Some(open) = &mut ui.page else {
        return;
    };
    session.catch_up();
    let Some(subject) = open.subject.follow(before, session.scenario.tree()) else {
        let left = open.subject.title();
        ui.page = None;
        return ui.fail(sentence!(
            "{left} was for a node that is not in this tree; choose another node"
        ));
    };
    let (page, offset) = (open.page.take(), open.offset);
    self::open(session, ui, subject);
    if let Some(open) = &mut ui.page {
        open.is_outdated = page.is_some();
        (open.page, open.offset) = (page, offset);
    }
}

/// Shows a computed page if it is still awaited.
pub(crate) fn show_answered(ui: &mut Ui, number: u64, page: Result<Box<Page>, Shown>) {
    let Some(open) = ui.page.as_mut().filter(|open| open.ticket.number == number) else {
        return;
    };
    match page {
        Ok(page) => {
            let is_asked = page.lacks_cluster && open.page.is_none();
            // The former choice may not exist in the new state.
            open.choice = page.first_choice;
            open.page = Some(page);
            open.is_outdated = false;
            open.lines.take();
            ui.typed_path = None;
            if is_asked && ui.dialog.is_none() {
                ui.prompt(Purpose::Cluster, String::new());
            }
        }
        Err(reason) => {
            ui.page = None;
            ui.refuse_path(reason);
        }
    }
}

/// Asks for a goal of the selected node.
pub(crate) fn ask_for_goal(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    if node == NodeId::ROOT {
        return ui.fail("the root has no rank among its users; choose a node below it");
    }
    ui.prompt(Purpose::Goal(node), ON_TARGET.to_owned());
}

/// Opens the page of the goal that was typed.
pub(crate) fn take_goal(
    session: &mut Session,
    ui: &mut Ui,
    node: NodeId,
    text: &str,
) -> Result<(), Shown> {
    let goal = typed_goal(text, session.scenario.tree())?;
    open(session, ui, Subject::Goal(node, goal));
    Ok(())
}

/// Names the cluster that the commands are for, and computes the plan again.
pub(crate) fn take_cluster(session: &mut Session, ui: &mut Ui, name: &str) -> Result<(), Shown> {
    if let Some(fault) = name_fault(name.as_bytes()) {
        return Err(Shown::error(&fault));
    }
    let request = &mut session.source.reference.request;
    request.cluster = Some(name.to_owned());
    request.names_cluster = true;
    open(session, ui, Subject::Plan);
    Ok(())
}

/// Asks for the cores of a busy cluster to simulate.
pub(crate) fn ask_for_machine(ui: &mut Ui) {
    ui.prompt(Purpose::Machine, contention::USUAL.to_owned());
}

/// Opens the simulation of the typed cluster.
pub(crate) fn take_machine(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let (machine, against) = contention::parse(text, session.scenario.tree())?;
    let runs = 1 + u64::from(against.is_some());
    if let Some(sentence) = words::contention::long_work(&session.scenario, &machine, runs) {
        ui.say(sentence!("{sentence}, or press esc"));
    }
    open(session, ui, Subject::Contention(machine, against));
    Ok(())
}

/// Opens the page about what the rank of the selected node depends on.
pub(crate) fn open_rank(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    open(session, ui, Subject::Rank(node));
}

/// Opens the history of the marked nodes, or of the selected one.
pub(crate) fn open_history(session: &mut Session, ui: &mut Ui) {
    if session.source.series.is_none() {
        return ui.fail(NO_SERIES);
    }
    let tree = session.scenario.tree();
    let mut nodes = session.marks.nodes(tree);
    if nodes.is_empty() {
        nodes.push(session.selected());
    }
    let paths = nodes.iter().filter_map(|&node| path_of(tree, node));
    let paths: Vec<String> = paths.collect();
    if paths.is_empty() {
        return ui.fail("this node is too deep to have a path");
    }
    open(session, ui, Subject::Timeline(paths));
}

/// Compares the two marked nodes, or the marked one with the selected one.
pub(crate) fn compare_marked(session: &mut Session, ui: &mut Ui) {
    let marked = session.marks.nodes(session.scenario.tree());
    let selected = session.selected();
    let pair = match marked[..] {
        [first, second] => [first, second],
        [one] if one != selected => [one, selected],
        [_, _, _, ..] => {
            let count = counted(marked.len(), "node is", "nodes are");
            let clear = ui.hint(Action::Marks);
            return ui.fail(sentence!(
                "{count} marked, but two are needed; {clear} clears marks"
            ));
        }
        _ => {
            let (mark, key) = (Action::Mark, Action::CompareTwo);
            let (mark, key) = (ui.hint(mark), ui.hint(key));
            return ui.fail(sentence!(
                "{mark} marks a node: mark two, or mark one and select the other; then {key} compares them"
            ));
        }
    };
    // The marks were set for this comparison. If they stayed, the next edit would change the marked nodes.
    session.marks.clear();
    open(session, ui, Subject::Pair(pair));
}
