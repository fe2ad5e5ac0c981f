//! The manual as text for a terminal.

use crate::support::command::{Run, commands};
use crate::support::expected::Expected as _;
use fairscope::base::shown::cells;
use fairscope::report::manual::{TOPICS, Topic, plain_text};
use proptest::prelude::*;

#[test]
fn every_topic_fits_every_width_without_marks_of_markdown() {
    for topic in TOPICS {
        for width in [60, 80, 100, 120] {
            let text = plain_text(*topic, width);
            for line in text.lines().skip(1) {
                assert!(cells(line) <= width, "{}: {line}", topic.name);
                let begin = line.trim_start();
                assert!(!begin.starts_with("```"), "{}: {line}", topic.name);
                assert!(!line.starts_with('#'), "{}: {line}", topic.name);
                assert!(!begin.starts_with("|--"), "{}: {line}", topic.name);
                assert!(!line.contains("**"), "{}: {line}", topic.name);
                assert!(!line.contains("]("), "{}: {line}", topic.name);
            }
        }
    }
}

#[test]
fn no_word_of_a_topic_is_lost_in_the_layout() {
    let is_letter = |char: &char| char.is_alphanumeric();
    for topic in TOPICS {
        let wide: String = plain_text(*topic, 1000).chars().filter(is_letter).collect();
        // Cells of tables are printed side by side, so that only their letters can be compared.
        let mut narrow: Vec<char> = plain_text(*topic, 60).chars().filter(is_letter).collect();
        let mut wide: Vec<char> = wide.chars().collect();
        wide.sort_unstable();
        narrow.sort_unstable();
        assert_eq!(wide, narrow, "{}", topic.name);
    }
}

#[test]
fn help_prints_a_topic() {
    for topic in TOPICS {
        let text = Run::fairscope(["help", topic.name]).run().success();
        assert_eq!(text, plain_text(*topic, 80));
    }
}

#[test]
fn help_lists_the_topics() {
    let list = Run::fairscope(["help"]).run().success();
    for topic in TOPICS {
        let line = list
            .lines()
            .find(|line| line.split_whitespace().next() == Some(topic.name));
        let line = line.unwrap_or_else(|| panic!("{} is not listed", topic.name));
        line.must_end(topic.title());
        assert!(cells(line) <= 80, "{line}");
    }
}

#[test]
fn help_of_a_command_is_that_of_its_option() {
    for command in commands() {
        let asked = Run::fairscope(["help", &command]).run().success();
        let option = Run::fairscope([&command, "--help"]).run().success();
        assert_eq!(asked, option, "{command}");
    }
}

#[test]
fn a_mistyped_topic_is_refused_with_the_nearest_one() {
    let error = Run::fairscope(["help", "colums"]).run().failure(2);
    error.must_contain("unknown topic 'colums'");
    error.must_contain("did you mean 'columns'?");
    let error = Run::fairscope(["help", "shwo"]).run().failure(2);
    error.must_contain("did you mean 'show'?");
}

#[test]
fn a_table_wraps_its_widest_column() {
    let topic = Topic {
        name: "example",
        text: "# Example\n\n| a | b |\n|---|---|\n| `one` | two three four five |\n",
    };
    assert_eq!(
        plain_text(topic, 17),
        "Example\n\n  a    b\n  one  two three\n       four five\n"
    );
}

#[test]
fn words_of_a_table_stay_whole_if_there_is_room() {
    let topic = Topic {
        name: "example",
        text: "# Example\n\n| key | value |\n|---|---|\n| `PriorityUsageResetPeriod` | one two three four five six seven |\n",
    };
    let text = plain_text(topic, 40);
    text.must_contain("  PriorityUsageResetPeriod  one two\n");
}

#[test]
fn code_in_a_sentence_of_plain_text_is_quoted() {
    let topic = Topic {
        name: "example",
        text: "# Example\n\nThe key `,` changes a setting.\n\n| key | value |\n|---|---|\n| `e`, `E` | as `-` |\n",
    };
    assert_eq!(
        plain_text(topic, 80),
        "Example\n\n  The key `,` changes a setting.\n\n  key   value\n  e, E  as `-`\n"
    );
}

proptest! {
    #![proptest_config(crate::support::laws(256))]

    #[test]
    fn a_paragraph_keeps_its_words_whole_where_they_fit(
        words in prop::collection::vec("[a-z0-9é漢ü]{1,24}", 1..40),
        width in 1..=120_usize,
    ) {
        let text: &'static str = format!("# Example\n\n{}\n", words.join(" ")).leak();
        let topic = Topic { name: "example", text };
        let laid = plain_text(topic, width);
        let lines: Vec<&str> = laid.lines().skip(2).collect();
        // A wide character may be wider than the room.
        let room = width.saturating_sub(2).max(2);
        for line in &lines {
            prop_assert!(cells(line) <= room + 2, "{line:?} at {width}");
        }
        prop_assert_eq!(lines.concat().replace(' ', ""), words.concat());
        for word in &words {
            let is_whole = lines.iter().any(|line| line.split(' ').any(|part| part == word));
            prop_assert!(is_whole || cells(word) > width.saturating_sub(2), "{word} at {width}:\n{laid}");
        }
    }
}
