//! Policies against the numbers of the real schedulers.

mod fair_tree;
mod pbs;
mod real_slurm;
