//! A stand-in for `sacctmgr`: reads its commands as a shell would and applies them, strictly.

use std::collections::BTreeMap;

/// What the accounting database holds of one cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Database {
    /// Parent and shares by account.
    pub(crate) accounts: BTreeMap<String, (String, String)>,
    /// Shares by account, user and partition.
    pub(crate) users: BTreeMap<(String, String, String), String>,
}

/// The words of a line, as a POSIX shell takes them.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\\' if !is_quoted => word.get_or_insert_default().extend(chars.next()),
            ' ' if !is_quoted => words.extend(word.take()),
            char => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

impl Database {
    /// Runs one command.
    ///
    /// # Panics
    /// If `sacctmgr` would refuse it or change nothing.
    pub(crate) fn run(&mut self, line: &str) {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ["sacctmgr", "-i", verb, kind, options @ ..] = &words[..] else {
            panic!("{line}");
        };
        let mut parts = options.split(|word| *word == "set");
        let of = |words: &[&str]| -> BTreeMap<String, String> {
            words
                .iter()
                .filter(|word| **word != "where")
                .map(|word| word.split_once('=').expect("key=value"))
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect()
        };
        let place = of(parts.next().expect("a place"));
        let set = of(parts.next().unwrap_or_default());
        assert_eq!(place["cluster"], "gold", "{line}");
        for name in place["name"].split(',') {
            match *kind {
                "account" => self.account(verb, name, &place, &set, line),
                "user" => self.user(verb, name, &place, &set, line),
                _ => panic!("{line}"),
            }
        }
    }

    fn account(
        &mut self,
        verb: &str,
        name: &str,
        place: &BTreeMap<String, String>,
        set: &BTreeMap<String, String>,
        line: &str,
    ) {
        match verb {
            "add" => {
                let parent = &place["parent"];
                assert!(self.knows(parent) && !self.knows(name), "{line}");
                let facts = (parent.clone(), place["fairshare"].clone());
                self.accounts.insert(name.to_owned(), facts);
            }
            "modify" => {
                if let Some(parent) = set.get("parent") {
                    let mut above = parent.clone();
                    while above != "root" {
                        assert_ne!(above, name, "under itself: {line}");
                        above.clone_from(&self.accounts[&above].0);
                    }
                    self.accounts
                        .get_mut(name)
                        .expect(line)
                        .0
                        .clone_from(parent);
                }
                if let Some(shares) = set.get("fairshare") {
                    self.accounts
                        .get_mut(name)
                        .expect(line)
                        .1
                        .clone_from(shares);
                }
            }
            "delete" => {
                let is_empty = !self.accounts.values().any(|(parent, _)| parent == name)
                    && !self.users.keys().any(|(account, ..)| account == name);
                assert!(is_empty, "{line}");
                self.accounts.remove(name).expect(line);
            }
            _ => panic!("{line}"),
        }
    }

    fn user(
        &mut self,
        verb: &str,
        name: &str,
        place: &BTreeMap<String, String>,
        set: &BTreeMap<String, String>,
        line: &str,
    ) {
        let account = place["account"].clone();
        assert!(self.knows(&account), "{line}");
        let partition = place.get("partition").cloned();
        if verb == "add" {
            let key = (account, name.to_owned(), partition.unwrap_or_default());
            let was = self.users.insert(key, place["fairshare"].clone());
            assert_eq!(was, None, "{line}");
            return;
        }
        let meant: Vec<_> = self
            .users
            .keys()
            .filter(|(in_account, user, of)| {
                *in_account == account
                    && user == name
                    && partition.as_ref().is_none_or(|partition| partition == of)
            })
            .cloned()
            .collect();
        assert_eq!(meant.len(), 1, "{line}");
        for key in meant {
            match verb {
                "delete" => {
                    self.users.remove(&key);
                }
                _ => {
                    if let Some(shares) = set.get("fairshare") {
                        self.users.insert(key, shares.clone());
                    } else {
                        assert_eq!(set["rawusage"], "0");
                    }
                }
            }
        }
    }

    fn knows(&self, account: &str) -> bool {
        account == "root" || self.accounts.contains_key(account)
    }
}
