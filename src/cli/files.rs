//! The commands that make files: `convert`, `snapshot` and `generate`; and the files that `--out` and `--record` write,
//! which must not exist yet.

use super::edits::{EditArgs, ended};
use super::key_file::{self, KeyFileError};
use super::output::{self, Content};
use super::source::{self, Opened, SourceArgs, SpanArgs, go_on, timeout_of};
use super::values::{CsvArgs, row_of, schedulers, short_time};
use super::{FINE, Outcome};
use crate::base::number::{counted, grouped};
use crate::base::save::{Contents, SaveError, save, save_folder, spare};
use crate::base::shell;
use crate::format::anonymise;
use crate::format::convert::{self, to_toml};
use crate::format::input::{self, PathKind};
use crate::format::pbs::sched_priv;
use crate::format::{Conversion, EditedDump, Format, Request, Series, SourceKind};
use crate::model::generate::{self, BYTES_PER_USER, Shape};
use crate::model::{Pseudonyms, Scheduler, Snapshot};
use crate::open::{live, load};
use crate::report::words::source as words;
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Where converted files go.
#[derive(Arguments, Debug)]
pub struct Target {
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = row_of(Format::WRITABLE, Format::name, Format::help))]
    pub to: Format,
    /// The file, or for PBS the directory, to write; standard output if not given
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub csv: CsvArgs,
}

/// `fairscope convert`
#[derive(Arguments, Debug)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub span: SpanArgs,
    #[command(flatten)]
    pub edits: EditArgs,
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    pub names: NameArgs,
}

/// What is written instead of names.
#[derive(Arguments, Debug)]
pub struct NameArgs {
    /// Write pseudonyms instead of names, by the key in this file, which is made if it does not exist
    #[arg(long, value_name = "KEYFILE")]
    pub anonymise: Option<PathBuf>,
}

impl NameArgs {
    /// Returns the pseudonyms of the key file; `None` if names are to stay.
    pub(super) fn pseudonyms(&self) -> Result<Option<Pseudonyms>, KeyFileError> {
        let Some(path) = &self.anonymise else {
            return Ok(None);
        };
        let pseudonyms = key_file::pseudonyms(path)?;
        Ok(Some(pseudonyms))
    }
}

/// `fairscope snapshot`
#[derive(Arguments, Debug)]
pub struct SnapshotArgs {
    /// The scheduler to read from; nothing is written to it
    #[arg(long, value_name = "SCHEDULER", value_parser = schedulers())]
    pub live: Scheduler,
    /// The directory to save in, new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The cluster, if there are several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// The longest time for each command of the scheduler [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = short_time)]
    pub timeout: Option<u32>,
    #[command(flatten)]
    pub names: NameArgs,
}

/// `fairscope generate`
#[derive(Arguments, Debug)]
pub struct GenerateArgs {
    /// The number of users
    #[arg(long, value_name = "N")]
    pub users: usize,
    /// The shape of the tree
    #[arg(long, value_name = "SHAPE", default_value = "balanced", value_parser = row_of(Shape::ALL, Shape::name, Shape::help))]
    pub shape: Shape,
    /// The seed of the tree
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub target: Target,
}

/// Writes the source in another format; of a series that jobs made, a file for each moment.
pub(super) fn convert(mut args: ConvertArgs) -> Outcome {
    args.source.reading.span.clone_from(&args.span);
    let args = &args;
    let pseudonyms = args.names.pseudonyms()?;
    let mut opened = source::open(&args.source)?;
    if let Some(series) = opened.source.series.take()
        && series.is_computed()
    {
        return convert_all(args, &series, pseudonyms.as_ref());
    }
    let drift = opened.edit(&args.edits)?;
    let outcome = convert_one(args, &opened, pseudonyms.as_ref());
    ended(outcome, drift.as_ref(), false)
}

/// Writes a tree in another format, with pseudonyms if there are any.
fn convert_one(args: &ConvertArgs, opened: &Opened, pseudonyms: Option<&Pseudonyms>) -> Outcome {
    let to = args.target.to;
    let mut same_bytes = None;
    if pseudonyms.is_none() && is_as_read(args, opened) {
        let read = &opened.source.reference.request;
        same_bytes = same(args, to, read)?;
    }
    let conversion = match same_bytes {
        Some(conversion) => conversion,
        None => converted(&opened.scenario, pseudonyms, to)?,
    };
    opened.mention_problems(&args.source);
    let sources = opened.source.reference.request.files();
    deliver(&conversion, &args.target, &sources)
}

/// Returns whether the tree is written in the format it has, with nothing changed.
fn is_as_read(args: &ConvertArgs, opened: &Opened) -> bool {
    let scenario = &opened.scenario;
    let reading = &args.source.reading;
    let format = scenario.base().source.format;
    scenario.history().is_untouched()
        && reading.settings().is_empty()
        && reading.jobs.is_none()
        && opened.scenario_path.is_none()
        && format == args.target.to
}

