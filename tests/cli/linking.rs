//! The static binary that the README builds needs no library of the machine it runs on.

use crate::support::pages::pages;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the README's command, and the target that it builds for.
fn command() -> (String, String) {
    let readme = pages().remove(0).text;
    let mut lines = readme.lines();
    let line = lines.find(|line| line.contains("+crt-static"));
    let line = line.expect("the README builds a static binary").to_owned();
    let (_, target) = line.split_once("--target ").expect("it names the target");
    let target = target.to_owned();
    (line, target)
}

/// Returns the static binary, if it was built.
fn binary(target: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let folder = folder
        .expect("it is below the folder of builds")
        .join(target);
    let mut built =
        ["dist", "release", "debug"].map(|profile| folder.join(profile).join("fairscope"));
    built.iter_mut().find(|path| path.is_file()).cloned()
}

/// Returns everything that a program prints, or `None` if there is no such program.
fn printed(program: &str, binary: &Path) -> Option<String> {
    let Ok(output) = Command::new(program).arg(binary).output() else {
        println!("skipped: there is no {program} on this machine");
        return None;
    };
    let printed = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&printed).into_owned())
}

#[test]
fn the_static_binary_of_the_readme_needs_no_library() {
    let (command, target) = command();
    if std::env::var_os("FAIRSCOPE_STATIC").is_some() {
        let built = Command::new("sh")
            .args(["-c", &command])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("there is a shell");
        assert!(built.success(), "{command}");
    }
    let Some(binary) = binary(&target) else {
        return println!(
            "skipped: there is no static binary; FAIRSCOPE_STATIC=1 builds it in some minutes, by {command}"
        );
    };
    if let Some(kind) = printed("file", &binary) {
        let is_static = kind.contains("statically linked") || kind.contains("static-pie linked");
        assert!(is_static, "{kind}");
    }
    if let Some(libraries) = printed("ldd", &binary) {
        let has_none = ["not a dynamic executable", "statically linked"];
        let has_none = has_none.iter().any(|none| libraries.contains(none));
        assert!(has_none, "{libraries}");
    }
    let ran = Command::new(&binary).arg("--version").env_clear().output();
    let version = ran.expect("it runs without an environment").stdout;
    assert!(version.starts_with(b"fairscope "), "{version:?}");
}
