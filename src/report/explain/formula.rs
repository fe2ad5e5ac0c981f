//! A formula's numbers in words.

use super::Line;
use crate::policy::{Explanation, pbs};
use crate::report::View;

pub(super) fn lines(
    view: &View<'_>,
    _explanation: &Explanation,
    detail: &pbs::Explanation,
) -> Vec<Line> {
    super::pbs::lines(view, detail)
}
