//! `fairscope lesson`: the list, the printed forms, and files that are no lesson.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::markup::Markup;
use crate::support::{data, golden};
use fairscope::rules::policy::Policy;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

fn lesson(file: &Path) -> Run {
    Run::fairscope([OsStr::new("lesson"), file.as_os_str()])
}

#[test]
fn without_a_name_the_lessons_are_listed() {
    // The lessons that somebody finished have ticks.
    let state = tempfile::tempdir().expect("a folder");
    let list = Run::fairscope(["lesson"]).variable("XDG_STATE_HOME", state.path());
    let list = list.run().success();
    list.must_begin("Lessons: fairscope lesson NAME, or L in the explorer\n\nStart here\n  zero ");
    for name in fairscope::report::lesson::Lesson::names() {
        assert!(list.contains(&format!("\n  {name} ")), "{name}");
    }
}

#[test]
fn without_a_terminal_a_lesson_is_printed() {
    let text = Run::fairscope(["lesson", "objective"]).run().success();
    text.must_begin("LEVEL_BASED, part 2 of 3: where it misranks\n");
    let markdown = ["lesson", "objective", "--format-out", "markdown"];
    let markdown = Run::fairscope(markdown).run().success();
    markdown.must_contain("**Step 1 of 5: The promise**");
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
    heading.trim_end().must_end("LevelFS");
    let row = printed
        .lines()
        .find(|line| line.contains("─ A "))
        .expect("A");
    let number = row.split_whitespace().last().expect("a number");
    assert!(number.parse::<f64>().is_ok(), "{row}");
}

#[test]
fn what_a_step_leaves_as_it_was_is_not_told_as_a_change() {
    let args = ["lesson", "dilution", "--source", "example:equal150"];
    let args = args
        .iter()
        .chain(&["--policy", "pbs", "--format-out", "text"]);
    let text = Run::fairscope(args).run().success();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "0.662% of the tree instead of 0.667%. user000 of acct000 still ranks 1st.";
    assert!(words.contains(told), "{text}");
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
        text.must_contain("suzy");
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
        "fairscope: unknown lesson 'suzi'; did you mean 'suzy'? (zero, tour, fair-tree, half-life, classic, ties, suzy, walk, \
         strangers, flux, dilution, myths, user, waiting, level-based, objective, asymptote, errata; or the path of a file)\n"
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
    refused(&path("cut.toml")).must_begin("fairscope: cut.toml:5: this is not TOML: ");
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
    refused(folder.path()).must_begin("fairscope: ");
}

