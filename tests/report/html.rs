//! Reports as pages to publish: one file each that needs nothing else, and that no name can break.

mod browser;
mod charts;
mod colours;
mod hostile;

use crate::support::command::Run;
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::markup::{Element, Markup};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Every kind of page: its name and the words of the command.
const PAGES: &[(&str, &str)] = &[
    ("show", "show SEED"),
    ("show-site", "show example:site"),
    ("show-buckets", "show example:buckets"),
    ("show-flux", "show FLUX"),
    ("rank", "rank GOLD"),
    ("explain", "explain GOLD bob"),
    ("explain-buckets", "explain example:buckets carol"),
    ("explain-two", "explain SEED suzy bob"),
    ("policies", "policies SEED"),
    (
        "whatif",
        "whatif SEED --edit shares~group2=80 --edit usage~group1/bob=9",
    ),
    ("solve", "solve SEED --node bob --goal rank<=1 --any"),
    ("depends", "solve SEED --node bob"),
    (
        "simulate",
        "simulate example:site --until 14d --node priya --node physics",
    ),
    (
        "compare",
        "simulate example:site --until 14d --compare PriorityDecayHalfLife=2-0",
    ),
    ("busy", "simulate SEED --until 2d --cores 64"),
    ("plan", "plan SEED --edit shares~group2=80"),
    ("applied", "plan SEED --edit shares~group2=80 --verify SEED"),
    (
        "diff",
        "diff DUMPS/gold-2025-04-01.csv DUMPS/gold-2025-04-06.csv",
    ),
    ("timeline", "timeline DUMPS"),
    ("timeline-nodes", "timeline DUMPS --node physics --node zoe"),
    ("check", "check GOLD"),
    ("me", "me SEED suzy"),
    ("metrics", "metrics SEED"),
    ("lesson", "lesson tour"),
    ("lesson-ties", "lesson ties"),
];

/// Returns the words of a command; `~` stands for a blank.
fn words(line: &str) -> Vec<String> {
    let path = |name: &str| data(name).display().to_string();
    line.split(' ')
        .map(|word| {
            word.replace("SEED", &path("seed"))
                .replace("GOLD", &path("slurm/gold"))
                .replace("DUMPS", &path("dumps"))
                .replace("FLUX", &path("flux/44_real_shares/input.db"))
                .replace('~', " ")
        })
        .collect()
}

/// Returns what a command prints in a form.
fn written(line: &str, form: &str) -> String {
    let ran = Run::fairscope(words(line))
        .args(["--format-out", form])
        .run();
    assert!(ran.code != Some(2), "{line}: {}", ran.stderr);
    ran.text()
}

fn page(line: &str) -> Markup {
    Markup::read(&written(line, "html"))
}

/// Returns the page of this name.
fn line_of(name: &str) -> &'static str {
    let found = PAGES.iter().find(|(it, _)| *it == name);
    found.expect("a page of the list").1
}

/// Returns the facts below the title: their names and texts.
fn facts(page: &Markup) -> Vec<(String, String)> {
    let names = page.all("dt").map(|it| it.text.clone());
    let texts = page.all("dd").map(|it| it.text.clone());
    names.zip(texts).collect()
}

fn fact(page: &Markup, name: &str) -> String {
    let facts = facts(page);
    let found = facts.iter().find(|(it, _)| it == name);
    let (_, text) = found.unwrap_or_else(|| panic!("{name} is not among {facts:?}"));
    text.clone()
}

#[test]
fn every_report_is_one_page_that_names_itself() {
    for (name, line) in PAGES {
        let page = page(line);
        let title = &page.one("h1").text;
        assert!(!title.is_empty(), "{name}");
        // A mark in a drawing has a title too.
        let in_the_tab = &page.all("title").next().expect("a title").text;
        assert!(in_the_tab.starts_with(&title[..]), "{name}: {in_the_tab}");
        assert_eq!(page.one("html").attribute("lang"), "en", "{name}");
        let metas: Vec<_> = page.all("meta").map(|it| it.attribute("name")).collect();
        assert!(metas.contains(&"viewport"), "{name}: {metas:?}");
        assert!(metas.contains(&"color-scheme"), "{name}: {metas:?}");
        assert_eq!(page.all("main").count(), 1, "{name}");
        assert!(!page.one("main").text.trim().is_empty(), "{name}");
    }
}

