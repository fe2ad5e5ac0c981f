//! A strict stand-in for `sacctmgr`: reads commands as a shell would, and applies them. It refuses what slurmdbd
//! refuses (`accounting_storage_mysql.c`, `as_mysql_assoc.c` and `as_mysql_user.c` of 22.05.8 and 24.11.5).

use fairscope::model::{Kind, NodeId, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// How deletion treats default associations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Up to 22.05: a default cannot be deleted after an association that is not a default.
    #[default]
    Earlier,
    /// Later: a default can only be deleted together with all associations of its user.
    Later,
}

/// An association: account, user, partition.
pub(crate) type Key = (String, String, String);

/// The accounting database's records of one cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Database {
    /// Parent and shares by account.
    pub(crate) accounts: BTreeMap<String, (String, String)>,
    /// Shares by account, user and partition.
    pub(crate) users: BTreeMap<Key, String>,
    /// The default association of each user.
    pub(crate) defaults: BTreeSet<Key>,
    pub(crate) guard: Guard,
}

impl Database {
    /// The records of a tree; `is_default` selects each user's default association.
    pub(crate) fn of(tree: &Tree, is_default: impl Fn(NodeId) -> bool) -> Self {
        let text = |name: &[u8]| String::from_utf8(name.to_vec()).expect("UTF-8");
        let mut database = Self::default();
        for &node in tree.nodes().iter().skip(1) {
            let parent = text(tree.name(tree.parent(node).expect("not the root")));
            let (name, shares) = (text(tree.name(node)), tree.shares(node).to_string());
            if tree.kind(node) == Kind::Account {
                database.accounts.insert(name, (parent, shares));
                continue;
            }
            let partition = tree.partition(node).map(text).unwrap_or_default();
            let key = (parent, name, partition);
            if is_default(node) {
                database.defaults.insert(key.clone());
            }
            database.users.insert(key, shares);
        }
        database
    }
}

/// The words of a line, split as a POSIX shell does.
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
    /// If `sacctmgr` would refuse the command, or if it changes nothing.
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
        if let Some(new) = set.get("newname") {
            assert!(
                !place.contains_key("cluster"),
                "a name is not of a cluster: {line}"
            );
            self.rename(&place["name"], new, line);
            return;
        }
        assert_eq!(place["cluster"], "gold", "{line}");
        if let Some(account) = set.get("defaultaccount") {
            for name in place["name"].split(',') {
                self.make_default(name, account, line);
            }
            return;
        }
        if (*verb, *kind) == ("delete", "user") {
            self.delete_users(&place, line);
            return;
        }
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
            if !self.defaults.iter().any(|(_, user, _)| user == name) {
                self.defaults.insert(key.clone());
            }
            let was = self.users.insert(key, place["fairshare"].clone());
            assert_eq!(was, None, "{line}");
            return;
        }
        let meant = self.meant(name, &account, partition.as_deref());
        assert_eq!(meant.len(), 1, "{line}");
        for key in meant {
            if let Some(shares) = set.get("fairshare") {
                self.users.insert(key, shares.clone());
            } else {
                assert_eq!(set["rawusage"], "0");
            }
        }
    }

    /// The associations that a condition selects; without a partition, those of all partitions.
    fn meant(&self, name: &str, account: &str, partition: Option<&str>) -> Vec<Key> {
        let is_meant = |(in_account, user, of): &&Key| {
            in_account == account
                && user == name
                && partition.is_none_or(|partition| partition == of)
        };
        self.users.keys().filter(is_meant).cloned().collect()
    }

    fn delete_users(&mut self, place: &BTreeMap<String, String>, line: &str) {
        let partition = place.get("partition").map(String::as_str);
        let names = place["name"].split(',');
        let meant: Vec<Key> = names
            .flat_map(|name| {
                let meant = self.meant(name, &place["account"], partition);
                assert!(!meant.is_empty(), "{line}");
                meant
            })
            .collect();
        let is_default = |key: &Key| self.defaults.contains(key);
        match self.guard {
            Guard::Earlier => {
                let mut rows: Vec<_> = meant.iter().map(|key| (&key.1, is_default(key))).collect();
                rows.sort();
                let first = rows.iter().position(|(_, is_default)| !is_default);
                let is_refused = first
                    .is_some_and(|first| rows[first..].iter().any(|&(_, is_default)| is_default));
                assert!(
                    !is_refused,
                    "you can not remove the default account of a user: {line}"
                );
            }
            Guard::Later => {
                for key in meant.iter().filter(|key| is_default(key)) {
                    let of_user = |(_, user, _): &&Key| *user == key.1;
                    let (some, all) = (
                        meant.iter().filter(of_user),
                        self.users.keys().filter(of_user),
                    );
                    assert_eq!(
                        some.count(),
                        all.count(),
                        "you can not remove the default account of a user: {line}"
                    );
                }
            }
        }
        for key in meant {
            self.users.remove(&key);
            self.defaults.remove(&key);
        }
    }

    fn make_default(&mut self, name: &str, account: &str, line: &str) {
        let meant = self.meant(name, account, None);
        assert!(!meant.is_empty(), "{line}");
        self.defaults.retain(|(_, user, _)| user != name);
        self.defaults.extend(meant);
    }

    fn rename(&mut self, old: &str, new: &str, line: &str) {
        let is_taken = self.users.keys().any(|(_, user, _)| user == new);
        assert!(!is_taken, "{line}");
        let rename = |(account, user, partition): Key| {
            let user = if user == old { new.to_owned() } else { user };
            (account, user, partition)
        };
        let users = std::mem::take(&mut self.users);
        let defaults = std::mem::take(&mut self.defaults);
        assert!(users.keys().any(|(_, user, _)| user == old), "{line}");
        self.users = users
            .into_iter()
            .map(|(key, shares)| (rename(key), shares))
            .collect();
        self.defaults = defaults.into_iter().map(rename).collect();
    }

    /// The default account of every user.
    pub(crate) fn default_accounts(&self) -> BTreeMap<String, String> {
        let defaults = self.defaults.iter();
        defaults
            .map(|(account, user, _)| (user.clone(), account.clone()))
            .collect()
    }

    fn knows(&self, account: &str) -> bool {
        account == "root" || self.accounts.contains_key(account)
    }
}
