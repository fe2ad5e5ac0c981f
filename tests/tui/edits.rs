//! Edits on the screen: of several nodes at once, of the shape of the tree, of families, typed as text, undone.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, caption, notice, scenario};
use crate::support::trees::{self, SEED};
use fairscope::model::{Kind, NodeId, Position, Shares, TreeBuilder, path_of, resolve};
use fairscope::scenario::Edit;
use fairscope::tui::{Dialog, Effect, Message, Options, Work};

/// Returns the last edit that is not undone, in the edit language.
fn last_edit(journey: &Journey) -> &str {
    let last = scenario(journey).history().last_edit();
    last.map_or("", |entry| &entry.text)
}

/// Returns the name, shares and usage of every node, in tree order.
fn everything(journey: &Journey) -> Vec<String> {
    let tree = scenario(journey).tree();
    let row = |&node: &NodeId| {
        format!(
            "{} {} {:?}",
            path_of(tree, node).expect("a shallow tree"),
            tree.shares(node),
            tree.usage(node).amount()
        )
    };
    tree.nodes().iter().map(row).collect()
}

fn shares(journey: &Journey) -> Vec<(String, String)> {
    let tree = scenario(journey).tree();
    let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
    let nodes = tree.nodes()[1..].iter();
    nodes
        .map(|&node| (name(node), tree.shares(node).to_string()))
        .collect()
}

#[track_caller]
fn assert_shares(journey: &Journey, expected: &[(&str, &str)]) {
    let all = shares(journey);
    for &(name, count) in expected {
        let found = all.iter().find(|(known, _)| known == name);
        assert_eq!(
            found.map(|(_, count)| &count[..]),
            Some(count),
            "{name} of {all:?}"
        );
    }
}

fn done(journey: &Journey) -> usize {
    scenario(journey).history().edits().len()
}

/// Opens the seed, presses keys, and checks that undo restores the initial state and redo the edited one.
fn after_undo_and_redo(keys: &str) -> Journey {
    let mut journey = Journey::on(SEED);
    let before = everything(&journey);
    journey.press(keys);
    assert_eq!(
        done(&journey),
        1,
        "{keys} is one edit: {}",
        journey.screen()
    );
    let after = everything(&journey);
    assert_ne!(before, after);
    journey.press("u");
    assert_eq!(everything(&journey), before, "undo of {keys}");
    journey.press("U");
    assert_eq!(everything(&journey), after, "redo of {keys}");
    journey
}

#[test]
fn marking_a_row_shows_a_sign_and_moves_to_the_next_row() {
    let mut journey = Journey::on(SEED).keys("m m");
    assert_eq!(journey.selected(), "suzy");
    journey.row("group2").must_begin(" ●");
    journey.row("scott").must_begin(" ●");
    journey.row("suzy").must_lack("●");
    journey.must_show("● 2 marked");
    journey.press("k m");
    assert!(
        journey.screen().contains("● 1 marked"),
        "the same key unmarks"
    );
    journey.press("<esc>");
    assert!(!journey.screen().contains("marked"), "esc clears marks");
    journey.press("g m");
    notice(&journey).must_contain("the root cannot be marked");
}

#[test]
fn marks_appear_on_every_screen_and_survive_edits() {
    let mut journey = Journey::on(SEED).keys("j m m e +1 <enter> 2");
    journey.row("scott").must_begin(" ●");
    journey.press("1 u U D u");
    journey.must_show("● 2 marked");
}

#[test]
fn marked_nodes_get_shares_as_one_edit() {
    let mut journey = after_undo_and_redo("j m m e 20 <enter>");
    assert_shares(
        &journey,
        &[("scott", "20"), ("suzy", "20"), ("cathy", "50")],
    );
    journey.press("u e +10");
    journey.must_show("shares of scott and suzy (marked): +10");
    assert!(journey.row("scott").contains("*50"), "the preview is live");
    journey.row("suzy").must_contain("*70");
    journey.press("<esc>");
    assert_shares(&journey, &[("scott", "40"), ("suzy", "60")]);
    journey.press("e *2 <enter>");
    assert_shares(&journey, &[("scott", "80"), ("suzy", "120")]);
}

