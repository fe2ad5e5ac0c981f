//! What can be written after `fairscope`: clap's structs and the examples of every help text.

mod contention;
mod diff;
mod edits;
mod plan;
mod simulate;
mod solve;
mod timeline;
mod values;

pub use contention::ContentionArgs;
pub use diff::DiffArgs;
pub use edits::EditArgs;
pub use plan::PlanArgs;
pub use simulate::SimulateArgs;
pub use solve::SolveArgs;
pub use timeline::TimelineArgs;

use crate::format::Format;
use crate::model::Scheduler;
use crate::policy::Policy;
use crate::policy::formula::FORMULA;
use crate::report::Form;
use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;
use values::{formats, forms, policies, schedulers, setting, themes, writable};

/// Explores fairshare trees: who deserves to run next, why, and what would change.
#[derive(Debug, Parser)]
#[command(
    name = "fairscope",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "\
Without a command it opens the explorer, on the built-in example if there is no SOURCE;
where standard output is not a terminal it prints what `fairscope show` prints.

Examples:
  fairscope                                    the built-in example
  fairscope /var/spool/pbs/sched_priv          the explorer on a PBS scheduler's tree
  fairscope sshare.json --config scontrol.txt  what sshare -a --json and scontrol show config printed
  fairscope gold.cfg sshare.txt                shares of sacctmgr dump, usage of sshare
  fairscope FluxAccounting.db                  a flux-accounting database
  fairscope --live slurm --watch 60            Slurm's tree, asked for again every minute
  fairscope show sched_priv | less             the tree as text
  fairscope explain sched_priv group2/suzy     why suzy stands where she stands
  fairscope whatif sched_priv --edit 'shares group2/suzy=80'"
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to open where no command is given.
    #[command(flatten)]
    pub opening: Opening,
}

/// The arguments of the explorer.
#[derive(Arguments, Debug)]
pub struct Opening {
    /// What to open: a file, a directory, or - for standard input; several outputs of Slurm are one tree
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// How to read it.
    #[command(flatten)]
    pub reading: Reading,
    /// Read the source again every so many seconds; a scheduler is asked every 10 at most
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub watch: Option<u32>,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// The colours of the explorer
    #[arg(long, value_name = "NAME", value_parser = themes())]
    pub theme: Option<String>,
}

/// How to read a source, for every command that opens one.
#[derive(Arguments, Clone, Debug)]
pub struct Reading {
    /// The format of the source, where its content does not tell
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub format: Option<Format>,
    /// The rule to rank by, if not the source's own
    #[arg(long, value_name = "NAME", value_parser = policies())]
    pub policy: Option<Policy>,
    /// PBS's job_sort_formula; ranks by it unless --policy names another rule
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub formula: Option<String>,
    /// A setting that wins over the source's; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub settings: Vec<(String, String)>,
    /// Ask the scheduler itself, read-only, in place of a source
    #[arg(long, value_name = "SCHEDULER", value_parser = schedulers())]
    pub live: Option<Scheduler>,
    /// How long each command of the scheduler may take [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// A further output of Slurm's commands about the same cluster; may be repeated
    #[arg(long = "with", value_name = "FILE")]
    pub more: Vec<PathBuf>,
    /// The output of scontrol show config, for Slurm's settings
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Which cluster, where a source holds several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Whether the command needs the cluster's name even if the source knows none.
    #[arg(skip)]
    pub names_cluster: bool,
    /// The usage file that belongs to a resource_group file
    #[arg(long, value_name = "FILE")]
    pub usage: Option<PathBuf>,
    /// The sched_config that belongs to a resource_group file
    #[arg(long, value_name = "FILE")]
    pub sched_config: Option<PathBuf>,
    /// A CSV file of Flux jobs that are over: user,bank,nnodes,t_run,t_inactive
    #[arg(long, value_name = "FILE")]
    pub jobs: Option<PathBuf>,
}

impl Reading {
    /// The rule asked for: a formula is one, unless another is named.
    #[must_use]
    pub fn policy(&self) -> Option<Policy> {
        let by_formula = self.formula.as_ref().map(|_| Policy::Formula);
        self.policy.or(by_formula)
    }

    /// The settings asked for, the formula among them.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        let formula = self
            .formula
            .iter()
            .map(|text| (FORMULA.to_owned(), text.clone()));
        self.settings.iter().cloned().chain(formula).collect()
    }
}

