//! Recorded numbers held against computed ones.

mod captures;
mod printed;
mod real_slurm;
mod rules;