#[test]
fn a_percentage_applies_to_the_shares_of_each_marked_node() {
    let mut journey =
        Journey::on("a 10\nb 20\nc 60\nd 60\n").keys("m m e 25%<space>of<space>level <enter>");
    assert_shares(&journey, &[("a", "60"), ("b", "60"), ("c", "60")]);
    journey.press("e 50%<space>of<space>level");
    journey.must_show("2 marked nodes of one level cannot have 50% each");
}

#[test]
fn marked_nodes_get_usage_as_one_edit() {
    let journey = after_undo_and_redo("j m m E 500 <enter>");
    let tree = scenario(&journey).tree();
    let used = tree
        .nodes()
        .iter()
        .filter(|&&node| tree.usage(node).amount() == Some(500.0));
    assert_eq!(used.count(), 2);
}

#[test]
fn usage_can_be_typed_as_a_job() {
    let mut journey = Journey::example("small").keys("/ bob <enter> E +nodes=4 time=1h");
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(_))),
        "{}",
        journey.screen()
    );
    journey.press("<esc> E nodes=x");
    journey.must_show("not an amount of nodes");
}

#[test]
fn the_menu_of_marks_offers_children_rows_and_inversion() {
    let mut journey = Journey::on(SEED).keys("M <enter>");
    assert_eq!(notice(&journey), "2 nodes are marked", "scott and suzy");
    journey.press("M <down> <enter>");
    assert_eq!(
        notice(&journey),
        "7 nodes are marked",
        "every row but the root"
    );
    journey.press("M <end> <enter>");
    assert_eq!(notice(&journey), "nothing is marked");
    journey.press("m M <down><down> <enter>");
    assert_eq!(notice(&journey), "6 nodes are marked");
}

#[test]
fn a_filter_can_show_only_marked_rows() {
    let journey = Journey::on(SEED).keys("2 f <down> <enter> M <down> <enter>");
    assert_eq!(notice(&journey), "1 node is marked", "scott is over-served");
}

#[test]
fn repeated_nudges_are_one_edit() {
    let mut journey = Journey::on("a 1\nb 1\n");
    let before = everything(&journey);
    journey.press("+ + + + -");
    assert_eq!(done(&journey), 1);
    assert_shares(&journey, &[("a", "4")]);
    journey.press("u");
    assert_eq!(everything(&journey), before);
    journey.press("U");
    assert_shares(&journey, &[("a", "4")]);
    journey.press("j +");
    assert_eq!(done(&journey), 2, "another node is another edit");
    journey.press("k e 9 <enter> +");
    assert_eq!(done(&journey), 4, "what was typed is an edit of its own");
}

#[test]
fn a_nudge_and_its_opposite_leave_no_edit() {
    let mut journey = Journey::on("a 1\nb 1\n").keys("+ -");
    assert_eq!(done(&journey), 0);
    journey.press("m m + + -");
    assert_eq!(done(&journey), 1);
    assert_shares(&journey, &[("a", "2"), ("b", "2")]);
    journey.press("- -");
    assert_shares(&journey, &[("a", "0"), ("b", "0")]);
    journey.press("-");
    assert_eq!(notice(&journey), "shares cannot be negative");
}

#[test]
fn a_user_is_added_below_the_selected_account() {
    let mut journey = after_undo_and_redo("a new <space> shares=7 <enter>");
    assert_shares(&journey, &[("new", "7")]);
    let tree = scenario(&journey).tree();
    let new = *tree
        .nodes()
        .iter()
        .find(|&&node| tree.name(node) == b"new")
        .unwrap();
    assert_eq!(path_of(tree, new).as_deref(), Some("group2/new"));
    journey.press("u j a other");
    journey.row("other");
    journey.press("<enter>");
    assert_eq!(
        journey.selected(),
        "other",
        "below the account of the selected user"
    );
    journey.press("a suzy <enter>");
    journey.must_show("the name suzy is taken");
}

#[test]
fn an_invalid_new_node_is_refused_with_an_example() {
    let mut journey = Journey::on(SEED).keys("a new <space> shares=x");
    journey.must_show("expected NAME, optionally shares=5, usage=N or kind=account");
    journey.press("<esc>");
    assert!(scenario(&journey).history().is_untouched());
}

