//! The header line of a CSV file, which gives the order of the columns.

use super::notes::Notes;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{LoadError, Severity};
use csv::ByteRecord;

/// A known column, by its place in [`COLUMNS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Parent,
    Name,
    Shares,
    Usage,
    Type,
    Partition,
    Active,
}

const COLUMNS: &[(Column, &str)] = &[
    (Column::Parent, "parent"),
    (Column::Name, "name"),
    (Column::Shares, "shares"),
    (Column::Usage, "usage"),
    (Column::Type, "type"),
    (Column::Partition, "partition"),
    (Column::Active, "active"),
];

pub(super) fn no_header(file: &Shown, what: &str) -> LoadError {
    LoadError::Refused(sentence!(
        "{file}: {what}; expected a first line that names the columns, at least parent, name and shares; \
         put this above the rows: parent,name,shares,usage,type"
    ))
}

/// Returns the separator of the columns, if the line is one field with a separator of other programs.
fn separator(header: &ByteRecord) -> Option<&'static str> {
    let only = header.get(0).filter(|_| header.len() == 1)?;
    [(b';', "semicolons"), (b'\t', "tabs"), (b'|', "bars")]
        .iter()
        .find(|(mark, _)| only.contains(mark))
        .map(|&(_, name)| name)
}

/// The positions of the columns.
pub(super) struct Layout {
    /// By [`Column`]: the field; `None` if the file does not have it.
    fields: [Option<usize>; COLUMNS.len()],
    pub(super) width: usize,
}

impl Layout {
    pub(super) fn parse(header: &ByteRecord, problems: &mut Notes<'_>) -> Result<Self, LoadError> {
        let mut fields = [None; COLUMNS.len()];
        for (index, heading) in header.iter().enumerate() {
            let word = heading.trim_ascii().to_ascii_lowercase();
            let known = COLUMNS
                .iter()
                .find(|(_, name)| name.as_bytes() == word)
                .map(|(column, _)| &mut fields[*column as usize]);
            match known {
                Some(field @ None) => *field = Some(index),
                Some(Some(_)) => problems.at_field(
                    header,
                    index,
                    Severity::Warning,
                    "csv-repeated-column",
                    sentence!(
                        "the column {} appears twice; the first one is used",
                        shown(heading)
                    ),
                    "remove one of the two",
                ),
                None => problems.at_field(
                    header,
                    index,
                    Severity::Note,
                    "csv-unknown-column",
                    sentence!("unknown column '{}\'; it is not read", shown(heading)),
                    "the columns are parent, name, shares, usage, type, partition and active",
                ),
            }
        }
        for column in [Column::Parent, Column::Name, Column::Shares] {
            if fields[column as usize].is_none() {
                let name = COLUMNS[column as usize].1;
                let found = separator(header).map_or_else(
                    || format!("the first line has no column {name}"),
                    |separator| {
                        format!("the columns are separated by {separator} instead of commas")
                    },
                );
                return Err(no_header(&problems.file, &found));
            }
        }
        Ok(Self {
            fields,
            width: header.len(),
        })
    }

    pub(super) fn index(&self, column: Column) -> Option<usize> {
        self.fields[column as usize]
    }

    /// Returns a row's field; empty if the row or the file does not have it.
    pub(super) fn field<'a>(&self, record: &'a ByteRecord, column: Column) -> &'a [u8] {
        self.index(column)
            .and_then(|index| record.get(index))
            .unwrap_or_default()
    }
}
