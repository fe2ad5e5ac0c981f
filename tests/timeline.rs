//! Series of dumps: their order, the numbers of nodes over time, and problems with dumps.

use crate::support::dumps::{dumps, four_days, tree};
use crate::support::expected::Expected as _;
use crate::support::golden;
use crate::support::loading::{codes, go_on, load_quietly};
use fairscope::analysis::timeline::{
    Measure, NodeSelection, Rules, Timeline, TimelineError, Transition, read,
};
use fairscope::format::{Format, Problems, Request, Series};
use fairscope::open::opened::Opened;
use fairscope::open::series::{date_of, find};
use fairscope::rules::policy::Policy;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn found(folder: &Path) -> (Series, Problems) {
    find(&[folder.to_owned()]).unwrap()
}

fn follow(folder: &Path, wanted: NodeSelection<'_>) -> Result<Timeline, TimelineError> {
    read(
        found(folder),
        &Request::default(),
        wanted,
        Rules::default(),
        &mut go_on,
    )
}

fn whens(timeline: &Timeline) -> Vec<String> {
    let moments = timeline.moments.iter();
    moments.map(|moment| moment.dump.when().into()).collect()
}

#[test]
fn a_timeline_has_the_numbers_of_each_dump_and_gaps_where_the_node_is_missing() {
    let folder = four_days();
    let names = [b"bob".to_vec(), b"b/zoe".to_vec(), Vec::new()];
    let timeline = follow(folder.path(), NodeSelection::Nodes(&names)).unwrap();
    assert_eq!(timeline.tracks.len(), 3);
    let [bob, zoe, root] = &timeline.tracks[..] else {
        panic!("three were asked for");
    };
    // A node missing from the newest dump is found in an older one.
    assert_eq!(
        (&*bob.path, &*zoe.path, &*root.path),
        ("a/bob", "b/zoe", "")
    );
    let is_there = |points: &[Option<_>]| points.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(is_there(&bob.points), [true, true, true, false, false]);
    assert_eq!(is_there(&zoe.points), [false, false, true, true, true]);
    assert_eq!(is_there(&root.points), [true; 5]);
    let usage: Vec<_> = bob
        .points
        .iter()
        .flatten()
        .map(|point| point.usage)
        .collect();
    assert_eq!(usage, [Some(100.0), Some(900.0), Some(900.0)]);
    let usage: Vec<_> = root
        .points
        .iter()
        .flatten()
        .map(|point| point.usage)
        .collect();
    assert_eq!(usage, [800.0, 1600.0, 1600.0, 750.0, 750.0].map(Some));
}

#[test]
fn every_number_equals_that_of_the_dump_opened_alone() {
    let folder = four_days();
    for policy in [
        Policy::FairTree,
        Policy::Pbs,
        Policy::Classic,
        Policy::LevelBased,
    ] {
        let found = found(folder.path());
        let dumps = found.0.dumps().to_vec();
        let timeline = read(
            found,
            &Request::default(),
            NodeSelection::All,
            Rules {
                policy: Some(policy),
                edits: &[],
            },
            &mut go_on,
        )
        .unwrap();
        assert_eq!(timeline.policy(), policy);
        for (place, dump) in dumps.iter().enumerate() {
            let request = Request::to_open(&dump.path);
            let opened = Opened::new(load_quietly(&request).unwrap(), Some(policy));
            let scenario = &opened.scenario;
            let mut seen = BTreeSet::new();
            for track in &timeline.tracks {
                let Some(point) = &track.points[place] else {
                    continue;
                };
                let node = fairscope::model::resolve(scenario.tree(), track.path.as_bytes());
                let node = node.unwrap();
                seen.insert(node);
                assert_eq!(point.shares, scenario.tree().shares(node));
                assert_eq!(point.rank, scenario.evaluation().rank(node));
                let factor = scenario.evaluation().value(policy.factor_column(), node);
                assert_eq!(point.factor, factor, "{} {}", dump.when(), track.path);
            }
            assert_eq!(seen.len(), scenario.tree().node_count());
        }
    }
}

#[test]
fn missing_days_among_daily_dumps_are_counted() {
    let folder = four_days();
    let timeline = follow(folder.path(), NodeSelection::Nodes(&[])).unwrap();
    assert_eq!(timeline.pace, Some(86_400));
    let missing: Vec<_> = timeline
        .moments
        .iter()
        .map(|moment| moment.missing)
        .collect();
    assert_eq!(missing, [0, 0, 1, 0, 0]);
    assert_eq!(codes(&timeline.problems), ["timeline-undated"]);
}

