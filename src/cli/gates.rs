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
        let verification = &opened.source.verification;
        let left_out = match drift {
            Some(drift) => drift.problems.count(),
            None => 0,
        };
        let has_edits = has_edits || !scenario.history().is_untouched();
        let values = GateValues::default();
        let mut judgements = Vec::new();
        for condition in &self.conditions {
            let text = condition.as_bytes();
            let option = format!("--fail-if '{}'", shown_text(text));
            let gate = match Gate::parse(text, scenario.tree()) {
                Ok(gate) => gate,
                Err(error) => return Err(error).wrap_err(option),
            };
            if gate.needs_edits() && !has_edits {
                bail!("{option}: it needs edits, and there are none; use it with fairscope whatif");
            }
            let judgement = gate.judge(scenario, verification, left_out, &values);
            judgements.push(judgement);
        }
        Ok(judgements)
    }
}

/// Returns the exit code of a command with gates. Broken ones that people do not read in its output are told here.
pub(super) fn code(judgements: &[Judgement], are_told: bool) -> u8 {
    let mut code = FINE;
    for sentence in broken_gates(judgements) {
        code = FOUND;
        if !are_told {
            output::complain(&sentence);
        }
    }
    code
}
