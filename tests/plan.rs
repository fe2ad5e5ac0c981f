//! Plans: applying one as its scheduler would gives the scenario, and its rollback gives back the snapshot.

mod flux;
mod pbs;
mod real_slurm;
mod sacctmgr;
mod scripts;
mod shell;
mod slurm;
