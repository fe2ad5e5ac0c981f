//! `metrics`: how evenly a tree was served, now or through a series of dumps; and gates in words and for JSON.
//!
//! A served ratio is a node's part of the usage over its part of the shares: 1 is what its shares give it. Nodes without a
//! target have none, and are counted as left out.

mod open_metrics;

use super::asked::MetricsQuestion;
use super::field::json_rows;
use super::render::document::{Document, Front, left_off};
use super::render::json::{self, Entries, Lines, object};
use super::render::table::{Column, Table};
use super::show::placed;
use super::timeline::headline;
use super::words::part;
use super::{Field, Report, View, dump};
use crate::analysis::gate::{GateUnit, Judgement};
use crate::analysis::metrics::{BOUNDS, Fairness, FairnessByKind};
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

/// A number that sums up how evenly nodes were served.
#[derive(Clone, Copy)]
enum Summary {
    /// The nodes that count.
    Nodes,
    /// Those above their target.
    Over,
    /// Those below their target.
    Under,
    /// The nodes that do not count.
    LeftOut,
    /// Jain's index.
    Jain,
    /// The Gini coefficient.
    Gini,
    /// The smallest served ratio.
    Least,
    /// The largest served ratio.
    Most,
}

impl Summary {
    /// All of them, in the order of their columns.
    const ALL: &'static [Self] = &[
        Self::Nodes,
        Self::Over,
        Self::Under,
        Self::LeftOut,
        Self::Jain,
        Self::Gini,
        Self::Least,
        Self::Most,
    ];

    /// Returns the heading of its column.
    const fn heading(self) -> &'static str {
        match self {
            Self::Nodes => "Nodes",
            Self::Over => "Over",
            Self::Under => "Under",
            Self::LeftOut => "Left out",
            Self::Jain => "Jain",
            Self::Gini => "Gini",
            Self::Least => "Least",
            Self::Most => "Most",
        }
    }

    /// Returns its name in JSON and CSV.
    const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Over => "over_served",
            Self::Under => "under_served",
            Self::LeftOut => "left_out",
            Self::Jain => "jain",
            Self::Gini => "gini",
            Self::Least => "least",
            Self::Most => "most",
        }
    }

    /// Returns its unit.
    const fn unit(self) -> Unit {
        match self {
            Self::Nodes | Self::Over | Self::Under | Self::LeftOut => Unit::Count,
            Self::Jain | Self::Gini => Unit::Ratio,
            Self::Least | Self::Most => Unit::Times,
        }
    }

    /// Returns the number of some nodes.
    fn value(self, fairness: &Fairness) -> Value {
        match self {
            Self::Nodes => fairness.count().into(),
            Self::Over => fairness.over.into(),
            Self::Under => fairness.under.into(),
            Self::LeftOut => fairness.left_out.into(),
            Self::Jain => fairness.jain.into(),
            Self::Gini => fairness.gini.into(),
            Self::Least => fairness.least.into(),
            Self::Most => fairness.most.into(),
        }
    }
}

/// Returns the numbers that sum up some nodes, with their histogram.
fn summary(fairness: &Fairness) -> impl Serialize {
    let mut numbers = Vec::new();
    for number in Summary::ALL {
        let value = number.value(fairness);
        numbers.push((number.name(), value));
    }
    let mut bins = Vec::new();
    for (place, nodes) in fairness.bins.into_iter().enumerate() {
        let up_to = BOUNDS.get(place).copied();
        bins.push(object! { up_to: up_to, nodes: nodes });
    }
    object! {
        #[serde(flatten)]
        numbers: Entries(numbers),
        histogram: bins,
    }
}

/// The columns of single nodes.
struct NodeColumns {
    /// Their target.
    target: ColumnId,
    /// Their usage as the policy counts it.
    used: ColumnId,
}

impl NodeColumns {
    /// Returns the columns of a policy.
    fn of(policy: Policy) -> Self {
        let columns = policy.columns();
        let used = if columns.contains(&ColumnId::FairshareTreeUsage) {
            ColumnId::FairshareTreeUsage
        } else if columns.contains(&ColumnId::WeightedUsage) {
            ColumnId::WeightedUsage
        } else {
            ColumnId::EffectvUsage
        };
        Self {
            target: policy.target_column(),
            used,
        }
    }

