//! What Slurm's numbers follow from, kept with them.

use super::usage::Usages;
use crate::model::Slurm;
use std::sync::Arc;

/// What an evaluation followed from, to tell what an edit of shares changes.
#[derive(Clone, Debug)]
pub(in crate::rules::policy) struct SlurmInputs {
    /// By position: raw shares, cut to 32 bits; 0 for `parent`.
    pub(in crate::rules::policy) shares: Arc<Vec<u32>>,
    /// Whether any node has shares `parent`.
    pub(in crate::rules::policy) has_parents: bool,
    /// The settings.
    pub(in crate::rules::policy) settings: Slurm,
    /// Usage as Slurm holds it.
    pub(super) usage: Arc<Usages>,
    /// By position: whether the node is a user.
    pub(super) is_user: Arc<Vec<bool>>,
}
