//! The manual in the explorer: the topic of each screen, links, the list of topics, search, and how it is drawn.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::trees::SEED;
use fairscope::format::Request;
use fairscope::report::manual::search::search;
use fairscope::report::manual::{TOPICS, Topic, links};
use fairscope::tui::{Dialog, Effect, Message, Options, TerminalEffect, Theme};
use ratatui::buffer::Cell;
use ratatui::style::{Modifier, Style};

fn topic(name: &str) -> Topic {
    Topic::named(name).expect("it is a topic")
}

/// Opens the manual on a screen that keys open.
fn manual(keys: &str) -> Journey {
    let mut journey = Journey::on(SEED).keys(keys);
    journey.answer();
    journey.press("<f1>");
    journey
}

/// Every screen and page, by the keys that open it, with its topic and a text on it.
const TOPIC_OF: [(&str, &str, &str); 9] = [
    ("1", "explorer", "Group / user"),
    ("2", "columns", "Rank"),
    ("3", "formulas", "pbs"),
    ("4", "time", "bob"),
    ("5", "changes", "The plan"),
    ("jj i1<enter>", "changes", "Solve for a goal"),
    ("jj I", "changes", "What the rank of"),
    ("jj m j m c m", "changes", "Side by side"),
    ("c b 100<space>for<space>20d<enter>", "contention", "cores"),
];

#[test]
fn f1_opens_the_topic_of_each_screen_and_esc_leaves_it() {
    for (keys, name, text) in TOPIC_OF {
        let mut journey = manual(keys);
        journey.must_show_all(&[topic(name).title(), "q back"]);
        journey.press("<esc>");
        let screen = journey.screen();
        assert!(!screen.contains(topic(name).title()), "{keys}:\n{screen}");
        assert!(screen.contains(text), "{keys}:\n{screen}");
    }
}

#[test]
fn f1_opens_the_topic_of_the_history_of_a_node() {
    let mut journey = Journey::empty(Options::default());
    let effects = journey
        .app
        .update(Message::Open(Box::new(Request::to_open(data("dumps")))));
    journey.effects.extend(effects);
    journey.answer();
    journey.press("x /suzy<enter><esc> B");
    journey.answer();
    journey.press("<f1>");
    journey.must_show(topic("dumps").title());
}

#[test]
fn f1_says_where_the_manual_is_if_no_tree_is_open() {
    let mut journey = Journey::empty(Options::default());
    journey.press("<f1>");
    notice(&journey).must_contain("fairscope help");
}

#[test]
fn every_topic_is_reachable_from_each_screen() {
    for (keys, name, _) in TOPIC_OF {
        let mut journey = manual(keys);
        journey.press("<f1>");
        let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
            panic!("{keys}: no menu");
        };
        let names: Vec<&str> = menu.items.iter().map(|item| item.name.as_str()).collect();
        let topics: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
        assert_eq!(names, topics);
        assert_eq!(names[menu.list.cursor], name);
        journey.press("promises<enter>");
        journey.must_show(topic("promises").title());
        journey.press("<esc>");
        journey.must_show(topic(name).title());
    }
}

#[test]
fn a_link_is_followed_and_gone_back_from() {
    let mut journey = manual("1").size(80, 24);
    let first = links(topic("explorer"))[0];
    while !journey.screen().contains("the ranking: users") {
        journey.press("<down>");
    }
    journey.press("<enter>");
    journey.must_show(first.title());
    journey.press("<esc>");
    journey.must_show(topic("explorer").title());
    journey.press("<esc>");
    journey.must_show("Group / user");
}

#[test]
fn enter_chooses_a_link_that_is_on_the_screen() {
    let mut journey = manual("1").size(80, 24).keys("<f1>slurm<enter>");
    let first = journey.screen();
    journey.press("<enter>");
    assert!(
        notice(&journey).contains("no link on this screen; F1"),
        "{first}"
    );
    journey.press("G <enter> <enter>");
    journey.must_show(topic("verify").title());
}

#[test]
fn going_back_from_a_link_shows_the_same_lines() {
    let mut journey = manual("1").size(80, 24).keys("jjjjjjjjjjjj");
    let before = journey.screen();
    journey.press("<f1>");
    journey.press("json<enter><esc>");
    let lines = |screen: String| {
        screen
            .lines()
            .skip(2)
            .take(20)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(journey.screen())[..15], lines(before)[..15]);
}

