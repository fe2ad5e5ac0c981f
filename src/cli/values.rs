//! What can be given as the value of an option: the rows of our tables, by name; and the options for the form of a report.

use crate::base::nearest::unknown;
use crate::base::number::DAY;
use crate::format::Severity;
use crate::format::slurm::config::{FLAGS, flags, policy_of_flags};
use crate::model::{DurationForm, Scheduler, Settings, seconds_of};
use crate::report::Form;
use crate::report::check::codes;
use crate::rules::policy::Policy;
use crate::tui::Theme;
use clap::Args as Arguments;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// One row of a table, by its name; the help of the option lists them all.
pub(super) fn row_of<Row: Copy + Send + Sync + 'static>(
    rows: &'static [Row],
    name: fn(Row) -> &'static str,
    help: fn(Row) -> &'static str,
) -> impl TypedValueParser<Value = Row> {
    let values = rows.iter().map(|&row| {
        PossibleValue::new(name(row))
            .aliases(alias(name(row)))
            .help(help(row))
    });
    PossibleValuesParser::new(values).map(move |word| {
        for &row in rows {
            if name(row) == word || alias(name(row)) == Some(&word) {
                return row;
            }
        }
        unreachable!("only names of the table were let through")
    })
}

/// Returns another word for a name, which is accepted too; `None` if there is none.
fn alias(name: &str) -> Option<&'static str> {
    match name {
        "markdown" => Some("md"),
        "openmetrics" => Some("prometheus"),
        _ => None,
    }
}

/// Reads the name of a scheduler.
pub(super) fn schedulers() -> impl TypedValueParser<Value = Scheduler> {
    row_of(Scheduler::ALL, Scheduler::name, Scheduler::help)
}

/// Reads the name of a policy.
pub(super) fn policies() -> impl TypedValueParser<Value = Policy> {
    row_of(Policy::ALL, Policy::name, Policy::help)
}

/// The word for every policy, one after the other.
const EVERY_POLICY: &str = "all";

/// A policy to rank by, or all of them beside that of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyChoice {
    /// This one.
    One(Policy),
    /// Each of them.
    Every,
}

/// Reads one policy.
pub(super) fn one_policy() -> impl TypedValueParser<Value = PolicyChoice> {
    policies().map(PolicyChoice::One)
}

/// Reads one policy or the word for all.
pub(super) fn policy_or_all() -> impl TypedValueParser<Value = PolicyChoice> {
    let mut words = Vec::new();
    for policy in Policy::ALL {
        let word = PossibleValue::new(policy.name());
        words.push(word.help(policy.help()));
    }
    let every = PossibleValue::new(EVERY_POLICY);
    words.push(every.help("Every policy, and where the ranks differ"));
    PossibleValuesParser::new(words).map(|word| match Policy::named(&word) {
        Some(policy) => PolicyChoice::One(policy),
        None => PolicyChoice::Every,
    })
}

/// Reads the name of a severity.
pub(super) fn severities() -> impl TypedValueParser<Value = Severity> {
    row_of(Severity::ALL, Severity::name, Severity::help)
}

/// Reads the code of a problem, which must exist.
pub(super) fn problem_code(text: &str) -> Result<&'static str, String> {
    let codes = codes();
    for &code in &codes {
        if code == text {
            return Ok(code);
        }
    }
    Err(unknown("code", text, codes.into_iter()).into())
}

/// Reads the name of one of these forms.
pub(super) fn forms(forms: &'static [Form]) -> impl TypedValueParser<Value = Form> {
    row_of(forms, Form::name, Form::help)
}

/// Reads the name of a theme.
pub(super) fn themes() -> PossibleValuesParser {
    let mut words = Vec::new();
    for &(name, help) in Theme::ALL {
        let word = PossibleValue::new(name);
        words.push(word.help(help));
    }
    PossibleValuesParser::new(words)
}

/// Reads KEY=VALUE; the key must exist, whether its value fits is for the settings to say.
pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err("expected KEY=VALUE, as in unknown_shares=10".to_owned());
    };
    let name = if key.eq_ignore_ascii_case(FLAGS) {
        if let Err(flag) = policy_of_flags(value) {
            return Err(unknown("flag", &flag, flags()).into());
        }
        FLAGS
    } else {
        if Settings::expected(key).is_none() {
            let keys = Settings::keys().chain([FLAGS]);
            return Err(unknown("setting", key, keys).into());
        }
        Settings::spelled(key)
    };
    Ok((name.to_owned(), value.to_owned()))
}

