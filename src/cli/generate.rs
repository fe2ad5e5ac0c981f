//! `fairscope generate`: a random tree, the same for the same seed.

use super::args::{GenerateArgs, ShapeName};
use super::{FINE, Outcome, convert};
use crate::model::generate::{Shape, generate};
use crate::source::format::convert::convert;

pub(super) fn run(args: &GenerateArgs) -> Outcome {
    let shape = match args.shape {
        ShapeName::Balanced => Shape::Balanced,
        ShapeName::Skewed => Shape::Skewed,
        ShapeName::Flat => Shape::Flat,
        ShapeName::Chain => Shape::Chain,
    };
    let snapshot = generate(args.users, shape, args.seed);
    let conversion = convert(
        &snapshot,
        &snapshot.tree,
        &snapshot.settings,
        args.target.to,
    );
    convert::deliver(&conversion, &args.target, &[])?;
    Ok(FINE)
}
