//! Sources without a tree: each is refused at once with its name and a remedy.

use crate::support::expected::Expected as _;
use crate::support::files::make_pipe;
use crate::support::loading::load_quietly;
use fairscope::format::{Format, LoadError, Progress, Request};
use fairscope::open::load;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The error message for a path, with DIR instead of the test's directory.
fn refusal(directory: &Path, name: &str) -> String {
    let request = Request::to_open(directory.join(name));
    let error = load_quietly(&request).expect_err("a refusal");
    error
        .to_string()
        .replace(&*directory.to_string_lossy(), "DIR")
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

const EXPECTED: &str = "expected a PBS sched_priv directory or a resource_group file, what sshare, scontrol show assoc_mgr or sacctmgr prints, a flux-accounting database, a CSV file with a header line such as parent,name,shares,usage,type, or fairscope's own TOML";

/// The commands that a table of accounts that is not whole should be replaced by.
const WHOLE: &str =
    "sshare -a -l -P, sacctmgr -P show assoc tree, or flux account view-bank -t root";

#[test]
fn files_without_a_tree_are_reported_with_a_remedy() {
    let garbage: Vec<u8> = (0..4096_u32)
        .map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2])
        .collect();
    let cases: Vec<(Vec<u8>, String)> = vec![
        (Vec::new(), "is empty; expected a tree: check what should have written it".to_owned()),
        (b"\x1f\x8b\x08rest".to_vec(), "is compressed with gzip and damaged or cut off; copy it again, or check it with zcat".to_owned()),
        (b"BZh91AY".to_vec(), "is compressed with bzip2; decompress it first: bzcat FILE | fairscope -".to_owned()),
        (b"\xfd7zXZ\0rest".to_vec(), "is compressed with xz; decompress it first: xzcat FILE | fairscope -".to_owned()),
        (b"\x28\xb5\x2f\xfdrest".to_vec(), "is compressed with zstd and damaged or cut off; copy it again, or check it with zstdcat".to_owned()),
        (b"SQLite format 3\0rest".to_vec(), "is cut off: it has 20 bytes, and an SQLite database has at least 512; copy it again when no program writes to it".to_owned()),
        (b"\xff\xfea\0 \0".to_vec(), "is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8 FILE | fairscope -".to_owned()),
        (b"\xfe\xff\0a\0 ".to_vec(), "is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8 FILE | fairscope -".to_owned()),
        (b"\n <!DOCTYPE html><html>".to_vec(), "is a web page, perhaps the error of a failed download; fetch the file itself again".to_owned()),
        (b"<?xml version='1.0'?>".to_vec(), format!("is text in an unknown format; {EXPECTED}; or name the format with --format")),
        (b"{\"shares\": {}}".to_vec(), format!("is JSON, which is not one of the formats; {EXPECTED}")),
        (b"[{\"name\": 1}]".to_vec(), format!("is JSON, which is not one of the formats; {EXPECTED}")),
        (b"PBS_MAG!\0rest".to_vec(), "is a PBS usage file, which contains no tree; open its sched_priv directory, or: fairscope RESOURCE_GROUP --usage FILE".to_owned()),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0".to_vec(), format!("contains binary data, not text; {EXPECTED}")),
        (garbage, format!("contains binary data, not text; {EXPECTED}")),
        (b"Dear admin,\nhere is the tree.\n".to_vec(), format!("is text in an unknown format; {EXPECTED}; or name the format with --format")),
        (b"PRIO: Fair Tree starting at root:\n    root (root):  inf\n    =idle (idle):  0.5\n".to_vec(), format!("is text in an unknown format; {EXPECTED}; or name the format with --format")),
        (b"#!/bin/sh\necho hello\n".to_vec(), format!("is text in an unknown format; {EXPECTED}; or name the format with --format")),
        (b"$ sshare -n -P\n|root||\n| chem||0.75\nann|  chem|0.5|1.5\n".to_vec(), format!("seems to be a table of accounts without its headings, so it cannot be told which column is which; add the line of headings, which -n and --noheader leave out, or run {WHOLE}")),
        (b" chem||500|0.8|47|1.0|1.0||0.8\n  chem|ann|1|0.5|47|1.0|1.0|0.3|inf\n".to_vec(), format!("seems to be a table of accounts without its headings, so it cannot be told which column is which; add the line of headings, which -n and --noheader leave out, or run {WHOLE}")),
        (b"  \"effective_usage\": {\n    \"set\": true,\n".to_vec(), "is a piece of JSON without its beginning; give the whole output: sshare -a --json".to_owned()),
        (b"FSInterval        %     Target       0\n".to_vec(), format!("seems to be the output of diagnose -f of Maui or Moab, which is not one of the formats; {EXPECTED}")),
        (b"Account              User\n-------------------- ----\nroot\n".to_vec(), format!("is a table of accounts without the columns of a tree, perhaps cut off at the right; run {WHOLE}")),
        (b"Bank     Username    RawShares\nroot                      1000\n".to_vec(), format!("is a table of accounts without the columns of a tree, perhaps cut off at the right; run {WHOLE}")),
    ];
    let directory = directory();
    for (bytes, sentence) in cases {
        std::fs::write(directory.path().join("source"), bytes).expect("a file");
        assert_eq!(
            refusal(directory.path(), "source"),
            format!("DIR/source {sentence}")
        );
    }
}

