//! The line that asks for a busy cluster: `100 for 90d job 12h demand alice=16 against classic`.

use crate::analysis::contention::Machine;
use crate::base::nearest::unknown;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{DurationForm, Tree, seconds_of};
use crate::report::question::MachineQuestion;
use crate::rules::policy::Policy;

/// The line that the prompt begins with.
pub(crate) const USUAL: &str = "100 for 90d";

/// The words that may follow the number of cores, each with a value.
const WORDS: &[&str] = &[
    "for", "job", "spread", "cycle", "step", "demand", "seed", "against",
];

/// Reads the line: the cores of the machine, then words with a value each.
pub(crate) fn read(line: &str, tree: &Tree) -> Result<MachineQuestion, Shown> {
    let mut words = line.split_whitespace();
    let cores = words.next().unwrap_or_default();
    let mut question = MachineQuestion {
        machine: Machine::default(),
        against: None,
    };
    question.machine.cores = cores
        .parse()
        .map_err(|_| "expected a number of cores first, as in 100 for 90d")?;
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        take(&mut question, word, value, tree)?;
    }
    Ok(question)
}

/// Takes up a word with its value.
fn take(question: &mut MachineQuestion, word: &str, value: &str, tree: &Tree) -> Result<(), Shown> {
    let machine = &mut question.machine;
    match word {
        "for" => machine.until = time(word, value)?,
        "job" => machine.job_time = time(word, value)?,
        "cycle" => machine.cycle = Some(time(word, value)?),
        "step" => machine.window = Some(time(word, value)?),
        "spread" => machine.spread = percent(word, value)?,
        "seed" => {
            let seed = value.parse();
            machine.seed = seed.map_err(|_| refused(word, value, &"expected a whole number"))?;
        }
        "demand" => {
            let added = machine.add_demand(value.as_bytes(), tree);
            added.map_err(|error| refused(word, value, &error))?;
        }
        "against" => question.against = Some(Policy::parse(value)?),
        _ => return Err(unknown("word", word, WORDS.iter().copied())),
    }
    Ok(())
}

/// Returns a time in seconds.
fn time(word: &str, value: &str) -> Result<u64, Shown> {
    seconds_of(value, DurationForm::Common).map_err(|error| sentence!("{word}: {error}"))
}

/// Returns a number of percent up to 100.
fn percent(word: &str, value: &str) -> Result<u8, Shown> {
    match value.parse() {
        Ok(percent) if percent <= 100 => Ok(percent),
        _ => Err(refused(word, value, &"expected 0 to 100 percent")),
    }
}

/// Says why the value of a word is none.
fn refused(word: &str, value: &str, why: &impl std::fmt::Display) -> Shown {
    let typed = shown(value.as_bytes());
    sentence!("{word} {typed}: {why}")
}
