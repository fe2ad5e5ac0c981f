//! Work on several cores, fuzzy matching, and places in a text.

use fairscope::base::cores::{both, by_position, each};
use fairscope::base::fuzzy::{Findable, ranked};
use fairscope::base::places::Places;

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let items: Vec<u64> = (0..1000).collect();
    let plain: Vec<u64> = items.iter().map(|item| item * item).collect();
    for threads in [1, 2, 8] {
        assert_eq!(each(&items, threads, |item| item * item), plain);
        assert_eq!(both(threads, || 6 * 7, || "forty-two"), (42, "forty-two"));
    }
    let squares = by_position(100_000, |position| position * position);
    assert!(
        (0..)
            .zip(squares)
            .all(|(position, square)| square == position * position)
    );
    assert!(each(&[] as &[u64], 8, |item| item * item).is_empty());
}

fn found(query: &str) -> Vec<&'static str> {
    let items = ["edit_usage", "usage_of_users", "undo", "next_unit"];
    ranked(query, items.into_iter(), |item| Findable {
        name: (*item).into(),
        ..Findable::default()
    })
}

#[test]
fn letters_together_come_before_letters_apart() {
    assert_eq!(found("us"), ["usage_of_users", "edit_usage"]);
    assert_eq!(found("nu"), ["next_unit"]);
    assert_eq!(found("un"), ["undo", "next_unit"]);
    assert_eq!(found("xyz"), [""; 0]);
    assert_eq!(found("").len(), 4);
}

#[test]
fn a_key_comes_before_names_and_names_before_synonyms() {
    let items = [
        ("Queue of jobs", "Q", "waiting"),
        ("Quit", "q", "leave wq"),
        ("Wait", "w", "quiet"),
    ];
    let found = |query: &str| {
        ranked(query, items.iter(), |(name, key, words)| Findable {
            name: (*name).into(),
            beside: (*key).into(),
            synonyms: (*words).into(),
        })
    };
    assert_eq!(found("q")[0].0, "Quit");
    assert_eq!(found("Q")[0].0, "Queue of jobs");
    assert_eq!(found("wq")[0].0, "Quit");
    assert_eq!(found("wait")[0].0, "Wait");
    assert_eq!(found("qui").last().map(|item| item.0), Some("Wait"));
}

#[test]
fn every_byte_has_its_line_and_column() {
    let places = Places::new(b"ab\n\nc");
    let found: Vec<_> = (0..7).map(|byte| places.of(byte)).collect();
    let expected = [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 2)];
    assert_eq!(found, expected);
    assert_eq!(Places::new(b"").of(5), (1, 1));
}
