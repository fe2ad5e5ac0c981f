//! Several scenarios on one tree: created, switched, renamed, compared, deleted and saved together.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::loading::load_quietly;
use crate::support::trees;
use fairscope::format::Request;
use fairscope::open::opened::Opened;
use fairscope::tui::{Confirm, Effect, Message, Options, Overwrite, Work};
use std::path::Path;

const SEED: &str =
    "group1 40\n  bob 50 | 100\n  cathy 50 | 100\ngroup2 60\n  suzy 60\n  scott 40 | 1000";

fn title(journey: &mut Journey) -> String {
    let screen = journey.screen();
    screen.lines().next().unwrap_or_default().to_owned()
}

/// Opens a tree with a second scenario named more. In the first one, bob has one more share.
fn two() -> Journey {
    Journey::on(SEED).keys("/bob<enter> + V more<enter>")
}

/// Returns the text to be saved.
fn text(journey: &Journey) -> String {
    let session = journey.app.session().expect("a tree is open");
    session.scenario_text(Path::new("plan.toml"), Path::new("/"))
}

#[test]
fn a_new_scenario_is_a_copy_with_a_history_of_its_own() {
    let mut journey = two();
    title(&mut journey).must_contain("1 edit ●  more 2/2");
    journey.press("+ +");
    journey.row("bob").must_contain("*53");
    journey.press("z");
    assert_eq!(notice(&journey), "scenario 1: 1 edit, 1 user moves");
    title(&mut journey).must_contain("1 edit ●  scenario 1 1/2");
    journey.row("bob").must_contain("*51");
    journey.press("u");
    journey.row("bob").must_lack("*");
    journey.press("z u");
    // Two nudges are one edit.
    journey.row("bob").must_contain("*51");
    assert_eq!(journey.selected(), "bob");
}

#[test]
fn scenario_names_are_unique() {
    let mut journey = two();
    journey.press("V more");
    journey.must_show("there is a scenario more already");
    journey.press("<enter>");
    assert!(journey.app.dialog().is_some(), "it stays to be corrected");
    journey.press("2 <enter> cs");
    let screen = journey.screen();
    for name in ["scenario 1", "more", "● more2"] {
        assert!(screen.contains(name), "{name} in\n{screen}");
    }
}

#[test]
fn the_menu_renames_and_deletes_a_scenario() {
    let mut journey = two();
    journey.press("cs <down><down> <enter>");
    journey.press("<ctrl-u> other<enter>");
    assert_eq!(notice(&journey), "renamed to other");
    journey.press("cs <down><down><down><down> <enter>");
    journey.must_show("other goes with its edits");
    journey.press("<esc>");
    title(&mut journey).must_contain("other 2/2");
    journey.press("cs <down><down><down><down> <enter> y");
    assert_eq!(notice(&journey), "removed other");
    title(&mut journey).must_lack("/2");
    journey.row("bob").must_contain("*51");
}

#[test]
fn before_and_after_can_compare_with_another_scenario() {
    let mut journey = two();
    journey.press("e1<enter> /scott<enter> 2");
    journey.row("bob").must_contain("▼");
    journey.press("cs <down><down><down> <enter> <down><enter>");
    assert_eq!(notice(&journey), "before and Δ compare with scenario 1");
    title(&mut journey).must_contain("more 2/2 against scenario 1");
    let against_first = journey.row("bob");
    against_first.must_contain("▼");
    journey.press("u");
    assert!(!journey.row("bob").contains('▼'), "now both are the same");
    journey.press("cs <down><down><down> <enter> <enter>");
    assert_eq!(notice(&journey), "before and Δ compare with the source");
}

