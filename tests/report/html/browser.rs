//! The pages in a real browser: they open, fold, sort, copy and print, and the browser has nothing to complain of.
//!
//! `FAIRSCOPE_PAGES=DIRECTORY cargo test browser` keeps the pages there, with pictures of each, light and dark, on a
//! screen, a phone and a projector, and printed on A4 and Letter.

use super::hostile::OF_MARKUP;
use super::{PAGES, csv_column, line_of, read, written};
use crate::support::browser::{Browser, installed};
use std::path::{Path, PathBuf};

/// Clicks every heading of every table and tree three times. Returns how often something was sorted, and what was wrong.
const SORT: &str = r#"(() => {
    const wrong = [];
    let sorts = 0;
    const keyOf = (cell) => {
        const shown = [...cell.childNodes].filter((it) => it.nodeName !== "U").map((it) => it.textContent);
        const isNumber = cell.matches(".n, i:not([class^='t'], :first-child)");
        return cell.getAttribute("data-v") ?? (isNumber ? shown.join("").replaceAll(",", "") : null);
    };
    const check = (items, cells, sign, what) => {
        const keys = items.map((item) => keyOf(cells(item)));
        const numbers = keys.filter((key) => key !== null && key !== "" && !isNaN(key)).map(Number);
        const isRising = numbers.every((it, place) => place === 0 || sign * (it - numbers[place - 1]) >= 0);
        if (!isRising) wrong.push(`${what}: ${numbers}`);
        const blank = cells => cells.indexOf("");
        const first = blank(keys);
        if (first >= 0 && keys.slice(first).some((key) => key !== "")) wrong.push(`${what}: blanks in between`);
    };
    for (const table of document.querySelectorAll("table")) {
        const body = table.tBodies[0];
        const text = () => [...body.rows].map((it) => it.textContent).join();
        const before = text();
        for (const [place, heading] of [...table.tHead.rows[0].cells].entries()) {
            const button = heading.querySelector("button");
            if (!button) { if (heading.textContent) wrong.push(`${heading.textContent} is no button`); continue; }
            for (const [order, sign] of [["ascending", 1], ["descending", -1]]) {
                button.click();
                sorts += 1;
                if (heading.getAttribute("aria-sort") !== order) wrong.push(`${heading.textContent}: not ${order}`);
                const others = table.querySelectorAll(`[aria-sort="${order}"]`).length;
                if (others !== 1) wrong.push(`${others} columns are ${order}`);
                check([...body.rows], (row) => row.cells[place], sign, heading.textContent);
            }
            button.click();
            if (text() !== before) wrong.push(`${heading.textContent}: not back in the first order`);
        }
    }
    for (const outline of document.querySelectorAll(".outline")) {
        const text = () => [...outline.querySelectorAll("li > p, summary")].map((it) => it.textContent).join();
        const before = text();
        for (const [place, heading] of [...outline.querySelector(".head p").children].entries()) {
            const button = heading.querySelector("button");
            for (const sign of [1, -1]) {
                button.click();
                sorts += 1;
                if (button.getAttribute("aria-pressed") !== "true") wrong.push(`${heading.textContent}: not pressed`);
                for (const list of outline.querySelectorAll("ul")) {
                    const cells = (item) => item.querySelector("p, summary").children[place];
                    check([...list.children], cells, sign, heading.textContent);
                }
            }
            button.click();
            if (text() !== before) wrong.push(`${heading.textContent}: not back in the first order`);
        }
    }
    return [sorts, wrong];
})()"#;

/// Folds and unfolds every node of a tree, one by one and all at once, and as a printer does. Returns how often, and
/// what was wrong.
const FOLD: &str = r#"(() => {
    const wrong = [];
    let folds = 0;
    for (const node of document.querySelectorAll("details")) {
        const summary = node.querySelector("summary");
        const around = node.parentElement.closest("details");
        if (around && !around.open) continue;
        const before = node.open;
        for (const isOpen of [!before, before]) {
            summary.click();
            folds += 1;
            if (node.open !== isOpen) wrong.push(`${summary.textContent} did not fold`);
            const isSeen = node.offsetHeight > summary.offsetHeight + 4;
            if (isSeen !== isOpen) wrong.push(`members of ${summary.textContent}`);
        }
    }
    for (const tools of document.querySelectorAll(".tools")) {
        const nodes = [...tools.nextElementSibling.querySelectorAll("details")];
        if (nodes.length === 0) continue;
        const open = () => nodes.filter((it) => it.open).length;
        const [unfold, fold] = tools.querySelectorAll("button");
        fold.click();
        if (open() !== 1) wrong.push(`${open()} are open after folding all`);
        const print = (what) => window.dispatchEvent(new Event(what));
        print("beforeprint");
        if (open() !== nodes.length) wrong.push(`${open()} are open on paper`);
        print("afterprint");
        if (open() !== 1) wrong.push(`${open()} are open after printing`);
        unfold.click();
        if (open() !== nodes.length) wrong.push(`${open()} are open after unfolding all`);
        folds += 2;
    }
    return [folds, wrong];
})()"#;

