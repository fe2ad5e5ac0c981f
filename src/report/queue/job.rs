//! `queue --why`: why one job is behind another.
//!
//! The difference of the two priorities is divided among the parts, as far as both jobs tell theirs: a priority that was
//! set by hand has none, and one that is kept is older than its parts. What the job passes with time follows.

mod overtakes;

use super::{UNTOLD, left_out_sentence, number, parts_json, rounded};
use crate::analysis::queue::{ComparedJob, Gap, JobAnswer, QueuedJob};
use crate::base::number::{Unit, counted, grouped, ordinal, percent};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::sprio::{FAIR_SHARE, PARTS};
use crate::report::render::document::{Document, Front};
use crate::report::render::json::{self, Entries, object};
use crate::report::render::table::{Cell, Column, Table};
use crate::report::words::queue::reason;
use crate::report::{Report, View, dump};
use serde::Serialize;
use std::io::{self, Write};

/// What there is to say of one job.
pub(crate) struct JobReport<'a> {
    /// The tree with its edits.
    pub(crate) view: View<'a>,
    /// The job, and what is before it.
    pub(crate) answer: JobAnswer<'a>,
    /// How many of the jobs that it passes people see; `None` for the usual number.
    pub(crate) limit: Option<usize>,
}

impl QueuedJob {
    /// Returns the job and its user: `12 of alice`.
    fn name_and_user(&self) -> Shown {
        let id = &self.name;
        match &self.job.label.user {
            Some(user) => sentence!("{id} of {}", shown(user)),
            None => id.clone(),
        }
    }
}

impl ComparedJob<'_> {
    /// Returns what the job is called.
    const fn name(&self) -> &Shown {
        &self.job.name
    }

    /// Returns its place and its points: `12 of alice is 2nd with 1,000 points`.
    fn text(&self) -> Shown {
        let job = self.job.name_and_user();
        let place = ordinal(self.standing.place);
        let points = grouped(self.standing.priority);
        sentence!("{job} is {place} with {points} points")
    }

    /// Returns the job for JSON.
    fn json(&self) -> impl Serialize {
        object! {
            id: self.job.job.label.id.to_string(),
            place: self.standing.place,
            priority: self.standing.priority,
            parts: parts_json(&self.standing.parts),
        }
    }
}

impl Gap<'_> {
    /// Returns how many points more the job before has.
    fn points(&self, own: &ComparedJob<'_>) -> i64 {
        self.before.standing.priority - own.standing.priority
    }

    /// Returns the end of the sentence about the gap: what fairshare has of it. Empty where it is not known.
    fn of_fair_share(&self) -> Shown {
        let Some(points) = self.parts[FAIR_SHARE] else {
            return Shown::default();
        };
        let Some(portion) = self.portion(FAIR_SHARE) else {
            return Shown::default();
        };
        let size = grouped(points.abs().round());
        if portion > 1.0 {
            return sentence!("; fairshare alone would make it {size}");
        }
        if portion.abs() < LEAST {
            return "; none of it is fairshare".into();
        }
        if portion < 0.0 {
            return sentence!("; fairshare makes it {size} smaller");
        }
        sentence!("; {} of it is fairshare", percent(portion))
    }
}

/// The least portion that is not rounded to 0.0%.
const LEAST: f64 = 0.0005;

/// What portion of the difference a part has.
struct Portion {
    /// The place of the part among [`PARTS`].
    part: usize,
    /// The portion; negative where the part makes the difference smaller.
    portion: f64,
}

/// A column of the parts; a row is the place of a part among [`PARTS`].
type PartColumn<'a> = Column<'a, usize>;

/// Returns the portions of a difference that can be told, the largest first.
fn portions(gap: &Gap<'_>) -> Vec<Portion> {
    let mut portions = Vec::new();
    for part in 0..PARTS.len() {
        if let Some(portion) = gap.portion(part)
            && portion.abs() >= LEAST
        {
            portions.push(Portion { part, portion });
        }
    }
    portions.sort_by(|one, other| {
        let size = one.portion.abs();
        let other_size = other.portion.abs();
        other_size.total_cmp(&size)
    });
    portions
}

