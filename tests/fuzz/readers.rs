//! Mutated files through every parser, in this process: many more than through the commands.

use super::campaign::Part;
use super::case::Case;
use super::goldens::Goldens;
use super::mutate::mutated;
use super::parsers;
use crate::support::random::Random;
use fairscope::format::Format;
use std::fs;

#[test]
fn mutated_bytes_never_stop_a_parser() {
    let goldens = Goldens::new();
    let part = Part {
        name: "readers",
        inputs: 1000,
        pieces: "lines",
    };
    let make = |random: &mut Random| {
        let golden = goldens.any(random);
        let bytes = fs::read(&golden.path).expect("it was listed");
        let other = fs::read(&goldens.any(random).path).expect("it was listed");
        // Half of them are read as what they are, the others as what they are not.
        let format = match random.below(2) {
            0 => "",
            _ => Format::ALL[random.below(Format::ALL.len())].name(),
        };
        Case::of_file([format], &mutated(random, &bytes, &other))
    };
    part.run(make, |case| {
        let bytes = case.bytes();
        match Format::named(&case.word(0)) {
            Some(Format::FluxDb) => parsers::database(&bytes),
            _ if bytes.starts_with(b"SQLite format 3") => parsers::database(&bytes),
            format => parsers::source(&bytes, format),
        }
        parsers::line(&bytes);
        parsers::formula(&bytes);
        parsers::keymap(&bytes);
        parsers::keys(&bytes);
        (Ok(()), 0)
    });
}

#[test]
fn every_format_has_a_target_for_cargo_fuzz() {
    let manifest = include_str!("targets/Cargo.toml");
    for format in Format::ALL {
        let name = format.name().replace('-', "_");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        let file = format!("tests/fuzz/targets/src/{name}.rs");
        assert!(fs::exists(&file).expect("it can be looked up"), "{file}");
    }
}
