//! A plan as two scripts for a POSIX shell: one applies it, the other rolls it back. Each checks what must hold before it
//! changes anything, and stops at the first command that fails.

use crate::analysis::plan::pbs::{GO, START};
use crate::analysis::plan::{Listing, Note, Plan, PlanFile, StateRow};
use crate::base::number::{counted, hex};
use crate::base::shell::{command, quoted};
use crate::report::words::plan as words;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Which of the two scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// The one that applies the plan.
    Apply,
    /// The one that rolls it back.
    Rollback,
}

/// Returns the scripts of a plan by name. A plan without commands has none.
pub(crate) fn scripts(plan: &Plan) -> Vec<(&'static str, String)> {
    if plan.commands.is_empty() {
        return Vec::new();
    }
    vec![
        ("apply.sh", script(plan, Direction::Apply)),
        ("rollback.sh", script(plan, Direction::Rollback)),
    ]
}

/// The beginning of a script, and how it stops before it changes anything.
const STOP: &str = r#"set -eu

stop() {
    printf '%s: %s; nothing was changed\n' "${0##*/}" "$1" >&2
    exit 1
}
"#;

/// Compares what the scheduler lists with what is expected. No rest means that no line begins with the key.
const EXPECT_ROW: &str = r#"
# expect KEY REST...: the line that begins with KEY has one of these ends; an empty one means that there is no such line.
expect() {
    key=$1
    shift
    found=$(printf '%s\n' "$listed" | key=$key awk '
        !has && index($0, ENVIRON["key"]) == 1 { print substr($0, length(ENVIRON["key"]) + 1); has = 1 }')
    for rest; do
        if [ "$found" = "$rest" ]; then
            return
        fi
    done
    stop "expected $key${1:- nowhere}, found $key${found:- nowhere}; make the plan again"
}
"#;

/// Compares a file with what is expected.
const EXPECT_FILE: &str = r#"
# expect_file FILE SUM...: the file has one of these SHA-256 sums.
expect_file() {
    file=$1
    shift
    found=$(sha256sum <"$file") || stop "$file cannot be read"
    for sum; do
        if [ "${found%% *}" = "$sum" ]; then
            return
        fi
    done
    stop "$file is not the file that the plan was made for; make the plan again"
}
"#;

/// What a script says where a command fails.
const ENDED: &str = r#"
ended() {
    { set +x; } 2>/dev/null
    if [ "$1" -ne 0 ]; then
        printf '%s: the last command above failed; those before it were applied\n' "${0##*/}" >&2
"#;

/// Goes to the directory of the scheduler's files. PBS itself looks for its settings there.
const GO_THERE: &str = r#"
settings=${PBS_CONF_FILE:-/etc/pbs.conf}
[ -r "$settings" ] || stop "$settings cannot be read; run this as root on the host of the scheduler"
# shellcheck source=/dev/null
cd "$(. "$settings" && echo "$PBS_HOME")/sched_priv" || stop 'there is no sched_priv here'
pgrep -o -x pbs_sched >/dev/null || stop 'pbs_sched does not run here'
"#;

/// Returns one of the scripts.
fn script(plan: &Plan, direction: Direction) -> String {
    let (verb, commands) = match direction {
        Direction::Apply => ("Applies", &plan.commands),
        Direction::Rollback => ("Rolls back", &plan.rollback),
    };
    let mut sets_usage = false;
    for note in &plan.notes {
        sets_usage |= note.what == Note::SetsUsage;
    }
    let mut text = format!(
        "#!/bin/sh\n# {verb} the plan for {}: {}. See plan.md first.\n# It first checks that what it changes is as expected, \
         and it stops at the first command that fails.\n",
        plan.scheduler.title(),
        counted(commands.len(), "command", "commands"),
    );
    for note in &plan.notes {
        // The script itself copies the files.
        if !matches!(note.what, Note::SaveFiles(_)) {
            let note = words::note(note, plan.scheduler);
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(text, "# Before: {note}");
        }
    }
    text.push_str(STOP);
    add_programs(&mut text, plan);
    if let Some(listing) = &plan.precondition.listing {
        add_rows(&mut text, listing, &plan.precondition.rows, direction);
    }
    if !plan.files.is_empty() {
        if direction == Direction::Apply {
            text.push_str("\nhere=$(cd \"$(dirname \"$0\")\" && pwd)");
        }
        text.push_str(GO_THERE);
        text.push_str(EXPECT_FILE);
        for file in &plan.files {
            add_file(&mut text, file, direction);
        }
    }
    if sets_usage {
        text.push_str(
            "\nqmgr -c 'print server scheduling' | grep -q 'scheduling = True' || \\\n    \
             stop 'scheduling is off, and this turns it on at its end'\n",
        );
    }
    text.push_str(ENDED);
    if sets_usage {
        let _ = writeln!(
            text,
            "        printf 'if scheduling is off now: %s\\n' {} >&2",
            quoted(START)
        );
    }
    text.push_str(
        "    fi\n}\ntrap 'ended $?' EXIT\n\n# Each command is printed before it runs.\nset -x\n",
    );
    if direction == Direction::Apply {
        for PlanFile { name, .. } in &plan.files {
            let _ = writeln!(
                text,
                "cmp -s \"$here/{name}.new\" {name}.new || cp \"$here/{name}.new\" {name}.new"
            );
        }
    }
    for command in commands.iter().filter(|command| *command != GO) {
        text.push_str(command);
        text.push('\n');
    }
    text
}

/// Adds the check that the programs are there.
fn add_programs(text: &mut String, plan: &Plan) {
    let mut programs = plan.precondition.programs.clone();
    if plan.precondition.listing.is_some() {
        programs.push("awk");
    }
    if !plan.files.is_empty() {
        programs.extend(["cmp", "sha256sum"]);
    }
    let _ = write!(
        text,
        "\nfor program in {}; do\n    command -v \"$program\" >/dev/null || stop \"there is no command $program here\"\n\
         done\n",
        command(programs)
    );
}

/// Adds the comparison of the scheduler's nodes. Before a rollback a node may also be as before the plan, where that
/// stopped halfway.
fn add_rows(text: &mut String, listing: &Listing, rows: &[StateRow], direction: Direction) {
    if rows.is_empty() {
        return;
    }
    let Listing {
        columns,
        command: list,
        awk,
    } = listing;
    let _ = write!(
        text,
        "\n# {}\nlisted=$({list}) || stop 'the scheduler did not list its nodes'\n",
        columns.replace(',', "|")
    );
    if let Some(program) = awk {
        let _ = writeln!(
            text,
            "listed=$(printf '%s\\n' \"$listed\" | awk -F'|' '\n{program}')"
        );
    }
    text.push_str(EXPECT_ROW);
    for StateRow { key, before, after } in rows {
        let old = before.as_deref().unwrap_or_default();
        let new = after.as_deref().unwrap_or_default();
        let mut words = vec!["expect", key];
        match direction {
            Direction::Apply => words.push(old),
            Direction::Rollback if old == new => words.push(new),
            Direction::Rollback => words.extend([new, old]),
        }
        let _ = writeln!(text, "{}", command(words));
    }
}

/// Adds the comparison of a file of PBS with what it should hold.
fn add_file(text: &mut String, file: &PlanFile, direction: Direction) {
    let PlanFile {
        name,
        bytes,
        before,
    } = file;
    let new = sum(bytes);
    let old = before.as_deref().map(sum);
    let _ = match (direction, old) {
        (Direction::Apply, Some(old)) => {
            writeln!(
                text,
                "expect_file \"$here/{name}.new\" {new}\nexpect_file {name} {old}"
            )
        }
        (Direction::Apply, None) => writeln!(text, "expect_file \"$here/{name}.new\" {new}"),
        (Direction::Rollback, Some(old)) => {
            writeln!(
                text,
                "expect_file {name}.before {old}\nexpect_file {name} {new} {old}"
            )
        }
        (Direction::Rollback, None) => writeln!(
            text,
            "[ -r {name}.before ] || stop 'there is no {name}.before here'\nexpect_file {name} {new}"
        ),
    };
}

/// Returns the SHA-256 sum of a file as `sha256sum` prints it.
fn sum(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
