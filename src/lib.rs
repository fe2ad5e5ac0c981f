//! fairscope opens a fairshare tree — of PBS, Slurm, Flux, or your own — and shows who deserves to run next, why, and
//! what would change if you changed a share or charged some usage; and whether the scheduler's own numbers are what
//! follows from its rule.
//!
//! # The map
//!
//! ```text
//!  bytes ──► source ──► model ──► scenario ──► rules ──► report  text, csv, json ──► cli ── main
//!            parse      facts     what if      numbers   tui     keys, frames
//!                                    │            ▲
//!                                    └► analysis ─┘  what it takes, what becomes of it
//! ```
//!
//! A number on the screen has a straight ancestry: a byte in a file became a fact in [`model`], may have been
//! changed by an edit in [`scenario`], was turned into a ratio by a policy of [`rules`], was given a row by
//! [`report::outline`], and was drawn by [`tui`] or printed by [`report`]. Every stage is a function of the one before
//! it.
//!
//! The house has nine floors. A floor uses those below it, never one above; the folder of a floor holds its rooms, and
//! the head of each folder says what lives there and what does not.
//!
//! | floor | rooms | what lives there |
//! |---|---|---|
//! | [`cli`] |  | arguments in, exit code out |
//! | [`tui`] |  | screens: keys in, frames out |
//! | [`report`] | `outline` | rows and answers as text, Markdown, CSV, JSON |
//! | [`analysis`] | `diff` `solve` `simulate` `contention` `timeline` `plan` | questions about a tree, answered as values |
//! | [`source`] | `format` `live` `verify` `reconstruct` `opened` | where a tree comes from, and whether its numbers are right |
//! | [`scenario`] |  | edits, undo, the edit language |
//! | [`rules`] | `policy` `clock` | what schedulers compute |
//! | [`model`] | `generate` | tree, names, settings, snapshot |
//! | [`base`] | `shown` `number` `nearest` `table` `save` `extended` | what knows nothing of fairshare trees |
//!
//! # Invariants, each held by a test
//!
//! 1. Everything below [`tui`] but [`source::live`] knows no terminal, no clock, no environment and no threads, and
//!    prints nothing. One loop of [`rules::clock`], the products of a year of Slurm's decay, runs on all cores: what
//!    becomes of one number does not depend on the others.
//! 2. A snapshot is never changed. What-ifs live in a scenario: dropping its edits gives the snapshot back.
//! 3. A policy computes; it never formats. Numbers become text in [`base::number`] alone.
//! 4. Parsers do not fail on bad lines: they give what they understood and a list of problems.
//! 5. `tui::App::update` is the only place where the state of the screen changes, and it does nothing else: what it
//!    wants done comes back as data.
//! 6. Drawing changes nothing but the viewport.
//! 7. Nothing is written twice: actions, columns, policies, formats and settings are one table each.
//! 8. Nothing recurses over the depth of an input: a chain of a million nodes is a tree like any other.

pub mod analysis;
pub mod base;
pub mod cli;
pub mod model;
pub mod report;
pub mod rules;
pub mod scenario;
pub mod source;
pub mod tui;