#[test]
fn a_page_needs_nothing_else_and_may_do_nothing_else() {
    for (name, line) in PAGES {
        let text = written(line, "html");
        for foreign in [
            "http:",
            "https:",
            "\"//",
            "'//",
            "url(",
            "@import",
            "javascript:",
        ] {
            let found = text.find(foreign).map(|at| &text[at..]);
            assert_eq!(found.map(|it| &it[..it.len().min(60)]), None, "{name}");
        }
        let page = Markup::read(&text);
        for element in &page.elements {
            for (key, value) in &element.attributes {
                let is_foreign = matches!(&key[..], "style" | "src" | "srcset")
                    || (key == "href" && !value.starts_with('#'))
                    || key.starts_with("on");
                assert!(!is_foreign, "{name}: {key} of {}", element.name);
            }
            let is_foreign = matches!(
                &element.name[..],
                "img" | "link" | "iframe" | "object" | "embed" | "base" | "form" | "video" | "use"
            );
            assert!(!is_foreign, "{name}: {}", element.name);
        }
        let policy = page.all("meta");
        let policy: Vec<_> = policy
            .filter(|it| it.attribute("http-equiv") == "Content-Security-Policy")
            .map(|it| it.attribute("content"))
            .collect();
        let digest = |element: &str| {
            let digest = Sha256::digest(page.one(element).text.as_bytes());
            format!("'sha256-{}'", STANDARD.encode(digest))
        };
        let allowed = format!(
            "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
            digest("style"),
            digest("script")
        );
        assert_eq!(policy, [allowed], "{name}");
    }
}

#[test]
fn the_same_report_is_the_same_page() {
    for (_, line) in PAGES {
        assert_eq!(written(line, "html"), written(line, "html"));
    }
}

/// Returns the cells of the tables of Markdown, table by table, the headings first.
fn markdown_tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        let Some(cells) = line.strip_prefix("| ") else {
            is_inside = false;
            continue;
        };
        if !is_inside {
            tables.push(Vec::new());
        }
        is_inside = true;
        let cells = cells.strip_suffix(" |").expect("a bar ends the row");
        if cells.starts_with("---") {
            continue;
        }
        let plain = |cell: &str| {
            cell.replace("\\\\", "\0")
                .replace('\\', "")
                .replace('\0', "\\")
        };
        let cells = cells.split(" | ").map(|cell| plain(cell.trim())).collect();
        tables.last_mut().expect("one was begun").push(cells);
    }
    tables
}

#[test]
fn tables_hold_the_texts_of_the_other_forms() {
    let mut count = 0;
    for name in [
        "rank", "policies", "simulate", "compare", "busy", "diff", "timeline", "me", "metrics",
    ] {
        let line = line_of(name);
        let page = page(line);
        let tables: Vec<_> = page.all("table").map(|it| page.rows(it)).collect();
        let expected = markdown_tables(&written(line, "markdown"));
        assert_eq!(tables, expected, "{name}");
        count += tables.len();
    }
    assert!(count >= 12, "{count} tables");
}

#[test]
fn headings_and_first_cells_tell_their_scope() {
    for (name, line) in PAGES {
        let page = page(line);
        for table in page.all("table") {
            let [head, body] = &page.children(table).collect::<Vec<_>>()[..] else {
                panic!("{name}: a table has a head and a body");
            };
            assert_eq!([&head.name[..], &body.name[..]], ["thead", "tbody"]);
            let headings = page.children(head).flat_map(|row| page.children(row));
            for heading in headings {
                assert_eq!(heading.name, "th", "{name}");
                assert_eq!(heading.attribute("scope"), "col", "{name}");
            }
            for row in page.children(body) {
                let of_rows = page.children(row).filter(|it| it.name == "th");
                let scopes: Vec<_> = of_rows.map(|it| it.attribute("scope")).collect();
                assert_eq!(scopes, ["row"], "{name}");
            }
        }
    }
}

