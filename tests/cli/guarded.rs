//! Every file that an option or a variable names is opened with the same care: nothing waits, and nothing that cannot be
//! looked at counts as missing.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::files::make_pipe;
use std::os::unix::fs::symlink;
use std::path::Path;

const LOOP: &str = "Too many levels of symbolic links (os error 40)";

/// A directory with a tree of each kind, a pipe without a writer and a link to itself.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path();
    std::fs::create_dir(path.join("sched_priv")).unwrap();
    std::fs::write(path.join("sched_priv/resource_group"), "a 10 root 1\n").unwrap();
    let sshare = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n\
        root|||0.0|100|1.0|\n a||1|1.0|100|1.0|\n";
    std::fs::write(path.join("sshare.txt"), sshare).unwrap();
    std::fs::write(path.join("tree.csv"), "parent,name,shares\n,a,1\n").unwrap();
    make_pipe(&path.join("pipe"));
    symlink("loop", path.join("loop")).unwrap();
    folder
}

/// Returns the error of a run in a directory, with DIR in its place.
fn refusal(folder: &Path, args: &[&str]) -> String {
    let place = folder.to_string_lossy();
    let args = args.iter().map(|arg| arg.replace("DIR", &place));
    let error = Run::fairscope(args).run().failure(2);
    error.replace(&*place, "DIR")
}

#[test]
fn no_option_reads_what_may_never_end() {
    let folder = folder();
    let sources = [
        &["show", "DIR/@"][..],
        &["show", "DIR/sched_priv", "--usage", "DIR/@"],
        &["show", "DIR/sched_priv", "--sched-config", "DIR/@"],
        &["show", "DIR/sshare.txt", "--with", "DIR/@"],
        &["show", "DIR/sshare.txt", "--config", "DIR/@"],
        &["whatif", "DIR/tree.csv", "--edits", "DIR/@"],
        &["whatif", "DIR/tree.csv", "--scenario", "DIR/@"],
        &[
            "simulate",
            "DIR/sched_priv",
            "--until",
            "1d",
            "--pace",
            "DIR/@",
        ],
        &["diff", "DIR/tree.csv", "DIR/@"],
        &["timeline", "DIR/tree.csv", "DIR/@"],
    ];
    for args in sources {
        for (name, what) in [
            ("pipe", "is a named pipe, which is not opened because"),
            ("loop", LOOP),
        ] {
            let args: Vec<String> = args.iter().map(|arg| arg.replace('@', name)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let error = refusal(folder.path(), &args);
            let is_named = error.contains(&format!("DIR/{name}"));
            assert!(is_named && error.contains(what), "{args:?}: {error}");
        }
    }
}

#[test]
fn the_configuration_of_pbs_is_read_only_where_it_is_a_file() {
    let folder = folder();
    for (name, what) in [("pipe", "is a named pipe"), ("loop", LOOP)] {
        let path = folder.path().join(name);
        let error = Run::fairscope(["show", "--live", "pbs"])
            .variable("PBS_HOME", "")
            .variable("PBS_CONF_FILE", &path)
            .run()
            .failure(2);
        let path = path.to_string_lossy();
        error.must_contain(&path);
        error.must_contain(what);
    }
}

#[test]
fn files_of_the_kernel_are_refused() {
    // Its length is said to be 0, and it holds terabytes.
    let endless = Path::new("/proc/self/pagemap");
    if !endless.exists() {
        println!("skipped: there is no {}", endless.display());
        return;
    }
    let error = Run::fairscope(["show"]).arg(endless).run().failure(2);
    assert_eq!(
        error,
        "fairscope: /proc/self/pagemap is a file of the kernel, which is not opened because reading it may never end; \
         open a copy of it, or another file\n"
    );
}

#[test]
fn what_cannot_be_looked_at_is_not_missing() {
    let folder = folder();
    let path = folder.path();
    let long = "n".repeat(300);
    for name in ["usage", "sched_config", "sched_formula"] {
        let home = path.join(format!("with_{name}"));
        std::fs::create_dir(&home).unwrap();
        std::fs::copy(
            path.join("sched_priv/resource_group"),
            home.join("resource_group"),
        )
        .unwrap();
        symlink(name, home.join(name)).unwrap();
        let error = refusal(path, &["show", &format!("DIR/with_{name}")]);
        assert_eq!(
            error,
            format!("fairscope: DIR/with_{name}/{name}: {LOOP}\n")
        );
    }
    // An output that belongs to a saved tree.
    std::fs::create_dir(path.join("saved")).unwrap();
    std::fs::copy(path.join("sshare.txt"), path.join("saved/sshare.txt")).unwrap();
    symlink("assoc_mgr.txt", path.join("saved/assoc_mgr.txt")).unwrap();
    let error = refusal(path, &["show", "DIR/saved"]);
    assert_eq!(
        error,
        format!("fairscope: DIR/saved/assoc_mgr.txt: {LOOP}\n")
    );
    // A file among others, of which nobody knows what it is.
    std::fs::create_dir(path.join("outputs")).unwrap();
    std::fs::copy(path.join("sshare.txt"), path.join("outputs/a.txt")).unwrap();
    symlink("b.txt", path.join("outputs/b.txt")).unwrap();
    let ran = Run::fairscope(["check"]).arg(path.join("outputs")).run();
    assert!(ran.stderr.is_empty() && ran.code == Some(1), "{ran:?}");
    let text = String::from_utf8(ran.stdout).unwrap();
    text.must_contain(&format!(
        "outputs: error: b.txt could not be read: {LOOP}; "
    ));
    let error = refusal(path, &["show", &format!("DIR/{long}")]);
    assert_eq!(
        error,
        format!("fairscope: DIR/{long}: File name too long (os error 36)\n")
    );
}

#[test]
fn a_scenario_does_not_lead_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(
        path.join("a.toml"),
        "fairscope = 1\n[source]\npath = \".\"\n",
    )
    .unwrap();
    let sentence = "the source is itself a scenario; name the tree that the scenario was made on";
    for source in ["DIR", "DIR/a.toml"] {
        let error = refusal(path, &["show", source]);
        error.must_end(&format!("a.toml: {sentence}\n"));
    }
}

#[test]
fn a_long_file_is_refused_by_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = vec![b'x'; 3 << 20];
    std::fs::write(path.join("line"), &line).unwrap();
    // The rest is a hole, so that a reader of all of it would need a gigabyte.
    let file = std::fs::File::options()
        .append(true)
        .open(path.join("line"))
        .unwrap();
    file.set_len(1 << 30).unwrap();
    let error = refusal(path, &["show", "DIR/line"]);
    assert_eq!(
        error,
        "fairscope: DIR/line:1: the line is longer than 1 MiB; expected one node or job on each line: check that the line ends \
         are not lost\n"
    );
    let words = "some words\n".repeat(300_000);
    std::fs::write(path.join("text"), words).unwrap();
    let error = refusal(path, &["show", "DIR/text"]);
    error.must_contain("text in an unknown format");
}
