//! The commands of `fairscope`, with the examples of every help text.

use super::{compare, edits, files, look, me, metrics, open, plan, queue, script, simulate, solve};
use clap::{Parser, Subcommand};
use clap_complete::Shell;

/// Explores fairshare trees: who runs next, why, and what would change.
#[derive(Debug, Parser)]
#[command(
    name = "fairscope",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "\
Without a command it opens the explorer, on the built-in example if there is no SOURCE.
Where standard output is not a terminal, it prints what `fairscope show` prints.

Examples:
  fairscope                                    the built-in example
  fairscope /var/spool/pbs/sched_priv          the tree of a PBS scheduler
  fairscope sshare.txt                         the output of sshare -a -l -P
  fairscope sshare.json --config scontrol.txt  with scontrol show config
  fairscope gold.cfg sshare.txt                sacctmgr dump and sshare
  fairscope FluxAccounting.db                  a flux-accounting database
  fairscope --live slurm --watch 60            Slurm itself, read every minute
  fairscope gold.cfg --desired shares.csv      with shares as they should be
  fairscope --record demo.txt sched_priv       the keys, to be played again
  fairscope --replay demo.txt --speed 2        the recording, twice as fast
  fairscope show sched_priv | less             the tree as text
  fairscope explain sched_priv group2/suzy     why suzy has that rank
  fairscope whatif sched_priv --edit 'shares group2/suzy=80'"
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to open where no command is given.
    #[command(flatten)]
    pub opening: open::ExplorerArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the tree with its numbers
    #[command(after_help = "\
Examples:
  fairscope show sched_priv
  fairscope show sched_priv --format-out json | jq '.nodes[].path'
  fairscope show sched_priv --columns path,shares,factor --sort -factor
  fairscope show sched_priv --node group2 --depth 1
  fairscope show resource_group --usage usage.bak --set unknown_shares=10
  fairscope show sshare.json --columns path,rank,factor,FairShare
  fairscope show sshare.json --jobs sacct.txt --at 2026-11-01
  sshare -a -m -l -P | fairscope show -
  flux account view-bank root -t -P | fairscope show -")]
    Show(look::ShowArgs),
    /// Print the users by rank
    #[command(after_help = "\
Examples:
  fairscope rank sched_priv
  fairscope rank sched_priv --format-out json
  fairscope rank --live slurm --cluster gold
  fairscope rank FluxAccounting.db --set inactive=show
  fairscope rank sched_priv --columns rank,path,factor | head -11")]
    Rank(look::RankArgs),
    /// Explain the rank of a node, or where the paths of two nodes diverge
    #[command(
        after_help = "\
Examples:
  fairscope explain sched_priv group2/suzy
  fairscope explain sched_priv suzy bob
  fairscope explain sched_priv suzy --format-out json
  fairscope explain sshare.txt bob --with assoc_mgr.txt
  fairscope explain FluxAccounting.db bank/bob
  fairscope explain FluxAccounting.db bank/bob --jobs jobs.csv
  fairscope explain --live slurm physics/alice",
        override_usage = "\
fairscope explain [OPTIONS] SOURCE NODE [NODE]
       fairscope explain [OPTIONS] --live SCHEDULER NODE [NODE]"
    )]
    Explain(look::ExplainArgs),
    /// Print the page of a user: place, accounts, recovery, and what would help
    #[command(
        after_help = "\
Examples:
  fairscope me sched_priv suzy
  sshare -U -l -P | fairscope me -
  fairscope me FluxAccounting.db bob --format-out markdown
  fairscope me sshare.json alice --format-out json | jq .associations
  fairscope me --live slurm --all --out /srv/fairshare --format-out html",
        override_usage = "\
fairscope me [OPTIONS] SOURCE [NAME]
       fairscope me [OPTIONS] --live SCHEDULER [NAME]"
    )]
    Me(me::MeArgs),
    /// Print the rank of each user under each policy, and how far the policies agree
    #[command(after_help = "\
Examples:
  fairscope policies sched_priv
  fairscope policies sched_priv --node group2 --limit 10
  fairscope policies sshare.json --set FairShareDampeningFactor=5
  fairscope policies FluxAccounting.db
  fairscope policies sched_priv --format-out json | jq .tau")]
    Policies(look::PoliciesArgs),
    /// Print what edits would change: ranks before and after, winners and losers
    #[command(after_help = "\
Edits:
  shares group1/bob=20    usage group1/bob+=3600    set unknown_shares=10
  add group1/zoe shares=5    remove group1/bob
  move group1/bob to group2    rename group1/bob to robert
  charge group1/bob nodes=4 time=2:00:00    what jobs cost; PBS: cput=64
  scale group1 to 100    split group1    trade group1/bob=40

