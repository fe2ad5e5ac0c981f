//! `me`: what a tree tells one user, on one page.
//!
//! By default no other user is named: the page is for that user, and the tree may be of the whole site.

use super::moments::Moments;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, name_text, object};
use super::render::table::{Cell, Column, Table};
use super::simulate::recovery_json;
use super::words::explain::without_numbers;
use super::words::simulate::short;
use super::words::solve::{stands, uses};
use super::words::verify::doubt;
use super::{Report, View, dump};
use crate::analysis::simulate::{Recovery, RecoveryOutcome, Shortfall, ShortfallCause};
use crate::analysis::user::{AssociationStanding, UserStanding};
use crate::base::nearest::unknown_of;
use crate::base::number::{Unit, Value, counted, fraction, grouped, ordinal, percent, times};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Scheduler, Tree, duration_for_people, path_of, resolve_briefly};
use crate::report::line::{Emphasis, Line};
use crate::rules::policy::{ColumnId, Policy};
use serde::Serialize;
use std::collections::HashSet;
use std::io::{self, Write};

/// The page of a user.
pub(crate) struct UserPage<'a> {
    pub(crate) view: View<'a>,
    pub(crate) user: &'a UserStanding,
    /// Whether other users are named.
    pub(crate) shows_others: bool,
}

/// Returns the associations of a user, which is given by its name or by the path of one of them; the error is a sentence.
pub(crate) fn associations_of(view: &View<'_>, user: &[u8]) -> Result<Vec<NodeId>, Shown> {
    let tree = view.tree;
    let own = |name| {
        let mut nodes = tree.nodes_named(name);
        nodes.retain(|&node| tree.kind(node) == Kind::User);
        nodes
    };
    match own(user) {
        nodes if nodes.is_empty() => {}
        nodes => return Ok(nodes),
    }
    match resolve_briefly(tree, user) {
        Ok(node) if tree.kind(node) == Kind::User => Ok(own(tree.name(node))),
        Ok(node) => Err(sentence!(
            "{} is {}; expected a user, by its name or the path of one of its associations",
            view.path(node),
            view.settings.noun().any
        )),
        Err(_) => Err(unknown_user(tree, user)),
    }
}

fn unknown_user(tree: &Tree, user: &[u8]) -> Shown {
    let mut known = HashSet::new();
    let names = tree
        .users()
        .map(|node| String::from_utf8_lossy(tree.name(node)));
    known.extend(names);
    let mut known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    // Of equally similar names the first in the alphabet.
    known.sort_unstable();
    let accepted = sentence!(
        "one of the {} in this source; fairscope rank lists them",
        counted(known.len(), "user", "users")
    );
    unknown_of("user", user, &known, &accepted)
}

