//! Contributions: what accounts paid for, a purchase a line, in cores, GPUs or money.
//!
//! ```text
//! account,amount,price     commas, semicolons, tabs or bars; without a header in this order
//! physics,64,1
//! physics,8,20             several lines of an account add up; the price is 1 where the file has none
//! ```

use super::csv::note_unknown;
use super::input::{Input, check_lines, without_mark};
use super::{LoadResult, problem::Problems};
use crate::base::shown::{Shown, sentence, shown};
use csv::{ByteRecord, Trim};

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

/// The headings of the columns, in small letters.
const COLUMNS: [&str; 3] = ["account", "amount", "price"];

const NO_PRICE: &str = "the price is missing, and other lines have one";

/// Reads contributions. What is wrong with a line is a problem.
pub(crate) fn read(input: &Input) -> LoadResult<(Vec<Contribution>, Problems)> {
    check_lines(input)?;
    let bytes = without_mark(&input.bytes);
    let first = bytes.split(|&byte| byte == b'\n').next();
    let first = first.unwrap_or_default();
    let mark = b"\t;,|".iter().find(|mark| first.contains(mark));
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).trim(Trim::All);
    let reader = reader.comment(Some(b'#')).delimiter(*mark.unwrap_or(&b','));
    let mut reader = reader.from_reader(bytes);
    let (mut list, mut problems) = (Vec::new(), Problems::of(input.name()));
    let mut columns = None;
    let mut record = ByteRecord::new();
    // Reading from memory into bytes cannot fail. It can only reach the end of the rows.
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let is_title = |it: &[u8], word: &str| it.eq_ignore_ascii_case(word.as_bytes());
        let find = |word| record.iter().position(|it| is_title(it, word));
        let line = record.position().map_or(0, csv::Position::line);
        let titles = COLUMNS.map(find);
        if let (None, [Some(account), Some(amount), price]) = (columns, titles) {
            columns = Some((account, amount, price));
            for heading in &record {
                if !COLUMNS.iter().any(|known| is_title(heading, known)) {
                    note_unknown(&mut problems, line, heading, "account, amount and price");
                }
            }
            continue;
        }
        let has_price = (record.len() > 2).then_some(2);
        let (account, amount, price) = *columns.get_or_insert((0, 1, has_price));
        let field = |column: usize| record.get(column).filter(|field| !field.is_empty());
        let contribution = || -> Result<Contribution, Shown> {
            let account = field(account).ok_or("the account is missing")?;
            let amount = field(amount).ok_or("the amount is missing")?;
            let price = price.map(|price| field(price).ok_or(NO_PRICE));
            let price = price.unwrap_or(Ok(&b"1"[..]))?;
            let amount = number(amount, "an amount")?;
            Ok(Contribution {
                account: account.to_vec(),
                worth: amount * number(price, "a price")?,
                line,
            })
        };
        match contribution() {
            Ok(contribution) => list.push(contribution),
            Err(why) => {
                let message = sentence!(
                    "{why}; expected account,amount or account,amount,price, as in physics,64,20"
                );
                problems.refuse(line, "desired-bad-line", message, super::desired::LEFT_OUT);
            }
        }
    }
    Ok((list, problems))
}

fn number(text: &[u8], what: &str) -> Result<f64, Shown> {
    let digits = String::from_utf8_lossy(text).replace('_', "");
    let number = digits.parse().ok();
    let number = number.filter(|number| (0.0..f64::INFINITY).contains(number));
    number.ok_or_else(|| sentence!("{} is not {what}", shown(text)))
}
