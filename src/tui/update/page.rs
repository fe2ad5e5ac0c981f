//! Pages: requesting, showing and updating them, and their keys.

use crate::analysis::plan::slurm::name_fault;
use crate::analysis::solve::ON_TARGET;
use crate::analysis::user::UserStanding;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::format::Request;
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::report::label;
use crate::report::manual::search::{Hit, search as search_manual};
use crate::report::manual::{TOPICS, Topic};
use crate::report::me::associations_of;
use crate::report::question::{AskedUser, JobQuestion, MetricsQuestion, NodePair, Question};
use crate::report::words;
use crate::tui::input::action::Action;
use crate::tui::page::content::{NO_SERIES, Page, Subject};
use crate::tui::page::queue::MOST_JOBS;
use crate::tui::page::{PageTask, topic_page};
use crate::tui::state::{
    AnswerPurpose, App, Choice, Dialog, Front, Item, LONGEST_COPY, OpenPage, Screen, Session,
    Sought, Task, TerminalEffect, TopicPlace, Ui, Work,
};
use crate::tui::update::editing::apply;
use crate::tui::update::prompt::machine;
use ratatui::layout::{Position, Rect};
use std::path::Path;

/// Opens a page. A thread computes it from the state on the screen.
pub(crate) fn open(session: &mut Session, ui: &mut Ui, subject: Subject) {
    session.catch_up();
    let source = &session.source;
    let task = PageTask {
        subject: subject.clone(),
        scenario: Box::new(session.scenario.clone()),
        reference: source.reference.clone(),
        series: source.series.clone(),
        companions: source.companions.clone(),
        problems: source.problems.clone(),
        verification: Box::new(source.verification.clone()),
    };
    let ticket = ui.start(Task::Page(task));
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
    let mut left = open.before.take();
    if let Some(left) = &mut left {
        left.is_outdated = true;
    }
    let offset = open.offset;
    let choice = open.choice;
    self::open(session, ui, subject);
    if let Some(open) = &mut ui.page {
        open.is_outdated = page.is_some();
        open.page = page;
        open.offset = offset;
        open.choice = choice;
        open.before = left;
    }
}

/// Closes the page, and goes back to the one from which it was opened. That is computed again if the tree has changed.
pub(crate) fn close(session: &mut Session, ui: &mut Ui) {
    let Some(mut open) = ui.page.take() else {
        return;
    };
    let Some(before) = open.before.take() else {
        return;
    };
    let is_outdated = before.is_outdated;
    ui.page = Some(*before);
    if is_outdated {
        let tree = session.scenario.tree().clone();
        ask_again(session, ui, &tree);
    }
}

