//! What is edited is kept: undo takes back what was done last and no more, what is only tried is no edit, and what a thread
//! tells takes the place of nothing that is typed.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice, scenario, told};
use crate::support::random::Random;
use crate::support::trees::{self, SEED};
use fairscope::format::native::EditSummary;
use fairscope::format::{LoadError, Problem, Request, Severity};
use fairscope::model::{NodeId, path_of, resolve};
use fairscope::open;
use fairscope::open::opened::Opened;
use fairscope::rules::policy::Policy;
use fairscope::tui::event::{KeyCode, KeyEvent, KeyModifiers};
use fairscope::tui::{
    Answer, AnswerPurpose, Confirm, Dialog, Effect, FoundDraft, Message, Options, Purpose, Task,
    Work, built_in_lesson,
};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Returns the shares of every node and the policy.
fn state(journey: &Journey) -> (Vec<String>, Policy) {
    let tree = scenario(journey).tree();
    let shares = |&node: &NodeId| {
        let path = path_of(tree, node).expect("a shallow tree");
        format!("{path} {}", tree.shares(node))
    };
    let shares = tree.nodes().iter().map(shares).collect();
    (shares, scenario(journey).policy())
}

fn edits(journey: &Journey) -> Vec<String> {
    let edits = scenario(journey).history().edits().into_iter();
    edits.map(|entry| entry.text.clone()).collect()
}

fn shares_of(journey: &Journey, path: &[u8]) -> String {
    let tree = scenario(journey).tree();
    let node = resolve(tree, path).expect("it is there");
    tree.shares(node).to_string()
}

fn is_prompt(journey: &Journey) -> bool {
    matches!(journey.app.dialog(), Some(Dialog::Prompt(_)))
}

/// Opens another tree beside those that are open.
fn open_another(journey: &mut Journey, drawing: &str) {
    let opened = trees::opened(trees::loaded(trees::pbs(drawing)));
    journey.send(Message::Loaded(opened));
}

fn saved_path(journey: &mut Journey) -> PathBuf {
    let effects = std::mem::take(&mut journey.effects);
    let path = effects.into_iter().find_map(|effect| match effect {
        Effect::Work(Work::Save { path, .. }) => Some(path),
        _ => None,
    });
    path.expect("it is to be saved")
}

fn alt(letter: char) -> Message {
    Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::ALT))
}

#[test]
fn steps_of_shares_never_join_an_edit_that_was_typed() {
    let mut journey = Journey::on("alice 10\nbob 10\n").keys("g j e20<enter> + - +");
    assert_eq!(edits(&journey), ["shares alice=20", "shares alice=21"]);
    journey.press("u");
    assert_eq!(edits(&journey), ["shares alice=20"]);
    journey.press("u");
    assert!(edits(&journey).is_empty());
    // Nor one that was undone and made again, saved, copied, or given a reason.
    for between in ["u U", "w<enter>", "V<enter>", "c w because<enter>"] {
        let mut journey = Journey::on("alice 10\nbob 10\n").keys("g j +");
        journey.press(between);
        journey.press("+");
        let count = edits(&journey).len();
        assert_eq!(count, 2, "{between}: {:?}", edits(&journey));
    }
}

/// What the history should hold: the states, how many entries are done, and the node of steps that a further one joins.
struct Model {
    states: Vec<(Vec<String>, Policy)>,
    done: usize,
    nudged: Option<String>,
}

