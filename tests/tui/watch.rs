//! What is shown of a large tree: filters, the marks that are kept for a source, and long names.

use crate::support::associations::drawn;
use crate::support::dumps::dumps;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::loading::open;
use crate::support::trees::SEED;
use fairscope::tui::recent::Kept;
use fairscope::tui::{Effect, Memory, Message, Options};

/// Returns the names of the rows but the root's.
fn rows(journey: &Journey) -> Vec<String> {
    let session = journey.app.session().expect("a tree is open");
    let tree = session.scenario.tree();
    let rows = session.pane().outline.rows().iter().skip(1);
    rows.map(|&row| String::from_utf8_lossy(tree.name(row)).into_owned())
        .collect()
}

#[test]
fn filters_show_shares_of_parent_and_users_that_used_nothing() {
    let tree = drawn("a/ 40\n  ann parent | 20\n  ben 3 | 0\nb/ 60\n  cem 1 | 5\n");
    let journey = Journey::with(tree.clone()).keys("f parent <enter>");
    assert_eq!(rows(&journey), ["a", "ann"]);
    let journey = Journey::with(tree).keys("f idle <enter>");
    assert_eq!(rows(&journey), ["a", "ben"]);
    let mut journey = Journey::on(SEED).keys("f idle <enter>");
    assert_eq!(
        rows(&journey),
        ["group2", "suzy"],
        "PBS begins at 1, which is no usage"
    );
    journey.press("f");
    for absent in ["orphan", "parent"] {
        assert!(!journey.screen().contains(absent), "PBS has none: {absent}");
    }
}

#[test]
fn a_filter_shows_nodes_whose_account_the_source_lacks() {
    let text = "Cluster|Account|User|Partition|Share|ID|ParentName\n\
                c|root|||1|1|\nc|a|||5|2|root\nc|a|x||5|3|\nc|b|||5|4|gone\nc|b|y||5|5|\nc|lost|z||5|6|\n";
    let folder = dumps(&[("assoc.txt", text)]);
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(Box::new(open(
        &folder.path().join("assoc.txt"),
        None,
    ))));
    journey.press("f orphan <enter>");
    assert_eq!(rows(&journey), ["b", "lost"]);
}

#[test]
fn a_filter_shows_what_is_marked_on_every_screen() {
    let mut journey = Journey::on(SEED).keys("2 m f marked <enter>");
    assert_eq!(
        journey
            .app
            .session()
            .expect("a tree")
            .pane()
            .outline
            .rows()
            .len(),
        1
    );
    journey.press("1");
    assert_eq!(rows(&journey).len(), 2, "with the account above");
    journey.press("<esc>");
    assert_eq!(rows(&journey).len(), 7, "esc shows everything");
}

#[test]
fn marks_are_kept_for_a_source_and_set_again() {
    let folder = dumps(&[(
        "tree.csv",
        "parent,name,shares,usage,type\n,a,1,,account\na,x,1,5,user\na,y,1,6,user\n,b,1,,account\n",
    )]);
    let path = folder.path().join("tree.csv");
    let mut journey = Journey::remembering(folder.path(), &path);
    let asked = Effect::Memory(Memory::Recall(path.clone()));
    assert!(journey.effects.contains(&asked), "{:?}", journey.effects);
    journey.press("x / y <enter> m M watch <enter>");
    assert_eq!(notice(&journey), "kept for this source: 1 mark");
    let kept = Effect::Memory(Memory::KeepWords(
        Kept::Marks,
        path.clone(),
        vec!["a/y".to_owned()],
    ));
    assert!(journey.effects.contains(&kept), "{:?}", journey.effects);

    let mut again = Journey::remembering(folder.path(), &path);
    let nodes = vec![b"a/y".to_vec(), b"a/gone".to_vec()];
    again.send(Message::Recalled(Kept::Marks, path, nodes));
    again.screen().must_contain("● 1 marked");
    again.send(Message::Recalled(
        Kept::Marks,
        "/elsewhere".into(),
        vec![b"a/x".to_vec()],
    ));
    assert!(again.screen().contains("● 1 marked"), "of another source");

    let mut example = Journey::example("small").keys("m M watch <enter>");
    notice(&example).must_begin("marks are kept for a file or directory alone");
    example.press("<esc><esc>");
}

#[test]
fn a_long_name_keeps_its_beginning_and_its_end_at_every_width() {
    let tree = "very_long_account_name_of_a_group_01/ 1\n  user_with_a_very_long_name_number_0001 1 | 3\n  \
                user_with_a_very_long_name_number_0002 1 | 3\n";
    for width in [40, 60, 80, 100, 120, 160] {
        for keys in ["", "2"] {
            let mut journey = Journey::with(drawn(tree)).size(width, 24).keys(keys);
            let screen = journey.screen();
            for end in ["0001", "0002"] {
                assert!(screen.contains(end), "{width} {keys:?}: {screen}");
            }
        }
    }
}
