//! Output of Slurm's commands.

mod assemble;
mod assoc;
mod assoc_mgr;
mod config;
mod dump;
mod json;
mod part;
mod printed;
mod sshare;
