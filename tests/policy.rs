//! Policies compared with the numbers of the real schedulers.

mod classic;
mod comparison;
mod factor_rule;
mod fair_tree;
mod flux;
mod formula;
mod level_based;
mod pbs;
mod real_slurm;
mod target;
mod tickets;