#[test]
fn deleting_names_the_deleted_nodes_and_undo_restores_them() {
    after_undo_and_redo("D");
    let mut journey = Journey::on(SEED).keys("D");
    assert_eq!(
        caption(&journey),
        "removed group2 with 2 users: no rank changes; u undoes it"
    );
    journey.must_hide("scott");
    journey.press("G D");
    notice(&journey).must_contain("PBS always has this group");
    journey.press("g D");
    notice(&journey).must_contain("the root cannot be removed");
}

#[test]
fn marked_subtrees_are_deleted_as_one_edit_even_if_nested() {
    let journey = after_undo_and_redo("m m M jj <esc> jj m D y");
    assert_shares(&journey, &[("bob", "50"), ("group1", "40")]);
    assert_eq!(shares(&journey).len(), 3, "group1, bob and unknown");
}

#[test]
fn deleting_marked_nodes_asks_first_and_names_them() {
    // suzy is marked, and the cursor moves on to group1.
    let mut journey = Journey::on(SEED).keys("jj m D");
    assert_eq!(journey.selected(), "group1");
    for (width, height) in [(120, 40), (80, 24)] {
        journey.resize(width, height);
        let screen = journey.screen();
        screen.must_contain("delete marked nodes: suzy, not group1? y delete  esc keep");
    }
    assert_eq!(done(&journey), 0);
    journey.press("<esc>");
    assert_eq!(done(&journey), 0, "{}", journey.screen());
    journey.press("D n");
    assert_eq!(done(&journey), 0, "any other key keeps them");
    journey.press("D y");
    assert_eq!(done(&journey), 1);
    assert_eq!(caption(&journey), "removed suzy: 1 user rises; u undoes it");
    // The node under the cursor is deleted without a question, marked or not.
    let mut journey = Journey::on(SEED).keys("jj D");
    assert_eq!(done(&journey), 1);
    journey.press("u m k D");
    assert_eq!(done(&journey), 1, "{}", journey.screen());
    // An account shows the number of its users, and a long list of names leaves the keys on the screen.
    let mut journey = Journey::on(SEED).keys("M <down><down> <enter> M <down> <enter> D");
    journey.resize(80, 24);
    let screen = journey.screen();
    screen.must_contain("delete marked nodes (4 users): group2, group1 and unknown? y delete");
    screen.must_contain("y delete  esc keep");
}

#[test]
fn keys_that_act_on_marks_name_the_nodes() {
    let mut journey = Journey::on(SEED).keys("j m m +");
    assert_eq!(
        caption(&journey),
        "scott 40 → 41, suzy 60 → 61 shares: no rank changes; u undoes it"
    );
    journey.press(".");
    notice(&journey).must_begin("locked the shares of scott and suzy:");
    journey.press(". jj T");
    let moved = caption(&journey);
    moved.must_begin("moved scott and suzy below group1: ");
    let mut journey = Journey::on(SEED).keys("j +");
    let raised = caption(&journey);
    raised.must_begin("scott 40 → 41 shares: ");
    journey.press("M <down> <enter> E");
    let screen = journey.screen();
    screen.must_contain("usage of group2, scott and 5 more (marked): ");
    journey.resize(80, 24);
    let screen = journey.screen();
    screen.must_contain("group2, scott and 5 more (marked): ");
    // Two nodes with the same name are shown by their paths.
    let journey = Journey::on("a 1\n  x 1\nb 1\n  x 1\n").keys("j m j m e");
    let mut journey = journey;
    let screen = journey.screen();
    screen.must_contain("shares of a/x and b/x (marked): ");
}

#[test]
fn renaming_begins_with_the_current_name() {
    let mut journey = after_undo_and_redo("jj r <end> x <enter>");
    assert_shares(&journey, &[("suzyx", "60")]);
    journey.press("u r <ctrl-u> scott <enter>");
    journey.must_show("the name scott is taken");
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(_))),
        "the prompt stays open"
    );
}

#[test]
fn a_node_moves_to_an_account_typed_or_completed_by_tab() {
    let mut journey = after_undo_and_redo("jj T group1 <enter>");
    let tree = scenario(&journey).tree();
    let suzy = *tree
        .nodes()
        .iter()
        .find(|&&node| tree.name(node) == b"suzy")
        .unwrap();
    assert_eq!(path_of(tree, suzy).as_deref(), Some("group1/suzy"));
    journey.press("u T gr <tab>");
    journey.must_show(
        "move suzy to: group    unknown node 'group'; did you mean 'group2' or 'group1'?",
    );
    journey.press("1 <enter>");
    assert_eq!(done(&journey), 1);
}