#[test]
fn any_series_of_edits_is_undone_and_redone_as_it_was_made() {
    const KEYS: [&str; 16] = [
        "+",
        "+",
        "+",
        "-",
        "-",
        "j",
        "gj",
        "e7<enter>",
        "e*2<enter>",
        "e5<esc>",
        "p",
        "u",
        "u",
        "U",
        "H<esc>",
        "*",
    ];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut journey = Journey::on("a 10\n  x 3 | 5\n  y 4 | 9\nb 10\n  z 5 | 1\n").keys("g j");
        let mut model = Model {
            states: vec![state(&journey)],
            done: 0,
            nudged: None,
        };
        let mut pressed = String::new();
        for _ in 0..60 {
            let mut key = KEYS[random.below(KEYS.len())];
            if key == "p" && model.done + 1 < model.states.len() {
                // Undone edits outlive a change of the policy, which the model does not know.
                key = "j";
            }
            pressed += key;
            let selected = journey.selected();
            journey.press(key);
            let now = state(&journey);
            let is_other = now != model.states[model.done];
            match key {
                "u" => {
                    model.done = model.done.saturating_sub(1);
                    model.nudged = None;
                }
                "U" if model.done + 1 < model.states.len() => {
                    model.done += 1;
                    model.nudged = None;
                }
                "U" => {}
                "+" | "-" if model.nudged.as_ref() == Some(&selected) && is_other => {
                    model.states[model.done] = now.clone();
                    if now == model.states[model.done - 1] {
                        model.done -= 1;
                        model.states.pop();
                        model.nudged = None;
                    }
                }
                _ if is_other => {
                    model.done += 1;
                    model.states.truncate(model.done);
                    model.states.push(now);
                    let is_nudge = matches!(key, "+" | "-");
                    model.nudged = is_nudge.then_some(selected);
                }
                _ => {}
            }
            if model.nudged.is_none() && key != "u" && key != "U" && is_other {
                // Whether what is now last was made in steps is not known here, so it is closed.
                journey.press("u U");
            }
            assert_eq!(
                state(&journey),
                model.states[model.done],
                "seed {seed}: {pressed}"
            );
        }
        for place in (0..model.done).rev() {
            journey.press("u");
            assert_eq!(
                state(&journey),
                model.states[place],
                "seed {seed}: {pressed}"
            );
        }
        for place in 1..model.states.len() {
            journey.press("U");
            assert_eq!(
                state(&journey),
                model.states[place],
                "seed {seed}: {pressed}"
            );
        }
    }
}

#[test]
fn changes_of_the_policy_stand_in_the_edit_history_in_their_place() {
    let mut journey = Journey::on(SEED).keys("jj e5<enter> p e7<enter>");
    let all = state(&journey);
    journey.press("H");
    let rows: Vec<String> = ["=5", "policy: ", "=7"]
        .map(|text| journey.row(text))
        .to_vec();
    rows[2].must_contain("●");
    journey.press("k k <enter>");
    assert_eq!(notice(&journey), "undid 2 changes");
    assert_eq!(edits(&journey).len(), 1);
    assert_eq!(scenario(&journey).policy(), Policy::Pbs);
    journey.press("U U");
    assert_eq!(state(&journey), all);
}

#[test]
fn a_question_of_a_thread_waits_until_the_prompt_is_closed() {
    let ask = || {
        let (path, text) = ("x.toml".into(), "text".to_owned());
        Message::Ask(Confirm::Changed(path, text))
    };
    let mut journey = Journey::on(SEED).keys("j e77<enter> e5");
    journey.send(ask());
    assert!(is_prompt(&journey), "{}", journey.screen());
    journey.must_hide("changed on the disk");
    journey.press("<esc>");
    journey.must_show("x.toml was changed on the disk");
    journey.row("77").must_contain("*77");
    journey.press("<esc>");
    assert!(journey.app.dialog().is_none());
    // Two of them are asked one after the other.
    let mut journey = Journey::on(SEED).keys("? ");
    journey.send(ask());
    journey.send(ask());
    assert!(matches!(journey.app.dialog(), Some(Dialog::Help(_))));
    for _ in 0..2 {
        journey.press("<esc>");
        assert!(matches!(journey.app.dialog(), Some(Dialog::Confirm(_))));
    }
    journey.press("<esc>");
    assert!(journey.app.dialog().is_none());
}