impl UserPage<'_> {
    fn best(&self) -> &AssociationStanding {
        &self.user.associations[0]
    }

    fn name(&self) -> Shown {
        self.view.name(self.best().node)
    }

    pub(crate) fn title(&self) -> Shown {
        sentence!("Fairshare of {}", self.name())
    }

    fn has_several(&self) -> bool {
        self.user.associations.len() > 1
    }

    /// Returns the best association in a sentence: the user itself if it has no other.
    fn subject(&self) -> Shown {
        if self.has_several() {
            self.view.path(self.best().node)
        } else {
            self.name()
        }
    }

    /// Returns whether a sibling may be named: another user is not by default.
    fn names(&self, node: NodeId) -> bool {
        let tree = self.view.tree;
        let is_own = tree.name(node) == tree.name(self.best().node);
        self.shows_others || is_own || tree.kind(node) == Kind::Account
    }

    fn verdict(&self) -> Shown {
        let (best, name) = (self.best(), self.name());
        let (is, with) = if self.has_several() {
            let path = self.view.path(best.node);
            (
                sentence!("ranks best with {path}:"),
                sentence!(" with {path}"),
            )
        } else {
            ("is".into(), Shown::default())
        };
        match (best.rank, best.percentile, self.user.users) {
            (Some(rank), Some(part), Some(users)) => {
                let tie = match best.tied {
                    0 => Shown::default(),
                    tied => sentence!(", tied with {}", counted(tied, "other", "others")),
                };
                sentence!(
                    "{name} {is} {} of {}{tie}. {} of all users rank there or below.",
                    ordinal(rank as usize),
                    counted(users, "user", "users"),
                    percent(part)
                )
            }
            (None, Some(part), _) => sentence!(
                "{} of all users rank like {name}{with} or below. The printed Fair Tree factor, {}, is that part.",
                percent(part),
                fraction(part)
            ),
            (_, _, None) => sentence!("The rank of {name} does not follow from this source."),
            _ => self.name() + &without_numbers(&self.view),
        }
    }

    fn columns(&self) -> Vec<Column<'_, &AssociationStanding>> {
        let (view, user) = (&self.view, self.user);
        let node = |it: &&AssociationStanding| Cell::Node(view.tree, it.node);
        let mut columns = vec![Column::left("Association", node)];
        if user.users.is_none() {
            let own = view.usual_columns().into_iter();
            let own = own.filter(|&column| column != ColumnId::Rank);
            columns.extend(own.filter_map(|column| {
                let value = move |it: &&AssociationStanding| view.value(column, it.node);
                let mut rows = user.associations.iter();
                let is_there = rows.any(|it| value(&it) != Value::Null);
                is_there.then(|| Column::number(column.heading(), column.unit(), value))
            }));
        } else {
            let rank = |it: &&AssociationStanding| it.rank.map(i64::from);
            let rank = move |it: &&AssociationStanding| rank(it).map_or(Value::Null, Value::Count);
            columns.push(Column::number("Rank", Unit::Rank, rank));
            if view.policy.orders_by_level() {
                let heading = sentence!("{} ranks", view.settings.noun().title);
                columns.push(Column::right(heading, |it: &&AssociationStanding| {
                    let segment = it.segment;
                    segment.map_or_else(Shown::default, |[least, greatest]| {
                        sentence!("{}-{}", grouped(least), grouped(greatest))
                    })
                }));
            }
        }
        columns.push(Column::right("Served", |it: &&AssociationStanding| {
            Cell::told(served(it), times)
        }));
        if user.users.is_some() {
            columns.push(Column::left("Held back by", |it: &&AssociationStanding| {
                let held = it.held_back.as_ref();
                held.map_or_else(Shown::default, |held| view.label(held.node))
            }));
            for (place, heading) in ["If it stops", "If all stop"].into_iter().enumerate() {
                let is_there = |it: &AssociationStanding| it.recovery.is_some();
                if user.associations.iter().any(is_there) {
                    columns.push(Column::left(heading, move |it: &&AssociationStanding| {
                        let recovery = it.recovery.as_ref();
                        let recovery = recovery.map(|recovery| self.when(&recovery[place]));
                        recovery.unwrap_or_default()
                    }));
                }
            }
        }
        columns
    }

    fn when(&self, recovery: &Recovery) -> Shown {
        match recovery.outcome {
            RecoveryOutcome::Now => "on target".into(),
            RecoveryOutcome::After(seconds) => sentence!("in {}", duration_for_people(seconds)),
            RecoveryOutcome::NotYet => {
                sentence!("not in {}", duration_for_people(self.user.horizon))
            }
            RecoveryOutcome::Never => "never".into(),
        }
    }

    /// Returns which level holds the best association back, and by whom.
    fn held_back(&self) -> Shown {
        let (view, best, subject) = (&self.view, self.best(), self.subject());
        let uses_of = |target| uses(view.tree, target);
        let Some(held) = &best.held_back else {
            let own = best.target.as_ref().map(uses_of);
            let own = own.map_or_else(Shown::default, |uses| sentence!(" It {uses}."));
            return if view.policy.orders_by_level() {
                sentence!("{subject} ranks first at every level.{own}")
            } else {
                sentence!("No level of {subject} is over its target.{own}")
            };
        };
        let target = held.target.as_ref().map(uses_of);
        let ahead = held.sibling_ahead.map(|ahead| {
            let users = held.users_ahead.filter(|&users| users > 1);
            let users = users.map_or_else(Shown::default, |users| {
                sentence!(" ({} ahead)", counted(users, "user", "users"))
            });
            let ahead = if self.names(ahead) {
                view.path(ahead)
            } else {
                "another user".into()
            };
            sentence!("{ahead} ranks just before it{users}")
        });
        let why = Shown::joined(target.into_iter().chain(ahead), "; ");
        if held.node == best.node && !view.policy.orders_by_level() {
            let stands = held
                .target
                .as_ref()
                .map(|target| stands(view.tree, held.node, target));
            sentence!("{}.", stands.unwrap_or_default())
        } else if held.node == best.node {
            let account = view.tree.parent(held.node).unwrap_or(NodeId::ROOT);
            sentence!("Inside {}, {subject} {why}.", view.path(account))
        } else {
            sentence!(
                "{subject} is held back by {}, which {why}.",
                view.path(held.node)
            )
        }
    }

    /// Returns when the best association is on target: if the user stops, and if everybody does.
    fn recovers(&self) -> Vec<Shown> {
        let (view, subject) = (&self.view, self.subject());
        let Some([alone, all]) = &self.best().recovery else {
            return Vec::new();
        };
        let moments = Moments {
            taken: view.settings.time.taken,
        };
        let is = |recovery: &Recovery| match recovery.outcome {
            RecoveryOutcome::Now => sentence!("{subject} is on target now."),
            RecoveryOutcome::After(seconds) => {
                let moment = moments.text(view.settings.time.passed.saturating_add(seconds));
                sentence!("{subject} is on target {} ({moment}).", self.when(recovery))
            }
            RecoveryOutcome::NotYet => {
                let within = duration_for_people(self.user.horizon);
                let why = short(view.tree, recovery);
                sentence!("{subject} is not on target within {within}. {why}.")
            }
            RecoveryOutcome::Never => {
                let why = short(view.tree, recovery);
                sentence!("{subject} is never on target. {why}.")
            }
        };
        if alone.outcome == RecoveryOutcome::Now {
            return vec![is(alone)];
        }
        vec![
            sentence!(
                "If {} stops and all others go on, {}",
                self.name(),
                is(alone)
            ),
            sentence!("If all stop, {}", is(all)),
        ]
    }

    fn helps(&self) -> Vec<Shown> {
        let (view, best) = (&self.view, self.best());
        let mut helps = Vec::new();
        let last = self.user.associations.last();
        let is_worse = |last: &&AssociationStanding| {
            last.rank > best.rank || last.percentile < best.percentile
        };
        if let Some(last) = last.filter(is_worse) {
            let [best, last] = [best.node, last.node].map(|node| view.path(node));
            helps.push(sentence!("jobs under {best} rather than {last}"));
        }
        let Some(held) = best.held_back.as_ref().filter(|_| best.rank > Some(1)) else {
            return helps;
        };
        let level = view.path(held.node);
        if held.node == best.node {
            helps.push(sentence!("less usage of {level}, or more shares for it"));
        } else {
            let effect = if view.policy.orders_by_level() {
                "its users move together"
            } else {
                "its usage counts for each of its users"
            };
            helps.push(sentence!(
                "less usage of {level} as a whole, or more shares for it: {effect}"
            ));
        }
        helps
    }

    fn helps_not(&self) -> Vec<Shown> {
        let (view, best) = (&self.view, self.best());
        let account = view
            .tree
            .parent(best.node)
            .filter(|&account| account != NodeId::ROOT);
        let block = account.zip(best.segment).filter(|_| best.is_block);
        let inside = block.filter(|_| best.rank > Some(1)).map(|(account, [least, _])| {
            let (account, least) = (view.path(account), grouped(least));
            sentence!("other shares inside {account}: they reorder its own users, and lift nobody above rank {least}")
        });
        let all = best.recovery.as_ref().map(|[_, all]| all);
        let cause = all.and_then(|all| match all.shortfall {
            Some(Shortfall::Obstructed { cause, .. }) => cause,
            _ => None,
        });
        let keeps_order = |cause| {
            matches!(
                cause,
                ShortfallCause::SameFactor { forgets: false, .. } | ShortfallCause::NoDecay
            )
        };
        let waiting = cause.filter(|&cause| keeps_order(cause));
        let waiting = waiting.map(|_| "waiting while nobody uses anything: the order stays".into());
        inside.into_iter().chain(waiting).collect()
    }

    fn not_told(&self) -> Option<Shown> {
        let clause = self.user.incomplete?.clause();
        let rule = match (self.view.policy, self.best().percentile) {
            (Policy::FairTree, None) => {
                "; nor does it show that Fair Tree made its factors, as sshare -l would"
            }
            _ => "",
        };
        let name = self.name();
        Some(sentence!(
            "This source cannot tell ranks, what holds {name} back, or when {name} recovers, because {clause}{rule}."
        ))
    }
}

