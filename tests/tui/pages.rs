//! All pages: opening, scrolling, copying, saving, following changes. Also the page of the plan.

mod answers;
mod commands;
mod contention;
mod every_policy;
mod queue;

use crate::support::associations::drawn;
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::loading::load_quietly;
use crate::support::trees::{self, SEED};
use fairscope::format::{Request, SourceKind};
use fairscope::tui::{Effect, Message, Options, TerminalEffect, Work};
use std::path::{Path, PathBuf};

/// Returns the text copied last.
#[track_caller]
fn copied(journey: &Journey) -> &str {
    let mut effects = journey.effects.iter().rev();
    let copied = effects.find_map(|effect| match effect {
        Effect::Terminal(TerminalEffect::Copy(text)) => Some(text),
        _ => None,
    });
    copied.expect("it was copied")
}

/// Returns the files to be saved: names without their folder, and contents.
#[track_caller]
fn saved(journey: &Journey) -> Vec<(String, String)> {
    let saved = journey.effects.iter().find_map(|effect| match effect {
        Effect::Work(Work::Export(files, _)) => Some(files),
        _ => None,
    });
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let files = saved.expect("it is saved").iter();
    files
        .map(|(path, bytes)| (name(path).unwrap_or_default(), text(bytes)))
        .collect()
}

/// Opens paths of the test data as fairscope does.
fn open(paths: &[PathBuf]) -> Journey {
    let request = Request {
        source: SourceKind::Path {
            path: paths[0].clone(),
            more: paths[1..].to_vec(),
        },
        ..Request::default()
    };
    let loaded = load_quietly(&request);
    let mut opened = trees::opened(loaded.expect("it can be opened"));
    opened.source.reference.request = request;
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(opened));
    journey
}

fn slurm() -> Journey {
    open(&[data("slurm/gold.cfg")])
}

/// Every page with its keys and a text on it, opened on the seed with an edit and two marks.
const PAGES: [(&str, &str); 6] = [
    ("5", "The plan"),
    ("i1<enter>", "Solve for a goal"),
    ("I", "What the rank of"),
    ("*", "under every policy"),
    ("c m", "diverge at TREEROOT"),
    ("O tree.csv <enter>", "Differences from"),
];

/// Opens the seed with an edit and two marks. Paths are relative to the folder.
fn edited(folder: PathBuf) -> Journey {
    let options = Options {
        folder,
        ..Options::default()
    };
    Journey::with_options(trees::pbs(SEED), options).keys("gjj e50<enter> jjjj m gjj m gjj")
}

/// Makes a folder with the tree to compare with.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let text = "parent,name,shares,usage,type\n,group2,60,,account\ngroup2,scott,30,9,user\n";
    std::fs::write(folder.path().join("tree.csv"), text).expect("the folder is ours");
    folder
}

#[test]
fn every_page_opens_shows_an_answer_and_closes() {
    let folder = folder();
    for (keys, text) in PAGES {
        let mut journey = edited(folder.path().to_owned()).keys(keys);
        journey.must_show_all(&["computing", "esc cancel"]);
        journey.answer();
        journey.must_show_all(&[text, "y copy", "w save", "q back"]);
        journey.press("<esc>");
        journey.must_hide(text);
        journey.must_show("Group / user");
    }
}

#[test]
fn sentences_on_the_page_of_differences_are_wrapped() {
    let [before, after] = ["1-just-changed", "2-after-recalc"]
        .map(|moment| data("slurm/captures/17-stale-after-change/26.05").join(moment));
    let keys = format!("O {} <enter>", before.display());
    let mut journey = open(&[after]).size(80, 24).keys(&keys);
    journey.answer();
    let screen = journey.screen();
    let words: Vec<&str> = screen.split_whitespace().collect();
    let sentence = "None gained or lost more than 0.1% of its target.";
    assert!(words.join(" ").contains(sentence), "{screen}");
}

#[test]
fn a_closed_page_does_not_reopen_when_its_answer_arrives() {
    let folder = folder();
    for (keys, text) in PAGES {
        let mut journey = edited(folder.path().to_owned()).keys(keys).keys("<esc>");
        journey.answer();
        journey.must_hide(text);
    }
}

#[test]
fn every_page_can_be_drawn_at_any_size() {
    let folder = folder();
    for (keys, _) in PAGES {
        let mut journey = edited(folder.path().to_owned()).keys(keys);
        journey.resize(20, 5);
        journey.answer();
        for width in 1..=60 {
            for height in 1..=14 {
                journey.resize(width, height);
            }
            journey.press("G jjj k g");
        }
        journey.press("G");
        journey.resize(200, 50);
        journey.press("k j");
    }
}

#[test]
fn a_page_scrolls_to_its_end_and_back_after_a_resize() {
    let mut journey = edited(PathBuf::new()).keys("5");
    journey.answer();
    journey.resize(60, 10);
    journey.press("G");
    journey.must_hide("Commands");
    // After growing and shrinking, the first step up takes effect at once.
    journey.resize(60, 12);
    let before = journey.screen();
    journey.press("k");
    assert_ne!(journey.screen(), before);
    journey.press("g");
    journey.must_show_all(&["The plan", "Impact", "1-"]);
}

