//! Durations, in the forms that everything reads and in those of the schedulers.

use crate::support::expected::Expected as _;
use fairscope::model::DurationForm::{Common, MinutesSeconds, SlurmSetting};
use fairscope::model::{DurationForm, Settings, duration_of, seconds_of};
use proptest::prelude::*;

const FORMS: [DurationForm; 3] = [Common, MinutesSeconds, SlurmSetting];

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

fn refusal(text: &str, form: DurationForm) -> String {
    seconds_of(text, form).expect_err(text).to_string()
}

#[test]
fn what_has_one_meaning_is_read_alike_everywhere() {
    for (text, seconds) in [
        ("90s", 90),
        ("45m", 45 * MINUTE),
        ("1h30m", 90 * MINUTE),
        ("1h 30m", 90 * MINUTE),
        ("1.5h", 90 * MINUTE),
        ("0.25d", 6 * HOUR),
        ("1d12h", 36 * HOUR),
        ("14d", 14 * DAY),
        ("2w", 14 * DAY),
        ("14-0", 14 * DAY),
        ("1-2", 26 * HOUR),
        ("1-2:30", 26 * HOUR + 30 * MINUTE),
        ("1-02:30:05", 26 * HOUR + 30 * MINUTE + 5),
        ("14-00:00:00", 14 * DAY),
        ("01:30:00", 90 * MINUTE),
        ("100:00:00", 100 * HOUR),
        (" 7d ", 7 * DAY),
        ("99999999999999999999d", u64::MAX),
        ("99999999999999999999-0", u64::MAX),
    ] {
        for form in FORMS {
            assert_eq!(seconds_of(text, form), Ok(seconds), "{text} as {form:?}");
        }
    }
}

#[test]
fn what_has_two_meanings_is_read_only_as_its_scheduler_does() {
    assert_eq!(seconds_of("90", Common), Ok(90));
    assert_eq!(seconds_of("90", MinutesSeconds), Ok(90));
    assert_eq!(seconds_of("90", SlurmSetting), Ok(90 * MINUTE));
    assert_eq!(seconds_of("1:30", MinutesSeconds), Ok(90));
    assert_eq!(seconds_of("1:30", SlurmSetting), Ok(90));
    assert_eq!(
        refusal("1:30", Common),
        "1:30 has two meanings; write 1h30m or 1m30s"
    );
    assert_eq!(seconds_of("UNLIMITED", SlurmSetting), Ok(0));
    assert_eq!(seconds_of("infinite", SlurmSetting), Ok(0));
    assert!(seconds_of("UNLIMITED", Common).is_err());
}

#[test]
fn other_texts_are_refused_with_all_that_is_accepted() {
    for form in FORMS {
        for text in [
            "",
            "h",
            "-5",
            "1:2:3:4",
            "nan",
            "inf",
            "1e9",
            "1-",
            "1-2:3:4:5",
            "-1-2",
            "1.5",
            "1.",
            ".5h",
            "1.h",
            "1y",
            "7x",
            "1h30",
            "+5",
            "1:-2:3",
            "0.0000000001h",
            "7 d",
        ] {
            assert!(seconds_of(text, form).is_err(), "{text} as {form:?}");
        }
        let said = refusal("soon", form);
        let (what, accepted) = said.split_once("; expected a number of ").expect(&said);
        assert_eq!(what, "soon is not a duration");
        let accepted = accepted.replace(" or ", ", ");
        let mut accepted = accepted.split(", ");
        assert!(matches!(accepted.next(), Some("seconds" | "minutes")));
        let mut count = 0;
        for example in accepted {
            let example = example.replace("HH:", "01:").replace("MM:SS", "30:15");
            assert!(seconds_of(&example, form).is_ok(), "{example} as {form:?}");
            count += 1;
        }
        assert!(count >= 8, "{said}");
    }
    assert_eq!(
        refusal("", Common).split(';').next(),
        Some("nothing is not a duration")
    );
    assert_eq!(
        refusal("0.3333h", Common),
        "0.3333h is not a whole number of seconds; write it in a smaller unit"
    );
}

proptest! {
    #[test]
    fn a_written_duration_reads_back(seconds in any::<u64>()) {
        for form in FORMS {
            prop_assert_eq!(seconds_of(&duration_of(seconds), form), Ok(seconds));
        }
    }
}

/// Returns a setting after it was given a value.
fn set(key: &str, value: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    let set = settings.set(key, value);
    set.map(|()| settings).map_err(|error| error.to_string())
}

#[test]
fn settings_of_every_scheduler_are_durations() {
    for value in ["14d", "2w", "14-0", "14-00:00:00", "336h", "20160m"] {
        let two_weeks = u32::try_from(14 * DAY).unwrap();
        let slurm = set("PriorityDecayHalfLife", value).unwrap().slurm;
        assert_eq!(slurm.decay_half_life, two_weeks, "{value}");
        let slurm = set("PriorityCalcPeriod", value).unwrap().slurm;
        assert_eq!(slurm.calc_period, two_weeks, "{value}");
        let flux = set("priority_decay_half_life", value).unwrap().flux;
        assert_eq!(flux.decay_half_life, two_weeks, "{value}");
        let flux = set("priority_usage_reset_period", value).unwrap().flux;
        assert_eq!(flux.usage_reset_period, two_weeks, "{value}");
        let pbs = set("fairshare_decay_time", value).unwrap().pbs;
        assert_eq!(pbs.fairshare_decay_time, i64::from(two_weeks), "{value}");
    }
    // Bare numbers and two parts are what the scheduler takes them for.
    let half_life = |value| {
        set("PriorityDecayHalfLife", value)
            .unwrap()
            .slurm
            .decay_half_life
    };
    assert_eq!([half_life("90"), half_life("1:30")], [5400, 90]);
    let decay_time = |value| {
        set("fairshare_decay_time", value)
            .unwrap()
            .pbs
            .fairshare_decay_time
    };
    assert_eq!([decay_time("90"), decay_time("1:30")], [90, 90]);
    let flux = set("priority_decay_half_life", "1:30").unwrap_err();
    flux.must_contain("expected a number of seconds");
    for key in [
        "PriorityCalcPeriod",
        "fairshare_decay_time",
        "priority_decay_half_life",
    ] {
        assert!(set(key, "0").is_err() && set(key, "0d").is_err(), "{key}");
    }
    assert!(set("PriorityDecayHalfLife", "49711d").is_err());
}

#[test]
fn a_time_of_a_job_is_a_duration_and_other_resources_are_not() {
    for value in ["1.5h", "1h30m", "90m", "5400", "1:30:00", "90:00", "0.5"] {
        assert!(set("walltime", value).is_ok(), "{value}");
    }
    // To PBS these are two words of memory.
    assert!(set("mem", "2w").is_err());
    assert!(set("ncpus", "4d").is_err());
}
