//! Outputs that were pasted: each disguise gives the tree of the output itself, and one note says what was removed.

use crate::support::expected::Expected as _;
use crate::support::loading::{go_on, sentences};
use fairscope::format::input::Input;
use fairscope::format::{Format, LoadError, Loaded, OnProgress, Request};
use fairscope::open::load_inputs;
use std::path::PathBuf;

const FIXED: &str = "\
Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare 
-------------------- ---------- ---------- ----------- ----------- ------------- ---------- 
root                                          0.000000         100      1.000000            
 root                      root          1    0.090909           0      0.000000   1.000000 
 a                                      10    0.909091         100      1.000000            
  a                           u          1    1.000000         100      1.000000   0.500000 
";

const BARS: &str = "\
Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare
root|||0.000000|100|1.000000|
 root|root|1|0.090909|0|0.000000|1.000000
 a||10|0.909091|100|1.000000|
  a|u|1|1.000000|100|1.000000|0.500000
";

const ASSOCIATIONS: &str = "\
Account                    User     Share     ID 
-------------------- ---------- --------- ------ 
root                                    1      1 
 root                      root         1      2 
 a                                     10      4 
  a                           u         1     10 
";

const BANKS: &str = "\
Bank                            Username              Active           RawShares            RawUsage           Fairshare
root                                                    true                1000               133.0
 a                                                      true                1000               133.0
  a                                    u                true               10000               133.0            0.500000
";

const DUMP: &str = "\
# To edit this file start with a cluster line for the new cluster
# Parent - 'root'
Cluster - 'gold':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':Fairshare=1
Account - 'a':Description='a':Organization='a':Fairshare=10
Parent - 'a'
User - 'u':DefaultAccount='a':Fairshare=1
";

const OUTPUTS: [&str; 5] = [FIXED, BARS, ASSOCIATIONS, BANKS, DUMP];

/// A disguise of an output, and what the note says was removed; empty if there is no note.
struct Disguise {
    name: &'static str,
    disguised: fn(&str) -> String,
    removed: &'static str,
}

fn each_line(text: &str, line: impl Fn(usize, &str) -> String) -> String {
    let lines = text.lines().enumerate();
    lines
        .map(|(place, text)| line(place, text) + "\n")
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('>', "&gt;")
        .replace('\'', "&#x27;")
}

