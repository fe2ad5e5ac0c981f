//! Opening a source: what a path names is found and recognized, read by its format, and put under the requested settings.
//!
//! [`live`] asks schedulers, [`series`] finds dumps of one tree, [`opened`] makes a source ready to use, and [`waiting`]
//! reads the jobs that wait.

pub mod desired;
mod detect;
pub(crate) mod directory;
mod files;
pub mod folder;
mod history;
#[cfg_attr(not(feature = "terminal"), path = "open/live/unasked.rs")]
pub mod live;
pub mod opened;
mod read_files;
pub mod series;
pub mod waiting;

pub use files::FileStates;
pub use read_files::{ReadFile, ReadFiles};

use crate::base::shown::{Shown, sentence};
use crate::format::example::{self, Example, is_example};
use crate::format::input::{self, Input, PathKind};
use crate::format::jobs::Computed;
use crate::format::slurm::config::{FLAGS, set_flags};
use crate::format::{
    Format, Kind, LoadError, LoadResult, Loaded, OnProgress, OpenSource, Problems, Recognized,
    Request, csv, flux, native, pbs, slurm,
};
use crate::model::{Origin, Settings, Shares, Snapshot};
use crate::rules::clock::overdue_decays;
use crate::rules::policy::formula::{FORMULA, Formula, FormulaError};
use detect::{Recognition, recognize};
use std::ops::ControlFlow;

