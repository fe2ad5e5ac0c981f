//! `fairscope page`: what is in the page, that it says so, and that no name gets out of the element that holds it.

use super::seed;
use crate::shown::HOSTILE;
use crate::support::command::{Ran, Run};
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::markup::Markup;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A page as a release has it, but for its program.
const RELEASE: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-AAAA'\">\n\
    <title>fairscope</title>\n</head>\n<body>\n<pre id=\"screen\"></pre>\n\
    <script id=\"site\" type=\"application/json\">null</script>\n\
    <script>\"use strict\"; const a = 1 < 2 && 3 > 2;</script>\n</body>\n</html>\n";

/// A folder with the page of a release.
struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("release.html"), RELEASE).unwrap();
        Self { folder }
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file with a time.
    fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>, modified: i64) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let time = Timespec {
            tv_sec: modified,
            tv_nsec: 0,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        utimensat(CWD, &path, &times, AtFlags::empty()).unwrap();
        path
    }

    /// Runs the command in the folder.
    fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        Run::fairscope(["page", "--page", "release.html", "--out", "site"])
            .args(args)
            .folder(self.folder.path())
            .run()
    }

    /// Returns the page that was written.
    fn page(&self) -> String {
        std::fs::read_to_string(self.path("site/fairscope.html")).expect("a page was written")
    }

    /// Returns what the page is told.
    fn told(&self) -> Value {
        told(&self.page())
    }
}

/// Returns the text of the element that holds a tree, read as JSON, after checking that the page has the elements of the
/// release and nothing else changed but the title.
fn told(page: &str) -> Value {
    let before = Markup::read(RELEASE);
    let after = Markup::read(page);
    assert_eq!(before.elements.len(), after.elements.len(), "{page}");
    for (before, after) in before.elements.iter().zip(&after.elements) {
        assert_eq!(before.name, after.name);
        assert_eq!(before.attributes, after.attributes);
        let is_told = before.attribute("id") == "site" || before.name == "title";
        if !is_told && before.children.is_empty() {
            assert_eq!(before.text, after.text);
        }
    }
    let mut places = after
        .all("script")
        .filter(|it| it.attribute("id") == "site");
    let text = &places.next().expect("one element").text;
    assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    let told: Value = serde_json::from_str(text).expect("it is JSON");
    assert_eq!(after.one("title").text, told["title"].as_str().unwrap());
    told
}

/// Returns the bytes of a file in a page.
fn unpacked(file: &Value) -> Vec<u8> {
    let packed = STANDARD.decode(file["gzip"].as_str().unwrap()).unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Returns the paths of the files in a page.
fn paths(told: &Value) -> Vec<&str> {
    let files = told["files"].as_array().unwrap().iter();
    files.map(|file| file["path"].as_str().unwrap()).collect()
}

/// Writes the files of a page as the page has them, and returns what it opens.
fn opened(told: &Value, folder: &Path) -> Vec<PathBuf> {
    for file in told["files"].as_array().unwrap() {
        let path = folder.join(file["path"].as_str().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, unpacked(file)).unwrap();
    }
    let open = told["open"].as_array().unwrap().iter();
    open.map(|path| folder.join(path.as_str().unwrap()))
        .collect()
}

/// Returns the ranking of sources.
fn ranking<S: AsRef<OsStr>>(sources: impl IntoIterator<Item = S>) -> String {
    let run = Run::fairscope(["rank", "-o", "csv"]).args(sources).run();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.text()
}

#[test]
fn the_files_of_pbs_are_in_the_page_as_they_are() {
    let site = Site::new();
    for (name, modified) in [
        ("resource_group", 1_700_000_000),
        ("usage", 1_700_000_100),
        ("sched_config", 1_700_000_200),
    ] {
        let bytes = std::fs::read(Path::new(&seed()).join(name)).unwrap();
        site.write(Path::new("home/sched_priv").join(name), bytes, modified);
    }
    site.write("home/sched_priv/holidays", "a secret", 0);
    let said = site.run(["home"]).success();
    said.must_begin("site/fairscope.html  ");
    said.must_contain("The page holds resource_group, usage and sched_config as they are. ");
    said.must_contain("with the names of users; --anonymise KEYFILE writes");
    let told = site.told();
    assert_eq!(
        paths(&told),
        [
            "sched_priv/resource_group",
            "sched_priv/usage",
            "sched_priv/sched_config"
        ]
    );
    assert_eq!(told["open"], json!(["sched_priv"]));
    assert_eq!(told["files"][1]["modified"], 1_700_000_100);
    for key in ["link", "policy", "format", "cluster"] {
        assert_eq!(told[key], Value::Null, "{key}");
    }
    assert_eq!(told["settings"], json!([]));
    let title = told["title"].as_str().unwrap();
    title.must_begin("Shares of sched_priv, 20");
    title.must_end(" UTC");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        ranking(opened(&told, folder.path())),
        ranking([site.path("home")])
    );
    // The next run replaces it.
    site.run(["home", "--title", "Ours"]).success();
    assert_eq!(site.told()["title"], "Ours");
}

