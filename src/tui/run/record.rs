//! Files that are written while the explorer runs: the keys, and what appears on the terminal.

use crate::base::save::{Growing, SaveError};
use crate::tui::cast::Cast;
use crate::tui::script::{ScriptEvent, TreeMark, Writer};
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use std::time::Instant;

#[derive(Debug)]
pub(crate) struct Recorder {
    started: Instant,
    keys: Option<(Growing, Writer)>,
    cast: Option<(Growing, Cast)>,
    pub(crate) has_tree: bool,
    is_used: bool,
    /// Why a recording ended early.
    failure: Option<SaveError>,
}

impl Recorder {
    /// Begins recording to new files. The head is that of the recording of keys.
    pub(crate) fn begin(
        keys: Option<(Growing, String)>,
        cast: Option<Growing>,
        size: Size,
    ) -> Result<Self, SaveError> {
        let keys = keys.map(|(mut file, head)| {
            file.add(head.as_bytes())?;
            Ok((file, Writer::default()))
        });
        let cast = cast.map(|mut file| {
            let (cast, first) = Cast::begin(size);
            file.add(first.as_bytes())?;
            Ok((file, cast))
        });
        Ok(Self {
            started: Instant::now(),
            keys: keys.transpose()?,
            cast: cast.transpose()?,
            has_tree: false,
            is_used: false,
            failure: None,
        })
    }

    /// Returns whether anything is recorded, or was until it failed.
    pub(crate) fn is_on(&self) -> bool {
        self.keys.is_some() || self.cast.is_some() || self.failure.is_some()
    }

    /// Notes an event before the explorer handles it, so that what makes it crash is there.
    pub(crate) fn note(&mut self, event: &ScriptEvent) {
        let at = self.started.elapsed();
        self.is_used = true;
        self.write_keys(|file, writer| {
            let line = writer.line(at, event);
            line.map_or(Ok(()), |line| file.add(line.as_bytes()))
        });
    }

    /// Removes the last event, which ended the explorer.
    pub(crate) fn take_back(&mut self) {
        self.write_keys(|file, _| file.take_back());
    }

    pub(crate) fn note_tree(&mut self, mark: TreeMark) {
        self.has_tree = true;
        self.write_keys(|file, _| file.add(mark.line().as_bytes()));
    }

    fn write_keys(&mut self, add: impl FnOnce(&mut Growing, &mut Writer) -> Result<(), SaveError>) {
        write(&mut self.keys, &mut self.failure, add);
    }

    pub(crate) fn note_frame(&mut self, screen: &Buffer, cursor: Option<(u16, u16)>) {
        let at = self.started.elapsed();
        write(&mut self.cast, &mut self.failure, |file, cast| {
            file.add(cast.frame(at, screen, cursor).as_bytes())
        });
    }

    /// Ends the recordings. They are removed if nothing was opened and nothing pressed.
    pub(crate) fn finish(self) -> Result<(), SaveError> {
        if !self.has_tree && !self.is_used {
            let keys = self.keys.map(|(file, _)| file);
            let cast = self.cast.map(|(file, _)| file);
            for file in keys.into_iter().chain(cast) {
                file.discard()?;
            }
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// Writes to a recording, which ends if that fails.
fn write<T>(
    recording: &mut Option<(Growing, T)>,
    failure: &mut Option<SaveError>,
    write: impl FnOnce(&mut Growing, &mut T) -> Result<(), SaveError>,
) {
    if let Some((file, state)) = recording
        && let Err(error) = write(file, state)
    {
        *recording = None;
        failure.get_or_insert(error);
    }
}
