//! The pictures of the README and the manual: drawn here and compared with `screenshots/`. `UPDATE=1` rewrites them.

mod film;

use crate::support::data;
use crate::support::journey::Journey;
use crate::support::loading::load_quietly;
use crate::support::trees::{self, SEED};
use fairscope::format::{Request, SourceKind};
use fairscope::tui::picture::{Paper, PictureForm};
use fairscope::tui::script::{Script, ScriptEvent};
use fairscope::tui::{Headless, Message, Options, Theme, built_in_lesson};
use film::{Frame, film};
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Opens the tree of the design document as if from a scheduler's directory.
fn seed() -> Journey {
    let mut snapshot = trees::pbs(SEED);
    snapshot.source.title = "sched_priv".into();
    Journey::with(snapshot)
}

/// Returns the paper of a theme.
fn paper(theme: &str) -> Paper {
    Paper::of(&Theme::named(theme).expect("it is shipped"))
}

/// Draws a screen and compares it with its picture.
#[track_caller]
fn picture(name: &str, journey: &mut Journey) {
    let drawn = PictureForm::Svg.draw(&journey.buffer(), &paper("dark"));
    compare(name, &drawn, &journey.screen());
}

/// Compares a drawing with the picture of that name.
#[track_caller]
fn compare(name: &str, drawn: &str, screen: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("screenshots")
        .join(format!("{name}.svg"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, drawn).expect("the picture can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == drawn,
        "{} differs from the screen; UPDATE=1 draws it again:\n{}",
        path.display(),
        screen
    );
}

#[test]
fn the_tree_at_120_by_40() {
    picture("tree", &mut seed().keys("<down>"));
}

#[test]
fn the_why_pane() {
    picture("why", &mut seed().keys("<down><down> d").size(120, 30));
}

#[test]
fn an_edit_with_rank_changes() {
    picture("edit", &mut seed().keys("jjjjj e5").size(120, 30));
}

#[test]
fn a_priority_word_as_buckets() {
    let mut journey = Journey::example("buckets").keys("jjj").size(120, 34);
    picture("buckets", &mut journey);
}

#[test]
fn every_rule_on_one_row() {
    let mut journey = Journey::example("site").keys("jj").size(120, 34);
    picture("every-rule", &mut journey);
}

#[test]
fn policies_side_by_side() {
    let mut journey = Journey::example("buckets").keys("3").size(120, 30);
    journey.answer();
    picture("policies", &mut journey);
}

#[test]
fn the_factor_as_curves() {
    let mut journey = Journey::example("buckets").keys("jjj C").size(120, 36);
    picture("curves", &mut journey);
}

#[test]
fn the_factor_as_a_map() {
    let mut journey = Journey::example("buckets").keys("jjj v h").size(120, 36);
    picture("surface", &mut journey);
}

#[test]
fn the_tour_of_the_program() {
    let keys = "<space><space>2";
    picture("first-lesson", &mut lesson("tour").size(100, 30).keys(keys));
}

#[test]
fn a_lesson_with_its_question_answered() {
    picture(
        "lesson",
        &mut lesson("objective").size(120, 36).keys("<space>2"),
    );
}

/// Plays a built-in lesson.
fn lesson(name: &str) -> Journey {
    let lesson = built_in_lesson(name).expect("it is built in");
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Lesson(Arc::new(lesson)));
    journey
}

#[test]
fn the_large_layout_for_a_projector() {
    let journey = Journey::example("site").keys("<f2> jjj k e80 <enter>");
    picture("presenter", &mut journey.size(100, 30));
}

#[test]
fn the_tree_at_80_by_24() {
    picture("small", &mut seed().size(80, 24).keys("<down>"));
}

/// Opens Slurm's output as fairscope does.
fn slurm(path: &str, more: &[&str]) -> Journey {
    let request = Request {
        source: SourceKind::Path {
            path: data(path),
            more: more.iter().copied().map(data).collect(),
        },
        ..Request::default()
    };
    let loaded = load_quietly(&request);
    let mut opened = trees::opened(loaded.expect("it can be read"));
    opened.source.reference.request = request;
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(opened));
    journey.keys("<esc>")
}

