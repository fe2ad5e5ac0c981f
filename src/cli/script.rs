//! The keys of `fairscope screenshot`.

use super::edits::DesiredArgs;
use super::files::save_new;
use super::source::{self, ReadArgs};
use super::values::{row_of, themes};
use super::{FINE, Outcome, output};
use crate::tui::picture::PictureForm;
use crate::tui::script::{Script, size};
use crate::tui::{Headless, Options};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail, eyre};
use std::path::PathBuf;
use std::sync::Arc;

/// `fairscope screenshot`
#[derive(Arguments, Debug)]
pub struct ScreenshotArgs {
    /// What to open; the built-in example if not given
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub desired: DesiredArgs,
    /// The keys to press first, such as 'e "80" enter'
    ///
    /// Blanks separate keys, and text in quotes is typed. `fairscope help pictures` lists all words.
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub keys: Option<String>,
    /// The size of the screen
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "120x40")]
    pub size: String,
    /// The colours
    #[arg(long, value_name = "NAME", default_value = "dark", value_parser = themes())]
    pub theme: String,
    /// Draw with ASCII characters only
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,
    /// The new file to write, by its ending .svg, .txt or .html; standard output if not given
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The form of the picture, if not that of the file's ending [default: svg]
    #[arg(long, value_name = "FORM", value_parser = row_of(PictureForm::ALL, PictureForm::name, PictureForm::help))]
    pub format_out: Option<PictureForm>,
}

pub(super) fn screenshot(args: &ScreenshotArgs) -> Outcome {
    let form = match (args.format_out, &args.out) {
        (Some(form), _) => form,
        (None, None) => PictureForm::Svg,
        (None, Some(out)) => PictureForm::of_file(out).map_err(eyre::Report::msg)?,
    };
    let size = size(&args.size).map_err(|reason| eyre!("--size: {reason}"))?;
    let script = args.keys.as_deref().unwrap_or_default();
    let keys = Script::parse(script).map_err(|reason| eyre!("--keys: {reason}"))?;
    let request = source::request_if_given(&args.sources, &args.reading)?;
    let files = match &request {
        Some(request) => request.files(),
        None => Vec::new(),
    };
    // The terminal and the user's own settings change nothing, so that the picture is the same everywhere.
    let options = Options {
        policy: args.reading.policy(),
        is_ascii: args.ascii,
        theme: Some(args.theme.clone()),
        desired: args.desired.read()?.map(Arc::new),
        folder: std::env::current_dir().unwrap_or_default(),
        ..Options::default()
    };
    let mut explorer = Headless::new(options, size);
    explorer.open(request).map_err(eyre::Report::msg)?;
    explorer.play(&keys);
    if explorer.has_quit() {
        bail!("--keys leaves the explorer, so there is no screen; leave out its last keys");
    }
    let picture = explorer.picture(form);
    if let Some(out) = &args.out {
        save_new(out, picture.as_bytes(), &files)?;
        return Ok(FINE);
    }
    output::print_whole(form, picture)
}
