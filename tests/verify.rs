//! Recorded numbers held against computed ones.

mod captures;
mod detection;
mod files;
mod level_based;
mod own_dumps;
mod printed;
mod real_slurm;
mod reconstruct;
mod rules;
mod unsettled;
