//! Files that administrators have: every output of Slurm's commands is either opened or refused by its name.

use super::memory::zstd;
use super::seed;
use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::random::Random;
use crate::support::{data, golden};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{File, FileTimes, write};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The expected result for a file.
enum Fate {
    /// The file opens as this format, with this number of nodes.
    Opened(&'static str, usize),
    /// The file is refused with an error that contains this text.
    Refused(&'static str),
}

use Fate::{Opened, Refused};

/// Every file in `golden/slurm_outputs`.
const OUTPUTS: &[(&str, Fate)] = &[
    ("a22.txt", Refused("sacctmgr with right-aligned accounts")),
    ("assoc_mgr_all.txt", Opened("assoc-mgr", 61)),
    ("assoc_mgr_json.json", Opened("assoc-mgr", 61)),
    ("assoc_mgr_o.txt", Opened("assoc-mgr", 61)),
    ("assoc_mgr_users.txt", Opened("assoc-mgr", 47)),
    (
        "config.txt",
        Refused("scontrol show config: settings without a tree"),
    ),
    (
        "dump.cfg",
        Refused(
            "the messages of sacctmgr dump; the dump itself is in another file: open ./gold.cfg",
        ),
    ),
    (
        "sacct.txt",
        Refused(
            "the output of sacct, jobs that ran; give it beside a tree: fairscope timeline sshare.txt --jobs ",
        ),
    ),
    ("sacctmgr_acct_wa.txt", Opened("sacctmgr-assoc", 60)),
    ("sacctmgr_acct_wa_f.txt", Opened("sacctmgr-assoc", 60)),
    (
        "sacctmgr_assoc.txt",
        Refused("sacctmgr with right-aligned accounts"),
    ),
    ("sacctmgr_assoc_P.txt", Opened("sacctmgr-assoc", 61)),
    ("sacctmgr_json.json", Opened("sacctmgr-assoc", 61)),
    ("sacctmgr_nP.txt", Opened("sacctmgr-assoc", 61)),
    ("sacctmgr_p.txt", Opened("sacctmgr-assoc", 61)),
    ("sacctmgr_tree.txt", Opened("sacctmgr-assoc", 61)),
    ("sacctmgr_tree_P.txt", Opened("sacctmgr-assoc", 61)),
    ("sacctmgr_tree_fmt.txt", Opened("sacctmgr-assoc", 61)),
    (
        "sacctmgr_tree_fmt2.txt",
        Refused("sacctmgr with right-aligned accounts"),
    ),
    (
        "sacctmgr_user_json.json",
        Refused("JSON of another command of Slurm, not of the shares; run sshare -a --json"),
    ),
    (
        "sacctmgr_user_s_P.txt",
        Refused("sacctmgr show user with associations"),
    ),
    (
        "sacctmgr_user_wa.txt",
        Refused("sacctmgr show user with associations"),
    ),
    (
        "sprio_l.txt",
        Refused(
            "the output of sprio, priorities of waiting jobs; give it beside a tree: fairscope queue sshare.txt --sprio ",
        ),
    ),
    (
        "squeue.txt",
        Refused(
            "the output of squeue, jobs that wait and run; give it beside a tree: fairscope queue sshare.txt --sprio sprio.txt --squeue ",
        ),
    ),
    (
        "sreport.txt",
        Refused("lists no usage from 2026-11-01T00:00:00 to 2026-11-21T23:59:59"),
    ),
    (
        "sreport_P.txt",
        Refused("lists no usage from 2026-11-01T00:00:00 to 2026-11-21T23:59:59"),
    ),
    (
        "sreport_tree.txt",
        Refused("lists no usage from 2026-11-01T00:00:00 to 2026-11-21T23:59:59"),
    ),
    ("sshare.txt", Opened("sshare", 43)),
    ("sshare_A.txt", Opened("sshare", 10)),
    ("sshare_U.txt", Opened("sshare", 10)),
    ("sshare_a.txt", Opened("sshare", 61)),
    ("sshare_al.txt", Opened("sshare", 61)),
    (
        "sshare_e.txt",
        Refused("the list of fields that sshare -e prints; run sshare -a"),
    ),
    ("sshare_o.txt", Opened("sshare", 61)),
    ("sshare_o2.txt", Refused("has right-aligned accounts")),
    ("sshare_u.txt", Opened("sshare", 47)),
    ("sshare_v.txt", Opened("sshare", 61)),
    (
        "sshare_yaml.yaml",
        Refused("YAML, which is not one of the formats; print JSON instead"),
    ),
];

/// Returns the detected format and the number of nodes, or the error.
fn fate(json: &str) -> (String, usize) {
    let value: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    let format = value["source"]["format"].as_str().expect("a format");
    (
        format.to_owned(),
        value["nodes"].as_array().expect("nodes").len(),
    )
}

fn show(path: impl AsRef<std::ffi::OsStr>) -> crate::support::command::Ran {
    Run::fairscope(["show", "--format-out", "json"])
        .arg(path)
        .run()
}

#[test]
fn golden_every_output_is_opened_or_refused_by_name() {
    let Some(folder) = golden("slurm_outputs") else {
        return;
    };
    let mut listed = 0;
    for (file, expected) in OUTPUTS {
        let ran = show(folder.join(file));
        listed += 1;
        match expected {
            Opened(format, nodes) => {
                assert_eq!(ran.code, Some(0), "{file}: {}", ran.stderr);
                println!("{file} | opened as {format}, {nodes} nodes");
                assert_eq!(fate(&ran.text()), ((*format).to_owned(), *nodes), "{file}");
            }
            Refused(words) => {
                let said = ran.failure(2);
                println!("{file} | refused: {}", said.trim());
                assert!(said.contains(words), "{file}: {said}");
                assert_eq!(said.lines().count(), 1, "{file}: {said}");
            }
        }
    }
    let files = std::fs::read_dir(&folder).expect("it is a folder").count();
    assert_eq!(listed + 1, files, "all but the README");
}

/// Returns copies of a text as terminals, mails, web pages and old machines produce them.
fn copies(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let lines = || text.split(|&byte| byte == b'\n');
    let with = |before: &[u8], after: &[u8]| {
        let mut copy = Vec::new();
        for line in lines() {
            copy.extend_from_slice(before);
            copy.extend_from_slice(line);
            copy.extend_from_slice(after);
            copy.push(b'\n');
        }
        copy
    };
    let after = |before: &str| [before.as_bytes(), text].concat();
    let coloured = with(b"\x1b[0m", b"\x1b[1;32m\x1b[0m\x1b[K");
    vec![
        ("a prompt", after("$ sshare -a -l\n")),
        (
            "root's prompt",
            after("[root@head01 ~]# sacctmgr -nP show assoc tree\n"),
        ),
        ("a comment", after("# sshare -a, 2026-11-21\n")),
        (
            "a prompt behind it",
            [text, b"[root@head01 ~]# \n"].concat(),
        ),
        (
            "a prompt with a host",
            after("admin@head01:~$ /opt/slurm/bin/scontrol show assoc_mgr\n"),
        ),
        ("a byte order mark", after("\u{feff}")),
        ("line ends of Windows", with(b"", b"\r")),
        ("colours", coloured),
        ("a mail's quotation", with(b"> ", b"")),
        ("a quotation of a quotation", with(b">> ", b"")),
        ("indentation", with(b"    ", b"")),
        ("fences", [b"```\n", text, b"```\n"].concat()),
        ("gzip", packed(text)),
    ]
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn assert_copies_open(name: &str, text: &[u8], copies: &[(&str, Vec<u8>)]) {
    let rank = |input: &[u8]| {
        Run::fairscope(["show", "-", "--format-out", "csv"])
            .input(input.to_vec())
            .run()
    };
    let expected = rank(text).text();
    for (what, copy) in copies {
        let ran = rank(copy);
        assert_eq!(ran.code, Some(0), "{name} with {what}: {}", ran.stderr);
        assert_eq!(ran.text(), expected, "{name} with {what}");
    }
}

#[test]
fn copied_output_opens_like_the_original_output() {
    for name in [
        "slurm/live/sshare.txt",
        "slurm/live/assoc_mgr.txt",
        "slurm/gold.cfg",
        "slurm/gold/sshare.txt",
    ] {
        let text = std::fs::read(data(name)).expect("it is ours");
        assert_copies_open(name, &text, &copies(&text));
    }
}

#[test]
fn golden_copied_output_opens_like_the_original_output() {
    let Some(folder) = golden("slurm_outputs") else {
        return;
    };
    for (file, fate) in OUTPUTS {
        if matches!(fate, Refused(_)) || file.ends_with("json") {
            continue;
        }
        let text = std::fs::read(folder.join(file)).expect("it is there");
        assert_copies_open(file, &text, &copies(&text));
    }
}

#[test]
fn a_compressed_file_is_opened_anywhere_and_a_bomb_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read(data("slurm/live/sshare.txt")).expect("it is ours");
    let path = folder.path().join("monday.gz");
    write(&path, packed(&text)).expect("it is ours");
    let plain = Run::fairscope(["rank"])
        .arg(data("slurm/live/sshare.txt"))
        .run()
        .success();
    assert_eq!(Run::fairscope(["rank"]).arg(&path).run().success(), plain);
    assert_eq!(
        Run::fairscope(["rank"]).arg(folder.path()).run().success(),
        plain
    );
    write(&path, &packed(&text)[..200]).expect("it is ours");
    let said = Run::fairscope(["rank"]).arg(&path).run().failure(2);
    said.must_contain("is compressed with gzip and damaged or cut off");
    let bomb = |begin: &[u8], megabytes: usize| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(begin).expect("memory takes it");
        let blanks = vec![b'\n'; 1 << 20];
        for _ in 0..megabytes {
            encoder.write_all(&blanks).expect("memory takes it");
        }
        encoder.finish().expect("memory takes it")
    };
    let said = |bytes: Vec<u8>| {
        write(&path, bytes).expect("it is ours");
        Run::fairscope(["rank"]).arg(&path).run().failure(2)
    };
    // A few hundred kilobytes hold half a gigabyte of line ends, each of which would be read.
    let told = said(bomb(&text, 65));
    told.must_contain("unpacks to more than 64 MiB, too much for a file of its length");
    // A long one is cut off at the length of the longest tree.
    let mut begin = text;
    let mut random = Random::new(1);
    for place in 0..5 << 20 {
        let noise = b' ' + u8::try_from(random.below(90)).expect("it is below 90");
        begin.push(if place % 100 == 0 { b'\n' } else { noise });
    }
    let told = said(bomb(&begin, 520));
    told.must_contain("unpacks to more than 512 MiB");
}

#[test]
fn a_small_file_of_zstd_unpacks_to_little() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.csv.zst");
    // 520 blocks of 128 KiB.
    write(&path, zstd(520, None, b"")).expect("it is ours");
    let told = Run::fairscope(["rank"]).arg(&path).run().failure(2);
    told.must_contain("unpacks to more than 64 MiB, too much for a file of its length");
    told.must_contain("zstdcat FILE | fairscope -");
}