Examples:
  fairscope whatif sched_priv --edit 'shares group2/suzy=80'
  fairscope whatif sched_priv --edit 'add group1/zoe shares=5'
  fairscope whatif sshare.json --edit 'usage physics/alice*=0.5'
  fairscope whatif FluxAccounting.db --edit 'shares bank=100'
  fairscope whatif sched_priv --edit 'trade group1/bob=80'
  fairscope whatif november.toml --name 'more for physics'
  fairscope whatif sched_priv --edits new-shares.csv --format-out csv
  fairscope whatif gold.cfg --desired shares.csv --format-out markdown
  fairscope whatif gold.cfg --desired labs.csv --add-below / --limit 10
  fairscope whatif sched_priv --edits new-shares.csv --fail-if 'diluted > 1%'")]
    Whatif(edits::WhatifArgs),
    /// Print the differences between two trees, and the cause of each change of rank
    #[command(
        after_help = "\
Both are ranked by one rule: --policy, else that of NEW. The changes are made one after
the other, and each change of rank is attributed to one of them: structure, shares,
settings, the user's own usage, the rest of its account's, all other usage.

Examples:
  fairscope diff monday.toml friday.toml
  fairscope diff old/sched_priv sched_priv --node group2
  fairscope diff gold-november gold-december --limit 10
  fairscope diff old.cfg new.cfg --exit-code
  fairscope diff gold-november --live slurm --format-out json | jq .moves",
        override_usage = "\
fairscope diff [OPTIONS] OLD NEW
       fairscope diff [OPTIONS] --live SCHEDULER OLD"
    )]
    Diff(compare::DiffArgs),
    /// Print the history of a tree through a series of dumps
    #[command(after_help = "\
The date of a dump is taken from its name, in UTC, else from the time of the file:
2025-04-22, 20250422, 2025-04-22T03:00. All dumps are ranked by one rule: --policy,
else that of the newest. Nodes are matched by their paths. In a terminal the explorer
opens on the newest dump; --node, --format-out and --limit print text.

Examples:
  fairscope timeline gold-dumps
  fairscope timeline sshare-2025-*.txt --node physics/alice
  fairscope timeline gold-dumps --node physics --node chem --format-out csv
  fairscope timeline sshare.json --jobs sacct.txt --every 1d
  fairscope timeline gold-dumps --format-out json | jq '.moments[].changes'")]
    Timeline(compare::TimelineArgs),
    /// Find the least shares that reach a goal, or what a rank depends on
    #[command(after_help = "\
Goals:
  rank<=3    factor>=0.5    share>=5% (of the whole tree)    ahead-of group1/bob

Exit code 1 means that no number of shares reaches the goal.

Examples:
  fairscope solve sched_priv --node group1/bob --goal 'rank<=2'
  fairscope solve sched_priv --node bob --goal 'ahead-of suzy' --change group1
  fairscope solve sshare.json --node physics/alice --goal 'rank<=10' --any
  fairscope solve sshare.json --node physics/alice --goal 'factor>=0.5'
  fairscope solve FluxAccounting.db --node bank/bob --goal 'rank<=3'
  fairscope solve sched_priv --node group1/bob")]
    Solve(solve::SolveArgs),
    /// Print usage, factor and rank as time goes on, and when a goal is reached
    #[command(after_help = "\
Usage decays step by step, as in the scheduler. Assumptions about future usage are
printed with the answer.

Exit code 1 means that a goal is not reached.

Examples:
  fairscope simulate sched_priv --until 14d --node group2/scott
  fairscope simulate sshare.json --until 30d --pace steady --idle alice
  fairscope simulate gold-december --until 14d --pace gold-november
  fairscope simulate sched_priv --until 7d --charge group1/bob=64
  fairscope simulate sched_priv --until 7d --campaign group2/suzy=128:2d..4d
  fairscope simulate sched_priv --until 7d --compare fairshare_decay_factor=0.25
  fairscope simulate sched_priv --until 7d --node scott --goal 'rank<=1'
  fairscope simulate sched_priv --until 90d --cores 100
  fairscope simulate sshare.json --until 90d --cores 512 --against classic
  fairscope simulate sshare.json --until 30d --cores 64 --demand physics=16
  fairscope simulate sched_priv --until 90d --cores 100 --job-time 12h")]
    Simulate(Box<simulate::SimulateArgs>),
    /// Print the commands to apply the edits, and the rollback; none is run
    #[command(after_help = "\
Nothing is run. What cannot be applied to the scheduler is listed, and named on
standard error too.

Examples:
  fairscope plan sched_priv --edit 'shares group2/suzy=80'
  fairscope plan sched_priv --scenario november.toml --out new
  fairscope plan sshare.json --edit 'shares physics/alice=20'
  fairscope plan tree.toml --for slurm --edit 'add physics/zoe shares=5'
  fairscope plan FluxAccounting.db --edit 'shares bank=100' --format-out json
  fairscope plan --live slurm --desired accounts.conf
  fairscope plan old.json --scenario november.toml --verify new.json")]
    Plan(plan::PlanArgs),
    /// Report problems and findings of a source; exit 1 if there are any
    #[command(after_help = "\