#[test]
fn files_of_pbs_at_other_places_are_found_by_their_names_in_the_page() {
    let site = Site::new();
    let folder = PathBuf::from(seed());
    let copy = |name: &str, to: &str| {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        site.write(to, bytes, 1_700_000_000)
    };
    copy("resource_group", "pbs/groups.txt");
    copy("usage", "other/usage-of-may");
    let args = ["pbs/groups.txt", "--usage", "other/usage-of-may"];
    site.run(args).success();
    let told = site.told();
    assert_eq!(paths(&told), ["pbs/resource_group", "pbs/usage"]);
    assert_eq!(told["open"], json!(["pbs"]));
    let out = tempfile::tempdir().unwrap();
    let usage = site.path(args[2]);
    let group = site.path(args[0]);
    let named = [group.as_os_str(), OsStr::new("--usage"), usage.as_os_str()];
    assert_eq!(ranking(opened(&told, out.path())), ranking(named));
    site.run(["pbs/groups.txt"]).stderr.must_lack("usage-of");
    assert_eq!(paths(&site.told()), ["groups.txt"]);
}

#[test]
fn outputs_of_slurm_are_in_the_page_and_other_files_of_the_folder_are_not() {
    let site = Site::new();
    let gold = data("slurm/gold");
    for name in ["sshare.txt", "scontrol_config.txt"] {
        let bytes = std::fs::read(gold.join(name)).unwrap();
        site.write(Path::new("dump").join(name), bytes, 1_700_000_000);
    }
    site.write("dump/notes.txt", "our passwords\n", 0);
    let ran = site.run(["dump"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let told = site.told();
    assert_eq!(
        paths(&told),
        ["dump/sshare.txt", "dump/scontrol_config.txt"]
    );
    assert_eq!(told["open"], json!(["dump"]));
    told["title"]
        .as_str()
        .unwrap()
        .must_begin("Shares of gold, 20");
    let out = tempfile::tempdir().unwrap();
    assert_eq!(ranking(opened(&told, out.path())), ranking([&gold]));
    // Named one by one they are opened in their order, also where they lie apart.
    let config = std::fs::read(gold.join("scontrol_config.txt")).unwrap();
    site.write("etc/config.txt", config, 1_700_000_000);
    let options = [
        "dump/sshare.txt",
        "--config",
        "etc/config.txt",
        "--policy",
        "classic",
        "--set",
        "FairShareDampeningFactor=3",
        "--cluster",
        "gold",
        "--format",
        "sshare",
    ];
    site.run(options).success();
    let told = site.told();
    assert_eq!(told["open"], json!(["dump/sshare.txt", "etc/config.txt"]));
    assert_eq!(told["policy"], "classic");
    assert_eq!(told["settings"], json!([["FairShareDampeningFactor", "3"]]));
    assert_eq!(told["cluster"], "gold");
    assert_eq!(told["format"], "sshare");
    site.run(["dump", "--config", "etc/config.txt"]);
    let told = site.told();
    assert_eq!(
        told["open"],
        json!([
            "dump/sshare.txt",
            "dump/scontrol_config.txt",
            "etc/config.txt"
        ])
    );
}

#[test]
fn of_a_series_the_newest_dump_is_in_the_page() {
    let site = Site::new();
    let row = "parent,name,shares,usage,type\n,ann,1,";
    for day in 1..4 {
        let name = format!("dumps/tree-2026-11-0{day}.csv");
        site.write(name, format!("{row}{day},user\n"), 0);
    }
    let said = site.run(["dumps"]).success();
    said.must_contain("holds tree-2026-11-03.csv, the newest of 3 dumps, as it is. ");
    let told = site.told();
    assert_eq!(told["open"], json!(["tree-2026-11-03.csv"]));
    assert_eq!(
        told["title"],
        "Shares of tree-2026-11-03.csv, 2026-11-03 00:00 UTC"
    );
}

#[test]
fn with_pseudonyms_no_name_and_no_file_is_in_the_page() {
    let site = Site::new();
    let gold = data("slurm/gold");
    let ran = site.run([
        gold.as_os_str(),
        OsStr::new("--anonymise"),
        OsStr::new("key"),
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stderr.must_contain("columns are left out");
    let said = ran.text();
    said.must_contain("one tree with pseudonyms instead of names");
    said.must_lack("gold");
    let told = site.told();
    assert_eq!(paths(&told), ["tree.toml"]);
    assert_eq!(told["open"], json!(["tree.toml"]));
    told["title"]
        .as_str()
        .unwrap()
        .must_begin("Shares of an anonymised cluster, 20");
    let tree = String::from_utf8(unpacked(&told["files"][0])).unwrap();
    for name in ["alice", "bob", "physics", "science", "gold", "sshare"] {
        assert!(!tree.contains(name), "{name}: {tree}");
        let text = told.to_string();
        assert!(!text.contains(&format!("\"{name}")), "{name}");
    }
}

#[test]
fn what_a_page_cannot_read_becomes_one_tree() {
    let site = Site::new();
    let database = data("flux/21_inactive/input.db");
    let ran = site.run([&database]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.text()
        .must_contain("one tree in fairscope's own format, because a page cannot read a database.");
    let told = site.told();
    assert_eq!(paths(&told), ["tree.toml"]);
    let out = tempfile::tempdir().unwrap();
    assert_eq!(ranking(opened(&told, out.path())), ranking([&database]));
    let piped = Run::fairscope(["page", "--page", "release.html", "--out", "site", "-"])
        .folder(site.path(""))
        .input("parent,name,shares,usage,type\n,ann,1,2,user\n")
        .run();
    piped
        .success()
        .must_contain("because standard input can be read only once.");
    assert_eq!(site.told()["title"], "Shares of this cluster");
}

#[test]
fn what_is_no_tree_of_files_is_refused_with_what_to_do() {
    let site = Site::new();
    site.write(
        "tree.csv",
        "parent,name,shares,usage,type\n,ann,1,2,user\n",
        0,
    );
    site.write(
        "scenario.toml",
        "fairscope = 1\nedits = \"shares ann=2\"\n[source]\npath = \"tree.csv\"\n",
        0,
    );
    for (args, expected) in [
        (
            &["--live", "slurm"][..],
            "fairscope: a page holds files; save those of the scheduler first, and give the directory: fairscope snapshot \
             --live slurm --out DIR\n",
        ),
        (
            &["example:small"],
            "fairscope: every page has the built-in trees; a link opens one of them, such as fairscope.html#example=small\n",
        ),
        (
            &["scenario.toml"],
            "fairscope: scenario.toml is a scenario, which names its tree by a path, and a page has no other files; give the \
             tree, or write it with the edits first: fairscope convert FILE --to toml --out tree.toml\n",
        ),
    ] {
        assert_eq!(site.run(args).failure(2), expected);
    }
    for link in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "java\nscript:alert(1)",
        " https://a.example",
        "https:",
        "https:a.example",
        "file:///etc/passwd",
        "a b",
        "\"x",
        "\\\\a.example",
        "",
    ] {
        let said = site.run(["tree.csv", "--link", link]).failure(2);
        said.must_contain("'--link <URL>'");
        assert_eq!(said.trim_end().lines().count(), 3, "{said}");
    }
    for link in [
        "https://hpc.example/a?b=c:d#e",
        "HTTP://hpc.example",
        "../shares.html",
        "/a/b:c",
        "?x",
    ] {
        site.run(["tree.csv", "--link", link]).success();
        assert_eq!(site.told()["link"], link);
    }
}

#[test]
fn only_the_page_of_a_release_takes_a_tree() {
    let site = Site::new();
    let tree = site.write(
        "tree.csv",
        "parent,name,shares,usage,type\n,ann,1,2,user\n",
        0,
    );
    let refused = |page: &str| {
        Run::fairscope(["page", "tree.csv", "--out", "out", "--page", page])
            .folder(site.path(""))
            .run()
            .failure(2)
    };
    site.run(["tree.csv"]).success();
    refused("site/fairscope.html")
        .must_begin("fairscope: site/fairscope.html holds a tree already; ");
    let twice = RELEASE.replace(
        "<pre id=\"screen\"></pre>",
        "<script id=\"site\" type=\"application/json\">null</script>",
    );
    for (name, text) in [
        ("none.html", RELEASE.replace(" id=\"site\"", "")),
        ("twice.html", twice),
        (
            "untitled.html",
            RELEASE.replace("<title>fairscope</title>", ""),
        ),
        ("cut.html", RELEASE.split("null").next().unwrap().to_owned()),
    ] {
        site.write(name, text, 0);
        let said = refused(name);
        said.must_begin(&format!(
            "fairscope: {name} is no page of fairscope that takes a tree; "
        ));
    }
    site.write("bytes.html", [&b"\xff"[..], RELEASE.as_bytes()].concat(), 0);
    refused("bytes.html").must_contain("is no page of fairscope");
    let large = std::fs::File::create(site.path("large.html")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    refused("large.html").must_contain("is larger than 64 MiB");
    refused("gone.html").must_contain("no such file");
    assert!(!site.path("out").exists());
    // Without a page beside the program it says where to get one.
    let missing = Run::fairscope(["page", "--out", "out"])
        .arg(&tree)
        .folder(site.path(""));
    let said = missing.run().failure(2);
    said.must_begin("fairscope: there is no fairscope.html beside the program; download ");
    said.must_contain("--page FILE");
}

#[test]
fn neither_a_source_nor_the_page_that_is_read_is_written() {
    let site = Site::new();
    let rows = "parent,name,shares,usage,type\n,ann,1,2,user\n";
    let tree = site.write("trees/fairscope.html", rows, 0);
    let page = site.write("release/fairscope.html", RELEASE, 0);
    let run = |args: &[&str]| {
        let run = Run::fairscope(["page"]).args(args);
        run.folder(site.path("")).run()
    };
    let source = [
        "trees/fairscope.html",
        "--page",
        "release.html",
        "--out",
        "trees",
    ];
    run(&source)
        .failure(2)
        .must_contain("is the source, which fairscope never writes to");
    std::os::unix::fs::symlink(&tree, site.path("link.html")).unwrap();
    std::fs::create_dir(site.path("linked")).unwrap();
    std::os::unix::fs::symlink(&tree, site.path("linked/fairscope.html")).unwrap();
    let through_link = [
        "trees/fairscope.html",
        "--page",
        "release.html",
        "--out",
        "linked",
    ];
    run(&through_link).failure(2).must_contain("is the source");
    let over_page = [
        "trees/fairscope.html",
        "--page",
        "release/fairscope.html",
        "--out",
        "release",
    ];
    run(&over_page)
        .failure(2)
        .must_contain("is the page that is read; name another directory with --out");
    assert_eq!(std::fs::read_to_string(tree).unwrap(), rows);
    assert_eq!(std::fs::read_to_string(page).unwrap(), RELEASE);
    // A page among the files of the source is that of an earlier run.
    for name in ["resource_group", "usage", "sched_config"] {
        std::fs::copy(
            Path::new(&seed()).join(name),
            site.path("release").join(name),
        )
        .unwrap();
    }
    for _ in 0..2 {
        run(&["release", "--page", "release.html", "--out", "release"]).success();
    }
}

#[test]
fn hostile_names_stay_in_the_element_that_holds_them() {
    let ends = [
        &b"</script><script>alert(1)</script>"[..],
        b"</SCRIPT ><!--<script>",
        b"</title><b>&amp;\"'",
        "a\u{2028}b\u{2029}c]]>".as_bytes(),
        b"null\\u003c/script\\",
    ];
    for &name in HOSTILE.iter().chain(&ends) {
        let site = Site::new();
        let mut bytes = b"parent,name,shares,usage,type\n,\"".to_vec();
        bytes.extend_from_slice(
            &name
                .iter()
                .copied()
                .filter(|byte| *byte != b'"')
                .collect::<Vec<_>>(),
        );
        bytes.extend_from_slice(b"\",1,2,user\n");
        let file: Vec<u8> = name.iter().copied().filter(|byte| *byte != b'/').collect();
        let file = OsStr::from_bytes(&file);
        site.write(file, &bytes, 1_700_000_000);
        let ran = site.run([file]);
        assert_eq!(ran.code, Some(0), "{file:?}: {}", ran.stderr);
        ran.text().must_lack("<script>alert(1)</script>\n<");
        let told = site.told();
        assert_eq!(unpacked(&told["files"][0]), bytes);
        assert_eq!(told["open"], json!(paths(&told)));
        let title = String::from_utf8_lossy(name).into_owned();
        site.run([OsStr::new("--title"), OsStr::new(&title), file]);
        site.told();
        // An address with such signs is refused, or is as it was.
        let run = Run::fairscope([
            "page",
            "--page",
            "release.html",
            "--out",
            "linked",
            "--link",
        ]);
        let ran = run.arg(&title).arg(file).folder(site.path("")).run();
        if ran.code == Some(0) {
            let page = std::fs::read_to_string(site.path("linked/fairscope.html")).unwrap();
            assert_eq!(told_link(&page), title);
        } else {
            ran.failure(2).must_contain("'--link <URL>'");
        }
    }
}

/// Returns the link that a page is told.
fn told_link(page: &str) -> String {
    told(page)["link"].as_str().unwrap().to_owned()
}

#[test]
fn a_name_that_means_something_else_to_a_page_gets_a_folder() {
    let site = Site::new();
    let rows = "parent,name,shares,usage,type\n,ann,1,2,user\n";
    for name in ["example:small", "-"] {
        site.write(name, rows, 0);
        site.run([format!("./{name}")]).success();
        assert_eq!(site.told()["open"], json!([format!("files/{name}")]));
    }
}
