//! `me`: what a tree tells one user, on one page.
//!
//! By default no other user is named: the page is for that user, and the tree may be of the whole site.

use super::queue::{number, places, rounded};
use super::render::column_widths;
use super::render::document::{Document, Front, left_off};
use super::render::json::{self, Entries, Lines, List, name_text, object};
use super::render::table::{Cell, Column, Table};
use super::words::explain::{level_place, rank_in_words, without_numbers};
use super::words::simulate::short;
use super::words::solve::uses;
use super::words::verify::doubt;
use super::{Report, View, dump, words};
use crate::analysis::queue::{Queue, QueuedJob};
use crate::analysis::simulate::{Recovery, RecoveryOutcome, Shortfall, ShortfallCause};
use crate::analysis::solve::TargetUse;
use crate::analysis::user::{AssociationStanding, HORIZON, HoldingLevel, UserStanding};
use crate::base::nearest::unknown_of;
use crate::base::number::{Unit, Value, counted, grouped, percent, times};
use crate::base::shown::{Shown, sentence};
use crate::format::slurm::sprio::FAIR_SHARE;
use crate::model::{Fact, Kind, NodeId, Settings, Tree, duration_for_people, path_of};
use crate::rules::policy::ColumnId;
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};

/// The page of a user.
pub(crate) struct UserPage<'a> {
    pub(crate) view: View<'a>,
    pub(crate) user: UserStanding,
    /// The jobs that wait, if they are known.
    pub(crate) queue: Option<&'a Queue>,
    /// Whether other users are named.
    pub(crate) shows_others: bool,
}

/// Returns the associations of a user, in tree order.
///
/// Under `fairshare_entity: egroup:euser` PBS calls an entity `GROUP:USER`, so a user may have one in each group.
pub(crate) fn users_called(tree: &Tree, settings: &Settings, user: &[u8]) -> Vec<NodeId> {
    let mut nodes = tree.nodes_named(user).into_owned();
    nodes.retain(|&node| tree.kind(node) == Kind::User);
    if !nodes.is_empty() || settings.pbs.fairshare_entity != "egroup:euser" {
        return nodes;
    }
    let is_of_user = |&node: &NodeId| {
        let group = tree.name(node).strip_suffix(user);
        group.is_some_and(|group| group.ends_with(b":"))
    };
    tree.users().filter(is_of_user).collect()
}

/// Returns the associations of a user; the error is a sentence.
pub(crate) fn associations_of(
    tree: &Tree,
    settings: &Settings,
    user: &[u8],
) -> Result<Vec<NodeId>, Shown> {
    let nodes = users_called(tree, settings, user);
    if !nodes.is_empty() {
        return Ok(nodes);
    }
    let names = tree
        .users()
        .map(|node| String::from_utf8_lossy(tree.name(node)));
    let names: BTreeSet<_> = names.collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let count = counted(names.len(), "user", "users");
    let accepted = sentence!("one of the {count} in this source; fairscope rank lists them");
    Err(unknown_of("user", user, &names, &accepted))
}

/// How many waiting jobs the page shows.
const MOST_JOBS: usize = 10;

/// What else decides when a job starts.
const UNKNOWN: &str = "Fairshare does not know a job's age, size, queue or QOS, nor limits.";

fn is_on_target(held: &HoldingLevel) -> bool {
    held.target.is_some_and(|it| it.target.is_met)
}

fn served(target: Option<&TargetUse>) -> Option<f64> {
    target?.target.served()
}