/// Writes a file into a folder, with a modification time some hours ago.
fn put(folder: &Path, name: &str, text: &[u8], hours: u64) {
    let path = folder.join(name);
    write(&path, text).expect("it is ours");
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    let time = noon - Duration::from_secs(3600 * hours);
    let file = File::options().write(true).open(&path).expect("it is ours");
    file.set_times(FileTimes::new().set_modified(time))
        .expect("it is ours");
}

#[test]
fn a_directory_is_opened_by_the_contents_of_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let live = |name: &str| std::fs::read(data("slurm/live").join(name)).expect("it is ours");
    put(folder.path(), "tree", &live("sshare.txt"), 0);
    put(folder.path(), "controller.out", &live("assoc_mgr.txt"), 0);
    put(
        folder.path(),
        "settings.bak",
        &live("scontrol_config.txt"),
        0,
    );
    put(folder.path(), "notes.md", b"we should talk to anna\n", 0);
    put(
        folder.path(),
        "jobs",
        b"             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n",
        0,
    );
    let text = Run::fairscope(["check"]).arg(folder.path()).run().text();
    for said in [
        "read tree, controller.out, settings.bak",
        "usage is from",
        "controller.out (assoc-mgr), with 2 decimals",
        "3 files were read: tree, controller.out, settings.bak; 1 was not: notes.md (text in an unknown format)",
    ] {
        assert!(text.contains(said), "{said} is missing:\n{text}");
    }
}

