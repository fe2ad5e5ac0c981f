//! Files and output of flux-accounting.

mod database;
mod hostile;
mod jobs;
mod json;
mod view_bank;
