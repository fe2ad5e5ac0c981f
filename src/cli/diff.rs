//! `fairscope diff`: two trees, what differs, and which change moved whom.

use super::args::{DiffArgs, ReadArgs, SourceArgs};
use super::{FINE, FOUND, Outcome, output, source};
use crate::analysis::diff::{Diff, Pair};
use crate::model::{NodeId, resolve};
use crate::report::diff::{Trees, write};
use color_eyre::eyre::{self, bail};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(super) fn run(args: &DiffArgs) -> Outcome {
    let (old, new) = sides(args)?;
    let after = source::open(&new)?;
    // Ranks can only be compared under one policy.
    let policy = after.scenario.policy();
    let mut before = source::open(&SourceArgs {
        reading: ReadArgs {
            policy: Some(policy),
            ..old.reading.clone()
        },
        sources: old.sources.clone(),
    })?;
    // PBS's own order follows the formula of each.
    let own = after.scenario.policy_under(before.scenario.settings());
    before.scenario.set_policy(own);
    let mut diff = Diff::between(&before.scenario, &after.scenario);
    if let Some(name) = &args.node {
        diff = below(diff, name)?;
    }
    for (opened, source) in [(&before, &old), (&after, &new)] {
        opened.mention_remarks(source);
    }
    source::mention_strangers(&before, &after);
    let compared = Trees {
        diff: &diff,
        before: before.view(),
        after: after.view(),
        limit: args.limit,
    };
    output::print_rows(args.form.format_out, args.form.csv, |out| {
        write(out, &compared, args.form.format_out)
    })?;
    let differs = args.exit_code && !diff.is_empty();
    Ok(if differs { FOUND } else { FINE })
}

/// Returns the old and the new source; a live scheduler is always the new one.
fn sides(args: &DiffArgs) -> eyre::Result<(SourceArgs, SourceArgs)> {
    let side = |paths: &[PathBuf], is_live: bool| SourceArgs {
        sources: paths.to_vec(),
        reading: ReadArgs {
            live: args.reading.live.filter(|_| is_live),
            ..args.reading.clone()
        },
    };
    let is_live = args.reading.live.is_some();
    match &args.sources[..] {
        [old] if is_live => Ok((side(std::slice::from_ref(old), false), side(&[], true))),
        [old, new] if !is_live => {
            if [old, new]
                .iter()
                .all(|path| path.as_path() == Path::new("-"))
            {
                bail!("standard input can be read only once; give the other source as a file");
            }
            let [old, new] = [old, new].map(|path| side(std::slice::from_ref(path), false));
            Ok((old, new))
        }
        [_] => bail!(
            "only one source given; give the old and the new source, as in: fairscope diff old.toml new.toml"
        ),
        _ => bail!(
            "--live replaces the new source; leave out one of the two, as in: fairscope diff old.toml --live slurm"
        ),
    }
}

/// Restricts a comparison to the subtree of a node, in the new tree or, if only the old one has it, in the old tree.
fn below(diff: Diff, name: &OsStr) -> eyre::Result<Diff> {
    let matching = diff.matching();
    let top: Pair<Option<NodeId>> = match resolve(diff.after().tree(), name.as_bytes()) {
        Ok(after) => Pair {
            before: matching.before(after),
            after: Some(after),
        },
        Err(error) => {
            let Ok(before) = resolve(diff.before().tree(), name.as_bytes()) else {
                return Err(error.into());
            };
            Pair {
                before: Some(before),
                after: matching.after(before),
            }
        }
    };
    Ok(diff.below(top))
}
