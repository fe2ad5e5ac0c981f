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

/// Writes a tree with a name in the places of an account and of two users, as CSV.
fn tree(folder: &Path, file: &str, name: &[u8], usage: u32) -> String {
    let quoted = [b"\"", &name.replace(b"\"", b"\"\"")[..], b"\""].concat();
    let mut text = b"parent,name,shares,usage,type\n,".to_vec();
    text.extend_from_slice(&quoted);
    text.extend_from_slice(b",10,,account\n,chem,20,,account\n");
    for (parent, usage) in [(&quoted[..], usage), (b"chem", 50)] {
        text.extend_from_slice(parent);
        text.push(b',');
        text.extend_from_slice(&quoted);
        text.extend_from_slice(format!(",5,{usage},user\n").as_bytes());
    }
    text.extend_from_slice(b"chem,bob,4,7,user\n");
    let path = folder.join(file);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

trait Replace {
    fn replace(&self, sign: &[u8], with: &[u8]) -> Vec<u8>;
}

impl Replace for [u8] {
    fn replace(&self, sign: &[u8], with: &[u8]) -> Vec<u8> {
        let parts: Vec<&[u8]> = self.split(|byte| sign.contains(byte)).collect();
        parts.join(with)
    }
}

#[test]
fn no_name_becomes_markup() {
    let folder = tempfile::tempdir().unwrap();
    let names = NAMES.iter().chain(&OF_MARKUP).map(|name| name.as_bytes());
    let names: Vec<&[u8]> = names.chain(HOSTILE.iter().copied()).collect();
    let (mut pages, mut skipped) = (0, 0);
    for name in &names {
        let old = tree(folder.path(), "t-2025-04-21.csv", name, 100);
        let new = tree(folder.path(), "t-2025-04-22.csv", name, 9000);
        let user = "chem/bob";
        for line in [
            vec!["show", &new],
            vec!["rank", &new],
            vec!["policies", &new],
            vec!["explain", &new, user],
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
            if ran.stdout.is_empty() {
                assert_eq!(ran.code, Some(2), "{line:?} of {}", name.escape_ascii());
                skipped += 1;
                continue;
            }
            let text = ran.text();
            // The strict reader fails at whatever is not escaped.
            let page = Markup::read(&text);
            let scripts = page.all("script").count();
            assert_eq!(scripts, 1, "{line:?} of {}", name.escape_ascii());
            for element in &page.elements {
                let is_ours = !element.attributes.keys().any(|key| key.starts_with("on"));
                assert!(is_ours && element.name != "img", "{}", name.escape_ascii());
            }
            let signs = text.lines().flat_map(str::chars);
            let hidden = signs.filter(|&char| char.is_control() && char != '\t');
            assert_eq!(hidden.count(), 0, "{line:?} of {}", name.escape_ascii());
            pages += 1;
        }
    }
    println!("{pages} pages of {} names, {skipped} refused", names.len());
    assert!(pages > names.len() * 10, "{pages} pages, {skipped} refused");
}
