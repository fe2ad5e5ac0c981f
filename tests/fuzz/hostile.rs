//! Hostile names in every format that can hold them, through every subcommand and screen, and into a shell.

use super::campaign::Part;
use super::case::Case;
use super::explorer::Explorer;
use super::keyboard::{happening, happenings};
use super::names::NAMES;
use super::promises;
use super::questions::{ORIGINAL, SOURCE, question};
use super::server::Server;
use crate::support::data;
use crate::support::loading::load_path;
use crate::support::random::Random;
use crate::support::stand_in::StandIn;
use crate::support::trees;
use fairscope::format::convert::convert;
use fairscope::model::{Format, escape_name, path_of};
use fairscope::tui::Message;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Files of the tests, and the name in each that is replaced. JSON needs its own escapes.
const TEMPLATES: [(&str, &str); 9] = [
    ("slurm/gold/sshare.txt", "bob"),
    ("slurm/live/sshare.json", "bob"),
    ("slurm/live/assoc_mgr.txt", "bob"),
    ("slurm/captures/14-partitions/24.11/sshare_a_P.txt", "u_all"),
    (
        "slurm/captures/14-partitions/24.11/sacctmgr_dump.cfg",
        "u_all",
    ),
    ("flux/21_inactive/emulate_in.json", "leaf.1.1"),
    ("flux/21_inactive/view_bank_t.txt", "leaf.1.1"),
    ("flux/21_inactive/view_bank_tP.txt", "leaf.1.1"),
    ("flux/21_inactive/input.db", "leaf.1.1"),
];

/// The commands that plans are made of.
const COMMANDS: [&str; 9] = [
    "sacctmgr", "scontrol", "sshare", "qmgr", "pbsfs", "flux", "cp", "cmp", "pgrep",
];

/// Keys that open every screen, list, page and prompt.
const TOUR: &str = "dip2|34o5Hv!,C?/e;raTFL\"MBIOc";

#[test]
fn hostile_names_keep_every_promise() {
    let part = Part {
        name: "hostile",
        inputs: 40,
        pieces: "letters",
    };
    let mut server = Server::new();
    let shell = Shell::new();
    part.run(make, move |case| {
        let result = check(&mut server, &shell, case);
        (result, server.memory())
    });
}

fn make(random: &mut Random) -> Case {
    let format = if random.below(2) == 0 {
        Format::WRITABLE[random.below(Format::WRITABLE.len())].name()
    } else {
        TEMPLATES[random.below(TEMPLATES.len())].0
    };
    let mut name = NAMES[random.below(NAMES.len())].to_owned();
    if random.below(3) == 0 {
        name.push_str(NAMES[random.below(NAMES.len())]);
    }
    let mut pieces: Vec<Vec<u8>> = name.chars().map(|char| char.to_string().into()).collect();
    match random.below(12) {
        0 => pieces.push(b"\xff".to_vec()),
        1 => pieces.push(b"x".repeat(random.below(5000))),
        _ => {}
    }
    Case::new(
        [format.to_owned(), random.below(1 << 30).to_string()],
        pieces,
    )
}

fn check(server: &mut Server, shell: &Shell, case: &Case) -> Result<(), String> {
    server.clear();
    let name = case.bytes();
    let Some(source) = written(&server.work(), &case.word(0), &name) else {
        return Ok(());
    };
    let mut random = Random::new(case.word(1).parse().expect("a number"));
    let mut nodes = vec![
        escape_name(&name),
        String::from_utf8_lossy(&name).into_owned(),
    ];
    let loaded = load_path(&source).ok();
    if let Some(loaded) = &loaded {
        let tree = &loaded.snapshot.tree;
        let named = tree.nodes().iter().filter(|&&node| tree.name(node) == name);
        nodes.extend(named.filter_map(|&node| path_of(tree, node)));
    }
    for _ in 0..4 {
        ask(server, &source, question(&mut random, &nodes))?;
    }
    for scheduler in ["pbs", "slurm", "flux"] {
        shell.check_plan(server, &source, scheduler, &nodes)?;
    }
    let Some(loaded) = loaded else {
        return Ok(());
    };
    let mut explorer = Explorer::new();
    explorer.send(Message::Loaded(trees::opened(loaded)))?;
    let tour = TOUR
        .chars()
        .flat_map(|key| [format!("press {key}").into_bytes(), b"done".to_vec()]);
    // What is typed is the matter of the random keys.
    let rest = (0..10).map(|_| happening(&mut random, &["bob".to_owned()]));
    let rest = rest.filter(|words| promises::check_text("", words).is_ok());
    let rest: Vec<Vec<u8>> = rest.collect();
    for words in tour.chain([b"press esc".to_vec()]).chain(rest) {
        for happening in happenings(&words) {
            explorer
                .meet(happening)
                .map_err(|error| format!("{error}, after {}", words.escape_ascii()))?;
        }
    }
    Ok(())
}

