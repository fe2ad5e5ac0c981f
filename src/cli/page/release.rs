//! The page of a release: where it is, and the element in it that takes a tree.

use super::PAGE;
use crate::base::shown::Shown;
use crate::cli::source::read_own_file;
use crate::format::input;
use color_eyre::eyre::{self, bail};
use maud::html;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The size in bytes of the largest page that is read: many times that of a release.
const LARGEST: u64 = 64 << 20;

/// The release of this program, whose page is wanted.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The beginning of the element that takes a tree. A release has one.
const BEGINNING: &str = r#"<script id="site" type="application/json">"#;

/// The end of that element.
const END: &str = "</script>";

/// What that element holds in a release.
const NOTHING: &str = "null";

/// The beginning of the title.
const TITLE: &str = "<title>";

/// The end of the title.
const TITLE_END: &str = "</title>";

/// Where the page may be, as seen from the directory of the program: in an archive of a release, and in a package.
const PLACES: &[&str] = &["", "../share/fairscope"];

/// The page of a release, in which there is no tree yet.
#[derive(Debug)]
pub(super) struct ReleasePage {
    /// Where it is.
    path: PathBuf,
    /// All of it.
    text: String,
}

/// Why a page does not take a tree.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageError {
    /// It is nowhere, and none is named.
    #[error(
        "there is no {PAGE} beside the program; download that of release {VERSION}, or build it with .ci/web, and name \
         it with --page FILE"
    )]
    Missing,
    /// It is too large.
    #[error(
        "{0} is larger than 64 MiB, too large for a page of fairscope; give {PAGE} of a release"
    )]
    Large(Shown),
    /// It has no element that takes a tree, or several.
    #[error("{0} is no page of fairscope that takes a tree; give {PAGE} of release {VERSION}")]
    Other(Shown),
    /// There is a tree in it.
    #[error("{0} holds a tree already; give {PAGE} of the release, which holds none")]
    Taken(Shown),
}

impl ReleasePage {
    /// Reads the page that is named, or else the one that was installed with the program.
    pub(super) fn find(named: Option<&Path>) -> eyre::Result<Self> {
        if let Some(path) = named {
            return Self::read(path);
        }
        let program = std::env::current_exe()?;
        let beside = program.with_file_name("");
        for place in PLACES {
            let path = beside.join(place).join(PAGE);
            if input::is_there(&path)? {
                return Self::read(&path);
            }
        }
        Err(PageError::Missing.into())
    }

    /// Reads a page, and checks that it takes a tree.
    fn read(path: &Path) -> eyre::Result<Self> {
        let name = input::name(path);
        let Some(bytes) = read_own_file(path, LARGEST)? else {
            bail!(PageError::Large(name));
        };
        let Ok(text) = String::from_utf8(bytes) else {
            bail!(PageError::Other(name));
        };
        let Some(place) = Element::find(&text, BEGINNING, END) else {
            bail!(PageError::Other(name));
        };
        let has_title = Element::find(place.before, TITLE, TITLE_END).is_some();
        let has_second = Element::find(place.after, BEGINNING, END).is_some();
        if !has_title || has_second {
            bail!(PageError::Other(name));
        }
        if place.inside.trim() != NOTHING {
            bail!(PageError::Taken(name));
        }
        Ok(Self {
            path: path.to_owned(),
            text,
        })
    }

    /// Returns where the page is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the page with a title and a tree.
    pub(super) fn with(&self, title: &Shown, tree: &impl Serialize) -> eyre::Result<String> {
        let json = json(tree)?;
        let title = html! { (title) }.into_string();
        let place = Element::find(&self.text, BEGINNING, END).expect("reading looked for it");
        let head = Element::find(place.before, TITLE, TITLE_END).expect("reading looked for it");
        Ok([
            head.before,
            TITLE,
            &title,
            TITLE_END,
            head.after,
            BEGINNING,
            &json,
            END,
            place.after,
        ]
        .concat())
    }
}

/// An element of a page.
struct Element<'a> {
    /// What is before it.
    before: &'a str,
    /// What it holds.
    inside: &'a str,
    /// What is behind it.
    after: &'a str,
}

impl<'a> Element<'a> {
    /// Finds the first element with this beginning and this end; `None` if there is none.
    fn find(page: &'a str, beginning: &str, end: &str) -> Option<Self> {
        let (before, rest) = page.split_once(beginning)?;
        let (inside, after) = rest.split_once(end)?;
        Some(Self {
            before,
            inside,
            after,
        })
    }
}

/// Returns a value as JSON in which no sign can end the element that holds it. Only texts hold such signs, and there an
/// escape means the same.
fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a String cannot fail.
                let _ = write!(escaped, "\\u{:04x}", u32::from(char));
            }
            char => escaped.push(char),
        }
    }
    Ok(escaped)
}
