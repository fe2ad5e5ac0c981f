//! The pictures of the README: drawn here, compared with `screenshots/`, rewritten with `UPDATE=1`.

use crate::support::data;
use crate::support::journey::Journey;
use crate::support::trees::{self, SEED};
use fairscope::format::{self, Request};
use fairscope::tui::screenshot::{Paper, svg};
use fairscope::tui::{Message, Options};
use std::ops::ControlFlow;
use std::path::Path;

/// The tree of the design document, as if opened from a scheduler's directory.
fn seed() -> Journey {
    let mut snapshot = trees::pbs(SEED);
    "sched_priv".clone_into(&mut snapshot.source.title);
    Journey::with(snapshot)
}

/// Draws a screen and holds it against its picture.
#[track_caller]
fn picture(name: &str, journey: &mut Journey) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("screenshots")
        .join(format!("{name}.svg"));
    let drawn = svg(&journey.buffer(), Paper::DARK);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &drawn).expect("the picture can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == drawn,
        "{} differs from the screen; UPDATE=1 draws it again:\n{}",
        path.display(),
        journey.screen()
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
fn a_word_as_buckets() {
    let mut journey = Journey::example("buckets").keys("jjj").size(120, 34);
    picture("buckets", &mut journey);
}

#[test]
fn the_policies_side_by_side() {
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
fn the_tree_at_80_by_24() {
    picture("small", &mut seed().size(80, 24).keys("<down>"));
}

#[test]
fn a_dump_of_slurms_with_what_it_recorded() {
    let request = Request {
        path: data("slurm/three_levels/sshare_a_l_P.txt"),
        more: vec![data("slurm/three_levels/scontrol_show_config.txt")],
        ..Request::default()
    };
    let loaded = format::load(&request, &mut |_| ControlFlow::Continue(()));
    let mut journey = Journey::empty(Options::default()).size(120, 44);
    let loaded = loaded.expect("it can be read");
    journey.send(Message::Loaded(trees::opened(loaded)));
    picture("slurm", &mut journey.keys("<esc> jjjjj JJJJJJJJJJJ"));
}
