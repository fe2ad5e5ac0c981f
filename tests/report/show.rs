//! The tree in its five forms.

use super::written;
use crate::support::trees::{SEED, scenario};
use fairscope::report::{Field, Form, Options, Sort, View, rank, show};

fn shown(lines: &str, options: &Options, form: Form) -> String {
    let (scenario, problems) = scenario(lines, &[]);
    let view = View::of(&scenario, &problems);
    written(|out| show::write(out, &view, options, form))
}

#[test]
fn a_tree_is_drawn_with_its_numbers() {
    insta::assert_snapshot!(shown(SEED, &Options::default(), Form::Tree), @"");
}
