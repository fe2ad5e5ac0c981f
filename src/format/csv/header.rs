//! The header line of a CSV file, which gives the order of the columns.

use super::notes::Notes;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::LoadError;
use csv::ByteRecord;

/// A known column, by its place in [`COLUMNS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CsvColumn {
    Parent,
    Name,
    Shares,
    Usage,
    Type,
    Partition,
    Active,
}

const COLUMNS: &[(CsvColumn, &str)] = &[
    (CsvColumn::Parent, "parent"),
    (CsvColumn::Name, "name"),
    (CsvColumn::Shares, "shares"),
    (CsvColumn::Usage, "usage"),
    (CsvColumn::Type, "type"),
    (CsvColumn::Partition, "partition"),
    (CsvColumn::Active, "active"),
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

pub(super) struct HeaderLayout {
    /// By [`CsvColumn`]: the field; `None` if the file does not have it.
    fields: [Option<usize>; COLUMNS.len()],
    pub(super) width: usize,
}

impl HeaderLayout {
    pub(super) fn parse(header: &ByteRecord, notes: &mut Notes<'_>) -> Result<Self, LoadError> {
        let mut fields = [None; COLUMNS.len()];
        for (index, heading) in header.iter().enumerate() {
            let word = heading.trim_ascii().to_ascii_lowercase();
            let known = COLUMNS
                .iter()
                .find(|(_, name)| name.as_bytes() == word)
                .map(|(column, _)| &mut fields[*column as usize]);
            match known {
                Some(field @ None) => *field = Some(index),
                Some(Some(_)) => {
                    let message = sentence!(
                        "the column {} appears twice; the first one is used",
                        shown(heading)
                    );
                    let (place, advice) = (notes.place(header, index), "remove one of the two");
                    notes
                        .found
                        .warn(place, "csv-repeated-column", message, advice);
                }
                None => {
                    let message = sentence!("unknown column '{}\'; it is not read", shown(heading));
                    let advice =
                        "the columns are parent, name, shares, usage, type, partition and active";
                    let place = notes.place(header, index);
                    notes
                        .found
                        .note(place, "csv-unknown-column", message, advice);
                }
            }
        }
        for column in [CsvColumn::Parent, CsvColumn::Name, CsvColumn::Shares] {
            if fields[column as usize].is_none() {
                let name = COLUMNS[column as usize].1;
                let found = separator(header).map_or_else(
                    || format!("the first line has no column {name}"),
                    |separator| {
                        format!("the columns are separated by {separator} instead of commas")
                    },
                );
                return Err(no_header(&notes.found.file, &found));
            }
        }
        Ok(Self {
            fields,
            width: header.len(),
        })
    }

    pub(super) fn fields<'a>(&'a self, record: &'a ByteRecord) -> Fields<'a> {
        let layout = self;
        Fields { record, layout }
    }

    pub(super) fn index(&self, column: CsvColumn) -> Option<usize> {
        self.fields[column as usize]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) record: &'a ByteRecord,
    pub(super) layout: &'a HeaderLayout,
}

impl<'a> Fields<'a> {
    /// Returns a field; empty if the row or the file does not have it.
    pub(super) fn get(self, column: CsvColumn) -> &'a [u8] {
        let index = self.layout.index(column);
        let field = index.and_then(|index| self.record.get(index));
        field.unwrap_or_default()
    }

    /// Returns the line and column at which a field begins.
    pub(super) fn place(self, column: CsvColumn, notes: &mut Notes<'_>) -> (u64, u64) {
        let field = self.layout.index(column).unwrap_or(0);
        notes.place(self.record, field)
    }
}
