//! Lessons on paper: what each step shows, where the answers are, and that none comes before its question.

use super::{HEAD, built_in, printed, read, staged};
use crate::support::expected::Expected as _;
use crate::support::lessons::{asked, steps_in_file};
use crate::support::markup::Markup;
use fairscope::report::Form;
use fairscope::report::lesson::{Answers, Lesson, Printing, Staged, write};
use fairscope::tui::usual_key;

/// Prints a lesson with its answers in a place.
fn with_answers(staged: &Staged, form: Form, answers: Answers) -> String {
    let printing = Printing::new(form, answers);
    crate::report::written(|out| write(out, staged, &usual_key, printing))
}

/// Returns the parts of a printed text below the headings of its steps.
fn sections(text: &str, count: usize) -> Vec<&str> {
    let mut sections = Vec::new();
    for step in 1..=count {
        let (_, section) = text
            .split_once(&format!("\nStep {step} of {count}"))
            .unwrap_or_else(|| panic!("no step {step}: {text}"));
        let next = format!("\nStep {} of {count}", step + 1);
        let (section, _) = section.split_once(&next).unwrap_or((section, ""));
        sections.push(section);
    }
    sections
}

#[test]
fn answers_at_the_end_or_nowhere_leave_the_questions_alone() {
    let mut questions = 0;
    for name in Lesson::names() {
        let staged = built_in(name);
        let asked = asked(name, &staged);
        let count = staged.lesson.steps.len();
        let at_end = with_answers(&staged, Form::Text, Answers::End);
        let (body, end) = at_end.split_once("\nAnswers\n").unwrap_or((&at_end, ""));
        let quiz = with_answers(&staged, Form::Text, Answers::None);
        for text in [body, &quiz] {
            text.must_lack("\nAnswer: ");
            for (section, asked) in sections(text, count).iter().zip(&asked) {
                if asked.is_some() {
                    // The heading, the question, and the blank line before the next heading.
                    let section = section.trim_end();
                    assert!(section.ends_with(')'), "{name}: {section}");
                    section.must_lack("\n\n");
                }
            }
        }
        quiz.must_lack("\nIn short\n");
        let of_lesson = asked.iter().flatten().count();
        assert_eq!(end.matches("\nAnswer: ").count(), of_lesson, "{name}");
        questions += of_lesson;
    }
    assert!(questions > 30, "{questions}");
}

#[test]
fn a_page_folds_an_answer_with_all_that_is_behind_its_question() {
    for name in Lesson::names() {
        let staged = built_in(name);
        let asked = asked(name, &staged);
        let page = printed(&staged, Form::Html);
        let sections: Vec<&str> = page.split("<h2 id=\"step-").skip(1).collect();
        assert_eq!(sections.len(), asked.len(), "{name}");
        for (section, asked) in sections.iter().zip(&asked) {
            let (own, _) = section.split_once("<h2").unwrap_or((section, ""));
            let (own, _) = own.split_once("</main>").unwrap_or((own, ""));
            let folds = own.matches("<details class=\"answer\">").count();
            assert_eq!(folds, usize::from(asked.is_some()), "{name}: {own}");
            if asked.is_some() {
                let (question, _) = own.split_once("<details class=\"answer\">").unwrap();
                assert_eq!(question.matches("<p>").count(), 1, "{name}: {question}");
                own.trim_end().must_end("</details>");
            }
        }
        // It is read by the rules of markup, and every fold is closed.
        let page = Markup::read(&page);
        let folds = page.all("details").filter(|it| it.is_of("answer"));
        assert_eq!(folds.count(), asked.iter().flatten().count(), "{name}");
    }
}

#[test]
fn json_of_a_quiz_has_no_right_answers_and_no_texts_that_tell_them() {
    let ties = built_in("ties");
    let json = |answers| -> serde_json::Value {
        let text = with_answers(&ties, Form::Json, answers);
        serde_json::from_str(&text).expect("JSON")
    };
    for answers in [Answers::Inline, Answers::End] {
        let lesson = json(answers);
        let question = &lesson["steps"][1];
        assert_eq!(question["question"]["right"], "b1");
        assert!(question["text"].is_string());
    }
    let quiz = json(Answers::None);
    for step in quiz["steps"].as_array().expect("steps") {
        let is_asked = !step["question"].is_null();
        assert_eq!(step.get("text").is_none(), is_asked, "{step}");
        assert!(step["question"].get("right").is_none(), "{step}");
    }
}

#[test]
fn every_node_that_a_step_names_has_a_row() {
    let mut named = 0;
    for name in Lesson::names() {
        let staged = built_in(name);
        let text = printed(&staged, Form::Text);
        let sections = sections(&text, staged.lesson.steps.len());
        let mut screen = "tree".to_owned();
        let mut rows: Vec<String> = Vec::new();
        for (step, section) in steps_in_file(name, &staged).iter().zip(sections) {
            if let Some(own) = step.get("screen").and_then(toml::Value::as_str) {
                screen = own.to_owned();
            }
            let table = rows_of_tree(section);
            if !table.is_empty() {
                rows = table;
            }
            if screen != "tree" {
                continue;
            }
            for path in paths_of(step) {
                let node = path.rsplit('/').next().unwrap_or_default();
                assert!(
                    rows.iter().any(|row| row == node),
                    "{name}: {node} is not among {rows:?}\n{section}"
                );
                named += 1;
            }
        }
    }
    assert!(named > 200, "{named}");
}

