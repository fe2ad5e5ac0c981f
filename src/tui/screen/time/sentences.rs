//! The sentences below the chart: when the node reaches its goal, the assumptions and the unknowns.

use crate::analysis::simulate::Assumptions;
use crate::base::shown::{Shown, cut, sentence};
use crate::model::duration_for_people;
use crate::report::drawing::letter;
use crate::report::words;
use crate::rules::clock::USUAL_HALF_LIVES;
use crate::tui::state::{Session, Ui};
use crate::tui::time::axis::Quantity;
use crate::tui::time::forecast::{Branch, Forecast, Lines};
use crate::tui::time::wording::Wording;
use crate::tui::widget::wrap;

/// The topic of a sentence, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// When the node reaches its goal.
    Estimate,
    /// What the lines assume.
    Assumption,
    /// What is not known.
    Unknown,
}

/// A sentence with its topic.
pub(crate) struct Sentence {
    topic: Topic,
    text: Wording,
}

/// A line on the screen, with the topic of its sentence.
pub(crate) struct SentenceLine {
    /// The topic of the sentence.
    pub(crate) topic: Topic,
    /// The part of the sentence that is on the line.
    pub(crate) text: String,
}

/// A sentence in lines.
struct WrappedSentence {
    topic: Topic,
    lines: Vec<String>,
}

impl Sentence {
    fn new(topic: Topic, text: Wording) -> Self {
        Self { topic, text }
    }

    /// Returns the lines of the full sentence.
    fn full_rows(&self, width: usize) -> usize {
        wrap(&self.text.full, width).len()
    }
}

/// Returns the rows of all full sentences, except those about unknowns, which are omitted first.
pub(crate) fn rows_wanted(sentences: &[Sentence], width: usize) -> usize {
    let mut rows = 0;
    for sentence in sentences {
        if sentence.topic != Topic::Unknown {
            rows += sentence.full_rows(width.saturating_sub(1));
        }
    }
    rows
}

/// Returns the lines that fit an area, cut if needed. Estimates and assumptions keep a line each while there is room.
pub(crate) fn fit(mut sentences: Vec<Sentence>, width: usize, rows: usize) -> Vec<SentenceLine> {
    let width = width.saturating_sub(1);
    let mut full = 0;
    for sentence in &sentences {
        full += sentence.full_rows(width);
    }
    while full > rows
        && let Some(last) = sentences.pop_if(|last| last.topic == Topic::Unknown)
    {
        full -= last.full_rows(width);
    }
    let mut kept = Vec::new();
    let mut needed = 0;
    for sentence in sentences {
        let wording = sentence.text;
        let text = if full > rows {
            wording.short
        } else {
            wording.full
        };
        let lines = wrap(&text, width);
        needed += lines.len();
        let topic = sentence.topic;
        kept.push(WrappedSentence { topic, lines });
    }
    // The assumptions are cut first, then the estimates from the last one on. Each keeps a line.
    let over = cut_lines(&mut kept, needed.saturating_sub(rows), width, false);
    cut_lines(&mut kept, over, width, true);
    // The last estimates are omitted before the assumptions.
    while kept.len() > rows.max(1) {
        let mut estimates = 0;
        for sentence in &kept {
            estimates += usize::from(sentence.topic == Topic::Estimate);
        }
        kept.remove(estimates.saturating_sub(1));
    }
    let mut lines = Vec::new();
    for sentence in kept {
        let topic = sentence.topic;
        for text in sentence.lines {
            lines.push(SentenceLine { topic, text });
        }
    }
    lines.truncate(rows);
    lines
}

/// Cuts the estimates, or all other sentences, from the last one on, until so many lines are gone; each keeps one. Returns
/// the lines that are still too many.
fn cut_lines(
    sentences: &mut [WrappedSentence],
    mut over: usize,
    width: usize,
    is_estimate: bool,
) -> usize {
    for sentence in sentences.iter_mut().rev() {
        let lines = &mut sentence.lines;
        if (sentence.topic == Topic::Estimate) != is_estimate {
            continue;
        }
        let keep = lines.len().saturating_sub(over).max(1);
        over -= lines.len() - keep;
        if keep < lines.len() {
            let rest = lines.split_off(keep - 1).join(" ");
            lines.push(cut(&rest, width).into_owned());
        }
    }
    over
}

/// Returns all sentences, the most important first.
pub(crate) fn sentences(ui: &Ui, session: &Session) -> Vec<Sentence> {
    let settings = session.settings();
    let forecast = session.time.forecast(session.tree());
    let mut sentences = match forecast {
        Some(forecast) => estimates(session, forecast),
        None => Vec::new(),
    };
    if let Some(forecast) = forecast
        && let Some(text) = flat_factors(session, forecast)
    {
        sentences.push(Sentence::new(Topic::Estimate, text));
    }
    let assumed = assumptions(session);
    let mut spanned = assumed.clone();
    if let Some(span) = span(session) {
        spanned += &sentence!("; {span}");
    }
    let text = Wording {
        full: sentence!("Assumed: {spanned}."),
        short: sentence!("Assumed: {assumed}."),
    };
    sentences.push(Sentence::new(Topic::Assumption, text));
    if let Some(text) = other_half_life(session, forecast) {
        sentences.push(Sentence::new(Topic::Assumption, text));
    }
    if settings.time.taken.is_none() {
        let text = Wording::same("No dates: the source does not say when it was taken.");
        sentences.push(Sentence::new(Topic::Unknown, text));
    }
    if let Some(forecast) = forecast {
        // Assumptions about this tree are last in the list, but are shown first.
        for assumption in forecast.assumptions.iter().rev() {
            let text = words::on_its_own(&assumption.clause());
            sentences.push(Sentence::new(Topic::Unknown, Wording::same(text)));
        }
    }
    for sentence in &mut sentences {
        let text = &mut sentence.text;
        text.full = ui.spelled(std::mem::take(&mut text.full));
        text.short = ui.spelled(std::mem::take(&mut text.short));
    }
    sentences
}