#[test]
fn paths_that_are_not_files_are_refused_at_once() {
    let directory = directory();
    let path = directory.path();
    make_pipe(&path.join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(path.join("socket")).expect("a socket");
    std::fs::write(path.join("file"), "x").expect("a file");
    assert_eq!(
        refusal(path, "pipe"),
        "DIR/pipe is a named pipe, which is not opened because reading it may never end; give its content on standard input: fairscope - < PIPE"
    );
    assert_eq!(
        refusal(path, "socket"),
        "DIR/socket is a socket, which is not opened because reading it may never end; open a file or a sched_priv directory"
    );
    assert_eq!(
        refusal(Path::new("/dev"), "zero"),
        "DIR/zero is a device, which is not opened because reading it may never end; open a file or a sched_priv directory"
    );
    assert_eq!(
        refusal(path, "missing"),
        "DIR/missing: no such file or directory"
    );
    assert_eq!(
        refusal(path, "file/below"),
        "DIR/file/below: no such file or directory"
    );
    assert_eq!(
        refusal(path, "\u{1b}[31m"),
        "DIR/\\e[31m: no such file or directory"
    );
}

#[test]
fn a_directory_without_a_tree_is_refused_with_its_contents() {
    let directory = directory();
    let path = directory.path();
    std::fs::create_dir(path.join("empty")).expect("a directory");
    std::fs::create_dir(path.join("full")).expect("a directory");
    for name in ["usage", "a", "b", "c", "d", "e"] {
        std::fs::write(path.join("full").join(name), "x").expect("a file");
    }
    let advice = |name: &str| {
        format!(
            "save sshare -a -l -P > DIR/{name}/sshare.txt (Slurm), or open sched_priv, usually \
             /var/spool/pbs/sched_priv (PBS)"
        )
    };
    assert_eq!(
        refusal(path, "empty"),
        format!("DIR/empty is empty; {}", advice("empty"))
    );
    assert_eq!(
        refusal(path, "full"),
        format!(
            "DIR/full holds no tree, only a, b, c, d and 2 more; {}",
            advice("full")
        )
    );
    let request = Request {
        format: Some(Format::Csv),
        ..Request::to_open(path.to_owned())
    };
    let error = load_quietly(&request).expect_err("a refusal").to_string();
    error.must_end("is a directory, but csv is read from one file; give the path of the file");
}

#[test]
fn pbs_home_opens_its_sched_priv() {
    let directory = directory();
    let sched_priv = directory.path().join("sched_priv");
    std::fs::create_dir(&sched_priv).expect("a directory");
    std::fs::write(sched_priv.join("resource_group"), "a 10 root 1\n").expect("a file");
    let request = Request::to_open(directory.path());
    let loaded = load_quietly(&request).expect("a tree");
    assert_eq!(loaded.snapshot.source.title, "sched_priv");
    let codes: Vec<_> = loaded.problems.list().iter().map(|it| it.code).collect();
    assert_eq!(codes, ["pbs-no-usage"]);
}

#[test]
fn formats_are_detected_from_content() {
    let directory = directory();
    let path = directory.path().join("source");
    let cases = [
        (
            "# tree\nphysics 10 root 60\nalice 11 physics 1\n",
            Format::Pbs,
        ),
        ("* old comment\n a\t1\troot\t-5 # more\r\n", Format::Pbs),
        ("parent,name,shares\n,a,1\n", Format::Csv),
        ("\u{feff}\"Parent\", Name ,SHARES\n,a,1\n", Format::Csv),
        (
            "# mine\nfairscope = 1\n[tree]\nrows = \"a 1\"\n",
            Format::Toml,
        ),
    ];
    for (text, format) in cases {
        std::fs::write(&path, text).expect("a file");
        let request = Request::to_open(&path);
        let loaded = load_quietly(&request).expect("a tree");
        assert_eq!(loaded.snapshot.source.format, format, "{text}");
    }
}

#[test]
fn reports_with_numbers_are_not_detected_as_trees() {
    let directory = directory();
    let text = "Name: sleep\nUmask: 0022\nState: S\nPid: 1\nUid: 0 0 0 0\nGid 0 0 0 0\nSize: 5 kB\nPeak: 6 kB\nRSS: 7\n";
    std::fs::write(directory.path().join("status"), text).expect("a file");
    refusal(directory.path(), "status").must_contain("is text in an unknown format");
}

#[test]
fn an_endless_line_is_refused() {
    let directory = directory();
    let text = format!("parent,name,shares\n,{},1\n", "x".repeat(2 << 20));
    std::fs::write(directory.path().join("long"), text).expect("a file");
    assert_eq!(
        refusal(directory.path(), "long"),
        "DIR/long:2: the line is longer than 1 MiB; expected one node or job on each line: check that the line ends are not lost"
    );
}

#[test]
fn loading_reports_progress_and_can_be_cancelled() {
    let directory = directory();
    let path: PathBuf = directory.path().join("resource_group");
    std::fs::write(
        &path,
        "# a comment of some length to fill the file with\n".repeat(60_000),
    )
    .expect("a file");
    let request = Request::to_open(path);
    let mut seen: Vec<Progress> = Vec::new();
    let result = load(&request, &mut |progress| {
        seen.push(progress.clone());
        ControlFlow::Continue(())
    });
    assert!(result.is_ok());
    assert!(seen.len() >= 2);
    assert_eq!(seen[0].total, Some(2_940_000));
    let result = load(&request, &mut |_| ControlFlow::Break(()));
    assert!(matches!(result, Err(LoadError::Cancelled)));
}

#[test]
fn a_cancelled_reading_reads_no_further() {
    let directory = directory();
    let path = directory.path().join("resource_group");
    write_long_tree(&path);
    let length = std::fs::metadata(&path).expect("it was written").len();
    let request = Request::to_open(path);
    let mut seen: Vec<u64> = Vec::new();
    let result = load(&request, &mut |progress| {
        seen.push(progress.done);
        if progress.done > 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(matches!(result, Err(LoadError::Cancelled)));
    let last = seen.last().copied().expect("it was asked");
    assert!(last < length, "{seen:?} of {length}");
    let asked_after = seen.iter().filter(|&&done| done > 0).count();
    assert_eq!(asked_after, 1, "{seen:?}");
}

/// Writes a tree of more than a mebibyte, which is read in several steps.
fn write_long_tree(path: &Path) {
    let comments = "# a comment of some length to fill the file with\n".repeat(60_000);
    std::fs::write(path, format!("a 10 root 1\n{comments}")).expect("a file");
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_again() {
    let directory = directory();
    let path = directory.path().join("resource_group");
    write_long_tree(&path);
    let request = Request::to_open(&path);
    let mut is_changed = false;
    let loaded = load(&request, &mut |progress| {
        if progress.done > 0 && !std::mem::replace(&mut is_changed, true) {
            append(&path, "b 11 root 2\n");
        }
        ControlFlow::Continue(())
    });
    let tree = loaded.expect("it rests").snapshot.tree;
    let names: Vec<_> = tree.nodes().iter().map(|&node| tree.name(node)).collect();
    assert_eq!(names, [&b"TREEROOT"[..], b"b", b"a", b"unknown"]);
    let error = load(&request, &mut |_| {
        append(&path, "c 12 root 3\n");
        ControlFlow::Continue(())
    });
    let error = error.expect_err("it never rests").to_string();
    error.must_end("/resource_group changed while it was read, 3 times in a row; open it again when no program writes to it, \
             or open a copy");
}

fn append(path: &Path, text: &str) {
    let file = std::fs::File::options().append(true).open(path);
    let mut file = file.expect("it is ours");
    file.write_all(text.as_bytes()).expect("there is room");
}

#[test]
fn mixed_line_ends_are_line_ends() {
    let directory = directory();
    let path = directory.path().join("source");
    let tables = [
        "Account|User|RawShares|RawUsage\nroot|||9\n a||1|9\n  a|u|1|9\n",
        "parent,name,shares,usage\n,a,1,\na,u,1,9\n",
    ];
    for table in tables {
        let states = ["\n", "\r\n"].map(|other| {
            // Every second line end is another one.
            let lines = table.split_inclusive('\n').enumerate();
            let text: String = lines
                .map(|(number, line)| match number % 2 {
                    0 => line.replace('\n', other),
                    _ => line.to_owned(),
                })
                .collect();
            std::fs::write(&path, text).expect("a file");
            let request = Request::to_open(&path);
            let loaded = load_quietly(&request).expect("a tree");
            loaded.snapshot.tree.state_hash()
        });
        assert_eq!(states[0], states[1], "{table}");
    }
}
