//! A simulated busy cluster: delivered portions against targets, under the current policy and optionally a second one.

use crate::analysis::contention::{Machine, MachineError, contend, demand};
use crate::base::nearest::unknown;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{DurationForm, Tree, duration_for_people, resolve, seconds_of};
use crate::report::View;
use crate::report::contention::Runs;
use crate::report::document::Document;
use crate::report::line::{Emphasis, Line};
use crate::report::words::contention as words;
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;

pub(crate) const USUAL: &str = "100 for 90d";

/// The words that may follow the number of cores, each with a value.
const WORDS: [&str; 8] = [
    "for", "job", "spread", "cycle", "step", "demand", "seed", "against",
];

/// Parses a machine from the text of the prompt: `100 for 90d job 12h demand alice=16 against classic`.
pub(crate) fn parse(text: &str, tree: &Tree) -> Result<(Machine, Option<Policy>), Shown> {
    let mut machine = Machine::default();
    let mut against = None;
    let mut words = text.split_whitespace();
    let cores = words.next().unwrap_or_default();
    machine.cores = cores
        .parse()
        .map_err(|_| "expected a number of cores first, as in 100 for 90d")?;
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        let typed = shown(value.as_bytes());
        let expected = |what: &str| sentence!("{word} {typed}: expected {what}");
        let time = || {
            let seconds = seconds_of(value, DurationForm::Common);
            seconds.map_err(|error| sentence!("{word}: {error}"))
        };
        match word {
            "for" => machine.until = time()?,
            "job" => machine.job_time = time()?,
            "cycle" => machine.cycle = Some(time()?),
            "step" => machine.window = Some(time()?),
            "spread" => {
                let percent = value.parse().ok().filter(|percent| *percent <= 100);
                machine.spread = percent.ok_or_else(|| expected("0 to 100 percent"))?;
            }
            "seed" => machine.seed = value.parse().map_err(|_| expected("a whole number"))?,
            "demand" => {
                let (path, cores) = demand(value.as_bytes()).ok_or_else(|| {
                    expected("a number of cores or unlimited, as in 16 or group/user=16")
                })?;
                if let Some(path) = path {
                    let node = resolve(tree, path).map_err(|error| Shown::error(&error))?;
                    machine.demands.push((node, cores));
                } else {
                    machine.demand = cores;
                }
            }
            "against" => {
                let names = Policy::ALL.iter().map(|policy| policy.name());
                let policy = Policy::named(value);
                against = Some(policy.ok_or_else(|| unknown("policy", value, names))?);
            }
            word => return Err(unknown("word", word, WORDS.into_iter())),
        }
    }
    Ok((machine, against))
}

pub(crate) fn page(
    scenario: &Scenario,
    view: &View<'_>,
    machine: &Machine,
    against: Option<Policy>,
    ticket: &Ticket,
) -> Result<Page, MachineError> {
    let progress = &mut |_| ticket.go_on();
    let mut runs = vec![contend(scenario, machine, progress)?];
    if let Some(policy) = against.filter(|&policy| policy != scenario.policy()) {
        let mut other = scenario.clone();
        other.set_policy(policy);
        runs.push(contend(&other, machine, progress)?);
    }
    let runs = Runs { view, runs: &runs };
    let policies: Vec<&str> = runs.runs.iter().map(|run| run.policy.title()).collect();
    let (time, policies) = (duration_for_people(machine.until), policies.join(" and "));
    let title = sentence!("{} cores for {time} under {policies}", machine.cores);
    let mut document = Document::default();
    document.heading("Assumptions");
    document.lines(runs.machine());
    document.heading("Shares of the top level over time");
    document.figures(runs.drawing());
    for run in runs.runs {
        let verdict = runs.verdict(run);
        let sentences = words::verdict(view.tree, run, &verdict);
        for (place, sentence) in sentences.into_iter().enumerate() {
            let emphasis = match place {
                0 if verdict.is_converged() => Emphasis::Better,
                0 => Emphasis::Warning,
                _ => Emphasis::Dim,
            };
            document.line(Line::of(emphasis, sentence));
        }
    }
    let (table, left_off) = runs.table();
    document.heading("Delivered against target");
    document.table(table);
    document.lines(left_off.map(|line| Line::from(sentence!("  {line}")).drawn()));
    let what = "the delivered shares";
    Ok(Page::of(document, title, what, "cores.txt"))
}