/// What does not fit the window beside each other, if anything.
const WIDTH: &str = "[document.documentElement.scrollWidth, window.innerWidth]";

/// Takes the picture of the manual again, if `UPDATE` is set. Its dots depend on the fonts of the machine, so it is not
/// compared.
fn take_picture(browser: &mut Browser, name: &str) {
    if name == "show-buckets" && std::env::var_os("UPDATE").is_some() {
        let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots/page.png");
        std::fs::write(picture, browser.picture()).unwrap();
    }
}

/// Keeps a page and its pictures, if a folder for them is named.
fn keep(browser: &mut Browser, name: &str, file: &Path) {
    let Some(folder) = std::env::var_os("FAIRSCOPE_PAGES").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(file, folder.join(format!("{name}.html"))).unwrap();
    for (scheme, width) in [
        ("light", 1280),
        ("dark", 1280),
        ("light", 390),
        ("dark", 390),
        ("light", 1920),
    ] {
        browser.look(width, 1000, scheme);
        let picture = folder.join(format!("{name}-{width}-{scheme}.png"));
        std::fs::write(picture, browser.picture()).unwrap();
    }
    for (paper, width, height) in [("a4", 8.27, 11.69), ("letter", 8.5, 11.0)] {
        let document = folder.join(format!("{name}-{paper}.pdf"));
        std::fs::write(document, browser.printed(width, height)).unwrap();
    }
}

/// Presses the button that copies the first table or tree, and returns what it copied.
const COPY: &str = r#"(() => {
    let copied;
    const take = (event) => { copied = event.clipboardData.getData("text/plain"); };
    document.addEventListener("copy", take);
    [...document.querySelectorAll(".tools button")].find((it) => it.textContent === "Copy").click();
    return copied;
})()"#;

/// Selects the first sign of the number in the second row's cell of this place, and returns what is copied then.
const COPY_SIGN: &str = r#"((place) => {
    const row = [...document.querySelectorAll("tbody tr, li > p, summary")][1];
    const walker = document.createTreeWalker(row.children[place], NodeFilter.SHOW_TEXT);
    let last;
    while (walker.nextNode()) last = walker.currentNode;
    getSelection().setBaseAndExtent(last, 0, last, 1);
    const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), cancelable: true });
    document.dispatchEvent(event);
    return event.clipboardData.getData("text/plain");
})"#;

#[test]
fn what_is_copied_reads_back() {
    let Some(program) = installed() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&program);
    for command in ["rank", "show"] {
        let line = format!("{command} example:site --columns name,usage,factor,rank");
        let file = folder.path().join("copied.html");
        std::fs::write(&file, written(&line, "html")).unwrap();
        browser.open(&file);
        let copied = browser.value(COPY);
        let rows: Vec<Vec<&str>> = copied
            .as_str()
            .unwrap()
            .lines()
            .map(|row| row.split('\t').collect())
            .collect();
        let csv = written(&line, "csv");
        // A tree begins with its own names.
        let first = usize::from(command == "show");
        for (place, column) in ["name", "usage", "factor", "rank"].iter().enumerate() {
            let cells = rows.iter().skip(1).map(|row| row[place + first].to_owned());
            let (cells, told): (Vec<String>, _) = (cells.collect(), csv_column(&csv, column));
            match place {
                0 => assert_eq!(cells, told, "{line}"),
                _ => assert_eq!(read(&cells), read(&told), "{line}: {column}"),
            }
        }
        let usage = browser.value(&format!("{COPY_SIGN}({})", 1 + first));
        let told = csv_column(&csv, "usage");
        assert_eq!(
            usage.as_str().unwrap().parse::<f64>(),
            told[1].parse(),
            "{line}"
        );
    }
    assert_eq!(browser.complaints, [""; 0]);
}

/// What is wrong with a page on paper, if anything.
const PAPER: &str = r#"(() => {
    const wrong = [];
    const style = (it) => getComputedStyle(it);
    const isDark = (colour) => Math.max(...colour.match(/\d+/g).slice(0, 3).map(Number)) < 128;
    if (!isDark(style(document.body).color)) wrong.push(`text is ${style(document.body).color}`);
    for (const it of document.querySelectorAll("nav, .tools")) if (style(it).display !== "none") wrong.push(it.className);
    for (const it of document.querySelectorAll("thead, .head")) {
        if (style(it).display !== "table-header-group") wrong.push("headings are not repeated");
    }
    for (const it of document.querySelectorAll("tr, li > p, summary, figure")) {
        if (style(it).breakInside !== "avoid") wrong.push(`${it.nodeName} is cut`);
    }
    for (const it of document.querySelectorAll("tr > *, li > p, summary, p, pre")) {
        if (it.getBoundingClientRect().right > innerWidth + 1) wrong.push(`${it.textContent} is cut`);
    }
    return wrong;
})()"#;

