//! Time passes as it does for the real schedulers, to the bit.

mod flux;
mod pbs;
mod plain;
mod slurm;
mod waiting;