#[test]
fn every_link_is_reached_by_keys() {
    for topic in TOPICS {
        // All lines are on the screen, so that a key goes to the next link.
        let mut journey = manual("1").size(100, 600);
        journey.press("<f1>");
        journey.press(&format!("{}<enter>", topic.name));
        let mut left: Vec<Topic> = links(*topic);
        left.retain(|target| target != topic);
        for _ in 0..60 {
            if left.is_empty() {
                break;
            }
            journey.press("<enter>");
            let screen = journey.screen();
            if !screen.contains(topic.title()) {
                left.retain(|target| !screen.contains(target.title()));
                journey.press("<esc>");
            }
            journey.press("<down>");
        }
        assert!(left.is_empty(), "{}: {left:?}", topic.name);
    }
}

#[test]
fn a_click_on_a_link_selects_it() {
    let mut journey = manual("2").size(120, 40);
    journey.press("<f1>");
    journey.press("questions<enter>");
    let target = links(topic("questions"))[1];
    let screen = journey.screen();
    let (y, line) = screen
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains("See time"))
        .expect("the link is on the screen");
    let x = line.find("See time").expect("it is there") + 4;
    journey.click(u16::try_from(x).unwrap(), u16::try_from(y).unwrap());
    journey.press("<enter>");
    journey.must_show(target.title());
}

#[test]
fn search_goes_to_the_next_line_with_the_text() {
    let mut journey = manual("4").size(80, 24).keys("/campaign<enter>");
    journey.must_show("--campaign");
    let first = journey.buffer();
    journey.press("n");
    assert_ne!(journey.buffer(), first);
    journey.press("N");
    assert_eq!(journey.buffer(), first);
    journey.press("/no-such-text<enter>");
    journey.must_show("no match on this page");
    journey.press("<esc>");
    journey.must_show(topic("time").title());
}

#[test]
fn n_without_a_search_names_the_key_of_the_search() {
    let journey = manual("4").keys("n");
    assert_eq!(notice(&journey), "no active search; / searches this page");
}

#[test]
fn the_plan_can_be_searched_too() {
    let mut journey = Journey::on(SEED).keys("jj e7<enter> 5");
    journey.answer();
    journey.press("/resource_group<enter>");
    journey.must_show_all(&["The plan", "resource_group"]);
}

/// Returns the style of the first cell of a text on the page.
#[track_caller]
fn style_of(journey: &mut Journey, text: &str) -> Style {
    let buffer = journey.buffer();
    let width = usize::from(buffer.area.width);
    let mut lines = buffer.content.chunks(width).skip(3);
    let found = lines.find_map(|row| {
        let symbols: Vec<&str> = row.iter().map(Cell::symbol).collect();
        let line = symbols.concat();
        let at = line.find(text)?;
        Some(row[line[..at].chars().count()].style())
    });
    found.unwrap_or_else(|| panic!("no {text:?}"))
}

#[test]
fn a_topic_is_drawn_without_marks_of_markdown() {
    let theme = Theme::named("dark").expect("it is shipped");
    let mut journey = manual("1").size(100, 50);
    let screen = journey.screen();
    let marks = ["`", "##", "](", "**", "|---"];
    assert!(!marks.iter().any(|mark| screen.contains(mark)), "{screen}");
    let code = style_of(&mut journey, "fairscope SOURCE");
    assert_eq!(code.fg, theme.key.fg);
    let heading = style_of(&mut journey, "Colours and");
    assert!(
        heading.add_modifier.contains(Modifier::BOLD),
        "{:?}",
        heading.add_modifier
    );
    assert_ne!(style_of(&mut journey, "opens the tree").fg, theme.key.fg);
}

#[test]
fn a_page_is_drawn_in_the_theme_that_is_chosen_over_it() {
    let light = Theme::named("light").expect("it is shipped");
    let mut journey = manual("1").size(100, 40).keys("v t g <down> <enter>");
    let code = style_of(&mut journey, "fairscope SOURCE");
    assert_eq!(code.fg, light.key.fg);
}

#[test]
fn every_topic_is_drawn_at_any_size() {
    let mut journey = manual("1");
    for topic in TOPICS {
        journey.press("<f1>");
        journey.press(&format!("{}<enter>", topic.name));
        for (width, height) in [(20, 5), (40, 10), (80, 24), (200, 50)] {
            journey.resize(width, height);
            journey.press("G g");
        }
        journey.resize(120, 40);
        journey.must_show(topic.title());
    }
}

