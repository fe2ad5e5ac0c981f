//! Which of the jobs before it a job passes with time.

use super::JobReport;
use crate::analysis::queue::{MissingAge, Overtake, Overtakes, Pass, PassMoment, PassTime};
use crate::base::number::{Unit, Value, counted, grouped, word_for};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::duration_for_people;
use crate::report::render::document::{Document, left_off};
use crate::report::render::json::object;
use crate::report::render::table::{Column, Table};
use serde::Serialize;

/// How many of the jobs that are passed people see unless more are asked for.
const USUAL_LIMIT: usize = 10;

/// Why jobs are never passed.
const STAYS_AHEAD: &str =
    "age raises all jobs alike, and each of these is ahead at the full age, too";

/// A column of the jobs that are passed.
type PassColumn<'a> = Column<'a, &'a Pass<'a>>;

impl PassTime {
    /// Returns the time for people: one duration, or two where rounding or the period of calculations makes a difference.
    fn text(self) -> Shown {
        let earliest = duration_for_people(self.earliest);
        let latest = duration_for_people(self.latest);
        if earliest == latest {
            return earliest;
        }
        sentence!("{earliest} to {latest}")
    }
}

impl MissingAge {
    /// Says why it is not told when jobs are passed, and what would tell it.
    const fn sentence(self) -> &'static str {
        match self {
            Self::Weight => {
                "When is not known without PriorityWeightAge and PriorityMaxAge: give --config FILE with scontrol show config."
            }
            Self::MaxAge => {
                "When is not known without PriorityMaxAge: give --config FILE with scontrol show config."
            }
            Self::Edited => "When is not known, because the edits change how age counts.",
        }
    }
}

impl JobReport<'_> {
    /// Adds which of the jobs before it the job passes, unless it is first.
    pub(super) fn add_overtakes<'d>(&'d self, document: &mut Document<'d>) {
        let overtakes = &self.answer.overtakes;
        if overtakes.ahead == 0 {
            return;
        }
        document.heading("Overtakes");
        document.paragraphs(self.overtake_sentences());
        if !overtakes.passes.is_empty() {
            let limit = self.limit.unwrap_or(USUAL_LIMIT);
            let more = overtakes.passes.len().saturating_sub(limit);
            document.gap_in_text();
            document.table(passed_jobs(overtakes, limit));
            document.note_left_off(left_off(more));
        }
        document.gap();
    }

    /// Says which jobs the job passes, which never, and what is missing to tell.
    fn overtake_sentences(&self) -> Vec<Shown> {
        let overtakes = &self.answer.overtakes;
        let id = self.answer.own.name();
        if self.answer.own.job.job.is_by_hand() {
            return vec![sentence!(
                "Job {id} passes no job before it: its priority was set by hand, so age does not raise it."
            )];
        }
        let mut sentences = Vec::new();
        sentences.extend(self.pair_sentence());
        if overtakes.ahead > 1 {
            let is_first = sentences.is_empty();
            sentences.extend(self.all_sentence(is_first));
        }
        if overtakes.too_close > 0 {
            let close = counted(overtakes.too_close, "job is", "jobs are");
            sentences.push(sentence!(
                "{close} too close to call: the printed digits do not tell which job ends ahead."
            ));
        }
        if overtakes.unknown > 0 {
            let unknown = counted(overtakes.unknown, "job", "jobs");
            sentences.push(sentence!(
                "Of {unknown} nothing can be told: the priorities do not follow from the points of age."
            ));
        }
        if let Some(missing) = overtakes.missing {
            sentences.push(missing.sentence().into());
        }
        sentences
    }

    /// Says how many of the jobs before it the job passes, and how many never; `None` if neither is known of any. The first
    /// sentence says what is assumed.
    fn all_sentence(&self, is_first: bool) -> Option<Shown> {
        let overtakes = &self.answer.overtakes;
        let count = overtakes.passes.len();
        let never = overtakes.never;
        if count == 0 && never == 0 {
            return None;
        }
        let id = self.answer.own.name();
        let ahead = grouped(overtakes.ahead);
        let mut beginning = sentence!("Job {id}");
        if is_first {
            beginning = sentence!("With all else equal, job {id}");
        }
        if count == 0 && never == overtakes.ahead {
            return Some(sentence!(
                "{beginning} passes none of the {ahead} jobs before it: {STAYS_AHEAD}."
            ));
        }
        let never_count = grouped(never);
        if count == 0 {
            return Some(sentence!(
                "{beginning} never passes {never_count} of the {ahead} jobs before it: {STAYS_AHEAD}."
            ));
        }
        let passed = grouped(count);
        let mut text = sentence!(
            "{beginning} passes {passed} of the {ahead} jobs before it. {}",
            reason_of(overtakes)
        );
        if never > 0 {
            text += &sentence!(" It never passes {never_count} others: {STAYS_AHEAD}.");
        }
        Some(text)
    }

    /// Says whether the job passes the one that it is compared with; `None` if what follows says it.
    fn pair_sentence(&self) -> Option<Shown> {
        let gap = self.answer.behind.as_ref()?;
        let id = self.answer.own.name();
        let other = gap.before.name();
        let text = match self.answer.overtake? {
            Overtake::AtNext => sentence!("passes job {other} at the next calculation"),
            Overtake::After(time) => sentence!("passes job {other} in {}", time.text()),
            Overtake::Sometime(_) => sentence!("passes job {other} some time"),
            Overtake::Never(points) => {
                let more = grouped(points.round());
                sentence!(
                    "never passes job {other}, which has {more} points more once both have their full age"
                )
            }
            // Of equal priorities neither is before the other.
            Overtake::TooClose if gap.points(&self.answer.own) == 0 => return None,
            Overtake::TooClose => {
                return Some(sentence!(
                    "Whether job {id} passes job {other} is too close to call."
                ));
            }
            Overtake::Unknown => return None,
        };
        Some(sentence!("With all else equal, job {id} {text}."))
    }

    /// Returns what is known of the jobs before, for JSON.
    pub(super) fn overtakes_json(&self) -> impl Serialize {
        let overtakes = &self.answer.overtakes;
        let mut passes = Vec::new();
        for pass in &overtakes.passes {
            let mut earliest = None;
            let mut latest = None;
            match pass.when {
                PassMoment::Next => {
                    earliest = Some(0);
                    latest = Some(0);
                }
                PassMoment::In(time) => {
                    earliest = Some(time.earliest);
                    latest = Some(time.latest);
                }
                PassMoment::Unknown => {}
            }
            passes.push(object! {
                id: pass.job.job.job.label.id.to_string(),
                place: pass.job.standing.place,
                points: pass.points,
                earliest: earliest,
                latest: latest,
            });
        }
        object! {
            ahead: overtakes.ahead,
            passes: passes,
            never: overtakes.never,
            unknown: overtakes.ahead - overtakes.passes.len() - overtakes.never,
        }
    }
}

