//! Pages: requesting, showing and updating them, and their keys.

use crate::analysis::plan::slurm::name_fault;
use crate::analysis::solve::ON_TARGET;
use crate::analysis::user::UserStanding;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::format::Request;
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::report::label;
use crate::report::manual::{TOPICS, Topic};
use crate::report::me::associations_of;
use crate::report::question::{AskedUser, MetricsQuestion, NodePair, Question};
use crate::report::words;
use crate::tui::input::action::Action;
use crate::tui::page::content::{NO_SERIES, Page, Subject};
use crate::tui::page::{PageTask, topic_page};
use crate::tui::state::{
    AnswerPurpose, App, Choice, Dialog, Front, Item, LONGEST_COPY, OpenPage, Screen, Session, Task,
    TerminalEffect, Ui, Work,
};
use crate::tui::update::editing::apply;
use crate::tui::update::prompt::machine;
use ratatui::layout::{Position, Rect};
use std::path::Path;

pub(crate) fn open(session: &mut Session, ui: &mut Ui, subject: Subject) {
    session.catch_up();
    let ticket = ui.start(Task::Page(PageTask {
        subject: subject.clone(),
        scenario: Box::new(session.scenario.clone()),
        reference: session.source.reference.clone(),
        series: session.source.series.clone(),
        companions: session.source.companions.clone(),
        problems: session.source.problems.clone(),
        verification: Box::new(session.source.verification.clone()),
    }));
    ui.page = Some(OpenPage::new(ticket, subject));
}

/// Opens the page of the report that answers a question.
pub(crate) fn ask(session: &mut Session, ui: &mut Ui, question: Question) {
    open(session, ui, Subject::Question(question));
}

/// Computes the page for another tree. The old lines stay until the new ones arrive, but cannot be used.
pub(crate) fn ask_again(session: &mut Session, ui: &mut Ui, before: &Tree) {
    let Some(open) = &mut ui.page else { return };
    session.catch_up();
    let Some(subject) = open.subject.follow(before, session.scenario.tree()) else {
        let left = open.subject.labels().noun;
        ui.page = None;
        return ui.fail(sentence!(
            "{left} was for a node that is not in this tree; choose another node"
        ));
    };
    let page = open.page.take();
    let offset = open.offset;
    self::open(session, ui, subject);
    if let Some(open) = &mut ui.page {
        open.is_outdated = page.is_some();
        (open.page, open.offset) = (page, offset);
    }
}

pub(crate) fn show_answered(ui: &mut Ui, number: u64, page: Result<Box<Page>, Shown>) {
    let Some(open) = ui.page.as_mut().filter(|open| open.ticket.number == number) else {
        return;
    };
    match page {
        Ok(page) => {
            // The former choice may not exist in the new state.
            open.choice = page.first_choice;
            open.page = Some(page);
            open.is_outdated = false;
            open.lines.take();
            open.typed = None;
        }
        Err(reason) => {
            let typed = open
                .typed
                .take()
                .map(|line| (AnswerPurpose::DiffWith, line));
            ui.page = None;
            ui.refuse_path(typed, reason);
        }
    }
}

/// Asks for a goal of the selected node, or on the root for goals of the site.
pub(crate) fn ask_for_goal(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    let text = if node == NodeId::ROOT {
        "keep(others); "
    } else {
        ON_TARGET
    };
    ui.prompt(AnswerPurpose::Goal(node), text.to_owned());
}

/// Opens what is known of the source.
pub(crate) fn open_source(session: &mut Session, ui: &mut Ui) {
    open(session, ui, Subject::Source);
}

pub(crate) fn open_every_policy(session: &mut Session, ui: &mut Ui) {
    let nodes = vec![session.selected()];
    ask(session, ui, Question::EveryPolicy(nodes));
}

