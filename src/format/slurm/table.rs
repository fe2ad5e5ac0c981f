//! The tables of `sshare` and `sacctmgr`: their columns, and how their lines are divided into cells.

mod column;

pub(in crate::format) use column::Command;
pub(super) use column::SlurmColumn;
pub(in crate::format) use column::plain;

use crate::format::sheet::kind::{CellKind, ColumnRule};
use crate::model::Fact;
use column::{ONLY_OF_SACCTMGR, ONLY_OF_SSHARE};
use memchr::{memchr, memchr_iter};

/// The most cells of a line that are separated: more than Slurm has, and few enough for a line of nothing but bars.
const MOST_CELLS: usize = 1024;

/// The fewest columns with which a line of words without a ruler counts as a header.
const FEWEST: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::format) enum LineForm {
    /// Cells between bars, as with `-P`; with `-p` a bar ends the line as well.
    Bars { ends_in_bar: bool },
    /// Cells of so many bytes each, with a blank between.
    Fixed(Vec<usize>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::format) struct TableLayout {
    command: Command,
    pub(super) columns: Vec<SlurmColumn>,
    pub(super) form: LineForm,
    /// Whether the header of the accounts is aligned right in its column.
    pub(super) right: bool,
    /// The names of the columns; none if there is no header.
    names: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum LineSplit {
    /// There is a cell for each column.
    Whole,
    /// Cells are missing at the end; this is their number in the line.
    Few(usize),
    /// There are more cells than columns, this many: a name contains bars.
    Many(usize),
    /// A cell spans two columns.
    Across,
}

impl TableLayout {
    /// Returns the columns that a header of that command names, or `None` if it is none. `below` is the next line.
    pub(in crate::format) fn of_header(
        command: Command,
        line: &[u8],
        below: Option<&[u8]>,
    ) -> Option<Self> {
        let line = line.trim_ascii_end();
        if line.is_empty() || (command == Command::Sshare && line[0] == b'#') {
            return None;
        }
        let layout = if memchr(b'|', line).is_some() {
            Self::of_bars(command, line)
        } else if let Some(ruler) = below.filter(|below| is_ruler(below)) {
            Self::of_ruler(command, line, ruler)
        } else if command == Command::Sshare {
            Self::of_words(line)?
        } else {
            return None;
        };
        layout.is_of_command().then_some(layout)
    }

    /// Returns what stands below headings, or `None` if they are not those of a table of that command.
    pub(in crate::format) fn rules(
        command: Command,
        headings: &[&[u8]],
    ) -> Option<Vec<ColumnRule>> {
        let form = LineForm::Bars { ends_in_bar: false };
        let layout = Self::named(command, headings, form);
        let rules = layout.columns.iter().map(|column| column.rule()).collect();
        layout.is_of_command().then_some(rules)
    }

    /// Returns whether the names of the columns are those of a table of the command.
    fn is_of_command(&self) -> bool {
        let has = |wanted| self.columns.contains(&wanted);
        let has_name_of = |list: &str| {
            let mut names = self.names.iter().map(|name| plain(name));
            names.any(|name| list.split(' ').any(|known| known == name))
        };
        match self.command {
            Command::Sshare => {
                let is_number = |column: &SlurmColumn| match column {
                    SlurmColumn::RawShares
                    | SlurmColumn::RawUsage
                    | SlurmColumn::Recorded(Fact::FairShareRaw) => true,
                    _ => matches!(column.kind(), CellKind::Portion | CellKind::Number),
                };
                (has(SlurmColumn::Account) || has(SlurmColumn::User))
                    && self.columns.iter().any(is_number)
            }
            Command::Sacctmgr => {
                has_name_of("account")
                    && has_name_of(ONLY_OF_SACCTMGR)
                    && !has_name_of(ONLY_OF_SSHARE)
            }
            Command::Sreport => has(SlurmColumn::Account) && has(SlurmColumn::Login),
        }
    }

    pub(super) fn new(command: Command, columns: Vec<SlurmColumn>, form: LineForm) -> Self {
        Self {
            command,
            columns,
            form,
            right: false,
            names: Vec::new(),
        }
    }

    pub(in crate::format) fn named(command: Command, names: &[&[u8]], form: LineForm) -> Self {
        let columns = names.iter().map(|name| SlurmColumn::named(command, name));
        let columns = columns.map(|column| column.unwrap_or(SlurmColumn::Unknown));
        Self {
            names: names.iter().map(|name| name.to_vec()).collect(),
            ..Self::new(command, columns.collect(), form)
        }
    }

    /// Returns whether these are the names of the columns, without the blanks around them.
    pub(in crate::format) fn has_headings(&self, names: &[Vec<u8>]) -> bool {
        let own = self.names.iter().map(|name| name.trim_ascii());
        own.eq(names)
    }

    pub(super) fn unknown(&self) -> impl Iterator<Item = &[u8]> {
        let named = self.columns.iter().zip(&self.names);
        let unknown = named.filter(|(column, _)| **column == SlurmColumn::Unknown);
        unknown.map(|(_, name)| name.trim_ascii())
    }

    fn of_bars(command: Command, line: &[u8]) -> Self {
        let ends_in_bar = line.ends_with(b"|");
        let line = line.strip_suffix(b"|").unwrap_or(line);
        let names = line.split(|&byte| byte == b'|');
        let names: Vec<&[u8]> = names.take(MOST_CELLS - 1).collect();
        Self::named(command, &names, LineForm::Bars { ends_in_bar })
    }

    /// Returns the columns by the names above the groups of a ruler. They may contain blanks: `Raw Shares`. Up to 20.11
    /// a ruler has at most 53 dashes, at the right of a wider column, so the ends of the groups count.
    fn of_ruler(command: Command, line: &[u8], ruler: &[u8]) -> Self {
        let widths = widths(ruler);
        let mut names = Vec::new();
        let mut start = 0;
        for width in &widths {
            let end = start + width;
            names.push(line.get(start..end.min(line.len())).unwrap_or_default());
            start = end + 1;
        }
        let mut layout = Self::named(command, &names, LineForm::Fixed(widths.clone()));
        layout.right = layout.place(SlurmColumn::Account).is_some_and(|place| {
            // A last column may have lost the blanks after its name.
            !names[place].ends_with(b" ") && names[place].len() == widths[place]
        });
        layout
    }

    /// Returns the columns of a header without a ruler, or `None`. All names but the accounts' end with their columns.
    fn of_words(line: &[u8]) -> Option<Self> {
        let command = Command::Sshare;
        let is_name =
            |start: usize, end: usize| SlurmColumn::named(command, &line[start..end]).is_some();
        let mut places: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while at < line.len() {
            if line[at] == b' ' {
                at += 1;
                continue;
            }
            let word = |at: usize| at + memchr(b' ', &line[at..]).unwrap_or(line.len() - at);
            let end = word(at);
            // Up to 14.11 a name could be two words.
            let longer = (end + 1 < line.len() && line[end + 1] != b' ').then(|| word(end + 1));
            let end = longer.filter(|&longer| is_name(at, longer)).unwrap_or(end);
            places.push((at, end));
            at = end;
        }
        let known = places.iter().filter(|&&(start, end)| is_name(start, end));
        if known.count() < FEWEST.max(places.len()) {
            return None;
        }
        let names = places.iter().map(|&(start, end)| &line[start..end]);
        let names: Vec<&[u8]> = names.collect();
        let mut layout = Self::named(command, &names, LineForm::Fixed(Vec::new()));
        let mut widths = Vec::new();
        let mut start = 0;
        for (place, &(_, end)) in places.iter().enumerate() {
            let mut end = end;
            if place == 0 && layout.columns[0] == SlurmColumn::Account && places[0].0 == 0 {
                let next = layout.columns[1].usual_width() + 1;
                end = end.max(places[1].1.saturating_sub(next));
            }
            widths.push(end - start);
            start = end + 1;
        }
        layout.right = places[0].0 > 0;
        layout.form = LineForm::Fixed(widths);
        Some(layout)
    }

    pub(super) fn place(&self, wanted: SlurmColumn) -> Option<usize> {
        self.columns.iter().position(|&column| column == wanted)
    }

    /// Returns the cell of a column; empty if it is missing.
    pub(super) fn cell<'a>(&self, cells: &[&'a [u8]], column: SlurmColumn) -> &'a [u8] {
        let place = self.place(column);
        let cell = place.and_then(|place| cells.get(place).copied());
        cell.unwrap_or_default()
    }

    /// Returns whether a cell without the blanks at its end fills its column and ends in the `+` for the rest.
    pub(super) fn is_cut(&self, cell: &[u8], column: SlurmColumn) -> bool {
        let LineForm::Fixed(widths) = &self.form else {
            return false;
        };
        let width = self.place(column).map(|place| widths[place]);
        cell.ends_with(b"+") && width.is_some_and(|width| cell.len() >= width)
    }

    /// Divides a line. The cells keep their blanks.
    pub(in crate::format) fn divide<'a>(
        &self,
        line: &'a [u8],
        cells: &mut Vec<&'a [u8]>,
    ) -> LineSplit {
        cells.clear();
        match &self.form {
            LineForm::Bars { ends_in_bar } => {
                let line = match line.strip_suffix(b"|") {
                    Some(line) if *ends_in_bar => line,
                    _ => line,
                };
                cells.extend(line.splitn(MOST_CELLS, |&byte| byte == b'|'));
                match cells.len() {
                    count if count < self.columns.len() => LineSplit::Few(count),
                    MOST_CELLS => LineSplit::Many(memchr_iter(b'|', line).count() + 1),
                    count if count > self.columns.len() => LineSplit::Many(count),
                    _ => LineSplit::Whole,
                }
            }
            LineForm::Fixed(widths) => {
                if self.walk(line, widths, false, cells) {
                    return LineSplit::Whole;
                }
                // The line may have passed through a program that counts characters and not bytes.
                cells.clear();
                if !line.is_ascii() && self.walk(line, widths, true, cells) {
                    return LineSplit::Whole;
                }
                LineSplit::Across
            }
        }
    }

    /// Walks from column to column. Numbers are not cut, so one that is too wide shifts the rest of its line to the
    /// right, and the walk follows it. In a table of another command any cell may be such a number.
    fn walk<'a>(
        &self,
        line: &'a [u8],
        widths: &[usize],
        counts_characters: bool,
        cells: &mut Vec<&'a [u8]>,
    ) -> bool {
        let may_all_shift = self.command != Command::Sshare;
        let mut at = 0;
        for (column, &width) in self.columns.iter().zip(widths) {
            let rest = line.get(at..).unwrap_or_default();
            let mut end = if counts_characters {
                bytes_of(rest, width)
            } else {
                width.min(rest.len())
            };
            if may_all_shift {
                end += rest[end..].iter().take_while(|byte| **byte != b' ').count();
            } else if column.kind().is_number()
                && let Some(start) = rest[..end].iter().position(|&byte| byte != b' ')
            {
                let run = rest[start..].iter().position(|&byte| byte == b' ');
                end = end.max(run.map_or(rest.len(), |run| start + run));
            }
            if rest.get(end).is_some_and(|&byte| byte != b' ') {
                return false;
            }
            cells.push(&rest[..end]);
            at += end + 1;
        }
        may_all_shift || line.get(at..).unwrap_or_default().trim_ascii().is_empty()
    }
}

