//! Clocks compared with the real schedulers, bit for bit.

mod flux;
mod pbs;
mod plain;
mod slurm;
mod waiting;
