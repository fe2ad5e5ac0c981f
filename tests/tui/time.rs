//! The Time screen: opened, played, rewound, drawn under several assumptions.

use crate::support::journey::Journey;
use crate::support::trees::SEED;

#[test]
fn the_screen_opens_beside_the_tree_and_draws_what_becomes_of_it() {
    let mut journey = Journey::on(SEED).keys("jj 4");
    println!("{}", journey.screen());
    journey.answer();
    println!("{}", journey.screen());
    journey.press(") )");
    println!("{}", journey.screen());
    journey.press("W");
    journey.answer();
    journey.press("Z3d<enter>");
    journey.answer();
    println!("{}", journey.screen());
}
