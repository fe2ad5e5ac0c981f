//! What flux-accounting keeps and prints.

mod database;
mod hostile;
mod json;
mod view_bank;
