//! Recorded numbers held against computed ones.

mod captures;
mod real_slurm;
mod rules;
