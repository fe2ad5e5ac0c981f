//! `queue --why`: why one job is behind another.
//!
//! The difference of the two priorities is divided among the parts, as far as both jobs tell theirs: a priority that was
//! set by hand has none, and one that is kept is older than its parts.

use super::{UNTOLD, number, parts_json, rounded};
use crate::analysis::queue::{Behind, ComparedJob};
use crate::base::number::{Unit, grouped, ordinal, percent};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::sprio::PARTS;
use crate::report::render::document::{Document, Front};
use crate::report::render::json::{self, Entries, object};
use crate::report::render::table::{Cell, Column, Table};
use crate::report::words::queue::reason;
use crate::report::{Report, View, dump};
use serde::Serialize;
use std::io::{self, Write};

/// Why a job is behind another one.
pub(crate) struct BehindReport<'a> {
    /// The tree with its edits.
    pub(crate) view: View<'a>,
    /// The two jobs.
    pub(crate) behind: &'a Behind<'a>,
}

impl ComparedJob<'_> {
    /// Returns what the job is called.
    const fn id(&self) -> &Shown {
        &self.job.job.label.id
    }

    /// Returns its place and its points: `12 of alice is 2nd with 1,000 points`.
    fn text(&self) -> Shown {
        let id = self.id();
        let place = ordinal(self.standing.place);
        let points = grouped(self.standing.priority);
        match &self.job.job.label.user {
            Some(user) => {
                let user = shown(user);
                sentence!("{id} of {user} is {place} with {points} points")
            }
            None => sentence!("{id} is {place} with {points} points"),
        }
    }

    /// Returns the job for JSON.
    fn json(&self) -> impl Serialize {
        object! {
            id: self.id().to_string(),
            place: self.standing.place,
            priority: self.standing.priority,
            parts: parts_json(&self.standing.parts),
        }
    }
}

/// What portion of the difference a part has.
struct Portion {
    /// The place of the part among [`PARTS`].
    part: usize,
    /// The portion; negative where the part makes the difference smaller.
    portion: f64,
}

/// A column of the parts; a row is the place of a part among [`PARTS`].
type PartColumn<'a> = Column<'a, usize>;

impl BehindReport<'_> {
    /// Returns the portions of the difference that can be told, the largest first.
    fn portions(&self) -> Vec<Portion> {
        /// What is rounded to 0.0%.
        const LEAST: f64 = 0.0005;
        let mut portions = Vec::new();
        for (part, points) in self.behind.parts.into_iter().enumerate() {
            let Some(points) = points else {
                continue;
            };
            let portion = points / self.behind.difference;
            if portion.is_finite() && portion.abs() >= LEAST {
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

    /// Says where both jobs are, and what makes the difference.
    fn sentences(&self) -> Vec<Shown> {
        let own = &self.behind.own;
        let before = &self.behind.before;
        let beginning = if self.behind.has_edits {
            "At the next calculation, after the edits, job"
        } else {
            "Job"
        };
        let difference = before.standing.priority - own.standing.priority;
        let mut sentences = vec![sentence!(
            "{beginning} {}; job {}, {} more.",
            own.text(),
            before.text(),
            grouped(difference)
        )];
        if difference == 0 {
            sentences.push(
                "Of jobs with one priority Slurm takes the one with the lower number first.".into(),
            );
        }
        sentences.extend(self.parts_sentence());
        for side in [own, before] {
            if let Some(raw) = &side.job.reason
                && let Some(words) = reason(raw)
            {
                let id = side.id();
                sentences.push(sentence!(
                    "No priority decides when job {id} starts: {words}."
                ));
            }
        }
        sentences
    }

    /// Says what portion of the difference each part has, or why that is not told. `None` without any portion.
    fn parts_sentence(&self) -> Option<Shown> {
        let own = self.behind.own.job;
        let before = self.behind.before.job;
        if own.job.is_by_hand() || before.job.is_by_hand() {
            return Some("A priority that was set by hand has no parts to compare.".into());
        }
        if own.is_kept || before.is_kept {
            return Some(
                "A priority that INCR_ONLY keeps is older than its parts, so these are not compared."
                    .into(),
            );
        }
        let mut portions = Vec::new();
        for portion in self.portions() {
            let title = PARTS[portion.part].title;
            let part = percent(portion.portion);
            portions.push(sentence!("{title} {part}"));
        }
        if portions.is_empty() {
            return None;
        }
        Some(sentence!("Of the difference: {}.", portions.join(", ")))
    }

    /// Returns the columns of the parts; a row is the place of a part among [`PARTS`].
    fn columns(&self) -> Vec<PartColumn<'_>> {
        vec![
            PartColumn::left("Part", |&part| PARTS[part].title),
            points_column(&self.behind.own),
            points_column(&self.behind.before),
            PartColumn::number("Difference", Unit::Count, |&part| {
                rounded(self.behind.parts[part])
            }),
            PartColumn::right("Of it", |&part| {
                let portion = self.portion(part);
                Cell::told(portion, percent)
            }),
        ]
    }

    /// Returns the portion that a part has of the difference; `None` if either of them is 0 or not known.
    fn portion(&self, part: usize) -> Option<f64> {
        let points = self.behind.parts[part]?;
        let difference = self.behind.difference;
        if points == 0.0 || difference == 0.0 {
            return None;
        }
        Some(points / difference)
    }
}

/// Returns a column of the points of a job; a row is the place of a part among [`PARTS`].
fn points_column<'a>(side: &'a ComparedJob<'_>) -> PartColumn<'a> {
    let heading = sentence!("Job {}", side.id());
    PartColumn::number(heading, Unit::Count, move |&part| {
        rounded(side.standing.points(part))
    })
}

impl Report for BehindReport<'_> {
    fn front(&self) -> Front {
        let own = &self.behind.own;
        let before = &self.behind.before;
        let id = own.id();
        let other = before.id();
        let title = sentence!("Why job {id} is behind job {other}");
        Front::of(title, &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut parts = Vec::new();
        for part in 0..PARTS.len() {
            let own = self.behind.own.standing.points(part);
            let before = self.behind.before.standing.points(part);
            let has_own = own.unwrap_or(0.0) != 0.0;
            let has_before = before.unwrap_or(0.0) != 0.0;
            if has_own || has_before {
                parts.push(part);
            }
        }
        let mut document = Document::headed(dump::headline(&self.view));
        document.paragraphs(self.sentences());
        document.gap_in_text();
        let columns = self.columns();
        document.table(Table::new(columns, parts.into_iter()));
        document.gap();
        document.paragraph(UNTOLD);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut portions = Vec::new();
        for portion in self.portions() {
            let part = PARTS[portion.part];
            portions.push((part.key, portion.portion));
        }
        let own = &self.behind.own;
        let before = &self.behind.before;
        let body = object! {
            job: own.json(),
            behind: before.json(),
            difference: number(self.behind.difference),
            of_difference: Entries(portions),
        };
        json::write(out, &self.view, body)
    }
}
