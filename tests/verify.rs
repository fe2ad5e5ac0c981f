//! Recorded numbers held against computed ones.

mod captures;
mod files;
mod printed;
mod real_slurm;
mod rules;
