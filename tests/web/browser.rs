//! The page in a real browser, from a disk and without a network: what an address, pasted text and a site's tree open,
//! what becomes of edits, and that no name becomes markup.

use super::built;
use crate::shown::HOSTILE;
use crate::support::browser::{Browser, installed};
use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::golden;
use fairscope::format::Request;
use fairscope::tui::picture::PictureForm;
use fairscope::tui::script::Script;
use fairscope::tui::{Delivery, Headless, Options};
use ratatui::layout::Size;
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The text of the screen.
const SCREEN: &str = "[...document.querySelectorAll('#screen div')].map((row) => row.textContent.trimEnd()).join('\\n')";

/// A page in a browser.
struct Page {
    browser: Browser,
    file: PathBuf,
}

impl Page {
    /// Opens the page at a fragment of it; `None` without a page or a browser, which is said.
    fn at(fragment: &str) -> Option<Self> {
        let file = built()?.join("fairscope.html");
        Self::of(file, fragment)
    }

    fn of(file: PathBuf, fragment: &str) -> Option<Self> {
        let mut browser = Browser::start(&installed()?);
        let offline =
            json!({"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0});
        browser.call("Network.emulateNetworkConditions", &offline);
        browser.look(1280, 800, "dark");
        let mut page = Self { browser, file };
        page.load(fragment);
        Some(page)
    }

    fn load(&mut self, fragment: &str) {
        self.browser.open_at(&self.file, fragment);
        self.browser.wait_for(&format!(
            "{SCREEN} !== '' && document.querySelector('#notice').hidden"
        ));
    }

    fn screen(&mut self) -> String {
        self.browser.value(SCREEN).as_str().unwrap().to_owned()
    }

    /// Returns what is said below the screen.
    fn said(&mut self) -> String {
        let said = self
            .browser
            .value("document.querySelector('#said').textContent");
        said.as_str().unwrap().to_owned()
    }

    /// Waits until what is named like this is open: the first line of the screen shows that.
    fn wait_for_open(&mut self, name: &str) {
        let name = json!(name);
        self.browser
            .wait_for(&format!("({SCREEN}).split('\\n')[0].includes({name})"));
    }

    /// Waits until the screen shows a text.
    fn wait_for(&mut self, text: &str) {
        let text = json!(text);
        self.browser
            .wait_for(&format!("({SCREEN}).includes({text})"));
    }

    /// Presses a key by the name that browsers give it.
    fn press(&mut self, key: &str) {
        let key = json!(key);
        self.browser.value(&format!(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key: {key}, bubbles: true }}))"
        ));
    }

    fn type_in(&mut self, text: &str) {
        for character in text.chars() {
            self.press(&character.to_string());
        }
    }

    /// Ticks the box that keeps edits, or unticks it.
    fn tick_keep(&mut self) {
        self.browser
            .value("document.querySelector('#keeps').click()");
    }

    /// Opens the edit that an earlier page kept, which the screen then shows.
    fn open_draft(&mut self, edit: &str) {
        self.wait_for("was not saved: o opens them");
        self.press("o");
        self.press("Enter");
        self.wait_for(edit);
    }

    fn paste(&mut self, text: &str) {
        let text = json!(text);
        self.browser.value(&format!(
            "{{ const data = new DataTransfer(); data.setData('text/plain', {text}); document.activeElement.dispatchEvent(\
             new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }})) }}"
        ));
    }

    /// Returns the size of the screen in cells.
    fn size(&mut self) -> Size {
        let rows = self
            .browser
            .value("document.querySelectorAll('#screen div').length");
        let columns = self.browser.value(
            "Math.floor(document.querySelector('#screen').clientWidth / (document.querySelector('#probe')\
             .getBoundingClientRect().width / document.querySelector('#probe').textContent.length))",
        );
        let cells = |value: serde_json::Value| u16::try_from(value.as_u64().unwrap()).unwrap();
        Size::new(cells(columns), cells(rows))
    }

    /// Asserts that the browser has nothing to complain of and asked for nothing but the page.
    fn assert_quiet(&self) {
        assert_eq!(self.browser.complaints, Vec::<String>::new());
        for address in &self.browser.requests {
            let is_own = ["file:", "blob:", "data:", "about:"]
                .iter()
                .any(|own| address.starts_with(own));
            assert!(is_own, "{address}");
        }
    }
}

/// Returns the screen of a file in a terminal, without the line that names the file.
fn in_terminal(path: &Path, size: Size) -> String {
    let mut explorer = Headless::new(Options::default(), size);
    explorer.open(Some(Request::to_open(path))).unwrap();
    without_title(&explorer.picture(PictureForm::Text))
}