/// Opens the page of the selected user; of an account, that of its first user, at which the ranking opens too.
pub(crate) fn open_user(session: &mut Session, ui: &mut Ui) {
    session.catch_up();
    let selected = session.selected();
    let scenario = &session.scenario;
    let tree = scenario.tree();
    if tree.kind(selected) == Kind::User {
        return open_page_of(session, ui, selected);
    }
    let Some(first) = scenario.evaluation().best_user(selected) else {
        return ui.fail(sentence!(
            "{} has no users with a rank",
            label(tree, selected)
        ));
    };
    let said = sentence!(
        "{} is the first user of {}; select another for its page",
        label(tree, first),
        label(tree, selected)
    );
    session.select(first);
    open_page_of(session, ui, first);
    ui.say(said);
}

/// Opens the page of the user of an association.
fn open_page_of(session: &mut Session, ui: &mut Ui, association: NodeId) {
    let scenario = &session.scenario;
    let name = scenario.tree().name(association);
    match associations_of(scenario.tree(), scenario.settings(), name) {
        Ok(nodes) => ask_about_user(session, ui, nodes),
        Err(reason) => ui.fail(reason),
    }
}

fn ask_about_user(session: &mut Session, ui: &mut Ui, associations: Vec<NodeId>) {
    let user = AskedUser {
        associations,
        shows_others: false,
    };
    ask(session, ui, Question::User(user));
}

pub(crate) fn open_named_user(session: &mut Session, ui: &mut Ui, user: &[u8]) {
    session.catch_up();
    let scenario = &session.scenario;
    let nodes = match associations_of(scenario.tree(), scenario.settings(), user) {
        Ok(nodes) => nodes,
        Err(reason) => return ui.fail(reason),
    };
    let best = UserStanding::of(scenario, &nodes).associations[0].node;
    session.select(best);
    ask_about_user(session, ui, nodes);
}

pub(crate) fn take_cluster(session: &mut Session, ui: &mut Ui, name: &str) -> Result<(), Shown> {
    let name = name.trim();
    if let Some(fault) = name_fault(name.as_bytes()) {
        return Err(Shown::error(&fault));
    }
    let request = &mut session.source.reference.request;
    request.cluster = Some(name.to_owned());
    request.names_cluster = true;
    open(session, ui, Subject::Plan);
    Ok(())
}

pub(crate) fn open_metrics(session: &mut Session, ui: &mut Ui) {
    let question = MetricsQuestion {
        with_users: true,
        limit: None,
    };
    ask(session, ui, Question::Metrics(question));
}

pub(crate) fn ask_for_machine(ui: &mut Ui) {
    ui.prompt(AnswerPurpose::Machine, machine::USUAL.to_owned());
}

pub(crate) fn take_machine(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let question = machine::read(text, session.scenario.tree())?;
    let runs = 1 + u64::from(question.against.is_some());
    if let Some(sentence) = words::contention::long_work(&session.scenario, &question.machine, runs)
    {
        let key = ui.hint(Action::Cancel);
        ui.say(sentence!("{sentence}, or press {key}"));
    }
    ask(session, ui, Question::Machine(question));
    Ok(())
}

pub(crate) fn open_history(session: &mut Session, ui: &mut Ui) {
    if session.source.series.is_none() {
        return ui.fail(NO_SERIES);
    }
    let tree = session.scenario.tree();
    let nodes = session.targets().into_iter();
    let paths: Vec<String> = nodes.filter_map(|node| path_of(tree, node)).collect();
    if paths.is_empty() {
        return ui.fail("this node is too deep to have a path");
    }
    open(session, ui, Subject::Timeline(paths));
}

pub(crate) fn compare_marked(session: &mut Session, ui: &mut Ui) {
    let marked = session.marks.nodes(session.scenario.tree());
    let selected = session.selected();
    let pair = match marked[..] {
        [first, second] => NodePair { first, second },
        [first] if first != selected => NodePair {
            first,
            second: selected,
        },
        [_, _, _, ..] => {
            let count = counted(marked.len(), "node is", "nodes are");
            let clear = ui.hint(Action::Marks);
            return ui.fail(sentence!(
                "{count} marked, but two are needed; {clear} clears marks"
            ));
        }
        _ => {
            let [mark, key] = [Action::Mark, Action::Compare].map(|action| ui.hint(action));
            return ui.fail(sentence!(
                "{mark} marks a node: mark two, or mark one and select the other; then {key} compares them"
            ));
        }
    };
    // The marks were set for this comparison. If they stayed, the next edit would change the marked nodes.
    session.marks.clear();
    ask(session, ui, Question::Pair(pair));
}