/// Asks one question about a source.
fn ask(server: &mut Server, source: &Path, question: Vec<String>) -> Result<(), String> {
    let words: Vec<Vec<u8>> = question
        .into_iter()
        // A NUL ends an argument.
        .map(|word| word.replace('\0', ""))
        .map(|word| match word.as_str() {
            SOURCE | ORIGINAL => source.as_os_str().as_bytes().to_vec(),
            _ => word.into_bytes(),
        })
        .collect();
    let line = || {
        let words = words.iter().map(|word| word.escape_ascii().to_string());
        words.collect::<Vec<_>>().join(" ")
    };
    let served = server.run(&words)?;
    promises::check(&words, &served).map_err(|error| format!("{error}\n  {}", line()))
}

/// Writes a source of a format, or like a file of the tests, that holds a name. `None` if it cannot.
fn written(folder: &Path, format: &str, name: &[u8]) -> Option<PathBuf> {
    if let Some((template, victim)) = TEMPLATES.iter().find(|(path, _)| *path == format) {
        return replaced(folder, template, victim, name);
    }
    let mut table = csv::Writer::from_writer(Vec::new());
    table
        .write_record(["parent", "name", "shares", "usage", "type"])
        .ok()?;
    for account in ["one", "two"] {
        table
            .write_record(["", account, "10", "", "account"])
            .ok()?;
        let user = [account.as_bytes(), name, b"3", b"100", b"user"];
        table.write_record(user).ok()?;
        table
            .write_record([account, "bob", "5", "70", "user"])
            .ok()?;
    }
    table
        .write_record([&b""[..], name, b"4", b"", b"account"])
        .ok()?;
    let first = folder.join("first.csv");
    fs::write(&first, table.into_inner().ok()?).ok()?;
    if format == "csv" {
        return Some(first);
    }
    let to = *Format::WRITABLE.iter().find(|to| to.name() == format)?;
    let snapshot = load_path(&first).ok()?.snapshot;
    let made = convert(&snapshot, &snapshot.tree, &snapshot.settings, to).ok()?;
    let folder = folder.join("source");
    fs::create_dir(&folder).ok()?;
    let mut source = folder.clone();
    for (file, bytes) in &made.files {
        if made.files.len() == 1 {
            source = folder.join(file);
        }
        fs::write(folder.join(file), bytes).ok()?;
    }
    Some(source)
}

/// Writes a file of the tests with one name replaced.
fn replaced(folder: &Path, template: &str, victim: &str, name: &[u8]) -> Option<PathBuf> {
    let path = data(template);
    let file = folder.join(path.file_name()?);
    fs::copy(&path, &file).ok()?;
    if path.extension() == Some(OsStr::new("db")) {
        let text = String::from_utf8(name.to_vec()).ok()?;
        let connection = rusqlite::Connection::open(&file).ok()?;
        let statement = "UPDATE association_table SET username = ?1 WHERE username = ?2";
        connection
            .execute(statement, [text.as_str(), victim])
            .ok()?;
        return Some(file);
    }
    let name = if path.extension() == Some(OsStr::new("json")) {
        let text = serde_json::to_string(std::str::from_utf8(name).ok()?).ok()?;
        text.trim_matches('"').as_bytes().to_vec()
    } else {
        name.to_vec()
    };
    let bytes = fs::read(&file).ok()?;
    let mut new = Vec::with_capacity(bytes.len());
    let mut rest = &bytes[..];
    while let Some(place) = memchr::memmem::find(rest, victim.as_bytes()) {
        new.extend(&rest[..place]);
        new.extend(&name);
        rest = &rest[place + victim.len()..];
    }
    new.extend(rest);
    fs::write(&file, new).ok()?;
    Some(file)
}