fn bytes_of(text: &[u8], characters: usize) -> usize {
    let is_start = |byte: &u8| byte & 0xc0 != 0x80;
    let mut starts = (0..text.len()).filter(|&place| is_start(&text[place]));
    starts.nth(characters).unwrap_or(text.len())
}

pub(in crate::format) fn is_ruler(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line.iter().all(|byte| b"- ".contains(byte))
}

/// Returns the widths of the columns above a ruler's groups of dashes.
pub(in crate::format) fn widths(ruler: &[u8]) -> Vec<usize> {
    let ruler = ruler.trim_ascii_end();
    let mut widths = Vec::new();
    let mut start = 0;
    for (place, _) in ruler.iter().enumerate().filter(|(_, byte)| **byte == b'-') {
        if ruler.get(place + 1).is_none_or(|&next| next == b' ') {
            widths.push(place + 1 - start);
            start = place + 2;
        }
    }
    widths
}

/// Joins cells that were divided at bars in names: of all ways with numbers where numbers belong, the most likely one.
/// `is_account` knows the names of accounts so far. Returns `None` if there is no such way.
pub(in crate::format::slurm) fn joined<'a>(
    line: &'a [u8],
    pieces: &[&'a [u8]],
    layout: &TableLayout,
    is_account: impl Fn(&[u8]) -> bool,
) -> Option<Vec<&'a [u8]>> {
    let columns = &layout.columns[..];
    let extra = pieces.len() - columns.len();
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'|', line).map(|bar| bar + 1));
    // Of columns with the same name the first counts.
    let is_first = |place: &usize| !columns[..*place].contains(&columns[*place]);
    let torn = (0..columns.len()).filter(|&place| TORN.contains(&columns[place]));
    let torn: Vec<usize> = torn.filter(is_first).collect();
    let mut bars = vec![0; torn.len()];
    *bars.first_mut()? = extra;
    let mut best: Option<(usize, Vec<&'a [u8]>)> = None;
    loop {
        let mut cells = Vec::with_capacity(columns.len());
        let (mut piece, mut ragged) = (0, 0);
        for place in 0..columns.len() {
            let held = torn.iter().position(|&torn| torn == place);
            let last = piece + held.map_or(0, |held| bars[held]);
            if last > piece {
                ragged += usize::from(pieces[piece].is_empty() || pieces[last].is_empty());
            }
            cells.push(&line[starts[piece]..starts[last] + pieces[last].len()]);
            piece = last + 1;
        }
        if let Some(oddity) = oddity(&cells, columns, &is_account) {
            let oddity = oddity + 4 * ragged;
            if best.as_ref().is_none_or(|(least, _)| oddity < *least) {
                best = Some((oddity, cells));
            }
        }
        if !next_distribution(&mut bars) {
            return best.map(|(_, cells)| cells);
        }
    }
}