/// Shows the page of the job of that number, or says why there is none. A page that is no longer open is dropped.
pub(crate) fn show_answered(ui: &mut Ui, number: u64, page: Result<Box<Page>, Shown>) {
    let Some(open) = &mut ui.page else { return };
    if open.ticket.number != number {
        return;
    }
    match page {
        Ok(page) => {
            // The former choice may not exist in the new state. A list of jobs has the cursor where it was.
            if page.jobs.is_empty() {
                open.choice = page.first_choice;
            } else {
                open.choice = open.choice.min(page.jobs.len() - 1);
            }
            open.marked = None;
            open.page = Some(page);
            open.is_outdated = false;
            open.lines.take();
            open.typed = None;
        }
        Err(reason) => {
            let line = open.typed.take();
            let before = open.before.take();
            ui.page = before.map(|before| *before);
            let asked = line.map(|line| (AnswerPurpose::DiffWith, line));
            ui.refuse_path(asked, reason);
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

/// Opens the page of the selected node under every policy.
pub(crate) fn open_every_policy(session: &mut Session, ui: &mut Ui) {
    let nodes = vec![session.selected()];
    ask(session, ui, Question::EveryPolicy(nodes));
}

/// Opens the page of the selected user; of an account, that of its first user, at which the ranking opens too.
pub(crate) fn open_user(session: &mut Session, ui: &mut Ui) {
    session.catch_up();
    let selected = session.selected();
    let tree = session.scenario.tree();
    if tree.kind(selected) == Kind::User {
        return open_page_of(session, ui, selected);
    }
    let account = label(tree, selected);
    let Some(first) = session.scenario.evaluation().best_user(selected) else {
        return ui.fail(sentence!("{account} has no users with a rank"));
    };
    let user = label(tree, first);
    session.select(first);
    open_page_of(session, ui, first);
    ui.say(sentence!(
        "{user} is the first user of {account}; select another for its page"
    ));
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

/// Opens the page of a user with these associations.
fn ask_about_user(session: &mut Session, ui: &mut Ui, associations: Vec<NodeId>) {
    let user = AskedUser {
        associations,
        shows_others: false,
    };
    ask(session, ui, Question::User(user));
}

/// Opens the page of the user of that name, and selects its best association.
pub(crate) fn open_named_user(session: &mut Session, ui: &mut Ui, user: &[u8]) {
    session.catch_up();
    let scenario = &session.scenario;
    let nodes = match associations_of(scenario.tree(), scenario.settings(), user) {
        Ok(nodes) => nodes,
        Err(reason) => return ui.fail(reason),
    };
    let standing = UserStanding::of(scenario, &nodes);
    let best = standing.associations[0].node;
    session.select(best);
    ask_about_user(session, ui, nodes);
}

/// Takes the typed name of the cluster, which the commands of the plan need, and opens the plan again.
pub(crate) fn take_cluster(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let name = text.trim();
    if let Some(fault) = name_fault(name.as_bytes()) {
        return Err(Shown::error(&fault));
    }
    let request = &mut session.source.reference.request;
    request.cluster = Some(name.to_owned());
    request.names_cluster = true;
    open(session, ui, Subject::Plan);
    Ok(())
}

/// Opens the page of the metrics, users included.
pub(crate) fn open_metrics(session: &mut Session, ui: &mut Ui) {
    let question = MetricsQuestion {
        with_users: true,
        limit: None,
    };
    ask(session, ui, Question::Metrics(question));
}

/// Asks for the machine of a busy cluster, and the jobs on it.
pub(crate) fn ask_for_machine(ui: &mut Ui) {
    ui.prompt(AnswerPurpose::Machine, machine::USUAL.to_owned());
}

/// Takes a typed machine, and simulates it. Says so before work that takes long.
pub(crate) fn take_machine(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let scenario = &session.scenario;
    let question = machine::read(text, scenario.tree())?;
    let runs = 1 + u64::from(question.against.is_some());
    if let Some(warning) = words::contention::long_work(scenario, &question.machine, runs) {
        let key = ui.hint(Action::Cancel);
        ui.say(sentence!("{warning}, or press {key}"));
    }
    ask(session, ui, Question::Machine(question));
    Ok(())
}

/// Opens the history of the marked or selected nodes in the series of dumps.
pub(crate) fn open_history(session: &mut Session, ui: &mut Ui) {
    if session.source.series.is_none() {
        return ui.fail(NO_SERIES);
    }
    let tree = session.scenario.tree();
    let mut paths = Vec::new();
    for node in session.targets() {
        paths.extend(path_of(tree, node));
    }
    if paths.is_empty() {
        return ui.fail("this node is too deep to have a path");
    }
    open(session, ui, Subject::Timeline(paths));
}

/// Opens the comparison of the two marked nodes, or of the marked and the selected node.
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
            let mark = ui.hint(Action::Mark);
            let key = ui.hint(Action::Compare);
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
    match open.answer() {
        Some(page) => page.choice_count() > 0 || page.lacks_cluster,
        None => true,
    }
}

/// Copies the page in front to the clipboard, or says why it cannot be copied.
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

/// Asks for the file that the page in front is saved to. The prompt suggests its own name.
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
    let mut files = Vec::new();
    for (name, bytes) in &page.files {
        files.push((path.with_file_name(name), bytes.clone()));
    }
    files.push((path.to_owned(), page.text().into_bytes()));
    ui.queue(Work::Export(files, sources));
}

/// Searches the page in front for a text, from the first line in sight on. If a topic of the manual does not have it, goes to
/// the section of the manual that has its words. Fails if there is none.
pub(crate) fn search(ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let Some(open) = ui.front_page_mut() else {
        return Ok(());
    };
    open.settle();
    text.clone_into(&mut open.search);
    open.matched = None;
    if text.is_empty() || open.find(true, true) {
        return Ok(());
    }
    if open.topic().is_none() {
        return Err("no match on this page".into());
    }
    for hit in search_manual(text).hits {
        if hit.has_all {
            go_to_hit(ui, &hit);
            return Ok(());
        }
    }
    Err("no match on this page, and none in the manual".into())
}

/// Goes to a section of the manual, because the topic that is open does not have the text that was typed.
fn go_to_hit(ui: &mut Ui, hit: &Hit) {
    open_hit(ui, hit);
    let name = hit.topic.name;
    let heading = &hit.heading;
    let key = ui.hint(Action::Quit);
    ui.say(if heading.is_empty() {
        sentence!("no match on this page; found in {name} ({key} goes back)")
    } else {
        sentence!("no match on this page; found in {name}: {heading} ({key} goes back)")
    });
}

/// Goes to the next or the previous match on the page in front.
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
    let line = usize::from(at.y - area.y);
    let Some(clicked) = open.choice_at(line, column) else {
        return false;
    };
    open.choice = clicked;
    true
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
    let Some(choice) = open.chosen() else {
        if page.lacks_cluster {
            ui.prompt(AnswerPurpose::Cluster, String::new());
        }
        return;
    };
    if let Some(job) = page.jobs.get(choice) {
        let job = job.clone();
        return open_job(session, ui, job, None);
    }
    let offer = page.choices[choice].clone();
    if !open.is_choice_on_screen() {
        open.show_choice();
        let key = ui.hint(Action::Toggle);
        return ui.say(sentence!("{key} applies this one"));
    }
    ui.page = None;
    apply(session, ui, offer.edit);
    session.select(offer.node);
}

/// Opens the page of a job, compared with another one or with the one before it. The list of jobs is gone back to.
fn open_job(session: &mut Session, ui: &mut Ui, job: Shown, other: Option<Shown>) {
    let left = ui.page.take();
    let question = JobQuestion {
        job,
        other,
        limit: Some(MOST_JOBS),
    };
    ask(session, ui, Question::Job(question));
    if let Some(open) = &mut ui.page {
        open.before = left.map(Box::new);
    }
}

/// Marks the job under the cursor, or takes its mark away; if another one is marked, compares both.
pub(crate) fn mark_job(session: &mut Session, ui: &mut Ui) {
    let key = ui.hint(Action::Mark);
    let Some(open) = &mut ui.page else { return };
    let Some(choice) = open.chosen() else { return };
    let marked = open.marked.take();
    if marked == Some(choice) {
        return;
    }
    let Some(page) = open.answer() else { return };
    let job = page.jobs[choice].clone();
    let Some(marked) = marked else {
        open.marked = Some(choice);
        return ui.say(sentence!(
            "job {job} is marked; {key} on another job compares both"
        ));
    };
    let first = page.jobs[marked].clone();
    open_job(session, ui, first, Some(job));
}

impl App {
    /// Opens the topic of what is in front; in the manual, the list of topics.
    pub(crate) fn open_manual(&mut self) {
        if let Some(open) = &self.ui.manual {
            let topics = topics(open);
            return self.ui.show(topics);
        }
        let Some(session) = self.session() else {
            let why = "the manual needs an open tree; `fairscope help` prints it";
            return self.ui.fail(why);
        };
        let mut topic = topic_of(self.front());
        if session.played_lesson().is_some()
            && let Some(lessons) = Topic::named("lessons")
        {
            topic = lessons;
        }
        open_topic(&mut self.ui, topic);
    }
}

/// Returns the topic of the manual about what is in front.
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
        if let Some(left) = open.topic() {
            trail.push(TopicPlace {
                topic: left,
                offset: open.first_line(),
                choice: open.choice,
            });
        }
    }
    let begin = TopicPlace {
        topic,
        offset: 0,
        choice: 0,
    };
    show_topic(ui, begin, trail);
}

