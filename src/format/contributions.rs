//! Contributions: what accounts paid for, a purchase a line, in cores, GPUs or money.
//!
//! ```text
//! account,amount,price     commas, semicolons, tabs or bars; without a header in this order
//! physics,64,1
//! physics,8,20             several lines of an account add up; the price is 1 where the file has none
//! ```

use super::input::{Input, check_lines, without_mark};
use super::{LoadResult, problem::Problems};
use crate::base::shown::{sentence, shown};
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

/// Reads contributions. What is wrong with a line is a problem.
pub(crate) fn read(input: &Input) -> LoadResult<(Vec<Contribution>, Problems)> {
    check_lines(input)?;
    let bytes = without_mark(&input.bytes);
    let first = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
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
        let find = |word: &str| {
            record
                .iter()
                .position(|it| it.eq_ignore_ascii_case(word.as_bytes()))
        };
        let line = record.position().map_or(0, csv::Position::line);
        let titles = COLUMNS.map(find);
        if let (None, [Some(account), Some(amount), price]) = (columns, titles) {
            columns = Some([Some(account), Some(amount), price]);
            continue;
        }
        let has_price = (record.len() > 2).then_some(2);
        let [account, amount, price] = *columns.get_or_insert([Some(0), Some(1), has_price]);
        let field = |column: Option<usize>| record.get(column?).filter(|field| !field.is_empty());
        let number = |text: &[u8]| {
            let number = std::str::from_utf8(text)
                .ok()?
                .replace('_', "")
                .parse::<f64>()
                .ok()?;
            (number >= 0.0 && number.is_finite()).then_some(number)
        };
        let price = match price {
            None => Some(Some(1.0)),
            Some(_) => field(price).map(number),
        };
        let why = match (field(account), field(amount).map(number), price) {
            (Some(account), Some(Some(amount)), Some(Some(price))) => {
                list.push(Contribution {
                    account: account.to_vec(),
                    worth: amount * price,
                    line,
                });
                continue;
            }
            (None, ..) => "the account is missing".into(),
            (_, None, _) => "the amount is missing".into(),
            (_, _, None) => "the price is missing, and other lines have one".into(),
            (_, Some(None), _) => {
                sentence!(
                    "{} is not an amount",
                    shown(field(amount).unwrap_or_default())
                )
            }
            _ => sentence!(
                "{} is not a price",
                shown(field(columns.unwrap_or_default()[2]).unwrap_or_default())
            ),
        };
        let message = sentence!(
            "{why}; expected account,amount or account,amount,price, as in physics,64,20"
        );
        problems.refuse(line, "desired-bad-line", message, super::desired::LEFT_OUT);
    }
    Ok((list, problems))
}