    /// Returns the columns with the names of their metrics.
    fn named(&self) -> Vec<(&'static str, ColumnId)> {
        vec![
            ("shares", ColumnId::Shares),
            ("usage", ColumnId::Usage),
            ("norm_shares", self.target),
            ("effective_usage", self.used),
            ("served_ratio", ColumnId::Served),
            ("factor", ColumnId::Factor),
        ]
    }
}

/// The accounts or the users, and how they were served.
#[derive(Clone)]
struct Row<'a> {
    /// The moment of a series; `None` for a tree alone.
    moment: Option<&'a Moment>,
    /// The word for the accounts or the users.
    kind: Shown,
    /// How they were served.
    fairness: &'a Fairness,
}

impl Row<'_> {
    /// Returns the moment in words; empty for a tree alone.
    fn when(&self) -> Shown {
        match self.moment {
            Some(moment) => moment.dump.when(),
            None => Shown::default(),
        }
    }
}

/// A column of the histogram; a row is the place of a bin among [`BINS`].
type BinColumn<'a> = Column<'a, usize>;

/// A column of what sums up each row.
type RowColumn<'a> = Column<'a, Row<'a>>;

/// Returns a table of what sums up each row. A series has a column of moments.
fn summary_table(rows: Vec<Row<'_>>) -> Table<'_> {
    let mut columns = Vec::new();
    if rows.iter().any(|row| row.moment.is_some()) {
        let when = RowColumn::left("When", Row::when);
        columns.push(when.named("when"));
    }
    let kind = RowColumn::left("Kind", |row| row.kind.clone());
    columns.push(kind.named("kind"));
    for &number in Summary::ALL {
        let heading = number.heading();
        let column = RowColumn::number(heading, number.unit(), move |row| {
            number.value(row.fairness)
        });
        columns.push(column.named(number.name()));
    }
    Table::new(columns, rows.into_iter())
}

/// The served ratios of a tree: in words, and node by node for programs. Of a series that of the newest dump, and what sums
/// up all of them.
pub(crate) struct MetricsReport<'a> {
    /// The tree; of a series the newest one.
    pub(crate) view: View<'a>,
    /// The series; `None` for a tree alone.
    pub(crate) timeline: Option<&'a Timeline>,
    /// The gates, each with its value.
    pub(crate) gates: &'a [Judgement],
    /// Whether single users are listed beside the accounts.
    pub(crate) with_users: bool,
    /// How many over- and under-served nodes people see; `None` for the usual number.
    pub(crate) limit: Option<usize>,
    /// The accounts and the users.
    pub(crate) served: FairnessByKind,
}

/// The accounts or the users of a report.
struct ServedKind<'a> {
    /// Which of both.
    kind: Kind,
    /// Their word: `Accounts`.
    word: Shown,
    /// How they were served.
    fairness: &'a Fairness,
}

impl<'a> MetricsReport<'a> {
    /// Returns how evenly a tree was served.
    pub(crate) fn of(view: View<'a>, question: MetricsQuestion) -> Self {
        Self {
            view,
            timeline: None,
            gates: &[],
            with_users: question.with_users,
            limit: question.limit,
            served: FairnessByKind::of(view.policy, view.tree, view.evaluation),
        }
    }
}

