//! `metrics`: how evenly a tree was served, now or through a series of dumps; and gates in words and for JSON.

mod open_metrics;

use super::field::json_rows;
use super::render::document::{Document, Front, left_off};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::table::{Column, Table};
use super::show::placed;
use super::timeline::headline;
use super::words::part;
use super::{Field, Report, View, dump};
use crate::analysis::gate::Judgement;
use crate::analysis::metrics::{BOUNDS, Fairness};
use crate::analysis::timeline::{Moment, Timeline};
use crate::base::number::{Unit, Value, counted, grouped, short, times};
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence};
use crate::format::input;
use crate::model::{Kind, NodeId};
use crate::rules::policy::{ColumnId, Policy};
use serde::Serialize;
use std::io::{self, Write};

/// How many over- and under-served nodes people see unless more are asked for.
const USUAL_LIMIT: usize = 10;

/// The cells of the longest bar of a histogram.
const LONGEST_BAR: usize = 20;

/// The bins of a histogram, in the order of [`Fairness::bins`].
const BINS: [&str; BOUNDS.len() + 1] = [
    "0x", "to 1/8x", "to 1/4x", "to 1/2x", "to 1x", "to 2x", "to 4x", "to 8x", "above 8x",
];

/// A number of [`Fairness`]: its heading, name, unit and value.
type Summary = (&'static str, &'static str, Unit, fn(&Fairness) -> Value);

const SUMMARY: [Summary; 8] = [
    ("Nodes", "nodes", Unit::Count, |it| it.count().into()),
    ("Over", "over_served", Unit::Count, |it| it.over.into()),
    ("Under", "under_served", Unit::Count, |it| it.under.into()),
    ("Left out", "left_out", Unit::Count, |it| it.left_out.into()),
    ("Jain", "jain", Unit::Ratio, |it| it.jain.into()),
    ("Gini", "gini", Unit::Ratio, |it| it.gini.into()),
    ("Least", "least", Unit::Times, |it| it.least.into()),
    ("Most", "most", Unit::Times, |it| it.most.into()),
];

fn summary(fairness: &Fairness) -> impl Serialize {
    let bounds = BOUNDS.into_iter().map(Some).chain([None]);
    let bins = bounds.zip(fairness.bins);
    object! {
        #[serde(flatten)]
        numbers: Entries(SUMMARY.map(|(_, name, _, value)| (name, value(fairness)))),
        histogram: List(bins.map(|(bound, nodes)| object! { up_to: bound, nodes: nodes })),
    }
}