/// A source and how to read it.
#[derive(Arguments, Debug)]
pub struct SourceArgs {
    /// What to open: a file, a directory, or - for standard input; several outputs of Slurm are one tree
    #[arg(value_name = "SOURCE", required_unless_present = "live")]
    pub sources: Vec<PathBuf>,
    /// How to read it.
    #[command(flatten)]
    pub reading: Reading,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the tree with its numbers
    #[command(after_help = "\
Examples:
  fairscope show sched_priv
  fairscope show sched_priv --format-out json | jq '.nodes[] | select(.rank == 1)'
  fairscope show sched_priv --format-out csv --columns path,shares,factor --sort -factor
  fairscope show sched_priv --node group2 --depth 1
  fairscope show resource_group --usage usage.bak --set unknown_shares=10
  fairscope show sshare.json --config scontrol.txt --columns path,rank,factor,FairShare
  sshare -a -m -l -P | fairscope show -
  flux account view-bank root -t -P | fairscope show -")]
    Show(ShowArgs),
    /// Print the users, first to run on top
    #[command(after_help = "\
Examples:
  fairscope rank sched_priv
  fairscope rank sched_priv --format-out json
  fairscope rank --live slurm --cluster gold
  fairscope rank FluxAccounting.db --set inactive=show
  fairscope rank sched_priv --format-out table --columns rank,path,factor | head -11")]
    Rank(RankArgs),
    /// Say why a node stands where it stands, or where two nodes part
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
    Explain(ExplainArgs),
    /// Print the rank of every user under each policy, and how far the policies agree
    #[command(after_help = "\
Examples:
  fairscope policies sched_priv
  fairscope policies sched_priv --node group2 --limit 10
  fairscope policies sshare.json --set FairShareDampeningFactor=5
  fairscope policies FluxAccounting.db
  fairscope policies sched_priv --format-out json | jq .tau")]
    Policies(PoliciesArgs),
    /// Print what edits would do: before, after, who wins, who loses
    #[command(after_help = "\
Edits:
  shares group1/bob=20    usage group1/bob+=3600    set unknown_shares=10
  add group1/zoe shares=5    remove group1/bob
  move group1/bob to group2    rename group1/bob to robert
  charge group1/bob nodes=4 time=2:00:00    what jobs cost; PBS: cput=64
  scale group1 to 100    split group1    trade group1/bob=40

Examples:
  fairscope whatif sched_priv --edit 'shares group2/suzy=80'
  fairscope whatif sched_priv --edit 'add group1/zoe shares=5' --edit 'remove group1/bob'
  fairscope whatif sshare.json --config scontrol.txt --edit 'usage physics/alice*=0.5'
  fairscope whatif FluxAccounting.db --edit 'shares bank=100'
  fairscope whatif sched_priv --edit 'trade group1/bob=80'
  fairscope whatif november.toml --name 'more for physics'
  fairscope whatif sched_priv --edits new-shares.csv --format-out csv
  fairscope whatif sched_priv --edits new-shares.csv --format-out markdown --limit 10")]
    Whatif(WhatifArgs),
    /// Print what differs between two trees, and which change moved whom
    #[command(
        after_help = "\
Both are ranked by one rule: --policy, else that of NEW. A move is told apart by making the changes one after the other:
structure, shares, settings, the user's own usage, the rest of its account's, all other usage.

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
    Diff(DiffArgs),
    /// Print what became of a tree through a series of dumps
    #[command(after_help = "\
A date in a name says when a dump was made, in UTC: 2025-04-22, 20250422, 2025-04-22T03:00; else the file's time does.
All dumps are ranked by one rule: --policy, else that of the newest. A node is the same where it has the same path.
In a terminal the explorer opens on the newest dump, unless --node, --format-out or --limit asks for text.

Examples:
  fairscope timeline gold-dumps
  fairscope timeline sshare-2025-*.txt --node physics/alice
  fairscope timeline gold-dumps --node physics --node chem --format-out csv
  fairscope timeline gold-dumps --format-out json | jq '.moments[] | .changes.shares'")]
    Timeline(TimelineArgs),
    /// Find the least shares that reach a goal, or what a rank hangs on
    #[command(after_help = "\
Goals:
  rank<=3    factor>=0.5    share>=5% (of the whole tree)    ahead-of group1/bob

Exit code 1 means that no number of shares reaches the goal.

Examples:
  fairscope solve sched_priv --node group1/bob --goal 'rank<=2'
  fairscope solve sched_priv --node bob --goal 'ahead-of suzy' --change group1
  fairscope solve sshare.json --node physics/alice --goal 'rank<=10' --any
  fairscope solve sshare.json --node physics/alice --goal 'factor>=0.5' --edit 'shares chem=20'
  fairscope solve FluxAccounting.db --node bank/bob --goal 'rank<=3' --format-out json | jq .answer
  fairscope solve sched_priv --node group1/bob")]
    Solve(SolveArgs),
    /// Print usage, factor and rank as time goes on, and when a goal is reached
    #[command(after_help = "\
Usage decays as the scheduler does it, step by step. What is assumed of the usage to come is printed with the answer.

Exit code 1 means that a goal is not reached.

Examples:
  fairscope simulate sched_priv --until 14d --node group2/scott
  fairscope simulate sshare.json --until 30d --pace steady --idle alice --node alice --goal 'factor>=0.5'
  fairscope simulate gold-december --until 14d --pace gold-november --format-out csv
  fairscope simulate sched_priv --until 7d --charge group1/bob=64 --campaign 'group2/suzy=128:2d..4d'
  fairscope simulate sched_priv --until 7d --node scott --compare fairshare_decay_factor=0.25
  fairscope simulate sched_priv --until 7d --node scott --goal 'rank<=1' --format-out json | jq .recovery
  fairscope simulate sched_priv --until 90d --cores 100
  fairscope simulate sshare.json --until 90d --cores 512 --policy fair-tree --against classic
  fairscope simulate sshare.json --until 30d --cores 64 --demand 0 --demand physics=16 --demand chem=unlimited
  fairscope simulate sched_priv --until 90d --cores 100 --job-time 12h --job-spread 50 --format-out csv")]
    Simulate(Box<SimulateArgs>),
    /// Print the commands that make edits true, and what takes them back; runs none of them
    #[command(after_help = "\
Nothing is run. What the scheduler cannot be told is listed, and said on standard error too.

Examples:
  fairscope plan sched_priv --edit 'shares group2/suzy=80'
  fairscope plan sched_priv --scenario november.toml --out new
  fairscope plan sshare.json --edit 'shares physics/alice=20' --format-out markdown
  fairscope plan tree.toml --for slurm --cluster gold --edit 'add physics/zoe shares=5'
  fairscope plan FluxAccounting.db --edit 'shares bank=100' --format-out json | jq -r '.commands[]'
  fairscope plan old.json --scenario november.toml --verify new.json")]
    Plan(PlanArgs),
    /// Report problems of the source and findings about its tree; exit 1 if there are any
    #[command(after_help = "\
Examples:
  fairscope check sched_priv
  fairscope check sched_priv --format-out json
  fairscope check sshare.json --config scontrol.txt
  fairscope check /var/lib/flux/FluxAccounting.db")]
    Check(CheckArgs),
    /// Write the tree in another format, and say what it cannot hold
    #[command(after_help = "\
Examples:
  fairscope convert sched_priv --to toml > tree.toml
  fairscope convert tree.toml --to pbs --out new_sched_priv
  fairscope convert sched_priv --to csv --out tree.csv
  fairscope convert --live slurm --to toml --out gold.toml
  fairscope convert gold.toml --to sacctmgr-dump --out gold.cfg
  fairscope convert FluxAccounting.db --to flux-json > flux.json")]
    Convert(ConvertArgs),
    /// Save what the scheduler itself prints, to be opened later
    #[command(after_help = "\
The directory must be new or empty. What the scheduler prints is kept byte for byte.

Examples:
  fairscope snapshot --live slurm --out gold-november
  fairscope snapshot --live flux --out flux-november
  fairscope check gold-november")]
    Snapshot(SnapshotArgs),
    /// Make a random tree, the same for the same seed
    #[command(after_help = "\
Examples:
  fairscope generate --users 1000 --to toml --out demo.toml
  fairscope generate --users 100000 --shape skewed --seed 7 --to pbs --out sched_priv
  fairscope generate --users 500 --to sacctmgr-dump --out test.cfg
  fairscope generate --users 500 --to flux-json > test.json")]
    Generate(GenerateArgs),
    /// Print what PBS's own pbsfs would print, byte for byte
    #[command(
        override_usage = "fairscope pbsfs [-p | -t | -g ENTITY | -c ENTITY1 ENTITY2] DIR",
        after_help = "\
DIR is a sched_priv directory. Needs neither root nor PBS; what would write (-s, -d, -e) is refused.

Examples:
  fairscope pbsfs sched_priv
  fairscope pbsfs -g suzy sched_priv
  fairscope pbsfs -c suzy bob sched_priv"
    )]
    Pbsfs(PbsfsArgs),
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