impl MetricsReport<'_> {
    /// Returns the accounts and the users, as far as there are any.
    fn kinds(&self) -> Vec<ServedKind<'_>> {
        let mut kinds = vec![
            ServedKind {
                kind: Kind::Account,
                word: sentence!("{}s", self.view.settings.noun().title),
                fairness: &self.served.accounts,
            },
            ServedKind {
                kind: Kind::User,
                word: "Users".into(),
                fairness: &self.served.users,
            },
        ];
        kinds.retain(|served| served.fairness.count() + served.fairness.left_out > 0);
        kinds
    }

    /// Returns the rows of the tree, or those of a series: the accounts of each moment, then the users. Kinds have their
    /// names for programs, or else their words.
    fn rows(&self, is_for_programs: bool) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for served in self.kinds() {
            let kind = if is_for_programs {
                served.kind.name().into()
            } else {
                served.word
            };
            let Some(timeline) = self.timeline else {
                rows.push(Row {
                    moment: None,
                    kind,
                    fairness: served.fairness,
                });
                continue;
            };
            for (moment, fairness) in timeline.moments.iter().zip(&timeline.fairness) {
                let fairness = if served.kind == Kind::Account {
                    &fairness.accounts
                } else {
                    &fairness.users
                };
                rows.push(Row {
                    moment: Some(moment),
                    kind: kind.clone(),
                    fairness,
                });
            }
        }
        rows
    }

    /// Returns the nodes that programs get: the accounts, and the users if they are listed.
    fn nodes(&self) -> Vec<NodeId> {
        let tree = self.view.tree;
        let mut nodes = tree.nodes().to_vec();
        nodes.retain(|&node| self.with_users || tree.kind(node) == Kind::Account);
        nodes
    }

    /// Returns the fields of a node for programs.
    fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Path, Field::Kind];
        for (_, column) in NodeColumns::of(self.view.policy).named() {
            fields.push(Field::current(column));
        }
        fields.push(Field::current(ColumnId::Rank));
        fields
    }

    /// `Accounts: 5 of 22 over-served, ma the most at 2.07x; 17 under-served.`
    fn verdict(&self, served: &ServedKind<'_>) -> Shown {
        let fairness = served.fairness;
        let mut text = sentence!(
            "{}: {} of {} over-served",
            served.word,
            grouped(fairness.over),
            grouped(fairness.count())
        );
        if let Some(&(most, ratio)) = fairness.nodes.last()
            && ratio > 1.0
        {
            let path = self.view.path(most);
            let multiple = times(ratio);
            text += &sentence!(", {path} the most at {multiple}");
        }
        let under = grouped(fairness.under);
        sentence!("{text}; {under} under-served.")
    }

    /// Returns how many nodes have which served ratio, with a bar for each number.
    fn histogram(&self) -> Table<'_> {
        let mut columns = vec![BinColumn::left("Served", |&bin| BINS[bin])];
        for served in self.kinds() {
            let bins = served.fairness.bins;
            let most = bins.iter().max().copied();
            let scale = most.unwrap_or(0).max(1);
            let count = BinColumn::right(served.word, move |&bin| grouped(bins[bin]));
            let bar = BinColumn::left("", move |&bin| bar(bins[bin], scale));
            columns.push(count);
            columns.push(bar);
        }
        Table::new(columns, 0..BINS.len())
    }

    /// Adds a table of the over-served nodes and one of the under-served, as far as there are any.
    fn add_extremes<'d>(&'d self, document: &mut Document<'d>, served: &ServedKind<'_>) {
        let word = &served.word;
        let extremes = served.fairness.extremes();
        self.add_side(document, sentence!("{word}, over-served"), extremes.over);
        self.add_side(document, sentence!("{word}, under-served"), extremes.under);
    }

    /// Adds a table of nodes, the first of many. Without any it adds nothing.
    fn add_side<'d>(&'d self, document: &mut Document<'d>, heading: Shown, mut nodes: Vec<NodeId>) {
        if nodes.is_empty() {
            return;
        }
        let limit = self.limit.unwrap_or(USUAL_LIMIT);
        let left = nodes.len().saturating_sub(limit);
        nodes.truncate(limit);
        let columns = NodeColumns::of(self.view.policy);
        let fields = vec![
            Field::Path,
            Field::current(ColumnId::Shares),
            Field::current(columns.target),
            Field::current(ColumnId::Usage),
            Field::current(ColumnId::Served),
        ];
        document.gap();
        document.heading(heading);
        let columns = Field::for_people(None, || fields, &self.view, |&node| node);
        document.table(Table::new(columns, nodes.into_iter()));
        document.note_left_off(left_off(left));
    }
}

