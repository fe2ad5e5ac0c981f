//! Settings from `scontrol show config` and `slurm.conf`.

use super::assoc::{captures, gold, open};
use crate::support::laws;
use crate::support::loading::codes;
use crate::support::loading::sentences;
use fairscope::format::input::Input;
use fairscope::format::slurm::config::{Config, is_config, read};
use fairscope::format::{FilesBeside, LoadError, Request};
use fairscope::model::{
    BillingRule, PriorityWeights, Scheduler, Settings, Slurm, TieOrder, UsageResetPeriod,
};
use fairscope::rules::policy::Policy;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use std::path::Path;

fn parsed(text: &[u8]) -> Result<Config, LoadError> {
    let input = Input {
        path: "config.txt".into(),
        bytes: text.to_vec(),
        modified: Some(7),
    };
    read(&input, &TimeZone::UTC)
}

fn config(text: &str) -> Config {
    assert!(is_config(text.as_bytes()), "{text}");
    parsed(text.as_bytes()).expect("the text is a configuration")
}

/// The policy that the flags of a version select.
fn policy(version: &str, flags: &str) -> Option<Policy> {
    config(&format!(
        "PriorityFlags           = {flags}\nSLURM_VERSION           = {version}\n"
    ))
    .policy
}

#[test]
fn every_configuration_of_the_golden_set_is_read() {
    let captures = captures();
    for kind in ["scontrol_show_config.txt", "scontrol_config_priority.txt"] {
        let mut loaded = 0;
        for capture in &captures {
            let Ok(bytes) = std::fs::read(capture.join(kind)) else {
                continue;
            };
            let name = capture.display();
            assert!(is_config(&bytes), "{name}");
            let config = parsed(&bytes).expect("a configuration");
            loaded += 1;
            assert_eq!(config.cluster, "gold", "{name}");
            assert_eq!(sentences(&config.problems), Vec::<String>::new(), "{name}");
            assert_eq!(config.settings.scheduler, Some(Scheduler::Slurm), "{name}");
            assert_eq!(
                config.settings.slurm.weights.fair_share(),
                Some(100_000),
                "{name}"
            );
            let release = |part: &Path| part.to_string_lossy().replace('.', "");
            let path = capture.to_string_lossy();
            let is_of_version = capture.iter().any(|part| {
                let version = config.version.split('.').take(2).collect::<String>();
                release(Path::new(part)) == version
            });
            assert!(is_of_version, "{name}: {}", config.version);
            let expected = if path.contains("/10-") {
                Policy::DepthOblivious
            } else if ["/08-", "/09-", "/15b-"]
                .iter()
                .any(|case| path.contains(case))
            {
                Policy::Classic
            } else {
                Policy::FairTree
            };
            assert_eq!(config.policy, Some(expected), "{name}");
            let dampening = if path.contains("/09-") { 5 } else { 1 };
            assert_eq!(config.settings.slurm.dampening, dampening, "{name}");
            assert!(
                config.taken.is_some_and(|taken| taken > 1_700_000_000),
                "{name}"
            );
        }
        println!("{kind}: {loaded} files, {loaded} loaded, 0 refused");
    }
}

#[test]
fn settings_are_read_from_scontrol_and_from_slurm_conf_alike() {
    let scontrol = config(
        "Configuration data as of 2026-11-21T02:01:38\nClusterName             = gold\n\
         FairShareDampeningFactor = 5\nPriorityDecayHalfLife   = 14-00:00:00\nPriorityCalcPeriod      = 00:10:00\n\
         PriorityUsageResetPeriod = MONTHLY\nPriorityWeightFairShare = 1000\nPriorityWeightAge = 300\nPriorityMaxAge = 01:00:00\n\
         PriorityWeightTRES = CPU=300,Mem=200\nPriorityParameters      = (null)\n\
         SLURM_VERSION           = 24.11.5\n\nSlurmctld(primary) at host is UP\n",
    );
    let conf = config(
        "# fair-share\nclustername=gold # ours\nFairShareDampeningFactor=5\nprioritydecayhalflife=14-0\n\
         PriorityCalcPeriod=10\nPriorityUsageResetPeriod=monthly\nPriorityWeightFairshare=1000\nPriorityWeightAge=300\n\
         PriorityMaxAge=60\nPriorityWeightTRES=CPU=300,Mem=200\nNodeName=n[1-9] CPUs=4\n",
    );
    let slurm = Slurm {
        dampening: 5,
        decay_half_life: 14 * 86400,
        calc_period: 600,
        usage_reset_period: UsageResetPeriod::Monthly,
        weights: PriorityWeights {
            factors: [Some(300), None, Some(1000), None, None, None],
            tres: "CPU=300,Mem=200".to_owned(),
        },
        max_age: 3600,
        billing_rule: Some(BillingRule::Sum),
        ..Slurm::default()
    };
    assert_eq!(scontrol.settings.slurm, slurm);
    assert_eq!(conf.settings.slurm, slurm);
    assert_eq!(
        (scontrol.cluster.as_str(), conf.cluster.as_str()),
        ("gold", "gold")
    );
    assert_eq!(
        (scontrol.version.as_str(), conf.version.as_str()),
        ("24.11.5", "")
    );
    assert_eq!((scontrol.taken, conf.taken), (Some(1_795_226_498), Some(7)));
    assert_eq!(
        (scontrol.policy, conf.policy),
        (Some(Policy::FairTree), None)
    );
    assert_eq!(sentences(&scontrol.problems), Vec::<String>::new());
    assert_eq!(sentences(&conf.problems), Vec::<String>::new());
}

