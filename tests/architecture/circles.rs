//! No two files need each other: imports go in no circle.
//!
//! A file and those of its folder are one subject and may name each other: `tree.rs` and `tree/links.rs` do.

use super::module;
use crate::support::source_files;
use std::collections::{BTreeMap, BTreeSet};

/// What stands in a file, as far as names go.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Below,
    Sign(char),
}

/// The names of modules from the root on.
type Path = Vec<String>;

/// A name that a file takes from elsewhere, and what it is called here.
struct Use {
    path: Path,
    name: String,
    /// Whether it is only handed on to others.
    is_handed_on: bool,
}

struct File {
    /// What is defined in it, outside of functions and blocks.
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// Every path that is written out below the imports.
    paths: Vec<Path>,
    /// Every word below the imports.
    words: BTreeSet<String>,
}

/// The words and signs of a file, without comments and texts.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let next = chars.peek().copied();
        match char {
            '/' if next == Some('/') => while chars.next().is_some_and(|char| char != '\n') {},
            '"' => {
                while let Some(char) = chars.next() {
                    match char {
                        '\\' => drop(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            // A character, or a lifetime.
            '\'' => {
                let first = chars.next();
                if first == Some('\\') {
                    chars.next();
                    while chars.next().is_some_and(|char| char != '\'') {}
                } else if chars.peek() == Some(&'\'') {
                    chars.next();
                }
            }
            ':' if next == Some(':') => {
                chars.next();
                tokens.push(Token::Below);
            }
            _ if char.is_alphanumeric() || char == '_' => {
                let mut word = char.to_string();
                while let Some(char) = chars.next_if(|char| char.is_alphanumeric() || *char == '_')
                {
                    word.push(char);
                }
                tokens.push(Token::Word(word));
            }
            _ if char.is_whitespace() => {}
            _ => tokens.push(Token::Sign(char)),
        }
    }
    tokens
}

/// The tokens of a file that are still to be read.
type Tokens<'a> = std::iter::Peekable<std::slice::Iter<'a, Token>>;

/// Reads one tree of imports, up to what ends it.
fn read_use(tokens: &mut Tokens<'_>, begin: &[String], uses: &mut Vec<Use>) {
    let mut path = begin.to_vec();
    let mut name = None;
    while let Some(token) = tokens.next_if(|token| !matches!(token, Token::Sign(',' | '}' | ';'))) {
        match token {
            Token::Word(word) if word == "as" => name = tokens.next().and_then(word_of),
            Token::Word(word) => path.push(word.clone()),
            Token::Sign('{') => {
                while tokens.next_if_eq(&&Token::Sign('}')).is_none() {
                    read_use(tokens, &path, uses);
                    tokens.next_if_eq(&&Token::Sign(','));
                }
                return;
            }
            Token::Below | Token::Sign(_) => {}
        }
    }
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = name.or_else(|| path.last().cloned());
    uses.extend(name.map(|name| Use {
        path,
        name,
        is_handed_on: false,
    }));
}

fn word_of(token: &Token) -> Option<String> {
    match token {
        Token::Word(word) => Some(word.clone()),
        _ => None,
    }
}

/// What is behind a word that names what comes next.
const DEFINING: &[&str] = &[
    "fn", "struct", "enum", "trait", "type", "const", "static", "union",
];

fn read(text: &str) -> File {
    let tokens = tokens(text);
    let mut tokens = tokens.iter().peekable();
    let mut file = File {
        items: BTreeSet::new(),
        uses: Vec::new(),
        paths: Vec::new(),
        words: BTreeSet::new(),
    };
    let mut depth = 0_usize;
    // The tables of macros hold definitions of the file.
    let mut is_macro = false;
    let mut is_public = false;
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) if word == "pub" => is_public = true,
            Token::Sign(';') => is_public = false,
            Token::Word(word) if word == "use" => {
                let count = file.uses.len();
                read_use(&mut tokens, &[], &mut file.uses);
                for used in &mut file.uses[count..] {
                    used.is_handed_on = is_public;
                }
            }
            Token::Word(word) => {
                let defined = tokens.peek().and_then(|token| word_of(token));
                if DEFINING.contains(&&word[..]) && (depth == 0 || is_macro && depth == 1) {
                    file.items.extend(defined);
                }
                let mut path = vec![word.clone()];
                while tokens.next_if_eq(&&Token::Below).is_some() {
                    match tokens.next_if(|token| matches!(token, Token::Word(_))) {
                        Some(token) => path.extend(word_of(token)),
                        None => break,
                    }
                }
                file.words.extend(path.iter().cloned());
                if path.len() > 1 {
                    file.paths.push(path);
                }
            }
            Token::Sign('!') if depth == 0 => is_macro = true,
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => {
                is_public = false;
                depth = depth.saturating_sub(1);
                is_macro &= depth > 0;
            }
            Token::Below | Token::Sign(_) => {}
        }
    }
    file
}