/// Returns the numbers of a column of CSV.
fn csv_column(text: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let place = reader.headers().unwrap().iter().position(|it| it == name);
    let place = place.expect("a column of this name");
    let rows = reader.records().map(|row| row.unwrap()[place].to_owned());
    rows.collect()
}

/// Returns the text of a cell without its label.
fn value<'a>(page: &Markup, cell: &'a Element) -> &'a str {
    let mut labels = page.children(cell).filter(|it| it.name == "u");
    let label = labels.next().map_or("", |it| &it.text);
    cell.text.strip_prefix(label).expect("the label is first")
}

/// Returns the number that a cell tells in full: apart, or as it can be read in its text.
fn number(page: &Markup, cell: &Element) -> String {
    let told = cell.attributes.get("data-v").cloned();
    told.unwrap_or_else(|| value(page, cell).replace(',', ""))
}

/// Returns the rows of trees, each with its cells.
fn nodes(page: &Markup) -> Vec<&Element> {
    let firsts = page.all("li").filter_map(|it| page.children(it).next());
    let rows = firsts.filter_map(|it| match &it.name[..] {
        "p" => Some(it),
        "details" => page.children(it).next(),
        _ => None,
    });
    rows.collect()
}

/// Returns the numbers of a column of a page's first table.
fn keys(page: &Markup, heading: &str) -> Vec<String> {
    let table = page.all("table").next().expect("a table");
    let place = page.rows(table)[0].iter().position(|it| it == heading);
    let place = place.unwrap_or_else(|| panic!("no column {heading}"));
    let body = page.children(table).nth(1).expect("a body");
    let cells = page
        .children(body)
        .map(|row| number(page, page.children(row).nth(place).expect("a cell")));
    cells.collect()
}

/// Returns numbers as they read back, bit by bit.
fn read(numbers: &[String]) -> Vec<Option<u64>> {
    let bits = |it: &String| it.parse().ok().map(f64::to_bits);
    numbers.iter().map(bits).collect()
}

#[test]
fn a_number_is_told_in_full_or_can_be_read() {
    for source in ["SEED", "GOLD", "FLUX"] {
        for command in ["show", "rank"] {
            let line = format!("{command} {source}");
            let page = page(&format!("{line} --columns shares,usage,factor,rank"));
            let rows: Vec<&Element> = match command {
                "show" => nodes(&page),
                _ => page.all("tr").skip(1).collect(),
            };
            let columns = ["shares", "usage", "factor", "rank"];
            let csv = written(&format!("{line} --columns {}", columns.join(",")), "csv");
            for (place, column) in columns.iter().enumerate() {
                let cells = rows.iter().map(|row| {
                    let cells = page.children(row).skip(usize::from(command == "show"));
                    number(&page, cells.collect::<Vec<_>>()[place])
                });
                let told = csv_column(&csv, column);
                let cells: Vec<String> = cells.collect();
                assert_eq!(read(&cells), read(&told), "{line}: {column}");
            }
        }
    }
}

#[test]
fn a_node_of_a_tree_takes_few_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.csv");
    let made = Run::fairscope(["generate", "--users", "5000", "--to", "csv"]).run();
    std::fs::write(&path, &made.stdout).unwrap();
    let text = written(&format!("show {}", path.display()), "html");
    let rows = text.matches("<li>").count();
    let tree = &text[text.find("<ul class").expect("a tree")..text.find("</main>").unwrap()];
    let bytes = tree.len() / rows;
    println!("{bytes} bytes a node");
    assert!(rows > 5000 && bytes <= 400, "{rows} nodes of {bytes} bytes");
}

