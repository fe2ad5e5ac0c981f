//! A machine that hands out cores: what is delivered comes to the shares where a policy promises it.

mod clocks;
mod convergence;
mod machine;
mod trees;

use fairscope::report::words::contention::promise;
use fairscope::rules::policy::Policy;

#[test]
fn every_policy_says_what_it_promises() {
    for &policy in Policy::ALL {
        assert!(!promise(policy).is_empty(), "{}", policy.name());
    }
}
