//! Simulated contention for cores: delivery converges to the shares under policies that promise it.

mod clocks;
mod convergence;
mod machine;
mod ranks;
mod trees;

use fairscope::report::words::contention::promise;
use fairscope::rules::policy::Policy;

#[test]
fn every_policy_states_whether_it_delivers_shares() {
    for &policy in Policy::ALL {
        assert!(!promise(policy).is_empty(), "{}", policy.name());
    }
}
