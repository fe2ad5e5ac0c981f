//! Plans: applied as their scheduler would apply them they give the scenario, and their rollbacks the snapshot.

mod flux;
mod pbs;
mod real_slurm;
mod sacctmgr;
mod shell;
mod slurm;