#[test]
fn an_account_does_not_move_under_itself() {
    let mut journey = Journey::on("a 1\n  b 1\n    c 1\n").keys("T a/b <enter>");
    journey.must_show("a cannot move under itself");
    assert!(matches!(journey.app.dialog(), Some(Dialog::Prompt(_))));
}

#[test]
fn marked_nodes_move_below_the_account_under_the_cursor() {
    let mut journey = after_undo_and_redo("j m m jj T");
    let tree = scenario(&journey).tree();
    let below = |name: &[u8]| {
        let node = tree.nodes().iter().find(|&&node| tree.name(node) == name);
        path_of(tree, *node.unwrap()).unwrap()
    };
    assert_eq!(below(b"scott"), "group1/scott");
    assert_eq!(below(b"suzy"), "group1/suzy");
    journey.press("T");
    assert_eq!(
        notice(&journey),
        "the marked nodes are already below group1"
    );
}

#[test]
fn a_locked_node_shows_a_sign_and_family_edits_do_not_change_it() {
    let mut journey = Journey::on("a 1\n  b 10\n  c 20\n  d 30\n").keys("j .");
    journey.row(" b ").must_contain("=10");
    journey.press("k F <enter> 100 <enter>");
    assert_shares(&journey, &[("b", "10"), ("c", "36"), ("d", "54")]);
    journey.press("u j . k F <enter> 120");
    assert!(
        journey.row(" b ").contains("*20"),
        "unlocked, and live: {}",
        journey.row(" b ")
    );
    journey.press("<enter>");
    assert_shares(&journey, &[("b", "20"), ("c", "40"), ("d", "60")]);
}

#[test]
fn shares_of_a_family_can_be_split_scaled_and_traded() {
    let mut journey = after_undo_and_redo("F <down> <enter>");
    assert_shares(&journey, &[("scott", "50"), ("suzy", "50")]);
    journey.press("F <down><down> <enter> 30 <enter>");
    assert_shares(&journey, &[("scott", "15"), ("suzy", "15")]);
    journey.press("F <down><down><down> <enter>");
    assert_shares(&journey, &[("scott", "50"), ("suzy", "50")]);
    journey.press("j F <down><down><down><down> <enter> 70 <enter>");
    assert_shares(&journey, &[("scott", "70"), ("suzy", "30")]);
    journey.press("F <down><down><down><down> <enter> 300");
    journey.must_show("more than its siblings can give");
}

#[test]
fn any_edit_can_be_typed() {
    let mut journey = Journey::on(SEED).keys("jj ;");
    journey.must_show("edit: shares group2/suzy=");
    journey.press("30");
    assert!(journey.row("suzy").contains("*30"), "the preview is live");
    journey.press("<enter> ; <ctrl-u> move <space> bob <space> to <space> group2 <enter>");
    let tree = scenario(&journey).tree();
    let bob = *tree
        .nodes()
        .iter()
        .find(|&&node| tree.name(node) == b"bob")
        .unwrap();
    assert_eq!(path_of(tree, bob).as_deref(), Some("group2/bob"));
    journey.press("; <ctrl-u> scale <space> group2 <space> to <space> 10 <enter> H");
    assert!(
        journey.screen().contains("scale group2 to 10"),
        "what was meant is kept beside the numbers: {}",
        journey.screen()
    );
    journey.press("<esc> ; <ctrl-u> frob");
    journey.must_show("unknown edit 'frob'");
}

#[test]
fn the_edit_history_jumps_to_any_edit() {
    let mut journey = Journey::on(SEED);
    let untouched = everything(&journey);
    journey.press("e 1 <enter> j e 2 <enter> j e 3 <enter>");
    let all = everything(&journey);
    journey.press("H");
    journey.must_show("the source as it was read");
    journey.row("shares group2/suzy=3").must_contain("❯●");
    journey.press("g <enter>");
    assert_eq!(notice(&journey), "undid 3 edits");
    assert_eq!(everything(&journey), untouched);
    journey.press("H G");
    journey.row("shares group2/suzy=3").must_contain("undone");
    journey.press("k <enter>");
    assert_eq!(notice(&journey), "redid 2 edits");
    assert_eq!(done(&journey), 2);
    journey.press("H j <enter>");
    assert_eq!(everything(&journey), all);
    journey.press("H <enter>");
    assert_eq!(notice(&journey), "this is the current state");
}

