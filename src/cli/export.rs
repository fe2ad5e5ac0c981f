//! Files for packagers: shell completions and manual pages.

use super::args::Args;
use super::{FINE, Outcome, output};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use color_eyre::eyre::bail;

/// Runs `fairscope completions SHELL`.
pub(super) fn completions(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "fairscope", &mut script);
    output::print(output::Content::Data, |out| out.write_all(&script))?;
    Ok(FINE)
}

/// Runs `fairscope man [COMMAND]`.
pub(super) fn man(command: Option<&str>) -> Outcome {
    let mut program = Args::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!(unknown(&program, name)),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    output::print(output::Content::Data, |out| out.write_all(&text))?;
    Ok(FINE)
}

fn unknown(program: &Command, name: &str) -> String {
    crate::base::nearest::unknown(
        "command",
        name,
        program.get_subcommands().map(Command::get_name),
    )
    .into()
}
