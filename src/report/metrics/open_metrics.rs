//! Metrics as OpenMetrics text. It has gauges alone and no times, so a reader of Prometheus' older text takes it too.

use super::{MetricsReport, columns};
use crate::base::number::{Exact, Value};
use crate::model::{Kind, NodeId, Paths};
use crate::report::render::json::name_text;
use std::io::{self, Write};

/// Writes a family of metrics: samples with their labels. Those without a number are left out, and a family without any.
fn put(
    out: &mut dyn Write,
    (name, help): (&str, &str),
    samples: impl Iterator<Item = (String, Value)>,
) -> io::Result<()> {
    let samples = samples.filter_map(|(labels, value)| Some((labels, number(value)?)));
    for (place, (labels, number)) in samples.enumerate() {
        if place == 0 {
            writeln!(out, "# HELP fairscope_{name} {help}")?;
            writeln!(out, "# TYPE fairscope_{name} gauge")?;
        }
        writeln!(out, "fairscope_{name}{{{labels}}} {number}")?;
    }
    Ok(())
}

/// Returns labels as they are written. One without a value is left out, which means the same.
fn labels<const N: usize>(labels: [(&str, &str); N]) -> String {
    let labels = labels.into_iter().filter(|(_, text)| !text.is_empty());
    let labels = labels.map(|(label, text)| {
        let text = text.replace('\\', r"\\").replace('"', "\\\"");
        format!("{label}=\"{}\"", text.replace('\n', r"\n"))
    });
    labels.collect::<Vec<_>>().join(",")
}

fn number(value: Value) -> Option<String> {
    Some(match (value, value.as_f64()?) {
        (Value::Word(bits), _) => bits.to_string(),
        (_, f64::INFINITY) => "+Inf".to_owned(),
        (_, f64::NEG_INFINITY) => "-Inf".to_owned(),
        // It would make every sum over nodes one that is no number either.
        (_, number) if number.is_nan() => return None,
        _ => Exact(value).to_string(),
    })
}

pub(super) fn write(out: &mut dyn Write, report: &MetricsReport<'_>) -> io::Result<()> {
    let (view, tree) = (&report.view, report.view.tree);
    let cluster = ("cluster", &*view.source.cluster);
    let name = |node| name_text(tree.name(node));
    let mut family = |name_and_help, value: &dyn Fn(NodeId) -> Value| {
        let mut paths = Paths::new(tree);
        let samples = tree.nodes().iter().filter_map(|&node| {
            // Nodes that are too deep for a path could not be told apart.
            let path = ("path", paths.next(node)?);
            let (account, user) = match tree.kind(node) {
                Kind::Account => (name(node), "".into()),
                Kind::User | Kind::Others => (name(tree.parent(node)?), name(node)),
            };
            let is_listed = report.with_users || tree.kind(node) == Kind::Account;
            let names = [cluster, path, ("account", &account), ("user", &user)];
            is_listed.then(|| (labels(names), value(node)))
        });
        put(out, name_and_help, samples)
    };
    for (name, column) in columns(view.policy) {
        family((name, column.help()), &|node| view.value(column, node))?;
    }
    let help = "Rank, or the best rank in an account; 1 runs first";
    let best_rank = |node| view.evaluation.best_rank(node).into();
    family(("rank", help), &best_rank)?;
    let is_user = |node: &&NodeId| tree.kind(**node) == Kind::User;
    let users = |node| match tree.kind(node) {
        Kind::Account => tree.within(node).iter().filter(is_user).count().into(),
        Kind::User | Kind::Others => Value::Null,
    };
    family(("users", "Number of users in an account"), &users)?;
    let verification = view.verification.filter(|it| it.is_conclusive());
    let columns = verification.map_or(&[][..], |it| &it.columns);
    let verified = columns.iter().filter(|it| it.rows > 0).map(|it| {
        let labels = labels([cluster, ("column", it.fact.name())]);
        (labels, Value::Double(it.equal as f64 / it.rows as f64))
    });
    let help = "Portion of the printed values that equal the computed ones";
    put(out, ("verified", help), verified)?;
    let of = |kind: Kind| labels([cluster, ("kind", kind.name())]);
    let jain = report.kinds().map(|it| (of(it.0), it.2.jain.into()));
    put(out, ("jain", "Jain's index of served ratios"), jain)?;
    let gini = report.kinds().map(|it| (of(it.0), it.2.gini.into()));
    put(out, ("gini", "Gini coefficient of served ratios"), gini)?;
    out.write_all(b"# EOF\n")
}