#[test]
fn what_is_said_behind_a_prompt_is_seen_when_it_is_closed() {
    let mut journey = Journey::on(SEED).keys("+ w<enter> e5");
    journey.send(Message::SaveFailed("x.toml: there is no room".into()));
    journey.press("0<esc>");
    assert_eq!(notice(&journey), "x.toml: there is no room");
    journey.press("j");
    assert_eq!(notice(&journey), "");
    // An edit that is taken says less than that.
    let mut journey = Journey::on(SEED).keys("+ w<enter> c w why");
    journey.send(Message::SaveFailed("x.toml: there is no room".into()));
    journey.press("<enter>");
    assert_eq!(notice(&journey), "x.toml: there is no room");
}

#[test]
fn a_prompt_that_is_cancelled_is_no_edit() {
    for keys in [
        "e<esc>",
        "e9<esc>",
        "a zoe<esc>",
        ";<esc>",
        "/s<esc>",
        "e<enter>",
    ] {
        let mut journey = Journey::on(SEED).keys("j 4 t d 4000d<enter>");
        journey.press(keys);
        assert!(
            !notice(&journey).contains("edited meanwhile"),
            "{keys}: {}",
            notice(&journey)
        );
        while journey
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Work(Work::Run(_))))
        {
            journey.answer();
        }
        assert_eq!(edits(&journey), ["wait 4000d"], "{keys}");
    }
}

#[test]
fn a_clock_that_arrives_keeps_what_is_being_typed() {
    let mut journey = Journey::on(SEED).keys("gj 4 t d 4000d<enter> 1 e9");
    assert_eq!(shares_of(&journey, b"group2"), "9");
    for effect in std::mem::take(&mut journey.effects) {
        if let Effect::Work(Work::Run(job)) = effect
            && matches!(job.task, Task::Clock(_))
        {
            for message in told(*job, "12:00", None) {
                journey.send(message);
            }
        }
    }
    assert!(is_prompt(&journey));
    assert_eq!(shares_of(&journey, b"group2"), "9");
    journey.press("<esc>");
    assert_ne!(shares_of(&journey, b"group2"), "9");
    assert_eq!(edits(&journey), ["wait 4000d"]);
}

#[test]
fn a_lesson_takes_a_cancelled_prompt_for_nothing() {
    let mut journey = Journey::empty(Options::default()).size(120, 40);
    let lesson = built_in_lesson("strangers").expect("it is built in");
    journey.send(Message::Lesson(lesson.into()));
    for _ in 0..20 {
        if !journey.screen().contains("Now you: ") {
            journey.press("<space>");
        }
    }
    journey.press("e1<esc>");
    let screen = journey.screen();
    screen.must_lack("Not yet");
    screen.must_lack("Done.");
    journey.press("e2");
    assert!(!journey.screen().contains("Done."), "it is only tried");
    journey.press("<esc> q");
    assert!(
        journey.effects.contains(&Effect::Quit),
        "{:?}",
        journey.effects
    );
}

#[test]
fn save_first_saves_the_tree_that_has_edits() {
    let mut journey = Journey::on(SEED).keys("gj e80<enter>");
    open_another(&mut journey, "other 3\n");
    journey.press("q w");
    assert!(is_prompt(&journey), "{}", journey.screen());
    journey.row("group2").must_contain("*80");
    journey.press("<enter>");
    let path = saved_path(&mut journey);
    journey.send(Message::Saved(path, None));
    journey.press("q");
    assert_eq!(journey.effects.last(), Some(&Effect::Quit));
}

#[test]
fn another_name_is_asked_for_the_tree_whose_file_is_there() {
    let mut journey = Journey::on(SEED).keys("gj e80<enter> w<enter>");
    let path = saved_path(&mut journey);
    open_another(&mut journey, "other 3\n");
    journey.send(Message::Ask(Confirm::Replace(path, "text".to_owned())));
    journey.press("w");
    assert!(is_prompt(&journey), "{}", journey.screen());
    journey.row("group2").must_contain("*80");
}

