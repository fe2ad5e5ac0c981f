//! Letters that look like others: which ones a name may show, from Unicode's lists of scripts and of look-alikes.

use unicode_normalization::UnicodeNormalization as _;
use unicode_script::{Script, ScriptExtension, UnicodeScript as _};
use unicode_security::general_security_profile::IdentifierType;
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::{GeneralSecurityProfile as _, skeleton};

/// Returns whether a character is a form of another, as a ligature is, or a useless sign that looks like another.
pub(super) fn has_double(char: char) -> bool {
    match char {
        // The one letter of Thai and of Lao that has two parts is always written as one.
        '\u{e33}' | '\u{eb3}' => false,
        '\u{e4d}' | '\u{ecd}' => true,
        char if !char.nfkc().eq([char]) => true,
        char => {
            let is_usual = char.identifier_type() == Some(IdentifierType::Inclusion)
                && char.script() != Script::Common;
            let is_allowed = char.identifier_type() == Some(IdentifierType::Recommended);
            let mut bytes = [0; 4];
            let text: &str = char.encode_utf8(&mut bytes);
            !is_usual && !is_allowed && !skeleton(text).eq(char.nfd())
        }
    }
}

/// Returns the script that others are compared with: Latin where there is any, or the first. `None` without letters.
pub(super) fn main_script<'a>(runs: impl Iterator<Item = &'a str>) -> Option<Script> {
    let mut first = None;
    for script in runs.flat_map(str::chars).map(|char| char.script()) {
        match script {
            Script::Latin => return Some(script),
            Script::Common | Script::Inherited | Script::Unknown => {}
            script => first = first.or(Some(script)),
        }
    }
    first
}

/// Returns the words of a name, and what stands between them, in order.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    let is_letter = |char: char| !char.script_extension().is_common();
    let mut rest = name;
    std::iter::from_fn(move || {
        let kind = is_letter(rest.chars().next()?);
        let end = rest.find(|char| is_letter(char) != kind);
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(word)
    })
}

/// Returns whether the letters of a word that are not of the name's main script would be taken for others: the word
/// mixes scripts that no language mixes, or every letter of it looks like one of ASCII.
pub(super) fn is_odd(word: &str, main: Option<Script>) -> bool {
    if word.is_ascii() || main.is_none() || word.chars().all(|char| is_of(char, main)) {
        return false;
    }
    let of_word = AugmentedScriptSet::for_str(word);
    if of_word.is_empty() {
        let others = word.chars().filter(|char| !is_of(*char, main));
        let mut set = AugmentedScriptSet::default();
        others.for_each(|char| set.intersect_with(char.into()));
        // Chinese, Japanese and Korean are written with Latin letters among theirs.
        let is_usual = main == Some(Script::Latin) && (set.hanb || set.jpan || set.kore);
        return !is_usual;
    }
    let is_like_ascii = || skeleton(word).all(|char| char.is_ascii());
    main == Some(Script::Latin) && is_like_ascii()
}

/// Returns whether a character is used in a script, or in all.
pub(super) fn is_of(char: char, script: Option<Script>) -> bool {
    let used_in: ScriptExtension = char.script_extension();
    script.is_none_or(|script| used_in.contains_script(script))
}
