//! Exit codes, unknown words, closed pipes and full disks.

use super::seed;
use crate::support::command::{Run, answered};
use crate::support::expected::Expected as _;

#[test]
fn an_unknown_word_is_answered_with_the_nearest_valid_word() {
    for (args, complaint) in answered(
        "
        show SEED --columns fator
            unknown column 'fator'; did you mean 'factor'? (path, name,
        show SEED --sort -ranc
            unknown column 'ranc'; did you mean 'rank'?
        show SEED --set unknwn_shares=1
            did you mean 'unknown_shares'?
        show SEED --set unknown_shares=-1
            unknown_shares cannot be -1; expected a whole number
        show SEED --policy pps
            a similar value exists: 'pbs'
        show SEED --format csw
            a similar value exists: 'csv'
        --theme drak
            a similar value exists: 'dark'
        rank SEED --format-out tree
            [possible values: table, csv, json, markdown, html]
        shwo SEED
            unknown command 'shwo'; did you mean 'show'? (show, rank,
        explain SEED nobody
            unknown node 'nobody'; write the path from the root
        show /no/such/place
            /no/such/place
        show
            <SOURCE>
    ",
        &[("SEED", &seed())],
    ) {
        let error = Run::fairscope(&args).run().failure(2);
        assert!(error.contains(complaint), "{args:?}: {error}");
    }
}

#[test]
fn arguments_are_escaped_in_messages() {
    for args in [
        &["show", "\u{1b}[31mred"][..],
        &["show", &seed(), "--\u{1b}[31m"],
        &["show", &seed(), "--help\t=x"],
        &["show", &seed(), "--columns", "\u{1b}[31m\u{9b}"],
        &["explain", &seed(), "\u{1b}[31m"],
        &["whatif", &seed(), "--edit", "\u{1b}[31m"],
        &["man", "\u{1b}"],
    ] {
        let error = Run::fairscope(args).run().failure(2);
        assert!(
            !error.contains(|char: char| char.is_control() && char != '\n'),
            "{error:?}"
        );
    }
}

#[test]
fn a_closed_pipe_ends_the_run_with_success_and_no_message() {
    for args in [
        &["show", &seed()][..],
        &["man"],
        &["--help"],
        &["completions", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ran = Run::fairscope(args).stdout(writer).run();
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        println!("skipped: there is no /dev/full");
        return;
    };
    let error = Run::fairscope(["show", &seed()])
        .stdout(full)
        .run()
        .failure(2);
    error.must_begin("fairscope: standard output could not be written,");
}

#[test]
fn no_report_contains_an_escape_byte() {
    for form in ["tree", "table", "csv", "json", "markdown"] {
        let text = Run::fairscope(["show", &seed(), "--format-out", form])
            .run()
            .success();
        assert!(
            !text.contains(|char: char| char.is_control() && char != '\n'),
            "{form}"
        );
    }
}
