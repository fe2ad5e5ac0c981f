//! The positions of an output's columns: from its header and ruler, or from its lines.

use super::cells::{self, LineForm, LineSplit, MOST_CELLS};
use super::column::{CellKind, Column, USUAL};
use memchr::memchr;

/// How many lines are examined to find a header, or to guess the columns.
const SAMPLE: usize = 400;

/// The fewest columns with which a line of words without a ruler counts as a header.
const FEWEST: usize = 3;

/// The banner that `-M` prints above each cluster's block.
pub(super) const BANNER: &[u8] = b"CLUSTER:";

/// The columns of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) columns: Vec<Column>,
    pub(super) form: LineForm,
    /// Whether the header of the accounts is aligned right in its column.
    pub(super) right: bool,
    /// The names of unknown columns.
    pub(super) unknown: Vec<Vec<u8>>,
}

/// The source of an output's columns.
pub(super) enum HeaderSource {
    /// Its header, at this line.
    Header(usize),
    /// A guess, without a header.
    Guessed(Layout),
}

/// Finds the columns of an output, or returns `None` if it does not look like one of `sshare`.
pub(super) fn find(text: &[u8]) -> Option<HeaderSource> {
    let mut lines = text.split(|&byte| byte == b'\n').take(SAMPLE).peekable();
    let mut place = 0;
    while let Some(line) = lines.next() {
        if Layout::of_header(line, lines.peek().copied()).is_some() {
            return Some(HeaderSource::Header(place));
        }
        place += 1;
    }
    let rows: Vec<&[u8]> = text
        .split(|&byte| byte == b'\n')
        .take(SAMPLE)
        .map(<[u8]>::trim_ascii_end)
        .filter(|line| !line.is_empty() && line[0] != b'#' && !line.starts_with(BANNER))
        .collect();
    guess(&rows).map(HeaderSource::Guessed)
}

/// Returns whether a line is the ruler below a header.
pub(super) fn is_ruler(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"--") && line.iter().all(|byte| b"- ".contains(byte))
}

impl Layout {
    /// Returns the columns that a header names, or `None` if the line is no header. `below` is the line after it.
    pub(super) fn of_header(line: &[u8], below: Option<&[u8]>) -> Option<Self> {
        let line = line.trim_ascii_end();
        if line.is_empty() || line[0] == b'#' {
            return None;
        }
        let layout = if memchr(b'|', line).is_some() {
            Self::of_bars(line)
        } else if let Some(ruler) = below.filter(|below| is_ruler(below)) {
            Self::of_ruler(line, ruler.trim_ascii_end())
        } else {
            Self::of_words(line)?
        };
        let has = |wanted| layout.columns.contains(&wanted);
        let is_header = (has(Column::Account) || has(Column::User))
            && layout.columns.iter().any(|column| column.is_of_sshare());
        is_header.then_some(layout)
    }

    fn new(names: &[&[u8]], form: LineForm) -> Self {
        let mut unknown = Vec::new();
        let columns = names.iter().map(|name| {
            Column::named(name).unwrap_or_else(|| {
                unknown.push(name.trim_ascii().to_vec());
                Column::Unknown
            })
        });
        let columns = columns.collect();
        Self {
            columns,
            form,
            right: false,
            unknown,
        }
    }

    fn of_bars(line: &[u8]) -> Self {
        let ends_in_bar = line.ends_with(b"|");
        let line = line.strip_suffix(b"|").unwrap_or(line);
        let names = line.split(|&byte| byte == b'|');
        let names: Vec<&[u8]> = names.take(MOST_CELLS - 1).collect();
        Self::new(&names, LineForm::Bars { ends_in_bar })
    }

    /// Returns the columns by the names above the groups of a ruler. They may contain blanks: `Raw Shares`. Up to 20.11
    /// a ruler has at most 53 dashes, at the right of a wider column, so the ends of the groups count.
    fn of_ruler(line: &[u8], ruler: &[u8]) -> Self {
        let is_end = |&place: &usize| {
            ruler[place] == b'-' && ruler.get(place + 1).is_none_or(|&next| next == b' ')
        };
        let mut widths = Vec::new();
        let mut names: Vec<&[u8]> = Vec::new();
        let mut start = 0;
        for end in (0..ruler.len()).filter(is_end).map(|place| place + 1) {
            widths.push(end - start);
            names.push(line.get(start..end.min(line.len())).unwrap_or_default());
            start = end + 1;
        }
        let mut layout = Self::new(&names, LineForm::Fixed(widths.clone()));
        layout.right = layout.place(Column::Account).is_some_and(|place| {
            // A last column may have lost the blanks after its name.
            !names[place].ends_with(b" ") && names[place].len() == widths[place]
        });
        layout
    }