const DISGUISES: &[Disguise] = &[
    Disguise {
        name: "a prompt before and behind it",
        disguised: |text| format!("[ann@login1 ~]$ sshare -al\n{text}[ann@login1 ~]$\n"),
        removed: "prompts",
    },
    Disguise {
        name: "the prompt of a cluster",
        disguised: |text| format!("(baobab)-[root@admin1 ~]$ sshare -a -A <name>\n{text}"),
        removed: "prompts",
    },
    Disguise {
        name: "a prompt of Windows",
        disguised: |text| format!("PS C:\\> ssh login sshare -al\n{text}"),
        removed: "prompts",
    },
    Disguise {
        name: "a fence and sentences",
        disguised: |text| format!("Hi,\nsshare says:\n\n```text\n{text}```\n\nWhy is it so low?\n"),
        removed: "code fences, text around the output",
    },
    Disguise {
        name: "a mail",
        disguised: |text| {
            let date = "Mon, 3 Mar 2025 10:00:00 +0100";
            format!(
                "From: ann@example.org\nSubject: fairshare\nDate: {date}\n\nDear all,\n\n{text}\n--\nAnn\n"
            )
        },
        removed: "text around the output",
    },
    Disguise {
        name: "a quotation",
        disguised: |text| each_line(text, |_, line| format!("> {line}")),
        removed: "quotes >",
    },
    Disguise {
        name: "a quotation without blanks",
        disguised: |text| each_line(text, |_, line| format!(">{line}")),
        removed: "quotes >",
    },
    Disguise {
        name: "a quotation of a quotation",
        disguised: |text| each_line(text, |_, line| format!(">> {line}")),
        removed: "quotes >",
    },
    Disguise {
        name: "an answer to a quotation",
        disguised: |text| {
            let quoted = each_line(text, |_, line| format!("> > {line}"));
            format!("Bob wrote:\n{quoted}\nSee the manual.\n")
        },
        removed: "text around the output, quotes >",
    },
    Disguise {
        name: "a quotation of a web page",
        disguised: |text| each_line(&escaped(text), |_, line| format!("&gt; {line}")),
        removed: "HTML, quotes >",
    },
    Disguise {
        name: "bars before lines",
        disguised: |text| each_line(text, |_, line| format!("| {line}")),
        removed: "bars before lines",
    },
    Disguise {
        name: "comments",
        disguised: |text| each_line(text, |_, line| format!("# {line}")),
        removed: "marks # before lines",
    },
    Disguise {
        name: "comments of C",
        disguised: |text| each_line(text, |_, line| format!("// {line}")),
        removed: "marks // before lines",
    },
    Disguise {
        name: "bullets",
        disguised: |text| each_line(text, |_, line| format!("- {line}")),
        removed: "bullets",
    },
    Disguise {
        name: "line numbers",
        disguised: |text| each_line(text, |place, line| format!("{:3}  {line}", place + 1)),
        removed: "line numbers",
    },
    Disguise {
        name: "cat -n",
        disguised: |text| each_line(text, |place, line| format!("{:6}\t{line}", place + 1)),
        removed: "line numbers",
    },
    Disguise {
        name: "cat -A",
        disguised: |text| each_line(text, |_, line| format!("{line}$")),
        removed: "line ends $",
    },
    Disguise {
        name: "indentation",
        disguised: |text| each_line(text, |_, line| format!("    {line}")),
        removed: "indentation of all lines",
    },
    Disguise {
        name: "a TAB before each line",
        disguised: |text| each_line(text, |_, line| format!("\t{line}")),
        removed: "indentation of all lines",
    },
    Disguise {
        name: "blanks of a web page",
        disguised: |text| text.replace(' ', "&nbsp;"),
        removed: "HTML",
    },
    Disguise {
        name: "a web page",
        disguised: |text| format!("<pre><code>$ sshare -a\n{}</code></pre>\n", escaped(text)),
        removed: "HTML, prompts",
    },
    Disguise {
        name: "breaks of lines",
        disguised: |text| each_line(text, |_, line| format!("{line}<br>")),
        removed: "HTML",
    },
    Disguise {
        name: "line ends of old machines",
        disguised: |text| text.replace('\n', "\r"),
        removed: "",
    },
    Disguise {
        name: "a byte order mark, and blanks that do not break",
        disguised: |text| format!("\u{feff}{}", text.replace(' ', "\u{a0}")),
        removed: "",
    },
    Disguise {
        name: "colours",
        disguised: |text| text.replace("root", "\x1b[1;31m\x1b[Kroot\x1b[0m"),
        removed: "colours",
    },
    Disguise {
        name: "watch",
        disguised: |text| {
            format!("Every 2.0s: sshare -a    login1: Mon Mar  3 10:00:00 2025\n\n{text}")
        },
        removed: "text around the output",
    },
    Disguise {
        name: "script",
        disguised: |text| {
            format!(
                "Script started on 2025-03-03\n$ sshare -al\n{text}$ exit\n\nScript done on 2025-03-03\n"
            )
        },
        removed: "prompts, text around the output",
    },
];

fn try_read(text: &str) -> Result<Loaded, LoadError> {
    let input = Input {
        path: PathBuf::from("pasted.txt"),
        bytes: text.as_bytes().to_vec(),
        modified: Some(1_790_000_000),
    };
    let report: OnProgress<'_> = &mut go_on;
    load_inputs(vec![input], &Request::default(), report)
}

