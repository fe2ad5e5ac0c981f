//! Files named in the guide for developers exist.

use std::path::Path;

/// Returns the files and folders that the crate's guide for developers names.
fn named(text: &str) -> Vec<&str> {
    let guide = text.split_once("# Working on fairscope");
    let (_, guide) = guide.expect("there is a part for developers");
    let lines = guide
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("//!"));
    let quoted = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
    let known = ["src/", "tests/", "assets/", ".ci/", "README.md"];
    let is_path = |word: &&str| known.iter().any(|begin| word.starts_with(begin));
    quoted.filter(is_path).collect()
}

#[test]
fn every_file_named_in_the_guide_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("src/lib.rs")).expect("the sources can be read");
    let named = named(&text);
    assert!(named.len() > 30, "{} are named", named.len());
    let missing = named.iter().filter(|path| !root.join(path).exists());
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "{missing:?}");
}