/// Returns the names of the nodes in the last table with guide lines.
fn rows_of_tree(section: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let mut is_inside = false;
    for line in section.lines() {
        if ["Account / user", "Group / user", "Bank / user"]
            .iter()
            .any(|noun| line.starts_with(noun))
        {
            rows.clear();
            is_inside = true;
            continue;
        }
        is_inside &= !line.trim().is_empty();
        if is_inside {
            let name = line.trim_start_matches(['├', '└', '│', '─', ' ']);
            rows.push(name.split("  ").next().unwrap_or_default().to_owned());
        }
    }
    rows
}

/// Returns the paths that the sentences of a step name between braces.
fn paths_of(step: &toml::Value) -> Vec<String> {
    let part = |key: &str| step.get(key);
    let texts = [
        part("text"),
        part("ask").and_then(|ask| ask.get("text")),
        part("try").and_then(|task| task.get("text")),
    ];
    let mut paths = Vec::new();
    for text in texts.into_iter().flatten().filter_map(toml::Value::as_str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        for place in words.join(" ").split('{').skip(1) {
            let (place, _) = place.split_once('}').expect("a place for a number ends");
            let place = place.trim().trim_start_matches("was ");
            let (word, rest) = place.split_once(' ').unwrap_or((place, ""));
            match word {
                "key" | "setting" | "sum" | "users" | "policy" | "half_life" => {}
                "ratio" | "jobs" => {
                    let (_, nodes) = rest.split_once(' ').expect("a column and nodes");
                    paths.extend(nodes.split(" / ").map(str::to_owned));
                }
                _ => paths.push(rest.to_owned()),
            }
        }
    }
    paths
}

#[test]
fn screens_figures_and_curves_are_on_paper() {
    let asymptote = printed(&built_in("asymptote"), Form::Text);
    for heading in ["\nCurves:\n", "\nMap:\n", "\nFactor F over usage U\n"] {
        asymptote.must_contain(heading);
    }
    let tour = printed(&built_in("tour"), Form::Text);
    for heading in [
        "\nRanking:\n",
        "\nEvery policy:\n",
        "\nTime:\n",
        "\nThe plan:\n",
        "\nRollback:\n",
    ] {
        tour.must_contain(heading);
    }
    tour.must_contain("a all stop  b all go on  c only ");
    let page = Markup::read(&printed(&built_in("asymptote"), Form::Html));
    let captions: Vec<String> = page.all("figcaption").map(|it| it.text.clone()).collect();
    let curves = "Factor F over usage U".to_owned();
    assert!(captions.contains(&curves), "{captions:?}");
    assert!(
        captions.iter().any(|it| it.contains("LEVEL_BASED: F = ")),
        "{captions:?}"
    );
    // Their headings are below that of the step.
    let headings: Vec<String> = page.all("h3").map(|it| it.text.clone()).collect();
    assert!(headings.contains(&"Curves".to_owned()), "{headings:?}");
}

#[test]
fn a_screen_is_printed_again_only_if_it_shows_something_else() {
    let steps = "[[step]]\ntext = \"a\"\nselect = \"group1\"\nscreen = \"ranking\"\n\
                 [[step]]\ntext = \"b\"\n\
                 [[step]]\ntext = \"c\"\nedits = [\"shares group1=1\"]\n\
                 [[step]]\ntext = \"d\"\nscreen = \"tree\"\nwhy = \"full\"\n\
                 [[step]]\ntext = \"e\"\nwhy = \"shown\"\n";
    let lesson = staged(read(&format!("{HEAD}{steps}")).expect("a lesson")).expect("it fits");
    let text = printed(&lesson, Form::Text);
    let sections = sections(&text, 5);
    let has = |word: &str| {
        sections
            .iter()
            .map(|it| it.contains(word))
            .collect::<Vec<_>>()
    };
    assert_eq!(has("\nRanking:\n"), [true, false, true, false, false]);
    assert_eq!(has("Group / user"), [false, false, false, true, false]);
    // The whole explanation holds the sentence that would follow.
    assert_eq!(has("\ngroup1 is "), [false, false, false, true, false]);
}

#[test]
fn a_large_tree_has_the_rows_of_the_step_and_says_how_many_others_there_are() {
    let steps = "[[step]]\ntext = \"{name acct120} and {name acct003/user003}\"\nselect = \"acct149/user149\"\n";
    let head = HEAD.replace("example:small", "example:equal150");
    let lesson = staged(read(&format!("{head}{steps}")).expect("a lesson")).expect("it fits");
    let text = printed(&lesson, Form::Text);
    for node in ["acct120 ", "user120 ", "acct003 ", "user003 ", "user149 "] {
        text.must_contain(node);
    }
    text.must_contain("\n… and 294 more nodes\n");
}
