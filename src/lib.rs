//! fairscope opens a fairshare tree — of PBS, Slurm, Flux, or your own — and shows who deserves to run next, why, and
//! what would change if you changed a share or charged some usage; and whether the scheduler's own numbers are what
//! follows from its rule.
//!
//! # The map
//!
//! ```text
//!  bytes ──► format ──► model ──► scenario ──► policy ──► outline ──►  tui     keys, frames
//!            parse      facts     what if      numbers    which rows   report  text, csv, json
//!                                                                      ▲
//!                                                                     cli ── main
//! ```
//!
//! A number on the screen has a straight ancestry: a byte in a file became a fact in [`model`], may have been
//! changed by an edit in [`scenario`], was turned into a ratio by a [`policy`], was given a row by [`outline`],
//! and was drawn by [`tui`] or printed by [`report`]. Every stage is a function of the one before it.
//!
//! Who may use whom, downward only:
//!
//! | layer | uses |
//! |---|---|
//! | [`shown`], [`number`] | nothing of ours: bytes and numbers as text |
//! | [`extended`] | nothing of ours: C's `long double` |
//! | `nearest` | `shown`: a word nobody knows, and the one that was probably meant |
//! | [`model`] | `extended`, `nearest`, `shown`, `table` |
//! | [`policy`] | `extended`, `model`, `nearest`, `shown` |
//! | [`mod@format`] | `model`, `policy` (what PBS would write), `shown` |
//! | [`scenario`] | `clock`, `model`, `policy` |
//! | [`clock`] | `extended`, `model`, `policy` (the numbers of its schedulers): usage as time goes on |
//! | [`contention`] | `generate`, `model`, `policy`, `scenario`, `simulate`: a machine that hands out cores |
//! | [`simulate`] | `clock`, `model`, `number`, `policy`, `scenario`, `shown`, `solve` (its goals): what becomes of a scenario |
//! | [`diff`] | `model`, `policy`, `scenario`: two trees, and which change moved whom |
//! | [`reconstruct`] | `extended`, `model`, `policy`: usage as the scheduler had it, from what it printed |
//! | [`verify`] | `model`, `policy`, `reconstruct`: what a scheduler recorded against what we compute |
//! | [`live`] | `format`, `model`, `save`, `shown`: the scheduler's own commands in place of files |
//! | [`outline`] | `model`, `policy`, `scenario` |
//! | [`generate`] | `model` |
//! | [`plan`] | `format`, `model`, `scenario`, `shown`: the commands that make a scenario true |
//! | [`save`] | nothing of ours: a file is the old one or the new one |
//! | [`solve`] | `model`, `number`, `policy`, `scenario`, `shown`: the least shares that reach a goal |
//! | [`opened`] | `format`, `model`, `policy`, `save`, `scenario`, `shown`, `verify` |
//! | [`timeline`] | `diff`, `format`, `model`, `opened`, `policy`, `scenario`, `shown`: a series of dumps |
//! | [`report`] | all of the above |
//! | [`tui`], [`cli`] | all of the above |
//!
//! # Invariants, each held by a test
//!
//! 1. Everything above `save` in the table but `live` knows no terminal, no clock, no environment and no threads, and
//!    prints nothing. One loop of [`clock`], the products of a year of Slurm's decay, runs on all cores: what becomes of
//!    one number does not depend on the others.
//! 2. A snapshot is never changed. What-ifs live in a scenario: dropping its edits gives the snapshot back.
//! 3. A policy computes; it never formats. Numbers become text in [`number`] alone.
//! 4. Parsers do not fail on bad lines: they give what they understood and a list of problems.
//! 5. `tui::App::update` is the only place where the state of the screen changes, and it does nothing else: what it
//!    wants done comes back as data.
//! 6. Drawing changes nothing but the viewport.
//! 7. Nothing is written twice: actions, columns, policies, formats and settings are one table each.
//! 8. Nothing recurses over the depth of an input: a chain of a million nodes is a tree like any other.

pub mod cli;
pub mod clock;
pub mod contention;
pub mod diff;
pub mod extended;
pub mod format;
pub mod generate;
pub mod live;
pub mod model;
mod nearest;
pub mod number;
pub mod opened;
pub mod outline;
pub mod plan;
pub mod policy;
pub mod reconstruct;
pub mod report;
pub mod save;
pub mod scenario;
pub mod shown;
pub mod simulate;
pub mod solve;
mod table;
pub mod timeline;
pub mod tui;
pub mod verify;
