//! The explorer.

mod ahead;
mod edits;
mod environment;
mod journeys;
mod live;
mod menus;
mod pages;
mod policies;
mod scenarios;
mod shelf;
mod slurm;
mod time;
mod timeline;
