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
use color_eyre::eyre::{self, bail};
use std::env;
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
    #[arg(long, short = 'o', value_name = "FORM", value_parser = row_of(PictureForm::ALL, PictureForm::name, PictureForm::help))]
    pub format_out: Option<PictureForm>,
}

/// Draws the explorer after the keys as a picture. The terminal and the user's own settings change nothing, so that the
/// picture is the same everywhere.
pub(super) fn screenshot(args: &ScreenshotArgs) -> Outcome {
    let form = form(args)?;
    let size = match size(&args.size) {
        Ok(size) => size,
        Err(reason) => bail!("--size: {reason}"),
    };
    let script = args.keys.as_deref().unwrap_or_default();
    let keys = match Script::parse(script) {
        Ok(keys) => keys,
        Err(reason) => bail!("--keys: {reason}"),
    };
    let request = source::request_if_given(&args.sources, &args.reading)?;
    let mut sources = Vec::new();
    if let Some(request) = &request {
        sources = request.files();
    }
    let options = Options {
        policy: args.reading.policy(),
        is_ascii: args.ascii,
        theme: Some(args.theme.clone()),
        desired: args.desired.read()?.map(Arc::new),
        folder: env::current_dir().unwrap_or_default(),
        ..Options::default()
    };
    let mut explorer = Headless::new(options, size);
    if let Err(reason) = explorer.open(request) {
        bail!(reason);
    }
    explorer.play(&keys);
    if explorer.has_quit() {
        bail!("--keys leaves the explorer, so there is no screen; leave out its last keys");
    }
    let picture = explorer.picture(form);
    match &args.out {
        Some(out) => {
            save_new(out, picture.as_bytes(), &sources)?;
            Ok(FINE)
        }
        None => output::print_whole(form, picture),
    }
}

/// Returns the form of the picture: the one asked for, or that of the file's ending.
fn form(args: &ScreenshotArgs) -> eyre::Result<PictureForm> {
    if let Some(form) = args.format_out {
        return Ok(form);
    }
    let Some(out) = &args.out else {
        return Ok(PictureForm::Svg);
    };
    match PictureForm::of_file(out) {
        Ok(form) => Ok(form),
        Err(reason) => bail!(reason),
    }
}
