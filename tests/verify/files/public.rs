//! What sites have published of their fair-share.

use super::{files_below, open};
use crate::support::golden;
use fairscope::format::Request;
use fairscope::policy::Policy;
use fairscope::verify::ColumnCheck;

#[test]
fn golden_excerpts_and_examples_that_were_published_are_verified_or_say_why_not() {
    for folder in ["public/sshare_excerpts", "public/slurm_shares_json"] {
        for path in golden(folder).iter().flat_map(|root| files_below(root)) {
            let request = Request {
                path: path.clone(),
                ..Request::default()
            };
            let name = path.file_name().expect("a name").to_string_lossy();
            match open(&request) {
                Err(error) => println!("{name}: refused: {error}"),
                Ok(opened) => println!(
                    "{name}: in force {}: {:?} {:?}",
                    opened.scenario.policy().name(),
                    opened.verification,
                    opened.problems.list()
                ),
            }
        }
    }
}