#[test]
fn irregular_dumps_have_no_gaps() {
    let text = tree(&["a/ 1 ", "a/bob 1 1"]);
    let names = ["20250101", "20250102", "20250301", "20250304", "20250901"];
    let files: Vec<_> = names.iter().map(|name| (*name, &*text)).collect();
    let folder = dumps(&files);
    let timeline = follow(folder.path(), NodeSelection::Nodes(&[])).unwrap();
    assert_eq!(timeline.pace, None);
    assert!(timeline.moments.iter().all(|moment| moment.missing == 0));
}

#[test]
fn a_transition_lists_added_removed_and_reshared_nodes() {
    let folder = four_days();
    let timeline = follow(folder.path(), NodeSelection::Nodes(&[])).unwrap();
    let steps: Vec<_> = timeline
        .moments
        .iter()
        .map(|moment| moment.step.as_ref())
        .collect();
    assert!(steps[0].is_none());
    let step = steps[2].unwrap();
    assert_eq!((step.added, step.removed, step.shares_count), (1, 0, 1));
    assert_eq!(step.shares[0].path.as_deref(), Some("b"));
    assert_eq!(step.shares[0].shares.before.count(), Some(1));
    assert_eq!(step.shares[0].shares.after.count(), Some(3));
    let step = steps[3].unwrap();
    assert_eq!((step.added, step.removed), (0, 1));
    let step = steps[4].unwrap();
    assert_eq!(step, &Transition::default());
}

#[test]
fn nodes_are_sorted_by_rank_change_without_unchanged_ones() {
    let folder = four_days();
    let timeline = follow(folder.path(), NodeSelection::Movers(10)).unwrap();
    assert_eq!(timeline.measure(), Measure::Rank);
    let widths: Vec<f64> = timeline
        .tracks
        .iter()
        .map(|track| track.span(Measure::Rank).unwrap().width())
        .collect();
    assert!(!widths.is_empty());
    assert!(widths.is_sorted_by(|a, b| a >= b), "{widths:?}");
    assert!(widths.iter().all(|&width| width > 0.0));
    let one = follow(folder.path(), NodeSelection::Movers(1)).unwrap();
    assert_eq!(one.tracks[..], timeline.tracks[..1]);
}

#[test]
fn unordered_files_are_sorted_by_time_and_reported() {
    let folder = four_days();
    let path = |name: &str| folder.path().join(name);
    let paths = [path("gold-2025-04-05.csv"), path("gold-2025-04-01.csv")];
    let found = find(&paths).unwrap();
    let timeline = read(
        found,
        &Request::default(),
        NodeSelection::Nodes(&[]),
        Rules::default(),
        &mut go_on,
    )
    .unwrap();
    assert_eq!(whens(&timeline), ["2025-04-01", "2025-04-05"]);
    assert_eq!(codes(&timeline.problems), ["timeline-out-of-order"]);
}

#[test]
fn unreadable_dumps_are_skipped_at_any_position() {
    let good = tree(&["a/ 1 ", "a/bob 1 1"]);
    let folder = dumps(&[
        ("2025-01-01", "\u{1}\u{2}"),
        ("2025-01-02", &good),
        ("2025-01-03", ""),
        ("2025-01-04", &good),
        ("2025-01-05", "what is this"),
    ]);
    let timeline = follow(folder.path(), NodeSelection::Movers(3)).unwrap();
    assert_eq!(whens(&timeline), ["2025-01-02", "2025-01-04"]);
    assert_eq!(codes(&timeline.problems), ["timeline-unreadable"; 3]);
    let folder = dumps(&[("2025-01-01", ""), ("2025-01-02", "?")]);
    assert!(matches!(
        follow(folder.path(), NodeSelection::All),
        Err(TimelineError::Load(_))
    ));
}

#[test]
fn dumps_of_different_schedulers_are_matched_by_path_and_reported() {
    let toml = |scheduler: &str| {
        format!("fairscope = 1\nscheduler = \"{scheduler}\"\n[tree]\nrows = \"a 1\"\n")
    };
    let folder = dumps(&[
        ("2025-01-01.toml", &toml("slurm")),
        ("2025-01-02.toml", &toml("flux")),
    ]);
    let timeline = follow(folder.path(), NodeSelection::Nodes(&[])).unwrap();
    assert_eq!(codes(&timeline.problems), ["timeline-other-cluster"]);
}

