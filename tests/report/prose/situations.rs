//! The situations: trees, edits, and what is asked about them.

use fairscope::rules::policy::Policy;
use fairscope::rules::policy::Policy::{
    Classic, DepthOblivious, FairTree, FairTreeDocumented, Flux, Formula, LevelBased, Pbs, PbsWalk,
    Tickets,
};

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
    pub(super) edits: &'static [&'static str],
    pub(super) policies: &'static [Policy],
    /// The path of the node; empty for the user in the middle.
    pub(super) node: &'static str,
}

const fn asked(
    title: &'static str,
    tree: Tree,
    edits: &'static [&'static str],
    policies: &'static [Policy],
    node: &'static str,
) -> Situation {
    Situation {
        title,
        tree,
        edits,
        policies,
        node,
    }
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

/// All situations.
pub(super) const ALL: [&[Situation]; 5] = [SHAPE, PBS, SLURM, FLUX, RECORDED];

/// What is asked about the same tree under every policy.
const SHAPE: &[Situation] = &[
    asked(
        "a user with more than its share",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs, PbsWalk, Formula],
        "physics/alice",
    ),
    asked(
        "a user with more than its share",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[
            FairTree,
            FairTreeDocumented,
            Classic,
            DepthOblivious,
            Tickets,
            LevelBased,
        ],
        "physics/alice",
    ),
    asked(
        "a user with more than its share",
        Tree::Flux(ACCOUNTS),
        &[],
        &[Flux],
        "physics/alice",
    ),
    asked(
        "a user without usage",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs, PbsWalk, Formula],
        "physics/bob",
    ),
    asked(
        "a user without usage",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[
            FairTree,
            FairTreeDocumented,
            Classic,
            DepthOblivious,
            Tickets,
            LevelBased,
        ],
        "physics/bob",
    ),
    asked(
        "a user without usage",
        Tree::Flux(ACCOUNTS),
        &[],
        &[Flux],
        "physics/bob",
    ),
    asked(
        "a user below an account without shares",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs, PbsWalk, Formula],
        "physics/closed/carl",
    ),
    asked(
        "a user below an account without shares",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[
            FairTree,
            FairTreeDocumented,
            Classic,
            DepthOblivious,
            Tickets,
            LevelBased,
        ],
        "physics/closed/carl",
    ),
    asked(
        "a user below an account without shares",
        Tree::Flux(ACCOUNTS),
        &[],
        &[Flux],
        "physics/closed/carl",
    ),
    asked(
        "two users that tie",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs, PbsWalk, Formula],
        "chemistry/dana",
    ),
    asked(
        "two users that tie",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[
            FairTree,
            FairTreeDocumented,
            Classic,
            DepthOblivious,
            Tickets,
            LevelBased,
        ],
        "chemistry/dana",
    ),
    asked(
        "two users that tie",
        Tree::Flux(ACCOUNTS),
        &[],
        &[Flux],
        "chemistry/dana",
    ),
    asked(
        "an account",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs, PbsWalk, Formula],
        "physics",
    ),
    asked(
        "an account",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[
            FairTree,
            FairTreeDocumented,
            Classic,
            DepthOblivious,
            Tickets,
            LevelBased,
        ],
        "physics",
    ),
    asked("an account", Tree::Flux(ACCOUNTS), &[], &[Flux], "physics"),
    asked(
        "an account without shares",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs, PbsWalk, Formula],
        "physics/closed",
    ),
    asked(
        "an account without shares",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[
            FairTree,
            FairTreeDocumented,
            Classic,
            DepthOblivious,
            Tickets,
            LevelBased,
        ],
        "physics/closed",
    ),
    asked(
        "an account without shares",
        Tree::Flux(ACCOUNTS),
        &[],
        &[Flux],
        "physics/closed",
    ),
    asked(
        "the root",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs, PbsWalk, Formula],
        "/",
    ),
    asked(
        "the root",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[
            FairTree,
            FairTreeDocumented,
            Classic,
            DepthOblivious,
            Tickets,
            LevelBased,
        ],
        "/",
    ),
    asked("the root", Tree::Flux(ACCOUNTS), &[], &[Flux], "/"),
];