/// The columns of single nodes, and the names of their metrics.
fn columns(policy: Policy) -> [(&'static str, ColumnId); 6] {
    let mut of_others = [ColumnId::FairshareTreeUsage, ColumnId::WeightedUsage].into_iter();
    let used = of_others.find(|column| policy.columns().contains(column));
    let used = used.unwrap_or(ColumnId::EffectvUsage);
    [
        ("shares", ColumnId::Shares),
        ("usage", ColumnId::Usage),
        ("norm_shares", policy.target_column()),
        ("effective_usage", used),
        ("served_ratio", ColumnId::Served),
        ("factor", ColumnId::Factor),
    ]
}

/// The accounts or the users: at a moment of a series, their word, and how they were served.
type Row<'a> = (Option<&'a Moment>, Shown, &'a Fairness);

fn summary_table(rows: Vec<Row<'_>>) -> Table<'_> {
    let when = |row: &Row<'_>| row.0.map(|it| it.dump.when()).unwrap_or_default();
    let kind = Column::left("Kind", |row: &Row<'_>| row.1.clone()).named("kind");
    let numbers = SUMMARY.into_iter().map(|(heading, name, unit, value)| {
        Column::number(heading, unit, move |row: &Row<'_>| value(row.2)).named(name)
    });
    let is_series = rows.iter().any(|row| row.0.is_some());
    let when = is_series.then(|| Column::left("When", when).named("when"));
    let columns = when.into_iter().chain([kind]).chain(numbers);
    Table::new(columns.collect(), rows.into_iter())
}

/// The served ratios of a tree: in words, and node by node for programs. Of a series that of the newest dump, and what sums
/// up all of them.
pub(crate) struct MetricsReport<'a> {
    pub(crate) view: View<'a>,
    pub(crate) timeline: Option<&'a Timeline>,
    pub(crate) gates: &'a [Judgement],
    pub(crate) with_users: bool,
    pub(crate) limit: Option<usize>,
    /// The accounts and the users.
    pub(crate) served: [Fairness; 2],
}

impl MetricsReport<'_> {
    /// Returns the accounts and the users, each with their word, as far as there are any.
    fn kinds(&self) -> impl Iterator<Item = (Kind, Shown, &Fairness)> {
        let accounts = sentence!("{}s", self.view.settings.noun().title);
        let kinds = [(Kind::Account, accounts), (Kind::User, "Users".into())];
        let kinds = kinds.into_iter().zip(&self.served);
        let kinds = kinds.filter(|(_, served)| served.count() + served.left_out > 0);
        kinds.map(|((kind, word), served)| (kind, word, served))
    }

    /// Returns the moments of a series, each with how its accounts and its users were served.
    fn moments(&self) -> impl Iterator<Item = (&Moment, &[Fairness; 2])> + Clone {
        let timelines = self.timeline.into_iter();
        timelines.flat_map(|timeline| timeline.moments.iter().zip(&timeline.fairness))
    }

    /// Returns the rows of the tree, or those of a series: the accounts of each moment, then the users. `word` gives the
    /// word of a kind from that for people.
    fn rows(&self, word: impl Fn(Kind, Shown) -> Shown) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (kind, many, served) in self.kinds() {
            let word = word(kind, many);
            for (moment, served) in self.moments() {
                rows.push((Some(moment), word.clone(), &served[kind as usize]));
            }
            if self.timeline.is_none() {
                rows.push((None, word, served));
            }
        }
        rows
    }

    fn nodes(&self) -> Vec<NodeId> {
        let (tree, with_users) = (self.view.tree, self.with_users);
        let is_listed = |node: &NodeId| with_users || tree.kind(*node) == Kind::Account;
        tree.nodes().iter().copied().filter(is_listed).collect()
    }

    fn fields(&self) -> Vec<Field> {
        let columns = columns(self.view.policy).map(|it| it.1);
        let columns = columns.into_iter().chain([ColumnId::Rank]);
        let of_names = [Field::Path, Field::Kind].into_iter();
        of_names.chain(columns.map(Field::current)).collect()
    }

    /// `Accounts: 5 of 22 over-served, ma the most at 2.07x; 17 under-served.`
    fn verdict(&self, word: &Shown, fairness: &Fairness) -> Shown {
        let mut text = sentence!(
            "{word}: {} of {} over-served",
            grouped(fairness.over),
            grouped(fairness.count())
        );
        if let Some(&(most, ratio)) = fairness.nodes.last().filter(|it| it.1 > 1.0) {
            text += &sentence!(", {} the most at {}", self.view.path(most), times(ratio));
        }
        sentence!("{text}; {} under-served.", grouped(fairness.under))
    }

    fn histogram(&self) -> Table<'_> {
        let mut columns = vec![Column::left("Served", |&bin: &usize| BINS[bin])];
        for (_, word, Fairness { bins, .. }) in self.kinds() {
            columns.push(Column::right(word, |&bin| grouped(bins[bin])));
            let most = bins.iter().copied().max().unwrap_or(0).max(1);
            let length = move |bin: usize| (bins[bin] * LONGEST_BAR).div_ceil(most);
            let bar = move |&bin: &usize| sentence!("{}", "█".repeat(length(bin)));
            columns.push(Column::left("", bar));
        }
        Table::new(columns, 0..BINS.len())
    }

    fn add_extremes<'d>(&'d self, document: &mut Document<'d>, word: &Shown, fairness: &Fairness) {
        let [shares, usage, target, _, served, _] =
            columns(self.view.policy).map(|it| Field::current(it.1));
        let words = ["over-served", "under-served"].into_iter();
        let sides = words.zip(fairness.extremes());
        for (side, mut nodes) in sides.filter(|it| !it.1.is_empty()) {
            let limit = self.limit.unwrap_or(USUAL_LIMIT);
            let left = nodes.len().saturating_sub(limit);
            nodes.truncate(limit);
            document.gap();
            document.heading(sentence!("{word}, {side}"));
            let fields = || vec![Field::Path, shares, target, usage, served];
            let columns = Field::for_people(None, fields, &self.view, |&node| node);
            document.table(Table::new(columns, nodes.into_iter()));
            document.note(left_off(left));
        }
    }
}