/// Opens a topic at the section that was found.
fn open_hit(ui: &mut Ui, hit: &Hit) {
    open_topic(ui, hit.topic);
    if let Some(open) = &mut ui.manual {
        open.search.clone_from(&hit.word);
        open.sought = Some(Sought {
            heading: hit.heading.clone(),
            word: hit.word.clone(),
        });
    }
}

/// Opens the topic that was chosen from the list of topics: at what was typed there, or at its beginning if that was its
/// name.
pub(crate) fn open_listed(ui: &mut Ui, topic: Topic, typed: &str) {
    if !topic.name.starts_with(&typed.to_lowercase()) {
        for hit in search_manual(typed).hits {
            if hit.topic.name == topic.name {
                return open_hit(ui, &hit);
            }
        }
    }
    open_topic(ui, topic);
}

/// Goes back to the topic that was open before, or closes the manual.
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
    if let Some(page) = open.answer()
        && let Some(&topic) = page.links.get(open.choice)
    {
        open_topic(ui, topic);
    }
}

/// Shows a place in the manual, from which the trail leads back.
fn show_topic(ui: &mut Ui, place: TopicPlace, trail: Vec<TopicPlace>) {
    // No thread computes the page, so that no answer bears its number.
    let ticket = ui.next_ticket();
    let mut open = OpenPage::new(ticket, Subject::Manual(place.topic));
    open.page = Some(Box::new(topic_page(place.topic)));
    open.offset = place.offset;
    open.choice = place.choice;
    open.trail = trail;
    ui.manual = Some(open);
}

/// Returns the list of topics, with the cursor on the one that is open.
fn topics(open: &OpenPage) -> Dialog {
    let mut items = Vec::new();
    for &topic in TOPICS {
        let choice = Choice::Topic(topic);
        items.push(Item::new(choice, topic.name, topic.about()));
    }
    let current = open.topic().map(Choice::Topic);
    Dialog::menu("Manual", items, current)
}
