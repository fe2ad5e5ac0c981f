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
use super::sheet::{Headings, Records, line_of, mark_between, sheet_columns};
use crate::base::shown::{Shown, shown};
use csv::ByteRecord;

/// A line of contributions.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The path or the name of the account.
    pub account: Vec<u8>,
    /// The amount times its price.
    pub worth: f64,
    /// The line, from 1.
    pub line: u64,
}

sheet_columns! {
    /// The columns of a file.
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
    let mark = mark_between(first.unwrap_or_default());
    let mut records = Records::of_list(&input.bytes, mark, true);
    let mut row = ByteRecord::new();
    let mut list = Vec::new();
    let mut problems = Problems::of(input.name());
    let mut is_row = records.read(&mut row);
    let mut headings = Headings::of_record(&row);
    if headings.has(PaidColumn::Account) && headings.has(PaidColumn::Amount) {
        headings.note_unknown(line_of(&row), &mut problems);
        is_row = records.read(&mut row);
    } else {
        headings = without_headings(&row);
    }
    while is_row {
        let line = line_of(&row);
        match contribution(&headings, &row) {
            Ok(contribution) => list.push(contribution),
            Err(problem) => problems.report(line, problem),
        }
        is_row = records.read(&mut row);
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

/// Returns what a row tells, or what is wrong with it. A row has no price where no row has one.
fn contribution(
    headings: &Headings<PaidColumn>,
    record: &ByteRecord,
) -> Result<Contribution, ContributionProblem> {
    let row = headings.row(record);
    let account = row.text(PaidColumn::Account);
    let amount = row.text(PaidColumn::Amount);
    let price = row.text(PaidColumn::Price);
    if account.is_empty() {
        return Err(ContributionProblem::NoAccount);
    }
    if amount.is_empty() {
        return Err(ContributionProblem::NoAmount);
    }
    if price.is_empty() && headings.has(PaidColumn::Price) {
        return Err(ContributionProblem::NoPrice);
    }
    let Some(units) = number(amount) else {
        let text = shown(amount);
        return Err(ContributionProblem::BadAmount { text });
    };
    let unit_price = match price {
        b"" => 1.0,
        price => {
            number(price).ok_or_else(|| ContributionProblem::BadPrice { text: shown(price) })?
        }
    };
    Ok(Contribution {
        account: account.to_vec(),
        worth: units * unit_price,
        line: line_of(record),
    })
}

/// Returns a number from 0 up, which may have `_` between its digits.
fn number(text: &[u8]) -> Option<f64> {
    let digits = String::from_utf8_lossy(text).replace('_', "");
    let number: f64 = digits.parse().ok()?;
    if number.is_finite() && number >= 0.0 {
        return Some(number);
    }
    None
}
