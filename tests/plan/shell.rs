//! Quoting of words for a shell.

use fairscope::base::shell::{command, quoted};
use proptest::prelude::*;
use std::process::Command;

proptest! {
    #![proptest_config(crate::support::laws(64))]

    #[test]
    fn a_shell_restores_quoted_words(
        words in prop::collection::vec("[^\0]{0,8}|[a-z'\" $`\\\\~*?\n=-]{0,8}", 1..4),
    ) {
        let line = command(words.iter().map(String::as_str));
        let script = format!("printf '%s\\0' {line}");
        let ran = Command::new("sh").arg("-c").arg(script).output().expect("a shell");
        let given: Vec<String> = ran.stdout
            .split(|&byte| byte == 0)
            .map(|word| String::from_utf8(word.to_vec()).expect("UTF-8"))
            .collect();
        prop_assert_eq!(&given[..given.len() - 1], &words[..]);
    }
}

#[test]
fn only_special_characters_are_quoted() {
    assert_eq!(quoted("fairshare=20"), "fairshare=20");
    assert_eq!(quoted("name=a b"), "'name=a b'");
    assert_eq!(quoted("~"), "'~'");
}