#[test]
fn a_page_of_several_sections_has_a_table_of_contents() {
    for (name, line) in PAGES {
        let page = page(line);
        let ids: Vec<_> = page.all("h2").map(|it| it.attribute("id")).collect();
        let mut once = ids.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), ids.len(), "{name}: {ids:?}");
        assert!(ids.iter().all(|id| !id.is_empty()), "{name}: {ids:?}");
        let links: Vec<_> = page.all("a").map(|it| it.attribute("href")).collect();
        let expected: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
        assert_eq!(
            page.all("nav").count(),
            usize::from(ids.len() > 2),
            "{name}"
        );
        if ids.len() > 2 {
            assert_eq!(links, expected, "{name}");
        }
    }
    let page = page_of("explain");
    let links: Vec<_> = page.all("a").map(|it| &it.text[..]).collect();
    assert_eq!(links[0], "Shares", "without how they are computed");
    assert_eq!(page.all("a").next().unwrap().attribute("href"), "#shares");
}

#[test]
fn headings_of_the_same_words_have_anchors_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let tree = "parent,name,shares,usage,type\n,a.b,1,5,user\n,A_b,1,6,user\n,a-b,1,7,user\n";
    for day in ["2025-04-01", "2025-04-02"] {
        std::fs::write(folder.path().join(format!("t-{day}.csv")), tree).unwrap();
    }
    let line = format!(
        "timeline {} --node a.b --node A_b --node a-b",
        folder.path().display()
    );
    let page = page(&line);
    let ids: Vec<_> = page.all("h2").map(|it| it.attribute("id")).collect();
    assert_eq!(
        ids,
        ["a-b", "a-b-2", "a-b-3", "what-changed-between-the-dumps"]
    );
}

#[test]
fn cells_are_sorted_by_the_numbers_in_full() {
    let csv_of = |name| written(line_of(name), "csv");
    let ranking = page_of("rank");
    for (heading, column) in [
        ("Rank", "rank"),
        ("Usage", "usage"),
        ("EffectvUsage", "effectv_usage"),
        ("LevelFS", "level_fs"),
        ("Factor", "factor"),
    ] {
        let expected = csv_column(&csv_of("rank"), column);
        assert_eq!(read(&keys(&ranking, heading)), read(&expected), "{heading}");
    }
    let forecast = page_of("simulate");
    for (heading, column) in [("Usage", "usage"), ("Of level", "usage_share")] {
        let expected = csv_column(&csv_of("simulate"), column);
        assert_eq!(
            read(&keys(&forecast, heading)),
            read(&expected),
            "{heading}"
        );
    }
    let days = keys(&page_of("timeline-nodes"), "When");
    assert_eq!(days[2], "", "a day that is missing has no place");
    assert!(days[0] < days[1] && days[1] < days[3], "{days:?}");
    let portions = keys(&page_of("busy"), "Off by");
    let is_exact = |it: &String| it.parse::<f64>().is_ok() && it.len() > 6;
    assert!(portions.iter().any(is_exact), "{portions:?}");
    // What changed is sorted by what it became, a change of rank by its places.
    let (text, page) = (csv_of("whatif"), page_of("whatif"));
    let main = page.all("table").last().expect("the table of nodes");
    let rows = page.children(main).nth(1).expect("a body");
    for row in page.children(rows) {
        let cells: Vec<&Element> = page.children(row).collect();
        let paths = csv_column(&text, "path");
        let place = paths.iter().position(|it| *it == cells[0].text);
        let place = place.expect("a node of the tree");
        for (cell, column) in [(1, "shares_after"), (3, "usage_after"), (6, "rank_change")] {
            let expected = &csv_column(&text, column)[place];
            let own = number(&page, cells[cell]);
            assert_eq!(
                read(&[own]),
                read(std::slice::from_ref(expected)),
                "{column}"
            );
        }
    }
}