impl JobReport<'_> {
    /// Returns how a sentence about places begins: `Job`, and with edits when it holds.
    const fn beginning(&self) -> &'static str {
        if self.answer.has_edits {
            "At the next calculation, after the edits, job"
        } else {
            "Job"
        }
    }

    /// Says where the job is, what makes the difference, and what no priority decides.
    fn sentences(&self) -> Vec<Shown> {
        let answer = &self.answer;
        let mut sentences = vec![self.gap_sentence()];
        sentences.extend(left_out_sentence(answer.left_out));
        if let Some(gap) = &answer.behind {
            sentences.push(self.places_sentence(gap));
            if gap.points(&answer.own) == 0 {
                sentences.push(
                    "Of jobs with the same priority Slurm takes the one with the lower number first."
                        .into(),
                );
            }
            sentences.extend(self.parts_sentence(gap));
        }
        sentences.extend(self.rank_sentences());
        sentences.extend(held(&answer.own));
        if let Some(gap) = &answer.behind {
            sentences.extend(held(&gap.before));
        }
        sentences
    }

    /// Says how far the job is behind the first one, or that it is first.
    fn gap_sentence(&self) -> Shown {
        let own = &self.answer.own;
        let Some(gap) = &self.answer.to_first else {
            return self.first_sentence();
        };
        let id = own.name();
        let first = gap.before.name();
        let points = grouped(gap.points(own));
        let portion = gap.of_fair_share();
        let when = if self.answer.has_edits {
            "After the edits the gap"
        } else {
            "The gap"
        };
        sentence!(
            "{when} from job {id} to the first waiting job, {first}, is {points} points{portion}."
        )
    }

    /// Says that the job is first, and whether others are, too.
    fn first_sentence(&self) -> Shown {
        let beginning = self.beginning();
        let own = &self.answer.own;
        let job = own.job.name_and_user();
        let jobs = counted(self.answer.jobs, "waiting job", "waiting jobs");
        let points = grouped(own.standing.priority);
        let mut text = sentence!("{beginning} {job} is first of {jobs}, with {points} points");
        if self.answer.equals > 0 {
            let others = counted(self.answer.equals, "other job has", "other jobs have");
            text += &sentence!("; {others} as many");
        }
        sentence!("{text}.")
    }

    /// Says where both jobs are that are compared.
    fn places_sentence(&self, gap: &Gap<'_>) -> Shown {
        let own = &self.answer.own;
        let beginning = self.beginning();
        let text = own.text();
        let before = gap.before.text();
        let more = grouped(gap.points(own));
        sentence!("{beginning} {text}; job {before}, {more} more.")
    }

    /// Says what portion of the difference each part has, or why that is not told. `None` without any portion.
    fn parts_sentence(&self, gap: &Gap<'_>) -> Option<Shown> {
        let own = self.answer.own.job;
        let before = gap.before.job;
        if own.job.is_by_hand() || before.job.is_by_hand() {
            return Some("A priority that was set by hand has no parts to compare.".into());
        }
        if own.is_kept || before.is_kept {
            return Some(
                "A priority that INCR_ONLY keeps is older than its parts, so these are not compared."
                    .into(),
            );
        }
        let mut named = Vec::new();
        for portion in portions(gap) {
            let title = PARTS[portion.part].title;
            let part = percent(portion.portion);
            named.push(sentence!("{title} {part}"));
        }
        if named.is_empty() {
            return None;
        }
        Some(sentence!("Of the difference: {}.", named.join(", ")))
    }

    /// Says which rank the user has in the tree and among those who wait, or that this needs a tree. Empty for a job without
    /// association or rank.
    fn rank_sentences(&self) -> Vec<Shown> {
        if !self.answer.has_tree {
            return vec![
                "The rank of the user needs a tree: give an output of sshare as SOURCE.".into(),
            ];
        }
        let Some(own) = self.answer.rank else {
            return Vec::new();
        };
        let label = &self.answer.own.job.job.label;
        let mut user: Shown = match &label.user {
            Some(name) => shown(name),
            None => "The user".into(),
        };
        if let Some(account) = &label.account {
            user += &sentence!(" in {}", shown(account));
        }
        let rank = ordinal(own.rank as usize);
        let users = counted(own.users, "user", "users");
        let ranks = sentence!("{user} ranks {rank} of {users} by fairshare");
        let Some(waiting) = own.waiting else {
            return vec![
                sentence!("{ranks}."),
                "The rank among the users of this queue is not known, because the user of some job is not known."
                    .into(),
            ];
        };
        let place = ordinal(waiting.rank);
        let count = grouped(waiting.users);
        vec![sentence!(
            "{ranks}, and {place} of the {count} with jobs in this queue."
        )]
    }

    /// Returns the columns of the parts; a row is the place of a part among [`PARTS`].
    fn columns(&self) -> Vec<PartColumn<'_>> {
        let mut columns = vec![
            PartColumn::left("Part", |&part| PARTS[part].title),
            points_column(&self.answer.own),
        ];
        let Some(gap) = &self.answer.behind else {
            return columns;
        };
        columns.push(points_column(&gap.before));
        columns.push(PartColumn::number("Difference", Unit::Count, |&part| {
            rounded(gap.parts[part])
        }));
        columns.push(PartColumn::right("Of it", |&part| {
            // A part that is the same for both has no portion to speak of.
            let portion = gap.portion(part).filter(|&portion| portion != 0.0);
            Cell::told(portion, percent)
        }));
        columns
    }

    /// Returns the parts that give one of the jobs points, by their places among [`PARTS`].
    fn parts(&self) -> Vec<usize> {
        let mut parts = Vec::new();
        for part in 0..PARTS.len() {
            let mut has_points = self.answer.own.standing.has_points(part);
            if let Some(gap) = &self.answer.behind {
                has_points |= gap.before.standing.has_points(part);
            }
            if has_points {
                parts.push(part);
            }
        }
        parts
    }
}

