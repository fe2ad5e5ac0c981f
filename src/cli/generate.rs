//! `fairscope generate`: a random tree, the same for the same seed.

use super::args::{GenerateArgs, ShapeName};
use super::{FINE, Outcome, convert};
use crate::base::number::{counted, grouped};
use crate::format::convert::convert;
use crate::model::generate::{BYTES_PER_USER, Shape, generate};
use color_eyre::Result;
use color_eyre::eyre::bail;

pub(super) fn run(args: &GenerateArgs) -> Outcome {
    let shape = match args.shape {
        ShapeName::Balanced => Shape::Balanced,
        ShapeName::Skewed => Shape::Skewed,
        ShapeName::Flat => Shape::Flat,
        ShapeName::Chain => Shape::Chain,
    };
    check_room(args.users)?;
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

/// Checks that the system would give most of the memory that so many users need at least.
fn check_room(users: usize) -> Result<()> {
    let bytes = users.saturating_mul(BYTES_PER_USER);
    if Vec::<u8>::new()
        .try_reserve_exact(bytes - bytes / 4)
        .is_ok()
    {
        return Ok(());
    }
    bail!(
        "a tree of {} needs about {} MiB of memory, which are not available; end other programs, raise the limit \
         (ulimit -v), or generate fewer users",
        counted(users, "user", "users"),
        grouped(bytes.div_ceil(1 << 20))
    );
}
