//! Names that stand for others, so that a tree can be shown to strangers.

use sha2::{Digest as _, Sha256};

/// What a name belongs to. Namesakes of two kinds have different pseudonyms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// An account, a group or a bank.
    Account,
    /// A user or an entity.
    User,
    /// A partition of Slurm.
    Partition,
    /// A cluster.
    Cluster,
    /// A licence, a model of a GPU, a server, a resource of a site.
    Resource,
}

/// The names that schedulers give themselves.
const KEPT: &[&[u8]] = &[b"", b"root", b"TREEROOT", b"unknown"];

/// The resources that every Slurm has.
const RESOURCES: &[&str] = &[
    "cpu", "mem", "energy", "node", "billing", "vmem", "pages", "fs/disk",
];

/// The kinds of resources that have names.
const KINDS: &[&str] = &["gres", "license", "fs", "bb", "ic"];

/// The generic resources of Slurm's own plugins.
const GENERIC: &[&str] = &["gpu", "gpumem", "gpuutil", "mps", "shard", "nic"];

/// Digits that every scheduler takes in a name, in every form of its files.
const DIGITS: &[u8] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// How many digits a pseudonym has after its letter: with 60 bits two of a million names coincide once in two million trees.
const LENGTH: usize = 12;

/// Pseudonyms of one key. Under the same key a name always has the same pseudonym.
#[derive(Clone)]
pub struct Pseudonyms([u8; 32]);

impl Pseudonyms {
    /// Returns the pseudonyms of a key, without which nobody can tell which name is behind which pseudonym.
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the pseudonym of a name: a letter for its kind and digits of its hash with the key.
    pub(crate) fn of(&self, named: Named, name: &[u8]) -> String {
        if KEPT.contains(&name) {
            return String::from_utf8_lossy(name).into_owned();
        }
        let letter = match named {
            Named::Account => b'a',
            Named::User => b'u',
            Named::Partition => b'p',
            Named::Cluster => b'c',
            Named::Resource => b'r',
        };
        // The key has one length and the hash is cut, so nothing can be appended to either.
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update([letter]);
        hasher.update(name);
        let mut pseudonym = String::from(char::from(letter));
        for byte in &hasher.finalize()[..LENGTH] {
            let digit = DIGITS[usize::from(byte % 32)];
            pseudonym.push(char::from(digit));
        }
        pseudonym
    }

    /// Returns the numbers that a version begins with, after which anything may come: `24.11.5`.
    pub(crate) fn version(version: &str) -> String {
        let mut numbers = String::new();
        for char in version.chars() {
            if !char.is_ascii_digit() && char != '.' {
                break;
            }
            numbers.push(char);
        }
        numbers
    }

    /// Returns Slurm's list of resources with amounts, as in `cpu=1000,gres/gpu:a100=20`, with pseudonyms of all names but
    /// Slurm's own. An entry whose amount is no number is left out.
    pub(crate) fn resources(&self, list: &str) -> String {
        let mut entries = Vec::new();
        for entry in list.split(',') {
            let Some((name, amount)) = entry.trim().rsplit_once('=') else {
                continue;
            };
            let number = amount.trim_end_matches(['K', 'M', 'G', 'T', 'P']);
            if number.parse().is_ok_and(f64::is_finite) {
                entries.push(format!("{}={amount}", self.resource(name)));
            }
        }
        entries.join(",")
    }

    /// Returns a resource with a pseudonym: `gres/gpu:a100` and `license/matlab@server` keep their kinds, and Slurm's own
    /// resources their names.
    fn resource(&self, name: &str) -> String {
        if is_in(RESOURCES, name) {
            return name.to_owned();
        }
        let (kind, name) = match name.split_once('/') {
            Some((kind, name)) if is_in(KINDS, kind) => (kind, name),
            _ => return self.of_resource(name),
        };
        let mut model = String::new();
        let mut plain = name;
        if let Some((before, after)) = name.split_once(':') {
            plain = before;
            model = format!(":{}", self.of_resource(after));
        }
        let is_generic = kind.eq_ignore_ascii_case("gres") && is_in(GENERIC, plain);
        if is_generic {
            return format!("{kind}/{plain}{model}");
        }
        format!("{kind}/{}{model}", self.of_resource(plain))
    }

    /// Returns the pseudonym of a resource, a model or a server.
    fn of_resource(&self, name: &str) -> String {
        self.of(Named::Resource, name.as_bytes())
    }
}

/// Returns whether a list has a name, in any case.
fn is_in(known: &[&str], name: &str) -> bool {
    known.iter().any(|own| own.eq_ignore_ascii_case(name))
}
