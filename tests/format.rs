//! Files in and out.

mod convert;
mod csv;
mod example;
mod flux;
mod input;
mod malformed;
mod native;
mod pbs;
mod public;
mod slurm;