/// The signs that stand in no address; those beyond ASCII are written in others.
const NOT_IN_ADDRESSES: &[char] = &['"', '<', '>', '\\', '^', '`', '{', '|', '}'];

/// Reads an address of the web: of http or https, or relative to the page that it is in.
pub(super) fn address(text: &str) -> Result<String, String> {
    let expected = "expected an address that begins with https:// or http://, or a relative one such as ../shares.html";
    if text.is_empty() {
        return Err(expected.to_owned());
    }
    let is_written_out = text.chars().all(|char| char.is_ascii_graphic());
    if !is_written_out || text.contains(NOT_IN_ADDRESSES) {
        return Err("write blanks, quotes and signs beyond ASCII as %XX, such as %20".to_owned());
    }
    let first = match text.find(['/', '?', '#']) {
        Some(end) => &text[..end],
        None => text,
    };
    let Some((scheme, _)) = first.split_once(':') else {
        return Ok(text.to_owned());
    };
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    match text[scheme.len()..].strip_prefix("://") {
        Some(host) if is_web && !host.is_empty() => Ok(text.to_owned()),
        _ => Err(expected.to_owned()),
    }
}

/// Reads an address of a page, to which the name of a place is added.
pub(super) fn page_address(text: &str) -> Result<String, String> {
    if text.contains('#') {
        return Err("leave out # and what is behind it; each link adds its own".to_owned());
    }
    address(text)
}

/// Reads a duration in seconds.
pub(super) fn time(text: &str) -> Result<u64, String> {
    seconds_of(text, DurationForm::Common).map_err(|error| error.to_string())
}

/// Reads a duration from a second to a day, in seconds.
pub(super) fn short_time(text: &str) -> Result<u32, String> {
    let seconds = time(text)?;
    match u32::try_from(seconds) {
        Ok(seconds @ 1..=DAY) => Ok(seconds),
        _ => Err("expected a time from 1s to 1d".to_owned()),
    }
}

/// The forms of a tree; those of other rows are all but the first.
pub(super) const TREE_FORMS: &[Form] = Form::ALL.split_at(1).1.split_at(6).0;

/// The forms of a report for people, without tables for programs.
pub(super) const PAGE_FORMS: &[Form] = &[Form::Text, Form::Markdown, Form::Json, Form::Html];

/// The forms of a report of sentences whose facts are rows.
const PROSE_FORMS: &[Form] = &[
    Form::Text,
    Form::Csv,
    Form::Json,
    Form::Markdown,
    Form::Html,
];

/// The form of a report with rows that has no branches.
#[derive(Arguments, Debug)]
pub struct TableArgs {
    /// The form of the output
    #[arg(long, short = 'o', value_name = "FORM", default_value = "table", value_parser = forms(&TREE_FORMS[1..]))]
    pub format_out: Form,
    #[command(flatten)]
    pub csv: CsvArgs,
}

impl TableArgs {
    /// Returns a form about which nothing else is said.
    pub(super) const fn plain(format_out: Form) -> Self {
        Self {
            format_out,
            csv: CsvArgs {
                for_spreadsheets: false,
            },
        }
    }
}

/// What is special about CSV.
#[derive(Arguments, Clone, Copy, Debug)]
pub struct CsvArgs {
    /// In CSV, put a ' before each name that a spreadsheet would run as a formula: one that begins with = + - @, a tab or
    /// a carriage return
    #[arg(long, hide_short_help = true)]
    pub for_spreadsheets: bool,
}

/// The form of a report of sentences.
#[derive(Arguments, Debug)]
pub struct ProseArgs {
    /// The form of the output
    #[arg(long, short = 'o', value_name = "FORM", default_value = "text", value_parser = forms(PROSE_FORMS))]
    pub format_out: Form,
    #[command(flatten)]
    pub csv: CsvArgs,
}

impl ProseArgs {
    /// Returns the same form, for what is written in rows.
    pub(super) const fn table(&self) -> TableArgs {
        TableArgs {
            format_out: self.format_out,
            csv: self.csv,
        }
    }
}