/// `fairscope show`
#[derive(Arguments, Debug)]
pub struct ShowArgs {
    /// What to show.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "tree", value_parser = forms(Form::ALL))]
    pub format_out: Form,
    /// Which columns.
    #[command(flatten)]
    pub rows: RowArgs,
    /// How many levels below the topmost node
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
}

impl ShowArgs {
    /// What `fairscope SOURCE` shows where there is no terminal.
    #[must_use]
    pub fn plain(sources: Vec<PathBuf>, reading: Reading) -> Self {
        Self {
            source: SourceArgs { sources, reading },
            format_out: Form::Tree,
            rows: RowArgs::default(),
            depth: None,
        }
    }
}

/// Which rows and columns to print.
#[derive(Arguments, Debug, Default)]
pub struct RowArgs {
    /// The columns, in order, under their names in JSON
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// The column to sort by; -COLUMN puts the largest on top
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// The topmost node, by its path or by a name that occurs once
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
}

/// `fairscope rank`
#[derive(Arguments, Debug)]
pub struct RankArgs {
    /// What to rank.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = forms(&Form::ALL[1..]))]
    pub format_out: Form,
    /// Which rows and columns.
    #[command(flatten)]
    pub rows: RowArgs,
}

/// How prose is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Prose {
    /// Sentences
    Text,
    /// JSON, numbers in full
    Json,
}

