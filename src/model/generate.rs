//! Random trees for demonstrations and benchmarks: the same seed gives the same tree on every machine.
//!
//! Only integers and exact divisions are used: no function whose last bit depends on the C library.

use crate::base::table::table;
use crate::model::{
    Format, Kind, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot, Source,
    TreeBuilder,
};

table! {
    /// The shape of a generated tree.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Shape {
        Balanced, "balanced", "Accounts of equal size";
        Skewed, "skewed", "A few large accounts and many small ones";
        Flat, "flat", "All users below the root";
        Chain, "chain", "Every account holds one other";
    }
}

/// How many children an account of a balanced tree has.
const FAMILY: usize = 100;

/// How many users an account of a skewed tree has on average.
const USERS_PER_ACCOUNT: usize = 50;

/// How many bytes of memory a user takes, together with the file that is written: the least of all shapes and formats,
/// from 500,000 to 2,000,000 users by `/usr/bin/time -f %M fairscope generate`.
pub(crate) const BYTES_PER_USER: usize = 118;

/// Generates a PBS tree with so many users, or nodes of a chain. Names are unique, so that every format can hold it.
pub fn generate(users: usize, shape: Shape, seed: u64) -> Snapshot {
    let mut growth = Growth {
        builder: TreeBuilder::new(b"TREEROOT"),
        random: Random(seed),
        groups: 10,
        name: String::new(),
    };
    let nodes = users + users / USERS_PER_ACCOUNT + 2;
    growth.builder.reserve(nodes);
    growth.builder.set_shares(NodeId::ROOT, Shares::new(-1));
    let leaves = match shape {
        Shape::Balanced => growth.balanced(users),
        Shape::Skewed => growth.skewed(users),
        Shape::Flat => growth.users(users, |_| NodeId::ROOT),
        Shape::Chain => growth.chain(users),
    };
    let unknown = growth.push(NodeId::ROOT, "unknown", None, 0);
    growth.builder.set_group(unknown, 1);
    for leaf in leaves {
        if let Some(amount) = growth.usage() {
            growth.builder.record(leaf, amount, true);
        }
    }
    growth.builder.follow_pbs(unknown);
    let settings = Settings {
        scheduler: Some(Scheduler::Pbs),
        ..Settings::default()
    };
    let source = Source {
        format: Format::Pbs,
        title: "generated".into(),
        usage_unit: "cput".to_owned(),
        ..Source::default()
    };
    let tree = growth.builder.build();
    Snapshot::new(tree, settings, source, Recorded::default())
}

/// A tree while it grows.
struct Growth {
    builder: TreeBuilder,
    random: Random,
    /// The last group number used.
    groups: i32,
    /// Space for the name of the next node.
    name: String,
}

impl Growth {
    /// Adds a node with this name, and behind it a number if there is one.
    fn push(&mut self, parent: NodeId, name: &str, number: Option<usize>, shares: u32) -> NodeId {
        self.name.clear();
        self.name.push_str(name);
        if let Some(number) = number {
            self.name.push_str(&number.to_string());
        }
        let name = self.builder.intern(self.name.as_bytes());
        let node = self.builder.push(parent, name, Kind::User, Position::Last);
        self.builder
            .set_shares(node, Shares::new(i64::from(shares)));
        self.groups += 1;
        self.builder.set_group(node, self.groups);
        node
    }

    /// Adds an account or user with shares of its own.
    fn push_numbered(&mut self, parent: NodeId, name: &str, number: usize) -> NodeId {
        let shares = self.shares();
        self.push(parent, name, Some(number), shares)
    }

    /// Adds users, each below the account that `home` returns for its number.
    fn users(&mut self, count: usize, home: impl Fn(usize) -> NodeId) -> Vec<NodeId> {
        let mut users = Vec::with_capacity(count);
        for number in 1..=count {
            let user = self.push_numbered(home(number), "user", number);
            users.push(user);
        }
        users
    }

    /// Builds accounts of about a hundred users each, accounts of about a hundred such accounts, and so on.
    fn balanced(&mut self, users: usize) -> Vec<NodeId> {
        let mut sizes = Vec::new();
        let mut size = users.div_ceil(FAMILY);
        while size > 1 {
            sizes.push(size);
            size = size.div_ceil(FAMILY);
        }
        let mut above = vec![NodeId::ROOT];
        let mut accounts = 0;
        for size in sizes.into_iter().rev() {
            let mut level = Vec::with_capacity(size);
            for place in 0..size {
                accounts += 1;
                let parent = above[place * above.len() / size];
                let account = self.push_numbered(parent, "account", accounts);
                level.push(account);
            }
            above = level;
        }
        self.users(users, |number| above[(number - 1) * above.len() / users])
    }

    /// Builds a tree by preferential attachment: an account attracts new members in proportion to its present ones.
    fn skewed(&mut self, users: usize) -> Vec<NodeId> {
        let count = users.div_ceil(USERS_PER_ACCOUNT).max(1);
        let mut accounts = vec![NodeId::ROOT];
        // One ticket for the account itself and one for every account below it.
        let mut tickets = vec![NodeId::ROOT];
        for number in 1..=count {
            let parent = tickets[self.random.below(tickets.len())];
            let account = self.push_numbered(parent, "account", number);
            accounts.push(account);
            tickets.extend([parent, account]);
        }
        let mut homes = Vec::with_capacity(users);
        for number in 0..users {
            // Every account gets one member. The others join the account of an existing member.
            let home = match accounts.get(number + 1) {
                Some(&account) => account,
                None => homes[self.random.below(homes.len())],
            };
            homes.push(home);
        }
        self.users(users, |number| homes[number - 1])
    }

    /// Builds accounts each of which holds one other, and a user in the last one.
    fn chain(&mut self, nodes: usize) -> Vec<NodeId> {
        let mut parent = NodeId::ROOT;
        for number in 1..=nodes {
            let name = if number == nodes { "user" } else { "account" };
            parent = self.push_numbered(parent, name, number);
        }
        if nodes > 0 { vec![parent] } else { Vec::new() }
    }

    /// Returns mostly round and small shares, occasionally large ones.
    fn shares(&mut self) -> u32 {
        const USUAL: &[u32] = &[1, 1, 5, 10, 10, 20, 50, 100];
        USUAL[self.random.below(USUAL.len())]
    }

    /// Returns seconds over many orders of magnitude, whole for half of the users, or `None` for one in eight.
    fn usage(&mut self) -> Option<f64> {
        if self.random.below(8) == 0 {
            return None;
        }
        // The sum of three random numbers is mostly near the middle, as a logarithm of usage is.
        let mut magnitude = 4;
        for _ in 0..3 {
            magnitude += self.random.below(9);
        }
        let whole = 2 + self.random.next() % (1 << magnitude);
        if self.random.below(2) == 0 {
            return Some(whole as f64);
        }
        let quarters = self.random.next() % 4;
        Some(whole as f64 + quarters as f64 / 4.0)
    }
}

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next random number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`. Its slight preference for small numbers does not matter here.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let scaled = (u128::from(self.next()) * limit as u128) >> 64;
        usize::try_from(scaled).unwrap_or(0)
    }
}
