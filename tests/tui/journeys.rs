//! What a user does, key by key.

use crate::support::journey::Journey;
use crate::support::trees::SEED;

#[test]
fn look() {
    let mut journey = Journey::on(SEED);
    println!("{}", journey.screen());
    journey.press("<down><down> e30");
    println!("{}", journey.screen());
    journey.press("<enter> 2");
    println!("{}", journey.screen());
    journey.resize(80, 24);
    journey.press("1?");
    println!("{}", journey.screen());
    journey.press("q s");
    println!("{}", journey.screen());
}
