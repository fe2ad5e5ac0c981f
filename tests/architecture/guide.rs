//! Files named in the guide for developers exist, and its example runs.

use std::path::Path;

/// The example for other programs, as the guide shows it.
fn example() -> Result<(), Box<dyn std::error::Error>> {
    use fairscope::format::Request;
    use fairscope::model::path_of;
    use fairscope::open::load;
    use fairscope::open::opened::Opened;
    use std::ops::ControlFlow;

    let request = Request::to_open("example:small");
    let loaded = load(&request, &mut |_| ControlFlow::Continue(()))?;
    let scenario = Opened::new(loaded, None).scenario;
    let numbers = scenario.evaluation();
    for &user in scenario.tree().nodes() {
        if numbers.rank(user) == Some(3) {
            let path = path_of(scenario.tree(), user);
            assert_eq!(path.as_deref(), Some("group2/suzy"));
        }
    }
    Ok(())
}

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

#[test]
fn the_example_for_other_programs_runs_and_is_the_one_in_the_guide() {
    example().expect("the example opens a built-in tree");
    let guide = include_str!("../../src/lib.rs");
    let (_, shown) = guide
        .split_once("//! ```\n//! use ")
        .expect("there is an example");
    let (shown, _) = shown.split_once("//! ```").expect("the example ends");
    let without_marks = shown.replace("//!", "");
    assert!(bare(include_str!("guide.rs")).contains(&bare(&without_marks)));
}

/// Returns a text without the blanks and line ends in it.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}