/// Says that a page is still being computed.
fn say_unanswered(ui: &mut Ui) {
    let key = ui.hint(Action::Cancel);
    ui.say(sentence!("not ready yet; wait, or press {key} to cancel"));
}

/// Scrolls a page by a number of screens. One line of each screen stays visible.
pub(crate) fn scroll_screens(open: &mut OpenPage, by: isize) {
    let (height, _) = open.height.get();
    let page = height.saturating_sub(1).max(1).cast_signed();
    open.scroll(by * page);
}

/// Returns whether a page has something to choose, to follow or to name. A page that is not computed yet may have.
pub(crate) fn has_choice(open: &OpenPage) -> bool {
    open.answer()
        .is_none_or(|page| page.choice_count() > 0 || page.lacks_cluster)
}

pub(crate) fn copy(ui: &mut Ui) {
    let Some(open) = ui.front_page() else {
        return;
    };
    let Some(page) = open.answer() else {
        return say_unanswered(ui);
    };
    if page.lacks_cluster {
        // The commands would not run as they are.
        return ui.prompt(AnswerPurpose::Cluster, String::new());
    }
    let text = page.text();
    let what = open.subject.labels().noun;
    if text.len() > LONGEST_COPY {
        let key = ui.hint(Action::Save);
        // A truncated list of commands would do something else.
        return ui.fail(sentence!(
            "{what} is too long for the clipboard of a terminal; {key} saves it to a file"
        ));
    }
    ui.say(sentence!("copied {what}"));
    ui.queue(TerminalEffect::Copy(text));
}

pub(crate) fn ask_where_to_save(ui: &mut Ui) {
    let Some(open) = ui.front_page() else {
        return;
    };
    let Some(page) = open.answer() else {
        return say_unanswered(ui);
    };
    if page.lacks_cluster {
        return ui.prompt(AnswerPurpose::Cluster, String::new());
    }
    let file = format!("{}.txt", open.subject.labels().file);
    let line = ui.line(Path::new(&file));
    ui.prompt(AnswerPurpose::SavePage, line);
}

/// Saves the page in a file, together with its other files. Never writes to `sources`.
pub(crate) fn save(ui: &mut Ui, path: &Path, sources: Vec<Request>) {
    if path.as_os_str().is_empty() {
        return ui.fail("no file name given; nothing was saved");
    }
    let Some(page) = ui.front_page().and_then(OpenPage::answer) else {
        return say_unanswered(ui);
    };
    let beside = page.files.iter();
    let beside = beside.map(|(name, bytes)| (path.with_file_name(name), bytes.clone()));
    let files = beside
        .chain([(path.to_owned(), page.text().into_bytes())])
        .collect();
    ui.queue(Work::Export(files, sources));
}

pub(crate) fn search(ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let Some(open) = ui.front_page_mut() else {
        return Ok(());
    };
    text.clone_into(&mut open.search);
    open.matched = None;
    if text.is_empty() || open.find(true, true) {
        Ok(())
    } else {
        Err("no match on this page".into())
    }
}

pub(crate) fn step_found(ui: &mut Ui, is_forward: bool) {
    let key = ui.hint(Action::Search);
    let Some(open) = ui.front_page_mut() else {
        return;
    };
    if open.search.is_empty() {
        ui.say(sentence!("no active search; {key} searches this page"));
    } else if !open.find(is_forward, false) {
        ui.say("no match on this page");
    }
}

/// Handles a click on a page, which is in an area. A click on a choice moves the cursor there. Returns whether a choice
/// was clicked.
pub(crate) fn click(open: &mut OpenPage, area: Rect, at: Position) -> bool {
    if !area.contains(at) || open.chosen().is_none() {
        return false;
    }
    // The lines begin one column from the left.
    let column = (at.x - area.x).saturating_sub(1);
    let choice = open.choice_at(usize::from(at.y - area.y), column);
    open.choice = choice.unwrap_or(open.choice);
    choice.is_some()
}

