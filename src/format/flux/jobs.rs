//! Finished jobs from a CSV file: one line a job, columns by name.

use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::Input;
use crate::format::{LoadError, Problem, Problems, Severity};
use crate::model::{FinishedJob, Kind, NodeId, Recorded, Tree};
use csv::ByteRecord;
use hashbrown::HashMap;

/// The columns, the required ones first.
const COLUMNS: [&str; 7] = [
    "user",
    "bank",
    "nnodes",
    "t_run",
    "t_inactive",
    "ncores",
    "ngpus",
];

/// How many of the columns are required.
const NEEDED: usize = 5;

/// Reads jobs and records them for the users of a tree. An invalid line is reported and left out.
///
/// # Errors
/// If there is no usable header.
pub fn read(
    input: &Input,
    tree: &Tree,
    recorded: &mut Recorded,
    problems: &mut Problems,
) -> Result<(), LoadError> {
    let file = input.name();
    let text = input.bytes.strip_prefix(b"\xef\xbb\xbf");
    let text = text.unwrap_or(&input.bytes);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let mut record = ByteRecord::new();
    // Reading from memory into bytes cannot fail. It can only reach the end of the rows.
    let has_header = reader.read_byte_record(&mut record).unwrap_or(false);
    let places = COLUMNS.map(|column| {
        let mut headings = record.iter();
        headings.position(|heading| heading.trim_ascii().eq_ignore_ascii_case(column.as_bytes()))
    });
    let missing = (0..NEEDED).find(|&column| places[column].is_none());
    if let (false, _) | (_, Some(_)) = (has_header, missing) {
        return Err(LoadError::Refused(sentence!(
            "{file} has no column {} for the jobs; expected a first line that names the columns: {}, and where they \
             count ncores,ngpus",
            COLUMNS[missing.unwrap_or(0)],
            COLUMNS[..NEEDED].join(",")
        )));
    }
    let users = users(tree);
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let line = record.position().map_or(0, csv::Position::line);
        let field = |column: usize| {
            let field = places[column].and_then(|place| record.get(place));
            field.unwrap_or_default().trim_ascii()
        };
        match job(&field) {
            Ok(job) => match users.get(&(field(1), field(0))) {
                Some(&node) => recorded.push_job(node, job),
                None => problems.push_with(|| unknown_association(&file, line, field(0), field(1))),
            },
            Err(column) => problems.push_with(|| {
                Problem::at_line(
                    Severity::Error,
                    "flux-jobs-bad-line",
                    &file,
                    line,
                    sentence!(
                        "{} is {}, and the job was left out",
                        COLUMNS[column],
                        match field(column) {
                            [] => "missing".to_owned(),
                            text => shown(text).into(),
                        }
                    ),
                    "write whole numbers of nodes, cores and GPUs, and moments in Unix seconds, the end not before the \
                     start",
                )
            }),
        }
    }
    if !recorded.has_jobs() {
        problems.push(Problem::about(
            Severity::Warning,
            "flux-jobs-none",
            &file,
            "it has no jobs of users in the tree, so no job usage is shown",
            "give the jobs of the users in the tree, one a line, as in: bob,physics,2,1605635403,1605637403",
        ));
    }
    Ok(())
}

/// Returns a job from its fields, or the column that is invalid.
fn job<'a>(field: &impl Fn(usize) -> &'a [u8]) -> Result<FinishedJob, usize> {
    let text = |column| std::str::from_utf8(field(column)).map_err(|_| column);
    let count = |column| {
        let text = text(column)?;
        if column >= NEEDED && text.is_empty() {
            return Ok(0);
        }
        text.parse::<u64>().map_err(|_| column)
    };
    let moment = |column| {
        let moment = text(column)?.parse::<f64>().map_err(|_| column)?;
        (moment.is_finite() && moment >= 0.0)
            .then_some(moment)
            .ok_or(column)
    };
    let job = FinishedJob {
        nnodes: count(2)?,
        t_run: moment(3)?,
        t_inactive: moment(4)?,
        ncores: count(5)?,
        ngpus: count(6)?,
    };
    if job.elapsed() < 0.0 {
        return Err(4);
    }
    Ok(job)
}

/// Returns the users of a tree by bank and name. If a bank has several places in the tree, its first place has the
/// jobs.
fn users(tree: &Tree) -> HashMap<(&[u8], &[u8]), NodeId> {
    let mut users = HashMap::with_capacity(tree.user_count());
    for &node in tree.nodes() {
        if tree.kind(node) == Kind::User
            && let Some(bank) = tree.parent(node)
        {
            users
                .entry((tree.name(bank), tree.name(node)))
                .or_insert(node);
        }
    }
    users
}

fn unknown_association(file: &Shown, line: u64, user: &[u8], bank: &[u8]) -> Problem {
    Problem::at_line(
        Severity::Warning,
        "flux-jobs-unknown-user",
        file,
        line,
        sentence!(
            "unknown user '{}\' in the bank {}; the job was left out",
            shown(user),
            shown(bank)
        ),
        "write the names as flux account view-bank prints them",
    )
}
