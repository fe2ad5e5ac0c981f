//! A strict reader of the pages that fairscope publishes: what a browser would forgive is a failure here.

use std::collections::BTreeMap;

/// Elements that have no end tag.
const VOID: [&str; 3] = ["meta", "br", "wbr"];

/// Elements whose end tag HTML lets go where their parent ends, or where one of these begins.
const OPTIONAL: [(&str, &[&str]); 2] = [("li", &["li"]), ("p", &["li", "p", "ul", "details"])];

/// An element of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
    /// The text of the element and of those in it, read back.
    pub(crate) text: String,
    /// The places of the elements in it, among all elements of the page.
    pub(crate) children: Vec<usize>,
    /// The number of elements around it.
    pub(crate) depth: usize,
}

impl Element {
    /// Returns an attribute, empty if it has none of that name.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// Whether it is of a class.
    pub(crate) fn is_of(&self, class: &str) -> bool {
        self.attribute("class").split(' ').any(|it| it == class)
    }
}

/// A page, its elements in the order of their start tags.
pub(crate) struct Markup {
    pub(crate) elements: Vec<Element>,
}

impl Markup {
    /// Reads a page. Panics where a tag is not closed that HTML wants closed, an attribute not quoted that needs it, or a
    /// sign not escaped.
    #[track_caller]
    pub(crate) fn read(page: &str) -> Self {
        let page = page
            .strip_prefix("<!DOCTYPE html>")
            .expect("a page begins with its type");
        let mut markup = Self {
            elements: Vec::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        let mut rest = page;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("</") {
                let (name, after) = after.split_once('>').expect("an end tag ends");
                markup.end(&mut open, |last| last != name);
                let place = open.pop().expect("an end tag has a start tag");
                assert_eq!(markup.elements[place].name, name, "before {after:.80}");
                rest = after;
            } else if let Some(after) = rest.strip_prefix('<') {
                rest = markup.element(&mut open, after);
            } else {
                let end = rest.find('<').unwrap_or(rest.len());
                let text = unescaped(&rest[..end]);
                assert!(
                    !open.is_empty() || text.trim().is_empty(),
                    "text outside: {text}"
                );
                for &place in &open {
                    markup.elements[place].text.push_str(&text);
                }
                rest = &rest[end..];
            }
        }
        let left: Vec<_> = open.iter().map(|&it| &markup.elements[it].name).collect();
        assert!(left.is_empty(), "never closed: {left:?}");
        markup
    }

    /// Ends the innermost elements that need no end tag, as long as they are to end.
    fn end(&self, open: &mut Vec<usize>, is_ended: impl Fn(&str) -> bool) {
        while let Some(&place) = open.last() {
            let name = &self.elements[place].name[..];
            if !OPTIONAL.iter().any(|rule| rule.0 == name) || !is_ended(name) {
                return;
            }
            open.pop();
        }
    }

    /// Reads a start tag after its `<`, and what follows if it is code. Returns the rest.
    fn element<'a>(&mut self, open: &mut Vec<usize>, text: &'a str) -> &'a str {
        let is_name = |char: char| char.is_ascii_alphanumeric();
        let end = text.find(|char| !is_name(char)).expect("a tag ends");
        let (name, mut rest) = text.split_at(end);
        assert!(!name.is_empty(), "a < stands alone before {text:.80}");
        self.end(open, |last| {
            let mut rules = OPTIONAL.iter().filter(|rule| rule.0 == last);
            rules.any(|rule| rule.1.contains(&name))
        });
        let mut element = Element {
            name: name.to_owned(),
            depth: open.len(),
            ..Element::default()
        };
        loop {
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let pair = rest.strip_prefix(' ').expect("a blank between attributes");
            let end = pair.find(['=', ' ', '>']).expect("an attribute ends");
            let key = pair[..end].to_owned();
            let value;
            (value, rest) = match pair[end..].strip_prefix('=') {
                None => ("", &pair[end..]),
                Some(after) => match after.strip_prefix('"') {
                    Some(after) => after.split_once('"').expect("a value ends"),
                    None => bare(after),
                },
            };
            let before = element.attributes.insert(key.clone(), unescaped(value));
            assert!(before.is_none(), "{key} stands twice in {name}");
        }
        let place = self.elements.len();
        if let Some(&parent) = open.last() {
            self.elements[parent].children.push(place);
        }
        let is_void = VOID.contains(&name);
        if matches!(name, "style" | "script") {
            let code;
            let end = format!("</{name}>");
            (code, rest) = rest.split_once(&end).expect("code ends");
            code.clone_into(&mut element.text);
        } else if !is_void {
            open.push(place);
        }
        self.elements.push(element);
        rest
    }

    /// Returns the elements of a name.
    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Element> + use<'a> {
        let name = name.to_owned();
        self.elements.iter().filter(move |it| it.name == name)
    }

    /// Returns the one element of a name.
    #[track_caller]
    pub(crate) fn one(&self, name: &str) -> &Element {
        let found: Vec<_> = self.all(name).collect();
        assert_eq!(found.len(), 1, "{name}");
        found[0]
    }

    /// Returns the elements directly in another.
    pub(crate) fn children<'a>(&'a self, of: &'a Element) -> impl Iterator<Item = &'a Element> {
        of.children.iter().map(|&place| &self.elements[place])
    }

    /// Returns the rows of a table as texts, the headings first.
    pub(crate) fn rows(&self, table: &Element) -> Vec<Vec<String>> {
        let parts = self.children(table);
        let rows = parts.flat_map(|part| self.children(part));
        let cells = |row| self.children(row).map(|cell| cell.text.clone()).collect();
        rows.map(cells).collect()
    }
}

/// Splits off a value that is not quoted. One that HTML wants quoted is a failure.
#[track_caller]
fn bare(text: &str) -> (&str, &str) {
    let (value, rest) = text.split_at(text.find([' ', '>']).expect("a value ends"));
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '+');
    assert!(
        !value.is_empty() && value.chars().all(is_plain),
        "not quoted: {value:?}"
    );
    (value, rest)
}

/// Returns a text without its escapes. A bare `&`, `<` or `>` is a failure.
#[track_caller]
fn unescaped(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "not escaped: {text:?}");
    let mut parts = text.split('&');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').expect("an escape ends");
        whole.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            _ => panic!("an unknown escape: &{name};"),
        });
        whole.push_str(rest);
    }
    whole
}