Examples:
  fairscope check sched_priv
  fairscope check sched_priv --format-out json
  fairscope check sshare.json --config scontrol.txt
  fairscope check sshare.json --fail-if 'contradictions > 0'
  fairscope check --live slurm --desired accounts.conf   # shares that drifted
  fairscope check /var/lib/flux/FluxAccounting.db")]
    Check(look::CheckArgs),
    /// Print how evenly the tree was served, for people and for dashboards
    #[command(after_help = "\
The served ratio of a node is its usage / target. `fairscope help fairness` explains the
numbers, and `fairscope help gates` the conditions of --fail-if.

Examples:
  fairscope metrics sched_priv
  fairscope metrics sshare.json --users --format-out csv
  fairscope metrics sshare.json --fail-if 'gini(accounts) > 0.6'
  fairscope metrics --timeline gold-dumps
  fairscope metrics --live slurm --format-out openmetrics --out fairshare.prom")]
    Metrics(metrics::MetricsArgs),
    /// Print the jobs that wait, and the places that edits give them
    #[command(after_help = "\
Outputs of sprio and squeue beside the source are used. `fairscope help waiting` says what
is verified, and what no priority can tell.

Examples:
  fairscope queue snapshots/2025-04-22
  fairscope queue sshare.txt --config scontrol.txt --sprio sprio.txt
  fairscope queue sshare.txt --sprio sprio.txt --edit 'shares physics=60'
  fairscope queue snapshots/2025-04-22 --why 4711 --behind 4242")]
    Queue(queue::QueueArgs),
    /// Write the tree in another format, and say what it cannot hold
    #[command(after_help = "\
Examples:
  fairscope convert sched_priv --to toml > tree.toml
  fairscope convert tree.toml --to pbs --out new_sched_priv
  fairscope convert sched_priv --to csv --out tree.csv
  fairscope convert --live slurm --to toml --out gold.toml
  fairscope convert gold.toml --to sacctmgr-dump --out gold.cfg
  fairscope convert gold.cfg --edit 'shares bob=20' --to sacctmgr-dump
  fairscope convert FluxAccounting.db --to flux-json > flux.json
  fairscope convert gold.toml --to toml --anonymise key --out shown.toml")]
    Convert(files::ConvertArgs),
    /// Save the output of the scheduler, to be opened later
    #[command(after_help = "\
The directory must be new or empty. The output is kept byte for byte; with --anonymise
it has pseudonyms in place of names, and nothing that is not read.

Examples:
  fairscope snapshot --live slurm --out gold-november
  fairscope snapshot --live flux --out flux-november
  fairscope snapshot --live slurm --anonymise key --out to-be-shown
  fairscope check gold-november")]
    Snapshot(files::SnapshotArgs),
    /// Draw a screen of the explorer as SVG, text or HTML, without a terminal
    #[command(after_help = "\
Examples:
  fairscope screenshot sched_priv --out tree.svg
  fairscope screenshot sched_priv --keys 'j j e \"80\" enter 5' --out plan.svg
  fairscope screenshot sshare.json --keys 2 --size 80x24 --format-out text
  fairscope screenshot --keys 4 --theme light --out time.html")]
    Screenshot(script::ScreenshotArgs),
    /// Make a random tree, the same for the same seed
    #[command(after_help = "\
Examples:
  fairscope generate --users 1000 --to toml --out demo.toml
  fairscope generate --users 5000 --shape skewed --to pbs --out sched_priv
  fairscope generate --users 500 --to sacctmgr-dump --out test.cfg
  fairscope generate --users 500 --to flux-json > test.json")]
    Generate(files::GenerateArgs),
    /// Print what PBS's own pbsfs would print, byte for byte
    #[command(
        override_usage = "fairscope pbsfs [-p | -t | -g ENTITY | -c ENTITY1 ENTITY2] DIR",
        after_help = "\
DIR is a sched_priv directory. Needs neither root nor PBS. The options that write
(-s, -d, -e) are refused.

Examples:
  fairscope pbsfs sched_priv
  fairscope pbsfs -g suzy sched_priv
  fairscope pbsfs -c suzy bob sched_priv"
    )]
    Pbsfs(look::PbsfsArgs),
    /// Play a lesson in the explorer, or print it; without a name, list them
    #[command(after_help = "\
Examples:
  fairscope lesson
  fairscope lesson tour
  fairscope lesson suzy --format-out markdown > suzy.md
  fairscope lesson our-site.toml")]
    Lesson(open::LessonArgs),
    /// Print a topic of the manual, or the help of a command
    #[command(after_help = "\
Examples:
  fairscope help
  fairscope help columns
  fairscope help show")]
    Help {
        /// The topic or the command, or nothing for the list of topics
        #[arg(value_name = "TOPIC")]
        word: Option<String>,
    },
    /// Print completions for a shell
    #[command(after_help = "\
Examples:
  fairscope completions bash > /etc/bash_completion.d/fairscope
  fairscope completions zsh > _fairscope")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    #[command(after_help = "\
Examples:
  fairscope man > fairscope.1
  fairscope man show > fairscope-show.1")]
    Man {
        /// The command whose page to print, if not the program's
        command: Option<String>,
    },
}