/// `fairscope explain`
#[derive(Arguments, Debug)]
pub struct ExplainArgs {
    /// What to open, unless --live says it; then the node, by its path or by a name that occurs once, and perhaps a
    /// second one, to see where the two part
    #[arg(value_names = ["SOURCE", "NODE"], num_args = 1.., required = true)]
    pub words: Vec<OsString>,
    /// How to read the source.
    #[command(flatten)]
    pub reading: Reading,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format_out: Prose,
}

/// `fairscope policies`
#[derive(Arguments, Debug)]
pub struct PoliciesArgs {
    /// What to rank.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = forms(&Form::ALL[1..]))]
    pub format_out: Form,
    /// Only users below this node, by its path or by a name that occurs once
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
    /// How many users, those whose ranks differ most first [default: 40 in text]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `fairscope whatif`
#[derive(Arguments, Debug)]
pub struct WhatifArgs {
    /// What to edit.
    #[command(flatten)]
    pub source: SourceArgs,
    /// The edits.
    #[command(flatten)]
    pub edits: EditArgs,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = forms(&Form::ALL[1..]))]
    pub format_out: Form,
    /// How many nodes, the edited and those that move furthest first, in text and Markdown [default: 40]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// All nodes that were edited or move
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
}

/// `fairscope check`
#[derive(Arguments, Debug)]
pub struct CheckArgs {
    /// What to check.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format_out: Prose,
}

/// Where converted files go.
#[derive(Arguments, Debug)]
pub struct Target {
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = writable())]
    pub to: Format,
    /// The file, or for PBS the directory, to write; standard output if not given
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// `fairscope convert`
#[derive(Arguments, Debug)]
pub struct ConvertArgs {
    /// What to convert.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Where to.
    #[command(flatten)]
    pub target: Target,
}

/// `fairscope snapshot`
#[derive(Arguments, Debug)]
pub struct SnapshotArgs {
    /// The scheduler to ask, read-only
    #[arg(long, value_name = "SCHEDULER", value_parser = schedulers())]
    pub live: Scheduler,
    /// The directory to save in, new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Which cluster, where there are several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// How long each command of the scheduler may take [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
}

/// How a generated tree is shaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShapeName {
    /// Accounts of equal size
    Balanced,
    /// A few large accounts and many small ones
    Skewed,
    /// All users below the root
    Flat,
    /// Every account holds one other
    Chain,
}

/// `fairscope generate`
#[derive(Arguments, Debug)]
pub struct GenerateArgs {
    /// How many users
    #[arg(long, value_name = "N")]
    pub users: usize,
    /// How the tree is shaped
    #[arg(long, value_name = "SHAPE", default_value = "balanced")]
    pub shape: ShapeName,
    /// Another seed makes another tree
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Where to.
    #[command(flatten)]
    pub target: Target,
}

/// `fairscope pbsfs`
#[derive(Arguments, Debug)]
pub struct PbsfsArgs {
    /// Options and operands as pbsfs takes them, the sched_priv directory last
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    pub args: Vec<OsString>,
}
