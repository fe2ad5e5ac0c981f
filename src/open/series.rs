//! Finds the dumps of one tree at different times among files and directories.

use super::directory::{self, file_name};
use super::refused;
use crate::base::disk::{self, MetadataExt as _};
use crate::base::number::{counted, word_for};
use crate::base::shown::{Shown, sentence};
use crate::format::input::{self, PathKind};
use crate::format::problem::problems;
use crate::format::series::{Dated, Dump, Series, date_in};
use crate::format::text::first_of;
use crate::format::{LoadResult, Problems, Request, SourceKind, is_example, pbs};
use std::path::{Path, PathBuf};

problems! {
    /// What is odd about the dumps of a series.
    enum SeriesProblem {
        Undated { files: String }, Note "timeline-undated",
            "other files have dates in their names, but {files} left out",
            "put a date such as 2025-04-22 into the names of files that belong to the series";
        FileTimes { names: &'static str, files: String }, Note "timeline-file-time",
            "the {names} of {files} no date, so the time of the file is used",
            "a copy may have a newer time; put the date into the name, as in sshare-2025-04-22.txt";
        OutOfOrder { when: Shown, before: Shown, before_when: Shown }, Note "timeline-out-of-order",
            "it is from {when} but was given after {before} from {before_when}; dumps are sorted by time",
            "nothing needs to be done, unless a date in a name is wrong";
        SameMoment { when: Shown, other: Shown, more: String }, Note "timeline-same-moment",
            "it is from {when}, like {other}{more}; all are kept, in the order of their names",
            "put the time of day into the names, as in 2025-04-22T0300, or leave one out";
    }
}

/// How many left-out files are named.
const NAMED: usize = 5;

/// Returns the dumps of a request: those named as a series, or those of its directory unless that is a source of
/// another kind. `None` if the request is for one tree.
pub(crate) fn asked_for(request: &Request) -> LoadResult<Option<(Series, Problems)>> {
    let path = match &request.source {
        SourceKind::Series(paths) => return find(paths).map(Some),
        SourceKind::Path { path, more } if more.is_empty() && request.format.is_none() => path,
        SourceKind::Path { .. } | SourceKind::Live { .. } => return Ok(None),
    };
    if is_example(path) || input::find(path)?.is_none() {
        return Ok(None);
    }
    if !is_folder_of_dumps(path)? {
        return Ok(None);
    }
    for entry in directory::entries(path)? {
        if by_name(&entry).is_some() {
            return find(std::slice::from_ref(path)).map(Some);
        }
    }
    Ok(None)
}

/// Finds the dumps that paths name: one directory of dumps, or the dumps themselves. The newest is the open one. Also
/// returns problems: those that were left out, or treated otherwise than requested.
pub fn find(paths: &[PathBuf]) -> LoadResult<(Series, Problems)> {
    let mut problems = Problems::default();
    let dumps = match paths {
        [folder] if is_folder_of_dumps(folder)? => in_folder(folder, &mut problems)?,
        paths => given(paths, &mut problems)?,
    };
    let Some(series) = Series::of(dumps) else {
        let mut names = Vec::new();
        for path in paths {
            names.push(input::name(path));
        }
        return refused(sentence!(
            "there are no dumps in {}; expected files with dates in their names, such as sshare-2025-04-22.txt",
            names.join(" and ")
        ));
    };
    note_same_moments(&series, &mut problems);
    Ok((series, problems))
}

/// Returns whether a path is a directory that is not itself one dump.
fn is_folder_of_dumps(path: &Path) -> LoadResult<bool> {
    if input::look(path)? != PathKind::Directory {
        return Ok(false);
    }
    let is_saved = directory::scheduler(path)?.is_some();
    Ok(!is_saved && pbs::sched_priv(path)?.is_none())
}

/// Returns the dumps of a directory: all entries with a date in the name, or all files if there are none.
fn in_folder(folder: &Path, problems: &mut Problems) -> LoadResult<Vec<Dump>> {
    let entries = directory::entries(folder)?;
    let mut dumps = Vec::new();
    let mut undated: Vec<&Path> = Vec::new();
    for path in &entries {
        match by_name(path) {
            Some(dump) => dumps.push(dump),
            None => undated.push(path),
        }
    }
    if undated.is_empty() {
        return Ok(dumps);
    }
    if !dumps.is_empty() {
        let files = named(&undated, "has none and was", "have none and were");
        problems.report(input::name(folder), SeriesProblem::Undated { files });
        return Ok(dumps);
    }
    for path in undated {
        if directory::is_file(path)? {
            dumps.push(by_file(path)?);
        }
    }
    note_file_times(&dumps, problems);
    Ok(dumps)
}

/// Returns the dumps that were named one by one.
fn given(paths: &[PathBuf], problems: &mut Problems) -> LoadResult<Vec<Dump>> {
    let mut dumps = Vec::with_capacity(paths.len());
    for path in paths {
        if path.as_os_str() == "-" {
            return refused("standard input has no date; give the dumps as files");
        }
        input::look(path)?;
        dumps.push(match by_name(path) {
            Some(dump) => dump,
            None => by_file(path)?,
        });
    }
    note_file_times(&dumps, problems);
    note_order(&dumps, problems);
    Ok(dumps)
}

/// Reports the first dump that was given after a newer one.
fn note_order(dumps: &[Dump], problems: &mut Problems) {
    for pair in dumps.windows(2) {
        let before = &pair[0];
        let after = &pair[1];
        if after.at >= before.at {
            continue;
        }
        let problem = SeriesProblem::OutOfOrder {
            when: after.when(),
            before: input::name(&before.path),
            before_when: before.when(),
        };
        return problems.report(input::name(&after.path), problem);
    }
}

/// Returns the date in the name of a file, in Unix seconds, or `None` if there is none.
pub fn date_of(path: &Path) -> Option<i64> {
    by_name(path).map(|dump| dump.at)
}

/// Returns a dump with the date in its name; `None` if there is none.
fn by_name(path: &Path) -> Option<Dump> {
    let (at, dated) = date_in(path.file_name()?.as_encoded_bytes())?;
    Some(Dump {
        path: path.to_owned(),
        at,
        dated,
        computed: None,
    })
}

/// Returns a dump with the time of its file.
fn by_file(path: &Path) -> LoadResult<Dump> {
    let metadata = match disk::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return Err(input::not_opened(path, error)),
    };
    Ok(Dump {
        path: path.to_owned(),
        at: metadata.mtime(),
        dated: Dated::ByFile,
        computed: None,
    })
}