/// What only PBS has.
const PBS: &[Situation] = &[
    asked(
        "a user without shares",
        Tree::Pbs(GROUPS),
        &["shares physics/bob=0"],
        &[Pbs, PbsWalk],
        "physics/bob",
    ),
    asked(
        "a user without shares that may run",
        Tree::Pbs(GROUPS),
        &[
            "shares physics/bob=0",
            "set fairshare_enforce_no_shares=false",
        ],
        &[Pbs, PbsWalk],
        "physics/bob",
    ),
    asked(
        "a user without shares, fair share in prime time only",
        Tree::Pbs(GROUPS),
        &["shares physics/bob=0", "set fair_share=true prime"],
        &[Pbs],
        "physics/bob",
    ),
    asked(
        "fair share is off",
        Tree::Pbs(GROUPS),
        &["set fair_share=false"],
        &[Pbs, PbsWalk],
        "physics/bob",
    ),
    asked(
        "the group of unknown users",
        Tree::Pbs(GROUPS),
        &["set unknown_shares=10"],
        &[Pbs],
        "unknown",
    ),
    asked(
        "the group of unknown users without shares",
        Tree::Pbs(GROUPS),
        &[],
        &[Pbs],
        "unknown",
    ),
    asked(
        "usage beyond PBS's numbers",
        Tree::Pbs(GROUPS),
        &["usage physics/alice=1e300"],
        &[Pbs, PbsWalk],
        "physics/alice",
    ),
    asked(
        "a formula",
        Tree::Pbs(GROUPS),
        &["set job_sort_formula=1000 * fairshare_factor + ncpus"],
        &[Formula],
        "physics/bob",
    ),
    asked(
        "a formula that divides by zero",
        Tree::Pbs(GROUPS),
        &["set job_sort_formula=1 / (fairshare_perc - fairshare_perc)"],
        &[Formula],
        "physics/bob",
    ),
    asked(
        "a formula with a resource of the job",
        Tree::Pbs(GROUPS),
        &["set job_sort_formula=ngpus * fairshare_factor"],
        &[Formula],
        "physics/bob",
    ),
    asked(
        "a formula and an account",
        Tree::Pbs(GROUPS),
        &["set job_sort_formula=1000 * fairshare_factor"],
        &[Formula],
        "physics",
    ),
    asked(
        "a share of almost nothing",
        Tree::Pbs(TINY),
        &[],
        &[Pbs],
        "group/a",
    ),
    asked(
        "nobody has used anything",
        Tree::Pbs(UNUSED_GROUPS),
        &[],
        &[Pbs, PbsWalk],
        "group/a",
    ),
    asked(
        "nobody in the group has shares",
        Tree::Pbs(SHARELESS_GROUPS),
        &[],
        &[Pbs, PbsWalk],
        "physics/alice",
    ),
    asked(
        "accounts of Slurm under PBS's rule",
        Tree::Slurm(ACCOUNTS),
        &[],
        &[Pbs, PbsWalk],
        "physics/bob",
    ),
    asked(
        "shares `parent` under PBS's rule",
        Tree::Slurm(PARENTS),
        &[],
        &[Pbs, PbsWalk],
        "physics/bob",
    ),
    asked(
        "the files of a server",
        Tree::File("pbs/24-ties"),
        &[],
        &[Pbs, PbsWalk],
        "",
    ),
];

/// What only Slurm's policies have.
const SLURM: &[Situation] = &[
    asked(
        "a user with shares `parent`",
        Tree::Slurm(PARENTS),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/bob",
    ),
    asked(
        "an account with shares `parent`",
        Tree::Slurm(PARENTS),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/guests",
    ),
    asked(
        "a member of an account with shares `parent`",
        Tree::Slurm(PARENTS),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/guests/dora",
    ),
    asked(
        "a user with shares `parent` below the root",
        Tree::Slurm(PARENTS),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "lone",
    ),
    asked(
        "a user far below",
        Tree::Slurm(DEEP),
        &[],
        &[FairTree, Classic, LevelBased],
        "a/b/c/d/e/deep",
    ),
    asked(
        "shares that overflow to 0",
        Tree::Slurm(WRAPPED),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/bob",
    ),
    asked(
        "shares that overflow to a remainder",
        Tree::Slurm(WRAPPED),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "chemistry/fred",
    ),
    asked(
        "nobody has used anything",
        Tree::Slurm(UNUSED),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/bob",
    ),
    asked(
        "nobody on the level has shares",
        Tree::Slurm(SHARELESS),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/alice",
    ),
    asked(
        "a member of an account that ties",
        Tree::Slurm(TIED),
        &[],
        &[FairTree, FairTreeDocumented],
        "physics/bob",
    ),
    asked(
        "an account that ties",
        Tree::Slurm(TIED),
        &[],
        &[FairTree, FairTreeDocumented, LevelBased],
        "chemistry",
    ),
    asked(
        "the only user",
        Tree::Slurm(ALONE),
        &[],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/alice",
    ),
    asked(
        "a user without shares",
        Tree::Slurm(ACCOUNTS),
        &["shares physics/bob=0"],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/bob",
    ),
    asked(
        "a user with usage and without shares",
        Tree::Slurm(ACCOUNTS),
        &["shares physics/alice=0"],
        &[FairTree, LevelBased],
        "physics/alice",
    ),
    asked(
        "dampening",
        Tree::Slurm(ACCOUNTS),
        &["set FairShareDampeningFactor=5"],
        &[Classic, DepthOblivious],
        "physics/alice",
    ),
    asked(
        "one bucket of 64 bits",
        Tree::Slurm(ACCOUNTS),
        &["set PriorityLevels=1"],
        &[LevelBased],
        "physics/closed/carl",
    ),
    asked(
        "buckets of an odd width",
        Tree::Slurm(ACCOUNTS),
        &["set PriorityLevels=3"],
        &[LevelBased],
        "physics/closed/carl",
    ),
    asked(
        "more buckets than levels",
        Tree::Slurm(ACCOUNTS),
        &["set PriorityLevels=5"],
        &[LevelBased],
        "physics/closed/carl",
    ),
    asked(
        "sixteen buckets",
        Tree::Slurm(ACCOUNTS),
        &["set PriorityLevels=16"],
        &[LevelBased],
        "physics/closed/carl",
    ),
    asked(
        "a user below the last bucket",
        Tree::Slurm(ACCOUNTS),
        &["set PriorityLevels=2"],
        &[LevelBased],
        "physics/closed/carl",
    ),
    asked(
        "usage near the largest double",
        Tree::Slurm(ACCOUNTS),
        &["usage physics/alice=1e308"],
        &[FairTree, Classic, DepthOblivious, Tickets, LevelBased],
        "physics/alice",
    ),
    asked(
        "tied accounts by lineage",
        Tree::Slurm(TIED),
        &["set TieOrder=lineage"],
        &[FairTree],
        "physics/bob",
    ),
    asked(
        "150 equal accounts",
        Tree::File("example:equal150"),
        &[],
        &[Classic, LevelBased],
        "acct149/user149",
    ),
    asked(
        "the paper's tree of buckets",
        Tree::File("example:buckets"),
        &[],
        &[LevelBased],
        "LifeSciences/Biology/DrBob/GradStudent",
    ),
];