#[test]
fn the_newest_files_of_a_directory_with_several_times_or_clusters_are_opened() {
    let sshare = |cluster: &str, usage: u32| {
        format!(
            "Account|User|Cluster|RawShares|RawUsage\nroot||{cluster}||{usage}\n lab||{cluster}|1|{usage}\n  lab|anna|{cluster}|1|{usage}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a", sshare("gold", 5).as_bytes(), 72);
    put(folder.path(), "b", sshare("gold", 7).as_bytes(), 1);
    let text = Run::fairscope(["check"]).arg(folder.path()).run().text();
    text.must_contain("it contains outputs of different times");
    text.must_contain("a (2 days older than the newest output with usage)");
    let rank = |args: &[&str]| {
        Run::fairscope(["rank", "--columns", "path,usage"])
            .arg(folder.path())
            .args(args)
            .run()
    };
    rank(&[]).text().must_contain("7");
    put(folder.path(), "c", sshare("tin", 9).as_bytes(), 0);
    let text = Run::fairscope(["check"]).arg(folder.path()).run().text();
    text.must_contain("it contains outputs of 2 clusters: gold, tin; tin is shown");
    rank(&[]).text().must_contain("9");
    rank(&["--cluster", "gold"]).text().must_contain("7");
    // Two files of the same second: nothing shows which one is meant.
    put(folder.path(), "b", sshare("gold", 7).as_bytes(), 0);
    let said = rank(&[]).failure(2);
    said.must_contain("contains outputs of 2 clusters: gold, tin; choose one with --cluster NAME");
}

#[test]
fn a_directory_is_opened_by_the_output_that_cuts_no_names() {
    let fixed = "\
Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare
-------------------- ---------- ---------- ----------- ----------- ------------- ----------
root                                          0.000000          90      1.000000
 lab                                     1    1.000000          90      1.000000
  lab                averyvery+          1    1.000000          90      1.000000   1.000000
";
    let whole =
        "Account|User|RawShares|RawUsage\nroot|||90\n lab||1|90\n  lab|averyverylongname|1|90\n";
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a", fixed.as_bytes(), 0);
    put(folder.path(), "b", whole.as_bytes(), 0);
    let text = Run::fairscope(["rank"]).arg(folder.path()).run().text();
    text.must_contain("lab/averyverylongname");
    let text = Run::fairscope(["check"]).arg(folder.path()).run().text();
    text.must_contain("associations and shares are from b");
    // Without it, the cut name is better than none.
    std::fs::remove_file(folder.path().join("b")).expect("it is ours");
    let text = Run::fairscope(["rank"]).arg(folder.path()).run().text();
    text.must_contain("lab/averyvery+");
}

#[test]
fn golden_a_directory_of_every_output_of_sshare_shows_whole_names() {
    let Some(root) = golden("slurm_real/capture-22.05") else {
        return;
    };
    let fixed = ["sshare_a.txt", "sshare_a_l.txt", "sshare_a_m_l.txt"];
    for (fixed, whole) in
        fixed
            .iter()
            .zip(["sshare_a_P.txt", "sshare_a_l_P.txt", "sshare_a_m_l_P.txt"])
    {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [fixed, whole] {
            let bytes = std::fs::read(root.join(name)).expect(name);
            put(folder.path(), name, &bytes, 0);
        }
        let text = Run::fairscope(["rank"]).arg(folder.path()).run().text();
        assert!(
            text.contains("grp_2/averyveryverylongusername01"),
            "{fixed}: {text}"
        );
    }
}

const REPORT: &str = "\
--------------------------------------------------------------------------------
Cluster/Account/User Utilization 2026-11-01T00:00:00 - 2026-11-21T23:59:59 (1814400 secs)
Usage reported in CPU Minutes
--------------------------------------------------------------------------------
Cluster|Account|Login|Proper Name|Used|Energy
gold|root|||1200|0
gold|lab|||1200|0
gold|lab|anna|Anna|900|0
gold|lab|zoe|Zoe|300|0
";

#[test]
fn a_usage_report_is_combined_with_shares_and_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let shares = folder.path().join("assoc");
    let report = folder.path().join("report");
    write(&shares, "Cluster|Account|User|Share\ngold|root||1\ngold| lab||1\ngold|  lab|anna|1\ngold|  lab|bea|2\n").expect("it is ours");
    write(&report, REPORT).expect("it is ours");
    let said = Run::fairscope(["show"]).arg(&report).run().failure(2);
    said.must_contain("is a report of sreport, which has usage but no shares; give shares as well");
    let json = Run::fairscope(["show", "--format-out", "json"])
        .arg(&shares)
        .arg(&report)
        .run()
        .text();
    let value: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(
        value["source"]["usage_unit"],
        "CPU seconds used from 2026-11-01T00:00:00 to 2026-11-21T23:59:59"
    );
    let usage = |path: &str| {
        let nodes = value["nodes"].as_array().expect("nodes");
        let node = nodes
            .iter()
            .find(|node| node["path"] == path)
            .expect("it is there");
        node["usage"].to_string()
    };
    assert_eq!(
        [usage("lab/anna"), usage("lab/bea"), usage("lab"), usage("")],
        ["54000.0", "0.0", "54000.0", "54000.0"]
    );
    let check = Run::fairscope(["check"])
        .arg(&shares)
        .arg(&report)
        .run()
        .text();
    for said in [
        "it has not decayed and is not RawUsage",
        "rounded to 60 seconds",
        "1 association is not in",
        "lab/zoe",
    ] {
        assert!(check.contains(said), "{said} is missing:\n{check}");
    }
}