#[test]
fn dumps_without_dates_are_ordered_by_file_time() {
    let text = tree(&["a/ 1 ", "a/bob 1 1"]);
    let folder = dumps(&[("one.csv", &text), ("two.csv", &text)]);
    let later = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for (name, seconds) in [("one.csv", 60), ("two.csv", 0)] {
        let file = std::fs::File::options()
            .write(true)
            .open(folder.path().join(name));
        let time = later + std::time::Duration::from_secs(seconds);
        file.unwrap().set_modified(time).unwrap();
    }
    let timeline = follow(folder.path(), NodeSelection::Nodes(&[])).unwrap();
    assert_eq!(
        whens(&timeline),
        ["2023-11-14 22:13:20", "2023-11-14 22:14:20"]
    );
    assert_eq!(codes(&timeline.problems), ["timeline-file-time"]);
}

#[test]
fn unknown_nodes_and_ambiguous_names_are_refused() {
    let folder = four_days();
    let refused = |name: &str| {
        let names = [name.as_bytes().to_vec()];
        follow(folder.path(), NodeSelection::Nodes(&names))
            .unwrap_err()
            .to_string()
    };
    refused("nobody").must_begin("unknown node 'nobody'");
    let text = tree(&["a/ 1 ", "b/ 1 ", "a/bob 1 1", "b/bob 1 1"]);
    let folder = dumps(&[("2025-01-01", &text)]);
    let names = [b"bob".to_vec()];
    let error = follow(folder.path(), NodeSelection::Nodes(&names)).unwrap_err();
    error.to_string().must_begin("2 nodes are called bob");
}

#[test]
fn a_directory_of_dumps_opens_the_newest_with_its_date() {
    let folder = four_days();
    let request = Request::to_open(folder.path());
    let loaded = load_quietly(&request).unwrap();
    let series = loaded.series.unwrap();
    assert_eq!((series.place(), series.dumps().len()), (4, 5));
    let newest = folder.path().join("gold-2025-04-06.csv");
    assert_eq!(loaded.reference.request.path(), newest);
    assert_eq!(loaded.snapshot.source.taken, Some(1_743_897_600));
    // The dumps must not be written to.
    let files = request.files();
    for dump in series.dumps() {
        assert!(files.contains(&dump.path), "{files:?}");
    }
}

#[test]
fn a_schedulers_directory_is_never_a_series() {
    let folder = dumps(&[("resource_group", "a 10 root 1\n"), ("usage-20250422", "")]);
    let request = Request::to_open(folder.path());
    let loaded = load_quietly(&request).unwrap();
    assert!(loaded.series.is_none());
    assert_eq!(loaded.snapshot.source.format, Format::Pbs);
}

/// A folder with the golden files converted to our CSV by the manual's command.
fn converted(folder: &str, ending: &str, input: &str) -> Option<tempfile::TempDir> {
    let folder = golden(folder)?;
    let formats = include_str!("../assets/manual/formats.md");
    let tail = format!(" {input} > tree.csv");
    let command = formats
        .lines()
        .find_map(|line| line.strip_suffix(&tail))
        .unwrap();
    let target = tempfile::tempdir().unwrap();
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|found| found == ending));
    for path in paths.collect::<Vec<PathBuf>>() {
        let script = format!("{command} \"$0\"");
        let output = Command::new("sh")
            .arg("-c")
            .arg(script)
            .arg(&path)
            .output()
            .unwrap();
        let name = path.with_extension("csv");
        std::fs::write(target.path().join(name.file_name().unwrap()), output.stdout).unwrap();
    }
    Some(target)
}

/// The shares of each lab in a converted file, read from its lines. A repeated lab counts once, with its first line;
/// lines without a name are skipped.
fn shares(path: &Path) -> Vec<(String, i64)> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let mut seen = BTreeSet::new();
    let mut shares = Vec::new();
    for record in reader.records() {
        let record = record.unwrap();
        let lab = record[1].trim();
        if let Ok(count) = record[2].trim().parse()
            && !lab.is_empty()
            && seen.insert(lab.to_owned())
        {
            shares.push((lab.to_owned(), count));
        }
    }
    shares
}

