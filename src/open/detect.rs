//! Recognizes what a file holds by its beginning.

use crate::base::shown::sentence;
use crate::format::input::{self, Input, refuse_unknown};
use crate::format::pbs::is_called_resource_group;
use crate::format::{Format, Kind, LoadError, Problems, Recognized, flux, pasted, pbs, slurm};
use std::path::Path;

/// How many lines that are neither blank nor a comment are examined.
const LINES: usize = 1000;

/// One in so many lines of a `resource_group` is a node.
const ENOUGH: usize = 4;

/// What the beginning of a source tells of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recognition {
    /// `None` if it is of no known kind.
    pub(super) kind: Option<Kind>,
    /// Whether what copying added around it is removed.
    is_pasted: bool,
    /// Whether it is a table whose cells are told apart anew, because it lost its form.
    is_repaired: bool,
}

impl Recognition {
    /// Looks at the beginning of a source. What copying added is removed from outputs of commands, if they are recognized
    /// then, but not from files of another kind. A dump that can be read as it is keeps its bytes, as it is written back.
    pub(super) fn of(path: &Path, bytes: &[u8]) -> Self {
        let head = input::head(bytes);
        let as_given = kind(path, head);
        let given = Self {
            kind: as_given,
            is_pasted: false,
            is_repaired: false,
        };
        match as_given {
            Some(Kind::Tree(Format::SlurmJson | Format::FluxJson)) => return given,
            Some(kind) if !is_printed(kind) => return given,
            _ => {}
        }
        let Some(cleaned) = input::clean(head) else {
            return given.repaired(path, head);
        };
        let is_read_as_it_is = as_given == Some(Kind::Tree(Format::SacctmgrDump));
        let is_clear = cleaned.has_marked_lines || !is_read_as_it_is;
        let pasted = Self {
            kind: kind(path, &cleaned.bytes),
            is_pasted: true,
            is_repaired: false,
        };
        let pasted = pasted.repaired(path, &cleaned.bytes);
        if pasted.kind.is_some_and(is_printed) && is_clear {
            return pasted;
        }
        given.repaired(path, head)
    }

    /// Looks whether a text is a table that lost its form.
    fn repaired(self, path: &Path, text: &[u8]) -> Self {
        let Some(table) = pasted::repaired(text) else {
            return self;
        };
        match kind(path, &table) {
            None => self,
            kind => Self {
                kind,
                is_repaired: true,
                ..self
            },
        }
    }

    /// Returns the whole of the source without what copying added, and with its table as it was printed.
    pub(super) fn applied(self, mut input: Input) -> Recognized {
        let mut problems = Problems::of(input.name());
        let cleaned = if self.is_pasted {
            input::clean(&input.bytes)
        } else {
            None
        };
        if let Some(mut cleaned) = cleaned {
            input.bytes = std::mem::take(&mut cleaned.bytes);
            cleaned.report(&mut problems);
        }
        if self.is_repaired
            && let Some(table) = pasted::repaired(&input.bytes)
        {
            input.bytes = table;
        }
        Recognized {
            input,
            kind: self.kind,
            problems,
        }
    }
}

/// Returns whether a text of a kind is what a command printed, which people paste.
fn is_printed(kind: Kind) -> bool {
    match kind {
        Kind::Tree(Format::Pbs | Format::Csv | Format::Toml | Format::FluxDb) => false,
        Kind::Tree(_) | Kind::Settings | Kind::Companion(_) => true,
    }
}

/// Looks at what a source that is already read holds.
pub(super) fn recognize(input: Input) -> Recognized {
    Recognition::of(&input.path, &input.bytes).applied(input)
}

/// Returns whether a text is of a format.
type Recognizer = fn(&[u8]) -> bool;

/// The tests for outputs of schedulers' commands, in the order in which they are tried.
const READERS: [(Recognizer, Format); 8] = [
    (slurm::json::is, Format::SlurmJson),
    (flux::json::is, Format::FluxJson),
    (slurm::assoc_mgr::is, Format::AssocMgr),
    (slurm::sreport::is, Format::Sreport),
    (slurm::dump::is, Format::SacctmgrDump),
    (slurm::assoc::is, Format::SacctmgrAssoc),
    (flux::view_bank::is, Format::ViewBank),
    (slurm::sshare::is, Format::Sshare),
];

