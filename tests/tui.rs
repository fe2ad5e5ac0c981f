//! The explorer.

mod ahead;
mod environment;
mod journeys;
mod live;
mod menus;
mod policies;
mod scenarios;
mod shelf;
mod slurm;