/// Prints a lesson on another tree, in one line.
fn printed(name: &str, source: &Path, more: &[&str]) -> String {
    let lesson = Run::fairscope(["lesson", name, "--source"]).arg(source);
    let text = lesson.args(more).run().success();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_lesson_is_printed_with_the_numbers_of_another_tree() {
    let level_based = ["--policy", "level-based"];
    for (source, more, expected) in [
        (
            "pbs/01-seed-example",
            &[][..],
            &[
                "suzy has used nothing (usage 1), but group2 above it has used 1,001. That is 1.39x its target.",
                "cathy ranks 1st of 4, and suzy 3rd, though suzy has used nothing.",
                "PBS tree walk compares from the top down. group2 has used 1.39x its target, group1 0.42x.",
                "With 600 shares of group2 instead of 60, suzy ranks 1st instead of 3rd.",
            ][..],
        ),
        (
            "slurm/partitions/sshare_a_m_P.txt",
            &[],
            &[
                "ada@gpu has used nothing (usage 0), but mat above it has used 63,000.",
                "Slurm Fair Tree compares from the top down. mat has used 1.79x its target, geo 0.65x.",
                "A job's priority also depends on its age, QOS, size and partition.",
            ],
        ),
        (
            "slurm/partitions/sshare_a_m_P.txt",
            &level_based,
            &["Slurm LEVEL_BASED compares from the top down. The bucket of mat is "],
        ),
        (
            "slurm/partitions/sshare_a_m_P.txt",
            &["--policy", "classic"],
            &["A fraction of what mat used counts against each of its users."],
        ),
        (
            "flux/44_real_shares/input.db",
            &[],
            &[
                "a2 has used nothing (usage 0), but A above it has used 10.",
                "b1 ranks 1st of 3, and a2 2nd",
                "A job's priority also depends on its queue, its bank and its urgency.",
            ],
        ),
    ] {
        let text = printed("suzy", &data(source), more);
        for expected in expected {
            assert!(
                text.contains(expected),
                "{source} {more:?}: {expected:?} in {text}"
            );
        }
    }
    let text = printed("dilution", &data("slurm/partitions/sshare_a_m_P.txt"), &[]);
    text.must_contain("geo has 20 shares, and mat 10.");
    let text = printed("ties", &data("slurm/undecided/sshare_a_l_P.txt"), &[]);
    text.must_contain("have one rank: 2nd of 19.");
}

#[test]
fn golden_trees_have_their_own_suzy() {
    let Some(folder) = golden("pbs") else { return };
    let text = printed("suzy", &folder.join("27-forty-projects"), &[]);
    text.must_contain("proj29_u6 ranks 359th of 400, and proj24_u7 381st");
    let folder = golden("slurm").expect("golden files of Slurm");
    let dump = folder.join("04-multi-account-user/24.11/sshare_a_P.txt");
    let text = printed("suzy", &dump, &[]);
    text.must_contain("sam has used nothing");
    let folder = golden("slurm_policies").expect("golden files of Slurm's policies");
    let dump = folder.join("seed-AAAA12347777CCCC/sshare-level-4.txt");
    let text = printed("suzy", &dump, &["--policy", "level-based"]);
    text.must_contain("The bucket of DrBob is 0.466666, that of DrAlice 0.607668.");
}

#[test]
fn a_tree_without_nodes_that_fit_is_told_and_other_lessons_are_refused() {
    let lesson = |args: &[&str]| Run::fairscope(["lesson"]).args(args).run();
    let notes = ["suzy", "--source", "example:notes"];
    assert_eq!(
        lesson(&notes).failure(1),
        "fairscope: no nodes of the example notes fit this lesson, which needs a user with shares that used nothing, below \
         an account over its target, behind a user elsewhere that used something\n"
    );
    assert_eq!(
        lesson(&["walk", "--source", "example:small"]).failure(2),
        "fairscope: walk is about its own tree alone; these lessons fit others: fair-tree, half-life, classic, ties, suzy, \
         dilution, user\n"
    );
    assert_eq!(
        lesson(&["suzy", "--policy", "classic"]).failure(2),
        "fairscope: the options of a source need one; give --source SOURCE too\n"
    );
    let error = lesson(&["suzy", "--source", "no-such-file"]).failure(2);
    assert_eq!(
        error,
        "fairscope: no-such-file: no such file or directory\n"
    );
    lesson(&["--source", "example:small"])
        .failure(2)
        .must_contain("<NAME>");
}

#[test]
fn a_lesson_is_a_page_to_publish() {
    let page = ["lesson", "ties", "--format-out", "html"];
    let page = Run::fairscope(page).run().success();
    page.must_contain("<title>Ties");
    page.must_contain("Step 1 of ");
    page.must_contain(">?<");
}

#[test]
fn lessons_have_numbers_on_a_cluster_that_nobody_has_used() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("unused.csv");
    std::fs::write(
        &tree,
        "parent,name,shares,usage,type\n,root,1,0,account\nroot,a,1,0,account\na,ann,1,0,user\na,bob,1,0,user\n",
    )
    .unwrap();
    // In PBS the root's record may be 0, which makes parts of all usage that are no numbers.
    let records = folder.path().join("records.toml");
    std::fs::write(
        &records,
        "fairscope = 1\nscheduler = \"pbs\"\n[tree]\nroot = \"TREEROOT -1 0\"\nrecorded = \"0=0\"\nrows = \"\"\"\na 1\n  x 1\n  \
         y 1\n\"\"\"\n",
    )
    .unwrap();
    for name in [
        "suzy",
        "dilution",
        "ties",
        "fair-tree",
        "half-life",
        "classic",
        "user",
    ] {
        for policy in Policy::ALL {
            let run = Run::fairscope(["lesson", name, "--policy", policy.name(), "--source"]);
            let ran = run.arg(&tree).run();
            let text = String::from_utf8_lossy(&ran.stdout).into_owned();
            let words = text.split(|char: char| !char.is_alphanumeric());
            assert_eq!(words.filter(|word| *word == "nan").count(), 0, "{text}");
        }
    }
    let ran = Run::fairscope(["lesson", "ties", "--source"])
        .arg(&records)
        .run();
    ran.stderr.must_contain("fit this lesson");
}