fn read(text: &str) -> Loaded {
    try_read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The nodes of a tree in its order, with their shares and usage.
fn nodes(loaded: &Loaded) -> Vec<String> {
    let tree = &loaded.snapshot.tree;
    let text = |node| {
        let name = String::from_utf8_lossy(tree.name(node));
        format!(
            "{} {name} {:?} {:?}",
            tree.line(node).len(),
            tree.shares(node),
            tree.usage(node)
        )
    };
    tree.nodes().iter().map(|&node| text(node)).collect()
}

/// The notes on what was removed.
fn notes(loaded: &Loaded) -> Vec<String> {
    let all = sentences(&loaded.problems).into_iter();
    all.filter(|told| told.contains("pasted text:")).collect()
}

#[test]
fn every_disguise_gives_the_tree_of_the_output() {
    for output in OUTPUTS {
        let plain = read(output);
        for disguise in DISGUISES {
            // A dump keeps its bytes, and a name may be of such.
            if output == DUMP && disguise.removed == "colours" {
                continue;
            }
            let loaded = read(&(disguise.disguised)(output));
            let name = disguise.name;
            assert_eq!(nodes(&loaded), nodes(&plain), "{name}:\n{output}");
            let note = match disguise.removed {
                "" => vec![],
                removed => vec![format!(
                    "pasted.txt: note: pasted text: {removed} removed; nothing needs to be done if the rest is the output"
                )],
            };
            assert_eq!(notes(&loaded), note, "{name}:\n{output}");
        }
    }
}

#[test]
fn tables_of_web_pages_and_wikis_are_tables() {
    let plain = nodes(&read(BARS));
    let html = each_line(BARS, |_, line| {
        format!("<tr><td>{}</td></tr>", line.replace('|', "</td><td>"))
    });
    let tall = html.replace("<td>", "\n<td>");
    let markdown = each_line(BARS, |place, line| {
        let row = format!("| {} |", line.replace('|', " | "));
        if place > 0 {
            row
        } else {
            format!("{row}\n|{}", "---|".repeat(7))
        }
    });
    let jira = each_line(BARS, |place, line| match place {
        0 => format!("||{}||", line.replace('|', "||")),
        _ => format!("|{line}|"),
    });
    for table in [format!("<table>{html}</table>\n"), tall, markdown, jira] {
        assert_eq!(nodes(&read(&table)), plain, "{table}");
    }
}

#[test]
fn lines_keep_their_numbers_and_messages_are_told() {
    let text = FIXED.replace("        10    0.909091", "        x0    0.909091");
    let text = each_line(&text, |_, line| format!("> {line}"));
    let error = "sshare: error: no connection to dbd:6819";
    let loaded = read(&format!("Hello,\n{error}\n\n{text}"));
    let told = sentences(&loaded.problems);
    let has = |begin: &str| told.iter().any(|told| told.starts_with(begin));
    assert!(
        has("pasted.txt:8: error: x0 in the column RawShares"),
        "{told:?}"
    );
    let message = format!("pasted.txt:2: note: a message of the command was left out: {error}");
    assert!(has(&message), "{told:?}");
}

#[test]
fn a_second_table_of_another_command_is_left_out() {
    let queue = "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n  123 batch bash ann PD 0:00 1 (Priority)\n";
    for output in [FIXED, BARS, ASSOCIATIONS, BANKS, DUMP] {
        let plain = nodes(&read(output));
        let behind = read(&format!("=== Shares ===\n{output}=== Queue ===\n{queue}"));
        assert_eq!(nodes(&behind), plain, "{output}");
        let line = output.lines().count() + 3;
        let begin = format!(
            "pasted.txt:{line}: note: the output of squeue, jobs that wait and run, begins here"
        );
        let told = sentences(&behind.problems);
        assert!(told.iter().any(|told| told.starts_with(&begin)), "{told:?}");
        let typed = read(&format!(
            "$ sshare\n{output}ann@login1:~$ id\nuid=5(ann)  5\n"
        ));
        assert_eq!(nodes(&typed), plain, "{output}");
    }
}

#[test]
fn names_with_marks_are_names() {
    let loaded = read(
        "Account|User|RawShares|RawUsage\nroot|||9\n #a||1|4\n  #a|#u|1|4\n >b||1|5\n  >b|- u|1|3\n  >b|<br>|1|2\n",
    );
    let tree = &loaded.snapshot.tree;
    let names: Vec<_> = tree.nodes().iter().map(|&node| tree.name(node)).collect();
    for name in [&b"#a"[..], b"#u", b">b", b"- u", b"<br>"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    // Columns without numbers are no text.
    let loaded = read(
        "Account              User       ParentName \n-------------------- ---------- ---------- \n\
         root                                       \na                               root       \n\
         a                    u                     \n",
    );
    assert!(notes(&loaded).is_empty(), "{:?}", loaded.problems);
    assert_eq!(loaded.snapshot.tree.user_count(), 1);
}

#[test]
fn files_of_our_own_and_of_pbs_are_not_searched_for_disguises() {
    let quoted = |text: &str| each_line(text, |_, line| format!("> {line}"));
    for text in [
        "grp1 10 root 60\nalice 11 grp1 20\n",
        "name,shares\na,1\nb,2\n",
        "fairscope = 1\n",
    ] {
        let error = try_read(&quoted(text)).expect_err("it is quoted");
        error
            .to_string()
            .must_contain("is text in an unknown format");
    }
    let loaded = read("$ 10 root 60\n# sshare\n> 11 root 20\n");
    assert_eq!(loaded.snapshot.source.format, Format::Pbs);
    let tree = &loaded.snapshot.tree;
    let names: Vec<_> = tree.nodes().iter().map(|&node| tree.name(node)).collect();
    assert!(names.contains(&&b"$"[..]), "{names:?}");
    assert!(names.contains(&&b">"[..]), "{names:?}");
}

#[test]
fn a_table_of_numbers_is_no_tree_of_pbs() {
    let collapsed = "proj1 2777 0.000408 39273\nproj2 3703 0.000545 3021621\n";
    let error = try_read(collapsed).expect_err("no line can be used");
    let said = error.to_string();
    said.must_begin("pasted.txt is text in an unknown format; expected");
    let loaded = read("a 10 b 20\nb 11 root 5\n");
    assert_eq!(loaded.snapshot.source.format, Format::Pbs);
}
