//! `fairscope` without a command: the explorer, or `show` where there is no terminal.

use super::args::{Opening, ShowArgs};
use super::{FINE, Outcome, output, source};
use crate::report::{Form, Options, show};
use crate::tui;
use std::io::IsTerminal;
use std::path::Path;

pub(super) fn run(opening: Opening) -> Outcome {
    if std::io::stdout().is_terminal() {
        color_eyre::install()?;
        let reading = &opening.reading;
        let request = opening.source.as_deref();
        tui::run(tui::Opening {
            request: request.map(|path| source::request(path, reading)),
            options: tui::Options {
                policy: reading.policy(),
                is_ascii: opening.ascii,
                folder: std::env::current_dir().unwrap_or_default(),
                theme: opening.theme,
                ..tui::Options::default()
            }
            .suited_to(|name| std::env::var_os(name)),
        })?;
        return Ok(FINE);
    }
    let Some(path) = opening.source else {
        let opened = source::open_path(Path::new(""), &opening.reading)?;
        output::print(|out| show::write(out, &opened.view(), &Options::default(), Form::Tree))?;
        return Ok(FINE);
    };
    super::show::run(&ShowArgs::plain(path, opening.reading))
}