#[test]
fn a_lesson_about_a_tree_is_made_and_can_be_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("our.toml");
    for source in [
        data("pbs/01-seed-example"),
        data("slurm/partitions/sshare_a_m_P.txt"),
        data("flux/44_real_shares/input.db"),
        "example:site".into(),
    ] {
        let made = Run::fairscope(["lesson", "--make"])
            .arg(&source)
            .run()
            .success();
        made.must_begin("# A lesson about your own tree.");
        made.must_contain("[[step]]\ntitle = \"Our tree\"\n");
        made.must_lack("{name @");
        made.must_lack("trees =");
        fs::write(&file, &made).expect("a file");
        let printed = lesson(&file).run().success();
        printed.must_contain("Fairshare on our cluster");
        assert!(made.matches("[[step]]").count() >= 4, "{made}");
        assert!(made.contains("[step.try]"), "{made}");
    }
}

#[test]
fn a_lesson_is_not_made_of_options_or_of_a_tree_that_fits_none() {
    let make = |args: &[&str]| Run::fairscope(["lesson", "--make"]).args(args).run();
    make(&["example:site", "--set", "PriorityDecayHalfLife=1-0"])
        .failure(2)
        .must_begin("fairscope: a lesson names its tree by a path alone; ");
    make(&["-"]).failure(2).must_begin(
        "fairscope: a lesson names its tree by a path; save standard input to a file first",
    );
    make(&["example:equal150", "--policy", "fair-tree"]).success();
    let folder = tempfile::tempdir().expect("a folder");
    let tree = folder.path().join("one.csv");
    fs::write(
        &tree,
        "parent,name,shares,usage,type\n,root,1,0,account\nroot,ann,1,0,user\n",
    )
    .expect("a file");
    let said = Run::fairscope(["lesson", "--make"])
        .arg(&tree)
        .run()
        .failure(1);
    said.must_begin("fairscope: no nodes of this tree fit a built-in lesson (fair-tree, user, ");
}

#[test]
fn all_lessons_are_written_as_a_site_whose_links_lead_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("new/site");
    let all = |form: &str, out: &Path| {
        Run::fairscope(["lesson", "--all", "-o", form, "--out"])
            .arg(out)
            .run()
    };
    let names: Vec<&str> = fairscope::report::lesson::Lesson::names().collect();
    let told = format!(
        "{} lessons and an index in {}\n",
        names.len(),
        site.display()
    );
    assert_eq!(all("html", &site).success(), told);
    let mut files: Vec<String> = names.iter().map(|name| format!("{name}.html")).collect();
    files.insert(0, "index.html".to_owned());
    for file in &files {
        let text = fs::read_to_string(site.join(file)).expect("a page");
        for foreign in ["<script src", "http:", "https:", "url("] {
            assert!(!text.contains(foreign), "{file}: {foreign}");
        }
        let page = Markup::read(&text);
        let links: Vec<&str> = page.all("a").map(|it| it.attribute("href")).collect();
        for link in &links {
            match link.strip_prefix('#') {
                Some(anchor) => {
                    let mut headings = page.all("h2");
                    assert!(
                        headings.any(|it| it.attribute("id") == anchor),
                        "{file}: {link}"
                    );
                }
                None => assert!(site.join(link).is_file(), "{file}: {link}"),
            }
        }
        if file == "index.html" {
            for name in &names {
                assert!(links.contains(&&*format!("{name}.html")), "{name}");
            }
        } else {
            assert_eq!(
                links.iter().filter(|it| **it == "index.html").count(),
                2,
                "{file}"
            );
        }
    }
    let found = fs::read_dir(&site).expect("a folder").count();
    assert_eq!(found, files.len(), "no leftover");
    // They replace those of an earlier run, and other forms are beside them.
    assert_eq!(all("html", &site).success(), told);
    assert_eq!(all("markdown", &site).success(), told);
    let index = fs::read_to_string(site.join("index.md")).expect("an index");
    index.must_contain("- [The tour: ");
    index.must_contain("](tour.md): ");
    all("text", &site).success();
    assert!(site.join("tour.txt").is_file());
    all("json", &site)
        .failure(2)
        .must_begin("fairscope: --all writes text, markdown or html; ");
}

