//! `fairscope policies`: the rank of every user under each policy, and how far the policies agree.

use super::args::PoliciesArgs;
use super::{FINE, Outcome, output, source};
use crate::report::policies;

pub(super) fn run(args: &PoliciesArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let tree = opened.scenario.tree();
    let node = args.node.as_ref();
    let options = policies::Options {
        node: node.map(|name| source::node(tree, name)).transpose()?,
        limit: args.limit,
    };
    opened.mention_remarks(&args.source);
    let view = opened.view();
    let comparison = policies::compare(&view);
    output::print_rows(args.form.format_out, args.form.csv, |out| {
        policies::write(out, &view, &comparison, &options, args.form.format_out)
    })?;
    Ok(FINE)
}
