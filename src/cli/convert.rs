//! `fairscope convert`: the tree in another format, and the data that this format cannot hold.

use super::args::{ConvertArgs, Target};
use super::new_files::{save_all, save_new};
use super::{FINE, Outcome, output, source};
use crate::format::Conversion;
use crate::format::Format;
use crate::format::convert::{convert, to_toml};
use crate::format::input::{self, PathKind};
use crate::format::pbs::sched_priv;
use crate::rules::policy::Policy;
use color_eyre::eyre::{self, bail};
use output::Content;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::PathBuf;

pub(super) fn run(args: &ConvertArgs) -> Outcome {
    let mut opened = source::open(&args.source)?;
    opened.edit(&args.edits)?;
    let scenario = &opened.scenario;
    let to = args.target.to;
    let is_as_read = scenario.history().is_untouched()
        && args.source.reading.settings().is_empty()
        && opened.scenario_path.is_none();
    let conversion = if is_as_read && scenario.base().source.format == to {
        same(args, to)?
    } else {
        None
    };
    let conversion = conversion.unwrap_or_else(|| {
        let (base, tree, settings) = (scenario.base(), scenario.tree(), scenario.settings());
        if to != Format::Toml {
            return convert(base, tree, settings, to);
        }
        let policy = scenario.policy();
        let is_usual = policy == Policy::usual(settings);
        to_toml(base, tree, settings, (!is_usual).then_some(policy))
    });
    opened.mention_problems(&args.source);
    let sources = opened.reference.request.files();
    deliver(&conversion, &args.target, &sources)?;
    Ok(FINE)
}

/// Returns the source's own bytes if it already has the requested format; `None` if they cannot be read a second time.
fn same(args: &ConvertArgs, to: Format) -> eyre::Result<Option<Conversion>> {
    let [path] = &args.source.sources[..] else {
        return Ok(None);
    };
    if path.as_os_str() == "-" {
        return Ok(None);
    }
    let reading = &args.source.reading;
    let parts = match to {
        Format::Pbs if input::find(path)? == Some(PathKind::Directory) => {
            let folder = sched_priv(path)?.unwrap_or_else(|| path.clone());
            ["resource_group", "usage", "sched_config", "sched_formula"]
                .map(|name| (name, Some(folder.join(name))))
                .to_vec()
        }
        Format::Pbs => vec![
            ("resource_group", Some(path.clone())),
            ("usage", reading.usage.clone()),
            ("sched_config", reading.sched_config.clone()),
        ],
        // Other formats hold more data than is read from them, so they are written anew.
        Format::Csv => vec![("tree.csv", Some(path.clone()))],
        Format::Toml => vec![("tree.toml", Some(path.clone()))],
        _ => return Ok(None),
    };
    let mut files = Vec::new();
    for (name, part) in parts {
        let Some(part) = part else {
            continue;
        };
        if !input::is_there(&part)? {
            continue;
        }
        let read = input::read_as_is(&part, &mut |_| ControlFlow::Continue(()))?;
        files.push((name.to_owned(), read.bytes));
    }
    Ok(Some(Conversion {
        files,
        losses: Vec::new(),
    }))
}

/// Returns whether a format writes out itself what is not safe on a terminal.
fn content(format: Format) -> Content {
    match format {
        Format::Toml | Format::FluxJson | Format::SlurmJson => Content::Data,
        _ => Content::Raw,
    }
}

/// Writes converted files to the requested place, but over no file of a source, and reports the lost data.
pub(super) fn deliver(
    conversion: &Conversion,
    target: &Target,
    sources: &[PathBuf],
) -> eyre::Result<()> {
    let is_for_spreadsheets = target.csv.for_spreadsheets;
    if is_for_spreadsheets && target.to != Format::Csv {
        bail!("--for-spreadsheets needs --to csv; convert to csv, or leave it out");
    }
    let made = |bytes| {
        if is_for_spreadsheets {
            Cow::Owned(output::for_spreadsheets(bytes))
        } else {
            Cow::Borrowed(bytes)
        }
    };
    match (&target.out, target.to, &conversion.files[..]) {
        (None, _, [(_, bytes)]) => {
            output::print(content(target.to), |out| out.write_all(&made(bytes)))?;
        }
        (None, _, _) => bail!(
            "{} is a directory of several files; say where to write it with --out DIRECTORY",
            target.to.name()
        ),
        (Some(out), _, [(_, bytes)]) => {
            save_new(out, &made(bytes), sources)?;
        }
        (Some(out), _, files) => {
            let files = files.iter().map(|(name, bytes)| (name.clone(), &bytes[..]));
            save_all(out, files, sources)?;
        }
    }
    for loss in &conversion.losses {
        output::complain(&loss.clause());
    }
    Ok(())
}