fn without_title(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().skip(1).map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

#[test]
fn a_page_opens_from_a_disk_in_each_size_and_connects_to_nothing() {
    let Some(mut page) = Page::at("") else { return };
    for scheme in ["dark", "light"] {
        for (width, height) in [(390, 844), (1280, 800), (1920, 1080)] {
            page.browser.look(width, height, scheme);
            page.load("");
            page.screen().must_contain("physics");
        }
    }
    page.assert_quiet();
}

/// Takes the picture of the README again, if `UPDATE` is set. Its dots depend on the fonts of the machine, so it is not
/// compared.
#[test]
fn the_picture_of_the_readme() {
    let Some(mut page) = Page::at("#example=site&keys=j") else {
        return;
    };
    page.screen().must_contain("why physics/astro/alice");
    if std::env::var_os("UPDATE").is_some() {
        let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots/web.png");
        fs::write(picture, page.browser.picture()).unwrap();
    }
}

#[test]
fn an_address_opens_an_example_a_lesson_a_policy_and_keys() {
    let Some(mut page) = Page::at("#example=flux") else {
        return;
    };
    page.screen().must_contain("the example flux");
    page.load("#lesson=suzy");
    page.screen().must_contain("suzy");
    page.load("#example=two&policy=level-based&keys=2%20j");
    page.screen().must_contain("LEVEL_BASED");
    for (fragment, said) in [
        ("#example=flax", "flax"),
        ("#lesson=susi", "susi"),
        ("#policy=level", "unknown policy 'level'"),
        ("#keys=\"ab", "quote"),
        ("#shape=round", "shape"),
        ("#example=%zz", "%zz"),
    ] {
        page.load(fragment);
        page.said().must_contain(said);
        page.screen().must_contain("root");
    }
    page.assert_quiet();
}

#[test]
fn what_people_paste_opens_as_in_the_terminal() {
    let Some(field) = golden("field") else { return };
    let Some(mut page) = Page::at("") else { return };
    let size = page.size();
    for case in [
        "column-t",
        "one-row",
        "grep-colour",
        "tab-indented",
        "six-columns",
    ] {
        for entry in fs::read_dir(field.join(case)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            page.load("");
            page.paste(&text);
            page.wait_for_open("pasted-1.txt");
            let shown = without_title(&page.screen());
            assert_eq!(shown, in_terminal(&path, size), "{}", path.display());
        }
    }
    page.assert_quiet();
}

#[test]
fn a_plan_of_an_edit_is_downloaded_as_the_terminal_writes_it() {
    let Some(mut page) = Page::at("#example=small") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    page.browser.download_to(folder.path());
    page.type_in("jjje80");
    page.press("Enter");
    page.press("5");
    page.wait_for("resource_group.new");
    page.press("w");
    page.press("Enter");
    page.browser.wait_for_downloads(2);
    let mut explorer = Headless::new(Options::default(), page.size());
    explorer
        .open(Some(Request::to_open("example:small")))
        .unwrap();
    explorer.play(&Script::parse("j j j e \"80\" enter 5").unwrap());
    let mut explorer = explorer.delivering();
    explorer.play(&Script::parse("w enter").unwrap());
    let mut written = Vec::new();
    for delivery in explorer.take_deliveries() {
        if let Delivery::File(path, bytes) = delivery {
            let downloaded = fs::read(folder.path().join(path.file_name().unwrap())).unwrap();
            assert_eq!(downloaded, bytes, "{}", path.display());
            written.push(path);
        }
    }
    assert_eq!(
        written,
        [Path::new("resource_group.new"), Path::new("plan.txt")]
    );
    page.assert_quiet();
}

/// What the browser keeps for the page.
const KEPT: &str = "(localStorage.getItem('fairscope ' + location.pathname) ?? '')";

#[test]
fn edits_come_back_where_the_reader_has_them_kept() {
    let Some(mut page) = Page::at("#example=site") else {
        return;
    };
    page.tick_keep();
    page.type_in("je77");
    page.press("Enter");
    page.wait_for("*77");
    page.browser.wait_for(&format!("{KEPT}.includes('77')"));
    page.load("#example=site");
    page.open_draft("*77");
    // An edit that nothing keeps would hold the page back.
    page.press("u");
    page.tick_keep();
    assert_eq!(page.browser.value(KEPT), "");
    page.load("#example=site");
    assert!(!page.screen().contains("not saved"));
    page.assert_quiet();
}

#[test]
fn edits_of_a_pasted_table_come_back_with_the_table() {
    let Some(mut page) = Page::at("") else {
        return;
    };
    let table = "parent,name,shares,usage,type\n,g,3,,account\ng,ann,1,5,user\ng,ben,1,7,user\n";
    page.tick_keep();
    page.paste(table);
    page.wait_for_open("pasted-1.txt");
    page.wait_for("ben");
    page.type_in("jje77");
    page.press("Enter");
    page.wait_for("*77");
    page.browser.wait_for(&format!("{KEPT}.includes('shares')"));
    page.load("");
    page.open_draft("*77");
    page.wait_for("ben");
    // Who leaves without saving discards them.
    page.type_in("qy");
    page.browser
        .wait_for("!document.querySelector('#anew').hidden");
    page.load("");
    assert!(!page.screen().contains("not saved"));
    page.assert_quiet();
}

#[test]
fn files_that_are_given_apart_are_read_apart() {
    let Some(mut page) = Page::at("") else {
        return;
    };
    let give = |page: &mut Page, name: &str, text: &str| {
        let (name, text) = (json!(name), json!(text));
        page.browser.value(&format!(
            "{{ const chooser = document.querySelector('#files'); const data = new DataTransfer(); \
             data.items.add(new File([{text}], {name})); chooser.files = data.files; \
             chooser.dispatchEvent(new Event('change')) }}"
        ));
    };
    give(&mut page, "sched_config", "fair_share: false ALL\n");
    page.browser
        .wait_for("document.querySelector('#said').textContent.includes('sent nowhere')");
    give(
        &mut page,
        "resource_group",
        "ann 10 root 5\nben 11 root 5\n",
    );
    page.wait_for("fair_share assumed");
    give(
        &mut page,
        "example:two",
        "parent,name,shares,usage,type\n,only,3,4,user\n",
    );
    page.wait_for("only");
    page.assert_quiet();
}

#[test]
fn no_name_of_a_site_becomes_markup() {
    let Some(folder) = built() else { return };
    let work = tempfile::tempdir().unwrap();
    let mut tree = "parent,name,shares,usage,type\n,g,1,,account\n".to_owned();
    for (place, name) in HOSTILE.iter().enumerate() {
        let Ok(name) = std::str::from_utf8(name) else {
            continue;
        };
        if name.contains(['\n', '\r', '\0']) {
            continue;
        }
        let quoted = name.replace('"', "\"\"");
        writeln!(tree, "g,\"{quoted}{place}\",1,{place},user").unwrap();
    }
    let bold = "g,\"<img src=x onerror=alert(1)>\",1,5,user\ng,\"</script><b>bold</b>\",1,5,user\n";
    tree += bold;
    let source = work.path().join("<b>tree.csv");
    fs::write(&source, tree).unwrap();
    Run::fairscope([
        "page",
        "--title",
        "<script>alert(1)</script><b>ours",
        "--link",
        "../index.html",
    ])
    .arg(&source)
    .arg("--page")
    .arg(folder.join("fairscope.html"))
    .arg("--out")
    .arg(work.path())
    .run()
    .success();
    let Some(mut page) = Page::of(work.path().join("fairscope.html"), "") else {
        return;
    };
    page.screen().must_contain("<b>bold</b>");
    for key in ["!", "Escape", "?", "Escape", "/"] {
        page.press(key);
    }
    let found = page.browser.value("[...new Set([...document.body.querySelectorAll('*')].map((it) => it.tagName))].sort().join(' ')");
    assert_eq!(
        found,
        "A BUTTON DIV I INPUT LABEL NOSCRIPT P PRE SCRIPT SPAN TEXTAREA"
    );
    page.assert_quiet();
}

#[test]
fn a_browser_that_lacks_something_gets_one_sentence() {
    let Some(mut page) = Page::at("") else {
        return;
    };
    let before = |script: &str| json!({ "source": script });
    let without_storage = before(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden') } })",
    );
    let method = "Page.addScriptToEvaluateOnNewDocument";
    let added = page.browser.call(method, &without_storage);
    page.load("");
    page.tick_keep();
    page.screen().must_contain("physics");
    let remove = json!({"identifier": added["identifier"]});
    page.browser
        .call("Page.removeScriptToEvaluateOnNewDocument", &remove);

    page.browser
        .call(method, &before("delete window.WebAssembly"));
    page.browser.open_at(&page.file, "");
    page.browser
        .wait_for("document.querySelector('#noticed').textContent.includes('WebAssembly')");
    page.assert_quiet();
}

#[test]
fn what_a_page_cannot_take_is_refused_before_it_is_read() {
    let Some(mut page) = Page::at("") else {
        return;
    };
    let refusal = page
        .browser
        .value("wasm_bindgen.PageExplorer.refusal('<b>\\u001b[31m.txt', 2 ** 31)");
    let refusal = refusal.as_str().unwrap();
    refusal.must_contain("is larger than 512 MiB, too large for a page");
    assert!(!refusal.contains('\u{1b}'), "{refusal}");
    // Nothing of this file is read: it only says how long it is.
    page.browser.value(
        "{ const file = new File(['x'], 'usage'); Object.defineProperty(file, 'size', { value: 2 ** 31 }); \
         file.arrayBuffer = () => { throw new Error('read') }; \
         Object.defineProperty(document.querySelector('#files'), 'files', { value: [file] }); \
         document.querySelector('#files').dispatchEvent(new Event('change')) }",
    );
    page.browser
        .wait_for("document.querySelector('#said').textContent.includes('too large for a page')");
    page.screen().must_contain("physics");
    page.assert_quiet();
}