fn served(it: &AssociationStanding) -> Option<f64> {
    it.target.as_ref()?.target.served()
}

/// Returns what else decides when a job starts, as its scheduler calls it.
fn unknown_to(scheduler: Option<Scheduler>) -> &'static str {
    match scheduler {
        Some(Scheduler::Slurm) => {
            "Fairshare does not know a job's age, QOS, size or limits; sprio -l shows what else counts."
        }
        Some(Scheduler::Pbs) => "Fairshare does not know a job's age, queue, size or limits.",
        Some(Scheduler::Flux) => "Fairshare does not know a job's age, queue, urgency or limits.",
        None => "Fairshare does not know a job's age, QOS, size or limits.",
    }
}

impl Report for UserPage<'_> {
    fn front(&self) -> Front {
        // Edits name other users.
        let edits = if self.shows_others {
            self.view.edits
        } else {
            &[]
        };
        let view = View { edits, ..self.view };
        Front::of(self.title(), &view)
    }

    fn document(&self) -> Document<'_> {
        let view = &self.view;
        let mut document = Document::default();
        document.headline(dump::headline(view));
        document.paragraph(self.verdict());
        document.gap_in_text();
        document.table(Table::new(self.columns(), self.user.associations.iter()));
        document.gap();
        if self.user.users.is_some() {
            let caveat = view
                .caveat
                .map(|caveat| sentence!("{}.", doubt(&caveat.reason)));
            let held_back = std::iter::once(self.held_back());
            for sentence in held_back.chain(self.recovers()).chain(caveat) {
                document.paragraph(sentence);
            }
        }
        for (heading, items) in [
            ("What would help", self.helps()),
            ("What would not", self.helps_not()),
        ] {
            if !items.is_empty() {
                document.line(Line::strong(sentence!("{heading}:")));
                document.gap_in_markdown();
            }
            for item in items {
                document.item("- ", item);
            }
            document.gap_in_markdown();
        }
        if let Some(sentence) = self.not_told() {
            document.paragraph(sentence);
        }
        document.line(Line::of(Emphasis::Dim, unknown_to(view.settings.scheduler)));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = &self.view;
        let associations = self.user.associations.iter();
        let body = object! {
            user: name_text(view.tree.name(self.best().node)),
            users: self.user.users,
            associations: Lines(List(associations.map(|it| self.association(it)))),
            incomplete: self.user.incomplete.map(|incomplete| incomplete.clause()),
            problem_count: view.problems.count(),
        };
        if self.shows_others {
            json::write(out, view, body)
        } else {
            json::write_bare(out, view, body)
        }
    }
}