/// Returns what the dashed lines are, or why there are none; `None` if none are asked for.
fn other_half_life(session: &Session, forecast: Option<&Forecast>) -> Option<Wording> {
    if let Some(forecast) = forecast
        && let Some(refused) = &forecast.refused
    {
        return Some(Wording::same(refused));
    }
    let other = duration_for_people(session.time.other_half_life?);
    Some(Wording {
        full: sentence!("Dashed: the same usage charged, but a half-life of {other}."),
        short: sentence!("Dashed: a half-life of {other}."),
    })
}

/// Returns the estimate of each branch that has one: who goes on, then what becomes of the node. A single branch has the name
/// of the node instead of its letter.
fn estimates(session: &Session, forecast: &Forecast) -> Vec<Sentence> {
    let is_one = forecast.branches.len() == 1;
    let mut sentences = Vec::new();
    for (place, branch) in forecast.branches.iter().enumerate() {
        let letter = letter(place);
        let Some(clause) = estimate(session, branch) else {
            continue;
        };
        let text = if is_one {
            let node = session.label(forecast.key.selected);
            Wording {
                full: sentence!("{node}: {}.", clause.full),
                short: sentence!("{node}: {}.", clause.short),
            }
        } else {
            let name = branch.name(session.scenario.tree());
            Wording {
                full: sentence!("{letter} ({name}): {}.", clause.full),
                // The legend has the name.
                short: sentence!("{letter}: {}.", clause.short),
            }
        };
        sentences.push(Sentence::new(Topic::Estimate, text));
    }
    sentences
}

/// Returns what becomes of the node under an assumption, or why the goal does not apply to it; `None` if it has no rank.
fn estimate(session: &Session, branch: &Branch) -> Option<Wording> {
    let time = &session.settings().time;
    Some(match branch.estimate.as_ref()? {
        Ok(estimate) => estimate.clause(time.passed, time.taken),
        Err(error) => Wording::same(sentence!("{error}")),
    })
}

/// Returns which factors stay as they are while usage changes, with that usage; `None` if no factor does.
fn flat_factors(session: &Session, forecast: &Forecast) -> Option<Wording> {
    if session.time.is_usage_drawn_instead() {
        let text = "No factor changes here, so usage is drawn.";
        return Some(Wording::same(text));
    }
    if session.time.drawn() != Quantity::Factor || forecast.branches.len() == 1 {
        return None;
    }
    let mut flat = Vec::new();
    let mut usages = Vec::new();
    for (place, branch) in forecast.branches.iter().enumerate() {
        let letter = letter(place);
        let Some(line) = branch.series.line_of(forecast.key.selected) else {
            continue;
        };
        if Quantity::Factor.constant(line).is_none() || Quantity::Usage.constant(line).is_some() {
            continue;
        }
        let last = line.usage.len().saturating_sub(1);
        if let Some(before) = Quantity::Usage.of(line, 0)
            && let Some(after) = Quantity::Usage.of(line, last)
        {
            let from = Quantity::Usage.texts(before).full;
            let to = Quantity::Usage.texts(after).full;
            flat.push(sentence!("{letter}"));
            usages.push(sentence!("{letter} {from} → {to}"));
        }
    }
    if flat.is_empty() {
        return None;
    }
    let letters = Shown::joined(&flat, ", ");
    let changes = Shown::joined(&usages, ", ");
    Some(Wording {
        full: sentence!("The factor of {letters} stays the same. Usage: {changes}."),
        short: sentence!("Flat: {letters}. Usage: {changes}."),
    })
}

/// Returns how many half-lives the lines span, as a clause; `None` if their length was chosen, or nothing halves usage.
fn span(session: &Session) -> Option<Shown> {
    let settings = session.settings();
    if !session.time.follows_half_life(settings) {
        return None;
    }
    let time = duration_for_people(session.time.horizon(settings));
    Some(sentence!(
        "the lines span {USUAL_HALF_LIVES} half-lives, {time}"
    ))
}

/// Returns what the lines assume: who uses how much, where they do not say so themselves, and the decay.
fn assumptions(session: &Session) -> Shown {
    let Some(Assumptions { usage, decay }) = &session.time.assumed else {
        return Shown::default();
    };
    let decay_in_words = words::simulate::decay(decay);
    match session.drawn_lines() {
        // Each line names its usage, so only the decay remains.
        Lines::Assumptions => decay_in_words,
        Lines::Nodes => {
            let tree = session.tree();
            let mut assumed = Vec::new();
            for usage in usage {
                assumed.push(words::simulate::usage(tree, decay, usage));
            }
            assumed.push(decay_in_words);
            Shown::joined(assumed, "; ")
        }
    }
}
