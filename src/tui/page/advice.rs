//! The page of advice: the fewest edits that keep the goals of a site.

use crate::analysis::advise::{SiteGoal, advise, most_shares, times, usual_tries};
use crate::analysis::contention::Machine;
use crate::analysis::solve::SolveError;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::model::NodeId;
use crate::report::advise::AdviceReport;
use crate::report::document::Offer;
use crate::report::{Report as _, View};
use crate::scenario::{Edit, Scenario};
use crate::tui::job::Ticket;
use crate::tui::page::content::Page;
use crate::tui::page::told;
use std::collections::BTreeMap;

/// Reads the goals of a site, separated by semicolons.
pub(crate) fn site_goals(scenario: &Scenario, text: &str) -> Result<Vec<SiteGoal>, Shown> {
    let goals = text.split(';').filter(|goal| !goal.trim().is_empty());
    let goals = goals.map(|goal| SiteGoal::parse(goal.as_bytes(), scenario));
    goals.collect::<Result<_, _>>().map_err(told)
}

/// Returns the page with the fewest edits that keep the goals of a site, which enter applies together.
pub(crate) fn advice(
    scenario: &Scenario,
    view: &View<'_>,
    text: &str,
    ticket: &Ticket,
) -> Result<Page, Shown> {
    let goals = site_goals(scenario, text)?;
    let most = most_shares(scenario);
    let none = BTreeMap::new();
    let usual = usual_tries(scenario) as f64;
    let mut spent = |tries: usize| {
        if ticket.is_cancelled() {
            f64::INFINITY
        } else {
            tries as f64 / usual
        }
    };
    let advice = advise(scenario, &none, goals, most, &mut spent).map_err(told)?;
    if ticket.is_cancelled() {
        return Err(told(SolveError::Cancelled));
    }
    let cores = Machine::default().cores;
    let report = AdviceReport {
        view: *view,
        advice: Some(&advice),
        times: &times(&advice, cores, &mut |_| ticket.go_on()),
        half_lives: None,
    };
    let title = sentence!("Advice: {}", shown_text(text.as_bytes()));
    let mut document = report.document();
    if !advice.edits.is_empty() {
        let mut node = NodeId::ROOT;
        for edit in advice.edits.iter().rev() {
            if let Edit::SetShares { node: changed, .. } = edit {
                node = *changed;
            }
        }
        document.section("To try it");
        document.offer(
            "all edits of this proposal",
            Offer {
                edit: Edit::Batch(advice.edits.clone()),
                node,
                is_first: true,
            },
        );
    }
    Ok(Page::of(document, title, "the advice", "advice.txt"))
}
