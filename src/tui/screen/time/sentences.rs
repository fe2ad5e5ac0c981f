//! The sentences below the chart: when the node reaches its goal, the assumptions and the unknowns.

use crate::analysis::simulate::Assumptions;
use crate::base::shown::{Shown, cut, sentence};
use crate::model::duration_for_people;
use crate::report::{label, words};
use crate::tui::state::{Session, Ui};
use crate::tui::time::forecast::{Forecast, Lines};
use crate::tui::widget::wrap;

/// The topic of a sentence, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Estimate,
    Assumption,
    Unknown,
}

/// A sentence with its topic, in full and in short.
type Sentence = (Topic, [Shown; 2]);

/// Returns the rows of all full sentences, except those about unknowns, which are omitted first.
pub(crate) fn rows_wanted(sentences: &[Sentence], width: usize) -> usize {
    let sentences = sentences.iter();
    let wanted = sentences.filter(|(topic, _)| *topic != Topic::Unknown);
    let rows = wanted.map(|(_, [long, _])| wrap(long, width.saturating_sub(1)).len());
    rows.sum()
}

/// Returns the lines that fit an area, cut if needed. Estimates and assumptions keep a line each while there is room.
pub(crate) fn fit(mut sentences: Vec<Sentence>, width: usize, rows: usize) -> Vec<(Topic, String)> {
    let width = width.saturating_sub(1);
    let rows_of = |(_, [long, _]): &Sentence| wrap(long, width).len();
    let mut full: usize = sentences.iter().map(rows_of).sum();
    while full > rows
        && let Some(last) = sentences.pop_if(|(topic, _)| *topic == Topic::Unknown)
    {
        full -= rows_of(&last);
    }
    let kept = sentences.iter().map(|(topic, [long, short])| {
        let text = if full > rows { short } else { long };
        (*topic, wrap(text, width))
    });
    let mut kept: Vec<(Topic, Vec<String>)> = kept.collect();
    // The assumptions are cut first, then the estimates from the last one on. Each keeps a line.
    let mut over = kept.iter().map(|(_, lines)| lines.len()).sum::<usize>();
    over = over.saturating_sub(rows);
    for is_estimate in [false, true] {
        let cuttable = kept.iter_mut().rev();
        for (_, lines) in cuttable.filter(|it| (it.0 == Topic::Estimate) == is_estimate) {
            let keep = lines.len().saturating_sub(over).max(1);
            over -= lines.len() - keep;
            if keep < lines.len() {
                let rest = lines.split_off(keep - 1).join(" ");
                lines.push(cut(&rest, width).into_owned());
            }
        }
    }
    // The last estimates are omitted before the assumptions.
    while kept.len() > rows.max(1) {
        let estimates = kept.iter().filter(|it| it.0 == Topic::Estimate).count();
        kept.remove(estimates.saturating_sub(1));
    }
    let lines = kept.into_iter();
    let lines = lines.flat_map(|(topic, lines)| lines.into_iter().map(move |line| (topic, line)));
    lines.take(rows).collect()
}

pub(crate) fn sentences(ui: &Ui, session: &Session) -> Vec<Sentence> {
    let settings = session.scenario.settings();
    let mut sentences = Vec::new();
    let forecast = session.time.forecast(session.scenario.tree());
    if let Some(forecast) = forecast {
        sentences.extend(estimates(session, forecast));
    }
    let assumed = sentence!("Assumed: {}.", assumptions(session));
    sentences.push((Topic::Assumption, [assumed.clone(), assumed]));
    let refused = forecast.and_then(|forecast| forecast.refused.clone());
    if let Some(refused) = refused {
        sentences.push((Topic::Assumption, [refused.clone(), refused]));
    } else if let Some(seconds) = session.time.other_half_life {
        let other = duration_for_people(seconds);
        let long = sentence!("Dashed: the same usage charged, but a half-life of {other}.");
        let short = sentence!("Dashed: a half-life of {other}.");
        sentences.push((Topic::Assumption, [long, short]));
    }
    if settings.time.taken.is_none() {
        let text = "No dates: the source does not say when it was taken.";
        sentences.push((Topic::Unknown, [text, text].map(Shown::from)));
    }
    // Assumptions about this tree are last in the list, but are shown first.
    let assumptions = forecast.map_or(&[][..], |forecast| &forecast.assumptions);
    sentences.extend(assumptions.iter().rev().map(|assumption| {
        let text = words::on_its_own(&assumption.clause());
        (Topic::Unknown, [text.clone(), text])
    }));
    for text in sentences.iter_mut().flat_map(|(_, texts)| texts) {
        *text = ui.spelled(std::mem::take(text));
    }
    sentences
}

fn estimates(session: &Session, forecast: &Forecast) -> Vec<Sentence> {
    let scenario = &session.scenario;
    let time = &scenario.settings().time;
    let (now, taken) = (time.passed, time.taken);
    let name = label(scenario.tree(), forecast.key.selected);
    let is_one = forecast.branches.len() == 1;
    let branches = forecast.branches.iter().zip('a'..='z');
    let sentences = branches.filter_map(|(branch, letter)| {
        let texts = match branch.estimate.as_ref()? {
            Ok(estimate) => {
                let short = estimate.in_short(now, taken);
                [estimate.sentence(&name, now, taken), short]
            }
            Err(error) => [sentence!("{error}"), sentence!("{error}")],
        };
        let whose = (!is_one).then(|| sentence!("{letter}: "));
        let whose = whose.unwrap_or_default();
        let texts = texts.map(|sentence| sentence!("{whose}{sentence}."));
        Some((Topic::Estimate, texts))
    });
    sentences.collect()
}

fn assumptions(session: &Session) -> Shown {
    let Some(Assumptions { usage, decay }) = &session.time.assumed else {
        return Shown::default();
    };
    let decay_in_words = words::simulate::decay(decay);
    match session.drawn_lines() {
        // Each line names its usage, so only the decay remains.
        Lines::Assumptions => decay_in_words,
        Lines::Nodes => {
            let tree = session.scenario.tree();
            let usage = usage
                .iter()
                .map(|usage| words::simulate::usage(tree, decay, usage));
            Shown::joined(usage.chain([decay_in_words]), "; ")
        }
    }
}