#[test]
fn of_several_resources_of_sreport_the_one_that_fairshare_counts_is_used() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let shares = folder.path().join("assoc.txt");
    let tree = "Cluster|Account|User|Partition|Share\ngold|root||||1\ngold|root|root||1\ngold|lab|||3\n\
                gold|lab|anna||1\ngold|lab|bea||2\n";
    std::fs::write(&shares, tree.replace("|root||||1", "|root|||1")).expect("it is ours");
    let report = folder.path().join("sreport.txt");
    let line = "-".repeat(80);
    let head = format!(
        "{line}\nCluster/Account/User Utilization 2026-11-01T00:00:00 - 2026-11-21T23:59:59 (1814400 secs)\n\
         Usage reported in TRES Seconds\n{line}\nCluster|Account|Login|Proper Name|TRES Name|Used\n"
    );
    let usage = |rows: &str| {
        std::fs::write(&report, format!("{head}{rows}")).expect("it is ours");
        let run = Run::fairscope(["show", "--format-out", "json"]);
        run.arg(&shares).arg(&report).run()
    };
    let of = |ran: crate::support::command::Ran| {
        let text = ran.text();
        let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let nodes = value["nodes"].as_array().expect("nodes");
        let bea = nodes.iter().find(|node| node["path"] == "lab/bea");
        let unit = value["source"]["usage_unit"].as_str().expect("a unit");
        let unit = unit.split(' ').next().unwrap_or_default().to_owned();
        (unit, bea.expect("bea")["usage"].to_string())
    };
    // The first row is a user's, so that it counts, too.
    let both = "gold|lab|bea||cpu|70\ngold|lab|bea||billing|90\ngold|lab|bea||gres/gpu|4\ngold|lab|anna||cpu|5\n";
    assert_eq!(of(usage(both)), ("billing".to_owned(), "90.0".to_owned()));
    let cpus = "gold|lab|bea||cpu|70\ngold|lab|bea||gres/gpu|4\n";
    assert_eq!(of(usage(cpus)), ("cpu".to_owned(), "70.0".to_owned()));
    let error = usage("gold|lab|bea||gres/gpu|4\n").failure(2);
    error.must_contain("without billing, which fairshare counts");
    usage(both);
    let run = Run::fairscope(["check"]).arg(&shares).arg(&report);
    let text = run.run().text();
    text.must_lack("not in");
}