/// Returns the tree of a scenario with pseudonyms instead of names.
fn anonymised(scenario: &Scenario, pseudonyms: &Pseudonyms) -> Snapshot {
    let settings = scenario.settings();
    anonymise::snapshot(pseudonyms, scenario.base(), scenario.tree(), settings)
}

/// Returns a scenario's tree in a format, with pseudonyms if there is an anonymised one.
fn written(
    scenario: &Scenario,
    anonymised: Option<&Snapshot>,
    to: Format,
) -> Result<Conversion, EditedDump> {
    let mut base = scenario.base();
    let mut tree = scenario.tree();
    let mut settings = scenario.settings();
    if let Some(anonymised) = anonymised {
        base = anonymised;
        tree = &anonymised.tree;
        settings = &anonymised.settings;
    }
    if to != Format::Toml {
        return convert::convert(base, tree, settings, to);
    }
    let mut unusual = None;
    if scenario.policy() != Policy::usual(settings) {
        unusual = Some(scenario.policy());
    }
    Ok(to_toml(base, tree, settings, unusual))
}

/// Writes each moment of a computed series to a file with its time in the name, as `timeline` reads them.
fn convert_all(args: &ConvertArgs, series: &Series, pseudonyms: Option<&Pseudonyms>) -> Outcome {
    let Some(out) = &args.target.out else {
        bail!("each moment makes a file; say where to write them with --out DIRECTORY");
    };
    let reading = &args.source.reading;
    let request = source::request(&args.source.sources, reading)?;
    let mut files = Vec::new();
    let mut last = None;
    for dump in series.dumps() {
        let loaded = load(&dump.request(&request), &mut go_on)?;
        let mut opened = Opened::new(loaded, reading.policy());
        last = opened.edit(&args.edits)?;
        let made = converted(&opened.scenario, pseudonyms, args.target.to)?;
        if made.files.len() != 1 {
            bail!("a series is written in a format of one file, such as toml");
        }
        let time = dump.when().replace(':', "");
        let when = time.replace(' ', "T");
        for (name, bytes) in made.files {
            files.push((format!("{when}-{name}"), bytes));
        }
    }
    save_all(out, &files, &request.files())?;
    ended(Ok(FINE), last.as_ref(), false)
}

/// Returns a scenario's tree in a format, with pseudonyms if there are any, and what is lost.
pub(super) fn converted(
    scenario: &Scenario,
    pseudonyms: Option<&Pseudonyms>,
    to: Format,
) -> Result<Conversion, EditedDump> {
    let Some(pseudonyms) = pseudonyms else {
        return written(scenario, None, to);
    };
    let anonymous = anonymised(scenario, pseudonyms);
    let mut conversion = written(scenario, Some(&anonymous), to)?;
    let policy = scenario.policy();
    let tree = scenario.tree();
    let lost = anonymise::losses(policy, tree, scenario.settings(), &anonymous);
    conversion.losses.extend(lost);
    Ok(conversion)
}

/// Returns the source's own bytes if it already has the requested format; `None` if they cannot be read a second time.
fn same(args: &ConvertArgs, to: Format, read: &Request) -> eyre::Result<Option<Conversion>> {
    if args.source.sources.len() != 1 || read.is_standard_input() {
        return Ok(None);
    }
    // What was read may be more than what was named: the directory around a resource_group, or the newest dump.
    let path = read.path();
    let Some(parts) = parts_of(args, to, path)? else {
        return Ok(None);
    };
    let mut files = Vec::new();
    for (name, part) in parts {
        if !input::is_there(&part)? {
            continue;
        }
        let read = input::read_as_is(&part, &mut go_on)?;
        files.push((name.to_owned(), read.bytes));
    }
    if files.is_empty() {
        // A built-in tree has no files.
        return Ok(None);
    }
    Ok(Some(Conversion {
        files,
        losses: Vec::new(),
    }))
}

