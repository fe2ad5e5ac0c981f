//! Files and output of flux-accounting.

mod database;
mod hostile;
mod json;
mod view_bank;
