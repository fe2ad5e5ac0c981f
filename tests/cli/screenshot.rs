//! Screens as pictures, on the command line.

use crate::support::command::{Run, answered};
use crate::support::data;
use crate::support::expected::Expected as _;

fn seed() -> String {
    data("seed").to_string_lossy().into_owned()
}

fn text(args: &[&str]) -> String {
    let run = Run::fairscope(["screenshot", &seed(), "--size", "100x30"]);
    let run = run.args(["--format-out", "text"]).args(args).run();
    run.success()
}

#[test]
fn a_screen_is_drawn_after_the_keys_and_all_work_is_done() {
    let tree = text(&[]);
    assert_eq!(tree.lines().count(), 30, "{tree}");
    tree.must_contain("suzy");
    let plan = text(&["--keys", "j j j e \"80\" enter 5"]);
    plan.must_contain("The plan");
    plan.must_contain("1 edit");
    // Pages are computed by threads in a terminal; here they are waited for.
    plan.must_lack("computing");
}

#[test]
fn the_same_keys_give_the_same_picture_byte_for_byte() {
    for form in ["svg", "text", "html"] {
        let draw = || {
            let run = Run::fairscope(["screenshot", "--keys", "4 +5 ctrl-n", "--format-out", form]);
            // The terminal and its settings make no difference.
            run.variable("TERM", "xterm")
                .variable("NO_COLOR", "1")
                .run()
                .success()
        };
        let first = draw();
        assert!(first.len() > 1000, "{form}: {first}");
        assert_eq!(first, draw(), "{form}");
    }
}

#[test]
fn the_ending_of_the_file_decides_the_form_and_no_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    for (name, begin) in [
        ("a.svg", "<svg xmlns="),
        ("a.txt", " fairscope"),
        ("a.html", "<!DOCTYPE html>"),
    ] {
        let path = folder.path().join(name);
        let run = || {
            Run::fairscope(["screenshot", &seed(), "--out"])
                .arg(&path)
                .run()
        };
        assert_eq!(run().success(), "", "{name}");
        let made = std::fs::read_to_string(&path).unwrap();
        assert!(made.starts_with(begin), "{name}: {made:.60}");
        let error = run().failure(2);
        error.must_contain("already exists and is not replaced");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), made);
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_with_the_nearest_word_and_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.svg");
    for (args, said) in answered(
        r#"
        --keys 'j entr'
            --keys: unknown key 'entr'; did you mean 'enter'? (
        --keys ctrl-entr
            --keys: unknown key 'ctrl-entr'; did you mean 'ctrl-enter'? (
        --keys 'e 80'
            --keys: unknown key '80' (a character, a key such as enter
        --keys 'e "80'
            --keys: a closing quote is missing
        --keys clik=3,4
            --keys: unknown key 'clik'; did you mean 'click'? (
        --keys click=0,4
            --keys: 'click=0,4' names no cell; expected column and row from 1
        --keys +1e9
            --keys: '+1e9' is not a pause; expected seconds up to 86400
        --keys q
            --keys leaves the explorer, so there is no screen
        --size 12x4
            --size: '12x4' is not the size of a screen; expected 20x5 to 500x200
        --size large
            --size: 'large' is not the size of a screen
    "#,
        &[],
    ) {
        let run = Run::fairscope(["screenshot", &seed()]).args(&args);
        let error = run.arg("--out").arg(&path).run().failure(2);
        error.must_begin(&format!("fairscope: {said}"));
        assert!(!path.exists(), "{args:?}");
    }
    let error = Run::fairscope(["screenshot", &seed(), "--out", "a.svgg"])
        .run()
        .failure(2);
    error.must_contain("unknown ending 'svgg'; did you mean 'svg'? (svg, txt, html)");
    let error = Run::fairscope(["screenshot", "/no/such/tree"])
        .run()
        .failure(2);
    error.must_contain("no such file or directory");
}

#[test]
fn a_picture_of_a_source_is_never_written_over_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.txt");
    std::fs::copy(data("slurm/gold.cfg"), &path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let run = Run::fairscope(["screenshot"])
        .arg(&path)
        .arg("--out")
        .arg(&path);
    let error = run.run().failure(2);
    error.must_contain("is the source, which fairscope never writes to");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