/// A file of a source, by its name in a conversion.
type NamedPart = (&'static str, PathBuf);

/// Returns the files that a source of a format consists of; `None` for a format that holds more than is read from it.
fn parts_of(
    args: &ConvertArgs,
    format: Format,
    path: &Path,
) -> eyre::Result<Option<Vec<NamedPart>>> {
    let mut parts = Vec::new();
    match format {
        Format::Pbs if input::find(path)? == Some(PathKind::Directory) => {
            let folder = match sched_priv(path)? {
                Some(folder) => folder,
                None => path.to_owned(),
            };
            for &name in SCHED_PRIV {
                parts.push((name, folder.join(name)));
            }
        }
        Format::Pbs => {
            let reading = &args.source.reading;
            parts.push(("resource_group", path.to_owned()));
            if let Some(usage) = &reading.usage {
                parts.push(("usage", usage.clone()));
            }
            if let Some(sched_config) = &reading.sched_config {
                parts.push(("sched_config", sched_config.clone()));
            }
        }
        Format::Csv => parts.push(("tree.csv", path.to_owned())),
        Format::Toml => parts.push(("tree.toml", path.to_owned())),
        // Other formats are written anew.
        _ => return Ok(None),
    }
    Ok(Some(parts))
}

/// The files of a PBS scheduler that a tree is read from.
const SCHED_PRIV: &[&str] = &["resource_group", "usage", "sched_config", "sched_formula"];

/// Returns whether a format writes out itself what is not safe on a terminal.
fn content(format: Format) -> Content {
    match format {
        Format::Toml | Format::FluxJson | Format::SlurmJson => Content::Data,
        _ => Content::Raw,
    }
}

/// Writes converted files to the requested place, but over no file of a source, and reports the lost data.
fn deliver(conversion: &Conversion, target: &Target, sources: &[PathBuf]) -> Outcome {
    if target.csv.for_spreadsheets && target.to != Format::Csv {
        bail!("--for-spreadsheets needs --to csv; convert to csv, or leave it out");
    }
    match &conversion.files[..] {
        [(_, bytes)] => deliver_file(bytes, target, sources)?,
        files => {
            let Some(out) = &target.out else {
                let format = target.to.name();
                bail!(
                    "{format} is a directory of several files; say where to write it with --out DIRECTORY"
                );
            };
            save_all(out, files, sources)?;
        }
    }
    for loss in &conversion.losses {
        output::complain(&loss.clause());
    }
    Ok(FINE)
}

/// Saves the only converted file, or prints it.
fn deliver_file(converted: &[u8], target: &Target, sources: &[PathBuf]) -> eyre::Result<()> {
    let mut bytes = Cow::Borrowed(converted);
    if target.csv.for_spreadsheets {
        let safe = output::for_spreadsheets(converted)?;
        bytes = Cow::Owned(safe);
    }
    match &target.out {
        Some(out) => save_new(out, &bytes, sources)?,
        None => {
            output::print_whole(content(target.to), bytes)?;
        }
    }
    Ok(())
}

/// Saves what a scheduler's commands print, and says which files were written.
pub(super) fn snapshot(args: &SnapshotArgs) -> Outcome {
    let request = Request {
        source: SourceKind::Live {
            scheduler: args.live,
            more: Vec::new(),
        },
        cluster: args.cluster.clone(),
        timeout: timeout_of(args.timeout),
        ..Request::default()
    };
    let pseudonyms = args.names.pseudonyms()?;
    let saved = live::save(
        &request,
        args.live,
        &args.out,
        pseudonyms.as_ref(),
        words::about,
        &mut go_on,
    )?;
    for problem in saved.problems.list() {
        output::complain(&problem.to_string());
    }
    let mut lines = Vec::new();
    for (path, length) in &saved.files {
        let name = input::name(path);
        lines.push(format!("{name}  {length} bytes\n"));
    }
    let word = shell::word(&args.out, "DIRECTORY");
    lines.push(format!("fairscope {word} opens it\n"));
    output::print_whole(Content::Text, lines.concat())
}

/// Writes a made-up tree.
pub(super) fn generate(args: &GenerateArgs) -> Outcome {
    check_room(args.users)?;
    let to = args.target.to;
    let mut made = generate::generate(args.users, args.shape, args.seed);
    let tree = &mut made.tree;
    // The group of users that nobody named is PBS's own.
    let has_unknown = matches!(to, Format::Pbs | Format::Toml);
    if let Some(unknown) = tree.unknown()
        && !has_unknown
    {
        tree.remove(unknown);
    }
    let conversion = convert::convert(&made, &made.tree, &made.settings, to)?;
    deliver(&conversion, &args.target, &[])
}

/// Checks that the system would give most of the memory that so many users need at least.
fn check_room(users: usize) -> eyre::Result<()> {
    let bytes = users.saturating_mul(BYTES_PER_USER);
    let most = bytes - bytes / 4;
    let mut room: Vec<u8> = Vec::new();
    if room.try_reserve_exact(most).is_ok() {
        return Ok(());
    }
    let count = counted(users, "user", "users");
    let mebibytes = grouped(bytes.div_ceil(1 << 20));
    bail!(
        "a tree of {count} needs about {mebibytes} MiB of memory, which are not available; end other programs, raise the limit \
         (ulimit -v), or generate fewer users"
    );
}

/// Saves a file, unless one is there or it belongs to a source.
pub(super) fn save_new(path: &Path, bytes: &[u8], sources: &[PathBuf]) -> eyre::Result<()> {
    spare(path, sources)?;
    match save(path, bytes, false) {
        Err(SaveError::Exists(path)) => {
            bail!("{path} already exists and is not replaced; name another file with --out")
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Saves files in a directory, which is created if needed: all or none, for half a `sched_priv` is worse than none.
pub(super) fn save_all(
    folder: &Path,
    files: &[(String, Vec<u8>)],
    sources: &[PathBuf],
) -> eyre::Result<()> {
    let mut contents = Vec::with_capacity(files.len());
    for (name, bytes) in files {
        let path = folder.join(name);
        spare(&path, sources)?;
        if path.symlink_metadata().is_ok() {
            let name = input::name(&path);
            bail!("{name} already exists and is not replaced; name another directory with --out");
        }
        contents.push((name.as_str(), Contents::Bytes(bytes)));
    }
    Ok(save_folder(folder, &contents)?)
}