#[test]
fn flags_and_the_version_choose_the_policy() {
    assert_eq!(policy("26.05.5", ""), Some(Policy::FairTree));
    assert_eq!(policy("19.05.0", ""), Some(Policy::FairTree));
    assert_eq!(policy("18.08.9", ""), Some(Policy::Classic));
    assert_eq!(policy("14.11.0-0rc1", "FAIR_TREE"), Some(Policy::FairTree));
    assert_eq!(policy("24.11.5", "NO_FAIR_TREE"), Some(Policy::Classic));
    assert_eq!(
        policy("24.11.5", "DEPTH_OBLIVIOUS,NO_FAIR_TREE"),
        Some(Policy::DepthOblivious)
    );
    assert_eq!(
        policy("14.03.0", "ACCRUE_ALWAYS,ticket_based"),
        Some(Policy::Tickets)
    );
    assert_eq!(policy("", "NO_FAIR_TREE"), Some(Policy::Classic));
    assert_eq!(policy("", "ACCRUE_ALWAYS"), None);
    let config = config("PriorityFlags=LEVEL_BASED\nPriorityLevels=7\nSLURM_VERSION = 14.11.0\n");
    assert_eq!(config.policy, Some(Policy::LevelBased));
    assert_eq!(config.settings.slurm.priority_levels, Some(7));
}

#[test]
fn settings_that_disable_fair_share_are_reported() {
    let config = config(
        "PriorityType=priority/basic\nPriorityDecayHalfLife=0\nPriorityWeightFairShare=0\nPriorityUsageResetPeriod=NOW\n",
    );
    assert_eq!(
        sentences(&config.problems),
        [
            "config.txt:1: warning: PriorityType is priority/basic, so jobs run in order of submission and fair-share \
             is not in use; set PriorityType=priority/multifactor in slurm.conf; the ranks shown are those it would \
             give",
            "config.txt:4: note: PriorityUsageResetPeriod is NOW, so all usage is set to 0 at every start of \
             slurmctld; set it to NONE or to a period",
        ]
    );
}

#[test]
fn invalid_values_are_reported_and_the_default_is_kept() {
    let config = config("FairShareDampeningFactor = 0\nPriorityCalcPeriod = soon\u{1b}\n");
    assert_eq!(
        config.settings.slurm,
        Slurm {
            billing_rule: Some(BillingRule::Sum),
            ..Slurm::default()
        }
    );
    assert_eq!(
        sentences(&config.problems),
        [
            "config.txt:1: warning: FairShareDampeningFactor is 0, which is not a valid value; 1 is assumed; expected \
             a whole number from 1 to 65535; 1 means no dampening",
            "config.txt:2: warning: PriorityCalcPeriod is soon\\e, which is not a valid value; 00:05:00 is assumed; \
             expected a number of minutes, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00, HH:MM:SS or MM:SS, above 0",
        ]
    );
}

#[test]
fn a_duration_that_slurm_does_not_read_is_none_in_its_file() {
    let config = config("PriorityDecayHalfLife = 14d\nPriorityMaxAge = 14-0\n");
    assert_eq!(config.settings.slurm.decay_half_life, 7 * 86_400);
    assert_eq!(config.settings.slurm.max_age, 14 * 86_400);
    assert_eq!(
        sentences(&config.problems),
        [
            "config.txt:1: warning: PriorityDecayHalfLife is 14d, which is not a valid value; 7-00:00:00 is assumed; \
             write it as Slurm does, as in 7-00:00:00"
        ]
    );
}