#[test]
fn nodes_added_in_two_scenarios_are_not_confused() {
    let mut journey = two();
    journey.press("1");
    // Each scenario adds its own node with the same number.
    let add = |journey: &mut Journey, name: &str| {
        let session = journey.app.session().expect("a tree is open");
        let (mut scenario, other_scenarios) =
            (session.scenario.clone(), session.other_scenarios.clone());
        let edit = format!("add group1/{name} shares=5");
        fairscope::open::opened::apply_text(&mut scenario, edit.as_bytes()).expect("it fits");
        (scenario, other_scenarios)
    };
    let (more, mut other_scenarios) = add(&mut journey, "zoe");
    let mut front = more;
    other_scenarios.bring(&mut front, 0);
    fairscope::open::opened::apply_text(&mut front, b"add group2/yan shares=5").expect("it fits");
    let mut opened = trees::opened(trees::loaded(trees::pbs(SEED)));
    (opened.scenario, opened.other_scenarios) = (front, other_scenarios);
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(opened));
    journey.press("x /yan<enter>");
    assert_eq!(journey.selected(), "yan");
    journey.press("z");
    journey.row("zoe").must_contain("5");
    journey.press("/zoe<enter> z z cs <enter>");
    journey.press("cs <down><down><down> <enter> <down><enter>");
    journey.row("bob").must_contain("51");
}

#[test]
fn the_note_on_the_last_edit_is_saved() {
    let mut journey = Journey::on(SEED).keys("c w");
    assert_eq!(notice(&journey), "there is no edit to add a note to");
    journey.press("+ c w bob<space>leads <enter>");
    assert_eq!(notice(&journey), "note added to the last edit");
    text(&journey).must_contain("reason = \"bob leads\"");
}

#[test]
fn saving_writes_all_scenarios_and_opening_restores_them() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("plan.toml");
    let mut journey = Journey::example("small").keys("/bob<enter> + V more<enter> + z w");
    journey.press("<enter>");
    let Some(Effect::Work(Work::Save {
        contents,
        overwrite,
        path: asked,
        ..
    })) = journey
        .effects
        .iter()
        .find(|effect| matches!(effect, Effect::Work(Work::Save { .. })))
    else {
        panic!("it is to be saved")
    };
    assert_eq!(*overwrite, Overwrite::Never);
    contents.must_contain("shown = true");
    std::fs::write(&path, contents).expect("the folder is ours");
    let saved = Message::Saved(asked.clone(), None);
    journey.send(saved);
    title(&mut journey).must_lack("●");
    journey.press("z");
    assert!(
        !title(&mut journey).contains('●'),
        "which one is in front is no edit"
    );
    journey.press("u");
    assert!(
        title(&mut journey).contains('●'),
        "one of them is not saved"
    );
    journey.press("U");
    assert!(!title(&mut journey).contains('●'), "it is as it was saved");

    let request = Request::to_open(path);
    let loaded = load_quietly(&request);
    let opened = Opened::new(loaded.expect("it can be opened"), None);
    assert_eq!(
        opened.source.problems.count(),
        0,
        "{:?}",
        opened.source.problems
    );
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(Box::new(opened)));
    title(&mut journey).must_contain("1 edit  scenario 1 1/2");
    journey.press("z");
    title(&mut journey).must_contain("2 edits  more 2/2");
}

#[test]
fn edits_made_while_a_file_is_written_count_as_unsaved() {
    let mut journey = Journey::on(SEED).keys("+ w <enter> +");
    let path = journey.effects.iter().find_map(|effect| match effect {
        Effect::Work(Work::Save { path, .. }) => Some(path.clone()),
        _ => None,
    });
    let path = path.expect("it is to be saved");
    journey.send(Message::Saved(path, None));
    title(&mut journey).must_contain("2 edits ●");
}

#[test]
fn a_file_changed_by_another_program_is_replaced_only_after_a_question() {
    let mut journey = Journey::on(SEED);
    let changed = || Message::Ask(Confirm::Changed("x.toml".into(), "text".to_owned()));
    journey.send(changed());
    let screen = journey.screen();
    screen.must_contain("x.toml was changed on the disk");
    journey.press("<esc>");
    assert!(journey.effects.is_empty());
    journey.send(changed());
    journey.press("y");
    let expected = Effect::Work(Work::Save {
        path: "x.toml".into(),
        contents: "text".to_owned(),
        overwrite: Overwrite::Always,
        sources: vec![Request::default()],
    });
    assert_eq!(journey.effects, [expected]);
}

