//! The explorer.

mod ahead;
mod ascii;
mod bars;
pub(crate) mod config;
mod cut;
mod decoder;
mod edits;
mod environment;
mod hostile;
mod journeys;
mod keys;
mod leaving;
mod live;
mod manual;
mod menus;
mod mouse;
mod other_scenarios;
mod pages;
mod picker;
mod policies;
mod scenarios;
mod slurm;
mod surface;
mod tasks;
mod themes;
mod time;
mod timeline;
