//! The page of a simulated busy cluster: its input, its contents, its errors.

use super::notice;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, told};
use crate::support::trees::SEED;
use fairscope::tui::{Effect, Work};

fn typed(text: &str) -> Journey {
    let mut journey = Journey::on(SEED).size(120, 60).keys("c b");
    journey.press(&text.replace(' ', "<space>"));
    journey.press("<enter>");
    journey
}

#[test]
fn the_page_fits_every_screen() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut journey = Journey::on(SEED)
            .size(width, height)
            .keys("c b 50<space>for<space>10d<enter>");
        journey.must_show("the delivered shares");
        journey.answer();
        journey.must_show_all(&[
            "50 cores for 10 d under PBS fairshare",
            "Assumptions",
            "converge",
        ]);
        journey.press("G");
        journey.must_show_all(&["group2/suzy", "Off by"]);
    }
}

#[test]
fn two_policies_a_demand_and_job_lengths_can_be_typed() {
    let mut journey =
        typed("50 for 5d job 2h spread 50 seed 3 demand 20 demand suzy=unlimited against classic");
    journey.answer();
    journey.must_show_all(&[
        "50 cores for 5 d under PBS fairshare and Slurm classic",
        "plus or minus 50 % (seed 3)",
        "at most 20 cores, group2/suzy all cores",
    ]);
}

#[test]
fn the_machine_can_be_changed_on_the_page() {
    let mut journey = typed("50 for 2d");
    journey.answer();
    journey.press("c b 60<space>for<space>2d<enter>");
    journey.answer();
    journey.must_show("60 cores for 2 d under PBS fairshare");
    journey.press("<esc>");
    journey.must_hide("cores for 2 d");
}

#[test]
fn the_page_and_its_demands_follow_an_edit() {
    let mut journey = typed("50 for 2d demand suzy=10");
    journey.answer();
    journey.press("u");
    journey.answer();
    journey.must_show("group2/suzy at most 10 cores");
}

#[test]
fn invalid_input_is_refused_and_the_prompt_stays() {
    for (text, sentence) in [
        ("many", "expected a number of cores first"),
        ("50 demand zoe=4", "unknown node 'zoe'"),
        (
            "50 demand bob=many",
            "expected a number of cores or unlimited",
        ),
        ("50 for soon", "for: soon is not a duration"),
        ("50 spread 120", "spread 120: expected 0 to 100 percent"),
        ("50 agianst classic", "against"),
    ] {
        let mut journey = typed(text);
        journey.must_show_all(&[sentence, "cores:"]);
    }
}

#[test]
fn an_impossible_machine_is_refused_on_the_page() {
    for (text, sentence) in [
        ("0", "a machine needs 1 to"),
        ("50 for 1d cycle 5m", "expected a multiple of 600 s"),
        ("50 demand 0", "no demand"),
    ] {
        let mut journey = typed(text);
        journey.answer();
        journey.must_show(sentence);
    }
}

#[test]
fn a_simulation_of_minutes_says_so_while_it_runs() {
    let said = |text: &str| {
        let rows: Vec<_> = (0..100).map(|user| format!("u{user} 1 | 1\n")).collect();
        let rows = rows.concat();
        let mut journey = Journey::on(&rows).size(120, 60).keys("c b");
        journey.press(&text.replace(' ', "<space>"));
        journey.press("<enter>");
        notice(&journey).to_owned()
    };
    assert_eq!(
        said("1000 for 36500d"),
        "this takes about 1 min: 102 nodes in each of 5,256,000 cycles; choose a shorter time or a longer cycle, or press \
         esc"
    );
    assert_eq!(said("1000 for 365d"), "");
}

#[test]
fn closing_the_page_stops_the_simulation() {
    let mut journey = typed("1000 for 36500d");
    let asking = journey.effects.iter().find_map(|effect| match effect {
        Effect::Work(Work::Run(asking)) => Some(asking.clone()),
        _ => None,
    });
    let asking = asking.expect("it is asked");
    journey.press("<esc>");
    journey.must_hide("the delivered shares");
    // A century in steps of ten minutes would take minutes. It is cancelled in the first cycle.
    for message in told(*asking, "", None) {
        journey.send(message);
    }
    journey.must_hide("cores for");
    notice(&journey).must_lack("stopped");
}

#[test]
fn jobs_longer_than_a_half_life_are_reported_to_swing() {
    let mut journey = typed("20 for 20d job 2d");
    journey.answer();
    journey.must_show("is short compared with jobs of 2 d");
    let mut journey = typed("20 for 20d job 1h");
    journey.answer();
    journey.must_hide("is short compared with");
}
