//! Comparison of two trees.

mod attribution;
mod census;
mod drift;
mod matching;

use crate::support::associations::drawn;
use fairscope::analysis::diff::Diff;
use fairscope::model::{NodeId, Snapshot, resolve};
use fairscope::open::opened::apply_text;
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::sync::Arc;

/// A tree as Slurm reports it: an account's usage includes its users' and that of some deleted users.
const STATED: &str = "
physics/ 40 | 1100
  alice 10 | 400
  bob 20 | 600
  carol 10 | 100
chemistry/ 30 | 905
  lab/ 5 | 305
    dora 1 | 300
    emil parent | 5
  fred 3 | 600
biology/ 30 | 50
  gina 1 | 50
";

fn scenario(snapshot: Snapshot, policy: Policy, edits: &[&str]) -> Scenario {
    let mut scenario = Scenario::new(Arc::new(snapshot), policy);
    for edit in edits {
        apply_text(&mut scenario, edit.as_bytes()).unwrap();
    }
    scenario
}

/// The stated tree before and after edits.
fn edited(policy: Policy, edits: &[&str]) -> Diff {
    let mut snapshot = drawn(STATED);
    // In Slurm, moving a user also resets the usage, which would be a second cause.
    snapshot.settings.scheduler = None;
    let after = scenario(snapshot, policy, edits);
    Diff::between(&after.beside(None), &after)
}

/// Two drawn trees.
fn between(old: &str, new: &str, policy: Policy) -> Diff {
    Diff::between(
        &scenario(drawn(old), policy, &[]),
        &scenario(drawn(new), policy, &[]),
    )
}

fn node(diff: &Diff, path: &str) -> NodeId {
    resolve(&diff.after.tree, path.as_bytes()).unwrap()
}
