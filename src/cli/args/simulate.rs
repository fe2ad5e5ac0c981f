//! What can be written after `fairscope simulate`.

use super::values::{forms, time};
use super::{ContentionArgs, EditArgs, SourceArgs};
use crate::report::Form;
use clap::Args as Arguments;

/// `fairscope simulate`
#[derive(Arguments, Debug)]
pub struct SimulateArgs {
    /// What to look at.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How far to go
    #[arg(long, value_name = "WHEN", value_parser = time)]
    pub until: u64,
    /// How often to look
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub step: Option<u64>,
    /// A machine that hands out cores.
    #[command(flatten)]
    pub contention: ContentionArgs,
    /// Edits to be made before.
    #[command(flatten)]
    pub edits: EditArgs,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = forms(&Form::ALL[1..]))]
    pub format_out: Form,
}