#[test]
fn the_signs_of_marks_and_locks_have_ascii_forms() {
    let options = Options {
        is_ascii: true,
        ..Options::default()
    };
    let mut journey = Journey::with_options(trees::pbs("größe 5\n  b 1\n"), options);
    for keys in [
        ".",
        "m",
        "k M",
        "<esc> F",
        "<enter>",
        "<esc> r",
        "<esc> <esc> T",
        "<esc> + H",
    ] {
        journey.press(keys);
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{keys}: {screen}");
        assert!(
            !screen.contains('?') || screen.contains("? help"),
            "{keys}: {screen}"
        );
    }
    journey.press("<esc>");
    journey.row("gr").must_contain("=*6");
}

#[test]
fn a_hundred_thousand_marked_nodes_are_one_edit_and_undo_restores_them() {
    let mut builder = TreeBuilder::new(b"root");
    for user in 0..100_000 {
        let name = builder.intern(format!("u{user}").as_bytes());
        let node = builder.push(NodeId::ROOT, name, Kind::User, Position::Last);
        builder.set_shares(node, Shares::new(5));
    }
    let mut snapshot = trees::pbs(SEED);
    snapshot.tree = builder.build();
    let mut journey = Journey::with(snapshot).keys("g M <enter> e +1 <enter> + D u u");
    let tree = scenario(&journey).tree();
    assert_eq!(tree.node_count(), 100_001);
    assert!(
        tree.nodes()[1..]
            .iter()
            .all(|&node| tree.shares(node) == Shares::new(6))
    );
    journey.press("u");
    assert!(scenario(&journey).history().is_untouched());
}

#[test]
fn undo_restores_several_deleted_subtrees() {
    let mut journey = Journey::on(SEED);
    let before = everything(&journey);
    let nodes = scenario(&journey).tree().nodes().to_vec();
    let mut edited = scenario(&journey).clone();
    let removed = [nodes[1], nodes[5]].map(|node| Edit::Remove { node });
    edited
        .apply(Edit::Batch(removed.to_vec()))
        .expect("they can go");
    assert_eq!(edited.tree().node_count(), nodes.len() - 4);
    edited.undo();
    assert_eq!(edited.tree().nodes(), nodes);
    let refused = [nodes[1], NodeId::ROOT].map(|node| Edit::Remove { node });
    assert!(edited.apply(Edit::Batch(refused.to_vec())).is_err());
    assert_eq!(edited.tree().nodes(), nodes, "all of it or nothing");
    journey.press("m D u");
    assert_eq!(everything(&journey), before);
}

#[test]
fn the_edit_prompt_accepts_a_whole_edit_or_only_the_number() {
    let mut journey = Journey::on(SEED).keys("/bob<enter>;");
    journey.press("usage<space>bob=7<enter>");
    assert_eq!(last_edit(&journey), "usage group1/bob=7");
    journey.press(";33<enter>");
    assert_eq!(last_edit(&journey), "shares group1/bob=33");
}

#[test]
fn an_invalid_path_can_be_corrected_in_the_prompt() {
    let mut journey = Journey::on(SEED).keys("o");
    journey.press("nowhere.csv<enter>");
    journey.send(Message::LoadFailed(
        "nowhere.csv: no such file or directory".into(),
    ));
    let screen = journey.screen();
    screen.must_contain("nowhere.csv");
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(prompt)) if prompt.input.value() == "nowhere.csv"),
        "{screen}"
    );
}

#[test]
fn a_tilde_stands_for_the_home_directory() {
    let mut journey = Journey::with_options(
        trees::pbs(SEED),
        Options {
            home: Some("/home/eve".into()),
            ..Options::default()
        },
    );
    journey.press("+w");
    journey.press("<ctrl-u>~/plan.toml<enter>");
    let is_there = |effect: &Effect| matches!(effect, Effect::Work(Work::Save { path, .. }) if path.to_str() == Some("/home/eve/plan.toml"));
    assert!(
        journey.effects.iter().any(is_there),
        "{:?}",
        journey.effects
    );
}