impl Report for MetricsReport<'_> {
    fn front(&self) -> Front {
        Front::of("Fairness", &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(&self.view));
        if let Some(timeline) = self.timeline {
            document.paragraph(sentence!("{}. The newest:", headline(timeline)));
        }
        for (_, word, fairness) in self.kinds() {
            document.paragraph(self.verdict(&word, fairness));
        }
        document.paragraphs(part::listed_only(self.view.tree));
        document.paragraphs(broken_gates(self.gates));
        document.gap_in_text();
        document.table(summary_table(self.rows(|_, many| many)));
        document.gap();
        document.table(self.histogram());
        let is_by_level = self.view.policy.counts_by_level();
        let whole = if is_by_level { "level" } else { "tree" };
        let note =
            sentence!("Served: usage / target, both as portions of the {whole}; 1x is on target.");
        document.note(Some(note));
        for (kind, word, fairness) in self.kinds() {
            if self.with_users || kind == Kind::Account {
                self.add_extremes(&mut document, &word, fairness);
            }
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let moments = self.moments().map(|(moment, [accounts, users])| {
            object! {
                when: moment.dump.when(),
                file: input::name(&moment.dump.path),
                accounts: summary(accounts),
                users: summary(users),
            }
        });
        let (nodes, fields) = (self.nodes(), self.fields());
        let body = object! {
            accounts: Lines(summary(&self.served[0])),
            users: Lines(summary(&self.served[1])),
            nodes: json_rows(&self.view, Some(&fields), placed(&self.view, &nodes, &nodes)),
            moments: Lines(List(moments)),
            #[serde(flatten)]
            gates: gates_json(self.gates),
        };
        json::write(out, &self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        if self.timeline.is_some() {
            let rows = self.rows(|kind, _| kind.name().into());
            return Some(summary_table(rows));
        }
        let (nodes, fields) = (self.nodes(), self.fields());
        let rows = placed(&self.view, &nodes, &nodes);
        Some(Field::csv_rows(&self.view, Some(&fields), rows))
    }

    fn write_open_metrics(&self, out: &mut dyn Write) -> io::Result<()> {
        open_metrics::write(out, self)
    }
}

/// Returns a sentence for each broken gate: `gini is 0.712, above 0.6 (--fail-if 'gini > 0.6')`.
pub(crate) fn broken_gates(judgements: &[Judgement]) -> impl Iterator<Item = Shown> {
    let broken = judgements.iter().filter(|it| it.is_broken());
    broken.map(|judgement| {
        let Judgement {
            gate,
            value,
            is_met,
            left_out,
        } = judgement;
        let [expression, name, bound] = &gate.texts;
        let (unit, scale) = gate.unit;
        let clause = match value.map(|value| value * scale) {
            None => "has no value, so its gate counts as broken".into(),
            Some(value) if !is_met => sentence!(
                "is {}{unit} without {} of the desired shares, so its gate counts as broken",
                short(value),
                counted(*left_out, "line", "lines")
            ),
            Some(value) => {
                // As many digits as tell it from the number of the gate.
                let text = short(value);
                let is_equal = text == short(gate.number * scale);
                let text = if is_equal { sentence!("{value}") } else { text };
                sentence!("is {text}{unit}, {} {bound}", gate.relation.1)
            }
        };
        let word = word(&**expression, "EXPRESSION");
        sentence!("{name} {clause} (--fail-if {word})")
    })
}

/// Returns the key of the gates with each of them, if there are any.
pub(super) fn gates_json(judgements: &[Judgement]) -> Option<impl Serialize> {
    let gate = |it: &Judgement| {
        object! {
            expression: it.gate.texts[0].clone(),
            value: it.value,
            broken: it.is_broken(),
        }
    };
    let gates = List(judgements.iter().map(gate));
    (!judgements.is_empty()).then(|| object! { gates: gates })
}
