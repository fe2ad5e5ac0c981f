//! Parts of trees published by sites and by Slurm's documentation: each is reported as partial.

use super::open;
use crate::support::golden;
use fairscope::format::Request;
use fairscope::trust::verify::Detected;
use fairscope::trust::verify::Evidence;

/// The result of opening a published file.
enum Fate {
    /// It is refused with a message that contains this text.
    Refused(&'static str),
    /// It opens, but nothing is verified for this reason.
    Unverified(&'static str),
    /// It opens but holds nothing to verify.
    Nothing,
}
use Fate::{Nothing, Refused, Unverified};

const PUBLISHED: &[(&str, Fate)] = &[
    (
        "sshare_excerpts/aalborg_biocloud_sshare.txt",
        Unverified("users are missing"),
    ),
    (
        "sshare_excerpts/nersc_pdsf_sshare_A.txt",
        Unverified("users are missing"),
    ),
    (
        "sshare_excerpts/epfl_scitas_account.txt",
        Unverified("root is missing"),
    ),
    (
        "sshare_excerpts/slurmmon_classic_like_parsable.txt",
        Nothing,
    ),
    (
        "sshare_excerpts/moab_mdiag_f_excerpts.txt",
        Refused("in an unknown format"),
    ),
    (
        "slurm_shares_json/SlurmV0041GetShares200Response.json",
        Unverified("root is missing"),
    ),
    (
        "slurm_shares_json/V0040OpenapiSharesResp.json",
        Refused("choose one with --cluster"),
    ),
    (
        "slurm_shares_json/V0041OpenapiSharesResp.json",
        Unverified("root is missing"),
    ),
];

#[test]
fn golden_published_trees_report_why_they_are_not_verified() {
    let Some(root) = golden("public") else {
        return;
    };
    for (name, fate) in PUBLISHED {
        let request = Request::to_open(root.join(name));
        match (open(&request), fate) {
            (Err(error), Refused(reason)) => {
                assert!(error.to_string().contains(reason), "{name}: {error}");
            }
            (Ok(opened), Unverified(reason)) => {
                let verification = opened.source.verification;
                let is_said = verification
                    .unverified
                    .is_some_and(|part| part.clause().contains(reason));
                assert!(is_said, "{name}");
                assert!(verification.columns.is_empty(), "{name}");
                // For a partial tree, only the printed columns are known.
                let is_shown = |found: Detected| {
                    matches!(found.evidence, Evidence::HasLevelFs | Evidence::LevelFs(_))
                };
                assert!(verification.detected.is_none_or(is_shown), "{name}");
            }
            (Ok(opened), Nothing) => {
                assert!(opened.source.verification.columns.is_empty(), "{name}");
                assert_eq!(opened.source.verification.detected, None, "{name}");
            }
            (Err(error), _) => panic!("{name}: {error}"),
            (Ok(_), Refused(_)) => panic!("{name} opens"),
        }
    }
}