/// Opens the cluster of the manual's walkthrough at a node given by its name.
fn gold(name: &str) -> Journey {
    slurm("slurm/gold", &[]).keys(&format!("/{name}<enter><esc>"))
}

#[test]
fn a_dump_of_slurm_with_its_recorded_columns() {
    let config = "slurm/three_levels/scontrol_show_config.txt";
    let journey = slurm("slurm/three_levels/sshare_a_l_P.txt", &[config]);
    picture(
        "slurm",
        &mut journey.size(120, 44).keys("jjjjj JJJJJJJJJJJ"),
    );
}

#[test]
fn winners_and_losers_of_edits() {
    let edits = "e80<enter> /mech<enter><esc> e3<enter> 5";
    let mut journey = gold("physics").size(120, 46).keys(edits);
    journey.answer();
    picture("impact", &mut journey);
}

#[test]
fn the_plan_with_its_commands() {
    let trade = ";<ctrl-u>trade<space>science/physics=80<enter> 5";
    let mut journey = gold("physics").size(120, 43).keys(trade);
    journey.answer();
    picture("plan", &mut journey);
}

#[test]
fn two_users_side_by_side() {
    let mut journey = gold("carol").keys("m /dave<enter><esc> m c m");
    journey.answer();
    picture("compare", &mut journey);
}

#[test]
fn the_history_of_an_account_computed_from_jobs() {
    let mut journey = Journey::example("month").keys("B").size(100, 30);
    journey.answer();
    picture("month", &mut journey);
}

#[test]
fn the_history_of_a_user_through_a_series_of_dumps() {
    let mut journey = Journey::empty(Options::default()).size(110, 46);
    let effects = journey
        .app
        .update(Message::Open(Box::new(Request::to_open(data("dumps")))));
    journey.effects.extend(effects);
    journey.answer();
    journey.press("x /suzy<enter><esc> B");
    journey.answer();
    picture("history", &mut journey);
}

#[test]
fn solving_for_a_goal() {
    let mut journey = gold("carol").keys("i4<enter>");
    journey.answer();
    picture("solve", &mut journey);
}

#[test]
fn users_competing_for_cores() {
    let mut journey = gold("physics")
        .size(120, 40)
        .keys("c b 100<space>for<space>20d<enter>");
    journey.answer();
    picture("contention", &mut journey);
}

/// Opens the same cluster with a known date.
fn gold_dated(name: &str) -> Journey {
    let request = Request::to_open(data("slurm/gold"));
    let loaded = load_quietly(&request);
    let mut loaded = loaded.expect("it can be read");
    loaded.snapshot.settings.time.taken = Some(MOMENT);
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(trees::opened(loaded)));
    journey.keys(&format!("<esc> /{name}<enter><esc>"))
}

/// 2026-11-21 09:00 UTC.
const MOMENT: i64 = 1_795_251_600;

#[test]
fn a_node_under_three_assumptions() {
    let mut journey = gold_dated("alice").keys("4");
    journey.answer();
    picture("time", &mut journey);
}

#[test]
fn a_node_under_another_half_life() {
    let mut journey = gold_dated("alice").keys("8 4 t a t h 2d<enter> t q t q t q");
    journey.answer();
    journey.answer();
    picture("half-life", &mut journey);
}

/// The screens of the first minute: their names, and the keys that lead there from the start.
const FIRST_MINUTE: [(&str, &str); 4] = [
    ("start", ""),
    ("help", "?"),
    ("time", "jjj 4"),
    ("plan", "jj e60<enter> 5"),
];

/// The sizes of terminals in which it is shown.
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