#[test]
fn the_plan_without_edits_explains_how_to_begin() {
    let mut journey = Journey::on(SEED).keys("5");
    journey.answer();
    journey.must_show_all(&["There are no edits yet", "Edit shares with e"]);
}

#[test]
fn the_plan_tells_what_the_edits_do_and_then_the_commands() {
    let edits = "e30<enter> /bob<enter><esc> e500<enter> 5";
    let mut journey = Journey::on(SEED).size(120, 90).keys(edits);
    journey.answer();
    let screen = journey.screen();
    let place = |heading: &str| {
        let line = screen.lines().position(|line| line.trim() == heading);
        line.unwrap_or_else(|| panic!("no {heading:?} in\n{screen}"))
    };
    let headings = [
        "Impact", "Edits", "Users", "By group", "Before", "Commands", "Effect", "Check", "Rollback",
    ];
    let places = headings.map(place);
    assert!(places.is_sorted(), "{places:?} in\n{screen}");
}

#[test]
fn the_plan_shows_the_commands_and_copies_them() {
    let mut journey = slurm().keys("gj e7<enter> 5");
    journey.answer();
    journey.must_show_all(&["Impact", "Commands", "fairshare=7"]);
    journey.press("y");
    assert_eq!(notice(&journey), "copied the plan");
    let copied = copied(&journey);
    copied.must_contain("fairshare=7");
    copied.must_contain("Rollback");
}

#[test]
fn copying_or_saving_a_plan_asks_for_the_name_of_the_cluster() {
    let mut journey =
        Journey::with(drawn("physics/ 1\n  alice 1 | 5\n  bob 1 | 5")).keys("gj e7<enter> 5");
    journey.answer();
    journey.must_show_all(&["cluster=CLUSTER", "Impact"]);
    journey.must_hide("name of the cluster: ");
    journey.press("w");
    journey.must_show("name of the cluster: ");
    journey.press("<esc>y");
    journey.must_show("name of the cluster: ");
    journey.press("Gold<enter>");
    journey.must_show("capital letters");
    journey.press("<ctrl-u>gold<enter>");
    journey.answer();
    journey.must_show("cluster=gold");
    journey.must_hide("CLUSTER");
    // The name of the cluster is kept.
    journey.press("<esc> e8<enter> 5");
    journey.answer();
    journey.must_show("cluster=gold");
    journey.must_hide("name of the cluster");
}

#[test]
fn the_plan_tells_its_impact_above_the_commands() {
    let mut journey = slurm().keys("gj e7<enter> 5");
    journey.answer();
    let screen = journey.screen();
    let [impact, commands] = ["Impact", "Commands"].map(|heading| screen.find(heading));
    assert!(impact.is_some() && impact < commands, "{screen}");
}

#[test]
fn a_plan_is_shown_without_a_cluster_which_can_be_named_later() {
    let mut journey =
        Journey::with(drawn("physics/ 1\n  alice 1 | 5\n  bob 1 | 5")).keys("gj e7<enter> 5");
    journey.answer();
    journey.must_show_all(&["cluster=CLUSTER", "name the cluster"]);
    journey.press("<enter>gold<enter>");
    journey.answer();
    journey.must_show("cluster=gold");
}

#[test]
fn the_plan_names_its_scenario_and_follows_a_switch() {
    let mut journey = slurm().keys("gj V<ctrl-u>more<enter> e7<enter> 5");
    journey.answer();
    journey.must_show_all(&["The plan of more", "fairshare=7"]);
    journey.press("z");
    journey.must_show("computing again");
    journey.answer();
    journey.must_hide("The plan of more");
    journey.must_show("There are no edits yet");
    journey.press("z");
    journey.answer();
    journey.must_show("fairshare=7");
}

#[test]
fn an_edit_can_be_undone_on_the_plan_page() {
    let mut journey = slurm().keys("gj e7<enter> 5");
    journey.answer();
    journey.press("u");
    // The answer on the screen is out of date.
    journey.must_show_all(&["computing again", "fairshare=7"]);
    journey.press("y");
    assert!(
        !journey
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Terminal(TerminalEffect::Copy(_))))
    );
    journey.answer();
    journey.must_show("There are no edits yet");
    journey.press("U");
    journey.answer();
    journey.must_show("fairshare=7");
    journey.press("u u u");
    notice(&journey).must_contain("nothing to undo");
}

#[test]
fn a_page_is_saved_under_its_name() {
    let folder = folder();
    for (keys, _) in PAGES {
        let mut journey = edited(folder.path().to_owned()).keys(keys);
        journey.answer();
        journey.press("w<enter>");
        let files = saved(&journey);
        assert!(files.iter().all(|(_, text)| !text.is_empty()), "{files:?}");
        journey.send(Message::Exported(vec![folder.path().join("page.txt")]));
        notice(&journey).must_begin("saved ");
    }
}

#[test]
fn the_files_of_pbs_are_saved_beside_the_plan() {
    let mut journey = open(&[data("seed")]).keys("gjj e50<enter> 5");
    journey.answer();
    journey.press("G");
    journey.must_show("resource_group");
    journey.press("w<enter>");
    let files = saved(&journey);
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["resource_group.new", "plan.txt"]);
    files[1].1.must_contain("resource_group");
}