/// What only Flux has.
const FLUX: &[Situation] = &[
    asked(
        "a user far below",
        Tree::Flux(DEEP),
        &[],
        &[Flux],
        "a/b/c/d/e/deep",
    ),
    asked(
        "nobody has used anything",
        Tree::Flux(UNUSED),
        &[],
        &[Flux],
        "physics/bob",
    ),
    asked(
        "nobody on the level has shares",
        Tree::Flux(SHARELESS),
        &[],
        &[Flux],
        "physics/alice",
    ),
    asked(
        "a bank that ties",
        Tree::Flux(TIED),
        &[],
        &[Flux],
        "chemistry",
    ),
    asked(
        "a member of a bank that ties",
        Tree::Flux(TIED),
        &[],
        &[Flux],
        "physics/bob",
    ),
    asked(
        "the only user",
        Tree::Flux(ALONE),
        &[],
        &[Flux],
        "physics/alice",
    ),
    asked(
        "usage with fractions",
        Tree::Flux(FRACTIONS),
        &[],
        &[Flux],
        "bank/x",
    ),
    asked(
        "shares `parent` under Flux's rule",
        Tree::Flux(PARENTS),
        &[],
        &[Flux],
        "physics/bob",
    ),
    asked(
        "an inactive user",
        Tree::File("flux/21_inactive/input.db"),
        &["set inactive=show"],
        &[Flux],
        "A/a2",
    ),
    asked(
        "a member of a bank with inactive users",
        Tree::File("flux/21_inactive/input.db"),
        &[],
        &[Flux],
        "A/a3",
    ),
    asked(
        "a database with its write-ahead log",
        Tree::File("flux/45_wal_after_update_fshare/input.db"),
        &[],
        &[Flux],
        "",
    ),
];

/// Sources with numbers that a scheduler printed.
const RECORDED: &[Situation] = &[
    asked(
        "a dump that agrees",
        Tree::File("slurm/gold"),
        &[],
        &[FairTree, Classic],
        "",
    ),
    asked(
        "a dump with shares `parent`",
        Tree::File("slurm/captures/05-fairshare-parent/22.05"),
        &[],
        &[FairTree, Classic],
        "",
    ),
    asked(
        "a dump with dampening",
        Tree::File("slurm/captures/09-classic-damp5/26.05"),
        &[],
        &[FairTree, Classic],
        "",
    ),
    asked(
        "a dump that is older than its shares",
        Tree::File("slurm/captures/17-stale-after-change/26.05/1-just-changed"),
        &[],
        &[FairTree, Classic],
        "",
    ),
    asked(
        "a dump whose order is undecided",
        Tree::File("slurm/undecided"),
        &[],
        &[FairTree, Classic],
        "",
    ),
    asked(
        "a dump of some associations",
        Tree::File("slurm/partitions"),
        &[],
        &[FairTree, Classic],
        "",
    ),
];
