//! The situations: trees, edits, and what is asked about them.

use fairscope::rules::policy::Policy;
use fairscope::rules::policy::Policy::{Classic, DepthOblivious, FairTree, LevelBased, Tickets};

/// Where the tree of a situation comes from.
#[derive(Clone, Copy)]
pub(super) enum Tree {
    /// Groups and entities of PBS, drawn.
    Pbs(&'static str),
    /// Accounts and users of Slurm, drawn.
    Slurm(&'static str),
    /// Banks and associations of Flux, drawn.
    Flux(&'static str),
    /// A file below the test data, or a built-in tree.
    File(&'static str),
}

/// A node in a tree under some policies, after some edits.
pub(super) struct Situation {
    pub(super) title: &'static str,
    pub(super) tree: Tree,
    pub(super) edits: Vec<&'static str>,
    pub(super) policies: Vec<Policy>,
    /// The path of the node; empty for the user in the middle.
    pub(super) node: &'static str,
}

/// The same shape for all schedulers: an overuser, a user without usage, an account without shares, and two that tie.
const GROUPS: &str = "
physics 60
  alice 1 | 900
  bob 3
  closed 0
    carl 1 | 50
chemistry 40
  dana 1 | 100
  erik 1 | 100
";

/// The same with accounts of Slurm or banks of Flux.
const ACCOUNTS: &str = "
physics/ 60
  alice 1 | 900
  bob 3
  closed/ 0
    carl 1 | 50
chemistry/ 40
  dana 1 | 100
  erik 1 | 100
";

/// Accounts and users with shares `parent`.
const PARENTS: &str = "
physics/ 60
  alice 1 | 900
  bob parent | 100
  guests/ parent
    carl 1 | 50
    dora 1
lone parent | 400
chemistry/ 40
  erik 1 | 100
";

/// A user on the seventh level, where the level above holds it back.
const DEEP: &str = "
a/ 2
  b/ 1
    c/ 1
      d/ 1
        e/ 1
          deep 1 | 10
          near 1 | 30
        f/ 1
          fred 1
z/ 1
  zoe 1 | 5
";

/// Levels whose shares overflow: to 0 in physics, to a remainder in chemistry.
const WRAPPED: &str = "
physics/ 1
  alice 2147483646 | 10
  bob 2147483646 | 20
  carl 4 | 5
chemistry/ 1
  dana 2147483646 | 10
  erik 2147483646
  fred 100 | 10
";

/// Nobody has used anything.
const UNUSED: &str = "
physics/ 60
  alice 1
  bob 3
chemistry/ 40
  dana 1
";

/// Nobody on a level has shares.
const SHARELESS: &str = "
physics/ 60
  alice 0 | 10
  bob 0
chemistry/ 40
  dana 1 | 30
";

/// Accounts that tie with usage of their own.
const TIED: &str = "
physics/ 1
  alice 1 | 30
  bob 1 | 70
chemistry/ 1
  dana 1 | 20
  erik 1 | 80
biology/ 1
  fred 1 | 900
";

/// An only user in an only account.
const ALONE: &str = "
physics/ 1
  alice 1 | 7
";

/// A share that has no decimal that is shown.
const TINY: &str = "
group 1
  a 1 | 1
  b 2147483646
";

/// Entities of PBS that used nothing.
const UNUSED_GROUPS: &str = "
group 1
  a 1
  b 2
";

/// Entities of PBS of whom none has shares.
const SHARELESS_GROUPS: &str = "
physics 60
  alice 0 | 10
  bob 0
chemistry 40
  dana 1 | 30
";

/// Usage of less than 1, which Flux drops when it adds.
const FRACTIONS: &str = "
bank/ 1
  x 1 | 0.7
  y 1 | 1.6
";

/// What is asked about the same tree under every policy: the title, and the node.
const SHAPE: &str = "
a user with more than its share        | physics/alice
a user without usage                   | physics/bob
a user below an account without shares | physics/closed/carl
two users that tie                     | chemistry/dana
an account                             | physics
an account without shares              | physics/closed
the root                               | /
";

/// What is asked about a tree of each scheduler.
const ASKED_OF_SHAPE: [(Tree, &str); 3] = [
    (Tree::Pbs(GROUPS), "pbs, pbs-walk, formula"),
    (Tree::Slurm(ACCOUNTS), "slurm, fair-tree-documented"),
    (Tree::Flux(ACCOUNTS), "flux"),
];

/// What some policies alone have: the title, the tree, the policies, the node, and the edits.
const SPECIAL: &str = "
a user without shares                                | pbs groups                                                | pbs, pbs-walk                                | physics/bob                            | shares physics/bob=0
a user without shares that may run                   | pbs groups                                                | pbs, pbs-walk                                | physics/bob                            | shares physics/bob=0; set fairshare_enforce_no_shares=false
a user without shares, fair share in prime time only | pbs groups                                                | pbs                                          | physics/bob                            | shares physics/bob=0; set fair_share=true prime
fair share is off                                    | pbs groups                                                | pbs, pbs-walk                                | physics/bob                            | set fair_share=false
the group of unknown users                           | pbs groups                                                | pbs                                          | unknown                                | set unknown_shares=10
the group of unknown users without shares            | pbs groups                                                | pbs                                          | unknown                                |
usage beyond PBS's numbers                           | pbs groups                                                | pbs, pbs-walk                                | physics/alice                          | usage physics/alice=1e300
a formula                                            | pbs groups                                                | formula                                      | physics/bob                            | set job_sort_formula=1000 * fairshare_factor + ncpus
a formula that divides by zero                       | pbs groups                                                | formula                                      | physics/bob                            | set job_sort_formula=1 / (fairshare_perc - fairshare_perc)
a formula with a resource of the job                 | pbs groups                                                | formula                                      | physics/bob                            | set job_sort_formula=ngpus * fairshare_factor
a formula and an account                             | pbs groups                                                | formula                                      | physics                                | set job_sort_formula=1000 * fairshare_factor
a share of almost nothing                            | pbs tiny                                                  | pbs                                          | group/a                                |
nobody has used anything                             | pbs unused-groups                                         | pbs, pbs-walk                                | group/a                                |
nobody in the group has shares                       | pbs shareless-groups                                      | pbs, pbs-walk                                | physics/alice                          |
accounts of Slurm under PBS's rule                   | slurm accounts                                            | pbs, pbs-walk                                | physics/bob                            |
shares `parent` under PBS's rule                     | slurm parents                                             | pbs, pbs-walk                                | physics/bob                            |
the files of a server                                | pbs/24-ties                                               | pbs, pbs-walk                                |                                        |
a user with shares `parent`                          | slurm parents                                             | slurm                                        | physics/bob                            |
an account with shares `parent`                      | slurm parents                                             | slurm                                        | physics/guests                         |
a member of an account with shares `parent`          | slurm parents                                             | slurm                                        | physics/guests/dora                    |
a user with shares `parent` below the root           | slurm parents                                             | slurm                                        | lone                                   |
a user far below                                     | slurm deep                                                | fair-tree, classic, level-based              | a/b/c/d/e/deep                         |
shares that overflow to 0                            | slurm wrapped                                             | slurm                                        | physics/bob                            |
shares that overflow to a remainder                  | slurm wrapped                                             | slurm                                        | chemistry/fred                         |
nobody has used anything                             | slurm unused                                              | slurm                                        | physics/bob                            |
nobody on the level has shares                       | slurm shareless                                           | slurm                                        | physics/alice                          |
a member of an account that ties                     | slurm tied                                                | fair-tree, fair-tree-documented              | physics/bob                            |
an account that ties                                 | slurm tied                                                | fair-tree, fair-tree-documented, level-based | chemistry                              |
the only user                                        | slurm alone                                               | slurm                                        | physics/alice                          |
a user without shares                                | slurm accounts                                            | slurm                                        | physics/bob                            | shares physics/bob=0
a user with usage and without shares                 | slurm accounts                                            | fair-tree, level-based                       | physics/alice                          | shares physics/alice=0
dampening                                            | slurm accounts                                            | classic, depth-oblivious                     | physics/alice                          | set FairShareDampeningFactor=5
one bucket of 64 bits                                | slurm accounts                                            | level-based                                  | physics/closed/carl                    | set PriorityLevels=1
buckets of an odd width                              | slurm accounts                                            | level-based                                  | physics/closed/carl                    | set PriorityLevels=3
more buckets than levels                             | slurm accounts                                            | level-based                                  | physics/closed/carl                    | set PriorityLevels=5
sixteen buckets                                      | slurm accounts                                            | level-based                                  | physics/closed/carl                    | set PriorityLevels=16
a user below the last bucket                         | slurm accounts                                            | level-based                                  | physics/closed/carl                    | set PriorityLevels=2
usage near the largest double                        | slurm accounts                                            | slurm                                        | physics/alice                          | usage physics/alice=1e308
tied accounts by lineage                             | slurm tied                                                | fair-tree                                    | physics/bob                            | set TieOrder=lineage
150 equal accounts                                   | example:equal150                                          | classic, level-based                         | acct149/user149                        |
the paper's tree of buckets                          | example:buckets                                           | level-based                                  | LifeSciences/Biology/DrBob/GradStudent |
a user far below                                     | flux deep                                                 | flux                                         | a/b/c/d/e/deep                         |
nobody has used anything                             | flux unused                                               | flux                                         | physics/bob                            |
nobody on the level has shares                       | flux shareless                                            | flux                                         | physics/alice                          |
a bank that ties                                     | flux tied                                                 | flux                                         | chemistry                              |
a member of a bank that ties                         | flux tied                                                 | flux                                         | physics/bob                            |
the only user                                        | flux alone                                                | flux                                         | physics/alice                          |
usage with fractions                                 | flux fractions                                            | flux                                         | bank/x                                 |
shares `parent` under Flux's rule                    | flux parents                                              | flux                                         | physics/bob                            |
an inactive user                                     | flux/21_inactive/input.db                                 | flux                                         | A/a2                                   | set inactive=show
a member of a bank with inactive users               | flux/21_inactive/input.db                                 | flux                                         | A/a3                                   |
a database with its write-ahead log                  | flux/45_wal_after_update_fshare/input.db                  | flux                                         |                                        |
a dump that agrees                                   | slurm/gold                                                | fair-tree, classic                           |                                        |
a dump with shares `parent`                          | slurm/captures/05-fairshare-parent/22.05                  | fair-tree, classic                           |                                        |
a dump with dampening                                | slurm/captures/09-classic-damp5/26.05                     | fair-tree, classic                           |                                        |
a dump that is older than its shares                 | slurm/captures/17-stale-after-change/26.05/1-just-changed | fair-tree, classic                           |                                        |
a dump whose order is undecided                      | slurm/undecided                                           | fair-tree, classic                           |                                        |
a dump of some associations                          | slurm/partitions                                          | fair-tree, classic                           |                                        |
";

/// Returns the cells of a table, row by row.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let rows = table.lines().filter(|row| !row.is_empty());
    rows.map(|row| row.split('|').map(str::trim).collect())
}

/// Returns the tree of a cell: a scheduler and the name of a drawing, or a source.
fn tree(cell: &'static str) -> Tree {
    match cell {
        "pbs groups" => Tree::Pbs(GROUPS),
        "pbs tiny" => Tree::Pbs(TINY),
        "pbs unused-groups" => Tree::Pbs(UNUSED_GROUPS),
        "pbs shareless-groups" => Tree::Pbs(SHARELESS_GROUPS),
        "slurm accounts" => Tree::Slurm(ACCOUNTS),
        "slurm parents" => Tree::Slurm(PARENTS),
        "slurm deep" => Tree::Slurm(DEEP),
        "slurm wrapped" => Tree::Slurm(WRAPPED),
        "slurm unused" => Tree::Slurm(UNUSED),
        "slurm shareless" => Tree::Slurm(SHARELESS),
        "slurm tied" => Tree::Slurm(TIED),
        "slurm alone" => Tree::Slurm(ALONE),
        "flux deep" => Tree::Flux(DEEP),
        "flux unused" => Tree::Flux(UNUSED),
        "flux shareless" => Tree::Flux(SHARELESS),
        "flux tied" => Tree::Flux(TIED),
        "flux alone" => Tree::Flux(ALONE),
        "flux fractions" => Tree::Flux(FRACTIONS),
        "flux parents" => Tree::Flux(PARENTS),
        source => Tree::File(source),
    }
}

/// Returns the policies of a cell; `slurm` is all of Slurm's but Fair Tree as documented.
fn policies(cell: &str) -> Vec<Policy> {
    let mut policies = Vec::new();
    for name in cell.split(", ") {
        if name == "slurm" {
            policies.extend([FairTree, Classic, DepthOblivious, Tickets, LevelBased]);
        } else {
            let known = Policy::ALL.iter().find(|policy| policy.name() == name);
            policies.push(*known.unwrap_or_else(|| panic!("no policy is {name}")));
        }
    }
    policies
}

/// Returns all situations.
pub(super) fn all() -> Vec<Situation> {
    let mut all = Vec::new();
    for row in rows(SHAPE) {
        for (tree, names) in ASKED_OF_SHAPE {
            all.push(Situation {
                title: row[0],
                tree,
                edits: Vec::new(),
                policies: policies(names),
                node: row[1],
            });
        }
    }
    for row in rows(SPECIAL) {
        let edits = row.get(4).copied().unwrap_or_default().split("; ");
        all.push(Situation {
            title: row[0],
            tree: tree(row[1]),
            edits: edits.filter(|edit| !edit.is_empty()).collect(),
            policies: policies(row[2]),
            node: row[3],
        });
    }
    all
}
