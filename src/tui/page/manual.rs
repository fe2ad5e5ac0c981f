//! The pages of the manual: which topic belongs to what is in front, and the page of a topic.

use crate::report::manual::{Topic, links, plain_text};
use crate::tui::page::content::Page;
use crate::tui::page::subject::Subject;
use crate::tui::state::screen::{Front, Screen};

/// The width at which a topic is copied and saved.
const WIDTH: usize = 80;

/// Returns the topic of what is in front.
pub(crate) fn topic_of(front: Front<'_>) -> Topic {
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

/// Returns the page of a topic.
pub(crate) fn page(topic: Topic) -> Page {
    Page {
        title: topic.title().into(),
        copied: Some(plain_text(topic, WIDTH)),
        what: "the topic".into(),
        file: format!("{}.txt", topic.name),
        topic: Some(topic),
        links: links(topic),
        ..Page::default()
    }
}