#[test]
fn a_page_is_not_saved_without_a_name_or_after_esc() {
    let mut journey = slurm().keys("gj e7<enter> 5");
    journey.answer();
    journey.press("w<ctrl-u><enter>");
    notice(&journey).must_contain("no file name given");
    journey.press("w<esc>");
    journey.must_show("The plan");
    let is_export = |effect: &Effect| matches!(effect, Effect::Work(Work::Export { .. }));
    assert!(!journey.effects.iter().any(is_export));
    journey.send(Message::SaveFailed("/there: it is read-only".into()));
    notice(&journey).must_contain("read-only");
    journey.must_show("The plan");
}

#[test]
fn a_page_still_being_computed_cannot_be_copied_or_saved() {
    let folder = folder();
    for (keys, _) in PAGES {
        let mut journey = edited(folder.path().to_owned()).keys(keys);
        for key in ["y", "w", "<enter>"] {
            journey.press(key);
            assert!(
                notice(&journey).contains("not ready yet"),
                "{keys} {key}: {}",
                notice(&journey)
            );
        }
    }
}

#[test]
fn commands_too_long_for_the_clipboard_are_refused_rather_than_cut() {
    let users = (0..9000).map(|number| format!("  user{number} 1\n"));
    let drawing: String = std::iter::once("all 1\n".to_owned()).chain(users).collect();
    let mut journey =
        Journey::on(&drawing).keys(";<ctrl-u>scale<space>all<space>to<space>18000<enter> 5");
    journey.answer();
    journey.press("y");
    notice(&journey).must_contain("w saves it");
}

#[test]
fn control_characters_in_names_are_escaped_on_a_page() {
    let snapshot =
        || trees::pbs("bad 60\n  evil 40 | 1000\n  other 60 | 10\nlast 40\n  user 1 | 2");
    for (keys, _) in &PAGES[..4] {
        for is_ascii in [false, true] {
            let options = Options {
                is_ascii,
                ..Options::default()
            };
            let mut journey = Journey::with_options(snapshot(), options)
                .size(80, 24)
                .keys("gjj r \\x1B[31m\u{202e}宽\\x0A<enter> e50<enter> j m jj m gjj");
            journey.press(keys);
            journey.answer();
            for _ in 0..4 {
                let screen = journey.screen();
                let is_bad = |char: char| {
                    (char.is_control() && char != '\n')
                        || char == '\u{202e}'
                        || (is_ascii && !char.is_ascii())
                };
                assert!(!screen.contains(is_bad), "{keys} {is_ascii}:\n{screen}");
                journey.press("<ctrl-f>");
            }
        }
    }
}

#[test]
fn opening_a_tree_meanwhile_keeps_the_page_and_the_prompt() {
    let mut journey = Journey::on(SEED).keys("gjj i3<enter>");
    journey.answer();
    journey.send(Message::Loaded(trees::opened(trees::loaded(trees::pbs(
        "x 1 | 1",
    )))));
    journey.must_show_all(&["Solve for a goal", "^N shows it"]);
    journey.press("<enter>");
    assert_eq!(journey.selected(), "scott");
    journey.press("e9");
    journey.send(Message::Loaded(trees::opened(trees::loaded(trees::pbs(
        "y 1 | 1",
    )))));
    journey.press("<enter>");
    assert_eq!(journey.selected(), "scott");
    journey.press("<ctrl-n>");
    assert_eq!(journey.selected(), "x");
}

#[test]
fn tabs_and_the_mouse_wheel_work_on_pages() {
    use fairscope::tui::event::{KeyModifiers, MouseEvent, MouseEventKind};
    let mut journey = edited(PathBuf::new());
    let screen = journey.screen();
    let tabs = screen.lines().nth(1).unwrap_or_default();
    let x = u16::try_from(tabs.find("5 Plan").expect("there is a tab")).expect("it is near");
    journey.click(x + 2, 1);
    journey.answer();
    journey.resize(60, 10);
    journey.must_show("The plan");
    let wheel = |kind| {
        Message::Mouse(MouseEvent {
            kind,
            column: 5,
            row: 5,
            modifiers: KeyModifiers::NONE,
        })
    };
    journey.send(wheel(MouseEventKind::ScrollDown));
    journey.must_hide("Impact");
    journey.send(wheel(MouseEventKind::ScrollUp));
    journey.must_show("Impact");
    journey.click(2, 1);
    journey.must_show("Group / user");
}

#[test]
fn help_is_drawn_over_a_page() {
    let mut journey = edited(PathBuf::new()).keys("5");
    journey.answer();
    journey.press("?");
    journey.must_show_all(&["Keys of the Plan screen", "Copy this page"]);
    journey.press("<esc>");
    journey.must_show("The plan");
}

#[test]
fn undo_moves_the_cursor_to_the_restored_node() {
    let mut journey = Journey::on(SEED).keys("gjj D");
    journey.press("G u");
    assert_eq!(journey.selected(), "scott");
}