#[test]
fn a_cell_previews_the_result_of_a_relative_amount() {
    let mut journey = Journey::on(SEED).keys("/bob<enter>e-5");
    let before = trees::pbs(SEED);
    let bob = fairscope::model::resolve(&before.tree, b"bob").expect("bob is there");
    let shares = before.tree.shares(bob).count().expect("a number") - 5;
    let row = journey.row("bob");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert!(cells.contains(&shares.to_string().as_str()), "{row}");
    assert!(!cells.contains(&"-5"), "{row}");
}

#[test]
fn usage_of_an_account_is_proposed_as_the_sum_that_is_shown() {
    let mut journey = Journey::example("site").keys("E");
    let line = journey
        .screen()
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned();
    line.must_contain("usage of astro: 9");
    line.must_contain("was 9");
    line.must_lack("was none");
    journey.press("<enter>");
    assert_eq!(done(&journey), 0, "as it stands it is no edit");
    let used = |journey: &Journey, path: &[u8]| {
        let tree = scenario(journey).tree();
        let node = resolve(tree, path).expect("it is there");
        tree.usage(node).amount()
    };
    let alice = used(&journey, b"alice").expect("she has used something");
    journey.press("E *3 <enter>");
    let times = used(&journey, b"alice").expect("it is scaled") / alice;
    assert!((times - 3.0).abs() < 1e-9, "{times}");
    assert_eq!(done(&journey), 1);
    // Groups of PBS are always sums.
    let journey = Journey::on(SEED).keys("g j E");
    notice(&journey).must_contain("the sum of the users'");
}

#[test]
fn a_tab_that_is_pasted_is_a_blank() {
    let mut journey = Journey::on("a 5\n  alice 3\n  bob 4\n");
    for pasted in [
        "shares\ta/alice=\t8\r\n",
        "split\ta\tto 1\n6\n",
        "move\ta/bob to\t/",
    ] {
        journey.press(";");
        journey.send(Message::Paste(pasted.to_owned()));
        journey.press("<enter>");
        assert!(journey.app.dialog().is_none(), "{}", journey.screen());
    }
    assert_eq!(scenario(&journey).history().edits().len(), 3);
    let shares = |path: &[u8]| {
        let tree = scenario(&journey).tree();
        tree.shares(resolve(tree, path).expect("it is there"))
    };
    assert_eq!(shares(b"a/alice"), Shares::new(8));
    assert_eq!(shares(b"bob"), Shares::new(8));
}

#[test]
fn a_sentence_tells_what_an_edit_did_until_the_next_change() {
    let mut journey = Journey::example("site").size(80, 24);
    journey.press("/lena<enter>e3<enter>");
    let told = "lena 1 → 3 shares: 26th to 24th; 2 others fall; u undoes it";
    assert_eq!(caption(&journey), told);
    journey.press("u /catalysis<enter>e80<enter>");
    let told = "catalysis 40 → 80 shares: 4 users rise, 3 fall, 3 of them in untouched accounts; u undoes it";
    assert_eq!(caption(&journey), told);
    // It stays in sight as a whole, above the hints, while the cursor moves.
    journey.press("j j");
    let whole = [
        "catalysis 40 → 80 shares: 4 users rise",
        "u undoes it",
        "? help",
    ];
    journey.must_show_all(&whole);
    journey.press("p");
    // Its ranks were those of the policy before, and the next undo goes back to that policy first.
    assert_eq!(caption(&journey), "");
    journey.press("u u");
    assert!(
        !caption(&journey).contains("catalysis"),
        "it was taken back"
    );
}

#[test]
fn a_step_and_an_edit_of_usage_tell_what_they_changed() {
    let mut journey = Journey::on(SEED).keys("j + +");
    let told = caption(&journey);
    told.must_begin("scott 40 → 42 shares: ");
    journey.press("-");
    caption(&journey).must_begin("scott 40 → 41 shares: ");
    journey.press("E 0 <enter>");
    let told = caption(&journey);
    told.must_begin("scott 1,000 → 0 usage: ");
    told.must_end("u undoes it");
    journey.press("a ann<space>shares=5<enter>");
    caption(&journey).must_begin("added ann: ");
    journey.press("r<ctrl-u>ben<enter>");
    let told = caption(&journey);
    told.must_begin("renamed ann to ben: ");
}

