//! What flux-accounting keeps and prints.

mod database;
mod json;
mod view_bank;
