//! A page tells what the command tells: the same sentences, rows and numbers, in the same order.

use super::{copied, open};
use crate::support::command::Run;
use crate::support::data;

/// A page, and the command that prints the same report.
struct Answer {
    /// The keys that open the page.
    keys: &'static str,
    /// The command and its options. `SOURCE`, `NODE`, `USER`, `BESIDE` and `OTHER` stand for what is asked about.
    command: &'static str,
}

/// What is asked about.
struct Asked {
    /// The source, below the test data.
    source: &'static str,
    /// The path of a node.
    node: &'static str,
    /// Its name, if it is a user.
    user: Option<&'static str>,
    /// The path of another one.
    beside: &'static str,
    /// Another tree, below the test data.
    other: &'static str,
}

/// The pages of the explorer that a command prints too, but for those that wait for jobs or dumps.
const ANSWERS: &[Answer] = &[
    Answer {
        keys: "!",
        command: "check SOURCE",
    },
    Answer {
        keys: "O OTHER <enter>",
        command: "diff OTHER SOURCE",
    },
    Answer {
        keys: "c b <space>job<space>6h <enter>",
        command: "simulate SOURCE --cores 100 --until 90d --job-time 6h",
    },
    Answer {
        keys: "*",
        command: "explain SOURCE NODE --policy all",
    },
    Answer {
        keys: "c u",
        command: "me SOURCE USER",
    },
    Answer {
        keys: "c o",
        command: "metrics SOURCE --users",
    },
    Answer {
        keys: "I",
        command: "solve SOURCE --node NODE",
    },
    Answer {
        keys: "i 2 <enter>",
        command: "solve SOURCE --node NODE --goal rank<=2 --any",
    },
    Answer {
        keys: "i on-target <enter>",
        command: "solve SOURCE --node NODE --goal on-target --any",
    },
    Answer {
        keys: "i share(NODE)>=20%; <enter>",
        command: "advise SOURCE --goal share(NODE)>=20%",
    },
    Answer {
        keys: "m / BESIDE <enter> c m",
        command: "explain SOURCE NODE BESIDE",
    },
    Answer {
        keys: "e 7 <enter> 5",
        command: "plan SOURCE --edit shares·NODE=7",
    },
];

const ASKED: &[Asked] = &[
    Asked {
        source: "seed",
        node: "group2/scott",
        user: Some("scott"),
        beside: "group1/cathy",
        other: "pbs/24-ties",
    },
    Asked {
        source: "seed",
        node: "group1",
        user: None,
        beside: "group2",
        other: "pbs/24-ties",
    },
    Asked {
        source: "slurm/gold/sshare.txt",
        node: "engineering/mech/judy",
        user: Some("judy"),
        beside: "engineering/ee/leo",
        other: "slurm/gold.cfg",
    },
    Asked {
        source: "slurm/three_levels",
        node: "science",
        user: None,
        beside: "engineering",
        other: "slurm/gold/sshare.txt",
    },
];

/// Returns the lines of a report without what a page sets in another way: indentation, blank lines, colons of headings.
fn told(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_end_matches(':');
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

impl Asked {
    /// Returns the words of a command about this.
    fn words(&self, command: &str) -> Vec<String> {
        let mut words = Vec::new();
        for word in command.split(' ') {
            words.push(self.filled(word).replace('·', " "));
        }
        words
    }

    /// Returns keys or a word with what is asked about in its place.
    fn filled(&self, text: &str) -> String {
        let source = data(self.source).display().to_string();
        let other = data(self.other).display().to_string();
        text.replace("SOURCE", &source)
            .replace("OTHER", &other)
            .replace("NODE", self.node)
            .replace("BESIDE", self.beside)
            .replace("USER", self.user.unwrap_or_default())
    }

    /// Returns the text of the page of some keys.
    fn page(&self, keys: &str) -> String {
        let mut journey = open(&[data(self.source)]);
        let select = format!("/ {} <enter>", self.node);
        journey.press(&select);
        journey.press(&self.filled(keys));
        journey.answer();
        journey.press("y");
        copied(&journey).to_owned()
    }
}

/// Checks that a page has the lines that a command printed.
#[track_caller]
fn must_tell_the_same(page: &str, command: &[String]) {
    let ran = Run::fairscope(command).run();
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    let mut on_page = told(page);
    // The title of the page is that of the published report; text has none.
    on_page.remove(0);
    assert_eq!(on_page, told(&printed), "{command:?}");
}

#[test]
fn a_page_tells_what_its_command_tells() {
    for asked in ASKED {
        for answer in ANSWERS {
            if answer.command.contains("USER") && asked.user.is_none() {
                continue;
            }
            must_tell_the_same(&asked.page(answer.keys), &asked.words(answer.command));
        }
    }
}

#[test]
fn the_pages_of_jobs_and_of_dumps_tell_what_their_commands_tell() {
    let jobs = Asked {
        source: "slurm_jobs",
        node: "root",
        user: None,
        beside: "",
        other: "",
    };
    must_tell_the_same(&jobs.page("Q"), &jobs.words("queue SOURCE --limit 1000"));
    let dumps = Asked {
        source: "dumps",
        node: "physics",
        ..jobs
    };
    must_tell_the_same(
        &dumps.page("B"),
        &dumps.words("timeline SOURCE --node NODE"),
    );
}
