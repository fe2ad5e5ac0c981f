//! The advisor: proposals and contradictions compared with trying every assignment of shares, contributions, and the time goals.

mod brute;
mod contributions;
mod time;

use fairscope::analysis::advise::usual_tries;
use fairscope::model::generate::{Shape, generate};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::sync::Arc;

#[test]
fn the_larger_a_tree_the_fewer_tries_a_search_has() {
    let mut last = usize::MAX;
    for users in [100, 3_000, 30_000] {
        let snapshot = generate(users, Shape::Balanced, 1);
        let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
        let tries = usual_tries(&scenario);
        assert!(tries < last, "{users} users: {tries} after {last}");
        assert!(tries > 1_000, "{users} users: {tries}");
        last = tries;
    }
}