#[test]
fn repeated_steps_are_told_from_the_first_of_them_on() {
    let tied = "a 1 | 10\nb 1 | 10\n";
    let moved = |journey: &Journey| {
        let told = caption(journey);
        let (_, moved) = told.split_once(" shares: ").expect("it tells ranks");
        moved.to_owned()
    };
    let mut journey = Journey::on(tied).keys("+");
    let first = moved(&journey);
    first.must_contain("falls");
    journey.press("+ +");
    // The last step moves nobody, and all of them are undone together.
    caption(&journey).must_begin("a 1 → 4 shares: ");
    assert_eq!(moved(&journey), first);
    journey.press("u");
    assert_eq!(done(&journey), 0);
    assert_shares(&journey, &[("a", "1")]);
    // What was typed before is an edit of its own.
    journey.press("e 5 <enter> + +");
    let told = caption(&journey);
    told.must_begin("a 5 → 7 shares: stays 1st");
}

#[test]
fn steps_that_end_where_they_began_leave_nothing_to_undo() {
    let mut journey = Journey::on(SEED).keys("+ + - -");
    assert_eq!(
        caption(&journey),
        "group2 has 60 shares again, so nothing has changed"
    );
    assert_eq!(done(&journey), 0);
    journey.press("j m m + -");
    assert_eq!(
        caption(&journey),
        "scott and suzy have the same shares as before, so nothing has changed"
    );
    journey.press("+");
    let told = caption(&journey);
    told.must_begin("scott 40 → 41, suzy 60 → 61 shares: ");
}

#[test]
fn the_sentence_of_an_edit_groups_the_digits_of_shares_and_usage() {
    let mut journey = Journey::on("a 100000 | 1000\nb 1 | 10\nc 1 | 10\n").keys("e 1 <enter>");
    let told = caption(&journey);
    told.must_begin("a 100,000 → 1 shares: ");
    journey.press("m m E 5000 <enter>");
    let told = caption(&journey);
    told.must_contain("b 10 → 5,000");
    told.must_contain("a 1,000 → 5,000");
    told.must_contain(" usage: ");
    // Three nodes are named without their numbers.
    journey.press("m +");
    let told = caption(&journey);
    told.must_begin("changed a, b and c: ");
}

#[test]
fn the_sentence_of_a_setting_tells_ranks() {
    let mut journey = Journey::example("buckets").keys("]");
    let told = "set PriorityLevels=5: no rank changes; u undoes it";
    assert_eq!(caption(&journey), told);
    journey.press("u ; set<space>PriorityLevels=1<enter>");
    let told = "set PriorityLevels=1: 5 users rise; u undoes it";
    assert_eq!(caption(&journey), told);
}

#[test]
fn the_sentence_of_a_formula_tells_what_is_wrong_with_it() {
    const RISES: &str = "job_sort_formula gives a user with more usage a larger value, so that user's jobs run first; \
                         2 users rise, 2 fall; u undoes it";
    const FAILS: &str = "job_sort_formula fails for 4 users, such as group2/scott: it divides by zero; PBS uses 0 then; \
                         no rank changes; u undoes it";
    for typed in [
        ";set<space>job_sort_formula=fairshare_tree_usage<enter>",
        ",formula<enter>fairshare_tree_usage<enter>",
    ] {
        let journey = Journey::example("small").keys(typed);
        assert_eq!(caption(&journey), RISES, "{typed}");
    }
    for typed in [
        ";set<space>job_sort_formula=1/0<enter>",
        ",formula<enter>1/0<enter>",
    ] {
        let mut journey = Journey::example("small").keys(typed);
        assert_eq!(caption(&journey), FAILS, "{typed}");
        let screen = journey.screen();
        let title = screen.lines().next().unwrap_or_default();
        title.must_contain("job_sort_formula 1/0 decides first");
    }
    let good = ";set<space>job_sort_formula=100*fairshare_factor<enter>";
    let journey = Journey::example("small").keys(good);
    let told = "set job_sort_formula=100*fairshare_factor: no rank changes; u undoes it";
    assert_eq!(caption(&journey), told);
}

#[test]
fn the_sentence_of_rates_tells_them_without_ranks() {
    // No rank changes before time passes.
    let journey = Journey::on(SEED).keys("j 8");
    assert_eq!(
        caption(&journey),
        "pace steady, rate group2/scott=0; u undoes it"
    );
}