/// Asks the scheduler of a request. The formats know how its answers are written, not how to run it.
pub type AskScheduler = fn(&Request, OnProgress<'_>) -> LoadResult<Loaded>;

#[derive(Clone, Copy)]
struct Opening {
    ask: AskScheduler,
    /// Whether it is the source of a scenario, which cannot be a scenario itself.
    is_of_scenario: bool,
}

/// Opens a source: detects its format, reads it, and applies the settings of the request. Of several dumps of one tree
/// the newest is opened. Fails if it cannot be read at all, a setting is invalid, or the user cancelled.
pub fn load(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    load_asking(request, report, refuse_to_ask)
}

/// Opens a source as [`load`] does, and asks the scheduler if the request or a scenario is about a live one.
pub(crate) fn load_asking(
    request: &Request,
    report: OnProgress<'_>,
    ask: AskScheduler,
) -> LoadResult<Loaded> {
    let opening = Opening {
        ask,
        is_of_scenario: false,
    };
    load_opening(request, report, opening)
}

fn load_opening(request: &Request, report: OnProgress<'_>, opening: Opening) -> LoadResult<Loaded> {
    if let Some(Computed(snapshot)) = &request.history.computed {
        let mut loaded = Loaded::new(Snapshot::clone(snapshot), Problems::default());
        loaded.reference = native::Reference::to(request);
        return Ok(loaded);
    }
    if let Some(whole) = pbs::whole(request)? {
        return load_opening(&whole, report, opening);
    }
    let Some((series, problems)) = series::asked_for(request)? else {
        return settled(open(request, report, opening)?, request, report);
    };
    let newest = series.request(request);
    let mut loaded = settled(open(&newest, report, opening)?, &newest, report)?;
    loaded.problems.append(problems);
    loaded.series.get_or_insert(series);
    Ok(loaded)
}

/// Returns the error for what a user asked and cannot have.
fn refused<T>(sentence: impl Into<Shown>) -> LoadResult<T> {
    Err(LoadError::Refused(sentence.into()))
}

/// Refuses to ask a scheduler, for callers that open only files.
fn refuse_to_ask(_request: &Request, _report: OnProgress<'_>) -> LoadResult<Loaded> {
    refused(
        "this is a scenario of a live tree; save the tree with fairscope snapshot, and name that \
         directory as the scenario's path",
    )
}

/// Opens outputs that are already read, as one source. Fails as [`load`] does.
pub fn load_inputs(
    inputs: Vec<Input>,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<Loaded> {
    let opening = Opening {
        ask: refuse_to_ask,
        is_of_scenario: false,
    };
    let sources = inputs.into_iter().map(recognize).collect();
    let loaded = open_recognized(sources, request, report, opening)?;
    settled(loaded, request, report)
}

/// Opens a built-in tree.
pub fn example(example: Example) -> Loaded {
    let request = Request::to_open(example.source());
    load(&request, &mut |_| ControlFlow::Continue(()))
        .expect("the examples are part of the program, and a test reads them")
}

/// Returns the result of loading under the requested settings. The source of a scenario already has its time, its
/// settings and its jobs.
fn settled(mut loaded: Loaded, request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    let is_tree = loaded.scenarios.is_none();
    if is_tree {
        loaded.reference = native::Reference::to(request);
    }
    let snapshot = &mut loaded.snapshot;
    if snapshot.source.taken.is_none() && request.live().is_none() {
        snapshot.source.taken = series::date_of(request.path());
    }
    if is_tree {
        // A tree in a file of ours has the time of the file.
        let changed = loaded.reference.state.map(|state| state.modified);
        snapshot.settings.time.taken = snapshot.source.taken.or(changed);
    }
    if let Some(zone) = &request.history.zone {
        snapshot.settings.time.zone = Some(zone.clone());
    }
    for (key, value) in &request.settings {
        apply_setting(snapshot, key, value)?;
    }
    if is_tree && snapshot.source.format == Format::Pbs {
        note_copy(&mut snapshot.settings);
    }
    check_formula(&request.settings, &snapshot.settings)?;
    if is_tree && Example::of(request) == Some(Example::Month) {
        let (ran, request) = example::month(&snapshot.tree, request);
        history::charge(&mut loaded, ran, &"the example".into(), &request, report)?;
    }
    if let Some(path) = &request.beside.jobs
        && is_tree
    {
        history::read(path, &mut loaded, request, report)?;
    }
    Ok(loaded)
}

/// Applies one requested setting to a tree that was read.
fn apply_setting(snapshot: &mut Snapshot, key: &str, value: &str) -> LoadResult<()> {
    let settings = &mut snapshot.settings;
    if key == FLAGS {
        set_flags(settings, value);
        return Ok(());
    }
    settings.set(key, value)?;
    let source = &mut snapshot.source;
    if key == FORMULA {
        source
            .origins
            .retain(|origin| !matches!(origin, Origin::SchedFormula(_)));
    } else if key == "fairshare_usage_res" && source.format == Format::Pbs {
        value.clone_into(&mut source.usage_unit);
    } else if key == "unknown_shares" {
        share_unknown(snapshot);
    }
    Ok(())
}

/// Gives PBS's group `unknown` the shares of the setting, which are one number to PBS.
fn share_unknown(snapshot: &mut Snapshot) {
    let settings = &snapshot.settings;
    let Some(unknown) = snapshot.tree.set_by_unknown_shares(settings.scheduler) else {
        return;
    };
    let shares = Shares::new(i64::from(settings.pbs.unknown_shares));
    let stated = snapshot.tree.shares(unknown);
    let states_rows = matches!(snapshot.source.format, Format::Csv | Format::Toml);
    if stated != shares && states_rows {
        snapshot.source.origins.push(Origin::UnknownShares {
            row: stated,
            set: shares,
        });
    }
    snapshot.tree.set_shares(unknown, shares);
}

/// Notes that PBS's files are a copy, if their date is several decays after the last one: PBS writes them at each decay.
fn note_copy(settings: &mut Settings) {
    if let Some(overdue) = overdue_decays(settings) {
        settings.time.taken = Some(settings.pbs.last_decay);
        settings.time.copied = Some(overdue.since);
    }
}

/// Checks that a requested formula is valid under all requested settings, as a resource may be given after it.
pub(crate) fn check_formula(
    asked: &[(String, String)],
    settings: &Settings,
) -> Result<(), FormulaError> {
    if asked.iter().any(|(key, _)| key == FORMULA) {
        Formula::of_settings(settings)?;
    }
    Ok(())
}

fn open(request: &Request, report: OnProgress<'_>, opening: Opening) -> LoadResult<Loaded> {
    if request.live().is_some() {
        return (opening.ask)(request, report);
    }
    if is_example(request.path()) {
        return example::open(request, report);
    }
    let place = input::look(request.path())?;
    for path in request.source.more() {
        input::look(path)?;
    }
    if place == PathKind::Directory {
        return open_folder(request, report, opening);
    }
    let asks_for_flux = request.format == Some(Format::FluxDb);
    if asks_for_flux || (request.format.is_none() && flux::is_database(request.path())?) {
        alone(request, Format::FluxDb)?;
        return flux::open_database(request, report);
    }
    let mut sources = vec![read_recognized(request, report)?];
    for path in request.source.more().iter().chain(&request.beside.config) {
        sources.push(recognize(input::read(path, report)?));
    }
    open_recognized(sources, request, report, opening)
}

/// Reads the file of a request. A long one of no known kind is refused by its beginning, before the rest is read.
fn read_recognized(request: &Request, report: OnProgress<'_>) -> LoadResult<Recognized> {
    let mut of_long = None;
    let mut look = |head: &Input| {
        let recognition = Recognition::of(&head.path, &head.bytes);
        of_long = Some(recognition);
        if request.format.is_some() || recognition.kind.is_some() {
            return Ok(());
        }
        input::check(head)?;
        Err(input::refuse_unknown(head).into())
    };
    let input = input::read_checked(request.path(), &mut look, report)?;
    Ok(match of_long {
        Some(recognition) => recognition.applied(input),
        None => recognize(input),
    })
}

/// Opens a directory of PBS, or one of outputs that were saved together.
fn open_folder(request: &Request, report: OnProgress<'_>, opening: Opening) -> LoadResult<Loaded> {
    if let Some(format) = request.format.filter(|&format| format != Format::Pbs) {
        return refused(sentence!(
            "{} is a directory, but {} is read from one file; give the path of the file",
            input::name(request.path()),
            format.name()
        ));
    }
    if request.format.is_none() && pbs::sched_priv(request.path())?.is_none() {
        let database = request.path().join(directory::FLUX_FILE);
        if directory::is_file(&database)? {
            alone(request, Format::FluxDb)?;
            return flux::open_database(&request.with_path(database), report);
        }
        if let Some(loaded) = directory::open(request, report, opening)? {
            return Ok(loaded);
        }
    }
    alone(request, Format::Pbs)?;
    pbs::open_directory(request, report)
}

/// Reports that only one of several files is read, or that a cluster was requested of a source without clusters.
fn alone(request: &Request, format: Format) -> LoadResult<()> {
    // A scenario passes the cluster on to its source.
    if request.cluster.is_some() && !request.names_cluster && format != Format::Toml {
        return refused(sentence!(
            "{} is {}, which has no clusters; leave out --cluster",
            input::name(request.path()),
            format.name()
        ));
    }
    let Some(other) = request
        .source
        .more()
        .first()
        .or(request.beside.config.as_ref())
    else {
        return Ok(());
    };
    refused(sentence!(
        "{} is {}, which cannot be combined with {}; only outputs of Slurm's commands can be combined",
        input::name(request.path()),
        format.name(),
        input::name(other)
    ))
}

fn open_recognized(
    mut sources: Vec<Recognized>,
    request: &Request,
    report: OnProgress<'_>,
    opening: Opening,
) -> LoadResult<Loaded> {
    let mut pasted = Problems::default();
    for source in &mut sources {
        source.check()?;
        pasted.append(std::mem::take(&mut source.problems));
    }
    let mut loaded = read_sources(sources, request, report, opening)?;
    loaded.problems.append(pasted);
    Ok(loaded)
}

/// Reads sources by the format of the first one.
fn read_sources(
    mut sources: Vec<Recognized>,
    request: &Request,
    report: OnProgress<'_>,
    opening: Opening,
) -> LoadResult<Loaded> {
    let Some(first) = sources.first() else {
        return refused("no source given");
    };
    let Some(format) = request.format.or_else(|| first.format()) else {
        if first.kind == Some(Kind::Settings) {
            // Settings that come first are recognized, too.
            return slurm::load(sources, request, report);
        }
        return Err(input::refuse_unknown(&first.input).into());
    };
    if format == Format::Pbs
        && let Some(refusal) = detect::not_pbs(first)
    {
        return Err(refusal);
    }
    if format != Format::Pbs
        && (request.beside.usage.is_some() || request.beside.sched_config.is_some())
    {
        return refused(sentence!(
            "{} is {}; --usage and --sched-config need a resource_group file of PBS: leave them out",
            first.input.name(),
            format.name()
        ));
    }
    if format.is_slurm() {
        return slurm::load(sources, request, report);
    }
    alone(request, format)?;
    let Recognized { input, .. } = sources.swap_remove(0);
    match format {
        Format::Pbs => {
            let files = pbs::Files::beside(input, request, report)?;
            pbs::load(&files, request, report)
        }
        Format::Csv => {
            input::check_lines(&input)?;
            csv::parse(input.bytes, request, report)
        }
        Format::Toml => {
            input::check_lines(&input)?;
            let mut of_source = opening;
            of_source.is_of_scenario = true;
            let open_source = |request: &Request, report: OnProgress<'_>| {
                load_opening(request, report, of_source)
            };
            let open_source: OpenSource<'_> = &open_source;
            let open_source = (!opening.is_of_scenario).then_some(open_source);
            native::parse(&input.bytes, request, report, open_source)
        }
        Format::FluxJson => flux::json::parse(&input, request, report),
        Format::ViewBank => flux::view_bank::parse(&input, request, report),
        Format::FluxDb => refused(sentence!(
            "{} is a database, which can only be opened by its path; give the path",
            input.name()
        )),
        Format::Sshare
        | Format::SlurmJson
        | Format::AssocMgr
        | Format::SacctmgrDump
        | Format::SacctmgrAssoc
        | Format::Sreport => unreachable!("Slurm's formats are combined above"),
    }
}