/// Returns the kind of a source by its beginning, or `None` if it is not a known one.
fn kind(path: &Path, head: &[u8]) -> Option<Kind> {
    // The names of users and accounts stand in lists of jobs, too.
    if let Some(companion) = input::companion(head) {
        Some(Kind::Companion(companion))
    } else if let Some(format) = format(path, head) {
        Some(Kind::Tree(format))
    } else if slurm::config::is_config(head) {
        Some(Kind::Settings)
    } else {
        None
    }
}

/// Returns the format of a tree by the beginning of its source; `None` if it is no tree.
fn format(path: &Path, head: &[u8]) -> Option<Format> {
    let text = input::without_mark(head);
    let mut lines = lines_of(text);
    lines.retain(|line| line[0] != b'*');
    lines.truncate(LINES);
    for line in &lines {
        if line[0] == b'[' {
            break;
        }
        if is_toml_header(line) {
            return Some(Format::Toml);
        }
    }
    for (recognizes, format) in READERS {
        if recognizes(text) {
            return Some(format);
        }
    }
    if let Some(first) = lines.first()
        && is_csv_header(first)
    {
        return Some(Format::Csv);
    }
    // A few wrong lines must not hide that it is a tree, and a report with a few numbers must not be taken for one.
    let found = NodeLines::among(&lines);
    let has_nodes = found.nodes > 0 && found.nodes * ENOUGH >= found.count;
    // PBS's sample contains only comments.
    let is_by_name = is_called_resource_group(path) && (has_nodes || found.count == 0);
    if is_by_name || (has_nodes && found.has_usable) {
        return Some(Format::Pbs);
    }
    None
}

/// Returns the lines of a text that are neither blank nor begin with `#`, without blanks around them.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    for part in text.split(|&byte| byte == b'\n') {
        let line = part.trim_ascii();
        if !matches!(line.first(), None | Some(b'#')) {
            lines.push(line);
        }
    }
    lines
}

/// Returns why a file requested as `resource_group` is none: no line is a node, or it is clearly of another format.
pub(super) fn not_pbs(recognized: &Recognized) -> Option<LoadError> {
    let input = &recognized.input;
    let mut lines = lines_of(input::head(&input.bytes));
    lines.truncate(LINES);
    let found = NodeLines::among(&lines);
    if found.nodes == found.count {
        return None;
    }
    match recognized.format() {
        Some(Format::Pbs) => None,
        Some(other) => Some(LoadError::Refused(sentence!(
            "{} is {}, not a resource_group of PBS; leave out --format, or write --format {}",
            input.name(),
            other.name(),
            other.name()
        ))),
        None if found.nodes > 0 || is_called_resource_group(&input.path) => None,
        None => Some(refuse_unknown(input).into()),
    }
}

/// What lines have of a `resource_group`.
#[derive(Default)]
struct NodeLines {
    /// How many lines there are.
    count: usize,
    /// How many of them have the form of a node.
    nodes: usize,
    /// Whether the parent of one is known above it. PBS leaves out all others, so a table of numbers is no tree.
    has_usable: bool,
}

impl NodeLines {
    /// Looks at lines that are neither blank nor a comment.
    fn among(lines: &[&[u8]]) -> Self {
        let mut found = Self {
            count: lines.len(),
            ..Self::default()
        };
        let mut known = pbs::names_before_lines();
        for line in lines {
            let Some(node) = pbs::node(line) else {
                continue;
            };
            found.nodes += 1;
            if known.contains(node.parent.text) {
                found.has_usable = true;
                known.insert(node.name.text);
            }
        }
        found
    }
}

/// Returns whether the line is `fairscope = 1`.
fn is_toml_header(line: &[u8]) -> bool {
    match line.strip_prefix(b"fairscope") {
        Some(rest) => rest.trim_ascii_start().starts_with(b"="),
        None => false,
    }
}

/// Returns whether a line has the columns `name` and `shares`. Other separators than commas are reported by its reader.
fn is_csv_header(line: &[u8]) -> bool {
    let mut has_name = false;
    let mut has_shares = false;
    for column in line.split(|byte| b",;\t|".contains(byte)) {
        let name = unquoted(column.trim_ascii()).trim_ascii();
        has_name |= name.eq_ignore_ascii_case(b"name");
        has_shares |= name.eq_ignore_ascii_case(b"shares");
    }
    has_name && has_shares
}

/// Returns a cell without quotes around it.
fn unquoted(cell: &[u8]) -> &[u8] {
    match cell {
        [b'"', inside @ .., b'"'] => inside,
        _ => cell,
    }
}