#[test]
fn edits_are_not_undone_behind_the_manual() {
    let mut journey = Journey::on(SEED).keys("jj e7<enter>");
    journey.press("<f1>");
    journey.press("u");
    journey.press("<esc>");
    journey.row("scott").must_contain("7");
}

#[test]
fn a_topic_is_copied_as_plain_text() {
    let journey = manual("2").keys("y");
    let copied = journey.effects.iter().find_map(|effect| match effect {
        Effect::Terminal(TerminalEffect::Copy(text)) => Some(text),
        _ => None,
    });
    let text = copied.expect("it is copied");
    text.must_begin(topic("columns").title());
}

#[test]
fn five_opens_the_plan_from_the_manual() {
    let mut journey = manual("1").keys("5");
    journey.answer();
    journey.must_show("The plan");
}

/// Returns the names in the open menu, the best first.
fn listed(journey: &Journey) -> Vec<String> {
    let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
        panic!("no menu");
    };
    let passing = menu.passing();
    passing.iter().map(|item| item.name.to_string()).collect()
}

#[test]
fn the_list_of_topics_finds_what_the_command_finds() {
    for question in ["prometheus", "half-life", "hide names", "sprio", "why low"] {
        let mut journey = manual("1").keys("<f1>");
        for char in question.chars() {
            journey.press(&if char == ' ' {
                "<space>".to_owned()
            } else {
                char.to_string()
            });
        }
        let found = search(question);
        let names: Vec<&str> = found.hits.iter().map(|hit| hit.topic.name).collect();
        assert_eq!(listed(&journey), names, "{question}");
    }
}

#[test]
fn a_topic_of_which_the_beginning_was_typed_comes_first() {
    let journey = manual("1").keys("<f1>").keys("pro");
    assert_eq!(listed(&journey)[..2], ["problems", "promises"]);
    let journey = manual("1").keys("<f1>").keys("qqq");
    assert!(listed(&journey).is_empty());
}

#[test]
fn a_topic_that_was_searched_for_opens_at_the_section() {
    let mut journey = manual("1")
        .size(80, 24)
        .keys("<f1>")
        .keys("anonymise<enter>");
    journey.must_show_all(&[
        topic("commands").title(),
        "Trees without names",
        "--anonymise",
    ]);
    // The keys go on from there.
    let before = journey.screen();
    journey.press("<down>");
    journey.must_show("--anonymise");
    journey.press("g");
    journey.must_hide("Trees without names");
    assert_ne!(journey.screen(), before);
    journey.press("n");
    journey.must_show("anonymise");
    journey.press("<esc>");
    journey.must_show(topic("explorer").title());
}

#[test]
fn a_topic_chosen_by_its_name_opens_at_its_beginning() {
    let mut journey = manual("1").size(80, 24).keys("<f1>").keys("comm<enter>");
    journey.must_show("what it does");
}

#[test]
fn a_search_goes_to_another_topic_if_this_one_has_no_match() {
    let mut journey = manual("4").size(80, 24).keys("/prometheus<enter>");
    assert_eq!(
        notice(&journey),
        "no match on this page; found in fairness: For a dashboard (q goes back)"
    );
    journey.must_show_all(&[topic("fairness").title(), "For a dashboard", "Prometheus"]);
    journey.press("q");
    journey.must_show(topic("time").title());
    journey.press("/qqqqq<enter>");
    journey.must_show("no match on this page, and none in the manual");
    journey.press("<esc>");
    journey.must_show(topic("time").title());
}

#[test]
fn going_back_to_what_was_searched_for_shows_the_same_lines() {
    let mut journey = manual("1")
        .size(80, 24)
        .keys("<f1>")
        .keys("anonymise<enter>");
    let before = journey.screen();
    journey.press("<f1>");
    journey.press("json<enter><esc>");
    let body = |screen: &str| -> Vec<String> {
        let lines = screen.lines().skip(2).take(15);
        lines.map(str::to_owned).collect()
    };
    assert_eq!(body(&journey.screen()), body(&before));
}

#[test]
fn a_page_that_is_no_topic_is_searched_alone() {
    let mut journey = Journey::on(SEED).keys("jj e7<enter> 5");
    journey.answer();
    journey.press("/prometheus<enter>");
    journey.must_show("no match on this page");
    journey.must_hide("none in the manual");
}