/// A shell that finds nothing but stand-ins, which write down their arguments.
struct Shell {
    commands: StandIn,
}

impl Shell {
    fn new() -> Self {
        let commands = StandIn::empty();
        let log = commands.folder().join("log");
        let script = format!("printf '%s\\0' \"$@\" >> '{}'", log.display());
        for command in COMMANDS {
            commands.replace(command, &script);
        }
        Self { commands }
    }

    /// Runs what a plan for a name prints, and checks that the name arrives as one argument and nothing else happens.
    fn check_plan(
        &self,
        server: &mut Server,
        source: &Path,
        scheduler: &str,
        nodes: &[String],
    ) -> Result<(), String> {
        let Some(path) = nodes.get(2) else {
            return Ok(());
        };
        let (edit, cluster) = (format!("usage {path}=0"), "c");
        let words = [
            "plan",
            "--for",
            scheduler,
            "--cluster",
            cluster,
            "--format-out",
            "json",
        ];
        let mut words: Vec<Vec<u8>> = words.iter().map(|&word| word.into()).collect();
        words.extend([
            b"--edit".to_vec(),
            edit.into(),
            source.as_os_str().as_bytes().into(),
        ]);
        let served = server.run(&words)?;
        promises::check(&words, &served)?;
        if served.code != 0 {
            return Ok(());
        }
        let plan: serde_json::Value = serde_json::from_slice(&served.stdout)
            .map_err(|error| format!("the plan cannot be read: {error}"))?;
        for part in ["commands", "rollback"] {
            let lines = plan[part].as_array().cloned().unwrap_or_default();
            let lines: Vec<&str> = lines.iter().filter_map(|line| line.as_str()).collect();
            // The commands for PBS copy files, and no name is in them.
            let name = (scheduler != "pbs").then_some(path.as_str());
            self.check_script(&lines.join("\n"), name)
                .map_err(|error| format!("{error}, {part} for {scheduler}"))?;
        }
        Ok(())
    }

    fn check_script(&self, script: &str, path: Option<&str>) -> Result<(), String> {
        let folder = self.commands.folder();
        let log = folder.join("log");
        let _ = fs::remove_file(&log);
        let work = folder.join("work");
        fs::create_dir_all(&work).expect("the folder is ours");
        let shell = |option: &str| {
            let mut command = Command::new("/bin/sh");
            command
                .args([OsStr::new(option), OsStr::from_bytes(script.as_bytes())])
                .current_dir(&work)
                .env_clear()
                .env("PATH", self.commands.bin())
                .stdin(Stdio::null());
            command.output().expect("there is a shell")
        };
        let ran = shell("-c");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let is_broken = said.to_lowercase().contains("syntax") || said.contains("not found");
        if is_broken {
            return Err(format!("the shell says {said:?} about {script:?}"));
        }
        let made = fs::read_dir(&work).expect("it is ours").count();
        if made > 0 {
            let _ = fs::remove_dir_all(&work);
            return Err(format!("files are made by {script:?}"));
        }
        let arguments = fs::read(&log).unwrap_or_default();
        let mut words = arguments.split(|&byte| byte == 0);
        let Some(path) = path else { return Ok(()) };
        let name = path.rsplit_once("one/").map_or(path, |(_, name)| name);
        let is_simple = !name.contains(['\\', '/']);
        let arrives = words.any(|word| memchr::memmem::find(word, name.as_bytes()).is_some());
        if is_simple && script.contains(name) && !arrives {
            return Err(format!("the name is not one argument in {script:?}"));
        }
        Ok(())
    }
}