/// The columns whose cells may hold bars.
const TORN: [SlurmColumn; 5] = [
    SlurmColumn::Account,
    SlurmColumn::User,
    SlurmColumn::ParentName,
    SlurmColumn::Description,
    SlurmColumn::Organization,
];

/// Returns how unlikely the cells are, or `None` if they are impossible.
fn oddity(
    cells: &[&[u8]],
    columns: &[SlurmColumn],
    is_account: impl Fn(&[u8]) -> bool,
) -> Option<usize> {
    let (mut account, mut user, mut parent): (&[u8], &[u8], &[u8]) = (b"", b"", b"");
    let (mut description, mut cluster): (Option<&[u8]>, Option<&[u8]>) = (None, None);
    for (&cell, column) in cells.iter().zip(columns) {
        match column {
            _ if !column.kind().fits(cell.trim_ascii()) => return None,
            SlurmColumn::Account => account = cell.trim_ascii_start(),
            SlurmColumn::User => user = cell,
            SlurmColumn::ParentName => parent = cell,
            SlurmColumn::Cluster => cluster = Some(cell),
            SlurmColumn::Description => description = Some(cell.trim_ascii_start()),
            _ => {}
        }
    }
    let is_nowhere = cluster.is_some_and(<[u8]>::is_empty);
    let is_stranger = !user.is_empty() && !is_account(account);
    // Only accounts have a parent's name.
    let is_both = !user.is_empty() && !parent.is_empty();
    let differs = description.is_some_and(|text| text != account);
    let unlikely = 2 * usize::from(is_stranger || is_both) + usize::from(differs);
    Some(4 * usize::from(is_nowhere) + unlikely)
}

/// Advances to the next distribution of the same number of bars; false after the last.
fn next_distribution(bars: &mut [usize]) -> bool {
    let first = bars.iter().position(|&count| count > 0);
    let Some(first) = first.filter(|first| first + 1 < bars.len()) else {
        return false;
    };
    bars[0] = std::mem::take(&mut bars[first]) - 1;
    bars[first + 1] += 1;
    true
}
