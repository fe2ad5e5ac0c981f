//! Time passes as it does for the real schedulers, to the bit.

mod pbs;
mod plain;
mod slurm;
mod waiting;
