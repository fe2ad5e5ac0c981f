//! Reloading, on a key or at intervals, keeps edits and the view.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice, told};
use crate::support::loading::load_quietly;
use crate::support::trees;
use fairscope::format::{Request, SourceKind};
use fairscope::open::FileStates;
use fairscope::tui::{Answer, Effect, Job, Message, Notice, Options, Reload, Task, Work};
use std::path::PathBuf;

const TREE: &str = "parent,name,shares,usage,type\n,a,10,,account\n,b,10,,account\na,ann,1,10,user\na,art,1,20,user\nb,bea,1,5,user\nb,ben,1,40,user\n";

/// A file that changes, and the explorer that watches it.
struct Watched {
    journey: Journey,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Watched {
    fn every(seconds: Option<u32>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("tree.csv");
        std::fs::write(&path, TREE).expect("the folder is ours");
        let mut journey = Journey::empty(Options {
            watch: seconds,
            ..Options::default()
        });
        let request = Request::to_open(&path);
        let opened = trees::opened(load_quietly(&request).expect("it is a tree"));
        journey.send(Message::Loaded(opened));
        Self {
            journey,
            path,
            _folder: folder,
        }
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.path, text).expect("the folder is ours");
    }

    /// Returns the running question.
    fn asked(&mut self) -> Job {
        let effects = std::mem::take(&mut self.journey.effects);
        let mut asked = effects.into_iter().filter_map(|effect| match effect {
            Effect::Work(Work::Run(job)) if matches!(job.task, Task::Reload(_)) => Some(*job),
            _ => None,
        });
        let first = asked.next().expect("it is to be read again");
        assert!(asked.next().is_none(), "never two at once");
        first
    }

    /// Answers the running question with the current contents of the file.
    fn answer(&mut self, time: &str) {
        let asked = self.asked();
        self.read(asked, time, None);
    }

    /// Does what was asked for at a time. Returns whether the file was read.
    fn read(&mut self, asked: Job, time: &str, unix_seconds: Option<i64>) -> bool {
        let mut told = told(asked, time, unix_seconds);
        let message = told.pop().expect("it is answered");
        let is_read = matches!(
            message,
            Message::Answer(_, Answer::Reload(Ok(Reload::Read(_))))
        );
        self.journey.send(message);
        is_read
    }

    fn notice(&self) -> String {
        notice(&self.journey).to_owned()
    }