impl UserPage<'_> {
    fn association(&self, it: &AssociationStanding) -> impl Serialize {
        let view = &self.view;
        let path = |node| path_of(view.tree, node);
        let held_back_by = it.held_back.map(|held| {
            object! {
                path: path(held.node),
                used: held.target.map(|target| target.target.used),
                target: held.target.map(|target| target.target.share),
                sibling_ahead: held.sibling_ahead.filter(|&ahead| self.names(ahead)).and_then(path),
                users_ahead: held.users_ahead,
            }
        });
        let recovery = it.recovery.as_ref().map(|recovery| {
            let [alone, all] = recovery.each_ref();
            let moments = Moments {
                taken: view.settings.time.taken,
            };
            let recovery = |of| recovery_json(view, moments, self.user.horizon, of);
            object! { if_it_stops: recovery(alone), if_all_stop: recovery(all) }
        });
        let printed = view
            .recorded
            .facts()
            .filter_map(|fact| Some((fact.name(), view.recorded.figure(fact, it.node)?.value)));
        object! {
            path: path(it.node),
            rank: it.rank,
            tied: it.rank.map(|_| it.tied),
            percentile: it.percentile,
            segment: it.segment,
            served: served(it),
            used: it.target.map(|target| target.target.used),
            target: it.target.map(|target| target.target.share),
            held_back_by: held_back_by,
            best: it.is_best,
            recovery: recovery,
            recorded: Entries(printed.collect::<Vec<_>>()),
        }
    }
}
