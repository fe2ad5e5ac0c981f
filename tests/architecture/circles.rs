//! Files do not import each other in a circle. The files of one folder and its head file are one subject and may name
//! each other, as `tree.rs` and `tree/links.rs` do.

use super::module;
use crate::support::source_files;
use std::collections::{BTreeMap, BTreeSet};

/// A token of a file that matters for names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Below,
    Sign(char),
}

/// The names of modules, starting at the root.
type Path = Vec<String>;

/// An imported name, and the name it has in the importing file.
struct Use {
    path: Path,
    name: String,
    /// Whether the import is a re-export.
    is_handed_on: bool,
}

struct File {
    /// The names defined in the file, outside functions and blocks.
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// Every path written out below the imports.
    paths: Vec<Path>,
    /// Every word below the imports.
    words: BTreeSet<String>,
}

/// Returns the words and signs of a file, without comments and string literals.
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
            // This is a character or a lifetime.
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

/// The tokens of a file that are not read yet.
type Tokens<'a> = std::iter::Peekable<std::slice::Iter<'a, Token>>;

/// Reads one tree of imports, up to the token that ends it.
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

/// Keywords that are followed by the name they define.
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
    // Tables written as macros hold definitions of the file.
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

    /// Returns a path written in a file, starting at the root. `None` for paths outside this crate.
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

    /// Returns the file that defines the item a path names. Re-exports are followed.
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

    /// Returns the files that a file needs, without those of its own folder and the head files of the folders above it.
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
    // A file that needs no other file, or that no other file needs, is in no circle.
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
