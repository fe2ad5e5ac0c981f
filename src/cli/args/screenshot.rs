//! What can be written after `screenshot`.

use super::ReadArgs;
use super::values::{pictures, themes};
use crate::tui::picture::PictureForm;
use clap::Args as Arguments;
use std::path::PathBuf;

/// `fairscope screenshot`
#[derive(Arguments, Debug)]
pub struct ScreenshotArgs {
    /// What to open; the built-in example if not given
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadArgs,
    /// The keys to press first, such as 'e "80" enter'
    ///
    /// Blanks separate keys, and text in quotes is typed. `fairscope help recordings` lists all words.
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub keys: Option<String>,
    /// The size of the screen
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "120x40")]
    pub size: String,
    /// The colours
    #[arg(long, value_name = "NAME", default_value = "dark", value_parser = themes())]
    pub theme: String,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// The new file to write, by its ending .svg, .txt or .html; standard output if not given
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The form of the picture, if not that of the file's ending [default: svg]
    #[arg(long, value_name = "FORM", value_parser = pictures())]
    pub format_out: Option<PictureForm>,
}
