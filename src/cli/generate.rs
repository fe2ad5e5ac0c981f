//! `fairscope generate`: a random tree, the same for the same seed.

use super::args::{GenerateArgs, ShapeName};
use super::{FINE, Outcome, convert};
use crate::base::number::counted;
use crate::model::generate::{BYTES_PER_USER, Shape, generate};
use crate::source::format::convert::convert;
use crate::source::format::memory::Shortage;
use color_eyre::eyre::bail;

pub(super) fn run(args: &GenerateArgs) -> Outcome {
    let shape = match args.shape {
        ShapeName::Balanced => Shape::Balanced,
        ShapeName::Skewed => Shape::Skewed,
        ShapeName::Flat => Shape::Flat,
        ShapeName::Chain => Shape::Chain,
    };
    if let Some(Shortage { reason, remedy }) =
        Shortage::of(BYTES_PER_USER.saturating_mul(args.users as u64))
    {
        let users = counted(args.users, "user", "users");
        bail!("a tree of {users} {reason}; {remedy}, or generate fewer users");
    }
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