/// Opens a scenario file on a small tree.
pub(super) fn opened_on(tree: &str, edits: &str) -> (Journey, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("plan.toml");
    std::fs::write(folder.path().join("tree.csv"), tree).expect("the folder is ours");
    let text = format!("fairscope = 1\n[source]\npath = \"tree.csv\"\n{edits}");
    std::fs::write(&path, text).expect("the folder is ours");
    let request = Request::to_open(path);
    let loaded = load_quietly(&request);
    let opened = Opened::new(loaded.expect("it can be opened"), None);
    let mut journey = Journey::empty(Options::default()).size(120, 40);
    journey.send(Message::Loaded(Box::new(opened)));
    (journey, folder)
}

/// Returns the text that the last key has saved.
#[track_caller]
fn written(journey: &Journey) -> String {
    let written = journey.effects.iter().find_map(|effect| match effect {
        Effect::Work(Work::Save { contents, .. }) => Some(contents.clone()),
        _ => None,
    });
    written.expect("it is to be saved")
}

const TREE: &str = "parent,name,shares,usage\n,g,60,\ng,ann,20,500\ng,bob,10,100\n";

#[test]
fn an_edit_that_does_not_apply_keeps_its_place_in_the_file() {
    let edits = "[[edit]]\ndo = \"shares ann=21\"\n[[edit]]\ndo = \"shares zoe=2\"\nreason = \"she asked\"\n\
                 [[edit]]\ndo = \"shares bob=11\"\n";
    let (mut journey, _folder) = opened_on(TREE, edits);
    journey.press("H");
    let row = journey.row("zoe");
    row.must_contain("not applied");
    journey.press("G<enter>");
    let said = format!("{:?}", journey.app.notice());
    said.must_contain("not applied: unknown node 'zoe'");
    journey.press("/ann<enter>+w<enter>");
    let text = written(&journey);
    let places = ["ann=21", "zoe=2", "she asked", "bob=11", "ann=22"];
    let places = places.map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")));
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn valid_lines_of_an_edit_are_applied_and_each_invalid_one_is_reported() {
    let edits =
        "[[edit]]\ndo = \"\"\"\nshares ann=21\nshares zoe=2\nshares bob=11\nshares yan=3\"\"\"\n";
    let (mut journey, _folder) = opened_on(TREE, edits);
    let session = journey.app.session().expect("it is open");
    let told = session.source.problems.list().iter();
    let told = told.map(|problem| (problem.line, problem.message.as_str()));
    let told: Vec<_> = told
        .filter(|(_, message)| message.contains("no longer fits"))
        .collect();
    let [(Some(7), first), (Some(9), second)] = told[..] else {
        panic!("{told:?}")
    };
    first.must_begin("the edit `shares zoe=2` no longer fits");
    second.must_begin("the edit `shares yan=3` no longer fits");
    assert_eq!(session.scenario.history().edits().len(), 1);
    journey.row("*21");
    journey.row("*11");
    journey.press("w<enter>");
    let text = written(&journey);
    text.must_contain("\"\"\"\nshares ann=21\nshares bob=11\"\"\"");
    text.must_contain("\"\"\"\nshares zoe=2\nshares yan=3\"\"\"");
}

#[test]
fn unread_parts_of_a_scenario_file_are_dropped_only_after_a_question() {
    let edits = "colour = \"red\"\n[[edit]]\ndo = \"shares ann=21\"\nby = \"eve\"\n";
    let (mut journey, _folder) = opened_on(TREE, edits);
    journey.press("/bob<enter>+w<enter>");
    let screen = journey.screen();
    screen.must_contain("saving drops colour and by (not understood)");
    let is_save = |effect: &Effect| matches!(effect, Effect::Work(Work::Save { .. }));
    journey.press("<esc>");
    assert!(!journey.effects.iter().any(is_save));
    journey.press("w<enter>y");
    written(&journey).must_contain("ann=21");
}

#[test]
fn the_plan_names_the_scenario_it_is_compared_with() {
    let mut journey = Journey::example("small")
        .size(120, 60)
        .keys("/bob<enter> + V more<enter> + cs");
    journey.press("<end><up><enter>");
    let screen = journey.screen();
    screen.must_contain("Compare with");
    journey.press("<down><enter>5");
    journey.answer();
    let screen = journey.screen();
    screen.must_contain("Compared with the source as it was read, not with scenario 1");
}