#[test]
fn a_question_about_edits_ends_when_they_are_saved() {
    let mut journey = Journey::on(SEED).keys("+ w<enter>");
    let path = saved_path(&mut journey);
    journey.press("q");
    journey.must_show("1 edit is not saved");
    journey.send(Message::Saved(path, None));
    journey.must_hide("trees have edits");
    assert_eq!(journey.effects.last(), Some(&Effect::Quit));
    // Where others are unsaved, it stays.
    let mut journey = Journey::on(SEED).keys("+ w<enter>");
    let path = saved_path(&mut journey);
    journey.press("+ q");
    journey.send(Message::Saved(path, None));
    journey.must_show("2 edits are not saved");
    assert!(
        !journey.effects.contains(&Effect::Quit),
        "{:?}",
        journey.effects
    );
}

#[test]
fn the_error_of_one_prompt_never_appears_in_another() {
    let open_purpose = |journey: &Journey| match journey.app.dialog() {
        Some(Dialog::Prompt(prompt)) => Some(prompt.purpose.clone()),
        _ => None,
    };
    // The page that a path was typed for is closed, and another page fails.
    let mut journey = Journey::on(SEED).keys("gj O nowhere<enter> <esc> Q");
    let jobs = journey.effects.iter().rev();
    let number = jobs.filter_map(|effect| match effect {
        Effect::Work(Work::Run(job)) if matches!(job.task, Task::Page(_)) => {
            Some(job.ticket.number)
        }
        _ => None,
    });
    let number = number.max().expect("a page is computed");
    let refused = Answer::Page(Err("there are no jobs".into()));
    journey.send(Message::Answer(number, refused));
    assert_eq!(open_purpose(&journey), None, "{}", journey.screen());
    assert_eq!(notice(&journey), "there are no jobs");
    // The same with a load that was cancelled.
    let mut journey = Journey::on(SEED).keys("o nowhere<enter> <esc>");
    journey.send(Message::LoadCancelled);
    journey.send(Message::Open(Box::new(Request::to_open("elsewhere.csv"))));
    journey.send(Message::LoadFailed("elsewhere.csv: no such file".into()));
    assert_eq!(open_purpose(&journey), None, "{}", journey.screen());
    let mut journey = Journey::on(SEED).keys("o nowhere<enter>");
    journey.send(Message::LoadFailed("nowhere: no such file".into()));
    assert_eq!(
        open_purpose(&journey),
        Some(Purpose::Answer(AnswerPurpose::Open))
    );
}

#[test]
fn alt_with_a_letter_keeps_a_prompt_and_its_text() {
    let mut journey = Journey::on(SEED).keys("gj e 12");
    journey.send(alt('b'));
    assert!(is_prompt(&journey));
    journey.must_show("shares of group2: 12");
    journey.press("<enter>");
    assert_eq!(edits(&journey), ["shares group2=12"]);
    // Elsewhere it is esc and a key, as a terminal sends both.
    journey.press("!");
    journey.answer();
    journey.must_show("Source: no problems");
    journey.send(alt('j'));
    journey.must_hide("Source: no problems");
}

#[test]
fn alt_with_a_letter_keeps_a_list_and_its_text() {
    // The actions, the settings, the built-in trees, the columns, the help.
    for (keys, text) in [
        (":", "und"),
        (",", "half"),
        ("b", "sm"),
        ("v", "rank"),
        ("?", "red"),
        ("?", ""),
    ] {
        let mut journey = Journey::on(SEED).keys("gj +");
        journey.press(keys);
        journey.press(text);
        let before = journey.screen();
        for letter in ['u', 'q', 'j', ' '] {
            journey.send(alt(letter));
            assert_eq!(journey.screen(), before, "{keys}{text} Alt-{letter}");
        }
        assert!(journey.app.dialog().is_some(), "{keys}{text}");
        assert_eq!(edits(&journey).len(), 1, "{keys}{text}");
        assert!(!journey.effects.contains(&Effect::Quit), "{keys}{text}");
    }
}

