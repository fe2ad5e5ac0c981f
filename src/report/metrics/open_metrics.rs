//! Metrics as OpenMetrics text. It has gauges alone and no times, so a reader of Prometheus' older text takes it too.
//!
//! Names begin with `fairscope_`, every sample has the cluster as a label, and what has no number is left out: a gap in a
//! dashboard, not a 0.

use super::{MetricsReport, NodeColumns};
use crate::base::number::{Exact, Value};
use crate::model::{Kind, NodeId, Paths, Tree};
use crate::report::render::json::name_text;
use std::borrow::Cow;
use std::io::{self, Write};

/// The name of a family of metrics, and what it tells.
#[derive(Clone, Copy)]
struct Family<'a> {
    /// The name, without `fairscope_` before it.
    name: &'a str,
    /// What its numbers are.
    help: &'a str,
}

/// A number of a family.
struct Sample {
    /// What it is the number of.
    labels: Labels,
    /// The number; none is left out.
    value: Value,
}

/// The labels of a sample, as they are written.
#[derive(Clone, Default)]
struct Labels(String);

impl Labels {
    /// Adds a label. One without a value is left out, which means the same.
    fn with(mut self, name: &str, value: &str) -> Self {
        if value.is_empty() {
            return self;
        }
        if !self.0.is_empty() {
            self.0.push(',');
        }
        let escaped = value.replace('\\', r"\\").replace('"', "\\\"");
        let in_one_line = escaped.replace('\n', r"\n");
        self.0.push_str(name);
        self.0.push_str("=\"");
        self.0.push_str(&in_one_line);
        self.0.push('"');
        self
    }
}

/// Writes a family of metrics. Samples without a number are left out, and a family without any.
fn put(
    out: &mut dyn Write,
    family: Family<'_>,
    samples: impl Iterator<Item = Sample>,
) -> io::Result<()> {
    let name = family.name;
    let mut is_first = true;
    for sample in samples {
        let Some(number) = number(sample.value) else {
            continue;
        };
        if is_first {
            writeln!(out, "# HELP fairscope_{name} {}", family.help)?;
            writeln!(out, "# TYPE fairscope_{name} gauge")?;
            is_first = false;
        }
        writeln!(out, "fairscope_{name}{{{}}} {number}", sample.labels.0)?;
    }
    Ok(())
}

/// Returns a number as it is written; `None` for none and for NaN.
fn number(value: Value) -> Option<String> {
    if let Value::Word(bits) = value {
        value.as_f64()?;
        return Some(bits.to_string());
    }
    let number = value.as_f64()?;
    if number == f64::INFINITY {
        Some("+Inf".to_owned())
    } else if number == f64::NEG_INFINITY {
        Some("-Inf".to_owned())
    } else if number.is_nan() {
        // It would make every sum over nodes one that is no number either.
        None
    } else {
        Some(Exact(value).to_string())
    }
}

/// The nodes of a report, and what they are called.
struct NodeLabels<'a> {
    /// The report.
    report: &'a MetricsReport<'a>,
    /// The tree of the report.
    tree: &'a Tree,
    /// The label of the cluster.
    cluster: Labels,
}

impl<'a> NodeLabels<'a> {
    /// Returns the labels of a report's nodes.
    fn of(report: &'a MetricsReport<'a>) -> Self {
        let cluster = &report.view.source.cluster;
        Self {
            report,
            tree: report.view.tree,
            cluster: Labels::default().with("cluster", cluster),
        }
    }

    /// Returns the name of a node.
    fn name(&self, node: NodeId) -> Cow<'a, str> {
        name_text(self.tree.name(node))
    }

    /// Returns the labels of a node at a path. `None` for a user of a report without users.
    fn node(&self, node: NodeId, path: &str) -> Option<Labels> {
        let labels = self.cluster.clone().with("path", path);
        match self.tree.kind(node) {
            Kind::Account => Some(labels.with("account", &self.name(node))),
            Kind::User | Kind::Others if self.report.with_users => {
                let account = self.name(self.tree.parent(node)?);
                let named = labels.with("account", &account);
                Some(named.with("user", &self.name(node)))
            }
            Kind::User | Kind::Others => None,
        }
    }

    /// Writes a family with a number of each node. Nodes that are too deep for a path could not be told apart, and are left
    /// out.
    fn put(
        &self,
        out: &mut dyn Write,
        family: Family<'_>,
        value: impl Fn(NodeId) -> Value,
    ) -> io::Result<()> {
        let mut paths = Paths::new(self.tree);
        let samples = self.tree.nodes().iter().filter_map(|&node| {
            let labels = self.node(node, paths.next(node)?)?;
            Some(Sample {
                labels,
                value: value(node),
            })
        });
        put(out, family, samples)
    }

    /// Writes the number of users in each account.
    fn put_users(&self, out: &mut dyn Write) -> io::Result<()> {
        let family = Family {
            name: "users",
            help: "Number of users in an account",
        };
        let tree = self.tree;
        self.put(out, family, |account| {
            if tree.kind(account) != Kind::Account {
                return Value::Null;
            }
            let mut users = 0_usize;
            for &node in tree.within(account) {
                if tree.kind(node) == Kind::User {
                    users += 1;
                }
            }
            users.into()
        })
    }

    /// Writes how many of the printed values of each column equal the computed ones.
    fn put_verified(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut samples = Vec::new();
        if let Some(verification) = self.report.view.verification
            && verification.is_conclusive()
        {
            for column in &verification.columns {
                if column.rows > 0 {
                    samples.push(Sample {
                        labels: self.cluster.clone().with("column", column.fact.name()),
                        value: Value::Double(column.equal as f64 / column.rows as f64),
                    });
                }
            }
        }
        let family = Family {
            name: "verified",
            help: "Portion of the printed values that equal the computed ones",
        };
        put(out, family, samples.into_iter())
    }

    /// Writes Jain's index and the Gini coefficient of the accounts and of the users.
    fn put_summaries(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut jain = Vec::new();
        let mut gini = Vec::new();
        for served in self.report.kinds() {
            let labels = self.cluster.clone().with("kind", served.kind.name());
            jain.push(Sample {
                labels: labels.clone(),
                value: served.fairness.jain.into(),
            });
            gini.push(Sample {
                labels,
                value: served.fairness.gini.into(),
            });
        }
        let family = Family {
            name: "jain",
            help: "Jain's index of served ratios",
        };
        put(out, family, jain.into_iter())?;
        let family = Family {
            name: "gini",
            help: "Gini coefficient of served ratios",
        };
        put(out, family, gini.into_iter())
    }
}

/// Writes a report as OpenMetrics text.
pub(super) fn write(out: &mut dyn Write, report: &MetricsReport<'_>) -> io::Result<()> {
    let view = &report.view;
    let nodes = NodeLabels::of(report);
    for (name, column) in NodeColumns::of(view.policy).named() {
        let family = Family {
            name,
            help: column.help(),
        };
        nodes.put(out, family, |node| view.value(column, node))?;
    }
    let rank = Family {
        name: "rank",
        help: "Rank, or the best rank in an account; 1 runs first",
    };
    nodes.put(out, rank, |node| view.evaluation.best_rank(node).into())?;
    nodes.put_users(out)?;
    nodes.put_verified(out)?;
    nodes.put_summaries(out)?;
    out.write_all(b"# EOF\n")
}
