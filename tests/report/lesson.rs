//! Lessons: their numbers against the schedulers' own, what a broken file is refused with, and their printed form.

mod print;

use crate::support::expected::Expected as _;
use crate::support::lessons::{asked, holds_hidden, told_by};
use crate::support::loading::load_quietly;
use crate::support::{data, golden};
use fairscope::base::shown::Shown;
use fairscope::format::Request;
use fairscope::model::{NodeId, Tree, resolve};
use fairscope::open::opened::Opened;
use fairscope::report::Form;
use fairscope::report::lesson::{Lesson, Staged, WhyView, write};
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::tui::{built_in_lesson, parse_lesson, usual_key};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn opened(source: &Path) -> Opened {
    let request = Request::to_open(source);
    let loaded = load_quietly(&request).expect("it can be loaded");
    Opened::new(loaded, None)
}

fn staged(lesson: Lesson) -> Result<Staged, Shown> {
    let opened = opened(&lesson.source);
    Staged::new(Arc::new(lesson), &opened.scenario)
}

fn built_in(name: &str) -> Staged {
    let lesson = built_in_lesson(name).expect("it is built in");
    staged(lesson).expect("it fits its tree")
}

fn printed(staged: &Staged, form: Form) -> String {
    super::written(|out| write(out, staged, &usual_key, form))
}

fn read(text: &str) -> Result<Lesson, Vec<Shown>> {
    parse_lesson(&"our.toml".into(), text, Path::new("folder"))
}

fn refused(text: &str) -> Vec<String> {
    let refused = read(text).expect_err("it is refused");
    refused.iter().map(ToString::to_string).collect()
}

#[test]
fn every_built_in_lesson_fits_its_tree_and_the_first_one_begins_from_zero() {
    let names: Vec<&str> = Lesson::names().collect();
    assert_eq!(names.first(), Some(&"zero"));
    for name in names {
        let staged = built_in(name);
        assert!(staged.lesson.steps.len() >= 4, "{name}");
    }
}

#[test]
fn no_number_of_a_lesson_is_typed() {
    for name in Lesson::names() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons");
        let text = std::fs::read_to_string(file.join(name).with_extension("toml"));
        let lesson: toml::Table = text.expect("a lesson").parse().expect("a lesson in TOML");
        let steps = lesson["step"].as_array().expect("a lesson has steps");
        let captions = steps.iter().flat_map(|step| {
            let [ask, task] = ["ask", "try"].map(|key| step.get(key));
            let of_task = ["text", "done", "not_yet", "hint"].map(|key| task?.get(key));
            let of_step = ["title", "text"].map(|key| step.get(key));
            let asked = ask.and_then(|ask| ask.get("text"));
            let texts = of_step.into_iter().chain([asked]).chain(of_task);
            let texts = texts.flatten();
            texts.map(|text| text.as_str().expect("a caption is text"))
        });
        let summary = lesson["summary"].as_str().expect("a caption is text");
        let captions = captions.chain([summary]);
        // A number has its place between braces.
        let captions = captions.flat_map(|caption| caption.split('{'));
        let words = captions.map(|part| part.split_once('}').map_or(part, |(_, after)| after));
        for words in words {
            // What others printed is quoted.
            let own = words.split('`').step_by(2);
            for part in own {
                assert!(
                    !part.contains(|char: char| char.is_ascii_digit()),
                    "{name}: {words}"
                );
            }
        }
    }
}

/// Returns the rows of a table of a golden case by the paths of their nodes: a column of the text.
fn column(table: &Path, column: &str) -> HashMap<String, String> {
    let text = std::fs::read_to_string(table).expect("a golden table");
    let mut lines = text.lines().skip(1);
    let headings: Vec<&str> = lines.next().expect("headings").split('\t').collect();
    let at = |name: &str| {
        headings
            .iter()
            .position(|heading| *heading == name)
            .expect("a column")
    };
    let mut paths: HashMap<&str, String> = HashMap::new();
    let mut cells = HashMap::new();
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let above = paths.get(row[at("parent")]);
        let path = match above {
            None => String::new(),
            Some(above) if above.is_empty() => row[at("name")].to_owned(),
            Some(above) => format!("{above}/{}", row[at("name")]),
        };
        paths.insert(row[at("id")], path.clone());
        cells.insert(path, row[at(column)].to_owned());
    }
    cells
}