#[test]
fn lessons_lead_to_where_they_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let all = |form: &str, page: &str| {
        Run::fairscope(["lesson", "--all", "-o", form, "--page", page, "--out"])
            .arg(folder.path())
            .run()
    };
    for address in ["../fairscope.html", "https://hpc.example/fairscope.html"] {
        assert_eq!(all("html", address).code, Some(0));
        for name in fairscope::report::lesson::Lesson::names() {
            let played = format!("<a href=\"{address}#lesson={name}\">");
            for (file, words, count) in [
                ("index", "Play it in the browser", 1),
                (name, "Play this lesson in the browser", 2),
            ] {
                let text = fs::read_to_string(folder.path().join(format!("{file}.html")));
                let text = text.expect("a page");
                let link = format!("{played}{words}</a>");
                assert_eq!(text.matches(&link).count(), count, "{file}: {link}");
                // The link is for a reader. The page itself still loads nothing.
                if file == name {
                    let rest = text.replace(&played, "");
                    for foreign in ["<script src", "http:", "https:", "url("] {
                        assert!(!rest.contains(foreign), "{file}: {foreign}");
                    }
                }
            }
        }
    }
    all("markdown", "../fairscope.html")
        .failure(2)
        .must_begin("fairscope: --page is for links of HTML; add -o html");
    for address in ["javascript:alert(1)", "a\"b", "page.html#tree", ""] {
        all("html", address)
            .failure(2)
            .must_contain("'--page <URL>'");
    }
    Run::fairscope(["lesson", "suzy", "--page", "fairscope.html"])
        .run()
        .failure(2)
        .must_contain("--all");
}

#[test]
fn what_is_for_print_is_refused_where_nothing_is_printed() {
    let lesson = |args: &[&str]| Run::fairscope(["lesson"]).args(args).run();
    lesson(&["--answers", "end"])
        .failure(2)
        .must_contain("<NAME|--all>");
    lesson(&["--out", "site"]).failure(2).must_contain("--all");
    lesson(&["--all"]).failure(2).must_contain("--out <DIR>");
    lesson(&["suzy", "--all", "--out", "site"])
        .failure(2)
        .must_contain("cannot be used with");
    let quiz = lesson(&["suzy", "--answers", "none"]).success();
    quiz.must_lack("Answer: ");
    let end = lesson(&["suzy", "--answers", "end"]).success();
    end.must_contain("\nAnswers\n");
}

#[test]
fn lessons_that_were_finished_have_ticks_in_the_list() {
    let state = tempfile::tempdir().expect("a folder");
    let folder = state.path().join("fairscope");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("lessons"), "suzy\nno such lesson\n").expect("a file");
    let list = Run::fairscope(["lesson"]).variable("XDG_STATE_HOME", state.path());
    let list = list.run().success();
    assert_eq!(list.matches('✓').count(), 1);
    list.must_contain("\n✓ suzy ");
    // A folder that cannot be read leaves the ticks out.
    fs::remove_file(folder.join("lessons")).expect("it is there");
    fs::create_dir(folder.join("lessons")).expect("a folder");
    let list = Run::fairscope(["lesson"]).variable("XDG_STATE_HOME", state.path());
    list.run().success().must_lack("✓");
}

#[test]
fn a_part_of_a_tree_that_fits_no_lesson_is_said_to_be_a_part() {
    let part = data("slurm/part/own.txt");
    let run = Run::fairscope(["lesson", "user", "--source"]).arg(part);
    run.run()
        .failure(1)
        .must_end("; only a part of the tree is listed\n");
}
