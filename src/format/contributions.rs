//! Contributions: what accounts paid for, a purchase a line, in cores, GPUs or money.
//!
//! ```text
//! account,amount,price     commas, semicolons, tabs or bars; without a header in this order
//! physics,64,1
//! physics,8,20             several lines of an account add up; the price is 1 where the file has none
//! ```

use super::LoadResult;
use super::input::{Input, check_lines};
use super::problem::{Problems, problems};
use super::sheet::{Headings, Records, SheetRow, line_of, sheet_columns};
use crate::base::shown::{Shown, shown};
use csv::ByteRecord;

/// A line of contributions.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Contribution {
    /// The path or the name of the account.
    pub account: Vec<u8>,
    /// The amount times its price.
    pub worth: f64,
    pub line: u64,
}

sheet_columns! {
    enum PaidColumn {
        Account, "account";
        Amount, "amount";
        Price, "price";
    }
}

problems! {
    enum ContributionProblem {
        NoAccount, Error "desired-bad-line",
            "the account is missing; expected account,amount or account,amount,price, as in physics,64,20",
            "the line is left out";
        NoAmount, Error "desired-bad-line",
            "the amount is missing; expected account,amount or account,amount,price, as in physics,64,20",
            "the line is left out";
        NoPrice, Error "desired-bad-line",
            "the price is missing, and other lines have one; expected account,amount or account,amount,price, as in physics,64,20",
            "the line is left out";
        BadAmount { text: Shown }, Error "desired-bad-line",
            "{text} is not an amount; expected account,amount or account,amount,price, as in physics,64,20",
            "the line is left out";
        BadPrice { text: Shown }, Error "desired-bad-line",
            "{text} is not a price; expected account,amount or account,amount,price, as in physics,64,20",
            "the line is left out";
    }
}

/// Reads contributions. What is wrong with a line is a problem.
pub(crate) fn read(input: &Input) -> LoadResult<(Vec<Contribution>, Problems)> {
    check_lines(input)?;
    let first = input.bytes.split(|&byte| byte == b'\n').next();
    let first = first.unwrap_or_default();
    let mark = b"\t;,|".iter().find(|mark| first.contains(mark));
    let mut records = Records::of_list(&input.bytes, *mark.unwrap_or(&b','), true);
    let mut record = ByteRecord::new();
    let mut headings = None;
    let mut list = Vec::new();
    let mut problems = Problems::of(input.name());
    while records.read(&mut record) {
        let line = line_of(&record);
        if headings.is_none() {
            let named = Headings::of_record(&record);
            if named.has(PaidColumn::Account) && named.has(PaidColumn::Amount) {
                named.note_unknown(line, &mut problems);
                headings = Some(named);
                continue;
            }
        }
        let headings = headings.get_or_insert_with(|| without_headings(&record));
        match contribution(
            &headings.row(&record),
            headings.has(PaidColumn::Price),
            line,
        ) {
            Ok(contribution) => list.push(contribution),
            Err(problem) => problems.report(line, problem),
        }
    }
    Ok((list, problems))
}

/// Returns the columns of a file whose first row has no headings: it has a price, or none has.
fn without_headings(first: &ByteRecord) -> Headings<PaidColumn> {
    if first.len() > 2 {
        Headings::in_order(&[PaidColumn::Account, PaidColumn::Amount, PaidColumn::Price])
    } else {
        Headings::in_order(&[PaidColumn::Account, PaidColumn::Amount])
    }
}

fn contribution(
    row: &SheetRow<'_, PaidColumn>,
    has_price: bool,
    line: u64,
) -> Result<Contribution, ContributionProblem> {
    let account = row
        .get(PaidColumn::Account)
        .ok_or(ContributionProblem::NoAccount)?;
    let amount = row
        .get(PaidColumn::Amount)
        .ok_or(ContributionProblem::NoAmount)?;
    let price = match row.get(PaidColumn::Price) {
        None if has_price => return Err(ContributionProblem::NoPrice),
        price => price.unwrap_or(b"1"),
    };
    let Some(units) = number(amount) else {
        let text = shown(amount);
        return Err(ContributionProblem::BadAmount { text });
    };
    let Some(unit_price) = number(price) else {
        let text = shown(price);
        return Err(ContributionProblem::BadPrice { text });
    };
    Ok(Contribution {
        account: account.to_vec(),
        worth: units * unit_price,
        line,
    })
}

/// Returns a number from 0 up, which may have `_` between its digits.
fn number(text: &[u8]) -> Option<f64> {
    let digits = String::from_utf8_lossy(text).replace('_', "");
    let number: f64 = digits.parse().ok()?;
    (0.0..f64::INFINITY).contains(&number).then_some(number)
}