#[test]
fn the_date_of_a_configuration_may_have_an_offset() {
    let taken = |date: &str| {
        let text = format!("Configuration data as of {date}\nPriorityMaxAge = 14-0\n");
        parsed(text.as_bytes()).expect("settings").taken
    };
    assert_eq!(taken("2026-11-23T20:51:03"), Some(1_795_467_063));
    assert_eq!(taken("2026-11-24T01:51:03+0500"), Some(1_795_467_063));
    assert_eq!(taken("1795467063"), Some(1_795_467_063));
}

#[test]
fn the_start_of_the_controller_is_a_time_with_or_without_a_zone() {
    for (text, written) in [
        ("2026-11-23T20:48:02", "2026-11-23T20:48:02"),
        ("2026-11-23T20:48:02Z", "2026-11-23T20:48:02Z"),
        ("2026-11-23T20:48:02+00:00", "2026-11-23T20:48:02Z"),
        ("2026-11-24T01:48:02+0500", "2026-11-23T20:48:02Z"),
        ("2026-11-23 20:48:02-01:30", "2026-11-23T22:18:02Z"),
    ] {
        let config = config(&format!("BOOT_TIME = {text}\nPriorityMaxAge = 14-0\n"));
        assert_eq!(sentences(&config.problems), Vec::<String>::new());
        let read = config.settings.slurm.booted.map(|time| time.to_string());
        assert_eq!(read.as_deref(), Some(written), "{text}");
        // It is read again as it is written.
        let mut settings = Settings::default();
        assert_eq!(settings.set("BOOT_TIME", written), Ok(()));
        assert_eq!(settings.slurm.booted, config.settings.slurm.booted);
    }
    let refused = config("BOOT_TIME = yesterday\nPriorityMaxAge = 14-0\n");
    assert_eq!(
        sentences(&refused.problems),
        [
            "config.txt:1: warning: BOOT_TIME is yesterday, which is not a valid value; unknown is assumed; expected a \
             local time such as 2026-11-23T20:48:02, the same with Z or an offset such as +01:00, or unknown"
        ]
    );
}

#[test]
fn files_without_a_configuration_are_refused_with_the_accepted_ones() {
    assert!(!is_config(b"fairscope = 1\n"));
    let refused = parsed(b"fair_share: true prime\n").expect_err("there is no setting");
    assert_eq!(
        refused.to_string(),
        "config.txt contains none of Slurm's settings; expected lines such as PriorityDecayHalfLife = 7-00:00:00: give \
         the output of scontrol show config"
    );
}

#[test]
fn a_dump_with_a_configuration_has_its_settings_and_its_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let [dump, config] = ["gold.cfg", "config.txt"].map(|name| folder.path().join(name));
    std::fs::write(
        &dump,
        "Cluster - 'gold':Fairshare=1\nParent - 'root'\nUser - 'ann':Fairshare=2\n",
    )
    .expect("a file");
    let settings = "ClusterName = silver\nSLURM_VERSION = 24.11.5\nPriorityFlags = NO_FAIR_TREE\n";
    std::fs::write(&config, settings).expect("a file");
    let request = Request {
        beside: FilesBeside {
            config: Some(config),
            ..FilesBeside::default()
        },
        ..gold(dump)
    };
    let loaded = open(&request).expect("a tree with settings");
    assert_eq!(loaded.policy, Some(Policy::Classic));
    assert_eq!(loaded.snapshot.source.version, "24.11.5");
    assert_eq!(loaded.snapshot.settings.slurm.tie_order, TieOrder::Lineage);
    let codes = codes(&loaded.problems);
    assert_eq!(codes, ["slurm-no-usage", "slurm-other-cluster"]);
}

proptest! {
    #![proptest_config(laws(256))]

    #[test]
    fn arbitrary_configurations_are_read_or_refused(bytes: Vec<u8>, lines in "((Priority(Flags|Type|DecayHalfLife|Levels)|SLURM_VERSION) ?= ?[-0-9a-z:.,/]{0,12}\n){0,9}") {
        for text in [bytes.as_slice(), lines.as_bytes()] {
            prop_assert_eq!(parsed(text).is_ok(), is_config(text));
        }
    }
}