    /// Returns the columns of a header whose ruler is lost, or `None`. All names but the accounts' are aligned right,
    /// so they end where their columns end.
    fn of_words(line: &[u8]) -> Option<Self> {
        let mut names: Vec<(usize, usize)> = Vec::new();
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
            let longer = longer.filter(|&longer| Column::named(&line[at..longer]).is_some());
            let end = longer.unwrap_or(end);
            names.push((at, end));
            at = end;
        }
        let known = names
            .iter()
            .filter(|&&(start, end)| Column::named(&line[start..end]).is_some());
        if known.count() < FEWEST.max(names.len()) {
            return None;
        }
        let texts: Vec<&[u8]> = names
            .iter()
            .map(|&(start, end)| &line[start..end])
            .collect();
        let mut layout = Self::new(&texts, LineForm::Bars { ends_in_bar: false });
        let mut widths = Vec::new();
        let mut last = None;
        for (place, &(_, end)) in names.iter().enumerate() {
            let is_left = place == 0 && layout.columns[0] == Column::Account && names[0].0 == 0;
            let end = if is_left {
                let next = layout.columns[1].usual_width() + 1;
                names[1].1.saturating_sub(next).max(end)
            } else {
                end
            };
            widths.push(end - last.map_or(0, |last: usize| last + 1));
            last = Some(end);
        }
        layout.right = names[0].0 > 0;
        layout.form = LineForm::Fixed(widths);
        Some(layout)
    }

    /// Returns the place of a column, or `None` if it is missing.
    pub(super) fn place(&self, wanted: Column) -> Option<usize> {
        self.columns.iter().position(|&column| column == wanted)
    }
}

/// Returns the columns that fit lines without a header, or `None`.
fn guess(rows: &[&[u8]]) -> Option<Layout> {
    let first = rows.first()?;
    if memchr(b'|', first).is_none() {
        let fixed = USUAL.iter().map(|&columns| Layout {
            columns: columns.to_vec(),
            form: LineForm::Fixed(columns.iter().map(|column| column.usual_width()).collect()),
            right: false,
            unknown: Vec::new(),
        });
        return { fixed }.find(|layout| fits(layout, rows));
    }
    let endings: &[bool] = if rows.iter().all(|row| row.ends_with(b"|")) {
        &[true, false]
    } else {
        &[false]
    };
    let bars = |columns: &[Column], ends_in_bar| Layout {
        columns: columns.to_vec(),
        form: LineForm::Bars { ends_in_bar },
        right: false,
        unknown: Vec::new(),
    };
    let layouts = endings
        .iter()
        .flat_map(|&ending| USUAL.iter().map(move |&columns| bars(columns, ending)));
    { layouts }
        .find(|layout| fits(layout, rows))
        .or_else(|| guess_counts(rows))
}

/// Returns whether lines match the columns. A name may contain bars, so some lines may have too many cells.
fn fits(layout: &Layout, rows: &[&[u8]]) -> bool {
    let mut found = Vec::new();
    let (mut whole, mut decimals, mut used) = (0, 0, 0);
    for row in rows {
        if cells::divide(row, &layout.form, &layout.columns, &mut found) != LineSplit::Whole {
            continue;
        }
        whole += 1;
        for (&column, cell) in layout.columns.iter().zip(&found) {
            let cell = cell.trim_ascii();
            if !column.look().fits(cell) {
                return false;
            }
            let is_filled = !cell.is_empty();
            decimals += usize::from(is_filled && column.look() == CellKind::Decimal);
            used += usize::from(is_filled && column == Column::RawUsage);
        }
    }
    // Every association has usage, and almost all of them a number with decimals.
    let most = rows.len() - rows.len() / 4;
    whole >= most && used >= most && decimals >= most
}

/// Guesses the columns of an unusual selection: accounts and users first, and two columns of whole numbers.
fn guess_counts(rows: &[&[u8]]) -> Option<Layout> {
    let divided: Vec<Vec<&[u8]>> = rows
        .iter()
        .map(|row| row.split(|&byte| byte == b'|').collect())
        .collect();
    let count = divided.first()?.len();
    let is_table = count > 4 && divided.iter().all(|cells| cells.len() == count);
    let starts_at_root = rows[0].starts_with(b"root||");
    if !is_table || !starts_at_root {
        return None;
    }
    let is_count = |place: &usize| {
        let mut cells = divided.iter().map(|cells| cells[*place].trim_ascii());
        let is_filled = cells.clone().any(|cell| !cell.is_empty());
        is_filled && cells.all(|cell| CellKind::Whole.fits(cell))
    };
    let counts: Vec<usize> = (2..count).filter(is_count).collect();
    let &[shares, usage] = &counts[..] else {
        return None;
    };
    let mut columns = vec![Column::Unknown; count];
    columns[0] = Column::Account;
    columns[1] = Column::User;
    columns[shares] = Column::RawShares;
    columns[usage] = Column::RawUsage;
    Some(Layout {
        columns,
        form: LineForm::Bars { ends_in_bar: false },
        right: false,
        unknown: Vec::new(),
    })
}
