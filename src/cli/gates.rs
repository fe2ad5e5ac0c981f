//! `--fail-if`: gates, which fail a command.

use super::source::Opened;
use super::{FINE, FOUND, output};
use crate::analysis::gate::{Gate, GateValues, Judgement};
use crate::base::shown::shown_text;
use crate::open::desired::Drift;
use crate::report::metrics::broken_gates;
use clap::Args as Arguments;
use color_eyre::eyre::{self, WrapErr, bail};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// Conditions under which a command exits with 1.
#[derive(Arguments, Debug, Default)]
pub struct GateArgs {
    /// Exit with 1 if this is true, as in 'gini > 0.6'; may be repeated
    #[arg(long = "fail-if", value_name = "EXPR")]
    pub conditions: Vec<OsString>,
}

impl GateArgs {
    /// Judges what was opened. Gates that compare it with what it was before edits are refused unless it has some.
    pub(super) fn judge(
        &self,
        opened: &Opened,
        has_edits: bool,
        drift: Option<&Drift>,
    ) -> eyre::Result<Vec<Judgement>> {
        let scenario = &opened.scenario;
        let left_out = drift.map_or(0, |drift| drift.problems.count());
        let has_edits = has_edits || !scenario.history().is_untouched();
        let values = GateValues::default();
        let judge = |text: &OsString| {
            let option = || format!("--fail-if '{}'", shown_text(text.as_bytes()));
            let gate = Gate::parse(text.as_bytes(), scenario.tree()).wrap_err_with(option)?;
            if gate.needs_edits() && !has_edits {
                bail!(
                    "{}: it needs edits, and there are none; use it with fairscope whatif",
                    option()
                );
            }
            let verification = &opened.source.verification;
            Ok(gate.judge(scenario, verification, left_out, &values))
        };
        self.conditions.iter().map(judge).collect()
    }
}

/// Returns the exit code of a command with gates. Broken ones that people do not read in its output are told here.
pub(super) fn code(judgements: &[Judgement], are_told: bool) -> u8 {
    let broken = broken_gates(judgements).collect::<Vec<_>>();
    if !are_told {
        for sentence in &broken {
            output::complain(sentence);
        }
    }
    if broken.is_empty() { FINE } else { FOUND }
}