#[test]
fn the_first_minute_in_terminals_of_every_size() {
    let mut gallery = String::from(
        "# The first minute\n\nWhat `fairscope` shows without arguments, in terminals of three sizes, dark and light.\n",
    );
    for (name, keys) in FIRST_MINUTE {
        for (width, height) in SIZES {
            for theme in ["dark", "light"] {
                let options = Options {
                    theme: Some(theme.into()),
                    ..Options::default()
                };
                let mut journey = Journey::empty(options).size(width, height);
                journey.send(Message::Example);
                journey.press(keys);
                journey.answer();
                let file = format!("first-minute/{name}-{width}x{height}-{theme}");
                let drawn = PictureForm::Svg.draw(&journey.buffer(), &paper(theme));
                compare(&file, &drawn, &journey.screen());
                gallery.extend([
                    format!("\n![{name} at {width}x{height}, {theme}]"),
                    format!("({name}-{width}x{height}-{theme}.svg)\n"),
                ]);
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots/first-minute/README.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &gallery).expect("the gallery can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == gallery, "UPDATE=1 lists the pictures again");
}

/// The size of the moving picture in bytes that a slow connection loads in a moment.
const LARGEST_FILM: usize = 300_000;

/// The keys of the moving picture of the README, from the tree to the plan.
const TOUR: &str = r#"
    +0 esc / "physics" enter esc G / "physics" enter esc
    +0 caption="physics has used more than its share of science"
    +3 caption="e   edit its shares" e
    +2 caption="8   the new ranks appear while you type" "8"
    +1 caption="80  alice, bob and carol run earlier" "0"
    +3 caption="enter   apply" enter
    +2 caption="2   the ranking: who moved, and how far" 2
    +4 caption="5   the plan: who wins, who loses, who is diluted" 5
    +4 caption="PgDn   the commands for Slurm, and the rollback" ctrl-f
    +5
"#;

/// Plays keys on a tree of Slurm. Each caption begins a frame, which shows the screen before the next one.
fn frames(script: &Script) -> Vec<Frame> {
    let options = Options {
        theme: Some("dark".into()),
        ..Options::default()
    };
    let mut explorer = Headless::new(options, Size::new(110, 32));
    let request = Request::to_open("tests/data/slurm/gold");
    explorer.open(Some(request)).expect("it can be opened");
    let mut frames: Vec<(Frame, Duration)> = Vec::new();
    explorer.play_showing(script, &mut |explorer, event| {
        if let Some(ScriptEvent::Caption(text)) = event {
            let frame = Frame {
                buffer: Buffer::default(),
                caption: text.clone(),
                seconds: 0,
            };
            frames.push((frame, explorer.now()));
        }
        if let Some((frame, _)) = frames.last_mut() {
            frame.buffer = explorer.screen().clone();
        }
    });
    let starts: Vec<Duration> = frames.iter().map(|&(_, start)| start).collect();
    let ends = starts[1..].iter().chain([&script.length]);
    let frames = frames.into_iter().zip(ends);
    frames
        .map(|((frame, start), &end)| Frame {
            seconds: u32::try_from(end.saturating_sub(start).as_secs()).expect("it is short"),
            ..frame
        })
        .collect()
}

#[test]
fn the_way_from_the_tree_to_the_plan_as_a_moving_picture() {
    let script = Script::parse(TOUR).unwrap_or_else(|error| panic!("{error}"));
    let frames = frames(&script);
    assert_eq!(frames.len(), 8);
    for frames in frames.windows(2) {
        let caption = &frames[1].caption;
        assert!(
            frames[0].buffer != frames[1].buffer,
            "{caption} changes nothing"
        );
        assert!(frames[0].seconds > 0, "{}", frames[0].caption);
    }
    let paper = paper("dark");
    let drawn = film(&frames, &paper);
    assert!(drawn.len() <= LARGEST_FILM, "{} bytes", drawn.len());
    let last = frames.last().expect("there are frames");
    compare(
        "tour",
        &drawn,
        &PictureForm::Text.draw(&last.buffer, &paper),
    );
}