/// Reports the dumps whose names have no date.
fn note_file_times(dumps: &[Dump], problems: &mut Problems) {
    let mut paths: Vec<&Path> = Vec::new();
    for dump in dumps {
        if dump.dated == Dated::ByFile {
            paths.push(&dump.path);
        }
    }
    let Some(first) = paths.first() else {
        return;
    };
    let problem = SeriesProblem::FileTimes {
        names: word_for(paths.len(), "name", "names"),
        files: named(&paths, "has", "have"),
    };
    problems.report(input::name(first), problem);
}

/// Reports the first two dumps of the same moment, and how many more such pairs there are.
fn note_same_moments(series: &Series, problems: &mut Problems) {
    let dumps = series.dumps();
    let mut first = None;
    let mut count = 0_usize;
    for place in 1..dumps.len() {
        if dumps[place - 1].at == dumps[place].at {
            first = first.or(Some(place));
            count += 1;
        }
    }
    let Some(place) = first else {
        return;
    };
    let mut more = String::new();
    if count > 1 {
        let pairs = counted(count - 1, "more such pair", "more such pairs");
        more = format!(", and {pairs}");
    }
    let problem = SeriesProblem::SameMoment {
        when: dumps[place].when(),
        other: input::name(&dumps[place - 1].path),
        more,
    };
    problems.report(input::name(&dumps[place].path), problem);
}

/// Returns files by name with their verb: `a.txt and 3 more have`.
fn named(paths: &[&Path], one: &str, many: &str) -> String {
    let mut names = Vec::new();
    for path in paths {
        names.push(file_name(path));
    }
    let verb = word_for(paths.len(), one, many);
    format!("{} {verb}", first_of(&names, NAMED))
}