/// Applies the choice under the cursor as an edit. A choice outside the screen is scrolled into view first.
pub(crate) fn apply_choice(session: &mut Session, ui: &mut Ui) {
    if ui.manual.is_some() {
        return follow_link(ui);
    }
    let Some(open) = &mut ui.page else { return };
    let Some(page) = open.answer() else {
        return say_unanswered(ui);
    };
    let lacks_cluster = page.lacks_cluster;
    let Some(offer) = open.chosen().map(|choice| page.choices[choice].clone()) else {
        if lacks_cluster {
            ui.prompt(AnswerPurpose::Cluster, String::new());
        }
        return;
    };
    if !open.is_choice_on_screen() {
        open.show_choice();
        let key = ui.hint(Action::Toggle);
        return ui.say(sentence!("{key} applies this one"));
    }
    ui.page = None;
    apply(session, ui, offer.edit);
    session.select(offer.node);
}

impl App {
    /// Opens the topic of what is in front; in the manual, the list of topics.
    pub(crate) fn open_manual(&mut self) {
        if let Some(open) = &self.ui.manual {
            let topics = topics(open);
            self.ui.show(topics);
        } else if let Some(session) = self.session() {
            let lesson = session.played_lesson();
            let lessons = lesson.and_then(|_| Topic::named("lessons"));
            let topic = lessons.unwrap_or_else(|| topic_of(self.front()));
            open_topic(&mut self.ui, topic);
        } else {
            self.ui
                .fail("the manual needs an open tree; `fairscope help` prints it");
        }
    }
}

fn topic_of(front: Front<'_>) -> Topic {
    let name = match front {
        Front::Nothing | Front::Screen(Screen::Tree) => "explorer",
        Front::Screen(Screen::Ranking) => "columns",
        Front::Screen(Screen::Policies) => "formulas",
        Front::Screen(Screen::Time) => "time",
        Front::Page { open, .. } => open.subject.labels().topic,
    };
    Topic::named(name).expect("a test opens the topic of each screen")
}

/// Opens a topic. The topic that was open before can be gone back to.
pub(crate) fn open_topic(ui: &mut Ui, topic: Topic) {
    let mut trail = Vec::new();
    if let Some(open) = &mut ui.manual {
        trail = std::mem::take(&mut open.trail);
        trail.extend(open.topic().map(|topic| (topic, open.offset, open.choice)));
    }
    show_topic(ui, (topic, 0, 0), trail);
}

pub(crate) fn leave_topic(ui: &mut Ui) {
    let Some(mut open) = ui.manual.take() else {
        return;
    };
    let mut trail = std::mem::take(&mut open.trail);
    if let Some(left) = trail.pop() {
        show_topic(ui, left, trail);
    }
}

/// Follows the link under the cursor. If that is not on the screen, the cursor goes to the first link there.
pub(crate) fn follow_link(ui: &mut Ui) {
    let Some(open) = &mut ui.manual else { return };
    if !open.is_choice_on_screen() {
        if let Some(choice) = open.first_choice_on_screen() {
            open.choice = choice;
            return;
        }
        let key = ui.hint(Action::Manual);
        return ui.say(sentence!("no link on this screen; {key} lists the topics"));
    }
    let links = open.answer().map(|page| &page.links);
    let topic = links.and_then(|links| links.get(open.choice)).copied();
    if let Some(topic) = topic {
        open_topic(ui, topic);
    }
}

fn show_topic(ui: &mut Ui, place: (Topic, usize, usize), trail: Vec<(Topic, usize, usize)>) {
    let (topic, offset, choice) = place;
    // No thread computes the page, so that no answer bears its number.
    let mut open = OpenPage::new(ui.next_ticket(), Subject::Manual(topic));
    open.page = Some(Box::new(topic_page(topic)));
    (open.offset, open.choice, open.trail) = (offset, choice, trail);
    ui.manual = Some(open);
}

fn topics(open: &OpenPage) -> Dialog {
    let item = |&topic: &Topic| Item::new(Choice::Topic(topic), topic.name, topic.about());
    let current = open.topic().map(Choice::Topic);
    Dialog::menu("Manual", TOPICS.iter().map(item), current)
}