struct House(BTreeMap<Path, File>);

impl House {
    fn of_sources() -> Self {
        let files = source_files().into_iter().map(|path| {
            let mut module = module(&path);
            if module == ["lib"] {
                module.clear();
            }
            let text = std::fs::read_to_string(path).expect("the sources can be read");
            (module, read(&text))
        });
        Self(files.collect())
    }

    /// A path written in a file, from the root on; `None` for what is not ours.
    fn absolute(&self, file: &Path, path: &[String]) -> Option<Path> {
        let mut whole = file.clone();
        let mut rest = path;
        match &path[0][..] {
            "crate" => return Some(path[1..].to_vec()),
            "self" => rest = &path[1..],
            "super" => {
                while let [first, others @ ..] = rest
                    && first == "super"
                {
                    whole.pop();
                    rest = others;
                }
            }
            first => {
                whole.push(first.to_owned());
                self.0.get(&whole)?;
                rest = &path[1..];
            }
        }
        whole.extend_from_slice(rest);
        Some(whole)
    }

    /// The file that defines what a path names, through what other files hand on.
    fn defining(&self, path: &[String], hops: usize) -> Option<Path> {
        let mut module = Path::new();
        let mut rest = path;
        while let [first, others @ ..] = rest {
            let mut below = module.clone();
            below.push(first.clone());
            if !self.0.contains_key(&below) {
                break;
            }
            (module, rest) = (below, others);
        }
        let file = self.0.get(&module)?;
        let item = rest.first()?;
        let handed_on = file.uses.iter().find(|used| used.name == *item);
        match handed_on.filter(|_| !file.items.contains(item) && hops > 0) {
            Some(used) => {
                let mut path = self.absolute(&module, &used.path)?;
                path.extend_from_slice(&rest[1..]);
                self.defining(&path, hops - 1)
            }
            None => Some(module),
        }
    }

    /// The files that a file needs, those of its own folder and the heads of the folders it lies in left out.
    fn needed(&self, module: &Path) -> BTreeSet<Path> {
        let file = &self.0[module];
        let is_needed = |used: &&Use| !used.is_handed_on || file.words.contains(&used.name);
        let used = file.uses.iter().filter(is_needed);
        let imported = used.filter_map(|used| self.absolute(module, &used.path));
        let written = file.paths.iter().filter_map(|path| {
            match file.uses.iter().find(|used| used.name == path[0]) {
                Some(used) => {
                    let mut whole = self.absolute(module, &used.path)?;
                    whole.extend_from_slice(&path[1..]);
                    Some(whole)
                }
                None => self.absolute(module, path),
            }
        });
        let found = imported.chain(written);
        let found = found.filter_map(|path| self.defining(&path, 8));
        found
            .filter(|other| !other.starts_with(module) && !module.starts_with(other))
            .collect()
    }
}

#[test]
fn files_do_not_import_each_other_in_a_circle() {
    let house = House::of_sources();
    let mut needs: BTreeMap<&Path, BTreeSet<Path>> = house
        .0
        .keys()
        .map(|module| (module, house.needed(module)))
        .collect();
    assert!(needs.values().any(|needed| !needed.is_empty()));
    // Whoever needs nothing any more, or is needed by nobody, is in no circle.
    loop {
        let needed: BTreeSet<Path> = needs.values().flatten().cloned().collect();
        let count = needs.len();
        needs.retain(|module, needs| !needs.is_empty() && needed.contains(*module));
        let left: BTreeSet<Path> = needs.keys().map(|module| (*module).clone()).collect();
        for needed in needs.values_mut() {
            needed.retain(|module| left.contains(module));
        }
        if needs.len() == count {
            break;
        }
    }
    let circles: Vec<String> = needs
        .iter()
        .map(|(module, needed)| {
            let needed: Vec<String> = needed.iter().map(|path| path.join("/")).collect();
            format!("{} needs {}", module.join("/"), needed.join(", "))
        })
        .collect();
    assert!(circles.is_empty(), "in circles:\n{}", circles.join("\n"));
}
