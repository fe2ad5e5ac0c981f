//! Names that were made to harm, on every kind of page.

use crate::fuzz::names::NAMES;
use crate::shown::HOSTILE;
use crate::support::command::Run;
use crate::support::markup::Markup;
use std::path::Path;

/// Names that only a page would obey.
pub(super) const OF_MARKUP: [&str; 12] = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)",
    "<!--",
    "-->",
    "]]><svg onload=alert(1)>",
    "&lt;b&gt;",
    "&#60;b&#62;",
    "javascript:alert(1)",
];

/// How many names are in one tree.
const TOGETHER: usize = 4;

/// Writes a tree with each name in the places of an account, of its user and of another account's user, as CSV.
fn tree(folder: &Path, file: &str, names: &[&[u8]], usage: u32) -> String {
    let path = folder.join(file);
    let mut rows = csv::Writer::from_path(&path).unwrap();
    let mut put = |parent: &[u8], name: &[u8], shares: &str, usage: &str, kind: &str| {
        let usage = usage.as_bytes();
        rows.write_record([parent, name, shares.as_bytes(), usage, kind.as_bytes()])
            .unwrap();
    };
    put(b"parent", b"name", "shares", "usage", "type");
    put(b"", b"chem", "20", "", "account");
    put(b"chem", b"bob", "4", "7", "user");
    for name in names {
        put(b"", name, "10", "", "account");
        put(name, name, "5", &usage.to_string(), "user");
        put(b"chem", name, "5", "50", "user");
    }
    rows.flush().unwrap();
    path.display().to_string()
}

#[test]
fn no_name_becomes_markup() {
    let folder = tempfile::tempdir().unwrap();
    let names = NAMES.iter().chain(&OF_MARKUP).map(|name| name.as_bytes());
    let names: Vec<&[u8]> = names.chain(HOSTILE.iter().copied()).collect();
    let mut pages = 0;
    for names in names.chunks(TOGETHER) {
        let told: Vec<_> = names.iter().map(|name| name.escape_ascii()).collect();
        let told: Vec<String> = told.into_iter().map(|name| name.to_string()).collect();
        let old = tree(folder.path(), "t-2025-04-21.csv", names, 100);
        let new = tree(folder.path(), "t-2025-04-22.csv", names, 9000);
        for line in [
            vec!["show", &new],
            vec!["rank", &new],
            vec!["policies", &new],
            vec!["explain", &new, "chem/bob"],
            vec![
                "whatif",
                &new,
                "--edit",
                "shares chem=7",
                "--edit",
                "usage chem/bob=9999",
            ],
            vec!["plan", &new, "--for", "slurm", "--edit", "scale / to 100"],
            vec!["simulate", &new, "--until", "2d"],
            vec!["simulate", &new, "--until", "1d", "--cores", "8"],
            vec!["diff", &old, &new],
            vec!["timeline", &old, &new],
            vec!["check", &new],
        ] {
            let ran = Run::fairscope(&line).args(["--format-out", "html"]).run();
            assert_ne!(ran.code, Some(2), "{line:?} of {told:?}: {}", ran.stderr);
            let text = ran.text();
            // The strict reader fails at whatever is not escaped.
            let page = Markup::read(&text);
            assert_eq!(page.all("script").count(), 1, "{line:?} of {told:?}");
            for element in &page.elements {
                let is_ours = !element.attributes.keys().any(|key| key.starts_with("on"));
                assert!(is_ours && element.name != "img", "{line:?} of {told:?}");
            }
            let signs = text.lines().flat_map(str::chars);
            let hidden = signs.filter(|&char| char.is_control() && char != '\t');
            assert_eq!(hidden.count(), 0, "{line:?} of {told:?}");
            pages += 1;
        }
    }
    println!(
        "{} hostile names on {pages} pages, 0 unescaped",
        names.len()
    );
}
