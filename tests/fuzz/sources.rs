//! Mutated files through every subcommand and form.

use super::campaign::{Checked, Part};
use super::case::Case;
use super::goldens::Goldens;
use super::mutate::mutated;
use super::promises;
use super::questions::{ORIGINAL, SOURCE, question};
use super::server::Server;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

#[test]
fn mutated_sources_keep_every_promise() {
    let goldens = Goldens::new();
    let part = Part {
        name: "sources",
        inputs: 400,
        pieces: "lines",
    };
    let mut server = Server::new();
    let make = |random: &mut crate::support::random::Random| {
        let golden = goldens.any(random);
        let bytes = fs::read(&golden.path).expect("it was listed");
        let other = fs::read(&goldens.any(random).path).expect("it was listed");
        let bytes = mutated(random, &bytes, &other);
        let is_folder = golden.is_part && random.below(3) > 0;
        let place = if is_folder { "in its folder" } else { "alone" };
        let mut subject = vec![golden.path.as_os_str().as_bytes().to_vec(), place.into()];
        subject.extend(
            question(random, &golden.nodes)
                .into_iter()
                .map(String::into_bytes),
        );
        Case::of_file(subject, &bytes)
    };
    part.run(make, move |case| check(&mut server, case));
}

fn check(server: &mut Server, case: &Case) -> Checked {
    let path = case.word(0);
    let path = Path::new(&path);
    server.clear();
    let name = path.file_name().expect("it is a file");
    let mut source = server.work().join(name);
    let mut original = path.to_owned();
    if case.word(1) == "in its folder" {
        let folder = path.parent().expect("a file is in a folder");
        folder.clone_into(&mut original);
        source = server.work().join("source");
        copy(folder, &source);
        fs::write(source.join(name), case.bytes()).expect("the folder is ours");
    } else {
        fs::write(&source, case.bytes()).expect("the folder is ours");
    }
    let words: Vec<Vec<u8>> = case.subject[2..]
        .iter()
        .map(|word| match word {
            word if word == SOURCE.as_bytes() => source.as_os_str().as_bytes().to_vec(),
            word if word == ORIGINAL.as_bytes() => original.as_os_str().as_bytes().to_vec(),
            word => word.clone(),
        })
        .collect();
    let result = server.run(&words);
    let result = result.and_then(|served| {
        // A file of ours without edits goes out as it came in, its comments and unknown keys included.
        let is_copy =
            words[0] == b"convert" && fs::read(&source).is_ok_and(|bytes| bytes == served.stdout);
        if !is_copy {
            promises::check(&words, &served)?;
        }
        let asks = |word: &str| words.iter().any(|asked| asked == word.as_bytes());
        // Under another policy the TOML is of another scheduler.
        if words[0] == b"convert" && asks("toml") && !asks("--policy") && served.code == 0 {
            check_read_back(server, &source, &served.stdout)?;
        }
        Ok(())
    });
    (result, server.memory())
}

/// Checks that the TOML of a source says what the source says, and stays the same when it is converted again.
fn check_read_back(server: &mut Server, source: &Path, toml: &[u8]) -> Result<(), String> {
    let copy = server.work().join("converted.toml");
    fs::write(&copy, toml).expect("the folder is ours");
    let mut ask = |command: &str, path: &Path, form: [&str; 2]| {
        let path = path.as_os_str().as_bytes();
        let words = [
            command.as_bytes(),
            path,
            form[0].as_bytes(),
            form[1].as_bytes(),
        ];
        server.run(words).map(|served| served.stdout)
    };
    if ask("convert", &copy, ["--to", "toml"])? != toml {
        return Err("the TOML is another one when it is converted again".to_owned());
    }
    let form = ["--format-out", "csv"];
    let (shown, read_back) = (ask("show", source, form)?, ask("show", &copy, form)?);
    let (shown, read_back) = (given(&shown)?, given(&read_back)?);
    if shown != read_back {
        let nodes = shown.iter().zip(&read_back);
        let differs = nodes.into_iter().find(|(one, other)| one != other);
        let (one, other) = (shown.len(), read_back.len());
        return Err(format!(
            "the TOML reads otherwise than its source\n{one} and {other} nodes, {differs:?}"
        ));
    }
    Ok(())
}

/// Returns what a source gives of each node of a table but the root: path, name, kind, depth and shares. Usage may
/// be reconstructed from other columns, and the root's shares and further columns may be what the scheduler printed;
/// that is not converted.
fn given(table: &[u8]) -> Result<Vec<csv::ByteRecord>, String> {
    csv::Reader::from_reader(table)
        .byte_records()
        .skip(1)
        .map(|record| Ok(record?.iter().take(5).collect()))
        .collect::<csv::Result<_>>()
        .map_err(|error| format!("the CSV cannot be read: {error}"))
}

/// Copies the files directly in a folder.
pub(crate) fn copy(folder: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder is ours");
    for entry in fs::read_dir(folder).expect("it can be read") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let name = path.file_name().expect("it is a file");
            fs::copy(&path, to.join(name)).expect("the folder is ours");
        }
    }
}