#[test]
fn pages_fit_on_paper() {
    let Some(program) = installed() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&program);
    let many = "rank GOLD --columns path,kind,shares,usage,rank,factor,norm_shares,norm_usage,effectv_usage,level_fs,\
        scheduler_rank,priority_points,served,NormShares,NormUsage,EffectvUsage,LevelFS,FairShare,GrpTRESRaw";
    for (name, line) in PAGES.iter().copied().chain([("many", many)]) {
        let file = folder.path().join(format!("{name}.html"));
        std::fs::write(&file, written(line, "html")).unwrap();
        // A4 and Letter are 210 and 216 mm wide, less the margins.
        for width in [687, 710] {
            browser.lay_on_paper(width);
            browser.open(&file);
            assert_eq!(browser.value(PAPER), serde_json::json!([]), "{name}");
            let widths = browser.value(WIDTH);
            assert_eq!(widths[0], widths[1], "{name} is wider than {width}");
        }
    }
}

#[test]
fn a_projector_shows_larger_rows_and_prose_of_a_readable_width() {
    let Some(program) = installed() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("show.html");
    std::fs::write(&file, written(line_of("show-site"), "html")).unwrap();
    let mut browser = Browser::start(&program);
    let mut measured = |width| {
        browser.look(width, 1000, "light");
        browser.open(&file);
        let size = "[parseFloat(getComputedStyle(document.querySelector('.outline')).fontSize), \
            document.querySelector('.outline').clientWidth]";
        browser.value(size)
    };
    let [usual, wide] = [measured(1280), measured(1920)];
    assert!(
        wide[0].as_f64() > usual[0].as_f64().map(|it| it * 1.3),
        "{usual} {wide}"
    );
    assert!(wide[1].as_f64() > Some(1280.0), "{wide}");
    std::fs::write(&file, written(line_of("explain"), "html")).unwrap();
    browser.open(&file);
    let letters = "(() => { const it = document.querySelector('main > p'); \
        return parseFloat(getComputedStyle(it).maxWidth) / parseFloat(getComputedStyle(it).fontSize); })()";
    assert!(browser.value(letters).as_f64() < Some(60.0));
}

#[test]
fn pages_open_fold_and_sort_in_a_browser_without_complaint() {
    let Some(program) = installed() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&program);
    let (mut folds, mut sorts) = (0, 0);
    for (name, line) in PAGES {
        let file = folder.path().join(format!("{name}.html"));
        std::fs::write(&file, written(line, "html")).unwrap();
        browser.look(1280, 1000, "light");
        browser.open(&file);
        take_picture(&mut browser, name);
        keep(&mut browser, name, &file);
        for (width, scheme) in [(390, "dark"), (1920, "light"), (1280, "light")] {
            browser.look(width, 1000, scheme);
            let widths = browser.value(WIDTH);
            assert_eq!(widths[0], widths[1], "{name} is wider than {width}");
        }
        for (script, count) in [(FOLD, &mut folds), (SORT, &mut sorts)] {
            let done = browser.value(script);
            assert_eq!(done[1], serde_json::json!([]), "{name}");
            *count += done[0].as_u64().unwrap();
        }
        assert_eq!(browser.complaints, [""; 0], "{name}");
    }
    println!(
        "{} pages opened, {folds} folds, {sorts} sorts, {} console errors",
        PAGES.len(),
        browser.complaints.len()
    );
    assert!(folds > 60 && sorts > 200, "{folds} folds, {sorts} sorts");
}

#[test]
fn a_browser_takes_no_name_for_markup() {
    let Some(program) = installed() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("names.csv");
    let mut rows = csv::Writer::from_path(&source).unwrap();
    rows.write_record(["parent", "name", "shares", "usage", "type"])
        .unwrap();
    for name in OF_MARKUP {
        rows.write_record(["", name, "1", "5", "user"]).unwrap();
    }
    rows.flush().unwrap();
    let line = source.display().to_string();
    let mut browser = Browser::start(&program);
    for report in ["show", "rank", "simulate --until=2d", "check"] {
        let (command, options) = report.split_once(' ').unwrap_or((report, ""));
        let file = folder.path().join("names.html");
        let line = format!("{command} {line} {options}");
        std::fs::write(&file, written(line.trim(), "html")).unwrap();
        browser.open(&file);
        let shown = browser.value("document.querySelector('main').innerText");
        // In a path, signs of its own language have a backslash.
        let shown = shown.as_str().unwrap().replace('\\', "");
        let names = OF_MARKUP.iter().filter(|name| shown.contains(*name));
        assert!(
            command == "check" || names.count() == OF_MARKUP.len(),
            "{shown}"
        );
        let foreign = "document.querySelectorAll('img, main script, [onload], [onerror]').length";
        assert_eq!(browser.value(foreign), 0, "{command}");
        assert_eq!(browser.complaints, [""; 0], "{command}");
    }
}

#[test]
fn a_page_that_is_changed_may_run_nothing() {
    let Some(program) = installed() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("changed.html");
    let page = written("show SEED", "html");
    let changed = page.replace(
        "</main>",
        "<script>document.title = 'changed'</script></main>",
    );
    std::fs::write(&file, changed).unwrap();
    let mut browser = Browser::start(&program);
    browser.open(&file);
    assert_ne!(browser.value("document.title"), "changed");
    let refused = |it: &String| it.contains("Content Security Policy");
    assert!(
        browser.complaints.iter().any(refused),
        "{:?}",
        browser.complaints
    );
}
