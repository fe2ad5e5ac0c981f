//! `queue --why`: why one job is behind another.

use super::{UNTOLD, number, parts_json, rounded};
use crate::analysis::queue::{Behind, QueuedJob, Standing};
use crate::base::number::{Unit, grouped, ordinal, percent};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::sprio::PARTS;
use crate::report::render::document::{Document, Front};
use crate::report::render::json::{self, Entries, object};
use crate::report::render::table::{Cell, Column, Table};
use crate::report::words::queue::reason;
use crate::report::{Report, View, dump};
use std::io::{self, Write};

pub(crate) struct BehindReport<'a> {
    pub(crate) view: View<'a>,
    pub(crate) behind: &'a Behind<'a>,
}

fn standing(job: &QueuedJob, it: Standing) -> Shown {
    let label = &job.job.label;
    let user = label.user.as_ref();
    let user = user.map_or_else(Shown::default, |it| sentence!(" of {}", shown(it)));
    let (place, points) = (ordinal(it.place), grouped(it.priority));
    sentence!("{}{user} is {place} with {points} points", label.id)
}

impl BehindReport<'_> {
    /// Returns the portion that each part has of the difference, the largest first.
    fn portions(&self) -> Vec<(usize, f64)> {
        let difference = self.behind.difference;
        let parts = self.behind.parts.into_iter().enumerate();
        let portions = parts.filter_map(|(part, points)| Some((part, points? / difference)));
        let mut portions: Vec<(usize, f64)> = portions.collect();
        portions.retain(|(_, portion)| portion.is_finite() && portion.abs() >= 0.0005);
        portions.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        portions
    }

    fn sentences(&self) -> Vec<Shown> {
        let behind = self.behind;
        let [own, before] = [0, 1].map(|it| standing(behind.jobs[it], behind.standings[it]));
        let beginning = if behind.has_edits {
            "At the next calculation, after the edits, job"
        } else {
            "Job"
        };
        let [own_points, more_points] = behind.standings.map(|it| it.priority);
        let more = grouped(more_points - own_points);
        let mut sentences = vec![sentence!("{beginning} {own}; job {before}, {more} more.")];
        if behind.standings[0].priority == behind.standings[1].priority {
            sentences.push(
                "Of jobs with one priority Slurm takes the one with the lower number first.".into(),
            );
        }
        let portions = self.portions().into_iter();
        let portions =
            portions.map(|(part, portion)| sentence!("{} {}", PARTS[part].title, percent(portion)));
        let portions = Shown::joined(portions, ", ");
        if behind.jobs.iter().any(|it| it.job.is_by_hand()) {
            sentences.push("A priority that was set by hand has no parts to compare.".into());
        } else if behind.jobs.iter().any(|it| it.is_kept) {
            sentences.push(
                "A priority that INCR_ONLY keeps is older than its parts, so these are not compared.".into(),
            );
        } else if !portions.is_empty() {
            sentences.push(sentence!("Of the difference: {portions}."));
        }
        for it in behind.jobs {
            if let Some(words) = it.reason.as_ref().and_then(|raw| reason(raw)) {
                let id = &it.job.label.id;
                sentences.push(sentence!(
                    "No priority decides when job {id} starts: {words}."
                ));
            }
        }
        sentences
    }

    fn columns(&self) -> Vec<Column<'_, usize>> {
        let behind = self.behind;
        let (parts, difference) = (&behind.parts, behind.difference);
        let of = |which: usize| {
            let heading = sentence!("Job {}", behind.jobs[which].job.label.id);
            Column::number(heading, Unit::Count, move |&part| {
                rounded(behind.standings[which].points(part))
            })
        };
        let points = |part: &usize| rounded(parts[*part]);
        let portion = move |part: &usize| {
            let points = parts[*part].filter(|it| *it != 0.0 && difference != 0.0);
            Cell::told(points.map(|it| it / difference), percent)
        };
        vec![
            Column::left("Part", |part: &usize| PARTS[*part].title),
            of(0),
            of(1),
            Column::number("Difference", Unit::Count, points),
            Column::right("Of it", portion),
        ]
    }
}

impl Report for BehindReport<'_> {
    fn front(&self) -> Front {
        let [job, before] = self.behind.jobs.map(|it| &it.job.label.id);
        let title = sentence!("Why job {job} is behind job {before}");
        Front::of(title, &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(&self.view));
        document.paragraphs(self.sentences());
        document.gap_in_text();
        let standings = self.behind.standings;
        let is_told = move |&part: &usize| {
            let points = standings.map(|it| it.points(part));
            points.iter().flatten().any(|it| *it != 0.0)
        };
        document.table(Table::new(self.columns(), (0..PARTS.len()).filter(is_told)));
        document.gap();
        document.paragraph(UNTOLD);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let behind = self.behind;
        let side = |which: usize| {
            let it = &behind.standings[which];
            object! {
                id: behind.jobs[which].job.label.id.to_string(),
                place: it.place,
                priority: it.priority,
                parts: parts_json(&it.parts),
            }
        };
        let portions = self.portions().into_iter();
        let portions = portions.map(|(part, portion)| (PARTS[part].key, portion));
        let body = object! {
            job: side(0),
            behind: side(1),
            difference: number(behind.difference),
            of_difference: Entries(portions.collect::<Vec<_>>()),
        };
        json::write(out, &self.view, body)
    }
}
