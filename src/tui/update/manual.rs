//! The manual: opening the topic of what is in front, following links and going back.

use crate::base::shown::sentence;
use crate::report::manual::{TOPICS, Topic};
use crate::tui::input::action::Action;
use crate::tui::page::subject::Subject;
use crate::tui::page::topic_page;
use crate::tui::state::{App, Choice, Dialog, Front, Item, OpenPage, Screen, Ui};

impl App {
    /// Opens the topic of what is in front; in the manual, the list of topics.
    pub(crate) fn open_manual(&mut self) {
        if let Some(open) = &self.ui.manual {
            self.ui.dialog = Some(topics(open));
        } else if let Some(session) = self.session() {
            let lesson = session.played_lesson();
            let lessons = lesson.and_then(|_| Topic::named("lessons"));
            let topic = lessons.unwrap_or_else(|| topic_of(self.front()));
            open(&mut self.ui, topic);
        } else {
            self.ui
                .fail("the manual needs an open tree; `fairscope help` prints it");
        }
    }
}

/// Returns the topic of what is in front.
fn topic_of(front: Front<'_>) -> Topic {
    let name = match front {
        Front::Nothing | Front::Screen(Screen::Tree) => "explorer",
        Front::Screen(Screen::Ranking) => "columns",
        Front::Screen(Screen::Policies) => "formulas",
        Front::Screen(Screen::Time) => "time",
        Front::Page { open, .. } => match &open.subject {
            Subject::Plan
            | Subject::Goal(..)
            | Subject::Rank(_)
            | Subject::Pair(_)
            | Subject::Diff(_) => "changes",
            Subject::Contention(..) => "contention",
            Subject::Timeline(_) => "dumps",
            Subject::Manual(topic) => topic.name,
        },
    };
    Topic::named(name).expect("a test opens the topic of each screen")
}

/// Opens a topic. The topic that was open before can be gone back to.
pub(crate) fn open(ui: &mut Ui, topic: Topic) {
    let mut trail = Vec::new();
    if let Some(open) = &mut ui.manual {
        trail = std::mem::take(&mut open.trail);
        trail.extend(open.topic().map(|topic| (topic, open.offset, open.choice)));
    }
    show(ui, (topic, 0, 0), trail);
}

pub(crate) fn go_back(ui: &mut Ui) {
    let Some(mut open) = ui.manual.take() else {
        return;
    };
    let mut trail = std::mem::take(&mut open.trail);
    if let Some(left) = trail.pop() {
        show(ui, left, trail);
    }
}

/// Follows the link under the cursor. If that is not on the screen, the cursor goes to the first link there.
pub(crate) fn follow(ui: &mut Ui) {
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
        self::open(ui, topic);
    }
}

fn show(ui: &mut Ui, place: (Topic, usize, usize), trail: Vec<(Topic, usize, usize)>) {
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