fn assert_all_shares(timeline: &Timeline) -> usize {
    let mut compared = 0;
    for (place, moment) in timeline.moments.iter().enumerate() {
        for (lab, count) in shares(&moment.dump.path) {
            let path = fairscope::model::escape_name(lab.as_bytes());
            let track = timeline.tracks.iter().find(|track| track.path == path);
            let Some(point) = track.and_then(|track| track.points[place]) else {
                assert!(moment.problems > 0, "{} lacks {lab}", moment.dump.when());
                continue;
            };
            assert_eq!(
                point.shares.count(),
                Some(count),
                "{lab} {}",
                moment.dump.when()
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn golden_census_of_two_years_is_one_timeline() {
    let Some(folder) = converted("public/fasrc_census", "csv", "labs.csv") else {
        return;
    };
    let timeline = follow(folder.path(), NodeSelection::All).unwrap();
    assert_eq!(timeline.moments.len(), 93);
    let compared = assert_all_shares(&timeline);
    assert_eq!(codes(&timeline.problems), ["timeline-same-moment"]);
    assert_eq!(timeline.measure(), Measure::Target);
    let april = whens(&timeline)
        .iter()
        .position(|when| when == "2025-04-25")
        .unwrap();
    let step = timeline.moments[april].step.as_ref().unwrap();
    assert_eq!((step.shares_count, step.diluted), (1, 292));
    assert_eq!(step.shares[0].path.as_deref(), Some("kempner_lab"));
    assert_eq!(format!("{:.3}", step.dilution), "-0.037");
    println!(
        "{} labs in 93 versions, {compared} shares compared",
        timeline.tracks.len()
    );
}

#[test]
fn golden_monthly_shares_of_five_years_have_their_missing_months() {
    let Some(folder) = converted("public/wynton_sge", "tsv", "shares.tsv") else {
        return;
    };
    let timeline = follow(folder.path(), NodeSelection::All).unwrap();
    assert_eq!(timeline.moments.len(), 67);
    let compared = assert_all_shares(&timeline);
    let late: Vec<_> = timeline
        .moments
        .iter()
        .filter(|moment| moment.missing > 0)
        .map(|moment| moment.dump.when())
        .collect();
    assert_eq!(
        late,
        ["2019-06-10", "2019-08-26", "2019-10-30", "2021-06-18"]
    );
    // The table was empty for some months, so every lab has gaps.
    let empty = timeline
        .moments
        .iter()
        .filter(|moment| moment.nodes == 1)
        .count();
    assert_eq!(empty, 3);
    println!(
        "{} projects in 67 months, {compared} shares compared",
        timeline.tracks.len()
    );
}

#[test]
fn dates_are_found_in_names_as_people_and_programs_write_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [
        ("sshare-2025-04-22.txt", "2025-04-22"),
        ("20250422", "2025-04-22"),
        ("census_20240513_b42983a.csv", "2024-05-13"),
        ("census_20240806_9942940.csv", "2024-08-06"),
        ("shares_2019-04-23_df1ad52c.tsv", "2019-04-23"),
        ("gold_2025_04_22", "2025-04-22"),
        ("2025-04-22T03:00.json", "2025-04-22 03:00"),
        ("2025-04-22T03:00:30Z.json", "2025-04-22 03:00:30"),
        ("x-2025-04-22T03:00:00+02:00.toml", "2025-04-22 01:00"),
        ("x-2025-04-22T03:00:00-0500.toml", "2025-04-22 08:00"),
        ("x_2025-04-22_03-15.toml", "2025-04-22 03:15"),
        ("20250422-0300.db", "2025-04-22 03:00"),
        ("202504220301.db", "2025-04-22 03:01"),
        ("20250422030059.db", "2025-04-22 03:00:59"),
        ("v12 2025-04-22 alice.txt", "2025-04-22"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, "").unwrap();
        let found = find(&[path]).unwrap();
        assert_eq!(found.0.current().when(), expected, "{name}");
    }
}

#[test]
fn numbers_of_other_forms_are_not_dates() {
    for name in [
        "labs.csv",
        "12345678",
        "20251322.txt",
        "2025-02-30",
        "120250422",
        "202504221",
        "2025-04-221",
        "20250422256060",
        "2025.toml",
        "1234-04-22",
        "",
    ] {
        assert_eq!(date_of(Path::new(name)), None, "{name}");
    }
}
