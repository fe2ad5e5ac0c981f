//! Questions as people ask them, and the topic of the manual that comes first.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use fairscope::base::shown::cells;
use fairscope::report::manual::search::{Found, search};
use fairscope::report::manual::synonyms::ASKED;
use fairscope::report::manual::{TOPICS, plain_text};

/// Questions, each with the topic that answers it, and a word of the section.
const QUESTIONS: [(&str, &str, &str); 30] = [
    ("why is my rank low", "user", "why their rank is low"),
    ("half-life", "glossary", "usage halves"),
    ("when does my fairshare recover", "time", "recover"),
    ("parent shares", "glossary", "fairshare=parent"),
    ("dampening", "formulas", "FairShareDampeningFactor"),
    ("levelfs", "glossary", "above 1 it got less"),
    ("prometheus", "fairness", "Prometheus"),
    ("anonymise", "commands", "--anonymise"),
    ("projector", "explorer", "On a projector"),
    ("export csv", "formats", "csv"),
    ("slurm priority", "waiting", "priority/multifactor"),
    ("sprio", "waiting", "sprio"),
    ("what is a share", "glossary", "30 of 100"),
    ("undo", "keys", "Undo"),
    ("config file", "configuration", "config.toml"),
    ("which keys are there", "keys", "keys"),
    ("flux bank", "glossary", "Flux's word for an account"),
    ("pbs formula", "formulas", "job_sort_formula"),
    ("scenario save", "edits", "Scenarios"),
    ("exit codes", "commands", "exit code"),
    // As others put it.
    ("anonymize", "commands", "--anonymise"),
    ("hide names", "commands", "--anonymise"),
    ("decay", "glossary", "counts less and less"),
    ("LevelFS", "glossary", "above 1 it got less"),
    ("colors", "explorer", "Colours and characters"),
    ("metrics for grafana", "fairness", "dashboard"),
    ("how does fairshare work", "fairshare", "on one page"),
    ("PriorityMaxAge", "glossary", "waiting raises the priority"),
    ("LEVEL_BASED", "glossary", "bits of its own"),
    ("clipboard", "explorer", "Copying"),
];

/// Returns the names of the topics that were found, the best first.
fn names(found: &Found) -> Vec<&'static str> {
    found.hits.iter().map(|hit| hit.topic.name).collect()
}

#[test]
fn the_topic_that_answers_a_question_comes_first() {
    let mut wrong = Vec::new();
    for (question, topic, text) in QUESTIONS {
        let printed = Run::fairscope(["help", "--"])
            .args(question.split(' '))
            .run();
        let printed = printed.success();
        let found = search(question);
        let first = names(&found).first().copied().unwrap_or("nothing");
        let section = printed.split("\n\n").nth(1).unwrap_or_default();
        if first != topic || !section.contains(text) {
            wrong.push(format!("{question}: {first} instead of {topic}\n{printed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_answer_is_one_screen_with_a_command_for_each_section() {
    for (question, topic, _) in QUESTIONS {
        let printed = Run::fairscope(["help", question]).run().success();
        assert!(printed.lines().count() < 24, "{printed}");
        printed.must_contain(&format!("fairscope help {topic}\n"));
        for line in printed.lines() {
            assert!(cells(line) <= 80, "{line}");
        }
        for section in printed.split("\n\n").skip(1) {
            let heading = section.lines().next().unwrap_or_default();
            let (_, name) = heading.rsplit_once(' ').expect("a command");
            let topic = TOPICS.iter().find(|topic| topic.name == name);
            assert!(topic.is_some(), "{heading}");
        }
    }
}

#[test]
fn a_topic_or_a_command_by_its_name_is_printed_in_full() {
    for topic in TOPICS {
        let printed = Run::fairscope(["help", topic.name]).run().success();
        assert_eq!(printed, plain_text(*topic, 80), "{}", topic.name);
    }
    let command = Run::fairscope(["help", "show"]).run().success();
    command.must_contain("Usage: fairscope show");
    let card = Run::fairscope(["help", "fair-tree"]).run().success();
    card.must_begin("fair-tree");
}

#[test]
fn a_topic_is_found_by_its_title() {
    for topic in TOPICS {
        let found = search(topic.title());
        assert_eq!(
            names(&found).first(),
            Some(&topic.name),
            "{}",
            topic.title()
        );
    }
}

#[test]
fn the_name_of_a_topic_finds_it_as_a_word_too() {
    for name in [
        "keys",
        "waiting",
        "problems",
        "verify",
        "contention",
        "json",
    ] {
        assert_eq!(names(&search(name)).first(), Some(&name));
    }
}

#[test]
fn every_question_with_an_answer_of_its_own_finds_it() {
    for asked in ASKED {
        let found = search(asked.words);
        let Some(first) = found.hits.first() else {
            // This begins a question, and asks nothing by itself.
            assert!(found.unknown.is_empty(), "{}", asked.words);
            assert!(asked.words.starts_with("what "), "{}", asked.words);
            continue;
        };
        assert_eq!(first.topic.name, asked.topic, "{}", asked.words);
        assert_eq!(&*first.heading, asked.heading, "{}", asked.words);
    }
}

#[test]
fn words_that_are_nowhere_are_refused_with_the_nearest_ones() {
    let error = Run::fairscope(["help", "promtheus"]).run().failure(2);
    error.must_contain("the manual has nothing about 'promtheus' (did you mean 'prometheus'?)");
    let error = Run::fairscope(["help", "qqqqq", "zzzzz"]).run().failure(2);
    error.must_contain("the manual has nothing about 'qqqqq', 'zzzzz'");
    // What is known is found, and the rest is told.
    let printed = Run::fairscope(["help", "half-life", "qqqqq"])
        .run()
        .success();
    printed.must_contain("No topic has 'qqqqq'.");
    printed.must_contain("fairscope help glossary");
}

#[test]
fn a_question_of_any_words_ends() {
    for empty in ["", " ", "?", "the", "a"] {
        let error = Run::fairscope(["help", empty]).run().failure(2);
        error.must_contain("no word to search for in");
    }
    let found = Run::fairscope(["help", "x"]).run().success();
    found.must_contain("fairscope help ");
    let error = Run::fairscope(["help", "\u{1b}[31mqqq\u{7}"])
        .run()
        .failure(2);
    assert!(!error.contains('\u{1b}'), "{error:?}");
    let printed = Run::fairscope(["help", "\u{1b}[2J half-life"])
        .run()
        .success();
    assert!(!printed.contains('\u{1b}'), "{printed:?}");
    let many: Vec<String> = (0..1000).map(|number| format!("share{number}")).collect();
    let error = Run::fairscope(["help"]).args(&many).run().failure(2);
    assert!(error.len() < 1000, "{error}");
    let printed = Run::fairscope(["help"])
        .args(vec!["usage"; 1000])
        .run()
        .success();
    assert!(printed.lines().count() < 24, "{printed}");
    let long = "half".repeat(1000);
    let error = Run::fairscope(["help", &long]).run().failure(2);
    assert!(error.len() < 1000, "{error}");
}