#[test]
fn a_tree_folds_at_every_node_with_members() {
    let page = page("show SEED");
    let tree = page.all("ul").find(|it| it.is_of("tree")).expect("a tree");
    assert!(page.children(tree).all(|it| it.name == "li"));
    assert_eq!(page.all("li").count(), 8, "one item a node");
    let name = |row: &&Element| page.children(row).next().expect("a name").text.clone();
    let names: Vec<String> = nodes(&page).iter().map(name).collect();
    assert_eq!(
        names,
        [
            "TREEROOT", "group2", "scott", "suzy", "group1", "cathy", "bob", "unknown"
        ]
    );
    assert_eq!(page.all("details").count(), 3);
    assert!(
        page.all("details")
            .all(|it| it.attributes.contains_key("open"))
    );
    let summaries: Vec<_> = page.all("summary").collect();
    let texts = |row: &Element| -> Vec<String> {
        let cells = page.children(row).skip(1);
        cells.map(|cell| value(&page, cell).to_owned()).collect()
    };
    assert_eq!(
        texts(summaries[1]),
        ["60", "60.0%", "60.0%", "1,001", "0.833472", "0.381798", ""]
    );
    // Who reads the page aloud hears which number is which.
    summaries[1].text.must_contain("Shares 60");
}

#[test]
fn a_large_tree_is_folded_at_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.csv");
    let mut text = "parent,name,shares,usage,type\n".to_owned();
    for account in 0..30 {
        writeln!(text, ",a{account},1,,account").unwrap();
        for user in 0..30 {
            writeln!(text, "a{account},u{account}-{user},1,5,user").unwrap();
        }
    }
    std::fs::write(&path, text).unwrap();
    let page = page(&format!("show {}", path.display()));
    let is_open = |it: &&Element| it.attributes.contains_key("open");
    assert_eq!(page.all("details").count(), 31);
    assert_eq!(page.all("details").filter(is_open).count(), 1);
    assert_eq!(page.all("li").count(), 931);
}

#[test]
fn a_chain_is_not_nested_deeper_than_browsers_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain.csv");
    let mut text = "parent,name,shares,usage,type\n,a0,1,,account\n".to_owned();
    for level in 1..400 {
        writeln!(text, "a{},a{level},1,,account", level - 1).unwrap();
    }
    text += "a399,ada,1,5,user\n";
    std::fs::write(&path, text).unwrap();
    let page = page(&format!("show {}", path.display()));
    assert_eq!(page.all("li").count(), 401);
    let deepest = page.elements.iter().map(|it| it.depth).max();
    assert!(deepest < Some(200), "{deepest:?}");
    page.one("main").text.must_contain("400 levels down");
}

#[test]
fn usage_is_marked_where_it_is_off_its_target() {
    let page = page("show SEED");
    let marked = |class: &str| -> Vec<String> {
        let nodes = nodes(&page).into_iter();
        let is_marked = |node: &&Element| {
            let mut values = page.children(node).flat_map(|cell| page.children(cell));
            values.any(|it| it.is_of(class))
        };
        let name = |node| page.children(node).next().expect("a name").text.clone();
        nodes.filter(is_marked).map(name).collect()
    };
    // Nobody has shares in unknown, so whatever is used there is too much.
    assert_eq!(marked("over"), ["group2", "scott", "unknown"]);
    assert_eq!(marked("under"), ["suzy", "group1", "cathy", "bob"]);
    // Wherever numbers are marked, the page says what the marks mean.
    for (name, is_marked) in [("show", true), ("rank", true), ("policies", false)] {
        let page = page_of(name);
        let legends = page.elements.iter().filter(|it| it.is_of("marks")).count();
        assert_eq!(legends == 1, is_marked, "{name}");
    }
}

#[test]
fn the_top_tells_source_policy_and_verification() {
    let ranking = page("rank GOLD");
    let source = fact(&ranking, "Source");
    source.must_end("tests/data/slurm/gold (sshare)");
    assert_eq!(fact(&ranking, "Scheduler"), "Slurm 24.11.5 on gold");
    assert_eq!(fact(&ranking, "Policy"), "Slurm Fair Tree");
    assert_eq!(fact(&ranking, "Recorded numbers"), "verified 14/14");
    assert_eq!(fact(&ranking, "Size"), "14 users in 24 nodes");
    let other = page("rank GOLD --policy level-based");
    assert_eq!(
        fact(&other, "Policy"),
        "LEVEL_BASED (dump: Fair Tree, verified 14/14)"
    );
}