fn node(tree: &Tree, path: &str) -> NodeId {
    resolve(tree, path.as_bytes()).unwrap_or_else(|_| panic!("no {path}"))
}

/// Holds the factors of a lesson's tree after a step against those of Slurm's own program.
fn holds_factors(staged: &Staged, step: usize, table: &Path) {
    let scenario = staged.stage(step).now;
    let factors = column(table, "factor");
    let mut compared = 0;
    for (path, factor) in &factors {
        let Ok(expected) = factor.parse::<f64>() else {
            continue;
        };
        let found = scenario
            .value(ColumnId::Factor, node(scenario.tree(), path))
            .as_f64();
        assert_eq!(found.map(f64::to_bits), Some(expected.to_bits()), "{path}");
        compared += 1;
    }
    assert!(compared > 2, "{compared} in {}", table.display());
}

#[test]
fn golden_numbers_of_the_lessons_are_those_of_the_schedulers() {
    // PBS: what the real pbsfs printed of the tree of suzy and bob.
    let suzy = built_in("suzy");
    let scenario = suzy.stage(0).now;
    let text = std::fs::read_to_string(data("pbs/01-seed-example/pbsfs-g.jsonl")).unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let printed: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let entity = printed["entity"].as_str().expect("an entity");
        let lines = printed["stdout"].as_str().expect("text").lines();
        let mut lines = lines.filter_map(|line| line.split_once("\t: "));
        let Some((_, expected)) = lines.find(|(name, _)| *name == "fairshare_tree_usage") else {
            continue;
        };
        if entity == "TREEROOT" {
            continue;
        }
        let node = node(scenario.tree(), entity);
        let found = scenario.value(ColumnId::FairshareTreeUsage, node).as_f64();
        assert_eq!(
            format!("{:.6}", found.expect("a number")),
            expected,
            "{entity}"
        );
        compared += 1;
    }
    assert_eq!(compared, 7);
    printed(&suzy, Form::Markdown).must_contain("suzy's is 0.500416");

    // Slurm: Fair Tree and LEVEL_BASED of the real slurmctld.
    let policies = "slurm_policies";
    holds_factors(
        &built_in("level-based"),
        0,
        &data(&format!("{policies}/seed-AAAA12347777CCCC/level-4.tsv")),
    );
    let objective = built_in("objective");
    let folder = data(&format!("{policies}/objective-violation"));
    holds_factors(&objective, 0, &folder.join("level-4.tsv"));
    holds_factors(&objective, 3, &folder.join("fairtree.tsv"));
    if let Some(folder) = golden(policies) {
        let ties = built_in("ties");
        holds_factors(
            &ties,
            2,
            &folder.join("ties-accounts-fairtree/fairtree.tsv"),
        );
        assert_eq!(ties.stage(2).now.policy(), Policy::FairTree);
    }

    // Flux: the fair-shares of the real weighted walk.
    let flux = built_in("flux");
    let scenario = flux.stage(0).now;
    let text = std::fs::read_to_string(data("flux/01_seed002_small_no_tie/expected.tsv")).unwrap();
    let mut compared = 0;
    for row in text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
    {
        let (["N", _, "user", bank, user, ..], Some(fairshare)) = (&row[..], row.last()) else {
            continue;
        };
        let node = node(scenario.tree(), &format!("{bank}/{user}"));
        let found = scenario.value(ColumnId::Factor, node).as_f64();
        assert_eq!(
            format!("{:.6}", found.expect("a number")),
            *fairshare,
            "{user}"
        );
        compared += 1;
    }
    assert_eq!(compared, 7);
}