#[test]
fn the_named_settings_win_over_newer_ones_of_the_directory() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it is ours");
    };
    let live = |name: &str| crate::support::data("slurm/live").join(name);
    let tree = std::fs::read_to_string(live("sshare.txt")).expect("a tree");
    let own = "Configuration data as of 2026-11-23T21:04:04\nPriorityDecayHalfLife = 7-00:00:00\n";
    write("sshare.txt", &tree);
    write("scontrol_config.txt", own);
    let named = tempfile::tempdir().expect("a temporary directory");
    let named = named.path().join("older.txt");
    let older =
        "Configuration data as of 2025-01-01T00:00:00\nPriorityDecayHalfLife = 3-00:00:00\n";
    std::fs::write(&named, older).expect("it is ours");
    let half_life = |more: &[&std::ffi::OsStr]| {
        let run = Run::fairscope(["simulate", "--until", "1d", "--step", "1d"]);
        run.arg(folder.path()).args(more).run().text()
    };
    half_life(&[]).must_contain("halves usage in 7 d");
    let text = half_life(&["--config".as_ref(), named.as_os_str()]);
    text.must_contain("halves usage in 3 d");
}

#[test]
fn a_format_that_does_not_match_the_file_is_refused() {
    for (name, words) in [
        (
            "slurm/live/sshare.txt",
            "sshare, not a resource_group of PBS; leave out --format, or write --format sshare",
        ),
        (
            "slurm/gold.cfg",
            "sacctmgr-dump, not a resource_group of PBS",
        ),
        (
            "slurm/live/scontrol_config.txt",
            "text in an unknown format",
        ),
    ] {
        let said = Run::fairscope(["show", "--format", "pbs"])
            .arg(data(name))
            .run()
            .failure(2);
        assert!(said.contains(words), "{name}: {said}");
    }
    let tree = format!("{}/resource_group", seed());
    Run::fairscope(["show", "--format", "pbs", &tree])
        .run()
        .text();
}

