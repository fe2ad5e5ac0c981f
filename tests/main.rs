//! One binary for all tests: it links once.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it stands"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the files of a test are there and end"
)]

mod advise;
mod architecture;
mod base;
mod cli;
mod clock;
mod contention;
mod diff;
mod extended;
mod format;
mod fuzz;
mod history;
mod laws;
mod live;
mod manual;
mod metrics;
mod model;
mod names;
mod number;
mod plan;
mod policy;
mod pty;
mod report;
mod save;
mod scenario;
mod screenshots;
mod shown;
mod simulate;
mod solve;
mod support;
mod timeline;
mod tui;
mod unchanged;
mod user;
mod verify;
mod web;
mod work;