/// Says what a job waits for that no priority decides; `None` if it waits for its turn.
fn held(side: &ComparedJob<'_>) -> Option<Shown> {
    let raw = side.job.reason.as_deref()?;
    let words = reason(raw)?;
    let id = side.name();
    Some(sentence!(
        "No priority decides when job {id} starts: {words}."
    ))
}

/// Returns a column of the points of a job; a row is the place of a part among [`PARTS`].
fn points_column<'a>(side: &'a ComparedJob<'_>) -> PartColumn<'a> {
    let heading = sentence!("Job {}", side.name());
    PartColumn::number(heading, Unit::Count, move |&part| {
        rounded(side.standing.points(part))
    })
}

impl Report for JobReport<'_> {
    fn front(&self) -> Front {
        let id = self.answer.own.name();
        let title = match &self.answer.behind {
            Some(gap) => {
                let other = gap.before.name();
                sentence!("Why job {id} is behind job {other}")
            }
            None => sentence!("Job {id} in the queue"),
        };
        Front::of(title, &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(&self.view));
        document.paragraphs(self.sentences());
        document.gap_in_text();
        let parts = self.parts();
        document.table(Table::new(self.columns(), parts.into_iter()));
        document.gap();
        self.add_overtakes(&mut document);
        document.paragraph(UNTOLD);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let answer = &self.answer;
        let mut of_difference = Vec::new();
        let mut difference = None;
        let mut behind = None;
        if let Some(gap) = &answer.behind {
            behind = Some(gap.before.json());
            difference = Some(number(gap.difference));
            for portion in portions(gap) {
                let part = PARTS[portion.part];
                of_difference.push((part.key, portion.portion));
            }
        }
        let mut to_first = None;
        if let Some(gap) = &answer.to_first {
            to_first = Some(object! {
                id: gap.before.job.job.label.id.to_string(),
                gap: gap.points(&answer.own),
                fairshare_portion: gap.portion(FAIR_SHARE),
            });
        }
        let mut rank = None;
        if let Some(own) = answer.rank {
            let mut rank_of_waiting = None;
            let mut waiting_users = None;
            if let Some(waiting) = own.waiting {
                rank_of_waiting = Some(waiting.rank);
                waiting_users = Some(waiting.users);
            }
            rank = Some(object! {
                rank: own.rank,
                users: own.users,
                rank_of_waiting: rank_of_waiting,
                waiting_users: waiting_users,
            });
        }
        let body = object! {
            job: answer.own.json(),
            behind: behind,
            difference: difference,
            of_difference: Entries(of_difference),
            first: to_first,
            user_rank: rank,
            overtakes: self.overtakes_json(),
        };
        json::write(out, &self.view, body)
    }
}