    fn title(&mut self) -> String {
        self.journey
            .screen()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    fn waits(&self) -> Vec<u32> {
        let effects = self.journey.effects.iter();
        effects
            .filter_map(|effect| match effect {
                Effect::Work(Work::Wait(seconds)) => Some(*seconds),
                _ => None,
            })
            .collect()
    }
}

#[test]
fn a_key_reloads_the_file_and_delta_shows_changed_ranks() {
    let mut watched = Watched::every(None);
    assert!(watched.journey.effects.is_empty(), "nothing waits unasked");
    watched.write(&TREE.replace("ann,1,10", "ann,1,900"));
    watched.journey.press("R");
    watched.title().must_contain("reading…");
    watched.answer("10:42:03");
    watched.notice().must_contain("changed rank");
    watched.journey.row("ann").must_contain("▼");
    watched.journey.row("ann").must_contain("900");
    watched.title().must_contain("10:42:03");
    watched.title().must_lack("every");
    watched.journey.press("R");
    watched.answer("10:43:03");
    assert_eq!(watched.notice(), "no rank changed since 10:42:03");
    watched.journey.row("ann").must_lack("▼");
}

#[test]
fn edits_are_reapplied_and_those_that_no_longer_apply_are_reported() {
    let mut watched = Watched::every(None);
    watched
        .journey
        .press("/ben<enter> e70<enter> /bea<enter> e30<enter>");
    watched.write(&TREE.replace("b,bea,1,5,user\n", "b,zoe,3,7,user\n"));
    watched.journey.press("R");
    watched.answer("10:42:03");
    watched
        .notice()
        .must_begin("1 edit no longer fits and is not applied, but kept");
    watched.journey.row("ben").must_contain("*70");
    watched.journey.row("zoe");
    let session = watched.journey.app.session().unwrap();
    assert_eq!(session.scenario.history().edits().len(), 1);
    assert!(session.has_unsaved_edits());
    assert!(
        session
            .source
            .problems
            .list()
            .iter()
            .any(|problem| problem.message.contains("bea"))
    );
    watched.journey.press("u");
    watched.journey.row("ben").must_lack("*70");
}

#[test]
fn edits_made_while_reloading_are_kept() {
    let mut watched = Watched::every(None);
    watched.journey.press("/ben<enter> R e70<enter> p");
    let policy = watched.journey.app.session().unwrap().scenario.policy();
    watched.answer("10:42:03");
    watched.journey.row("ben").must_contain("*70");
    assert_eq!(
        watched.journey.app.session().unwrap().scenario.policy(),
        policy
    );
}

#[test]
fn reloading_keeps_cursor_folds_sort_filter_and_search() {
    let mut watched = Watched::every(None);
    watched.journey.press("<home> j <space> /ben<enter>");
    assert_eq!(watched.journey.selected(), "ben");
    let rows = |watched: &Watched| {
        watched
            .journey
            .app
            .session()
            .unwrap()
            .pane()
            .outline
            .rows()
            .len()
    };
    let before = rows(&watched);
    watched.write(&TREE.replace(
        ",a,10,,account\n",
        ",0new,1,,account\n,a,10,,account\n0new,nat,1,1,user\n",
    ));
    watched.journey.press("R");
    watched.answer("10:42:03");
    assert_eq!(watched.journey.selected(), "ben");
    assert_eq!(
        rows(&watched),
        before + 1,
        "what is new is folded, what was folded stays so"
    );
}

#[test]
fn the_cursor_on_a_removed_node_moves_to_its_account() {
    let mut watched = Watched::every(None);
    watched.journey.press("/bea<enter>");
    watched.write(&TREE.replace("b,bea,1,5,user\n", ""));
    watched.journey.press("R");
    watched.answer("10:42:03");
    assert_eq!(watched.journey.selected(), "b");
}

#[test]
fn reloading_does_not_disturb_a_prompt() {
    let mut watched = Watched::every(None);
    watched.journey.press("/ben<enter> R e7");
    watched.write("");
    let asked = watched.asked();
    watched.write(&TREE.replace("ann,1,10", "ann,1,900"));
    watched.read(asked, "10:42:03", None);
    assert!(
        !watched.journey.row("ann").contains("900"),
        "not while typing"
    );
    watched.journey.press("0<enter>");
    watched.journey.row("ann").must_contain("900");
    watched.journey.row("ben").must_contain("*70");
}

#[test]
fn a_failed_reload_keeps_the_tree_and_gives_the_reason() {
    let mut watched = Watched::every(Some(60));
    assert_eq!(watched.waits(), [60]);
    watched.journey.effects.clear();
    watched.journey.send(Message::Tick);
    let asked = watched.asked();
    watched.journey.send(Message::Answer(
        asked.ticket.number,
        Answer::Reload(Err("sshare is not on the PATH".into())),
    ));
    assert_eq!(watched.notice(), "not reloaded: sshare is not on the PATH");
    watched.journey.row("ann");
    watched.title().must_contain("not read again");
    assert_eq!(watched.waits(), [60], "and it is tried again");
    watched.journey.effects.clear();
    watched.journey.send(Message::Tick);
    watched.answer("10:44:03");
    watched.title().must_contain("10:44:03 · every 60 s");
    watched.title().must_lack("not read again");
}

#[test]
fn only_one_reload_runs_at_a_time() {
    let mut watched = Watched::every(Some(5));
    watched.journey.effects.clear();
    watched.journey.press("R");
    watched.journey.press("R");
    assert_eq!(watched.notice(), "it is already being reloaded");
    watched.journey.send(Message::Tick);
    watched.answer("10:42:03");
    assert!(watched.waits().len() <= 1, "one clock");
}

#[test]
fn esc_cancels_a_reload_and_its_late_answer_is_ignored() {
    let mut watched = Watched::every(None);
    watched.write(&TREE.replace("ann,1,10", "ann,1,900"));
    watched.journey.press("R");
    let asked = watched.asked();
    let late = told(asked.clone(), "10:42:03", None);
    watched.journey.press("<esc>");
    for message in late {
        watched.journey.send(message);
    }
    watched.journey.row("ann").must_lack("900");
    assert!(!watched.read(asked, "10:42:03", None), "it was cancelled");
    watched.journey.row("ann").must_lack("900");
}

#[test]
fn sources_that_never_change_are_not_reloaded() {
    let mut journey = Journey::example("small");
    journey.press("R");
    assert!(journey.effects.is_empty());
    assert!(matches!(journey.app.notice(), Some(Notice::Error(text)) if text.contains("built-in")));
}

#[test]
fn every_screen_can_show_a_tree_reloaded_with_other_nodes() {
    let mut watched = Watched::every(None);
    watched.journey.press("2 3 1 2 s<enter> f<enter> 3");
    watched.journey.answer();
    watched.write("parent,name,shares,usage,type\n,ann,1,1,user\n");
    watched.journey.press("R");
    watched.answer("10:42:03");
    watched.journey.answer();
    for key in ["1", "2", "3"] {
        watched.journey.press(key);
        watched.journey.answer();
        watched.journey.row("ann");
    }
}

#[test]
fn a_watched_scheduler_that_does_not_answer_at_first_is_polled_again() {
    let mut journey = Journey::empty(Options {
        watch: Some(60),
        ..Options::default()
    });
    let request = Request {
        source: SourceKind::Live {
            scheduler: fairscope::model::Scheduler::Slurm,
            more: Vec::new(),
        },
        ..Request::default()
    };
    let load = Effect::Work(Work::Load(request.clone()));
    let effects = journey.app.update(Message::Open(Box::new(request)));
    assert_eq!(effects, std::slice::from_ref(&load));
    journey.send(Message::LoadFailed("slurmdbd is away".into()));
    let notice = |journey: &Journey| match journey.app.notice() {
        Some(Notice::Error(text)) => text.clone(),
        notice => panic!("{notice:?}"),
    };
    assert_eq!(
        notice(&journey),
        "retrying every 60 s: slurmdbd is away",
        "why, and what happens next"
    );
    assert_eq!(journey.effects, [Effect::Work(Work::Wait(60))]);
    journey.effects.clear();
    journey.send(Message::Tick);
    assert_eq!(journey.effects, [load]);
    assert!(
        journey.screen().contains("slurmdbd is away"),
        "the reason stays while it is asked again"
    );
    journey.effects.clear();
    journey.send(Message::Loaded(trees::opened(trees::loaded(trees::pbs(
        "a 1",
    )))));
    assert_eq!(journey.effects, [Effect::Work(Work::Wait(60))]);
}

#[test]
fn sources_that_are_not_watched_are_not_retried() {
    let mut journey = Journey::empty(Options::default());
    let request = Request::to_open("tree.csv");
    let _ = journey.app.update(Message::Open(Box::new(request)));
    journey.send(Message::LoadFailed(
        "tree.csv: no such file or directory".into(),
    ));
    assert_eq!(journey.effects, []);
    journey.send(Message::Tick);
    assert_eq!(journey.effects, []);
}

#[test]
fn reloading_keeps_all_scenarios() {
    let mut watched = Watched::every(None);
    watched
        .journey
        .press("/bea<enter> + V more<enter> + /ben<enter> e70<enter>");
    watched.write(&TREE.replace("b,ben,1,40,user\n", ""));
    watched.journey.press("R z");
    watched.answer("10:42:03");
    watched.notice().must_begin("1 edit no longer fits");
    watched.title().must_contain("scenario 1 1/2");
    watched.journey.row("bea").must_contain("*2");
    watched.journey.press("z");
    watched.title().must_contain("2 edits ●  more 2/2");
    watched.journey.row("bea").must_contain("*3");
}

/// A time at which no file of these tests has just changed.
const LATER: i64 = 1 << 40;

/// Lets the wait end, and reads what changed, as the explorer does. Returns whether anything was read.
fn tick(watched: &mut Watched, time: &str) -> bool {
    watched.journey.effects.clear();
    watched.journey.send(Message::Tick);
    let asked = watched.asked();
    watched.read(asked, time, Some(LATER))
}

#[test]
fn a_watched_file_is_read_only_when_it_changed() {
    let mut watched = Watched::every(Some(1));
    assert!(tick(&mut watched, "10:42:01"), "its state was not known");
    assert!(!tick(&mut watched, "10:42:02"));
    watched.title().must_contain("10:42:02");
    assert_eq!(watched.waits(), [1], "the next look is awaited");

    watched.write(&TREE.replace("ann,1,10", "ann,1,900"));
    assert!(tick(&mut watched, "10:42:03"));
    watched.journey.row("ann").must_contain("▼");
    assert!(!tick(&mut watched, "10:42:04"));
    assert!(watched.journey.row("ann").contains('▼'), "who moved stays");

    watched.journey.effects.clear();
    watched.journey.press("R");
    let asked = watched.asked();
    let is_read = watched.read(asked, "10:42:05", Some(LATER));
    assert!(is_read, "a key always reads");
}

#[test]
fn a_file_that_was_replaced_or_rewritten_has_another_state() {
    let watched = Watched::every(None);
    let request = Request::to_open(&watched.path);
    let states = || FileStates::at(&request, LATER);
    let first = states();
    assert!(first.is_some());
    assert_eq!(states(), first);
    let times = std::fs::metadata(&watched.path)
        .unwrap()
        .modified()
        .unwrap();

    let other = watched.path.with_extension("new");
    std::fs::write(&other, TREE).unwrap();
    let file = std::fs::File::options().write(true).open(&other).unwrap();
    file.set_modified(times).unwrap();
    std::fs::rename(&other, &watched.path).unwrap();
    let second = states();
    assert!(second.is_some());
    assert_ne!(second, first, "another file with the same length and time");

    std::fs::remove_file(&watched.path).unwrap();
    assert_eq!(states(), None, "there is nothing to see");
}

#[test]
fn states_of_files_that_have_just_changed_and_of_other_sources_show_nothing() {
    let watched = Watched::every(None);
    let of = |path: &str| Request::to_open(path);
    let request = of(watched.path.to_str().unwrap());
    let modified = std::fs::metadata(&watched.path).unwrap().modified();
    let since = modified.unwrap().duration_since(std::time::UNIX_EPOCH);
    let seconds = i64::try_from(since.unwrap().as_secs()).unwrap();
    for now in [seconds - 10, seconds, seconds + 1, seconds + 2] {
        assert_eq!(FileStates::at(&request, now), None, "{}", now - seconds);
    }
    assert!(FileStates::at(&request, seconds + 4).is_some());
    assert_eq!(FileStates::at(&of("-"), LATER), None);
    assert_eq!(FileStates::at(&of("example:site"), LATER), None);
}
