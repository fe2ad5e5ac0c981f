//! What can be given as the value of an option: the rows of our tables, by name.

use crate::analysis::contention::demand;
use crate::base::shown::shown;
use crate::format::Format;
use crate::format::slurm::config::{FLAGS, flags, policy_of_flags};
use crate::model::{Scheduler, Settings, seconds_of};
use crate::report::Form;
use crate::rules::policy::Policy;
use crate::tui::Theme;
use crate::tui::picture::PictureForm;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// One row of a table, by its name; the help of the option lists them all.
fn row_of<Row: Copy + Send + Sync + 'static>(
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
        let is_named = |&row: &Row| name(row) == word || alias(name(row)) == Some(&word);
        let named = rows.iter().copied().find(is_named);
        named.expect("only names of the table were let through")
    })
}

/// Returns another word for a name, which is accepted too; `None` if there is none.
fn alias(name: &str) -> Option<&'static str> {
    (name == "markdown").then_some("md")
}

/// Returns the formats that are read.
pub(super) fn formats() -> impl TypedValueParser<Value = Format> {
    row_of(Format::ALL, Format::name, Format::help)
}

/// Returns the formats a tree can be written in.
pub(super) fn writable() -> impl TypedValueParser<Value = Format> {
    row_of(Format::WRITABLE, Format::name, Format::help)
}

/// Returns the schedulers that can be asked.
pub(super) fn schedulers() -> impl TypedValueParser<Value = Scheduler> {
    row_of(Scheduler::ALL, Scheduler::name, Scheduler::help)
}

/// Returns the rules to rank by.
pub(super) fn policies() -> impl TypedValueParser<Value = Policy> {
    row_of(Policy::ALL, Policy::name, Policy::help)
}

/// A form as a command offers it: with its help.
pub(super) type OfferedForm = (Form, &'static str);

/// Returns the forms that one report has.
pub(super) fn forms(forms: &'static [OfferedForm]) -> impl TypedValueParser<Value = Form> {
    row_of(forms, |(form, _)| form.name(), |(_, help)| help).map(|(form, _)| form)
}

/// Returns the colours of the explorer.
pub(super) fn themes() -> PossibleValuesParser {
    let names = Theme::ALL
        .iter()
        .map(|&(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names)
}

/// Returns the forms of a picture of the screen.
pub(super) fn pictures() -> impl TypedValueParser<Value = PictureForm> {
    row_of(PictureForm::ALL, PictureForm::name, PictureForm::help)
}

/// Reads KEY=VALUE; the key must exist, whether its value fits is for the settings to say.
pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err("expected KEY=VALUE, as in unknown_shares=10".to_owned());
    };
    if key.eq_ignore_ascii_case(FLAGS) {
        policy_of_flags(value)
            .map_err(|flag| crate::base::nearest::unknown("flag", &flag, flags()))?;
        return Ok((FLAGS.to_owned(), value.to_owned()));
    }
    if Settings::expected(key).is_none() {
        let keys = Settings::keys().chain([FLAGS]);
        return Err(crate::base::nearest::unknown("setting", key, keys).into());
    }
    Ok((Settings::spelled(key).to_owned(), value.to_owned()))
}

/// Reads a duration in seconds.
pub(super) fn time(text: &str) -> Result<u64, String> {
    seconds_of(text).ok_or_else(|| "expected a time such as 90d, 1h30m or 300".to_owned())
}

/// Whose demand, if not everybody's, and how many cores at most, if there is a limit.
pub(in crate::cli) type Demand = (Option<OsString>, Option<u64>);

/// Reads `[PATH=]CORES`: whose demand, if not everybody's, and how many cores at most, if there is a limit. A path may
/// hold a `=`.
pub(super) fn cores_of(text: &OsStr) -> Result<Demand, String> {
    let bytes = text.as_bytes();
    let (path, cores) = demand(bytes).ok_or_else(|| {
        format!(
            "--demand {}: expected a number of cores or unlimited, as in 16 or group/user=16",
            shown(bytes)
        )
    })?;
    Ok((path.map(|path| OsString::from_vec(path.to_vec())), cores))
}