/// Returns the bar of a number in a histogram whose largest number is `most`.
fn bar(count: usize, most: usize) -> Shown {
    let length = (count * LONGEST_BAR).div_ceil(most);
    sentence!("{}", "█".repeat(length))
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
        for served in self.kinds() {
            document.paragraph(self.verdict(&served));
        }
        document.paragraphs(part::listed_only(self.view.tree));
        document.paragraphs(broken_gates(self.gates));
        document.gap_in_text();
        document.table(summary_table(self.rows(false)));
        document.gap();
        document.table(self.histogram());
        let whole = if self.view.policy.counts_by_level() {
            "level"
        } else {
            "tree"
        };
        let note =
            sentence!("Served: usage / target, both as portions of the {whole}; 1x is on target.");
        document.note(Some(note));
        for served in self.kinds() {
            if self.with_users || served.kind == Kind::Account {
                self.add_extremes(&mut document, &served);
            }
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut moments = Vec::new();
        if let Some(timeline) = self.timeline {
            for (moment, fairness) in timeline.moments.iter().zip(&timeline.fairness) {
                moments.push(object! {
                    when: moment.dump.when(),
                    file: input::name(&moment.dump.path),
                    accounts: summary(&fairness.accounts),
                    users: summary(&fairness.users),
                });
            }
        }
        let nodes = self.nodes();
        let fields = self.fields();
        let rows = placed(&self.view, &nodes, &nodes);
        let body = object! {
            accounts: Lines(summary(&self.served.accounts)),
            users: Lines(summary(&self.served.users)),
            nodes: json_rows(&self.view, Some(&fields), rows),
            moments: Lines(moments),
            #[serde(flatten)]
            gates: gates_json(self.gates),
        };
        json::write(out, &self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        if self.timeline.is_some() {
            return Some(summary_table(self.rows(true)));
        }
        let nodes = self.nodes();
        let rows = placed(&self.view, &nodes, &nodes);
        Some(Field::csv_rows(&self.view, Some(&self.fields()), rows))
    }

    fn write_open_metrics(&self, out: &mut dyn Write) -> io::Result<()> {
        open_metrics::write(out, self)
    }
}

/// Returns a sentence for each broken gate: `gini is 0.712, above 0.6 (--fail-if 'gini > 0.6')`.
pub(crate) fn broken_gates(judgements: &[Judgement]) -> impl Iterator<Item = Shown> {
    let broken = judgements.iter().filter(|judgement| judgement.is_broken());
    broken.map(broken_gate)
}

/// Returns the sentence for a broken gate.
fn broken_gate(judgement: &Judgement) -> Shown {
    let gate = &judgement.gate;
    let clause = gate_clause(judgement);
    let word = word(gate.text.as_str(), "EXPRESSION");
    sentence!("{} {clause} (--fail-if {word})", gate.name)
}

/// Returns what is said of the value of a broken gate.
fn gate_clause(judgement: &Judgement) -> Shown {
    let gate = &judgement.gate;
    let Some(value) = judgement.value else {
        return "has no value, so its gate counts as broken".into();
    };
    let GateUnit { sign: unit, scale } = gate.unit;
    let scaled = value * scale;
    let text = short(scaled);
    if !judgement.is_met {
        let lines = counted(judgement.left_out, "line", "lines");
        return sentence!(
            "is {text}{unit} without {lines} of the desired shares, so its gate counts as broken"
        );
    }
    let bound = &gate.bound;
    let relation = gate.relation.words;
    if text == short(gate.number * scale) {
        // As many digits as tell it from the number of the gate.
        return sentence!("is {scaled}{unit}, {relation} {bound}");
    }
    sentence!("is {text}{unit}, {relation} {bound}")
}

/// Returns the key of the gates with each of them, if there are any.
pub(super) fn gates_json(judgements: &[Judgement]) -> Option<impl Serialize> {
    if judgements.is_empty() {
        return None;
    }
    let mut gates = Vec::new();
    for judgement in judgements {
        gates.push(object! {
            expression: judgement.gate.text.clone(),
            value: judgement.value,
            broken: judgement.is_broken(),
        });
    }
    Some(object! { gates: gates })
}
