//! `fairscope simulate`: what becomes of a tree as time goes on.

use super::args::SimulateArgs;
use super::source::open;
use super::{Outcome, contention};
use color_eyre::eyre::eyre;

pub(super) fn run(args: &SimulateArgs) -> Outcome {
    let mut opened = open(&args.source)?;
    opened.edit(&args.edits)?;
    opened.mention_problems(&args.source);
    let asked = &args.contention;
    contention::run(&opened, asked, args.until, args.step, args.format_out).unwrap_or_else(|| {
        Err(eyre!(
            "there is no machine; give its cores, as in --cores 100"
        ))
    })
}