#[test]
fn the_points_of_the_documents_are_in_the_lessons() {
    for (name, points) in [
        (
            "suzy",
            &[
                "add up to 100.0%",
                "add up to 1.584013",
                "0.381553",
                "0.647718",
            ][..],
        ),
        (
            "zero",
            &[
                "0.700000 of everything",
                "0.857",
                "dan ranks 2nd, ann 3rd",
                "0.285714 instead of 0.400000",
            ],
        ),
        // ann has the largest LevelFS of all users, but not ann's account.
        (
            "fair-tree",
            &[
                "ann has 0.500000 / 0.142857 = 3.5000",
                "1.000000 for cleo, 0.750000 for dan",
                "so both rank 1st",
                "tara ranks 19th of 40, alice 35th",
            ],
        ),
        ("flux", &["1.845e19", "1.198198", "0.571429"]),
        (
            "errata",
            &[
                "`0.0909091`",
                "`0.909091`",
                "`1.84467`",
                "1.845e19",
                "80,000",
                "80,015",
                "10.0019",
                "16,064",
                "16,024",
                "start with a half",
            ],
        ),
        // A quarter is left after two half-lives, in PBS only after more than two decay times.
        (
            "half-life",
            &[
                "ben has 150 instead of 600",
                "0.571456 of all",
                "It stays 1,000",
                "scott has 250 instead of 1,000: two decays",
            ],
        ),
        (
            "level-based",
            &["AAAA12347777CCCC", "AAA124777CCC0000", "PriorityLevels = 5"],
        ),
        (
            "asymptote",
            &["0.300000", "0.150000", "0.006667", "0.000167"],
        ),
        ("objective", &["0.94x", "5.00x", "1.0588", "0.2000"]),
        ("ties", &["1.2500", "0.6250", "0.750000"]),
        ("strangers", &["9.1%", "fairshare_enforce_no_shares"]),
        (
            "waiting",
            &["half-life, here 7 d", "decay alone changes no order"],
        ),
        // One edit of physics: what chemistry, which nobody touched, has left, and the places that it costs.
        (
            "dilution",
            &["0.260870", "30th instead of 19th", "0.240000"],
        ),
        // On target is a half, five times the target a half to the fifth; a newcomer has the factor of the account.
        (
            "classic",
            &["smallu 0.031250", "the factor of the account, 0.462937"],
        ),
        // Neither rest nor shares of one's own help, but a pause of the heaviest user and another account do.
        (
            "user",
            &[
                "alice still ranks 35th. Inside astro alice was first already",
                "alice still ranks 35th. Shares inside astro",
                "26th instead of 35th",
                "2nd",
            ],
        ),
        // Eight users with `parent` have the whole part of their account each.
        (
            "myths",
            &[
                "student05 has 0.500000",
                "amara has a fraction of thesis: 0.333333",
                "Both rank 8th",
            ],
        ),
    ] {
        // Lines are broken where they are full.
        let text = printed(&built_in(name), Form::Text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for point in points {
            assert!(text.contains(point), "{name}: no {point:?} in {text}");
        }
    }
}

#[test]
fn a_lesson_is_printed_as_text_markdown_and_json() {
    let ties = built_in("ties");
    insta::assert_snapshot!(
        printed(&ties, Form::Text).lines().take(23).collect::<Vec<_>>().join("\n"),
        @r"
    Ties, as documented and as implemented
    Users of one rank: what Fair Tree's document says, what Slurm does, and what breaks a tie.
    It takes 7 minutes.

    Step 1 of 4: One LevelFS
      policy: Fair Tree as documented

    A and B have the same shares and the same usage, so the same LevelFS: 1.0000 and
    1.0000. Inside them the users differ: b1 has 1.2500 and a2 0.6250. A job's
    priority also depends on its age, QOS, size and partition.

    Account / user  Shares  NormShares  Usage  EffectvUsage  LevelFS  Factor  Rank
    root                 1    0.000000     20      1.000000
    ├─ A                 1    0.500000     10      0.500000   1.0000
    │  ├─ a1             1    0.500000      2      0.200000   2.5000       ?     ?
    │  └─ a2             1    0.500000      8      0.800000   0.6250       ?     ?
    └─ B                 1    0.500000     10      0.500000   1.0000
       ├─ b1             1    0.500000      4      0.400000   1.2500       ?     ?
       └─ b2             1    0.500000      6      0.600000   0.8333       ?     ?

    Step 2 of 4: As documented
    As documented, accounts that tie are merged. Which of the two ranks higher? (a2,
    b1)
    "
    );
    let markdown = printed(&ties, Form::Markdown);
    markdown.must_contain("**Step 2 of 4: As documented**");
    let json: serde_json::Value = serde_json::from_str(&printed(&ties, Form::Json)).expect("JSON");
    assert_eq!(json["steps"][1]["question"]["right"], "b1");
    assert_eq!(json["steps"][3]["edits"][0], "usage B/b2-=1");
}

#[test]
fn a_step_without_edits_has_the_tree_and_the_screen_of_the_one_before() {
    let steps = "[[step]]\ntext = \"a\"\nselect = \"group1\"\nwhy = \"full\"\ndo = [\"help\"]\n\
                 [[step]]\ntext = \"b\"\nedits = [\"shares group1=1\"]\nselect = \"group2\"\n\
                 [[step]]\ntext = \"c\"\n[[step]]\ntext = \"d\"\nwhy = \"hidden\"\n\
                 [[step]]\ntext = \"e\"\npolicy = \"flux\"\n";
    let lesson = staged(read(&format!("{HEAD}{steps}")).expect("a lesson")).expect("it fits");
    for (step, is_changed) in [false, true, false, false, true].into_iter().enumerate() {
        let stage = lesson.stage(step);
        assert_eq!(!std::ptr::eq(stage.before, stage.now), is_changed, "{step}");
    }
    let seen = [0, 1, 2, 3, 4].map(|step| {
        let view = lesson.view(step);
        let selected = view.select.map(|(_, path)| path).unwrap_or_default();
        (selected, view.why, view.actions.len())
    });
    let expected = [
        ("group1", WhyView::Full, 1),
        ("group2", WhyView::Full, 0),
        ("group2", WhyView::Full, 0),
        ("group2", WhyView::Hidden, 0),
        ("group2", WhyView::Hidden, 0),
    ];
    assert_eq!(
        seen,
        expected.map(|(path, why, actions)| (path.to_owned(), Some(why), actions))
    );
}

#[test]
fn a_lesson_of_too_many_changes_is_refused() {
    let step = |edits: usize| {
        let edits = "\"shares group1=1\", ".repeat(edits);
        format!("[[step]]\ntext = \"x\"\npolicy = \"flux\"\nedits = [{edits}]\n")
    };
    let most = format!("{HEAD}{}{}", step(250), step(248));
    assert!(read(&most).is_ok());
    assert_eq!(
        refused(&format!("{most}{}", step(0))),
        ["our.toml:12: too many edits and policies; expected at most 500 in a lesson"]
    );
}

const HEAD: &str = "title = \"t\"\nabout = \"a\"\nsource = \"example:small\"\n";

#[test]
fn a_broken_lesson_is_refused_with_its_lines_and_the_nearest_words() {
    assert_eq!(
        refused("title = \"t\"\n[[step]\n"),
        ["our.toml:2: this is not TOML: unclosed array table, expected `]`"]
    );
    assert_eq!(
        refused("titel = \"t\"\n"),
        [
            "our.toml:1: unknown key of a lesson 'titel'; did you mean 'title'? (title, about, minutes, source, roles, step, summary)",
            "our.toml:1: title is missing; expected words in quotes",
            "our.toml:1: about is missing; expected words in quotes",
            "our.toml:1: source is missing; expected words in quotes",
            "our.toml:1: the lesson has no step; expected [[step]] and keys below it",
        ]
    );
    let step = |lines: &str| format!("{HEAD}[[step]]\n{lines}");
    for (lines, reason) in [
        (
            "tekst = \"x\"\ntext = \"y\"",
            "5: unknown key of a step 'tekst'; did you mean 'text'? (title, text, example, edits, policy, select, screen, columns, why, do, ask, try, trees)",
        ),
        (
            "policy = \"fair-tre\"\ntext = \"y\"",
            "5: unknown policy 'fair-tre'; did you mean 'fair-tree'? (pbs, level-based, fair-tree, fair-tree-documented, classic, depth-oblivious, tickets, flux, pbs-walk, formula)",
        ),
        (
            "screen = \"tre\"\ntext = \"y\"",
            "5: unknown screen 'tre'; did you mean 'tree'? (tree, ranking, policies, time, plan)",
        ),
        (
            "why = \"ful\"\ntext = \"y\"",
            "5: unknown view of why 'ful'; did you mean 'full'? (shown, full, hidden)",
        ),
        ("text = 7", "5: text is not text; expected words in quotes"),
        (
            "text = \"y\"\nedits = \"x\"",
            "6: edits is not a list of words in quotes, as in [\"rank\"]",
        ),
        (
            "text = \"{factor suzy\"",
            "5: a { without its counterpart; write {factor PATH} for a number",
        ),
        (
            "text = \"{rank}\"",
            "5: nothing to put in the place of {rank} (COLUMN PATH, was …, place PATH, ranks PATH, name PATH, sum COLUMN, ratio COLUMN PATH / PATH, users, policy, half_life, setting KEY, key ACTION; fairscope help lessons explains them under A lesson of your own)",
        ),
        (
            "text = \"y\"\n[step.ask]\ntext = \"x\"",
            "6: the question cannot be answered; expected text, and nodes with smallest or largest, or node with goal or change",
        ),
        (
            "text = \"y\"\n[step.try]\ntext = \"x\"",
            "6: the task is not complete; expected text, done, and selected, action, or node with goal",
        ),
    ] {
        assert_eq!(
            refused(&step(lines)),
            [format!("our.toml:{reason}")],
            "{lines}"
        );
    }
    for (lines, begin) in [
        (
            "text = \"{facto suzy}\"",
            "5: unknown place for a number 'facto'; did you mean 'factor'?",
        ),
        (
            "text = \"{key hlp}\"",
            "5: unknown action 'hlp'; did you mean 'help'?",
        ),
        (
            "text = \"y\"\ndo = [\"curve\"]",
            "6: unknown action 'curve'; did you mean 'curves'?",
        ),
        (
            "text = \"y\"\ncolumns = [\"rnk\"]",
            "6: unknown column 'rnk'; did you mean 'rank'?",
        ),
    ] {
        let refused = refused(&step(lines));
        refused[0].must_begin(&format!("our.toml:{begin}"));
        assert_eq!(refused.len(), 1);
    }
}

#[test]
fn a_lesson_for_another_tree_is_refused_before_it_is_played() {
    let lesson = |lines: &str| {
        let read = read(&format!("{HEAD}[[step]]\ntext = \"x\"\n[[step]]\n{lines}"));
        staged(read.expect("a lesson"))
            .expect_err("it does not fit")
            .to_string()
    };
    assert_eq!(
        lesson("text = \"{factor suzi}\""),
        "our.toml:7: unknown node 'suzi'; did you mean 'group2/suzy'?"
    );
    assert_eq!(
        lesson("text = \"x\"\nselect = \"group1/suzy\""),
        "our.toml:8: unknown node 'group1/suzy'; did you mean 'group2/suzy'?"
    );
    assert_eq!(
        lesson("text = \"x\"\nedits = [\"shares suzy=20\",\n\"share bob=1\"]"),
        "our.toml:9: unknown edit 'share'; did you mean 'shares'? (shares, usage, charge, scale, split, trade, add, \
         remove, move, rename, set, wait, rate, campaign, pace)"
    );
    lesson(
        "text = \"x\"\n[step.try]\ntext = \"x\"\ndone = \"x\"\nnode = \"suzy\"\ngoal = \"rank!3\"",
    )
    .must_begin("our.toml:12: unknown goal 'rank!3'");
}

#[test]
fn a_source_beside_the_lesson_is_found() {
    let lesson =
        read("title = \"t\"\nabout = \"a\"\nsource = \"tree.toml\"\n[[step]]\ntext = \"x\"\n");
    assert_eq!(
        lesson.expect("a lesson").source,
        PathBuf::from("folder/tree.toml")
    );
}

#[test]
fn the_tree_after_a_step_has_the_edits_of_all_steps_before() {
    let tour = built_in("tour");
    let last = tour.lesson.steps.len() - 1;
    let now = tour.stage(last).now;
    let physics = node(now.tree(), "physics");
    assert_eq!(now.tree().shares(physics).count(), Some(200));
    let first = tour.stage(0).before;
    assert!(first.history().is_untouched());
}

#[test]
fn no_number_is_printed_before_a_question_that_it_answers() {
    let mut hidden = 0;
    for name in Lesson::names() {
        let staged = built_in(name);
        let asked = asked(name, &staged);
        let count = staged.lesson.steps.len();
        let text = printed(&staged, Form::Text);
        for step in 0..count {
            let heading = |step: usize| format!("Step {step} of {count}: ");
            let (_, section) = text.split_once(&heading(step + 1)).expect("a step");
            let (section, _) = section
                .split_once(&heading(step + 2))
                .unwrap_or((section, ""));
            let tree = staged.stage(step).now;
            let what = format!("{name} {}", step + 1);
            for asked in told_by(&staged, &asked, tree, step + 1) {
                hidden += holds_hidden(section, asked, &what);
                for node in &asked.0 {
                    assert!(
                        !section.contains(&format!("\n{node} is ")),
                        "{what}: {section}"
                    );
                }
            }
        }
        for (question, _) in text.match_indices("\nAnswer: ") {
            assert!(text[..question].ends_with(')'), "{name}");
        }
    }
    assert!(hidden >= 23, "{hidden}");
}

/// The fuller bucket comes first, so the buckets of the accounts would tell whose user does.
#[test]
fn the_tree_before_the_question_who_ranks_higher_shows_no_buckets() {
    let text = printed(&built_in("objective"), Form::Text);
    let (first, _) = text.split_once("Step 2 of").expect("a second step");
    for column in [" F ", "FairShare Raw"] {
        first.must_lack(column);
    }
}

#[test]
fn the_first_step_alone_says_what_else_decides_a_queue() {
    for name in Lesson::names() {
        let staged = built_in(name);
        let texts = (0..staged.lesson.steps.len()).map(|step| staged.text(step, &usual_key));
        let says: Vec<bool> = texts
            .map(|text| text.contains("A job's priority also"))
            .collect();
        assert!(says[0] && !says[1..].contains(&true), "{name}");
    }
    let first = |name: &str| built_in(name).text(0, &usual_key).to_string();
    first("suzy").must_end("A job's priority also depends on its queue and the job_sort_formula.");
    first("flux").must_end("A job's priority also depends on its queue, its bank and its urgency.");
    first("ties").must_end("A job's priority also depends on its age, QOS, size and partition.");
}

#[test]
fn roles_and_trees_of_a_lesson_are_refused_with_their_lines() {
    for (lines, reason) in [
        (
            "[roles]\npick = \"ties\"\n",
            "5: unknown pick 'ties'; did you mean 'tie'? (unused-user, tie, dilution)",
        ),
        (
            "[roles]\npick = \"tie\"\nuser = \"suzy\"\n",
            "6: unknown role 'user'; did you mean 'other'? (pick, one, other)",
        ),
        (
            "roles = 7\n",
            "4: roles is not a table; expected a heading in brackets and keys below it",
        ),
    ] {
        let refused = refused(&format!("{HEAD}{lines}[[step]]\ntext = \"x\"\n"));
        let reason = format!("our.toml:{reason}");
        assert!(
            refused[0].starts_with(reason.split("; did").next().unwrap()),
            "{refused:?} {reason}"
        );
    }
    let of = refused(&format!(
        "{HEAD}[[step]]\ntext = \"x\"\ntrees = [\"others\"]\n"
    ));
    of[0].must_begin(
        "our.toml:6: unknown tree 'others'; did you mean 'other'? (example, other, pbs, ",
    );
}
