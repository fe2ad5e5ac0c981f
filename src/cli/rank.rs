//! `fairscope rank`: the users, first to run on top.

use super::args::RankArgs;
use super::{FINE, Outcome, output, source};
use crate::report::rank;

pub(super) fn run(args: &RankArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let options = source::options(&opened, &args.rows)?;
    opened.mention_problems(&args.source);
    opened.mention_time(&args.source);
    opened.mention_order();
    output::print(|out| rank::write(out, &opened.view(), &options, args.format_out))?;
    Ok(FINE)
}
