//! Output of our pbsfs compared with the real program's, byte for byte.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::pbs::{Case, cases, latin1, text, usage_file};
use crate::support::{data, golden};
use fairscope::report::pbsfs::{Output, run};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

fn pbsfs(args: &[&[u8]], directory: &Path) -> Output {
    let mut args: Vec<OsString> = args
        .iter()
        .map(|arg| OsStr::from_bytes(arg).to_owned())
        .collect();
    args.push(directory.as_os_str().to_owned());
    run(&args, false, &|_| None)
}

/// Counts of compared outputs and the outputs that differ.
#[derive(Default)]
struct Tally {
    compared: usize,
    different: Vec<String>,
}

impl Tally {
    /// Compares bytes; ignores the sign of a NaN, which depends on the machine.
    fn bytes(&mut self, what: &str, ours: &[u8], theirs: &[u8]) {
        self.compared += 1;
        let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("-nan", "nan");
        if ours != theirs && plain(ours) != plain(theirs) {
            self.different.push(format!(
                "{what}\nours:\n{}theirs:\n{}",
                String::from_utf8_lossy(ours),
                String::from_utf8_lossy(theirs)
            ));
        }
    }

    fn output(&mut self, what: &str, ours: &Output, stdout: &[u8], stderr: &[u8], code: u8) {
        self.bytes(&format!("{what} stdout"), &ours.stdout, stdout);
        self.bytes(&format!("{what} stderr"), &ours.stderr, stderr);
        self.bytes(&format!("{what} code"), &[ours.code], &[code]);
    }

    fn end(self) {
        println!(
            "{} outputs compared, {} differ",
            self.compared,
            self.different.len()
        );
        assert!(self.different.is_empty(), "{}", self.different.join("\n"));
    }
}

fn compare_files(case: &Case, tally: &mut Tally, directory: &Path, option: &str) {
    let file = |ending: &str| case.bytes(&format!("pbsfs-{option}.{ending}"));
    let Some(stdout) = file("out") else {
        return;
    };
    let code = file("rc").map_or(0, |code| {
        String::from_utf8_lossy(&code)
            .trim()
            .parse()
            .expect("a code")
    });
    let ours = pbsfs(&[format!("-{option}").as_bytes()], directory);
    let stderr = file("err").unwrap_or_default();
    tally.output(
        &format!("{} -{option}", case.name),
        &ours,
        &stdout,
        &stderr,
        code,
    );
}

#[test]
fn golden_outputs_equal_those_of_the_real_pbsfs() {
    let mut tally = Tally::default();
    for case in cases() {
        let directory = case.directory();
        compare_files(&case, &mut tally, directory.path(), "p");
        compare_files(&case, &mut tally, directory.path(), "t");
        for object in case.objects("pbsfs-g.jsonl") {
            let ours = pbsfs(&[b"-g", b"--", &text(&object, "entity")], directory.path());
            let what = format!("{} -g {}", case.name, object["entity"]);
            compare_object(&mut tally, &what, &ours, &object);
        }
        for object in case.objects("pbsfs-c.jsonl") {
            let (a, b) = (text(&object, "a"), text(&object, "b"));
            let ours = pbsfs(&[b"-c", b"--", &a, &b], directory.path());
            let what = format!("{} -c {} {}", case.name, object["a"], object["b"]);
            compare_object(&mut tally, &what, &ours, &object);
        }
    }
    tally.end();
}

fn compare_object(tally: &mut Tally, what: &str, ours: &Output, object: &serde_json::Value) {
    let code = u8::try_from(object["rc"].as_u64().expect("a code")).expect("a small code");
    let (stdout, stderr) = (text(object, "stdout"), text(object, "stderr"));
    tally.output(what, ours, &stdout, &stderr, code);
}

#[test]
fn golden_command_lines_are_parsed_as_by_getopt() {
    let Some(root) = golden("pbs/_extra") else {
        return;
    };
    let tree = tempfile::tempdir().expect("a directory");
    let files = root.join("decay-cycles");
    for file in ["resource_group", "sched_config"] {
        std::fs::copy(files.join(file), tree.path().join(file)).expect("a file of the case");
    }
    let usage = usage_file(&[("a", 100.0), ("d", 1000.0)]);
    std::fs::write(tree.path().join("usage"), usage).expect("a usage file");
    let lines = std::fs::read_to_string(root.join("cli.jsonl")).expect("command lines");
    let mut tally = Tally::default();
    for line in lines.lines() {
        // The records may hold values without a JSON form, and are not compared.
        let line = line.replace("Infinity", "null").replace("NaN", "null");
        let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
        let args: Vec<Vec<u8>> = object["args"]
            .as_array()
            .expect("arguments")
            .iter()
            .map(|arg| latin1(arg.as_str().expect("text")))
            .collect();
        let mut args: Vec<OsString> = args
            .iter()
            .map(|arg| OsStr::from_bytes(arg).to_owned())
            .collect();
        // An option that takes the next word would otherwise take the directory.
        let place = args.len() - usize::from(args.last().is_some_and(|arg| arg == "-I"));
        args.insert(place, tree.path().as_os_str().to_owned());
        let ours = run(&args, false, &|_| None);
        if ours.code == 2 {
            let writes = |arg: &OsString| ["-s", "-d", "-e"].iter().any(|option| arg == option);
            assert!(args.iter().any(writes), "{args:?} was refused");
            continue;
        }
        compare_object(&mut tally, &object["args"].to_string(), &ours, &object);
    }
    tally.end();
}

#[test]
fn the_tree_of_another_source_is_printed_as_pbs_would_after_a_conversion() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("sched_priv");
    let to = ["convert", "example:small", "--to", "pbs", "--out"];
    let written = Run::fairscope(to).arg(&directory).run();
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let csv = folder.path().join("tree.csv");
    std::fs::write(&csv, "parent,name,shares,usage\n,ann,20,500\n,ben,5,1\n")
        .expect("it is written");
    for option in ["-p", "-t"] {
        let of_directory = Run::fairscope(["pbsfs", option]).arg(&directory).run();
        let of_example = Run::fairscope(["pbsfs", option, "example:small"]).run();
        assert_eq!(of_example.text(), of_directory.success());
        let of_csv = Run::fairscope(["pbsfs", option]).arg(&csv).run();
        of_csv.text().must_contain("ann");
    }
    let one = Run::fairscope(["pbsfs", "-g", "suzy", "example:small"]).run();
    one.text().must_contain("fairshare_tree_usage\t: 0.500416");
    let of_slurm = Run::fairscope(["pbsfs", "-p"])
        .arg(data("slurm_jobs"))
        .run();
    of_slurm.text().must_contain("Grp: ");
}