fn when(recovery: &Recovery) -> Shown {
    match recovery.outcome {
        RecoveryOutcome::Now => "now".into(),
        RecoveryOutcome::After(seconds) => duration_for_people(seconds),
        RecoveryOutcome::NotYet => sentence!("more than {}", duration_for_people(HORIZON)),
        RecoveryOutcome::Never => "never".into(),
    }
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

    /// Returns the best association in a sentence: the user itself if it has no other.
    fn subject(&self) -> Shown {
        match self.user.associations[..] {
            [_] => self.name(),
            _ => self.view.path(self.best().node),
        }
    }

    /// Returns whether a sibling may be named: another user is not by default.
    fn names(&self, node: NodeId) -> bool {
        let tree = self.view.tree;
        let is_own = tree.name(node) == tree.name(self.best().node);
        self.shows_others || is_own || tree.kind(node) == Kind::Account
    }

    /// Returns whether there are users that are not listed, while each level is completed by what it lacks.
    fn is_of_part(&self) -> bool {
        self.view.tree.part().is_some()
    }

    fn verdict(&self) -> Shown {
        let (best, subject) = (self.best(), self.subject());
        match (&best.explanation, best.percentile.map(percent)) {
            (Some(explanation), Some(part)) if !self.is_of_part() => {
                let rank = rank_in_words(&self.view, explanation);
                sentence!("{subject}{rank}. {part} of all users rank there or below.")
            }
            (Some(_), None) if self.is_of_part() => {
                sentence!("The rank of {subject} is not known, because not all users are listed.")
            }
            (Some(_), None) => subject + &without_numbers(&self.view),
            (_, Some(part)) => sentence!(
                "{part} of all users rank like {subject} or below: Fair Tree's factor is this part."
            ),
            (None, None) => sentence!("The rank of {subject} does not follow from this source."),
        }
    }

    fn columns(&self) -> Vec<Column<'_, &AssociationStanding>> {
        type Row<'a> = &'a AssociationStanding;
        let (view, user) = (&self.view, &self.user);
        let path = |it: &Row<'_>| Cell::Node(view.tree, it.node);
        let mut columns = vec![Column::left("Association", path)];
        let served = |it: &Row<'_>| Cell::told(served(it.target.as_ref()), times);
        let served = Column::right("Served", served);
        if user.users.is_none() {
            let own = view.usual_columns().into_iter();
            let own = own.filter(|&own| own != ColumnId::Rank);
            columns.extend(own.filter_map(|column| {
                let value = move |it: &Row<'_>| view.value(column, it.node);
                let is_there = user.associations.iter().any(|it| value(&it) != Value::Null);
                let own = Column::number(column.heading(), column.unit(), value);
                is_there.then(|| own.giving_way(column_widths::order(view, column)))
            }));
            columns.push(served);
            return columns;
        }
        let rank = |it: &Row<'_>| it.rank.into();
        columns.push(Column::number("Rank", Unit::Rank, rank));
        if view.policy.orders_by_level() {
            let heading = sentence!("{} ranks", view.settings.noun().title);
            columns.push(Column::right(heading, |it: &Row<'_>| {
                Shown::joined(it.segment.into_iter().flatten().map(grouped), "-")
            }));
        }
        columns.push(served);
        columns.push(Column::left("Held back by", |it: &Row<'_>| {
            Shown::joined(it.held_back.iter().map(|held| view.label(held.node)), "")
        }));
        columns.push(Column::left("On target", |it: &Row<'_>| {
            Shown::joined(it.recovery.iter().map(|[alone, _]| when(alone)), "")
        }));
        columns
    }

    /// Returns which level holds the best association back, and by whom.
    fn held_back(&self) -> Shown {
        let (view, best, subject) = (&self.view, self.best(), self.subject());
        let Some(held) = &best.held_back else {
            return if best.rank.is_none() {
                Shown::default()
            } else if view.policy.orders_by_level() {
                sentence!("{subject} ranks first at every level.")
            } else {
                sentence!("No level of {subject} is over its target.")
            };
        };
        let level = if held.node == best.node {
            sentence!("{subject} is held back on its own level: it")
        } else {
            sentence!("{subject} is held back by {}, which", view.path(held.node))
        };
        let uses = held.target.as_ref().map(|target| uses(view.tree, target));
        let ahead = held.ahead.map(|ahead| self.ahead(held, ahead));
        let why = match (uses, ahead) {
            (Some(uses), Some(ahead)) if is_on_target(held) => {
                sentence!("is on target ({uses}), but {ahead}")
            }
            (uses, ahead) => Shown::joined(uses.into_iter().chain(ahead), "; "),
        };
        sentence!("{level} {why}.")
    }

    /// Returns who ranks just before a level and why, as a clause.
    fn ahead(&self, held: &HoldingLevel, ahead: NodeId) -> Shown {
        let view = &self.view;
        let name = self.names(ahead).then(|| view.path(ahead));
        let name = name.unwrap_or_else(|| "another user".into());
        let other = view.policy.served(view.tree, view.evaluation, ahead);
        let own = served(held.target.as_ref());
        let is_less = other.zip(own).is_some_and(|(other, own)| other < own);
        let ranks = if held.is_tie {
            sentence!("{name} ties with it and comes first")
        } else if is_on_target(held) && is_less {
            sentence!("{name} used less of its share, so it ranks before it")
        } else {
            sentence!("{name} ranks just before it")
        };
        let users = held.users_ahead.map_or_else(Shown::default, |users| {
            sentence!(" ({} ahead)", counted(users, "user", "users"))
        });
        ranks + &users
    }

    /// Returns when the best association is on target: if the user stops, and if everybody does.
    fn recovers(&self) -> Vec<Shown> {
        let Some([alone, all]) = &self.best().recovery else {
            return Vec::new();
        };
        let name = self.name();
        // Both searches begin at the same moment.
        if alone.outcome == RecoveryOutcome::Now {
            return vec![sentence!("{name} itself is on target now.")];
        }
        let is = |it: &Recovery| {
            let after = match it.outcome {
                RecoveryOutcome::Now | RecoveryOutcome::Never => "",
                RecoveryOutcome::After(_) | RecoveryOutcome::NotYet => "after ",
            };
            match short(self.view.tree, it) {
                none if none.is_empty() => sentence!("{after}{}.", when(it)),
                why => sentence!("{after}{}. {why}.", when(it)),
            }
        };
        let alone = is(alone);
        let alone = sentence!("On target if {name} stops and all others go on: {alone}");
        vec![alone, sentence!("On target if all stop: {}", is(all))]
    }

    /// Returns what would lift a level that holds the best association back. `None` where nothing can: with `parent` in
    /// place of shares, and without usage, which is the best that there is under all policies but PBS's.
    fn remedy(&self, node: NodeId) -> Option<Shown> {
        let view = &self.view;
        let level = view.path(node);
        let shares = view.tree.shares(node);
        if view.policy.has_used(view.tree, view.evaluation, node) {
            let is_own = node == self.best().node;
            let whole = if is_own { "" } else { " as a whole" };
            let remedy = sentence!("less usage of {level}{whole}, or more shares for it");
            return (!shares.is_parent()).then_some(remedy);
        }
        let is_helped = view.policy.is_of_pbs() || shares.count() == Some(0);
        is_helped.then(|| sentence!("more shares for {level}"))
    }

    /// Returns what would help the best association, and what would not.
    fn advice(&self) -> [Vec<Shown>; 2] {
        let (view, best) = (&self.view, self.best());
        let (mut helps, mut helps_not) = (Vec::new(), Vec::new());
        if let Some(worst) = self.user.associations.last()
            && (worst.rank > best.rank || worst.percentile < best.percentile)
        {
            let [best, worst] = [best.node, worst.node].map(|node| view.path(node));
            helps.push(sentence!("jobs under {best} rather than {worst}"));
        }
        helps.extend(best.held_back.and_then(|held| self.remedy(held.node)));
        let account = view.tree.parent(best.node).unwrap_or(NodeId::ROOT);
        let is_block = best.is_block && account != NodeId::ROOT && best.rank > Some(1);
        if let Some([least, _]) = best.segment.filter(|_| is_block) {
            let (account, least) = (view.path(account), grouped(least));
            helps_not.push(sentence!(
                "other shares inside {account}, which lift nobody above rank {least}"
            ));
        }
        if let Some([_, all]) = &best.recovery
            && let Some(Shortfall::Obstructed { cause, .. }) = all.shortfall
            && matches!(
                cause,
                Some(ShortfallCause::SameFactor { forgets: false, .. } | ShortfallCause::NoDecay)
            )
        {
            helps_not.push("waiting while nobody uses anything".into());
        }
        [helps, helps_not]
    }

    /// Returns the place of the best association and of each account above it among its listed siblings.
    fn places(&self) -> Option<Shown> {
        let levels = &self.best().explanation.as_ref()?.levels;
        let mut places = Vec::new();
        for level in levels.iter() {
            if !level.listed.is_unknown() && level.sibling_count > 0 {
                let place = level_place(level);
                places.push(sentence!("{} is {place}", self.view.path(level.node)));
            }
        }
        if places.is_empty() {
            return None;
        }
        Some(sentence!(
            "By {}: {}.",
            self.order_column(),
            places.join("; ")
        ))
    }

    /// Returns the name of the number by which siblings are ordered.
    fn order_column(&self) -> &'static str {
        if self.view.policy.orders_by_level() {
            "LevelFS"
        } else {
            "factor"
        }
    }

    /// Returns what a source does not tell that is only a part of the tree, and what is assumed of the rest.
    fn not_told(&self) -> Vec<Shown> {
        let Some(incomplete) = self.view.recorded.incomplete else {
            return Vec::new();
        };
        let clause = incomplete.clause();
        let name = self.name();
        let tree = self.view.tree;
        if tree.part().is_none() {
            return vec![sentence!(
                "Ranks, what holds {name} back, and recovery depend on all users, but {clause}."
            )];
        }
        let mut told = vec![sentence!("Ranks depend on all users, but {clause}.")];
        told.extend(words::part::assumed_of_path(tree, self.best().node));
        told
    }

    /// Returns the user's waiting jobs, the first to run first.
    fn jobs(&self) -> Vec<&QueuedJob> {
        let jobs = self.queue.into_iter().flat_map(|queue| &queue.jobs);
        let associations = self.user.associations.iter().map(|it| it.node);
        let associations: HashSet<NodeId> = associations.collect();
        let is_own = |job: &&QueuedJob| match job.node {
            Some(node) => associations.contains(&node),
            None => job.job.label.is_of(self.view.tree.name(self.best().node)),
        };
        jobs.filter(is_own).collect()
    }

    /// Adds the user's waiting jobs, and what fairshare is worth to each.
    fn add_jobs<'d>(&'d self, document: &mut Document<'d>) {
        type Row<'a> = &'a QueuedJob;
        let Some(queue) = self.queue else { return };
        let jobs = self.jobs();
        let all = grouped(queue.jobs.len());
        let own = counted(jobs.len(), "job waits", "jobs wait");
        document.section("Waiting jobs");
        for it in &queue.unlisted {
            let name = self.view.tree.name(self.best().node);
            let reason = it.reason.as_ref().and_then(|raw| words::queue::reason(raw));
            if let Some(reason) = reason.filter(|_| it.label.is_of(name)) {
                document.paragraph(sentence!("Job {} has no place: {reason}.", it.label.id));
            }
        }
        if jobs.is_empty() {
            return document.paragraph(sentence!(
                "No job of {} is among the {all} that wait.",
                self.name()
            ));
        }
        document.paragraph(sentence!(
            "{own}, among {all}. Fairshare is the part of each priority in the last column."
        ));
        let points = |it: &Row<'_>| rounded(it.now.points(FAIR_SHARE));
        let priority = |it: &Row<'_>| Value::Count(it.now.priority);
        let part = |it: &Row<'_>| Cell::told(it.fair_share_part(), percent);
        let places = places(|it: &Row<'_>| &it.job.label, |it| it.now.place.into());
        let columns = places.into_iter().chain([
            Column::number("Priority", Unit::Count, priority),
            Column::number("Fairshare", Unit::Count, points),
            Column::right("Of it", part),
        ]);
        let more = jobs.len().saturating_sub(MOST_JOBS);
        let jobs = jobs.into_iter().take(MOST_JOBS);
        document.table(Table::new(columns.collect(), jobs));
        document.note(left_off(more));
    }

    fn json(&self, it: &AssociationStanding) -> impl Serialize {
        let view = &self.view;
        let path = |node| path_of(view.tree, node);
        let held_back_by = it.held_back.map(|held| {
            let ahead = held.ahead.filter(|&ahead| self.names(ahead));
            object! {
                path: path(held.node),
                served: served(held.target.as_ref()),
                sibling_ahead: ahead.and_then(path),
                users_ahead: held.users_ahead,
            }
        });
        let recovery = it.recovery.as_ref().map(|recovery| {
            let [alone, all] = recovery.each_ref().map(|it| {
                object! { after_seconds: it.outcome.seconds(), reason: it.shortfall.map(|_| short(view.tree, it)) }
            });
            object! { if_it_stops: alone, if_all_stop: all }
        });
        let facts = view.recorded.facts();
        let figure = |fact| Some((Fact::name(fact), view.recorded.figure(fact, it.node)?.value));
        object! {
            path: path(it.node),
            rank: it.rank,
            percentile: it.percentile,
            segment: it.segment,
            served: served(it.target.as_ref()),
            held_back_by: held_back_by,
            best: it.is_best,
            recovery: recovery,
            recorded: Entries(facts.filter_map(figure).collect::<Vec<_>>()),
        }
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
        Front::of(self.title(), &View { edits, ..self.view })
    }

    fn document(&self) -> Document<'_> {
        let view = &self.view;
        let mut document = Document::headed(dump::headline(view));
        document.paragraph(self.verdict());
        document.gap_in_text();
        document.table(Table::new(self.columns(), self.user.associations.iter()));
        self.add_jobs(&mut document);
        document.gap();
        let mut sentences = Vec::new();
        if self.user.users.is_some() {
            sentences.extend(Some(self.held_back()).filter(|it| !it.is_empty()));
            sentences.extend(self.recovers());
            let caveat = view.caveat.map(|it| words::on_its_own(&doubt(&it.reason)));
            sentences.extend(caveat);
        } else if self.is_of_part() {
            sentences.extend(self.places());
            sentences.extend(Some(self.held_back()).filter(|it| !it.is_empty()));
            sentences.extend(self.recovers());
        }
        for (what, items) in ["would help", "would not"].into_iter().zip(self.advice()) {
            if !items.is_empty() {
                sentences.push(sentence!("What {what}: {}.", items.join("; ")));
            }
        }
        sentences.extend(self.not_told());
        sentences.push(UNKNOWN.into());
        document.paragraphs(sentences);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = &self.view;
        let associations = self.user.associations.iter();
        let job = |it: &QueuedJob| {
            object! {
                id: it.job.label.id.to_string(),
                place: it.now.place,
                priority: it.now.priority,
                fairshare: it.now.points(FAIR_SHARE).map(number),
                fairshare_part: it.fair_share_part(),
            }
        };
        let jobs: Vec<_> = self.jobs().into_iter().map(job).collect();
        let jobs = self.queue.map(|_| ("waiting", Lines(jobs)));
        let body = object! {
            user: name_text(view.tree.name(self.best().node)),
            users: self.user.users,
            associations: Lines(List(associations.map(|it| self.json(it)))),
            problem_count: view.problems.count(),
            #[serde(flatten)]
            waiting: Entries(jobs),
        };
        if self.shows_others {
            json::write(out, view, body)
        } else {
            json::write_bare(out, view, body)
        }
    }
}
