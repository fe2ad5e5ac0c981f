//! fairscope opens a fairshare tree — of PBS, Slurm, Flux, or your own — and shows who runs next, why, and
//! what would change if you changed a share or charged some usage; and whether the scheduler's own numbers are what
//! follows from its rule.
//!
//! # The map
//!
//! ```text
//!  bytes ──► format ──► model ──► scenario ──► rules ──► report  text, csv, json ──► cli ── main
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
//! The house has twelve floors. A floor uses those below it, never one above; the folder of a floor holds its rooms, and
//! the head of each folder says what lives there and what does not.
//!
//! | floor | rooms | what lives there |
//! |---|---|---|
//! | [`cli`] |  | arguments in, exit code out |
//! | [`web`] |  | the explorer in a page: keys in, cells out |
//! | [`tui`] |  | screens: keys in, frames out |
//! | [`report`] | `outline` | rows and answers as text, Markdown, HTML, CSV, JSON |
//! | [`analysis`] | `diff` `solve` `advise` `simulate` `contention` `timeline` `plan` `queue` `user` `metrics` `impact` `gate` | questions about a tree, answered as values |
//! | [`open`] | `live` `opened` | where a tree comes from: paths, schedulers, series of dumps |
//! | [`trust`] | `verify` `printed` | whether the scheduler's own numbers are right, and when they are shown |
//! | [`format`](mod@format) |  | readers and writers |
//! | [`scenario`] |  | edits, undo, the edit language |
//! | [`rules`] | `policy` `clock` | what schedulers compute |
//! | [`model`] | `generate` | tree, names, settings, snapshot |
//! | [`base`] | `shown` `number` `nearest` `places` `fuzzy` `sort` `table` `ascii` `disk` `fingerprint` `save` `shell` `extended` `cores` | what knows nothing of fairshare trees |
//!
//! [`web`]: tui::Headless
//!
//! # Invariants, each held by a test
//!
//! 1. Everything below [`tui`] but [`open::live`] knows no terminal, no clock and no environment, and prints nothing.
//!    No result depends on the number of cores: what runs on several is shared out by [`base::cores`](base), and the parts
//!    are put together in their order.
//! 2. A snapshot is never changed. What-ifs live in a scenario: dropping its edits gives the snapshot back.
//! 3. A policy computes; it never formats. Numbers become text in [`base::number`] alone.
//! 4. Parsers do not fail on bad lines: they give what they understood and a list of problems.
//! 5. `tui::App::update` is the only place where the state of the explorer changes, and it does nothing else: what is
//!    to be done comes back as data.
//! 6. Drawing borrows the state and changes nothing but where things were drawn.
//! 7. Nothing is written twice: actions, columns, policies, formats and settings are one table each.
//! 8. Nothing recurses over the depth of an input: a chain of a million nodes is a tree like any other.
//! 9. What a source does not list of a level is one node of the tree ([`model::Part`]), and every rule computes with it: there
//!    is no second arithmetic for a part of a tree. What needs each unlisted user by itself has no number.
//!
//! # Five rules for changes
//!
//! - **One rule, one place.** A second, faster way to a number needs a measured failure at 100,000 nodes, and its commit
//!   says how many lines it costs. An edit computes the tree as opening does: the evaluation that followed single edits
//!   took 1,400 lines.
//! - **A new thing pays with an old one.** A report that needs a table uses `src/report/render/table.rs`, and what it replaces
//!   goes in the same change.
//! - **The screen and the script show the same value.** `rank` and the screen Ranking ask the same
//!   [`Evaluation`](rules::policy::Evaluation), and the Plan page holds the commands that `plan` prints.
//! - **A type's name says what it is without its path.** `ForecastKey`, not `Key` in a module `forecast`.
//! - **Rare input gets a clear refusal before it gets a parser.** Output of `sinfo` is named and refused, with the
//!   command to run instead.
//!
//! # Text that is safe to print
//!
//! Names come from files, and a terminal obeys what it reads. [`base::shown::Shown`] is text that is safe to print: a
//! name as `shown` wrote it, words of ours, a number, or a sentence of these, made by `sentence!`. No raw name can become
//! one. Whatever a person reads is one: errors, problems of a source, notices, prompts, the lines of reports and pages, the
//! cells of tables, the items of menus. Nobody who prints them has to remember to escape. `tests/architecture/errors.rs`
//! lists these types, checks their fields, and lists the few places where a report holds exact text for a program.
//!
//! A cell of a table is `Cell::Shown` for people, and `Cell::Exact` for CSV, which escapes by its own rule, as JSON does.
//! The screens put these texts together and draw them. So the printing edge looks at everything once more by the rules of
//! `Shown::again`, which leave what is safe as it is: `TextWriter` writes out the rest on the command line, and the
//! explorer's terminal draws a mark in its cell.
//!
//! # From another program
//!
//! The library is there for the program, and its names change with it. What this example needs is kept from version to
//! version; nothing else is.
//!
//! ```
//! use fairscope::format::Request;
//! use fairscope::model::path_of;
//! use fairscope::open::load;
//! use fairscope::open::opened::Opened;
//! use std::ops::ControlFlow;
//!
//! let request = Request::to_open("example:small");
//! let loaded = load(&request, &mut |_| ControlFlow::Continue(()))?;
//! let scenario = Opened::new(loaded, None).scenario;
//! let numbers = scenario.evaluation();
//! for &user in scenario.tree().nodes() {
//!     if numbers.rank(user) == Some(3) {
//!         let path = path_of(scenario.tree(), user);
//!         assert_eq!(path.as_deref(), Some("group2/suzy"));
//!     }
//! }
//! ```
//!
//! # Working on fairscope
//!
//! | what | how |
//! |---|---|
//! | build | `cargo build` |
//! | check | `.ci/run`: format, lints, tests, the golden numbers as released, documentation |
//! | test a part | `cargo test architecture`: any part of a test's path is a filter; `tests/main.rs` names the parts |
//! | golden numbers | `FAIRSCOPE_GOLDEN=DIRECTORY cargo test golden`: the larger set of schedulers' own outputs; a test that lacks its files says so and passes |
//! | outputs as they were | `cargo test unchanged`; after a change of outputs that is meant, `UPDATE=1 cargo test unchanged` |
//! | pictures of the README and the manual | `cargo test screenshots`; `UPDATE=1` draws them again |
//! | examples of the README and the manual | `cargo test manual`; `UPDATE=1` writes what they print now |
//! | the explorer in a page | `.ci/web`: one file of `src/web.rs` and `assets/web`, where the target and wasm-bindgen are |
//! | the static binary of the README | `FAIRSCOPE_STATIC=1 cargo test linking` builds it and looks at it |
//! | random input for hours | `FAIRSCOPE_FUZZ=SECONDS cargo test --release fuzz -- --nocapture`: `tests/fuzz.rs` says what of |
//! | speed | `cargo bench`: the goals stand in `tests/bench.rs` |
//! | work, by what repeats | `FAIRSCOPE_WORK=1 cargo test work -- --nocapture` counts it for up to 40,000 of each; `tests/work.rs` says how |
//!
//! Every table of the README and the manual is compared with the program by `tests/manual.rs`, which says what is missing
//! there.
//!
//! **A policy.** A row of `policies!` in `src/rules/policy.rs`, and below `src/rules/policy/` a file with its
//! `TRAITS`: what it computes, which columns it shows, which settings it reads. The compiler then asks for the rest:
//! the heading in `src/tui/screen/policies.rs`, the rule of its factor in `src/rules/policy/factor_rule.rs`, the words in
//! `src/report/words/contention.rs`, what can be verified in `src/trust/verify/slurm.rs`. Two places
//! the compiler does not ask for: the explanation of a rank in `src/report/words/explain.rs`, and the users that only
//! rounding keeps apart in `src/analysis/solve/search.rs`. Its numbers are tested in `tests/policy.rs` against those of the scheduler itself.
//!
//! **A column.** A row of `columns!` in `src/rules/policy/column.rs`; the policies that compute it name it in their
//! `TRAITS`, and give its values in `evaluate`. `src/report/render/column_widths.rs` says how wide it is and when it
//! gives way. The reports find it by its name. A fact that a scheduler prints is a row of the table in `src/model/recorded.rs`.
//!
//! **A setting.** A row of the table of its scheduler below `src/model/settings/`, and its key among the settings of
//! the policies that read it.
//!
//! **A format.** A row of the table in `src/model/format.rs`, a reader below `src/format/`, how it is
//! recognised in `src/open/detect.rs`, and the call of the reader in `src/open.rs`. What is wrong
//! with a line is a `Problem`; the codes of problems are listed in `assets/manual/problems.md`. One that can be written too has an
//! arm in `src/format/convert.rs`, and what it cannot hold is a `Fault` in `src/format/loss.rs`. Files
//! to read go below `tests/data`, tests below `tests/format.rs`.
//!
//! **An edit.** A variant of `Edit` in `src/scenario/edit.rs`; how it is read in `src/scenario/language.rs` and
//! written in `src/scenario/language/write.rs`. What it takes to make it true is planned below `src/analysis/plan/`.
//!
//! **An action.** A row of the table in `src/tui/input/action.rs`, with its handler, and a key in
//! `assets/keymap.toml`. The handler is a function in one of the files below `src/tui/update/`. Its row says what it
//! gets (`src/tui/update/handler.rs`). Work outside the explorer's state is queued as an effect.
//!
//! **A setting of the user's own.** A key of `Config` in `src/tui/config.rs`, documented with its default in
//! `assets/config.toml`, which the manual's `assets/manual/configuration.md` shows.
//!
//! **A prompt.** A purpose in `src/tui/state/dialog.rs`, and its arms: of an edit in `src/tui/update/prompt/edits.rs`, of
//! an answer in `src/tui/update/prompt/answers.rs`.
//!
//! **A report.** A file below `src/report/` that makes a table of columns (`src/report/render/table.rs`) from an answer,
//! returns a document of headings, sentences and tables (`src/report/render/document.rs`) for every form for people, and
//! serialises it for JSON (`src/report/render/json.rs`); its arguments and its command in a file below `src/cli/`, named in
//! `src/cli/args.rs`, and its examples in a file of the command's name in `assets/help/`.
//! `src/report/render/layout.rs` makes lines of so many cells of it, for a terminal, a page and the why pane alike.
//! New outputs join `tests/unchanged.rs`.
//!
//! **A question.** A variant of `Question` in `src/report/question.rs`, where it is answered by a report, once. A command
//! reads its arguments into it and hands it to `src/cli/ask.rs`; a key or a prompt of the explorer hands it to `page::ask`,
//! and the page is the document of the same report. A report that needs more than the tree, such as another file, is a
//! `Subject` of its own in `src/tui/page/content.rs`.
//!
//! **A lesson.** A file in `assets/lessons/`, and its name in the table in `src/report/lesson.rs`. The manual's topic
//! `lessons` says what it may hold. Its sentences hold no digits: a number is computed where it is said.
//!
//! **A topic of the manual.** A file in `assets/manual/`, and its name in the table in `src/report/manual.rs`. Questions that
//! people put in other words than the topic does are in `src/report/manual/synonyms.rs`.
//!
//! **A word.** An error, or a reason why something is left out, has its sentence beside its variant. Nothing else below
//! `report` builds one: an answer is an enum or a struct, and its words are in the file of its topic below
//! `src/report/words/`. `tests/architecture/prose.rs` checks that and lists the exceptions; `tests/architecture.rs` checks
//! the floors.

#![cfg_attr(
    not(feature = "terminal"),
    allow(
        dead_code,
        unused_imports,
        reason = "some of what the command line prints is used there alone"
    )
)]

pub mod analysis;
pub mod base;
#[cfg(feature = "terminal")]
pub mod cli;
pub mod format;
pub mod model;
pub mod open;
pub mod report;
pub mod rules;
pub mod scenario;
pub mod trust;
pub mod tui;
#[cfg(feature = "web")]
pub mod web;