/// Returns why jobs are passed, the one reason or both.
fn reason_of(overtakes: &Overtakes<'_>) -> Shown {
    let mut at_next = 0;
    for pass in &overtakes.passes {
        if pass.when == PassMoment::Next {
            at_next += 1;
        }
    }
    if at_next == 0 {
        let them = word_for(overtakes.passes.len(), "it", "them");
        return sentence!("Age stops raising {them} first, and then only this job gains.");
    }
    let passed = counted(at_next, "job is", "jobs are");
    let fairshare = sentence!(
        "{passed} passed at the next calculation, because the tree has another fairshare"
    );
    if at_next == overtakes.passes.len() {
        return sentence!("{fairshare}.");
    }
    sentence!("{fairshare}; age stops raising the others first.")
}

/// Returns the table of the jobs that are passed.
fn passed_jobs<'a>(overtakes: &'a Overtakes<'a>, limit: usize) -> Table<'a> {
    let columns: Vec<PassColumn<'a>> = vec![
        PassColumn::left("Job", |pass| pass.job.name().clone()),
        PassColumn::number("Place", Unit::Rank, |pass| {
            let place = pass.job.standing.place;
            place.into()
        }),
        PassColumn::left("User", |pass| match &pass.job.job.job.label.user {
            Some(user) => shown(user),
            None => Shown::default(),
        }),
        PassColumn::number("Points more", Unit::Count, |pass| Value::Count(pass.points)),
        PassColumn::left("Passed", |pass| match pass.when {
            PassMoment::Next => "at the next calculation".into(),
            PassMoment::In(time) => sentence!("in {}", time.text()),
            PassMoment::Unknown => Shown::default(),
        }),
    ];
    Table::new(columns, overtakes.passes.iter().take(limit))
}