#[test]
fn a_date_is_told_only_where_the_source_states_one() {
    let names = |line: &str| -> Vec<String> {
        facts(&page(line))
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    };
    assert!(
        !names("rank example:small").contains(&"Taken".to_owned()),
        "{:?}",
        names("rank example:small")
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dated.toml");
    let tree =
        "fairscope = 1\ntaken = \"2026-02-03T04:05:00Z\"\n[tree]\nrows = '''\nada 1 5\n'''\n";
    std::fs::write(&path, tree).unwrap();
    let page = page(&format!("rank {}", path.display()));
    assert_eq!(fact(&page, "Taken"), "2026-02-03 04:05 UTC");
}

#[test]
fn edits_are_listed_at_the_top() {
    let of_gold = page("whatif GOLD --edit shares~bob=7");
    let verified = fact(&of_gold, "Recorded numbers");
    assert_eq!(verified, "verified 14/14 before the edits");
    let page = page(line_of("whatif"));
    assert_eq!(fact(&page, "Edits"), "shares group2=80usage group1/bob=9");
    let without = facts(&page_of("show"));
    assert!(!without.iter().any(|(name, _)| name == "Edits"));
}

fn page_of(name: &str) -> Markup {
    page(line_of(name))
}

#[test]
fn commands_of_a_plan_can_be_copied_as_they_are() {
    let page = page(line_of("plan"));
    let blocks: Vec<_> = page.all("pre").map(|it| it.text.clone()).collect();
    blocks[0].must_contain("cp resource_group.new resource_group\n");
    assert!(
        blocks
            .iter()
            .any(|it| it.contains("group2  11  root  80\n")),
        "{blocks:?}"
    );
    let headings: Vec<_> = page.all("h2").map(|it| it.text.clone()).collect();
    assert_eq!(
        headings,
        [
            "Impact",
            "Diluted (not edited): lower Of tree",
            "Before",
            "Commands",
            "Effect",
            "Check",
            "Rollback",
            "resource_group"
        ]
    );
}

#[test]
fn a_number_that_is_not_there_has_a_sign_and_a_note_says_why() {
    let page = page("show SEED");
    let blank = |row: &&Element| {
        page.children(row)
            .any(|it| it.attributes.contains_key("data-none"))
    };
    let rows = nodes(&page);
    let names: Vec<_> = rows
        .iter()
        .filter(|row| blank(row))
        .map(|row| value(&page, page.children(row).next().unwrap()))
        .collect();
    assert!(
        names.contains(&"group1") && !names.contains(&"suzy"),
        "{names:?}"
    );
    let notes: Vec<_> = page
        .all("p")
        .filter(|it| it.is_of("note"))
        .map(|it| it.text.trim())
        .collect();
    assert_eq!(notes, ["–: no such number; only users have a rank"]);
    // A text that is empty is none.
    let policies = page_of("policies");
    assert!(
        policies
            .all("td")
            .any(|it| it.text.is_empty() && !it.attributes.contains_key("data-none"))
    );
}

#[test]
fn a_page_does_not_tell_of_options_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.csv");
    let made = Run::fairscope(["generate", "--users", "300", "--to", "csv"]).run();
    std::fs::write(&path, &made.stdout).unwrap();
    let line = format!("policies {}", path.display());
    written(&line, "table").must_contain("; --limit shows more or fewer");
    let main = page(&line).one("main").text.clone();
    main.must_contain(" more");
    main.must_lack("--limit");
}

#[test]
fn an_explanation_has_headings_and_every_line_of_the_text() {
    for name in ["explain", "explain-buckets", "explain-two", "depends"] {
        let line = line_of(name);
        let main = page(line).one("main").text.clone();
        for told in written(line, "text").lines() {
            // The cells of a table are apart by more than one blank.
            for cell in told.split("  ") {
                assert!(
                    main.contains(cell.trim().trim_end_matches(':')),
                    "{name}: {cell} of {told} is not in {main}"
                );
            }
        }
    }
    let page = page(line_of("explain"));
    let headings: Vec<_> = page.all("h2").map(|it| it.text.clone()).collect();
    headings[0].must_begin("Shares: S = shares");
    assert_eq!(headings.len(), 6);
}
