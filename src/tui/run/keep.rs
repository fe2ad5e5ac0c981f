//! Writes what is kept from run to run: the sources that were opened last, words for a source, and the lessons that were
//! finished. [`recent`](crate::tui::recent) reads it.

use crate::base::save::{self, Flush, SaveError};
use crate::base::shown::shown;
use crate::tui::recent::{Kept, KeptLine, LESSONS, MOST, finished, lines, read};
use std::path::{Path, PathBuf};

fn write(file: &Path, lines: &[KeptLine], flush: &Flush<'_>) -> Result<(), SaveError> {
    let mut text = String::new();
    for line in lines {
        for (place, part) in line.iter().enumerate() {
            if place > 0 {
                text.push('\t');
            }
            text.push_str(&shown(part));
        }
        text.push('\n');
    }
    save::save_private_with(file, text.as_bytes(), flush)
}

/// Keeps words for a source in a folder; none forgets those that were kept.
pub(crate) fn keep_words(
    folder: &Path,
    kept: Kept,
    source: &Path,
    words: &[String],
    flush: &Flush<'_>,
) -> Result<(), SaveError> {
    let file = kept.file(folder);
    let source = source.as_os_str().as_encoded_bytes();
    let mut lines = lines(&file);
    lines.retain(|line| line.len() > 1 && line[0] != source);
    if !words.is_empty() {
        let mut own = vec![source.to_vec()];
        for word in words {
            own.push(word.as_bytes().to_vec());
        }
        lines.insert(0, own);
    }
    lines.truncate(MOST);
    write(&file, &lines, flush)
}

/// Notes that a lesson was finished.
pub(crate) fn finish(folder: &Path, lesson: &str, flush: &Flush<'_>) -> Result<(), SaveError> {
    let mut names = finished(folder);
    if names.iter().any(|name| name == lesson.as_bytes()) {
        return Ok(());
    }
    names.push(lesson.as_bytes().to_vec());
    let mut lines = Vec::new();
    for name in names {
        if !name.is_empty() {
            lines.push(vec![name]);
        }
    }
    write(&folder.join(LESSONS), &lines, flush)
}

/// Puts a source before the others. `flush` waits until the disk has the list, or decides that this takes too long.
pub fn remember(file: &Path, path: &Path, flush: &Flush<'_>) -> Result<(), SaveError> {
    let mut paths = read(file);
    if paths.first().map(PathBuf::as_path) == Some(path) {
        return Ok(());
    }
    paths.retain(|other| other != path);
    paths.insert(0, path.to_owned());
    paths.truncate(MOST);
    let mut lines = Vec::new();
    for path in paths {
        lines.push(vec![path.into_os_string().into_encoded_bytes()]);
    }
    write(file, &lines, flush)
}