#[test]
fn recovered_edits_are_offered_whatever_else_is_said() {
    let found = || {
        Message::DraftFound(FoundDraft {
            path: "/state/1.toml".into(),
            summary: Some(EditSummary {
                source: "sched_priv".into(),
                edits: 3,
            }),
            when: "19:15".into(),
        })
    };
    let with_problem = || {
        let mut loaded = trees::loaded(trees::pbs(SEED));
        let file = "resource_group".into();
        let problem = Problem::about(Severity::Warning, "odd", &file, "it is odd", "look at it");
        loaded.problems.push(problem);
        Message::Loaded(trees::opened(loaded))
    };
    for is_found_first in [true, false] {
        let mut journey = Journey::empty(Options::default()).size(80, 24);
        let mut messages = [found(), with_problem()];
        if !is_found_first {
            messages.reverse();
        }
        for message in messages {
            journey.send(message);
        }
        let said = journey
            .screen()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned();
        said.must_contain("3 edits of sched_priv were not saved: o opens them");
        said.must_contain("1 problem: press !");
        // The hint stays until they are open.
        journey.press("j");
        let hints = journey
            .screen()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned();
        hints.must_contain("o unsaved edits");
        journey.press("o");
        journey.must_show_all(&[
            "Edits that were not saved",
            "3 edits of sched_priv from 19:15",
            "discard",
            "later",
        ]);
        journey.press("later <enter>");
        notice(&journey).must_begin("they are offered again at the next start");
        journey.press("o");
        journey.must_show("open: ");
    }
}

#[test]
fn a_cluster_of_several_is_chosen_from_a_list() {
    let outputs = "CLUSTER: gold\nAccount|User|RawShares|RawUsage\nroot|||1\n a||1|1\n a|x|1|1\n\
                   CLUSTER: iron\nAccount|User|RawShares|RawUsage\nroot|||1\n b||1|1\n b|y|1|1\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sshare.txt");
    std::fs::write(&path, outputs).expect("the folder is ours");
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Open(Box::new(Request::to_open(&path))));
    let request = Request::to_open(&path);
    let error = open::load(&request, &mut |_| ControlFlow::Continue(())).err();
    let error = error.expect("neither is asked for");
    let reason = error.line();
    let LoadError::Clusters { names, .. } = error else {
        panic!("{reason}")
    };
    journey.send(Message::Clusters(reason, names));
    notice(&journey).must_contain("holds 2 clusters: gold, iron; choose one");
    for name in ["gold", "iron"] {
        journey.row(name).must_contain(name);
    }
    journey.effects.clear();
    journey.press("iron<enter>");
    let [Effect::Work(Work::Load(request))] = &journey.effects[..] else {
        panic!("{:?}", journey.effects)
    };
    assert_eq!(request.cluster.as_deref(), Some("iron"));
    let loaded = open::load(request, &mut |_| ControlFlow::Continue(()));
    let opened = Opened::new(loaded.expect("it can be opened"), None);
    journey.send(Message::Loaded(Box::new(opened)));
    journey.must_show("on iron");
    // While a line is typed, the list waits.
    let mut journey = Journey::on(SEED).keys("j e5");
    let names = vec!["gold".into(), "iron".into()];
    journey.send(Message::Clusters("it holds two".into(), names));
    assert!(is_prompt(&journey));
    journey.press("<esc>");
    assert!(matches!(journey.app.dialog(), Some(Dialog::Menu(_))));
}

#[test]
fn an_edit_of_a_level_that_changes_nothing_is_none() {
    let mut journey = Journey::on("a 5\n  x 3\n  y 4\n").keys("; trade <space> a/x=3 <enter>");
    assert!(journey.app.dialog().is_none(), "{}", journey.screen());
    assert!(edits(&journey).is_empty(), "{:?}", edits(&journey));
    assert_eq!(scenario(&journey).history().done().len(), 0);
}