#[test]
fn other_outputs_are_refused_by_their_names() {
    for (text, words) in [
        (
            "          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  PARTITION\n        Weights                               1       1000     100000        100       1000\n",
            "the output of sprio",
        ),
        (
            "   Account                Descr                  Org \n---------- -------------------- -------------------- \n       lab                  lab                  lab \n",
            "the output of sacctmgr show account",
        ),
        (
            "Account|Descr|Org\nlab|lab|lab\n",
            "the output of sacctmgr show account",
        ),
        (
            "      User   Def Acct     Admin \n---------- ---------- --------- \n      anna        lab      None \n",
            "the output of sacctmgr show user",
        ),
        (
            "sshare: error: slurm_persist_conn_open_without_init: failed to open persistent connection\n",
            "contains an error instead of output: sshare: error:",
        ),
        (
            "      Name   Priority  GraceTime    Preempt \n---------- ---------- ---------- ---------- \n    normal          0   00:00:00            \n",
            "the output of sacctmgr show qos",
        ),
    ] {
        let said = Run::fairscope(["show", "-"]).input(text).run().failure(2);
        assert!(said.contains(words), "{text}: {said}");
        assert!(
            said.contains("run ")
                || said.contains("print it again")
                || said.contains("give it beside a tree"),
            "{said}"
        );
    }
}

#[test]
fn golden_a_truncated_file_is_opened_or_refused_with_an_error() {
    let Some(folder) = golden("slurm_outputs") else {
        return;
    };
    for (file, _) in OUTPUTS {
        let text = std::fs::read(folder.join(file)).expect("it is there");
        for part in [3, 5] {
            let cut = text[..text.len() * part / 7].to_vec();
            let ran = Run::fairscope(["show", "-", "--format-out", "json"])
                .input(cut)
                .run();
            match ran.code {
                Some(0) => _ = fate(&ran.text()),
                _ => assert_eq!(ran.failure(2).lines().count(), 1, "{file}"),
            }
        }
    }
}
