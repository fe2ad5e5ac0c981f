//! `fairscope lesson`: the list, the printed forms, and files that are no lesson.

use crate::support::command::Run;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

fn lesson(file: &Path) -> Run {
    Run::fairscope([OsStr::new("lesson"), file.as_os_str()])
}

#[test]
fn without_a_name_the_lessons_are_listed() {
    let list = Run::fairscope(["lesson"]).run().success();
    assert!(list.starts_with("Lessons: fairscope lesson NAME, or L in the explorer\n\n  tour "));
    for name in fairscope::report::lesson::Lesson::names() {
        assert!(list.contains(&format!("\n  {name} ")), "{name}");
    }
}

#[test]
fn without_a_terminal_a_lesson_is_printed() {
    let text = Run::fairscope(["lesson", "objective"]).run().success();
    assert!(text.starts_with("When LEVEL_BASED misranks\n"), "{text}");
    let markdown = ["lesson", "objective", "--format-out", "markdown"];
    let markdown = Run::fairscope(markdown).run().success();
    assert!(markdown.contains("**Step 1 of 5**"), "{markdown}");
}

#[test]
fn columns_of_a_step_are_those_of_its_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lesson.toml");
    let text = "title = \"t\"\nabout = \"a\"\nsource = \"example:ties\"\n[[step]]\ntext = \"x\"\nselect = \"A\"\n\
                columns = [\"level_fs\"]\n";
    fs::write(&file, text).expect("a file");
    let printed = lesson(&file).run().success();
    let heading = printed.lines().find(|line| line.starts_with("Account"));
    let heading = heading.unwrap_or_else(|| panic!("{printed}"));
    assert!(heading.trim_end().ends_with("LevelFS"), "{heading}");
    let row = printed
        .lines()
        .find(|line| line.contains(" A "))
        .expect("A");
    let number = row.split_whitespace().last().expect("a number");
    assert!(number.parse::<f64>().is_ok(), "{row}");
}

#[test]
fn md_means_markdown() {
    let lesson = ["lesson", "objective", "--format-out"];
    let show = ["show", "example:small", "--format-out"];
    for command in [lesson, show] {
        let printed = |form| Run::fairscope(command).args([form]).run().success();
        assert_eq!(printed("md"), printed("markdown"));
    }
}

#[test]
fn a_command_after_an_option_is_told_where_it_belongs() {
    for (args, expected) in [
        (
            &["--theme", "light", "lesson", "suzy"][..],
            "lesson --theme light suzy",
        ),
        (&["--ascii", "lesson"], "lesson --ascii"),
    ] {
        assert_eq!(
            Run::fairscope(args).run().failure(2),
            format!(
                "fairscope: lesson is a command, and a command comes before its options: fairscope {expected}\n"
            )
        );
        let mut right = expected.split(' ').collect::<Vec<_>>();
        if right.len() == 2 {
            right.push("suzy");
        }
        let text = Run::fairscope(right).run().success();
        assert!(text.contains("suzy"), "{text}");
    }
}

#[test]
fn what_is_no_lesson_is_refused_with_its_line_and_nothing_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let refused = |file: &Path| {
        let refused = lesson(file).run();
        let said = refused.failure(2);
        said.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        Run::fairscope(["lesson", "suzi"]).run().failure(2),
        "fairscope: unknown lesson 'suzi'; did you mean 'suzy'? (tour, suzy, dilution, user, classic, walk, flux, half-life, buckets, asymptote, \
         objective, ties, strangers, waiting, myths; or the path of a file)\n"
    );
    assert_eq!(
        refused(&path("none.toml")),
        "fairscope: none.toml: no such file or directory\n"
    );
    fs::write(path("empty.toml"), "").expect("a file");
    assert_eq!(
        refused(&path("empty.toml")),
        "fairscope: empty.toml:1: title is missing; expected words in quotes\n  \
         empty.toml:1: about is missing; expected words in quotes\n  \
         empty.toml:1: source is missing; expected words in quotes\n  \
         empty.toml:1: the lesson has no step; expected [[step]] and keys below it\n"
    );
    let head = "title = \"t\"\nabout = \"a\"\nsource = \"tree.toml\"\n[[step]]\n";
    fs::write(path("cut.toml"), format!("{head}text = \"x")).expect("a file");
    assert!(refused(&path("cut.toml")).starts_with("fairscope: cut.toml:5: this is not TOML: "));
    fs::write(path("no-tree.toml"), format!("{head}text = \"x\"")).expect("a file");
    assert_eq!(
        refused(&path("no-tree.toml")),
        "fairscope: no-tree.toml:3: source: tree.toml: no such file or directory\n"
    );
    fs::write(
        path("other.toml"),
        format!("{head}text = \"{{factor zoe}}\""),
    )
    .expect("a file");
    fs::write(
        path("tree.toml"),
        "fairscope = 1\n[tree]\nrows = '''\na 1\n  ann 1 5\n'''\n",
    )
    .expect("a file");
    assert_eq!(
        refused(&path("other.toml")),
        "fairscope: other.toml:5: unknown node 'zoe'; write the path from the root, as in group/user, or a name that \
         occurs once\n"
    );
    fs::write(path("bytes.toml"), b"title = \"\xff\"").expect("a file");
    assert_eq!(
        refused(&path("bytes.toml")),
        "fairscope: bytes.toml: this is not UTF-8; a lesson is a file in TOML\n"
    );
    fs::write(path("large.toml"), vec![b'#'; 5 << 20]).expect("a file");
    assert_eq!(
        refused(&path("large.toml")),
        "fairscope: large.toml: larger than 4 MiB, too large for a lesson\n"
    );
    assert!(refused(folder.path()).starts_with("fairscope: "));
}
